//! Reads a stream on a thread of its own, some chunks ahead: decompression beside what is done with the lines.

use crate::thread::{self, has_processors};
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};

/// Bytes that are read before a thread is worth its start.
const ALONE: usize = 256 << 10;
/// Bytes of a chunk. Each wait of a thread for another costs much, so there are few.
const CHUNK: usize = 512 << 10;
/// Chunks that are kept ready.
const AHEAD: usize = 2;

/// The same bytes and errors as the stream itself, in the same order; where no thread can be had, it is read where it is.
pub(crate) struct ReadAhead<R> {
    from: Origin<R>,
    /// A chunk from the thread, and how much of it was taken.
    chunk: Vec<u8>,
    taken: usize,
}

enum Origin<R> {
    /// The stream, and how many bytes are read before its thread starts; `None`: never.
    Here(R, Option<usize>),
    /// A chunk that is empty is the end; so is an error. Chunks that are read go back.
    Thread(Receiver<io::Result<Vec<u8>>>, Sender<Vec<u8>>),
    End,
}

impl<R: Read + Send + 'static> ReadAhead<R> {
    pub(crate) fn new(stream: R) -> Self {
        let alone = has_processors().then_some(ALONE);
        Self { from: Origin::Here(stream, alone), chunk: Vec::new(), taken: 0 }
    }

    /// Gives the stream to a thread.
    fn part(&mut self) {
        let Origin::Here(stream, _) = std::mem::replace(&mut self.from, Origin::End) else {
            return;
        };
        let (send, chunks) = sync_channel(AHEAD);
        let (done, emptied) = channel::<Vec<u8>>();
        let work = move |mut stream: R| {
            loop {
                let mut chunk = emptied.try_recv().unwrap_or_default();
                chunk.resize(CHUNK, 0);
                let (mut length, mut end) = (0, None);
                while length < CHUNK && end.is_none() {
                    match stream.read(&mut chunk[length..]) {
                        Ok(0) => end = Some(Ok(Vec::new())),
                        Ok(more) => length += more,
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => end = Some(Err(error)),
                    }
                }
                chunk.truncate(length);
                // Nobody reads on, or there is no more.
                if length > 0 && send.send(Ok(chunk)).is_err() {
                    return;
                }
                if let Some(end) = end {
                    drop(send.send(end));
                    return;
                }
            }
        };
        self.from = match thread::start("read-ahead", stream, work) {
            Ok(()) => Origin::Thread(chunks, done),
            Err(stream) => Origin::Here(stream, None),
        };
    }
}

impl<R: Read + Send + 'static> Read for ReadAhead<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        if matches!(self.from, Origin::Here(_, Some(0))) {
            self.part();
        }
        match &mut self.from {
            Origin::Here(stream, left) => {
                let length = stream.read(bytes)?;
                *left = left.map(|left| left.saturating_sub(length));
                Ok(length)
            }
            Origin::Thread(chunks, done) => {
                if self.taken == self.chunk.len() {
                    self.taken = 0;
                    // A thread that has ended needs none.
                    drop(done.send(std::mem::take(&mut self.chunk)));
                    self.chunk = match chunks.recv() {
                        Ok(Ok(chunk)) => chunk,
                        Ok(Err(error)) => {
                            (self.from, self.chunk) = (Origin::End, Vec::new());
                            return Err(error);
                        }
                        Err(_) => {
                            (self.from, self.chunk) = (Origin::End, Vec::new());
                            return Err(io::Error::other("the thread that reads ahead has ended"));
                        }
                    };
                    if self.chunk.is_empty() {
                        self.from = Origin::End;
                    }
                }
                let length = bytes.len().min(self.chunk.len() - self.taken);
                bytes[..length].copy_from_slice(&self.chunk[self.taken..][..length]);
                self.taken += length;
                Ok(length)
            }
            Origin::End => Ok(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives `length` bytes that tell their place, in pieces of odd sizes; then an error, if there is one, and then more.
    struct Pieces {
        at: usize,
        length: usize,
        error: Option<io::ErrorKind>,
    }

    fn byte(at: usize) -> u8 {
        (at.wrapping_mul(0x9e37_79b9) >> 16) as u8
    }

    impl Read for Pieces {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            if self.at == self.length {
                return self.error.take().map_or(Ok(0), |kind| Err(kind.into()));
            }
            let length = bytes.len().min(1 + self.at % 70_001).min(self.length - self.at);
            for (byte_at, place) in bytes[..length].iter_mut().enumerate() {
                *place = byte(self.at + byte_at);
            }
            self.at += length;
            Ok(length)
        }
    }

    fn read_all(mut from: impl Read, piece: usize) -> (Vec<u8>, Option<io::ErrorKind>) {
        let (mut all, mut bytes) = (Vec::new(), vec![0; piece]);
        loop {
            match from.read(&mut bytes) {
                Ok(0) => return (all, None),
                Ok(length) => all.extend_from_slice(&bytes[..length]),
                Err(error) => return (all, Some(error.kind())),
            }
        }
    }

    #[test]
    fn bytes_errors_and_ends_are_those_of_the_stream() {
        for length in [0, 1, ALONE - 1, ALONE, ALONE + 1, ALONE + CHUNK, 3_000_001] {
            for error in [None, Some(io::ErrorKind::UnexpectedEof)] {
                for piece in [777, 1 << 20] {
                    let pieces = Pieces { at: 0, length, error };
                    let (all, told) = read_all(ReadAhead::new(pieces), piece);
                    assert!(all.len() == length && told == error, "{length}, {piece}: {told:?}");
                    assert!(all.iter().enumerate().all(|(at, found)| *found == byte(at)));
                }
            }
        }
    }

    #[test]
    fn a_thread_whose_reader_is_dropped_ends() {
        struct Told {
            pieces: Pieces,
            _alive: std::sync::mpsc::Sender<()>,
        }
        impl Read for Told {
            fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
                self.pieces.read(bytes)
            }
        }
        let (alive, ended) = channel();
        let pieces = Pieces { at: 0, length: usize::MAX >> 8, error: None };
        let mut reader = ReadAhead::new(Told { pieces, _alive: alive });
        let mut bytes = vec![0; 4 * ALONE];
        reader.read_exact(&mut bytes).unwrap();
        assert_eq!(matches!(reader.from, Origin::Thread(..)), has_processors());
        drop(reader);
        // The thread drops the stream, and with it the last sender.
        assert!(ended.recv().is_err());
    }
}
