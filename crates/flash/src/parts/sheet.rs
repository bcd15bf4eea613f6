//! Data sheet as a part's file writes it.

use crate::page_times::PageTimes;
use crate::part::{Cell, Part, Power, SlcMode};
use crate::time::Ns;
use alloc::borrow::Cow;

/// Figures of a [`Part`], with its field names. [`Sheet::USUAL`] gives those that most sources leave open.
pub(super) struct Sheet {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) cell: Cell,
    pub(super) page_bytes: u32,
    pub(super) oob_bytes: u32,
    pub(super) pages_per_block: u32,
    pub(super) capacity_bytes: u64,
    pub(super) t_r_ns: Ns,
    pub(super) t_r_by_page_ns: PageTimes,
    /// `None`: the same as `t_r_ns`.
    pub(super) t_r_oob_ns: Option<Ns>,
    pub(super) t_prog_ns: Ns,
    pub(super) t_prog_by_page_ns: PageTimes,
    pub(super) t_bers_ns: Ns,
    pub(super) t_rc_ns: Ns,
    pub(super) t_wc_ns: Ns,
    pub(super) bus_mts: u32,
    pub(super) independent_plane_reads: bool,
    pub(super) slc: Option<SlcMode>,
    pub(super) t_erase_suspend_ns: Ns,
    pub(super) t_program_suspend_ns: Ns,
    pub(super) power: Power,
    pub(super) endurance_cycles: Option<u32>,
    pub(super) ecc_bits_per_kib: Option<u32>,
    pub(super) source: &'static str,
}

impl Sheet {
    /// Defaults of a sheet. Its shape and times are 0, which is invalid for a part.
    pub(super) const USUAL: Self = Self {
        name: "",
        description: "",
        cell: Cell::Slc,
        page_bytes: 0,
        oob_bytes: 0,
        pages_per_block: 0,
        capacity_bytes: 0,
        t_r_ns: 0,
        t_r_by_page_ns: PageTimes::ALIKE,
        t_r_oob_ns: None,
        t_prog_ns: 0,
        t_prog_by_page_ns: PageTimes::ALIKE,
        t_bers_ns: 0,
        t_rc_ns: 0,
        t_wc_ns: 0,
        bus_mts: 0,
        independent_plane_reads: false,
        slc: None,
        t_erase_suspend_ns: 0,
        t_program_suspend_ns: 0,
        power: Power::DEFAULT,
        endurance_cycles: None,
        ecc_bits_per_kib: None,
        source: "",
    };

    pub(super) const fn part(self) -> Part {
        Part {
            name: Cow::Borrowed(self.name),
            description: Cow::Borrowed(self.description),
            cell: self.cell,
            page_bytes: self.page_bytes,
            oob_bytes: self.oob_bytes,
            pages_per_block: self.pages_per_block,
            capacity_bytes: self.capacity_bytes,
            t_r_ns: self.t_r_ns,
            t_r_by_page_ns: self.t_r_by_page_ns,
            t_r_oob_ns: match self.t_r_oob_ns {
                Some(ns) => ns,
                None => self.t_r_ns,
            },
            t_prog_ns: self.t_prog_ns,
            t_prog_by_page_ns: self.t_prog_by_page_ns,
            t_bers_ns: self.t_bers_ns,
            t_rc_ns: self.t_rc_ns,
            t_wc_ns: self.t_wc_ns,
            bus_mts: self.bus_mts,
            independent_plane_reads: self.independent_plane_reads,
            slc: self.slc,
            t_erase_suspend_ns: self.t_erase_suspend_ns,
            t_program_suspend_ns: self.t_program_suspend_ns,
            power: self.power,
            endurance_cycles: self.endurance_cycles,
            ecc_bits_per_kib: self.ecc_bits_per_kib,
            source: Cow::Borrowed(self.source),
            copies: None,
            retry: None,
        }
    }
}
