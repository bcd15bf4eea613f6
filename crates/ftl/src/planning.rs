//! From a configuration to a plan. Checks common to all schemes are here; each preset makes its own.

use crate::buffer::settings::BufferPlan;
use crate::error::FtlError;
use crate::frontier_sharing::FrontierSharing;
use crate::layout::{CollectionKind, Layout};
use crate::page_mapped::{self, frontiers};
use crate::placement::PlacementKind;
use crate::plan::Plan;
use crate::preset::{Preset, SchemeConfig, Start};
use crate::refresh_bounds;
use crate::slc_cache::{SlcPlan, SlcSize, WhenFull};
use crate::victims::ByGroup;
use crate::wear;
use alloc::{format, string::String};
use flash::{Geometry, Part};

/// The preset's plan for an array with this many good blocks.
///
/// Spare blocks replace bad ones, from the factory or grown, and do not count towards the scheme's N. So the logical
/// space stays the same over the device's life. The analysis holds with one spare block kept free.
pub(crate) fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    good: u32,
    start: Start,
) -> Result<Plan, FtlError> {
    let error = |setting, reason| FtlError::Config { scheme: config.preset.name, setting, reason };
    check_settings(config)?;
    let bad = geometry.blocks() - good;
    if bad > config.spare_blocks && start == Start::Format {
        return Err(error(
            "spare_blocks",
            format!(
                "{bad} blocks are bad but {} are spare; at least {bad} are needed",
                config.spare_blocks
            ),
        ));
    }
    let blocks = geometry.blocks().saturating_sub(config.spare_blocks);
    let least = 3;
    if blocks < least {
        return Err(error(
            "capacity",
            format!(
                "leaves {blocks} of {} blocks after {} spare ones; at least {least} are needed",
                geometry.blocks(),
                config.spare_blocks
            ),
        ));
    }
    if config.logical_pages == Some(0) {
        return Err(error("logical share", String::from("exports no page; it must be above 0")));
    }
    // The array's shape overrides the catalogue's: small arrays have small blocks and pages.
    let part = Part {
        pages_per_block: geometry.pages_per_block(),
        page_bytes: geometry.page_bytes(),
        ..part.clone()
    };
    let mut plan = lay_out(config, &part, geometry, blocks)?;
    plan.spare_blocks = config.spare_blocks.saturating_sub(bad);
    wear::check_dynamic(config, &plan)?;
    wear::allow_for_swaps(config, &part, geometry, &mut plan);
    let write_step_ns = plan.guarantee.step_ns;
    plan.buffer = BufferPlan::new(config, geometry)?;
    if plan.buffer.is_some() && config.preset.is_zoned() {
        let reason = "is not possible: it would write pages in another order than the host, and zones take them in order only; omit it";
        return Err(error("buffer", String::from(reason)));
    }
    if let Some(buffer) = plan.buffer {
        buffer.apply(&part, &mut plan);
    }
    refresh_bounds::allow_for_steps(config, &part, write_step_ns, &mut plan)?;
    plan.guarantee.idle_work = config.idle_collection || plan.slc.is_some();
    if !collects_alone(config, &plan) {
        plan.guarantee.collections = None;
    }
    Ok(plan)
}

/// True if nothing but the collections of the scheme, on one device and one frontier, goes with a page write: what is proved
/// of collections in a row ([`bounds::service::Collections`]) counts on that.
fn collects_alone(config: &SchemeConfig, plan: &Plan) -> bool {
    FrontierSharing::of(config.asked_frontiers(), &plan.layout) == FrontierSharing::Shared
        && config.allocation.units() == 1
        && config.placed().is_none()
        && config.static_wear.is_none()
        && config.buffer.aware != Some(true)
        && plan.buffer.is_none()
        && plan.slc.is_none()
        && !config.refresh
}

