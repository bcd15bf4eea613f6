//! Questions of a collector to the write buffer above it: the newest copy of a page to be moved, and the probability
//! that the page is updated before it is evicted.
//!
//! Source: S. Lee, D. Shin, J. Kim, Buffer-aware garbage collection for NAND flash memory-based storage
//! systems, 2008, §4 (the dirty page list, DPL) and §5.2 (P(U)).

use flash::Lpn;

/// A probability in thousandths, `0..=1000`, so that decisions are made in integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Probability(u16);

impl Probability {
    /// 0.
    pub const NEVER: Self = Self(0);
    /// 1.
    pub const ALWAYS: Self = Self(1000);

    /// A number of thousandths, limited to 1000.
    pub const fn thousandths(thousandths: u16) -> Self {
        if thousandths > 1000 { Self::ALWAYS } else { Self(thousandths) }
    }

    /// The probability in thousandths.
    pub const fn in_thousandths(self) -> u16 {
        self.0
    }

    /// The probability that the event does not happen.
    pub const fn complement(self) -> Self {
        Self(1000 - self.0)
    }
}

/// Dirty pages in a range of LPNs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirtyRange {
    /// Number of dirty pages (|B| of Eq. 4).
    pub pages: u32,
    /// Sum of 1 − P(U) over them, in thousandths (|B| − Σ P(U), Eqs. 8 and 9).
    pub kept_clean: u64,
}

/// The dirty pages of a write buffer: pages whose newest version is in RAM only.
pub trait DirtyPages {
    /// True if no page can be dirty; callers then skip the other questions.
    fn is_clean(&self) -> bool {
        false
    }

    /// The bytes of a dirty page (`Some(None)` if the array keeps no user bytes). `None` if the page is clean or not
    /// in the buffer.
    fn newest(&self, lpn: Lpn) -> Option<Option<&[u8]>>;

    /// True if the page is dirty.
    fn is_dirty(&self, lpn: Lpn) -> bool {
        self.newest(lpn).is_some()
    }

    /// Placement stream of the page's last write, if the buffer keeps it; 0: none.
    fn stream(&self, _lpn: Lpn) -> u8 {
        0
    }

    /// The collector programmed the newest version: the page is clean now.
    fn written(&mut self, lpn: Lpn);

    /// The collector moved these pages within flash. For dirty ones that was in vain.
    fn moved(&mut self, lpns: &[Lpn]);

    /// P(U): the probability that a dirty page is updated once more before it is evicted.
    fn update_probability(&self, lpn: Lpn) -> Probability;

    /// The dirty pages among `pages` pages from `first` on. A buffer that keeps its pages by blocks can answer faster
    /// than page by page.
    fn dirty_in(&self, first: Lpn, pages: u32) -> DirtyRange {
        let mut range = DirtyRange::default();
        if self.is_clean() {
            return range;
        }
        for lpn in (first.0..first.0 + pages).map(Lpn).filter(|lpn| self.is_dirty(*lpn)) {
            range.pages += 1;
            range.kept_clean +=
                u64::from(self.update_probability(lpn).complement().in_thousandths());
        }
        range
    }
}

/// No write buffer: no page is dirty.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBuffer;

impl DirtyPages for NoBuffer {
    #[inline(always)]
    fn is_clean(&self) -> bool {
        true
    }

    #[inline(always)]
    fn newest(&self, _lpn: Lpn) -> Option<Option<&[u8]>> {
        None
    }

    #[inline(always)]
    fn written(&mut self, _lpn: Lpn) {}

    #[inline(always)]
    fn moved(&mut self, _lpns: &[Lpn]) {}

    fn update_probability(&self, _lpn: Lpn) -> Probability {
        Probability::NEVER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_stay_within_one() {
        assert_eq!(Probability::thousandths(2000), Probability::ALWAYS);
        assert_eq!(Probability::thousandths(300).complement().in_thousandths(), 700);
        assert_eq!(Probability::ALWAYS.complement(), Probability::NEVER);
    }
}
