//! A transaction whose pages have different numbers of wrong bytes.

use super::error::CopybackError;
use super::transaction::Copyback;
use flash::Ns;

impl Copyback {
    /// A transaction page by page, `corrected_bytes` naming the wrong bytes of each, in the order in which they
    /// are copied, the planes of an operation together; ns. In place of the number that
    /// [`Copyback::with_corrected_bytes`] gave to all; with that number for all it is
    /// [`Copyback::transaction_ns`].
    ///
    /// The recurrences are those of [`flash::CopyRun`].
    ///
    /// # Errors
    /// A number of pages that [`Copyback::operations`] refuses; the first page that cannot be corrected, by any
    /// path.
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
