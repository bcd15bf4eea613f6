//! The sum of a sync: what it is of, by `docs/image.md`, and what a start does with it.

use crate::on_disk::{Folder, folder};
use flash::faults::Tearable;
use flash::{BlockId, Cause, Flash, Geometry, Lpn, Oob, Part, Ppn, SlcMode, parts};
use ftlkit_device::image::{Description, Fault, Image, ImageError};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::fs;
use std::path::PathBuf;

const BLOCKS: u32 = 8;
const PAGES: u32 = 4;
const BYTES: usize = 64;
const SPARE: u32 = 2;

/// Offsets of `docs/image.md`, of both copies.
const HEADS_AT: [usize; 2] = [0, 151_552];
const BLOCKS_AT: [usize; 2] = [131_072, 147_456];
const PAGES_AT: [usize; 2] = [135_168, 143_360];

fn geometry() -> Geometry {
    Geometry::new(BLOCKS, PAGES, BYTES as u32).unwrap()
}

fn make(machine: bool) -> (Folder, PathBuf, Image) {
    let folder = folder();
    let path = folder.path().join("device.img");
    let part = parts::by_name("evaluation-slc").unwrap().clone();
    let slc = SlcMode { t_r_ns: part.t_r_ns, t_prog_ns: part.t_prog_ns, t_bers_ns: part.t_bers_ns };
    let part = Part { page_bytes: BYTES as u32, pages_per_block: PAGES, slc: Some(slc), ..part };
    let mut image = Image::create(&path, geometry(), &Description::of_part(&part)).unwrap();
    image.sync_before_erases(machine);
    (folder, path, image)
}

fn program(image: &mut Image, ppn: u32, byte: u8) {
    let oob = Oob::data(Lpn(ppn), u64::from(byte));
    image.program(Ppn(ppn), oob, Some(&[byte; BYTES]), Cause::Host).unwrap();
}

fn u32_at(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(file[at..at + 4].try_into().unwrap())
}

fn u64_at(file: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(file[at..at + 8].try_into().unwrap())
}

