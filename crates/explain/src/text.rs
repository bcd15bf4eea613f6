//! The recording for terminals: a block of lines per page task.

use crate::pages::{Content, Page, PageState};
use crate::recorder::Outcome;
use crate::recording::{Frame, Header, Recording, State, What};
use crate::units::time;
use flash::{Item, Ns};
use lab::report::fit;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Renders the measured part: for each page task its captions, then the array with the pages that changed marked. Lines are
/// broken between words and between pages to be of at most `width` columns.
pub fn render(recording: &Recording, color: bool, width: usize) -> String {
    let Recording { header, frames } = recording;
    let broken = |text: String| -> String { text.lines().map(|line| fit(line, width)).collect() };
    let mut text = broken(head(header));
    let mut state = State::before(header);
    let mut changed = vec![false; state.pages.len()];
    for (at, frame) in frames.iter().enumerate() {
        state.apply(&frame.changes);
        if at < header.first {
            continue;
        }
        frame.changes.pages.iter().for_each(|(ppn, _)| changed[*ppn as usize] = true);
        text.push_str(&broken(line(frame)));
        let ends = frames.get(at + 1).is_none_or(|next| next.group != frame.group);
        if ends {
            if at == header.first {
                changed.fill(false);
            }
            text.push_str(&array(header, &state, &changed, color, width));
            changed.fill(false);
        }
    }
    text.push_str(&broken(totals(recording)));
    text
}

/// Counts of the measured part, and what its page tasks and victims were like.
fn totals(Recording { header, frames }: &Recording) -> String {
    let (mut writes, mut programs, mut copies, mut reads, mut erases) =
        (0u64, 0u64, 0u64, 0u64, 0u64);
    let (mut tasks, mut responses_ns, mut longest_ns) = (0, 0, 0);
    // Of victims their number and their valid pages, by what the placement policy had put into them.
    let mut victims: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut placed: BTreeMap<u32, String> = BTreeMap::new();
    for (at, frame) in frames.iter().enumerate() {
        let put = frame.changes.placed.iter();
        let put =
            put.map(|(block, put)| (*block, put.map_or_else(String::new, |put| put.to_string())));
        if at <= header.first {
            placed.extend(put);
            continue;
        }
        match &frame.what {
            What::Task { op: "write", .. } => writes += 1,
            What::Operation { op, outcome: Outcome::Done, .. } => match *op {
                "program" => programs += 1,
                "copy" => copies += 1,
                "read" => reads += 1,
                "erase" => erases += 1,
                _ => {}
            },
            What::TaskEnd { service_ns, step_ns, .. } => {
                let response_ns = service_ns + step_ns;
                (tasks, responses_ns) = (tasks + 1, responses_ns + response_ns);
                longest_ns = longest_ns.max(response_ns);
            }
            What::Event { name: "victim", values, .. } => {
                let mut found = (None, None);
                for (key, value) in values {
                    match value.0 {
                        Item::Count(pages) if *key == "valid" => found.0 = Some(pages),
                        Item::Block(block) => found.1 = placed.get(&block.0),
                        _ => {}
                    }
                }
                if let (Some(pages), put) = found {
                    let (count, valid) =
                        victims.entry(put.cloned().unwrap_or_default()).or_default();
                    (*count, *valid) = (*count + 1, *valid + pages);
                }
            }
            _ => {}
        }
        placed.extend(put);
    }
    let waf = match writes {
        0 => String::new(),
        _ => format!(", WAF {:.2}", (programs + copies) as f64 / writes as f64),
    };
    let mut text = format!(
        "In all: {writes} host writes, {programs} programs, {copies} copies, {reads} page reads, {erases} erases{waf}\n"
    );
    if let Some(mean) = responses_ns.checked_div(tasks) {
        let mean = time(mean);
        let _ = writeln!(text, "responses: {mean} on average, {} at most", time(longest_ns));
    }
    if let Some(ssd) = &header.ssd {
        let spans = || frames.iter().flat_map(|frame| &frame.spans);
        let all_ns = spans().map(|span| span.to_ns).max().unwrap_or_default();
        let (channels, dies) = (ssd.channels, ssd.channels * ssd.dies_per_channel);
        let of = |are_dies: bool, count: u32| {
            let own = spans().filter(|span| (span.lane >= channels) == are_dies);
            let busy_ns: Ns = own.map(|span| span.to_ns - span.from_ns).sum();
            (busy_ns * 1000).checked_div(all_ns * Ns::from(count)).unwrap_or_default() as f64 / 10.0
        };
        let (dies, buses) = (of(true, dies), of(false, channels));
        let all = time(all_ns);
        let _ = writeln!(
            text,
            "{all} in all; dies are busy for {dies:.1} % of it, buses for {buses:.1} %"
        );
    }
    let told =
        |(count, valid): (u64, u64)| format!("{count} with {:.1}", valid as f64 / count as f64);
    let all = victims.values().fold((0, 0), |all, (count, valid)| (all.0 + count, all.1 + valid));
    if all.0 > 0 {
        let each = victims.iter().filter(|(put, _)| !put.is_empty());
        let each: Vec<String> = each.map(|(put, of)| format!("; of {put} {}", told(*of))).collect();
        let _ = writeln!(text, "victims: {} valid pages on average{}", told(all), each.concat());
    }
    text
}

