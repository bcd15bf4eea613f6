//! JSON lines, page and text.

use crate::{recorded, settings};
use ftl::registry::REGISTRY;
use ftlkit_explain::{Recording, State, html, json_lines, record, text};
use serde_json::{Value, json};

fn lines(recording: &Recording) -> Vec<Value> {
    let mut bytes = Vec::new();
    json_lines(recording, &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The state, built from the parsed lines alone.
struct Rebuilt {
    pages: Vec<Value>,
    blocks: Vec<Value>,
    map: Vec<Value>,
    lists: Value,
}

impl Rebuilt {
    fn new(header: &Value) -> Self {
        let count = |name: &str| header[name].as_u64().unwrap() as usize;
        let page = json!({"state": "free", "content": "nothing"});
        Self {
            pages: vec![page; count("blocks") * count("pages_per_block")],
            blocks: vec![json!(["", null]); count("blocks")],
            map: vec![json!("unmapped"); count("logical_pages")],
            lists: json!([]),
        }
    }

    fn apply(&mut self, line: &Value) {
        let each = |name: &str| line[name].as_array().cloned().unwrap_or_default();
        let at = |change: &Value| change[0].as_u64().unwrap() as usize;
        each("pages").iter().for_each(|change| self.pages[at(change)] = change[1].clone());
        each("blocks")
            .iter()
            .for_each(|change| self.blocks[at(change)] = json!([change[1], change[2]]));
        each("map").iter().for_each(|change| self.map[at(change)] = change[1].clone());
        if let Some(lists) = line.get("lists") {
            self.lists = lists.clone();
        }
    }

    fn is(&self, state: &State) -> bool {
        json!(self.pages) == json!(state.pages)
            && json!(self.blocks) == json!(state.blocks)
            && json!(self.map) == json!(state.map)
            && self.lists == json!(state.lists)
    }
}

#[test]
fn json_lines_rebuild_the_state() {
    for preset in REGISTRY {
        let recording = recorded(preset.name);
        let lines = lines(&recording);
        assert_eq!(lines[0]["type"], "header");
        assert_eq!(lines.len(), recording.frames.len() + 1);
        let mut rebuilt = Rebuilt::new(&lines[0]);
        for (at, line) in lines[1..].iter().enumerate() {
            rebuilt.apply(line);
            if at % 20 == 0 || at + 1 == recording.frames.len() {
                assert!(rebuilt.is(&recording.state_at(at)), "{}, frame {at}", preset.name);
            }
        }
    }
}

/// The fields of JSON lines that others may rely on.
#[test]
fn json_lines_keep_their_fields() {
    let lines = lines(&recorded("page-level"));
    let header = lines[0].as_object().unwrap();
    for field in [
        "format",
        "scheme",
        "part",
        "blocks",
        "pages_per_block",
        "page_bytes",
        "logical_pages",
        "read_ns",
        "program_ns",
        "erase_ns",
        "bound",
        "workload",
        "seed",
        "notes",
        "first",
        "states",
        "roles",
    ] {
        assert!(header.contains_key(field), "{field}");
    }
    assert_eq!(lines[0]["format"], 1);
    let of = |kind: &str| lines.iter().find(|line| line["type"] == kind).unwrap_or(&Value::Null);
    for (kind, fields) in [
        ("task", &["number", "fill", "op", "lpn"][..]),
        ("event", &["name", "values"]),
        ("operation", &["op", "cause", "step", "page", "block", "ns", "outcome"]),
        ("task-end", &["service_ns", "step_ns", "exceeded"]),
    ] {
        for field in ["group", "at_ns", "caption"].iter().chain(fields) {
            assert!(of(kind).get(field).is_some(), "{kind} has no {field}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    for preset in REGISTRY {
        let pages = [recorded(preset.name), recorded(preset.name)].map(|recording| {
            let mut bytes = Vec::new();
            html::page(&recording, &mut bytes).unwrap();
            bytes
        });
        assert!(pages[0] == pages[1], "{}", preset.name);
        let mut other = settings(preset.name);
        other.experiment.seed = 2;
        let other = record(other).unwrap();
        assert!(
            lines(&other) != lines(&recorded(preset.name)),
            "{}: the seed has no effect",
            preset.name
        );
    }
}

#[test]
fn the_page_is_one_file() {
    let mut bytes = Vec::new();
    html::page(&recorded("fast+label=</script><b>"), &mut bytes).unwrap();
    let page = String::from_utf8(bytes).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    for outside in ["src=", "href=", "@import", "url(http", "fetch("] {
        assert!(!page.contains(outside), "{outside}");
    }
    let data = page.split_once("const LINES = [").unwrap().1.split_once("\n];").unwrap().0;
    assert!(!data.contains('<'), "a tag within the data could end the script");
}

#[test]
fn text_shows_each_page_task_and_the_array_behind_it() {
    let recording = recorded("fast");
    let shown = text::render(&recording, false, 100);
    assert!(!shown.contains('\u{1b}'));
    assert!(text::render(&recording, true, 100).contains('\u{1b}'));
    let tasks = shown.lines().filter(|line| line.starts_with("task ")).count();
    assert_eq!(tasks, 60);
    let arrays = shown.lines().filter(|line| line.starts_with("  block  0 ")).count();
    assert_eq!(arrays, tasks + 1, "one array before the first task, and one behind each");
    assert!(shown.lines().any(|line| line.contains("full merge of LBN")));
    assert!(shown.lines().all(|line| !line.starts_with("fill ")), "the fill is skipped");
}
