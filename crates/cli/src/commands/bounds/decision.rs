//! The table that a choice needs: space, worst case of a page write and read, deadline, RAM.

use super::schemes::percent;
use crate::output::{self, table};
use flash::Part;
use lab::config::{Duration, devices_text};
use lab::division::{Division, Question, kind_of_promise};
use lab::report::{units, wrap};

/// The verdict on a scheme in a cell.
fn verdict(question: Question, row: &Division) -> String {
    let Some(deadline_ns) = question.deadline_ns else { return String::new() };
    let Ok(costs) = row.page_costs() else { return "not proved".into() };
    let over = |ns: u64| units::time((ns - deadline_ns) as f64);
    let (write_ns, read_ns) = (question.of_pages(costs.write_ns), question.of_pages(costs.read_ns));
    match (write_ns > deadline_ns, read_ns > deadline_ns) {
        (false, false) => "kept".into(),
        (true, false) => format!("writes +{}", over(write_ns)),
        (false, true) => format!("reads +{}", over(read_ns)),
        (true, true) => format!("both +{}", over(write_ns.max(read_ns))),
    }
}

const LEGEND: [&str; 3] = [
    "Write, read: longest time of a page task with the collection that may go with it, without queueing, for any workload \
     and any fill; a request of n pages may take n times as long, and each page that is written in part the read before it. \
     Times of the part are those that its source prints; for a \
     deadline set the maxima of your data sheet (--set part.t_prog_ns=…), or a factor (--margin tPROG=1.5).",
    "+: over the deadline by. Real-time (one step): at most one collection step per task; whole-victim worst case: a task \
     may wait for whole victims, folds or merges.",
    "†: a completed write may still be in RAM only; a power cut before the next flush loses it.",
];

/// How to read the table.
pub(super) fn legend() -> String {
    LEGEND.iter().map(|line| wrap(line, output::width(), "  ")).collect()
}

/// The decision table of one part.
pub(super) fn text(part: &Part, blocks: u32, divisions: &[Division], question: Question) -> String {
    let block = u64::from(part.pages_per_block) * u64::from(part.page_bytes);
    let bytes = u64::from(blocks) * block;
    let mut title = format!(
        "Bounds on {} of {} ({} blocks",
        units::bytes(bytes),
        part.name,
        units::grouped(blocks.into())
    );
    if let Some(devices) = devices_text(bytes, part.capacity_bytes) {
        title.push_str(&format!("; {devices}"));
    }
    title.push_str(&format!(
        "): tR {}, tPROG {}, tBERS {}\n",
        units::time(part.t_r_ns as f64),
        units::time(part.t_prog_ns as f64),
        units::time(part.t_bers_ns as f64)
    ));
    let mut rows: Vec<&Division> = divisions.iter().filter(|row| row.plan().is_some()).collect();
    if question.deadline_ns.is_some() {
        // Those that keep it first, the most space first.
        rows.sort_by_key(|row| {
            (question.is_kept_by(row) != Some(true), std::cmp::Reverse(row.exported_bytes()))
        });
    }
    let mut text = wrap(&title, output::width(), "  ");
    let cells = rows.iter().filter_map(|row| cells(row, question));
    let verdict = match question.deadline_ns {
        Some(ns) => format!("<deadline {}", Duration::new(ns)),
        None => "<".into(),
    };
    text.push_str(&match question.deadline_ns {
        Some(_) => table(
            ["<scheme", "exported", "share %", "write", "read", &verdict, "RAM"],
            cells.map(|[scheme, exported, share, write, read, verdict, ram, _]| {
                [scheme, exported, share, write, read, verdict, ram]
            }),
        ),
        None => table(
            ["<scheme", "exported", "share %", "write", "read", "RAM", "<bound"],
            cells.map(|[scheme, exported, share, write, read, _, ram, bound]| {
                [scheme, exported, share, write, read, ram, bound]
            }),
        ),
    });
    text.push('\n');
    if let Some(ns) = question.deadline_ns {
        text.push_str(&wrap(&conclusion(part, &rows, question, ns), output::width(), "  "));
        text.push_str(&wrap(&judged(question), output::width(), "  "));
    }
    for row in divisions {
        let why = match (row.why_not(), row.page_costs()) {
            (Some(why), _) => format!("{}  cannot work: {why}", row.scheme()),
            (None, Err(why)) if question.deadline_ns.is_some() => {
                format!("{}  not proved: {why}", row.scheme())
            }
            _ => continue,
        };
        text.push_str(&wrap(&why, output::width(), "  "));
    }
    text.push('\n');
    text
}

