//! Pictures without a script: a frame as an SVG, and frames in order as an animated one (SMIL).
//!
//! A picture is a row of slots, each of which holds a fragment or nothing: a page of the array, a line of text. An animation
//! has every fragment of a slot once, with the times at which it is seen. Without SMIL its first frame is seen.
//! Custom properties of CSS are replaced, because drawing programs do not know them.

use crate::error::ExplainError;
use crate::html::escape;
use crate::pages::{Content, Page, PageState};
use crate::recorder::Outcome;
use crate::recording::{Frame, Header, Put, Recording, Ssd, State, What};
use crate::units::time;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::RangeInclusive;

/// Most frames of an animation: a quarter of an hour at one per second.
pub const MOST_ANIMATED: usize = 900;
/// Most bytes of an animation.
pub const MOST_BYTES: usize = 4 << 20;
/// Steps per second of an animation.
pub const SPEEDS: RangeInclusive<u32> = 1..=15;

const STYLE: &str = include_str!("page/array.css");
/// As in `page/array.js`: cell, gap between columns, room above and below a column, columns of a row, px.
const CELL: [u32; 2] = [64, 30];
const GAP: u32 = 12;
const TOP: u32 = 22;
const FOOT: u32 = 48;
const PER_ROW: u32 = 16;
/// Least width: captions and the legend need it.
const LEAST_WIDTH: u32 = 640;
const MARGIN: u32 = 10;

/// The state after frame `at`, as an SVG.
///
/// # Errors
/// A frame that the run does not have.
pub fn frame(recording: &Recording, at: usize) -> Result<String, ExplainError> {
    let last = recording.frames.len().saturating_sub(1);
    let drawn = Drawn::of(recording, at..=at, format!("frame {at} of {last}"))?;
    let shown = drawn.slots[0].concat();
    Ok(drawn.whole(&shown))
}

/// Frames in order, so many per second, without end.
///
/// # Errors
/// Frames that the run does not have, and a picture that would be too large.
pub fn animation(
    recording: &Recording,
    frames: RangeInclusive<usize>,
    per_second: u32,
) -> Result<String, ExplainError> {
    if !SPEEDS.contains(&per_second) {
        let reason = format!("is {} to {} steps per second", SPEEDS.start(), SPEEDS.end());
        return Err(ExplainError::setting("speed", reason));
    }
    let (count, first, last) = (frames.clone().count(), *frames.start(), *frames.end());
    if count > MOST_ANIMATED {
        return Err(ExplainError::setting(
            "frame",
            format!(
                "{count} frames are more than the {MOST_ANIMATED} of an animation; name some of them, as in {first}..{}, or set fewer requests",
                first + MOST_ANIMATED - 1
            ),
        ));
    }
    let which = format!("frames {first} to {last}, {per_second} per second");
    let drawn = Drawn::of(recording, frames, which)?;
    let mut shown = String::new();
    for slot in 0..drawn.slots[0].len() {
        let mut seen: BTreeMap<&str, Vec<bool>> = BTreeMap::new();
        for (at, slots) in drawn.slots.iter().enumerate() {
            let fragment = slots[slot].as_str();
            if !fragment.is_empty() {
                seen.entry(fragment).or_insert_with(|| vec![false; count])[at] = true;
            }
        }
        for (fragment, times) in seen {
            shown.push_str(&timed(fragment, &times, per_second));
        }
        if shown.len() > MOST_BYTES {
            return Err(ExplainError::setting(
                "frame",
                format!(
                    "{count} frames of {} pages make an animation of more than {} MiB; name fewer frames, as in {first}..{}, or set fewer blocks",
                    recording.header.blocks * recording.header.pages_per_block,
                    MOST_BYTES >> 20,
                    first + count / 2
                ),
            ));
        }
    }
    Ok(drawn.whole(&shown))
}

