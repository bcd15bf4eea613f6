//! Every scheme on an array whose programs and erases fail until no spare block is left: writes are refused, reads are not,
//! and what was acknowledged is read.

use flash::faults::ProgramEraseFailure;
use flash::{AnyArray, Lpn, Serial, Store, WearLevel};
use ftl::{FtlError, Preset, SchemeConfig, registry};
use ftlkit_testkit::shape::Shape;
use ftlkit_testkit::suite::roomy_shape;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

fn reads_on(preset: &'static Preset) {
    let config = SchemeConfig::preset(preset);
    let roomy = roomy_shape(&config).expect("a shape for every scheme");
    keeps_what_it_took(&config, roomy);
}

/// A map on flash, most of which is not cached.
#[test]
fn nor_does_a_small_table_of_the_map_lose_anything() {
    for name in ["dftl", "lazy-rtgc-on-demand"] {
        let preset = registry::by_name(name).unwrap();
        let config = SchemeConfig { cmt_bytes: Some(64), ..SchemeConfig::preset(preset) };
        keeps_what_it_took(&config, Shape::new(48, 8, 3));
    }
}

fn keeps_what_it_took(config: &SchemeConfig, roomy: Shape) {
    let preset = config.preset;
    let (mut refused_in_all, mut read) = (0, 0);
    for seed in 0..200 {
        let spare_blocks = seed as u32 % 3 * 2;
        let config = SchemeConfig { spare_blocks, ..config.clone() };
        let shape = Shape { blocks: roomy.blocks + spare_blocks, ..roomy };
        let mut array = ProgramEraseFailure::new(shape.array(Store::All, &[]), seed);
        array.fail_programs(3000);
        array.fail_erases(1000);
        let array = AnyArray::new(WearLevel::off(Serial::new(array)));
        let Ok(mut scheme) = registry::format(&config, array) else { continue };
        let pages = scheme.logical_pages();
        let mut bytes = vec![0; shape.part().page_bytes as usize];
        // What each page may read as: its newest version, or one of a write that was refused since.
        let mut versions = vec![vec![0u64]; pages as usize];
        let mut random = Pcg64::seed_from_u64(seed);
        let mut refused = 0;
        for version in 1..=4000u64 {
            let lpn = random.random_range(0..pages);
            bytes[..8].copy_from_slice(&version.to_le_bytes());
            match scheme.write(Lpn(lpn), Some(&bytes)) {
                Ok(()) => versions[lpn as usize] = vec![version],
                Err(FtlError::Full { .. }) => {
                    versions[lpn as usize].push(version);
                    refused += 1;
                }
                Err(error) => panic!("{} seed {seed}: write {version}: {error}", preset.name),
            }
            let lpn = random.random_range(0..pages);
            scheme.read(Lpn(lpn), Some(&mut bytes)).unwrap_or_else(|error| {
                panic!("{} seed {seed}: page {lpn} after write {version}: {error}", preset.name)
            });
            let found = u64::from_le_bytes(bytes[..8].try_into().unwrap());
            assert!(
                versions[lpn as usize].contains(&found),
                "{} seed {seed}: page {lpn} after write {version} reads {found}, not {:?}; {refused} refused",
                preset.name,
                versions[lpn as usize]
            );
            read += 1;
            if refused > 200 {
                break;
            }
        }
        refused_in_all += refused;
    }
    println!("{}: {read} pages read, {refused_in_all} writes refused", preset.name);
    assert!(read > 1000 && refused_in_all > 0, "{}: {read} read", preset.name);
}

crate::of_each_scheme! { a_device_that_takes_no_writes_can_be_read: reads_on }
