//! Write buffers for the schemes under test, small enough to evict all the time.

use crate::shape::Shape;
use ftl::{
    AgeClock, BUFFER_POLICIES, BufferPolicy, BufferSettings, BufferUnit, CleanUnits, Preset,
    Probability, Regions, SchemeConfig,
};

/// Capacity of buffers whose unit is a page, pages.
const PAGES: u32 = 5;

/// RAM time of a page in some buffers, ns; less than that of any operation of the array.
const RAM_NS: u64 = 700;

/// A buffer with this policy and unit, and room for a few units on this shape. `None` is the policy's default unit.
pub fn small(
    policy: &'static BufferPolicy,
    unit: Option<BufferUnit>,
    shape: &Shape,
) -> BufferSettings {
    let by_page = unit.unwrap_or(policy.default_unit()) == BufferUnit::Page;
    let geometry = shape.geometry();
    // Two and a half blocks, so that a third block evicts a whole one.
    let block = geometry.pages_per_block();
    let pages = if by_page { PAGES } else { block * 2 + block / 2 };
    let pages = pages.min(geometry.pages());
    BufferSettings {
        policy: Some(Some(policy)),
        bytes: Some(u64::from(pages) * u64::from(geometry.page_bytes())),
        unit,
        ..BufferSettings::default()
    }
}

/// Buffers with each policy and each of its units. The default unit comes with default settings. The last unit comes
/// with all other settings changed: reads added, RAM time, the policy's own settings. If the preset's collectors can
/// take dirty pages, such buffers are added.
pub fn every_buffer(preset: &Preset, shape: &Shape) -> Vec<BufferSettings> {
    let fixed = Regions::Fixed { initial: 30, updated: 40 };
    let mut all = Vec::new();
    for policy in BUFFER_POLICIES {
        let has = |setting| policy.settings.contains(&setting);
        all.push(small(policy, Some(policy.default_unit()), shape));
        all.push(BufferSettings {
            ram_ns: Some(RAM_NS),
            reads: Some(!policy.reads),
            window_percent: has("buffer_window").then_some(100),
            regions: has("buffer_regions").then_some(fixed),
            updates: has("buffer_updates").then_some([100, 0, 500].map(Probability::thousandths)),
            clock: Some(AgeClock::Arrival),
            clean: Some(CleanUnits::First),
            ..small(policy, policy.units.last().copied(), shape)
        });
    }
    if preset.settings.contains(&"aware") {
        let aware = |policy: &'static BufferPolicy| {
            let unit = Some(policy.default_unit());
            BufferSettings { aware: Some(true), ..small(policy, unit, shape) }
        };
        all.extend(BUFFER_POLICIES.iter().copied().map(aware));
        // P(U) of every region, limits of the regions and the unit change which victims a collector prefers.
        all.push(BufferSettings {
            unit: Some(BufferUnit::Page),
            regions: Some(Regions::Adaptive { least: 20, most: 49 }),
            updates: Some([900, 100, 500].map(Probability::thousandths)),
            ..aware(BufferPolicy::THREE_REGION)
        });
    }
    all
}

/// The preset with this buffer.
pub fn buffered(preset: &'static Preset, buffer: BufferSettings) -> SchemeConfig {
    SchemeConfig { buffer, ..SchemeConfig::preset(preset) }
}

/// The settings on one line.
pub fn described(buffer: &BufferSettings) -> String {
    let BufferSettings {
        policy,
        bytes,
        unit,
        age_ns,
        clock,
        clean,
        ram_ns,
        reads,
        window_percent,
        regions,
        updates,
        aware,
    } = buffer;
    let policy = policy.map(|policy| policy.map_or("none", |policy| policy.name));
    let set = [
        ("buffer", policy.map(String::from)),
        ("bytes", bytes.map(|bytes| bytes.to_string())),
        ("unit", unit.map(|unit| format!("{unit:?}"))),
        ("age", age_ns.map(|age| age.to_string())),
        ("clock", clock.map(|clock| format!("{clock:?}"))),
        ("clean", clean.map(|clean| format!("{clean:?}"))),
        ("ram ns", ram_ns.map(|ns| ns.to_string())),
        ("reads", reads.map(|reads| reads.to_string())),
        ("window %", window_percent.map(|percent| percent.to_string())),
        ("regions", regions.map(|regions| format!("{regions:?}"))),
        ("updates", updates.map(|updates| format!("{updates:?}"))),
        ("aware", aware.map(|aware| aware.to_string())),
    ];
    let set = set.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value?)));
    set.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::logical_pages;
    use ftl::registry::REGISTRY;
    use std::collections::HashSet;

    #[test]
    fn every_policy_with_every_unit_is_above_every_scheme() {
        let shape = Shape::new(48, 8, 8);
        let mut aware = 0;
        for preset in REGISTRY {
            let buffers = every_buffer(preset, &shape);
            let seen: HashSet<_> = buffers
                .iter()
                .map(|buffer| (buffer.policy.unwrap().unwrap(), buffer.unit))
                .collect();
            let of = |policy: &'static BufferPolicy| {
                policy.units.iter().map(move |unit| (policy, Some(*unit)))
            };
            assert_eq!(seen, BUFFER_POLICIES.iter().copied().flat_map(of).collect());
            for buffer in buffers {
                let scheme = buffered(preset, buffer);
                assert!(logical_pages(&scheme, &shape, 0).is_ok(), "{}", described(&buffer));
                aware += u32::from(buffer.aware == Some(true));
            }
        }
        assert!(aware > 0, "no collector takes a page from a buffer");
    }
}
