//! Figs 6 and 8: the write queue in the worst order of §IV-D, in the paper's model and in the scheme; and in an order
//! that is worse.

use super::cells::{Cell, Cells, Load, Ran, every_pages_per_block};
use super::paper::PAGES_PER_BLOCK;
use crate::error::ReproduceError;
use crate::reproduction::PlotFile;
use crate::row::{Limit, Row};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use bounds::gftl;
use lab::report::plots::{Curve, Curves, Drawn};

/// Maximum points per curve.
const POINTS: usize = 600;

/// Blocks of Fig. 6's model; its κ is that of π = 32.
const MODEL_BLOCKS: u32 = 1024;

/// Model of §IV-D: pages in the write queue after each request of the worst order on full blocks. Every `steps`
/// requests one block is cleaned, in block order, and its pages leave the queue.
pub(super) fn model(blocks: u32, steps: u32, requests: u64) -> Vec<u64> {
    let mut queued = vec![0u64; blocks as usize];
    let (mut length, mut victim) = (0, 0);
    (0..requests)
        .map(|request| {
            queued[(request % u64::from(blocks)) as usize] += 1;
            length += 1;
            if (request + 1).is_multiple_of(steps.into()) {
                length -= std::mem::take(&mut queued[victim]);
                victim = (victim + 1) % blocks as usize;
            }
            length
        })
        .collect()
}

pub(super) fn fig_6(to: &mut Sheet) -> Outcome {
    for pages in PAGES_PER_BLOCK {
        to.rows.extend(model_rows(pages));
    }
    let part = super::cells::part(32);
    let steps = gftl::paper_steps(&part);
    let (blocks, total) = (u64::from(MODEL_BLOCKS), steps.total());
    let requests = blocks * u64::from(total + 4);
    let curve = |name: &str, value: &dyn Fn(u64) -> u64| {
        let every = (requests as usize / POINTS).max(1);
        let points = (0..=requests).step_by(every).map(|x| (x as f64, value(x) as f64));
        Curve {
            name: name.into(),
            note: String::new(),
            points: points.collect(),
            drawn: Drawn::Line,
        }
    };
    let model = model(MODEL_BLOCKS, total, requests);
    let length = |x: u64| x.checked_sub(1).map_or(0, |at| model[at as usize]);
    let most = gftl::queue_pages(MODEL_BLOCKS, steps);
    let chart = Curves {
        caption: format!("Worst order, N = {blocks}, κ = {total}, L(p) = 1"),
        x_label: "requests on full blocks",
        y_label: "pages",
        log_x: false,
        log_y: false,
        curves: vec![
            curve("arrivals", &|x| x.min(2 * most)),
            curve("serviced: x/κ", &|x| x / u64::from(total)),
            curve("block of the arrival", &|x| x % blocks),
            curve("queue, no page superseded", &|x| (x - x / u64::from(total)).min(2 * most)),
            curve("write queue", &length),
            curve("L", &|_| most),
        ],
    };
    to.plots.push(PlotFile { name: "fig-6.svg".into(), figure: chart.into() });
    Ok(())
}

fn model_rows(pages_per_block: u32) -> Vec<Row> {
    let part = super::cells::part(pages_per_block);
    let steps = gftl::paper_steps(&part);
    let total = steps.total();
    let blocks = u64::from(MODEL_BLOCKS);
    let model = model(MODEL_BLOCKS, total, blocks * u64::from(4 * total));
    let name = format!("N = {blocks}, π = {pages_per_block} (κ = {total})");
    let most = gftl::queue_pages(MODEL_BLOCKS, steps) as f64;
    let steady = &model[(blocks * u64::from(total)) as usize..];
    let largest = |lengths: &[u64]| lengths.iter().copied().max().unwrap_or(0) as f64;
    let mut rows = vec![
        Row::evidence(&format!("{name}: L = ⌈N(κ+1)/2⌉"), "pages", most, 0),
        Row::limit(
            &format!("{name}: longest queue of the model, at most L"),
            "pages",
            Limit::Below(most + 1.0),
            largest(&model),
        ),
    ];
    for interval in [1, total / 2, total] {
        let end = model[(blocks * u64::from(interval)) as usize - 1] as f64;
        let paper = gftl::queue_growth_pages(MODEL_BLOCKS, steps, interval) as f64;
        let what = format!("{name}: queue after {interval}N requests over ΣL_i");
        rows.push(Row::evidence(&what, "", end / paper.max(1.0), 3));
    }
    let least = steady.iter().copied().min().unwrap_or(0) as f64;
    let swing = (largest(steady) - least) / blocks as f64;
    rows.push(Row::evidence(&format!("{name}: swing once steady"), "N", swing, 3));
    rows
}

