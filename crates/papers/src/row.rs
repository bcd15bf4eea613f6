//! Comparison of one figure of a paper with ours, and its verdict.

use crate::figure::Figure;
use crate::verdict::{Reason, Verdict};
use serde::Serialize;
use std::cmp::Ordering;

/// Tolerance for figures measured on workloads that stand in for the paper's, percent of the ratio.
pub const TOLERANCE: f64 = 15.0;

/// Place of a row on the first screen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// The paper's section, table or figure, such as `§6.2(1)`.
    pub section: String,
    /// The claim in words that need no heading above.
    pub text: String,
}

/// Figure of the paper beside ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Compared quantity.
    pub what: String,
    /// The paper's figure, if printed.
    pub paper: Option<Figure>,
    /// Our figure, if available.
    pub ours: Option<Figure>,
    /// Unit of both figures; empty if there is none.
    pub unit: String,
    /// Ours divided by the paper's; for a change in percent, the ratio of what remains.
    pub ratio: Option<f64>,
    /// Result of the comparison.
    pub verdict: Verdict,
    /// Reason of a difference. A row that differs without one says so.
    pub cause: Option<Reason>,
    /// Remark that is not a cause; may be empty.
    pub note: String,
    /// Set for a row of the first screen.
    pub claim: Option<Claim>,
    /// Fault of the code that would turn the verdict; empty for a row that does not count.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fault: String,
}

impl Row {
    /// Compares a closed form with a printed figure: equal, or different.
    ///
    /// Figures are equal if ours rounds to the printed digits. They are also equal if truncation gives the printed
    /// digits; the row then says so.
    pub fn exact(what: &str, unit: &str, printed: &str, ours: f64) -> Self {
        let mut row = Self::both(what, unit, printed, ours);
        row.verdict = match row.agreement() {
            Agreement::Rounded | Agreement::CutOff => Verdict::Equal,
            Agreement::None => Verdict::Differs,
        };
        if let (Agreement::CutOff, Some(Figure::Number { decimals, .. })) =
            (row.agreement(), &mut row.ours)
        {
            // Shows the truncated digit.
            *decimals += 1;
            row.note = "printed cut off, not rounded".into();
        }
        row
    }

    /// Compares a measured time, count or share with a printed one: equal to the printed digits, within `tolerance`
    /// percent of it, or different. Zeros on both sides are not exercised. A `printed` that is no number cannot be
    /// compared.
    pub fn measured(what: &str, unit: &str, printed: &str, ours: f64, tolerance: f64) -> Self {
        let mut row = Self::both(what, unit, printed, ours);
        let Some(paper) = row.paper_value() else {
            row.verdict = Verdict::CannotBeCompared;
            return row;
        };
        row.ratio = (paper != 0.0).then(|| ours / paper);
        row.judged_by_ratio(tolerance, paper == 0.0 && ours == 0.0)
    }

    /// Compares the change from `base` to `value` with a printed change in percent. The verdict compares what
    /// remains: (100 + ours) / (100 + printed). A base of zero is not exercised if the value is zero too.
    pub fn change(what: &str, printed: &str, value: f64, base: f64, tolerance: f64) -> Self {
        if base == 0.0 {
            let mut row = Self::new(what, "%", Some(Figure::printed(printed)), None);
            row.verdict =
                if value == 0.0 { Verdict::NotExercised } else { Verdict::CannotBeCompared };
            return match row.verdict {
                Verdict::NotExercised => row,
                _ => row.because(Reason::MissingDetail(
                    "the base is 0, the compared value is not".into(),
                )),
            };
        }
        Self::changed(what, printed, (value / base - 1.0) * 100.0, tolerance)
    }

    /// As [`Row::change`], of a change that is already in percent. The change itself must be within the tolerance, too: what
    /// remains of a small change is near 100 % whatever it is.
    pub fn changed(what: &str, printed: &str, percent: f64, tolerance: f64) -> Self {
        let mut row = Self::both(what, "%", printed, percent);
        let Some(paper) = row.paper_value() else {
            row.verdict = Verdict::CannotBeCompared;
            return row;
        };
        let remains = 1.0 + paper / 100.0;
        row.ratio = (remains > 0.0).then(|| (1.0 + percent / 100.0) / remains);
        let row = row.judged_by_ratio(tolerance, false);
        let alike = paper == 0.0 || (percent / paper - 1.0).abs() * 100.0 <= tolerance;
        match row.verdict {
            Verdict::Within(_) if !alike => row.judged(Verdict::Differs),
            _ => row,
        }
    }

