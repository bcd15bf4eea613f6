//! Host interface: link rate and command queue depth.

use flash::Ns;

/// A host interface: the data of all requests cross one link, one request at a time, in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostInterface {
    /// Name in configurations and reports.
    pub name: &'static str,
    /// User bytes per second; at least 1.
    pub bytes_per_second: u64,
    /// Time per command in addition to its data.
    pub command_ns: Ns,
    /// Most outstanding commands.
    pub most_depth: u32,
}

impl HostInterface {
    /// SATA, 3 Gb/s: 8b/10b coding leaves 300 MB/s; native command queueing carries 32 commands (Serial ATA 2.6).
    pub const SATA2: Self =
        Self { name: "sata2", bytes_per_second: 300_000_000, command_ns: 0, most_depth: 32 };

    /// Every named interface.
    pub const ALL: [Self; 1] = [Self::SATA2];

    /// Time for which a request of `bytes` occupies the link.
    pub fn transfer_ns(&self, bytes: u64) -> Ns {
        let ns =
            (u128::from(bytes) * 1_000_000_000).div_ceil(u128::from(self.bytes_per_second.max(1)));
        Ns::try_from(ns).unwrap_or(Ns::MAX).saturating_add(self.command_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_32_kib_over_sata_2() {
        assert_eq!(HostInterface::SATA2.transfer_ns(32 << 10), 109_227);
    }
}
