//! The driver of an array: functions of C.

use core::ffi::{c_int, c_void};

/// A read: the page is erased.
pub const FTL_NAND_ERASED: c_int = -1;
/// A read or a copy: more bit errors than ECC corrects, or a page that a power cut tore.
pub const FTL_NAND_UNCORRECTABLE: c_int = -2;
/// A program, a copy or an erase: the part reported that it failed.
pub const FTL_NAND_FAILED: c_int = -3;
/// Any: nothing can be done any more. The instance ends.
pub const FTL_NAND_STOP: c_int = -4;

/// Bytes of the spare area of a page that are the library's.
pub const FTL_SPARE_BYTES: usize = 16;

/// For [`Driver::copy`]: what becomes of the spare area.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// Page that is copied, and page that is programmed: block × pages per block + page.
    pub from: u32,
    /// As `from`.
    pub to: u32,
    /// Number that the copy carries; all ones: that of the original.
    pub seq: u64,
    /// Logical pages, and pages of the map, that the array may hold.
    pub limits: [u32; 3],
}

/// The functions of a driver. Each gets `context`. `ftlkit.h` has the contract.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Driver {
    /// Passed on to each function.
    pub context: *mut c_void,
    /// Reads a page, and its spare area; without `data` the spare area alone. Returns the bits that ECC corrected.
    pub read: Option<
        unsafe extern "C" fn(
            *mut c_void,
            block: u32,
            page: u32,
            data: *mut u8,
            spare: *mut u8,
        ) -> c_int,
    >,
    /// Programs a page and its spare area; without `data` the page's bytes are arbitrary.
    pub program: Option<
        unsafe extern "C" fn(
            *mut c_void,
            block: u32,
            page: u32,
            data: *const u8,
            spare: *const u8,
        ) -> c_int,
    >,
    /// Erases a block.
    pub erase: Option<unsafe extern "C" fn(*mut c_void, block: u32) -> c_int>,
    /// Copies a page within the part; may be missing. Returns the bits that ECC corrected.
    pub copy: Option<
        unsafe extern "C" fn(
            *mut c_void,
            from_block: u32,
            from_page: u32,
            to_block: u32,
            to_page: u32,
            stamp: *const Stamp,
            spare: *mut u8,
        ) -> c_int,
    >,
    /// 1 if a block is marked bad, else 0.
    pub is_bad: Option<unsafe extern "C" fn(*mut c_void, block: u32) -> c_int>,
    /// Marks a block bad for good.
    pub mark_bad: Option<unsafe extern "C" fn(*mut c_void, block: u32) -> c_int>,
}
