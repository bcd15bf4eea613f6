//! The power is cut at every operation of a short run of requests, clean and torn. The next start mounts the image, and every
//! sector holds a version that the client's replies allow.

use crate::channels;
use crate::on_disk::{Folder, folder};
use crate::served::{Answer, Client, patient};
use crate::wait::wait_until;
use flash::channels::Topology;
use flash::faults::{PowerCut, Tearable};
use flash::{BlockId, FlashError, Geometry, Layer, Part, Ppn, parts};
use ftl::{AnyScheme, BufferPolicy, BufferSettings, PlacementKind, SchemeConfig, registry};
use ftlkit_device::image::{Description, Image, ImageArray};
use ftlkit_device::nbd::{Export, Listener, Server, Stop, serve};
use ftlkit_device::{Below, BlockDevice, Latency, Summary};
use lab::ssd::SsdSetup;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) const SECTOR: usize = 512;
pub(crate) const PAGE_BYTES: u32 = 1024;

/// An image whose power can be cut.
#[derive(Debug)]
struct Cut(PowerCut<Image>);

impl Layer for Cut {
    flash::layer_on!(self, self.0, PowerCut<Image>);
}

impl Tearable for Cut {
    fn waste(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        self.0.waste(ppn)
    }

    fn half_erase(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.0.half_erase(block)
    }

    fn spoil(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        self.0.spoil(ppn)
    }
}

impl Below for Cut {
    fn sync(&mut self) -> Result<(), FlashError> {
        if self.0.is_off() { Err(FlashError::PowerOff) } else { self.0.inner_mut().sync() }
    }

    fn shut_down(&mut self) -> Result<(), FlashError> {
        if self.0.is_off() { Err(FlashError::PowerOff) } else { self.0.inner_mut().shut_down() }
    }

    fn failure(&self) -> Option<String> {
        self.0.is_off().then(|| "the power was cut".to_owned())
    }
}

/// The bytes of a version of a sector; version 0 is zeros.
pub(crate) fn bytes(sector: usize, version: u64) -> Vec<u8> {
    if version == 0 {
        return vec![0; SECTOR];
    }
    let mut bytes: Vec<u8> = (0..SECTOR).map(|at| (at as u64 * version + 1) as u8).collect();
    bytes[..8].copy_from_slice(&(sector as u64).to_le_bytes());
    bytes[8..16].copy_from_slice(&version.to_le_bytes());
    bytes
}

/// The version in a sector, if its bytes are those of one.
pub(crate) fn version(sector: usize, found: &[u8]) -> Option<u64> {
    let version = u64::from_le_bytes(found[8..16].try_into().unwrap());
    (found == bytes(sector, version)).then_some(version)
}

/// The versions that each sector may hold after a start.
#[derive(Clone)]
pub(crate) struct Allowed {
    /// True if a write is durable when it is answered.
    pub(crate) at_once: bool,
    pub(crate) newest: Vec<u64>,
    pub(crate) now: Vec<BTreeSet<u64>>,
    /// All that it ever held: a trimmed page may read as any of them.
    pub(crate) ever: Vec<BTreeSet<u64>>,
}

impl Allowed {
    pub(crate) fn sent(&mut self, sectors: Range<usize>, version: u64) {
        for sector in sectors {
            self.now[sector].insert(version);
            self.ever[sector].insert(version);
            self.newest[sector] = version;
        }
    }

    /// Only the newest is allowed.
    pub(crate) fn durable(&mut self, sectors: Range<usize>) {
        for sector in sectors {
            // What was trimmed since may come back.
            if self.newest[sector] != u64::MAX {
                self.now[sector] = [self.newest[sector]].into();
            }
        }
    }

    pub(crate) fn trimmed(&mut self, sectors: Range<usize>) {
        for sector in sectors {
            self.ever[sector].insert(0);
            self.now[sector] = self.ever[sector].clone();
            self.newest[sector] = u64::MAX;
        }
    }
}

/// A request of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    command: u16,
    fua: bool,
    first: usize,
    count: usize,
    version: u64,
}

/// Requests of all kinds, of whole pages and of parts, many of them to the same few pages.
fn steps(sectors: usize, seed: u64) -> Vec<Step> {
    steps_of(sectors, seed, 2..26)
}

