//! Every scheme over every copy path, with bit errors, on a small channel of `ddt-mlc` devices.

use ftl::registry::REGISTRY;
use ftlkit_lab::compare;
use ftlkit_lab::config::{Experiment, Resolved};
use ftlkit_lab::report::{BitErrorReport, Report, SchemeReport, details};
use ftlkit_lab::run::Unobserved;

fn resolve(text: &str) -> Resolved {
    Experiment::from_toml(text, "test").unwrap().resolve().unwrap()
}

/// Schemes of an experiment with blocks of 32 pages of 2 KiB; with an erase of 40 ms every scheme can collect them.
fn run(device: &str, copy: &str, schemes: &[&str]) -> Report {
    let schemes: Vec<String> =
        schemes.iter().map(|scheme| format!("'{scheme}+copy={copy}'")).collect();
    let text = format!(
        "
        capacity = '8MiB'
        schemes = [{}]
        {device}
        [part]
        base = 'ddt-mlc'
        page_bytes = 2048
        oob_bytes = 64
        pages_per_block = 32
        t_bers_ns = '40ms'
        [workload]
        name = 'uniform'
        requests = 4000
        parameters = {{ write_share = '0.7' }}
        ",
        schemes.join(", ")
    );
    let found = compare(&resolve(&text), &Unobserved).unwrap();
    assert!(found.failures.is_empty(), "{:?}", found.failures);
    found.report
}

fn all() -> Vec<&'static str> {
    REGISTRY.iter().map(|preset| preset.name).collect()
}

fn copies_by(scheme: &SchemeReport) -> Vec<(&str, u64)> {
    let counts = scheme.copies_by_path.as_ref().expect("the part has paths");
    counts.iter().map(|count| (count.path.as_str(), count.copies)).collect()
}

fn errors(scheme: &SchemeReport) -> &BitErrorReport {
    scheme.bit_errors.as_ref().expect("errors are on")
}

fn assert_nothing_lost(scheme: &SchemeReport) {
    let errors = errors(scheme);
    let lost = [errors.uncorrectable_reads, errors.uncorrectable_host_reads, errors.lost_pages];
    assert_eq!(lost, [0; 3], "{}", scheme.name);
    assert_eq!(errors.propagated_bits, 0, "{}", scheme.name);
}

#[test]
fn every_scheme_keeps_its_promise_and_tells_what_it_copied_how() {
    let report = run("ways = 4\nbit_errors = 8", "dgcb+copy_cache", &all());
    for scheme in &report.schemes {
        assert_eq!(scheme.violations, 0, "{}: {:?}", scheme.name, scheme.first_violation);
        let by = copies_by(scheme);
        assert_eq!([by[0].0, by[1].0], ["lcb", "dgcb"]);
        assert_eq!(by[0].1 + by[1].1, scheme.copies, "{}", scheme.name);
        assert!(errors(scheme).corrected_bits > 0, "{}", scheme.name);
        // Eight bit errors per page, each in its own byte; only DGCB transfers these bytes again.
        assert_eq!(errors(scheme).corrected_bytes_sent_again, 8 * by[1].1, "{}", scheme.name);
        assert_nothing_lost(scheme);
    }
    // The GFTL schemes collect by read and program, because the data written differ from the data read.
    let copying = report.schemes.iter().filter(|scheme| scheme.copies > 0).count();
    assert_eq!(copying, REGISTRY.len() - 3);
}

