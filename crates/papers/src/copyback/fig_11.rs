//! Fig. 11: throughput over the transaction size.

use super::ours::{
    MOST, PATHS, PLANES, chart, count, curve, megabytes_per_second, named, over_sizes, points,
    transaction_ns,
};
use crate::error::ReproduceError;
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use bounds::copyback::CopyPath;
use ddt::Way;

/// Smallest difference of throughput that counts.
const FLOOR: f64 = 0.001;
const CROSSOVER: &str =
    "by Eqs 9 and 10 GCB is ahead of ICB where N·(t_SR − t_DI) > t_SR, N operations";
const ONE_OPERATION: &str = "one operation has nothing to overlap";

pub(super) fn fig_11(to: &mut Sheet) -> Outcome {
    let mut files = Vec::new();
    for (planes, on) in PLANES {
        let values = Values::of(planes)?;
        to.rows.extend(values.claims(on)?);
        let names = PATHS.map(|(.., name)| name);
        let curves: Vec<_> =
            names.iter().zip(&values.paths).map(|(n, v)| curve(n, planes, v)).collect();
        files.extend(named(on, &curves));
        let file = format!("fig-11-{}", on.replace(' ', "-"));
        let caption = format!("Fig. 11: throughput of a transaction, {on}");
        to.plots.push(chart(&file, caption, "user data copied, MB/s", curves));
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
        let behind = icb.iter().zip(of).rposition(|(icb, of)| *of <= *icb * (1.0 + FLOOR));
        f64::from(self.planes) * (behind.map_or(0, |at| at + 1) + 1) as f64
    }

    /// Number of transaction sizes at which `of` is slower than `than` by more than [`FLOOR`].
    fn behind(&self, of: (CopyPath, bool), than: (CopyPath, bool)) -> f64 {
        let pairs: Vec<_> = self.get(of.0, of.1).iter().zip(self.get(than.0, than.1)).collect();
        count(&pairs, |(of, than)| **of < **than * (1.0 - FLOOR))
    }

    fn claims(&self, on: &str) -> Result<Vec<Row>, ReproduceError> {
        use CopyPath::{Dgcb, Gcb, Icb};
        let what = |words: &str| format!("{on}: {words}");
        let exact = |words: &str, unit: &str, printed: &str, ours: f64, why: &str| {
            Row::exact(&what(words), unit, printed, ours).because(Reason::PaperError(why.into()))
        };
        let icb = self.get(Icb, false);
        let spread = (icb[MOST as usize - 1] / icb[0] - 1.0) * 100.0;
        let falls = |path, cache| {
            count(&self.get(path, cache).windows(2).collect::<Vec<_>>(), |p| p[1] < p[0])
        };
        let printed = if self.planes == 1 { "8" } else { "32" };
        let late = |path, cache| -> Result<f64, ReproduceError> {
            let ns = transaction_ns(Way::new(path, cache, self.planes), 1)?;
            Ok(ns as f64 - transaction_ns(Way::new(Icb, false, self.planes), 1)? as f64)
        };
        let (gcb_late, dgcb_late) = (late(Gcb, true)?, late(Dgcb, false)?);
        let gcb_why = format!("{ONE_OPERATION}: GCB is {} µs behind, t_DI", gcb_late / 1e3);
        let dgcb_why = format!("{ONE_OPERATION}: DGCB is {dgcb_late} ns behind, t_DL a plane");
        let ahead = self.ahead_from(Gcb, false);
        let operations = (ahead as usize / self.planes as usize).clamp(1, MOST as usize);
        let gain = (self.get(Gcb, false)[operations - 1] / icb[operations - 1] - 1.0) * 100.0;
        let behind = if self.planes == 1 { 8 } else { 16 };
        let crossover = format!(
            "{CROSSOVER}. From {ahead:.0} pages on that is {gain:.2} %; the text has GCB ahead from {printed} pages on here, \
             and behind up to {behind} at Fig. 12"
        );
        let sizes = "sizes";
        Ok(vec![
            exact("GCB ahead of ICB from", "pages", printed, ahead, &crossover)
                .headline("§VI.B", &format!("GCB overtakes ICB from this transaction on, {on}")),
            exact(
                "GCB + cache slower than ICB",
                sizes,
                "0",
                self.behind((Gcb, true), (Icb, false)),
                &gcb_why,
            ),
            exact(
                "DGCB slower than ICB",
                sizes,
                "0",
                self.behind((Dgcb, false), (Icb, false)),
                &dgcb_why,
            )
            .headline("§VI.B", &format!("DGCB is never slower than ICB: sizes that are, {on}")),
            exact(
                "DGCB + cache slower than ICB",
                sizes,
                "0",
                self.behind((Dgcb, true), (Icb, false)),
                &dgcb_why,
            ),
            exact("DGCB slower than GCB", sizes, "0", self.behind((Dgcb, false), (Gcb, false)), ""),
            exact(
                "DGCB + cache slower than GCB + cache",
                sizes,
                "0",
                self.behind((Dgcb, true), (Gcb, true)),
                "",
            ),
            exact("ICB of the largest transaction against the smallest", "%", "0", spread, ""),
            exact(
                "larger transactions that are slower, GCB, DGCB, with and without cache",
                "",
                "0",
                falls(Gcb, false) + falls(Dgcb, false) + falls(Gcb, true) + falls(Dgcb, true),
                "",
            ),
            self.order(on, 1),
            self.order(on, MOST),
            self.margin(on, false, 1),
            self.margin(on, false, MOST),
        ])
    }

    /// Order of the paths without cache program, as stated in the text.
    fn order(&self, on: &str, operations: u32) -> Row {
        let at = operations as usize - 1;
        let value = |path| Some(self.get(path, false)[at]);
        let ours = [
            ("ICB", value(CopyPath::Icb)),
            ("GCB", value(CopyPath::Gcb)),
            ("DGCB", value(CopyPath::Dgcb)),
        ];
        let short: &[&[&str]] = &[&["GCB"], &["ICB"], &["DGCB"]];
        let long: &[&[&str]] = &[&["ICB"], &["GCB"], &["DGCB"]];
        let paper = if operations == 1 { short } else { long };
        let what =
            format!("{on}: order of throughput, {} pages, no cache", operations * self.planes);
        Row::order(&what, paper, &ours).because(Reason::PaperError(ONE_OPERATION.into()))
    }

    fn margin(&self, on: &str, cache: bool, operations: u32) -> Row {
        let at = operations as usize - 1;
        let ratio = self.get(CopyPath::Dgcb, cache)[at] / self.get(CopyPath::Gcb, cache)[at];
        let what = format!("{on}: DGCB ahead of GCB, {} pages, no cache", operations * self.planes);
        Row::evidence(&what, "%", (ratio - 1.0) * 100.0, 2)
    }
}
