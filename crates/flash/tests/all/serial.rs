//! Serial time: sums, counts and energy, by cause, to the nanosecond.

use crate::common::{array, program, read};
use ftlkit_flash::channels::{Policy, Timing, Topology};
use ftlkit_flash::faults::{ProgramEraseFailure, Tearable};
use ftlkit_flash::parallel::Parallel;
use ftlkit_flash::{
    Array, BlockId, Cause, Cell, Copies, CopyPath, CopyTimes, Counts, Flash, FlashError, Geometry,
    Lpn, Oob, Operation, PageTimes, Part, Ppn, Serial, SlcMode, Store, parts,
};

/// tR, tR of the OOB, tPROG, copy, tBERS of the tests' part, ns.
const TIMES: [u64; 5] = [25_000, 25_000, 300_000, 325_000, 2_000_000];

#[test]
fn sums_by_cause() {
    let mut flash = Serial::new(array(15, 8, Store::Metadata));
    let mut counts = Counts::default();
    let (mut ppn, mut by_cause) = (0, [0; Cause::ALL.len()]);
    for (i, cause) in Cause::ALL.into_iter().enumerate() {
        // A different number of each operation for each cause.
        let mut done = |op: Operation, times: u64| {
            (0..times).for_each(|_| counts.add(op, cause));
            by_cause[i] += times * TIMES[op as usize];
        };
        flash.program(Ppn(ppn), Oob::data(Lpn(1), 1), None, cause).unwrap();
        ppn += 1;
        done(Operation::Program, 1);
        for _ in 0..i {
            flash.copy(Ppn(0), Ppn(ppn), 1, cause).unwrap();
            ppn += 1;
        }
        done(Operation::Copy, i as u64);
        for _ in 0..i + 2 {
            flash.read(Ppn(0), None, cause).unwrap();
        }
        done(Operation::Read, i as u64 + 2);
        for _ in 0..2 * i {
            flash.read_oob(Ppn(0), cause).unwrap();
        }
        done(Operation::ReadOob, 2 * i as u64);
        for _ in 0..i % 3 {
            flash.erase(BlockId(14), cause).unwrap();
        }
        done(Operation::Erase, i as u64 % 3);
    }
    assert_eq!(flash.counts(), &counts);
    for (cause, ns) in Cause::ALL.into_iter().zip(by_cause) {
        assert_eq!(flash.busy_for_ns(cause), ns, "{}", cause.name());
        let programmed = flash.counts().pages_programmed(cause);
        assert_eq!(programmed, 1 + cause as u64);
    }
    assert_eq!(flash.busy_ns(), by_cause.iter().sum());
    assert_eq!(flash.erase_count(BlockId(14)), 13);
    // 119 page reads and 182 OOB reads; 14 programs and 91 copies; 13 erases.
    let expected = (119 + 182) * 25_000 + 14 * 300_000 + 91 * 325_000 + 13 * 2_000_000;
    assert_eq!(flash.busy_ns(), expected);
    let merges = [Cause::SwitchMerge, Cause::PartialMerge, Cause::FullMerge];
    let others = [Cause::Fold, Cause::Refresh, Cause::ReadReclaim];
    let steps =
        [Cause::Collection, Cause::WriteBack, Cause::TranslationCollection, Cause::WearLevel];
    let steps = steps.into_iter().chain(others).chain(merges);
    let in_steps: u64 = steps.map(|cause| by_cause[cause as usize]).sum();
    assert_eq!(flash.busy_in_steps_ns(), in_steps);
}

#[test]
fn energy() {
    let mut flash = Serial::new(array(2, 4, Store::Metadata));
    let mut expected = 0;
    let mut spent = |flash: &Serial<_>, nj: u128| {
        expected += nj * 1_000;
        assert_eq!(flash.energy_pj(), expected);
    };
    program(&mut flash, 0, 1, 1).unwrap();
    spent(&flash, 9_900);
    read(&mut flash, 0).unwrap();
    spent(&flash, 825);
    flash.read_oob(Ppn(0), Cause::Mount).unwrap();
    spent(&flash, 825);
    flash.copy(Ppn(0), Ppn(1), 2, Cause::Collection).unwrap();
    spent(&flash, 825 + 9_900);
    flash.erase(BlockId(0), Cause::Collection).unwrap();
    spent(&flash, 66_000);
}

