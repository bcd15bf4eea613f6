//! Worked examples of a few pages each.

use super::bench::{self, BLOCK, PAGE_BYTES, buffer, programmed};
use crate::bench::Device;
use flash::{Lpn, Store};
use ftlkit_ftl::{BufferLog, BufferPolicy, BufferSettings, BufferUnit, FtlError, Regions};

const S: u64 = 1_000_000_000;

/// A scheme whose calls return the pages that they programmed.
struct Hand(Box<Device>);

impl Hand {
    fn with(settings: BufferSettings) -> Self {
        Self(bench::on(settings, Store::All))
    }

    fn programmed(&mut self, done: Result<(), FtlError>) -> Vec<u32> {
        done.unwrap();
        programmed(&mut *self.0)
    }

    fn put(&mut self, lpn: u32) -> Vec<u32> {
        let done = self.0.write(Lpn(lpn), Some(&[lpn as u8; PAGE_BYTES as usize]));
        self.programmed(done)
    }

    fn through(&mut self, lpn: u32) -> Vec<u32> {
        let done = self.0.write_through(Lpn(lpn), Some(&[!lpn as u8; PAGE_BYTES as usize]));
        self.programmed(done)
    }

    /// Reads a page; true if it was in the buffer.
    fn get(&mut self, lpn: u32) -> bool {
        let hits = self.log().read_hits;
        assert!(self.bytes(lpn).is_some(), "LPN {lpn} is gone");
        self.log().read_hits > hits
    }

    fn forget(&mut self, lpn: u32) {
        let done = self.0.trim(Lpn(lpn));
        assert!(self.programmed(done).is_empty());
    }

    fn flushed(&mut self) -> Vec<u32> {
        let done = self.0.flush();
        self.programmed(done)
    }

    /// One call of `advance`.
    fn at(&mut self, now_ns: u64) -> Vec<u32> {
        let done = self.0.advance(now_ns);
        self.programmed(done)
    }

    fn due(&self) -> u64 {
        self.0.due_ns()
    }

    fn log(&self) -> &BufferLog {
        self.0.telemetry().buffer.unwrap().1
    }

    fn bytes(&mut self, lpn: u32) -> Option<u8> {
        let mut data = [0; PAGE_BYTES as usize];
        let present = self.0.read(Lpn(lpn), Some(&mut data)).unwrap();
        assert!(data.iter().all(|byte| *byte == data[0]));
        present.then_some(data[0])
    }
}

/// Writes pages, none of which evicts another.
fn put_all(hand: &mut Hand, pages: impl IntoIterator<Item = u32>) {
    for lpn in pages {
        assert_eq!(hand.put(lpn), [], "LPN {lpn}");
    }
}

#[test]
fn lru_evicts_what_was_used_longest_ago() {
    let hand = &mut Hand::with(buffer(BufferPolicy::LRU, 3));
    put_all(hand, [1, 2, 3, 1]);
    assert!(hand.get(2));
    assert_eq!(hand.put(4), [3]);
    assert_eq!(hand.put(5), [1]);
    assert_eq!([hand.get(3), hand.get(1), hand.get(2)], [false, false, true]);
    let log = hand.log();
    assert_eq!((log.write_hits, log.write_misses), (1, 5));
    assert_eq!((log.read_hits, log.read_misses), (2, 2));
    assert_eq!((log.evictions, log.evicted, log.held, log.dirty), (2, 2, 3, 3));
}

/// Four pages, the last two of them in the window. 1 is clean there, though 0 is older.
#[test]
fn cflru_evicts_clean_pages_of_the_window_first_and_no_clean_page_before_it() {
    let settings = BufferSettings { window_percent: Some(50), ..buffer(BufferPolicy::CFLRU, 4) };
    let hand = &mut Hand::with(settings);
    assert_eq!([hand.through(1), hand.through(3)], [[1], [3]]);
    put_all(hand, [0]);
    assert!(!hand.get(1));
    put_all(hand, [2]);
    assert!(!hand.get(3));
    // From the oldest: 0 dirty, 1 clean | 2 dirty, 3 clean.
    put_all(hand, [4]);
    assert_eq!(hand.log().dropped, 1);
    // 0 dirty, 2 dirty | 3 clean, 4 dirty: 3 is not in the window.
    assert_eq!(hand.put(5), [0]);
    // 2 dirty, 3 clean | 4 dirty, 5 dirty.
    put_all(hand, [6]);
    assert_eq!(hand.put(7), [2]);
    let log = hand.log();
    assert_eq!((log.evictions, log.evicted, log.dropped), (4, 2, 2));
}

