//! The functions of the C library. `ftlkit.h` says what each does.

use crate::arena::Arena;
use crate::array::{DriverArray, limits};
use crate::bounds::{Bounds, Cost, Times};
use crate::driver::{Driver, FTL_NAND_ERASED, FTL_NAND_UNCORRECTABLE, FTL_SPARE_BYTES, Stamp};
use crate::error::{self, *};
use crate::memory;
use crate::refresh::Refresh;
use crate::scheme::{Instance, Scheme};
use crate::spare::{self, Format, NoRecord, Spare};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use core::ffi::{c_char, c_int, c_void};
use core::{ptr, slice};
use flash::{FlashError, Geometry, Lpn, Oob, Part, parts};
use ftl::firmware::Options;
use ftl::{FtlError, Plan, Start};

/// An array, and how it is used. Mount with the configuration of the format.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// One of the schemes.
    pub scheme: *const Scheme,
    /// The driver; copied.
    pub driver: Driver,
    /// Blocks of the array, 3 or more.
    pub blocks: u32,
    /// Pages of a block, 2 to 1048576.
    pub pages_per_block: u32,
    /// Bytes of a page without its spare area, 2 to 1048576.
    pub page_bytes: u32,
    /// Blocks set aside to replace bad ones.
    pub spare_blocks: u32,
    /// Logical pages; 0: as many as the bound allows, which follows from the times too. A mount must have as many as the format.
    pub pages: u32,
    /// Longest read of a page, with its transfer, ns.
    pub read_ns: u32,
    /// Longest read of a spare area, ns.
    pub read_spare_ns: u32,
    /// Longest program, with its transfer, ns.
    pub program_ns: u32,
    /// Longest erase, ns.
    pub erase_ns: u32,
    /// Corrected bits from which on a page that was read is written again in idle time; 0: never.
    pub refresh_bits: u32,
}

/// What happened since the mount.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// Calls of `ftl_read`.
    pub reads: u64,
    /// Calls of `ftl_write`.
    pub writes: u64,
    /// Calls of `ftl_trim`.
    pub trims: u64,
    /// Operations of the driver since the mount.
    pub total: Cost,
    /// Operations of the mount itself.
    pub mount: Cost,
    /// The most of each in one read.
    pub worst_read: Cost,
    /// The most of each in one write.
    pub worst_write: Cost,
    /// The most of each in one trim.
    pub worst_trim: Cost,
    /// The most of each in one sync.
    pub worst_sync: Cost,
    /// The most of each in one step in idle time.
    pub worst_idle_step: Cost,
    /// Bits that ECC corrected.
    pub corrected_bits: u64,
    /// Pages that idle time wrote again.
    pub refreshed: u64,
    /// Pages that wait for it: 16 at most, another one is noted at its next read.
    pub refresh_waiting: u64,
    /// Pages that can be programmed without an erase.
    pub free_pages: u64,
    /// Pages that the mount and collection found lost: their only copy could not be read. Those that `ftl_read` found are not among them.
    pub lost_pages: u64,
    /// Calls of `ftl_read` that returned [`FTL_E_UNREADABLE`].
    pub unreadable_reads: u64,
    /// Reads and copies of the mount that found a programmed page unreadable, torn ones of power cuts among them; a page may count more than
    /// once. 0: none of the pages that the mount looked at was. Otherwise pages may be lost whose logical page is not known.
    pub mount_unreadable: u64,
    /// Blocks that went bad.
    pub retired_blocks: u64,
    /// Bytes of the arena that the instance keeps, from its start on.
    pub arena_kept: u64,
    /// Bytes of the arena that the mount needed at most.
    pub arena_peak: u64,
}

/// A mounted instance, at the start of its arena.
#[derive(Debug)]
pub struct Handle {
    /// Tells a handle from other memory, and an instance that has ended.
    magic: u32,
    pages: u32,
    page_bytes: u32,
    shutdown_bytes: usize,
    instance: Option<Box<dyn Instance>>,
    arena: Arena,
    stats: Stats,
    refresh: Refresh,
    front: usize,
}

