//! Copy-back by direct data transfer: equations, evaluation in the event-driven engine, and the effect on a host on
//! the same channel.
//!
//! Source: J. Jeong, Y. H. Song, A technique to improve garbage collection performance for NAND flash-based storage
//! systems, IEEE Trans. Consumer Electronics 58(2), 2012.

mod equations;
mod fig_10;
mod fig_11;
mod fig_12;
mod fig_13;
mod fig_14;
mod fig_9;
mod host_load;
mod ours;
mod ssd;
mod stages;
#[cfg(test)]
mod tests;

use crate::paper::{Exhibit, Paper, Study, note};

pub(crate) const PAPER: &dyn Paper = &Study::<()> {
    name: "copyback",
    title: "A Technique to Improve Garbage Collection Performance for NAND Flash-based Storage Systems",
    source: "J. Jeong, Y. H. Song, IEEE Trans. Consumer Electronics 58(2), 2012",
    exhibits: &[
        Exhibit("table-2", "The part, and the stages of a copy (Eqs 1 to 8)", |_| {
            stages::table_2()
        }),
        Exhibit("equations", "Equations 9 to 13 against the event-driven engine", |_| {
            equations::equations()
        }),
        Exhibit(
            "fig-9",
            "Messages of a direct transfer (Table I): their order, and when the program is addressed",
            |_| fig_9::fig_9(),
        ),
        Exhibit("fig-10", "Windows of a direct transfer's data", |_| fig_10::fig_10()),
        Exhibit("fig-11", "Throughput over the size of a transaction", |_| fig_11::fig_11()),
        Exhibit("fig-12", "Whole collection, erase included", |_| fig_12::fig_12()),
        Exhibit("erase", "Erase as soon as the source is read (§III.A)", |_| {
            fig_12::early_erase()
        }),
        Exhibit("fig-13", "Throughput of direct transfers over the error rate", |_| {
            fig_13::fig_13()
        }),
        Exhibit("fig-14", "Channel use during collection", |_| fig_14::fig_14()),
        Exhibit(
            "host-load",
            "Host reads and writes on the other ways: argued for (§§III.B, VI.E), not measured there",
            |of| host_load::host_load(of.settings, of.watch),
        ),
        Exhibit(
            "ssd",
            "Collection by each path under an FTL on an SSD, not measured there",
            |of| ssd::ssd(of.settings, of.watch),
        ),
    ],
    of_traces: &[],
    run: |_, _, _| Ok(()),
    conclude: |(), found| {
        note(found, &METHOD);
        note(found, &ERRATA);
    },
};

/// Notes on the method.
const METHOD: [&str; 4] = [
    "every figure of ours is the event-driven engine's (`flash::channels`), of one channel with a source and a \
     destination; section `equations` holds it to the closed forms (`bounds::copyback`) to the nanosecond",
    "on two planes a transaction of N operations copies 2N pages; sizes are in pages, as the paper's",
    "t_SR_SET, t_SP_SET and t_DI_EC are not printed: they are counted from ONFI commands with the waits of timing \
     mode 4; t_CCS of 130 ns and t_DBSY of 500 ns are chosen such that the percentages come out. Where it is not said \
     otherwise cycles are the paper's 25 ns",
    "quick and full differ in `host-load` (50,000 and 1,000,000 requests per point) and in `ssd` (2 GiB and 16 GiB)",
];

/// Contradictions in the paper.
const ERRATA: [&str; 7] = [
    "§VI.B and Fig. 12's text put GCB behind ICB up to 8 pages (one plane) and 32 or 16 (two): by Eqs 9 and 10 it \
     is behind while N·(t_SR − t_DI) < t_SR, up to 3 pages and up to 12",
    "§VI.B has GCB with cache program, and DGCB with and without, ahead of ICB for every transaction: of one \
     operation the former is behind by t_DI, the latter by t_DL a plane",
    "§VI.D says that without cache program the loss to corrections is the same for every transaction: by Eq. 11 it \
     grows with it, since the first read is paid once. 2.71 % is that of the shortest on one plane, 4.86 % that \
     of the longest on two",
    "Eqs 11 and 13 put t_SP_SET after the first read; in Fig. 9 PROG_INIT goes out while the source reads",
    "Fig. 12 adds the erase after the last program; by §III.A it begins when the last page has left the source",
    "§VI.A takes a direct transfer at t_RWC = 25 ns for granted: the pins of ONFI's mode 4 guarantee valid data for \
     10 ns of it, and require 15 (§IV.B's own condition)",
    "§III.C calls DGCB's channel use half of GCB's, and so it is but for t_DL and commands; Fig. 14 compares them \
     at an error rate of 100 %, where it is more",
];
