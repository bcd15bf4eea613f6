//! Damaged images of every scheme: no page may read as zeros or as older data without a word.
//!
//! `FTLKIT_DAMAGED=N` sets how many images of each scheme there are.

use crate::child::{bytes, version};
use crate::on_disk::{Folder, folder};
use flash::{Geometry, Lpn, Part, parts};
use ftl::registry::REGISTRY;
use ftl::{AnyScheme, SchemeConfig};
use ftlkit_device::image::{Description, Image, ImageArray};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

const PAGE: usize = 512;

/// How an image was made and left.
#[derive(Clone, Copy, Debug)]
struct Way {
    machine: bool,
    killed: bool,
}

/// An image of a scheme, and what it holds.
struct Made {
    folder: Folder,
    config: SchemeConfig,
    way: Way,
    /// The file at its end, and at earlier moments.
    file: Vec<u8>,
    earlier: Vec<Vec<u8>>,
    /// Of each page the versions since the last flush; the last is the newest.
    versions: Vec<Vec<u64>>,
}

fn image_of(scheme: &mut AnyScheme) -> &mut Image {
    let array: &mut ImageArray = scheme.flash_mut().downcast_mut().unwrap();
    array.image_as_mut().unwrap()
}

fn write(scheme: &mut AnyScheme, lpn: u32, version: u64, versions: &mut [Vec<u64>]) {
    scheme.write(Lpn(lpn), Some(&bytes(Lpn(lpn), version, PAGE))).unwrap();
    versions[lpn as usize].push(version);
}

fn flush(scheme: &mut AnyScheme, versions: &mut [Vec<u64>]) {
    scheme.flush().unwrap();
    image_of(scheme).sync().unwrap();
    versions.iter_mut().for_each(|versions| *versions = vec![*versions.last().unwrap()]);
}

impl Made {
    fn new(config: SchemeConfig, way: Way, random: &mut Pcg64) -> Self {
        let folder = folder();
        let path = folder.path().join("device.img");
        let part = parts::by_name("evaluation-slc").unwrap().clone();
        let part = Part { page_bytes: PAGE as u32, pages_per_block: 8, ..part };
        let geometry = Geometry::new(40, 8, PAGE as u32).unwrap();
        let mut image = Image::create(&path, geometry, &Description::of_part(&part)).unwrap();
        image.sync_before_erases(way.machine);
        let mut scheme = ImageArray::new(&config, image).format(&config).unwrap();
        let pages = scheme.logical_pages();
        let mut versions = vec![Vec::new(); pages as usize];
        (0..pages).for_each(|lpn| write(&mut *scheme, lpn, 1, &mut versions));
        let mut earlier = Vec::new();
        for version in 2..pages as u64 * 2 {
            let few = random.random_bool(0.5);
            let lpn = random.random_range(0..if few { pages / 8 } else { pages });
            write(&mut *scheme, lpn, version, &mut versions);
            if version % 32 == 0 {
                flush(&mut *scheme, &mut versions);
            }
            if version % 97 == 0 {
                earlier.push(fs::read(&path).unwrap());
            }
        }
        flush(&mut *scheme, &mut versions);
        earlier.push(fs::read(&path).unwrap());
        if way.killed {
            let unflushed = random.random_range(0..12);
            for version in 1_000_000..1_000_000 + unflushed {
                let lpn = random.random_range(0..pages);
                write(&mut *scheme, lpn, version, &mut versions);
            }
        } else {
            scheme.shutdown().unwrap();
            image_of(&mut *scheme).shut_down().unwrap();
        }
        drop(scheme);
        let file = fs::read(&path).unwrap();
        Self { folder, config, way, file, earlier, versions }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("device.img")
    }
}

/// What is done to a file, and where.
#[derive(Clone, Debug)]
struct Damage {
    what: &'static str,
    at: usize,
}

/// Where the bytes of pages are, by `docs/image.md`: most of the file.
const BYTES: std::ops::Range<usize> = 147_456..319_488;

/// A sector that holds something: every second one is of the head or of records.
fn used(file: &[u8], bytes: usize, random: &mut Pcg64) -> usize {
    let record = random.random_bool(0.5);
    loop {
        let at = random.random_range(0..file.len() / bytes) * bytes;
        if BYTES.contains(&at) == record {
            continue;
        }
        if file[at..at + bytes].iter().any(|byte| *byte != 0) {
            return at;
        }
    }
}

const KINDS: [&str; 12] = [
    "bit",
    "byte",
    "512 zeros",
    "4096 zeros",
    "512 stale",
    "4096 stale",
    "swapped sectors",
    "swapped records",
    "moved record",
    "moved page",
    "cut off",
    "zeros to the end",
];

