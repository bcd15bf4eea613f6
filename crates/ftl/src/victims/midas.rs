//! MiDAS: the block filled longest ago of the first group that is larger than its size; else, of the rest, the one with fewest
//! valid pages (`midas-greedy`) or of greatest benefit (`midas-cost-benefit`).
//!
//! ```text
//! group of a block: the class for which it was filled. The first n groups have sizes, which `placement=midas` sets
//! victim: while a group i < n has more blocks than its size, for the least such i: b = its block filled longest ago
//!           b has an invalid page: b
//!           else b moves to group i + 1, at no cost
//!         else the victim that `greedy` or `cost-benefit` finds among all other blocks
//!         else, of the groups with a size, the last first: the block filled longest ago that has an invalid page
//! new sizes: of a group that is larger the blocks filled longest ago move to the rest
//! ```
//!
//! Without a placement that sets sizes n is 0, and it is as `greedy` or `cost-benefit`.
//!
//! State: the entries of `greedy` or `cost-benefit`; per block its group (1 byte) and the order in which it was filled (8
//! bytes).
//!
//! Work: that of `greedy` or `cost-benefit` for the rest. A block that becomes full writes 2 entries (group, order), or
//! 1 more if its group has a size (its place in the queue). A victim of a group reads 2 entries per block examined
//! (number, count of valid pages), and writes 1 per block that moves to another group. New sizes are not counted.
//!
//! Deviations: the source copies the pages of a block that is valid as a whole to the next group. `midas-cost-benefit` takes the
//! benefit of `cost-benefit`, by the time since a block last lost a page; the authors' simulator takes the square root of the time
//! since it was filled. A block that joins the rest counts as just filled. The simulator has FIFO for the rest, too.
//!
//! Source: S. Oh, J. Kim, S. Han, J. Kim, S. Lee, S. H. Noh, MiDAS: minimizing write amplification in log-structured systems
//! through adaptive group number and size configuration, FAST 2024.

use super::cost_benefit::CostBenefit;
use super::greedy::Greedy;
use super::interface::{Filled, GROUPS, GroupSizes, GroupState, Victims};
use super::policy::{Candidates, ValidPages, VictimKind, VictimPolicy};
use crate::inspection::List;
use crate::victim_work::VictimWork;
use alloc::{boxed::Box, collections::VecDeque, vec, vec::Vec};
use flash::BlockId;

/// Declaration of the form that takes the fewest valid pages of the rest.
pub(super) static GREEDY: VictimPolicy = VictimPolicy {
    name: "midas-greedy",
    numbers: &[],
    summary: "filled longest ago in a group above the size that placement=midas sets, else fewest valid pages of the rest",
    source: "MiDAS, Oh et al., FAST 2024",
    chooses_many: false,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| {
        Greedy::controller_bytes(of.blocks, of.pages_per_block) + group_bytes(of.blocks)
    },
    make: |of| Box::new(Midas::new(of, Rest::Greedy(Greedy::new(of.blocks, of.pages_per_block)))),
};

/// Declaration of the form that takes the greatest benefit of the rest.
pub(super) static COST_BENEFIT: VictimPolicy = VictimPolicy {
    name: "midas-cost-benefit",
    numbers: &[],
    summary: "filled longest ago in a group above the size that placement=midas sets, else greatest benefit of the rest",
    source: "MiDAS, Oh et al., FAST 2024",
    chooses_many: false,
    valid_pages: ValidPages::Gaining,
    controller_bytes: |of| CostBenefit::controller_bytes(of.blocks) + group_bytes(of.blocks),
    make: |of| {
        let rest = CostBenefit::new(of.blocks, of.pages_per_block);
        Box::new(Midas::new(of, Rest::CostBenefit(rest)))
    },
};

impl VictimKind {
    /// Groups with sizes, and fewest valid pages of the rest: [`Midas`].
    pub const MIDAS_GREEDY: Self = Self::new(&GREEDY, 0);

