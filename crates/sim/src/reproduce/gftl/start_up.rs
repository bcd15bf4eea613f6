//! §VI: how long a start-up and a shutdown take.

use super::PAPER;
use super::cells::part;
use super::paper::{
    AFTER_CUT_S, SHUTDOWN_MS, START_UP_BYTES, START_UP_MS, START_UP_PAGES_PER_BLOCK,
};
use crate::reproduce::{Row, Section, Watch};
use bounds::gftl::{
    Steps, mount_after_cut_ns, paper_steps, queue_pages, shutdown_ns, start_up_ns, whole_steps,
};

const CUT: &str = "erratum: 1.8432 s comes out with L = 65,536, κ = 15, which is what whole operations a step give; \
                   13.6 and 163 ms need κ = 13";

pub(super) fn start_up(_watch: &dyn Watch) -> Section {
    let mut section = PAPER.section("start-up");
    let part = part(START_UP_PAGES_PER_BLOCK);
    let block = u64::from(part.page_bytes) * u64::from(part.pages_per_block);
    let blocks = (START_UP_BYTES / block) as u32;
    let ms = |ns: u64| ns as f64 / 1e6;
    let of = |steps: Steps| queue_pages(blocks, steps);
    let pages = of(paper_steps(&part));
    section.rows.extend([
        Row::evidence("N", "blocks", blocks.into(), 0),
        Row::evidence("L with κ = 13, as printed", "pages", pages as f64, 0),
        Row::exact("start-up", "ms", START_UP_MS, ms(start_up_ns(&part, blocks, pages)), ""),
        Row::exact("shutdown", "ms", SHUTDOWN_MS, ms(shutdown_ns(&part, blocks, pages)), ""),
        Row::exact(
            "start-up after a power cut",
            "s",
            AFTER_CUT_S,
            ms(mount_after_cut_ns(&part, blocks, pages)) / 1e3,
            CUT,
        ),
    ]);
    if let Ok(whole) = whole_steps(&part) {
        let pages = of(whole);
        section.rows.extend([
            Row::evidence("L with κ = 15, of whole operations", "pages", pages as f64, 0),
            Row::exact(
                "start-up after a power cut, κ = 15",
                "s",
                AFTER_CUT_S,
                ms(mount_after_cut_ns(&part, blocks, pages)) / 1e3,
                "",
            ),
        ]);
    }
    section
}
