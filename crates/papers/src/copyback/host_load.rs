//! Effect of collection by each path on a host that uses the other ways, over the host load. The paper argues with
//! this case but does not measure it.

use super::ours::{points, timings};
use crate::ddt::Way;
use crate::ddt::host_load::{HostLoad, LoadPoint, Point};
use crate::error::ReproduceError;
use crate::figure::Figure;
use crate::observer::ReproductionObserver;
use crate::settings::{Scale, Settings};
use crate::sheet::{Outcome, Sheet, line};
use bounds::copyback::CopyPath;
use flash::channels::Policy;

/// Host loads as a percentage of the channel's capacity without collection.
const LOADS: [u32; 11] = [5, 15, 25, 35, 50, 65, 75, 80, 85, 90, 95];
/// Loads shown in rows.
const TOLD: [u32; 3] = [25, 65, 80];
/// Load at which rates are shown and arbiter policies compared.
const MIDDLE: u32 = 65;

/// Copy methods to compare.
const WAYS: [Way; 6] = [
    Way::new(CopyPath::Icb, false, 1),
    Way::new(CopyPath::Lcb, false, 1),
    Way::new(CopyPath::Gcb, false, 1),
    Way::new(CopyPath::Dgcb, false, 1),
    Way::new(CopyPath::Gcb, true, 1),
    Way::new(CopyPath::Dgcb, true, 1),
];

pub(super) fn host_load(
    settings: &Settings,
    watch: &dyn ReproductionObserver,
    to: &mut Sheet,
) -> Outcome {
    let requests = if settings.scale == Scale::Quick { 50_000 } else { 1_000_000 };
    let study = HostLoad::new(timings()?, requests, settings.seed);
    let measured = Measured::all(&study, watch)?;
    for (view, name) in VIEWS {
        measured.claims(view, to.say("view", name));
    }
    for (view, name) in VIEWS {
        measured.changes(view, to.say("view", name));
        measured.plots(view, to);
    }
    measured.policies(to);
    for way in WAYS {
        // What each path collects unpaced beside a host.
        let point = measured.at(View::Unpaced, Some(way), MIDDLE);
        to.say("way", way.name()).put_some("pages", point.map(|point| point.pages_per_second));
    }
    to.curves.push(measured.csv());
    to.notes.extend(measured.notes(&study)?);
    Ok(())
}

/// Pacing of the collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Unpaced,
    Paced,
}

const VIEWS: [(View, &str); 2] = [(View::Unpaced, "unpaced"), (View::Paced, "paced")];

/// Without and with cache program.
const CACHED: [(bool, &str); 2] = [(false, ""), (true, " + cache")];

struct Measured {
    /// Pages per second of the paced view.
    pace: u64,
    points: Vec<Point>,
    stopped: bool,
}

impl Measured {
    fn all(study: &HostLoad, watch: &dyn ReproductionObserver) -> Result<Self, ReproduceError> {
        // The slowest path sustains this pace at all but the heaviest loads.
        let pace = (study.alone_per_second(Way::new(CopyPath::Lcb, false, 1))? * 0.5) as u64;
        let mut asked = Vec::new();
        for load_percent in LOADS {
            let point = |way, pace| LoadPoint { way, policy: Policy::Fifo, load_percent, pace };
            asked.push(point(None, None));
            for way in WAYS.map(Some) {
                asked.extend([point(way, None), point(way, Some(pace))]);
            }
        }
        for policy in [Policy::RoundRobin, Policy::ReadFirst] {
            let point = |way| LoadPoint { way, policy, load_percent: MIDDLE, pace: None };
            asked.extend([None].into_iter().chain(WAYS.map(Some)).map(point));
        }
        watch.planned(asked.len() as u64);
        let mut points = Vec::new();
        for chunk in asked.chunks(1 + 2 * WAYS.len()) {
            if watch.stop() {
                break;
            }
            points.extend(study.points(chunk, &|| !watch.stop())?);
            watch.done(chunk.len() as u64);
        }
        let stopped = points.len() < asked.len();
        Ok(Self { pace, points, stopped })
    }

    fn at(&self, view: View, way: Option<Way>, load: u32) -> Option<&Point> {
        let name = way.map_or_else(|| "none".into(), |way| way.name());
        self.points.iter().find(|point| {
            let paced = point.paced_pages_per_second.is_some();
            point.collection == name
                && point.policy == Policy::Fifo.name()
                && point.load_percent == load
                && (way.is_none() || paced == (view == View::Paced))
        })
    }

