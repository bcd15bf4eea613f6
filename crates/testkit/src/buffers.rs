//! Write buffers above the schemes under test: so small that something leaves them all the time.

use crate::shape::Shape;
use ftl::{BufferPolicy, BufferSettings, BufferUnit, Preset, Regions, SchemeConfig};

/// Pages of the buffers whose unit is a page.
const PAGES: u32 = 5;

/// Time of a page in RAM, where it takes any, ns: less than that of any operation of the array.
const RAM_NS: u64 = 700;

/// A buffer of this policy, of the policy's own unit, with room for a few units of this shape.
pub fn small(policy: BufferPolicy, unit: Option<BufferUnit>, shape: &Shape) -> BufferSettings {
    let by_page = match unit {
        Some(unit) => unit == BufferUnit::Page,
        None => matches!(policy, BufferPolicy::Lru | BufferPolicy::Cflru),
    };
    let geometry = shape.geometry();
    // Two blocks and a half, so that a third that comes in makes a whole one go.
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

/// Every policy with every unit that it can have, with and without pages that are read, the three-region
/// one with regions that follow the writes and with fixed ones; where the preset's collectors take dirty
/// pages along, so as well.
pub fn every_buffer(preset: &Preset, shape: &Shape) -> Vec<BufferSettings> {
    use BufferPolicy::{Bplru, Cflru, Fab, Lru, ThreeRegion};
    let [page, block] = [BufferUnit::Page, BufferUnit::Block].map(Some);
    let of = |policy, unit| small(policy, unit, shape);
    let reads = |settings| BufferSettings { reads: Some(true), ..settings };
    let fixed = Regions::Fixed { initial: 30, updated: 40 };
    let mut all = vec![
        BufferSettings { ram_ns: Some(RAM_NS), ..of(Lru, page) },
        reads(of(Lru, block)),
        of(Cflru, page),
        BufferSettings { window_percent: Some(100), reads: Some(false), ..of(Cflru, block) },
        of(Fab, block),
        BufferSettings { ram_ns: Some(RAM_NS), ..reads(of(Fab, block)) },
        of(Bplru, block),
        reads(of(Bplru, block)),
        of(ThreeRegion, block),
        BufferSettings { regions: Some(fixed), ..reads(of(ThreeRegion, page)) },
    ];
    if preset.settings.contains(&"aware") {
        let aware =
            [(Lru, page), (Cflru, page), (Fab, block), (Bplru, block), (ThreeRegion, block)];
        let aware =
            aware.map(|(policy, unit)| BufferSettings { aware: Some(true), ..of(policy, unit) });
        all.extend(aware);
    }
    all
}

/// The preset with this buffer.
pub fn buffered(preset: &'static Preset, buffer: BufferSettings) -> SchemeConfig {
    SchemeConfig { buffer, ..SchemeConfig::preset(preset) }
}

/// On one line.
pub fn described(buffer: &BufferSettings) -> String {
    let BufferSettings {
        policy,
        bytes,
        unit,
        age_ns,
        ram_ns,
        reads,
        window_percent,
        regions,
        aware,
    } = buffer;
    let policy = policy.map(|policy| policy.map_or("none", BufferPolicy::name));
    let set = [
        ("buffer", policy.map(String::from)),
        ("bytes", bytes.map(|bytes| bytes.to_string())),
        ("unit", unit.map(|unit| format!("{unit:?}"))),
        ("age", age_ns.map(|age| age.to_string())),
        ("ram ns", ram_ns.map(|ns| ns.to_string())),
        ("reads", reads.map(|reads| reads.to_string())),
        ("window %", window_percent.map(|percent| percent.to_string())),
        ("regions", regions.map(|regions| format!("{regions:?}"))),
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
    use std::collections::BTreeSet;

    #[test]
    fn every_policy_with_every_unit_is_above_every_scheme() {
        let shape = Shape::new(48, 8, 8);
        let mut aware = 0;
        for preset in REGISTRY {
            let buffers = every_buffer(preset, &shape);
            let policies: BTreeSet<_> = buffers
                .iter()
                .map(|buffer| (buffer.policy.unwrap().unwrap().name(), buffer.unit.is_some()))
                .collect();
            assert_eq!(policies.len(), BufferPolicy::ALL.len());
            for buffer in buffers {
                let scheme = buffered(preset, buffer);
                assert!(logical_pages(&scheme, &shape, 0).is_ok(), "{}", described(&buffer));
                aware += u32::from(buffer.aware == Some(true));
            }
        }
        assert!(aware > 0, "no collector takes a page from a buffer");
    }
}
