//! Several files as one trace, merged by time.

use crate::chain::{Devices, LONGEST_GAP_NS, counts_of, goes_on, notes_of, own_clock};
use crate::error::WorkloadError;
use crate::formats::Counts;
use crate::formats::format::Engine;
use crate::looped::{FEWER_FILES, check_latest};
use crate::reader::TraceReader;
use crate::request::Request;
use crate::source::Source;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Requests of a file that are read ahead: 80 KiB.
const AHEAD: usize = 1024;

/// Files by their clocks. Each keeps the order of its requests: one that arrives before the one before it in its file
/// comes right behind that.
pub(crate) struct Merged {
    /// In the order of their first arrivals.
    files: Vec<File>,
    /// The next arrival of each file that plays, and its place in `files`.
    playing: BinaryHeap<Reverse<(u64, usize)>>,
    /// The first file that does not play yet.
    next: usize,
    /// The clock of the file that began the time at hand, and the arrival of its first request, ns.
    clock: (u64, u64),
    /// Latest arrival so far, ns.
    last_ns: u64,
    devices: Devices,
    /// Devices of files that name none, while they are in use.
    unnamed: BTreeSet<usize>,
    /// Files that begin while others play, and devices of theirs that others have had.
    overlapping: usize,
    /// Files whose clock does not go on from those before.
    apart: usize,
    shared: BTreeSet<u32>,
    notes: Vec<String>,
}

/// A file, read ahead.
struct File {
    reader: TraceReader,
    /// Its clock at its first request.
    base_ns: u64,
    /// Added to its arrivals, ns.
    shift_ns: u64,
    ahead: Vec<Request>,
    at: usize,
    /// Its devices as devices of all.
    renamed: BTreeMap<u32, u32>,
    /// True if it began while others played.
    overlaps: bool,
    /// Its place among the devices without names.
    unnamed: Option<usize>,
}

impl File {
    fn open(reader: TraceReader) -> Result<Self, WorkloadError> {
        let (ahead, renamed) = (Vec::with_capacity(AHEAD), BTreeMap::new());
        let mut file = Self {
            reader,
            base_ns: 0,
            shift_ns: 0,
            ahead,
            at: 0,
            renamed,
            overlaps: false,
            unnamed: None,
        };
        file.read()?;
        file.base_ns = file.reader.base_ns().unwrap_or(0);
        Ok(file)
    }

    fn read(&mut self) -> Result<(), WorkloadError> {
        self.ahead.clear();
        self.at = 0;
        self.reader.fill(&mut self.ahead, AHEAD).map(drop)
    }

    /// Arrival of the request at hand; `None` at the end.
    fn arrival(&self) -> Option<u64> {
        Some(self.ahead.get(self.at)?.arrival_ns.saturating_add(self.shift_ns))
    }
}

/// The name of a device that has none.
fn unnamed_name(place: usize) -> String {
    format!("unnamed {place}")
}

impl Merged {
    pub(crate) fn new(files: Vec<TraceReader>) -> Result<Self, WorkloadError> {
        let mut files = files.into_iter().map(File::open).collect::<Result<Vec<_>, _>>()?;
        files.sort_by_key(|file| file.base_ns);
        let clock = (files[0].base_ns, 0);
        Ok(Self {
            files,
            playing: BinaryHeap::new(),
            next: 0,
            clock,
            last_ns: 0,
            devices: Devices::default(),
            unnamed: BTreeSet::new(),
            overlapping: 0,
            apart: 0,
            shared: BTreeSet::new(),
            notes: Vec::new(),
        })
    }

    /// When the next file begins by the clock at hand, ns.
    fn next_begins(&self) -> Option<u64> {
        let (base_ns, at_ns) = self.clock;
        Some((self.files.get(self.next)?.base_ns - base_ns).saturating_add(at_ns))
    }

