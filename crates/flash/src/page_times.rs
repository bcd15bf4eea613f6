//! Times that depend on the kind of page: LSB, CSB and MSB pages of one word line; one-shot programming.

use crate::time::Ns;
use alloc::vec::Vec;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A time for each kind of page; page `p` of a block is of kind `p mod` [`PageTimes::kinds`].
///
/// As data it is a list of times in ns: `[50000, 75000, 100000]` for LSB, CSB and MSB pages in turn. Empty: every
/// page takes the part's one time. One-shot programming of a word line of three pages has the whole tPROG with its
/// last page: `[0, 0, 2000000]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageTimes {
    ns: [Ns; Self::MOST],
    kinds: u8,
}

impl PageTimes {
    /// Most kinds of page.
    pub const MOST: usize = 16;

    /// No times: every page is alike.
    pub const ALIKE: Self = Self { ns: [0; Self::MOST], kinds: 0 };

    /// Times of the kinds of page in turn.
    ///
    /// # Panics
    /// With more than [`PageTimes::MOST`] kinds.
    pub const fn of(times: &[Ns]) -> Self {
        let mut out = Self::ALIKE;
        while (out.kinds as usize) < times.len() {
            out.ns[out.kinds as usize] = times[out.kinds as usize];
            out.kinds += 1;
        }
        out
    }

    /// True if every page takes the part's one time.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.kinds == 0
    }

    /// Number of kinds; 0 if every page is alike.
    #[inline]
    pub fn kinds(&self) -> u32 {
        self.kinds.into()
    }

    /// The times, in order of the kinds.
    pub fn as_slice(&self) -> &[Ns] {
        &self.ns[..usize::from(self.kinds)]
    }

    /// Time of a page of a block, or `alike` if every page takes that.
    #[inline]
    pub fn of_page(&self, page: u32, alike: Ns) -> Ns {
        match self.kinds {
            0 => alike,
            kinds => self.ns[(page % u32::from(kinds)) as usize],
        }
    }

    /// The longest time, if there are any.
    pub fn longest(&self) -> Option<Ns> {
        self.as_slice().iter().copied().max()
    }

    /// Mean over the kinds, or `alike`.
    pub fn mean(&self, alike: Ns) -> Ns {
        let sum: Ns = self.as_slice().iter().sum();
        sum.checked_div(self.kinds.into()).unwrap_or(alike)
    }

    /// The times with `change` applied to each.
    #[must_use]
    pub fn map(mut self, change: impl FnMut(Ns) -> Ns) -> Self {
        let mut change = change;
        self.ns[..usize::from(self.kinds)].iter_mut().for_each(|ns| *ns = change(*ns));
        self
    }
}

impl Serialize for PageTimes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(to)
    }
}

impl<'de> Deserialize<'de> for PageTimes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let times = Vec::<Ns>::deserialize(from)?;
        if times.len() > Self::MOST {
            let most = Self::MOST;
            return Err(D::Error::custom(alloc::format!(
                "times by page are of {most} kinds of page at most, not {}",
                times.len()
            )));
        }
        Ok(Self::of(&times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_take_turns() {
        let times = PageTimes::of(&[50, 75, 100]);
        assert_eq!([0, 1, 2, 3, 7].map(|page| times.of_page(page, 9)), [50, 75, 100, 50, 75]);
        assert_eq!((times.longest(), times.mean(9)), (Some(100), 75));
        assert_eq!(times.map(|ns| ns + 1).as_slice(), [51, 76, 101]);
        assert_eq!((PageTimes::ALIKE.of_page(3, 9), PageTimes::ALIKE.mean(9)), (9, 9));
    }
}
