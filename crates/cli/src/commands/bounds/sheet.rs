//! All that `ftlkit bounds` prints of one part: the decision table, the division of the array, and the paper's tables.

use super::decision;
use super::schemes::{division_table, percent};
use super::table_vii;
use crate::output::{self, micros, table};
use bounds::Ratio;
use bounds::lazy_rtgc::{Space, WholeArray};
use bounds::tables::{self, Printed, ServiceBounds};
use flash::Part;
use lab::config::{Channel, ConfigError, CopyChoice, DEFAULT_PART, SchemeTable};
use lab::division::{Division, Question};
use serde_json::{Value, json};

/// All tables of one part.
pub(super) struct Sheet {
    services: [ServiceBounds; 6],
    configuration: tables::SpaceConfiguration,
    shares: tables::SpaceShares,
    printed: Option<&'static Printed>,
    blocks: u32,
    /// Lazy-RTGC's division, or the reason why it has none, as in its row of `divisions`.
    space: Result<Space, String>,
    pub(super) divisions: Vec<Division>,
    pub(super) part: Part,
    /// What its reads include, and the age up to which that suffices.
    retry: Option<String>,
}

impl Sheet {
    /// The schemes `named`, or those that the question asks if there are none.
    pub(super) fn new(
        part: Part,
        blocks: u32,
        named: &[SchemeTable],
        question: Question,
        channel: &Channel,
    ) -> Result<Self, ConfigError> {
        let with_settings = |table: &SchemeTable| match table.copies() == CopyChoice::default() {
            true => Division::with_settings(table, &part, blocks),
            false => Division::on_channel(table, channel, blocks),
        };
        let all = question.divisions(&part, blocks);
        let lazy = all.iter().find(|row| row.scheme() == "lazy-rtgc");
        let space = match lazy.and_then(Division::why_not) {
            Some(why) => Err(why.to_owned()),
            None => {
                let array = WholeArray { blocks, spare_blocks: 0, from_buffer: false };
                array.space(&part, None).map_err(|error| error.to_string())
            }
        };
        let divisions = match named {
            [] => all,
            named => named.iter().map(with_settings).collect::<Result<_, _>>()?,
        };
        Ok(Self {
            services: tables::service_bounds(&part),
            configuration: tables::space_configuration(&part),
            shares: tables::space_shares(&part),
            printed: tables::printed_for(&part.name),
            blocks,
            space,
            divisions,
            part,
            retry: channel.retry_in_bounds(),
        })
    }

    pub(super) fn json(&self, question: Question) -> Value {
        let space = self.space.as_ref();
        json!({
            "part": self.part.name,
            "read_retry": self.retry,
            "table_i": self.services.iter().map(service_json).collect::<Vec<_>>(),
            "table_ii": {
                "t_r_ns": self.configuration.t_r_ns,
                "t_prog_ns": self.configuration.t_prog_ns,
                "t_bers_ns": self.configuration.t_bers_ns,
                "pages_per_block": self.configuration.pages_per_block,
                "alpha": self.configuration.alpha,
                "logical_share": self.configuration.share.as_f64(),
                "printed_logical_share": self.printed.map(|row| permille(row.lazy_rtgc_permille)),
            },
            "table_iii": {
                "ideal": self.shares.ideal.as_f64(),
                "fsr": self.shares.fsr.map(Ratio::as_f64),
                "rftl": self.shares.rftl.as_f64(),
                "gftl": self.shares.gftl.as_f64(),
                "lazy_rtgc": self.shares.lazy_rtgc.as_f64(),
                "printed": self.printed.map(|row| json!({
                    "rftl": permille(row.rftl_permille),
                    "gftl": permille(row.gftl_permille),
                    "lazy_rtgc": permille(row.lazy_rtgc_permille),
                })),
            },
            "lazy_rtgc_space": {
                "blocks": self.blocks,
                "logical_pages": space.map(|space| space.logical_pages).ok(),
                "logical_share": space.map(|space| self.share_of(space)).ok(),
                "victim_valid": space.map(|space| space.victim_valid).ok(),
                "steps": space.map(|space| space.steps).ok(),
                "threshold_pages": space.map(|space| space.threshold_pages).ok(),
                "alpha": space.map(|space| space.alpha).ok(),
                "alpha_far": space.map(|space| space.alpha_far).ok(),
                "why_not": space.err(),
            },
            "blocks": self.blocks,
            "capacity_bytes": self.capacity_bytes(),
            "schemes": self.divisions.iter().map(|row| question.json(row)).collect::<Vec<_>>(),
        })
    }

    fn capacity_bytes(&self) -> u64 {
        let block = u64::from(self.part.pages_per_block) * u64::from(self.part.page_bytes);
        u64::from(self.blocks) * block
    }

    fn share_of(&self, space: &Space) -> f64 {
        let pages = u64::from(self.blocks) * u64::from(self.part.pages_per_block);
        f64::from(space.logical_pages) / pages as f64
    }
}

fn service_json(row: &ServiceBounds) -> Value {
    json!({
        "scheme": row.scheme,
        "read_ns": row.read_ns,
        "write_ns": row.write_ns,
        "response_ns": row.response_ns,
        "victim_valid": row.victim_valid,
        "logical_share": row.share.map(Ratio::as_f64),
    })
}

fn permille(share: u32) -> f64 {
    f64::from(share) / 1000.0
}

fn printed(permille: Option<u32>) -> String {
    permille.map_or_else(|| "–".into(), |share| format!("{}.{}", share / 10, share % 10))
}

