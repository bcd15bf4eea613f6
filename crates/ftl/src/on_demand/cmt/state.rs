//! The table's part of a state.

use super::Cmt;
use flash::Lpn;

/// A word of the state. The owner of the other parts gives pages their names.
pub(crate) enum StateWord {
    Lpn(Lpn),
    TranslationPage(u32),
    Number(u32),
    /// The end of a list.
    End,
}

impl Cmt {
    /// Tells which entries are there, in the orders by which they go; slots have no names.
    pub(crate) fn tell_state(&self, mut tell: impl FnMut(StateWord)) {
        let lpn = |slot: u32| StateWord::Lpn(Lpn(self.slots[slot as usize].lpn));
        for queue in self.recency.oldest_first(&self.slots) {
            queue.into_iter().map(lpn).for_each(&mut tell);
            tell(StateWord::End);
        }
        for page in self.pages.fullest_first() {
            tell(StateWord::TranslationPage(page));
            self.pages.slots(&self.slots, page).map(lpn).for_each(&mut tell);
            tell(StateWord::End);
        }
        tell(StateWord::Number(self.slots.len() as u32));
    }
}