    /// Compares with a limit in the paper's text ("below 20 %", "more than 50 %"): equal if it holds.
    pub fn limit(what: &str, unit: &str, limit: Limit, ours: f64) -> Self {
        let (words, holds) = match limit {
            Limit::Below(most) => (format!("< {most}"), ours < most),
            Limit::AtMost(most) => (format!("≤ {most}"), ours <= most),
            Limit::Above(least) => (format!("> {least}"), ours > least),
        };
        let row = Self::new(what, unit, Some(Figure::Words(words)), Some(Figure::number(ours, 2)));
        row.judged(if holds { Verdict::Equal } else { Verdict::Differs })
    }

    /// Compares words, such as an order of events: equal or different.
    pub fn words(what: &str, paper: &str, ours: &str) -> Self {
        let words = |text: &str| Some(Figure::Words(text.into()));
        let verdict = if paper == ours { Verdict::Equal } else { Verdict::Differs };
        Self::new(what, "", words(paper), words(ours)).judged(verdict)
    }

    /// Our figure without a printed counterpart.
    pub fn evidence(what: &str, unit: &str, ours: f64, decimals: usize) -> Self {
        Self::new(what, unit, None, Some(Figure::number(ours, decimals)))
    }

    /// Our words without a printed counterpart.
    pub fn told(what: &str, ours: &str) -> Self {
        Self::new(what, "", None, Some(Figure::Words(ours.into())))
    }

    /// Row that cannot be compared, with its cause and our figure, if available.
    pub fn incomparable(
        what: &str,
        unit: &str,
        printed: Option<&str>,
        ours: Option<Figure>,
        cause: Reason,
    ) -> Self {
        Self::new(what, unit, printed.map(Figure::printed), ours)
            .judged(Verdict::CannotBeCompared)
            .because(cause)
    }

    /// Row without a figure of ours, and why there is none.
    pub fn missing(what: &str, unit: &str, printed: Option<&str>, why: impl ToString) -> Self {
        Self::incomparable(what, unit, printed, None, Reason::MissingDetail(why.to_string()))
    }

    /// Compares the paper's order, smallest first, with the order of our values. A group holds schemes whose mutual
    /// order the paper leaves open. Equal if no scheme of a group exceeds one of a later group. Not exercised if all values are
    /// zero.
    ///
    /// If a scheme has no value, the row cannot be compared.
    pub fn order(what: &str, paper: &[&[&str]], ours: &[(&str, Option<f64>)]) -> Self {
        let printed: Vec<String> = paper.iter().map(|group| group.join(", ")).collect();
        let value = |name: &str| ours.iter().find(|(n, _)| *n == name).and_then(|(_, v)| *v);
        let asked: Vec<&str> = paper.iter().copied().flatten().copied().collect();
        let missing: Vec<&str> =
            asked.iter().copied().filter(|name| value(name).is_none()).collect();
        let mut known: Vec<(&str, f64)> =
            asked.iter().filter_map(|name| Some((*name, value(name)?))).collect();
        known.sort_by(|a, b| a.1.partial_cmp(&b.1).unwrap_or(Ordering::Equal));
        let row = Self::new(
            what,
            "",
            Some(Figure::Words(printed.join(" < "))),
            Some(Figure::Words(chain(&known))),
        );
        if !missing.is_empty() {
            let cause = Reason::MissingDetail(format!("no value of {}", missing.join(", ")));
            return row.judged(Verdict::CannotBeCompared).because(cause);
        }
        if known.iter().all(|(_, value)| *value == 0.0) {
            return row.judged(Verdict::NotExercised);
        }
        let broken: Vec<String> = paper
            .iter()
            .enumerate()
            .flat_map(|(at, low)| paper[at + 1..].iter().map(move |high| (low, high)))
            .flat_map(|(low, high)| low.iter().flat_map(move |l| high.iter().map(move |h| (l, h))))
            .filter_map(|(low, high)| {
                let more = value(low)? - value(high)?;
                let percent = more / value(high)? * 100.0;
                (more > 0.0).then(|| format!("{low} is above {high} by {percent:.3} %"))
            })
            .collect();
        match broken.is_empty() {
            true => row.judged(Verdict::Equal),
            false => row.judged(Verdict::Differs).noting(&broken.join(", ")),
        }
    }

    /// The row with this cause if its verdict needs one and it has none yet; otherwise unchanged.
    #[must_use]
    pub fn because(mut self, cause: Reason) -> Self {
        if self.verdict.needs_cause() && self.cause.is_none() {
            self.cause = Some(cause);
        }
        self
    }

