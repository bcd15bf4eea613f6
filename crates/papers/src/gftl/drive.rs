//! Runs a scheme with single-page requests at intervals of L(p), and measures each request and the step after it.
//!
//! Neither depends on the arrival time, so there is no clock. The remainder of the period is idle time. A request
//! that takes longer than the period counts as late.

use super::spread::Spread;
use crate::chip::chip;
use crate::observer::ReproductionObserver;
use flash::{AnyArray, BlockId, Flash, Geometry, GeometryError, Lpn, Part, SerialArray};
use ftl::{
    AnyScheme, BlockUse, Done, FtlError, HostClock, PageTask, Place, Preset, SchemeConfig,
    TaskKind, registry,
};
use lab::measures::{Wear, wear};
use lab::run::{RunError, array_without_errors};
use workload::{Op, Source, Space, WorkloadSpec};

/// Number of samples in a time series.
pub(super) const BINS: u64 = 240;

/// Samples between two counts of the live pages.
const SAMPLES_A_COUNT: u64 = 8;

/// Page requests of T1 = (3, 20) and T2 = (5, 20) in one of their periods, if 3 and 5 are page requests (§VIII).
pub(super) const TOGETHER: usize = 3 + 5;

/// Requests read from a workload at a time.
const BATCH: usize = 1024;

/// An array and the size of its logical space.
#[derive(Clone, Debug)]
pub(super) struct Device {
    pub(super) part: Part,
    pub(super) geometry: Geometry,
    /// N: blocks of the logical space.
    pub(super) logical_blocks: u32,
}

impl Device {
    /// The smallest array on which the scheme exports `logical_blocks` blocks.
    ///
    /// # Errors
    /// The scheme's error, if even an array of three times that many blocks plus 64 is too small.
    pub(super) fn smallest(
        scheme: &SchemeConfig,
        part: &Part,
        logical_blocks: u32,
    ) -> Result<Self, RunError> {
        let plan = |blocks: u32| -> Result<Self, FtlError> {
            let geometry = Geometry::new(blocks, part.pages_per_block, part.page_bytes)
                .map_err(|error| too_large(scheme.preset, &error))?;
            let device = Self { part: part.clone(), geometry, logical_blocks };
            registry::plan(&device.config(scheme), part, &geometry, blocks)?;
            Ok(device)
        };
        let (mut too_few, mut enough) = (logical_blocks, 3 * logical_blocks + 64);
        let mut found = plan(enough)?;
        while enough - too_few > 1 {
            let middle = too_few + (enough - too_few) / 2;
            match plan(middle) {
                Ok(device) => (found, enough) = (device, middle),
                Err(_) => too_few = middle,
            }
        }
        Ok(found)
    }

    /// Configuration of a scheme on this device.
    pub(super) fn config(&self, scheme: &SchemeConfig) -> SchemeConfig {
        let logical_pages = Some(self.logical_blocks * self.part.pages_per_block);
        SchemeConfig { logical_pages, ..scheme.clone() }
    }

    /// Logical space as seen by workloads.
    pub(super) fn space(&self) -> Space {
        let (page_bytes, pages_per_block) = (self.part.page_bytes, self.part.pages_per_block);
        let pages = u64::from(self.logical_blocks) * u64::from(pages_per_block);
        Space { bytes: pages * u64::from(page_bytes), page_bytes, pages_per_block }
    }

    /// Blocks in excess of the logical space, in percent of the logical blocks.
    pub(super) fn overhead_percent(&self) -> f64 {
        let logical = f64::from(self.logical_blocks);
        (f64::from(self.geometry.blocks()) - logical) / logical * 100.0
    }

    /// Runs a workload from its start on an empty array.
    ///
    /// # Errors
    /// Errors of the scheme or the workload; [`RunError::Stopped`] if the run was stopped.
    pub(super) fn run(
        &self,
        config: &SchemeConfig,
        asked: &RunSpec,
        watch: &dyn ReproductionObserver,
    ) -> Result<Measured, RunError> {
        let space = self.space();
        let facts = asked.workload.check(space)?;
        let source = asked.workload.open(space, asked.seed, &facts)?;
        let (label, asked) = (config.preset.name, asked.clone());
        let drive = Drive { source, requests: facts.requests, asked, label, watch };
        drive.run(registry::format(config, self.array())?)
    }

    /// An erased array.
    pub(super) fn array(&self) -> SerialArray {
        array_without_errors(self.geometry, self.part.clone())
    }
}

fn too_large(preset: &Preset, error: &GeometryError) -> FtlError {
    FtlError::Config { scheme: preset.name, setting: "capacity", reason: error.to_string() }
}

