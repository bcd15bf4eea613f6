//! How much of an array schemes export and a workload addresses: from the trace, the capacity and one rule alone, so that a
//! scheme's results do not depend on the schemes beside it.

use super::device::ResolvedScheme;
use super::notation::{Notation, named, read_share};
use flash::Geometry;
use std::fmt;
use workload::{Facts, Space, WorkloadError, WorkloadSpec};

/// What a scheme without a share of its own exports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DefaultShare {
    /// This share of the array, or the most that the scheme can if that is less.
    Of(f64),
    /// The most that the scheme can.
    Own,
}

impl Default for DefaultShare {
    /// 0.875: an over-provisioning of 14.3 %.
    fn default() -> Self {
        Self::Of(0.875)
    }
}

impl DefaultShare {
    /// Pages of this array; `None` if each scheme exports what it can.
    pub(super) fn pages(self, geometry: &Geometry) -> Option<u32> {
        match self {
            Self::Of(share) => Some((f64::from(geometry.pages()) * share).floor() as u32),
            Self::Own => None,
        }
    }
}

impl Notation for DefaultShare {
    fn read(word: &str) -> Result<Self, String> {
        if word == "own" {
            return Ok(Self::Own);
        }
        let share = read_share(word).filter(|share| *share > 0.0 && *share < 1.0);
        share.map(Self::Of).ok_or_else(|| {
            format!(
                "`{word}` is neither a share above 0 and below 1, such as 0.875 or 80%, nor `own`"
            )
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Of(share) => write!(f, "{share}"),
            Self::Own => f.write_str("own"),
        }
    }
}

/// Pages that a built-in workload addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpaceRule {
    /// All that each scheme exports.
    #[default]
    Exported,
    /// The least that any scheme of the list exports: all get the same requests.
    Smallest,
}

impl Notation for SpaceRule {
    fn read(word: &str) -> Result<Self, String> {
        named("rule", word, &[("exported", Self::Exported), ("smallest", Self::Smallest)])
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Exported => "exported",
            Self::Smallest => "smallest",
        })
    }
}

/// Whether a page that a request writes in part is read first, so that its other bytes are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartialPages {
    /// The read is a page task of its own before the write.
    #[default]
    Charged,
    /// The write is all: as papers count that do not name the read.
    Free,
}

impl Notation for PartialPages {
    fn read(word: &str) -> Result<Self, String> {
        named("way", word, &[("charged", Self::Charged), ("free", Self::Free)])
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Charged => "charged",
            Self::Free => "free",
        })
    }
}

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
