//! A section while it is made: its declaration, the words of its texts, and what was put into it.

use crate::declared::{CountsAs, RowData, SectionData};
use crate::error::ReproduceError;
use crate::figure::{Figure, decimal};
use crate::matrix::{Cell, Matrix};
use crate::reproduction::{PlotFile, Section};
use crate::row::{Limit, Row, TOLERANCE};
use crate::verdict::{Reason, Verdict};
use lab::report::plots::{Bars, Curve, Curves, Drawn};
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

/// Of a row for which no fault is declared.
pub(crate) const NO_FAULT: &str = "no fault is named";

/// What making a section returns.
pub(crate) type Outcome = Result<(), ReproduceError>;

/// A section that is being made.
pub(crate) struct Sheet {
    declared: &'static SectionData,
    words: BTreeMap<&'static str, Word>,
    section: Section,
}

impl Deref for Sheet {
    type Target = Section;

    fn deref(&self) -> &Section {
        &self.section
    }
}

impl DerefMut for Sheet {
    fn deref_mut(&mut self) -> &mut Section {
        &mut self.section
    }
}

/// A word of a text.
#[derive(Clone, Debug)]
pub(crate) enum Word {
    Text(String),
    Number(f64),
}

/// Our figure of a row.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Number(f64),
    Words(String),
    Order(Vec<(String, Option<f64>)>),
    /// Nothing to compare, and why; a figure that is shown nevertheless.
    Missing(String, Option<Figure>),
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl From<$number> for Value {
            fn from(value: $number) -> Self {
                Self::Number(value as f64)
            }
        }

        impl From<$number> for Word {
            fn from(value: $number) -> Self {
                Self::Number(value as f64)
            }
        }
    )*};
}

numbers!(f64, u64, u32, usize);

impl From<&str> for Value {
    fn from(words: &str) -> Self {
        Self::Words(words.into())
    }
}

impl From<String> for Value {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

impl<T: Into<Value>, E: ToString> From<Result<T, E>> for Value {
    fn from(value: Result<T, E>) -> Self {
        value.map_or_else(|why| Self::Missing(why.to_string(), None), Into::into)
    }
}

impl<S: ToString> From<Vec<(S, Option<f64>)>> for Value {
    fn from(values: Vec<(S, Option<f64>)>) -> Self {
        Self::Order(values.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<&String> for Word {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<String> for Word {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Option<f64>> for Word {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Self::Text("–".into()), Self::Number)
    }
}

impl Word {
    /// The word as `{name}`, with decimals `{name:1}` as in tables, and with those of Rust `{name:.1}`.
    fn text(&self, decimals: Option<&str>) -> String {
        let number = |text: &str| text.parse().unwrap_or(0);
        match (self, decimals) {
            (Self::Text(text), _) => text.clone(),
            (Self::Number(value), None) => value.to_string(),
            (Self::Number(value), Some(of)) => match of.strip_prefix('.') {
                Some(of) => format!("{value:.*}", number(of)),
                None => decimal(*value, number(of)),
            },
        }
    }
}

impl Sheet {
    /// An empty section, as declared.
    pub(crate) fn new(declared: &'static SectionData) -> Self {
        Self { declared, words: BTreeMap::new(), section: Section::default() }
    }

    /// Says a word of the texts to come.
    pub(crate) fn say(&mut self, name: &'static str, word: impl Into<Word>) -> &mut Self {
        self.words.insert(name, word.into());
        self
    }

    /// The text with its words, or the first word that was not said.
    fn try_fill<'a>(&self, text: &'a str) -> Result<String, &'a str> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (word, after) = after.split_once('}').ok_or(rest)?;
            let (name, decimals) =
                word.split_once(':').map_or((word, None), |(name, of)| (name, Some(of)));
            out.push_str(before);
            out.push_str(&self.words.get(name).ok_or(name)?.text(decimals));
            rest = after;
        }
        Ok(out + rest)
    }

    pub(crate) fn fill(&self, text: &str) -> String {
        self.try_fill(text).unwrap_or_else(|word| panic!("`{word}` was not said: {text}"))
    }

