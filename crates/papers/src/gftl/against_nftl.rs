//! Figs 2, 9 and 10: times of NFTL alone, and of NFTL against GFTL on the same flash.

use super::cells::{Cells, Load, Ran, every_pages_per_block};
use super::drive::{Kind, Sample};
use super::paper::PAGES_PER_BLOCK;
use super::spread::Spread;
use crate::error::ReproduceError;
use crate::reproduction::{PlotFile, Section};
use crate::row::{Limit, Row};
use crate::verdict::Reason;
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
        match ran.cell.scheme {
            "nftl" => &self.kind(ran).response,
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
pub(super) fn fig_2(cells: &Cells) -> Result<Section, ReproduceError> {
    let mut section = Section::default();
    for cell in every_pages_per_block("nftl", Load::Synthetic) {
        match cells.get(cell) {
            Ok(ran) => {
                section.rows.extend(spread_rows(ran, Of::Writes));
                let name = format!("{}: longest write over one page program", name(ran));
                let program = ran.device.part.t_prog_ns as f64 / 1e3;
                let over = Of::Writes.spread(ran).most_us() / program;
                section.rows.push(Row::evidence(&name, "", over, 2));
            }
            Err(why) => section.rows.push(Row::incomparable(
                &cell.name(),
                "",
                None,
                None,
                Reason::MissingDetail(why.into()),
            )),
        }
    }
    section.plots.push(plot("fig-2.svg", "NFTL's writes", Of::Writes, &plotted(cells, &["nftl"]))?);
    section.notes.push(
        "The figure's values are not printed. A write of NFTL takes the folds on its way; the levels are a page \
         program, a fold, and several folds when no block is free."
            .into(),
    );
    Ok(section)
}

/// Fig. 9: write times.
pub(super) fn fig_9(cells: &Cells) -> Result<Section, ReproduceError> {
    let mut section = both(cells, Of::Writes)?;
    for pages_per_block in PAGES_PER_BLOCK {
        section.rows.extend(variation(cells, pages_per_block));
    }
    Ok(section)
}

/// Fig. 10: read times.
pub(super) fn fig_10(cells: &Cells) -> Result<Section, ReproduceError> {
    both(cells, Of::Reads)
}

fn both(cells: &Cells, of: Of) -> Result<Section, ReproduceError> {
    let mut section = Section::default();
    for pages_per_block in PAGES_PER_BLOCK {
        for scheme in ["nftl", "gftl"] {
            let cell = super::cells::Cell::gftl(Load::Synthetic, pages_per_block).of(scheme);
            section.rows.extend(match cells.get(cell) {
                Ok(ran) => spread_rows(ran, of),
                Err(why) => vec![Row::incomparable(
                    &cell.name(),
                    "",
                    None,
                    None,
                    Reason::MissingDetail(why.into()),
                )],
            });
        }
    }
    let (file, title) = match of {
        Of::Writes => ("fig-9.svg", "NFTL and GFTL: writes"),
        Of::Reads => ("fig-10.svg", "NFTL and GFTL: reads"),
    };
    section.plots.push(plot(file, title, of, &plotted(cells, &["nftl", "gftl"]))?);
    section.notes.push(
        "Synthetic trace at 100 %, NFTL on the flash that GFTL has. The figure's values are not printed. A write \
         of NFTL takes the folds on its way; GFTL's step of collection comes behind the request, within L(p)."
            .into(),
    );
    Ok(section)
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
    let cell = super::cells::Cell::gftl(Load::Synthetic, pages_per_block);
    let (Ok(gftl), Ok(nftl)) = (cells.get(cell), cells.get(cell.of("nftl"))) else {
        return Vec::new();
    };
    let (gftl, nftl) = (Of::Writes.spread(gftl), Of::Writes.spread(nftl));
    let range = |spread: &Spread| spread.most_us() - spread.least_us();
    let limit = |what: &str, ours: f64| {
        let what = format!("π = {pages_per_block}: {what}, NFTL over GFTL");
        Row::limit(&what, "", Limit::Above(10.0), ours)
    };
    vec![
        limit("range of write times", range(nftl) / range(gftl)),
        limit("σ of write times", nftl.sigma_us() / gftl.sigma_us()),
    ]
}

fn plotted<'a>(cells: &'a Cells, schemes: &[&'static str]) -> Vec<&'a Ran> {
    let of = |scheme: &&'static str| super::cells::Cell::gftl(Load::Synthetic, PLOTTED).of(scheme);
    cells.all(&schemes.iter().map(of).collect::<Vec<_>>())
}

/// Plot of the minimum and maximum times in each interval of the series.
fn plot(file: &str, title: &str, of: Of, ran: &[&Ran]) -> Result<PlotFile, ReproduceError> {
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
        log_y: true,
        curves: ran.iter().map(curve).collect(),
    };
    Ok(PlotFile { name: file.into(), svg: chart.svg()? })
}
