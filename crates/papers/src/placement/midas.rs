//! The check value of MiDAS' simulator.

use super::loads::Load;
use super::measure::{Device, measure_all, waf};
use super::ssd_iq::placement;
use crate::observer::ReproductionObserver;
use crate::reproduction::Section;
use crate::row::Row;
use crate::settings::Settings;
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

/// Tolerance, percent.
const NEAR: f64 = 5.0;

/// Write amplification from the first write on.
fn measure(device: Device, writes: u64, seed: u64) -> Result<f64, FtlError> {
    let (victim, pages) = (VictimKind::MIDAS_COST_BENEFIT, device.logical_pages);
    let mut scheme = device.scheme(placement("midas"), victim, None)?;
    for lpn in 0..pages {
        scheme.write(Lpn(lpn), None)?;
    }
    let mut load = Load::Zipf(1.0).writes(pages, seed);
    for _ in u64::from(pages)..writes {
        scheme.write(Lpn(load.next()), None)?;
    }
    Ok(waf(scheme.flash().counts()))
}

pub(super) fn midas(settings: &Settings, watch: &dyn ReproductionObserver) -> Section {
    let measured = measure_all(&[settings.seed], watch, |seed| measure(DEVICE, WRITES, *seed));
    let what = "write amplification of MiDAS, cost-benefit, fio's Zipf 1.0 on 8 GiB";
    let row = match measured.first().and_then(Option::as_ref) {
        Some(Ok(waf)) => Row::measured(what, "", PRINTED, *waf, NEAR).because(Reason::StandIn(
            "its trace of fio is not public as text; ours follows Zipf's law, which fio approximates".into(),
        )),
        Some(Err(why)) => {
            let why = Reason::MissingDetail(why.clone());
            Row::incomparable(what, "", Some(PRINTED), None, why)
        }
        None => {
            let why = Reason::MissingDetail("stopped before".into());
            Row::incomparable(what, "", Some(PRINTED), None, why)
        }
    };
    Section {
        rows: vec![row.noting("page-level+placement=midas+victim=midas-cost-benefit")],
        notes: vec![
            "its figure is of the README of sungkyun123/MiDAS-Simulation, with all writes from the first on: 1,953,125 in order, then \
             52,284,774 of a trace of fio (zipf 1.0). That trace is a file of 1.4 GB, and fio's parameters are not told: fio's \
             own formula has no θ = 1. Ours are of Zipf's law with exponent 1 over scattered pages"
                .into(),
        ],
        ..Section::default()
    }
}
