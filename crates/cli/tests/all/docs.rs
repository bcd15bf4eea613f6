//! The pages of `docs/` are as the code: those that are generated, and what others show of commands.

use crate::common::{Scratch, command, ftlkit, ran, words};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn docs(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(path)
}

/// Name and text of every file of a directory.
fn files(directory: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(directory)
        .unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("text"))
        })
        .collect()
}

#[test]
fn the_pages_of_the_schemes_are_their_headers() {
    let scratch = Scratch::new("pages");
    ftlkit(["list", "schemes", "--pages", &scratch.at("")]).ok();
    let (is, should) = (files(&docs("schemes")), files(scratch.path()));
    let names = is.keys().chain(should.keys());
    let stale: Vec<_> = names.filter(|name| is.get(*name) != should.get(*name)).collect();
    assert!(
        stale.is_empty(),
        "stale in docs/schemes: {stale:?}; write them with `cargo run -p ftlkit -- list schemes --pages \
         docs/schemes`, and remove those of schemes that are gone"
    );
}

#[test]
fn the_promises_are_those_of_the_schemes() {
    let is = std::fs::read_to_string(docs("promises.md")).expect("docs/promises.md");
    assert!(
        is == words("bounds --part all --markdown").ok(),
        "docs/promises.md is stale; write it with `cargo run -p ftlkit -- bounds --part all --markdown \
         > docs/promises.md`"
    );
}

/// What a page shows of commands: a block of their output, or a table whose figures are in it.
struct Shown {
    /// Line of the page, from 1.
    line: usize,
    commands: Vec<String>,
    /// It is left to the test of long commands.
    long: bool,
    lines: Vec<String>,
}

/// A page: the files that it names, what it shows of commands, and its pictures with the files that commands wrote.
#[derive(Default)]
struct Page {
    files: Vec<(String, String)>,
    pictures: Vec<(String, String)>,
    shown: Vec<Shown>,
}

/// The text of a comment from its line on, without its marks; takes its further lines.
fn comment<'a>(first: &str, lines: &mut impl Iterator<Item = (usize, &'a str)>) -> String {
    let mut text = first.to_owned();
    while !text.contains("-->") {
        let (_, line) = lines.next().expect("the end of a comment");
        text = format!("{} {}", text.trim_end().trim_end_matches('\\'), line.trim());
    }
    text.trim_start_matches("<!--").replace("-->", "").trim().to_owned()
}

/// The commands of a block of code: `ftlkit …`, over several lines where these end in a backslash.
fn commands(block: &[&str]) -> Vec<String> {
    let text = block.join("\n").replace("\\\n", " ").replace("cargo run --release -- ", "ftlkit ");
    text.lines().filter(|line| line.starts_with("ftlkit ")).map(str::to_owned).collect()
}

impl Page {
    /// CONTRIBUTING.md, "Figures in pages", says what it looks for.
    fn read(text: &str) -> Self {
        let mut page = Self::default();
        let (mut last, mut figures, mut long) = (Vec::new(), Vec::new(), false);
        let (mut file, mut picture) = (None, None);
        let mut lines = (1..).zip(text.lines()).peekable();
        while let Some((line, first)) = lines.next() {
            let mut block: Vec<&str> = Vec::new();
            if first.starts_with("<!--") {
                let said = comment(first, &mut lines);
                let said = said.strip_prefix("long").map_or(said.as_str(), |said| {
                    long = true;
                    said.trim_start()
                });
                if let Some(command) = said.strip_prefix("figures: ") {
                    figures.push(command.to_owned());
                } else if let Some(name) = said.strip_prefix("file: ") {
                    file = Some(name.to_owned());
                } else if let Some(name) = said.strip_prefix("picture: ") {
                    picture = Some(name.to_owned());
                }
                continue;
            } else if let Some((_, shown)) = first.split_once("](").filter(|_| picture.is_some()) {
                let shown = shown.split(')').next().expect("the end of a picture").to_owned();
                page.pictures.extend(picture.take().map(|picture| (shown, picture)));
            } else if first.starts_with('|') && !figures.is_empty() {
                while let Some((_, row)) = lines.next_if(|(_, row)| row.starts_with('|')) {
                    block.push(row);
                }
                let commands = std::mem::take(&mut figures);
                let lines = block[1..].iter().map(|row| (*row).to_owned()).collect();
                page.shown.push(Shown { line, commands, long: std::mem::take(&mut long), lines });
                continue;
            } else if first.starts_with("```") {
                block.extend(lines.by_ref().map(|(_, row)| row).take_while(|row| *row != "```"));
            } else if let Some(row) = first.strip_prefix("    ") {
                block.push(row);
                while let Some((_, row)) = lines.next_if(|(_, row)| row.starts_with("    ")) {
                    block.push(&row[4..]);
                }
            }
            if first == "```text" {
                let (commands, long) = (last.clone(), std::mem::take(&mut long));
                let lines = block.into_iter().map(str::to_owned).collect();
                page.shown.push(Shown { line, commands, long, lines });
            } else if let Some(file) = file.take_if(|_| !block.is_empty()) {
                page.files.push((file, block.join("\n") + "\n"));
            } else if !commands(&block).is_empty() {
                last = commands(&block);
            }
        }
        let all = figures.is_empty() && file.is_none() && picture.is_none() && !long;
        assert!(
            all,
            "a table behind a comment of figures, a block behind one of a file, a picture behind one of that"
        );
        page
    }

