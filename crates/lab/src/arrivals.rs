//! Arrivals that a delay is asked for: of a trace, or declared.

use crate::config::{OneAtATime, Sketch, with_unit};
use crate::curves::Curves as Gathered;
use crate::division::Division;
use ::run::report::units;
use bounds::arrivals::Arrivals;
use bounds::service::{Delay, Service, delay_up_to};
use ftl::Plan;
use report::plots::{Curve, Curves, Drawn};
use serde_json::Value;

/// How declared arrivals are written, for errors.
pub const HOW: &str = "writes=bucket:PAGES:RATE/s or writes=periodic:PERIOD:PAGES[:JITTER], reads= and trims= likewise, separated by commas";

/// What serves page tasks one after the other, in order of arrival: a scheme on one device, or on an SSD with one request at a
/// time, whose link the requests cross, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    /// Longest times of page tasks, link included.
    pub service: Service,
    /// Time of the link with a request without data, ns.
    bare_ns: u64,
    flushes_are_free: bool,
}

impl Server {
    /// That of a scheme with this plan; `added`: what an SSD adds to its page tasks.
    ///
    /// # Errors
    /// Why its page tasks have no bound.
    pub fn new(plan: &Plan, added: OneAtATime) -> Result<Self, String> {
        let Service { read_ns, write_ns, step_ns, collections } = plan.service()?;
        let link = added.link;
        let service = Service {
            read_ns: added.of(read_ns).saturating_add(link.read_ns),
            write_ns: added.of(write_ns).saturating_add(link.write_ns),
            step_ns: added.of(step_ns),
            // What is known of collections in a row counts copies as one device makes them.
            collections: collections.filter(|_| added.of(1) == 1),
        };
        let flushes_are_free = plan.guarantee.flushes_are_free();
        Ok(Self { service, bare_ns: link.bare_ns, flushes_are_free })
    }
}

/// The most page tasks of each kind that arrive within any window.
#[derive(Clone, Debug)]
pub struct TaskArrivals {
    /// Page writes.
    pub writes: Arrivals,
    /// Page reads.
    pub reads: Arrivals,
    /// Trims of pages.
    pub trims: Arrivals,
    /// True if some requests are flushes or forced writes.
    pub flushes: bool,
    /// True if some requests have no page task, such as a trim of less than a page.
    pub bare: bool,
}

impl TaskArrivals {
    /// Those of a trace, for pages of as many bytes as it was cut into.
    pub fn of_trace(curves: &Gathered) -> Self {
        let [writes, reads, trims] =
            curves.kinds.each_ref().map(|(_, curve)| Arrivals::Gathered(curve.clone()));
        Self { writes, reads, trims, flushes: curves.flushes > 0, bare: curves.without_tasks > 0 }
    }

    /// True for a text of [`TaskArrivals::declared`]; otherwise it is the name of a file.
    pub fn is_declared(text: &str) -> bool {
        ["writes=", "reads=", "trims="].iter().any(|start| text.trim_start().starts_with(start))
    }

    /// Declared arrivals, such as `writes=bucket:64:500/s,reads=periodic:10ms:8:2ms`: no window holds more than 64 page writes
    /// and 500 per second of its length; 8 page reads are due every 10 ms, and come at most 2 ms later. Those of one kind add up.
    ///
    /// # Errors
    /// What is wrong, and what would be right.
    pub fn declared(text: &str) -> Result<Self, String> {
        let [mut writes, mut reads, mut trims] = [const { Vec::new() }; 3];
        for part in text.split(',').map(str::trim) {
            let wrong = |why: &str| format!("`{part}`: {why}; expected {HOW}");
            let (kind, what) = match part.split_once('=') {
                Some(("writes", what)) => (&mut writes, what),
                Some(("reads", what)) => (&mut reads, what),
                Some(("trims", what)) => (&mut trims, what),
                _ => return Err(wrong("unknown")),
            };
            kind.push(stream(what).map_err(|why| wrong(&why))?);
        }
        let [writes, reads, trims] = [writes, reads, trims].map(Arrivals::Sum);
        Ok(Self { writes, reads, trims, flushes: false, bare: false })
    }

    /// What is proved of these arrivals on a scheme.
    ///
    /// # Errors
    /// Why nothing is.
    pub fn delay_on(&self, row: &Division) -> Result<Delay, String> {
        self.delay(&row.server()?, u64::MAX)
    }

