//! Calls through the C interface: what they cost, what they take, and what they return.

use crate::nand::{Nand, schemes};
use crate::trap::{most_of, taken_by};
use ftlkit_embedded::api::{
    Config, Handle, Stats, ftl_bounds, ftl_error_text, ftl_format, ftl_idle, ftl_memory_needed,
    ftl_mount, ftl_pages, ftl_read, ftl_shutdown, ftl_shutdown_memory, ftl_stats, ftl_sync,
    ftl_trim, ftl_write,
};
use ftlkit_embedded::bounds::{Bounds, Cost};
use ftlkit_embedded::error::*;
use ftlkit_embedded::scheme::Scheme;
use std::ffi::{CStr, c_int};
use std::ptr;

fn random(state: &mut u64, below: u32) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) % u64::from(below)) as u32
}

/// A mounted array. The arena is a vector, whatever is in it.
struct Mounted {
    nand: Box<Nand>,
    config: Config,
    arena: Vec<u8>,
    handle: *mut Handle,
    bounds: Bounds,
}

impl Mounted {
    fn new(scheme: &'static Scheme, shape: [u32; 3], copies: bool, spare: u32) -> Self {
        Self::of(Nand::new(shape), scheme, copies, spare)
    }

    fn of(mut nand: Box<Nand>, scheme: &'static Scheme, copies: bool, spare: u32) -> Self {
        let config = nand.config(scheme, copies, spare);
        Self::with(nand, config)
    }

    fn with(nand: Box<Nand>, config: Config) -> Self {
        let (mut bytes, mut bounds) = (0, Bounds::default());
        // SAFETY: a configuration, and places for what is told.
        unsafe {
            assert_eq!(ftl_memory_needed(&raw const config, &raw mut bytes), FTL_OK);
            assert_eq!(ftl_bounds(&raw const config, &raw mut bounds), FTL_OK);
        }
        let mut arena = vec![0xee; bytes];
        // SAFETY: the arena has as many bytes as it says.
        let done = unsafe { ftl_format(&raw const config, arena.as_mut_ptr().cast(), bytes) };
        assert_eq!(done, FTL_OK);
        let mut mounted = Self { nand, config, arena, handle: ptr::null_mut(), bounds };
        assert_eq!(mounted.mount(), FTL_OK);
        mounted
    }

    fn mount(&mut self) -> c_int {
        let bytes = self.arena.len();
        let arena = self.arena.as_mut_ptr().cast();
        // SAFETY: the arena has as many bytes as it says.
        unsafe { ftl_mount(&raw const self.config, arena, bytes, &raw mut self.handle) }
    }

    fn pages(&self) -> u32 {
        // SAFETY: a handle of a mount.
        unsafe { ftl_pages(self.handle) }
    }

    fn write(&mut self, lpn: u32, page: &[u8]) -> c_int {
        // SAFETY: a handle of a mount, and a page.
        unsafe { ftl_write(self.handle, lpn, page.as_ptr().cast()) }
    }

    fn read(&mut self, lpn: u32, page: &mut [u8]) -> c_int {
        // SAFETY: a handle of a mount, and a page.
        unsafe { ftl_read(self.handle, lpn, page.as_mut_ptr().cast()) }
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        // SAFETY: a handle of a mount.
        assert_eq!(unsafe { ftl_stats(self.handle, &raw mut stats) }, FTL_OK);
        stats
    }

    fn shutdown(&mut self, scratch: &mut [u8]) -> c_int {
        // SAFETY: a handle of a mount, and as many bytes as it says.
        unsafe { ftl_shutdown(self.handle, scratch.as_mut_ptr().cast(), scratch.len()) }
    }

    fn shutdown_bytes(&self) -> usize {
        let mut bytes = 0;
        // SAFETY: a configuration.
        assert_eq!(unsafe { ftl_shutdown_memory(&raw const self.config, &raw mut bytes) }, FTL_OK);
        bytes
    }
}

fn within(cost: &Cost, bound: &Cost) -> bool {
    cost.reads <= bound.reads
        && cost.spare_reads <= bound.spare_reads
        && cost.programs <= bound.programs
        && cost.copies <= bound.copies
        && cost.erases <= bound.erases
        && cost.time_ns <= bound.time_ns
}

