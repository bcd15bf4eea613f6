//! A search tells where the cache of a map on flash takes more RAM than the whole map.

use ftlkit_lab::choose::{Question, Verdict, named_schemes, tables};
use ftlkit_lab::config::{Experiment, PartTable};
use ftlkit_lab::run::Unobserved;

#[test]
fn a_cache_larger_than_its_map_is_told_with_the_share_that_helps() {
    let text = "capacity = '64MiB'\n\
                workload = { name = 'uniform', requests = 2000 }";
    let asked = Question {
        experiment: Experiment::from_toml(text, "test").unwrap(),
        deadlines: "3ms".parse().unwrap(),
        parts: vec![PartTable::named("evaluation-slc")],
        schemes: named_schemes(&["lazy-rtgc-on-demand".into(), "lazy-rtgc".into()]).unwrap(),
        shares: vec![0.5, 0.875],
        exported: None,
    };
    let choices = asked.answer(&Unobserved).unwrap();
    let told = |scheme: &str, share: Option<f64>| {
        let fits = |choice: &&ftlkit_lab::choose::Choice| {
            (choice.scheme.as_str(), choice.share_tried) == (scheme, share)
        };
        choices.iter().find(fits).unwrap().map_ram.clone()
    };
    let note = told("lazy-rtgc-on-demand", Some(0.875)).unwrap();
    for said in ["more than the whole map", "at a share of 0.875", "on down it takes less"] {
        assert!(note.contains(said), "{note}");
    }
    assert_eq!(told("lazy-rtgc-on-demand", Some(0.5)), None);
    assert_eq!(told("lazy-rtgc", Some(0.875)), None);
    let kept = tables::of(&choices, Verdict::Proved, Verdict::Measured);
    let lines: Vec<String> = tables::larger_than_map(&kept).collect();
    assert!(
        lines.iter().any(|line| line.starts_with("evaluation-slc lazy-rtgc-on-demand, 87.5 %: ")),
        "{lines:?}"
    );
}
