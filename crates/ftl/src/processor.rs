//! The controller's processor, which the choice of victims takes time on.

use crate::victim_work::VictimWork;
use flash::Ns;

/// A processor that accesses table entries. It works on one thing at a time, and host requests wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processor {
    /// Clock, kHz; 1 or more.
    pub clock_khz: u32,
    /// Cycles to read and handle an entry.
    pub read_cycles: u32,
    /// Cycles to write an entry.
    pub write_cycles: u32,
}

impl Processor {
    /// ARM7TDMI-S at 87.5 MHz, as on the board of Jung and Song, 2LGC, Table 1. The paper gives no cycles. In SRAM
    /// without wait states, a load takes 3 cycles and a store 2 (ARM7TDMI-S Technical Reference Manual, instruction
    /// cycle timings). Mask, comparison, branch and pointer of a loop's iteration add about 7 for a read and 2 for a
    /// write.
    pub const ARM7: Self = Self { clock_khz: 87_500, read_cycles: 10, write_cycles: 4 };

    /// Time of this work, rounded up.
    pub fn time_ns(&self, work: &VictimWork) -> Ns {
        self.cycles_ns(self.cycles(work))
    }

    /// Cycles of this work.
    pub fn cycles(&self, work: &VictimWork) -> u128 {
        let all = [work.invalidated, work.filled, work.chosen, work.placed];
        all.iter()
            .map(|part| {
                u128::from(part.reads) * u128::from(self.read_cycles)
                    + u128::from(part.writes) * u128::from(self.write_cycles)
            })
            .sum()
    }

    /// Time of these cycles, rounded up.
    pub fn cycles_ns(&self, cycles: u128) -> Ns {
        let ns = (cycles * 1_000_000).div_ceil(u128::from(self.clock_khz.max(1)));
        Ns::try_from(ns).unwrap_or(Ns::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Accesses;

    #[test]
    fn cycles_at_a_clock() {
        let work = VictimWork {
            invalidated: Accesses::new(5, 0),
            filled: Accesses::new(0, 10),
            chosen: Accesses::new(30, 15),
            ..VictimWork::default()
        };
        // 35 × 10 + 25 × 4 cycles of 11.43 ns each.
        assert_eq!(Processor::ARM7.time_ns(&work), 5143);
        assert_eq!(Processor::ARM7.time_ns(&VictimWork::default()), 0);
    }
}
