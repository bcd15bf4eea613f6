//! A scheme below that refuses writes: what it did not take stays dirty, and nothing of it is lost.

use super::*;
use crate::buffer::policy::{
    BUFFER_POLICIES, BufferPolicy, BufferUnit, Regions, UPDATE_PROBABILITIES,
};
use crate::buffer::settings::{AgeClock, CleanUnits};
use alloc::format;
use flash::{Array, FlashError, Geometry, Ppn, Store, parts::EVALUATION_SLC};

const PAGE_BYTES: usize = 4;
const BLOCK: u32 = 4;
const LOGICAL: u32 = 20;
const AGE_NS: Ns = 1000;

/// Takes so many writes and refuses those that follow.
struct Refusing {
    takes: u32,
    stored: [Option<u8>; LOGICAL as usize],
    /// A page that is beyond ECC until it is written.
    lost: Option<Lpn>,
    /// Stream of the writes from here on, and of the last write of each page.
    stream: u8,
    streams: [u8; LOGICAL as usize],
}

impl Below for Refusing {
    fn write_below(
        &mut self,
        lpn: Lpn,
        data: Option<&[u8]>,
        _buffer: &mut dyn DirtyPages,
        _sent: Sent,
    ) -> Result<(), FtlError> {
        if self.takes == 0 {
            return Err(FtlError::Full { free_pages: 0, victim_valid: 4, pages_per_block: BLOCK });
        }
        self.takes -= 1;
        self.lost = self.lost.filter(|lost| *lost != lpn);
        self.stored[lpn.0 as usize] = Some(data.unwrap()[0]);
        self.streams[lpn.0 as usize] = self.stream;
        Ok(())
    }

    fn name_stream(&mut self, stream: u8) {
        self.stream = stream;
    }

    fn event(&mut self, _event: &Event<'_>) {}

    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        if self.lost == Some(lpn) {
            return Err(FlashError::Uncorrectable(Ppn(0)).into());
        }
        let stored = self.stored[lpn.0 as usize];
        data.unwrap().fill(stored.unwrap_or(0));
        Ok(stored.is_some())
    }

    fn flush(&mut self) -> Result<(), FtlError> {
        Ok(())
    }

    fn prefetch(&self, _lpn: Lpn, _what: Prefetch) {}
}

/// A buffer of eight pages above it, and what the host wrote last to each page.
struct Host {
    buffer: WriteBuffer,
    below: Refusing,
    newest: [Option<u8>; LOGICAL as usize],
}

impl Host {
    fn new(policy: &'static BufferPolicy, unit: BufferUnit) -> Self {
        let plan = BufferPlan {
            policy,
            pages: 8,
            unit_pages: if unit == BufferUnit::Page { 1 } else { BLOCK },
            age_ns: AGE_NS,
            clock: AgeClock::Device,
            clean: CleanUnits::InOrder,
            ram_ns: 0,
            reads: false,
            window_pages: 2,
            regions: Regions::ADAPTIVE,
            updates: UPDATE_PROBABILITIES,
            aware: false,
        };
        let geometry = Geometry::new(8, BLOCK, PAGE_BYTES as u32).unwrap();
        let array = Array::new(geometry, EVALUATION_SLC.clone(), Store::All);
        let stored = [None; LOGICAL as usize];
        Self {
            buffer: WriteBuffer::new(&plan, LOGICAL, &array),
            below: Refusing {
                takes: u32::MAX,
                stored,
                lost: None,
                stream: 0,
                streams: [0; LOGICAL as usize],
            },
            newest: stored,
        }
    }

    fn write(&mut self, lpn: u32, byte: u8) -> Result<(), FtlError> {
        self.buffer.write(&mut self.below, Lpn(lpn), Some(&[byte; PAGE_BYTES]))?;
        self.newest[lpn as usize] = Some(byte);
        Ok(())
    }

    fn write_through(&mut self, lpn: u32, byte: u8) -> Result<(), FtlError> {
        self.buffer.write_through(&mut self.below, Lpn(lpn), Some(&[byte; PAGE_BYTES]))?;
        self.newest[lpn as usize] = Some(byte);
        Ok(())
    }

    /// Fails where a page does not read as written last, or where others are dirty than those whose newest bytes are
    /// not below.
    fn check(&mut self, what: &str) {
        let unwritten =
            (0..LOGICAL as usize).filter(|lpn| self.below.stored[*lpn] != self.newest[*lpn]);
        assert_eq!(self.buffer.log().dirty, unwritten.count() as u64, "{what}");
        for lpn in 0..LOGICAL {
            let mut data = [0; PAGE_BYTES];
            let present = self.buffer.read(&mut self.below, Lpn(lpn), Some(&mut data)).unwrap();
            let read = present.then_some(data);
            assert_eq!(
                read,
                self.newest[lpn as usize].map(|byte| [byte; PAGE_BYTES]),
                "LPN {lpn}: {what}"
            );
        }
    }

    /// The scheme takes writes again: a flush brings everything below.
    fn recover(&mut self, what: &str) {
        self.below.takes = u32::MAX;
        self.buffer.flush(&mut self.below).unwrap();
        assert_eq!(self.below.stored, self.newest, "{what}");
        assert_eq!(self.buffer.due_ns(), Ns::MAX, "{what}");
        self.check(what);
    }
}

