//! Requests whose page tasks overlap on channels: each has its reply when the last of them is done.

use crate::nbd::{Command, Reply, ReplyTo};
use crate::summary::Kind;
use flash::Ns;
use std::collections::VecDeque;

/// The page task, flush or background work to which operations of the array belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// A page task of the request in this slot.
    Page(u32, Kind),
    /// What the request in this slot has the scheme do beside page tasks.
    Beside(u32),
    /// The scheme's own work.
    Background,
}

/// Work that began between the same two flushes.
#[derive(Debug, Default)]
struct Epoch {
    /// Work that has not ended.
    left: u64,
    /// Slot of the flush that ends with it and all before.
    flush: Option<u32>,
}

const EPOCHS: u64 = 1 << 24;

/// A request whose data are done, and whose time has not passed.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) command: Command,
    pub(crate) length: u32,
    pub(crate) completed: bool,
    pub(crate) arrived_ns: u64,
    pub(crate) answer: Reply,
    pub(crate) to: ReplyTo,
}

/// State of a slot.
#[derive(Debug, Default)]
struct Slot {
    /// Work that has not ended.
    left: u32,
    /// Page tasks that failed: they end, and are not counted.
    failed: u32,
    last_done_ns: Ns,
    /// The request, once all its work has begun.
    request: Option<Waiting>,
}

/// Outstanding requests.
///
/// A flush ends when all work has that began before it: what a client was told is written may still be on its way from the
/// write buffer.
#[derive(Debug)]
pub(crate) struct Outstanding {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Number of the first epoch that has not ended, and all from there on, the present one last.
    first: u64,
    epochs: VecDeque<Epoch>,
}

impl Outstanding {
    pub(crate) fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), first: 0, epochs: [Epoch::default()].into() }
    }

    /// A slot for another request.
    pub(crate) fn enter(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            (self.slots.len() - 1) as u32
        })
    }

    /// Work begins. Returns its tag on the array.
    pub(crate) fn begin(&mut self, work: Work) -> u64 {
        let epoch = (self.first + self.epochs.len() as u64 - 1) % EPOCHS;
        if let Some(epoch) = self.epochs.back_mut() {
            epoch.left += 1;
        }
        let (kind, slot) = match work {
            Work::Background => return epoch << 40,
            Work::Beside(slot) => (1, slot),
            Work::Page(slot, kind) => (2 + kind as u64, slot),
        };
        self.slots[slot as usize].left += 1;
        epoch << 40 | kind << 32 | u64::from(slot)
    }

    /// The flush in this slot waits for all work so far.
    pub(crate) fn barrier(&mut self, slot: u32) {
        self.slots[slot as usize].left += 1;
        if let Some(epoch) = self.epochs.back_mut() {
            epoch.flush = Some(slot);
        }
        self.epochs.push_back(Epoch::default());
    }

    /// The page task of this slot that began last has failed.
    pub(crate) fn failed(&mut self, slot: u32) {
        self.slots[slot as usize].failed += 1;
    }

    /// All work for a request has begun. Gives it back, with the time of its end, if all has ended, too.
    pub(crate) fn wait(&mut self, slot: u32, request: Waiting) -> Option<(Waiting, Ns)> {
        let arrived_ns = request.arrived_ns;
        let of = &mut self.slots[slot as usize];
        of.request = Some(request);
        of.last_done_ns = of.last_done_ns.max(arrived_ns);
        self.take_ended(slot)
    }

    /// Work with this tag has ended. Returns the kind of a page task that is to be counted, and calls `ended` with each request
    /// that ends with it.
    pub(crate) fn end(
        &mut self,
        tag: u64,
        done_ns: Ns,
        mut ended: impl FnMut(Waiting, Ns),
    ) -> Option<Kind> {
        let (epoch, kind, slot) = (tag >> 40, tag >> 32 & 0xff, tag as u32);
        let mut counted = None;
        if kind > 0 {
            let of = &mut self.slots[slot as usize];
            of.left = of.left.saturating_sub(1);
            of.last_done_ns = of.last_done_ns.max(done_ns);
            counted = match kind {
                2 => Some(Kind::Read),
                3 => Some(Kind::Write),
                4 => Some(Kind::Trim),
                _ => None,
            };
            if counted.is_some() && of.failed > 0 {
                (of.failed, counted) = (of.failed - 1, None);
            }
            if let Some((request, at_ns)) = self.take_ended(slot) {
                ended(request, at_ns);
            }
        }
        let at = (epoch + EPOCHS - self.first % EPOCHS) % EPOCHS;
        if let Some(epoch) = self.epochs.get_mut(at as usize) {
            epoch.left = epoch.left.saturating_sub(1);
        }
        self.pass(done_ns, ended);
        counted
    }

    /// Ends the flushes that all work before has ended for.
    pub(crate) fn pass(&mut self, done_ns: Ns, mut ended: impl FnMut(Waiting, Ns)) {
        while self.epochs.len() > 1 && self.epochs.front().is_some_and(|epoch| epoch.left == 0) {
            self.first += 1;
            let Some(Epoch { flush: Some(slot), .. }) = self.epochs.pop_front() else { continue };
            let of = &mut self.slots[slot as usize];
            of.left = of.left.saturating_sub(1);
            of.last_done_ns = of.last_done_ns.max(done_ns);
            if let Some((request, at_ns)) = self.take_ended(slot) {
                ended(request, at_ns);
            }
        }
    }

    fn take_ended(&mut self, slot: u32) -> Option<(Waiting, Ns)> {
        let of = &mut self.slots[slot as usize];
        if of.left > 0 || of.request.is_none() {
            return None;
        }
        let request = of.request.take()?;
        let at_ns = std::mem::take(of).last_done_ns;
        self.free.push(slot);
        Some((request, at_ns))
    }

    /// All requests that wait.
    pub(crate) fn take_all(&mut self) -> Vec<Waiting> {
        let left = std::mem::replace(self, Self::new()).slots;
        left.into_iter().filter_map(|slot| slot.request).collect()
    }

    /// True if no request waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.free.len() == self.slots.len()
    }
}
