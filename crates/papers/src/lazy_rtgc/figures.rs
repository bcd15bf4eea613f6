//! Figs 6, 7, 9, 10: response times, copies and erases of six schemes under five workloads, with means.

use super::evaluation::{
    Before, Evaluation, FSR_FIRST_FIT, FSR_REFILL, PAGE_LEVEL_95, PAGE_LEVEL_REFILL,
    PAGE_LEVEL_TWO, READINGS, RFTL_32, RFTL_48, RFTL_LATE, SCHEMES, WORKLOADS,
};
use crate::reproduction::PlotFile;
use crate::row::{Limit, Row, TOLERANCE};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::{Reason, Verdict};
use bounds::{fsr, lazy_rtgc};
use flash::parts;
use lab::report::SchemeReport;
use lab::report::plots::Bars;

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
    /// True if the paper normalises each workload to GFTL.
    normalised: bool,
    /// Printed changes of Lazy-RTGC's mean.
    printed: &'static [Printed],
    /// State of which the orders are compared: all their schemes run in it.
    ordered: Before,
    /// Orders of the means stated in the text, smallest first.
    orders: &'static [&'static [&'static [&'static str]]],
}

/// Printed change of Lazy-RTGC's mean against another scheme.
struct Printed {
    /// Precondition of the array.
    before: Before,
    /// Label of the other scheme.
    base: &'static str,
    /// Change, %.
    change: &'static str,
    /// Place of the claim.
    place: &'static str,
    /// The claim.
    claim: &'static str,
    /// Cause of a difference, which the other readings' figures follow.
    why: &'static str,
    /// Other readings: state, label of the other scheme, words.
    others: &'static [(Before, &'static str, &'static str)],
}

const RANDOM: &str = "after random overwrites";
const THIRD: &str = "over RFTL's space";
const FOOTPRINT: &str = "with only the footprint written";
const FIRST_FIT: &str = "with FSR taking the next block of at most 48 valid pages";
const TWO: &str = "95 % full with two victims per collection";
const UNTIL_BACK: &str = "95 % full, collecting until a block is back";

/// The mean valid pages of both schemes' victims.
const VICTIMS: &str = "{victims}";
const FULL: &str = "page-level has all but its swap block full, so each write copies 63 pages; how full the paper's is \
                    remains unsaid (\"close to 100 %\")";
const OF_PAGE_LEVEL: &[(Before, &str, &str)] = &[
    (Before::Wide, PAGE_LEVEL_95, "with page-level 95 % full"),
    (Before::Collecting, PAGE_LEVEL_95, "the same after random overwrites"),
    (Before::Footprint, "page-level", FOOTPRINT),
    (Before::Wide, PAGE_LEVEL_TWO, TWO),
    (Before::Wide, PAGE_LEVEL_REFILL, UNTIL_BACK),
];
const OF_FSR: &[(Before, &str, &str)] = &[
    (Before::Wide, FSR_FIRST_FIT, FIRST_FIT),
    (Before::Collecting, "fsr", RANDOM),
    (Before::Collecting, FSR_FIRST_FIT, "with both"),
    (Before::Wide, FSR_REFILL, "with FSR collecting until a block is back"),
    (Before::Aged, "fsr", THIRD),
];
const OF_GFTL: &[(Before, &str, &str)] = &[
    (Before::Aged, "gftl", THIRD),
    (Before::Collecting, "gftl", RANDOM),
    (Before::Footprint, "gftl", FOOTPRINT),
];
const OF_RFTL: &[(Before, &str, &str)] = &[
    (Before::Aged, RFTL_32, "with RFTL collecting at 32 pages of its buffer block"),
    (Before::Aged, RFTL_48, "at 48"),
    (Before::Aged, RFTL_LATE, "as late as its bound allows, at 56"),
    (Before::Collecting, "rftl", RANDOM),
];
const OF_RFTL_LATE: &[(Before, &str, &str)] = &[
    (Before::Aged, "rftl", "with RFTL collecting when the primary is full"),
    (Before::Collecting, RFTL_LATE, RANDOM),
];
const RFTL_OPEN: &str = "RFTL collects when the primary block is full by §3.3 and §6.1, when the logical block is by §6.2(2)";
/// What a reading of RFTL must give at once.
const RFTL_AT_ONCE: [(&str, &str); 3] =
    [("fig-7", "-50.84"), ("fig-9", "-86.11"), ("fig-10", "-67.38")];

