//! The array as schemes see it: state changes at once, and the operations go to the channels.

use super::Parallel;
use super::operations::{ChannelWork, NONE, Operation, Operations, READING, Side};
use super::order::InTheWay;
use super::tasks::Done;
use crate::address::{BlockId, Lpn, Ppn};
use crate::channels::{
    Addressing, Class, Command, DieAddress, GrantObserver, MAX_PLANES, PageAddress, Pages, Place,
    Repeats, Request, Sent,
};
use crate::copies::CopyPath;
use crate::error::{FlashError, has_run};
use crate::interface::Probe;
use crate::oob::Oob;
use crate::operation::{Cause, Operation as Op};
use crate::retries::Retries;
use crate::time::Ns;
use alloc::vec::Vec;

impl<F: Probe, W: GrantObserver> Parallel<F, W> {
    /// The command for a page of the channels' blocks.
    #[inline]
    fn side(&self, command: Command, ppn: Ppn) -> Side {
        self.side_at(command, self.geometry.split(ppn))
    }

    /// The same for a block and a page of it.
    #[inline]
    fn side_at(&self, command: Command, (block, page): (BlockId, u32)) -> Side {
        Side { block, page, command, slc: self.has_slc && self.inner.is_slc(block) }
    }

    /// Die of a block, and its block number there (the first one if planes are ganged).
    #[inline]
    fn place(&self, block: BlockId) -> (DieAddress, u32) {
        let planes = u32::from(self.ganged);
        // If the channels have no such block, they refuse the request.
        let place = self.places.place(block);
        let nowhere = Place { block: u32::MAX / planes - 1, ..Place::default() };
        let Place { die, block, .. } = place.unwrap_or(nowhere);
        (die, block * planes)
    }

    /// Channel of the last operation that the current task waits for, or else of its first; `None` without one.
    pub fn channel_of_task(&self) -> Option<u16> {
        let block = match self.tasks.last[0] {
            NONE => self.tasks.first?,
            last => self.operations.get(last).work.first().block,
        };
        Some(self.place(block).0.channel)
    }

    /// The request to the channels.
    #[inline]
    fn request(&self, side: &Side, slot: u32, arrival_ns: Ns, repair_ns: Ns) -> Request {
        let Side { block, page, command, slc } = *side;
        let (die, first) = self.place(block);
        let pages = match self.ganged {
            1 => Pages::one(first, page),
            planes => {
                // A ganged block has one block on each plane of its die, at the same place.
                let mut pages = [PageAddress::default(); MAX_PLANES];
                for (address, block) in pages.iter_mut().zip(first..first + u32::from(planes)) {
                    *address = PageAddress { block, page };
                }
                Pages::of(&pages[..usize::from(planes)]).unwrap_or(Pages::one(first, page))
            }
        };
        let pages = pages.in_slc(slc);
        Request { arrival_ns, tag: slot.into(), die, command, pages, repair_ns }
    }

    /// Steps of read retries so far, if any can run.
    #[inline(always)]
    fn retried(&self) -> Retries {
        match self.retry {
            None => Retries::default(),
            Some(_) => self.inner.retries(),
        }
    }

    /// Repetitions of the read that ran since `before`.
    #[inline(always)]
    fn repeats(&self, before: &Retries) -> Repeats {
        let Some(times) = &self.retry else { return Repeats::default() };
        let steps = self.inner.retries().since(before);
        let reads = u8::try_from(times.reads(&steps)).unwrap_or(u8::MAX);
        Repeats { reads, soft: steps.soft > 0 }
    }

    /// Notes that the first command of an operation is repeated.
    #[inline]
    fn repeat(&mut self, slot: u32, repeats: Repeats) {
        if repeats != Repeats::default() {
            self.repeats.insert(slot, repeats);
        }
    }

    /// Issues one command that is not a copy, after the last of its kind of the task.
    #[inline]
    fn single(&mut self, op: Op, command: Command, ppn: Ppn, cause: Cause, repeats: Repeats) {
        self.single_in(op, command, ppn, cause, (repeats, false));
    }

