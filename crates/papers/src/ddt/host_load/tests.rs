use super::*;
use bounds::copyback::{CopyPath, Waits};
use flash::parts::DDT_MLC;

fn study(requests: u32) -> HostLoad {
    let timings = CopyTimings::of_part(&DDT_MLC, Waits::STUDY).unwrap();
    HostLoad::new(timings, requests, 1)
}

fn asked(way: Option<Way>, load_percent: u32) -> LoadPoint {
    LoadPoint { way, policy: Policy::Fifo, load_percent, pace: None }
}

fn one(study: &HostLoad, asked: LoadPoint) -> Point {
    study.points(&[asked], &|| true).unwrap().remove(0)
}

fn times(point: &Point) -> String {
    format!("{:?} {:?}", point.read_ns, point.write_ns)
}

const DGCB: Way = Way::new(CopyPath::Dgcb, true, 1);

#[test]
fn every_request_is_served_under_every_path_and_policy() {
    let study = study(4_000);
    for policy in Policy::ALL {
        for way in Way::all(1).map(Some).chain([None]) {
            for load in [20, 95] {
                let found = one(&study, LoadPoint { policy, ..asked(way, load) });
                let served = found.read_ns.count + found.write_ns.count;
                assert_eq!(served, 3_800, "{found:?}");
                let reads = found.read_ns.count as f64 / served as f64;
                assert!((reads - 0.7).abs() < 0.03, "{reads}");
                assert_eq!(found.pages_per_second > 0.0, way.is_some());
                assert!(found.channel_use <= 1.0 + 1e-3 && found.channel_use > 0.15, "{found:?}");
            }
        }
    }
}

#[test]
fn paths_agree_where_nothing_is_collected() {
    let study = study(3_000);
    let none = one(&study, asked(None, 50));
    // The pace is too low for a second transaction: all but the first requests see an idle channel.
    for way in Way::all(1) {
        let found = one(&study, LoadPoint { pace: Some(1), ..asked(Some(way), 50) });
        assert_eq!(times(&found), times(&none));
    }
}

#[test]
fn same_seed_same_points() {
    let first = study(2_000);
    let other = HostLoad { seed: 2, ..first.clone() };
    let asked = asked(Some(DGCB), 60);
    assert_eq!(format!("{:?}", one(&first, asked)), format!("{:?}", one(&first, asked)));
    assert_ne!(times(&one(&first, asked)), times(&one(&other, asked)));
}

#[test]
fn a_light_load_of_reads_on_one_way_is_a_queue_with_one_server() {
    // Reads of one way are an M/D/1 queue with service t_SR: mean response S·(1 + ρ/(2(1 − ρ))).
    let study = HostLoad { ways: 3, reads_percent: 100, ..study(400_000) };
    let service = 291_295.0;
    assert!((study.capacity_per_second().unwrap() - 1e9 / service).abs() < 0.01);
    for load in [20, 50, 80] {
        let rho = f64::from(load) / 100.0;
        let expected = service * (1.0 + rho / (2.0 * (1.0 - rho)));
        let found = one(&study, asked(None, load)).read_ns.mean;
        assert!((found / expected - 1.0).abs() < 0.03, "{load}: {found} for {expected}");
    }
}

#[test]
fn bus_time_is_that_of_both() {
    let study = study(20_000);
    let capacity = study.capacity_per_second().unwrap();
    // The bus is the bottleneck: 216 µs of data plus commands per request, at 30 % load.
    assert!((capacity - 4_625.4).abs() < 2.0, "{capacity}");
    let none = one(&study, asked(None, 30));
    assert_eq!(none.channel_use_collection, 0.0);
    assert!((none.channel_use - 0.3).abs() < 0.01, "{none:?}");
    for way in Way::all(1).filter(|way| way.path != CopyPath::IcbUnchecked) {
        let found = one(&study, asked(Some(way), 30));
        let host = found.channel_use - found.channel_use_collection;
        assert!((host - none.channel_use).abs() < 0.005, "{found:?}");
        // The data of each page cross the bus once with ICB and DGCB, twice with LCB and GCB.
        let crossings = if way.path.sends_corrections() { 1.0 } else { 2.0 };
        let a_page = found.channel_use_collection * 1e9 / found.pages_per_second;
        assert!((a_page / (crossings * 216_000.0) - 1.0).abs() < 0.02, "{a_page} {found:?}");
    }
}

