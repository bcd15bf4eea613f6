//! One figure of a paper beside ours, and what is to be said of the two.

use serde::{Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt;

/// A figure of a table: a number with the decimals that it is told with, or words.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// A number.
    Number {
        /// The value, with all the digits that there are.
        value: f64,
        /// Decimals that are printed.
        decimals: usize,
    },
    /// Words, such as the order of schemes.
    Words(String),
}

impl Figure {
    /// A number told with so many decimals.
    pub fn number(value: f64, decimals: usize) -> Self {
        Self::Number { value, decimals }
    }

    /// A number as a paper prints it: its decimals count. Anything else is taken as words.
    pub fn printed(text: &str) -> Self {
        match text.replace('−', "-").parse() {
            Ok(value) => {
                Self::Number { value, decimals: text.rsplit_once('.').map_or(0, |(_, d)| d.len()) }
            }
            Err(_) => Self::Words(text.to_owned()),
        }
    }

    /// The value, where it is a number.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Number { value, .. } => Some(*value),
            Self::Words(_) => None,
        }
    }
}

impl fmt::Display for Figure {
    /// With a minus sign that is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(words),
            Self::Number { value, decimals } => f.write_str(&decimal(*value, *decimals)),
        }
    }
}

impl Serialize for Figure {
    /// A number or a text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number { value, .. } => serializer.serialize_f64(*value),
            Self::Words(words) => serializer.serialize_str(words),
        }
    }
}

/// A number with so many decimals, a minus sign that is one, and no negative zero.
pub(super) fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

/// What is to be said of the paper's figure and ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The same to the printed digits.
    Equal,
    /// No further apart than this, in the row's unit (percent: percentage points).
    Within(f64),
    /// Order or direction agrees, the magnitude does not.
    ShapeOnly,
    /// Something that the comparison needs is not known or not there.
    CannotBeCompared,
    /// It is another figure, order or direction.
    Differs,
    /// The paper prints no such figure: ours stands as evidence for others.
    NotPrinted,
}

