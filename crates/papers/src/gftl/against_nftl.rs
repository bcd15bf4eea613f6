//! Figs 2, 9 and 10: times of NFTL alone, and of NFTL against GFTL on the same flash.

use super::cells::{Cell, Cells, Load, Ran, SEVERAL, every_pages_per_block, part};
use super::closed_forms::us;
use super::drive::{Kind, Sample};
use super::paper::{PAGES_PER_BLOCK, UTILISATIONS};
use super::spread::Spread;
use crate::reproduction::PlotFile;
use crate::row::{Limit, Row, TOLERANCE};
use crate::sheet::{Outcome, Sheet};
use sim::report::plots::{Curve, Curves, Drawn};

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
        match self {
            Self::Reads => &ran.measured.read,
            Self::Writes => &ran.measured.write,
        }
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

    fn name(self) -> &'static str {
        match self {
            Self::Reads => "read",
            Self::Writes => "write",
        }
    }
}

/// Fig. 2: write times of NFTL.
pub(super) fn fig_2(cells: &Cells, to: &mut Sheet) -> Outcome {
    for cell in every_pages_per_block("nftl", Load::Synthetic) {
        match cells.get(cell) {
            Ok(ran) => to.rows.extend(levels(ran, cells.get(cell.fold_by_fold()).ok())),
            Err(why) => to.rows.push(missing(&cell, why)),
        }
    }
    to.plots.push(plot("fig-2.svg", "NFTL's writes", Of::Writes, &plotted(cells, &["nftl"])));
    to.notes.push(format!(
        "The figure's values are not printed. A write of NFTL takes the folds on its way: one when its replacement is \
         full, several when no block is free. §II does not say how many: {SEVERAL} here (`+folds={SEVERAL}`), and one \
         for comparison."
    ));
    Ok(())
}

/// "Two distinct variations on the y-axis due to folds and garbage collection" (§III).
fn levels(ran: &Ran, one: Option<&Ran>) -> Vec<Row> {
    let mut rows = spread_rows(ran, Of::Writes);
    let [_, single, several] = ran.measured.by_steps;
    let exercised: Vec<&str> = [("folds", single), ("garbage collection", several)]
        .into_iter()
        .filter_map(|(level, writes)| (writes > 0).then_some(level))
        .collect();
    let name = name(ran);
    let row = Row::words(
        &format!("{name}: levels of write times above a page program"),
        "folds, garbage collection",
        &exercised.join(", "),
    );
    let claim = "NFTL: write times have two levels, of folds and of garbage collection";
    rows.push(match ran.cell.pages_per_block {
        PLOTTED => row.headline("§III, Fig. 2", claim),
        _ => row,
    });
    let most = Of::Writes.spread(ran).most_us();
    let program = ran.device.part.t_prog_ns as f64 / 1e3;
    rows.extend([
        Row::evidence(&format!("{name}: writes with one fold"), "", single as f64, 0),
        Row::evidence(&format!("{name}: writes with several folds"), "", several as f64, 0),
        Row::evidence(
            &format!("{name}: longest write over one page program"),
            "",
            most / program,
            2,
        ),
    ]);
    if let Some(one) = one {
        let what = format!("{name}: longest write over that with one fold at a time");
        let over = most / Of::Writes.spread(one).most_us();
        rows.push(Row::evidence(&what, "", over, 2));
    }
    rows
}

fn missing(cell: &Cell, why: &str) -> Row {
    Row::missing(&cell.name(), "", None, why)
}

/// Fig. 9: write times.
pub(super) fn fig_9(cells: &Cells, to: &mut Sheet) -> Outcome {
    both(cells, Of::Writes, to);
    for pages_per_block in PAGES_PER_BLOCK {
        to.rows.extend(variation(cells, pages_per_block));
    }
    to.rows.extend(constant_write(cells));
    for pages_per_block in PAGES_PER_BLOCK {
        to.rows.extend(by_utilisation(cells, pages_per_block));
    }
    Ok(())
}

/// Fig. 10: read times.
pub(super) fn fig_10(cells: &Cells, to: &mut Sheet) -> Outcome {
    both(cells, Of::Reads, to);
    for scheme in ["nftl", "gftl"] {
        to.rows.extend(search(cells, scheme));
    }
    Ok(())
}

