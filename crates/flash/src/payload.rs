//! Checks of the payload of page operations.

use crate::address::Geometry;
use crate::error::FlashError;

impl Geometry {
    /// Checks that a payload, if there is one, is exactly one page long.
    ///
    /// # Errors
    /// [`FlashError::PayloadLength`].
    #[inline]
    pub fn check_payload(&self, data: Option<&[u8]>) -> Result<(), FlashError> {
        match data.map(<[u8]>::len) {
            Some(found) if found != self.page_bytes() as usize => {
                Err(FlashError::PayloadLength { expected: self.page_bytes(), found })
            }
            _ => Ok(()),
        }
    }

    /// Checks that the `length` bytes of a page from `offset` on lie within it.
    ///
    /// # Errors
    /// [`FlashError::PayloadLength`].
    #[inline]
    pub fn check_part(&self, offset: usize, length: usize) -> Result<(), FlashError> {
        let (end, expected) = (offset.saturating_add(length), self.page_bytes());
        if end <= expected as usize {
            return Ok(());
        }
        Err(FlashError::PayloadLength { expected, found: end })
    }
}