#[test]
fn what_fails_at_the_medium_is_charged() {
    let mut flash = Serial::new(ProgramEraseFailure::new(array(2, 4, Store::Metadata), 0));
    flash.inner_mut().fail_program_after(1);
    program(&mut flash, 0, 1, 1).unwrap();
    assert_eq!(program(&mut flash, 1, 2, 2), Err(FlashError::ProgramFailed(Ppn(1))));
    assert_eq!(flash.counts().get(Operation::Program, Cause::Host), 2);
    flash.inner_mut().fail_erase_after(0);
    let failed = FlashError::EraseFailed(BlockId(0));
    assert_eq!(flash.erase(BlockId(0), Cause::Collection), Err(failed));
    assert_eq!(read(&mut flash, 0), Err(FlashError::Uncorrectable(Ppn(0))));
    assert_eq!(flash.busy_ns(), 2 * 300_000 + 2_000_000 + 25_000);
    // Damage is not an operation.
    flash.waste(Ppn(4)).unwrap();
    flash.spoil(Ppn(4)).unwrap();
    flash.half_erase(BlockId(1)).unwrap();
    assert_eq!(flash.busy_ns(), 2 * 300_000 + 2_000_000 + 25_000);
}

#[test]
fn counts_since() {
    let mut flash = Serial::new(array(2, 4, Store::Metadata));
    program(&mut flash, 0, 1, 1).unwrap();
    let then = *flash.counts();
    program(&mut flash, 1, 1, 2).unwrap();
    flash.copy(Ppn(0), Ppn(2), 3, Cause::FullMerge).unwrap();
    let since = flash.counts().since(&then);
    assert_eq!(since.total(Operation::Program), 1);
    assert_eq!(since.get(Operation::Copy, Cause::FullMerge), 1);
    assert_eq!(flash.counts().total(Operation::Program), 2);
}

#[test]
fn what_an_array_has_worked_is_its_clock() {
    use ftlkit_flash::{BlockId, Cause, Flash, Probe, Worked, parts};
    let part = parts::by_name("samsung-large-block").unwrap();
    let geometry = part.geometry(1 << 20).unwrap();
    let array = ftlkit_flash::Array::new(geometry, part.clone(), ftlkit_flash::Store::Metadata);
    let mut flash = ftlkit_flash::Serial::new(array);
    flash.erase(BlockId(0), Cause::Host).unwrap();
    flash.erase(BlockId(1), Cause::Collection).unwrap();
    let erase = part.t_bers_ns;
    assert_eq!(flash.worked(), Worked { busy_ns: 2 * erase, steps_ns: erase });
}

/// Three kinds of page, and one-shot programming; blocks of 6 pages.
fn by_page(copies: Option<Copies>) -> Serial<Array> {
    let part = Part {
        t_r_ns: 50_000,
        t_r_by_page_ns: PageTimes::of(&[30_000, 40_000, 50_000]),
        t_prog_ns: 900_000,
        t_prog_by_page_ns: PageTimes::of(&[0, 0, 900_000]),
        copies,
        ..parts::SAMSUNG_LARGE_BLOCK.clone()
    };
    let array = Array::new(Geometry::new(6, 6, 16).unwrap(), part, Store::Metadata);
    let mut flash = Serial::new(array);
    (0..6).for_each(|page| program(&mut flash, page, page, 1).unwrap());
    flash
}

