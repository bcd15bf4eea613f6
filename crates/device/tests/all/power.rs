//! The machine loses its power: of what was written to the file since its last sync, some parts are kept and some are not. Then it
//! loses it again, while what is left is recovered, mounted and used. With `--durable machine` what a flush or FUA covered is
//! there all the same.
//!
//! A run of requests is served once, and each change of the file noted. Then crash images are made of it: a place in the changes, and
//! one of the [ways](Keep) in which a disk keeps a part of those since the last sync. Each is started as `ftlkit serve` does, with
//! its own changes noted, of which further crash images are made.
//!
//! `FTLKIT_POWER_IMAGES=20000` sets how many crash images each scheme gets, and `FTLKIT_POWER_ONLY=gftl` which schemes.

use crate::channels;
use crate::crash::{Crashed, Keep, crashed};
use crate::cut::{
    Allowed, PAGE_BYTES, SECTOR, bytes, run_seen, serve_until_cut, steps_of, version,
};
use crate::on_disk::{Folder, OnDisk, folder};
use crate::wait::wait_until;
use flash::channels::Topology;
use flash::faults::Tearable;
use flash::{BlockId, Cause, Cell, Flash, Geometry, Lpn, Oob, Part, Ppn, SlcMode, WearRule, parts};
use ftl::registry::{self, REGISTRY};
use ftl::{
    AnyScheme, BufferPolicy, BufferSettings, FtlError, PlacementKind, SchemeConfig, SlcSize,
};
use ftlkit_device::image::{Description, Durable, FileChange, FileChanges, Image, ImageArray};
use ftlkit_device::{BlockDevice, Latency};
use lab::ssd::SsdSetup;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Display;
use std::fs::{self, File};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

const SECTORS_PER_PAGE: usize = PAGE_BYTES as usize / SECTOR;
const PAGES_PER_BLOCK: u32 = 8;

/// Crash images of each scheme in every run of the tests.
const IMAGES: u64 = 100;

/// Crash images after one, two and three cuts are made of a run of requests until it has so many.
const IMAGES_OF_A_RUN: u64 = 200;

/// Requests of a run, and the versions that they write.
const REQUESTS: Range<u64> = 1000..1060;

/// Failures that are told of each scheme.
const TOLD: usize = 5;

/// A device under test.
struct Device {
    name: String,
    config: SchemeConfig,
    part: Part,
    geometry: Geometry,
    bad: u32,
    ssd: Option<SsdSetup>,
}

/// The smallest array that gives the scheme some pages, so that it collects soon.
fn device(name: String, config: SchemeConfig, bad: u32) -> Device {
    let part = parts::by_name("evaluation-slc").unwrap().clone();
    let mut part = Part { page_bytes: PAGE_BYTES, pages_per_block: PAGES_PER_BLOCK, ..part };
    if config.slc.is_some() {
        let Part { t_r_ns, t_prog_ns, t_bers_ns, .. } = part;
        part.slc = Some(SlcMode { t_r_ns: t_r_ns / 2, t_prog_ns: t_prog_ns / 5, t_bers_ns });
        part.cell = Cell::Mlc;
    }
    let fits = |blocks: &u32| {
        let geometry = Geometry::new(*blocks, PAGES_PER_BLOCK, PAGE_BYTES).unwrap();
        let plan = registry::plan(&config, &part, &geometry, blocks - bad);
        plan.is_ok_and(|plan| plan.logical_pages >= 3 * PAGES_PER_BLOCK)
    };
    let blocks = (8..100).step_by(4).find(fits).expect("it works on some array");
    let geometry = Geometry::new(blocks, PAGES_PER_BLOCK, PAGE_BYTES).unwrap();
    Device { name, config, part, geometry, bad, ssd: None }
}

fn preset(name: &str) -> SchemeConfig {
    SchemeConfig::preset(registry::by_name(name).unwrap())
}

