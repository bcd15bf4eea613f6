//! Fig. 2 and Table 1: limits of the map entries' fields, found by probing the scheme's plan, and their RAM on the
//! board.

use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use flash::parts::by_name as part_by_name;
use flash::{Geometry, Part};
use ftl::registry::{self, by_name};
use ftl::{Plan, SchemeConfig, VictimKind};

/// Table 1: channels, ways per channel, GB per way (one die).
const BOARD: [u32; 3] = [8, 2, 4];
/// Blocks of the board: 64 GiB in blocks of 128 clustered pages of 32 KiB.
const BOARD_BLOCKS: u32 = 16_384;
const BOARD_PAGES: u32 = 128;
/// Width of the PPN in Fig. 2, bits (§4.1).
const PAGES_LOG: u32 = 31;
/// Width of an entry of either map in Fig. 2, bits.
const ENTRY_BITS: u64 = 32;
/// Reserved PPN values: page never written, page lost.
const RESERVED: u32 = 2;

/// The plan of `2lgc` for an array.
fn plan(
    part: &Part,
    blocks: u32,
    pages_per_block: u32,
    victim: VictimKind,
) -> Result<Plan, String> {
    let preset = by_name("2lgc").map_err(|error| error.to_string())?;
    let config = SchemeConfig { victim: Some(victim), ..SchemeConfig::preset(preset) };
    let geometry = Geometry::new(blocks, pages_per_block, part.page_bytes)
        .map_err(|error| error.to_string())?;
    registry::plan(&config, part, &geometry, blocks).map_err(|error| error.to_string())
}

/// Largest element of `range` that passes, by bisection. `None` if the first fails or `range.end` passes.
fn largest(range: std::ops::Range<u32>, passes: impl Fn(u32) -> bool) -> Option<u32> {
    let (mut good, mut bad) = (range.start, range.end);
    if !passes(good) || passes(bad) {
        return None;
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        *(if passes(middle) { &mut good } else { &mut bad }) = middle;
    }
    Some(good)
}

/// Row of a maximum that the plan accepts. The paper prints widths: `limit` is what follows from one.
fn most(what: &str, unit: &str, limit: u32, found: Option<u32>, remark: &str) -> Row {
    let row = match found {
        Some(found) => Row::evidence(what, unit, f64::from(found), 0),
        None => {
            let why = "the plan of `2lgc` takes all that was tried, or nothing";
            Row::missing(what, unit, None, why)
        }
    };
    row.noting(&format!("{limit} by its width")).noting(remark)
}

/// Rows of the largest arrays that the plan accepts, found by probing.
fn reach(part: &Part) -> Vec<Row> {
    let takes =
        |part: &Part, blocks, pages| plan(part, blocks, pages, VictimKind::TWO_LEVEL_LIST).is_ok();
    let narrow = |pages| {
        plan(part, 1024, pages, VictimKind::TWO_LEVEL_LIST)
            .is_ok_and(|plan| plan.ram.blocks * 8 <= 1024 * ENTRY_BITS)
    };
    let a_block = largest(2..512, narrow);
    let array_blocks =
        |pages: u32| largest(1024..u32::MAX / pages, |blocks| takes(part, blocks, pages));
    // With two pages per block the array comes closest to the limit.
    let pages = array_blocks(2).map(|blocks| blocks * 2);
    let erases = largest(1..100_000, |cycles| {
        takes(&Part { endurance_cycles: Some(cycles), ..part.clone() }, 1024, BOARD_PAGES)
    });
    let mut rows = vec![
        most(
            "largest array that the plan of `2lgc` takes: 31-bit PPN, two numbers of which name no page",
            "pages",
            (1 << PAGES_LOG) - RESERVED,
            pages,
            "found by asking for ever larger arrays",
        ),
        most(
            "most pages per block with entries of 32 bits: 8 count the invalid ones, 0 to all",
            "pages",
            (1 << 8) - 1,
            a_block,
            "of 256 pages, all of them invalid, a ninth bit tells: entries of larger blocks are wider",
        ),
        most(
            "most erases per block of a part that it takes: 13 bits",
            "erases",
            (1 << 13) - 1,
            erases,
            "enough for MLC of its day, not for SLC of 100,000",
        ),
    ];
    if let Some(pages) = pages {
        let terabytes = f64::from(pages) * 8192.0 / 2f64.powi(40);
        rows.push(Row::exact(
            "the same array in pages of 8 KiB, binary terabytes (§4.1)",
            "TB",
            "16",
            terabytes,
        ));
    }
    rows
}

/// Rows of the tables' RAM on the paper's board, as counted by the plan.
fn ram(part: &Part) -> Result<Vec<Row>, String> {
    let lists = plan(part, BOARD_BLOCKS, BOARD_PAGES, VictimKind::TWO_LEVEL_LIST)?.ram;
    let pages = f64::from(BOARD_BLOCKS * BOARD_PAGES);
    let blocks = f64::from(BOARD_BLOCKS);
    let greedy = plan(part, BOARD_BLOCKS, BOARD_PAGES, VictimKind::GREEDY)?.ram;
    Ok(vec![
        Row::exact("board, page map entry", "bits", "32", lists.map as f64 * 8.0 / pages)
            .noting("31 bits of a PPN and a flag"),
        Row::exact("board, block map entry", "bits", "32", lists.blocks as f64 * 8.0 / blocks)
            .noting("three flags, two counts of pages, the erase count: 3 + 8 + 8 + 13"),
        Row::evidence("board, RAM: page map", "KiB", lists.map as f64 / 1024.0, 0),
        Row::evidence("board, RAM: block map", "KiB", lists.blocks as f64 / 1024.0, 0),
        Row::evidence("board, RAM: both lists", "KiB", lists.victims as f64 / 1024.0, 1)
            .noting("places of 4 bytes for N/20 and N/10 blocks, and a byte per block"),
        Row::evidence(
            "board, RAM: greedy in O(1) in their place",
            "KiB",
            greedy.victims as f64 / 1024.0,
            1,
        ),
    ])
}

pub(super) fn map_entries(to: &mut Sheet) -> Outcome {
    let part = part_by_name("k9lcg08u1m").expect("the board's part is in the catalogue");
    to.rows = reach(part);
    match ram(part) {
        Ok(rows) => to.rows.extend(rows),
        Err(error) => to.rows.push(Row::missing("board", "", None, error)),
    }
    let [channels, ways, die] = BOARD;
    let bytes = u64::from(BOARD_BLOCKS) * u64::from(BOARD_PAGES) * u64::from(part.page_bytes);
    to.rows.push(
        Row::exact(
            "board of Table 1: blocks × pages × bytes, per way",
            "GiB",
            &die.to_string(),
            bytes as f64 / f64::from(1 << 30) / f64::from(channels * ways),
        )
        .as_input(),
    );
    Ok(())
}
