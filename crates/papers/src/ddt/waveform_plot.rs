//! Plot of the signals of one page's direct transfer. Its panels: the commands, the begin of the transfer with its
//! windows, the end of the transfer with corrected bytes and confirm command. Extends Fig. 10 of Jeong and Song.

use crate::ddt::control::{Cycles, Event, EventKind, Job, Level, PagePosition, Signal, Waveform};
use crate::ddt::timing_diagram::{Panel, Row, Shape, Span, TimingDiagram};
use crate::ddt::waveform::signals;
use flash::Ns;
use lab::report::plots::PlotError;

/// Data cycles shown at the begin and at the end of the transfer.
const FIRST: Ns = 4;
const LAST: Ns = 2;
/// Maximum corrected bytes shown.
const CORRECTED: Ns = 2;
/// Palette colours of source, destination and windows.
const SOURCE: usize = 0;
const DESTINATION: usize = 1;
const WINDOW: usize = 2;

/// Plots the first page of a log as SVG text under the heading `title`. The waveform must include all data cycles
/// that the plot shows; 8 suffice.
///
/// # Errors
/// The log has no direct transfer, or the drawing library fails.
pub fn svg(waveform: &Waveform, log: &[Event], title: &str) -> Result<String, PlotError> {
    let tenure = |wanted: fn(Cycles) -> bool| {
        log.iter().find_map(|event| match event.kind {
            EventKind::Grant { job: Job::Copy(place), cycles, end_ns, listens: false, .. }
                if place == PagePosition::default() && wanted(cycles) =>
            {
                Some((event.at_ns, end_ns, cycles))
            }
            _ => None,
        })
    };
    let missing = || PlotError::missing("a direct transfer of its first page");
    let address = tenure(|c| matches!(c, Cycles::ProgramAddress)).ok_or_else(missing)?;
    let transfer = tenure(|c| matches!(c, Cycles::Direct { .. })).ok_or_else(missing)?;
    let corrections = tenure(|c| matches!(c, Cycles::Corrections { .. }));
    let confirm = tenure(|c| matches!(c, Cycles::Confirm { .. } | Cycles::NextPlane));
    let read = tenure(|c| matches!(c, Cycles::Read { .. })).ok_or_else(missing)?;
    let busy = log.iter().find(|event| matches!(event.kind, EventKind::Busy { .. }));
    let t_wb_ns = busy.map_or(0, |busy| busy.at_ns.saturating_sub(read.1));
    let mut panels = commands(waveform, (address.0, address.1), read.1, t_wb_ns);
    panels.push(begin(waveform, transfer.0));
    panels.extend(end(waveform, transfer.1, corrections, confirm.map(|c| (c.0, c.1)), t_wb_ns));
    TimingDiagram { title: title.to_owned(), panels }.svg()
}

/// Panels of the read and program commands: one panel if the program command overlaps the read, otherwise two.
fn commands(waveform: &Waveform, address: (Ns, Ns), read_ns: Ns, t_wb_ns: Ns) -> Vec<Panel> {
    let (busy_ns, after) = (read_ns + t_wb_ns, address.1 + 20);
    let read = "Read command of the source (00h, address, 30h), its R/B# after tWB";
    let program = "program command of the destination (80h, address, tADL)";
    if address.0 < busy_ns + 1_000 {
        let title = format!("{read}; {program}");
        return vec![busy_after(
            panel(waveform, title, (0, after), 50),
            waveform.source,
            (read_ns, busy_ns),
        )];
    }
    let first = panel(waveform, read.into(), (0, busy_ns + 60), 50);
    let from = address.0.saturating_sub(40);
    vec![
        busy_after(first, waveform.source, (read_ns, busy_ns)),
        panel(waveform, format!("The {program}"), (from, after), 50),
    ]
}

/// Marks tWB of a way.
fn busy_after(mut panel: Panel, way: u16, of: (Ns, Ns)) -> Panel {
    let name = label(Signal::We(way));
    let top_row = panel.rows.iter().position(|row| row.name == name).unwrap_or(0);
    let (label, color) = (format!("tWB {}", of.1 - of.0), panel.rows[top_row].color);
    panel.spans.push(Span { of, label, lane: 0, color, top_row });
    panel
}

/// Panel of the first data cycles, with the windows of the second.
fn begin(waveform: &Waveform, begin_ns: Ns) -> Panel {
    let w = &waveform.windows;
    let (cycle, t_rwc) = (begin_ns + w.t_rwc_ns, w.t_rwc_ns);
    let until = begin_ns + FIRST * t_rwc + w.t_dl_ns;
    let title = format!(
        "Begin of the direct transfer: WE# of the destination is tDL = {} ns behind RE# of the source",
        w.t_dl_ns
    );
    let mut panel = panel(waveform, title, (begin_ns.saturating_sub(t_rwc), until), t_rwc);
    let rows = signals(waveform);
    let row = |wanted: Signal| rows.iter().position(|signal| *signal == wanted).unwrap_or(0);
    let (re, we, io) =
        (row(Signal::Re(waveform.source)), row(Signal::We(waveform.destination)), row(Signal::Io));
    let latch = cycle + w.latch_ns();
    let valid = (cycle + w.valid_from_ns, cycle + w.valid_until_ns);
    let mut span = |lane, of, label: String, color, top_row| {
        panel.spans.push(Span { of, label, lane, color: Some(color), top_row });
    };
    let dl = cycle + w.t_dl_ns;
    span(0, (cycle, cycle + t_rwc), format!("tRWC {t_rwc}"), SOURCE, re);
    span(1, (cycle, valid.0), format!("tREA {}", w.valid_from_ns), SOURCE, re);
    span(1, valid, format!("DVW {}", w.dvw_ns()), WINDOW, io);
    span(2, (cycle, dl), format!("tDL {}", w.t_dl_ns), DESTINATION, re);
    span(2, (dl, latch), format!("tWP {}", w.we_low_ns), DESTINATION, we);
    let drw = format!("DRW {} = tDS {} + tDH {}", w.drw_ns(), w.t_ds_ns, w.t_dh_ns);
    span(3, (latch - w.t_ds_ns, latch + w.t_dh_ns), drw, DESTINATION, io);
    panel
}