/// Every call within its bound, counted at the driver; no memory taken by any; what is read is what was written.
#[test]
fn no_call_exceeds_its_bound_or_takes_memory() {
    for (name, scheme) in schemes() {
        for copies in [true, false] {
            let mut device = Mounted::new(scheme, [64, 32, 64], copies, 2);
            let (pages, bounds) = (device.pages(), device.bounds);
            assert_eq!(pages, bounds.pages);
            let (mut versions, mut state, mut longest) = (vec![0u32; pages as usize], 1, 0);
            let mut page = [0u8; 64];
            for step in 1..=6 * pages {
                let lpn = match step / pages {
                    0 => step,
                    1..=3 => random(&mut state, pages),
                    // Each block loses a page in turn.
                    _ => (step % (pages / 32) * 32 + step / 32) % pages,
                };
                page[..4].copy_from_slice(&step.to_le_bytes());
                device.nand.counts = Cost::default();
                let (done, taken) = taken_by(|| device.write(lpn, &page));
                assert_eq!((done, taken), (FTL_OK, 0), "{name}: write");
                let cost = device.nand.counts;
                assert!(within(&cost, &bounds.write), "{name}: {cost:?} of {:?}", bounds.write);
                longest = longest.max(cost.time_ns);
                versions[lpn as usize] = step;
                let lpn = random(&mut state, pages);
                device.nand.counts = Cost::default();
                match random(&mut state, 16) {
                    0..6 => {
                        let mut found = [0xaa; 64];
                        let (done, taken) = taken_by(|| device.read(lpn, &mut found));
                        assert_eq!((done, taken), (FTL_OK, 0), "{name}: read");
                        assert_eq!(found[..4], versions[lpn as usize].to_le_bytes(), "{name}");
                        assert!(within(&device.nand.counts, &bounds.read), "{name}: read");
                    }
                    6 => {
                        // SAFETY: a handle of a mount.
                        let (done, taken) = taken_by(|| unsafe { ftl_trim(device.handle, lpn) });
                        assert_eq!((done, taken), (FTL_OK, 0), "{name}: trim");
                        assert!(within(&device.nand.counts, &bounds.trim), "{name}: trim");
                        versions[lpn as usize] = 0;
                    }
                    7 => {
                        let budget = bounds.idle_step.time_ns;
                        // SAFETY: a handle of a mount.
                        let (done, taken) = taken_by(|| unsafe { ftl_idle(device.handle, budget) });
                        assert!(done == FTL_OK || done == FTL_MORE, "{name}: {done}");
                        assert_eq!(taken, 0, "{name}: idle");
                        assert!(within(&device.nand.counts, &bounds.idle_step), "{name}: idle");
                    }
                    8 => {
                        // SAFETY: a handle of a mount.
                        let (done, taken) = taken_by(|| unsafe { ftl_sync(device.handle) });
                        assert_eq!((done, taken), (FTL_OK, 0), "{name}: sync");
                        assert!(within(&device.nand.counts, &bounds.sync), "{name}: sync");
                    }
                    _ => {}
                }
            }
            assert_eq!(device.nand.broken, None, "{name}");
            let stats = device.stats();
            assert_eq!(stats.worst_write.time_ns, longest, "{name}");
            assert_eq!(stats.writes, u64::from(6 * pages), "{name}");
            // The bound is no guess: its longest write is met, or nearly.
            assert!(
                2 * longest > bounds.write.time_ns,
                "{name}: {longest} of {}",
                bounds.write.time_ns
            );
        }
    }
}