    /// The declared row with our figure.
    pub(crate) fn row(&self, key: &str, value: impl Into<Value>) -> Row {
        let of = self.declared(key);
        let text = |text: &Option<String>| text.as_ref().map(|text| self.fill(text));
        let (what, unit) = (self.fill(&of.what), self.fill(&of.unit));
        let printed = [&of.exact, &of.measured, &of.changed, &of.words, &of.printed];
        let printed = printed.into_iter().find_map(text);
        let limits = [
            (&of.below, Limit::Below as fn(f64) -> Limit),
            (&of.at_most, Limit::AtMost),
            (&of.above, Limit::Above),
        ];
        let limit = limits.into_iter().find_map(|(printed, limit)| {
            Some(limit(text(printed)?.parse().expect("a limit is a number")))
        });
        let within = of.within.unwrap_or(TOLERANCE);
        let row = match (value.into(), &printed) {
            (Value::Missing(why, ours), _) => {
                let why = Reason::MissingDetail(why);
                let row = Row::incomparable(&what, &unit, printed.as_deref(), ours, why);
                return self.finished(of, row, false);
            }
            (Value::Number(ours), Some(printed)) if of.exact.is_some() => {
                Row::exact(&what, &unit, printed, ours)
            }
            (Value::Number(ours), Some(printed)) if of.measured.is_some() => {
                Row::measured(&what, &unit, printed, ours, within)
            }
            (Value::Number(ours), Some(printed)) if of.changed.is_some() => {
                Row::changed(&what, printed, ours, within)
            }
            (Value::Number(ours), _) => match limit {
                Some(limit) => Row::limit(&what, &unit, limit, ours),
                None => Row::evidence(&what, &unit, ours, of.decimals),
            },
            (Value::Words(ours), Some(printed)) => Row::words(&what, printed, &ours),
            (Value::Words(ours), None) => Row::told(&what, &ours),
            (Value::Order(ours), _) => {
                let groups =
                    of.order.iter().flatten().map(|group| group.iter().map(String::as_str));
                let groups: Vec<Vec<&str>> = groups.map(Iterator::collect).collect();
                let groups: Vec<&[&str]> = groups.iter().map(Vec::as_slice).collect();
                let ours: Vec<_> =
                    ours.iter().map(|(name, value)| (name.as_str(), *value)).collect();
                Row::order(&what, &groups, &ours)
            }
        };
        self.finished(of, row, true)
    }

    /// The row with cause, remarks and claim as declared.
    fn finished(&self, of: &RowData, row: Row, has_ours: bool) -> Row {
        let causes = [
            (&of.paper_error, Reason::PaperError as fn(String) -> Reason),
            (&of.reading, Reason::Reading),
            (&of.stand_in, Reason::StandIn),
            (&of.missing, Reason::MissingDetail),
            (&of.open, Reason::Open),
        ];
        let mut row = row;
        if let Some((text, kind)) =
            causes.into_iter().find_map(|(t, kind)| Some((t.as_ref()?, kind)))
            && row.verdict.needs_cause()
            && row.cause.is_none()
        {
            row = row.because(kind(self.fill(text)));
        }
        for note in of.note.iter().filter(|_| has_ours).chain(&of.remark) {
            row = row.noting(&self.fill(note));
        }
        row = match of.counts_as {
            Some(CountsAs::Input) if has_ours => row.as_input(),
            Some(CountsAs::Evidence) => row.as_evidence(),
            _ => row,
        };
        let is_said = |(name, text): (&String, &String)| {
            self.words.get(name.as_str()).is_some_and(|word| word.text(None) == *text)
        };
        match &of.claim {
            Some((place, claim)) if of.when.iter().all(is_said) => {
                row.headline(&self.fill(place), &self.fill(claim))
            }
            _ => row,
        }
    }

