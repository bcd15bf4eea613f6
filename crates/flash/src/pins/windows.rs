//! The window check: whether what the source drives is there when the destination latches it.
//!
//! ```text
//! cycle    tRWC = the longer of the source's tRC and the destination's tWC; RE# is low for tRWC − tREH
//! DVW      data valid window, from RE# low: tREA ... tRWC + the shorter of tRHOH − tREH and H
//!          H = tRLOH where tRWC < 30 ns (EDO), 0 where the next RE# low may end the data at once
//! DRW      data required window: tDS + tDH
//! skew     tDL = tREA + tDS − tWP, so that data are valid for tDS when WE# goes high; at least 0
//! fits     data valid tDS before WE# goes high and tDH after
//! ```
//!
//! Source: Jeong and Song, §IV.B and Fig. 10. It gives tRC, tRP, tREH, tREA for what the DVW follows from, and draws
//! tRHOH and tRLOH; ONFI 2.1 for what these hold.

use super::interface::Interface;
use crate::channels::Timing;
use crate::time::Ns;

/// Read cycles shorter than this are latched by the next RE# (EDO), so that tRLOH holds.
const EDO_BELOW_NS: Ns = 30;
/// No cycle is widened beyond this: ten times mode 0's.
const WIDEST_NS: Ns = 1_000;

/// A cycle of a direct transfer at the pins, all from the source's RE# low, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// The cycle (tRWC).
    pub t_rwc_ns: Ns,
    /// RE# low of it.
    pub re_low_ns: Ns,
    /// When data are valid (tREA).
    pub valid_from_ns: Ns,
    /// Until when.
    pub valid_until_ns: Ns,
    /// The part of it before WE# goes high that the destination needs (tDS).
    pub t_ds_ns: Ns,
    /// The part after (tDH).
    pub t_dh_ns: Ns,
    /// WE# low (tWP).
    pub we_low_ns: Ns,
    /// RE# low to WE# low (tDL).
    pub t_dl_ns: Ns,
}

impl Windows {
    /// Of a cycle of `t_rwc_ns`.
    fn of(source: &Interface, destination: &Interface, t_rwc_ns: Ns) -> Self {
        let (from, to) = (&source.pins, &destination.pins);
        let re_low_ns = t_rwc_ns.saturating_sub(from.t_reh_ns);
        let after_next = if t_rwc_ns < EDO_BELOW_NS { from.t_rloh_ns } else { 0 };
        Self {
            t_rwc_ns,
            re_low_ns,
            valid_from_ns: from.t_rea_ns,
            valid_until_ns: (re_low_ns + from.t_rhoh_ns).min(t_rwc_ns + after_next),
            t_ds_ns: to.t_ds_ns,
            t_dh_ns: to.t_dh_ns,
            we_low_ns: to.t_wp_ns,
            t_dl_ns: (from.t_rea_ns + to.t_ds_ns).saturating_sub(to.t_wp_ns),
        }
    }

    /// The data valid window (DVW); 0 where data are never certain.
    pub fn dvw_ns(&self) -> Ns {
        self.valid_until_ns.saturating_sub(self.valid_from_ns)
    }

    /// The data required window (DRW).
    pub fn drw_ns(&self) -> Ns {
        self.t_ds_ns + self.t_dh_ns
    }

    /// When the destination latches: WE# high.
    pub fn latch_ns(&self) -> Ns {
        self.t_dl_ns + self.we_low_ns
    }

    /// By how much data are valid longer than tDS before, and tDH after, WE# goes high, were the skew `t_dl_ns`;
    /// negative where they are not.
    pub fn margins_ns(&self, t_dl_ns: Ns) -> (i64, i64) {
        let latch = (t_dl_ns + self.we_low_ns) as i64;
        let before = latch - (self.valid_from_ns + self.t_ds_ns) as i64;
        let after = self.valid_until_ns as i64 - latch - self.t_dh_ns as i64;
        (before, after)
    }

