//! Copy transactions as channel operations: the operations of each copy path and the time each is submitted.
//!
//! ```text
//! ICB, LCB    read page i; when it is checked, program it; when that is done, read page i + 1
//! GCB         the same to another device; when page i has left the controller, read page i + 1
//! DGCB        direct transfers of all pages, which queue at both devices
//! cache       every program of a transaction but the last is a cache program
//! ```
//!
//! On a channel with a FIFO arbiter and no other traffic, a transaction takes [`Copyback::transaction_ns`] if a
//! program hides the next read ([`Copyback::reads_hidden`]). Otherwise DGCB may take less: the next page is read as
//! soon as its device is free, not only once the previous page is confirmed.
//!
//! [`Copyback::transaction_ns`]: bounds::copyback::Copyback::transaction_ns
//! [`Copyback::reads_hidden`]: bounds::copyback::Copyback::reads_hidden

use crate::ddt::way::Way;
use bounds::copyback::{CopyPath, CopyTimings, CopybackError};
use flash::Ns;
use flash::channels::{
    Addressing, Channels, Command, Completion, DieAddress, Grant, GrantObserver, PageAddress,
    Pages, Request, RequestError, Segment, Topology,
};

/// Blocks per plane: the victim and the destination block.
pub(crate) const BLOCKS_PER_PLANE: u32 = 2;

/// Tag bit of all requests of a copier; no other request may set it.
const OURS: u64 = 1 << 63;

/// Detects when a copier's pages have left the controller, and forwards every grant to `watch`.
#[derive(Clone, Debug, Default)]
pub struct Loads<W = ()> {
    /// Further observer of the grants.
    pub watch: W,
    /// Number of data-in transfers seen (one per plane), and the end of the latest on the bus.
    seen: u64,
    until_ns: Ns,
}

impl<W: GrantObserver> GrantObserver for Loads<W> {
    #[inline]
    fn granted(&mut self, grant: &Grant) {
        if grant.segment == Segment::DataIn && grant.tag & OURS != 0 {
            self.seen += 1;
            self.until_ns = grant.end_ns;
        }
        self.watch.granted(grant);
    }
}

/// Time at which the victim is erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EraseAt {
    /// After the last program, as in Fig. 12.
    #[default]
    End,
    /// As soon as the last page has left the source (§III.A).
    SourceFree,
}

/// Copies pages to another device, or within one device, one transaction at a time.
#[derive(Clone, Debug)]
pub struct Copier {
    way: Way,
    repair_ns: Ns,
    source: DieAddress,
    destination: DieAddress,
    pages_per_block: u32,
    addressing: Addressing,
    /// Operations of the current transaction.
    operations: u32,
    /// Time at which the transaction's last page left the source.
    source_free_ns: Ns,
    /// Page in transfer to the destination; the next page is read after it. GCB only.
    loading: Option<u32>,
    /// Value of `Loads::seen` once all planes of that page are transferred.
    loaded_at: u64,
    /// Bus time of one plane's data, and time from its end until the device is busy.
    t_di_ns: Ns,
    t_wb_ns: Ns,
}

/// Progress of a transaction at the end of one of its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The transaction continues.
    GoesOn,
    /// The last page has left the source; the victim may be erased.
    SourceFree,
    /// The last page is programmed.
    Over,
    /// The victim is erased.
    Erased,
}

impl Copier {
    /// Copies by `way` from way 0 of channel 0; to way 1 if the path is between two devices.
    ///
    /// # Errors
    /// As [`Way::closed_form`].
    pub fn new(
        way: Way,
        timings: &CopyTimings,
        addressing: Addressing,
    ) -> Result<Self, CopybackError> {
        let source = DieAddress { channel: 0, way: 0, die: 0 };
        let far = way.path.between_devices();
        Ok(Self {
            way,
            repair_ns: way.repair_ns(timings)?,
            source,
            destination: if far { DieAddress { way: 1, ..source } } else { source },
            pages_per_block: timings.pages_per_block,
            addressing,
            operations: 0,
            source_free_ns: 0,
            loading: None,
            loaded_at: 0,
            t_di_ns: timings.data_in_ns(),
            t_wb_ns: timings.waits.t_wb_ns,
        })
    }

    /// Topology of one channel with `ways` ways that fits this copier.
    pub fn topology(&self, ways: u16) -> Topology {
        Topology {
            channels: 1,
            ways,
            dies: 1,
            planes: self.way.planes as u16,
            blocks_per_plane: BLOCKS_PER_PLANE,
            pages_per_block: self.pages_per_block.max(2),
            paired_blocks: true,
        }
    }

    /// True if the completion belongs to a copier.
    pub fn owns(completion: &Completion) -> bool {
        completion.tag & OURS != 0
    }

    /// Planes per operation: the pages copied by one operation.
    pub fn planes(&self) -> u32 {
        self.way.planes
    }

    /// Time at which the last page of the transaction left the source.
    pub fn source_free_ns(&self) -> Ns {
        self.source_free_ns
    }

    /// Begins a transaction of `operations` operations, 1 or more.
    ///
    /// # Errors
    /// As [`Channels::submit`]: `at_ns` before [`Channels::now_ns`].
    pub fn begin<W: GrantObserver>(
        &mut self,
        channels: &mut Channels<Loads<W>>,
        at_ns: Ns,
        operations: u32,
    ) -> Result<(), RequestError> {
        self.operations = operations;
        if self.way.path != CopyPath::Dgcb {
            return self.read(channels, at_ns, 0);
        }
        for page in 0..operations {
            let read = self.request(at_ns, page, Command::Read);
            let program = self.request(at_ns, page, self.program_of(page));
            channels.submit_direct(&read, &program, self.addressing)?;
        }
        Ok(())
    }

