//! Figs 6, 7, 9, 10: response, copies and erases of six schemes under five workloads and their means.

use super::PAPER;
use super::evaluation::{Before, Evaluation, SCHEMES, WORKLOADS};
use crate::report::SchemeReport;
use crate::report::plots::Bars;
use crate::reproduce::{Figure, PlotFile, ReproduceError, Row, Section};

/// Percentage points within which the mean of a stand-in is taken to agree.
const TOLERANCE: f64 = 10.0;

/// What a figure shows.
pub(super) struct Metric {
    pub(super) section: &'static str,
    label: &'static str,
    of: fn(&SchemeReport) -> f64,
    /// True where the paper takes GFTL's value as 1 in each workload.
    normalised: bool,
    /// Lazy-RTGC's mean against another scheme's: scheme, what is printed, %; and why ours may be far off.
    printed: &'static [(&'static str, &'static str, &'static str)],
    /// What the text says of the order of the means, smallest first.
    orders: &'static [&'static [&'static [&'static str]]],
}

const TRANSLATED: &str = "the traces are not public: the stand-ins have Table V's figures only";

pub(super) const METRICS: [Metric; 4] = [
    Metric {
        section: "fig-6",
        label: "worst response of a page task, µs",
        of: |report| report.response_ns.max as f64 / 1e3,
        normalised: false,
        printed: &[
            (
                "page-level",
                "-90.58",
                "one collection of π − 1 valid pages takes 17964.6 µs with its write, 87.64 % above ours; more \
                 needs several collections in one task, which ours never does",
            ),
            ("fsr", "-83.78", TRANSLATED),
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
    },
    Metric {
        section: "fig-7",
        label: "mean response of a page task, µs",
        of: |report| report.response_ns.mean / 1e3,
        normalised: false,
        printed: &[("gftl", "-94.56", TRANSLATED), ("rftl", "-50.84", TRANSLATED)],
        orders: &[&[&["lazy-rtgc", "fsr", "page-level"], &["rftl"], &["gftl"]]],
    },
    Metric {
        section: "fig-9",
        label: "valid pages copied, GFTL = 1",
        of: |report| report.copies as f64,
        normalised: true,
        printed: &[
            ("page-level", "-60.51", TRANSLATED),
            ("fsr", "21.56", TRANSLATED),
            ("gftl", "-95.36", TRANSLATED),
            ("rftl", "-86.11", TRANSLATED),
        ],
        orders: &[&[&["fsr"], &["lazy-rtgc"], &["page-level"], &["rftl"], &["gftl"]]],
    },
    Metric {
        section: "fig-10",
        label: "blocks erased, GFTL = 1",
        of: |report| report.erases as f64,
        normalised: true,
        printed: &[("gftl", "-83.66", TRANSLATED), ("rftl", "-67.38", TRANSLATED)],
        orders: &[
            &[&["lazy-rtgc", "fsr"], &["rftl"], &["gftl"]],
            &[&["lazy-rtgc", "fsr"], &["page-level"]],
        ],
    },
];

/// The figure of a metric.
pub(super) fn section(metric: &Metric, evaluation: &Evaluation) -> Result<Section, ReproduceError> {
    let mut section = PAPER.section(metric.section);
    let full = Values::new(metric, evaluation, Before::Full);
    let footprint = Values::new(metric, evaluation, Before::Footprint);
    section.rows.extend(metric.printed.iter().map(|printed| full.headline(printed)));
    for groups in metric.orders {
        section.rows.push(full.order("order of the means", groups, |scheme| full.mean(scheme)));
    }
    for (at, name) in WORKLOADS.iter().enumerate() {
        for groups in metric.orders {
            let what = format!("{name}: the means' order here");
            section.rows.push(full.order(&what, groups, |scheme| full.value(at, scheme)));
        }
    }
    for (base, ..) in metric.printed {
        section.rows.extend(full.by_workload(base));
        section.rows.push(footprint.alternative(base));
    }
    section.rows.extend(full.values());
    if metric.normalised {
        section
            .notes
            .push("means are of the values divided by GFTL's, workload by workload".into());
    }
    section.notes.extend(full.left_out());
    section.plots.push(plot(metric, &full, "")?);
    section.plots.push(plot(metric, &footprint, "-footprint")?);
    Ok(section)
}

/// A metric's values in one state of the array.
struct Values<'a> {
    metric: &'a Metric,
    evaluation: &'a Evaluation,
    before: Before,
}