    /// Lets the next file play.
    fn begin(&mut self, mut begin_ns: u64) {
        let at = self.next;
        self.next += 1;
        let alone = self.playing.is_empty();
        let file = &mut self.files[at];
        if alone && begin_ns.saturating_sub(self.last_ns) > LONGEST_GAP_NS {
            begin_ns = self.last_ns;
            self.clock = (file.base_ns, begin_ns);
            self.apart += 1;
            self.notes.push(own_clock(&file.reader));
        } else if alone && at > 0 {
            self.notes.push(goes_on(&file.reader, begin_ns.saturating_sub(self.last_ns)));
        }
        self.overlapping += usize::from(!alone);
        (file.shift_ns, file.overlaps) = (begin_ns, !alone);
        if !file.reader.has_devices() {
            let free = (0..).find(|place| !self.unnamed.contains(place)).unwrap_or_default();
            self.unnamed.insert(free);
            file.unnamed = Some(free);
            if free > 0 {
                self.notes.push(format!(
                    "{} names no device and overlaps others: its addresses are those of a device of its own, `{}`",
                    file.reader.path().display(),
                    unnamed_name(free)
                ));
            }
        }
        self.playing.extend(file.arrival().map(|arrival| Reverse((arrival, at))));
    }

    /// Gives requests of a file until that of another is due.
    fn play(
        &mut self,
        at: usize,
        out: &mut Vec<Request>,
        full: usize,
    ) -> Result<(), WorkloadError> {
        let due = self.playing.peek().map_or((u64::MAX, usize::MAX), |Reverse(due)| *due);
        let due = self.next_begins().map_or(due, |begin| due.min((begin, 0)));
        let (file, devices) = (&mut self.files[at], &mut self.devices);
        while let Some(arrival_ns) = file.arrival() {
            if out.len() == full || (arrival_ns, at) > due {
                self.playing.push(Reverse((arrival_ns, at)));
                return Ok(());
            }
            let mut request = file.ahead[file.at];
            let (reader, unnamed) = (&file.reader, file.unnamed);
            request.arrival_ns = arrival_ns;
            request.device = *file.renamed.entry(request.device).or_insert_with_key(|device| {
                let before = devices.len();
                let name = unnamed.map_or_else(|| reader.device_name(*device), unnamed_name);
                let number = devices.number(name);
                if file.overlaps && (number as usize) < before {
                    self.shared.insert(number);
                }
                number
            });
            self.last_ns = self.last_ns.max(arrival_ns);
            out.push(request);
            file.at += 1;
            if file.at == file.ahead.len() {
                file.read()?;
            }
        }
        file.unnamed.inspect(|place| {
            self.unnamed.remove(place);
        });
        Ok(())
    }
}

impl Engine for Merged {
    fn fill(&mut self, out: &mut Vec<Request>, max: usize) -> Result<usize, WorkloadError> {
        let (before, full) = (out.len(), out.len() + max);
        while out.len() < full {
            let due = self.playing.peek().map(|Reverse((arrival_ns, _))| *arrival_ns);
            if let Some(begin) = self.next_begins()
                && due.is_none_or(|due| begin <= due)
            {
                self.begin(begin);
            } else if let Some(Reverse((_, at))) = self.playing.pop() {
                self.play(at, out, full)?;
            } else {
                break;
            }
        }
        check_latest(self.last_ns, FEWER_FILES)?;
        Ok(out.len() - before)
    }

    fn counts(&self) -> Counts {
        counts_of(self.files.iter().map(|file| &file.reader), self.last_ns)
    }

    fn has_arrivals(&self) -> bool {
        true
    }

    fn has_devices(&self) -> bool {
        true
    }

    fn assumed_units(&self) -> (Option<u64>, Option<u64>) {
        self.files[0].reader.units()
    }

    fn base_ns(&self) -> Option<u64> {
        Some(self.files[0].base_ns)
    }

    fn files(&self) -> Option<String> {
        let files = self.files.len();
        let apart = match self.apart {
            0 => "",
            1 => "; one begins more than 30 days after the others have ended, and follows at once",
            _ => {
                "; several begin more than 30 days after those before have ended, and follow at once"
            }
        };
        let begin = match self.overlapping {
            0 => {
                return Some(format!("{files} files, one after the other by their clocks{apart}"));
            }
            1 => "one begins".to_owned(),
            n => format!("{n} begin"),
        };
        let mut names = self.shared.iter().filter_map(|&device| self.devices.name(device));
        let shared = match (names.next(), names.count()) {
            (None, _) => String::new(),
            (Some(name), 0) => format!("; device {name} of several is one"),
            (Some(name), more) => format!("; device {name} of several is one, and {more} more"),
        };
        Some(format!(
            "{files} files, merged by time: {begin} before others have ended{shared}{apart}; --chain plays them in turn"
        ))
    }

    fn notes(&self) -> Vec<String> {
        notes_of(&self.notes, self.files.iter().map(|file| &file.reader))
    }

    fn device_name(&self, device: u32) -> Option<String> {
        self.devices.name(device)
    }
}
