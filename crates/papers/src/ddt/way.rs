//! Copy method on a part, as closed form and as channel operations.

use bounds::copyback::{CopyPath, CopyTimings, Copyback, CopybackError, Waits};
use flash::channels::{Timing, TimingError};
use flash::{Ns, PageTimes, Part};

/// Copy method: path, cache program, planes and bytes in error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The path.
    pub path: CopyPath,
    /// True if programs use the cache register; ignored for copies within one device.
    pub cache_program: bool,
    /// Planes operated together, 1 to 4.
    pub planes: u32,
    /// Bytes in error per page.
    pub corrected_bytes: u32,
}

impl Way {
    /// Copy method without byte errors.
    pub const fn new(path: CopyPath, cache_program: bool, planes: u32) -> Self {
        Self { path, cache_program, planes, corrected_bytes: 0 }
    }

    /// All paths on `planes` planes; paths between two devices also with cache program.
    pub fn all(planes: u32) -> impl Iterator<Item = Self> {
        CopyPath::ALL.into_iter().flat_map(move |path| {
            let cached = path.between_devices().then(|| Self::new(path, true, planes));
            [Self::new(path, false, planes)].into_iter().chain(cached)
        })
    }

    /// Same method with `corrected_bytes` bytes in error per page.
    #[must_use]
    pub const fn with_corrected_bytes(self, corrected_bytes: u32) -> Self {
        Self { corrected_bytes, ..self }
    }

    /// Name such as `gcb` or `gcb + cache`.
    pub fn name(&self) -> String {
        if self.cache_program { format!("{} + cache", self.path) } else { self.path.name().into() }
    }

    /// Closed forms of this method.
    ///
    /// # Errors
    /// A parameter outside its range; more bytes in error than the ECC can correct.
    pub fn closed_form(&self, timings: &CopyTimings) -> Result<Copyback, CopybackError> {
        Copyback::new(*timings, self.path, self.cache_program, self.planes)?
            .with_corrected_bytes(self.corrected_bytes)
    }

    /// Bus time of the corrected bytes of one operation.
    pub(crate) fn repair_ns(&self, timings: &CopyTimings) -> Result<Ns, CopybackError> {
        let each = self.closed_form(timings)?.times().repair_ns;
        Ok(u64::from(self.planes) * u64::from(self.corrected_bytes) * each)
    }
}

/// Channel timing that matches the closed forms. The cache register empties in no time (t_CBSY = 0), and no status is
/// read.
pub fn channels_timing(timings: &CopyTimings) -> Timing {
    let waits = &timings.waits;
    Timing {
        transfer_bytes: timings.page_bytes + timings.spare_bytes,
        oob_bytes: timings.spare_bytes,
        column_cycles: waits.column_cycles,
        row_cycles: waits.row_cycles,
        t_wc_ns: timings.t_wc_ns,
        t_rc_ns: timings.t_rc_ns,
        bus_mts: timings.bus_mts,
        t_adl_ns: waits.t_adl_ns,
        t_whr_ns: 0,
        t_rr_ns: waits.t_rr_ns,
        t_wb_ns: waits.t_wb_ns,
        t_ccs_ns: waits.t_ccs_ns,
        t_dbsy_ns: waits.t_dbsy_ns,
        t_cbsy_ns: 0,
        t_dl_ns: waits.t_dl_ns,
        direct_cycle_ns: waits.direct_cycle_ns,
        t_r_ns: timings.t_r_ns,
        t_r_by_page_ns: PageTimes::ALIKE,
        t_r_oob_ns: timings.t_r_ns,
        t_prog_ns: timings.t_prog_ns,
        t_prog_by_page_ns: PageTimes::ALIKE,
        t_bers_ns: timings.t_bers_ns,
        slc: None,
        ecc_ns: waits.t_ecc_ns,
        status: false,
    }
}

/// The part with the bus cycles of asynchronous ONFI timing mode `mode` (0 to 5), and that mode's waits. The part's
/// t_R and t_PROG are assumed to be cell times only.
///
/// # Errors
/// A mode that does not exist.
pub fn in_mode(part: &Part, mode: u8) -> Result<(Part, Waits), TimingError> {
    let timing = Timing::with_mode(part, mode)?;
    let (t_rc_ns, t_wc_ns) = (timing.t_rc_ns, timing.t_wc_ns);
    let part = Part { t_rc_ns, t_wc_ns, bus_mts: 0, ..part.clone() };
    Ok((part, Waits::from(&timing)))
}
