//! Effect of collection on two ways of a channel on a host that uses the other ways.
//!
//! Jeong and Song (§§III.B, VI.E) argue that a copy path with less channel use helps the devices on the same channel.
//! They do not measure such a device. This study does, on one channel with several ways.
//!
//! - Collection runs on the first two ways, or on the first way for copies within one device. It runs transaction
//!   after transaction, with an erase after the valid pages of each victim.
//! - Host requests of one page arrive at the other ways as a Poisson process, distributed evenly over them.
//! - Load 100 % is the request rate at which, without collection, the bus or the host's ways saturate, whichever is
//!   first.
//! - Unpaced collection begins the next transaction when the previous one ends. Paced collection limits the rate of
//!   copied pages, so that paths are compared at equal work.
//!
//! If the host offers more than the channel carries beside the collection, response times grow without bound. Such
//! points are marked ([`Point::saturated`]): their times depend on the length of the run and do not characterise the
//! channel.

use crate::ddt::alone::CopyRunError;
use crate::ddt::copier::{self, Copier, Loads, Step};
use crate::ddt::way::{Way, channels_timing};
use bounds::copyback::{CopyTimings, CopybackError};
use flash::Ns;
use flash::channels::{
    Addressing, BusUse, Channels, Command, Completion, DieAddress, Policy, Request, Topology,
    share_ppm,
};
use lab::measures::Distribution;
use lab::report::Summary;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use serde::Serialize;

/// Parameters of the study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLoad {
    /// Times of the part and its waits.
    pub timings: CopyTimings,
    /// Ways of the channel, 3 to 64; collection uses the first two, the host the others.
    pub ways: u16,
    /// Operations per transaction: pages per plane.
    pub transaction: u32,
    /// Operations between two erases: valid pages per victim and plane.
    pub valid: u32,
    /// Percentage of reads among the requests.
    pub reads_percent: u32,
    /// Requests per point, 1,000 or more; the first twentieth is warm-up and not measured.
    pub requests: u32,
    /// Seed of arrival times, request kinds and ways.
    pub seed: u64,
}

/// Settings of one point: copy method, arbiter, host load and pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadPoint {
    /// Copy method; `None`: no collection.
    pub way: Option<Way>,
    /// Policy of the way arbiter.
    pub policy: Policy,
    /// Host load as a percentage of the channel's capacity without collection; 1 or more.
    pub load_percent: u32,
    /// Maximum pages copied per second; `None`: unpaced.
    pub pace: Option<u64>,
}

/// Measurements of one point.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Point {
    /// Name of the copy method such as `icb`, `gcb + cache`; or `none`.
    pub collection: String,
    /// Policy of the way arbiter.
    pub policy: &'static str,
    /// Host load as a percentage of the channel's capacity without collection.
    pub load_percent: u32,
    /// Pace of the collection in pages per second; `None`: unpaced.
    pub paced_pages_per_second: Option<u64>,
    /// Arrival rate of host requests, per second.
    pub offered_per_second: f64,
    /// True if the host offers more than the channel carries beside the collection. Detected if response times grow
    /// from quarter to quarter of the run, or if requests pile up.
    pub saturated: bool,
    /// True if the mean response times of both halves of the run differ by at most 25 %, so that percentiles are
    /// meaningful.
    pub steady: bool,
    /// Response times of host reads, ns.
    pub read_ns: Summary,
    /// Response times of host writes, ns.
    pub write_ns: Summary,
    /// Pages copied per second while requests arrive.
    pub pages_per_second: f64,
    /// Share of time in which the bus is held while requests arrive.
    pub channel_use: f64,
    /// Share of time in which collection holds the bus.
    pub channel_use_collection: f64,
}

impl HostLoad {
    /// Default study: 8 ways, half of each victim's pages valid, transactions of 8 pages (or of all valid pages if
    /// fewer), 70 % reads.
    pub fn new(timings: CopyTimings, requests: u32, seed: u64) -> Self {
        let valid = (timings.pages_per_block / 2).max(1);
        let transaction = valid.min(8);
        Self { timings, ways: 8, transaction, valid, reads_percent: 70, requests, seed }
    }