fn s(number: u64) -> u64 {
    let x = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

fn mix(place: u64, number: u64) -> u64 {
    s(s(place) ^ number)
}

/// The sum of all records in use, as the text has it.
fn sum_of(file: &[u8]) -> u64 {
    let mut sum = 0_u64;
    for id in 0..BLOCKS as usize {
        let at = BLOCKS_AT[0] + id * 64;
        let (flags, slot, erased_at) =
            (u32_at(file, at + 4), u32_at(file, at + 8), u64_at(file, at + 12));
        let place = (1 << 63) + u64::from(flags) * (1 << 32) + id as u64;
        sum = sum.wrapping_add(mix(place, erased_at));
        for page in 0..PAGES {
            let place = slot * PAGES + page;
            let at = PAGES_AT[0] + place as usize * 32;
            let (block, number) = (u32_at(file, at), u64_at(file, at + 16));
            if flags & 4 == 0 && block as usize == id && number > erased_at {
                sum = sum.wrapping_add(mix(place.into(), number));
            }
        }
    }
    sum
}

/// The sum that the mark has, if it has one.
fn kept(file: &[u8]) -> Option<u64> {
    let newest =
        HEADS_AT.map(|at| at + 512).into_iter().max_by_key(|at| u64_at(file, *at)).unwrap();
    (u32_at(file, newest + 32) & 4 != 0).then(|| u64_at(file, newest + 36))
}

/// Some operation; it may be refused.
fn step(image: &mut Image, random: &mut Pcg64, seq: u64) {
    let id = BlockId(random.random_range(0..BLOCKS));
    let next = image.next_page(id).unwrap().min(PAGES - 1);
    let to = image.geometry().ppn(id, next);
    let from = Ppn(random.random_range(0..BLOCKS * PAGES));
    let _ = match random.random_range(0..40) {
        0..22 => {
            image.program(to, Oob::data(Lpn(to.0), seq), Some(&[seq as u8; BYTES]), Cause::Host)
        }
        22..26 => image.copy(from, to, seq, Cause::Collection).map(|_| ()),
        26..32 => image.erase(id, Cause::Collection),
        32 => image.set_slc(id, random.random_bool(0.5)),
        33 => image.half_erase(id),
        34 => image.waste(to),
        35 => image.spoil(from),
        _ if random.random_bool(0.01) => image.mark_bad(id),
        _ => Ok(()),
    };
}

#[test]
fn each_sync_keeps_the_sum_of_all_records_in_use() {
    let mut random = Pcg64::seed_from_u64(3);
    let mut syncs = 0;
    for round in 0..12 {
        let (folder, path, mut image) = make(round % 2 == 0);
        for seq in 1..300 {
            step(&mut image, &mut random, seq);
            match random.random_range(0..30) {
                0 => image.sync().unwrap(),
                1 => image.shut_down().unwrap(),
                // A process ends, and the next one begins.
                2 => {
                    drop(image);
                    let file = fs::read(&path).unwrap();
                    let faults = Image::inspect(&path).unwrap().check(|_| {}).unwrap().faults;
                    assert_eq!(faults, 0, "round {round}, operation {seq}");
                    assert!(kept(&file).is_some());
                    image = Image::open(&path).unwrap();
                }
                _ => continue,
            }
            let file = fs::read(&path).unwrap();
            assert_eq!(kept(&file), Some(sum_of(&file)), "round {round}, operation {seq}");
            syncs += 1;
        }
        drop((folder, image));
    }
    assert!(syncs > 200, "{syncs}");
}

/// Both copies of what a sync covered are as they were never written, or as they were before: the start is refused.
#[test]
fn a_record_that_a_sync_covered_and_no_copy_has_refuses_the_start() {
    for machine in [true, false] {
        let (_folder, path, mut image) = make(machine);
        program(&mut image, 0, 1);
        let old = fs::read(&path).unwrap();
        image.erase(BlockId(0), Cause::Host).unwrap();
        image.sync().unwrap();
        (0..2).for_each(|ppn| program(&mut image, ppn, 2));
        image.erase(BlockId(2), Cause::Host).unwrap();
        program(&mut image, 4, 2);
        image.sync().unwrap();
        program(&mut image, 5, 3);
        image.erase(BlockId(2), Cause::Host).unwrap();
        drop(image);
        let whole = fs::read(&path).unwrap();
        let slot = u32_at(&whole, BLOCKS_AT[0] + 8) as usize;
        let page = |page: usize| PAGES_AT.map(|at| at + (slot * 4 + page) * 32);
        let (zeros, first) = ([0; 32], BLOCKS_AT[0]);
        let block: Vec<u8> = old[first..first + 64].to_vec();
        let cases: [(&str, [usize; 2], &[u8]); 3] = [
            ("the last page of a block", page(1), &zeros),
            ("a page of the window before", PAGES_AT.map(|at| at + 4 * 32), &zeros),
            ("a block", BLOCKS_AT, &block),
        ];
        for (what, ats, bytes) in cases {
            let mut file = whole.clone();
            ats.iter().for_each(|at| file[*at..*at + bytes.len()].copy_from_slice(bytes));
            fs::write(&path, &file).unwrap();
            let mut found = Vec::new();
            let mut image = Image::inspect(&path).unwrap();
            image.check(|finding| found.push(finding.fault)).unwrap();
            drop(image);
            assert!(!found.is_empty(), "{what}, machine: {machine}");
            let sum = found.contains(&Fault::Sum);
            let refused = Image::open(&path).expect_err(what);
            assert!(matches!(refused, ImageError::Damaged { .. }), "{what}: {refused}");
            let repaired = Image::repair(&path, true, |_| {}).unwrap();
            assert!(!sum || repaired.unknown, "{what}: {repaired:?}");
            let mut image = Image::open(&path).unwrap();
            assert_eq!(image.check(|finding| panic!("{what}: {finding}")).unwrap().faults, 0);
        }
        // Without damage it starts.
        fs::write(&path, &whole).unwrap();
        assert!(Image::open(&path).is_ok());
    }
}

/// Without the machine's power a block whose record is older than its pages may have lost its last erase with the power. The sum tells
/// that it was covered.
#[test]
fn a_block_that_a_sync_covered_is_not_taken_for_one_whose_erase_was_lost() {
    let (_folder, path, mut image) = make(false);
    (0..4).for_each(|ppn| program(&mut image, ppn, 1));
    image.sync().unwrap();
    let old = fs::read(&path).unwrap();
    image.erase(BlockId(0), Cause::Host).unwrap();
    program(&mut image, 0, 2);
    image.sync().unwrap();
    program(&mut image, 1, 3);
    drop(image);
    let mut file = fs::read(&path).unwrap();
    BLOCKS_AT.iter().for_each(|at| file[*at..*at + 64].copy_from_slice(&old[*at..*at + 64]));
    fs::write(&path, &file).unwrap();
    let refused = Image::open(&path).unwrap_err();
    assert!(matches!(refused, ImageError::Damaged { .. }), "{refused}");
}

/// An erase that no sync covered is taken back where a change before it is missing, and needs the content before it. An erase that stays
/// does not.
#[test]
fn the_content_before_an_erase_counts_where_the_erase_is_taken_back() {
    let (_folder, path, mut image) = make(true);
    (0..4).for_each(|ppn| program(&mut image, ppn, 1));
    image.sync().unwrap();
    program(&mut image, 4, 2);
    image.erase(BlockId(0), Cause::Host).unwrap();
    drop(image);
    let whole = fs::read(&path).unwrap();
    for (program_lost, page_lost) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut file = whole.clone();
        let pages = [(program_lost, 4), (page_lost, 3)];
        for (_, page) in pages.into_iter().filter(|(lost, _)| *lost) {
            PAGES_AT.iter().for_each(|at| file[at + page * 32..at + page * 32 + 32].fill(0));
        }
        fs::write(&path, &file).unwrap();
        let faults = Image::inspect(&path).unwrap().check(|_| {}).unwrap().faults;
        let refused = program_lost && page_lost;
        assert_eq!(faults > 0, refused, "{program_lost} {page_lost}");
        match Image::open(&path) {
            Ok(image) => assert_eq!(image.erase_count(BlockId(0)), u32::from(!program_lost)),
            Err(error) => assert!(refused, "{program_lost} {page_lost}: {error}"),
        }
        assert_eq!(Image::open(&path).is_err(), refused);
    }
}

