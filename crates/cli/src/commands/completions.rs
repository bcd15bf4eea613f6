//! `ftlkit completions`.

use crate::failure::Failure;
use crate::output;
use clap::{Args, Command};
use clap_complete::Shell;

const EXAMPLES: &str = "\
Examples:
  ftlkit completions bash > ~/.local/share/bash-completion/completions/ftlkit
  ftlkit completions zsh > ~/.zfunc/_ftlkit
  ftlkit completions fish > ~/.config/fish/completions/ftlkit.fish";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

impl CompletionsArgs {
    pub(crate) fn run(self, command: &mut Command) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, command, "ftlkit", &mut script);
        output::text(&String::from_utf8_lossy(&script))
    }
}
