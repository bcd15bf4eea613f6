//! A NAND part: the shape, times and power of its data sheet. Timings have their ONFI names.

use crate::address::{Geometry, GeometryError};
use crate::copies::Copies;
use crate::page_times::PageTimes;
use crate::retries::RetryTimes;
use crate::time::Ns;
use alloc::borrow::Cow;
use core::ops::RangeInclusive;
use serde::{Deserialize, Serialize};

/// Bits per cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cell {
    /// One bit.
    Slc,
    /// Two bits.
    Mlc,
    /// Three bits.
    Tlc,
    /// Four bits.
    Qlc,
}

impl Cell {
    /// Bits per cell.
    pub fn bits(self) -> u32 {
        match self {
            Self::Slc => 1,
            Self::Mlc => 2,
            Self::Tlc => 3,
            Self::Qlc => 4,
        }
    }

    /// Pages of a block in SLC mode, of `pages` in its own mode; at least 1.
    pub fn slc_pages(self, pages: u32) -> u32 {
        (pages / self.bits()).max(1)
    }

    /// Name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Slc => "slc",
            Self::Mlc => "mlc",
            Self::Tlc => "tlc",
            Self::Qlc => "qlc",
        }
    }
}

/// A block in SLC mode: one bit per cell, so that it has 1 / [`Cell::bits`] of its pages, and times of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlcMode {
    /// Page read (tR).
    pub t_r_ns: Ns,
    /// Page program (tPROG).
    pub t_prog_ns: Ns,
    /// Block erase (tBERS).
    pub t_bers_ns: Ns,
}

/// Supply voltage and active currents. The energy of an operation is t·V·I.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Power {
    /// Supply voltage, mV.
    pub vcc_mv: u32,
    /// Active read current, µA.
    pub read_ua: u32,
    /// Active program current, µA.
    pub program_ua: u32,
    /// Active erase current, µA.
    pub erase_ua: u32,
}

/// A NAND part.
///
/// It deserializes from a table with these field names. Unknown fields are an error, and the result has passed
/// [`Part::validate`]. Optional fields and their defaults:
///
/// - `description` and `source`: empty
/// - `cell`: `slc`
/// - `oob_bytes`: 1/32 of the page
/// - `capacity_bytes`: [`Part::DEFAULT_CAPACITY_BYTES`]
/// - `t_r_oob_ns`: `t_r_ns`
/// - `t_r_by_page_ns`, `t_prog_by_page_ns`: every page is alike
/// - `t_r_ns`, `t_prog_ns`: the longest of the times by page, if those are given
/// - `t_rc_ns`, `t_wc_ns`, `bus_mts`, `t_erase_suspend_ns` and `t_program_suspend_ns`: 0
/// - `slc`: no SLC mode
/// - `independent_plane_reads`: false
/// - `power`, and each of its fields: [`Power::DEFAULT`]
/// - `endurance_cycles` and `ecc_bits_per_kib`: unknown
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Name on the command line: lower-case letters, digits, hyphens.
    pub name: Cow<'static, str>,
    /// One line: maker, model, paper that uses it.
    pub description: Cow<'static, str>,
    /// Bits per cell.
    pub cell: Cell,
    /// User bytes per page.
    pub page_bytes: u32,
    /// OOB bytes per page.
    pub oob_bytes: u32,
    /// Pages per block (π).
    pub pages_per_block: u32,
    /// Capacity of one chip as sold, bytes. Default capacity of a run.
    pub capacity_bytes: u64,
    /// Page read from array to register (tR). Includes the transfer if the source gives one figure for both. The
    /// longest, if it depends on the page.
    pub t_r_ns: Ns,
    /// tR by kind of page.
    #[serde(skip_serializing_if = "PageTimes::is_empty")]
    pub t_r_by_page_ns: PageTimes,
    /// OOB read, of any page.
    pub t_r_oob_ns: Ns,
    /// Page program (tPROG); the longest, if it depends on the page.
    pub t_prog_ns: Ns,
    /// tPROG by kind of page.
    #[serde(skip_serializing_if = "PageTimes::is_empty")]
    pub t_prog_by_page_ns: PageTimes,
    /// Block erase (tBERS).
    pub t_bers_ns: Ns,
    /// Read cycle (tRC) of the bus. 0 if the source gives none: `t_r_ns` and `t_prog_ns` include the transfer.
    pub t_rc_ns: Ns,
    /// Write cycle (tWC) of the bus; 0 as for `t_rc_ns`. With `bus_mts`: that of commands and addresses.
    pub t_wc_ns: Ns,
    /// Transfers per second of a synchronous bus of 8 bits (NV-DDR2, NV-DDR3, Toggle), in millions; 0: the bus is
    /// asynchronous.
    #[serde(skip_serializing_if = "is_zero")]
    pub bus_mts: u32,
    /// True if one read can take any block and page of each plane of a die; otherwise the same page number.
    #[serde(skip_serializing_if = "is_not")]
    pub independent_plane_reads: bool,
    /// Blocks in SLC mode, if the part has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slc: Option<SlcMode>,
    /// Time from the command that suspends an erase until a read can begin. 0: the part cannot suspend erases,
    /// or its source does not say.
    pub t_erase_suspend_ns: Ns,
    /// As `t_erase_suspend_ns`, for a program.
    pub t_program_suspend_ns: Ns,
    /// Voltage and currents.
    pub power: Power,
    /// Rated program/erase cycles, if the source gives them.
    pub endurance_cycles: Option<u32>,
    /// Bit errors that ECC corrects per KiB, if the source gives them.
    pub ecc_bits_per_kib: Option<u32>,
    /// Source of the figures: authors, venue, table.
    pub source: Cow<'static, str>,
    /// Copy paths of the controller; `None`: each copy is a read and a program on one chip. Neither data sheets
    /// nor part files give this.
    #[serde(skip)]
    pub copies: Option<Copies>,
    /// Times of read retries, the longest of which t_R includes; `None`: no read is repeated. Neither data sheets nor part
    /// files give this.
    #[serde(skip)]
    pub retry: Option<RetryTimes>,
}

