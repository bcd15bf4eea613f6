//! The promises of schemes that are not page-mapped in RAM: proved on tiny arrays by every request sequence,
//! and attacked on larger ones.

use flash::Store;
use ftl::{SchemeConfig, registry};
use ftlkit_testkit::conformance::Described;
use ftlkit_testkit::exhaustive::{Proof, Refutation, Search, prove_by_history};
use ftlkit_testkit::projection::ByHistory;
use ftlkit_testkit::shape::Shape;

fn scheme(name: &str, logical_pages: u32) -> SchemeConfig {
    let preset = registry::by_name(name).unwrap();
    SchemeConfig { logical_pages: Some(logical_pages), ..SchemeConfig::preset(preset) }
}

fn by_logical_block(shape: &Shape) -> ByHistory {
    ByHistory { group_pages: shape.pages_per_block, by_access: false }
}

fn search(config: &SchemeConfig, shape: Shape, search: Search) -> Result<Proof, Refutation> {
    let array = shape.array(Store::Metadata, &[]);
    prove_by_history(config, array, search, by_logical_block(&shape))
}

fn proof(config: &SchemeConfig, shape: Shape, how: Search) -> Proof {
    match search(config, shape, how) {
        Ok(proof) => {
            println!("{} on {shape}: {proof}", Described(config));
            proof
        }
        Err(refutation) => panic!("{} on {shape}: {refutation}", Described(config)),
    }
}

#[test]
fn no_sequence_of_requests_breaks_nftl() {
    let trims = Search { trims: true, ..Search::default() };
    let plain = Search { trims: false, ..Search::default() };
    proof(&scheme("nftl", 2), Shape::new(3, 2, 1), trims);
    proof(&scheme("nftl", 4), Shape::new(4, 2, 1), plain);
    proof(&scheme("nftl", 4), Shape::new(5, 2, 1), plain);
    proof(&scheme("nftl", 3), Shape::new(3, 3, 1), plain);
}

#[test]
fn states_of_one_projection_go_on_alike() {
    let checked = Search { check_projection: true, trims: false, ..Search::default() };
    for (pages, shape) in [(4, Shape::new(4, 2, 1)), (2, Shape::new(3, 2, 1))] {
        proof(&scheme("nftl", pages), shape, checked);
    }
}
