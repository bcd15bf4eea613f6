//! Beginning of a file, for detection.

use memchr::{memchr, memrchr};

/// Certainty that the beginning of a file is in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    /// Certainly not.
    No,
    /// The content does not decide: the user or the file name must give the format.
    ///
    /// True if the content may be in the format.
    ByName(bool),
    /// Number of readable lines, out of the first lines that are not headers or summaries.
    Lines(usize, usize),
    /// A magic number or a header identifies the format.
    Sure,
}

/// Beginning of a file, for detection.
pub(crate) struct Head<'a> {
    pub(crate) bytes: &'a [u8],
    /// The first complete non-empty lines, up to a byte 0, as a file has after a power cut; none if it does not begin as text.
    pub(crate) lines: Vec<&'a [u8]>,
    /// True if the file has no more bytes.
    pub(crate) all: bool,
}

impl<'a> Head<'a> {
    pub(crate) fn new(bytes: &'a [u8], all: bool) -> Self {
        let nul = memchr(0, bytes);
        let text = &bytes[..nul.unwrap_or(bytes.len())];
        let whole =
            if all && nul.is_none() { text.len() } else { memrchr(b'\n', text).unwrap_or(0) };
        let mut lines = Vec::new();
        if nul.is_none() || begins_as_text(&text[..whole]) {
            let whole = text[..whole].split(|&b| b == b'\n');
            let whole = whole.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
            lines.extend(whole.filter(|line| !is_aside(line)));
        }
        Self { bytes, lines, all }
    }

    pub(crate) fn first_line_is(&self, test: impl Fn(&[u8]) -> bool) -> Looks {
        if self.lines.first().is_some_and(|line| test(line)) { Looks::Sure } else { Looks::No }
    }
}

/// True of lines of printable ASCII whose first is longer than chance makes one in a binary file.
fn begins_as_text(lines: &[u8]) -> bool {
    let first = lines.split(|&b| b == b'\n').find(|line| !is_aside(line)).unwrap_or_default();
    let is_text = |b: &u8| matches!(b, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    first.len() >= 8 && lines.iter().all(is_text)
}

/// True for lines that are not records in any text format.
#[inline]
pub(crate) fn is_aside(line: &[u8]) -> bool {
    match line.first() {
        None | Some(b'#') => true,
        Some(b' ' | b'\t') => line.trim_ascii().is_empty(),
        _ => false,
    }
}
