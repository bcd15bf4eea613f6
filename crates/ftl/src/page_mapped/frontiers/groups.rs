//! Frontiers whose units are reclaim groups: the host names the group of a page, and copies stay in the group of their
//! victim.
//!
//! ```text
//! a page of class c and group g:  the open block of c in g, or a free one if more are free in g than are kept
//!                                 else the open block in g of the next class that has any, copies' classes first
//!                                 else a free block of g
//!                                 else the first of these in the next groups that takes no block that is kept
//!                                 else a free block of the next group that has one
//! ```
//!
//! The last two lines are for pages that failed programs leave without room in their group.

use super::{CLASSES, Choice, Frontiers};

impl Frontiers {
    /// Makes the units reclaim groups. They are in the order of their numbers.
    pub(crate) fn bind_to_groups(&mut self) {
        self.near = true;
        self.group = Some(0);
    }

    /// The group to which host pages go; `None` if units are no groups.
    #[inline]
    pub(crate) fn group(&self) -> Option<usize> {
        self.group
    }

    /// Sets the group of the next host page, if units are groups: it is the group's turn.
    pub(crate) fn aim_group(&mut self, group: usize) {
        if self.group.is_some() {
            self.group = Some(group);
            self.at = [group; CLASSES];
        }
    }

    /// Free blocks of the unit at this place.
    #[inline]
    pub(crate) fn free_of(&self, place: usize) -> usize {
        self.units[place].len()
    }

    /// Pages that can be programmed in open blocks at this place.
    pub(crate) fn open_room_of(&self, place: usize) -> u64 {
        let open = self.open[place * self.classes..][..self.classes].iter().flatten();
        let waiting = self.waiting.iter().filter(|waiting| self.place_of(waiting.block) == place);
        open.chain(waiting).map(|frontier| u64::from(frontier.room())).sum()
    }

    /// Destination of a page whose first choice has no open block: see the module.
    pub(super) fn find_in_groups(&self, first: Choice) -> Option<Choice> {
        let of_place = |place| {
            let of = |class| Choice::of(place, class, first.turn);
            let goes_on = self.open_of(place, first.class()).is_some() || self.is_waiting(place);
            if goes_on || self.units[place].len() > self.kept {
                return Some(of(first.class()));
            }
            let mut others = (self.hosts..self.classes).chain(0..self.hosts);
            let open = others.find(|class| self.open_of(place, *class).is_some());
            let may_take = place == first.place() && self.has_free(place);
            open.or_else(|| may_take.then_some(first.class())).map(of)
        };
        let mut places = self.places_from(first.place());
        places.clone().find_map(of_place).or_else(|| {
            let place = places.find(|place| self.has_free(*place))?;
            Some(Choice::of(place, first.class(), first.turn))
        })
    }
}
