//! What §§3, 6.2 and 7 tell beside the figures, and our additional studies: the parts of BA-GC, its regions and parameters,
//! and other schemes below its buffer.

use super::measure::*;
use crate::figure::Figure;
use crate::row::Row;
use crate::runs::{Found, Runs};
use crate::sheet::{Outcome, Sheet, line};
use crate::verdict::Verdict;
use lab::report::SchemeReport;

/// Execution times in order, or why one is missing.
type Times = Result<Vec<f64>, String>;

/// Scheme, scheme to compare it with, and the part that differs.
type Step = (&'static str, &'static str, &'static str);

const PARTS: [Step; 3] = [
    ("three-region", "fab", "three-region buffer for FAB"),
    ("ba-bm", "three-region", "BA-BM above it"),
    ("ba-gc", "ba-bm", "BA-VBS above that"),
];

const STEPS: [Step; 12] = [
    ("block-lru", "fab", "LRU order of blocks for most pages first"),
    ("three-region", "block-lru", "three regions"),
    ("ba-bm", "three-region", "BA-BM"),
    ("ba-gc", "ba-bm", "BA-VBS, with BA-BM"),
    ("ba-gc", "ba-gc-p-0", "P(U) of §6.1 for P(U) = 0"),
    ("cheapest", "three-region", "cheapest victims, without BA-BM"),
    ("ba-gc", "three-region", "BA-BM and BA-VBS"),
    ("pages-ba-bm", "pages", "BA-BM, evicting pages"),
    ("pages-ba-gc", "pages-ba-bm", "BA-VBS with BA-BM, evicting pages"),
    ("pages-ba-gc", "ba-gc", "pages for blocks"),
    ("page-lru-ba-bm", "page-lru", "BA-BM below an LRU list of pages"),
    ("page-lru-ba-bm", "ba-gc", "the same against BA-GC"),
];

/// Where the buffer evicts pages, on an array that nothing was written to: there BA-VBS counts.
const FRESH_STEPS: [Step; 4] = [
    ("pages-ba-bm", "pages", "BA-BM"),
    ("pages-ba-gc", "pages-ba-bm", "BA-VBS with BA-BM"),
    ("pages-ba-gc", "fab", "both, against fab"),
    ("pages-ba-bm", "fab", "BA-BM alone, against fab"),
];

/// Execution time, part by part.
pub(super) fn ablation(runs: &Runs, to: &mut Sheet) -> Outcome {
    let times = Measure { runs, group: "main", of: execution_s };
    let fresh = Measure { group: "fresh", ..times };
    for (scheme, base, what) in PARTS {
        to.say("what", what).say("changes", times.changes(scheme, base));
        to.put("part", times.mean_change(scheme, base));
    }
    let steps = STEPS.iter().map(|step| (times, step, ""));
    let of_fresh = ", evicting pages, nothing written before";
    for (times, (scheme, base, what), state) in
        steps.chain(FRESH_STEPS.iter().map(|step| (fresh, step, of_fresh)))
    {
        to.say("what", *what).say("state", state).put("mean", times.mean_change(scheme, base));
        for workload in WORKLOADS {
            to.say("of", short(workload)).put("step", times.change(workload, scheme, base));
        }
    }
    let alone = |scheme| fresh.change(BONNIE, scheme, "fab").ok();
    to.say("alone", alone("pages-ba-bm")).say("both", alone("pages-ba-gc"));
    to.put("bonnie", fresh.change(BONNIE, "pages-ba-gc", "pages-ba-bm"));
    let of = STEPS.map(|(scheme, base, _)| with_mean(|of| times.change(of, scheme, base)));
    to.matrix("changes", &STEPS.map(|step| step.2), &columns(), |row, column| of[row][column]);
    for (name, scheme, base) in [
        ("regions", "three-region", "block-lru"),
        ("merges", "ba-bm", "three-region"),
        ("victims", "ba-gc", "ba-bm"),
        ("likely", "ba-gc", "ba-gc-p-0"),
        ("by_pages", "pages-ba-gc", "pages-ba-bm"),
    ] {
        if let Ok(gain) = times.mean_change(scheme, base) {
            to.say(name, gain);
        }
    }
    let shown =
        ["fab", "block-lru", "three-region", "cheapest", "ba-bm", "ba-gc", "page-lru-ba-bm"];
    times.bars("ablation", &shown, to);
    Ok(())
}

/// Tiobench with a third of its bytes written at random.
const THIRD: &str = "ba-gc-tiobench, a third at random";

/// Pages that merges took from the buffer, of all that they moved, %.
fn taken_share(report: &SchemeReport) -> Option<f64> {
    let taken = report.buffer.as_ref()?.collected;
    let moved = taken + report.copies;
    (moved > 0).then(|| taken as f64 / moved as f64 * 100.0)
}

/// A part of a report that it may not have.
fn part(report: Result<&SchemeReport, String>, of: fn(&SchemeReport) -> Option<f64>) -> Found {
    of(report?).ok_or_else(|| "nothing of it was measured".into())
}

/// Where the paper's mechanism holds, and what decides it in the stand-ins: merges find few dirty pages where hardly a page is
/// written twice.
pub(super) fn mechanism(runs: &Runs, to: &mut Sheet) -> Outcome {
    let main = Measure { runs, group: "main", of: execution_s };
    let third = Measure { group: "third", ..main };
    let taken = |workload| part(runs.report("main", workload, "ba-bm"), taken_share);
    let told = WORKLOADS.map(|of| format!("{} {} %", short(of), told(taken(of))));
    to.say("taken", told.join(", "));
    if let Ok(report) = runs.report("main", POSTMARK, "three-region") {
        // On how many logical blocks the buffer's pages are.
        let pages = pages_an_eviction(report);
        let capacity = report.buffer.as_ref().map_or(0, |buffer| buffer.capacity_pages);
        to.say("pages", pages).say("blocks", capacity as f64 / pages);
    }
    to.put("taken", WORKLOADS.map(|of| (short(of), taken(of).ok())).to_vec());
    to.say("third", third.change(THIRD, "ba-bm", "three-region").ok());
    to.put("tiobench", main.change(TIOBENCH, "ba-bm", "three-region"));
    for workload in WORKLOADS {
        to.say("workload", short(workload)).put("share", taken(workload));
    }
    to.put("share-third", part(runs.report("third", THIRD, "ba-bm"), taken_share));
    let parts = [
        ("three-region", "fab", "three-region against fab"),
        ("ba-bm", "three-region", "BA-BM added"),
        ("ba-gc", "ba-bm", "BA-VBS added"),
        ("ba-gc", "fab", "ba-gc against fab"),
        ("ba-gc", "bplru", "ba-gc against bplru"),
    ];
    let names = WORKLOADS.iter().chain([&THIRD]).map(|name| short(name)).collect::<Vec<_>>();
    to.matrix("changes", &parts.map(|part| part.2), &names, |row, column| {
        let (scheme, base, _) = parts[row];
        match WORKLOADS.get(column) {
            Some(workload) => main.change(workload, scheme, base).ok(),
            None => third.change(THIRD, scheme, base).ok(),
        }
    });
    Ok(())
}

/// Buffers of the readings of which the paper may have counted: by blocks as in its evaluation, and by pages.
const READINGS: [(&str, &str, &str); 4] = [
    ("main", "three-region", "by blocks"),
    ("main", "pages", "by pages"),
    ("fresh", "three-region", "by blocks, nothing written before"),
    ("fresh", "pages", "by pages, nothing written before"),
];

/// "5%-50% of total page migrations are unnecessary depending on characteristics of workloads."
fn is_printed(share: f64) -> bool {
    (5.0..=50.0).contains(&share)
}

/// Share of unnecessary migrations in FAST's merges, which are unaware of the buffer.
pub(super) fn migrations(runs: &Runs, to: &mut Sheet) -> Outcome {
    let share = |group: &str, workload: &str, buffer: &str| {
        let in_vain = |of: &SchemeReport| Some(of.buffer.as_ref()?.moved_in_vain_share? * 100.0);
        part(runs.report(group, workload, buffer), in_vain)
    };
    let inside = READINGS.map(|(group, buffer, _)| {
        let shares = WORKLOADS.iter().map(|workload| share(group, workload, buffer));
        let shares = shares.collect::<Result<Vec<_>, _>>()?;
        Ok::<_, String>(shares.into_iter().filter(|share| is_printed(*share)).count())
    });
    let told = READINGS.iter().zip(&inside);
    let told =
        told.filter_map(|((.., how), count)| Some(format!("{} of 6 {how}", count.as_ref().ok()?)));
    to.say("told", told.collect::<Vec<_>>().join(", "));
    let keys = ["inside", "inside-evidence", "inside-evidence", "inside-claimed"];
    for (((.., how), inside), key) in READINGS.into_iter().zip(inside).zip(keys) {
        to.say("how", how).put(key, inside);
    }
    for (group, buffer, how) in READINGS {
        for workload in WORKLOADS {
            to.say("workload", short(workload)).say("how", how);
            match share(group, workload, buffer) {
                Err(why) => to.put("unmeasured", Err::<f64, _>(why)),
                Ok(share) => to.made("share", |what, unit| within(what, unit, share)),
            }
        }
    }
    for buffer in ["fab", "block-lru", "page-lru"] {
        for workload in WORKLOADS {
            to.say("workload", short(workload)).say("buffer", buffer);
            to.put("below", share("main", workload, buffer));
        }
    }
    let names = WORKLOADS.map(short);
    to.matrix("shares", &READINGS.map(|reading| reading.2), &names, |row, column| {
        share(READINGS[row].0, WORKLOADS[column], READINGS[row].1).ok()
    });
    let series = READINGS.map(|(group, buffer, how)| {
        (how.to_owned(), WORKLOADS.map(|of| share(group, of, buffer).ok()).to_vec())
    });
    to.bars("migrations", names.map(str::to_owned).into(), series.into());
    Ok(())
}

/// Compares a share with the printed range.
fn within(what: &str, unit: &str, share: f64) -> Row {
    let mut row = Row::words(what, "5 to 50", "");
    (row.unit, row.ours) = (unit.into(), Some(Figure::number(share, 2)));
    row.judged(if is_printed(share) { Verdict::Equal } else { Verdict::Differs })
}

/// Write hit ratios.
pub(super) fn hits(runs: &Runs, to: &mut Sheet) -> Outcome {
    const BUFFERS: [&str; 5] = ["ba-gc", "fab", "bplru", "block-lru", "page-lru"];
    let hits = |workload: &str, buffer| part(runs.report("main", workload, buffer), write_hits);
    for (workload, printed) in [(TIOBENCH, "4.4"), (POSTMARK, "3.1")] {
        to.say("workload", short(workload)).say("printed", printed);
        to.put("printed", hits(workload, "ba-gc"));
    }
    to.put("iozone", ["bplru", "ba-gc"].map(|buffer| (buffer, hits(IOZONE, buffer).ok())).to_vec());
    for workload in WORKLOADS {
        for buffer in BUFFERS {
            to.say("workload", short(workload)).say("buffer", buffer);
            to.put("hits", hits(workload, buffer));
        }
    }
    let series = BUFFERS.map(|buffer| {
        (buffer.to_owned(), WORKLOADS.map(|workload| hits(workload, buffer).ok()).to_vec())
    });
    to.bars("write-hits", WORKLOADS.map(|name| short(name).to_owned()).into(), series.into());
    Ok(())
}

/// Fixed sizes of the initial and the to-be-updated region, and limits where they adapt, percent of the buffer.
const FIXED: [&str; 7] = ["10:10", "10:40", "10:80", "25:25", "25:50", "50:25", "80:10"];
const LIMITED: [&str; 3] = ["adaptive:5:49", "adaptive:20:40", "adaptive:1:10"];

/// Execution time relative to that of the best fixed size of the regions.
pub(super) fn regions(runs: &Runs, to: &mut Sheet) -> Outcome {
    let time = |workload: &str, label: &str| {
        let (group, label) =
            if label == "adaptive" { ("main", "ba-gc") } else { ("regions", label) };
        runs.report(group, workload, label).map(execution_s)
    };
    let over = |workload: &str, label: &str| {
        let time_of = time(workload, label)?;
        let times = FIXED.iter().map(|label| time(workload, label));
        Ok(time_of / times.collect::<Result<Vec<_>, _>>()?.into_iter().fold(f64::MAX, f64::min))
    };
    let all: Vec<&str> = ["adaptive"].into_iter().chain(LIMITED).chain(FIXED).collect();
    for label in &all {
        to.say("label", *label).say("of", "mean").put("over", mean(|of| over(of, label)));
        let worst = WORKLOADS.iter().map(|workload| over(workload, label));
        let worst = worst.collect::<Times>();
        to.say("of", "worst of the six");
        to.put("over", worst.map(|of| of.into_iter().fold(f64::MIN, f64::max)));
        for workload in WORKLOADS {
            to.say("of", short(workload)).put("over", over(workload, label));
        }
    }
    let table: Vec<_> = all.iter().map(|label| with_mean(|of| over(of, label))).collect();
    to.matrix("over", &all, &columns(), |row, column| table[row][column]);
    for workload in WORKLOADS {
        let report = runs.report("main", workload, "ba-gc").ok();
        if let Some(buffer) = report.and_then(|report| report.buffer.as_ref()) {
            to.say("workload", short(workload));
            to.say("region", "initial").put("pages", buffer.initial_region);
            to.say("region", "to-be-updated").put("pages", buffer.updated_region);
        }
    }
    let series = columns().into_iter().enumerate();
    let series = series.map(|(at, of)| (of, table.iter().map(|line| line[at]).collect()));
    let series = series.collect();
    to.bars("regions", all.iter().map(|label| (*label).to_owned()).collect(), series);
    Ok(())
}

/// Change of the execution time against the parameters of §6.1 with the same regions: P(U) of the three regions, and α.
pub(super) fn parameters(runs: &Runs, to: &mut Sheet) -> Outcome {
    const VALUES: [&str; 10] = [
        "P=30:100:0",
        "P=0:0:0",
        "P=0:100:0",
        "P=50:50:50",
        "P=100:100:100",
        "alpha=0",
        "alpha=1.125",
        "alpha=4",
        "alpha=16",
        "alpha=73",
    ];
    let times = Measure { runs, group: "parameters", of: execution_s };
    let mut found: Vec<(String, f64)> = Vec::new();
    let first = to.rows.len();
    for regions in ["adaptive", "wide"] {
        let labels = VALUES.map(|value| format!("{regions}/{value}"));
        let change = |workload: &str, label: &str| times.change(workload, label, &labels[0]);
        for label in &labels {
            let of_mean = mean(|workload| change(workload, label));
            found.extend(of_mean.as_ref().ok().map(|mean| (label.clone(), *mean)));
            to.say("label", label).put("mean", of_mean);
        }
        let of = labels.each_ref().map(|label| with_mean(|workload| change(workload, label)));
        to.say("regions", regions);
        to.matrix("changes", &labels, &columns(), |row, column| of[row][column]);
    }
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    // Of equal ones the first is the least, and the last the most.
    if let [least, .., most] = &found[..] {
        let told = |(label, change): &(String, f64)| format!("{} % ({label})", told(Ok(*change)));
        let row = to.row("range", format!("{} to {}", told(least), told(most)));
        to.rows.insert(first, row);
    }
    Ok(())
}

/// Execution time over the number of log blocks. The paper varied it too (footnote 2), and leaves the results to a report that
/// is not at hand.
pub(super) fn log_blocks(runs: &Runs, to: &mut Sheet) -> Outcome {
    const BLOCKS: [u32; 4] = [32, 64, 128, 256];
    let time = |workload: &str, scheme: &str, blocks: u32| {
        runs.report("log-blocks", workload, &format!("{scheme}-{blocks}")).map(execution_s)
    };
    for base in ["fab", "bplru"] {
        let change = |workload: &str, blocks| {
            Ok(percent(time(workload, "ba-gc", blocks)?, time(workload, base, blocks)?))
        };
        to.say("base", base);
        for blocks in BLOCKS {
            to.say("blocks", blocks).put("mean", mean(|of| change(of, blocks)));
        }
        let of = BLOCKS.map(|blocks| with_mean(|workload| change(workload, blocks)));
        let lines = BLOCKS.map(|blocks| blocks.to_string());
        to.matrix("changes", &lines, &columns(), |row, column| of[row][column]);
    }
    let relative = |scheme: &str, blocks: u32| {
        mean(|workload| Ok(time(workload, scheme, blocks)? / time(workload, "fab", BLOCKS[0])?))
    };
    let curves = SCHEMES.map(|scheme| {
        let point = |blocks| Some((f64::from(blocks), relative(scheme, blocks).ok()?));
        line(scheme, BLOCKS.into_iter().filter_map(point))
    });
    to.curves("log-blocks", curves.into());
    Ok(())
}

/// FTLs of the buffer comparison, with support for taking dirty pages along.
const FTLS: [(&str, bool); 8] = [
    ("page-level", true),
    ("lazy-rtgc", true),
    ("dftl", false),
    ("gftl", false),
    ("nftl", false),
    ("bast", true),
    ("fast", true),
    ("superblock", false),
];

/// Execution time and mean response of all buffers above all kinds of schemes, under one workload.
pub(super) fn buffers(runs: &Runs, to: &mut Sheet) -> Outcome {
    const BUFFERS: [&str; 7] =
        ["none", "lru", "cflru", "fab", "bplru", "three-region", "three-region/aware"];
    let report = |label: &str| runs.report("buffers", DESKTOP, label);
    let labels = FTLS.iter().flat_map(|(name, can_be_aware)| {
        let buffers = BUFFERS.iter().take(if *can_be_aware { 7 } else { 6 });
        buffers.map(move |buffer| format!("{name}/{buffer}"))
    });
    for label in labels.chain(["ba-gc".to_owned()]) {
        let report = report(&label);
        to.say("label", label)
            .say("mean", report.as_ref().map_or(0.0, |of| of.response_ns.mean / 1e3));
        to.put("time", report.map(execution_s));
    }
    let series = BUFFERS.map(|buffer| {
        let of =
            |(name, _): &(&str, bool)| report(&format!("{name}/{buffer}")).map(execution_s).ok();
        (buffer.replace("/aware", ", aware"), FTLS.iter().map(of).collect())
    });
    to.bars("buffers", FTLS.map(|(name, _)| name.to_owned()).into(), series.into());
    Ok(())
}

/// A scheme below a buffer under a workload, without and with BA-BM.
struct Case<'a> {
    scheme: &'static str,
    name: String,
    without: &'a SchemeReport,
    with: &'a SchemeReport,
}

