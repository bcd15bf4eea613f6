//! A build without the feature `tls`: nobody can have a [`Tls`].

use std::path::Path;

/// Certificate and key of a server. Without the feature `tls` there is none.
#[derive(Clone, Debug)]
pub enum Tls {}

/// A certificate or key that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// This build has no TLS.
    #[error("{}", workload::absent("TLS", "tls"))]
    Absent,
}

impl Tls {
    /// Fails.
    ///
    /// # Errors
    /// [`TlsError::Absent`].
    pub fn from_files(_: &Path, _: &Path, _: bool) -> Result<Self, TlsError> {
        Err(TlsError::Absent)
    }

    pub(super) fn is_required(&self) -> bool {
        match *self {}
    }
}
