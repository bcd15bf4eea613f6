//! Figs 6, 7, 9, 10: response times, copies and erases of six schemes under five workloads, with means.

use super::evaluation::{Before, Evaluation, SCHEMES, WORKLOADS};
use crate::error::ReproduceError;
use crate::figure::Figure;
use crate::reproduction::{PlotFile, Section};
use crate::row::{Row, TOLERANCE};
use crate::verdict::Reason;
use sim::report::SchemeReport;
use sim::report::plots::Bars;

/// Causes under which collection moves valid pages, by copy or by read and program.
pub(super) const COLLECTION: [&str; 5] =
    ["collection", "translation-collection", "switch-merge", "partial-merge", "full-merge"];

/// Valid pages moved for these causes.
pub(super) fn pages_moved(report: &SchemeReport, causes: &[&str]) -> f64 {
    let of_them = report.counts.iter().filter(|count| causes.contains(&count.cause.as_str()));
    of_them.map(|count| count.copies + count.programs).sum::<u64>() as f64
}

/// Quantity shown in a figure.
pub(super) struct Metric {
    pub(super) section: &'static str,
    label: &'static str,
    of: fn(&SchemeReport) -> f64,
    /// Precondition of the array.
    before: Before,
    /// True if the paper normalises each workload to GFTL.
    normalised: bool,
    /// Printed change of Lazy-RTGC's mean against another scheme: scheme, change in %, and reason for a large
    /// deviation of ours.
    printed: &'static [(&'static str, &'static str, &'static str)],
    /// Orders of the means stated in the text, smallest first.
    orders: &'static [&'static [&'static [&'static str]]],
    /// Reason why our order may differ.
    order_why: &'static str,
}

const STAND_INS: &str = "the traces are not public: the stand-ins have Table V's figures only";
const PAGE_LEVEL: &str = "on an array that is written full, page-level keeps one block free: each write needs a \
                          victim, and the least full has π − 1 valid pages, 63 copies per write. The paper's \
                              longest response of page-level (over 17964.6 µs) says the same, its copies do not";
const FSR_COPIES: &str = "FSR has a quarter of the array free and Lazy-RTGC an eighth: greedy finds victims with far \
                          fewer valid pages there (at random overwrites 1.2 against 3.2 copies per write in the steady \
                          state, +168 %); +21.56 % needs traces whose victims are mostly empty in both";

pub(super) const METRICS: [Metric; 4] = [
    Metric {
        section: "fig-6",
        label: "longest response of a page task, µs",
        of: |report| report.response_ns.max as f64 / 1e3,
        before: Before::Collecting,
        normalised: false,
        printed: &[
            (
                "page-level",
                "-90.58",
                "one collection of π − 1 valid pages takes 17964.6 µs with its write, 87.64 % above ours; more \
                 needs several collections in one task, which ours never does",
            ),
            ("fsr", "-83.78", STAND_INS),
            (
                "gftl",
                "-42.83",
                "the bound is reached where a read finds its page last in the OOB search",
            ),
        ],
        orders: &[&[
            &["lazy-rtgc"],
            &["rftl", "lazy-rtgc-on-demand"],
            &["gftl"],
            &["fsr"],
            &["page-level"],
        ]],
        order_why: "RFTL does not collect at all on websearch-like: hardly a block is written twice",
    },
    Metric {
        section: "fig-7",
        label: "mean response of a page task, µs",
        of: |report| report.response_ns.mean / 1e3,
        before: Before::Full,
        normalised: false,
        printed: &[("gftl", "-94.56", STAND_INS), ("rftl", "-50.84", STAND_INS)],
        orders: &[&[&["lazy-rtgc", "fsr", "page-level"], &["rftl"], &["gftl"]]],
        order_why: "page-level copies 63 pages per write on an array that is written full (see Fig. 9)",
    },
    Metric {
        section: "fig-9",
        label: "valid pages copied, GFTL = 1",
        of: |report| pages_moved(report, &COLLECTION),
        before: Before::Full,
        normalised: true,
        printed: &[
            ("page-level", "-60.51", PAGE_LEVEL),
            ("fsr", "21.56", FSR_COPIES),
            ("gftl", "-95.36", STAND_INS),
            ("rftl", "-86.11", STAND_INS),
        ],
        orders: &[&[&["fsr"], &["lazy-rtgc"], &["page-level"], &["rftl"], &["gftl"]]],
        order_why: "page-level copies 63 pages per write on an array that is written full",
    },
    Metric {
        section: "fig-10",
        label: "blocks erased, GFTL = 1",
        of: |report| report.erases as f64,
        before: Before::Full,
        normalised: true,
        printed: &[("gftl", "-83.66", STAND_INS), ("rftl", "-67.38", STAND_INS)],
        orders: &[
            &[&["lazy-rtgc", "fsr"], &["rftl"], &["gftl"]],
            &[&["lazy-rtgc", "fsr"], &["page-level"]],
        ],
        order_why: "page-level erases one block per write on an array that is written full (see Fig. 9)",
    },
];

