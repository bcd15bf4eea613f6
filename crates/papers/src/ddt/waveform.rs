//! The signals of a channel as a Value Change Dump (IEEE 1364-2005, §18), for any waveform viewer.
//!
//! | wire | width | content |
//! | --- | --- | --- |
//! | `W0_CE_n`, `W0_RE_n`, `W0_WE_n`, `W0_RB_n` and the same of the other way | 1 | CE#, RE#, WE#, R/B# of a device |
//! | `CLE`, `ALE` | 1 | shared |
//! | `IO` | 8 | shared: a byte, `x` if undefined, `z` if undriven |
//! | `left_out` | 1 | 1 where data cycles are omitted ([`Drawing::data_cycles`](crate::ddt::control::Drawing)) |
//!
//! Times are in ns since the first message.

use crate::ddt::control::{Change, Level, Signal, Waveform};
use std::collections::BTreeMap;
use std::io::{self, Write};
use vcd::{IdCode, TimescaleUnit, Value, Writer};

/// Writes a waveform; `comment` goes into the header to describe it.
///
/// # Errors
/// A write error of `out`.
pub fn write_vcd(waveform: &Waveform, comment: &str, out: impl Write) -> io::Result<()> {
    let mut writer = Writer::new(out);
    // The text must not contain the end mark of a comment.
    writer.comment(&comment.replace("$end", "$ end"))?;
    writer.timescale(1, TimescaleUnit::NS)?;
    writer.add_module("channel")?;
    let mut codes: BTreeMap<Signal, IdCode> = BTreeMap::new();
    for signal in signals(waveform) {
        let width = if signal == Signal::Io { 8 } else { 1 };
        codes.insert(signal, writer.add_wire(width, &name(signal))?);
    }
    let left_out = writer.add_wire(1, "left_out")?;
    writer.upscope()?;
    writer.enddefinitions()?;

    let marks = waveform.left_out.iter().flat_map(|&(from, to)| [(from, true), (to, false)]);
    let mut marks = [(0, false)].into_iter().chain(marks).peekable();
    let mut time = None;
    let mut changes = waveform.changes.iter().peekable();
    loop {
        let next = (changes.peek().map(|change| change.at_ns), marks.peek().map(|mark| mark.0));
        let at = match next {
            (Some(change), Some(mark)) => change.min(mark),
            (Some(at), None) | (None, Some(at)) => at,
            (None, None) => break,
        };
        if time != Some(at) {
            writer.timestamp(at)?;
            time = Some(at);
        }
        while let Some((_, on)) = marks.next_if(|mark| mark.0 == at) {
            writer.change_scalar(left_out, on)?;
        }
        while let Some(change) = changes.next_if(|change| change.at_ns == at) {
            write_change(&mut writer, codes[&change.signal], change)?;
        }
    }
    if time.is_none_or(|time| time < waveform.end_ns) {
        writer.timestamp(waveform.end_ns)?;
    }
    writer.flush()
}

/// Signals of a waveform; those of the source come first.
pub fn signals(waveform: &Waveform) -> Vec<Signal> {
    let of_way = |way| [Signal::Ce(way), Signal::Re(way), Signal::We(way), Signal::Rb(way)];
    let ways = [waveform.source, waveform.destination].into_iter().flat_map(of_way);
    ways.chain([Signal::Cle, Signal::Ale, Signal::Io]).collect()
}

/// Wire name of a signal.
pub fn name(signal: Signal) -> String {
    match signal {
        Signal::Ce(way) => format!("W{way}_CE_n"),
        Signal::Re(way) => format!("W{way}_RE_n"),
        Signal::We(way) => format!("W{way}_WE_n"),
        Signal::Rb(way) => format!("W{way}_RB_n"),
        Signal::Cle => "CLE".into(),
        Signal::Ale => "ALE".into(),
        Signal::Io => "IO".into(),
    }
}

fn write_change(writer: &mut Writer<impl Write>, code: IdCode, change: &Change) -> io::Result<()> {
    if change.signal != Signal::Io {
        return writer.change_scalar(code, scalar(change.level));
    }
    let bits: Vec<Value> = match change.level {
        Level::Byte(byte) => (0..8).rev().map(|bit| (byte >> bit & 1 == 1).into()).collect(),
        level => vec![scalar(level); 8],
    };
    writer.change_vector(code, bits)
}

fn scalar(level: Level) -> Value {
    match level {
        Level::Low => Value::V0,
        Level::High => Value::V1,
        Level::Byte(_) | Level::Unknown => Value::X,
        Level::Floating => Value::Z,
    }
}
