//! Refresh and read reclaim on an SSD: a page beside a page task, and more while nothing is outstanding.
//!
//! Pages that are moved go to the blocks of the host's writes, and writes wait for the programs before them in their block.
//! So a page is moved while no more operations of collection are under way than there are dies. If there always are more,
//! as with collection for a host that writes without pause, one of [`SHARE`] page tasks brings a page nevertheless.

use super::state::{NEVER, RefreshPace, SsdDevice, array};
use flash::{Flash, Ns};
use ftl::{AnyScheme, FtlError, Refreshed, refresh_start_ns};

/// Page tasks per page that is moved while dies are busy with collection.
const SHARE: u64 = 16;

impl SsdDevice<'_> {
    /// Moves pages of blocks that the array names as due.
    pub(crate) fn refresh_blocks(&mut self) {
        self.refresh = Some(RefreshPace::default());
        self.is_plain = false;
    }

    /// Moves a page within the call of a task, if refreshes are on and the dies can take it.
    #[inline]
    pub(super) fn refresh_beside_task(&mut self) -> Result<(), FtlError> {
        if self.refresh.is_some() { self.refresh_now() } else { Ok(()) }
    }

    #[cold]
    fn refresh_now(&mut self) -> Result<(), FtlError> {
        let Some(pace) = &mut self.refresh else { return Ok(()) };
        pace.tasks += 1;
        pace.waits = false;
        let turn = pace.tasks.is_multiple_of(SHARE);
        let (flash, dies) = (array(&*self.scheme), self.setup.units());
        let left = u64::from(flash.steps_left());
        let most = u64::from(dies) * u64::from(flash.geometry().pages_per_block());
        if left < u64::from(dies) || turn && left < most {
            self.scheme.refresh_step()?;
            self.free_pages = self.scheme.free_pages();
        }
        Ok(())
    }

    /// Time at which a page may be moved while nothing is outstanding, so that it ends before this arrival.
    #[inline]
    pub(super) fn next_refresh_ns(&self, arrival_ns: Ns) -> Ns {
        match &self.refresh {
            Some(pace) if self.timed && !pace.waits && self.outstanding == 0 => {
                if self.is_at_work() {
                    return NEVER;
                }
                refresh_start_ns(&*self.scheme, self.now_ns, arrival_ns).unwrap_or(NEVER)
            }
            _ => NEVER,
        }
    }

    /// Moves a page for no task.
    pub(super) fn refresh_in_background(&mut self) -> Result<(), FtlError> {
        let step = |scheme: &mut AnyScheme, _| {
            let step = scheme.refresh_step()?;
            Ok(step.is_some_and(|step| step.did != Refreshed::Later))
        };
        let did = self.background(step)?;
        if let Some(pace) = &mut self.refresh {
            pace.waits = !did;
        }
        Ok(())
    }
}
