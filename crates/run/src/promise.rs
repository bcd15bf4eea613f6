//! Check of a scheme's bounds, task by task.

use crate::report::Violation;
use ftl::{Guarantee, TaskKind};

/// Bounds of one scheme, and the violations found.
#[derive(Debug)]
pub(crate) struct Promise {
    service: [u64; TaskKind::ALL.len()],
    step: u64,
    response: u64,
    pub(crate) violations: u64,
    pub(crate) first: Option<Violation>,
}

/// Position of a task in the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Location {
    pub(crate) task: u64,
    pub(crate) request: u64,
    pub(crate) lpn: u32,
}

impl Promise {
    pub(crate) fn new(guarantee: &Guarantee) -> Self {
        let bound = |promised: Option<u64>| promised.unwrap_or(u64::MAX);
        Self {
            service: [bound(guarantee.read_ns), bound(guarantee.write_ns), u64::MAX],
            step: bound(guarantee.step_ns),
            response: bound(guarantee.response_ns),
            violations: 0,
            first: None,
        }
    }

    /// True if a task exceeds any bound.
    #[inline]
    pub(crate) fn is_broken(&self, kind: TaskKind, service_ns: u64, step_ns: u64) -> bool {
        (service_ns > self.service[kind as usize])
            | (step_ns > self.step)
            | (service_ns + step_ns > self.response)
    }

    /// Checks only the response, for tasks whose service and collection overlap in time.
    pub(crate) fn check_response(&mut self, response_ns: u64, place: Location) {
        if response_ns > self.response {
            self.violations += 1;
            self.note("response", [self.response, response_ns], place);
        }
    }

    /// Counts a task that exceeds a bound; once, even if it exceeds several.
    #[cold]
    pub(crate) fn broken(
        &mut self,
        kind: TaskKind,
        service_ns: u64,
        step_ns: u64,
        place: Location,
    ) {
        self.violations += 1;
        let name = match kind {
            TaskKind::Read => "read",
            TaskKind::Write => "write",
            TaskKind::Trim => "trim",
        };
        let service = self.service[kind as usize];
        let all = [
            (name, service, service_ns),
            ("step", self.step, step_ns),
            ("response", self.response, service_ns + step_ns),
        ];
        if let Some((bound, promised, seen)) =
            all.into_iter().find(|(_, promised, seen)| seen > promised)
        {
            self.note(bound, [promised, seen], place);
        }
    }

    fn note(&mut self, bound: &str, [promised, seen]: [u64; 2], place: Location) {
        self.first.get_or_insert_with(|| Violation {
            bound: bound.into(),
            promised,
            seen,
            task: place.task,
            request: place.request,
            lpn: place.lpn,
            replay: String::new(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_beyond_a_bound_is_counted_once_and_the_first_is_kept() {
        let mut promise = Promise::new(&Guarantee {
            write_ns: Some(10),
            step_ns: Some(20),
            response_ns: Some(25),
            ..Guarantee::default()
        });
        let mut check = |kind, service_ns, step_ns, task| {
            let place = Location { task, request: 0, lpn: 7 };
            if promise.is_broken(kind, service_ns, step_ns) {
                promise.broken(kind, service_ns, step_ns, place);
            }
            promise.violations
        };
        assert_eq!(check(TaskKind::Write, 10, 15, 0), 0);
        assert_eq!(check(TaskKind::Read, 25, 0, 1), 0);
        assert_eq!(check(TaskKind::Write, 10, 16, 2), 1);
        assert_eq!(check(TaskKind::Write, 11, 21, 3), 2);
        let first = promise.first.unwrap();
        assert_eq!((first.bound.as_str(), first.promised, first.seen), ("response", 25, 26));
        assert_eq!((first.task, first.lpn), (2, 7));
    }

    /// Whether a task is beyond a bound, and if so the bound that the report names: its name, its value and what was
    /// seen.
    fn verdict(kind: TaskKind, service_ns: u64, step_ns: u64) -> Option<(String, u64, u64)> {
        let mut promise = Promise::new(&Guarantee {
            read_ns: Some(5),
            write_ns: Some(10),
            step_ns: Some(20),
            response_ns: Some(25),
            ..Guarantee::default()
        });
        if !promise.is_broken(kind, service_ns, step_ns) {
            return None;
        }
        promise.broken(kind, service_ns, step_ns, Location { task: 0, request: 0, lpn: 0 });
        assert_eq!(promise.violations, 1);
        let first = promise.first.unwrap();
        Some((first.bound, first.promised, first.seen))
    }

    #[test]
    fn each_bound_alone_is_kept_to_the_nanosecond() {
        use TaskKind::{Read, Trim, Write};
        // (the bound, at it, 1 ns beyond it and within all others)
        let cases = [
            (("read", 5, 6), (Read, 5, 0), (Read, 6, 0)),
            (("write", 10, 11), (Write, 10, 0), (Write, 11, 0)),
            (("step", 20, 21), (Write, 4, 20), (Write, 4, 21)),
            (("response", 25, 26), (Write, 10, 15), (Write, 10, 16)),
        ];
        for ((name, promised, seen), (kind, service_ns, step_ns), beyond) in cases {
            assert_eq!(verdict(kind, service_ns, step_ns), None, "at the bound: {name}");
            let told = Some((name.into(), promised, seen));
            assert_eq!(verdict(beyond.0, beyond.1, beyond.2), told, "1 ns beyond: {name}");
        }
        assert_eq!(
            verdict(Write, 5, 20),
            None,
            "the service is at no bound; step and response are"
        );
        assert_eq!(verdict(Trim, 25, 0), None, "a trim has no bound of its service");
    }

    #[test]
    fn a_response_on_channels_is_compared_to_the_nanosecond() {
        let bounds = Guarantee { response_ns: Some(25), ..Guarantee::default() };
        let mut promise = Promise::new(&bounds);
        let place = Location { task: 3, request: 2, lpn: 7 };
        promise.check_response(25, place);
        assert_eq!((promise.violations, promise.first.is_none()), (0, true));
        promise.check_response(26, place);
        let first = promise.first.unwrap();
        assert_eq!(
            (promise.violations, &*first.bound, first.promised, first.seen),
            (1, "response", 25, 26)
        );
    }
}
