//! Output of the built-in workloads: shares, sizes, heat, order.

use crate::common::{sequential, take};
use ftlkit_workload::{BUILTIN, Op, Request, SniaPlan, Space, WorkloadSpec};
use std::collections::{BTreeMap, HashSet};

const PAGE: u64 = 4096;

fn space(pages: u64) -> Space {
    Space { bytes: pages * PAGE, page_bytes: PAGE as u32, pages_per_block: 64 }
}

fn share(requests: &[Request], what: impl Fn(&Request) -> bool) -> f64 {
    requests.iter().filter(|r| what(r)).count() as f64 / requests.len() as f64
}

/// True if `seen` is within five standard deviations of the share `right` of `n` draws.
fn near(seen: f64, right: f64, n: usize) -> bool {
    (seen - right).abs() <= 5.0 * (right * (1.0 - right) / n as f64).sqrt() + 1e-9
}

fn counts_by_page(requests: &[Request], pages: u64) -> Vec<u64> {
    let mut counts = vec![0; pages as usize];
    for request in requests {
        counts[(request.offset / PAGE) as usize] += 1;
    }
    counts
}

#[test]
fn uniform_visits_every_page_alike() {
    let requests = take(&WorkloadSpec::builtin("uniform").limited(1_024_000), space(1024), 1);
    assert!(requests.iter().all(|r| r.op == Op::Write && r.length == PAGE && r.offset % PAGE == 0));
    let counts = counts_by_page(&requests, 1024);
    let chi: f64 = counts.iter().map(|&count| (count as f64 - 1000.0).powi(2) / 1000.0).sum();
    assert!((850.0..1200.0).contains(&chi), "chi-squared {chi} with 1023 degrees");
}

#[test]
fn operations_come_in_their_shares() {
    for name in ["uniform", "zipf", "pareto", "hot-cold", "sequential", "mixed"] {
        let spec = WorkloadSpec::builtin(name)
            .with("write_share", 0.3)
            .with("trim_share", "10%")
            .limited(200_000);
        let requests = take(&spec, space(4096), 2);
        assert!(near(share(&requests, |r| r.op == Op::Trim), 0.1, requests.len()), "{name}");
        assert!(near(share(&requests, |r| r.op == Op::Write), 0.27, requests.len()), "{name}");
        assert!(near(share(&requests, |r| r.op == Op::Read), 0.63, requests.len()), "{name}");
    }
}

#[test]
fn zipf_ranks_have_their_frequencies_and_lie_apart() {
    let pages = 4096;
    let requests = take(
        &WorkloadSpec::builtin("zipf").with("theta", 0.99).limited(1_000_000),
        space(pages),
        3,
    );
    let mut counts: Vec<_> = counts_by_page(&requests, pages).into_iter().zip(0u64..).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let total: f64 = (1..=pages).map(|rank| (rank as f64).powf(-0.99)).sum();
    for rank in 1..=20 {
        let right = (rank as f64).powf(-0.99) / total;
        assert!(near(counts[rank - 1].0 as f64 / 1e6, right, 1_000_000), "rank {rank}");
    }
    let hot: HashSet<_> = counts[..32].iter().map(|&(_, page)| page / 64).collect();
    assert!(hot.len() > 16, "32 hot pages lie in only {} of 64 blocks", hot.len());
    let together = WorkloadSpec::builtin("zipf").with("scatter", "no").limited(100_000);
    let counts = counts_by_page(&take(&together, space(pages), 3), pages);
    assert_eq!(counts.iter().max(), Some(&counts[0]));
}

#[test]
fn hot_places_and_the_pareto_head_take_their_share() {
    let pages = 10_000;
    for (name, key) in [("hot-cold", "hot_space"), ("pareto", "h")] {
        let spec =
            WorkloadSpec::builtin(name).with(key, 0.1).with("scatter", "no").limited(500_000);
        let spec = if name == "hot-cold" { spec.with("hot_requests", 0.9) } else { spec };
        let requests = take(&spec, space(pages), 4);
        let head = share(&requests, |r| r.offset < pages / 10 * PAGE);
        assert!(near(head, 0.9, requests.len()), "{name}: {head}");
        let scattered = take(&spec.with("scatter", "yes"), space(pages), 4);
        let mut counts = counts_by_page(&scattered, pages);
        assert!(counts[..1000].iter().sum::<u64>() < 250_000, "{name}: hot places are spread");
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let head = counts[..1000].iter().sum::<u64>() as f64 / 5e5;
        assert!((head - 0.9).abs() < 0.005, "{name}: {head}");
    }
}