    /// As [`TaskArrivals::delay_on`], for delays of up to `most_ns`.
    ///
    /// # Errors
    /// Why nothing is proved.
    pub fn delay(&self, server: &Server, most_ns: u64) -> Result<Delay, String> {
        if self.flushes && !server.flushes_are_free {
            return Err("flushes and forced writes of the trace write what is in RAM, which no bound covers".into());
        }
        if self.bare && server.bare_ns > 0 {
            return Err(
                "requests without page tasks, such as flushes, take time on the link and are in no curve".into()
            );
        }
        let [writes, reads] = self.taken(server);
        delay_up_to(&server.service, &writes, &reads, most_ns).map_err(|error| error.to_string())
    }

    /// What is taken for page writes and for page reads: schemes whose collections are known do nothing for a trim, whose command
    /// takes no longer on the link than a read; of the others a trim is taken for a write.
    fn taken(&self, server: &Server) -> [Arrivals; 2] {
        let with_trims = |of: &Arrivals| Arrivals::Sum(vec![of.clone(), self.trims.clone()]);
        match (server.service.collections, server.bare_ns) {
            (Some(_), 0) => [self.writes.clone(), self.reads.clone()],
            (Some(_), _) => [self.writes.clone(), with_trims(&self.reads)],
            (None, _) => [with_trims(&self.writes), self.reads.clone()],
        }
    }

    /// The arrival curve, the service curve of these arrivals on a scheme, and their largest horizontal deviation, which is the delay.
    ///
    /// Both curves are of page tasks over the length of a window: so many at most have arrived; and so many are done, if these came at its
    /// beginning.
    pub fn drawing(&self, server: &Server, found: &Delay, scheme: &str) -> Curves {
        let ([written, read], service) = (self.taken(server), &server.service);
        let shown_ns = found.busy_ns.min((found.window_ns + found.delay_ns).saturating_mul(2));
        let (mut arrived, mut done) = (vec![(0.0, 0.0)], vec![(0.0, 0.0)]);
        let ms = |ns: u64| ns as f64 / 1e6;
        let mut window_ns = 0;
        while window_ns <= shown_ns {
            let (writes, reads) = (written.most_within(window_ns), read.most_within(window_ns));
            let tasks = (writes + reads) as f64;
            let before = arrived.last().map_or(0.0, |last| last.1);
            arrived.extend([(ms(window_ns), before), (ms(window_ns), tasks)]);
            done.push((ms(service.tasks_ns(writes, reads)), tasks));
            let grows = written.next_after(window_ns).min(read.next_after(window_ns));
            let mut next_ns = grows.max(window_ns + shown_ns / MOST_DRAWN);
            if window_ns < found.window_ns {
                next_ns = next_ns.min(found.window_ns);
            }
            if next_ns == u64::MAX {
                break;
            }
            window_ns = next_ns.max(window_ns + 1);
        }
        let end = (ms(shown_ns), arrived.last().map_or(0.0, |last| last.1));
        arrived.push(end);
        let at = written.most_within(found.window_ns) + read.most_within(found.window_ns);
        let deviation = [found.window_ns, found.window_ns + found.delay_ns];
        let curve = |name: &str, note: String, points| Curve {
            name: name.into(),
            note,
            points,
            drawn: Drawn::Line,
        };
        Curves {
            caption: format!("Longest delay with queueing, {scheme}"),
            x_label: "length of the window, ms",
            y_label: "page tasks",
            log_x: false,
            log_y: false,
            curves: vec![
                curve("arrival curve", "most that arrive within".into(), arrived),
                curve("service curve", "done at the latest".into(), done),
                curve(
                    "delay D",
                    format!("{}: proved", units::time(found.delay_ns as f64)),
                    deviation.map(|ns| (ms(ns), at as f64)).into(),
                ),
            ],
        }
    }
}

/// Windows that a drawing shows, at most.
const MOST_DRAWN: u64 = 400;