#[test]
fn a_page_takes_the_time_of_its_kind() {
    let mut flash = by_page(None);
    assert_eq!(flash.busy_ns(), 2 * 900_000);
    let mut then = flash.busy_ns();
    let mut took = |flash: &Serial<Array>| {
        let took = flash.busy_ns() - then;
        then = flash.busy_ns();
        took
    };
    for (page, ns) in [(0, 30_000), (1, 40_000), (5, 50_000), (3, 30_000)] {
        flash.read(Ppn(page), None, Cause::Host).unwrap();
        assert_eq!(took(&flash), ns, "page {page}");
    }
    // A copy takes tR of its source and tPROG of its destination.
    flash.copy(Ppn(2), Ppn(6), 2, Cause::Collection).unwrap();
    assert_eq!(took(&flash), 50_000);
    let mut lpns = [Lpn(0); 2];
    flash.copy_run(&[Ppn(0), Ppn(4)], Ppn(7), 2, Cause::Collection, &mut lpns).unwrap();
    assert_eq!(took(&flash), 30_000 + 40_000 + 900_000);
    flash.erase(BlockId(0), Cause::Collection).unwrap();
    assert_eq!(took(&flash), 2_000_000);
    // Currents times the mean over the kinds of page.
    let part = flash.part();
    assert_eq!(
        part.read_pj(),
        Part { t_r_by_page_ns: PageTimes::ALIKE, t_r_ns: 40_000, ..part.clone() }.read_pj()
    );
}

#[test]
fn a_run_of_copies_takes_the_times_of_its_pages() {
    // F and D beside the cells: 5 and 7 µs.
    let times = |path, cache_program| CopyTimes {
        path,
        cache_program,
        fetch_ns: 55_000,
        load_ns: 7_000,
        prog_ns: 900_000,
        repair_ns: 0,
    };
    for cache in [false, true] {
        let (near, far) = (times(CopyPath::Lcb, false), times(CopyPath::Gcb, cache));
        let copies = Copies { ways: 2, near, far, most_corrected_bytes: 0 };
        let from = [Ppn(0), Ppn(1), Ppn(2), Ppn(3)];
        let mut lpns = [Lpn(0); 4];
        // Within a device: F, D and tPROG one after the other, of pages 0 to 3 into 0 to 3.
        let mut flash = by_page(Some(copies));
        let then = flash.busy_ns();
        flash.copy_run(&from, Ppn(12), 2, Cause::Collection, &mut lpns).unwrap();
        assert_eq!(flash.busy_ns() - then, 35_000 + 45_000 + 55_000 + 35_000 + 4 * 7_000 + 900_000);
        // Between two: C of 42, 94, 156 µs, S₂ ends at 1056; then C₃ with cache program at 1056 + … of the source's
        // read, which the program hides.
        let mut flash = by_page(Some(copies));
        let then = flash.busy_ns();
        flash.copy_run(&from, Ppn(6), 2, Cause::Collection, &mut lpns).unwrap();
        let last = if cache { 156_000 + 900_000 } else { 156_000 + 900_000 + 7_000 };
        assert_eq!(flash.busy_ns() - then, last, "cache {cache}");
        // No longer than the longest times.
        assert!(flash.busy_ns() - then <= copies.longest_ns(4));
        // One by one.
        let mut single = by_page(Some(copies));
        let then = single.busy_ns();
        single.copy(Ppn(1), Ppn(12), 2, Cause::Collection).unwrap();
        assert_eq!(single.busy_ns() - then, 45_000 + 7_000);
    }
}

/// A TLC part of which blocks in SLC mode read in 10, program in 100 and erase in 1000 µs.
fn with_slc() -> Part {
    let slc = SlcMode { t_r_ns: 10_000, t_prog_ns: 100_000, t_bers_ns: 1_000_000 };
    Part { cell: Cell::Tlc, slc: Some(slc), ..parts::SAMSUNG_LARGE_BLOCK.clone() }
}

