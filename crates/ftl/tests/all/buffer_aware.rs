//! Page-mapped collectors below a write buffer that they know: pages taken from it, savings, costs, and
//! mounts.

use crate::bench::{Device, Failing, failing, preset};
use flash::parts::EVALUATION_SLC;
use flash::{AnyArray, Cause, Geometry, Lpn, Ns, Operation, Probe};
use ftlkit_ftl::registry;
use ftlkit_ftl::{BufferLog, BufferPolicy, BufferSettings, BufferUnit, Guarantee, SchemeConfig};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const PAGE_BYTES: u32 = 16;

fn bench(seed: u64, failures_per_million: u32) -> AnyArray {
    failing(Geometry::new(48, 16, PAGE_BYTES).unwrap(), seed, failures_per_million)
}

/// A preset below a buffer of 64 pages, with single pages as units.
fn config(name: &str, aware: bool, spare_blocks: u32) -> SchemeConfig {
    let buffer = BufferSettings {
        policy: Some(Some(BufferPolicy::LRU)),
        bytes: Some(64 * u64::from(PAGE_BYTES)),
        unit: Some(BufferUnit::Page),
        age_ns: Some(0),
        aware: Some(aware),
        ..BufferSettings::default()
    };
    SchemeConfig { buffer, spare_blocks, ..preset(name) }
}

/// The number of writes per page, in all and up to the last flush.
#[derive(Debug)]
struct Host {
    seed: u64,
    writes: u32,
    version: Vec<u32>,
    durable: Vec<u32>,
}

impl Host {
    fn new(seed: u64, writes: u32) -> Self {
        Self { seed, writes, version: Vec::new(), durable: Vec::new() }
    }
}

fn content(lpn: u32, version: u32) -> [u8; PAGE_BYTES as usize] {
    let mut bytes = [0; PAGE_BYTES as usize];
    bytes[..4].copy_from_slice(&lpn.to_le_bytes());
    bytes[4..8].copy_from_slice(&version.to_le_bytes());
    bytes
}

/// The scheme's version of a page; 0 if it has none.
fn version(scheme: &mut Device, lpn: u32) -> u32 {
    let mut bytes = [0; PAGE_BYTES as usize];
    if !scheme.read(Lpn(lpn), Some(&mut bytes)).unwrap() {
        return 0;
    }
    let version = u32::from_le_bytes(bytes[4..8].try_into().unwrap());
    assert_eq!(bytes, content(lpn, version), "page {lpn}");
    version
}

#[derive(Debug)]
struct Ran {
    flash: AnyArray,
    log: BufferLog,
    guarantee: Guarantee,
    worst_ns: Ns,
    copies: u64,
    taken: u64,
}

impl Host {
    /// Writes all pages, then random pages, an eighth of the space far more often than the others. Reads all
    /// pages back.
    fn run(&mut self, config: &SchemeConfig, flash: AnyArray) -> Ran {
        let mut scheme = registry::format(config, flash).unwrap();
        let pages = scheme.logical_pages();
        self.version.resize(pages as usize, 0);
        self.durable.resize(pages as usize, 0);
        let mut random = Pcg64::seed_from_u64(self.seed);
        let mut worst_ns = 0;
        for at in 0..pages + self.writes {
            let lpn = match random.random_range(0..4) {
                _ if at < pages => at,
                0 => random.random_range(0..pages),
                _ => random.random_range(0..pages / 8),
            };
            let before = scheme.flash().worked().busy_ns;
            self.version[lpn as usize] += 1;
            let page = content(lpn, self.version[lpn as usize]);
            scheme.write(Lpn(lpn), Some(&page)).unwrap();
            worst_ns = worst_ns.max(scheme.flash().worked().busy_ns - before);
            if at % 997 == 0 {
                scheme.flush().unwrap();
                self.durable.clone_from(&self.version);
            }
        }
        for lpn in 0..pages {
            assert_eq!(version(&mut *scheme, lpn), self.version[lpn as usize], "page {lpn}");
        }
        let counts = *scheme.flash().downcast_ref::<Failing>().unwrap().counts();
        let told = scheme.telemetry();
        let collected = |operation| counts.get(operation, Cause::Collection);
        Ran {
            log: told.buffer.unwrap().1.clone(),
            guarantee: told.guarantee,
            worst_ns,
            copies: collected(Operation::Copy),
            taken: collected(Operation::Program),
            flash: scheme.into_flash(),
        }
    }