    /// As [`Parallel::single`]; `was_slc`: the block was in SLC mode, which its erase has ended.
    #[inline]
    fn single_in(
        &mut self,
        op: Op,
        command: Command,
        ppn: Ppn,
        cause: Cause,
        (repeats, was_slc): (Repeats, bool),
    ) {
        self.counts.add(op, cause);
        if !self.timed {
            return;
        }
        let asked = self.geometry.split(self.striped_page(ppn));
        let step = cause.is_step();
        let task = if step { NONE } else { self.tasks.current };
        if !step {
            self.tasks.add();
        }
        let behind_steps = !step && self.steps.hold();
        let mut side = self.side_at(command, asked);
        side.slc |= was_slc;
        let work = ChannelWork::one(side);
        let slot = self.operation(work, task, step);
        #[cfg(test)]
        self.contents.asked(slot, &work, self.side_at(command, asked), None);
        let before = core::mem::replace(&mut self.tasks.last[usize::from(step)], slot);
        self.issue_single(slot, (before, behind_steps), repeats);
    }

    /// Issues the read of a page: apart from the order of its block's operations, if it can.
    #[inline]
    fn read_page(&mut self, ppn: Ppn, cause: Cause, repeats: Repeats) {
        if cause.is_step() || !self.timed || !self.read_aside(ppn, cause, repeats) {
            self.single(Op::Read, Command::Read, ppn, cause, repeats);
        }
    }

    /// Issues a read of a task at a place where it waits for no operation. Returns false, and does nothing, if there is none.
    #[inline(always)]
    fn read_aside(&mut self, ppn: Ppn, cause: Cause, repeats: Repeats) -> bool {
        // If it waited for an earlier operation, it would delay the erase of its block until that operation.
        if self.steps.hold() || self.tasks.last[0] != NONE {
            return false;
        }
        let asked = self.geometry.split(self.striped_page(ppn));
        let Some(at) = self.order.readable_at(&self.operations, asked) else { return false };
        self.counts.add(Op::Read, cause);
        self.tasks.add();
        let side = self.side_at(Command::Read, at);
        let work = ChannelWork::one(side);
        let slot = self.operation(work, self.tasks.current, false);
        #[cfg(test)]
        self.contents.asked(slot, &work, self.side_at(Command::Read, asked), None);
        self.operations.get_mut(slot).aside = true;
        self.tasks.last[0] = slot;
        self.repeat(slot, repeats);
        self.order.reading(&mut self.operations, side.block);
        self.starting.push(slot);
        true
    }

    /// Erases the other blocks of a stripe beside its first, which `single_in` has erased: each waits for the operations
    /// of its own block alone.
    #[cold]
    fn erase_others(&mut self, block: BlockId, cause: Cause) {
        if !self.timed {
            return;
        }
        let step = cause.is_step();
        let task = if step { NONE } else { self.tasks.current };
        for member in 1..self.stripes.blocks {
            if !step {
                self.tasks.add();
            }
            let behind_steps = !step && self.steps.hold();
            let side =
                self.side(Command::Erase, self.geometry.ppn(self.stripes.member(block, member), 0));
            let work = ChannelWork::one(side);
            let slot = self.operation(work, task, step);
            #[cfg(test)]
            self.contents.asked(slot, &work, side, None);
            self.issue_single(slot, (NONE, behind_steps), Repeats::default());
        }
    }

    /// Issues an operation that waits for the one `before` it, if any, and for steps.
    #[inline]
    fn issue_single(&mut self, slot: u32, (before, behind_steps): (u32, bool), repeats: Repeats) {
        let operation = self.operations.get_mut(slot);
        operation.waits = u32::from(before != NONE) + u32::from(behind_steps);
        self.repeat(slot, repeats);
        self.issue(slot);
        if behind_steps {
            self.steps.wait(slot);
        }
        if before != NONE {
            self.operations.get_mut(before).then = slot;
        }
    }

    /// Allocates an operation of a task or of a collection step.
    #[inline(always)]
    fn operation(&mut self, work: ChannelWork, task: u32, step: bool) -> u32 {
        let epoch = step.then(|| self.steps.add(1));
        let (slot, _) = self.operations.add(work, task, self.tasks.number, epoch);
        self.tasks.first.get_or_insert(work.first().block);
        slot
    }

    /// Issues the copy of one page; `more` pages of the same run follow.
    #[inline(never)]
    fn copied(
        &mut self,
        pages: [Ppn; 2],
        corrected: u64,
        repeats: Repeats,
        cause: Cause,
        more: bool,
    ) {
        self.issue_copied(pages, corrected, repeats, cause, more);
    }

    /// Issues the copy of one page alone, without anything to correct or to repeat.
    #[inline(always)]
    fn copied_plainly(&mut self, pages: [Ppn; 2], cause: Cause) {
        self.issue_copied(pages, 0, Repeats::default(), cause, false);
    }