/// Row of a figure, its decimals, and where a report has it.
type Measured = (&'static str, usize, fn(&SchemeReport) -> f64);

impl Case<'_> {
    /// Change of the execution time, %.
    fn change(&self) -> f64 {
        percent(execution_s(self.with), execution_s(self.without))
    }

    fn keeps_its_bound(&self) -> bool {
        self.with.violations == 0
            && self.with.bound_ns.is_none_or(|bound| self.with.response_ns.max <= bound)
    }

    fn put(&self, to: &mut Sheet) {
        let figures: [Measured; 4] = [
            ("execution time", 2, execution_s),
            ("copies", 0, |report| report.copies as f64),
            ("erases", 0, |report| report.erases as f64),
            ("mean response", 2, |report| report.response_ns.mean / 1e3),
        ];
        to.say("name", &self.name);
        for (key, decimals, of) in figures {
            to.say("without", Figure::number(of(self.without), decimals).to_string());
            to.put(key, of(self.with));
        }
        let us = |ns: u64| Figure::number(ns as f64 / 1e3, 1).to_string();
        to.say("without", us(self.without.response_ns.max));
        to.say("bound", self.with.bound_ns.map_or("none".into(), us));
        let (longest, kept) = (self.with.response_ns.max as f64 / 1e3, self.keeps_its_bound());
        to.made(if kept { "longest" } else { "longest-exceeds" }, |what, unit| {
            let row = Row::evidence(what, unit, longest, 1);
            if kept { row } else { row.judged(Verdict::Differs) }
        });
    }
}

