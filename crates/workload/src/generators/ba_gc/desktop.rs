//! A desktop PC with Windows XP over NTFS: office, browser, mail, music and games.
//!
//! Every action is a burst after a pause, and has a fixed share of all actions:
//!
//! | action | writes |
//! | --- | --- |
//! | tick | journal, file table, bitmap, a few pages of the registry: continuous activity of the system |
//! | save | a document as a new file beside the old one, whose place the next version takes |
//! | browse | small files of the cache, one after another; its index, history and cookies in place |
//! | mail | pages of the message store, at random, some far more often than others |
//! | page out | clusters of the page file |
//! | game | a saved game in place |
//! | download | a song, a picture, a program: a new file in order, after the previous one |
//!
//! Places that are rewritten are drawn by Zipf's law.
//! `desktop-1` is office and browser: nearly all its writes are small.
//! `desktop-2` is music, games and downloads over the same system: half of its data is written in order.
//!
//! Choice of the shares: a third of the writes goes to the tables of the file system.
//! A buffer of 16 MiB hits half of the time (`desktop-1`) or a third of it (`desktop-2`).
//!
//! Choice of the pauses: they are those of several programs at once.
//! At least half of such a buffer becomes dirty in the 30 s after which it is flushed.

use crate::generators::ba_gc::script::{CLUSTER, Program, Script};
use crate::generators::ba_gc::stand_in::{STAND_IN, build};
use crate::generators::ba_gc::volume::{BLOCK, Behind, Extent, Volume};
use crate::generators::draw;
use crate::generators::generator::BuiltinInfo;
use crate::generators::law::Law;
use crate::generators::ranks::Ranks;
use crate::generators::scramble::Scramble;
use rand::Rng;
use rand_pcg::Pcg64;

pub(crate) static DESKTOP_1: BuiltinInfo = BuiltinInfo {
    name: "ba-gc-desktop-1",
    summary: "a PC with office, browser and mail: small writes, most of them to the same places",
    requests: Some(200_000),
    build: |request| build(request, |volume, request| Desktop::new(volume, &OFFICE, request.rng())),
    ..STAND_IN
};

pub(crate) static DESKTOP_2: BuiltinInfo = BuiltinInfo {
    name: "ba-gc-desktop-2",
    summary: "a PC with music, games and downloads: files in order between small rewrites",
    requests: Some(200_000),
    build: |request| {
        build(request, |volume, request| Desktop::new(volume, &LEISURE, request.rng()))
    },
    ..STAND_IN
};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// File records of existing files; records of new files follow them, in a ring.
const RECORDS: u64 = 20_000;

/// Bytes per document place; each document has two, so that a new version does not overwrite the old one.
const DOCUMENT: u64 = 256 * KIB;

/// Bytes per saved game.
const SAVED_GAME: u64 = MIB;

/// A user's actions, as shares of all actions, and the pauses between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habits {
    /// Per 1,000 actions: tick, save, browse, mail, page out, game, download.
    shares: [u32; 7],
    /// Smallest and largest download, bytes.
    downloads: (u64, u64),
    /// Mean pause before an action, ns; pauses are exponentially distributed.
    pause_ns: u64,
}

pub(super) static OFFICE: Habits = Habits {
    shares: [700, 40, 120, 80, 57, 0, 3],
    downloads: (512 * KIB, 4 * MIB),
    pause_ns: 100_000_000,
};

pub(super) static LEISURE: Habits = Habits {
    shares: [762, 5, 100, 50, 74, 4, 5],
    downloads: (2 * MIB, 6 * MIB),
    pause_ns: 100_000_000,
};

#[derive(Clone, Copy, Debug)]
enum Action {
    Tick,
    Save,
    Browse,
    Mail,
    PageOut,
    Game,
    Download,
}

const ACTIONS: [Action; 7] = [
    Action::Tick,
    Action::Save,
    Action::Browse,
    Action::Mail,
    Action::PageOut,
    Action::Game,
    Action::Download,
];

/// A file with parts that are rewritten in place, some steps more often than others.
#[derive(Debug)]
struct Rewritten {
    extent: Extent,
    step: u64,
    law: Law,
}

impl Rewritten {
    fn new(extent: Extent, step: u64, theta: f64, rng: &mut Pcg64) -> Self {
        let step = step.min(extent.length);
        let places = extent.length / step;
        let scramble = Scramble::new(places, rng.next_u64());
        Self { extent, step, law: Law::Ranked(Ranks::zipf(places, theta), Some(scramble)) }
    }

    /// Draws a step: its number and first byte.
    fn draw(&self, rng: &mut Pcg64) -> (u64, u64) {
        let index = self.law.draw(rng);
        (index, self.extent.start + index * self.step)
    }

    /// Rewrites at most `length` bytes from the start of a drawn step.
    fn write(&self, length: u64, rng: &mut Pcg64, script: &mut Script) {
        let (_, at) = self.draw(rng);
        script.write(at, length.min(self.extent.end() - at));
    }
}

