//! Settings, the plans that result from them, and refused values.

use super::bench::{BLOCK, PAGE_BYTES, buffer, config, plan};
use ftlkit_ftl::registry::REGISTRY;
use ftlkit_ftl::{
    AgeClock, BUFFER_POLICIES, BufferPolicy, BufferSettings, BufferUnit, CleanUnits, FtlError,
    Probability, Regions, SchemeConfig,
};

/// The refused setting, and the reason.
fn refused(config: &SchemeConfig) -> (&'static str, String) {
    match plan(config) {
        Err(FtlError::Config { setting, reason, .. }) => (setting, reason),
        other => panic!("{config:?}: {other:?}"),
    }
}

fn refused_on_page_level(buffer: BufferSettings) -> (&'static str, String) {
    refused(&config("page-level", buffer))
}

#[test]
fn sizes_that_hold_no_unit_or_more_than_the_array_are_refused() {
    let of = |policy, bytes: u64| BufferSettings { bytes: Some(bytes), ..buffer(policy, 0) };
    for (policy, unit) in [(BufferPolicy::LRU, 1), (BufferPolicy::FAB, u64::from(BLOCK))] {
        let least = unit * u64::from(PAGE_BYTES);
        let (setting, reason) = refused_on_page_level(of(policy, least - 1));
        assert_eq!(setting, "buffer_size");
        assert!(reason.contains(&format!("at least {unit}")), "{reason}");
        let planned = plan(&config("page-level", of(policy, least))).unwrap();
        assert_eq!(u64::from(planned.buffer.unwrap().pages), unit);
    }
    let most = u64::from(64 * BLOCK * PAGE_BYTES);
    assert!(plan(&config("page-level", of(BufferPolicy::LRU, most))).is_ok());
    let (setting, reason) =
        refused_on_page_level(of(BufferPolicy::LRU, most + u64::from(PAGE_BYTES)));
    assert_eq!(setting, "buffer_size");
    assert!(reason.contains("at most 384"), "{reason}");
}

#[test]
fn settings_of_other_policies_are_refused() {
    let window = |policy| BufferSettings { window_percent: Some(10), ..buffer(policy, 24) };
    let fixed = Regions::Fixed { initial: 10, updated: 10 };
    let regions = |policy| BufferSettings { regions: Some(fixed), ..buffer(policy, 24) };
    let never = [Probability::NEVER; 3];
    let updates = |policy| BufferSettings { updates: Some(never), ..buffer(policy, 24) };
    let by_page = |policy| BufferSettings { unit: Some(BufferUnit::Page), ..buffer(policy, 24) };
    for policy in BUFFER_POLICIES.iter().copied() {
        for (settings, only, setting, named) in [
            (window(policy), &[BufferPolicy::CFLRU][..], "buffer_window", "buffer=cflru"),
            (regions(policy), &[BufferPolicy::THREE_REGION], "buffer_regions", "three-region"),
            (updates(policy), &[BufferPolicy::THREE_REGION], "buffer_updates", "three-region"),
            (
                by_page(policy),
                &[BufferPolicy::LRU, BufferPolicy::CFLRU, BufferPolicy::THREE_REGION],
                "buffer_unit",
                "`block`",
            ),
        ] {
            let config = config("page-level", settings);
            if only.contains(&policy) {
                assert!(plan(&config).is_ok(), "{settings:?}");
                continue;
            }
            let (refused, reason) = refused(&config);
            assert_eq!(refused, setting);
            assert!(reason.contains(named), "{reason}");
        }
    }
}

