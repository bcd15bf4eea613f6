//! Copies within flash: the path of a page, and the time of a run of copies by it. Also the distribution of an
//! array's blocks over the devices of a channel.
//!
//! ```text
//! F fetch: until the data can go to the destination     D load: until the destination is confirmed
//! within one device:             each page takes F + D + t_PROG; nothing overlaps
//! between two, page i is        confirmed at C_i = max(C_{i−1} + F, S_{i−1} + t_PROG) + D
//!   with cache program                       C_i = max(C_{i−1} + F, S_{i−1}) + D
//!   and its program begins at               S_i = max(S_{i−1} + t_PROG, C_i)
//! ```
//!
//! Corrected bytes that are sent again lengthen D.
//!
//! Source: Jeong and Song, "A technique to improve garbage collection performance for NAND flash-based storage
//! systems", IEEE Trans. Consumer Electronics 58(2), 2012, §III and Eqs 9–13. These recurrences equal its
//! equations if a program hides the next read.

use crate::address::BlockId;
use crate::time::Ns;
use core::fmt;

/// Path of a page from its old location to its new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum CopyPath {
    /// Internal copy-back: within a plane, through the data register. The page goes out to the controller for
    /// the check, and corrected bytes come back.
    Icb = 0,
    /// Internal copy-back without the check, as parts do it by themselves. Bit errors stay in the copy.
    IcbUnchecked = 1,
    /// Local copy-back: through the controller, within a device.
    Lcb = 2,
    /// Global copy-back: through the controller, to another device of the channel.
    Gcb = 3,
    /// Global copy-back by direct data transfer: the destination latches what the source drives on the bus.
    Dgcb = 4,
}

impl CopyPath {
    /// All paths, in order of their numbers.
    pub const ALL: [Self; 5] = [Self::Icb, Self::IcbUnchecked, Self::Lcb, Self::Gcb, Self::Dgcb];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Icb => "icb",
            Self::IcbUnchecked => "icb-unchecked",
            Self::Lcb => "lcb",
            Self::Gcb => "gcb",
            Self::Dgcb => "dgcb",
        }
    }

    /// True if source and destination are two devices. Only then does a read overlap a program, so that cache
    /// program gains time. A device cannot read while it programs, and ICB "has no way to utilize" the cache
    /// (§V).
    pub const fn between_devices(self) -> bool {
        matches!(self, Self::Gcb | Self::Dgcb)
    }

    /// True if the page goes through the controller.
    pub const fn is_through_controller(self) -> bool {
        matches!(self, Self::Lcb | Self::Gcb)
    }

    /// True if only corrected bytes are sent again, not the whole page or nothing.
    pub const fn sends_corrections(self) -> bool {
        matches!(self, Self::Icb | Self::Dgcb)
    }
}

impl fmt::Display for CopyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Times of copies by one path, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyTimes {
    /// The path.
    pub path: CopyPath,
    /// True if programs go through the cache register. No effect on a path within one device.
    pub cache_program: bool,
    /// F: time until the page can go to its destination.
    pub fetch_ns: Ns,
    /// D: time from there until the program is confirmed, without corrected bytes.
    pub load_ns: Ns,
    /// Program busy time (t_PROG).
    pub prog_ns: Ns,
    /// Time per corrected byte that is sent again; 0 if the path sends none.
    pub repair_ns: Ns,
}

impl CopyTimes {
    /// Time in ns of a run of `pages` copies with `corrected_bytes` each; 0 for no page.
    ///
    /// Cannot overflow for a whole block of any part that `bounds` accepts. It may overflow for longer runs of
    /// the slowest parts.
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

    /// F and t_PROG of a page that takes the times `of_page` (tR, tPROG) instead of the `longest`, for which F and
    /// t_PROG stand. Both may include the transfer.
    pub fn of_cells(&self, longest: [Ns; 2], of_page: [Ns; 2]) -> (Ns, Ns) {
        let of = |all: Ns, at: usize| (all + of_page[at]).saturating_sub(longest[at]);
        (of(self.fetch_ns, 0), of(self.prog_ns, 1))
    }

    /// Starts a run whose pages have different numbers of corrected bytes; they are added one by one.
    pub fn run(&self) -> CopyRun<'_> {
        CopyRun { times: self, confirmed_ns: 0, started_ns: 0, programmed_ns: 0 }
    }
}

