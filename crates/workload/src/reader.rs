//! Reading a trace: open a file of any format, take requests, see what was read and dropped.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::detect::{Detected, detect};
use crate::formats::buffer::Buffer;
use crate::formats::{Action, Counts, Engine, FormatInfo, Opening};
use crate::input::{Compression, Input, Progress};
use crate::{Op, Request, Source, WorkloadError};

/// What to do at a line or record that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnBadLine {
    /// Stop with an error that says what is wrong and where.
    #[default]
    Stop,
    /// Skip it and count it. A file that is cut off, damaged or too long in a line is an error still.
    Skip,
}

/// How to read a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TraceOptions {
    /// The format's name; without it the format is recognised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// What to do at a line that cannot be read.
    pub on_bad_line: OnBadLine,
    /// Which events of a blkparse or blktrace trace are taken as arrivals; without it, Q if the beginning of
    /// the file has such an event, else D.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<Action>,
    /// What every request does, for a format that does not say: a read or a write.
    #[serde(with = "assumed", skip_serializing_if = "Option::is_none")]
    pub assume_op: Option<Op>,
}

/// `read` or `write`, in a file of options.
mod assumed {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::Op;
    use crate::formats::csv::op_name;

    pub(super) fn serialize<S: Serializer>(op: &Option<Op>, to: S) -> Result<S::Ok, S::Error> {
        op.map(op_name).serialize(to)
    }

    pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Option<Op>, D::Error> {
        match Option::<String>::deserialize(from)?.as_deref() {
            None => Ok(None),
            Some("read") => Ok(Some(Op::Read)),
            Some("write") => Ok(Some(Op::Write)),
            Some(other) => {
                Err(D::Error::custom(format!("assume_op must be read or write, not `{other}`")))
            }
        }
    }
}

/// A trace being read. Arrivals count from the first request; the order is the file's. A request that arrives
/// earlier than the one before it keeps its arrival and is counted; one that arrives before the first has
/// arrival 0.
pub struct TraceReader {
    engine: Box<dyn Engine>,
    path: PathBuf,
    format: &'static FormatInfo,
    how: String,
    compression: Compression,
    progress: Vec<Progress>,
    notes: Vec<String>,
}

/// Opens a trace and recognises its format and compression. `path` may also be the NAME of a blktrace whose
/// files are `NAME.blktrace.0`, `NAME.blktrace.1`, …: they are merged by time.
///
/// # Errors
/// A file that cannot be read, is empty, or is of no format that can be recognised; options that do not fit
/// the format.
pub fn open(path: &Path, options: &TraceOptions) -> Result<TraceReader, WorkloadError> {
    let files = if path.exists() { Vec::new() } else { per_processor(path) };
    let buffers = buffers(path, &files)?;
    let unfit = |reason| WorkloadError::Format { path: path.to_owned(), reason };
    let Some(first) = buffers.first() else { return Err(unfit("all files are empty".into())) };
    let detected = detect(path, &first.head(), options.format.as_deref()).map_err(unfit)?;
    let Detected { format, how, looks_like } = detected;
    check(options, format).map_err(unfit)?;
    if buffers.len() > 1 && format.name != "blktrace" {
        return Err(unfit(format!(
            "several files are merged for blktrace only, not {}",
            format.name
        )));
    }
    let compression = first.input.compression;
    let progress = buffers.iter().map(|buffer| buffer.input.progress.clone()).collect();
    let notes = files_note(path, format, &files);
    let engine = (format.open)(Opening { buffers, options: options.clone(), looks_like })?;
    Ok(TraceReader { engine, path: path.to_owned(), format, how, compression, progress, notes })
}

/// The files, their beginnings read: `path` itself, or those of the processors.
fn buffers(path: &Path, files: &[PathBuf]) -> Result<Vec<Buffer>, WorkloadError> {
    let mut buffers = Vec::new();
    let itself = [path.to_owned()];
    for file in if files.is_empty() { &itself } else { files } {
        let mut buffer = Buffer::new(Input::open(file)?);
        buffer.fill_head()?;
        // A processor that did nothing leaves an empty file.
        if files.is_empty() || !buffer.head().bytes.is_empty() {
            buffers.push(buffer);
        }
    }
    Ok(buffers)
}

/// An option that the format has no use for is an error, not without effect.
fn check(options: &TraceOptions, format: &FormatInfo) -> Result<(), String> {
    if options.action.is_some() && !format.has_actions {
        return Err(format!(
            "an action (--action) is chosen for blkparse and blktrace; the {} format has none",
            format.name
        ));
    }
    if options.assume_op.is_some() && !format.lacks_op {
        return Err(format!(
            "an operation is assumed (--assume-op) only where the format has none; the {} format says what each request \
             does",
            format.name
        ));
    }
    Ok(())
}

/// The files `path.blktrace.N` or `path.N`, by N.
fn per_processor(path: &Path) -> Vec<PathBuf> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Some(name) = path.file_name().map(|n| n.to_string_lossy().into_owned()) else {
        return Vec::new();
    };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let number = |file: &str| {
        let rest = file.strip_prefix(&name)?;
        let rest = rest.strip_prefix(".blktrace").unwrap_or(rest).strip_prefix('.')?;
        rest.parse::<u32>().ok()
    };
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            Some((number(&path.file_name()?.to_string_lossy())?, path))
        })
        .collect();
    files.sort();
    files.into_iter().map(|(_, path)| path).collect()
}

fn files_note(path: &Path, format: &FormatInfo, merged: &[PathBuf]) -> Vec<String> {
    if !merged.is_empty() {
        return vec![format!("{} files, one a processor, were merged by time", merged.len())];
    }
    let alone = path.with_extension("");
    let one_of_several = format.name == "blktrace"
        && path.extension().is_some_and(|e| e.to_string_lossy().parse::<u32>().is_ok())
        && per_processor(&alone).len() > 1;
    if !one_of_several {
        return Vec::new();
    }
    vec![format!(
        "this is the file of one processor; `{}` stands for those of all",
        alone.with_extension("").display()
    )]
}

impl TraceReader {
    /// The file, as it was named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The format.
    #[must_use]
    pub fn format(&self) -> &'static FormatInfo {
        self.format
    }

    /// How the format was recognised.
    #[must_use]
    pub fn recognised_by(&self) -> &str {
        &self.how
    }

    /// How the file is compressed.
    #[must_use]
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// What was read, kept and dropped so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.engine.counts()
    }

    /// What a user should know of how the trace was taken; complete when all has been read.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.extend(self.engine.notes());
        notes
    }

    /// What the trace calls this device.
    #[must_use]
    pub fn device_name(&self, device: u32) -> String {
        self.engine.device_name(device).unwrap_or_else(|| device.to_string())
    }

    /// Bytes of the file read so far, and all its bytes (0 where unknown, as for a pipe).
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        let add = |(a, b): (u64, u64), (c, d): (u64, u64)| (a + c, b + d);
        self.progress.iter().map(Progress::bytes).fold((0, 0), add)
    }
}

impl Source for TraceReader {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        self.engine.fill(out, max)
    }

    fn has_arrivals(&self) -> bool {
        self.engine.has_arrivals()
    }
}

impl std::fmt::Debug for TraceReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TraceReader")
            .field("path", &self.path)
            .field("format", &self.format)
            .finish()
    }
}
