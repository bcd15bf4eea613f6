//! Write amplification over time, and whether it has settled.

use flash::{Cause, Counts, Operation};
use serde::Serialize;
use workload::SteadyState;

/// Rounds per exported space that the host writes.
const ROUNDS: u64 = 10;

/// Write amplification of each round; a round is a tenth of the exported pages written by the host.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    /// Host pages of a round; 0: nothing is judged.
    pages: u64,
    /// Host pages and all pages programmed, at the end of the last round.
    last: (u64, u64),
    judge: SteadyState,
    /// The last five rounds: whether they were steady, and how far they were apart.
    verdict: Option<workload::Verdict>,
    /// Rounds before the first of those that have been steady ever since.
    steady_from: Option<u64>,
    rounds: u64,
}

/// Whether the write amplification of a run has settled, by rounds of a tenth of the exported space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SteadyReport {
    /// Pages that the host wrote, over the pages of the array.
    pub writes_per_capacity: f64,
    /// Whole rounds.
    pub rounds: u64,
    /// True if write amplification was steady over the last five rounds (SNIA PTS: range 20 %, slope 10 %); `null`: fewer.
    pub waf_is_steady: Option<bool>,
    /// Host writes over the exported space from which on it has been steady.
    pub steady_from_fills: Option<f64>,
    /// Mean of the last five rounds.
    pub waf_of_last_rounds: Option<f64>,
    /// Greatest less least of them, over their mean.
    pub waf_range_share: Option<f64>,
}

impl Rounds {
    /// Starts at these counts.
    pub(crate) fn begin(logical_pages: u32, counts: &Counts) -> Self {
        let pages = (u64::from(logical_pages) / ROUNDS).max(1);
        Self { pages, last: Self::written(counts), ..Self::default() }
    }

    fn written(counts: &Counts) -> (u64, u64) {
        let all = counts.total(Operation::Program) + counts.total(Operation::Copy);
        (counts.get(Operation::Program, Cause::Host), all)
    }

    /// Looks at the counts; ends a round if it is due. To be called several times a round.
    #[inline]
    pub(crate) fn look(&mut self, counts: &Counts) {
        let host = counts.get(Operation::Program, Cause::Host) - self.last.0;
        if self.pages > 0 && host >= self.pages {
            self.end(counts, host);
        }
    }

    #[cold]
    fn end(&mut self, counts: &Counts, host: u64) {
        let now = Self::written(counts);
        let waf = (now.1 - self.last.1) as f64 / host as f64;
        self.last = now;
        self.rounds += 1;
        self.verdict = self.judge.push(waf);
        match self.verdict {
            Some(verdict) if verdict.steady => {
                self.steady_from.get_or_insert(self.rounds - 5);
            }
            _ => self.steady_from = None,
        }
    }

    /// True if the last five rounds were steady.
    pub(crate) fn is_steady(&self) -> bool {
        self.verdict.is_some_and(|verdict| verdict.steady)
    }

    /// The report of a run in which the host wrote these pages.
    pub(crate) fn report(&self, host_pages: u64, array_pages: u32) -> SteadyReport {
        SteadyReport {
            writes_per_capacity: host_pages as f64 / f64::from(array_pages),
            rounds: self.rounds,
            waf_is_steady: self.verdict.map(|verdict| verdict.steady),
            steady_from_fills: self.steady_from.map(|rounds| rounds as f64 / ROUNDS as f64),
            waf_of_last_rounds: self.verdict.map(|verdict| verdict.mean),
            waf_range_share: self.verdict.map(|verdict| verdict.range_share),
        }
    }
}

impl SteadyReport {
    /// What a reader must know: the figures are of a state that does not last, or of too short a run.
    pub(crate) fn warning(&self, collected: bool) -> Option<String> {
        match (self.waf_is_steady, self.waf_range_share) {
            (Some(true), _) => None,
            (Some(false), range) => Some(format!(
                "WAF has not settled: the last 5 rounds (each a tenth of the exported space) are {:.0} % apart; \
                 --until-steady, or more --loops or --requests",
                range.unwrap_or_default() * 100.0
            )),
            (None, _) if !collected => None,
            (None, _) => Some(format!(
                "too short to judge whether WAF has settled: the host wrote {:.3} of the array's capacity; --until-steady, or \
                 more --loops or --requests",
                self.writes_per_capacity
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of 10 host pages each, with these pages copied in each.
    fn of(copies: &[u64]) -> Rounds {
        let mut counts = Counts::default();
        let mut rounds = Rounds::begin(100, &counts);
        for copies in copies {
            for _ in 0..10 {
                counts.add(Operation::Program, Cause::Host);
                rounds.look(&counts);
            }
            counts.add_many(Operation::Copy, Cause::Collection, *copies);
        }
        rounds
    }

    #[test]
    fn the_last_five_rounds_decide() {
        assert_eq!(of(&[0; 4]).report(40, 200).waf_is_steady, None);
        let growing = of(&[0, 0, 5, 10, 20, 30, 40]);
        assert_eq!(growing.report(70, 200).waf_is_steady, Some(false));
        assert!(!growing.is_steady() && growing.report(70, 200).warning(true).is_some());
        let settled = of(&[0, 30, 60, 40, 40, 40, 40, 40, 40, 40]);
        let report = settled.report(100, 200);
        assert!(settled.is_steady());
        assert_eq!((report.rounds, report.writes_per_capacity), (10, 0.5));
        // The copies of a round are counted in the next.
        assert_eq!(report.steady_from_fills, Some(0.4));
        assert_eq!(report.waf_of_last_rounds, Some(5.0));
        assert_eq!(report.warning(true), None);
        // Too short a run is told, unless that it never collected is told already.
        let short = of(&[0; 2]).report(20, 200);
        assert!(short.warning(true).is_some() && short.warning(false).is_none());
    }
}
