//! The part as schemes see it through its channel.
//!
//! Its figures are checked by hand, and an array in serial time against the closed forms, to the nanosecond.

use flash::faults::{BitErrorModel, BitErrorRate, BitErrors};
use flash::parts::{DDT_MLC, EVALUATION_SLC};
use flash::{
    Array, BlockId, Cause, CopyPath, CopyTimes, Flash, Geometry, Lpn, Ns, Oob, Part, Ppn, Probe,
    Serial, Store,
};
use ftlkit_bounds::copyback::{CopySettings, CopyTimings, Copyback, CopybackError, Waits};

const GC: Cause = Cause::Collection;
/// Pages per block of the part.
const BLOCK: u32 = 128;
/// Bits that the part's ECC corrects per KiB, and per page of one plane.
const ECC: u32 = 24;
const MOST: u32 = 192;

fn settings(path: CopyPath, cache_program: bool, ways: u32, planes: u32) -> CopySettings {
    CopySettings { path, cache_program, ways, planes, most_corrected_bytes: MOST }
}

#[test]
fn ddt_mlc_on_one_plane_by_hand() {
    let settings = CopySettings { most_corrected_bytes: 5, ..settings(CopyPath::Dgcb, true, 4, 1) };
    let part = settings.part(&DDT_MLC, Waits::STUDY).unwrap();
    // 7 cycles of command and address take 175 ns, 8,640 bytes take 216,000.
    // t_SR_SET is 175 + 100 + 20 = 295, t_SP_SET is 175 + 70 + 100 = 345.
    assert_eq!(part.t_r_ns, 295 + 75_000 + 216_000);
    assert_eq!(part.t_r_oob_ns, 295 + 75_000 + 448 * 25);
    assert_eq!(part.t_prog_ns, 345 + 216_000 + 1_300_000);
    assert_eq!(part.t_bers_ns, 5 * 25 + 100 + 3_000_000);
    assert_eq!((part.t_rc_ns, part.t_wc_ns), (0, 0));
    assert_eq!((part.page_bytes, part.oob_bytes, part.pages_per_block), (8192, 448, 128));
    assert_eq!(part.capacity_bytes, DDT_MLC.capacity_bytes);
    assert_eq!(part.name, DDT_MLC.name);
    assert_eq!(part.validate(), Ok(()));
    let copies = part.copies.unwrap();
    assert_eq!((copies.ways, copies.most_corrected_bytes), (4, 5));
    let times = |path, fetch_ns, load_ns, repair_ns| CopyTimes {
        path,
        cache_program: true,
        fetch_ns,
        load_ns,
        prog_ns: 1_300_000,
        repair_ns,
    };
    assert_eq!(copies.near, times(CopyPath::Lcb, 291_295, 216_345, 0));
    // One transfer with t_DL; 4 cycles and t_CCS per corrected byte.
    assert_eq!(copies.far, times(CopyPath::Dgcb, 75_295, 345 + 216_000 + 20, 230));
    // A copy through the controller is a read and a program.
    assert_eq!(copies.near.run_ns(7, 5), 7 * (part.t_r_ns + part.t_prog_ns));
    for (path, near, far) in [
        (CopyPath::Icb, times(CopyPath::Icb, 291_295, 345, 230), CopyPath::Gcb),
        (CopyPath::IcbUnchecked, times(CopyPath::IcbUnchecked, 75_295, 345, 0), CopyPath::Gcb),
        (CopyPath::Lcb, times(CopyPath::Lcb, 291_295, 216_345, 0), CopyPath::Gcb),
        (CopyPath::Gcb, times(CopyPath::Lcb, 291_295, 216_345, 0), CopyPath::Gcb),
    ] {
        let of = CopySettings { path, ..settings };
        let copies = of.part(&DDT_MLC, Waits::STUDY).unwrap().copies.unwrap();
        assert_eq!(copies.near, near);
        assert_eq!(far, copies.far.path);
        assert_eq!(copies.far, times(CopyPath::Gcb, 291_295, 216_345, 0));
    }
}

