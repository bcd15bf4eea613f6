//! Help in portions: `-h` of commands with many options names the common ones, `--help GROUP` prints one group, and
//! `ftlkit help SETTING` one setting.

use crate::cli::Cli;
use crate::failure::Failure;
use crate::output;
use clap::{Arg, Command, CommandFactory};
use sim::config::{SCHEME_SETTINGS, Setting};
use sim::report::wrap;

/// Commands whose `-h` is short.
const LONG: [&str; 2] = ["compare", "sweep"];

/// Options that it shows.
const COMMON: [&str; 18] = [
    "input",
    "vary",
    "threads",
    "csv",
    "part",
    "schemes",
    "capacity",
    "channels",
    "queue_depth",
    "workload",
    "set",
    "requests",
    "seed",
    "deadline",
    "json",
    "out",
    "details",
    "dry_run",
];

/// The command line, with short help where there is much.
pub(crate) fn command() -> Command {
    LONG.iter().fold(Cli::command(), |command, name| command.mut_subcommand(name, shortened))
}

fn shortened(command: Command) -> Command {
    let is_common = |arg: &Arg| COMMON.contains(&arg.get_id().as_str());
    let examples = command.get_after_help().cloned().unwrap_or_default();
    let name = command.get_name();
    let short = format!(
        "More options: ftlkit {name} --help GROUP, one of {}\nOne setting:  ftlkit help SETTING, such as queue-depth\n\
         All:          ftlkit {name} --help, with examples",
        groups(&command).join(", ")
    );
    let command =
        command.mut_args(|arg| if is_common(&arg) { arg } else { arg.hide_short_help(true) });
    command.after_help(short).after_long_help(examples)
}

/// Names of the groups of a command's options: the last word of each heading, but for `Device and schemes`.
fn groups(command: &Command) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for heading in command.get_arguments().filter_map(Arg::get_help_heading) {
        let name = group(heading);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn group(heading: &str) -> String {
    let mut words = heading.split(' ');
    let word = if heading.starts_with("Device") { words.next() } else { words.next_back() };
    word.unwrap_or(heading).to_lowercase()
}

/// What `ftlkit COMMAND --help GROUP` and `ftlkit help SETTING` print; `None` for other arguments.
///
/// # Errors
/// A group that the command does not have.
pub(crate) fn asked(arguments: &[String]) -> Option<Result<String, Failure>> {
    match arguments {
        [help, name] if help == "help" => setting(name).map(Ok),
        [name, help, of] if help == "--help" && LONG.contains(&name.as_str()) => {
            let mut whole = Cli::command();
            whole.build();
            let command = whole.find_subcommand(name)?.clone();
            let is_of = |arg: &Arg| arg.get_help_heading().map(group).as_ref() == Some(of);
            if !command.get_arguments().any(is_of) {
                let known = groups(&command).join(", ");
                return Some(Err(Failure::input_with_help(
                    format!("{name} has no group `{of}` of options"),
                    format!("its groups are {known}"),
                )));
            }
            let command = command.mut_args(|arg| {
                let hide = !is_of(&arg);
                arg.hide(hide)
            });
            let mut command = command.after_help("").after_long_help("");
            Some(Ok(command.render_long_help().to_string()))
        }
        _ => None,
    }
}

/// All about a setting of an experiment or of schemes, by its key or option.
fn setting(name: &str) -> Option<String> {
    let key = name.trim_start_matches('-').replace('-', "_");
    let of_experiment =
        Setting::by_key(&key).or_else(|| Setting::by_option(name.trim_start_matches('-')));
    let mut out = String::new();
    if let Some(of) = of_experiment {
        out += &format!("{} (a setting of an experiment: {})\n", of.key, of.group.title());
        out += &wrap(&format!("    {}", of.help()), output::width(), "    ");
        if !of.has_own_option {
            out += &format!("    option       --{} {}\n", of.option(), of.value);
        }
        out += &format!("    in a file    {}\n    in a sweep   --vary {}=…\n", of.key, of.key);
        if of.needs_ssd {
            out += "    only with    channels\n";
        }
    }
    for of in SCHEME_SETTINGS.iter().filter(|of| of.key == key || of.long_key == key) {
        out += &format!("{} (a setting of schemes)\n", of.key);
        out += &wrap(&format!("    {}", of.doc), output::width(), "    ");
        out += &format!("    values       {}\n", (of.values)());
        out += &format!(
            "    with a name  --schemes SCHEME+{}\n    in a file    {}\n",
            of.usage(),
            of.long_key
        );
        if of.key != "label" {
            out += &format!("    in a sweep   --vary {}=…\n", of.key);
        }
    }
    (!out.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str]) -> Option<String> {
        let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
        asked(&arguments).map(|of| of.unwrap_or_else(|fault| format!("{fault:?}")))
    }

    #[test]
    fn short_help_is_two_screens_and_names_every_group() {
        for name in LONG {
            let mut whole = command();
            whole.build();
            let help = whole.find_subcommand_mut(name).unwrap().render_help().to_string();
            assert!(help.lines().count() <= 100, "{name}: {} lines", help.lines().count());
            let groups = groups(whole.find_subcommand(name).unwrap());
            assert!(groups.len() > 8, "{groups:?}");
            for group in groups {
                assert!(help.contains(&group), "{name}: {group}");
                let of = of(&[name, "--help", &group]).unwrap();
                assert!(of.contains("--") && !of.contains("no group"), "{group}: {of}");
            }
        }
    }

    #[test]
    fn a_group_has_its_options_and_no_others() {
        let ssd = of(&["compare", "--help", "ssd"]).unwrap();
        assert!(ssd.contains("--queue-depth") && !ssd.contains("--schemes <"), "{ssd}");
        assert!(of(&["compare", "--help", "sdd"]).unwrap().contains("its groups are"));
        assert_eq!(of(&["bounds", "--help", "ssd"]), None);
    }

    #[test]
    fn every_setting_has_a_page() {
        for setting in Setting::ALL {
            for name in [setting.key.to_owned(), setting.option()] {
                let help = of(&["help", &name]).unwrap();
                assert!(help.contains(&format!("--vary {}=", setting.key)), "{name}: {help}");
            }
        }
        for setting in SCHEME_SETTINGS {
            assert!(of(&["help", setting.key]).unwrap().contains("a setting of schemes"));
        }
        assert_eq!(of(&["help", "terms"]), None);
    }
}