/// "The maximum read time is proportional to the number of pages per block."
fn search(cells: &Cells, scheme: &'static str) -> Vec<Row> {
    let of = |pages: u32| cells.get(Cell::gftl(Load::Synthetic, pages).of(scheme)).ok();
    let longest = |pages: u32| of(pages).map(|ran| us(ran.measured.read.longest_ns));
    let names = PAGES_PER_BLOCK.map(|pages| format!("π = {pages}"));
    let [first, second, third] =
        [0, 1, 2].map(|at| (names[at].as_str(), longest(PAGES_PER_BLOCK[at])));
    let what = format!("{scheme}: longest read by π");
    let groups: [&[&str]; 3] = [&[first.0], &[second.0], &[third.0]];
    let mut rows = vec![Row::order(&what, &groups, &[first, second, third])];
    // The search ends where the page is found, which is why a fixed part, the read of the page, comes on top.
    if let [Some(low), Some(high)] = [longest(PAGES_PER_BLOCK[0]), longest(PAGES_PER_BLOCK[2])] {
        let more = f64::from(PAGES_PER_BLOCK[2] - PAGES_PER_BLOCK[0]);
        let oob = us(part(PAGES_PER_BLOCK[0]).t_r_oob_ns).to_string();
        let what = format!("{scheme}: longest read per page of a block, T_rdoob");
        rows.push(Row::measured(&what, "µs", &oob, (high - low) / more, TOLERANCE));
    }
    for pages in PAGES_PER_BLOCK {
        if let (Some(ours), part) = (longest(pages), part(pages)) {
            let what = format!("{scheme}, π = {pages}: longest read, at most π·T_rdoob + T_rdpg");
            let bound = us(bounds::nftl::read_ns(&part));
            rows.push(Row::limit(&what, "µs", Limit::AtMost(bound), ours));
        }
    }
    rows
}

/// "The maximum write time of GFTL is constant as opposed to NFTL."
fn constant_write(cells: &Cells) -> Vec<Row> {
    let spread = |scheme: &'static str| {
        let longest = PAGES_PER_BLOCK.map(|pages| {
            let cell = Cell::gftl(Load::Synthetic, pages).of(scheme);
            cells.get(cell).ok().map(|ran| Of::Writes.spread(ran).most_us())
        });
        let [Some(low), Some(middle), Some(high)] = longest else { return None };
        Some(low.max(middle).max(high) - low.min(middle).min(high))
    };
    let what = |scheme: &str| format!("{scheme}: longest write, range over π");
    let gftl =
        spread("gftl").map(|range| Row::limit(&what("gftl"), "µs", Limit::AtMost(0.0), range));
    let nftl =
        spread("nftl").map(|range| Row::limit(&what("nftl"), "µs", Limit::Above(0.0), range));
    gftl.into_iter().chain(nftl).collect()
}

/// NFTL's mean times vary with the utilisation of the flash (§VI(ii)); its folds come only when they must.
fn by_utilisation(cells: &Cells, pages_per_block: u32) -> Vec<Row> {
    let gftl = Cell::gftl(Load::Synthetic, pages_per_block);
    let full = gftl.of("nftl");
    let (Ok(full), Ok(half)) = (cells.get(full), cells.get(full.half_used())) else {
        return Vec::new();
    };
    let names = UTILISATIONS.map(|utilisation| format!("{utilisation} %"));
    let mean = |ran: &Ran| Some(Of::Writes.spread(ran).mean_us());
    let values = [(names[0].as_str(), mean(half)), (names[1].as_str(), mean(full))];
    let what = format!("nftl, π = {pages_per_block}: mean write by utilisation");
    let row = Row::order(&what, &[&[values[0].0], &[values[1].0]], &values);
    let mut rows = vec![match pages_per_block {
        PLOTTED => row.headline("§VI(ii)", "nftl: the mean write rises with the utilisation"),
        _ => row,
    }];
    for ran in [half, full] {
        let what = format!("nftl, π = {pages_per_block}, {} %", ran.cell.utilisation);
        let reads = Of::Reads.spread(ran).mean_us();
        let folds = ran.measured.by_steps[1] + ran.measured.by_steps[2];
        rows.extend([
            Row::evidence(&format!("{what}: mean write"), "µs", mean(ran).unwrap_or(0.0), 1),
            Row::evidence(&format!("{what}: mean read"), "µs", reads, 1),
            Row::evidence(&format!("{what}: writes with folds"), "", folds as f64, 0),
        ]);
    }
    rows
}

