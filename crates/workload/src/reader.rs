//! Trace reader: opens a file of any format, returns requests and counts dropped records.

use std::path::{Path, PathBuf};

use crate::detect::{Detected, detect};
use crate::error::WorkloadError;
use crate::formats::buffer::Buffer;
use crate::formats::format::{Engine, FormatInfo, Opening};
use crate::formats::{Counts, FORMATS, names};
use crate::input::{Compression, Input, Progress, is_there};
use crate::options::{OnBadLine, TraceOptions, Unit};
use crate::request::Request;
use crate::source::Source;
use crate::units::counted;

/// A trace being read.
///
/// Arrivals count from the first request, and requests keep the file's order.
/// A request that arrives earlier than its predecessor keeps its arrival and is counted.
/// One that arrives before the first request has arrival 0.
pub struct TraceReader {
    engine: Box<dyn Engine>,
    path: PathBuf,
    format: &'static FormatInfo,
    how: String,
    compression: Compression,
    progress: Vec<Progress>,
    notes: Vec<String>,
    scale: Option<Scale>,
    units_asked: bool,
}

/// Factors on addresses and lengths: the unit asked for over the format's own.
#[derive(Clone, Copy, Debug)]
struct Scale {
    offset: (u64, u64),
    length: (u64, u64),
}

impl Scale {
    /// The factors; `None` without any.
    ///
    /// # Errors
    /// A unit for a format that says its units itself.
    fn of(options: &TraceOptions, format: &FormatInfo) -> Result<Option<Self>, String> {
        let (lba, size) = (options.lba_unit, options.size_unit);
        if (lba.is_none() && size.is_none()) || format.units_by_header {
            return Ok(None);
        }
        let Some((own_lba, own_size)) = format.unit_bytes else {
            return Err(format!(
                "units (--lba-unit, --size-unit) are set for {}; the {} format says them itself",
                names(|info| info.unit_bytes.is_some() || info.units_by_header),
                format.name
            ));
        };
        let factor = |unit: Option<Unit>, own| (unit.map_or(own, Unit::bytes), own);
        Ok(Some(Self { offset: factor(lba, own_lba), length: factor(size, own_size) }))
    }

    /// The same request in bytes; `None` if its end is beyond 2^64.
    fn on(self, request: &Request) -> Option<Request> {
        let scaled = |value: u64, (unit, own): (u64, u64)| (value / own).checked_mul(unit);
        let (offset, length) =
            (scaled(request.offset, self.offset)?, scaled(request.length, self.length)?);
        offset.checked_add(length)?;
        Some(Request { offset, length, ..*request })
    }

    fn note(self) -> String {
        let unit = |(unit, _): (u64, u64)| counted(unit, "byte");
        format!("addresses in units of {}, lengths of {}", unit(self.offset), unit(self.length))
    }
}

/// Opens a trace and detects its format and compression.
///
/// `path` may also be the NAME of a trace in several files, as `NAME.blktrace.0`, `NAME.blktrace.1`, …: they
/// are merged by time.
///
/// # Errors
/// A file that cannot be read, is empty, or has no detectable format; options that do not fit the format.
pub fn open(path: &Path, options: &TraceOptions) -> Result<TraceReader, WorkloadError> {
    let files = if is_there(path) { Vec::new() } else { per_processor(path) };
    let buffers = buffers(path, &files, options.on_bad_line == OnBadLine::Skip)?;
    let unfit = |reason| WorkloadError::Format { path: path.to_owned(), reason };
    let Some(first) = buffers.first() else { return Err(unfit("all files are empty".into())) };
    let detected = detect(path, &first.head(), options.format.as_deref()).map_err(unfit)?;
    let Detected { format, how, looks_like } = detected;
    check(options, format).map_err(unfit)?;
    if buffers.len() > 1 && !format.merges {
        let merged = names(|info| info.merges);
        let name = format.name;
        return Err(unfit(format!("several files are merged for {merged} only, not {name}")));
    }
    let compression = first.input.compression;
    let progress = buffers.iter().map(|buffer| buffer.input.progress.clone()).collect();
    let mut notes = files_note(path, format, &files);
    let scale = Scale::of(options, format).map_err(unfit)?;
    notes.extend(scale.map(Scale::note));
    let engine = (format.open)(Opening { format, buffers, options: options.clone(), looks_like })?;
    let path = path.to_owned();
    let units_asked = options.lba_unit.is_some() || options.size_unit.is_some();
    Ok(TraceReader { engine, path, format, how, compression, progress, notes, scale, units_asked })
}

/// Opens the files and reads their beginnings: `path` itself, or the files per processor.
fn buffers(path: &Path, files: &[PathBuf], takes_cut: bool) -> Result<Vec<Buffer>, WorkloadError> {
    let mut buffers = Vec::new();
    let itself = [path.to_owned()];
    for file in if files.is_empty() { &itself } else { files } {
        let mut buffer = Buffer::new(Input::open(file)?, takes_cut);
        buffer.fill_head()?;
        // A processor without requests leaves an empty file.
        if files.is_empty() || !buffer.head().bytes.is_empty() {
            buffers.push(buffer);
        }
    }
    Ok(buffers)
}

