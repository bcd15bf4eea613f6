//! A transaction: pages copied in one sequence over one path.

use super::error::CopybackError;
use super::stages::Stages;
use super::timings::CopyTimings;
use flash::{CopyPath, CopyTimes, Ns};

/// A way of copying on a part: path, cache program, planes, corrected bytes. It gives the time of any
/// transaction.
///
/// Every page has the same number of corrected bytes, except in [`Copyback::drawn_ns`].
/// LCB and GCB correct in the controller, so that number costs them nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copyback {
    pub(super) timings: CopyTimings,
    pub(super) stages: Stages,
    pub(super) path: CopyPath,
    pub(super) cache_program: bool,
    pub(super) planes: u32,
    pub(super) corrected_bytes: u32,
}

impl Copyback {
    /// Pages without errors, copied by `path` on `planes` planes (1 to 4) at once.
    ///
    /// `cache_program` has no effect on a path within one device.
    ///
    /// # Errors
    /// The first figure of `timings`, or `planes`, that is outside its range; direct transfers on a synchronous bus.
    pub fn new(
        timings: CopyTimings,
        path: CopyPath,
        cache_program: bool,
        planes: u32,
    ) -> Result<Self, CopybackError> {
        timings.validate()?;
        if !(1..=4).contains(&planes) {
            let found = planes.into();
            return Err(CopybackError::Figure { field: "planes", least: 1, most: 4, found });
        }
        if path == CopyPath::Dgcb && timings.bus_mts > 0 {
            return Err(CopybackError::SynchronousBus { bus_mts: timings.bus_mts });
        }
        let stages = Stages::of(&timings, planes, 0);
        Ok(Self { timings, stages, path, cache_program, planes, corrected_bytes: 0 })
    }

    /// The same with `corrected_bytes` wrong bytes per page.
    ///
    /// # Errors
    /// More than [`CopyTimings::most_corrected_bytes`]: no path can copy such a page.
    pub fn with_corrected_bytes(self, corrected_bytes: u32) -> Result<Self, CopybackError> {
        let most = self.timings.most_corrected_bytes();
        if corrected_bytes > most {
            return Err(CopybackError::Uncorrectable { found: corrected_bytes, most });
        }
        let stages = Stages::of(&self.timings, self.planes, corrected_bytes);
        Ok(Self { stages, corrected_bytes, ..self })
    }

    /// Stages of one operation.
    pub fn stages(&self) -> &Stages {
        &self.stages
    }

    /// The most pages of a transaction: one block per plane, π·k.
    pub fn most_pages(&self) -> u32 {
        self.timings.pages_per_block * self.planes
    }

    /// N: operations of a transaction of `pages` pages, `pages` / planes.
    ///
    /// # Errors
    /// If `pages` is not a multiple of the planes from one operation to [`Copyback::most_pages`].
    pub fn operations(&self, pages: u32) -> Result<u64, CopybackError> {
        let (planes, most) = (self.planes, self.most_pages());
        if pages == 0 || pages > most || !pages.is_multiple_of(planes) {
            return Err(CopybackError::TransactionSize { pages, planes, most });
        }
        Ok(u64::from(pages / planes))
    }

    /// Time from the first command to the end of the last program, ns; formulas in the [module](super).
    ///
    /// # Errors
    /// See [`Copyback::operations`].
    pub fn transaction_ns(&self, pages: u32) -> Result<Ns, CopybackError> {
        let n = self.operations(pages)?;
        let (first, prog) = (self.fetch_ns() + self.load_ns(), self.stages.t_prog_ns);
        if !self.path.between_devices() {
            return Ok(n * (first + prog));
        }
        Ok(first + (n - 1) * self.period_ns() + prog)
    }

    /// True if a program hides the fetch of the next page, as Eqs 10–13 assume: F ≤ t_PROG.
    ///
    /// With cache program the condition is F + D ≤ t_PROG.
    /// A path within one device hides nothing and always returns true.
    pub fn reads_hidden(&self) -> bool {
        let loaded = if self.cache_program { self.load_ns() } else { 0 };
        !self.path.between_devices() || self.fetch_ns() + loaded <= self.stages.t_prog_ns
    }

    /// Eq. 9, 10, 11, 12 or 13 as printed, or (t_SR + t_SP)·N for LCB, with the stages of any number of
    /// planes; ns.
    ///
    /// Equal to [`Copyback::transaction_ns`] if [`Copyback::reads_hidden`] and the ECC adds no time.
    ///
    /// # Errors
    /// See [`Copyback::operations`].
    pub fn printed_ns(&self, pages: u32) -> Result<Ns, CopybackError> {
        let (n, stages) = (self.operations(pages)?, &self.stages);
        Ok(match (self.path, self.cache_program) {
            (CopyPath::Icb, _) => stages.icb_ns(n),
            (CopyPath::IcbUnchecked, _) => (stages.t_sr_exc_d_ns() + stages.t_sp_exc_d_ns()) * n,
            (CopyPath::Lcb, _) => (stages.t_sr_ns() + stages.t_sp_ns()) * n,
            (CopyPath::Gcb, false) => stages.gcb_ns(n),
            (CopyPath::Gcb, true) => stages.gcb_cache_ns(n),
            (CopyPath::Dgcb, false) => stages.dgcb_ns(n),
            (CopyPath::Dgcb, true) => stages.dgcb_cache_ns(n),
        })
    }