/// Every scheme that is served so, with and without a buffer, and some of what goes with them.
fn devices() -> Vec<Device> {
    let buffer = |policy: Option<&'static BufferPolicy>| BufferSettings {
        policy: Some(policy),
        bytes: policy.map(|_| 8 << 10),
        ..BufferSettings::default()
    };
    let mut devices = Vec::new();
    for preset in REGISTRY {
        for policy in [None, Some(BufferPolicy::LRU)] {
            let with = if policy.is_some() { "+buffer" } else { "" };
            let config = SchemeConfig { buffer: buffer(policy), ..SchemeConfig::preset(preset) };
            devices.push(device(format!("{}{with}", preset.name), config, 0));
        }
    }
    let placed = |name, placement| {
        let placement = PlacementKind::each().find(|kind| kind.policy().name == placement);
        SchemeConfig { placement, ..preset(name) }
    };
    let idle = |name| SchemeConfig { idle_collection: true, ..preset(name) };
    let levelled = |name| SchemeConfig { static_wear: Some(WearRule::Gap(2)), ..preset(name) };
    let spare = |name| SchemeConfig { spare_blocks: 2, ..preset(name) };
    let cached = |slc| SchemeConfig { slc: Some(slc), ..preset("page-level") };
    for (name, config, bad) in [
        ("page-level+placement=dac", placed("page-level", "dac"), 0),
        ("fsr+placement=sepbit", placed("fsr", "sepbit"), 0),
        ("2lgc+idle", idle("2lgc"), 0),
        ("lazy-rtgc+idle", idle("lazy-rtgc"), 0),
        ("page-level+wear", levelled("page-level"), 0),
        ("lazy-rtgc+wear", levelled("lazy-rtgc"), 0),
        ("lazy-rtgc+spare", spare("lazy-rtgc"), 1),
        ("dftl+spare", spare("dftl"), 1),
        ("page-level+slc=static", cached(SlcSize::Static(150_000)), 0),
        ("page-level+slc=dynamic", cached(SlcSize::Dynamic), 0),
    ] {
        devices.push(device(name.to_owned(), config, bad));
    }
    for name in ["page-level", "lazy-rtgc", "fast"] {
        let topology =
            Topology { blocks_per_plane: 10, pages_per_block: 8, ..channels::ssd().topology };
        let geometry = Geometry::new(40, PAGES_PER_BLOCK, PAGE_BYTES).unwrap();
        let ssd = Some(SsdSetup { topology, ..channels::ssd() });
        let plain = device(format!("{name} on channels"), preset(name), 0);
        devices.push(Device { config: channels::on_dies(preset(name)), geometry, ssd, ..plain });
    }
    devices
}

/// What was served, or done after a cut: the file before it, and its changes.
struct Run {
    file: Vec<u8>,
    changes: Vec<FileChange>,
    page_bytes: Range<u64>,
    /// Changes until it was mounted.
    mounted: usize,
    /// What each sector may hold after a cut, from a number of changes on.
    allowed: Vec<(usize, Allowed)>,
    /// True if a write without room ended it.
    is_full: bool,
}

impl Run {
    fn allowed(&self, at: usize) -> &Allowed {
        let next = self.allowed.partition_point(|(from, _)| *from <= at);
        &self.allowed[next - 1].1
    }

    /// A cut in it, and what is on the disk then.
    fn cut(&self, random: &mut Pcg64) -> (usize, Keep, Crashed) {
        let (all, mounted) = (self.changes.len(), self.mounted);
        let at = match random.random_bool(0.5) {
            true if mounted > 0 => random.random_range(1..mounted + 1),
            _ => random.random_range(1..all + 1),
        };
        let keep = Keep::ALL[random.random_range(0..Keep::ALL.len())];
        let changes = &self.changes[..at];
        (at, keep, crashed(&self.file, changes, keep, &self.page_bytes, random))
    }
}

fn failed(what: &str) -> impl Fn(&dyn Display) -> String {
    move |error| format!("{what}: {error}")
}

fn image_of(scheme: &mut AnyScheme) -> &mut Image {
    let array: &mut ImageArray = scheme.flash_mut().downcast_mut().unwrap();
    array.image_as_mut().unwrap()
}

/// The number of changes so far, and what is allowed from there on.
fn note(seen: &mut Vec<(usize, Allowed)>, changes: &FileChanges, allowed: &Allowed) {
    seen.push((changes.lock().unwrap().len(), allowed.clone()));
}

fn page_of(lpn: u32, version: u64) -> Vec<u8> {
    sectors_of(lpn).flat_map(|sector| bytes(sector, version)).collect()
}