    /// Submits the erase of the victim.
    ///
    /// # Errors
    /// As [`Channels::submit`].
    pub fn erase<W: GrantObserver>(
        &self,
        channels: &mut Channels<Loads<W>>,
        at_ns: Ns,
    ) -> Result<(), RequestError> {
        channels.submit(&self.request(at_ns, 0, Command::Erase))
    }

    /// Returns the next completion up to `limit_ns`, of this copier or another requester. Reads ahead meanwhile.
    ///
    /// # Errors
    /// As [`Channels::submit`].
    pub fn next_until<W: GrantObserver>(
        &mut self,
        channels: &mut Channels<Loads<W>>,
        limit_ns: Ns,
    ) -> Result<Option<Completion>, RequestError> {
        let mut from_ns = channels.now_ns();
        loop {
            self.read_ahead(channels)?;
            // Polling every t_DI misses no page: each holds the bus for at least t_DI.
            let until_ns = match self.loading {
                Some(_) => limit_ns.min(from_ns.max(channels.now_ns()) + self.t_di_ns),
                None => limit_ns,
            };
            let done = channels.next_completion_until(until_ns);
            if done.is_some() {
                return Ok(done);
            }
            if until_ns == limit_ns {
                self.read_ahead(channels)?;
                return Ok(None);
            }
            from_ns = until_ns;
        }
    }

    /// Reads the next page once the previous one has left the controller.
    fn read_ahead<W: GrantObserver>(
        &mut self,
        channels: &mut Channels<Loads<W>>,
    ) -> Result<(), RequestError> {
        match self.loading {
            Some(page) if channels.watch().seen == self.loaded_at => {
                self.loading = None;
                let confirmed_ns = channels.watch().until_ns + self.t_wb_ns;
                self.read(channels, confirmed_ns, page + 1)
            }
            _ => Ok(()),
        }
    }

    /// Continues the transaction after one of the copier's own completions.
    ///
    /// # Errors
    /// As [`Channels::submit`].
    pub fn done<W: GrantObserver>(
        &mut self,
        channels: &mut Channels<Loads<W>>,
        done: &Completion,
    ) -> Result<Step, RequestError> {
        let (page, at) = ((done.tag & !OURS) as u32, done.done_ns);
        let last = page + 1 == self.operations;
        match done.command {
            Command::Erase => return Ok(Step::Erased),
            Command::Read | Command::CopyRead | Command::CacheRead | Command::ReadOob => {
                if self.way.path != CopyPath::Dgcb {
                    channels.submit(&self.request(at, page, self.program_of(page)))?;
                }
                if self.way.path == CopyPath::Gcb && !last {
                    self.loading = Some(page);
                    self.loaded_at = channels.watch().seen + u64::from(self.way.planes);
                }
                if last && self.way.path.between_devices() {
                    self.source_free_ns = done.released_ns;
                    return Ok(Step::SourceFree);
                }
            }
            Command::Program | Command::CacheProgram | Command::CopyProgram => {
                if !self.way.path.between_devices() {
                    self.read(channels, at, page + 1)?;
                }
                if last {
                    if !self.way.path.between_devices() {
                        self.source_free_ns = at;
                    }
                    return Ok(Step::Over);
                }
            }
        }
        Ok(Step::GoesOn)
    }

    /// Reads page `page` if the transaction includes it.
    fn read<W: GrantObserver>(
        &self,
        channels: &mut Channels<Loads<W>>,
        at_ns: Ns,
        page: u32,
    ) -> Result<(), RequestError> {
        if page >= self.operations {
            return Ok(());
        }
        let unchecked = self.way.path == CopyPath::IcbUnchecked;
        let command = if unchecked { Command::CopyRead } else { Command::Read };
        channels.submit(&self.request(at_ns, page, command))
    }

    fn program_of(&self, page: u32) -> Command {
        match self.way.path {
            CopyPath::Icb | CopyPath::IcbUnchecked => Command::CopyProgram,
            CopyPath::Gcb | CopyPath::Dgcb
                if self.way.cache_program && page + 1 < self.operations =>
            {
                Command::CacheProgram
            }
            _ => Command::Program,
        }
    }

    fn request(&self, arrival_ns: Ns, page: u32, command: Command) -> Request {
        let (die, block) = match command {
            Command::Read | Command::CopyRead | Command::CacheRead | Command::Erase => {
                (self.source, 0)
            }
            _ => (self.destination, 1),
        };
        let repairs = matches!(command, Command::CopyProgram)
            || self.way.path == CopyPath::Dgcb
                && matches!(command, Command::Program | Command::CacheProgram);
        Request {
            arrival_ns,
            tag: OURS | u64::from(page),
            die,
            command,
            pages: pages(self.way.planes, block, page % self.pages_per_block.max(2)),
            repair_ns: if repairs { self.repair_ns } else { 0 },
        }
    }
}

/// Page `page` in block `block` of each plane.
pub(crate) fn pages(planes: u32, block: u32, page: u32) -> Pages {
    let mut all = [PageAddress::default(); 4];
    for (plane, address) in (0..planes).zip(&mut all) {
        *address = PageAddress { block: block * planes + plane, page };
    }
    Pages::of(&all[..planes.min(4) as usize]).unwrap_or(Pages::one(block, page))
}
