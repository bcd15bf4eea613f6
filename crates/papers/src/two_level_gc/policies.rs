//! Victim policies that are measured.

use ftl::{VICTIM_POLICIES, VictimKind};

/// Policies whose work and write amplification are measured: those of the paper, of its comparisons and with a model. Those of
/// placement have tables of their own (`placement`).
const POLICIES: [&str; 10] = [
    "greedy",
    "greedy-scan",
    "windowed-greedy",
    "fifo",
    "second-chance",
    "random",
    "choices",
    "cost-benefit",
    "first-fit",
    "two-level-list",
];

/// [`POLICIES`], each with its default parameters or with a number of its own.
pub(super) fn policies(number: impl Fn(&str) -> u16) -> impl Iterator<Item = VictimKind> {
    let listed = VICTIM_POLICIES.iter().filter(|policy| POLICIES.contains(&policy.name));
    listed.filter_map(move |policy| policy.kind_or(number(policy.name)))
}