/// A run of copies in progress. Times count from its start.
#[derive(Clone, Copy, Debug)]
pub struct CopyRun<'a> {
    times: &'a CopyTimes,
    confirmed_ns: Ns,
    started_ns: Ns,
    programmed_ns: Ns,
}

impl CopyRun<'_> {
    /// Adds the next page, of which `corrected_bytes` are sent again.
    #[inline]
    pub fn page(&mut self, corrected_bytes: u64) {
        self.page_after(corrected_bytes, 0);
    }

    /// As [`CopyRun::page`], for a page whose read is repeated for `retries_ns`.
    #[inline]
    pub fn page_after(&mut self, corrected_bytes: u64, retries_ns: Ns) {
        let CopyTimes { fetch_ns, prog_ns, .. } = *self.times;
        self.page_of(fetch_ns + retries_ns, prog_ns, corrected_bytes);
    }

    /// As [`CopyRun::page`] with F and t_PROG of this page ([`CopyTimes::of_cells`]).
    #[inline]
    pub fn page_of(&mut self, fetch_ns: Ns, prog_ns: Ns, corrected_bytes: u64) {
        let times = self.times;
        let (idle, register_free) = match (times.path.between_devices(), times.cache_program) {
            (false, _) => (self.programmed_ns, self.programmed_ns),
            (true, false) => (self.confirmed_ns, self.programmed_ns),
            (true, true) => (self.confirmed_ns, self.started_ns),
        };
        let load = times.load_ns + corrected_bytes * times.repair_ns;
        self.confirmed_ns = register_free.max(idle + fetch_ns) + load;
        self.started_ns = self.programmed_ns.max(self.confirmed_ns);
        self.programmed_ns = self.started_ns + prog_ns;
    }

    /// Time until the last page is programmed, ns.
    pub fn total_ns(&self) -> Ns {
        self.programmed_ns
    }
}

/// Copy paths of a controller on a channel: one path within a device, another between two devices.
///
/// Blocks are striped over the devices: block `b` is on device `b mod ways`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    /// Devices of the channel, 1 or more.
    pub ways: u32,
    /// Copies within a device.
    pub near: CopyTimes,
    /// Copies between two devices. No effect if the channel has one device.
    pub far: CopyTimes,
    /// Corrected bytes per page that the bounds assume.
    pub most_corrected_bytes: u32,
}

impl Copies {
    /// The same with reads that are `ns` shorter; unchecked copies have no read retry, and stay.
    pub(crate) fn read_sooner(mut self, ns: Ns) -> Self {
        for times in [&mut self.near, &mut self.far] {
            if times.path != CopyPath::IcbUnchecked {
                times.fetch_ns -= ns;
            }
        }
        self
    }

    /// The same with reads that are `ns` longer; unchecked copies have no read retry, and stay.
    #[must_use]
    pub fn read_later(mut self, ns: Ns) -> Self {
        for times in [&mut self.near, &mut self.far] {
            if times.path != CopyPath::IcbUnchecked {
                times.fetch_ns += ns;
            }
        }
        self
    }

    /// True if two blocks are on different devices.
    #[inline]
    pub fn are_apart(&self, from: BlockId, to: BlockId) -> bool {
        self.ways > 1 && from.0 % self.ways != to.0 % self.ways
    }

    /// Times of copies from one block to another.
    #[inline]
    pub fn between(&self, from: BlockId, to: BlockId) -> &CopyTimes {
        if self.are_apart(from, to) { &self.far } else { &self.near }
    }

    /// Worst-case time of one run of copies, ns, wherever its pages lie. It holds as long as no page has more
    /// corrected bytes than [`Copies::most_corrected_bytes`]. Several runs may take longer than one run of as
    /// many pages, because each run starts without a page to overlap with.
    pub fn longest_ns(&self, pages: u64) -> Ns {
        let longest = |times: &CopyTimes| times.run_ns(pages, self.most_corrected_bytes.into());
        let near = longest(&self.near);
        if self.ways > 1 { near.max(longest(&self.far)) } else { near }
    }

    /// Most pages that one run copies within `limit_ns`, each with [`Copies::most_corrected_bytes`]. All copies
    /// are between two devices (`far`) or all within one.
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
