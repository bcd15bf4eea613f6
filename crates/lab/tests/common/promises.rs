//! Every scheme with a response bound, on an SSD at queue depth 1.

use super::case::{Case, Load};
use super::check::{Ran, ran};
use super::draw::CYCLES;
use super::pool::Failure;
use flash::Part;
use ftl::Preset;
use ftlkit_lab::config::Resolved;

/// Workloads with their parameters; each gets a share of the tasks. The adversarial orders consist of writes only; the
/// first workload also has reads and trims.
const LOADS: [(&str, &[&str]); 7] = [
    ("uniform", &["write_share=0.6", "trim_share=0.1"]),
    ("financial-like", &[]),
    ("random-adversary", &[]),
    ("gftl-worst-case", &[]),
    ("gftl-queue-worst-case", &[]),
    ("lazy-rtgc-worst-case", &[]),
    ("map-miss-worst-case", &[]),
];

/// Numbers of blocks, tried in ascending order: the scheme gets the smallest array on which it works.
const BLOCKS: [u64; 6] = [16, 64, 256, 1024, 4096, 16384];

/// Results of a scheme on a part with this number of channels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    /// Page tasks.
    pub(crate) tasks: u64,
    /// Victims.
    pub(crate) victims: u64,
    /// The longest response.
    pub(crate) worst_ns: u64,
    /// Its bound, from the part's times on these channels.
    pub(crate) bound_ns: u64,
    /// The runs that exceeded it or failed otherwise.
    pub(crate) failures: Vec<Failure>,
}

/// Runs at least `tasks` page tasks at depth 1; `None` if the scheme has no bound or cannot work on this part.
pub(crate) fn kept(scheme: &Preset, part: &Part, channels: u32, tasks: u64) -> Option<Kept> {
    let mut kept = Kept::default();
    let share = tasks.div_ceil(LOADS.len() as u64);
    for (at, (load, sets)) in LOADS.into_iter().enumerate() {
        // The next workload also runs the tasks that earlier ones could not run.
        let requests = (share * (at as u64 + 1)).min(tasks).saturating_sub(kept.tasks).max(share);
        // On several channels every other workload runs on planes of their own.
        let planes = if channels > 1 && at % 2 == 1 { 2 } else { 1 };
        let board = [channels, planes];
        let Some((case, resolved)) = resolve(scheme, part, board, load, sets, requests) else {
            continue;
        };
        kept.bound_ns = resolved.schemes[0].plan.guarantee.response_ns?;
        match ran(&resolved) {
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

/// Resolves a case with the longest bus cycle and the smallest array that work.
fn resolve(
    scheme: &Preset,
    part: &Part,
    [channels, planes]: [u32; 2],
    load: &'static str,
    sets: &[&str],
    requests: u64,
) -> Option<(Case, Resolved)> {
    let block = u64::from(part.pages_per_block) * u64::from(part.page_bytes);
    let cycles: &[&str] = if part.gives_bus() { &[""] } else { &CYCLES };
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
            if planes > 1 {
                options.push(("--planes", planes.to_string()));
                options.push(("--plane-use", "own".into()));
            }
            if !cycle.is_empty() {
                options.push(("--bus-cycle", (*cycle).to_owned()));
            }
            let case = Case { load: Load::Builtin(load), options };
            let resolved = case.experiment().ok()?.resolve().ok()?;
            Some((case, resolved))
        },
    )
}
