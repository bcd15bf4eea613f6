use super::*;
use crate::arrivals::{Arrivals, Gatherer};
use alloc::vec::Vec;
use flash::Ns;

/// An array of which only the order of collections is known; the host and the victims may be any.
#[derive(Clone, Copy)]
struct Model {
    pages: u32,
    most_valid: u32,
    /// Copies per write.
    most_copies: u32,
    copy_ns: Ns,
    erase_ns: Ns,
    /// Copies and erase of a victim may go with one write.
    erase_with_copies: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// So many writes are to come before another victim may be taken.
    Rest(u32),
    /// Copies left, and writes from this one on until another victim may be taken.
    Victim(u32, u32),
}

impl Model {
    fn collections(&self) -> Collections {
        let copies_ns = u64::from(self.most_valid) * self.copy_ns;
        // All copies and the erase of a victim have come with this many writes at most.
        let writes =
            self.most_valid.div_ceil(self.most_copies) + u32::from(!self.erase_with_copies);
        Collections {
            erase_ns: self.erase_ns,
            copies_ns,
            copies_per_write_ns: u64::from(self.most_copies) * self.copy_ns,
            erase_with_copies: self.erase_with_copies,
            gap: self.pages - self.most_valid - (writes.max(1) - 1),
            gain: self.pages - self.most_valid,
        }
    }

    /// Longest collection of `n` writes from a state on, by trying everything.
    fn longest(&self, state: State, n: u32) -> Ns {
        if n == 0 {
            return 0;
        }
        match state {
            State::Rest(writes) if writes > 1 => self.longest(State::Rest(writes - 1), n - 1),
            State::Rest(_) => {
                let rest = self.longest(State::Rest(1), n - 1);
                // A victim of any number of pages.
                let victims = (0..=self.most_valid)
                    .map(|valid| self.longest(State::Victim(valid, self.pages - valid), n));
                victims.fold(rest, Ns::max)
            }
            State::Victim(left, until) => {
                let copies = left.min(self.most_copies);
                let spent_ns = u64::from(copies) * self.copy_ns;
                let erased = left == 0 || (self.erase_with_copies && copies == left);
                match erased {
                    true => spent_ns + self.erase_ns + self.longest(State::Rest(until), n - 1),
                    false => {
                        spent_ns + self.longest(State::Victim(left - copies, until - 1), n - 1)
                    }
                }
            }
        }
    }

    /// From any state on.
    fn longest_of_all(&self, n: u32) -> Ns {
        let mut longest = self.longest(State::Rest(1), n);
        for valid in 0..=self.most_valid {
            for left in 0..=valid {
                // A victim that is erased with its last copies is never without valid pages before.
                let erased = self.erase_with_copies && left == 0 && valid > 0;
                if !erased && (valid - left).is_multiple_of(self.most_copies) {
                    let gone = (valid - left) / self.most_copies;
                    let state = State::Victim(left, self.pages - valid - gone);
                    longest = longest.max(self.longest(state, n));
                }
            }
        }
        longest
    }
}

#[test]
fn no_order_of_collections_takes_longer_and_some_take_as_long() {
    let (mut reached, mut tried) = (0, 0);
    for erase_with_copies in [false, true] {
        for (pages, most_valid, most_copies) in
            [(4, 1, 1), (4, 2, 2), (5, 2, 1), (6, 3, 2), (6, 4, 4), (8, 5, 3), (7, 0, 1)]
        {
            let erase_ns = 10 * u64::from(most_copies) + 3;
            let model =
                Model { pages, most_valid, most_copies, copy_ns: 10, erase_ns, erase_with_copies };
            let bound = model.collections();
            for n in 0..=3 * pages.min(6) {
                let (most, found) = (bound.longest_ns(n.into()), model.longest_of_all(n));
                assert!(found <= most, "{n} writes of {bound:?}: {found} ns, bound {most}");
                reached += u32::from(found == most);
                tried += 1;
            }
        }
    }
    // The rest differ by copies that do not fill a step.
    assert!(reached * 10 >= tried * 8, "{reached} of {tried}");
}

fn service() -> Service {
    let collections = Collections {
        erase_ns: 2000,
        copies_ns: 56 * 225,
        copies_per_write_ns: 8 * 225,
        erase_with_copies: false,
        gap: 1,
        gain: 8,
    };
    Service { read_ns: 25, write_ns: 200, step_ns: 2000, collections: Some(collections) }
}

