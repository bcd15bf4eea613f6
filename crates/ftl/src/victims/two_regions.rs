//! 2R: as many victims at once as gain a block's pages together, all of one region (`2r-greedy`), or in the order of filling
//! (`2r-fifo`).
//!
//! ```text
//! 2r-greedy:  the region of the emptiest block: of host writes if that is emptier than every block of copies, else the
//!             cold one; a region with less than a block's invalid pages in all only if the other has less, too
//!             victims = the emptiest blocks of that region
//! 2r-fifo:    victims = as `second-chance` finds them with U = R = 70 %, but U stays raised until all are found
//! both:       until they have a block's invalid pages together; the victim found last is collected first
//! ```
//!
//! The region of a block is that of the last page programmed in it: a host write, or a copy of collection. Its counterpart is
//! `placement=2r`. With shared frontiers all blocks are of one region.
//!
//! State: for `2r-greedy` the entries of `greedy` for each region, and a bit per block; for `2r-fifo` those of
//! `second-chance`; the victims found.
//!
//! Work: that of `greedy` or `second-chance`; a victim found is written and read once more. The
//! choice of the region, is not counted.
//!
//! Parameters: B, the most victims at once (1 to 255, default 64).
//!
//! Deviations: SSD-iq begins with U = 50 % until the first victim, sets no limit to the victims at once, and compacts them in
//! place. After a mount the region of a block is that of its last page as well.
//!
//! Source: G. Haas, B. Lee, P. Bonnet, V. Leis, SSD-iq: uncovering the hidden side of SSD performance, PVLDB 18(11), 2025.

use super::greedy::Greedy;
use super::interface::{Filled, Victims};
use super::policy::{Candidates, PolicyNumber, ValidPages, VictimKind, VictimPolicy};
use super::second_chance::SecondChance;
use crate::inspection::List;
use crate::victim_work::VictimWork;
use alloc::{boxed::Box, vec, vec::Vec};
use flash::BlockId;

/// Default of the most victims at once.
const MOST: u16 = 64;

/// Share of valid pages and depth of `2r-fifo`, per cent.
const SHARE: u32 = 70;
const DEPTH: u32 = 70;

/// Declaration of the greedy form.
pub(super) static GREEDY: VictimPolicy = VictimPolicy {
    name: "2r-greedy",
    numbers: &[PolicyNumber::count('B', 255, Some(MOST))],
    summary: "fewest valid pages in the region of host writes or of copies, up to B until a block is gained",
    source: "2R of Haas et al., SSD-iq, PVLDB 18(11), 2025",
    chooses_many: true,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| {
        let entries = 2 * Greedy::controller_bytes(of.blocks, of.pages_per_block);
        entries + u64::from(of.blocks).div_ceil(8) + chosen_bytes(of)
    },
    make: |of| Box::new(TwoRegions::new(of, Order::Greedy(greedy(of)))),
};

/// Declaration of the FIFO form.
pub(super) static FIFO: VictimPolicy = VictimPolicy {
    name: "2r-fifo",
    numbers: &[PolicyNumber::count('B', 255, Some(MOST))],
    summary: "filled longest ago of those with less than 70 % of their pages valid, up to B until a block is gained",
    source: "2R of Haas et al., SSD-iq, PVLDB 18(11), 2025",
    chooses_many: true,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| SecondChance::controller_bytes(of.blocks) + chosen_bytes(of),
    make: |of| {
        let queue = SecondChance::new(of.blocks, of.pages_per_block, [SHARE, DEPTH]);
        Box::new(TwoRegions::new(of, Order::Fifo(queue)))
    },
};

impl VictimKind {
    /// As 2R collects greedy regions: [`TwoRegions`].
    pub const TWO_REGIONS_GREEDY: Self = Self::new(&GREEDY, MOST);

    /// As 2R collects FIFO regions: [`TwoRegions`].
    pub const TWO_REGIONS_FIFO: Self = Self::new(&FIFO, MOST);
}

fn chosen_bytes(of: &Candidates) -> u64 {
    4 * u64::from(of.numbers[0])
}

