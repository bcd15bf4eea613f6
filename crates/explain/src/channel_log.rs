//! The log of the channels of an SSD: operations on their way to the dies, and what each keeps busy.

use flash::channels::{Command, Sent};
use flash::{BlockId, Geometry, Ns, Operation, Ppn};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Time that a bus or a die is busy; as JSON `[lane, from, to]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The bus of a channel, `0..channels`; behind these the cells of a die, channel by channel.
    pub lane: u32,
    /// Begin, ns on the clock of the measured part.
    pub from_ns: Ns,
    /// End, ns.
    pub to_ns: Ns,
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (self.lane, self.from_ns, self.to_ns).serialize(to)
    }
}

/// A command that a die has yet to get.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Awaited {
    number: usize,
    command: Command,
    place: (BlockId, u32),
    step: bool,
}

/// What became of the operations of the measured part.
#[derive(Debug, Default)]
pub(crate) struct ChannelLog {
    /// Operations so far.
    asked: usize,
    pub(crate) awaited: Vec<Awaited>,
    /// The place that a copied page came from, by its new one: the host may read it there until the copy is done.
    moved: BTreeMap<(BlockId, u32), (BlockId, u32)>,
    /// The operation of the command sent last with a tag.
    tags: BTreeMap<u64, usize>,
    pub(crate) spans: Vec<(usize, Span)>,
    /// Host reads of a page where it was before.
    pub(crate) aside: Vec<usize>,
    /// The first command that no operation waits for.
    pub(crate) unasked: Option<Sent>,
}

impl ChannelLog {
    /// Numbers an operation that has run on the array; `from`: source of a copy, `step`: it is of a collection step.
    pub(crate) fn ask(
        &mut self,
        operation: Operation,
        (page, from): (Ppn, Option<Ppn>),
        step: bool,
        geometry: &Geometry,
    ) -> usize {
        let number = self.asked;
        self.asked += 1;
        let place = geometry.split(page);
        let command = match operation {
            Operation::Read => Command::Read,
            Operation::ReadOob => Command::ReadOob,
            Operation::Program | Operation::Copy => Command::Program,
            Operation::Erase => Command::Erase,
        };
        if let Some(from) = from.map(|from| geometry.split(from)) {
            self.awaited.push(Awaited { number, command: Command::Read, place: from, step });
            self.moved.insert(place, from);
        }
        self.awaited.push(Awaited { number, command, place, step });
        number
    }

    /// A command reaches its die.
    pub(crate) fn sent(&mut self, sent: Sent) {
        let place = (sent.block, sent.page);
        let of_kind = |one: &Awaited| one.command == sent.command && one.step == sent.step;
        let is_its = |one: &Awaited| of_kind(one) && one.place == place;
        // Only the host reads a page where it was before.
        let was_its =
            |one: &Awaited| of_kind(one) && !one.step && self.moved.get(&one.place) == Some(&place);
        let found = self.awaited.iter().position(is_its);
        let Some(at) = found.or_else(|| self.awaited.iter().position(was_its)) else {
            self.unasked.get_or_insert(sent);
            return;
        };
        let number = self.awaited.remove(at).number;
        self.tags.insert(sent.tag, number);
        if found.is_none() {
            self.aside.push(number);
        }
    }

    /// The command sent last with this tag keeps a bus or a die busy.
    pub(crate) fn busy(&mut self, tag: u64, span: Span) {
        if let Some(number) = self.tags.get(&tag).filter(|_| span.to_ns > span.from_ns) {
            self.spans.push((*number, span));
        }
    }
}
