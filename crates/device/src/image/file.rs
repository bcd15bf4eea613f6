//! The file of an image: made, opened by one process, read and written.

use super::blocks::Blocks;
use super::description::Description;
use super::error::{ImageError, IoFailure};
use super::evidence::{Recovered, Survey};
use super::layout::{self, Format, Header, Mark, Offsets};
use super::records::{BlockRecord, LostPages, MOST_OPERATIONS, Stamp, State};
use super::storage::{FileChanges, Storage};
use super::sum;
use crate::below::Below;
use flash::{BlockId, FlashError, Geometry, Lpn, Part};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Records that are read or written at once.
pub(super) const RECORDS: usize = 256;

/// A NAND array in a file.
#[derive(Debug)]
pub struct Image {
    pub(super) file: Storage,
    path: PathBuf,
    pub(super) geometry: Geometry,
    description: Description,
    pub(super) format: Format,
    pub(super) offsets: Offsets,
    pub(super) slc_pages: u32,
    starts: Starts,
    /// The record of starts in the file.
    pub(super) mark: Mark,
    pub(super) blocks: RefCell<Blocks>,
    /// True if what a sync covered is to outlive the machine's power.
    pub(super) machine: bool,
    /// True from the mark of use on.
    in_use: bool,
    /// What was found on opening, until it is mended.
    survey: Option<Survey>,
    pub(super) recovered: Recovered,
    /// Number of the time since the last sync, and of changes in it.
    pub(super) window: u64,
    operation: u64,
    /// Places that hold nothing; those that may be used once the mark of the present window is on the disk, since until then a
    /// start would look there for changes of the window before; and those that hold what the last sync covered.
    pub(super) free: VecDeque<u32>,
    pub(super) freed: Vec<u32>,
    pub(super) retired: Vec<u32>,
    pub(super) lost: LostPages,
    /// The sum of all records: what the next sync keeps.
    pub(super) sum: u64,
    syncs: u64,
    /// True if there are changes that no sync has followed.
    pub(super) unsynced: bool,
    /// Bytes of the page in work.
    pub(super) page: Vec<u8>,
    /// The failure that turned the image off.
    failure: RefCell<Option<IoFailure>>,
}

/// What an image says of how it was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Starts {
    /// How often it was opened for use before, with its creation.
    pub count: u64,
    /// True if its last user shut it down.
    pub clean: bool,
    /// True if this record itself is damaged.
    pub damaged: bool,
}

/// What an image outlives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durable {
    /// The end of the process, however it comes.
    Process,
    /// The loss of the machine's power, too.
    Machine,
}

impl Image {
    /// Makes an image of an erased array, and opens it. The file must not exist; most of it takes no room at first.
    ///
    /// # Errors
    /// [`ImageError`]. A file that could not be completed is removed.
    pub fn create(
        path: &Path,
        geometry: Geometry,
        description: &Description,
    ) -> Result<Self, ImageError> {
        Self::create_as(path, geometry, description, Format::Two, || ())
    }

    /// As [`Image::create`]. Calls `made` once the file is there, which then takes a while to be completed.
    ///
    /// # Errors
    /// As [`Image::create`].
    pub fn create_and_tell(
        path: &Path,
        geometry: Geometry,
        description: &Description,
        made: impl FnOnce(),
    ) -> Result<Self, ImageError> {
        Self::create_as(path, geometry, description, Format::Two, made)
    }

    /// Makes an image of version 1, as older programs did.
    ///
    /// # Errors
    /// As [`Image::create`].
    #[doc(hidden)]
    pub fn create_version_1(
        path: &Path,
        geometry: Geometry,
        description: &Description,
    ) -> Result<Self, ImageError> {
        Self::create_as(path, geometry, description, Format::One, || ())
    }

    fn create_as(
        path: &Path,
        geometry: Geometry,
        description: &Description,
        format: Format,
        told: impl FnOnce(),
    ) -> Result<Self, ImageError> {
        let text = description.to_text()?;
        let made = OpenOptions::new().read(true).write(true).create_new(true).open(path);
        let file = made.map_err(|source| not_opened("create", path, source))?;
        told();
        lock(&file, path, File::try_lock)?;
        let mut image = Self::new(file, path, geometry, description.clone(), format);
        let in_folder =
            || sync_folder(path).map_err(|e| failed("sync the folder of", path, e).into());
        let written = image.format(&text).and_then(|()| in_folder());
        if written.is_err() {
            // The first error is the one to report.
            let _ = std::fs::remove_file(path);
        }
        written?;
        Ok(image)
    }