/// "GFTL energy consumption being higher than traditional FTLs for under utilised flash memories" (§VI).
pub(super) fn energy(cells: &Cells) -> Vec<Row> {
    let each =
        |ran: &Ran| ran.measured.energy_pj as f64 / 1e3 / ran.measured.requests().max(1) as f64;
    PAGES_PER_BLOCK
        .into_iter()
        .map(|pages| {
            let gftl = Cell::gftl(Load::Synthetic, pages).half_used();
            let of = |cell| cells.get(cell).ok().map(each);
            let values = [("nftl", of(gftl.of("nftl"))), ("gftl", of(gftl))];
            let what = format!("50 %, π = {pages}: energy of all operations per request, nJ");
            Row::order(&what, &[&["nftl"], &["gftl"]], &values)
        })
        .collect()
}

fn both(cells: &Cells, of: Of, to: &mut Sheet) {
    for pages_per_block in PAGES_PER_BLOCK {
        for scheme in ["nftl", "gftl"] {
            let cell = Cell::gftl(Load::Synthetic, pages_per_block).of(scheme);
            match cells.get(cell) {
                Ok(ran) => to.rows.extend(spread_rows(ran, of)),
                Err(why) => to.rows.push(missing(&cell, why)),
            }
        }
    }
    let (file, title) = match of {
        Of::Writes => ("fig-9.svg", "NFTL and GFTL: writes"),
        Of::Reads => ("fig-10.svg", "NFTL and GFTL: reads"),
    };
    to.plots.push(plot(file, title, of, &plotted(cells, &["nftl", "gftl"])));
}

fn name(ran: &Ran) -> String {
    format!("{}, π = {}", ran.cell.scheme, ran.cell.pages_per_block)
}

fn spread_rows(ran: &Ran, of: Of) -> Vec<Row> {
    let spread = of.spread(ran);
    let row = |figure: &str, value: f64| {
        Row::evidence(&format!("{}: {figure} {}", name(ran), of.name()), "µs", value, 1)
    };
    vec![
        row("least", spread.least_us()),
        row("mean", spread.mean_us()),
        row("σ of", spread.sigma_us()),
        row("longest", spread.most_us()),
    ]
}

/// "The variation in write times is more than an order of magnitude less for GFTL."
fn variation(cells: &Cells, pages_per_block: u32) -> Vec<Row> {
    let cell = Cell::gftl(Load::Synthetic, pages_per_block);
    let (Ok(gftl), Ok(nftl)) = (cells.get(cell), cells.get(cell.of("nftl"))) else {
        return Vec::new();
    };
    let (gftl, nftl) = (Of::Writes.spread(gftl), Of::Writes.spread(nftl));
    let range = |spread: &Spread| spread.most_us() - spread.least_us();
    let limit = |what: &str, ours: f64| {
        let what = format!("π = {pages_per_block}: {what}, NFTL over GFTL");
        Row::limit(&what, "", Limit::Above(10.0), ours)
    };
    let sigma = limit("σ of write times", nftl.sigma_us() / gftl.sigma_us());
    vec![
        limit("range of write times", range(nftl) / range(gftl)),
        match pages_per_block {
            PLOTTED => sigma.headline("§VI, Fig. 9", "σ of write times, NFTL over GFTL"),
            _ => sigma,
        },
    ]
}

fn plotted<'a>(cells: &'a Cells, schemes: &[&'static str]) -> Vec<&'a Ran> {
    let of = |scheme: &&'static str| Cell::gftl(Load::Synthetic, PLOTTED).of(scheme);
    cells.all(&schemes.iter().map(of).collect::<Vec<_>>())
}

/// Plot of the minimum and maximum times in each interval of the series.
fn plot(file: &str, title: &str, of: Of, ran: &[&Ran]) -> PlotFile {
    let curve = |ran: &&Ran| {
        let ends = |sample: &Sample| {
            let at = sample.requests as f64;
            let us = move |ns: u64| (at, ns as f64 / 1e3);
            of.range(sample, ran.cell.scheme).map(|(least, most)| [us(least), us(most)])
        };
        Curve {
            name: ran.cell.scheme.into(),
            note: "least and longest".into(),
            points: ran.measured.samples.iter().filter_map(ends).flatten().collect(),
            drawn: Drawn::Dots,
        }
    };
    let chart = Curves {
        caption: format!("{title}, synthetic, π = {PLOTTED}"),
        x_label: "requests",
        y_label: "µs",
        log_x: false,
        log_y: true,
        curves: ran.iter().map(curve).collect(),
    };
    PlotFile { name: file.into(), figure: chart.into() }
}
