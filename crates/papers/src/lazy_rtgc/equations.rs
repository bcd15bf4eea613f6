//! Eqs 15 to 19 and Fig. 3 of the map on demand, on the evaluation's part and array.

use crate::error::ReproduceError;
use crate::row::{Limit, Row};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use bounds::lazy_rtgc::{alpha, on_demand, victim_valid};
use flash::parts::EVALUATION_SLC;

/// Capacity of the evaluation's array, bytes.
const CAPACITY: u64 = 32 << 30;

/// Eqs 15, 16, 18 and 19. The paper prints no values: the rows hold its inequalities against each other, and the table
/// of Eq. 19 against the one that the worst case needs.
pub(super) fn equations(to: &mut Sheet) -> Outcome {
    let part = &EVALUATION_SLC;
    let pages = u64::from(part.pages_per_block);
    let half = on_demand::EVALUATION_TRANSLATION_SHARE;
    let data_share = on_demand::share_max(part, half);
    let translation = on_demand::translation_victim_valid(part, half);
    let count = |what: &str, unit: &str, ours: u64| Row::evidence(what, unit, ours as f64, 0);
    let us = |ns: u64| ns as f64 / 1e3;
    to.rows.push(Row::evidence(
        "Eq. 15: U(R_avg) = 2(t_wr + t_rd)",
        "µs",
        us(on_demand::mean_response_ns(part)),
        1,
    ));
    for (how, data) in [
        ("⌊σ_d·π⌋", data_share.floor_of(pages) as u32),
        ("⌈σ_d·π⌉", victim_valid(part, data_share)),
    ] {
        let (k_d, k_t) = on_demand::collection_steps(part, data, translation)?;
        let what = |what: &str| format!("Eq. 16: {what}, λ_d = {how} = {data}");
        to.rows.push(count(&what("N(V_Gd)"), "steps", k_d.into()));
        to.rows.push(count(&what("N(V_Gt)"), "steps", k_t.into()));
        let room = part.pages_per_block - data;
        to.rows.push(
            Row::limit(
                &what("k_d + k_t within π − λ_d"),
                "pages",
                Limit::AtMost(room.into()),
                (k_d + k_t).into(),
            )
            .because(Reason::PaperError(format!(
                "Eq. 17 follows from Eq. 16 without its ⌈·⌉: with Theorem 4.3's λ_d = {data} two collections take \
                 {} pages of a block of {pages}; with ⌊·⌋ they fit",
                data + k_d + k_t
            ))),
        );
    }
    let gamma = on_demand::pages_written_back(part, data_share);
    to.rows.push(count("Eq. 18: L(γ) with σ_d of Eq. 17", "pages", gamma));
    to.rows.push(
        Row::words(
            "Eq. 18: TW's share of γ, π − λ_d − k_d − k_t steps of α pages",
            "TW writes the map back",
            match tw_steps(part)? {
                0 => "no step is left to TW",
                _ => "TW writes the map back",
            },
        )
        .because(Reason::PaperError(format!(
            "with the σ_d of Eq. 17 DG and TG take all free pages of the block: γ = {gamma} is λ_t alone, pages that TG \
             copies and that may have no newer mapping"
        ))),
    );
    let array_pages = (CAPACITY / u64::from(part.page_bytes)) as u32;
    let blocks = array_pages / part.pages_per_block;
    let division = on_demand::divide(part, blocks, None, half)?;
    let valid_pages = division.translation_pages;
    if let Some(entries) = on_demand::cached_entries_max(part, data_share, valid_pages) {
        to.rows.push(count("Eq. 19: most mappings in the CMT, 32 GiB", "mappings", entries));
        to.rows.push(
            Row::limit(
                "mappings that the worst case makes dirty, within Eq. 19",
                "mappings",
                Limit::AtMost(entries as f64),
                division.dirty_max.into(),
            )
            .because(Reason::PaperError(format!(
                "Eq. 19 leaves out the steps of TG and what becomes dirty before the first TW: {} mappings more; proof: \
                 `bounds::lazy_rtgc::on_demand::Division`, searched by `cargo test -p ftlkit-testkit exhaustive::`",
                u64::from(division.dirty_max).saturating_sub(entries)
            ))),
        );
    }
    Ok(())
}

/// Steps that Eq. 18 leaves to TW: π − λ_d − k_d − k_t with λ_d = ⌊σ_d·π⌋.
fn tw_steps(part: &flash::Part) -> Result<u32, ReproduceError> {
    let half = on_demand::EVALUATION_TRANSLATION_SHARE;
    let data = on_demand::share_max(part, half).floor_of(part.pages_per_block.into()) as u32;
    let translation = on_demand::translation_victim_valid(part, half);
    let (k_d, k_t) = on_demand::collection_steps(part, data, translation)?;
    Ok(part.pages_per_block.saturating_sub(data + k_d + k_t))
}

/// Fig. 3: what the three tasks write to one data block and one translation block. k_w is what is left of the data block, so that
/// nothing can exceed it.
pub(super) fn fig_3(to: &mut Sheet) -> Outcome {
    let part = &EVALUATION_SLC;
    let pages = Limit::AtMost(part.pages_per_block.into());
    let half = on_demand::EVALUATION_TRANSLATION_SHARE;
    let data = on_demand::share_max(part, half).floor_of(part.pages_per_block.into()) as u32;
    let translation = on_demand::translation_victim_valid(part, half);
    let (k_d, k_t) = on_demand::collection_steps(part, data, translation)?;
    let k_w = tw_steps(part)?;
    let alpha = alpha(part);
    to.rows.push(
        Row::limit(
            "data block: k_d + λ_d + k_t + k_w",
            "pages",
            pages,
            (k_d + data + k_t + k_w).into(),
        )
        .as_evidence()
        .noting(&format!("{k_d} + {data} + {k_t} + {k_w}, λ_d = ⌊σ_d·π⌋")),
    );
    to.rows.push(
        Row::limit(
            "translation block: λ_t + λ_w",
            "pages",
            pages,
            (translation + k_w * alpha).into(),
        )
        .as_evidence()
        .noting(&format!("{translation} + {k_w}·α")),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lazy_rtgc::DATA;
    use crate::testing::filled;
    use crate::verdict::Verdict;

    #[test]
    fn only_proved_errata_differ() {
        let rows = filled(&DATA, "eqs-15-19", equations).rows;
        let differing: Vec<&Row> =
            rows.iter().filter(|row| row.verdict == Verdict::Differs).collect();
        assert_eq!(differing.len(), 3, "{differing:?}");
        assert!(differing.iter().all(|row| matches!(row.cause, Some(Reason::PaperError(_)))));
        assert_eq!(tw_steps(&EVALUATION_SLC).unwrap(), 0);
        assert!(
            filled(&DATA, "fig-3", fig_3).rows.iter().all(|row| row.verdict == Verdict::Evidence)
        );
    }
}
