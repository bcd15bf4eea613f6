//! Division of an array between data and translation blocks, and the size of the cached mapping table.
//!
//! With that size no write ever waits for the map.

use super::printed::{share_max, translation_pages, translation_space_pages};
use crate::error::BoundError;

use crate::lazy_rtgc::space::{Space, space, space_for};
use crate::ratio::Ratio;
use flash::Part;

/// Fewest translation blocks: one open, one victim, one free.
pub const LEAST_TRANSLATION_BLOCKS: u32 = 3;

/// Division of an array, start of each of the three background tasks, and most dirty entries.
///
/// # The condition
/// After each host write and each trim (which also makes an entry dirty), one step of at most t_er runs.
/// It belongs to the first of these tasks that is due:
///
/// - DG: a collection of the data area as in [`Space`], with its threshold;
/// - TG: due if a translation victim is in progress, or fewer than ρ_t translation pages are free. It copies
///   up to α valid pages of the victim, or, if none is left, erases it;
/// - TW: due if D_th entries are dirty. It rewrites the w translation pages with the most dirty entries.
///
/// Let λ, a = ⌈λ/α⌉+1 and p = π−λ belong to a data victim.
/// Let Λ_t translation pages lie on N_t blocks, and λ_t = ⌊Λ_t/(N_t−1)⌋, b = ⌈λ_t/α⌉+1 and q = π−λ_t belong
/// to a translation victim. Then:
///
/// - ρ_t = λ_t + w + 1 ≤ π, 1 ≤ w ≤ α;
/// - if p > a: κ = ⌈π(q+wb) / (q(p−a))⌉, D_th = ⌊(κ−1)Λ_t/w⌋ + 1,
///   D_max = D_th + α + λ + ⌈π(q(a+b)+b(w−1)) / (q(p−a))⌉, or Λ if that is less;
/// - if p = a: D_max = Λ, and nothing is written back.
///
/// # Proof
/// Data space. DG has precedence, so the proof of [`Space`] holds (a step after a trim takes no free page).
///
/// Translation space. TW starts with at least ρ_t free pages and leaves λ_t+1.
/// A victim's valid pages therefore always have room, plus one page that a power cut may have torn.
/// TG starts with fewer than ρ_t ≤ π free pages, so all other N_t − 1 blocks are full, and the one with the
/// fewest valid pages holds at most λ_t.
/// Its erase leaves at least π ≥ ρ_t free pages.
///
/// Dirty entries. A round is a host write or a trim with its step.
/// Consider rounds 1 to h in which at least D_th entries are dirty when the step is selected.
///
/// 1. Collections of data start at least p rounds apart. Each starts when exactly ρ_d − 1 pages are free, and
///    one with c ≤ λ copies reclaims π − c. In p consecutive rounds there are at most a steps of DG and at
///    most λ copies. Suppose these rounds end in one collection's first m rounds. They then begin after at
///    least the first m rounds of the previous one. What the later collection adds, the earlier one
///    lacks, because all its steps except the last two copy α pages. So in h rounds DG takes at most
///    (h/p + 1)a steps, and at most hπ/p + λ entries become dirty.
/// 2. TG. Let n collections overlap the rounds. The first starts with at least ρ_t − w pages free, the last
///    with at most ρ_t − 1, and each of the n − 1 before it reclaimed at least q. With x steps of TW, wx ≥
///    (n−1)q − (w−1), so TG takes at most b(1 + (wx+w−1)/q) steps.
/// 3. All other steps are TW, because there are always entries to write back:
///    x(1 + wb/q) ≥ h(1 − a/p) − a − b − b(w−1)/q.
/// 4. By the choice of D_th, the w fullest of at most Λ_t pages hold at least ⌈w·D_th/Λ_t⌉ ≥ κ of D_th dirty
///    entries. (If Λ_t < w they hold all: nothing is dirty after such a step.) κ is chosen so that x steps
///    clear more than becomes dirty in every round beyond h₀ = (a + b + b(w−1)/q)/(1 − a/p). Before h₀ there
///    may be no step of TW at all. So at most λ + h₀π/p entries are added to those before the first round.
///    Those were at most D_th − 1 when the step of the previous round was selected, plus the α that this step
///    copied. Within a round there may be one entry more than after it.
///
/// A larger table may have a larger D_th: only κ grows with it.
///
/// TG may merge dirty entries into the pages that it copies. Such a page is read and programmed; α such pages fit into t_er,
/// since α counts the slower of both ways ([`moves::move_ns`](crate::moves::move_ns)). Entries then become clean earlier
/// than the proof counts.
///
/// # Comparison with the paper's Eqs 18 and 19
/// γ = (π−2)α − (α+1)σ_dπ counts all pages that DG leaves of π as pages written back, α per step.
/// It does not count the α − 1 pages of the last, partial step.
/// It ignores the steps of TG: it counts λ_t (Eq. 17) as pages written back by TG.
/// But TG costs λ_t/α + 1 steps in which TW cannot run.
/// For the paper's count to hold, TG would have to merge dirty entries into the pages that it copies.
/// Unlike those of TW, these pages are not the fullest; in the worst case they have no dirty entry.
///
/// With π/γ entries per page (Eq. 19), write-back keeps up only if every written page holds that many.
/// But Eq. 19 limits the mean over all N_t pages at the moment when write-back begins.
/// It also omits the entries that become dirty before the first write-back step.
/// On the evaluation part (σ_t = 1/2) Eq. 19 gives 2.0 entries per translation page; 3.5 are needed, plus
/// about 200.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    /// Division of the N_d data blocks.
    pub data: Space,
    /// N_d: data blocks.
    pub data_blocks: u32,
    /// N_t: translation blocks, at least [`LEAST_TRANSLATION_BLOCKS`].
    pub translation_blocks: u32,
    /// Λ_t: translation pages.
    pub translation_pages: u32,
    /// U(λ_t): most valid pages of a translation victim.
    pub translation_victim_valid: u32,
    /// ρ_t: TG starts when fewer translation pages are free. At most π.
    pub translation_threshold_pages: u32,
    /// w: translation pages that one step of TW rewrites, 1 to α.
    pub pages_per_step: u32,
    /// D_th: dirty entries from which TW runs; above Λ if it never needs to run.
    pub dirty_threshold: u32,
    /// D_max: most dirty entries, and so the entries that the table must hold.
    pub dirty_max: u32,
    /// D_max − D_th without the cap at Λ: room that a table needs above any other D_th.
    pub dirty_slack: u32,
}