/// Reason why a part's figures are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PartError {
    /// The name is not valid on a command line or in a file.
    #[error(
        "`{0}` is not a valid part name: it must be 1 to 64 lower-case letters, digits and hyphens"
    )]
    Name(alloc::string::String),
    /// A figure is outside its range.
    #[error("part `{part}`: {field} must be {expected}, not {found}")]
    Figure {
        /// Name of the part.
        part: alloc::string::String,
        /// Name of the field.
        field: &'static str,
        /// Valid range.
        expected: &'static str,
        /// Value of the field.
        found: u64,
    },
    /// A figure that has no default is missing.
    #[error("missing field `{0}`")]
    Missing(&'static str),
    /// The capacity does not make a valid array.
    #[error("part `{part}`: {source}")]
    Geometry {
        /// Name of the part.
        part: alloc::string::String,
        /// Reason why the geometry is invalid.
        source: GeometryError,
    },
}

impl Power {
    /// 3.3 V and 10 mA for every operation: default for parts whose source gives no figures. (Choudhuri and
    /// Givargis, GFTL, CODES+ISSS 2008, in the text on Table VI.)
    pub const DEFAULT: Self =
        Self { vcc_mv: 3300, read_ua: 10_000, program_ua: 10_000, erase_ua: 10_000 };
}

impl Default for Power {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Part {
    /// Default capacity of a part: 4 GiB.
    pub const DEFAULT_CAPACITY_BYTES: u64 = 4 << 30;

    /// Checks the range of every figure.
    ///
    /// # Errors
    /// The first figure outside its range.
    pub fn validate(&self) -> Result<(), PartError> {
        let named = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.name.is_empty() || self.name.len() > 64 || !self.name.chars().all(named) {
            return Err(PartError::Name(self.name.clone().into_owned()));
        }
        for (field, found, range, expected) in self.ranges() {
            if !range.contains(&found) {
                let part = self.name.clone().into_owned();
                return Err(PartError::Figure { part, field, expected, found });
            }
        }
        if self.bus_mts > 0 && self.t_rc_ns > 0 {
            let (part, field) = (self.name.clone().into_owned(), "t_rc_ns");
            let expected = "0 beside bus_mts (a synchronous bus has no read cycle)";
            return Err(PartError::Figure { part, field, expected, found: self.t_rc_ns });
        }
        self.check_by_page("t_r_by_page_ns", &self.t_r_by_page_ns, 1, self.t_r_ns)?;
        self.check_by_page("t_prog_by_page_ns", &self.t_prog_by_page_ns, 0, self.t_prog_ns)?;
        self.geometry(self.capacity_bytes)
            .map(|_| ())
            .map_err(|source| PartError::Geometry { part: self.name.clone().into_owned(), source })
    }