impl<'a> Values<'a> {
    fn new(metric: &'a Metric, evaluation: &'a Evaluation, before: Before) -> Self {
        Self { metric, evaluation, before }
    }

    /// What was measured.
    fn measured(&self, workload: usize, scheme: &str) -> Option<f64> {
        self.evaluation.report(self.before, workload, scheme).map(self.metric.of)
    }

    /// The figure's value: divided by GFTL's where the paper does so.
    fn value(&self, workload: usize, scheme: &str) -> Option<f64> {
        let value = self.measured(workload, scheme)?;
        if !self.metric.normalised {
            return Some(value);
        }
        let one = self.measured(workload, "gftl")?;
        (one > 0.0).then_some(value / one)
    }

    /// Workloads that a mean is of: where values are divided by GFTL's, those where that is not 0.
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

    /// How far Lazy-RTGC is from another scheme, %.
    fn change(&self, workload: usize, base: &str) -> Option<f64> {
        let base = self.measured(workload, base)?;
        (base > 0.0).then_some((self.measured(workload, "lazy-rtgc")? / base - 1.0) * 100.0)
    }

    fn mean_change(&self, base: &str) -> Option<f64> {
        let base = self.mean(base)?;
        (base > 0.0).then_some((self.mean("lazy-rtgc")? / base - 1.0) * 100.0)
    }

    /// The printed mean against ours, with every workload's own where the two are far apart.
    fn headline(&self, (base, printed, why): &(&str, &str, &str)) -> Row {
        let what = format!("lazy-rtgc against {base}, mean");
        let Some(change) = self.mean_change(base) else {
            let why = self.why_not(base);
            return Row::incomparable(&what, "%", Some(printed), None, &why);
        };
        let row = Row::measured(&what, "%", printed, change, TOLERANCE, why);
        let changes: Vec<String> = WORKLOADS
            .iter()
            .enumerate()
            .map(|(at, name)| match self.change(at, base) {
                Some(change) => format!("{name} {}", Figure::number(change, 1)),
                None => format!("{name} –"),
            })
            .collect();
        match row.verdict.needs_reason() {
            true => row.remarked(&changes.join(", ")),
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
        Row::order(what, groups, &values, "")
    }

    fn by_workload(&self, base: &str) -> Vec<Row> {
        let row = |(at, name): (usize, &&str)| {
            let what = format!("lazy-rtgc against {base}, {name}");
            match self.change(at, base) {
                Some(change) => Row::evidence(&what, "%", change, 2),
                None => Row::incomparable(&what, "%", None, None, &self.why_not(base)),
            }
        };
        WORKLOADS.iter().enumerate().map(row).collect()
    }

    /// The mean in another state of the array, as evidence of what that state does.
    fn alternative(&self, base: &str) -> Row {
        let what = format!("lazy-rtgc against {base}, mean, only the footprint written before");
        match self.mean_change(base) {
            Some(change) => Row::evidence(&what, "%", change, 2),
            None => Row::incomparable(&what, "%", None, None, &self.why_not(base)),
        }
    }

    /// Everything measured.
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
}

fn plot(metric: &Metric, values: &Values<'_>, suffix: &str) -> Result<PlotFile, ReproduceError> {
    let groups = WORKLOADS.iter().map(|name| (*name).to_owned()).chain(["mean".to_owned()]);
    let series = SCHEMES.iter().map(|scheme| {
        let of_workloads = (0..WORKLOADS.len()).map(|at| values.value(at, scheme));
        ((*scheme).to_owned(), of_workloads.chain([values.mean(scheme)]).collect())
    });
    let bars = Bars {
        title: format!("{}: {}", metric.section.replace("fig-", "Fig. "), metric.label),
        label: metric.label.into(),
        groups: groups.collect(),
        series: series.collect(),
        log: true,
    };
    Ok(PlotFile { name: format!("{}{suffix}.svg", metric.section), svg: bars.svg()? })
}