    /// Groups with sizes, and greatest benefit of the rest: [`Midas`].
    pub const MIDAS_COST_BENEFIT: Self = Self::new(&COST_BENEFIT, 0);
}

/// Group of a block of which none is known: it was filled before a mount.
const NO_GROUP: u8 = u8::MAX;

fn group_bytes(blocks: u32) -> u64 {
    9 * u64::from(blocks)
}

/// Candidates outside of groups with a size.
#[derive(Clone, Debug)]
enum Rest {
    Greedy(Greedy),
    CostBenefit(CostBenefit),
}

impl Rest {
    fn policy(&mut self) -> &mut dyn Victims {
        match self {
            Self::Greedy(rest) => rest,
            Self::CostBenefit(rest) => rest,
        }
    }

    fn seen(&self) -> &dyn Victims {
        match self {
            Self::Greedy(rest) => rest,
            Self::CostBenefit(rest) => rest,
        }
    }

    fn remove(&mut self, block: BlockId, valid: u32) {
        match self {
            Self::Greedy(rest) => rest.remove(block, valid),
            Self::CostBenefit(rest) => rest.remove(block.0),
        }
    }
}

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It is no candidate.
    Nowhere,
    Rest,
    Queue,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Midas {
    rest: Rest,
    /// Blocks of each group with a size, in the order in which they came to it.
    queues: Vec<VecDeque<u32>>,
    sizes: GroupSizes,
    group_of: Vec<u8>,
    /// Order in which blocks were filled.
    filled: Vec<u64>,
    fills: u64,
    place: Vec<Place>,
    pages_per_block: u32,
    work: VictimWork,
    ram_bytes: u64,
}

impl Midas {
    fn new(of: &Candidates, rest: Rest) -> Self {
        let blocks = of.blocks as usize;
        let policy = if matches!(rest, Rest::Greedy(_)) { &GREEDY } else { &COST_BENEFIT };
        Self {
            rest,
            queues: vec![VecDeque::new(); GROUPS],
            sizes: GroupSizes::default(),
            group_of: vec![NO_GROUP; blocks],
            filled: vec![0; blocks],
            fills: 0,
            place: vec![Place::Nowhere; blocks],
            pages_per_block: of.pages_per_block,
            work: VictimWork::default(),
            ram_bytes: (policy.controller_bytes)(of),
        }
    }

    /// Makes a block a candidate of its group.
    fn place(&mut self, block: BlockId, valid: u32) {
        let at = block.0 as usize;
        match self.queues.get_mut(usize::from(self.group_of[at])) {
            Some(queue) if usize::from(self.group_of[at]) < self.sizes.sized => {
                queue.push_back(block.0);
                self.place[at] = Place::Queue;
            }
            _ => {
                self.rest.policy().insert(block, valid);
                self.place[at] = Place::Rest;
            }
        }
    }

    /// The oldest block of a group with a size that is larger than that, if it gains a page. Moves those that gain none.
    fn take_from_groups(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        for group in 0..self.sizes.sized {
            while self.queues[group].len() > self.sizes.blocks[group] as usize {
                let block = BlockId(self.queues[group].pop_front()?);
                self.work.chosen.reads += 2;
                if valid(block) < self.pages_per_block {
                    return Some(block);
                }
                self.group_of[block.0 as usize] = (group + 1).min(GROUPS - 1) as u8;
                self.work.chosen.writes += 1;
                self.place(block, valid(block));
            }
        }
        None
    }

    /// The oldest block with an invalid page of a group with a size, whatever that is.
    fn take_from_small_groups(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        for group in (0..self.sizes.sized).rev() {
            let gains = |block: &u32| valid(BlockId(*block)) < self.pages_per_block;
            let at = self.queues[group].iter().position(gains);
            let examined = at.map_or(self.queues[group].len(), |at| at + 1);
            self.work.chosen.reads += 2 * examined as u64;
            if let Some(block) = at.and_then(|at| self.queues[group].remove(at)) {
                return Some(BlockId(block));
            }
        }
        None
    }