impl Division {
    /// The lowest D_th of a table of `entries` entries, if the table is larger than [`Division::dirty_max`].
    ///
    /// Half of the surplus is for dirty entries; the other half remains for entries that were only read.
    pub fn dirty_threshold_for(&self, entries: u32) -> u32 {
        if entries >= self.data.logical_pages {
            return self.data.logical_pages.saturating_add(1);
        }
        let more = entries.saturating_sub(self.dirty_threshold.saturating_add(self.dirty_slack));
        self.dirty_threshold.saturating_add(more / 2)
    }
}

/// Divides `blocks` blocks of `part` into data and translation blocks for `logical_pages` logical pages.
///
/// At most σ_t = `translation_share` of the pages of the translation blocks are valid.
/// Default of `logical_pages`: the share of Eq. 17 of the data blocks.
/// If that share is 0 (small blocks), the default is the largest that leaves a step to TW, else the largest
/// of [`space`].
///
/// # Errors
/// As [`space`] and [`space_for`] for the data blocks; [`BoundError::TooFewBlocks`] if the translation blocks
/// leave no data block.
pub fn divide(
    part: &Part,
    blocks: u32,
    logical_pages: Option<u32>,
    translation_share: Ratio,
) -> Result<Division, BoundError> {
    if let Some(logical_pages) = logical_pages {
        let (data, data_blocks, translation) =
            asked(part, blocks, logical_pages, translation_share)
                .map_err(|error| too_many(part, blocks, logical_pages, translation_share, error))?;
        return Ok(complete(part, data, data_blocks, translation));
    }
    let logical = |translation: u32| {
        default_logical_pages(part, blocks.saturating_sub(translation), translation_share)
    };
    // More translation blocks leave fewer logical pages, which need no more translation blocks.
    let suffices = |translation: &u32| match logical(*translation) {
        Ok(pages) => translation_blocks(part, pages, translation_share) <= *translation,
        Err(_) => true,
    };
    let translation =
        least(LEAST_TRANSLATION_BLOCKS, blocks.max(LEAST_TRANSLATION_BLOCKS), suffices);
    let data_blocks = blocks.saturating_sub(translation);
    let data = logical(translation).and_then(|pages| space_for(part, data_blocks, pages));
    let data = data.map_err(|error| of_all_blocks(error, blocks))?;
    Ok(complete(part, data, data_blocks, translation))
}

/// The least of `from..=to` that satisfies `will_do`. `to` must satisfy it, and so must all values above one
/// that does.
fn least(from: u32, to: u32, will_do: impl Fn(&u32) -> bool) -> u32 {
    let (mut from, mut to) = (from, to);
    while from < to {
        let middle = from + (to - from) / 2;
        if will_do(&middle) { to = middle } else { from = middle + 1 }
    }
    from
}