/// One stream of page tasks of a kind.
fn stream(text: &str) -> Result<Arrivals, String> {
    let count = |text: &str| match text.parse::<u64>() {
        Ok(pages) if (1..=u64::from(u32::MAX)).contains(&pages) => Ok(pages),
        _ => Err(format!("`{text}` is no number of pages from 1 to 4294967295")),
    };
    let time = |text: &str| with_unit(text).map(|time| time.0);
    let fields: Vec<&str> = text.split(':').collect();
    match fields[..] {
        ["bucket", pages, rate] => {
            let per_second = rate.strip_suffix("/s").and_then(|rate| rate.parse::<f64>().ok());
            let Some(rate) = per_second.filter(|rate| (1e-6..=1e9).contains(rate)) else {
                return Err(format!("`{rate}` is no rate of 0.000001/s to 1000000000/s"));
            };
            // Rounded to no slower arrivals.
            let (pages, ns_per_page) = (count(pages)?, (1e9 / rate) as u64);
            match pages.checked_mul(ns_per_page) {
                Some(_) => Ok(Arrivals::bucket(pages, ns_per_page)),
                None => {
                    Err(format!("`{text}`: {pages} pages at that rate take longer than 584 years"))
                }
            }
        }
        ["periodic", period, pages, ref jitter @ ..] if jitter.len() <= 1 => {
            let period_ns = time(period)?;
            if period_ns == 0 {
                return Err(format!("the period `{period}` must be above 0"));
            }
            let jitter_ns = jitter.first().map_or(Ok(0), |jitter| time(jitter))?;
            Ok(Arrivals::Periodic { pages: count(pages)?, period_ns, jitter_ns })
        }
        _ => Err(format!("`{text}` is no bucket and not periodic")),
    }
}

/// What is proved, as an object.
pub fn json(row: &Division, found: &Result<Delay, String>, deadline_ns: Option<u64>) -> Value {
    let scheme = row.scheme();
    match found {
        Err(why) => serde_json::json!({ "scheme": scheme, "delay_ns": null, "why_not": why }),
        Ok(found) => serde_json::json!({
            "scheme": scheme,
            "delay_ns": found.delay_ns,
            "window_ns": found.window_ns,
            "backlog_pages": found.backlog_pages,
            "busy_ns": found.busy_ns,
            "by": proved_by(row),
            "keeps_deadline": deadline_ns.map(|deadline_ns| found.delay_ns <= deadline_ns),
            "why_not": null,
        }),
    }
}

/// What the delay on a scheme rests on.
pub fn proved_by(row: &Division) -> &'static str {
    match row.server() {
        Ok(server) if server.service.collections.is_some() => "collections in a row",
        _ => "each page task",
    }
}

impl Division {
    /// What serves requests that queue, or why nothing is proved of it.
    ///
    /// # Errors
    /// The reason.
    pub fn server(&self) -> Result<Server, String> {
        let plan = self.plan.as_ref().map_err(String::clone)?;
        Server::new(plan, self.added?)
    }
}

