//! A scheme under requests of one page that come every L(p): what each of them took, and the step behind it.
//!
//! Neither a request nor the step behind it depends on when the request comes, so no clock is run: what is
//! left of the period is idle time, and a request that takes longer than the period is counted as late.

use super::spread::Spread;
use crate::observer::ReproductionObserver;
use flash::{BlockId, Flash, Geometry, GeometryError, Lpn, Part, SerialArray};
use ftl::{Done, FtlError, HostClock, PageTask, Preset, Scheme, SchemeConfig, TaskKind, registry};
use sim::measures::{Wear, wear};
use sim::run::{RunError, array_without_errors};
use workload::{Op, Source, Space, WorkloadSpec};

/// Places of a time series at which something is kept.
pub(super) const BINS: u64 = 240;

/// Requests taken from a workload at once.
const BATCH: usize = 1024;

/// An array, and how much of it is exported.
#[derive(Clone, Debug)]
pub(super) struct Device {
    pub(super) part: Part,
    pub(super) geometry: Geometry,
    /// N: blocks of the logical space.
    pub(super) logical_blocks: u32,
}

impl Device {
    /// The smallest array on which `preset` exports `logical_blocks` blocks.
    ///
    /// # Errors
    /// What the scheme says of an array of thrice that many blocks and 64 more, where that is not enough.
    pub(super) fn smallest(
        preset: &'static Preset,
        part: &Part,
        logical_blocks: u32,
    ) -> Result<Self, RunError> {
        let plan = |blocks: u32| -> Result<Self, FtlError> {
            let geometry = Geometry::new(blocks, part.pages_per_block, part.page_bytes)
                .map_err(|error| too_large(preset, &error))?;
            let device = Self { part: part.clone(), geometry, logical_blocks };
            registry::plan(&device.config(preset), part, &geometry, blocks)?;
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

    /// A preset on this device.
    pub(super) fn config(&self, preset: &'static Preset) -> SchemeConfig {
        let logical_pages = Some(self.logical_blocks * self.part.pages_per_block);
        SchemeConfig { logical_pages, ..SchemeConfig::preset(preset) }
    }

    /// The logical space, as workloads see it.
    pub(super) fn space(&self) -> Space {
        let (page_bytes, pages_per_block) = (self.part.page_bytes, self.part.pages_per_block);
        let pages = u64::from(self.logical_blocks) * u64::from(pages_per_block);
        Space { bytes: pages * u64::from(page_bytes), page_bytes, pages_per_block }
    }

    /// Blocks besides those of the logical space, in percent of these.
    pub(super) fn overhead_percent(&self) -> f64 {
        let logical = f64::from(self.logical_blocks);
        (f64::from(self.geometry.blocks()) - logical) / logical * 100.0
    }

    /// Runs a workload from its start on an empty array.
    ///
    /// # Errors
    /// What the scheme or the workload says, or that the run was stopped.
    pub(super) fn run(
        &self,
        config: &SchemeConfig,
        asked: &RunSpec,
        watch: &dyn ReproductionObserver,
    ) -> Result<Measured, RunError> {
        let space = self.space();
        let facts = asked.workload.check(space)?;
        let source = asked.workload.open(space, asked.seed, &facts)?;
        let (label, keep_queue) = (config.preset.name, asked.keep_queue);
        let drive = Drive { source, requests: facts.requests, keep_queue, label, watch };
        drive.run(registry::format(config, self.array())?)
    }

    /// The array, erased.
    pub(super) fn array(&self) -> SerialArray {
        array_without_errors(self.geometry, self.part.clone())
    }
}

fn too_large(preset: &Preset, error: &GeometryError) -> FtlError {
    FtlError::Config { scheme: preset.name, setting: "capacity", reason: error.to_string() }
}

/// What is run.
#[derive(Clone, Debug)]
pub(super) struct RunSpec {
    pub(super) workload: WorkloadSpec,
    pub(super) seed: u64,
    /// Keep the length of the write queue after each request.
    pub(super) keep_queue: bool,
}

/// What one kind of request took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kind {
    /// Service, without the step behind it; reads of pages never written are not among it.
    pub(super) service: Spread,
    /// The longest service of all, reads of pages never written among them, ns.
    pub(super) longest_ns: u64,
    /// Service and step.
    pub(super) response: Spread,
    /// Steps behind requests of this kind; 0 where there was none.
    pub(super) step: Spread,
    /// Reads of pages that were never written.
    pub(super) unmapped: u64,
}

/// One place of the series.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample {
    /// Requests done by then.
    pub(super) requests: u64,
    /// Pages of the write queue.
    pub(super) queue_pages: u64,
    /// Least and longest service of the reads and writes since the place before, ns, if there were any.
    pub(super) read_ns: Option<(u64, u64)>,
    pub(super) write_ns: Option<(u64, u64)>,
    /// The same of service and step together.
    pub(super) read_response_ns: Option<(u64, u64)>,
    pub(super) write_response_ns: Option<(u64, u64)>,
}

