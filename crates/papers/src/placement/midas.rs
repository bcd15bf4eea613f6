//! The check value of MiDAS' simulator.

use super::loads::Load;
use super::measure::{Device, Measured, measure_all, waf};
use super::ssd_iq::placement;
use crate::chip::chip;
use crate::observer::ReproductionObserver;
use crate::row::Row;
use crate::settings::Settings;
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use flash::Lpn;
use ftl::{FtlError, VictimKind};

/// 8 GiB in segments of 4 MiB, of which 8 GB are exported, in pages of 4 KiB.
const DEVICE: Device = Device {
    blocks: 2048,
    pages_per_block: 1024,
    logical_pages: (8_000_000_000_u64 / 4096) as u32,
};

/// Pages that its host writes, the first of which fill the device in order; and write amplification of all.
const WRITES: u64 = 54_237_899;
const PRINTED: &str = "2.300";

/// Exponent of Zipf's law with which the share [`HOT`] of writes is overwritten while its HOT group takes 9 segments.
const EXPONENT: f64 = 1.107;

/// Share of writes that its README lets go to a HOT group of 9 segments in which almost nothing stays valid.
#[cfg(test)]
const HOT: f64 = 0.702;

/// Tolerance, percent.
const NEAR: f64 = 5.0;

/// Write amplification from the first write on.
fn measure(device: Device, writes: u64, exponent: f64, seed: u64) -> Result<f64, FtlError> {
    let (victim, pages) = (VictimKind::MIDAS_COST_BENEFIT, device.logical_pages);
    let mut scheme = device.scheme(placement("midas"), victim, None)?;
    for lpn in 0..pages {
        scheme.write(Lpn(lpn), None)?;
    }
    let mut load = Load::HashedZipf(exponent).writes(pages, seed);
    for _ in u64::from(pages)..writes {
        scheme.write(Lpn(load.next()), None)?;
    }
    Ok(waf(chip(scheme.flash()).counts()))
}

pub(super) fn midas(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    // The other exponent is no comparison and takes as long: it is made where the section is named.
    let named = settings.only.iter().any(|only| only == "midas");
    let exponents = &[EXPONENT, 1.0][..if named { 2 } else { 1 }];
    let measured =
        measure_all(exponents, watch, |exponent| measure(DEVICE, WRITES, *exponent, settings.seed));
    let what = |exponent: f64| {
        format!(
            "write amplification of MiDAS, cost-benefit, 8 GiB, Zipf's law with exponent {exponent}"
        )
    };
    let row = |(exponent, measured): (&f64, Measured<f64>)| {
        let (what, is_compared) = (what(*exponent), *exponent == EXPONENT);
        let row = match measured {
            Some(Ok(waf)) if is_compared => {
                Row::measured(&what, "", PRINTED, waf, NEAR).because(Reason::Open(
                    "its trace of fio is a file of 1.4 GB with unknown parameters; the exponent here follows from the HOT \
                     traffic that its README tells"
                        .into(),
                ))
            }
            Some(Ok(waf)) => Row::evidence(&what, "", waf, 3),
            Some(Err(why)) => {
                Row::missing(&what, "", Some(PRINTED), why)
            }
            None => {
                let why = Reason::MissingDetail("stopped before".into());
                Row::incomparable(&what, "", Some(PRINTED), None, why)
            }
        };
        row.noting("page-level+placement=midas+victim=midas-cost-benefit")
    };
    to.rows.extend(exponents.iter().zip(measured).map(row));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Share of writes that are overwritten within so many writes.
    fn overwritten(exponent: f64, pages: u32, writes: f64) -> f64 {
        let weights = || (1..=pages).map(|rank| f64::from(rank).powf(-exponent));
        let all: f64 = weights().sum();
        weights().map(|weight| weight / all * (1.0 - (-weight / all * writes).exp())).sum()
    }

    #[test]
    fn the_exponent_gives_the_traffic_of_the_hot_group() {
        let within = f64::from(9 * DEVICE.pages_per_block) / HOT;
        let share = overwritten(EXPONENT, DEVICE.logical_pages, within);
        assert!((share - HOT).abs() < 0.002, "{share}");
        let of_one = overwritten(1.0, DEVICE.logical_pages, within);
        assert!((of_one - 0.526).abs() < 0.001, "{of_one}");
    }

    #[test]
    fn all_writes_count() {
        let device = Device { blocks: 128, pages_per_block: 16, logical_pages: 1600 };
        // The fill alone costs no copies.
        assert_eq!(measure(device, 1600, 1.0, 1).unwrap(), 1.0);
        let waf = measure(device, 20_000, 1.0, 1).unwrap();
        assert!((1.2..4.0).contains(&waf), "{waf}");
    }
}
