//! The worked examples with the write buffer of the `ba-gc` preset, and long random histories, in which every
//! victim is compared with the definition.

use super::{FIGURE_1, PAGE_BYTES, array, bytes, figure_array, operations, part};
use crate::buffer::log::BufferLog;
use crate::buffer::policy::{BufferPolicy, Regions};
use crate::buffer::settings::BufferSettings;
use crate::error::FtlError;
use crate::preset::SchemeConfig;
use crate::registry::{self, by_name};
use crate::scheme::AnyScheme;
use crate::victims::VictimKind;
use alloc::{boxed::Box, vec::Vec};
use flash::{AnyArray, Array, Lpn, Ns, Operation, Serial};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

type Bench = Serial<Array>;
type Device = AnyScheme;

/// `ba-gc` on the array of the figures: a buffer of eight pages, whose initial region releases a block as soon
/// as it gets another.
fn ba_gc(log_blocks: u32, victim: Option<VictimKind>, aware: bool) -> SchemeConfig {
    let regions = Some(Regions::Fixed { initial: 10, updated: 60 });
    let bytes = Some(8 * u64::from(PAGE_BYTES));
    SchemeConfig {
        logical_pages: Some(8),
        log_blocks: Some(log_blocks),
        victim,
        buffer: BufferSettings { bytes, regions, aware: Some(aware), ..BufferSettings::default() },
        ..SchemeConfig::preset(by_name("ba-gc").unwrap())
    }
}

/// Writes pages to the buffer, then one through it, which requires the merge of a log block. Returns copies, programs
/// and erases of the merge, and the log of the buffer.
fn merge(
    config: &SchemeConfig,
    log_blocks: &[[u32; 4]],
    buffered: &[u32],
    through: u32,
) -> ([u64; 3], BufferLog) {
    let array = AnyArray::new(figure_array(log_blocks));
    let mut scheme = registry::mount(config, array).unwrap();
    let mut newest: [[u8; PAGE_BYTES as usize]; 8] = Default::default();
    for (lpn, page) in (0..).zip(&mut newest) {
        assert!(scheme.read(Lpn(lpn), Some(page)).unwrap());
    }
    for lpn in buffered {
        newest[*lpn as usize] = bytes(*lpn, 2);
        scheme.write(Lpn(*lpn), Some(&newest[*lpn as usize])).unwrap();
    }
    newest[through as usize] = bytes(through, 3);
    scheme.write_through(Lpn(through), Some(&newest[through as usize])).unwrap();
    for (lpn, newest) in (0..).zip(&newest) {
        let mut page = [0; PAGE_BYTES as usize];
        assert!(scheme.read(Lpn(lpn), Some(&mut page)).unwrap());
        assert_eq!(page, *newest, "p{lpn}");
    }
    let counts = scheme.flash().downcast_ref::<Bench>().unwrap().counts();
    (operations(counts), scheme.telemetry().buffer.unwrap().1.clone())
}

#[test]
fn figure_1_takes_p2_and_p4_from_the_three_region_buffer() {
    let (operations, log) = merge(&ba_gc(1, None, true), &FIGURE_1, &[2, 4], 5);
    assert_eq!(operations, [6, 2, 3]);
    assert_eq!((log.collected, log.moved_in_vain, log.dirty), (2, 0, 0));
    // An unaware collector moves the same set of pages, two of them in vain.
    let (operations, log) = merge(&ba_gc(1, None, false), &FIGURE_1, &[2, 4], 5);
    assert_eq!(operations, [8, 0, 3]);
    assert_eq!((log.collected, log.moved_in_vain, log.dirty), (0, 2, 2));
    // `fast` with `aware`.
    let fast = by_name("fast").unwrap();
    let mut config = SchemeConfig { preset: fast, ..ba_gc(1, None, true) };
    config.buffer.policy = Some(Some(BufferPolicy::THREE_REGION));
    assert_eq!(merge(&config, &FIGURE_1, &[2, 4], 5).1.collected, 2);
}

