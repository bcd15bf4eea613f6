//! `trace convert`: from any format to our csv, SPC, MSR or fio's I/O log, and what is lost on the way.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;
use serde::Serialize;

use crate::formats::csv::{HEADER, op_name};
use crate::{Op, Request, Source, TraceReader, WorkloadError};

/// A format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// Ours: nothing is lost.
    Csv,
    /// SPC: reads and writes at sectors.
    Spc,
    /// MSR Cambridge: reads and writes, times in 100-ns ticks.
    Msr,
    /// fio I/O log version 3: reads, writes, trims and flushes, times in µs.
    Fio,
}

impl Target {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Csv, Self::Spc, Self::Msr, Self::Fio];

    /// The name of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Spc => "spc",
            Self::Msr => "msr",
            Self::Fio => "fio",
        }
    }

    /// The target of this name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name() == name)
    }
}

/// What a target cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loss {
    /// The request: there is no such operation in the target. It is left out.
    Operation,
    /// The part of the offset below a sector.
    OffsetWithinSector,
    /// The part of the arrival below the target's unit of time.
    ArrivalPrecision,
    /// The measured response, or the part of it below the target's unit.
    Response,
    /// The flag for force unit access.
    Fua,
    /// The number of the device: the target's numbers are smaller. The request is left out.
    Device,
    /// That the trace has no arrival times: the target holds one for every request, here 0.
    NoArrivals,
}

impl Loss {
    /// What is lost, in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Operation => "requests of operations that the format has not (left out)",
            Self::OffsetWithinSector => "offsets within a sector (cut to the sector)",
            Self::ArrivalPrecision => "arrival times finer than the format's unit (cut)",
            Self::Response => "measured responses",
            Self::Fua => "force-unit-access flags",
            Self::Device => "requests of devices whose number is too large (left out)",
            Self::NoArrivals => "the lack of arrival times (all become 0)",
        }
    }

    fn leaves_out(self) -> bool {
        matches!(self, Self::Operation | Self::Device)
    }
}

/// What a conversion did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Converted {
    /// Requests written.
    pub written: u64,
    /// Requests left out, because the target cannot hold them.
    pub left_out: u64,
    /// What was lost, and of how many requests.
    pub losses: BTreeMap<Loss, u64>,
}

/// Writes all requests of `reader` to the file `to`, compressed with gzip where its name ends in `.gz`. The
/// file appears only when it is complete. Without `allow_loss` the first request that would lose something
/// ends it. `watch` is called now and then; where it returns false, the conversion is given up.
///
/// # Errors
/// Whatever is wrong with the trace; a loss that is not allowed; a file that cannot be written.
pub fn convert(
    mut reader: TraceReader,
    to: &Path,
    target: Target,
    allow_loss: bool,
    mut watch: impl FnMut(&TraceReader) -> bool,
) -> Result<Converted, WorkloadError> {
    if to.exists() && same_file(reader.path(), to) {
        return Err(unfit(to, "the trace cannot be converted into itself: name another file"));
    }
    let partial = Partial::create(to)?;
    let io = |source| WorkloadError::Io { path: to.to_owned(), source };
    let file = partial.file.try_clone().map_err(io)?;
    let mut out = if to.extension().is_some_and(|e| e == "gz") {
        Out::Gzip(GzEncoder::new(file, flate2::Compression::default()))
    } else {
        Out::Plain(file)
    };
    let mut writer = Writer::new(target, reader.has_arrivals());
    let mut batch = Vec::new();
    while reader.fill(&mut batch, 8192)? > 0 {
        for request in batch.drain(..) {
            writer.add(&request, |device| reader.device_name(device));
            if !allow_loss && !writer.done.losses.is_empty() {
                return Err(lossy(to, target, &writer.done, &request));
            }
        }
        out.write_all(&writer.text).map_err(io)?;
        writer.text.clear();
        if !watch(&reader) {
            return Err(unfit(to, "the conversion was given up: nothing was written"));
        }
    }
    writer.finish();
    out.write_all(&writer.text).and_then(|()| out.finish()).map_err(io)?;
    partial.complete(to)?;
    Ok(writer.done)
}

