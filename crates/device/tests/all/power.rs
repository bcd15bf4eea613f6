//! The machine loses its power: of what was written to the file since its last sync, some sectors are kept and some are not.
//! With `--durable machine` what a flush or FUA covered is there all the same.

use crate::cut::{Allowed, SECTOR, full, read, run, serve_until_cut, steps, version};
use crate::on_disk::{OnDisk, folder};
use flash::faults::{PowerCut, Tearable};
use flash::{BlockId, Cause, Flash, FlashError, Geometry, Layer, Ppn, parts};
use ftl::{BufferPolicy, BufferSettings, Preset, SchemeConfig, registry};
use ftlkit_device::image::{Image, ImageArray, NEED_ORDER, Recovered};
use ftlkit_device::{Below, BlockDevice, Latency};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeSet;
use std::fs;

/// An image that knows what its file held when it was last synced.
#[derive(Debug)]
struct Lossy {
    inner: PowerCut<Image>,
    syncs: u64,
    synced: Vec<u8>,
}

impl Lossy {
    fn new(image: Image) -> Self {
        let synced = fs::read(image.path()).unwrap();
        Self { syncs: image.syncs(), inner: PowerCut::new(image), synced }
    }

    fn file(&self) -> Vec<u8> {
        fs::read(self.inner.inner().path()).unwrap()
    }
}

impl Layer for Lossy {
    type Inner = PowerCut<Image>;

    fn inner(&self) -> &Self::Inner {
        &self.inner
    }

    fn inner_mut(&mut self) -> &mut Self::Inner {
        &mut self.inner
    }

    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        let before = self.file();
        let erased = Flash::erase(&mut self.inner, block, cause);
        let syncs = self.inner.inner().syncs();
        if syncs > self.syncs {
            // The sync came first.
            (self.syncs, self.synced) = (syncs, before);
        }
        erased
    }
}

impl Tearable for Lossy {
    fn waste(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        self.inner.waste(ppn)
    }

    fn half_erase(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.inner.half_erase(block)
    }

    fn spoil(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        self.inner.spoil(ppn)
    }
}

impl Below for Lossy {
    fn sync(&mut self) -> Result<(), FlashError> {
        if self.inner.is_off() {
            return Err(FlashError::PowerOff);
        }
        self.inner.inner_mut().sync()?;
        let syncs = self.inner.inner().syncs();
        if syncs > self.syncs {
            (self.syncs, self.synced) = (syncs, self.file());
        }
        Ok(())
    }

    fn shut_down(&mut self) -> Result<(), FlashError> {
        Err(FlashError::PowerOff)
    }

    fn failure(&self) -> Option<String> {
        self.inner.is_off().then(|| "the power was cut".to_owned())
    }
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
fn what_a_flush_covered_outlives_the_power_of_the_machine() {
    let buffered = BufferSettings {
        policy: Some(Some(BufferPolicy::LRU)),
        bytes: Some(8 << 10),
        ..BufferSettings::default()
    };
    let above = registry::by_name("page-level").unwrap();
    let buffered = SchemeConfig { buffer: buffered, ..SchemeConfig::preset(above) };
    let mounts = |preset: &&&Preset| !NEED_ORDER.contains(&preset.name);
    let plain = registry::REGISTRY.iter().filter(mounts);
    let plain = plain.map(|preset| SchemeConfig::preset(preset));
    let mut random = Pcg64::seed_from_u64(5);
    let (mut cuts, mut lost, mut pages, mut blocks) = (0, 0, 0, 0);
    for (seed, config) in (1..).zip(plain.into_iter().chain([buffered])) {
        let made = folder();
        let image = made.path().join("device.img");
        let sectors = full(&image, &config);
        Image::open(&image).unwrap().shut_down().unwrap();
        let steps = steps(sectors, seed);
        let held: Vec<BTreeSet<u64>> = vec![[1].into(); sectors];
        let start =
            Allowed { at_once: false, newest: vec![1; sectors], now: held.clone(), ever: held };
        // All schemes together see each remainder.
        for after in (seed % 4..).step_by(4) {
            let case = folder();
            let path = case.path().join("device.img");
            fs::copy(&image, &path).unwrap();
            let mut array = Image::open(&path).unwrap();
            array.sync_before_erases(true);
            let mut scheme =
                ImageArray::new(&config, Lossy::new(array)).mount(&config).expect("it mounts");
            let below: &mut ImageArray = scheme.flash_mut().downcast_mut().unwrap();
            below.image_as_mut::<Lossy>().unwrap().inner.cut_after(after, false);
            let mut device = BlockDevice::new(scheme, Latency::None);
            let mut allowed = start.clone();
            let was_cut = serve_until_cut(&case, &mut device, |mut client, _| {
                run(&steps, &mut client, &mut allowed);
            });
            let below: &ImageArray = device.scheme().flash().downcast_ref().unwrap();
            let below: &Lossy = below.image_as().unwrap();
            let (mut file, synced) = (below.file(), below.synced.clone());
            drop(device);
            for (at, new) in file.chunks_mut(SECTOR).enumerate() {
                let old = synced.chunks(SECTOR).nth(at).unwrap_or(&[0; SECTOR]);
                if random.random_bool(0.5) && *new != *old {
                    new.copy_from_slice(&old[..new.len()]);
                    lost += 1;
                }
            }
            fs::write(&path, &file).unwrap();
            let mut image = Image::open(&path).unwrap();
            assert!(!image.starts().clean, "or nobody would recover it");
            let found = image.recover().unwrap();
            drop(image);
            (pages, blocks) = (pages + found.pages, blocks + found.blocks);
            assert_eq!(Image::open(&path).unwrap().check(|_| {}).unwrap().faults, 0);
            assert_eq!(Image::open(&path).unwrap().recover().unwrap(), Recovered::default());
            let found = read(&path, &config);
            for (sector, found) in found.chunks(SECTOR).enumerate() {
                let (found, allowed) = (version(sector, found), &allowed.now[sector]);
                assert!(
                    found.is_some_and(|found| allowed.contains(&found)),
                    "{}, cut after {after}: sector {sector} holds {found:?}, not one of {allowed:?}",
                    config.preset.name
                );
            }
            if !was_cut {
                break;
            }
            cuts += 1;
        }
    }
    println!("{cuts} cuts, {lost} sectors of the file lost: {pages} pages, {blocks} erases");
    assert!(cuts > 100 && lost > 1000, "{cuts}, {lost}");
    assert!(pages > 100 && blocks > 0, "{pages}, {blocks}");
}