/// The preset's plan for `blocks` blocks. Schemes that map pages in RAM are planned for fewer. For each unit but the
/// first, two blocks may be partly written or free ([`Allocation`](crate::Allocation) has the proof). Collectors in
/// steps need further blocks with split frontiers ([`FrontierSharing`]).
fn lay_out(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let units = config.allocation.units();
    let ask = |config: &SchemeConfig, blocks| (config.preset.plan)(config, part, geometry, blocks);
    let layout = ask(&SchemeConfig::preset(config.preset), blocks).map(|plan| plan.layout);
    // Other families keep all blocks. So does a preset that refuses the array, to report its own error.
    let Ok(layout @ Layout::PageMapped(collection)) = layout else {
        let mut plan = ask(config, blocks)?;
        let sharing = FrontierSharing::of(config.asked_frontiers(), &plan.layout);
        plan.ram.other += frontiers::ram_bytes(1, sharing.classes());
        return Ok(plan);
    };
    let sharing = FrontierSharing::of(config.asked_frontiers(), &layout);
    let placed = config.placed().map(|(kind, _)| kind);
    let slc = slc_cache(config, part, collection)?;
    let in_steps = !matches!(collection, CollectionKind::WholeBlock(_));
    let (for_copies, more_pages) = match sharing {
        FrontierSharing::Split if in_steps => (u64::from(units) + 1, part.pages_per_block),
        _ => (0, 0),
    };
    // See [`crate::placement`]: Fk open blocks, and F + 1 free ones, one of which the preset counts itself.
    let classes = placed.map_or(sharing.classes(), |kind| kind.classes().count);
    let (mut kept, more_pages) = match placed {
        None => (2 * (u64::from(units) - 1) + for_copies, more_pages),
        Some(_) => (u64::from(units) * (classes as u64 + 1), part.pages_per_block),
    };
    if let Some((size, _)) = slc {
        let aside = u64::from(size.set_aside(blocks));
        let least = kept + aside + 3;
        if aside > 0 && u64::from(blocks) < least {
            return Err(FtlError::Config {
                scheme: config.preset.name,
                setting: "slc",
                reason: format!(
                    "sets {aside} of {blocks} non-spare blocks aside, which leaves fewer than the {} that {units} units \
                    need; make it smaller",
                    kept + 3
                ),
            });
        }
        kept += aside;
    }
    let least = kept + 3;
    let unit = if config.groups().is_some() { "reclaim group" } else { "unit" };
    if let Some(kind) = placed.filter(|_| u64::from(blocks) < least) {
        return Err(FtlError::Config {
            scheme: config.preset.name,
            setting: "placement",
            reason: format!(
                "`{kind}` has {classes} open blocks per {unit}; {unit}s: {units}; so it needs at least {least} non-spare \
                blocks, and there are {blocks}"
            ),
        });
    }
    let Some(left) = u64::from(blocks).checked_sub(kept).filter(|left| kept == 0 || *left >= 3)
    else {
        let [channels, ways, dies, planes] = config.allocation.counts();
        // The largest number of units u with 2(u − 1) + 3 blocks, or with 2(u − 1) + u + 1 + 3.
        let enough_for = match for_copies {
            0 => (u64::from(blocks) - 1) / 2,
            _ => (u64::from(blocks) - 2) / 3,
        };
        return Err(FtlError::Config {
            scheme: config.preset.name,
            setting: if units > 1 { "channels" } else { "frontiers" },
            reason: format!(
                "{channels} x {ways} ways x {dies} dies x {planes} planes are {units} units written in turns, \
                which needs at least {least} non-spare blocks with {sharing} frontiers; there are {blocks}, enough for {enough_for} units"
            ),
        });
    };
    let mut plan = ask(config, left as u32).map_err(|error| match error {
        FtlError::Config { scheme, setting, reason } if kept > 0 => FtlError::Config {
            scheme,
            setting,
            reason: match placed {
                None => format!("{reason} ({kept} blocks of {blocks} are kept for {units} units)"),
                Some(kind) => format!(
                    "{reason} ({kept} blocks of {blocks} are kept for the {classes} open blocks per {unit} of \
                    `placement={kind}`)"
                ),
            },
        },
        other => other,
    })?;
    // Each reclaim group begins by itself.
    if config.groups().is_none() {
        plan.threshold_pages += (units - 1) * part.pages_per_block + more_pages;
    }
    plan.ram.other += frontiers::ram_bytes(units, classes);
    if let Some(kind) = placed {
        let array = [geometry.blocks(), geometry.pages_per_block()];
        plan.ram.other += kind.controller_bytes(plan.logical_pages, array);
        if let Some(groups) = config.groups()
            && let Layout::PageMapped(CollectionKind::WholeBlock(victims)) = plan.layout
        {
            plan.ram.victims = ByGroup::controller_bytes(victims, groups, array);
        }
    }
    if let Some(slc) = slc {
        let cache = SlcPlan::new(slc, part, blocks, kept);
        cache.apply(part, &mut plan.guarantee);
        plan.ram.other += page_mapped::slc_cache::ram_bytes(cache.blocks, geometry.blocks(), units);
        plan.slc = Some(cache);
    }
    Ok(plan)
}