const fn reading(
    before: Before,
    [base, change, place, claim]: [&'static str; 4],
    why: &'static str,
    others: &'static [(Before, &'static str, &'static str)],
) -> Printed {
    Printed { before, base, change, place, claim, why, others }
}

pub(super) const METRICS: [Metric; 4] = [
    Metric {
        section: "fig-6",
        label: "longest response of a page task, µs",
        of: |report| report.response_ns.max as f64 / 1e3,
        normalised: false,
        printed: &[
            reading(
                Before::Wide,
                ["page-level", "-90.58", "§6.2(1)", "worst response against page-level"],
                "Definition 2.3 counts one victim per page task, 17964.6 µs, of which 2220.9 µs are 87.64 % less; §6.2 has \
                 several per task and not how many, and 23576 µs come out as printed",
                &[
                    (Before::Wide, PAGE_LEVEL_95, "with page-level 95 % full"),
                    (Before::Collecting, "page-level", RANDOM),
                    (Before::Wide, PAGE_LEVEL_TWO, TWO),
                    (Before::Collecting, PAGE_LEVEL_TWO, "the same after random overwrites"),
                    (Before::Wide, PAGE_LEVEL_REFILL, UNTIL_BACK),
                ],
            ),
            reading(
                Before::Wide,
                ["fsr", "-83.78", "§6.2(1)", "worst response against FSR"],
                "{full} where a victim of U(λ) = 48 valid pages is met in every workload; {victims}",
                OF_FSR,
            ),
            reading(
                Before::Wide,
                ["gftl", "-42.83", "§6.2(1)", "worst response against GFTL"],
                "the bound is reached where a read finds its page last in the OOB search",
                OF_GFTL,
            ),
        ],
        ordered: Before::Collecting,
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
        printed: &[
            reading(
                Before::Wide,
                ["gftl", "-94.56", "§6.2(2)", "mean response against GFTL"],
                "{floor} if none of Lazy-RTGC's victims had a valid page; {victims}; no request waits here, `--only open-arrivals` has \
                 means that count a queue",
                OF_GFTL,
            ),
            reading(
                Before::Aged,
                ["rftl", "-50.84", "§6.2(2)", "mean response against RFTL, primary full"],
                RFTL_OPEN,
                OF_RFTL,
            ),
            reading(
                Before::Aged,
                [
                    RFTL_LATE,
                    "-50.84",
                    "§6.2(2)",
                    "mean response against RFTL, as late as its bound allows",
                ],
                RFTL_OPEN,
                OF_RFTL_LATE,
            ),
        ],
        ordered: Before::Aged,
        orders: &[&[&["lazy-rtgc", "fsr", "page-level"], &["rftl"], &["gftl"]]],
    },
    Metric {
        section: "fig-9",
        label: "valid pages copied, GFTL = 1",
        of: |report| pages_moved(report, &COLLECTION),
        normalised: true,
        printed: &[
            reading(
                Before::Wide,
                ["page-level", "-60.51", "§6.2(3)", "copies against page-level"],
                FULL,
                OF_PAGE_LEVEL,
            ),
            reading(
                Before::Wide,
                ["fsr", "21.56", "§6.2(3)", "copies against FSR"],
                VICTIMS,
                OF_FSR,
            ),
            reading(
                Before::Wide,
                ["gftl", "-95.36", "§6.2(3)", "copies against GFTL"],
                VICTIMS,
                OF_GFTL,
            ),
            reading(
                Before::Aged,
                ["rftl", "-86.11", "§6.2(3)", "copies against RFTL, primary full"],
                RFTL_OPEN,
                OF_RFTL,
            ),
            reading(
                Before::Aged,
                [
                    RFTL_LATE,
                    "-86.11",
                    "§6.2(3)",
                    "copies against RFTL, as late as its bound allows",
                ],
                RFTL_OPEN,
                OF_RFTL_LATE,
            ),
        ],
        ordered: Before::Aged,
        orders: &[&[&["fsr"], &["lazy-rtgc"], &["page-level"], &["rftl"], &["gftl"]]],
    },
    Metric {
        section: "fig-10",
        label: "blocks erased, GFTL = 1",
        of: |report| report.erases as f64,
        normalised: true,
        printed: &[
            reading(
                Before::Wide,
                ["gftl", "-83.66", "§6.2(4)", "erases against GFTL"],
                VICTIMS,
                OF_GFTL,
            ),
            reading(
                Before::Aged,
                ["rftl", "-67.38", "§6.2(4)", "erases against RFTL, primary full"],
                RFTL_OPEN,
                OF_RFTL,
            ),
            reading(
                Before::Aged,
                [
                    RFTL_LATE,
                    "-67.38",
                    "§6.2(4)",
                    "erases against RFTL, as late as its bound allows",
                ],
                RFTL_OPEN,
                OF_RFTL_LATE,
            ),
        ],
        ordered: Before::Aged,
        orders: &[
            &[&["lazy-rtgc", "fsr"], &["rftl"], &["gftl"]],
            &[&["lazy-rtgc", "fsr"], &["page-level"]],
        ],
    },
];

/// Other readings of schemes in the orders of the means: whose, label, words.
const OF_ORDERS: [(&str, &str, &str); 3] = [
    ("page-level", PAGE_LEVEL_95, "page-level 95 % full"),
    ("rftl", RFTL_LATE, "RFTL collecting as late as its bound allows"),
    ("fsr", FSR_FIRST_FIT, "FSR first-fit"),
];

/// Section with the figure of a metric.
pub(super) fn section(id: &str, evaluation: &Evaluation, to: &mut Sheet) -> Outcome {
    let metric = METRICS.iter().find(|metric| metric.section == id).expect("is a figure");
    let of = |before| Values { metric, evaluation, before };
    to.rows.extend(metric.printed.iter().map(|printed| of(printed.before).headline(printed)));
    if id == "fig-7" {
        to.rows.push(of(Before::Wide).as_page_level());
    }
    let all = of(metric.ordered);
    to.rows.extend(metric.orders.iter().map(|groups| all.order_of_means(groups)));
    for (at, name) in WORKLOADS.iter().enumerate() {
        for groups in metric.orders {
            // The paper tells the order of the means.
            let what = format!("{name}: the same order");
            let row = all.order(&what, groups, |scheme| all.value(at, scheme));
            to.rows.push(row.as_evidence());
        }
    }
    for base in SCHEMES.into_iter().chain(READINGS.map(|(label, _)| label)) {
        if base != "lazy-rtgc" {
            let states = Before::ALL.into_iter();
            to.rows.extend(states.flat_map(|before| of(before).evidence(base)));
        }
    }
    to.rows.extend(Before::ALL.into_iter().flat_map(|before| of(before).values()));
    if metric.normalised {
        let per_page = Before::ALL.into_iter().flat_map(|before| of(before).per_page());
        to.rows.extend(per_page);
    }
    for before in Before::ALL {
        to.plots.push(of(before).plot());
    }
    Ok(())
}

/// Change of Lazy-RTGC's mean in a figure against `base`, %.
pub(super) fn mean_change(
    id: &str,
    evaluation: &Evaluation,
    before: Before,
    base: &str,
) -> Option<f64> {
    let metric = METRICS.iter().find(|metric| metric.section == id)?;
    Values { metric, evaluation, before }.mean_change(base)
}

/// True if another reading comes within the tolerance of a printed change, or lies on its other side.
fn is_reached(printed: &str, ours: f64, others: impl IntoIterator<Item = f64>) -> bool {
    let Ok(printed) = printed.parse::<f64>() else { return false };
    let remains = 1.0 + printed / 100.0;
    others.into_iter().any(|change| {
        let other = 1.0 + change / 100.0;
        (other / remains - 1.0).abs() * 100.0 <= TOLERANCE || (ours < remains) != (other < remains)
    })
}

/// Values of a metric in one state of the array.
struct Values<'a> {
    metric: &'a Metric,
    evaluation: &'a Evaluation,
    before: Before,
}

