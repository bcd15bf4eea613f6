//! Placement by the origin of a page alone: `none` and `split`, the two settings of [`FrontierSharing`].

use super::policy::{PlacementPolicy, Places};
use crate::frontier_sharing::FrontierSharing;

const NO_STATE: &str = "it has none";

/// Declaration of `none`.
pub(super) static NONE: PlacementPolicy = PlacementPolicy {
    name: "none",
    numbers: &[],
    summary: "one open block for all pages, as `frontiers=shared`",
    source: "Zhang et al., TODAES 20(3):43, 2015",
    after_mount: NO_STATE,
    victims: &[],
    places: Places::ByOrigin(FrontierSharing::Shared),
};

/// Declaration of `split`.
pub(super) static SPLIT: PlacementPolicy = PlacementPolicy {
    name: "split",
    numbers: &[],
    summary: "host writes apart from the copies of collection, as `frontiers=split`",
    source: "Van Houdt, Performance Evaluation 70(10), 2013",
    after_mount: NO_STATE,
    victims: &[],
    places: Places::ByOrigin(FrontierSharing::Split),
};
