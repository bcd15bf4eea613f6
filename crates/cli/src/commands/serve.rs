//! `ftlkit serve`.

mod device_options;
mod durable;
mod export;
mod faults;
mod latency;
mod log;
mod metrics;
mod record;
mod start;
mod summary;
mod tls;
#[cfg(feature = "watch")]
mod watch;
#[cfg(not(feature = "watch"))]
#[path = "serve/no_watch.rs"]
mod watch;

use self::device_options::{DeviceOptions, of_settings, only_scheme, settings_of};
use self::durable::Durable;
use self::export::{ExportChoice, have_handles, named_apart};
use self::faults::FaultChoice;
use self::latency::LatencyChoice;
use self::log::Log;
use self::metrics::Metrics;
use self::record::Recording;
use self::start::Start;
use self::tls::TlsArgs;
use self::watch::{Watch, WatchArgs};
use crate::failure::Failure;
use crate::output;
use clap::Args;
use device::image::{self, Description, Image, ImageArray, ImageError};
use device::nbd::{Limits, Listener, Server, Stop, Tls, serve};
use device::{Below, BlockDevice, Latency, Monitor};
use flash::{Array, Flash, Store};
use lab::config::{Bytes, Resolved, ResolvedScheme};
use lab::report::units;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use workload::escaped;

const EXAMPLES: &str = "\
Examples:
  ftlkit serve --image device.img --create --capacity 1GiB --scheme lazy-rtgc --socket /tmp/ftl.sock
      makes the image if it is missing; clients open nbd+unix:///?socket=/tmp/ftl.sock
  ftlkit serve --image device.img --socket /tmp/ftl.sock
      the same device again: its part, scheme and size are in the image
  ftlkit serve --capacity 256MiB --listen 127.0.0.1:10809 --latency real
      in memory; replies come when the modelled part would give them
  ftlkit serve --capacity 1GiB --part ddt-mlc --channels 8 --ways 4 --socket /tmp/ftl.sock --latency real
      an SSD: requests overlap on its dies, and wait for each other
  ftlkit serve --image device.img --socket /tmp/ftl.sock --record asked.csv.gz
      and what clients ask becomes a trace: ftlkit compare asked.csv.gz
  nbdcopy disk.raw 'nbd+unix:///?socket=/tmp/ftl.sock'

Ends with SIGTERM, SIGHUP or Ctrl-C: requests that were received are completed, the scheme is shut down, the image is marked
so. Before it listens they end it at once; an image that was being made is removed.
Exit codes: 0 done; 1 the device or the machine failed, or a bound was exceeded; 2 wrong usage or input, and nothing was changed;
3 more blocks went bad than there are spare ones, and writes were refused; 130 ended by a signal before it listened.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(group(clap::ArgGroup::new("place").args(["socket", "listen"]).required(true).multiple(true)))]
pub(crate) struct ServeArgs {
    /// Flash image that keeps the data [default: in memory, gone at the end]
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,

    /// Make the image if it is missing
    #[arg(long, requires = "image")]
    create: bool,

    /// Unix socket to listen on
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,

    /// TCP address to listen on, ADDRESS:PORT, such as localhost:10809; port 0 is any free one. An address that is not of this
    /// machine alone needs --allow-remote
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    listen: Option<SocketAddr>,

    /// Let other machines connect, without a password; unencrypted without --tls-cert
    #[arg(long, requires = "listen")]
    allow_remote: bool,

    #[command(flatten)]
    tls: TlsArgs,

    /// Name of an export of the device, NAME, NAME:ro (read-only) or NAME:stream=N (its writes are of placement stream N, for
    /// placement=stream:K); repeated: all show the same bytes. Clients without a name get the first [default: one without a
    /// name]
    #[arg(long = "export", value_name = "NAME[:ro|:stream=N]")]
    exports: Vec<ExportChoice>,

    /// Refuse every change of clients. The image must be writable all the same: a start mends it and marks it as in use
    #[arg(long)]
    read_only: bool,

    /// When replies are sent: none (at once), real (when the modelled part would have done the request), or scaled:K (K
    /// times as late, 0.001 to 1000) [default: none]
    #[arg(long, value_name = "HOW", default_value = "none", hide_default_value = true)]
    latency: LatencyChoice,