    /// What is not as the commands print it, of those that are long, or of the others.
    fn stale(&self, name: &str, long: bool) -> Vec<String> {
        let scratch = Scratch::new(&format!("{name}-{long}"));
        for (name, content) in &self.files {
            scratch.file(name, content);
        }
        let mut stale = Vec::new();
        for shown in self.shown.iter().filter(|shown| shown.long == long) {
            let table = shown.lines[0].starts_with('|');
            let commands = shown.commands.iter().flat_map(|command| expanded(command));
            let printed = commands.map(|line| (prints(&line, table, scratch.path()), line));
            let printed: Vec<_> = printed.collect();
            let wrong = if table { wrong_rows } else { missing }(&shown.lines, &printed);
            if !wrong.is_empty() {
                let printed = printed.iter().map(|(output, line)| format!("$ {line}\n{output}"));
                let (line, wrong) = (shown.line, wrong.join("\n"));
                stale
                    .push(format!("{name}, line {line}: {wrong}\n{}", printed.collect::<String>()));
            }
        }
        for (shown, written) in self.pictures.iter().filter(|_| !long) {
            let written = std::fs::read(scratch.at(written)).unwrap_or_default();
            if written != std::fs::read(docs(shown)).expect("a picture") {
                stale.push(format!("{name}: {shown} is not as its command draws it"));
            }
        }
        stale
    }
}

/// A command with `{a,b}`: one with each.
fn expanded(command: &str) -> Vec<String> {
    let Some((before, (values, after))) =
        command.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    else {
        return vec![command.to_owned()];
    };
    values.split(',').flat_map(|value| expanded(&format!("{before}{value}{after}"))).collect()
}

/// What a command prints in this directory; one of `scripts/` is run where these are, with the command under test.
fn prints(line: &str, table: bool, directory: &Path) -> String {
    let root = docs("..");
    let mut words = line.split_whitespace();
    let mut run = match words.next() {
        Some("ftlkit") => command(),
        Some(other) => std::process::Command::new(other),
        None => panic!("no command"),
    };
    if line.starts_with("ftlkit ") {
        let examples = format!("{}/", root.join("examples").display());
        run.args(words.map(|word| word.replace('\'', "").replace("examples/", &examples)))
            .current_dir(directory);
        // Rows of tables are not wrapped, nor tables split.
        run.envs(table.then_some(("COLUMNS", "400")));
    } else {
        run.args(words).args(["--ftlkit", env!("CARGO_BIN_EXE_ftlkit")]).current_dir(root);
    }
    let ran = ran(run.output().unwrap_or_else(|error| panic!("{line}: {error}")));
    assert!(matches!(ran.code, Some(0 | 1)), "{line}: {:?} {}", ran.code, ran.stderr);
    ran.stdout
}

/// Parts of a block, between lines `…`, that are not printed in their order.
fn missing(shown: &[String], printed: &[(String, String)]) -> Vec<String> {
    let printed: String = printed.iter().map(|(output, _)| output.as_str()).collect();
    let mut rest = printed.as_str();
    let mut missing = Vec::new();
    for part in shown.split(|line| line.trim() == "…").filter(|part| !part.is_empty()) {
        let part = part.join("\n") + "\n";
        match rest.split_once(&part) {
            Some((_, after)) => rest = after,
            None => missing.push(format!("not printed, or not here:\n{part}")),
        }
    }
    if printed.is_empty() { vec!["no output, or no command before it".to_owned()] } else { missing }
}

