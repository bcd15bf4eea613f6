//! `ftlkit.h` is generated here from the declarations of the library, and compiled.

use crate::example::{output, root, scratch};
use ftlkit_embedded::api::{Config, Stats};
use ftlkit_embedded::bounds::{Bounds, Cost};
use ftlkit_embedded::driver::{self, Driver, Stamp};
use ftlkit_embedded::error;
use std::fmt::Write;
use std::mem::offset_of;
use std::process::Command;
use std::{env, fs};

fn header() -> String {
    fs::read_to_string(root().join("crates/embedded/include/ftlkit.h")).expect("the header")
}

const FIRST: &str = r#"/* ftlkit: flash translation layers for firmware. docs/firmware.md is the guide.
 *
 * Generated from the declarations in crates/embedded/src by its test `the_header_is_that_of_the_declarations`: change those.
 *
 * An instance is a scheme on an array of NAND, behind a driver of yours, in memory of yours. All memory is taken by ftl_format and
 * ftl_mount. What comes after takes none, and each call makes at most the operations of the driver that ftl_bounds says.
 *
 * The functions of one instance are not re-entrant: one call at a time. Different instances are independent, with one exception:
 * one ftl_format, ftl_mount or ftl_shutdown with scratch memory at a time in the whole program (FTL_E_BUSY tells).
 */
#ifndef FTLKIT_H
#define FTLKIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
"#;

const LAST: &str = "
#ifdef __cplusplus
}
#endif

#endif
";

fn source(name: &str) -> String {
    let path = root().join("crates/embedded/src").join(name);
    fs::read_to_string(path).expect("a source")
}

/// The words of the doc comment that ends at the end of `text`, as C says them.
fn words_before(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim).collect();
    let docs = lines.iter().rposition(|line| !line.starts_with("///") && !line.starts_with("#["));
    let docs =
        lines[docs.map_or(0, |at| at + 1)..].iter().filter_map(|line| line.strip_prefix("///"));
    let docs = docs.take_while(|line| line.trim() != "# Safety").collect::<Vec<_>>().join(" ");
    let plain = docs.replace(['`', '[', ']'], "").replace('×', "x");
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A comment of lines of at most 130 columns.
fn comment(words: &str, indent: &str) -> String {
    let (mut lines, mut line) = (Vec::new(), format!("{indent}/*"));
    for word in words.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > 126 {
            lines.push(std::mem::replace(&mut line, format!("{indent} *")));
        }
        line = line + " " + word;
    }
    lines.push(line + " */\n");
    lines.join("\n")
}

/// A declaration in two lines if it is of more than 130 columns.
fn wrapped(line: &str) -> String {
    match line.get(..120).and_then(|first| first.rfind(", ")) {
        Some(at) if line.len() > 130 => {
            format!("{},\n            {}", &line[..at], &line[at + 2..])
        }
        _ => line.to_owned(),
    }
}

/// A type of Rust before a name, in C.
fn typed(rust: &str, name: &str) -> String {
    let rust = rust.trim();
    if let Some(to) = rust.strip_prefix("*mut ") {
        return typed(to, &format!("*{name}"));
    }
    if let Some(to) = rust.strip_prefix("*const ") {
        return "const ".to_owned() + &typed(to, &format!("*{name}"));
    }
    if let Some((of, count)) =
        rust.strip_prefix('[').and_then(|it| it.strip_suffix(']')?.split_once("; "))
    {
        return typed(of, &format!("{name}[{count}]"));
    }
    let c = match rust {
        "u8" => "uint8_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "usize" => "size_t",
        "c_int" => "int",
        "c_char" => "char",
        "c_void" => "void",
        "Handle" => "struct ftl",
        other => return format!("struct ftl_{} {name}", other.to_lowercase()),
    };
    format!("{c} {name}")
}

/// Parameters, and a result after an arrow, of a function of this name.
fn function(signature: &str, name: &str) -> String {
    let (parameters, result) = signature.split_once(')').expect("an end of the parameters");
    let each = parameters.split(',').map(str::trim).filter(|it| !it.is_empty());
    let each = each.map(|it| match it.split_once(": ") {
        Some(("handle", rust)) => typed(rust, "ftl"),
        Some((name, rust)) => typed(rust, name),
        None => typed(it, "context"),
    });
    let result = result.trim().strip_prefix("-> ").expect("a result").trim();
    typed(result, &format!("{name}({})", each.collect::<Vec<_>>().join(", ")))
}

