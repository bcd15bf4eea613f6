//! The recording of a run.

#[cfg(test)]
mod tests;

use crate::captions::Captions;
use crate::channel_log::ChannelLog;
use crate::error::ExplainError;
use crate::on_channels::{Ended, Measured, OnChannels};
use crate::pages::{PageState, Pages};
use crate::recorder::{Medium, Recorder, Seen, SeenOperation, Tape, page_of};
use crate::recording::{
    Bound, Changes, Frame, Header, Put, Recording, Shown, Ssd, Thing, What, Where,
};
use crate::scene::{Scene, Settings, beside, op_name};
use crate::units::time;
use flash::faults::PowerCut;
use flash::{
    AnyArray, Array, BlockId, Flash, FlashError, Item, Lpn, Ns, Operation, Probe, Serial, Store,
};
use ftl::{
    AgeClock, AnyScheme, Asks, BlockUse, Done, FtlError, HostClock, Inspection, Layout,
    LogBlockLayout, PageTask, TaskKind, registry,
};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Most frames of a recording.
pub const MOST_FRAMES: usize = 20_000;

/// Version of the format of JSON lines.
const FORMAT: u32 = 1;

/// Runs a scheme on a small array, and records all that it does.
///
/// # Errors
/// A setting that cannot work; an error of the scheme; [`ExplainError::Disagreement`] if what is shown would not be what
/// the scheme tells.
pub fn record(settings: Settings) -> Result<Recording, ExplainError> {
    record_scene(&settings.resolve()?)
}

/// Runs two schemes on arrays of one size, with the same page tasks and the same fill: those of the one that exports less.
///
/// # Errors
/// As [`record`].
pub fn record_beside(settings: [Settings; 2]) -> Result<[Recording; 2], ExplainError> {
    let [left, right] = beside(settings)?;
    Ok([record_scene(&left)?, record_scene(&right)?])
}

fn record_scene(scene: &Scene) -> Result<Recording, ExplainError> {
    let mut stage = Stage::new(scene)?;
    stage.format_done()?;
    scene.fill.iter().try_for_each(|task| stage.fill(task))?;
    stage.begin_measured(scene);
    for task in &scene.tasks {
        stage.measured(task)?;
    }
    if let Some(ssd) = stage.ssd.take() {
        stage.end_of_channels(ssd)?;
    }
    if let Some(cut) = stage.cuts.front().copied() {
        return Err(ExplainError::setting(
            "power_cut",
            format!(
                "{cut} never comes: the run has {} programs and erases, numbered from 0",
                stage.changes()
            ),
        ));
    }
    let first = stage.first;
    let tells_map = !stage.told.map.is_empty();
    let handles =
        stage.scheme().telemetry().streams.map(|log| (log.handles_per_group(), log.groups));
    let frames = stage.frames;
    let header = Header { handles, ..header(scene, first, tells_map, &frames) };
    Ok(Recording { header, frames })
}

fn header(scene: &Scene, first: usize, tells_map: bool, frames: &[Frame]) -> Header {
    let (scheme, geometry) = (scene.scheme(), &scene.resolved.geometry);
    let guarantee = scene.guarantee();
    let occurs = |role: &str| {
        frames.iter().flat_map(|frame| &frame.changes.blocks).any(|(_, named, _)| *named == role)
    };
    Header {
        format: FORMAT,
        scheme: scheme.label.clone(),
        summary: scheme.config.preset.summary.into(),
        source: scheme.config.preset.source.into(),
        part: scheme.part.name.to_string(),
        blocks: geometry.blocks(),
        pages_per_block: geometry.pages_per_block(),
        page_bytes: geometry.page_bytes(),
        logical_pages: scheme.plan.logical_pages,
        by_blocks: by_blocks(&scheme.plan.layout),
        logical_blocks: if has_superblocks(&scheme.plan.layout) { "superblock" } else { "LBN" },
        read_ns: scheme.part.t_r_ns,
        program_ns: scheme.part.t_prog_ns,
        erase_ns: scheme.part.t_bers_ns,
        bound: Bound {
            read_ns: guarantee.read_ns,
            write_ns: guarantee.write_ns,
            step_ns: guarantee.step_ns,
            response_ns: guarantee.response_ns,
            victim_valid: guarantee.victim_valid,
            real_time: guarantee.real_time,
        },
        workload: scene.workload.clone(),
        seed: scene.resolved.experiment.seed,
        notes: scene.notes.clone(),
        first,
        states: PageState::ALL.to_vec(),
        roles: BlockUse::ROLES.iter().copied().filter(|(role, _)| occurs(role)).collect(),
        tells_map,
        handles: None,
        ssd: scene.resolved.ssd.as_ref().map(|ssd| Ssd {
            channels: ssd.topology.channels.into(),
            dies_per_channel: ssd.topology.dies_per_channel() as u32,
            queue_depth: ssd.queue_depth,
        }),
    }
}

