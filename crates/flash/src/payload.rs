//! What bytes a page takes and gives.

use crate::address::Geometry;
use crate::error::FlashError;

impl Geometry {
    /// The rule for payloads: exactly one page, or nothing where no bytes are to be kept or wanted.
    #[inline]
    pub(crate) fn check_payload(&self, found: usize) -> Result<(), FlashError> {
        if found != 0 && found != self.page_bytes() as usize {
            return Err(FlashError::PayloadLength { expected: self.page_bytes(), found });
        }
        Ok(())
    }

    /// The part of a page's bytes that is asked for.
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
