//! The suites on a preset and a victim policy from outside the registry, including ones whose bounds are too low. A
//! further test shows that a run of copies equals its single copies.

use crate::scheme;
use flash::{
    AnyArray, Cause, DynFlash, FlashError, Geometry, Layer, Lpn, Part, Ppn, Store, copy_one_by_one,
};
use ftl::registry::{by_name, format};
use ftl::victims::{Fifo, ValidPages, VictimPolicy};
use ftl::{FtlError, Plan, Preset, SchemeConfig, VictimKind};
use ftlkit_testkit::history::History;
use ftlkit_testkit::shape::{CHANNEL_SHAPES, Shape};
use ftlkit_testkit::suite;
use ftlkit_testkit::watched::Watched;
use std::slice::from_ref;

fn own(name: &'static str, plan: PlanOf) -> SchemeConfig {
    let preset = Preset { name, plan, ..*by_name("lazy-rtgc").unwrap() };
    SchemeConfig::preset(Box::leak(Box::new(preset)))
}

type PlanOf = fn(&SchemeConfig, &Part, &Geometry, u32) -> Result<Plan, FtlError>;

const SOUND: PlanOf =
    |config, part, geometry, blocks| (by_name("lazy-rtgc")?.plan)(config, part, geometry, blocks);

/// A preset whose bound on victims is one valid page too low.
const RASH: PlanOf = |config, part, geometry, blocks| {
    let mut plan = SOUND(config, part, geometry, blocks)?;
    plan.guarantee.victim_valid = plan.guarantee.victim_valid.map(|valid| valid.saturating_sub(1));
    Ok(plan)
};

#[test]
fn a_preset_of_ones_own_is_taken_and_one_that_promises_too_much_is_told() {
    let sound = own("own", SOUND);
    suite::conformance(from_ref(&sound)).unwrap();
    suite::power_cuts(from_ref(&sound)).unwrap();
    suite::promises(from_ref(&sound)).unwrap();
    let rash = own("rash", RASH);
    for failed in
        [suite::conformance(from_ref(&rash)).err(), suite::promises(from_ref(&rash)).err()]
            .map(Option::unwrap)
    {
        let first = &failed.failures[0];
        assert!(first.contains("rash") && first.contains("valid pages"), "{failed}");
    }
}

const fn oldest(name: &'static str, valid_pages: ValidPages) -> VictimPolicy {
    VictimPolicy {
        name,
        numbers: &[],
        summary: "the block that was filled first",
        source: "",
        chooses_many: false,
        valid_pages,
        controller_bytes: |_| 0,
        make: |among| Box::new(Fifo::new(among.blocks, among.pages_per_block)),
    }
}

static OLDEST: VictimPolicy = oldest("oldest", ValidPages::Gaining);

/// A policy that claims to choose as well as greedy does.
static BOASTFUL: VictimPolicy = oldest("boastful", ValidPages::Fewest);

#[test]
fn a_victim_policy_of_ones_own_is_taken_and_one_that_promises_too_much_is_told() {
    let with = |policy: &'static VictimPolicy| {
        let victim = policy.kind(&[]);
        SchemeConfig { victim, ..scheme("page-level") }
    };
    suite::conformance(&[with(&OLDEST)]).unwrap();
    suite::promises(&[with(&OLDEST)]).unwrap();
    // So few pages that full blocks have invalid pages on average.
    let boastful = SchemeConfig { logical_pages: Some(60), ..with(&BOASTFUL) };
    let failed = suite::conformance(&[boastful]).unwrap_err();
    let first = &failed.failures[0];
    assert!(first.contains("boastful") && first.contains(", bound "), "{failed}");
}

/// An array that splits runs of copies into single ones.
#[derive(Clone, Debug)]
struct OneByOne(Watched);

impl Layer for OneByOne {
    flash::layer_on!(self, self.0, Watched);

    fn copy_run(
        &mut self,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        copy_one_by_one(from, to, lpns, |from, to| self.0.copy(from, to, seq, cause))
    }
}

impl DynFlash for OneByOne {}

/// State of the array, its history and its account after some writes.
fn written(config: &SchemeConfig, array: AnyArray) -> AnyArray {
    let mut scheme = format(config, array).unwrap();
    let pages = scheme.logical_pages();
    for write in 0..20 * pages {
        let lpn = if write < pages { write } else { write.wrapping_mul(0x9e37_79b9) >> 7 };
        scheme.write(Lpn(lpn % pages), None).unwrap();
    }
    scheme.into_flash()
}

#[test]
fn a_run_of_copies_leaves_what_its_copies_leave() {
    let two_way = CHANNEL_SHAPES[3];
    for (name, victim) in [
        ("page-level", None),
        ("lazy-rtgc", None),
        ("2lgc", None),
        ("page-level", Some(VictimKind::FIFO)),
    ] {
        for shape in [Shape::new(16, 8, 4), two_way] {
            let config = SchemeConfig { victim, ..scheme(name) };
            let watched = || Watched::new(History::new(shape.array(Store::Metadata, &[])));
            let runs = written(&config, AnyArray::new(watched()));
            let copies = written(&config, AnyArray::new(OneByOne(watched())));
            let runs: Watched = runs.downcast().unwrap();
            let OneByOne(copies) = copies.downcast().unwrap();
            assert!(runs.victim_valid().iter().sum::<u64>() > 0, "{name} on {shape}");
            assert_eq!(format!("{runs:?}"), format!("{copies:?}"), "{name} on {shape}");
        }
    }
}
