//! Figs 5 and 6: execution time and garbage collection time under six workloads, FAB = 1.

use super::measure::*;
use crate::runs::Runs;
use crate::sheet::{Outcome, Sheet};
use lab::report::SchemeReport;
use lab::report::units::grouped;

/// Further conditions, reported as evidence: group, words, suffix of files.
const STATES: [(&str, &str, &str); 3] = [
    ("device", ", by the device's clock", "-device"),
    ("fresh", ", nothing written before", "-fresh"),
    ("ageless", ", nothing flushed by age", "-ageless"),
];

pub(super) fn fig_5(runs: &Runs, to: &mut Sheet) -> Outcome {
    let times = Measure { runs, group: "main", of: execution_s };
    let bases = [("fab", "FAB", "-30"), ("bplru", "BPLRU", "-15")];
    to.say("state", "").say("file", "").say("means", means(&times));
    for (base, name, printed) in bases {
        to.say("base", base).say("Base", name).say("printed", printed);
        to.say("changes", times.changes("ba-gc", base));
        to.put("mean", times.mean_change("ba-gc", base));
    }
    to.say("changes", times.changes("ba-gc", "fab"));
    for (which, printed, choose) in [
        ("most, of the six workloads", "-45", f64::min as fn(f64, f64) -> f64),
        ("least, of the six workloads", "-10", f64::max),
    ] {
        to.say("which", which).say("printed", printed).say("elsewhere", elsewhere(&times, choose));
        let changes = WORKLOADS.iter().map(|workload| times.change(workload, "ba-gc", "fab"));
        let changes = changes.collect::<Result<Vec<_>, _>>();
        to.put("extreme", changes.map(|of| of.into_iter().reduce(choose).unwrap_or(0.0)));
    }
    let of_means = SCHEMES.map(|scheme| (scheme, times.mean(scheme).ok()));
    to.put("order", of_means.to_vec());
    say_least_gains(&times, to);
    for (key, base) in [("least-gains", "fab"), ("least-gains-clean-first", "fab-clean-first")] {
        to.say("changes", times.changes("ba-gc", base)).put(key, gains(&times, base));
    }
    say_iozone(&times, to);
    to.put("iozone", times.change(IOZONE, "ba-gc", "bplru"));
    let pages = |scheme| runs.report("main", TIOBENCH, scheme).map(pages_an_eviction).ok();
    to.say("pages", pages("fab")).say("pages_clean", pages("fab-clean-first"));
    to.say("held", times.mean_change("ba-gc", "fab").ok());
    to.put("clean-first", times.mean_change("ba-gc", "fab-clean-first"));
    for (group, state, _) in STATES {
        let otherwise = Measure { group, ..times };
        for (base, _, printed) in bases {
            to.say("state", state).say("base", base).say("printed", printed);
            to.say("changes", otherwise.changes("ba-gc", base));
            let key = if (group, base) == ("device", "fab") { "mean-device" } else { "mean-state" };
            to.put(key, otherwise.mean_change("ba-gc", base));
        }
    }
    to.say("state", "");
    for base in ["fab", "bplru"] {
        times.put_changes("ba-gc", base, to);
    }
    let of_means = times.mean("ba-gc").and_then(|a| Ok(percent(a, times.mean("bplru")?)));
    to.put("of-the-means", of_means);
    to.put("bplru-fab", times.mean_change("bplru", "fab"));
    for workload in WORKLOADS {
        for scheme in SCHEMES {
            to.say("workload", short(workload)).say("scheme", scheme);
            to.put_some("value", times.value(workload, scheme).ok());
        }
    }
    for (group, state, _) in STATES {
        to.say("state", state);
        for base in ["fab", "bplru"] {
            Measure { group, ..times }.put_changes("ba-gc", base, to);
        }
    }
    times.matrix(to);
    for (group, state, file) in [("main", "", "")].into_iter().chain(STATES) {
        to.say("state", state).say("file", file);
        Measure { group, ..times }.bars("fig-5{file}", &SCHEMES, to);
    }
    Ok(())
}

pub(super) fn fig_6(runs: &Runs, to: &mut Sheet) -> Outcome {
    let times = Measure { runs, group: "main", of: collection_s };
    say_bonnie(runs, to);
    to.put("bonnie", runs.report("main", BONNIE, "fab").map(share_of));
    say_least_gains(&times, to);
    for (key, base) in [("least-gains-clean-first", "fab-clean-first"), ("least-gains", "fab")] {
        to.say("changes", times.changes("ba-gc", base)).put(key, gains(&times, base));
    }
    say_iozone(&times, to);
    let over = |scheme| (scheme, times.over(IOZONE, scheme, "fab").ok());
    to.put("iozone", SCHEMES.map(over).to_vec());
    to.put("order", SCHEMES.map(|scheme| (scheme, times.mean(scheme).ok())).to_vec());
    to.say("state", "");
    for scheme in ["bplru", "ba-gc"] {
        times.put_changes(scheme, "fab", to);
    }
    for (group, state, _) in [STATES[0], STATES[2]] {
        to.say("state", state);
        Measure { group, ..times }.put_changes("ba-gc", "fab", to);
    }
    let padded = Measure { of: |report| collection_s(report) + padding_s(report), ..times };
    to.say("state", ", its padding counted");
    padded.put_changes("bplru", "fab", to);
    for workload in WORKLOADS {
        for scheme in SCHEMES {
            if let Ok(report) = runs.report("main", workload, scheme) {
                to.say("workload", short(workload)).say("scheme", scheme);
                to.say("work", work(report)).put("work", share_of(report));
            }
        }
    }
    times.matrix(to);
    times.bars("fig-6", &SCHEMES, to);
    padded.bars("fig-6-padding", &SCHEMES, to);
    Ok(())
}

