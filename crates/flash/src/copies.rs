//! Copies within flash: the path that a page takes, what a run of copies takes by it, and how a channel's devices
//! share the blocks of an array.
//!
//! ```text
//! F fetch: until the data can go to the destination     D load: until the destination is confirmed
//! within one device:             a page takes F + D + t_PROG; nothing overlaps
//! between two, page i is        confirmed at C_i = max(C_{i−1} + F, S_{i−1} + t_PROG) + D
//!   with cache program                       C_i = max(C_{i−1} + F, S_{i−1}) + D
//!   and its program begins at               S_i = max(S_{i−1} + t_PROG, C_i)
//! ```
//!
//! Corrected bytes that are sent again lengthen D.
//!
//! Source: Jeong and Song, "A technique to improve garbage collection performance for NAND flash-based storage
//! systems", IEEE Trans. Consumer Electronics 58(2), 2012, §III and Eqs 9–13, which these recurrences are where a
//! program hides the next read.

use crate::address::BlockId;
use crate::time::Ns;
use core::fmt;

/// How a page gets from its old place to its new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum CopyPath {
    /// Internal copy-back: within a plane, by the data register; the page goes out to be checked, and corrected
    /// bytes come back.
    Icb = 0,
    /// Internal copy-back without the check, as parts do it by themselves: wrong bits stay in the copy.
    IcbUnchecked = 1,
    /// Local copy-back: through the controller, within a device.
    Lcb = 2,
    /// Global copy-back: through the controller, to another device of the channel.
    Gcb = 3,
    /// Global copy-back by direct data transfer: the destination takes what the source puts on the bus.
    Dgcb = 4,
}

impl CopyPath {
    /// Every path, in order of its number.
    pub const ALL: [Self; 5] = [Self::Icb, Self::IcbUnchecked, Self::Lcb, Self::Gcb, Self::Dgcb];

    /// Name by which the command line knows it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Icb => "icb",
            Self::IcbUnchecked => "icb-unchecked",
            Self::Lcb => "lcb",
            Self::Gcb => "gcb",
            Self::Dgcb => "dgcb",
        }
    }

    /// Whether source and destination are two devices, so that a read overlaps a program and cache program
    /// gains anything. A device that programs cannot read, and ICB "has no way to utilize" the cache (§V).
    pub const fn between_devices(self) -> bool {
        matches!(self, Self::Gcb | Self::Dgcb)
    }

    /// Whether corrected bytes are sent again, rather than the whole page or nothing.
    pub const fn sends_corrections(self) -> bool {
        matches!(self, Self::Icb | Self::Dgcb)
    }
}

impl fmt::Display for CopyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What copies by one path take, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyTimes {
    /// The path.
    pub path: CopyPath,
    /// Whether programs go through the cache register; of no account for a path within one device.
    pub cache_program: bool,
    /// F: until the page can go to its destination.
    pub fetch_ns: Ns,
    /// D: from there until the program is confirmed, without corrected bytes.
    pub load_ns: Ns,
    /// Program busy (t_PROG).
    pub prog_ns: Ns,
    /// Each corrected byte that is sent again; 0 where none is.
    pub repair_ns: Ns,
}

impl CopyTimes {
    /// A run of pages, one after another, with as many corrected bytes each, ns. 0 for no page.
    ///
    /// Overflows for no block of any part whose figures `bounds` takes; for longer runs of the slowest it may.
    pub fn run_ns(&self, pages: u64, corrected_bytes: u64) -> Ns {
        if pages == 0 {
            return 0;
        }
        let load = self.load_ns + corrected_bytes * self.repair_ns;
        let (fetch, prog) = (self.fetch_ns, self.prog_ns);
        let further = if !self.path.between_devices() {
            fetch + load + prog
        } else if self.cache_program {
            prog.max(fetch + load)
        } else {
            load + prog.max(fetch)
        };
        fetch + load + (pages - 1) * further + prog
    }

    /// A run whose pages have different numbers of corrected bytes, to be added one by one.
    pub fn run(&self) -> CopyRun<'_> {
        CopyRun { times: self, confirmed_ns: 0, started_ns: 0, programmed_ns: 0 }
    }
}

/// A run of copies under way, from 0.
#[derive(Clone, Copy, Debug)]
pub struct CopyRun<'a> {
    times: &'a CopyTimes,
    confirmed_ns: Ns,
    started_ns: Ns,
    programmed_ns: Ns,
}

impl CopyRun<'_> {
    /// The next page, so many bytes of which are sent again.
    #[inline]
    pub fn page(&mut self, corrected_bytes: u64) {
        let times = self.times;
        let (idle, register_free) = match (times.path.between_devices(), times.cache_program) {
            (false, _) => (self.programmed_ns, self.programmed_ns),
            (true, false) => (self.confirmed_ns, self.programmed_ns),
            (true, true) => (self.confirmed_ns, self.started_ns),
        };
        let load = times.load_ns + corrected_bytes * times.repair_ns;
        self.confirmed_ns = register_free.max(idle + times.fetch_ns) + load;
        self.started_ns = self.programmed_ns.max(self.confirmed_ns);
        self.programmed_ns = self.started_ns + times.prog_ns;
    }

    /// Until the last page is programmed, ns.
    pub fn total_ns(&self) -> Ns {
        self.programmed_ns
    }
}

/// How a controller copies pages on a channel of some devices: by one path within a device, by another between two.
///
/// Blocks go to the devices in turn: block `b` is of device `b mod ways`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    /// Devices of the channel, 1 or more.
    pub ways: u32,
    /// Within a device.
    pub near: CopyTimes,
    /// Between two; of no account where there is one.
    pub far: CopyTimes,
    /// Corrected bytes a page that promises count with.
    pub most_corrected_bytes: u32,
}

impl Copies {
    /// Whether two blocks are of different devices.
    #[inline]
    pub fn are_apart(&self, from: BlockId, to: BlockId) -> bool {
        self.ways > 1 && from.0 % self.ways != to.0 % self.ways
    }

    /// What copies from one block to another take.
    #[inline]
    pub fn between(&self, from: BlockId, to: BlockId) -> &CopyTimes {
        if self.are_apart(from, to) { &self.far } else { &self.near }
    }

    /// The longest that one run of copies takes, ns: wherever its pages lie, as long as no page has more corrected
    /// bytes than [`Copies::most_corrected_bytes`]. Copies in several runs may take longer than as many in one,
    /// for each run starts without a page to overlap with.
    pub fn longest_ns(&self, pages: u64) -> Ns {
        let longest = |times: &CopyTimes| times.run_ns(pages, self.most_corrected_bytes.into());
        let near = longest(&self.near);
        if self.ways > 1 { near.max(longest(&self.far)) } else { near }
    }

    /// The most pages that one run copies within `limit_ns`, all of them between two devices (`far`) or all within
    /// one, each with [`Copies::most_corrected_bytes`].
    pub fn pages_within(&self, limit_ns: Ns, far: bool) -> u32 {
        let times = if far { &self.far } else { &self.near };
        let takes = |pages: u64| times.run_ns(pages, self.most_corrected_bytes.into());
        let first = takes(1);
        if first > limit_ns {
            return 0;
        }
        let further = (limit_ns - first).checked_div(takes(2) - first).unwrap_or(u64::MAX);
        u32::try_from(further.saturating_add(1)).unwrap_or(u32::MAX)
    }
}
