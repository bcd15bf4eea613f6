//! Data-sheet figures that copy times depend on: array times, bus cycles, waits, bytes.

use super::error::CopybackError;
use alloc::string::ToString;
use flash::channels::{Timing, data_ns};
use flash::{Ns, Part};

/// Waits and cycle counts of the asynchronous interface. ONFI names; all times in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// WE# high to busy (t_WB), after every confirming command; 0 to 100,000.
    pub t_wb_ns: Ns,
    /// Address to data loading (t_ADL); 0 to 100,000.
    pub t_adl_ns: Ns,
    /// Ready to RE# low (t_RR); 0 to 100,000.
    pub t_rr_ns: Ns,
    /// Change of column to data, in or out (t_CCS); 0 to 100,000.
    pub t_ccs_ns: Ns,
    /// Busy between two planes of one operation (t_DBSY, later t_PLPBSY and its siblings); 0 to 100,000.
    pub t_dbsy_ns: Ns,
    /// Delay of WE# after RE# in a direct data transfer (t_DL); 0 to 100,000.
    pub t_dl_ns: Ns,
    /// Cycle of a direct data transfer, if longer than t_RC and t_WC; 0 to 100,000.
    ///
    /// 0: the longer of t_RC and t_WC.
    pub direct_cycle_ns: Ns,
    /// Time from the last byte of a page to the ECC result; 0 to 100,000. 0: checked as it streams.
    pub t_ecc_ns: Ns,
    /// Address cycles per column; 1 to 8.
    pub column_cycles: u32,
    /// Address cycles per row; 1 to 8.
    pub row_cycles: u32,
}

impl Waits {
    /// Waits from which the figures of Jeong and Song follow.
    ///
    /// From ONFI 2.1 timing mode 4, the one with t_RC and t_WC of 25 ns: t_WB 100, t_ADL 70, t_RR 20, two
    /// column and three row cycles.
    /// From §VI.A: t_DL 20. The ECC checks the page as it streams.
    ///
    /// t_CCS 130 and t_DBSY 500 are fitted and are not ONFI's (mode 4 has a t_CCS of 200).
    /// The paper prints neither, nor t_DI_EC. A corrected byte takes 4·25 + 130 = 230 ns.
    /// No t_CCS gives all four of the paper's percentages of lost throughput to two digits.
    /// A t_CCS of 126 to 128 ns gives all four within 0.1 of a point.
    pub const STUDY: Self = Self {
        t_wb_ns: 100,
        t_adl_ns: 70,
        t_rr_ns: 20,
        t_ccs_ns: 130,
        t_dbsy_ns: 500,
        t_dl_ns: 20,
        direct_cycle_ns: 0,
        t_ecc_ns: 0,
        column_cycles: 2,
        row_cycles: 3,
    };
}

/// Waits of a channel's timing.
impl From<&Timing> for Waits {
    fn from(timing: &Timing) -> Self {
        Self {
            t_wb_ns: timing.t_wb_ns,
            t_adl_ns: timing.t_adl_ns,
            t_rr_ns: timing.t_rr_ns,
            t_ccs_ns: timing.t_ccs_ns,
            t_dbsy_ns: timing.t_dbsy_ns,
            t_dl_ns: timing.t_dl_ns,
            direct_cycle_ns: timing.direct_cycle_ns,
            t_ecc_ns: timing.ecc_ns,
            column_cycles: timing.column_cycles,
            row_cycles: timing.row_cycles,
        }
    }
}

/// Array times, bus cycles, waits and sizes of a part: the input of the closed forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyTimings {
    /// Data bytes per page; 1 to 2²⁰.
    pub page_bytes: u32,
    /// Spare bytes per page, moved with the data; 0 to 2²⁰.
    pub spare_bytes: u32,
    /// Pages per block (π); 1 to 2²⁰.
    pub pages_per_block: u32,
    /// Bits that the ECC corrects per KiB; 1 to 512. `None`: any byte can be corrected.
    pub ecc_bits_per_kib: Option<u32>,
    /// Array to register (t_R); 1 to 10¹² ns.
    pub t_r_ns: Ns,
    /// Register to array (t_PROG); 1 to 10¹² ns.
    pub t_prog_ns: Ns,
    /// Block erase (t_BERS); 1 to 10¹² ns.
    pub t_bers_ns: Ns,
    /// Read cycle (t_RC); 1 to 100,000 ns.
    pub t_rc_ns: Ns,
    /// Write cycle of data, commands and addresses (t_WC); 1 to 100,000 ns.
    pub t_wc_ns: Ns,
    /// Transfers per second of a synchronous bus, in millions; 0: each byte takes a cycle. 0 to 100,000.
    pub bus_mts: u32,
    /// Waits and cycle counts.
    pub waits: Waits,
}

impl CopyTimings {
    /// The longest array time in range, ns.
    pub(super) const LONGEST_ARRAY_NS: Ns = 1_000_000_000_000;

    /// The most data bytes per page in range; also the most spare bytes.
    pub(super) const MOST_PAGE_BYTES: u64 = 1 << 20;

