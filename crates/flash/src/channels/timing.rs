//! ONFI timing: time of each step of an operation, from a part's data sheet and a timing mode.

use crate::page_times::PageTimes;
use crate::part::{Part, SlcMode};
use crate::time::Ns;

/// Times of the bus and of the cells. The cycles, tADL, tWHR, tCCS and tDL hold the bus. All others pass while
/// the bus is free for other dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Bytes of a page that cross the bus: user data and OOB.
    pub transfer_bytes: u32,
    /// Bytes that cross the bus in a read of the spare area alone.
    pub oob_bytes: u32,
    /// Address cycles for the column (ONFI: 2).
    pub column_cycles: u32,
    /// Address cycles for the row (ONFI: 3).
    pub row_cycles: u32,
    /// Write cycle (tWC): each command and address, and each data-in byte of an asynchronous bus.
    pub t_wc_ns: Ns,
    /// Read cycle (tRC): each data-out byte of an asynchronous bus.
    pub t_rc_ns: Ns,
    /// Transfers of one byte per second on a synchronous bus, in millions; 0: the bus is asynchronous.
    pub bus_mts: u32,
    /// Last address cycle to first data-in cycle (tADL).
    pub t_adl_ns: Ns,
    /// Command to first data-out cycle of a status read (tWHR).
    pub t_whr_ns: Ns,
    /// Ready to first data-out cycle (tRR). No extra wait if the bus is granted later.
    pub t_rr_ns: Ns,
    /// Last command cycle to busy (tWB).
    pub t_wb_ns: Ns,
    /// Change of column to first data cycle (tCCS).
    pub t_ccs_ns: Ns,
    /// Busy between the planes of a multi-plane operation (tDBSY).
    pub t_dbsy_ns: Ns,
    /// Busy while a page moves between page and cache register (minimum of tCBSY). Within tPROG for a cache
    /// program; before the next tR for a cache read.
    pub t_cbsy_ns: Ns,
    /// Read cycle to write cycle of a direct transfer between dies (tDL).
    pub t_dl_ns: Ns,
    /// Minimum cycle of direct transfers. The cycle is the longest of this, tRC and tWC; 0: no minimum.
    pub direct_cycle_ns: Ns,
    /// Cell array to page register (tR).
    pub t_r_ns: Ns,
    /// tR by kind of page.
    pub t_r_by_page_ns: PageTimes,
    /// tR of a read of the spare area alone.
    pub t_r_oob_ns: Ns,
    /// Page program (tPROG).
    pub t_prog_ns: Ns,
    /// tPROG by kind of page.
    pub t_prog_by_page_ns: PageTimes,
    /// Block erase (tBERS).
    pub t_bers_ns: Ns,
    /// Times of blocks in SLC mode; `None`: as of all others.
    pub slc: Option<SlcMode>,
    /// Last byte of a page read to its corrected data: decoding latency of the ECC engine. The engine is
    /// pipelined, so this time holds neither bus nor die.
    pub ecc_ns: Ns,
    /// True if programs and erases end with a status read on the bus. A cache program never does: the following
    /// program reports its status.
    pub status: bool,
}

/// Reason why a timing is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimingError {
    /// The part has no bus cycles of its own.
    #[error(
        "part `{0}` has no bus cycles (t_rc_ns, t_wc_ns) and no bus_mts: its tR and tPROG include the transfer; give both \
        cycles, or take an ONFI timing mode if its tR and tPROG are those of the cells alone"
    )]
    NoBusCycles(alloc::string::String),
    /// There is no such timing mode.
    #[error("ONFI's asynchronous timing modes are 0 to 5, not {0}")]
    Mode(u8),
    /// A figure is outside its range.
    #[error("{field} must be {least} to {most}, not {found}")]
    Figure {
        /// Name of the field.
        field: &'static str,
        /// Smallest value.
        least: u64,
        /// Largest value.
        most: u64,
        /// Value of the field.
        found: u64,
    },
}

/// Times that an asynchronous timing mode fixes, ns.
struct Mode {
    t_wc: Ns,
    t_rc: Ns,
    t_adl: Ns,
    t_whr: Ns,
    t_rr: Ns,
    t_wb: Ns,
    t_ccs: Ns,
}

const fn mode(t_wc: Ns, t_rc: Ns, [t_adl, t_whr, t_rr, t_wb, t_ccs]: [Ns; 5]) -> Mode {
    Mode { t_wc, t_rc, t_adl, t_whr, t_rr, t_wb, t_ccs }
}

/// ONFI 2.1, asynchronous timing modes 0 to 5.
const MODES: [Mode; 6] = [
    mode(100, 100, [200, 120, 40, 200, 500]),
    mode(45, 50, [100, 80, 20, 100, 200]),
    mode(35, 35, [100, 80, 20, 100, 200]),
    mode(30, 30, [100, 60, 20, 100, 200]),
    mode(25, 25, [70, 60, 20, 100, 200]),
    mode(20, 20, [70, 60, 20, 100, 200]),
];

