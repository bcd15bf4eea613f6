//! What a collector of another crate may ask of the map: how much room there is, a victim, its pages moved, its block
//! erased.

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

    /// Pages that may be programmed without an erase.
    pub fn free_pages(&self) -> u64 {
        self.space.free_pages
    }

    /// The plan's ρ_th.
    pub fn threshold_pages(&self) -> u64 {
        self.space.log.threshold_pages
    }

    /// The block that the policy chooses, which is no candidate any more; `None` where none would gain a page.
    pub fn take_victim(&mut self) -> Option<BlockId> {
        self.space.take_victim()
    }

    /// Victims of a choice of several that are yet to be taken: collection goes on until there are none.
    pub fn committed_victims(&self) -> usize {
        self.space.victims.committed()
    }

    /// Moves at most `most` valid pages of a victim, from page `*cursor` on, to where the host writes next, and moves the
    /// cursor behind them; what is dirty in the buffer is programmed from there. Returns how many were moved: 0 where
    /// none is left. There must be room for them.
    ///
    /// # Errors
    /// What the array says.
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

    /// Erases a victim without valid pages; its pages are free from then on.
    ///
    /// # Errors
    /// What the array says.
    pub fn erase(&mut self, victim: BlockId) -> Result<(), FtlError> {
        self.reclaim(victim)
    }

    /// Takes a victim, moves all its valid pages and erases it. False where there is none that gains a page.
    ///
    /// # Errors
    /// What the array says.
    pub fn collect(&mut self, buffer: &mut dyn DirtyPages) -> Result<bool, FtlError> {
        self.collect_whole(buffer)
    }

    /// That a write has no room.
    pub fn no_room(&self) -> FtlError {
        self.full()
    }
}
