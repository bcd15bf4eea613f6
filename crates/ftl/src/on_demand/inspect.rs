//! State for displays and checkers.

use super::cmt;
use super::core::OnDemandCore;
use super::medium::Area;
use crate::inspection::{BlockUse, Inspection, List, Place, Uses};
use crate::page_mapped::inspect::{lists, place};
use crate::page_mapped::tables::UNMAPPED;
use alloc::{vec, vec::Vec};
use flash::{BlockId, Item, Ppn, Probe};

/// Names of the lists of the translation area, by those of the data area.
const TRANSLATION: [(&str, &str); 5] = [
    ("free pages", "free translation pages"),
    ("threshold", "translation threshold"),
    ("frontiers", "translation frontiers"),
    ("free blocks", "free translation blocks"),
    ("candidates", "translation candidates"),
];

impl<F: Probe> OnDemandCore<F> {
    /// Map, use of blocks, and lists.
    pub(super) fn inspect(&self, data_victim: Option<BlockId>) -> Inspection {
        let mut uses = Uses::new(&self.medium.flash);
        let translation_victim = self.translation_victim.victim;
        set_uses(&mut uses, &self.data, data_victim, [BlockUse::FRONTIER, BlockUse::FULL]);
        let role = BlockUse::TRANSLATION;
        set_uses(&mut uses, &self.translation, translation_victim, [role, role]);
        uses.all(self.medium.spares.iter(), BlockUse::SPARE);
        Inspection {
            map: self.places(),
            blocks: uses.done(),
            lists: self.lists(data_victim),
            ..Inspection::default()
        }
    }

    /// The map: cached entries, those of moved pages, and otherwise the valid data pages, to which the entries in
    /// translation pages point. Their LPNs are asked of the array, which tells them without a read. Pages lost before their entries
    /// left the cache count as unmapped.
    fn places(&self) -> Vec<Place> {
        let mut map = vec![Place::Unmapped; self.logical_pages as usize];
        let geometry = *self.medium.geometry();
        for block in (0..geometry.blocks()).map(BlockId) {
            // Pages of an open block that are not programmed count as valid already.
            let open = self.data.frontiers.open().find(|frontier| frontier.block == block);
            let end = open.map_or(u32::MAX, |frontier| frontier.next);
            let pages = valid_pages(&self.data, block).map(|page| geometry.ppn(block, page));
            for ppn in pages.take_while(|ppn| ppn.0 < end) {
                let lpn = self.medium.flash.peek_lpn(ppn);
                if let Some(entry) = lpn.and_then(|lpn| map.get_mut(lpn.0 as usize)) {
                    *entry = Place::Flash(ppn);
                }
            }
        }
        let moved = self.moved.iter().map(|(lpn, ppn)| (*lpn, ppn.0));
        for (lpn, ppn) in self.cmt.entries().chain(moved) {
            map[lpn.0 as usize] = place(ppn);
        }
        map
    }

    fn lists(&self, data_victim: Option<BlockId>) -> Vec<List> {
        let mut all = self.cmt.lists();
        let at = |ppn: &u32| match *ppn {
            UNMAPPED => Item::Word("none"),
            ppn => Item::Page(Ppn(ppn)),
        };
        let help =
            "Page of each translation page, by number: the global translation directory (GTD).";
        all.push(List::new("GTD", help, self.directory.iter().map(at).collect()));
        if !self.moved.is_empty() {
            let moved = self.moved.iter().map(|(lpn, ppn)| cmt::entry(*lpn, ppn.0)).collect();
            let help = "Entries of moved pages that are not cached, before their translation pages are rewritten.";
            all.push(List::new("moved entries", help, moved));
        }
        all.extend(lists(&self.data));
        all.extend(lists(&self.translation).into_iter().filter_map(|list| {
            let (_, name) = TRANSLATION.iter().find(|(known, _)| *known == list.name)?;
            Some(List { name, ..list })
        }));
        let victims = [
            ("victim", "The data block under collection.", data_victim),
            (
                "translation victim",
                "The block of translation pages under collection.",
                self.translation_victim.victim,
            ),
        ];
        all.extend(
            victims.map(|(name, help, victim)| List::of_blocks(name, help, victim).holding(1)),
        );
        let spares = self.medium.spares.queue();
        all.push(List::of_blocks(
            "spare blocks",
            "Erased blocks in reserve for both areas.",
            spares,
        ));
        all
    }
}

fn valid_pages(area: &Area, block: BlockId) -> impl Iterator<Item = u32> + '_ {
    let first = area.blocks.next_valid(block, 0);
    core::iter::successors(first, move |page| area.blocks.next_valid(block, page + 1))
}

/// Sets the uses of the blocks of an area: the open and the full ones have these roles.
fn set_uses(
    uses: &mut Uses,
    area: &Area,
    victim: Option<BlockId>,
    [open, full]: [&'static str; 2],
) {
    uses.all(area.frontiers.free(), BlockUse::FREE);
    let for_copies: Vec<BlockId> =
        area.frontiers.open_for_copies().map(|frontier| frontier.block).collect();
    for frontier in area.frontiers.open() {
        let copies = for_copies.contains(&frontier.block) && open == BlockUse::FRONTIER;
        let role = if copies { BlockUse::COPY_FRONTIER } else { open };
        uses.set(frontier.block, BlockUse::new(role));
    }
    uses.all(area.victims.candidates(), full);
    uses.all(victim, BlockUse::VICTIM);
}
