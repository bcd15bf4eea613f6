//! `ftlkit new`: a crate with a policy or a scheme of one's own, ready to build.
//!
//! Its files are those of `examples/own-scheme`, which the suites run: with one of the additions, and without the lines that
//! name another.

use crate::failure::Failure;
use crate::output;
use clap::{Args, ValueEnum};
use lab::catalogue;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  ftlkit new policy my-victims                       in a checkout of ftlkit: the crate depends on that
  ftlkit new policy my-victims --path ~/ftlkit       anywhere else
  ftlkit new placement my-classes --path ~/ftlkit
  ftlkit new scheme my-scheme --path ~/ftlkit";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NewArgs {
    /// What the crate adds
    kind: Kind,

    /// Name of the crate, of its new folder here, and of what it adds: lower-case words and digits, joined by `-`
    name: String,

    /// Checkout of ftlkit that the crate depends on [default: the one around the current folder, else the repository of this
    /// build]
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// Victim policy: which block is collected
    Policy,
    /// Placement policy: which open block a page is written to
    Placement,
    /// Scheme: a page map with a collector of its own
    Scheme,
}

/// Files of the example (`crates/cli/templates` links to them, so that packages have them).
const MANIFEST: &str = include_str!("../../templates/manifest.toml");
const LIB: &str = include_str!("../../templates/lib.rs");
const MAIN: &str = include_str!("../../templates/main.rs");
const SUITES: &str = include_str!("../../templates/suites.rs");
const _: () = assert!(
    LIB.len() > 100 && MAIN.len() > 100 && SUITES.len() > 100,
    "crates/cli/templates links to examples/own-scheme: check it out with symbolic links (git config core.symlinks true)"
);
/// What follows in `SUITES` is of the example alone.
const OF_THE_EXAMPLE: &str = "// From here on: ";
/// Modules of the example.
const MODULES: [&str; 5] = ["second_look", "quick", "paced", "block_per_page", "told"];

impl Kind {
    /// Module of the example that has it, and its text.
    fn template(self) -> (&'static str, &'static str) {
        match self {
            Self::Policy => ("second_look", include_str!("../../templates/second_look.rs")),
            Self::Placement => ("quick", include_str!("../../templates/quick.rs")),
            Self::Scheme => ("paced", include_str!("../../templates/paced.rs")),
        }
    }

    /// Its module in the new crate.
    fn module(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::Placement => "placement",
            Self::Scheme => "scheme",
        }
    }

    /// What it is called.
    fn what(self) -> &'static str {
        match self {
            Self::Policy => "victim policy",
            Self::Placement => "placement policy",
            Self::Scheme => "scheme",
        }
    }

    /// The new one in `--schemes`.
    fn in_schemes(self, name: &str) -> String {
        match self {
            Self::Policy => format!("page-level+victim={name}"),
            Self::Placement => format!("page-level+placement={name}"),
            Self::Scheme => name.to_owned(),
        }
    }

    /// True if this command has one of that name.
    fn has(self, name: &str) -> bool {
        match self {
            Self::Policy => catalogue::victims().iter().any(|policy| policy.name == name),
            Self::Placement => catalogue::placements().iter().any(|policy| policy.name == name),
            Self::Scheme => catalogue::schemes().iter().any(|preset| preset.name == name),
        }
    }

    /// A file of the example under the names of the new crate.
    fn named(self, text: &str, name: &str) -> String {
        let (own, _) = self.template();
        let called = own.replace('_', "-");
        text.replace(&format!("\"{called}\""), &format!("\"{name}\""))
            .replace(&format!("`{called}["), &format!("`{name}["))
            .replace(own, self.module())
            .replace("own_scheme", &name.replace('-', "_"))
    }

    /// The same, without the lines that name another addition.
    fn alone(self, text: &str, name: &str) -> String {
        let (own, _) = self.template();
        let below_page_level: &[&str] = match self {
            Self::Policy | Self::Placement => &[],
            Self::Scheme => &["page_level", "by_name"],
        };
        let others = MODULES.iter().filter(|module| **module != own).chain(below_page_level);
        let others: Vec<_> = others.collect();
        let lines = text.lines().filter(|line| !others.iter().any(|word| line.contains(**word)));
        self.named(&lines.flat_map(|line| [line, "\n"]).collect::<String>(), name)
    }
}

/// Where the crate finds ftlkit's crates.
enum Source {
    /// A checkout: its path as it was given, and from the new crate.
    Checkout(PathBuf, PathBuf),
    /// A repository, and the commit.
    Repository(&'static str, Option<&'static str>),
}

impl Source {
    fn find(given: Option<PathBuf>) -> Result<Self, Failure> {
        if let Some(path) = given {
            if !is_checkout(&path) {
                let path = path.display();
                return Err(Failure::input_with_help(
                    format!("--path {path}: no checkout of ftlkit: there is no crates/cli of it"),
                    "name the folder that has ftlkit's README.md",
                ));
            }
            // A relative path begins at the crate, which is a folder deeper; an absolute one replaces it.
            let from_crate = Path::new("..").join(&path);
            return Ok(Self::Checkout(path, from_crate));
        }
        let here = std::env::current_dir()
            .map_err(|error| Failure::internal(format!("the current folder: {error}")))?;
        if let Some(depth) = here.ancestors().position(is_checkout) {
            let up = |steps: usize| vec![".."; steps].iter().collect::<PathBuf>();
            return Ok(Self::Checkout(Path::new(".").join(up(depth)), up(depth + 1)));
        }
        match env!("CARGO_PKG_REPOSITORY") {
            "" => Err(Failure::input_with_help(
                "the crate needs ftlkit's sources: this build names no repository of them, and no checkout is around the \
                 current folder",
                "add --path DIR, with the folder of a checkout of ftlkit (the one with its README.md)",
            )),
            url => Ok(Self::Repository(url, commit(env!("FTLKIT_VERSION")))),
        }
    }

