//! A decompressed file, split into lines or fixed-size records without copying.

use memchr::memchr;

use crate::error::WorkloadError;
use crate::formats::head::Head;
use crate::input::Input;

/// Bytes available to detection.
pub(crate) const HEAD_BYTES: usize = 64 << 10;
/// Longest valid line of a trace.
pub(crate) const LONGEST_LINE: usize = 1 << 20;
/// Initial capacity: fits the second-level cache and holds many lines.
const ROOM: usize = 256 << 10;

/// Bytes of a file, read in large pieces into one reused allocation.
pub(crate) struct Buffer {
    pub(crate) input: Input,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    before: u64,
    ended: bool,
    units: u64,
    cut: bool,
    /// True if what a cut compressed file still holds is read.
    takes_cut: bool,
    /// Where such a file was cut.
    cut_off: Option<WorkloadError>,
}

impl Buffer {
    /// Buffer of a file; `takes_cut`: of a compressed one that is cut off, complete lines and records are read.
    pub(crate) fn new(input: Input, takes_cut: bool) -> Self {
        let bytes = vec![0; ROOM];
        let (start, end, before, units) = (0, 0, 0, 0);
        let (ended, cut, cut_off) = (false, false, None);
        Self { input, bytes, start, end, before, ended, units, cut, takes_cut, cut_off }
    }

    /// Where a compressed file was cut off, if its beginning was taken.
    pub(crate) fn cut_off(&self) -> Option<&WorkloadError> {
        self.cut_off.as_ref()
    }

    /// Number of the current line or record, from 1.
    pub(crate) fn position(&self) -> u64 {
        self.units
    }

    /// True if the file ended without a newline after the last returned line.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Reads the bytes for [`head`](Self::head) and skips the UTF-8 byte order mark.
    pub(crate) fn fill_head(&mut self) -> Result<(), WorkloadError> {
        while self.end - self.start < HEAD_BYTES && self.more()? {}
        if self.before == self.end as u64 && self.bytes[..self.end].starts_with(b"\xef\xbb\xbf") {
            self.start = self.start.max(3);
        }
        Ok(())
    }

    /// The first bytes, not consumed; call [`fill_head`](Self::fill_head) first.
    pub(crate) fn head(&self) -> Head<'_> {
        let bytes = &self.bytes[self.start..self.end];
        let all = self.ended && bytes.len() <= HEAD_BYTES;
        Head::new(&bytes[..bytes.len().min(HEAD_BYTES)], all)
    }

    /// Reads more bytes after the existing ones; false at the end of the file.
    #[cold]
    fn more(&mut self) -> Result<bool, WorkloadError> {
        if self.ended {
            return Ok(false);
        }
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.bytes.len() {
            let room = self.bytes.len() * 2;
            self.bytes.resize(room, 0);
        }
        let n = match self.input.read(&mut self.bytes[self.end..], self.before) {
            Err(error) if self.takes_cut && self.input.is_cut() && self.before > 0 => {
                self.cut_off = Some(error);
                0
            }
            read => read?,
        };
        self.end += n;
        self.before += n as u64;
        self.ended = n == 0;
        Ok(n > 0)
    }

    /// Returns the next line without its end (`\n` or `\r\n`).
    #[inline]
    pub(crate) fn line(&mut self) -> Result<Option<&[u8]>, WorkloadError> {
        let mut searched = 0;
        let length = loop {
            let from = self.start + searched;
            if let Some(n) = memchr(b'\n', &self.bytes[from..self.end]) {
                break searched + n;
            }
            searched = self.end - self.start;
            if searched > LONGEST_LINE {
                break searched;
            }
            if !self.more()? {
                // A line that a cut stream ends in may look whole.
                if searched == 0 || self.cut_off.is_some() {
                    return Ok(None);
                }
                self.cut = true;
                break searched;
            }
        };
        self.units += 1;
        if length > LONGEST_LINE {
            return Err(self.endless());
        }
        let line = &self.bytes[self.start..self.start + length];
        self.start = (self.start + length + 1).min(self.end);
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    #[cold]
    fn endless(&self) -> WorkloadError {
        let (line, mib) = (self.units, LONGEST_LINE >> 20);
        let reason = format!(
            "line {line} is longer than {mib} MiB: this is not a text trace, or it is damaged"
        );
        WorkloadError::Format { path: self.input.path.clone(), reason }
    }

    /// Returns the next `size` bytes without consuming them; `None` if the file ends before the first.
    pub(crate) fn peek(&mut self, size: usize) -> Result<Option<&[u8]>, WorkloadError> {
        while self.end - self.start < size {
            if !self.more()? {
                let found = self.end - self.start;
                if found == 0 || self.cut_off.is_some() {
                    return Ok(None);
                }
                return Err(self.short(found, size));
            }
        }
        Ok(Some(&self.bytes[self.start..self.start + size]))
    }

    /// Consumes the next `size` bytes as one record.
    pub(crate) fn record(&mut self, size: usize) -> Result<Option<&[u8]>, WorkloadError> {
        if self.peek(size)?.is_none() {
            return Ok(None);
        }
        self.units += 1;
        self.start += size;
        Ok(Some(&self.bytes[self.start - size..self.start]))
    }

    /// Consumes bytes of the head that are no record.
    pub(crate) fn skip(&mut self, size: usize) {
        self.start = (self.start + size).min(self.end);
    }

    #[cold]
    fn short(&self, found: usize, size: usize) -> WorkloadError {
        let reason = format!(
            "the file is truncated: record {} should have {size} bytes and has {found}",
            self.units + 1
        );
        WorkloadError::Format { path: self.input.path.clone(), reason }
    }
}