fn head(header: &Header) -> String {
    let mut text = format!("{}: {}\n", header.scheme, header.summary);
    let _ = writeln!(
        text,
        "{} blocks of {} pages, {} logical pages; tR {}, tPROG {}, tBERS {}; {}",
        header.blocks,
        header.pages_per_block,
        header.logical_pages,
        time(header.read_ns),
        time(header.program_ns),
        time(header.erase_ns),
        header.bound.response_ns.map_or("no bound".into(), |ns| format!("bound {}", time(ns))),
    );
    let _ = writeln!(text, "workload: {}; seed {}", header.workload, header.seed);
    header.notes.iter().for_each(|note| {
        let _ = writeln!(text, "note: {note}");
    });
    let letters = PageState::ALL.iter().map(|(state, help)| {
        let letter = match letter(*state) {
            ' ' => "blank".into(),
            letter => letter.to_string(),
        };
        format!("  {letter:<6} {help}\n")
    });
    text.push_str("In the array: the LPN that a page holds (T: translation page), and behind it its state; * changed.\n");
    text.extend(letters);
    text.push('\n');
    text
}

fn line(frame: &Frame) -> String {
    match frame.what {
        What::Task { .. } | What::Background | What::PowerCut { .. } | What::Mount => {
            format!("{}\n", frame.caption)
        }
        What::TaskEnd { .. } => format!("  = {}\n", frame.caption),
        What::Event { .. } => format!("  · {}\n", frame.caption),
        _ => format!("    {}\n", frame.caption),
    }
}

/// The letter of a state.
fn letter(state: PageState) -> char {
    match state {
        PageState::Free => ' ',
        PageState::Valid => '=',
        PageState::Older => 'o',
        PageState::Copy => 'c',
        PageState::Invalid => 'x',
        PageState::Padding => 'p',
        PageState::Torn => '!',
        PageState::Absent => '-',
    }
}

fn cell(page: &Page, changed: bool) -> String {
    let held = match page.content {
        Content::Nothing if page.state == PageState::Free => ".".into(),
        Content::Nothing => String::new(),
        Content::Lpn(lpn) => lpn.to_string(),
        Content::TranslationPage(number) => format!("T{number}"),
    };
    format!("{held}{}{}", letter(page.state), if changed { '*' } else { ' ' })
}

/// ANSI colour of a state.
fn ansi(state: PageState) -> &'static str {
    match state {
        PageState::Free => "\x1b[2m",
        PageState::Valid => "\x1b[32m",
        PageState::Older | PageState::Copy => "\x1b[36m",
        PageState::Invalid => "\x1b[90m",
        PageState::Padding => "\x1b[35m",
        PageState::Torn => "\x1b[31m",
        PageState::Absent => "\x1b[2m",
    }
}

/// A line per block: its pages, its role and its logical block. Then the lists.
fn array(header: &Header, state: &State, changed: &[bool], color: bool, width: usize) -> String {
    const LEAD: usize = "  block 00 ".len();
    let mut text = String::new();
    let pages = header.pages_per_block as usize;
    let cell_width = header.logical_pages.to_string().len() + 3;
    let of_line = (width.saturating_sub(LEAD) / cell_width).max(1);
    for (block, (role, logical)) in state.blocks.iter().enumerate() {
        let _ = write!(text, "  block {block:>2} ");
        let own = block * pages..(block + 1) * pages;
        for (at, (page, changed)) in state.pages[own.clone()].iter().zip(&changed[own]).enumerate()
        {
            if at > 0 && at % of_line == 0 {
                let _ = write!(text, "\n{:LEAD$}", "");
            }
            let shown = format!("{:>cell_width$}", cell(page, *changed));
            match color {
                true => {
                    let _ = write!(text, "{}{shown}\x1b[0m", ansi(page.state));
                }
                false => text.push_str(&shown),
            }
        }
        let of = match (logical, state.placed[block]) {
            (Some(number), _) => format!(" of {} {number}", header.logical_blocks),
            (None, Some(put)) => format!(", {put}"),
            (None, None) => String::new(),
        };
        let used = LEAD + ((pages - 1) % of_line + 1) * cell_width;
        let role = format!("{role}{of}");
        if used + 2 + role.chars().count() > width {
            let _ = write!(text, "\n{:1$}", "", LEAD - 2);
        }
        let _ = writeln!(text, "  {role}");
    }
    for list in &state.lists {
        let items: Vec<String> = list.items.iter().map(|item| item.short(pages as u32)).collect();
        let most = list.capacity.map_or(String::new(), |most| format!(" (of {most})"));
        let list = format!("  {}{most}: {}", list.name, items.join(", "));
        text.push_str(&fit(&list, width));
    }
    text.push('\n');
    text
}