    fn taken(&mut self, block: Option<BlockId>) -> Option<BlockId> {
        if let Some(block) = block {
            self.place[block.0 as usize] = Place::Nowhere;
        }
        block
    }

    /// Moves the oldest blocks of a group to the rest until it has no more than `most`.
    fn shrink(&mut self, group: usize, most: u32, valid: &dyn Fn(BlockId) -> u32) {
        while self.queues[group].len() > most as usize {
            let Some(block) = self.queues[group].pop_front().map(BlockId) else { return };
            let at = block.0 as usize;
            if group < self.sizes.sized {
                self.group_of[at] = self.sizes.sized.min(GROUPS - 1) as u8;
            }
            self.rest.policy().insert(block, valid(block));
            self.place[at] = Place::Rest;
        }
    }
}

impl Victims for Midas {
    fn insert(&mut self, block: BlockId, valid: u32) {
        let at = block.0 as usize;
        self.filled[at] = self.fills;
        self.fills += 1;
        self.place(block, valid);
        self.work.filled.writes += 2 + u64::from(self.place[at] == Place::Queue);
    }

    fn insert_of(&mut self, block: BlockId, valid: u32, filled: Filled) {
        self.group_of[block.0 as usize] = filled.class.min(GROUPS - 1) as u8;
        self.insert(block, valid);
    }

    fn groups(&self, valid: &dyn Fn(BlockId) -> u32) -> Option<GroupState> {
        let mut state = GroupState::default();
        for (block, place) in (0..).map(BlockId).zip(&self.place) {
            if *place != Place::Nowhere {
                let valid = valid(block);
                state.blocks += 1;
                state.pages += u64::from(self.pages_per_block);
                state.valid += u64::from(valid);
                let whole = *place == Place::Rest && valid == self.pages_per_block;
                state.untouched += u32::from(whole);
            }
        }
        Some(state)
    }

    fn set_groups(&mut self, sizes: &GroupSizes, valid: &dyn Fn(BlockId) -> u32) {
        let sized = sizes.sized.min(GROUPS);
        let before = core::mem::replace(&mut self.sizes, GroupSizes { sized, ..*sizes }).sized;
        for group in 0..GROUPS {
            let most = if group < sized { sizes.blocks[group] } else { 0 };
            self.shrink(group, most, valid);
        }
        // Groups that had no size yet take over their blocks from the rest, the newest if they are too many.
        let mut found: Vec<(u64, u32)> = Vec::new();
        for (block, place) in (0..).zip(&self.place) {
            let group = usize::from(self.group_of[block as usize]);
            if *place == Place::Rest && (before..sized).contains(&group) {
                found.push((self.filled[block as usize], block));
            }
        }
        found.sort_unstable();
        for (_, block) in found {
            self.rest.remove(BlockId(block), valid(BlockId(block)));
            self.place[block as usize] = Place::Queue;
            self.queues[usize::from(self.group_of[block as usize])].push_back(block);
        }
        for group in before..sized {
            self.shrink(group, sizes.blocks[group], valid);
        }
    }

    fn group_of(&self, block: BlockId) -> Option<usize> {
        let group = self.group_of[block.0 as usize];
        (group != NO_GROUP).then_some(usize::from(group))
    }

    #[inline]
    fn invalidated(&mut self, block: BlockId, valid: u32) {
        self.rest.policy().invalidated(block, valid);
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let victim = self.take_from_groups(valid).or_else(|| self.rest.policy().take(valid));
        let victim = victim.or_else(|| self.take_from_small_groups(valid));
        self.taken(victim)
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let gaining = self.queues.iter().flatten().map(|block| (valid(BlockId(*block)), *block));
        let queued = gaining.filter(|(valid, _)| *valid < self.pages_per_block).min();
        let of_rest = self.rest.policy().take_least(valid);
        let victim = match (queued, of_rest) {
            (Some((least, block)), Some(other)) if least < valid(other) => {
                self.rest.policy().insert(other, valid(other));
                BlockId(block)
            }
            (_, Some(other)) => other,
            (Some((_, block)), None) => BlockId(block),
            (None, None) => return None,
        };
        if self.place[victim.0 as usize] == Place::Queue {
            self.queues.iter_mut().for_each(|queue| queue.retain(|block| *block != victim.0));
        }
        self.taken(Some(victim))
    }

