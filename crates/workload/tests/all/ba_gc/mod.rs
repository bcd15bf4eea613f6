//! Requirements on the stand-ins for the workloads of buffer-aware garbage collection.

mod buffer;

use crate::common::{sequential, take};
use buffer::{BLOCK, PAGE, hit_percent};
use ftlkit_workload::{Op, Request, Space, WorkloadSpec};
use std::collections::HashSet;

fn space(mib: u64) -> Space {
    Space { bytes: mib << 20, page_bytes: PAGE as u32, pages_per_block: BLOCK as u32 }
}

/// Share of the bytes in requests that start at the end of one of the last 16, in per cent.
fn sequential_percent(requests: &[Request]) -> f64 {
    let bytes: u64 = sequential(requests).iter().map(|request| request.length).sum();
    100.0 * bytes as f64 / written_bytes(requests) as f64
}

fn written_bytes(requests: &[Request]) -> u64 {
    requests.iter().map(|request| request.length).sum()
}

/// Bytes that are written at least once.
fn touched_bytes(requests: &[Request]) -> u64 {
    let pages: HashSet<u64> = requests
        .iter()
        .flat_map(|r| r.offset / PAGE..(r.offset + r.length).div_ceil(PAGE))
        .collect();
    pages.len() as u64 * PAGE
}

/// Write hit ratios in per cent: with pages, with logical blocks, and the tolerance.
const HITS: [(&str, f64, f64, f64); 6] = [
    ("ba-gc-iozone", 40.1, 40.1, 1.0),
    ("ba-gc-bonnie", 43.4, 44.1, 1.0),
    ("ba-gc-postmark", 3.1, 3.1, 0.5),
    ("ba-gc-tiobench", 4.4, 4.4, 0.5),
    ("ba-gc-desktop-1", 49.0, 49.7, 2.0),
    ("ba-gc-desktop-2", 33.7, 35.0, 2.0),
];

#[test]
fn a_buffer_of_16_mib_hits_as_often_as_is_said() {
    for (name, by_pages, by_blocks, off) in HITS {
        for (mib, seed) in [(640, 1), (1024, 2), (4096, 3)] {
            let requests = take(&WorkloadSpec::builtin(name), space(mib), seed);
            for (expected, unit) in [(by_pages, 1), (by_blocks, BLOCK)] {
                let hit = hit_percent(&requests, unit);
                println!("{name} on {mib} MiB: {hit:.1} % in units of {unit}");
                assert!((hit - expected).abs() <= off, "{name}: {hit} % is not {expected}");
            }
        }
    }
}

/// With a third of its bytes at random instead of the script's sixteenth, Tiobench hits as often if its tables are
/// written half as often.
#[test]
fn tiobench_hits_as_often_with_more_random_writes_and_fewer_commits() {
    let spec = WorkloadSpec::builtin("ba-gc-tiobench").with("random", 32_768);
    let requests = take(&spec.with("commit", "512KiB").limited(157_696), space(1024), 2);
    let small = requests.iter().filter(|request| request.length == 4096).count() as u64;
    let share = 100.0 * (small * 4096) as f64 / written_bytes(&requests) as f64;
    assert!((30.0..40.0).contains(&share), "{share} %");
    let hit = hit_percent(&requests, 1);
    assert!((hit - 4.4).abs() <= 0.5, "{hit} %");
}

#[test]
fn a_quarter_of_a_run_hits_as_often_as_the_whole_where_a_run_is_alike_all_over() {
    for name in ["ba-gc-postmark", "ba-gc-tiobench", "ba-gc-desktop-1", "ba-gc-desktop-2"] {
        let requests = take(&WorkloadSpec::builtin(name), space(1024), 1);
        let whole = hit_percent(&requests, 1);
        let quarter = hit_percent(&requests[..requests.len() / 4], 1);
        assert!((whole - quarter).abs() < 0.1 * whole + 0.5, "{name}: {whole}, {quarter}");
    }
}

