//! Batches of page tasks in serial time: each starts when the previous one ends, or when it arrives.

use crate::{
    buffer::settings::AgeClock,
    error::FtlError,
    idle::{IdleTime, refresh_start_ns},
    interface::{Background, Prefetch},
    page_task::{Asks, PageTask, TaskKind},
    processor::Processor,
    refresh::{RefreshStep, Refreshed},
    zones::{Refusal, ZoneAction},
};
use core::ops::Range;
use flash::{FlashError, Lpn, Ns, Probe};

/// The result of one piece of work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Done {
    /// Time without collection.
    pub service_ns: Ns,
    /// Time of the collection step.
    pub step_ns: Ns,
    /// Part of `service_ns` that the processor took to choose victims.
    pub choosing_ns: Ns,
    /// End of the work by the host's clock.
    pub end_ns: Ns,
    /// Free pages at the end.
    pub free_pages: u64,
    /// Further results; mostly none.
    pub notes: Notes,
}

/// Results of a piece of work besides its times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Collection ran in it, or in background work that was due before it.
    pub collected: bool,
    /// The page read was never written or was trimmed: no flash operation.
    pub unmapped: bool,
    /// The page read is lost. The host gets an error for it and goes on.
    pub uncorrectable: bool,
    /// The work was refused. The host gets an error for its request and goes on.
    pub refused: Option<Refusal>,
}

/// A piece of work that was served without a clock, and the scheme after it.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    /// Results besides times; mostly none.
    pub notes: Notes,
    /// Time that it took in RAM rather than on the array ([`Background::ram_ns`]).
    pub ram_ns: Ns,
    /// [`Background::due_ns`] after it.
    pub due_ns: Ns,
    /// Free pages after it.
    pub free_pages: u64,
}

/// The host's clock over a scheme in serial time.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostClock {
    /// The current time.
    pub now_ns: Ns,
    /// True if requests arrive at the workload's times; false if each arrives when the previous one ends.
    pub timed: bool,
    /// The clock by which background work becomes due. With [`AgeClock::Arrival`] it needs `timed`.
    pub ages_by: AgeClock,
    /// The controller's processor, if the choice of victims takes time.
    pub processor: Option<Processor>,
    /// True if pages of blocks that the array names as due are moved, a page with each page task and more in idle time.
    pub refreshes: bool,
    /// True while time does not count, such as while an array is filled: no background work becomes due, and there is
    /// no idle time.
    pub still: bool,
    /// The longest background work that ran without a request, ns.
    pub longest_due_ns: Ns,
    /// Idle time, and what it was used for.
    pub idle: IdleTime,
}

impl HostClock {
    /// Time that the processor has spent on the choice of victims so far.
    #[inline]
    pub fn choosing_ns<S: Background + ?Sized>(&self, scheme: &S) -> Ns {
        match &self.processor {
            None => 0,
            Some(processor) => {
                let work = scheme.telemetry().victim_work;
                work.map_or(0, |work| processor.time_ns(&work))
            }
        }
    }

    /// Time that the scheme has spent so far on the array, in RAM and on the processor.
    #[inline]
    pub fn spent_ns<S: Background + ?Sized>(&self, scheme: &S) -> Ns {
        scheme.flash().worked().busy_ns + scheme.ram_ns() + self.choosing_ns(scheme)
    }
}

/// Prefetch distance of map entries, in page tasks. From here to [`NEAR`], and from there to the task, is time for
/// one memory access each. It is near enough for the lines to stay in the first cache.
pub const FAR: usize = 24;
/// Prefetch distance of the block or page that the map entry points to, in page tasks.
pub const NEAR: usize = 12;

/// Runs pieces `range` of `work` in order and writes their results to `done`. It prefetches lines for the pieces that
/// follow in `work`.
#[inline]
pub(crate) fn run<S: Background + ?Sized>(
    scheme: &mut S,
    work: &[PageTask],
    range: Range<usize>,
    clock: &mut HostClock,
    done: &mut [Done],
) -> Result<(), (usize, FtlError)> {
    let array = scheme.flash();
    let has_extras = array.has_bit_errors() || clock.processor.is_some() || clock.refreshes;
    // Arrivals leave gaps, in which a scheme may work.
    let may_be_plain = !has_extras && !clock.timed;
    let mut run = Run { scheme, clock, has_extras };
    if range.start == 0 {
        // Prefetches that earlier turns of the loop would have made.
        let scheme = |lpn, what| run.scheme.prefetch(lpn, what);
        work.iter().take(FAR).for_each(|piece| scheme(Lpn(piece.lpn), Prefetch::Map));
        work.iter().take(NEAR).for_each(|piece| fetch_near(piece, scheme));
    }
    let pieces = range.len();
    let (mut ahead, mut left) = (&work[range.start..], &mut done[..pieces]);
    loop {
        let most = if may_be_plain { run.scheme.plain_writes() } else { 0 };
        if most > 0 && ahead.first().is_some_and(PageTask::is_plain_write) {
            let written = run.write_plain(&ahead[..left.len().min(most)], ahead, left);
            (ahead, left) = (&ahead[written..], &mut core::mem::take(&mut left)[written..]);
        }
        let (Some(piece), Some(done)) = (ahead.first(), left.first_mut()) else { return Ok(()) };
        fetch(ahead, 0, |lpn, what| run.scheme.prefetch(lpn, what));
        let ran = match piece.asks {
            Asks::Page(kind) => run.task(piece, kind, done),
            other => match other.kind() {
                Some(kind) => run.task(piece, kind, done),
                None => run.bare(piece).map(|bare| *done = bare),
            },
        };
        ran.map_err(|error| (pieces - left.len(), error))?;
        (ahead, left) = (&ahead[1..], &mut core::mem::take(&mut left)[1..]);
    }
}

