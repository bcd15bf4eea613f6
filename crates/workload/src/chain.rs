//! Several files as one trace, one after the other.

use crate::error::WorkloadError;
use crate::formats::Counts;
use crate::formats::format::Engine;
use crate::looped::check_latest;
use crate::options::TraceOptions;
use crate::reader::{TraceReader, open};
use crate::request::Request;
use crate::source::Source;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Opens files that follow each other as one trace; one file is a trace as it is.
///
/// A file whose clock goes on from the one before keeps its times; another begins when the one before ends.
///
/// # Errors
/// As [`open`]; files of different formats, and files with arrival times beside files without.
pub fn open_all(paths: &[PathBuf], options: &TraceOptions) -> Result<TraceReader, WorkloadError> {
    let mut files: Vec<TraceReader> = Vec::new();
    for path in paths {
        let file = open(path, options)?;
        if let Some(first) = files.first() {
            let unfit = |reason| WorkloadError::Format { path: path.clone(), reason };
            let (one, other) = (first.format().name, file.format().name);
            if one != other {
                let first = first.path().display();
                return Err(unfit(format!(
                    "files of one trace have one format: {first} is {one}, this is {other}"
                )));
            }
            if first.has_arrivals() != file.has_arrivals() {
                return Err(unfit(
                    "of one trace either all files have arrival times, or none".into(),
                ));
            }
        }
        files.push(file);
    }
    match files.len() {
        0 => Err(WorkloadError::Unfit("a trace needs a file".into())),
        1 => Ok(files.remove(0)),
        _ => Ok(TraceReader::over(files, |files| Box::new(Chain::new(files)))),
    }
}

/// Longest gap between two files whose clocks are taken for one: 30 days. Longer ones are clocks of their own.
const LONGEST_GAP_NS: u64 = 30 * 24 * 3600 * 1_000_000_000;

/// Reads files in order. A file whose clock goes on from the one before keeps its times; another begins when the one
/// before ends.
struct Chain {
    files: Vec<TraceReader>,
    at: usize,
    /// Added to the arrivals of the file at hand, ns; `None` before its first request.
    shift_ns: Option<u64>,
    /// The clock of the first file at its first request.
    base_ns: u64,
    /// Latest arrival so far, ns.
    last_ns: u64,
    /// Devices of all files, by name.
    devices: Vec<String>,
    /// Devices of the file at hand as devices of all.
    renamed: BTreeMap<u32, u32>,
    /// How each file follows the one before.
    notes: Vec<String>,
}

impl Chain {
    fn new(files: Vec<TraceReader>) -> Self {
        Self {
            files,
            at: 0,
            shift_ns: None,
            base_ns: 0,
            last_ns: 0,
            devices: Vec::new(),
            renamed: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    /// The shift of the file at hand, whose first request has been read.
    fn begin(&mut self) -> u64 {
        let file = &self.files[self.at];
        let base_ns = file.base_ns().unwrap_or(0);
        if self.at == 0 {
            self.base_ns = base_ns;
            return 0;
        }
        let goes_on = base_ns.checked_sub(self.base_ns).filter(|shift| *shift >= self.last_ns);
        let goes_on = goes_on.filter(|shift| shift - self.last_ns <= LONGEST_GAP_NS);
        let name = file.path().display();
        if !file.has_arrivals() {
            return 0;
        }
        let (note, shift) = match goes_on {
            Some(shift) => {
                let gap = (shift - self.last_ns) as f64 / 1e9;
                (format!("{name} goes on {gap:.3} s after the file before it"), shift)
            }
            None => (
                format!("{name} has a clock of its own: it begins when the file before it ends"),
                self.last_ns,
            ),
        };
        self.notes.push(note);
        shift
    }

    /// The device of all files for one of the file at hand.
    fn device(&mut self, device: u32) -> u32 {
        if let Some(known) = self.renamed.get(&device) {
            return *known;
        }
        let name = self.files[self.at].device_name(device);
        let place = self.devices.iter().position(|other| *other == name).unwrap_or_else(|| {
            self.devices.push(name);
            self.devices.len() - 1
        });
        self.renamed.insert(device, place as u32);
        place as u32
    }
}

impl Engine for Chain {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let before = out.len();
        while self.at < self.files.len() && max > 0 {
            if self.files[self.at].fill(out, max)? == 0 {
                self.at += 1;
                self.shift_ns = None;
                self.renamed.clear();
                continue;
            }
            let shift_ns = match self.shift_ns {
                Some(shift) => shift,
                None => {
                    let shift = self.begin();
                    *self.shift_ns.insert(shift)
                }
            };
            for request in &mut out[before..] {
                request.arrival_ns = request.arrival_ns.saturating_add(shift_ns);
                self.last_ns = self.last_ns.max(request.arrival_ns);
                request.device = self.device(request.device);
            }
            check_latest(self.last_ns)?;
            break;
        }
        Ok(out.len() - before)
    }

    fn counts(&self) -> Counts {
        let mut all = Counts::default();
        for counts in self.files.iter().map(TraceReader::counts) {
            all.read += counts.read;
            all.kept += counts.kept;
            for (reason, count) in counts.dropped {
                *all.dropped.entry(reason).or_default() += count;
            }
            all.requests += counts.requests;
            all.out_of_order += counts.out_of_order;
            all.before_first += counts.before_first;
            all.first_bad = all.first_bad.or(counts.first_bad);
        }
        // Of several clocks, the time is that since the first request.
        if all.requests > 0 {
            (all.earliest_ns, all.latest_ns) = (Some(0), Some(self.last_ns));
        }
        all
    }

    fn has_arrivals(&self) -> bool {
        self.files[0].has_arrivals()
    }

    fn base_ns(&self) -> Option<u64> {
        self.files[0].base_ns()
    }

    fn notes(&self) -> Vec<String> {
        let of_files = self.files.iter().flat_map(|file| {
            let name = file.path().display().to_string();
            file.notes().into_iter().map(move |note| format!("{name}: {note}"))
        });
        let mut notes = vec![format!("{} files, one after the other", self.files.len())];
        notes.extend(self.notes.iter().cloned());
        notes.extend(of_files);
        notes
    }

    fn device_name(&self, device: u32) -> Option<String> {
        self.devices.get(device as usize).cloned()
    }
}
