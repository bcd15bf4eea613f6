//! Schemes for firmware: each as a type of its own, so that a program links what it uses and nothing else.
//!
//! What [`registry`](crate::registry) makes stands behind one interface, with all settings, below a write buffer. Here a scheme
//! has its default settings, free blocks are opened in the order of their erases, and the array is one without SLC mode or copy
//! paths. All memory is taken when the scheme is made: its tasks neither take any nor give any back, in failures of the array
//! too. Only [`Ftl::shutdown`](crate::Ftl::shutdown) of `gftl` takes some, for the maps that it writes.
//!
//! The plans are those of the registry; a test compares them.

use crate::error::FtlError;
use crate::interface::Background;
use crate::layout::{CollectionKind, Layout};
use crate::on_demand::{self, OnDemand};
use crate::page_mapped::{self, PageMapped, Partial, WholeBlock};
use crate::plan::Plan;
use crate::preset::{BuildResult, Preset, SchemeConfig, Setup, Start};
use crate::schemes as of;
use crate::schemes::gftl::{self, Fifo, Gftl};
use crate::schemes::lazy_rtgc_on_demand;
use crate::victims::{Greedy, VictimKind};
use alloc::boxed::Box;
use alloc::string::String;
use bounds::gftl::QueueBound;
use flash::{AnyArray, Geometry, Part, Probe};

/// What a scheme may be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Logical pages exported; `None`: the default of the scheme.
    pub logical_pages: Option<u32>,
    /// Blocks set aside to replace bad ones.
    pub spare_blocks: u32,
}

/// A scheme that firmware runs.
pub trait Firmware: Background {
    /// True if RAM lost track of a page, because a failure took more memory than was set aside for it. Nothing is lost on flash:
    /// a mount finds it.
    fn has_lost_track(&self) -> bool {
        false
    }

    /// True if the last shutdown wrote what makes the next mount short.
    fn is_sealed(&self) -> bool {
        false
    }
}

impl<F: Probe, C: page_mapped::Collection> Firmware for PageMapped<F, Greedy, C> {}

impl<F: Probe> Firmware for Gftl<F, Fifo> {
    fn is_sealed(&self) -> bool {
        self.has_image()
    }
}

impl<F: Probe> Firmware for OnDemand<F, on_demand::Stepwise> {
    fn has_lost_track(&self) -> bool {
        self.core_has_forgotten()
    }

    fn is_sealed(&self) -> bool {
        OnDemand::is_sealed(self)
    }
}

/// A module for each: its plan, and how it starts.
macro_rules! schemes {
    ($($name:ident: $text:literal, $plan:path, $made:ty, $make:expr;)*) => {$(
        #[doc = concat!("`", $text, "`.")]
        pub mod $name {
            use super::*;

            static PRESET: Preset = bare($text, $plan);

            /// The plan for an array of this part and shape with `good` blocks that are not bad.
            ///
            /// # Errors
            /// [`FtlError::Config`] with the reason why the scheme cannot work there: also if more blocks are bad than are spare.
            pub fn plan(
                options: &Options,
                part: &Part,
                geometry: &Geometry,
                good: u32,
            ) -> Result<Plan, FtlError> {
                super::plan(&config(&PRESET, options), part, geometry, good)
            }

            /// Formats or mounts an array by a plan.
            ///
            /// # Errors
            /// Those of the array; [`FtlError::Config`] if more blocks fail than are spare; [`FtlError::Mount`] if the array
            /// holds data that the scheme does not write.
            pub fn start<F: Probe>(
                options: &Options,
                plan: &Plan,
                flash: F,
                start: Start,
            ) -> Result<Box<impl Firmware<Flash = F> + use<F>>, FtlError> {
                let config = config(&PRESET, options);
                let setup = Setup { config: &config, plan, start };
                let make: fn(&Setup<'_>, F) -> Result<Box<$made>, FtlError> = $make;
                make(&setup, flash)
            }
        }
    )*};
}

schemes! {
    page_level: "page-level", page_level, PageMapped<F, Greedy, WholeBlock>,
        |setup, flash| page_mapped::plain(setup, flash, WholeBlock::default());
    fsr: "fsr", fsr, PageMapped<F, Greedy, WholeBlock>,
        |setup, flash| page_mapped::plain(setup, flash, WholeBlock::default());
    lazy_rtgc: "lazy-rtgc", lazy_rtgc, PageMapped<F, Greedy, Partial>, partial;
    on_demand_rtgc: "lazy-rtgc-on-demand", on_demand,
        OnDemand<F, on_demand::Stepwise>, on_demand::plain;
    gftl_in_order: "gftl", in_order, Gftl<F, Fifo>, gftl::plain;
}

fn partial<F: Probe>(
    setup: &Setup<'_>,
    flash: F,
) -> Result<Box<PageMapped<F, Greedy, Partial>>, FtlError> {
    let Layout::PageMapped(CollectionKind::Partial(_, copies)) = setup.plan.layout else {
        return Err(setup.foreign_plan());
    };
    page_mapped::plain(setup, flash, Partial::new(copies))
}

/// A preset whose plan and constructor are of this module alone.
const fn bare(
    name: &'static str,
    plan: fn(&SchemeConfig, &Part, &Geometry, u32) -> Result<Plan, FtlError>,
) -> Preset {
    Preset {
        name,
        summary: "",
        source: "",
        settings: &[],
        victims: None,
        page: "",
        buffer: None,
        plan,
        build: not_here,
    }
}

fn not_here(setup: &Setup<'_>, array: AnyArray) -> BuildResult {
    // Nobody calls it: what an array takes apart is not linked.
    core::mem::forget(array);
    Err(setup.foreign_plan())
}

fn config(preset: &'static Preset, options: &Options) -> SchemeConfig {
    SchemeConfig {
        logical_pages: options.logical_pages,
        spare_blocks: options.spare_blocks,
        idle_collection: true,
        dynamic_wear: Some(false),
        ..SchemeConfig::preset(preset)
    }
}

/// Errors of plans say which setting is at fault, and no more: a text would take memory.
fn refused(config: &SchemeConfig, setting: &'static str) -> FtlError {
    FtlError::Config { scheme: config.preset.name, setting, reason: String::new() }
}

/// As the registry plans it: what all schemes have in common.
fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    good: u32,
) -> Result<Plan, FtlError> {
    let bad = geometry.blocks().saturating_sub(good);
    if bad > config.spare_blocks {
        return Err(refused(config, "spare_blocks"));
    }
    let blocks = geometry.blocks().saturating_sub(config.spare_blocks);
    if blocks < 3 {
        return Err(refused(config, "capacity"));
    }
    if config.logical_pages == Some(0) {
        return Err(refused(config, "logical share"));
    }
    let mut plan = (config.preset.plan)(config, part, geometry, blocks)?;
    plan.spare_blocks = config.spare_blocks.saturating_sub(bad);
    plan.guarantee.idle_work = config.idle_collection;
    Ok(plan)
}