/// Each policy with each of its units.
fn of_each_policy(test: impl Fn(&dyn Fn() -> Host, &str)) {
    for policy in BUFFER_POLICIES {
        for unit in policy.units {
            test(&|| Host::new(policy, *unit), &format!("{policy:?} by {unit:?}"));
        }
    }
}

#[test]
fn a_forced_write_that_fails_leaves_the_version_before_it_dirty() {
    of_each_policy(|host, what| {
        let host = &mut host();
        host.write(1, 11).unwrap();
        host.below.takes = 0;
        host.write_through(1, 12).unwrap_err();
        host.check(what);
        assert_eq!(host.buffer.log().dirty, 1, "{what}");
        host.recover(what);
        // Of a clean page, and of one that is not in the buffer, nothing is left to write.
        host.below.takes = 0;
        host.write_through(1, 13).unwrap_err();
        host.write_through(2, 14).unwrap_err();
        host.check(what);
        assert_eq!(host.buffer.log().dirty, 0, "{what}");
        // One that succeeds replaces the version that waits.
        host.write(1, 15).unwrap();
        host.below.takes = 1;
        host.write_through(1, 16).unwrap();
        assert_eq!((host.buffer.log().dirty, host.below.stored[1]), (0, Some(16)), "{what}");
        host.recover(what);
    });
}

/// Does `task` with a full buffer of dirty pages; the scheme below refuses its first write, then its second, and so on
/// until it refuses none. Returns how often the task failed.
fn refuse_each_write(
    host: &dyn Fn() -> Host,
    what: &str,
    task: fn(&mut Host) -> Result<(), FtlError>,
) -> u32 {
    for takes in 0.. {
        let host = &mut host();
        // Below alone: page 2 of the first block, which page padding reads.
        host.write_through(2, 30).unwrap();
        for (lpn, byte) in [(0, 1), (1, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (9, 8), (0, 9)]
        {
            host.write(lpn, byte).unwrap();
        }
        let what = format!("{what}: {takes} writes taken");
        host.check(&what);
        host.below.takes = takes;
        let done = task(host);
        host.check(&what);
        if done.is_ok() {
            return takes;
        }
        // Refused a second time: nothing changes.
        host.below.takes = 0;
        task(host).unwrap_err();
        host.check(&what);
        host.recover(&what);
    }
    unreachable!("a task writes a bounded number of pages")
}

#[test]
fn pages_that_could_not_be_evicted_stay_dirty() {
    of_each_policy(|host, what| {
        let failed = refuse_each_write(host, what, |host| host.write(12, 99));
        assert!((1..=4).contains(&failed), "{what}: {failed}");
    });
}

#[test]
fn pages_that_could_not_be_flushed_stay_dirty() {
    of_each_policy(|host, what| {
        let flush = |host: &mut Host| host.buffer.flush(&mut host.below);
        assert_eq!(refuse_each_write(host, what, flush), 8, "{what}");
    });
}

#[test]
fn pages_that_could_not_be_written_for_their_age_stay_dirty() {
    of_each_policy(|host, what| {
        let advance = |host: &mut Host| {
            let due_ns = host.buffer.due_ns();
            host.buffer.advance(&mut host.below, due_ns)
        };
        let failed = refuse_each_write(host, what, advance);
        assert!((1..=3).contains(&failed), "{what}: {failed}");
    });
}

/// Nothing makes it readable but a write of the host: a block that failed for it would never leave the buffer.
#[test]
fn a_lost_page_is_left_out_of_a_padded_block() {
    let host = &mut Host::new(BufferPolicy::BPLRU, BufferUnit::Block);
    host.write_through(2, 30).unwrap();
    host.below.lost = Some(Lpn(2));
    // The second block out of order, lest it goes first.
    for lpn in [0, 1, 3, 5, 4, 6, 7, 9] {
        host.write(lpn, 1 + lpn as u8).unwrap();
    }
    host.write(12, 99).unwrap();
    assert_eq!(host.below.stored[..4], [Some(1), Some(2), Some(30), Some(4)]);
    assert_eq!((host.buffer.log().evictions, host.buffer.log().padded), (1, 0));
    let lost = host.buffer.read(&mut host.below, Lpn(2), Some(&mut [0; PAGE_BYTES]));
    assert!(lost.is_err(), "it is lost still, not an older version or zeros");
    host.write(2, 31).unwrap();
    host.recover("the host wrote it anew");
}

/// Each page reaches the scheme with the stream of its last write, however it leaves the buffer: evicted, flushed, padded
/// or written through.
#[test]
fn pages_keep_their_stream() {
    of_each_policy(|host, what| {
        let mut host = host();
        let mut streams = [0; LOGICAL as usize];
        for write in 0..60 {
            let (lpn, stream) = (write * 7 % LOGICAL, (write % 7) as u8);
            host.buffer.name_stream(stream);
            match write % 6 {
                5 => host.write_through(lpn, write as u8).unwrap(),
                _ => host.write(lpn, write as u8).unwrap(),
            }
            streams[lpn as usize] = stream;
        }
        host.buffer.name_stream(9);
        host.recover(what);
        assert_eq!(host.below.streams, streams, "{what}");
    });
}