impl core::fmt::Debug for dyn Instance {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Instance")
    }
}

const MAGIC: u32 = u32::from_le_bytes(*b"ftlk");

/// Bytes of the handle, with the arena's own rounding.
const HANDLE_BYTES: usize = size_of::<Handle>().next_multiple_of(64) + 128;

/// A configuration that was checked.
struct Checked<'a> {
    config: &'a Config,
    scheme: &'a Scheme,
    geometry: Geometry,
    part: Part,
    options: Options,
}

impl<'a> Checked<'a> {
    /// # Safety
    /// `config` is null or a configuration.
    unsafe fn new(config: *const Config) -> Result<Self, c_int> {
        // SAFETY: as above.
        let config = unsafe { config.as_ref::<'a>() }.ok_or(FTL_E_ARGUMENT)?;
        // SAFETY: null, or one of the schemes.
        let scheme = unsafe { config.scheme.as_ref::<'a>() }.ok_or(FTL_E_ARGUMENT)?;
        let Config { blocks, pages_per_block, page_bytes, .. } = *config;
        let most = 1 << 20;
        if !(2..=most).contains(&pages_per_block) || !(2..=most).contains(&page_bytes) || blocks < 3
        {
            return Err(FTL_E_SHAPE);
        }
        let geometry =
            Geometry::new(blocks, pages_per_block, page_bytes).map_err(|_| FTL_E_SHAPE)?;
        let times = [config.read_ns, config.read_spare_ns, config.program_ns, config.erase_ns];
        if times.contains(&0) {
            return Err(FTL_E_TIMES);
        }
        let [t_r_ns, t_r_oob_ns, t_prog_ns, t_bers_ns] = times.map(u64::from);
        let part = Part {
            // Errors of bounds carry it, and a name would take memory.
            name: Cow::Borrowed(""),
            page_bytes,
            oob_bytes: FTL_SPARE_BYTES as u32,
            pages_per_block,
            capacity_bytes: geometry.capacity_bytes(),
            t_r_ns,
            t_r_oob_ns,
            t_prog_ns,
            t_bers_ns,
            ..parts::EVALUATION_SLC.clone()
        };
        let logical_pages = Some(config.pages).filter(|pages| *pages > 0);
        let options = Options { logical_pages, spare_blocks: config.spare_blocks };
        Ok(Self { config, scheme, geometry, part, options })
    }

    fn plan(&self, good: u32) -> Result<Plan, c_int> {
        (self.scheme.plan)(&self.options, &self.part, &self.geometry, good)
            .map_err(|error| error::code(&error, FTL_OK))
    }

    /// The plan of an array without bad blocks: its sizes and bounds are those of any.
    fn planned(&self) -> Result<Plan, c_int> {
        let plan = self.plan(self.geometry.blocks())?;
        self.needed(&plan)?;
        Ok(plan)
    }

    fn needed(&self, plan: &Plan) -> Result<usize, c_int> {
        let refresh =
            if self.config.refresh_bits > 0 { u64::from(self.config.page_bytes) + 64 } else { 0 };
        let instance = memory::needed(plan, &self.geometry, self.scheme.bytes as u64);
        memory::here(HANDLE_BYTES as u64 + refresh + instance)
    }

    #[inline(never)]
    fn bounds(&self, plan: &Plan) -> Bounds {
        let copies = self.config.driver.copy.is_some();
        let refreshes = self.config.refresh_bits > 0;
        Bounds::of(plan, &self.part, self.geometry.blocks(), copies, refreshes)
    }

    fn refresh(&self, plan: &Plan) -> Refresh {
        let Bounds { read, write, .. } = self.bounds(plan);
        let step_ns = read.time_ns.saturating_add(write.time_ns);
        Refresh::new(self.config.refresh_bits, step_ns, self.config.page_bytes)
    }

    #[inline(never)]
    fn format(&self, plan: &Plan) -> Format {
        Format::of(self.scheme.name, plan, &self.geometry, self.config.spare_blocks)
    }

    fn start(&self, planned: &Plan, start: Start) -> Result<(Box<dyn Instance>, Plan), c_int> {
        let driver = &self.config.driver;
        let there = [driver.read.is_some(), driver.program.is_some(), driver.erase.is_some()];
        let there = there.into_iter().all(|there| there);
        if !there || driver.is_bad.is_none() || driver.mark_bad.is_none() {
            return Err(FTL_E_ARGUMENT);
        }
        let times = Times::of(&self.part);
        let mut array = DriverArray::new(
            *driver,
            self.geometry,
            self.part.clone(),
            times,
            self.format(planned),
        )?;
        let (blocks, mut good) = (self.geometry.blocks(), array.good_blocks());
        if start == Start::Mount {
            array.check_format()?;
            // An answer the wrong way round: the blocks that are good by it are the bad ones, at most as many as are spare.
            if good <= self.config.spare_blocks {
                return Err(FTL_E_SPARE);
            }
            // A worn array may have more bad blocks than spare ones, and is read nevertheless.
            good = good.max(blocks.saturating_sub(self.config.spare_blocks));
        }
        let plan = self.plan(good)?;
        let per_page = (self.geometry.page_bytes() / 4).max(1);
        // Pages beside data and map are those of an image, numbered from 0 on.
        let others = self.geometry.pages();
        array.set_limits(limits(plan.logical_pages, plan.logical_pages.div_ceil(per_page), others));
        // A driver that ends the instance ends the array; the scheme hands no array back, so the driver is asked again.
        match (self.scheme.start)(&self.options, &plan, array, start) {
            // A format marks blocks alone whose erase failed: what is in this one is old.
            Ok(instance) if start == Start::Format && instance.array().lacks_mark => {
                Err(FTL_E_NOT_ERASED)
            }
            Ok(instance) => Ok((instance, plan)),
            Err(FtlError::Flash(FlashError::PowerOff)) => Err(FTL_E_STOPPED),
            Err(error) => Err(error::code(&error, FTL_OK)),
        }
    }
}

/// What the checks of pages in spare areas are of, beside the page: to read an array that the library wrote without it.
///
/// # Errors
/// A code: the configuration cannot be.
///
/// # Safety
/// The scheme of `config` is one of the library's.
pub unsafe fn format_of(config: &Config) -> Result<Format, c_int> {
    // SAFETY: as the caller says.
    let checked = unsafe { Checked::new(config) }?;
    Ok(checked.format(&checked.planned()?))
}

fn code_of(done: Result<c_int, c_int>) -> c_int {
    done.unwrap_or_else(|code| code)
}

/// Runs `work` with the arena as its memory.
#[cfg(feature = "firmware")]
fn in_arena<T>(arena: &mut Arena, work: impl FnOnce() -> T) -> Result<T, c_int> {
    crate::firmware::with(arena, work).ok_or(FTL_E_BUSY)
}

/// Without an allocator of its own the library's memory is the program's.
#[cfg(not(feature = "firmware"))]
fn in_arena<T>(_: &mut Arena, work: impl FnOnce() -> T) -> Result<T, c_int> {
    Ok(work())
}

/// Splits an arena: the handle's place, and the rest.
///
/// # Safety
/// `arena` is `bytes` bytes of the library's.
unsafe fn split(
    arena: *mut c_void,
    bytes: usize,
    needed: usize,
) -> Result<(*mut Handle, Arena), c_int> {
    if arena.is_null() {
        return Err(FTL_E_ARGUMENT);
    }
    if bytes < needed {
        return Err(FTL_E_MEMORY);
    }
    let front = (arena as usize).next_multiple_of(64) - arena as usize;
    let rest = front + size_of::<Handle>().next_multiple_of(64);
    // SAFETY: `needed` covers the handle and its alignment.
    let (handle, memory) = unsafe { (arena.byte_add(front), arena.byte_add(rest)) };
    // SAFETY: as above.
    Ok((handle.cast(), unsafe { Arena::new(memory.cast(), bytes - rest) }))
}

/// The text of what a function returned.
#[unsafe(no_mangle)]
pub extern "C" fn ftl_error_text(code: c_int) -> *const c_char {
    error::text(code).as_ptr()
}

/// Bytes of an arena for `ftl_format` and `ftl_mount`, of any alignment.
///
/// # Safety
/// `config` is null or a configuration, `bytes` null or a place for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftl_memory_needed(config: *const Config, bytes: *mut usize) -> c_int {
    let run = || {
        // SAFETY: as the caller says.
        let checked = unsafe { Checked::new(config) }?;
        let plan = checked.planned()?;
        // SAFETY: as the caller says.
        *unsafe { bytes.as_mut() }.ok_or(FTL_E_ARGUMENT)? = checked.needed(&plan)?;
        Ok(FTL_OK)
    };
    code_of(run())
}

/// Bytes of scratch memory for `ftl_shutdown`; 0 where it needs none.
///
/// # Safety
/// `config` is null or a configuration, `bytes` null or a place for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftl_shutdown_memory(config: *const Config, bytes: *mut usize) -> c_int {
    let run = || {
        // SAFETY: as the caller says.
        let checked = unsafe { Checked::new(config) }?;
        let plan = checked.planned()?;
        let needed = memory::here(memory::shutdown(&plan, &checked.geometry))?;
        // SAFETY: as the caller says.
        *unsafe { bytes.as_mut() }.ok_or(FTL_E_ARGUMENT)? = needed;
        Ok(FTL_OK)
    };
    code_of(run())
}

