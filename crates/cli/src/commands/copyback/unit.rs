//! The control unit: its messages, the signals of a transfer, and the check that data can be latched.

use super::bus::Bus;
use crate::commands::run::OutputArgs;
use crate::failure::Failure;
use crate::output::{self, micros, table};
use crate::result_file::{Content, ResultFile};
use bounds::copyback::CopyPath;
use clap::{Args, ValueEnum};
use flash::channels::{Addressing, Policy};
use flash::pins::{Interface, PinTiming, WindowCheck, windows};
use papers::ddt::control::{ControlUnit, Cost, Drawing, Event, Transaction, Waveform};
use papers::ddt::messages::{self, Detail};
use papers::ddt::{Way, channels_timing, in_mode, waveform};
use std::path::{Path, PathBuf};

/// Fewest data cycles per transfer: fewer show neither its begin nor its end whole.
const LEAST_CYCLES: u32 = 8;

#[derive(Debug, Args)]
#[command(next_help_heading = "Control unit: one direct transfer, of the first of --pages")]
pub(super) struct UnitArgs {
    /// Print the events of DDT master, slaves, arbiter and devices, one per line
    #[arg(long)]
    messages: bool,

    /// Print messages only, without bus and devices
    #[arg(long, requires = "messages")]
    messages_only: bool,

    /// Write the signals to a Value Change Dump (VCD)
    #[arg(long, value_name = "FILE")]
    waveform: Option<PathBuf>,

    /// Print for every timing mode whether the data valid window is long enough
    #[arg(long)]
    windows: bool,

    /// Data cycles written per transfer, or `all` [default: 16]
    #[arg(long, value_name = "N", value_parser = cycles)]
    data_cycles: Option<DataCycles>,

    /// Time at which the destination is addressed: on READ_START (Fig. 9) or on READ_END (Eqs 11 and 13)
    /// [default: read-start]
    #[arg(long, value_name = "WHEN", value_enum)]
    prog_init: Option<When>,
}

/// Number of cycles; `None`: all.
#[derive(Clone, Copy, Debug)]
struct DataCycles(Option<u32>);

