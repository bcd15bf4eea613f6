//! Draws the log of a transaction as the signals of the channel.
//!
//! A write cycle ends when WE# goes high. tADL, tWB and tCCS count from that edge, so they match the log. The levels
//! of a write cycle are held for tDH, tCLH, tALH beyond its end. A read cycle begins when RE# goes low.

use super::cycles::Cycles;
use super::event::{Event, EventKind, Job};
use super::message::PagePosition;
use super::signals::{Change, Level, Pen, Signal};
use super::transaction::Transaction;
use flash::Ns;
use flash::channels::Timing;
use flash::pins::{Interface, PinTiming};
use flash::pins::{Refusal, Windows, windows};

/// Drawing parameters that the log does not contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// Pin timing of the source device.
    pub source: PinTiming,
    /// Pin timing of the destination device.
    pub destination: PinTiming,
    /// Row address of the first page read; each further operation reads the next row.
    pub source_row: u32,
    /// Row address of the first page programmed; each further operation programs the next row.
    pub destination_row: u32,
    /// Row address distance between adjacent planes, for both devices.
    pub plane_rows: u32,
    /// Number of data cycles drawn per transfer, half at its beginning and half at its end; `None`: all. In the gap
    /// RE# and WE# rest and the data lines are unknown.
    pub data_cycles: Option<u32>,
}

/// Signals over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waveform {
    /// Way of the source.
    pub source: u16,
    /// Way of the destination.
    pub destination: u16,
    /// Changes in order of time, then of signal; the first change of every signal is at 0.
    pub changes: Vec<Change>,
    /// Begin and end of each gap where data cycles are omitted.
    pub left_out: Vec<(Ns, Ns)>,
    /// Windows of one cycle of the direct transfers.
    pub windows: Windows,
    /// Time of the log's last event.
    pub end_ns: Ns,
}

/// Reasons why no waveform can be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaveformError {
    /// The destination cannot latch the source's data.
    #[error(transparent)]
    Windows(#[from] Refusal),
    /// The timing's tDL puts WE# outside the valid window.
    #[error("tDL is {found} ns, but data are latched in time with {least} to {most} ns alone")]
    Skew {
        /// tDL of the timing.
        found: Ns,
        /// Minimum tDL.
        least: Ns,
        /// Maximum tDL.
        most: Ns,
    },
    /// A cycle is shorter than the pins allow.
    #[error(
        "a {kind} cycle of {found} ns is too short for the pins of way {way}, which need {least} ns"
    )]
    Cycle {
        /// `read` or `write`.
        kind: &'static str,
        /// The way.
        way: u16,
        /// tRC or tWC of the timing.
        found: Ns,
        /// Minimum cycle.
        least: Ns,
    },
    /// The log has cycles of other ways.
    #[error(
        "the log has a {0} that is not of the transaction: only source and destination can be drawn"
    )]
    OtherWay(&'static str),
}

/// Byte at a column of a row in every drawing: arbitrary, but equal on both sides.
pub(super) fn data_byte(row: u32, column: u32) -> u8 {
    let mixed =
        (row.wrapping_mul(0x9E37_79B1) ^ column.wrapping_mul(0x85EB_CA6B)).wrapping_add(0x5A);
    (mixed ^ (mixed >> 15) ^ (mixed >> 7)) as u8
}

impl Waveform {
    /// Draws the log of a transaction.
    ///
    /// # Errors
    /// See [`WaveformError`].
    pub fn of(
        log: &[Event],
        timing: &Timing,
        transaction: &Transaction<'_>,
        drawing: &Drawing,
    ) -> Result<Self, WaveformError> {
        let windows = check(timing, transaction, drawing)?;
        let mut draft = Draft {
            timing,
            transaction,
            drawing,
            windows,
            pen: Pen::default(),
            left_out: Vec::new(),
            enabled: Vec::new(),
        };
        draft.rest();
        for event in log {
            draft.event(event)?;
        }
        draft.enable();
        Ok(Self {
            source: transaction.source,
            destination: transaction.destination,
            changes: draft.pen.finish(),
            left_out: draft.left_out,
            windows,
            end_ns: log.last().map_or(0, |event| event.at_ns),
        })
    }