    /// Opens an image for use, and marks it as in use. It keeps what it [outlives](Image::durable).
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn open(path: &Path) -> Result<Self, ImageError> {
        let mut image = Self::claim(path)?;
        image.begin_use()?;
        Ok(image)
    }

    /// Opens an image for use, as [`Image::open`], without the mark: until [`Image::begin_use`] or the first operation that
    /// changes something, the file is as it was.
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn claim(path: &Path) -> Result<Self, ImageError> {
        let file = regular(path, OpenOptions::new().read(true).write(true))?;
        lock(&file, path, File::try_lock)?;
        let mut image = Self::read_head(file, path)?;
        let survey = image.survey()?;
        survey.refuse(path)?;
        image.survey = Some(survey);
        Ok(image)
    }

    /// Marks the image as in use, so that the mark outlives the machine's power before any operation does. What an unclean end
    /// left in part is taken back first ([`Image::recover`]), and each record whose copy is damaged is whole afterwards.
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn begin_use(&mut self) -> Result<(), ImageError> {
        self.prepare()?;
        let marked = self.mark_in_use();
        Ok(marked.map_err(|source| failed("write", &self.path, source))?)
    }

    /// Makes it ready for use: what [`Image::begin_use`] does but for the mark, which the first change then writes.
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn prepare(&mut self) -> Result<(), ImageError> {
        if let Some(survey) = self.survey.take()
            && self.format == Format::Two
        {
            self.window = survey.window + 1;
            self.recovered = self.mend(&survey)?;
            self.free = self.free_slots()?;
            self.forget_damaged(&self.free)?;
            self.sum = if self.recovered.has_lost() { self.survey()?.now } else { survey.now };
            self.mark.synced = Some(self.sum);
        }
        self.unsynced = self.format == Format::One;
        Ok(())
    }

    pub(super) fn mark_in_use(&mut self) -> io::Result<()> {
        if !self.in_use || self.mark.clean {
            self.mark.starts += u64::from(!self.in_use);
            self.in_use = true;
            self.write_mark(false)?;
            self.file.sync_data()?;
        }
        Ok(())
    }

    /// Opens an image to look at it, damaged or not. Nothing can be changed.
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn inspect(path: &Path) -> Result<Self, ImageError> {
        let file = regular(path, OpenOptions::new().read(true))?;
        lock(&file, path, File::try_lock_shared)?;
        Self::read_head(file, path)
    }

    fn new(
        file: File,
        path: &Path,
        geometry: Geometry,
        description: Description,
        format: Format,
    ) -> Self {
        let blocks = geometry.blocks();
        Self {
            file: Storage::new(file),
            path: path.to_owned(),
            geometry,
            format,
            offsets: Offsets::of(&geometry, format),
            slc_pages: description.part.cell.slc_pages(geometry.pages_per_block()),
            description,
            starts: Starts { count: 0, clean: true, damaged: false },
            mark: Mark {
                serial: 0,
                starts: 0,
                window: 0,
                clean: true,
                machine: false,
                sum: 0,
                synced: None,
            },
            blocks: RefCell::new(Blocks::new(blocks)),
            machine: false,
            in_use: false,
            survey: None,
            recovered: Recovered::default(),
            window: 1,
            operation: 0,
            free: (blocks..format.slots(blocks)).collect(),
            freed: Vec::new(),
            retired: Vec::new(),
            lost: LostPages::new(),
            sum: 0,
            syncs: 0,
            unsynced: true,
            page: vec![0; geometry.page_bytes() as usize],
            failure: RefCell::new(None),
        }
    }

    /// Writes everything but the header first: a file without one is no image.
    fn format(&mut self, text: &[u8]) -> Result<(), ImageError> {
        let path = self.path.clone();
        let io = |done: io::Result<()>| done.map_err(|source| failed("write", &path, source));
        io(self.file.set_len(self.offsets.end))?;
        io(self.write_copies([layout::TEXT_AT, self.offsets.head_at + layout::TEXT_AT], text))?;
        let all = 0..self.geometry.blocks();
        for first in all.clone().step_by(RECORDS) {
            let blocks = first..all.end.min(first.saturating_add(RECORDS as u32));
            let encoded = |id| BlockRecord::new(BlockId(id)).encode(self.format, BlockId(id));
            let records: Vec<u8> = blocks.flat_map(encoded).collect();
            io(self.write_copies(self.offsets.block(first), &records))?;
        }
        let header = Header {
            version: self.format.version(),
            blocks: self.geometry.blocks(),
            pages_per_block: self.geometry.pages_per_block(),
            page_bytes: self.geometry.page_bytes(),
            text_bytes: text.len() as u32,
            text_crc: layout::crc(&[text]),
        };
        if self.format == Format::Two {
            io(self.write_lost())?;
        }
        for id in all.map(BlockId) {
            self.sum = self.sum.wrapping_add(sum::of_block(id, &State::new(id)));
        }
        (self.mark.starts, self.mark.synced, self.in_use) = (1, Some(self.sum), true);
        io(self.write_mark(false))?;
        io(self.file.sync_all())?;
        io(self.write_copies([0, self.offsets.head_at], &header.encode()))?;
        Ok(io(self.file.sync_all())?)
    }

