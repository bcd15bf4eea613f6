//! Runs on the paper's board: states of the array, workloads and schemes.

use crate::runs::Planned;
use crate::settings::Scale;
use lab::config::Experiment;

/// Workload on the board, and the state that it begins from.
#[derive(Clone, Copy)]
pub(super) struct Workload {
    pub(super) name: &'static str,
    pub(super) words: &'static str,
    /// Share of writes.
    writes: f64,
    /// True if all accesses are sequential.
    sequential: bool,
    /// True if reads go on behind the last read and writes behind the last write.
    own_positions: bool,
    /// Logical pages over physical pages.
    share: f64,
    /// Share of the preconditioning overwrites that is sequential.
    aged: &'static str,
    /// Capacity, and thousands of requests, at quick scale.
    quick: (&'static str, u64),
    /// The same at full scale.
    full: (&'static str, u64),
}

/// A drive sold as 64 GB exports this share of its 64 GiB of flash.
const SHARE: f64 = 0.93;

/// Table 2, on an array aged as §5.1 says, each write by a draw.
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
    let requests = if writes < 0.5 { 160 } else { 80 };
    Workload {
        name,
        words,
        writes,
        sequential,
        own_positions: false,
        share: SHARE,
        aged: "50%",
        quick: ("16GiB", requests),
        full: ("64GiB", requests * 10),
    }
}

/// The sequential workloads of Table 2 in states that were written in order and stay so.
pub(super) const IN_ORDER: [Workload; 3] = [
    Workload { name: "workload 2 in order", ..in_order(WORKLOADS[1], true) },
    Workload { name: "workload 4 in order", ..in_order(WORKLOADS[3], true) },
    AT_ONE_POSITION,
];

/// Workload 4 with one position for reads and writes: each pass leaves the fifth of the pages that it reads.
pub(super) const AT_ONE_POSITION: Workload = in_order(WORKLOADS[3], false);

const fn in_order(of: Workload, own_positions: bool) -> Workload {
    Workload {
        name: "workload 4 at one position",
        own_positions,
        aged: "100%",
        quick: ("16GiB", 400),
        full: ("64GiB", 4000),
        ..of
    }
}

/// Workload that leaves 40 % of the flash free: blocks reach 3/4 invalid pages at any time.
pub(super) const ROOMY: Workload = Workload {
    name: "60 % exported",
    words: "80 % writes, sequential, aged sequentially",
    share: 0.6,
    quick: ("4GiB", 200),
    full: ("16GiB", 800),
    ..AT_ONE_POSITION
};

/// A scheme with its label.
pub(super) type Labelled = (&'static str, &'static str);

/// The paper's two schemes, the same with the other division of blocks, and what the paper does not compare.
pub(super) const SCHEMES: [Labelled; 7] = [
    (SEARCH, "page-level+victim=greedy-scan+frontiers=split"),
    (LISTS, "2lgc+frontiers=shared"),
    (SEARCH_SHARED, "page-level+victim=greedy-scan+frontiers=shared"),
    (LISTS_SPLIT, "2lgc+frontiers=split"),
    (SEARCH_OF_ONE, "page-level+victim=greedy-scan:1+frontiers=split"),
    (GREEDY, "page-level+frontiers=split"),
    (PREEMPTIVE, "2lgc+victim=greedy+frontiers=shared"),
];
pub(super) const SEARCH: &str = "greedy-scan";
pub(super) const LISTS: &str = "2lgc";
pub(super) const SEARCH_SHARED: &str = "greedy-scan-shared";
pub(super) const LISTS_SPLIT: &str = "2lgc-split";
pub(super) const SEARCH_OF_ONE: &str = "greedy-scan:1";
pub(super) const GREEDY: &str = "greedy-on-demand";
pub(super) const PREEMPTIVE: &str = "greedy-pre-emptive";

/// The controller of a run.
#[derive(Clone, Copy)]
pub(super) struct Controller {
    /// Processor that chooses victims.
    pub(super) cpu: &'static str,
    /// Scope in which collection blocks the host.
    pub(super) collection: &'static str,
}

impl Controller {
    /// The paper's: an ARM7 that does one thing at a time.
    pub(super) const BOARD: Self = Self { cpu: "arm7", collection: "exclusive" };

    /// The processor's settings: the paper compares the time of victim selection.
    fn cpu(self) -> String {
        match self.cpu {
            "none" => String::new(),
            cpu => format!("cpu = '{cpu}'\ncpu_work = 'victims'\n"),
        }
    }
}

impl Workload {
    /// Capacity, and number of requests.
    pub(super) fn size(&self, scale: Scale) -> (&'static str, u64) {
        let (capacity, thousands) = match scale {
            Scale::Quick => self.quick,
            Scale::Full => self.full,
        };
        (capacity, thousands * 1000)
    }

    /// The workload with this capacity and these thousands of requests at quick scale, and four times both at full scale.
    pub(super) const fn sized(
        self,
        quick: &'static str,
        full: &'static str,
        thousands: u64,
    ) -> Self {
        Self { quick: (quick, thousands), full: (full, thousands * 4), ..self }
    }

    /// The workload where this share of the flash is exported.
    pub(super) const fn exporting(self, share: f64) -> Self {
        Self { share, ..self }
    }

    /// The run of these schemes, named after the workload and `suffix`. With a `rate`, requests arrive at random, so many per
    /// second on average.
    pub(super) fn planned<L: AsRef<str>, S: AsRef<str>>(
        &self,
        (suffix, schemes): (&str, &[(L, S)]),
        controller: Controller,
        rate: Option<u32>,
        (scale, seed): (Scale, u64),
    ) -> Planned {
        let Workload { name, writes, share, aged, .. } = self;
        let (capacity, requests) = self.size(scale);
        let schemes: Vec<String> = schemes
            .iter()
            .map(|(label, scheme)| {
                format!("'{}+share={share}+label={}'", scheme.as_ref(), label.as_ref())
            })
            .collect();
        let arrivals =
            rate.map_or(String::new(), |rate| format!(", rate = '{rate}', arrivals = 'poisson'"));
        let text = format!(
            "part = 'k9lcg08u1m'\nbus_cycle = '5ns'\nchannels = 8\nways = 2\ncapacity = '{capacity}'\nqueue_depth = 32\n\
             interface = 'sata2'\n{}window = '100ms'\n\
             collection = '{}'\nhost_first = 16\nprecondition = 'full+age=1+sequential={aged}'\n\
             seed = {seed}\nschemes = [{}]\n\
             workload = {{ name = 'mixed', requests = {requests}, parameters = {{ write_share = '{writes}', \
             sequential_share = '{}', positions = '{}'{arrivals} }} }}\n",
            controller.cpu(),
            controller.collection,
            schemes.join(", "),
            u8::from(self.sequential),
            if self.own_positions { "own" } else { "shared" },
        );
        let name = format!("{name}{suffix}");
        let experiment = Experiment::from_toml(&text, &name).expect("is an experiment");
        Planned { name, experiment }
    }
}
