//! Every scheme, one line each: the command line's help, the conformance, power-cut and golden suites
//! and the documentation go through this list.

use crate::FtlError;
use alloc::string::String;

/// How a victim is chosen among full blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VictimKind {
    /// Fewest valid pages, in O(1).
    Greedy,
    /// The block that was filled longest ago.
    Fifo,
    /// Any, uniformly.
    Random,
    /// Fewest valid pages of `d` drawn uniformly.
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
    /// Blocks held back to replace blocks that go bad.
    pub spare_blocks: u32,
    /// Seed of randomised victim selection.
    pub seed: u64,
}

/// One scheme of the registry.
#[derive(Debug, PartialEq, Eq)]
pub struct Preset {
    /// Name on the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Authors, venue, algorithm.
    pub source: &'static str,
}

/// All schemes, in the order in which they are listed.
pub static REGISTRY: &[Preset] = &[
    Preset {
        name: "page-level",
        summary: "page map in RAM, greedy, whole blocks, everything exported but the swap block",
        source: "Ban, US patent 5,404,485, 1995; as compared in Zhang et al., TODAES 20(3):43, 2015, §6.1",
    },
    Preset {
        name: "fsr",
        summary: "page map in RAM, greedy, whole blocks, logical share that bounds a victim's valid pages",
        source: "Chang, Kuo and Lo, free-space replenishment, ACM TECS 3(4), 2004; as in Zhang et al., 2015",
    },
    Preset {
        name: "lazy-rtgc",
        summary: "page map in RAM, greedy, one collection step of at most t_er behind each write",
        source: "Zhang et al., Lazy-RTGC, TODAES 20(3):43, 2015, Algorithm 1",
    },
];

/// The preset of this name.
///
/// # Errors
/// [`FtlError::Unknown`] with the names that there are.
pub fn by_name(name: &str) -> Result<&'static Preset, FtlError> {
    REGISTRY.iter().find(|preset| preset.name == name).ok_or_else(|| FtlError::Unknown {
        name: name.into(),
        hint: String::from("`ftlkit list schemes` names them all"),
    })
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
