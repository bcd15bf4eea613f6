//! `ftlkit serve`.

use crate::failure::Failure;
use crate::output;
use clap::Args;
use device::image::{Description, Image, ImageArray, ImageError};
use device::nbd::{Export, Limits, Listener, Server, Stop, serve};
use device::{Below, BlockDevice, Latency, Recorder, Summary};
use flash::{Array, Flash, Store};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use sim::config::{
    Bytes, DefaultShare, Experiment, PartTable, Resolved, ResolvedScheme, TextOrTable, Word,
};
use std::collections::BTreeMap;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use workload::output::COMPRESSIONS;

const EXAMPLES: &str = "\
Examples:
  ftlkit serve --image device.img --create --capacity 1GiB --scheme lazy-rtgc --socket /tmp/ftl.sock
      makes the image if it is missing; clients open nbd+unix:///?socket=/tmp/ftl.sock
  ftlkit serve --image device.img --socket /tmp/ftl.sock
      the same device again: its part, scheme and size are in the image
  ftlkit serve --capacity 256MiB --listen 127.0.0.1:10809 --latency real
      in memory; replies come when the modelled part would give them
  ftlkit serve --image device.img --socket /tmp/ftl.sock --record asked.csv.zst
      and what clients ask becomes a trace: ftlkit compare asked.csv.zst
  nbdcopy disk.raw 'nbd+unix:///?socket=/tmp/ftl.sock'

Ends with SIGTERM or Ctrl-C: requests that were received are completed, the scheme is shut down, the image is marked so.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    /// Flash image that keeps the data [default: in memory, gone at the end]
    #[arg(long, value_name = "FILE")]
    image: Option<PathBuf>,

    /// Make the image if it is missing
    #[arg(long, requires = "image")]
    create: bool,

    #[command(flatten)]
    device: DeviceOptions,

    /// Unix socket to listen on
    #[arg(long, value_name = "PATH", required_unless_present = "listen")]
    socket: Option<PathBuf>,

    /// TCP address to listen on, ADDRESS:PORT; port 0 is any free one. An address that is not of this machine alone needs
    /// --allow-remote
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,

    /// Let other machines connect, unencrypted and without a password
    #[arg(long, requires = "listen")]
    allow_remote: bool,

    /// Name of the export, which clients without a name get as well [default: none]
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    export: String,

    /// Refuse every change
    #[arg(long)]
    read_only: bool,

    /// When replies are sent: none (at once), real (when the modelled part would have done the request), or scaled:K (K
    /// times as late, 0.001 to 1000) [default: none]
    #[arg(long, value_name = "HOW", default_value = "none", hide_default_value = true)]
    latency: LatencyChoice,

    /// What flushed data outlives: process (its end by kill -9) or machine (the loss of its power; each erase waits for the
    /// disk) [default: process]
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "process",
        hide_default_value = true,
        requires = "image"
    )]
    durable: Durable,

    /// Record what clients ask, as a trace for `ftlkit compare`: a new file, compressed if its name ends in .gz, .zst or .xz
    #[arg(long, value_name = "FILE.csv")]
    record: Option<PathBuf>,

    /// Print the summary as one JSON object
    #[arg(long)]
    json: bool,
}

/// What describes a device.
#[derive(Debug, Args)]
struct DeviceOptions {
    /// Scheme with its settings, such as lazy-rtgc+share=0.8 (`ftlkit list schemes`) [default: page-level]
    #[arg(long, value_name = "SCHEME")]
    scheme: Option<String>,

    /// NAND part of the catalogue (`ftlkit list parts`) [default: evaluation-slc]
    #[arg(long, value_name = "NAME")]
    part: Option<String>,

    /// Raw capacity, such as 4GiB; clients see the scheme's share of it [default: 1GiB]
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    capacity: Option<Bytes>,

    /// Share of the array that a scheme without `+share` exports, or the most that it can if that is less; `own`: the most
    /// that it can [default: 0.875]
    #[arg(long, value_name = "SHARE")]
    share: Option<Word<DefaultShare>>,

    /// Seed of all random draws of the scheme [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// [`Latency`] on the command line.
#[derive(Clone, Copy, Debug)]
struct LatencyChoice(Latency);

impl FromStr for LatencyChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let thousandths = match text.strip_prefix("scaled:") {
            None if text == "none" => return Ok(Self(Latency::None)),
            None if text == "real" => 1000.0,
            None => return Err("is none, real or scaled:K".into()),
            Some(factor) => match factor.parse::<f64>() {
                Ok(factor) if (0.001..=1000.0).contains(&factor) => (factor * 1000.0).round(),
                _ => return Err("scaled:K takes a K from 0.001 to 1000".into()),
            },
        };
        Ok(Self(Latency::Scaled(thousandths as u64)))
    }
}

