//! Collection by each copy path under a real FTL on an SSD. The paper argues for it and measures transactions alone.

use crate::figure::Figure;
use crate::matrix::{Cell, Matrix};
use crate::observer::ReproductionObserver;
use crate::row::{Limit, Row};
use crate::runs::{Planned, Ran, run_all};
use crate::settings::{Scale, Settings};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use lab::config::Experiment;
use lab::report::SchemeReport;

/// Runs: channels and ways of a board of eight dies, outstanding requests, cycle of direct transfers. The paper takes
/// 25 ns; 35 ns is the shortest cycle at which the pins of its mode latch.
const RUNS: [(u32, u32, u32, &str); 5] = [
    (1, 8, 1, "25ns"),
    (1, 8, 32, "25ns"),
    (1, 8, 32, "35ns"),
    (4, 2, 1, "25ns"),
    (4, 2, 32, "25ns"),
];
/// Paths: label and name.
const PATHS: [(&str, &str); 2] = [("GCB", "gcb"), ("DGCB", "dgcb")];

/// Measured quantity: name with unit, value, decimals.
type Quantity = (&'static str, fn(&SchemeReport) -> Option<f64>, usize);

const QUANTITIES: [Quantity; 5] = [
    ("host pages per second", |of| Some(of.ssd.as_ref()?.host_pages_per_second), 0),
    ("host reads, mean completion, µs", |of| Some(of.read_completion_ns.mean / 1e3), 0),
    ("host reads, p99.9 completion, µs", |of| Some(of.read_completion_ns.p99_9? as f64 / 1e3), 0),
    ("channel use, %", |of| Some(of.ssd.as_ref()?.channel_use * 100.0), 1),
    ("copies by direct transfer, %", by_direct_transfer, 1),
];

fn by_direct_transfer(report: &SchemeReport) -> Option<f64> {
    let paths = report.copies_by_path.as_ref()?;
    let direct = paths.iter().filter(|of| of.path == "dgcb").map(|of| of.copies).sum::<u64>();
    (report.copies > 0).then(|| direct as f64 * 100.0 / report.copies as f64)
}

pub(super) fn ssd(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let ran = run_all(RUNS.map(|run| planned(run, settings)).into(), watch)?;
    let names: Vec<&str> = ran.iter().map(|ran| ran.name.as_str()).collect();
    let paths = PATHS.map(|(label, _)| label);
    for (what, of, decimals) in QUANTITIES {
        to.matrices.push(Matrix::of(what, &names, &paths, |row, column| {
            Cell::ours(ran[row].scheme(paths[column]).and_then(of), decimals)
        }));
    }
    to.rows = rows(&ran);
    to.runs = ran.into_iter().map(|ran| ran.record).collect();
    Ok(())
}

fn planned(run: (u32, u32, u32, &str), settings: &Settings) -> Planned {
    let (channels, ways, depth, cycle) = run;
    let (capacity, requests) = match settings.scale {
        Scale::Quick => ("2GiB", 60_000),
        Scale::Full => ("16GiB", 1_000_000),
    };
    let schemes = PATHS.map(|(label, path)| format!("'fsr+copy={path}+label={label}'")).join(", ");
    let text = format!(
        "part = 'ddt-mlc'\nchannels = {channels}\nways = {ways}\nt_rwc = '{cycle}'\ncapacity = '{capacity}'\n\
         queue_depth = {depth}\nprecondition = 'full+age=1'\nseed = {}\nschemes = [{schemes}]\n\
         workload = {{ name = 'mixed', requests = {requests}, parameters = {{ write_share = '0.5' }} }}\n",
        settings.seed
    );
    let name = format!("{channels} × {ways} dies, queue depth {depth}, {cycle}");
    let experiment = Experiment::from_toml(&text, &name).expect("is an experiment");
    Planned { name, experiment }
}

/// Change of each quantity by DGCB against GCB. The paper argues that the host gains.
fn rows(ran: &[Ran]) -> Vec<Row> {
    let change = |ran: &Ran, of: fn(&SchemeReport) -> Option<f64>| {
        let [gcb, dgcb] = PATHS.map(|(label, _)| ran.scheme(label).and_then(of));
        Some((dgcb? / gcb? - 1.0) * 100.0)
    };
    let shallow = change(&ran[0], QUANTITIES[1].1)
        .map_or("unknown".into(), |at| format!("{} %", Figure::number(at, 1)));
    let why = format!(
        "a direct transfer holds both dies until it ends, a transfer through \
         the controller one after the other; at queue depth 1, where no host operation waits for them, the change is \
         {shallow}"
    );
    let mut rows = Vec::new();
    for (ran, (channels, _, depth, cycle)) in ran.iter().zip(RUNS) {
        for (at, (quantity, of, _)) in QUANTITIES[..4].iter().enumerate() {
            let what = format!("DGCB against GCB, {}: {quantity}", ran.name);
            let Some(change) = change(ran, *of) else {
                let why = PATHS.iter().find_map(|(label, _)| ran.why_not(label));
                let why = Reason::MissingDetail(why.unwrap_or("no value").into());
                rows.push(Row::incomparable(&what, "%", None, None, why));
                continue;
            };
            let judged = channels == 1 && cycle == "25ns" && at == 1;
            rows.push(match judged {
                true => {
                    let claim = format!("mean host read under an FTL on an SSD, queue depth {depth}, DGCB against GCB");
                    Row::limit(&what, "%", Limit::Below(0.0), change)
                        .because(Reason::MissingDetail(why.clone()))
                        .as_evidence()
                        .headline("§III.B", &claim)
                }
                false => Row::evidence(&what, "%", change, 1),
            });
        }
    }
    rows
}
