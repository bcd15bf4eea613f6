//! Figs 5 and 6: execution time and garbage collection time under six workloads, FAB = 1.

use super::normalised::{Measure, evidence, short};
use super::runs::{Group, Runs};
use super::schemes::{BA_GC, BONNIE, BPLRU, FAB, IOZONE, POSTMARK, SCHEMES, TIOBENCH, WORKLOADS};
use super::times::{collection_s, execution_s, padding_s, pages_an_eviction};
use crate::error::ReproduceError;
use crate::figure::Figure;
use crate::reproduction::Section;
use crate::row::{Row, TOLERANCE};
use crate::verdict::Reason;
use sim::report::SchemeReport;
use sim::report::units::grouped;

const STAND_INS: &str =
    "the traces are not public: the stand-ins have their described character only";

const PADDING: &str = "BPLRU pads every block that it evicts: where it holds few of the block's pages (see the dirty \
                       pages of an eviction in Fig. 6) that costs as much as the merges that it saves";

const LEAST_GAIN_WHY: &str =
    "Bonnie++ leaves little to save: nearly all its merges are switch merges";

const OVERHEAD_WHY: &str = "a low write hit ratio does not mean that merges find few dirty pages: it is those of the \
                            same logical block that count, and a merge that takes all of them saves the next one";

const IOZONE_WHY: &str = "as in the paper BPLRU spends less on collection (Fig. 6) and misses more (write hits), since it \
                          evicts a block as soon as it is written in order; here it writes more for that than it saves";

const BONNIE_WHY: &str = "switch merges alone are an erase of 2 ms for 64 programs of 0.2 ms, 13.5 %; the rest is full \
                          merges of the file system's tables. The buffer under which it is a fifth is not stated";

/// Further conditions, reported as evidence.
const STATES: [(Group, &str); 2] =
    [(Group::Fresh, ", nothing written before"), (Group::Ageless, ", nothing flushed by age")];

const AGE: &str = "the 30 s after which data is flushed are of the device's clock, which falls behind the arrivals of \
                   the benchmarks; a simulator that takes the trace's own times flushes less. How much hangs on that \
                   the rows \"nothing flushed by age\" show: FAB keeps blocks with few pages until they are old, and \
                   is hit hardest by the flush";

const AGE_WHY: &str = "FAB is not hit by the flush, see the note below";

pub(super) fn fig_5(runs: &Runs) -> Result<Section, ReproduceError> {
    let mut section = Section::default();
    let times = Measure { runs, group: Group::Main, of: execution_s };
    section.rows = vec![
        mean_row(&times, FAB, "-30", "", PADDING),
        mean_row(&times, BPLRU, "-15", "", PADDING),
        extreme(&times, "most, of the six workloads", "-45", f64::min, STAND_INS),
        extreme(&times, "least, of the six workloads", "-10", f64::max, LEAST_GAIN_WHY),
        order(&times, "order of the means", &[&[BA_GC], &[BPLRU], &[FAB]], PADDING),
        iozone(&times),
    ];
    let (_, state) = STATES[1];
    let ageless = Measure { group: Group::Ageless, ..times };
    section.rows.push(mean_row(&ageless, FAB, "-30", state, AGE_WHY));
    section.rows.push(mean_row(&ageless, BPLRU, "-15", state, AGE_WHY));
    for base in [FAB, BPLRU] {
        section.rows.extend(times.change_rows(BA_GC, base, ""));
    }
    let of_means = times.mean(BA_GC).zip(times.mean(BPLRU)).map(|(a, b)| (a / b - 1.0) * 100.0);
    section.rows.push(evidence("ba-gc against bplru, of the means", "%", of_means, 2, || {
        runs.why_not(Group::Main, BPLRU)
    }));
    let behind = times.mean_change(BPLRU, FAB);
    section.rows.push(
        evidence("bplru against fab, mean", "%", behind, 2, || runs.why_not(Group::Main, BPLRU))
            .noting("−17.6 follows from the two printed means"),
    );
    section.rows.extend(values(&times, "s"));
    for (group, state) in STATES {
        section.rows.extend(otherwise(&Measure { group, ..times }, state));
    }
    let label = "I/O execution time, FAB = 1";
    section.plots.push(times.plot("fig-5.svg", "Fig. 5: execution time", label, &SCHEMES)?);
    for (group, state) in STATES {
        let (file, title) = match group {
            Group::Fresh => ("fig-5-fresh.svg", format!("Fig. 5: execution time{state}")),
            _ => ("fig-5-ageless.svg", format!("Fig. 5: execution time{state}")),
        };
        let measure = Measure { group, ..times };
        section.plots.push(measure.plot(file, &title, label, &SCHEMES)?);
    }
    section.notes.push(AGE.into());
    Ok(section)
}

