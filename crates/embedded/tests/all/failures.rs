//! What fails, and what is lost, through the C interface: programs, erases, marks, cuts within mounts, full arrays, pages that cannot be read.

use crate::mounted::{Mounted, random};
use crate::nand::{Nand, schemes};
use crate::trap::taken_by;
use ftlkit_embedded::api::{ftl_format, ftl_idle, ftl_memory_needed, ftl_sync, ftl_trim};
use ftlkit_embedded::error::*;
use ftlkit_embedded::scheme::Scheme;

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

/// Whatever fails, no call takes memory or gives some back: it may preempt a mount of another instance, whose memory that would be.
#[test]
fn nothing_that_fails_takes_memory() {
    let mut codes = [0u32; 20];
    for (name, scheme) in schemes() {
        for seed in 0..60u32 {
            let mut state = u64::from(seed) * 977 + 3;
            let shape = [16 + random(&mut state, 48), 4 + random(&mut state, 28), 64];
            let spare = random(&mut state, 6);
            let mut nand = Nand::new(shape);
            let mut config = nand.config(scheme, seed % 2 == 0, spare);
            config.refresh_bits = seed % 3;
            nand.wears = true;
            let mut bytes = 0;
            // SAFETY: a configuration, and a place.
            if unsafe { ftl_memory_needed(&raw const config, &raw mut bytes) } != FTL_OK {
                continue;
            }
            let mut device = Mounted::with(nand, config);
            let (pages, mut page) = (device.bounds.pages, [0; 64]);
            for life in 0..4 {
                device.nand.fails_every = u64::from(3 + random(&mut state, 80));
                for _ in 0..600 + 2 * pages {
                    let lpn = random(&mut state, pages);
                    let torn = random(&mut state, shape[0] * shape[1] * 40) as usize;
                    if life > 1 && torn < device.nand.torn.len() {
                        device.nand.torn[torn] = true;
                    }
                    let (done, taken) = match random(&mut state, 16) {
                        0 => taken_by(|| device.read(lpn, &mut page)),
                        // SAFETY: a handle of a mount.
                        1 => taken_by(|| unsafe { ftl_trim(device.handle, lpn) }),
                        // SAFETY: as above.
                        2 => taken_by(|| unsafe { ftl_sync(device.handle) }),
                        // SAFETY: as above.
                        3 => taken_by(|| unsafe { ftl_idle(device.handle, 9_000_000) }),
                        _ => taken_by(|| device.write(lpn, &page)),
                    };
                    codes[usize::from(done.unsigned_abs() as u16)] += 1;
                    assert_eq!(taken, 0, "{name}, seed {seed}: {done}");
                }
                device.nand.fails_every = 0;
                assert_eq!(device.mount(), FTL_OK, "{name}, seed {seed}, life {life}");
            }
        }
    }
    // Arrays without a free page, and pages that are lost, were among them.
    assert!(codes[11] > 1000 && codes[10] > 10, "{codes:?}");
}

/// Where no page is left, a mount succeeds all the same, and every page reads as it was written last.
#[test]
fn a_full_array_mounts_and_all_can_be_read() {
    for (name, scheme) in schemes() {
        let (mut full, mut read_only) = (0, 0);
        for seed in 0..60u32 {
            let mut state = u64::from(seed) * 977 + 3;
            let shape = [16 + random(&mut state, 48), 4 + random(&mut state, 28), 64];
            let spare = random(&mut state, 6);
            let mut nand = Nand::new(shape);
            let config = nand.config(scheme, seed % 2 == 0, spare);
            let mut bytes = 0;
            // SAFETY: a configuration, and a place.
            if unsafe { ftl_memory_needed(&raw const config, &raw mut bytes) } != FTL_OK {
                continue;
            }
            let mut device = Mounted::with(nand, config);
            let pages = device.bounds.pages;
            // Versions that a page may have: the last one written, those of writes since that failed, and after a trim any.
            let mut versions = vec![(vec![0u32], false); pages as usize];
            for life in 0..3 {
                device.nand.fails_every = u64::from(3 + random(&mut state, 80));
                let mut last = FTL_OK;
                for step in 1..600 + 2 * pages {
                    let (lpn, mut page) = (random(&mut state, pages), [life; 64]);
                    page[..4].copy_from_slice(&step.to_le_bytes());
                    page[3] = life;
                    let version = u32::from_le_bytes([page[0], page[1], page[2], life]);
                    if random(&mut state, 12) == 0 {
                        // SAFETY: a handle of a mount.
                        let done = unsafe { ftl_trim(device.handle, lpn) };
                        assert!([FTL_OK, FTL_E_FULL, FTL_E_LOST_TRACK].contains(&done), "{name}");
                        versions[lpn as usize].1 = true;
                        continue;
                    }
                    last = device.write(lpn, &page);
                    if last == FTL_OK {
                        versions[lpn as usize] = (vec![version], false);
                        continue;
                    }
                    versions[lpn as usize].0.push(version);
                    if last != FTL_E_FULL {
                        assert_eq!(last, FTL_E_LOST_TRACK, "{name}");
                        break;
                    }
                }
                device.nand.fails_every = 0;
                // SAFETY: as above. What gftl has in RAM is durable after it alone.
                let volatile = unsafe { ftl_sync(device.handle) } != FTL_OK && name == "gftl";
                let before = (device.nand.changes, device.nand.erases);
                assert_eq!(device.mount(), FTL_OK, "{name}, seed {seed}, life {life}");
                full += u32::from(last == FTL_E_FULL);
                for (lpn, (known, trimmed)) in (0..).zip(&versions) {
                    let mut page = [0; 64];
                    let done = device.read(lpn, &mut page);
                    assert_eq!(done, FTL_OK, "{name}, seed {seed}, life {life}: page {lpn}");
                    let found = u32::from_le_bytes([page[0], page[1], page[2], page[3]]);
                    let right = known.contains(&found) || *trimmed || volatile;
                    assert!(right, "{name}, seed {seed}, life {life}: {found} of {known:?}");
                }
                let before = (before, (device.nand.changes, device.nand.erases));
                versions[0].0.push(u32::from_le_bytes([9; 4]));
                if device.write(0, &[9; 64]) == FTL_E_FULL && before.0 == before.1 {
                    // SAFETY: as above.
                    let idle = unsafe { ftl_idle(device.handle, u64::MAX) };
                    let changed = (device.nand.changes, device.nand.erases) != before.1;
                    read_only += u32::from(idle == FTL_OK && !changed);
                }
                assert_eq!(device.nand.broken, None, "{name}");
            }
        }
        println!("{name}: {full} full arrays, {read_only} unchanged");
        assert!(full > 10, "{name}: {full}");
        assert!(read_only > 0 || name != "lazy-rtgc-on-demand");
    }
}

