//! Packed entries against plain tables, in a scheme against the array, and at their limits.

use super::*;
use crate::interface::{Background, Ftl};
use crate::page_mapped::collection::{Collection, Preemptible};
use crate::page_mapped::core::{Core, LOST};
use crate::page_mapped::mount::{Numbers, mount};
use crate::page_mapped::scheme::PageMapped;
use crate::page_mapped::tables::Flat;
use crate::plan::Plan;
use crate::preset::SchemeConfig;
use crate::registry::{by_name, plan};
use crate::victim_work::VictimWork;
use crate::victims::TwoLevelList;
use alloc::boxed::Box;
use flash::{Array, Flash, Store, parts::EVALUATION_SLC};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

#[test]
fn the_fields_of_a_block_entry_fill_32_bits_and_as_many_more_as_their_counts_need() {
    for (pages, width) in [(2, 32), (128, 32), (255, 32), (256, 34), (511, 34), (512, 36)] {
        let Fields { next_page, invalid, erased, free, bad } = Fields::of(pages);
        let fields = [bad, free, erased, invalid, next_page, ERASES];
        let bits = |field: &Field| u64::from(field.most()) << field.shift;
        assert_eq!(fields.iter().map(|field| field.bits).sum::<u32>(), width);
        assert_eq!(block_entry_bits(pages), width);
        assert_eq!(fields.iter().map(bits).fold(0, |all, bits| all ^ bits), (1 << width) - 1);
        assert!(pages <= invalid.most() && invalid.bits == next_page.bits);
        for field in fields {
            let mut entry = !0;
            field.set(&mut entry, 0);
            assert_eq!(entry, !bits(&field));
            field.set(&mut entry, field.most());
            assert_eq!((entry, field.get(entry)), (!0, field.most()));
        }
    }
    assert_eq!(block_entry_bits((1 << MOST_COUNT_BITS) - 1), 64);
}

#[test]
fn arrays_beyond_the_fields_are_refused() {
    let limit_of = |blocks, pages, endurance_cycles| {
        let part = Part { endurance_cycles, ..EVALUATION_SLC.clone() };
        let geometry = Geometry::new(blocks, pages, 2048).unwrap();
        limit(&geometry, &part)
    };
    assert_eq!(limit_of(100, 255, Some(8191)), None);
    assert_eq!(limit_of(100, 256, Some(8191)), None);
    let (setting, what) = limit_of(2, 1 << MOST_COUNT_BITS, None).unwrap();
    assert!(setting == "part" && what.contains("16777216 pages"), "{what}");
    let (setting, what) = limit_of(100, 64, Some(8192)).unwrap();
    assert!(setting == "part" && what.contains("8192") && what.contains("13 bits"), "{what}");
    // 2³¹ − 2 pages, as blocks of 93 pages; one more block exceeds the limit.
    let (blocks, pages) = (2 * 3 * 7 * 11 * 151 * 331, 3 * 31);
    assert_eq!(u64::from(blocks) * u64::from(pages), (1 << 31) - 2);
    assert_eq!(limit_of(blocks, pages, None), None);
    let (setting, what) = limit_of(blocks + 1, pages, None).unwrap();
    assert!(setting == "capacity" && what.contains("2147483646"), "{what}");

    // Blocks of 256 pages have entries of 34 bits.
    let config = SchemeConfig::preset(by_name("2lgc").unwrap());
    for (pages_per_block, bytes) in [(255, 4), (256, 5)] {
        let part = Part { pages_per_block, endurance_cycles: None, ..EVALUATION_SLC.clone() };
        let geometry = Geometry::new(64, pages_per_block, 2048).unwrap();
        let ram = plan(&config, &part, &geometry, 64).unwrap().ram;
        assert_eq!((ram.map, ram.blocks), (64 * u64::from(pages_per_block) * 4, 64 * bytes));
    }
}