/// Compares each page-mapped scheme with and without BA-BM, and its bound. Tests the claim of §3: "Eliminating the unnecessary
/// page migration will be quite beneficial to all FTL schemes".
pub(super) fn all_ftls(runs: &Runs, to: &mut Sheet) -> Outcome {
    const SCHEMES: [&str; 3] = ["page-level", "fsr", "lazy-rtgc"];
    let (mut cases, mut missing) = (Vec::new(), Vec::new());
    for scheme in SCHEMES {
        for buffer in ["lru", "three-region"] {
            for workload in [POSTMARK, TIOBENCH, DESKTOP] {
                let name = format!("{scheme} below {buffer}, {}", short(workload));
                let of = |aware| {
                    runs.report("page-mapped", workload, &format!("{scheme}/{buffer}{aware}"))
                };
                match (of(""), of("/aware")) {
                    (Ok(without), Ok(with)) => cases.push(Case { scheme, name, without, with }),
                    (Err(why), _) | (_, Err(why)) => missing.push((name, why)),
                }
            }
        }
    }
    for scheme in SCHEMES {
        let of_it = cases.iter().filter(|case| case.scheme == scheme);
        let changes: Vec<f64> = of_it.map(Case::change).collect();
        to.say("scheme", scheme);
        if changes.is_empty() {
            to.put("benefit", Err::<f64, _>("nothing of it was measured"));
            continue;
        }
        let mean = changes.iter().sum::<f64>() / changes.len() as f64;
        to.say("mean", mean).say("least", changes.iter().copied().fold(f64::MAX, f64::min));
        to.say("most", changes.iter().copied().fold(f64::MIN, f64::max));
        // A reduction of the execution time by 1 % counts as a gain.
        to.put("benefit", if mean <= -1.0 { "lower" } else { "hardly lower" });
    }
    cases.iter().for_each(|case| case.put(to));
    missing.iter().for_each(|(name, why)| to.missing(name, why));
    if !cases.is_empty() {
        let count = |is: fn(&Case<'_>) -> bool| cases.iter().filter(|case| is(case)).count();
        to.say("cases", cases.len()).say("kept", count(|case| case.keeps_its_bound()));
        to.say("lower", count(|case| case.change() < 0.0));
        to.say("higher", count(|case| case.change() > 0.0));
    }
    Ok(())
}

/// Sizes of the buffer in Fig. 7, MiB, and that of FAB and BPLRU with which BA-GC is compared.
const BUFFER_MIB: [u64; 6] = [1, 2, 4, 8, 16, 32];
const THEIRS: usize = 4;

/// Fig. 7: execution time under Postmark over the size of the buffer, in groups of runs.
#[derive(Clone, Copy)]
struct Sizes<'a> {
    runs: &'a Runs,
    group: &'static str,
}

