//! The log of a control unit as text: one line per event, in the order of the sequence chart.
//!
//! Times count from the first message. An arrow shows a message between master and slave (Fig. 9 of Jeong and Song).
//! REQ and GRANT belong to the arbiter, R/B# to the device.

use crate::ddt::control::{Cycles, Event, EventKind, Job, PagePosition};
use lab::report::units::grouped;
use std::fmt::Write;

/// Selects the events to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Messages only.
    Messages,
    /// Messages, bus requests and grants, ready and busy.
    #[default]
    All,
}

/// Renders the log as text: a header, then one line per event.
pub fn render(log: &[Event], detail: Detail) -> String {
    let mut text = format!("{:>14}  {:<9}    {:<9}  {:<14}  what\n", "ns", "from", "to", "event");
    for event in log {
        if detail == Detail::All || matches!(event.kind, EventKind::Message { .. }) {
            line(&mut text, event);
        }
    }
    text
}

fn line(text: &mut String, event: &Event) {
    let at = grouped(event.at_ns);
    let (from, arrow, to, name, what) = match event.kind {
        EventKind::Message { message, from, to, place } => {
            let about = if message.about_operation() {
                format!("operation {}", place.operation)
            } else {
                page(place)
            };
            (from.to_string(), "→", to.to_string(), message.name(), about)
        }
        EventKind::Request { way, job, cycles } => {
            (format!("W{way}"), "→", "arbiter".into(), "REQ", of_job(cycles, job))
        }
        EventKind::Grant { way, job, cycles, asked_ns, end_ns, listens } => {
            let waited = event.at_ns - asked_ns;
            let waited =
                if waited > 0 { format!(", waited {} ns", grouped(waited)) } else { String::new() };
            let role = if listens { ", listens" } else { "" };
            let what = format!("{}, to {}{waited}{role}", of_job(cycles, job), grouped(end_ns));
            ("arbiter".into(), "→", format!("W{way}"), "GRANT", what)
        }
        EventKind::Busy { way } => {
            (format!("W{way}"), " ", String::new(), "R/B# low", "busy".into())
        }
        EventKind::Ready { way } => {
            (format!("W{way}"), " ", String::new(), "R/B# high", "ready".into())
        }
        EventKind::Checked { place, wrong_bytes } => {
            let what = match wrong_bytes {
                0 => format!("{}, no error", page(place)),
                1 => format!("{}, 1 byte wrong", page(place)),
                n => format!("{}, {n} bytes wrong", page(place)),
            };
            ("ECC".into(), "→", "DDT-M".into(), "checked", what)
        }
        EventKind::Done { way, tag } => {
            (format!("W{way}"), " ", String::new(), "done", format!("request {tag}"))
        }
    };
    let line = format!("{at:>14}  {from:<9} {arrow}  {to:<9}  {name:<14}  {what}");
    let _ = writeln!(text, "{}", line.trim_end());
}

fn page(place: PagePosition) -> String {
    format!("operation {}, plane {}", place.operation, place.plane)
}

fn of_job(cycles: Cycles, job: Job) -> String {
    let name = match cycles {
        Cycles::Confirm { cached: true } => "confirm (15h)".into(),
        Cycles::Confirm { cached: false } => "confirm (10h)".into(),
        Cycles::Corrections { bytes: 1 } => "1 corrected byte".into(),
        Cycles::Corrections { bytes } => format!("{bytes} corrected bytes"),
        Cycles::Direct { choose: true } => "choice of plane, direct transfer".into(),
        other => other.name().to_owned(),
    };
    match job {
        Job::Copy(_) => name,
        Job::Background(tag) => format!("{name} of request {tag}"),
    }
}
