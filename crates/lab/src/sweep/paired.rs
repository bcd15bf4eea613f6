//! Differences between two values of a key, pair by pair: runs that differ in it alone, with the same seed.
//!
//! Both runs of a pair draw the same random numbers, so that what the draws do to both cancels out: the interval of the
//! differences is usually narrower than that of each value.

use super::plan::{Plan, Point};
use super::rows::{Outcome, Row, Status};
use super::summary::times;
use crate::config::{ConfigError, did_you_mean};
use crate::report::Table;
use ::run::Interval;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The key of schemes, which is no axis.
const SCHEME: &str = "scheme";

/// Differences to the first value of a key.
#[derive(Clone, Debug)]
pub struct Paired {
    key: String,
    baseline: String,
    /// Keys of all but the first column, and the rows: their values, and a difference per measure.
    keys: Vec<String>,
    rows: Vec<(Vec<String>, Vec<Difference>)>,
}

/// What was measured of the first value, and of another.
type Pair<'a> = [Option<&'a Row>; 2];

/// A difference of one measure.
#[derive(Clone, Debug)]
struct Difference {
    measure: String,
    /// Mean of the first value's runs.
    baseline: f64,
    pairs: usize,
    /// Of value minus first value.
    of: Interval,
}

/// Pairs the runs of each value of `key` with those of its first value.
///
/// # Errors
/// A key that is not varied, or whose values cannot be paired.
pub fn paired(plan: &Plan, outcomes: &[Outcome], key: &str) -> Result<Paired, ConfigError> {
    let fault = |reason: String| ConfigError::setting("--paired", reason);
    let value = |point: &Point| match key {
        SCHEME => Some(point.scheme.clone()),
        key => point.settings.iter().find(|(of, _)| of == key).map(|(_, value)| value.clone()),
    };
    let several = plan.points.iter().any(|point| point.scheme != plan.points[0].scheme);
    let axes = || plan.axes.iter().filter(|axis| axis.values.len() > 1 && axis.key != "seed");
    let varied = || several.then_some(SCHEME).into_iter().chain(axes().map(|axis| &*axis.key));
    if !varied().any(|of| of == key) {
        let known: Vec<&str> = varied().collect();
        return Err(fault(match known[..] {
            [] => "nothing but the seed is varied".into(),
            _ => format!("`{key}` is not varied; {}", did_you_mean(key, known)),
        }));
    }
    // All but the key and its value, by which the two runs of a pair are found.
    let others = |point: &Point| -> Vec<(String, String)> {
        let scheme = (SCHEME.to_owned(), point.scheme.clone());
        let settings = point.settings.iter().cloned();
        [scheme].into_iter().chain(settings).filter(|(of, _)| of != key).collect()
    };
    let baseline = plan.points.first().and_then(value).unwrap_or_default();
    let ok = || plan.points.iter().zip(outcomes).filter(|(_, run)| run.status == Status::Ok);
    let first: BTreeMap<Vec<(String, String)>, &Row> = ok()
        .filter(|(point, _)| value(point).as_ref() == Some(&baseline))
        .map(|(point, run)| (others(point), &run.metrics))
        .collect();
    let times = times(outcomes);
    let measures = [
        "waf".to_owned(),
        format!("{times}.mean"),
        format!("{times}.p99.9"),
        format!("{times}.max"),
    ];
    let keys: Vec<String> =
        [key].into_iter().chain(varied().filter(|of| *of != key)).map(str::to_owned).collect();
    let mut groups: Vec<(Vec<String>, Vec<Pair<'_>>)> = Vec::new();
    for (point, run) in ok().filter(|(point, _)| value(point).as_ref() != Some(&baseline)) {
        let others = others(point);
        let of = |name: &String| others.iter().find(|(of, _)| of == name).map(|(_, of)| of.clone());
        let names = value(point).into_iter().chain(keys[1..].iter().filter_map(of)).collect();
        let pair = [first.get(&others).copied(), Some(&run.metrics)];
        match groups.iter_mut().find(|(other, _)| *other == names) {
            Some((_, pairs)) => pairs.push(pair),
            None => groups.push((names, vec![pair])),
        }
    }
    let difference = |measure: &String, pairs: &[Pair<'_>]| {
        let both = pairs.iter().filter_map(|pair| {
            let [first, other] =
                pair.map(|row| row.and_then(|row| row.get(measure)).and_then(Value::as_f64));
            Some((first?, other?))
        });
        let both: Vec<(f64, f64)> = both.collect();
        let of: Vec<f64> = both.iter().map(|(first, other)| other - first).collect();
        let baseline = both.iter().map(|(first, _)| first).sum::<f64>() / both.len().max(1) as f64;
        let of = Interval::of(&of)?;
        Some(Difference { measure: measure.clone(), baseline, pairs: both.len(), of })
    };
    let row = |(names, pairs): (Vec<String>, Vec<_>)| {
        (names, measures.iter().filter_map(|measure| difference(measure, &pairs)).collect())
    };
    Ok(Paired { key: key.into(), baseline, rows: groups.into_iter().map(row).collect(), keys })
}

impl Paired {
    /// What the table is of.
    pub fn title(&self) -> String {
        format!(
            "Differences to {} = {}, in per cent of its mean: means over pairs of runs with the same seed, with their 95 % \
             confidence intervals",
            self.key, self.baseline
        )
    }

    /// Differences in per cent of the baseline's mean, with their intervals, and the number of pairs.
    pub fn table(&self) -> Table {
        let headings = self.keys.iter().map(|key| format!("<{key}"));
        let measures = ["WAF", "mean", "p99.9", "worst", "pairs"].map(String::from);
        let rows = self.rows.iter().map(|(names, of)| {
            let cell = |at: usize| {
                let end = [".mean", ".p99.9", ".max"].get(at.wrapping_sub(1)).unwrap_or(&"waf");
                of.iter().find(|of| of.measure.ends_with(end)).map_or("–".into(), percent)
            };
            let pairs = of.iter().map(|of| of.pairs).max().unwrap_or(0).to_string();
            names.iter().cloned().chain((0..4).map(cell)).chain([pairs]).collect::<Vec<String>>()
        });
        Table::new(headings.chain(measures).collect::<Vec<String>>(), rows)
    }

    /// Writes every difference as a row of CSV: its keys, the measure, the baseline's mean, the mean difference, half the width of
    /// its 95 % confidence interval, and the number of pairs.
    ///
    /// # Errors
    /// What the writer does not take.
    pub fn write_csv(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(to);
        let keys = self.keys.iter().map(String::as_str);
        let measures = ["measure", "baseline_mean", "difference", "ci95", "pairs"];
        writer.write_record([PAIRED_HEAD].into_iter().chain(keys).chain(measures))?;
        for (names, differences) in &self.rows {
            for Difference { measure, baseline, pairs, of } in differences {
                let half = of.half.map_or_else(String::new, |half| half.to_string());
                let names = [&self.baseline].into_iter().chain(names).cloned();
                let [baseline, mean] = [*baseline, of.mean].map(|value| value.to_string());
                let values = [measure.clone(), baseline, mean, half, pairs.to_string()];
                writer.write_record(names.chain(values))?;
            }
        }
        writer.flush()
    }
}

/// How the file of differences begins.
pub(super) const PAIRED_HEAD: &str = "difference_to";

/// A difference such as `−3.20 ±0.40 %`.
fn percent(of: &Difference) -> String {
    if of.baseline == 0.0 {
        return "–".into();
    }
    let share = |value: f64| 100.0 * value / of.baseline;
    let sign = if of.of.mean < 0.0 { "−" } else { "+" };
    let mean = format!("{sign}{:.2}", share(of.of.mean).abs());
    match of.of.half {
        Some(half) => format!("{mean} ±{:.2} %", share(half)),
        None => format!("{mean} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Experiment;
    use serde_json::json;

    fn plan(text: &str) -> Plan {
        Plan::new(Experiment::from_toml(text, "test").unwrap()).unwrap()
    }

    fn outcome(waf: f64) -> Outcome {
        let mut outcome = Outcome::without(Status::Ok, "");
        outcome.metrics.0.push(("waf".into(), json!(waf)));
        outcome
    }

    const TEXT: &str = "workload = 'uniform'\nschemes = ['page-level']\n\
                        [sweep]\nvictim = 'greedy,fifo'\nshare = '0.7,0.8'\nseed = '1..3'";

    #[test]
    fn what_both_runs_of_a_pair_share_cancels_out() {
        let plan = plan(TEXT);
        // The seeds differ by much, the policies within a seed by 0.5 and by 0.5, 0.6, 0.7.
        let waf = |point: &Point| {
            let of = |key: &str| point.settings.iter().find(|(of, _)| of == key).unwrap().1.clone();
            let seed: f64 = of("seed").parse().unwrap();
            let more = if of("share") == "0.7" { 0.5 } else { 0.4 + seed / 10.0 };
            2.0 * seed + if of("victim") == "fifo" { more } else { 0.0 }
        };
        let mut outcomes: Vec<Outcome> =
            plan.points.iter().map(|point| outcome(waf(point))).collect();
        let found = paired(&plan, &outcomes, "victim").unwrap();
        assert_eq!(
            (&*found.baseline, found.keys.as_slice()),
            ("greedy", &["victim".into(), "share".into()][..])
        );
        let [(first, same), (second, other)] = &found.rows[..] else { panic!("{found:?}") };
        assert_eq!(
            (&**first, &**second),
            (&["fifo".into(), "0.7".into()][..], &["fifo".into(), "0.8".into()][..])
        );
        assert_eq!((same[0].pairs, same[0].baseline, same[0].of.mean), (3, 4.0, 0.5));
        assert_eq!(same[0].of.half, Some(0.0));
        // Deviation 0.1, n = 3: 4.303 · 0.1 / √3.
        assert!((other[0].of.mean - 0.6).abs() < 1e-12);
        assert!((other[0].of.half.unwrap() - 0.2484).abs() < 1e-3, "{other:?}");
        let mut csv = Vec::new();
        found.write_csv(&mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert!(csv.starts_with("difference_to,victim,share,measure,baseline_mean,difference,ci95,pairs\ngreedy,fifo,0.7,waf,4,0.5,0,3\n"), "{csv}");
        assert!(found.title().contains("victim = greedy"));
        assert!(format!("{:?}", found.table()).contains("+12.50 ±0.00 %"), "{:?}", found.table());
        // A run without its partner makes no pair.
        outcomes[0] = Outcome::without(Status::Failed, "why");
        assert_eq!(paired(&plan, &outcomes, "victim").unwrap().rows[0].1[0].pairs, 2);
    }

    #[test]
    fn what_is_not_varied_is_told() {
        let plan = plan(TEXT);
        let outcomes: Vec<Outcome> = plan.points.iter().map(|_| outcome(1.0)).collect();
        let error = |key: &str| paired(&plan, &outcomes, key).unwrap_err().to_string();
        assert!(error("victims").contains("did you mean `victim`?"), "{}", error("victims"));
        for key in ["seed", "scheme"] {
            assert!(error(key).contains("is not varied"), "{key}");
        }
    }
}