/// What each call costs at most.
///
/// # Safety
/// `config` is null or a configuration, `bounds` null or a place for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftl_bounds(config: *const Config, bounds: *mut Bounds) -> c_int {
    let run = || {
        // SAFETY: as the caller says.
        let checked = unsafe { Checked::new(config) }?;
        let plan = checked.planned()?;
        // SAFETY: as the caller says.
        *unsafe { bounds.as_mut() }.ok_or(FTL_E_ARGUMENT)? = checked.bounds(&plan);
        Ok(FTL_OK)
    };
    code_of(run())
}

/// Erases all that is written. The arena is free again afterwards. Returns [`FTL_E_NOT_ERASED`] if a block could neither be erased nor
/// be marked bad.
///
/// # Safety
/// `config` is null or a configuration whose driver may be called; `arena` is null or `bytes` bytes of the library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftl_format(
    config: *const Config,
    arena: *mut c_void,
    bytes: usize,
) -> c_int {
    let run = || {
        // SAFETY: as the caller says.
        let checked = unsafe { Checked::new(config) }?;
        let plan = checked.planned()?;
        // SAFETY: as the caller says.
        let (_, mut memory) = unsafe { split(arena, bytes, checked.needed(&plan)?) }?;
        in_arena(&mut memory, || checked.start(&plan, Start::Format).map(|_| FTL_OK))?
    };
    code_of(run())
}

