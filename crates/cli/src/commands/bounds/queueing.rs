//! `ftlkit bounds --arrivals`: the longest delay of requests that queue, proved for each scheme.

use crate::commands::read::ReadArgs;
use crate::failure::Failure;
use crate::output::{self, table};
use bounds::service::Delay;
use lab::arrival_source::ArrivalSource;
use lab::arrivals::{self, TaskArrivals};
use lab::config::Duration;
use lab::division::Division;
use lab::report::plots::Curves;
use lab::report::{units, wrap};
use serde_json::{Value, json};
use std::cmp::Reverse;

/// The arrivals and the deadline.
pub(super) struct Asked {
    source: ArrivalSource,
    deadline: Option<Duration>,
}

impl Asked {
    pub(super) fn new(
        text: &str,
        read: &ReadArgs,
        deadline: Option<Duration>,
    ) -> Result<Self, Failure> {
        let source = ArrivalSource::new(text)?;
        let source = match read.given() {
            Some(_) => source.reading(read.options()?)?,
            None => source,
        };
        Ok(Self { source, deadline })
    }

    /// The page tasks on pages of this size.
    fn on_pages(&mut self, page_bytes: u32) -> Result<&TaskArrivals, Failure> {
        match self.source.on_pages(page_bytes, || !crate::interrupt::asked()) {
            Err(_) if crate::interrupt::asked() => Err(Failure::Interrupted),
            found => Ok(found?),
        }
    }

    pub(super) fn json(&self, sheets: &[Sheet]) -> Value {
        let deadline_ns = self.deadline.map(|deadline| deadline.0);
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "arrivals": self.source.text(),
            "notes": self.source.notes(),
            "deadline_ns": deadline_ns,
            "parts": sheets.iter().map(|sheet| sheet.json(deadline_ns)).collect::<Vec<_>>(),
        })
    }

    pub(super) fn text(&self, sheets: &[Sheet]) -> String {
        let mut text = String::new();
        for sheet in sheets {
            text.push_str(&sheet.text(self));
            text.push('\n');
        }
        let volatile = sheets.iter().any(Sheet::has_volatile).then_some(&VOLATILE);
        let notes = self.source.notes();
        let legend = LEGEND.iter().chain(volatile).copied();
        let legend = legend.chain(notes.iter().map(String::as_str));
        legend.fold(text, |text, line| text + &wrap(line, output::width(), "  "))
    }
}

const LEGEND: [&str; 2] = [
    "Delay: the longest time from the arrival of a page task to its end, with all that waits before it; a request ends with its \
     last page. Proved for any addresses, any fill, and any order of requests that arrive no faster in any window, on a \
     device, or an SSD, that serves one at a time in order of arrival.",
    "Pending: most page tasks that wait or are served at any time. Busy: longest time without rest. Basis: collections in a row, \
     a victim is taken only when the host has written what the last one gained; each page task: every one takes its worst case.",
];

const VOLATILE: &str =
    "†: a completed write may still be in RAM only; a power cut before the next flush loses it.";

/// What is proved on one part.
pub(super) struct Sheet {
    /// The part's name; of an SSD, so said.
    part: String,
    capacity_bytes: u64,
    /// Pages at once: writes, reads.
    at_once: [u64; 2],
    rows: Vec<(Division, Result<Delay, String>)>,
    arrivals: TaskArrivals,
}

impl Sheet {
    pub(super) fn new(
        asked: &mut Asked,
        (part, capacity_bytes, page_bytes): (String, u64, u32),
        divisions: Vec<Division>,
        by_delay: bool,
    ) -> Result<Self, Failure> {
        let arrivals = asked.on_pages(page_bytes)?.clone();
        let at_once = [arrivals.writes.most_within(0), arrivals.reads.most_within(0)];
        let found = |row: Division| {
            let found = match row.why_not() {
                Some(why) => Err(format!("cannot work: {why}")),
                None => arrivals.delay_on(&row),
            };
            (row, found)
        };
        let mut rows: Vec<_> = divisions.into_iter().map(found).collect();
        if by_delay {
            let order = |(row, found): &(Division, Result<Delay, String>)| {
                let delay_ns = found.as_ref().map_or(u64::MAX, |found| found.delay_ns);
                (delay_ns, Reverse(row.exported_bytes()))
            };
            rows.sort_by_key(order);
        }
        Ok(Self { part, capacity_bytes, at_once, rows, arrivals })
    }