/// A fragment that is seen at these frames.
fn timed(fragment: &str, seen: &[bool], per_second: u32) -> String {
    if seen.iter().all(|seen| *seen) {
        return fragment.into();
    }
    let changes = (0..seen.len()).filter(|at| *at == 0 || seen[*at] != seen[at - 1]);
    let (mut values, mut times) = (Vec::new(), Vec::new());
    for at in changes {
        values.push(if seen[at] { "visible" } else { "hidden" });
        // As a fraction of all frames, rounded to a hundredth of a frame at most.
        let parts = (at as u64 * 1_000_000 + seen.len() as u64 / 2) / seen.len() as u64;
        times.push(if parts == 0 { "0".into() } else { format!(".{parts:06}") });
    }
    let ms = seen.len() as u64 * 1000 / u64::from(per_second);
    format!(
        "<g visibility=\"{}\">{fragment}<animate attributeName=\"visibility\" calcMode=\"discrete\" dur=\"{ms}ms\" repeatCount=\"indefinite\" values=\"{}\" keyTimes=\"{}\"/></g>\n",
        values[0],
        values.join(";"),
        times.join(";")
    )
}

/// Page tasks and operations since the fill.
#[derive(Clone, Copy, Default)]
struct Counts {
    writes: u64,
    programs: u64,
    copies: u64,
    erases: u64,
}

impl Counts {
    fn add(&mut self, what: &What) {
        match what {
            What::Task { op: "write", .. } => self.writes += 1,
            What::Operation { op, outcome: Outcome::Done, .. } => match *op {
                "program" => self.programs += 1,
                "copy" => self.copies += 1,
                "erase" => self.erases += 1,
                _ => {}
            },
            _ => {}
        }
    }

    fn line(&self, free_pages: u64) -> String {
        let Self { writes, programs, copies, erases } = *self;
        // Rounded to a hundredth.
        let waf = match writes {
            0 => "–".into(),
            _ => {
                let hundredths = ((programs + copies) * 200 + writes) / (2 * writes);
                format!("{}.{:02}", hundredths / 100, hundredths % 100)
            }
        };
        format!(
            "host writes {writes} · programs {programs} · copies {copies} · erases {erases} · WAF {waf} · free pages {free_pages}"
        )
    }
}

/// Frames, each as its slots.
struct Drawn<'a> {
    header: &'a Header,
    /// Which frames they are.
    which: String,
    /// Lines on array, bound and workload.
    facts: Vec<String>,
    slots: Vec<Vec<String>>,
    /// Lines of captions and of lists, the most of all frames.
    captions: usize,
    lines: usize,
    states: BTreeSet<PageState>,
}

/// Texts of a frame, and what it needs besides the state.
struct Told {
    task: String,
    caption: Vec<String>,
    lines: Vec<String>,
    cells: Vec<String>,
}

impl<'a> Drawn<'a> {
    fn of(
        recording: &'a Recording,
        frames: RangeInclusive<usize>,
        which: String,
    ) -> Result<Self, ExplainError> {
        let Recording { header, frames: all } = recording;
        if frames.is_empty() || *frames.end() >= all.len() {
            return Err(ExplainError::setting(
                "frame",
                format!(
                    "is a number from 0 to {}, or two as in {}..{}",
                    all.len() - 1,
                    header.first,
                    all.len() - 1
                ),
            ));
        }
        let mut drawn = Self {
            header,
            which,
            facts: Vec::new(),
            slots: Vec::new(),
            captions: 1,
            lines: 0,
            states: BTreeSet::new(),
        };
        drawn.facts = drawn.facts();
        let (mut state, mut marks) = (State::before(header), BTreeMap::new());
        let (mut whole, mut open) = (Counts::default(), Counts::default());
        let (mut told, mut task) = (Vec::new(), "");
        for (at, frame) in all.iter().enumerate().take(frames.end() + 1) {
            state.apply(&frame.changes);
            let begins = at == 0 || all[at - 1].group != frame.group;
            let ends = all.get(at + 1).is_none_or(|next| next.group != frame.group);
            if begins {
                marks.clear();
                task = &frame.caption;
            }
            mark(&mut marks, frame, header);
            if at > header.first {
                open.add(&frame.what);
            }
            if ends {
                marks.clear();
                // As in the page, counters are of whole page tasks.
                let Counts { writes, programs, copies, erases } = std::mem::take(&mut open);
                whole = Counts {
                    writes: whole.writes + writes,
                    programs: whole.programs + programs,
                    copies: whole.copies + copies,
                    erases: whole.erases + erases,
                };
            }
            if frames.contains(&at) {
                drawn.states.extend(state.pages.iter().map(|page| page.state));
                told.push(Told {
                    task: if begins { String::new() } else { task.into() },
                    caption: wrapped(&frame.caption, drawn.columns(10)),
                    lines: drawn.lines_of(&state, &whole),
                    cells: drawn.cells(&state, &marks, frame),
                });
            }
        }
        drawn.captions = told.iter().map(|told| told.caption.len()).max().unwrap_or(1);
        drawn.lines = told.iter().map(|told| told.lines.len()).max().unwrap_or(0);
        drawn.slots = told.into_iter().map(|told| drawn.slots_of(told)).collect();
        Ok(drawn)
    }