/// A struct of C from that of Rust in a source.
fn structure(text: &str, rust: &str, c: &str) -> String {
    let (before, rest) = text.split_once(&format!("pub struct {rust} {{\n")).expect("a struct");
    let fields = &rest[..=rest.find("\n}").expect("its end")];
    let mut found = comment(&words_before(before), "") + &format!("struct {c} {{\n");
    let mut at = 0;
    for (start, _) in fields.match_indices("    pub ") {
        let docs = words_before(&fields[at..start]);
        let rest = &fields[start + 8..];
        // Fields of functions go on to the end of the option.
        let is_function = rest.split_once('\n').map_or(rest, |it| it.0).contains("Option<");
        let end = rest.find(if is_function { ">,\n" } else { ",\n" }).unwrap_or(rest.len() - 1);
        let declared = rest[..end].split_whitespace().collect::<Vec<_>>().join(" ");
        let (name, rust) = declared.split_once(": ").expect("a type");
        let field = match rust.split_once("extern \"C\" fn(") {
            Some((_, signature)) => {
                function(signature.trim_end_matches([' ', ',']), &format!("(*{name})"))
            }
            None => typed(rust, name),
        };
        found += &comment(&docs, "    ");
        found += &wrapped(&format!("    {field};\n"));
        at = start + 8 + end;
    }
    found + "};\n"
}

fn define(name: &str, value: i32, words: &str) -> String {
    let value = if value < 0 { format!("({value})") } else { value.to_string() };
    format!("#define {name} {value} /* {words} */\n")
}

fn generated() -> String {
    let [driver, error, scheme, bounds, api] =
        ["driver.rs", "error.rs", "scheme.rs", "bounds.rs", "api.rs"].map(source);
    let mut header = FIRST.to_owned();
    header += "\n/* What the functions of a driver return besides 0 and counts of bits, and bytes of each spare area. */\n";
    for (name, value) in [
        ("FTL_NAND_ERASED", driver::FTL_NAND_ERASED),
        ("FTL_NAND_UNCORRECTABLE", driver::FTL_NAND_UNCORRECTABLE),
        ("FTL_NAND_FAILED", driver::FTL_NAND_FAILED),
        ("FTL_NAND_STOP", driver::FTL_NAND_STOP),
        ("FTL_SPARE_BYTES", driver::FTL_SPARE_BYTES as i32),
    ] {
        let before = driver.split_once(&format!("pub const {name}")).expect("a constant").0;
        header += &define(name, value, &words_before(before));
    }
    header += "\n/* What the functions of the library return. ftl_error_text has the texts. */\n";
    for (name, value, _) in error::ALL {
        let before = error.split_once(&format!("{name} = ")).expect("a code").0;
        header += &define(name, *value, &words_before(before));
    }
    header += "\n";
    header += &structure(&driver, "Stamp", "ftl_stamp");
    header += "\n";
    header += &structure(&driver, "Driver", "ftl_driver");
    header += "\n/* The schemes. A program links those that it names. */\nstruct ftl_scheme;\n";
    let list = scheme.rsplit_once("schemes! {").expect("the schemes").1;
    for (at, _) in list.match_indices("    ftl_scheme_") {
        let name = list[at..].trim_start().split_once(':').expect("a module").0;
        header += &comment(&words_before(&list[..at]), "");
        header += &format!("extern const struct ftl_scheme {name};\n");
    }
    for (text, rust, c) in [
        (&api, "Config", "ftl_config"),
        (&bounds, "Cost", "ftl_cost"),
        (&bounds, "Bounds", "ftl_bounds"),
        (&api, "Stats", "ftl_stats"),
    ] {
        header += "\n";
        header += &structure(text, rust, c);
    }
    header += "\n/* A mounted instance. */\nstruct ftl;\n";
    for (at, marker) in api.match_indices("#[unsafe(no_mangle)]\n") {
        let rest = api[at + marker.len()..].split_once("extern \"C\" fn ").expect("a function").1;
        let (name, rest) = rest.split_once('(').expect("its parameters");
        let signature = rest.split_once(" {\n").expect("its body").0;
        header += "\n";
        header += &comment(&words_before(&api[..at]), "");
        header += &wrapped(&format!("{};\n", function(signature, name)));
    }
    header + LAST
}

/// `FTLKIT_WRITE_HEADER=1` writes it.
#[test]
fn the_header_is_that_of_the_declarations() {
    let generated = generated();
    if env::var_os("FTLKIT_WRITE_HEADER").is_some() {
        let path = root().join("crates/embedded/include/ftlkit.h");
        fs::write(path, &generated).expect("the header");
    }
    assert_eq!(generated.matches("extern const struct").count(), 5);
    assert!(
        generated == header(),
        "ftlkit.h is not that of the declarations: FTLKIT_WRITE_HEADER=1 cargo test -p ftlkit-embedded --test all -- header"
    );
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
        Stamp, "ftl_stamp": from to seq limits format;
        Driver, "ftl_driver": context read program erase copy is_bad mark_bad;
        Config, "ftl_config": scheme driver blocks pages_per_block page_bytes spare_blocks pages read_ns read_spare_ns
            program_ns erase_ns refresh_bits;
        Cost, "ftl_cost": reads spare_reads programs copies erases time_ns;
        Bounds, "ftl_bounds": pages real_time read write trim sync idle_step shutdown mount clean_mount;
        Stats, "ftl_stats": reads writes trims total mount worst_read worst_write worst_trim worst_sync worst_idle_step
            corrected_bits refreshed refresh_waiting free_pages lost_pages retired_blocks arena_kept arena_peak;
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