    /// Correct byte of the destination's register at `column`, for the page at row address `row` of the source.
    pub fn byte_at(row: u32, column: u32) -> u8 {
        data_byte(row, column)
    }

    /// Columns of a page's bytes in error, spread evenly over the page.
    pub fn wrong_columns(wrong_bytes: u32, transfer_bytes: u32) -> impl Iterator<Item = u32> {
        let column =
            move |n| (u64::from(n) * u64::from(transfer_bytes) / u64::from(wrong_bytes)) as u32;
        (0..wrong_bytes).map(column)
    }
}

/// Checks that the signals of a transaction can be drawn.
fn check(
    timing: &Timing,
    transaction: &Transaction<'_>,
    drawing: &Drawing,
) -> Result<Windows, WaveformError> {
    let of = |pins| Interface { pins, t_rc_ns: timing.t_rwc_ns(), t_wc_ns: timing.t_wc_ns };
    for (way, pins) in
        [(transaction.source, drawing.source), (transaction.destination, drawing.destination)]
    {
        for (kind, found, least) in [
            ("write", timing.t_wc_ns, pins.least_write_cycle_ns()),
            ("read", timing.t_rc_ns, pins.least_read_cycle_ns()),
        ] {
            if found < least {
                return Err(WaveformError::Cycle { kind, way, found, least });
            }
        }
    }
    let found = windows(&of(drawing.source), &of(drawing.destination));
    if let Some(refusal) = found.refusal {
        return Err(refusal.into());
    }
    let (least, found_skew) = (found.asked.t_dl_ns, timing.t_dl_ns);
    let most = found.asked.longest_skew_ns().unwrap_or(least);
    if !(least..=most).contains(&found_skew) {
        return Err(WaveformError::Skew { found: found_skew, least, most });
    }
    Ok(Windows { t_dl_ns: found_skew, ..found.asked })
}

/// Kind of a write cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Latch {
    Command,
    Address,
    Data,
}

struct Draft<'a> {
    timing: &'a Timing,
    transaction: &'a Transaction<'a>,
    drawing: &'a Drawing,
    windows: Windows,
    pen: Pen,
    left_out: Vec<(Ns, Ns)>,
    /// Intervals in which a way needs CE# low: way, begin, end.
    enabled: Vec<(u16, Ns, Ns)>,
}

