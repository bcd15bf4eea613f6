//! Each rule separately, its work counted by hand, and all rules against naive lists.

use super::*;
use alloc::collections::BTreeMap;
use proptest::prelude::*;

/// Candidates and garbage, head first.
fn lists(victims: &TwoLevelList) -> [Vec<u32>; 2] {
    [&victims.candidates, &victims.garbage].map(|list| list.iter().copied().collect())
}

/// Makes an array of 60 blocks of 8 pages, with lists of 3 and 6 places and full blocks of 8 valid pages.
fn full(count: u32) -> TwoLevelList {
    let mut victims = TwoLevelList::new(60, 8);
    (0..count).for_each(|block| victims.insert(BlockId(block), 8));
    victims
}

/// Invalidates pages of a block one by one until `left` are left.
fn lose(victims: &mut TwoLevelList, block: u32, left: u32) {
    let valid = victims.entries[block as usize].valid;
    (left..valid).rev().for_each(|valid| victims.invalidated(BlockId(block), valid));
}

fn take(victims: &mut TwoLevelList) -> Option<u32> {
    // The lists keep counts themselves.
    victims.take(&|_| unreachable!()).map(|block| block.0)
}

#[test]
fn lists_have_the_papers_lengths() {
    assert_eq!(TwoLevelList::lengths(16_384), [819, 1_638]);
    assert_eq!(TwoLevelList::lengths(9), [1, 1]);
    let victims = TwoLevelList::new(16_384, 128);
    assert_eq!(victims.ram_bytes(), 16_384 + (819 + 1_638) * 4);
}

#[test]
fn a_block_enters_once_more_than_three_quarters_are_invalid() {
    let mut victims = full(4);
    lose(&mut victims, 1, 2);
    assert_eq!(lists(&victims), [vec![], vec![]]);
    lose(&mut victims, 1, 1);
    assert_eq!(lists(&victims), [vec![1], vec![]]);
    // It does not enter twice.
    lose(&mut victims, 1, 0);
    assert_eq!(lists(&victims), [vec![1], vec![]]);
    let work = victims.work();
    assert_eq!(work.filled, Accesses::new(4, 4));
    assert_eq!(work.invalidated, Accesses::new(8, 2));
}

/// A block of 6 pages passes with 5 invalid pages (more than 4.5), a block of 4 only with all 4.
#[test]
fn the_threshold_is_exact() {
    for (pages, passes) in [(6, 1), (4, 0), (1, 0), (5, 1), (128, 31)] {
        let victims = TwoLevelList::new(20, pages);
        assert!(victims.passes(passes) && !victims.passes(passes + 1), "{pages}");
    }
}

#[test]
fn a_block_that_passed_while_it_was_written_enters_when_it_is_full() {
    let mut victims = full(0);
    victims.invalidated(BlockId(5), 0);
    assert_eq!(lists(&victims), [vec![], vec![]]);
    victims.insert(BlockId(5), 0);
    assert_eq!(lists(&victims), [vec![5], vec![]]);
    assert_eq!(victims.work().invalidated, Accesses::new(1, 0));
    assert_eq!(victims.work().filled, Accesses::new(1, 3));
}

#[test]
fn a_full_list_demotes_what_is_wholly_invalid() {
    let mut victims = full(8);
    [3, 1, 2].into_iter().for_each(|block| lose(&mut victims, block, 1));
    [3, 2].into_iter().for_each(|block| lose(&mut victims, block, 0));
    assert_eq!(lists(&victims), [vec![3, 1, 2], vec![]]);
    let before = victims.work();
    lose(&mut victims, 6, 1);
    assert_eq!(lists(&victims), [vec![1, 6], vec![3, 2]]);
    // 7 pages lost, three candidates examined; two moved, one closed up, one entered.
    let work = victims.work().since(&before);
    assert_eq!(work.invalidated, Accesses::new(7 + 6, 4 + 1 + 2));
    // With room in the list no candidate is examined.
    lose(&mut victims, 7, 1);
    assert_eq!(lists(&victims), [vec![1, 6, 7], vec![3, 2]]);
    assert_eq!(victims.work().since(&before).invalidated, Accesses::new(7 + 6 + 7, 7 + 2));
}

#[test]
fn a_full_list_without_wholly_invalid_blocks_is_sorted_and_loses_its_tail() {
    let mut victims = TwoLevelList::new(60, 16);
    (0..8).for_each(|block| victims.insert(BlockId(block), 16));
    lose(&mut victims, 4, 3);
    lose(&mut victims, 5, 1);
    lose(&mut victims, 6, 2);
    assert_eq!(lists(&victims), [vec![4, 5, 6], vec![]]);
    let before = victims.work();
    lose(&mut victims, 7, 3);
    assert_eq!(lists(&victims), [vec![5, 6, 7], vec![]]);
    // 13 lost, 6 reads to examine candidates, three comparisons; four shifts and insertions, one dropped, one
    // entered.
    let work = victims.work().since(&before);
    assert_eq!(work.invalidated, Accesses::new(13 + 6 + 6, 4 + 1 + 2));
    // The dropped block returns with the next page that it loses, and another is dropped.
    lose(&mut victims, 4, 2);
    assert_eq!(lists(&victims), [vec![5, 6, 4], vec![]]);
    assert_eq!(victims.entries[7].place, Use::Full);
}

