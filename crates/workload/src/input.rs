//! Input files, with gzip, Zstandard, xz and bzip2 detected by their first bytes.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use serde::Serialize;

use crate::bytes_ahead::ReadAhead;
use crate::captured::captured_at;
use crate::error::WorkloadError;
use crate::zstd_frames::{MultiZstd, skip_zeros};

/// Memory limit for xz. A dictionary may request 4 GiB; `xz -9` requests 64 MiB.
const XZ_MEMORY_KIB: u32 = 256 << 10;

/// Compression of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// No compression.
    None,
    /// gzip, one or more members.
    Gzip,
    /// Zstandard, one or more frames.
    Zstd,
    /// xz, one or more streams.
    Xz,
    /// bzip2, one or more streams.
    Bzip2,
    /// Apache Parquet, whose rows are read as lines of a table.
    Parquet,
    /// Arrow IPC (Feather), which is not read.
    Arrow,
}

impl Compression {
    fn of(magic: &[u8]) -> Self {
        let skippable =
            magic.len() >= 4 && magic[0] & 0xf0 == 0x50 && magic[1..4] == [0x2a, 0x4d, 0x18];
        match magic {
            [0x1f, 0x8b, 0x08, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstd,
            [b'P', b'A', b'R', b'1', ..] => Self::Parquet,
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Self::Arrow,
            _ if skippable => Self::Zstd,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, ..] => Self::Bzip2,
            _ => Self::None,
        }
    }

    /// The name of the compression, for messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "uncompressed",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
            Self::Bzip2 => "bzip2",
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow IPC",
        }
    }
}

/// The file name without a compression suffix.
pub(crate) fn plain_name(path: &Path) -> String {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    for suffix in [".gz", ".zst", ".xz", ".bz2"] {
        if let Some(plain) = name.strip_suffix(suffix) {
            return plain.to_owned();
        }
    }
    name
}

/// Read progress in bytes of the file as stored on disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Progress {
    done: Arc<AtomicU64>,
    total: u64,
}

impl Progress {
    pub(crate) fn bytes(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total)
    }
}

/// A file being read, decompressed.
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    pub(crate) compression: Compression,
    pub(crate) progress: Progress,
    reader: Box<dyn Read + Send>,
    /// True if a compressed stream ended, or was found damaged, only at the end of the file.
    is_cut: bool,
}

/// The path of standard input.
pub const STANDARD_INPUT: &str = "-";

/// Largest standard input, as it arrives: it is kept in memory, because a trace is read more than once.
const STANDARD_INPUT_BYTES: u64 = 4 << 30;

/// The bytes, or the kind and words of the error, of which there may be several.
type Bytes = Result<Arc<[u8]>, (io::ErrorKind, String)>;

/// Standard input, read when it is first opened.
static STDIN: OnceLock<Bytes> = OnceLock::new();

fn standard_input() -> io::Result<Arc<[u8]>> {
    let read = || {
        let mut bytes = Vec::new();
        io::stdin().lock().take(STANDARD_INPUT_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > STANDARD_INPUT_BYTES {
            return Err(io::Error::other("more than 4 GiB: write it to a file, and give its name"));
        }
        Ok(bytes.into())
    };
    let bytes =
        STDIN.get_or_init(|| read().map_err(|error: io::Error| (error.kind(), error.to_string())));
    bytes.clone().map_err(|(kind, text)| io::Error::new(kind, text))
}

/// True if there is such a file, or if it is standard input or a captured trace.
pub(crate) fn is_there(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT || captured_at(path).is_some() || path.exists()
}

/// Where stored bytes come from.
enum Stored {
    File(File),
    Memory(Cursor<Arc<[u8]>>),
}

impl Stored {
    /// Opens a file, standard input or a captured trace; also its size.
    fn open(path: &Path) -> io::Result<(Self, u64)> {
        if path.as_os_str() == STANDARD_INPUT {
            let bytes = standard_input()?;
            let total = bytes.len() as u64;
            return Ok((Self::Memory(Cursor::new(bytes)), total));
        }
        if let Some(trace) = captured_at(path) {
            let total = trace.bytes.len() as u64;
            return Ok((Self::Memory(Cursor::new(trace.bytes.into())), total));
        }
        let file = File::open(path)?;
        let total = file.metadata()?.len();
        Ok((Self::File(file), total))
    }
}

impl Read for Stored {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.read(bytes),
            Self::Memory(memory) => memory.read(bytes),
        }
    }
}