/// Programs and erases that fail take no memory either, and lose nothing.
#[test]
fn failures_take_no_memory_and_lose_nothing() {
    for (name, scheme) in schemes() {
        let mut device = Mounted::new(scheme, [96, 16, 64], true, 24);
        device.nand.fails_every = 97;
        let pages = device.pages();
        let (mut versions, mut state, mut page) = (vec![0u32; pages as usize], 1, [0u8; 64]);
        for step in 1..=20_000u32 {
            if device.stats().retired_blocks >= 8 {
                break;
            }
            let lpn = random(&mut state, pages);
            page[..4].copy_from_slice(&step.to_le_bytes());
            let (done, taken) = taken_by(|| device.write(lpn, &page));
            assert_eq!((done, taken), (FTL_OK, 0), "{name}: write {step}");
            versions[lpn as usize] = step;
        }
        device.nand.fails_every = 0;
        let stats = device.stats();
        assert!(stats.retired_blocks >= 8, "{name}: few blocks went bad");
        assert_eq!((stats.lost_pages, device.nand.broken), (0, None), "{name}");
        for remounted in [false, true] {
            // SAFETY: a handle of a mount.
            assert_eq!(unsafe { ftl_sync(device.handle) }, FTL_OK, "{name}");
            if remounted {
                assert_eq!(device.mount(), FTL_OK, "{name}");
            }
            for (lpn, version) in (0..).zip(&versions) {
                assert_eq!(device.read(lpn, &mut page), FTL_OK, "{name}");
                assert_eq!(page[..4], version.to_le_bytes(), "{name}: page {lpn}");
            }
        }
    }
}

/// A format and a mount take at most what was asked for, and not much less.
#[test]
fn memory_is_as_much_as_was_said() {
    for (name, scheme) in schemes() {
        for shape in [[48, 16, 64], [200, 64, 512], [64, 128, 256]] {
            let mut device = Mounted::new(scheme, shape, true, 2);
            let (pages, page) = (device.pages(), vec![1; shape[2] as usize]);
            let mut state = 5;
            for step in 0..2 * pages {
                let lpn = if step < pages { step } else { random(&mut state, pages) };
                assert_eq!(device.write(lpn, &page), FTL_OK);
            }
            let mut most = 0;
            for clean in [false, true] {
                if clean {
                    let mut scratch = vec![0; device.shutdown_bytes()];
                    let needed = scratch.len();
                    if needed > 0 {
                        let short = &mut scratch[..needed - 1];
                        assert_eq!(device.shutdown(short), FTL_E_MEMORY, "{name}");
                    }
                    let (done, taken) = most_of(|| device.shutdown(&mut scratch));
                    assert_eq!(done, FTL_OK, "{name}");
                    assert!(taken <= needed, "{name}: {taken} of {needed} at the shutdown");
                }
                let (done, taken) = most_of(|| device.mount());
                assert_eq!(done, FTL_OK, "{name}");
                most = most.max(taken);
            }
            let asked = device.arena.len();
            assert!(most <= asked, "{name} {shape:?}: {most} of {asked}");
            assert!(3 * most > asked, "{name} {shape:?}: {most} of {asked}: too much is asked for");
        }
    }
}

/// After a shutdown `gftl` reads its maps alone.
#[test]
fn a_clean_mount_is_within_its_bound() {
    for (name, scheme) in schemes() {
        let mut device = Mounted::new(scheme, [64, 16, 256], true, 2);
        let (pages, page) = (device.pages(), [7; 256]);
        let mut state = 5;
        for _ in 0..3 * pages {
            assert_eq!(device.write(random(&mut state, pages), &page), FTL_OK);
        }
        device.nand.counts = Cost::default();
        assert_eq!(device.mount(), FTL_OK, "{name}");
        let after_a_cut = device.nand.counts;
        assert!(within(&after_a_cut, &device.bounds.mount), "{name}: {after_a_cut:?}");
        assert_eq!(device.stats().mount, after_a_cut, "{name}");
        let mut scratch = vec![0; device.shutdown_bytes()];
        assert_eq!(device.shutdown(&mut scratch), FTL_OK, "{name}");
        device.nand.counts = Cost::default();
        assert_eq!(device.mount(), FTL_OK, "{name}");
        let clean = device.nand.counts;
        assert!(within(&clean, &device.bounds.clean_mount), "{name}: {clean:?}");
        if name == "gftl" {
            assert!(!scratch.is_empty() && clean.spare_reads <= 1, "{clean:?}");
        }
        if name == "lazy-rtgc-on-demand" {
            assert!(scratch.is_empty() && 2 * clean.time_ns < after_a_cut.time_ns, "{clean:?}");
        }
        if ["gftl", "lazy-rtgc-on-demand"].contains(&name) {
            assert!(device.bounds.clean_mount.time_ns < device.bounds.mount.time_ns);
        }
        let mut found = [0; 256];
        assert_eq!(device.read(1, &mut found), FTL_OK, "{name}");
    }
}

