//! `trace convert`: conversion from any format to a writable one, with a count of what is lost.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::WorkloadError;
use crate::formats::Counts;
use crate::formats::format::FormatInfo;
use crate::formats::names;
use crate::formats::writing::{Loss, Writer, Writing};
use crate::output::Output;
use crate::plausible::Signs;
use crate::reader::TraceReader;
use crate::request::Request;
use crate::source::Source;

/// Result of a conversion.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Converted {
    /// Requests written.
    pub written: u64,
    /// Requests left out because the target format cannot hold them.
    pub left_out: u64,
    /// Number of requests per kind of loss.
    pub losses: BTreeMap<Loss, u64>,
    /// Devices whose numbers do not fit or were taken, by name in the source, and their numbers in the target.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub renumbered: BTreeMap<String, u32>,
    /// Records of the source read, kept and dropped.
    pub counts: Counts,
    /// How several files are played; `None` for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<String>,
    /// Remarks on how the source was taken.
    pub notes: Vec<String>,
    /// Signs that the units or the format of the source may be wrong.
    pub warnings: Vec<String>,
}

impl Converted {
    /// With what is known of the source once all is read.
    fn of(self, reader: &TraceReader, signs: &Signs) -> Self {
        let (counts, notes) = (reader.counts(), reader.notes());
        Self { counts, files: reader.files(), notes, warnings: signs.of(reader), ..self }
    }
}

/// Writes all requests of `reader` to the file `to`, compressed as its name asks for: see [`Output`].
///
/// The file appears only when it is complete, and takes the place of one that is there; a link is refused.
/// Without `allow_loss` the first request that would lose something ends the conversion. What the source does not have is
/// not lost: see [`Loss::is_of_source`].
/// `watch` is called regularly; if it returns false, the conversion stops.
///
/// # Errors
/// Any error of the trace; a loss without `allow_loss`; a file that cannot be written.
pub fn convert(
    mut reader: TraceReader,
    to: &Path,
    target: &'static FormatInfo,
    allow_loss: bool,
    mut watch: impl FnMut(&TraceReader) -> bool,
) -> Result<Converted, WorkloadError> {
    if to.exists() && same_file(reader.path(), to) {
        return Err(unfit(to, "the trace cannot be converted into itself: name another file"));
    }
    let Some(writing) = target.writing else {
        return Err(unfit(to, format!("the {} format is read but not written", target.name)));
    };
    crate::output::check(to).map_err(|error| unfit(to, error.to_string()))?;
    let partial = Partial::create(to)?;
    let io = |source| WorkloadError::Io { path: to.to_owned(), source };
    let file = partial.file.try_clone().map_err(io)?;
    let ending = to.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let is = |name: &str| ending.as_deref() == Some(name);
    if is("arrow") || is("feather") || is("ipc") {
        return Err(unfit(
            to,
            "Arrow IPC (Feather) is not written: give it the ending .parquet or .csv",
        ));
    }
    if is("parquet") {
        return to_parquet(reader, partial, to, target, watch);
    }
    let mut out = Output::new(file, to).map_err(io)?;
    let mut writer = Written::new(writing, reader.has_arrivals());
    let (mut batch, mut signs) = (Vec::new(), Signs::default());
    while reader.fill(&mut batch, 8192)? > 0 {
        for request in batch.drain(..) {
            signs.take(&request);
            writer.add(&request, &|device| reader.device_name(device));
            if !allow_loss && writer.done.losses.keys().any(|loss| !loss.is_of_source()) {
                return Err(lossy(to, target.name, &writer.done, &request));
            }
        }
        out.write_all(&writer.text).map_err(io)?;
        writer.text.clear();
        if !watch(&reader) {
            return Err(unfit(to, "the conversion was given up: nothing was written"));
        }
    }
    writer.writer.end(&mut writer.text);
    out.write_all(&writer.text).and_then(|()| out.finish()).map_err(io)?;
    partial.complete(to)?;
    Ok(writer.done.of(&reader, &signs))
}

/// Writes the requests as Parquet, which holds ftlkit's own table.
#[cfg(feature = "parquet")]
fn to_parquet(
    mut reader: TraceReader,
    partial: Partial,
    to: &Path,
    target: &'static FormatInfo,
    mut watch: impl FnMut(&TraceReader) -> bool,
) -> Result<Converted, WorkloadError> {
    if target.name != "csv" {
        let reason =
            format!("Parquet holds ftlkit's own table (csv), not the {} format", target.name);
        return Err(unfit(to, reason));
    }
    let io = |source| WorkloadError::Io { path: to.to_owned(), source };
    let file = partial.file.try_clone().map_err(io)?;
    let mut table = crate::parquet::Table::new(file, reader.has_arrivals()).map_err(io)?;
    let mut done = Converted::default();
    let (mut batch, mut signs) = (Vec::new(), Signs::default());
    while reader.fill(&mut batch, 8192)? > 0 {
        batch.iter().for_each(|request| signs.take(request));
        table.add(&batch).map_err(io)?;
        done.written += batch.len() as u64;
        batch.clear();
        if !watch(&reader) {
            return Err(unfit(to, "the conversion was given up: nothing was written"));
        }
    }
    table.finish().map_err(io)?;
    partial.complete(to)?;
    Ok(done.of(&reader, &signs))
}

