//! `ftlkit bench --against PATH`: two builds in turns, so that what else the machine does falls on both.

use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use lab::config::Bytes;
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What one build took, ns, round by round.
type Rounds = Vec<f64>;

/// A figure of both builds: its name, this build's rounds, the other's.
struct Pair {
    name: String,
    this: Rounds,
    other: Rounds,
}

/// Runs both builds with the same options, `rounds` times each, the first of a round being the second of the next one.
///
/// # Errors
/// A build that cannot be run or that prints no figures; Ctrl-C.
pub(super) fn against(
    other: &Path,
    rounds: u32,
    (as_json, quiet): (bool, bool),
) -> Result<(), Failure> {
    let other = &canonical(other)?;
    let this = std::env::current_exe().map_err(|error| Failure::input(error.to_string()))?;
    let arguments = without_own(std::env::args_os().skip(1));
    let mut pairs: Vec<Pair> = Vec::new();
    for round in 0..rounds {
        let mut builds = [(&*this, true), (other, false)];
        if round % 2 == 1 {
            builds.reverse();
        }
        for (program, is_this) in builds {
            if !quiet {
                eprintln!("progress: round {} of {rounds}: {}", round + 1, program.display());
            }
            for (name, ns) in figures(&run(program, &arguments)?) {
                if interrupt::asked() {
                    return Err(Failure::Interrupted);
                }
                let at = pairs.iter().position(|pair| pair.name == name).unwrap_or_else(|| {
                    pairs.push(Pair { name, this: Vec::new(), other: Vec::new() });
                    pairs.len() - 1
                });
                let pair = &mut pairs[at];
                if is_this { pair.this.push(ns) } else { pair.other.push(ns) }
            }
        }
    }
    // What one of the builds does not have cannot be compared.
    let (both, alone): (Vec<Pair>, Vec<Pair>) =
        pairs.into_iter().partition(|pair| pair.this.len() == pair.other.len());
    if as_json {
        let one = |pair: &Pair| {
            let [least, middle, most] = ratios(pair);
            json!({
                "what": pair.name, "ns": pair.this, "other_ns": pair.other,
                "ratio": middle, "least_ratio": least, "most_ratio": most,
            })
        };
        return output::json(
            &json!({ "rounds": rounds, "pairs": both.iter().map(one).collect::<Vec<_>>() }),
        );
    }
    let rows = both.iter().map(|pair| {
        let [least, middle, most] = ratios(pair);
        [
            pair.name.clone(),
            format!("{:.2}", median(&pair.this)),
            format!("{:.2}", median(&pair.other)),
            format!("{middle:.3}"),
            format!("{least:.3} to {most:.3}"),
        ]
    });
    let mut text = output::table(["<what", "ns", "other ns", "ratio", "of the rounds"], rows);
    let chance = 1u64 << (rounds - 1).min(40);
    text.push_str(&output::wrapped(&format!(
        "\n\n{rounds} rounds of both builds in turns. ns: medians; ratio: the median of this build's time over the other's within a \
         round, with the least and the most; below 1 this build is faster. Where the range has 1 in it, no difference is shown; a range of {rounds} rounds lies beside 1 \
         by chance once in {chance}."
    )));
    for pair in alone {
        text.push_str(&format!("\nnote: {} is not measured by both", pair.name));
    }
    output::text(&text)
}

/// The path of another build, which must be one. A name without a folder is of this one, as everywhere.
pub(super) fn canonical(other: &Path) -> Result<PathBuf, Failure> {
    let path = std::fs::canonicalize(other)
        .map_err(|error| Failure::input(format!("{}: {error}", other.display())))?;
    let fault = |why: String| Failure::input(format!("--against {}: {why}", path.display()));
    let told = Command::new(&path).arg("--version").stdin(Stdio::null()).output();
    let told = told.map_err(|error| fault(format!("it cannot be run: {error}")))?;
    if !told.stdout.starts_with(b"ftlkit ") {
        return Err(fault("it is no build of ftlkit".into()));
    }
    Ok(path)
}

/// The options for both: without those of the comparison.
fn without_own(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut skips = false;
    for argument in arguments {
        let text = argument.to_string_lossy().into_owned();
        if std::mem::take(&mut skips) || ["--json", "--quiet", "-q"].contains(&&*text) {
            continue;
        }
        match text.split_once('=').map_or(&*text, |(name, _)| name) {
            "--against" | "--rounds" => skips = !text.contains('='),
            _ => kept.push(argument),
        }
    }
    kept.extend(["--json", "--quiet"].map(OsString::from));
    kept
}

