//! The power fails at every operation in turn. The remaining state is exactly the documented one.

use crate::common::{Snapshot, array, page, program, read, snapshot};
use ftlkit_flash::faults::{PowerCut, Tearable};
use ftlkit_flash::{Array, BlockId, Cause, Flash, FlashError, Lpn, Oob, Ppn, Probe, Serial, Store};

const HOST: Cause = Cause::Host;
const PER_BLOCK: u32 = 3;

/// A changing operation of the workload.
#[derive(Clone, Copy, Debug)]
enum Change {
    Program(u32),
    Copy(u32, u32),
    Erase(u32),
}

use Change::{Erase, Program};

/// Fills blocks, copies within and across them, erases, and writes again, on 3 blocks of 3 pages.
const WORKLOAD: &[Change] = &[
    Program(0),
    Program(1),
    Program(2),
    Change::Copy(1, 3),
    Program(4),
    Change::Copy(3, 5),
    Erase(0),
    Program(0),
    Change::Copy(5, 1),
    Erase(1),
    Erase(2),
    Change::Copy(1, 3),
    Program(6),
];

fn apply(flash: &mut impl Flash, change: Change, version: u64) -> Result<(), FlashError> {
    match change {
        Program(ppn) => program(flash, ppn, 100 + ppn, version),
        Change::Copy(from, to) => flash.copy(Ppn(from), Ppn(to), version, HOST).map(|_| ()),
        Erase(block) => flash.erase(BlockId(block), HOST),
    }
}

/// The array after the first `count` operations without a fault.
fn after(count: usize) -> Array {
    let mut flash = array(3, PER_BLOCK, Store::All);
    for (version, change) in WORKLOAD[..count].iter().enumerate() {
        apply(&mut flash, *change, version as u64).unwrap();
    }
    flash
}

/// State after a torn operation: its page is lost, or its block.
fn torn(mut state: Snapshot, change: Change) -> Snapshot {
    let lost = match change {
        Program(ppn) | Change::Copy(_, ppn) => ppn..ppn + 1,
        Erase(block) => block * PER_BLOCK..(block + 1) * PER_BLOCK,
    };
    for ppn in lost {
        state.pages[ppn as usize] = Err(FlashError::Uncorrectable(Ppn(ppn)));
    }
    state
}

#[test]
fn cut_at_every_operation() {
    for tear in [false, true] {
        for (cut, last) in WORKLOAD.iter().enumerate() {
            let mut flash = PowerCut::new(array(3, PER_BLOCK, Store::All));
            flash.cut_after(cut as u64, tear);
            for (version, change) in WORKLOAD.iter().enumerate() {
                // Reads are not changing operations: any number of them leaves the cut where it is.
                let expected = if version > cut { Err(FlashError::PowerOff) } else { Ok(()) };
                match read(&mut flash, 0) {
                    Err(FlashError::PowerOff) => assert!(expected.is_err()),
                    _ => assert!(expected.is_ok()),
                }
                let expected = if version < cut { Ok(()) } else { Err(FlashError::PowerOff) };
                assert_eq!(apply(&mut flash, *change, version as u64), expected);
                assert_eq!(flash.is_off(), version >= cut);
            }
            assert_eq!(flash.changes(), cut as u64);
            everything_fails(&mut flash);
            flash.restore();
            assert!(!flash.is_off());
            let clean = snapshot(&mut after(cut));
            let expected = if tear { torn(clean, *last) } else { clean };
            assert_eq!(snapshot(&mut flash), expected, "{last:?} torn: {tear}");
        }
    }
}

fn everything_fails(flash: &mut PowerCut<Array>) {
    let off = FlashError::PowerOff;
    for ppn in 0..9 {
        assert_eq!(read(flash, ppn), Err(off));
        assert_eq!(flash.read_oob(Ppn(ppn), HOST), Err(off));
        assert_eq!(program(flash, ppn, 0, 0), Err(off));
        assert_eq!(flash.copy(Ppn(0), Ppn(ppn), 0, HOST), Err(off));
        assert_eq!(flash.peek_lpn(Ppn(ppn)), None);
        assert_eq!(flash.waste(Ppn(ppn)), Err(off));
        assert_eq!(flash.spoil(Ppn(ppn)), Err(off));
    }
    for block in 0..3 {
        assert_eq!(flash.erase(BlockId(block), HOST), Err(off));
        assert_eq!(flash.half_erase(BlockId(block)), Err(off));
        assert_eq!(flash.mark_bad(BlockId(block)), Err(off));
        assert!(!flash.is_bad(BlockId(block)));
    }
}

