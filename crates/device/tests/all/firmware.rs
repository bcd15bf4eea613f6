//! The C library for firmware and the device on one image: each reads what the other wrote.
#![allow(unsafe_code, reason = "calls of C functions")]

use crate::on_disk::{Folder, folder};
use crate::served::preset;
use embedded::api::{
    Config, Handle, format_of, ftl_format, ftl_memory_needed, ftl_mount, ftl_pages, ftl_read,
    ftl_shutdown, ftl_write,
};
use embedded::driver::{Driver, FTL_NAND_ERASED, FTL_NAND_STOP, FTL_NAND_UNCORRECTABLE};
use embedded::scheme::{self, Scheme};
use embedded::spare::{self, Format, Spare};
use flash::{BlockId, Cause, Flash, FlashError, Geometry, Lpn, Part, parts};
use ftl::AnyScheme;
use ftlkit_device::image::{Description, Image, ImageArray};
use std::ffi::{c_int, c_void};
use std::path::Path;
use std::{ptr, slice};

const BLOCKS: u32 = 48;
const PAGES: u32 = 16;
const BYTES: usize = 512;

fn part() -> Part {
    let pages_per_block = PAGES;
    Part { pages_per_block, page_bytes: BYTES as u32, ..parts::EVALUATION_SLC.clone() }
}

/// The schemes of both, and whether what they hold in RAM alone has to be flushed.
fn schemes() -> [(&'static str, &'static Scheme); 5] {
    [
        ("page-level", &scheme::ftl_scheme_page_level),
        ("fsr", &scheme::ftl_scheme_fsr),
        ("lazy-rtgc", &scheme::ftl_scheme_lazy_rtgc),
        ("lazy-rtgc-on-demand", &scheme::ftl_scheme_lazy_rtgc_on_demand),
        ("gftl", &scheme::ftl_scheme_gftl),
    ]
}

/// An image, with the format of the spare areas that the library sees.
struct Array {
    image: Image,
    format: Format,
}

/// # Safety
/// `context` is the image of a test, which nobody else uses meanwhile.
unsafe fn of<'a>(context: *mut c_void) -> &'a mut Array {
    // SAFETY: as above.
    unsafe { &mut *context.cast::<Array>() }
}

fn code(error: FlashError) -> c_int {
    match error {
        FlashError::Erased(_) => FTL_NAND_ERASED,
        FlashError::Uncorrectable(_) => FTL_NAND_UNCORRECTABLE,
        _ => FTL_NAND_STOP,
    }
}

unsafe extern "C" fn read(
    context: *mut c_void,
    block: u32,
    page: u32,
    data: *mut u8,
    to: *mut u8,
) -> c_int {
    // SAFETY: the library passes what it was given, and buffers of a page and of a spare area.
    unsafe {
        let Array { image, format } = of(context);
        let ppn = image.geometry().ppn(BlockId(block), page);
        let data = (!data.is_null()).then(|| slice::from_raw_parts_mut(data, BYTES));
        match image.read(ppn, data, Cause::Host) {
            Ok(oob) => {
                *to.cast::<Spare>() = spare::encode(oob, ppn.0, *format);
                0
            }
            Err(error) => code(error),
        }
    }
}

unsafe extern "C" fn program(
    context: *mut c_void,
    block: u32,
    page: u32,
    data: *const u8,
    from: *const u8,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let Array { image, format } = of(context);
        let ppn = image.geometry().ppn(BlockId(block), page);
        let oob = spare::decode(&*from.cast::<Spare>(), ppn.0, *format).expect("a record of it");
        let data = (!data.is_null()).then(|| slice::from_raw_parts(data, BYTES));
        image.program(ppn, oob, data, Cause::Host).map_or_else(code, |()| 0)
    }
}

unsafe extern "C" fn erase(context: *mut c_void, block: u32) -> c_int {
    // SAFETY: as above.
    unsafe { of(context).image.erase(BlockId(block), Cause::Host).map_or_else(code, |()| 0) }
}

unsafe extern "C" fn is_bad(context: *mut c_void, block: u32) -> c_int {
    // SAFETY: as above.
    unsafe { of(context).image.is_bad(BlockId(block)).into() }
}

unsafe extern "C" fn mark_bad(context: *mut c_void, block: u32) -> c_int {
    // SAFETY: as above.
    unsafe { of(context).image.mark_bad(BlockId(block)).map_or_else(code, |()| 0) }
}

/// The library on an image.
struct Firmware {
    array: Box<Array>,
    arena: Vec<u8>,
    handle: *mut Handle,
}

