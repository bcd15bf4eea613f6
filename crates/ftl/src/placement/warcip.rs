//! WARCIP: clusters of host writes by rewrite interval, and the copies apart.
//!
//! ```text
//! write:  interval i = host writes since the page's last write + its penalty; 0 for a page that overwrites nothing
//!         to the cluster whose centre is nearest; the centre becomes the mean of the intervals in the cluster's block
//! copy:   class of the copies; the page's penalty = its age
//! every 256 blocks of clusters:  a cluster with more than half of the writes is split, if fewer than five are in use
//!                                else the first one with less than a block's writes ends when its block is full
//! ```
//!
//! Up to five clusters and one class of copies. A new cluster's centre is midway between its neighbours.
//!
//! Deviations: as SepBIT's simulator realises it (Warcip.java), with all clusters in use at first. A penalty is kept in
//! 1/1,024 of Λ, rounded down, and at most 64 Λ. A cluster's block counts as full after as many writes as it has pages.
//!
//! Work: a write reads 5 (centres) and reads and writes 2 (centre, penalty); a copy writes 1 (penalty).
//!
//! Source: J. Yang, S. Pei, Q. Yang, WARCIP: write amplification reduction by clustering I/O pages, SYSTOR 2019.

use super::interface::{PlacedCopy, PlacedWrite, Placement};
use super::policy::{ByState, Classes, PlacementPolicy, Places, Times};
use crate::victim_work::Accesses;
use alloc::{boxed::Box, vec, vec::Vec};

/// Most clusters; the class behind them takes copies.
const CLUSTERS: usize = 5;

/// Full blocks of clusters between two looks at whether clusters are to be split or merged.
const PERIOD: u32 = 256;

/// Declaration of this policy.
pub(super) static POLICY: PlacementPolicy = PlacementPolicy {
    name: "warcip",
    numbers: &[],
    summary: "up to five clusters of host writes by rewrite interval, and copies",
    source: "Yang, Pei, Yang, SYSTOR 2019",
    after_mount: "classes of blocks are found again; times, penalties and centres are learnt anew",
    victims: &[],
    places: Places::ByState(ByState {
        classes: |_| Classes { hosts: CLUSTERS, count: CLUSTERS + 1 },
        times: Times::OfPages,
        future: false,
        controller_bytes: |space| 2 * u64::from(space.logical_pages) + CLUSTERS as u64 * 20 + 16,
        make: |space| Box::new(Warcip::new(space.logical_pages, space.pages_per_block)),
    }),
};

/// Cluster of intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cluster {
    class: usize,
    /// Mean interval.
    centre: u64,
    /// Pages of its open block.
    in_block: u64,
    /// Writes since the last look.
    writes: u64,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Warcip {
    /// Clusters in use: the first `used`, in the order in which they were split.
    clusters: [Cluster; CLUSTERS],
    used: usize,
    penalties: Vec<u16>,
    /// Host writes per unit of a penalty.
    unit: u32,
    pages_per_block: u64,
    full: u32,
    /// Class of the cluster that ends when its block is full.
    ending: Option<usize>,
    work: Accesses,
}

impl Warcip {
    fn new(logical_pages: u32, pages_per_block: u32) -> Self {
        let cluster = Cluster { class: 0, centre: 0, in_block: 0, writes: 0 };
        let mut clusters = [cluster; CLUSTERS];
        clusters.iter_mut().enumerate().for_each(|(class, cluster)| cluster.class = class);
        Self {
            clusters,
            used: CLUSTERS,
            penalties: vec![0; logical_pages as usize],
            unit: (logical_pages / 1024).max(1),
            pages_per_block: pages_per_block.into(),
            full: 0,
            ending: None,
            work: Accesses::default(),
        }
    }

    /// Counts a write to the cluster at this index, whose block may be full now.
    #[inline]
    fn count(&mut self, at: usize, interval: u64) -> usize {
        let cluster = &mut self.clusters[at];
        let class = cluster.class;
        let before = u128::from(cluster.centre) * u128::from(cluster.in_block);
        cluster.in_block += 1;
        cluster.centre = ((before + u128::from(interval)) / u128::from(cluster.in_block)) as u64;
        cluster.writes += 1;
        if cluster.in_block == self.pages_per_block {
            self.is_full(at);
        }
        class
    }

    #[cold]
    fn is_full(&mut self, at: usize) {
        self.clusters[at].in_block = 0;
        if self.ending == Some(self.clusters[at].class) {
            self.ending = None;
            // Its class is free for the next split.
            self.clusters[at..self.used].rotate_left(1);
            self.used -= 1;
        }
        self.full += 1;
        if self.full == PERIOD {
            self.full = 0;
            self.split_or_merge();
        }
    }