fn damage(made: &Made, random: &mut Pcg64) -> (Damage, Vec<u8>) {
    let mut file = made.file.clone();
    let what = KINDS[random.random_range(0..KINDS.len())];
    let old = &made.earlier[random.random_range(0..made.earlier.len())];
    let sector = used(&file, 512, random);
    let at = sector + random.random_range(0..512);
    let mut copy = |from: usize, to: usize, bytes: usize| {
        let copied = file[from..from + bytes].to_vec();
        file[to..to + bytes].copy_from_slice(&copied);
    };
    let near = |at: usize, step: usize, random: &mut Pcg64| {
        let steps = random.random_range(1..9) * step;
        if at > made.file.len() / 2 { at - steps } else { at + steps }
    };
    match what {
        "bit" => file[at] ^= 1 << random.random_range(0..8),
        "byte" => file[at] ^= random.random_range(1..=255),
        "512 zeros" => file[sector..sector + 512].fill(0),
        "4096 zeros" => {
            let at = used(&file, 4096, random);
            file[at..at + 4096].fill(0);
            return (Damage { what, at }, file);
        }
        "512 stale" | "4096 stale" => {
            let bytes = if what == "512 stale" { 512 } else { 4096 };
            let differs = |at: &usize| old[*at..*at + bytes] != file[*at..*at + bytes];
            let places: Vec<usize> = (0..file.len() / bytes).map(|at| at * bytes).collect();
            let places: Vec<usize> = places.into_iter().filter(differs).collect();
            if let Some(at) = places.get(random.random_range(0..places.len().max(1))) {
                file[*at..*at + bytes].copy_from_slice(&old[*at..*at + bytes]);
                return (Damage { what, at: *at }, file);
            }
        }
        "swapped sectors" => {
            let other = near(sector, 512, random);
            let kept = file[sector..sector + 512].to_vec();
            file.copy_within(other..other + 512, sector);
            file[other..other + 512].copy_from_slice(&kept);
        }
        "swapped records" => {
            let record = at / 32 * 32;
            let other = near(record, 32, random);
            let kept = file[record..record + 32].to_vec();
            file.copy_within(other..other + 32, record);
            file[other..other + 32].copy_from_slice(&kept);
        }
        "moved record" => copy(at / 32 * 32, near(at / 32 * 32, 32, random), 32),
        "moved page" => copy(sector, near(sector, PAGE, random), PAGE),
        "cut off" => file.truncate(at),
        _ => file[at..].fill(0),
    }
    (Damage { what, at }, file)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// All data are right.
    Harmless,
    /// The start is refused.
    Refused,
    /// Some reads fail, all others are right.
    Eio,
    /// A start told that it took unflushed writes back; every page holds a version not older than the last flush.
    TakenBack,
}

/// Reads all pages. Returns true if some could not be read. Any other must hold one of these versions.
fn read_all(scheme: &mut AnyScheme, allowed: &[Vec<u64>], told: &dyn Fn(&str) -> String) -> bool {
    let mut failed = false;
    let mut page = vec![0; PAGE];
    for (lpn, allowed) in (0..).map(Lpn).zip(allowed) {
        match scheme.read(lpn, Some(&mut page)) {
            Err(_) => failed = true,
            // As in a block device.
            Ok(_) if image_of(scheme).is_lost(lpn) => failed = true,
            Ok(present) => {
                let found = version(lpn, &page).filter(|_| present);
                let right = found.is_some_and(|found| allowed.contains(&found));
                assert!(
                    right,
                    "{}",
                    told(&format!("{lpn} holds {found:?}, not {allowed:?}: SILENT"))
                );
            }
        }
    }
    failed
}