/// Mounts an array, after `ftl_shutdown` or a power cut. The arena is the instance's until its end. [`FTL_E_FORMAT`] and [`FTL_E_SPARE`] come
/// before anything is programmed or erased, in this order.
///
/// # Safety
/// As [`ftl_format`]; `out` is null or a place for the handle. The arena is the library's until the instance ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftl_mount(
    config: *const Config,
    arena: *mut c_void,
    bytes: usize,
    out: *mut *mut Handle,
) -> c_int {
    let run = || {
        // SAFETY: as the caller says.
        let out = unsafe { out.as_mut() }.ok_or(FTL_E_ARGUMENT)?;
        *out = ptr::null_mut();
        // SAFETY: as the caller says.
        let checked = unsafe { Checked::new(config) }?;
        let plan = checked.planned()?;
        // SAFETY: as the caller says.
        let (handle, mut memory) = unsafe { split(arena, bytes, checked.needed(&plan)?) }?;
        let shutdown_bytes = memory::here(memory::shutdown(&plan, &checked.geometry))?;
        let front = memory_front(handle, arena);
        let ((mut instance, plan), refresh) = in_arena(&mut memory, || {
            checked.start(&plan, Start::Mount).map(|started| (started, checked.refresh(&plan)))
        })??;
        let array = instance.array_mut();
        let (mount, mount_unreadable) = (core::mem::take(&mut array.total), array.unreadable);
        array.call = Cost::default();
        let made = Handle {
            magic: MAGIC,
            pages: plan.logical_pages,
            page_bytes: checked.geometry.page_bytes(),
            shutdown_bytes,
            instance: Some(instance),
            arena: memory,
            stats: Stats { mount, mount_unreadable, ..Stats::default() },
            refresh,
            front,
        };
        // SAFETY: `split` has made sure of the place and its alignment.
        unsafe { handle.write(made) };
        *out = handle;
        Ok(FTL_OK)
    };
    code_of(run())
}