#[test]
fn where_the_garbage_list_is_full_candidates_stay() {
    let mut victims = full(12);
    for block in 0..9 {
        lose(&mut victims, block, 0);
    }
    // At 3 and 6 all candidates were moved.
    assert_eq!(lists(&victims), [vec![6, 7, 8], vec![0, 1, 2, 3, 4, 5]]);
    // No room: sorted, equals by number, and the tail is dropped although all its pages are invalid.
    lose(&mut victims, 9, 1);
    assert_eq!(lists(&victims), [vec![6, 7, 9], vec![0, 1, 2, 3, 4, 5]]);
    // One place is free: the first of them is moved.
    assert_eq!(take(&mut victims), Some(0));
    lose(&mut victims, 10, 1);
    assert_eq!(lists(&victims), [vec![7, 9, 10], vec![1, 2, 3, 4, 5, 6]]);
}

#[test]
fn victims_are_the_heads_and_then_what_a_search_finds() {
    let mut victims = full(10);
    [3, 1, 2].into_iter().for_each(|block| lose(&mut victims, block, 1));
    lose(&mut victims, 2, 0);
    // The head of the candidates is taken, although another has no valid page.
    assert_eq!((victims.least_valid(), take(&mut victims.clone())), (None, Some(3)));
    lose(&mut victims, 6, 1);
    assert_eq!(lists(&victims), [vec![3, 1, 6], vec![2]]);
    assert_eq!(victims.least_valid(), Some(0));
    lose(&mut victims, 7, 4);
    lose(&mut victims, 8, 4);
    let before = victims.work();
    assert_eq!([(); 4].map(|()| take(&mut victims)), [2, 3, 1, 6].map(Some));
    assert_eq!(victims.work().since(&before).chosen, Accesses::new(4, 4));
    assert_eq!(take(&mut victims), Some(7));
    assert_eq!(take(&mut victims), Some(8));
    assert_eq!(victims.work().since(&before).chosen, Accesses::new(4 + 120, 6));
    // All blocks left are full of valid pages.
    assert_eq!(take(&mut victims), None);
    assert_eq!(victims.work().since(&before).chosen, Accesses::new(4 + 180, 6));
}

#[test]
fn a_victim_that_is_put_back_is_a_candidate_again() {
    let mut victims = full(3);
    lose(&mut victims, 1, 1);
    assert_eq!(take(&mut victims), Some(1));
    // Pages that it loses during its collection do not bring it back.
    lose(&mut victims, 1, 0);
    assert_eq!(lists(&victims), [vec![], vec![]]);
    victims.insert(BlockId(1), 0);
    assert_eq!(lists(&victims), [vec![1], vec![]]);
}

/// The lists by the rules, on plain vectors.
#[derive(Default)]
struct Naive {
    valid: BTreeMap<u32, u32>,
    candidates: Vec<u32>,
    garbage: Vec<u32>,
    most: [usize; 2],
    pages: u32,
}

impl Naive {
    fn check(&mut self, block: u32) {
        let valid = self.valid[&block];
        let listed = self.candidates.contains(&block) || self.garbage.contains(&block);
        if listed || (self.pages - valid) * 4 <= self.pages * 3 {
            return;
        }
        if self.candidates.len() == self.most[0] {
            let mut moved = false;
            while let Some(at) = self.candidates.iter().position(|block| self.valid[block] == 0)
                && self.garbage.len() < self.most[1]
            {
                self.garbage.push(self.candidates.remove(at));
                moved = true;
            }
            if !moved {
                self.candidates.sort_by_key(|block| (self.valid[block], *block));
                self.candidates.pop();
            }
        }
        self.candidates.push(block);
    }

    fn least(&self) -> Option<u32> {
        let gaining = self.valid.iter().filter(|(_, valid)| **valid < self.pages);
        gaining.map(|(block, valid)| (*valid, *block)).min().map(|(_, block)| block)
    }

    fn take(&mut self) -> Option<u32> {
        let lists = [&self.garbage, &self.candidates];
        let head = lists.into_iter().find_map(|list| list.first().copied());
        head.or_else(|| self.least()).inspect(|block| self.remove(*block))
    }

    fn remove(&mut self, block: u32) {
        self.valid.remove(&block);
        self.candidates.retain(|other| *other != block);
        self.garbage.retain(|other| *other != block);
    }
}

proptest! {
    #![proptest_config(crate::properties::config())]

    #[test]
    fn keeps_the_lists_by_the_rules(
        blocks in 1u32..70,
        pages in 1u32..10,
        steps in proptest::collection::vec((0u8..20, 0u32..70, 0u32..10), 0..600),
    ) {
        let mut victims = TwoLevelList::new(blocks, pages);
        let most = [(blocks / 20).max(1) as usize, (blocks / 10).max(1) as usize];
        let mut naive = Naive { most, pages, ..Naive::default() };
        for (what, block, valid) in steps {
            let (block, valid) = (block % blocks, valid.min(pages));
            match (what, naive.valid.get(&block).copied()) {
                (0..=5, None) => {
                    victims.insert(BlockId(block), valid);
                    naive.valid.insert(block, valid);
                    naive.check(block);
                }
                (..=17, Some(v)) if v > 0 => {
                    let left = if what < 9 { v - 1 } else { v / 2 };
                    for valid in (left..v).rev() {
                        victims.invalidated(BlockId(block), valid);
                        naive.valid.insert(block, valid);
                        naive.check(block);
                    }
                }
                (18, _) => {
                    let least = victims.take_least(&|_| 0).map(|block| block.0);
                    prop_assert_eq!(least, naive.least());
                    least.inspect(|block| naive.remove(*block));
                }
                (19, _) => prop_assert_eq!(take(&mut victims), naive.take()),
                _ => {}
            }
            prop_assert_eq!(lists(&victims), [naive.candidates.clone(), naive.garbage.clone()]);
        }
    }
}
