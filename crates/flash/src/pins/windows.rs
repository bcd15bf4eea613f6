//! Window check: are the source's data valid when the destination latches them?
//!
//! ```text
//! cycle    tRWC = the longer of the source's tRC and the destination's tWC; RE# is low for tRWC − tREH
//! DVW      data valid window, from RE# low: tREA ... tRWC + the shorter of tRHOH − tREH and H
//!          H = tRLOH if tRWC < 30 ns (EDO), else 0: the next RE# low may end the data at once
//! DRW      data required window: tDS + tDH
//! skew     tDL = tREA + tDS − tWP, so that data are valid for tDS when WE# goes high; at least 0
//! fits     data valid tDS before WE# goes high and tDH after
//! ```
//!
//! Source: Jeong and Song, §IV.B and Fig. 10. It derives the DVW from tRC, tRP, tREH and tREA, and draws tRHOH
//! and tRLOH. Their values are those of ONFI 2.1.

use super::pin_timing::Interface;
use crate::channels::Timing;
use crate::time::Ns;

/// In read cycles shorter than this the next RE# latches the data (EDO), so that tRLOH applies.
const EDO_BELOW_NS: Ns = 30;
/// No cycle is widened beyond this: ten times mode 0's cycle.
const WIDEST_NS: Ns = 1_000;

/// Cycle of a direct transfer at the pins, ns. All times count from the source's RE# low.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// The cycle (tRWC).
    pub t_rwc_ns: Ns,
    /// RE# low within the cycle.
    pub re_low_ns: Ns,
    /// Start of valid data (tREA).
    pub valid_from_ns: Ns,
    /// End of valid data.
    pub valid_until_ns: Ns,
    /// Setup time that the destination needs before WE# goes high (tDS).
    pub t_ds_ns: Ns,
    /// Hold time that it needs after (tDH).
    pub t_dh_ns: Ns,
    /// WE# low (tWP).
    pub we_low_ns: Ns,
    /// RE# low to WE# low (tDL).
    pub t_dl_ns: Ns,
}

impl Windows {
    /// Windows of a cycle of `t_rwc_ns`.
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

    /// Length of the data valid window (DVW); 0 if data are never certain.
    pub fn dvw_ns(&self) -> Ns {
        self.valid_until_ns.saturating_sub(self.valid_from_ns)
    }

    /// Length of the data required window (DRW).
    pub fn drw_ns(&self) -> Ns {
        self.t_ds_ns + self.t_dh_ns
    }

    /// Time at which the destination latches: WE# high.
    pub fn latch_ns(&self) -> Ns {
        self.t_dl_ns + self.we_low_ns
    }

    /// Margins of valid data at skew `t_dl_ns`: beyond tDS before WE# goes high, and beyond tDH after. Negative
    /// if data are not valid for that long.
    pub fn margins_ns(&self, t_dl_ns: Ns) -> (i64, i64) {
        let latch = (t_dl_ns + self.we_low_ns) as i64;
        let before = latch - (self.valid_from_ns + self.t_ds_ns) as i64;
        let after = self.valid_until_ns as i64 - latch - self.t_dh_ns as i64;
        (before, after)
    }

    /// Longest skew that fits; `None` if none does.
    pub fn longest_skew_ns(&self) -> Option<Ns> {
        let (before, after) = self.margins_ns(self.t_dl_ns);
        (before >= 0 && after >= 0).then(|| self.t_dl_ns + after as Ns)
    }

    /// A timing with this cycle and skew for direct transfers. Commands and other transfers keep their cycles.
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
        // With tDL at its minimum of 0, WE# goes high too late for the data.
        let (_, after) = self.margins_ns(self.t_dl_ns);
        (after < 0).then_some(Refusal::Late { latch_ns: self.latch_ns(), missing_ns: -after as Ns })
    }
}

/// Reason why a direct transfer cannot work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The data valid window is shorter than the data required window.
    #[error(
        "data are valid for {dvw_ns} ns of a cycle (DVW: {valid_from_ns} to {valid_until_ns} ns after RE# low), and \
         the destination requires {drw_ns} ns (DRW: tDS {t_ds_ns} + tDH {t_dh_ns})"
    )]
    Narrow {
        /// Data valid window.
        dvw_ns: Ns,
        /// Data required window.
        drw_ns: Ns,
        /// Start of the data valid window.
        valid_from_ns: Ns,
        /// End of the data valid window.
        valid_until_ns: Ns,
        /// tDS of the destination.
        t_ds_ns: Ns,
        /// tDH of the destination.
        t_dh_ns: Ns,
    },
    /// Data are valid long enough, but the WE# pulse is too long to end within the window.
    #[error(
        "WE# goes high {latch_ns} ns after RE# low at the earliest, and data end {missing_ns} ns too early then"
    )]
    Late {
        /// Time of WE# high.
        latch_ns: Ns,
        /// Missing part of tDH.
        missing_ns: Ns,
    },
}

/// Result of a window check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowCheck {
    /// Windows of the requested cycle.
    pub asked: Windows,
    /// Reason why the requested cycle cannot work, if so.
    pub refusal: Option<Refusal>,
    /// The shortest longer cycle that works, if the requested one does not. `None` if none up to 1 µs works.
    pub widened: Option<Windows>,
}

impl WindowCheck {
    /// Windows of the shortest cycle that works, from the requested one on.
    pub fn working(&self) -> Option<Windows> {
        if self.refusal.is_none() { Some(self.asked) } else { self.widened }
    }
}

/// Checks direct transfers from a source to a destination, each in its own mode. The cycle is the slower of
/// both cycles, and at least the source's tRP + tREH.
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
