//! `ftlkit copyback`.

mod bus;
mod host;
mod tables;
mod unit;

use self::bus::BusArgs;
use self::host::HostArgs;
use self::unit::UnitArgs;
use super::run::OutputArgs;
use crate::failure::Failure;
use crate::output;
use bounds::copyback::{CopyPath, CopyTimings, CopybackError};
use clap::{Args, ValueEnum};
use lab::with_causes;
use papers::ddt::files::{self, WriteError};
use papers::ddt::{CopyRunError, Study, Way};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  ftlkit copyback                         every copy path on the part of the study, one plane
  ftlkit copyback --planes 2 --pages 2,16,256
  ftlkit copyback --path dgcb --error-rate 100
  ftlkit copyback --part toshiba-slc --mode 4
      a part whose data sheet gives no bus cycles, on a bus in an ONFI timing mode
  ftlkit copyback --messages --pages 2    the messages within the control unit
  ftlkit copyback --windows               the timing modes in which data can be latched, and the cycle that \
      works
  ftlkit copyback --t-rwc 35 --waveform ddt.vcd
      the signals of a direct transfer, for a viewer of waveforms
  ftlkit copyback --host-load             response of host reads and writes on the other ways, by load
  ftlkit copyback --csv > copyback.csv

Paths: icb (within a plane, checked by the controller), icb-unchecked, lcb (through the controller, within
a device), gcb (the same between two devices of a channel), dgcb (from device to device at once).";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CopybackArgs {
    #[command(flatten)]
    interface: BusArgs,

    /// Planes that each operation uses together, 1 to 4
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4))]
    planes: u32,

    /// Pages per transaction, multiples of the planes [default: one operation, 8 operations, a block]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pages: Vec<u32>,

    /// Copy paths: icb, icb-unchecked, lcb, gcb, dgcb [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = path)]
    path: Vec<CopyPath>,

    /// Cache program between devices: with it, without it, or both
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Cache::Both, num_args = 0..=1, default_missing_value = "on")]
    cache: Cache,

    /// Bit errors per page of one plane, each in a different byte
    #[arg(long, value_name = "BITS", default_value_t = 0)]
    errors: u32,

    /// Bit errors per page in per cent of the ECC strength
    #[arg(long, value_name = "PCT", conflicts_with = "errors", value_parser = clap::value_parser!(u32).range(..=100))]
    error_rate: Option<u32>,

    /// Valid pages per victim, which is one block on every plane [default: all pages]
    #[arg(long, value_name = "N")]
    valid: Option<u32>,

    #[command(flatten)]
    unit: UnitArgs,

    #[command(flatten)]
    host: HostArgs,

    /// Print the table as CSV
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    csv: bool,

    #[command(flatten)]
    output: OutputArgs,
}

/// Variants to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Cache {
    On,
    Off,
    Both,
}

fn path(name: &str) -> Result<CopyPath, String> {
    let all = CopyPath::ALL.map(CopyPath::name).join(", ");
    let known = CopyPath::ALL.into_iter().find(|path| path.name() == name.trim());
    known.ok_or_else(|| format!("the paths are {all}"))
}

