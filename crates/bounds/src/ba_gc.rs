//! Buffer-aware garbage collection: cost of merging a log block, and the saving from merging dirty buffer
//! pages too.
//!
//! C_r, C_p and C_e are `t_r_ns`, `t_prog_ns` and `t_bers_ns` of the part.
//! Reading a page from the buffer takes C_b, which the caller passes (0 in the paper's evaluation).
//!
//! Source: S. Lee, D. Shin, J. Kim, Buffer-aware garbage collection for NAND flash memory-based storage
//! systems, 2008, Eqs. 3 to 9.
//!
//! Erratum: Eq. 4 prints the invalid pages of a data block as those that F_d moves.
//! It must mean the valid ones, as in the paper's example.

use crate::ratio::Ratio;
use flash::{Ns, Part};

/// Sets of blocks and pages that a merge of a log block involves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sets {
    /// |A(L)|: logical blocks with a valid page in the log block (Eq. 1).
    pub blocks: u32,
    /// |F(L)|: pages read from flash (Eq. 4).
    pub from_flash: u32,
    /// |B(L)|: pages read from the buffer (Eq. 4).
    pub from_buffer: u32,
    /// Σ P(U) over B(L), in thousandths: expected pages that are dirty again when they are evicted (Eq. 9).
    pub dirty_again: u32,
}

impl Sets {
    /// |M(L)| = |F(L)| + |B(L)|, if each page of the buffer has an older version on flash.
    pub fn moved(&self) -> u32 {
        self.from_flash + self.from_buffer
    }
}

/// C_ff: one page moved within flash, C_r + C_p.
pub fn from_flash_ns(part: &Part) -> Ns {
    part.t_r_ns + part.t_prog_ns
}

/// C_bf: one page moved from the buffer to flash, C_b + C_p.
pub fn from_buffer_ns(part: &Part, buffer_ns: Ns) -> Ns {
    buffer_ns + part.t_prog_ns
}

/// α = (C_p + C_r)/C_p: cost, in page programs, of the merge that the eviction of one dirty page causes.
pub fn alpha(part: &Part) -> Ratio {
    Ratio::of(part.t_prog_ns + part.t_r_ns, part.t_prog_ns)
}

/// Eq. 3: |M(L)|·C_ff, the merge cost of a collector that ignores the buffer.
pub fn unaware_merge_ns(part: &Part, sets: &Sets) -> Ns {
    u64::from(sets.moved()) * from_flash_ns(part)
}

/// Eq. 4: |B(L)|·C_bf + |F(L)|·C_ff, the cost of a buffer-aware merge.
pub fn merge_ns(part: &Part, sets: &Sets, buffer_ns: Ns) -> Ns {
    u64::from(sets.from_buffer) * from_buffer_ns(part, buffer_ns)
        + u64::from(sets.from_flash) * from_flash_ns(part)
}

/// Eq. 7: (|A(L)| + 1)·C_e, the cost of the erases.
pub fn erase_ns(part: &Part, sets: &Sets) -> Ns {
    (u64::from(sets.blocks) + 1) * part.t_bers_ns
}

/// Eqs. 8 and 9: |B_d(L)|·C_p ≈ Σ P(U)·C_p, the eviction cost of the pages of B(L) that are dirty again.
pub fn evicted_again_ns(part: &Part, sets: &Sets) -> Ns {
    u64::from(sets.dirty_again) * part.t_prog_ns / 1000
}

/// Eq. 5 with Eqs. 8 and 9: (|B(L)| − Σ P(U))·C_p·(1 + α) = (|B(L)| − Σ P(U))·(2·C_p + C_r).
///
/// 0 if more pages would be dirty again than B(L) has.
pub fn benefit_ns(part: &Part, sets: &Sets) -> Ns {
    let kept_clean = (u64::from(sets.from_buffer) * 1000).saturating_sub(sets.dirty_again.into());
    kept_clean * saved_ns(part, None) / 1000
}

/// C_p·(1 + α) of Eq. 5: what a page that stays clean saves. α in thousandths; `None` for [`alpha`].
pub fn saved_ns(part: &Part, alpha_thousandths: Option<u32>) -> Ns {
    match alpha_thousandths {
        None => 2 * part.t_prog_ns + part.t_r_ns,
        Some(alpha) => part.t_prog_ns * (1000 + u64::from(alpha)) / 1000,
    }
}

/// Eq. 6: |B(L)|·(C_r − C_b + C_p·(1 + α)), the largest gain of a buffer-aware merge over an unaware one.
///
/// Negative if the buffer is slow enough (C_b above 2·(C_r + C_p)).
pub fn most_gain_ns(part: &Part, sets: &Sets, buffer_ns: Ns) -> i64 {
    let each = (2 * (part.t_r_ns + part.t_prog_ns)) as i64 - buffer_ns as i64;
    i64::from(sets.from_buffer) * each
}