/// True for a family that maps logical blocks to physical ones.
fn by_blocks(layout: &Layout) -> bool {
    !matches!(layout, Layout::PageMapped(_) | Layout::OnDemand(_) | Layout::Own)
        && !has_superblocks(layout)
}

fn has_superblocks(layout: &Layout) -> bool {
    matches!(layout, Layout::LogBlock(LogBlockLayout::Superblock { .. }))
}

/// A scheme at work, and what has been recorded of it.
struct Stage<'a> {
    scene: &'a Scene,
    tape: Rc<RefCell<Tape>>,
    /// None only while the power is off.
    scheme: Option<Box<AnyScheme>>,
    pages: Pages,
    captions: Captions,
    told: Inspection,
    lists: Vec<Shown>,
    free_pages: u64,
    frames: Vec<Frame>,
    group: u32,
    /// What the present group is, for errors.
    doing: String,
    number: u32,
    version: u64,
    clock: HostClock,
    /// First frame of the measured part.
    first: usize,
    cuts: VecDeque<u64>,
    cuts_done: u64,
    /// Changing operations of the array before the measured part.
    changes_before: u64,
    guarantee: ftl::Guarantee,
    /// The measured part on an SSD.
    ssd: Option<Measured>,
}

impl<'a> Stage<'a> {
    fn new(scene: &'a Scene) -> Result<Self, ExplainError> {
        let (scheme, geometry) = (scene.scheme(), scene.resolved.geometry);
        let array = Array::new(geometry, scheme.part.clone(), Store::All);
        let medium: Medium = PowerCut::new(Serial::new(array));
        let tape = Rc::new(RefCell::new(Tape::default()));
        let recorder = Recorder::new(medium, &tape);
        let array = match &scene.resolved.ssd {
            None => AnyArray::new(recorder),
            Some(ssd) => AnyArray::new(OnChannels::new(recorder, ssd, &tape)?),
        };
        let made = registry::format(&scheme.config, array).map_err(ExplainError::Scheme)?;
        tape.borrow_mut().seen.clear();
        let clock = HostClock { still: true, ..HostClock::default() };
        Ok(Self {
            scene,
            tape,
            guarantee: scene.guarantee(),
            ssd: None,
            scheme: Some(made),
            pages: Pages::new(&geometry),
            captions: Captions::new(&geometry, &scheme.part, by_blocks(&scheme.plan.layout)),
            told: Inspection::default(),
            lists: Vec::new(),
            free_pages: 0,
            frames: Vec::new(),
            group: 0,
            doing: "the format".into(),
            number: 0,
            version: 0,
            clock,
            first: 0,
            cuts: VecDeque::new(),
            cuts_done: 0,
            changes_before: 0,
        })
    }

    fn scheme(&mut self) -> &mut AnyScheme {
        &mut **self.scheme.as_mut().expect("the power is on")
    }

    fn medium(&mut self) -> &mut Medium {
        if self.scene.resolved.ssd.is_some() {
            return OnChannels::of(self.scheme()).recorder_mut().medium_mut();
        }
        let recorder = self.scheme().flash_mut().downcast_mut::<Recorder>();
        recorder.expect("the array is the recorder").medium_mut()
    }

    /// Changing operations of the measured part so far. One that was cut has a number, too.
    fn changes(&mut self) -> u64 {
        let before = self.changes_before;
        self.medium().changes() - before + self.cuts_done
    }

    fn format_done(&mut self) -> Result<(), ExplainError> {
        self.end(What::Format, "the array is formatted: every block is erased".into(), 0)
    }

    fn fill(&mut self, task: &PageTask) -> Result<(), ExplainError> {
        self.task(task, true)
    }

