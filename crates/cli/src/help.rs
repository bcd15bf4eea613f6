//! Help in portions: `-h` of commands with many options names the common ones, `--help GROUP` prints one group, and
//! `ftlkit help SETTING` one setting.

use crate::cli::Cli;
use crate::failure::Failure;
use crate::output;
use clap::{Arg, Command, CommandFactory};
use lab::config::{SCHEME_SETTINGS, Setting, nearest};
use lab::report::wrap;

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

/// What `ftlkit COMMAND … --help GROUP` and `ftlkit help SETTING` print; `None` for other arguments.
///
/// # Errors
/// A group that the command does not have, or nearly the name of a setting.
pub(crate) fn requested(arguments: &[String]) -> Option<Result<String, Failure>> {
    if let [help, name] = arguments {
        let is_command = || Cli::command().get_subcommands().any(|of| of.get_name() == *name);
        if help == "help" && !is_command() {
            let known = setting(name).or_else(|| option(name));
            return known.map(Ok).or_else(|| nearly_a_setting(name).map(Err));
        }
    }
    let (name, rest) = arguments.split_first()?;
    let at = rest.iter().position(|word| word == "--help" || word == "-h")?;
    let group = rest.get(at + 1).filter(|word| !word.starts_with('-'))?;
    LONG.contains(&name.as_str()).then(|| of_group(name, &group.to_lowercase()))
}

fn nearly_a_setting(name: &str) -> Option<Failure> {
    let keys = Setting::ALL.iter().map(|of| of.key).chain(SCHEME_SETTINGS.iter().map(|of| of.key));
    let near = nearest(&key(name), keys)?;
    let what = format!("there is neither a command nor a setting `{name}`");
    Some(Failure::input_with_help(what, format!("did you mean `ftlkit help {near}`?")))
}

/// The options of one group.
fn of_group(name: &str, of: &str) -> Result<String, Failure> {
    let mut whole = Cli::command();
    whole.build();
    let command = whole.find_subcommand(name).cloned();
    let command = command.ok_or_else(|| Failure::internal("a command is missing"))?;
    let is_of = |arg: &Arg| arg.get_help_heading().map(group).is_some_and(|name| name == of);
    if !command.get_arguments().any(is_of) {
        return Err(Failure::input_with_help(
            format!("{name} has no group `{of}` of options"),
            format!("its groups are {}", groups(&command).join(", ")),
        ));
    }
    let command = command.mut_args(|arg| {
        let hide = !is_of(&arg);
        arg.hide(hide)
    });
    let mut command = command.after_help("").after_long_help("");
    Ok(command.render_long_help().to_string())
}

/// A key as it was given: an option, or in capitals.
fn key(name: &str) -> String {
    name.trim_start_matches('-').replace('-', "_").to_lowercase()
}

