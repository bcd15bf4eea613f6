//! A process is killed at random while it writes to an image. The next one mounts it, and finds all that was written.

use crate::child::{Said, create, start};
use crate::on_disk::folder;
use ftl::registry::REGISTRY;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::io::BufRead;

#[test]
fn nothing_written_is_lost_when_the_process_is_killed() {
    let mut random = Pcg64::seed_from_u64(20);
    let mut kills = 0;
    for preset in REGISTRY {
        let folder = folder();
        let path = folder.path().join("device.img");
        drop(create(&path));
        let mut said = Said::default();
        for seed in 1..=5 {
            said.mounted = false;
            let (mut child, mut out) = start("", &path, preset.name, seed);
            // The kill comes after some lines, at whatever the child does then.
            let mut lines = random.random_range(0..4000);
            let mut line = String::new();
            while lines > 0 && out.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
                said.hear(&line);
                lines -= u32::from(said.mounted);
                line.clear();
            }
            child.kill().expect("the child runs until it is killed");
            child.wait().expect("the child ends");
            said.hear_all(out);
            assert!(said.stopped.is_none(), "{}: {said:?}", preset.name);
            let present = said.check(&path, preset.name);
            assert!(!said.mounted || present as usize >= said.written.len(), "{}", preset.name);
            // What the cut write left is known from here on.
            said = Said { written: found(&path, preset.name), ..Said::default() };
            kills += 1;
        }
        assert!(!said.written.is_empty(), "{}: no write came through", preset.name);
    }
    println!("{kills} kills");
}

/// The versions in an image.
pub(crate) fn found(path: &std::path::Path, scheme: &str) -> std::collections::BTreeMap<u32, u64> {
    use flash::{Flash, Lpn};
    use ftl::{SchemeConfig, registry};
    use ftlkit_device::image::{Image, ImageArray};
    let config = SchemeConfig::preset(registry::by_name(scheme).unwrap());
    let image = Image::open(path).unwrap();
    let mut scheme = ImageArray::new(&config, image).mount(&config).unwrap();
    let mut page = vec![0; scheme.flash().geometry().page_bytes() as usize];
    let mut versions = std::collections::BTreeMap::new();
    for lpn in (0..scheme.logical_pages()).map(Lpn) {
        if scheme.read(lpn, Some(&mut page)).unwrap() {
            versions.insert(lpn.0, crate::child::version(lpn, &page).expect("a version"));
        }
    }
    versions
}
