//! Outstanding operations.

use crate::address::BlockId;
use crate::channels::{Class, Command};
use crate::time::Ns;
use alloc::vec::Vec;

/// No operation, no task, no block.
pub(super) const NONE: u32 = u32::MAX;

/// No epoch of steps.
pub(super) const NO_STEP: u64 = u64::MAX;

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

/// Commands that reach the channels together.
#[derive(Clone, Copy, Debug)]
pub(super) enum ChannelWork {
    /// One command.
    One(Side),
    /// A read and the program of what it leaves in the registers, on one die.
    CopyBack(Side, Side),
    /// A direct transfer between two dies of a channel.
    Direct(Side, Side),
}

impl ChannelWork {
    /// Its commands.
    #[inline]
    pub(super) fn sides(&self) -> (Side, Option<Side>) {
        match *self {
            Self::One(side) => (side, None),
            Self::CopyBack(from, to) | Self::Direct(from, to) => (from, Some(to)),
        }
    }

    /// Its blocks, each once, and whether it changes them.
    #[inline]
    pub(super) fn blocks(&self) -> impl Iterator<Item = (BlockId, bool)> + use<> {
        let (first, second) = self.sides();
        let second = second.map(|side| side.block);
        let within = second == Some(first.block);
        let changes = within || !first.command.is_read();
        let other = second.filter(|_| !within).map(|block| (block, true));
        core::iter::once((first.block, changes)).chain(other)
    }

    /// The block and the page that it programs, if any.
    #[inline]
    pub(super) fn programs(&self) -> Option<(BlockId, u32)> {
        let (first, second) = self.sides();
        let last = second.unwrap_or(first);
        last.programs().then_some((last.block, last.page))
    }

    #[inline]
    pub(super) fn is_erase(&self) -> bool {
        matches!(self, Self::One(side) if side.command == Command::Erase)
    }

    #[inline]
    pub(super) fn is_read(&self) -> bool {
        matches!(self, Self::One(side) if side.command.is_read())
    }
}

/// An outstanding operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub(super) work: ChannelWork,
    /// Bus time for corrected bytes.
    pub(super) repair_ns: Ns,
    /// Number of the task that issued it.
    pub(super) number: u64,
    /// Its epoch of collection steps; [`NO_STEP`]: none.
    pub(super) step: u64,
    /// The task that waits for it.
    pub(super) task: u32,
    /// Number of operations that must be done or submitted first.
    pub(super) waits: u32,
    /// The operation that waits until this one is done.
    pub(super) then: u32,
    /// The operations that wait until this one is submitted, one per block that it concerns.
    pub(super) next: [u32; 2],
    /// For an erase that waits for copies: the next such erase of its block.
    pub(super) erase: u32,
    /// The block that a page leaves for good with it.
    pub(super) out_of: u32,
    /// For the program of a copy: the source page, and the next such program of its block.
    pub(super) from: u32,
    pub(super) behind: u32,
    /// Its commands that are not done.
    pub(super) left: u8,
    /// True for a host read at the page's current location. It does not wait for its block's operations, and
    /// the block's erase waits for it.
    pub(super) aside: bool,
}

impl Operation {
    const NONE: Self = Self {
        work: ChannelWork::One(Side {
            block: BlockId(0),
            page: 0,
            command: Command::Read,
            slc: false,
        }),
        repair_ns: 0,
        number: 0,
        step: NO_STEP,
        task: NONE,
        waits: 0,
        then: NONE,
        next: [NONE; 2],
        erase: NONE,
        out_of: NONE,
        from: NONE,
        behind: NONE,
        left: 0,
        aside: false,
    };

    #[inline]
    pub(super) fn is_collection(&self) -> bool {
        self.step != NO_STEP
    }

    /// Class of its commands on the die.
    #[inline]
    pub(super) fn class(&self) -> Class {
        match self.step {
            NO_STEP if self.work.is_read() => Class::Read,
            NO_STEP => Class::Write,
            _ => Class::Collection { order: self.number },
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
    /// Adds an operation without dependencies. It is filled in place: filling it elsewhere and moving it costs
    /// more.
    #[inline]
    pub(super) fn add(&mut self, work: ChannelWork, task: u32, number: u64, step: u64) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Operation::NONE);
            (self.slots.len() - 1) as u32
        });
        let operation = &mut self.slots[slot as usize];
        operation.work = work;
        operation.repair_ns = 0;
        operation.number = number;
        operation.step = step;
        operation.task = task;
        operation.waits = 0;
        operation.then = NONE;
        operation.next = [NONE; 2];
        operation.erase = NONE;
        operation.out_of = NONE;
        operation.from = NONE;
        operation.behind = NONE;
        operation.left = if matches!(work, ChannelWork::One(_)) { 1 } else { 2 };
        operation.aside = false;
        slot
    }

    #[inline]
    pub(super) fn get(&self, slot: u32) -> &Operation {
        &self.slots[slot as usize]
    }

    #[inline]
    pub(super) fn get_mut(&mut self, slot: u32) -> &mut Operation {
        &mut self.slots[slot as usize]
    }

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