/// What a driver must not return is an error, and the instance ends; a mount goes on.
#[test]
fn a_driver_that_breaks_its_contract_ends_the_instance() {
    for (name, scheme) in schemes() {
        for says in [-4, -5, -99, c_int::MIN, 1, 77, c_int::MAX] {
            let mut device = Mounted::new(scheme, [32, 16, 64], true, 2);
            assert_eq!(device.write(3, &[1; 64]), FTL_OK);
            device.nand.says = Some(says);
            let done = device.write(4, &[2; 64]);
            let wanted = if says == -4 { FTL_E_STOPPED } else { FTL_E_DRIVER };
            assert_eq!(done, wanted, "{name}: {says}");
            assert_eq!(device.write(5, &[3; 64]), wanted, "{name}: {says}");
            assert_eq!(device.read(3, &mut [0; 64]), wanted, "{name}: {says}");
            assert_eq!(device.mount(), FTL_OK, "{name}: {says}");
            let mut page = [0; 64];
            assert_eq!(device.read(3, &mut page), FTL_OK, "{name}");
            assert_eq!(page, [1; 64], "{name}");
            device.nand.says = Some(7);
            assert_eq!(device.mount(), FTL_E_DRIVER, "{name}");
        }
    }
}

#[test]
fn what_cannot_work_is_refused_with_its_reason() {
    let (_, scheme) = schemes()[2];
    let mut nand = Nand::new([64, 16, 64]);
    let good = nand.config(scheme, true, 2);
    let refused = |change: fn(&mut Config)| {
        let mut config = good;
        change(&mut config);
        let mut bytes = 0;
        // SAFETY: a configuration and a place.
        unsafe { ftl_memory_needed(&raw const config, &raw mut bytes) }
    };
    assert_eq!(refused(|_| {}), FTL_OK);
    assert_eq!(refused(|config| config.scheme = ptr::null()), FTL_E_ARGUMENT);
    assert_eq!(refused(|config| config.blocks = 2), FTL_E_SHAPE);
    assert_eq!(refused(|config| config.pages_per_block = 1), FTL_E_SHAPE);
    assert_eq!(refused(|config| config.page_bytes = 0), FTL_E_SHAPE);
    assert_eq!(
        refused(|config| (config.blocks, config.pages_per_block) = (u32::MAX, 1 << 20)),
        FTL_E_SHAPE
    );
    assert_eq!(refused(|config| config.erase_ns = 0), FTL_E_TIMES);
    assert_eq!(refused(|config| config.erase_ns = 1000), FTL_E_TIMES);
    assert_eq!(refused(|config| config.spare_blocks = 63), FTL_E_BLOCKS);
    assert_eq!(refused(|config| config.pages = 64 * 16), FTL_E_PAGES);

    let (mut bytes, mut arena, mut handle) = (0, vec![0u8; 1 << 20], ptr::null_mut());
    // SAFETY: configurations, places, and an arena of at least as many bytes as are said.
    unsafe {
        let (memory, room) = (arena.as_mut_ptr().cast(), arena.len());
        let config = &raw const good;
        assert_eq!(ftl_memory_needed(config, ptr::null_mut()), FTL_E_ARGUMENT);
        assert_eq!(ftl_memory_needed(ptr::null(), &raw mut bytes), FTL_E_ARGUMENT);
        assert_eq!(ftl_memory_needed(config, &raw mut bytes), FTL_OK);
        assert_eq!(ftl_format(config, memory, bytes - 1), FTL_E_MEMORY);
        assert_eq!(ftl_format(config, ptr::null_mut(), room), FTL_E_ARGUMENT);
        assert_eq!(ftl_mount(config, memory, room, ptr::null_mut()), FTL_E_ARGUMENT);
        let mut lacking = good;
        lacking.driver.erase = None;
        assert_eq!(ftl_format(&raw const lacking, memory, room), FTL_E_ARGUMENT);
        assert_eq!(ftl_write(ptr::null_mut(), 0, [0u8; 64].as_ptr().cast()), FTL_E_ARGUMENT);
        // Three bad blocks, and two spare.
        nand.bad[5..8].fill(true);
        assert_eq!(ftl_format(config, memory, room), FTL_E_SPARE);
        nand.bad[5] = false;
        assert_eq!(ftl_format(config, memory, room), FTL_OK);
        assert_eq!(ftl_mount(config, memory, room, &raw mut handle), FTL_OK);
        let pages = ftl_pages(handle);
        let mut page = [9u8; 64];
        assert_eq!(ftl_write(handle, pages, page.as_ptr().cast()), FTL_E_RANGE);
        assert_eq!(ftl_write(handle, 0, ptr::null()), FTL_E_ARGUMENT);
        assert_eq!(ftl_write(handle, 0, page.as_ptr().cast()), FTL_OK);
        assert_eq!(ftl_read(handle, 1, page.as_mut_ptr().cast()), FTL_OK);
        assert_eq!(page, [0; 64]);
        assert_eq!(ftl_shutdown(handle, ptr::null_mut(), 0), FTL_OK);
        assert_eq!(ftl_shutdown(handle, ptr::null_mut(), 0), FTL_E_HANDLE);
        assert_eq!(ftl_write(handle, 0, page.as_ptr().cast()), FTL_E_HANDLE);
        assert_eq!(ftl_pages(handle), 0);
        // What another scheme wrote.
        let other = nand.config(schemes()[4].1, true, 2);
        let mut needed = 0;
        assert_eq!(ftl_memory_needed(&raw const other, &raw mut needed), FTL_OK);
        assert!(needed <= room);
        let mounted = ftl_mount(config, memory, room, &raw mut handle);
        assert_eq!(mounted, FTL_OK);
        let text = CStr::from_ptr(ftl_error_text(FTL_E_SPARE));
        assert_eq!(text.to_str(), Ok("more blocks are bad than are spare"));
        assert_eq!(CStr::from_ptr(ftl_error_text(-1234)).to_str(), Ok("an unknown code"));
    }
}

