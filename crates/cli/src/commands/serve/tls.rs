//! `--tls-cert`, `--tls-key` and `--tls`, where the build has them.

use crate::failure::Failure;
use clap::Args;
use device::nbd::Tls;
#[cfg(feature = "tls")]
use std::path::PathBuf;

/// Encryption of the TCP port.
#[derive(Debug, Args)]
pub(super) struct TlsArgs {
    /// Certificate of the server for TLS on --listen, PEM, with those of its issuers behind it
    #[cfg(feature = "tls")]
    #[arg(long, value_name = "FILE", requires = "tls_key", requires = "listen")]
    tls_cert: Option<PathBuf>,

    /// Private key of the certificate, PEM
    #[cfg(feature = "tls")]
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,

    /// Whether clients of --listen must use TLS: required or allowed [default: required]
    #[cfg(feature = "tls")]
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "required",
        hide_default_value = true,
        requires = "tls_cert"
    )]
    tls: TlsUse,
}

/// Whether clients of a TCP port must use TLS.
#[cfg(feature = "tls")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum TlsUse {
    Required,
    Allowed,
}

#[cfg(feature = "tls")]
impl TlsArgs {
    /// Whether TLS is required, if there is a certificate.
    pub(super) fn required(&self) -> Option<bool> {
        self.tls_cert.is_some().then_some(self.tls == TlsUse::Required)
    }

    /// The encryption, if there is a certificate.
    pub(super) fn encryption(&self) -> Result<Option<Tls>, Failure> {
        let (Some(certificate), Some(key)) = (&self.tls_cert, &self.tls_key) else {
            return Ok(None);
        };
        let tls = Tls::from_files(certificate, key, self.tls == TlsUse::Required);
        tls.map(Some).map_err(|error| Failure::input(format!("--tls-cert, --tls-key: {error}")))
    }
}

/// Nothing: this build has no TLS.
#[cfg(not(feature = "tls"))]
impl TlsArgs {
    pub(super) fn required(&self) -> Option<bool> {
        None
    }

    pub(super) fn encryption(&self) -> Result<Option<Tls>, Failure> {
        Ok(None)
    }
}