#[test]
fn figure_3_takes_l1_by_the_regions_of_the_buffer() {
    // p6 and p7 are written once; p1, p2 and p3 twice.
    let buffered = [6, 7, 1, 2, 3, 1, 2, 3];
    let logs = [[0, 1, 2, 3], [4, 5, 6, 7]];
    // L1: p4 and p5 from flash, p6 and p7 from the buffer.
    let (operations, log) = merge(&ba_gc(2, None, true), &logs, &buffered, 5);
    assert_eq!(operations, [2, 2, 2]);
    assert_eq!((log.collected, log.dirty), (2, 3));
    // L0, the oldest log block: p0 from flash, p1, p2 and p3 from the buffer.
    let fifo = Some(VictimKind::FIFO);
    let (operations, log) = merge(&ba_gc(2, fifo, true), &logs, &buffered, 5);
    assert_eq!(operations, [1, 3, 2]);
    assert_eq!((log.collected, log.dirty), (3, 2));
    // Without BA-BM both cost the same, so the older one is the victim. Three of its pages move in vain.
    let (operations, log) = merge(&ba_gc(2, None, false), &logs, &buffered, 5);
    assert_eq!(operations, [4, 0, 2]);
    assert_eq!((log.collected, log.moved_in_vain, log.dirty), (0, 3, 5));
}

/// Random writes, reads, trims and flushes against a model; then a mount, and more of the same.
struct History {
    seed: u64,
    now_ns: Ns,
    model: Vec<Option<u8>>,
    trimmed: Vec<bool>,
}

impl History {
    fn new(seed: u64) -> Self {
        Self { seed, now_ns: 0, model: Vec::new(), trimmed: Vec::new() }
    }

    /// Returns the array, and the numbers of pages collected from the buffer and moved in vain.
    fn run(&mut self, mut scheme: Box<Device>) -> (AnyArray, u64, u64) {
        let pages = scheme.logical_pages();
        self.model.resize(pages as usize, None);
        self.trimmed.resize(pages as usize, false);
        let mut rng = Pcg64::seed_from_u64(self.seed);
        // A quarter of the written space is written more often; an eighth of the space is never written at random.
        let written = pages * 7 / 8;
        for _ in 0..6000 {
            self.now_ns += 10_000_000;
            scheme.advance(self.now_ns).unwrap();
            let lpn = match rng.random_range(0..3) {
                0 => rng.random_range(0..written / 4),
                _ => rng.random_range(0..written),
            };
            let version = rng.random_range(0..200);
            match rng.random_range(0..100) {
                0 => {
                    scheme.trim(Lpn(lpn)).unwrap();
                    self.model[lpn as usize] = None;
                    self.trimmed[lpn as usize] = true;
                }
                1 => scheme.flush().unwrap(),
                2..10 => self.check(&mut *scheme, lpn),
                10..14 => {
                    scheme.write_through(Lpn(lpn), Some(&bytes(lpn, version))).unwrap();
                    self.wrote(lpn, version);
                }
                // Sequential runs open and close sequential log blocks.
                14..20 => {
                    for lpn in (lpn..pages).take(6) {
                        scheme.write(Lpn(lpn), Some(&bytes(lpn, version))).unwrap();
                        self.wrote(lpn, version);
                    }
                }
                _ => {
                    scheme.write(Lpn(lpn), Some(&bytes(lpn, version))).unwrap();
                    self.wrote(lpn, version);
                }
            }
        }
        (0..pages).for_each(|lpn| self.check(&mut *scheme, lpn));
        let log = scheme.telemetry().buffer.map(|(_, log)| log.clone()).unwrap_or_default();
        scheme.flush().unwrap();
        (scheme.into_flash(), log.collected, log.moved_in_vain)
    }

    fn wrote(&mut self, lpn: u32, version: u8) {
        self.model[lpn as usize] = Some(version);
        self.trimmed[lpn as usize] = false;
    }

    fn check(&mut self, scheme: &mut Device, lpn: u32) {
        let mut page = [0; PAGE_BYTES as usize];
        let present = scheme.read(Lpn(lpn), Some(&mut page)).unwrap();
        match self.model[lpn as usize] {
            Some(version) => assert_eq!((present, page), (true, bytes(lpn, version)), "p{lpn}"),
            None => assert!(!present, "p{lpn} was never written or was trimmed"),
        }
    }

    /// Continues after a mount. A trim is advisory, so the model first takes over the state of trimmed pages.
    fn run_mounted(&mut self, mut scheme: Box<Device>) -> (AnyArray, u64, u64) {
        for lpn in 0..scheme.logical_pages() {
            let mut page = [0; PAGE_BYTES as usize];
            if self.trimmed[lpn as usize] {
                let present = scheme.read(Lpn(lpn), Some(&mut page)).unwrap();
                self.model[lpn as usize] = present.then_some(page[1]);
                self.trimmed[lpn as usize] = false;
            }
            self.check(&mut *scheme, lpn);
        }
        self.seed += 1000;
        self.run(scheme)
    }
}

