//! Errors of the write-amplification models.

/// Reason why a model has no write amplification.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum WafError {
    /// σ is not above 0 and below 1.
    #[error("a logical share must be above 0 and below 1, not {0}")]
    Share(f64),
    /// A block has fewer than 2 pages.
    #[error("a block must have at least 2 pages, not {0}")]
    PagesPerBlock(u32),
    /// A class holds no page or no write, or all of them.
    #[error("a hot share of {0} is none: of pages and of writes it must be above 0 and below 1")]
    Class(f64),
    /// The selection draws 0 blocks.
    #[error("of 0 blocks drawn none can be chosen: draw 1 or more")]
    Draws,
    /// The window is empty or larger than the array.
    #[error("a window of {0} of the blocks is none: it must be above 0 and up to 1")]
    Window(f64),
    /// The iteration did not converge.
    #[error("the mean-field model did not settle")]
    Unsettled,
}

pub(super) fn check(share: f64) -> Result<(), WafError> {
    if share > 0.0 && share < 1.0 { Ok(()) } else { Err(WafError::Share(share)) }
}

pub(super) fn check_pages(pages_per_block: u32) -> Result<(), WafError> {
    if pages_per_block >= 2 { Ok(()) } else { Err(WafError::PagesPerBlock(pages_per_block)) }
}
