//! Several files as one trace, one after the other; what that shares with files merged by time.

use crate::error::WorkloadError;
use crate::formats::Counts;
use crate::formats::format::Engine;
use crate::looped::{FEWER_FILES, check_latest};
use crate::reader::TraceReader;
use crate::request::Request;
use crate::source::Source;
use std::collections::{BTreeMap, HashMap};

/// Longest gap between two files whose clocks are taken for one: 30 days. Longer ones are clocks of their own.
pub(crate) const LONGEST_GAP_NS: u64 = 30 * 24 * 3600 * 1_000_000_000;

/// Devices of all files, by name.
#[derive(Default)]
pub(crate) struct Devices {
    numbers: HashMap<String, u32>,
    names: Vec<String>,
}

impl Devices {
    /// The number of this device, a new one if there is none of this name.
    pub(crate) fn number(&mut self, name: String) -> u32 {
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.names.len() as u32 - 1
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn name(&self, device: u32) -> Option<String> {
        self.names.get(device as usize).cloned()
    }
}

/// The counts of all files; the last request arrives `last_ns` after the first.
pub(crate) fn counts_of<'a>(files: impl Iterator<Item = &'a TraceReader>, last_ns: u64) -> Counts {
    let mut all = Counts::default();
    for counts in files.map(TraceReader::counts) {
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
        (all.earliest_ns, all.latest_ns) = (Some(0), Some(last_ns));
    }
    all
}

/// Remarks on the files together, and then those on each.
pub(crate) fn notes_of<'a>(
    together: &[String],
    files: impl Iterator<Item = &'a TraceReader>,
) -> Vec<String> {
    let of_files = files.flat_map(|file| {
        let name = file.path().display().to_string();
        file.notes().into_iter().map(move |note| format!("{name}: {note}"))
    });
    together.iter().cloned().chain(of_files).collect()
}

/// The remark on a file whose first request arrives so long after the last one of all files before.
pub(crate) fn goes_on(file: &TraceReader, gap_ns: u64) -> String {
    format!(
        "{} goes on {:.3} s after the file before it",
        file.path().display(),
        gap_ns as f64 / 1e9
    )
}

/// The remark on a file whose clock has nothing to do with those before.
pub(crate) fn own_clock(file: &TraceReader) -> String {
    let name = file.path().display();
    format!("{name} begins when the file before it ends: its clock does not go on from there")
}

/// Reads files in order. A file whose clock goes on from the one before keeps its times; another begins when the one
/// before ends.
pub(crate) struct Chain {
    files: Vec<TraceReader>,
    at: usize,
    /// Added to the arrivals of the file at hand, ns; `None` before its first request.
    shift_ns: Option<u64>,
    /// The clock of the first file at its first request.
    base_ns: u64,
    /// Latest arrival so far, ns.
    last_ns: u64,
    devices: Devices,
    /// Devices of the file at hand as devices of all.
    renamed: BTreeMap<u32, u32>,
    /// How each file follows the one before.
    notes: Vec<String>,
}

impl Chain {
    pub(crate) fn new(files: Vec<TraceReader>) -> Self {
        Self {
            files,
            at: 0,
            shift_ns: None,
            base_ns: 0,
            last_ns: 0,
            devices: Devices::default(),
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
        let shift = base_ns.checked_sub(self.base_ns).filter(|shift| *shift >= self.last_ns);
        let shift = shift.filter(|shift| shift - self.last_ns <= LONGEST_GAP_NS);
        if !file.has_arrivals() {
            return 0;
        }
        self.notes.push(match shift {
            Some(shift) => goes_on(file, shift - self.last_ns),
            None => own_clock(file),
        });
        shift.unwrap_or(self.last_ns)
    }

    /// The device of all files for one of the file at hand.
    fn device(&mut self, device: u32) -> u32 {
        let (file, devices) = (&self.files[self.at], &mut self.devices);
        *self.renamed.entry(device).or_insert_with(|| devices.number(file.device_name(device)))
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
            check_latest(self.last_ns, FEWER_FILES)?;
            break;
        }
        Ok(out.len() - before)
    }

    fn counts(&self) -> Counts {
        counts_of(self.files.iter(), self.last_ns)
    }

    fn has_arrivals(&self) -> bool {
        self.files[0].has_arrivals()
    }

    fn has_devices(&self) -> bool {
        true
    }

    fn assumed_units(&self) -> (Option<u64>, Option<u64>) {
        self.files[0].units()
    }

    fn base_ns(&self) -> Option<u64> {
        self.files[0].base_ns()
    }

    fn files(&self) -> Option<String> {
        Some(format!("{} files, one after the other", self.files.len()))
    }

    fn notes(&self) -> Vec<String> {
        notes_of(&self.notes, self.files.iter())
    }

    fn device_name(&self, device: u32) -> Option<String> {
        self.devices.name(device)
    }
}
