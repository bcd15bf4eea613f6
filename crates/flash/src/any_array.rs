//! Any array behind one type, so that a scheme is compiled once.

use super::address::{BlockId, Geometry, Lpn, Ppn};
use super::array::Array;
use super::due::DueBlock;
use super::error::FlashError;
use super::event::Event;
use super::faults::BitErrors;
use super::interface::{Flash, Probe, Worked};
use super::oob::Oob;
use super::operation::Cause;
use super::parallel::Parallel;
use super::part::Part;
use super::retries::Retries;
use super::serial::Serial;
use super::time::Ns;
use super::wear_level::WearLevel;
use alloc::boxed::Box;
use core::any::Any;
use core::fmt;

/// Simulated array in serial time, with optional bit errors and wear levelling.
pub type SerialArray = WearLevel<Serial<BitErrors<Array>>>;

/// Simulated array on channels, where operations overlap; bit errors and wear levelling are optional.
pub type ParallelArray = WearLevel<Parallel<BitErrors<Array>>>;

/// An array whose type is known only at run time ([`AnyArray`]).
pub trait DynFlash: Probe + Any + fmt::Debug {
    /// Copies the array with all its state, for searches that branch from one state. `None` for a real part.
    fn fork(&self) -> Option<Box<dyn DynFlash>> {
        None
    }
}

/// Any array, behind one type. Each scheme is compiled for it alone, and runs with it in serial time, on channels, on
/// drivers and on test benches.
///
/// Calls go to an array in serial time directly, where most of a run's time is spent below a microsecond per task; to all
/// others through a pointer.
#[derive(Debug)]
pub struct AnyArray(Kind);

#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "one per scheme; a pointer would cost each operation an access"
)]
enum Kind {
    Serial(SerialArray),
    Parallel(Box<ParallelArray>),
    Other(Box<dyn DynFlash>),
}

impl AnyArray {
    /// Wraps this array.
    pub fn new(array: impl DynFlash) -> Self {
        let mut array = Some(array);
        let any: &mut dyn Any = &mut array;
        if let Some(serial) = any.downcast_mut::<Option<SerialArray>>().and_then(Option::take) {
            return Self(Kind::Serial(serial));
        }
        if let Some(parallel) = any.downcast_mut::<Option<ParallelArray>>().and_then(Option::take) {
            return Self(Kind::Parallel(Box::new(parallel)));
        }
        let array = array.expect("it is of another type, so it is still there");
        Self(Kind::Other(Box::new(array)))
    }

    /// The array in serial time, if it is one.
    #[inline]
    pub fn serial(&self) -> Option<&SerialArray> {
        match &self.0 {
            Kind::Serial(array) => Some(array),
            Kind::Parallel(_) | Kind::Other(_) => None,
        }
    }

    /// The array in serial time, mutable, if it is one.
    #[inline]
    pub fn serial_mut(&mut self) -> Option<&mut SerialArray> {
        match &mut self.0 {
            Kind::Serial(array) => Some(array),
            Kind::Parallel(_) | Kind::Other(_) => None,
        }
    }

    /// The array on channels, if it is one.
    #[inline]
    pub fn parallel(&self) -> Option<&ParallelArray> {
        match &self.0 {
            Kind::Parallel(array) => Some(array),
            Kind::Serial(_) | Kind::Other(_) => None,
        }
    }

    /// The array on channels, mutable, if it is one.
    #[inline]
    pub fn parallel_mut(&mut self) -> Option<&mut ParallelArray> {
        match &mut self.0 {
            Kind::Parallel(array) => Some(array),
            Kind::Serial(_) | Kind::Other(_) => None,
        }
    }

    /// The array, if it has this type.
    pub fn downcast_ref<F: DynFlash>(&self) -> Option<&F> {
        (self.behind() as &dyn Any).downcast_ref()
    }

    /// The array, mutable, if it has this type.
    pub fn downcast_mut<F: DynFlash>(&mut self) -> Option<&mut F> {
        (self.behind_mut() as &mut dyn Any).downcast_mut()
    }

    /// Unwraps the array, if it has this type.
    pub fn downcast<F: DynFlash>(self) -> Option<F> {
        let array: Box<dyn Any> = match self.0 {
            Kind::Serial(array) => Box::new(array),
            Kind::Parallel(array) => array,
            Kind::Other(array) => array,
        };
        array.downcast().ok().map(|array| *array)
    }

    /// Forks the array by [`DynFlash::fork`].
    pub fn fork(&self) -> Option<Self> {
        Some(Self(match &self.0 {
            Kind::Serial(array) => Kind::Serial(array.clone()),
            Kind::Parallel(array) => Kind::Parallel(array.clone()),
            Kind::Other(array) => Kind::Other(array.fork()?),
        }))
    }

    /// The array behind a pointer. Apart from the loops, so that these are compiled for the serial array alone.
    #[cold]
    #[inline(never)]
    fn behind(&self) -> &dyn DynFlash {
        match &self.0 {
            Kind::Serial(array) => array,
            Kind::Parallel(array) => &**array,
            Kind::Other(array) => &**array,
        }
    }

    /// Same, mutable.
    #[cold]
    #[inline(never)]
    fn behind_mut(&mut self) -> &mut dyn DynFlash {
        match &mut self.0 {
            Kind::Serial(array) => array,
            Kind::Parallel(array) => &mut **array,
            Kind::Other(array) => &mut **array,
        }
    }
}

impl Clone for AnyArray {
    /// # Panics
    /// If the array cannot be forked ([`DynFlash::fork`]).
    fn clone(&self) -> Self {
        self.fork().expect("only searches ask for an array twice, on arrays that can be had so")
    }
}

/// Calls a method of the array in serial time, or of another one.
macro_rules! direct {
    ($self:ident, $array:ident => $call:expr) => {
        match &$self.0 {
            Kind::Serial($array) => $call,
            Kind::Parallel(_) | Kind::Other(_) => {
                let $array = $self.behind();
                $call
            }
        }
    };
}

/// Same with the array mutable.
macro_rules! direct_mut {
    ($self:ident, $array:ident => $call:expr) => {
        match &mut $self.0 {
            Kind::Serial($array) => $call,
            Kind::Parallel(_) | Kind::Other(_) => {
                let $array = $self.behind_mut();
                $call
            }
        }
    };
}

impl Flash for AnyArray {
    forward_flash!(self, Flash, direct, direct_mut);

    #[inline(always)]
    fn read_data(
        &mut self,
        ppn: Ppn,
        data: Option<&mut [u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        direct_mut!(self, array => Flash::read_data(array, ppn, data, cause))
    }
}

impl Probe for AnyArray {
    forward_probe!(self, Probe, direct, direct_mut);

    #[inline(always)]
    fn program_plain(&mut self, to: Ppn, lpns: &[Lpn], seq: u64, cause: Cause) -> usize {
        direct_mut!(self, array => Probe::program_plain(array, to, lpns, seq, cause))
    }
}

impl<F: DynFlash> From<F> for AnyArray {
    fn from(array: F) -> Self {
        Self::new(array)
    }
}