/// A synchronous bus (ONFI NV-DDR2, NV-DDR3; Toggle). tWC is tCAD of ONFI 4.0: 25 ns from one command or address to
/// the next cycle; tWHR is ONFI's 80 ns. The others are the defaults of MQSim's NV-DDR2 channel (Tavakkol et al., FAST
/// 2018), whose tWC is 25 ns, too.
const SYNCHRONOUS: Mode = mode(25, 25, [70, 80, 20, 100, 300]);

/// Time of `bytes` on a bus: by its rate in MT/s, rounded up once per transfer, or by its cycle if the rate is 0.
#[inline]
pub const fn data_ns(bytes: u64, bus_mts: u32, cycle_ns: Ns) -> Ns {
    match bus_mts {
        0 => bytes * cycle_ns,
        rate => (bytes * 1000).div_ceil(rate as u64),
    }
}

impl Timing {
    /// Default tDBSY: ONFI's largest typical figure, 1 µs.
    pub const DEFAULT_T_DBSY_NS: Ns = 1_000;
    /// Default minimum of tCBSY: 3 µs, typical of data sheets.
    pub const DEFAULT_T_CBSY_NS: Ns = 3_000;
    /// Default tDL: that of Jeong and Song's Section VI.A.
    pub const DEFAULT_T_DL_NS: Ns = 20;

    /// Timing from the part's cell times and bus. On an asynchronous bus the waits are those of the fastest mode
    /// whose cycles are no shorter than the part's (mode 0 if all are shorter). A synchronous bus has its own.
    ///
    /// # Errors
    /// If the part gives no bus cycles, or a figure is outside its range.
    pub fn of(part: &Part) -> Result<Self, TimingError> {
        if !part.gives_bus() {
            return Err(TimingError::NoBusCycles(part.name.clone().into_owned()));
        }
        if part.bus_mts > 0 {
            let mut timing = Self::from_mode(part, &SYNCHRONOUS);
            timing.bus_mts = part.bus_mts;
            if part.t_wc_ns > 0 {
                (timing.t_wc_ns, timing.t_rc_ns) = (part.t_wc_ns, part.t_wc_ns);
            }
            return timing.validate().map(|()| timing);
        }
        let fits = |mode: &&Mode| mode.t_wc >= part.t_wc_ns && mode.t_rc >= part.t_rc_ns;
        let mode = MODES.iter().rev().find(fits).unwrap_or(&MODES[0]);
        let mut timing = Self::from_mode(part, mode);
        (timing.t_wc_ns, timing.t_rc_ns) = (part.t_wc_ns, part.t_rc_ns);
        timing.validate().map(|()| timing)
    }

    /// Timing of the part's cells on a bus in an asynchronous ONFI timing mode, 0 to 5. It takes the part's tR
    /// and tPROG as those of the cells alone.
    ///
    /// # Errors
    /// If there is no such mode, or a figure is outside its range.
    pub fn with_mode(part: &Part, mode: u8) -> Result<Self, TimingError> {
        let timings = MODES.get(usize::from(mode)).ok_or(TimingError::Mode(mode))?;
        let timing = Self::from_mode(part, timings);
        timing.validate().map(|()| timing)
    }

    fn from_mode(part: &Part, mode: &Mode) -> Self {
        Self {
            transfer_bytes: part.page_bytes + part.oob_bytes,
            oob_bytes: part.oob_bytes,
            column_cycles: 2,
            row_cycles: 3,
            t_wc_ns: mode.t_wc,
            t_rc_ns: mode.t_rc,
            bus_mts: 0,
            t_adl_ns: mode.t_adl,
            t_whr_ns: mode.t_whr,
            t_rr_ns: mode.t_rr,
            t_wb_ns: mode.t_wb,
            t_ccs_ns: mode.t_ccs,
            t_dbsy_ns: Self::DEFAULT_T_DBSY_NS,
            t_cbsy_ns: Self::DEFAULT_T_CBSY_NS,
            t_dl_ns: Self::DEFAULT_T_DL_NS,
            direct_cycle_ns: 0,
            t_r_ns: part.t_r_ns,
            t_r_by_page_ns: part.t_r_by_page_ns,
            t_r_oob_ns: part.t_r_oob_ns,
            t_prog_ns: part.t_prog_ns,
            t_prog_by_page_ns: part.t_prog_by_page_ns,
            t_bers_ns: part.t_bers_ns,
            slc: part.slc,
            ecc_ns: 0,
            status: false,
        }
    }