    /// True if our figure gives the printed digits, rounded or cut off, whatever the verdict.
    pub fn is_as_printed(&self) -> bool {
        self.agreement() != Agreement::None
    }

    /// True if the row differs for a cause that no measurement has decided.
    pub fn is_open(&self) -> bool {
        self.verdict.needs_cause() && matches!(self.cause, None | Some(Reason::Open(_)))
    }

    /// True if the row needs no cause, is open, or its cause has a figure. What cannot be compared may have none.
    pub(crate) fn is_caused(&self) -> bool {
        let has_figure = |cause: &Reason| cause.text().contains(|c: char| c.is_ascii_digit());
        self.verdict != Verdict::Differs
            || self.is_open()
            || self.cause.as_ref().is_some_and(has_figure)
    }

    /// The row on the first screen: the paper's section and the claim.
    #[must_use]
    pub fn headline(mut self, section: &str, claim: &str) -> Self {
        self.claim = Some(Claim { section: section.into(), text: claim.into() });
        self
    }

    /// The row as an input, which does not count: echoed settings, knobs of generators, figures computed from the
    /// paper's own.
    #[must_use]
    pub fn as_input(self) -> Self {
        self.uncounted(Verdict::Input)
    }

    /// The row as evidence, which does not count, unless it cannot be compared: figures of which the paper tells less
    /// than the row does.
    #[must_use]
    pub fn as_evidence(self) -> Self {
        match self.verdict {
            Verdict::CannotBeCompared => self,
            _ => self.uncounted(Verdict::Evidence),
        }
    }

    /// The row with a verdict that does not count; the words of its cause become a remark.
    fn uncounted(mut self, verdict: Verdict) -> Self {
        self.verdict = verdict;
        match self.cause.take() {
            Some(cause) => self.noting(cause.text()),
            None => self,
        }
    }

    /// The row as not exercised if `idle`: what it counts did not happen in a compared run.
    #[must_use]
    pub fn unless_idle(mut self, idle: bool) -> Self {
        if idle && self.verdict.counts() {
            self.verdict = Verdict::NotExercised;
            self.cause = None;
            self.ratio = None;
        }
        self
    }

    /// The row with `remark` appended to its note.
    #[must_use]
    pub fn noting(mut self, remark: &str) -> Self {
        if !remark.is_empty() {
            let apart = if self.note.is_empty() { "" } else { "; " };
            self.note = format!("{}{apart}{remark}", self.note);
        }
        self
    }

    /// The row of a ratio of these numbers of events, which it tells; of fewer than 1,000 the ratio has no decimals.
    #[must_use]
    pub fn of_events(mut self, value: f64, base: f64) -> Self {
        if let (true, Some(Figure::Number { decimals, .. })) =
            (value.min(base) < 1e3, &mut self.ours)
        {
            *decimals = 0;
        }
        self.noting(&format!("{value:.0} against {base:.0}"))
    }

    /// The row with another verdict.
    #[must_use]
    pub fn judged(mut self, verdict: Verdict) -> Self {
        self.verdict = verdict;
        self
    }

    fn judged_by_ratio(mut self, tolerance: f64, idle: bool) -> Self {
        self.verdict = match (self.agreement(), self.ratio) {
            _ if idle => Verdict::NotExercised,
            (Agreement::Rounded, _) => Verdict::Equal,
            (_, Some(ratio)) if (ratio - 1.0).abs() * 100.0 <= tolerance => {
                Verdict::Within(tolerance)
            }
            _ => Verdict::Differs,
        };
        self
    }

    fn new(what: &str, unit: &str, paper: Option<Figure>, ours: Option<Figure>) -> Self {
        Self {
            what: what.into(),
            paper,
            ours,
            unit: unit.into(),
            ratio: None,
            verdict: Verdict::Evidence,
            cause: None,
            note: String::new(),
            claim: None,
            fault: String::new(),
        }
    }

    /// Row with our figure at the printed number of decimals.
    fn both(what: &str, unit: &str, printed: &str, ours: f64) -> Self {
        let paper = Figure::printed(printed);
        let decimals = match &paper {
            Figure::Number { decimals, .. } => *decimals,
            Figure::Words(_) => 2,
        };
        let ratio = paper.value().filter(|paper| *paper != 0.0).map(|paper| ours / paper);
        let ours = Some(Figure::number(ours, decimals));
        Self { ratio, ..Self::new(what, unit, Some(paper), ours) }
    }

    fn paper_value(&self) -> Option<f64> {
        self.paper.as_ref().and_then(Figure::value)
    }