#[test]
fn blocks_in_slc_mode_have_times_of_their_own() {
    let geometry = Geometry::new(4, 6, 64).unwrap();
    let mut flash = Serial::new(Array::new(geometry, with_slc(), Store::Metadata));
    flash.set_slc(BlockId(1), true).unwrap();
    let mut then = 0;
    let mut took = |flash: &Serial<Array>| {
        let took = flash.busy_ns() - then;
        then = flash.busy_ns();
        took
    };
    assert_eq!(took(&flash), 0);
    let oob = |lpn| Oob::data(Lpn(lpn), 1);
    for (ppn, ns) in [(0, 300_000), (6, 100_000), (7, 100_000)] {
        flash.program(Ppn(ppn), oob(ppn), None, Cause::Host).unwrap();
        assert_eq!(took(&flash), ns, "program {ppn}");
    }
    for (ppn, ns) in [(0, 25_000), (6, 10_000)] {
        flash.read(Ppn(ppn), None, Cause::Host).unwrap();
        assert_eq!(took(&flash), ns, "read {ppn}");
    }
    // A fold reads in SLC mode and programs in the part's own.
    flash.copy(Ppn(6), Ppn(1), 2, Cause::Fold).unwrap();
    assert_eq!(took(&flash), 310_000);
    let mut lpns = [Lpn(0); 2];
    flash.copy_run(&[Ppn(6), Ppn(7)], Ppn(2), 2, Cause::Fold, &mut lpns).unwrap();
    assert_eq!(took(&flash), 620_000);
    flash.erase(BlockId(1), Cause::Fold).unwrap();
    assert_eq!(took(&flash), 1_000_000);
    flash.erase(BlockId(1), Cause::Fold).unwrap();
    assert_eq!(took(&flash), 2_000_000);
    assert_eq!(flash.counts().get(Operation::Erase, Cause::Fold), 2);
    assert_eq!(flash.busy_in_steps_ns(), 310_000 + 620_000 + 3_000_000);
}

/// On a channel the cells take the time of their block's mode when the operation was issued, and the bus is as before.
#[test]
fn operations_on_channels_keep_the_mode_in_which_they_were_issued() {
    let topology = Topology {
        channels: 1,
        ways: 1,
        dies: 1,
        planes: 1,
        blocks_per_plane: 4,
        pages_per_block: 6,
        paired_blocks: false,
    };
    let part = Part { t_rc_ns: 20, t_wc_ns: 20, ..with_slc() };
    let times = |slc: bool| {
        let geometry = Geometry::new(4, 6, part.page_bytes).unwrap();
        let array = Array::new(geometry, part.clone(), Store::Metadata);
        let timing = Timing::of(&part).unwrap();
        let mut flash = Parallel::new(array, topology, timing, Policy::Fifo, false).unwrap();
        flash.set_slc(BlockId(0), slc).unwrap();
        let mut ends = Vec::new();
        let mut task = |flash: &mut Parallel<Array>, what: &dyn Fn(&mut Parallel<Array>)| {
            flash.begin(1, flash.now_ns());
            what(flash);
            flash.end();
            let done = flash.next_done().unwrap();
            ends.push(done.done_ns - done.begun_ns);
        };
        task(&mut flash, &|flash| {
            flash.program(Ppn(0), Oob::data(Lpn(3), 1), None, Cause::Host).unwrap();
        });
        task(&mut flash, &|flash| _ = flash.read(Ppn(0), None, Cause::Host).unwrap());
        // The copy's destination is in the part's own mode; the erase ends the mode of the source.
        task(&mut flash, &|flash| {
            flash.copy(Ppn(0), Ppn(6), 2, Cause::Host).unwrap();
        });
        task(&mut flash, &|flash| flash.erase(BlockId(0), Cause::Host).unwrap());
        task(&mut flash, &|flash| flash.erase(BlockId(0), Cause::Host).unwrap());
        ends
    };
    let (own, slc) = (times(false), times(true));
    let less: Vec<u64> = own.iter().zip(&slc).map(|(own, slc)| own - slc).collect();
    assert_eq!(less, [200_000, 15_000, 15_000, 1_000_000, 0]);
}
