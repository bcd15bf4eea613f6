//! Eqs. 4 to 9 on the paper's part.

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
    to.put("c-r", us(part.t_r_ns));
    to.put("c-p", us(part.t_prog_ns));
    to.put("c-e", us(part.t_bers_ns));
    to.put("alpha", ba_gc::alpha(part).as_f64());
    to.put("c-ff", us(ba_gc::from_flash_ns(part)));
    to.put("c-bf", us(ba_gc::from_buffer_ns(part, 0)));
    let one = Sets { blocks: 1, from_flash: 0, from_buffer: 1, dirty_again: 0 };
    to.put("eq-6", ba_gc::most_gain_ns(part, &one, 0) as f64 / 1e3);
    for ((region, printed), probability) in REGIONS.into_iter().zip(ftl::UPDATE_PROBABILITIES) {
        let sets = Sets { dirty_again: probability.in_thousandths().into(), ..one };
        to.say("region", region).say("printed", printed);
        to.put("p-u", ba_gc::evicted_again_ns(part, &sets) as f64 / part.t_prog_ns as f64);
        to.put("eq-5", us(ba_gc::benefit_ns(part, &sets)));
    }
    for (key, blocks) in [("eq-7-one", 1), ("eq-7-spread", 64)] {
        let from_flash = blocks * part.pages_per_block;
        let sets = Sets { blocks, from_flash, ..Sets::default() };
        to.put(key, ba_gc::cost_ns(part, &sets, 0) as f64 / 1e3);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::verdict::Verdict;

    #[test]
    fn all_that_is_printed_is_equal() {
        let rows = crate::testing::rows(super::super::PAPER, &["equations"]);
        let printed = |verdict| {
            rows.iter().filter(|row| row.verdict == verdict && row.is_as_printed()).count()
        };
        assert_eq!((printed(Verdict::Equal), printed(Verdict::Input)), (0, 7));
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
