//! RAM of a scheme whose map is on flash, against that of the whole map.

use ::run::report::units;
use flash::{Geometry, Part};
use ftl::{Layout, Plan, SchemeConfig, registry};

/// RAM of the cached entries, their lists and the directory, and that of a map of all logical pages at 4 bytes each, if
/// the map is on flash.
fn of_cache_and_map(plan: &Plan) -> Option<[u64; 2]> {
    let is_cached = matches!(plan.layout, Layout::OnDemand(_));
    is_cached.then(|| [plan.ram.map + plan.ram.other, 4 * u64::from(plan.logical_pages)])
}

/// True if the cache of a map on flash takes no more RAM than the whole map would.
pub(super) fn is_smaller(plan: &Plan) -> bool {
    of_cache_and_map(plan).is_none_or(|[cache, map]| cache <= map)
}

/// Most logical pages with which the cache takes no more RAM than the map, and the plan with so many.
pub(super) fn largest_with_point(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    below: u32,
) -> Option<(u32, Plan)> {
    let with = |pages: u32| {
        let config = SchemeConfig { logical_pages: Some(pages), ..config.clone() };
        registry::plan(&config, part, geometry, geometry.blocks()).ok().filter(is_smaller)
    };
    // From some share on the cache is the whole map; an array too small for any cache has none.
    let (mut least, mut most) = (0, below);
    let mut found = None;
    while most - least > 1 {
        let middle = least + (most - least) / 2;
        match with(middle) {
            Some(plan) => (least, found) = (middle, Some((middle, plan))),
            None => most = middle,
        }
    }
    found
}

/// What is said where the cache of a map on flash takes more RAM than the whole map: and the share from which on down it
/// takes less, if there is one.
pub fn note_on_map_ram(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    plan: &Plan,
) -> Option<String> {
    let [cache, map] = of_cache_and_map(plan).filter(|[cache, map]| cache > map)?;
    let share = |pages: u32| f64::from(pages) / f64::from(geometry.pages());
    let [cache, map] = [cache, map].map(units::bytes);
    let told = format!(
        "its map is on flash, and its cache takes {cache} of RAM, more than the whole map, {map}, at a share of {:.3}",
        share(plan.logical_pages)
    );
    let from = largest_with_point(config, part, geometry, plan.logical_pages);
    Some(match from {
        Some((pages, plan)) => format!(
            "{told}; from a share of {:.3} on down it takes less: {}",
            (share(pages) * 1e3).floor() / 1e3,
            units::bytes(plan.ram.map + plan.ram.other)
        ),
        None => format!("{told}; on an array of this size it takes more at any share"),
    })
}
