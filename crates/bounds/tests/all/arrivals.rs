//! Arrival curves beside what a search over all windows finds, and delays beside a queue.

use ftlkit_bounds::arrivals::{Disorder, Gatherer};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Pages within the closed window from one arrival to another.
fn windows(stream: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut all = Vec::new();
    for (at, first) in stream.iter().enumerate() {
        let mut pages = 0;
        for last in &stream[at..] {
            pages += last.1;
            all.push((last.0 - first.0, pages));
        }
    }
    all
}

/// Bursts, pauses and requests of several pages.
fn stream(seed: u64, requests: u64, largest: u64) -> Vec<(u64, u64)> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut at = random.random_range(0..1000);
    (0..requests)
        .map(|_| {
            at += match random.random_range(0..10) {
                0..3 => 0,
                3..9 => random.random_range(0..5_000),
                _ => random.random_range(0..500_000),
            };
            let most = random.random_range(1..=largest);
            (at, random.random_range(0..=most))
        })
        .collect()
}

/// The longest time of a page after its arrival, in a server of one rate.
fn longest(stream: &[(u64, u64)], ns_per_page: u64) -> u64 {
    let mut free_at = 0;
    let late = |(at, pages): &(u64, u64)| {
        free_at = free_at.max(*at) + pages * ns_per_page;
        if *pages == 0 { 0 } else { free_at - at }
    };
    stream.iter().map(late).max().unwrap()
}

fn gathered(stream: &[(u64, u64)]) -> Gatherer {
    let mut gatherer = Gatherer::new();
    stream.iter().for_each(|(at, pages)| gatherer.arrive(*at, *pages).unwrap());
    gatherer
}

#[test]
fn windows_are_those_of_a_search_over_all() {
    // The last has more pages than the largest number with a window of its own, so what is behind is forgotten.
    for (seed, largest) in (0..15).map(|seed| (seed, [1, 3, 40, 1000, 60_000][seed as usize % 5])) {
        let stream = stream(seed, 100, largest);
        let (curve, all) = (gathered(&stream).curve(), windows(&stream));
        let shortest = |pages| all.iter().filter(|(_, of)| *of >= pages).map(|(ns, _)| *ns).min();
        let most =
            |window| all.iter().filter(|(ns, _)| *ns <= window).map(|(_, of)| *of).max().unwrap();
        assert_eq!(curve.pages(), stream.iter().map(|(_, pages)| pages).sum::<u64>());
        assert!(!curve.spans().is_empty(), "seed {seed}");
        for span in curve.spans() {
            assert_eq!(Some(span.window_ns), shortest(span.pages), "seed {seed}: {span:?}");
            assert_eq!(curve.shortest_window(span.pages), Some(span.window_ns));
        }
        for window in all.iter().map(|(ns, _)| *ns).step_by(97).chain([0, 1, 999, 10_000_000_000]) {
            let [least, exact, upper] =
                [curve.least_within(window), most(window), curve.most_within(window)];
            assert!(
                least <= exact && exact <= upper,
                "seed {seed}, {window} ns: {least} {exact} {upper}"
            );
            // Eight numbers per octave, and each up to 64.
            if exact < 1 << 20 {
                assert!(
                    upper - least <= exact / 8,
                    "seed {seed}, {window} ns: {least} {exact} {upper}"
                );
            }
        }
        for pages in (1..=curve.pages()).step_by(1 + curve.pages() as usize / 500) {
            assert!(curve.shortest_window(pages) <= shortest(pages), "seed {seed}: {pages} pages");
        }
        assert_eq!(curve.shortest_window(curve.pages() + 1), None);
    }
}

#[test]
fn no_page_of_a_queue_is_later_than_its_bound_and_one_is_as_late() {
    for seed in 0..20 {
        let stream = stream(seed, 300, [1, 3, 20][seed as usize % 3]);
        let curve = gathered(&stream).curve();
        for bucket in curve.buckets().iter().filter(|bucket| bucket.ns_per_page < 1 << 30) {
            let seen = longest(&stream, bucket.ns_per_page);
            assert_eq!(bucket.burst_ns, seen, "seed {seed}: {bucket:?}");
            assert_eq!(curve.delay_ns(bucket.ns_per_page), Some(seen), "seed {seed}: {bucket:?}");
        }
        for ns_per_page in [1, 50, 777, 5_000, 123_456] {
            let bound = curve.delay_ns(ns_per_page).unwrap();
            assert!(longest(&stream, ns_per_page) <= bound, "seed {seed}: {ns_per_page} ns");
        }
    }
}

#[test]
fn windows_beyond_those_of_their_own_are_held_by_token_buckets() {
    // 4,096 pages every 2^22 ns: a page per 1,024 ns, which is one of the rates.
    let stream: Vec<_> = (0..1024).map(|at| (at << 22, 4096)).collect();
    let curve = gathered(&stream).curve();
    assert_eq!(curve.spans().last().unwrap().pages, 1 << 20);
    for more in [0, 255, 256, 700, 1023] {
        assert_eq!(curve.most_within(more << 22), (more + 1) * 4096, "{more}");
        assert_eq!(curve.shortest_window((more + 1) * 4096), Some(more << 22));
    }
    assert_eq!(curve.most_within((700 << 22) + 1023), 701 * 4096);
    assert_eq!(curve.delay_ns(1024), Some(4096 * 1024));
    // Beyond all rates, and beyond what is counted in ns.
    assert!(curve.delay_ns(1 << 41).unwrap() >= longest(&stream, 1 << 41));
    assert_eq!(curve.delay_ns(1 << 50), None);
}

#[test]
fn delays_of_few_pages_are_exact_at_any_rate() {
    for seed in 0..40 {
        let stream = stream(seed, 40, 1);
        let curve = gathered(&stream).curve();
        for ns_per_page in [1, 63, 777, 5_000, 123_456, 1 << 41] {
            assert_eq!(
                curve.delay_ns(ns_per_page),
                Some(longest(&stream, ns_per_page)),
                "seed {seed}"
            );
        }
    }
}

#[test]
fn a_stream_of_nothing_has_an_empty_curve_and_one_that_goes_back_is_refused() {
    let mut gatherer = Gatherer::new();
    gatherer.arrive(5, 0).unwrap();
    let curve = gatherer.curve();
    assert_eq!((curve.pages(), curve.most_within(1 << 40), curve.delay_ns(1)), (0, 0, Some(0)));
    gatherer.arrive(9, 1).unwrap();
    assert_eq!(gatherer.arrive(8, 1), Err(Disorder { at_ns: 8, last_ns: 9 }));
    assert_eq!(gatherer.curve().lasts_ns(), 0);
}

#[test]
fn what_has_no_end_is_saturated_and_never_below_the_truth() {
    let mut gatherer = Gatherer::new();
    gatherer.arrive(0, u64::MAX / 2).unwrap();
    gatherer.arrive(u64::MAX / 4, u64::MAX / 2).unwrap();
    let curve = gatherer.curve();
    assert_eq!(curve.most_within(u64::MAX), u64::MAX - 1);
    assert!(curve.most_within(0) >= u64::MAX / 2);
    assert_eq!(curve.delay_ns(1 << 50), None);
}
