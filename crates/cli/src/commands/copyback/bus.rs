//! The part and its bus: data sheet, ONFI timing mode, single values.

use crate::failure::Failure;
use bounds::copyback::{CopyTimings, CopybackError, Waits};
use clap::Args;
use flash::Part;
use lab::config::{PartTable, part_by_name};
use papers::ddt::in_mode;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Part of the study; its data sheet gives bus cycles.
const STUDY_PART: &str = "ddt-mlc";
/// Timing mode with the study's cycles.
const STUDY_MODE: u8 = 4;

#[derive(Debug, Args)]
#[command(next_help_heading = "Part and bus")]
pub(super) struct BusArgs {
    /// Part of the catalogue (`ftlkit list parts`)
    #[arg(long, value_name = "NAME", default_value = STUDY_PART)]
    part: String,

    /// Your own part: a TOML file of data-sheet values
    #[arg(long, value_name = "FILE", conflicts_with = "part")]
    part_file: Option<PathBuf>,

    /// Asynchronous ONFI timing mode, 0 to 5: its cycles and waits [default: the part's cycles, with the waits of
    /// the study (mode 4)]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=5))]
    mode: Option<u8>,

    /// Read cycle tRC, ns
    #[arg(long, value_name = "NS")]
    t_rc: Option<u64>,

    /// Write cycle tWC, ns
    #[arg(long, value_name = "NS")]
    t_wc: Option<u64>,

    /// Command to busy, ns
    #[arg(long, value_name = "NS")]
    t_wb: Option<u64>,

    /// Address to data in, ns
    #[arg(long, value_name = "NS")]
    t_adl: Option<u64>,

    /// Ready to data out, ns
    #[arg(long, value_name = "NS")]
    t_rr: Option<u64>,

    /// Change of column to data, ns
    #[arg(long, value_name = "NS")]
    t_ccs: Option<u64>,

    /// Busy between two planes, ns
    #[arg(long, value_name = "NS")]
    t_dbsy: Option<u64>,

    /// Skew of WE# behind RE# in a direct transfer, ns
    #[arg(long, value_name = "NS")]
    t_dl: Option<u64>,

    /// Cycle of direct transfers if longer than both, ns
    #[arg(long, value_name = "NS")]
    t_rwc: Option<u64>,

    /// Last byte of a page to the ECC result, ns
    #[arg(long, value_name = "NS")]
    t_ecc: Option<u64>,
}

/// A part on its bus.
pub(super) struct Bus {
    pub(super) part: Part,
    pub(super) timings: CopyTimings,
    /// The timing mode that the pins support.
    pub(super) mode: u8,
    /// True if t_DL was given; otherwise it is computed from the pins.
    pub(super) skew_given: bool,
}

impl BusArgs {
    pub(super) fn bus(&self) -> Result<Bus, Failure> {
        let part = match &self.part_file {
            Some(file) => PartTable::from_file(file)?.resolve()?,
            None => part_by_name(&self.part)?.clone(),
        };
        let (mut part, mut waits) = match self.mode {
            Some(mode) => in_mode(&part, mode).map_err(Failure::input)?,
            None => (part, Waits::STUDY),
        };
        if part.bus_mts > 0 {
            return Err(Failure::input_with_help(
                format!(
                    "part `{}` has a synchronous bus of {} MT/s; the control unit drives asynchronous buses alone",
                    part.name, part.bus_mts
                ),
                "put it on an asynchronous bus, as with --mode 5, or see `ftlkit bounds --part NAME --copy all`",
            ));
        }
        let figures = [
            (self.t_rc, &mut part.t_rc_ns),
            (self.t_wc, &mut part.t_wc_ns),
            (self.t_wb, &mut waits.t_wb_ns),
            (self.t_adl, &mut waits.t_adl_ns),
            (self.t_rr, &mut waits.t_rr_ns),
            (self.t_ccs, &mut waits.t_ccs_ns),
            (self.t_dbsy, &mut waits.t_dbsy_ns),
            (self.t_dl, &mut waits.t_dl_ns),
            (self.t_rwc, &mut waits.direct_cycle_ns),
            (self.t_ecc, &mut waits.t_ecc_ns),
        ];
        for (given, figure) in figures {
            *figure = given.unwrap_or(*figure);
        }
        let timings = CopyTimings::of_part(&part, waits).map_err(|error| match error {
            CopybackError::NoBusCycle { .. } => Failure::input_with_help(
                error,
                "give --mode 0 to 5 if its t_R and t_PROG are those of the cells alone, or --t-rc and --t-wc",
            ),
            other => other.into(),
        })?;
        let (mode, skew_given) = (self.mode.unwrap_or(STUDY_MODE), self.t_dl.is_some());
        Ok(Bus { part, timings, mode, skew_given })
    }
}

impl Bus {
    /// Cycles and waits, on two lines.
    pub(super) fn text(&self) -> String {
        let (t, w) = (&self.timings, &self.timings.waits);
        format!(
            "{}: t_R {}, t_PROG {}, t_BERS {} µs; {} + {} bytes per page, {} pages per block\nbus: t_RC {}, t_WC {}, t_WB \
             {}, t_ADL {}, t_RR {}, t_CCS {}, t_DBSY {}, t_DL {}, t_RWC {}, \
             t_ECC {} ns\n",
            self.part.name,
            crate::output::micros(t.t_r_ns),
            crate::output::micros(t.t_prog_ns),
            crate::output::micros(t.t_bers_ns),
            t.page_bytes,
            t.spare_bytes,
            t.pages_per_block,
            t.t_rc_ns,
            t.t_wc_ns,
            w.t_wb_ns,
            w.t_adl_ns,
            w.t_rr_ns,
            w.t_ccs_ns,
            w.t_dbsy_ns,
            w.t_dl_ns,
            t.t_rwc_ns(),
            w.t_ecc_ns,
        )
    }

    pub(super) fn json(&self) -> Value {
        let (t, w) = (&self.timings, &self.timings.waits);
        json!({
            "t_r_ns": t.t_r_ns,
            "t_prog_ns": t.t_prog_ns,
            "t_bers_ns": t.t_bers_ns,
            "t_rc_ns": t.t_rc_ns,
            "t_wc_ns": t.t_wc_ns,
            "t_wb_ns": w.t_wb_ns,
            "t_adl_ns": w.t_adl_ns,
            "t_rr_ns": w.t_rr_ns,
            "t_ccs_ns": w.t_ccs_ns,
            "t_dbsy_ns": w.t_dbsy_ns,
            "t_dl_ns": w.t_dl_ns,
            "t_rwc_ns": t.t_rwc_ns(),
            "t_ecc_ns": w.t_ecc_ns,
            "page_bytes": t.page_bytes,
            "spare_bytes": t.spare_bytes,
            "pages_per_block": t.pages_per_block,
            "most_corrected_bytes": t.most_corrected_bytes(),
        })
    }
}
