//! Write amplification of every placement on the captured traces.

use super::measure::{Device, FILL, OTHERS, VICTIMS, failures, measure_all, pairs, value};
use crate::chip::chip;
use crate::matrix::{Cell as Field, Matrix};
use crate::observer::ReproductionObserver;
use crate::reproduction::CurvesFile;
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use flash::{Cause, Lpn};
use ftl::{FtlError, Future, FutureNotes, PlacementKind, VictimKind};
use std::path::Path;
use std::sync::Arc;
use workload::{CAPTURED, Op, Request, Source, TraceOptions, WorkloadError};

/// Bytes of a page.
const PAGE: u64 = 4096;

/// Few, so that the small devices of these traces have hundreds of blocks, and open ones are a small part.
const PAGES_PER_BLOCK: u32 = 16;

/// Device writes of a run at least, by replays of the whole trace; the last fifth is measured, in whole replays.
const DEVICE_WRITES: u64 = 20;

/// A task of one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Write(u32),
    Trim(u32),
}

/// A trace on the pages that it writes, packed densely.
#[derive(Debug)]
struct Trace {
    name: &'static str,
    pages: u32,
    writes: u64,
    steps: Vec<Step>,
}

/// Pages that a request covers: all that it touches, and those that it covers as a whole.
fn covered(request: &Request) -> [std::ops::Range<u64>; 2] {
    let end = request.offset + request.length;
    let whole = request.offset.div_ceil(PAGE)..end / PAGE;
    let touched = request.offset / PAGE..end.div_ceil(PAGE);
    [touched, if whole.is_empty() { 0..0 } else { whole }]
}

impl Trace {
    fn new(name: &'static str, requests: &[Request]) -> Self {
        let mut written: Vec<u64> = Vec::new();
        for request in requests.iter().filter(|request| request.length > 0) {
            let [touched, whole] = covered(request);
            match request.op {
                Op::Write | Op::WriteZeroes => written.extend(touched),
                Op::DeallocateZeroes => {
                    written.extend(touched.filter(|page| !whole.contains(page)))
                }
                Op::Read | Op::Trim | Op::Flush => {}
                // The captured traces are of devices without zones.
                Op::Append | Op::Open | Op::Close | Op::Finish => {}
            }
        }
        written.sort_unstable();
        written.dedup();
        let packed = |page: u64| written.partition_point(|other| *other < page);
        let mut steps = Vec::new();
        for request in requests.iter().filter(|request| request.length > 0) {
            let [touched, whole] = covered(request);
            let trimmed = packed(whole.start)..packed(whole.end);
            let trims = || trimmed.clone().map(|page| Step::Trim(page as u32));
            match request.op {
                Op::Write | Op::WriteZeroes => {
                    steps.extend(touched.map(|page| Step::Write(packed(page) as u32)));
                }
                Op::Trim => steps.extend(trims()),
                Op::DeallocateZeroes => {
                    steps.extend(trims());
                    let rest = touched.filter(|page| !whole.contains(page));
                    steps.extend(rest.map(|page| Step::Write(packed(page) as u32)));
                }
                Op::Read | Op::Flush | Op::Append | Op::Open | Op::Close | Op::Finish => {}
            }
        }
        let writes = steps.iter().filter(|step| matches!(step, Step::Write(_))).count() as u64;
        Self { name, pages: written.len() as u32, writes, steps }
    }

    /// All captured traces, or the error of the first that cannot be read.
    fn captured() -> Result<Vec<Self>, WorkloadError> {
        let read = |name: &'static str| {
            let mut source = workload::open(Path::new(name), &TraceOptions::default())?;
            let mut requests = Vec::new();
            while source.fill(&mut requests, 1 << 16)? > 0 {}
            Ok(Self::new(name, &requests))
        };
        CAPTURED.iter().map(|trace| read(trace.name)).collect()
    }

    fn device(&self) -> Device {
        let pages = u64::from(self.pages) * 100 / u64::from(FILL);
        let blocks = (pages as u32).div_ceil(PAGES_PER_BLOCK);
        Device { blocks, pages_per_block: PAGES_PER_BLOCK, logical_pages: self.pages }
    }

    /// Replays, and those of them that are measured, at the end.
    fn replays(&self) -> [u64; 2] {
        let Device { blocks, pages_per_block, .. } = self.device();
        let pages = u64::from(blocks) * u64::from(pages_per_block);
        let replays = (DEVICE_WRITES * pages).div_ceil(self.writes.max(1)).max(3);
        [replays, replays.div_ceil(5)]
    }

    /// Pages that the host wrote and that collection copied, over the last replays.
    fn measure(&self, placement: PlacementKind, victim: VictimKind) -> Result<[u64; 2], FtlError> {
        let mut scheme = self.device().scheme(placement, victim, self.future(placement))?;
        for lpn in 0..self.pages {
            scheme.write(Lpn(lpn), None)?;
        }
        let [replays, measured] = self.replays();
        let mut start = *chip(scheme.flash()).counts();
        for replay in 0..replays {
            if replay + measured == replays {
                start = *chip(scheme.flash()).counts();
            }
            for step in &self.steps {
                match *step {
                    Step::Write(lpn) => scheme.write(Lpn(lpn), None)?,
                    Step::Trim(lpn) => scheme.trim(Lpn(lpn))?,
                }
            }
        }
        let done = chip(scheme.flash()).counts().since(&start);
        Ok([Cause::Host, Cause::Collection].map(|cause| done.pages_programmed(cause)))
    }

    /// The future of the run, for a placement that needs it.
    fn future(&self, placement: PlacementKind) -> Option<Arc<Future>> {
        if !placement.needs_future() {
            return None;
        }
        let mut notes = FutureNotes::new(self.pages);
        (0..self.pages).for_each(|lpn| notes.write(Lpn(lpn)));
        for _ in 0..self.replays()[0] {
            for step in &self.steps {
                match *step {
                    Step::Write(lpn) => notes.write(Lpn(lpn)),
                    Step::Trim(lpn) => notes.trim(Lpn(lpn)),
                }
            }
        }
        notes.finish().map(Arc::new)
    }
}

