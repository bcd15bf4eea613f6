//! Files that are compressed as their names ask for.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};

#[cfg(feature = "zstd")]
use self::frames::Frames;

/// Endings of names that ask for a compression that this build writes, without the dot.
pub const COMPRESSIONS: &[&str] =
    if cfg!(feature = "zstd") { &["gz", "zst", "xz"] } else { &["gz", "xz"] };

/// Names with each of these endings, one after the other: `.csv.gz, .csv.xz`.
#[must_use]
pub fn compressed(name: &str) -> String {
    COMPRESSIONS.iter().map(|ending| format!("{name}.{ending}")).collect::<Vec<_>>().join(", ")
}

/// Refuses a name whose compression this build does not write: Zstandard without the feature `zstd`.
///
/// # Errors
/// Names the feature.
pub fn check(name: &Path) -> io::Result<()> {
    match ending(name).as_deref() {
        Some("zst") if cfg!(not(feature = "zstd")) => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            crate::error::absent("writing .zst", "zstd"),
        )),
        _ => Ok(()),
    }
}

fn ending(name: &Path) -> Option<String> {
    Some(name.extension()?.to_string_lossy().to_lowercase())
}

/// A file, compressed with gzip, Zstandard or xz if its name ends in `.gz`, `.zst` or `.xz`.
///
/// [`Write::flush`] makes all text so far readable, in xz only what filled a block of the compressor. Without
/// [`Output::finish`] the file is incomplete.
pub struct Output(Kind);

enum Kind {
    Plain(io::BufWriter<File>),
    Gzip(GzEncoder<File>),
    #[cfg(feature = "zstd")]
    Zstd(Frames),
    Xz(Box<XzWriter<File>>),
}

#[cfg(feature = "zstd")]
mod frames {
    use std::fs::File;
    use std::io::{self, Write};
    use structured_zstd::encoding::{CompressionLevel, compress};

    /// Text of a Zstandard frame, bytes: a whole frame is in memory.
    const FRAME_BYTES: usize = 1 << 20;

    /// One Zstandard frame after the other.
    pub(super) struct Frames {
        file: File,
        text: Vec<u8>,
    }

    impl Frames {
        pub(super) fn new(file: File) -> Self {
            Self { file, text: Vec::new() }
        }

        pub(super) fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
            self.text.extend_from_slice(bytes);
            if self.text.len() >= FRAME_BYTES { self.end_frame() } else { Ok(()) }
        }

        pub(super) fn end_frame(&mut self) -> io::Result<()> {
            if self.text.is_empty() {
                return Ok(());
            }
            let mut frame = Vec::new();
            compress(&self.text[..], &mut frame, CompressionLevel::Fastest);
            self.text.clear();
            self.file.write_all(&frame)
        }
    }
}

impl Output {
    /// Output to an open file with this name.
    ///
    /// # Errors
    /// That of the file, and that of [`check`].
    pub fn new(file: File, name: &Path) -> io::Result<Self> {
        check(name)?;
        Ok(Self(match ending(name).as_deref() {
            Some("gz") => Kind::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            #[cfg(feature = "zstd")]
            Some("zst") => Kind::Zstd(Frames::new(file)),
            Some("xz") => {
                Kind::Xz(Box::new(XzWriter::new(file, XzOptions::with_preset(6)).map_err(other)?))
            }
            _ => Kind::Plain(io::BufWriter::new(file)),
        }))
    }

    /// Writes what is left, and the end of the compressed data.
    ///
    /// # Errors
    /// That of the file.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            Kind::Plain(mut file) => file.flush(),
            Kind::Gzip(gzip) => gzip.finish().map(drop),
            #[cfg(feature = "zstd")]
            Kind::Zstd(mut frames) => frames.end_frame(),
            Kind::Xz(xz) => xz.finish().map(drop).map_err(other),
        }
    }
}

/// The compressor has an error type of its own in some builds.
fn other(error: impl Into<io::Error>) -> io::Error {
    error.into()
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Kind::Plain(file) => file.write(bytes),
            Kind::Gzip(gzip) => gzip.write(bytes),
            Kind::Xz(xz) => xz.write(bytes),
            #[cfg(feature = "zstd")]
            Kind::Zstd(frames) => frames.add(bytes).map(|()| bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Plain(file) => file.flush(),
            Kind::Gzip(gzip) => gzip.flush(),
            #[cfg(feature = "zstd")]
            Kind::Zstd(frames) => frames.end_frame(),
            Kind::Xz(xz) => xz.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;

    /// Reads a file as traces are read.
    fn read(path: &Path) -> Vec<u8> {
        let (mut input, mut text) = (Input::open(path).unwrap(), Vec::new());
        let mut bytes = vec![0; 1 << 16];
        loop {
            match input.read(&mut bytes, text.len() as u64).unwrap() {
                0 => return text,
                read => text.extend_from_slice(&bytes[..read]),
            }
        }
    }

    #[test]
    fn all_compressions_are_read_again_and_a_flush_is_readable_before_the_end() {
        let folder = std::env::temp_dir().join(format!("ftlkit-output-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let text: Vec<u8> = (0..400_000u32)
            .flat_map(|n| format!("{},write\n", n * 7919 % 65_537).into_bytes())
            .collect();
        for name in ["a.csv", "a.csv.gz", "a.csv.zst", "a.CSV.ZST", "a.csv.xz"] {
            let path = folder.join(name);
            let mut output = Output::new(File::create(&path).unwrap(), &path).unwrap();
            output.write_all(&text).unwrap();
            output.flush().unwrap();
            if ["a.csv", "a.csv.zst"].contains(&name) {
                assert_eq!(read(&path), text, "{name} before its end");
            }
            output.write_all(b"last\n").unwrap();
            output.finish().unwrap();
            assert_eq!(read(&path), [&text[..], b"last\n"].concat(), "{name}");
            let length = std::fs::metadata(&path).unwrap().len() as usize;
            assert!(name == "a.csv" || length < text.len() / 2, "{name}: {length} bytes");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
