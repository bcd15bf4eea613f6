//! Logical space that a workload may address.

use crate::error::WorkloadError;
use serde::{Deserialize, Serialize};

/// A device as a workload sees it: bytes and pages.
///
/// Pages per block are for write orders that are laid out against blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Space {
    /// Logical bytes, starting at 0.
    pub bytes: u64,
    /// Bytes per page.
    pub page_bytes: u32,
    /// Pages per block.
    pub pages_per_block: u32,
}

impl Space {
    /// Whole logical pages.
    pub fn pages(&self) -> u64 {
        self.bytes / u64::from(self.page_bytes.max(1))
    }

    /// Refuses a space without a page.
    pub(crate) fn check(&self) -> Result<(), WorkloadError> {
        if self.page_bytes == 0 || self.pages_per_block == 0 || self.pages() == 0 {
            return Err(WorkloadError::Unfit(format!(
                "a space of {} bytes with {} bytes per page and {} pages per block has no page to address: each \
                must be at least one",
                self.bytes, self.page_bytes, self.pages_per_block
            )));
        }
        Ok(())
    }
}