    /// Ends the fill: numbers, clock and power cuts count from here.
    fn begin_measured(&mut self, scene: &Scene) {
        self.first = self.frames.len().saturating_sub(1);
        self.number = 0;
        let buffer_clock = self.scheme().telemetry().buffer.map(|(plan, _)| plan.clock);
        let ages_by = buffer_clock.unwrap_or(AgeClock::Device);
        self.clock = HostClock { timed: scene.timed, ages_by, ..HostClock::default() };
        self.scheme().restart_telemetry();
        self.changes_before = self.medium().changes();
        self.cuts = scene.power_cuts.iter().copied().collect();
        self.plan_cut();
        if let Some(ssd) = &scene.resolved.ssd {
            self.ssd = Some(Measured::begin(self.scheme(), ssd));
            self.tape.borrow_mut().channels = Some(ChannelLog::default());
        }
    }

    /// Plans the next power cut.
    fn plan_cut(&mut self) {
        if let Some(at) = self.cuts.front().copied() {
            let changes = self.changes();
            self.medium().cut_after(at.saturating_sub(changes), true);
        }
    }

    fn measured(&mut self, task: &PageTask) -> Result<(), ExplainError> {
        let Some(mut ssd) = self.ssd.take() else {
            self.background(task.arrival_ns)?;
            return self.task(task, false);
        };
        let number = self.number + 1;
        let begun = ssd.begin_task(OnChannels::of(self.scheme()), number);
        self.clock.now_ns = begun.map_err(|what| self.at_odds(what))?;
        ssd.take_ended().into_iter().for_each(|ended| self.ended(&ended));
        self.ssd = Some(ssd);
        self.task(task, false)
    }

    /// Idle time before a request, and work that is due by then.
    fn background(&mut self, arrival_ns: Ns) -> Result<(), ExplainError> {
        self.doing = format!("background work before page task {}", self.number + 1);
        let nothing =
            PageTask { asks: Asks::Nothing, arrival_ns, ..PageTask::page(TaskKind::Read, 0) };
        let (mut clock, before_ns) = (self.clock, self.clock.now_ns);
        let busy_ns = self.busy_ns();
        let ran = self.scheme().run(&[nothing], 0..1, &mut clock, &mut [Done::default()]);
        self.clock = clock;
        let worked_ns = self.busy_ns() - busy_ns;
        if self.tape.borrow().seen.is_empty() && ran.is_ok() {
            return Ok(());
        }
        self.clock.now_ns = before_ns;
        self.push(What::Background, "idle time: the scheme may collect".into(), 0);
        match ran {
            Ok(()) => {
                let caption = format!("background work ends after {}", time(worked_ns));
                self.end(What::BackgroundEnd { ns: worked_ns }, caption, 0)?;
                self.clock.now_ns = clock.now_ns;
                Ok(())
            }
            Err((_, error)) => self.failed(error),
        }
    }

    fn busy_ns(&mut self) -> Ns {
        self.medium().worked().busy_ns
    }

    fn task(&mut self, task: &PageTask, fill: bool) -> Result<(), ExplainError> {
        self.number += 1;
        let number = self.number;
        let lpn = matches!(task.asks, Asks::Page(_)).then_some(task.lpn);
        let op = op_name(task.asks);
        let on = lpn.map_or(String::new(), |lpn| format!(" LPN {lpn}"));
        self.doing = format!("{}page task {number} ({op}{on})", if fill { "fill, " } else { "" });
        let shown = lpn.map_or(String::new(), |lpn| format!(" {}", self.captions.lpn(lpn)));
        let writes = task.asks == Asks::Page(TaskKind::Write);
        let stream = Some(task.stream).filter(|stream| writes && *stream > 0);
        let named = stream.map_or(String::new(), |stream| format!(", stream {stream}"));
        let begins = if fill { "fill" } else { "task" };
        let caption = format!("{begins} {number}: {op}{shown}{named}");
        self.push(What::Task { number, fill, op, lpn, stream }, caption, 0);
        self.clock.idle.wrote |= task.asks == Asks::Page(TaskKind::Write);
        let ram_ns = self.scheme().ram_ns();
        let before = self.medium().worked();
        let ran = self.ask(task);
        if let Err(error) = ran {
            return self.failed(error);
        }
        if self.ssd.is_some() {
            let end = What::TaskEnd { service_ns: 0, step_ns: 0, exceeded: false };
            self.end(end, String::new(), 0)?;
            let Some(mut ssd) = self.ssd.take() else { return Ok(()) };
            let at = self.frames.len() - 1;
            ssd.end_task(OnChannels::of(self.scheme()), number, (at, *task));
            self.ssd = Some(ssd);
            return Ok(());
        }
        let after = self.medium().worked();
        let step_ns = after.steps_ns - before.steps_ns;
        let response_ns = after.busy_ns - before.busy_ns + self.scheme().ram_ns() - ram_ns;
        let service_ns = response_ns - step_ns;
        let exceeded = !fill && self.exceeds(task, service_ns, step_ns);
        let caption = self.verdict(service_ns, step_ns, exceeded);
        let end = What::TaskEnd { service_ns, step_ns, exceeded };
        let start_ns = self.clock.now_ns;
        self.end(end, caption, response_ns)?;
        if !self.clock.still {
            self.clock.now_ns = start_ns + response_ns;
        }
        Ok(())
    }

