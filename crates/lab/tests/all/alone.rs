//! A scheme's results do not depend on the schemes beside it: array and space come from the trace, the capacity and one rule.

use ftlkit_lab::compare;
use ftlkit_lab::config::Experiment;
use ftlkit_lab::run::Unobserved;
use std::collections::BTreeMap;

/// Results by scheme as JSON; a scheme that cannot hold the data has its reason.
fn results(schemes: &[&str], rest: &str) -> BTreeMap<String, String> {
    let text = format!("schemes = {schemes:?}\n{rest}");
    let resolved = Experiment::from_toml(&text, "test").unwrap().resolve();
    let resolved = match resolved {
        Ok(resolved) => resolved,
        Err(error) => return [(schemes[0].into(), error.to_string())].into(),
    };
    let found = compare(&resolved, &Unobserved).unwrap();
    assert!(found.failures.is_empty(), "{:?}", found.failures);
    let measured = found
        .report
        .schemes
        .iter()
        .map(|scheme| (scheme.name.clone(), serde_json::to_string(scheme).unwrap()));
    let left_out = found.report.left_out.iter().map(|out| (out.name.clone(), out.reason.clone()));
    measured.chain(left_out).collect()
}

fn all() -> Vec<&'static str> {
    let presets: Vec<&str> = ftl::registry::REGISTRY.iter().map(|preset| preset.name).collect();
    [presets, vec!["lazy-rtgc+share=0.6", "page-level+share=0.95"]].concat()
}

#[test]
fn alone_and_in_company_are_the_same() {
    let dir = std::env::temp_dir().join(format!("ftlkit-alone-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let trace = dir.join("trace.csv");
    let lines = (0..6000u64).map(|n| format!("write,{},4096\n", n * n * 31 % 5000 * 4096));
    let text: String =
        std::iter::once("op,offset_bytes,length_bytes\n".to_owned()).chain(lines).collect();
    std::fs::write(&trace, text).unwrap();
    let settings = [
        "capacity = '16MiB'\nworkload = { name = 'uniform', requests = 3000 }".to_owned(),
        format!("workload = {{ trace = '{}', loops = 2 }}", trace.display()),
        "capacity = '16MiB'\nprecondition = 'footprint+age=1'\nworkload = { name = 'zipf', requests = 3000 }".to_owned(),
    ];
    for rest in &settings {
        let together = results(&all(), rest);
        assert_eq!(together.len(), all().len(), "a column for each");
        let pair = results(&["rftl", "lazy-rtgc"], rest);
        assert_eq!(pair.get("lazy-rtgc"), together.get("lazy-rtgc"));
        for scheme in all() {
            let alone = &results(&[scheme], rest)[scheme];
            let beside = &together[scheme];
            let same = alone == beside
                || beside.contains("cannot hold") && alone.contains(beside.as_str());
            assert!(same, "{scheme}, {rest}: alone {alone}, in company {beside}");
        }
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_list_in_which_only_some_keep_copies_apart_is_told() {
    let told = |schemes: &str| {
        let text = format!("capacity = '64MiB'\nworkload = 'uniform'\nschemes = [{schemes}]");
        let notes = Experiment::from_toml(&text, "test").unwrap().resolve().unwrap().notes;
        notes.iter().any(|note| note.contains("+frontiers=split"))
    };
    assert!(told("'page-level', 'lazy-rtgc'"));
    assert!(!told("'page-level', 'lazy-rtgc+frontiers=split'") && !told("'2lgc', 'lazy-rtgc'"));
    assert!(!told("'page-level', 'nftl', 'fast'"), "of page maps alone");
}

#[test]
fn the_default_comparison_has_one_share_and_bounds_that_differ() {
    let experiment = Experiment::default();
    let resolved = experiment.resolve().unwrap();
    let shares: Vec<u32> =
        resolved.schemes.iter().map(|scheme| scheme.plan.logical_pages).collect();
    assert_eq!(shares, [109_816; 3], "0.875 of 245 MiB, which the captured trace asks for");
    assert!(resolved.left_out.is_empty());
}
