//! The controller's processor: what the choice of victims costs in time.

use crate::victim_work::VictimWork;
use flash::Ns;

/// A processor that looks at entries of tables. It works on one thing at a time, and what the host asks for waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processor {
    /// Clock, kHz; 1 or more.
    pub clock_khz: u32,
    /// Cycles to read an entry, with what is done to it.
    pub read_cycles: u32,
    /// Cycles to write one.
    pub write_cycles: u32,
}

impl Processor {
    /// ARM7TDMI-S at 87.5 MHz, as on the board of Jung and Song, 2LGC, Table 1. They give no cycles: a load takes 3 and
    /// a store 2 (ARM7TDMI-S Technical Reference Manual, instruction cycle timings) in SRAM without wait states, and
    /// mask, comparison, branch and pointer of a loop's turn about 7 more for a read, 2 more for a write.
    pub const ARM7: Self = Self { clock_khz: 87_500, read_cycles: 10, write_cycles: 4 };

    /// Time of this much work, rounded up.
    pub fn time_ns(&self, work: &VictimWork) -> Ns {
        let all = [work.invalidated, work.filled, work.chosen];
        let cycles: u128 = all
            .iter()
            .map(|part| {
                u128::from(part.reads) * u128::from(self.read_cycles)
                    + u128::from(part.writes) * u128::from(self.write_cycles)
            })
            .sum();
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
        };
        // 35 × 10 + 25 × 4 cycles of 11.43 ns.
        assert_eq!(Processor::ARM7.time_ns(&work), 5143);
        assert_eq!(Processor::ARM7.time_ns(&VictimWork::default()), 0);
    }
}