pub(super) fn traces(watch: &dyn ReproductionObserver, to: &mut Sheet) -> Outcome {
    match Trace::captured() {
        Ok(traces) => traces_on(&traces, watch, to),
        Err(why) => {
            to.notes.push(format!("captured traces: {why}"));
            Ok(())
        }
    }
}

fn traces_on(traces: &[Trace], watch: &dyn ReproductionObserver, to: &mut Sheet) -> Outcome {
    let pairs = pairs(&VICTIMS);
    let cells: Vec<(usize, PlacementKind, VictimKind)> = (0..traces.len())
        .flat_map(|trace| pairs.iter().map(move |(placement, victim)| (trace, *placement, *victim)))
        .collect();
    let measured = measure_all(&cells, watch, |(trace, placement, victim)| {
        traces[*trace].measure(*placement, *victim)
    });
    let waf = |[host, copies]: [u64; 2]| (host + copies) as f64 / host as f64;
    let of = |line: usize, trace: usize| value(&measured[trace * pairs.len() + line]).copied();
    // Of all traces together, each with as many writes as it has on its device.
    let of_all = |line: usize| {
        let each = (0..traces.len()).map(|trace| of(line, trace));
        let sum = each.reduce(|sum, of| sum.zip(of).map(|([a, b], [c, d])| [a + c, b + d]));
        sum.flatten().map(waf)
    };
    for victim in VICTIMS {
        let line = |name: &str| {
            pairs
                .iter()
                .position(|(placement, with)| (placement.policy().name, *with) == (name, victim))
        };
        let names = OTHERS.into_iter().chain(["oracle", "sepbit", "none"]);
        let known: Vec<(&str, Option<f64>)> =
            names.map(|name| (name, line(name).and_then(of_all))).collect();
        let order: [&[&str]; 4] = [&["oracle"], &["sepbit"], &OTHERS, &["none"]];
        let why = "FAST 2022 (Exp#1) has volumes of cloud block storage, written for weeks; these are minutes of one program each, \
                   replayed from their beginning again and again";
        to.rows.push(
            Row::order(
                &format!("all captured traces, {victim}: order of placements"),
                &order,
                &known,
            )
            .because(Reason::Open(why.into())),
        );
    }
    let lines: Vec<String> =
        pairs.iter().map(|(placement, victim)| format!("{placement}, {victim}")).collect();
    let columns: Vec<&str> = traces.iter().map(|trace| trace.name).chain(["all"]).collect();
    let field = |line: usize, column: usize| match column {
        all if all == traces.len() => of_all(line),
        trace => of(line, trace).map(waf),
    };
    to.matrices.push(Matrix::of(
        "pages programmed per host page",
        &lines,
        &columns,
        |line, column| Field::ours(field(line, column), 3),
    ));
    let least = |column: usize| {
        let oracle = (0..pairs.len()).filter(|line| pairs[*line].0.needs_future());
        oracle.filter_map(|line| field(line, column)).reduce(f64::min)
    };
    to.matrices.push(Matrix::of(
        "above the oracle with its better victim policy, %",
        &lines,
        &columns,
        |line, column| {
            let gap = field(line, column).zip(least(column));
            Field::ours(gap.map(|(waf, least)| (waf / least - 1.0) * 100.0), 1)
        },
    ));
    let mut csv =
        String::from("trace,placement,victim,blocks,pages_per_block,replays,measured,waf\n");
    for ((trace, placement, victim), measured) in cells.iter().zip(&measured) {
        let trace = &traces[*trace];
        let Device { blocks, pages_per_block, .. } = trace.device();
        let [replays, last] = trace.replays();
        let waf = value(measured).map_or_else(String::new, |of| waf(*of).to_string());
        let name = trace.name;
        csv.push_str(&format!(
            "{name},{placement},{victim},{blocks},{pages_per_block},{replays},{last},{waf}\n"
        ));
    }
    to.curves.push(CurvesFile { name: "placement-traces.csv".into(), csv });
    let devices = traces.iter().map(|trace| {
        let [replays, last] = trace.replays();
        format!("{} on {} blocks {replays} times ({last})", trace.name, trace.device().blocks)
    });
    to.notes.push(format!(
        "`page-level` on blocks of {PAGES_PER_BLOCK} pages of 4 KiB, of which a trace's written pages, packed densely, are {FILL} %; \
         filled, then the writes and trims of the trace over and over until they are {DEVICE_WRITES} device writes. In \
         parentheses the last replays, which are measured: {}",
        devices.collect::<Vec<_>>().join(", ")
    ));
    to.notes.extend(failures(&cells, &measured, |(trace, placement, victim)| {
        format!("{}, {placement}, {victim}", traces[*trace].name)
    }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::Unwatched;
    use crate::placement::DATA;
    use crate::testing::filled;

    fn request(op: Op, offset: u64, length: u64) -> Request {
        let (arrival_ns, device, fua, stream, response_ns) = (0, 0, false, 0, None);
        Request { arrival_ns, offset, length, device, op, fua, stream, response_ns }
    }

    #[test]
    fn pages_are_packed_and_whole_ones_trimmed() {
        use Step::{Trim, Write};
        let requests = [
            request(Op::Write, 40_960, 8192),
            request(Op::Flush, 0, 0),
            request(Op::Read, 0, 4096),
            // The end of page 12 and the beginning of page 13.
            request(Op::Write, 53_000, 512),
            // Page 20 is never written; of 10 and 12 a part, of 11 all.
            request(Op::Trim, 81_920, 4096),
            request(Op::Trim, 41_000, 4096 * 2),
            request(Op::DeallocateZeroes, 40_960, 4096 + 100),
            request(Op::WriteZeroes, 49_152, 100),
        ];
        let trace = Trace::new("test", &requests);
        // Pages 10 to 13 are 0 to 3.
        let expected =
            [Write(0), Write(1), Write(2), Write(3), Trim(1), Trim(0), Write(1), Write(2)];
        assert_eq!((trace.pages, trace.writes, &trace.steps[..]), (4, 6, &expected[..]));
    }

    /// All pages that a trace writes are there.
    #[test]
    fn captured_traces_are_read_as_a_whole() {
        let traces = Trace::captured().unwrap();
        assert_eq!(traces.len(), CAPTURED.len());
        // MiB of writes of `ftlkit trace info`, and 16.1 MiB of zeroed ranges.
        let written = [579, 450, 599, 1502, 531, 642, 1019, 880].map(|mib| mib + 16);
        for (trace, written) in traces.iter().zip(written) {
            let Trace { name, pages, writes, .. } = trace;
            let [replays, measured] = trace.replays();
            println!(
                "{name}: {pages} pages, {writes} writes, {replays} times, {measured} measured"
            );
            assert!((writes / 256).abs_diff(written) <= 1 + written / 100, "{name}: {writes}");
            assert!(*pages > 1000 && u64::from(*pages) < *writes, "{name}: {pages}");
            assert!(replays >= 3 && measured >= 1 && measured < replays, "{name}");
        }
    }

    /// On a short trace of a small device: every cell has a value, and the oracle is best.
    #[test]
    fn every_placement_runs_a_trace() {
        let mut requests = vec![request(Op::Write, 0, 4000 * PAGE)];
        for at in 0..12_000_u64 {
            let page = if at % 10 == 0 { at * 7919 % 4000 } else { at * 31 % 300 };
            requests.push(request(Op::Write, page * PAGE, PAGE));
            if at % 100 == 0 {
                requests.push(request(Op::Trim, page * PAGE, 4 * PAGE));
            }
        }
        let section = filled(&DATA, "traces", |to| {
            traces_on(&[Trace::new("test", &requests)], &Unwatched, to)
        });
        let wafs: Vec<(String, f64)> = section.matrices[0]
            .rows
            .iter()
            .map(|(name, cells)| (name.clone(), cells[0].text().parse().unwrap_or(f64::NAN)))
            .collect();
        assert_eq!(wafs.len(), pairs(&VICTIMS).len());
        assert!(wafs.iter().all(|(_, waf)| (1.0..10.0).contains(waf)), "{wafs:?}");
        let of = |line: &str| wafs.iter().find(|(name, _)| name == line).unwrap().1;
        let oracle = of("oracle, cost-benefit");
        let with = wafs.iter().filter(|(name, _)| name.ends_with(", cost-benefit"));
        assert!(with.clone().all(|(_, waf)| *waf >= oracle * 0.999), "{wafs:?}");
        assert!(of("none, greedy") > oracle * 1.05, "{wafs:?}");
        assert_eq!((section.rows.len(), section.notes.len()), (2, 1), "{:?}", section.notes);
    }
}
