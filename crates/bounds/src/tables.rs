//! Tables I to III of Lazy-RTGC for any part, as data rows, and the printed figures for the paper's five
//! parts.
//!
//! Source: Zhang et al., Lazy-RTGC, ACM TODAES 20(3):43, 2015, §3.3 and §4.3.

use crate::fsr;
use crate::gftl;
use crate::ideal;
use crate::lazy_rtgc;
#[cfg(doc)]
use crate::page_level;
use crate::ratio::Ratio;
use crate::rftl;
use flash::{Ns, Part};

/// σ of the ideal case as Table I prints it; the share that N blocks allow is [`page_level::share`].
pub const IDEAL_SHARE: Ratio = Ratio::of(99, 100);

/// One scheme's row of Table I.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServiceBounds {
    /// Name of the scheme: `ideal`, `fsr`, `gftl`, `rftl`, `lazy-rtgc`, `lazy-rtgc-on-demand`.
    pub scheme: &'static str,
    /// U(e_r), ns.
    pub read_ns: Ns,
    /// U(e_w), ns.
    pub write_ns: Ns,
    /// U(R), ns. For a partial collector it is a bound only if [`ServiceBounds::share`] is above 0.
    pub response_ns: Ns,
    /// U(λ), pages.
    pub victim_valid: u32,
    /// U(σ); `None` if the paper prints N/A.
    pub share: Option<Ratio>,
}

/// Table I for a part: its five rows in the paper's order, and the row of §5's on-demand extension.
///
/// - FSR: U(λ) is at the evaluation's σ = 0.75. U(R) is that of Eq. 5 with λ = π − 1, because the paper
///   treats σ as unknown there. For an array with its own σ, see [`fsr::response_ns`].
/// - Lazy-RTGC: both rows are at U(σ); on demand with the evaluation's σ_t = 0.5. For the corrected division
///   of a given number of blocks, see [`lazy_rtgc::space`].
pub fn service_bounds(part: &Part) -> [ServiceBounds; 6] {
    let pages = part.pages_per_block;
    let share = lazy_rtgc::share_max(part);
    let on_demand =
        lazy_rtgc::on_demand::share_max(part, lazy_rtgc::on_demand::EVALUATION_TRANSLATION_SHARE);
    [
        ServiceBounds {
            scheme: "ideal",
            read_ns: ideal::read_ns(part),
            write_ns: ideal::write_ns(part),
            response_ns: ideal::response_ns(part),
            victim_valid: pages,
            share: Some(IDEAL_SHARE),
        },
        ServiceBounds {
            scheme: "fsr",
            read_ns: part.t_r_ns,
            write_ns: part.t_prog_ns,
            response_ns: fsr::table_response_ns(part),
            victim_valid: fsr::victim_valid(part, fsr::EVALUATION_SHARE),
            share: None,
        },
        ServiceBounds {
            scheme: "gftl",
            read_ns: gftl::read_ns(part),
            write_ns: gftl::write_ns(part),
            response_ns: gftl::period_ns(part),
            victim_valid: gftl::victim_valid(part),
            share: Some(gftl::share_in_lazy_rtgc(part)),
        },
        ServiceBounds {
            scheme: "rftl",
            read_ns: rftl::read_ns(part),
            write_ns: rftl::write_ns(part),
            response_ns: rftl::response_ns(part),
            victim_valid: rftl::victim_valid(part),
            share: Some(rftl::SHARE),
        },
        ServiceBounds {
            scheme: "lazy-rtgc",
            read_ns: lazy_rtgc::read_ns(part),
            write_ns: lazy_rtgc::write_ns(part),
            response_ns: lazy_rtgc::response_ns(part),
            victim_valid: lazy_rtgc::victim_valid(part, share),
            share: Some(share),
        },
        ServiceBounds {
            scheme: "lazy-rtgc-on-demand",
            read_ns: lazy_rtgc::on_demand::read_ns(part),
            write_ns: lazy_rtgc::on_demand::write_ns(part),
            response_ns: lazy_rtgc::on_demand::response_ns(part),
            victim_valid: lazy_rtgc::victim_valid(part, on_demand),
            share: Some(on_demand),
        },
    ]
}

