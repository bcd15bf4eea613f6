//! Unchecked copies take over the bit errors of their source. Bit errors switched off change nothing.

use crate::common::{PAGE, program, read, snapshot};
use ftlkit_flash::faults::{BitErrorModel, BitErrorRate, BitErrors, FaultError, Tearable};
use ftlkit_flash::{
    Array, BlockId, Cause, Copies, CopyPath, CopyTimes, Flash, FlashError, Geometry, Lpn, Oob,
    Part, Ppn, Probe, Serial, Store, parts,
};
use proptest::prelude::*;

const GC: Cause = Cause::Collection;
/// Pages per block.
const BLOCK: u32 = 8;

fn times(path: CopyPath) -> CopyTimes {
    let repair_ns = if path.sends_corrections() { 2 } else { 0 };
    CopyTimes { path, cache_program: true, fetch_ns: 10, load_ns: 5, prog_ns: 100, repair_ns }
}

/// A part on two devices: even blocks and odd ones.
fn part(near: CopyPath, far: CopyPath) -> Part {
    let copies = Copies { ways: 2, near: times(near), far: times(far), most_corrected_bytes: 0 };
    Part { copies: Some(copies), ..parts::SAMSUNG_LARGE_BLOCK.clone() }
}

/// Twelve blocks of pages of 2 KiB, with two codewords each.
fn blocks(part: Part) -> Array {
    Array::new(Geometry::new(12, BLOCK, 2048).unwrap(), part, Store::Metadata)
}

fn write(flash: &mut impl Flash, ppn: u32) {
    flash.program(Ppn(ppn), Oob::data(Lpn(ppn), 1), None, Cause::Host).unwrap();
}

fn copy(flash: &mut impl Flash, from: u32, to: u32) -> Result<Oob, FlashError> {
    flash.copy(Ppn(from), Ppn(to), 2, GC)
}

/// Bits that a read of a page corrects.
fn errors<F: Tearable>(flash: &mut BitErrors<F>, ppn: u32) -> Result<u64, FlashError> {
    let before = flash.corrected_bits();
    flash.read(Ppn(ppn), None, Cause::Host)?;
    Ok(flash.corrected_bits() - before)
}

/// 10 bits per page, 5 per codeword; ECC corrects 16 per codeword.
const TEN: BitErrorModel = BitErrorModel::Fixed { bits_per_page: 10, ecc_bits_per_kib: 16 };

fn ten(near: CopyPath, far: CopyPath) -> BitErrors<Array> {
    BitErrors::new(blocks(part(near, far)), TEN, 0).unwrap()
}

/// First page of a block.
fn first(block: u32) -> u32 {
    block * BLOCK
}

#[test]
fn unchecked_copies_add_up_until_ecc_gives_up() {
    let mut flash = ten(CopyPath::IcbUnchecked, CopyPath::Gcb);
    write(&mut flash, first(0));
    assert_eq!(errors(&mut flash, first(0)), Ok(10));
    // From block to block of one device. After two hops a codeword has 15 errors of 16 that can be corrected.
    for (hop, wrong) in [(1, Ok(20)), (2, Ok(30))] {
        copy(&mut flash, first(2 * (hop - 1)), first(2 * hop)).unwrap();
        assert_eq!(errors(&mut flash, first(2 * hop)), wrong);
    }
    assert_eq!((flash.propagated_bits(), flash.uncorrectable_reads()), (10 + 20, 0));
    // The page of the third hop is unreadable. The fourth copy is made from it without an error, because no
    // read has found that yet.
    copy(&mut flash, first(4), first(6)).unwrap();
    assert_eq!(copy(&mut flash, first(6), first(8)), Ok(Oob::data(Lpn(0), 2)));
    assert_eq!((flash.propagated_bits(), flash.uncorrectable_reads()), (10 + 20 + 30 + 40, 0));
    let corrected = flash.corrected_bits();
    for ppn in [first(6), first(8)] {
        let lost = Err(FlashError::Uncorrectable(Ppn(ppn)));
        assert_eq!(flash.read(Ppn(ppn), None, Cause::Host), lost);
        assert_eq!(flash.read_oob(Ppn(ppn), GC), lost);
        // A checked copy finds it, too. An unchecked copy of a page known to be lost is refused.
        assert_eq!(copy(&mut flash, ppn, first(1)), lost);
        assert_eq!(copy(&mut flash, ppn, first(10)), lost);
    }
    assert_eq!((flash.corrected_bits(), flash.uncorrectable_reads()), (corrected, 8));
    assert_eq!(flash.propagated_bits(), 100);
    // The pages on the way are unchanged.
    for (hop, wrong) in [(0, 10), (1, 20), (2, 30)] {
        assert_eq!(errors(&mut flash, first(2 * hop)), Ok(wrong));
    }
}

