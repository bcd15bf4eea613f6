//! Fig. 7: execution time under Postmark with buffers of 1 to 32 MiB.

use super::runs::{Group, Runs};
use super::schemes::{BA_GC, BPLRU, BUFFER_MIB, FAB, POSTMARK, SCHEMES, sized};
use super::times::{execution_s, pages_an_eviction};
use crate::figure::Figure;
use crate::matrix::{Cell, Matrix};
use crate::reproduction::PlotFile;
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use crate::verdict::{Reason, Verdict};
use sim::report::SchemeReport;
use sim::report::plots::{Curve, Curves, Drawn};
use sim::report::units::grouped;
use std::ops::RangeInclusive;

/// Buffer size of FAB and BPLRU, and the sizes at which the paper has BA-GC match them, MiB.
const THEIRS_MIB: u64 = 16;
const OURS_MIB: RangeInclusive<u64> = 2..=4;

pub(super) fn fig_7(runs: &Runs, to: &mut Sheet) -> Outcome {
    let times = Times { runs, group: Group::Sizes };
    let device = Times { runs, group: Group::DeviceSizes };
    let ageless = Times { runs, group: Group::AgelessSizes };
    to.rows = vec![
        times
            .needed(FAB, "")
            .headline("§6.2, Fig. 7", "buffer with which BA-GC does what FAB does with 16 MiB"),
        times
            .needed(BPLRU, "")
            .headline("§6.2, Fig. 7", "buffer with which BA-GC does what BPLRU does with 16 MiB"),
        times
            .least_everywhere("")
            .headline("§6.2, Fig. 7", "sizes, of six, at which BA-GC is fastest"),
        times.falls(BA_GC),
        times.falls(FAB),
        times.falls(BPLRU),
    ];
    let states = [
        (&device, ", by the device's clock", "fig-7-device.svg"),
        (&ageless, ", nothing flushed by age", "fig-7-ageless.svg"),
    ];
    for (other, state, _) in states {
        to.rows.push(other.needed(FAB, state));
        to.rows.push(other.needed(BPLRU, state));
        to.rows.push(other.least_everywhere(state));
    }
    to.rows.extend(times.all_told(""));
    to.matrices.push(times.matrix("execution time under Postmark, s"));
    to.plots.push(times.plot("fig-7.svg", ""));
    for (other, state, file) in states {
        to.rows.extend(other.all_told(state));
        to.matrices.push(other.matrix(&format!("execution time under Postmark{state}, s")));
        to.plots.push(other.plot(file, state));
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Times<'a> {
    runs: &'a Runs,
    group: Group,
}

impl Times<'_> {
    fn report(&self, scheme: &str, mib: u64) -> Option<&SchemeReport> {
        let (label, _) = sized(&(scheme, ""), mib);
        self.runs.report(self.group, POSTMARK, &label)
    }

    fn of(&self, scheme: &str, mib: u64) -> Option<f64> {
        self.report(scheme, mib).map(execution_s)
    }

    fn all_told(&self, state: &str) -> Vec<Row> {
        let cells = BUFFER_MIB.into_iter().flat_map(|mib| SCHEMES.map(|scheme| (scheme, mib)));
        cells.filter_map(|(scheme, mib)| self.told(scheme, mib, state)).collect()
    }

    fn told(&self, scheme: &str, mib: u64, state: &str) -> Option<Row> {
        let report = self.report(scheme, mib)?;
        let what = format!("{scheme}, {mib} MiB{state}");
        let row = Row::evidence(&what, "s", execution_s(report), 1);
        let aged = report.buffer.as_ref().map_or(0, |buffer| buffer.aged);
        let pages = pages_an_eviction(report);
        Some(row.noting(&format!(
            "{pages:.1} dirty pages per eviction, {} pages flushed by age",
            grouped(aged)
        )))
    }

    fn plot(&self, file: &str, state: &str) -> PlotFile {
        let points = |scheme: &str| {
            let point = |mib: u64| Some((mib as f64, self.of(scheme, mib)?));
            BUFFER_MIB.into_iter().filter_map(point).collect()
        };
        let curve = |scheme: &&str| Curve {
            name: (*scheme).to_owned(),
            note: String::new(),
            points: points(scheme),
            drawn: Drawn::Line,
        };
        let chart = Curves {
            caption: format!("Fig. 7: Postmark over the size of the buffer{state}"),
            x_label: "buffer, MiB",
            y_label: "I/O execution time, s",
            log_x: false,
            log_y: false,
            curves: SCHEMES.iter().map(curve).collect(),
        };
        PlotFile { name: file.into(), figure: chart.into() }
    }

    fn why_not(&self, scheme: &str) -> String {
        self.runs.why_not(self.group, &sized(&(scheme, ""), THEIRS_MIB).0)
    }

    /// Execution times at all buffer sizes, smallest first.
    fn all(&self, scheme: &str) -> Option<Vec<f64>> {
        BUFFER_MIB.iter().map(|mib| self.of(scheme, *mib)).collect()
    }

    /// "They require 16 MB buffer cache while BA-GC only needs 2-4 MB."
    fn needed(&self, other: &str, state: &str) -> Row {
        let what =
            format!("buffer with which ba-gc is as fast as {other} with {THEIRS_MIB} MiB{state}");
        let printed = "2 to 4";
        let (Some(theirs), Some(ours)) = (self.of(other, THEIRS_MIB), self.all(BA_GC)) else {
            return Row::missing(&what, "MiB", Some(printed), self.why_not(other));
        };
        let enough = BUFFER_MIB.into_iter().zip(ours).find(|(_, time)| *time <= theirs);
        let ours = match enough {
            Some((mib, _)) => Figure::number(mib as f64, 0),
            None => Figure::Words("none of these".into()),
        };
        let mut row = Row::words(&what, printed, "");
        (row.unit, row.ours) = ("MiB".into(), Some(ours));
        match enough {
            Some((mib, _)) if OURS_MIB.contains(&mib) => row.judged(Verdict::Equal),
            _ => row.judged(Verdict::Differs).because(self.why(other)),
        }
    }

    /// What decides: how much each scheme gains from a sixteen times larger buffer.
    fn why(&self, scheme: &str) -> Reason {
        let change = |scheme: &str| {
            let (one, theirs) = (self.of(scheme, 1)?, self.of(scheme, THEIRS_MIB)?);
            Some(Figure::number((theirs / one - 1.0) * 100.0, 1))
        };
        let told =
            |scheme: &str| change(scheme).map_or("–".to_owned(), |change| change.to_string());
        let apart = self
            .of(BA_GC, 1)
            .zip(self.of(scheme, 1))
            .map(|(ours, theirs)| Figure::number((1.0 - ours / theirs) * 100.0, 1).to_string());
        let mut text = format!(
            "from 1 to {THEIRS_MIB} MiB the time changes by {} % (ba-gc), {} % (fab) and {} % (bplru); with 1 MiB each ba-gc \
             takes {} % less than {scheme}",
            told(BA_GC),
            told(FAB),
            told(BPLRU),
            apart.unwrap_or("–".into())
        );
        for (group, state) in [
            (Group::DeviceSizes, "by the device's clock"),
            (Group::AgelessSizes, "with nothing flushed by age"),
        ] {
            let other = Times { group, ..*self };
            let mib = other.enough(scheme).map_or("none".to_owned(), |mib| format!("{mib} MiB"));
            text.push_str(&format!(
                "; {state} {mib} of ba-gc's do what {scheme}'s {THEIRS_MIB} do"
            ));
        }
        // The clock decides where FAB stands, not where BPLRU does.
        if scheme == FAB { Reason::Reading(text) } else { Reason::StandIn(text) }
    }

    /// Smallest buffer with which BA-GC is as fast as another scheme with 16 MiB.
    fn enough(&self, other: &str) -> Option<u64> {
        let (theirs, ours) = (self.of(other, THEIRS_MIB)?, self.all(BA_GC)?);
        BUFFER_MIB.into_iter().zip(ours).find(|(_, time)| *time <= theirs).map(|(mib, _)| mib)
    }

    fn matrix(&self, title: &str) -> Matrix {
        let sizes = BUFFER_MIB.map(|mib| format!("{mib} MiB"));
        Matrix::of(title, &SCHEMES, &sizes, |row, column| {
            Cell::ours(self.of(SCHEMES[row], BUFFER_MIB[column]), 1)
        })
    }

    /// "BA-GC shows a better performance over FAB and BPLRU, regardless of the buffer cache size."
    fn least_everywhere(&self, state: &str) -> Row {
        let what = &format!("sizes, of six, with which ba-gc is fastest{state}");
        let all: Option<Vec<Vec<f64>>> = SCHEMES.iter().map(|scheme| self.all(scheme)).collect();
        match all.as_deref() {
            Some([fab, bplru, ba_gc]) => {
                let fastest = |at: &usize| ba_gc[*at] < fab[*at].min(bplru[*at]);
                let sizes = (0..BUFFER_MIB.len()).filter(fastest).count();
                Row::exact(what, "", "6", sizes as f64).because(self.why(FAB))
            }
            _ => Row::missing(what, "", Some("6"), self.why_not(BA_GC)),
        }
    }

    /// "The execution time decreases as the size of the buffer cache increases."
    fn falls(&self, scheme: &str) -> Row {
        let what = format!("{scheme}: steps, of five, to a larger buffer that make it faster");
        match self.all(scheme) {
            Some(times) => {
                let falling = times.windows(2).filter(|pair| pair[1] < pair[0]).count();
                Row::exact(&what, "", "5", falling as f64).because(self.why(scheme))
            }
            None => Row::missing(&what, "", Some("5"), self.why_not(scheme)),
        }
    }
}