impl Values<'_> {
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

    fn mean(&self, scheme: &str) -> Option<f64> {
        let workloads = self.evaluation.workloads(self.before);
        let values: Option<Vec<f64>> = workloads.iter().map(|at| self.value(*at, scheme)).collect();
        let values = values.filter(|values| !values.is_empty())?;
        Some(values.iter().sum::<f64>() / values.len() as f64)
    }

    /// Workloads in which a scheme did not collect.
    fn idle(&self, scheme: &str) -> Vec<&'static str> {
        let collects = |at: &usize| {
            let report = self.evaluation.report(self.before, *at, scheme);
            report.is_none_or(|report| report.collection.victims > 0)
        };
        let workloads = self.evaluation.workloads(self.before).into_iter();
        workloads.filter(|at| !collects(at)).map(|at| WORKLOADS[at]).collect()
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

    /// Change of the mean in words.
    fn told(&self, base: &str) -> String {
        match (self.mean_change(base), self.mean("lazy-rtgc")) {
            (Some(change), _) => format!("{change:+.1} %").replace('-', "−"),
            (None, Some(0.0)) => "none of either".into(),
            _ => "not run".into(),
        }
    }

    /// Row with the printed mean and ours. The cause of a difference has the figures of the other readings.
    fn headline(&self, printed: &Printed) -> Row {
        let Printed { base, change, place, claim, why, others, .. } = *printed;
        let what = format!("lazy-rtgc against {base}, mean");
        let lazy = self.mean("lazy-rtgc");
        let (Some(lazy), Some(of_base)) = (lazy, self.mean(base)) else {
            let why = Reason::MissingDetail(self.why_not(base));
            return Row::incomparable(&what, "%", Some(change), None, why).headline(place, claim);
        };
        let told: Vec<String> = others
            .iter()
            .map(|(before, base, words)| {
                format!("{words} {}", Values { before: *before, ..*self }.told(base))
            })
            .collect();
        let idle = [self.idle(base), self.idle("lazy-rtgc")].concat();
        let row = Row::change(&what, change, lazy, of_base, TOLERANCE);
        let row = match self.events(base) {
            Some([lazy, base]) => row.of_events(lazy, base),
            None => row,
        };
        let part = &parts::EVALUATION_SLC;
        let of_others = others
            .iter()
            .filter_map(|(before, base, _)| Values { before: *before, ..*self }.mean_change(base));
        let why = why.replace("{victims}", &self.told_victims(base));
        let why = why.replace("{floor}", &self.told_without_copies(base));
        let full = lazy_rtgc::victim_valid(part, fsr::EVALUATION_SHARE);
        let full = [lazy_rtgc::collection_ns(part, full)];
        let full = lazy_rtgc::task_response_ns(part.t_prog_ns, full);
        let full = format!("{:+.2} %", (lazy * 1e3 / full as f64 - 1.0) * 100.0).replace('-', "−");
        let why = why.replace("{full}", &full);
        let text = format!("{why}; {}", told.join(", "));
        let at_once = |(before, other, _): &(Before, &str, &str)| {
            RFTL_AT_ONCE.iter().all(|(section, printed)| {
                let ours = mean_change(section, self.evaluation, *before, other);
                let row = ours.map(|ours| Row::changed("", printed, ours, TOLERANCE));
                row.is_some_and(|row| matches!(row.verdict, Verdict::Equal | Verdict::Within(_)))
            })
        };
        let cause = match is_reached(change, lazy / of_base, of_others) {
            true if base == "rftl" && !others.iter().any(at_once) => Reason::Open(format!(
                "no one of the readings gives all three changes against RFTL (`--only rftl-trigger` has eight): {text}"
            )),
            true => Reason::Reading(text),
            false => Reason::Open(format!("no reading that was tried reaches it: {text}")),
        };
        let row = row.because(cause);
        // The same printed figure counts once: the first reading is that of the paper's description.
        let row = if base == RFTL_LATE { row.as_evidence() } else { row };
        row.noting(&match idle.is_empty() {
            true => String::new(),
            false => format!("one of the two does not collect in {}", idle.join(", ")),
        })
        .headline(place, claim)
    }

    /// "Similar or even better average performance compared to Pure-Page-Level": at most the tolerance above it.
    fn as_page_level(&self) -> Row {
        let what = "lazy-rtgc against page-level, mean (\"similar or even better\")";
        let row = match (self.mean_change("page-level"), self.mean_change(PAGE_LEVEL_95)) {
            (Some(ours), other) => Row::limit(what, "%", Limit::AtMost(TOLERANCE), ours)
                .noting(&other.map_or_else(String::new, |of| format!("95 % full {of:.2} %"))),
            _ => Row::missing(what, "%", None, self.why_not("page-level")),
        };
        row.headline("§6.2(2)", "mean response against page-level (\"similar or even better\")")
    }

    /// Copies or erases of Lazy-RTGC and of `base` in all workloads, if the metric counts such events.
    fn events(&self, base: &str) -> Option<[f64; 2]> {
        let all = |scheme: &str| {
            let workloads = self.evaluation.workloads(self.before).into_iter();
            workloads.map(|at| self.measured(at, scheme)).sum::<Option<f64>>()
        };
        let [lazy, base] = ["lazy-rtgc", base].map(all);
        lazy.zip(base).filter(|_| self.metric.normalised).map(|(lazy, base)| [lazy, base])
    }

    /// Mean valid pages per victim of Lazy-RTGC and of `base`, over the workloads in which each has victims.
    fn told_victims(&self, base: &str) -> String {
        let mean = |scheme: &str| {
            let workloads = self.evaluation.workloads(self.before).into_iter();
            let of_them = workloads.filter_map(|at| {
                self.evaluation.report(self.before, at, scheme)?.collection.victim_valid_mean
            });
            let means: Vec<f64> = of_them.collect();
            format!("{:.1}", means.iter().sum::<f64>() / means.len().max(1) as f64)
        };
        let (lazy, base_mean) = (mean("lazy-rtgc"), mean(base));
        format!("victims of lazy-rtgc have {lazy} valid pages in the mean, of {base} {base_mean}")
    }

    /// Change of the mean if Lazy-RTGC copied nothing and erased a block per block written.
    fn told_without_copies(&self, base: &str) -> String {
        let part = &parts::EVALUATION_SLC;
        let erase_ns = part.t_bers_ns as f64 / f64::from(part.pages_per_block);
        let workloads = self.evaluation.workloads(self.before).into_iter();
        let each = workloads.map(|at| {
            let of = self.evaluation.report(self.before, at, "lazy-rtgc")?;
            let tasks = (of.read_tasks + of.write_tasks).max(1) as f64;
            Some((of.service_ns.mean + of.write_tasks as f64 * erase_ns / tasks) / 1e3)
        });
        let each: Option<Vec<f64>> = each.collect();
        let without = each.map(|each| each.iter().sum::<f64>() / each.len().max(1) as f64);
        match (without, self.mean(base)) {
            (Some(without), Some(base)) => {
                format!("{:.1} %", (without / base - 1.0) * 100.0).replace('-', "−")
            }
            _ => "not run".into(),
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
    }

    /// Order of the means. If it differs, the cause tells under which of the other readings, alone and together, it holds.
    fn order_of_means(&self, groups: &[&[&str]]) -> Row {
        let row = self.order("order of the means", groups, |scheme| self.mean(scheme));
        let of_it: Vec<_> =
            OF_ORDERS.iter().filter(|(of, ..)| groups.concat().contains(of)).collect();
        let mut told: [Vec<String>; 3] = Default::default();
        for chosen in 1..1u32 << of_it.len() {
            let taken = (0..of_it.len()).filter(|at| chosen & 1 << at != 0).map(|at| of_it[at]);
            let taken: Vec<_> = taken.collect();
            let read_as = |scheme: &str| {
                let other = taken.iter().find(|(of, ..)| *of == scheme);
                self.mean(other.map_or(scheme, |(_, instead, _)| instead))
            };
            let words: Vec<&str> = taken.iter().map(|(.., words)| *words).collect();
            let place = match self.order("", groups, read_as).verdict {
                Verdict::Equal => 0,
                Verdict::Differs => 1,
                _ => 2,
            };
            told[place].push(words.join(" and "));
        }
        let holds = !told[0].is_empty();
        let words = ["it holds with", "not with", "it cannot be compared with"];
        let told = words.iter().zip(told).filter(|(_, of)| !of.is_empty());
        let text: Vec<String> =
            told.map(|(words, of)| format!("{words} {}", of.join(", with "))).collect();
        let means = SCHEMES.iter().filter_map(|of| Some(format!("{of} {:.3}", self.mean(of)?)));
        let text = format!("{}; means: {}", text.join("; "), means.collect::<Vec<_>>().join(", "));
        row.because(if holds { Reason::Reading(text) } else { Reason::Open(text) })
    }

    /// Evidence rows: the change in this state of the array, in the mean and by workload.
    fn evidence(&self, base: &str) -> Vec<Row> {
        let state = self.before.words();
        let workloads = self.evaluation.workloads(self.before).into_iter();
        let counts = |at| {
            let both = self.measured(at, "lazy-rtgc").zip(self.measured(at, base));
            both.filter(|_| self.metric.normalised).map(|(lazy, base)| [lazy, base])
        };
        let changes = workloads.map(|at| (WORKLOADS[at], self.change(at, base), counts(at)));
        let all = [("mean", self.mean_change(base), self.events(base))].into_iter().chain(changes);
        all.filter_map(|(of, change, events)| {
            let row = Row::evidence(&format!("against {base}, {of}, {state}"), "%", change?, 2);
            Some(events.map_or(row.clone(), |[lazy, base]| row.of_events(lazy, base)))
        })
        .collect()
    }

    /// Evidence rows: the value per page written, mean of the workloads.
    fn per_page(&self) -> Vec<Row> {
        let workloads = self.evaluation.workloads(self.before);
        let of_run = |at: &usize, scheme: &str| {
            let report = self.evaluation.report(self.before, *at, scheme)?;
            Some((self.metric.of)(report) / report.write_tasks as f64)
        };
        let labels = SCHEMES.into_iter().chain(READINGS.map(|(label, _)| label));
        labels
            .filter_map(|scheme| {
                let values: Option<Vec<f64>> =
                    workloads.iter().map(|at| of_run(at, scheme)).collect();
                let values = values?;
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                let what = format!("{scheme}, per page written, mean, {}", self.before.words());
                Some(Row::evidence(&what, "", mean, 3))
            })
            .collect()
    }

    /// Evidence rows of all measured values.
    fn values(&self) -> Vec<Row> {
        let (unit, decimals) = if self.metric.normalised { ("", 0) } else { ("µs", 1) };
        let rows = WORKLOADS.iter().enumerate().flat_map(|(at, name)| {
            let labels = SCHEMES.into_iter().chain(READINGS.map(|(label, _)| label));
            labels.filter_map(move |scheme| {
                let value = self.measured(at, scheme)?;
                let what = format!("{name}, {scheme}, {}", self.before.words());
                Some(Row::evidence(&what, unit, value, decimals))
            })
        });
        rows.collect()
    }

    fn plot(&self) -> PlotFile {
        let workloads = self.evaluation.workloads(self.before);
        let groups = workloads.iter().map(|at| WORKLOADS[*at].to_owned());
        let series = SCHEMES.iter().map(|scheme| {
            let of_workloads = workloads.iter().map(|at| self.value(*at, scheme));
            ((*scheme).to_owned(), of_workloads.chain([self.mean(scheme)]).collect())
        });
        let (section, label) = (self.metric.section, self.metric.label);
        let figure = section.replace("fig-", "Fig. ");
        let bars = Bars {
            title: format!("{figure}: {label}; {}", self.before.words()),
            label: label.into(),
            groups: groups.chain(["mean".to_owned()]).collect(),
            series: series.collect(),
            log: true,
        };
        let suffix = if self.before == Before::Wide { "" } else { self.before.suffix() };
        PlotFile { name: format!("{section}{suffix}.svg"), figure: bars.into() }
    }
}