pub(super) fn fig_6(runs: &Runs) -> Result<Section, ReproduceError> {
    let mut section = Section::default();
    let times = Measure { runs, group: Group::Main, of: collection_s };
    section.rows = vec![
        bonnie_share(runs),
        least_gains(&times),
        iozone_order(&times),
        order(&times, "order of the means of ba-gc and fab", &[&[BA_GC], &[FAB]], ""),
    ];
    for scheme in [BPLRU, BA_GC] {
        section.rows.extend(times.change_rows(scheme, FAB, ""));
    }
    let ageless = Measure { group: Group::Ageless, ..times };
    section.rows.extend(ageless.change_rows(BA_GC, FAB, ", nothing flushed by age"));
    let padded = Measure { of: |report| collection_s(report) + padding_s(report), ..times };
    section.rows.extend(padded.change_rows(BPLRU, FAB, ", its padding counted"));
    for workload in WORKLOADS {
        section.rows.extend(SCHEMES.iter().filter_map(|scheme| work(runs, workload, scheme)));
    }
    let label = "time of garbage collection, FAB = 1";
    let title = "Fig. 6: garbage collection overhead";
    section.plots.push(times.plot("fig-6.svg", title, label, &SCHEMES)?);
    let title = "Fig. 6: garbage collection overhead, page padding counted as such";
    section.plots.push(padded.plot("fig-6-padding.svg", title, label, &SCHEMES)?);
    Ok(section)
}

fn mean_row(times: &Measure<'_>, base: &str, printed: &str, state: &str, why: &str) -> Row {
    let what = format!("ba-gc against {base}, mean{state}");
    let Some(change) = times.mean_change(BA_GC, base) else {
        let why = times.runs.why_not(times.group, base);
        return Row::incomparable(
            &what,
            "%",
            Some(printed),
            None,
            Reason::MissingDetail(why.clone()),
        );
    };
    let row =
        Row::changed(&what, printed, change, TOLERANCE).because(Reason::MissingDetail(why.into()));
    match row.verdict.needs_cause() {
        true => row.noting(&times.changes(BA_GC, base)),
        false => row,
    }
}

/// Evidence rows of the changes under another condition.
fn otherwise(times: &Measure<'_>, state: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    for base in [FAB, BPLRU] {
        if times.group != Group::Ageless {
            let what = format!("ba-gc against {base}, mean{state}");
            let change = times.mean_change(BA_GC, base);
            rows.push(evidence(&what, "%", change, 2, || times.runs.why_not(times.group, BA_GC)));
        }
        rows.extend(times.change_rows(BA_GC, base, state));
    }
    rows
}

/// Row with the largest or smallest reduction against FAB.
fn extreme(
    times: &Measure<'_>,
    which: &str,
    printed: &str,
    choose: fn(f64, f64) -> f64,
    why: &str,
) -> Row {
    let what = format!("ba-gc against fab, {which}");
    let changes: Option<Vec<f64>> =
        WORKLOADS.iter().map(|workload| times.change(workload, BA_GC, FAB)).collect();
    match changes.and_then(|changes| changes.into_iter().reduce(choose)) {
        Some(change) => Row::changed(&what, printed, change, TOLERANCE)
            .because(Reason::MissingDetail(why.into())),
        None => {
            let why = times.runs.why_not(times.group, BA_GC);
            Row::incomparable(&what, "%", Some(printed), None, Reason::MissingDetail(why.clone()))
        }
    }
}

fn order(times: &Measure<'_>, what: &str, groups: &[&[&str]], why: &str) -> Row {
    let means: Vec<(&str, Option<f64>)> =
        SCHEMES.iter().map(|scheme| (*scheme, times.mean(scheme))).collect();
    Row::order(what, groups, &means).because(Reason::MissingDetail(why.into()))
}

