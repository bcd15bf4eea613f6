//! Wrappers around an array. A wrapper forwards every call that it does not override, so that no call is lost
//! silently.

use super::address::{BlockId, Geometry, Lpn, Ppn};
use super::due::DueBlock;
use super::error::FlashError;
use super::event::Event;
use super::interface::{Flash, Probe, Worked};
use super::oob::Oob;
use super::operation::Cause;
use super::part::Part;
use super::retries::Retries;
use super::time::Ns;

/// Where a wrapper's array is, for its [`Layer`]: `layer_on!(self, self.inner, Array)`.
#[macro_export]
macro_rules! layer_on {
    ($self:ident, $at:expr, $inner:ty) => {
        type Inner = $inner;

        #[inline]
        fn inner(&$self) -> &$inner {
            &$at
        }

        #[inline]
        fn inner_mut(&mut $self) -> &mut $inner {
            &mut $at
        }
    };
}

/// Methods of a wrapper that give its array.
macro_rules! unwraps {
    ($inner:ty) => {
        /// The wrapped array.
        pub fn inner(&self) -> &$inner {
            &self.inner
        }

        /// The wrapped array, mutable.
        pub fn inner_mut(&mut self) -> &mut $inner {
            &mut self.inner
        }

        /// Unwraps the array.
        pub fn into_inner(self) -> $inner {
            self.inner
        }
    };
}

/// Forwards every method of [`Flash`] to the same method of `$to`. `$with` and `$with_mut` name the array to which a call
/// goes.
macro_rules! forward_flash {
    ($self:ident, $to:ident, $with:ident, $with_mut:ident) => {
        /// As in [`Flash`].
        #[inline(always)]
        fn geometry(&$self) -> &Geometry {
            $with!($self, array => $to::geometry(array))
        }

        /// As in [`Flash`].
        #[inline(always)]
        fn part(&$self) -> &Part {
            $with!($self, array => $to::part(array))
        }

        /// As in [`Flash`].
        ///
        /// # Errors
        /// As there.
        #[inline(always)]
        fn read(
            &mut $self,
            ppn: Ppn,
            data: Option<&mut [u8]>,
            cause: Cause,
        ) -> Result<Oob, FlashError> {
            $with_mut!($self, array => $to::read(array, ppn, data, cause))
        }

        /// As in [`Flash`].
        ///
        /// # Errors
        /// As there.
        #[inline(always)]
        fn read_part(
            &mut $self,
            ppn: Ppn,
            offset: usize,
            data: &mut [u8],
            cause: Cause,
        ) -> Result<Oob, FlashError> {
            $with_mut!($self, array => $to::read_part(array, ppn, offset, data, cause))
        }

        /// As in [`Flash`].
        ///
        /// # Errors
        /// As there.
        #[inline(always)]
        fn read_oob(&mut $self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
            $with_mut!($self, array => $to::read_oob(array, ppn, cause))
        }

        /// As in [`Flash`].
        ///
        /// # Errors
        /// As there.
        #[inline(always)]
        fn program(
            &mut $self,
            ppn: Ppn,
            oob: Oob,
            data: Option<&[u8]>,
            cause: Cause,
        ) -> Result<(), FlashError> {
            $with_mut!($self, array => $to::program(array, ppn, oob, data, cause))
        }

        /// As in [`Flash`].
        ///
        /// # Errors
        /// As there.
        #[inline(always)]
        fn copy(&mut $self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
            $with_mut!($self, array => $to::copy(array, from, to, seq, cause))
        }

        /// As in [`Flash`].
        ///
        /// # Errors
        /// As there.
        #[inline(always)]
        fn copy_run(
            &mut $self,
            from: &[Ppn],
            to: Ppn,
            seq: u64,
            cause: Cause,
            lpns: &mut [Lpn],
        ) -> Result<(), (usize, FlashError)> {
            $with_mut!($self, array => $to::copy_run(array, from, to, seq, cause, lpns))
        }

        /// As in [`Flash`].
        ///
        /// # Errors
        /// As there.
        #[inline(always)]
        fn erase(&mut $self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
            $with_mut!($self, array => $to::erase(array, block, cause))
        }

        /// As in [`Flash`].
        fn is_bad(&$self, block: BlockId) -> bool {
            $with!($self, array => $to::is_bad(array, block))
        }

        /// As in [`Flash`].
        ///
        /// # Errors
        /// As there.
        fn mark_bad(&mut $self, block: BlockId) -> Result<(), FlashError> {
            $with_mut!($self, array => $to::mark_bad(array, block))
        }

        /// As in [`Flash`].
        #[inline(always)]
        fn is_slc(&$self, block: BlockId) -> bool {
            $with!($self, array => $to::is_slc(array, block))
        }

        /// As in [`Flash`].
        ///
        /// # Errors
        /// As there.
        fn set_slc(&mut $self, block: BlockId, slc: bool) -> Result<(), FlashError> {
            $with_mut!($self, array => $to::set_slc(array, block, slc))
        }

        /// As in [`Flash`].
        fn erase_count(&$self, block: BlockId) -> u32 {
            $with!($self, array => $to::erase_count(array, block))
        }
    };
}

