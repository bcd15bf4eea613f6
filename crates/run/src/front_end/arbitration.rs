//! Arbitration between submission queues (NVM Express Base Specification 2.0, §3.4.4).
//!
//! ```text
//! round robin: the queues with commands, in turns; of each up to `burst` commands
//! weighted round robin with urgent priority class:
//!   urgent queues first, in turns
//!   else, in each round, up to `high` commands of high queues, then `medium`, then `low`; in a class in turns
//!   a round ends when each class has had its number, or has no command
//! ```
//!
//! A choice is O(1): the queues of a class that have commands are bits of a word.

use workload::QueueClass;

/// Most submission queues in all.
pub const MOST_QUEUES: u32 = 128;
/// Commands taken of one queue at a time, if there is no limit.
pub const NO_LIMIT: u32 = u32::MAX;

/// Mechanism of arbitration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mechanism {
    /// All queues in turns.
    #[default]
    RoundRobin,
    /// Urgent queues first; of the other classes that many commands per round.
    Weighted {
        /// Commands of high queues per round, 1 to 256.
        high: u16,
        /// Commands of medium queues per round, 1 to 256.
        medium: u16,
        /// Commands of low queues per round, 1 to 256.
        low: u16,
    },
}

/// How the controller chooses among submission queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arbitration {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// Commands taken of one queue at a time: 1, 2, 4, … 64, or [`NO_LIMIT`].
    pub burst: u32,
}

impl Default for Arbitration {
    fn default() -> Self {
        Self { mechanism: Mechanism::RoundRobin, burst: 1 }
    }
}

/// Queues of one class.
#[derive(Clone, Copy, Debug, Default)]
struct Class {
    /// Queues with commands, a bit each.
    ready: u128,
    /// The queue that was last, and the commands that it may go on with.
    last: u8,
    left: u32,
    /// Commands that the class may go on with in this round.
    credit: u16,
}

impl Class {
    /// The next queue in turns, which has a command.
    fn choose(&mut self, burst: u32) -> u8 {
        let goes_on = self.left > 0 && self.ready >> self.last & 1 == 1;
        if !goes_on {
            let after = self.ready & !(u128::MAX >> (127 - self.last));
            let from = if after == 0 { self.ready } else { after };
            self.last = from.trailing_zeros() as u8;
            self.left = burst;
        }
        self.left -= 1;
        self.last
    }
}

/// The arbiter's state.
#[derive(Clone, Debug)]
pub(crate) struct Arbiter {
    burst: u32,
    /// Weights of high, medium and low; `None`: round robin, with all queues in the first class.
    weights: Option<[u16; 3]>,
    classes: [Class; 4],
}

impl Arbiter {
    pub(crate) fn new(arbitration: Arbitration) -> Self {
        let weights = match arbitration.mechanism {
            Mechanism::RoundRobin => None,
            Mechanism::Weighted { high, medium, low } => Some([high, medium, low]),
        };
        // The first turn is that of queue 0.
        let class = Class { last: 127, ..Class::default() };
        Self { burst: arbitration.burst.max(1), weights, classes: [class; 4] }
    }

    fn class(&mut self, class: QueueClass) -> &mut Class {
        let at = if self.weights.is_none() { 0 } else { class as usize };
        &mut self.classes[at]
    }

    /// A queue has commands.
    #[inline]
    pub(crate) fn filled(&mut self, queue: u8, class: QueueClass) {
        self.class(class).ready |= 1 << queue;
    }

    /// A queue has no command left.
    #[inline]
    pub(crate) fn emptied(&mut self, queue: u8, class: QueueClass) {
        self.class(class).ready &= !(1 << queue);
    }

    /// The queue whose command is next; `None` if no queue has one.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<u8> {
        let [first, weighted @ ..] = &mut self.classes;
        if first.ready != 0 {
            return Some(first.choose(self.burst));
        }
        let weights = self.weights?;
        if weighted.iter().all(|class| class.ready == 0) {
            return None;
        }
        if !weighted.iter().any(|class| class.ready != 0 && class.credit > 0) {
            for (class, weight) in weighted.iter_mut().zip(weights) {
                class.credit = weight.max(1);
            }
        }
        let class = weighted.iter_mut().find(|class| class.ready != 0 && class.credit > 0)?;
        class.credit -= 1;
        Some(class.choose(self.burst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use QueueClass::{High, Low, Medium, Urgent};

    /// The order in which queues of these classes are served, each with that many commands.
    fn order(arbitration: Arbitration, queues: &[(u8, QueueClass, u32)]) -> String {
        let mut arbiter = Arbiter::new(arbitration);
        let mut left = [0u32; 128];
        for (queue, class, commands) in queues {
            left[*queue as usize] = *commands;
            arbiter.filled(*queue, *class);
        }
        let mut served = String::new();
        while let Some(queue) = arbiter.next() {
            served.push_str(&queue.to_string());
            left[queue as usize] -= 1;
            if left[queue as usize] == 0 {
                let (_, class, _) = queues.iter().find(|(of, ..)| *of == queue).unwrap();
                arbiter.emptied(queue, *class);
            }
        }
        served
    }

    fn weighted(high: u16, medium: u16, low: u16, burst: u32) -> Arbitration {
        Arbitration { mechanism: Mechanism::Weighted { high, medium, low }, burst }
    }

    #[test]
    fn round_robin_takes_bursts_in_turns_whatever_the_class() {
        let queues = [(0, Low, 3), (1, Urgent, 1), (2, High, 4)];
        let of = |burst| order(Arbitration { burst, ..Arbitration::default() }, &queues);
        assert_eq!(of(1), "01202022");
        assert_eq!(of(2), "00122022");
        assert_eq!(of(NO_LIMIT), "00012222");
    }

    #[test]
    fn weights_are_commands_per_round_and_urgent_goes_first() {
        let queues = [(0, Low, 3), (1, Medium, 4), (2, High, 5), (3, Urgent, 2), (4, High, 3)];
        // Rounds of 3 high, 2 medium and 1 low; the two high queues in turns.
        assert_eq!(order(weighted(3, 2, 1, 1), &queues), "33242110424110220");
        // With bursts of 2 a queue goes on in the next round.
        assert_eq!(order(weighted(3, 2, 1, 2), &queues), "33224110422110420");
    }

    #[test]
    fn a_class_without_commands_leaves_its_share_to_the_others() {
        assert_eq!(order(weighted(8, 4, 1, 1), &[(5, Low, 3), (6, High, 1)]), "6555");
    }

    #[test]
    fn the_last_queue_is_one_of_them() {
        let queues = [(0, Medium, 2), (127, Medium, 2)];
        assert_eq!(order(Arbitration::default(), &queues), "01270127");
        assert_eq!(order(weighted(1, 1, 1, 1), &queues), "01270127");
    }
}