/// Prefetches what pieces behind the one at this place need.
#[inline(always)]
pub(crate) fn fetch(work: &[PageTask], at: usize, prefetch: impl Fn(Lpn, Prefetch)) {
    if let Some(far) = work.get(at + FAR) {
        prefetch(Lpn(far.lpn), Prefetch::Map);
    }
    if let Some(near) = work.get(at + NEAR) {
        fetch_near(near, prefetch);
    }
}

/// Prefetches the target of the map entry of a task that comes soon.
#[inline(always)]
fn fetch_near(piece: &PageTask, prefetch: impl Fn(Lpn, Prefetch)) {
    let read = piece.asks == Asks::Page(TaskKind::Read);
    prefetch(Lpn(piece.lpn), if read { Prefetch::Page } else { Prefetch::Block });
}

/// Runs a piece of work without regard to time. A read of a lost page is no error: it is noted, and the host goes on.
#[inline(always)]
pub(crate) fn serve<S: Background + ?Sized>(
    scheme: &mut S,
    work: &PageTask,
) -> Result<Notes, FtlError> {
    let (lpn, mut notes) = (Lpn(work.lpn), Notes::default());
    scheme.name_stream(work.stream);
    let served = match work.asks {
        Asks::Page(TaskKind::Write) if work.forced => scheme.write_through(lpn, None),
        Asks::Page(TaskKind::Write) => scheme.write(lpn, None),
        Asks::Page(TaskKind::Read) => match scheme.read(lpn, None) {
            Ok(mapped) => {
                notes.unmapped = !mapped;
                Ok(())
            }
            Err(FtlError::Flash(FlashError::Uncorrectable(_))) => {
                notes.uncorrectable = true;
                Ok(())
            }
            Err(other) => Err(other),
        },
        Asks::Page(TaskKind::Trim) => scheme.trim(lpn),
        Asks::Flush => scheme.flush(),
        Asks::Nothing => Ok(()),
        _ => zone_command(scheme, work),
    };
    if work.last && work.asks.kind() == Some(TaskKind::Write) {
        scheme.end_command();
    }
    match served {
        Ok(()) => Ok(notes),
        Err(FtlError::Refused(refusal)) => {
            notes.refused = Some(refusal);
            Ok(notes)
        }
        Err(other) => Err(other),
    }
}

/// Runs a command that only schemes with zones know.
fn zone_command<S: Background + ?Sized>(scheme: &mut S, work: &PageTask) -> Result<(), FtlError> {
    let zone = Lpn(work.lpn);
    let refusal = match work.asks {
        Asks::Append => return scheme.append(zone, None).map(|_| ()),
        Asks::Open => return scheme.manage(zone, ZoneAction::Open),
        Asks::Close => return scheme.manage(zone, ZoneAction::Close),
        Asks::Finish => return scheme.manage(zone, ZoneAction::Finish),
        Asks::Reset => return scheme.manage(zone, ZoneAction::Reset),
        Asks::PartOfPage => Refusal::PartOfPage,
        Asks::PartOfZone => Refusal::PartOfZone,
        Asks::ZoneBoundary => Refusal::ZoneBoundary,
        Asks::NoZones | Asks::Page(_) | Asks::Flush | Asks::Nothing => Refusal::NoZones,
    };
    Err(FtlError::Refused(refusal))
}

