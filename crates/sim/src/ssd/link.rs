//! The link to the host: one transfer at a time.

use super::interface::HostInterface;
use flash::Ns;

/// A link, and the end of its last transfer. Without an interface, transfers take no time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    interface: Option<HostInterface>,
    free_ns: Ns,
    pub(super) busy_ns: Ns,
}

impl Link {
    pub(super) fn new(interface: Option<HostInterface>) -> Self {
        Self { interface, free_ns: 0, busy_ns: 0 }
    }

    /// Transfers `bytes` at `at_ns` or when the link is free; returns the end of the transfer.
    pub(super) fn transfer(&mut self, at_ns: Ns, bytes: u64) -> Ns {
        let Some(interface) = &self.interface else { return at_ns };
        let took_ns = interface.transfer_ns(bytes);
        self.free_ns = self.free_ns.max(at_ns).saturating_add(took_ns);
        self.busy_ns += took_ns;
        self.free_ns
    }

    pub(super) fn is_limited(&self) -> bool {
        self.interface.is_some()
    }
}