/// Returns the numbers of pages collected from the buffer, of pages moved in vain, and of copies in merges.
fn history(config: &SchemeConfig, blocks: u32, seed: u64) -> [u64; 3] {
    let mut history = History::new(seed);
    let array = AnyArray::new(array(blocks));
    let (array, collected, in_vain) = history.run(registry::format(config, array).unwrap());
    let (array, more, more_in_vain) = history.run_mounted(registry::mount(config, array).unwrap());
    let copies = array.downcast_ref::<Bench>().unwrap().counts().total(Operation::Copy);
    [collected + more, in_vain + more_in_vain, copies]
}

/// In this crate's tests, `RandomLog::cheapest` compares each victim with the definition.
#[test]
fn victims_are_those_of_the_definition_and_pages_read_back() {
    let name = |name| SchemeConfig::preset(by_name(name).unwrap());
    let greedy = Some(VictimKind::GREEDY);
    let with = |policy, mut config: SchemeConfig| {
        config.buffer.policy = Some(Some(policy));
        config.buffer.aware = Some(true);
        config.buffer.age_ns = Some(500_000_000);
        config
    };
    let configs = [
        name("ba-gc"),
        with(BufferPolicy::THREE_REGION, name("ba-gc")),
        with(BufferPolicy::LRU, name("ba-gc")),
        with(BufferPolicy::FAB, name("ba-gc")),
        with(BufferPolicy::BPLRU, SchemeConfig { log_blocks: Some(3), ..name("ba-gc") }),
        SchemeConfig { victim: greedy, ..name("fast") },
        with(BufferPolicy::THREE_REGION, name("bast")),
    ];
    for (at, config) in configs.iter().enumerate() {
        for (seed, blocks) in [(1, 40), (2, 200)] {
            let [collected, in_vain, copies] = history(config, blocks, seed);
            let aware = at != 5;
            assert_eq!(collected > 0, aware, "{at} on {blocks} blocks");
            assert_eq!(in_vain, 0, "{at} on {blocks} blocks");
            assert!(copies > 0);
        }
    }
}

#[test]
fn a_collector_that_knows_the_buffer_moves_less_within_flash() {
    for preset in ["bast", "fast", "ba-gc"] {
        let mut config = SchemeConfig::preset(by_name(preset).unwrap());
        config.buffer.policy = Some(Some(BufferPolicy::THREE_REGION));
        let [unaware, aware] = [false, true].map(|aware| {
            config.buffer.aware = Some(aware);
            history(&config, 100, 7)
        });
        assert!(unaware[0] == 0 && unaware[1] > 0, "{preset}: {unaware:?}");
        assert!(aware[0] > 0 && aware[1] == 0, "{preset}: {aware:?}");
        assert!(aware[2] < unaware[2], "{preset}: {aware:?}, unaware {unaware:?}");
    }
}

#[test]
fn superblocks_tell_what_they_move_in_vain() {
    let mut config = SchemeConfig::preset(by_name("superblock").unwrap());
    config.buffer.policy = Some(Some(BufferPolicy::THREE_REGION));
    let [collected, in_vain, _] = history(&config, 100, 7);
    assert!(collected == 0 && in_vain > 0, "{in_vain}");
}

/// The larger D, the fewer copies, since a superblock's update block takes writes of more blocks; and the longer the bound.
#[test]
fn the_size_of_superblocks_counts() {
    let preset = SchemeConfig::preset(by_name("superblock").unwrap());
    let with = |superblock| SchemeConfig { superblock, log_blocks: Some(8), ..preset.clone() };
    let copies = [1, 4, 64].map(|blocks| history(&with(Some(blocks)), 100, 7)[2]);
    assert!(copies[0] > copies[1] && copies[1] > copies[2] && copies[2] > 0, "{copies:?}");
    let (part, geometry) = (part(), flash::Geometry::new(100, 4, PAGE_BYTES).unwrap());
    let plan = |config| registry::plan(&config, &part, &geometry, geometry.blocks());
    for (given, blocks) in [(None, 8), (Some(1), 1), (Some(64), 64), (Some(1 << 31), 91)] {
        let step_ns = bounds::log_block::superblock_step_ns(&part, blocks, blocks + 8);
        assert_eq!(plan(with(given)).unwrap().guarantee.step_ns, Some(step_ns), "{given:?}");
    }
    for wrong in [0, 3, u32::MAX] {
        let error = plan(with(Some(wrong)));
        assert!(matches!(error, Err(FtlError::Config { setting: "superblock", .. })), "{error:?}");
    }
}