    /// Time at which the source's device is idle again, so that its block could be erased, ns after the first
    /// command.
    ///
    /// - GCB: when the last page is out.
    /// - DGCB: when its last transfer is over, without corrected bytes.
    /// - Path within one device: when the transaction ends.
    ///
    /// # Errors
    /// See [`Copyback::operations`].
    pub fn source_free_ns(&self, pages: u32) -> Result<Ns, CopybackError> {
        let n = self.operations(pages)?;
        let stages = &self.stages;
        Ok(match self.path {
            CopyPath::Icb | CopyPath::IcbUnchecked | CopyPath::Lcb => self.transaction_ns(pages)?,
            CopyPath::Gcb if n == 1 => stages.t_sr_ns(),
            CopyPath::Gcb => self.loaded_ns(n - 1) + stages.t_sr_ns(),
            CopyPath::Dgcb => {
                let last_plane_ec = stages.t_di_ec_ns / u64::from(self.planes) + stages.t_ecc_ns;
                let confirm = self.timings.t_wc_ns + self.timings.waits.t_wb_ns;
                self.loaded_ns(n) - confirm - last_plane_ec
            }
        })
    }

    /// Gain of Fig. 9 over Eqs 11 and 13, once per transaction, ns.
    ///
    /// It is the command, address and t_ADL of the first program while the source reads. 0 for the other
    /// paths.
    pub fn early_prog_init_gain_ns(&self) -> Ns {
        let waits = &self.timings.waits;
        // Command and address; the pair's second command confirms and comes after the data.
        let init = self.timings.full_command_ns() - self.timings.t_wc_ns + waits.t_adl_ns;
        match self.path {
            CopyPath::Dgcb => init.min(waits.t_wb_ns + self.stages.t_r_ns + waits.t_rr_ns),
            _ => 0,
        }
    }

    /// The fewest pages for which this way is faster than `other`, if any.
    ///
    /// # Errors
    /// If the two have different planes, so that their transactions cannot be compared.
    pub fn first_ahead_of(&self, other: &Self) -> Result<Option<u32>, CopybackError> {
        let most = self.most_pages().min(other.most_pages());
        for pages in (self.planes..=most).step_by(self.planes as usize) {
            if self.transaction_ns(pages)? < other.transaction_ns(pages)? {
                return Ok(Some(pages));
            }
        }
        Ok(None)
    }

    /// Times of an operation without corrected bytes, and the time that each corrected byte adds.
    pub fn times(&self) -> CopyTimes {
        let stages = Stages::of(&self.timings, self.planes, 0);
        let fetch_ns = match self.path {
            CopyPath::IcbUnchecked | CopyPath::Dgcb => stages.t_sr_exc_d_ns(),
            CopyPath::Icb | CopyPath::Lcb | CopyPath::Gcb => stages.t_sr_ns() + stages.t_ecc_ns,
        };
        let data_ns = match self.path {
            CopyPath::Icb | CopyPath::IcbUnchecked => 0,
            CopyPath::Lcb | CopyPath::Gcb => stages.t_di_ns,
            CopyPath::Dgcb => stages.t_dio_ns,
        };
        let sends = self.path.sends_corrections();
        CopyTimes {
            path: self.path,
            cache_program: self.cache_program,
            fetch_ns,
            load_ns: stages.t_sp_set_ns + data_ns,
            prog_ns: stages.t_prog_ns,
            repair_ns: if sends { self.timings.correction_ns() } else { 0 },
        }
    }

    /// Corrected bytes that one operation sends again.
    fn corrections(&self) -> u64 {
        u64::from(self.planes) * u64::from(self.corrected_bytes)
    }

    /// F: time until the data can go to the destination.
    fn fetch_ns(&self) -> Ns {
        self.times().fetch_ns
    }

    /// D: time until the destination starts to program.
    fn load_ns(&self) -> Ns {
        let times = self.times();
        times.load_ns + self.corrections() * times.repair_ns
    }

    /// Time that every further operation adds in the long run.
    fn period_ns(&self) -> Ns {
        let run = |pages| self.times().run_ns(pages, self.corrections());
        run(2) - run(1)
    }

    /// Time at which operation `n` ≥ 1 is confirmed, between devices.
    ///
    /// With cache program, the load of n waits for two events.
    /// One is its own fetch, which begins when n − 1 is confirmed.
    /// The other is the cache, which is free when n − 1 begins to be programmed.
    fn loaded_ns(&self, n: u64) -> Ns {
        let (load, period) = (self.load_ns(), self.period_ns());
        let first = self.fetch_ns() + load;
        if !self.cache_program {
            return first + (n - 1) * period;
        }
        if n == 1 { first } else { (n * first).max(first + (n - 2) * period + load) }
    }
}
