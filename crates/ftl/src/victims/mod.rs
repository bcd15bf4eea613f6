//! Victim selection among full blocks: every policy, and its costs.

mod any;
mod by_device;
mod by_group;
mod choices;
mod cost_age_times;
mod cost_benefit;
mod fifo;
mod first_fit;
mod full_blocks;
mod greedy;
mod greedy_scan;
mod interface;
mod jffs2;
mod mdc;
mod midas;
mod policy;
mod second_chance;
mod sort;
mod two_level_list;
mod two_regions;
mod windowed_greedy;
mod yaffs2;

pub use by_device::ByDevice;
pub use by_group::ByGroup;
pub use choices::Choices;
pub use cost_age_times::CostAgeTimes;
pub use cost_benefit::CostBenefit;
pub use fifo::Fifo;
pub use first_fit::FirstFit;
pub use greedy::Greedy;
pub use greedy_scan::GreedyScan;
pub use interface::{Filled, GROUPS, GroupSizes, GroupState, Victims};
pub use jffs2::Jffs2;
pub use mdc::Mdc;
pub use midas::Midas;
pub use policy::{Candidates, MOST_NUMBERS, PolicyNumber, ValidPages, VictimKind, VictimPolicy};
pub use second_chance::SecondChance;
pub use two_level_list::TwoLevelList;
pub use two_regions::TwoRegions;
pub use windowed_greedy::WindowedGreedy;
pub use yaffs2::Yaffs2;

/// All policies of this crate, in the order in which they are listed. Configurations, test suites and the
/// documentation use this list.
pub static VICTIM_POLICIES: &[&VictimPolicy] = &[
    &greedy::POLICY,
    &greedy_scan::POLICY,
    &cost_benefit::POLICY,
    &cost_age_times::POLICY,
    &mdc::POLICY,
    &two_level_list::POLICY,
    &fifo::POLICY,
    &second_chance::POLICY,
    &two_regions::GREEDY,
    &two_regions::FIFO,
    &midas::GREEDY,
    &midas::COST_BENEFIT,
    &first_fit::POLICY,
    &choices::RANDOM,
    &choices::POLICY,
    &windowed_greedy::POLICY,
    &jffs2::POLICY,
    &yaffs2::AGGRESSIVE,
    &yaffs2::PASSIVE,
];

impl VictimKind {
    /// One kind of each policy, for tests; `number` is used for policies whose first number has no default.
    pub fn each(number: u16) -> impl Iterator<Item = Self> {
        VICTIM_POLICIES.iter().filter_map(move |policy| policy.kind_or(number))
    }
}
