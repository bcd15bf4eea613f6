//! Calls through the C interface: what they cost, what they take, and what they return.

use crate::mounted::{Mounted, random, within};
use crate::nand::{Nand, schemes};
use crate::trap::{most_of, taken_by};
use ftlkit_embedded::api::{
    Config, ftl_bounds, ftl_error_text, ftl_format, ftl_idle, ftl_memory_needed, ftl_mount,
    ftl_pages, ftl_read, ftl_shutdown, ftl_sync, ftl_trim, ftl_write,
};
use ftlkit_embedded::bounds::{Bounds, Cost};
use ftlkit_embedded::error::*;
use std::ffi::{CStr, c_int};
use std::ptr;

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
        // As published: 3Nπ + N, and 2N for the format.
        let spare_reads = device.bounds.mount.spare_reads;
        let published = 3 * 64 * 16 + 3 * 64;
        let is_page_map = ["page-level", "fsr", "lazy-rtgc"].contains(&name);
        assert!(spare_reads == published || !is_page_map, "{name}: {spare_reads}");
        assert_eq!(device.stats().mount, after_a_cut, "{name}");
        let mut scratch = vec![0; device.shutdown_bytes()];
        device.nand.counts = Cost::default();
        assert_eq!(device.shutdown(&mut scratch), FTL_OK, "{name}");
        let (shutdown, bound) = (device.nand.counts, device.bounds.shutdown);
        assert!(within(&shutdown, &bound), "{name}: {shutdown:?} of {bound:?}");
        let seals = ["gftl", "lazy-rtgc-on-demand"].contains(&name);
        assert_eq!(device.sealed, seals.into(), "{name}");
        assert_eq!(bound == Cost::default(), !seals, "{name}");
        // The bound is no guess.
        assert!(8 * shutdown.time_ns >= bound.time_ns, "{name}: {shutdown:?} of {bound:?}");
        device.nand.counts = Cost::default();
        assert_eq!(device.mount(), FTL_OK, "{name}");
        let clean = device.nand.counts;
        assert!(within(&clean, &device.bounds.clean_mount), "{name}: {clean:?}");
        if name == "gftl" {
            assert!(!scratch.is_empty() && clean.spare_reads <= 2, "{clean:?}");
        }
        if name == "lazy-rtgc-on-demand" {
            assert!(scratch.is_empty() && 2 * clean.time_ns < after_a_cut.time_ns, "{clean:?}");
        }
        if seals {
            assert!(device.bounds.clean_mount.time_ns < device.bounds.mount.time_ns);
        }
        let mut found = [0; 256];
        assert_eq!(device.read(1, &mut found), FTL_OK, "{name}");
    }
}

