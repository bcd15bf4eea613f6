//! Summary of a run before it starts, in a few lines: the settings, the facts of the workload and the values
//! chosen by default.

use super::bit_errors::PageErrors;
use super::notation::Word;
use super::resolve::Resolved;
use super::ssd::dies_line;
use ::run::precondition::Fill;
use ::run::report::units;
use flash::faults::POWER_LAWS;
use flash::{Ns, PageTimes};
use workload::quantity::Duration;
use workload::{JobFacts, TraceFacts};

/// Says that an array of `bytes` is more than one device of a part: `8 devices as one array`.
pub fn devices_text(bytes: u64, device_bytes: u64) -> Option<String> {
    let devices = bytes.div_ceil(device_bytes.max(1));
    (devices > 1).then(|| {
        format!(
            "{} devices of {} as one array",
            units::grouped(devices),
            units::bytes(device_bytes)
        )
    })
}

impl Resolved {
    /// Lines of a heading and a text each.
    pub fn summary(&self) -> Vec<(&'static str, String)> {
        let mut lines = vec![
            ("device", self.device_line()),
            ("workload", self.workload_line()),
            ("addresses", self.addresses_line()),
            ("precondition", self.precondition_line()),
        ];
        if let Some(trace) = &self.facts.trace {
            lines.insert(2, ("records", records_line(trace)));
            lines.splice(2..2, trace.files.iter().map(|files| ("files", files.clone())));
        }
        let at = lines.len() - 2;
        lines.splice(at..at, self.job_lines());
        // Signs that a trace is misread (crate `workload`) put every figure in doubt.
        let kind = |note: &str| match note.starts_with("is the trace read right?") {
            true => "warning:",
            false => "note",
        };
        lines.extend(self.all_notes().map(|note| (kind(note), note.to_owned())));
        lines
    }

    /// A line for each job that runs at once with others.
    fn job_lines(&self) -> Vec<(&'static str, String)> {
        let page_bytes = u64::from(self.space.page_bytes);
        let line = |job: &JobFacts| {
            let (facts, space) = (&job.facts, job.facts.space.bytes);
            let plural = if facts.requests == 1 { "" } else { "s" };
            let text = format!(
                "{}: {}, {} request{plural}, on {} from {} ({:.1} % of the space)",
                job.name,
                facts.workload,
                units::grouped(facts.requests),
                units::bytes(space),
                units::bytes(job.first_page * page_bytes),
                space as f64 / self.space.bytes as f64 * 100.0
            );
            ("job", text)
        };
        self.facts.jobs.iter().map(line).collect()
    }

    /// Notes for the reader: on the device, then on the workload.
    pub fn all_notes(&self) -> impl Iterator<Item = &str> {
        self.notes.iter().chain(&self.facts.notes).map(String::as_str)
    }

    fn device_line(&self) -> String {
        let (part, geometry, channel) = (&self.part, &self.geometry, &self.channel);
        let mut line = format!(
            "{}, {} = {} blocks × {} pages × {}; tR {}, tPROG {}, tBERS {}",
            part.name,
            units::bytes(geometry.capacity_bytes()),
            geometry.blocks(),
            geometry.pages_per_block(),
            units::bytes(geometry.page_bytes().into()),
            by_page(&part.t_r_by_page_ns, part.t_r_ns),
            by_page(&part.t_prog_by_page_ns, part.t_prog_ns),
            units::time(part.t_bers_ns as f64),
        );
        if part.bus_mts > 0 {
            line.push_str(&format!(", bus {} MT/s", part.bus_mts));
        } else if channel.has_paths() {
            line.push_str(&format!(
                ", tRC {}, tWC {}",
                units::time(part.t_rc_ns as f64),
                units::time(part.t_wc_ns as f64)
            ));
        }
        match channel.channels {
            Some(channels) => {
                line.push_str(&format!("; {}", dies_line(channels, channel.ways, channel.dies)))
            }
            None if channel.ways > 1 => {
                line.push_str(&format!("; {} devices on one channel", channel.ways));
            }
            None => {
                if let Some(devices) = devices_text(geometry.capacity_bytes(), part.capacity_bytes)
                {
                    line.push_str(&format!("; {devices}"));
                }
            }
        }
        if channel.planes > 1 {
            line.push_str(&format!("; {} planes as one", channel.planes));
        }
        if channel.own_planes > 1 {
            let own = self.experiment.plane_use.unwrap_or_default();
            line.push_str(&format!("; {} planes per die, {own}", channel.own_planes));
        }
        if let Some(errors) = self.bit_errors_text() {
            line.push_str(&format!("; {errors}"));
        }
        let limits = self.experiment.refresh_limits();
        if limits.age_s.or(limits.bits_per_kib).is_some() {
            line.push_str(&format!("; refresh {}", self.experiment.refresh));
        }
        if let Some(reads) = limits.block_reads {
            line.push_str(&format!("; read reclaim at {} reads", units::grouped(reads.into())));
        }
        line
    }