/// One part's row of Table II.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpaceConfiguration {
    /// t_rd, ns.
    pub t_r_ns: Ns,
    /// t_wr, ns.
    pub t_prog_ns: Ns,
    /// t_er, ns.
    pub t_bers_ns: Ns,
    /// π.
    pub pages_per_block: u32,
    /// α; 0 if the part does not allow partial collection.
    pub alpha: u32,
    /// U(σ) of Lazy-RTGC (Eq. 11).
    pub share: Ratio,
}

/// Table II's row for a part.
pub fn space_configuration(part: &Part) -> SpaceConfiguration {
    SpaceConfiguration {
        t_r_ns: part.t_r_ns,
        t_prog_ns: part.t_prog_ns,
        t_bers_ns: part.t_bers_ns,
        pages_per_block: part.pages_per_block,
        alpha: lazy_rtgc::alpha(part),
        share: lazy_rtgc::share_max(part),
    }
}

/// One part's row of Table III: logical over physical space for each scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpaceShares {
    /// [`IDEAL_SHARE`], as in Table I; the share that N blocks allow is [`page_level::share`].
    pub ideal: Ratio,
    /// FSR; the paper prints N/A because the share depends on the real-time tasks.
    pub fsr: Option<Ratio>,
    /// RFTL.
    pub rftl: Ratio,
    /// GFTL, with steps counted as in Lazy-RTGC's Table I.
    pub gftl: Ratio,
    /// Lazy-RTGC (Eq. 11).
    pub lazy_rtgc: Ratio,
}

/// Table III's row for a part.
pub fn space_shares(part: &Part) -> SpaceShares {
    SpaceShares {
        ideal: IDEAL_SHARE,
        fsr: None,
        rftl: rftl::SHARE,
        gftl: gftl::share_in_lazy_rtgc(part),
        lazy_rtgc: lazy_rtgc::share_max(part),
    }
}

/// Figures that Tables II and III print for one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The part's name in the catalogue.
    pub part: &'static str,
    /// t_rd, µs.
    pub t_r_us: u32,
    /// t_wr, µs.
    pub t_prog_us: u32,
    /// t_er, µs.
    pub t_bers_us: u32,
    /// π.
    pub pages_per_block: u32,
    /// U(σ) of Table II, thousandths; Table III prints the same.
    pub lazy_rtgc_permille: u32,
    /// GFTL's column of Table III, thousandths (92.97 % is printed truncated, as 92.9).
    pub gftl_permille: u32,
    /// RFTL's column of Table III, thousandths.
    pub rftl_permille: u32,
}

/// Tables II and III as printed (the text announces six parts; the tables have five).
pub const PRINTED: [Printed; 5] = [
    printed("spansion-slc", [25, 200, 2000], 64, 875, 929),
    printed("toshiba-slc", [25, 300, 3000], 64, 886, 929),
    printed("samsung-mlc-512m", [60, 800, 1500], 128, 496, 688),
    printed("micron-mlc", [50, 1600, 5500], 256, 747, 842),
    printed("toshiba-tlc", [250, 2700, 4000], 192, 497, 596),
];

/// The printed figures for the part of this name.
pub fn printed_for(part: &str) -> Option<&'static Printed> {
    PRINTED.iter().find(|row| row.part == part)
}

const fn printed(
    part: &'static str,
    [t_r_us, t_prog_us, t_bers_us]: [u32; 3],
    pages_per_block: u32,
    lazy_rtgc_permille: u32,
    gftl_permille: u32,
) -> Printed {
    Printed {
        part,
        t_r_us,
        t_prog_us,
        t_bers_us,
        pages_per_block,
        lazy_rtgc_permille,
        gftl_permille,
        rftl_permille: 333,
    }
}