fn cycles(text: &str) -> Result<DataCycles, String> {
    match text.parse() {
        _ if text == "all" => Ok(DataCycles(None)),
        Ok(cycles) if cycles >= LEAST_CYCLES => Ok(DataCycles(Some(cycles))),
        _ => Err(format!("give {LEAST_CYCLES} or more, or `all`")),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    ReadStart,
    ReadEnd,
}

impl UnitArgs {
    pub(super) fn asked(&self) -> bool {
        self.messages || self.waveform.is_some() || self.windows
    }

    /// Error message for options that have no effect together.
    pub(super) fn without_effect(&self, output: &OutputArgs) -> Option<&'static str> {
        if self.asked() && output.json {
            return Some("--json is for tables: messages, signals and windows are text and files");
        }
        if self.data_cycles.is_some() && self.waveform.is_none() {
            return Some("--data-cycles is for --waveform");
        }
        let runs = self.messages || self.waveform.is_some();
        (self.prog_init.is_some() && !runs)
            .then_some("--prog-init is for --messages and --waveform")
    }

    pub(super) fn run(
        &self,
        bus: &Bus,
        way: &Way,
        pages: Option<&u32>,
        output: &OutputArgs,
    ) -> Result<(), Failure> {
        if self.windows {
            output::text(&all_modes(bus)?)?;
        }
        if !self.messages && self.waveform.is_none() {
            return Ok(());
        }
        let pages = pages.copied().unwrap_or(2 * way.planes);
        let pins = Pins::of(bus)?;
        // Uses the skew that the windows require; the closed form rejects impossible transactions.
        let mut timings = bus.timings;
        timings.waits.t_dl_ns = pins.unit.timing.t_dl_ns;
        let printed_ns = way.closed_form(&timings)?.transaction_ns(pages)?;
        let wrong_bytes = vec![way.corrected_bytes; pages as usize];
        let transaction = self.transaction(way, bus, &wrong_bytes);
        let refusal = pins.refusal(&transaction)?;
        if let (Some((what, right)), true) = (&refusal, self.waveform.is_some()) {
            return Err(Failure::input_with_help(what, right));
        }
        let mut log: Vec<Event> = Vec::new();
        let outcome = pins.unit.run(&transaction, &[], &mut log).map_err(Failure::input)?;
        if self.messages {
            let detail = if self.messages_only { Detail::Messages } else { Detail::All };
            let total = micros(outcome.total_ns);
            // The order of messages does not depend on whether data can be latched.
            let warning = refusal
                .map_or_else(String::new, |(what, right)| format!("warning: {what}\n  {right}\n"));
            output::text(&format!(
                "{}{}{warning}\n{}\n{pages} pages in {total} µs; {} {} µs\n",
                bus.text(),
                pins.windows_text(),
                messages::render(&log, detail),
                if way.cache_program { "Eq. 13:" } else { "Eq. 11:" },
                micros(printed_ns),
            ))?;
        }
        match &self.waveform {
            None => Ok(()),
            Some(file) => self.write(file, &pins, &transaction, &log, &bus.part.name, output),
        }
    }

    fn transaction<'a>(&self, way: &Way, bus: &Bus, wrong_bytes: &'a [u32]) -> Transaction<'a> {
        Transaction {
            source: 0,
            destination: 1,
            planes: way.planes as u8,
            cache_program: way.cache_program,
            addressing: match self.prog_init {
                None | Some(When::ReadStart) => Addressing::DuringRead,
                Some(When::ReadEnd) => Addressing::AfterRead,
            },
            wrong_bytes,
            most_wrong_bytes: bus.timings.most_corrected_bytes(),
        }
    }

    fn write(
        &self,
        file: &Path,
        pins: &Pins,
        transaction: &Transaction<'_>,
        log: &[Event],
        part: &str,
        output: &OutputArgs,
    ) -> Result<(), Failure> {
        let drawing = Drawing {
            source: pins.pins,
            destination: pins.pins,
            source_row: 0,
            destination_row: 0x100,
            plane_rows: 0x1_0000,
            data_cycles: self.data_cycles.unwrap_or(DataCycles(Some(16))).0,
        };
        let file = ResultFile::new("--waveform", file, Content::SIGNALS)?;
        let waveform =
            Waveform::of(log, &pins.unit.timing, transaction, &drawing).map_err(Failure::input)?;
        let title = format!("Direct transfer, {part}: {} pages", transaction.wrong_bytes.len());
        file.write(|to| waveform::write_vcd(&waveform, &title, to))?;
        if !output.quiet {
            output::note(&format!("{} written", file.path().display()));
        }
        Ok(())
    }
}

/// A control unit between two devices of a part, with the check that data can be latched.
struct Pins {
    unit: ControlUnit,
    pins: PinTiming,
    check: WindowCheck,
}

impl Pins {
    fn of(bus: &Bus) -> Result<Self, Failure> {
        let timing = channels_timing(&bus.timings);
        let mut unit = ControlUnit { timing, ways: 2, policy: Policy::Fifo };
        let interface = Interface::of_timing(&timing, bus.mode).map_err(Failure::input)?;
        let check = windows(&interface, &interface);
        let (least, most) = (check.asked.t_dl_ns, check.asked.longest_skew_ns());
        let Some(most) = most.filter(|_| check.refusal.is_none()) else {
            return Ok(Self { unit, pins: interface.pins, check });
        };
        if !(least..=most).contains(&timing.t_dl_ns) {
            if bus.skew_given {
                return Err(Failure::input(format!(
                    "--t-dl must be {least} to {most} ns, so that WE# goes high while data are valid, not {}",
                    timing.t_dl_ns
                )));
            }
            unit.timing.t_dl_ns = least;
        }
        Ok(Self { unit, pins: interface.pins, check })
    }

    /// The reason why data cannot be latched, and a cycle that works.
    fn refusal(&self, transaction: &Transaction<'_>) -> Result<Option<(String, String)>, Failure> {
        let Some(refusal) = self.check.refusal else { return Ok(None) };
        let cycle = self.check.asked.t_rwc_ns;
        let what = format!("direct transfers cannot work at a cycle of {cycle} ns: {refusal}");
        Ok(Some((what, proposal(&self.check, &self.unit, transaction)?)))
    }

    fn windows_text(&self) -> String {
        let w = &self.check.asked;
        format!(
            "windows: DVW {} ns ({} to {} after RE# low), DRW {} ns (t_DS {} + t_DH {}), t_DL {} ns\n",
            w.dvw_ns(),
            w.valid_from_ns,
            w.valid_until_ns,
            w.drw_ns(),
            w.t_ds_ns,
            w.t_dh_ns,
            self.unit.timing.t_dl_ns,
        )
    }
}

