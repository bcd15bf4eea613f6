//! Fig. 11: throughput over the transaction size.

use super::ours::{
    MOST, PATHS, PLANES, count, curve, megabytes_per_second, named, over_sizes, points,
    transaction_ns,
};
use crate::ddt::Way;
use crate::error::ReproduceError;
use crate::sheet::{Outcome, Sheet};
use bounds::copyback::CopyPath;

pub(super) fn fig_11(to: &mut Sheet) -> Outcome {
    let mut files = Vec::new();
    for (planes, on) in PLANES {
        let values = Values::of(planes)?;
        to.say("on", on).say("file", on.replace(' ', "-"));
        values.claims(to)?;
        let names = PATHS.map(|(.., name)| name);
        let curves: Vec<_> =
            names.iter().zip(&values.paths).map(|(n, v)| curve(n, planes, v)).collect();
        files.extend(named(on, &curves));
        to.curves("fig-11-{file}", curves);
    }
    to.curves.push(points("fig-11", "pages of a transaction", &files));
    Ok(())
}

/// Throughput of each path (in the order of [`PATHS`]) over the operations per transaction.
struct Values {
    planes: u32,
    paths: Vec<Vec<f64>>,
}

impl Values {
    fn of(planes: u32) -> Result<Self, ReproduceError> {
        let paths: Result<_, _> = PATHS
            .iter()
            .map(|&(path, cache, _)| {
                over_sizes(|n| megabytes_per_second(Way::new(path, cache, planes), n))
            })
            .collect();
        Ok(Self { planes, paths: paths? })
    }

    fn get(&self, path: CopyPath, cache: bool) -> &[f64] {
        let at = PATHS.iter().position(|&(p, c, _)| (p, c) == (path, cache));
        &self.paths[at.expect("is a path of the figure")]
    }

    /// Transaction size in pages from which a path stays ahead of ICB.
    fn ahead_from(&self, path: CopyPath, cache: bool) -> f64 {
        let (icb, of) = (self.get(CopyPath::Icb, false), self.get(path, cache));
        let behind = icb.iter().zip(of).rposition(|(icb, of)| of <= icb);
        f64::from(self.planes) * (behind.map_or(0, |at| at + 1) + 1) as f64
    }

    /// Number of transaction sizes at which `of` is slower than `than`.
    fn behind(&self, of: (CopyPath, bool), than: (CopyPath, bool)) -> f64 {
        let pairs: Vec<_> = self.get(of.0, of.1).iter().zip(self.get(than.0, than.1)).collect();
        count(&pairs, |(of, than)| of < than)
    }

    fn claims(&self, to: &mut Sheet) -> Outcome {
        use CopyPath::{Dgcb, Gcb, Icb};
        let icb = self.get(Icb, false);
        let falls = |path, cache| {
            count(&self.get(path, cache).windows(2).collect::<Vec<_>>(), |p| p[1] < p[0])
        };
        let late = |path, cache| -> Result<f64, ReproduceError> {
            let ns = transaction_ns(Way::new(path, cache, self.planes), 1)?;
            Ok(ns as f64 - transaction_ns(Way::new(Icb, false, self.planes), 1)? as f64)
        };
        to.say("gcb_late", late(Gcb, true)? / 1e3).say("dgcb_late", late(Dgcb, false)?);
        let ahead = self.ahead_from(Gcb, false);
        let operations = (ahead as usize / self.planes as usize).clamp(1, MOST as usize);
        let gain = (self.get(Gcb, false)[operations - 1] / icb[operations - 1] - 1.0) * 100.0;
        let (printed, behind) = if self.planes == 1 { ("8", "8") } else { ("32", "16") };
        to.say("printed", printed).say("behind", behind).say("gain", gain);
        to.say("ahead", ahead).put("ahead", ahead);
        to.put("gcb-cache", self.behind((Gcb, true), (Icb, false)));
        to.put("dgcb", self.behind((Dgcb, false), (Icb, false)));
        to.put("dgcb-cache", self.behind((Dgcb, true), (Icb, false)));
        to.put("dgcb-gcb", self.behind((Dgcb, false), (Gcb, false)));
        to.put("dgcb-gcb-cache", self.behind((Dgcb, true), (Gcb, true)));
        to.put("spread", (icb[MOST as usize - 1] / icb[0] - 1.0) * 100.0);
        let all = falls(Gcb, false) + falls(Dgcb, false) + falls(Gcb, true) + falls(Dgcb, true);
        to.put("falls", all);
        // Orders of the paths without cache program, as stated in the text.
        for (key, operations) in [("order-short", 1), ("order-long", MOST)] {
            let value = |path| Some(self.get(path, false)[operations as usize - 1]);
            let ours = vec![("ICB", value(Icb)), ("GCB", value(Gcb)), ("DGCB", value(Dgcb))];
            to.say("pages", operations * self.planes).put(key, ours);
        }
        for operations in [1, MOST] {
            let at = operations as usize - 1;
            let ratio = self.get(Dgcb, false)[at] / self.get(Gcb, false)[at];
            to.say("pages", operations * self.planes).put("margin", (ratio - 1.0) * 100.0);
        }
        Ok(())
    }
}
