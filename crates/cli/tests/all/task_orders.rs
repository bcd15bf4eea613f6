//! `bounds --tasks --order`: page tasks by priority and by deadline.

use crate::common::{Scratch, ftlkit, unwrapped};
use serde_json::Value;

/// A read that cannot wait for 16 pages, and one of several pages that can.
const TASKS: &str = "
[[tasks]]
name = 'backup'
operation = 'write'
period = '100ms'
pages = 16

[[tasks]]
name = 'control'
operation = 'read'
period = '5ms'
deadline = '2300us'
";

/// Schedulable, and R of both tasks.
fn judged(file: &str, order: &str, code: i32) -> (Value, [Value; 2]) {
    let args = ["bounds", "--tasks", file, "--json", "--schemes", "lazy-rtgc", "--order", order];
    let json: Value = serde_json::from_str(&ftlkit(args).ended(code).stdout).unwrap();
    assert_eq!(json["order"], order);
    let scheme = &json["schemes"][0];
    assert_eq!(scheme["load"].is_null(), order != "fifo");
    let response = |at: usize| scheme["tasks"][at]["response_ns"].clone();
    (scheme["schedulable"].clone(), [response(0), response(1)])
}

#[test]
fn an_order_decides_what_a_short_job_waits_for() {
    let scratch = Scratch::new("task-orders");
    let file = scratch.file("tasks.toml", TASKS);
    let (write, read) = (2_220_900, 29_000);
    let all = Value::from(16 * write + read);
    assert_eq!(judged(&file, "fifo", 1), (false.into(), [all.clone(), all]));
    // The backup comes first in the file: the read waits for all of it.
    let (kept, [backup, control]) = judged(&file, "priority", 1);
    assert_eq!((kept, &backup), (false.into(), &Value::from(16 * write + read - 1)));
    assert_eq!(control, Value::from(16 * write + read));
    assert_eq!(judged(&file, "deadline", 0).0, true);
    // With the read first it waits for one page, but for its first ns.
    let [_, backup, control] = TASKS.split("[[tasks]]").collect::<Vec<_>>()[..] else { panic!() };
    let turned = scratch.file("turned.toml", format!("[[tasks]]{control}\n[[tasks]]{backup}"));
    let (kept, [control, _]) = judged(&turned, "priority", 0);
    assert_eq!((kept, control), (true.into(), Value::from(write - 1 + read)));
}

#[test]
fn the_text_tells_the_order_and_bad_ones_are_refused() {
    let scratch = Scratch::new("task-orders-text");
    let file = scratch.file("tasks.toml", TASKS);
    for (order, code, said) in [
        ("fifo", 1, "served in order of release"),
        ("priority", 1, "waits for at most one page of a later task"),
        ("deadline", 0, "yes, at any phases: U ≤ 1, and the work due by any time fits before it"),
    ] {
        let args = ["bounds", "--tasks", &file, "--schemes", "lazy-rtgc", "--order", order];
        let shown = unwrapped(&ftlkit(args).ended(code).stdout);
        assert!(shown.contains(said), "{order}: {shown}");
        // A run serves in order of release, and would confirm nothing else.
        assert_eq!(shown.contains("A run counts the misses"), order == "fifo", "{shown}");
    }
}
