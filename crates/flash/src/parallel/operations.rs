//! Outstanding operations.

use crate::address::BlockId;
use crate::channels::{Class, Command};
use crate::prefetch::{next_free, prefetch};
use alloc::vec::Vec;

/// No operation, no task, no block.
pub(super) const NONE: u32 = u32::MAX;

/// Bit of a tag: the command is the read of a copy, which has no operation of its own but that of its program. Slots are
/// smaller, since an operation is 64 bytes.
pub(super) const READING: u32 = 1 << 31;

/// A command for a page of the array; for an erase, the first page of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side {
    pub(super) block: BlockId,
    pub(super) page: u32,
    pub(super) command: Command,
    /// True if the block is in SLC mode.
    pub(super) slc: bool,
}

impl Side {
    #[inline]
    pub(super) fn programs(&self) -> bool {
        matches!(self.command, Command::Program | Command::CacheProgram | Command::CopyProgram)
    }
}

/// How commands reach the channels together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    /// One command.
    One,
    /// The program of a page that the controller has read; the second place is the source.
    Copied,
    /// A read and the program of what it leaves in the registers, on one die.
    CopyBack,
    /// A direct transfer between two dies of a channel.
    Direct,
}

/// Commands that reach the channels together: places and commands apart, to take little room.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChannelWork {
    pub(super) places: [(BlockId, u32); 2],
    commands: [Command; 2],
    /// True if the block is in SLC mode.
    slc: [bool; 2],
    kind: Kind,
}

impl ChannelWork {
    const NOWHERE: (BlockId, u32) = (BlockId(NONE), 0);

    /// One command.
    #[inline]
    pub(super) fn one(side: Side) -> Self {
        let places = [(side.block, side.page), Self::NOWHERE];
        Self { places, commands: [side.command; 2], slc: [side.slc; 2], kind: Kind::One }
    }

    /// The program of a page that the controller has read from another place.
    #[inline]
    pub(super) fn copied(from: Side, to: Side) -> Self {
        let places = [(to.block, to.page), (from.block, from.page)];
        let slc = [to.slc, from.slc];
        Self { places, commands: [to.command; 2], slc, kind: Kind::Copied }
    }

    /// A read and the program of what it leaves in the registers, on one die.
    #[inline]
    pub(super) fn copy_back(from: Side, to: Side) -> Self {
        Self { kind: Kind::CopyBack, ..Self::direct(from, to) }
    }

    /// A direct transfer between two dies of a channel.
    #[inline]
    pub(super) fn direct(from: Side, to: Side) -> Self {
        let places = [(from.block, from.page), (to.block, to.page)];
        let slc = [from.slc, to.slc];
        Self { places, commands: [from.command, to.command], slc, kind: Kind::Direct }
    }

    #[inline]
    pub(super) fn is_single(&self) -> bool {
        matches!(self.kind, Kind::One | Kind::Copied)
    }

    #[inline]
    pub(super) fn is_direct(&self) -> bool {
        self.kind == Kind::Direct
    }

    #[inline]
    pub(super) fn side(&self, at: usize) -> Side {
        let (block, page) = self.places[at];
        Side { block, page, command: self.commands[at], slc: self.slc[at] }
    }

    /// Its first command.
    #[inline]
    pub(super) fn first(&self) -> Side {
        self.side(0)
    }

    /// Its commands.
    #[inline]
    pub(super) fn sides(&self) -> (Side, Option<Side>) {
        (self.side(0), (!self.is_single()).then(|| self.side(1)))
    }

    /// Its blocks, each once, and whether it changes them.
    #[inline]
    pub(super) fn blocks(&self) -> impl Iterator<Item = (BlockId, bool)> + use<> {
        let [(first, _), (second, _)] = self.places;
        let two = !self.is_single();
        let within = two && second == first;
        let changes = within || !self.commands[0].is_read();
        let other = (two && !within).then_some((second, true));
        core::iter::once((first, changes)).chain(other)
    }

    /// The block and the page that it programs, if any.
    #[inline]
    pub(super) fn programs(&self) -> Option<(BlockId, u32)> {
        let last = self.side(usize::from(!self.is_single()));
        last.programs().then_some((last.block, last.page))
    }

    /// The block and the page of which it makes a copy, with its program.
    #[inline]
    pub(super) fn source(&self) -> Option<(BlockId, u32)> {
        match self.kind {
            Kind::One => None,
            Kind::Copied => Some(self.places[1]),
            Kind::CopyBack | Kind::Direct => Some(self.places[0]),
        }
    }

    #[inline]
    pub(super) fn is_erase(&self) -> bool {
        self.commands[0] == Command::Erase
    }

