//! The pages of each scheme that a workload addresses: from the trace, the capacity and one rule alone, so that a scheme's
//! results do not depend on the schemes beside it.

use super::device::ResolvedScheme;
use super::share::{DefaultShare, SpaceRule};
use flash::Geometry;
use workload::{Facts, Space, WorkloadError, WorkloadSpec};

fn space_of(pages: u32, geometry: &Geometry) -> Space {
    Space {
        bytes: u64::from(pages) * u64::from(geometry.page_bytes()),
        page_bytes: geometry.page_bytes(),
        pages_per_block: geometry.pages_per_block(),
    }
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
    let common = match (rule, share.pages(geometry)) {
        (SpaceRule::Smallest, _) => least,
        (SpaceRule::Exported, Some(pages)) => pages,
        (SpaceRule::Exported, None) => most,
    };
    let facts = workload.check(space_of(common, geometry))?;
    if !matches!(workload, WorkloadSpec::Trace { .. }) {
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
                 a larger --capacity holds them",
                needed as f64 / f64::from(geometry.pages()),
                f64::from(pages) / f64::from(geometry.pages()),
            );
            left_out.push((scheme.label.clone(), reason));
            return false;
        }
        scheme.space_pages = common.min(pages);
        true
    });
    Ok((facts, left_out))
}
