//! Faults below a device: drawn from a seed, survived by the scheme, counted.

use crate::on_disk::folder;
use flash::faults::{BitErrorModel, FaultError};
use flash::{Array, BlockId, Flash, FlashError, Geometry, Lpn, Store, parts};
use ftl::{FtlError, SchemeConfig, registry};
use ftlkit_device::image::{Description, Image, ImageArray};
use ftlkit_device::{Cut, FaultPlan, FaultPlanError};

const PAGE_BYTES: usize = 512;

fn array() -> Array {
    let part = parts::by_name("evaluation-slc").unwrap().clone();
    let part = flash::Part { page_bytes: PAGE_BYTES as u32, pages_per_block: 16, ..part };
    Array::new(Geometry::new(64, 16, PAGE_BYTES as u32).unwrap(), part, Store::All)
}

fn config() -> SchemeConfig {
    let preset = SchemeConfig::preset(registry::by_name("page-level").unwrap());
    SchemeConfig { spare_blocks: 12, ..preset }
}

/// What random writes left behind.
struct Written {
    /// The newest version of each page.
    newest: Vec<u8>,
    /// The write that failed, which may have come through: its page and version.
    failed: Option<(FtlError, usize, u8)>,
}

/// Writes at random until an error, or this many times.
fn write(scheme: &mut dyn ftl::Scheme<Flash = flash::AnyArray>, times: u64) -> Written {
    let pages = u64::from(scheme.logical_pages());
    let mut newest = vec![0; pages as usize];
    for n in 1..=times {
        let lpn = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % pages;
        let version = (n % 255) as u8 + 1;
        let page = vec![version; PAGE_BYTES];
        if let Err(error) = scheme.write(Lpn(lpn as u32), Some(&page)) {
            return Written { newest, failed: Some((error, lpn as usize, version)) };
        }
        newest[lpn as usize] = version;
    }
    Written { newest, failed: None }
}

fn found(
    scheme: &mut dyn ftl::Scheme<Flash = flash::AnyArray>,
    lpn: usize,
) -> Result<u8, FtlError> {
    let mut page = vec![0; PAGE_BYTES];
    scheme.read(Lpn(lpn as u32), Some(&mut page))?;
    assert!(page.iter().all(|byte| *byte == page[0]), "page {lpn} is one version");
    Ok(page[0])
}

#[test]
fn failed_operations_and_bad_blocks_lose_nothing() {
    let plan = FaultPlan {
        program_failures: 200,
        erase_failures: 2000,
        bad_blocks: 3,
        seed: 9,
        ..FaultPlan::default()
    };
    let runs = [9, 9, 10].map(|seed| {
        let faulty = FaultPlan { seed, ..plan }.around(array(), true).unwrap();
        let mut scheme = ImageArray::new(&config(), faulty).format(&config()).unwrap();
        let Written { newest, failed } = write(&mut *scheme, 8000);
        assert_eq!(failed, None);
        for (lpn, version) in newest.iter().enumerate() {
            assert_eq!(found(&mut *scheme, lpn).unwrap(), *version, "page {lpn}");
        }
        let array: &mut ImageArray = scheme.flash_mut().downcast_mut().unwrap();
        let bad: Vec<u32> = (0..64).filter(|block| array.is_bad(BlockId(*block))).collect();
        (array.image().faults().unwrap(), bad)
    });
    let (faults, bad) = &runs[0];
    assert!(faults.failed_programs > 0 && faults.failed_erases > 0, "{faults:?}");
    assert!(bad.len() as u64 >= 3 + faults.failed_programs, "{bad:?} {faults:?}");
    assert!(runs[0] == runs[1] && runs[0] != runs[2], "a seed gives the same faults again");
}

#[test]
fn pages_with_too_many_bit_errors_are_refused_and_counted() {
    let model = BitErrorModel::Fixed { bits_per_page: 9, ecc_bits_per_kib: 8 };
    let plan = FaultPlan { bit_errors: Some(model), ..FaultPlan::default() };
    let faulty = plan.around(array(), true).unwrap();
    let mut scheme = ImageArray::new(&config(), faulty).format(&config()).unwrap();
    assert_eq!(write(&mut *scheme, 10).failed, None);
    let lpn = 0x9e37_79b9_7f4a_7c15 % u64::from(scheme.logical_pages());
    let read = found(&mut *scheme, lpn as usize);
    assert!(matches!(read, Err(FtlError::Flash(FlashError::Uncorrectable(_)))), "{read:?}");
    let array: &mut ImageArray = scheme.flash_mut().downcast_mut().unwrap();
    assert_eq!(array.image().faults().unwrap().uncorrectable_reads, 1);
}

#[test]
fn bad_blocks_are_of_the_images_making() {
    let folder = folder();
    let path = folder.path().join("device.img");
    let memory = array();
    let image = Image::create(&path, *memory.geometry(), &Description::of_part(memory.part()));
    let plan = FaultPlan { bad_blocks: 4, seed: 2, ..FaultPlan::default() };
    drop(plan.around(image.unwrap(), true).unwrap());
    assert!(plan.around(Image::open(&path).unwrap(), false).is_ok(), "it has them already");
    let other = FaultPlan { seed: 3, ..plan }.around(Image::open(&path).unwrap(), false);
    assert!(matches!(other, Err(FaultPlanError::MadeWithout(_))), "{other:?}");
    let many = FaultPlan { bad_blocks: 64, ..plan }.around(array(), true);
    let Err(FaultPlanError::Fault(FaultError::TooManyBadBlocks { .. })) = many else {
        panic!("{many:?}");
    };
}

#[test]
fn after_a_power_cut_at_any_operation_the_image_mounts_with_every_page_written() {
    let folder = folder();
    let memory = array();
    for n in 0..60 {
        let path = folder.path().join(format!("{n}.img"));
        let image = Image::create(&path, *memory.geometry(), &Description::of_part(memory.part()));
        // Also where collection is at work: the array is full by then.
        let cut = Cut { after: n + n / 10 * 200, torn: n % 2 == 0 };
        let plan = FaultPlan { power_cut: Some(cut), ..FaultPlan::default() };
        let faulty = plan.around(image.unwrap(), true).unwrap();
        let mut scheme = ImageArray::new(&config(), faulty).format(&config()).unwrap();
        let Written { newest, failed } = write(&mut *scheme, 5000);
        let (error, tried, version_tried) = failed.expect("the power is cut");
        assert_eq!(error, FtlError::Flash(FlashError::PowerOff), "cut {n}");
        let array: &mut ImageArray = scheme.flash_mut().downcast_mut().unwrap();
        let faulty = array.image_mut();
        let said = format!("the injected power cut came after {} operations", cut.after);
        assert_eq!(faulty.failure(), Some(said));
        assert!(faulty.faults().unwrap().power_cut);
        assert_eq!(
            (faulty.sync(), faulty.shut_down()),
            (Err(FlashError::PowerOff), Err(FlashError::PowerOff))
        );
        drop(scheme);
        let image = Image::open(&path).unwrap();
        let mut scheme = ImageArray::new(&config(), image).mount(&config()).unwrap();
        for (lpn, version) in newest.iter().enumerate() {
            let found = found(&mut *scheme, lpn).unwrap();
            let may_be = lpn == tried && found == version_tried;
            assert!(found == *version || may_be, "page {lpn} after cut {n}: {found}");
        }
    }
}