fn asked(
    part: &Part,
    blocks: u32,
    logical_pages: u32,
    share: Ratio,
) -> Result<(Space, u32, u32), BoundError> {
    let translation = translation_blocks(part, logical_pages, share);
    let data_blocks = blocks.saturating_sub(translation);
    space_for(part, data_blocks, logical_pages).map(|data| (data, data_blocks, translation))
}

/// The error of the data blocks, with the number of all blocks.
fn of_all_blocks(error: BoundError, blocks: u32) -> BoundError {
    match error {
        BoundError::TooFewBlocks { pages_per_block, least, .. } => BoundError::TooFewBlocks {
            blocks,
            pages_per_block,
            least: least.saturating_add(LEAST_TRANSLATION_BLOCKS),
        },
        error => error,
    }
}

/// The error for too many logical pages, with the most that fit.
fn too_many(
    part: &Part,
    blocks: u32,
    logical_pages: u32,
    share: Ratio,
    error: BoundError,
) -> BoundError {
    let pages = blocks.saturating_mul(part.pages_per_block);
    let is_too_many = |logical: &u32| asked(part, blocks, *logical, share).is_err();
    match least(1, pages.max(1), is_too_many) - 1 {
        0 => of_all_blocks(error, blocks),
        largest => BoundError::LogicalPages {
            logical_pages,
            blocks,
            pages_per_block: part.pages_per_block,
            largest,
        },
    }
}

/// N_t: Λ_t/(σ_t·π), but enough that a victim leaves room for one page written back and one torn page.
pub fn translation_blocks(part: &Part, logical_pages: u32, translation_share: Ratio) -> u32 {
    let pages = translation_pages(part, logical_pages);
    let by_share = translation_space_pages(pages, translation_share)
        .div_ceil(part.pages_per_block.max(1).into());
    // ⌊Λ_t/(N_t−1)⌋ ≤ π − 2.
    let by_room = pages / part.pages_per_block.saturating_sub(1).max(1) + 2;
    u32::try_from(by_share).unwrap_or(u32::MAX).max(by_room).max(LEAST_TRANSLATION_BLOCKS)
}

fn default_logical_pages(part: &Part, blocks: u32, share: Ratio) -> Result<u32, BoundError> {
    let most = space(part, blocks)?;
    let share = share_max(part, share);
    let pages = u64::from(blocks) * u64::from(part.pages_per_block);
    let valid = share.floor_of(part.pages_per_block.into());
    let within = (valid + 1) * u64::from(blocks - 1) - 1;
    let printed = share.floor_of(pages).min(within).min(most.logical_pages.into()) as u32;
    if printed > 0 {
        return Ok(printed);
    }
    // The largest λ whose collection leaves a step: every valid page less leaves more.
    let leaves_per_step = |valid: &u32| {
        valid + valid.div_ceil(most.alpha) + 1 < part.pages_per_block
            && (valid + 1) * (blocks - 1) > 1
    };
    let valid = (0..=most.victim_valid).rev().find(leaves_per_step);
    Ok(valid.map_or(most.logical_pages, |valid| (valid + 1) * (blocks - 1) - 1))
}

fn complete(part: &Part, data: Space, data_blocks: u32, translation_blocks: u32) -> Division {
    let (pages, alpha) = (part.pages_per_block, data.alpha);
    let translation_pages = translation_pages(part, data.logical_pages);
    let valid = translation_pages / (translation_blocks - 1);
    // λ_t ≤ π − 2 by the choice of N_t.
    let pages_per_step = alpha.min(pages.saturating_sub(1 + valid)).max(1);
    let threshold = valid + pages_per_step + 1;
    let Dirty { threshold: dirty_threshold, slack } =
        dirty(&data, pages, translation_pages, valid, pages_per_step);
    let dirty_max = dirty_threshold.saturating_add(slack).min(data.logical_pages);
    Division {
        data,
        data_blocks,
        translation_blocks,
        translation_pages,
        translation_victim_valid: valid,
        translation_threshold_pages: threshold,
        pages_per_step,
        dirty_threshold,
        dirty_max,
        dirty_slack: slack,
    }
}

struct Dirty {
    threshold: u32,
    slack: u32,
}