fn page_level(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let most = of::page_level::most_logical_pages(geometry, blocks);
    of::page_level::plan_or(config, part, geometry, blocks, (most, most), |_| String::new())
}

fn fsr(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let most = of::page_level::most_logical_pages(geometry, blocks);
    let default = of::fsr::default_logical_pages(geometry, blocks);
    of::page_level::plan_or(config, part, geometry, blocks, (default, most), |_| String::new())
}

fn lazy_rtgc(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let space = of::lazy_rtgc::space_or(config, part, blocks, |_| String::new())?;
    Ok(of::lazy_rtgc::of_space(part, geometry, &space, VictimKind::GREEDY))
}

fn on_demand(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    if part.page_bytes < 4 {
        return Err(refused(config, "capacity"));
    }
    lazy_rtgc_on_demand::plan_or(config, part, geometry, blocks, |_| String::new())
}

fn in_order(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let order = (QueueBound::Fifo, None);
    gftl::plan_or(config, part, geometry, blocks, order, |_| String::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guarantee::{Guarantee, Ram};
    use crate::registry;
    use flash::parts;

    type PlanOf = fn(&Options, &Part, &Geometry, u32) -> Result<Plan, FtlError>;

    /// What the registry plans, without RAM of open blocks, and collections in a row.
    fn of_registry(
        name: &str,
        options: &Options,
        part: &Part,
        geometry: &Geometry,
    ) -> Option<Plan> {
        let config = config(registry::by_name(name).expect("a scheme"), options);
        let plan = registry::plan(&config, part, geometry, geometry.blocks()).ok()?;
        let guarantee = Guarantee { collections: None, ..plan.guarantee };
        Some(Plan { ram: Ram::default(), guarantee, ..plan })
    }

    #[test]
    fn plans_are_those_of_the_registry() {
        let schemes: [(&str, PlanOf); 5] = [
            ("page-level", page_level::plan),
            ("fsr", fsr::plan),
            ("lazy-rtgc", lazy_rtgc::plan),
            ("lazy-rtgc-on-demand", on_demand_rtgc::plan),
            ("gftl", gftl_in_order::plan),
        ];
        let mut planned = 0;
        for (name, plan) in schemes {
            for part in [&parts::EVALUATION_SLC, &parts::SAMSUNG_LARGE_BLOCK] {
                for (blocks, spare_blocks) in [(8, 0), (64, 0), (64, 2), (1024, 20), (4096, 80)] {
                    let geometry =
                        Geometry::new(blocks, part.pages_per_block, part.page_bytes).unwrap();
                    for percent in [None, Some(50), Some(70), Some(99)] {
                        let logical_pages = percent.map(|percent| geometry.pages() / 100 * percent);
                        let options = Options { logical_pages, spare_blocks };
                        let ours = plan(&options, part, &geometry, blocks).ok();
                        let ours = ours.map(|plan| Plan {
                            ram: Ram::default(),
                            guarantee: Guarantee { collections: None, ..plan.guarantee },
                            ..plan
                        });
                        let theirs = of_registry(name, &options, part, &geometry);
                        assert_eq!(ours, theirs, "{name} {blocks} {spare_blocks} {percent:?}");
                        planned += u32::from(ours.is_some());
                    }
                }
            }
        }
        assert!(planned > 100, "{planned}");
    }
}
