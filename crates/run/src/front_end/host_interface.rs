//! Host interfaces: rate of the link, bytes per command, commands outstanding at most.

use flash::Ns;

/// A host interface: one link, or one in each direction, that carries one transfer at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostInterface {
    /// Name in configurations and reports.
    pub name: &'static str,
    /// Bytes per second after coding; at least 1. Of a link with packets: in each direction, headers included.
    pub bytes_per_second: u64,
    /// Time per command in addition to its data.
    pub command_ns: Ns,
    /// Most outstanding commands; of NVMe per queue.
    pub most_depth: u32,
    /// NVMe over PCI Express; `None`: one link for both directions, which carries the data alone.
    pub packets: Option<Packets>,
}

/// Time that the link takes with a request of one page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkTimes {
    /// A read, ns.
    pub read_ns: Ns,
    /// A write, ns.
    pub write_ns: Ns,
    /// A request without data, ns.
    pub bare_ns: Ns,
}

/// What crosses PCI Express for an NVMe command, in packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packets {
    /// Largest payload of a packet, bytes.
    pub payload_bytes: u32,
    /// Time from the submission of a command to the start of its transfers; it occupies no link.
    pub latency_ns: Ns,
}

/// Bytes that a command moves at its beginning or its end, headers included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossing {
    /// From the host to the device.
    pub to_device: u64,
    /// From the device to the host.
    pub to_host: u64,
}

/// Framing and sequence number (4 B), header with a 64-bit address (16 B), LCRC (4 B): of a memory write or a read request.
const ADDRESSED: u64 = 24;
/// The same with the header of a completion (12 B).
const COMPLETION: u64 = 20;
/// Submission queue entry, completion queue entry, doorbell or MSI-X message.
const SUBMISSION_ENTRY: u64 = 64;
const COMPLETION_ENTRY: u64 = 16;
const REGISTER: u64 = 4;
/// Most bytes that one read request asks for: what a device is set to after reset.
const READ_REQUEST: u64 = 512;

impl Packets {
    /// Payload of most hosts: that of Neugebauer et al.'s model. Without latency.
    pub const DEFAULT: Self = Self { payload_bytes: 256, latency_ns: 0 };

    /// The payloads of common hosts.
    pub const PAYLOADS: [u32; 3] = [128, 256, 512];

    /// Packets for `bytes` of data.
    fn packets(self, bytes: u64) -> u64 {
        bytes.div_ceil(self.payload_bytes.max(1).into())
    }

    /// At the beginning: the tail doorbell; the device reads the submission queue entry, and the data of a write.
    pub fn at_begin(self, bytes_in: u64) -> Crossing {
        let requests = 1 + bytes_in.div_ceil(READ_REQUEST);
        let data = bytes_in + COMPLETION * self.packets(bytes_in);
        let entry = SUBMISSION_ENTRY + COMPLETION;
        Crossing { to_device: ADDRESSED + REGISTER + entry + data, to_host: ADDRESSED * requests }
    }

    /// At the end: the device writes the data of a read, the completion queue entry and the interrupt; the head doorbell.
    pub fn at_end(self, bytes_out: u64) -> Crossing {
        let data = bytes_out + ADDRESSED * self.packets(bytes_out);
        let entry = ADDRESSED + COMPLETION_ENTRY;
        Crossing { to_device: ADDRESSED + REGISTER, to_host: data + entry + ADDRESSED + REGISTER }
    }
}

/// Bytes per second and direction of PCI Express from 8 GT/s on, whose 128b/130b coding leaves 128 of 130 bits.
const fn express(giga_transfers: u64, lanes: u64) -> u64 {
    giga_transfers * 1_000_000_000 * lanes * 128 / 130 / 8
}

impl HostInterface {
    /// SATA, 3 Gb/s: 8b/10b coding leaves 300 MB/s; native command queueing carries 32 commands (Serial ATA 2.6).
    pub const SATA2: Self = Self {
        name: "sata2",
        bytes_per_second: 300_000_000,
        command_ns: 0,
        most_depth: 32,
        packets: None,
    };

