//! Fig. 6: page commands a second over time on the paper's board, and what the paper does not compare with.

use super::PAPER;
use crate::config::Experiment;
use crate::report::plots::{Curve, Curves, Drawn};
use crate::report::{SchemeReport, Summary};
use crate::reproduce::runs::{Planned, Ran, run_all};
use crate::reproduce::{
    CurvesFile, Limit, PlotFile, ReproduceError, Reproduction, Row, Scale, Section, Settings, Watch,
};
use ftl::VictimKind;

/// Table 2: share of writes, and whether all accesses are sequential.
const WORKLOADS: [(&str, &str, f64, bool); 4] = [
    ("workload 1", "80 % reads, random", 0.2, false),
    ("workload 2", "80 % reads, sequential", 0.2, true),
    ("workload 3", "80 % writes, random", 0.8, false),
    ("workload 4", "80 % writes, sequential", 0.8, true),
];

/// Of 64 GiB of flash: what a drive sold as 64 GB exports.
const SHARE: f64 = 0.93;

/// The paper's two, then the comparison that it lacks.
const SCHEMES: [(&str, &str); 6] = [
    (SEARCH, "page-level+victim=greedy-scan"),
    (LISTS, "2lgc"),
    (GREEDY, "page-level"),
    (PREEMPTIVE, "2lgc+victim=greedy"),
    ("choices-on-demand", "page-level+victim=choices:8"),
    ("choices-pre-emptive", "2lgc+victim=choices:8"),
];
const SEARCH: &str = "greedy-scan";
const LISTS: &str = "2lgc";
const GREEDY: &str = "greedy-on-demand";
const PREEMPTIVE: &str = "greedy-pre-emptive";

pub(super) fn fig_6(
    settings: &Settings,
    watch: &dyn Watch,
    found: &mut Reproduction,
) -> Result<Section, ReproduceError> {
    let mut section = PAPER.section("fig-6");
    let size = Size::of(settings.scale);
    let planned = WORKLOADS.iter().map(|workload| size.planned(*workload, settings.seed)).collect();
    let ran = run_all(planned, watch)?;
    for of in &ran {
        section.rows.extend(claims(of));
    }
    for of in &ran {
        section.rows.extend(against_greedy(of));
    }
    for of in &ran {
        section.rows.extend(figures(of));
    }
    for (at, of) in (1..).zip(&ran) {
        section.plots.push(plot(of, at)?);
    }
    section.curves.push(windows(&ran));
    section.curves.push(table(&ran));
    section.notes = notes(&size, &ran);
    found.runs.extend(ran.into_iter().map(|ran| ran.record));
    Ok(section)
}

/// How much is run.
struct Size {
    capacity: &'static str,
    requests: u64,
    age: f64,
}

impl Size {
    fn of(scale: Scale) -> Self {
        match scale {
            Scale::Quick => Self { capacity: "16GiB", requests: 40_000, age: 1.0 },
            Scale::Full => Self { capacity: "64GiB", requests: 400_000, age: 1.0 },
        }
    }

    fn planned(
        &self,
        (name, _, writes, sequential): (&str, &str, f64, bool),
        seed: u64,
    ) -> Planned {
        let schemes: Vec<String> = SCHEMES
            .iter()
            .map(|(label, scheme)| format!("'{scheme}+share={SHARE}+label={label}'"))
            .collect();
        let text = format!(
            "part = 'k9lcg08u1m'\nbus_cycle = '5ns'\nchannels = 8\nways = 2\ncapacity = '{}'\nqueue_depth = 32\n\
             interface = 'sata2'\ncpu = 'arm7'\nwindow = '100ms'\nprecondition = 'full+age={}+sequential=50%'\n\
             seed = {seed}\nschemes = [{}]\n\
             workload = {{ name = 'mixed', requests = {}, parameters = {{ write_share = '{writes}', sequential_share = '{}' }} }}\n",
            self.capacity,
            self.age,
            schemes.join(", "),
            self.requests,
            u8::from(sequential),
        );
        let experiment = Experiment::from_toml(&text, name).expect("is an experiment");
        Planned { name: name.into(), experiment }
    }
}

/// Victims of one search.
fn at_once() -> f64 {
    let search = VictimKind::GreedyScan(ftl::page_mapped::victims::GreedyScan::AT_ONCE);
    f64::from(search.victims_at_once())
}

fn mean(scheme: &SchemeReport) -> Option<f64> {
    scheme.ssd.as_ref().map(|ssd| ssd.page_commands_per_second)
}

fn least(scheme: &SchemeReport) -> Option<f64> {
    scheme.ssd.as_ref().map(|ssd| ssd.window_least_per_second)
}

fn stall(scheme: &SchemeReport) -> Option<f64> {
    scheme.ssd.as_ref().map(|ssd| ssd.longest_stall_ns as f64)
}

