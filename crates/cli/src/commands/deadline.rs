//! Options of a deadline for every request; shared by the commands that run experiments.

use crate::failure::Failure;
use crate::settings::{OfDeadline, Settings};
use clap::Args;
use lab::config::Experiment;

/// The deadline, and whether a miss fails the command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Deadline")]
pub(super) struct DeadlineArgs {
    #[command(flatten)]
    settings: Settings<OfDeadline>,

    /// Exit with code 1 if a request misses the deadline
    #[arg(long)]
    strict: bool,
}

impl DeadlineArgs {
    /// True if a deadline is given.
    pub(super) fn is_given(&self) -> bool {
        self.settings.any()
    }

    /// Sets the experiment's deadline if one is given; returns whether a miss fails the command.
    pub(super) fn apply(&self, experiment: &mut Experiment) -> Result<bool, Failure> {
        self.settings.apply(experiment)?;
        let is_varied = experiment.sweep.0.iter().any(|axis| axis.key == "deadline");
        if self.strict && experiment.deadline.is_none() && !is_varied {
            return Err(Failure::input_with_help(
                "--strict judges a deadline, and there is none",
                "add --deadline, as in `--deadline 3ms`, or omit it (an exceeded bound always fails)",
            ));
        }
        Ok(self.strict)
    }
}