    #[inline]
    fn prefetch(&self, block: BlockId) {
        self.rest.seen().prefetch(block);
    }

    fn work(&self) -> VictimWork {
        let mut work = self.work;
        work += self.rest.seen().work();
        work
    }

    fn lists(&self) -> Vec<List> {
        const NAMES: [&str; GROUPS] = [
            "group 0", "group 1", "group 2", "group 3", "group 4", "group 5", "group 6", "group 7",
            "group 8", "group 9", "group 10", "group 11", "group 12", "group 13", "group 14",
            "group 15",
        ];
        let help = "Full blocks of the group in the order of their collection, once it is larger than its size.";
        let mut lists = self.rest.seen().lists();
        let sized = self.queues.iter().zip(NAMES).take(self.sizes.sized);
        lists.extend(sized.map(|(queue, name)| {
            let queue = queue.iter().copied().map(BlockId);
            // A group is larger than its size until collection comes to it.
            List::of_blocks(name, help, queue).holding(self.place.len() as u64)
        }));
        lists
    }

    fn heap_bytes(&self) -> usize {
        let queues: usize = self.queues.iter().map(|queue| queue.capacity() * 4).sum();
        self.rest.seen().heap_bytes()
            + queues
            + self.queues.capacity() * size_of::<VecDeque<u32>>()
            + self.filled.capacity() * 8
            + self.group_of.capacity()
            + self.place.capacity()
    }

