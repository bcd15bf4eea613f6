//! The cases of `tests/cases`: one command a line, the words that it prints, and the files that it reads.

use crate::common::{Ran, Scratch, command, csv_trace, ran};

/// Runs the cases of a file in a folder of their own.
fn each(name: &str, cases: &str, check: impl Fn(Ran, &[&str])) {
    let folder = Scratch::new(name);
    for case in cases.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '['])) {
        if let Some((file, content)) = case.strip_prefix('@').and_then(|at| at.split_once(" = ")) {
            let mut content = content.replace("\\n", "\n");
            if let Some(rest) = content.strip_prefix("{trace:") {
                let (requests, rest) = rest.split_once('}').expect("a number of requests");
                content = csv_trace(requests.parse().expect("a number")) + rest;
            }
            folder.file(file, content);
            continue;
        }
        let mut parts = case.split(" | ");
        let line = parts.next().expect("a command");
        eprintln!("ftlkit {line}");
        let said: Vec<_> = parts.collect();
        assert!(!said.is_empty(), "no words of what it prints: {line}");
        let mut command = command();
        command.args(line.split_whitespace()).current_dir(folder.path());
        check(ran(command.output().expect("ftlkit starts")), &said);
    }
}

#[test]
fn commands_are_refused_with_a_remedy() {
    each("refused", include_str!("../cases/refused.txt"), |ran, said| ran.refused(said));
}

#[test]
fn commands_print_what_they_are_asked_for() {
    each("shown", include_str!("../cases/shown.txt"), |ran, said| {
        let text = ran.ok();
        for words in said {
            let (words, wanted) = words.strip_prefix('!').map_or((*words, true), |no| (no, false));
            assert_eq!(text.contains(&words.replace("\\n", "\n")), wanted, "`{words}` in: {text}");
        }
    });
}