    /// Checks that the longest time by page is the part's one time, which bounds assume.
    fn check_by_page(
        &self,
        field: &'static str,
        times: &PageTimes,
        least: Ns,
        longest: Ns,
    ) -> Result<(), PartError> {
        let fault = |expected, found| {
            let part = self.name.clone().into_owned();
            Err(PartError::Figure { part, field, expected, found })
        };
        match (times.longest(), times.as_slice().iter().find(|ns| **ns < least)) {
            (_, Some(found)) => fault("1 ns or more for each kind of page", *found),
            (Some(found), None) if found != longest => {
                fault("at its longest the part's one time (t_r_ns, t_prog_ns)", found)
            }
            _ => Ok(()),
        }
    }

    /// Every figure with its range, and the range in words.
    fn ranges(&self) -> [(&'static str, u64, RangeInclusive<u64>, &'static str); 21] {
        // No NAND operation takes an hour. These limits, with 100 V and 10 A for energy, keep sums far from
        // overflow.
        const HOUR: u64 = 3_600_000_000_000;
        let time = |field, found| (field, found, 1..=HOUR, "1 ns to 1 hour");
        let cycle = |field, found| (field, found, 0..=HOUR, "0 ns to 1 hour");
        let size = |field, found: u32| (field, found.into(), 2..=1 << 20, "2 to 1048576");
        let current = |field, found: u32| (field, found.into(), 0..=10_000_000, "0 to 10000000 µA");
        // Absent optional figures count as in range.
        let endurance = u64::from(self.endurance_cycles.unwrap_or(1));
        let ecc = u64::from(self.ecc_bits_per_kib.unwrap_or(1));
        let power = &self.power;
        let slc = self.slc.unwrap_or(SlcMode { t_r_ns: 1, t_prog_ns: 1, t_bers_ns: 1 });
        [
            time("t_r_ns", self.t_r_ns),
            time("t_r_oob_ns", self.t_r_oob_ns),
            time("t_prog_ns", self.t_prog_ns),
            time("t_bers_ns", self.t_bers_ns),
            cycle("t_rc_ns", self.t_rc_ns),
            cycle("t_wc_ns", self.t_wc_ns),
            ("bus_mts", self.bus_mts.into(), 0..=100_000, "0 to 100000 MT/s"),
            ("slc.t_r_ns", slc.t_r_ns, 1..=self.t_r_ns, "1 ns to t_r_ns"),
            ("slc.t_prog_ns", slc.t_prog_ns, 1..=self.t_prog_ns, "1 ns to t_prog_ns"),
            ("slc.t_bers_ns", slc.t_bers_ns, 1..=self.t_bers_ns, "1 ns to t_bers_ns"),
            cycle("t_erase_suspend_ns", self.t_erase_suspend_ns),
            cycle("t_program_suspend_ns", self.t_program_suspend_ns),
            size("page_bytes", self.page_bytes),
            size("pages_per_block", self.pages_per_block),
            ("oob_bytes", self.oob_bytes.into(), 0..=1 << 20, "0 to 1048576"),
            ("power.vcc_mv", power.vcc_mv.into(), 1..=100_000, "1 to 100000 mV"),
            current("power.read_ua", power.read_ua),
            current("power.program_ua", power.program_ua),
            current("power.erase_ua", power.erase_ua),
            ("endurance_cycles", endurance, 1..=u32::MAX.into(), "1 or more"),
            ("ecc_bits_per_kib", ecc, 1..=512, "1 to 512"),
        ]
    }

    /// True if the part gives the bus apart from the cells: both cycles, or the rate of a synchronous bus.
    pub fn gives_bus(&self) -> bool {
        self.bus_mts > 0 || (self.t_rc_ns > 0 && self.t_wc_ns > 0)
    }

