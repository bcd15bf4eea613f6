//! Every scheme on an array that loses pages to bit errors: a read returns the newest version or an error.

use flash::faults::{BitErrorRate, BitErrors};
use flash::{AnyArray, FlashError, Lpn, Serial, Store, WearLevel};
use ftl::{FtlError, Preset, SchemeConfig, registry};
use ftlkit_testkit::shape::Shape;
use ftlkit_testkit::suite::roomy_shape;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Of pages of 256 bits, one in ten has one bit error, which ECC corrects. One in 200 has two and is lost.
const RATE: BitErrorRate =
    BitErrorRate { base: 390_000_000, per_erase: 1000, per_read: 0, ecc_bits_per_kib: 1 };

fn loses_loudly(preset: &'static Preset) {
    let config = SchemeConfig::preset(preset);
    loses_only_loudly(&config, roomy_shape(&config).expect("a shape for every scheme"));
}

/// A map on flash, most of which is not cached: translation pages are lost, too.
#[test]
fn of_a_small_table_of_the_map_too() {
    for name in ["dftl", "lazy-rtgc-on-demand"] {
        let preset = registry::by_name(name).unwrap();
        let config = SchemeConfig { cmt_bytes: Some(64), ..SchemeConfig::preset(preset) };
        loses_only_loudly(&config, Shape::new(48, 8, 3));
    }
}

fn loses_only_loudly(config: &SchemeConfig, shape: Shape) {
    let preset = config.preset;
    let array = BitErrors::new(shape.array(Store::All, &[]), RATE, 5).unwrap();
    let array = AnyArray::new(WearLevel::off(Serial::new(array)));
    let mut scheme = registry::format(config, array).unwrap();
    let pages = scheme.logical_pages();
    let mut bytes = vec![0; shape.part().page_bytes as usize];
    let mut versions = vec![0u64; pages as usize];
    let mut random = Pcg64::seed_from_u64(11);
    let (mut read, mut lost) = (0, 0);
    for version in 1..=12_000 {
        let lpn = random.random_range(0..pages);
        versions[lpn as usize] = version;
        bytes[..8].copy_from_slice(&version.to_le_bytes());
        scheme
            .write(Lpn(lpn), Some(&bytes))
            .unwrap_or_else(|error| panic!("{}: write {version}: {error}", preset.name));
        let lpn = random.random_range(0..pages);
        let newest = versions[lpn as usize];
        match scheme.read(Lpn(lpn), Some(&mut bytes)) {
            Err(FtlError::Flash(FlashError::Uncorrectable(_))) => lost += 1,
            Ok(_) if newest > 0 => {
                let found = u64::from_le_bytes(bytes[..8].try_into().unwrap());
                assert_eq!(found, newest, "{}: page {lpn} behind write {version}", preset.name);
                read += 1;
            }
            Ok(_) => {}
            Err(error) => {
                panic!("{}: read of page {lpn} behind write {version}: {error}", preset.name)
            }
        }
    }
    println!("{}: {read} pages read, {lost} lost", preset.name);
    assert!(read > 5000 && lost > 5, "{}: {read} read, {lost} lost", preset.name);
}

crate::of_each_scheme! { pages_lost_to_bit_errors_are_told: loses_loudly }