    /// Checks the ranges of the parameters.
    ///
    /// # Errors
    /// The first parameter outside its range.
    pub fn validate(&self) -> Result<(), CopybackError> {
        self.timings.validate()?;
        let block = u64::from(self.timings.pages_per_block);
        let figures = [
            ("ways", u64::from(self.ways), 3, 64),
            ("valid pages", self.valid.into(), 1, block),
            ("transaction", self.transaction.into(), 1, block),
            ("reads, per cent,", self.reads_percent.into(), 0, 100),
            ("requests", self.requests.into(), 1_000, u64::from(u32::MAX)),
        ];
        for (field, found, least, most) in figures {
            if !(least..=most).contains(&found) {
                return Err(CopybackError::Figure { field, least, most, found });
            }
        }
        Ok(())
    }

    /// Maximum requests per second without collection, at which the bus or the host's ways are always busy.
    ///
    /// # Errors
    /// As [`HostLoad::validate`], and parameters that the channels reject.
    pub fn capacity_per_second(&self) -> Result<f64, CopyRunError> {
        self.validate()?;
        let channels =
            Channels::new(self.topology(1), channels_timing(&self.timings), Policy::Fifo)?;
        let mix = |of: &dyn Fn(Command) -> Ns| {
            let reads = f64::from(self.reads_percent) / 100.0;
            reads * of(Command::Read) as f64 + (1.0 - reads) * of(Command::Program) as f64
        };
        let bus = mix(&|command| channels.bus_ns(command, 1));
        let way = mix(&|command| channels.alone_ns(command, 1)) / f64::from(self.ways - 2);
        Ok(1e9 / bus.max(way))
    }

    /// Pages per second that `way` collects on an idle channel, erases included.
    ///
    /// # Errors
    /// As [`HostLoad::validate`].
    pub fn alone_per_second(&self, way: Way) -> Result<f64, CopyRunError> {
        let form = way.closed_form(&self.timings)?;
        let (valid, each) =
            (self.valid * way.planes, self.transaction.min(self.valid) * way.planes);
        Ok(f64::from(valid) * 1e9 / form.collection_ns(valid, each)? as f64)
    }

    /// Measures all points in parallel and returns them in the order of `asked`. Measuring stops when `goes_on`
    /// returns false; unfinished points are omitted.
    ///
    /// # Errors
    /// As [`HostLoad::validate`]; invalid copy methods.
    pub fn points(
        &self,
        asked: &[LoadPoint],
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Point>, CopyRunError> {
        let capacity = self.capacity_per_second()?;
        let measure = |asked: &LoadPoint| Run::new(self, *asked, capacity)?.run(goes_on);
        let all = asked.par_iter().filter(|_| goes_on());
        all.filter_map(|asked| measure(asked).transpose()).collect()
    }

    fn topology(&self, planes: u32) -> Topology {
        Topology {
            channels: 1,
            ways: self.ways,
            dies: 1,
            planes: planes as u16,
            blocks_per_plane: copier::BLOCKS_PER_PLANE,
            pages_per_block: self.timings.pages_per_block.max(2),
            paired_blocks: true,
        }
    }
}

/// Generator of host requests.
struct Arrivals {
    random: Pcg64,
    mean_gap_ns: f64,
    clock_ns: f64,
    reads_percent: u64,
    ways: u64,
}

impl Arrivals {
    /// Uniform random number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.random.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    fn next(&mut self, tag: u64) -> Request {
        let unit = ((self.random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        self.clock_ns -= libm::log(unit) * self.mean_gap_ns;
        let read = self.below(100) < self.reads_percent;
        let way = 2 + self.below(self.ways - 2) as u16;
        Request {
            arrival_ns: self.clock_ns as Ns,
            tag,
            die: DieAddress { channel: 0, way, die: 0 },
            command: if read { Command::Read } else { Command::Program },
            pages: copier::pages(1, 0, 0),
            repair_ns: 0,
        }
    }
}

/// State of a point's collection.
struct Collector {
    copier: Copier,
    transaction: u32,
    valid: u32,
    /// Operations left of the victim, and operations of the current transaction.
    left: u32,
    under_way: u32,
    done: u64,
    /// Time per operation at the given pace, ns; 0: unpaced.
    turn_ns: f64,
    /// Operations of all transactions begun so far.
    begun: u64,
}

impl Collector {
    /// Begin of the next transaction, at `at_ns` or later if paced.
    fn turn(&self, at_ns: Ns) -> Ns {
        at_ns.max((self.begun as f64 * self.turn_ns) as Ns)
    }

