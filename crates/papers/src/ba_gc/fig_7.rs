//! Fig. 7: execution time under Postmark with buffers of 1 to 32 MiB.

use super::runs::{Group, Runs};
use super::schemes::{BA_GC, BPLRU, BUFFER_MIB, FAB, POSTMARK, SCHEMES, sized};
use super::times::{execution_s, pages_an_eviction};
use crate::error::ReproduceError;
use crate::figure::Figure;
use crate::reproduction::{PlotFile, Section};
use crate::row::Row;
use crate::verdict::{Reason, Verdict};
use sim::report::SchemeReport;
use sim::report::plots::{Curve, Curves, Drawn};
use sim::report::units::grouped;
use std::ops::RangeInclusive;

/// Buffer size of FAB and BPLRU, and the sizes at which the paper has BA-GC match them, MiB.
const THEIRS_MIB: u64 = 16;
const OURS_MIB: RangeInclusive<u64> = 2..=4;

const FAB_WHY: &str = "FAB evicts the blocks with most pages and keeps those with few until they are flushed after 30 s, \
                       each for a merge of its own. With nothing flushed by age it gets faster from 4 MiB on";

const BPLRU_WHY: &str = "a padded eviction costs as much as the full merge that it saves (16 ms), and there is one for each \
                         block that leaves: BA-GC is ahead by the merges that BA-BM saves, and no more";

const BA_GC_WHY: &str = "BA-GC's merges should have more to take from a larger buffer";

const LEAST_WHY: &str = "where nothing is flushed by age, FAB's large buffers hold blocks until they have many pages, which \
                         is what counts where hardly a page is written twice";

fn why(scheme: &str) -> &'static str {
    match scheme {
        FAB => FAB_WHY,
        BPLRU => BPLRU_WHY,
        _ => BA_GC_WHY,
    }
}

pub(super) fn fig_7(runs: &Runs) -> Result<Section, ReproduceError> {
    let mut section = Section::default();
    let times = Times { runs, group: Group::Sizes };
    section.rows = vec![times.needed(FAB), times.needed(BPLRU), times.least_everywhere("")];
    let ageless = Times { runs, group: Group::AgelessSizes };
    let state = ", nothing flushed by age";
    section.rows.push(ageless.least_everywhere(state));
    section.rows.extend(SCHEMES.map(|scheme| times.falls(scheme)));
    section.rows.extend(times.all_told(""));
    section.plots.push(times.plot("fig-7.svg", "")?);
    section.rows.extend(ageless.all_told(state));
    section.plots.push(ageless.plot("fig-7-ageless.svg", state)?);
    Ok(section)
}

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

    fn plot(&self, file: &str, state: &str) -> Result<PlotFile, ReproduceError> {
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
            log_y: false,
            curves: SCHEMES.iter().map(curve).collect(),
        };
        Ok(PlotFile { name: file.into(), svg: chart.svg()? })
    }

    fn why_not(&self, scheme: &str) -> String {
        self.runs.why_not(self.group, &sized(&(scheme, ""), THEIRS_MIB).0)
    }

    /// Execution times at all buffer sizes, smallest first.
    fn all(&self, scheme: &str) -> Option<Vec<f64>> {
        BUFFER_MIB.iter().map(|mib| self.of(scheme, *mib)).collect()
    }

    /// "They require 16 MB buffer cache while BA-GC only needs 2-4 MB."
    fn needed(&self, other: &str) -> Row {
        let what = format!("buffer with which ba-gc is as fast as {other} with {THEIRS_MIB} MiB");
        let printed = "2 to 4";
        let (Some(theirs), Some(ours)) = (self.of(other, THEIRS_MIB), self.all(BA_GC)) else {
            return Row::incomparable(
                &what,
                "MiB",
                Some(printed),
                None,
                Reason::MissingDetail(self.why_not(other)),
            );
        };
        let enough = BUFFER_MIB.into_iter().zip(ours).find(|(_, time)| *time <= theirs);
        let ours = match enough {
            Some((mib, _)) => Figure::number(mib as f64, 0),
            None => Figure::Words("none of these".into()),
        };
        let row = Row::incomparable(
            &what,
            "MiB",
            Some(printed),
            Some(ours),
            Reason::MissingDetail(String::new()),
        );
        match enough {
            Some((mib, _)) if OURS_MIB.contains(&mib) => row.judged(Verdict::Equal),
            Some((mib, _)) if mib < *OURS_MIB.start() => row
                .judged(Verdict::Differs)
                .because(Reason::MissingDetail(why(other).into()))
                .noting("ours needs even less"),
            _ => row.judged(Verdict::Differs).because(Reason::MissingDetail(why(other).into())),
        }
    }

    /// "BA-GC shows a better performance over FAB and BPLRU, regardless of the buffer cache size."
    fn least_everywhere(&self, state: &str) -> Row {
        let what = &format!("sizes, of six, with which ba-gc is fastest{state}");
        let all: Option<Vec<Vec<f64>>> = SCHEMES.iter().map(|scheme| self.all(scheme)).collect();
        match all.as_deref() {
            Some([fab, bplru, ba_gc]) => {
                let fastest = |at: &usize| ba_gc[*at] < fab[*at].min(bplru[*at]);
                let sizes = (0..BUFFER_MIB.len()).filter(fastest).count();
                Row::exact(what, "", "6", sizes as f64)
                    .because(Reason::MissingDetail(LEAST_WHY.into()))
            }
            _ => Row::incomparable(
                what,
                "",
                Some("6"),
                None,
                Reason::MissingDetail(self.why_not(BA_GC)),
            ),
        }
    }

    /// "The execution time decreases as the size of the buffer cache increases."
    fn falls(&self, scheme: &str) -> Row {
        let what = format!("{scheme}: steps, of five, to a larger buffer that make it faster");
        match self.all(scheme) {
            Some(times) => {
                let falling = times.windows(2).filter(|pair| pair[1] < pair[0]).count();
                Row::exact(&what, "", "5", falling as f64)
                    .because(Reason::MissingDetail(why(scheme).into()))
            }
            None => Row::incomparable(
                &what,
                "",
                Some("5"),
                None,
                Reason::MissingDetail(self.why_not(scheme)),
            ),
        }
    }
}
