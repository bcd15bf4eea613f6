//! Tables I and III, and values that depend on the part only.

use super::cells::part;
use super::paper::PAGES_PER_BLOCK;
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use bounds::{gftl, ideal};
use flash::Part;
use flash::parts::{SAMSUNG_LARGE_BLOCK, SAMSUNG_SMALL_BLOCK};

pub(super) fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

/// Table I, and the energy per operation from the text on Table VI.
pub(super) fn table_1(to: &mut Sheet) -> Outcome {
    let small = ["16384", "512", "16", "36", "10", "200", "200", "2000"];
    let large = ["65536", "2048", "64", "25", "25", "300", "300", "2000"];
    for (part, printed) in [(&SAMSUNG_SMALL_BLOCK, small), (&SAMSUNG_LARGE_BLOCK, large)] {
        let block = f64::from(part.page_bytes) * f64::from(part.pages_per_block);
        let ours = [
            ("block size", "bytes", block),
            ("page size", "bytes", part.page_bytes.into()),
            ("OOB size", "bytes", part.oob_bytes.into()),
            ("read page", "µs", us(part.t_r_ns)),
            ("read OOB", "µs", us(part.t_r_oob_ns)),
            ("write page", "µs", us(part.t_prog_ns)),
            ("write OOB", "µs", us(part.t_prog_ns)),
            ("erase", "µs", us(part.t_bers_ns)),
        ];
        for ((what, unit, value), printed) in ours.into_iter().zip(printed) {
            let what = format!("{}: {what}", part.name);
            to.rows.push(Row::exact(&what, unit, printed, value).as_input());
        }
    }
    let part = &SAMSUNG_LARGE_BLOCK;
    for (what, printed, pj) in [
        ("E_rd", "825", part.read_pj()),
        ("E_wr", "9900", part.program_pj()),
        ("E_er", "66000", part.erase_pj()),
    ] {
        let what = format!("{}: {what} (§VI)", part.name);
        to.rows.push(Row::exact(&what, "nJ", printed, pj as f64 / 1e3).as_input());
    }
    Ok(())
}

/// Table III on the large-block part. The paper prints formulas there, and the maxima in Table V.
pub(super) fn table_3(to: &mut Sheet) -> Outcome {
    let large = part(PAGES_PER_BLOCK[0]);
    let row = |what: &str, ns: u64| Row::evidence(what, "µs", us(ns), 0);
    to.rows.extend([
        row("ideal: U(e_w) = T_wrpg", ideal::write_ns(&large)),
        row("ideal: U(e_r) = T_rdpg + T_rdoob", ideal::read_with_oob_ns(&large)),
        row("ideal: L(p) = T_er", ideal::response_ns(&large)),
    ]);
    for (pages, printed) in PAGES_PER_BLOCK.into_iter().zip(["425", "825", "1625"]) {
        let part = part(pages);
        let what = |bound: &str| format!("GFTL, π = {pages}: {bound}");
        let write = us(gftl::write_ns(&part));
        let read = us(gftl::read_ns(&part));
        to.rows.extend([
            Row::exact(&what("U(e_w) = T_wrpg"), "µs", "300", write),
            Row::exact(&what("U(e_r) = π·T_rdoob + T_rdpg"), "µs", printed, read),
            row(&what("L(p) = T_er + max(U(e_w), U(e_r))"), gftl::period_ns(&part)),
        ]);
        to.rows.extend(steps(&part));
    }
    Ok(())
}

/// κ as printed and with whole operations.
fn steps(part: &Part) -> Vec<Row> {
    let pages = part.pages_per_block;
    let printed = f64::from(gftl::paper_steps(part).total());
    let mut rows = vec![Row::evidence(
        &format!("GFTL, π = {pages}: κ = α + β + 1 as printed"),
        "steps",
        printed,
        0,
    )];
    if let Ok(whole) = gftl::whole_steps(part, gftl::CollectionRam::States) {
        let what = format!("GFTL, π = {pages}: κ of whole operations");
        rows.push(Row::evidence(&what, "steps", whole.total().into(), 0));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    #[test]
    fn every_closed_form_is_as_printed() {
        for section in [table_1(), table_3()] {
            let printed: Vec<_> = section.rows.iter().filter(|row| row.paper.is_some()).collect();
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
