//! The catalogue against the figures that the papers print.

use ftlkit_flash::{Cell, PartError, Power, parts};
use std::collections::HashSet;

#[test]
fn every_part_is_sound() {
    let mut names = HashSet::new();
    for part in parts::CATALOGUE {
        part.validate().unwrap();
        assert!(names.insert(&part.name), "{} is there twice", part.name);
        assert_eq!(parts::by_name(&part.name), Some(*part));
        assert!(!part.description.is_empty() && !part.source.is_empty(), "{}", part.name);
        let geometry = part.geometry(part.capacity_bytes).unwrap();
        let blocks_lost = part.capacity_bytes - geometry.capacity_bytes();
        assert!(blocks_lost < u64::from(part.pages_per_block * part.page_bytes), "{}", part.name);
    }
    assert_eq!(parts::by_name("no-such-part"), None);
}

#[test]
fn every_file_is_listed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/parts");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().replace('_', "-");
        let listed = ["mod", "sheet"].contains(&&*name) || parts::by_name(&name).is_some();
        assert!(listed, "{} has no line in parts/mod.rs, or another name", path.display());
    }
}

/// Name, tR, tPROG, tBERS (µs), pages per block.
const PRINTED: &[(&str, f64, f64, f64, u32)] = &[
    // Lazy-RTGC, Table II.
    ("spansion-slc", 25.0, 200.0, 2000.0, 64),
    ("toshiba-slc", 25.0, 300.0, 3000.0, 64),
    ("samsung-mlc-512m", 60.0, 800.0, 1500.0, 128),
    ("micron-mlc", 50.0, 1600.0, 5500.0, 256),
    ("toshiba-tlc", 250.0, 2700.0, 4000.0, 192),
    // Lazy-RTGC, Table IV, as the bounds in the text fix it.
    ("evaluation-slc", 29.0, 220.9, 2000.0, 64),
    // GFTL, Table I. Pages per block are block size / page size: 16,384/512 and 65,536/2048.
    ("samsung-small-block", 36.0, 200.0, 2000.0, 32),
    ("samsung-large-block", 25.0, 300.0, 2000.0, 32),
    // BA-GC, Section 6.1.
    ("k9wbg08u1m", 25.0, 200.0, 2000.0, 64),
    // Course material, used because 2LGC prints no times.
    ("k9lcg08u1m", 250.0, 1300.0, 1500.0, 128),
    // Direct data transfer, Table II.
    ("ddt-mlc", 75.0, 1300.0, 3000.0, 128),
];

#[test]
fn printed_times() {
    // The parts of the papers come first.
    let names = PRINTED.iter().map(|(name, ..)| *name);
    assert!(names.eq(parts::CATALOGUE.iter().take(PRINTED.len()).map(|part| &*part.name)));
    for (name, read, program, erase, pages) in PRINTED {
        let part = parts::by_name(name).unwrap();
        let us = |ns: u64| ns as f64 / 1e3;
        let found = (us(part.t_r_ns), us(part.t_prog_ns), us(part.t_bers_ns), part.pages_per_block);
        assert_eq!(found, (*read, *program, *erase, *pages), "{name}");
        assert_eq!(part.t_copy_ns(), part.t_r_ns + part.t_prog_ns);
        // Only GFTL gives a separate time for the OOB.
        let oob = if *name == "samsung-small-block" { 10_000 } else { part.t_r_ns };
        assert_eq!(part.t_r_oob_ns, oob, "{name}");
    }
}