/// What a build prints.
fn run(program: &Path, arguments: &[impl AsRef<OsStr>]) -> Result<Value, Failure> {
    let fault = |why: String| Failure::input(format!("{}: {why}", program.display()));
    let ran = Command::new(program).args(arguments).stderr(Stdio::inherit()).output();
    let ran = ran.map_err(|error| fault(error.to_string()))?;
    if interrupt::asked() {
        return Err(Failure::Interrupted);
    }
    if !ran.status.success() {
        return Err(fault(format!("bench ended with {}", ran.status)));
    }
    serde_json::from_slice(&ran.stdout)
        .map_err(|error| fault(format!("bench --json printed something else: {error}")))
}

/// The times in what `bench --json` prints, each with its name.
fn figures(report: &Value) -> Vec<(String, f64)> {
    let rows = ["rows", "buffers", "channels", "ssd"].iter().filter_map(|of| report[of].as_array());
    let one = |row: &Value| -> Vec<(String, f64)> {
        let fields = || row.as_object().into_iter().flatten();
        let names = fields().filter_map(|(key, value)| match &**key {
            "capacity_bytes" => Some(Bytes::new(value.as_u64()?).to_string()),
            "unit_pages" => Some(format!("units of {value}")),
            _ => value.as_str().map(str::to_owned),
        });
        let mut names: Vec<String> = names.collect();
        // Keys are in the order of the alphabet: a scheme stands before its size.
        if names.len() == 2 && row["capacity_bytes"].is_u64() {
            names.reverse();
        }
        let name = names.join(" ");
        let times = fields()
            .filter(|(key, _)| key.starts_with("ns_per_") && !key.starts_with("ns_per_host"));
        let named = times.filter_map(|(key, ns)| {
            let of = key.trim_start_matches("ns_per_").trim_start_matches("flash_");
            let of = if of == "op" { String::new() } else { format!(" {of}") };
            Some((format!("{name}{of}"), ns.as_f64()?))
        });
        named.collect()
    };
    rows.flatten().flat_map(one).collect()
}

fn median(of: &[f64]) -> f64 {
    let mut of = of.to_vec();
    of.sort_by(f64::total_cmp);
    match of.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => of[n / 2],
        n => (of[n / 2 - 1] + of[n / 2]) / 2.0,
    }
}

/// Least, median and most of the ratios within rounds.
fn ratios(pair: &Pair) -> [f64; 3] {
    let of: Vec<f64> =
        pair.this.iter().zip(&pair.other).map(|(this, other)| this / other).collect();
    let least = of.iter().copied().fold(f64::INFINITY, f64::min);
    let most = of.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    [least, median(&of), most]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_of_the_comparison_are_not_passed_on() {
        let given = "bench --against old --scheme fsr --rounds=3 --json -q --capacity 64MiB";
        let kept = without_own(given.split(' ').map(OsString::from));
        assert_eq!(
            kept,
            "bench --scheme fsr --capacity 64MiB --json --quiet".split(' ').collect::<Vec<_>>()
        );
    }

    #[test]
    fn figures_have_names_and_ratios_are_of_rounds() {
        let report = json!({
            "rows": [{ "scheme": "fsr", "capacity_bytes": 1 << 30, "ns_per_flash_op": 12.5, "ns_per_host_write": 70.0 }],
            "buffers": [{ "policy": "lru", "unit_pages": 1, "ns_per_hit": 3.0, "ns_per_miss": 9.0 }],
            "ssd": [{ "scheme": "fsr", "load": "reads", "ns_per_op": 300.0 }],
        });
        let found = figures(&report);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["fsr 1GiB", "lru units of 1 hit", "lru units of 1 miss", "reads fsr"]);
        assert_eq!(found[0].1, 12.5);
        let pair =
            Pair { name: "a".into(), this: vec![10.0, 30.0, 20.0], other: vec![10.0, 20.0, 40.0] };
        assert_eq!(ratios(&pair), [0.5, 1.0, 1.5]);
        assert_eq!([median(&pair.this), median(&[1.0, 2.0])], [20.0, 1.5]);
    }
}
