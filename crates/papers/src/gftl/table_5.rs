//! Table V: service times, wear and overhead of GFTL.

use super::cells::{Cell, Cells, Load, Ran, Reading, every_pages_per_block, part};
use super::closed_forms::us;
use super::paper::{PAGES_PER_BLOCK, TableV, Times, UTILISATIONS};
use crate::row::{Row, TOLERANCE};
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Verdict;
use bounds::gftl;

pub(super) fn table_5(cells: &Cells, to: &mut Sheet) -> Outcome {
    let (mut overheads, mut worst, mut changed) = (Vec::new(), 0, 0.0_f64);
    for load in [Load::Synthetic, Load::Consumer] {
        to.say("load", load.name());
        for utilisation in UTILISATIONS {
            for (pages, printed) in PAGES_PER_BLOCK.into_iter().zip(&load.trace().rows) {
                let cell = Cell { utilisation, ..Cell::gftl(load, pages) };
                to.say("pages", pages).say("utilisation", utilisation);
                match cells.get(cell) {
                    Ok(ran) => {
                        say_locality(cells, cell, to);
                        line(ran, printed, to);
                        overheads.push(ran.device.overhead_percent());
                        worst = worst.max(ran.measured.write.longest_ns);
                    }
                    Err(why) => to.missing(&cell.name(), why),
                }
            }
        }
        for pages in PAGES_PER_BLOCK {
            // Of blocks that hold each page once, all equally likely, for comparison with the printed mean.
            let part = part(pages);
            let oobs = (f64::from(pages) + 1.0) / 2.0;
            to.say("pages", pages);
            to.put("full-blocks", oobs * us(part.t_r_oob_ns) + us(part.t_r_ns));
            changed = changed.max(independence(cells, Cell::gftl(load, pages), to));
        }
    }
    let all = 2 * UTILISATIONS.len() * PAGES_PER_BLOCK.len();
    let mean = overheads.iter().sum::<f64>() / overheads.len().max(1) as f64;
    let is_whole = overheads.len() == all;
    to.put_some("overhead-mean", is_whole.then_some(mean));
    to.put_some("independent", is_whole.then_some(changed));
    to.put_some("worst-writes", is_whole.then_some(us(worst)));
    for cell in every_pages_per_block("gftl", Load::OneBlock) {
        let mean = cells.get(cell).ok().map(|ran| ran.measured.write.service.mean_us());
        to.say("pages", cell.pages_per_block).put_some("one-block", mean);
    }
    Ok(())
}

/// Says what decides the mean write: how soon the trace returns to a block, between the two ends that were run.
fn say_locality(cells: &Cells, cell: Cell, to: &mut Sheet) {
    let mean = |cell| {
        let mean = |ran: &Ran| format!("{:.0} µs", ran.measured.write.service.mean_us());
        cells.get(cell).map_or("unknown".into(), mean)
    };
    to.say("one_block", mean(Cell::gftl(Load::OneBlock, cell.pages_per_block)));
    to.say("text", mean(Cell { utilisation: 100, ..cell.read_as(Reading::TEXT) }));
}

/// Rows for one row of the table.
fn line(ran: &Ran, printed: &TableV, to: &mut Sheet) {
    let (cell, measured, part) = (ran.cell, &ran.measured, &ran.device.part);
    let (read, write) = (&measured.read, &measured.write);
    to.say("printed", printed.write.mean).put("mean-write", write.service.mean_us());
    to.say("printed", printed.write.max).put("worst-write", us(write.longest_ns));
    to.say("printed", printed.write.sigma).put("sigma-writes", write.service.sigma_us());
    let swapped = printed.read_at_50.filter(|_| cell.utilisation == 50);
    reads(&printed.read, ran, swapped, to);
    if swapped.is_some() {
        to.say("printed", us(gftl::read_ns(part))).put("worst-read-bound", us(read.longest_ns));
    }
    to.say("printed", printed.wear[usize::from(cell.utilisation == 100)]);
    to.put("wear", measured.wear.index);
    let formula = gftl::queue_share(part, gftl::paper_steps(part)).as_f64() * 100.0;
    to.say("printed", printed.overhead).say("formula", formula).put("overhead", formula);
    let whole = gftl::whole_steps(part, gftl::CollectionRam::States).ok();
    let whole = whole.map(|whole| gftl::queue_share(part, whole).as_f64() * 100.0);
    to.say("whole_formula", whole).put_some("overhead-whole", whole);
    let overhead = ran.device.overhead_percent();
    let of_all = overhead / (100.0 + overhead) * 100.0;
    to.say("of_all", of_all);
    // A share of all blocks, which some of the printed ones are.
    let is_of_all = format!("{of_all:.0}") == printed.overhead;
    to.put(if is_of_all { "overhead-run" } else { "overhead-run-open" }, overhead);
    to.put("overhead-proven", cell.proven_overhead().map_err(|error| error.to_string()));
    to.put("late", measured.late);
    to.put_some("unmapped", (read.unmapped > 0).then_some(read.unmapped));
}

/// Mean, worst and σ of reads; `swapped` holds the misprinted values at 50 %.
fn reads(printed: &Times, ran: &Ran, swapped: Option<Times>, to: &mut Sheet) {
    let (read, part) = (&ran.measured.read, &ran.device.part);
    let even =
        (f64::from(part.pages_per_block) + 1.0) / 2.0 * us(part.t_r_oob_ns) + us(part.t_r_ns);
    to.say("least_read", read.service.least_us()).say("most_read", us(read.longest_ns));
    to.say("even_read", even);
    let ours = [
        ("mean-read", read.service.mean_us()),
        ("worst-read", us(read.longest_ns)),
        ("sigma-reads", read.service.sigma_us()),
    ];
    let all = |of: &Times| [of.mean, of.max, of.sigma];
    let shown = all(&swapped.unwrap_or(*printed));
    for (((key, ours), shown), right) in ours.into_iter().zip(shown).zip(all(printed)) {
        to.say("printed", shown).say("right", right);
        if shown == right {
            to.put(key, ours);
            continue;
        }
        to.made(&format!("{key}-swapped"), |what, unit| {
            let row = match key {
                "worst-read" => Row::exact(what, unit, shown, ours),
                _ => Row::measured(what, unit, shown, ours, TOLERANCE),
            };
            row.judged(Verdict::Differs)
        });
    }
}

/// Rows that check that the figures do not depend on utilisation.
fn independence(cells: &Cells, full: Cell, to: &mut Sheet) -> f64 {
    let half = Cell { utilisation: 50, ..full };
    let (Ok(full), Ok(half)) = (cells.get(full), cells.get(half)) else { return 0.0 };
    let mut most = 0.0_f64;
    let means =
        |ran: &Ran| [&ran.measured.write, &ran.measured.read].map(|kind| kind.service.mean_us());
    for ((key, half), full) in
        ["half-write", "half-read"].into_iter().zip(means(half)).zip(means(full))
    {
        to.made(key, |what, _| Row::change(what, "0", half, full, 1.0));
        most = most.max((half / full - 1.0).abs() * 100.0);
    }
    most
}
