//! Conversion of an SSD's measurement into its report.

use super::state::{SsdDevice, array};
use crate::report::{SchemeReport, SsdReport};
use crate::setup::Setup;
use flash::channels::DieAddress;

impl SsdDevice<'_> {
    /// The report; `elapsed_ns`: end of the last request.
    pub(super) fn report(self, elapsed_ns: u64, setup: &Setup, label: &str) -> SchemeReport {
        // Collection that was due goes on after the last request, and its work is counted.
        let worked_ns = array(&*self.scheme).channels().last_done_ns().max(elapsed_ns);
        let until_ns = worked_ns.max(self.cores.end_ns()).max(self.link.end_ns());
        let (channel_use, die_use, busy_ns) = self.uses(until_ns);
        let per_second = |count: u64, ns: u64| count as f64 / (ns.max(1) as f64 / 1e9);
        let suspended = array(&*self.scheme).channels().suspensions();
        let planes = self.setup.multi_plane;
        let planes = planes.map(|_| array(&*self.scheme).channels().plane_counts().into());
        let Self { totals, seen, link, ref cores, .. } = self;
        let promise = &self.account.promise;
        let queue_depth = self.setup.queue_depth;
        // As the operations by cause: also those that ended after the last request. Windows end with it.
        let page_commands = array(&*self.scheme).page_commands();
        let share = |ns: u64| ns as f64 / until_ns.max(1) as f64;
        let (windows, window_ns) = self.windows.finish();
        let counts = windows.iter().map(|window| window.page_commands);
        let (least, most) = (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0));
        let ssd = SsdReport {
            queue_depth,
            completion_bound_ns: promise.completion_ns().filter(|_| queue_depth == 1),
            bounded_completion_ns: promise
                .completion_ns()
                .filter(|_| queue_depth == 1)
                .map(|_| promise.longest_completion),
            page_commands,
            page_commands_per_second: per_second(page_commands, worked_ns),
            window_ns,
            windows: windows.len() as u64,
            window_least_per_second: per_second(least, window_ns),
            window_most_per_second: per_second(most, window_ns),
            host_pages_per_second: per_second(totals.host_pages, elapsed_ns),
            longest_stall_ns: seen.longest_stall_ns,
            longest_collection_ns: seen.longest_collection_ns,
            suspended_erases: suspended.erases,
            suspended_programs: suspended.programs,
            suspension_ns: suspended.delay_ns,
            planes,
            channel_use,
            die_use,
            link_use: self.setup.interface.map(|_| share(link.busy_ns())),
            cores: cores.count(),
            processor_ns: cores.total_ns(),
            processor_share: share(cores.total_ns()) / f64::from(cores.count()),
            busiest_core_share: share(cores.busiest_ns()),
            longest_processor_ns: cores.longest_ns,
            map_ns: cores.cycles_ns(cores.cycles.map),
            moves_ns: cores.cycles_ns(cores.cycles.moves),
            victims_ns: cores.cycles_ns(cores.cycles.victims),
            commands_ns: cores.cycles_ns(cores.cycles.commands),
        };
        let beyond_bounds = self.account.promise.violations;
        let mut report =
            self.account.report(&*self.scheme, setup, label, elapsed_ns, Some(busy_ns));
        if queue_depth > 1 {
            // Tasks wait for each other's operations: no bound covers that.
            report.bound_ns = None;
            report.real_time = false;
            report.bounded_response_ns = None;
            // The bound on the valid pages of victims does not depend on time.
            report.violations -= beyond_bounds;
            report.first_violation = None;
        }
        report.busy_share = channel_use.max(die_use);
        report.ssd = Some(ssd);
        report.series.windows = windows;
        report
    }

    /// Mean use of channels and of dies, and the sum of the dies' array times.
    fn uses(&self, until_ns: u64) -> (f64, f64, u64) {
        let channels = array(&*self.scheme).channels();
        let topology = channels.topology();
        let buses: u64 = (0..topology.channels)
            .filter_map(|channel| channels.bus_use(channel))
            .map(|bus| bus.busy_ns())
            .sum();
        let ways = (0..topology.channels)
            .flat_map(|channel| (0..topology.ways).map(move |way| (channel, way)));
        let dies = ways.flat_map(|(channel, way)| {
            (0..topology.dies).map(move |die| DieAddress { channel, way, die })
        });
        let cells: u64 = dies.filter_map(|die| channels.die_use(die)).map(|die| die.array_ns).sum();
        let mean = |ns: u64, of: usize| ns as f64 / of.max(1) as f64 / until_ns.max(1) as f64;
        let channel_count = usize::from(topology.channels);
        let die_count = channel_count * topology.dies_per_channel();
        (mean(buses, channel_count), mean(cells, die_count), cells)
    }
}
