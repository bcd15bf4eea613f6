//! Figs 5 and 6: execution time and garbage collection time under six workloads, FAB = 1.

use super::normalised::{Measure, evidence, short};
use super::runs::{Group, Runs};
use super::schemes::{
    BA_GC, BONNIE, BPLRU, FAB, FAB_CLEAN_FIRST, IOZONE, POSTMARK, SCHEMES, TIOBENCH, WORKLOADS,
};
use super::times::{collection_s, execution_s, padding_s, pages_an_eviction};
use crate::figure::Figure;
use crate::row::{Row, TOLERANCE};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use sim::report::SchemeReport;
use sim::report::units::grouped;

/// Further conditions, reported as evidence.
const STATES: [(Group, &str); 3] = [
    (Group::Device, ", by the device's clock"),
    (Group::Fresh, ", nothing written before"),
    (Group::Ageless, ", nothing flushed by age"),
];

pub(super) fn fig_5(runs: &Runs, to: &mut Sheet) -> Outcome {
    let times = Measure { runs, group: Group::Main, of: execution_s };
    to.rows = vec![
        mean_row(&times, FAB, "-30", "")
            .headline("§6.2, Fig. 5", "execution time against FAB, mean"),
        mean_row(&times, BPLRU, "-15", "")
            .headline("§6.2, Fig. 5", "execution time against BPLRU, mean"),
        extreme(&times, "most, of the six workloads", "-45", f64::min)
            .headline("§1, abstract", "execution time, largest reduction"),
        extreme(&times, "least, of the six workloads", "-10", f64::max),
        order(&times, "order of the means", &[&[BA_GC], &[BPLRU], &[FAB]], &means(&times)),
        least_gains(&times, "execution time", FAB, &[BONNIE])
            .headline("§6.2", "execution time falls least under Tiobench and Postmark"),
        least_gains(&times, "execution time", FAB_CLEAN_FIRST, &[BONNIE])
            .as_evidence()
            .headline("§6.2", "the same, against FAB that drops clean blocks first"),
        iozone(&times).headline("§6.2", "IOzone: BA-GC about as fast as BPLRU"),
        clean_first(&times)
            .as_evidence()
            .headline("§6.2, Fig. 5", "against FAB that drops clean blocks first, mean"),
    ];
    for (group, state) in STATES {
        let otherwise = Measure { group, ..times };
        for (base, printed) in [(FAB, "-30"), (BPLRU, "-15")] {
            let row = mean_row(&otherwise, base, printed, state);
            let is_first = group == Group::Device && base == FAB;
            to.rows.push(match is_first {
                true => row
                    .as_evidence()
                    .headline("§6.2, Fig. 5", "against FAB, mean, data ages by the device's clock"),
                false => row,
            });
        }
    }
    for base in [FAB, BPLRU] {
        to.rows.extend(times.change_rows(BA_GC, base, ""));
    }
    let of_means = times.mean(BA_GC).zip(times.mean(BPLRU)).map(|(a, b)| (a / b - 1.0) * 100.0);
    to.rows.push(evidence("ba-gc against bplru, of the means", "%", of_means, 2, || {
        runs.why_not(Group::Main, BPLRU)
    }));
    let behind = times.mean_change(BPLRU, FAB);
    to.rows.push(
        evidence("bplru against fab, mean", "%", behind, 2, || runs.why_not(Group::Main, BPLRU))
            .noting("−17.6 follows from the two printed means"),
    );
    to.rows.extend(values(&times, "s"));
    for (group, state) in STATES {
        to.rows.extend(otherwise(&Measure { group, ..times }, state));
    }
    to.matrices.push(times.matrix("execution time, FAB = 1"));
    let label = "I/O execution time, FAB = 1";
    to.plots.push(times.plot("fig-5.svg", "Fig. 5: execution time", label, &SCHEMES));
    for (group, state) in STATES {
        let file = match group {
            Group::Fresh => "fig-5-fresh.svg",
            Group::Device => "fig-5-device.svg",
            _ => "fig-5-ageless.svg",
        };
        let measure = Measure { group, ..times };
        let title = format!("Fig. 5: execution time{state}");
        to.plots.push(measure.plot(file, &title, label, &SCHEMES));
    }
    Ok(())
}