    /// Figures of a part, with the waits of its interface.
    ///
    /// # Errors
    /// If the part gives no bus cycles, or for the first figure outside its range.
    pub fn of_part(part: &Part, waits: Waits) -> Result<Self, CopybackError> {
        let cycles = [("t_rc_ns", part.t_rc_ns), ("t_wc_ns", part.t_wc_ns)];
        if let (false, Some((field, _))) =
            (part.gives_bus(), cycles.into_iter().find(|(_, cycle)| *cycle == 0))
        {
            return Err(CopybackError::NoBusCycle { part: part.name.to_string(), field });
        }
        // Commands and addresses on a synchronous bus have a cycle of their own.
        let bus = Timing::of(part).ok().filter(|_| part.bus_mts > 0);
        let (t_rc_ns, t_wc_ns) =
            bus.map_or((part.t_rc_ns, part.t_wc_ns), |bus| (bus.t_rc_ns, bus.t_wc_ns));
        let timings = Self {
            page_bytes: part.page_bytes,
            spare_bytes: part.oob_bytes,
            pages_per_block: part.pages_per_block,
            ecc_bits_per_kib: part.ecc_bits_per_kib,
            t_r_ns: part.t_r_ns,
            t_prog_ns: part.t_prog_ns,
            t_bers_ns: part.t_bers_ns,
            t_rc_ns,
            t_wc_ns,
            bus_mts: part.bus_mts,
            waits,
        };
        timings.validate()?;
        Ok(timings)
    }

    /// Checks every figure's range; within these ranges no sum of this module overflows.
    ///
    /// # Errors
    /// The first figure outside its range.
    pub fn validate(&self) -> Result<(), CopybackError> {
        const ARRAY: u64 = CopyTimings::LONGEST_ARRAY_NS;
        const BUS: u64 = 100_000;
        const SIZE: u64 = CopyTimings::MOST_PAGE_BYTES;
        let w = &self.waits;
        let figures = [
            ("page_bytes", u64::from(self.page_bytes), 1, SIZE),
            ("spare_bytes", self.spare_bytes.into(), 0, SIZE),
            ("pages_per_block", self.pages_per_block.into(), 1, SIZE),
            ("ecc_bits_per_kib", self.ecc_bits_per_kib.unwrap_or(1).into(), 1, 512),
            ("t_r_ns", self.t_r_ns, 1, ARRAY),
            ("t_prog_ns", self.t_prog_ns, 1, ARRAY),
            ("t_bers_ns", self.t_bers_ns, 1, ARRAY),
            ("t_rc_ns", self.t_rc_ns, 1, BUS),
            ("t_wc_ns", self.t_wc_ns, 1, BUS),
            ("bus_mts", self.bus_mts.into(), 0, 100_000),
            ("t_wb_ns", w.t_wb_ns, 0, BUS),
            ("t_adl_ns", w.t_adl_ns, 0, BUS),
            ("t_rr_ns", w.t_rr_ns, 0, BUS),
            ("t_ccs_ns", w.t_ccs_ns, 0, BUS),
            ("t_dbsy_ns", w.t_dbsy_ns, 0, BUS),
            ("t_dl_ns", w.t_dl_ns, 0, BUS),
            ("direct_cycle_ns", w.direct_cycle_ns, 0, BUS),
            ("t_ecc_ns", w.t_ecc_ns, 0, BUS),
            ("column_cycles", w.column_cycles.into(), 1, 8),
            ("row_cycles", w.row_cycles.into(), 1, 8),
        ];
        for (field, found, least, most) in figures {
            if !(least..=most).contains(&found) {
                return Err(CopybackError::Figure { field, least, most, found });
            }
        }
        Ok(())
    }

    /// Bytes moved over the bus per page: data and spare (`pageSize` of Eqs 1–3).
    pub fn moved_bytes(&self) -> u64 {
        u64::from(self.page_bytes) + u64::from(self.spare_bytes)
    }

    /// Data of one page out of the register (t_DO, Eq. 1), ns.
    pub fn data_out_ns(&self) -> Ns {
        data_ns(self.moved_bytes(), self.bus_mts, self.t_rc_ns)
    }

    /// Data of one page into the register (t_DI, Eq. 2), ns.
    pub fn data_in_ns(&self) -> Ns {
        data_ns(self.moved_bytes(), self.bus_mts, self.t_wc_ns)
    }

    /// Cycle of a direct data transfer (t_RWC): the longest of t_RC, t_WC and [`Waits::direct_cycle_ns`].
    pub fn t_rwc_ns(&self) -> Ns {
        self.t_rc_ns.max(self.t_wc_ns).max(self.waits.direct_cycle_ns)
    }

    /// The most bytes per page that can be corrected, with each wrong bit in its own byte.
    ///
    /// 24 bits per KiB of 8 KiB give 192. Without `ecc_bits_per_kib`: every byte.
    pub fn most_corrected_bytes(&self) -> u32 {
        match self.ecc_bits_per_kib {
            Some(bits) => {
                (self.page_bytes.div_ceil(1024) * bits).min(self.page_bytes + self.spare_bytes)
            }
            None => self.page_bytes + self.spare_bytes,
        }
    }

    /// Corrected bytes per page at an error rate of `percent`, rounded down (Jeong and Song, §VI.D).
    ///
    /// `percent` is 0 to 100 of [`CopyTimings::most_corrected_bytes`].
    pub fn corrected_bytes_at(&self, percent: u32) -> u32 {
        (u64::from(self.most_corrected_bytes()) * u64::from(percent.min(100)) / 100) as u32
    }

    /// Command and address cycles per page: two commands around a full address, ns.
    pub(super) fn full_command_ns(&self) -> Ns {
        (2 + u64::from(self.waits.column_cycles) + u64::from(self.waits.row_cycles)) * self.t_wc_ns
    }

    /// Cycles of one corrected byte: 85h, column, data, ns.
    pub(super) fn correction_cycles_ns(&self) -> Ns {
        (2 + u64::from(self.waits.column_cycles)) * self.t_wc_ns
    }

    /// Time of one corrected byte, including t_CCS, ns.
    pub(super) fn correction_ns(&self) -> Ns {
        self.correction_cycles_ns() + self.waits.t_ccs_ns
    }

    /// Busy time between two planes: t_WB + t_DBSY.
    pub(super) fn between_planes_ns(&self) -> Ns {
        self.waits.t_wb_ns + self.waits.t_dbsy_ns
    }
}
