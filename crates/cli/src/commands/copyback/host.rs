//! `--host-load`: effect of collection on host requests on the same channel.

use super::bus::Bus;
use crate::commands::run::OutputArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{self, table};
use clap::Args;
use flash::channels::Policy;
use papers::ddt::Way;
use papers::ddt::files;
use papers::ddt::host_load::{HostLoad, LoadPoint, Point};
use serde_json::json;

const LOADS: [u32; 6] = [5, 25, 50, 65, 80, 95];

#[derive(Debug, Args)]
#[command(next_help_heading = "Host load")]
pub(super) struct HostArgs {
    /// Measure host reads and writes on a channel whose first two ways run collection
    #[arg(long)]
    host_load: bool,

    /// Ways of the channel, 3 to 64; collection has the first two [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(3..=64))]
    ways: Option<u16>,

    /// Host loads, per cent of the channel's capacity without collection [default: 5,25,50,65,80,95]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=100))]
    load: Vec<u32>,

    /// Arbiter policies: fifo, round-robin, read-first [default: fifo]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = policy)]
    policy: Vec<Policy>,

    /// Upper limits of copied pages per second, `none`: no limit; each is measured
    /// [default: none, and half of lcb's rate on an idle channel]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = pace)]
    pace: Vec<Pace>,

    /// Pages per transaction and plane [default: 8]
    #[arg(long, value_name = "N")]
    transaction: Option<u32>,

    /// Reads among the host's requests, per cent [default: 70]
    #[arg(long, value_name = "PCT", value_parser = clap::value_parser!(u32).range(..=100))]
    reads: Option<u32>,

    /// Requests per point, at least 1000 [default: 50000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1_000..))]
    requests: Option<u32>,

    /// Seed of all random draws [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// Limit in pages per second, or no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pace(Option<u64>);

fn pace(text: &str) -> Result<Pace, String> {
    match text.parse() {
        _ if text == "none" => Ok(Pace(None)),
        Ok(pages) if pages > 0 => Ok(Pace(Some(pages))),
        _ => Err("give pages per second, 1 or more, or `none`".into()),
    }
}

fn policy(name: &str) -> Result<Policy, String> {
    let known = Policy::ALL.into_iter().find(|policy| policy.name() == name.trim());
    known.ok_or_else(|| format!("the policies are {}", Policy::ALL.map(Policy::name).join(", ")))
}

impl HostArgs {
    pub(super) fn asked(&self) -> bool {
        self.host_load
    }

