//! Buffer-aware garbage collection: worked examples, evaluation and additional studies.
//!
//! Source: S. Lee, D. Shin, J. Kim, Buffer-Aware Garbage Collection for NAND Flash Memory-Based Storage
//! Systems, 2008.

mod ablation;
mod all_ftls;
mod buffers;
mod equations;
mod example;
mod fig_1;
mod fig_3;
mod fig_7;
mod figures;
mod log_blocks;
mod mechanism;
mod migrations;
mod normalised;
mod parameters;
mod regions;
mod runs;
mod schemes;
#[cfg(test)]
mod tests;
mod times;
mod write_hits;

use crate::paper::{Exhibit, Paper, Study, note};
use runs::Runs;

pub(crate) const PAPER: &dyn Paper = &Study::<Runs> {
    name: "ba-gc",
    title: "Buffer-Aware Garbage Collection for NAND Flash Memory-Based Storage Systems",
    source: "S. Lee, D. Shin, J. Kim, 2008",
    exhibits: &[
        Exhibit("fig-1", "Unnecessary page migrations, run", |_| Ok(fig_1::fig_1())),
        Exhibit("fig-3", "Which log block is the better victim, run", |_| Ok(fig_3::fig_3())),
        Exhibit("equations", "Costs and benefits (Eqs. 4 to 9) on the evaluation's part", |_| {
            Ok(equations::equations())
        }),
        Exhibit("fig-5", "Execution time", |of| figures::fig_5(&of.ran)),
        Exhibit("fig-6", "Garbage collection overhead", |of| figures::fig_6(&of.ran)),
        Exhibit("fig-7", "Execution time over the size of the buffer, Postmark", |of| {
            fig_7::fig_7(&of.ran)
        }),
        Exhibit("mechanism", "Why Tiobench and Postmark gain least (§6.2)", |of| {
            mechanism::mechanism(&of.ran)
        }),
        Exhibit("migrations", "Share of page migrations that are unnecessary (§3)", |of| {
            migrations::migrations(&of.ran)
        }),
        Exhibit("write-hits", "Write hit ratios (§6.2)", |of| write_hits::write_hits(&of.ran)),
        Exhibit("ablation", "What buffer, BA-BM and BA-VBS each contribute", |of| {
            ablation::ablation(&of.ran)
        }),
        Exhibit("regions", "Regions that adapt against regions of fixed size", |of| {
            regions::regions(&of.ran)
        }),
        Exhibit("parameters", "P(U) and α (§7)", |of| parameters::parameters(&of.ran)),
        Exhibit("log-blocks", "Number of log blocks (footnote 2)", |of| {
            log_blocks::log_blocks(&of.ran)
        }),
        Exhibit("all-ftls", "BA-BM over page-mapped schemes", |of| Ok(all_ftls::all_ftls(&of.ran))),
        Exhibit("buffers", "Buffers above all kinds of schemes", |of| buffers::buffers(&of.ran)),
    ],
    of_traces: &[],
    run: Runs::run,
    conclude: |runs, found| {
        found.runs = runs.records();
        if !found.runs.is_empty() {
            note(found, &METHOD);
        }
        note(found, &ERRATA);
    },
};

/// Notes on the method.
const METHOD: [&str; 7] = [
    "the traces are not public: the six workloads are generators with the write hit ratios and the character that \
     the paper tells, and stand in for them. They are built to these ratios, and tuned to no other result",
    "the paper tells no size of the device: 4 GiB, with --quick 1 GiB; the workloads are whole in both. It is \
     written full in order before measuring, as a disk in use is; rows \"nothing written before\" are of an empty \
     one, where a merge moves only what the workload itself has written, and pads the places that hold nothing",
    "part k9wbg08u1m (25, 200 and 2000 µs, 64 pages of 2 KiB), FAST with 128 log blocks, a buffer of 16 MiB by \
     logical blocks unless said, no time for RAM, dirty data flushed after 30 s; the workloads only write",
    "execution time is the time of all flash operations, what is in the buffer at the end included; collection's is \
     that of the copies, programs and erases of merges and victims. Page padding is the host's writing, as the \
     buffer pads before it writes. BPLRU pads what it evicts; what it flushes by age stays, and is not padded",
    "P(U) is 0.3, 1 and 0 as in §6.1; the rule by which the regions adapt is ours, since the paper leaves it to a \
     report that is not at hand. Its limits, 5 and 10 % of the buffer, were chosen on these six workloads: sections \
     regions and parameters have others",
    "requests come in the programs' bursts; the execution time depends on them only through the flush after 30 s. \
     These are of the requests' own times (buffer_clock=arrival), as in a simulator that takes the times of a trace. \
     By the device's clock, which falls behind the benchmarks, more is flushed: rows \"by the device's clock\"",
    "what is flushed by age stays in the buffer, clean, and leaves in its policy's turn. FAB, which evicts the blocks \
     with most pages, so keeps clean blocks of few pages; row \"fab with clean blocks first\" is without that",
];

/// Contradictions in the paper.
const ERRATA: [&str; 3] = [
    "Eq. 4 has F_d take p_k ∈ b_j^invalid: pages that F(L0) of Fig. 1 takes from data blocks, p3 and p5, are valid \
     there; M_d of Eq. 3 has it right",
    "Fig. 1's L0 holds p0, the first page of its block, which FAST writes to its sequential log block only",
    "§1 has execution times 10 % to 45 % lower, the abstract up to 45 %; §6.2 speaks of substantial gains in all \
     benchmarks and of a small one in Bonnie++",
];
