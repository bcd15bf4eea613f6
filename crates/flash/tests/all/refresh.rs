//! Blocks that are due for a refresh or a read reclaim, through all layers of a run's array.

use ftlkit_flash::faults::{BitErrorModel, BitErrors, RefreshCounts, RefreshLimits};
use ftlkit_flash::{
    Array, BlockId, Cause, DueBlock, Flash, Geometry, Lpn, Oob, Ppn, Probe, Serial, Store,
    WearLevel, WearRule, parts,
};

const PAGES: u32 = 4;
const DAY_NS: u64 = 86_400_000_000_000;

fn array(model: BitErrorModel, limits: RefreshLimits) -> BitErrors<Array> {
    let geometry = Geometry::new(8, PAGES, 1024).unwrap();
    let array = Array::new(geometry, parts::SAMSUNG_LARGE_BLOCK.clone(), Store::Metadata);
    BitErrors::new(array, model, 1).unwrap().with_refresh(limits)
}

fn fixed(bits_per_page: u32) -> BitErrorModel {
    BitErrorModel::Fixed { bits_per_page, ecc_bits_per_kib: 8 }
}

fn fill(flash: &mut impl Flash, block: u32) {
    for page in block * PAGES..(block + 1) * PAGES {
        flash.program(Ppn(page), Oob::data(Lpn(page), 1), None, Cause::Host).unwrap();
    }
}

#[test]
fn reads_of_all_kinds_count_until_the_erase() {
    let limits = RefreshLimits { block_reads: Some(4), ..RefreshLimits::default() };
    let mut flash = array(fixed(0), limits);
    fill(&mut flash, 0);
    flash.read(Ppn(0), None, Cause::Host).unwrap();
    flash.read_oob(Ppn(1), Cause::Mount).unwrap();
    flash.copy(Ppn(2), Ppn(PAGES), 2, Cause::Collection).unwrap();
    assert_eq!((flash.block_reads(BlockId(0)), flash.due_block()), (Some(3), None));
    // An address or an erased page that is refused is no read.
    assert!(flash.read(Ppn(7 * PAGES), None, Cause::Host).is_err());
    flash.read(Ppn(3), None, Cause::Host).unwrap();
    let due = DueBlock { block: BlockId(0), cause: Cause::ReadReclaim };
    assert_eq!(flash.due_block(), Some(due));
    flash.erase(BlockId(0), Cause::ReadReclaim).unwrap();
    assert_eq!((flash.block_reads(BlockId(0)), flash.due_block()), (Some(0), None));
    let counts = RefreshCounts { refresh: 0, reclaim: 1, waiting: 0 };
    assert_eq!(flash.refresh_counts(), Some(counts));
}

#[test]
fn as_many_bit_errors_as_the_limit_make_a_block_due() {
    for (limit, due) in [(5, false), (4, true)] {
        let limits = RefreshLimits { bits_per_kib: Some(limit), ..RefreshLimits::default() };
        let mut flash = array(fixed(4), limits);
        fill(&mut flash, 2);
        flash.read(Ppn(2 * PAGES), None, Cause::Host).unwrap();
        let named = DueBlock { block: BlockId(2), cause: Cause::Refresh };
        assert_eq!(flash.due_block(), due.then_some(named));
    }
}

/// Wear levelling moves data below the scheme: what is due is told by the scheme's block, whose data it holds.
#[test]
fn blocks_are_named_as_the_scheme_knows_them() {
    let limits = RefreshLimits { age_s: Some(86_400), ..RefreshLimits::default() };
    let mut flash =
        WearLevel::new(Serial::new(array(fixed(0), limits)), Some(WearRule::Gap(1)), 1, 1);
    flash.set_now_ns(0);
    fill(&mut flash, 1);
    flash.set_now_ns(DAY_NS / 2);
    // Block 0 is worn until the data of block 1 move into it.
    while flash.swaps() == 0 {
        fill(&mut flash, 0);
        flash.erase(BlockId(0), Cause::Collection).unwrap();
    }
    let physical = flash.physical(BlockId(1));
    assert_ne!(physical, BlockId(1));
    // They were programmed again half a day later.
    flash.set_now_ns(DAY_NS);
    assert_eq!((flash.due_block(), flash.next_due_ns()), (None, DAY_NS / 2 * 3));
    flash.set_now_ns(DAY_NS / 2 * 3);
    let due = DueBlock { block: BlockId(1), cause: Cause::Refresh };
    assert_eq!(flash.due_block(), Some(due));
    // It waits behind no other, and ends its turn by that name.
    flash.end_turn(BlockId(1), false);
    assert_eq!(flash.due_block(), Some(due));
    flash.end_turn(BlockId(1), true);
    assert_eq!(flash.due_block(), None);
}