/// "The overall performance of BA-GC is almost equivalent to that of BPLRU."
fn iozone(times: &Measure<'_>) -> Row {
    let what = "ba-gc against bplru, iozone (\"almost equivalent\")";
    match times.change(IOZONE, BA_GC, BPLRU) {
        Some(change) => Row::changed(what, "0", change, TOLERANCE)
            .because(Reason::MissingDetail(IOZONE_WHY.into())),
        None => {
            let why = times.runs.why_not(times.group, BPLRU);
            Row::incomparable(what, "%", Some("0"), None, Reason::MissingDetail(why.clone()))
        }
    }
}

/// "The garbage collection overhead accounts for a small portion of the I/O time (about 20 %)."
fn bonnie_share(runs: &Runs) -> Row {
    let what = "share of the execution time, bonnie under fab (\"about 20 %\")";
    let share = |scheme| runs.report(Group::Main, BONNIE, scheme).map(share_of);
    // A share is not a change, so its sign has no meaning: the unit must not be plain `%`.
    let unit = "% of it";
    let Some(of_fab) = share(FAB) else {
        return Row::incomparable(
            what,
            unit,
            Some("20"),
            None,
            Reason::MissingDetail(runs.why_not(Group::Main, FAB)),
        );
    };
    let row = Row::measured(what, unit, "20", of_fab, TOLERANCE)
        .because(Reason::MissingDetail(BONNIE_WHY.into()));
    let under = |scheme, share: Option<f64>| {
        Some(format!("under {scheme} {} %", Figure::number(share?, 1)))
    };
    let ageless = runs.report(Group::Ageless, BONNIE, FAB).map(share_of);
    let others = [
        under("bplru", share(BPLRU)),
        under("ba-gc", share(BA_GC)),
        under("fab with nothing flushed by age", ageless),
    ];
    row.noting(&others.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// Share of collection in the execution time, %.
fn share_of(report: &SchemeReport) -> f64 {
    collection_s(report) / execution_s(report) * 100.0
}

/// "In cases of Tiobench and Postmark, the overhead reduced by BA-GC is smaller than the other benchmarks."
fn least_gains(times: &Measure<'_>) -> Row {
    let names: Vec<&str> = WORKLOADS.iter().map(|workload| short(workload)).collect();
    let least = [short(TIOBENCH), short(POSTMARK)];
    let others: Vec<&str> = names.iter().copied().filter(|name| !least.contains(name)).collect();
    let values: Vec<(&str, Option<f64>)> = WORKLOADS
        .iter()
        .map(|workload| (short(workload), times.over(workload, BA_GC, FAB)))
        .collect();
    Row::order("ba-gc's overhead over fab's, by workload", &[&others, &least], &values)
        .because(Reason::MissingDetail(OVERHEAD_WHY.into()))
        .noting(&times.changes(BA_GC, FAB))
}

/// "For the Iozone benchmark, BPLRU outperforms BA-GC."
fn iozone_order(times: &Measure<'_>) -> Row {
    let values: Vec<(&str, Option<f64>)> =
        SCHEMES.iter().map(|scheme| (*scheme, times.over(IOZONE, scheme, FAB))).collect();
    let why = "BPLRU's merges are switch merges alone, but it evicts so many more blocks that these cost more";
    let what = "iozone: BPLRU's overhead, padding apart, is below BA-GC's";
    Row::order(what, &[&[BPLRU], &[BA_GC]], &values).because(Reason::MissingDetail(why.into()))
}

/// Evidence rows of all measured values.
fn values(times: &Measure<'_>, unit: &str) -> Vec<Row> {
    let cells = WORKLOADS.iter().flat_map(|workload| SCHEMES.map(|scheme| (*workload, scheme)));
    let row = |(workload, scheme): (&str, &str)| {
        let value = times.value(workload, scheme)?;
        Some(Row::evidence(&format!("{}, {scheme}", short(workload)), unit, value, 1))
    };
    cells.filter_map(row).collect()
}

/// Evidence row with the operations behind the collection time.
fn work(runs: &Runs, workload: &str, scheme: &str) -> Option<Row> {
    let report = runs.report(Group::Main, workload, scheme)?;
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
    let what = format!("{}, {scheme}: collection in the execution time", short(workload));
    Some(Row::evidence(&what, "%", share_of(report), 1).noting(&told.join("; ")))
}