#[test]
fn a_run_of_copies_takes_over_page_by_page() {
    let mut flash = Serial::new(ten(CopyPath::IcbUnchecked, CopyPath::Gcb));
    (0..4).for_each(|ppn| write(&mut flash, ppn));
    let mut lpns = [Lpn(9); 4];
    let run = |block: u32| (first(block)..first(block) + 4).map(Ppn).collect::<Vec<_>>();
    flash.copy_run(&run(0), Ppn(first(2)), 2, GC, &mut lpns).unwrap();
    flash.copy_run(&run(2), Ppn(first(4)), 2, GC, &mut lpns).unwrap();
    assert_eq!(lpns, [Lpn(0), Lpn(1), Lpn(2), Lpn(3)]);
    assert_eq!(flash.inner().propagated_bits(), 4 * 10 + 4 * 20);
    // Nothing was checked, and nothing sent again.
    assert_eq!((flash.corrected_bits(), flash.bytes_sent_again()), (0, 0));
    assert_eq!(flash.busy_for_ns(GC), 8 * 115);
    assert_eq!(flash.copies_by(CopyPath::IcbUnchecked), 8);
    for ppn in run(4) {
        assert_eq!(errors(flash.inner_mut(), ppn.0), Ok(30));
    }
}

#[test]
fn checked_copies_are_clean() {
    for (near, far, hops) in [
        (CopyPath::Icb, CopyPath::Gcb, [0, 2, 4, 6, 8]),
        (CopyPath::Lcb, CopyPath::Gcb, [0, 2, 4, 6, 8]),
        (CopyPath::IcbUnchecked, CopyPath::Gcb, [0, 1, 2, 3, 4]),
        (CopyPath::IcbUnchecked, CopyPath::Dgcb, [0, 1, 2, 3, 4]),
    ] {
        let mut flash = ten(near, far);
        write(&mut flash, first(0));
        for hop in hops.windows(2) {
            copy(&mut flash, first(hop[0]), first(hop[1])).unwrap();
        }
        // Four copies through ECC.
        assert_eq!((flash.corrected_bits(), flash.propagated_bits()), (40, 0));
        for block in hops {
            assert_eq!(errors(&mut flash, first(block)), Ok(10), "{near}, {far}");
        }
    }
    // A part that does not specify its copy paths.
    let plain = Part { copies: None, ..part(CopyPath::IcbUnchecked, CopyPath::Gcb) };
    let mut flash = BitErrors::new(blocks(plain), TEN, 0).unwrap();
    write(&mut flash, first(0));
    copy(&mut flash, first(0), first(2)).unwrap();
    assert_eq!(errors(&mut flash, first(2)), Ok(10));
    // A checked copy of a page that carries errors does not take them over.
    let mut flash = ten(CopyPath::IcbUnchecked, CopyPath::Gcb);
    write(&mut flash, first(0));
    copy(&mut flash, first(0), first(2)).unwrap();
    copy(&mut flash, first(2), first(1)).unwrap();
    assert_eq!((errors(&mut flash, first(2)), errors(&mut flash, first(1))), (Ok(20), Ok(10)));
}

