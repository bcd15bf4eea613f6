//! Every scheme that promises, alone on an SSD at depth 1.

use super::case::{Case, Load};
use super::check::{LONGEST, Ran, ran};
use super::draw::CYCLES;
use super::pool::Failure;
use flash::Part;
use ftl::Preset;
use ftlkit_sim::config::Resolved;
use std::time::Duration;

/// Workloads, each with the tasks that all get, and what is set of it. The orders that drive schemes to their bounds
/// write only; what else a host asks for is in the first.
const LOADS: [(&str, &[&str]); 7] = [
    ("uniform", &["write_share=0.6", "trim_share=0.1"]),
    ("financial-like", &["footprint=0.9"]),
    ("random-adversary", &[]),
    ("gftl-worst-case", &[]),
    ("gftl-queue-worst-case", &[]),
    ("lazy-rtgc-worst-case", &[]),
    ("map-miss-worst-case", &[]),
];

/// Blocks of the array, in the order in which they are tried: as few as the scheme can work on.
const BLOCKS: [u64; 6] = [16, 64, 256, 1024, 4096, 16384];

/// What was seen of a scheme on a part, on channels of this count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    /// Page tasks.
    pub(crate) tasks: u64,
    /// Victims.
    pub(crate) victims: u64,
    /// The longest response.
    pub(crate) worst_ns: u64,
    /// What is promised of it, by the part's times on these channels.
    pub(crate) bound_ns: u64,
    /// The runs that broke it, or failed otherwise.
    pub(crate) failures: Vec<Failure>,
}

/// At least so many page tasks at depth 1; `None` where the scheme promises nothing, or cannot work on this part.
pub(crate) fn kept(scheme: &Preset, part: &Part, channels: u32, tasks: u64) -> Option<Kept> {
    let mut kept = Kept::default();
    let share = tasks.div_ceil(LOADS.len() as u64);
    for (at, (load, sets)) in LOADS.into_iter().enumerate() {
        // What no workload before could run is for the next.
        let requests = (share * (at as u64 + 1)).min(tasks).saturating_sub(kept.tasks).max(share);
        let Some((case, resolved)) = resolve(scheme, part, channels, load, sets, requests) else {
            continue;
        };
        kept.bound_ns = resolved.schemes[0].plan.guarantee.response_ns?;
        match ran(&resolved, LONGEST + Duration::from_millis(share)) {
            Ok(Ran { tasks, victims, worst_ns, .. }) => {
                kept.tasks += tasks;
                kept.victims += victims;
                kept.worst_ns = kept.worst_ns.max(worst_ns);
            }
            Err(what) => kept.failures.push(Failure { what, replay: case.to_string() }),
        }
    }
    if kept.bound_ns == 0 {
        return None;
    }
    if kept.failures.is_empty() && (kept.tasks < tasks || kept.victims == 0) {
        let what = format!("tasks: {} of {tasks}, {} victims", kept.tasks, kept.victims);
        kept.failures.push(Failure { what, replay: format!("{} on {}", scheme.name, part.name) });
    }
    Some(kept)
}

/// On the longest bus cycle and the smallest array that there can be.
fn resolve(
    scheme: &Preset,
    part: &Part,
    channels: u32,
    load: &'static str,
    sets: &[&str],
    requests: u64,
) -> Option<(Case, Resolved)> {
    let block = u64::from(part.pages_per_block) * u64::from(part.page_bytes);
    let cycles: &[&str] = if part.t_rc_ns > 0 { &[""] } else { &CYCLES };
    cycles.iter().flat_map(|cycle| BLOCKS.map(|blocks| (cycle, blocks))).find_map(
        |(cycle, blocks)| {
            let mut options = vec![
                ("--part", part.name.to_string()),
                ("--capacity", (blocks * block).to_string()),
                ("--schemes", scheme.name.to_owned()),
                ("--channels", channels.to_string()),
                ("--queue-depth", "1".into()),
                ("--precondition", "full+age=1".into()),
                ("--requests", requests.to_string()),
                ("--loops", "0".into()),
            ];
            options.extend(sets.iter().map(|set| ("--set", (*set).to_owned())));
            if !cycle.is_empty() {
                options.push(("--bus-cycle", (*cycle).to_owned()));
            }
            let case = Case { load: Load::Builtin(load), options };
            let resolved = case.experiment().ok()?.resolve().ok()?;
            Some((case, resolved))
        },
    )
}
