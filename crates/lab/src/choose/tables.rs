//! The choices as tables.

use super::question::{Choice, Verdict};
use crate::report::Table;
use ::run::report::units;

/// Said where a row has several devices.
pub const SEVERAL: &str = "8 × part: 8 devices as one array, one operation at a time.";

/// Heading of those that are proved with queueing.
pub const QUEUED: &str = "Proved with queueing";
/// Heading of those that only the run shows to be in time.
pub const KEPT: &str = "Kept in this run, not proved with queueing";

/// How the tables are read.
pub const LEGEND: [&str; 5] = [
    "proved with queueing: no request of any workload whose page tasks come as in this trace, in any window of time, \
     completes later than the time in the column \"proved\". alone: no request of up to as many pages as the largest here takes longer than the deadline \
     if it does not queue (n pages: n × the bound of one), and none of this run was late. run: none of this run was late; \
     another workload may be. Times of the part are those that its \
     source prints, typical or not; --margin tPROG=1.5 and --set part.t_prog_ns=… lengthen them.",
    "Rows are in the order of exported space; with --exported, of share. %: logical share. pages: of the largest request. longest: \
     of a request of this run, queueing included. RAM: of the controller. mJ/MiB: energy of the flash per MiB of page tasks.",
    "per P/E: host bytes written per erase of the whole array, with even wear. Where parts have endurance_cycles (--set \
     part.endurance_cycles=N) TBW: until these are used up; years: at the rate of this run (without arrival times: at \
     full speed).",
    "page bound: the proved worst case of a page task. why: queueing (each late request would have been in time alone), \
     several pages (that add up), a page alone.",
    "†: a completed write may still be in RAM only; a power cut before the next flush loses it.",
];

/// Choices of a verdict from `low` to `high`.
pub fn of(choices: &[Choice], low: Verdict, high: Verdict) -> Vec<&Choice> {
    choices.iter().filter(|choice| choice.verdict >= low && choice.verdict <= high).collect()
}

/// The scheme, and whether a power cut may lose writes that it has completed.
pub(super) fn name(choice: &Choice) -> String {
    format!("{}{}", choice.scheme, if choice.volatile { " †" } else { "" })
}

fn time(ns: Option<u64>) -> String {
    ns.map_or_else(|| "–".into(), |ns| units::time(ns as f64))
}

pub(super) fn share(choice: &Choice) -> String {
    format!("{:.1}", choice.logical_share * 100.0)
}

/// Bytes in powers of 1000, as TBW is given.
fn decimal_bytes(bytes: f64) -> String {
    match bytes {
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b if b < 1e12 => format!("{:.2} GB", b / 1e9),
        b if b < 1e15 => format!("{:.1} TB", b / 1e12),
        b => format!("{:.1} PB", b / 1e15),
    }
}

/// The part, and how many of it make up the capacity.
pub(super) fn part(choice: &Choice) -> String {
    match choice.devices {
        0 | 1 => choice.part.clone(),
        devices => format!("{devices} × {}", choice.part),
    }
}

fn years(choice: &Choice) -> String {
    match choice.years {
        None => "–".into(),
        Some(years) if years >= 1000.0 => "> 1000".into(),
        Some(years) => format!("{years:.2}"),
    }
}

/// Those that keep the deadline, all with one kind of proof.
pub fn kept(kept: &[&Choice]) -> Table {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".into());
    let with_pages = kept.iter().any(|choice| choice.request_pages > 1);
    let queued = kept.iter().any(|choice| choice.verdict == Verdict::ProvedWithQueueing);
    let with_cycles = kept.iter().any(|choice| choice.endurance_bytes.is_some());
    let row = |choice: &&Choice| {
        let energy = choice.energy_nj_per_byte.map(|nj| nj * f64::from(1 << 20) / 1e6);
        let mut cells = vec![
            part(choice),
            name(choice),
            share(choice),
            units::bytes(choice.exported_bytes),
            match choice.verdict {
                Verdict::ProvedWithQueueing => time(choice.queued_ns),
                Verdict::Proved => "alone".into(),
                _ => "run".into(),
            },
        ];
        if with_pages {
            cells.push(choice.request_pages.to_string());
        }
        cells.extend([
            time(choice.longest_ns),
            choice.ram_bytes.div_ceil(1024).to_string(),
            or_none(energy.map(|mj| format!("{mj:.1}"))),
        ]);
        match with_cycles {
            true => {
                cells.extend([or_none(choice.endurance_bytes.map(decimal_bytes)), years(choice)])
            }
            false => cells.push(or_none(choice.bytes_per_cycle.map(decimal_bytes))),
        }
        cells
    };
    let how = if queued { "proved" } else { "<how" };
    let mut headings = vec!["<part", "<scheme", "%", "exported", how];
    headings.extend(with_pages.then_some("pages"));
    headings.extend(["longest", "RAM KiB", "mJ/MiB"]);
    headings.extend(if with_cycles { &["TBW", "years"][..] } else { &["per P/E"] });
    Table::new(headings, kept.iter().map(row))
}

/// Those that miss it.
pub fn missed(missed: &[&Choice]) -> Table {
    let headings =
        ["<part", "<scheme", "%", "exported", "longest", "over by", "late", "page bound", "<why"];
    let row = |choice: &&Choice| {
        let bound = choice.page_write_ns.max(choice.page_read_ns);
        vec![
            part(choice),
            name(choice),
            share(choice),
            units::bytes(choice.exported_bytes),
            time(choice.longest_ns),
            time(choice.over_ns),
            choice.late_share.map_or_else(|| "–".into(), units::rare),
            time(bound),
            choice.why.clone().unwrap_or_default(),
        ]
    };
    Table::new(headings, missed.iter().map(row))
}

/// Those of which the cache of a map on flash takes more RAM than the whole map, each with what is said of it.
pub fn larger_than_map<'a>(
    choices: impl IntoIterator<Item = &'a &'a Choice>,
) -> impl Iterator<Item = String> {
    choices.into_iter().filter_map(|choice| {
        let note = choice.map_ram.as_deref()?;
        Some(format!("{} {}, {} %: {note}", choice.part, choice.scheme, share(choice)))
    })
}

/// One that does not work, and why.
pub fn impossible(choice: &Choice) -> String {
    let share = choice.share_tried.map(|share| format!(" at share {share}"));
    format!(
        "{} {}{}: {}",
        choice.part,
        choice.scheme,
        share.unwrap_or_default(),
        choice.why.as_deref().unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_written_are_in_powers_of_1000() {
        let shown = [5e6, 4.2e9, 1.5e12, 2.5e15].map(decimal_bytes);
        assert_eq!(shown, ["5.0 MB", "4.20 GB", "1.5 TB", "2.5 PB"]);
    }
}