#[test]
fn requests_are_writes_of_whole_clusters_in_aligned_transfers() {
    for (name, ..) in HITS {
        let requests = take(&WorkloadSpec::builtin(name), space(1024), 4);
        for request in &requests {
            assert_eq!(request.op, Op::Write);
            assert!(request.offset % 4096 == 0 && request.length % 4096 == 0, "{request:?}");
            let last = request.offset + request.length - 1;
            assert_eq!(request.offset >> 16, last >> 16, "{name}: {request:?}");
        }
    }
}

#[test]
fn sizes_order_and_reach_are_those_of_the_programs() {
    // Mean size in KiB, share of the bytes that continue at the end of a request, GiB written, MiB touched.
    let expected = [
        ("ba-gc-iozone", 21.8, 66.2, 2.0, 688.0),
        ("ba-gc-bonnie", 7.6, 76.0, 1.5, 281.0),
        ("ba-gc-postmark", 7.6, 6.0, 1.4, 514.0),
        ("ba-gc-tiobench", 25.8, 90.0, 1.1, 770.0),
        ("ba-gc-desktop-1", 6.3, 37.0, 1.2, 310.0),
        ("ba-gc-desktop-2", 7.9, 54.0, 1.5, 720.0),
    ];
    for (name, kib, in_order, gib, mib) in expected {
        let requests = take(&WorkloadSpec::builtin(name), space(1024), 1);
        let bytes = written_bytes(&requests) as f64;
        let seen = [
            bytes / 1024.0 / requests.len() as f64,
            sequential_percent(&requests),
            bytes / f64::from(1 << 30),
            touched_bytes(&requests) as f64 / f64::from(1 << 20),
        ];
        println!("{name} {seen:.1?}");
        for (seen, expected) in seen.into_iter().zip([kib, in_order, gib, mib]) {
            assert!((seen / expected - 1.0).abs() < 0.1, "{name}: {seen} is not {expected}");
        }
    }
}

/// Share of the bytes in logical blocks that two consecutive requests write completely, in per cent.
fn whole_blocks_percent(requests: &[Request]) -> f64 {
    let block = BLOCK * PAGE;
    let whole = requests.windows(2).filter(|pair| {
        let starts = pair[0].offset % block == 0 && pair[0].length == block / 2;
        starts && pair[1].offset == pair[0].offset + block / 2 && pair[1].length == block / 2
    });
    100.0 * whole.count() as f64 * block as f64 / written_bytes(requests) as f64
}

#[test]
fn files_in_order_fill_whole_logical_blocks() {
    let share = |name: &str| {
        let requests = take(&WorkloadSpec::builtin(name), space(1024), 1);
        whole_blocks_percent(&requests)
    };
    let (iozone, bonnie) = (share("ba-gc-iozone"), share("ba-gc-bonnie"));
    // Exceptions: tables, the small files of Bonnie++, and the two of IOzone's six tests that do not write in
    // order.
    assert!(iozone > 60.0 && bonnie > 48.0, "{iozone} {bonnie}");
    // The three passes over Bonnie's file come first; except for its tables they write whole blocks.
    let bonnie = take(&WorkloadSpec::builtin("ba-gc-bonnie").limited(14_000), space(1024), 1);
    let in_passes = whole_blocks_percent(&bonnie);
    assert!(in_passes > 98.0, "{in_passes}");
    // Small files do not write whole blocks. Of T threads one goes on with its block once in T times: 1, 1/2, 1/4 and
    // 1/8 of the nine tenths of the bytes that are in order.
    let tiobench = share("ba-gc-tiobench");
    assert!((tiobench - 42.0).abs() < 4.0 && share("ba-gc-postmark") == 0.0, "{tiobench}");
}