    fn begin(&mut self, channels: &mut Channels<Loads>, at_ns: Ns) -> Result<(), CopyRunError> {
        self.under_way = self.transaction.min(self.left);
        self.copier.begin(channels, self.turn(at_ns), self.under_way)?;
        self.begun += u64::from(self.under_way);
        Ok(())
    }

    fn step(
        &mut self,
        channels: &mut Channels<Loads>,
        done: &Completion,
    ) -> Result<(), CopyRunError> {
        match self.copier.done(channels, done)? {
            Step::GoesOn | Step::SourceFree => return Ok(()),
            Step::Over => {
                self.done += u64::from(self.under_way);
                self.left -= self.under_way;
            }
            Step::Erased => self.left = self.valid,
        }
        match self.left {
            0 => Ok(self.copier.erase(channels, done.done_ns)?),
            _ => self.begin(channels, done.done_ns),
        }
    }

    fn pages(&self) -> u64 {
        self.done * u64::from(self.copier.planes())
    }
}

/// Measurement of one point.
struct Run<'a> {
    study: &'a HostLoad,
    asked: LoadPoint,
    channels: Channels<Loads>,
    arrivals: Arrivals,
    collector: Option<Collector>,
    warm: u64,
    read: Distribution,
    write: Distribution,
    quarters: Quarters,
    offered_per_second: f64,
}

/// Number of requests between two calls of `goes_on`.
const CHECKED: u64 = 4096;

/// Count and sum of response times per quarter of the run, by arrival.
#[derive(Clone, Copy, Debug, Default)]
struct Quarters([(u64, Ns); 4]);

impl Quarters {
    /// Adds the response time of request `at` of `all` measured requests.
    fn add(&mut self, at: u64, all: u64, response_ns: Ns) {
        let (count, sum) = &mut self.0[(at * 4 / all.max(1)).min(3) as usize];
        *count += 1;
        *sum += response_ns;
    }

    fn means(&self) -> [f64; 4] {
        self.0.map(|(count, sum)| sum as f64 / count.max(1) as f64)
    }

    /// True if response times grow steadily. With a backlog that grows linearly the quarters' means are in the ratio
    /// 1 : 3 : 5 : 7.
    fn grow(&self) -> bool {
        let means = self.means();
        means.is_sorted() && means[3] * 4.0 >= means[1] * 7.0
    }

    /// True if the halves' means differ by at most a quarter of the smaller.
    fn are_steady(&self) -> bool {
        let [a, b, c, d] = self.means();
        let (first, second) = (a + b, c + d);
        (first - second).abs() <= 0.25 * first.min(second)
    }
}

/// Counters at one instant.
struct Mark {
    at_ns: Ns,
    pages: u64,
    host: BusUse,
    collection: BusUse,
}

impl<'a> Run<'a> {
    fn new(study: &'a HostLoad, asked: LoadPoint, capacity: f64) -> Result<Self, CopyRunError> {
        let planes = asked.way.map_or(1, |way| way.planes);
        let timing = channels_timing(&study.timings);
        let topology = study.topology(planes);
        let channels = Channels::watched(topology, timing, asked.policy, Loads::default())?;
        let offered_per_second = capacity * f64::from(asked.load_percent) / 100.0;
        let collector = asked.way.map(|way| -> Result<_, CopyRunError> {
            let rate = |pages: u64| 1e9 * f64::from(way.planes) / pages.max(1) as f64;
            Ok(Collector {
                copier: Copier::new(way, &study.timings, Addressing::AfterRead)?,
                transaction: study.transaction,
                valid: study.valid,
                left: study.valid,
                under_way: 0,
                done: 0,
                turn_ns: asked.pace.map_or(0.0, rate),
                begun: 0,
            })
        });
        Ok(Self {
            study,
            asked,
            channels,
            // All collection methods see the same requests; only the gaps scale with the load.
            arrivals: Arrivals {
                random: Pcg64::seed_from_u64(study.seed),
                mean_gap_ns: 1e9 / offered_per_second,
                clock_ns: 0.0,
                reads_percent: study.reads_percent.into(),
                ways: study.ways.into(),
            },
            collector: collector.transpose()?,
            warm: u64::from(study.requests / 20),
            read: Distribution::new(),
            write: Distribution::new(),
            quarters: Quarters::default(),
            offered_per_second,
        })
    }