    /// Width of the array, at least that of the texts.
    fn width(&self) -> u32 {
        (self.header.blocks.min(PER_ROW) * (CELL[0] + GAP)).max(LEAST_WIDTH)
    }

    fn columns(&self, px: u32) -> usize {
        (self.width() / px) as usize
    }

    fn row_height(&self) -> u32 {
        TOP + self.header.pages_per_block * CELL[1] + FOOT
    }

    /// Place of a page within the array.
    fn corner(&self, ppn: u32) -> [u32; 2] {
        let (block, page) = (ppn / self.header.pages_per_block, ppn % self.header.pages_per_block);
        let [column, row] = [block % PER_ROW, block / PER_ROW];
        [column * (CELL[0] + GAP) + 2, row * self.row_height() + TOP + page * CELL[1]]
    }

    /// Counters, and the lists of the scheme.
    fn lines_of(&self, state: &State, counts: &Counts) -> Vec<String> {
        let mut lines = wrapped(&counts.line(state.free_pages), self.columns(7));
        for list in &state.lists {
            let items: Vec<_> =
                list.items.iter().map(|item| item.short(self.header.pages_per_block)).collect();
            let items = if items.is_empty() { "empty".into() } else { items.join(", ") };
            lines.extend(wrapped(&format!("{}: {items}", list.name), self.columns(7)));
        }
        lines
    }

    /// A slot per page, a slot per block, and one for what the frame touches.
    fn cells(&self, state: &State, marks: &BTreeMap<u32, &str>, frame: &Frame) -> Vec<String> {
        let pages = self.header.pages_per_block;
        let mut slots = Vec::new();
        for (block, ((role, logical), put)) in (0..).zip(state.blocks.iter().zip(&state.placed)) {
            let first = (block * pages) as usize;
            let own = &state.pages[first..first + pages as usize];
            let next =
                own.iter().position(|page| page.state == PageState::Free).filter(|at| *at > 0);
            let role = marks.get(&block).copied().unwrap_or(role);
            slots.push(self.foot(block, role, *logical, *put));
            slots.extend(
                (0..).zip(own).map(|(at, page)| {
                    self.cell(block * pages + at, page, next == Some(at as usize))
                }),
            );
        }
        slots.push(self.touched(frame));
        slots
    }

    /// Frame, role and logical block of a block.
    fn foot(&self, block: u32, role: &str, logical: Option<u32>, put: Option<Put>) -> String {
        let [x, y] = self.corner(block * self.header.pages_per_block);
        let (middle, height) = (x + CELL[0] / 2, self.header.pages_per_block * CELL[1]);
        // A long role is as wide as its column.
        let squeezed = match role.chars().count() > 9 {
            true => {
                format!(" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", CELL[0] + GAP - 3)
            }
            false => String::new(),
        };
        let belongs = match (logical, put) {
            (Some(number), _) => format!("{} {number}", self.header.logical_blocks),
            // Told at the end of the page task only.
            (None, Some(put)) if !["erased", "opened"].contains(&role) => put.to_string(),
            _ => String::new(),
        };
        format!(
            "<g class=\"block role-{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\" class=\"block-frame\"/><text x=\"{middle}\" y=\"{}\" class=\"block-role\"{squeezed}>{}</text><text x=\"{middle}\" y=\"{}\" class=\"block-more\">{belongs}</text></g>",
            role.replace(' ', "-"),
            x - 2,
            y - 2,
            CELL[0] + 4,
            height + 2,
            y + height + 14,
            escape(role),
            y + height + 29,
        )
    }