impl CopybackArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let bus = self.interface.bus()?;
        let corrected = self.corrected_bytes(&bus.timings)?;
        let ways = self.ways(corrected)?;
        if let Some(message) = self.without_effect() {
            return Err(Failure::input(message));
        }
        if self.unit.asked() {
            return self.unit.run(
                &bus,
                &self.dgcb(&ways, corrected),
                self.pages.first(),
                &self.output,
            );
        }
        if self.host.asked() {
            return self.host.run(&bus, &ways, self.valid, self.csv, &self.output);
        }
        self.host.refuse_alone()?;
        let out = self.output.folder()?;
        let study = self.study(&bus.timings, ways)?;
        let rows = study.rows()?;
        let crossovers = study.crossovers()?;
        if let Some(out) = out {
            let written = files::write(&study, &rows, &bus.part.name, &out)?;
            if !self.output.quiet {
                output::note(&format!(
                    "{} files written to {}",
                    written.len(),
                    out.path().display()
                ));
            }
        }
        if self.csv {
            return output::text(&files::rows_csv(&rows));
        }
        if self.output.json {
            return output::json(&json!({
                "version": env!("CARGO_PKG_VERSION"),
                "part": bus.part.name,
                "interface": bus.json(),
                "valid_pages": study.valid,
                "rows": rows,
                "crossovers": crossovers,
            }));
        }
        let note = unit::windows_note(&bus, &study.ways)?;
        output::text(&tables::text(&bus, &study, &rows, &crossovers, &note))
    }

    /// Error message for options that the requested output does not use.
    fn without_effect(&self) -> Option<&'static str> {
        let (unit, host) = (self.unit.asked(), self.host.asked());
        let of_unit = !self.path.is_empty() && !self.path.contains(&CopyPath::Dgcb);
        let wrong = [
            (
                unit && host,
                "--host-load cannot be combined with --messages, --waveform or --windows",
            ),
            (unit && of_unit, "the control unit makes direct transfers: its --path is dgcb"),
            (unit && self.pages.len() > 1, "give one number of --pages: one transaction is shown"),
            (unit && self.valid.is_some(), "--valid is for tables: here one transaction is shown"),
            (
                unit && self.csv,
                "--csv is for tables: messages, signals and windows are text and files",
            ),
            (
                host && !self.pages.is_empty(),
                "with --host-load give --transaction instead of --pages",
            ),
        ];
        let wrong = wrong.into_iter().find(|(wrong, _)| *wrong).map(|(_, why)| why);
        wrong.or_else(|| self.unit.without_effect(&self.output))
    }

    fn corrected_bytes(&self, timings: &CopyTimings) -> Result<u32, Failure> {
        let most = timings.most_corrected_bytes();
        match self.error_rate {
            Some(percent) => Ok(timings.corrected_bytes_at(percent)),
            None if self.errors <= most => Ok(self.errors),
            None => Err(Failure::input(CopybackError::Uncorrectable { found: self.errors, most })),
        }
    }

    /// The requested ways of copying.
    fn ways(&self, corrected: u32) -> Result<Vec<Way>, Failure> {
        let wanted = |way: &Way| {
            let cache = match self.cache {
                Cache::Both => true,
                // Cache program has no effect within one device.
                Cache::On => way.cache_program || !way.path.between_devices(),
                Cache::Off => !way.cache_program,
            };
            cache && (self.path.is_empty() || self.path.contains(&way.path))
        };
        let all = Way::all(self.planes).map(|way| way.with_corrected_bytes(corrected));
        Ok(all.filter(wanted).collect())
    }

    /// The direct transfer for messages or signals.
    fn dgcb(&self, ways: &[Way], corrected: u32) -> Way {
        let direct = ways.iter().rev().find(|way| way.path == CopyPath::Dgcb);
        let cached = Way::new(CopyPath::Dgcb, self.cache != Cache::Off, self.planes);
        direct.copied().unwrap_or(cached.with_corrected_bytes(corrected))
    }

    fn study(&self, timings: &CopyTimings, ways: Vec<Way>) -> Result<Study, Failure> {
        let block = timings.pages_per_block.saturating_mul(self.planes);
        let mut pages = self.pages.clone();
        if pages.is_empty() {
            pages = vec![self.planes, (8 * self.planes).min(block), block];
            pages.dedup();
        }
        Ok(Study { timings: *timings, ways, pages, valid: self.valid.unwrap_or(block) })
    }
}

impl From<CopybackError> for Failure {
    fn from(error: CopybackError) -> Self {
        Self::input(error)
    }
}

impl From<CopyRunError> for Failure {
    fn from(error: CopyRunError) -> Self {
        match error {
            CopyRunError::Copyback(_) | CopyRunError::Channels(_) => Self::input(error),
            CopyRunError::Request(_) => Self::internal(error),
        }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::internal(with_causes(&error))
    }
}
