//! Files that are compressed as their names ask for.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};

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
/// Compressed text is written in whole gzip members, Zstandard frames or xz streams, one after the other, so that a file whose
/// writer is killed can be read up to the last one. [`Write::flush`] ends one, and makes all text so far readable. Without
/// [`Output::finish`] the file is incomplete.
pub struct Output(Kind);

enum Kind {
    Plain(io::BufWriter<File>),
    Packed(Packed),
}

/// Compresses a text whole.
type Pack = fn(&[u8]) -> io::Result<Vec<u8>>;

struct Packed {
    file: File,
    text: Vec<u8>,
    pack: Pack,
    /// Text of a whole, bytes.
    most: usize,
    is_empty: bool,
}

impl Packed {
    fn end(&mut self) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        let packed = (self.pack)(&self.text)?;
        self.text.clear();
        self.is_empty = false;
        self.file.write_all(&packed)
    }
}

fn gzip(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut gzip = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text)?;
    gzip.finish()
}

#[cfg(feature = "zstd")]
fn zstd(text: &[u8]) -> io::Result<Vec<u8>> {
    use structured_zstd::encoding::{CompressionLevel, compress};
    let mut frame = Vec::new();
    compress(text, &mut frame, CompressionLevel::Fastest);
    Ok(frame)
}

fn xz(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut xz = XzWriter::new(Vec::new(), XzOptions::with_preset(6)).map_err(other)?;
    xz.write_all(text)?;
    xz.finish().map_err(other)
}

impl Output {
    /// Output to an open file with this name.
    ///
    /// # Errors
    /// That of the file, and that of [`check`].
    pub fn new(file: File, name: &Path) -> io::Result<Self> {
        check(name)?;
        let (pack, most): (Pack, _) = match ending(name).as_deref() {
            Some("gz") => (gzip, 1 << 20),
            #[cfg(feature = "zstd")]
            Some("zst") => (zstd, 1 << 20),
            // Twice the dictionary: shorter streams would be larger.
            Some("xz") => (xz, 16 << 20),
            _ => return Ok(Self(Kind::Plain(io::BufWriter::new(file)))),
        };
        Ok(Self(Kind::Packed(Packed { file, text: Vec::new(), pack, most, is_empty: true })))
    }

    /// Writes what is left, and the end of the compressed data.
    ///
    /// # Errors
    /// That of the file.
    pub fn finish(self) -> io::Result<()> {
        match self.0 {
            Kind::Plain(mut file) => file.flush(),
            Kind::Packed(mut packed) => {
                packed.end()?;
                // Also an empty text is one of its compression.
                match packed.is_empty {
                    true => packed.file.write_all(&(packed.pack)(b"")?),
                    false => Ok(()),
                }
            }
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
            Kind::Packed(packed) => {
                packed.text.extend_from_slice(bytes);
                if packed.text.len() >= packed.most {
                    packed.end()?;
                }
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Kind::Plain(file) => file.flush(),
            Kind::Packed(packed) => packed.end(),
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
            assert_eq!(read(&path), text, "{name} before its end");
            output.write_all(b"last\n").unwrap();
            output.finish().unwrap();
            assert_eq!(read(&path), [&text[..], b"last\n"].concat(), "{name}");
            let length = std::fs::metadata(&path).unwrap().len() as usize;
            let empty = folder.join(format!("empty-{name}"));
            Output::new(File::create(&empty).unwrap(), &empty).unwrap().finish().unwrap();
            assert_eq!(read(&empty), b"", "{name}, empty");
            let bytes = std::fs::metadata(&empty).unwrap().len();
            assert_eq!(
                bytes > 0,
                name != "a.csv",
                "{name}: an empty text is one of its compression"
            );
            assert!(name == "a.csv" || length < text.len() / 2, "{name}: {length} bytes");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