#[test]
fn collection_on_an_idle_channel_has_the_rate_of_the_closed_form() {
    let study = study(1_000);
    for way in Way::all(1) {
        let found = one(&study, asked(Some(way), 1)).pages_per_second;
        let alone = study.alone_per_second(way).unwrap();
        assert!((found / alone - 1.0).abs() < 0.01, "{}: {found} for {alone}", way.name());
    }
}

#[test]
fn a_pace_is_kept() {
    let study = study(20_000);
    let pace = (study.alone_per_second(Way::new(CopyPath::Lcb, false, 1)).unwrap() * 0.8) as u64;
    for way in Way::all(1) {
        let found = one(&study, LoadPoint { pace: Some(pace), ..asked(Some(way), 20) });
        assert!((found.pages_per_second / pace as f64 - 1.0).abs() < 0.01, "{found:?}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for wrong in [
        HostLoad { ways: 2, ..study(1_000) },
        HostLoad { ways: 65, ..study(1_000) },
        HostLoad { valid: 129, ..study(1_000) },
        HostLoad { transaction: 0, ..study(1_000) },
        HostLoad { reads_percent: 101, ..study(1_000) },
        study(999),
    ] {
        assert!(wrong.points(&[asked(None, 50)], &|| true).is_err(), "{wrong:?}");
    }
    let nothing = study(1_000).points(&[asked(None, 50)], &|| false).unwrap();
    assert!(nothing.is_empty());
}

#[test]
fn golden_means_and_rates() {
    // Effect of collection by each path on host reads at 65 % load; mean in whole µs, rate in pages per second.
    let study = study(20_000);
    let found = Way::all(1).map(|way| {
        let point = one(&study, asked(Some(way), 65));
        (way.name(), (point.read_ns.mean / 1e3).round(), point.pages_per_second.round())
    });
    let found: Vec<_> = found.collect();
    let golden = GOLDEN.map(|(name, mean, pages)| (name.to_owned(), mean, pages));
    assert_eq!(found, golden);
}

const GOLDEN: [(&str, f64, f64); 7] = [
    ("icb", 1122.0, 482.0),
    ("icb-unchecked", 915.0, 595.0),
    ("lcb", 1357.0, 428.0),
    ("gcb", 1663.0, 534.0),
    ("gcb + cache", 2022.0, 625.0),
    ("dgcb", 1090.0, 507.0),
    ("dgcb + cache", 1192.0, 681.0),
];

#[test]
fn a_backlog_that_grows_is_told_from_one_that_comes_and_goes() {
    let quarters = |responses: [u64; 4]| {
        let mut quarters = Quarters::default();
        for (quarter, response) in (0..).zip(responses) {
            (0..100).for_each(|at| quarters.add(quarter * 100 + at, 400, response));
        }
        quarters
    };
    for (responses, grows, steady) in [
        ([100, 300, 500, 700], true, false),
        ([100, 400, 300, 700], false, false),
        ([100, 110, 120, 130], false, true),
        ([500, 300, 400, 390], false, true),
        ([100, 100, 100, 260], true, false),
    ] {
        let found = quarters(responses);
        assert_eq!((found.grow(), found.are_steady()), (grows, steady), "{responses:?}");
    }
}

/// Overload of a few per cent is detected at any run length.
#[test]
fn overload_is_seen_in_short_runs_and_in_long_ones() {
    let gcb = Way::new(CopyPath::Gcb, false, 1);
    for requests in [50_000, 200_000] {
        let study = study(requests);
        let at = |load_percent, way| one(&study, asked(way, load_percent));
        assert!(at(83, Some(gcb)).saturated, "{requests}");
        let carried = at(65, Some(gcb));
        assert!(!carried.saturated && carried.steady, "{requests}");
        assert!(!at(80, None).saturated, "{requests}");
    }
}
