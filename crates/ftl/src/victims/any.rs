//! Any policy, behind a pointer.
//!
//! A scheme's code is compiled once for each type of its victims. So only greedy, the default, has a type of its
//! own in schemes. All other policies share this one, and pay for an indirect call.

use super::interface::{Filled, GroupSizes, GroupState, Victims};
use crate::inspection::List;
use crate::victim_work::VictimWork;
use alloc::boxed::Box;
use alloc::vec::Vec;
use flash::BlockId;

impl Victims for Box<dyn Victims> {
    fn insert(&mut self, block: BlockId, valid: u32) {
        (**self).insert(block, valid);
    }

    fn insert_of(&mut self, block: BlockId, valid: u32, filled: Filled) {
        (**self).insert_of(block, valid, filled);
    }

    fn groups(&self, valid: &dyn Fn(BlockId) -> u32) -> Option<GroupState> {
        (**self).groups(valid)
    }

    fn set_groups(&mut self, sizes: &GroupSizes, valid: &dyn Fn(BlockId) -> u32) {
        (**self).set_groups(sizes, valid);
    }

    fn group_of(&self, block: BlockId) -> Option<usize> {
        (**self).group_of(block)
    }

    fn erased(&mut self, block: BlockId, erases: u32) {
        (**self).erased(block, erases);
    }

    #[inline]
    fn aim_group(&mut self, group: usize) {
        (**self).aim_group(group);
    }

    #[inline]
    fn invalidated(&mut self, block: BlockId, valid: u32) {
        (**self).invalidated(block, valid);
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        (**self).take(valid)
    }

    fn take_to(&mut self, to: BlockId, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        (**self).take_to(to, valid)
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        (**self).take_least(valid)
    }

    fn most_sparse(&self, pages_per_block: u32) -> u32 {
        (**self).most_sparse(pages_per_block)
    }

    fn take_sparse(
        &mut self,
        pages_per_block: u32,
        valid: &dyn Fn(BlockId) -> u32,
    ) -> Option<BlockId> {
        (**self).take_sparse(pages_per_block, valid)
    }

    fn emptied(&mut self, block: BlockId) {
        (**self).emptied(block);
    }

    #[inline]
    fn committed(&self) -> usize {
        (**self).committed()
    }

    fn least_valid(&self) -> Option<u32> {
        (**self).least_valid()
    }

    #[inline]
    fn prefetch(&self, block: BlockId) {
        (**self).prefetch(block);
    }

    fn work(&self) -> VictimWork {
        (**self).work()
    }

    fn lists(&self) -> Vec<List> {
        (**self).lists()
    }

    fn heap_bytes(&self) -> usize {
        (**self).heap_bytes()
    }

    fn ram_bytes(&self) -> u64 {
        (**self).ram_bytes()
    }
}

#[cfg(test)]
mod tests {
    use crate::victims::{VICTIM_POLICIES, VictimKind};
    use alloc::{string::ToString, vec::Vec};
    use flash::BlockId;

    #[test]
    fn it_is_the_policy_that_was_asked_for() {
        let valid = [3, 0, 2, 1];
        let taken = |kind: VictimKind| {
            let mut victims = kind.make(4, 4, 1);
            (0..4).for_each(|block| victims.insert(BlockId(block), valid[block as usize]));
            victims.take(&|block| valid[block.0 as usize]).unwrap().0
        };
        assert_eq!(taken(VictimKind::GREEDY), 1);
        assert_eq!(taken(VictimKind::greedy_scan(2)), 1);
        assert_eq!(taken(VictimKind::FIFO), 0);
        assert_eq!(taken(VictimKind::windowed_greedy(3)), 1);
        assert_eq!(taken(VictimKind::windowed_greedy(1)), 0);
        for kind in VictimKind::each(3) {
            let victims = kind.make(40, 4, 1);
            assert_eq!(victims.ram_bytes(), kind.controller_bytes(40, 4), "{kind}");
            assert_eq!((*victims).fork().ram_bytes(), victims.ram_bytes(), "{kind}");
        }
    }

    #[test]
    fn every_line_makes_its_own_kind() {
        for policy in VICTIM_POLICIES {
            let most: Vec<u16> = policy.numbers.iter().map(|known| known.most).collect();
            let kind = policy.kind(&most).unwrap();
            assert_eq!(kind.policy().name, policy.name);
            assert!(policy.kind(&[0]).is_none());
            assert!(policy.kind(&[1; 4]).is_none());
            let without = policy.numbers.iter().all(|known| known.default.is_some());
            assert_eq!(policy.kind(&[]).is_some(), without);
            assert_eq!(VICTIM_POLICIES.iter().filter(|other| other.name == policy.name).count(), 1);
        }
        assert_eq!(VictimKind::each(3).count(), VICTIM_POLICIES.len());
    }

    #[test]
    fn kinds_and_lines_as_texts() {
        let lines: Vec<_> = VICTIM_POLICIES.iter().map(|policy| policy.to_string()).collect();
        for line in ["greedy", "greedy-scan[:K]", "choices:D", "two-level-list[:T[:C[:G]]]"] {
            assert!(lines.iter().any(|known| known == line), "{line}: {lines:?}");
        }
        let texts: Vec<_> = VictimKind::each(3).map(|kind| kind.to_string()).collect();
        for text in ["greedy", "greedy-scan", "choices:3"] {
            assert!(texts.iter().any(|known| known == text), "{text}: {texts:?}");
        }
        assert_eq!(VictimKind::greedy_scan(5).to_string(), "greedy-scan:5");
        let choices = VICTIM_POLICIES.iter().find(|policy| policy.name == "choices").unwrap();
        assert!(choices.kind(&[65]).is_none());
        for (numbers, text) in [
            ([75, 5, 10], "two-level-list"),
            ([50, 5, 10], "two-level-list:50%"),
            ([75, 20, 10], "two-level-list:75%:20%"),
            ([75, 5, 1], "two-level-list:75%:5%:1%"),
        ] {
            assert_eq!(VictimKind::two_level_list(numbers).unwrap().to_string(), text);
        }
        assert_eq!(VictimKind::two_level_list([100, 5, 10]), None);
    }

    #[test]
    fn one_victim_at_a_time_but_for_the_search() {
        assert_eq!(VictimKind::greedy_scan(7).victims_at_once(), 7);
        assert_eq!(VictimKind::GREEDY.victims_at_once(), 1);
    }
}