    /// Faults of the flash array, key=value joined by +: bit_errors (as in compare, with ecc, cycles, age), program_failures
    /// and erase_failures (per million), endurance (erases of a block), bad_blocks (at the image's making), power_cut
    /// (operations until it; torn=true tears the next), seed [default: none; seed 1]
    #[arg(long, value_name = "FAULTS")]
    faults: Option<FaultChoice>,

    /// What flushed data outlives: process (its end by kill -9) or machine (the loss of its power, too). The image keeps it, from
    /// its first change or its shutdown on [default: that of the image; machine for a new one]
    #[arg(long, value_name = "WHAT", requires = "image")]
    durable: Option<Durable>,

    /// Record what clients ask, as a trace for `ftlkit compare`: a new file, compressed if its name ends in
    #[cfg_attr(feature = "zstd", doc = ".gz, .zst or .xz")]
    #[cfg_attr(not(feature = "zstd"), doc = ".gz or .xz")]
    #[arg(long, value_name = "FILE.csv")]
    record: Option<PathBuf>,

    /// Answer Prometheus over HTTP at this address of this machine, under /metrics; port 0 is any free one
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
    metrics: Option<SocketAddr>,

    #[command(flatten)]
    watch: WatchArgs,

    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    device: DeviceOptions,
}

/// What stands before the device.
struct Front {
    start: Start,
    tls: Option<Tls>,
    log: Log,
    recording: Option<Recording>,
}