/// Bytes from the start of the arena to the end of the handle.
fn memory_front(handle: *mut Handle, arena: *mut c_void) -> usize {
    handle as usize - arena as usize + size_of::<Handle>().next_multiple_of(64)
}

/// What a call does with a mounted instance.
///
/// # Safety
/// `handle` is null or what a mount gave.
unsafe fn call(
    handle: *mut Handle,
    work: impl FnOnce(&mut dyn Instance, &mut Stats, &mut Refresh, u32) -> Result<c_int, FtlError>,
) -> c_int {
    // SAFETY: as the caller says.
    let Some(handle) = (unsafe { handle.as_mut() }) else { return FTL_E_ARGUMENT };
    let Handle { magic: MAGIC, instance: Some(instance), .. } = handle else { return FTL_E_HANDLE };
    let array = instance.array_mut();
    if array.fault != FTL_OK {
        return array.fault;
    }
    (array.call, array.bits_for_host) = (Cost::default(), 0);
    match work(&mut **instance, &mut handle.stats, &mut handle.refresh, handle.page_bytes) {
        Ok(code) => code,
        Err(error) => {
            let lost_track = instance.has_lost_track();
            let array = instance.array_mut();
            let lasting = matches!(
                &error,
                FtlError::Flash(error) if !matches!(error, FlashError::Uncorrectable(_))
            );
            if array.fault == FTL_OK && lost_track {
                array.fault = FTL_E_LOST_TRACK;
            } else if array.fault == FTL_OK && lasting {
                // A rule of NAND was broken: what the driver told was not so.
                array.fault = FTL_E_DRIVER;
            }
            error::code(&error, array.fault)
        }
    }
}

/// Logical pages of an instance, each of the configuration's `page_bytes`; 0 if there is none.
///
/// # Safety
/// `handle` is null or what a mount gave.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftl_pages(handle: *const Handle) -> u32 {
    // SAFETY: as the caller says.
    unsafe { handle.as_ref() }
        .filter(|handle| handle.magic == MAGIC)
        .map_or(0, |handle| handle.pages)
}

/// Reads a page. One that was never written, or was trimmed, reads as zeros; after a mount a trimmed page may have its old bytes. One that the
/// driver cannot correct is [`FTL_E_UNREADABLE`] until it is written; if its spare area cannot be read either, until the next mount.
///
/// # Safety
/// `handle` is null or what a mount gave, `data` null or a page.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftl_read(handle: *mut Handle, page: u32, data: *mut c_void) -> c_int {
    if data.is_null() {
        return FTL_E_ARGUMENT;
    }
    // SAFETY: as the caller says.
    unsafe {
        call(handle, |instance, stats, refresh, bytes| {
            let data = slice::from_raw_parts_mut(data.cast::<u8>(), bytes as usize);
            let done = instance.read(Lpn(page), data);
            stats.reads += 1;
            stats.worst_read.cover(&instance.array().call);
            let lost = matches!(done, Err(FtlError::Flash(FlashError::Uncorrectable(_))));
            stats.unreadable_reads += u64::from(lost);
            if done.is_ok() {
                refresh.read(page, instance.array().bits_for_host);
            }
            done.map(|_| FTL_OK)
        })
    }
}

