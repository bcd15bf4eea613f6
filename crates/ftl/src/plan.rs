//! A preset's plan for one array: exported capacity, bounds and cost, before anything runs.

use crate::buffer::settings::BufferPlan;
use crate::guarantee::{Guarantee, Ram};
use crate::layout::Layout;
use crate::slc_cache::SlcPlan;
use bounds::service::Service;
use bounds::task_set::PageCosts;
use flash::Ns;

/// The plan for one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Logical pages exported (Λ).
    pub logical_pages: u32,
    /// Threshold of free pages for collection (ρ_th); 0 if collection starts on other grounds. Whole-block collectors
    /// start at it, [`Partial`](crate::page_mapped::Partial) below it.
    /// [`Preemptible`](crate::page_mapped::Preemptible) keeps it as a reserve.
    pub threshold_pages: u32,
    /// Blocks that may still go bad without an effect on the bounds.
    pub spare_blocks: u32,
    /// The part of the scheme's family.
    pub layout: Layout,
    /// The write buffer above the scheme, if any.
    pub buffer: Option<BufferPlan>,
    /// The SLC cache, if any.
    pub slc: Option<SlcPlan>,
    /// Bounds, the buffer included.
    pub guarantee: Guarantee,
    /// Controller RAM, the buffer included.
    pub ram: Ram,
}

impl Plan {
    /// Worst case of one page task of each kind with the collection that may go with it, for
    /// [`bounds::task_set::analyse`].
    ///
    /// # Errors
    /// Why there is none: the scheme has no bound, or its write buffer also works when no task asks it to.
    pub fn page_costs(&self) -> Result<PageCosts, &'static str> {
        if self.buffer.is_some_and(|buffer| buffer.age_ns < Ns::MAX) {
            return Err(
                "its write buffer writes pages that have been dirty for too long between page tasks, which no \
                        bound covers; set `+buffer_age=0` (no limit)",
            );
        }
        if matches!(&self.layout, Layout::Gftl(layout) if layout.queue_limit < u32::MAX) {
            return Err(
                "its write queue is as long as the paper prints it, and overflows in some orders of requests; \
                        set `+queue=proven`",
            );
        }
        let Guarantee { read_ns, write_ns, step_ns, response_ns, step_with_read, .. } =
            self.guarantee;
        let (Some(read), Some(write), Some(step), Some(response)) =
            (read_ns, write_ns, step_ns, response_ns)
        else {
            return Err("it has no response bound with these settings");
        };
        // A read that enters a buffer may evict a page, which is written.
        let collects = step_with_read || self.buffer.is_some_and(|buffer| buffer.reads);
        let read_step = if collects { step } else { 0 };
        Ok(PageCosts {
            read_ns: response.min(read.saturating_add(read_step)),
            write_ns: response.min(write.saturating_add(step)),
        })
    }

    /// [`Plan::page_costs`] for requests that may wait for each other.
    ///
    /// # Errors
    /// As [`Plan::page_costs`]; or the scheme works in idle time. A run does so only where the next request is far enough away,
    /// which a device does not know.
    pub fn queued_costs(&self) -> Result<PageCosts, &'static str> {
        if self.guarantee.idle_work || self.guarantee.refresh_ns.is_some() {
            return Err(
                "it works in idle time, which a request that comes then has to wait for; leave out `+idle`, `+slc`, `refresh` \
                 and `read_reclaim`",
            );
        }
        self.page_costs()
    }

    /// [`Plan::page_costs`] for task sets, and the longest step of a refresh or a read reclaim, which a job that is released in
    /// idle time may have to wait for: 0 without them.
    ///
    /// # Errors
    /// As [`Plan::page_costs`]; or the scheme also works in idle time otherwise.
    pub fn task_costs(&self) -> Result<(PageCosts, Ns), &'static str> {
        if self.guarantee.idle_work {
            return Err(
                "it works in idle time, which a job that is released then has to wait for; leave out `+idle` and `+slc`",
            );
        }
        Ok((self.page_costs()?, self.guarantee.refresh_ns.unwrap_or(0)))
    }

    /// Longest times of page tasks in a row, for [`bounds::service::delay`].
    ///
    /// # Errors
    /// As [`Plan::queued_costs`].
    pub fn service(&self) -> Result<Service, &'static str> {
        let PageCosts { read_ns, write_ns } = self.queued_costs()?;
        let collections = self.guarantee.collections;
        let program_ns = self.guarantee.write_ns.unwrap_or(write_ns).min(write_ns);
        Ok(Service { read_ns, write_ns: program_ns, step_ns: write_ns - program_ns, collections })
    }
}