/// Rows of a table with figures that are in no line that is theirs: one with their name, or any line of a command in which
/// that is a word.
fn wrong_rows(rows: &[String], printed: &[(String, String)]) -> Vec<String> {
    let mut wrong = Vec::new();
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].split('`').nth(1).unwrap_or(cells[0]);
        let mut theirs = Vec::new();
        for (output, line) in printed {
            let all = line.split_whitespace().any(|word| word == name);
            let output = plain(output);
            let lines = output.lines().filter(|line| all || holds(line, name));
            theirs.extend(lines.map(str::to_owned));
        }
        let figures = cells[1..].iter().flat_map(|cell| {
            plain(&cell.replace('`', ""))
                .split([';', ','])
                .map(|part| part.trim().to_owned())
                .collect::<Vec<_>>()
        });
        let figures =
            figures.filter(|figure| figure.contains(|letter: char| letter.is_ascii_digit()));
        let lacks = figures.filter(|figure| !theirs.iter().any(|line| holds(line, figure)));
        let lacks: Vec<_> = lacks.collect();
        if !lacks.is_empty() {
            wrong.push(format!("{name}: not printed in its row: {}", lacks.join("; ")));
        }
    }
    wrong
}

/// With single blanks, and without commas in numbers.
fn plain(text: &str) -> String {
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let text = lines.collect::<Vec<_>>().join("\n");
    let letters: Vec<_> = text.chars().collect();
    let digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let comma = |at: usize| letters[at] == ',' && at > 0 && digit(at - 1) && digit(at + 1);
    (0..letters.len()).filter(|at| !comma(*at)).map(|at| letters[at]).collect()
}

/// Whether these words are in a line, and not within others.
fn holds(line: &str, words: &str) -> bool {
    let of_word = |letter: char| letter.is_alphanumeric() || "_-+=:.".contains(letter);
    line.match_indices(words).any(|(at, _)| {
        !line[..at].ends_with(of_word) && !line[at + words.len()..].starts_with(of_word)
    })
}

fn check_pages(long: bool) {
    let mut pages = files(&docs(""));
    pages.retain(|name, _| name.ends_with(".md"));
    let papers = files(&docs("papers")).into_iter().filter(|(name, _)| name.ends_with(".md"));
    pages.extend(papers.map(|(name, text)| (format!("papers-{name}"), text)));
    pages.insert("README.md".into(), std::fs::read_to_string(docs("../README.md")).expect("text"));
    let pages = pages.iter().map(|(name, text)| (name, Page::read(text)));
    let stale: Vec<_> = pages.flat_map(|(name, page)| page.stale(name, long)).collect();
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

/// Blocks of output and tables of figures of all pages.
#[test]
fn pages_show_what_their_commands_print() {
    check_pages(false);
}

/// Those of commands that take long, such as the experiments of `docs/papers`.
#[test]
#[ignore = "takes minutes: CONTRIBUTING.md, \"Longer runs\""]
fn pages_show_what_their_long_commands_print() {
    check_pages(true);
}

#[test]
fn a_stale_page_is_found() {
    let block = "    ftlkit list interfaces\n\n```text\nWORDS\n```\n";
    let table = "<!-- figures: ftlkit list\ninterfaces -->\n| a | b |\n| --- | --- |\nWORDS\n";
    let first =
        "sata2              300         300          300           300            300        32";
    let last =
        "nvme:gen5x4      15754       14114        14163         14394          14598     65535";
    let cases = [
        (block, first, 0),
        (block, &first.replace("300", "301"), 1),
        (block, &format!("{first}\n…\n{last}"), 0),
        (block, &format!("{last}\n…\n{first}"), 1),
        (table, "| `sata2` | 300 |\n| nvme:gen3x4 | 3,938; 3,528 |", 0),
        (table, "| `sata2` | 3938 |", 1),
        (table, "| nvme:gen3x4 | 393 |", 1),
        (table, "| nvme:gen3 | 3938 |", 1),
        (table, "| interfaces | 3938 |", 0),
    ];
    for (page, words, wrong) in cases {
        let stale = Page::read(&page.replace("WORDS", words)).stale("stale", false);
        assert_eq!(stale.len(), wrong, "{words}: {stale:?}");
    }
}

/// What the pages say of placement policies agrees with the catalogue.
#[test]
fn python_has_the_placement_policies() {
    let text = std::fs::read_to_string(docs("python.md")).expect("docs/python.md");
    assert!(!text.contains("no placement policies") && text.contains("placement=\"sepbit\""));
    let line =
        "compare uniform --capacity 8MiB --requests 500 --schemes page-level+placement=sepbit";
    words(line).ok();
}
