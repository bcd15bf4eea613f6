//! Bus cycle of parts that give none: separates array time from transfer time.

use super::error::ConfigError;
use ::run::report::units;
use flash::{Ns, Part, SlcMode};
use workload::quantity::Duration;

/// Longest cycle that the closed forms of copies accept.
pub(super) const LONGEST_CYCLE_NS: u64 = 100_000;
/// At least 1/10 of each time with transfer must remain as array time.
const LEAST_CELLS_SHARE: u64 = 10;

/// The part with the experiment's bus cycle if it has none of its own. Its tR and tPROG then include the
/// transfer, as for every part without cycles.
///
/// # Errors
/// If neither the part nor the experiment gives cycles, or both do. Also if the cycle leaves less than a tenth of
/// a time to the array.
pub(super) fn with_bus_cycle(
    part: Part,
    cycle: Option<Duration>,
    notes: &mut Vec<String>,
) -> Result<Part, ConfigError> {
    let fault = |setting, reason: String| Err(ConfigError::setting(setting, reason));
    let gives = part.bus_mts > 0 || part.t_rc_ns > 0 || part.t_wc_ns > 0;
    let name = &part.name;
    match cycle {
        None if gives => Ok(part),
        None => fault(
            "channels",
            format!(
                "part `{name}` has no bus cycles (t_rc_ns, t_wc_ns), so bus time and die time cannot be \
                separated; set `bus_cycle`, as in --bus-cycle 5ns (tR and tPROG then include the transfer), or \
                choose a part that has them (`ddt-mlc`)"
            ),
        ),
        Some(_) if part.bus_mts > 0 => fault(
            "bus_cycle",
            format!(
                "part `{name}` has its own bus of {} MT/s; omit bus_cycle, or set another rate, as in --bus 800MT/s",
                part.bus_mts
            ),
        ),
        Some(_) if gives => fault(
            "bus_cycle",
            format!(
                "part `{name}` has its own cycles: tRC {} ns, tWC {} ns; omit bus_cycle, or change the part, as \
                 with --set part.t_rc_ns=20ns --set part.t_wc_ns=20ns",
                part.t_rc_ns, part.t_wc_ns
            ),
        ),
        Some(Duration { 0: cycle, .. }) if !(1..=LONGEST_CYCLE_NS).contains(&cycle) => fault(
            "bus_cycle",
            format!("must be 1ns to 100us, such as `5ns`, not {}", Duration::new(cycle)),
        ),
        Some(Duration { 0: cycle, .. }) => cells_of(part, cycle, notes),
    }
}

/// Subtracts the transfer at this cycle from the part's times.
fn cells_of(mut part: Part, cycle: Ns, notes: &mut Vec<String>) -> Result<Part, ConfigError> {
    let page = u64::from(part.page_bytes) + u64::from(part.oob_bytes);
    let times = [
        ("tR", part.t_r_ns, page),
        ("tPROG", part.t_prog_ns, page),
        ("t_r_oob_ns", part.t_r_oob_ns, part.oob_bytes.into()),
    ];
    // The longest cycle that leaves a tenth of every time, for the error message.
    let longest = |&(_, with, bytes): &(&str, Ns, u64)| {
        (with - with.div_ceil(LEAST_CELLS_SHARE)).checked_div(bytes).unwrap_or(LONGEST_CYCLE_NS)
    };
    if let Some((what, with, bytes)) = times.iter().find(|time| longest(time) < cycle) {
        let most = times.iter().map(longest).min().unwrap_or(0);
        let right = match most {
            0 => format!("no cycle is short enough for part `{}`; choose another part", part.name),
            most => format!("use {} at most", Duration::new(most)),
        };
        return Err(ConfigError::setting(
            "bus_cycle",
            format!(
                "{bytes} bytes at {cycle} ns take {} of the {} that part `{}` specifies for {what}, which \
                leaves less than 10 % for the cells; {right}",
                units::time((bytes * cycle) as f64),
                units::time(*with as f64),
                part.name,
            ),
        ));
    }
    let [t_r, t_prog, t_r_oob] = times.map(|(_, with, bytes)| with - bytes * cycle);
    notes.push(format!(
        "bus cycle {cycle} ns: tR {} and tPROG {} of part `{}` include the transfer of {} bytes ({}); the cells \
        alone take tR {} and tPROG {}",
        units::time(part.t_r_ns as f64),
        units::time(part.t_prog_ns as f64),
        part.name,
        units::grouped(page),
        units::time((page * cycle) as f64),
        units::time(t_r as f64),
        units::time(t_prog as f64),
    ));
    (part.t_rc_ns, part.t_wc_ns) = (cycle, cycle);
    // Reading only the spare bytes takes the array no longer than tR, whatever the part says.
    (part.t_r_ns, part.t_prog_ns, part.t_r_oob_ns) = (t_r, t_prog, t_r_oob.min(t_r));
    // A page faster than its transfer has no cell time left: one-shot programming has pages that only load a register.
    part.t_r_by_page_ns = part.t_r_by_page_ns.map(|ns| ns.saturating_sub(page * cycle).max(1));
    part.t_prog_by_page_ns = part.t_prog_by_page_ns.map(|ns| ns.saturating_sub(page * cycle));
    part.slc = part.slc.map(|slc| SlcMode {
        t_r_ns: slc.t_r_ns.saturating_sub(page * cycle).max(1),
        t_prog_ns: slc.t_prog_ns.saturating_sub(page * cycle).max(1),
        ..slc
    });
    Ok(part)
}