#[test]
fn fab_evicts_the_fullest_block_and_of_several_the_least_recently_used() {
    let hand = &mut Hand::with(buffer(BufferPolicy::FAB, 8));
    let [a, b, c, d] = [0, BLOCK, 2 * BLOCK, 3 * BLOCK];
    put_all(hand, [c, a + 2, a, a + 1, b, b + 1, b + 4, d]);
    // Three pages each of a and b; a was used earlier.
    assert_eq!(hand.put(c + 1), [a, a + 1, a + 2]);
    put_all(hand, [c + 2, d + 1]);
    // Three pages each of b and c; a read is a use.
    assert!(hand.get(b));
    assert_eq!(hand.put(d + 2), [c, c + 1, c + 2]);
    let log = hand.log();
    assert_eq!((log.evictions, log.evicted, log.held), (2, 6, 6));
}

/// A trim makes a block less full, but is no use of it.
#[test]
fn fab_takes_no_trim_for_a_use() {
    let hand = &mut Hand::with(buffer(BufferPolicy::FAB, 8));
    let [a, b, c] = [0, BLOCK, 2 * BLOCK];
    put_all(hand, [a, a + 1, a + 2, a + 3, b, b + 1, b + 2]);
    hand.forget(a);
    put_all(hand, [c, c + 1]);
    assert_eq!(hand.put(c + 2), [a + 1, a + 2, a + 3]);
}

#[test]
fn bplru_pads_a_block_and_writes_it_whole_and_in_order() {
    let hand = &mut Hand::with(buffer(BufferPolicy::BPLRU, 7));
    let [a, b] = [0, BLOCK];
    // On flash: 0, 2 and 3. 5 was never written.
    for page in [a, a + 2, a + 3] {
        assert_eq!(hand.through(page), [page]);
    }
    put_all(hand, [a + 4, a + 1, a + 3, b + 2, b + 1, b, b + 3]);
    assert_eq!(hand.put(b + 4), [a, a + 1, a + 2, a + 3, a + 4]);
    let log = hand.log();
    assert_eq!((log.evictions, log.evicted, log.padded), (1, 3, 2));
    // A block that stays in the buffer is not padded.
    assert_eq!(hand.flushed(), [b, b + 1, b + 2, b + 3, b + 4]);
    // Padded pages keep their contents.
    assert_eq!(hand.bytes(a + 2), Some(!2));
    assert_eq!(hand.bytes(a + 3), Some(3));
    assert_eq!(hand.bytes(a + 5), None);
}

/// A block written from its first page to its last is unlikely to be written again (LRU compensation).
#[test]
fn bplru_evicts_a_sequential_block_first() {
    let hand = &mut Hand::with(buffer(BufferPolicy::BPLRU, 8));
    let (b, c) = (BLOCK, 2 * BLOCK);
    put_all(hand, [0, 1]);
    put_all(hand, b..c);
    assert_eq!(hand.put(2), (b..c).collect::<Vec<_>>());
    // The same pages in another order.
    put_all(hand, (b + 1..c).take(4));
    put_all(hand, [b]);
    assert_eq!(hand.put(c), [0, 1, 2]);
}

/// Regions of 3, 3 and 4 pages, in a buffer of ten.
#[test]
fn three_region_promotes_what_is_updated_and_evicts_what_is_to_be_evicted_first() {
    let settings = BufferSettings {
        unit: Some(BufferUnit::Page),
        regions: Some(Regions::Fixed { initial: 30, updated: 30 }),
        ..buffer(BufferPolicy::THREE_REGION, 10)
    };
    let hand = &mut Hand::with(settings);
    put_all(hand, [0, 1]);
    // An update moves them to the to-be-updated region, though they are the oldest.
    put_all(hand, [0, 1]);
    put_all(hand, [2, 3, 4, 5, 6, 7, 8, 9]);
    // Initial: 7, 8, 9; to be evicted: 2 to 6. A read is no update.
    assert!(hand.get(2));
    assert_eq!(hand.put(10), [2]);
    // An update moves a page out of the to-be-evicted region.
    put_all(hand, [3]);
    assert_eq!(hand.put(11), [4]);
    // The to-be-updated region has 0, 1, 3 and demotes 0.
    put_all(hand, [8]);
    let order = [[5], [6], [7], [0]];
    assert_eq!([12, 13, 14, 15].map(|lpn| hand.put(lpn)), order);
    assert_eq!(hand.log().regions, [3, 3]);
}

#[test]
fn three_region_takes_the_initial_region_before_the_to_be_updated_one() {
    let settings = BufferSettings {
        unit: Some(BufferUnit::Page),
        regions: Some(Regions::Fixed { initial: 50, updated: 49 }),
        ..buffer(BufferPolicy::THREE_REGION, 4)
    };
    let hand = &mut Hand::with(settings);
    // One to-be-updated page, two initial ones, and one demoted by the initial region.
    put_all(hand, [0, 0, 1, 2, 3]);
    assert_eq!(hand.put(4), [1]);
    hand.forget(2);
    put_all(hand, [5]);
    assert_eq!(hand.put(6), [3]);
    hand.forget(4);
    // None is to be evicted, two are initial, and 0 is the oldest of all.
    put_all(hand, [0]);
    assert_eq!(hand.log().held, 3);
}

