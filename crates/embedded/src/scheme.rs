//! The schemes, each behind a symbol of its own: a program that does not name a scheme does not link it.

use crate::array::DriverArray;
use alloc::boxed::Box;
use flash::{Geometry, Lpn, Part};
use ftl::firmware::{Firmware, Options, fsr, gftl_in_order, lazy_rtgc, on_demand_rtgc, page_level};
use ftl::{FtlError, Plan, Start};

/// A mounted scheme: what the C library calls.
pub(crate) trait Instance {
    fn read(&mut self, lpn: Lpn, data: &mut [u8]) -> Result<bool, FtlError>;
    fn write(&mut self, lpn: Lpn, data: &[u8]) -> Result<(), FtlError>;
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError>;
    fn flush(&mut self) -> Result<(), FtlError>;
    /// True if it wrote what makes the next mount short.
    fn shutdown(&mut self) -> Result<bool, FtlError>;
    fn idle(&mut self) -> Result<bool, FtlError>;
    fn idle_ns(&self) -> u64;
    fn array(&self) -> &DriverArray;
    fn array_mut(&mut self) -> &mut DriverArray;
    fn has_lost_track(&self) -> bool;
    /// Free pages, pages lost, blocks that went bad.
    fn figures(&self) -> [u64; 3];
}

impl<S: Firmware<Flash = DriverArray>> Instance for S {
    fn read(&mut self, lpn: Lpn, data: &mut [u8]) -> Result<bool, FtlError> {
        ftl::Ftl::read(self, lpn, Some(data))
    }

    fn write(&mut self, lpn: Lpn, data: &[u8]) -> Result<(), FtlError> {
        ftl::Ftl::write(self, lpn, Some(data))
    }

    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        ftl::Ftl::trim(self, lpn)
    }

    fn flush(&mut self) -> Result<(), FtlError> {
        ftl::Ftl::flush(self)
    }

    fn shutdown(&mut self) -> Result<bool, FtlError> {
        ftl::Ftl::shutdown(self)?;
        Ok(Firmware::is_sealed(self))
    }

    fn idle(&mut self) -> Result<bool, FtlError> {
        ftl::Background::idle(self)
    }

    fn idle_ns(&self) -> u64 {
        ftl::Background::idle_ns(self)
    }

    fn array(&self) -> &DriverArray {
        ftl::Ftl::flash(self)
    }

    fn array_mut(&mut self) -> &mut DriverArray {
        ftl::Ftl::flash_mut(self)
    }

    fn has_lost_track(&self) -> bool {
        Firmware::has_lost_track(self)
    }

    fn figures(&self) -> [u64; 3] {
        let log = ftl::Ftl::telemetry(self).collections;
        [ftl::Ftl::free_pages(self), log.lost_pages, log.retired_blocks.into()]
    }
}

type PlanOf = fn(&Options, &Part, &Geometry, u32) -> Result<Plan, FtlError>;
type StartOf = fn(&Options, &Plan, DriverArray, Start) -> Result<Box<dyn Instance>, FtlError>;

/// A scheme. In C its address alone is used.
#[repr(C)]
#[derive(Debug)]
pub struct Scheme {
    pub(crate) plan: PlanOf,
    pub(crate) start: StartOf,
    /// Bytes of a mounted scheme, without what it points to.
    pub(crate) bytes: usize,
    /// Its name in C, by which pages tell what wrote them.
    pub(crate) name: &'static str,
}

/// Bytes of what a constructor makes, without what that points to.
const fn bytes_of<S, X>(_: &X) -> usize
where
    X: Fn(&Options, &Plan, DriverArray, Start) -> Result<Box<S>, FtlError>,
{
    size_of::<S>()
}

macro_rules! schemes {
    ($($(#[$doc:meta])* $symbol:ident: $module:ident;)*) => {$(
        $(#[$doc])*
        #[allow(non_upper_case_globals, reason = "a name of C")]
        #[unsafe(no_mangle)]
        pub static $symbol: Scheme = Scheme {
            plan: $module::plan,
            start: |options, plan, array, start| {
                $module::start(options, plan, array, start).map(|made| made as Box<dyn Instance>)
            },
            bytes: bytes_of(&$module::start::<DriverArray>),
            name: stringify!($symbol),
        };
    )*};
}

schemes! {
    /// `page-level`: exports the most; a write may wait for a whole block.
    ftl_scheme_page_level: page_level;
    /// `fsr`: as `page-level`, with a quarter of the pages kept back, which bounds the valid pages of a victim.
    ftl_scheme_fsr: fsr;
    /// `lazy-rtgc`: a write waits for at most one erase.
    ftl_scheme_lazy_rtgc: lazy_rtgc;
    /// `lazy-rtgc-on-demand`: the same, with the map on flash.
    ftl_scheme_lazy_rtgc_on_demand: on_demand_rtgc;
    /// `gftl`: a block map and a write queue; a read or a write waits for at most one erase.
    ftl_scheme_gftl: gftl_in_order;
}
