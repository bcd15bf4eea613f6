//! Bounds on SSDs in short runs; the soak runs a million page tasks per scheme on every part.

use crate::common::promises::kept;
use flash::parts;
use ftl::registry::REGISTRY;

#[test]
fn every_promise_is_kept_where_one_task_is_outstanding() {
    let (mut failures, mut without, mut tasks) = (Vec::new(), Vec::new(), 0);
    // A part with bus cycles, one with a separate OOB read time, and the part of the papers.
    for part in ["ddt-mlc", "samsung-small-block", "evaluation-slc"] {
        let part = parts::by_name(part).unwrap();
        for scheme in REGISTRY {
            for channels in [1, 4] {
                let Some(kept) = kept(scheme, part, channels, 6000) else {
                    without.push((scheme.name, &*part.name, channels));
                    continue;
                };
                failures.extend(kept.failures.iter().map(ToString::to_string));
                tasks += kept.tasks;
            }
        }
    }
    println!("{tasks} page tasks");
    assert!(failures.is_empty(), "{} runs failed:\n{}", failures.len(), failures.join("\n"));
    // RFTL rejects this part: its blocks are too large for its erase time.
    assert_eq!(without, [("rftl", "ddt-mlc", 1), ("rftl", "ddt-mlc", 4)]);
    assert!(tasks > 6000 * 2 * (3 * REGISTRY.len() as u64 - 1), "{tasks}");
}