enum Out {
    Plain(File),
    Gzip(GzEncoder<File>),
}

impl Out {
    fn write_all(&mut self, text: &[u8]) -> std::io::Result<()> {
        match self {
            Self::Plain(file) => file.write_all(text),
            Self::Gzip(gzip) => gzip.write_all(text),
        }
    }

    fn finish(self) -> std::io::Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Gzip(gzip) => gzip.finish().map(drop),
        }
    }
}

fn unfit(path: &Path, reason: impl Into<String>) -> WorkloadError {
    WorkloadError::Format { path: path.to_owned(), reason: reason.into() }
}

fn lossy(to: &Path, target: Target, done: &Converted, request: &Request) -> WorkloadError {
    let lost: Vec<_> = done.losses.keys().map(|loss| loss.words()).collect();
    unfit(
        to,
        format!(
            "the {} format cannot hold {} (request {}: {} of {} bytes at {}); allow the loss, or convert to \
             csv, which holds everything",
            target.name(),
            lost.join(" and "),
            done.written + done.left_out,
            op_name(request.op),
            request.length,
            request.offset
        ),
    )
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// A file under another name until it is complete; removed if it never is.
struct Partial {
    path: PathBuf,
    file: File,
    complete: bool,
}

impl Partial {
    fn create(to: &Path) -> Result<Self, WorkloadError> {
        let mut name = to.file_name().unwrap_or_default().to_owned();
        name.push(".partial");
        let path = to.with_file_name(name);
        let file = File::create(&path)
            .map_err(|source| WorkloadError::Io { path: path.clone(), source })?;
        Ok(Self { path, file, complete: false })
    }

    fn complete(mut self, to: &Path) -> Result<(), WorkloadError> {
        let io = |source| WorkloadError::Io { path: to.to_owned(), source };
        self.file.sync_all().map_err(io)?;
        std::fs::rename(&self.path, to).map_err(io)?;
        self.complete = true;
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.complete {
            // Nothing better can be done where this fails.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Turns requests into the lines of a target.
struct Writer {
    target: Target,
    arrivals: bool,
    text: Vec<u8>,
    done: Converted,
    /// Names of the devices that fio's log has opened.
    opened: BTreeMap<u32, String>,
    last_ns: u64,
}

impl Writer {
    fn new(target: Target, arrivals: bool) -> Self {
        let mut text = Vec::new();
        match target {
            Target::Csv if arrivals => text.extend_from_slice(HEADER.as_bytes()),
            Target::Csv => {
                let (_, rest) = HEADER.split_once(',').unwrap_or_default();
                text.extend_from_slice(rest.as_bytes());
            }
            Target::Fio => text.extend_from_slice(b"fio version 3 iolog"),
            Target::Spc | Target::Msr => {}
        }
        if !text.is_empty() {
            text.push(b'\n');
        }
        let done = Converted::default();
        Self { target, arrivals, text, done, opened: BTreeMap::new(), last_ns: 0 }
    }

    fn add(&mut self, r: &Request, name: impl Fn(u32) -> String) {
        let losses = losses(self.target, r, self.arrivals);
        let mut left_out = false;
        for loss in losses.into_iter().flatten() {
            *self.done.losses.entry(loss).or_default() += 1;
            left_out |= loss.leaves_out();
        }
        if left_out {
            self.done.left_out += 1;
            return;
        }
        self.done.written += 1;
        match self.target {
            Target::Csv => self.csv(r),
            Target::Spc => self.spc(r),
            Target::Msr => self.msr(r),
            Target::Fio => self.fio(r, name),
        }
        self.text.push(b'\n');
    }

    fn csv(&mut self, r: &Request) {
        if self.arrivals {
            self.number(r.arrival_ns);
            self.text.push(b',');
        }
        self.number(u64::from(r.device));
        self.text.push(b',');
        self.text.extend_from_slice(op_name(r.op).as_bytes());
        self.text.extend_from_slice(if r.fua { b",1," } else { b",0," });
        self.number(r.offset);
        self.text.push(b',');
        self.number(r.length);
        self.text.push(b',');
        if let Some(response) = r.response_ns {
            self.number(response);
        }
    }

    fn spc(&mut self, r: &Request) {
        let op = if r.op == Op::Read { 'R' } else { 'W' };
        let (s, ns) = (r.arrival_ns / 1_000_000_000, r.arrival_ns % 1_000_000_000);
        self.line(format_args!("{},{},{},{op},{s}.{ns:09}", r.device, r.offset / 512, r.length));
    }

    fn msr(&mut self, r: &Request) {
        let op = if r.op == Op::Read { "Read" } else { "Write" };
        let response = r.response_ns.unwrap_or(0) / 100;
        let ticks = r.arrival_ns / 100;
        self.line(format_args!(
            "{ticks},ftlkit,{},{op},{},{},{response}",
            r.device, r.offset, r.length
        ));
    }

    fn fio(&mut self, r: &Request, name: impl Fn(u32) -> String) {
        let us = r.arrival_ns / 1_000;
        self.last_ns = self.last_ns.max(r.arrival_ns);
        if !self.opened.contains_key(&r.device) {
            // A blank would end the name. The number keeps devices apart whose names become the same, and
            // lets the reader give each device its number again.
            let name: String = name(r.device)
                .chars()
                .map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c })
                .collect();
            let suffix = format!("#{}", r.device);
            let told = name == suffix[1..] || name.ends_with(&suffix);
            let name = if told { name } else { name + &suffix };
            self.line(format_args!("{us} {name} add\n{us} {name} open\n"));
            self.opened.insert(r.device, name);
        }
        let name = self.opened[&r.device].clone();
        match r.op {
            Op::Flush => self.line(format_args!("{us} {name} sync 0 0")),
            Op::Read => self.line(format_args!("{us} {name} read {} {}", r.offset, r.length)),
            Op::Trim => self.line(format_args!("{us} {name} trim {} {}", r.offset, r.length)),
            Op::Write | Op::WriteZeroes => {
                self.line(format_args!("{us} {name} write {} {}", r.offset, r.length));
            }
        }
    }

    fn finish(&mut self) {
        let us = self.last_ns / 1_000;
        for name in std::mem::take(&mut self.opened).into_values() {
            self.line(format_args!("{us} {name} close\n"));
        }
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a Vec cannot fail.
        let _ = self.text.write_fmt(text);
    }

    fn number(&mut self, mut value: u64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (value % 10) as u8;
            value /= 10;
            if value == 0 {
                break;
            }
        }
        self.text.extend_from_slice(&digits[at..]);
    }
}

/// What `target` cannot hold of a request.
fn losses(target: Target, r: &Request, arrivals: bool) -> [Option<Loss>; 7] {
    let when = |lost: bool, loss| lost.then_some(loss);
    if target == Target::Csv {
        return [None; 7];
    }
    let (ops, tick_ns, disks): (&[Op], u64, u32) = match target {
        Target::Spc => (&[Op::Read, Op::Write], 1, u32::MAX),
        Target::Msr => (&[Op::Read, Op::Write], 100, (1 << 16) - 1),
        _ => (&[Op::Read, Op::Write, Op::Trim, Op::Flush], 1_000, u32::MAX),
    };
    let response = match target {
        // 0 ticks stand for a response that was not measured.
        Target::Msr => r.response_ns.is_some_and(|ns| !ns.is_multiple_of(tick_ns) || ns == 0),
        _ => r.response_ns.is_some(),
    };
    [
        when(!ops.contains(&r.op), Loss::Operation),
        when(target == Target::Spc && !r.offset.is_multiple_of(512), Loss::OffsetWithinSector),
        when(!r.arrival_ns.is_multiple_of(tick_ns), Loss::ArrivalPrecision),
        when(response, Loss::Response),
        when(r.fua, Loss::Fua),
        when(r.device > disks, Loss::Device),
        when(!arrivals, Loss::NoArrivals),
    ]
}
