//! Serial time: sums, counts and energy, by cause, to the nanosecond.

use crate::common::{array, program, read};
use ftlkit_flash::faults::{ProgramEraseFailure, Tearable};
use ftlkit_flash::{
    BlockId, Cause, Counts, Flash, FlashError, Lpn, Oob, Operation, Ppn, Serial, Store,
};

/// tR, tR of the OOB, tPROG, copy, tBERS of the tests' part, ns.
const TIMES: [u64; 5] = [25_000, 25_000, 300_000, 325_000, 2_000_000];

#[test]
fn sums_by_cause() {
    let mut flash = Serial::new(array(8, 8, Store::Metadata));
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
            flash.erase(BlockId(7), cause).unwrap();
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
    assert_eq!(flash.erase_count(BlockId(7)), 9);
    // 65 page reads and 90 OOB reads; 10 programs and 45 copies; 9 erases.
    assert_eq!(flash.busy_ns(), (65 + 90) * 25_000 + 10 * 300_000 + 45 * 325_000 + 9 * 2_000_000);
    let merges = [Cause::SwitchMerge, Cause::PartialMerge, Cause::FullMerge];
    let steps =
        [Cause::Collection, Cause::WriteBack, Cause::TranslationCollection, Cause::WearLevel];
    let steps = steps.into_iter().chain(merges);
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
