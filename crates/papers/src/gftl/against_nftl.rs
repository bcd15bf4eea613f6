//! Figs 2, 9 and 10: times of NFTL alone, and of NFTL against GFTL on the same flash.

use super::cells::{Cell, Cells, Load, Ran, SEVERAL, every_pages_per_block, part};
use super::closed_forms::us;
use super::drive::{Kind, Sample};
use super::paper::PAGES_PER_BLOCK;
use super::spread::Spread;
use crate::sheet::{Outcome, Sheet};
use lab::report::plots::{Curve, Drawn};

/// π of the plots: that of Table I's large-block part.
const PLOTTED: u32 = PAGES_PER_BLOCK[1];

/// Kind of requests that a figure shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Reads,
    Writes,
}

impl Of {
    fn kind(self, ran: &Ran) -> &Kind {
        if self == Self::Reads { &ran.measured.read } else { &ran.measured.write }
    }

    /// Time for which a request waits. NFTL folds before a write completes; GFTL's step comes after the request.
    fn spread(self, ran: &Ran) -> &Spread {
        match (self, ran.cell.scheme) {
            (Self::Writes, "nftl") => &self.kind(ran).response,
            _ => &self.kind(ran).service,
        }
    }

    fn range(self, sample: &Sample, scheme: &str) -> Option<(u64, u64)> {
        let (service, response) = match self {
            Self::Reads => (sample.read_ns, sample.read_response_ns),
            Self::Writes => (sample.write_ns, sample.write_response_ns),
        };
        if scheme == "nftl" { response } else { service }
    }

    /// Puts the spread of a run.
    fn put(self, ran: &Ran, to: &mut Sheet) {
        say(ran, to);
        let spread = self.spread(ran);
        to.put("least", spread.least_us());
        to.put("mean", spread.mean_us());
        to.put("sigma", spread.sigma_us());
        to.put("longest", spread.most_us());
    }
}

fn say(ran: &Ran, to: &mut Sheet) {
    to.say("scheme", ran.cell.scheme).say("pages", ran.cell.pages_per_block);
}

/// Fig. 2: write times of NFTL.
pub(super) fn fig_2(cells: &Cells, to: &mut Sheet) -> Outcome {
    to.say("several", SEVERAL);
    for cell in every_pages_per_block("nftl", Load::Synthetic) {
        match cells.get(cell) {
            Ok(ran) => levels(ran, cells.get(cell.fold_by_fold()).ok(), to),
            Err(why) => to.missing(&cell.name(), why),
        }
    }
    plot("fig-2", Of::Writes, &plotted(cells, &["nftl"]), to);
    Ok(())
}

/// "Two distinct variations on the y-axis due to folds and garbage collection" (§III).
fn levels(ran: &Ran, one: Option<&Ran>, to: &mut Sheet) {
    Of::Writes.put(ran, to);
    let [_, single, several] = ran.measured.by_steps;
    let levels = [("folds", single), ("garbage collection", several)];
    let exercised = levels.into_iter().filter(|(_, writes)| *writes > 0).map(|(level, _)| level);
    to.put("levels", exercised.collect::<Vec<_>>().join(", "));
    let most = Of::Writes.spread(ran).most_us();
    to.put("one-fold", single);
    to.put("several-folds", several);
    to.put("over-program", most / us(ran.device.part.t_prog_ns));
    to.put_some("over-one", one.map(|one| most / Of::Writes.spread(one).most_us()));
}

/// Fig. 9: write times.
pub(super) fn fig_9(cells: &Cells, to: &mut Sheet) -> Outcome {
    both(cells, Of::Writes, "fig-9", to);
    for pages in PAGES_PER_BLOCK {
        variation(cells, pages, to);
    }
    for (key, scheme) in [("constant", "gftl"), ("not-constant", "nftl")] {
        // "The maximum write time of GFTL is constant as opposed to NFTL."
        let longest = every_pages_per_block(scheme, Load::Synthetic)
            .map(|cell| Some(Of::Writes.spread(cells.get(cell).ok()?).most_us()));
        if let [Some(low), Some(middle), Some(high)] = longest {
            to.say("scheme", scheme);
            to.put(key, low.max(middle).max(high) - low.min(middle).min(high));
        }
    }
    for pages in PAGES_PER_BLOCK {
        by_utilisation(cells, pages, to);
    }
    Ok(())
}

/// Fig. 10: read times.
pub(super) fn fig_10(cells: &Cells, to: &mut Sheet) -> Outcome {
    both(cells, Of::Reads, "fig-10", to);
    for scheme in ["nftl", "gftl"] {
        search(cells, scheme, to);
    }
    Ok(())
}