/// All about a setting of an experiment or of schemes, by its key or option.
fn setting(name: &str) -> Option<String> {
    let key = key(name);
    let of_experiment =
        Setting::by_key(&key).or_else(|| Setting::by_option(&key.replace('_', "-")));
    let mut out = String::new();
    if let Some(of) = of_experiment {
        out += &format!("{} (a setting of an experiment: {})\n", of.key, of.group.title());
        out += &wrap(&format!("    {}", of.help()), output::width(), "    ");
        let option = format!("    option       --{} {}", of.option(), of.value);
        out += &format!("{}\n", option.trim_end());
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

/// An option that is no setting, once for each help that commands give it.
fn option(name: &str) -> Option<String> {
    let long = key(name).replace('_', "-");
    let mut found: Vec<(Vec<String>, String)> = Vec::new();
    for command in Cli::command().get_subcommands() {
        let of = command.get_arguments().find(|arg| arg.get_long() == Some(&long));
        let Some(arg) = of.filter(|arg| !arg.is_hide_set()) else { continue };
        let values = arg.get_value_names().unwrap_or_default().join(" ");
        let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string);
        let help = wrap(&format!("    {}", help.unwrap_or_default()), output::width(), "    ");
        let text = format!("{help}    option       {}\n", format!("--{long} {values}").trim_end());
        match found.iter_mut().find(|(_, other)| *other == text) {
            Some((commands, _)) => commands.push(command.get_name().to_owned()),
            None => found.push((vec![command.get_name().to_owned()], text)),
        }
    }
    let page = |(commands, text): &(Vec<String>, String)| {
        format!("{long} (an option of {})\n{text}", commands.join(", "))
    };
    let pages: String = found.iter().map(page).collect();
    (!pages.is_empty()).then_some(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(arguments: &[&str]) -> Option<String> {
        let arguments: Vec<_> = arguments.iter().map(ToString::to_string).collect();
        requested(&arguments).map(|of| of.unwrap_or_else(|fault| format!("{fault:?}")))
    }

    #[test]
    fn short_help_is_two_screens_and_names_every_group() {
        for name in LONG {
            let mut whole = command();
            whole.build();
            let help = whole.find_subcommand_mut(name).unwrap().render_help().to_string();
            assert!(help.lines().count() <= 100, "{name}: {} lines", help.lines().count());
            let all =
                "device placement precondition channel refresh ssd workload trace replay deadline";
            for group in all.split(' ') {
                assert!(help.contains(group), "{name}: {group}");
                let of = of(&[name, "uniform", "--help", group]).unwrap();
                assert!(of.contains("      --") && !of.contains("no group"), "{group}: {of}");
            }
        }
    }

    #[test]
    fn short_help_has_every_common_option_and_no_other() {
        let mut whole = command();
        whole.build();
        let shown = |id: &&str| {
            LONG.iter().any(|name| {
                let mut arguments = whole.find_subcommand(name).unwrap().get_arguments();
                arguments.any(|arg| arg.get_id().as_str() == *id && !arg.is_hide_short_help_set())
            })
        };
        assert_eq!(COMMON.iter().filter(|id| !shown(id)).collect::<Vec<_>>(), Vec::<&&str>::new());
        let help = whole.find_subcommand_mut("compare").unwrap().render_help().to_string();
        assert!(help.contains("--queue-depth") && !help.contains("--host-first"), "{help}");
    }

    #[test]
    fn a_group_has_its_options_and_no_others() {
        let ssd = of(&["compare", "--help", "ssd"]).unwrap();
        assert!(ssd.contains("--queue-depth") && !ssd.contains("--schemes <"), "{ssd}");
        assert!(of(&["compare", "--help", "sdd"]).unwrap().contains("its groups are"));
        assert_eq!(ssd, of(&["compare", "a.csv", "-h", "SSD"]).unwrap());
        assert_eq!(of(&["bounds", "--help", "ssd"]), None);
        assert_eq!(of(&["compare", "--help", "--json"]), None);
    }

    #[test]
    fn every_setting_has_a_page() {
        for setting in Setting::ALL {
            for name in [setting.key.to_owned(), format!("--{}", setting.option())] {
                let help = of(&["help", &name]).unwrap();
                assert!(help.contains(&format!("option       --{}", setting.option())), "{help}");
                assert!(help.contains(&format!("in a file    {}\n", setting.key)), "{help}");
            }
        }
        for setting in SCHEME_SETTINGS {
            let help = of(&["help", setting.key]).unwrap();
            assert!(help.contains("a setting of schemes"), "{help}");
            assert_eq!(help.contains("--vary"), setting.key != "label", "{help}");
        }
        assert!(of(&["help", "Queue-Depth"]).unwrap().contains("only with    channels"));
        assert!(of(&["help", "queue-dept"]).unwrap().contains("ftlkit help queue_depth"));
        let plot = of(&["help", "plot"]).unwrap();
        assert!(plot.contains("(an option of sweep)") && plot.contains("--plot x="), "{plot}");
        assert_eq!(of(&["help", "no-such-option"]), None);
        assert_eq!((of(&["help", "terms"]), of(&["help", "compare"])), (None, None));
    }
}