/// Section with the figure of a metric.
pub(super) fn section(id: &str, evaluation: &Evaluation) -> Result<Section, ReproduceError> {
    let metric = METRICS.iter().find(|metric| metric.section == id).expect("is a figure");
    let mut section = Section::default();
    let main = Values::new(metric, evaluation, metric.before);
    let others: Vec<Values<'_>> = Before::ALL
        .into_iter()
        .filter(|before| *before != metric.before)
        .map(|before| Values::new(metric, evaluation, before))
        .collect();
    section.notes.push(format!("of the state: {}", metric.before.words()));
    section.rows.extend(metric.printed.iter().map(|printed| main.headline(printed)));
    for groups in metric.orders {
        section.rows.push(main.order("order of the means", groups, |scheme| main.mean(scheme)));
    }
    for (at, name) in WORKLOADS.iter().enumerate() {
        for groups in metric.orders {
            let what = format!("{name}: the means' order here");
            section.rows.push(main.order(&what, groups, |scheme| main.value(at, scheme)));
        }
    }
    for (base, ..) in metric.printed {
        section.rows.extend(main.by_workload(base));
        section.rows.extend(others.iter().map(|values| values.alternative(base)));
    }
    section.rows.extend(main.values());
    if metric.normalised {
        section
            .notes
            .push("means are of the values divided by GFTL's, workload by workload".into());
    }
    section.notes.extend(main.left_out());
    for values in [&main].into_iter().chain(&others) {
        section.plots.push(values.plot()?);
    }
    Ok(section)
}

/// Values of a metric in one state of the array.
struct Values<'a> {
    metric: &'a Metric,
    evaluation: &'a Evaluation,
    before: Before,
}

impl<'a> Values<'a> {
    fn new(metric: &'a Metric, evaluation: &'a Evaluation, before: Before) -> Self {
        Self { metric, evaluation, before }
    }

    fn measured(&self, workload: usize, scheme: &str) -> Option<f64> {
        self.evaluation.report(self.before, workload, scheme).map(self.metric.of)
    }

    /// Value as in the figure: divided by GFTL's if the metric is normalised.
    fn value(&self, workload: usize, scheme: &str) -> Option<f64> {
        let value = self.measured(workload, scheme)?;
        if !self.metric.normalised {
            return Some(value);
        }
        let one = self.measured(workload, "gftl")?;
        (one > 0.0).then_some(value / one)
    }

    /// Workloads included in the means: all, or those with a non-zero GFTL value if the metric is normalised.
    fn counted(&self) -> impl Iterator<Item = usize> {
        (0..WORKLOADS.len())
            .filter(|at| !self.metric.normalised || self.measured(*at, "gftl") != Some(0.0))
    }

    fn mean(&self, scheme: &str) -> Option<f64> {
        let values: Option<Vec<f64>> = self.counted().map(|at| self.value(at, scheme)).collect();
        let values = values.filter(|values| !values.is_empty())?;
        Some(values.iter().sum::<f64>() / values.len() as f64)
    }

    fn left_out(&self) -> Option<String> {
        let out: Vec<&str> = (0..WORKLOADS.len())
            .filter(|at| !self.counted().any(|counted| counted == *at))
            .map(|at| WORKLOADS[at])
            .collect();
        (!out.is_empty())
            .then(|| format!("not in the means, since GFTL's is 0: {}", out.join(", ")))
    }

    /// Change of Lazy-RTGC against `base`, %.
    fn change(&self, workload: usize, base: &str) -> Option<f64> {
        let base = self.measured(workload, base)?;
        (base > 0.0).then_some((self.measured(workload, "lazy-rtgc")? / base - 1.0) * 100.0)
    }