#[test]
fn ddt_mlc_on_two_planes_by_hand() {
    let part = settings(CopyPath::Dgcb, false, 2, 2).part(&DDT_MLC, Waits::STUDY).unwrap();
    // t_SR_SET is 2·175 + 600 + 120 = 1,070. Selecting the second plane's register takes 175 + 130 = 305.
    // t_SP_SET is 2·245 + 600 + 100 = 1,190.
    assert_eq!(part.t_r_ns, 1_070 + 75_000 + 432_000 + 305);
    assert_eq!(part.t_r_oob_ns, 1_070 + 75_000 + 2 * 11_200 + 305);
    assert_eq!(part.t_prog_ns, 1_190 + 432_000 + 1_300_000);
    assert_eq!(part.t_bers_ns, 2 * 125 + 600 + 100 + 3_000_000);
    assert_eq!((part.page_bytes, part.oob_bytes, part.pages_per_block), (16_384, 896, 128));
    let copies = part.copies.unwrap();
    assert_eq!(copies.most_corrected_bytes, 2 * MOST);
    assert_eq!((copies.far.fetch_ns, copies.far.load_ns), (76_070, 1_190 + 432_000 + 40 + 305));
    assert_eq!((copies.far.prog_ns, copies.far.repair_ns), (1_300_000, 230));
}

#[test]
fn the_ecc_has_its_say_before_data_are_used() {
    let waits = Waits { t_ecc_ns: 700, ..Waits::STUDY };
    for planes in 1..=4 {
        let plain = CopySettings { planes, ..CopySettings::PLAIN };
        let at_once = plain.part(&DDT_MLC, Waits::STUDY).unwrap();
        let part = plain.part(&DDT_MLC, waits).unwrap();
        assert_eq!(part.t_r_ns, at_once.t_r_ns + 700);
        assert_eq!(part.t_r_oob_ns, at_once.t_r_oob_ns + 700);
        assert_eq!(part.t_prog_ns, at_once.t_prog_ns);
        assert_eq!(part.t_copy_ns(), part.t_r_ns + part.t_prog_ns);
    }
    // The array time of an OOB read is the part's own.
    let part = Part { t_r_oob_ns: 30_000, ..DDT_MLC.clone() };
    let part = CopySettings::PLAIN.part(&part, Waits::STUDY).unwrap();
    assert_eq!((part.t_r_oob_ns, part.t_r_ns), (295 + 30_000 + 11_200, 291_295));
}

#[test]
fn capacity_is_whole_blocks_of_all_planes() {
    let block = 128 * 8192;
    for planes in 1..=4 {
        let of = |blocks: u64| {
            let part = Part { capacity_bytes: blocks * block + 12_345, ..DDT_MLC.clone() };
            CopySettings { planes, ..CopySettings::PLAIN }.part(&part, Waits::STUDY)
        };
        for blocks in u64::from(planes)..40 {
            let part = of(blocks).unwrap();
            let geometry = part.geometry(part.capacity_bytes).unwrap();
            assert_eq!(u64::from(geometry.blocks()), blocks / u64::from(planes));
            assert_eq!(geometry.capacity_bytes(), part.capacity_bytes);
            assert_eq!(part.validate(), Ok(()));
        }
        let none = of(u64::from(planes) - 1).unwrap_err().to_string();
        let least = u64::from(planes) * block;
        assert!(none.starts_with("capacity_bytes ") && none.contains(&least.to_string()), "{none}");
    }
}

/// Array of four blocks per way, the first one full.
fn filled(part: &Part, ways: u32) -> Array {
    let geometry = Geometry::new(2 * ways.max(2), BLOCK, part.page_bytes).unwrap();
    let mut array = Array::new(geometry, part.clone(), Store::Metadata);
    for page in 0..BLOCK {
        array.program(Ppn(page), Oob::data(Lpn(page), 1), None, Cause::Host).unwrap();
    }
    array
}

/// Time to copy the first pages of block 0 in one run to a block, which is then erased.
fn run_ns(flash: &mut Serial<BitErrors<Array>>, pages: u32, block: u32) -> Ns {
    let from: Vec<Ppn> = (0..pages).map(Ppn).collect();
    let mut lpns = vec![Lpn(0); pages as usize];
    let before = flash.busy_for_ns(GC);
    flash.copy_run(&from, Ppn(block * BLOCK), 2, GC, &mut lpns).unwrap();
    assert!(lpns.iter().zip(0..).all(|(lpn, page)| *lpn == Lpn(page)));
    let took = flash.busy_for_ns(GC) - before;
    flash.erase(BlockId(block), Cause::Host).unwrap();
    took
}

