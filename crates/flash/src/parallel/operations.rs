//! Operations that are not done, and what each waits for.

use crate::address::{BlockId, Geometry, Ppn};
use crate::channels::{Class, Command, DieAddress, Pages, QUEUES};
use crate::time::Ns;
use alloc::collections::VecDeque;
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

    /// Whether it changes its first block, and its second.
    #[inline]
    fn changes(&self) -> [bool; 2] {
        let (first, second) = self.sides();
        let in_first = second.is_some_and(|second| second.block == first.block);
        [in_first || !first.command.is_read(), true]
    }

    /// The block and the page that it programs, if it does.
    #[inline]
    fn programs(&self) -> Option<(BlockId, u32)> {
        let (first, second) = self.sides();
        let last = second.unwrap_or(first);
        let programs =
            matches!(last.command, Command::Program | Command::CacheProgram | Command::CopyProgram);
        programs.then(|| (last.block, last.pages.as_slice()[0].page))
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
    /// The epoch of collection steps that it is part of, if of any.
    pub(super) step: Option<u64>,
    pub(super) class: Class,
    /// Number of the task that asked for it.
    pub(super) number: u64,
    /// A read of the host from where its page is: it is behind nothing of its block, whose erase waits for it.
    pub(super) aside: bool,
    /// Of the program of a copy: the page that it is copied from, and the program behind it in its block.
    pub(super) from: Option<Ppn>,
    pub(super) behind: u32,
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
            step: None,
            class: Class::default(),
            number: 0,
            aside: false,
            from: None,
            behind: NONE,
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

    /// Those that are not done, by slot.
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

/// What each block's operations have to wait for.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// The last operation of each block that is not submitted.
    held: Vec<u32>,
    /// Copies out of each block; empty until the first.
    copies: Vec<Copies>,
    /// Of which class each block's operations are that are submitted and not done; empty where classes are of no account.
    classes: Vec<Classes>,
}

/// Operations of a block that are submitted and not done. Those of different classes may pass each other, so all that do
/// not read are of one class, and reads of another are not among them.
#[derive(Clone, Copy, Debug)]
struct Classes {
    /// By class, and of these the programs and erases.
    counts: [u32; QUEUES],
    changes: [u32; QUEUES],
    /// The operation that waits until those of other classes are done.
    waits: u32,
    /// Programs of the block that are not done, and the page behind the last that was asked for.
    programs: u32,
    next: u32,
    /// Those of copies into it, in their order: the first, and the last.
    arriving: [u32; 2],
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
        Self { held: alloc::vec![NONE; blocks as usize], copies: Vec::new(), classes: Vec::new() }
    }

    /// Operations of different classes may pass each other from here on, but for those of one block.
    pub(super) fn keep_classes(&mut self) {
        let none = Classes {
            counts: [0; QUEUES],
            changes: [0; QUEUES],
            waits: NONE,
            programs: 0,
            next: 0,
            arriving: [NONE; 2],
        };
        self.classes = alloc::vec![none; self.held.len()];
    }

    /// How many blocks of an operation, which waits for nothing else, have operations of another class under way, and whether
    /// any of these is of collection. It is released once for each.
    #[inline]
    pub(super) fn conflicts(&mut self, operation: &Operation, slot: u32) -> (u32, bool) {
        let (mut waits, mut collected) = (0, false);
        if !self.classes.is_empty() && !operation.aside {
            let queue = operation.class.queue();
            for (block, changes) in operation.work.blocks().zip(operation.work.changes()) {
                let classes = &mut self.classes[block.0 as usize];
                let counts = if changes { &classes.counts } else { &classes.changes };
                let others = (0..QUEUES).filter(|other| *other != queue && counts[*other] > 0);
                if let Some(last) = others.last() {
                    classes.waits = slot;
                    waits += 1;
                    collected |= last == Class::COLLECTION;
                }
            }
        }
        (waits, collected)
    }

    /// An operation is asked for.
    #[inline]
    pub(super) fn asked(&mut self, operation: &Operation) {
        if let Some((block, page)) = operation.work.programs()
            && let Some(classes) = self.classes.get_mut(block.0 as usize)
        {
            classes.programs += 1;
            classes.next = page + 1;
        }
    }

    /// A page is being copied into the block of this program.
    pub(super) fn arriving(&mut self, operations: &mut Operations, slot: u32, block: BlockId) {
        let Some(classes) = self.classes.get_mut(block.0 as usize) else { return };
        let [first, last] = &mut classes.arriving;
        match core::mem::replace(last, slot) {
            NONE => *first = slot,
            before => operations.get_mut(before).behind = slot,
        }
    }

    /// The first program of a copy into a block is done: `behind` is the one after it.
    fn arrived(&mut self, block: BlockId, behind: u32) {
        if let Some(classes) = self.classes.get_mut(block.0 as usize) {
            classes.arriving[0] = behind;
            if behind == NONE {
                classes.arriving[1] = NONE;
            }
        }
    }

    /// Where the host can read the page of `ppn` without regard to what else its block waits for: there, where it is
    /// programmed; where it still is, while it is copied, in a block that is not programmed any more. `None` where it is
    /// nowhere yet, or that cannot be told.
    pub(super) fn readable_at(
        &self,
        operations: &Operations,
        geometry: &Geometry,
        ppn: Ppn,
    ) -> Option<Ppn> {
        let (block, page) = geometry.split(ppn);
        let classes = self.classes.get(block.0 as usize)?;
        // Its last programs are those that are not done.
        if classes.programs == 0 || page + classes.programs < classes.next {
            return Some(ppn);
        }
        let mut slot = classes.arriving[0];
        while slot != NONE {
            let operation = operations.get(slot);
            if operation.work.programs() == Some((block, page)) {
                let from = operation.from?;
                let classes = self.classes.get(geometry.block_of(from).0 as usize)?;
                return Some(from).filter(|_| classes.programs == 0);
            }
            slot = operation.behind;
        }
        None
    }

    /// A read of the host from where its page is: the erase of that block waits for it as for a copy.
    pub(super) fn reading(&mut self, operations: &mut Operations, block: BlockId) {
        self.copying(block);
        let copies = &mut self.copies[block.0 as usize];
        if copies.erase != NONE {
            copies.count -= 1;
            operations.get_mut(copies.erase).waits += 1;
        }
    }

    /// An operation is done; those that waited for that.
    #[inline]
    pub(super) fn done(&mut self, operation: &Operation) -> [u32; 2] {
        let mut released = [NONE; 2];
        if operation.from.is_some() {
            let (first, second) = operation.work.sides();
            self.arrived(second.unwrap_or(first).block, operation.behind);
        }
        if let Some((block, _)) = operation.work.programs()
            && let Some(classes) = self.classes.get_mut(block.0 as usize)
        {
            classes.programs -= 1;
        }
        if !self.classes.is_empty() && !operation.aside {
            let queue = operation.class.queue();
            let blocks = operation.work.blocks().zip(operation.work.changes());
            for (released, (block, changes)) in released.iter_mut().zip(blocks) {
                let classes = &mut self.classes[block.0 as usize];
                classes.counts[queue] -= 1;
                classes.changes[queue] -= u32::from(changes);
                // It looks again whether it has to wait.
                if classes.counts[queue] == 0 || changes && classes.changes[queue] == 0 {
                    *released = core::mem::replace(&mut classes.waits, NONE);
                }
            }
        }
        released
    }

    /// Puts an operation behind those of its blocks that are not submitted; how many it waits for, and whether any of these is
    /// of collection.
    pub(super) fn enter(&mut self, operations: &mut Operations, slot: u32) -> (u32, bool) {
        let work = operations.get(slot).work;
        let (mut waits, mut collected) = (0, false);
        for block in work.blocks() {
            let before = self.held[block.0 as usize];
            if before != NONE {
                let before = operations.get_mut(before);
                before.next[usize::from(before.work.sides().0.block != block)] = slot;
                waits += 1;
                collected |= before.class.is_collection();
            }
        }
        let copies = if work.is_erase() { self.erase(operations, slot) } else { 0 };
        (waits + copies, collected)
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
        let queue = operation.class.queue();
        for (block, changes) in operation.work.blocks().zip(operation.work.changes()) {
            if let Some(classes) = self.classes.get_mut(block.0 as usize) {
                classes.counts[queue] += 1;
                classes.changes[queue] += u32::from(changes);
            }
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
        self.held.capacity() * 4
            + self.copies.capacity() * size_of::<Copies>()
            + self.classes.capacity() * size_of::<Classes>()
    }
}