#[test]
fn tables_of_the_file_system_are_the_hottest_pages_of_a_desktop() {
    for name in ["ba-gc-desktop-1", "ba-gc-desktop-2"] {
        let requests = take(&WorkloadSpec::builtin(name), space(1024), 5);
        // The tables lie before the data zone of the volume.
        let tables: Vec<Request> =
            requests.iter().copied().filter(|r| r.offset < 153 << 20).collect();
        let share = 100.0 * written_bytes(&tables) as f64 / written_bytes(&requests) as f64;
        assert!((25.0..45.0).contains(&share), "{name}: {share} %");
        let (tables, all) = (hit_percent(&tables, 1), hit_percent(&requests, 1));
        assert!(tables > all + 20.0, "{name}: {tables} {all}");
        let small = requests.iter().filter(|r| r.length == 4096).count() as f64;
        assert!(small / requests.len() as f64 > 0.75, "{name}");
    }
}

#[test]
fn arrivals_come_in_bursts_with_pauses_and_at_a_rate_where_one_is_asked_for() {
    // Mean MiB per second.
    let expected = [
        ("ba-gc-iozone", 15.0),
        ("ba-gc-bonnie", 6.6),
        ("ba-gc-postmark", 3.7),
        ("ba-gc-tiobench", 16.2),
        ("ba-gc-desktop-1", 0.52),
        ("ba-gc-desktop-2", 0.66),
    ];
    for (name, mib_per_second) in expected {
        let spec = WorkloadSpec::builtin(name);
        let requests = take(&spec, space(1024), 1);
        let rate = |requests: &[Request]| {
            let seconds = requests.last().unwrap().arrival_ns as f64 / 1e9;
            written_bytes(requests) as f64 / f64::from(1 << 20) / seconds
        };
        let seen = rate(&requests);
        println!("{name} {seen:.2} MiB/s");
        assert!((seen / mib_per_second - 1.0).abs() < 0.1, "{name}: {seen} MiB/s");
        // A burst runs at the device's rate: 64 KiB at 32 MiB/s plus the command take 2,053,125 ns.
        let gap = |pair: &[Request]| pair[1].arrival_ns - pair[0].arrival_ns;
        let least = |requests: &[Request], length: u64| {
            requests.windows(2).filter(|pair| pair[0].length == length).map(gap).min().unwrap()
        };
        if name != "ba-gc-postmark" {
            assert_eq!(least(&requests, 65_536), 2_053_125, "{name}");
        }
        let hurried =
            take(&spec.clone().with("think", 0).with("bandwidth", "64MiB"), space(1024), 1);
        assert_eq!(least(&hurried, 4096), 161_035, "{name}");
        let places = |r: &[Request]| r.iter().map(|r| (r.offset, r.length)).collect::<Vec<_>>();
        assert_eq!(places(&hurried), places(&requests), "{name}");
        let lazy = take(&spec.clone().with("think", 10), space(1024), 1);
        assert!(rate(&lazy) < rate(&requests) / 1.5, "{name}");
        let fixed = take(&spec.with("arrivals", "fixed").with("rate", 1000), space(1024), 1);
        assert!(fixed.windows(2).all(|pair| gap(pair) == 1_000_000), "{name}");
        assert_eq!(places(&fixed), places(&requests), "{name}");
    }
}

#[test]
fn what_does_not_fit_or_has_no_meaning_is_refused_with_what_does() {
    for (name, ..) in HITS {
        let refusal =
            |spec: &WorkloadSpec, mib: u64| spec.check(space(mib)).unwrap_err().to_string();
        let spec = WorkloadSpec::builtin(name);
        let small = refusal(&spec, 3);
        assert!(small.contains("such that a volume of at least 4 MiB fits"), "{small}");
        assert!(refusal(&spec.clone().with("footprint", "1%"), 100).contains("it has 1 MiB"));
        let rate = refusal(&spec.clone().with("rate", 100), 100);
        assert!(rate.contains("rate must be omitted with `arrivals = bursts`"), "{rate}");
        let none = refusal(&spec.clone().with("arrivals", "poisson"), 100);
        assert!(none.contains("rate must be a number of requests per second"), "{none}");
        assert!(!take(&spec, space(4), 1).is_empty());
    }
}