#[test]
fn printed_sizes() {
    // Name, page, OOB, capacity: as the papers print them. OOBs and pages of Table II are from the data sheets
    // that they cite.
    for (name, page, oob, capacity) in [
        ("spansion-slc", 2048, 64, 512 << 20),
        ("toshiba-slc", 4096, 232, 512 << 20),
        ("samsung-mlc-512m", 2048, 64, 512 << 20),
        ("micron-mlc", 8192, 448, 16 << 30),
        ("toshiba-tlc", 8192, 376, 2 << 30),
        ("evaluation-slc", 2048, 64, 32 << 30),
        ("samsung-small-block", 512, 16, 16 << 20),
        ("samsung-large-block", 2048, 64, 128 << 20),
        ("k9wbg08u1m", 2048, 64, 4 << 30),
        ("k9lcg08u1m", 32 << 10, 4 * 640, 64 << 30),
        ("ddt-mlc", 8192, 448, 4u64 << 30),
    ] {
        let part = parts::by_name(name).unwrap();
        assert_eq!((part.page_bytes, part.oob_bytes, part.capacity_bytes), (page, oob, capacity));
    }
}

#[test]
fn cells_bus_and_ecc() {
    use Cell::{Mlc, Slc, Tlc};
    let of_papers = PRINTED.len();
    let cells = [Slc, Slc, Mlc, Mlc, Tlc, Slc, Slc, Slc, Slc, Mlc, Mlc];
    for (part, cell) in parts::CATALOGUE.iter().take(of_papers).zip(cells) {
        assert_eq!(part.cell, cell, "{}", part.name);
        let bus = if part.name == "ddt-mlc" { 25 } else { 0 };
        assert_eq!((part.t_rc_ns, part.t_wc_ns), (bus, bus), "{}", part.name);
        let ecc = match &*part.name {
            // 24 bits per KiB, so 192 bits per page of 8 KiB.
            "ddt-mlc" => Some(24),
            // At most 16 bits per sector of 512 bytes.
            "k9lcg08u1m" => Some(32),
            _ => None,
        };
        assert_eq!(part.ecc_bits_per_kib, ecc, "{}", part.name);
    }
    // 8192 + 448 bytes at 25 ns: 216 µs.
    let ddt = parts::by_name("ddt-mlc").unwrap();
    assert_eq!(u64::from(ddt.page_bytes + ddt.oob_bytes) * ddt.t_rc_ns, 216_000);
}

