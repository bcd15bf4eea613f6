//! Fig. 7: execution time under Postmark with buffers of 1 to 32 MiB.

use super::PAPER;
use super::runs::{Group, Runs};
use super::schemes::{BA_GC, BPLRU, BUFFER_MIB, FAB, POSTMARK, SCHEMES, sized};
use super::times::{execution_s, pages_an_eviction};
use crate::report::SchemeReport;
use crate::report::plots::{Curve, Curves, Drawn};
use crate::reproduce::{Figure, Limit, PlotFile, ReproduceError, Row, Section, Verdict};

/// The buffer with which FAB and BPLRU do what BA-GC does with a quarter of it.
const THEIRS_MIB: u64 = 16;
const OURS_MIB: u64 = 4;

const FAB_WHY: &str = "FAB evicts the blocks with most pages: Postmark's many blocks with few pages stay and fill a buffer \
                       of any size, so that its evictions hold no more pages";

const BPLRU_WHY: &str = "each eviction of BPLRU writes a whole block, so that its time falls with their number: a larger \
                         buffer gives it more pages an eviction, and what is flushed after 30 s is not padded";

const BA_GC_WHY: &str = "BA-GC's merges should have more to take from a larger buffer";

fn why(scheme: &str) -> &'static str {
    match scheme {
        FAB => FAB_WHY,
        BPLRU => BPLRU_WHY,
        _ => BA_GC_WHY,
    }
}

/// Fig. 7.
pub(super) fn fig_7(runs: &Runs) -> Result<Section, ReproduceError> {
    let mut section = PAPER.section("fig-7");
    let times = Times(runs);
    section.rows = vec![times.needed(FAB), times.needed(BPLRU), times.least_everywhere()];
    section.rows.extend(SCHEMES.map(|scheme| times.falls(scheme)));
    for mib in BUFFER_MIB {
        for scheme in SCHEMES {
            section.rows.extend(times.told(scheme, mib));
        }
    }
    let curve = |scheme: &&str| Curve {
        name: (*scheme).to_owned(),
        note: String::new(),
        points: BUFFER_MIB
            .iter()
            .filter_map(|mib| Some((*mib as f64, times.of(scheme, *mib)?)))
            .collect(),
        drawn: Drawn::Line,
    };
    let chart = Curves {
        caption: "Fig. 7: execution time over the size of the buffer, Postmark".into(),
        x_label: "buffer, MiB",
        y_label: "I/O execution time, s",
        log_y: false,
        curves: SCHEMES.iter().map(curve).collect(),
    };
    section.plots.push(PlotFile { name: "fig-7.svg".into(), svg: chart.svg()? });
    Ok(section)
}

struct Times<'a>(&'a Runs);

impl Times<'_> {
    fn report(&self, scheme: &str, mib: u64) -> Option<&SchemeReport> {
        let (label, _) = sized(&(scheme, ""), mib);
        self.0.report(Group::Sizes, POSTMARK, &label)
    }

    fn of(&self, scheme: &str, mib: u64) -> Option<f64> {
        self.report(scheme, mib).map(execution_s)
    }

    fn told(&self, scheme: &str, mib: u64) -> Option<Row> {
        let report = self.report(scheme, mib)?;
        let row = Row::evidence(&format!("{scheme}, {mib} MiB"), "s", execution_s(report), 1);
        Some(row.remarked(&format!("{:.1} dirty pages an eviction", pages_an_eviction(report))))
    }

    fn why_not(&self, scheme: &str) -> String {
        self.0.why_not(Group::Sizes, &sized(&(scheme, ""), THEIRS_MIB).0)
    }

    /// All sizes, the smallest first.
    fn all(&self, scheme: &str) -> Option<Vec<f64>> {
        BUFFER_MIB.iter().map(|mib| self.of(scheme, *mib)).collect()
    }

    /// "They require 16 MB buffer cache while BA-GC only needs 2-4 MB."
    fn needed(&self, other: &str) -> Row {
        let what = format!("buffer with which ba-gc is as fast as {other} with {THEIRS_MIB} MiB");
        let printed = "2 to 4";
        let (Some(theirs), Some(ours)) = (self.of(other, THEIRS_MIB), self.all(BA_GC)) else {
            return Row::incomparable(&what, "MiB", Some(printed), None, &self.why_not(other));
        };
        let enough = BUFFER_MIB.iter().zip(ours).find(|(_, time)| *time <= theirs);
        match enough {
            Some((mib, _)) => {
                let row = Row::limit(
                    &what,
                    "MiB",
                    Limit::AtMost(OURS_MIB as f64),
                    *mib as f64,
                    why(other),
                );
                Row {
                    paper: Some(Figure::Words(printed.into())),
                    ours: Some(Figure::number(*mib as f64, 0)),
                    ..row
                }
            }
            None => {
                let none = Some(Figure::Words("none of these".into()));
                Row::incomparable(&what, "MiB", Some(printed), none, "")
                    .judged(Verdict::Differs, why(other))
            }
        }
    }

    /// "BA-GC shows a better performance over FAB and BPLRU, regardless of the buffer cache size."
    fn least_everywhere(&self) -> Row {
        let what = "sizes, of six, with which ba-gc is fastest";
        let all: Option<Vec<Vec<f64>>> = SCHEMES.iter().map(|scheme| self.all(scheme)).collect();
        match all.as_deref() {
            Some([fab, bplru, ba_gc]) => {
                let fastest = |at: &usize| ba_gc[*at] < fab[*at].min(bplru[*at]);
                let sizes = (0..BUFFER_MIB.len()).filter(fastest).count();
                Row::exact(what, "", "6", sizes as f64, BA_GC_WHY)
            }
            _ => Row::incomparable(what, "", Some("6"), None, &self.why_not(BA_GC)),
        }
    }

    /// "The execution time decreases as the size of the buffer cache increases."
    fn falls(&self, scheme: &str) -> Row {
        let what = format!("{scheme}: steps, of five, to a larger buffer that make it faster");
        match self.all(scheme) {
            Some(times) => {
                let falling = times.windows(2).filter(|pair| pair[1] < pair[0]).count();
                Row::exact(&what, "", "5", falling as f64, why(scheme))
            }
            None => Row::incomparable(&what, "", Some("5"), None, &self.why_not(scheme)),
        }
    }
}
