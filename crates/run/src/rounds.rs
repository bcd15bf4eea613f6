//! Write amplification over time, and whether it has settled.

use flash::{Counts, Operation};
use serde::Serialize;
use workload::SteadyState;

/// Rounds per exported space that the host writes.
const ROUNDS: u64 = 10;

/// Rounds that are judged together.
const WINDOW: usize = 5;

/// Write amplification of each round; a round is a tenth of the exported pages written by the host.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rounds {
    /// Host pages of a round; 0: nothing is judged.
    pages: u64,
    /// All pages programmed, at the end of the last round.
    programmed: u64,
    judge: SteadyState,
    /// The last five rounds: whether they were steady, and how far they were apart.
    verdict: Option<workload::Verdict>,
    /// Host pages before each of the last rounds, by round modulo their number.
    starts: [u64; WINDOW],
    /// Host pages before the first of the rounds that have been steady ever since.
    steady_from: Option<u64>,
    rounds: u64,
    /// Host pages so far, to the end of the last round.
    host: u64,
    /// Whether write amplification had settled before this run, if the precondition went on until it did.
    settled_before: Option<bool>,
}

/// Whether the write amplification of a run has settled, by rounds of a tenth of the exported space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SteadyReport {
    /// Pages that the host wrote, over the pages of the array.
    pub writes_per_capacity: f64,
    /// Whole rounds.
    pub rounds: u64,
    /// True if write amplification was steady over the last five rounds (SNIA PTS: range 20 %, slope 10 %); `null`: fewer.
    pub waf_is_steady: Option<bool>,
    /// Host writes over the exported space from which on it has been steady.
    pub steady_from_fills: Option<f64>,
    /// Whether it had settled before the measured run; `null`: the precondition did not ask for that.
    pub settled_before: Option<bool>,
    /// Mean of the last five rounds.
    pub waf_of_last_rounds: Option<f64>,
    /// Greatest less least of them, over their mean.
    pub waf_range_share: Option<f64>,
    /// What the line fitted to them rises or falls from the first to the last, over their mean.
    pub waf_trend_share: Option<f64>,
}

impl Rounds {
    /// Starts at these counts.
    pub(crate) fn begin(logical_pages: u32, counts: &Counts) -> Self {
        let pages = (u64::from(logical_pages) / ROUNDS).max(1);
        Self { pages, programmed: Self::programmed(counts), ..Self::default() }
    }

    fn programmed(counts: &Counts) -> u64 {
        counts.total(Operation::Program) + counts.total(Operation::Copy)
    }

    /// Looks at the counts after the host wrote `written` pages; ends a round if it is due. To be called several times a
    /// round.
    #[inline]
    pub(crate) fn look(&mut self, written: u64, counts: &Counts) {
        let host = written - self.host;
        if self.pages > 0 && host >= self.pages {
            self.end(counts, host);
        }
    }

    #[cold]
    fn end(&mut self, counts: &Counts, host: u64) {
        let programmed = Self::programmed(counts);
        let waf = (programmed - self.programmed) as f64 / host as f64;
        self.programmed = programmed;
        // Before the first erase, write amplification is constant but not settled.
        if counts.total(Operation::Erase) > 0 {
            self.starts[self.rounds as usize % WINDOW] = self.host;
            self.rounds += 1;
            self.verdict = self.judge.push(waf);
            let first = self.starts[self.rounds as usize % WINDOW];
            let is_steady = self.is_steady();
            self.steady_from = is_steady.then(|| self.steady_from.unwrap_or(first));
        }
        self.host += host;
    }

    /// Notes whether write amplification had settled before.
    pub(crate) fn after(&mut self, settled: Option<bool>) {
        self.settled_before = settled;
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
            steady_from_fills: self
                .steady_from
                .map(|pages| pages as f64 / (self.pages * ROUNDS) as f64),
            settled_before: self.settled_before,
            waf_of_last_rounds: self.verdict.map(|verdict| verdict.mean),
            waf_range_share: self.verdict.map(|verdict| verdict.range_share),
            waf_trend_share: self.verdict.map(|verdict| verdict.slope_share),
        }
    }
}