/// One scheme's figure over another's.
fn ratio(ran: &Ran, of: fn(&SchemeReport) -> Option<f64>, over: &str, under: &str) -> Option<f64> {
    let ratio = of(ran.scheme(over)?)? / of(ran.scheme(under)?)?;
    ratio.is_finite().then_some(ratio)
}

/// What the lists themselves gain over greedy in O(1), with which the paper does not compare.
fn against_greedy(ran: &Ran) -> Vec<Row> {
    let mut rows = Vec::new();
    for (other, label) in [("on demand", GREEDY), ("pre-emptive", PREEMPTIVE)] {
        for (what, of) in
            [("mean", mean as fn(&SchemeReport) -> Option<f64>), ("longest stall", stall)]
        {
            let name = format!("{}: 2LGC / greedy in O(1) {other}, {what}", ran.name);
            rows.push(match ratio(ran, of, LISTS, label) {
                Some(ratio) => Row::evidence(&name, "×", ratio, 2),
                None => Row::incomparable(&name, "×", None, None, "interrupted"),
            });
        }
    }
    rows
}

/// What the paper says of its scheme against the search, and what follows from it.
fn claims(ran: &Ran) -> Vec<Row> {
    let name = &ran.name;
    let why = |of: &str| {
        let entries = |label: &str| {
            let work = ran.scheme(label)?.victim_work.as_ref()?;
            Some(format!("{label} {:.0}", work.entries_per_victim?))
        };
        let entries: Vec<String> = [SEARCH, LISTS].into_iter().filter_map(entries).collect();
        format!("{of}; entries a victim: {}", entries.join(", "))
    };
    let row = |what: String, limit, ratio: Option<f64>, of: &str| match ratio
        .filter(|r| r.is_finite())
    {
        Some(ratio) => Row::limit(&what, "×", limit, ratio, &why(of)),
        None => Row::incomparable(&what, "×", None, None, "interrupted, or no victim was taken"),
    };
    vec![
        row(
            format!("{name}: page commands a second, 2LGC / search, mean"),
            Limit::Above(1.0),
            ratio(ran, mean, LISTS, SEARCH),
            "another limit than the choice of victims",
        ),
        row(
            format!("{name}: the same of the window with fewest"),
            Limit::Above(1.0),
            ratio(ran, least, LISTS, SEARCH),
            "another limit than the choice of victims",
        ),
        row(
            format!("{name}: longest host stall, search / 2LGC, at least K"),
            Limit::Above(at_once()),
            ratio(ran, stall, SEARCH, LISTS),
            "what else delays requests weighs against the victims of a search",
        ),
    ]
}

type Told = (&'static str, &'static str, usize, fn(&SchemeReport) -> Option<f64>);

fn ms(ns: Option<u64>) -> Option<f64> {
    ns.map(|ns| ns as f64 / 1e6)
}

fn requests(scheme: &SchemeReport) -> &Summary {
    &scheme.request_completion_ns
}

/// What is told of each scheme: what, unit, decimals, value.
const TOLD: [Told; 14] = [
    ("page commands, mean", "/s", 0, mean),
    ("page commands, least of a window", "/s", 0, least),
    ("host pages", "/s", 0, |s| Some(s.ssd.as_ref()?.host_pages_per_second)),
    ("request, median", "ms", 2, |s| ms(requests(s).p50)),
    ("request, p99", "ms", 2, |s| ms(requests(s).p99)),
    ("request, p99.9", "ms", 2, |s| ms(requests(s).p99_9)),
    ("request, longest", "ms", 2, |s| Some(requests(s).max as f64 / 1e6)),
    ("longest stall", "ms", 2, |s| ms(Some(s.ssd.as_ref()?.longest_stall_ns))),
    ("longest collection", "ms", 2, |s| ms(Some(s.ssd.as_ref()?.longest_collection_ns))),
    ("longest processor time", "ms", 3, |s| ms(Some(s.ssd.as_ref()?.longest_processor_ns))),
    ("processor", "%", 1, |s| Some(s.ssd.as_ref()?.processor_share * 100.0)),
    ("link", "%", 1, |s| Some(s.ssd.as_ref()?.link_use? * 100.0)),
    ("entries a victim", "", 1, |s| s.victim_work.as_ref()?.entries_per_victim),
    ("write amplification", "", 3, |s| s.waf),
];

/// Of which rows are told; the others are in the CSV file.
const IN_ROWS: [&str; 7] = [
    "page commands, mean",
    "page commands, least of a window",
    "host pages",
    "request, p99.9",
    "request, longest",
    "longest stall",
    "longest processor time",
];