/// An option without effect on the format is an error.
fn check(options: &TraceOptions, format: &FormatInfo) -> Result<(), String> {
    if options.action.is_some() && !format.has_actions {
        return Err(format!(
            "an action (--action) is chosen for {}; the {} format has none",
            names(|info| info.has_actions),
            format.name
        ));
    }
    if options.time_unit.is_some() && !format.units_by_header {
        return Err(format!(
            "a unit of times (--time-unit) is set for {} whose header names none; the {} format has one of its own, and \
             --time-scale changes times",
            names(|info| info.units_by_header),
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

/// True if [`open`] finds a file there: `path` itself, or the files per processor for which it stands.
#[must_use]
pub fn is_trace(path: &Path) -> bool {
    is_there(path) || !per_processor(path).is_empty()
}

/// The files `path.N`, or `path.FORMAT.N` for a format that is merged, sorted by N.
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
        let rest = rest.strip_prefix('.')?;
        let merged = FORMATS.iter().filter(|info| info.merges);
        let number = merged.filter_map(|info| rest.strip_prefix(info.name)?.strip_prefix('.'));
        number.chain([rest]).find_map(|number| number.parse::<u32>().ok())
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
    let one_of_several = format.merges
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
    /// The path as the caller gave it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The trace's own clock at arrival 0, ns; `None` before the first request.
    pub(crate) fn base_ns(&self) -> Option<u64> {
        self.engine.base_ns()
    }

    /// These files as one trace, read by an engine over all of them.
    pub(crate) fn over(
        files: Vec<Self>,
        engine: impl FnOnce(Vec<Self>) -> Result<Box<dyn Engine>, WorkloadError>,
    ) -> Result<Self, WorkloadError> {
        let first = &files[0];
        let (path, format, how) = (first.path.clone(), first.format, first.how.clone());
        let (compression, units_asked) = (first.compression, first.units_asked);
        let progress = files.iter().flat_map(|file| file.progress.iter().cloned()).collect();
        let engine = engine(files)?;
        let (notes, scale) = (Vec::new(), None);
        Ok(Self { engine, path, format, how, compression, progress, notes, scale, units_asked })
    }

    /// Format of the trace.
    #[must_use]
    pub fn format(&self) -> &'static FormatInfo {
        self.format
    }

    /// Reason for the detected format.
    #[must_use]
    pub fn recognised_by(&self) -> &str {
        &self.how
    }

    /// Bytes of the units of addresses and of lengths, where options may set others.
    pub(crate) fn units(&self) -> (Option<u64>, Option<u64>) {
        let own = self.format.unit_bytes.map(|(lba, size)| (Some(lba), Some(size)));
        own.unwrap_or_else(|| self.engine.assumed_units())
    }

    /// True if options say the units of addresses or lengths.
    pub(crate) fn units_asked(&self) -> bool {
        self.units_asked
    }

    /// Compression of the file.
    #[must_use]
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// Records read, kept and dropped so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.engine.counts()
    }

    /// Remarks on how the trace was taken; complete once everything has been read.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.extend(self.engine.notes());
        notes
    }

    /// How several files are played; `None` for one. Complete once everything has been read.
    #[must_use]
    pub fn files(&self) -> Option<String> {
        self.engine.files()
    }

    /// True if the trace says which device a request is for.
    pub(crate) fn has_devices(&self) -> bool {
        self.engine.has_devices()
    }

    /// Name of this device in the trace.
    #[must_use]
    pub fn device_name(&self, device: u32) -> String {
        self.engine.device_name(device).unwrap_or_else(|| device.to_string())
    }

    /// Bytes of the file read so far, and its size (0 if unknown, as for a pipe).
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        bytes_of(&self.progress)
    }

    /// The same, for who does not have the reader while it reads.
    pub(crate) fn watched(&self) -> impl Fn() -> (u64, u64) + use<> {
        let progress = self.progress.clone();
        move || bytes_of(&progress)
    }
}

impl Source for TraceReader {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let start = out.len();
        let count = self.engine.fill(out, max)?;
        if let Some(scale) = self.scale {
            for request in &mut out[start..] {
                *request = scale.on(request).ok_or_else(|| WorkloadError::Format {
                    path: self.path.clone(),
                    reason: format!(
                        "in these units a request of {} at {} ends beyond 2^64 bytes",
                        request.length, request.offset
                    ),
                })?;
            }
        }
        Ok(count)
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

fn bytes_of(files: &[Progress]) -> (u64, u64) {
    let add = |(a, b): (u64, u64), (c, d): (u64, u64)| (a + c, b + d);
    files.iter().map(Progress::bytes).fold((0, 0), add)
}

/// The path of a trace, or its first file's and the number of the others.
pub(crate) fn label(paths: &[PathBuf]) -> String {
    match paths {
        [] => String::new(),
        [path] => path.display().to_string(),
        [first, others @ ..] => format!("{} and {} more", first.display(), others.len()),
    }
}
