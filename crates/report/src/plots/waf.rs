//! Write amplification by cause: one bar per scheme.

use super::stacked::Stacked;
use crate::details::causes;
use ::run::report::{Report, SchemeReport};

pub(super) fn figure(report: &Report) -> Stacked {
    let parts = causes(&report.schemes);
    let of = |scheme: &SchemeReport, cause: &String| {
        let found = scheme.waf_by_cause.iter().find(|(name, _)| name == cause);
        found.map_or(0.0, |(_, waf)| *waf)
    };
    let total = |scheme: &SchemeReport| {
        scheme.waf.map_or("no host writes".to_owned(), |waf| format!("{waf:.2}"))
    };
    let bars = report
        .schemes
        .iter()
        .map(|scheme| (scheme.name.clone(), parts.iter().map(|cause| of(scheme, cause)).collect()));
    Stacked {
        caption: format!("Write amplification: {}", report.title()),
        label: "pages programmed per host page",
        bars: bars.collect(),
        totals: Some(report.schemes.iter().map(total).collect()),
        parts,
    }
}
