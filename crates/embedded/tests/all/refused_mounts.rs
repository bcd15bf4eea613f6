//! Mounts that are refused before they change anything: of another format, or where `is_bad` does not tell what it should.

use crate::mounted::{Mounted, random};
use crate::nand::{Nand, schemes};
use ftlkit_embedded::api::{Config, ftl_memory_needed, ftl_mount, ftl_shutdown, ftl_sync};
use ftlkit_embedded::error::*;
use ftlkit_embedded::scheme::Scheme;
use std::ffi::c_int;
use std::ptr;

/// Changes of the array, and configurations that differ from that of the format in one thing.
fn otherwise(device: &Mounted, of: &'static Scheme) -> Vec<(&'static str, Config)> {
    let mut all = vec![];
    let mut other = |what, change: &dyn Fn(&mut Config)| {
        let mut config = device.config;
        change(&mut config);
        all.push((what, config));
    };
    other("half the pages per block", &|config| config.pages_per_block /= 2);
    other("a page per block less", &|config| config.pages_per_block -= 1);
    other("a page per block more", &|config| config.pages_per_block += 1);
    other("a spare block less", &|config| config.spare_blocks -= 1);
    other("no spare block", &|config| config.spare_blocks = 0);
    other("a spare block more", &|config| config.spare_blocks += 1);
    other("smaller pages", &|config| config.page_bytes /= 2);
    other("larger pages", &|config| config.page_bytes *= 2);
    other("fewer blocks", &|config| config.blocks -= 1);
    other("fewer logical pages", &|config| config.pages = device.bounds.pages - 1);
    for (_, scheme) in schemes().into_iter().filter(|(_, scheme)| !ptr::eq(*scheme, of)) {
        other("another scheme", &|config| config.scheme = scheme);
    }
    all
}

/// What a mount with this configuration returns; the array must be as before.
fn mounted_otherwise(device: &mut Mounted, config: &Config) -> c_int {
    let (mut bytes, mut handle) = (0, ptr::null_mut());
    let before = (device.nand.changes, device.nand.erases, device.nand.bad.clone());
    // SAFETY: a configuration, and an arena of as many bytes as it says.
    let done = unsafe {
        assert_eq!(ftl_memory_needed(config, &raw mut bytes), FTL_OK);
        let mut arena = vec![0u8; bytes];
        let memory = arena.as_mut_ptr().cast();
        let done = ftl_mount(config, memory, bytes, &raw mut handle);
        if done == FTL_OK {
            ftl_shutdown(handle, ptr::null_mut(), 0, ptr::null_mut());
        }
        done
    };
    let after = (device.nand.changes, device.nand.erases, device.nand.bad.clone());
    assert!(done == FTL_OK || before == after, "an array that was not mounted was changed");
    done
}