pub(super) fn fig_8(cells: &Cells, to: &mut Sheet) -> Outcome {
    for load in [Load::WorstOrder, Load::QueueOrder] {
        for cell in every_pages_per_block("gftl", load) {
            to.rows.extend(match cells.get(cell) {
                Ok(ran) => queue_rows(ran),
                Err(why) => vec![Row::missing(&cell.name(), "", None, why)],
            });
        }
        let file = if load == Load::WorstOrder { "fig-8.svg" } else { "fig-8-longest.svg" };
        let ran = cells.all(&every_pages_per_block("gftl", load));
        to.plots.push(PlotFile { name: file.into(), figure: growth(load, &ran)?.into() });
    }
    Ok(())
}

/// Number of requests that fill the array before the figure's order begins.
fn filling(ran: &Ran) -> usize {
    ran.device.logical_blocks as usize * (ran.device.part.pages_per_block as usize - 1)
}

fn queue_rows(ran: &Ran) -> Vec<Row> {
    let Cell { load, pages_per_block, .. } = ran.cell;
    let device = &ran.device;
    let name = format!("{}, π = {pages_per_block}", load.name());
    let blocks = u64::from(device.logical_blocks);
    let printed = gftl::queue_pages(device.logical_blocks, gftl::paper_steps(&device.part)) as f64;
    let most = ran.measured.queue_pages_most as f64;
    let mut rows = vec![
        Row::evidence(&format!("{name}: N"), "blocks", blocks as f64, 0),
        Row::evidence(&format!("{name}: L as printed"), "pages", printed, 0),
    ];
    let what = format!("{name}: longest write queue, at most L as printed");
    let limit = Limit::Below(printed + 1.0);
    rows.push(
        Row::limit(&what, "pages", limit, most)
            .because(Reason::PaperError(format!("{most:.0} pages: {}", beyond_printed(load)))),
    );
    rows.push(Row::evidence(&format!("{name}: longest over L"), "", most / printed, 3));
    if let Ok(whole) = gftl::whole_steps(&device.part, ran.cell.reading.ram) {
        let blocks = device.logical_blocks;
        let pages = gftl::queue_pages(blocks, whole) as f64;
        let what = format!("{name}: longest over L with κ of whole operations");
        rows.push(Row::evidence(&what, "", most / pages, 3));
        let proven = gftl::proven_queue_blocks(pages_per_block, blocks, whole, 0);
        let proven = (proven * u64::from(pages_per_block)) as f64;
        let what = format!("{name}: longest write queue over the proven length");
        rows.push(Row::evidence(&what, "", most / proven, 3));
    }
    let what = format!("{name}: requests that took longer than L(p)");
    rows.push(Row::evidence(&what, "", ran.measured.late as f64, 0));
    if load == Load::WorstOrder {
        rows.extend(slopes(&name, ran));
    }
    rows
}

fn beyond_printed(load: Load) -> &'static str {
    match load {
        Load::WorstOrder => {
            "a step holds whole operations, so κ is larger than printed; and a block of the queue counts whole \
             until it is erased"
        }
        _ => {
            "erratum: L is proven for the order of §IV-D only; writes to the blocks that wait longest keep more \
             pages alive"
        }
    }
}