/// The same, of these versions.
pub(crate) fn steps_of(sectors: usize, seed: u64, versions: Range<u64>) -> Vec<Step> {
    let mut random = Pcg64::seed_from_u64(seed);
    let step = |version| {
        let command = [1, 1, 1, 1, 1, 1, 3, 4, 6][random.random_range(0..9)];
        let count = random.random_range(1..7);
        let most = if random.random_bool(0.6) { sectors / 8 } else { sectors - count };
        let first = random.random_range(0..most);
        Step { command, fua: random.random_bool(0.2), first, count, version }
    };
    versions.map(step).collect()
}

/// An image that is written full once, and the sectors of the device.
fn full(path: &Path, config: &SchemeConfig) -> usize {
    let part = parts::by_name("evaluation-slc").unwrap().clone();
    let part = Part { page_bytes: PAGE_BYTES, pages_per_block: 8, ..part };
    let geometry = Geometry::new(40, 8, PAGE_BYTES).unwrap();
    let image = Image::create(path, geometry, &Description::of_part(&part)).unwrap();
    let mut scheme = ImageArray::new(config, image).format(config).unwrap();
    let per_page = PAGE_BYTES as usize / SECTOR;
    for lpn in 0..scheme.logical_pages() {
        let sectors = lpn as usize * per_page..(lpn as usize + 1) * per_page;
        let page: Vec<u8> = sectors.flat_map(|sector| bytes(sector, 1)).collect();
        scheme.write(flash::Lpn(lpn), Some(&page)).unwrap();
    }
    scheme.flush().unwrap();
    scheme.logical_pages() as usize * per_page
}

/// All bytes of the device, after a mount.
fn read(path: &Path, config: &SchemeConfig) -> Vec<u8> {
    let image = Image::open(path).unwrap();
    read_all(&mut *ImageArray::new(config, image).mount(config).expect("it mounts"))
}

fn read_all(scheme: &mut AnyScheme) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut page = vec![0; PAGE_BYTES as usize];
    for lpn in 0..scheme.logical_pages() {
        scheme.read(flash::Lpn(lpn), Some(&mut page)).unwrap();
        bytes.extend_from_slice(&page);
    }
    bytes
}

/// True while a device has nothing to do: no request, and no more to collect. Also true once its power was cut.
#[derive(Default)]
pub(crate) struct Quiet(AtomicBool);

