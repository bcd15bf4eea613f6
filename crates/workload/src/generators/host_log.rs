//! A host that writes its own log into zones, as a file system or database does on a zoned device.
//!
//! An application writes all its pages once, and then pages at random (Zipf) or uniformly. The host writes each to the zone
//! that is open for them, and collects zones itself:
//!
//! ```text
//! write:    program at the write pointer; the older version is invalid
//! collect:  while at most one zone is free: of the full zones take the one with the fewest valid pages,
//!           read them, write them to the zone that is open for moved pages, reset the zone (a trim of all of it)
//! ```
//!
//! A zone is reset before its first write, too. So the requests are right for zones in any state, and a device without zones
//! takes them as well. With `log=no` the application writes the same pages in place instead.

use crate::error::WorkloadError;
use crate::generators::generated::{Access, BATCH, request};
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::pace::{self, Pace};
use crate::generators::ranks::Ranks;
use crate::generators::scramble::Scramble;
use crate::parameters::{Kind, ParameterInfo};
use crate::request::{Op, Request};
use crate::source::{HostLog, Source};
use rand_pcg::Pcg64;
use std::collections::VecDeque;

static LOG: &[ParameterInfo] = &[
    ParameterInfo::bytes(
        "zone",
        "auto",
        "size of a zone, as the scheme's setting `zone`; auto: a block, the scheme's default on one die",
    ),
    ParameterInfo::share(
        "data",
        "0.8",
        "share of the space that the application's pages have; the rest is free for the log",
    ),
    ParameterInfo {
        name: "theta",
        summary: "skew θ of the application: the page of rank r is drawn in proportion to r^-θ; 0 is uniform",
        unit: "",
        kind: Kind::Number { min: 0.0, max: 10.0 },
        default: "0.99",
    },
    ParameterInfo {
        name: "streams",
        summary: "zones written at once: 1 for all pages, or 2, one of them for moved pages (stream 2)",
        unit: "zones",
        kind: Kind::Count { min: 1, max: 2 },
        default: "2",
    },
    ParameterInfo {
        name: "log",
        summary: "write: at write pointers; append: zone appends; no: no log, the application writes in place",
        unit: "",
        kind: Kind::Choice(&["write", "append", "no"]),
        default: "write",
    },
];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "host-log",
    summary: "random overwrites that the host writes as a log into zones, which it collects itself (greedy) and resets",
    parameters: &[LOG, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "M. Rosenblum, J. Ousterhout, The Design and Implementation of a Log-Structured File System, ACM TOCS 10(1), \
             1992, on zones as in M. Bjørling et al., ZNS, USENIX ATC 2021",
    build,
};

/// Zones that are not full of the application's pages: one that is free, two that are open.
const OPEN_AND_FREE: u64 = 3;

/// Most pages of a request that moves pages.
const MOVED_AT_ONCE: u32 = 32;

fn build(build: &Build<'_>) -> Result<Built, WorkloadError> {
    let parameters = build.parameters;
    let page_bytes = u64::from(build.space.page_bytes);
    let block_bytes = page_bytes * u64::from(build.space.pages_per_block);
    let zone_bytes = parameters.bytes("zone").unwrap_or(block_bytes);
    if !zone_bytes.is_multiple_of(page_bytes) {
        return Err(parameters.refuse("zone", format!("a multiple of a page, {page_bytes} bytes")));
    }
    let zone_pages = zone_bytes / page_bytes;
    let zones = build.space.pages() / zone_pages;
    let logs = parameters.text("log") != "no";
    let pages = (build.space.pages() as f64 * parameters.share("data")) as u64;
    let most = if logs { zones.saturating_sub(OPEN_AND_FREE) * zone_pages } else { u64::MAX };
    if logs && zones <= OPEN_AND_FREE {
        let expected = format!("such that more than {OPEN_AND_FREE} zones fit the space");
        return Err(parameters.refuse("zone", expected));
    }
    // One page less: then a full zone has an invalid page whenever one must be collected.
    if pages == 0 || pages >= most {
        let share = most as f64 / build.space.pages() as f64;
        let expected = format!(
            "such that the pages fit: above 0 and below {share:.4}, which leaves {OPEN_AND_FREE} zones to the log"
        );
        return Err(parameters.refuse("data", expected));
    }
    let host = Host {
        rng: build.rng(),
        ranks: Ranks::zipf(pages, parameters.number("theta").unwrap_or_default()),
        scramble: build.scramble(pages),
        pages,
        page_bytes,
        filled: 0,
        tally: HostLog::default(),
        ahead: VecDeque::new(),
        log: logs.then(|| {
            Log::new(
                zones as u32,
                zone_pages as u32,
                pages as usize,
                parameters.count("streams").unwrap_or(1) as usize,
                if parameters.text("log") == "append" { Op::Append } else { Op::Write },
            )
        }),
    };
    let footprint_bytes = if logs { zones * zone_bytes } else { pages * page_bytes };
    let requests = build.requests.or(build.info.requests).unwrap_or_default();
    let source = Requests { host, pace: Pace::new(parameters, build.seed), left: requests };
    Ok(Built { source: Box::new(source), requests, footprint_bytes, notes: Vec::new() })
}