/// A block that could neither be erased nor be marked fails the format, of the same configuration and of another.
#[test]
fn a_block_that_keeps_its_pages_fails_the_format() {
    for (name, scheme) in schemes() {
        for other in [false, true] {
            let mut device = Mounted::new(scheme, [64, 16, 64], true, 2);
            for lpn in 0..device.pages() {
                assert_eq!(device.write(lpn, &[7; 64]), FTL_OK);
            }
            let written = device.nand.next.iter().position(|next| *next > 0);
            device.nand.stuck = written.map(|block| block as u32);
            device.config.pages = device.bounds.pages - u32::from(other);
            let format = |device: &mut Mounted| {
                let (arena, bytes) = (device.arena.as_mut_ptr().cast(), device.arena.len());
                // SAFETY: the arena has as many bytes as it says.
                unsafe { ftl_format(&raw const device.config, arena, bytes) }
            };
            assert_eq!(format(&mut device), FTL_E_NOT_ERASED, "{name}");
            assert_eq!(format(&mut device), FTL_E_NOT_ERASED, "{name}");
            // It can be marked, though not be erased.
            device.nand.marks = true;
            assert_eq!((format(&mut device), device.mount()), (FTL_OK, FTL_OK), "{name}");
            for lpn in 0..device.pages() {
                let mut page = [1; 64];
                assert_eq!((device.read(lpn, &mut page), page), (FTL_OK, [0; 64]), "{name}");
            }
        }
    }
}

/// Pages that read as erased where the map has data are no losses that ECC would explain: neither reads nor copies take them for such.
#[test]
fn erased_pages_that_are_copied_end_the_instance() {
    for copies in [false, true] {
        for (name, scheme) in schemes() {
            let mut device = Mounted::new(scheme, [64, 16, 64], copies, 2);
            let pages = device.pages();
            for lpn in 0..pages {
                assert_eq!(device.write(lpn, &[7; 64]), FTL_OK);
            }
            device.nand.spare.fill(0xff);
            let (mut state, mut code) = (3, FTL_OK);
            for _ in 0..3000 {
                code = device.write(random(&mut state, pages / 2), &[8; 64]);
                if code != FTL_OK {
                    break;
                }
            }
            assert_eq!(code, FTL_E_DRIVER, "{name}, copies: {copies}");
            assert_eq!(device.nand.broken, None, "{name}");
        }
    }
}

