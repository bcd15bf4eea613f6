use super::*;
use alloc::collections::{BTreeMap, VecDeque};
use proptest::prelude::*;

const LPNS: u32 = 40;
const A_PAGE: u32 = 8;

/// Reference model by linear search. Its queues are in order of use, the next entry to evict first.
struct Naive {
    entries: usize,
    most_protected: usize,
    keeps_dirty: bool,
    probationary: VecDeque<u32>,
    protected: VecDeque<u32>,
    /// PPN of each entry, and true if it is dirty.
    known: BTreeMap<u32, (u32, bool)>,
}

impl Naive {
    fn unlist(&mut self, lpn: u32) {
        self.probationary.retain(|other| *other != lpn);
        self.protected.retain(|other| *other != lpn);
    }

    fn kept(&self, lpn: u32) -> bool {
        self.keeps_dirty && self.known[&lpn].1
    }

    fn touch(&mut self, lpn: u32) {
        if self.kept(lpn) {
            return;
        }
        self.unlist(lpn);
        if self.most_protected == 0 {
            return self.probationary.push_back(lpn);
        }
        self.protected.push_back(lpn);
        if self.protected.len() > self.most_protected {
            let demoted = self.protected.pop_front().unwrap();
            self.probationary.push_back(demoted);
        }
    }

    fn set(&mut self, lpn: u32, ppn: u32) {
        self.known.insert(lpn, (ppn, true));
        if self.keeps_dirty {
            self.unlist(lpn);
        }
    }

    fn oldest(&self) -> Option<u32> {
        self.probationary.front().or(self.protected.front()).copied()
    }

    fn dirty(&self, page: u32) -> BTreeMap<u32, u32> {
        let of_page = self.known.iter().filter(|(lpn, entry)| **lpn / A_PAGE == page && entry.1);
        of_page.map(|(lpn, entry)| (*lpn, entry.0)).collect()
    }

    fn fullest(&self) -> usize {
        (0..LPNS / A_PAGE).map(|page| self.dirty(page).len()).max().unwrap()
    }

    /// Marks entries clean in the table's own order, since any order among them is correct.
    fn clean(&mut self, order: &[u32]) {
        for lpn in order {
            self.known.get_mut(lpn).unwrap().1 = false;
            if self.keeps_dirty {
                self.probationary.push_back(*lpn);
            }
        }
    }
}

fn check(cmt: &Cmt, naive: &Naive) -> Result<(), TestCaseError> {
    prop_assert_eq!(cmt.is_full(), naive.known.len() == naive.entries);
    prop_assert_eq!(cmt.oldest().map(|slot| cmt.lpn(slot).0), naive.oldest());
    for lpn in 0..LPNS {
        let found = cmt.find(Lpn(lpn)).map(|slot| (cmt.ppn(slot), cmt.is_dirty(slot)));
        prop_assert_eq!(found, naive.known.get(&lpn).copied());
    }
    let mut dirty = 0;
    for page in 0..LPNS / A_PAGE {
        let found: BTreeMap<u32, u32> =
            cmt.dirty_entries(page).map(|(lpn, ppn)| (lpn.0, ppn)).collect();
        prop_assert_eq!(&found, &naive.dirty(page));
        dirty += found.len();
    }
    prop_assert_eq!(cmt.dirty() as usize, dirty);
    let fullest = cmt.fullest_page().map_or(0, |page| cmt.dirty_entries(page).count());
    prop_assert_eq!(fullest, naive.fullest());
    Ok(())
}

proptest! {
    #![proptest_config(crate::properties::config())]

    /// Compares the table with the model, for both policies, with and without keeping dirty entries.
    #[test]
    fn agrees_with_searches(
        entries in 1u32..30,
        segmented: bool,
        keeps_dirty: bool,
        is_small: bool,
        steps in proptest::collection::vec((0u8..7, 0..LPNS, any::<u16>()), 0..300),
    ) {
        let policy = if segmented { CmtPolicy::SegmentedLru } else { CmtPolicy::Lru };
        let shape = Shape {
            entries, policy, logical_pages: LPNS, entries_per_page: A_PAGE, keeps_dirty, is_small,
        };
        let mut cmt = Cmt::new(&shape);
        let mut naive = Naive {
            entries: entries as usize,
            most_protected: if segmented { entries as usize / 2 } else { 0 },
            keeps_dirty,
            probationary: VecDeque::new(),
            protected: VecDeque::new(),
            known: BTreeMap::new(),
        };
        for (what, lpn, ppn) in steps {
            let ppn = u32::from(ppn);
            match (what, cmt.find(Lpn(lpn))) {
                (0..=1, None) => {
                    let inserted = cmt.insert(Lpn(lpn), ppn).is_some();
                    prop_assert_eq!(inserted, naive.known.len() < naive.entries);
                    if inserted {
                        naive.known.insert(lpn, (ppn, false));
                        naive.probationary.push_back(lpn);
                    }
                }
                (0..=1, Some(slot)) => { cmt.touch(slot); naive.touch(lpn); }
                (2..=3, Some(slot)) => { cmt.set(slot, ppn); naive.set(lpn, ppn); }
                (4, _) => if let Some(slot) = cmt.oldest() && !cmt.is_dirty(slot) {
                    let lpn = cmt.lpn(slot).0;
                    cmt.remove(slot);
                    naive.unlist(lpn);
                    naive.known.remove(&lpn);
                },
                (5, _) => {
                    let order: Vec<u32> = cmt.dirty_entries(lpn / A_PAGE).map(|entry| entry.0.0).collect();
                    cmt.clean(lpn / A_PAGE);
                    naive.clean(&order);
                }
                (6, Some(slot)) if cmt.is_dirty(slot) => {
                    cmt.clean_one(slot);
                    naive.clean(&[lpn]);
                }
                _ => {}
            }
            check(&cmt, &naive)?;
        }
    }
}

/// A table of firmware takes what it has room for beyond its size, in the memory that it has, and no more.
#[test]
fn a_small_table_does_not_grow_beyond_its_room() {
    let shape = Shape {
        entries: 10,
        policy: CmtPolicy::Lru,
        logical_pages: 400,
        entries_per_page: 16,
        keeps_dirty: true,
        is_small: true,
    };
    let mut cmt = Cmt::new(&shape);
    let bytes = cmt.heap_bytes();
    for lpn in (0..10).map(Lpn) {
        let slot = cmt.insert(lpn, lpn.0).unwrap();
        cmt.set(slot, 7);
    }
    assert_eq!(cmt.insert(Lpn(10), 7), None);
    for lpn in (10..10 + BEYOND as u32).map(Lpn) {
        let slot = cmt.insert_beyond(lpn, 7).unwrap();
        cmt.set(slot, lpn.0);
    }
    assert_eq!(cmt.insert_beyond(Lpn(399), 7), None);
    assert_eq!(cmt.heap_bytes(), bytes);
    (10..10 + BEYOND as u32).for_each(|lpn| assert!(cmt.find(Lpn(lpn)).is_some(), "{lpn}"));
    let mut grows = Cmt::new(&Shape { is_small: false, ..shape });
    (0..10).for_each(|lpn| _ = grows.insert(Lpn(lpn), 7));
    assert!((10..400).all(|lpn| grows.insert_beyond(Lpn(lpn), 7).is_some()));
}
