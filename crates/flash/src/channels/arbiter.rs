//! The way arbiter of a channel: which of the dies that ask for the bus is granted it.

use crate::time::Ns;

/// How the arbiter chooses among requests for the bus that are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The one that has asked for longest; of two that asked at once, the one submitted first.
    #[default]
    Fifo,
    /// The dies in turn, way by way, from the one after the last granted on.
    RoundRobin,
    /// Commands and data of reads before all others, each kind by [`Policy::Fifo`]. Reads without end starve the
    /// rest, the data of direct transfers among it: they are the program's.
    ReadFirst,
}

impl Policy {
    /// Every policy.
    pub const ALL: [Self; 3] = [Self::Fifo, Self::RoundRobin, Self::ReadFirst];

    /// How options and reports name it.
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
    /// Since when; [`Ns::MAX`] where the die asks for nothing.
    pub since_ns: Ns,
    /// In which order its operation was submitted.
    pub serial: u64,
    /// Whether for a read.
    pub read: bool,
}

/// No time at all.
pub(super) const NEVER: Ns = Ns::MAX;

impl Ask {
    /// Nothing is asked for.
    pub const NONE: Self = Self { since_ns: NEVER, serial: 0, read: false };
}

/// The die that is granted the bus at `now_ns`, of those that ask by then; one must. `last` is the die that was
/// granted before.
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

/// The one that has asked for longest, of those that are not `late` if there are any.
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
