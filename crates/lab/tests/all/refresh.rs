//! Refresh and read reclaim: bounds, counts and data over time, in series and on channels.

use ftlkit_lab::config::Experiment;
use ftlkit_lab::report::{RefreshReport, SchemeReport};
use ftlkit_lab::run::Unobserved;
use ftlkit_lab::run_one;

/// Runs a scheme on a small array; `more` are lines of the experiment, `parameters` those of the workload.
fn run(scheme: &str, more: &str, requests: u32, parameters: &str) -> SchemeReport {
    let text = format!(
        "capacity = '8MiB'\nschemes = ['{scheme}']\n{more}\n\
         [workload]\nname = 'uniform'\nrequests = {requests}\nparameters = {{ {parameters} }}"
    );
    let resolved = Experiment::from_toml(&text, "test").unwrap().resolve().unwrap();
    run_one(&resolved, 0, &Unobserved).unwrap()
}

const SCHEMES: [&str; 4] = ["page-level", "fsr", "lazy-rtgc", "2lgc"];
/// In series; on channels, where bounds hold; and there with many outstanding.
const BOARDS: [&str; 5] = [
    "",
    "channels = 2\nbus_cycle = '5ns'\nqueue_depth = 1",
    "channels = 2\nbus_cycle = '5ns'\nqueue_depth = 1\ncollection = 'exclusive'",
    "channels = 2\nbus_cycle = '5ns'\nqueue_depth = 16",
    "channels = 2\nbus_cycle = '5ns'\nqueue_depth = 16\ncollection = 'exclusive'",
];

fn copies(report: &SchemeReport, cause: &str) -> u64 {
    report.counts.iter().filter(|counts| counts.cause == cause).map(|counts| counts.copies).sum()
}

/// Old data at the start, and a few reads per block: every task brings a page, with the collection of a write.
#[test]
fn bounds_include_a_step_with_each_task() {
    for scheme in SCHEMES {
        for board in BOARDS {
            let settings = |limits: &str| {
                format!(
                    "bit_errors = 'tlc-72-layer+cycles=500+age=60d+ecc=72'\n\
                     read_retry = '80-200:20+soft=280,2,70us'\n{limits}\n{board}"
                )
            };
            let limits = "refresh = 'age=30d'\nread_reclaim = 150";
            let report = run(scheme, &settings(limits), 6000, "write_share = '0.5'");
            let plain = run(scheme, &settings(""), 6000, "write_share = '0.5'");
            let name = format!("{scheme} {board}");
            assert_eq!(report.violations, 0, "{name}: {:?}", report.first_violation);
            assert_eq!(report.requests_refused, 0, "{name}");
            if let Some(bound_ns) = report.bound_ns {
                assert!(report.response_ns.max <= bound_ns, "{name}");
                assert!(bound_ns > plain.bound_ns.unwrap(), "{name}");
            }
            let refresh = report.refresh.unwrap();
            assert_eq!(refresh.refreshed_pages, copies(&report, "refresh"), "{name}");
            assert_eq!(refresh.reclaimed_pages, copies(&report, "read-reclaim"), "{name}");
            // Many outstanding writes leave little room beside collection: a page with one task of 16.
            let least = if board.contains("16") { 100 } else { 500 };
            assert!(refresh.refreshed_pages > least, "{name}: {refresh:?}");
            let split: f64 = report.waf_by_cause.iter().map(|(_, waf)| waf).sum();
            assert!((split - report.waf.unwrap()).abs() < 1e-9, "{name}");
            assert!(report.waf > plain.waf, "{name}");
            assert!(plain.refresh.is_none(), "{name}");
        }
    }
}

/// Reads alone: blocks that are read often are moved, and with a limit that none reaches none is.
#[test]
fn read_reclaim_moves_what_is_read_often() {
    for board in BOARDS {
        let with = |limits: &str| {
            let settings = format!("precondition = 'full'\n{limits}\n{board}");
            run("page-level", &settings, 20_000, "write_share = '0'")
        };
        let report = with("read_reclaim = 150");
        let RefreshReport { reclaim_due_blocks, reclaimed_pages, refresh_due_blocks, .. } =
            report.refresh.unwrap();
        assert!(
            reclaim_due_blocks > 10 && refresh_due_blocks == 0,
            "{board}: {:?}",
            report.refresh
        );
        assert!(reclaimed_pages > 10 * 32, "{board}: {:?}", report.refresh);
        assert!(report.counts.iter().any(|of| of.cause == "read-reclaim" && of.erases > 3));
        let never = with("read_reclaim = 4000000000");
        assert_eq!(never.refresh.unwrap(), RefreshReport::default(), "{board}");
        assert_eq!(never.erases, 0, "{board}");
    }
}