/// Eq. 7 without the erase of L itself, δ_merge + |A(L)|·C_e − δ_benefit, in thousandths of a ns.
///
/// Exact, so that it may be summed over the logical blocks of L. `saved_ns` is C_p·(1 + α), [`saved_ns`].
pub fn cost_of_blocks(part: &Part, sets: &Sets, buffer_ns: Ns, saved_ns: Ns) -> i64 {
    let kept_clean = (u64::from(sets.from_buffer) * 1000).saturating_sub(sets.dirty_again.into());
    let benefit = kept_clean * saved_ns;
    let spent = merge_ns(part, sets, buffer_ns) + u64::from(sets.blocks) * part.t_bers_ns;
    (spent * 1000) as i64 - benefit as i64
}

/// Eq. 7: Δ(L); the log block with the least is the victim.
pub fn cost_ns(part: &Part, sets: &Sets, buffer_ns: Ns) -> i64 {
    (merge_ns(part, sets, buffer_ns) + erase_ns(part, sets)) as i64 - benefit_ns(part, sets) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use flash::parts::K9WBG08U1M;

    const FIG_1: Sets = Sets { blocks: 2, from_flash: 6, from_buffer: 2, dirty_again: 0 };

    /// p1, p2 and p3 will be updated.
    const L0: Sets = Sets { blocks: 1, from_flash: 1, from_buffer: 3, dirty_again: 3000 };
    /// p6 and p7 will not be updated.
    const L1: Sets = Sets { blocks: 1, from_flash: 2, from_buffer: 2, dirty_again: 0 };

    #[test]
    fn alpha_is_as_printed() {
        assert!((alpha(&K9WBG08U1M).as_f64() - 1.125).abs() < 1e-12);
    }

    #[test]
    fn figure_1_gains_what_equation_6_says() {
        let part = &K9WBG08U1M;
        assert_eq!(unaware_merge_ns(part, &FIG_1), 8 * 225_000);
        assert_eq!(merge_ns(part, &FIG_1, 0), 6 * 225_000 + 2 * 200_000);
        for buffer_ns in [0, 1_000, 500_000] {
            let gain = unaware_merge_ns(part, &FIG_1) as i64
                - merge_ns(part, &FIG_1, buffer_ns) as i64
                + benefit_ns(part, &FIG_1) as i64;
            assert_eq!(gain, most_gain_ns(part, &FIG_1, buffer_ns));
        }
        // C_r + C_p·(1 + α) = 25 + 200·2.125 µs per page.
        assert_eq!(most_gain_ns(part, &FIG_1, 0), 2 * 450_000);
    }

    #[test]
    fn figure_3_prefers_l1() {
        let part = &K9WBG08U1M;
        assert_eq!(merge_ns(part, &L0, 0), 225_000 + 3 * 200_000);
        assert_eq!(merge_ns(part, &L1, 0), 2 * 225_000 + 2 * 200_000);
        assert_eq!((benefit_ns(part, &L0), evicted_again_ns(part, &L0)), (0, 600_000));
        // 2·C_p·(1 + α).
        assert_eq!((benefit_ns(part, &L1), evicted_again_ns(part, &L1)), (850_000, 0));
        assert_eq!((cost_ns(part, &L0, 0), cost_ns(part, &L1, 0)), (4_825_000, 4_000_000));
        for sets in [FIG_1, L0, L1] {
            let of_blocks = cost_of_blocks(part, &sets, 0, saved_ns(part, None));
            assert_eq!(of_blocks + part.t_bers_ns as i64 * 1000, cost_ns(part, &sets, 0) * 1000);
        }
    }

    #[test]
    fn another_alpha_weighs_the_page_that_stays_clean() {
        let part = &K9WBG08U1M;
        assert_eq!(saved_ns(part, Some(1125)), saved_ns(part, None));
        assert_eq!([0, 2000].map(|alpha| saved_ns(part, Some(alpha))), [200_000, 600_000]);
        // L1 has two pages that stay clean, L0 has none.
        let cost = |sets, alpha| cost_of_blocks(part, sets, 0, saved_ns(part, Some(alpha))) / 1000;
        assert_eq!(cost(&L1, 0) - cost(&L1, 2000), 2 * 400_000);
        assert_eq!(cost(&L0, 0), cost(&L0, 2000));
    }

    #[test]
    fn a_probability_between_takes_its_share() {
        // One page of the initial region has P(U) = 0.3.
        let sets = Sets { dirty_again: 300, from_buffer: 1, ..L1 };
        assert_eq!(benefit_ns(&K9WBG08U1M, &sets), 425_000 * 7 / 10);
        assert_eq!(evicted_again_ns(&K9WBG08U1M, &sets), 60_000);
    }
}