/// Calls `check` for every setting and destination: the part, the path in use, the ways and the destination
/// block.
fn each(mut check: impl FnMut(&Part, &Copyback, u32, u32)) {
    let timings = CopyTimings::of_part(&DDT_MLC, Waits::STUDY).unwrap();
    for path in CopyPath::ALL {
        for (cache_program, planes) in [(false, 1), (true, 1), (false, 2), (true, 2)] {
            for ways in [1, 4] {
                let settings = settings(path, cache_program, ways, planes);
                let part = settings.part(&DDT_MLC, Waits::STUDY);
                if ways == 1 && path.between_devices() {
                    assert!(matches!(part, Err(CopybackError::Figure { least: 2, .. })));
                    continue;
                }
                let part = part.unwrap();
                let copies = part.copies.unwrap();
                let way = |path| Copyback::new(timings, path, cache_program, planes).unwrap();
                check(&part, &way(copies.near.path), ways, ways);
                if ways > 1 {
                    check(&part, &way(copies.far.path), ways, 1);
                }
            }
        }
    }
}

#[test]
fn runs_without_errors_and_with_errors_by_hand_are_the_closed_forms() {
    let mut paths = std::collections::BTreeSet::new();
    each(|part, way, ways, block| {
        let planes = part.page_bytes / DDT_MLC.page_bytes;
        let copies = part.copies.unwrap();
        let path = copies.between(BlockId(0), BlockId(block)).path;
        paths.insert(path);
        let array = filled(part, ways);
        let mut clean = Serial::new(BitErrors::none(array.clone()));
        for n in 1..=BLOCK {
            let took = run_ns(&mut clean, n, block);
            assert_eq!(took, way.transaction_ns(n * planes).unwrap(), "{path}, {n}");
        }
        assert_eq!(clean.bytes_sent_again(), 0);
        for errors in 1..=MOST {
            let bits_per_page = errors * planes;
            let model = BitErrorModel::Fixed { bits_per_page, ecc_bits_per_kib: ECC };
            let bits = BitErrors::new(array.clone(), model, 0).unwrap();
            let mut flash = Serial::new(bits);
            let way = way.with_corrected_bytes(errors).unwrap();
            let every = if errors % 64 == 0 { 1 } else { 31 };
            let mut copied = 0;
            for n in (1..=BLOCK).step_by(every).chain([2, BLOCK]) {
                let took = run_ns(&mut flash, n, block);
                assert_eq!(took, way.transaction_ns(n * planes).unwrap(), "{path}, {n}, {errors}");
                assert!(took <= part.t_copies_ns(n.into()));
                copied += u64::from(n);
            }
            let wrong = copied * u64::from(bits_per_page);
            assert_eq!(flash.copies_by(path), copied);
            let sent = if path.sends_corrections() { wrong } else { 0 };
            assert_eq!(flash.bytes_sent_again(), sent);
            let unchecked = path == CopyPath::IcbUnchecked;
            assert_eq!(flash.corrected_bits(), if unchecked { 0 } else { wrong });
            assert_eq!(flash.inner().propagated_bits(), if unchecked { wrong } else { 0 });
        }
    });
    assert_eq!(paths.into_iter().collect::<Vec<_>>(), CopyPath::ALL);
}

#[test]
fn runs_with_drawn_errors_are_the_closed_forms() {
    // Mean of 8 out of the 24 bits that can be corrected per codeword.
    let rate = BitErrorRate { base: 976_562_500, per_erase: 0, per_read: 0, ecc_bits_per_kib: ECC };
    each(|part, way, ways, block| {
        let planes = part.page_bytes / DDT_MLC.page_bytes;
        let flash = BitErrors::new(filled(part, ways), rate, 21).unwrap();
        let mut looked_at = flash.clone();
        // Wrong bits per page of the array; their position on the planes does not matter.
        let mut errors = Vec::new();
        for page in 0..BLOCK {
            let before = looked_at.corrected_bits();
            looked_at.read(Ppn(page), None, GC).unwrap();
            let mut all = (looked_at.corrected_bits() - before) as u32;
            for left in (1..=planes).rev() {
                let share = all / left;
                errors.push(share);
                all -= share;
            }
        }
        assert!(errors.iter().any(|found| *found > errors[0] + 5));
        let mut flash = Serial::new(flash);
        for n in 1..=BLOCK {
            let took = run_ns(&mut flash, n, block);
            assert_eq!(took, way.drawn_ns(&errors[..(n * planes) as usize]).unwrap());
            assert!(took <= part.t_copies_ns(n.into()));
        }
    });
}

