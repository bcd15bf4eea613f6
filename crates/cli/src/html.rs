//! `--html`: the results as one page.

use crate::failure::Failure;
#[cfg(feature = "html")]
use crate::result_file::{Content, ResultFile};
use clap::Args;
#[cfg(feature = "html")]
use std::path::PathBuf;

/// Destination of the page.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct HtmlArgs {
    /// Write the results into this file, as one HTML page that needs no network: tables, interactive plots, and how to
    /// repeat the run. A page that is there is replaced
    #[cfg(feature = "html")]
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl HtmlArgs {
    /// The file, checked before a run.
    #[cfg(feature = "html")]
    pub(crate) fn check(&self) -> Result<Option<HtmlFile>, Failure> {
        let file = |path: &PathBuf| ResultFile::new("--html", path, Content::PAGE).map(HtmlFile);
        self.html.as_ref().map(file).transpose()
    }

    /// Nothing: this build makes no pages.
    #[cfg(not(feature = "html"))]
    pub(crate) fn check(&self) -> Result<Option<HtmlFile>, Failure> {
        Ok(None)
    }
}

/// No page.
#[cfg(not(feature = "html"))]
#[derive(Clone, Copy, Debug)]
pub(crate) enum HtmlFile {}

/// A file that a page can be written into.
#[cfg(feature = "html")]
#[derive(Clone, Debug)]
pub(crate) struct HtmlFile(ResultFile);

#[cfg(feature = "html")]
impl HtmlFile {
    /// Writes the page.
    pub(crate) fn write(&self, page: &str, quiet: bool) -> Result<(), Failure> {
        self.0.write(|to| std::io::Write::write_all(to, page.as_bytes()))?;
        if !quiet {
            crate::output::note(&format!("page written to {}", self.0.path().display()));
        }
        Ok(())
    }
}

#[cfg(feature = "html")]
pub(crate) use told::about;
#[cfg(all(feature = "html", feature = "papers"))]
pub(crate) use told::command_line;

#[cfg(feature = "html")]
mod told {
    use crate::output::WRITTEN_BY;
    use lab::config::quoted;
    use lab::report::About;

    /// What a page tells besides results.
    pub(crate) fn about(summary: Vec<(&'static str, String)>, experiment: String) -> About {
        About {
            program: WRITTEN_BY.to_owned(),
            command: command_line(),
            experiment,
            summary,
            failures: Vec::new(),
        }
    }

    /// The command as a shell takes it.
    pub(crate) fn command_line() -> String {
        let words = std::env::args_os().skip(1).map(|word| quoted(&word.to_string_lossy()));
        ["ftlkit".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
    }
}
