//! How a sweep ended as a whole.

use super::rows::{Outcome, Status};
use crate::fault::Fault;

/// End of a sweep; what comes first here has precedence.
#[derive(Debug)]
pub enum End {
    /// A bound was exceeded or a deadline missed.
    BoundExceeded,
    /// It was stopped.
    Interrupted {
        /// Runs that were not made.
        left: usize,
    },
    /// Nothing was measured, a trace cannot be read, or a run failed.
    Failed(Fault),
    /// All points were measured, or cannot be.
    Done,
}

/// The end of a sweep with these outcomes; with `strict` a late request counts as a missed deadline.
pub fn end(outcomes: &[Outcome], strict: bool) -> End {
    foreseen(outcomes.iter(), 0, strict)
}

/// The same, as far as it is known while so many points are open.
pub(super) fn foreseen<'a>(
    outcomes: impl Iterator<Item = &'a Outcome> + Clone,
    open: usize,
    strict: bool,
) -> End {
    let of = |status| outcomes.clone().filter(move |outcome| outcome.status == status);
    let late = strict && outcomes.clone().any(Outcome::is_late);
    if late || outcomes.clone().any(Outcome::breaks_a_promise) {
        return End::BoundExceeded;
    }
    let left = of(Status::NotRun).count();
    if left > 0 {
        return End::Interrupted { left };
    }
    if let Some(unread) = of(Status::Unreadable).next() {
        let help = "mend this trace, or leave it out; the runs of others are not affected";
        return End::Failed(Fault::with_help(&unread.reason, help));
    }
    if let Some(failed) = of(Status::Failed).next() {
        return End::Failed(Fault::internal(format!("a run failed: {}", failed.reason)));
    }
    let none = open == 0 && of(Status::Ok).next().is_none();
    match outcomes.clone().next() {
        Some(first) if none => {
            let help = "all points are impossible; change what they have in common";
            End::Failed(Fault::with_help(&first.reason, help))
        }
        _ => End::Done,
    }
}