    #[inline(always)]
    fn issue_copied(
        &mut self,
        [from, to]: [Ppn; 2],
        corrected: u64,
        repeats: Repeats,
        cause: Cause,
        more: bool,
    ) {
        self.counts.add(Op::Copy, cause);
        let read = self.side(Command::Read, self.striped_page(from));
        let mut program = self.side(Command::Program, self.striped_page(to));
        let (mut path, mut repair_ns) = (CopyPath::Gcb, 0);
        if let Some((given, cache, ns)) = self.path(read.block, program.block) {
            (path, repair_ns) = (given, ns);
            self.copies_by[path as usize] += 1;
            if path.sends_corrections() {
                self.bytes_sent_again += corrected;
            }
            if cache && more {
                program.command = Command::CacheProgram;
            }
        }
        if !self.timed {
            return;
        }
        let step = cause.is_step();
        let task = if step { NONE } else { self.tasks.current };
        if !step {
            self.tasks.add();
        }
        let plain = path.is_through_controller() && repeats == Repeats::default();
        if !plain || !self.copy_as_one(ChannelWork::copied(read, program), task, step) {
            let repair_ns = corrected * repair_ns;
            self.copy_by_path([read, program], path, (task, step), (repair_ns, repeats));
        }
    }

    /// Issues a copy that is not of one operation: by copy-back, a direct transfer, or with a read that waits or is repeated.
    #[inline(never)]
    fn copy_by_path(
        &mut self,
        [mut read, mut program]: [Side; 2],
        path: CopyPath,
        (task, step): (u32, bool),
        (repair_ns, repeats): (Ns, Repeats),
    ) {
        self.order.copying(read.block);
        let work = match path {
            CopyPath::Lcb | CopyPath::Gcb => {
                let source = ChannelWork::one(read);
                let reading = self.operation(source, NONE, step);
                #[cfg(test)]
                self.contents.asked(reading, &source, read, None);
                self.repeat(reading, repeats);
                self.issue(reading);
                let destination = ChannelWork::copied(read, program);
                let programming = self.operation(destination, task, step);
                #[cfg(test)]
                self.contents.asked(programming, &destination, program, Some(read));
                self.issue_program(programming, step);
                self.operations.get_mut(reading).then = programming;
                return;
            }
            CopyPath::Dgcb => ChannelWork::direct(read, program),
            CopyPath::Icb | CopyPath::IcbUnchecked => {
                if path == CopyPath::IcbUnchecked {
                    read.command = Command::CopyRead;
                }
                program.command = Command::CopyProgram;
                ChannelWork::copy_back(read, program)
            }
        };
        let copy = self.operation(work, task, step);
        #[cfg(test)]
        self.contents.asked(copy, &work, program, Some(read));
        if repair_ns > 0 {
            self.repairs.insert(copy, repair_ns);
        }
        if work.is_direct() && repeats.reads > 0 {
            // The transfer is the last of the reads.
            let source = ChannelWork::one(read);
            let before = self.operation(source, NONE, step);
            #[cfg(test)]
            self.contents.asked(before, &source, read, None);
            self.repeat(before, Repeats { reads: repeats.reads - 1, ..repeats });
            self.issue(before);
            self.operations.get_mut(copy).waits = 1;
            self.issue_copy(copy, program.block);
            self.operations.get_mut(before).then = copy;
            return;
        }
        self.repeat(copy, repeats);
        self.issue_copy(copy, program.block);
    }

    /// Issues a copy whose read can reach its die at once: the read then needs no operation of its own. Returns false, and does
    /// nothing, if it cannot.
    #[inline(always)]
    fn copy_as_one(&mut self, work: ChannelWork, task: u32, step: bool) -> bool {
        let [_, (from, _)] = work.places;
        let class = if step { Class::COLLECTION } else { Class::Read.queue() };
        if !self.order.copy_now(from, class) {
            return false;
        }
        self.tasks.first.get_or_insert(from);
        let epoch = step.then(|| self.steps.add(2));
        let (slot, operation) = self.operations.add(work, task, self.tasks.number, epoch);
        operation.reads = true;
        #[cfg(test)]
        {
            let operation = self.operations.get(slot);
            let (read, program) = (operation.reading(), operation.work.first());
            self.contents.asked(slot | READING, &ChannelWork::one(read), read, None);
            self.contents.asked(slot, &work, program, Some(read));
        }
        self.starting.push(slot | READING);
        self.issue_program(slot, step);
        true
    }