#[cfg(not(feature = "parquet"))]
fn to_parquet(
    _: TraceReader,
    _: Partial,
    to: &Path,
    _: &'static FormatInfo,
    _: impl FnMut(&TraceReader) -> bool,
) -> Result<Converted, WorkloadError> {
    Err(unfit(to, crate::error::absent("writing Parquet", "parquet")))
}

fn unfit(path: &Path, reason: impl Into<String>) -> WorkloadError {
    WorkloadError::Format { path: path.to_owned(), reason: reason.into() }
}

fn lossy(to: &Path, target: &str, done: &Converted, request: &Request) -> WorkloadError {
    let lost = done.losses.keys().filter(|loss| !loss.is_of_source());
    let lost: Vec<_> = lost.map(|loss| loss.words()).collect();
    unfit(
        to,
        format!(
            "the {} format cannot hold {} (request {}: {} of {} bytes at {}); allow the loss, or convert to \
             {}, which holds everything",
            target,
            lost.join(" and "),
            done.written + done.left_out,
            request.op.name(),
            request.length,
            request.offset,
            names(|info| info.writing.is_some_and(Writing::is_lossless))
        ),
    )
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// A file under a temporary name until it is complete; removed if it never is.
struct Partial {
    path: PathBuf,
    file: File,
    complete: bool,
}

impl Partial {
    fn create(to: &Path) -> Result<Self, WorkloadError> {
        // A rename would put a file in the place of a device or a pipe, or of a link.
        let kind = std::fs::symlink_metadata(to).map(|metadata| metadata.file_type());
        if kind.is_ok_and(|kind| !kind.is_file()) {
            let reason = "is no file: a conversion is complete before it takes the place of its target; name a file";
            return Err(unfit(to, reason));
        }
        let mut name = to.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.partial", std::process::id()));
        let path = to.with_file_name(name);
        // What is there already, a link above all, is another's.
        let file = File::create_new(&path)
            .map_err(|source| WorkloadError::Io { path: to.to_owned(), source })?;
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
            // If this fails nothing more can be done.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Converts requests to the target's text and counts the losses.
struct Written {
    writing: &'static Writing,
    writer: Box<dyn Writer>,
    arrivals: bool,
    text: Vec<u8>,
    done: Converted,
    devices: Numbers,
}

/// Numbers of devices in a target that has a last one.
#[derive(Default)]
struct Numbers {
    of: HashMap<u32, u32>,
    taken: HashSet<u32>,
    /// No number below is free.
    next: u32,
}

impl Numbers {
    /// The number of a device, its own if it fits and is free, else the lowest that is free; `None` beyond `last`.
    ///
    /// True if this is another number that was not given before.
    fn number(&mut self, device: u32, last: u32) -> Option<(u32, bool)> {
        if let Some(&number) = self.of.get(&device) {
            return Some((number, false));
        }
        while self.taken.contains(&self.next) {
            self.next += 1;
        }
        let own = device <= last && !self.taken.contains(&device);
        let number = if own { device } else { self.next };
        if number > last {
            return None;
        }
        self.taken.insert(number);
        self.of.insert(device, number);
        Some((number, !own))
    }
}

impl Written {
    fn new(writing: &'static Writing, arrivals: bool) -> Self {
        let (mut writer, mut text) = ((writing.start)(), Vec::new());
        writer.begin(&mut text, arrivals);
        let (done, devices) = (Converted::default(), Numbers::default());
        Self { writing, writer, arrivals, text, done, devices }
    }

    fn add(&mut self, r: &Request, name: &dyn Fn(u32) -> String) {
        let mut r = *r;
        if let Some(limits) = &self.writing.limits
            && limits.last_device < u32::MAX
            && let Some((number, new)) = self.devices.number(r.device, limits.last_device)
        {
            if new {
                self.done.renumbered.insert(name(r.device), number);
            }
            r.device = number;
        }
        let mut left_out = false;
        for loss in self.writing.losses(&r, self.arrivals) {
            *self.done.losses.entry(loss).or_default() += 1;
            left_out |= loss.leaves_out();
        }
        if left_out {
            self.done.left_out += 1;
            return;
        }
        self.done.written += 1;
        self.writer.add(&mut self.text, &r, name);
    }
}
