//! An array that is mounted through the C interface, and what tests ask of it.

use crate::nand::Nand;
use ftlkit_embedded::api::{
    Config, Handle, Stats, ftl_bounds, ftl_format, ftl_memory_needed, ftl_mount, ftl_pages,
    ftl_read, ftl_shutdown, ftl_shutdown_memory, ftl_stats, ftl_write,
};
use ftlkit_embedded::bounds::{Bounds, Cost};
use ftlkit_embedded::error::*;
use ftlkit_embedded::scheme::Scheme;
use std::ffi::c_int;
use std::ptr;

pub(crate) fn random(state: &mut u64, below: u32) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) % u64::from(below)) as u32
}

/// A mounted array. The arena is a vector, whatever is in it.
pub(crate) struct Mounted {
    pub(crate) nand: Box<Nand>,
    pub(crate) config: Config,
    pub(crate) arena: Vec<u8>,
    pub(crate) handle: *mut Handle,
    pub(crate) bounds: Bounds,
    /// Told by the last shutdown.
    pub(crate) sealed: u32,
}

impl Mounted {
    pub(crate) fn new(scheme: &'static Scheme, shape: [u32; 3], copies: bool, spare: u32) -> Self {
        Self::of(Nand::new(shape), scheme, copies, spare)
    }

    pub(crate) fn of(
        mut nand: Box<Nand>,
        scheme: &'static Scheme,
        copies: bool,
        spare: u32,
    ) -> Self {
        let config = nand.config(scheme, copies, spare);
        Self::with(nand, config)
    }

    pub(crate) fn with(nand: Box<Nand>, config: Config) -> Self {
        let (mut bytes, mut bounds) = (0, Bounds::default());
        // SAFETY: a configuration, and places for what is told.
        unsafe {
            assert_eq!(ftl_memory_needed(&raw const config, &raw mut bytes), FTL_OK);
            assert_eq!(ftl_bounds(&raw const config, &raw mut bounds), FTL_OK);
        }
        let mut arena = vec![0xee; bytes];
        // SAFETY: the arena has as many bytes as it says.
        let done = unsafe { ftl_format(&raw const config, arena.as_mut_ptr().cast(), bytes) };
        assert_eq!(done, FTL_OK);
        let mut mounted = Self { nand, config, arena, handle: ptr::null_mut(), bounds, sealed: 9 };
        assert_eq!(mounted.mount(), FTL_OK);
        mounted
    }

    pub(crate) fn mount(&mut self) -> c_int {
        let bytes = self.arena.len();
        let arena = self.arena.as_mut_ptr().cast();
        // SAFETY: the arena has as many bytes as it says.
        unsafe { ftl_mount(&raw const self.config, arena, bytes, &raw mut self.handle) }
    }

    pub(crate) fn pages(&self) -> u32 {
        // SAFETY: a handle of a mount.
        unsafe { ftl_pages(self.handle) }
    }

    pub(crate) fn write(&mut self, lpn: u32, page: &[u8]) -> c_int {
        // SAFETY: a handle of a mount, and a page.
        unsafe { ftl_write(self.handle, lpn, page.as_ptr().cast()) }
    }

    pub(crate) fn read(&mut self, lpn: u32, page: &mut [u8]) -> c_int {
        // SAFETY: a handle of a mount, and a page.
        unsafe { ftl_read(self.handle, lpn, page.as_mut_ptr().cast()) }
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        // SAFETY: a handle of a mount.
        assert_eq!(unsafe { ftl_stats(self.handle, &raw mut stats) }, FTL_OK);
        stats
    }

    pub(crate) fn shutdown(&mut self, scratch: &mut [u8]) -> c_int {
        // SAFETY: a handle of a mount, and as many bytes as it says.
        unsafe {
            let scratch = (scratch.as_mut_ptr().cast(), scratch.len());
            ftl_shutdown(self.handle, scratch.0, scratch.1, &raw mut self.sealed)
        }
    }

    pub(crate) fn shutdown_bytes(&self) -> usize {
        let mut bytes = 0;
        // SAFETY: a configuration.
        assert_eq!(unsafe { ftl_shutdown_memory(&raw const self.config, &raw mut bytes) }, FTL_OK);
        bytes
    }
}

pub(crate) fn within(cost: &Cost, bound: &Cost) -> bool {
    cost.reads <= bound.reads
        && cost.spare_reads <= bound.spare_reads
        && cost.programs <= bound.programs
        && cost.copies <= bound.copies
        && cost.erases <= bound.erases
        && cost.time_ns <= bound.time_ns
}
