//! Forms of figures that more than one field makes.

use super::grid::NONE;
use ::run::report::{SchemeReport, Summary, units};

/// The share of the array that all schemes export, if it is one, in three decimals.
pub(super) fn one_share(schemes: &[SchemeReport]) -> Option<f64> {
    let rounded = |s: &SchemeReport| (s.logical_share * 1000.0).round();
    let first = schemes.first()?;
    schemes.iter().all(|s| rounded(s) == rounded(first)).then_some(first.logical_share)
}

/// Verdict on the bound, in unambiguous words.
pub(super) fn verdict(scheme: &SchemeReport) -> &'static str {
    match (scheme.violations, scheme.tasks, scheme.bound_ns) {
        (1.., _, _) => "BOUND EXCEEDED",
        (0, _, _) if !scheme.can_promise() => "no bound at\nthis queue depth",
        (0, _, None) => "no bound",
        (0, 0, Some(_)) => "not tested",
        (0, _, Some(_)) => "bound kept",
    }
}

/// What a kept bound leaves out, where times of the run are above it.
pub(super) fn beyond_bound(scheme: &SchemeReport) -> Option<String> {
    let bound_ns = scheme.bound_ns.filter(|_| scheme.can_promise() && scheme.violations == 0)?;
    let time = |ns: u64| units::time(ns as f64);
    let mut told = Vec::new();
    let (worst_ns, left_out) = (scheme.response_ns.max, scheme.left_out());
    if worst_ns > bound_ns {
        let compared = scheme.bounded_response_ns.unwrap_or(worst_ns);
        let what = match left_out.contains(&"the processor's work") {
            true => "the processor's work",
            false => "forced writes that empty a queue",
        };
        told.push(format!(
            "the longest response, {}, is above the bound, {}, which leaves out {what}: {} without it",
            time(worst_ns),
            time(bound_ns),
            time(compared)
        ));
    }
    let completion_ns = scheme.request_completion_ns.max;
    if let Some(ssd) = &scheme.ssd
        && let (Some(bound), Some(seen)) = (ssd.completion_bound_ns, ssd.bounded_completion_ns)
        && completion_ns > bound_ns
    {
        // A task that waited for other work was not compared.
        let waited = seen > bound_ns;
        let step = waited.then(|| "the wait for the step of the task before".to_owned());
        let mut parts: Vec<String> = step.into_iter().collect();
        parts.extend(left_out.iter().map(|part| (*part).to_owned()));
        let pages = scheme.largest_request.pages();
        if pages > 1 {
            parts.push(format!("up to {} page tasks per request", units::grouped(pages)));
        }
        if completion_ns > scheme.request_response_ns.max {
            parts.push("queueing".into());
        }
        if parts.is_empty() {
            parts.push("a wait for work that no bound covers, such as that in idle time".into());
        }
        let within = match waited {
            true => format!(
                "; a page task with that wait is within {} by its bounds, {} at most here",
                time(bound),
                time(seen)
            ),
            false => String::new(),
        };
        told.push(format!(
            "the longest completion, {}, is above the bound of a response, {}: it has {}{within}",
            time(completion_ns),
            time(bound_ns),
            parts.join(", "),
        ));
    }
    (!told.is_empty()).then(|| told.join("; "))
}

/// Standard deviation and maximum of the erases per block, as multiples of their mean; `None` without erases.
pub(super) fn wear_ratios(scheme: &SchemeReport) -> Option<(f64, f64)> {
    let (_, mean, most) = scheme.erases_per_block;
    // The paper's index is σ / N × 100, with N blocks.
    let deviation = scheme.wear_index / 100.0 * scheme.series.erases.len() as f64;
    (mean > 0.0).then(|| (deviation / mean, f64::from(most) / mean))
}

/// The longest of some times.
pub(super) fn longest(times: &Summary) -> String {
    if times.count == 0 { NONE.to_owned() } else { units::time(times.max as f64) }
}

/// The longest response; exact in ns if rounding would hide that it exceeds its bound.
pub(super) fn longest_response(scheme: &SchemeReport) -> String {
    let (worst, rounded) = (scheme.response_ns.max, longest(&scheme.response_ns));
    match scheme.bound_ns {
        Some(bound) if worst > bound && rounded == units::time(bound as f64) => {
            format!("{} ns", units::grouped(worst))
        }
        _ => rounded,
    }
}

/// True if any task waited for another one, so that completion differs from the response.
pub(super) fn has_queueing(scheme: &SchemeReport) -> bool {
    let (completion, response) = (&scheme.completion_ns, &scheme.response_ns);
    completion.count > 0 && (completion.mean != response.mean || completion.max != response.max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::run::report::SsdReport;

    #[test]
    fn a_completion_above_the_bound_has_the_waits_that_were_measured() {
        let of = |seen, response, pages| {
            let mut scheme = SchemeReport { bound_ns: Some(100), ..SchemeReport::default() };
            scheme.request_completion_ns.max = 150;
            scheme.request_response_ns.max = response;
            scheme.largest_request.writes = pages;
            let bounds = (Some(300), Some(seen));
            let (completion_bound_ns, bounded_completion_ns) = bounds;
            let ssd = SsdReport {
                queue_depth: 1,
                completion_bound_ns,
                bounded_completion_ns,
                ..SsdReport::default()
            };
            scheme.ssd = Some(ssd);
            beyond_bound(&scheme).unwrap()
        };
        let stepped = of(120, 150, 1);
        assert!(stepped.contains("it has the wait for the step of the task before; "), "{stepped}");
        assert!(stepped.ends_with("within 300 ns by its bounds, 120 ns at most here"), "{stepped}");
        assert!(of(90, 90, 1).ends_with("it has queueing"), "{}", of(90, 90, 1));
        assert!(of(90, 150, 4).ends_with("it has up to 4 page tasks per request"));
        assert!(of(90, 150, 1).contains("it has a wait for work that no bound covers"));
    }
}
