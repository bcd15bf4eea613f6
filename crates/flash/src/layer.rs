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
use alloc::boxed::Box;
use core::any::Any;
use core::fmt;

/// Forwards every method of [`Flash`] to the same method of `$to`.
macro_rules! forward_flash {
    ($self:ident, $to:ident: $inner:expr, $inner_mut:expr) => {
        /// As in [`Flash`].
        #[inline(always)]
        fn geometry(&$self) -> &Geometry {
            $to::geometry($inner)
        }

        /// As in [`Flash`].
        #[inline(always)]
        fn part(&$self) -> &Part {
            $to::part($inner)
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
            $to::read($inner_mut, ppn, data, cause)
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
            $to::read_part($inner_mut, ppn, offset, data, cause)
        }

        /// As in [`Flash`].
        ///
        /// # Errors
        /// As there.
        #[inline(always)]
        fn read_oob(&mut $self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
            $to::read_oob($inner_mut, ppn, cause)
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
            $to::program($inner_mut, ppn, oob, data, cause)
        }

        /// As in [`Flash`].
        ///
        /// # Errors
        /// As there.
        #[inline(always)]
        fn copy(&mut $self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
            $to::copy($inner_mut, from, to, seq, cause)
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
            $to::copy_run($inner_mut, from, to, seq, cause, lpns)
        }

        /// As in [`Flash`].
        ///
        /// # Errors
        /// As there.
        #[inline(always)]
        fn erase(&mut $self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
            $to::erase($inner_mut, block, cause)
        }

        /// As in [`Flash`].
        fn is_bad(&$self, block: BlockId) -> bool {
            $to::is_bad($inner, block)
        }

        /// As in [`Flash`].
        ///
        /// # Errors
        /// As there.
        fn mark_bad(&mut $self, block: BlockId) -> Result<(), FlashError> {
            $to::mark_bad($inner_mut, block)
        }

        /// As in [`Flash`].
        #[inline(always)]
        fn is_slc(&$self, block: BlockId) -> bool {
            $to::is_slc($inner, block)
        }

        /// As in [`Flash`].
        ///
        /// # Errors
        /// As there.
        fn set_slc(&mut $self, block: BlockId, slc: bool) -> Result<(), FlashError> {
            $to::set_slc($inner_mut, block, slc)
        }

        /// As in [`Flash`].
        fn erase_count(&$self, block: BlockId) -> u32 {
            $to::erase_count($inner, block)
        }
    };
}

/// Forwards every method of [`Probe`] likewise.
macro_rules! forward_probe {
    ($self:ident, $to:ident: $inner:expr, $inner_mut:expr) => {
        /// As in [`Probe`].
        fn keeps_user_bytes(&$self) -> bool {
            $to::keeps_user_bytes($inner)
        }

        /// As in [`Probe`].
        fn longest_erase_ns(&$self) -> Ns {
            $to::longest_erase_ns($inner)
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn peek_lpn(&$self, ppn: Ppn) -> Option<Lpn> {
            $to::peek_lpn($inner, ppn)
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn prefetch(&$self, ppn: Ppn) {
            $to::prefetch($inner, ppn);
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn has_bit_errors(&$self) -> bool {
            $to::has_bit_errors($inner)
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn corrected_bits(&$self) -> u64 {
            $to::corrected_bits($inner)
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn retries(&$self) -> Retries {
            $to::retries($inner)
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn set_now_ns(&mut $self, now_ns: Ns) {
            $to::set_now_ns($inner_mut, now_ns);
        }

        /// As in [`Probe`].
        fn due_block(&mut $self) -> Option<DueBlock> {
            $to::due_block($inner_mut)
        }

        /// As in [`Probe`].
        fn next_due_ns(&$self) -> Ns {
            $to::next_due_ns($inner)
        }

        /// As in [`Probe`].
        fn end_turn(&mut $self, block: BlockId, moved: bool) {
            $to::end_turn($inner_mut, block, moved);
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn event(&mut $self, event: &Event<'_>) {
            $to::event($inner_mut, event);
        }

        /// As in [`Probe`].
        #[inline(always)]
        fn worked(&$self) -> Worked {
            $to::worked($inner)
        }
    };
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

    forward_flash!(self, Flash: self.inner(), self.inner_mut());
    forward_probe!(self, Probe: self.inner(), self.inner_mut());
}

impl<L: Layer> Flash for L {
    forward_flash!(self, Layer: self, self);
}

impl<L: Layer> Probe for L {
    forward_probe!(self, Layer: self, self);
}

/// An array whose type is known only at run time ([`AnyArray`]).
pub trait DynFlash: Probe + Any + fmt::Debug {
    /// Copies the array with all its state, for searches that branch from one state. `None` for a real part.
    fn fork(&self) -> Option<Box<dyn DynFlash>> {
        None
    }
}

/// Any array, behind one type. Each scheme is compiled for it once, and then runs on drivers and test benches.
#[derive(Debug)]
pub struct AnyArray(Box<dyn DynFlash>);

impl AnyArray {
    /// Wraps this array.
    pub fn new(array: impl DynFlash) -> Self {
        Self(Box::new(array))
    }

    /// The array, if it has this type.
    pub fn downcast_ref<F: DynFlash>(&self) -> Option<&F> {
        (&*self.0 as &dyn Any).downcast_ref()
    }

    /// The array, mutable, if it has this type.
    pub fn downcast_mut<F: DynFlash>(&mut self) -> Option<&mut F> {
        (&mut *self.0 as &mut dyn Any).downcast_mut()
    }

    /// Unwraps the array, if it has this type.
    pub fn downcast<F: DynFlash>(self) -> Option<F> {
        (self.0 as Box<dyn Any>).downcast().ok().map(|array| *array)
    }

    /// Forks the array by [`DynFlash::fork`].
    pub fn fork(&self) -> Option<Self> {
        self.0.fork().map(Self)
    }
}

impl Clone for AnyArray {
    /// # Panics
    /// If the array cannot be forked ([`DynFlash::fork`]).
    fn clone(&self) -> Self {
        self.fork().expect("only searches ask for an array twice, on arrays that can be had so")
    }
}

impl Flash for AnyArray {
    forward_flash!(self, Flash: &*self.0, &mut *self.0);
}

impl Probe for AnyArray {
    forward_probe!(self, Probe: &*self.0, &mut *self.0);
}
