//! The link to the host: one transfer at a time, in each direction or in both together.

use crate::front_end::{Crossing, HostInterface};
use flash::Ns;

/// Directions of the link; one without packets uses the first for both.
const TO_DEVICE: usize = 0;
const TO_HOST: usize = 1;

/// A link, and the ends of its last transfers. Without an interface, transfers take no time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    interface: Option<HostInterface>,
    free_ns: [Ns; 2],
    busy_ns: [Ns; 2],
}

impl Link {
    pub(super) fn new(interface: Option<HostInterface>) -> Self {
        Self { interface, free_ns: [0; 2], busy_ns: [0; 2] }
    }

    /// A command is taken at `at_ns`, and `data` of a write cross; returns the time at which its page tasks are ready.
    #[inline]
    pub(super) fn begin(&mut self, at_ns: Ns, data: Option<u64>) -> Ns {
        let Some(interface) = &self.interface else { return at_ns };
        match (interface.packets, data) {
            (Some(packets), _) => {
                let crossing = packets.at_begin(data.unwrap_or(0));
                let at_ns = at_ns.saturating_add(packets.latency_ns);
                self.cross(at_ns, crossing)[TO_DEVICE]
            }
            (None, Some(bytes)) => self.transfer(TO_DEVICE, at_ns, bytes),
            (None, None) => at_ns,
        }
    }

    /// The tasks of a command are done at `at_ns`, and `data` of a read cross; returns the end of the command.
    #[inline]
    pub(super) fn end(&mut self, at_ns: Ns, data: u64) -> Ns {
        let Some(interface) = &self.interface else { return at_ns };
        match (interface.packets, data) {
            (Some(packets), _) => self.cross(at_ns, packets.at_end(data))[TO_HOST],
            (None, 0) => at_ns,
            (None, _) => self.transfer(TO_DEVICE, at_ns, data),
        }
    }

    fn cross(&mut self, at_ns: Ns, crossing: Crossing) -> [Ns; 2] {
        [
            self.transfer(TO_DEVICE, at_ns, crossing.to_device),
            self.transfer(TO_HOST, at_ns, crossing.to_host),
        ]
    }

    /// Transfers `bytes` at `at_ns` or when the direction is free; returns the end of the transfer.
    fn transfer(&mut self, direction: usize, at_ns: Ns, bytes: u64) -> Ns {
        let Some(interface) = &self.interface else { return at_ns };
        let took_ns = interface.transfer_ns(bytes);
        let free_ns = &mut self.free_ns[direction];
        *free_ns = (*free_ns).max(at_ns).saturating_add(took_ns);
        self.busy_ns[direction] = self.busy_ns[direction].saturating_add(took_ns);
        *free_ns
    }

    /// True if transfers and commands take no time.
    pub(super) fn is_unlimited(&self) -> bool {
        self.interface.is_none()
    }

    /// True if the page tasks of such a command wait for a transfer, in the order of the link.
    pub(super) fn delays(&self, writes: bool) -> bool {
        self.interface.is_some_and(|interface| writes || interface.packets.is_some())
    }

    /// End of the last transfer.
    pub(super) fn end_ns(&self) -> Ns {
        self.free_ns[TO_DEVICE].max(self.free_ns[TO_HOST])
    }

    /// Busy time of the busier direction.
    pub(super) fn busy_ns(&self) -> Ns {
        self.busy_ns[TO_DEVICE].max(self.busy_ns[TO_HOST])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_of_nvme_do_not_wait_for_each_other() {
        let mut link = Link::new(Some(HostInterface::NVME_GEN4X4));
        let time = |bytes| HostInterface::NVME_GEN4X4.transfer_ns(bytes);
        let write = link.begin(1000, Some(1 << 20));
        let read = link.end(1000, 1 << 20);
        // Read requests of the write's data were on their way to the host.
        assert_eq!(write, 1000 + time((1 << 20) + 4096 * 20 + 112));
        assert_eq!(read, 1000 + time(24 * 2049) + time((1 << 20) + 4096 * 24 + 68));
        // The next command waits for the data before it, a small end does not wait for the write.
        assert_eq!(link.begin(1000, None), write + time(28) + time(112));
        assert_eq!(link.end(1000, 0), read + time(24) + time(68));
        assert!(link.busy_ns() < read.max(write));
    }

    #[test]
    fn latency_delays_a_command_and_occupies_no_link() {
        let packets =
            crate::front_end::Packets { latency_ns: 700, ..crate::front_end::Packets::DEFAULT };
        let slow = HostInterface { packets: Some(packets), ..HostInterface::NVME_GEN5X4 };
        let (mut slow, mut fast) =
            (Link::new(Some(slow)), Link::new(Some(HostInterface::NVME_GEN5X4)));
        assert_eq!(slow.begin(50, None), fast.begin(50, None) + 700);
        assert_eq!(slow.busy_ns(), fast.busy_ns());
    }

    #[test]
    fn sata_carries_data_alone_and_one_direction_at_a_time() {
        let mut link = Link::new(Some(HostInterface::SATA2));
        let time = HostInterface::SATA2.transfer_ns(4096);
        assert_eq!((link.begin(5, None), link.end(5, 0)), (5, 5));
        assert_eq!((link.begin(5, Some(4096)), link.end(5, 4096)), (5 + time, 5 + 2 * time));
        assert_eq!(link.busy_ns(), 2 * time);
        assert!(link.delays(true) && !link.delays(false));
    }
}
