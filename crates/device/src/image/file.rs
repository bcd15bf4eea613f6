//! The file of an image: made, opened by one process, read and written.

use super::blocks::{Block, Blocks};
use super::description::Description;
use super::error::{ImageError, IoFailure};
use super::layout::{
    self, BLOCK_BYTES, BlockRecord, Found, Header, Offsets, PAGE_BYTES, PageRecord,
};
use crate::below::Below;
use flash::{BlockId, FlashError, Geometry, Part, Ppn};
use std::cell::RefCell;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Records that are read or written at once.
const RECORDS: usize = 256;

/// A NAND array in a file.
#[derive(Debug)]
pub struct Image {
    pub(super) file: File,
    path: PathBuf,
    pub(super) geometry: Geometry,
    description: Description,
    pub(super) offsets: Offsets,
    pub(super) slc_pages: u32,
    starts: Starts,
    blocks: RefCell<Blocks>,
    /// True if the file says that it is in use.
    marked: bool,
    /// True if an erase waits until all before it is on the disk.
    barrier: bool,
    syncs: u64,
    /// True if there are changes that no sync has followed.
    unsynced: bool,
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
    /// True if this record itself is damaged. Nothing depends on it.
    pub damaged: bool,
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
        Self::create_and_tell(path, geometry, description, || ())
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
        let told = made;
        let text = description.to_text()?;
        let made = OpenOptions::new().read(true).write(true).create_new(true).open(path);
        let file = made.map_err(|source| failed("create", path, source))?;
        told();
        lock(&file, path, File::try_lock)?;
        let starts = Starts { count: 0, clean: true, damaged: false };
        let mut image = Self::new(file, path, geometry, description.clone(), starts);
        image.marked = true;
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

