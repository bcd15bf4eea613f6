//! A desktop PC with Windows XP at work: office, browser, mail, music and games over NTFS.
//!
//! Every action is a burst with a pause before it, and each has a share of the actions:
//!
//! | action | writes |
//! | --- | --- |
//! | tick | journal, file table, bitmap, a few pages of the registry: what the system does all the time |
//! | save | a document as a new file beside the old one, and the old one's place is the next one's |
//! | browse | small files of the cache, one behind the other; its index, history and cookies in place |
//! | mail | pages of the message store, anywhere but some far more often than others |
//! | page out | clusters of the page file |
//! | game | a saved game in place |
//! | download | a song, a picture, a program: a new file in order, behind the one before |
//!
//! Places that are rewritten are drawn by Zipf's law. `desktop-1` is office and browser: nearly all its
//! writes are small. `desktop-2` is music, games and downloads over the same system: half of what it writes
//! is in order. The shares are chosen so that a third of the writes goes to the tables of the file system, and
//! a buffer of 16 MiB hits half the time or a third of it; the pauses, which are those of several programs at
//! once, so that half such a buffer and more becomes dirty in the 30 s after which it is flushed.

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

/// File records of the files that are there; those of new files come behind them, round and round.
const RECORDS: u64 = 20_000;

/// Bytes of a document's place; it has two, so that a new version does not overwrite the old one.
const DOCUMENT: u64 = 256 * KIB;

/// Bytes of a saved game's place.
const SAVED_GAME: u64 = MIB;

/// What a user does, in shares of all actions; and how long the pauses are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habits {
    /// Of 1,000 actions: tick, save, browse, mail, page out, game, download.
    shares: [u32; 7],
    /// Smallest and largest download, bytes.
    downloads: (u64, u64),
    /// Mean pause before an action, ns; pauses are exponential.
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

/// A file of which parts are rewritten in place: some steps of it more often than others.
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

    /// Number of a step, and where it begins.
    fn draw(&self, rng: &mut Pcg64) -> (u64, u64) {
        let index = self.law.draw(rng);
        (index, self.extent.start + index * self.step)
    }

    /// Rewrites `length` bytes at most from a step on.
    fn write(&self, length: u64, rng: &mut Pcg64, script: &mut Script) {
        let (_, at) = self.draw(rng);
        script.write(at, length.min(self.extent.end() - at));
    }
}

pub(super) struct Desktop {
    rng: Pcg64,
    volume: Volume,
    /// Draws below these, of 1,000, are the actions in order.
    ends: [u32; 7],
    habits: Habits,
    /// File records that are changed.
    records: Law,
    registry: Rewritten,
    page_file: Rewritten,
    mail: Rewritten,
    index: Rewritten,
    games: Rewritten,
    /// Documents, two places each, and which of them is the newer one.
    documents: Rewritten,
    newer: Vec<bool>,
    cache: Behind,
    downloads: Behind,
    /// Bytes of a download, at most.
    room: u64,
    /// Number of the file that was made last.
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

    /// The pause before an action.
    fn wait(&mut self, script: &mut Script) {
        let gaps = -libm::log(draw::unit(&mut self.rng));
        script.pause((self.habits.pause_ns as f64 * gaps) as u64);
    }

    fn between(&mut self, (least, most): (u64, u64)) -> u64 {
        least + draw::below(&mut self.rng, most - least + 1)
    }

    /// Whole clusters.
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

    /// Puts down what the tables say of a new file.
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
        // A document keeps its size.
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
