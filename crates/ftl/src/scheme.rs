//! The trait that every scheme implements.

use crate::{BufferLog, BufferPlan, DirtyPages, FtlError, Guarantee, Ram, VictimWork};
use alloc::vec::Vec;
use flash::{Cause, Flash, Lpn, Ns};

/// How far ahead a request is when its lines are fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefetch {
    /// Far ahead: the map entry itself.
    Map,
    /// Nearer: what the map entry of a page to be written points to (its line is here by now).
    Block,
    /// Nearer: the same of a page to be read.
    Page,
}

/// How the blocks of one logical block are merged (Kim et al., IEEE TCE 48(2), 2002).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MergeKind {
    /// The log block holds all pages in place and becomes the data block.
    Switch = 0,
    /// The log block holds the first pages in place, gets the rest and becomes the data block.
    Partial = 1,
    /// All pages go to a new block.
    Full = 2,
}

impl MergeKind {
    /// Every kind, in order of its number.
    pub const ALL: [Self; 3] = [Self::Switch, Self::Partial, Self::Full];

    /// What its operations are charged to.
    pub fn cause(self) -> Cause {
        match self {
            Self::Switch => Cause::SwitchMerge,
            Self::Partial => Cause::PartialMerge,
            Self::Full => Cause::FullMerge,
        }
    }

    /// How reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Switch => "switch",
            Self::Partial => "partial",
            Self::Full => "full",
        }
    }
}

/// What a scheme has collected so far, and why it could.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionLog {
    /// Victims taken.
    pub started: u64,
    /// Victims erased.
    pub finished: u64,
    /// Victims by valid pages when taken: `0..=π`.
    pub victim_valid: Vec<u64>,
    /// Steps of partial collection run (whole-block collection: one a victim).
    pub steps: u64,
    /// Victims taken in idle time.
    pub idle: u64,
    /// Fewest free pages seen at the end of a host write.
    pub least_free_pages: u64,
    /// Free pages below which collection starts (ρ_th).
    pub threshold_pages: u64,
    /// Logical pages whose only copy became unreadable while it was to be copied.
    pub lost_pages: u64,
    /// Erases beyond what the scheme's tables can count, since the format or mount (2LGC's counts of 13 bits).
    pub saturated_erases: u64,
    /// Blocks retired as bad since the format.
    pub retired_blocks: u32,
    /// Merges of logical blocks, by [`MergeKind`]; 0 in schemes without log blocks.
    pub merges: [u64; MergeKind::ALL.len()],
}

impl CollectionLog {
    /// An empty log of a scheme whose victims have at most `pages_per_block` valid pages and which starts
    /// collecting below `threshold_pages` free pages.
    pub fn new(pages_per_block: u32, threshold_pages: u64) -> Self {
        Self {
            victim_valid: alloc::vec![0; pages_per_block as usize + 1],
            least_free_pages: u64::MAX,
            threshold_pages,
            ..Self::default()
        }
    }

    pub(crate) fn count_merge(&mut self, kind: MergeKind) {
        self.merges[kind as usize] += 1;
    }
}

/// Lookups in a cache of the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MapCache {
    /// Found in RAM.
    pub hits: u64,
    /// Read from a translation page.
    pub misses: u64,
}

/// A flash translation layer over one array.
///
/// A call returns when the task and the collection that it owes are done; which part of the time was
/// which is told by the causes charged to the array. Data pass as slices of one page, or empty where the
/// array keeps no user bytes.
pub trait Scheme {
    /// The array below.
    type Flash: Flash;

    /// The array below.
    fn flash(&self) -> &Self::Flash;

    /// The array below, to be changed (by wrappers' controls, not behind the scheme's back).
    fn flash_mut(&mut self) -> &mut Self::Flash;

    /// Gives the array back, as after pulling the plug: nothing is written.
    fn into_flash(self) -> Self::Flash;

    /// Logical pages exported: valid LPNs are `0..logical_pages`.
    fn logical_pages(&self) -> u32;

    /// Refuses a page beyond the logical space.
    ///
    /// # Errors
    /// [`FtlError::BeyondDevice`].
    #[inline]
    fn check(&self, lpn: Lpn) -> Result<(), FtlError> {
        let logical_pages = self.logical_pages();
        if lpn.0 < logical_pages {
            return Ok(());
        }
        Err(FtlError::BeyondDevice { lpn, logical_pages })
    }

    /// Writes one page. Durable when it returns, unless the scheme says otherwise
    /// ([`Guarantee::volatile`]): then after a flush.
    ///
    /// # Errors
    /// [`FtlError::BeyondDevice`], [`FtlError::Full`], or what the array says.
    fn write(&mut self, lpn: Lpn, data: &[u8]) -> Result<(), FtlError>;

