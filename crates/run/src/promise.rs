//! Check of a scheme's bounds, task by task.

use crate::report::Violation;
use ftl::{Guarantee, TaskKind};

/// Bounds of one scheme, and the violations found.
#[derive(Debug)]
pub(crate) struct Promise {
    service: [u64; TaskKind::ALL.len()],
    step: u64,
    response: u64,
    /// The longest response that was compared with its bound.
    pub(crate) longest: u64,
    /// Bound of a page task with the wait for the step before it: of an SSD, whose next task may come before that has ended.
    completion: u64,
    /// The longest time that was compared with it.
    pub(crate) longest_completion: u64,
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
        let response = bound(guarantee.response_ns);
        Self {
            longest: 0,
            completion: response.saturating_add(guarantee.step_ns.unwrap_or(response)),
            longest_completion: 0,
            service: [bound(guarantee.read_ns), bound(guarantee.write_ns), u64::MAX],
            step: bound(guarantee.step_ns),
            response,
            violations: 0,
            first: None,
        }
    }

    /// The bound of a page task with the wait for the step before it, ns, if there is one.
    pub(crate) fn completion_ns(&self) -> Option<u64> {
        (self.completion < u64::MAX).then_some(self.completion)
    }

    /// Notes the response of a task; true if it exceeds any bound.
    #[inline]
    pub(crate) fn compare(&mut self, kind: TaskKind, service_ns: u64, step_ns: u64) -> bool {
        self.longest = self.longest.max(service_ns + step_ns);
        self.is_broken(kind, service_ns, step_ns)
    }

    /// True if a task exceeds any bound.
    #[inline]
    pub(crate) fn is_broken(&self, kind: TaskKind, service_ns: u64, step_ns: u64) -> bool {
        (service_ns > self.service[kind as usize])
            | (step_ns > self.step)
            | (service_ns + step_ns > self.response)
    }

    /// Checks only the response, for tasks whose service and collection overlap in time; and the service with the wait for
    /// the step before it, if nothing else was before it. A task is counted once.
    pub(crate) fn check_response(
        &mut self,
        response_ns: u64,
        completion_ns: Option<u64>,
        place: Location,
    ) {
        let completion_ns = completion_ns.unwrap_or(0);
        self.longest = self.longest.max(response_ns);
        self.longest_completion = self.longest_completion.max(completion_ns);
        if response_ns > self.response {
            self.violations += 1;
            self.note("response", [self.response, response_ns], place);
        } else if completion_ns > self.completion {
            self.violations += 1;
            self.note("completion", [self.completion, completion_ns], place);
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
        let bounds = Guarantee { response_ns: Some(25), step_ns: Some(15), ..Guarantee::default() };
        let place = Location { task: 3, request: 2, lpn: 7 };
        let mut promise = Promise::new(&bounds);
        assert_eq!(promise.completion_ns(), Some(40), "the response and a step before it");
        promise.check_response(25, Some(40), place);
        promise.check_response(25, None, place);
        assert_eq!((promise.violations, promise.first.is_none()), (0, true));
        for (response, completion, told) in
            [(26, Some(41), ("response", 25, 26)), (25, Some(41), ("completion", 40, 41))]
        {
            let mut promise = Promise::new(&bounds);
            promise.check_response(response, completion, place);
            let first = promise.first.unwrap();
            assert_eq!((&*first.bound, first.promised, first.seen), told);
            assert_eq!((promise.violations, promise.longest), (1, response), "counted once");
            assert_eq!(promise.longest_completion, 41);
        }
        assert_eq!(Promise::new(&Guarantee::default()).completion_ns(), None);
    }
}