    /// A page task has ended on the channels: its last frame gets its times.
    fn ended(&mut self, ended: &Ended) {
        let Ended { at, task, service_ns, step_ns, at_ns } = *ended;
        let response_ns = service_ns + step_ns;
        // Service and collection overlap on the dies, so only the response has a bound.
        let of_task =
            matches!(task.asks, Asks::Page(_)) && !(task.forced && self.guarantee.forced_apart);
        let bound = self.guarantee.response_ns.filter(|_| of_task);
        let exceeded = bound.is_some_and(|bound| response_ns > bound);
        let frame = &mut self.frames[at];
        frame.what = What::TaskEnd { service_ns, step_ns, exceeded };
        frame.at_ns = at_ns;
        frame.caption = match bound {
            Some(bound) if exceeded => {
                format!("response {}; bound {}: BOUND EXCEEDED", time(response_ns), time(bound))
            }
            Some(bound) => format!("response {}; bound {}", time(response_ns), time(bound)),
            None => format!("response {}", time(response_ns)),
        };
    }

    /// All operations end, and each frame learns when its own ran.
    fn end_of_channels(&mut self, mut ssd: Measured) -> Result<(), ExplainError> {
        ssd.drain(OnChannels::of(self.scheme()));
        ssd.take_ended().into_iter().for_each(|ended| self.ended(&ended));
        let log = self.tape.borrow_mut().channels.take().unwrap_or_default();
        ssd.finish(log, &mut self.frames).map_err(|what| self.at_odds(what))
    }

    fn at_odds(&self, what: String) -> ExplainError {
        ExplainError::Channels { after: self.doing.clone(), what }
    }

    /// Asks the scheme for a page task, with bytes that tell each write from every other.
    fn ask(&mut self, task: &PageTask) -> Result<(), FtlError> {
        let (lpn, bytes) = (Lpn(task.lpn), self.scene.resolved.geometry.page_bytes() as usize);
        let now_ns = self.clock.now_ns;
        self.scheme().name_stream(task.stream);
        match task.asks {
            Asks::Page(TaskKind::Write) => {
                self.version += 1;
                let page = page_of(self.version, task.lpn, bytes);
                self.pages.host_changes(task.lpn, self.version);
                match task.forced {
                    true => self.scheme().write_through(lpn, Some(&page)),
                    false => self.scheme().write(lpn, Some(&page)),
                }
            }
            Asks::Page(TaskKind::Trim) => {
                self.pages.host_changes(task.lpn, 0);
                self.scheme().trim(lpn)
            }
            Asks::Page(TaskKind::Read) => match self.scheme().read(lpn, None) {
                Ok(_) | Err(FtlError::Flash(FlashError::Uncorrectable(_))) => Ok(()),
                Err(error) => Err(error),
            },
            Asks::Flush => self.scheme().flush(),
            _ => self.scheme().serve(task, now_ns).map(|_| ()),
        }
    }

    fn exceeds(&self, task: &PageTask, service_ns: Ns, step_ns: Ns) -> bool {
        let bound = &self.guarantee;
        let service = match task.asks {
            Asks::Page(TaskKind::Read) => bound.read_ns,
            Asks::Page(TaskKind::Write) => bound.write_ns,
            _ => None,
        };
        let beyond = |ns: Ns, most: Option<Ns>| most.is_some_and(|most| ns > most);
        let of_task = matches!(task.asks, Asks::Page(_)) && !(task.forced && bound.forced_apart);
        of_task
            && (beyond(service_ns, service)
                || beyond(step_ns, bound.step_ns)
                || beyond(service_ns + step_ns, bound.response_ns))
    }