/// What was seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured {
    pub(super) read: Kind,
    pub(super) write: Kind,
    /// Requests whose service and step took longer than the period.
    pub(super) late: u64,
    /// Most pages that the write queue ever held.
    pub(super) queue_pages_most: u64,
    /// Pages of the write queue after each request, where that was asked for.
    pub(super) queue_pages: Vec<u64>,
    pub(super) samples: Vec<Sample>,
    pub(super) wear: Wear,
    /// Picojoules of all operations.
    pub(super) energy_pj: u128,
    /// Blocks taken for collection.
    pub(super) victims: u64,
}

impl Measured {
    pub(super) fn requests(&self) -> u64 {
        self.read.response.count + self.write.response.count
    }
}

struct Drive<'a> {
    source: Box<dyn Source>,
    requests: u64,
    keep_queue: bool,
    label: &'static str,
    watch: &'a dyn ReproductionObserver,
}

impl Drive<'_> {
    fn run(mut self, scheme: Box<dyn Scheme<Flash = SerialArray>>) -> Result<Measured, RunError> {
        let mut loop_ = Loop::new(scheme, self.requests.div_ceil(BINS), self.keep_queue);
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
    scheme: Box<dyn Scheme<Flash = SerialArray>>,
    clock: HostClock,
    page_bytes: u32,
    period_ns: u64,
    /// Requests from one sample to the next.
    every: u64,
    keep_queue: bool,
    done: u64,
    erases_before: Vec<u32>,
    energy_before_pj: u128,
    sample: Sample,
    seen: Measured,
}

impl Loop {
    fn new(mut scheme: Box<dyn Scheme<Flash = SerialArray>>, every: u64, keep_queue: bool) -> Self {
        scheme.restart_telemetry();
        let part = scheme.flash().part();
        Self {
            page_bytes: part.page_bytes,
            period_ns: bounds::gftl::period_ns(part),
            every: every.max(1),
            keep_queue,
            done: 0,
            erases_before: erases(scheme.flash()),
            clock: HostClock::default(),
            energy_before_pj: scheme.flash().energy_pj(),
            sample: Sample::default(),
            seen: Measured::default(),
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
        kind.step.add(step);
        widen(service_range, service);
        widen(response_range, response);
        self.seen.late += u64::from(response > self.period_ns);
        self.done += 1;
        self.tick();
        Ok(())
    }

    fn tick(&mut self) {
        let pages = self.scheme.telemetry().write_queue_pages.unwrap_or(0);
        self.seen.queue_pages_most = self.seen.queue_pages_most.max(pages);
        if self.keep_queue {
            self.seen.queue_pages.push(pages);
        }
        if self.done.is_multiple_of(self.every) {
            self.sample.requests = self.done;
            self.sample.queue_pages = pages;
            self.seen.samples.push(std::mem::take(&mut self.sample));
        }
    }

    fn finish(mut self) -> Measured {
        let now = erases(self.scheme.flash());
        let erased: Vec<u32> = now.iter().zip(&self.erases_before).map(|(a, b)| a - b).collect();
        self.seen.wear = wear(&erased);
        self.seen.energy_pj = self.scheme.flash().energy_pj() - self.energy_before_pj;
        self.seen.victims = self.scheme.telemetry().collections.started;
        self.seen
    }
}

fn widen(range: &mut Option<(u64, u64)>, ns: u64) {
    let (least, most) = range.unwrap_or((ns, ns));
    *range = Some((least.min(ns), most.max(ns)));
}

fn erases(flash: &SerialArray) -> Vec<u32> {
    (0..flash.geometry().blocks()).map(|block| flash.erase_count(BlockId(block))).collect()
}