/// What flushed data outlives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Durable {
    Process,
    Machine,
}

/// Settings of the device, as an image keeps them.
fn settings_of(resolved: &Resolved, scheme: &ResolvedScheme) -> BTreeMap<String, String> {
    let experiment = &resolved.experiment;
    let capacity = experiment.capacity.map(|capacity| capacity.to_string());
    let settings = [
        ("part", scheme.part.name.to_string()),
        ("capacity", capacity.unwrap_or_default()),
        ("share", experiment.default_share.to_string()),
        ("seed", experiment.seed.to_string()),
        ("scheme", scheme.label.clone()),
        ("pages", scheme.plan.logical_pages.to_string()),
    ];
    settings.map(|(name, value)| (name.to_owned(), value)).into()
}

impl DeviceOptions {
    /// The options that describe the device of these settings.
    fn of_settings(settings: &BTreeMap<String, String>) -> Result<Self, String> {
        fn get<T: FromStr<Err: std::fmt::Display>>(
            settings: &BTreeMap<String, String>,
            name: &str,
        ) -> Result<T, String> {
            let text = settings.get(name).ok_or_else(|| format!("it has no setting `{name}`"))?;
            text.parse().map_err(|error| format!("its setting `{name}`: {error}"))
        }
        Ok(Self {
            scheme: Some(get(settings, "scheme")?),
            part: Some(get(settings, "part")?),
            capacity: Some(get(settings, "capacity")?),
            share: Some(get(settings, "share")?),
            seed: Some(get(settings, "seed")?),
        })
    }

    /// The device that the options describe.
    fn resolve(&self) -> Result<Resolved, Failure> {
        let mut experiment = Experiment::default();
        experiment.part = self.part.as_ref().map(|name| TextOrTable(PartTable::named(name)));
        experiment.capacity = self.capacity;
        experiment.default_share = self.share.unwrap_or(experiment.default_share);
        experiment.seed = self.seed.unwrap_or(experiment.seed);
        let scheme = self.scheme.as_deref().unwrap_or("page-level");
        experiment.schemes = vec![scheme.trim().parse()?];
        experiment.workload = "uniform".parse()?;
        Ok(experiment.resolve()?)
    }

    /// True if any is given.
    fn any(&self) -> bool {
        let Self { scheme, part, capacity, share, seed } = self;
        scheme.is_some()
            || part.is_some()
            || capacity.is_some()
            || share.is_some()
            || seed.is_some()
    }
}

impl ServeArgs {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let addresses = self.listeners_allowed()?;
        match &self.image {
            None => {
                let resolved = self.device.resolve()?;
                let scheme = only_scheme(&resolved)?;
                let array = Array::new(resolved.geometry, scheme.part.clone(), Store::All);
                let made = ImageArray::new(&scheme.config, array).format(&scheme.config);
                let made = made.map_err(Failure::input)?;
                self.serve::<Array>(BlockDevice::new(made, self.latency.0), scheme, addresses)
            }
            Some(path) => {
                let (image, resolved, fresh) = self.image(path)?;
                let scheme = only_scheme(&resolved)?;
                let array = ImageArray::new(&scheme.config, image);
                let made = match fresh {
                    true => array.format(&scheme.config),
                    false => array.mount(&scheme.config),
                };
                let made = made.map_err(|error| {
                    Failure::internal(format!("cannot mount `{}`: {error}", path.display()))
                })?;
                self.serve::<Image>(BlockDevice::new(made, self.latency.0), scheme, addresses)
            }
        }
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
    fn image(&self, path: &Path) -> Result<(Image, Resolved, bool), Failure> {
        if self.create && !path.exists() {
            let resolved = self.device.resolve()?;
            let scheme = only_scheme(&resolved)?;
            let mut description = Description::of_part(&scheme.part);
            description.settings = settings_of(&resolved, scheme);
            let mut image = Image::create(path, resolved.geometry, &description).map_err(fault)?;
            image.sync_before_erases(self.durable == Durable::Machine);
            return Ok((image, resolved, true));
        }
        if !path.exists() {
            return Err(Failure::input_with_help(
                format!("there is no image `{}`", path.display()),
                "add --create to make one",
            ));
        }
        let mut image = Image::open(path).map_err(fault)?;
        image.sync_before_erases(self.durable == Durable::Machine);
        let kept = &image.description().settings;
        let resolved = DeviceOptions::of_settings(kept).map_err(|reason| {
            let what = format!("`{}` was not made by `ftlkit serve`: {reason}", path.display());
            Failure::input(what)
        })?;
        let resolved = resolved.resolve()?;
        let scheme = only_scheme(&resolved)?;
        let same = settings_of(&resolved, scheme) == *kept
            && resolved.geometry == *image.geometry()
            && scheme.part == *image.part();
        if !same {
            let what = "was made by a version of ftlkit that lays out its scheme in another way";
            return Err(Failure::input(format!("`{}` {what}", path.display())));
        }
        if self.device.any() && !self.describes(kept)? {
            return Err(Failure::input_with_help(
                format!(
                    "`{}` is another device than the options describe: its scheme is {}",
                    path.display(),
                    scheme.label
                ),
                "leave out --scheme, --part, --capacity, --share and --seed: the image has its own; `ftlkit image info` prints them",
            ));
        }
        Ok((image, resolved, false))
    }

