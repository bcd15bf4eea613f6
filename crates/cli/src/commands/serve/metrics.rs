//! `--metrics`: the device's account for Prometheus, over HTTP.

use crate::failure::Failure;
use device::nbd::Stop;
use device::{Monitor, Summary};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Longest head of a request.
const MOST_HEAD_BYTES: usize = 8 << 10;
/// Time that a client has for its request, and to take the reply.
const CLIENT_TIME: Duration = Duration::from_secs(2);
/// Time that the device has for its account.
const DEVICE_TIME: Duration = Duration::from_secs(5);

/// A responder on a port of its own.
pub(super) struct Metrics {
    address: SocketAddr,
    thread: JoinHandle<()>,
}

impl Metrics {
    /// Listens on this address.
    pub(super) fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
        if !address.ip().is_loopback() {
            return Err(Failure::input_with_help(
                format!("--metrics {address}: other machines could read the figures"),
                "give a port of this machine, such as 127.0.0.1:9200",
            ));
        }
        TcpListener::bind(address)
            .map_err(|error| Failure::input(format!("cannot listen on {address}: {error}")))
    }

    /// Starts to answer, one client at a time, until [`Metrics::end`].
    pub(super) fn start(
        listener: TcpListener,
        monitor: Monitor,
        stop: Stop,
        label: String,
    ) -> Result<Self, Failure> {
        let address = listener.local_addr().map_err(Failure::internal)?;
        let thread = thread::Builder::new().spawn(move || {
            for client in listener.incoming() {
                if monitor.has_ended() {
                    return;
                }
                match client {
                    // A client that leaves early is no concern of the device.
                    Ok(client) => drop(answer(client, &monitor, &stop, &label)),
                    // Without file descriptors, the next try fails at once, too.
                    Err(_) => thread::sleep(Duration::from_millis(100)),
                }
            }
        });
        let thread = thread.map_err(|error| Failure::internal(format!("a thread: {error}")))?;
        Ok(Self { address, thread })
    }

    /// The address for clients.
    pub(super) fn uri(&self) -> String {
        format!("http://{}/metrics", self.address)
    }

    /// Ends the responder; the monitor has ended before.
    pub(super) fn end(self) {
        if TcpStream::connect(self.address).is_ok() {
            let _ = self.thread.join();
        }
    }
}

fn answer(mut client: TcpStream, monitor: &Monitor, stop: &Stop, label: &str) -> io::Result<()> {
    client.set_write_timeout(Some(CLIENT_TIME))?;
    let (status, body) = match head(&mut client)?.as_deref().map(target) {
        None | Some(None) => ("400 Bad Request", "not a request of HTTP\n".into()),
        Some(Some((_, path))) if path != "/metrics" && path != "/" => {
            ("404 Not Found", "the figures are at /metrics\n".into())
        }
        Some(Some((method, _))) if method != "GET" => {
            ("405 Method Not Allowed", "only GET is allowed\n".into())
        }
        Some(Some(_)) => match monitor.look(DEVICE_TIME) {
            Some(summary) => ("200 OK", text(&summary, stop, label)),
            None => ("503 Service Unavailable", "the device does not answer\n".into()),
        },
    };
    let allow = if status.starts_with("405") { "Allow: GET\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n{allow}\
         Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    client.write_all(&[head.as_bytes(), body.as_bytes()].concat())
}

/// The head of a request; `None` if it is too long or the client leaves within it.
fn head(client: &mut TcpStream) -> io::Result<Option<String>> {
    let (mut head, end) = (Vec::new(), Instant::now() + CLIENT_TIME);
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        client.set_read_timeout(Some(left))?;
        let mut bytes = [0; 1024];
        let read = client.read(&mut bytes)?;
        head.extend_from_slice(&bytes[..read]);
        if head.windows(4).any(|four| four == b"\r\n\r\n") {
            return Ok(String::from_utf8(head).ok());
        }
        if read == 0 || head.len() > MOST_HEAD_BYTES {
            return Ok(None);
        }
    }
}

/// Method and path of a request.
fn target(head: &str) -> Option<(&str, &str)> {
    let mut words = head.lines().next()?.split(' ');
    let (method, path, version) = (words.next()?, words.next()?, words.next()?);
    let path = path.split('?').next()?;
    (version.starts_with("HTTP/1.") && words.next().is_none()).then_some((method, path))
}

/// The account in the text format of Prometheus, version 0.0.4. Times are in seconds, as is its custom.
fn text(summary: &Summary, stop: &Stop, label: &str) -> String {
    let mut page = Page::default();
    let scheme = label.replace('\\', "\\\\").replace('"', "\\\"");
    page.gauges("device_info", "Scheme that is served.", "scheme", [(&*scheme, 1.0)]);
    let elapsed_ns = summary.run.elapsed_ns as f64;
    page.gauge("uptime_seconds", "Time since the start.", seconds(elapsed_ns));
    requests(&mut page, summary, stop);
    array(&mut page, summary);
    response(&mut page, summary);
    page.0
}

