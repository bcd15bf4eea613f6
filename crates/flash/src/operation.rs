//! Flash operations, the causes they are charged to, and counts of both.

/// What the array is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Operation {
    /// Page read (data and OOB).
    Read = 0,
    /// OOB read alone.
    ReadOob = 1,
    /// Page program (data and OOB).
    Program = 2,
    /// Page copied to another page: a read and a program on one chip.
    Copy = 3,
    /// Block erase.
    Erase = 4,
}

/// On whose behalf: write amplification and time are split by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Cause {
    /// The host's own reads and writes.
    Host = 0,
    /// Garbage collection (copies and erases of victims).
    Collection = 1,
    /// Mapping metadata on flash, on the way of a host's read or write: looked up, or evicted from RAM.
    Translation = 2,
    /// Mapping metadata written back apart from any task, or because pages that were collected have moved.
    WriteBack = 3,
    /// Garbage collection of blocks that hold mapping metadata.
    TranslationCollection = 4,
    /// Merges of blocks that hold versions of the same logical blocks, in which the log block becomes the data
    /// block as it is.
    SwitchMerge = 5,
    /// The same, in which the log block gets the rest of the pages first.
    PartialMerge = 6,
    /// The same, in which all pages go to a new block.
    FullMerge = 7,
    /// Rebuilding state after a power-up.
    Mount = 8,
    /// Static wear levelling: cold data moved onto worn blocks, and the erases that go with it.
    WearLevel = 9,
}

impl Cause {
    /// Whether time for this cause is that of a collection step, rather than of the task's own service.
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
        )
    }
}

macro_rules! all {
    ($t:ident: $($v:ident = $name:literal),*) => {
        impl $t {
            /// Every value, in order of its number.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$v),*];
            /// How reports name it.
            pub fn name(self) -> &'static str { match self { $(Self::$v => $name),* } }
        }
    };
}
all!(Operation: Read = "read", ReadOob = "read-oob", Program = "program", Copy = "copy", Erase = "erase");
all!(Cause: Host = "host", Collection = "collection", Translation = "translation", WriteBack = "write-back", TranslationCollection = "translation-collection", SwitchMerge = "switch-merge", PartialMerge = "partial-merge", FullMerge = "full-merge", Mount = "mount", WearLevel = "wear-level");

/// Operations done, by operation and cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([[u64; Operation::ALL.len()]; Cause::ALL.len()]);

impl Counts {
    /// One more.
    #[inline]
    pub fn add(&mut self, op: Operation, cause: Cause) {
        self.0[cause as usize][op as usize] += 1;
    }

    /// So many more.
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

    /// What was done since `earlier` was taken.
    pub fn since(&self, earlier: &Counts) -> Counts {
        let mut out = *self;
        for (now, then) in out.0.iter_mut().flatten().zip(earlier.0.iter().flatten()) {
            *now -= then;
        }
        out
    }
}
