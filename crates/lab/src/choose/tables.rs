//! The choices as tables.

use super::choice::{Choice, Verdict};
use crate::report::Table;
use ::run::report::units;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Said of an SSD.
pub const OF_SSD: &str = "Nothing is proved of an SSD with several requests at once: all rows are measured only. With --queue-depth 1 delays \
     are proved.";

/// Heading of those that are proved with queueing.
pub const QUEUED: &str = "Proved with queueing";
/// Heading of those that only the runs show to be in time.
pub const KEPT: &str = "Kept in these runs, not proved with queueing";
/// Heading of those that miss it.
pub const MISSED: &str = "Missed, the nearest first, pruned ones last";

/// How the tables of these choices are read.
pub fn legend(choices: &[Choice]) -> Vec<&'static str> {
    let has = |low, high| !of(choices, low, high).is_empty();
    let queued = has(Verdict::ProvedWithQueueing, Verdict::ProvedWithQueueing);
    let (kept, missed) =
        (has(Verdict::Proved, Verdict::Measured), has(Verdict::Missed, Verdict::Missed));
    let shown = || choices.iter().filter(|choice| choice.verdict <= Verdict::Missed);
    let mut lines = Vec::new();
    let mut say = |is_said: bool, line| lines.extend(is_said.then_some(line));
    say(
        shown().any(|choice| choice.devices > 1),
        "8 × part: the capacity of 8 devices, as one array; one operation runs at a time unless --channels says otherwise.",
    );
    say(
        queued,
        "proved with queueing: no request of any workload whose page tasks come as in this one, in any window of time, \
         completes later than the time in the column \"proved\", whatever its length: a short one may wait for a long one.",
    );
    say(
        kept,
        "alone: no request of up to as many pages as the largest here takes longer than the deadline if it does not queue \
         (n pages: n × the bound of one), and the runs kept it. run: the runs kept it; another workload may not.",
    );
    say(
        queued || kept,
        "%: logical share. pages: of the largest request. longest: of a request of the runs, queueing included. written: host \
         writes of the last run, without its precondition, over the exported space. RAM: of the controller. mJ/MiB: energy of \
         the flash per MiB of page tasks. per P/E: host bytes written per P/E cycle of the most worn block. TBW: until it has used up the endurance_cycles \
         of its part; years: at the rate of this run (without arrival times: at full speed). ≥: it was erased fewer than 10 times, \
         too few for an estimate; with one erase more.",
    );
    say(
        queued || kept || missed,
        "Runs: each combination from an empty array, from a full one, and from that of --precondition, until one misses the \
         deadline. Times of a part are those that its source prints, typical or not; --margin tPROG=1.5 and --set \
         part.t_prog_ns=… lengthen them.",
    );
    say(
        missed,
        "Missed: from: the array before that run. why: queueing (each late request would have been in time alone), several pages \
         (that add up), a page alone; pruned: not run, as the page writes of this trace cannot be programmed in time. ≥: at \
         least (pruned, or the run ended once that was certain).",
    );
    say(
        shown().any(|choice| choice.volatile),
        "†: a completed write may still be in RAM only; a power cut before the next flush loses it.",
    );
    lines
}

/// Where the rated P/E cycles of the parts come from; nothing if no lifetime is told.
pub fn rating(choices: &[Choice]) -> Option<String> {
    let rated = |choice: &&Choice| choice.verdict <= Verdict::Measured && choice.rating.is_some();
    let mut sources: Vec<String> = choices
        .iter()
        .filter(rated)
        .map(|choice| format!("{} {}", choice.part, choice.rating.as_deref().unwrap_or_default()))
        .collect();
    sources.sort_unstable();
    sources.dedup();
    (!sources.is_empty()).then(|| {
        format!(
            "Rated P/E cycles: {}. They hold for the retention that its maker states, which is not known here: TBW and years are for no other.",
            sources.join("; ")
        )
    })
}

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

/// A figure of which only a lower bound is known.
fn at_least(text: String, is_bound: bool) -> String {
    if is_bound { format!("≥ {text}") } else { text }
}

fn or_none(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".into())
}