fn greedy(of: &Candidates) -> Regions {
    let region = Greedy::new(of.blocks, of.pages_per_block);
    Regions { of: [region.clone(), region], cold: vec![false; of.blocks as usize], invalid: [0; 2] }
}

/// Candidates by region: of host writes, and cold.
#[derive(Clone, Debug)]
struct Regions {
    of: [Greedy; 2],
    cold: Vec<bool>,
    /// Invalid pages of the candidates.
    invalid: [u64; 2],
}

#[derive(Clone, Debug)]
enum Order {
    Greedy(Regions),
    Fifo(SecondChance),
}

/// See the module.
#[derive(Clone, Debug)]
pub struct TwoRegions {
    order: Order,
    /// Victims found together and not taken yet, the next one last. They are full, but no longer candidates.
    chosen: Vec<u32>,
    at_once: usize,
    blocks: u32,
    pages_per_block: u32,
    work: VictimWork,
    ram_bytes: u64,
}

impl Regions {
    /// The region from which victims are taken; `None` if no candidate has an invalid page.
    fn next(&self, pages: u32) -> Option<usize> {
        let least = [&self.of[0], &self.of[1]].map(|region| region.least_valid());
        let [host, cold] = least.map(|least| least.filter(|valid| *valid < pages));
        let enough = self.invalid.map(|invalid| invalid >= u64::from(pages));
        match (host, cold) {
            (None, None) => None,
            (Some(_), None) => Some(0),
            (None, Some(_)) => Some(1),
            (Some(host), Some(cold)) => Some(match enough {
                [true, false] => 0,
                [false, true] => 1,
                _ => usize::from(host >= cold),
            }),
        }
    }

    fn insert(&mut self, block: BlockId, valid: u32, cold: bool, pages: u32) {
        self.cold[block.0 as usize] = cold;
        self.invalid[usize::from(cold)] += u64::from(pages - valid);
        self.of[usize::from(cold)].insert(block, valid);
    }

    /// Counts a block that was taken out.
    fn taken(&mut self, region: usize, invalid: u32) {
        self.invalid[region] -= u64::from(invalid);
    }
}

impl TwoRegions {
    fn new(of: &Candidates, order: Order) -> Self {
        let at_once = usize::from(of.numbers[0].max(1));
        let policy = if matches!(order, Order::Greedy(_)) { &GREEDY } else { &FIFO };
        Self {
            order,
            chosen: Vec::with_capacity(at_once),
            at_once,
            blocks: of.blocks,
            pages_per_block: of.pages_per_block,
            work: VictimWork::default(),
            ram_bytes: (policy.controller_bytes)(of),
        }
    }

    fn choose(&mut self, valid: &dyn Fn(BlockId) -> u32) {
        let pages = self.pages_per_block;
        let mut share = SHARE;
        let region = match &self.order {
            Order::Greedy(regions) => regions.next(pages),
            Order::Fifo(_) => None,
        };
        let mut gained = 0;
        while gained < pages && self.chosen.len() < self.at_once {
            let victim = match (&mut self.order, region) {
                (Order::Greedy(regions), Some(region)) => {
                    let victim = regions.of[region].take(valid);
                    victim.inspect(|block| regions.taken(region, pages - valid(*block)))
                }
                (Order::Greedy(_), None) => None,
                (Order::Fifo(queue), _) => queue.search(valid, &mut share),
            };
            let Some(victim) = victim else { return };
            gained += pages - valid(victim);
            self.chosen.push(victim.0);
            self.work.chosen.writes += 1;
        }
    }

    /// Makes the victims that were found candidates again.
    fn put_back(&mut self, valid: &dyn Fn(BlockId) -> u32) {
        while let Some(block) = self.chosen.pop().map(BlockId) {
            let copies = match &self.order {
                Order::Greedy(regions) => regions.cold[block.0 as usize],
                Order::Fifo(_) => false,
            };
            self.insert_of(block, valid(block), Filled { copies, class: 0 });
        }
    }
}

impl Victims for TwoRegions {
    fn insert(&mut self, block: BlockId, valid: u32) {
        self.insert_of(block, valid, Filled::default());
    }

