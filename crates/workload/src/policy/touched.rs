//! Set of pages that a trace touches, in bounded memory.

/// Pages `first..end` of one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Interval {
    pub(crate) device: u32,
    pub(crate) first: u64,
    pub(crate) end: u64,
}

/// Most intervals kept: 8 Mi of 24 bytes.
const MOST: usize = 8 << 20;
/// Fewest new intervals collected before they are merged with the others.
const FRESH: usize = 1 << 16;

/// The pages that a trace touches, as intervals that neither overlap nor adjoin.
///
/// If there are too many intervals, the unit doubles: pages are counted in groups of two, four, ….
/// A group counts as touched if one of its pages is.
/// This only closes gaps and costs room; order and adjacency are preserved.
pub(crate) struct Touched {
    merged: Vec<Interval>,
    fresh: Vec<Interval>,
    most: usize,
    shift: u32,
}

impl Touched {
    pub(crate) fn new() -> Self {
        Self::at_most(MOST)
    }

    fn at_most(most: usize) -> Self {
        Self { merged: Vec::new(), fresh: Vec::new(), most, shift: 0 }
    }

    /// Adds the pages `first..end`.
    #[inline]
    pub(crate) fn add(&mut self, device: u32, first: u64, end: u64) {
        if let Some(last) = self.fresh.last_mut()
            && last.device == device
            && last.first <= first
            && first <= last.end
        {
            last.end = last.end.max(end);
            return;
        }
        if self.fresh.len() >= FRESH.max(self.merged.len() / 2).min(self.most) {
            self.merge();
        }
        self.fresh.push(Interval { device, first, end });
    }

    /// The intervals in order, and the pages per group.
    pub(crate) fn finish(mut self) -> (Vec<Interval>, u64) {
        self.merge();
        (self.merged, 1 << self.shift)
    }

    fn merge(&mut self) {
        self.fresh.sort_unstable();
        let old = std::mem::take(&mut self.merged);
        let new = std::mem::take(&mut self.fresh);
        self.merged =
            coalesced(merge_sorted(&old, &new).map(|interval| grouped(interval, self.shift)));
        // Each device keeps at least one interval, whatever the unit.
        let devices = self.merged.chunk_by(|a, b| a.device == b.device).count();
        while self.merged.len() > self.most.max(devices) {
            self.shift += 1;
            let finer = std::mem::take(&mut self.merged);
            self.merged =
                coalesced(finer.into_iter().map(|interval| grouped(interval, self.shift)));
        }
    }
}

/// Extends the interval to whole groups of 2^`shift` pages.
fn grouped(interval: Interval, shift: u32) -> Interval {
    let end = (u128::from((interval.end - 1) >> shift) + 1) << shift;
    let end = u64::try_from(end).unwrap_or(u64::MAX);
    Interval { first: interval.first >> shift << shift, end, ..interval }
}

fn merge_sorted<'a>(
    mut a: &'a [Interval],
    mut b: &'a [Interval],
) -> impl Iterator<Item = Interval> + 'a {
    std::iter::from_fn(move || {
        let from = match (a.first(), b.first()) {
            (Some(x), Some(y)) if y < x => &mut b,
            (Some(_), _) => &mut a,
            (None, _) => &mut b,
        };
        let (&first, rest) = from.split_first()?;
        *from = rest;
        Some(first)
    })
}

fn coalesced(sorted: impl Iterator<Item = Interval>) -> Vec<Interval> {
    let mut out: Vec<Interval> = Vec::new();
    for interval in sorted {
        match out.last_mut() {
            Some(last) if last.device == interval.device && interval.first <= last.end => {
                last.end = last.end.max(interval.end);
            }
            _ => out.push(interval),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn pages(intervals: &[Interval]) -> BTreeSet<(u32, u64)> {
        intervals.iter().flat_map(|i| (i.first..i.end).map(|page| (i.device, page))).collect()
    }

    proptest! {
        #[test]
        fn intervals_are_the_set_of_pages(
            added in prop::collection::vec((0u32..3, 0u64..400, 1u64..20), 0..300), most in 2usize..200,
        ) {
            let mut touched = Touched::at_most(most);
            let mut set = BTreeSet::new();
            for &(device, first, length) in &added {
                touched.add(device, first, first + length);
                set.extend((first..first + length).map(|page| (device, page)));
            }
            let (intervals, group) = touched.finish();
            for pair in intervals.windows(2) {
                let apart = pair[0].device < pair[1].device || pair[0].end < pair[1].first;
                prop_assert!(apart, "{:?}", pair);
            }
            if group == 1 {
                prop_assert_eq!(pages(&intervals), set);
            } else {
                prop_assert!(set.is_subset(&pages(&intervals)));
                let groups: BTreeSet<_> = set.iter().map(|&(device, page)| (device, page / group)).collect();
                prop_assert_eq!(pages(&intervals).len() as u64, groups.len() as u64 * group);
            }
            prop_assert!(group <= 512, "no coarser than it takes");
            prop_assert!(intervals.len() <= most.max(3));
        }
    }

    #[test]
    fn the_last_pages_of_the_address_space_do_not_overflow() {
        let mut touched = Touched::at_most(1);
        touched.add(0, 0, 1);
        touched.add(0, (1 << 55) - 1, 1 << 55);
        let (intervals, group) = touched.finish();
        assert_eq!(intervals, [Interval { device: 0, first: 0, end: 1 << 55 }]);
        assert_eq!(group, 1 << 54, "two groups that adjoin are one interval");
    }
}