    #[inline]
    pub(super) fn is_read(&self) -> bool {
        self.is_single() && self.commands[0].is_read()
    }
}

/// An outstanding operation: a cache line. Many are outstanding while victims are collected.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Operation {
    pub(super) work: ChannelWork,
    /// Its epoch of collection steps; meaningful only for a step, where steps come first.
    pub(super) epoch: u32,
    /// Number of the task that issued it.
    pub(super) number: u64,
    /// The task that waits for it.
    pub(super) task: u32,
    /// Number of operations that must be done or submitted first.
    pub(super) waits: u32,
    /// The operation that waits until this one is done.
    pub(super) then: u32,
    /// The operations that wait until this one is submitted, one per block that it concerns.
    pub(super) next: [u32; 2],
    /// For an erase that waits for copies: the next such erase of its block. For the program of a copy: the next such
    /// program of its block.
    pub(super) behind: u32,
    /// Its commands that are not done.
    pub(super) left: u8,
    /// True for an operation of a collection step.
    pub(super) step: bool,
    /// True for a host read at the page's current location. It does not wait for its block's operations, and
    /// the block's erase waits for it.
    pub(super) aside: bool,
    /// True for the program of a copy whose read, which has no operation of its own, is on its die.
    pub(super) reads: bool,
}

impl Operation {
    const NONE: Self = Self {
        work: ChannelWork {
            places: [ChannelWork::NOWHERE; 2],
            commands: [Command::Read; 2],
            slc: [false; 2],
            kind: Kind::One,
        },
        epoch: 0,
        number: 0,
        task: NONE,
        waits: 0,
        then: NONE,
        next: [NONE; 2],
        behind: NONE,
        left: 0,
        step: false,
        aside: false,
        reads: false,
    };

    /// The block that a page leaves for good with it.
    #[inline]
    pub(super) fn out_of(&self) -> Option<BlockId> {
        let source = if self.aside { Some(self.work.places[0]) } else { self.work.source() };
        source.map(|(block, _)| block)
    }

    /// Class of the read that precedes it, for the program of a copy.
    #[inline]
    pub(super) fn class_of_read(&self) -> Class {
        if self.step { Class::Collection { order: self.number } } else { Class::Read }
    }

    /// The read that precedes it, for the program of a copy.
    #[inline]
    pub(super) fn reading(&self) -> Side {
        Side { command: Command::Read, ..self.work.side(1) }
    }

    /// Queue of its class.
    #[inline]
    pub(super) fn queue(&self) -> usize {
        self.class().queue()
    }

    /// Class of its commands on the die.
    #[inline]
    pub(super) fn class(&self) -> Class {
        match self.step {
            true => Class::Collection { order: self.number },
            false if self.work.is_read() => Class::Read,
            false => Class::Write,
        }
    }
}

/// A slab of operations.
#[derive(Clone, Debug, Default)]
pub(super) struct Operations {
    slots: Vec<Operation>,
    free: Vec<u32>,
}

impl Operations {
    /// Adds an operation without dependencies, of an epoch of collection steps if it belongs to a step. Returns its slot, and it.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        work: ChannelWork,
        task: u32,
        number: u64,
        epoch: Option<u32>,
    ) -> (u32, &mut Operation) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Operation::NONE);
            (self.slots.len() - 1) as u32
        });
        next_free(&self.slots, &self.free);
        // Filled in place: filling it elsewhere and moving it costs more.
        let operation = &mut self.slots[slot as usize];
        *operation = Operation {
            work,
            epoch: epoch.unwrap_or(0),
            number,
            task,
            waits: 0,
            then: NONE,
            next: [NONE; 2],
            behind: NONE,
            left: if work.is_single() { 1 } else { 2 },
            step: epoch.is_some(),
            aside: false,
            reads: false,
        };
        (slot, operation)
    }

    #[inline]
    pub(super) fn get(&self, slot: u32) -> &Operation {
        &self.slots[slot as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, slot: u32) -> &mut Operation {
        &mut self.slots[slot as usize]
    }

    /// Prefetches an operation.
    #[inline]
    pub(super) fn prefetch(&self, slot: u32) {
        prefetch(&self.slots, slot as usize);
    }

    #[inline]
    pub(super) fn remove(&mut self, slot: u32) {
        self.free.push(slot);
    }

    /// Outstanding operations, with their slots.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &Operation)> {
        let is_free = |slot: usize| self.free.contains(&(slot as u32));
        self.slots.iter().enumerate().filter(move |(slot, _)| !is_free(*slot))
    }

    pub(super) fn outstanding(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Operation>() + self.free.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_takes_a_cache_line() {
        assert_eq!(size_of::<Operation>(), 64);
    }
}