    fn agreement(&self) -> Agreement {
        let (Some(Figure::Number { value: paper, decimals }), Some(Figure::Number { value, .. })) =
            (&self.paper, &self.ours)
        else {
            return Agreement::None;
        };
        let unit = 10f64.powi(*decimals as i32);
        let digits = (paper * unit).round();
        // An exact half may be rounded either way.
        if (value * unit - digits).abs() <= 0.5 + 1e-6 {
            Agreement::Rounded
        } else if (value * unit + 1e-9 * value.signum()).trunc() == digits {
            Agreement::CutOff
        } else {
            Agreement::None
        }
    }
}

/// Way in which a figure yields the printed digits.
#[derive(PartialEq)]
enum Agreement {
    Rounded,
    CutOff,
    None,
}

/// Limit stated in the paper's text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// Less than this value.
    Below(f64),
    /// At most this value.
    AtMost(f64),
    /// Greater than this value.
    Above(f64),
}

impl Limit {
    /// The limit itself.
    pub fn value(self) -> f64 {
        match self {
            Self::Below(value) | Self::AtMost(value) | Self::Above(value) => value,
        }
    }
}

/// Chain such as `a < b = c` of sorted values.
fn chain(sorted: &[(&str, f64)]) -> String {
    let mut out = String::new();
    for (at, (name, value)) in sorted.iter().enumerate() {
        if at > 0 {
            out.push_str(if sorted[at - 1].1 == *value { " = " } else { " < " });
        }
        out.push_str(name);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(printed: &str, ours: f64) -> Row {
        Row::exact("x", "%", printed, ours).because(Reason::PaperError("because".into()))
    }

    #[test]
    fn digits_as_printed_are_equal() {
        assert_eq!(exact("87.5", 87.52).verdict, Verdict::Equal);
        assert_eq!(exact("0.886", 0.8862).note, "");
        let cut = exact("92.9", 92.96875);
        assert_eq!(
            (cut.verdict, cut.note.as_str()),
            (Verdict::Equal, "printed cut off, not rounded")
        );
        let other = exact("92.9", 93.06);
        assert_eq!(other.verdict, Verdict::Differs);
        assert_eq!(other.cause, Some(Reason::PaperError("because".into())));
        assert_eq!(exact("2220.9", 2220.9).verdict, Verdict::Equal);
        assert_eq!(exact("57344", 57344.0).verdict, Verdict::Equal);
        assert_eq!(exact("−42.83", -42.834).verdict, Verdict::Equal);
        assert_eq!(exact("-42.83", -42.85).verdict, Verdict::Differs);
    }

    #[test]
    fn a_change_is_judged_by_what_remains() {
        let change = |printed, remains| Row::change("x", printed, remains, 100.0, 15.0);
        assert_eq!(change("-60.51", 39.488).verdict, Verdict::Equal);
        assert_eq!(change("-60.51", 44.0).verdict, Verdict::Within(15.0));
        // Four points of the change apart, five times in what remains.
        let flattering = change("-95.36", 0.91);
        assert_eq!(flattering.verdict, Verdict::Differs);
        assert!((flattering.ratio.unwrap() - 0.91 / 4.64).abs() < 1e-9);
        assert_eq!(change("-60.51", 6.0).verdict, Verdict::Differs);
        assert_eq!(change("21.56", 124.0).verdict, Verdict::Within(15.0));
        // What remains is near, the change is not.
        assert_eq!(change("-7.5", 95.45).verdict, Verdict::Differs);
        assert_eq!(change("-30", 80.5).verdict, Verdict::Differs);
        // Of the printed sign, but four times as much; and of the other sign.
        assert_eq!(change("-2.5", 90.0).verdict, Verdict::Differs);
        assert_eq!(change("-2.5", 102.0).verdict, Verdict::Differs);
        assert_eq!(change("-2.5", 97.3).verdict, Verdict::Within(15.0));
        assert_eq!(change("0", 101.0).verdict, Verdict::Within(15.0));
        assert_eq!(change("N/A", 1.0).verdict, Verdict::CannotBeCompared);
        let of_nothing = |value| Row::change("x", "-60.51", value, 0.0, 15.0);
        assert_eq!(of_nothing(0.0).verdict, Verdict::NotExercised);
        assert_eq!(of_nothing(1.0).verdict, Verdict::CannotBeCompared);
        assert!(of_nothing(1.0).cause.is_some());
    }

    #[test]
    fn evidence_keeps_what_cannot_be_compared_and_the_words_of_the_cause() {
        let row = exact("92.9", 93.06).as_evidence();
        assert_eq!((row.verdict, row.cause.clone()), (Verdict::Evidence, None));
        assert!(row.note.contains("because") && !row.is_as_printed(), "{row:?}");
        let row = Row::change("x", "-60.51", 1.0, 0.0, 15.0).as_evidence();
        assert_eq!(row.verdict, Verdict::CannotBeCompared);
        assert!(row.cause.is_some());
        assert!(exact("92.9", 92.9).as_input().is_as_printed());
    }

    #[test]
    fn measured_figures_are_judged_by_their_ratio() {
        let measured = |printed, ours| Row::measured("x", "%", printed, ours, 10.0);
        assert_eq!(measured("4.6", 4.62).verdict, Verdict::Equal);
        assert_eq!(measured("4.6", 5.0).verdict, Verdict::Within(10.0));
        // A share of 8 % is not "within ten points" of 1 %.
        assert_eq!(measured("1", 8.0).verdict, Verdict::Differs);
        assert_eq!(measured("0", 0.0).verdict, Verdict::NotExercised);
        assert_eq!(measured("0", 3.0).verdict, Verdict::Differs);
        assert_eq!(measured("N/A", 1.0).verdict, Verdict::CannotBeCompared);
        let json = serde_json::to_value(measured("-60.51", -62.0)).unwrap();
        assert_eq!(json["verdict"], "within 10 %");
        assert_eq!(json["paper"], -60.51);
    }

    #[test]
    fn limits_and_words() {
        assert_eq!(Row::limit("x", "%", Limit::Below(20.0), 19.0).verdict, Verdict::Equal);
        assert_eq!(Row::limit("x", "%", Limit::Below(20.0), 20.0).verdict, Verdict::Differs);
        assert_eq!(Row::limit("x", "%", Limit::Above(50.0), 51.0).verdict, Verdict::Equal);
        assert_eq!(Row::limit("x", "", Limit::AtMost(3.0), 3.0).verdict, Verdict::Equal);
        assert_eq!(Row::words("x", "a", "a").verdict, Verdict::Equal);
        assert_eq!(Row::words("x", "a", "b").verdict, Verdict::Differs);
        assert_eq!(Row::told("x", "b").verdict, Verdict::Evidence);
    }

    #[test]
    fn inputs_and_idle_runs_do_not_count() {
        let equal = Row::exact("x", "", "4", 4.0);
        assert!(equal.verdict.counts());
        assert!(!equal.clone().as_input().verdict.counts());
        assert_eq!(equal.clone().unless_idle(true).verdict, Verdict::NotExercised);
        assert_eq!(equal.clone().unless_idle(false).verdict, Verdict::Equal);
        assert_eq!(equal.as_input().unless_idle(true).verdict, Verdict::Input);
    }

    #[test]
    fn the_first_cause_stands_and_an_equal_row_has_none() {
        let reading = || Reason::Reading("the other gives 3".into());
        assert_eq!(Row::exact("x", "", "4", 4.0).because(reading()).cause, None);
        let row = Row::exact("x", "", "4", 5.0).because(reading());
        let row = row.because(Reason::Open(String::new()));
        assert_eq!(row.cause.unwrap().to_string(), "our reading: the other gives 3");
    }

    #[test]
    fn orders() {
        let ours = [("a", Some(1.0)), ("b", Some(2.0)), ("c", Some(2.0)), ("d", None)];
        let row = |paper: &[&[&str]]| Row::order("x", paper, &ours);
        let good = row(&[&["a"], &["c", "b"]]);
        assert_eq!(good.verdict, Verdict::Equal);
        assert_eq!(good.ours, Some(Figure::Words("a < c = b".into())));
        assert_eq!(row(&[&["b"], &["c"]]).verdict, Verdict::Equal, "a tie contradicts no order");
        let bad = row(&[&["b"], &["a", "c"]]);
        assert_eq!(
            (bad.verdict, bad.note.as_str()),
            (Verdict::Differs, "b is above a by 100.000 %")
        );
        let near = [("a", Some(1592.02)), ("b", Some(1592.0))];
        let near = Row::order("x", &[&["a"], &["b"]], &near);
        assert_eq!(
            (near.verdict, near.note.as_str()),
            (Verdict::Differs, "a is above b by 0.001 %")
        );
        let unknown = row(&[&["a"], &["d"]]);
        assert_eq!(unknown.verdict, Verdict::CannotBeCompared);
        assert_eq!(unknown.cause.unwrap().text(), "no value of d");
        let idle = Row::order("x", &[&["a"], &["b"]], &[("a", Some(0.0)), ("b", Some(0.0))]);
        assert_eq!(idle.verdict, Verdict::NotExercised);
    }
}