/// Note for tables with direct transfers if these cannot work; otherwise empty.
pub(super) fn windows_note(bus: &Bus, ways: &[Way]) -> Result<String, Failure> {
    let direct = ways.iter().any(|way| way.path == CopyPath::Dgcb);
    let pins = Pins::of(bus)?;
    let Some(refusal) = pins.check.refusal.filter(|_| direct) else { return Ok(String::new()) };
    let cycle = pins.check.asked.t_rwc_ns;
    let works = pins.check.widened.map_or_else(String::new, |wider| {
        format!("; --t-rwc {} --t-dl {} works", wider.t_rwc_ns, wider.t_dl_ns)
    });
    Ok(format!(
        "note: dgcb assumes pins that latch at {cycle} ns. Those of ONFI mode {} do not: {refusal}{works} (--windows)\n",
        bus.mode
    ))
}

/// The cycle that works, and its cost.
fn proposal(
    check: &WindowCheck,
    unit: &ControlUnit,
    transaction: &Transaction<'_>,
) -> Result<String, Failure> {
    let cost = Cost::of(check, unit, transaction).map_err(Failure::input)?;
    Ok(match (check.widened, cost) {
        (Some(wider), Some(cost)) => format!(
            "a cycle of {} ns works: --t-rwc {} --t-dl {}. It adds {} µs to the transfer per page and {:.2} % \
            to this transaction",
            wider.t_rwc_ns,
            wider.t_rwc_ns,
            wider.t_dl_ns,
            micros(cost.page_ns),
            cost.added_ppm() as f64 / 1e4,
        ),
        _ => "no cycle up to 1 µs works either: the pins of this mode do not fit each other".into(),
    })
}

/// The check of every mode, with source and destination in the same mode.
fn all_modes(bus: &Bus) -> Result<String, Failure> {
    let columns = [
        "mode",
        "t_RC ns",
        "DVW ns",
        "DRW ns",
        "t_DL ns",
        "<works",
        "cycle that does",
        "t_DL ns",
        "per page µs",
        "8 pages %",
    ];
    let wrong_bytes = [0; 8];
    let transaction = Transaction {
        source: 0,
        destination: 1,
        planes: 1,
        cache_program: true,
        addressing: Addressing::DuringRead,
        wrong_bytes: &wrong_bytes,
        most_wrong_bytes: 0,
    };
    let mut rows = Vec::new();
    for mode in 0..=5 {
        let interface = Interface::of_mode(&bus.part, mode).map_err(Failure::input)?;
        let check = windows(&interface, &interface);
        let (part, waits) = in_mode(&bus.part, mode).map_err(Failure::input)?;
        let timings = bounds::copyback::CopyTimings::of_part(&part, waits)?;
        let timing = channels_timing(&timings);
        let unit = ControlUnit { timing, ways: 2, policy: Policy::Fifo };
        let cost = Cost::of(&check, &unit, &transaction).map_err(Failure::input)?;
        let none = || "–".to_owned();
        let wider = check.widened;
        rows.push([
            mode.to_string(),
            check.asked.t_rwc_ns.to_string(),
            check.asked.dvw_ns().to_string(),
            check.asked.drw_ns().to_string(),
            if check.refusal.is_some() { none() } else { check.asked.t_dl_ns.to_string() },
            if check.refusal.is_some() { "no" } else { "yes" }.into(),
            wider.map_or_else(none, |windows| windows.t_rwc_ns.to_string()),
            wider.map_or_else(none, |windows| windows.t_dl_ns.to_string()),
            cost.map_or_else(none, |cost| format!("+{}", micros(cost.page_ns))),
            cost.map_or_else(none, |cost| format!("+{:.2}", cost.added_ppm() as f64 / 1e4)),
        ]);
    }
    Ok(format!(
        "Windows of a direct transfer on {}, both devices in one timing mode\n{}\n\nDVW: data valid window; DRW: data \
         required window (t_DS + t_DH); t_DL: skew of WE# behind RE#. The last columns:\nthe shortest cycle that works, \
         what it adds to a page's transfer and to a transaction of 8 pages with cache program.\n",
        bus.part.name,
        table(columns, rows),
    ))
}