/// Runs a step for the block that has been due for longest, and can be moved now. `None` if none is due;
/// [`Refreshed::Later`] if none of them can be moved now.
///
/// # Errors
/// Those of the scheme.
pub(crate) fn refresh<S: Background + ?Sized>(
    scheme: &mut S,
) -> Result<Option<RefreshStep>, FtlError> {
    let mut later = None;
    loop {
        let Some(due) = scheme.flash_mut().due_block() else { return Ok(None) };
        if later.is_some_and(|block| block == due.block) {
            return Ok(Some(RefreshStep { did: Refreshed::Later, collected: false }));
        }
        let step = scheme.refresh(due)?;
        match step.did {
            Refreshed::Moved => {}
            Refreshed::Done => scheme.flash_mut().end_turn(due.block, true),
            Refreshed::Later => {
                scheme.flash_mut().end_turn(due.block, false);
                // A step that has collected has had its time; a block that is still written costs none.
                if !step.collected {
                    later.get_or_insert(due.block);
                    continue;
                }
            }
        }
        return Ok(Some(step));
    }
}

struct Run<'a, S: ?Sized> {
    scheme: &'a mut S,
    clock: &'a mut HostClock,
    /// True if the array has bit errors, blocks are refreshed, or the choice of victims takes time. Asked once per batch, as it
    /// does not change.
    has_extras: bool,
}

