//! The state on which GFTL's next operations depend, as words for a search of all states.
//!
//! Physical blocks have no names here: a data block is named by its logical block, a queue block by its live pages.
//! Left out: stamps and positions, which only a mount reads; the pages' bytes; statistics.

use super::collection_queue::CollectionQueue;
use super::state::{Gftl, LOST, NONE};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use flash::{BlockId, Ppn, Probe};

/// Ends a list; all names and counts are smaller.
const END: u32 = u32::MAX;

impl<F: Probe, Q: CollectionQueue> Gftl<F, Q> {
    /// All words; see the module header.
    pub(super) fn words(&self) -> Vec<u32> {
        let mut words = Vec::new();
        for (logical, entry) in (0..).zip(&self.logical) {
            let marks = [entry.block != NONE, entry.queued, entry.closed, entry.certain];
            words.extend(marks.map(u32::from));
            words.extend([entry.next, entry.invalid]);
            words.extend(self.written(entry.block, entry.next));
            if self.collection.logical == logical && self.collection.old != entry.block {
                words.extend(self.written(self.collection.old, self.pages_of_old()));
            }
        }
        self.queued(&mut words);
        self.waiting.tell_state(&mut words);
        words.push(END);
        words.extend([self.pool.len(), self.area.len() as u32, self.area_valid.into()]);
        words.extend(self.area.iter().map(|block| block.written));
        self.in_progress(&mut words);
        words
    }

    fn pages_of_old(&self) -> u32 {
        self.geometry().pages_per_block() - self.collection.old_unwritten
    }

    /// The LPNs of the first pages of a block.
    fn written(&self, block: u32, pages: u32) -> impl Iterator<Item = u32> + '_ {
        let pages = if block == NONE { 0 } else { pages };
        let lpn = move |page| self.flash.peek_lpn(self.geometry().ppn(BlockId(block), page));
        (0..pages).map(move |page| lpn(page).map_or(END, |lpn| lpn.0)).chain([END])
    }

    /// The write queue: its pages, grouped by block. Full blocks differ only in their live pages.
    fn queued(&self, words: &mut Vec<u32>) {
        let mut blocks: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let open = self.queue.open.map_or(NONE, |open| open.block.0);
        for (at, place) in (0..).zip(&self.place) {
            words.push(if *place < LOST { 0 } else { *place });
            if *place < LOST {
                let (block, _) = self.geometry().split(Ppn(*place));
                blocks.entry(block.0).or_default().push(at);
            }
        }
        words.extend([self.queue.used(), self.queue.open.map_or(END, |open| open.next)]);
        words.extend(blocks.remove(&open).unwrap_or_default());
        let mut full: Vec<Vec<u32>> = blocks.into_values().collect();
        full.sort_unstable();
        for live in full {
            words.push(END);
            words.extend(live);
        }
        words.extend([END, self.queue.dead().len() as u32, self.queue.has_unwritten().into()]);
    }

    fn in_progress(&self, words: &mut Vec<u32>) {
        let collection = &self.collection;
        words.extend([collection.state as u32, collection.logical, collection.cursor]);
        words.extend([collection.missing, collection.unreadable, collection.new_next]);
        words.push(collection.held);
        words.extend(collection.found.map(|(_, page)| page).into_iter().chain([END]));
        let marks = [
            collection.again,
            collection.searching,
            collection.new != NONE,
            collection.old != NONE,
        ];
        words.extend(marks.map(u32::from));
        words.extend(collection.flags.iter().map(|flags| u32::from(*flags)));
        words.push(collection.failed.len() as u32);
        // The source of a found page: the queue, or the old block.
        let in_queue = |(ppn, _): (Ppn, u32)| self.place.contains(&ppn.0);
        words.push(collection.found.is_some_and(in_queue).into());
    }
}