fn sectors_of(lpn: u32) -> std::ops::Range<usize> {
    let first = lpn as usize * SECTORS_PER_PAGE;
    first..first + SECTORS_PER_PAGE
}

impl Device {
    fn array(&self, image: Image) -> ImageArray {
        match &self.ssd {
            Some(ssd) => ImageArray::on_channels(&self.config, image, ssd).unwrap(),
            None => ImageArray::new(&self.config, image),
        }
    }

    /// Makes an image that is full, some of its pages written again. It was shut down, with the scheme or without.
    fn fill(&self, path: &Path, random: &mut Pcg64) -> Allowed {
        let description = Description::of_part(&self.part);
        let mut image = Image::create(path, self.geometry, &description).unwrap();
        (0..self.bad).for_each(|bad| image.mark_bad(BlockId(3 + bad)).unwrap());
        let mut scheme = self.array(image).format(&self.config).unwrap();
        let pages = scheme.logical_pages();
        let again = (0..random.random_range(0..2 * pages)).map(|_| random.random_range(0..pages));
        let written: Vec<u32> = (0..pages).chain(again).collect();
        let mut newest = vec![0; pages as usize * SECTORS_PER_PAGE];
        let mut ever = vec![BTreeSet::new(); newest.len()];
        for (version, lpn) in (1..).zip(written) {
            scheme.write(Lpn(lpn), Some(&page_of(lpn, version))).unwrap();
            newest[sectors_of(lpn)].fill(version);
            ever[sectors_of(lpn)].iter_mut().for_each(|ever| _ = ever.insert(version));
        }
        scheme.flush().unwrap();
        if random.random_bool(0.5) {
            scheme.shutdown().unwrap();
        }
        if random.random_bool(0.75) {
            image_of(&mut *scheme).shut_down().unwrap();
        }
        let now = newest.iter().map(|version| [*version].into()).collect();
        Allowed { at_once: false, newest, now, ever }
    }

    /// Starts on an image as `ftlkit serve --durable machine` does.
    fn start(&self, path: &Path, changes: &FileChanges) -> Result<Box<AnyScheme>, String> {
        let mut image = Image::claim(path).map_err(|error| failed("claim")(&error))?;
        image.follow(changes.clone());
        image.sync_before_erases(true);
        image.begin_use().map_err(|error| failed("begin")(&error))?;
        let mut found = Vec::new();
        let tally = image.check(|finding| found.push(finding.to_string())).unwrap();
        if tally.faults > 0 {
            return Err(format!("{} faults after recovery: {}", tally.faults, found.join("; ")));
        }
        self.array(image).mount(&self.config).map_err(|error| failed("mount")(&error))
    }

    /// Serves a run of requests on a new image, from its start to its shutdown.
    fn serve(&self, folder: &Folder, seed: u64) -> Run {
        let mut random = Pcg64::seed_from_u64(seed);
        let path = folder.path().join("device.img");
        let mut allowed = self.fill(&path, &mut random);
        let file = fs::read(&path).unwrap();
        let changes = FileChanges::default();
        let mut seen = vec![(0, allowed.clone())];
        let mut scheme = self.start(&path, &changes).unwrap();
        let page_bytes = image_of(&mut *scheme).page_bytes_at();
        let steps = steps_of(allowed.now.len(), seed, REQUESTS);
        let mut device = BlockDevice::new(scheme, Latency::None);
        let mut whole = true;
        serve_until_cut(folder, &mut device, |mut client, quiet| {
            for some in steps.chunks(12) {
                let each = |allowed: &Allowed| note(&mut seen, &changes, allowed);
                whole &= run_seen(some, &mut client, &mut allowed, each);
                if self.config.idle_collection || self.config.slc.is_some() {
                    wait_until(|| quiet.is());
                }
            }
        });
        assert!(whole, "{}: {:?}", self.name, device.first_failure());
        device.shut_down().unwrap();
        allowed.durable(0..allowed.now.len());
        note(&mut seen, &changes, &allowed);
        let changes = changes.lock().unwrap().clone();
        Run { file, changes, page_bytes, mounted: 0, allowed: seen, is_full: false }
    }