/// Writes a page.
///
/// # Safety
/// `handle` is null or what a mount gave, `data` null or a page.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftl_write(handle: *mut Handle, page: u32, data: *const c_void) -> c_int {
    if data.is_null() {
        return FTL_E_ARGUMENT;
    }
    // SAFETY: as the caller says.
    unsafe {
        call(handle, |instance, stats, refresh, bytes| {
            let data = slice::from_raw_parts(data.cast::<u8>(), bytes as usize);
            let done = instance.write(Lpn(page), data);
            refresh.changed(page);
            stats.writes += 1;
            stats.worst_write.cover(&instance.array().call);
            done.map(|()| FTL_OK)
        })
    }
}

/// Forgets a page, so that it costs no copies.
///
/// # Safety
/// `handle` is null or what a mount gave.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftl_trim(handle: *mut Handle, page: u32) -> c_int {
    // SAFETY: as the caller says.
    unsafe {
        call(handle, |instance, stats, refresh, _| {
            let done = instance.trim(Lpn(page));
            refresh.changed(page);
            stats.trims += 1;
            stats.worst_trim.cover(&instance.array().call);
            done.map(|()| FTL_OK)
        })
    }
}

/// Makes what was written durable. Of `ftl_scheme_gftl` only: with the others a write is durable when it returns.
///
/// # Safety
/// `handle` is null or what a mount gave.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftl_sync(handle: *mut Handle) -> c_int {
    // SAFETY: as the caller says.
    unsafe {
        call(handle, |instance, stats, _, _| {
            let done = instance.flush();
            stats.worst_sync.cover(&instance.array().call);
            done.map(|()| FTL_OK)
        })
    }
}

/// Collects in idle time, in steps, for at most `budget_ns` by the times of the configuration, and first writes the pages again that
/// wait for it. Returns [`FTL_OK`] if there is nothing to do, [`FTL_MORE`] if the next step may not fit. Whether there is a next step is not
/// known before there is time for it: with a budget below `idle_step.time_ns` of `ftl_bounds` it may return [`FTL_MORE`] each time. One of as
/// much, again and again, ends with [`FTL_OK`].
///
/// # Safety
/// `handle` is null or what a mount gave.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftl_idle(handle: *mut Handle, budget_ns: u64) -> c_int {
    // SAFETY: as the caller says.
    unsafe {
        call(handle, |instance, stats, refresh, _| {
            let mut left_ns = budget_ns;
            loop {
                let refreshes = refresh.waiting() > 0 && refresh.step_ns <= left_ns;
                if !refreshes && instance.idle_ns() > left_ns {
                    return Ok(FTL_MORE);
                }
                instance.array_mut().call = Cost::default();
                let worked = if refreshes { refresh.step(instance)? } else { instance.idle()? };
                stats.refreshed += u64::from(refreshes && worked);
                let call = instance.array().call;
                stats.worst_idle_step.cover(&call);
                left_ns = left_ns.saturating_sub(call.time_ns);
                if !refreshes && (!worked || call.time_ns == 0) {
                    return Ok(if refresh.waiting() > 0 { FTL_MORE } else { FTL_OK });
                }
            }
        })
    }
}