#[test]
fn every_scheme_keeps_its_promise_by_every_path_planes_and_wear() {
    for (device, copy) in [
        ("ways = 1\nplanes = 2\nbit_errors = 5", "icb"),
        ("ways = 1\nbit_errors = 5", "lcb"),
        ("ways = 3\nbit_errors = 'wear:500000000,100000,1000'", "icb+copy_cache"),
        ("ways = 2\nplanes = 2\nbit_errors = 'wear:500000000,100000,1000'", "dgcb"),
        ("ways = 5\nbit_errors = 3", "gcb"),
    ] {
        for scheme in &run(device, copy, &all()).schemes {
            let name = format!("{} {device}", scheme.name);
            assert_eq!(scheme.violations, 0, "{name}: {:?}", scheme.first_violation);
            let copies: u64 = copies_by(scheme).iter().map(|(_, copies)| copies).sum();
            assert_eq!(copies, scheme.copies, "{name}");
            assert!(errors(scheme).corrected_bits > 0, "{name}");
            assert_nothing_lost(scheme);
        }
    }
}

#[test]
fn unchecked_copies_end_in_uncorrectable_pages_that_are_told_and_checked_ones_do_not() {
    let schemes = ["page-level", "nftl", "dftl", "bast"];
    let by = |copy| run("bit_errors = 30", copy, &schemes);
    let (checked, unchecked) = (by("icb"), by("icb-unchecked"));
    for (checked, unchecked) in checked.schemes.iter().zip(&unchecked.schemes) {
        assert_eq!(checked.violations, 0, "{:?}", checked.first_violation);
        assert_nothing_lost(checked);
        assert_eq!(errors(checked).corrected_bytes_sent_again, 30 * checked.copies);

        let (name, found) = (&unchecked.name, errors(unchecked));
        assert_eq!(found.corrected_bytes_sent_again, 0, "{name}");
        assert!(found.propagated_bits > 0, "{name}: {found:?}");
        assert!(found.uncorrectable_reads > 0 && found.uncorrectable_host_reads > 0, "{name}");
        // The run continues to its end and reports the errors.
        assert!(unchecked.tasks == checked.tasks && unchecked.requests == checked.requests);
        let said = unchecked.warnings.iter().any(|text| text.contains("a real device would have"));
        assert!(said, "{name}: {:?}", unchecked.warnings);
    }
    let text = details::render(&unchecked, 1000);
    for row in ["  of them icb-unchecked", "  bits propagated", "uncorrectable reads", "pages lost"]
    {
        assert!(text.contains(row), "{row}: {text}");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_other_errors() {
    let device =
        |seed: u32| format!("ways = 3\nseed = {seed}\nbit_errors = 'wear:900000000,0,5000'");
    let json = |seed| ftlkit_lab::report::to_json(&run(&device(seed), "dgcb", &["fsr", "fast"]));
    assert_eq!(json(4), json(4));
    let corrected = |seed| {
        let report = run(&device(seed), "dgcb", &["fsr"]);
        errors(&report.schemes[0]).corrected_bits
    };
    assert_ne!(corrected(4), corrected(5));
}

#[test]
fn a_faster_path_leaves_lazy_collection_more_space_at_the_same_bound() {
    let plan = |copy: &str| {
        let resolved = resolve(&format!(
            "capacity = '1GiB'\npart = 'ddt-mlc'\nways = 4\nschemes = ['lazy-rtgc+copy={copy}']"
        ));
        resolved.schemes[0].plan
    };
    let (slow, fast) = (plan("gcb"), plan("dgcb+copy_cache"));
    assert!(fast.logical_pages > slow.logical_pages);
    assert_eq!(fast.guarantee.response_ns, slow.guarantee.response_ns);
}

#[test]
fn a_run_without_paths_and_errors_says_nothing_of_them() {
    let report = compare(
        &resolve(
            "capacity = '8MiB'\nschemes = ['fsr']\n[workload]\nname = 'uniform'\nrequests = 2000",
        ),
        &Unobserved,
    );
    let report = report.unwrap().report;
    assert!(report.schemes[0].copies_by_path.is_none() && report.schemes[0].bit_errors.is_none());
    let text = details::render(&report, 100);
    for row in ["of them", "bits corrected", "uncorrectable"] {
        assert!(!text.contains(row), "{row}: {text}");
    }
}