/// The flag is that of a program that writes the sum. One that does not leaves no flag, and what it left is not compared.
#[test]
fn an_image_without_the_sum_is_used_and_gets_one() {
    let (_folder, path, mut image) = make(true);
    (0..3).for_each(|ppn| program(&mut image, ppn, 1));
    image.sync().unwrap();
    program(&mut image, 3, 1);
    image.erase(BlockId(5), Cause::Host).unwrap();
    drop(image);
    let whole = fs::read(&path).unwrap();
    let with_mark = |flag: bool, sum: u64, covered: u64| {
        let mut file = whole.clone();
        for head in HEADS_AT.map(|at| at + 512) {
            let flags = u32_at(&file, head + 32) & !4 | u32::from(flag) << 2;
            file[head + 32..head + 36].copy_from_slice(&flags.to_le_bytes());
            file[head + 36..head + 44].copy_from_slice(&sum.to_le_bytes());
            let check = crc32fast::hash(&file[head..head + 60]).to_le_bytes();
            file[head + 60..head + 64].copy_from_slice(&check);
        }
        for at in BLOCKS_AT.map(|at| at + 5 * 64) {
            file[at + 48..at + 56].copy_from_slice(&covered.to_le_bytes());
            let check = crc32fast::hash(&[&5_u32.to_le_bytes(), &file[at..at + 60]].concat());
            file[at + 60..at + 64].copy_from_slice(&check.to_le_bytes());
        }
        file
    };
    let (sum, covered) = (kept(&whole).unwrap(), u64_at(&whole, BLOCKS_AT[0] + 5 * 64 + 48));
    assert_eq!(covered, mix((1 << 63) + 5, 0), "a block that was never erased, without pages");
    assert_eq!(with_mark(true, sum, covered), whole);
    for (flag, sum, covered, starts) in [
        (true, sum ^ 1, covered, false),
        (true, sum, covered ^ 1, false),
        // An older program had it open, and changed nothing or the record.
        (false, sum ^ 1, covered, true),
        (true, sum, 0, true),
        (false, 0, 0, true),
    ] {
        fs::write(&path, with_mark(flag, sum, covered)).unwrap();
        let opened = Image::open(&path);
        assert_eq!(opened.is_ok(), starts, "{flag} {sum} {covered}");
        if let Ok(mut image) = opened {
            program(&mut image, 20, 1);
            image.sync().unwrap();
            drop(image);
            let file = fs::read(&path).unwrap();
            assert_eq!(kept(&file), Some(sum_of(&file)));
        }
    }
}

