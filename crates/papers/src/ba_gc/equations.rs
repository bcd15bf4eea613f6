//! Eqs. 4 to 9 on the paper's part.

use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use bounds::ba_gc::{self, Sets};
use flash::parts::K9WBG08U1M;

/// P(U) by region (§6.1).
const REGIONS: [(&str, &str); 3] =
    [("initial", "0.3"), ("to-be-updated", "1.0"), ("to-be-evicted", "0.0")];

/// Values of the equations.
pub(super) fn equations(to: &mut Sheet) -> Outcome {
    let part = &K9WBG08U1M;
    let us = |ns: u64| ns as f64 / 1e3;
    let row = |what: &str, ours: f64| Row::evidence(what, "µs", ours, 1);
    to.rows = vec![
        Row::exact("C_r, page read", "µs", "25", us(part.t_r_ns)).as_input(),
        Row::exact("C_p, page program", "µs", "200", us(part.t_prog_ns)).as_input(),
        Row::exact("C_e, block erase", "µs", "2000", us(part.t_bers_ns)).as_input(),
        Row::exact("α = (C_p + C_r)/C_p", "", "1.125", ba_gc::alpha(part).as_f64()),
        row("C_ff = C_r + C_p", us(ba_gc::from_flash_ns(part))),
        row("C_bf = C_b + C_p, C_b = 0", us(ba_gc::from_buffer_ns(part, 0))),
    ];
    let one = Sets { blocks: 1, from_flash: 0, from_buffer: 1, dirty_again: 0 };
    to.rows.push(row(
        "Eq. 6: most gain for each page of B(L), C_r − C_b + C_p·(1 + α)",
        ba_gc::most_gain_ns(part, &one, 0) as f64 / 1e3,
    ));
    for ((region, printed), probability) in REGIONS.into_iter().zip(ftl::UPDATE_PROBABILITIES) {
        let dirty_again = probability.in_thousandths().into();
        let sets = Sets { dirty_again, ..one };
        let evicted = ba_gc::evicted_again_ns(part, &sets) as f64;
        let row_of = Row::exact(
            &format!("P(U) that the buffer tells of its {region} region"),
            "",
            printed,
            evicted / part.t_prog_ns as f64,
        );
        to.rows.push(row_of.as_input());
        let what = format!("Eq. 5: benefit of a page of the {region} region");
        to.rows.push(row(&what, us(ba_gc::benefit_ns(part, &sets))));
    }
    let full = Sets { blocks: 1, from_flash: part.pages_per_block, ..Sets::default() };
    let cost = |sets| ba_gc::cost_ns(part, sets, 0) as f64 / 1e3;
    to.rows.push(row("Eq. 7: Δ(L), a log block of one data block, buffer empty", cost(&full)));
    let spread = Sets { blocks: 64, from_flash: 64 * part.pages_per_block, ..Sets::default() };
    to.rows.push(row("Eq. 7: Δ(L), a log block of 64 data blocks, buffer empty", cost(&spread)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    #[test]
    fn all_that_is_printed_is_equal() {
        let rows = equations().rows;
        let printed = |verdict| {
            rows.iter().filter(|row| row.verdict == verdict && row.is_as_printed()).count()
        };
        assert_eq!((printed(Verdict::Equal), printed(Verdict::Input)), (1, 6));
        assert!(rows.iter().all(|row| !row.verdict.needs_cause()), "{rows:?}");
        let value = |what: &str| {
            let row = rows.iter().find(|row| row.what.starts_with(what)).unwrap();
            row.ours.as_ref().unwrap().value().unwrap()
        };
        assert_eq!(
            (value("Eq. 6"), value("Eq. 5: benefit of a page of the initial")),
            (450.0, 297.5)
        );
        assert_eq!(value("Eq. 7: Δ(L), a log block of one"), 64.0 * 225.0 + 4000.0);
    }
}
