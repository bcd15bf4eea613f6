//! A whole collection: the valid pages of a victim in transactions, and the erase.

use super::error::CopybackError;
use super::transaction::Copyback;
use flash::Ns;

impl Copyback {
    /// Erase of one block per plane: 60h-row-D1h ... D0h, the waits between and t_BERS, ns.
    pub fn erase_ns(&self) -> Ns {
        let (t, k) = (&self.timings, u64::from(self.planes));
        let command = (2 + u64::from(t.waits.row_cycles)) * t.t_wc_ns;
        k * command + (k - 1) * t.between_planes_ns() + t.waits.t_wb_ns + t.t_bers_ns
    }

    /// Copies of the `valid` pages of a victim (one block per plane) in consecutive transactions of `pages`,
    /// ns.
    ///
    /// The last transaction holds the remaining pages.
    ///
    /// # Errors
    /// More valid pages than [`Copyback::most_pages`]; a transaction or remainder that
    /// [`Copyback::operations`] refuses.
    pub fn copies_ns(&self, valid: u32, pages: u32) -> Result<Ns, CopybackError> {
        let (found, most) = (u64::from(valid), u64::from(self.most_pages()));
        if found > most {
            return Err(CopybackError::Figure { field: "valid pages", least: 0, most, found });
        }
        let whole = u64::from(valid / pages.max(1)) * self.transaction_ns(pages)?;
        Ok(whole + self.rest(valid, pages).map_or(Ok(0), |rest| self.transaction_ns(rest))?)
    }

    /// Copies, then the erase, as in Fig. 12, ns.
    ///
    /// # Errors
    /// See [`Copyback::copies_ns`].
    pub fn collection_ns(&self, valid: u32, pages: u32) -> Result<Ns, CopybackError> {
        Ok(self.copies_ns(valid, pages)? + self.erase_ns())
    }

    /// Copies, with the erase started as soon as the last page has left the source (§III.A), ns.
    ///
    /// The time ends when both the last program and the erase are over.
    /// Within one device it equals [`Copyback::collection_ns`].
    ///
    /// It is a lower bound: on the channel, neither the erase command nor the last load waits for the other.
    /// Such a wait would delay one of them by at most the other's cycles.
    ///
    /// # Errors
    /// See [`Copyback::copies_ns`].
    pub fn collection_early_erase_ns(&self, valid: u32, pages: u32) -> Result<Ns, CopybackError> {
        let copies = self.copies_ns(valid, pages)?;
        if valid == 0 {
            return Ok(self.erase_ns());
        }
        let last = self.rest(valid, pages).unwrap_or(pages);
        let before = copies - self.transaction_ns(last)?;
        Ok(copies.max(before + self.source_free_ns(last)? + self.erase_ns()))
    }

    /// Pages of the last transaction if they are fewer than `pages`.
    fn rest(&self, valid: u32, pages: u32) -> Option<u32> {
        Some(valid % pages.max(1)).filter(|&rest| rest > 0)
    }
}