impl Quiet {
    pub(crate) fn is(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    fn set(&self, quiet: bool) {
        self.0.store(quiet, Ordering::SeqCst);
    }
}

/// Serves the image with the power cut after so many operations. Returns true if it was cut.
fn serve_cut(
    folder: &Folder,
    config: &SchemeConfig,
    (after, tear): (u64, bool),
    client: impl FnOnce(Client, &Quiet) + Send,
) -> (bool, Summary) {
    let image = Image::open(&folder.path().join("device.img")).unwrap();
    let mut scheme =
        ImageArray::new(config, Cut(PowerCut::new(image))).mount(config).expect("it mounts");
    let array: &mut ImageArray = scheme.flash_mut().downcast_mut().unwrap();
    array.image_as_mut::<Cut>().unwrap().0.cut_after(after, tear);
    let mut device = BlockDevice::new(scheme, Latency::None);
    (serve_until_cut(folder, &mut device, client), device.summary())
}

/// Serves the device. Returns true if its power was cut.
pub(crate) fn serve_until_cut(
    folder: &Folder,
    device: &mut BlockDevice,
    client: impl FnOnce(Client, &Quiet) + Send,
) -> bool {
    let socket = folder.path().join("socket");
    let listener = Listener::unix(&socket).unwrap();
    let export = Export {
        name: "disk".into(),
        description: String::new(),
        bytes: device.bytes(),
        page_bytes: PAGE_BYTES,
        read_only: false,
        stream: 0,
        deallocates: false,
    };
    let server =
        Server { exports: vec![export], limits: patient(), tls: None, log: Box::new(|_: &str| {}) };
    let (stop, quiet) = (Stop::default(), &Quiet::default());
    std::thread::scope(|threads| {
        let stopper = stop.clone();
        threads.spawn(move || {
            client(Client::new(&socket, "disk", false), quiet);
            stopper.stop();
        });
        let served = serve(server, vec![listener], &stop, |job| {
            quiet.set(false);
            let left_alone = match job {
                Some(job) => device.serve(job).and_then(|_| device.rest()),
                None => device.rest(),
            };
            quiet.set(!matches!(left_alone, Ok(Some(_))));
            left_alone
        });
        served.is_err()
    })
}

/// Runs the steps until one fails. Returns true if none did.
fn run(steps: &[Step], client: &mut Client, allowed: &mut Allowed) -> bool {
    run_seen(steps, client, allowed, |_| {})
}

/// The same. `seen` gets what is allowed, before each request is sent and when it is answered.
pub(crate) fn run_seen(
    steps: &[Step],
    client: &mut Client,
    allowed: &mut Allowed,
    mut seen: impl FnMut(&Allowed),
) -> bool {
    let all = 0..allowed.now.len();
    for step in steps {
        let sectors = step.first..step.first + step.count;
        // What is trimmed: the whole pages.
        let per_page = PAGE_BYTES as usize / SECTOR;
        let whole = sectors.start.div_ceil(per_page) * per_page..sectors.end / per_page * per_page;
        let data: Vec<u8> = match step.command {
            1 => sectors.clone().flat_map(|sector| bytes(sector, step.version)).collect(),
            _ => Vec::new(),
        };
        match step.command {
            1 => allowed.sent(sectors.clone(), step.version),
            6 => allowed.sent(sectors.clone(), 0),
            4 => allowed.trimmed(whole.clone()),
            _ => {}
        }
        seen(allowed);
        let (offset, length) = match step.command {
            3 => (0, 0),
            _ => ((step.first * SECTOR) as u64, (step.count * SECTOR) as u32),
        };
        let fua = u16::from(step.fua && step.command != 3);
        let answer = client.try_ask(fua, step.command, offset, length, &data);
        if !matches!(answer, Ok(Answer::Done)) {
            return false;
        }
        match step.command {
            3 => allowed.durable(all.clone()),
            1 | 6 if fua == 1 || allowed.at_once => allowed.durable(sectors),
            _ => {}
        }
        seen(allowed);
    }
    true
}

/// Every sector holds a version that is allowed.
fn check(found: &[u8], allowed: &Allowed, name: &str) {
    for (sector, found) in found.chunks(SECTOR).enumerate() {
        let (found, allowed) = (version(sector, found), &allowed.now[sector]);
        assert!(
            found.is_some_and(|found| allowed.contains(&found)),
            "{name}: sector {sector} holds {found:?}, not one of {allowed:?}"
        );
    }
}

/// The same on the channels of an SSD, with and without modelled time: pages of one request go to different dies.
#[test]
fn what_was_answered_outlives_a_cut_at_every_operation_on_channels() {
    let ssd = SsdSetup {
        topology: Topology { blocks_per_plane: 10, pages_per_block: 8, ..channels::ssd().topology },
        ..channels::ssd()
    };
    let mut cuts = 0;
    for (seed, name) in (1..).zip(["page-level", "lazy-rtgc", "fast"]) {
        let config = channels::on_dies(SchemeConfig::preset(registry::by_name(name).unwrap()));
        let made = folder();
        let image = made.path().join("device.img");
        let sectors = full(&image, &config);
        let steps = steps(sectors, seed);
        let held: Vec<BTreeSet<u64>> = vec![[1].into(); sectors];
        let start =
            Allowed { at_once: true, newest: vec![1; sectors], now: held.clone(), ever: held };
        for after in 0.. {
            let (tear, timed) = (after % 2 == 1, after % 4 > 1);
            let case = folder();
            let path = case.path().join("device.img");
            std::fs::copy(&image, &path).unwrap();
            let mut allowed = start.clone();
            let cut = Cut(PowerCut::new(Image::open(&path).unwrap()));
            let array = ImageArray::on_channels(&config, cut, &ssd).unwrap();
            let mut scheme = array.mount(&config).expect("it mounts");
            let array: &mut ImageArray = scheme.flash_mut().downcast_mut().unwrap();
            array.image_as_mut::<Cut>().unwrap().0.cut_after(after, tear);
            let latency = if timed { Latency::Scaled(10) } else { Latency::None };
            let mut device = BlockDevice::new(scheme, latency);
            let mut whole = false;
            let was_cut = serve_until_cut(&case, &mut device, |mut client, _| {
                whole = run(&steps, &mut client, &mut allowed);
            });
            assert!(was_cut || whole, "{name}, cut after {after}: it ended without a cut");
            drop(device);
            let array = ImageArray::on_channels(&config, Image::open(&path).unwrap(), &ssd);
            let mut scheme = array.unwrap().mount(&config).expect("it mounts again");
            let found = read_all(&mut *scheme);
            check(&found, &allowed, &format!("{name}, cut after {after}, torn: {tear}"));
            if !was_cut {
                break;
            }
            cuts += 1;
        }
    }
    assert!(cuts > 100, "{cuts}");
}

/// Pauses between requests, in which the device collects, are cut, too.
#[test]
fn what_was_answered_outlives_a_cut_in_idle_collection() {
    let preset = registry::by_name("2lgc").unwrap();
    let config = SchemeConfig { idle_collection: true, ..SchemeConfig::preset(preset) };
    let made = folder();
    let image = made.path().join("device.img");
    let sectors = full(&image, &config);
    let steps = steps(sectors, 3);
    let held: Vec<BTreeSet<u64>> = vec![[1].into(); sectors];
    let start = Allowed { at_once: true, newest: vec![1; sectors], now: held.clone(), ever: held };
    let (mut cuts, mut idle, mut in_pauses) = (0, 0, [0; 2]);
    for after in 0.. {
        let tear = after % 2 == 1;
        let case = folder();
        std::fs::copy(&image, case.path().join("device.img")).unwrap();
        let mut allowed = start.clone();
        let mut whole = 0;
        let (was_cut, summary) = serve_cut(&case, &config, (after, tear), |mut client, quiet| {
            for some in steps.chunks(5) {
                if !run(some, &mut client, &mut allowed) {
                    return;
                }
                whole += some.len() as u64;
                wait_until(|| quiet.is());
            }
        });
        assert!(
            was_cut || whole == steps.len() as u64,
            "cut after {after}: it ended without a cut"
        );
        // All that was asked for was done: the power went off in a pause.
        if was_cut && summary.run.requests_taken == whole {
            in_pauses[usize::from(tear)] += 1;
        }
        idle += summary.idle_steps;
        let found = read(&case.path().join("device.img"), &config);
        check(&found, &allowed, &format!("cut after {after}, torn: {tear}"));
        if !was_cut {
            break;
        }
        cuts += 1;
    }
    assert!(cuts > 100 && idle > 50, "{cuts} cuts, {idle} steps in idle time");
    assert!(in_pauses.iter().all(|cuts| *cuts > 0), "{in_pauses:?} cuts in pauses, clean and torn");
}

#[test]
fn what_was_answered_outlives_a_cut_at_every_operation() {
    let buffered = BufferSettings {
        policy: Some(Some(BufferPolicy::LRU)),
        bytes: Some(8 << 10),
        ..BufferSettings::default()
    };
    let above = registry::by_name("page-level").unwrap();
    let buffered = SchemeConfig { buffer: buffered, ..SchemeConfig::preset(above) };
    // One of each kind of map; the suites below the block device try all schemes.
    let plain = ["page-level", "lazy-rtgc", "gftl-priority", "nftl", "dftl", "fast", "ba-gc"];
    let plain = plain.map(|name| SchemeConfig::preset(registry::by_name(name).unwrap()));
    let placement = PlacementKind::each().find(|kind| kind.policy().name == "dac");
    let placed = SchemeConfig { placement, ..SchemeConfig::preset(above) };
    let mut cuts = 0;
    for (seed, config) in (1..).zip(plain.into_iter().chain([buffered, placed])) {
        // GFTL, too, keeps writes in RAM, to a block under collection.
        let buffered = config.buffer.policy.is_some();
        let at_once = !buffered && !testkit::suite::is_volatile(&config);
        let made = folder();
        let image = made.path().join("device.img");
        let sectors = full(&image, &config);
        let steps = steps(sectors, seed);
        let placement = config.placement.map_or("none", |kind| kind.policy().name);
        let name = format!("{} (buffer: {buffered}, placement: {placement})", config.preset.name);
        let held: Vec<BTreeSet<u64>> = vec![[1].into(); sectors];
        let start = Allowed { at_once, newest: vec![1; sectors], now: held.clone(), ever: held };
        for after in 0.. {
            let tear = after % 2 == 1;
            let case = folder();
            std::fs::copy(&image, case.path().join("device.img")).unwrap();
            let mut allowed = start.clone();
            let mut whole = false;
            let (was_cut, _) = serve_cut(&case, &config, (after, tear), |mut client, _| {
                whole = run(&steps, &mut client, &mut allowed);
            });
            assert!(was_cut || whole, "{name}, cut after {after}: it ended without a cut");
            let found = read(&case.path().join("device.img"), &config);
            check(&found, &allowed, &format!("{name}, cut after {after}, torn: {tear}"));
            if !was_cut {
                break;
            }
            cuts += 1;
        }
    }
    println!("{cuts} cuts");
    assert!(cuts > 300, "{cuts}");
}