#[test]
fn writes_in_a_row_take_less_than_as_many_worst_cases() {
    let service = service();
    assert_eq!(service.writes_ns(0), 0);
    assert_eq!(service.writes_ns(1), 2200);
    // In the long run a victim per 8 writes.
    let each = (service.writes_ns(8_000_000) - service.writes_ns(8)) as f64 / 7_999_992.0;
    assert!((each - (200.0 + (2000.0 + 56.0 * 225.0) / 8.0)).abs() < 1e-3, "{each}");
    for n in 0..2000 {
        assert!(service.writes_ns(n) <= n * 2200);
        assert!(service.writes_ns(n) < service.writes_ns(n + 1));
        for time_ns in [service.writes_ns(n), service.writes_ns(n + 1) - 1] {
            assert_eq!(service.writes_within(time_ns), n);
        }
    }
}

/// The worst server of these arrivals, task by task: the longest of a greedy search over all windows.
fn by_windows(service: &Service, writes: &Arrivals, reads: &Arrivals, until_ns: Ns) -> Ns {
    let mut longest = 0;
    for window_ns in 0..until_ns {
        let work = service.tasks_ns(writes.most_within(window_ns), reads.most_within(window_ns));
        longest = longest.max(work.saturating_sub(window_ns));
        if work <= window_ns {
            return longest;
        }
    }
    panic!("no end of the busy period in {until_ns} ns");
}

/// The most page tasks that are pending in a server where all arrives as early as it may, writes first, and each write takes what it adds
/// to the longest time of those before it.
fn most_pending(service: &Service, writes: &Arrivals, reads: &Arrivals, until_ns: Ns) -> u64 {
    let mut ends: Vec<Ns> = Vec::new();
    let (mut written, mut read, mut free_ns, mut most) = (0, 0, 0, 0);
    for now_ns in 0..=until_ns {
        while written < writes.most_within(now_ns) {
            let took_ns = service.writes_ns(written + 1) - service.writes_ns(written);
            free_ns = now_ns.max(free_ns) + took_ns;
            written += 1;
            ends.push(free_ns);
        }
        while read < reads.most_within(now_ns) {
            free_ns = now_ns.max(free_ns) + service.read_ns;
            read += 1;
            ends.push(free_ns);
        }
        let done = ends.partition_point(|end_ns| *end_ns <= now_ns);
        most = most.max(ends.len() - done);
    }
    most as u64
}

#[test]
fn the_delay_is_that_of_all_windows() {
    let service = service();
    let periodic = |pages, period_ns, jitter_ns| Arrivals::Periodic { pages, period_ns, jitter_ns };
    let sum = Arrivals::Sum(Vec::from([Arrivals::bucket(3, 9_000), periodic(2, 31_000, 7_000)]));
    let mut gatherer = Gatherer::new();
    for (at, pages) in [(0, 1), (500, 3), (800, 1), (20_000, 2), (20_001, 9), (60_000, 1)] {
        gatherer.arrive(at, pages).unwrap();
    }
    let gathered = Arrivals::Gathered(gatherer.curve());
    for writes in [Arrivals::bucket(64, 3_000), periodic(5, 20_000, 19_999), sum, gathered] {
        for reads in [Arrivals::NONE, Arrivals::bucket(7, 1000), periodic(10, 900, 5_000)] {
            let found = delay(&service, &writes, &reads).unwrap();
            let all = by_windows(&service, &writes, &reads, 10_000_000);
            assert_eq!(found.delay_ns, all, "{writes:?} {reads:?}");
            assert!(found.busy_ns >= found.delay_ns && found.window_ns <= found.busy_ns);
            let pending = most_pending(&service, &writes, &reads, found.busy_ns);
            assert!(found.backlog_pages >= pending, "{pending} {found:?} {writes:?} {reads:?}");
            if reads == Arrivals::NONE {
                assert_eq!(found.backlog_pages, pending, "{writes:?}");
            }
        }
    }
}