impl ServeArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        named_apart(&self.exports)?;
        if self.read_only && self.exports.iter().any(ExportChoice::has_stream) {
            return Err(Failure::input_with_help(
                "--read-only and `:stream=N` of an --export exclude each other: a stream is that of writes",
                "leave out one of them",
            ));
        }
        self.watch.check()?;
        // What can be refused without the image is refused before the image is touched.
        self.may_listen()?;
        let start = Start::new()?;
        let mut front = match self.front(start) {
            Ok(front) => front,
            Err((start, failure)) => {
                start.end();
                return Err(failure);
            }
        };
        let served = self.run_behind(&mut front);
        drop(front.recording);
        front.start.end();
        served
    }

    /// Opens the array, and serves it.
    fn run_behind(&self, front: &mut Front) -> Result<(), Failure> {
        match &self.image {
            None => {
                let resolved = self.device.resolve()?;
                let scheme = only_scheme(&resolved)?;
                have_handles(&self.exports, scheme)?;
                let data = resolved.geometry.capacity_bytes();
                if lab::memory::available_bytes().is_some_and(|available| available < data) {
                    let data = units::bytes(data);
                    output::note(&format!(
                        "data are kept in memory, and {data} of them would not fit; --image keeps them in a file"
                    ));
                }
                let needed = resolved.needed_bytes(scheme);
                if needed >= LARGE {
                    let needed = units::bytes(needed);
                    output::note(&format!(
                        "needs about {needed} of memory; data in memory come on top of that"
                    ));
                }
                let array = Array::new(resolved.geometry, scheme.part.clone(), Store::All);
                self.serve_faulty(array, &resolved, true, front)
            }
            Some(path) => {
                let (image, resolved, fresh) = self.image(path, front)?;
                self.serve_faulty(image, &resolved, fresh, front)
            }
        }
    }

    /// Refuses what cannot be listened on. Nobody is let in before the device is there.
    fn may_listen(&self) -> Result<(), Failure> {
        let address = self.listeners_allowed()?;
        if let Some(path) = &self.socket {
            Listener::unix_is_free(path).map_err(|error| not_on(path, &error))?;
        }
        let of_tcp = address.map(|address| self.tcp(address)).transpose();
        of_tcp.and(self.metrics.map(Metrics::listen).transpose()).map(drop)
    }

    /// What is told of clients, and how they are encrypted.
    fn front(&self, start: Start) -> Result<Front, (Start, Failure)> {
        match self.told(&start) {
            Ok((tls, log, recording)) => Ok(Front { start, tls, log, recording }),
            Err(failure) => Err((start, failure)),
        }
    }

    fn told(&self, start: &Start) -> Result<(Option<Tls>, Log, Option<Recording>), Failure> {
        let tls = self.tls.encryption()?;
        let log = if self.watch.is_on() { Log::of_view() } else { Log::default() };
        let recording = match &self.record {
            Some(path) => {
                let streams = self.exports.iter().any(ExportChoice::has_stream);
                let mut phase = start.phase();
                let recording = Recording::start(path, streams, log.clone())?;
                phase.made(path);
                Some(recording)
            }
            None => None,
        };
        Ok((tls, log, recording))
    }

    /// Serves the scheme on this array, with the faults that it is to have.
    fn serve_faulty<I: Below>(
        &self,
        array: I,
        resolved: &Resolved,
        fresh: bool,
        front: &mut Front,
    ) -> Result<(), Failure> {
        let Some(faults) = &self.faults else {
            return self.serve_on(array, resolved, fresh, front);
        };
        let faults = faults.plan(only_scheme(resolved)?)?;
        let faulty = faults.around(array, fresh).map_err(Failure::input)?;
        self.serve_on(faulty, resolved, fresh, front)
    }

    /// Serves the scheme on this array, by a serial clock or on channels.
    fn serve_on<I: Below>(
        &self,
        array: I,
        resolved: &Resolved,
        fresh: bool,
        front: &mut Front,
    ) -> Result<(), Failure> {
        let scheme = only_scheme(resolved)?;
        let config = &scheme.config;
        let array = match &resolved.ssd {
            None => ImageArray::new(config, array),
            Some(ssd) => {
                if matches!(self.latency.0, Latency::Scaled(thousandths) if thousandths < 10) {
                    return Err(Failure::input("--latency: on channels K is 0.01 or more"));
                }
                ImageArray::on_channels(config, array, ssd).map_err(Failure::internal)?
            }
        };
        self.serve(self.made(array, scheme, fresh)?, scheme, front)
    }

    /// The scheme on this array: formatted if that is fresh, else mounted.
    fn made(
        &self,
        array: ImageArray,
        scheme: &ResolvedScheme,
        fresh: bool,
    ) -> Result<BlockDevice, Failure> {
        let (made, what) = match fresh {
            true => (array.format(&scheme.config), "format"),
            false => (array.mount(&scheme.config), "mount"),
        };
        let made = made.map_err(|error| {
            if matches!(error, ftl::FtlError::Config { .. }) {
                return Failure::input(error);
            }
            let place =
                self.image.as_ref().map_or("memory".into(), |path| path.display().to_string());
            Failure::internal(format!("cannot {what} `{place}`: {error}"))
        })?;
        Ok(BlockDevice::new(made, self.latency.0))
    }

    /// The TCP address, if it may be used.
    fn listeners_allowed(&self) -> Result<Option<SocketAddr>, Failure> {
        match self.listen {
            Some(address) if !address.ip().is_loopback() && !self.allow_remote => {
                Err(Failure::input_with_help(
                    format!("--listen {address}: other machines could read and change the device"),
                    "listen on 127.0.0.1, or add --allow-remote",
                ))
            }
            listen => Ok(listen),
        }
    }

    /// The image, its device, and true if it is new.
    fn image(&self, path: &Path, front: &Front) -> Result<(Image, Resolved, bool), Failure> {
        let log = &front.log;
        if self.create && !path.exists() {
            let resolved = self.device.resolve()?;
            let scheme = only_scheme(&resolved)?;
            have_handles(&self.exports, scheme)?;
            if let Some(faults) = &self.faults {
                faults.plan(scheme)?;
            }
            let mut description = Description::of_part(&scheme.part);
            description.settings = settings_of(&resolved, scheme)?;
            tell_needs(resolved.scheme_bytes(scheme), image::record_bytes(&resolved.geometry));
            let mut phase = front.start.phase();
            let made = || {
                phase.made(path);
                drop(phase);
            };
            let made = Image::create_and_tell(path, resolved.geometry, &description, made);
            let mut image = made.map_err(fault)?;
            image.use_with(&scheme.part).map_err(fault)?;
            durable::choose(&mut image, self.durable, scheme, true, log)?;
            return Ok((image, resolved, true));
        }
        if !path.exists() && !path.is_symlink() {
            return Err(Failure::input_with_help(
                format!("there is no image `{}`", path.display()),
                "add --create to make one",
            ));
        }
        let mut image = Image::claim(path).map_err(fault)?;
        let kept = image.description().settings.clone();
        let not_ours = |reason: String| {
            let (path, reason) = (path.display(), escaped(&reason));
            Failure::input(format!("`{path}` was not made by `ftlkit serve`: {reason}"))
        };
        let experiment = of_settings(&kept).map_err(not_ours)?;
        let resolved = experiment.resolve().map_err(|error| not_ours(error.to_string()))?;
        let scheme = only_scheme(&resolved)?;
        have_handles(&self.exports, scheme)?;
        let same =
            settings_of(&resolved, scheme)? == kept && resolved.geometry == *image.geometry();
        let same = same && image.use_with(&scheme.part).is_ok();
        if !same {
            let what = "was made by a version of ftlkit that lays out its scheme in another way";
            return Err(Failure::input(format!("`{}` {what}", path.display())));
        }
        let differing = self.differing(&kept)?;
        if !differing.is_empty() {
            let what = "is another device than the options describe";
            return Err(Failure::input_with_help(
                format!("`{}` {what}: its {}", path.display(), differing.join(", its ")),
                "leave out the options of the device: the image has its own; `ftlkit image info` prints them",
            ));
        }
        if let Some(faults) = &self.faults {
            faults.plan(scheme)?;
        }
        tell_needs(resolved.scheme_bytes(scheme), image.record_bytes());
        durable::choose(&mut image, self.durable, scheme, false, log)?;
        image.prepare().map_err(fault)?;
        durable::recover(&mut image, log)?;
        Ok((image, resolved, false))
    }

    /// Settings of an image that the options contradict, each with both values. What is not given is that of the image.
    fn differing(&self, kept: &BTreeMap<String, String>) -> Result<Vec<String>, Failure> {
        if !self.device.any() {
            return Ok(Vec::new());
        }
        let resolved = self.device.over(kept)?;
        let asked = settings_of(&resolved, only_scheme(&resolved)?)?;
        let names: BTreeSet<&String> = kept.keys().chain(asked.keys()).collect();
        let value = |of: &BTreeMap<String, String>, name: &String| of.get(name).cloned();
        let differs = |name: &&String| value(kept, name) != value(&asked, name);
        let tell = |name: &String| {
            let [is, asked] = [kept, &asked].map(|of| value(of, name).unwrap_or("not set".into()));
            escaped(&format!("{name} is {is}, not {asked}")).into_owned()
        };
        // The number of pages follows from the others.
        let (pages, others): (Vec<_>, Vec<_>) =
            names.into_iter().filter(differs).partition(|name| *name == "pages");
        let differing = if others.is_empty() { pages } else { others };
        Ok(differing.into_iter().map(tell).collect())
    }

    fn serve(
        &self,
        mut device: BlockDevice,
        scheme: &ResolvedScheme,
        front: &mut Front,
    ) -> Result<(), Failure> {
        let title = format!("{} on {}", scheme.label, escaped(&scheme.part.name));
        let exports = export::of_device(&self.exports, &device, &title, self.read_only);
        let (stop, monitor) = (Stop::default(), Monitor::default());
        let (tls, log) = (front.tls.take(), front.log.clone());
        let listen = || {
            let metrics = self.metrics.map(Metrics::listen).transpose()?;
            Ok((self.listeners()?, metrics))
        };
        let (listeners, metrics) = front.start.serve(&stop, listen)?;
        let metrics = metrics.map(|listener| {
            Metrics::start(listener, monitor.clone(), stop.clone(), scheme.label.clone())
        });
        let metrics = metrics.transpose()?;
        let title = format!("{title} of {}", Bytes::new(device.bytes()).rounded_down());
        let names: Vec<&str> = exports.iter().map(|export| export.name.as_str()).collect();
        let mut places: Vec<String> =
            listeners.iter().flat_map(|listener| listener.uris(&names)).collect();
        places.extend(metrics.iter().map(Metrics::uri));
        let mut recording = front.recording.take();
        let watch = match self.watch.is_on() {
            true => {
                let watch =
                    Watch::start(title, places, (monitor.clone(), stop.clone()), log.clone());
                Some(watch.map_err(|error| Failure::internal(format!("the terminal: {error}")))?)
            }
            false => {
                places.iter().for_each(|place| log.tell(format_args!("{title}: {place}")));
                None
            }
        };
        let logs = log.clone();
        let tells = Box::new(move |line: &str| logs.tell(format_args!("{line}")));
        let server = Server { exports, limits: Limits::default(), tls, log: tells };
        let served = serve(server, listeners, &stop, |job| {
            if let Some(recording) = &mut recording {
                recording.with(|recorder| match &job {
                    Some(job) => recorder.add(job),
                    None => recorder.rest(),
                });
            }
            if let Some(job) = job
                && let Some(violation) = device.serve(job)?
            {
                log.tell(format_args!("{violation}"));
            }
            monitor.tell(|| device.summary());
            let rest = device.rest()?;
            if let Some(note) = device.take_note() {
                log.tell(format_args!("{note}"));
            }
            Ok(rest)
        });
        let first_failure = device.first_failure().map(str::to_owned);
        device.end_all();
        let ended = served.and_then(|()| device.shut_down());
        let (summary, failure) = match ended {
            Ok(summary) => (summary, None),
            Err(failure) => (device.summary(), Some(failure)),
        };
        let recorded = recording.map_or(Ok(()), Recording::finish);
        monitor.end();
        if let Some(metrics) = metrics {
            metrics.end();
        }
        let watched = watch.map_or(Ok(()), Watch::end);
        log.print_kept();
        summary::print(&summary, scheme, stop.refused(), self.json)?;
        let worn_out = device.ran_out_of_blocks();
        let failed = |what: String| match worn_out {
            true => Failure::worn_out(what, "make an image with more `+spare=N`"),
            false => Failure::internal(what),
        };
        if let Some(failure) = failure {
            return Err(failed(format!("the device is off: {failure}")));
        }
        recorded?;
        watched.map_err(|error| Failure::internal(format!("the terminal: {error}")))?;
        if summary.run.violations > 0 {
            return Err(Failure::PromiseBroken);
        }
        first_failure.map_or(Ok(()), |first| {
            Err(failed(format!(
                "the device failed {} of {} requests; the first: {first}",
                summary.run.requests_refused, summary.run.requests_taken
            )))
        })
    }

    fn tcp(&self, address: SocketAddr) -> Result<Listener, Failure> {
        let cannot = |error| Failure::input(format!("cannot listen on {address}: {error}"));
        Listener::tcp(address, self.tls.required()).map_err(cannot)
    }

    fn listeners(&self) -> Result<Vec<Listener>, Failure> {
        let mut listeners = Vec::new();
        if let Some(path) = &self.socket {
            listeners.push(Listener::unix(path).map_err(|error| not_on(path, &error))?);
        }
        if let Some(address) = self.listen {
            listeners.push(self.tcp(address)?);
        }
        Ok(listeners)
    }
}