impl Verdict {
    /// Its name without the tolerance, as CSV and JSON have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Within(_) => "within",
            Self::ShapeOnly => "shape only",
            Self::CannotBeCompared => "cannot be compared",
            Self::Differs => "differs",
            Self::NotPrinted => "not printed",
        }
    }

    /// Every verdict's name, best first.
    pub(super) const NAMES: [&'static str; 6] =
        ["equal", "within", "shape only", "differs", "cannot be compared", "not printed"];

    /// True where a reader must be told why.
    pub fn needs_reason(self) -> bool {
        matches!(self, Self::ShapeOnly | Self::CannotBeCompared | Self::Differs)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Within(tolerance) => write!(f, "within {tolerance}"),
            other => f.write_str(other.name()),
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A figure of the paper beside ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// What is compared.
    pub what: String,
    /// The paper's figure, where it prints one.
    pub paper: Option<Figure>,
    /// Ours, where there is one.
    pub ours: Option<Figure>,
    /// Ours less the paper's, where both are numbers; in the row's unit.
    pub difference: Option<f64>,
    /// Unit of both; empty where there is none.
    pub unit: String,
    /// What is to be said of the two.
    pub verdict: Verdict,
    /// Why, where that does not go without saying.
    pub why: String,
}

impl Row {
    /// A closed form against a printed figure: equal, or it differs and `why` says why.
    ///
    /// Equal are figures that round to the printed digits, or give them when cut off (which is then said).
    pub fn exact(what: &str, unit: &str, printed: &str, ours: f64, why: &str) -> Self {
        let row = Self::both(what, unit, printed, ours);
        match row.agreement() {
            Agreement::Rounded => row.judged(Verdict::Equal, ""),
            Agreement::CutOff => {
                row.one_decimal_more().judged(Verdict::Equal, "printed cut off, not rounded")
            }
            Agreement::None => row.judged(Verdict::Differs, why),
        }
    }

    /// A measured figure against a printed one: equal to the printed digits, within `tolerance`, else, for a
    /// change in percent, of the same sign (shape only), else it differs. `why` is told with the last two.
    pub fn measured(
        what: &str,
        unit: &str,
        printed: &str,
        ours: f64,
        tolerance: f64,
        why: &str,
    ) -> Self {
        let row = Self::both(what, unit, printed, ours);
        let (Some(paper), Some(difference)) = (row.paper_value(), row.difference) else {
            return row.judged(Verdict::CannotBeCompared, why);
        };
        match row.agreement() {
            Agreement::Rounded => row.judged(Verdict::Equal, ""),
            _ if difference.abs() <= tolerance => row.judged(Verdict::Within(tolerance), ""),
            // Times and counts are above 0 whatever they are: only a change has a direction.
            _ if unit == "%" && paper.partial_cmp(&0.0) == ours.partial_cmp(&0.0) => {
                row.judged(Verdict::ShapeOnly, why)
            }
            _ => row.judged(Verdict::Differs, why),
        }
    }

    /// A bound that the paper states as a limit ("below 20 %", "more than 50 %"): equal where it holds.
    pub fn limit(what: &str, unit: &str, limit: Limit, ours: f64, why: &str) -> Self {
        let (words, holds) = match limit {
            Limit::Below(most) => (format!("< {most}"), ours < most),
            Limit::AtMost(most) => (format!("≤ {most}"), ours <= most),
            Limit::Above(least) => (format!("> {least}"), ours > least),
        };
        let row = Self::new(what, unit, Some(Figure::Words(words)), Some(number(ours, 2)));
        match holds {
            true => row.judged(Verdict::Equal, ""),
            false => row.judged(Verdict::Differs, why),
        }
    }

    /// A figure of ours that the paper does not print.
    pub fn evidence(what: &str, unit: &str, ours: f64, decimals: usize) -> Self {
        Self::new(what, unit, None, Some(number(ours, decimals)))
    }

    /// What cannot be compared, and why; ours is told where there is one.
    pub fn incomparable(
        what: &str,
        unit: &str,
        printed: Option<&str>,
        ours: Option<Figure>,
        why: &str,
    ) -> Self {
        Self::new(what, unit, printed.map(Figure::printed), ours)
            .judged(Verdict::CannotBeCompared, why)
    }

    /// The paper's order, smallest first, schemes between which it does not decide in one group; against
    /// ours by value. Equal where no scheme of a group is above one of a later group.
    ///
    /// A scheme without a value makes the row one that cannot be compared.
    pub fn order(what: &str, paper: &[&[&str]], ours: &[(&str, Option<f64>)], why: &str) -> Self {
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
            let why = format!("no value of {}", missing.join(", "));
            return row.judged(Verdict::CannotBeCompared, &why);
        }
        let broken: Vec<String> = paper
            .iter()
            .enumerate()
            .flat_map(|(at, low)| paper[at + 1..].iter().map(move |high| (low, high)))
            .flat_map(|(low, high)| low.iter().flat_map(move |l| high.iter().map(move |h| (l, h))))
            .filter(|(low, high)| value(low) > value(high))
            .map(|(low, high)| format!("{low} is above {high}"))
            .collect();
        if broken.is_empty() {
            return row.judged(Verdict::Equal, "");
        }
        let joined = broken.join(", ");
        let why = if why.is_empty() { joined } else { format!("{joined}: {why}") };
        row.judged(Verdict::Differs, &why)
    }

    /// Ours with the decimal that shows what was cut off.
    fn one_decimal_more(mut self) -> Self {
        if let Some(Figure::Number { decimals, .. }) = &mut self.ours {
            *decimals += 1;
        }
        self
    }

    /// The row with another verdict and reason.
    #[must_use]
    pub fn judged(mut self, verdict: Verdict, why: &str) -> Self {
        self.verdict = verdict;
        self.why = why.to_owned();
        self
    }

    /// The row with a remark added to its reason.
    #[must_use]
    pub fn remarked(mut self, remark: &str) -> Self {
        if !remark.is_empty() {
            let apart = if self.why.is_empty() { "" } else { "; " };
            self.why = format!("{}{apart}{remark}", self.why);
        }
        self
    }

    fn new(what: &str, unit: &str, paper: Option<Figure>, ours: Option<Figure>) -> Self {
        let difference = match (&paper, &ours) {
            (Some(paper), Some(ours)) => {
                paper.value().zip(ours.value()).map(|(paper, ours)| ours - paper)
            }
            _ => None,
        };
        Self {
            what: what.into(),
            paper,
            ours,
            difference,
            unit: unit.into(),
            verdict: Verdict::NotPrinted,
            why: String::new(),
        }
    }

    /// Ours with as many decimals as are printed.
    fn both(what: &str, unit: &str, printed: &str, ours: f64) -> Self {
        let paper = Figure::printed(printed);
        let decimals = match &paper {
            Figure::Number { decimals, .. } => *decimals,
            Figure::Words(_) => 2,
        };
        Self::new(what, unit, Some(paper), Some(number(ours, decimals)))
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
        // A value that lies on a half to the last bit may be rounded either way.
        if (value * unit - digits).abs() <= 0.5 + 1e-6 {
            Agreement::Rounded
        } else if (value * unit + 1e-9 * value.signum()).trunc() == digits {
            Agreement::CutOff
        } else {
            Agreement::None
        }
    }
}