#[test]
fn a_search_up_to_a_limit_ends_there_and_finds_the_same_below() {
    let service = service();
    let (writes, reads) = (Arrivals::bucket(64, 3_000), Arrivals::bucket(7, 1000));
    let all = delay(&service, &writes, &reads).unwrap();
    assert_eq!(delay_up_to(&service, &writes, &reads, all.delay_ns), Ok(all));
    let less = all.delay_ns - 1;
    assert_eq!(delay_up_to(&service, &writes, &reads, less), Err(Unbounded::Beyond(less)));
}

/// What is certain of a stream is what a server of that time per page does with it.
#[test]
fn the_least_delay_of_a_stream_is_reached_by_it() {
    for step in [900u64, 4_000, 30_000] {
        let (mut gatherer, mut arrivals) = (Gatherer::new(), Vec::new());
        for n in 0..400u64 {
            let (at_ns, pages) = (n * step + n * n % 850, 1 + n * 31 % 7);
            gatherer.arrive(at_ns, pages).unwrap();
            arrivals.push((at_ns, pages));
        }
        let curve = gatherer.curve();
        for ns_per_page in [1u64, 100, 777, 1_000, 5_000, 9_999] {
            let (mut free_ns, mut longest) = (0, 0);
            for (at_ns, pages) in &arrivals {
                free_ns = free_ns.max(*at_ns) + pages * ns_per_page;
                longest = longest.max(free_ns - at_ns);
            }
            let least = curve.least_delay_ns(ns_per_page);
            assert!(least <= longest, "{least} {longest}");
            assert!(
                least as f64 >= 0.75 * longest as f64,
                "{least} {longest}: {step} {ns_per_page}"
            );
        }
    }
    assert_eq!(Gatherer::new().curve().least_delay_ns(9), 0);
}

#[test]
fn a_long_busy_period_is_off_by_a_thousandth_at_most() {
    let plain = Service { read_ns: 25, write_ns: 200, step_ns: 0, collections: None };
    // A page per 201 ns behind a burst: the burst is worked off at 1 ns per page.
    let burst = 1_000_000;
    let found = delay(&plain, &Arrivals::bucket(burst, 201), &Arrivals::NONE).unwrap();
    let exact = burst * 200;
    assert!(found.delay_ns >= exact, "{found:?}");
    assert!(found.delay_ns as f64 <= exact as f64 * 1.001 + 1000.0, "{found:?}");
    assert!(found.backlog_pages >= burst && found.backlog_pages <= burst * 1001 / 1000 + 200);
}

#[test]
fn arrivals_beyond_the_service_have_no_bound() {
    let plain = Service { read_ns: 25, write_ns: 200, step_ns: 0, collections: None };
    for (writes, reads) in [
        (Arrivals::bucket(1, 199), Arrivals::NONE),
        (Arrivals::bucket(1, 400), Arrivals::bucket(1, 49)),
        (Arrivals::bucket(u64::MAX, 400), Arrivals::NONE),
    ] {
        assert_eq!(delay(&plain, &writes, &reads), Err(Unbounded::Overload));
    }
    // Exactly as much as can be served.
    let found = delay(&plain, &Arrivals::bucket(1, 400), &Arrivals::bucket(1, 50)).unwrap();
    assert_eq!(found.delay_ns, 225);
    let none = delay(&plain, &Arrivals::NONE, &Arrivals::NONE).unwrap();
    assert_eq!((none.delay_ns, none.backlog_pages, none.busy_ns), (0, 0, 0));
}

#[test]
fn windows_grow_where_they_are_said_to() {
    let mut gatherer = Gatherer::new();
    for step in 0..3000u64 {
        gatherer.arrive(step * step % 7919 + step * 8000, 1 + step % 3).unwrap();
    }
    for arrivals in [
        Arrivals::Gathered(gatherer.curve()),
        Arrivals::bucket(5, 70),
        Arrivals::Periodic { pages: 2, period_ns: 90, jitter_ns: 33 },
        Arrivals::NONE,
    ] {
        let mut window_ns = 0;
        for _ in 0..500 {
            let next_ns = arrivals.next_after(window_ns);
            let now = arrivals.most_within(window_ns);
            assert_eq!(arrivals.most_within(next_ns - 1), now, "{window_ns} to {next_ns}");
            if next_ns == Ns::MAX {
                break;
            }
            assert!(arrivals.most_within(next_ns) > now, "{window_ns} to {next_ns}");
            window_ns = next_ns;
        }
    }
}