#[test]
fn what_cannot_be_is_said() {
    let base = settings(CopyPath::Icb, false, 2, 2);
    let refused = |settings: CopySettings, part: &Part| {
        settings.part(part, Waits::STUDY).unwrap_err().to_string()
    };
    let cases = [
        (refused(base, &EVALUATION_SLC), "t_rc_ns"),
        (refused(CopySettings { ways: 0, ..base }, &DDT_MLC), "ways must be 1 to 64, not 0"),
        (refused(CopySettings { ways: 65, ..base }, &DDT_MLC), "ways must be 1 to 64, not 65"),
        (
            refused(CopySettings { path: CopyPath::Gcb, ways: 1, ..base }, &DDT_MLC),
            "gcb copies between two devices must be 2 to 64, not 1",
        ),
        (
            refused(CopySettings { path: CopyPath::Dgcb, ways: 1, ..base }, &DDT_MLC),
            "dgcb copies between two devices must be 2 to 64, not 1",
        ),
        (refused(CopySettings { planes: 0, ..base }, &DDT_MLC), "planes must be 1 to 4, not 0"),
        (refused(CopySettings { planes: 5, ..base }, &DDT_MLC), "planes must be 1 to 4, not 5"),
        (refused(CopySettings { most_corrected_bytes: 193, ..base }, &DDT_MLC), "give 0 to 192"),
        (
            refused(base, &Part { page_bytes: 1 << 20, ..DDT_MLC.clone() }),
            "page_bytes of all planes together must be 1 to 1048576, not 2097152",
        ),
        (
            refused(base, &Part { oob_bytes: 1 << 20, ..DDT_MLC.clone() }),
            "oob_bytes of all planes together must be 0 to 1048576, not 2097152",
        ),
        (
            refused(base, &Part { t_r_oob_ns: 1_000_000_000_001, ..DDT_MLC.clone() }),
            "t_r_oob_ns must be 1 to 1000000000000, not 1000000000001",
        ),
    ];
    for (said, expected) in cases {
        assert!(said.contains(expected), "`{said}` does not say `{expected}`");
    }
}

#[test]
fn the_ends_of_all_ranges_overflow_nothing() {
    const ARRAY: Ns = 1_000_000_000_000;
    const BUS: Ns = 100_000;
    let waits = Waits {
        t_wb_ns: BUS,
        t_adl_ns: BUS,
        t_rr_ns: BUS,
        t_ccs_ns: BUS,
        t_dbsy_ns: BUS,
        t_dl_ns: BUS,
        direct_cycle_ns: BUS,
        t_ecc_ns: BUS,
        column_cycles: 8,
        row_cycles: 8,
    };
    for planes in [1, 2, 4] {
        let part = Part {
            page_bytes: (1 << 20) / planes,
            oob_bytes: (1 << 20) / planes,
            pages_per_block: 1 << 20,
            capacity_bytes: u64::MAX >> 12,
            t_r_ns: ARRAY,
            t_r_oob_ns: ARRAY,
            t_prog_ns: ARRAY,
            t_bers_ns: ARRAY,
            t_rc_ns: BUS,
            t_wc_ns: BUS,
            ecc_bits_per_kib: None,
            ..DDT_MLC.clone()
        };
        let timings = CopyTimings::of_part(&part, waits).unwrap();
        let most_corrected_bytes = timings.most_corrected_bytes();
        for path in CopyPath::ALL {
            for cache_program in [false, true] {
                let settings =
                    CopySettings { path, cache_program, ways: 64, planes, most_corrected_bytes };
                let part = settings.part(&part, waits).unwrap();
                assert_eq!(part.validate(), Ok(()));
                let block = part.t_copies_ns(1 << 20);
                assert!(block > part.t_copies_ns((1 << 20) - 1));
                let copies = part.copies.unwrap();
                assert_eq!(copies.pages_within(u64::MAX, true).min(1 << 20), 1 << 20);
                // The closed forms on pages that only they accept: 2²⁰ bytes per plane.
                let largest = CopyTimings { page_bytes: 1 << 20, spare_bytes: 1 << 20, ..timings };
                let way = Copyback::new(largest, path, cache_program, planes).unwrap();
                let way = way.with_corrected_bytes(largest.most_corrected_bytes()).unwrap();
                let pages = way.most_pages();
                assert!(way.collection_ns(pages, pages).unwrap() > way.erase_ns());
                assert!(way.collection_early_erase_ns(pages, pages).unwrap() > way.erase_ns());
                assert!(
                    way.channel_time(pages).unwrap().total_ns()
                        <= way.transaction_ns(pages).unwrap()
                );
                assert!(way.printed_ns(pages).unwrap() > 0);
            }
        }
    }
}
