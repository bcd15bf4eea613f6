//! `ftlkit terms`, which is also `ftlkit help terms`: the words of the reports.

use crate::failure::Failure;
use crate::output;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  ftlkit terms
  ftlkit help terms";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TermsArgs {}

impl TermsArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        output::text(&glossary())
    }
}

/// Heading, and one paragraph per term.
pub(crate) fn glossary() -> String {
    let entry = |(term, text): &(&str, &str)| {
        format!("{term}\n{}", lab::report::wrap(&format!("    {text}"), output::width(), "    "))
    };
    format!(
        "Words of ftlkit's reports\n\n{}",
        lab::report::TERMS.iter().map(entry).collect::<String>()
    )
}
