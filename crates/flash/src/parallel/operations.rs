//! Operations that are not done, and what each waits for.

use crate::address::BlockId;
use crate::channels::{Command, DieAddress, Pages};
use crate::time::Ns;
use alloc::vec::Vec;

/// No operation, no task, no block.
pub(super) const NONE: u32 = u32::MAX;

/// A command to a die.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub(super) block: BlockId,
    pub(super) die: DieAddress,
    pub(super) command: Command,
    pub(super) pages: Pages,
}

/// What reaches the channels at once.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// One command.
    One(Side),
    /// A read and the program of what it leaves in the registers, on one die.
    CopyBack(Side, Side),
    /// A direct transfer between two dies of a channel.
    Direct(Side, Side),
}

impl Work {
    /// Commands that it consists of.
    pub(super) fn sides(&self) -> (Side, Option<Side>) {
        match *self {
            Self::One(side) => (side, None),
            Self::CopyBack(from, to) | Self::Direct(from, to) => (from, Some(to)),
        }
    }

    /// The blocks that it concerns, each once.
    fn blocks(&self) -> impl Iterator<Item = BlockId> + use<> {
        let (first, second) = self.sides();
        let second = second.map(|side| side.block).filter(|block| *block != first.block);
        core::iter::once(first.block).chain(second)
    }

    pub(super) fn is_erase(&self) -> bool {
        matches!(self, Self::One(side) if side.command == Command::Erase)
    }
}

/// An operation that is not done.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub(super) work: Work,
    /// Bus time for corrected bytes.
    pub(super) repair_ns: Ns,
    /// The task that waits for it.
    pub(super) task: u32,
    /// What it waits for: so many operations to be done or to be submitted.
    pub(super) waits: u32,
    /// Commands of it that are not done.
    pub(super) left: u32,
    /// The operation that waits until this one is done.
    pub(super) then: u32,
    /// The operations that wait until this one is submitted, one for each block that it concerns.
    pub(super) next: [u32; 2],
    /// Of an erase that waits for copies: the next such erase of its block.
    pub(super) erase: u32,
    /// The block that a page leaves for good with it.
    pub(super) out_of: u32,
    /// Part of a collection step.
    pub(super) step: bool,
}

impl Operation {
    pub(super) fn new(work: Work, task: u32) -> Self {
        let left = if work.sides().1.is_some() { 2 } else { 1 };
        Self {
            work,
            repair_ns: 0,
            task,
            waits: 0,
            left,
            then: NONE,
            next: [NONE; 2],
            erase: NONE,
            out_of: NONE,
            step: false,
        }
    }
}

/// A slab of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Operations {
    slots: Vec<Operation>,
    free: Vec<u32>,
}

impl Operations {
    pub(super) fn add(&mut self, operation: Operation) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = operation;
                slot
            }
            None => {
                self.slots.push(operation);
                (self.slots.len() - 1) as u32
            }
        }
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

    pub(super) fn outstanding(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Operation>() + self.free.capacity() * 4
    }
}

/// What each block's operations have to wait for.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// The last operation of each block that is not submitted.
    held: Vec<u32>,
    /// Copies out of each block; empty until the first.
    copies: Vec<Copies>,
}

/// Copies under way out of a block.
#[derive(Clone, Copy, Debug)]
struct Copies {
    /// Those since the last erase of the block was asked for.
    count: u32,
    /// The first erase of the block that waits for earlier ones. A copy that is done while there is one is one of
    /// those: what was asked for behind the erase cannot reach the die before it.
    erase: u32,
}

impl Order {
    pub(super) fn new(blocks: u32) -> Self {
        Self { held: alloc::vec![NONE; blocks as usize], copies: Vec::new() }
    }

    /// Puts an operation behind those of its blocks that are not submitted; how many it waits for.
    pub(super) fn enter(&mut self, operations: &mut Operations, slot: u32) -> u32 {
        let work = operations.get(slot).work;
        let mut waits = 0;
        for block in work.blocks() {
            let before = self.held[block.0 as usize];
            if before != NONE {
                let before = operations.get_mut(before);
                before.next[usize::from(before.work.sides().0.block != block)] = slot;
                waits += 1;
            }
        }
        if work.is_erase() { waits + self.erase(operations, slot) } else { waits }
    }

    /// The copies that an erase waits for.
    fn erase(&mut self, operations: &mut Operations, slot: u32) -> u32 {
        let block = operations.get(slot).work.sides().0.block;
        let Some(copies) = self.copies.get_mut(block.0 as usize) else { return 0 };
        let waits = core::mem::take(&mut copies.count);
        if waits == 0 {
            return 0;
        }
        if copies.erase == NONE {
            copies.erase = slot;
            return waits;
        }
        let mut last = copies.erase;
        while operations.get(last).erase != NONE {
            last = operations.get(last).erase;
        }
        operations.get_mut(last).erase = slot;
        waits
    }

    /// The operation has to wait: what comes for its blocks goes behind it.
    pub(super) fn hold(&mut self, work: &Work, slot: u32) {
        work.blocks().for_each(|block| self.held[block.0 as usize] = slot);
    }

    /// The operation is submitted; those that waited for that.
    pub(super) fn leave(&mut self, operation: &Operation, slot: u32) -> [u32; 2] {
        for block in operation.work.blocks() {
            let held = &mut self.held[block.0 as usize];
            if *held == slot {
                *held = NONE;
            }
            if let Some(copies) = self.copies.get_mut(block.0 as usize)
                && copies.erase == slot
            {
                copies.erase = operation.erase;
            }
        }
        operation.next
    }

    /// A page is on its way out of the block.
    pub(super) fn copying(&mut self, block: BlockId) {
        if self.copies.is_empty() {
            self.copies = alloc::vec![Copies { count: 0, erase: NONE }; self.held.len()];
        }
        self.copies[block.0 as usize].count += 1;
    }

    /// It has arrived; the erase that waits for it.
    pub(super) fn copied(&mut self, block: u32) -> u32 {
        let copies = &mut self.copies[block as usize];
        if copies.erase == NONE {
            copies.count -= 1;
        }
        copies.erase
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.held.capacity() * 4 + self.copies.capacity() * size_of::<Copies>()
    }
}
