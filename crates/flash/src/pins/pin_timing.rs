//! Timing of a device's pins: ONFI's asynchronous timing modes.

use crate::channels::{Timing, TimingError};
use crate::part::Part;
use crate::time::Ns;

/// Times at a device's pins, ns. Cycles, and the waits between them, are those of [`Timing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PinTiming {
    /// Minimum RE# low (tRP).
    pub t_rp_ns: Ns,
    /// Minimum RE# high (tREH).
    pub t_reh_ns: Ns,
    /// Maximum time from RE# low to data (tREA).
    pub t_rea_ns: Ns,
    /// Minimum time from RE# high to the end of data (tRHOH).
    pub t_rhoh_ns: Ns,
    /// Minimum time from the next RE# low to the end of data (tRLOH). Applies to read cycles below 30 ns (EDO).
    pub t_rloh_ns: Ns,
    /// Maximum time from CE# low to data (tCEA).
    pub t_cea_ns: Ns,
    /// Minimum WE# low (tWP).
    pub t_wp_ns: Ns,
    /// Minimum WE# high (tWH).
    pub t_wh_ns: Ns,
    /// Minimum time from data to WE# high (tDS).
    pub t_ds_ns: Ns,
    /// Minimum time from WE# high to the end of data (tDH).
    pub t_dh_ns: Ns,
    /// Minimum time from CLE to WE# high (tCLS).
    pub t_cls_ns: Ns,
    /// Minimum time from WE# high to the end of CLE (tCLH).
    pub t_clh_ns: Ns,
    /// Minimum time from ALE to WE# high (tALS).
    pub t_als_ns: Ns,
    /// Minimum time from WE# high to the end of ALE (tALH).
    pub t_alh_ns: Ns,
    /// Minimum time from CE# low to WE# high (tCS).
    pub t_cs_ns: Ns,
    /// Minimum time from WE# high to CE# high (tCH).
    pub t_ch_ns: Ns,
}

const fn mode(
    [t_rp_ns, t_reh_ns, t_rea_ns, t_rhoh_ns, t_rloh_ns, t_cea_ns]: [Ns; 6],
    [t_wp_ns, t_wh_ns, t_ds_ns, t_dh_ns]: [Ns; 4],
    [t_cls_ns, t_clh_ns, t_als_ns, t_alh_ns, t_cs_ns, t_ch_ns]: [Ns; 6],
) -> PinTiming {
    PinTiming {
        t_rp_ns,
        t_reh_ns,
        t_rea_ns,
        t_rhoh_ns,
        t_rloh_ns,
        t_cea_ns,
        t_wp_ns,
        t_wh_ns,
        t_ds_ns,
        t_dh_ns,
        t_cls_ns,
        t_clh_ns,
        t_als_ns,
        t_alh_ns,
        t_cs_ns,
        t_ch_ns,
    }
}

/// ONFI 2.1, asynchronous timing modes 0 to 5.
const MODES: [PinTiming; 6] = [
    mode([50, 30, 40, 0, 0, 100], [50, 30, 40, 20], [50, 20, 50, 20, 70, 20]),
    mode([25, 15, 30, 15, 0, 45], [25, 15, 20, 10], [25, 10, 25, 10, 35, 10]),
    mode([17, 15, 25, 15, 0, 30], [17, 15, 15, 5], [15, 10, 15, 10, 25, 10]),
    mode([15, 10, 20, 15, 0, 25], [15, 10, 10, 5], [10, 5, 10, 5, 25, 5]),
    mode([12, 10, 20, 15, 5, 25], [12, 10, 10, 5], [10, 5, 10, 5, 20, 5]),
    mode([10, 7, 16, 15, 5, 25], [10, 7, 7, 5], [10, 5, 10, 5, 15, 5]),
];

impl PinTiming {
    /// Pin times of an asynchronous timing mode, 0 to 5.
    ///
    /// # Errors
    /// If there is no such mode.
    pub fn of_mode(mode: u8) -> Result<Self, TimingError> {
        MODES.get(usize::from(mode)).copied().ok_or(TimingError::Mode(mode))
    }

    /// Hold time after the end of a write cycle (WE# high) until its levels may change: the longest of tDH,
    /// tCLH and tALH.
    pub fn hold_ns(&self) -> Ns {
        self.t_dh_ns.max(self.t_clh_ns).max(self.t_alh_ns)
    }

    /// Shortest read cycle.
    pub fn least_read_cycle_ns(&self) -> Ns {
        self.t_rp_ns + self.t_reh_ns
    }

    /// Shortest write cycle that ends with WE# high and whose levels change only after the hold time of the
    /// cycle before.
    pub fn least_write_cycle_ns(&self) -> Ns {
        let set_up = self.t_ds_ns.max(self.t_cls_ns).max(self.t_als_ns);
        (self.t_wp_ns + self.t_wh_ns).max(set_up + self.hold_ns()).max(self.t_cs_ns)
    }
}

/// A device at the bus: its pins and its cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Pin times.
    pub pins: PinTiming,
    /// Read cycle in a direct transfer.
    pub t_rc_ns: Ns,
    /// Write cycle (tWC).
    pub t_wc_ns: Ns,
}

impl Interface {
    /// A part in an asynchronous timing mode, 0 to 5, with the mode's own cycles.
    ///
    /// # Errors
    /// If there is no such mode.
    pub fn of_mode(part: &Part, mode: u8) -> Result<Self, TimingError> {
        let timing = Timing::with_mode(part, mode)?;
        Self::of_timing(&timing, mode)
    }

    /// Pins of an asynchronous timing mode, 0 to 5, with the cycles of a timing.
    ///
    /// # Errors
    /// If there is no such mode.
    pub fn of_timing(timing: &Timing, mode: u8) -> Result<Self, TimingError> {
        let pins = PinTiming::of_mode(mode)?;
        Ok(Self { pins, t_rc_ns: timing.t_rwc_ns(), t_wc_ns: timing.t_wc_ns })
    }
}