    fn ram_bytes(&self) -> u64 {
        self.ram_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [VictimKind; 2] = [VictimKind::MIDAS_GREEDY, VictimKind::MIDAS_COST_BENEFIT];

    /// Blocks of ten pages, filled in order: valid pages and class.
    fn of(kind: VictimKind, blocks: &[(u32, usize)], sizes: &[u32]) -> Box<dyn Victims> {
        let mut victims = kind.make(blocks.len() as u32 + 1, 10, 1);
        for (block, (valid, class)) in (0..).zip(blocks) {
            victims.insert_of(BlockId(block), *valid, Filled { copies: *class > 1, class: *class });
        }
        victims.set_groups(&sizes_of(sizes), &|block| blocks[block.0 as usize].0);
        // An open block loses a page: all candidates are of one age.
        victims.invalidated(BlockId(blocks.len() as u32), 9);
        victims
    }

    fn sizes_of(sizes: &[u32]) -> GroupSizes {
        let mut of = GroupSizes { sized: sizes.len(), ..GroupSizes::default() };
        of.blocks[..sizes.len()].copy_from_slice(sizes);
        of
    }

    fn order(victims: &mut dyn Victims, valid: &dyn Fn(BlockId) -> u32) -> Vec<u32> {
        core::iter::from_fn(|| victims.take(valid).map(|block| block.0)).collect()
    }

    #[test]
    fn without_sizes_it_is_as_the_policy_of_the_rest() {
        let blocks = [(5, 0), (3, 1), (10, 2), (4, 0)];
        let valid = |block: BlockId| blocks[block.0 as usize].0;
        for kind in BOTH {
            assert_eq!(order(&mut *of(kind, &blocks, &[]), &valid), [1, 3, 0], "{kind}");
        }
    }

    /// Groups of one block each: the older blocks of a class are of the rest, once the sizes are set.
    #[test]
    fn a_group_above_its_size_gives_its_oldest_block() {
        let blocks = [(2, 0), (5, 1), (9, 0), (1, 1), (3, 2), (6, 0), (10, 0), (4, 0)];
        let valid = |block: BlockId| blocks[block.0 as usize].0;
        for kind in BOTH {
            let victims = of(kind, &blocks[..5], &[1, 1]);
            // Blocks 0 and 1 have left their groups; they count for the first group without a size.
            assert_eq!(
                [0, 1, 2, 3, 4].map(|block| victims.group_of(BlockId(block))),
                [Some(2), Some(2), Some(0), Some(1), Some(2)]
            );
            assert_eq!(victims.fork().take(&valid), Some(BlockId(0)));
            let mut victims = of(kind, &blocks, &[1, 1]);
            // The newest of each stay: 7 and 3.
            let rest = order(&mut *victims.fork(), &valid);
            assert_eq!(rest.len(), 7, "{kind}: {rest:?}");
            assert_eq!(rest[5..], [3, 7], "{kind}: {rest:?}");
            // A block more in group 0: its oldest comes before an emptier one of the rest.
            assert_eq!(victims.take(&valid), Some(BlockId(0)));
            victims.insert_of(BlockId(0), 8, Filled { copies: false, class: 0 });
            assert_eq!(
                victims.take(&|block| if block.0 == 0 { 8 } else { valid(block) }),
                Some(BlockId(7))
            );
        }
    }

    #[test]
    fn a_block_without_an_invalid_page_moves_on_at_no_cost() {
        let mut blocks = [(10, 0), (10, 0), (7, 0), (10, 1), (8, 2)];
        for kind in BOTH {
            blocks[1].0 = 10;
            let mut victims = kind.make(5, 10, 1);
            victims.set_groups(&sizes_of(&[1, 1]), &|_| 10);
            for (block, (valid, class)) in (0..).zip(blocks) {
                victims.insert_of(BlockId(block), valid, Filled { copies: false, class });
            }
            // 0 and 1 leave group 0 for group 1, behind 3; 3 and 0 leave that for the rest.
            let valid = |block: BlockId| blocks[block.0 as usize].0;
            assert_eq!(victims.take(&valid), Some(BlockId(4)), "{kind}");
            assert_eq!(
                [0, 1, 2, 3].map(|block| victims.group_of(BlockId(block))),
                [Some(2), Some(1), Some(0), Some(2)]
            );
            let state = victims.groups(&valid).unwrap();
            assert_eq!(state, GroupState { blocks: 4, pages: 40, valid: 37, untouched: 2 });
            // Nothing is above its size, and the rest gains nothing: the groups do, the last first.
            blocks[1].0 = 9;
            let valid = |block: BlockId| blocks[block.0 as usize].0;
            assert_eq!(order(&mut *victims, &valid), [1, 2]);
            assert_eq!(victims.take(&valid), None);
        }
    }

    /// A second list of sizes: groups that lose theirs join the rest, and get them back in the order of filling.
    #[test]
    fn sizes_come_and_go() {
        let blocks = [(9, 1), (8, 1), (7, 1), (2, 3), (9, 1)];
        let valid = |block: BlockId| blocks[block.0 as usize].0;
        for kind in BOTH {
            let mut victims = of(kind, &blocks, &[1, 4]);
            assert_eq!(victims.fork().take(&valid), Some(BlockId(3)));
            victims.set_groups(&sizes_of(&[1]), &valid);
            victims.set_groups(&sizes_of(&[1, 3]), &valid);
            // Group 1 is full with the newest three; the oldest is of the rest.
            assert_eq!(order(&mut *victims, &valid), [3, 0, 1, 2, 4], "{kind}");
        }
    }

    #[test]
    fn a_mount_takes_the_least_of_all() {
        let blocks = [(9, 0), (4, 1), (6, 2), (3, 0), (10, 1)];
        let valid = |block: BlockId| blocks[block.0 as usize].0;
        for kind in BOTH {
            let mut victims = of(kind, &blocks, &[2, 2]);
            let least: Vec<u32> =
                core::iter::from_fn(|| victims.take_least(&valid)).map(valid).collect();
            assert_eq!(least, [3, 4, 6, 9], "{kind}");
            assert_eq!(victims.take(&valid), None);
        }
    }
}
