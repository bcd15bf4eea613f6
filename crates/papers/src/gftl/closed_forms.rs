//! Tables I and III, and values that depend on the part only.

use super::cells::part;
use super::paper::PAGES_PER_BLOCK;
use crate::sheet::{Outcome, Sheet};
use bounds::{gftl, ideal};
use flash::parts::{SAMSUNG_LARGE_BLOCK, SAMSUNG_SMALL_BLOCK};

pub(super) fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

/// Table I, and the energy per operation from the text on Table VI.
pub(super) fn table_1(to: &mut Sheet) -> Outcome {
    let small = ["16384", "512", "16", "36", "10", "200", "200", "2000"];
    let large = ["65536", "2048", "64", "25", "25", "300", "300", "2000"];
    for (part, printed) in [(&SAMSUNG_SMALL_BLOCK, small), (&SAMSUNG_LARGE_BLOCK, large)] {
        to.say("part", part.name.as_ref());
        let ours = [
            ("block", f64::from(part.page_bytes) * f64::from(part.pages_per_block)),
            ("page", part.page_bytes.into()),
            ("oob", part.oob_bytes.into()),
            ("read", us(part.t_r_ns)),
            ("read-oob", us(part.t_r_oob_ns)),
            ("write", us(part.t_prog_ns)),
            ("write-oob", us(part.t_prog_ns)),
            ("erase", us(part.t_bers_ns)),
        ];
        for ((key, value), printed) in ours.into_iter().zip(printed) {
            to.say("printed", printed).put(key, value);
        }
    }
    let part = &SAMSUNG_LARGE_BLOCK;
    for (key, pj) in
        [("e-rd", part.read_pj()), ("e-wr", part.program_pj()), ("e-er", part.erase_pj())]
    {
        to.put(key, pj as f64 / 1e3);
    }
    Ok(())
}

/// Table III on the large-block part. The paper prints formulas there, and the maxima in Table V.
pub(super) fn table_3(to: &mut Sheet) -> Outcome {
    let large = part(PAGES_PER_BLOCK[0]);
    to.put("ideal-write", us(ideal::write_ns(&large)));
    to.put("ideal-read", us(ideal::read_with_oob_ns(&large)));
    to.put("ideal-response", us(ideal::response_ns(&large)));
    for (pages, printed) in PAGES_PER_BLOCK.into_iter().zip(["425", "825", "1625"]) {
        let part = part(pages);
        to.say("pages", pages).say("printed", printed);
        to.put("write", us(gftl::write_ns(&part)));
        to.put("read", us(gftl::read_ns(&part)));
        to.put("period", us(gftl::period_ns(&part)));
        to.put("steps", gftl::paper_steps(&part).total());
        let whole = gftl::whole_steps(&part, gftl::CollectionRam::States);
        to.put_some("whole-steps", whole.ok().map(|whole| whole.total()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::verdict::Verdict;

    #[test]
    fn every_closed_form_is_as_printed() {
        for id in ["table-1", "table-3"] {
            let rows = crate::testing::rows(super::super::PAPER, &[id]);
            let printed: Vec<_> = rows.iter().filter(|row| row.paper.is_some()).collect();
            assert!(printed.len() >= 6);
            for row in printed {
                // Table I is an input: what counts is that its figures are those printed.
                assert!(matches!(row.verdict, Verdict::Equal | Verdict::Input), "{}", row.what);
                let [paper, ours] =
                    [&row.paper, &row.ours].map(|of| of.as_ref().unwrap().to_string());
                assert_eq!(paper, ours, "{}", row.what);
            }
        }
    }
}
