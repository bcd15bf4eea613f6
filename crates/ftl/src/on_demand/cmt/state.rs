//! The table's part of a state.

use super::Cmt;
use crate::on_demand::state::Words;
use flash::{Lpn, Probe};

impl Cmt {
    /// Tells which entries are there, in the orders by which they go; slots have no names.
    pub(crate) fn tell_state<F: Probe>(&self, words: &mut Words<'_, F>) {
        let lpn = |slot: u32| Lpn(self.slots[slot as usize].lpn);
        for queue in self.recency.oldest_first(&self.slots) {
            queue.into_iter().for_each(|slot| words.lpn(lpn(slot)));
            words.end();
        }
        for page in self.pages.fullest_first() {
            words.translation_page(page);
            self.pages.slots(&self.slots, page).for_each(|slot| words.lpn(lpn(slot)));
            words.end();
        }
        words.number(self.slots.len() as u32);
    }
}
