//! Copies by paths: their charge in serial time, page by page, and its dependence on bit errors.

use crate::common::PAGE;
use ftlkit_flash::faults::{BitErrorModel, BitErrorRate, BitErrors, ProgramEraseFailure, Tearable};
use ftlkit_flash::{
    Array, Cause, Copies, CopyPath, CopyTimes, Counts, Flash, FlashError, Geometry, Lpn, Ns, Oob,
    Operation, Part, Ppn, Probe, Serial, Store, parts,
};

const GC: Cause = Cause::Collection;
/// Pages per block.
const BLOCK: u32 = 8;

/// F 10, D 5, t_PROG 100; 2 per corrected byte on paths that send them again.
fn times(path: CopyPath, cache_program: bool) -> CopyTimes {
    let repair_ns = if path.sends_corrections() { 2 } else { 0 };
    CopyTimes { path, cache_program, fetch_ns: 10, load_ns: 5, prog_ns: 100, repair_ns }
}

/// A part with these copy paths, on two devices: even blocks and odd ones.
fn part(near: CopyPath, far: CopyPath, cache_program: bool) -> Part {
    let copies = Copies {
        ways: 2,
        near: times(near, cache_program),
        far: times(far, cache_program),
        most_corrected_bytes: 8,
    };
    Part { copies: Some(copies), ..parts::SAMSUNG_LARGE_BLOCK.clone() }
}

/// Six blocks, of which block 0 is full.
fn array(part: Part) -> Array {
    let geometry = Geometry::new(6, BLOCK, PAGE as u32).unwrap();
    let mut array = Array::new(geometry, part, Store::Metadata);
    for page in 0..BLOCK {
        array.program(Ppn(page), Oob::data(Lpn(page), 1), None, Cause::Host).unwrap();
    }
    array
}

fn fixed<F: Tearable>(inner: F, bits_per_page: u32) -> BitErrors<F> {
    let model = BitErrorModel::Fixed { bits_per_page, ecc_bits_per_kib: 8 };
    BitErrors::new(inner, model, 0).unwrap()
}

fn with(inner: Array, bits_per_page: Option<u32>) -> BitErrors<Array> {
    match bits_per_page {
        None => BitErrors::none(inner),
        Some(bits) => fixed(inner, bits),
    }
}

/// Copies the first pages of block 0 in one run to a block. Returns the failure, if any, and its page.
fn run(flash: &mut impl Flash, pages: u32, block: u32) -> Result<(), (usize, FlashError)> {
    let from: Vec<Ppn> = (0..pages).map(Ppn).collect();
    let mut lpns = vec![Lpn(u32::MAX); from.len()];
    let result = flash.copy_run(&from, Ppn(block * BLOCK), 2, GC, &mut lpns);
    let copied = result.map_or_else(|(copied, _)| copied, |()| from.len());
    for (from, lpn) in from.iter().zip(&lpns).take(copied) {
        assert_eq!(lpn.0, from.0);
    }
    result
}

#[test]
fn a_run_takes_what_the_recurrence_says() {
    use CopyPath::{Dgcb, Gcb, Icb, IcbUnchecked, Lcb};
    // Three pages, without errors and with three in each; without and with cache program. By hand:
    //
    // - Within one device: 3·(F + D + t_PROG).
    // - Between two: C = 15, 120, 225 and 15, 30, 120 (S₃ = 215).
    // - With three bytes sent again: D is 11, and C = 21, 132, 243 and 21, 42, 132 (S₃ = 221).
    let by_hand: [(CopyPath, [Ns; 2], [Ns; 2]); 5] = [
        (Icb, [345, 345], [363, 363]),
        (IcbUnchecked, [345, 345], [345, 345]),
        (Lcb, [345, 345], [345, 345]),
        (Gcb, [325, 315], [325, 315]),
        (Dgcb, [325, 315], [343, 321]),
    ];
    for (path, clean, corrected) in by_hand {
        for cache_program in [false, true] {
            let (near, far) = if path.between_devices() { (Lcb, path) } else { (path, Gcb) };
            let array = array(part(near, far, cache_program));
            let block = if path.between_devices() { 1 } else { 2 };
            for (bits, expected) in [(0, clean), (3, corrected)] {
                let expected = expected[usize::from(cache_program)];
                let mut flash = Serial::new(fixed(array.clone(), bits));
                run(&mut flash, 3, block).unwrap();
                assert_eq!(flash.busy_ns(), expected, "{path}, {bits} bits, {cache_program}");
                assert_eq!(flash.busy_for_ns(GC), expected);
                assert_eq!(flash.counts().get(Operation::Copy, GC), 3);
                for other in CopyPath::ALL {
                    assert_eq!(flash.copies_by(other), if other == path { 3 } else { 0 });
                }
                let sent = if path.sends_corrections() { u64::from(3 * bits) } else { 0 };
                assert_eq!(flash.bytes_sent_again(), sent);
                // All but the unchecked path went through ECC.
                let seen = if path == IcbUnchecked { 0 } else { u64::from(3 * bits) };
                assert_eq!(flash.corrected_bits(), seen);
                if bits == 0 {
                    let mut bare = Serial::new(array.clone());
                    run(&mut bare, 3, block).unwrap();
                    assert_eq!(bare.busy_ns(), expected);
                    assert_eq!(bare.copies_by(path), 3);
                    let mut off = Serial::new(BitErrors::none(array.clone()));
                    run(&mut off, 3, block).unwrap();
                    assert_eq!(off.busy_ns(), expected);
                }
            }
        }
    }
}

