//! Runs for Fig. 6: workloads and schemes on the paper's board.

use crate::runs::Planned;
use crate::settings::Scale;
use sim::config::Experiment;

/// Workload on the board.
pub(super) struct Workload {
    pub(super) name: &'static str,
    pub(super) words: &'static str,
    /// Share of writes.
    writes: f64,
    /// True if all accesses are sequential.
    sequential: bool,
    /// Logical pages over physical pages.
    share: f64,
    /// Share of the preconditioning overwrites that is sequential.
    aged: &'static str,
}

/// A drive sold as 64 GB exports this share of its 64 GiB of flash.
const SHARE: f64 = 0.93;

pub(super) const WORKLOADS: [Workload; 4] = [
    of_table("workload 1", "80 % reads, random", 0.2, false),
    of_table("workload 2", "80 % reads, sequential", 0.2, true),
    of_table("workload 3", "80 % writes, random", 0.8, false),
    of_table("workload 4", "80 % writes, sequential", 0.8, true),
];

const fn of_table(
    name: &'static str,
    words: &'static str,
    writes: f64,
    sequential: bool,
) -> Workload {
    Workload { name, words, writes, sequential, share: SHARE, aged: "50%" }
}

/// Workload whose blocks reach 3/4 invalid pages; those of Table 2 do not.
pub(super) const ROOMY: Workload = Workload {
    name: "60 % exported",
    words: "80 % writes, sequential, aged sequentially",
    writes: 0.8,
    sequential: true,
    share: 0.6,
    aged: "100%",
};

/// The paper's two schemes, then those that the paper does not compare.
pub(super) const SCHEMES: [(&str, &str); 7] = [
    (SEARCH, "page-level+victim=greedy-scan+frontiers=shared"),
    (LISTS, "2lgc"),
    (SEARCH_OF_ONE, "page-level+victim=greedy-scan:1+frontiers=shared"),
    (GREEDY, "page-level+frontiers=shared"),
    (PREEMPTIVE, "2lgc+victim=greedy"),
    ("choices-on-demand", "page-level+victim=choices:8+frontiers=shared"),
    ("choices-pre-emptive", "2lgc+victim=choices:8"),
];
pub(super) const SEARCH: &str = "greedy-scan";
pub(super) const LISTS: &str = "2lgc";
pub(super) const SEARCH_OF_ONE: &str = "greedy-scan:1";
pub(super) const GREEDY: &str = "greedy-on-demand";
pub(super) const PREEMPTIVE: &str = "greedy-pre-emptive";

/// Size of a run.
pub(super) struct Size {
    pub(super) capacity: &'static str,
    pub(super) requests: u64,
}

impl Size {
    pub(super) fn of(scale: Scale) -> Self {
        match scale {
            Scale::Quick => Self { capacity: "16GiB", requests: 40_000 },
            Scale::Full => Self { capacity: "64GiB", requests: 400_000 },
        }
    }

    /// Size for [`ROOMY`]: its requests overwrite more than the whole array.
    pub(super) fn roomy(scale: Scale) -> Self {
        match scale {
            Scale::Quick => Self { capacity: "4GiB", requests: 200_000 },
            Scale::Full => Self { capacity: "16GiB", requests: 800_000 },
        }
    }

    pub(super) fn planned(&self, workload: &Workload, seed: u64) -> Planned {
        let Workload { name, writes, share, aged, .. } = workload;
        let schemes: Vec<String> = SCHEMES
            .iter()
            .map(|(label, scheme)| format!("'{scheme}+share={share}+label={label}'"))
            .collect();
        let text = format!(
            "part = 'k9lcg08u1m'\nbus_cycle = '5ns'\nchannels = 8\nways = 2\ncapacity = '{}'\nqueue_depth = 32\n\
             interface = 'sata2'\ncpu = 'arm7'\nwindow = '100ms'\n\
             collection = 'exclusive'\nhost_first = 16\nprecondition = 'full+age=1+sequential={aged}'\n\
             seed = {seed}\nschemes = [{}]\n\
             workload = {{ name = 'mixed', requests = {}, parameters = {{ write_share = '{writes}', sequential_share = '{}' }} }}\n",
            self.capacity,
            schemes.join(", "),
            self.requests,
            u8::from(workload.sequential),
        );
        let experiment = Experiment::from_toml(&text, name).expect("is an experiment");
        Planned { name: (*name).into(), experiment }
    }
}
