//! Channel time of a transaction.

use super::error::CopybackError;
use super::transaction::Copyback;
use crate::ratio::Ratio;
use flash::{CopyPath, Ns};

/// Time in which the channel is occupied, ns.
///
/// Waits (t_ADL, t_WB, t_DBSY, t_CCS, t_ECC) and busy dies leave it free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelTime {
    /// Pages out and in, including t_DL, and corrected bytes.
    pub data_ns: Ns,
    /// Commands and addresses.
    pub command_ns: Ns,
}

impl ChannelTime {
    /// Sum of both.
    pub fn total_ns(self) -> Ns {
        self.data_ns + self.command_ns
    }
}

impl Copyback {
    /// Channel time for `pages` pages, the same for every split into transactions, ns.
    ///
    /// # Errors
    /// See [`Copyback::operations`].
    pub fn channel_time(&self, pages: u32) -> Result<ChannelTime, CopybackError> {
        let n = self.operations(pages)?;
        let (t, k) = (&self.timings, u64::from(self.planes));
        let command = t.full_command_ns();
        let out = t.data_out_ns();
        let into = t.data_in_ns();
        let sent_again = self.path.sends_corrections();
        let corrected = if sent_again { u64::from(self.corrected_bytes) } else { 0 };
        let page = match self.path {
            CopyPath::Icb => out,
            CopyPath::IcbUnchecked => 0,
            CopyPath::Lcb | CopyPath::Gcb => out + into,
            CopyPath::Dgcb => t.moved_bytes() * t.t_rwc_ns() + t.waits.t_dl_ns,
        };
        let correction = t.correction_cycles_ns();
        let choices = if self.path == CopyPath::IcbUnchecked { 0 } else { k - 1 };
        Ok(ChannelTime {
            data_ns: n * k * (page + corrected * t.t_wc_ns),
            // Per plane a read and a program; if data go out, also the selection of each further plane's
            // register.
            command_ns: n
                * ((2 * k + choices) * command + k * corrected * (correction - t.t_wc_ns)),
        })
    }

    /// Share of a transaction's time in which the channel is occupied, data and commands (Jeong and Song,
    /// Fig. 14).
    ///
    /// # Errors
    /// See [`Copyback::operations`].
    pub fn channel_use(&self, pages: u32) -> Result<Ratio, CopybackError> {
        Ok(Ratio::of(self.channel_time(pages)?.total_ns(), self.transaction_ns(pages)?))
    }

    /// User bytes copied per second in transactions of `pages` pages, rounded down, without erases.
    ///
    /// Fig. 11; with corrected bytes, Fig. 13.
    ///
    /// # Errors
    /// See [`Copyback::operations`].
    pub fn bytes_per_second(&self, pages: u32) -> Result<u64, CopybackError> {
        let bytes = u128::from(pages) * u128::from(self.timings.page_bytes);
        Ok((bytes * 1_000_000_000 / u128::from(self.transaction_ns(pages)?)) as u64)
    }

    /// Throughput relative to that without corrected bytes, in transactions of `pages` pages (Fig. 13): at
    /// most 1.
    ///
    /// # Errors
    /// See [`Copyback::operations`].
    pub fn normalised_throughput(&self, pages: u32) -> Result<Ratio, CopybackError> {
        let clean = self.with_corrected_bytes(0)?;
        Ok(Ratio::of(clean.transaction_ns(pages)?, self.transaction_ns(pages)?))
    }
}