    fn cell(&self, ppn: u32, page: &Page, next: bool) -> String {
        let [x, y] = self.corner(ppn);
        let held = match page.content {
            Content::Nothing => String::new(),
            Content::Lpn(lpn) => lpn.to_string(),
            Content::TranslationPage(number) => format!("T{number}"),
        };
        let (state, letter) = named(page.state);
        let label = [held.as_str(), letter]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        let next = if next { " next" } else { "" };
        let mut cell = format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"3\" class=\"page {state}{next}\"/>",
            CELL[0],
            CELL[1] - 2
        );
        if !label.is_empty() {
            let _ = write!(
                cell,
                "<text x=\"{}\" y=\"{}\" class=\"page-label {state}\">{label}</text>",
                x + CELL[0] / 2,
                y + 20
            );
        }
        cell
    }

    /// Outlines of the pages of an operation, and an arrow from source to target of a copy.
    fn touched(&self, frame: &Frame) -> String {
        let What::Operation { op, from, page, block, .. } = frame.what else {
            return String::new();
        };
        let outline = |ppn: u32, kind: &str, pages: u32| {
            let [x, y] = self.corner(ppn);
            format!(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" class=\"mark {kind}\"/>",
                x - 1,
                y - 1,
                CELL[0] + 2,
                pages * CELL[1]
            )
        };
        let pages = self.header.pages_per_block;
        let Some(page) = page else { return outline(block * pages, op, pages) };
        let mut marks = outline(page, op, 1);
        let Some(from) = from else { return marks };
        marks.push_str(&outline(from, "source", 1));
        let ([x1, y1], [x2, y2]) = (self.corner(from), self.corner(page));
        let half = CELL[1] / 2;
        // From within the source to the near edge of the target; around the edge within one column.
        let (from_x, to_x) = match x1.cmp(&x2) {
            std::cmp::Ordering::Equal => (x1 + CELL[0], x2 + CELL[0]),
            std::cmp::Ordering::Less => (x1 + CELL[0] * 4 / 5, x2),
            std::cmp::Ordering::Greater => (x1 + CELL[0] / 5, x2 + CELL[0]),
        };
        let (y1, y2) = (y1 + half, y2 + half);
        let (bend_x, bend_y) = match x1 == x2 {
            true => (from_x + 26, (y1 + y2) / 2),
            false => (u32::midpoint(from_x, to_x), (y1 + y2) / 2 - 14),
        };
        let _ = write!(
            marks,
            "<path d=\"M{from_x} {y1} Q{bend_x} {bend_y} {to_x} {y2}\" class=\"arrow\" marker-end=\"url(#arrowhead)\"/>"
        );
        marks
    }

    /// Texts and cells at their places.
    fn slots_of(&self, told: Told) -> Vec<String> {
        let text = |line: Option<&String>, y: u32, class: &str| match line {
            Some(line) if !line.is_empty() => {
                format!("<text x=\"0\" y=\"{y}\" class=\"{class}\">{}</text>", escape(line))
            }
            _ => String::new(),
        };
        let top = 73 + 17 * self.facts.len() as u32;
        let mut slots = vec![text(Some(&told.task), top - 24, "words")];
        slots.extend(
            (0..self.captions)
                .map(|at| text(told.caption.get(at), top + 22 * at as u32, "caption")),
        );
        let (array, below) = (self.array_y(), self.below_y());
        let placed = |cell: String| match cell.is_empty() {
            true => cell,
            false => format!("<g transform=\"translate(0 {array})\">{cell}</g>"),
        };
        slots.extend(told.cells.into_iter().map(placed));
        slots.extend(
            (0..self.lines)
                .map(|at| text(told.lines.get(at), below + 18 + 17 * at as u32, "words")),
        );
        slots
    }

    fn array_y(&self) -> u32 {
        67 + 17 * self.facts.len() as u32 + 22 * self.captions as u32
    }

    /// Where the array and its legend end.
    fn below_y(&self) -> u32 {
        self.array_y() + self.header.blocks.div_ceil(PER_ROW) * self.row_height() + 26
    }

    /// Array, bound, frames and workload.
    fn facts(&self) -> Vec<String> {
        let Self { header, which, .. } = self;
        let bound =
            header.bound.response_ns.map_or("no bound".into(), |ns| format!("bound {}", time(ns)));
        let facts = format!(
            "{} blocks × {} pages, {} logical pages · {bound} · {which} · {}",
            header.blocks, header.pages_per_block, header.logical_pages, header.workload
        );
        wrapped(&facts, self.columns(7))
    }

    /// What no frame changes: title, names of blocks, legend.
    fn still(&self) -> String {
        let header = self.header;
        let mut still =
            format!("<text x=\"0\" y=\"20\" class=\"title\">{}</text>\n", escape(&header.scheme));
        for (at, line) in (0..).zip(&self.facts) {
            let (y, line) = (42 + 17 * at, escape(line));
            let _ =
                writeln!(still, "<text x=\"0\" y=\"{y}\" class=\"block-name words\">{line}</text>");
        }
        for block in 0..header.blocks {
            let [x, y] = self.corner(block * header.pages_per_block);
            let (x, y) = (x + CELL[0] / 2, self.array_y() + y - 7);
            let name = header.ssd.map_or_else(
                || format!("block {block}"),
                |Ssd { channels, dies_per_channel: dies, .. }| {
                    format!("{block} · {}.{}", block % channels, block / channels % dies)
                },
            );
            let _ = writeln!(still, "<text x=\"{x}\" y=\"{y}\" class=\"block-name\">{name}</text>");
        }
        for (at, state) in (0..).zip(&self.states) {
            let (x, y, (name, letter)) = (at * 105, self.below_y() - 26, named(*state));
            let _ = writeln!(
                still,
                "<rect x=\"{}\" y=\"{y}\" width=\"28\" height=\"16\" rx=\"3\" class=\"page {name}\"/><text x=\"{}\" y=\"{}\" class=\"page-label {name}\">{letter}</text><text x=\"{}\" y=\"{}\" class=\"words\">{name}</text>",
                x + 1,
                x + 15,
                y + 12,
                x + 34,
                y + 12
            );
        }
        still
    }

    fn whole(&self, shown: &str) -> String {
        let (width, height) =
            (self.width() + 2 * MARGIN, self.below_y() + 17 * self.lines as u32 + 2 * MARGIN);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"-{MARGIN} -{MARGIN} {width} {height}\" font-family=\"sans-serif\" style=\"max-width:100%;height:auto\">\n<title>{}</title>\n<style>\n{}</style>\n<defs><marker id=\"arrowhead\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"5\" markerHeight=\"5\" orient=\"auto\"><path d=\"M0 0 8 4 0 8z\"/></marker><pattern id=\"hatch\" width=\"6\" height=\"6\" patternTransform=\"rotate(45)\" patternUnits=\"userSpaceOnUse\"><rect class=\"hatch-ground\" width=\"6\" height=\"6\"/><rect class=\"hatch-line\" width=\"1.6\" height=\"6\"/></pattern></defs>\n<rect x=\"-{MARGIN}\" y=\"-{MARGIN}\" width=\"{width}\" height=\"{height}\" class=\"ground\"/>\n{}{shown}\n</svg>\n",
            escape(&format!("{}, {}", self.header.scheme, self.which)),
            plain_style(),
            self.still(),
        )
    }
}