/// Parameters of a run.
#[derive(Clone, Debug)]
pub(super) struct RunSpec {
    pub(super) workload: WorkloadSpec,
    pub(super) seed: u64,
    /// Record the length of the write queue after each request.
    pub(super) keep_queue: bool,
    /// Count the live pages of the write queue from time to time.
    pub(super) counts_live: bool,
}

/// Times of one kind of request.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kind {
    /// Service times without the step; excludes reads of pages never written.
    pub(super) service: Spread,
    /// Maximum service time, ns; includes reads of pages never written.
    pub(super) longest_ns: u64,
    /// Service time plus step.
    pub(super) response: Spread,
    /// The same of requests that RAM did not serve.
    pub(super) of_flash: Spread,
    /// Durations of the steps after requests of this kind; 0 if there was none.
    pub(super) step: Spread,
    /// Reads of pages never written.
    pub(super) unmapped: u64,
}

/// Sample of the time series.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    /// Requests completed so far.
    pub(super) requests: u64,
    /// Pages in the write queue.
    pub(super) queue_pages: u64,
    /// Minimum and maximum service times of reads and writes since the previous sample, ns; `None` without requests.
    pub(super) read_ns: Option<(u64, u64)>,
    pub(super) write_ns: Option<(u64, u64)>,
    /// The same for service time plus step.
    pub(super) read_response_ns: Option<(u64, u64)>,
    pub(super) write_response_ns: Option<(u64, u64)>,
}

/// Measurements of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) read: Kind,
    pub(super) write: Kind,
    /// Requests whose service time plus step exceeded the period.
    pub(super) late: u64,
    /// Requests behind or before which no step or fold ran, one, and several.
    pub(super) by_steps: [u64; 3],
    /// Longest service times plus steps of [`TOGETHER`] requests in a row, ns.
    pub(super) longest_together_ns: u64,
    /// Maximum length of the write queue, pages.
    pub(super) queue_pages_most: u64,
    /// Length of the write queue after each request in pages, if recorded.
    pub(super) queue_pages: Vec<u64>,
    pub(super) samples: Vec<Sample>,
    /// Live pages of the write queue from time to time, if counted.
    pub(super) live_pages: Vec<u64>,
    pub(super) wear: Wear,
    /// Energy of all operations, pJ.
    pub(super) energy_pj: u128,
    /// Victims selected for collection.
    pub(super) victims: u64,
    /// Mean number of valid pages in a victim that had pages outside the queue to move.
    pub(super) victim_valid_mean: f64,
}

impl Measured {
    pub(super) fn requests(&self) -> u64 {
        self.read.response.count + self.write.response.count
    }
}

struct Drive<'a> {
    source: Box<dyn Source>,
    requests: u64,
    asked: RunSpec,
    label: &'static str,
    watch: &'a dyn ReproductionObserver,
}

impl Drive<'_> {
    fn run(mut self, scheme: Box<AnyScheme>) -> Result<Measured, RunError> {
        let mut loop_ = Loop::new(scheme, self.requests.div_ceil(BINS), &self.asked);
        let mut requests = Vec::with_capacity(BATCH);
        loop {
            self.watch.done(requests.len() as u64);
            if self.watch.stop() {
                return Err(RunError::Stopped);
            }
            requests.clear();
            if self.source.fill(&mut requests, BATCH)? == 0 {
                return Ok(loop_.finish());
            }
            for request in &requests {
                let page = request.offset / u64::from(loop_.page_bytes);
                loop_.request(request.op, Lpn(page as u32)).map_err(|source| RunError::Scheme {
                    scheme: self.label.into(),
                    source,
                    task: loop_.done,
                    phase: "workload",
                    requests: None,
                })?;
            }
        }
    }
}

struct Loop {
    scheme: Box<AnyScheme>,
    clock: HostClock,
    page_bytes: u32,
    period_ns: u64,
    /// Requests per sample.
    every: u64,
    keep_queue: bool,
    counts_live: bool,
    done: u64,
    erases_before: Vec<u32>,
    energy_before_pj: u128,
    sample: Sample,
    seen: Measured,
    /// Steps and folds so far.
    steps: u64,
    /// Service times plus steps of the last requests, and their sum, ns.
    last: [u64; TOGETHER],
    together_ns: u64,
}

