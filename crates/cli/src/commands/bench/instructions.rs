//! `ftlkit bench --instructions`: instructions per flash operation, counted by valgrind. Unlike times they do not depend on
//! what else the machine does, so a difference of 1 % is one.

use crate::failure::Failure;
use crate::interrupt;
use crate::output;
use lab::bench::Load;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};

/// Requests of the two runs, whose difference is counted: what both do before and after it cancels out.
const REQUESTS: [u64; 2] = [20_000, 70_000];

/// Fields of `counts` in a report, and flash page operations per count (an SSD does a copy as two).
const PAGE_OPERATIONS: [(&str, u64); 4] =
    [("reads", 1), ("oob_reads", 1), ("programs", 1), ("copies", 2)];

/// What is counted: a scheme in serial time, or on an SSD under a load.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) scheme: String,
    pub(super) load: Option<Load>,
}

impl Subject {
    fn name(&self) -> String {
        match self.load {
            None => self.scheme.clone(),
            Some(load) => format!("{}, SSD, {}", self.scheme, load.name()),
        }
    }

    /// The run of so many requests. The array is small, since counts do not depend on caches.
    fn arguments(&self, requests: u64, seed: u64) -> Vec<String> {
        let mut line = format!(
            "compare uniform --json --quiet --seed {seed} --precondition full+age=1 --requests {requests}"
        );
        line += match self.load {
            None => " --capacity 64MiB",
            Some(_) => " --capacity 512MiB --part ddt-mlc --channels 8 --ways 4 --queue-depth 256",
        };
        let share = match self.load {
            None | Some(Load::Writes) => "1",
            Some(Load::HalfReads) => "0.5",
            Some(Load::Reads) => "0",
        };
        line += &format!(" --set write_share={share}");
        let mut arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        arguments.extend(["--schemes".into(), self.scheme.clone()]);
        arguments
    }

    /// Instructions of a build per flash page operation.
    fn count(&self, program: &Path, seed: u64) -> Result<f64, Failure> {
        let mut found = [(0u64, 0u64); 2];
        for (found, requests) in found.iter_mut().zip(REQUESTS) {
            *found = counted(program, &self.arguments(requests, seed))?;
            if interrupt::asked() {
                return Err(Failure::Interrupted);
            }
        }
        let [less, more] = found;
        let operations = more.1.saturating_sub(less.1);
        match operations {
            0 => Err(Failure::input(format!("{}: no flash operation to count", self.name()))),
            _ => Ok(more.0.saturating_sub(less.0) as f64 / operations as f64),
        }
    }
}

/// Counts the instructions of each subject, of this build and of the other one if there is one.
///
/// # Errors
/// No valgrind; a run that fails; Ctrl-C.
pub(super) fn instructions(
    subjects: &[Subject],
    other: Option<&Path>,
    seed: u64,
    (as_json, quiet): (bool, bool),
) -> Result<(), Failure> {
    let this = std::env::current_exe().map_err(|error| Failure::input(error.to_string()))?;
    let mut found = Vec::new();
    let mut interrupted = false;
    for (at, subject) in subjects.iter().enumerate() {
        if !quiet {
            eprintln!("progress: {} of {}: {}", at + 1, subjects.len(), subject.name());
        }
        let both = || {
            let other = other.map(|other| subject.count(other, seed)).transpose()?;
            Ok((subject.count(&this, seed)?, other))
        };
        match both() {
            Ok((this, other)) => found.push((subject, this, other)),
            Err(Failure::Interrupted) => {
                interrupted = true;
                break;
            }
            Err(error) => return Err(error),
        }
    }
    show(&found, other.is_some(), as_json)?;
    if interrupted { Err(Failure::Interrupted) } else { Ok(()) }
}