    /// Mounts and checks that each page is at least as new as at the last flush, and no newer than the
    /// host's.
    fn mount(&self, config: &SchemeConfig, flash: AnyArray) -> AnyArray {
        let mut scheme = registry::mount(config, flash).unwrap();
        for (lpn, (durable, newest)) in (0..).zip(self.durable.iter().zip(&self.version)) {
            let version = version(&mut *scheme, lpn);
            assert!((durable..=newest).contains(&&version), "page {lpn}: {durable} {version}");
        }
        scheme.into_flash()
    }
}

#[test]
fn collectors_that_know_the_buffer_copy_less_and_keep_their_promises() {
    for preset in ["page-level", "fsr", "lazy-rtgc"] {
        let [unaware, aware] = [false, true].map(|aware| {
            let config = config(preset, aware, 0);
            Host::new(7, 20_000).run(&config, bench(1, 0))
        });
        assert_eq!((unaware.log.collected, unaware.taken), (0, 0), "{preset}");
        assert!(unaware.log.moved_in_vain > 0, "{preset}: {unaware:?}");
        assert_eq!(aware.log.moved_in_vain, 0, "{preset}");
        assert!(aware.log.collected > 0, "{preset}");
        assert_eq!(aware.log.collected, aware.taken, "{preset}");
        assert!(aware.copies < unaware.copies, "{preset}: {} {}", aware.copies, unaware.copies);
        for ran in [unaware, aware] {
            let promise = ran.guarantee.response_ns.unwrap();
            assert!(ran.worst_ns <= promise, "{preset}: {} > {promise}", ran.worst_ns);
        }
    }
}

#[test]
fn a_mount_finds_what_was_flushed_or_newer() {
    for preset in ["page-level", "lazy-rtgc"] {
        let config = config(preset, true, 0);
        for seed in 1..20 {
            let mut host = Host::new(seed, 300 * seed as u32);
            let ran = host.run(&config, bench(1, 0));
            assert!(ran.log.dirty > 0, "{preset}: what is lost is in the buffer only");
            // A power cut without a flush.
            let flash = host.mount(&config, ran.flash);
            // Mount again, on the array that the first mount left.
            host.mount(&config, flash);
        }
    }
}

#[test]
fn programs_that_fail_lose_nothing_of_what_is_taken_from_the_buffer() {
    for preset in ["page-level", "lazy-rtgc"] {
        let config = config(preset, true, 12);
        let (mut taken, mut failed) = (0, 0);
        for seed in 1..10 {
            let mut host = Host::new(seed, 6000);
            let ran = host.run(&config, bench(seed, 600));
            failed += ran.flash.downcast_ref::<Failing>().unwrap().inner().failed_programs();
            taken += ran.taken;
            host.mount(&config, ran.flash);
        }
        assert!(taken > 0 && failed > 9, "{preset}: {taken} {failed}");
    }
}

#[test]
fn schemes_that_take_no_page_along_refuse_to_be_aware() {
    for preset in registry::REGISTRY {
        let takes = ["page-level", "fsr", "lazy-rtgc", "2lgc", "bast", "fast", "ba-gc"];
        let config = config(preset.name, true, 0);
        let geometry = Geometry::new(4096, 64, 2048).unwrap();
        let refused = registry::plan(&config, &EVALUATION_SLC, &geometry, 4096)
            .is_err_and(|error| error.to_string().contains("aware"));
        assert_eq!(refused, !takes.contains(&preset.name), "{}", preset.name);
    }
}