fn requests(page: &mut Page, summary: &Summary, stop: &Stop) {
    let by_command = summary.commands.iter().map(|(name, count)| (*name, *count as f64));
    page.counters("requests_total", "Requests that reached the device.", "command", by_command);
    let refused = [("device", summary.run.requests_refused), ("protocol", stop.refused())];
    let refused = refused.map(|(by, count)| (by, count as f64));
    page.counters("requests_refused_total", "Requests refused, by whom.", "by", refused);
    page.gauge("connections", "Open connections.", stop.connections() as f64);
    page.counter("read_bytes_total", "Bytes read by clients.", summary.bytes_read);
    page.counter("written_bytes_total", "Bytes written by clients.", summary.bytes_written);
    let tasks = [
        ("read", summary.run.read_tasks as f64),
        ("write", summary.run.write_tasks as f64),
        ("trim", summary.run.trim_tasks as f64),
    ];
    page.counters("page_tasks_total", "Page tasks.", "kind", tasks);
}

fn array(page: &mut Page, summary: &Summary) {
    let counts = || summary.run.counts.iter();
    let programmed = counts().map(|of| (&*of.cause, (of.programs + of.copies) as f64));
    page.counters("pages_programmed_total", "Pages programmed.", "cause", programmed);
    let erases = counts().map(|of| (&*of.cause, of.erases as f64));
    page.counters("erases_total", "Blocks erased.", "cause", erases);
    page.counter("idle_steps_total", "Steps of collection in idle time.", summary.idle_steps);
    if let Some(waf) = summary.run.waf {
        page.gauge(
            "write_amplification",
            "Pages programmed per page written, since the start.",
            waf,
        );
    }
    let free = summary.free_pages as f64;
    page.gauge("free_pages", "Pages that can be programmed without an erase.", free);
    page.gauge("bad_blocks", "Bad blocks.", summary.bad_blocks.into());
    let (least, mean, most) = summary.run.erases_per_block;
    let wear = [("least", least.into()), ("mean", mean), ("most", most.into())];
    page.gauges("block_erases", "Erases per block over the life of the array.", "block", wear);
    if let Some(busy_ns) = summary.busy_ns {
        page.family("array_busy_seconds_total", "counter", "Modelled time that the array worked.");
        page.sample("array_busy_seconds_total", "", seconds(busy_ns as f64));
    }
    if let Some(faults) = summary.faults {
        page.counter(
            "failed_programs_total",
            "Programs failed by --faults.",
            faults.failed_programs,
        );
        page.counter("failed_erases_total", "Erases failed by --faults.", faults.failed_erases);
        let reads = faults.uncorrectable_reads;
        page.counter("uncorrectable_reads_total", "Reads with too many bit errors.", reads);
    }
}

fn response(page: &mut Page, summary: &Summary) {
    let response = &summary.run.response_ns;
    let name = "page_response_seconds";
    page.family(name, "summary", "Modelled response of page tasks.");
    let quantiles = [
        ("0.5", response.p50),
        ("0.9", response.p90),
        ("0.99", response.p99),
        ("0.999", response.p99_9),
    ];
    for (quantile, ns) in quantiles {
        if let Some(ns) = ns {
            page.sample(name, &format!("{{quantile=\"{quantile}\"}}"), seconds(ns as f64));
        }
    }
    page.sample(&format!("{name}_sum"), "", seconds(response.mean * response.count as f64));
    page.sample(&format!("{name}_count"), "", response.count as f64);
    let most = seconds(response.max as f64);
    page.gauge("page_response_max_seconds", "Longest modelled response of a page task.", most);
    if let Some(bound) = summary.run.bound_ns {
        page.gauge("page_response_bound_seconds", "Bound of the response.", seconds(bound as f64));
    }
    let violations = summary.run.violations;
    page.counter("bound_violations_total", "Page tasks that exceeded a bound.", violations);
}

fn seconds(ns: f64) -> f64 {
    ns / 1e9
}

/// Families of samples.
#[derive(Debug, Default)]
struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.0 += &format!("# HELP ftlkit_{name} {help}\n# TYPE ftlkit_{name} {kind}\n");
    }

    fn sample(&mut self, name: &str, labels: &str, value: f64) {
        self.0 += &format!("ftlkit_{name}{labels} {value}\n");
    }

    fn gauge(&mut self, name: &str, help: &str, value: f64) {
        self.family(name, "gauge", help);
        self.sample(name, "", value);
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.family(name, "counter", help);
        self.sample(name, "", value as f64);
    }

    fn gauges<'a>(
        &mut self,
        name: &str,
        help: &str,
        key: &str,
        values: impl IntoIterator<Item = (&'a str, f64)>,
    ) {
        self.family(name, "gauge", help);
        self.each(name, key, values);
    }

    fn counters<'a>(
        &mut self,
        name: &str,
        help: &str,
        key: &str,
        values: impl IntoIterator<Item = (&'a str, f64)>,
    ) {
        self.family(name, "counter", help);
        self.each(name, key, values);
    }

    fn each<'a>(
        &mut self,
        name: &str,
        key: &str,
        values: impl IntoIterator<Item = (&'a str, f64)>,
    ) {
        for (of, value) in values {
            self.sample(name, &format!("{{{key}=\"{of}\"}}"), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines_of_requests() {
        assert_eq!(target("GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\n"), Some(("GET", "/metrics")));
        assert_eq!(target("POST / HTTP/1.0\r\n"), Some(("POST", "/")));
        for wrong in ["", "GET", "GET /metrics", "GET /metrics HTTP/2", "GET / x HTTP/1.1"] {
            assert_eq!(target(wrong), None, "{wrong}");
        }
    }
}
