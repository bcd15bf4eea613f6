//! Every scheme, one line each: the command line's help, the conformance, power-cut and golden suites
//! and the documentation go through this list.

use crate::{
    FtlError, Scheme,
    page_mapped::{self, Plan, Start},
    schemes::{fsr, lazy_rtgc, page_level},
};
use alloc::{format, vec::Vec};
use flash::{Flash, Geometry, Part};

/// All schemes, in the order in which they are listed.
pub static REGISTRY: &[Preset] = &[page_level::PRESET, fsr::PRESET, lazy_rtgc::PRESET];

/// One scheme of the registry.
#[derive(Debug)]
pub struct Preset {
    /// Name on the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Authors, venue, algorithm.
    pub source: &'static str,
    /// Lays the scheme out on an array with this many usable blocks.
    pub(crate) plan: fn(&SchemeConfig, &Part, &Geometry, u32) -> Result<Plan, FtlError>,
}

impl PartialEq for Preset {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Preset {}

/// How a victim is chosen among full blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VictimKind {
    /// Fewest valid pages, in O(1).
    Greedy,
    /// The block that was filled longest ago.
    Fifo,
    /// Any, uniformly.
    Random,
    /// Fewest valid pages of this many drawn uniformly.
    Choices(u8),
}

/// A scheme as it is asked for: a preset and what differs from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemeConfig {
    /// The preset.
    pub preset: &'static Preset,
    /// Victim selection, where not the preset's.
    pub victim: Option<VictimKind>,
    /// Logical pages exported, where not the preset's own choice.
    pub logical_pages: Option<u32>,
    /// Collect in idle time as well.
    pub idle_collection: bool,
    /// Blocks set aside to stand in for bad ones, from the factory or grown.
    pub spare_blocks: u32,
    /// Seed of randomised victim selection.
    pub seed: u64,
}

impl SchemeConfig {
    /// The preset as it is.
    pub fn preset(preset: &'static Preset) -> Self {
        Self {
            preset,
            victim: None,
            logical_pages: None,
            idle_collection: false,
            spare_blocks: 0,
            seed: 1,
        }
    }
}

/// What is done with a scheme once it is made: static dispatch, once a run.
pub trait Visitor<F: Flash> {
    /// What comes of it.
    type Output;

    /// Does it.
    fn visit<S: Scheme<Flash = F> + Clone>(self, scheme: S) -> Self::Output;
}

/// The preset of this name.
///
/// # Errors
/// [`FtlError::Unknown`] with the names that there are.
pub fn by_name(name: &str) -> Result<&'static Preset, FtlError> {
    REGISTRY.iter().find(|preset| preset.name == name).ok_or_else(|| {
        let names: Vec<&str> = REGISTRY.iter().map(|preset| preset.name).collect();
        FtlError::Unknown { name: name.into(), hint: format!("there are {}", names.join(", ")) }
    })
}

/// Makes the scheme on an array whose content is worth nothing: what is written is erased.
///
/// # Errors
/// [`FtlError::Config`] where the scheme cannot work there; what the array says.
pub fn format<F: Flash + Clone, V: Visitor<F>>(
    config: &SchemeConfig,
    flash: F,
    visitor: V,
) -> Result<V::Output, FtlError> {
    page_mapped::build(config, Start::Format, flash, visitor)
}

/// As [`format()`], with a plan of one's own, which is not checked: to see what becomes of one that
/// promises too much.
///
/// # Errors
/// As [`format()`].
pub fn format_planned<F: Flash + Clone, V: Visitor<F>>(
    config: &SchemeConfig,
    plan: &Plan,
    flash: F,
    visitor: V,
) -> Result<V::Output, FtlError> {
    page_mapped::build_planned(config, plan, Start::Format, flash, visitor)
}

/// Rebuilds the scheme from its array alone, after a clean stop or a power cut.
///
/// # Errors
/// As [`format()`]; [`FtlError::Mount`] where the array holds what this scheme does not write.
pub fn mount<F: Flash + Clone, V: Visitor<F>>(
    config: &SchemeConfig,
    flash: F,
    visitor: V,
) -> Result<V::Output, FtlError> {
    page_mapped::build(config, Start::Mount, flash, visitor)
}

/// How the scheme would lay out an array of this part and shape with `good_blocks` blocks that are not
/// bad: logical pages, threshold and promise, or why it cannot.
///
/// # Errors
/// [`FtlError::Config`].
pub fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    good_blocks: u32,
) -> Result<Plan, FtlError> {
    page_mapped::plan(config, part, geometry, good_blocks, Start::Format)
}
