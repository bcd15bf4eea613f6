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

    /// The `length` bytes of a page from `offset` on.
    pub(crate) fn part_of<'p>(
        &self,
        page: &'p [u8],
        offset: usize,
        length: usize,
    ) -> Result<&'p [u8], FlashError> {
        let end = offset.checked_add(length);
        end.and_then(|end| page.get(offset..end)).ok_or(FlashError::PayloadLength {
            expected: self.page_bytes(),
            found: offset.saturating_add(length),
        })
    }
}