    fn declared(&self, key: &str) -> &'static RowData {
        self.declared.rows.get(key).unwrap_or_else(|| panic!("no row `{key}` is declared"))
    }

    /// Puts the declared row with our figure into the section.
    pub(crate) fn put(&mut self, key: &str, value: impl Into<Value>) {
        let row = self.row(key, value);
        self.section.rows.push(row);
    }

    /// The last row as evidence unless `counts`: its printed figure, which is printed once, counts in another row.
    pub(crate) fn counts_if(&mut self, counts: bool) {
        let last = self.section.rows.pop();
        self.section.rows.extend(last.map(|row| if counts { row } else { row.as_evidence() }));
    }

    /// The same if there is a figure.
    pub(crate) fn put_some(&mut self, key: &str, value: Option<impl Into<Value>>) {
        value.into_iter().for_each(|value| self.put(key, value));
    }

    /// Puts the declared row that `make` makes of its name and unit, which needs more than a figure.
    pub(crate) fn made(&mut self, key: &str, make: impl FnOnce(&str, &str) -> Row) {
        let of = self.declared(key);
        let row = make(&self.fill(&of.what), &self.fill(&of.unit));
        let has_ours = row.verdict != Verdict::CannotBeCompared;
        let row = self.finished(of, row, has_ours);
        self.section.rows.push(row);
    }

    /// Puts a row that cannot be compared, since what it is about was not measured.
    pub(crate) fn missing(&mut self, what: &str, why: impl ToString) {
        let why = Reason::MissingDetail(why.to_string());
        self.section.rows.push(Row::incomparable(what, "", None, None, why));
    }

    /// Adds the declared table of these figures.
    pub(crate) fn matrix<R: AsRef<str>, C: AsRef<str>>(
        &mut self,
        key: &str,
        rows: &[R],
        columns: &[C],
        value: impl Fn(usize, usize) -> Option<f64>,
    ) {
        let (title, decimals) = &self.declared.matrices[key];
        let cell = |row, column| Cell::ours(value(row, column), *decimals);
        let matrix = Matrix::of(&self.fill(title), rows, columns, cell);
        self.section.matrices.push(matrix);
    }

    /// Adds the declared bar chart.
    pub(crate) fn bars(
        &mut self,
        key: &str,
        groups: Vec<String>,
        series: Vec<(String, Vec<Option<f64>>)>,
    ) {
        let plot = &self.declared.plots[key];
        let (title, label) = (self.fill(&plot.title), self.fill(&plot.y));
        let figure = Bars { title, label, groups, series, log: plot.log_y }.into();
        self.section.plots.push(PlotFile { name: format!("{}.svg", self.fill(key)), figure });
    }

    /// Adds the declared chart of these curves.
    pub(crate) fn curves(&mut self, key: &str, curves: Vec<Curve>) {
        let plot = &self.declared.plots[key];
        let chart = Curves {
            caption: self.fill(&plot.title),
            x_label: &plot.x,
            y_label: &plot.y,
            log_x: plot.log_x,
            log_y: plot.log_y,
            curves,
        };
        let name = format!("{}.svg", self.fill(key));
        self.section.plots.push(PlotFile { name, figure: chart.into() });
    }

    /// The section with its notes.
    pub(crate) fn finish(mut self) -> Section {
        let notes = self.declared.notes.iter();
        let notes: Vec<String> = notes.filter_map(|note| self.try_fill(note).ok()).collect();
        self.section.notes.extend(notes);
        self.section.title.clone_from(&self.declared.title);
        for row in self.section.rows.iter_mut().filter(|row| row.verdict.counts()) {
            if !row.is_caused() {
                row.cause = row.cause.take().map(|cause| Reason::Open(cause.text().to_owned()));
            }
            let fault =
                self.declared.faults.iter().find(|(words, _)| row.what.contains(words.as_str()));
            row.fault = fault.map_or(NO_FAULT, |(_, fault)| fault).to_owned();
        }
        self.section
    }
}

/// A line through these points.
pub(crate) fn line(name: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Curve {
    let (note, points) = (String::new(), points.into_iter().collect());
    Curve { name: name.into(), note, points, drawn: Drawn::Line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declared::Declared;
    use std::sync::LazyLock;

    static DATA: LazyLock<Declared> = LazyLock::new(|| {
        Declared::read(
            "name = 'x'\ntitle = ''\nsource = ''\n[section.a]\ntitle = 'A'\nfaults = [['', 'a fault']]\nnotes = ['{n:1} of {what}', '{unsaid}']\n[section.a.rows]\n\
             read = { what = '{what}', unit = 'µs', exact = '25', claim = ['§1', 'read'], when = { what = 'x' } }\n\
             rate = { what = 'rate', measured = '10', within = 5.0, reading = 'the other gives {n:.0}', note = 'seen' }\n\
             most = { what = 'most', at_most = '{n}', counts_as = 'evidence' }",
        )
    });

    #[test]
    fn rows_are_as_declared() {
        let mut sheet = Sheet::new(&DATA.section["a"]);
        sheet.say("what", "x").say("n", 3.26).put("read", 25.0);
        sheet.say("what", "y").put("read", Err::<f64, _>("not run"));
        sheet.put("rate", 12.0);
        sheet.put("most", 4.0);
        let section = sheet.finish();
        assert_eq!((section.title.as_str(), &section.notes[..]), ("A", &["3.3 of y".into()][..]));
        let [read, none, rate, most] = &section.rows[..] else { panic!("four rows") };
        let same = Row::exact("x", "µs", "25", 25.0).headline("§1", "read");
        assert_eq!(*read, Row { fault: "a fault".into(), ..same });
        assert!(most.fault.is_empty());
        assert_eq!((none.verdict, &none.claim), (Verdict::CannotBeCompared, &None));
        assert_eq!(rate.cause, Some(Reason::Reading("the other gives 3".into())));
        assert_eq!((rate.note.as_str(), most.verdict), ("seen", Verdict::Evidence));
    }
}