    fn insert_of(&mut self, block: BlockId, valid: u32, filled: Filled) {
        match &mut self.order {
            Order::Greedy(regions) => {
                regions.insert(block, valid, filled.copies, self.pages_per_block);
            }
            Order::Fifo(queue) => queue.insert(block, valid),
        }
    }

    #[inline]
    fn invalidated(&mut self, block: BlockId, valid: u32) {
        if let Order::Greedy(regions) = &mut self.order {
            let region = usize::from(regions.cold[block.0 as usize]);
            regions.invalid[region] += u64::from(regions.of[region].contains(block));
            regions.of[region].invalidated(block, valid);
        }
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        if self.chosen.is_empty() {
            self.choose(valid);
        }
        let block = self.chosen.pop()?;
        self.work.chosen.reads += 1;
        Some(BlockId(block))
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        self.put_back(valid);
        match &mut self.order {
            Order::Greedy(regions) => {
                let least = [&regions.of[0], &regions.of[1]].map(|region| region.least_valid());
                let least = least.map(|least| least.unwrap_or(u32::MAX));
                let region = usize::from(least[1] < least[0]);
                let victim = regions.of[region].take_least(valid)?;
                regions.taken(region, self.pages_per_block - valid(victim));
                Some(victim)
            }
            Order::Fifo(queue) => queue.take_least(valid),
        }
    }

    fn committed(&self) -> usize {
        self.chosen.len()
    }

    #[inline]
    fn prefetch(&self, block: BlockId) {
        if let Order::Greedy(regions) = &self.order {
            regions.of[usize::from(regions.cold[block.0 as usize])].prefetch(block);
        }
    }

    fn work(&self) -> VictimWork {
        let mut work = self.work;
        match &self.order {
            Order::Greedy(regions) => {
                // Pages of blocks that are no candidates are reported to one region alone.
                regions.of.iter().for_each(|region| work += region.work());
            }
            Order::Fifo(queue) => work += queue.work(),
        }
        work
    }

    fn lists(&self) -> Vec<List> {
        let chosen = self.chosen.iter().rev().copied().map(BlockId);
        let help = "Victims found together that are not taken yet, the next first.";
        let mut lists =
            vec![List::of_blocks("chosen victims", help, chosen).holding(self.at_once as u64)];
        match &self.order {
            Order::Greedy(regions) => {
                let hosts = "Full blocks whose last page the host wrote, by rising valid pages.";
                let cold = "Full blocks whose last page was copied, by rising valid pages.";
                let names = [("candidates", hosts), ("cold candidates", cold)];
                lists.extend(regions.of.iter().zip(names).map(|(region, (name, help))| {
                    List::of_blocks(name, help, region.candidates()).holding(self.blocks.into())
                }));
            }
            Order::Fifo(queue) => lists.extend(queue.lists()),
        }
        lists
    }

    fn heap_bytes(&self) -> usize {
        let order = match &self.order {
            Order::Greedy(regions) => {
                let of = regions.of.iter().map(|region| region.heap_bytes());
                of.sum::<usize>() + regions.cold.capacity()
            }
            Order::Fifo(queue) => queue.heap_bytes(),
        };
        order + self.chosen.capacity() * 4
    }

