//! Proof that the firmware crates need no std. Runs every registered scheme on a faulty array, with an allocator and
//! a panic handler of this crate.
//!
//! A program can have only one panic handler, and std brings one. If any crate in the dependency tree links std, the
//! build fails with a duplicate lang item `panic_impl`.
#![no_std]

extern crate alloc;

mod bump;

use flash::faults::{BadBlocks, BitErrorRate, BitErrors, PowerCut, ProgramEraseFailure};
use flash::{AnyArray, Array, Flash, Lpn, Serial, Store, parts};
use ftl::SchemeConfig;
use ftl::registry::{self, REGISTRY};

#[global_allocator]
static HEAP: bump::Bump = bump::Bump::new();

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}

fn array() -> Option<AnyArray> {
    let part = parts::by_name("samsung-small-block")?;
    let geometry = part.geometry(1 << 20).ok()?;
    let rate = BitErrorRate { base: 1000, per_erase: 10, per_read: 1, ecc_bits_per_kib: 8 };
    let array = Array::new(geometry, part.clone(), Store::Metadata);
    let array = BadBlocks::seeded(BitErrors::new(array, rate, 1).ok()?, 0, 2).ok()?;
    Some(AnyArray::new(Serial::new(PowerCut::new(ProgramEraseFailure::new(array, 3)))))
}

/// Runs every scheme once; returns 0 if a scheme fails.
#[unsafe(no_mangle)]
pub extern "C" fn ftlkit_no_std() -> u64 {
    let run = |preset| {
        let mut scheme = registry::format(&SchemeConfig::preset(preset), array()?).ok()?;
        for lpn in 0..scheme.logical_pages() {
            scheme.write(Lpn(lpn), None).ok()?;
            scheme.read(Lpn(lpn), None).ok()?;
        }
        Some(scheme.flash().geometry().capacity_bytes())
    };
    let bound = bounds::ideal::response_ns(&parts::EVALUATION_SLC);
    REGISTRY.iter().try_fold(bound, |sum, preset| Some(sum + run(preset)?)).unwrap_or(0)
}