    fn bit_errors_text(&self) -> Option<String> {
        let ecc = self.channel.part().ecc_bits_per_kib.unwrap_or(0);
        let errors = match self.channel.bit_errors.errors {
            PageErrors::Off => return None,
            PageErrors::ByHand(bits) if self.channel.planes > 1 => {
                format!("{bits} bit errors per page of each plane")
            }
            PageErrors::ByHand(bits) => format!("{bits} bit errors per page"),
            PageErrors::Wear { base, per_erase, per_read } => {
                format!(
                    "bit errors per 10^12 bits: {base} + {per_erase} per erase + {per_read} per read"
                )
            }
            PageErrors::Law(_) => {
                let settings = &self.channel.bit_errors;
                let known =
                    POWER_LAWS.iter().find(|known| PageErrors::Law(known.law) == settings.errors);
                format!("bit errors by {}", known.map_or("a power law", |known| known.name))
            }
        };
        let settings = &self.channel.bit_errors;
        let mut line = errors;
        if settings.cycles > 0 {
            line += &format!(", {} cycles at the start", units::grouped(settings.cycles.into()));
        }
        if settings.age_s > 0 {
            line +=
                &format!(", data {} old", Duration::new(u64::from(settings.age_s) * 1_000_000_000));
        }
        line += &format!(", ECC corrects {ecc} per 1 KiB");
        let retry = self.channel.retry();
        if !retry.are_off() {
            line += &format!("; read retry {}", Word(retry.clone()));
        }
        Some(line)
    }

    fn workload_line(&self) -> String {
        let facts = &self.facts;
        let plural = if facts.requests == 1 { "" } else { "s" };
        let mut line =
            format!("{}, {} request{plural}", facts.workload, units::grouped(facts.requests));
        if facts.requests != facts.requests_per_pass {
            line.push_str(&format!(" ({} per pass)", units::grouped(facts.requests_per_pass)));
        }
        let depth = self.ssd.as_ref().map(|ssd| ssd.queue_depth);
        let issued = match depth {
            None | Some(1) => "one at a time".into(),
            Some(depth) => format!("{depth} outstanding"),
        };
        line.push_str(&match (facts.has_arrivals, self.closed()) {
            (false, _) => format!(", {issued} (no arrival times)"),
            (true, true) => format!(", {issued} (arrival times not used)"),
            (true, false) => match depth {
                None => ", at their arrival times".into(),
                Some(depth) => {
                    format!(", at their arrival times, at most {depth} outstanding")
                }
            },
        });
        if facts.replay.time_scale != 1.0 {
            line.push_str(&format!(" × {}", facts.replay.time_scale));
        }
        line
    }

    /// What the workload addresses of what each scheme exports, named where they differ.
    fn addresses_line(&self) -> String {
        let mut groups: Vec<(String, Vec<String>)> = Vec::new();
        for scheme in &self.schemes {
            let extent = self.facts_of(scheme).footprint_bytes;
            let pages = u64::from(scheme.plan.logical_pages);
            let exported = pages * u64::from(self.geometry.page_bytes());
            let text = format!(
                "{} of {} ({:.1} %)",
                units::bytes(extent),
                units::bytes(exported),
                extent as f64 / exported as f64 * 100.0
            );
            let label = format!("`{}`", scheme.label);
            match groups.iter_mut().find(|(known, _)| *known == text) {
                Some((_, labels)) => labels.push(label),
                None => groups.push((text, vec![label])),
            }
        }
        match &groups[..] {
            [(text, _)] => text.clone(),
            _ => {
                let line = |(text, labels): &(String, Vec<String>)| {
                    format!("{}: {text}", labels.join(", "))
                };
                groups.iter().map(line).collect::<Vec<_>>().join("; ")
            }
        }
    }

    fn precondition_line(&self) -> String {
        let precondition = &self.experiment.precondition.0;
        let fill = match precondition.fill {
            Fill::Full => "sequential fill of the whole logical space",
            Fill::Footprint => "sequential fill of the logical space that the workload may address",
            Fill::None => "none: a fresh device",
        };
        let mut line = match precondition.age {
            0.0 => fill.to_string(),
            age if precondition.sequential == 0.0 => {
                format!("{fill}, then random overwrites of {age} × as many pages")
            }
            age => format!(
                "{fill}, then overwrites of {age} × as many pages, {} % of them sequential, the others random",
                precondition.sequential * 100.0
            ),
        };
        if precondition.workload > 0.0 {
            line += &format!(
                ", then the workload with {} × as many page writes as it can address pages",
                precondition.workload
            );
        }
        if precondition.steady {
            line += ", then the workload until write amplification has settled";
        }
        if precondition.collecting {
            line += ", then the workload until the scheme's first collection";
        }
        line
    }
}

/// Replaces the long list of units that a header may name.
fn short_units(all: &str) -> &str {
    if all.contains("header") { "units in the header" } else { all }
}

/// The time of every page, or the range of the times by page.
fn by_page(times: &PageTimes, alike: Ns) -> String {
    let time = |ns: Ns| units::time(ns as f64);
    match times.as_slice().iter().min() {
        Some(least) if *least < alike => format!("{} to {}", time(*least), time(alike)),
        _ => time(alike),
    }
}

fn records_line(trace: &TraceFacts) -> String {
    let counts = &trace.counts;
    let mut line = format!(
        "{} ({}; {}): {} read, {} kept",
        trace.format,
        trace.recognised_by,
        short_units(&trace.units),
        units::grouped(counts.read),
        units::grouped(counts.kept)
    );
    for (reason, count) in &counts.dropped {
        line.push_str(&format!(", {} dropped: {reason}", units::grouped(*count)));
    }
    line
}
