//! The map's interface for collectors of other crates: free pages, victims, moving pages and erasing blocks.

use super::core::Core;
use super::space::Run;
use super::tables::Tables;
use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use crate::events::why;
use crate::victims::Victims;
use flash::{BlockId, Event, Probe};

impl<F: Probe, V: Victims, T: Tables> Core<F, V, T> {
    /// The flash array.
    pub fn flash(&self) -> &F {
        &self.flash
    }

    /// Reports a decision of the collector to an observer of the array. Costs nothing if there is none.
    #[inline(always)]
    pub fn event(&mut self, event: &Event<'_>) {
        self.flash.event(event);
    }

    /// Pages that can be programmed without an erase.
    pub fn free_pages(&self) -> u64 {
        self.space.free_pages
    }

    /// ρ_th: the plan's threshold of free pages, plus one block's pages while spare blocks are left.
    pub fn threshold_pages(&self) -> u64 {
        self.space.log.threshold_pages
    }

    /// Takes the block that the policy chooses out of the candidates; `None` if no candidate would gain a page.
    pub fn take_victim(&mut self) -> Option<BlockId> {
        let victim = self.space.take_victim()?;
        self.tell_victim(victim, why::FEW_FREE);
        Some(victim)
    }

    /// Number of victims chosen together that are not taken yet. Collection continues until it is 0.
    pub fn committed_victims(&self) -> usize {
        self.space.victims.committed()
    }

    /// Moves up to `most` valid pages of a victim to the frontier, from page `*cursor` on, and advances the cursor
    /// past them.
    ///
    /// Pages that are dirty in the buffer are programmed from there. Returns the number of pages moved: 0 if no
    /// valid page is left. The caller makes sure that there is room for them.
    ///
    /// # Errors
    /// The array's errors.
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
            self.collect_run(run, buffer)?;
            moved += run.pages().len() as u32;
            *cursor = run.cursor;
        }
        self.space.log.steps += u64::from(moved > 0);
        Ok(moved)
    }

    /// Erases a victim without valid pages, which frees its pages.
    ///
    /// # Errors
    /// The array's errors.
    pub fn erase(&mut self, victim: BlockId) -> Result<(), FtlError> {
        self.reclaim(victim)
    }

    /// Takes a victim, moves all its valid pages and erases it. Returns false if no candidate gains a page.
    ///
    /// # Errors
    /// The array's errors.
    pub fn collect(&mut self, buffer: &mut dyn DirtyPages) -> Result<bool, FtlError> {
        self.collect_whole(buffer, why::FEW_FREE)
    }

    /// The error of a write that finds no room.
    pub fn no_room(&self) -> FtlError {
        self.full()
    }
}