    /// Opens an image for use, and marks it as in use.
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
        let image = Self::read_head(file, path)?;
        image.check_blocks()?;
        Ok(image)
    }

    /// Marks the image as in use, so that the mark outlives the machine's power before any operation does.
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn begin_use(&mut self) -> Result<(), ImageError> {
        let marked = self.mark_in_use();
        Ok(marked.map_err(|source| failed("write", &self.path, source))?)
    }

    fn mark_in_use(&mut self) -> io::Result<()> {
        if !self.marked {
            self.mark(false)?;
            self.file.sync_data()?;
            self.marked = true;
        }
        Ok(())
    }

    /// What comes before each change.
    fn changes(&mut self) -> Result<(), FlashError> {
        self.unsynced = true;
        let marked = self.mark_in_use();
        self.io("write", marked)
    }

    /// Opens an image to look at it, damaged block records or not. Nothing can be changed.
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
        starts: Starts,
    ) -> Self {
        Self {
            file,
            path: path.to_owned(),
            geometry,
            offsets: Offsets::of(&geometry),
            slc_pages: description.part.cell.slc_pages(geometry.pages_per_block()),
            description,
            starts,
            blocks: RefCell::new(Blocks::new(geometry.blocks())),
            marked: false,
            barrier: false,
            syncs: 0,
            unsynced: true,
            page: vec![0; geometry.page_bytes() as usize],
            failure: RefCell::new(None),
        }
    }

    /// Writes everything but the header first: a file without one is no image.
    fn format(&mut self, text: &[u8]) -> Result<(), ImageError> {
        let io = |done: io::Result<()>| done.map_err(|source| failed("write", &self.path, source));
        io(self.file.set_len(self.offsets.end))?;
        io(self.file.write_all_at(text, layout::TEXT_AT))?;
        let all = 0..self.geometry.blocks();
        for first in all.clone().step_by(RECORDS) {
            let blocks = first..all.end.min(first.saturating_add(RECORDS as u32));
            let records: Vec<u8> =
                blocks.flat_map(|id| BlockRecord::NEW.encode(BlockId(id))).collect();
            io(self.file.write_all_at(&records, self.offsets.block(BlockId(first))))?;
        }
        let header = Header {
            version: layout::VERSION,
            blocks: self.geometry.blocks(),
            pages_per_block: self.geometry.pages_per_block(),
            page_bytes: self.geometry.page_bytes(),
            text_bytes: text.len() as u32,
            text_crc: layout::crc(&[text]),
        };
        io(self.mark(false))?;
        io(self.file.sync_all())?;
        io(self.file.write_all_at(&header.encode(), 0))?;
        Ok(io(self.file.sync_all())?)
    }

    fn read_head(file: File, path: &Path) -> Result<Self, ImageError> {
        let read = |bytes: &mut [u8], at: u64| {
            let done = file.read_exact_at(bytes, at);
            done.map_err(|source| ImageError::from(failed("read", path, source)))
        };
        let damaged = |reason: String| ImageError::Header { path: path.to_owned(), reason };
        let found = file.metadata().map_err(|source| failed("read", path, source))?.len();
        let mut head = [0; layout::HEADER_BYTES];
        if found >= head.len() as u64 {
            read(&mut head, 0)?;
        }
        if head[..8] != layout::MAGIC {
            let zeros = found >= head.len() as u64 && head.iter().all(|byte| *byte == 0);
            return Err(ImageError::Foreign { path: path.to_owned(), zeros });
        }
        let header = Header::decode(&head)
            .ok_or_else(|| damaged("the checksum of its fields is wrong".into()))?;
        if header.version != layout::VERSION {
            return Err(ImageError::Version { path: path.to_owned(), version: header.version });
        }
        let geometry = Geometry::new(header.blocks, header.pages_per_block, header.page_bytes)
            .map_err(|error| damaged(error.to_string()))?;
        let expected = Offsets::of(&geometry).end;
        if found != expected {
            return Err(ImageError::Length { path: path.to_owned(), expected, found });
        }
        let text_bytes = header.text_bytes as usize;
        if text_bytes > layout::TEXT_BYTES {
            return Err(damaged(format!("its description has {text_bytes} bytes")));
        }
        let mut text = vec![0; text_bytes];
        read(&mut text, layout::TEXT_AT)?;
        if layout::crc(&[&text]) != header.text_crc {
            return Err(damaged("the checksum of its description is wrong".into()));
        }
        let description = Description::from_text(&text).map_err(damaged)?;
        let mut record = [0; layout::STARTS_BYTES];
        read(&mut record, layout::STARTS_AT)?;
        let starts = match layout::decode_starts(&record) {
            Some((count, clean)) => Starts { count, clean, damaged: false },
            None => Starts { count: 0, clean: false, damaged: true },
        };
        Ok(Self::new(file, path, geometry, description, starts))
    }

    /// Looks at the record of every block: with a damaged one, stale pages would come back to life.
    fn check_blocks(&self) -> Result<(), ImageError> {
        let (mut first, mut count) = (None, 0);
        let each = |id: BlockId, record: Option<BlockRecord>| {
            if record.is_none() {
                first.get_or_insert(id.0);
                count += 1;
            }
        };
        self.each_block(each)?;
        match first {
            None => Ok(()),
            Some(first) => Err(ImageError::Blocks { path: self.path.clone(), first, count }),
        }
    }

    /// Gives the record of every block; `None` for a damaged one.
    pub(super) fn each_block(
        &self,
        mut each: impl FnMut(BlockId, Option<BlockRecord>),
    ) -> Result<(), IoFailure> {
        let all = 0..self.geometry.blocks();
        let mut records = vec![0; RECORDS * BLOCK_BYTES];
        for first in all.clone().step_by(RECORDS) {
            let blocks = first..all.end.min(first.saturating_add(RECORDS as u32));
            let bytes = &mut records[..blocks.len() * BLOCK_BYTES];
            let read = self.file.read_exact_at(bytes, self.offsets.block(BlockId(first)));
            read.map_err(|source| failed("read", &self.path, source))?;
            for (id, bytes) in blocks.zip(bytes.chunks_exact(BLOCK_BYTES)) {
                each(BlockId(id), BlockRecord::decode(bytes, BlockId(id)));
            }
        }
        Ok(())
    }

    /// Gives the record of every page of a block, in order.
    pub(super) fn each_page(
        &self,
        block: BlockId,
        mut each: impl FnMut(Ppn, Found),
    ) -> Result<(), IoFailure> {
        let first = self.geometry.ppn(block, 0).0;
        let all = first..first + self.geometry.pages_per_block();
        let mut records = [0; RECORDS * PAGE_BYTES];
        for first in all.clone().step_by(RECORDS) {
            let pages = first..all.end.min(first.saturating_add(RECORDS as u32));
            let bytes = &mut records[..pages.len() * PAGE_BYTES];
            let read = self.file.read_exact_at(bytes, self.offsets.page(Ppn(first)));
            read.map_err(|source| failed("read", &self.path, source))?;
            for (ppn, bytes) in pages.zip(bytes.chunks_exact(PAGE_BYTES)) {
                each(Ppn(ppn), PageRecord::decode(bytes, Ppn(ppn)));
            }
        }
        Ok(())
    }

    fn mark(&self, clean: bool) -> io::Result<()> {
        let record = layout::encode_starts(self.starts.count + 1, clean);
        self.file.write_all_at(&record, layout::STARTS_AT)
    }

    /// Makes all operations so far outlive the machine's power.
    ///
    /// # Errors
    /// That of the file, which turns the image off.
    pub fn sync(&mut self) -> Result<(), FlashError> {
        self.powered()?;
        self.io("write", self.file.sync_data())?;
        self.unsynced = false;
        self.syncs += 1;
        Ok(())
    }

    /// How often all operations so far were made to outlive the machine's power.
    pub fn syncs(&self) -> u64 {
        self.syncs
    }

    /// Sets whether an erase waits until all operations before it are on the disk (default: no). Without, a failure of the
    /// machine, not of the process alone, may keep an erase and lose a copy of a page that the block held. With it, what a
    /// [sync](Image::sync) covered outlives that too; an erase then takes as long as a sync.
    pub fn sync_before_erases(&mut self, sync: bool) {
        self.barrier = sync;
    }

    /// Makes all before an erase outlive the machine's power, if that is asked for.
    pub(super) fn before_erase(&mut self) -> Result<(), FlashError> {
        if self.barrier && self.unsynced { self.sync() } else { Ok(()) }
    }

    /// Marks the image as shut down by its user, and [syncs](Image::sync) it. An operation afterwards does not take the mark
    /// back: it belongs at the end.
    ///
    /// # Errors
    /// As [`Image::sync`].
    pub fn shut_down(&mut self) -> Result<(), FlashError> {
        self.sync()?;
        self.io("write", self.mark(true))?;
        self.sync()
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

    fn off(&self, failure: IoFailure) -> FlashError {
        self.failure.borrow_mut().get_or_insert(failure);
        FlashError::PowerOff
    }

    /// State of a block, read from the file if it is not among those used last.
    pub(super) fn block(&self, id: BlockId) -> Result<Block, FlashError> {
        if id.0 >= self.geometry.blocks() {
            return Err(FlashError::NoSuchBlock(id));
        }
        self.powered()?;
        if let Some(block) = self.blocks.borrow().get(id) {
            return Ok(block);
        }
        let block = self.load(id)?;
        self.blocks.borrow_mut().set(id, block);
        Ok(block)
    }

    /// The record of a block alone: what is asked of every block needs none of its pages.
    pub(super) fn record(&self, id: BlockId) -> Result<BlockRecord, FlashError> {
        if id.0 >= self.geometry.blocks() {
            return Err(FlashError::NoSuchBlock(id));
        }
        self.powered()?;
        if let Some(block) = self.blocks.borrow().get(id) {
            return Ok(block.record);
        }
        let mut bytes = [0; BLOCK_BYTES];
        self.io("read", self.file.read_exact_at(&mut bytes, self.offsets.block(id)))?;
        let damaged =
            || io::Error::new(io::ErrorKind::InvalidData, format!("the record of {id} is damaged"));
        let record = BlockRecord::decode(&bytes, id).ok_or_else(damaged);
        self.io("read", record)
    }

    fn load(&self, id: BlockId) -> Result<Block, FlashError> {
        let record = self.record(id)?;
        let mut next_page = 0;
        if record.half_erased {
            next_page = self.geometry.pages_per_block();
        } else {
            let first = self.geometry.ppn(id, 0).0;
            let each = |ppn: Ppn, found: Found| {
                if PageRecord::counts(&found, record.erases) {
                    next_page = ppn.0 - first + 1;
                }
            };
            self.each_page(id, each).map_err(|failure| self.off(failure))?;
        }
        Ok(Block { record, next_page })
    }

    /// Writes the record of a block.
    pub(super) fn set_block(&mut self, id: BlockId, block: Block) -> Result<(), FlashError> {
        let bytes = block.record.encode(id);
        // The next erase waits for this one, too: the disk may keep the later one alone.
        self.changes()?;
        self.io("write", self.file.write_all_at(&bytes, self.offsets.block(id)))?;
        self.blocks.borrow_mut().set(id, block);
        Ok(())
    }

    /// Writes the record of a page, which is the last one programmed of its block if that has `next_page` now.
    pub(super) fn set_page(
        &mut self,
        ppn: Ppn,
        record: &PageRecord,
        block: Block,
    ) -> Result<(), FlashError> {
        let bytes = record.encode(ppn);
        self.changes()?;
        self.io("write", self.file.write_all_at(&bytes, self.offsets.page(ppn)))?;
        self.blocks.borrow_mut().set(self.geometry.block_of(ppn), block);
        Ok(())
    }

    /// The record of a page.
    pub(super) fn page_record(&self, ppn: Ppn) -> Result<Found, FlashError> {
        let mut bytes = [0; PAGE_BYTES];
        self.io("read", self.file.read_exact_at(&mut bytes, self.offsets.page(ppn)))?;
        Ok(PageRecord::decode(&bytes, ppn))
    }
}

fn failed(what: &'static str, path: &Path, source: io::Error) -> IoFailure {
    IoFailure { what, path: path.to_owned(), source }
}

/// Opens a regular file. Anything else is refused: a pipe would wait for its other end.
fn regular(path: &Path, how: &mut OpenOptions) -> Result<File, ImageError> {
    let opened = how.custom_flags(libc::O_NONBLOCK).open(path);
    let file = opened.map_err(|source| failed("open", path, source))?;
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
fn lock(
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
}
