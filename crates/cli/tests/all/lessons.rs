//! The lessons in `docs/` show what they say, at the steps that they name.

use crate::common::words;
use serde_json::Value;
use std::path::Path;

/// A lesson: its command, the steps that its table names with their captions, and its questions with the commands that print the
/// figures of their answers.
struct Lesson {
    command: String,
    steps: Vec<(usize, String)>,
    questions: Vec<(Vec<String>, String)>,
}

fn lessons() -> Vec<Lesson> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lessons.md");
    let text = std::fs::read_to_string(path).expect("docs/lessons.md");
    let mut lessons: Vec<Lesson> = Vec::new();
    let mut commands: Vec<String> = Vec::new();
    let mut in_question = false;
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("    ftlkit explain ") {
            let (steps, questions) = (Vec::new(), Vec::new());
            lessons.push(Lesson { command: command.to_owned(), steps, questions });
            commands.clear();
        } else if let Some(row) = line.strip_prefix("| #frame=") {
            let (frame, rest) = row.split_once(" | `").expect("a frame and its caption");
            let (caption, _) = rest.split_once('`').expect("the end of the caption");
            let lesson = lessons.last_mut().expect("a command before its steps");
            lesson.steps.push((frame.parse().expect("a number"), caption.to_owned()));
        } else if let Some(command) = line.strip_prefix("<!-- answers: ") {
            commands.push(command.trim_end_matches(" -->").to_owned());
        } else if line.starts_with("1. *") || line.starts_with("2. *") {
            let lesson = lessons.last_mut().expect("a command before its questions");
            // The second question may name figures of the first.
            lesson.questions.push((commands.clone(), line[2..].to_owned()));
        } else if let Some((_, text)) = lessons
            .last_mut()
            .and_then(|lesson| lesson.questions.last_mut())
            .filter(|_| in_question)
        {
            text.push_str(line);
        }
        in_question = line.starts_with("1. *")
            || line.starts_with("2. *")
            || in_question && line.starts_with("   ");
    }
    lessons
}

#[test]
fn each_step_is_where_the_lesson_says() {
    let lessons = lessons();
    assert_eq!(lessons.len(), 10);
    for Lesson { command, steps, .. } in lessons {
        assert!(steps.len() >= 3, "{command}: a lesson names steps to look at");
        let lines = words(&format!("explain {command} --events")).ok();
        let frames: Vec<Value> =
            lines.lines().skip(1).map(|line| serde_json::from_str(line).expect("JSON")).collect();
        for (frame, caption) in steps {
            let found = frames.get(frame).map(|frame| frame["caption"].as_str().unwrap_or(""));
            assert_eq!(found, Some(caption.as_str()), "{command}, frame {frame}");
        }
    }
}

/// Figures of a text: numbers with a decimal point.
fn figures(text: &str) -> Vec<&str> {
    let words =
        text.split(|c: char| !c.is_ascii_digit() && c != '.').map(|word| word.trim_matches('.'));
    words.filter(|word| word.contains('.')).collect()
}

#[test]
fn each_lesson_has_two_questions_whose_figures_its_commands_print() {
    for Lesson { command, questions, .. } in lessons() {
        assert_eq!(questions.len(), 2, "{command}");
        for (commands, text) in questions {
            assert!(text.matches('*').count() == 2 && text.contains("?*"), "{text}");
            // Of settings that it names, and not of what was counted.
            let plain: String = text.split('`').step_by(2).collect();
            let printed: String =
                commands.iter().map(|command| words(&format!("{command} --text")).ok()).collect();
            let printed = figures(&printed);
            for figure in figures(&plain) {
                assert!(
                    printed.contains(&figure),
                    "{command}: {figure} is in no output of {commands:?}: {text}"
                );
            }
        }
    }
}
