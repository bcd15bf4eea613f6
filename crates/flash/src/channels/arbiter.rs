//! Way arbiter of a channel: chooses the die that is granted the bus.

use crate::time::Ns;

/// Policy of the arbiter: choice among the pending requests for the bus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The die that has asked for longest. Of dies that asked at the same time, the one whose operation was
    /// submitted first.
    #[default]
    Fifo,
    /// The dies in turn, way by way, starting after the die granted last.
    RoundRobin,
    /// Commands and data of reads before all others; within each kind as [`Policy::Fifo`]. Endless reads starve
    /// all other requests. That includes the data of direct transfers, which count as the program's.
    ReadFirst,
}

impl Policy {
    /// All policies.
    pub const ALL: [Self; 3] = [Self::Fifo, Self::RoundRobin, Self::ReadFirst];

    /// Name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fifo => "fifo",
            Self::RoundRobin => "round-robin",
            Self::ReadFirst => "read-first",
        }
    }
}

/// A die's request for the bus (REQ).
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// Time of the request; [`Ns::MAX`] if the die asks for nothing.
    pub since_ns: Ns,
    /// Submission number of the operation.
    pub serial: u64,
    /// True if the operation is a read.
    pub read: bool,
}

/// Time of an event that never happens.
pub(super) const NEVER: Ns = Ns::MAX;

impl Ask {
    /// No request.
    pub const NONE: Self = Self { since_ns: NEVER, serial: 0, read: false };
}

/// Chooses the die that is granted the bus at `now_ns`, among those that ask by then. `last` is the die granted
/// before.
///
/// # Panics
/// If no die asks by `now_ns`.
#[inline]
pub fn choose(policy: Policy, asks: &[Ask], now_ns: Ns, last: usize) -> usize {
    let chosen = match policy {
        Policy::Fifo => longest(asks, now_ns, |_| false),
        Policy::RoundRobin => {
            (last + 1..asks.len()).chain(0..=last).find(|slot| asks[*slot].since_ns <= now_ns)
        }
        Policy::ReadFirst => longest(asks, now_ns, |ask| !ask.read),
    };
    chosen.expect("a grant is given only where a die asks")
}

/// The die that has asked for longest. Requests that are `late` are chosen only if there are no others.
#[inline(always)]
fn longest(asks: &[Ask], now_ns: Ns, late: impl Fn(&Ask) -> bool) -> Option<usize> {
    let (mut chosen, mut least) = (None, (true, NEVER, u64::MAX));
    for (slot, ask) in asks.iter().enumerate() {
        let key = (late(ask), ask.since_ns, ask.serial);
        if ask.since_ns <= now_ns && key < least {
            (chosen, least) = (Some(slot), key);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices() {
        let ask = |since_ns, serial, read| Ask { since_ns, serial, read };
        let asks =
            [ask(5, 9, false), ask(3, 8, false), ask(3, 7, false), ask(6, 6, true), Ask::NONE];
        assert_eq!(choose(Policy::Fifo, &asks, 6, 0), 2, "earliest, then submitted first");
        assert_eq!(choose(Policy::RoundRobin, &asks, 6, 2), 3);
        assert_eq!(choose(Policy::RoundRobin, &asks, 5, 2), 0, "die 3 does not ask yet");
        assert_eq!(choose(Policy::RoundRobin, &asks, 6, 4), 0);
        assert_eq!(choose(Policy::RoundRobin, &asks[..1], 6, 0), 0);
        assert_eq!(choose(Policy::ReadFirst, &asks, 6, 0), 3);
        assert_eq!(choose(Policy::ReadFirst, &asks, 5, 0), 2);
    }
}