    pub(super) fn read_head(file: File, path: &Path) -> Result<Self, ImageError> {
        let (header, geometry, format) = header_of(&file, path, 0)?;
        let found = file.metadata().map_err(|source| failed("read", path, source))?.len();
        let expected = Offsets::of(&geometry, format).end;
        if found != expected {
            return Err(ImageError::Length { path: path.to_owned(), expected, found });
        }
        let description = description_of(&file, path, &header, 0)?;
        let mut image = Self::new(file, path, geometry, description, format);
        let found = image.marks().map_err(|source| failed("read", path, source))?;
        let newest = found.into_iter().flatten().max_by_key(|mark| mark.serial);
        image.starts = match newest {
            Some(mark) => Starts { count: mark.starts, clean: mark.clean, damaged: false },
            None => Starts { count: 0, clean: false, damaged: true },
        };
        if let Some(mark) = newest {
            (image.mark, image.machine) = (mark, mark.machine);
        }
        image.load_lost().map_err(|source| failed("read", path, source))?;
        Ok(image)
    }

    /// Number of the last change.
    pub(super) fn last_stamp(&self) -> Stamp {
        Stamp::new(self.window, self.operation)
    }

    /// The copies of the record of starts; `None` for a damaged one.
    pub(super) fn marks(&self) -> io::Result<Vec<Option<Mark>>> {
        let mut marks = Vec::new();
        for at in &self.offsets.starts()[..self.format.copies()] {
            let mut record = vec![0; self.format.starts_bytes()];
            self.file.read_exact_at(&mut record, *at)?;
            marks.push(Mark::decode(&record, self.format));
        }
        Ok(marks)
    }

    /// Writes the record of starts.
    pub(super) fn write_mark(&mut self, clean: bool) -> io::Result<()> {
        let serial = self.mark.serial + 1;
        let (window, machine) = (self.window, self.machine);
        self.mark = Mark { serial, clean, window, machine, ..self.mark };
        self.write_copies(self.offsets.starts(), &self.mark.encode(self.format))
    }

    /// Writes both copies of something, or the only one.
    pub(super) fn write_copies(&self, at: [u64; 2], bytes: &[u8]) -> io::Result<()> {
        at[..self.format.copies()].iter().try_for_each(|at| self.file.write_all_at(bytes, *at))
    }

    /// True if no further change has a number before a sync.
    pub(super) fn is_window_full(&self) -> bool {
        self.operation == MOST_OPERATIONS
    }

    /// Number of the next change.
    pub(super) fn next_stamp(&mut self) -> Result<Stamp, FlashError> {
        if self.is_window_full() {
            self.sync()?;
        }
        let marked = self.mark_in_use();
        self.io("write", marked)?;
        self.operation += 1;
        Ok(Stamp::new(self.window, self.operation))
    }

    /// Makes all operations so far outlive the machine's power.
    ///
    /// # Errors
    /// That of the file, which turns the image off.
    pub fn sync(&mut self) -> Result<(), FlashError> {
        self.powered()?;
        if self.format == Format::Two && !self.unsynced {
            return Ok(());
        }
        self.io("write", self.file.sync_data())?;
        self.unsynced = false;
        self.syncs += 1;
        if self.format == Format::Two {
            self.window += 1;
            self.operation = 0;
            self.free.extend(self.freed.drain(..));
            self.freed.append(&mut self.retired);
            self.settle_lost()?;
            self.mark.synced = Some(self.sum);
            // A later start knows by it what was covered.
            let marked = self.write_mark(false);
            self.io("write", marked)?;
        }
        Ok(())
    }

    /// How often all operations so far were made to outlive the machine's power.
    pub fn syncs(&self) -> u64 {
        self.syncs
    }

    /// What the image outlives from now on. An image of version 2 keeps it; version 1 must be told at each start.
    pub fn durable(&self) -> Durable {
        if self.machine { Durable::Machine } else { Durable::Process }
    }