#[test]
fn torn_page_is_used_up_and_torn_block_is_erased_again() {
    let mut flash = PowerCut::new(after(3));
    flash.cut_after(0, true);
    assert_eq!(program(&mut flash, 3, 1, 9), Err(FlashError::PowerOff));
    flash.restore();
    let order = FlashError::ProgramOrder { ppn: Ppn(3), next: 1 };
    assert_eq!(program(&mut flash, 3, 1, 9), Err(order));
    program(&mut flash, 4, 2, 9).unwrap();
    flash.cut_after(0, true);
    assert_eq!(flash.erase(BlockId(0), HOST), Err(FlashError::PowerOff));
    flash.restore();
    let order = FlashError::ProgramOrder { ppn: Ppn(0), next: 3 };
    assert_eq!(program(&mut flash, 0, 1, 10), Err(order));
    flash.erase(BlockId(0), HOST).unwrap();
    program(&mut flash, 0, 1, 10).unwrap();
    assert_eq!(read(&mut flash, 0), Ok((Oob::data(Lpn(1), 10), page(10))));
}

#[test]
fn refused_operations_take_no_number() {
    let mut flash = PowerCut::new(after(3));
    flash.cut_after(1, true);
    assert!(matches!(program(&mut flash, 0, 1, 9), Err(FlashError::ProgramOrder { .. })));
    assert_eq!(flash.copy(Ppn(8), Ppn(3), 9, HOST), Err(FlashError::Erased(Ppn(8))));
    assert_eq!(flash.erase(BlockId(3), HOST), Err(FlashError::NoSuchBlock(BlockId(3))));
    assert_eq!(flash.changes(), 0);
    program(&mut flash, 3, 1, 9).unwrap();
    // The cut comes at the next operation that is not refused. Those refused before it still are, and the power
    // stays on.
    assert!(matches!(program(&mut flash, 0, 1, 9), Err(FlashError::ProgramOrder { .. })));
    let short = flash.program(Ppn(4), Oob::data(Lpn(1), 9), Some(&[1]), HOST);
    assert!(matches!(short, Err(FlashError::PayloadLength { .. })));
    assert_eq!(flash.copy(Ppn(8), Ppn(4), 9, HOST), Err(FlashError::Erased(Ppn(8))));
    assert_eq!(flash.erase(BlockId(3), HOST), Err(FlashError::NoSuchBlock(BlockId(3))));
    assert!(!flash.is_off());
    assert_eq!(program(&mut flash, 4, 1, 9), Err(FlashError::PowerOff));
    assert!(flash.is_off());
}

#[test]
fn restore_drops_a_plan_and_a_later_plan_replaces_it() {
    let mut flash = PowerCut::new(array(3, PER_BLOCK, Store::All));
    flash.cut_after(3, false);
    flash.cut_after(1, true);
    flash.restore();
    for (version, change) in WORKLOAD.iter().enumerate() {
        if version == 4 {
            flash.cut_after(2, false);
            flash.cut_after(u64::MAX, false);
        }
        apply(&mut flash, *change, version as u64).unwrap();
    }
    assert_eq!(flash.changes(), WORKLOAD.len() as u64);
    assert_eq!(snapshot(&mut flash.into_inner()), snapshot(&mut after(WORKLOAD.len())));
}

#[test]
fn a_cut_tears_through_serial_and_is_not_charged() {
    for (change, lost) in
        [(Program(3), vec![3]), (Change::Copy(0, 3), vec![3]), (Erase(0), vec![0, 1, 2])]
    {
        let mut flash = PowerCut::new(Serial::new(after(3)));
        flash.cut_after(0, true);
        assert_eq!(apply(&mut flash, change, 9), Err(FlashError::PowerOff));
        // A copy is torn in its program, so its read was done.
        let read_ns = if matches!(change, Change::Copy(..)) { 25_000 } else { 0 };
        assert_eq!(flash.inner().busy_ns(), read_ns);
        flash.restore();
        for ppn in 0..9 {
            let torn = read(&mut flash, ppn) == Err(FlashError::Uncorrectable(Ppn(ppn)));
            assert_eq!(torn, lost.contains(&ppn), "{change:?}: page {ppn}");
        }
    }
}
