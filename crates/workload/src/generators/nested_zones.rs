//! Nested zones: a hot zone, within it a hotter one, and so on; uniform within what is left of each.

use crate::error::WorkloadError;
use crate::generators::generator::{Build, Built, BuiltinInfo};
use crate::generators::law::{Law, SCATTER, Zones};
use crate::generators::mix::{OPERATIONS, SIZES, generator};
use crate::generators::pace;
use crate::parameters::{Kind, ParameterInfo};

const FORM: &str =
    "PERCENT OF SPACE/PERCENT OF REQUESTS of each zone within the one before, as 10/90:10/90";

static ZONES: &[ParameterInfo] = &[
    ParameterInfo {
        name: "zones",
        summary: "hot zones, outermost first, each as its share of the zone around it and of the requests that go there",
        unit: "%/%",
        kind: Kind::Text(FORM),
        default: "10/90:10/90",
    },
    SCATTER,
];

pub(crate) static INFO: BuiltinInfo = BuiltinInfo {
    name: "nested-zones",
    summary: "requests of one size to hot zones within hot zones; one zone 10/90 gives 90 % of the space 10 % of them",
    parameters: &[ZONES, OPERATIONS, SIZES, pace::PARAMETERS],
    requests: Some(1_000_000),
    source: "G. Haas et al., SSD-iq: Uncovering the Hidden Side of SSD Performance, PVLDB 18, 2025 (zones)",
    build,
};

fn build(request: &Build<'_>) -> Result<Built, WorkloadError> {
    let parameters = request.parameters;
    let nested =
        nested(parameters.text("zones")).ok_or_else(|| parameters.refuse("zones", FORM))?;
    generator(request, |places| {
        let zones = Zones::new(places, &rings(&nested)).ok_or_else(|| {
            let expected =
                format!("such that its zones fit {places} places, one at least where requests go");
            parameters.refuse("zones", expected)
        })?;
        Ok(Law::Zoned(zones, request.scatter(places)))
    })
}

/// Share of the space and of the requests of each zone, within the zone around it.
fn nested(text: &str) -> Option<Vec<(f64, f64)>> {
    let share = |text: &str| {
        let percent: f64 = text.trim().trim_end_matches('%').parse().ok()?;
        (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
    };
    let zone = |text: &str| {
        let (space, requests) = text.split_once('/')?;
        Some((share(space)?, share(requests)?))
    };
    text.split(':').map(zone).collect()
}

/// What each zone has besides the zone within it, as (share of the requests, share of the space), innermost first.
fn rings(nested: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let (mut space, mut requests) = (1.0, 1.0);
    let mut rings = Vec::new();
    for (inner_space, inner_requests) in nested {
        rings.push((requests * (1.0 - inner_requests), space * (1.0 - inner_space)));
        (space, requests) = (space * inner_space, requests * inner_requests);
    }
    rings.push((requests, space));
    rings.reverse();
    rings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_have_what_their_inner_zone_leaves() {
        let found = rings(&nested("10/90:20%/50").unwrap());
        let right = [(0.45, 0.02), (0.45, 0.08), (0.1, 0.9)];
        for (found, right) in found.iter().zip(right) {
            assert!((found.0 - right.0).abs() < 1e-12 && (found.1 - right.1).abs() < 1e-12);
        }
        assert_eq!(found.len(), 3);
        for wrong in ["", "10", "10/", "10/101", "10/90:", "a/b", "-1/2", "nan/1"] {
            assert!(nested(wrong).is_none(), "{wrong}");
        }
    }
}