pub(super) fn fig_6(runs: &Runs, to: &mut Sheet) -> Outcome {
    let times = Measure { runs, group: Group::Main, of: collection_s };
    to.rows = vec![
        bonnie_share(runs).headline("§6.2", "Bonnie++: collection in the I/O time, under FAB"),
        least_gains(&times, "collection", FAB_CLEAN_FIRST, &[BONNIE]),
        least_gains(&times, "collection", FAB, &[]),
        iozone_order(&times),
        order(&times, "order of the means of ba-gc and fab", &[&[BA_GC], &[FAB]], ""),
    ];
    for scheme in [BPLRU, BA_GC] {
        to.rows.extend(times.change_rows(scheme, FAB, ""));
    }
    for (group, state) in [STATES[0], STATES[2]] {
        let otherwise = Measure { group, ..times };
        to.rows.extend(otherwise.change_rows(BA_GC, FAB, state));
    }
    let padded = Measure { of: |report| collection_s(report) + padding_s(report), ..times };
    to.rows.extend(padded.change_rows(BPLRU, FAB, ", its padding counted"));
    for workload in WORKLOADS {
        to.rows.extend(SCHEMES.iter().filter_map(|scheme| work(runs, workload, scheme)));
    }
    to.matrices.push(times.matrix("time of garbage collection, FAB = 1"));
    let label = "time of garbage collection, FAB = 1";
    let title = "Fig. 6: garbage collection overhead";
    to.plots.push(times.plot("fig-6.svg", title, label, &SCHEMES));
    let title = "Fig. 6: garbage collection overhead, page padding counted as such";
    to.plots.push(padded.plot("fig-6-padding.svg", title, label, &SCHEMES));
    Ok(())
}

/// The mean changes under all conditions, for the reason of a row.
fn means(times: &Measure<'_>) -> String {
    let told = |group: Group, state: &str| {
        let of = Measure { group, ..*times };
        let change = |base| {
            let change = of.mean_change(BA_GC, base);
            change.map_or("–".to_owned(), |change| Figure::number(change, 1).to_string())
        };
        format!("{} % against fab and {} % against bplru{state}", change(FAB), change(BPLRU))
    };
    let conditions = [(Group::Main, "")].into_iter().chain(STATES);
    conditions.map(|(group, state)| told(group, state)).collect::<Vec<_>>().join("; ")
}

fn mean_row(times: &Measure<'_>, base: &str, printed: &str, state: &str) -> Row {
    let what = format!("ba-gc against {base}, mean{state}");
    let Some(change) = times.mean_change(BA_GC, base) else {
        let why = times.runs.why_not(times.group, base);
        return Row::missing(&what, "%", Some(printed), why);
    };
    let row = Row::changed(&what, printed, change, TOLERANCE)
        .because(Reason::Reading(means(&Measure { group: Group::Main, ..*times })));
    row.noting(&times.changes(BA_GC, base))
}

/// FAB with clean blocks first: the paper does not say what becomes of the blocks that were flushed.
fn clean_first(times: &Measure<'_>) -> Row {
    let what = "ba-gc against fab with clean blocks first, mean";
    let why = || times.runs.why_not(times.group, FAB_CLEAN_FIRST);
    let Some(change) = times.mean_change(BA_GC, FAB_CLEAN_FIRST) else {
        return Row::missing(what, "%", Some("-30"), why());
    };
    let pages = |scheme| {
        let report = times.runs.report(times.group, TIOBENCH, scheme).map(pages_an_eviction);
        report.map_or("–".to_owned(), |pages| Figure::number(pages, 1).to_string())
    };
    let held = times
        .mean_change(BA_GC, FAB)
        .map_or("–".into(), |held| Figure::number(held, 1).to_string());
    Row::changed(what, "-30", change, TOLERANCE)
        .because(Reason::Reading(format!(
            "{held} % where FAB keeps flushed blocks. They take the room of others, which it then evicts before they \
             are whole: {} dirty pages an eviction under Tiobench, {} where it drops them first",
            pages(FAB),
            pages(FAB_CLEAN_FIRST)
        )))
        .noting(&times.changes(BA_GC, FAB_CLEAN_FIRST))
}

/// Evidence rows of the changes under another condition.
fn otherwise(times: &Measure<'_>, state: &str) -> Vec<Row> {
    [FAB, BPLRU].iter().flat_map(|base| times.change_rows(BA_GC, base, state)).collect()
}

/// Row with the largest or smallest reduction against FAB.
fn extreme(times: &Measure<'_>, which: &str, printed: &str, choose: fn(f64, f64) -> f64) -> Row {
    let what = format!("ba-gc against fab, {which}");
    let changes: Option<Vec<f64>> =
        WORKLOADS.iter().map(|workload| times.change(workload, BA_GC, FAB)).collect();
    match changes.and_then(|changes| changes.into_iter().reduce(choose)) {
        Some(change) => Row::changed(&what, printed, change, TOLERANCE)
            .because(Reason::StandIn(elsewhere(times, choose)))
            .noting(&times.changes(BA_GC, FAB)),
        None => {
            let why = times.runs.why_not(times.group, BA_GC);
            Row::missing(&what, "%", Some(printed), why)
        }
    }
}

