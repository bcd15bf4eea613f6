//! Writers of formats, and the losses of each format.

use serde::Serialize;
use std::io::Write;

use crate::request::{Op, Request};

/// Writer of a format.
#[derive(Debug)]
pub struct Writing {
    /// Description of what the format can hold.
    pub holds: &'static str,
    /// The same as data, to count losses; `None` if nothing is ever lost.
    pub(crate) limits: Option<Limits>,
    pub(crate) start: fn() -> Box<dyn Writer>,
}

impl Writing {
    /// True if every field of every request survives.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.limits.is_none()
    }

    /// Losses of one request.
    pub(crate) fn losses(&self, r: &Request, arrivals: bool) -> impl Iterator<Item = Loss> + use<> {
        let when = |lost: bool, loss| lost.then_some(loss);
        let losses = self.limits.as_ref().map(|limits| {
            let response = match (r.response_ns, limits.response_tick_ns) {
                (None, _) => false,
                (Some(_), None) => true,
                // 0 ticks mean that the response was not measured.
                (Some(ns), Some(tick)) => !ns.is_multiple_of(tick) || ns == 0,
            };
            [
                when(!limits.ops.contains(&r.op), Loss::Operation),
                when(limits.sectors && !r.offset.is_multiple_of(512), Loss::OffsetWithinSector),
                when(!r.arrival_ns.is_multiple_of(limits.tick_ns), Loss::ArrivalPrecision),
                when(response, Loss::Response),
                when(r.fua, Loss::Fua),
                when(r.stream != 0, Loss::Stream),
                when(r.device > limits.last_device, Loss::Device),
                when(!arrivals, Loss::NoArrivals),
            ]
        });
        losses.into_iter().flatten().flatten()
    }
}

/// Limits of a format. No format with limits holds the force-unit-access flag or a placement stream.
#[derive(Debug)]
pub(crate) struct Limits {
    pub(crate) ops: &'static [Op],
    pub(crate) sectors: bool,
    /// Unit of arrivals.
    pub(crate) tick_ns: u64,
    /// Unit of responses; `None` if there is no field for them.
    pub(crate) response_tick_ns: Option<u64>,
    pub(crate) last_device: u32,
}

/// Information that a target format cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// The operation does not exist in the target. The request is left out.
    Operation,
    /// The offset within a sector.
    OffsetWithinSector,
    /// The part of the arrival below the target's time unit.
    ArrivalPrecision,
    /// The measured response, or its part below the target's unit.
    Response,
    /// The force-unit-access flag.
    Fua,
    /// The placement stream.
    Stream,
    /// More devices than the target has numbers. The request is left out.
    Device,
    /// The absence of arrival times: the target stores one per request, here 0.
    NoArrivals,
}

impl Loss {
    /// Description of the loss.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Operation => "requests of operations that the format has not (left out)",
            Self::OffsetWithinSector => "offsets within a sector (cut to the sector)",
            Self::ArrivalPrecision => "arrival times finer than the format's unit (cut)",
            Self::Response => "measured responses",
            Self::Fua => "force-unit-access flags",
            Self::Stream => "placement streams",
            Self::Device => "requests of more devices than the format has numbers (left out)",
            Self::NoArrivals => "the lack of arrival times (all become 0)",
        }
    }

    /// True if the source does not have what the target would hold: nothing of the source is lost.
    #[must_use]
    pub fn is_of_source(self) -> bool {
        self == Self::NoArrivals
    }

    pub(crate) fn leaves_out(self) -> bool {
        matches!(self, Self::Operation | Self::Device)
    }
}

/// Converts requests to the text of a format.
pub(crate) trait Writer {
    /// Writes the text before the first request.
    fn begin(&mut self, _text: &mut Vec<u8>, _arrivals: bool) {}

    /// Writes one request with the name of its device.
    fn add(&mut self, text: &mut Vec<u8>, r: &Request, name: &dyn Fn(u32) -> String);

    /// Writes the text after the last request.
    fn end(&mut self, _text: &mut Vec<u8>) {}
}

/// A writer with one independent line per request.
pub(crate) struct EachLine(pub(crate) fn(&mut Vec<u8>, &Request));

impl Writer for EachLine {
    fn add(&mut self, text: &mut Vec<u8>, r: &Request, _: &dyn Fn(u32) -> String) {
        (self.0)(text, r);
    }
}

pub(crate) fn line(text: &mut Vec<u8>, line: std::fmt::Arguments<'_>) {
    // Writing to a Vec cannot fail.
    let _ = writeln!(text, "{line}");
}
