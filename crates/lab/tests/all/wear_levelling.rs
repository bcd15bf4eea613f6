//! Static wear levelling evens out wear, for all frontiers and numbers of dies.

use crate::common::case::{Case, Load};
use ftlkit_lab::run::Unobserved;
use ftlkit_lab::run_one;

/// σ/N × 100 of the erases per block; 99 % of the writes go to a tenth of the space.
fn wear(scheme: &str, channels: Option<u32>) -> f64 {
    let mut options = vec![
        ("--part", "k9lcg08u1m".to_owned()),
        ("--set", "part.pages_per_block=32".to_owned()),
        ("--capacity", (64 << 20).to_string()),
        ("--precondition", "full".to_owned()),
        ("--requests", "60000".to_owned()),
        ("--loops", "0".to_owned()),
        ("--set", "write_share=1".to_owned()),
        ("--set", "hot_requests=0.99".to_owned()),
        ("--set", "hot_space=0.1".to_owned()),
        ("--schemes", scheme.to_owned()),
    ];
    if let Some(channels) = channels {
        options.push(("--channels", channels.to_string()));
        options.push(("--bus-cycle", "5ns".to_owned()));
    }
    let case = Case { load: Load::Builtin("hot-cold"), options };
    let resolved = case.experiment().unwrap().resolve().unwrap();
    run_one(&resolved, 0, &Unobserved).unwrap().wear_index
}

#[test]
fn wear_is_levelled_whatever_the_frontiers_and_the_dies() {
    for frontiers in ["shared", "split"] {
        for channels in [None, Some(1), Some(4)] {
            let scheme = format!("page-level+share=0.7+frontiers={frontiers}");
            let [without, with] = ["", "+wear=gap:5"]
                .map(|wear_rule| wear(&format!("{scheme}{wear_rule}"), channels));
            println!("{scheme}, channels {channels:?}: {without:.1} without, {with:.1} with gap:5");
            assert!(with < without / 2.5, "{scheme} {channels:?}: {with} of {without}");
        }
    }
}
