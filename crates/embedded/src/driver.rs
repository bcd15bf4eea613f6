//! The driver of an array: functions of C.

use core::ffi::{c_int, c_void};

/// A read or a copy: the page is erased.
pub const FTL_NAND_ERASED: c_int = -1;
/// A read or a copy: more bit errors than ECC corrects, or a page that a power cut tore.
pub const FTL_NAND_UNCORRECTABLE: c_int = -2;
/// A program, a copy or an erase: the part reported that it failed.
pub const FTL_NAND_FAILED: c_int = -3;
/// Any: nothing can be done any more. The instance ends.
pub const FTL_NAND_STOP: c_int = -4;

/// Bytes of the spare area of a page that are the library's, wherever in it the driver keeps them.
pub const FTL_SPARE_BYTES: usize = 16;

/// What becomes of the spare area of a page that the driver copies: pass it on to `ftl_restamp`.
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
    /// What a mount must have in common with the format.
    pub format: u32,
}

/// A driver: what its functions do, and return.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Driver {
    /// Passed on to each function.
    pub context: *mut c_void,
    /// Reads a page: its bytes to `data` (NULL: they are not needed), the library's [`FTL_SPARE_BYTES`] bytes of its
    /// spare area to `spare`. Returns the number of bits that ECC corrected, or [`FTL_NAND_ERASED`], [`FTL_NAND_UNCORRECTABLE`],
    /// [`FTL_NAND_STOP`]. A page that was never programmed since the erase of its block is erased; so is one whose spare area
    /// reads as all ones.
    pub read: Option<
        unsafe extern "C" fn(
            *mut c_void,
            block: u32,
            page: u32,
            data: *mut u8,
            spare: *mut u8,
        ) -> c_int,
    >,
    /// Programs the page from `data` (NULL: any bytes), and the library's bytes of its spare area from `spare`. Returns 0, [`FTL_NAND_FAILED`] or
    /// [`FTL_NAND_STOP`]. The library programs the pages of a block in order, each once after an erase of the block.
    pub program: Option<
        unsafe extern "C" fn(
            *mut c_void,
            block: u32,
            page: u32,
            data: *const u8,
            spare: *const u8,
        ) -> c_int,
    >,
    /// Erases the block. Returns 0, [`FTL_NAND_FAILED`] or [`FTL_NAND_STOP`].
    pub erase: Option<unsafe extern "C" fn(*mut c_void, block: u32) -> c_int>,
    /// May be NULL: then a copy is a read and a program. Otherwise: reads the page to the part's register and its spare area to
    /// `spare`; calls `ftl_restamp(stamp, spare)`, and returns what that returns if it is not 0; programs the register, with
    /// `spare` as its spare area, at the other page. Returns the number of bits that ECC corrected, or
    /// [`FTL_NAND_ERASED`], [`FTL_NAND_UNCORRECTABLE`] (the read), [`FTL_NAND_FAILED`] (the program), [`FTL_NAND_STOP`].
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
    /// Returns 1 if the block is marked bad, by the factory or by `mark_bad`; 0 if not; or [`FTL_NAND_STOP`]. Asked once per block
    /// and mount.
    pub is_bad: Option<unsafe extern "C" fn(*mut c_void, block: u32) -> c_int>,
    /// Marks the block bad for good. Returns 0, [`FTL_NAND_FAILED`] (no mark could be written) or [`FTL_NAND_STOP`].
    pub mark_bad: Option<unsafe extern "C" fn(*mut c_void, block: u32) -> c_int>,
}