#[test]
fn an_erase_count_stays_at_its_greatest() {
    let geometry = Geometry::new(4, 8, 512).unwrap();
    let mut packed = Packed::new(&geometry, 20);
    packed.set_erases(BlockId(1), 8189);
    packed.set_erases(BlockId(2), 100_000);
    let before = packed.blocks.clone();
    let counts: Vec<u32> = (0..4).map(|_| packed.erased(BlockId(1), 0)).collect();
    assert_eq!(counts, [8190, 8191, 8191, 8191]);
    assert_eq!((packed.erased(BlockId(2), 0), packed.saturated_erases()), (8191, 3));
    assert_eq!((packed.blocks[0], packed.blocks[2]), (before[0], before[2]));
    assert_eq!(packed.blocks[1] ^ before[1], 8189 ^ 8191);
}

proptest! {
    #![proptest_config(crate::properties::config())]

    /// Both tables give the same answers after the same updates.
    #[test]
    fn agrees_with_plain_tables(
        pages in 2u32..=600,
        steps in proptest::collection::vec((0u8..8, 0u32..6, any::<u32>(), 0u32..6), 0..400),
    ) {
        let geometry = Geometry::new(6, pages, 512).unwrap();
        let logical = geometry.pages() - pages / 2;
        let (mut flat, mut packed) = (Flat::new(&geometry, logical), Packed::new(&geometry, logical));
        for (what, block, any, other) in steps {
            let (id, page) = (BlockId(block), any % pages);
            match what {
                0 => {
                    flat.open(id, page + 1);
                    packed.open(id, page + 1);
                }
                1..=3 if flat.next_valid(id, page) == Some(page) => {
                    prop_assert_eq!(flat.clear(id, page), packed.clear(id, page));
                }
                _ => {
                    let to = match other {
                        0 => UNMAPPED,
                        1 => LOST,
                        _ => any % geometry.pages(),
                    };
                    let lpn = Lpn(any.rotate_left(7) % logical);
                    prop_assert_eq!(flat.set(lpn, to), packed.set(lpn, to));
                    prop_assert_eq!(packed.get(lpn), to);
                }
            }
        }
        for block in (0..6).map(BlockId) {
            prop_assert_eq!(flat.valid(block), packed.valid(block));
            let runs = [0, 7, 300].map(|length: usize| {
                let (mut one, mut two) = (vec![Ppn(0); length], vec![Ppn(0); length]);
                let from = pages / 3;
                let found = [flat.run(block, from, 1000, &mut one), packed.run(block, from, 1000, &mut two)];
                found[0] == found[1] && one == two
            });
            prop_assert_eq!(runs, [true; 3]);
            prop_assert_eq!(flat.valid_from(block, pages / 2), packed.valid_from(block, pages / 2));
        }
        for lpn in (0..logical).map(Lpn) {
            prop_assert_eq!(flat.get(lpn), packed.get(lpn));
        }
        let (mut one, mut two) = (flat.clone(), packed.clone());
        one.put_map(flat.take_map());
        two.put_map((0..logical).map(|lpn| packed.get(Lpn(lpn))).collect());
        prop_assert!((0..logical).map(Lpn).all(|lpn| one.get(lpn) == two.get(lpn)));
        prop_assert_eq!(&two.pages, &packed.pages);
        prop_assert_eq!(packed.ram_bytes(), ram_bytes(&geometry));
    }
}

fn shape() -> (Geometry, Part, Plan) {
    let geometry = Geometry::new(24, 16, 512).unwrap();
    let part = Part { pages_per_block: 16, page_bytes: 512, ..EVALUATION_SLC.clone() };
    let config =
        SchemeConfig { logical_pages: Some(300), ..SchemeConfig::preset(by_name("2lgc").unwrap()) };
    let plan = plan(&config, &part, &geometry, 24).unwrap();
    (geometry, part, plan)
}