/// A page that is nowhere, or a place without a page.
const NONE: u32 = u32::MAX;

/// The zones of the log.
struct Log {
    zone_pages: u32,
    /// How pages are written.
    op: Op,
    /// Place of each page of the application.
    places: Vec<u32>,
    /// The page at each place whose version there is the newest.
    pages: Vec<u32>,
    /// Valid pages per zone.
    valid: Vec<u32>,
    full: Vec<bool>,
    /// Free zones, the one that has been free for longest first, and whether it was reset.
    free: VecDeque<(u32, bool)>,
    /// Per stream the place that is written next.
    open: Vec<Option<u32>>,
}

impl Log {
    fn new(zones: u32, zone_pages: u32, pages: usize, streams: usize, op: Op) -> Self {
        Self {
            zone_pages,
            op,
            places: vec![NONE; pages],
            pages: vec![NONE; (zones * zone_pages) as usize],
            valid: vec![0; zones as usize],
            full: vec![false; zones as usize],
            free: (0..zones).map(|zone| (zone, false)).collect(),
            open: vec![None; streams],
        }
    }

    /// Bytes of a place, and the offset that a request names for it.
    fn access(&self, place: u32, pages: u32, stream: usize, page_bytes: u64) -> Access {
        let named = if self.op == Op::Append { place - place % self.zone_pages } else { place };
        Access {
            op: self.op,
            offset: u64::from(named) * page_bytes,
            length: u64::from(pages) * page_bytes,
            stream: stream as u8 + 1,
        }
    }

    fn reset(&self, zone: u32, page_bytes: u64) -> Access {
        let bytes = u64::from(self.zone_pages) * page_bytes;
        Access::plain(Op::Trim, u64::from(zone) * bytes, bytes)
    }

    /// Takes a place for a page in the zone of a stream. Opens a zone if there is none, whose reset may come first.
    fn take(&mut self, stream: usize, page: u32, page_bytes: u64) -> (Option<Access>, u32) {
        let (reset, place) = match self.open[stream] {
            Some(place) => (None, place),
            None => {
                let (zone, was_reset) = match self.free.pop_front() {
                    Some(free) => free,
                    None => unreachable!(
                        "a zone is free before pages are written, and collection keeps one"
                    ),
                };
                let reset = (!was_reset).then(|| self.reset(zone, page_bytes));
                (reset, zone * self.zone_pages)
            }
        };
        let zone = place / self.zone_pages;
        let next = place + 1;
        self.full[zone as usize] = next.is_multiple_of(self.zone_pages);
        self.open[stream] = (!self.full[zone as usize]).then_some(next);
        let old = std::mem::replace(&mut self.places[page as usize], place);
        if old != NONE {
            self.pages[old as usize] = NONE;
            self.valid[(old / self.zone_pages) as usize] -= 1;
        }
        self.pages[place as usize] = page;
        self.valid[zone as usize] += 1;
        (reset, place)
    }

    /// The full zone with the fewest valid pages; of several the first.
    fn victim(&self) -> u32 {
        let full = (0..self.valid.len()).filter(|zone| self.full[*zone]);
        full.min_by_key(|zone| self.valid[*zone]).unwrap_or(0) as u32
    }