/// The mean changes under all conditions, for the reason of a row.
fn means(times: &Measure<'_>) -> String {
    let conditions = [("main", "", "")].into_iter().chain(STATES);
    let of = conditions.map(|(group, state, _)| {
        let of = Measure { group, ..*times };
        let [fab, bplru] = ["fab", "bplru"].map(|base| told(of.mean_change("ba-gc", base)));
        format!("{fab} % against fab and {bplru} % against bplru{state}")
    });
    of.collect::<Vec<_>>().join("; ")
}

/// The largest or smallest change under the other conditions, which bound what they can explain.
fn elsewhere(times: &Measure<'_>, choose: fn(f64, f64) -> f64) -> String {
    let of = STATES.iter().filter_map(|(group, state, _)| {
        let measure = Measure { group, ..*times };
        let changes = WORKLOADS.iter().filter_map(|of| measure.change(of, "ba-gc", "fab").ok());
        Some(format!("{} %{state}", told(Ok(changes.reduce(choose)?))))
    });
    of.collect::<Vec<_>>().join("; ")
}

/// Words on the difference under IOzone in its parts: what is written more for misses, and what collection costs.
fn say_iozone(times: &Measure<'_>, to: &mut Sheet) {
    let of = |scheme| times.runs.report(times.group, IOZONE, scheme);
    let (Ok(bplru), Ok(ba_gc)) = (of("bplru"), of("ba-gc")) else { return };
    let hits = |report| write_hits(report).unwrap_or(0.0);
    let writing = |report| execution_s(report) - collection_s(report);
    to.say("bplru_s", collection_s(bplru)).say("ba_gc_s", collection_s(ba_gc));
    to.say("bplru_hits", hits(bplru)).say("ba_gc_hits", hits(ba_gc));
    to.say("writing", writing(bplru) - writing(ba_gc));
}

/// The share of collection under Bonnie++ with other buffers.
fn say_bonnie(runs: &Runs, to: &mut Sheet) {
    let others = [
        ("main", "fab-clean-first", "fab with clean blocks first"),
        ("main", "bplru", "bplru"),
        ("main", "ba-gc", "ba-gc"),
        ("ageless", "fab", "fab with nothing flushed by age"),
    ];
    let others = others.into_iter().filter_map(|(group, scheme, name)| {
        let share = runs.report(group, BONNIE, scheme).map(share_of).ok()?;
        Some(format!("under {name} {} %", told(Ok(share))))
    });
    to.say("others", others.collect::<Vec<_>>().join(", "));
}

/// Share of collection in the execution time, %.
pub(super) fn share_of(report: &SchemeReport) -> f64 {
    collection_s(report) / execution_s(report) * 100.0
}

fn say_least_gains(times: &Measure<'_>, to: &mut Sheet) {
    let own = |base| times.change(TIOBENCH, "ba-gc", base).ok();
    to.say("of_fab", own("fab")).say("of_clean", own("fab-clean-first"));
    to.say("of_bplru", own("bplru"));
    let mean = |base| times.mean_change("ba-gc", base).ok();
    to.say("mean_fab", mean("fab")).say("mean_clean", mean("fab-clean-first"));
}

/// "In cases of Tiobench and Postmark, the overhead reduced by BA-GC is smaller than the other benchmarks."
fn gains(times: &Measure<'_>, base: &str) -> Vec<(&'static str, Option<f64>)> {
    let of = |workload| (short(workload), times.over(workload, "ba-gc", base).ok());
    WORKLOADS.map(of).to_vec()
}

/// The operations behind the collection time.
fn work(report: &SchemeReport) -> String {
    let mut told = Vec::new();
    if let Some(merges) = report.collection.merges {
        let all = merges.switch + merges.partial + merges.full;
        let copies = report.copies as f64 / all.max(1) as f64;
        told.push(format!("{} merges, {} of them full", grouped(all), grouped(merges.full)));
        told.push(format!("{copies:.1} copies each"));
    }
    if let Some(buffer) = &report.buffer {
        told.push(format!("{:.1} dirty pages per eviction", pages_an_eviction(report)));
        if buffer.padded > 0 {
            told.push(format!("{} pages padded", grouped(buffer.padded)));
        }
        if buffer.collected > 0 {
            told.push(format!("{} pages taken from the buffer", grouped(buffer.collected)));
        }
    }
    told.join("; ")
}