    /// Issues the program of a copy through the controller, which waits for its read.
    #[inline(always)]
    fn issue_program(&mut self, slot: u32, step: bool) {
        if self.order.enter_copied(&mut self.operations, slot) && !step {
            self.channels.urge(self.tasks.number);
        }
    }

    /// Completes the read of such a copy, and releases what waited for it.
    #[inline]
    fn complete_read(&mut self, slot: u32, done_ns: Ns) {
        self.page_commands += 1;
        let operation = self.operations.get_mut(slot);
        operation.reads = false;
        let Operation { step, epoch, .. } = *operation;
        let (read, class) = (operation.reading(), operation.class_of_read());
        #[cfg(test)]
        self.contents.done(slot | READING, &ChannelWork::one(read));
        let waited = self.order.read_done(read.block, class.queue());
        operation.waits -= 1;
        let is_ready = operation.waits == 0;
        self.release(waited);
        if step {
            self.step_done(epoch);
        }
        self.submit_ready(Some(done_ns));
        if is_ready {
            self.submit(slot, Some(done_ns));
            self.submit_ready(Some(done_ns));
        }
    }

    /// Records that a command of a collection step is done, and releases what waited for it.
    #[inline]
    fn step_done(&mut self, epoch: u32) {
        let Self { steps, operations, ready, .. } = self;
        steps.done(epoch, |slot| release(operations, ready, slot));
    }

    /// Path between two blocks, whether it uses cache program, and the bus time per byte that is sent again. `None` if the part
    /// specifies no paths: through the controller.
    #[inline(always)]
    fn path(&self, from: BlockId, to: BlockId) -> Option<(CopyPath, bool, Ns)> {
        let copies = self.inner.part().copies.as_ref()?;
        let same_die = self.places.share_die(from, to);
        let through = if same_die { CopyPath::Lcb } else { CopyPath::Gcb };
        let times = if same_die { &copies.near } else { &copies.far };
        let path = match times.path.is_through_controller() {
            true => through,
            false => self.shorter_path(times.path, [from, to], through),
        };
        Some((path, times.cache_program && !same_die, times.repair_ns))
    }

    /// `path` if the places of the blocks allow it, otherwise `through`.
    #[inline(never)]
    fn shorter_path(&self, path: CopyPath, blocks: [BlockId; 2], through: CopyPath) -> CopyPath {
        let [from, to] = blocks.map(|block| self.place(block));
        let topology = self.channels.topology();
        let plane = |(_, block): (DieAddress, u32)| topology.plane_of(block);
        let possible = match path {
            CopyPath::Icb | CopyPath::IcbUnchecked => from.0 == to.0 && plane(from) == plane(to),
            CopyPath::Dgcb => from.0 != to.0 && from.0.channel == to.0.channel,
            CopyPath::Lcb | CopyPath::Gcb => false,
        };
        if possible { path } else { through }
    }

    /// Issues the operation that programs a copied page: a copy-back or a direct transfer.
    #[inline]
    fn issue_copy(&mut self, slot: u32, to: BlockId) {
        self.issue(slot);
        self.order.arriving(&mut self.operations, slot, to);
    }

    /// Issues an operation, and submits it if it need not wait.
    #[inline]
    fn issue(&mut self, slot: u32) {
        let Self { operations, order, .. } = self;
        let operation = operations.get_mut(slot);
        order.asked(operation);
        let (waits, collected) = order.enter(operations, slot);
        let operation = operations.get_mut(slot);
        operation.waits += waits;
        if collected && !operation.step {
            self.channels.urge(operation.number);
        }
        if operation.waits == 0 && self.submit(slot, None) {
            self.submit_ready(None);
        } else {
            self.order.hold(&self.operations.get(slot).work, slot);
        }
    }

    /// Submits the operations that wait for nothing more, and then those that waited for nothing else. They arrive at
    /// `at_ns`; `None`: when the current task ends.
    fn submit_ready(&mut self, at_ns: Option<Ns>) {
        while let Some(slot) = self.ready.pop() {
            self.submit(slot, at_ns);
        }
    }