/// Names that events and erases give to blocks within a page task.
fn mark(marks: &mut BTreeMap<u32, &'static str>, frame: &Frame, header: &Header) {
    match &frame.what {
        What::Event { marks: named, .. } => marks.extend(named.iter().copied()),
        What::Operation { op: "erase", block, outcome: Outcome::Done, .. } => {
            marks.insert(*block, "erased");
        }
        What::Operation { op: "program" | "copy", page: Some(page), block, .. }
            if page % header.pages_per_block == 0 || marks.get(block) == Some(&"erased") =>
        {
            marks.insert(*block, "opened");
        }
        _ => {}
    }
}

/// Name of a state, and its letter: colours alone are not told apart by everybody.
fn named(state: PageState) -> (&'static str, &'static str) {
    match state {
        PageState::Free => ("free", ""),
        PageState::Valid => ("valid", ""),
        PageState::Older => ("older", "o"),
        PageState::Copy => ("copy", "c"),
        PageState::Invalid => ("invalid", "×"),
        PageState::Padding => ("padding", "·"),
        PageState::Torn => ("torn", "!"),
        PageState::Absent => ("absent", "–"),
    }
}

/// The style with the values of its custom properties in their places.
fn plain_style() -> String {
    let (before, rules) = STYLE.split_once("}\n").unwrap_or(("", STYLE));
    let mut style = rules.to_owned();
    let declared = before
        .split(['{', ';'])
        .filter_map(|part| part.trim().strip_prefix("--")?.split_once(": "));
    for (name, value) in declared {
        style = style.replace(&format!("var(--{name})"), value);
    }
    style
}

/// Lines of at most so many characters, broken between words.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is one");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > columns {
            lines.push(word.into());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