    /// Sets whether what a [sync](Image::sync) covered outlives the loss of the machine's power (default of a new image: no), and
    /// not only the end of the process. Without, a failure of the machine may keep an erase and lose a copy of a page that the
    /// block held. With it, version 2 keeps the content of an erased block until the next sync, and syncs by itself where it has
    /// no room for more; version 1 syncs before each erase.
    pub fn sync_before_erases(&mut self, sync: bool) {
        let changed = self.machine != sync;
        if !changed || !self.in_use || self.format == Format::One {
            self.machine = sync;
            return;
        }
        // All that was done in the other way is covered before. A failure turns the image off, and the next operation tells.
        let done = self.sync();
        self.machine = sync;
        if done.is_ok() {
            let marked = self.write_mark(false).and_then(|()| self.file.sync_data());
            let _ = self.io("write", marked);
        }
    }

    /// Follows what is written to the file from here on, and when it is synced: tests of power cuts choose from it what the disk
    /// keeps.
    #[doc(hidden)]
    pub fn follow(&mut self, changes: FileChanges) {
        self.file.follow(changes);
    }

    /// Where the bytes of pages are in the file, among records.
    #[doc(hidden)]
    pub fn page_bytes_at(&self) -> Range<u64> {
        let places = u64::from(self.format.slots(self.geometry.blocks()));
        self.offsets.bytes(0)
            ..self.offsets.bytes(places * u64::from(self.geometry.pages_per_block()))
    }

    /// Marks the image as shut down by its user, and [syncs](Image::sync) it. It belongs at the end: version 1 does not take the
    /// mark back when an operation follows.
    ///
    /// # Errors
    /// As [`Image::sync`].
    pub fn shut_down(&mut self) -> Result<(), FlashError> {
        if !self.in_use && self.mark.clean && self.machine == self.mark.machine {
            // Nothing was changed since the last one.
            return self.powered();
        }
        self.sync()?;
        if self.format == Format::Two {
            // All is synced: nothing is in the file in part.
            self.mark.clean = true;
            self.mark.sum = self.survey().map_err(|failure| self.off(failure))?.sum;
        }
        let marked = self.write_mark(true).and_then(|()| self.file.sync_data());
        self.io("write", marked)
    }

    /// Version of its format.
    pub fn version(&self) -> u32 {
        self.format.version()
    }