    /// As [`Scheme::write`], below a write buffer: a collector that can takes the pages that are dirty there
    /// along, and tells the buffer which those were.
    ///
    /// # Errors
    /// As [`Scheme::write`].
    #[inline]
    fn write_below<B: DirtyPages>(
        &mut self,
        lpn: Lpn,
        data: &[u8],
        _buffer: &mut B,
    ) -> Result<(), FtlError> {
        self.write(lpn, data)
    }

    /// Whether the buffer is told of every page that a collector moves ([`DirtyPages::moved`]).
    const TELLS_MOVES: bool = false;

    /// Whether a task may come between the operations of a collection. Else the controller does nothing else until a
    /// collection has ended.
    const YIELDS: bool = false;

    /// Writes one page that is durable when it returns (force unit access).
    ///
    /// # Errors
    /// As [`Scheme::write`] and [`Scheme::flush`].
    fn write_through(&mut self, lpn: Lpn, data: &[u8]) -> Result<(), FtlError> {
        self.write(lpn, data)?;
        self.flush()
    }

    /// Reads one page; `false` where it was never written or was trimmed (then `data` is zeros and no
    /// flash page was read).
    ///
    /// # Errors
    /// [`FtlError::BeyondDevice`], or what the array says.
    fn read(&mut self, lpn: Lpn, data: &mut [u8]) -> Result<bool, FtlError>;

    /// Forgets one page. Advisory: after a power cut it may read as it did before the trim.
    ///
    /// # Errors
    /// [`FtlError::BeyondDevice`], or what the array says.
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError>;

    /// Makes all that was acknowledged durable.
    ///
    /// # Errors
    /// What the array says.
    fn flush(&mut self) -> Result<(), FtlError>;

    /// Prepares for power that will be switched off: all that was acknowledged is durable, and the next mount
    /// is as short as the scheme can make it. Any task may follow all the same.
    ///
    /// # Errors
    /// As [`Scheme::flush`].
    fn shutdown(&mut self) -> Result<(), FtlError> {
        self.flush()
    }

    /// There is idle time of at least [`Scheme::idle_ns`] before the next request: collect in it, if the scheme does.
    /// Returns whether it did.
    ///
    /// # Errors
    /// What the array says.
    fn idle(&mut self) -> Result<bool, FtlError> {
        Ok(false)
    }

    /// How long the next [`Scheme::idle`] takes at most, as things are now: an erase, unless the scheme does more in idle
    /// time.
    fn idle_ns(&self) -> Ns {
        self.flash().longest_erase_ns()
    }

    /// When, by the clock that [`Scheme::advance`] sets, something is due without a request; [`Ns::MAX`] where
    /// nothing is.
    fn due_ns(&self) -> Ns {
        Ns::MAX
    }

    /// The host's clock shows `now_ns`, no less than before: does what is due first, if that is due by now.
    ///
    /// # Errors
    /// As [`Scheme::write`].
    #[inline]
    fn advance(&mut self, _now_ns: Ns) -> Result<(), FtlError> {
        Ok(())
    }

    /// Time spent on RAM rather than on the array, all tasks together, ns: accesses to a write buffer.
    #[inline]
    fn ram_ns(&self) -> Ns {
        0
    }

    /// Pages that may be programmed without an erase.
    fn free_pages(&self) -> u64;

    /// What it promises on this part and geometry.
    fn guarantee(&self) -> Guarantee;

    /// What its state takes in a controller's RAM.
    fn ram(&self) -> Ram;

    /// Bytes of memory that this simulation of it takes (array excluded).
    fn heap_bytes(&self) -> usize;

    /// Pages taken up in the write queue, where the scheme has one: from the oldest block that is not erased
    /// yet to the next page to be written.
    fn write_queue_pages(&self) -> Option<u64> {
        None
    }

    /// Lookups in the map's cache so far, where the scheme has one.
    fn map_cache(&self) -> Option<MapCache> {
        None
    }

    /// The write buffer, where there is one.
    fn buffer_plan(&self) -> Option<&BufferPlan> {
        None
    }

    /// What the write buffer did so far, where there is one.
    fn buffer_log(&self) -> Option<&BufferLog> {
        None
    }

    /// What was collected, and when.
    fn collections(&self) -> &CollectionLog;

    /// Entries that the choice of victims read and wrote so far, where a policy of the list chooses them.
    fn victim_work(&self) -> Option<VictimWork> {
        None
    }

    /// Starts the log of collections (and of victim work, cache lookups and the buffer) anew: what follows is measured.
    fn restart_collections(&mut self);

    /// Fetches lines that a task on `lpn` will need. No effect but speed.
    #[inline]
    fn prefetch(&self, _lpn: Lpn, _what: Prefetch) {}
}
