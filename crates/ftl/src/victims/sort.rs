//! Quicksort (Hoare, The Computer Journal 5(1), 1962) that counts its accesses.
//!
//! The pivot is the median of three, at the quarters. Short parts are sorted by insertion. It takes O(n log n)
//! comparisons on average and O(n²) in the worst case; its stack is O(log n) deep.
//!
//! The standard library's sorts are not used, since their work may change with the compiler.

use crate::victim_work::Accesses;

/// Longest part that is sorted by insertion.
const SHORT: usize = 12;

/// Sorts by rising key. A comparison reads two entries, an exchange writes two, a shift by one place writes one.
pub(super) fn sort<T: Copy>(items: &mut [T], key: impl Fn(T) -> u64) -> Accesses {
    let mut work = Accesses::default();
    quicksort(items, &key, &mut work);
    work
}

fn quicksort<T: Copy>(mut items: &mut [T], key: &impl Fn(T) -> u64, work: &mut Accesses) {
    while items.len() > SHORT {
        let at = partition(items, key, work);
        let (low, high) = items.split_at_mut(at);
        let (shorter, longer) = if low.len() < high.len() { (low, high) } else { (high, low) };
        quicksort(shorter, key, work);
        items = longer;
    }
    insert_in_order(items, key, work);
}

/// Partitions the items and returns the start of the second part, whose keys are no smaller than any key of the
/// first.
///
/// Neither part is empty: of the three items whose median is the pivot, one is no smaller and one no greater. So
/// both searches stop within the items.
fn partition<T: Copy>(items: &mut [T], key: &impl Fn(T) -> u64, work: &mut Accesses) -> usize {
    let pivot = key(items[median_of_three(items, key, work)]);
    let (mut low, mut high) = (0, items.len() - 1);
    loop {
        while key(items[low]) < pivot {
            work.reads += 2;
            low += 1;
        }
        while key(items[high]) > pivot {
            work.reads += 2;
            high -= 1;
        }
        // Counts the two comparisons that stopped the searches.
        work.reads += 4;
        if low >= high {
            return high + 1;
        }
        items.swap(low, high);
        work.writes += 2;
        (low, high) = (low + 1, high - 1);
    }
}

fn median_of_three<T: Copy>(items: &[T], key: &impl Fn(T) -> u64, work: &mut Accesses) -> usize {
    let places = [1, 2, 3].map(|quarter| items.len() * quarter / 4);
    let [first, middle, last] = places.map(|at| key(items[at]));
    work.reads += 6;
    match (first < middle, middle < last, first < last) {
        (true, true, _) | (false, false, _) => places[1],
        (true, false, true) | (false, true, false) => places[2],
        _ => places[0],
    }
}

fn insert_in_order<T: Copy>(items: &mut [T], key: &impl Fn(T) -> u64, work: &mut Accesses) {
    for from in 1..items.len() {
        let item = items[from];
        let mut at = from;
        while at > 0 {
            work.reads += 2;
            if key(items[at - 1]) <= key(item) {
                break;
            }
            items[at] = items[at - 1];
            work.writes += 1;
            at -= 1;
        }
        if at != from {
            items[at] = item;
            work.writes += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::properties::config())]

        #[test]
        fn sorts(items in proptest::collection::vec(0u64..200, 0..300)) {
            let mut sorted = items.clone();
            sort(&mut sorted, |item| item);
            let mut expected = items;
            expected.sort_unstable();
            prop_assert_eq!(sorted, expected);
        }
    }

    #[test]
    fn counts_by_hand() {
        // 3 before 1: one comparison, a shift, an insertion. 2 against 3 and 1: two comparisons, a shift, an
        // insertion.
        let mut items = [3, 1, 2];
        assert_eq!(sort(&mut items, |item| item), Accesses::new(6, 4));
        assert_eq!(sort(&mut items, |item| item), Accesses::new(4, 0));
        assert_eq!(sort(&mut [7u64], |item| item), Accesses::default());
    }

    /// Rising, falling, all equal, and sorted except for the last: no order that policies produce is a bad case.
    #[test]
    fn takes_n_log_n_on_orders_that_occur() {
        let n = 1u64 << 14;
        let rising: Vec<u64> = (0..n).collect();
        let falling: Vec<u64> = (0..n).rev().collect();
        let equal = alloc::vec![5; n as usize];
        let nearly: Vec<u64> = (1..n).chain([0]).collect();
        for mut items in [rising, falling, equal, nearly] {
            let work = sort(&mut items, |item| item);
            assert!(items.is_sorted());
            assert!(work.reads < 2 * 2 * n * 14, "{work:?}");
        }
    }
}
