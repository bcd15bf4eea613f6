//! An image below a scheme: with serial time, and static wear levelling if the scheme is configured so.

use super::file::Image;
use flash::faults::Tearable;
use flash::{AnyArray, DynFlash, FlashError, Layer, Serial, WearLevel};
use ftl::{FtlError, Scheme, SchemeConfig, registry};

/// An image with a serial clock and wear levelling. `I` is the image, or a fault around it.
#[derive(Debug)]
pub struct ImageArray<I: Tearable = Image> {
    inner: WearLevel<Serial<I>>,
}

impl<I: Tearable + std::fmt::Debug + 'static> ImageArray<I> {
    /// An array for this scheme.
    pub fn new(config: &SchemeConfig, image: I) -> Self {
        let units = config.allocation.units();
        let inner = WearLevel::new(Serial::new(image), config.static_wear, units, config.seed);
        Self { inner }
    }

    /// The scheme, formatted on an erased image.
    ///
    /// # Errors
    /// Those of the scheme.
    pub fn format(
        self,
        config: &SchemeConfig,
    ) -> Result<Box<dyn Scheme<Flash = AnyArray>>, FtlError> {
        registry::format(config, AnyArray::new(self))
    }

    /// The scheme, mounted on an image that it was formatted on.
    ///
    /// # Errors
    /// Those of the scheme.
    pub fn mount(
        mut self,
        config: &SchemeConfig,
    ) -> Result<Box<dyn Scheme<Flash = AnyArray>>, FtlError> {
        self.inner.recover().map_err(FtlError::from)?;
        registry::mount(config, AnyArray::new(self))
    }

    /// The clock above the image.
    pub fn serial(&self) -> &Serial<I> {
        self.inner.inner()
    }

    /// The image.
    pub fn image(&self) -> &I {
        self.inner.inner().inner()
    }

    /// The image, mutable.
    pub fn image_mut(&mut self) -> &mut I {
        self.inner.inner_mut().inner_mut()
    }
}

impl ImageArray {
    /// Makes all operations so far outlive the machine's power.
    ///
    /// # Errors
    /// As [`Image::sync`].
    pub fn sync(&mut self) -> Result<(), FlashError> {
        self.image_mut().sync()
    }
}

impl<I: Tearable> Layer for ImageArray<I> {
    type Inner = WearLevel<Serial<I>>;

    #[inline]
    fn inner(&self) -> &Self::Inner {
        &self.inner
    }

    #[inline]
    fn inner_mut(&mut self) -> &mut Self::Inner {
        &mut self.inner
    }
}

impl<I: Tearable + std::fmt::Debug + 'static> DynFlash for ImageArray<I> {}
