//! What of a trace could not be read.

use ::run::report::units;
use workload::formats::{Counts, DropReason};

/// Tells what could not be read, and was skipped as asked for; `None` if nothing.
pub(crate) fn unread(counts: &Counts) -> Option<String> {
    let first = counts.first_bad.as_ref()?;
    let dropped = |what: DropReason| counts.dropped.get(what.name()).copied().unwrap_or(0);
    let read = units::counted(counts.read, "record");
    let mut text = match dropped(DropReason::BadRecord) {
        0 => String::new(),
        1 => format!("1 of {read} was skipped, since it could not be read: {first}"),
        bad => {
            let bad = units::grouped(bad);
            format!(
                "{bad} of {read} were skipped, since they could not be read; the first: {first}"
            )
        }
    };
    if dropped(DropReason::Rest) > 0 {
        text += &match text.is_empty() {
            true => format!("requests at the end of the trace are missing: {first}"),
            false => {
                "; and a file is cut off or damaged, so that requests at its end are missing".into()
            }
        };
    }
    Some(text)
}
