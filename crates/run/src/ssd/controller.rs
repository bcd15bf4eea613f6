//! The controller: takes page tasks, and spends its cores' time on them.

use super::state::{Alone, NEVER, SsdDevice, VainCalls, array, array_mut};
use crate::front_end::{Asked, Worked};
use crate::measures::TaskSample;
use flash::Ns;
use ftl::{AnyScheme, Asks, FtlError, Notes, PageTask, Served, TaskKind};

/// Tag of operations that the scheme issues on its own, for no request.
pub(super) const BACKGROUND: u64 = u64::MAX;

/// Tag bits of requests that touch no page: a flush, or another one.
pub(super) const FLUSH: u64 = 1 << 40;
pub(super) const BARE: u64 = 2 << 40;

impl SsdDevice<'_> {
    /// Earliest time at which the controller can take the next task.
    #[inline]
    pub(super) fn next_start_ns(&self) -> Ns {
        let Some(ready_ns) = self.queue.next_ns() else { return NEVER };
        let kept = match self.is_alone() {
            true => self.is_at_work(),
            false => !self.yields && array(&*self.scheme).is_collecting(),
        };
        if kept { NEVER } else { ready_ns.max(self.cores.next_ns()).max(self.now_ns) }
    }

    /// True if the last task, or an operation that it caused, has not ended.
    #[inline]
    pub(super) fn is_at_work(&self) -> bool {
        // A task without array operations ends when its processor time has passed.
        let runs = self.alone.is_some_and(|alone| alone.done.is_none());
        runs || array(&*self.scheme).outstanding() > 0
    }

    /// Time at which the write buffer must write a page on its own.
    #[inline]
    pub(super) fn next_due_ns(&self) -> Ns {
        match self.due_ns {
            NEVER => NEVER,
            _ if self.is_alone() && self.is_at_work() => NEVER,
            due_ns => due_ns.max(self.cores.next_ns()).max(self.now_ns),
        }
    }

    /// The controller takes a task of a request; the task has been ready since `ready_ns`.
    #[inline(always)]
    pub(super) fn start(
        &mut self,
        request: u32,
        ready_ns: Ns,
        work: &PageTask,
    ) -> Result<(), FtlError> {
        self.settle();
        let tag = u64::from(request);
        let kind = work.asks.kind();
        let waited_ns = if self.is_alone() { self.waited(request, ready_ns) } else { None };
        self.begin(match kind {
            Some(kind) => tag | (kind as u64) << 32,
            None if work.asks == Asks::Flush => tag | FLUSH,
            None => tag | BARE,
        });
        self.account.idle.wrote |= kind == Some(TaskKind::Write);
        // What was due before now has run, so all that moves before it serves is the scheme's clock.
        let Served { notes, ram_ns, due_ns, free_pages } = self.scheme.serve(work, self.now_ns)?;
        (self.due_ns, self.free_pages) = (due_ns, free_pages);
        if notes.refused.is_some() {
            let refused = &mut self.requests[request as usize].refused;
            *refused = refused.or(notes.refused);
        } else {
            self.account.written += u64::from(kind == Some(TaskKind::Write));
        }
        if kind.is_some() {
            self.refresh_beside_task()?;
        }
        if notes != Notes::default() {
            self.account.noted(notes);
        }
        let begun_ns = self.now_ns;
        let processed_ns = self.end_call(ram_ns, Some(work)).processed_ns;
        let forced_apart = work.forced && self.account.forced_apart;
        self.other_work = kind.is_none() || notes.refused.is_some() || forced_apart;
        if let Some(kind) = kind
            && notes.refused.is_none()
            && self.is_alone()
        {
            let place = self.account.place(work.lpn);
            let done = None;
            self.alone =
                Some(Alone { kind, place, begun_ns, processed_ns, waited_ns, forced_apart, done });
        }
        Ok(())
    }

    /// Wait of a page task, the only one on the device, for operations of the one before; `None` if there were others.
    fn waited(&mut self, request: u32, ready_ns: Ns) -> Option<Ns> {
        let request = &mut self.requests[request as usize];
        if request.waited_ns == NEVER {
            request.waited_ns = self.now_ns.saturating_sub(ready_ns);
        }
        let last_ns = array(&*self.scheme).channels().last_done_ns();
        let waits_from_ns = ready_ns.max(self.last_end_ns);
        (!self.other_work).then(|| last_ns.saturating_sub(waits_from_ns))
    }

    /// Lets the scheme work for no task.
    pub(super) fn background(
        &mut self,
        what: impl FnOnce(&mut AnyScheme, Ns) -> Result<bool, FtlError>,
    ) -> Result<bool, FtlError> {
        // The following work does not belong to the previous single task.
        self.settle();
        self.other_work = true;
        self.begin(BACKGROUND);
        let ram_ns = self.scheme.ram_ns();
        let counts = *array(&*self.scheme).counts();
        let did = what(&mut *self.scheme, self.now_ns)?;
        self.vain = match counts == *array(&*self.scheme).counts() {
            true if self.vain.at_ns == self.now_ns => {
                VainCalls { calls: self.vain.calls + 1, ..self.vain }
            }
            vain => VainCalls { calls: vain.into(), at_ns: self.now_ns },
        };
        (self.due_ns, self.free_pages) = (self.scheme.due_ns(), self.scheme.free_pages());
        self.end_call(self.scheme.ram_ns() - ram_ns, None);
        Ok(did)
    }

    /// Begins a call of the scheme; its operations get this tag.
    #[inline(always)]
    fn begin(&mut self, tag: u64) {
        let now_ns = self.now_ns;
        array_mut(&mut *self.scheme).begin(tag, now_ns);
    }

    /// Ends the call, for a task or none, which took `ram_ns` of RAM; its operations reach the array after the controller time
    /// that it took.
    #[inline]
    fn end_call(&mut self, ram_ns: Ns, task: Option<&PageTask>) -> Worked {
        let (mut processor_ns, mut channel) = (0, 0);
        if self.cores.is_slow() {
            let work = self.scheme.telemetry().victim_work;
            let asked = task.map_or(Asked::default(), Asked::of);
            processor_ns = self.cores.time_ns(asked, work, array(&*self.scheme).counts());
        }
        if self.cores.is_pinned() {
            // A task that needs no array, such as a write to the buffer, belongs to the channel that its address gives.
            let begins = array(&*self.scheme).channel_of_task().map(usize::from);
            let lpn = task.map_or(0, |task| task.lpn as usize);
            channel = begins.unwrap_or(lpn % usize::from(self.setup.topology.channels));
        }
        let worked = self.cores.work(self.now_ns, ram_ns, processor_ns, channel);
        let flash = array_mut(&mut *self.scheme);
        flash.end_after(worked.delay_ns);
        let is_collecting = flash.is_collecting();
        if !self.yields && self.collecting_since_ns.is_none() && is_collecting {
            self.collecting_since_ns = Some(self.now_ns);
        }
        if self.account.first_collection.is_none()
            && is_collecting
            && self.scheme.telemetry().collections.started > 0
        {
            self.account.collected();
        }
        worked
    }

    pub(super) fn note_collection_end(&mut self) {
        if let Some(since_ns) = self.collecting_since_ns
            && !array(&*self.scheme).is_collecting()
        {
            self.collecting_since_ns = None;
            let took_ns = self.now_ns - since_ns;
            self.seen.longest_collection_ns = self.seen.longest_collection_ns.max(took_ns);
        }
    }

    /// A page task is done on the array.
    #[inline]
    pub(super) fn page_done(
        &mut self,
        kind: TaskKind,
        service_ns: Ns,
        completion_ns: Ns,
        done_ns: Ns,
    ) {
        self.totals.host_pages += u64::from(kind != TaskKind::Trim);
        self.totals.host_written += u64::from(kind == TaskKind::Write);
        match &mut self.alone {
            // Its collection steps have yet to end.
            Some(alone) => {
                alone.done = Some((service_ns, completion_ns));
                self.last_end_ns = done_ns;
            }
            None => {
                let sample = TaskSample { kind, service_ns, step_ns: 0, completion_ns };
                self.account.task(&sample, done_ns, self.free_pages);
            }
        }
    }

    /// Ends the single task, if there is one, with all operations that it caused.
    #[inline]
    pub(super) fn settle(&mut self) {
        if let Some(alone) = self.alone.take() {
            self.settle_alone(alone);
        }
    }

    #[inline(never)]
    fn settle_alone(&mut self, alone: Alone) {
        let Alone { kind, place, begun_ns, processed_ns, waited_ns, forced_apart, done } = alone;
        let Some((service_ns, completion_ns)) = done else { return };
        let last_ns = array(&*self.scheme).channels().last_done_ns();
        let response_ns = last_ns.saturating_sub(begun_ns).max(service_ns);
        if !forced_apart {
            // Bounds cover the time of the array and the buffer, not the processor's.
            let own_ns = |ns: Ns| ns.saturating_sub(processed_ns);
            let waited_ns = waited_ns.map(|waited_ns| waited_ns + own_ns(service_ns));
            self.account.promise.check_response(own_ns(response_ns), waited_ns, place);
        }
        let step_ns = response_ns - service_ns;
        let sample = TaskSample { kind, service_ns, step_ns, completion_ns };
        self.account.task(&sample, self.now_ns, self.free_pages);
    }
}