/// Collection steps that are not done, and the operations of tasks that wait for them: each for the steps that were asked
/// for before it, and for none that came later, which may wait for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// Number of the first epoch below.
    first: u64,
    epochs: VecDeque<Epoch>,
    behind: VecDeque<u32>,
    /// Operations of all of them that are not done.
    pub(super) left: u32,
}

/// Steps that were asked for without an operation between them that waits for them.
#[derive(Clone, Copy, Debug, Default)]
struct Epoch {
    /// Their operations that are not done.
    left: u32,
    /// Operations that wait for these and for all before.
    behind: u32,
}

impl Steps {
    /// Another operation of a step: its epoch.
    #[inline]
    pub(super) fn add(&mut self) -> u64 {
        self.left += 1;
        match self.epochs.back_mut() {
            Some(epoch) if epoch.behind == 0 => epoch.left += 1,
            _ => self.epochs.push_back(Epoch { left: 1, behind: 0 }),
        }
        self.first + self.epochs.len() as u64 - 1
    }

    /// The operation waits for all steps so far.
    pub(super) fn wait(&mut self, slot: u32) {
        if let Some(epoch) = self.epochs.back_mut() {
            epoch.behind += 1;
            self.behind.push_back(slot);
        }
    }

    /// An operation of a step is done; those that waited for that and for no other step are told to `released`.
    #[inline]
    pub(super) fn done(&mut self, epoch: u64, mut released: impl FnMut(u32)) {
        self.left -= 1;
        if let Some(epoch) = self.epochs.get_mut((epoch - self.first) as usize) {
            epoch.left -= 1;
        }
        while let Some(Epoch { left: 0, behind }) = self.epochs.front().copied() {
            self.epochs.pop_front();
            self.first += 1;
            (0..behind).filter_map(|_| self.behind.pop_front()).for_each(&mut released);
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.epochs.capacity() * size_of::<Epoch>() + self.behind.capacity() * 4
    }
}