    /// Rejects host settings without `--host-load`.
    pub(super) fn refuse_alone(&self) -> Result<(), Failure> {
        let given = [
            ("--ways", self.ways.is_some()),
            ("--load", !self.load.is_empty()),
            ("--policy", !self.policy.is_empty()),
            ("--pace", !self.pace.is_empty()),
            ("--transaction", self.transaction.is_some()),
            ("--reads", self.reads.is_some()),
            ("--requests", self.requests.is_some()),
            ("--seed", self.seed.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(Failure::input(format!("{option} is for --host-load"))),
            None => Ok(()),
        }
    }

    pub(super) fn run(
        &self,
        bus: &Bus,
        ways: &[Way],
        valid: Option<u32>,
        csv: bool,
        output: &OutputArgs,
    ) -> Result<(), Failure> {
        let planes = ways.first().map_or(1, |way| way.planes);
        let study = self.study(bus, valid.map(|pages| pages / planes));
        study.validate()?;
        let asked = self.points(&study, ways)?;
        let out = output.folder()?;
        interrupt::listen();
        let points = study.points(&asked, &|| !interrupt::asked())?;
        if let Some(out) = &out {
            let written = files::write_host_load(&points, out)?;
            if !output.quiet {
                output::note(&format!(
                    "{} files written to {}",
                    written.len(),
                    out.path().display()
                ));
            }
        }
        if csv {
            output::text(&files::points_csv(&points))?;
        } else if output.json {
            output::json(&json!({
                "version": env!("CARGO_PKG_VERSION"),
                "part": bus.part.name,
                "interface": bus.json(),
                "ways": study.ways,
                "transaction_pages": study.transaction,
                "valid_pages": study.valid,
                "reads_percent": study.reads_percent,
                "requests": study.requests,
                "seed": study.seed,
                "capacity_per_second": study.capacity_per_second()?,
                "points": points,
            }))?;
        } else {
            let note = super::unit::windows_note(bus, ways)?;
            output::text(&format!("{}{note}", text(bus, &study, &points)?))?;
        }
        if points.len() < asked.len() { Err(Failure::Interrupted) } else { Ok(()) }
    }

    /// The study; `valid`: operations between two erases.
    fn study(&self, bus: &Bus, valid: Option<u32>) -> HostLoad {
        let requests = self.requests.unwrap_or(50_000);
        let default = HostLoad::new(bus.timings, requests, self.seed.unwrap_or(1));
        HostLoad {
            ways: self.ways.unwrap_or(default.ways),
            valid: valid.unwrap_or(default.valid),
            transaction: self.transaction.unwrap_or(default.transaction),
            reads_percent: self.reads.unwrap_or(default.reads_percent),
            ..default
        }
    }

    fn points(&self, study: &HostLoad, ways: &[Way]) -> Result<Vec<LoadPoint>, Failure> {
        let planes = ways.first().map_or(1, |way| way.planes);
        let lcb = Way::new(bounds::copyback::CopyPath::Lcb, false, planes);
        let paces = match self.pace.as_slice() {
            [] => {
                let slowest = study.alone_per_second(lcb)?;
                vec![None, Some(((slowest * 0.5) as u64).max(1))]
            }
            given => given.iter().map(|pace| pace.0).collect(),
        };
        let loads = if self.load.is_empty() { &LOADS[..] } else { &self.load };
        let policies = if self.policy.is_empty() { &[Policy::Fifo][..] } else { &self.policy };
        let mut asked = Vec::new();
        for (&policy, &load_percent) in
            policies.iter().flat_map(|policy| loads.iter().map(move |load| (policy, load)))
        {
            asked.push(LoadPoint { way: None, policy, load_percent, pace: None });
            for pace in &paces {
                asked.extend(ways.iter().map(|way| LoadPoint {
                    way: Some(*way),
                    policy,
                    load_percent,
                    pace: *pace,
                }));
            }
        }
        Ok(asked)
    }
}

fn text(bus: &Bus, study: &HostLoad, points: &[Point]) -> Result<String, Failure> {
    let columns = [
        "load",
        "<collection",
        "<arbiter",
        "pace",
        "read mean",
        "p99",
        "p99.9",
        "max",
        "write mean",
        "p99.9",
        "max",
        "pages/s",
        "channel",
    ];
    let us = |ns: f64| format!("{:.0}", ns / 1e3);
    let or_none = |ns: Option<u64>| ns.map_or_else(|| "–".into(), |ns| us(ns as f64));
    let rows = points.iter().map(|point| {
        let (read, write) = (&point.read_ns, &point.write_ns);
        let mark = if point.saturated { " *" } else { "" };
        [
            format!("{}{mark}", point.load_percent),
            point.collection.clone(),
            point.policy.into(),
            point.paced_pages_per_second.map_or_else(|| "–".into(), |pages| pages.to_string()),
            us(read.mean),
            or_none(read.p99),
            or_none(read.p99_9),
            us(read.max as f64),
            us(write.mean),
            or_none(write.p99_9),
            us(write.max as f64),
            format!("{:.0}", point.pages_per_second),
            format!("{:.3}", point.channel_use),
        ]
    });
    Ok(format!(
        "{}one channel of {} ways: collection on the first two, in transactions of {} operations, an erase after {}; host \
         requests of one page on the other {}, {} % reads, Poisson arrivals, {} per point; 100 % is {:.0} per \
             second\n\n{}\n\n\
         Times in µs, from arrival to end. *: the load exceeds the channel's capacity beside collection; such \
             times grow with the run.\npace: limit of copied pages per second; –: no limit. channel: share of \
                 the time in which the bus is held.\n",
        bus.text(),
        study.ways,
        study.transaction,
        study.valid,
        study.ways - 2,
        study.reads_percent,
        study.requests,
        study.capacity_per_second()?,
        table(columns, rows),
    ))
}
