//! A transaction whose pages have different numbers of wrong bytes.

use super::{CopyPath, Copyback, CopybackError, Stages};
use flash::Ns;

impl Copyback {
    /// A transaction page by page, `corrected_bytes` naming the wrong bytes of each, in the order in which they
    /// are copied, the planes of an operation together; ns. In place of the number that
    /// [`Copyback::with_corrected_bytes`] gave to all; with that number for all it is
    /// [`Copyback::transaction_ns`].
    ///
    /// ```text
    /// C_i = max(C_{i−1} + F, S_{i−1} + t_PROG or, with cache program, S_{i−1}) + D_i     confirmed
    /// S_i = max(S_{i−1} + t_PROG, C_i)                                                  begins to be programmed
    /// ```
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
        let clean = Self { stages: Stages::of(&self.timings, self.planes, 0), ..*self };
        let (fetch, prog) = (clean.fetch_ns(), clean.stages.t_prog_ns);
        let sent_again = matches!(self.path, CopyPath::Icb | CopyPath::Dgcb);
        let (mut confirmed, mut started, mut programmed) = (0, 0, 0);
        for operation in corrected_bytes.chunks_exact(self.planes as usize) {
            let bytes: u64 = operation.iter().map(|&bytes| u64::from(bytes)).sum();
            let again = if sent_again { bytes * self.timings.correction_ns() } else { 0 };
            let (idle, register_free) = match (self.path.between_devices(), self.cache_program) {
                (false, _) => (programmed, programmed),
                (true, false) => (confirmed, programmed),
                (true, true) => (confirmed, started),
            };
            confirmed = register_free.max(idle + fetch) + clean.load_ns() + again;
            started = programmed.max(confirmed);
            programmed = started + prog;
        }
        Ok(programmed)
    }
}
