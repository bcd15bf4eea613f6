//! A set of logical pages, one bit per page.

use alloc::vec::Vec;
use flash::Lpn;

/// Logical pages, such as those that were trimmed, or lost to bit errors, since the format or the mount. The set is in
/// RAM only: a trim is advisory, and a power cut loses it.
#[derive(Clone, Debug)]
pub(crate) struct PageSet {
    words: Vec<u64>,
    /// True once any bit was set; before that no lookup is needed.
    used: bool,
}

impl PageSet {
    /// The empty set.
    pub(crate) fn new(logical_pages: u32) -> Self {
        Self { words: alloc::vec![0; logical_pages.div_ceil(64) as usize], used: false }
    }

    /// True if `lpn` is in the set.
    #[inline]
    pub(crate) fn contains(&self, lpn: Lpn) -> bool {
        self.used && self.words[(lpn.0 >> 6) as usize] >> (lpn.0 & 63) & 1 != 0
    }

    /// Adds `lpn`.
    pub(crate) fn insert(&mut self, lpn: Lpn) {
        self.used = true;
        self.words[(lpn.0 >> 6) as usize] |= 1 << (lpn.0 & 63);
    }

    /// Removes `lpn`.
    #[inline]
    pub(crate) fn remove(&mut self, lpn: Lpn) {
        if self.used {
            self.words[(lpn.0 >> 6) as usize] &= !(1 << (lpn.0 & 63));
        }
    }

    /// True if every page of `other`, a set of the same size, is in this set.
    pub(crate) fn contains_all(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).all(|(own, other)| other & !own == 0)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.words.capacity() * 8
    }

    /// Controller RAM, bytes.
    pub(crate) fn ram_bytes(logical_pages: u32) -> u64 {
        u64::from(logical_pages).div_ceil(8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_put_in_and_not_taken_out() {
        let mut set = PageSet::new(130);
        for lpn in [0, 63, 64, 129] {
            set.insert(Lpn(lpn));
        }
        set.remove(Lpn(64));
        let held: Vec<u32> = (0..130).filter(|lpn| set.contains(Lpn(*lpn))).collect();
        assert_eq!(held, [0, 63, 129]);
        let mut more = set.clone();
        more.insert(Lpn(100));
        assert!(more.contains_all(&set) && !set.contains_all(&more));
        assert_eq!(PageSet::ram_bytes(130), 17);
    }
}
