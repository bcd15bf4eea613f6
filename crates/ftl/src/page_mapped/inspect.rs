//! State of a page-mapped scheme for displays and checkers.

use super::core::LOST;
use super::frontiers::Frontier;
use super::space::Space;
use super::tables::{BlockInfo, Tables, UNMAPPED};
use crate::inspection::{BlockUse, Inspection, List, Place};
use crate::victims::Victims;
use alloc::vec::Vec;
use flash::{BlockId, Item, Lpn, Ppn};

/// Place that a map entry names.
pub(crate) fn place(entry: u32) -> Place {
    match entry {
        UNMAPPED => Place::Unmapped,
        LOST => Place::Lost,
        ppn => Place::Flash(Ppn(ppn)),
    }
}

/// State of a page-mapped scheme with these uses of blocks and this block under collection.
pub(super) fn state<V: Victims, T: Tables>(
    space: &Space<V, T>,
    mut blocks: Vec<BlockUse>,
    victim: Option<BlockId>,
) -> Inspection {
    let entry = |lpn: u32| place(space.blocks.get(Lpn(lpn)));
    let map = (0..space.blocks.logical_pages()).map(entry).collect();
    mark(&mut blocks, space.frontiers.open_for_copies(), BlockUse::COPY_FRONTIER);
    let mut lists = lists(space);
    lists.push(List::of_blocks("victim", "The block under collection.", victim).holding(1));
    if let Some(cache) = &space.cache {
        mark(&mut blocks, cache.open(), BlockUse::SLC);
        cache.full().for_each(|block| blocks[block.0 as usize] = BlockUse::new(BlockUse::SLC));
        let folding = cache.folding.map(|(block, _)| block);
        let next = "Next page of each open block of the SLC cache.";
        let full = "Full blocks of the SLC cache, the longest full first.";
        let fold = "The block of the SLC cache that is being folded.";
        lists.extend([
            next_pages("SLC frontiers", next, cache.open()),
            List::of_blocks("SLC blocks to fold", full, cache.full()),
            List::of_blocks("fold", fold, folding).holding(1),
        ]);
    }
    let in_use = |role| ![BlockUse::FREE, BlockUse::BAD, BlockUse::SLC].contains(&role);
    let placed = space.placing.as_ref().map_or(Vec::new(), |placing| {
        let uses = (0..).map(BlockId).zip(&blocks);
        uses.map(|(block, of)| in_use(of.role).then(|| placing.placed(block))).collect()
    });
    Inspection { map, blocks, placed, lists, ..Inspection::default() }
}

fn mark(blocks: &mut [BlockUse], open: impl Iterator<Item = Frontier>, role: &'static str) {
    open.for_each(|frontier| blocks[frontier.block.0 as usize] = BlockUse::new(role));
}

fn next_pages(
    name: &'static str,
    help: &'static str,
    open: impl Iterator<Item = Frontier>,
) -> List {
    List::new(name, help, open.map(|frontier| Item::Page(Ppn(frontier.next))).collect())
}

/// Lists of a space: of a whole array, or of one area of it.
pub(crate) fn lists<V: Victims, T: BlockInfo>(space: &Space<V, T>) -> Vec<List> {
    let frontiers = &space.frontiers;
    let mut lists = alloc::vec![
        List::count(
            "free pages",
            "Pages that can be programmed without an erase.",
            space.free_pages,
        ),
        List::count(
            "threshold",
            "Free pages below which collection begins.",
            space.log.threshold_pages,
        ),
        next_pages("frontiers", "Next page of each open block.", frontiers.open()),
        List::of_blocks(
            "free blocks",
            "Erased blocks in the order in which they are opened.",
            frontiers.free_queues(),
        ),
    ];
    lists.extend(space.victims.lists());
    if let Some(groups) = &space.groups {
        lists.push(List::new(
            "valid pages of groups",
            "Valid pages of each reclaim group; beyond its limit a group gives its writes to others.",
            groups.valid.iter().map(|valid| Item::Count(u64::from(*valid))).collect(),
        ));
    }
    let retiring = space.retiring.iter().map(BlockId);
    if !space.retiring.is_empty() {
        lists.push(List::of_blocks(
            "retiring blocks",
            "Blocks in which a program failed: marked bad after their collection.",
            retiring,
        ));
    }
    lists
}