    /// True if the options describe a device of these settings.
    fn describes(&self, settings: &BTreeMap<String, String>) -> Result<bool, Failure> {
        let resolved = self.device.resolve()?;
        Ok(settings_of(&resolved, only_scheme(&resolved)?) == *settings)
    }

    fn serve<I: Below>(
        &self,
        mut device: BlockDevice<I>,
        scheme: &ResolvedScheme,
        address: Option<SocketAddr>,
    ) -> Result<(), Failure> {
        let mut recording = self.record.as_deref().map(Recording::start).transpose()?;
        let mut listeners = Vec::new();
        if let Some(path) = &self.socket {
            listeners.push(Listener::unix(path).map_err(|error| {
                Failure::input(format!("cannot listen on `{}`: {error}", path.display()))
            })?);
        }
        if let Some(address) = address {
            listeners.push(
                Listener::tcp(address).map_err(|error| {
                    Failure::input(format!("cannot listen on {address}: {error}"))
                })?,
            );
        }
        let bytes = device.bytes();
        let export = Export {
            name: self.export.clone(),
            description: format!("{} on {}", scheme.label, scheme.part.name),
            bytes,
            page_bytes: device.page_bytes() as u32,
            read_only: self.read_only,
        };
        let stop = Stop::default();
        let mut signals = Signals::new([SIGTERM, SIGINT]).map_err(Failure::internal)?;
        let (handle, stopper) = (signals.handle(), stop.clone());
        let waiting = std::thread::spawn(move || {
            if signals.forever().next().is_some() {
                stopper.stop();
            }
        });
        for listener in &listeners {
            tell(format_args!(
                "{} of {}: {}",
                export.description,
                Bytes::new(bytes).rounded_down(),
                listener.uri()
            ));
        }
        let log = |line: &str| tell(format_args!("{line}"));
        let server =
            Server { exports: vec![export], limits: Limits::default(), log: Box::new(log) };
        let served = serve(server, listeners, &stop, |job| match job {
            Some(job) => {
                if let Some(recording) = &mut recording {
                    recording.with(|recorder| recorder.add(&job));
                }
                if let Some(violation) = device.serve(job)? {
                    tell(format_args!("{violation}"));
                }
                device.rest()
            }
            None => {
                if let Some(recording) = &mut recording {
                    recording.with(Recorder::rest);
                }
                device.rest()
            }
        });
        handle.close();
        let _ = waiting.join();
        let recorded = recording.map_or(Ok(()), Recording::finish);
        let summary = match served {
            Ok(()) => device.shut_down().map_err(Failure::internal)?,
            Err(failure) => {
                self.print(&device.summary(), scheme, stop.refused())?;
                return Err(Failure::internal(format!("the device is off: {failure}")));
            }
        };
        self.print(&summary, scheme, stop.refused())?;
        recorded?;
        if summary.violations > 0 { Err(Failure::PromiseBroken) } else { Ok(()) }
    }

