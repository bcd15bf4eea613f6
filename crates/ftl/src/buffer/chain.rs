//! Slots in orders of use, linked through an array: no operation searches or allocates.

use alloc::{vec, vec::Vec};

/// No slot.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Links {
    newer: u32,
    older: u32,
}

/// The links of all lists that share one set of slots. A slot is in at most one list.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    links: Vec<Links>,
}

/// The ends of one list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    newest: u32,
    oldest: u32,
}

impl List {
    pub(crate) const EMPTY: Self = Self { newest: NONE, oldest: NONE };

    pub(crate) fn oldest(&self) -> Option<u32> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    pub(crate) fn newest(&self) -> Option<u32> {
        (self.newest != NONE).then_some(self.newest)
    }

    /// True if the list has at most one slot.
    pub(crate) fn is_single(&self) -> bool {
        self.newest == self.oldest
    }
}

impl Chain {
    pub(crate) fn new(slots: u32) -> Self {
        Self { links: vec![Links { newer: NONE, older: NONE }; slots as usize] }
    }

    pub(crate) fn older(&self, slot: u32) -> Option<u32> {
        let older = self.links[slot as usize].older;
        (older != NONE).then_some(older)
    }

    pub(crate) fn newer(&self, slot: u32) -> Option<u32> {
        let newer = self.links[slot as usize].newer;
        (newer != NONE).then_some(newer)
    }

    /// The slots of a list, the oldest first.
    pub(crate) fn oldest_first(&self, list: &List) -> impl Iterator<Item = u32> + use<'_> {
        core::iter::successors(list.oldest(), |slot| self.newer(*slot))
    }

    /// Inserts a slot that is in no list between two neighbours, either of which may be [`NONE`].
    fn link(&mut self, list: &mut List, slot: u32, newer: u32, older: u32) {
        self.links[slot as usize] = Links { newer, older };
        match newer {
            NONE => list.newest = slot,
            _ => self.links[newer as usize].older = slot,
        }
        match older {
            NONE => list.oldest = slot,
            _ => self.links[older as usize].newer = slot,
        }
    }

    pub(crate) fn push_newest(&mut self, list: &mut List, slot: u32) {
        self.link(list, slot, NONE, list.newest);
    }

    pub(crate) fn push_oldest(&mut self, list: &mut List, slot: u32) {
        self.link(list, slot, list.oldest, NONE);
    }

    /// Inserts a slot next to `neighbour` on the newer side, or as the oldest without one.
    pub(crate) fn push_above(&mut self, list: &mut List, slot: u32, neighbour: Option<u32>) {
        match neighbour {
            None => self.push_oldest(list, slot),
            Some(older) => self.link(list, slot, self.links[older as usize].newer, older),
        }
    }

    pub(crate) fn remove(&mut self, list: &mut List, slot: u32) {
        let Links { newer, older } = self.links[slot as usize];
        match newer {
            NONE => list.newest = older,
            _ => self.links[newer as usize].older = older,
        }
        match older {
            NONE => list.oldest = newer,
            _ => self.links[older as usize].newer = newer,
        }
    }

    /// Makes a slot the newest of its list.
    pub(crate) fn renew(&mut self, list: &mut List, slot: u32) {
        if list.newest != slot {
            self.remove(list, slot);
            self.push_newest(list, slot);
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.links.capacity() * size_of::<Links>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(chain: &Chain, list: &List) -> Vec<u32> {
        let older = |slot: &u32| chain.older(*slot);
        core::iter::successors(list.newest(), older).collect()
    }

    #[test]
    fn slots_keep_their_order() {
        let (mut chain, mut list) = (Chain::new(6), List::EMPTY);
        (0..4).for_each(|slot| chain.push_newest(&mut list, slot));
        chain.push_oldest(&mut list, 4);
        assert_eq!(order(&chain, &list), [3, 2, 1, 0, 4]);
        chain.renew(&mut list, 1);
        chain.renew(&mut list, 1);
        assert_eq!(order(&chain, &list), [1, 3, 2, 0, 4]);
        chain.push_above(&mut list, 5, Some(2));
        assert_eq!(order(&chain, &list), [1, 3, 5, 2, 0, 4]);
        [1, 5, 4].into_iter().for_each(|slot| chain.remove(&mut list, slot));
        assert_eq!(order(&chain, &list), [3, 2, 0]);
        assert_eq!((list.newest(), list.oldest()), (Some(3), Some(0)));
        chain.push_above(&mut list, 4, None);
        chain.push_above(&mut list, 1, Some(3));
        assert_eq!(order(&chain, &list), [1, 3, 2, 0, 4]);
        [1, 3, 2, 0].into_iter().for_each(|slot| chain.remove(&mut list, slot));
        assert!(list.is_single() && list.oldest() == Some(4));
        chain.remove(&mut list, 4);
        assert!(list.oldest().is_none() && list.newest().is_none());
    }
}