impl Input {
    pub(crate) fn open(path: &Path) -> Result<Self, WorkloadError> {
        let io = |source| WorkloadError::Io { path: path.to_owned(), source };
        let (file, total) = Stored::open(path).map_err(io)?;
        let progress = Progress { done: Arc::default(), total };
        let mut raw = Counted { inner: file, done: Arc::clone(&progress.done) };
        let mut magic = [0; 6];
        let n = read_up_to(&mut raw, &mut magic).map_err(io)?;
        let compression = Compression::of(&magic[..n]);
        let unread =
            |reason: &str| WorkloadError::Format { path: path.to_owned(), reason: reason.into() };
        let reader = match compression {
            Compression::Arrow => {
                return Err(unread(
                    "an Arrow IPC file (Feather) is not read: write the table as Parquet or CSV",
                ));
            }
            #[cfg(not(feature = "parquet"))]
            Compression::Parquet => {
                return Err(unread(&crate::error::absent("reading Parquet", "parquet")));
            }
            #[cfg(feature = "parquet")]
            Compression::Parquet => parquet_lines(path, &progress)
                .map_err(|error| unread(&format!("the Parquet file cannot be read: {error}")))?,
            _ => decoder(compression, Cursor::new(magic).take(n as u64).chain(raw))
                .map_err(|error| unread(&error.to_string()))?,
        };
        Ok(Self { path: path.to_owned(), compression, progress, reader, is_cut: false })
    }

    /// Reads once into `bytes`, which must not be empty; returns 0 at the end.
    ///
    /// `before` is the number of decompressed bytes read so far, for the error text.
    pub(crate) fn read(&mut self, bytes: &mut [u8], before: u64) -> Result<usize, WorkloadError> {
        loop {
            match self.reader.read(bytes) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Ok(n) => return Ok(n),
                Err(e) => return Err(self.broken(e, before)),
            }
        }
    }

    /// True if the last error of [`read`](Self::read) was that a compressed file is cut off, or damaged at its end.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn broken(&mut self, e: io::Error, before: u64) -> WorkloadError {
        let (path, name) = (self.path.clone(), self.compression.name());
        let system = e.raw_os_error().is_some();
        if system || self.compression == Compression::None {
            return WorkloadError::Io { path, source: e };
        }
        if self.compression == Compression::Parquet {
            let reason = format!("the Parquet file cannot be read: {e}");
            return WorkloadError::Format { path, reason };
        }
        let (done, total) = self.progress.bytes();
        let reason = if e.kind() == io::ErrorKind::OutOfMemory {
            format!("the {name} stream needs more than {} MiB to decompress", XZ_MEMORY_KIB >> 10)
        } else if e.kind() == io::ErrorKind::UnexpectedEof || (total > 0 && done >= total) {
            self.is_cut = true;
            format!(
                "the {name} stream is cut off or damaged after {before} decompressed bytes ({e}); fetch the file again, \
                 or read what is there with --on-bad-line skip"
            )
        } else {
            format!("the {name} stream is damaged after {before} decompressed bytes ({e})")
        };
        WorkloadError::Format { path, reason }
    }
}

#[cfg(feature = "parquet")]
fn parquet_lines(path: &Path, progress: &Progress) -> io::Result<Box<dyn Read + Send>> {
    use crate::parquet::Lines;
    let done = Arc::clone(&progress.done);
    Ok(match Stored::open(path)?.0 {
        Stored::File(file) => Box::new(Lines::open(file, done)?),
        Stored::Memory(memory) => {
            Box::new(Lines::open(bytes::Bytes::from_owner(memory.into_inner()), done)?)
        }
    })
}

fn decoder(
    compression: Compression,
    raw: impl Read + Send + 'static,
) -> io::Result<Box<dyn Read + Send>> {
    let raw = BufReader::with_capacity(64 << 10, raw);
    Ok(match compression {
        Compression::None | Compression::Parquet | Compression::Arrow => Box::new(raw),
        Compression::Gzip => Box::new(ReadAhead::new(Members::new(
            raw,
            flate2::bufread::GzDecoder::new,
            flate2::bufread::GzDecoder::into_inner,
        ))),
        Compression::Zstd => Box::new(ReadAhead::new(MultiZstd::new(raw))),
        Compression::Xz => {
            Box::new(ReadAhead::new(lzma_rust2::XzReader::new_mem_limit(raw, true, XZ_MEMORY_KIB)))
        }
        Compression::Bzip2 => Box::new(ReadAhead::new(Members::new(
            raw,
            bzip2::bufread::BzDecoder::new,
            bzip2::bufread::BzDecoder::into_inner,
        ))),
    })
}

fn read_up_to(reader: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut n = 0;
    while n < bytes.len() {
        match reader.read(&mut bytes[n..]) {
            Ok(0) => break,
            Ok(more) => n += more,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(n)
}

struct Counted {
    inner: Stored,
    done: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(bytes)?;
        self.done.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// All members of a gzip or bzip2 file in sequence.
struct Members<R, D> {
    /// That of the current member; `None` after the last one, and after an error.
    decoder: Option<D>,
    begin: fn(R) -> D,
    end: fn(D) -> R,
}

impl<R, D> Members<R, D> {
    fn new(source: R, begin: fn(R) -> D, end: fn(D) -> R) -> Self {
        Self { decoder: Some(begin(source)), begin, end }
    }
}

impl<R: io::BufRead, D: Read> Read for Members<R, D> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            let n = decoder.read(bytes)?;
            if n > 0 {
                return Ok(n);
            }
            let Some(mut source) = self.decoder.take().map(self.end) else { break };
            self.decoder = skip_zeros(&mut source)?.then(|| (self.begin)(source));
        }
        Ok(0)
    }
}
