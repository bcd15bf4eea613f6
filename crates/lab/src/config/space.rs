//! The pages of each scheme that a workload addresses: from the trace, the capacity and one rule alone, so that a scheme's
//! results do not depend on the schemes beside it.

use super::device::ResolvedScheme;
use super::share::{DefaultShare, SpaceRule};
use flash::Geometry;
use workload::quantity::Bytes;
use workload::{Facts, Space, WorkloadError, WorkloadSpec};

fn space_of(pages: u32, geometry: &Geometry) -> Space {
    Space {
        bytes: u64::from(pages) * u64::from(geometry.page_bytes()),
        page_bytes: geometry.page_bytes(),
        pages_per_block: geometry.pages_per_block(),
    }
}

/// Capacity at which a scheme that exports `pages` of this array exports `needed` pages, in whole MiB.
fn capacity_for(needed: u64, pages: u32, geometry: &Geometry) -> Bytes {
    const MIB: u128 = 1 << 20;
    let block = u128::from(geometry.pages_per_block()) * u128::from(geometry.page_bytes());
    let scaled = u128::from(geometry.capacity_bytes()) * u128::from(needed);
    let bytes = scaled.div_ceil(u128::from(pages.max(1))) + block;
    Bytes::new(u64::try_from(bytes.div_ceil(MIB) * MIB).unwrap_or(u64::MAX))
}

/// Checks the workload for each scheme's space, and gives it to the scheme. Returns what is known of the workload as a
/// whole, and why a scheme was taken out: it cannot hold the trace's data.
pub(super) fn assign(
    workload: &WorkloadSpec,
    geometry: &Geometry,
    share: DefaultShare,
    rule: SpaceRule,
    schemes: &mut Vec<ResolvedScheme>,
) -> Result<(Facts, Vec<(String, String)>), WorkloadError> {
    let exported = |scheme: &ResolvedScheme| scheme.plan.logical_pages;
    let least = schemes.iter().map(exported).min().unwrap_or(0);
    let most = schemes.iter().map(exported).max().unwrap_or(0);
    let is_trace = matches!(workload, WorkloadSpec::Trace { .. });
    let common = match (rule, share.pages(geometry)) {
        (SpaceRule::Smallest, _) => least,
        // A trace has one space whatever is exported.
        (SpaceRule::Exported, Some(pages)) if is_trace => pages,
        (SpaceRule::Exported, _) => most,
    };
    let facts = workload.check(space_of(common, geometry))?;
    if !is_trace {
        for scheme in schemes.iter_mut() {
            let pages = match rule {
                SpaceRule::Exported => exported(scheme),
                SpaceRule::Smallest => least,
            };
            if pages != common {
                scheme.facts = Some(workload.check(space_of(pages, geometry))?);
            }
            scheme.space_pages = pages;
        }
        return Ok((facts, Vec::new()));
    }
    let needed = facts.footprint_bytes.div_ceil(geometry.page_bytes().into());
    let mut left_out = Vec::new();
    schemes.retain_mut(|scheme| {
        let pages = exported(scheme);
        if needed > u64::from(pages) {
            let reason = format!(
                "cannot hold the data: the trace touches {needed} pages, {:.3} of the array, and it exports {pages}, {:.3}; \
                 a --capacity of about {} holds them",
                needed as f64 / f64::from(geometry.pages()),
                f64::from(pages) / f64::from(geometry.pages()),
                capacity_for(needed, pages, geometry),
            );
            left_out.push((scheme.label.clone(), reason));
            return false;
        }
        scheme.space_pages = common.min(pages);
        true
    });
    Ok((facts, left_out))
}