#[test]
fn sequential_goes_round_without_a_gap() {
    let spec = WorkloadSpec::builtin("sequential").with("size", "10k").limited(1000);
    let requests = take(&spec, space(64), 5);
    let mut next = 0;
    for request in &requests {
        assert_eq!(request.offset, next);
        next = (request.offset + request.length) % (64 * PAGE);
        assert!(request.length == 10_240 || next == 0, "only the last of a pass is shorter");
    }
}

#[test]
fn mixed_streams_take_their_share() {
    let spec = WorkloadSpec::builtin("mixed").with("sequential_share", 0.75).limited(100_000);
    let requests = take(&spec, space(1 << 20), 6);
    let mut next = 0;
    let mut sequential = 0;
    for request in &requests {
        if request.offset == next {
            sequential += 1;
            next += request.length;
        }
    }
    assert!(near(f64::from(sequential) / 1e5, 0.75, 100_000), "{sequential}");
}

#[test]
fn randrw_speaks_fio() {
    let spec = WorkloadSpec::builtin("randrw")
        .with("rwmixread", 70)
        .with("bssplit", "4k/60:8k/40,16k/50:64k/")
        .with("blockalign", "4k")
        .with("random_distribution", "zoned:60/10:30/20:10/70")
        .limited(300_000);
    let requests = take(&spec, space(100_000), 7);
    let n = requests.len();
    assert!(near(share(&requests, |r| r.op == Op::Read), 0.7, n));
    assert!(near(share(&requests, |r| r.op == Op::Read && r.length == 4096), 0.42, n));
    assert!(near(share(&requests, |r| r.op == Op::Write && r.length == 65_536), 0.15, n));
    assert!(requests.iter().all(|r| r.offset % 4096 == 0));
    let below = |part: u64| share(&requests, |r| r.offset < part * 1000 * PAGE);
    assert!((below(10) - 0.6).abs() < 0.006 && (below(30) - 0.9).abs() < 0.004);
    for law in ["uniform", "random", "zipf", "zipf:1.0", "pareto:0.1", "hotcold", "hotcold:10/90"] {
        take(
            &WorkloadSpec::builtin("randrw").with("random_distribution", law).limited(1000),
            space(1000),
            7,
        );
    }
}

#[test]
fn tables_of_the_papers_come_out() {
    let big = Space { bytes: 1 << 30, page_bytes: 2048, pages_per_block: 64 };
    let printed = [
        ("websearch-like", 1_055_448, 0.000_2, 15.05),
        ("financial-like", 3_698_864, 0.176_6, 5.24),
        ("copy-file-like", 670_412, 0.718_9, 42.30),
        ("download-file-like", 1_730_415, 0.672_1, 41.10),
        ("play-video-like", 875_928, 0.634_4, 47.75),
    ];
    for (name, count, writes, kib) in printed {
        let requests = take(&WorkloadSpec::builtin(name), big, 8);
        assert_eq!(requests.len(), count, "{name}");
        let seen = share(&requests, |r| r.op == Op::Write);
        assert!((seen / writes - 1.0).abs() < 0.01, "{name}: {seen} writes");
        let mean = requests.iter().map(|r| r.length).sum::<u64>() as f64 / 1024.0 / count as f64;
        assert!((mean / kib - 1.0).abs() < 0.01, "{name}: {mean} KiB");
    }
}

/// Share of the requests of one operation that start at the end of one of its last 16.
fn sequential_share(requests: &[Request], op: Op) -> f64 {
    let of_op = || requests.iter().filter(|r| r.op == op);
    sequential(of_op()).len() as f64 / of_op().count() as f64
}

#[test]
fn stand_ins_have_the_character_that_is_described() {
    let big = Space { bytes: 32 << 30, page_bytes: 2048, pages_per_block: 64 };
    let play = |name: &str| take(&WorkloadSpec::builtin(name).limited(200_000), big, 9);
    let [web, financial, copy, download, video] = [
        "websearch-like",
        "financial-like",
        "copy-file-like",
        "download-file-like",
        "play-video-like",
    ]
    .map(play);
    let (copied, downloaded, played) = (
        sequential_share(&copy, Op::Write),
        sequential_share(&download, Op::Write),
        sequential_share(&video, Op::Write),
    );
    assert!(sequential_share(&web, Op::Read) < 0.15);
    assert!(
        sequential_share(&financial, Op::Read) > 0.5,
        "{}",
        sequential_share(&financial, Op::Read)
    );
    assert!(downloaded > copied && copied > 0.6 && played < 0.3, "{downloaded} {copied} {played}");
    assert!(sequential_share(&copy, Op::Read) > 0.6);
    let nine_tenths = (32u64 << 30) / 10 * 9;
    assert!(financial.iter().all(|r| r.offset + r.length <= nine_tenths), "0.9 of the device");
}

