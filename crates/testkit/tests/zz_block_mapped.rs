//! Temporary.
use flash::Store;
use ftl::SchemeConfig;
use ftl::registry::by_name;
use ftlkit_testkit::conformance::*;
use ftlkit_testkit::operations::Pattern;
use ftlkit_testkit::power_cut;
use ftlkit_testkit::shape::{SHAPES, Shape};

fn name() -> String {
    std::env::var("SCHEME").unwrap_or("nftl".into())
}
fn preset() -> SchemeConfig {
    SchemeConfig::preset(by_name(&name()).unwrap())
}

#[test]
fn conforms() {
    let _ = Store::All;
    let mut worst = ftlkit_testkit::checks::Worst::default();
    for shape in accepted(&preset(), SHAPES, 0) {
        for pattern in Pattern::ALL {
            for seed in 1..4 {
                let w = conform(&Case::new(preset(), shape, pattern, seed, 4000))
                    .unwrap_or_else(|v| panic!("{v}"));
                worst.merge(&w);
            }
        }
        println!("{shape}: {worst:?}");
    }
}
#[test]
fn bad() {
    for (bad, spare_blocks) in [(vec![0], 1), (vec![2, 3], 2), (vec![9], 2), (vec![9], 5)] {
        for pattern in Pattern::ALL {
            for shape in [Shape::new(10, 8, 3), Shape::new(17, 16, 8), Shape::new(30, 16, 16)] {
                let scheme = SchemeConfig { spare_blocks, ..preset() };
                let case = Case::new(scheme, shape, pattern, 2, 3000);
                match conform(&Case { bad: bad.clone(), ..case }) {
                    Ok(_) => {}
                    Err(Verdict::Refused(e)) => println!("{e}"),
                    Err(v) => panic!("{v}"),
                }
            }
        }
    }
}
#[test]
fn failing() {
    let mut bad = 0;
    for seed in 0..40 {
        for pattern in Pattern::ALL {
            let scheme = SchemeConfig { spare_blocks: 12, ..preset() };
            for (shape, programs_per_million, erases_per_million) in [
                (Shape::new(24, 8, 3), 800, 1000),
                (Shape::new(24, 8, 3), 300, 400),
                (Shape::new(28, 8, 8), 300, 400),
                (Shape::new(48, 16, 8), 300, 400),
                (Shape::new(24, 16, 16), 300, 400),
            ] {
                if programs_per_million == 800 && seed >= 8 {
                    continue;
                }
                let case = Case::new(scheme.clone(), shape, pattern, seed, 3000);
                let faults = Faults { programs_per_million, erases_per_million };
                match conform(&Case { faults, ..case }) {
                    Ok(_) => {}
                    Err(Verdict::Refused(_)) => {}
                    Err(v) => {
                        bad += 1;
                        println!("{v}")
                    }
                }
            }
        }
    }
    assert_eq!(bad, 0);
}
#[test]
fn cuts() {
    let mut n = 0;
    for shape in SHAPES.iter().chain(&[Shape::new(6, 16, 16), Shape::new(9, 16, 8)]) {
        if shape.blocks * shape.pages_per_block > 150 {
            continue;
        }
        for pattern in Pattern::ALL {
            let case = power_cut::Case {
                scheme: preset(),
                shape: *shape,
                pattern,
                seed: 1,
                operations: 160,
                go_on: 120,
                torn_in_a_row: 1,
                trims_may_fill: false,
            };
            match power_cut::every_cut(&case) {
                Ok(t) => n += t.cuts,
                Err(power_cut::Verdict::Refused(_)) => {}
                Err(v) => panic!("{v}"),
            }
            for seed in 0..20 {
                let case =
                    power_cut::Case { seed, operations: 600, torn_in_a_row: 3, ..case.clone() };
                match power_cut::storm(&case, 40) {
                    Ok(_) => {}
                    Err(power_cut::Verdict::Refused(_)) => {}
                    Err(v) => panic!("{v}"),
                }
            }
        }
    }
    println!("{n} cuts");
}
#[test]
fn large() {
    for pattern in [Pattern::FillThenOverwrite, Pattern::SpreadInvalidation] {
        let w = conform(&Case::new(preset(), Shape::new(1024, 256, 8), pattern, 5, 700_000))
            .unwrap_or_else(|v| panic!("{v}"));
        println!("{w:?}");
    }
}
struct V(u64, u32);
impl ftl::Visitor<flash::Serial<flash::faults::ProgramEraseFailure<flash::Array>>> for V {
    type Output = u64;
    fn visit<
        S: ftl::Scheme<Flash = flash::Serial<flash::faults::ProgramEraseFailure<flash::Array>>>
            + Clone,
    >(
        self,
        mut s: S,
    ) -> u64 {
        use flash::{BlockId, Flash};
        for (i, op) in Pattern::SpreadInvalidation
            .sequence(s.logical_pages(), s.flash().geometry().pages_per_block(), self.0)
            .enumerate()
        {
            let ftlkit_testkit::operations::Operation::Write(l) = op else { continue };
            let res = s.write(flash::Lpn(l % s.logical_pages()), &[]);
            if let Err(e) = res {
                let n = s.flash().geometry().blocks();
                let bad = (0..n).filter(|b| s.flash().is_bad(BlockId(*b))).count() as u32;
                assert!(bad > self.1, "{e} at {i}, bad {bad}");
                return i as u64;
            }
        }
        0
    }
}
#[test]
fn count_bad() {
    for seed in 0..300 {
        for (shape, spare) in
            [(Shape::new(24, 8, 3), 12), (Shape::new(48, 16, 16), 12), (Shape::new(13, 8, 8), 1)]
        {
            let mut a =
                flash::faults::ProgramEraseFailure::new(shape.array(Store::Metadata, &[]), seed);
            a.fail_programs(800);
            a.fail_erases(1000);
            ftl::registry::format(
                &SchemeConfig { spare_blocks: spare, ..preset() },
                flash::Serial::new(a),
                V(seed, spare),
            )
            .unwrap();
        }
    }
}