/// Rows with the growth of the queue per request, in each round of N requests after all blocks are full.
fn slopes(name: &str, ran: &Ran) -> Vec<Row> {
    let blocks = ran.device.logical_blocks as usize;
    let queue = &ran.measured.queue_pages;
    let start = filling(ran) + blocks;
    let at = |request: usize| queue.get(request - 1).map_or(0.0, |pages| *pages as f64);
    let rounds = (queue.len() - start.min(queue.len())) / blocks;
    let slopes: Vec<f64> = (0..rounds)
        .map(|round| {
            let from = start + round * blocks;
            (at(from + blocks) - at(from)) / blocks as f64
        })
        .collect();
    let steps = gftl::whole_steps(&ran.device.part, ran.cell.reading.ram)
        .map_or(1, |steps| steps.total() as usize);
    let mut rows: Vec<Row> = (1..)
        .zip(slopes.iter().take(steps + 1))
        .map(|(round, slope)| {
            let what = format!("{name}: pages per request, round {round} on full blocks");
            Row::evidence(&what, "", *slope, 3)
        })
        .collect();
    // The queue grows and shrinks by whole blocks, so slopes have a tolerance of two blocks.
    let block = 2.0 * f64::from(ran.device.part.pages_per_block) / blocks as f64;
    let growing = &slopes[..steps.min(slopes.len())];
    let rises = growing.windows(2).filter(|pair| pair[1] > pair[0] + block).count();
    let what = format!("{name}: rounds of growth in which the slope rises");
    rows.push(Row::exact(&what, "", "0", rises as f64));
    let steady = &slopes[(steps + 2).min(slopes.len())..];
    let mean = steady.iter().sum::<f64>() / steady.len().max(1) as f64;
    let what = format!("{name}: mean slope once steady");
    rows.push(Row::limit(&what, "", Limit::AtMost(0.02), mean));
    rows
}

fn growth(load: Load, ran: &[&Ran]) -> Result<Curves, ReproduceError> {
    let mut curves = Vec::new();
    for ran in ran {
        let queue = &ran.measured.queue_pages;
        let skipped = filling(ran).min(queue.len());
        let every = ((queue.len() - skipped) / POINTS).max(1);
        let points: Vec<(f64, f64)> = queue[skipped..]
            .chunks(every)
            .enumerate()
            .map(|(at, chunk)| {
                let most = chunk.iter().copied().max().unwrap_or(0);
                ((at * every) as f64, most as f64)
            })
            .collect();
        let end = points.last().map_or(0.0, |point| point.0);
        let part = &ran.device.part;
        let printed = gftl::queue_pages(ran.device.logical_blocks, gftl::paper_steps(part)) as f64;
        let name = format!("π = {}", part.pages_per_block);
        let note = format!("N = {}", ran.device.logical_blocks);
        curves.push(Curve { name: name.clone(), note, points, drawn: Drawn::Line });
        curves.push(Curve {
            name: format!("{name}: L"),
            note: String::new(),
            points: vec![(0.0, printed), (end, printed)],
            drawn: Drawn::Line,
        });
    }
    Ok(Curves {
        caption: format!("Length of GFTL's write queue, {}", load.name()),
        x_label: "requests since the last round of the fill",
        y_label: "pages of the write queue",
        log_x: false,
        log_y: false,
        curves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    #[test]
    fn the_model_stays_below_l_and_comes_near_it() {
        for (blocks, steps) in [(1024, 5), (1024, 7), (1000, 13), (64, 15)] {
            let steps_of = gftl::Steps { read: 1, write: steps - 2, held: 1, after: 1 };
            let most = gftl::queue_pages(blocks, steps_of);
            let model = model(blocks, steps, u64::from(blocks * steps * 4));
            let longest = model.iter().copied().max().unwrap();
            assert!(longest <= most, "{blocks} blocks, κ = {steps}: {longest} of {most}");
            assert!(longest * 10 > most * 7, "{blocks} blocks, κ = {steps}: {longest} of {most}");
        }
    }

    #[test]
    fn the_first_requests_by_hand() {
        // Two blocks, one cleaning every three requests: first block 0 with two pages, then block 1 with three.
        assert_eq!(model(2, 3, 6), [1, 2, 1, 2, 3, 1]);
        assert!(model_rows(16).iter().all(|row| row.verdict != Verdict::Differs));
    }
}