pub(super) struct Desktop {
    rng: Pcg64,
    volume: Volume,
    /// Upper ends of the actions' ranges, per 1,000, in order.
    ends: [u32; 7],
    habits: Habits,
    /// File records that change.
    records: Law,
    registry: Rewritten,
    page_file: Rewritten,
    mail: Rewritten,
    index: Rewritten,
    games: Rewritten,
    /// Documents with two places each, and a flag for the newer place.
    documents: Rewritten,
    newer: Vec<bool>,
    cache: Behind,
    downloads: Behind,
    /// Most bytes per download.
    room: u64,
    /// Number of the newest file.
    made: u64,
}

impl Desktop {
    pub(super) fn new(volume: Volume, habits: &Habits, mut rng: Pcg64) -> Self {
        let mut rest = volume.data;
        let mut cut = |bytes: u64| rest.cut(volume.scaled(bytes));
        let registry = Rewritten::new(cut(16 * MIB), CLUSTER, 1.1, &mut rng);
        let page_file = Rewritten::new(cut(64 * MIB), CLUSTER, 0.9, &mut rng);
        let mail = Rewritten::new(cut(64 * MIB), CLUSTER, 0.9, &mut rng);
        let index = Rewritten::new(cut(4 * MIB), CLUSTER, 1.0, &mut rng);
        let games = Rewritten::new(cut(16 * MIB), SAVED_GAME, 1.0, &mut rng);
        let documents = Rewritten::new(cut(32 * MIB), 2 * DOCUMENT, 1.0, &mut rng);
        let cache = Behind::new(cut(48 * MIB));
        let newer = vec![false; (documents.extent.length / documents.step) as usize];
        let records =
            Law::Ranked(Ranks::zipf(RECORDS, 1.0), Some(Scramble::new(RECORDS, rng.next_u64())));
        let mut end = 0;
        let ends = habits.shares.map(|share| {
            end += share;
            end
        });
        Self {
            rng,
            volume,
            ends,
            habits: *habits,
            records,
            registry,
            page_file,
            mail,
            index,
            games,
            documents,
            newer,
            cache,
            downloads: Behind::new(rest),
            room: rest.length / 4,
            made: 0,
        }
    }

    /// Pauses before an action.
    fn wait(&mut self, script: &mut Script) {
        let gaps = -libm::log(draw::unit(&mut self.rng));
        script.pause((self.habits.pause_ns as f64 * gaps) as u64);
    }

    fn between(&mut self, (least, most): (u64, u64)) -> u64 {
        least + draw::below(&mut self.rng, most - least + 1)
    }

    /// Draws a size in whole clusters.
    fn clusters(&mut self, range: (u64, u64)) -> u64 {
        self.between(range).next_multiple_of(CLUSTER)
    }

    fn tick(&mut self, script: &mut Script) {
        self.volume.log(1024, script);
        self.volume.record(self.records.draw(&mut self.rng), script);
        for _ in 0..5 {
            self.registry.write(CLUSTER, &mut self.rng, script);
        }
    }

    /// Writes the table entries of a new file.
    fn make(&mut self, at: u64, script: &mut Script) {
        self.made += 1;
        self.volume.commit(RECORDS + self.made % RECORDS, at, script);
        self.volume.directory(self.made / 64 % 256, script);
    }

    fn save(&mut self, script: &mut Script) {
        let (index, at) = self.documents.draw(&mut self.rng);
        let newer = &mut self.newer[index as usize];
        *newer = !*newer;
        let place = self.documents.step / 2;
        let at = at + u64::from(*newer) * place;
        // The size of a document is fixed.
        let length = (DOCUMENT / 8 * (1 + index % 8)).min(place).next_multiple_of(CLUSTER);
        script.write(at, length.min(place));
        self.make(at, script);
    }

    fn browse(&mut self, script: &mut Script) {
        for _ in 0..self.between((1, 7)) {
            let length = self.clusters((2 * KIB, 24 * KIB));
            let at = self.cache.place(length, CLUSTER);
            script.write(at, length);
            self.make(at, script);
        }
        for _ in 0..4 {
            self.index.write(CLUSTER, &mut self.rng, script);
        }
    }

    fn download(&mut self, script: &mut Script) {
        let length = self.clusters(self.habits.downloads).min(self.room / BLOCK * BLOCK).max(BLOCK);
        let at = self.downloads.place(length, BLOCK);
        script.write(at, length);
        self.make(at, script);
    }
}

impl Program for Desktop {
    fn act(&mut self, script: &mut Script) {
        self.wait(script);
        let draw = draw::below(&mut self.rng, 1000) as u32;
        let index = self.ends.iter().filter(|&&end| draw >= end).count();
        match ACTIONS[index] {
            Action::Tick => self.tick(script),
            Action::Save => self.save(script),
            Action::Browse => self.browse(script),
            Action::Mail => {
                for _ in 0..self.between((1, 4)) {
                    self.mail.write(2 * CLUSTER, &mut self.rng, script);
                }
                self.volume.log(512, script);
            }
            Action::PageOut => {
                for _ in 0..self.between((1, 4)) {
                    self.page_file.write(4 * CLUSTER, &mut self.rng, script);
                }
            }
            Action::Game => {
                self.games.write(SAVED_GAME, &mut self.rng, script);
                self.volume.log(512, script);
            }
            Action::Download => self.download(script),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_make_up_all_actions() {
        for habits in [&OFFICE, &LEISURE] {
            assert_eq!(habits.shares.iter().sum::<u32>(), 1000);
        }
    }
}