/// The decision table of each part; then details; if `of_paper`, the paper's tables as well.
pub(super) fn text(sheets: &[Sheet], question: Question, of_paper: bool) -> String {
    let mut text = String::new();
    for sheet in sheets {
        let Sheet { part, blocks, divisions, retry, .. } = sheet;
        text.push_str(&decision::text(part, *blocks, divisions, question));
        if let Some(retry) = retry {
            text.push_str(&format!("{}: {retry}\n\n", part.name));
        }
    }
    text.push_str(&decision::legend());
    for sheet in sheets {
        text.push_str(&format!(
            "\nDivision of the array and RAM on {}, pages and KiB ³\n",
            sheet.part.name
        ));
        text.push_str(&division_table(&sheet.divisions));
        text.push('\n');
    }
    if !of_paper {
        text.push_str(&output::wrapped(DETAILS_LEGEND));
        return text;
    }
    text.push_str("\nAs the paper prints it, for comparison with the paper only:\n\n");
    for sheet in sheets {
        text.push_str(&format!(
            "Worst-case bounds on {}, µs and pages (Table I)\n",
            sheet.part.name
        ));
        text.push_str(&service_table(sheet));
        text.push_str("\n\n");
    }
    text.push_str("Lazy-RTGC: largest logical share, % (Table II)\n");
    text.push_str(&configuration_table(sheets));
    text.push_str("\n\nLogical share that each scheme allows, % (Table III)\n");
    text.push_str(&shares_table(sheets));
    // The array of Table VII is that of one part; on another its RAM would mislead.
    if sheets.iter().any(|sheet| sheet.part.name == DEFAULT_PART) {
        text.push_str("\n\nRAM of the maps, KiB: 32 GiB of evaluation-slc (Table VII)\n");
        text.push_str(&table_vii::text());
    }
    text.push('\n');
    text.push_str(&output::wrapped(LEGEND));
    text.push_str(&output::wrapped(DETAILS_LEGEND));
    text
}

const LEGEND: &str = "
U(e_r), U(e_w): service of a page read and write; U(R): response with the one collection step that \
    follows it; U(λ): valid pages of a victim; U(σ): logical / physical pages; α: copies per step. `paper`: the \
    printed value, if there is one for this part. α is rounded down (the paper prints ⌈·⌉; its tables, and a step \
    within one erase, need ⌊·⌋). ideal: the paper's ideal real-time scheme, not one that can be run.
¹ As printed: U(R) is Eq. 5 with λ = π − 1, since the paper takes FSR's σ as not given, while U(λ) is at \
    its evaluation's σ = 0.75. With that σ the bound is lower: the first table.
² As printed, for any number of blocks. Tables I to III assume that every copy takes the channel's slowest path; \
    the first table shows the schemes as built: lazy-rtgc counts copies between devices separately.
Source: Zhang et al., Lazy-RTGC, ACM TODAES 20(3):43, 2015, Tables I to III and VII.
";

const DETAILS_LEGEND: &str = "
³ As in a run; RAM without the list of free blocks (4 B per block). U(R): response bound of a page task, \
    without what a write buffer writes between tasks, which no bound covers. ρ_th: free pages below which collection starts. Lazy-RTGC may export more here than the paper's Tables I to III say: their Eq. 11 \
    rounds σπ up over N full blocks, while one block's worth of pages is free when a collection starts, so that \
    N − 1 blocks hold whole valid pages: U(λ) = ⌊Λ/(N−1)⌋.
";

fn service_table(sheet: &Sheet) -> String {
    let columns = ["<scheme", "U(e_r)", "U(e_w)", "U(R)", "U(λ)", "U(σ) %"];
    table(
        columns,
        sheet.services.iter().map(|row| {
            [
                match row.scheme {
                    "fsr" => "fsr ¹".into(),
                    "ideal" => "ideal ²".into(),
                    other => other.to_owned(),
                },
                micros(row.read_ns),
                micros(row.write_ns),
                micros(row.response_ns),
                row.victim_valid.to_string(),
                row.share.map_or_else(|| "n/a".into(), |share| percent(share.as_f64())),
            ]
        }),
    )
}

fn configuration_table(sheets: &[Sheet]) -> String {
    let columns = ["<part", "t_rd µs", "t_wr µs", "t_er µs", "π", "α", "U(σ)", "paper"];
    table(
        columns,
        sheets.iter().map(|sheet| {
            let row = &sheet.configuration;
            [
                sheet.part.name.to_string(),
                micros(row.t_r_ns),
                micros(row.t_prog_ns),
                micros(row.t_bers_ns),
                row.pages_per_block.to_string(),
                row.alpha.to_string(),
                percent(row.share.as_f64()),
                printed(sheet.printed.map(|row| row.lazy_rtgc_permille)),
            ]
        }),
    )
}

fn shares_table(sheets: &[Sheet]) -> String {
    let columns =
        ["<part", "ideal ²", "FSR", "RFTL", "paper", "GFTL", "paper", "Lazy-RTGC", "paper"];
    table(
        columns,
        sheets.iter().map(|sheet| {
            let row = &sheet.shares;
            [
                sheet.part.name.to_string(),
                percent(row.ideal.as_f64()),
                row.fsr.map_or_else(|| "n/a".into(), |share| percent(share.as_f64())),
                percent(row.rftl.as_f64()),
                printed(sheet.printed.map(|row| row.rftl_permille)),
                percent(row.gftl.as_f64()),
                printed(sheet.printed.map(|row| row.gftl_permille)),
                percent(row.lazy_rtgc.as_f64()),
                printed(sheet.printed.map(|row| row.lazy_rtgc_permille)),
            ]
        }),
    )
}