impl SteadyReport {
    /// What a reader must know: the figures are of a state that does not last, or of too short a run.
    pub(crate) fn warning(&self, collected: bool) -> Option<String> {
        let percent = |share: Option<f64>| 100.0 * share.unwrap_or(0.0);
        let measured = format!(
            "over the last 5 rounds, each a tenth of the exported space, it differs by {:.1} % of its mean and its trend is {:.1} %; \
             SNIA's steady state has at most 20 % and 10 %",
            percent(self.waf_range_share),
            percent(self.waf_trend_share)
        );
        Some(match (self.settled_before, self.waf_is_steady) {
            (_, Some(true)) | (Some(true), None) => return None,
            // That the run never collected is told already.
            (_, None) if !collected => return None,
            (Some(true), _) => {
                format!("WAF varies along the run, though it had settled before: {measured}")
            }
            (Some(false), _) => {
                "WAF did not settle within 16 times the array's pages before the measured run, by rounds of a tenth of the \
                 exported space: it varies along the workload"
                    .into()
            }
            (None, Some(_)) => format!(
                "WAF has not settled: {measured}; --until-steady, or more --loops or --requests"
            ),
            (None, None) => {
                "too short to judge whether WAF has settled: collection ran for less than half of the exported space; \
                 --until-steady, or more --loops or --requests"
                    .into()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::Cause;

    /// Rounds of 10 host pages each, each programmed, with these pages copied in each; the first erase is before the round
    /// `first`.
    fn of(first: usize, copies: &[u64]) -> Rounds {
        let mut counts = Counts::default();
        let mut rounds = Rounds::begin(100, &counts);
        for (round, copies) in copies.iter().enumerate() {
            if round == first {
                counts.add(Operation::Erase, Cause::Collection);
            }
            counts.add_many(Operation::Copy, Cause::Collection, *copies);
            for page in 1..=10 {
                counts.add(Operation::Program, Cause::Host);
                rounds.look(10 * round as u64 + page, &counts);
            }
        }
        rounds
    }

    #[test]
    fn the_last_five_rounds_decide() {
        assert_eq!(of(0, &[0; 4]).report(40, 200).waf_is_steady, None);
        let growing = of(0, &[0, 0, 5, 10, 20, 30, 40]);
        assert_eq!(growing.report(70, 200).waf_is_steady, Some(false));
        assert!(!growing.is_steady() && growing.report(70, 200).warning(true).is_some());
        let settled = of(0, &[0, 30, 60, 40, 40, 40, 40, 40, 40, 40]);
        let report = settled.report(100, 200);
        assert!(settled.is_steady());
        assert_eq!((report.rounds, report.writes_per_capacity), (10, 0.5));
        assert_eq!(report.steady_from_fills, Some(0.3));
        assert_eq!(report.waf_of_last_rounds, Some(5.0));
        assert_eq!(report.warning(true), None);
    }

    #[test]
    fn nothing_is_steady_before_the_first_erase() {
        assert!(!of(9, &[0; 9]).is_steady());
        assert!(!of(6, &[0; 10]).is_steady());
        let late = of(5, &[0; 10]);
        assert_eq!((late.is_steady(), late.report(100, 200).steady_from_fills), (true, Some(0.5)));
    }

    #[test]
    fn the_warning_says_what_is_known_of_the_state_before() {
        let warning = |settled: Option<bool>, copies: &[u64], collected: bool| {
            let mut rounds = of(0, copies);
            rounds.after(settled);
            rounds.report(20, 200).warning(collected).unwrap_or_default()
        };
        // Too short a run is told, unless that it never collected is told already.
        assert!(warning(None, &[0; 2], true).starts_with("too short"));
        assert_eq!(warning(None, &[0; 2], false), "");
        assert_eq!(warning(Some(true), &[0; 2], true), "");
        assert!(warning(Some(true), &[0, 9, 0, 9, 0, 9], true).starts_with("WAF varies"));
        // Each of the two conditions alone.
        for (copies, differs, trends) in
            [([11, 10, 10, 10, 9], "20.0 %", "16.0 %"), ([10, 7, 16, 7, 10], "90.0 %", "0.0 %")]
        {
            let told = warning(None, &copies.map(|waf| 10 * waf - 10), true);
            let measured = format!("differs by {differs} of its mean and its trend is {trends};");
            assert!(told.contains(&measured), "{told}");
        }
        assert!(warning(Some(false), &[0; 2], true).contains("did not settle within 16 times"));
        assert!(warning(None, &[0, 9, 0, 9, 0, 9], true).contains("--until-steady"));
    }
}
