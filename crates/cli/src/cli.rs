//! The command line as a whole.

use crate::commands::{
    bench::BenchArgs, bounds::BoundsArgs, compare::CompareArgs, completions::CompletionsArgs,
    copyback::CopybackArgs, list::ListArgs, reproduce::ReproduceArgs, run::RunArgs,
    trace::TraceArgs,
};
use crate::failure::Failure;
use clap::{CommandFactory, Parser, Subcommand};

const ABOUT: &str =
    "Compare flash translation layers on block traces, and hold them to their bounds";

const EXAMPLES: &str = "\
Examples:
  ftlkit compare                          the default experiment, well under a minute
  ftlkit compare trace.csv                your trace, on a device sized to fit it
  ftlkit compare trace.csv --schemes page-level,lazy-rtgc --out results
  ftlkit compare --dry-run > my.toml      the same as a file, every setting spelt out
  ftlkit run my.toml
  ftlkit bounds --part all                what each scheme can promise on each part
  ftlkit list schemes
  ftlkit copyback --planes 2              ways of copying pages on a channel, side by side
  ftlkit reproduce lazy-rtgc              a paper's tables and figures beside ours

Exit codes: 0 done and every promise held; 1 a promise was broken, or the run failed;
2 wrong usage or input; 130 interrupted (what was measured until then is printed).";

/// Command line of ftlkit.
#[derive(Debug, Parser)]
#[command(name = "ftlkit", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
#[command(arg_required_else_help = true, infer_long_args = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run several schemes on one workload, and compare what they did with what they promise
    Compare(Box<CompareArgs>),
    /// Run an experiment file
    Run(RunArgs),
    /// Print what each scheme can promise on a part, before any run
    Bounds(BoundsArgs),
    /// List what there is: parts, schemes, workloads, trace formats
    List(ListArgs),
    /// Look into block traces and convert them
    Trace(TraceArgs),
    /// Reproduce the tables and figures of a paper, each figure beside ours
    Reproduce(ReproduceArgs),
    /// Compare ways of copying pages on a channel, and look into its control unit
    Copyback(Box<CopybackArgs>),
    /// Measure how fast this machine simulates
    Bench(BenchArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
}

impl Command {
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self {
            Self::Compare(args) => args.run(),
            Self::Run(args) => args.run(),
            Self::Bounds(args) => args.run(),
            Self::List(args) => args.run(),
            Self::Trace(args) => args.run(),
            Self::Reproduce(args) => args.run(),
            Self::Copyback(args) => args.run(),
            Self::Bench(args) => args.run(),
            Self::Completions(args) => args.run(&mut Cli::command()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples() {
        fn check(command: &clap::Command) {
            for sub in command.get_subcommands() {
                let help = sub.get_after_help().map(ToString::to_string).unwrap_or_default();
                assert!(help.contains("Examples:"), "`{}` teaches by no example", sub.get_name());
                check(sub);
            }
        }
        check(&Cli::command());
    }
}