    /// Bytes of all records, with their copies: what a mount reads at most.
    pub fn record_bytes(&self) -> u64 {
        self.offsets.record_bytes(&self.geometry)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes over the copy paths and the read retries of a controller, which the file does not keep.
    ///
    /// # Errors
    /// The part's data sheet is not that of the image.
    pub fn use_with(&mut self, part: &Part) -> Result<(), ImageError> {
        if Description::figures(&self.description.part) != Description::figures(part) {
            let reason = format!("its part is not this `{}`", part.name);
            return Err(ImageError::Description(reason));
        }
        self.description.part = part.clone();
        Ok(())
    }

    /// What the image says of itself.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// How it was used before it was opened now.
    pub fn starts(&self) -> Starts {
        self.starts
    }

    /// The failure of the file that turned the image off, if one did.
    pub fn failure(&self) -> Option<String> {
        self.failure.borrow().as_ref().map(ToString::to_string)
    }

    /// Bytes of the file that take room on the disk.
    ///
    /// # Errors
    /// That of the file.
    pub fn allocated_bytes(&self) -> Result<u64, IoFailure> {
        use std::os::unix::fs::MetadataExt;
        let metadata = self.file.metadata();
        let metadata = metadata.map_err(|source| failed("read", &self.path, source))?;
        // In units of 512 bytes, whatever the file system's blocks.
        Ok(metadata.blocks() * 512)
    }

    /// Bytes of the file.
    pub fn file_bytes(&self) -> u64 {
        self.offsets.end
    }

    /// A failed read of the file, outside the operations of NAND.
    pub(super) fn reading(&self, source: io::Error) -> IoFailure {
        failed("read", &self.path, source)
    }

    pub(super) fn powered(&self) -> Result<(), FlashError> {
        if self.failure.borrow().is_some() { Err(FlashError::PowerOff) } else { Ok(()) }
    }

    /// Turns the image off if an operation on the file failed.
    pub(super) fn io<T>(&self, what: &'static str, done: io::Result<T>) -> Result<T, FlashError> {
        done.map_err(|source| self.off(failed(what, &self.path, source)))
    }

    pub(super) fn off(&self, failure: IoFailure) -> FlashError {
        self.failure.borrow_mut().get_or_insert(failure);
        FlashError::PowerOff
    }
}

/// The header at an offset, if it is one.
pub(super) fn header_of(
    file: &File,
    path: &Path,
    at: u64,
) -> Result<(Header, Geometry, Format), ImageError> {
    let damaged = |reason: String| ImageError::Header { path: path.to_owned(), reason };
    let found = file.metadata().map_err(|source| failed("read", path, source))?.len();
    let mut head = [0; layout::HEADER_BYTES];
    if found >= at + head.len() as u64 {
        let read = file.read_exact_at(&mut head, at);
        read.map_err(|source| failed("read", path, source))?;
    }
    if head[..8] != layout::MAGIC {
        let zeros = found >= head.len() as u64 && head.iter().all(|byte| *byte == 0);
        return Err(ImageError::Foreign { path: path.to_owned(), zeros });
    }
    let header = Header::decode(&head)
        .ok_or_else(|| damaged("the checksum of its fields is wrong".into()))?;
    let Some(format) = Format::of(header.version) else {
        return Err(ImageError::Version { path: path.to_owned(), version: header.version });
    };
    let geometry = Geometry::new(header.blocks, header.pages_per_block, header.page_bytes);
    Ok((header, geometry.map_err(|error| damaged(error.to_string()))?, format))
}

/// The description in the head at an offset.
pub(super) fn description_of(
    file: &File,
    path: &Path,
    header: &Header,
    head_at: u64,
) -> Result<Description, ImageError> {
    let damaged = |reason: String| ImageError::Header { path: path.to_owned(), reason };
    let text_bytes = header.text_bytes as usize;
    if text_bytes > layout::TEXT_BYTES {
        return Err(damaged(format!("its description has {text_bytes} bytes")));
    }
    let mut text = vec![0; text_bytes];
    let read = file.read_exact_at(&mut text, head_at + layout::TEXT_AT);
    read.map_err(|source| failed("read", path, source))?;
    if layout::crc(&[&text]) != header.text_crc {
        return Err(damaged("the checksum of its description is wrong".into()));
    }
    Description::from_text(&text).map_err(damaged)
}

pub(super) fn failed(what: &'static str, path: &Path, source: io::Error) -> IoFailure {
    let source = match source.kind() {
        io::ErrorKind::UnexpectedEof => {
            io::Error::new(source.kind(), "the file ends before what it should hold there")
        }
        _ => source,
    };
    IoFailure { what, path: path.to_owned(), source }
}

/// The reason why there is no file, as far as the path tells more than the error.
fn not_opened(what: &'static str, path: &Path, source: io::Error) -> ImageError {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => ImageError::NotAFile(path.to_owned()),
        Err(_) if path.is_symlink() => ImageError::Dangling(path.to_owned()),
        _ => failed(what, path, source).into(),
    }
}

/// Opens a regular file. Anything else is refused: a pipe would wait for its other end.
pub(super) fn regular(path: &Path, how: &mut OpenOptions) -> Result<File, ImageError> {
    let opened = how.custom_flags(libc::O_NONBLOCK).open(path);
    let file = opened.map_err(|source| not_opened("open", path, source))?;
    let kind = file.metadata().map_err(|source| failed("read", path, source))?;
    if kind.is_file() { Ok(file) } else { Err(ImageError::NotAFile(path.to_owned())) }
}

/// Makes the name of a new file outlive the machine's power.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// How often a lock is tried that another process holds, and how long after each other.
const LOCK_TRIES: u32 = 20;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Takes a lock that ends with the process, however it ends.
///
/// A process that was killed lets go of it a moment later, and so does one that this process is starting: until then it
/// has the same open files.
pub(super) fn lock(
    file: &File,
    path: &Path,
    take: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<(), ImageError> {
    let mut tries = 1;
    loop {
        match take(file) {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(source)) => return Err(failed("lock", path, source).into()),
            Err(TryLockError::WouldBlock) if tries == LOCK_TRIES => {
                return Err(ImageError::InUse(path.to_owned()));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
        }
        tries += 1;
    }
}

impl Below for Image {
    fn sync(&mut self) -> Result<(), FlashError> {
        Image::sync(self)
    }

    fn shut_down(&mut self) -> Result<(), FlashError> {
        Image::shut_down(self)
    }

    fn failure(&self) -> Option<String> {
        Image::failure(self)
    }

    fn is_lost(&self, lpn: Lpn) -> bool {
        Image::is_lost(self, lpn)
    }

    fn trimmed(&mut self, lpn: Lpn) -> Result<(), FlashError> {
        Image::trimmed(self, lpn)
    }
}