#[test]
fn carried_errors_vanish_with_the_erase() {
    let mut flash = ten(CopyPath::IcbUnchecked, CopyPath::Gcb);
    for round in 0..3 {
        write(&mut flash, first(0));
        write(&mut flash, first(0) + 1);
        copy(&mut flash, first(0), first(2)).unwrap();
        copy(&mut flash, first(2), first(4)).unwrap();
        copy(&mut flash, first(0) + 1, first(2) + 1).unwrap();
        // The source is erased: the copy keeps the errors that it took over.
        flash.erase(BlockId(2), GC).unwrap();
        assert_eq!(errors(&mut flash, first(4)), Ok(30), "round {round}");
        write(&mut flash, first(2));
        assert_eq!(errors(&mut flash, first(2)), Ok(10));
        // Also after an erase that failed and was repeated.
        copy(&mut flash, first(2), first(6)).unwrap();
        flash.half_erase(BlockId(6)).unwrap();
        assert!(errors(&mut flash, first(6)).is_err());
        flash.erase(BlockId(6), GC).unwrap();
        write(&mut flash, first(6));
        assert_eq!(errors(&mut flash, first(6)), Ok(10));
        for block in [0, 2, 4, 6] {
            flash.erase(BlockId(block), GC).unwrap();
        }
    }
}

#[test]
fn drawn_errors_add_up_with_wear() {
    let rate = BitErrorRate {
        base: 200_000_000,
        per_erase: 40_000_000,
        per_read: 0,
        ecc_bits_per_kib: 512,
    };
    let path = [CopyPath::IcbUnchecked, CopyPath::Gcb];
    let drawn = |erases: u32| {
        let mut flash = BitErrors::new(blocks(part(path[0], path[1])), rate, 3).unwrap();
        for block in 0..12 {
            (0..erases).for_each(|_| flash.erase(BlockId(block), GC).unwrap());
        }
        flash
    };
    let mut carried = Vec::new();
    for erases in [0, 10, 50] {
        // Own errors of each page.
        let mut own = Vec::new();
        let mut alone = drawn(erases);
        for block in [0, 2, 4, 6] {
            (0..BLOCK).for_each(|page| write(&mut alone, first(block) + page));
            let errors = (0..BLOCK).map(|page| errors(&mut alone, first(block) + page).unwrap());
            own.push(errors.collect::<Vec<_>>());
        }
        // Copied from block to block: the sum of all errors on the way.
        let mut flash = drawn(erases);
        (0..BLOCK).for_each(|page| write(&mut flash, page));
        let mut sums = own[0].clone();
        let mut propagated = 0;
        for hop in 1..4 {
            for page in 0..BLOCK {
                copy(&mut flash, first(2 * (hop - 1)) + page, first(2 * hop) + page).unwrap();
            }
            for (page, sum) in sums.iter_mut().enumerate() {
                propagated += *sum;
                *sum += own[hop as usize][page];
                assert_eq!(errors(&mut flash, first(2 * hop) + page as u32), Ok(*sum));
            }
            assert_eq!(flash.propagated_bits(), propagated);
        }
        carried.push(propagated);
    }
    assert!(carried[0] < carried[1] && carried[1] < carried[2], "{carried:?}");
}

#[test]
fn the_read_of_an_unchecked_copy_disturbs_its_page() {
    // A read adds 1 bit per 10⁴ bits, 1.6 per page.
    let rate = BitErrorRate { base: 0, per_erase: 0, per_read: 100_000_000, ecc_bits_per_kib: 512 };
    let mut flash =
        BitErrors::new(blocks(part(CopyPath::IcbUnchecked, CopyPath::Gcb)), rate, 3).unwrap();
    let mut checked = BitErrors::new(blocks(part(CopyPath::Icb, CopyPath::Gcb)), rate, 3).unwrap();
    for flash in [&mut flash, &mut checked] {
        write(flash, 0);
        for at in 0..40 {
            copy(flash, 0, first(2 + 2 * (at / BLOCK)) + at % BLOCK).unwrap();
        }
    }
    // Page 0 was read equally often, with or without a check of the copies.
    let wrong = errors(&mut checked, 0).unwrap();
    assert!(wrong > 20, "{wrong}");
    assert_eq!(errors(&mut flash, 0), Ok(wrong));
    assert_eq!(flash.propagated_bits(), checked.corrected_bits() - wrong);
}