/// Two instances at once: neither sees the other.
#[test]
fn instances_are_independent() {
    let mut devices: Vec<Mounted> =
        schemes().iter().map(|(_, scheme)| Mounted::new(scheme, [64, 16, 64], true, 2)).collect();
    for round in 0..400u32 {
        for (at, device) in devices.iter_mut().enumerate() {
            let lpn = round * 7 % device.pages();
            assert_eq!(device.write(lpn, &[(round + at as u32) as u8; 64]), FTL_OK);
        }
    }
    for (at, device) in devices.iter_mut().enumerate() {
        let mut page = [0; 64];
        assert_eq!(device.read(399 * 7 % device.pages(), &mut page), FTL_OK);
        assert_eq!(page, [(399 + at as u32) as u8; 64]);
    }
}

/// Pages that are read with many corrected bits are written again in idle time: by nothing else, in steps within their bound.
#[test]
fn pages_with_many_corrected_bits_are_written_again() {
    const BITS: u32 = 8;
    for (name, scheme) in schemes() {
        let mut nand = Nand::new([64, 16, 64]);
        let mut config = nand.config(scheme, true, 2);
        let mut plain = Bounds::default();
        // SAFETY: a configuration, and a place.
        assert_eq!(unsafe { ftl_bounds(&raw const config, &raw mut plain) }, FTL_OK);
        config.refresh_bits = BITS;
        let mut device = Mounted::with(nand, config);
        let bounds = device.bounds;
        assert_eq!((bounds.write, bounds.read, bounds.trim), (plain.write, plain.read, plain.trim));
        assert!(bounds.idle_step.time_ns >= bounds.read.time_ns + bounds.write.time_ns, "{name}");
        for lpn in 0..device.pages() {
            assert_eq!(device.write(lpn, &[lpn as u8; 64]), FTL_OK);
        }
        device.nand.wears = true;
        let mut found = [0; 64];
        let mut read = |device: &mut Mounted, lpn: u32, times: u32| {
            for _ in 0..times {
                assert_eq!(device.read(lpn, &mut found), FTL_OK);
                assert_eq!(found, [lpn as u8; 64], "{name}");
            }
            device.stats().refresh_waiting
        };
        // SAFETY: a handle of a mount.
        let idle = |device: &Mounted, budget| unsafe { ftl_idle(device.handle, budget) };
        assert_eq!(read(&mut device, 5, BITS - 1), 0, "{name}");
        assert_eq!(read(&mut device, 5, 1), 1, "{name}");
        assert_eq!(read(&mut device, 5, 1), 1, "{name}");
        assert_eq!(idle(&device, 0), FTL_MORE, "{name}");
        assert_eq!((device.stats().refresh_waiting, device.stats().refreshed), (1, 0), "{name}");
        device.nand.counts = Cost::default();
        let (done, taken) = taken_by(|| idle(&device, bounds.idle_step.time_ns));
        assert!((done == FTL_OK || done == FTL_MORE) && taken == 0, "{name}: {done}");
        assert!(within(&device.nand.counts, &bounds.idle_step), "{name}: {:?}", device.nand.counts);
        assert_eq!((device.stats().refresh_waiting, device.stats().refreshed), (0, 1), "{name}");
        // It is another page now, whose bits are few.
        assert_eq!(read(&mut device, 5, BITS - 1), 0, "{name}");
        // What is written or trimmed meanwhile waits no more.
        assert_eq!(read(&mut device, 6, BITS), 1, "{name}");
        assert_eq!(read(&mut device, 7, BITS), 2, "{name}");
        assert_eq!(device.write(6, &[6; 64]), FTL_OK);
        // SAFETY: a handle of a mount.
        assert_eq!(unsafe { ftl_trim(device.handle, 7) }, FTL_OK);
        assert_eq!(device.stats().refresh_waiting, 0, "{name}");
        // As many as have room; the others at their next read.
        for lpn in 20..40 {
            read(&mut device, lpn, BITS);
        }
        assert_eq!(device.stats().refresh_waiting, 16, "{name}");
        let mut steps = 0;
        while device.stats().refresh_waiting > 0 {
            device.nand.counts = Cost::default();
            idle(&device, bounds.idle_step.time_ns);
            assert!(device.nand.counts.time_ns <= bounds.idle_step.time_ns, "{name}");
            steps += 1;
            assert!(steps < 100, "{name}");
        }
        assert_eq!(device.stats().refreshed, 17, "{name}");
        (20..40).for_each(|lpn| _ = read(&mut device, lpn, 1));
        // Where a read's collection step copies, it has moved them.
        assert!(device.stats().refresh_waiting == 4 || name == "gftl", "{name}");
        assert_eq!(device.nand.broken, None, "{name}");
    }
}

