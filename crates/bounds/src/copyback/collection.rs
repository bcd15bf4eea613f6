//! A whole collection: valid pages of a victim in transactions, and the erase.

use super::error::CopybackError;
use super::transaction::Copyback;
use flash::Ns;

impl Copyback {
    /// Erase of a block on every plane: 60h-row-D1h ... D0h, the waits between and t_BERS, ns.
    pub fn erase_ns(&self) -> Ns {
        let (t, k) = (&self.timings, u64::from(self.planes));
        let command = (2 + u64::from(t.waits.row_cycles)) * t.t_wc_ns;
        k * command + (k - 1) * t.between_planes_ns() + t.waits.t_wb_ns + t.t_bers_ns
    }

    /// `valid` pages of a victim (a block on every plane) in transactions of `pages`, the last one of what is
    /// left, one after another, ns.
    ///
    /// # Errors
    /// More valid pages than [`Copyback::most_pages`]; a transaction, or what is left for the last one, that
    /// [`Copyback::operations`] refuses.
    pub fn copies_ns(&self, valid: u32, pages: u32) -> Result<Ns, CopybackError> {
        let (found, most) = (u64::from(valid), u64::from(self.most_pages()));
        if found > most {
            return Err(CopybackError::Figure { field: "valid pages", least: 0, most, found });
        }
        let whole = u64::from(valid / pages.max(1)) * self.transaction_ns(pages)?;
        Ok(whole + self.rest(valid, pages).map_or(Ok(0), |rest| self.transaction_ns(rest))?)
    }

    /// Copies and then the erase, as Fig. 12 counts it, ns.
    ///
    /// # Errors
    /// See [`Copyback::copies_ns`].
    pub fn collection_ns(&self, valid: u32, pages: u32) -> Result<Ns, CopybackError> {
        Ok(self.copies_ns(valid, pages)? + self.erase_ns())
    }

    /// Copies, the erase beginning as soon as the last page has left the source (§III.A), ns: until both the
    /// last program and the erase are over. Within one device the same as [`Copyback::collection_ns`].
    ///
    /// A lower bound: neither the erase's command nor the last load waits for the other on the channel, which
    /// delays one of them by no more than the other's cycles.
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

    /// Pages of the last transaction where they are fewer than `pages`.
    fn rest(&self, valid: u32, pages: u32) -> Option<u32> {
        Some(valid % pages.max(1)).filter(|&rest| rest > 0)
    }
}