    /// Time of a point, ns; `None` if it was not measured or the channel is overloaded.
    fn time(&self, view: View, way: Option<Way>, load: u32, of: Time) -> Option<f64> {
        let point = self.at(view, way, load).filter(|point| !point.saturated)?;
        // If the halves of the run differ, a percentile depends on the length of the run.
        if of.name == P99_9.name && !point.steady { None } else { (of.value)(point) }
    }

    /// Rows on the paper's argument: a path with less channel use delays the host less.
    fn claims(&self, view: View, to: &mut Sheet) {
        for (cache, cached) in CACHED {
            for of in [MEAN, P99_9] {
                let time = |load, path| self.time(view, Some(Way::new(path, cache, 1)), load, of);
                let times = |load| {
                    let none = self.time(view, None, load, of)?;
                    Some([none, time(load, CopyPath::Dgcb)?, time(load, CopyPath::Gcb)?])
                };
                let found: Vec<(u32, [f64; 3])> =
                    LOADS.into_iter().filter_map(|load| Some((load, times(load)?))).collect();
                let broken = found.iter().filter(|(_, times)| !times.is_sorted());
                let broken: Vec<String> = broken.map(|(load, _)| format!("{load} %")).collect();
                let at = format!("of {} loads that both can carry", found.len());
                to.say("of", of.name).say("cached", cached).say(
                    "at",
                    match broken.is_empty() {
                        true => at,
                        false => format!("{at}: {}", broken.join(", ")),
                    },
                );
                to.put(
                    "broken",
                    if found.is_empty() { Err(self.why_not()) } else { Ok(broken.len()) },
                );
            }
        }
    }

    /// Rows with the change of DGCB's times against GCB's.
    fn changes(&self, view: View, to: &mut Sheet) {
        for (cache, cached) in CACHED {
            for (of, load) in [MEAN, P99_9].into_iter().flat_map(|of| TOLD.map(|load| (of, load))) {
                let time = |path| self.time(view, Some(Way::new(path, cache, 1)), load, of);
                let change = self.change(time);
                let is_claim = load == MIDDLE && !cache && of.name == P99_9.name && change.is_ok();
                to.say("load", load).say("of", of.name).say("cached", cached);
                to.put(if is_claim { "change-claimed" } else { "change" }, change);
            }
        }
    }