/// Power cuts in a write, then in the mounts after it and in what they recover: nothing is lost.
#[test]
fn cuts_in_mounts_lose_nothing() {
    for (name, scheme) in schemes() {
        let mut cuts = 0;
        for seed in 0..30u64 {
            let mut state = seed * 31 + 1;
            let mut device = Mounted::new(scheme, [24, 8, 64], seed % 2 == 0, 2);
            let pages = device.pages();
            let mut versions = vec![0u8; pages as usize];
            for round in 0..60 {
                for _ in 0..random(&mut state, 2 * pages) {
                    let (lpn, version) = (random(&mut state, pages), random(&mut state, 256) as u8);
                    assert_eq!(device.write(lpn, &[version; 64]), FTL_OK);
                    versions[lpn as usize] = version;
                }
                // SAFETY: a handle of a mount.
                assert_eq!(unsafe { ftl_sync(device.handle) }, FTL_OK, "{name}");
                // The same bytes again: old or new cannot be told.
                device.nand.until = Some(random(&mut state, 6).into());
                let lpn = random(&mut state, pages);
                let same = [versions[lpn as usize]; 64];
                (0..20).any(|_| device.write(lpn, &same) != FTL_OK);
                for _ in 0..3 {
                    device.nand.off = false;
                    device.nand.until = Some(random(&mut state, 6).into());
                    let done = device.mount();
                    assert!(
                        [FTL_OK, FTL_E_STOPPED].contains(&done),
                        "{name}, seed {seed}, round {round}: {done}"
                    );
                    cuts += u32::from(done == FTL_E_STOPPED);
                }
                (device.nand.off, device.nand.until) = (false, None);
                assert_eq!(device.mount(), FTL_OK, "{name}, seed {seed}, round {round}");
                for (lpn, version) in (0..).zip(&versions) {
                    let mut page = [0; 64];
                    let done = device.read(lpn, &mut page);
                    let wanted = (FTL_OK, [*version; 64]);
                    assert_eq!((done, page), wanted, "{name}, seed {seed}, round {round}: {lpn}");
                }
                assert_eq!(device.nand.broken, None, "{name}");
            }
        }
        println!("{name}: {cuts} cuts in mounts");
        assert!(cuts > 100, "{name}: {cuts}");
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

/// A filled array, of which every second page is written twice, and the pages on it that cannot be read any more.
fn with_lost_pages(scheme: &'static Scheme, with_spare: bool) -> Mounted {
    let mut device = Mounted::new(scheme, [64, 16, 64], true, 2);
    let pages = device.pages();
    for version in [1, 2] {
        for lpn in (0..pages).step_by(version) {
            assert_eq!(device.write(lpn, &[version as u8; 64]), FTL_OK);
        }
    }
    // SAFETY: a handle of a mount.
    assert_eq!(unsafe { ftl_sync(device.handle) }, FTL_OK);
    assert_eq!((device.mount(), device.stats().mount_unreadable), (FTL_OK, 0));
    let nand = &mut *device.nand;
    let states = if with_spare { &mut nand.torn } else { &mut nand.worn };
    // Pages of data, and not the first of a block: they are the map's and a seal's business.
    let written = |at: &usize| {
        !at.is_multiple_of(16)
            && at % 16 < nand.next[at / 16] as usize
            && nand.spare[at * 16 + 4] == 0
    };
    (3..1024).step_by(29).filter(written).for_each(|at| states[at] = true);
    device
}

/// Pages that read as the newest version, as lost, as zeros and as an older version.
fn found(device: &mut Mounted) -> [u32; 4] {
    let mut found = [0; 4];
    for lpn in 0..device.pages() {
        let (mut page, newest) = ([9; 64], if lpn % 2 == 0 { 2 } else { 1 });
        let at = match (device.read(lpn, &mut page), page) {
            (FTL_E_UNREADABLE, _) => 1,
            (FTL_OK, page) if page == [newest; 64] => 0,
            (FTL_OK, page) if page == [0; 64] => 2,
            (FTL_OK, page) if page == [1; 64] => 3,
            other => panic!("{lpn}: {other:?}"),
        };
        found[at] += 1;
    }
    found
}

/// Pages that ECC cannot correct any more, without and with their spare areas: until a mount, after a cut, and after a shutdown.
#[test]
fn what_cannot_be_read_is_as_published() {
    for (name, scheme) in schemes() {
        for (with_spare, clean) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut device = with_lost_pages(scheme, with_spare);
            let before = found(&mut device);
            let [_, lost, 0, 0] = before else { panic!("{name}: {before:?}") };
            let stats = device.stats();
            assert!(lost > 10, "{name}: {lost}");
            assert_eq!((stats.unreadable_reads, stats.lost_pages), (lost.into(), 0), "{name}");
            if clean {
                let mut scratch = vec![0; device.shutdown_bytes()];
                assert_eq!(device.shutdown(&mut scratch), FTL_OK, "{name}");
            }
            assert_eq!(device.mount(), FTL_OK, "{name}");
            let (after, found_so) = (found(&mut device), device.stats().mount_unreadable);
            let is_sealed = clean && device.sealed == 1;
            match (with_spare, is_sealed, name) {
                // The mount knows the logical page: of the spare area, or of the map.
                (false, ..) | (_, true, _) => assert_eq!((after, found_so), (before, 0), "{name}"),
                // Data blocks: a page is where the map of blocks has it.
                (_, _, "gftl") => {
                    assert!(after[1] > 10 && after[2] > 0 && found_so > 0, "{name}: {after:?}");
                }
                // Zeros, and older bytes where they are still there; the count says that something may be lost.
                _ => {
                    assert_eq!((after[0], after[1]), (before[0], 0), "{name}: {after:?}");
                    let most = device.stats().mount.spare_reads + device.stats().mount.reads;
                    assert!((lost.into()..most).contains(&found_so), "{name}: {found_so}");
                    assert!(name == "page-level" || after[3] > 0, "{name}: {after:?}");
                }
            }
        }
    }
}
