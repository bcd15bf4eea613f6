//! Operations for a collector in another crate: free space, victim selection, page moves, erase.

use super::core::Core;
use super::space::Run;
use super::tables::Tables;
use super::victims::Victims;
use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use flash::{BlockId, Probe};

impl<F: Probe, V: Victims, T: Tables> Core<F, V, T> {
    /// The array.
    pub fn flash(&self) -> &F {
        &self.flash
    }

    /// Pages that can be programmed without an erase.
    pub fn free_pages(&self) -> u64 {
        self.space.free_pages
    }

    /// Collection threshold ρ_th of the plan, in pages.
    pub fn threshold_pages(&self) -> u64 {
        self.space.log.threshold_pages
    }

    /// Removes a victim from the candidates, as the policy selects it. `None` if no block would gain a page.
    pub fn take_victim(&mut self) -> Option<BlockId> {
        self.space.take_victim()
    }

    /// Victims already selected and not yet taken, for a policy that selects several at once. Collection continues
    /// until there are none.
    pub fn committed_victims(&self) -> usize {
        self.space.victims.committed()
    }

    /// Moves at most `most` valid pages of a victim to the frontier, starting at page `*cursor`, and advances the
    /// cursor.
    ///
    /// Pages that are dirty in the buffer are programmed from there. Returns the number of moved pages; 0 if none
    /// is left. There must be room for them.
    ///
    /// # Errors
    /// The error of the array.
    pub fn move_pages(
        &mut self,
        victim: BlockId,
        cursor: &mut u32,
        most: u32,
        buffer: &mut dyn DirtyPages,
    ) -> Result<u32, FtlError> {
        let (mut moved, run) = (0, &mut Run::new());
        while moved < most {
            self.next_run(victim, *cursor, most - moved, run);
            if run.pages().is_empty() {
                break;
            }
            self.relocate(run, buffer)?;
            moved += run.pages().len() as u32;
            *cursor = run.cursor;
        }
        self.space.log.steps += u64::from(moved > 0);
        Ok(moved)
    }

    /// Erases a victim without valid pages. Its pages are free afterwards.
    ///
    /// # Errors
    /// The error of the array.
    pub fn erase(&mut self, victim: BlockId) -> Result<(), FtlError> {
        self.reclaim(victim)
    }

    /// Takes a victim, moves all its valid pages and erases it. Returns false if no block would gain a page.
    ///
    /// # Errors
    /// The error of the array.
    pub fn collect(&mut self, buffer: &mut dyn DirtyPages) -> Result<bool, FtlError> {
        self.collect_whole(buffer)
    }

    /// The error of a write that has no room.
    pub fn no_room(&self) -> FtlError {
        self.full()
    }
}
