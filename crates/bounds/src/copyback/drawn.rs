//! A transaction whose pages have different numbers of wrong bytes.

use super::error::CopybackError;
use super::transaction::Copyback;
use flash::Ns;

impl Copyback {
    /// Time of a transaction page by page, with the wrong bytes per page in `corrected_bytes`; ns.
    ///
    /// The pages are in copy order, with the planes of an operation together.
    /// These numbers replace the one that [`Copyback::with_corrected_bytes`] sets for all pages.
    /// With that number for all pages the result is [`Copyback::transaction_ns`].
    ///
    /// The recurrences are those of [`flash::CopyRun`].
    ///
    /// # Errors
    /// If [`Copyback::operations`] refuses the number of pages, or for the first page that no path can
    /// correct.
    pub fn drawn_ns(&self, corrected_bytes: &[u32]) -> Result<Ns, CopybackError> {
        let pages = u32::try_from(corrected_bytes.len()).unwrap_or(u32::MAX);
        self.operations(pages)?;
        let most = self.timings.most_corrected_bytes();
        if let Some(&found) = corrected_bytes.iter().find(|&&bytes| bytes > most) {
            return Err(CopybackError::Uncorrectable { found, most });
        }
        let times = self.times();
        let mut run = times.run();
        for operation in corrected_bytes.chunks_exact(self.planes as usize) {
            run.page(operation.iter().map(|&bytes| u64::from(bytes)).sum());
        }
        Ok(run.total_ns())
    }
}
