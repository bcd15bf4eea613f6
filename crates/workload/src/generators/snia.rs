//! Preconditioning and test loop of the SNIA Solid State Storage Performance Test Specification.
//!
//! First the space is written sequentially, twice, in requests of 128 KiB. Then come rounds.
//! A round runs through every mix of reads and writes, and in each mix through every block size.
//! A cell of that table is a number of uniform random requests.
//! [`SteadyState`](crate::SteadyState) decides when rounds may stop.

use crate::error::WorkloadError;
use crate::generators::draw;
use crate::generators::draw::Chance;
use crate::generators::generated::{Access, Pattern};
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::mix::{self, FOOTPRINT};
use crate::generators::pace;
use crate::generators::sequential::Cursor;
use crate::parameters::{Kind, ParameterInfo, Parameters};
use crate::request::Op;
use crate::space::Space;
use crate::units;
use rand_pcg::Pcg64;
use serde::Serialize;
use std::collections::BTreeMap;

static LOOP: &[ParameterInfo] = &[
    ParameterInfo {
        name: "precondition",
        summary: "times that the space is written through before the first round",
        unit: "passes",
        kind: Kind::Count { min: 0, max: 1000 },
        default: "2",
    },
    ParameterInfo::bytes(
        "precondition_size",
        "128k",
        "size of the sequential writes of these passes",
    ),
    ParameterInfo {
        name: "rounds",
        summary: "rounds of the test loop",
        unit: "rounds",
        kind: Kind::Count { min: 0, max: 1_000_000 },
        default: "25",
    },
    ParameterInfo {
        name: "requests_per_cell",
        summary: "requests of each mix and block size in a round; the specification runs each for a minute",
        unit: "requests",
        kind: Kind::Count { min: 1, max: 1 << 40 },
        default: "1000",
    },
    ParameterInfo {
        name: "mixes",
        summary: "mixes of the loop, in their order: reads in per cent of the requests",
        unit: "%",
        kind: Kind::Text("READS/READS/…, each 0 to 100"),
        default: "100/95/65/50/35/5/0",
    },
    ParameterInfo {
        name: "block_sizes",
        summary: "block sizes of the loop, in their order",
        unit: "bytes",
        kind: Kind::Text("SIZE/SIZE/…"),
        default: "1024k/128k/64k/32k/16k/8k/4k/512",
    },
    FOOTPRINT,
];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "snia",
    summary: "SNIA PTS: twice the capacity written in order, then rounds of read/write mix × block size",
    parameters: &[LOOP, pace::PARAMETERS],
    requests: None,
    source: "SNIA Solid State Storage Performance Test Specification 2.0.2, IOPS test",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let plan = SniaPlan::from(request.parameters, request.space)?;
    let pattern = Snia {
        rng: request.rng(),
        cursor: Cursor { at: 0, end: plan.footprint_bytes },
        at: 0,
        cell_left: 0,
        cell: Cell { round: 0, read_percent: 0, block_bytes: 0 },
        write: Chance::new(0.0),
        places: 1,
        plan: plan.clone(),
    };
    Ok(request.paced_for(pattern, plan.footprint_bytes, plan.requests()))
}

/// Layout of the requests of the `snia` workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SniaPlan {
    /// Requests of the preconditioning passes.
    pub precondition_requests: u64,
    /// Bytes per preconditioning request; the last of a pass may be shorter.
    pub precondition_bytes: u64,
    /// Number of rounds.
    pub rounds: u64,
    /// Requests per cell.
    pub requests_per_cell: u64,
    /// Shares of reads in per cent, in loop order.
    pub read_percents: Vec<u8>,
    /// Block sizes in bytes, in loop order.
    pub block_sizes: Vec<u64>,
    /// Bytes of the space in use.
    pub footprint_bytes: u64,
}

/// One cell of the table that a round runs through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// The round, counted from 0.
    pub round: u64,
    /// Reads, per cent of the requests.
    pub read_percent: u8,
    /// Bytes per request.
    pub block_bytes: u64,
}

