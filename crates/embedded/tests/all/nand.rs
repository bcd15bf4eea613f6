//! A NAND part in RAM behind the functions of a driver: pages in order, once, after an erase.

use ftlkit_embedded::api::{Config, ftl_restamp};
use ftlkit_embedded::bounds::Cost;
use ftlkit_embedded::driver::{
    Driver, FTL_NAND_ERASED, FTL_NAND_FAILED, FTL_NAND_STOP, FTL_NAND_UNCORRECTABLE, Stamp,
};
use ftlkit_embedded::scheme::{self, Scheme};
use std::ffi::{c_int, c_void};
use std::{ptr, slice};

/// Every scheme by its name.
pub(crate) fn schemes() -> [(&'static str, &'static Scheme); 5] {
    [
        ("page-level", &scheme::ftl_scheme_page_level),
        ("fsr", &scheme::ftl_scheme_fsr),
        ("lazy-rtgc", &scheme::ftl_scheme_lazy_rtgc),
        ("lazy-rtgc-on-demand", &scheme::ftl_scheme_lazy_rtgc_on_demand),
        ("gftl", &scheme::ftl_scheme_gftl),
    ]
}

/// Read, read of a spare area, program, erase, ns.
pub(crate) const TIMES: [u32; 4] = [29_000, 29_000, 220_900, 2_000_000];

/// The array. Its bytes stand in vectors that never grow: a driver takes no memory.
pub(crate) struct Nand {
    pub(crate) shape: [u32; 3],
    data: Vec<u8>,
    pub(crate) spare: Vec<u8>,
    /// Next page of each block that may be programmed.
    pub(crate) next: Vec<u32>,
    pub(crate) bad: Vec<bool>,
    pub(crate) torn: Vec<bool>,
    /// Pages whose bytes cannot be read, though their spare areas can.
    pub(crate) worn: Vec<bool>,
    pub(crate) counts: Cost,
    /// A rule that was broken.
    pub(crate) broken: Option<&'static str>,
    /// Every so many programs and copies fail, and every ninth erase; 0: none.
    pub(crate) fails_every: u64,
    /// A block whose erases fail, and its mark, too, unless `marks`.
    pub(crate) stuck: Option<u32>,
    pub(crate) marks: bool,
    /// Changes of the array until the power goes, and whether it is off.
    pub(crate) until: Option<u64>,
    pub(crate) off: bool,
    pub(crate) changes: u64,
    pub(crate) erases: u64,
    /// What the next call of any function returns instead of its work.
    pub(crate) says: Option<c_int>,
    /// Reads of each page with its bytes since its program, if they are counted: ECC corrects as many bits.
    pub(crate) wears: bool,
    reads: Vec<i32>,
}

impl Nand {
    pub(crate) fn new(shape: [u32; 3]) -> Box<Self> {
        let [blocks, pages, bytes] = shape.map(|it| it as usize);
        Box::new(Self {
            shape,
            data: vec![0xff; blocks * pages * bytes],
            spare: vec![0xff; blocks * pages * 16],
            next: vec![0; blocks],
            bad: vec![false; blocks],
            torn: vec![false; blocks * pages],
            worn: vec![false; blocks * pages],
            counts: Cost::default(),
            broken: None,
            fails_every: 0,
            stuck: None,
            marks: false,
            until: None,
            off: false,
            changes: 0,
            erases: 0,
            says: None,
            wears: false,
            reads: vec![0; blocks * pages],
        })
    }

    pub(crate) fn config(&mut self, scheme: &'static Scheme, copies: bool, spare: u32) -> Config {
        let copy = copies.then_some(copy as _);
        let driver = Driver {
            context: ptr::from_mut(self).cast(),
            read: Some(read),
            program: Some(program),
            erase: Some(erase),
            copy,
            is_bad: Some(is_bad),
            mark_bad: Some(mark_bad),
        };
        let [blocks, pages_per_block, page_bytes] = self.shape;
        let [read_ns, read_spare_ns, program_ns, erase_ns] = TIMES;
        Config {
            scheme,
            driver,
            blocks,
            pages_per_block,
            page_bytes,
            spare_blocks: spare,
            pages: 0,
            read_ns,
            read_spare_ns,
            program_ns,
            erase_ns,
            refresh_bits: 0,
        }
    }

    fn at(&self, block: u32, page: u32) -> usize {
        (block * self.shape[1] + page) as usize
    }

    /// True if the power is off. If it goes off now, the pages `from..pages` of the block are torn, and it has `pages` pages.
    fn is_off(&mut self, block: u32, from: u32, pages: u32) -> bool {
        match &mut self.until {
            _ if self.off => return true,
            None => return false,
            Some(0) => self.off = true,
            Some(n) => {
                *n -= 1;
                return false;
            }
        }
        // A program that breaks the order programs nothing; an erase tears all.
        if pages > from + 1 || from == self.next[block as usize] {
            self.next[block as usize] = pages;
            for page in from..pages {
                let at = self.at(block, page);
                self.torn[at] = true;
            }
        }
        true
    }

    fn fails(&mut self) -> bool {
        self.changes += 1;
        self.fails_every > 0 && self.changes.is_multiple_of(self.fails_every)
    }

    fn readable(&self, block: u32, page: u32) -> c_int {
        match () {
            () if page >= self.next[block as usize] => FTL_NAND_ERASED,
            () if self.torn[self.at(block, page)] => FTL_NAND_UNCORRECTABLE,
            () => 0,
        }
    }

