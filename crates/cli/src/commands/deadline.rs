//! Options of a deadline for every request; shared by the commands that run experiments.

use crate::failure::Failure;
use clap::Args;
use sim::config::{Duration, Experiment};

/// Reads a time that has its unit: a bare number would be nanoseconds, which hardly anyone means.
pub(super) fn with_unit(text: &str) -> Result<Duration, String> {
    let is_bare =
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b"._".contains(&b));
    if is_bare {
        return Err(format!("`{text}` has no unit: write {text}ms, {text}us, {text}ns or {text}s"));
    }
    text.parse::<Duration>().map_err(|error| error.to_string())
}

/// The deadline, and whether a miss fails the command.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Deadline")]
pub(super) struct DeadlineArgs {
    /// Deadline of every request from its arrival to its completion, queueing included, such as 3ms: late requests are
    /// counted (without arrival times: from its issue)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = with_unit)]
    deadline: Option<Duration>,

    /// Exit with code 1 if a request misses the deadline
    #[arg(long)]
    strict: bool,
}

impl DeadlineArgs {
    /// Sets the experiment's deadline if one is given; returns whether a miss fails the command.
    pub(super) fn apply(self, experiment: &mut Experiment) -> Result<bool, Failure> {
        experiment.deadline = self.deadline.or(experiment.deadline);
        if self.strict && experiment.deadline.is_none() {
            return Err(Failure::input_with_help(
                "--strict judges a deadline, and there is none",
                "add --deadline, as in `--deadline 3ms`, or omit it (an exceeded bound always fails)",
            ));
        }
        Ok(self.strict)
    }
}
