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
    let of = |status| outcomes.iter().filter(move |outcome| outcome.status == status);
    let late = strict && outcomes.iter().any(Outcome::is_late);
    if late || outcomes.iter().any(Outcome::breaks_a_promise) {
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
    if of(Status::Ok).next().is_none()
        && let Some(first) = outcomes.first()
    {
        let help = "all points are impossible; change what they have in common";
        return End::Failed(Fault::with_help(&first.reason, help));
    }
    match of(Status::Failed).next() {
        Some(failed) => End::Failed(Fault::internal(format!("a run failed: {}", failed.reason))),
        None => End::Done,
    }
}