    fn verdict(&self, service_ns: Ns, step_ns: Ns, exceeded: bool) -> String {
        let response = time(service_ns + step_ns);
        let sum = match step_ns {
            0 => format!("response {response}, all of it service"),
            _ => format!(
                "response {response} = service {} + collection step {}",
                time(service_ns),
                time(step_ns)
            ),
        };
        match self.guarantee.response_ns {
            _ if exceeded => format!("{sum}: BOUND EXCEEDED"),
            Some(bound) => format!("{sum}; bound {}", time(bound)),
            None => sum,
        }
    }

    /// The scheme stopped: by a power cut, after which it mounts, or by an error.
    fn failed(&mut self, error: FtlError) -> Result<(), ExplainError> {
        if error != FtlError::Flash(FlashError::PowerOff) {
            return Err(ExplainError::Run { during: self.doing.clone(), source: error });
        }
        // The recorder leaves the array on the tape as it is dropped.
        drop(self.scheme.take().map(|scheme| scheme.into_flash()));
        loop {
            self.power_cut()?;
            if self.mount()? {
                return Ok(());
            }
        }
    }

    fn power_cut(&mut self) -> Result<(), ExplainError> {
        self.settle(None)?;
        let operation = self.cuts.pop_front().unwrap_or_default();
        self.cuts_done += 1;
        self.pages.power_failed();
        let caption = format!(
            "the power fails at changing operation {operation}: all that was in RAM is gone"
        );
        self.push(What::PowerCut { operation }, caption, 0);
        self.next_group()
    }

    /// Mounts; false if the power failed again in it.
    fn mount(&mut self) -> Result<bool, ExplainError> {
        let left = self.tape.borrow_mut().left.take();
        let mut medium = left.expect("the scheme has given its array back");
        medium.restore();
        let done = medium.changes() - self.changes_before + self.cuts_done;
        if let Some(next) = self.cuts.front() {
            medium.cut_after(next.saturating_sub(done), true);
        }
        self.doing = "the mount".into();
        self.push(
            What::Mount,
            "the power is on again: the scheme mounts from flash alone".into(),
            0,
        );
        let before_ns = medium.worked().busy_ns;
        let recorder = AnyArray::new(Recorder::new(medium, &self.tape));
        match registry::mount(&self.scene.scheme().config, recorder) {
            Ok(scheme) => self.scheme = Some(scheme),
            Err(FtlError::Flash(FlashError::PowerOff)) => return Ok(false),
            Err(source) => return Err(ExplainError::Run { during: self.doing.clone(), source }),
        }
        let ns = self.busy_ns() - before_ns;
        let caption = format!("the mount ends after {}", time(ns));
        self.end(What::Mounted { ns }, caption, ns)?;
        self.pages.mounted();
        self.clock.now_ns += ns;
        Ok(true)
    }

    /// Ends a group: what was seen in it, then `what`, with the state that the scheme tells.
    fn end(&mut self, what: What, caption: String, ns: Ns) -> Result<(), ExplainError> {
        let told = self.scheme().inspect();
        self.settle(Some(&told))?;
        if !told.map.is_empty() {
            let agreed = self.pages.agree(&told);
            agreed
                .map_err(|what| ExplainError::Disagreement { after: self.doing.clone(), what })?;
        }
        let (geometry, cell) = (self.scene.resolved.geometry, self.scene.scheme().part.cell);
        for block in (0..geometry.blocks()).map(BlockId) {
            let all = geometry.pages_per_block();
            let slc = self.scheme().flash().is_slc(block);
            self.pages.block_has(block.0, if slc { cell.slc_pages(all) } else { all });
        }
        let free_pages = self.scheme().free_pages();
        let lists: Vec<Shown> = told.lists.iter().map(Shown::from).collect();
        let changes = Changes {
            pages: self.pages.take_changes(),
            blocks: changed_blocks(&self.told.blocks, &told.blocks),
            placed: changed_placement(&self.told, &told),
            map: changed_places(&self.told, &told),
            lists: (lists != self.lists).then(|| lists.clone()),
            free_pages: (free_pages != self.free_pages).then_some(free_pages),
        };
        (self.lists, self.free_pages) = (lists, free_pages);
        self.captions.uses.clone_from(&told.blocks);
        self.told = told;
        self.push(what, caption, ns);
        if let Some(last) = self.frames.last_mut() {
            last.changes = changes;
        }
        self.next_group()
    }