/// The largest or smallest change under the other conditions, which bound what they can explain.
fn elsewhere(times: &Measure<'_>, choose: fn(f64, f64) -> f64) -> String {
    let of = |group| {
        let measure = Measure { group, ..*times };
        WORKLOADS.iter().filter_map(move |workload| measure.change(workload, BA_GC, FAB))
    };
    let told = STATES.iter().filter_map(|(group, state)| {
        let change = of(*group).reduce(choose)?;
        Some(format!("{} %{state}", Figure::number(change, 1)))
    });
    format!("no condition changes it much: {}", told.collect::<Vec<_>>().join("; "))
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
            .because(Reason::StandIn(of_iozone(times).unwrap_or_default())),
        None => {
            let why = times.runs.why_not(times.group, BPLRU);
            Row::missing(what, "%", Some("0"), why)
        }
    }
}

/// The difference under IOzone in its parts: what is written more for misses, and what collection costs.
fn of_iozone(times: &Measure<'_>) -> Option<String> {
    let of = |scheme| times.runs.report(times.group, IOZONE, scheme);
    let (bplru, ba_gc) = (of(BPLRU)?, of(BA_GC)?);
    let hits = |report: &SchemeReport| {
        let share = report.buffer.as_ref().and_then(|buffer| buffer.write_hit_share);
        Figure::number(share.unwrap_or(0.0) * 100.0, 1)
    };
    let writing = |report| execution_s(report) - collection_s(report);
    Some(format!(
        "as in the paper BPLRU collects less ({} s, BA-GC {} s) and misses more (write hits {} %, {} %), since it evicts a \
         block as soon as it is written in order. Here that costs {} s more of writing. How much data is soon rewritten is \
         not printed",
        Figure::number(collection_s(bplru), 1),
        Figure::number(collection_s(ba_gc), 1),
        hits(bplru),
        hits(ba_gc),
        Figure::number(writing(bplru) - writing(ba_gc), 1),
    ))
}

/// "The garbage collection overhead accounts for a small portion of the I/O time (about 20 %)."
fn bonnie_share(runs: &Runs) -> Row {
    let what = "share of the execution time, bonnie under fab (\"about 20 %\")";
    let share = |scheme| runs.report(Group::Main, BONNIE, scheme).map(share_of);
    // A share is not a change, so its sign has no meaning: the unit must not be plain `%`.
    let unit = "% of it";
    let Some(of_fab) = share(FAB) else {
        return Row::missing(what, unit, Some("20"), runs.why_not(Group::Main, FAB));
    };
    let under = |scheme, share: Option<f64>| {
        Some(format!("under {scheme} {} %", Figure::number(share?, 1)))
    };
    let ageless = runs.report(Group::Ageless, BONNIE, FAB).map(share_of);
    let clean_first = share(FAB_CLEAN_FIRST);
    let others = [
        under("fab with clean blocks first", clean_first),
        under("bplru", share(BPLRU)),
        under("ba-gc", share(BA_GC)),
        under("fab with nothing flushed by age", ageless),
    ];
    let told = others.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let why = format!(
        "the paper does not say under which buffer: {told}. Switch merges alone, an erase of 2 ms for 64 programs of \
         0.2 ms, are 13.5 %"
    );
    Row::measured(what, unit, "20", of_fab, TOLERANCE).because(Reason::Reading(why))
}

/// Share of collection in the execution time, %.
fn share_of(report: &SchemeReport) -> f64 {
    collection_s(report) / execution_s(report) * 100.0
}

/// "In cases of Tiobench and Postmark, the overhead reduced by BA-GC is smaller than the other benchmarks."
fn least_gains(times: &Measure<'_>, quantity: &str, fab: &str, apart: &[&str]) -> Row {
    let least = [short(TIOBENCH), short(POSTMARK)];
    let named = WORKLOADS.iter().filter(|name| !apart.contains(name)).map(|name| short(name));
    let others: Vec<&str> = named.filter(|name| !least.contains(name)).collect();
    let values: Vec<(&str, Option<f64>)> = WORKLOADS
        .iter()
        .map(|workload| (short(workload), times.over(workload, BA_GC, fab)))
        .collect();
    let own = |base| {
        let change = times.change(TIOBENCH, BA_GC, base);
        change.map_or("–".into(), |change| Figure::number(change, 1).to_string())
    };
    let why = format!(
        "what FAB does with the blocks that were flushed decides: it keeps them, and Tiobench changes by {} %. Where it \
         drops them first Tiobench changes by {} %, and only Bonnie++, which the paper sets apart, by less than it and \
         Postmark; against bplru by {} %",
        own(FAB),
        own(FAB_CLEAN_FIRST),
        own(BPLRU)
    );
    Row::order(
        &format!("{quantity}: ba-gc's over {fab}'s, by workload"),
        &[&others, &least],
        &values,
    )
    .because(Reason::Reading(why))
    .noting(&times.changes(BA_GC, fab))
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
