//! `--html`: the results as one page.

#[cfg(not(feature = "html"))]
use crate::failure::Failure;
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

#[cfg(not(feature = "html"))]
impl HtmlArgs {
    /// Nothing: this build makes no pages.
    pub(crate) fn check(&self) -> Result<Option<HtmlFile>, Failure> {
        Ok(None)
    }
}

/// No page.
#[cfg(not(feature = "html"))]
#[derive(Clone, Copy, Debug)]
pub(crate) enum HtmlFile {}

#[cfg(feature = "html")]
pub(crate) use file::{HtmlFile, about, command_line};

#[cfg(feature = "html")]
mod file {
    use super::HtmlArgs;
    use crate::failure::Failure;
    use crate::output::WRITTEN_BY;
    use sim::report::About;
    use std::ffi::OsString;
    use std::fs::{self, File};
    use std::io::{self, Read, Write};
    use std::path::{Path, PathBuf};

    /// What every page begins with.
    const MAGIC: &[u8] = b"<!DOCTYPE html>";

    /// A file that a page can be written into.
    #[derive(Clone, Debug)]
    pub(crate) struct HtmlFile {
        path: PathBuf,
    }

    impl HtmlArgs {
        /// The file, checked before a run, so that no page is lost after it.
        pub(crate) fn check(&self) -> Result<Option<HtmlFile>, Failure> {
            self.html.as_deref().map(HtmlFile::new).transpose()
        }
    }

    impl HtmlFile {
        fn new(path: &Path) -> Result<Self, Failure> {
            let refused = |why: String, help: &str| {
                Failure::input_with_help(format!("--html {}: {why}", path.display()), help)
            };
            const NAME: &str = "name a file, such as `--html report.html`";
            if path.as_os_str() == "-" {
                return Err(refused("a page is not for the terminal".into(), NAME));
            }
            if path.is_dir() || path.file_name().is_none() {
                return Err(refused("this is a folder".into(), NAME));
            }
            // A link stays one: its target is replaced.
            let path_of_file = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            let file = Self { path: path_of_file };
            if file.path.exists() {
                match file.is_page() {
                    Ok(true) => {}
                    Ok(false) => {
                        let why = "the file is there, and is no HTML page".to_owned();
                        return Err(refused(why, "it is not replaced; name another file"));
                    }
                    Err(error) => return Err(refused(error.to_string(), NAME)),
                }
            }
            let tried = File::create(file.part()).and_then(|_| fs::remove_file(file.part()));
            match tried {
                Ok(()) => Ok(file),
                Err(error) => {
                    let why = format!("it cannot be written: {error}");
                    Err(refused(why, "the folder must be there and writable"))
                }
            }
        }

        /// True if the file is a page or empty, and may be written.
        fn is_page(&self) -> io::Result<bool> {
            if !self.path.metadata()?.is_file() {
                return Ok(false);
            }
            let mut head = Vec::new();
            let file = File::options().read(true).append(true).open(&self.path)?;
            file.take(MAGIC.len() as u64).read_to_end(&mut head)?;
            Ok(head.is_empty() || head.eq_ignore_ascii_case(MAGIC))
        }

        /// The page before it is whole.
        fn part(&self) -> PathBuf {
            let name = self.path.file_name().unwrap_or_default().display();
            self.path.with_file_name(format!(".{name}.{}.part", std::process::id()))
        }

        /// Writes the page; the file has its name only when it is whole.
        pub(crate) fn write(&self, page: &str, quiet: bool) -> Result<(), Failure> {
            let part = self.part();
            let written = File::create(&part)
                .and_then(|mut file| file.write_all(page.as_bytes()))
                .and_then(|()| fs::rename(&part, &self.path));
            if let Err(error) = written {
                // What is left of it is of no use.
                let _ = fs::remove_file(&part);
                let what = format!("cannot write {}: {error}", self.path.display());
                return Err(Failure::internal(what));
            }
            if !quiet {
                eprintln!("note: page written to {}", self.path.display());
            }
            Ok(())
        }
    }

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
        let words = std::env::args_os().skip(1).map(quoted);
        ["ftlkit".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
    }

    fn quoted(word: OsString) -> String {
        let word = word.to_string_lossy();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
        match !word.is_empty() && word.chars().all(is_plain) {
            true => word.into_owned(),
            false => format!("'{}'", word.replace('\'', "'\\''")),
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn words_are_quoted_where_a_shell_needs_it() {
            let of = |word: &str| quoted(word.into());
            assert_eq!(of("page-level,fsr+share=0.8"), "page-level,fsr+share=0.8");
            assert_eq!([of(""), of("a b"), of("<b>.csv")], ["''", "'a b'", "'<b>.csv'"]);
            assert_eq!(of("it's"), "'it'\\''s'");
        }
    }
}