impl Firmware {
    fn new(image: Image, scheme: &'static Scheme, fresh: bool) -> Self {
        let mut array = Box::new(Array { image, format: Format(0) });
        let part = part();
        let ns = |ns: u64| u32::try_from(ns).expect("a time of a part");
        let config = Config {
            scheme,
            driver: Driver {
                context: ptr::from_mut(&mut *array).cast(),
                read: Some(read),
                program: Some(program),
                erase: Some(erase),
                copy: None,
                is_bad: Some(is_bad),
                mark_bad: Some(mark_bad),
            },
            blocks: BLOCKS,
            pages_per_block: PAGES,
            page_bytes: BYTES as u32,
            spare_blocks: 0,
            pages: 0,
            read_ns: ns(part.t_r_ns),
            read_spare_ns: ns(part.t_r_oob_ns),
            program_ns: ns(part.t_prog_ns),
            erase_ns: ns(part.t_bers_ns),
            refresh_bits: 0,
        };
        // SAFETY: a scheme of the library.
        array.format = unsafe { format_of(&config) }.expect("a configuration");
        let (mut bytes, mut handle) = (0, ptr::null_mut());
        // SAFETY: a configuration, and an arena of as many bytes as it says.
        let arena = unsafe {
            assert_eq!(ftl_memory_needed(&raw const config, &raw mut bytes), 0);
            let mut arena = vec![0u8; bytes];
            let memory = arena.as_mut_ptr().cast();
            if fresh {
                assert_eq!(ftl_format(&raw const config, memory, bytes), 0);
            }
            assert_eq!(ftl_mount(&raw const config, memory, bytes, &raw mut handle), 0);
            arena
        };
        Self { array, arena, handle }
    }

    fn pages(&self) -> u32 {
        // SAFETY: a handle of a mount.
        unsafe { ftl_pages(self.handle) }
    }

    fn write(&mut self, lpn: u32, page: &[u8; BYTES]) {
        // SAFETY: a handle of a mount, and a page.
        assert_eq!(unsafe { ftl_write(self.handle, lpn, page.as_ptr().cast()) }, 0);
    }

    fn read(&mut self, lpn: u32) -> [u8; BYTES] {
        let mut page = [0; BYTES];
        // SAFETY: a handle of a mount, and a page.
        assert_eq!(unsafe { ftl_read(self.handle, lpn, page.as_mut_ptr().cast()) }, 0);
        page
    }
}

fn page_of(lpn: u32, version: u32) -> [u8; BYTES] {
    std::array::from_fn(|at| (lpn.wrapping_mul(31) + version.wrapping_mul(7) + at as u32) as u8)
}

fn random(state: &mut u64, below: u32) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) % u64::from(below)) as u32
}

fn served(path: &Path, name: &str) -> Box<AnyScheme> {
    let config = preset(name);
    let image = Image::open(path).expect("an image");
    ImageArray::new(&config, image).mount(&config).expect("what the firmware wrote")
}

#[test]
fn what_firmware_wrote_is_served_and_what_was_served_is_read_by_firmware() {
    for (name, scheme) in schemes() {
        let home: Folder = folder();
        let path = home.path().join("device.img");
        let geometry = Geometry::new(BLOCKS, PAGES, BYTES as u32).unwrap();
        let image = Image::create(&path, geometry, &Description::of_part(&part())).unwrap();
        let mut firmware = Firmware::new(image, scheme, true);
        let pages = firmware.pages();
        let (mut versions, mut state) = (vec![0; pages as usize], 9);
        let mut next = |step: u32| {
            let lpn = if step < pages { step } else { random(&mut state, pages) };
            versions[lpn as usize] = step + 1;
            (lpn, page_of(lpn, step + 1), versions.clone())
        };
        let mut wanted = Vec::new();
        for step in 0..3 * pages {
            let (lpn, page, now) = next(step);
            firmware.write(lpn, &page);
            wanted = now;
        }
        let (handle, mut sealed) = (firmware.handle, 0);
        // SAFETY: a handle of a mount. The map on flash is sealed.
        let done = unsafe { ftl_shutdown(handle, ptr::null_mut(), 0, &raw mut sealed) };
        assert_eq!((done, sealed), (0, (name == "lazy-rtgc-on-demand").into()), "{name}");
        let Firmware { array, arena, .. } = firmware;
        drop((array, arena));

        let mut device = served(&path, name);
        assert_eq!(device.logical_pages(), pages, "{name}");
        let mut found = [0; BYTES];
        for (lpn, version) in (0..).zip(&wanted) {
            assert!(device.read(Lpn(lpn), Some(&mut found)).unwrap(), "{name}: page {lpn}");
            assert_eq!(found, page_of(lpn, *version), "{name}: page {lpn}");
        }
        for step in 3 * pages..4 * pages {
            let (lpn, page, now) = next(step);
            device.write(Lpn(lpn), Some(&page)).unwrap();
            wanted = now;
        }
        device.flush().unwrap();
        drop(device);

        let mut firmware = Firmware::new(Image::open(&path).unwrap(), scheme, false);
        for (lpn, version) in (0..).zip(&wanted) {
            assert_eq!(firmware.read(lpn), page_of(lpn, *version), "{name}: page {lpn}");
        }
    }
}
