//! The cases of `tests/cases/refused.txt`: one command a line, and the words of its error.

use crate::common::words;

#[test]
fn commands_are_refused_with_a_remedy() {
    let file = include_str!("../cases/refused.txt");
    let cases = file.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '[']));
    for case in cases {
        let mut parts = case.split(" | ");
        let line = parts.next().expect("a command");
        eprintln!("ftlkit {line}");
        let said: Vec<_> = parts.collect();
        assert!(!said.is_empty(), "no words of the error of: {line}");
        words(line).refused(&said);
    }
}
