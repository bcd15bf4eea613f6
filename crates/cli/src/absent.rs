//! Commands and options of features that this build was made without.

use clap::error::{ContextKind, Error};

/// A command, or a command and its option; the feature that brings it, and whether it is there.
const OPTIONAL: [(&str, &str, bool); 8] = [
    ("copyback", "papers", cfg!(feature = "papers")),
    ("man", "man", cfg!(feature = "man")),
    ("reproduce", "papers", cfg!(feature = "papers")),
    ("serve --tls", "tls", cfg!(feature = "tls")),
    ("serve --tls-cert", "tls", cfg!(feature = "tls")),
    ("serve --tls-key", "tls", cfg!(feature = "tls")),
    ("serve --watch", "watch", cfg!(feature = "watch")),
    ("--html", "html", cfg!(feature = "html")),
];

/// What to tell who asked for a command or option that this build lacks; `None` if the error is another.
pub(crate) fn message(error: &Error) -> Option<String> {
    let asked = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg];
    let asked = asked.into_iter().find_map(|kind| error.get(kind))?.to_string();
    let command = std::env::args().nth(1).unwrap_or_default();
    let lacks = |(_, _, is_there): &&(&str, &str, bool)| !is_there;
    message_of(
        OPTIONAL.iter().filter(lacks).map(|(name, feature, _)| (*name, *feature)),
        &command,
        &asked,
    )
}

fn message_of<'a>(
    mut absent: impl Iterator<Item = (&'a str, &'a str)>,
    command: &str,
    asked: &str,
) -> Option<String> {
    let (_, feature) = absent.find(|(name, _)| match name.split_once(' ') {
        Some((of, option)) => of == command && option == asked,
        None => *name == asked,
    })?;
    Some(workload::absent(format_args!("`{asked}`"), feature))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    #[test]
    fn whatever_a_build_may_lack_names_the_feature_that_brings_it() {
        let cli = Cli::command();
        for (name, feature, is_there) in OPTIONAL {
            assert!(is_there, "tests are of all features");
            let (command, asked) = name.split_once(' ').unwrap_or(("compare", name));
            let message = message_of(
                OPTIONAL.iter().map(|(name, feature, _)| (*name, *feature)),
                command,
                asked,
            );
            assert_eq!(
                message.unwrap(),
                format!(
                    "`{asked}` is not in this build: `cargo build --release --features {feature}` (or `full`) brings it"
                )
            );
            let there = match asked.strip_prefix("--") {
                None => cli.find_subcommand(asked).is_some(),
                Some(option) => { cli.find_subcommand(command).unwrap().get_arguments() }
                    .any(|argument| argument.get_long() == Some(option)),
            };
            assert!(there, "{name} is no command or option");
        }
        let absent = || [("serve --watch", "watch")].into_iter();
        assert_eq!(message_of(absent(), "compare", "--watch"), None);
        assert_eq!(message_of(absent(), "serve", "--wach"), None);
    }
}
