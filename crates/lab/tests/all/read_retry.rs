//! Read retry: bounds that include it, in series and on channels, and ages that they do not cover.

use ftlkit_lab::config::Experiment;
use ftlkit_lab::report::SchemeReport;
use ftlkit_lab::run::Unobserved;
use ftlkit_lab::run_one;

/// Runs a scheme on a small array; `more` are lines of the experiment.
fn run(scheme: &str, more: &str) -> SchemeReport {
    let text = format!(
        "capacity = '8MiB'\nschemes = ['{scheme}']\n{more}\n\
         [workload]\nname = 'uniform'\nrequests = 6000\nparameters = {{ write_share = '0.5' }}"
    );
    let resolved = Experiment::from_toml(&text, "test").unwrap().resolve().unwrap();
    run_one(&resolved, 0, &Unobserved).unwrap()
}

const RETRY: &str = "read_retry = '80-200:20+soft=280,2,70us+decode=15us+set=1us";

fn worn(cycles: u32, until: &str) -> String {
    format!("bit_errors = 'tlc-72-layer+cycles={cycles}+age=60d+ecc=72'\n{RETRY}{until}'")
}

/// Schemes of every family, with a bound on the part of the papers.
const SCHEMES: [&str; 7] = ["page-level", "lazy-rtgc", "2lgc", "gftl", "nftl", "dftl", "fast"];

#[test]
fn bounds_include_every_step_of_a_read() {
    for scheme in SCHEMES {
        for board in ["", "channels = 2\nbus_cycle = '5ns'\nqueue_depth = 1"] {
            let settings = format!("{}\n{board}", worn(1500, ""));
            let report = run(scheme, &settings);
            assert_eq!(report.violations, 0, "{scheme}: {:?}", report.first_violation);
            let bound_ns = report.bound_ns.unwrap();
            assert!(report.response_ns.max <= bound_ns, "{scheme}");
            let retry = report.bit_errors.as_ref().unwrap().retry.as_ref().unwrap();
            assert!(retry.steps > 100, "{scheme}: {retry:?}");
            assert!(retry.repeated_reads >= retry.steps);
            let reads: u64 = retry.reads_by_steps.iter().map(|reads| reads.reads).sum();
            let counted: u64 = report.counts.iter().map(|c| c.reads + c.oob_reads + c.copies).sum();
            assert_eq!(reads, counted, "{scheme}: each read is counted once");
        }
    }
}

/// A bound up to less wear is shorter, and holds there; beyond it there is none.
#[test]
fn bounds_hold_up_to_the_age_that_they_state() {
    for board in ["", "channels = 2\nbus_cycle = '5ns'\nqueue_depth = 1"] {
        let with =
            |cycles, until: &str| run("page-level", &format!("{}\n{board}", worn(cycles, until)));
        let all = with(300, "");
        let stated = with(300, "+until=1000,90d,20000");
        let bound_ns = stated.bound_ns.unwrap();
        assert!(bound_ns < all.bound_ns.unwrap());
        assert!(stated.response_ns.max <= bound_ns && stated.violations == 0);
        assert_eq!(stated.response_ns.max, all.response_ns.max, "the bound alone differs");
        let retry = stated.bit_errors.unwrap().retry.unwrap();
        let limit = (retry.bound_cycles, retry.bound_age_s, retry.bound_block_reads);
        assert_eq!(limit, (Some(1000), Some(90 * 86_400), Some(20_000)));
        assert_eq!(retry.reads_beyond_bound, 0);
        for until in ["+until=299,90d,20000", "+until=1000,59d,20000", "+until=1000,90d,2"] {
            let beyond = with(300, until);
            assert!(beyond.bound_ns.is_none() && beyond.violations == 0, "{until}");
            assert!(beyond.bit_errors.unwrap().retry.unwrap().reads_beyond_bound > 0, "{until}");
            let said = beyond.warnings.iter().any(|said| said.contains("do not hold for this run"));
            assert!(said, "{until}: {:?}", beyond.warnings);
        }
    }
}

/// Real-time schemes fit fewer copies into a step where reads take longer, and keep their bound.
#[test]
fn a_real_time_scheme_exports_less_for_longer_reads() {
    let part = "part = { base = 'evaluation-slc', t_bers_ns = '1ms' }\ndefault_share = 'own'";
    let plain = run("lazy-rtgc", part);
    let retried = run("lazy-rtgc", &format!("{part}\n{}", worn(1500, "")));
    assert!(retried.logical_pages < plain.logical_pages);
    assert!(retried.real_time && retried.violations == 0);
}

#[test]
fn reads_get_slower_with_wear_and_age() {
    let mean = |errors: &str| {
        let report = run("page-level", &format!("bit_errors = '{errors}+ecc=72'\n{RETRY}'"));
        report.read_response_ns.mean
    };
    let fresh = mean("tlc-72-layer");
    let worn = mean("tlc-72-layer+cycles=3000");
    let lain = mean("tlc-72-layer+cycles=3000+age=90d");
    assert!(fresh < worn && worn < lain, "{fresh} {worn} {lain}");
}

/// Data written in the run are younger than those of the precondition, and arrival times are time.
#[test]
fn age_counts_from_the_program_by_the_clock_of_arrivals() {
    let steps = |rate: &str| {
        let text = format!(
            "capacity = '8MiB'\nschemes = ['page-level']\nprecondition = 'full'\n{}\n\
             [workload]\nname = 'uniform'\nrequests = 3000\nparameters = {{ write_share = '0', rate = '{rate}' }}",
            "bit_errors = 'tlc-72-layer+cycles=2000+ecc=72'\nread_retry = '80-200:20'"
        );
        let resolved = Experiment::from_toml(&text, "test").unwrap().resolve().unwrap();
        let report = run_one(&resolved, 0, &Unobserved).unwrap();
        report.bit_errors.unwrap().retry.unwrap().steps
    };
    // 3000 reads in 3 s, and in 35 days.
    let (quick, slow) = (steps("1000"), steps("0.001"));
    assert!(slow > 2 * quick + 100, "{quick} {slow}");
}