fn figures(ran: &Ran) -> Vec<Row> {
    let mut rows = Vec::new();
    for (what, unit, decimals, of) in TOLD.iter().filter(|told| IN_ROWS.contains(&told.0)) {
        for (label, _) in SCHEMES {
            let what = format!("{}, {what}: {label}", ran.name);
            rows.push(match ran.scheme(label).and_then(of) {
                Some(value) => Row::evidence(&what, unit, value, *decimals),
                None => {
                    let why = ran.why_not(label).unwrap_or("no such figure in this run");
                    Row::incomparable(&what, unit, None, None, why)
                }
            });
        }
    }
    rows
}

fn plot(ran: &Ran, number: u32) -> Result<PlotFile, ReproduceError> {
    let curve = |label: &&str| {
        let report = ran.scheme(label);
        let points = report.map(rates).unwrap_or_default();
        let note = report.and_then(|report| {
            Some(format!("mean {:.0}, least {:.0}", mean(report)?, least(report)?))
        });
        Curve {
            name: (*label).into(),
            note: note.unwrap_or_default(),
            points: points.into_iter().map(|(at, commands, _)| (at, commands)).collect(),
            drawn: Drawn::Line,
        }
    };
    let words = WORKLOADS.iter().find(|workload| workload.0 == ran.name).map_or("", |w| w.1);
    let chart = Curves {
        caption: format!("Page commands a second, {}: {words}", ran.name),
        x_label: "time, s",
        y_label: "page reads and programs a second",
        log_y: false,
        curves: [SEARCH, LISTS, GREEDY].iter().map(curve).collect(),
    };
    Ok(PlotFile { name: format!("fig-6-workload-{number}.svg"), svg: chart.svg()? })
}

/// Of each whole window: its middle, s; page commands and pages of the host, a second.
fn rates(report: &SchemeReport) -> Vec<(f64, f64, f64)> {
    let Some(ssd) = &report.ssd else { return Vec::new() };
    let seconds = ssd.window_ns as f64 / 1e9;
    let whole = report.series.windows.iter().take(ssd.windows as usize);
    let rate = |window: &crate::report::WindowSample| {
        let middle = window.start_ns as f64 / 1e9 + seconds / 2.0;
        (middle, window.page_commands as f64 / seconds, window.host_pages as f64 / seconds)
    };
    whole.map(rate).collect()
}

fn windows(ran: &[Ran]) -> CurvesFile {
    let mut csv = String::from("workload,scheme,time_s,page_commands_per_s,host_pages_per_s\n");
    for of in ran {
        for (label, report) in of.schemes.iter() {
            for (at, commands, host) in report.as_ref().map(rates).unwrap_or_default() {
                csv.push_str(&format!("{},\"{label}\",{at},{commands},{host}\n", of.name));
            }
        }
    }
    CurvesFile { name: "fig-6.csv".into(), csv }
}

fn table(ran: &[Ran]) -> CurvesFile {
    let mut csv = String::from("workload,scheme");
    TOLD.iter().for_each(|(what, unit, ..)| csv.push_str(&format!(",\"{what} {unit}\"")));
    csv.push('\n');
    for of in ran {
        for (label, report) in &of.schemes {
            csv.push_str(&format!("{},\"{label}\"", of.name));
            for (.., value) in TOLD {
                let value = report.as_ref().ok().and_then(value);
                csv.push_str(&value.map_or_else(|| ",".into(), |value| format!(",{value}")));
            }
            csv.push('\n');
        }
    }
    CurvesFile { name: "fig-6-table.csv".into(), csv }
}

fn notes(size: &Size, ran: &[Ran]) -> Vec<String> {
    let blocks = ran.first().map_or(0, |ran| ran.resolved.geometry.blocks());
    vec![
        format!(
            "8 channels × 2 ways of clustered pages of 32 KiB, {} ({blocks} blocks; the paper: 64 GB, 16384), SATA2, 32 requests of \
             32 KiB outstanding, ARM7TDMI-S at 87.5 MHz; a frontier a way; {} requests; filled, then written over {} time(s), \
             half of it sequentially",
            size.capacity, size.requests, size.age,
        ),
        "assumed, as the paper does not tell: a queue depth of 32 (the most of SATA2); 93 % of the flash is exported; the part's \
         tR of 250 µs and tPROG of 1300 µs include the transfer of 35,328 bytes at 5 ns, so that cells take about 73 µs to \
         read (75 µs in the authors' study of copy-back); 4 victims a search; how long it measured"
            .into(),
        "after this ageing, of a device as full, no block comes to 3/4 invalid pages: the lists are empty and `2lgc` searches all \
         blocks for each victim, in one go of N entries and without a sort. What sets it apart from the search on demand is that \
         it collects one victim page by page between requests; greedy in O(1) collected likewise does as well"
            .into(),
        "a page command is a read or a program of a page, for the host or for collection: a scheme that copies more has more \
         of them for the same work of the host, so that rows and CSV tell host pages a second too"
            .into(),
        "the paper prints Fig. 6 without numbers and says \"superior\": the limits are those of its words, the stall's is what \
         follows from one victim in place of K at a time"
            .into(),
    ]
}