#[test]
fn a_single_copy_is_a_run_of_one() {
    let mut flash = Serial::new(fixed(array(part(CopyPath::Icb, CopyPath::Gcb, true)), 4));
    flash.copy(Ppn(0), Ppn(2 * BLOCK), 2, GC).unwrap();
    assert_eq!(flash.busy_ns(), 115 + 4 * 2);
    flash.copy(Ppn(1), Ppn(BLOCK), 2, GC).unwrap();
    assert_eq!(flash.busy_ns(), 115 + 4 * 2 + 115);
    // From an odd block to an odd block, and from an odd one to an even one.
    flash.copy(Ppn(BLOCK), Ppn(3 * BLOCK), 3, GC).unwrap();
    flash.copy(Ppn(BLOCK), Ppn(4 * BLOCK), 3, GC).unwrap();
    assert_eq!(flash.busy_ns(), 2 * (115 + 4 * 2) + 2 * 115);
    assert_eq!(flash.copies_by(CopyPath::Icb), 2);
    assert_eq!(flash.copies_by(CopyPath::Gcb), 2);
    assert_eq!(flash.bytes_sent_again(), 8);
    // Reads are corrected without anything sent again.
    flash.read(Ppn(0), None, Cause::Host).unwrap();
    assert_eq!((flash.bytes_sent_again(), flash.corrected_bits()), (8, 20));
}

#[test]
fn nothing_is_said_of_paths_where_the_part_says_nothing() {
    let plain = Part { copies: None, ..part(CopyPath::Icb, CopyPath::Dgcb, true) };
    let mut flash = Serial::new(fixed(array(plain.clone()), 3));
    run(&mut flash, 3, 1).unwrap();
    flash.copy(Ppn(3), Ppn(BLOCK + 3), 2, GC).unwrap();
    assert_eq!(flash.busy_ns(), 4 * (plain.t_r_ns + plain.t_prog_ns));
    assert!(CopyPath::ALL.iter().all(|path| flash.copies_by(*path) == 0));
    assert_eq!((flash.bytes_sent_again(), flash.corrected_bits()), (0, 12));
}

#[test]
fn what_fails_is_a_page_of_its_run() {
    let clean = [115, 220, 325];
    for (bits, run_of) in [(None, clean), (Some(0), clean), (Some(3), [121, 232, 343])] {
        let array = array(part(CopyPath::Lcb, CopyPath::Dgcb, false));
        let mut counts = Counts::default();
        let mut expected = 0;
        let mut flash = Serial::new(ProgramEraseFailure::new(with(array, bits), 1));
        let mut check = |flash: &Serial<_>, copies: usize| {
            if copies > 0 {
                expected += run_of[copies - 1];
                counts.add_many(Operation::Copy, GC, copies as u64);
            }
            assert_eq!((flash.busy_ns(), flash.counts()), (expected, &counts));
            assert_eq!(flash.copies_by(CopyPath::Dgcb), counts.total(Operation::Copy));
        };
        // The second program fails, so it has run.
        flash.inner_mut().fail_program_after(1);
        let failed = FlashError::ProgramFailed(Ppn(BLOCK + 1));
        assert_eq!(run(&mut flash, 4, 1), Err((1, failed)));
        check(&flash, 2);
        // Also as a single copy.
        flash.inner_mut().fail_program_after(0);
        let failed = Err(FlashError::ProgramFailed(Ppn(BLOCK + 2)));
        assert_eq!(flash.copy(Ppn(2), Ppn(BLOCK + 2), 2, GC), failed);
        check(&flash, 1);
        // An operation that breaks a rule has not run, regardless of the copies before it.
        let order = FlashError::ProgramOrder { ppn: Ppn(3 * BLOCK + 1), next: 0 };
        assert_eq!(flash.copy(Ppn(2), Ppn(3 * BLOCK + 1), 2, GC), Err(order));
        check(&flash, 0);
        let mut lpns = [Lpn(0); 3];
        let from = [Ppn(0), Ppn(1), Ppn(6 * BLOCK)];
        let beyond = FlashError::NoSuchPage(Ppn(6 * BLOCK));
        assert_eq!(flash.copy_run(&from, Ppn(3 * BLOCK), 2, GC, &mut lpns), Err((2, beyond)));
        check(&flash, 2);
        assert_eq!(flash.copy_run(&[], Ppn(3 * BLOCK), 2, GC, &mut []), Ok(()));
        check(&flash, 0);
    }
    // An unreadable source corrects nothing, so no bytes are sent again for it.
    let mut flash = Serial::new(fixed(array(part(CopyPath::Lcb, CopyPath::Dgcb, false)), 3));
    flash.spoil(Ppn(2)).unwrap();
    assert_eq!(run(&mut flash, 4, 1), Err((2, FlashError::Uncorrectable(Ppn(2)))));
    // C = 21, 132, and then D without corrections: max(142, 232) + 5.
    assert_eq!((flash.busy_ns(), flash.bytes_sent_again()), (237 + 100, 6));
}