fn years(years: f64) -> String {
    match years {
        years if years >= 1000.0 => "> 1000".into(),
        years if years >= 0.01 || years == 0.0 => format!("{years:.2}"),
        years => format!("{years:.1e}"),
    }
}

/// Those that keep the deadline, all with one kind of proof.
pub fn kept(kept: &[&Choice]) -> Table {
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
            or_none(choice.device_writes.map(|share| format!("{share:.2}"))),
            choice.ram_bytes.div_ceil(1024).to_string(),
            or_none(energy.map(|mj| format!("{mj:.1}"))),
        ]);
        let life = |figure: Option<f64>, text: fn(f64) -> String| {
            or_none(figure.map(|figure| at_least(text(figure), choice.lifetime_at_least)))
        };
        match with_cycles {
            true => cells
                .extend([life(choice.endurance_bytes, decimal_bytes), life(choice.years, years)]),
            false => cells.push(life(choice.bytes_per_cycle, decimal_bytes)),
        }
        cells
    };
    let how = if queued { "proved" } else { "<how" };
    let mut headings = vec!["<part", "<scheme", "%", "exported", how];
    headings.extend(with_pages.then_some("pages"));
    headings.extend(["longest", "written", "RAM KiB", "mJ/MiB"]);
    headings.extend(if with_cycles { &["TBW", "years"][..] } else { &["per P/E"] });
    Table::new(headings, kept.iter().map(row))
}

/// The state of an array from which a run began.
pub(super) fn state(choice: &Choice) -> &str {
    match choice.run_from.as_deref() {
        None => "–",
        Some("none") => "empty",
        Some(state) => state,
    }
}

/// Those that miss it.
pub fn missed(missed: &[&Choice]) -> Table {
    let deadlines: Vec<_> = missed.iter().filter_map(|choice| choice.missed.as_ref()).collect();
    let several = deadlines.windows(2).any(|pair| pair[0] != pair[1]);
    let mut headings = vec!["<part", "<scheme", "%"];
    headings.extend(several.then_some("<deadline"));
    headings.extend(["longest", "over by", "late", "<from", "<why"]);
    let row = |choice: &&Choice| {
        let open = choice.ended_early || choice.longest_ns.is_none();
        let longest = choice.longest_ns.or(Some(choice.least_ns));
        let over = |ns: u64| at_least(units::time(ns as f64), open);
        let mut cells = vec![part(choice), name(choice), share(choice)];
        if several {
            cells.push(or_none(choice.missed.clone()));
        }
        cells.extend([
            or_none(longest.map(over)),
            or_none(choice.over_ns.map(over)),
            or_none(choice.late_share.map(units::rare)),
            state(choice).into(),
            choice.why.clone().unwrap_or_default(),
        ]);
        cells
    };
    Table::new(headings, missed.iter().map(row))
}

/// Said of a search that was stopped.
pub fn not_run(choices: &[Choice]) -> String {
    let left = choices.iter().filter(|choice| choice.run_from.is_none());
    let undecided = of(choices, Verdict::NotRun, Verdict::NotRun).len();
    let proved = left.filter(|choice| choice.verdict == Verdict::ProvedWithQueueing).count();
    format!(
        "INTERRUPTED: {} combinations were not run, {proved} of them are proved with queueing.",
        undecided + proved
    )
}

/// What the runs of these warn of, each once, with the row that it is of.
pub fn warnings(choices: &[&Choice]) -> Vec<String> {
    let mut found: Vec<(String, String, usize)> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for choice in choices {
        for warning in choice.warnings.lines() {
            // The same one with other figures.
            let kind = warning.replace(|c: char| c.is_ascii_digit(), "");
            match known.get(&kind) {
                Some(at) => found[*at].2 += 1,
                None => {
                    known.insert(kind, found.len());
                    let of = format!("{} {} {} %", choice.part, choice.scheme, share(choice));
                    found.push((of, warning.to_owned(), 0));
                }
            }
        }
    }
    let line = |(of, warning, more): (String, String, usize)| match more {
        0 => format!("{of}: {warning}"),
        _ => format!("{of} and {more} more: {warning}"),
    };
    found.into_iter().map(line).collect()
}