    /// The longest skew that fits; `None` where none does.
    pub fn longest_skew_ns(&self) -> Option<Ns> {
        let (before, after) = self.margins_ns(self.t_dl_ns);
        (before >= 0 && after >= 0).then(|| self.t_dl_ns + after as Ns)
    }

    /// A timing with this cycle for direct transfers, and this skew; commands and other transfers keep their cycles.
    pub fn applied_to(&self, timing: &Timing) -> Timing {
        Timing { direct_cycle_ns: self.t_rwc_ns, t_dl_ns: self.t_dl_ns, ..*timing }
    }

    fn refusal(&self) -> Option<Refusal> {
        let (dvw_ns, drw_ns) = (self.dvw_ns(), self.drw_ns());
        if dvw_ns < drw_ns {
            let (valid_from_ns, valid_until_ns) = (self.valid_from_ns, self.valid_until_ns);
            let (t_ds_ns, t_dh_ns) = (self.t_ds_ns, self.t_dh_ns);
            return Some(Refusal::Narrow {
                dvw_ns,
                drw_ns,
                valid_from_ns,
                valid_until_ns,
                t_ds_ns,
                t_dh_ns,
            });
        }
        // With tDL at 0 WE# goes high later than data need.
        let (_, after) = self.margins_ns(self.t_dl_ns);
        (after < 0).then_some(Refusal::Late { latch_ns: self.latch_ns(), missing_ns: -after as Ns })
    }
}

/// Why a direct transfer cannot work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Data are not valid for as long as they are required.
    #[error(
        "data are valid for {dvw_ns} ns of a cycle (DVW: {valid_from_ns} to {valid_until_ns} ns after RE# low), and \
         the destination requires {drw_ns} ns (DRW: tDS {t_ds_ns} + tDH {t_dh_ns})"
    )]
    Narrow {
        /// Data valid window.
        dvw_ns: Ns,
        /// Data required window.
        drw_ns: Ns,
        /// Where the former begins.
        valid_from_ns: Ns,
        /// Where it ends.
        valid_until_ns: Ns,
        /// tDS of the destination.
        t_ds_ns: Ns,
        /// tDH of the destination.
        t_dh_ns: Ns,
    },
    /// Data are valid long enough, but WE#'s pulse is too long to go high within.
    #[error(
        "WE# goes high {latch_ns} ns after RE# low at the earliest, and data end {missing_ns} ns too early then"
    )]
    Late {
        /// When WE# goes high.
        latch_ns: Ns,
        /// What is missing of tDH.
        missing_ns: Ns,
    },
}

/// What a check finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowCheck {
    /// The cycle asked for.
    pub asked: Windows,
    /// Why it cannot work, if it cannot.
    pub refusal: Option<Refusal>,
    /// The shortest longer cycle that can, where it cannot; `None` where none up to 1 µs can.
    pub widened: Option<Windows>,
}

impl WindowCheck {
    /// The shortest cycle that works, from the one asked for on.
    pub fn working(&self) -> Option<Windows> {
        if self.refusal.is_none() { Some(self.asked) } else { self.widened }
    }
}

/// Checks direct transfers from a source to a destination, each in its own mode, at the slower of both cycles, and none
/// below the source's tRP + tREH.
pub fn windows(source: &Interface, destination: &Interface) -> WindowCheck {
    let least = source.pins.least_read_cycle_ns();
    let cycle = source.t_rc_ns.max(destination.t_wc_ns).max(least);
    let asked = Windows::of(source, destination, cycle);
    let refusal = asked.refusal();
    let widened = refusal.and_then(|_| {
        let mut wider = (cycle + 1..=WIDEST_NS).map(|ns| Windows::of(source, destination, ns));
        wider.find(|windows| windows.refusal().is_none())
    });
    WindowCheck { asked, refusal, widened }
}
