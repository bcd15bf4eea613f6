//! The link to the host, and how many commands it carries at once.

use flash::Ns;

/// A host interface: every request's data cross one link, one at a time, in or out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostInterface {
    /// Name in configurations and reports.
    pub name: &'static str,
    /// User bytes a second; 1 or more.
    pub bytes_per_second: u64,
    /// Time of a command besides its data.
    pub command_ns: Ns,
    /// Most commands that may be outstanding.
    pub most_depth: u32,
}

impl HostInterface {
    /// SATA, 3 Gb/s: 8b/10b coding leaves 300 MB/s; native command queueing takes 32 commands (Serial ATA 2.6).
    pub const SATA2: Self =
        Self { name: "sata2", bytes_per_second: 300_000_000, command_ns: 0, most_depth: 32 };

    /// Every interface that has a name.
    pub const ALL: [Self; 1] = [Self::SATA2];

    /// Time that a request of so many bytes holds the link.
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