/// How a figure gives the printed digits.
enum Agreement {
    Rounded,
    CutOff,
    None,
}

/// A limit in words of the paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// Less than this.
    Below(f64),
    /// This or less.
    AtMost(f64),
    /// More than this.
    Above(f64),
}

fn number(value: f64, decimals: usize) -> Figure {
    Figure::number(value, decimals)
}

/// `a < b = c`, of sorted values.
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
        Row::exact("x", "%", printed, ours, "because")
    }

    fn measured(printed: &str, ours: f64) -> Row {
        Row::measured("x", "%", printed, ours, 10.0, "because")
    }

    #[test]
    fn digits_as_printed_are_equal() {
        assert_eq!(exact("87.5", 87.52).verdict, Verdict::Equal);
        assert_eq!(exact("0.886", 0.8862).why, "");
        let cut = exact("92.9", 92.96875);
        assert_eq!(
            (cut.verdict, cut.why.as_str()),
            (Verdict::Equal, "printed cut off, not rounded")
        );
        let other = exact("92.9", 93.06);
        assert_eq!((other.verdict, other.why.as_str()), (Verdict::Differs, "because"));
        assert_eq!(exact("2220.9", 2220.9).verdict, Verdict::Equal);
        assert_eq!(exact("57344", 57344.0).verdict, Verdict::Equal);
        assert_eq!(exact("−42.83", -42.834).verdict, Verdict::Equal);
        assert_eq!(exact("-42.83", -42.85).verdict, Verdict::Differs);
    }

    #[test]
    fn measured_figures_are_judged_by_distance_then_direction() {
        assert_eq!(measured("-60.51", -60.512).verdict, Verdict::Equal);
        let near = measured("-60.51", -52.0);
        assert_eq!((near.verdict, near.why.as_str()), (Verdict::Within(10.0), ""));
        let far = measured("-60.51", -94.0);
        assert_eq!((far.verdict, far.why.as_str()), (Verdict::ShapeOnly, "because"));
        assert!((far.difference.unwrap() + 33.49).abs() < 1e-9);
        assert_eq!(measured("-60.51", 12.0).verdict, Verdict::Differs);
        assert_eq!(measured("21.56", 0.0).verdict, Verdict::Differs);
        assert_eq!(measured("N/A", 1.0).verdict, Verdict::CannotBeCompared);
    }

    #[test]
    fn limits() {
        assert_eq!(Row::limit("x", "%", Limit::Below(20.0), 19.0, "w").verdict, Verdict::Equal);
        let over = Row::limit("x", "%", Limit::Below(20.0), 20.0, "w");
        assert_eq!((over.verdict, over.why.as_str()), (Verdict::Differs, "w"));
        assert_eq!(Row::limit("x", "%", Limit::Above(50.0), 51.0, "w").verdict, Verdict::Equal);
        assert_eq!(Row::limit("x", "", Limit::AtMost(3.0), 3.0, "w").verdict, Verdict::Equal);
    }

    #[test]
    fn orders() {
        let ours = [("a", Some(1.0)), ("b", Some(2.0)), ("c", Some(2.0)), ("d", None)];
        let row = |paper: &[&[&str]]| Row::order("x", paper, &ours, "");
        let good = row(&[&["a"], &["c", "b"]]);
        assert_eq!(good.verdict, Verdict::Equal);
        assert_eq!(good.ours, Some(Figure::Words("a < c = b".into())));
        assert_eq!(row(&[&["b"], &["c"]]).verdict, Verdict::Equal, "a tie contradicts no order");
        let bad = row(&[&["b"], &["a", "c"]]);
        assert_eq!((bad.verdict, bad.why.as_str()), (Verdict::Differs, "b is above a"));
        let unknown = row(&[&["a"], &["d"]]);
        assert_eq!(
            (unknown.verdict, unknown.why.as_str()),
            (Verdict::CannotBeCompared, "no value of d")
        );
    }

    #[test]
    fn figures_read_as_people_write_them() {
        assert_eq!(Figure::printed("−0.5"), Figure::Number { value: -0.5, decimals: 1 });
        assert_eq!(Figure::printed("N/A"), Figure::Words("N/A".into()));
        assert_eq!(decimal(-0.001, 2), "0.00");
        assert_eq!(decimal(-42.834, 2), "−42.83");
        let json = serde_json::to_value(measured("-60.51", -52.0)).unwrap();
        assert_eq!(json["verdict"], "within 10");
        assert_eq!(json["paper"], -60.51);
    }
}