fn cells(row: &Division, question: Question) -> Option<[String; 8]> {
    let plan = row.plan()?;
    let costs = row.page_costs().ok();
    let time = |ns: Option<u64>| ns.map_or_else(|| "–".into(), |ns| units::time(ns as f64));
    Some([
        format!("{}{}", row.scheme(), if plan.guarantee.volatile { " †" } else { "" }),
        units::bytes(row.exported_bytes()),
        percent(row.share(plan)),
        time(costs.map(|costs| costs.write_ns)),
        time(costs.map(|costs| costs.read_ns)),
        verdict(question, row),
        units::bytes(plan.ram.total()),
        kind_of_promise(&plan.guarantee).into(),
    ])
}

/// What the verdict is about.
fn judged(question: Question) -> String {
    let larger = match question.pages {
        1 => "requests of one whole page (--pages N: of N pages)".to_owned(),
        pages => format!("requests of {pages} whole pages, each {pages} × the time of a page task"),
    };
    format!(
        "Judged are {larger}, without queueing; `ftlkit bounds --tasks FILE` judges periodic tasks with it."
    )
}

/// The answer in a sentence.
fn conclusion(part: &Part, rows: &[&Division], question: Question, deadline_ns: u64) -> String {
    let deadline = Duration::new(deadline_ns);
    let kept = |row: &&&Division| question.is_kept_by(row) == Some(true);
    if let Some(best) = rows.iter().find(kept) {
        let (scheme, bytes) = (best.scheme(), units::bytes(best.exported_bytes()));
        return match (rows.iter().filter(kept).count(), rows.len()) {
            (1, 1) => format!("`{scheme}` keeps {deadline} on {}; it exports {bytes}.", part.name),
            (1, all) => format!(
                "1 of {all} schemes keeps {deadline} on {}: `{scheme}`, which exports {bytes}.",
                part.name
            ),
            (kept, all) => format!(
                "{kept} of {all} schemes keep {deadline} on {}; `{scheme}` exports the most, {bytes}.",
                part.name
            ),
        };
    }
    let nearest = rows.iter().filter_map(|row| Some((question.longest_ns(row)?, row)));
    let mut text = match (question.pages, rows) {
        (1, [row]) => format!("`{}` does not keep {deadline} on {}", row.scheme(), part.name),
        (1, _) => format!("None of {} schemes keeps {deadline} on {}", rows.len(), part.name),
        // The sum is a bound, not the time: of pages in a row not all meet the worst case.
        (pages, _) => {
            let of = match rows {
                [row] => format!("`{}`", row.scheme()),
                _ => format!("each of {} schemes", rows.len()),
            };
            format!("{pages} × the bound of a page is over {deadline} for {of} on {}", part.name)
        }
    };
    if let Some((longest_ns, row)) = nearest.min_by_key(|(longest_ns, _)| *longest_ns) {
        text.push_str(&format!(
            ": the least is {} (`{}`). A program and an erase alone take {}.",
            units::time(longest_ns as f64),
            row.scheme(),
            units::time((part.t_prog_ns + part.t_bers_ns) as f64)
        ));
    }
    if question.pages > 1 {
        text.push_str(&format!(
            " `ftlkit bounds --arrivals writes=bucket:{}:1/s` bounds pages in a row together, and may show more.",
            question.pages
        ));
    }
    text
}