/// "The maximum read time is proportional to the number of pages per block."
fn search(cells: &Cells, scheme: &'static str, to: &mut Sheet) {
    let longest = every_pages_per_block(scheme, Load::Synthetic)
        .map(|cell| Some(us(cells.get(cell).ok()?.measured.read.longest_ns)));
    let named = PAGES_PER_BLOCK.iter().zip(longest);
    to.say("scheme", scheme);
    to.put("by-pages", named.map(|(pages, of)| (format!("π = {pages}"), of)).collect::<Vec<_>>());
    // The search ends where the page is found, which is why a fixed part, the read of the page, comes on top.
    if let [Some(low), _, Some(high)] = longest {
        let more = f64::from(PAGES_PER_BLOCK[2] - PAGES_PER_BLOCK[0]);
        to.say("printed", us(part(PAGES_PER_BLOCK[0]).t_r_oob_ns));
        to.put("per-page", (high - low) / more);
    }
    for (pages, longest) in PAGES_PER_BLOCK.into_iter().zip(longest) {
        to.say("pages", pages).say("bound", us(bounds::nftl::read_ns(&part(pages))));
        to.put_some("bound", longest);
    }
}

/// NFTL's mean times vary with the utilisation of the flash (§VI(ii)); its folds come only when they must.
fn by_utilisation(cells: &Cells, pages: u32, to: &mut Sheet) {
    let full = Cell::gftl(Load::Synthetic, pages).of("nftl");
    let (Ok(full), Ok(half)) = (cells.get(full), cells.get(full.half_used())) else { return };
    let mean = |ran: &Ran| Of::Writes.spread(ran).mean_us();
    to.say("pages", pages).put("utilisation", mean(full) / mean(half));
    for ran in [half, full] {
        to.say("utilisation", ran.cell.utilisation).put("mean-write", mean(ran));
        to.put("mean-read", Of::Reads.spread(ran).mean_us());
        to.put("with-folds", ran.measured.by_steps[1] + ran.measured.by_steps[2]);
    }
}

/// "GFTL energy consumption being higher than traditional FTLs for under utilised flash memories" (§VI).
pub(super) fn energy(cells: &Cells, to: &mut Sheet) {
    for pages in PAGES_PER_BLOCK {
        let gftl = Cell::gftl(Load::Synthetic, pages).half_used();
        let of = |cell| {
            let measured = &cells.get(cell).ok()?.measured;
            Some(measured.energy_pj as f64 / 1e3 / measured.requests().max(1) as f64)
        };
        to.say("pages", pages);
        to.put("energy", vec![("nftl", of(gftl.of("nftl"))), ("gftl", of(gftl))]);
    }
}

fn both(cells: &Cells, of: Of, file: &str, to: &mut Sheet) {
    for pages in PAGES_PER_BLOCK {
        for scheme in ["nftl", "gftl"] {
            let cell = Cell::gftl(Load::Synthetic, pages).of(scheme);
            match cells.get(cell) {
                Ok(ran) => of.put(ran, to),
                Err(why) => to.missing(&cell.name(), why),
            }
        }
    }
    plot(file, of, &plotted(cells, &["nftl", "gftl"]), to);
}

/// "The variation in write times is more than an order of magnitude less for GFTL."
fn variation(cells: &Cells, pages: u32, to: &mut Sheet) {
    let cell = Cell::gftl(Load::Synthetic, pages);
    let (Ok(gftl), Ok(nftl)) = (cells.get(cell), cells.get(cell.of("nftl"))) else { return };
    let (gftl, nftl) = (Of::Writes.spread(gftl), Of::Writes.spread(nftl));
    let range = |spread: &Spread| spread.most_us() - spread.least_us();
    to.say("pages", pages).put("range", range(nftl) / range(gftl));
    let with_step = cells.get(cell).map(|ran| ran.measured.write.response.sigma_us());
    let one =
        cells.get(cell.of("nftl").fold_by_fold()).map(|ran| Of::Writes.spread(ran).sigma_us());
    to.say("several", SEVERAL).say("one_fold", one.ok().map(|one| one / gftl.sigma_us()));
    to.say("with_step", with_step.ok().map(|sigma| nftl.sigma_us() / sigma));
    to.put("variation", nftl.sigma_us() / gftl.sigma_us());
}

fn plotted<'a>(cells: &'a Cells, schemes: &[&'static str]) -> Vec<&'a Ran> {
    let of = |scheme: &&'static str| Cell::gftl(Load::Synthetic, PLOTTED).of(scheme);
    cells.all(&schemes.iter().map(of).collect::<Vec<_>>())
}

/// Plots the minimum and maximum times in each interval of the series.
fn plot(file: &str, of: Of, ran: &[&Ran], to: &mut Sheet) {
    let curve = |ran: &&Ran| {
        let ends = |sample: &Sample| {
            let at = |ns: u64| (sample.requests as f64, us(ns));
            of.range(sample, ran.cell.scheme).map(|(least, most)| [at(least), at(most)])
        };
        Curve {
            name: ran.cell.scheme.into(),
            note: "least and longest".into(),
            points: ran.measured.samples.iter().filter_map(ends).flatten().collect(),
            drawn: Drawn::Dots,
        }
    };
    to.curves(file, ran.iter().map(curve).collect());
}
