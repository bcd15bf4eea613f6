//! The choices as a page.

use super::choice::{Choice, Verdict};
use super::deadlines::{self, Deadlines};
use super::tables;
use crate::report::About;
use crate::report::page::{banner, terms};
use crate::report::plots::{self, Curves};
use ::run::Limit;
use ::run::report::units;
use maud::html;
use report::html::{Axis, Figure, Kind, Mark, Page, Quantity, Series, folded};

/// The page of a search; `headline` is what it found, in a sentence.
pub fn page(
    choices: &[Choice],
    headline: &str,
    deadlines: &Deadlines,
    (interrupted, drawing): (bool, Option<&Curves>),
    about: &About,
) -> String {
    let of = |low, high| tables::of(choices, low, high);
    let queued = of(Verdict::ProvedWithQueueing, Verdict::ProvedWithQueueing);
    let kept = of(Verdict::Proved, Verdict::Measured);
    let missed = of(Verdict::Missed, Verdict::Missed);
    let impossible = of(Verdict::Impossible, Verdict::Impossible);
    let good: Vec<&Choice> = queued.iter().chain(&kept).copied().collect();
    let body = html! {
        @if interrupted {
            (banner(&tables::not_run(choices)))
        }
        p { (headline) }
        @if let Some(best) = tables::recommended(choices.iter()) { p { b { "Recommended: " } (best) "." } }
        @if !queued.is_empty() { h2 { (tables::QUEUED) } (tables::kept(&queued).html(true)) }
        @if !kept.is_empty() { h2 { (tables::KEPT) } (tables::kept(&kept).html(true)) }
        @for line in tables::warnings(&good) { p.quiet { (line) } }
        @if !missed.is_empty() { h2 { (tables::MISSED) } (tables::missed(&missed).html(true)) }
        @if good.is_empty() {
            @for line in tables::warnings(&missed) { p.quiet { (line) } }
        }
        @if !impossible.is_empty() {
            (folded(&format!("Do not work: {}", impossible.len()), html! {
                ul { @for choice in &impossible { li { (tables::impossible(choice)) } } }
            }))
        }
        @for line in tables::larger_than_map(good.iter()) { p { (line) } }
        @if let Some(line) = tables::rating(choices) { p { (line) } }
        @for line in tables::legend(choices) { p.quiet { (line) } }
        h2 { "What was run" }
        (about.facts(&[]))
        (about.repeated())
        h2 { "Plots" }
        (figure(choices, deadlines))
        @if let Some(drawing) = drawing { (plots::Figure::from(drawing.clone()).html()) }
        (terms())
    };
    let title = format!("Parts, schemes and shares for a deadline of {deadlines}");
    Page::new(title).subtitle(&about.program).with_plots().render(&body)
}

/// The longest request over the space that is exported, a mark for each combination that ran, and the deadline.
fn figure(choices: &[Choice], deadlines: &Deadlines) -> Figure {
    const LOOKS: [(&str, Verdict, &str, &str); 4] = [
        ("proved with queueing", Verdict::ProvedWithQueueing, "#cc79a7", "diamond"),
        ("proved alone", Verdict::Proved, "#009e73", "circle"),
        ("kept in this run", Verdict::Measured, "#0072b2", "triangle-up"),
        ("missed", Verdict::Missed, "#d55e00", "x"),
    ];
    let series = LOOKS.map(|(name, verdict, color, symbol)| {
        let of = tables::of(choices, verdict, verdict);
        let label = |choice: &&Choice| {
            format!(
                "{}, {} at {} %, {}",
                tables::part(choice),
                tables::name(choice),
                tables::share(choice),
                units::bytes(choice.exported_bytes)
            )
        };
        Series {
            name: name.into(),
            color: color.into(),
            symbol,
            kind: Kind::Dots,
            x: of.iter().map(|choice| choice.logical_share * 100.0).collect(),
            y: of.iter().map(|choice| choice.longest_ns.map(|ns| ns as f64)).collect(),
            labels: of.iter().map(label).collect(),
            ..Series::default()
        }
    });
    let mark = |limit: &Limit| Mark {
        at: limit.within_ns as f64,
        level: true,
        label: format!("deadline {}", deadlines::text(limit)),
        color: "#be0000".into(),
        of: Vec::new(),
    };
    let marks: Vec<Mark> = deadlines.limits().iter().map(mark).collect();
    let times = choices.iter().filter(|choice| choice.verdict <= Verdict::Missed);
    let times = times.filter_map(|choice| choice.longest_ns).map(|ns| ns as f64);
    let times: Vec<f64> =
        times.chain(marks.iter().map(|mark| mark.at)).filter(|ns| *ns > 0.0).collect();
    let ends = (
        times.iter().copied().fold(f64::INFINITY, f64::min),
        times.iter().copied().fold(0.0, f64::max),
    );
    Figure {
        title: "Longest request over the share that is exported".into(),
        note: "One mark per part, scheme and share that ran; point at it for its name.".into(),
        x: Axis { label: "logical share, %".into(), ..Axis::default() },
        y: Axis {
            label: "longest request, queueing included".into(),
            quantity: Quantity::Time,
            log: true,
            // With room for a mark at each end.
            range: (ends.0 <= ends.1).then_some((ends.0 / 1.5, ends.1 * 1.5)),
            ..Axis::default()
        },
        series: series.into_iter().filter(|series| !series.x.is_empty()).collect(),
        marks,
        ..Figure::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(scheme: &str, verdict: Verdict, longest_ns: u64) -> Choice {
        Choice {
            part: "a-part".into(),
            scheme: scheme.into(),
            verdict,
            longest_ns: Some(longest_ns),
            logical_share: 0.875,
            exported_bytes: 1 << 30,
            ..Choice::impossible("it is too small".into())
        }
    }

    #[test]
    fn every_choice_is_on_the_page_with_the_deadline() {
        let choices = [
            choice("<kept>", Verdict::Proved, 2_000_000),
            choice("late", Verdict::Missed, 9_000_000),
            choice("none", Verdict::Impossible, 0),
        ];
        let text = page(
            &choices,
            "Found 1 & 2",
            &Deadlines::each(3_000_000),
            (true, None),
            &About::default(),
        );
        for part in [
            "<h1>Parts, schemes and shares for a deadline of 3ms</h1>",
            "INTERRUPTED",
            "Found 1 &amp; 2",
            "<td>&lt;kept&gt;</td>",
            "<td>late</td>",
            "a-part none: it is too small",
            "\"label\":\"deadline 3ms\"",
            "\"y\":[2000000.0]",
            "a-part, late at 87.5 %, 1.0 GiB",
        ] {
            assert!(text.contains(part), "{part}");
        }
        assert!(!text.contains("kept in this run"), "no series without marks");
        let none = page(&[], "", &Deadlines::each(1), (false, None), &About::default());
        assert!(!none.contains("banner\">") && none.contains("deadline 1ns"));
    }
}
