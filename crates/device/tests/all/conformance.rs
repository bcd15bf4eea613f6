//! The suites with the image below every scheme: conformance, and power cuts at every operation.

use crate::on_disk::OnDisk;
use ftl::{SchemeConfig, registry::REGISTRY};
use testkit::conformance::{self, Faults, conform_on};
use testkit::operations::Pattern;
use testkit::power_cut::{self, Tally, every_cut_on, storm_on};
use testkit::shape::Shape;
use testkit::suite::{all_pass, is_volatile, roomy_shape, small_shapes};

fn image(shape: &Shape, bad: &[u32]) -> OnDisk {
    OnDisk::new(shape.geometry(), &shape.part(), bad)
}

fn schemes() -> impl Iterator<Item = SchemeConfig> {
    REGISTRY.iter().map(|preset| SchemeConfig::preset(preset))
}

#[test]
fn every_scheme_conforms_on_an_image() {
    let cases = schemes().flat_map(|scheme| {
        let shape = roomy_shape(&scheme).expect("every scheme has such a shape");
        let case = |pattern, faults| conformance::Case {
            faults,
            ..conformance::Case::new(scheme.clone(), shape, pattern, 3, 1500)
        };
        let failing = Faults { programs_per_million: 500, erases_per_million: 200 };
        let mut cases = Pattern::ALL.map(|pattern| case(pattern, Faults::default())).to_vec();
        // On an array with blocks to spare for those that fail.
        let spares = SchemeConfig { spare_blocks: 2, ..scheme.clone() };
        let roomy = Shape::new(48, 8, 8);
        if conformance::logical_pages(&spares, &roomy, 0).is_ok() {
            let spare = conformance::Case::new(spares, roomy, Pattern::Uniform, 3, 1500);
            cases.push(conformance::Case { faults: failing, ..spare });
        }
        cases
    });
    let cases: Vec<_> = cases.collect();
    let run =
        |case: &conformance::Case| match conform_on(case, &|case| image(&case.shape, &case.bad)) {
            Ok(_) | Err(conformance::Verdict::WornOut { .. }) => Ok(()),
            Err(verdict) => Err(verdict),
        };
    all_pass(&cases, &run).unwrap_or_else(|failed| panic!("{failed}"));
}

#[test]
fn every_scheme_mounts_from_an_image_after_a_power_cut_at_any_operation() {
    let cases: Vec<_> = schemes()
        .map(|scheme| {
            let [shape, ..] = small_shapes(&scheme).expect("every scheme has such shapes");
            let operations = if is_volatile(&scheme) { 90 } else { 40 };
            let case = power_cut::Case::new(scheme, shape, Pattern::FillThenOverwrite, 1);
            // The suite in memory cuts every mount. Here it is about the file: one of eight mounts has all that is in them.
            let case = power_cut::Case { operations, go_on: 40, shutdown: true, ..case };
            power_cut::Case { mounts_cut: 8, cuts_of_a_mount: u64::MAX, ..case }
        })
        .collect();
    let run = |case: &power_cut::Case| every_cut_on(case, &|case| image(&case.shape, &[]));
    let mut total = Tally::default();
    let tallies = all_pass(&cases, &run).unwrap_or_else(|failed| panic!("{failed}"));
    tallies.iter().for_each(|tally| total.add(tally));
    println!("{total:?}");
    assert!(total.cuts > 4000 && total.mount_cuts > 4000, "{total:?}");
}

#[test]
fn every_scheme_mounts_from_an_image_through_storms_of_cuts() {
    let cases: Vec<_> = schemes()
        .map(|scheme| {
            let shape = roomy_shape(&scheme).expect("every scheme has such a shape");
            let case = power_cut::Case::new(scheme, shape, Pattern::Uniform, 5);
            power_cut::Case { operations: 300, shutdown: true, ..case }
        })
        .collect();
    let run = |case: &power_cut::Case| storm_on(case, 40, &|case| image(&case.shape, &[]));
    let cuts = all_pass(&cases, &run).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{cuts:?}");
    assert!(cuts.iter().all(|cuts| *cuts > 3), "{cuts:?}");
}
