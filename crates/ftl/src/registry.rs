//! List of all schemes, one line each. The command line's help, the documentation, and the conformance, power-cut and
//! golden suites go through it.

use super::preset::Setup;
use crate::error::FtlError;
use crate::plan::Plan;
use crate::preset::{BuildResult, Preset, SchemeConfig, Start};
use crate::schemes::{
    ba_gc, bast, dftl, fast, fsr, gftl, gftl_priority, gftl_threshold, lazy_rtgc,
    lazy_rtgc_on_demand, nftl, page_level, rftl, superblock, two_level_gc, zns,
};
use crate::start::{good_blocks, leave_slc};
use alloc::{format, vec::Vec};
use flash::{AnyArray, Flash, Geometry, Part};

/// The schemes that take writes of any page, in listing order.
pub static REGISTRY: &[&Preset] = &[
    &page_level::PRESET,
    &fsr::PRESET,
    &lazy_rtgc::PRESET,
    &two_level_gc::PRESET,
    &nftl::PRESET,
    &gftl::PRESET,
    &gftl_threshold::PRESET,
    &gftl_priority::PRESET,
    &rftl::PRESET,
    &dftl::PRESET,
    &lazy_rtgc_on_demand::PRESET,
    &bast::PRESET,
    &fast::PRESET,
    &ba_gc::PRESET,
    &superblock::PRESET,
];

/// The schemes that the host writes in zones, which refuse writes elsewhere ([`Preset::is_zoned`]).
pub static ZONED: &[&Preset] = &[&zns::PRESET];

/// All schemes of this crate in listing order.
pub fn all() -> impl Iterator<Item = &'static Preset> {
    REGISTRY.iter().chain(ZONED).copied()
}

/// The preset with this name.
///
/// # Errors
/// [`FtlError::Unknown`] with the list of names.
pub fn by_name(name: &str) -> Result<&'static Preset, FtlError> {
    among(&all().collect::<Vec<_>>(), name)
}

/// The preset with this name in a list.
///
/// # Errors
/// [`FtlError::Unknown`] with the list of names.
pub fn among(list: &[&'static Preset], name: &str) -> Result<&'static Preset, FtlError> {
    list.iter().copied().find(|preset| preset.name == name).ok_or_else(|| {
        let names: Vec<&str> = list.iter().map(|preset| preset.name).collect();
        FtlError::Unknown { name: name.into(), hint: format!("there are {}", names.join(", ")) }
    })
}

/// Makes the scheme on an array and erases all data there.
///
/// # Errors
/// [`FtlError::Config`] if the scheme cannot work there; errors of the array.
pub fn format(config: &SchemeConfig, flash: impl Into<AnyArray>) -> BuildResult {
    build(config, Start::Format, flash.into())
}

/// As [`format()`], with a plan of the caller's own. The plan is not checked, so that tests can show what happens if
/// it promises too much.
///
/// # Errors
/// As [`format()`].
pub fn format_planned(
    config: &SchemeConfig,
    plan: &Plan,
    flash: impl Into<AnyArray>,
) -> BuildResult {
    (config.preset.build)(&Setup { config, plan, start: Start::Format }, flash.into())
}

/// Rebuilds the scheme from its array alone, after a clean shutdown or a power cut.
///
/// # Errors
/// As [`format()`]; [`FtlError::Mount`] if the array holds data that this scheme does not write.
pub fn mount(config: &SchemeConfig, flash: impl Into<AnyArray>) -> BuildResult {
    build(config, Start::Mount, flash.into())
}

fn build(config: &SchemeConfig, start: Start, mut flash: AnyArray) -> BuildResult {
    leave_slc(&mut flash)?;
    let good = good_blocks(&flash);
    let plan = crate::planning::plan(config, flash.part(), flash.geometry(), good, start)?;
    (config.preset.build)(&Setup { config, plan: &plan, start }, flash)
}

/// The scheme's plan for an array of this part and shape with `good_blocks` blocks that are not bad: logical pages,
/// threshold and bounds.
///
/// # Errors
/// [`FtlError::Config`] with the reason why the scheme cannot work there.
pub fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    good_blocks: u32,
) -> Result<Plan, FtlError> {
    crate::planning::plan(config, part, geometry, good_blocks, Start::Format)
}