    /// Starts on what a cut left, reads everything, and does some operations. Returns the run.
    fn restart(
        &self,
        path: &Path,
        (run, at): (&Run, usize),
        file: Vec<u8>,
        versions: Range<u64>,
        random: &mut Pcg64,
    ) -> Result<Run, String> {
        let mut allowed = run.allowed(at).clone();
        let disk = File::options().write(true).open(path).unwrap();
        disk.write_all_at(&file, 0).unwrap();
        let changes = FileChanges::default();
        let mut scheme = self.start(path, &changes)?;
        let mounted = changes.lock().unwrap().len();
        let mut seen = vec![(0, allowed.clone())];
        let back = read_all(&mut *scheme, &mut allowed)?;
        note(&mut seen, &changes, &allowed);
        let mut is_full = false;
        for version in versions {
            let step = (random.random_range(0..9), version);
            let each = |allowed: &Allowed| note(&mut seen, &changes, allowed);
            match operate(&mut *scheme, step, &mut allowed, random, each) {
                Ok(()) => {}
                // Trims that the cut undid take the room with which their victim would have been collected. Nothing is lost.
                Err(FtlError::Full { .. }) if self.config.spare_blocks == 0 && back > 0 => {
                    is_full = true;
                    read_all(&mut *scheme, &mut allowed)?;
                    break;
                }
                Err(error) => return Err(failed("an operation after the mount")(&error)),
            }
        }
        drop(scheme);
        let changes = changes.lock().unwrap().clone();
        let page_bytes = run.page_bytes.clone();
        Ok(Run { file, changes, mounted, allowed: seen, page_bytes, is_full })
    }
}

/// True if the sector was trimmed and nothing was durable since: each start may find another version.
fn in_doubt(allowed: &Allowed, sector: usize) -> bool {
    allowed.now[sector].contains(&0) && allowed.now[sector] == allowed.ever[sector]
}

/// Every sector holds a version that is allowed. What is found is the newest one from here on, and does not go away any more; but a
/// page that was trimmed may come back.
///
/// Returns how many sectors came back.
fn read_all(scheme: &mut AnyScheme, allowed: &mut Allowed) -> Result<u64, String> {
    let mut page = vec![0; PAGE_BYTES as usize];
    let mut back = 0;
    for lpn in 0..scheme.logical_pages() {
        let present = scheme.read(Lpn(lpn), Some(&mut page)).map_err(|error| {
            format!("{}: {error}, not one of {:?}", Lpn(lpn), allowed.now[sectors_of(lpn).start])
        })?;
        for (sector, bytes) in sectors_of(lpn).zip(page.chunks(SECTOR)) {
            let found = version(sector, bytes);
            back += u64::from(found != Some(0) && allowed.now[sector].contains(&0));
            match found.filter(|found| allowed.now[sector].contains(found)) {
                Some(found) if present && !in_doubt(allowed, sector) => {
                    (allowed.newest[sector], allowed.now[sector]) = (found, [found].into());
                }
                Some(_) => allowed.trimmed(sector..sector + 1),
                None => {
                    let allowed = &allowed.now[sector];
                    return Err(format!("sector {sector} holds {found:?}, not one of {allowed:?}"));
                }
            }
        }
    }
    Ok(back)
}

/// Something that a device asks of its scheme.
fn operate(
    scheme: &mut AnyScheme,
    (what, version): (u32, u64),
    allowed: &mut Allowed,
    random: &mut Pcg64,
    mut seen: impl FnMut(&Allowed),
) -> Result<(), FtlError> {
    let lpn = random.random_range(0..scheme.logical_pages());
    let sectors = sectors_of(lpn);
    match what {
        0..6 => {
            allowed.sent(sectors.clone(), version);
            seen(allowed);
            let page = page_of(lpn, version);
            if what < 5 {
                scheme.write(Lpn(lpn), Some(&page))?;
            } else {
                scheme.write_through(Lpn(lpn), Some(&page))?;
                image_of(scheme).sync()?;
                allowed.durable(sectors);
            }
        }
        6 => {
            allowed.trimmed(sectors);
            seen(allowed);
            scheme.trim(Lpn(lpn))?;
        }
        7 => {
            scheme.flush()?;
            image_of(scheme).sync()?;
            allowed.durable(0..allowed.now.len());
        }
        _ => {
            scheme.idle()?;
        }
    }
    seen(allowed);
    Ok(())
}