    fn print(
        &self,
        summary: &Summary,
        scheme: &ResolvedScheme,
        refused: u64,
    ) -> Result<(), Failure> {
        let mut summary = summary.clone();
        summary.requests_taken += refused;
        summary.requests_refused += refused;
        if self.json {
            return output::json(&serde_json::json!({ "scheme": scheme.label, "device": summary }));
        }
        output::painted(&text(&summary, scheme))
    }
}

/// A trace that is recorded. If its file cannot be written the server goes on; its end is then a failure.
struct Recording {
    path: PathBuf,
    /// `None` once the file could not be written.
    recorder: Option<Recorder>,
    failure: Option<std::io::Error>,
}

impl Recording {
    fn start(path: &Path) -> Result<Self, Failure> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase());
        let plain = name.as_deref().unwrap_or_default();
        let plain = match plain.rsplit_once('.') {
            Some((plain, ending)) if COMPRESSIONS.contains(&ending) => plain,
            _ => plain,
        };
        if !plain.ends_with(".csv") {
            return Err(Failure::input_with_help(
                format!("--record {}: the trace is a CSV table", path.display()),
                "name it .csv, .csv.gz, .csv.zst or .csv.xz",
            ));
        }
        match Recorder::create(path) {
            Ok(recorder) => {
                Ok(Self { path: path.to_owned(), recorder: Some(recorder), failure: None })
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                Err(Failure::input_with_help(
                    format!("--record {}: there is such a file", path.display()),
                    "name another, or remove it first",
                ))
            }
            Err(error) => Err(Failure::input(format!("--record {}: {error}", path.display()))),
        }
    }

    /// Does something with the recorder, until its file fails.
    fn with(&mut self, work: impl FnOnce(&mut Recorder) -> std::io::Result<()>) {
        let Some(recorder) = &mut self.recorder else { return };
        if let Err(error) = work(recorder) {
            tell(format_args!("--record {}: {error}; the trace ends here", self.path.display()));
            self.failure = Some(error);
            self.recorder = None;
        }
    }

    fn finish(self) -> Result<(), Failure> {
        let ended = match (self.failure, self.recorder) {
            (Some(failure), _) => Err(failure),
            (None, Some(recorder)) => recorder.finish(),
            (None, None) => Ok(()),
        };
        ended.map_err(|error| {
            let path = self.path.display();
            Failure::internal(format!("the trace `{path}` is incomplete: {error}"))
        })
    }
}

/// Writes a line to standard error. Whoever started the server may have closed it: that ends nothing.
fn tell(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn fault(error: ImageError) -> Failure {
    Failure::input(error)
}

fn only_scheme(resolved: &Resolved) -> Result<&ResolvedScheme, Failure> {
    let first = resolved.schemes.first();
    first.ok_or_else(|| Failure::internal("the experiment has no scheme"))
}

fn micros(ns: f64) -> String {
    format!("{:.1} µs", ns / 1000.0)
}

fn text(summary: &Summary, scheme: &ResolvedScheme) -> String {
    let Summary { requests_taken, requests_completed, requests_refused, .. } = *summary;
    let by_command: Vec<String> = summary
        .commands
        .iter()
        .filter(|(_, count)| **count > 0)
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    let response = &summary.response_ns;
    let bound = match summary.response_bound_ns {
        None => "no bound".to_owned(),
        Some(bound) if summary.violations == 0 => format!("bound kept: {}", micros(bound as f64)),
        Some(bound) => {
            format!("BOUND EXCEEDED by {} page tasks: {}", summary.violations, micros(bound as f64))
        }
    };
    let waf = summary.waf.map_or_else(|| "-".into(), |waf| format!("{waf:.3}"));
    let [reads, writes, trims] = summary.page_tasks;
    let bytes = |bytes| Bytes::new(bytes).rounded_down();
    format!(
        "{}\n\
         requests     {requests_taken} taken = {requests_completed} completed + {requests_refused} refused ({})\n\
         bytes        {} read, {} written\n\
         page tasks   {reads} reads, {writes} writes, {trims} trims; {} pages written in part\n\
         WAF          {waf} ({} pages programmed, {} erases, at most {} per block)\n\
         response     mean {}, p99.9 {}, worst {}; {bound}\n",
        scheme.label,
        by_command.join(", "),
        bytes(summary.bytes_read),
        bytes(summary.bytes_written),
        summary.partial_pages,
        summary.pages_programmed,
        summary.erases,
        summary.most_erases,
        micros(response.mean),
        response.p99_9.map_or_else(|| "-".into(), |ns| micros(ns as f64)),
        micros(response.max as f64),
    )
}