/// Over 60 days, reads need fewer steps; the price is written pages.
#[test]
fn a_refresh_in_idle_time_keeps_data_young() {
    for board in BOARDS {
        let with = |refresh: &str| {
            let settings = format!(
                "precondition = 'full'\nbit_errors = 'tlc-72-layer+cycles=2000+ecc=72'\n\
                 read_retry = '80-200:20+soft=280,2,70us'\nrefresh = '{refresh}'\n{board}"
            );
            run("page-level", &settings, 6000, "write_share = '0.05', rate = '0.00115'")
        };
        let (off, ten) = (with("off"), with("age=10d"));
        let p99 = |report: &SchemeReport| report.read_completion_ns.p99.unwrap();
        assert!(p99(&ten) < p99(&off) * 8 / 10, "{board}: {} {}", p99(&ten), p99(&off));
        assert!(ten.waf.unwrap() > off.waf.unwrap() + 1.0, "{board}");
        let refresh = ten.refresh.unwrap();
        // Each of 56 or more blocks with data is due about every 10 days, and moved before the next request.
        assert!(refresh.refresh_due_blocks >= 5 * 50, "{board}: {refresh:?}");
        assert!(refresh.waiting_blocks <= 2, "{board}: {refresh:?}");
        assert_eq!((ten.requests_taken, ten.requests_refused), (6000, 0));
        // What is done in idle time delays nobody.
        assert!(ten.write_completion_ns.max <= off.write_completion_ns.max, "{board}");
    }
}

/// Each die has an open block or two, which are due and must wait: they do not hold up the full blocks behind them.
#[test]
fn open_blocks_do_not_hold_up_full_ones() {
    let with = |board: &str| {
        let settings =
            format!("precondition = 'full+age=1'\nrefresh = 'age=10d'\nbus_cycle = '5ns'\n{board}");
        run("page-level+share=0.4", &settings, 60, "write_share = '0', rate = '0.00001'").refresh
    };
    let one = with("channels = 1").unwrap();
    let many = with("channels = 4\nways = 4").unwrap();
    assert!(one.refresh_due_blocks > 100, "{one:?}");
    assert!(many.refresh_due_blocks * 10 > one.refresh_due_blocks * 8, "{many:?} {one:?}");
}

/// Pages with many bit errors are moved, and those that are moved have few.
#[test]
fn pages_with_many_bit_errors_are_moved() {
    let with = |refresh: &str| {
        let settings = format!(
            "precondition = 'full'\nbit_errors = 'tlc-72-layer+cycles=1000+age=90d+ecc=72'\n\
             read_retry = '80-200:20+soft=280,2,70us'\nrefresh = '{refresh}'"
        );
        run("page-level", &settings, 30_000, "write_share = '0'")
    };
    let steps =
        |report: &SchemeReport| report.bit_errors.as_ref().unwrap().retry.as_ref().unwrap().steps;
    let (off, retried) = (with("off"), with("errors=73"));
    assert!(retried.refresh.unwrap().refreshed_pages > 1000, "{:?}", retried.refresh);
    assert!(steps(&retried) < steps(&off) / 2, "{} {}", steps(&retried), steps(&off));
    // A limit that no page reaches changes nothing.
    let never = with("errors=500");
    assert_eq!(never.refresh.unwrap(), RefreshReport::default());
    assert_eq!(steps(&never), steps(&off));
}

#[test]
fn faults_name_the_setting() {
    let fault = |scheme: &str, more: &str| {
        let text =
            format!("capacity = '8MiB'\nschemes = ['{scheme}']\n{more}\nworkload = 'uniform'");
        let experiment = Experiment::from_toml(&text, "test").map_err(|error| error.to_string());
        experiment.and_then(|it| it.resolve().map_err(|error| error.to_string())).err().unwrap()
    };
    for (scheme, more, said) in [
        ("page-level", "refresh = 'errors=60'", "no effect without bit errors"),
        ("page-level", "refresh = '30d'", "such as `age=30d`"),
        ("page-level", "read_reclaim = 0", "such as `100k`"),
        ("gftl", "refresh = 'age=30d'", "scheme `gftl`: refresh is not possible"),
        ("dftl", "read_reclaim = 1000", "scheme `dftl`: refresh is not possible"),
    ] {
        let error = fault(scheme, more);
        let said = said.replace(": refresh is", ": refresh: is");
        assert!(error.contains(&said), "{more}: {error}");
    }
}