impl Sketch {
    /// What serves requests that queue, as far as that is proved.
    ///
    /// # Errors
    /// Why nothing is.
    pub fn server(&self) -> Result<Server, String> {
        Server::new(&self.scheme.plan, self.added()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SchemeChoice;
    use ::run::ssd::LinkTimes;
    use flash::parts::EVALUATION_SLC;

    const SLC: flash::SlcMode =
        flash::SlcMode { t_r_ns: 25_000, t_prog_ns: 300_000, t_bers_ns: 2_000_000 };

    #[test]
    fn declared_arrivals_are_read() {
        let text = "writes=bucket:64:500/s, reads=periodic:10ms:8:2ms,writes=periodic:1s:3,trims=bucket:2:1/s";
        let found = TaskArrivals::declared(text).unwrap();
        assert!(TaskArrivals::is_declared(text) && !TaskArrivals::is_declared("trace.csv"));
        let counts = |arrivals: &Arrivals| {
            [0, 1_999_999, 2_000_000, 8_000_000, 1_000_000_000].map(|ns| arrivals.most_within(ns))
        };
        assert_eq!(counts(&found.writes), [67, 67, 68, 71, 64 + 500 + 6]);
        assert_eq!(counts(&found.reads), [8, 8, 8, 16, 8 * 101]);
        assert_eq!(counts(&found.trims), [2, 2, 2, 2, 3]);
    }

    #[test]
    fn the_drawn_deviation_is_the_delay() {
        let rows = Division::all(&EVALUATION_SLC, 1024);
        for (text, scheme) in [
            ("writes=bucket:64:200/s,reads=periodic:10ms:8:2ms", "lazy-rtgc"),
            ("writes=bucket:64:50/s,trims=bucket:3:1/s", "gftl"),
        ] {
            let row = rows.iter().find(|row| row.scheme() == scheme).unwrap();
            let arrivals = TaskArrivals::declared(text).unwrap();
            let found = arrivals.delay_on(row).unwrap();
            let drawn = arrivals.drawing(&row.server().unwrap(), &found, scheme);
            let [arrived, done, deviation] = &drawn.curves[..] else { panic!("{drawn:?}") };
            let [from, to] = deviation.points[..] else { panic!("{deviation:?}") };
            assert_eq!(to.0 - from.0, found.delay_ns as f64 / 1e6);
            // It goes from one curve to the other.
            assert!(arrived.points.contains(&from), "{from:?}");
            assert!(
                done.points.iter().any(|of| of.1 == to.1 && (of.0 - to.0).abs() < 1e-9),
                "{to:?}"
            );
            // No arrival is further from its end.
            let end = |tasks: f64| done.points.iter().find(|of| of.1 >= tasks).map(|of| of.0);
            for (at, tasks) in &arrived.points {
                let late = end(*tasks).map_or(0.0, |end| end - at);
                assert!(
                    late <= found.delay_ns as f64 / 1e6 + 1e-9
                        || *tasks == 0.0
                        || arrived.points.contains(&(*at, tasks + 1.0)),
                    "{at} {tasks}"
                );
            }
            assert!(arrived.points.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1));
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_what_would_be_right() {
        for (text, why) in [
            ("writes=bucket:64:500", "`500` is no rate"),
            ("writes=bucket:0:500/s", "`0` is no number of pages"),
            ("writes=bucket:1:0/s", "`0/s` is no rate"),
            ("reads=periodic:10:8", "10"),
            ("reads=periodic:0ms:8", "must be above 0"),
            ("reads=periodic:10ms:8:1ms:2ms", "is no bucket and not periodic"),
            ("reads=8/10ms", "is no bucket and not periodic"),
            ("writes=bucket:1:1/s,zeroes=bucket:1:1/s", "`zeroes=bucket:1:1/s`: unknown"),
            ("writes=bucket:20000:0.000001/s", "longer than 584 years"),
            ("writes=bucket:1:1/s,", "``: unknown"),
        ] {
            let error = TaskArrivals::declared(text).unwrap_err();
            assert!(error.contains(why) && error.contains(HOW), "{text}: {error}");
        }
    }

    #[test]
    fn trims_cost_nothing_only_where_that_is_known() {
        let rows = Division::all(&EVALUATION_SLC, 1024);
        let row = |name: &str| rows.iter().find(|row| row.scheme() == name).unwrap();
        let with_trims = |trims| TaskArrivals {
            writes: Arrivals::bucket(1, 1_000_000_000),
            reads: Arrivals::NONE,
            trims,
            flushes: false,
            bare: false,
        };
        let [none, some] = [Arrivals::NONE, Arrivals::bucket(9, 1_000_000_000)].map(with_trims);
        let delays = |name| [&none, &some].map(|of| of.delay_on(row(name)).unwrap().delay_ns);
        assert_eq!(delays("lazy-rtgc"), [2_220_900; 2]);
        assert_eq!(delays("rftl"), [2_249_900, 22_499_000]);
        let part = flash::parts::by_name("toshiba-tlc").unwrap();
        let part = &flash::Part { slc: Some(SLC), ..part.clone() };
        for (settings, works) in [("page-level", true), ("page-level+slc=static:10%", false)] {
            let table = settings.parse::<SchemeChoice>().unwrap().0;
            let row = Division::with_settings(&table, part, 1024).unwrap();
            let found = none.delay_on(&row);
            assert_eq!(found.is_ok(), works, "{settings}: {found:?}");
            assert!(works || found.unwrap_err().contains("idle time"));
        }
        let flushed = TaskArrivals { flushes: true, ..none.clone() };
        assert!(flushed.delay_on(row("lazy-rtgc")).is_ok());
        assert!(flushed.delay_on(row("gftl")).unwrap_err().contains("flushes"));
        // On a link a trim takes the time of a command, and what has no page task has no curve.
        let plan = row("lazy-rtgc").plan().unwrap();
        let link = LinkTimes { read_ns: 300, write_ns: 200, bare_ns: 100 };
        let of_link = |link| Server::new(plan, OneAtATime { link, ..OneAtATime::NOTHING }).unwrap();
        let server = of_link(link);
        let delay_ns = |of: &TaskArrivals| of.delay(&server, u64::MAX).map(|found| found.delay_ns);
        assert_eq!(delay_ns(&none), Ok(2_220_900 + 200));
        assert_eq!(delay_ns(&some), Ok(2_220_900 + 200 + 9 * (29_000 + 300)));
        let bare = TaskArrivals { bare: true, ..none.clone() };
        assert!(delay_ns(&bare).unwrap_err().contains("without page tasks"));
        let free = of_link(LinkTimes { bare_ns: 0, ..link });
        assert!(bare.delay(&free, u64::MAX).is_ok());
    }
}
