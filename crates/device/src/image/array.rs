//! What is below the scheme of a block device: an image or memory, with a clock, and static wear levelling if the scheme is
//! configured so.

use crate::below::Below;
use flash::faults::Tearable;
use flash::parallel::{Parallel, ParallelError};
use flash::{
    AnyArray, BlockId, Counts, DynFlash, FlashError, Layer, Ppn, Probe, Serial, WearLevel,
};
use ftl::{AnyScheme, FtlError, SchemeConfig, registry};
use lab::ssd::SsdSetup;
use std::any::Any;

/// What the clock is on, of any type: so clocks and the device above are compiled once.
#[derive(Debug)]
pub struct AnyBelow(Box<dyn Below>);

impl Layer for AnyBelow {
    type Inner = dyn Below;

    fn inner(&self) -> &Self::Inner {
        &*self.0
    }

    fn inner_mut(&mut self) -> &mut Self::Inner {
        &mut *self.0
    }
}

impl Tearable for AnyBelow {
    fn waste(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        self.0.waste(ppn)
    }

    fn half_erase(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.0.half_erase(block)
    }

    fn spoil(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        self.0.spoil(ppn)
    }
}

/// An image, or a fault around it, with a clock and wear levelling.
#[derive(Debug)]
pub struct ImageArray(Clock);

#[derive(Debug)]
enum Clock {
    /// One operation after the other.
    Serial(Box<WearLevel<Serial<AnyBelow>>>),
    /// Operations overlap on the channels of an SSD.
    Channels(Box<WearLevel<Parallel<AnyBelow>>>),
}

impl ImageArray {
    /// An array for this scheme in serial time.
    pub fn new(config: &SchemeConfig, image: impl Below) -> Self {
        let clock = Serial::new(AnyBelow(Box::new(image)));
        Self(Clock::Serial(Box::new(levelled(config, clock))))
    }

    /// An array for this scheme on the channels of an SSD. Operations take no time until a device that models it takes over.
    ///
    /// # Errors
    /// The image does not fit the channels.
    pub fn on_channels(
        config: &SchemeConfig,
        image: impl Below,
        ssd: &SsdSetup,
    ) -> Result<Self, ParallelError> {
        let SsdSetup { topology, timing, policy, ganged, stripes, .. } = *ssd;
        let image = AnyBelow(Box::new(image));
        let mut array = Parallel::striped(image, topology, timing, policy, ganged, stripes)?;
        array.set_timed(false);
        array.set_precedence(ssd.precedence);
        array.set_multi_plane(ssd.multi_plane);
        Ok(Self(Clock::Channels(Box::new(levelled(config, array)))))
    }

    /// The scheme, formatted on an erased image.
    ///
    /// # Errors
    /// Those of the scheme.
    pub fn format(self, config: &SchemeConfig) -> Result<Box<AnyScheme>, FtlError> {
        registry::format(config, AnyArray::new(self))
    }

    /// The scheme, mounted on an image that it was formatted on.
    ///
    /// # Errors
    /// Those of the scheme.
    pub fn mount(mut self, config: &SchemeConfig) -> Result<Box<AnyScheme>, FtlError> {
        match &mut self.0 {
            Clock::Serial(array) => array.recover(),
            Clock::Channels(array) => array.recover(),
        }
        .map_err(FtlError::from)?;
        registry::mount(config, AnyArray::new(self))
    }

    /// Operations so far.
    pub fn counts(&self) -> &Counts {
        match &self.0 {
            Clock::Serial(array) => (**array).counts(),
            Clock::Channels(array) => (**array).counts(),
        }
    }

    /// The channels on which operations overlap; `None`: one operation after the other.
    pub fn channels(&mut self) -> Option<&mut Parallel<AnyBelow>> {
        match &mut self.0 {
            Clock::Serial(_) => None,
            Clock::Channels(array) => Some(&mut **array),
        }
    }

    /// What the clock is on.
    pub fn image(&self) -> &dyn Below {
        match &self.0 {
            Clock::Serial(array) => array.inner().inner().inner(),
            Clock::Channels(array) => array.inner().inner().inner(),
        }
    }

    /// What the clock is on, mutable.
    pub fn image_mut(&mut self) -> &mut dyn Below {
        match &mut self.0 {
            Clock::Serial(array) => array.inner_mut().inner_mut().inner_mut(),
            Clock::Channels(array) => array.inner_mut().inner_mut().inner_mut(),
        }
    }

    /// What the clock is on, mutable, if it has this type.
    pub fn image_as_mut<I: Below>(&mut self) -> Option<&mut I> {
        (self.image_mut() as &mut dyn Any).downcast_mut()
    }
}

fn levelled<F: Probe>(config: &SchemeConfig, clock: F) -> WearLevel<F> {
    WearLevel::new(clock, config.static_wear, config.allocation.units(), config.seed)
}

impl Layer for ImageArray {
    type Inner = dyn Probe;

    fn inner(&self) -> &Self::Inner {
        match &self.0 {
            Clock::Serial(array) => &**array,
            Clock::Channels(array) => &**array,
        }
    }

    fn inner_mut(&mut self) -> &mut Self::Inner {
        match &mut self.0 {
            Clock::Serial(array) => &mut **array,
            Clock::Channels(array) => &mut **array,
        }
    }
}

impl DynFlash for ImageArray {}