    /// Submits one operation, unless operations of another class are in its way: then it waits for those, and false is
    /// returned. Those that wait for nothing else are ready then.
    #[inline]
    fn submit(&mut self, slot: u32, at_ns: Option<Ns>) -> bool {
        let operation = self.operations.get_mut(slot);
        match self.order.submit(operation, slot) {
            Err(InTheWay { blocks, collected }) => {
                operation.waits = blocks;
                if collected && !operation.step {
                    self.channels.urge(operation.number);
                }
                false
            }
            Ok(behind) => {
                match at_ns {
                    Some(at_ns) => self.send(slot, at_ns),
                    None => self.starting.push(slot),
                }
                behind.into_iter().for_each(|next| self.release(next));
                true
            }
        }
    }

    /// Removes one dependency of an operation.
    #[inline]
    fn release(&mut self, slot: u32) {
        release(&mut self.operations, &mut self.ready, slot);
    }

    /// Sends what has a tag to the channels: an operation, or the read of a copy. One command goes without a request, if its
    /// page is all there is to look at.
    #[inline]
    pub(super) fn send(&mut self, tag: u32, arrival_ns: Ns) {
        let operation = self.operations.get(tag & !READING);
        let reads = tag & READING != 0;
        let is_one = reads || operation.work.is_single() && self.repeats.is_empty();
        if !is_one {
            return self.send_any(tag, arrival_ns);
        }
        let (side, class) = match reads {
            true => (operation.reading(), operation.class_of_read()),
            false => (operation.work.first(), operation.class()),
        };
        let Side { block, page, command, slc } = side;
        let sent = Sent { tag: tag.into(), command, block, page, step: operation.step };
        self.channels.watch_mut().sent(sent);
        if self.ganged == 1
            && let Some(place) = self.places.place(block)
        {
            let at = (tag.into(), arrival_ns);
            if self.channels.submit_page(at, command, (&place, page, slc), class) {
                return;
            }
        }
        self.send_request(side, tag, arrival_ns, class);
    }

    /// Sends one command as a request that is looked at whole.
    #[inline(never)]
    fn send_request(&mut self, side: Side, tag: u32, arrival_ns: Ns, class: Class) {
        let request = self.request(&side, tag, arrival_ns, 0);
        let sent = self.channels.submit_as(&request, class);
        sent.expect("what the array has done, its channels can do");
    }

    /// Sends an operation to the channels. They refuse nothing, because the array has checked the addresses.
    #[inline(never)]
    fn send_any(&mut self, slot: u32, arrival_ns: Ns) {
        let operation = self.operations.get(slot);
        let (work, class) = (operation.work, operation.class());
        let repeats = self.repeats.remove(&slot).unwrap_or_default();
        let (first, second) = work.sides();
        let step = operation.step;
        for Side { block, page, command, .. } in core::iter::once(first).chain(second) {
            let sent = Sent { tag: slot.into(), command, block, page, step };
            self.channels.watch_mut().sent(sent);
        }
        let request = self.request(&first, slot, arrival_ns, 0);
        let sent = match second {
            None => self.channels.submit_repeated(&request, class, repeats),
            Some(to) => {
                let repair_ns = self.repairs.remove(&slot).unwrap_or(0);
                let to = self.request(&to, slot, arrival_ns, repair_ns);
                if work.is_direct() {
                    self.channels.submit_direct_as(&request, &to, Addressing::DuringRead, class)
                } else {
                    let read = self.channels.submit_repeated(&request, class, repeats);
                    read.and_then(|()| self.channels.submit_as(&to, class))
                }
            }
        };
        sent.expect("what the array has done, its channels can do");
    }

    /// Completes a command, and releases what waited for its operation.
    #[inline]
    pub(super) fn complete(&mut self, tag: u32, done_ns: Ns) -> Option<Done> {
        if tag & READING == 0 {
            return self.complete_operation(tag, done_ns);
        }
        self.complete_read(tag & !READING, done_ns);
        None
    }

    fn complete_operation(&mut self, slot: u32, done_ns: Ns) -> Option<Done> {
        let operation = self.operations.get_mut(slot);
        self.page_commands += u64::from(!operation.work.is_erase());
        operation.left -= 1;
        if operation.left > 0 {
            return None;
        }
        #[cfg(test)]
        self.contents.done(slot, &operation.work);
        let Operation { then, task, step, epoch, .. } = *operation;
        let out_of = operation.out_of();
        let waited = self.order.done(operation);
        self.operations.remove(slot);
        self.release(then);
        waited.into_iter().for_each(|waited| self.release(waited));
        if step {
            self.step_done(epoch);
        }
        if let Some(out_of) = out_of {
            let erase = self.order.copied(out_of);
            self.release(erase);
        }
        self.submit_ready(Some(done_ns));
        self.tasks.less(task, done_ns)
    }
}