    /// Returns `None` if `goes_on` stops the run.
    fn run(mut self, goes_on: &dyn Fn() -> bool) -> Result<Option<Point>, CopyRunError> {
        if let Some(collector) = &mut self.collector {
            collector.begin(&mut self.channels, 0)?;
        }
        let requests = u64::from(self.study.requests);
        let (mut from, mut last_ns) = (self.mark(0), 0);
        for tag in 0..requests {
            if tag % CHECKED == 0 && !goes_on() {
                return Ok(None);
            }
            let request = self.arrivals.next(tag);
            while let Some(done) = self.next_until(request.arrival_ns)? {
                self.take(&done)?;
            }
            if tag == self.warm {
                from = self.mark(request.arrival_ns);
            }
            last_ns = request.arrival_ns;
            self.channels.submit(&request)?;
        }
        let to = self.mark(last_ns);
        // Requests that have arrived are served to completion, while collection continues.
        let measured = requests - self.warm;
        let mut end_ns = last_ns;
        while self.read.count() + self.write.count() < measured {
            if (self.read.count() + self.write.count()).is_multiple_of(CHECKED) && !goes_on() {
                return Ok(None);
            }
            let Some(done) = self.next_until(Ns::MAX)? else { break };
            self.take(&done)?;
            end_ns = done.done_ns;
        }
        Ok(Some(self.point(&from, &to, end_ns)))
    }

    fn next_until(&mut self, limit_ns: Ns) -> Result<Option<Completion>, CopyRunError> {
        Ok(match &mut self.collector {
            Some(collector) => collector.copier.next_until(&mut self.channels, limit_ns)?,
            None => self.channels.next_completion_until(limit_ns),
        })
    }

    fn take(&mut self, done: &Completion) -> Result<(), CopyRunError> {
        if Copier::owns(done) {
            return match &mut self.collector {
                Some(collector) => collector.step(&mut self.channels, done),
                None => Ok(()),
            };
        }
        if done.tag >= self.warm {
            let to = if done.command.is_read() { &mut self.read } else { &mut self.write };
            let response_ns = done.done_ns - done.arrival_ns;
            to.record(response_ns, 1);
            let all = u64::from(self.study.requests) - self.warm;
            self.quarters.add(done.tag - self.warm, all, response_ns);
        }
        Ok(())
    }

    fn mark(&self, at_ns: Ns) -> Mark {
        let way = |way| self.channels.way_use(0, way).unwrap_or_default().bus;
        let sum = |ways: std::ops::Range<u16>| {
            ways.map(way).fold(BusUse::default(), |sum, each| BusUse {
                command_ns: sum.command_ns + each.command_ns,
                data_in_ns: sum.data_in_ns + each.data_in_ns,
                data_out_ns: sum.data_out_ns + each.data_out_ns,
                grants: sum.grants + each.grants,
                waited_ns: sum.waited_ns + each.waited_ns,
            })
        };
        let pages = self.collector.as_ref().map_or(0, Collector::pages);
        Mark { at_ns, pages, host: sum(2..self.study.ways), collection: sum(0..2) }
    }

    fn point(self, from: &Mark, to: &Mark, end_ns: Ns) -> Point {
        let span = (to.at_ns - from.at_ns).max(1);
        let share = |busy: Ns| share_ppm(busy, span) as f64 / 1e6;
        let collection = to.collection.busy_ns() - from.collection.busy_ns();
        let host = to.host.busy_ns() - from.host.busy_ns();
        Point {
            collection: self.asked.way.map_or_else(|| "none".into(), |way| way.name()),
            policy: self.asked.policy.name(),
            load_percent: self.asked.load_percent,
            paced_pages_per_second: self.asked.way.and(self.asked.pace),
            offered_per_second: self.offered_per_second,
            // Draining takes long only if requests have piled up.
            saturated: (end_ns - to.at_ns) * 50 > to.at_ns || self.quarters.grow(),
            steady: self.quarters.are_steady(),
            read_ns: self.read.summary(),
            write_ns: self.write.summary(),
            pages_per_second: (to.pages - from.pages) as f64 * 1e9 / span as f64,
            channel_use: share(collection + host),
            channel_use_collection: share(collection),
        }
    }
}

#[cfg(test)]
mod tests;
