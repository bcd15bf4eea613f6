//! The bus cycle of parts that give none: what of their times is the transfer.

use super::error::ConfigError;
use crate::report::units;
use flash::{Ns, Part};
use workload::quantity::Duration;

/// As the closed forms of copies take them.
const LONGEST_CYCLE_NS: u64 = 100_000;
/// Of a time with transfer, at least one part in so many must be the cells'.
const LEAST_CELLS_SHARE: u64 = 10;

/// The part with bus cycles, where it has none of its own: its tR and tPROG are read as including the transfer, as
/// those of parts without cycles do.
///
/// # Errors
/// Neither the part nor the experiment gives cycles, or both do; a cycle at which hardly anything or nothing is
/// left of a time.
pub(super) fn with_bus_cycle(
    part: Part,
    cycle: Option<Duration>,
    notes: &mut Vec<String>,
) -> Result<Part, ConfigError> {
    let fault = |setting, reason: String| Err(ConfigError::setting(setting, reason));
    let gives = part.t_rc_ns > 0 || part.t_wc_ns > 0;
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

/// The part's cells behind a bus of this cycle.
fn cells_of(mut part: Part, cycle: Ns, notes: &mut Vec<String>) -> Result<Part, ConfigError> {
    let page = u64::from(part.page_bytes) + u64::from(part.oob_bytes);
    let times = [
        ("tR", part.t_r_ns, page),
        ("tPROG", part.t_prog_ns, page),
        ("t_r_oob_ns", part.t_r_oob_ns, part.oob_bytes.into()),
    ];
    // The longest cycle that leaves its share of every time, so that it can be told.
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
    // Cells take no longer for the spare bytes alone, whatever was given for both.
    (part.t_r_ns, part.t_prog_ns, part.t_r_oob_ns) = (t_r, t_prog, t_r_oob.min(t_r));
    Ok(part)
}