/// Makes all durable and ends the instance. `ftl_scheme_lazy_rtgc_on_demand` writes its map, and with scratch memory
/// `ftl_scheme_gftl` does. `sealed` may be NULL: it is set to 1 if they did, and the next mount is within `clean_mount`; else to 0. The
/// instance ends whatever is returned, but for [`FTL_E_MEMORY`] (`bytes` below `ftl_shutdown_memory`) and [`FTL_E_BUSY`]: then it goes on.
///
/// # Safety
/// `handle` is null or what a mount gave; `scratch` is null or `bytes` bytes of the library's; `sealed` is null or a place.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftl_shutdown(
    handle: *mut Handle,
    scratch: *mut c_void,
    bytes: usize,
    sealed: *mut u32,
) -> c_int {
    // SAFETY: as the caller says.
    let mut sealed = unsafe { sealed.as_mut() };
    if let Some(sealed) = &mut sealed {
        **sealed = 0;
    }
    // SAFETY: as the caller says.
    let needed = match unsafe { handle.as_ref() } {
        Some(Handle { magic: MAGIC, shutdown_bytes, .. }) => *shutdown_bytes,
        Some(_) => return FTL_E_HANDLE,
        None => return FTL_E_ARGUMENT,
    };
    // Where it takes no memory the map is written in any case.
    let saves = needed > 0 && !scratch.is_null();
    let flushes = needed > 0 && scratch.is_null();
    if saves && bytes < needed {
        return FTL_E_MEMORY;
    }
    // SAFETY: as the caller says.
    let mut memory = unsafe { Arena::new(scratch.cast(), if saves { bytes } else { 0 }) };
    // SAFETY: as the caller says.
    let done = unsafe {
        call(handle, |instance, _, _, _| {
            if flushes {
                return instance.flush().map(|()| FTL_OK);
            }
            let done = if saves {
                match in_arena(&mut memory, || instance.shutdown()) {
                    Ok(done) => done?,
                    Err(code) => return Ok(code),
                }
            } else {
                instance.shutdown()?
            };
            if let Some(sealed) = sealed {
                *sealed = done.into();
            }
            Ok(FTL_OK)
        })
    };
    if done == FTL_E_BUSY {
        return done;
    }
    // SAFETY: it is a handle, as above.
    if let Some(handle) = unsafe { handle.as_mut() } {
        handle.magic = 0;
        let refresh = core::mem::replace(&mut handle.refresh, Refresh::new(0, 0, 0));
        let ended = (handle.instance.take(), refresh);
        #[cfg(not(feature = "firmware"))]
        drop(ended);
        // Its memory is the arena's, which the caller has again.
        #[cfg(feature = "firmware")]
        core::mem::forget(ended);
    }
    done
}

/// What happened since the mount.
///
/// # Safety
/// `handle` is null or what a mount gave, `stats` null or a place for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftl_stats(handle: *const Handle, stats: *mut Stats) -> c_int {
    // SAFETY: as the caller says.
    let (Some(handle), Some(stats)) = (unsafe { handle.as_ref() }, unsafe { stats.as_mut() })
    else {
        return FTL_E_ARGUMENT;
    };
    let Handle { magic: MAGIC, instance: Some(instance), .. } = handle else { return FTL_E_HANDLE };
    let array = instance.array();
    let [free_pages, lost_pages, retired_blocks] = instance.figures();
    *stats = Stats {
        total: array.total,
        corrected_bits: array.corrected_bits,
        refresh_waiting: handle.refresh.waiting() as u64,
        free_pages,
        lost_pages,
        retired_blocks,
        arena_kept: (handle.front + handle.arena.used()) as u64,
        arena_peak: (handle.front + handle.arena.peak()) as u64,
        ..handle.stats
    };
    FTL_OK
}

/// For a driver's copy: turns the spare area of the original into that of the copy. Returns 0, [`FTL_NAND_ERASED`] or
/// [`FTL_NAND_UNCORRECTABLE`].
///
/// # Safety
/// `stamp` is what the copy was given, `spare` 16 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftl_restamp(stamp: *const Stamp, spare: *mut u8) -> c_int {
    // SAFETY: as the caller says.
    let (Some(stamp), Some(spare)) =
        (unsafe { stamp.as_ref() }, unsafe { spare.cast::<Spare>().as_mut() })
    else {
        return FTL_E_ARGUMENT;
    };
    match spare::copied(spare, stamp) {
        Ok(oob) if oob.seq <= Oob::MAX_SEQ => {
            *spare = spare::encode(oob, stamp.to, Format(stamp.format));
            FTL_OK
        }
        Err(NoRecord::Erased) => FTL_NAND_ERASED,
        _ => FTL_NAND_UNCORRECTABLE,
    }
}