/// Name, page, OOB, pages per block, planes × blocks per plane × dies, MT/s, tR, tPROG and tBERS (µs).
type Today = (&'static str, u32, u32, u32, u64, u32, [u64; 3]);

/// As their sources say; 0 blocks: they leave the capacity open.
const TODAY: &[Today] = &[
    ("mqsim-mlc", 8192, 448, 256, 2 * 2 * 2048, 333, [75, 750, 3800]),
    ("mqsim-cxl-tlc", 16_384, 448, 512, 4 * 256, 1200, [45, 700, 3500]),
    ("aero-tlc", 16_384, 448, 2112, 4 * 497, 2000, [40, 350, 3800]),
    ("mqsim-fine-tlc", 16_384, 2208, 2048, 2 * 4 * 512, 1200, [76, 820, 15_000]),
    ("zn540-tlc", 32_768, 0, 2048, 0, 450, [58, 561, 3500]),
    ("znand-slc", 4096, 0, 256, 0, 1200, [3, 100, 1000]),
    ("conzone-qlc", 32_768, 0, 1024, 0, 1600, [85, 6098, 3500]),
];

#[test]
fn parts_of_today() {
    for &(name, page, oob, pages, blocks, bus, us) in TODAY {
        let part = parts::by_name(name).unwrap();
        assert_eq!((part.page_bytes, part.oob_bytes, part.pages_per_block), (page, oob, pages));
        assert_eq!([part.t_r_ns, part.t_prog_ns, part.t_bers_ns], us.map(|us| us * 1000), "{name}");
        assert_eq!((part.bus_mts, part.t_rc_ns, part.t_wc_ns), (bus, 0, 0), "{name}");
        let bytes = blocks * u64::from(pages) * u64::from(page);
        let open = ftlkit_flash::Part::DEFAULT_CAPACITY_BYTES;
        assert_eq!(part.capacity_bytes, if blocks == 0 { open } else { bytes }, "{name}");
        assert!(part.source.contains("repository"), "{name}");
    }
    let suspend = |name| {
        let part = parts::by_name(name).unwrap();
        (part.t_erase_suspend_ns / 1000, part.t_program_suspend_ns / 1000)
    };
    assert_eq!((suspend("mqsim-mlc"), suspend("aero-tlc")), ((700, 100), (700, 100)));
    assert_eq!((suspend("mqsim-cxl-tlc"), suspend("mqsim-fine-tlc")), ((100, 20), (150, 150)));
    let slc = parts::MQSIM_CXL_TLC.slc.unwrap();
    assert_eq!([slc.t_r_ns, slc.t_prog_ns, slc.t_bers_ns], [25_000, 200_000, 1_000_000]);
    assert_eq!(parts::MQSIM_CXL_TLC.slc_pages(), 170);
    // One shot: the last page of three has the time of all.
    assert_eq!(parts::ZN540_TLC.t_prog_by_page_ns.as_slice(), [0, 0, 561_000]);
    assert_eq!(parts::CONZONE_QLC.t_prog_by_page_ns.as_slice(), [0, 0, 0, 6_098_000]);
    // ConZone: blocks of 24 and of 32 MiB; SLC mode of 20 and 75 µs, erased as the others.
    let block = |part: &ftlkit_flash::Part| part.pages_per_block * part.page_bytes / 1024;
    let tlc = &parts::CONZONE_TLC;
    assert_eq!((block(tlc), block(&parts::CONZONE_QLC)), (24 << 10, 32 << 10));
    assert_eq!((tlc.bus_mts, tlc.t_r_ns, tlc.t_bers_ns), (1600, 32_000, 3_500_000));
    assert_eq!(tlc.t_prog_by_page_ns.as_slice(), [0, 0, 937_500]);
    assert_eq!((tlc.slc_pages(), parts::CONZONE_QLC.slc_pages()), (256, 256));
    for part in [tlc, &parts::CONZONE_QLC] {
        let slc = part.slc.unwrap();
        assert_eq!([slc.t_r_ns, slc.t_prog_ns, slc.t_bers_ns], [20_000, 75_000, 3_500_000]);
    }
    // ISSCC 2019: blocks of 24 MB; 3 pages on each of 4 planes at 132 MB/s.
    let bics = &parts::BICS_TLC;
    assert_eq!((block(bics), bics.bus_mts, bics.t_r_ns), (24 << 10, 1066, 56_000));
    let shot = u64::from(3 * 4 * bics.page_bytes) * 1000 / 132;
    assert_eq!(bics.t_prog_by_page_ns.as_slice(), [0, 0, shot + 1]);
    assert_eq!(bics.t_bers_ns, 3_500_000);
    // FEMU: reads as its table, programs as factors on its TLC's; pairs of pages of one kind.
    let qlc = &parts::FEMU_QLC;
    let reads = [47_900, 76_200, 134_600, 228_100];
    let programs = [820_500 * 105, 2_225_000 * 110, 5_734_000 * 120, 5_734_000 * 160];
    for page in 0..16 {
        let kind = page as usize / 2 % 4;
        assert_eq!(qlc.t_r_of_ns(page, false), reads[kind]);
        assert_eq!(qlc.t_prog_of_ns(page, false), programs[kind] / 100);
    }
    // 52,433 ns per page there.
    let transfer = ftlkit_flash::channels::Timing::of(qlc).unwrap().t_do_ns();
    assert!(transfer.abs_diff(52_433) < 100, "{transfer}");
}

/// Parts whose source says that they are 3D, and with which words.
#[test]
fn parts_of_today_that_are_3d() {
    for (name, words) in [
        ("aero-tlc", "160 real 3D NAND flash chips"),
        ("zn540-tlc", "96 layers"),
        ("znand-slc", "high-speed 3D NAND flash"),
        ("bics-tlc", "128-layer die"),
        ("conzone-tlc", "3b/cell 3D-NAND flash on a 2YY-tier technology"),
        ("conzone-qlc", "280-layer 1Tb 4b/cell 3D-NAND flash"),
    ] {
        let source = &parts::by_name(name).unwrap().source;
        assert!(source.contains("3D") && source.contains(words), "{name}: {source}");
    }
    for part in [&parts::MQSIM_MLC, &parts::MQSIM_CXL_TLC, &parts::MQSIM_FINE_TLC, &parts::FEMU_QLC]
    {
        assert!(part.source.ends_with("Not said: planar or 3D"), "{}", part.name);
    }
}

#[test]
fn printed_energy() {
    // GFTL, on Table VI: 825, 9,900 and 66,000 nJ at 3.3 V and 10 mA.
    let part = parts::by_name("samsung-large-block").unwrap();
    let found = (part.read_pj(), part.program_pj(), part.erase_pj());
    assert_eq!(found, (825_000, 9_900_000, 66_000_000));
    assert_eq!(part.read_oob_pj(), 825_000);
}

#[test]
fn figures_out_of_range() {
    let part = |change: fn(&mut ftlkit_flash::Part)| {
        let mut part = parts::EVALUATION_SLC.clone();
        change(&mut part);
        part.validate()
    };
    assert_eq!(part(|_| ()), Ok(()));
    for (field, result) in [
        ("t_r_ns", part(|p| p.t_r_ns = 0)),
        ("t_r_oob_ns", part(|p| p.t_r_oob_ns = u64::MAX)),
        ("t_prog_ns", part(|p| p.t_prog_ns = 3_600_000_000_001)),
        ("t_bers_ns", part(|p| p.t_bers_ns = 0)),
        ("t_rc_ns", part(|p| p.t_rc_ns = u64::MAX)),
        ("t_wc_ns", part(|p| p.t_wc_ns = u64::MAX)),
        ("page_bytes", part(|p| p.page_bytes = 0)),
        ("pages_per_block", part(|p| p.pages_per_block = 1)),
        ("oob_bytes", part(|p| p.oob_bytes = u32::MAX)),
        ("power.vcc_mv", part(|p| p.power.vcc_mv = 0)),
        ("power.read_ua", part(|p| p.power.read_ua = u32::MAX)),
        ("power.program_ua", part(|p| p.power.program_ua = u32::MAX)),
        ("power.erase_ua", part(|p| p.power.erase_ua = u32::MAX)),
        ("endurance_cycles", part(|p| p.endurance_cycles = Some(0))),
        ("ecc_bits_per_kib", part(|p| p.ecc_bits_per_kib = Some(513))),
    ] {
        assert!(
            matches!(result, Err(PartError::Figure { field: at, .. }) if at == field),
            "{field}: {result:?}"
        );
    }
    for name in ["", "Upper", "under_score", "space here"] {
        let mut part = parts::EVALUATION_SLC.clone();
        part.name = name.into();
        assert_eq!(part.validate(), Err(PartError::Name(name.into())));
    }
    assert!(matches!(part(|p| p.capacity_bytes = 0), Err(PartError::Geometry { .. })));
    assert!(matches!(part(|p| p.capacity_bytes = u64::MAX), Err(PartError::Geometry { .. })));
}

#[test]
fn largest_figures_do_not_overflow() {
    let mut part = parts::EVALUATION_SLC.clone();
    let hour = 3_600_000_000_000;
    (part.t_r_ns, part.t_prog_ns, part.t_bers_ns) = (hour, hour, hour);
    let ua = 10_000_000;
    part.power = Power { vcc_mv: 100_000, read_ua: ua, program_ua: ua, erase_ua: ua };
    part.validate().unwrap();
    // 3,600 s × 100 V × 10 A = 3.6 MJ.
    assert_eq!(part.erase_pj(), 3_600_000_000_000_000_000);
    assert_eq!(part.read_pj() + part.program_pj(), 7_200_000_000_000_000_000);
}