impl Loop {
    fn new(mut scheme: Box<AnyScheme>, every: u64, asked: &RunSpec) -> Self {
        scheme.restart_telemetry();
        let part = scheme.flash().part();
        Self {
            page_bytes: part.page_bytes,
            period_ns: bounds::gftl::period_ns(part),
            every: every.max(1),
            keep_queue: asked.keep_queue,
            counts_live: asked.counts_live,
            done: 0,
            erases_before: erases(scheme.flash()),
            clock: HostClock::default(),
            energy_before_pj: chip(scheme.flash()).energy_pj(),
            sample: Sample::default(),
            seen: Measured::default(),
            steps: 0,
            last: [0; TOGETHER],
            together_ns: 0,
            scheme,
        }
    }

    fn request(&mut self, op: Op, lpn: Lpn) -> Result<(), FtlError> {
        let kind = if op == Op::Read { TaskKind::Read } else { TaskKind::Write };
        let (work, mut done) = ([PageTask::page(kind, lpn.0)], [Done::default()]);
        let ran = self.scheme.run(&work, 0..1, &mut self.clock, &mut done);
        ran.map_err(|(_, error)| error)?;
        let [Done { service_ns: service, step_ns: step, notes, .. }] = done;
        let mapped = !notes.unmapped;
        let response = service + step;
        let (seen, sample) = (&mut self.seen, &mut self.sample);
        let (kind, service_range, response_range) = match op {
            Op::Read => (&mut seen.read, &mut sample.read_ns, &mut sample.read_response_ns),
            _ => (&mut seen.write, &mut sample.write_ns, &mut sample.write_response_ns),
        };
        if mapped {
            kind.service.add(service);
        }
        kind.unmapped += u64::from(!mapped);
        kind.longest_ns = kind.longest_ns.max(service);
        kind.response.add(response);
        if service > 0 {
            kind.of_flash.add(response);
        }
        kind.step.add(step);
        widen(service_range, service);
        widen(response_range, response);
        self.seen.late += u64::from(response > self.period_ns);
        let oldest = std::mem::replace(&mut self.last[self.done as usize % TOGETHER], response);
        self.together_ns = self.together_ns + response - oldest;
        self.seen.longest_together_ns = self.seen.longest_together_ns.max(self.together_ns);
        self.done += 1;
        self.tick();
        Ok(())
    }

    fn tick(&mut self) {
        let telemetry = self.scheme.telemetry();
        let pages = telemetry.write_queue_pages.unwrap_or(0);
        let steps = telemetry.collections.steps;
        self.seen.by_steps[(steps - self.steps).min(2) as usize] += 1;
        self.steps = steps;
        self.seen.queue_pages_most = self.seen.queue_pages_most.max(pages);
        if self.keep_queue {
            self.seen.queue_pages.push(pages);
        }
        if self.done.is_multiple_of(self.every) {
            self.sample.requests = self.done;
            self.sample.queue_pages = pages;
            self.seen.samples.push(std::mem::take(&mut self.sample));
        }
        if self.counts_live && self.done.is_multiple_of(self.every * SAMPLES_A_COUNT) {
            self.seen.live_pages.push(self.live_pages());
        }
    }

    /// Logical pages whose newest version is in the write queue.
    fn live_pages(&self) -> u64 {
        let (told, geometry) = (self.scheme.inspect(), self.scheme.flash().geometry());
        let in_queue = |place: &&Place| match place {
            Place::Flash(ppn) => {
                told.blocks[geometry.block_of(*ppn).0 as usize].role == BlockUse::WRITE_QUEUE
            }
            _ => false,
        };
        told.map.iter().filter(in_queue).count() as u64
    }

    fn finish(mut self) -> Measured {
        let now = erases(self.scheme.flash());
        let erased: Vec<u32> = now.iter().zip(&self.erases_before).map(|(a, b)| a - b).collect();
        self.seen.wear = wear(&erased);
        self.seen.energy_pj = chip(self.scheme.flash()).energy_pj() - self.energy_before_pj;
        let telemetry = self.scheme.telemetry();
        let valid = &telemetry.collections.victim_valid;
        self.seen.victims = telemetry.collections.started;
        // Index 0 counts the queue's own blocks too, which have nothing to move.
        let (pages, victims) =
            (1..).zip(valid.iter().skip(1)).fold((0u64, 0), |(pages, all), (valid, victims)| {
                (pages + valid * victims, all + victims)
            });
        self.seen.victim_valid_mean = pages as f64 / victims.max(1) as f64;
        self.seen
    }
}

fn widen(range: &mut Option<(u64, u64)>, ns: u64) {
    let (least, most) = range.unwrap_or((ns, ns));
    *range = Some((least.min(ns), most.max(ns)));
}

fn erases(flash: &AnyArray) -> Vec<u32> {
    (0..flash.geometry().blocks()).map(|block| flash.erase_count(BlockId(block))).collect()
}