/// D_th and D_max − D_th, as [`Division`] derives them.
fn dirty(
    data: &Space,
    pages: u32,
    translation_pages: u32,
    valid: u32,
    pages_per_step: u32,
) -> Dirty {
    let [pages, a, p, w] =
        [pages, data.steps, pages - data.victim_valid, pages_per_step].map(u64::from);
    let b = u64::from(valid.div_ceil(data.alpha)) + 1;
    let q = pages - u64::from(valid);
    let Some(left) = p.checked_sub(a).filter(|left| *left > 0) else {
        return Dirty { threshold: data.logical_pages.saturating_add(1), slack: 0 };
    };
    let cleared = (pages * (q + w * b)).div_ceil(q * left);
    let threshold = (cleared - 1) * u64::from(translation_pages) / w + 1;
    let before = (pages * (q * (a + b) + b * (w - 1))).div_ceil(q * left);
    let slack = before + u64::from(data.victim_valid) + u64::from(data.alpha);
    let small = |entries: u64| u32::try_from(entries).unwrap_or(u32::MAX);
    // A threshold above Λ means that nothing needs to be written back.
    if threshold > u64::from(data.logical_pages) {
        return Dirty { threshold: data.logical_pages.saturating_add(1), slack: small(slack) };
    }
    Dirty { threshold: small(threshold), slack: small(slack) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lazy_rtgc::on_demand::EVALUATION_TRANSLATION_SHARE as HALF;
    use flash::parts::EVALUATION_SLC;

    fn small(pages_per_block: u32, page_bytes: u32, alpha: u32) -> Part {
        Part {
            pages_per_block,
            page_bytes,
            t_r_ns: 1_000,
            t_prog_ns: 9_000,
            t_bers_ns: 10_000 * u64::from(alpha) + 9_999,
            ..EVALUATION_SLC.clone()
        }
    }

    #[test]
    fn the_evaluation_part_at_32_gib() {
        let found = divide(&EVALUATION_SLC, 262_144, None, HALF).unwrap();
        assert_eq!(found.data.victim_valid, 51);
        assert_eq!((found.data.steps, found.data.threshold_pages), (8, 59));
        assert_eq!(found.translation_pages, found.data.logical_pages.div_ceil(512));
        assert_eq!(found.translation_blocks, found.translation_pages.div_ceil(32));
        assert_eq!(found.data_blocks + found.translation_blocks, 262_144);
        assert_eq!((found.translation_victim_valid, found.pages_per_step), (32, 8));
        assert_eq!(found.translation_threshold_pages, 41);
        // κ = ⌈64(32+40)/(32·5)⌉ = 29; ⌈64(32·13+35)/(32·5)⌉ = 181.
        assert_eq!(found.dirty_threshold, 28 * found.translation_pages / 8 + 1);
        assert_eq!(found.dirty_slack, 181 + 51 + 8);
        assert_eq!(found.dirty_max, found.dirty_threshold + 240);
        let share = f64::from(found.data.logical_pages) / (64.0 * f64::from(found.data_blocks));
        assert!((share - 0.8056).abs() < 1e-4, "{share}");
    }

    #[test]
    fn every_division_keeps_its_conditions() {
        for (pages, bytes, alpha) in [(2, 32, 1), (4, 32, 1), (6, 4, 8), (8, 32, 3), (64, 2048, 8)]
        {
            let part = small(pages, bytes, alpha);
            for blocks in 0..80 {
                let Ok(most) = divide(&part, blocks, None, HALF) else {
                    assert!(blocks < 12, "{pages} {bytes} {alpha}: {blocks} blocks refused");
                    continue;
                };
                for logical in [1, most.data.logical_pages / 2 + 1, most.data.logical_pages] {
                    let found = divide(&part, blocks, Some(logical), HALF).unwrap();
                    check(&found, &part, blocks, logical);
                }
            }
        }
    }

    fn check(found: &Division, part: &Part, blocks: u32, logical_pages: u32) {
        assert_eq!(found.data.logical_pages, logical_pages);
        assert_eq!(found.data_blocks + found.translation_blocks, blocks);
        let valid = found.translation_pages / (found.translation_blocks - 1);
        assert_eq!(found.translation_victim_valid, valid);
        assert!((1..=found.data.alpha).contains(&found.pages_per_step));
        assert_eq!(found.translation_threshold_pages, valid + found.pages_per_step + 1);
        assert!(found.translation_threshold_pages <= part.pages_per_block);
        assert!(found.dirty_max <= logical_pages);
    }

    #[test]
    fn too_many_logical_pages_are_told_the_most_that_fit() {
        for (pages, bytes, alpha, blocks) in [(8, 32, 3, 20), (64, 2048, 8, 300), (4, 4, 1, 40)] {
            let part = small(pages, bytes, alpha);
            let error = divide(&part, blocks, Some(blocks * pages), HALF).unwrap_err();
            let BoundError::LogicalPages { largest, .. } = error else { panic!("{error}") };
            assert!(divide(&part, blocks, Some(largest), HALF).is_ok());
            assert!(divide(&part, blocks, Some(largest + 1), HALF).is_err());
        }
        let error = divide(&EVALUATION_SLC, 4, None, HALF).unwrap_err();
        assert!(matches!(error, BoundError::TooFewBlocks { blocks: 4, least: 5, .. }), "{error}");
    }
}