    fn split_or_merge(&mut self) {
        let used = &self.clusters[..self.used];
        let all: u64 = used.iter().map(|cluster| cluster.writes).sum();
        let large = used.iter().position(|cluster| cluster.writes > all / 2);
        match large.filter(|_| self.used < CLUSTERS) {
            Some(at) => {
                let below = at.checked_sub(1).map_or(0, |before| self.clusters[before].centre);
                let centre = below.midpoint(self.clusters[at].centre);
                let class = self.clusters[self.used].class;
                self.clusters[at..=self.used].rotate_right(1);
                self.clusters[at] = Cluster { class, centre, in_block: 0, writes: 0 };
                self.used += 1;
            }
            None if self.ending.is_none() && self.used > 1 => {
                let small = used.iter().find(|cluster| cluster.writes < self.pages_per_block);
                self.ending = small.map(|cluster| cluster.class);
            }
            None => {}
        }
        self.clusters.iter_mut().for_each(|cluster| cluster.writes = 0);
    }
}

impl Placement for Warcip {
    #[inline]
    fn of_write(&mut self, write: &PlacedWrite) -> usize {
        let penalty = self.penalties.get_mut(write.lpn.0 as usize).map(core::mem::take);
        let penalty = u64::from(penalty.unwrap_or(0)) * u64::from(self.unit);
        let interval = write.lifespan.map_or(0, |lifespan| u64::from(lifespan) + penalty);
        let used = self.clusters[..self.used].iter().enumerate();
        // Of equally near ones the last.
        let near = used.rev().min_by_key(|(_, cluster)| cluster.centre.abs_diff(interval));
        self.work += Accesses::new(CLUSTERS as u64 + 2, 2);
        near.map(|(at, _)| at).map_or(0, |at| self.count(at, interval))
    }

    #[inline]
    fn of_copy(&mut self, copy: &PlacedCopy) -> usize {
        if let (Some(lpn), Some(age)) = (copy.lpn, copy.age)
            && let Some(penalty) = self.penalties.get_mut(lpn.0 as usize)
        {
            *penalty = (age / self.unit).min(u16::MAX.into()) as u16;
            self.work += Accesses::new(0, 1);
        }
        CLUSTERS
    }

    fn work(&self) -> Accesses {
        self.work
    }

    fn heap_bytes(&self) -> usize {
        self.penalties.capacity() * 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::Lpn;

    fn write(policy: &mut Warcip, lifespan: Option<u32>) -> usize {
        policy.of_write(&PlacedWrite {
            lpn: Lpn(3),
            lifespan,
            left: None,
            from: Some(0),
            from_age: None,
        })
    }

    #[test]
    fn the_nearest_centre_follows_its_block() {
        let mut policy = Warcip::new(4096, 8);
        for (at, centre) in [0, 100, 1000, 10_000, 100_000].into_iter().enumerate() {
            policy.clusters[at].centre = centre;
        }
        assert_eq!(
            [None, Some(49), Some(80), Some(60)].map(|l| write(&mut policy, l)),
            [0, 0, 1, 1]
        );
        // The mean of 0 and 49; that of 80 and 60. The centres before did not count.
        assert_eq!((policy.clusters[0].centre, policy.clusters[0].in_block), (24, 2));
        assert_eq!((policy.clusters[1].centre, policy.clusters[1].in_block), (70, 2));
        assert_eq!(
            policy.of_copy(&PlacedCopy { lpn: Some(Lpn(3)), age: Some(9990), left: None, from: 1 }),
            5
        );
        // 9,990 in units of 4.
        assert_eq!(policy.penalties[3], 2497);
        assert_eq!((write(&mut policy, Some(12)), policy.clusters[3].centre), (3, 10_000));
        assert_eq!(policy.penalties[3], 0);
        assert_eq!(policy.work(), Accesses::new(5 * 7, 5 * 2 + 1));
    }

    #[test]
    fn small_clusters_end_and_large_ones_are_split() {
        let mut policy = Warcip::new(4096, 8);
        for (at, centre) in [0, 100, 1000, 10_000, 100_000].into_iter().enumerate() {
            policy.clusters[at].centre = centre;
        }
        // All clusters are in use: the first one with few writes is to end.
        (0..256 * 8).for_each(|_| _ = write(&mut policy, Some(100)));
        assert_eq!((policy.ending, policy.used), (Some(0), 5));
        (0..8).for_each(|_| assert_eq!(write(&mut policy, None), 0));
        assert_eq!((policy.ending, policy.used, policy.clusters[0].class), (None, 4, 1));
        // Class 0 is free. The cluster of 100 has nearly all writes, and is split below.
        (0..255 * 8).for_each(|_| _ = write(&mut policy, Some(100)));
        assert_eq!(policy.used, 5);
        let found = policy.clusters.map(|cluster| (cluster.class, cluster.centre));
        assert_eq!(found, [(0, 50), (1, 100), (2, 1000), (3, 10_000), (4, 100_000)]);
        assert_eq!([20, 90].map(|interval| write(&mut policy, Some(interval))), [0, 1]);
    }
}
