//! Traits that a scheme implements: tasks of the host ([`Ftl`]), and background work ([`Background`]).

use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use crate::inspection::Inspection;
use crate::page_task::PageTask;
use crate::refresh::RefreshStep;
use crate::telemetry::Telemetry;
use crate::zones::{Refusal, ZoneAction, ZoneShape};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use flash::{DueBlock, Lpn, Ns, Probe};

/// Distance of a request whose lines are prefetched, which decides what is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefetch {
    /// Far ahead: the map entry itself.
    Map,
    /// Nearer: the block data that the map entry of a page to be written points to. The entry's line has arrived by
    /// now.
    Block,
    /// Nearer: the page data that the map entry of a page to be read points to.
    Page,
}

/// A flash translation layer over one array, as the host uses it.
///
/// A call returns when the task and the collection that it owes are done. The causes charged to the array show how
/// the time divides. Data passes as slices of one page; `None` stands for data that nobody stores or needs.
pub trait Ftl {
    /// The array below.
    type Flash: Probe;

    /// The array below.
    fn flash(&self) -> &Self::Flash;

    /// The array below, mutable. Only for controls of wrappers, not to change data under the scheme.
    fn flash_mut(&mut self) -> &mut Self::Flash;

    /// Returns the array as after a power cut: nothing is written.
    fn into_flash(self: Box<Self>) -> Self::Flash;

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

    /// Writes one page. The page is durable on return, or after a flush if the scheme is volatile
    /// ([`Guarantee::volatile`](crate::Guarantee::volatile)).
    ///
    /// # Errors
    /// [`FtlError::BeyondDevice`], [`FtlError::Full`], or those of the array.
    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError>;

    /// Page writes, from the next one on, of which each may be a program and nothing else, whatever their addresses: at most so
    /// many. 0 while background work may become due ([`Background::due_ns`]). Default: 0.
    #[inline(always)]
    fn plain_writes(&self) -> usize {
        0
    }

    /// Writes the pages of the first pieces of `work`, as far as they are plain writes ([`PageTask::is_plain_write`]) of which each
    /// is a program and nothing else, all of the same time. `work` has at most [`Ftl::plain_writes`] pieces. Returns the number of
    /// pages; the result equals that of as many calls of [`Ftl::write`]. It prefetches as [`Scheme::run`](crate::Scheme::run)
    /// does, for the pieces that follow in `ahead`, which begins with `work`.
    fn write_plain(&mut self, _work: &[PageTask], _ahead: &[PageTask]) -> usize {
        0
    }

    /// As [`Ftl::write`], below a write buffer. A collector that supports it also writes pages that are dirty in the
    /// buffer, and reports them to the buffer.
    ///
    /// # Errors
    /// As [`Ftl::write`].
    #[inline]
    fn write_below(
        &mut self,
        lpn: Lpn,
        data: Option<&[u8]>,
        _buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        self.write(lpn, data)
    }

    /// Writes one page, which is durable on return (force unit access).
    ///
    /// # Errors
    /// As [`Ftl::write`] and [`Ftl::flush`].
    fn write_through(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.write(lpn, data)?;
        self.flush()
    }

    /// Reads one page. Returns `false` if it was never written or was trimmed: `data` is then zeros, and no flash
    /// page was read.
    ///
    /// # Errors
    /// [`FtlError::BeyondDevice`], or those of the array.
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError>;

    /// True if a page was written and not trimmed since, lost ones included: what a read would find, without reading the page.
    /// A scheme that keeps its map on flash may read that. Default: it reads the page.
    ///
    /// # Errors
    /// As [`Ftl::read`].
    fn is_present(&mut self, lpn: Lpn) -> Result<bool, FtlError> {
        self.read(lpn, None)
    }

    /// Names the placement stream of the writes from here on; 0: none. Default: the scheme has no use of it.
    #[inline(always)]
    fn name_stream(&mut self, _stream: u8) {}

    /// Trims one page. Advisory: after a power cut the page may read as before the trim.
    ///
    /// # Errors
    /// [`FtlError::BeyondDevice`], or those of the array.
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError>;

    /// The zones, if the host writes in zones. All writes are then at write pointers, and whole zones are reset.
    fn zones(&self) -> Option<ZoneShape> {
        None
    }

    /// Writes one page at the write pointer of the zone of `place`, and returns its LPN. The distance of `place` from the
    /// first page of the zone is the number of pages of the same command that follow.
    ///
    /// # Errors
    /// [`FtlError::Refused`]; those of [`Ftl::write`].
    fn append(&mut self, place: Lpn, _data: Option<&[u8]>) -> Result<Lpn, FtlError> {
        self.check(place)?;
        Err(FtlError::Refused(Refusal::NoZones))
    }

