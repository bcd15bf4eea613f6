//! Parts from a user's TOML: defaults and errors.

use ftlkit_flash::{Cell, Part, Power, SlcMode, parts::CATALOGUE};

const LEAST: &str = r#"
name = "mine"
page_bytes = 4096
pages_per_block = 128
t_r_ns = 50_000
t_prog_ns = 600_000
t_bers_ns = 3_000_000
"#;

fn error(text: &str) -> String {
    toml::from_str::<Part>(text).expect_err(text).to_string()
}

#[test]
fn what_is_left_out() {
    let part: Part = toml::from_str(LEAST).unwrap();
    assert_eq!(part.name, "mine");
    assert_eq!((part.cell, part.oob_bytes, part.t_r_oob_ns), (Cell::Slc, 128, 50_000));
    assert_eq!((part.t_rc_ns, part.t_wc_ns), (0, 0));
    assert_eq!((part.endurance_cycles, part.ecc_bits_per_kib), (None, None));
    assert_eq!((part.capacity_bytes, part.power), (4 << 30, Power::DEFAULT));
    assert_eq!((&*part.description, &*part.source), ("", ""));
}

#[test]
fn what_is_given() {
    let text = format!(
        "{LEAST}\ncell = \"qlc\"\noob_bytes = 0\nt_r_oob_ns = 9\nt_rc_ns = 10\nt_wc_ns = 11\n\
         endurance_cycles = 3000\necc_bits_per_kib = 72\ncapacity_bytes = 1073741824\n\
         description = \"d\"\nsource = \"s\"\n[power]\nvcc_mv = 1800\nerase_ua = 7"
    );
    let part: Part = toml::from_str(&text).unwrap();
    assert_eq!((part.cell, part.oob_bytes, part.t_r_oob_ns), (Cell::Qlc, 0, 9));
    assert_eq!((part.t_rc_ns, part.t_wc_ns), (10, 11));
    assert_eq!((part.endurance_cycles, part.ecc_bits_per_kib), (Some(3000), Some(72)));
    assert_eq!(part.power, Power { vcc_mv: 1800, erase_ua: 7, ..Power::DEFAULT });
    assert_eq!((&*part.description, &*part.source), ("d", "s"));
    assert_eq!(part.geometry(part.capacity_bytes).unwrap().blocks(), 2048);
}

#[test]
fn times_by_page_a_synchronous_bus_and_slc_mode() {
    let text = format!(
        "{}\nt_r_by_page_ns = [40, 60]\nt_prog_by_page_ns = [0, 0, 9]\nbus_mts = 1600\n\
         [slc]\nt_r_ns = 20\nt_prog_ns = 8\nt_bers_ns = 30",
        LEAST.replace("t_r_ns = 50_000", "").replace("t_prog_ns = 600_000", "")
    );
    let part: Part = toml::from_str(&text).unwrap();
    assert_eq!((part.t_r_ns, part.t_prog_ns, part.t_r_oob_ns), (60, 9, 60), "the longest");
    assert_eq!((part.t_r_of_ns(0, false), part.t_r_of_ns(3, false)), (40, 60));
    assert_eq!((part.t_prog_of_ns(1, false), part.t_prog_of_ns(2, false)), (0, 9));
    let slc = SlcMode { t_r_ns: 20, t_prog_ns: 8, t_bers_ns: 30 };
    assert_eq!((part.slc, part.bus_mts), (Some(slc), 1600));
    assert_eq!((part.t_r_of_ns(1, true), part.t_prog_of_ns(0, true)), (20, 8));
    assert_eq!((part.t_bers_of_ns(true), part.t_bers_of_ns(false)), (30, 3_000_000));
    let again: Part = toml::from_str(&toml::to_string(&part).unwrap()).unwrap();
    assert_eq!(again, part);
    let alike: Part = toml::from_str(LEAST).unwrap();
    let text = toml::to_string(&alike).unwrap();
    assert!(!text.contains("by_page") && !text.contains("bus_mts"), "{text}");
}

#[test]
fn what_is_refused() {
    for (text, said) in [
        (format!("{LEAST}\nt_r_us = 50"), "unknown field `t_r_us`"),
        (format!("{LEAST}\n[power]\nvcc_v = 3"), "unknown field `vcc_v`"),
        (format!("{LEAST}\ncell = \"plc\""), "unknown variant `plc`"),
        (LEAST.replace("t_prog_ns", "# t_prog_ns"), "missing field `t_prog_ns`"),
        (LEAST.replace("50_000", "50.5"), "invalid type: floating point"),
        (LEAST.replace("50_000", "-1"), "invalid value: integer `-1`"),
        (LEAST.replace("50_000", "0"), "t_r_ns must be 1 ns to 1 hour, not 0"),
        (LEAST.replace("4096", "1"), "page_bytes must be 2 to 1048576, not 1"),
        (LEAST.replace("mine", "My part"), "`My part` is not a valid part name"),
        (format!("{LEAST}\necc_bits_per_kib = 0"), "ecc_bits_per_kib must be 1 to 512, not 0"),
        (format!("{LEAST}\n[power]\nvcc_mv = 0"), "power.vcc_mv must be 1 to 100000 mV, not 0"),
        (format!("{LEAST}\nt_r_by_page_ns = [50, 40]"), "at its longest the part's one time"),
        (format!("{LEAST}\nt_r_by_page_ns = [0, 50_000]"), "1 ns or more for each kind of page"),
        (format!("{LEAST}\nt_prog_by_page_ns = {:?}", [1; 17]), "16 kinds of page at most, not 17"),
        (format!("{LEAST}\nbus_mts = 100_001"), "bus_mts must be 0 to 100000 MT/s"),
        (format!("{LEAST}\nbus_mts = 800\nt_rc_ns = 5"), "t_rc_ns must be 0 beside bus_mts"),
        (format!("{LEAST}\n[slc]\nt_r_ns = 9"), "missing field `t_prog_ns`"),
        (
            format!("{LEAST}\n[slc]\nt_r_ns = 9\nt_prog_ns = 600_001\nt_bers_ns = 1"),
            "slc.t_prog_ns must be 1 ns to t_prog_ns, not 600001",
        ),
        (format!("{LEAST}\ncapacity_bytes = 4096"), "part `mine`: an array needs at least 1 block"),
        (format!("{LEAST}\ncapacity_bytes = 0x7fff_ffff_ffff_ffff"), "use larger pages"),
    ] {
        let found = error(&text);
        assert!(found.contains(said), "wanted `{said}` in:\n{found}");
    }
}

#[test]
fn the_catalogue_survives_a_file() {
    for part in CATALOGUE {
        let text = toml::to_string(part).unwrap();
        assert_eq!(toml::from_str::<Part>(&text).as_ref(), Ok(*part), "{text}");
    }
}
