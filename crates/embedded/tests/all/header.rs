//! `ftlkit.h` beside the library: functions, types, codes.

use crate::example::{output, root, scratch};
use ftlkit_embedded::api::{Config, Stats};
use ftlkit_embedded::bounds::{Bounds, Cost};
use ftlkit_embedded::driver::{self, Driver, Stamp};
use ftlkit_embedded::error;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::mem::offset_of;
use std::process::Command;

fn header() -> String {
    fs::read_to_string(root().join("crates/embedded/include/ftlkit.h")).expect("the header")
}

/// Parameters of each function, by name.
type Functions = BTreeMap<String, usize>;

fn of_rust() -> Functions {
    let source = fs::read_to_string(root().join("crates/embedded/src/api.rs")).expect("a source");
    let mut found = Functions::new();
    for part in source.split("#[unsafe(no_mangle)]").skip(1) {
        let rest = part.split_once("extern \"C\" fn ").expect("a function").1;
        let (name, rest) = rest.split_once('(').expect("its parameters");
        let parameters = rest.split_once(')').expect("their end").0;
        found.insert(name.to_owned(), parameters.matches(':').count());
    }
    found
}

fn of_c() -> Functions {
    let header = header();
    let mut found = Functions::new();
    for line in header.split(';') {
        let line = line.rsplit("*/").next().unwrap_or(line).trim();
        let Some((before, rest)) = line.split_once('(') else { continue };
        let name = before.rsplit([' ', '*']).next().unwrap_or("");
        if name.starts_with("ftl_") {
            found.insert(name.to_owned(), rest.matches(',').count() + 1);
        }
    }
    found
}

#[test]
fn every_function_is_declared_with_its_parameters() {
    let (ours, declared) = (of_rust(), of_c());
    assert!(ours.len() >= 14, "{ours:?}");
    assert_eq!(ours, declared);
}

#[test]
fn every_scheme_and_code_is_declared() {
    let header = header();
    let source =
        fs::read_to_string(root().join("crates/embedded/src/scheme.rs")).expect("a source");
    let schemes = source.split("    ftl_scheme_").skip(1);
    let names: Vec<&str> = schemes.filter_map(|rest| rest.split_once(':')).map(|it| it.0).collect();
    assert_eq!(names.len(), 5, "{names:?}");
    for name in names {
        let declared = format!("extern const struct ftl_scheme ftl_scheme_{name};");
        assert!(header.contains(&declared), "{declared}");
    }
    for (name, code, _) in error::ALL {
        let value = if *code < 0 { format!("({code})") } else { code.to_string() };
        let defined = format!("#define {name} {value}\n");
        assert!(header.contains(&defined), "{defined}");
    }
    assert_eq!(header.matches("#define FTL_E_").count(), error::ALL.len() - 2);
}

/// The compiler lays the header's types out as the library's are.
#[test]
fn types_have_the_same_layout() {
    let mut checks = String::from("#include <ftlkit.h>\n#include <assert.h>\n");
    macro_rules! same {
        ($($rust:ty, $c:literal: $($field:ident)*;)*) => {$(
            let _ = writeln!(checks, "static_assert(sizeof(struct {}) == {}, \"\");", $c, size_of::<$rust>());
            $(let _ = writeln!(
                checks,
                "static_assert(offsetof(struct {}, {}) == {}, \"\");",
                $c, stringify!($field), offset_of!($rust, $field)
            );)*
        )*};
    }
    same! {
        Stamp, "ftl_stamp": from to seq limits;
        Driver, "ftl_driver": context read program erase copy is_bad mark_bad;
        Config, "ftl_config": scheme driver blocks pages_per_block page_bytes spare_blocks pages read_ns read_spare_ns
            program_ns erase_ns refresh_bits;
        Cost, "ftl_cost": reads spare_reads programs copies erases time_ns;
        Bounds, "ftl_bounds": pages real_time read write trim sync idle_step mount clean_mount;
        Stats, "ftl_stats": reads writes trims total mount worst_read worst_write worst_trim worst_sync worst_idle_step
            corrected_bits refreshed refresh_waiting free_pages lost_pages retired_blocks arena_kept arena_peak;
    }
    for (name, value) in [
        ("FTL_NAND_ERASED", driver::FTL_NAND_ERASED),
        ("FTL_NAND_UNCORRECTABLE", driver::FTL_NAND_UNCORRECTABLE),
        ("FTL_NAND_FAILED", driver::FTL_NAND_FAILED),
        ("FTL_NAND_STOP", driver::FTL_NAND_STOP),
        ("FTL_SPARE_BYTES", driver::FTL_SPARE_BYTES as i32),
    ] {
        let _ = writeln!(checks, "static_assert({name} == {value}, \"\");");
    }
    let file = scratch("layout.c");
    fs::write(&file, checks).expect("a file");
    for standard in ["-std=c11", "-std=c17"] {
        output(
            Command::new("cc")
                .args([
                    standard,
                    "-Wall",
                    "-Wextra",
                    "-Werror",
                    "-Wpedantic",
                    "-fsyntax-only",
                    "-I",
                ])
                .arg(root().join("crates/embedded/include"))
                .arg(&file),
        );
    }
    output(
        Command::new("cc")
            .args(["-x", "c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"])
            .arg(root().join("crates/embedded/include"))
            .arg(&file),
    );
}