#[test]
fn benchmarks_have_the_printed_numbers_and_reach_both_ends_of_their_range() {
    let space = Space { bytes: 125_061 * 2048, page_bytes: 2048, pages_per_block: 64 };
    let printed = [
        ("format", 15, 36, 0, 533),
        ("andrew", 2, 3_126, 1, 2_867),
        ("postmark", 412, 21_153, 2, 10_000),
        ("postmark-long", 23_694, 1_238_135, 1, 65_543),
        ("iozone", 3_713, 3_089_393, 1, 65_588),
        ("consumer", 76_749, 125_596, 1, 125_060),
    ];
    let mut all = Vec::new();
    for (name, reads, writes, first, last) in printed {
        let requests = take(&WorkloadSpec::builtin(name), space, 10);
        let count = |op| requests.iter().filter(|r| r.op == op).count();
        assert_eq!((count(Op::Read), count(Op::Write)), (reads, writes), "{name}");
        let sectors = || requests.iter().map(|r| r.offset / 2048);
        assert_eq!((sectors().min(), sectors().max()), (Some(first), Some(last)), "{name}");
        assert!(requests.iter().all(|r| r.length == 2048));
        if name != "consumer" {
            all.push(requests.len());
        }
    }
    let synthetic = take(&WorkloadSpec::builtin("gftl-synthetic"), space, 10);
    assert_eq!(synthetic.len(), all.iter().sum::<usize>());
    assert_eq!(synthetic.iter().filter(|r| r.op == Op::Write).count(), 4_351_843);
    assert_eq!(synthetic.iter().filter(|r| r.op == Op::Read).count(), 27_836);
    let format = &synthetic[..51];
    assert!(
        format.iter().any(|r| r.offset == 533 * 2048)
            && format.iter().all(|r| r.offset <= 533 * 2048)
    );
}

#[test]
fn benchmarks_that_do_not_fit_say_so_and_scale_where_asked() {
    let small = space(1000);
    let error = WorkloadSpec::builtin("iozone").check(small).unwrap_err().to_string();
    assert!(error.contains("sector must be such that 65589 sectors of 4 KiB fit"), "{error}");
    assert!(error.contains("fit = scale"), "{error}");
    let scaled = WorkloadSpec::builtin("iozone").with("fit", "scale");
    assert!(scaled.check(small).unwrap().notes.iter().any(|note| note.contains("scaled down")));
    let requests = take(&scaled, small, 1);
    assert_eq!(requests.len(), 3_713 + 3_089_393);
    assert_eq!(requests.iter().map(|r| r.offset).max(), Some(999 * PAGE));
}

#[test]
fn snia_writes_twice_and_then_runs_through_its_table() {
    let space = space(1024);
    let spec = WorkloadSpec::builtin("snia").with("rounds", 3).with("requests_per_cell", 500);
    let requests = take(&spec, space, 11);
    let WorkloadSpec::Builtin { parameters, .. } = &spec else { unreachable!() };
    let plan = SniaPlan::new(parameters, &space).unwrap();
    assert_eq!(
        (plan.precondition_requests, plan.cells(), plan.requests()),
        (64, 56, requests.len() as u64)
    );
    let (first, rounds) = requests.split_at(64);
    assert!(first.iter().all(|r| r.op == Op::Write && r.length == 131_072));
    assert_eq!(first.iter().map(|r| r.length).sum::<u64>(), 2 * space.bytes);
    for (i, cell) in rounds.chunks(500).enumerate() {
        let plan = plan.cell(64 + i as u64 * 500).unwrap();
        assert_eq!(plan.round, i as u64 / 56);
        assert!(cell.iter().all(|r| r.length == plan.block_bytes && r.offset % r.length == 0));
        let reads = share(cell, |r| r.op == Op::Read);
        assert!(near(reads, f64::from(plan.read_percent) / 100.0, 500), "{plan:?}: {reads}");
    }
    assert_eq!(plan.cell(0), None);
    assert_eq!(plan.cell(plan.requests()), None);
}

