//! The lessons in `docs/` show what they say, at the steps that they name.

use crate::common::words;
use serde_json::Value;
use std::path::Path;

/// A lesson: its command, and the steps that its table names with their captions.
struct Lesson {
    command: String,
    steps: Vec<(usize, String)>,
}

fn lessons() -> Vec<Lesson> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lessons.md");
    let text = std::fs::read_to_string(path).expect("docs/lessons.md");
    let mut lessons: Vec<Lesson> = Vec::new();
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("    ftlkit explain ") {
            lessons.push(Lesson { command: command.to_owned(), steps: Vec::new() });
        } else if let Some(row) = line.strip_prefix("| #frame=") {
            let (frame, rest) = row.split_once(" | `").expect("a frame and its caption");
            let (caption, _) = rest.split_once('`').expect("the end of the caption");
            let lesson = lessons.last_mut().expect("a command before its steps");
            lesson.steps.push((frame.parse().expect("a number"), caption.to_owned()));
        }
    }
    lessons
}

#[test]
fn each_step_is_where_the_lesson_says() {
    let lessons = lessons();
    assert_eq!(lessons.len(), 5);
    for Lesson { command, steps } in lessons {
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
