//! What `block-per-page` tells an observer: its victims, and its state for `ftlkit explain`.

use crate::block_per_page::Place;
use ftlkit::flash::{BlockId, Cause, Event, Item, Probe};
use ftlkit::ftl::{self, BlockUse, Inspection, List};
use std::collections::VecDeque;

/// Reports a block that collection is about to erase. Where nobody observes the array this compiles to nothing.
pub(crate) fn erase<F: Probe>(flash: &mut F, block: BlockId, cause: Cause) {
    if cause == Cause::Collection {
        let caption = "victim: block {block}, whose only page was overwritten or trimmed";
        flash.event(&Event::new("victim", caption, &[("block", Item::Block(block))]));
    }
}

/// Place of each logical page, use of each block, and the free blocks in their order.
pub(crate) fn state<F: Probe>(flash: &F, places: &[Place], free: &VecDeque<BlockId>) -> Inspection {
    let holds = |block| places.iter().flatten().any(|(_, held)| *held == block);
    let use_of = |block| {
        BlockUse::new(match (flash.is_bad(block), holds(block)) {
            (true, _) => BlockUse::BAD,
            (_, true) => BlockUse::FULL,
            _ => BlockUse::FREE,
        })
    };
    let place = |place: &Place| match *place {
        Some((_, block)) => ftl::Place::Flash(flash.geometry().ppn(block, 0)),
        None => ftl::Place::Unmapped,
    };
    Inspection {
        map: places.iter().map(place).collect(),
        blocks: (0..flash.geometry().blocks()).map(BlockId).map(use_of).collect(),
        lists: vec![List::of_blocks(
            "free blocks",
            "The first takes the next write.",
            free.clone(),
        )],
        ..Inspection::default()
    }
}