/// Makes a `2lgc` over these tables.
fn scheme<T: Tables>(
    tables: T,
    array: Array,
    plan: &Plan,
) -> PageMapped<Array, TwoLevelList, Preemptible, T> {
    let victims = TwoLevelList::new(24, 16);
    PageMapped {
        core: Core::new(array, tables, victims, plan),
        collector: Preemptible::new(16),
        guarantee: plan.guarantee,
        idle_collection: true,
        work_before: VictimWork::default(),
    }
}

fn formatted<T: Tables>(tables: T) -> PageMapped<Array, TwoLevelList, Preemptible, T> {
    let (geometry, part, plan) = shape();
    let mut scheme = scheme(tables, Array::new(geometry, part, Store::Metadata), &plan);
    (0..24).for_each(|block| scheme.core.add_free(BlockId(block)));
    scheme
}

fn work<T: Tables>(scheme: &mut PageMapped<Array, TwoLevelList, Preemptible, T>, steps: u32) {
    let mut random = Pcg64::seed_from_u64(9);
    for _ in 0..steps {
        let lpn = Lpn(random.random_range(0..300) * random.random_range(1..300) / 300);
        match random.random_range(0..20) {
            0 => scheme.trim(lpn).unwrap(),
            1 => assert!(scheme.idle().is_ok()),
            _ => scheme.write(lpn, None).unwrap(),
        }
    }
}

/// Checks that the entries hold what a controller could otherwise look up in the array.
fn check<V: crate::victims::Victims, C: Collection>(scheme: &PageMapped<Array, V, C, Packed>) {
    let (packed, array) = (&scheme.core.space.blocks, &scheme.core.flash);
    let Fields { next_page, invalid, erased, free, bad } = packed.fields;
    let mut valid = 0;
    for (entry, block) in packed.blocks.iter().zip((0..).map(BlockId)) {
        let next = array.next_page(block);
        assert_eq!(next_page.get(*entry), next, "{block}");
        assert_eq!(ERASES.get(*entry), array.erase_count(block), "{block}");
        assert_eq!(erased.get(*entry) == 1, next == 0, "{block}");
        assert_eq!(free.get(*entry) == 1, next == 0, "{block}");
        assert_eq!(bad.get(*entry) == 1, array.is_bad(block), "{block}");
        // Unprogrammed pages of an open block are not invalid.
        let invalid = invalid.get(*entry);
        valid += if next == 0 { 0 } else { next - invalid };
    }
    let mapped = (0..300).map(Lpn).filter(|lpn| packed.get(*lpn) != UNMAPPED);
    assert_eq!(mapped.clone().count() as u32, valid);
    for lpn in mapped {
        let Ppn(ppn) = Ppn(packed.get(lpn));
        assert!(packed.pages[ppn as usize] & VALID != 0, "{lpn} at {ppn}");
    }
}

#[test]
fn a_scheme_does_the_same_over_both_tables_and_entries_agree_with_the_array() {
    let (geometry, ..) = shape();
    let mut flat = formatted(Flat::new(&geometry, 300));
    let mut packed = formatted(Packed::new(&geometry, 300));
    for _ in 0..40 {
        work(&mut flat, 500);
        work(&mut packed, 500);
        check(&packed);
        assert!((0..300).all(|lpn| flat.locate(Lpn(lpn)) == packed.locate(Lpn(lpn))));
    }
    assert!(packed.telemetry().collections.finished > 500);
    assert_eq!(flat.telemetry().collections, packed.telemetry().collections);
    assert_eq!(flat.telemetry().victim_work, packed.telemetry().victim_work);

    // The same after a mount.
    let (_, _, plan) = shape();
    for numbers in [Numbers::InRam, Numbers::OnFlash] {
        let flash = Box::new(packed.clone()).into_flash();
        let mut again = scheme(Packed::new(&geometry, 300), flash, &plan);
        mount(&mut again.core, numbers).unwrap();
        check(&again);
        // A mount may forget trims, but no writes.
        let kept = (0..300).map(Lpn).filter(|lpn| packed.locate(*lpn).is_some());
        kept.for_each(|lpn| assert_eq!(packed.locate(lpn), again.locate(lpn)));
    }
}
