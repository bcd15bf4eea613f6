//! Stand-ins for traces that are not public: exact printed figures, and their described character.
//!
//! Reads and writes are independent.
//! Each has several concurrent runs that continue at their previous end, and jumps to places drawn by a law.
//! Small requests for file-system metadata go to a zone at the start of the space.
//! Stretches of requests may come again, at distances fitted to a trace.

use crate::generators::draw::{self, Chance};
use crate::generators::generated::{Access, Counted, Pattern};
use crate::generators::law::Law;
use crate::generators::mix::Sizes;
use crate::generators::quota::Quota;
use crate::generators::ranks::Ranks;
use crate::generators::replay::{Again, Replay};
use crate::generators::scramble::Scramble;
use crate::generators::sequential::Cursor;
use crate::request::Op;
use rand::SeedableRng;
use rand_pcg::Pcg64;

/// Choice of places for the requests of one operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow {
    /// Share of requests that continue a run.
    pub(crate) sequential: f64,
    pub(crate) runs: u32,
    /// Zipf's θ of the places for jumps; 0: uniform.
    pub(crate) theta: f64,
    /// How requests come again, besides; `None`: not at all.
    pub(crate) again: Option<Again>,
}

/// Small requests that go to a metadata zone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Metadata {
    /// Share of the footprint, from its start.
    pub(crate) space: f64,
    /// Largest request that may go there, bytes.
    pub(crate) largest: u64,
    /// Share of these small requests that goes there.
    pub(crate) share: f64,
}

/// Character of a trace that is not available.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Character {
    pub(crate) read: Flow,
    pub(crate) write: Flow,
    pub(crate) metadata: Option<Metadata>,
}

/// Requests of a character over a part of the space.
pub(crate) struct Played {
    rng: Pcg64,
    quota: Quota,
    read: Lane,
    write: Lane,
    metadata: Option<(Chance, u64, Law)>,
    /// First byte of the part.
    base: u64,
    align: u64,
}

/// Sizes and places of one operation.
struct Lane {
    sizes: Sizes,
    sequential: Chance,
    runs: Vec<Cursor>,
    law: Law,
    again: Option<Replay>,
    /// Bytes of the part.
    end: u64,
}

/// Part of the space on which a character plays, and its alignment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage {
    /// First byte.
    pub(crate) base: u64,
    /// Bytes.
    pub(crate) bytes: u64,
    /// Jumps go to multiples of this, counted from `base`.
    pub(crate) align: u64,
}

impl Played {
    /// `quota` requests with these `sizes` (of reads, of writes), none larger than the stage.
    pub(crate) fn new(
        character: &Character,
        stage: Stage,
        quota: Quota,
        sizes: [Sizes; 2],
        seed: u64,
    ) -> Self {
        let [reads, writes] = sizes;
        let metadata = character.metadata.map(|metadata| {
            let places = ((stage.bytes as f64 * metadata.space) as u64)
                .saturating_sub(metadata.largest)
                / stage.align
                + 1;
            // File systems rewrite their tables mostly at a few places.
            let law = Law::Ranked(Ranks::zipf(places, 0.8), Some(Scramble::new(places, seed)));
            (Chance::new(metadata.share), metadata.largest, law)
        });
        Self {
            rng: Pcg64::seed_from_u64(seed),
            quota,
            read: Lane::new(&character.read, stage, reads, seed ^ 1),
            write: Lane::new(&character.write, stage, writes, seed ^ 2),
            metadata,
            base: stage.base,
            align: stage.align,
        }
    }

    fn access(&mut self, op: Op) -> Access {
        let lane = if op == Op::Read { &mut self.read } else { &mut self.write };
        if let Some((place, length)) =
            lane.again.as_mut().and_then(|again| again.draw(&mut self.rng))
        {
            return Access { op, offset: self.base + place, length, stream: 0 };
        }
        let length = lane.sizes.draw(&mut self.rng);
        if let Some((chance, largest, law)) = &self.metadata
            && length <= *largest
            && chance.happens(&mut self.rng)
        {
            return Access {
                op,
                offset: self.base + law.draw(&mut self.rng) * self.align,
                length,
                stream: 0,
            };
        }
        let place = lane.place(length, self.align, &mut self.rng);
        if let Some(again) = &mut lane.again {
            again.note(place, length);
        }
        Access::plain(op, self.base + place, length)
    }
}

impl Counted for Played {
    fn left(&self) -> u64 {
        self.quota.left()
    }

    fn write_at(&mut self, offset: u64) -> Access {
        Access::plain(self.quota.take_write(), self.base + offset, self.align)
    }
}

impl Pattern for Played {
    #[inline]
    fn next(&mut self) -> Access {
        let op = self.quota.draw(&mut self.rng);
        self.access(op)
    }
}

impl Lane {
    fn new(flow: &Flow, stage: Stage, sizes: Sizes, seed: u64) -> Self {
        let places = (stage.bytes - sizes.largest()) / stage.align + 1;
        let law = if flow.theta == 0.0 {
            Law::Even(places)
        } else {
            Law::Ranked(Ranks::zipf(places, flow.theta), Some(Scramble::new(places, seed)))
        };
        let mut rng = Pcg64::seed_from_u64(seed);
        let runs = (0..flow.runs)
            .map(|_| Cursor { at: law.draw(&mut rng) * stage.align, end: stage.bytes });
        Self {
            runs: runs.collect(),
            sequential: Chance::new(flow.sequential),
            sizes,
            law,
            again: flow.again.as_ref().map(Replay::new),
            end: stage.bytes,
        }
    }

    /// First byte of a request of `length` bytes: the end of its run, or a new place where the run continues.
    #[inline]
    fn place(&mut self, length: u64, align: u64, rng: &mut Pcg64) -> u64 {
        let run = draw::below(rng, self.runs.len() as u64) as usize;
        let run = &mut self.runs[run];
        // A run ends if the next request would exceed the part.
        let goes_on = self.sequential.happens(rng) && run.at + length <= self.end;
        let offset = if goes_on { run.at } else { self.law.draw(rng) * align };
        run.at = offset + length;
        offset
    }
}
