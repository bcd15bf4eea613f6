//! An image below a scheme: with a clock, and static wear levelling if the scheme is configured so.

use super::file::Image;
use flash::faults::Tearable;
use flash::parallel::{Parallel, ParallelError};
use flash::{AnyArray, Counts, DynFlash, FlashError, Layer, Probe, Serial, WearLevel};
use ftl::{AnyScheme, FtlError, SchemeConfig, registry};
use sim::ssd::SsdSetup;
use std::fmt::Debug;

/// A clock on an image, or on a fault around it.
pub trait Clock: Probe + Debug + 'static {
    /// What the clock is on.
    type Below: Tearable;

    /// What the clock is on.
    fn below(&self) -> &Self::Below;

    /// What the clock is on, mutable.
    fn below_mut(&mut self) -> &mut Self::Below;

    /// Operations so far.
    fn counts(&self) -> &Counts;

    /// The channels on which operations overlap; `None`: one operation after the other.
    fn channels(&mut self) -> Option<&mut Parallel<Self::Below>>;
}

impl<I: Tearable + Debug + 'static> Clock for Serial<I> {
    type Below = I;

    fn below(&self) -> &I {
        self.inner()
    }

    fn below_mut(&mut self) -> &mut I {
        self.inner_mut()
    }

    fn counts(&self) -> &Counts {
        self.counts()
    }

    fn channels(&mut self) -> Option<&mut Parallel<I>> {
        None
    }
}

impl<I: Tearable + Debug + 'static> Clock for Parallel<I> {
    type Below = I;

    fn below(&self) -> &I {
        self.inner()
    }

    fn below_mut(&mut self) -> &mut I {
        self.inner_mut()
    }

    fn counts(&self) -> &Counts {
        self.counts()
    }

    fn channels(&mut self) -> Option<&mut Parallel<I>> {
        Some(self)
    }
}

/// An image with a clock and wear levelling.
#[derive(Debug)]
pub struct ClockedArray<C: Clock> {
    inner: WearLevel<C>,
}

/// An image with a serial clock. `I` is the image, or a fault around it.
pub type ImageArray<I = Image> = ClockedArray<Serial<I>>;

/// An image whose operations overlap on the channels of an SSD.
pub type ChannelArray<I = Image> = ClockedArray<Parallel<I>>;

impl<I: Tearable + Debug + 'static> ImageArray<I> {
    /// An array for this scheme.
    pub fn new(config: &SchemeConfig, image: I) -> Self {
        Self::levelled(config, Serial::new(image))
    }

    /// The clock above the image.
    pub fn serial(&self) -> &Serial<I> {
        self.inner.inner()
    }
}

impl<I: Tearable + Debug + 'static> ChannelArray<I> {
    /// An array for this scheme on the channels of an SSD. Operations take no time until a device that models it takes over.
    ///
    /// # Errors
    /// The image does not fit the channels.
    pub fn on_channels(
        config: &SchemeConfig,
        image: I,
        ssd: &SsdSetup,
    ) -> Result<Self, ParallelError> {
        let SsdSetup { topology, timing, policy, ganged, stripes, .. } = *ssd;
        let mut array = Parallel::striped(image, topology, timing, policy, ganged, stripes)?;
        array.set_timed(false);
        array.set_precedence(ssd.precedence);
        array.set_multi_plane(ssd.multi_plane);
        Ok(Self::levelled(config, array))
    }
}

impl<C: Clock> ClockedArray<C> {
    fn levelled(config: &SchemeConfig, clock: C) -> Self {
        let units = config.allocation.units();
        Self { inner: WearLevel::new(clock, config.static_wear, units, config.seed) }
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
        self.inner.recover().map_err(FtlError::from)?;
        registry::mount(config, AnyArray::new(self))
    }

    /// Operations so far.
    pub fn counts(&self) -> &Counts {
        Clock::counts(self.inner.inner())
    }

    /// The channels, if operations overlap.
    pub fn channels(&mut self) -> Option<&mut Parallel<C::Below>> {
        self.inner.inner_mut().channels()
    }

    /// The image.
    pub fn image(&self) -> &C::Below {
        self.inner.inner().below()
    }

    /// The image, mutable.
    pub fn image_mut(&mut self) -> &mut C::Below {
        self.inner.inner_mut().below_mut()
    }
}

impl<C: Clock<Below = Image>> ClockedArray<C> {
    /// Makes all operations so far outlive the machine's power.
    ///
    /// # Errors
    /// As [`Image::sync`].
    pub fn sync(&mut self) -> Result<(), FlashError> {
        self.image_mut().sync()
    }
}

impl<C: Clock> Layer for ClockedArray<C> {
    type Inner = WearLevel<C>;

    #[inline]
    fn inner(&self) -> &Self::Inner {
        &self.inner
    }

    #[inline]
    fn inner_mut(&mut self) -> &mut Self::Inner {
        &mut self.inner
    }
}

impl<C: Clock> DynFlash for ClockedArray<C> {}