    /// A dependency on the package in this folder of `crates`: the keys in its table.
    fn of(&self, folder: &str) -> Result<String, Failure> {
        let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
        match self {
            Self::Checkout(_, path) => {
                let path = path.join("crates").join(folder);
                let text = path.to_str().ok_or_else(|| {
                    Failure::input(format!("--path: {} is not UTF-8", path.display()))
                })?;
                Ok(format!("path = {}", quoted(text)))
            }
            Self::Repository(url, None) => Ok(format!("git = {}", quoted(url))),
            Self::Repository(url, Some(commit)) => {
                Ok(format!("git = {}, rev = {}", quoted(url), quoted(commit)))
            }
        }
    }

    /// The versions that ftlkit is tested with.
    fn lock_file(&self) -> Option<String> {
        let Self::Checkout(path, _) = self else { return None };
        std::fs::read_to_string(path.join("Cargo.lock")).ok()
    }
}

/// True if the folder has ftlkit's sources.
fn is_checkout(folder: &Path) -> bool {
    let manifest = std::fs::read_to_string(folder.join("crates/cli/Cargo.toml"));
    manifest.is_ok_and(|text| text.lines().any(|line| line == "name = \"ftlkit\""))
}

/// The commit in a version such as `0.1.0 (1234567890ab)`.
fn commit(version: &str) -> Option<&str> {
    version.split_once('(')?.1.strip_suffix(')')
}

/// Why a crate cannot have this name.
fn wrong(name: &str) -> Option<String> {
    /// Keywords of edition 2024 that are lower-case, and names that Cargo or the crate's own files need.
    const TAKEN: &str = "abstract as async await become box break const continue crate do dyn else enum extern false final fn \
        for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true \
        try type typeof unsafe unsized use virtual where while yield alloc core std test proc-macro build deps examples \
        incremental testkit suites none con prn aux nul";
    let is_word = |word: &str| {
        let known = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
        !word.is_empty() && word.chars().all(known)
    };
    let starts = name.starts_with(|letter: char| letter.is_ascii_lowercase());
    if !starts || !name.split('-').all(is_word) || name.len() > 64 {
        return Some(
            "expected lower-case words and digits, joined by `-`, a letter first, 64 bytes at most: such as `my-policy`".into(),
        );
    }
    let taken = TAKEN.split_whitespace().any(|taken| taken == name) || name.starts_with("ftlkit");
    taken.then(|| "Rust, Cargo or ftlkit uses that name: take another, such as `my-policy`".into())
}

impl NewArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (kind, name) = (self.kind, self.name.as_str());
        if let Some(reason) = wrong(name) {
            return Err(Failure::input(format!("NAME `{name}`: {reason}")));
        }
        if kind.has(name) {
            return Err(Failure::input_with_help(
                format!("NAME `{name}`: ftlkit has a {} of that name", kind.what()),
                "take another: the names there are: ftlkit list schemes",
            ));
        }
        let source = Source::find(self.path)?;
        let manifest = MANIFEST
            .replace("NAME", name)
            .replace("RUST_VERSION", env!("CARGO_PKG_RUST_VERSION"))
            .replace("SOURCE_OF_FTLKIT", &source.of("cli")?)
            .replace("SOURCE_OF_TESTKIT", &source.of("testkit")?);
        let (suites, _) = SUITES.split_once(OF_THE_EXAMPLE).unwrap_or((SUITES, ""));
        let module = format!("src/{}.rs", kind.module());
        let files = [
            ("Cargo.toml", Some(manifest)),
            ("Cargo.lock", source.lock_file()),
            ("src/main.rs", Some(kind.named(MAIN, name))),
            ("src/lib.rs", Some(kind.alone(LIB, name))),
            (module.as_str(), Some(kind.named(kind.template().1, name))),
            ("tests/suites.rs", Some(kind.alone(suites.trim_end(), name))),
        ];
        write(Path::new(name), &files)?;
        let (what, schemes) = (kind.what(), kind.in_schemes(name));
        output::text(&format!(
            "\
{name}/{module}: a working {what} to change
{name}/tests/suites.rs: conformance, power cuts, a search for a bound that is exceeded

Next, the first build takes some minutes:
  cd {name} && cargo test
  cargo run --release -- compare --schemes page-level,{schemes}"
        ))
    }
}

/// Writes the files into a new folder.
fn write(folder: &Path, files: &[(&str, Option<String>)]) -> Result<(), Failure> {
    let failed = |path: &Path, error: std::io::Error| {
        let what = format!("{}: {error}", path.display());
        match error.kind() {
            std::io::ErrorKind::AlreadyExists => Failure::input_with_help(
                what,
                "take another NAME, or remove it: nothing is written over",
            ),
            _ => Failure::input(what),
        }
    };
    for new in [folder, &folder.join("src"), &folder.join("tests")] {
        std::fs::create_dir(new).map_err(|error| failed(new, error))?;
    }
    for (path, text) in files.iter().filter_map(|(path, text)| Some((path, text.as_ref()?))) {
        let path = folder.join(path);
        std::fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_taken_at_the_commit_of_the_build() {
        let at = |version| Source::Repository("https://example.org/ftlkit", commit(version));
        let keys = at("0.1.0 (1234567890ab)").of("cli").ok();
        let should = "git = \"https://example.org/ftlkit\", rev = \"1234567890ab\"";
        assert_eq!(keys.as_deref(), Some(should));
        let keys = at("0.1.0").of("cli").ok();
        assert_eq!(keys.as_deref(), Some("git = \"https://example.org/ftlkit\""));
    }
}