    /// Runs a management command on the zone whose first page is `zone`.
    ///
    /// # Errors
    /// [`FtlError::Refused`]; [`FtlError::BeyondDevice`], or those of the array.
    fn manage(&mut self, zone: Lpn, _action: ZoneAction) -> Result<(), FtlError> {
        self.check(zone)?;
        Err(FtlError::Refused(Refusal::NoZones))
    }

    /// Tells that the next page written or appended belongs to another command. When a page of a command is refused, a
    /// scheme with zones refuses the rest of it, too. Default: the scheme has no use of it.
    #[inline(always)]
    fn end_command(&mut self) {}

    /// Makes all acknowledged writes durable.
    ///
    /// # Errors
    /// Those of the array.
    fn flush(&mut self) -> Result<(), FtlError> {
        Ok(())
    }

    /// Prepares for power-off. All acknowledged writes are durable afterwards, and the next mount is as short as the
    /// scheme can make it. Further tasks may follow.
    ///
    /// # Errors
    /// As [`Ftl::flush`].
    fn shutdown(&mut self) -> Result<(), FtlError> {
        self.flush()
    }

    /// Pages that can be programmed without an erase.
    fn free_pages(&self) -> u64;

    /// Bounds, costs and logs of the scheme.
    fn telemetry(&self) -> Telemetry<'_>;

    /// Clears the logs, so that they cover the measured part only.
    fn restart_telemetry(&mut self);

    /// Returns all that the scheme's next operations depend on, up to the names of blocks and pages, while no program, erase
    /// or read fails: two states of equal words have the same successors. `None` if the scheme cannot tell it. For searches
    /// of all states of a small array.
    fn state(&self) -> Option<Vec<u32>> {
        None
    }

    /// Map, use of blocks, queues and lists, for displays and checkers. Empty if the scheme does not tell them.
    fn inspect(&self) -> Inspection {
        Inspection::default()
    }

    /// Fetches lines that a task on `lpn` will need. No effect but speed.
    #[inline]
    fn prefetch(&self, _lpn: Lpn, _what: Prefetch) {}
}

/// What every scheme has of [`Ftl`]: where its array is, and its logical pages.
macro_rules! on_array {
    ($self:ident, $flash:expr, $pages:expr) => {
        type Flash = F;

        #[inline]
        fn flash(&$self) -> &F {
            &$flash
        }

        #[inline]
        fn flash_mut(&mut $self) -> &mut F {
            &mut $flash
        }

        fn into_flash($self: ::alloc::boxed::Box<Self>) -> F {
            $flash
        }

        #[inline]
        fn logical_pages(&$self) -> u32 {
            $pages
        }
    };
}
pub(crate) use on_array;

/// Background work of a scheme, by a clock that the caller keeps. The defaults are for schemes without background
/// work.
pub trait Background: Ftl {
    /// Offers idle time of at least [`Background::idle_ns`] before the next request, for collection. Returns true if
    /// the scheme collected.
    ///
    /// # Errors
    /// Those of the array.
    fn idle(&mut self) -> Result<bool, FtlError> {
        Ok(false)
    }

    /// Longest duration of the next [`Background::idle`] in the present state. Default: one erase.
    fn idle_ns(&self) -> Ns {
        self.flash().longest_erase_ns()
    }

    /// True if idle time may be offered again as soon as [`Background::idle`] has returned true. If not, it is offered
    /// once after a write.
    fn idles_on(&self) -> bool {
        false
    }

    /// Time of the next background work that is due without a request, by the clock of [`Background::advance`].
    /// [`Ns::MAX`] if there is none.
    fn due_ns(&self) -> Ns {
        Ns::MAX
    }

    /// Sets the host's clock to `now_ns`, no less than before. Runs the next background work if it is due by then.
    ///
    /// # Errors
    /// As [`Ftl::write`].
    #[inline]
    fn advance(&mut self, _now_ns: Ns) -> Result<(), FtlError> {
        Ok(())
    }

    /// Moves a valid page out of a block that is due for a refresh or a read reclaim, or ends its turn. All operations for
    /// it have its cause, except collection that it needs.
    ///
    /// # Errors
    /// Those of the array; [`FtlError::Config`] for a scheme without refresh, whose plan refuses the setting.
    fn refresh(&mut self, _due: DueBlock) -> Result<RefreshStep, FtlError> {
        let reason = String::from("is not supported");
        Err(FtlError::Config { scheme: "without refresh", setting: "refresh", reason })
    }

    /// Longest duration of a [`Background::refresh`]; [`Ns::MAX`] without a bound.
    fn refresh_ns(&self) -> Ns {
        Ns::MAX
    }

    /// Total time spent on RAM rather than on the array, ns: accesses to a write buffer.
    #[inline]
    fn ram_ns(&self) -> Ns {
        0
    }
}

/// Fills the data of an unmapped page.
#[inline]
pub(crate) fn zeros(data: Option<&mut [u8]>) {
    if let Some(data) = data {
        data.fill(0);
    }
}