/// Starts from a damaged image, and reads all of it; then writes to it until blocks were collected, starts again, and reads.
fn class_of(made: &Made, damage: &Damage, file: &[u8], random: &mut Pcg64) -> Class {
    let path = made.path();
    fs::write(&path, file).unwrap();
    let name = made.config.preset.name;
    let Damage { what, at } = damage;
    let told = |fault: &str| format!("{name}, {:?}, {what} at {at}: {fault}", made.way);
    let known = match Image::inspect(&path) {
        Err(_) => true,
        Ok(mut image) => image.check(|_| {}).unwrap().faults > 0,
    };
    let Ok(mut image) = Image::open(&path) else {
        assert!(known, "{}", told("refused, and check finds nothing"));
        return Class::Refused;
    };
    let taken_back = image.recover().unwrap().has_lost();
    let newest = |versions: &Vec<u64>| vec![*versions.last().unwrap()];
    // Some schemes keep a few writes in RAM until a flush.
    let older = taken_back || made.way.killed && testkit::suite::is_volatile(&made.config);
    let mut allowed: Vec<Vec<u64>> = match older {
        true => made.versions.clone(),
        false => made.versions.iter().map(newest).collect(),
    };
    let Ok(mut scheme) = ImageArray::new(&made.config, image).mount(&made.config) else {
        assert!(known, "{}", told("not mounted, and check finds nothing"));
        return Class::Refused;
    };
    let mut failed = read_all(&mut *scheme, &allowed, &told);
    // What is taken back may have been copied from places that were not in use any more.
    assert!(!failed || known || taken_back, "{}", told("reads fail, and check finds nothing"));
    let pages = scheme.logical_pages();
    for version in 0..u64::from(pages) / 2 {
        let lpn = random.random_range(0..pages);
        if scheme.write(Lpn(lpn), Some(&bytes(Lpn(lpn), 2_000_000 + version, PAGE))).is_ok() {
            allowed[lpn as usize] = vec![2_000_000 + version];
        }
    }
    failed |= read_all(&mut *scheme, &allowed, &told);
    let ended = scheme.flush().is_ok() && scheme.shutdown().is_ok();
    if ended && image_of(&mut *scheme).shut_down().is_ok() {
        drop(scheme);
        let image = Image::open(&path).unwrap();
        if let Ok(mut scheme) = ImageArray::new(&made.config, image).mount(&made.config) {
            failed |= read_all(&mut *scheme, &allowed, &told);
        }
    }
    match (failed, taken_back) {
        (true, _) => Class::Eio,
        (_, true) => Class::TakenBack,
        _ => Class::Harmless,
    }
}

#[test]
fn no_damaged_image_is_served_in_silence() {
    let number = std::env::var("FTLKIT_DAMAGED").map_or(48, |text| text.parse().unwrap());
    let mut random = Pcg64::seed_from_u64(31);
    let mut all: BTreeMap<(&str, Class), u64> = BTreeMap::new();
    for preset in REGISTRY {
        let mut counts: BTreeMap<Class, u64> = BTreeMap::new();
        let ways = [(true, false), (true, true), (false, false), (false, true)];
        for (machine, killed) in ways {
            let way = Way { machine, killed };
            let mut made = Made::new(SchemeConfig::preset(preset), way, &mut random);
            for case in 0..number / 4 {
                if case % 64 == 63 {
                    made = Made::new(SchemeConfig::preset(preset), way, &mut random);
                }
                let (damage, file) = damage(&made, &mut random);
                let class = class_of(&made, &damage, &file, &mut random);
                *counts.entry(class).or_default() += 1;
                *all.entry((damage.what, class)).or_default() += 1;
            }
        }
        println!("{}: {counts:?}, 0 silent", preset.name);
    }
    for what in KINDS {
        let of = |(key, count): (&(&str, Class), &u64)| (key.0 == what).then_some((key.1, *count));
        println!("{what}: {:?}", all.iter().filter_map(of).collect::<BTreeMap<_, _>>());
    }
    let total: u64 = all.values().sum();
    let sum = |class| all.iter().filter(|(key, _)| key.1 == class).map(|(_, count)| count).sum();
    let [harmless, refused, eio, back]: [u64; 4] =
        [Class::Harmless, Class::Refused, Class::Eio, Class::TakenBack].map(sum);
    println!(
        "{total} damaged images: {harmless} read right, {refused} refused, {eio} with failed reads, {back} whose unflushed \
         writes were taken back, 0 silent"
    );
    assert!(refused * 20 > total && eio * 20 > total && harmless * 20 > total);
}

/// What is done to both copies of a record that a sync covered.
const OF_BOTH: [&str; 4] =
    ["both zeroed", "damaged and stale", "damaged and never written", "both stale"];

/// Damages both copies of a record of a page or a block that is as at the last flush.
fn damage_both(made: &Made, random: &mut Pcg64) -> (Damage, Vec<u8>) {
    let mut file = made.file.clone();
    let what = OF_BOTH[random.random_range(0..OF_BOTH.len())];
    let (flushed, older) = made.earlier.split_last().unwrap();
    let old = &older[random.random_range(0..older.len())];
    let (ats, bytes, records) = match random.random_bool(0.8) {
        true => (RECORDS, 32, 42 * 8),
        false => (BLOCKS, 64, 40),
    };
    loop {
        let at = random.random_range(0..records) * bytes;
        let ranges = ats.map(|of| of + at..of + at + bytes);
        let covered = |range: &std::ops::Range<usize>| {
            let record = &flushed[range.clone()];
            record == &file[range.clone()] && record.iter().any(|byte| *byte != 0)
        };
        let stale = |range: &std::ops::Range<usize>| {
            let record = &old[range.clone()];
            record != &flushed[range.clone()] && record.iter().any(|byte| *byte != 0)
        };
        if !ranges.iter().all(covered) || what.ends_with("stale") && !ranges.iter().all(stale) {
            continue;
        }
        let first = random.random_range(0..2);
        let [one, other] = [first, 1 - first].map(|copy| ranges[copy].clone());
        file[one.start + random.random_range(0..bytes)] ^= 4;
        match what {
            "both zeroed" => {
                file[one].fill(0);
                file[other].fill(0);
            }
            "damaged and stale" => file[other.clone()].copy_from_slice(&old[other]),
            "damaged and never written" => file[other].fill(0),
            _ => {
                for range in [one, other] {
                    file[range.clone()].copy_from_slice(&old[range]);
                }
            }
        }
        return (Damage { what, at: ranges[0].start }, file);
    }
}