    /// Moves the valid pages of a zone and resets it.
    fn collect(&mut self, page_bytes: u64, out: &mut VecDeque<Ahead>) {
        let (zone, stream) = (self.victim(), self.open.len() - 1);
        let (first, mut at) = (zone * self.zone_pages, 0);
        while at < self.zone_pages {
            let mut run = 0;
            while run < MOVED_AT_ONCE
                && at + run < self.zone_pages
                && self.pages[(first + at + run) as usize] != NONE
            {
                run += 1;
            }
            if run == 0 {
                at += 1;
                continue;
            }
            let offset = u64::from(first + at) * page_bytes;
            let length = u64::from(run) * page_bytes;
            out.push_back((Access::plain(Op::Read, offset, length), HostLog::default()));
            // The run goes on in another zone where one ends.
            let mut pending: Option<(u32, u32)> = None;
            for from in first + at..first + at + run {
                let page = self.pages[from as usize];
                let (reset, place) = self.take(stream, page, page_bytes);
                match &mut pending {
                    Some((start, pages))
                        if *start + *pages == place && place % self.zone_pages > 0 =>
                    {
                        *pages += 1;
                    }
                    _ => {
                        let ended = pending.replace((place, 1));
                        out.extend(ended.map(|run| self.moved(run, stream, page_bytes)));
                        out.extend(reset.map(|reset| (reset, HostLog::default())));
                    }
                }
            }
            out.extend(pending.map(|run| self.moved(run, stream, page_bytes)));
            at += run;
        }
        let collected = HostLog { collected_zones: 1, ..HostLog::default() };
        out.push_back((self.reset(zone, page_bytes), collected));
        self.full[zone as usize] = false;
        self.free.push_back((zone, true));
    }

    /// The write of a run of moved pages.
    fn moved(&self, (start, pages): (u32, u32), stream: usize, page_bytes: u64) -> Ahead {
        let access = self.access(start, pages, stream, page_bytes);
        (access, HostLog { moved_bytes: access.length, ..HostLog::default() })
    }
}

/// A request that comes later, and what it adds to the tally.
type Ahead = (Access, HostLog);

/// The application and the host.
struct Host {
    rng: Pcg64,
    ranks: Ranks,
    scramble: Scramble,
    /// Pages of the application.
    pages: u64,
    page_bytes: u64,
    /// Pages that it has written once.
    filled: u64,
    tally: HostLog,
    /// Requests that come next.
    ahead: VecDeque<Ahead>,
    log: Option<Log>,
}

impl Host {
    fn next(&mut self) -> Access {
        if self.ahead.is_empty() {
            self.write();
        }
        match self.ahead.pop_front() {
            Some((access, tally)) => {
                self.tally = self.tally.and(tally);
                access
            }
            None => unreachable!("a write of the application is at least one request"),
        }
    }

    /// The application writes a page: collections that are due, the reset of a zone that is opened, the write.
    fn write(&mut self) {
        let page = if self.filled < self.pages {
            self.filled += 1;
            self.filled - 1
        } else {
            self.scramble.apply(self.ranks.draw(&mut self.rng))
        };
        let written = HostLog { application_bytes: self.page_bytes, ..HostLog::default() };
        let Some(log) = &mut self.log else {
            let offset = page * self.page_bytes;
            let access = Access { op: Op::Write, offset, length: self.page_bytes, stream: 1 };
            return self.ahead.push_back((access, written));
        };
        while log.free.len() <= 1 {
            log.collect(self.page_bytes, &mut self.ahead);
        }
        let (reset, place) = log.take(0, page as u32, self.page_bytes);
        self.ahead.extend(reset.map(|reset| (reset, HostLog::default())));
        self.ahead.push_back((log.access(place, 1, 0, self.page_bytes), written));
    }
}

struct Requests {
    host: Host,
    pace: Pace,
    left: u64,
}

impl Source for Requests {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let batch = max.min(BATCH).min(usize::try_from(self.left).unwrap_or(BATCH));
        let paced = self.pace.is_set();
        out.extend((0..batch).map(|_| {
            let access = self.host.next();
            request(access, if paced { self.pace.next_arrival() } else { 0 })
        }));
        self.left -= batch as u64;
        Ok(batch)
    }

    fn has_arrivals(&self) -> bool {
        self.pace.is_set()
    }

    fn span_ns(&self) -> Option<f64> {
        self.pace.span_ns(self.left)
    }

    fn host_log(&self) -> Option<HostLog> {
        Some(self.host.tally)
    }

    fn len_hint(&self) -> Option<u64> {
        Some(self.left)
    }
}

#[cfg(test)]
mod tests;