/// Panels of the last data cycles, the corrected bytes and the confirm command.
fn end(
    waveform: &Waveform,
    end_ns: Ns,
    corrections: Option<(Ns, Ns, Cycles)>,
    confirm: Option<(Ns, Ns)>,
    t_wb_ns: Ns,
) -> Vec<Panel> {
    let w = &waveform.windows;
    let from = end_ns.saturating_sub(LAST * w.t_rwc_ns + w.t_dl_ns);
    let after = |confirm: (Ns, Ns)| confirm.1 + t_wb_ns + 2 * w.t_rwc_ns;
    let (shown, all) = match corrections {
        Some((from, to, Cycles::Corrections { bytes })) if Ns::from(bytes) > CORRECTED => {
            (from + (to - from) / Ns::from(bytes) * CORRECTED, false)
        }
        Some((_, to, _)) => (to, true),
        None => (end_ns, true),
    };
    let corrected = "corrected bytes (85h, column, tCCS, byte)";
    let confirmed = "confirm command, R/B# of the destination after tWB";
    match confirm {
        Some(confirm) if all && confirm.0 < shown + 1_000 => {
            let what = if corrections.is_some() { format!("{corrected}; ") } else { String::new() };
            let title = format!("End of the direct transfer; {what}{confirmed}");
            let busy = (confirm.1, confirm.1 + t_wb_ns);
            let only = panel(waveform, title, (from, after(confirm)), 50);
            vec![busy_after(only, waveform.destination, busy)]
        }
        _ => {
            let title = format!("End of the direct transfer; the first {corrected}");
            let first = panel(waveform, title, (from, shown + 20), 50);
            let last = confirm.map(|confirm| {
                let from = confirm.0.saturating_sub(4 * w.t_rwc_ns);
                let of = (from, after(confirm));
                let last = panel(waveform, format!("The {confirmed}"), of, 50);
                busy_after(last, waveform.destination, (confirm.1, confirm.1 + t_wb_ns))
            });
            [Some(first), last].into_iter().flatten().collect()
        }
    }
}

fn panel(waveform: &Waveform, title: String, of: (Ns, Ns), tick: Ns) -> Panel {
    let rows = signals(waveform).into_iter().map(|signal| row(waveform, signal, of)).collect();
    Panel { title, of, tick, rows, spans: Vec::new() }
}

/// Row of a signal, limited to the panel's interval.
fn row(waveform: &Waveform, signal: Signal, (from, to): (Ns, Ns)) -> Row {
    let mut shapes: Vec<(Ns, Shape)> = Vec::new();
    for change in waveform.changes.iter().filter(|change| change.signal == signal) {
        if change.at_ns > to {
            break;
        }
        if change.at_ns <= from {
            shapes.clear();
        }
        let shape = match change.level {
            Level::Low => Shape::Low,
            Level::High => Shape::High,
            Level::Byte(byte) => Shape::Value(Some(format!("{byte:02X}"))),
            Level::Unknown => Shape::Value(None),
            Level::Floating => Shape::Floating,
        };
        shapes.push((change.at_ns, shape));
    }
    if signal == Signal::Io {
        shapes = apart(waveform, shapes, to);
    }
    let color = match signal {
        Signal::Ce(way) | Signal::Re(way) | Signal::We(way) | Signal::Rb(way) => {
            Some(if way == waveform.source { SOURCE } else { DESTINATION })
        }
        Signal::Cle | Signal::Ale | Signal::Io => None,
    };
    Row { name: label(signal), color, shapes }
}

/// Splits data bytes that several write cycles share. Equal successive bytes cause no change on the data lines, so
/// they are split at each rising edge of WE# (plus tDH).
fn apart(waveform: &Waveform, shapes: Vec<(Ns, Shape)>, to: Ns) -> Vec<(Ns, Shape)> {
    let latches = waveform.changes.iter().filter(|change| {
        matches!(change.signal, Signal::We(_)) && change.level == Level::High && change.at_ns > 0
    });
    let latches: Vec<Ns> = latches.map(|change| change.at_ns).collect();
    let mut all = Vec::with_capacity(shapes.len());
    for (n, (at, shape)) in shapes.iter().enumerate() {
        let until = shapes.get(n + 1).map_or(to, |next| next.0);
        all.push((*at, shape.clone()));
        if matches!(shape, Shape::Value(Some(_))) {
            let first = latches.partition_point(|latch| latch <= at);
            let last = latches.partition_point(|latch| *latch < until);
            let held = latches[first..last].iter().map(|latch| latch + waveform.windows.t_dh_ns);
            all.extend(held.take((last - first).saturating_sub(1)).map(|end| (end, shape.clone())));
        }
    }
    all
}

/// Data sheet name of a signal, prefixed with its way.
fn label(signal: Signal) -> String {
    match signal {
        Signal::Ce(way) => format!("W{way} CE#"),
        Signal::Re(way) => format!("W{way} RE#"),
        Signal::We(way) => format!("W{way} WE#"),
        Signal::Rb(way) => format!("W{way} R/B#"),
        Signal::Cle => "CLE".into(),
        Signal::Ale => "ALE".into(),
        Signal::Io => "I/O".into(),
    }
}