/// What a process that was killed left in the cache of the file system is on the disk before the mark of the next window is, which
/// says that it was covered.
#[test]
fn a_start_after_a_kill_syncs_before_its_mark() {
    use ftlkit_device::image::{FileChange, FileChanges};
    let (_folder, path, mut image) = make(true);
    image.sync().unwrap();
    program(&mut image, 0, 1);
    drop(image);
    let mut image = Image::claim(&path).unwrap();
    let changes = FileChanges::default();
    image.follow(changes.clone());
    image.begin_use().unwrap();
    let starts = |change: &FileChange| matches!(change, FileChange::Write(512, _));
    let changes = changes.lock().unwrap().clone();
    let mark = changes.iter().position(starts).unwrap();
    assert!(changes[..mark].contains(&FileChange::Sync), "{changes:?}");
}

/// Records of which nothing depends on say nothing, whatever they are.
#[test]
fn damaged_records_that_are_not_in_use_do_not_matter() {
    for (machine, killed) in [(true, true), (true, false), (false, false)] {
        let (_folder, path, mut image) = make(machine);
        (0..PAGES).for_each(|ppn| program(&mut image, ppn, 1));
        for _ in 0..8 {
            image.erase(BlockId(0), Cause::Host).unwrap();
            (0..PAGES).for_each(|ppn| program(&mut image, ppn, 2));
            image.sync().unwrap();
        }
        image.erase(BlockId(0), Cause::Host).unwrap();
        image.sync().unwrap();
        program(&mut image, 0, 3);
        image.sync().unwrap();
        let damage = |path: &PathBuf, stale: bool| {
            let mut file = fs::read(path).unwrap();
            let slots: Vec<u32> =
                (0..BLOCKS as usize).map(|id| u32_at(&file, BLOCKS_AT[0] + id * 64 + 8)).collect();
            for place in 0..(BLOCKS + SPARE) * PAGES {
                let unused = !slots.contains(&(place / PAGES));
                let behind = place / PAGES == slots[0] && place % PAGES > 0;
                if unused || stale && behind {
                    for at in PAGES_AT.map(|at| at + place as usize * 32) {
                        file[at + 7] ^= 0x55;
                    }
                }
            }
            fs::write(path, file).unwrap();
        };
        if killed {
            drop(image);
            damage(&path, true);
        } else {
            // While a process uses it, too: what it shuts down is what it wrote.
            damage(&path, true);
            image.shut_down().unwrap();
            drop(image);
        }
        let faults = Image::inspect(&path).unwrap().check(|finding| println!("{finding}"));
        assert_eq!(faults.unwrap().faults, 0, "machine: {machine}, killed: {killed}");
        let mut image = Image::open(&path).unwrap();
        assert_eq!(image.next_page(BlockId(0)), Ok(1));
        // Other blocks take the places.
        for block in (0..BLOCKS).cycle().take(13) {
            image.erase(BlockId(block), Cause::Host).unwrap();
            program(&mut image, block * PAGES, 4);
        }
        drop(image);
        let mut image = Image::open(&path).unwrap();
        assert!(!image.recover().unwrap().has_lost());
        assert_eq!(image.check(|finding| panic!("{finding}")).unwrap().faults, 0);
        for block in 0..BLOCKS {
            assert!(image.read(Ppn(block * PAGES), None, Cause::Host).is_ok());
            assert_eq!(image.next_page(BlockId(block)), Ok(1));
        }
    }
}

#[test]
fn places_are_as_the_text_has_them() {
    assert_eq!(BLOCKS_AT[0] + 4096, PAGES_AT[0]);
    let records = ((BLOCKS + SPARE) * PAGES) as usize * 32;
    let bytes_at = PAGES_AT[0] + records.next_multiple_of(4096);
    let bytes = ((BLOCKS + SPARE) * PAGES) as usize * BYTES;
    assert_eq!(PAGES_AT[1], bytes_at + bytes.next_multiple_of(4096));
    assert_eq!(BLOCKS_AT[1], PAGES_AT[1] + records.next_multiple_of(4096));
    assert_eq!(HEADS_AT[1], BLOCKS_AT[1] + 4096);
}
