//! §VIII: GFTL's step against the collection threads of a real-time collector, [7] in the paper.
//!
//! [7]: L.-P. Chang, T.-W. Kuo, S.-W. Lo, Real-time garbage collection for flash-memory storage systems of real-time
//! embedded systems, ACM TECS 3(4), 2004.

use super::cells::{Cell, Cells, Load, Ran, part};
use super::closed_forms::us;
use super::drive::TOGETHER;
use super::paper::PAGES_PER_BLOCK;
use crate::sheet::{Outcome, Sheet};
use bounds::gftl;
use flash::Part;

/// (π − 1)(T_rdpg + T_wrpg) + T_er: the shortest collection of [7], with one invalid page in the victim.
fn shortest_us(part: &Part) -> f64 {
    us(u64::from(part.pages_per_block - 1) * (part.t_r_ns + part.t_prog_ns) + part.t_bers_ns)
}

/// Page requests that L(p) admits in the 20 ms of T1 and T2.
fn admitted(part: &Part) -> f64 {
    (20_000.0 / us(gftl::period_ns(part))).floor()
}

pub(super) fn related(cells: &Cells, to: &mut Sheet) -> Outcome {
    for pages in PAGES_PER_BLOCK {
        let part = part(pages);
        to.say("pages", pages).put("shortest", shortest_us(&part) / us(part.t_bers_ns));
    }
    for pages in PAGES_PER_BLOCK {
        let gftl = Cell::gftl(Load::Synthetic, pages);
        for cell in [gftl, gftl.of("nftl")] {
            match cells.get(cell) {
                Ok(ran) => delays(ran, to),
                Err(why) => to.missing(&cell.name(), why),
            }
        }
    }
    for pages in PAGES_PER_BLOCK {
        to.say("pages", pages).put("admitted", admitted(&part(pages)));
    }
    // Whether 3 and 5 are page requests or milliseconds is not said.
    let writes = 3_000 / 300 + 5_000_u32.div_ceil(300);
    to.put("tasks", Err::<f64, _>(format!(
        "whether 3 and 5 are page requests or milliseconds is not said: {TOGETHER} requests fit into 20 ms at π = 16, 7 and 5 at \
         π = 32 and 64 do; 3 and 5 ms of writes are {writes}, more than L(p) admits at any π"
    )));
    Ok(())
}

/// Longest wait of a request for collection: "a delay that is around T_er".
fn delays(ran: &Ran, to: &mut Sheet) {
    let (read, write) = (&ran.measured.read, &ran.measured.write);
    to.say("scheme", ran.cell.scheme).say("pages", ran.cell.pages_per_block);
    if ran.cell.scheme == "gftl" {
        to.say("printed", us(ran.device.part.t_bers_ns));
        to.put("delay", read.step.and(&write.step).most_us());
    } else {
        // Its folds are part of the write.
        to.put("delay-folds", write.response.most_us() - us(ran.device.part.t_prog_ns));
    }
    to.say("together", TOGETHER as u64);
    to.put("together", us(ran.measured.longest_together_ns) / 1e3);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_printed_collection_is_the_formula_at_64_pages() {
        let shortest = PAGES_PER_BLOCK.map(|pages| shortest_us(&part(pages)));
        assert_eq!(shortest, [6_875.0, 12_075.0, 22_475.0]);
        assert_eq!(PAGES_PER_BLOCK.map(|pages| admitted(&part(pages))), [8.0, 7.0, 5.0]);
    }
}