/// The row to take: of the best kind of proof that there is, those whose completed writes are durable, then the largest share, the
/// least RAM and the least energy. `None` if none is kept.
pub(super) fn best<'a>(choices: impl Iterator<Item = &'a Choice>) -> Option<&'a Choice> {
    let energy = |choice: &Choice| choice.energy_nj_per_byte.map_or(0, |nj| (nj * 1e6) as u64);
    let share = |choice: &Choice| (choice.logical_share * 1e3).round() as u64;
    choices.filter(|choice| choice.verdict <= Verdict::Measured).min_by_key(|choice| {
        let costs = (Reverse(share(choice)), choice.ram_bytes, energy(choice), choice.raw_bytes);
        (choice.verdict, choice.volatile, costs)
    })
}

/// The best combination, with the reason, in a sentence.
pub fn recommended<'a>(choices: impl Iterator<Item = &'a Choice>) -> Option<String> {
    let kept: Vec<&Choice> = choices.filter(|choice| choice.verdict <= Verdict::Measured).collect();
    let taken = best(kept.iter().copied())?;
    let best = taken.verdict;
    let alike = |choice: &&&Choice| choice.verdict == best && choice.volatile == taken.volatile;
    let others = |choice: &&Choice| choice.verdict == best && choice.volatile != taken.volatile;
    let (alike, others) = (kept.iter().filter(alike).count(), kept.iter().any(others));
    let (is, are) = match best {
        Verdict::ProvedWithQueueing => ("is proved with queueing", "are proved with queueing"),
        Verdict::Proved => (
            "is proved for requests that do not queue, and measured",
            "are proved for requests that do not queue, and measured",
        ),
        _ => ("kept it in these runs", "kept it in these runs, without a proof"),
    };
    let taken_row =
        format!("{} {} at {:.1} %", part(taken), taken.scheme, taken.logical_share * 100.0);
    let durable = match (taken.volatile, others) {
        (true, _) => ", all of which may lose completed writes in a power cut",
        (false, true) => " and whose completed writes are durable",
        (false, false) => "",
    };
    if alike == 1 {
        let risk = if taken.volatile { "; a power cut may lose completed writes" } else { durable };
        return Some(format!("{taken_row}, the only one that {is}{risk}"));
    }
    Some(format!(
        "{taken_row}: of the {} that {are}{durable}, it exports the largest share of its flash ({} of {}), of equal ones \
         with the least RAM ({} KiB)",
        alike,
        units::bytes(taken.exported_bytes),
        units::bytes(taken.raw_bytes),
        taken.ram_bytes.div_ceil(1024),
    ))
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
    fn durable_writes_come_before_space_and_a_proof_before_both() {
        let of = |scheme: &str, verdict, volatile, logical_share| Choice {
            scheme: scheme.into(),
            verdict,
            volatile,
            logical_share,
            ..Choice::impossible(String::new())
        };
        let choices = [
            of("in-ram", Verdict::ProvedWithQueueing, true, 0.9),
            of("durable", Verdict::ProvedWithQueueing, false, 0.8),
            of("measured", Verdict::Measured, false, 0.95),
            of("missed", Verdict::Missed, false, 0.99),
        ];
        let taken = |from: usize| best(choices[from..].iter()).map(|of| of.scheme.as_str());
        assert_eq!(
            [0, 1, 2, 3].map(taken),
            [Some("durable"), Some("durable"), Some("measured"), None]
        );
        assert_eq!(best(choices[..1].iter()).map(|of| of.scheme.as_str()), Some("in-ram"));
        let told = |choices: &[Choice]| recommended(choices.iter()).unwrap();
        assert!(told(&choices).contains("the only one that is proved with queueing and whose"));
        let two = choices.iter().chain(&choices[1..2]).cloned().collect::<Vec<_>>();
        assert!(told(&two).contains("of the 2 that are proved with queueing and whose completed"));
        let only = recommended(choices[..1].iter()).unwrap();
        assert!(
            only.contains("the only one that is proved") && only.contains("power cut"),
            "{only}"
        );
    }

    #[test]
    fn bytes_written_are_in_powers_of_1000() {
        let shown = [5e6, 4.2e9, 1.5e12, 2.5e15].map(decimal_bytes);
        assert_eq!(shown, ["5.0 MB", "4.20 GB", "1.5 TB", "2.5 PB"]);
    }
}
