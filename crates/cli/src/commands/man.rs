//! `ftlkit man`.

use crate::failure::Failure;
use crate::output;
use crate::result_file::replace;
use clap::{Args, Command};
use clap_mangen::Man;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  ftlkit man | man -l -                                     reads the page of ftlkit
  ftlkit man --pages ~/.local/share/man/man1                writes those of all commands
  ftlkit man --pages ~/.local/share/man/man1 && man ftlkit-compare";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// Directory to write the pages of all commands to
    #[arg(long, value_name = "DIR")]
    pages: Option<PathBuf>,
}

impl ManArgs {
    pub(crate) fn run(self, command: Command) -> Result<(), Failure> {
        let Some(directory) = self.pages else {
            return output::text(&page(&Man::new(command))?);
        };
        std::fs::create_dir_all(&directory)
            .map_err(|error| Failure::input(format!("{}: {error}", directory.display())))?;
        let mut command = command.disable_help_subcommand(true);
        command.build();
        write_pages(command, &directory)
    }
}

fn page(man: &Man) -> Result<String, Failure> {
    let mut page = Vec::new();
    man.render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Writes the page of this command and those of its subcommands.
fn write_pages(command: Command, directory: &Path) -> Result<(), Failure> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()).cloned() {
        write_pages(inner, directory)?;
    }
    let man = Man::new(command);
    let path = directory.join(man.get_filename());
    let is_own = |page: &str| page.lines().any(|line| line.starts_with(".TH ftlkit"));
    replace(&path, &page(&man)?, is_own)
        .map_err(|error| Failure::input(format!("{}: {error}", path.display())))
}
