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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn outcome(status: Status, measured: &[(&str, Value)]) -> Outcome {
        let mut outcome = Outcome::without(status, status.name());
        let measured = measured.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        outcome.metrics.0.extend(measured);
        outcome
    }

    /// The end in a word; of a failure its reason, without the help.
    fn word(end: &End) -> String {
        match end {
            End::BoundExceeded => "exceeded".into(),
            End::Interrupted { left } => format!("{left} left"),
            End::Failed(fault) => fault.to_string().lines().take(1).collect(),
            End::Done => "done".into(),
        }
    }

    #[test]
    fn what_is_worst_decides() {
        let ok = || outcome(Status::Ok, &[]);
        let of = |status| outcome(status, &[]);
        let broken = || outcome(Status::Ok, &[("violations", json!(1))]);
        let missed = || outcome(Status::Ok, &[("deadlines.misses", json!(2))]);
        let late = || outcome(Status::Ok, &[("request_deadline.late_share", json!(0.1))]);
        for (outcomes, expected) in [
            (vec![ok(), of(Status::Impossible)], "done"),
            (vec![of(Status::Unreadable), broken(), of(Status::NotRun)], "exceeded"),
            (vec![ok(), missed()], "exceeded"),
            (vec![ok(), late()], "done"),
            (vec![of(Status::Unreadable), of(Status::NotRun), ok()], "1 left"),
            (vec![of(Status::Failed), of(Status::Unreadable), ok()], "unreadable"),
            (vec![of(Status::Failed), of(Status::Impossible)], "a run failed: failed"),
            (vec![of(Status::Impossible), of(Status::Impossible)], "impossible"),
        ] {
            assert_eq!(word(&end(&outcomes, false)), expected, "{outcomes:?}");
        }
        assert_eq!(word(&end(&[ok(), late()], true)), "exceeded");
    }

    #[test]
    fn open_points_may_yet_be_measured() {
        let impossible = [outcome(Status::Impossible, &[])];
        assert_eq!(word(&foreseen(impossible.iter(), 1, false)), "done");
        let unread = [outcome(Status::Unreadable, &[])];
        assert_eq!(word(&foreseen(unread.iter(), 1, false)), "unreadable");
        let late = [outcome(Status::Ok, &[("request_deadline.late_share", json!(0.1))])];
        assert_eq!(word(&foreseen(late.iter(), 1, true)), "exceeded");
    }
}