    /// NVMe over four lanes of 8 GT/s.
    pub const NVME_GEN3X4: Self = Self::nvme("nvme:gen3x4", 8);
    /// NVMe over four lanes of 16 GT/s.
    pub const NVME_GEN4X4: Self = Self::nvme("nvme:gen4x4", 16);
    /// NVMe over four lanes of 32 GT/s.
    pub const NVME_GEN5X4: Self = Self::nvme("nvme:gen5x4", 32);

    /// Every named interface.
    pub const ALL: [Self; 4] =
        [Self::SATA2, Self::NVME_GEN3X4, Self::NVME_GEN4X4, Self::NVME_GEN5X4];

    /// A queue of 65,536 entries holds one command less: if head and tail are equal it is empty.
    const fn nvme(name: &'static str, giga_transfers: u64) -> Self {
        Self {
            name,
            bytes_per_second: express(giga_transfers, 4),
            command_ns: 0,
            most_depth: 65_535,
            packets: Some(Packets::DEFAULT),
        }
    }

    /// Where its figures are published.
    pub fn source(&self) -> &'static str {
        match self.packets {
            None => "Serial ATA 2.6: 8b/10b coding, native command queueing",
            Some(_) => {
                "PCI Express Base Specification 3.0 to 5.0: 128b/130b coding, packets, 512 B per read request after \
                 reset; NVM Express Base Specification 2.0: entries of 64 and 16 B, queues of 65,536 entries; R. \
                 Neugebauer et al., Understanding PCIe performance for end host networking, SIGCOMM 2018: bytes per \
                 packet (24 B for a write or a read request, 20 B for a completion), payload of 256 B"
            }
        }
    }

    /// Time for which `bytes`, headers included, occupy the link.
    #[inline]
    pub fn transfer_ns(&self, bytes: u64) -> Ns {
        let rate = self.bytes_per_second.max(1);
        let ns = match bytes.checked_mul(1_000_000_000) {
            Some(scaled) => scaled.div_ceil(rate),
            None => {
                let ns = (u128::from(bytes) * 1_000_000_000).div_ceil(u128::from(rate));
                Ns::try_from(ns).unwrap_or(Ns::MAX)
            }
        };
        ns.saturating_add(self.command_ns)
    }

    /// What it adds to page tasks of so many bytes, one request at a time: the sum over the page tasks of a request is at least
    /// the time that its command and its data cross, before the first and after the last of them.
    ///
    /// Each direction is free when a command or its end crosses, since what crossed before has. A crossing takes as long as its
    /// longer direction then, and for the bytes of several pages no longer than for each page by itself, rounded up.
    pub fn link_times(&self, page_bytes: u32) -> LinkTimes {
        let page = page_bytes.into();
        let sent = |crossing: Crossing| self.transfer_ns(crossing.to_device.max(crossing.to_host));
        match self.packets {
            None => {
                let ns = self.transfer_ns(page);
                LinkTimes { read_ns: ns, write_ns: ns, bare_ns: 0 }
            }
            Some(packets) => {
                let of = |bytes_in, bytes_out| {
                    let [begin_ns, end_ns] =
                        [packets.at_begin(bytes_in), packets.at_end(bytes_out)].map(sent);
                    begin_ns.saturating_add(end_ns).saturating_add(packets.latency_ns)
                };
                LinkTimes { read_ns: of(0, page), write_ns: of(page, 0), bare_ns: of(0, 0) }
            }
        }
    }

    /// User bytes per second of requests of `bytes`, one behind the other: reads and writes.
    pub fn user_rates(&self, bytes: u64) -> [f64; 2] {
        let rate = |link_bytes: u64| {
            bytes as f64 / link_bytes.max(1) as f64 * self.bytes_per_second as f64
        };
        match self.packets {
            None => [rate(bytes); 2],
            Some(packets) => {
                let most = |begin: Crossing, end: Crossing| {
                    (begin.to_device + end.to_device).max(begin.to_host + end.to_host)
                };
                [
                    rate(most(packets.at_begin(0), packets.at_end(bytes))),
                    rate(most(packets.at_begin(bytes), packets.at_end(0))),
                ]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_32_kib_over_sata_2() {
        assert_eq!(HostInterface::SATA2.transfer_ns(32 << 10), 109_227);
        // More bytes than a product in 64 bits holds.
        assert_eq!(HostInterface::SATA2.transfer_ns(3 << 40), 10_995_116_277_760);
    }

    /// Counted by hand: 4 KiB are 16 packets of 256 B.
    #[test]
    fn a_command_of_4_kib_over_pci_express() {
        let packets = Packets::DEFAULT;
        let (doorbell, interrupt) = (28, 28);
        let read = packets.at_end(4096);
        assert_eq!(read.to_host, 4096 + 16 * 24 + (24 + 16) + interrupt);
        assert_eq!(read.to_device, doorbell);
        assert_eq!(packets.at_begin(0), Crossing { to_device: doorbell + 20 + 64, to_host: 24 });
        let write = packets.at_begin(4096);
        assert_eq!(write.to_device, doorbell + 20 + 64 + 4096 + 16 * 20);
        // One request for the entry, eight for the data.
        assert_eq!(write.to_host, 9 * 24);
        let small = Packets { payload_bytes: 128, ..packets };
        assert_eq!(small.at_end(4096).to_host - read.to_host, 16 * 24);
    }

    /// A request of several pages takes no longer on the link than its pages one by one.
    #[test]
    fn pages_one_by_one_take_no_less_than_a_request_of_them() {
        let slow = Packets { payload_bytes: 128, latency_ns: 700 };
        let slow = HostInterface { packets: Some(slow), ..HostInterface::NVME_GEN3X4 };
        for interface in HostInterface::ALL.into_iter().chain([slow]) {
            for page in [512, 2048, 4096, 16_384] {
                let of_page = interface.link_times(page);
                for pages in 1..20 {
                    let all = interface.link_times(page * pages);
                    let pages = Ns::from(pages);
                    assert!(all.read_ns <= pages * of_page.read_ns, "{interface:?} {page} {pages}");
                    assert!(all.write_ns <= pages * of_page.write_ns, "{interface:?} {page}");
                }
                assert!(of_page.bare_ns <= of_page.read_ns.min(of_page.write_ns), "{interface:?}");
            }
        }
    }

    #[test]
    fn latency_is_added_to_each_request() {
        let of = |latency_ns| {
            let packets = Some(Packets { latency_ns, ..Packets::DEFAULT });
            HostInterface { packets, ..HostInterface::NVME_GEN4X4 }.link_times(4096)
        };
        let (quick, slow) = (of(0), of(700));
        let added = |ns: fn(&LinkTimes) -> Ns| ns(&slow) - ns(&quick);
        let each = [added(|of| of.read_ns), added(|of| of.write_ns), added(|of| of.bare_ns)];
        assert_eq!(each, [700; 3]);
    }

    #[test]
    fn rates_are_those_of_the_lanes_after_coding() {
        let rate = |interface: HostInterface| interface.bytes_per_second;
        // 8 GT/s × 4 lanes × 128/130 / 8 bits.
        assert_eq!(rate(HostInterface::NVME_GEN3X4), 3_938_461_538);
        assert_eq!(rate(HostInterface::NVME_GEN4X4), 7_876_923_076);
        assert_eq!(rate(HostInterface::NVME_GEN5X4), 15_753_846_153);
        let [reads, writes] = HostInterface::NVME_GEN3X4.user_rates(128 << 10);
        // 256 of 280 bytes, and 256 of 276.
        assert!((reads / 3.600e9 - 1.0).abs() < 1e-3, "{reads}");
        assert!((writes / 3.650e9 - 1.0).abs() < 2e-3, "{writes}");
    }
}