    /// The drawing of the first scheme with a bound.
    pub(super) fn drawing(&self) -> Option<Curves> {
        self.rows.iter().find_map(|(row, found)| {
            let found = found.as_ref().ok()?;
            let name = format!("{} on {}", row.scheme(), self.part);
            Some(self.arrivals.drawing(&row.server().ok()?, found, &name))
        })
    }

    pub(super) fn any_keeps(&self, deadline: Option<Duration>) -> bool {
        self.rows.iter().any(|(_, found)| keeps(found, deadline))
    }

    pub(super) fn all_keep(&self, deadline: Option<Duration>) -> bool {
        self.rows.iter().all(|(_, found)| keeps(found, deadline))
    }

    fn has_volatile(&self) -> bool {
        self.rows.iter().any(|(row, found)| found.is_ok() && is_volatile(row))
    }

    fn json(&self, deadline_ns: Option<u64>) -> Value {
        let rows = self.rows.iter().map(|(row, found)| arrivals::json(row, found, deadline_ns));
        json!({
            "part": self.part,
            "capacity_bytes": self.capacity_bytes,
            "schemes": rows.collect::<Vec<_>>(),
        })
    }

    fn text(&self, asked: &Asked) -> String {
        let [writes, reads] = self.at_once;
        let of = |pages: u64, what| {
            format!("{} page {what}{}", units::grouped(pages), if pages == 1 { "" } else { "s" })
        };
        let title = format!(
            "Delay with queueing on {} of {}, arrivals of {}: at most {} and {} at once\n",
            units::bytes(self.capacity_bytes),
            self.part,
            asked.source.text(),
            of(writes, "write"),
            of(reads, "read"),
        );
        let mut text = wrap(&title, output::width(), "  ");
        let verdict = match asked.deadline {
            Some(deadline) => format!("<deadline {deadline}"),
            None => "<".into(),
        };
        let proved = self.rows.iter().filter_map(|(row, found)| Some((row, found.as_ref().ok()?)));
        let cells: Vec<[String; 7]> = proved
            .map(|(row, found)| {
                [
                    format!("{}{}", row.scheme(), if is_volatile(row) { " †" } else { "" }),
                    units::bytes(row.exported_bytes()),
                    units::time(found.delay_ns as f64),
                    units::grouped(found.backlog_pages),
                    units::time(found.busy_ns as f64),
                    judged(found, asked.deadline),
                    arrivals::proved_by(row).into(),
                ]
            })
            .collect();
        if cells.is_empty() {
            text.push_str("None of these schemes has a bound.\n");
        } else {
            text.push_str(&match asked.deadline {
                Some(_) => table(
                    ["<scheme", "exported", "delay", "pending", "busy", &verdict, "<basis"],
                    cells,
                ),
                None => table(
                    ["<scheme", "exported", "delay", "pending", "busy", "<basis"],
                    cells.into_iter().map(|[a, b, c, d, e, _, f]| [a, b, c, d, e, f]),
                ),
            });
            text.push('\n');
        }
        // Schemes with one reason together.
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for (row, found) in &self.rows {
            let Err(why) = found else { continue };
            match reasons.iter_mut().find(|(reason, _)| reason == why) {
                Some((_, schemes)) => schemes.push(row.scheme()),
                None => reasons.push((why, vec![row.scheme()])),
            }
        }
        for (why, schemes) in reasons {
            let line = format!("{}: {why}", schemes.join(", "));
            text.push_str(&wrap(&line, output::width(), "  "));
        }
        text
    }
}

fn is_volatile(row: &Division) -> bool {
    row.plan().is_some_and(|plan| plan.guarantee.volatile)
}

fn keeps(found: &Result<Delay, String>, deadline: Option<Duration>) -> bool {
    let Some(deadline) = deadline else { return found.is_ok() };
    found.as_ref().is_ok_and(|found| found.delay_ns <= deadline.0)
}

fn judged(found: &Delay, deadline: Option<Duration>) -> String {
    match deadline {
        Some(deadline) if found.delay_ns > deadline.0 => {
            format!("+{}", units::time((found.delay_ns - deadline.0) as f64))
        }
        Some(_) => "kept".into(),
        None => String::new(),
    }
}