    /// True if the time of a read or program depends on its page.
    pub fn depends_on_page(&self) -> bool {
        !self.t_r_by_page_ns.is_empty() || !self.t_prog_by_page_ns.is_empty()
    }

    /// tR of a page of a block, in SLC mode or not.
    #[inline]
    pub fn t_r_of_ns(&self, page: u32, slc: bool) -> Ns {
        match self.slc {
            Some(times) if slc => times.t_r_ns,
            _ => self.t_r_by_page_ns.of_page(page, self.t_r_ns),
        }
    }

    /// tPROG of a page of a block, in SLC mode or not.
    #[inline]
    pub fn t_prog_of_ns(&self, page: u32, slc: bool) -> Ns {
        match self.slc {
            Some(times) if slc => times.t_prog_ns,
            _ => self.t_prog_by_page_ns.of_page(page, self.t_prog_ns),
        }
    }

    /// tBERS of a block, in SLC mode or not.
    #[inline]
    pub fn t_bers_of_ns(&self, slc: bool) -> Ns {
        match self.slc {
            Some(times) if slc => times.t_bers_ns,
            _ => self.t_bers_ns,
        }
    }

    /// Pages of a block in SLC mode; at least 1.
    pub fn slc_pages(&self) -> u32 {
        self.cell.slc_pages(self.pages_per_block)
    }

    /// Geometry of an array of this part with `capacity_bytes` of raw space, in whole blocks.
    ///
    /// # Errors
    /// If the capacity is less than one block, or needs too many pages.
    pub fn geometry(&self, capacity_bytes: u64) -> Result<Geometry, GeometryError> {
        Geometry::with_capacity(capacity_bytes, self.pages_per_block, self.page_bytes)
    }

    /// Worst-case time of a copy of one page, ns: a page read and a page program on one chip, unless
    /// [`Part::copies`] overrides it.
    #[inline]
    pub fn t_copy_ns(&self) -> Ns {
        self.t_copies_ns(1)
    }

    /// Worst-case time of a run of copies, ns.
    #[inline]
    pub fn t_copies_ns(&self, pages: u64) -> Ns {
        match &self.copies {
            None => pages * (self.t_r_ns + self.t_prog_ns),
            Some(copies) => copies.longest_ns(pages),
        }
    }

    /// First read of a page, without the steps of a read retry, ns.
    #[inline]
    pub fn first_read_ns(&self) -> Ns {
        self.retry.map_or(self.t_r_ns, |retry| retry.read_ns)
    }

    /// First read of an OOB, without the steps of a read retry, ns.
    #[inline]
    pub fn first_read_oob_ns(&self) -> Ns {
        self.retry.map_or(self.t_r_oob_ns, |retry| retry.read_oob_ns)
    }

    /// Energy of a first page read, picojoules: t (ns) × V (mV) × I (µA) / 10⁶; the mean over the kinds of page.
    pub fn read_pj(&self) -> u64 {
        energy_pj(
            self.t_r_by_page_ns.mean(self.first_read_ns()),
            self.power.vcc_mv,
            self.power.read_ua,
        )
    }

    /// Energy of an OOB read, picojoules.
    pub fn read_oob_pj(&self) -> u64 {
        energy_pj(self.first_read_oob_ns(), self.power.vcc_mv, self.power.read_ua)
    }

    /// Energy of a page program, picojoules; the mean over the kinds of page.
    pub fn program_pj(&self) -> u64 {
        energy_pj(
            self.t_prog_by_page_ns.mean(self.t_prog_ns),
            self.power.vcc_mv,
            self.power.program_ua,
        )
    }

    /// Energy of a block erase, picojoules.
    pub fn erase_pj(&self) -> u64 {
        energy_pj(self.t_bers_ns, self.power.vcc_mv, self.power.erase_ua)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_not(has: &bool) -> bool {
    !has
}

fn is_zero(figure: &u32) -> bool {
    *figure == 0
}

fn energy_pj(t_ns: Ns, vcc_mv: u32, current_ua: u32) -> u64 {
    (u128::from(t_ns) * u128::from(vcc_mv) * u128::from(current_ua) / 1_000_000) as u64
}