    fn ram_bytes(&self) -> u64 {
        self.ram_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of ten pages: valid pages, and true for a cold one.
    fn of(kind: VictimKind, blocks: &[(u32, bool)]) -> Box<dyn Victims> {
        let mut victims = kind.make(blocks.len() as u32, 10, 1);
        for (block, (valid, cold)) in (0..).zip(blocks) {
            let filled = Filled { copies: *cold, class: 0 };
            victims.insert_of(BlockId(block), *valid, filled);
        }
        victims
    }

    /// The victims of one choice.
    fn choice(victims: &mut dyn Victims, blocks: &[(u32, bool)]) -> Vec<u32> {
        let valid = |block: BlockId| blocks[block.0 as usize].0;
        let mut taken = Vec::new();
        loop {
            taken.extend(victims.take(&valid).map(|block| block.0));
            if victims.committed() == 0 {
                return taken;
            }
        }
    }

    #[test]
    fn a_choice_is_of_the_region_with_the_emptiest_block() {
        let greedy = VictimKind::TWO_REGIONS_GREEDY;
        let blocks = [(5, false), (4, true), (7, false), (6, true), (3, true), (8, false)];
        let mut victims = of(greedy, &blocks);
        // Cold: 3 and 4 gain 13; the one found last comes first.
        assert_eq!(choice(&mut *victims, &blocks), [1, 4]);
        // Cold has 4 invalid pages left, the host's 10: its three blocks are taken though one of 6 is cold.
        assert_eq!(choice(&mut *victims, &blocks), [5, 2, 0]);
        assert_eq!(choice(&mut *victims, &blocks), [3]);
        assert_eq!(choice(&mut *victims, &blocks), []);
        // A tie goes to the cold region; full of valid pages is no candidate.
        let blocks = [(2, false), (2, false), (2, true), (2, true), (10, false)];
        assert_eq!(choice(&mut *of(greedy, &blocks), &blocks), [3, 2]);
        let full = [(10, false), (10, true)];
        assert_eq!(choice(&mut *of(greedy, &full), &full), []);
    }

    #[test]
    fn a_region_that_gains_no_block_any_more_waits_though_it_has_the_emptiest() {
        let blocks = [(3, true), (4, true), (7, true)];
        let blocks = [&blocks[..], &[(8, false); 5]].concat();
        let mut victims = of(VictimKind::TWO_REGIONS_GREEDY, &blocks);
        assert_eq!(choice(&mut *victims, &blocks), [1, 0]);
        // The cold region has 3 invalid pages left, that of the host 10.
        let mut host = choice(&mut *victims, &blocks);
        host.sort_unstable();
        assert_eq!(host, [3, 4, 5, 6, 7]);
    }

    #[test]
    fn losses_count_for_the_region_of_the_block() {
        let mut blocks = [(9, false), (9, false), (6, true), (6, true)];
        let mut victims = of(VictimKind::TWO_REGIONS_GREEDY, &blocks);
        for (block, valid) in [(0, 8), (0, 7), (0, 6), (0, 5), (0, 4), (1, 8), (1, 7), (1, 6)] {
            blocks[block].0 = valid;
            victims.invalidated(BlockId(block as u32), valid);
        }
        // Host: 4 and 6 valid, 10 invalid; cold: 8 invalid.
        assert_eq!(choice(&mut *victims, &blocks), [1, 0]);
        assert_eq!(choice(&mut *victims, &blocks), [3, 2]);
    }

    #[test]
    fn at_most_so_many_at_once_and_a_mount_takes_the_least() {
        let blocks = [(9, false), (8, false), (9, false), (7, false), (9, true)];
        let kind = VictimPolicy::kind(&GREEDY, &[2]).unwrap();
        assert_eq!(
            (kind.victims_at_once(), VictimKind::TWO_REGIONS_FIFO.victims_at_once()),
            (2, 64)
        );
        let valid = |block: BlockId| blocks[block.0 as usize].0;
        for kind in [kind, VictimPolicy::kind(&FIFO, &[2]).unwrap()] {
            let mut victims = of(kind, &blocks);
            assert!(victims.take(&valid).is_some());
            assert_eq!(victims.committed(), 1);
            let left: Vec<u32> =
                core::iter::from_fn(|| victims.take_least(&valid)).map(valid).collect();
            assert_eq!((left.len(), victims.committed()), (4, 0));
            assert!(left.is_sorted(), "{left:?}");
        }
    }

    /// The share rises by 5 % after 70 % of the queue, and stays raised for the choice.
    #[test]
    fn the_queue_is_searched_until_a_block_is_gained() {
        let blocks =
            [(9, false), (8, true), (7, false), (6, true), (9, false), (8, true), (1, true)];
        let mut victims = of(VictimKind::TWO_REGIONS_FIFO, &blocks);
        // The first round ends before blocks 4 to 6: 3 (70 %), then 2 (75 %), then 1 (85 %): 4 + 3 + 2, and 0 (95 %).
        assert_eq!(choice(&mut *victims, &blocks), [0, 1, 2, 3]);
        assert_eq!(choice(&mut *victims, &blocks).len(), 2);
    }
}