#[test]
fn no_more_bits_are_wrong_than_there_are() {
    let part = part(CopyPath::IcbUnchecked, CopyPath::Gcb);
    let geometry = Geometry::new(64, 2, 2048).unwrap();
    let all = BitErrorModel::Fixed { bits_per_page: 2048 * 8, ecc_bits_per_kib: 512 };
    let mut flash = BitErrors::new(Array::new(geometry, part, Store::Metadata), all, 0).unwrap();
    write(&mut flash, 0);
    for hop in 1..32 {
        copy(&mut flash, (hop - 1) * 4, hop * 4).unwrap();
    }
    assert_eq!(flash.propagated_bits(), 31 * 2048 * 8);
}

#[test]
fn fixed_errors_have_a_range() {
    let set = |bits_per_page, ecc_bits_per_kib| {
        let model = BitErrorModel::Fixed { bits_per_page, ecc_bits_per_kib };
        let mut flash = BitErrors::new(blocks(parts::SAMSUNG_LARGE_BLOCK.clone()), model, 0)?;
        assert_eq!(flash.model(), Some(&model));
        write(&mut flash, 0);
        Ok((0..3).map(|_| errors(&mut flash, 0)).collect::<Vec<_>>())
    };
    let lost = Err(FlashError::Uncorrectable(Ppn(0)));
    assert_eq!(set(0, 1), Ok(vec![Ok(0); 3]));
    assert_eq!(set(48, 24), Ok(vec![Ok(48); 3]));
    // One codeword has 25.
    assert_eq!(set(49, 24), Ok(vec![lost; 3]));
    assert_eq!(set(2048 * 8, 512), Ok(vec![lost; 3]));
    let most = 2048 * 8;
    let found = most as u32 + 1;
    assert_eq!(set(found, 512), Err(FaultError::BitsPerPage { found, most }));
    for strength in [0, 513, u32::MAX] {
        assert_eq!(set(1, strength), Err(FaultError::EccStrength(strength)));
    }
}

/// One operation on an array of six blocks of four pages; some addresses are beyond it.
#[derive(Clone, Debug)]
enum Op {
    Program(u32, u64),
    ProgramNext(u32),
    Read(u32),
    ReadPart(u32, usize, usize),
    ReadOob(u32),
    Copy(u32, u32),
    CopyNext(u32, u32),
    CopyRun(Vec<u32>, u32),
    Erase(u32),
    MarkBad(u32),
    Waste(u32),
    HalfErase(u32),
    Spoil(u32),
}

fn op() -> impl Strategy<Value = Op> {
    let ppn = || 0u32..26;
    let block = || 0u32..7;
    prop_oneof![
        1 => (ppn(), 1u64..9).prop_map(|(ppn, version)| Op::Program(ppn, version)),
        12 => block().prop_map(Op::ProgramNext),
        4 => ppn().prop_map(Op::Read),
        2 => (ppn(), 0usize..9, 0usize..9).prop_map(|(ppn, at, len)| Op::ReadPart(ppn, at, len)),
        2 => ppn().prop_map(Op::ReadOob),
        1 => (ppn(), ppn()).prop_map(|(from, to)| Op::Copy(from, to)),
        6 => (ppn(), block()).prop_map(|(from, to)| Op::CopyNext(from, to)),
        6 => (block(), prop::collection::vec(0u32..4, 0..4), block())
            .prop_map(|(from, pages, to)| Op::CopyRun(
                pages.iter().map(|page| from * 4 + page).collect(), to
            )),
        4 => block().prop_map(Op::Erase),
        1 => (4u32..7).prop_map(Op::MarkBad),
        1 => ppn().prop_map(Op::Waste),
        1 => block().prop_map(Op::HalfErase),
        1 => ppn().prop_map(Op::Spoil),
    ]
}