/// A page that returns soon after its eviction was demoted too early by its region.
#[test]
fn three_region_sizes_follow_the_writes_and_the_log_says_so() {
    let settings =
        BufferSettings { unit: Some(BufferUnit::Page), ..buffer(BufferPolicy::THREE_REGION, 40) };
    let hand = &mut Hand::with(settings);
    put_all(hand, 0..40);
    assert_eq!((hand.put(40), hand.log().regions), (vec![0], [2, 2]));
    assert_eq!((hand.put(0), hand.log().regions), (vec![1], [3, 2]));
    // An eviction without a return undoes the growth.
    assert_eq!((hand.put(50), hand.log().regions), (vec![2], [2, 2]));
}

#[test]
fn dirty_pages_are_written_when_they_are_thirty_seconds_old_and_stay() {
    let hand = &mut Hand::with(buffer(BufferPolicy::LRU, 4));
    assert_eq!(hand.due(), u64::MAX);
    assert_eq!(hand.at(2 * S), []);
    put_all(hand, [1]);
    assert_eq!(hand.at(12 * S), []);
    // An update does not make a dirty page younger.
    put_all(hand, [2, 1]);
    assert_eq!(hand.due(), 32 * S);
    assert_eq!(hand.at(32 * S - 1), []);
    assert_eq!(hand.at(32 * S), [1]);
    assert_eq!(hand.due(), 42 * S);
    assert_eq!(hand.at(100 * S), [2]);
    assert_eq!((hand.due(), hand.at(200 * S)), (u64::MAX, vec![]));
    assert!(hand.get(1) && hand.get(2));
    let log = hand.log();
    assert_eq!((log.aged, log.held, log.dirty, log.evictions), (2, 2, 0, 0));
    // Clean pages are dropped, not written again.
    put_all(hand, [3, 4, 5, 6]);
    assert_eq!(hand.log().dropped, 2);
}

#[test]
fn an_age_of_nothing_is_for_ever_and_another_is_kept() {
    let aged = |age_ns| BufferSettings { age_ns: Some(age_ns), ..buffer(BufferPolicy::FAB, 12) };
    let hand = &mut Hand::with(aged(0));
    put_all(hand, [1]);
    assert_eq!((hand.due(), hand.at(u64::MAX - 1)), (u64::MAX, vec![]));
    assert_eq!(hand.flushed(), [1]);
    let hand = &mut Hand::with(aged(S));
    put_all(hand, [1]);
    assert_eq!(hand.at(S / 2), []);
    // The whole block is written with its oldest page.
    put_all(hand, [3, 2]);
    assert_eq!((hand.due(), hand.at(S)), (S, vec![1, 2, 3]));
}

#[test]
fn forced_writes_go_below_at_once_and_a_flush_writes_all_that_is_dirty() {
    let hand = &mut Hand::with(buffer(BufferPolicy::LRU, 4));
    assert_eq!(hand.through(1), [1]);
    assert_eq!((hand.log().held, hand.bytes(1)), (0, Some(!1)));
    put_all(hand, [2, 3, 1]);
    assert_eq!(hand.through(2), [2]);
    assert_eq!((hand.log().held, hand.log().dirty, hand.bytes(2)), (3, 2, Some(!2)));
    assert_eq!(hand.flushed(), [3, 1]);
    assert_eq!((hand.flushed(), hand.due()), (vec![], u64::MAX));
    let log = hand.log();
    assert_eq!((log.through, log.flushed, log.dirty, log.held), (2, 2, 0, 3));
}

#[test]
fn trims_drop_dirty_pages() {
    let hand = &mut Hand::with(buffer(BufferPolicy::LRU, 4));
    assert_eq!(hand.through(1), [1]);
    put_all(hand, [1, 2]);
    hand.forget(1);
    hand.forget(2);
    assert_eq!([hand.bytes(1), hand.bytes(2)], [None, None]);
    assert_eq!((hand.log().held, hand.log().dirty), (0, 0));
    assert_eq!(hand.flushed(), []);
}

#[test]
fn what_is_read_comes_in_where_that_is_asked() {
    let settings = BufferSettings { reads: Some(true), ..buffer(BufferPolicy::LRU, 2) };
    let hand = &mut Hand::with(settings);
    assert_eq!([1, 2, 3].map(|lpn| hand.through(lpn)), [[1], [2], [3]]);
    assert_eq!(
        [hand.get(1), hand.get(1), hand.get(2), hand.get(3), hand.get(1)],
        [false, true, false, false, false]
    );
    let log = hand.log();
    assert_eq!((log.evictions, log.dropped, log.evicted, log.dirty), (2, 2, 0, 0));
}