/// The SLC cache that is asked for, if the part and the collector can have one.
fn slc_cache(
    config: &SchemeConfig,
    part: &Part,
    collection: CollectionKind,
) -> Result<Option<(SlcSize, WhenFull)>, FtlError> {
    let error =
        |setting, reason| Err(FtlError::Config { scheme: config.preset.name, setting, reason });
    let Some(size) = config.slc else {
        return match config.slc_full {
            None => Ok(None),
            Some(_) => error("slc_full", String::from("needs an SLC cache: set `slc` as well")),
        };
    };
    if !matches!(collection, CollectionKind::WholeBlock(_)) {
        let reason = "needs a collector of whole blocks, whose proof covers blocks of two sizes";
        return error("slc", String::from(reason));
    }
    if let SlcSize::Static(0 | SlcSize::ALL_BLOCKS..) = size {
        return error(
            "slc",
            String::from("sets aside more than 0% and less than 100% of the blocks"),
        );
    }
    if part.slc.is_none() || part.cell.bits() == 1 {
        return error(
            "slc",
            format!(
                "needs an MLC, TLC or QLC part whose source gives the times of its SLC mode (`slc`); `{}` is {}{}",
                part.name,
                part.cell.name(),
                if part.slc.is_some() { "" } else { " and has none" }
            ),
        );
    }
    Ok(Some((size, config.slc_full.unwrap_or_default())))
}

/// Refuses settings that the preset does not have, rather than ignoring them.
fn check_settings(config: &SchemeConfig) -> Result<(), FtlError> {
    let set = [
        ("victim", config.victim.is_some()),
        ("idle", config.idle_collection),
        ("cmt", config.cmt_bytes.is_some()),
        ("cmt_policy", config.cmt_policy.is_some()),
        ("cmt_evict", config.cmt_eviction.is_some()),
        ("merge", config.merges_map),
        ("one_pool", config.one_pool),
        ("threshold", config.queue_threshold_percent.is_some()),
        ("queue", config.write_queue.is_some()),
        ("ram", config.collection_ram.is_some()),
        ("enqueue", config.enqueue.is_some()),
        ("folds", config.folds.is_some()),
        ("zone", config.zone_bytes.is_some()),
        ("max_open", config.max_open.is_some()),
        ("max_active", config.max_active.is_some()),
        ("trigger", config.trigger.is_some()),
        ("log_blocks", config.log_blocks.is_some()),
        ("alpha", config.alpha_thousandths.is_some()),
        ("superblock", config.superblock.is_some()),
        ("frontiers", config.frontiers.is_some()),
        ("refill", config.refill.is_some()),
        ("placement", config.placement.is_some()),
        ("slc", config.slc.is_some()),
        ("slc_full", config.slc_full.is_some()),
    ];
    let Preset { name, settings, .. } = config.preset;
    if config.slc.is_some() && !settings.contains(&"slc") {
        return Err(FtlError::Config {
            scheme: name,
            setting: "slc",
            reason: format!(
                "is no setting of `{name}`: its space and its bounds count on blocks of one size; `page-level` and \
                `fsr` have it"
            ),
        });
    }
    if let Some(placement) = config.placement {
        check_placement(config, placement)?;
    }
    match set.iter().find(|(setting, given)| *given && !settings.contains(setting)) {
        None => Ok(()),
        Some((setting, _)) => Err(FtlError::Config {
            scheme: name,
            setting,
            reason: format!("is no setting of `{name}`{}", known(settings)),
        }),
    }
}

/// Refuses a placement policy where its classes have no proof, and a second setting of the same thing.
fn check_placement(config: &SchemeConfig, placement: PlacementKind) -> Result<(), FtlError> {
    let Preset { name: scheme, settings, .. } = config.preset;
    let error = |reason| Err(FtlError::Config { scheme, setting: "placement", reason });
    if !settings.contains(&"placement") {
        return error(format!(
            "is no setting of `{scheme}`: its space and its bounds count on at most two open blocks per unit; \
            `page-level` and `fsr` have it"
        ));
    }
    if config.frontiers.is_some() {
        return error(format!(
            "and `frontiers` set the same thing; leave out one of them: `placement={placement}` already says it"
        ));
    }
    if config.groups().is_some() && config.refresh {
        return error(format!(
            "`{placement}` binds pages to reclaim groups, and the room of a refresh is counted over the whole array; leave out \
            one of them"
        ));
    }
    if (placement.by_state().is_some() || placement.fills_up()) && config.slc.is_some() {
        return error(format!(
            "`{placement}` chooses among blocks of the part's own mode, which host writes reach only past the SLC \
            cache; leave out `slc`, or use `placement=split`"
        ));
    }
    Ok(())
}

fn known(settings: &[&str]) -> String {
    match settings {
        [] => String::from(", which has none but share and spare"),
        settings => format!("; besides share and spare it has {}", settings.join(", ")),
    }
}
