//! A set of logical pages: one bit a page.

use alloc::vec::Vec;
use flash::Lpn;

/// Logical pages that were trimmed, or lost to bit errors, since the format or the mount. In RAM only: a
/// trim is advisory, and a power cut forgets it.
#[derive(Clone, Debug)]
pub(crate) struct PageSet {
    words: Vec<u64>,
    /// Whether any bit was ever set: while none was, the bits need not be looked at.
    used: bool,
}

impl PageSet {
    /// The empty set.
    pub(crate) fn new(logical_pages: u32) -> Self {
        Self { words: alloc::vec![0; logical_pages.div_ceil(64) as usize], used: false }
    }

    /// Whether `lpn` is in it.
    #[inline]
    pub(crate) fn contains(&self, lpn: Lpn) -> bool {
        self.used && self.words[(lpn.0 >> 6) as usize] >> (lpn.0 & 63) & 1 != 0
    }

    /// Adds `lpn`.
    pub(crate) fn insert(&mut self, lpn: Lpn) {
        self.used = true;
        self.words[(lpn.0 >> 6) as usize] |= 1 << (lpn.0 & 63);
    }

    /// Takes `lpn` out.
    #[inline]
    pub(crate) fn remove(&mut self, lpn: Lpn) {
        if self.used {
            self.words[(lpn.0 >> 6) as usize] &= !(1 << (lpn.0 & 63));
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.words.capacity() * 8
    }

    /// What a controller needs.
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
        assert_eq!(PageSet::ram_bytes(130), 17);
    }
}