    /// Change by DGCB against GCB, %.
    fn change(&self, time: impl Fn(CopyPath) -> Option<f64>) -> Result<f64, &'static str> {
        let times = time(CopyPath::Dgcb).zip(time(CopyPath::Gcb));
        times.map(|(dgcb, gcb)| (dgcb / gcb - 1.0) * 100.0).ok_or(self.why_not())
    }

    fn why_not(&self) -> &'static str {
        match self.stopped {
            true => "interrupted",
            false => {
                "more is offered than the channel carries beside the collection, or the halves of a run differ"
            }
        }
    }

    /// Rows with the change of DGCB's times against GCB's under the other arbiter policies.
    fn policies(&self, to: &mut Sheet) {
        for policy in [Policy::RoundRobin, Policy::ReadFirst] {
            for (cache, cached) in CACHED {
                let time = |path| {
                    let name = Way::new(path, cache, 1).name();
                    let mut points = self.points.iter();
                    let is =
                        |point: &&Point| point.policy == policy.name() && point.collection == name;
                    let point = points.find(is)?;
                    (P99_9.value)(point).filter(|_| !point.saturated)
                };
                to.say("policy", policy.name()).say("cached", cached);
                to.put("policy", self.change(time));
            }
        }
    }

    fn plots(&self, view: View, to: &mut Sheet) {
        for of in [P99_9, MEAN] {
            let of_ways = [None].into_iter().chain(WAYS.map(Some));
            let curves = of_ways.map(|way| {
                let point = |load| Some((f64::from(load), self.time(view, way, load, of)? / 1e6));
                let name = way.map_or_else(|| "no collection".into(), |way| way.name());
                line(name, LOADS.into_iter().filter_map(point))
            });
            to.say("of", of.name).say("file", of.file).say(
                "pace",
                match view {
                    View::Unpaced => "collection without pause".to_owned(),
                    View::Paced => format!("collection of {} pages per second", self.pace),
                },
            );
            to.curves("host-load-{file}-{view}", curves.collect());
        }
    }

    /// Summary note with the figures of the middle load.
    fn summary(&self) -> Option<String> {
        let change = |view, of| {
            let time = |path| self.time(view, Some(Way::new(path, false, 1)), MIDDLE, of);
            Some((time(CopyPath::Dgcb)? / time(CopyPath::Gcb)? - 1.0) * 100.0)
        };
        let rate = |path| {
            Some(self.at(View::Unpaced, Some(Way::new(path, false, 1)), MIDDLE)?.pages_per_second)
        };
        let figure = |value| Figure::number(value, 0);
        Some(format!(
            "DGCB against GCB at a load of {MIDDLE} %: host reads {} % (mean) and {} % (p99.9) where collection does not pause, \
             with {} against {} pages copied per second; {} % and {} % at equal work. The less room the channel has, the \
             larger the difference",
            figure(change(View::Unpaced, MEAN)?),
            figure(change(View::Unpaced, P99_9)?),
            figure(rate(CopyPath::Dgcb)?),
            figure(rate(CopyPath::Gcb)?),
            figure(change(View::Paced, MEAN)?),
            figure(change(View::Paced, P99_9)?),
        ))
    }

    fn csv(&self) -> crate::reproduction::CurvesFile {
        let mut curves = Vec::new();
        let none = (View::Unpaced, "", None);
        let paths =
            VIEWS.into_iter().flat_map(|(view, name)| WAYS.map(|way| (view, name, Some(way))));
        for (view, name, way) in [none].into_iter().chain(paths) {
            let path = way.map_or_else(|| "no collection".into(), |way| way.name());
            for of in COLUMNS {
                let points = LOADS.into_iter().filter_map(|load| {
                    let point = self.at(view, way, load)?;
                    Some((f64::from(load), (of.value)(point)?))
                });
                curves.push((
                    format!("{path} {name} {}", of.name).replace("  ", " "),
                    points.collect(),
                ));
            }
        }
        points("host-load", "load, %", &curves)
    }

    fn notes(&self, study: &HostLoad) -> Result<Vec<String>, ReproduceError> {
        let reads = study.reads_percent;
        let mut notes = vec![
            format!(
                "one channel of {} ways: collection on two (within one device on one), in transactions of {} pages, an \
                erase after {} valid pages, no bit errors; {} requests per point, of one page on the other {}, {reads} % \
                 reads, Poisson arrivals, FIFO arbiter. Load 100 % is {:.0} requests per second, where the channel \
                 without collection is always busy",
                study.ways,
                study.transaction,
                study.valid,
                study.requests,
                study.ways - 2,
                study.capacity_per_second()?,
            ),
            format!(
                "two views: unpaced, where a faster path collects more in the same time; and paced to the same \
                {} pages per second for all, half of what LCB does on an idle channel",
                self.pace
            ),
            "a point is left out of rows and plots where more is offered than the channel carries beside the collection \
             (its times would be those of the run's length), a percentile also where the halves of a run differ by more \
             than a quarter. One seed: with others p99.9 moves by some points of a hundred"
                .into(),
        ];
        notes.extend(self.summary());
        if self.stopped {
            notes.push("interrupted: points are missing".into());
        }
        Ok(notes)
    }
}

/// Quantity of a point.
#[derive(Clone, Copy)]
struct Time {
    name: &'static str,
    file: &'static str,
    value: fn(&Point) -> Option<f64>,
}

const P99_9: Time = Time {
    name: "reads, p99.9",
    file: "p99.9",
    value: |point| point.read_ns.p99_9.map(|ns| ns as f64),
};
const MEAN: Time =
    Time { name: "reads, mean", file: "mean", value: |point| Some(point.read_ns.mean) };

/// Columns of the CSV file; all but the last three in ns.
const COLUMNS: [Time; 11] = [
    MEAN,
    Time { name: "reads, p99", file: "", value: |point| point.read_ns.p99.map(|ns| ns as f64) },
    P99_9,
    Time { name: "reads, max", file: "", value: |point| Some(point.read_ns.max as f64) },
    Time { name: "writes, mean", file: "", value: |point| Some(point.write_ns.mean) },
    Time { name: "writes, p99", file: "", value: |point| point.write_ns.p99.map(|ns| ns as f64) },
    Time {
        name: "writes, p99.9",
        file: "",
        value: |point| point.write_ns.p99_9.map(|ns| ns as f64),
    },
    Time { name: "writes, max", file: "", value: |point| Some(point.write_ns.max as f64) },
    Time { name: "pages/s", file: "", value: |point| Some(point.pages_per_second) },
    Time { name: "channel use", file: "", value: |point| Some(point.channel_use) },
    Time {
        name: "overloaded",
        file: "",
        value: |point| Some(f64::from(u8::from(point.saturated))),
    },
];