impl Draft<'_> {
    /// Sets every signal to its idle level.
    fn rest(&mut self) {
        for way in [self.transaction.source, self.transaction.destination] {
            for signal in [Signal::Ce(way), Signal::Re(way), Signal::We(way), Signal::Rb(way)] {
                self.pen.set(0, signal, Level::High);
            }
        }
        self.pen.set(0, Signal::Cle, Level::Low);
        self.pen.set(0, Signal::Ale, Level::Low);
        self.pen.set(0, Signal::Io, Level::Floating);
    }

    fn event(&mut self, event: &Event) -> Result<(), WaveformError> {
        match event.kind {
            EventKind::Busy { way } if self.takes_part(way) => {
                self.pen.set(event.at_ns, Signal::Rb(way), Level::Low);
            }
            EventKind::Ready { way } if self.takes_part(way) => {
                self.pen.set(event.at_ns, Signal::Rb(way), Level::High);
            }
            EventKind::Grant { job: Job::Background(_), cycles, .. } => {
                return Err(WaveformError::OtherWay(cycles.name()));
            }
            EventKind::Grant { way, job: Job::Copy(place), cycles, end_ns, listens, .. } => {
                self.select(way, cycles, event.at_ns, end_ns);
                if !listens {
                    self.tenure(way, place, cycles, event.at_ns)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn takes_part(&self, way: u16) -> bool {
        way == self.transaction.source || way == self.transaction.destination
    }

    fn pins(&self, way: u16) -> &PinTiming {
        if way == self.transaction.source {
            &self.drawing.source
        } else {
            &self.drawing.destination
        }
    }

    fn row(&self, way: u16, place: PagePosition) -> u32 {
        let first = if way == self.transaction.source {
            self.drawing.source_row
        } else {
            self.drawing.destination_row
        };
        let plane = u32::from(place.plane).wrapping_mul(self.drawing.plane_rows);
        first.wrapping_add(place.operation).wrapping_add(plane)
    }

    /// Selects a device for a tenure. For data out, CE# goes low early enough that tREA determines the access time,
    /// not tCEA.
    fn select(&mut self, way: u16, cycles: Cycles, begin_ns: Ns, end_ns: Ns) {
        let pins = self.pins(way);
        let early = match cycles {
            Cycles::Direct { .. } => pins.t_cea_ns.saturating_sub(pins.t_rea_ns),
            _ => 0,
        };
        self.enabled.push((way, begin_ns.saturating_sub(early), end_ns + pins.t_ch_ns));
    }

    /// Draws CE#: low while any tenure of the way needs it.
    fn enable(&mut self) {
        let mut tenures = std::mem::take(&mut self.enabled);
        tenures.sort_unstable();
        let mut tenures = tenures.into_iter().peekable();
        while let Some((way, begin_ns, mut end_ns)) = tenures.next() {
            while let Some((_, _, end)) = tenures.next_if(|next| next.0 == way && next.1 <= end_ns)
            {
                end_ns = end_ns.max(end);
            }
            self.pen.pulse(begin_ns, end_ns, Signal::Ce(way));
        }
    }

    /// Draws the cycles of a tenure.
    fn tenure(
        &mut self,
        way: u16,
        place: PagePosition,
        cycles: Cycles,
        at_ns: Ns,
    ) -> Result<(), WaveformError> {
        let row = self.row(way, place);
        match cycles {
            Cycles::Read { last } => {
                let after = self.page_command(way, 0x00, row, at_ns);
                self.write(way, Latch::Command, if last { 0x30 } else { 0x32 }, after);
            }
            Cycles::ProgramAddress => {
                self.page_command(way, 0x80, row, at_ns);
            }
            Cycles::NextPlane => {
                self.write(way, Latch::Command, 0x11, at_ns);
            }
            Cycles::Confirm { cached } => {
                self.write(way, Latch::Command, if cached { 0x15 } else { 0x10 }, at_ns);
            }
            Cycles::Corrections { bytes } => self.corrections(place, bytes, at_ns),
            Cycles::Direct { choose } => {
                let mut begin_ns = at_ns;
                if choose {
                    let after = self.page_command(way, 0x06, row, at_ns);
                    let after = self.write(way, Latch::Command, 0xE0, after);
                    begin_ns = after + self.timing.t_ccs_ns;
                }
                self.transfer(place, row, begin_ns);
            }
            Cycles::Status => {
                let after = self.write(way, Latch::Command, 0x70, at_ns);
                self.status(way, after + self.timing.t_whr_ns);
            }
            Cycles::DataOut | Cycles::Program | Cycles::Erase => {
                return Err(WaveformError::OtherWay(cycles.name()));
            }
        }
        Ok(())
    }

    /// Draws a command and a full address; returns their end.
    fn page_command(&mut self, way: u16, command: u8, row: u32, at_ns: Ns) -> Ns {
        let after = self.write(way, Latch::Command, command, at_ns);
        let after = self.address(way, 0, self.timing.column_cycles, after);
        self.address(way, row, self.timing.row_cycles, after)
    }

    /// Draws address cycles, lowest byte first; returns their end.
    fn address(&mut self, way: u16, address: u32, cycles: u32, at_ns: Ns) -> Ns {
        (0..cycles).fold(at_ns, |at_ns, cycle| {
            let byte = address.checked_shr(8 * cycle).unwrap_or(0) as u8;
            self.write(way, Latch::Address, byte, at_ns)
        })
    }

    /// Draws a write cycle; returns its end.
    fn write(&mut self, way: u16, latch: Latch, byte: u8, at_ns: Ns) -> Ns {
        let pins = *self.pins(way);
        let (hold, end_ns) = (pins.hold_ns(), at_ns + self.timing.t_wc_ns);
        self.pen.pulse(end_ns - pins.t_wp_ns, end_ns, Signal::We(way));
        let enable = match latch {
            Latch::Command => Some(Signal::Cle),
            Latch::Address => Some(Signal::Ale),
            Latch::Data => None,
        };
        if let Some(signal) = enable {
            self.pen.set(at_ns + hold, signal, Level::High);
            self.pen.set(end_ns + hold, signal, Level::Low);
        }
        self.pen.set(at_ns + hold, Signal::Io, Level::Byte(byte));
        self.pen.set(end_ns + hold, Signal::Io, Level::Floating);
        end_ns
    }

    /// Draws a status byte: ready, not write-protected, no failure.
    fn status(&mut self, way: u16, at_ns: Ns) {
        let pins = *self.pins(way);
        let high_ns = at_ns + self.timing.t_rc_ns - pins.t_reh_ns;
        self.pen.pulse(at_ns, high_ns, Signal::Re(way));
        self.pen.set(at_ns, Signal::Io, Level::Unknown);
        self.pen.set(at_ns + pins.t_rea_ns, Signal::Io, Level::Byte(0xE0));
        self.pen.set(high_ns + pins.t_rhoh_ns, Signal::Io, Level::Floating);
    }

    /// Draws the corrected bytes: a column change and a byte for each.
    fn corrections(&mut self, place: PagePosition, bytes: u32, at_ns: Ns) {
        let way = self.transaction.destination;
        let row = self.row(self.transaction.source, place);
        let mut at_ns = at_ns;
        for column in Waveform::wrong_columns(bytes, self.timing.transfer_bytes) {
            at_ns = self.write(way, Latch::Command, 0x85, at_ns);
            at_ns = self.address(way, column, self.timing.column_cycles, at_ns);
            let byte = data_byte(row, column);
            at_ns = self.write(way, Latch::Data, byte, at_ns + self.timing.t_ccs_ns);
        }
    }

    /// Draws the data of a direct transfer, with one bit flipped in each byte in error.
    fn transfer(&mut self, place: PagePosition, row: u32, at_ns: Ns) {
        let bytes = self.timing.transfer_bytes;
        let drawn = self.drawing.data_cycles.unwrap_or(bytes).min(bytes);
        let (first, last) = (drawn.div_ceil(2), bytes - drawn / 2);
        let (from, to) = (self.transaction.source, self.transaction.destination);
        let wrong_bytes = self.transaction.wrong(place);
        let mut wrong = Waveform::wrong_columns(wrong_bytes, bytes).peekable();
        let w = self.windows;
        let cycle = |column: u32| at_ns + Ns::from(column) * w.t_rwc_ns;
        if first < last {
            self.left_out.push((cycle(first), cycle(last)));
        }
        for column in (0..bytes).filter(|column| *column < first || *column >= last) {
            while wrong.next_if(|wrong| *wrong < column).is_some() {}
            let is_wrong = wrong.peek() == Some(&column);
            let byte = data_byte(row, column) ^ if is_wrong { 1 << (column % 8) } else { 0 };
            let begin_ns = cycle(column);
            self.pen.pulse(begin_ns, begin_ns + w.re_low_ns, Signal::Re(from));
            let low_ns = begin_ns + w.t_dl_ns;
            self.pen.pulse(low_ns, low_ns + w.we_low_ns, Signal::We(to));
            if column == 0 || (column == last && first < last) {
                self.pen.set(begin_ns, Signal::Io, Level::Unknown);
            }
            self.pen.set(begin_ns + w.valid_from_ns, Signal::Io, Level::Byte(byte));
            let after = if column + 1 == bytes { Level::Floating } else { Level::Unknown };
            self.pen.set(begin_ns + w.valid_until_ns, Signal::Io, after);
        }
    }
}