    fn mean_change(&self, base: &str) -> Option<f64> {
        let base = self.mean(base)?;
        (base > 0.0).then_some((self.mean("lazy-rtgc")? / base - 1.0) * 100.0)
    }

    /// Row with the printed mean and ours. If the two are far apart, it lists the changes of all workloads.
    fn headline(&self, (base, printed, why): &(&str, &str, &str)) -> Row {
        let what = format!("lazy-rtgc against {base}, mean");
        let Some(change) = self.mean_change(base) else {
            let why = self.why_not(base);
            return Row::incomparable(
                &what,
                "%",
                Some(printed),
                None,
                Reason::MissingDetail(why.clone()),
            );
        };
        let row = Row::changed(&what, printed, change, TOLERANCE)
            .because(Reason::MissingDetail((*why).into()));
        let changes: Vec<String> = WORKLOADS
            .iter()
            .enumerate()
            .map(|(at, name)| match self.change(at, base) {
                Some(change) => format!("{name} {}", Figure::number(change, 1)),
                None => format!("{name} –"),
            })
            .collect();
        match row.verdict.needs_cause() {
            true => row.noting(&changes.join(", ")),
            false => row,
        }
    }

    fn why_not(&self, base: &str) -> String {
        let runs = self.evaluation.of(self.before);
        for scheme in [base, "lazy-rtgc", "gftl"] {
            if let Some(why) = runs.iter().find_map(|ran| ran.why_not(scheme)) {
                return format!("{scheme}: {why}");
            }
        }
        format!("{base} did none of it")
    }

    fn order(&self, what: &str, groups: &[&[&str]], value: impl Fn(&str) -> Option<f64>) -> Row {
        let values: Vec<(&str, Option<f64>)> =
            SCHEMES.iter().map(|scheme| (*scheme, value(scheme))).collect();
        Row::order(what, groups, &values)
            .because(Reason::MissingDetail(self.metric.order_why.into()))
    }

    fn by_workload(&self, base: &str) -> Vec<Row> {
        let row = |(at, name): (usize, &&str)| {
            let what = format!("lazy-rtgc against {base}, {name}");
            match self.change(at, base) {
                Some(change) => Row::evidence(&what, "%", change, 2),
                None => Row::incomparable(
                    &what,
                    "%",
                    None,
                    None,
                    Reason::MissingDetail(self.why_not(base)),
                ),
            }
        };
        WORKLOADS.iter().enumerate().map(row).collect()
    }

    /// Evidence row: the mean in another state of the array.
    fn alternative(&self, base: &str) -> Row {
        let what = format!("lazy-rtgc against {base}, mean, {}", self.before.words());
        match self.mean_change(base) {
            Some(change) => Row::evidence(&what, "%", change, 2),
            None => {
                Row::incomparable(&what, "%", None, None, Reason::MissingDetail(self.why_not(base)))
            }
        }
    }

    /// Evidence rows of all measured values.
    fn values(&self) -> Vec<Row> {
        let (unit, decimals) = if self.metric.normalised { ("", 0) } else { ("µs", 1) };
        let rows = WORKLOADS.iter().enumerate().flat_map(|(at, name)| {
            SCHEMES.iter().filter_map(move |scheme| {
                let value = self.measured(at, scheme)?;
                Some(Row::evidence(&format!("{name}, {scheme}"), unit, value, decimals))
            })
        });
        rows.collect()
    }

    fn plot(&self) -> Result<PlotFile, ReproduceError> {
        let groups = WORKLOADS.iter().map(|name| (*name).to_owned()).chain(["mean".to_owned()]);
        let series = SCHEMES.iter().map(|scheme| {
            let of_workloads = (0..WORKLOADS.len()).map(|at| self.value(at, scheme));
            ((*scheme).to_owned(), of_workloads.chain([self.mean(scheme)]).collect())
        });
        let (section, label) = (self.metric.section, self.metric.label);
        let figure = section.replace("fig-", "Fig. ");
        let bars = Bars {
            title: format!("{figure}: {label}; {}", self.before.words()),
            label: label.into(),
            groups: groups.collect(),
            series: series.collect(),
            log: true,
        };
        let main = self.before == self.metric.before;
        let suffix = if main { "" } else { self.before.suffix() };
        Ok(PlotFile { name: format!("{section}{suffix}.svg"), svg: bars.svg()? })
    }
}
