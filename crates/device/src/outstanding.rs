//! Requests whose page tasks overlap on channels: each has its reply when the last of them is done.

use crate::nbd::{Command, Reply, ReplyTo};
use crate::summary::Kind;

/// Tag of work that the scheme does on its own, for no request.
const BACKGROUND: u64 = u64::MAX;

/// The page task, flush or background work to which operations of the array belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// A page task of the request in this slot.
    Page(u32, Kind),
    /// What the request in this slot has the scheme write out.
    Flush(u32),
    /// The scheme's own work.
    Background,
}

impl Work {
    /// As a number for the array.
    pub(crate) fn tag(self) -> u64 {
        match self {
            Self::Page(slot, kind) => u64::from(slot) | (1 + kind as u64) << 32,
            Self::Flush(slot) => slot.into(),
            Self::Background => BACKGROUND,
        }
    }

    /// From such a number.
    pub(crate) fn of_tag(tag: u64) -> Self {
        let slot = tag as u32;
        match tag >> 32 {
            _ if tag == BACKGROUND => Self::Background,
            0 => Self::Flush(slot),
            1 => Self::Page(slot, Kind::Read),
            2 => Self::Page(slot, Kind::Write),
            _ => Self::Page(slot, Kind::Trim),
        }
    }
}

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

/// Outstanding requests.
#[derive(Debug, Default)]
pub(crate) struct Outstanding {
    /// Work left of each, and the request, once all its work has begun.
    slots: Vec<(u32, Option<Waiting>)>,
    free: Vec<u32>,
}

impl Outstanding {
    /// A slot for another request.
    pub(crate) fn enter(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.slots.push((0, None));
            (self.slots.len() - 1) as u32
        })
    }

    /// Work for the request in this slot begins.
    pub(crate) fn begin(&mut self, slot: u32) {
        self.slots[slot as usize].0 += 1;
    }

    /// All work for a request has begun. Gives it back if all has ended, too.
    pub(crate) fn wait(&mut self, slot: u32, request: Waiting) -> Option<Waiting> {
        let (left, waiting) = &mut self.slots[slot as usize];
        if *left > 0 {
            *waiting = Some(request);
            return None;
        }
        self.free.push(slot);
        Some(request)
    }

    /// Work for the request in this slot has ended. Returns the request if that was the last.
    pub(crate) fn end(&mut self, slot: u32) -> Option<Waiting> {
        let (left, waiting) = self.slots.get_mut(slot as usize)?;
        *left = left.checked_sub(1)?;
        let ended = if *left == 0 { waiting.take() } else { None };
        if ended.is_some() {
            self.free.push(slot);
        }
        ended
    }

    /// All requests that wait.
    pub(crate) fn take_all(&mut self) -> Vec<Waiting> {
        let left = self.slots.drain(..).filter_map(|(_, request)| request).collect();
        self.free.clear();
        left
    }

    /// True if no request waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.free.len() == self.slots.len()
    }
}
