//! What collection on two ways of a channel does to a host that reads and writes on the others.
//!
//! The source of the copy paths argues that a path which takes less of the channel helps the devices that share it
//! (Jeong and Song, §§III.B, VI.E) and measures no such device. Here one channel has some ways. Collection runs on
//! two of them (within one device: on the first), transaction after transaction, with an erase after the valid
//! pages of each victim. Requests of one page arrive at the other ways as a Poisson process, evenly over them.
//!
//! Load is a share of the rate at which, without collection, the bus or the ways (whichever is first) would always be
//! busy. Collection is unpaced (the next transaction begins when the last is over), or paced: no transaction begins
//! before its turn at a given rate of pages, so that paths are compared at the same work.
//!
//! A host that is offered more than the channel can carry beside the collection waits ever longer; such points are
//! marked ([`Point::saturated`]): their times are of the length of the run and no figure of the channel.

use crate::alone::CopyRunError;
use crate::copier::{self, Copier, Loads, Step};
use crate::way::{Way, channels_timing};
use bounds::copyback::{CopyTimings, CopybackError};
use flash::Ns;
use flash::channels::{
    Addressing, BusUse, Channels, Command, Completion, DieAddress, Policy, Request, Topology,
    share_ppm,
};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use serde::Serialize;
use sim::measures::Distribution;
use sim::report::Summary;

/// How the study is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostLoad {
    /// The part and its waits.
    pub timings: CopyTimings,
    /// Ways of the channel, 3 to 64: collection has the first two.
    pub ways: u16,
    /// Pages of a transaction on each plane: operations.
    pub transaction: u32,
    /// Valid pages of a victim on each plane: operations between two erases.
    pub valid: u32,
    /// Share of reads among the requests, per cent.
    pub reads_percent: u32,
    /// Requests a point, 1,000 or more; the first twentieth is not measured.
    pub requests: u32,
    /// Seed of arrivals, kinds and places.
    pub seed: u64,
}

/// One point: who collects how, and how much the host asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadPoint {
    /// How pages are copied; `None`: no collection.
    pub way: Option<Way>,
    /// The way arbiter.
    pub policy: Policy,
    /// Load of the host, per cent of what the channel carries without collection; 1 or more.
    pub load_percent: u32,
    /// Most pages a second that are copied; `None`: without pause.
    pub pace: Option<u64>,
}

/// What was measured at a point.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// `icb`, `gcb + cache`, or `none`.
    pub collection: String,
    /// The way arbiter.
    pub policy: &'static str,
    /// Load of the host, per cent of what the channel carries without collection.
    pub load_percent: u32,
    /// Pages a second at which collection is paced, if it is.
    pub paced_pages_per_second: Option<u64>,
    /// Host requests a second, as they arrive.
    pub offered_per_second: f64,
    /// True where more is offered than the channel carries beside the collection: requests take longer from quarter
    /// to quarter of the run, or pile up.
    pub saturated: bool,
    /// True where both halves of the run have about the same mean response, so that percentiles mean something.
    pub steady: bool,
    /// Response of host reads, ns.
    pub read_ns: Summary,
    /// Response of host writes, ns.
    pub write_ns: Summary,
    /// Pages a second copied while requests arrived.
    pub pages_per_second: f64,
    /// Share of the time in which the bus was held while requests arrived.
    pub channel_use: f64,
    /// The part of that for collection.
    pub channel_use_collection: f64,
}

impl HostLoad {
    /// 8 ways, transactions of 8 pages, 64 valid pages a victim (or half a block), 70 % reads.
    pub fn new(timings: CopyTimings, requests: u32, seed: u64) -> Self {
        let valid = (timings.pages_per_block / 2).max(1);
        let transaction = valid.min(8);
        Self { timings, ways: 8, transaction, valid, reads_percent: 70, requests, seed }
    }

    /// Checks the ranges of the figures.
    ///
    /// # Errors
    /// The first that is outside.
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

    /// Requests a second that the channel carries without collection: until the bus, or the ways of the host, are
    /// always busy.
    ///
    /// # Errors
    /// As [`HostLoad::validate`], and figures that the channels refuse.
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

    /// Pages a second that a way of copying collects on an idle channel, erases included.
    ///
    /// # Errors
    /// As [`HostLoad::validate`].
    pub fn alone_per_second(&self, way: Way) -> Result<f64, CopyRunError> {
        let form = way.closed_form(&self.timings)?;
        let (valid, each) =
            (self.valid * way.planes, self.transaction.min(self.valid) * way.planes);
        Ok(f64::from(valid) * 1e9 / form.collection_ns(valid, each)? as f64)
    }

    /// Measures all points, side by side; in the order asked for. Measuring ends early where `goes_on` says so, and
    /// the points that were not over then are left out.
    ///
    /// # Errors
    /// As [`HostLoad::validate`]; ways of copying that cannot be.
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

/// Host requests as they arrive.
struct Arrivals {
    random: Pcg64,
    mean_gap_ns: f64,
    clock_ns: f64,
    reads_percent: u64,
    ways: u64,
}

impl Arrivals {
    /// A number below `bound`, evenly.
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

/// The collector of a point, and what it has done.
struct Collector {
    copier: Copier,
    transaction: u32,
    valid: u32,
    /// Operations of the victim that are left, and of the transaction under way.
    left: u32,
    under_way: u32,
    /// Operations done.
    done: u64,
    /// Between the turns of two transactions, ns; 0: no pace.
    turn_ns: f64,
    /// Operations whose turn has come.
    begun: u64,
}

impl Collector {
    /// When the next transaction begins that could begin at `at_ns`.
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

/// A point being measured.
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

/// Requests between two looks at whether measuring goes on.
const CHECKED: u64 = 4096;

/// Responses by the quarter of the run in which the request arrived.
#[derive(Clone, Copy, Debug, Default)]
struct Quarters([(u64, Ns); 4]);

impl Quarters {
    /// A request, the `at`th of `all` that are measured.
    fn add(&mut self, at: u64, all: u64, response_ns: Ns) {
        let (count, sum) = &mut self.0[(at * 4 / all.max(1)).min(3) as usize];
        *count += 1;
        *sum += response_ns;
    }

    fn means(&self) -> [f64; 4] {
        self.0.map(|(count, sum)| sum as f64 / count.max(1) as f64)
    }

    /// Whether requests take longer and longer: under a backlog that grows evenly the means are as 1 to 3 to 5 to 7.
    fn grow(&self) -> bool {
        let means = self.means();
        means.is_sorted() && means[3] * 4.0 >= means[1] * 7.0
    }

    /// Whether the two halves agree, to a quarter.
    fn are_steady(&self) -> bool {
        let [a, b, c, d] = self.means();
        let (first, second) = (a + b, c + d);
        (first - second).abs() <= 0.25 * first.min(second)
    }
}

/// Where things stood at a time.
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
            // The same requests whoever collects, stretched by the load.
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

    /// `None` where it is ended early.
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
        // What has arrived is served to the end, with the collection going on beside it.
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
            // What is left over when arrivals end takes long only where it had piled up.
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