pub(super) fn fig_7(runs: &Runs, to: &mut Sheet) -> Outcome {
    let times = Sizes { runs, group: "sizes" };
    let states = [
        (times, "", ""),
        (Sizes { group: "device-sizes", ..times }, ", by the device's clock", "-device"),
        (Sizes { group: "ageless-sizes", ..times }, ", nothing flushed by age", "-ageless"),
    ];
    for (of, state, _) in states {
        to.say("state", state);
        for (other, name) in [("fab", "FAB"), ("bplru", "BPLRU")] {
            to.say("other", other).say("Other", name);
            of.needed(other, to);
        }
        of.say_why("fab", to);
        to.put("fastest", of.fastest());
        if state.is_empty() {
            for scheme in ["ba-gc", "fab", "bplru"] {
                of.say_why(scheme, to);
                let falling =
                    |all: Vec<f64>| all.windows(2).filter(|pair| pair[1] < pair[0]).count();
                let key = if scheme == "fab" { "falls-fab" } else { "falls" };
                to.say("scheme", scheme).put(key, of.all(scheme).map(falling));
            }
        }
    }
    for (of, state, file) in states {
        to.say("state", state).say("file", file);
        for mib in BUFFER_MIB {
            for scheme in SCHEMES {
                let Ok(report) = of.report(scheme, mib) else { continue };
                let aged = report.buffer.as_ref().map_or(0, |buffer| buffer.aged);
                to.say("scheme", scheme).say("mib", mib).say("pages", pages_an_eviction(report));
                to.say("aged", lab::report::units::grouped(aged)).put("time", execution_s(report));
            }
        }
        let lines = BUFFER_MIB.map(|mib| format!("{mib} MiB"));
        to.matrix("times", &SCHEMES, &lines, |row, column| {
            of.of(SCHEMES[row], BUFFER_MIB[column]).ok()
        });
        let curves = SCHEMES.map(|scheme| {
            let point = |mib: u64| Some((mib as f64, of.of(scheme, mib).ok()?));
            line(scheme, BUFFER_MIB.into_iter().filter_map(point))
        });
        to.curves("fig-7{file}", curves.into());
    }
    Ok(())
}

