//! The beginning of a file, for detection.

use memchr::memrchr;

/// How surely the beginning of a file is of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    /// It is not.
    No,
    /// Nobody can tell from the content: the format or the file's name must say. True where the content may
    /// be of the format.
    ByName(bool),
    /// So many of the first lines can be read, of so many that are no headers or summaries.
    Lines(usize, usize),
    /// A magic number or a header says so.
    Sure,
}

/// The beginning of a file, for detection.
pub(crate) struct Head<'a> {
    pub(crate) bytes: &'a [u8],
    /// The first complete lines that are not empty; none where the file is no text.
    pub(crate) lines: Vec<&'a [u8]>,
    /// True where the file has no more bytes than these.
    pub(crate) all: bool,
}

impl<'a> Head<'a> {
    pub(crate) fn new(bytes: &'a [u8], all: bool) -> Self {
        let mut lines = Vec::new();
        if !bytes.contains(&0) {
            let whole = if all { bytes.len() } else { memrchr(b'\n', bytes).unwrap_or(0) };
            let whole = bytes[..whole].split(|&b| b == b'\n');
            let whole = whole.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            lines.extend(whole.filter(|line| !is_aside(line)));
        }
        Self { bytes, lines, all }
    }

    pub(crate) fn first_line_is(&self, test: impl Fn(&[u8]) -> bool) -> Looks {
        if self.lines.first().is_some_and(|line| test(line)) { Looks::Sure } else { Looks::No }
    }
}

/// True for lines that no text format has a record in.
#[inline]
pub(crate) fn is_aside(line: &[u8]) -> bool {
    match line.first() {
        None | Some(b'#') => true,
        Some(b' ' | b'\t') => line.trim_ascii().is_empty(),
        _ => false,
    }
}
