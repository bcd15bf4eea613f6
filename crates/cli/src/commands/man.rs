//! `ftlkit man`.

use crate::failure::Failure;
use crate::output;
use clap::{Args, Command};
use clap_mangen::Man;
use std::path::PathBuf;

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
            let mut page = Vec::new();
            Man::new(command).render(&mut page)?;
            return output::text(&String::from_utf8_lossy(&page));
        };
        let refused = |error| Failure::input(format!("{}: {error}", directory.display()));
        std::fs::create_dir_all(&directory).map_err(refused)?;
        clap_mangen::generate_to(command, &directory).map_err(refused)
    }
}