/// Data written after a seal that a mount refused are there after the next power cut.
#[test]
fn a_seal_that_was_refused_is_not_believed_after_the_next_cut() {
    let all = schemes();
    let (_, scheme) = all.iter().find(|(name, _)| *name == "lazy-rtgc-on-demand").unwrap();
    for writes in [160u32, 320, 165] {
        let mut device = Mounted::new(scheme, [64, 16, 64], true, 2);
        for lpn in 0..writes {
            assert_eq!(device.write(lpn, &[1; 64]), FTL_OK);
        }
        assert_eq!(device.shutdown(&mut []), FTL_OK);
        assert_eq!(device.mount(), FTL_OK);
        let last = (writes - 1) / 16 * 16;
        for lpn in writes..last + 16 {
            assert_eq!(device.write(lpn, &[1; 64]), FTL_OK);
        }
        for lpn in last..last + 16 {
            // SAFETY: the handle is of a mounted instance.
            unsafe {
                assert_eq!(ftl_trim(device.handle, lpn), FTL_OK);
                ftl_idle(device.handle, device.bounds.idle_step.time_ns);
            }
        }
        // Power cuts: no shutdown.
        assert_eq!(device.mount(), FTL_OK);
        for lpn in [5, 6, 7] {
            assert_eq!(device.write(lpn, &[9; 64]), FTL_OK);
        }
        // SAFETY: as above.
        assert_eq!(unsafe { ftl_sync(device.handle) }, FTL_OK);
        assert_eq!(device.mount(), FTL_OK);
        let mut found = [0; 64];
        for lpn in [5, 6, 7] {
            assert_eq!(device.read(lpn, &mut found), FTL_OK);
            assert_eq!(found, [9; 64], "{writes}: {lpn}");
        }
        for lpn in last..last + 16 {
            let code = device.read(lpn, &mut found);
            assert!(
                code == FTL_OK && (found == [1; 64] || found == [0; 64] || found == [0xff; 64]),
                "{writes}: {lpn}: {code} {found:?}"
            );
        }
    }
}