    fn next_group(&mut self) -> Result<(), ExplainError> {
        self.group += 1;
        self.captions.named.clear();
        self.captions.within = None;
        match self.frames.len() > MOST_FRAMES {
            false => Ok(()),
            true => Err(ExplainError::TooLong { most: MOST_FRAMES, task: self.number }),
        }
    }

    /// Makes frames of what was seen. `then`: the scheme's state behind it.
    fn settle(&mut self, then: Option<&Inspection>) -> Result<(), ExplainError> {
        let seen = std::mem::take(&mut self.tape.borrow_mut().seen);
        let mut ns = 0;
        for seen in seen {
            match seen {
                Seen::Operation(operation) => {
                    ns += operation.ns;
                    self.operation(&operation, then, ns);
                }
                Seen::Event { name, caption, values } => self.event(name, caption, &values, ns),
            }
        }
        Ok(())
    }

    fn operation(&mut self, seen: &SeenOperation, then: Option<&Inspection>, ns: Ns) {
        self.pages.apply(seen, then);
        let page = self.pages.page(seen.page);
        let is_write = matches!(seen.operation, Operation::Program | Operation::Copy);
        let caption = self.captions.operation(seen, page, is_write);
        let erases = seen.operation == Operation::Erase;
        if erases {
            self.captions.erased(self.captions.geometry.block_of(seen.page).0);
        }
        let what = What::Operation {
            op: seen.operation.name(),
            cause: seen.cause.name(),
            step: seen.cause.is_step(),
            from: seen.from.map(|ppn| ppn.0),
            page: (!erases).then_some(seen.page.0),
            block: self.captions.geometry.block_of(seen.page).0,
            ns: seen.ns,
            outcome: seen.outcome,
        };
        if let (Some(ssd), Some(_)) = (&mut self.ssd, seen.timed) {
            ssd.operations.push(self.frames.len());
        }
        self.push(what, caption, ns);
        if let Some(last) = self.frames.last_mut() {
            last.changes.pages = self.pages.take_changes();
        }
    }

    fn event(
        &mut self,
        name: &'static str,
        caption: &'static str,
        values: &[(&'static str, Item)],
        ns: Ns,
    ) {
        let text = self.captions.event(caption, values);
        let marks = self.captions.follow(name, values, &text);
        let values = values.iter().map(|(key, item)| (*key, Thing(*item))).collect();
        self.push(What::Event { name, values, marks }, text, ns);
    }

    fn push(&mut self, what: What, caption: String, ns: Ns) {
        // On channels an operation's time is known later.
        let stands = self.clock.still || self.ssd.is_some();
        let at_ns = self.clock.now_ns + if stands { 0 } else { ns };
        let (changes, spans) = (Changes::default(), Vec::new());
        self.frames.push(Frame { group: self.group, at_ns, what, caption, changes, spans });
    }
}

fn changed_blocks(
    before: &[BlockUse],
    after: &[BlockUse],
) -> Vec<(u32, &'static str, Option<u32>)> {
    let uses = after.iter().enumerate();
    uses.filter(|(at, of)| before.get(*at) != Some(of))
        .map(|(at, of)| (at as u32, of.role, of.logical))
        .collect()
}

fn changed_placement(before: &Inspection, after: &Inspection) -> Vec<(u32, Option<Put>)> {
    let placed = after.placed.iter().enumerate();
    placed
        .filter(|(at, placed)| before.placed.get(*at).unwrap_or(&None) != *placed)
        .map(|(at, placed)| (at as u32, placed.map(Put::from)))
        .collect()
}

fn changed_places(before: &Inspection, after: &Inspection) -> Vec<(u32, Where)> {
    let unmapped = ftl::Place::Unmapped;
    let places = after.map.iter().enumerate();
    places
        .filter(|(at, place)| before.map.get(*at).unwrap_or(&unmapped) != *place)
        .map(|(at, place)| (at as u32, Where::from(*place)))
        .collect()
}