    /// Checks the range of every figure.
    ///
    /// # Errors
    /// The first figure outside its range.
    pub fn validate(&self) -> Result<(), TimingError> {
        // No operation takes an hour and no bus cycle a millisecond. Both limits keep sums far from overflow.
        const HOUR: u64 = 3_600_000_000_000;
        const MS: u64 = 1_000_000;
        let figures = [
            ("transfer_bytes", self.transfer_bytes.into(), 1, 1 << 21),
            ("oob_bytes", self.oob_bytes.into(), 0, 1 << 20),
            ("column_cycles", self.column_cycles.into(), 1, 8),
            ("row_cycles", self.row_cycles.into(), 1, 8),
            ("t_wc_ns", self.t_wc_ns, 1, MS),
            ("t_rc_ns", self.t_rc_ns, 1, MS),
            ("t_adl_ns", self.t_adl_ns, 0, MS),
            ("t_whr_ns", self.t_whr_ns, 0, MS),
            ("t_rr_ns", self.t_rr_ns, 0, MS),
            ("t_wb_ns", self.t_wb_ns, 0, MS),
            ("t_ccs_ns", self.t_ccs_ns, 0, MS),
            ("t_dl_ns", self.t_dl_ns, 0, MS),
            ("direct_cycle_ns", self.direct_cycle_ns, 0, MS),
            ("t_dbsy_ns", self.t_dbsy_ns, 0, HOUR),
            ("t_cbsy_ns", self.t_cbsy_ns, 0, self.t_prog_ns),
            ("t_r_ns", self.t_r_ns, 1, HOUR),
            ("t_r_oob_ns", self.t_r_oob_ns, 1, HOUR),
            ("t_prog_ns", self.t_prog_ns, 1, HOUR),
            ("t_bers_ns", self.t_bers_ns, 1, HOUR),
            ("ecc_ns", self.ecc_ns, 0, HOUR),
        ];
        for (field, found, least, most) in figures {
            if !(least..=most).contains(&found) {
                return Err(TimingError::Figure { field, least, most, found });
            }
        }
        Ok(())
    }

    /// Data out of one page (tDO; Jeong and Song, Eq. 1).
    #[inline]
    pub fn t_do_ns(&self) -> Ns {
        data_ns(self.transfer_bytes.into(), self.bus_mts, self.t_rc_ns)
    }

    /// Data out of a spare area.
    #[inline]
    pub fn t_do_oob_ns(&self) -> Ns {
        data_ns(self.oob_bytes.into(), self.bus_mts, self.t_rc_ns)
    }

    /// Data in of one page (tDI; Jeong and Song, Eq. 2).
    #[inline]
    pub fn t_di_ns(&self) -> Ns {
        data_ns(self.transfer_bytes.into(), self.bus_mts, self.t_wc_ns)
    }

    /// Cycle of a direct transfer (tRWC): the longest of tRC, tWC and [`Timing::direct_cycle_ns`].
    #[inline]
    pub fn t_rwc_ns(&self) -> Ns {
        self.t_rc_ns.max(self.t_wc_ns).max(self.direct_cycle_ns)
    }

    /// One page from die to die (tDIO without corrected bytes; Jeong and Song, Eq. 3).
    #[inline]
    pub fn t_dio_ns(&self) -> Ns {
        Ns::from(self.transfer_bytes) * self.t_rwc_ns() + self.t_dl_ns
    }

    /// True if every operation of a command takes the same cell time.
    pub(super) fn is_uniform(&self) -> bool {
        self.t_r_by_page_ns.is_empty() && self.t_prog_by_page_ns.is_empty() && self.slc.is_none()
    }

    /// tR of a page of a block.
    #[inline]
    pub fn t_r_of_ns(&self, page: u32, slc: bool) -> Ns {
        match self.slc {
            Some(times) if slc => times.t_r_ns,
            _ => self.t_r_by_page_ns.of_page(page, self.t_r_ns),
        }
    }

    /// tPROG of a page of a block.
    #[inline]
    pub fn t_prog_of_ns(&self, page: u32, slc: bool) -> Ns {
        match self.slc {
            Some(times) if slc => times.t_prog_ns,
            _ => self.t_prog_by_page_ns.of_page(page, self.t_prog_ns),
        }
    }

    /// tBERS of a block.
    #[inline]
    pub fn t_bers_of_ns(&self, slc: bool) -> Ns {
        match self.slc {
            Some(times) if slc => times.t_bers_ns,
            _ => self.t_bers_ns,
        }
    }

    /// A command of two cycles with a whole address between them.
    pub(super) fn page_command_ns(&self) -> Ns {
        Ns::from(2 + self.column_cycles + self.row_cycles) * self.t_wc_ns
    }

    /// A command of two cycles with a row address alone between them.
    pub(super) fn block_command_ns(&self) -> Ns {
        Ns::from(2 + self.row_cycles) * self.t_wc_ns
    }

    /// A status read.
    pub(super) fn status_ns(&self) -> Ns {
        self.t_wc_ns + self.t_whr_ns + self.t_rc_ns
    }
}
