//! Comparison of one figure of a paper with ours, and its verdict.

use serde::{Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt;

/// Figure in a table: a number with its printed decimals, or words.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// A number.
    Number {
        /// Value at full precision.
        value: f64,
        /// Decimals to print.
        decimals: usize,
    },
    /// Words, such as an order of schemes.
    Words(String),
}

impl Figure {
    /// Number printed with `decimals` decimals.
    pub fn number(value: f64, decimals: usize) -> Self {
        Self::Number { value, decimals }
    }

    /// Parses a number as printed in a paper, keeping its number of decimals. Other text becomes words.
    pub fn printed(text: &str) -> Self {
        match text.replace('−', "-").parse() {
            Ok(value) => {
                Self::Number { value, decimals: text.rsplit_once('.').map_or(0, |(_, d)| d.len()) }
            }
            Err(_) => Self::Words(text.to_owned()),
        }
    }

    /// The value if the figure is a number.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Number { value, .. } => Some(*value),
            Self::Words(_) => None,
        }
    }
}

impl fmt::Display for Figure {
    /// Prints numbers with a proper minus sign (U+2212).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(words),
            Self::Number { value, decimals } => f.write_str(&decimal(*value, *decimals)),
        }
    }
}

impl Serialize for Figure {
    /// Serializes a number or a string.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number { value, .. } => serializer.serialize_f64(*value),
            Self::Words(words) => serializer.serialize_str(words),
        }
    }
}

/// Number with `decimals` decimals, a proper minus sign (U+2212) and no negative zero.
pub(super) fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

/// Result of comparing the paper's figure with ours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Equal to the printed digits.
    Equal,
    /// Within this distance, in the row's unit (percent: percentage points).
    Within(f64),
    /// Order or direction agrees, the magnitude does not.
    ShapeOnly,
    /// The comparison lacks a value or a parameter.
    CannotBeCompared,
    /// Figure, order or direction differs.
    Differs,
    /// The paper does not print this figure; ours is evidence for other rows.
    NotPrinted,
}

impl Verdict {
    /// Name without the tolerance, as in CSV and JSON.
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

    /// Names of all verdicts, best first.
    pub(super) const NAMES: [&'static str; 6] =
        ["equal", "within", "shape only", "differs", "cannot be compared", "not printed"];

    /// True if the row must give a reason.
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

/// Figure of the paper beside ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Compared quantity.
    pub what: String,
    /// The paper's figure, if printed.
    pub paper: Option<Figure>,
    /// Our figure, if available.
    pub ours: Option<Figure>,
    /// Ours minus the paper's if both are numbers, in the row's unit.
    pub difference: Option<f64>,
    /// Unit of both figures; empty if there is none.
    pub unit: String,
    /// Result of the comparison.
    pub verdict: Verdict,
    /// Reason for the verdict, if it is not obvious.
    pub why: String,
}

impl Row {
    /// Compares a closed form with a printed figure: equal, or different with the reason `why`.
    ///
    /// Figures are equal if ours rounds to the printed digits. They are also equal if truncation gives the printed
    /// digits; the row then says so.
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

    /// Compares a measured figure with a printed one. The verdict is the first that applies:
    ///
    /// - equal to the printed digits,
    /// - within `tolerance`,
    /// - shape only: a change in percent with the same sign,
    /// - differs.
    ///
    /// The last two give `why` as reason. If `printed` is not a number, the row cannot be compared.
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
            // Times and counts are never negative: only a change has a direction.
            _ if unit == "%" && paper.partial_cmp(&0.0) == ours.partial_cmp(&0.0) => {
                row.judged(Verdict::ShapeOnly, why)
            }
            _ => row.judged(Verdict::Differs, why),
        }
    }

    /// Compares with a limit in the paper's text ("below 20 %", "more than 50 %"): equal if it holds.
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

    /// Our figure without a printed counterpart.
    pub fn evidence(what: &str, unit: &str, ours: f64, decimals: usize) -> Self {
        Self::new(what, unit, None, Some(number(ours, decimals)))
    }

    /// Row that cannot be compared, with its reason and our figure, if available.
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

    /// Compares the paper's order, smallest first, with the order of our values. A group holds schemes whose mutual
    /// order the paper leaves open. Equal if no scheme of a group exceeds one of a later group.
    ///
    /// If a scheme has no value, the row cannot be compared.
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

    /// Adds a decimal to our figure, to show the truncated digit.
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

    /// The row with `remark` appended to its reason.
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

    /// Row with our figure at the printed number of decimals.
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

fn number(value: f64, decimals: usize) -> Figure {
    Figure::number(value, decimals)
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