#[test]
fn pages_with_errors_of_their_own_enter_the_recurrence() {
    // Mean 20 errors per page of 16 bytes: pages differ in their errors.
    let rate =
        BitErrorRate { base: 156_250_000_000, per_erase: 0, per_read: 0, ecc_bits_per_kib: 512 };
    for cache_program in [false, true] {
        let array = array(part(CopyPath::Icb, CopyPath::Dgcb, cache_program));
        for (block, path) in [(1, CopyPath::Dgcb), (2, CopyPath::Icb)] {
            let flash = BitErrors::new(array.clone(), rate, 5).unwrap();
            let mut looked_at = flash.clone();
            let errors: Vec<u64> = (0..BLOCK)
                .map(|ppn| {
                    let before = looked_at.corrected_bits();
                    looked_at.read_oob(Ppn(ppn), GC).unwrap();
                    looked_at.corrected_bits() - before
                })
                .collect();
            assert!(errors.iter().any(|bits| *bits != errors[0]));
            let times = times(path, cache_program);
            let mut expected = times.run();
            errors.iter().for_each(|bits| expected.page(*bits));
            let mut flash = Serial::new(flash);
            run(&mut flash, BLOCK, block).unwrap();
            assert_eq!(flash.busy_ns(), expected.total_ns());
            assert_eq!(flash.bytes_sent_again(), errors.iter().sum());
            assert_eq!(flash.corrected_bits(), errors.iter().sum());
            // A second run gives the same errors and the same time, also through a wrapper that copies one by
            // one.
            let again = BitErrors::new(array.clone(), rate, 5).unwrap();
            let mut again = Serial::new(ProgramEraseFailure::new(again, 1));
            run(&mut again, BLOCK, block).unwrap();
            assert_eq!(again.busy_ns(), flash.busy_ns());
            // Another seed gives other errors.
            let mut other = Serial::new(BitErrors::new(array.clone(), rate, 6).unwrap());
            run(&mut other, BLOCK, block).unwrap();
            assert_ne!(other.corrected_bits(), flash.corrected_bits());
        }
    }
}

#[test]
fn a_run_is_never_longer_than_promised() {
    for cache_program in [false, true] {
        let part = part(CopyPath::Icb, CopyPath::Dgcb, cache_program);
        let array = array(part.clone());
        for bits in 0..=8 {
            for pages in 1..=BLOCK {
                let mut longest = 0;
                for block in [1, 2] {
                    let mut flash = Serial::new(fixed(array.clone(), bits));
                    run(&mut flash, pages, block).unwrap();
                    longest = longest.max(flash.busy_ns());
                }
                let promised = part.t_copies_ns(pages.into());
                assert!(longest <= promised);
                assert_eq!(longest == promised, bits == 8);
            }
        }
        // The most pages that fit, to the nanosecond.
        let copies = part.copies.unwrap();
        for far in [false, true] {
            let times = if far { copies.far } else { copies.near };
            for pages in 1..=200 {
                let takes = times.run_ns(pages, 8);
                assert_eq!(u64::from(copies.pages_within(takes, far)), pages);
                assert_eq!(u64::from(copies.pages_within(takes - 1, far)), pages - 1);
            }
        }
    }
}
