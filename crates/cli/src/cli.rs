//! The command line as a whole.

#[cfg(feature = "man")]
use crate::commands::man::ManArgs;
use crate::commands::{
    bench::BenchArgs,
    bounds::BoundsArgs,
    choose::ChooseArgs,
    compare::CompareArgs,
    completions::CompletionsArgs,
    explain::ExplainArgs,
    fit::FitArgs,
    list::ListArgs,
    new::NewArgs,
    run::RunArgs,
    sweep::{SweepArgs, SweepOptions},
    terms::{TermsArgs, glossary},
    trace::TraceArgs,
};
#[cfg(feature = "papers")]
use crate::commands::{copyback::CopybackArgs, reproduce::ReproduceArgs};
use crate::failure::Failure;
use clap::{CommandFactory, Parser, Subcommand};

/// Examples of the commands that the feature `papers` brings.
#[cfg(feature = "papers")]
macro_rules! of_papers {
    () => {
        "  ftlkit copyback --planes 2              the copy paths of a channel, side by side
  ftlkit reproduce lazy-rtgc              a paper's tables and figures beside the printed ones
"
    };
}

#[cfg(not(feature = "papers"))]
macro_rules! of_papers {
    () => {
        ""
    };
}

const ABOUT: &str =
    "Compare flash translation layers on block traces, and check them against their bounds";

const EXAMPLES: &str = concat!(
    "\
Examples:
  ftlkit compare                          the default experiment, well under a minute
  ftlkit compare trace.csv                your trace, on a device sized to fit it
  ftlkit compare trace.csv --schemes page-level,lazy-rtgc --out results
  ftlkit compare --dry-run > my.toml      the same as a file, with every setting
  ftlkit run my.toml
  ftlkit sweep trace.csv --vary share=0.6..0.9:0.05 --seed 1..5 --out results
  ftlkit bounds --part all                the bounds of each scheme on each part
  ftlkit choose zipf --deadline 3ms --capacity 1GiB --parts evaluation-slc
  ftlkit explain fast                     a page in which one steps through what a scheme does
  ftlkit fit drive.csv                    the over-provisioning and victims of a drive, from measured points
  ftlkit list schemes
  ftlkit new policy my-policy             a crate with a victim policy of your own, ready to change
",
    of_papers!(),
    "  ftlkit help terms                       the words of the reports

Exit codes: 0 done, every bound kept; 1 a bound was exceeded, a deadline of --tasks missed (bounds
--tasks: not guaranteed), with --strict a --deadline missed, nothing found by choose, or the run failed;
2 wrong usage or input; 3 of serve: the device ran out of spare blocks; 130 interrupted (the figures up
to then are printed)."
);

/// Command line of ftlkit.
#[derive(Debug, Parser)]
#[command(name = "ftlkit", version = env!("FTLKIT_VERSION"), about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
#[command(arg_required_else_help = true, infer_long_args = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run several schemes on one workload and check each against its bounds
    Compare(Box<CompareArgs>),
    /// Run an experiment file
    Run(RunArgs),
    /// Run every combination of settings, on all cores, into one table
    Sweep(Box<SweepArgs>),
    /// Print the bounds of each scheme on a part, without a run
    Bounds(Box<BoundsArgs>),
    /// Find the parts, schemes and shares that keep a deadline, with space, RAM, energy and lifetime
    Choose(Box<ChooseArgs>),
    /// Show what a scheme does on a small array, operation by operation, as a page to step through
    Explain(Box<ExplainArgs>),
    /// Find the over-provisioning, block size, victim policy and placement that explain measured points of a drive
    Fit(FitArgs),
    /// List parts, schemes, workloads or trace formats
    List(ListArgs),
    /// Write a crate with a victim policy, placement policy or scheme of your own, ready to build and test
    New(NewArgs),
    /// Inspect and convert block traces
    Trace(TraceArgs),
    /// Look into a flash image
    #[cfg(unix)]
    Image(crate::commands::image::ImageArgs),
    /// Serve a scheme as a block device (NBD), on a flash image or in memory
    #[cfg(unix)]
    Serve(Box<crate::commands::serve::ServeArgs>),
    #[cfg(feature = "papers")]
    /// Reproduce the tables and figures of a paper beside the printed ones
    Reproduce(ReproduceArgs),
    #[cfg(feature = "papers")]
    /// Compare copy paths of a channel, and trace its control unit
    Copyback(Box<CopybackArgs>),
    /// Measure how fast this machine simulates
    Bench(BenchArgs),
    /// Explain the words of the reports
    #[command(long_about = glossary())]
    Terms(TermsArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    #[cfg(feature = "man")]
    /// Print the manual page, or write those of all commands
    Man(ManArgs),
}

impl Command {
    /// True for commands that run nothing, for which no threads are made.
    fn only_tells(&self) -> bool {
        let tells = matches!(
            self,
            Self::Bounds(_)
                | Self::Explain(_)
                | Self::List(_)
                | Self::New(_)
                | Self::Trace(_)
                | Self::Terms(_)
                | Self::Completions(_)
        );
        #[cfg(unix)]
        let tells = tells || matches!(self, Self::Image(_));
        #[cfg(feature = "man")]
        let tells = tells || matches!(self, Self::Man(_));
        tells
    }

    pub(crate) fn run(self) -> Result<(), Failure> {
        if !self.only_tells() {
            lab::threads::set_up()?;
        }
        match self {
            Self::Compare(args) => args.run(),
            Self::Run(args) => match args.experiment()? {
                experiment if experiment.sweep.is_empty() => args.run(experiment),
                experiment => SweepOptions::of_run(args).run_on(experiment),
            },
            Self::Sweep(args) => args.run(),
            Self::Bounds(args) => args.run(),
            Self::Choose(args) => args.run(),
            Self::Explain(args) => args.run(),
            Self::Fit(args) => args.run(),
            Self::List(args) => args.run(),
            Self::New(args) => args.run(),
            Self::Trace(args) => args.run(),
            #[cfg(unix)]
            Self::Image(args) => args.run(),
            #[cfg(unix)]
            Self::Serve(args) => args.run(),
            #[cfg(feature = "papers")]
            Self::Reproduce(args) => args.run(),
            #[cfg(feature = "papers")]
            Self::Copyback(args) => args.run(),
            Self::Bench(args) => args.run(),
            Self::Terms(args) => args.run(),
            Self::Completions(args) => args.run(&mut Cli::command()),
            #[cfg(feature = "man")]
            Self::Man(args) => args.run(Cli::command()),
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