#[test]
fn percentages_out_of_range_are_refused() {
    let window = BufferSettings { window_percent: Some(101), ..buffer(BufferPolicy::CFLRU, 9) };
    let (setting, reason) = refused_on_page_level(window);
    assert_eq!(setting, "buffer_window");
    assert!(reason.contains("101") && reason.contains("100"), "{reason}");
    for (least, most) in [(0, 10), (20, 10), (10, 50)] {
        let regions = Some(Regions::Adaptive { least, most });
        let settings = BufferSettings { regions, ..buffer(BufferPolicy::THREE_REGION, 24) };
        let (setting, reason) = refused_on_page_level(settings);
        assert_eq!(setting, "buffer_regions");
        assert!(reason.contains(&format!("between {least} and {most} %")), "{reason}");
    }
    for (initial, updated) in [(0, 50), (50, 0), (50, 50), (200, 200)] {
        let regions = Some(Regions::Fixed { initial, updated });
        let settings = BufferSettings { regions, ..buffer(BufferPolicy::THREE_REGION, 24) };
        let (setting, reason) = refused_on_page_level(settings);
        assert_eq!(setting, "buffer_regions");
        assert!(reason.contains(&format!("{initial} and {updated} %")), "{reason}");
    }
}

#[test]
fn settings_without_a_buffer_are_refused_by_their_name() {
    let none = BufferSettings::default();
    let settings = [
        ("buffer_size", BufferSettings { bytes: Some(4096), ..none }),
        ("buffer_unit", BufferSettings { unit: Some(BufferUnit::Block), ..none }),
        ("buffer_age", BufferSettings { age_ns: Some(1), ..none }),
        ("buffer_clock", BufferSettings { clock: Some(AgeClock::Arrival), ..none }),
        ("buffer_clean", BufferSettings { clean: Some(CleanUnits::First), ..none }),
        ("buffer_updates", BufferSettings { updates: Some([Probability::NEVER; 3]), ..none }),
        ("buffer_time", BufferSettings { ram_ns: Some(1), ..none }),
        ("buffer_reads", BufferSettings { reads: Some(true), ..none }),
        ("buffer_window", BufferSettings { window_percent: Some(1), ..none }),
        ("buffer_regions", BufferSettings { regions: Some(Regions::ADAPTIVE), ..none }),
    ];
    for policy in [None, Some(None)] {
        for (setting, settings) in settings {
            let (refused, reason) = refused_on_page_level(BufferSettings { policy, ..settings });
            assert_eq!(refused, setting);
            assert!(reason.contains("buffer=lru"), "{reason}");
        }
    }
    assert_eq!(plan(&config("page-level", none)).unwrap().buffer, None);
}

#[test]
fn collectors_that_take_no_page_from_a_buffer_are_not_asked_to() {
    let aware = BufferSettings { aware: Some(true), ..buffer(BufferPolicy::LRU, 24) };
    let mut asked = 0;
    for preset in REGISTRY {
        let config = SchemeConfig { buffer: aware, ..SchemeConfig::preset(preset) };
        if preset.settings.contains(&"aware") {
            asked += 1;
            match plan(&config) {
                Ok(plan) => assert!(plan.buffer.unwrap().aware),
                Err(error) => assert!(!error.to_string().contains("aware"), "{error}"),
            }
            continue;
        }
        let (setting, reason) = refused(&config);
        assert_eq!(setting, "aware");
        assert!(reason.contains(preset.name), "{reason}");
    }
    assert!(asked > 0);
}

#[test]
fn what_is_not_asked_for_is_by_default() {
    for policy in BUFFER_POLICIES.iter().copied() {
        let settings = BufferSettings { bytes: None, ..buffer(policy, 0) };
        let planned = plan(&config("page-level", settings)).unwrap();
        let buffer = planned.buffer.unwrap();
        let by_page = [BufferPolicy::LRU, BufferPolicy::CFLRU].contains(&policy);
        // 16 MiB would be more than the array has, so the default is an eighth of the array.
        assert_eq!((buffer.policy, buffer.pages), (policy, 64 * BLOCK / 8));
        assert_eq!(buffer.unit_pages, if by_page { 1 } else { BLOCK });
        assert_eq!((buffer.age_ns, buffer.ram_ns), (30_000_000_000, 0));
        assert_eq!(buffer.reads, policy == BufferPolicy::CFLRU);
        assert_eq!(buffer.window_pages, buffer.pages / 4);
        assert_eq!((buffer.regions, buffer.aware), (Regions::ADAPTIVE, false));
        assert!(planned.guarantee.volatile);
        assert!(planned.ram.buffer >= u64::from(buffer.pages * PAGE_BYTES));
    }
}
