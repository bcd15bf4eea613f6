//! Flash operations, the causes they are charged to, and counts by both.

/// Operation on the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Operation {
    /// Page read (data and OOB).
    Read = 0,
    /// OOB read alone.
    ReadOob = 1,
    /// Page program (data and OOB).
    Program = 2,
    /// Copy of a page to another page: a read and a program on one chip.
    Copy = 3,
    /// Block erase.
    Erase = 4,
}

/// Cause of an operation. Write amplification and time are broken down by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Cause {
    /// Reads and writes of the host.
    Host = 0,
    /// Garbage collection (copies and erases of victims).
    Collection = 1,
    /// Mapping metadata on flash during a host's read or write: a lookup, or an eviction from RAM.
    Translation = 2,
    /// Write-back of mapping metadata outside any task, or because collection moved pages.
    WriteBack = 3,
    /// Garbage collection of blocks that hold mapping metadata.
    TranslationCollection = 4,
    /// Switch merge: the log block becomes the data block as it is.
    SwitchMerge = 5,
    /// Partial merge: the log block first gets the remaining pages of the logical block.
    PartialMerge = 6,
    /// Full merge: all pages go to a new block.
    FullMerge = 7,
    /// Rebuilding state after a power-up.
    Mount = 8,
    /// Static wear levelling: cold data moved onto worn blocks, and the erases this needs.
    WearLevel = 9,
    /// Valid pages moved out of blocks in SLC mode, and the erases of these blocks, in idle time.
    Fold = 10,
    /// The same while a host write waits for the room. It is part of that write, not a step beside it.
    FoldOnWrite = 11,
    /// Valid pages moved because they are old or have many bit errors, and the erases of their blocks.
    Refresh = 12,
    /// The same because their block was read often.
    ReadReclaim = 13,
}

impl Cause {
    /// True if time for this cause belongs to a collection step and not to the task's own service.
    #[inline]
    pub const fn is_step(self) -> bool {
        matches!(
            self,
            Self::Collection
                | Self::WriteBack
                | Self::TranslationCollection
                | Self::SwitchMerge
                | Self::PartialMerge
                | Self::FullMerge
                | Self::WearLevel
                | Self::Fold
                | Self::Refresh
                | Self::ReadReclaim
        )
    }
}

macro_rules! all {
    ($t:ident: $($v:ident = $name:literal),*) => {
        impl $t {
            /// All values, in order of their numbers.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$v),*];
            /// Name in reports.
            pub fn name(self) -> &'static str { match self { $(Self::$v => $name),* } }
        }
    };
}
all!(Operation: Read = "read", ReadOob = "read-oob", Program = "program", Copy = "copy", Erase = "erase");
all!(Cause: Host = "host", Collection = "collection", Translation = "translation", WriteBack = "write-back", TranslationCollection = "translation-collection", SwitchMerge = "switch-merge", PartialMerge = "partial-merge", FullMerge = "full-merge", Mount = "mount", WearLevel = "wear-level", Fold = "fold", FoldOnWrite = "fold-on-write", Refresh = "refresh", ReadReclaim = "read-reclaim");

/// Counts of operations, by operation and cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([[u64; Operation::ALL.len()]; Cause::ALL.len()]);

impl Counts {
    /// Counts one operation.
    #[inline]
    pub fn add(&mut self, op: Operation, cause: Cause) {
        self.0[cause as usize][op as usize] += 1;
    }

    /// Counts `count` operations.
    #[inline]
    pub fn add_many(&mut self, op: Operation, cause: Cause, count: u64) {
        self.0[cause as usize][op as usize] += count;
    }

    /// Operations of one kind for one cause.
    #[inline]
    pub fn get(&self, op: Operation, cause: Cause) -> u64 {
        self.0[cause as usize][op as usize]
    }

    /// Operations of one kind for all causes.
    pub fn total(&self, op: Operation) -> u64 {
        self.0.iter().map(|by_op| by_op[op as usize]).sum()
    }

    /// Pages programmed for a cause, by program or by copy.
    pub fn pages_programmed(&self, cause: Cause) -> u64 {
        self.get(Operation::Program, cause) + self.get(Operation::Copy, cause)
    }

    /// Counts since the snapshot `earlier`.
    pub fn since(&self, earlier: &Counts) -> Counts {
        let mut out = *self;
        for (now, then) in out.0.iter_mut().flatten().zip(earlier.0.iter().flatten()) {
            *now -= then;
        }
        out
    }
}