/// A shutdown tells whether the next mount is short: not without scratch memory for `gftl`, and not after failures.
#[test]
fn a_shutdown_tells_whether_it_sealed() {
    for (name, scheme) in schemes() {
        let mut device = Mounted::new(scheme, [64, 16, 256], true, 8);
        let mut state = 5;
        let mut fill = |device: &mut Mounted| {
            for _ in 0..2 * device.pages() {
                let lpn = random(&mut state, device.pages());
                assert_eq!(device.write(lpn, &[7; 256]), FTL_OK);
            }
        };
        let mut end = |device: &mut Mounted, scratch: &mut [u8]| {
            fill(device);
            device.nand.counts = Cost::default();
            let done = if scratch.is_empty() {
                let sealed = &raw mut device.sealed;
                // SAFETY: a handle of a mount, without scratch memory.
                unsafe { ftl_shutdown(device.handle, ptr::null_mut(), 0, sealed) }
            } else {
                device.shutdown(scratch)
            };
            assert_eq!(done, FTL_OK, "{name}");
            let (counts, bound) = (device.nand.counts, device.bounds.shutdown);
            assert!(within(&counts, &bound), "{name}: {counts:?} of {bound:?}");
            let sealed = device.sealed;
            assert_eq!(device.mount(), FTL_OK, "{name}");
            sealed
        };
        let on_demand = name == "lazy-rtgc-on-demand";
        assert_eq!(end(&mut device, &mut []), on_demand.into(), "{name}");
        let mut scratch = vec![0; device.shutdown_bytes()];
        let seals = on_demand || name == "gftl";
        assert_eq!(end(&mut device, &mut scratch), seals.into(), "{name}");
        // The blocks of an image are erased before the next.
        assert_eq!(end(&mut device, &mut scratch), seals.into(), "{name}");
        // Each page of the map has a newer entry: the bound is met.
        if on_demand {
            (0..device.pages()).step_by(256 / 4).for_each(|lpn| _ = device.write(lpn, &[1; 256]));
            device.nand.counts = Cost::default();
            assert_eq!(device.shutdown(&mut []), FTL_OK);
            assert_eq!(device.nand.counts.programs, device.bounds.shutdown.programs);
            assert_eq!(device.mount(), FTL_OK);
        }
        // Most blocks are erased.
        let mut few = Mounted::new(scheme, [64, 16, 256], true, 8);
        for _ in 0..150 {
            (0..7).for_each(|lpn| _ = few.write(lpn, &[1; 256]));
            few.nand.counts = Cost::default();
            assert_eq!(few.shutdown(&mut scratch), FTL_OK);
            assert!(within(&few.nand.counts, &few.bounds.shutdown), "{name}");
            few.nand.counts = Cost::default();
            assert_eq!((few.sealed, few.mount()), (seals.into(), FTL_OK), "{name}");
            let (counts, bound) = (few.nand.counts, few.bounds.clean_mount);
            assert!(within(&counts, &bound), "{name}: {counts:?} of {bound:?}");
        }
        // What a shutdown could not do, and what was no shutdown.
        fill(&mut device);
        device.nand.says = Some(-4);
        let wanted = if seals { FTL_E_STOPPED } else { FTL_OK };
        assert_eq!((device.shutdown(&mut scratch), device.sealed), (wanted, 0), "{name}");
        device.nand.says = None;
        // SAFETY: no handle.
        unsafe {
            let mut sealed = 9;
            let done = ftl_shutdown(ptr::null_mut(), ptr::null_mut(), 0, &raw mut sealed);
            assert_eq!((done, sealed), (FTL_E_ARGUMENT, 0));
        }
    }
    // Pages too small for a seal.
    let mut device = Mounted::new(schemes()[3].1, [64, 16, 24], true, 2);
    assert_eq!(device.write(0, &[1; 24]), FTL_OK);
    assert_eq!((device.shutdown(&mut []), device.sealed), (FTL_OK, 0));
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
        assert_eq!(ftl_shutdown(handle, ptr::null_mut(), 0, ptr::null_mut()), FTL_OK);
        assert_eq!(ftl_shutdown(handle, ptr::null_mut(), 0, ptr::null_mut()), FTL_E_HANDLE);
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
        assert!(
            text.to_str().is_ok_and(|text| text.starts_with("more blocks are bad than are spare"))
        );
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

/// A budget of one step, again and again, comes to an end; below it, it is not known whether there is one.
#[test]
fn idle_time_of_one_step_at_a_time_comes_to_an_end() {
    for (name, scheme) in schemes() {
        let mut device = Mounted::new(scheme, [64, 16, 64], true, 2);
        let (pages, step) = (device.pages(), device.bounds.idle_step.time_ns);
        for written in [0, pages, 3 * pages] {
            (0..written).for_each(|at| _ = device.write(at * 7 % pages, &[1; 64]));
            // SAFETY: a handle of a mount.
            unsafe {
                assert_eq!(ftl_idle(device.handle, 0), FTL_MORE, "{name}");
                assert!((0..10_000).any(|_| ftl_idle(device.handle, step) == FTL_OK), "{name}");
            }
        }
    }
}

/// What a shutdown and a format that do not end well leave, and what is said of it.
#[test]
fn texts_are_of_the_call_that_failed() {
    let (_, scheme) = schemes()[4];
    let mut device = Mounted::new(scheme, [64, 16, 64], true, 2);
    let mut short = vec![0; device.shutdown_bytes() - 1];
    assert_eq!(device.shutdown(&mut short), FTL_E_MEMORY);
    assert_eq!(device.write(0, &[1; 64]), FTL_OK);
    device.nand.says = Some(-4);
    assert_eq!(device.write(1, &[1; 64]), FTL_E_STOPPED);
    let mut scratch = vec![0; device.shutdown_bytes()];
    assert_eq!(device.shutdown(&mut scratch), FTL_E_STOPPED);
    assert_eq!(device.shutdown(&mut scratch), FTL_E_HANDLE);
    // SAFETY: the text of a code.
    let said = |code| unsafe { CStr::from_ptr(ftl_error_text(code)) }.to_str().unwrap();
    assert!(said(FTL_E_MEMORY).contains("ftl_shutdown_memory"));
    assert!(said(FTL_E_STOPPED).contains("repeat the format"));
    assert!(said(FTL_E_FORMAT).contains("times") && !said(FTL_E_FORMAT).contains("format it"));
}