/// Forwards every method of [`Probe`] likewise.
macro_rules! forward_probe {
    ($self:ident, $to:ident, $with:ident, $with_mut:ident) => {
        /// As in [`Probe`].
        fn keeps_user_bytes(&$self) -> bool {
            $with!($self, array => $to::keeps_user_bytes(array))
        }

        /// As in [`Probe`].
        fn longest_erase_ns(&$self) -> Ns {
            $with!($self, array => $to::longest_erase_ns(array))
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn peek_lpn(&$self, ppn: Ppn) -> Option<Lpn> {
            $with!($self, array => $to::peek_lpn(array, ppn))
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn prefetch(&$self, ppn: Ppn) {
            $with!($self, array => $to::prefetch(array, ppn));
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn has_bit_errors(&$self) -> bool {
            $with!($self, array => $to::has_bit_errors(array))
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn corrected_bits(&$self) -> u64 {
            $with!($self, array => $to::corrected_bits(array))
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn retries(&$self) -> Retries {
            $with!($self, array => $to::retries(array))
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn set_now_ns(&mut $self, now_ns: Ns) {
            $with_mut!($self, array => $to::set_now_ns(array, now_ns));
        }

        /// As in [`Probe`].
        fn due_block(&mut $self) -> Option<DueBlock> {
            $with_mut!($self, array => $to::due_block(array))
        }

        /// As in [`Probe`].
        fn next_due_ns(&$self) -> Ns {
            $with!($self, array => $to::next_due_ns(array))
        }

        /// As in [`Probe`].
        fn end_turn(&mut $self, block: BlockId, moved: bool) {
            $with_mut!($self, array => $to::end_turn(array, block, moved));
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn event(&mut $self, event: &Event<'_>) {
            $with_mut!($self, array => $to::event(array, event));
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn worked(&$self) -> Worked {
            $with!($self, array => $to::worked(array))
        }
    };
}

/// Calls a method of the array below a layer.
macro_rules! inner {
    ($self:ident, $array:ident => $call:expr) => {{
        let $array = $self.inner();
        $call
    }};
}

/// Same with the array mutable.
macro_rules! inner_mut {
    ($self:ident, $array:ident => $call:expr) => {{
        let $array = $self.inner_mut();
        $call
    }};
}

/// Calls a method of the layer itself.
macro_rules! itself {
    ($self:ident, $array:ident => $call:expr) => {{
        let $array = $self;
        $call
    }};
}

/// A wrapper around another array. Implementors get [`Flash`] and [`Probe`]; by default every method forwards
/// to the array below.
///
/// [`Layer::copy_run`] and [`Layer::read_part`] forward as well. A wrapper that overrides [`Layer::copy`] or
/// [`Layer::read`] must override them too: see [`copy_one_by_one`](crate::copy_one_by_one).
pub trait Layer {
    /// Type of the array below.
    type Inner: Probe + ?Sized;

    /// The array below.
    fn inner(&self) -> &Self::Inner;

    /// The array below, mutable.
    fn inner_mut(&mut self) -> &mut Self::Inner;

    forward_flash!(self, Flash, inner, inner_mut);

    /// As in [`Flash`]. By default the layer's own read, so that this passes none by.
    ///
    /// # Errors
    /// As there.
    #[inline(always)]
    fn read_data(
        &mut self,
        ppn: Ppn,
        data: Option<&mut [u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        Layer::read(self, ppn, data, cause).map(|_| ())
    }

    forward_probe!(self, Probe, inner, inner_mut);

    /// As in [`Probe`]. By default 0, so that no program passes by the layer's own.
    #[inline]
    fn program_plain(&mut self, _to: Ppn, _lpns: &[Lpn], _seq: u64, _cause: Cause) -> usize {
        0
    }
}

impl<L: Layer> Flash for L {
    forward_flash!(self, Layer, itself, itself);

    #[inline(always)]
    fn read_data(
        &mut self,
        ppn: Ppn,
        data: Option<&mut [u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        Layer::read_data(self, ppn, data, cause)
    }
}

impl<L: Layer> Probe for L {
    forward_probe!(self, Layer, itself, itself);

    #[inline(always)]
    fn program_plain(&mut self, to: Ppn, lpns: &[Lpn], seq: u64, cause: Cause) -> usize {
        Layer::program_plain(self, to, lpns, seq, cause)
    }
}