/// Crash images of a device, and what was found in them.
#[derive(Default)]
struct Tally {
    runs: u64,
    /// After one, two and three cuts.
    images: [u64; 3],
    changes: u64,
    lost: u64,
    /// Images whose use a write without room ended.
    full: u64,
    failures: u64,
    told: Vec<String>,
}

impl Device {
    /// Makes so many crash images.
    fn attack(&self, images: u64) -> Tally {
        let mut tally = Tally::default();
        while tally.images.iter().sum::<u64>() < images {
            tally.runs += 1;
            let folder = folder();
            let run = self.serve(&folder, tally.runs);
            tally.changes += run.changes.len() as u64;
            let made: u64 = tally.images.iter().sum();
            let most = images.min(made + IMAGES_OF_A_RUN);
            let mut random = Pcg64::seed_from_u64(tally.runs);
            let mut known = HashSet::new();
            // Where too few are different, the next run has more.
            for _ in 0..IMAGES_OF_A_RUN {
                if tally.images.iter().sum::<u64>() < most {
                    self.cut_again(
                        &folder,
                        &run,
                        &mut Vec::new(),
                        &mut known,
                        &mut random,
                        &mut tally,
                    );
                }
            }
        }
        tally
    }

    /// Cuts a run, and what follows the cut, up to three times in all.
    fn cut_again(
        &self,
        folder: &Folder,
        run: &Run,
        cuts: &mut Vec<(usize, Keep, u64)>,
        known: &mut HashSet<Vec<u64>>,
        random: &mut Pcg64,
        tally: &mut Tally,
    ) {
        let (at, keep, Crashed { file, hash, lost }) = run.cut(random);
        cuts.push((at, keep, hash));
        if !known.insert(cuts.iter().map(|(.., hash)| *hash).collect()) {
            return;
        }
        tally.images[cuts.len() - 1] += 1;
        tally.lost += lost;
        let again = match cuts.len() {
            1 => true,
            2 => random.random_bool(0.125),
            _ => false,
        };
        let first = 10_000 * cuts.len() as u64;
        let versions = if again { first..first + random.random_range(0..20) } else { 0..0 };
        let path = folder.path().join("device.img");
        match self.restart(&path, (run, at), file, versions, random) {
            Ok(next) => {
                tally.full += u64::from(next.is_full);
                if again && !next.changes.is_empty() {
                    self.cut_again(folder, &next, cuts, known, random, tally);
                }
            }
            Err(failure) => {
                tally.failures += 1;
                if tally.told.len() < TOLD {
                    let cuts: Vec<_> = cuts.iter().map(|(at, keep, _)| (at, keep)).collect();
                    tally.told.push(format!(
                        "{}, run {}, cut after {cuts:?}: {failure}",
                        self.name, tally.runs
                    ));
                }
            }
        }
    }
}

fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[test]
fn an_erase_waits_for_every_change_of_a_block_before_it() {
    let part = parts::by_name("evaluation-slc").unwrap();
    let mut disk = OnDisk::new(Geometry::new(8, 4, 2048).unwrap(), part, &[]);
    let image = disk.image();
    image.sync_before_erases(true);
    image.sync().unwrap();
    let erased = |image: &mut Image, block| {
        let before = image.syncs();
        image.erase(BlockId(block), Cause::Host).unwrap();
        image.syncs() - before
    };
    // There are two spare places for what the last sync covered.
    assert_eq!(erased(image, 0), 0);
    assert_eq!(erased(image, 1), 0);
    assert_eq!(erased(image, 2), 1, "no place is left");
    assert_eq!(erased(image, 2), 1, "the block was erased since the last sync");
    image.sync().unwrap();
    image.half_erase(BlockId(4)).unwrap();
    assert_eq!(erased(image, 4), 1, "it was changed since the last sync");
}