#[test]
fn no_record_that_a_sync_covered_is_lost_in_silence() {
    let number = std::env::var("FTLKIT_DAMAGED").map_or(48, |text| text.parse().unwrap());
    let mut random = Pcg64::seed_from_u64(32);
    let mut all: BTreeMap<(&str, Class), u64> = BTreeMap::new();
    for preset in REGISTRY {
        for (machine, killed) in [(true, true), (false, true), (true, true), (true, false)] {
            let way = Way { machine, killed };
            let mut made = Made::new(SchemeConfig::preset(preset), way, &mut random);
            for case in 0..number / 4 {
                if case % 16 == 15 {
                    made = Made::new(SchemeConfig::preset(preset), way, &mut random);
                }
                let (damage, file) = damage_both(&made, &mut random);
                let class = class_of(&made, &damage, &file, &mut random);
                *all.entry((damage.what, class)).or_default() += 1;
            }
        }
    }
    for what in OF_BOTH {
        let of = |(key, count): (&(&str, Class), &u64)| (key.0 == what).then_some((key.1, *count));
        let counts: BTreeMap<Class, u64> = all.iter().filter_map(of).collect();
        println!("{what}: {counts:?}, 0 silent");
        // What the sync covered may be in no use: content of before an erase that the file has.
        assert!(counts.get(&Class::Refused).is_some_and(|refused| *refused > 10), "{what}");
    }
}

/// Where the records of pages are: 42 places for the content of a block, and of each copy 8 records of 32 bytes.
const RECORDS: [usize; 2] = [135_168, 319_488];

#[test]
fn a_start_makes_the_copies_of_each_record_the_same_again_also_where_no_block_is() {
    let config = SchemeConfig::preset(ftl::registry::by_name("page-level").unwrap());
    let way = Way { machine: true, killed: true };
    let made = Made::new(config, way, &mut Pcg64::seed_from_u64(5));
    let copies = |file: &[u8]| RECORDS.map(|at| file[at..at + 42 * 8 * 32].to_vec());
    let mut differed = 0;
    for at in (0..42).map(|place| place * 8 * 32) {
        let mut file = made.file.clone();
        if file[RECORDS[0] + at..][..32].iter().all(|byte| *byte == 0) {
            continue;
        }
        // A cut kept the second copy as it was before its first write.
        file[RECORDS[1] + at..][..32].fill(0);
        fs::write(made.path(), &file).unwrap();
        let mut image = Image::open(&made.path()).unwrap();
        image.prepare().unwrap();
        drop(image);
        let [first, second] = copies(&fs::read(made.path()).unwrap());
        assert!(first == second, "place {}", at / (8 * 32));
        differed += 1;
    }
    // More than there are blocks: places without one have records, too.
    assert!(differed > 40, "{differed}");
}

/// Where the first copy of the records of blocks is, and of the second.
const BLOCKS: [usize; 2] = [131_072, 331_776];

#[test]
fn what_a_start_is_refused_for_a_check_finds_and_a_repair_resolves() {
    let config = SchemeConfig::preset(ftl::registry::by_name("page-level").unwrap());
    for killed in [false, true] {
        let made =
            Made::new(config.clone(), Way { machine: true, killed }, &mut Pcg64::seed_from_u64(9));
        let mut refused = 0;
        for block in 0..40 {
            // Both copies of an earlier state.
            let (mut file, old) = (made.file.clone(), &made.earlier[0]);
            for at in BLOCKS.map(|at| at + block * 64) {
                file[at..at + 64].copy_from_slice(&old[at..at + 64]);
            }
            fs::write(made.path(), &file).unwrap();
            let opens = || Image::open(&made.path()).and_then(|mut image| image.prepare()).is_ok();
            if opens() {
                continue;
            }
            refused += 1;
            fs::write(made.path(), &file).unwrap();
            let tally = Image::inspect(&made.path()).unwrap().check(|_| {}).unwrap();
            assert!(tally.faults > 0, "block {block}, killed: {killed}");
            assert!(!Image::repair(&made.path(), true, |_| {}).unwrap().is_nothing());
            assert!(opens(), "block {block}, killed: {killed}");
        }
        assert!(refused > 5, "{refused}");
    }
}