impl<S: Background + ?Sized> Run<'_, S> {
    /// Runs the first pieces that are nothing but a program each: see [`Ftl::write_plain`](crate::Ftl::write_plain). Returns their
    /// number.
    #[inline(always)]
    fn write_plain(&mut self, work: &[PageTask], ahead: &[PageTask], done: &mut [Done]) -> usize {
        let before_ns = self.scheme.flash().worked().busy_ns;
        let written = self.scheme.write_plain(work, ahead);
        if written == 0 {
            return 0;
        }
        let each_ns = (self.scheme.flash().worked().busy_ns - before_ns) / written as Ns;
        let mut free_pages = self.scheme.free_pages() + written as u64;
        self.clock.idle.wrote = true;
        for done in &mut done[..written] {
            self.clock.now_ns += each_ns;
            free_pages -= 1;
            let end_ns = self.clock.now_ns;
            *done = Done { service_ns: each_ns, end_ns, free_pages, ..Done::default() };
        }
        written
    }

    /// Runs a page task. Its result is written where it belongs: one that is returned is copied at once, and the processor
    /// waits for its parts.
    #[inline(always)]
    fn task(&mut self, task: &PageTask, kind: TaskKind, done: &mut Done) -> Result<(), FtlError> {
        let due_collected = self.before(task.arrival_ns)?;
        self.show_clock(task.arrival_ns);
        self.clock.idle.wrote |= kind == TaskKind::Write;
        let choosing = if self.has_extras { self.choosing_ns() } else { 0 };
        let ram = self.scheme.ram_ns();
        let before = self.scheme.flash().worked();
        let notes = serve(self.scheme, task)?;
        let (refreshed_ns, refresh_collected) =
            if self.has_extras && self.clock.refreshes { self.refresh()? } else { (0, false) };
        let after = self.scheme.flash().worked();
        let ram_ns = self.scheme.ram_ns() - ram;
        let choosing_ns = if self.has_extras { self.choosing_ns() - choosing } else { 0 };
        let step_ns = after.steps_ns - before.steps_ns;
        let response_ns = after.busy_ns - before.busy_ns + ram_ns + choosing_ns;
        let collected = notes.collected || due_collected || refresh_collected;
        let collected = collected || step_ns > refreshed_ns;
        self.arrive(task.arrival_ns);
        self.clock.now_ns += response_ns;
        *done = Done {
            service_ns: response_ns - step_ns,
            step_ns,
            choosing_ns,
            end_ns: self.clock.now_ns,
            free_pages: self.scheme.free_pages(),
            notes: Notes { collected, ..notes },
        };
        Ok(())
    }

    /// Runs a request that touches no page.
    #[cold]
    fn bare(&mut self, work: &PageTask) -> Result<Done, FtlError> {
        let due_collected = self.before(work.arrival_ns)?;
        self.show_clock(work.arrival_ns);
        let spent = self.spent_ns();
        let steps = self.scheme.flash().worked().steps_ns;
        let notes = serve(self.scheme, work)?;
        self.arrive(work.arrival_ns);
        let service_ns = self.spent_ns() - spent;
        self.clock.now_ns += service_ns;
        let collected = due_collected || self.scheme.flash().worked().steps_ns > steps;
        Ok(Done {
            service_ns,
            end_ns: self.clock.now_ns,
            free_pages: self.scheme.free_pages(),
            notes: Notes { collected, ..notes },
            ..Done::default()
        })
    }

    /// Shows the time at which work begins to an array whose pages age.
    #[inline(always)]
    fn show_clock(&mut self, arrival_ns: Ns) {
        if self.has_extras && self.scheme.flash().has_bit_errors() && !self.clock.still {
            let arrival_ns = if self.clock.timed { arrival_ns } else { 0 };
            self.scheme.flash_mut().set_now_ns(self.clock.now_ns.max(arrival_ns));
        }
    }

    #[inline]
    fn choosing_ns(&self) -> Ns {
        self.clock.choosing_ns(&*self.scheme)
    }

    #[inline]
    fn spent_ns(&self) -> Ns {
        self.clock.spent_ns(&*self.scheme)
    }

    /// Uses the idle time before work that arrives at `arrival_ns`, and runs what is due. True if due work collected.
    #[inline(always)]
    fn before(&mut self, arrival_ns: Ns) -> Result<bool, FtlError> {
        if self.clock.still {
            return Ok(false);
        }
        let clock = &self.clock;
        if !clock.timed && self.scheme.due_ns() > clock.now_ns {
            self.scheme.advance(clock.now_ns)?;
            return Ok(false);
        }
        self.before_this(arrival_ns)
    }

    /// As [`Run::before`], where work arrives at times of its own, or background work is due.
    #[inline(never)]
    fn before_this(&mut self, arrival_ns: Ns) -> Result<bool, FtlError> {
        if self.clock.idle.wrote && self.clock.timed {
            self.use_idle_time(arrival_ns)?;
        }
        let collected = self.catch_up(if self.clock.timed { arrival_ns } else { 0 })?;
        if self.clock.refreshes && self.clock.timed {
            self.refresh_in_idle_time(arrival_ns)?;
        }
        Ok(collected)
    }

    /// Runs a step of a refresh. Returns the time that it took, and whether it collected.
    #[cold]
    fn refresh(&mut self) -> Result<(Ns, bool), FtlError> {
        let steps_ns = self.scheme.flash().worked().steps_ns;
        let step = refresh(self.scheme)?;
        let collected = step.is_some_and(|step| step.collected);
        Ok((self.scheme.flash().worked().steps_ns - steps_ns, collected))
    }

    /// Runs steps of refreshes that end before this arrival, each when its block is due.
    #[cold]
    fn refresh_in_idle_time(&mut self, arrival_ns: Ns) -> Result<(), FtlError> {
        while let Some(start_ns) = refresh_start_ns(&*self.scheme, self.clock.now_ns, arrival_ns) {
            self.clock.now_ns = start_ns;
            self.scheme.flash_mut().set_now_ns(start_ns);
            let busy_ns = self.scheme.flash().worked().busy_ns;
            let step = refresh(self.scheme)?;
            self.clock.now_ns += self.scheme.flash().worked().busy_ns - busy_ns;
            if let None | Some(RefreshStep { did: Refreshed::Later, .. }) = step {
                break;
            }
        }
        Ok(())
    }

    /// Runs background work that is due before a piece of work arrives, each at its due time. Work that has already
    /// arrived waits for at most one of them by the device's clock, and for all that were due before it by the clock
    /// of arrivals. Then the scheme's clock shows the start of the work.
    #[inline]
    fn catch_up(&mut self, arrival_ns: Ns) -> Result<bool, FtlError> {
        let by_arrival = self.clock.timed && self.clock.ages_by == AgeClock::Arrival;
        let mut collected = false;
        loop {
            let due_ns = self.scheme.due_ns();
            let now_ns = self.clock.now_ns;
            let limit_ns = if by_arrival { arrival_ns } else { now_ns.max(arrival_ns) };
            if due_ns > limit_ns {
                self.scheme.advance(limit_ns)?;
                return Ok(collected);
            }
            self.clock.now_ns = now_ns.max(due_ns);
            let spent = self.spent_ns();
            let steps = self.scheme.flash().worked().steps_ns;
            self.scheme.advance(if by_arrival { due_ns } else { self.clock.now_ns })?;
            collected |= self.scheme.flash().worked().steps_ns > steps;
            let took_ns = self.spent_ns() - spent;
            self.clock.now_ns += took_ns;
            self.clock.longest_due_ns = self.clock.longest_due_ns.max(took_ns);
            if !by_arrival && now_ns >= arrival_ns {
                return Ok(collected);
            }
        }
    }

    /// Moves the clock to the arrival, unless it has passed.
    #[inline]
    fn arrive(&mut self, arrival_ns: Ns) {
        if self.clock.timed {
            self.clock.now_ns = self.clock.now_ns.max(arrival_ns);
        }
    }

    /// Lets the scheme collect once after a write, if its longest idle step ends before this arrival; again and again
    /// if it asks for that.
    fn use_idle_time(&mut self, arrival_ns: Ns) -> Result<(), FtlError> {
        while self.clock.idle.fits(&*self.scheme, self.clock.now_ns, arrival_ns) {
            let busy = self.scheme.flash().worked().busy_ns;
            self.clock.idle.step(&mut *self.scheme, false)?;
            self.clock.now_ns += self.scheme.flash().worked().busy_ns - busy;
        }
        Ok(())
    }
}