    fn use_page(&mut self, block: u32, page: u32, data: Option<&[u8]>, spare: &[u8]) -> c_int {
        if self.bad[block as usize] || page != self.next[block as usize] {
            self.broken = Some("a program of a bad block, or out of order");
            return FTL_NAND_STOP;
        }
        let (at, bytes) = (self.at(block, page), self.shape[2] as usize);
        let fails = self.fails();
        self.next[block as usize] += 1;
        self.torn[at] = fails;
        self.worn[at] = false;
        self.reads[at] = 0;
        if let Some(data) = data {
            self.data[at * bytes..][..bytes].copy_from_slice(data);
        }
        self.spare[at * 16..][..16].copy_from_slice(spare);
        if fails { FTL_NAND_FAILED } else { 0 }
    }
}

/// # Safety
/// `context` is the array of a test, which nobody else uses meanwhile.
unsafe fn of<'a>(context: *mut c_void) -> &'a mut Nand {
    // SAFETY: as above.
    unsafe { &mut *context.cast::<Nand>() }
}

unsafe extern "C" fn read(
    context: *mut c_void,
    block: u32,
    page: u32,
    data: *mut u8,
    spare: *mut u8,
) -> c_int {
    // SAFETY: the library passes what it was given, and buffers of a page and of a spare area.
    unsafe {
        let nand = of(context);
        if let Some(code) = nand.says.take() {
            return code;
        }
        let (cost, ns) = if data.is_null() {
            (&mut nand.counts.spare_reads, TIMES[1])
        } else {
            (&mut nand.counts.reads, TIMES[0])
        };
        *cost += 1;
        nand.counts.time_ns += u64::from(ns);
        let mut state = nand.readable(block, page);
        if state == 0 && !data.is_null() && nand.worn[nand.at(block, page)] {
            state = FTL_NAND_UNCORRECTABLE;
        }
        if state == 0 {
            let (at, bytes) = (nand.at(block, page), nand.shape[2] as usize);
            if !data.is_null() {
                slice::from_raw_parts_mut(data, bytes)
                    .copy_from_slice(&nand.data[at * bytes..][..bytes]);
            }
            slice::from_raw_parts_mut(spare, 16).copy_from_slice(&nand.spare[at * 16..][..16]);
            if nand.wears && !data.is_null() {
                nand.reads[at] += 1;
                return nand.reads[at];
            }
        }
        state
    }
}

unsafe extern "C" fn program(
    context: *mut c_void,
    block: u32,
    page: u32,
    data: *const u8,
    spare: *const u8,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let nand = of(context);
        if let Some(code) = nand.says.take() {
            return code;
        }
        if nand.is_off(block, page, page + 1) {
            return FTL_NAND_STOP;
        }
        nand.counts.programs += 1;
        nand.counts.time_ns += u64::from(TIMES[2]);
        let bytes = nand.shape[2] as usize;
        let data = (!data.is_null()).then(|| slice::from_raw_parts(data, bytes));
        nand.use_page(block, page, data, slice::from_raw_parts(spare, 16))
    }
}

unsafe extern "C" fn erase(context: *mut c_void, block: u32) -> c_int {
    // SAFETY: as above.
    unsafe {
        let nand = of(context);
        if let Some(code) = nand.says.take() {
            return code;
        }
        if nand.is_off(block, 0, nand.shape[1]) {
            return FTL_NAND_STOP;
        }
        nand.counts.erases += 1;
        nand.counts.time_ns += u64::from(TIMES[3]);
        if nand.bad[block as usize] {
            nand.broken = Some("an erase of a bad block");
            return FTL_NAND_STOP;
        }
        nand.erases += 1;
        if nand.stuck == Some(block) {
            return FTL_NAND_FAILED;
        }
        if nand.fails_every > 0 && nand.erases.is_multiple_of(9) {
            return FTL_NAND_FAILED;
        }
        nand.next[block as usize] = 0;
        0
    }
}

unsafe extern "C" fn copy(
    context: *mut c_void,
    from_block: u32,
    from_page: u32,
    to_block: u32,
    to_page: u32,
    stamp: *const Stamp,
    spare: *mut u8,
) -> c_int {
    // SAFETY: as above.
    unsafe {
        let nand = of(context);
        if let Some(code) = nand.says.take() {
            return code;
        }
        if nand.is_off(to_block, to_page, to_page + 1) {
            return FTL_NAND_STOP;
        }
        nand.counts.copies += 1;
        nand.counts.time_ns += u64::from(TIMES[0] + TIMES[2]);
        let state = nand.readable(from_block, from_page);
        if state != 0 {
            return state;
        }
        let (from, bytes) = (nand.at(from_block, from_page), nand.shape[2] as usize);
        if nand.worn[from] {
            return FTL_NAND_UNCORRECTABLE;
        }
        slice::from_raw_parts_mut(spare, 16).copy_from_slice(&nand.spare[from * 16..][..16]);
        let stamped = ftl_restamp(stamp, spare);
        if stamped != 0 {
            return stamped;
        }
        let to = nand.at(to_block, to_page);
        let done = nand.use_page(to_block, to_page, None, slice::from_raw_parts(spare, 16));
        nand.data.copy_within(from * bytes..(from + 1) * bytes, to * bytes);
        done
    }
}

unsafe extern "C" fn is_bad(context: *mut c_void, block: u32) -> c_int {
    // SAFETY: as above.
    let nand = unsafe { of(context) };
    nand.says.take().unwrap_or_else(|| nand.bad[block as usize].into())
}

unsafe extern "C" fn mark_bad(context: *mut c_void, block: u32) -> c_int {
    // SAFETY: as above.
    let nand = unsafe { of(context) };
    if nand.stuck == Some(block) && !nand.marks {
        return FTL_NAND_FAILED;
    }
    nand.bad[block as usize] = true;
    0
}
