//! What a run says of its own state: whether write amplification has settled, and whether the device keeps up.

use ftlkit_lab::compare;
use ftlkit_lab::config::Experiment;
use ftlkit_lab::report::SchemeReport;
use ftlkit_lab::run::Unobserved;

fn schemes(text: &str) -> Vec<SchemeReport> {
    let resolved = Experiment::from_toml(text, "test").unwrap().resolve().unwrap();
    let found = compare(&resolved, &Unobserved).unwrap();
    assert!(found.failures.is_empty(), "{:?}", found.failures);
    found.report.schemes
}

fn warns(scheme: &SchemeReport, words: &str) -> bool {
    scheme.warnings.iter().any(|warning| warning.contains(words))
}

#[test]
fn until_steady_goes_on_beyond_the_writes_before_the_first_collection() {
    let of = |precondition: &str| {
        schemes(&format!(
            "schemes = ['page-level+share=0.6', '2lgc+share=0.6', 'lazy-rtgc+share=0.6']\ncapacity = '32MiB'\n\
             precondition = '{precondition}'\nworkload = {{ name = 'uniform', requests = 20000 }}"
        ))
    };
    let (filled, steady) = (of("full"), of("full+steady"));
    for (before, after) in filled.iter().zip(&steady) {
        let name = &before.name;
        assert_eq!(before.steady.settled_before, None, "{name}");
        assert_eq!(after.steady.settled_before, Some(true), "{name}");
        assert_eq!(after.steady.waf_is_steady, Some(true), "{name}: {:?}", after.steady);
        assert_eq!(after.steady.steady_from_fills, Some(0.0), "{name}: {:?}", after.steady);
        assert!(!warns(after, "settle"), "{name}: {:?}", after.warnings);
        // 40 % of the array is free after the fill: the first writes cost nothing.
        assert!(before.waf < after.waf, "{name}: {:?} {:?}", before.waf, after.waf);
        assert_eq!(before.steady.writes_per_capacity, 20_000.0 / 16_384.0, "{name}");
    }
}

#[test]
fn a_short_run_is_told_unless_it_never_collected() {
    let of = |requests: u32| {
        let text = format!(
            "schemes = ['page-level']\ncapacity = '32MiB'\nworkload = {{ name = 'uniform', requests = {requests} }}"
        );
        schemes(&text).remove(0)
    };
    let [none, few, all] = [of(500), of(6000), of(60_000)];
    assert!(warns(&none, "collection never ran") && !warns(&none, "too short"), "{none:?}");
    assert!(warns(&few, "too short to judge"), "{:?}", few.warnings);
    assert!(all.warnings.is_empty(), "{:?}", all.warnings);
    assert!(all.steady.steady_from_fills.is_some_and(|fills| fills > 0.0 && fills < 3.0));
}

#[test]
fn a_device_that_cannot_keep_up_is_told_and_one_with_a_burst_is_not() {
    let dir = std::env::temp_dir().join(format!("ftlkit-overload-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let trace = |name: &str, arrival_ns: &dyn Fn(u64) -> u64| {
        let lines = (0..4000u64)
            .map(|n| format!("{},write,{},2048\n", arrival_ns(n), n * n * 31 % 5000 * 2048));
        let text: String = std::iter::once("arrival_ns,op,offset_bytes,length_bytes\n".to_owned())
            .chain(lines)
            .collect();
        let path = dir.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let of = |path: &std::path::Path, rest: &str| {
        let device = "capacity = '128MiB'\nprecondition = 'full+age=1'";
        let workload = format!("workload = {{ trace = '{}' }}", path.display());
        schemes(&format!("schemes = ['page-level']\n{device}\n{rest}\n{workload}")).remove(0)
    };
    let overloaded = trace("overloaded.csv", &|n| n * 50_000);
    let in_time = trace("in-time.csv", &|n| n * 20_000_000);
    // 200 requests at once at the start, then time enough.
    let burst = trace("burst.csv", &|n| n.saturating_sub(200) * 20_000_000);
    let ssd = "part = 'ddt-mlc'\nchannels = 1";
    for rest in ["", ssd] {
        let all = of(&overloaded, rest);
        assert!(warns(&all, "cannot keep up"), "{rest}");
        assert!(all.busy_share > 0.5 && all.busy_share <= 1.0, "{rest}: {}", all.busy_share);
        assert!(!warns(&of(&in_time, rest), "cannot keep up"), "{rest}");
        assert!(!warns(&of(&burst, rest), "cannot keep up"), "{rest}");
    }
    let spread = |scale: f64| {
        let path = overloaded.display();
        let text = format!(
            "schemes = ['page-level']\ncapacity = '16MiB'\nworkload = {{ trace = '{path}', time_scale = {scale} }}"
        );
        schemes(&text).remove(0)
    };
    assert!(warns(&spread(1.0), "cannot keep up") && !warns(&spread(100.0), "cannot keep up"));
    let [all, some] = [spread(1.0).busy_share, spread(100.0).busy_share];
    assert!(all > 0.9 && some < 0.5, "{all} {some}");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn the_warm_up_of_a_run_from_a_fill_is_cut() {
    let of = |precondition: &str, seed: u32| {
        let text = format!(
            "schemes = ['page-level+share=0.6']\ncapacity = '32MiB'\nprecondition = '{precondition}'\nseed = {seed}\n\
             workload = {{ name = 'uniform', requests = 80000 }}"
        );
        schemes(&text).remove(0)
    };
    let steady: f64 = (1..=4).map(|seed| of("full+steady", seed).waf.unwrap()).sum::<f64>() / 4.0;
    for seed in 1..=4 {
        let run = of("full", seed);
        let (whole, behind) = (run.waf.unwrap(), run.batch_means.waf);
        assert_eq!(behind.settled, Some(true), "{behind:?}");
        // 40 % of the array is free after the fill, and the first writes cost nothing.
        assert!(behind.warm_up_share.unwrap() > 0.08, "{behind:?}");
        // The interval holds the mean of runs that begin in the steady state; the mean of the whole run is far off it.
        let half = behind.ci95.unwrap();
        assert!((behind.mean.unwrap() - steady).abs() <= half, "{behind:?} {steady}");
        assert!(steady - whole > 4.0 * half, "{whole} {steady} {half}");
        let response = run.batch_means.response_ns;
        assert!(response.settled == Some(true) && response.mean.unwrap() > run.response_ns.mean);
    }
}