impl Sizes<'_> {
    fn report(&self, scheme: &str, mib: u64) -> Result<&SchemeReport, String> {
        self.runs.report(self.group, POSTMARK, &format!("{scheme}-{mib}MiB"))
    }

    fn of(&self, scheme: &str, mib: u64) -> Found {
        self.report(scheme, mib).map(execution_s)
    }

    /// Execution times at all buffer sizes, smallest first.
    fn all(&self, scheme: &str) -> Times {
        BUFFER_MIB.iter().map(|mib| self.of(scheme, *mib)).collect()
    }

    /// Smallest buffer with which BA-GC is as fast as another scheme with 16 MiB; `None` if none is.
    fn enough(&self, other: &str) -> Result<Option<u64>, String> {
        let (theirs, ours) = (self.of(other, BUFFER_MIB[THEIRS])?, self.all("ba-gc")?);
        Ok(BUFFER_MIB.into_iter().zip(ours).find(|(_, time)| *time <= theirs).map(|(mib, _)| mib))
    }

    /// "They require 16 MB buffer cache while BA-GC only needs 2-4 MB."
    fn needed(&self, other: &str, to: &mut Sheet) {
        self.say_why(other, to);
        let key = if other == "fab" { "needed-fab" } else { "needed" };
        match self.enough(other) {
            Err(why) => to.put(key, Err::<f64, _>(why)),
            Ok(enough) => to.made(key, |what, unit| {
                let ours = enough.map(|mib| Figure::number(mib as f64, 0));
                let ours = ours.unwrap_or(Figure::Words("none of these".into()));
                let mut row = Row::words(what, "2 to 4", "");
                (row.unit, row.ours) = (unit.into(), Some(ours));
                let is_so = enough.is_some_and(|mib| (2..=4).contains(&mib));
                row.judged(if is_so { Verdict::Equal } else { Verdict::Differs })
            }),
        }
    }

    /// Words on what decides: how much each scheme gains from a sixteen times larger buffer.
    fn say_why(&self, scheme: &str, to: &mut Sheet) {
        let gain = |scheme| Some(percent(self.of(scheme, 16).ok()?, self.of(scheme, 1).ok()?));
        let apart =
            self.of("ba-gc", 1).and_then(|ours| Ok((1.0 - ours / self.of(scheme, 1)?) * 100.0));
        to.say("ba_gc", gain("ba-gc")).say("fab", gain("fab")).say("bplru", gain("bplru"));
        to.say("apart", apart.ok()).say("base", scheme);
        for (word, group) in [("device", "device-sizes"), ("ageless", "ageless-sizes")] {
            let enough = Sizes { group, ..*self }.enough(scheme).ok().flatten();
            to.say(word, enough.map_or("none".to_owned(), |mib| format!("{mib} MiB")));
        }
    }

    /// "BA-GC shows a better performance over FAB and BPLRU, regardless of the buffer cache size."
    fn fastest(&self) -> Result<usize, String> {
        let [fab, bplru, ba_gc] = [self.all("fab")?, self.all("bplru")?, self.all("ba-gc")?];
        Ok((0..BUFFER_MIB.len()).filter(|at| ba_gc[*at] < fab[*at].min(bplru[*at])).count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_range_is_kept_to() {
        let verdicts = [4.99, 5.0, 50.0, 50.01].map(|share| within("", "%", share).verdict);
        let expected = [Verdict::Differs, Verdict::Equal, Verdict::Equal, Verdict::Differs];
        assert_eq!(verdicts, expected);
    }
}
