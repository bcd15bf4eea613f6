//! Zones, refused requests and the host's own log in the report's tables.

use super::cells::none;
use super::ssd_rows::Row;
use ::run::report::units;
use ::run::report::{HostLogReport, SchemeReport, ZonesReport};

/// What the words of these rows mean.
pub(super) const HOW_TO_READ: &str = "Zones: states at the end; active zones are open or closed. Host WAF: pages that the \
    host's own log wrote, per page of its application. Total WAF: pages programmed per page of the application.";

/// Rows on refused requests by reason, on zones and on the host's log; none where there are none.
pub(super) fn rows(schemes: &[SchemeReport], row: Row<'_>) {
    let mut reasons: Vec<&str> = Vec::new();
    for refused in schemes.iter().flat_map(|scheme| &scheme.refusals) {
        if !reasons.contains(&&*refused.reason) {
            reasons.push(&refused.reason);
        }
    }
    for reason in reasons {
        row(&format!("refused: {reason}"), &|scheme| {
            let refused = scheme.refusals.iter().find(|refused| refused.reason == reason);
            units::count(refused.map_or(0, |refused| refused.requests))
        });
    }
    let mut of_log = |label: &str, figure: &dyn Fn(&HostLogReport) -> String| {
        if schemes.iter().any(|scheme| scheme.host_log.is_some()) {
            row(label, &|scheme| scheme.host_log.as_ref().map_or_else(none, figure));
        }
    };
    let waf = |waf: Option<f64>| waf.map_or_else(none, |waf| format!("{waf:.3}"));
    of_log("application's pages", &|log| units::count(log.application_pages));
    of_log("  moved by the host", &|log| units::count(log.moved_pages));
    of_log("  host WAF", &|log| waf(log.host_waf));
    of_log("  total WAF", &|log| waf(log.total_waf));
    if schemes.iter().all(|scheme| scheme.zones.is_none()) {
        return;
    }
    let mut of = |label: &str, figure: &dyn Fn(&ZonesReport) -> String| {
        row(label, &|scheme| scheme.zones.as_ref().map_or_else(none, figure));
    };
    of("zones", &|zones| {
        format!(
            "{} of {} pages",
            units::count(zones.zones.into()),
            units::count(zones.pages.into())
        )
    });
    of("  resets", &|zones| units::count(zones.resets));
    of("  finishes", &|zones| units::count(zones.finishes));
    of("  appended pages", &|zones| units::count(zones.appended));
    of("  most open", &|zones| format!("{} of {}", zones.most_open, zones.max_open));
    of("  most active", &|zones| format!("{} of {}", zones.most_active, zones.max_active));
    of("  closed by the controller", &|zones| units::count(zones.implicit_closes));
    of("  finished by the controller", &|zones| units::count(zones.finished_by_controller));
    of("  states", &|zones| {
        let each = [
            ("empty", zones.empty),
            ("open", zones.implicitly_opened + zones.explicitly_opened),
            ("closed", zones.closed),
            ("full", zones.full),
            ("read only", zones.read_only),
            ("offline", zones.offline),
        ];
        let used = each.iter().filter(|(_, count)| *count > 0);
        used.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
    });
}