#[test]
fn what_an_image_outlives_is_kept_also_where_nothing_else_changes() {
    let part = parts::by_name("evaluation-slc").unwrap();
    let folder = folder();
    let path = folder.path().join("device.img");
    let geometry = Geometry::new(8, 4, 2048).unwrap();
    let made = Image::create(&path, geometry, &Description::of_part(part));
    made.unwrap().shut_down().unwrap();
    for machine in [true, false, true] {
        let mut image = Image::claim(&path).unwrap();
        image.sync_before_erases(machine);
        image.prepare().unwrap();
        image.shut_down().unwrap();
        drop(image);
        let kept = Image::inspect(&path).unwrap();
        assert_eq!(kept.durable() == Durable::Machine, machine);
        assert!(kept.starts().clean);
    }
}

/// The content of an erased block lies in its old place until a sync, and a start looks there for changes of the newest window that it
/// knows of. So the place is used again once the mark of the next window is on the disk.
#[test]
fn a_place_is_used_again_once_no_start_looks_there() {
    let part = parts::by_name("evaluation-slc").unwrap();
    let folder = folder();
    let path = folder.path().join("device.img");
    let geometry = Geometry::new(8, 4, 2048).unwrap();
    let mut image = Image::create(&path, geometry, &Description::of_part(part)).unwrap();
    image.sync_before_erases(true);
    let program = |image: &mut Image, ppn, byte| {
        let oob = Oob::data(Lpn(ppn), u64::from(byte));
        image.program(Ppn(ppn), oob, Some(&[byte; 2048]), Cause::Host).unwrap();
    };
    image.sync().unwrap();
    let before = fs::read(&path).unwrap();
    let changes = FileChanges::default();
    image.follow(changes.clone());
    program(&mut image, 0, 1);
    image.erase(BlockId(0), Cause::Host).unwrap();
    program(&mut image, 4, 2);
    image.sync().unwrap();
    // Of two spare places one is left, so the second of these erases takes the place that the first block had.
    for block in [2, 3] {
        image.erase(BlockId(block), Cause::Host).unwrap();
        program(&mut image, block * 4, 3);
    }
    let page_bytes = image.page_bytes_at();
    drop(image);
    let changes = changes.lock().unwrap().clone();
    let mut random = Pcg64::seed_from_u64(1);
    for keep in Keep::ALL {
        let cut = crashed(&before, &changes, keep, &page_bytes, &mut random).file;
        fs::write(&path, &cut).unwrap();
        let mut image = Image::open(&path).unwrap();
        assert_eq!(image.check(|_| {}).unwrap().faults, 0, "{keep:?}");
        assert_eq!(image.erase_count(BlockId(0)), 1, "{keep:?}: a sync covered the erase");
        assert!(image.read(Ppn(4), None, Cause::Host).is_ok(), "{keep:?}: and the page after it");
    }
}

#[test]
fn what_a_flush_covered_outlives_the_power_of_the_machine() {
    let images = setting("FTLKIT_POWER_IMAGES").map_or(IMAGES, |images| images.parse().unwrap());
    let only = setting("FTLKIT_POWER_ONLY").unwrap_or_default();
    let devices: Vec<Device> =
        devices().into_iter().filter(|device| device.name.contains(&only)).collect();
    let attacked = |device: &Device| {
        let tally = device.attack(images);
        let Tally { runs, images: [one, two, three], changes, lost, full, failures, .. } = tally;
        let (name, all) = (&device.name, one + two + three);
        println!(
            "{name}: {all} crash images ({one} after one cut, {two} after two, {three} after three) of {runs} runs with {changes} \
             changes, {lost} parts of writes lost, {full} without room behind trims that were undone: {failures} failed"
        );
        Ok::<_, String>(tally)
    };
    let tallies = testkit::suite::all_pass(&devices, &attacked).unwrap();
    let failures: Vec<&str> =
        tallies.iter().flat_map(|tally| &tally.told).map(String::as_str).collect();
    let all: u64 = tallies.iter().flat_map(|tally| tally.images).sum();
    let again: u64 = tallies.iter().map(|tally| tally.images[1] + tally.images[2]).sum();
    println!("{all} crash images, {again} of them after more than one cut");
    let failed: u64 = tallies.iter().map(|tally| tally.failures).sum();
    assert!(failures.is_empty(), "{failed} of {all} failed:\n{}", failures.join("\n"));
    assert!(again * 2 >= all * 9 / 10, "{again} of {all}");
}
