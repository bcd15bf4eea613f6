//! Planes of their own: what joins, and what it gains.

use crate::common::case::{Case, Load};
use ftlkit_lab::report::SchemeReport;
use ftlkit_lab::run::Unobserved;
use ftlkit_lab::run_one;

/// 16 KiB requests on 4 dies of two planes with pages of 8 KiB.
fn run(plane_use: &str, more: &[(&'static str, &str)]) -> SchemeReport {
    let usual = [
        ("--part", "mqsim-mlc"),
        ("--channels", "2"),
        ("--ways", "2"),
        ("--planes", "2"),
        ("--plane-use", plane_use),
        ("--allocation", "pcwd"),
        ("--capacity", "1GiB"),
        ("--queue-depth", "16"),
        ("--requests", "8000"),
        ("--schemes", "page-level"),
        ("--set", "size=16k"),
    ];
    let options = usual.iter().chain(more).map(|(option, value)| (*option, (*value).to_owned()));
    let case = Case { load: Load::Builtin("uniform"), options: options.collect() };
    let resolved = case.experiment().unwrap().resolve().unwrap();
    let report = run_one(&resolved, 0, &Unobserved).unwrap();
    assert_eq!(report.requests_taken, report.requests + report.requests_refused);
    report
}

fn seconds(report: &SchemeReport) -> f64 {
    report.elapsed_ns as f64 / 1e9
}

/// Pages per program and per read.
fn per_operation(report: &SchemeReport) -> Option<[f64; 2]> {
    let planes = report.ssd.as_ref().unwrap().planes.as_ref()?;
    let each = |pages: u64, operations: u64| pages as f64 / operations.max(1) as f64;
    Some([each(planes.pages_programmed, planes.programs), each(planes.pages_read, planes.reads)])
}

#[test]
fn writes_to_an_empty_drive_take_both_planes() {
    let writes = [("--set", "write_share=1"), ("--precondition", "none")];
    let [ganged, single, own] = ["ganged", "own:single", "own"].map(|planes| run(planes, &writes));
    assert_eq!((per_operation(&ganged), per_operation(&single)), (None, None));
    let [programs, _] = per_operation(&own).unwrap();
    assert!(programs > 1.95, "{programs}");
    let gain = seconds(&single) / seconds(&own);
    assert!((1.8..2.0).contains(&gain), "{gain}");
    let ratio = seconds(&own) / seconds(&ganged);
    assert!((0.98..1.02).contains(&ratio), "{ratio}");
}

#[test]
fn small_reads_gain_from_planes_of_their_own_and_more_if_they_are_independent() {
    let reads = [("--set", "write_share=0"), ("--set", "size=8k"), ("--precondition", "full")];
    let independent = [&reads[..], &[("--set", "part.independent_plane_reads=true")]].concat();
    let [ganged, single, own] = ["ganged", "own:single", "own"].map(|planes| run(planes, &reads));
    let free = run("own", &independent);
    let [_, joined] = per_operation(&own).unwrap();
    let [_, more] = per_operation(&free).unwrap();
    assert!(joined < 1.1 && more > 1.3, "{joined} {more}");
    let times = [&ganged, &single, &own, &free].map(seconds);
    assert!(times.is_sorted_by(|a, b| a > b), "{times:?}");
}

/// Joining is a matter of time alone: pages go where they go without it.
#[test]
fn a_full_drive_goes_on_in_its_steady_state() {
    let writes =
        [("--set", "write_share=1"), ("--precondition", "full+age=1"), ("--capacity", "512MiB")];
    let single = run("own:single", &writes);
    for (planes, least, most) in [("own", 1.01, 2.0), ("own:same-place", 1.0, 1.1)] {
        let own = run(planes, &writes);
        // Time does not change where pages go.
        assert_eq!((own.waf, own.erases), (single.waf, single.erases), "{planes}");
        assert!(own.elapsed_ns < single.elapsed_ns * 101 / 100, "{planes}");
        assert!(planes != "own" || own.elapsed_ns < single.elapsed_ns, "{planes}");
        let [programs, _] = per_operation(&own).unwrap();
        assert!((least..most).contains(&programs), "{planes}: {programs}");
    }
}