/// Result of the operation as text; `next` returns the page of a block that may be programmed next.
fn apply(flash: &mut impl Tearable, op: &Op, next: impl Fn(u32) -> u32) -> String {
    let cause = Cause::FullMerge;
    match op {
        Op::Program(ppn, version) => format!("{:?}", program(flash, *ppn, *ppn, *version)),
        Op::ProgramNext(block) => {
            let ppn = next(*block);
            format!("{:?}", program(flash, ppn, ppn, u64::from(ppn)))
        }
        Op::Read(ppn) => format!("{:?}", read(flash, *ppn)),
        Op::ReadPart(ppn, at, length) => {
            let mut data = vec![0x77; *length];
            let result = flash.read_part(Ppn(*ppn), *at, &mut data, cause);
            format!("{result:?} {data:?}")
        }
        Op::ReadOob(ppn) => format!("{:?}", flash.read_oob(Ppn(*ppn), cause)),
        Op::Copy(from, to) => format!("{:?}", flash.copy(Ppn(*from), Ppn(*to), 3, cause)),
        Op::CopyNext(from, to) => {
            format!("{:?}", flash.copy(Ppn(*from), Ppn(next(*to)), 3, cause))
        }
        Op::CopyRun(from, to) => {
            let from: Vec<Ppn> = from.iter().map(|ppn| Ppn(*ppn)).collect();
            let mut lpns = vec![Lpn(77); from.len()];
            let result = flash.copy_run(&from, Ppn(next(*to)), 3, cause, &mut lpns);
            format!("{result:?} {lpns:?}")
        }
        Op::Erase(block) => format!("{:?}", flash.erase(BlockId(*block), cause)),
        Op::MarkBad(block) => format!("{:?}", flash.mark_bad(BlockId(*block))),
        Op::Waste(ppn) => format!("{:?}", flash.waste(Ppn(*ppn))),
        Op::HalfErase(block) => format!("{:?}", flash.half_erase(BlockId(*block))),
        Op::Spoil(ppn) => format!("{:?}", flash.spoil(Ppn(*ppn))),
    }
}

fn small(near: CopyPath) -> Array {
    let geometry = Geometry::new(6, 4, PAGE as u32).unwrap();
    Array::new(geometry, part(near, CopyPath::Dgcb), Store::All)
}

proptest! {
    #![proptest_config(crate::common::cases(256))]

    /// Switched off bit errors have no effect, like a model without bit errors.
    #[test]
    fn switched_off_is_the_bare_array(
        ops in prop::collection::vec(op(), 1..120),
        near in prop::sample::select(vec![CopyPath::Icb, CopyPath::IcbUnchecked, CopyPath::Lcb]),
    ) {
        let mut bare = Serial::new(small(near));
        let mut off = Serial::new(BitErrors::none(small(near)));
        let no_bits = BitErrorModel::Fixed { bits_per_page: 0, ecc_bits_per_kib: 1 };
        let mut zero = Serial::new(BitErrors::new(small(near), no_bits, 1).unwrap());
        for op in &ops {
            let next_page = bare.inner().clone();
            let next = |block: u32| block * 4 + next_page.next_page(BlockId(block)).min(3);
            let expected = apply(&mut bare, op, next);
            prop_assert_eq!(&apply(&mut off, op, next), &expected, "{:?}", op);
            prop_assert_eq!(&apply(&mut zero, op, next), &expected, "{:?}", op);
            prop_assert_eq!(zero.busy_ns(), bare.busy_ns());
            prop_assert_eq!(off.busy_ns(), bare.busy_ns());
        }
        prop_assert_eq!(off.counts(), bare.counts());
        for path in CopyPath::ALL {
            prop_assert_eq!(off.copies_by(path), bare.copies_by(path));
        }
        prop_assert!(!off.has_bit_errors() && off.inner().model().is_none());
        prop_assert_eq!((off.corrected_bits(), off.bytes_sent_again()), (0, 0));
        prop_assert_eq!(off.inner().uncorrectable_reads(), 0);
        let expected = snapshot(&mut bare);
        prop_assert_eq!(snapshot(&mut off), expected.clone());
        prop_assert_eq!(snapshot(&mut zero), expected);
    }
}
