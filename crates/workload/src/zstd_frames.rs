//! Frames of a Zstandard file, and zeros behind compressed streams.

use ruzstd::decoding::FrameDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::error::Error;
use std::io::{self, Read};

/// Largest accepted window: `zstd --long=27`, which is also the default limit of the zstd tool.
const ZSTD_WINDOW_BYTES: u64 = 128 << 20;

/// Skips zeros, with which tapes and some servers fill the last block of a file; true if bytes follow.
pub(crate) fn skip_zeros(source: &mut impl io::BufRead) -> io::Result<bool> {
    loop {
        let bytes = source.fill_buf()?;
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        if zeros < bytes.len() || bytes.is_empty() {
            let more = !bytes.is_empty();
            source.consume(zeros);
            return Ok(more);
        }
        source.consume(zeros);
    }
}

/// The error of a source that ended within a frame as such, whatever the decoder was reading; any other as the decoder says it.
fn io_error(error: FrameDecoderError) -> io::Error {
    let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(of) = cause {
        let io = of.downcast_ref::<io::Error>().map(io::Error::kind);
        if io == Some(io::ErrorKind::UnexpectedEof) {
            return io::ErrorKind::UnexpectedEof.into();
        }
        cause = of.source();
    }
    io::Error::other(error)
}

/// All frames of a Zstandard file in sequence; skips skippable frames and verifies checksums.
pub(crate) struct MultiZstd<R> {
    source: R,
    frame: FrameDecoder,
    /// Bytes of the frame that have been read.
    bytes: u64,
    within: bool,
}

impl<R: io::BufRead> MultiZstd<R> {
    pub(crate) fn new(source: R) -> Self {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(ZSTD_WINDOW_BYTES);
        Self { source, frame, bytes: 0, within: false }
    }

    /// Starts the next frame; false at the end of the file.
    fn start(&mut self) -> io::Result<bool> {
        loop {
            if !skip_zeros(&mut self.source)? {
                return Ok(false);
            }
            match self.frame.init(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut body = (&mut self.source).take(u64::from(length));
                    if io::copy(&mut body, &mut io::sink())? < u64::from(length) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(e) => return Err(io_error(e)),
            }
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        let stored = self.frame.get_checksum_from_data();
        if stored.is_some() && stored != self.frame.get_calculated_checksum() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "checksum does not match"));
        }
        let told = self.frame.content_size();
        if told != 0 && told != self.bytes {
            let reason = format!("a frame of {told} bytes has {}", self.bytes);
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        Ok(())
    }
}

impl<R: io::BufRead> Read for MultiZstd<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.within {
                if !self.start()? {
                    return Ok(0);
                }
                self.within = true;
                self.bytes = 0;
            }
            while self.frame.can_collect() == 0 && !self.frame.is_finished() {
                let some = ruzstd::decoding::BlockDecodingStrategy::UptoBlocks(1);
                self.frame.decode_blocks(&mut self.source, some).map_err(io_error)?;
            }
            let n = self.frame.read(bytes)?;
            if n > 0 {
                self.bytes += n as u64;
                return Ok(n);
            }
            self.finish()?;
            self.within = false;
        }
    }
}