/// Removes one dependency of an operation; without any left it becomes ready.
#[inline]
fn release(operations: &mut Operations, ready: &mut Vec<u32>, slot: u32) {
    if slot == NONE {
        return;
    }
    let operation = operations.get_mut(slot);
    operation.waits -= 1;
    if operation.waits == 0 {
        ready.push(slot);
    }
}

impl<F: Probe, W: GrantObserver> crate::layer::Layer for Parallel<F, W> {
    type Inner = F;

    #[inline]
    fn inner(&self) -> &F {
        &self.inner
    }

    #[inline]
    fn inner_mut(&mut self) -> &mut F {
        &mut self.inner
    }

    #[inline]
    fn prefetch(&self, ppn: Ppn) {
        self.inner.prefetch(ppn);
        self.order.prefetch(self.geometry.block_of(self.striped_page(ppn)));
    }

    #[inline(always)]
    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        let retried = self.retried();
        let result = self.inner.read(ppn, data, cause);
        if has_run(&result) {
            self.read_page(ppn, cause, self.repeats(&retried));
        }
        result
    }

    #[inline(always)]
    fn read_data(
        &mut self,
        ppn: Ppn,
        data: Option<&mut [u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        let retried = self.retried();
        let result = self.inner.read_data(ppn, data, cause);
        if has_run(&result) {
            self.read_page(ppn, cause, self.repeats(&retried));
        }
        result
    }

    #[inline]
    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        let retried = self.retried();
        let result = self.inner.read_part(ppn, offset, data, cause);
        if has_run(&result) {
            self.read_page(ppn, cause, self.repeats(&retried));
        }
        result
    }

    #[inline]
    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        let retried = self.retried();
        let result = self.inner.read_oob(ppn, cause);
        if has_run(&result) {
            self.single(Op::ReadOob, Command::ReadOob, ppn, cause, self.repeats(&retried));
        }
        result
    }

    #[inline]
    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        let result = self.inner.program(ppn, oob, data, cause);
        if has_run(&result) {
            self.single(Op::Program, Command::Program, ppn, cause, Repeats::default());
        }
        result
    }

    #[inline]
    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        let (before, retried) = (self.inner.corrected_bits(), self.retried());
        let result = self.inner.copy(from, to, seq, cause);
        if has_run(&result) {
            let corrected = self.inner.corrected_bits() - before;
            self.copied([from, to], corrected, self.repeats(&retried), cause, false);
        }
        result
    }

    fn copy_run(
        &mut self,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        if !self.inner.has_bit_errors() {
            // What is copied decides no time, so the array may copy all at once.
            let result = self.inner.copy_run(from, to, seq, cause, lpns);
            if let ([page], Ok(())) = (from, &result) {
                self.copied_plainly([*page, to], cause);
                return result;
            }
            let ran = match &result {
                Ok(()) => from.len(),
                Err((done, error)) => done + usize::from(error.failed_at_medium()),
            };
            for (at, page) in from[..ran].iter().enumerate() {
                let (to, more) = (Ppn(to.0 + at as u32), at + 1 < from.len());
                self.copied([*page, to], 0, Repeats::default(), cause, more);
            }
            return result;
        }
        for (at, (page, lpn)) in from.iter().zip(lpns).enumerate() {
            let to = Ppn(to.0 + at as u32);
            let (before, retried) = (self.inner.corrected_bits(), self.retried());
            let result = self.inner.copy(*page, to, seq, cause);
            if has_run(&result) {
                let corrected = self.inner.corrected_bits() - before;
                let (repeats, more) = (self.repeats(&retried), at + 1 < from.len());
                self.copied([*page, to], corrected, repeats, cause, more);
            }
            *lpn = result.map_err(|error| (at, error))?.lpn;
        }
        Ok(())
    }

    #[inline]
    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        let was_slc = self.has_slc && self.inner.is_slc(block);
        let result = self.inner.erase(block, cause);
        if has_run(&result) {
            let first = self.inner.geometry().ppn(block, 0);
            let how = (Repeats::default(), was_slc);
            self.single_in(Op::Erase, Command::Erase, first, cause, how);
            if self.stripes.blocks > 1 {
                self.erase_others(block, cause);
            }
        }
        result
    }
}
