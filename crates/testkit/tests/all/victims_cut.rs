//! Power cuts below page maps whose victims are chosen by erase counts, by lists and by searches in turns.

use crate::scheme;
use ftl::{SchemeConfig, VictimKind};
use ftlkit_testkit::suite;

#[test]
fn victims_by_erases_lists_and_turns_survive_power_cuts() {
    let kinds = [
        VictimKind::COST_AGE_TIMES,
        VictimKind::JFFS2,
        VictimKind::YAFFS2,
        VictimKind::YAFFS2_PASSIVE,
    ];
    let with = |victim| SchemeConfig { victim: Some(victim), ..scheme("page-level") };
    let schemes = kinds.map(with);
    suite::power_cuts(&schemes).unwrap_or_else(|failed| panic!("{failed}"));
}
