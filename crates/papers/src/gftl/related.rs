//! §VIII: GFTL's step against the collection threads of a real-time collector, [7] in the paper.
//!
//! [7]: L.-P. Chang, T.-W. Kuo, S.-W. Lo, Real-time garbage collection for flash-memory storage systems of real-time
//! embedded systems, ACM TECS 3(4), 2004.

use super::cells::{Cell, Cells, Load, Ran, part};
use super::closed_forms::us;
use super::drive::TOGETHER;
use super::paper::{COLLECTION_MS, PAGES_PER_BLOCK, TASK_PERIOD_MS};
use crate::row::{Row, TOLERANCE};
use crate::sheet::{Outcome, Sheet};
use bounds::gftl;
use flash::Part;

/// (π − 1)(T_rdpg + T_wrpg) + T_er: the shortest collection of [7], with one invalid page in the victim.
fn shortest_us(part: &Part) -> f64 {
    us(u64::from(part.pages_per_block - 1) * (part.t_r_ns + part.t_prog_ns) + part.t_bers_ns)
}

pub(super) fn related(cells: &Cells, to: &mut Sheet) -> Outcome {
    for pages in PAGES_PER_BLOCK {
        let part = part(pages);
        let what = format!("[7], π = {pages}: (π−1)(T_rdpg + T_wrpg) + T_er over T_er");
        let over = shortest_us(&part) / us(part.t_bers_ns);
        to.rows.push(Row::measured(&what, "", "10", over, TOLERANCE).as_input());
    }
    for pages in PAGES_PER_BLOCK {
        let gftl = Cell::gftl(Load::Synthetic, pages);
        for cell in [gftl, gftl.of("nftl")] {
            match cells.get(cell) {
                Ok(ran) => to.rows.extend(rows(ran)),
                Err(why) => to.rows.push(Row::missing(&cell.name(), "", None, why)),
            }
        }
    }
    to.rows.extend(tasks());
    to.notes.push(format!(
        "G1 = ({COLLECTION_MS}, 160) and G2 = ({COLLECTION_MS}, 600) collect for T1 = (3, 20) and T2 = (5, 20); \
         \"comparable to 10 times T_er\" is {COLLECTION_MS} ms over 2 ms. In GFTL a step follows each request instead of \
         a collection thread."
    ));
    Ok(())
}

/// Longest wait of a request for collection: "a delay that is around T_er".
fn rows(ran: &Ran) -> Vec<Row> {
    let pages = ran.cell.pages_per_block;
    let (read, write) = (&ran.measured.read, &ran.measured.write);
    let step = read.step.and(&write.step).most_us();
    let name = format!("{}, π = {pages}", ran.cell.scheme);
    let longest = us(ran.measured.longest_together_ns) / 1e3;
    let mut rows = Vec::new();
    let what = format!("{name}: longest delay by collection");
    if ran.cell.scheme == "gftl" {
        let row =
            Row::measured(&what, "µs", &us(ran.device.part.t_bers_ns).to_string(), step, TOLERANCE);
        rows.push(match pages {
            32 => row.headline("§VIII", "gftl: collection delays a request by about T_er"),
            _ => row,
        });
    } else {
        // Its folds are part of the write.
        let step = write.response.most_us() - us(ran.device.part.t_prog_ns);
        rows.push(Row::evidence(&what, "µs", step, 0));
    }
    let what = format!("{name}: longest {TOGETHER} requests in a row, T1 and T2 of one period");
    rows.push(Row::evidence(&what, "ms", longest, 2));
    rows
}

/// T1 and T2 under GFTL's period, in both units that their figures may have.
fn tasks() -> Vec<Row> {
    let period: f64 = TASK_PERIOD_MS.parse().unwrap_or(0.0);
    let mut rows: Vec<Row> = PAGES_PER_BLOCK
        .into_iter()
        .map(|pages| {
            let admitted = (period * 1e3 / us(gftl::period_ns(&part(pages)))).floor();
            let what = format!("π = {pages}: page requests that L(p) admits in the {TASK_PERIOD_MS} ms of T1 and T2");
            Row::evidence(&what, "", admitted, 0)
        })
        .collect();
    let writes = 3_000 / 300 + 5_000_u32.div_ceil(300);
    rows.push(Row::missing("T1 = (3, 20) and T2 = (5, 20) under GFTL", "", Some("schedulable with G1 and G2"), format!(
            "whether 3 and 5 are page requests or milliseconds is not said: {TOGETHER} requests fit into 20 ms at π = 16, \
             7 and 5 at π = 32 and 64 do; 3 and 5 ms of writes are {writes}, more than L(p) admits at any π"
        )));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_collection_is_the_formula_at_64_pages() {
        let shortest = PAGES_PER_BLOCK.map(|pages| shortest_us(&part(pages)));
        assert_eq!(shortest, [6_875.0, 12_075.0, 22_475.0]);
        let admitted = |pages| (20_000.0 / us(gftl::period_ns(&part(pages)))).floor();
        assert_eq!(PAGES_PER_BLOCK.map(admitted), [8.0, 7.0, 5.0]);
    }
}