/// A mount that differs from the format is refused before it changes anything, from the first page on.
#[test]
fn what_was_formatted_otherwise_is_refused_before_any_change() {
    for (name, scheme) in schemes() {
        for written in [1, 40, 3000] {
            // As many pages as any scheme exports, so that the scheme itself tells them apart.
            let mut nand = Nand::new([64, 16, 64]);
            let config = Config { pages: 200, ..nand.config(scheme, true, 2) };
            let mut device = Mounted::with(nand, config);
            let (pages, mut state) = (device.pages(), 5);
            let mut versions = vec![0; pages as usize];
            for step in 0..written {
                let lpn = if step < pages { step } else { random(&mut state, pages) };
                assert_eq!(device.write(lpn, &[step as u8; 64]), FTL_OK);
                versions[lpn as usize] = step as u8;
            }
            // SAFETY: a handle of a mount.
            assert_eq!(unsafe { ftl_sync(device.handle) }, FTL_OK);
            // After a power cut, after a shutdown, and with the first pages of all blocks unreadable but for one.
            for state in 0..3 {
                if state == 1 {
                    let mut scratch = vec![0; device.shutdown_bytes()];
                    assert_eq!(device.shutdown(&mut scratch), FTL_OK);
                }
                let torn = device.nand.torn.clone();
                if state == 2 {
                    let written = |block: &usize| device.nand.next[*block] > 1;
                    let blocks: Vec<usize> = (0..64).filter(written).collect();
                    blocks.iter().for_each(|block| device.nand.torn[block * 16] = true);
                    if blocks.is_empty() {
                        continue;
                    }
                }
                for (what, config) in otherwise(&device, scheme) {
                    let done = mounted_otherwise(&mut device, &config);
                    assert_eq!(done, FTL_E_FORMAT, "{name}, {written} written, {state}: {what}");
                }
                device.nand.torn = torn;
                assert_eq!(device.mount(), FTL_OK, "{name}");
                for lpn in 0..written.min(pages) {
                    let mut page = [0; 64];
                    assert_eq!(device.read(lpn, &mut page), FTL_OK, "{name}");
                    assert_eq!(page, [versions[lpn as usize]; 64], "{name}: {lpn}");
                }
            }
        }
        // What was formatted and not written is of any configuration that can be.
        let mut device = Mounted::new(scheme, [64, 16, 64], true, 2);
        for (what, config) in otherwise(&device, scheme) {
            assert_eq!(mounted_otherwise(&mut device, &config), FTL_OK, "{name}: {what}");
            assert_eq!(device.nand.changes, 0, "{name}: {what}");
        }
        // Times are of no format, where the plan is the same.
        assert_eq!(device.write(3, &[1; 64]), FTL_OK);
        // SAFETY: a handle of a mount.
        assert_eq!(unsafe { ftl_sync(device.handle) }, FTL_OK);
        device.config.read_spare_ns += 1;
        assert_eq!(device.mount(), FTL_OK, "{name}");
    }
}

/// Pages of an older version of the library, of nothing that is known, and arrays of which most cannot be read.
#[test]
fn what_is_no_format_is_refused() {
    for (name, scheme) in schemes() {
        let mut device = Mounted::new(scheme, [64, 16, 64], true, 2);
        for lpn in 0..device.pages() {
            assert_eq!(device.write(lpn, &[7; 64]), FTL_OK);
        }
        let config = device.config;
        // As before the format was in the check: of the first 12 bytes and the page's number alone.
        for (at, spare) in device.nand.spare.chunks_exact_mut(16).enumerate() {
            let crc = spare[..12].iter().copied().chain((at as u32).to_le_bytes());
            let crc = !crc.fold(u32::MAX, |crc, byte| {
                (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ ((crc & 1) * 0xedb8_8320))
            });
            spare[12..].copy_from_slice(&crc.to_le_bytes());
        }
        assert_eq!(mounted_otherwise(&mut device, &config), FTL_E_FORMAT, "{name}: version 1");
        device.nand.spare.fill(0x5a);
        assert_eq!(mounted_otherwise(&mut device, &config), FTL_E_FORMAT, "{name}: noise");
        device.nand.torn.fill(true);
        assert_eq!(mounted_otherwise(&mut device, &config), FTL_E_FORMAT, "{name}: unreadable");
        assert_eq!(device.nand.broken, None, "{name}");
    }
}