#[test]
fn rates_give_arrivals_and_change_nothing_else() {
    let fixed = WorkloadSpec::builtin("uniform").with("rate", 3000).limited(300_001);
    let requests = take(&fixed, space(1000), 12);
    assert_eq!((requests[0].arrival_ns, requests[1].arrival_ns), (0, 333_333));
    assert!(requests[300_000].arrival_ns.abs_diff(100_000_000_000) <= 1, "no drift in 100 s");
    let bare = take(&WorkloadSpec::builtin("uniform").limited(300_001), space(1000), 12);
    assert!(requests.iter().zip(&bare).all(|(a, b)| (a.op, a.offset) == (b.op, b.offset)));
    assert!(bare.iter().all(|r| r.arrival_ns == 0));

    let poisson = take(&fixed.with("arrivals", "poisson"), space(1000), 12);
    assert!(poisson.is_sorted_by_key(|r| r.arrival_ns));
    let gaps: Vec<_> =
        poisson.windows(2).map(|w| (w[1].arrival_ns - w[0].arrival_ns) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    assert!((mean / 333_333.3 - 1.0).abs() < 0.01, "{mean}");
    assert!((variance.sqrt() / mean - 1.0).abs() < 0.02, "an exponential law deviates by its mean");
}

#[test]
fn every_workload_repeats_itself_with_its_seed_and_differs_with_another() {
    let space = Space { bytes: 1 << 28, page_bytes: 2048, pages_per_block: 64 };
    for info in BUILTIN {
        let spec = WorkloadSpec::builtin(info.name)
            .limited(30_000)
            .with("rate", 1000)
            .with("arrivals", "poisson");
        let first = take(&spec, space, 1);
        assert_eq!(first, take(&spec, space, 1), "{}", info.name);
        // `host-log` begins with every page once, in order.
        let in_order = ["sequential", "write-bursts", "host-log"].contains(&info.name);
        let has_draws = !in_order && !info.name.ends_with("-worst-case");
        let places =
            |requests: &[Request]| requests.iter().map(|r| (r.op, r.offset)).collect::<Vec<_>>();
        assert_eq!(places(&first) != places(&take(&spec, space, 2)), has_draws, "{}", info.name);
    }
}

#[test]
fn the_stream_of_a_seed_is_pinned() {
    // Another machine or a later version must produce the same.
    let hash = |name: &str| {
        let spec = WorkloadSpec::builtin(name)
            .with("rate", 1000)
            .with("arrivals", "poisson")
            .limited(10_000);
        let fold = |hash: u64, value: u64| {
            (hash ^ value).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(5)
        };
        take(&spec, Space { bytes: 1 << 28, page_bytes: 2048, pages_per_block: 64 }, 1).iter().fold(
            0xcbf2_9ce4_8422_2325,
            |h, r| {
                fold(
                    fold(fold(fold(h, r.arrival_ns), r.offset), r.length),
                    u64::from(r.stream) << 8 | r.op as u64,
                )
            },
        )
    };
    let hashes: BTreeMap<_, _> = BUILTIN.iter().map(|info| (info.name, hash(info.name))).collect();
    let shown: Vec<_> = hashes.iter().map(|(name, hash)| format!("{name} {hash:016x}")).collect();
    assert_eq!(shown.join("\n"), include_str!("streams.txt").trim_end());
}

#[test]
fn bursts_of_writes_arrive_together_and_go_on_in_order() {
    let space = Space { bytes: 1 << 20, page_bytes: 2048, pages_per_block: 64 };
    let spec = WorkloadSpec::builtin("write-bursts")
        .with("size", "64k")
        .with("burst", "256k")
        .with("period", 3)
        .with("bursts", 5);
    let requests = take(&spec, space, 1);
    assert_eq!(requests.len(), 20);
    for (request, at) in requests.iter().zip(0u64..) {
        assert_eq!(request.arrival_ns, at / 4 * 3_000_000_000);
        assert_eq!((request.offset, request.length), (at % 16 * 65_536, 65_536));
        assert_eq!(request.op, Op::Write);
    }
    // A pace spreads the requests of a burst; one that lasts longer than the period pushes the next back.
    let paced = take(&spec.clone().with("rate", 2), space, 1);
    let arrivals: Vec<u64> = paced.iter().map(|request| request.arrival_ns / 500_000_000).collect();
    assert_eq!(arrivals[..9], [0, 1, 2, 3, 6, 7, 8, 9, 12]);
    let slow = take(&spec.with("rate", 1), space, 1);
    let arrivals: Vec<u64> =
        slow.iter().map(|request| request.arrival_ns / 1_000_000_000).collect();
    assert_eq!(arrivals[..9], [0, 1, 2, 3, 3, 4, 5, 6, 6]);
}
