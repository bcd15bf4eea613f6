//! The choices as a page.

use super::question::{Choice, Verdict};
use super::tables;
use crate::report::About;
use crate::report::page::{banner, terms};
use ::run::report::units;
use maud::html;
use report::html::{Axis, Figure, Kind, Mark, Page, Quantity, Series, folded};
use workload::quantity::Duration;

/// The page of a search; `headline` is what it found, in a sentence.
pub fn page(
    choices: &[Choice],
    headline: &str,
    deadline: Duration,
    interrupted: bool,
    about: &About,
) -> String {
    let queued = tables::of(choices, Verdict::ProvedWithQueueing, Verdict::ProvedWithQueueing);
    let kept = tables::of(choices, Verdict::Proved, Verdict::Measured);
    let missed = tables::of(choices, Verdict::Missed, Verdict::Missed);
    let impossible = tables::of(choices, Verdict::Impossible, Verdict::Impossible);
    let several = queued.iter().chain(&kept).chain(&missed).any(|choice| choice.devices > 1);
    let legend = several.then_some(tables::SEVERAL).into_iter().chain(tables::LEGEND);
    let body = html! {
        @if interrupted { (banner("INTERRUPTED: others were not tried.")) }
        p { (headline) }
        @if !queued.is_empty() { h2 { (tables::QUEUED) } (tables::kept(&queued).html(true)) }
        @if !kept.is_empty() { h2 { (tables::KEPT) } (tables::kept(&kept).html(true)) }
        @if !missed.is_empty() { h2 { "Missed, the nearest first" } (tables::missed(&missed).html(true)) }
        @if !impossible.is_empty() {
            (folded(&format!("Do not work: {}", impossible.len()), html! {
                ul { @for choice in &impossible { li { (tables::impossible(choice)) } } }
            }))
        }
        @for line in tables::larger_than_map(queued.iter().chain(&kept).chain(&missed)) { p { (line) } }
        @for line in legend { p.quiet { (line) } }
        h2 { "What was run" }
        (about.facts(&[]))
        (about.repeated())
        h2 { "Plots" }
        (figure(choices, deadline))
        (terms())
    };
    let title = format!("Parts, schemes and shares for a deadline of {deadline}");
    Page::new(title).subtitle(&about.program).with_plots().render(&body)
}

/// The longest request over the space that is exported, a mark for each combination that ran, and the deadline.
fn figure(choices: &[Choice], deadline: Duration) -> Figure {
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
    let mark = Mark {
        at: deadline.0 as f64,
        level: true,
        label: format!("deadline {deadline}"),
        color: "#be0000".into(),
        of: Vec::new(),
    };
    Figure {
        title: "Longest request over the share that is exported".into(),
        note: "One mark per part, scheme and share that ran; point at it for its name.".into(),
        x: Axis { label: "logical share, %".into(), ..Axis::default() },
        y: Axis {
            label: "longest request, queueing included".into(),
            quantity: Quantity::Time,
            log: true,
            ..Axis::default()
        },
        series: series.into_iter().filter(|series| !series.x.is_empty()).collect(),
        marks: vec![mark],
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
        let text = page(&choices, "Found 1 & 2", Duration::new(3_000_000), true, &About::default());
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
        let none = page(&[], "", Duration::new(1), false, &About::default());
        assert!(!none.contains("banner\">") && none.contains("deadline 1ns"));
    }
}