/// More bad blocks than spare are refused by a mount before any change, after the check of the format; but for `gftl`, no more are
/// ever marked.
#[test]
fn a_mount_refuses_marks_of_nearly_all_blocks_and_takes_a_worn_array() {
    let mut beyond = 0;
    for (name, scheme) in schemes() {
        let mut device = Mounted::new(scheme, [64, 16, 64], true, 3);
        let (pages, config) = (device.pages(), device.config);
        (0..pages).for_each(|lpn| assert_eq!(device.write(lpn, &[7; 64]), FTL_OK, "{name}"));
        // SAFETY: a handle of a mount.
        assert_eq!(unsafe { ftl_sync(device.handle) }, FTL_OK, "{name}");
        for bad in [64, 61] {
            device.nand.bad[..bad].fill(true);
            assert_eq!(mounted_otherwise(&mut device, &config), FTL_E_SPARE, "{name}: {bad}");
            device.nand.bad.fill(false);
        }
        // Of what is wrong twice the format is told: blocks that are written, and no more of them than are spare.
        let written = |nand: &Nand| (0..64).filter(|at| nand.next[*at] > 0).collect::<Vec<_>>();
        let written = written(&device.nand);
        device.nand.bad.fill(true);
        written[written.len() - 3..].iter().for_each(|at| device.nand.bad[*at] = false);
        let fewer = Config { pages: pages - 1, ..config };
        assert_eq!(mounted_otherwise(&mut device, &config), FTL_E_SPARE, "{name}");
        assert_eq!(mounted_otherwise(&mut device, &fewer), FTL_E_FORMAT, "{name}");
        device.nand.bad.fill(false);
        assert_eq!(device.mount(), FTL_OK, "{name}");
        // Worn out, by erases alone: as many are marked as are spare, and a mount goes on.
        device.nand.fails_every = u64::MAX;
        let (mut versions, mut state, mut last) = (vec![[7, 7]; pages as usize], 1, FTL_OK);
        for step in 0..100_000u32 {
            let (lpn, version) = (random(&mut state, pages), step as u8);
            last = device.write(lpn, &[version; 64]);
            // Without a free page the bytes are the old or the new ones.
            let old = if last == FTL_OK { version } else { versions[lpn as usize][0] };
            versions[lpn as usize] = [old, version];
            if last != FTL_OK {
                break;
            }
        }
        assert_eq!(last, FTL_E_FULL, "{name}");
        device.nand.fails_every = 0;
        let marked = device.nand.bad.iter().filter(|bad| **bad).count() as u64;
        assert_eq!(marked, device.stats().retired_blocks, "{name}");
        beyond += u32::from(device.stats().retired_blocks > 3);
        for remounted in [false, true] {
            // SAFETY: a handle of a mount.
            let synced = unsafe { ftl_sync(device.handle) };
            assert!(synced == FTL_OK || synced == FTL_E_FULL, "{name}: {synced}");
            if remounted {
                assert_eq!(device.mount(), FTL_OK, "{name}");
            }
            for (lpn, versions) in (0..).zip(&versions) {
                let mut page = [0; 64];
                assert_eq!(device.read(lpn, &mut page), FTL_OK, "{name}");
                let is_one = versions.iter().any(|version| page == [*version; 64]);
                assert!(is_one, "{name}: page {lpn}, {remounted}");
            }
        }
        assert_eq!(device.nand.broken, None, "{name}");
    }
    assert!(beyond >= 2, "{beyond}");
}

/// Fewer logical pages than the bound allows outlast other times of the part; as many as it allows do not.
#[test]
fn pages_that_are_set_outlast_other_times() {
    let mut refused = 0;
    for (name, scheme) in schemes() {
        for set in [true, false] {
            let most = Mounted::new(scheme, [256, 64, 64], true, 5).pages();
            let mut nand = Nand::new([256, 64, 64]);
            let pages = if set { most - 300 } else { 0 };
            let config = Config { pages, ..nand.config(scheme, true, 5) };
            let mut device = Mounted::with(nand, config);
            assert_eq!(device.write(3, &[1; 64]), FTL_OK);
            // SAFETY: a handle of a mount.
            assert_eq!(unsafe { ftl_sync(device.handle) }, FTL_OK);
            device.config.read_ns += 1000;
            // The sizes follow from the times too.
            device.arena.resize(1 << 21, 0);
            let done = device.mount();
            assert!(done == FTL_OK || (done == FTL_E_FORMAT && !set), "{name}: {done}");
            refused += u32::from(done == FTL_E_FORMAT);
        }
    }
    assert!(refused > 0);
}