impl SniaPlan {
    /// The plan of the `snia` workload with these parameters on `space`.
    ///
    /// # Errors
    /// Parameters that are unknown, out of range or do not fit the space.
    pub fn new(
        parameters: &BTreeMap<String, String>,
        space: &Space,
    ) -> Result<Self, WorkloadError> {
        space.check()?;
        Self::from(&Parameters::resolve(INFO.name, INFO.parameters, parameters)?, space)
    }

    fn from(parameters: &Parameters, space: &Space) -> Result<Self, WorkloadError> {
        let footprint_bytes = mix::footprint_bytes(parameters, space);
        let block_sizes =
            list(parameters, "block_sizes", |text| units::bytes(text).filter(|&size| size > 0))?;
        let largest = block_sizes.iter().copied().max().unwrap_or_default();
        mix::check_fits(parameters, "block_sizes", footprint_bytes, largest)?;
        let percent = |text: &str| {
            units::count(text).filter(|&percent| percent <= 100).map(|percent| percent as u8)
        };
        let precondition_bytes = parameters.bytes("precondition_size").unwrap_or(128 << 10);
        let passes = parameters.count("precondition").unwrap_or_default();
        let plan = Self {
            precondition_requests: passes
                .saturating_mul(footprint_bytes.div_ceil(precondition_bytes)),
            precondition_bytes,
            rounds: parameters.count("rounds").unwrap_or_default(),
            requests_per_cell: parameters.count("requests_per_cell").unwrap_or(1),
            read_percents: list(parameters, "mixes", percent)?,
            block_sizes,
            footprint_bytes,
        };
        if plan.requests() == 0 {
            return Err(parameters.refuse("rounds", "at least 1 where `precondition` is 0"));
        }
        Ok(plan)
    }

    /// Cells per round.
    pub fn cells(&self) -> u64 {
        (self.read_percents.len() * self.block_sizes.len()) as u64
    }

    /// Total number of requests.
    pub fn requests(&self) -> u64 {
        let rounds =
            self.rounds.saturating_mul(self.cells()).saturating_mul(self.requests_per_cell);
        self.precondition_requests.saturating_add(rounds)
    }

    /// The cell of request `index`, counted from 0; `None` for preconditioning requests.
    pub fn cell(&self, index: u64) -> Option<Cell> {
        let cell = index.checked_sub(self.precondition_requests)? / self.requests_per_cell;
        let (round, in_round) = (cell / self.cells(), cell % self.cells());
        let sizes = self.block_sizes.len() as u64;
        (round < self.rounds).then(|| Cell {
            round,
            read_percent: self.read_percents[(in_round / sizes) as usize],
            block_bytes: self.block_sizes[(in_round % sizes) as usize],
        })
    }
}

fn list<T>(
    parameters: &Parameters,
    name: &str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, WorkloadError> {
    let values: Option<Vec<T>> = parameters.text(name).split('/').map(parse).collect();
    values.ok_or_else(|| parameters.refuse(name, "values with a / between them, each in its range"))
}

struct Snia {
    rng: Pcg64,
    cursor: Cursor,
    at: u64,
    cell_left: u64,
    cell: Cell,
    write: Chance,
    places: u64,
    plan: SniaPlan,
}

impl Snia {
    fn next_cell(&mut self) {
        if let Some(cell) = self.plan.cell(self.at) {
            self.cell = cell;
        }
        self.cell_left = self.plan.requests_per_cell;
        self.write = Chance::new(1.0 - f64::from(self.cell.read_percent) / 100.0);
        self.places = self.plan.footprint_bytes / self.cell.block_bytes;
    }
}

impl Pattern for Snia {
    #[inline]
    fn next(&mut self) -> Access {
        let index = self.at;
        if index < self.plan.precondition_requests {
            self.at += 1;
            let (offset, length) = self.cursor.take(self.plan.precondition_bytes);
            return Access { op: Op::Write, offset, length, stream: 0 };
        }
        if self.cell_left == 0 {
            self.next_cell();
        }
        self.at += 1;
        self.cell_left -= 1;
        let op = if self.write.happens(&mut self.rng) { Op::Write } else { Op::Read };
        let offset = draw::below(&mut self.rng, self.places) * self.cell.block_bytes;
        Access::plain(op, offset, self.cell.block_bytes)
    }
}