fn not_on(path: &Path, error: &std::io::Error) -> Failure {
    Failure::input(format!("cannot listen on `{}`: {error}", path.display()))
}

/// Memory, and bytes of records, from which on they are told.
const LARGE: u64 = 256 << 20;

/// Tells what a large device needs before it is made or mounted.
fn tell_needs(memory: u64, records: u64) {
    if memory >= LARGE || records >= LARGE {
        let (memory, records) = (units::bytes(memory), units::bytes(records));
        output::note(&format!(
            "needs about {memory} of memory; a mount reads up to {records} of records from the image"
        ));
    }
}

/// An address and port; a name is looked up.
fn address(text: &str) -> Result<SocketAddr, String> {
    let found = text.to_socket_addrs().map_err(|error| {
        format!("{error}; it is ADDRESS:PORT, such as 127.0.0.1:10809 or localhost:10809")
    })?;
    // A name of this machine may have two addresses; the older kind is what clients try first.
    let all: Vec<SocketAddr> = found.collect();
    let first = all.iter().find(|address| address.is_ipv4()).or(all.first());
    first.copied().ok_or_else(|| "it has no address".to_owned())
}

fn fault(error: ImageError) -> Failure {
    match &error {
        ImageError::Io(failure) if failure.what == "open" && is_refused(&failure.source) => {
            Failure::input_with_help(
                error,
                "a start mends the image and marks it as in use, also with --read-only: the file must be writable; `ftlkit image` \
                 reads one that is not",
            )
        }
        _ => super::image::refused(error),
    }
}

/// True if the file may not be written.
fn is_refused(source: &std::io::Error) -> bool {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem)
}