/// Shows what was found: of each subject the count of this build, and of the other one.
fn show(
    found: &[(&Subject, f64, Option<f64>)],
    has_other: bool,
    as_json: bool,
) -> Result<(), Failure> {
    if as_json {
        let one = |(subject, this, other): &(&Subject, f64, Option<f64>)| {
            json!({
                "scheme": subject.scheme,
                "ssd_load": subject.load.map(Load::name),
                "instructions_per_op": this,
                "other_instructions_per_op": other,
            })
        };
        let rows: Vec<Value> = found.iter().map(one).collect();
        return output::json(&json!({ "instructions": rows }));
    }
    let mut text = match has_other {
        false => {
            let row =
                |(subject, this, _): &(&Subject, f64, _)| [subject.name(), format!("{this:.0}")];
            output::table(["<what", "instructions/op"], found.iter().map(row))
        }
        true => {
            let row = |(subject, this, other): &(&Subject, f64, Option<f64>)| {
                let other = other.unwrap_or(f64::NAN);
                let ratio = format!("{:.3}", this / other);
                [subject.name(), format!("{this:.0}"), format!("{other:.0}"), ratio]
            };
            let columns = ["<what", "instructions/op", "other", "ratio"];
            output::table(columns, found.iter().map(row))
        }
    };
    let [less, more] = REQUESTS;
    text.push_str(&output::wrapped(&format!(
        "\n\nInstructions per flash page operation, counted by valgrind: {more} requests less {less}, uniform, a page each, after a fill \
         and as many overwrites, 64 MiB; SSD: 8 channels of 4 ways, 256 outstanding, 512 MiB, part ddt-mlc, where a copy is two \
         operations, as in the times of bench. Reading and reporting are in the difference, caches are not."
    )));
    output::text(&text)
}

/// Instructions and flash page operations of a run.
fn counted(program: &Path, arguments: &[String]) -> Result<(u64, u64), Failure> {
    let fault = |why: String| Failure::input(format!("{}: {why}", program.display()));
    let ran = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let ran = ran.map_err(|error| {
        Failure::input_with_help(
            format!("valgrind cannot be run: {error}"),
            "install valgrind (Debian: apt install valgrind), or leave --instructions out",
        )
    })?;
    // A terminal sends Ctrl-C to the run, too.
    if interrupt::asked() {
        return Err(Failure::Interrupted);
    }
    let told = String::from_utf8_lossy(&ran.stderr);
    if !ran.status.success() {
        let last = told.lines().rev().find(|line| line.contains("error")).unwrap_or_default();
        return Err(fault(format!("the run ended with {}: {last}", ran.status)));
    }
    let report: Value = serde_json::from_slice(&ran.stdout)
        .map_err(|error| fault(format!("compare --json printed something else: {error}")))?;
    let instructions = instructions_in(&told)
        .ok_or_else(|| fault("valgrind told no number of instructions".into()))?;
    Ok((instructions, page_operations(&report)))
}

/// The number in valgrind's line `==1== I   refs:      96,969,753`.
fn instructions_in(told: &str) -> Option<u64> {
    let (_, number) = told.lines().find_map(|line| line.split_once("refs:"))?;
    number.trim().replace(',', "").parse().ok()
}

fn page_operations(report: &Value) -> u64 {
    let scheme = &report["schemes"][0];
    let is_ssd = !scheme["ssd"].is_null();
    let of_cause = |counts: &Value| -> u64 {
        let fields = PAGE_OPERATIONS.iter();
        fields
            .map(|(field, each)| {
                counts[field].as_u64().unwrap_or(0) * if is_ssd { *each } else { 1 }
            })
            .sum()
    };
    scheme["counts"].as_array().into_iter().flatten().map(of_cause).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_valgrind_and_a_report_tell_is_read() {
        assert_eq!(instructions_in("x\n==7== I   refs:      96,969,753\n"), Some(96_969_753));
        assert_eq!(instructions_in("==7== ERROR SUMMARY: 0"), None);
        let counts = json!([
            { "cause": "host", "reads": 1, "oob_reads": 2, "programs": 4, "copies": 0, "erases": 9 },
            { "cause": "collection", "reads": 0, "oob_reads": 0, "programs": 0, "copies": 8, "erases": 9 },
        ]);
        let of = |ssd: Value| json!({ "schemes": [{ "ssd": ssd, "counts": counts }] });
        assert_eq!(page_operations(&of(Value::Null)), 15);
        assert_eq!(page_operations(&of(json!({}))), 23);
    }
}
