//! What arrives in the runs of a search.

use super::deadlines::Deadlines;
use crate::arrivals::TaskArrivals;
use crate::curves::Curves;
use ::run::{Length, Limit, OfRequests};
use bounds::arrivals::ArrivalCurve;
use workload::{Op, Request, Source};

/// The requests of a workload as page tasks of one size.
#[derive(Clone, Debug)]
pub(super) struct Arriving {
    pub(super) page_bytes: u32,
    /// All of them.
    pub(super) tasks: TaskArrivals,
    /// Page writes of all requests that a deadline is about, for each of [`Deadlines::of_writes`].
    writes: Vec<(Limit, ArrivalCurve)>,
}

impl Arriving {
    /// Reads the requests, once more for each deadline that is about some of them. `None` without arrival times, and if it is
    /// stopped: a part of them proves nothing of all.
    pub(super) fn gather<S: Source>(
        open: impl Fn() -> Option<S>,
        page_bytes: u32,
        deadlines: &Deadlines,
        stop: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let some = |keep: &dyn Fn(&Request) -> bool| {
            let curves = Curves::gather_some(&mut open()?, page_bytes, keep, |_| !stop()).ok()?;
            (!stop()).then_some(curves)
        };
        let all = some(&|_| true)?;
        let of_limit = |limit: &Limit| {
            let Limit { of, length, .. } = *limit;
            let keep = |request: &Request| {
                let writes = matches!(request.op, Op::Write | Op::Append);
                (of != Some(OfRequests::Writes) || writes) && length.contains(request.length)
            };
            let [(_, writes), ..] = match (of, length) {
                (None, Length::ANY) => all.kinds.clone(),
                _ => some(&keep)?.kinds,
            };
            Some((*limit, writes))
        };
        let writes = deadlines.of_writes().into_iter().map(of_limit).collect::<Option<_>>()?;
        Some(Self { page_bytes, tasks: TaskArrivals::of_trace(&all), writes })
    }

    /// For each deadline of writes: so late at least one of its requests completes where each page write takes `program_ns` or
    /// more, and one is written at a time in any order. Other requests only make it later.
    pub(super) fn least_ns(&self, program_ns: u64) -> impl Iterator<Item = (&Limit, u64)> {
        self.writes.iter().map(move |(limit, curve)| (limit, curve.least_delay_ns(program_ns)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workload::{Space, WorkloadSpec};

    #[test]
    fn each_deadline_has_the_page_writes_of_its_requests() {
        let space = Space { bytes: 8 << 20, page_bytes: 2048, pages_per_block: 64 };
        // A burst of eight requests of 16 KiB.
        let workload = WorkloadSpec::named("write-bursts").unwrap().with("size", "16KiB");
        let workload = workload.with("burst", "128KiB").with("period", 1);
        let facts = workload.check(space).unwrap();
        let of = |deadlines: &str| {
            let open = || workload.open(space, 1, &facts).ok();
            let found =
                Arriving::gather(open, 2048, &deadlines.parse().unwrap(), &|| false).unwrap();
            found.least_ns(1000).map(|(limit, ns)| (limit.within_ns, ns)).collect::<Vec<_>>()
        };
        assert_eq!(
            of("9ms,writes:..8KiB:1ms,..16KiB:2ms,reads:3ms,p99=4ms,16385..:5ms"),
            [(1_000_000, 0), (2_000_000, 64_000), (9_000_000, 64_000), (5_000_000, 0)]
        );
        let open = || workload.open(space, 1, &facts).ok();
        assert!(Arriving::gather(open, 2048, &Deadlines::each(1), &|| true).is_none());
    }
}
