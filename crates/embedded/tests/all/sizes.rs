//! The tables of docs/firmware.md: sizes, stack, RAM.

use crate::example::{
    CORTEX_M, library, library_of, on_cortex_m, output, program, root, run, scratch,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// A program of nothing but the library with one scheme: no C library, functions of the driver that do nothing.
const PROGRAM: &str = r#"
#include <ftlkit.h>
void abort(void) { for (;;) { } }
void _Unwind_Resume(void) { for (;;) { } } /* named by the compiled core of hosted targets, never called */
void *memcpy(void *to, const void *from, size_t n) { char *a = to; const char *b = from; while (n--) *a++ = *b++; return to; }
void *memmove(void *to, const void *from, size_t n)
{ char *a = to; const char *b = from; if (a < b) while (n--) *a++ = *b++; else while (n--) a[n] = b[n]; return to; }
void *memset(void *to, int v, size_t n) { char *a = to; while (n--) *a++ = (char)v; return to; }
int memcmp(const void *x, const void *y, size_t n)
{ const unsigned char *a = x, *b = y; for (; n--; a++, b++) if (*a != *b) return *a - *b; return 0; }
int bcmp(const void *x, const void *y, size_t n) { return memcmp(x, y, n); }
size_t strlen(const char *s) { size_t n = 0; while (s[n]) n++; return n; }
#ifdef SCHEME
struct ftl_config config = {.scheme = &SCHEME};
struct ftl *ftl; void *arena; size_t bytes; struct ftl_bounds bounds; struct ftl_stats stats; char page[4096];
void _start(void)
{
    ftl_memory_needed(&config, &bytes); ftl_shutdown_memory(&config, &bytes); ftl_bounds(&config, &bounds);
    ftl_format(&config, arena, bytes); ftl_mount(&config, arena, bytes, &ftl); ftl_pages(ftl);
    ftl_read(ftl, 0, page); ftl_write(ftl, 0, page); ftl_trim(ftl, 0); ftl_sync(ftl); ftl_idle(ftl, 0);
    ftl_stats(ftl, &stats); ftl_error_text(0); ftl_shutdown(ftl, arena, bytes, NULL);
}
#else
void _start(void) { for (;;) { } }
#endif
"#;

const SCHEMES: [&str; 5] = ["page_level", "fsr", "lazy_rtgc", "lazy_rtgc_on_demand", "gftl"];

/// Bytes of .text with .rodata, of .data, and of .bss of the library with each scheme alone.
fn sizes() -> &'static [[u64; 3]] {
    static SIZES: OnceLock<Vec<[u64; 3]>> = OnceLock::new();
    SIZES.get_or_init(|| {
        let options = ["-fno-asynchronous-unwind-tables", "-Wl,--build-id=none"];
        SCHEMES.iter().map(|scheme| size(scheme, "cc", &options, library())).collect()
    })
}

/// Linked by a compiler with these options and a library.
fn size(scheme: &str, compiler: &str, options: &[&str], library: &Path) -> [u64; 3] {
    let source = scratch("size.c");
    fs::write(&source, PROGRAM).expect("a file");
    let of = |define: Option<String>| -> Vec<u64> {
        let of = define.as_deref().map_or("none", |it| &it[2..]);
        let linked = scratch(&format!("size-{compiler}-{of}"));
        let mut cc = Command::new(compiler);
        cc.args(["-std=c11", "-Os", "-nostdlib", "-static", "-fno-builtin", "-ffunction-sections"]);
        cc.arg("-Wl,--gc-sections").args(options);
        cc.args(define).arg("-I").arg(root().join("crates/embedded/include"));
        output(cc.arg("-o").arg(&linked).arg(&source).arg(library).arg("-lgcc"));
        let table = output(Command::new("size").arg("-A").arg(&linked));
        let bytes = |names: &[&str]| {
            let of = |line: &str| {
                let mut words = line.split_whitespace();
                let is =
                    words.next().is_some_and(|name| names.iter().any(|it| name.starts_with(it)));
                is.then(|| words.next()?.parse::<u64>().ok()).flatten()
            };
            table.lines().filter_map(of).sum()
        };
        vec![
            bytes(&[".text", ".rodata", ".ARM"]),
            bytes(&[".data", ".got", ".tdata"]),
            bytes(&[".bss"]),
        ]
    };
    let (with, without) = (of(Some(format!("-DSCHEME=ftl_scheme_{scheme}"))), of(None));
    // What the program's own variables take is not the library's: the page buffer, and the rest.
    [0, 1, 2].map(|at| with[at].saturating_sub(without[at]))
}

/// Rows of a table of docs/firmware.md, below this heading of its first column, by first cell.
fn table(first: &str) -> BTreeMap<String, Vec<String>> {
    let page = fs::read_to_string(root().join("docs/firmware.md")).expect("the page");
    let rows = page.lines().skip_while(|line| !line.starts_with(&format!("| {first} |"))).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let mut cells = row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned());
        (cells.next().unwrap_or_default().replace('`', ""), cells.collect())
    })
    .collect()
}

fn number(cell: &str) -> u64 {
    cell.replace([',', ' '], "").parse().unwrap_or_else(|_| panic!("{cell} is no number"))
}

fn is_near(said: u64, found: u64) -> bool {
    said.abs_diff(found) * 20 <= said.max(found) + 20 * 64
}

/// Sizes as published, within a twentieth: compilers differ.
#[test]
fn sizes_are_as_published() {
    are_as_published("scheme, linked alone", sizes());
}

/// Code and stack on an emulated Cortex-M4.
#[test]
#[cfg_attr(
    not(has_cortex_m),
    ignore = "needs `rustup target add thumbv7em-none-eabi` and Debian's gcc-arm-none-eabi, libnewlib-arm-none-eabi, qemu-system-arm"
)]
fn what_a_cortex_m_takes_is_as_published() {
    let options = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=soft"];
    let library = library_of(Some(CORTEX_M));
    let of = |scheme| size(scheme, "arm-none-eabi-gcc", &options, &library);
    are_as_published("scheme, on a Cortex-M4", &SCHEMES.map(of));
    // No floating point: of the compiler's functions for it none is linked.
    for scheme in SCHEMES {
        let linked = scratch(&format!("size-arm-none-eabi-gcc-SCHEME=ftl_scheme_{scheme}"));
        let symbols = output(Command::new("nm").arg(linked));
        let floats =
            ["__aeabi_d", "__aeabi_f", "__aeabi_i2", "__aeabi_ui2", "__aeabi_ul2", "__aeabi_l2"];
        let floats: Vec<_> =
            symbols.lines().filter(|line| floats.iter().any(|it| line.contains(it))).collect();
        assert!(floats.is_empty() && symbols.contains("ftl_write"), "{scheme}: {floats:?}");
    }
    let published = table("scheme, on a Cortex-M4");
    let printed = on_cortex_m().lines().skip_while(|line| !line.contains("format   mount"));
    let rows: Vec<Vec<&str>> =
        printed.skip(1).take(5).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 5);
    for row in rows {
        for (said, found) in published[row[0]][2..].iter().zip(&row[1..]) {
            let near = number(said).abs_diff(number(found)) * 4 <= number(said) + 1024;
            assert!(near, "docs/firmware.md says {said} of {row:?}");
        }
    }
}

fn are_as_published(heading: &str, sizes: &[[u64; 3]]) {
    let published = table(heading);
    let mut found = String::new();
    let mut differs = false;
    for (scheme, [text, data, _]) in SCHEMES.iter().zip(sizes) {
        let (name, text, data) = (scheme.replace('_', "-"), *text, *data);
        found += &format!("{name} {text} {data}\n");
        let said = published.get(&name).unwrap_or_else(|| panic!("no row of {name}"));
        differs |= !is_near(number(&said[0]), text) || !is_near(number(&said[1]), data);
    }
    assert!(!differs, "docs/firmware.md has other sizes than these:\n{found}");
}

/// A program with one scheme has nothing of the others.
#[test]
fn what_is_not_named_is_not_linked() {
    sizes();
    for scheme in SCHEMES {
        let linked = scratch(&format!("size-cc-SCHEME=ftl_scheme_{scheme}"));
        let symbols = output(Command::new("nm").arg("-C").arg(linked));
        for other in SCHEMES.iter().filter(|other| **other != scheme) {
            let symbol = format!(" ftl_scheme_{other}\n");
            assert!(!symbols.contains(&symbol), "{scheme} links {other}");
        }
        let parts = [("gftl", "::gftl::state::"), ("lazy_rtgc_on_demand", "::on_demand::core::")];
        for (of, part) in parts.into_iter().filter(|(of, _)| *of != scheme) {
            assert!(!symbols.contains(part), "{scheme} links {part} of {of}");
        }
    }
}

fn example(command: &str) -> Vec<Vec<String>> {
    let printed = run(program(false), &[command]);
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    printed.lines().skip(1).map(words).collect()
}

#[test]
fn stack_is_as_published() {
    let published = table("scheme, stack");
    let found = example("stack");
    assert_eq!(found.len(), 5);
    for row in &found {
        let said = &published[&row[0]];
        for (said, found) in said.iter().zip(&row[1..]) {
            let near = number(said).abs_diff(number(found)) * 4 <= number(said) + 1024;
            assert!(near, "docs/firmware.md says {said} of {row:?}");
        }
    }
}

#[test]
fn ram_is_as_published() {
    let published = table("scheme, arena");
    let found = example("ram");
    for rows in found.chunks(5) {
        let said = &published[&rows[0][0]];
        for (said, row) in said.iter().zip(rows) {
            let found = row.last().expect("a figure");
            assert_eq!(number(said), number(found), "docs/firmware.md beside {row:?}");
        }
    }
    assert_eq!(found.len(), 25);
}

/// Arena, stack and data together, of the schemes and arrays that are said to fit.
#[test]
fn what_fits_64_kib_is_as_published() {
    let published = table("scheme, within 64 KiB");
    assert_eq!(published.len(), 2);
    let (ram, stack) = (example("ram"), example("stack"));
    for (name, said) in published {
        let is_array = |row: &&Vec<String>| {
            row[0] == name && said[0].starts_with(&format!("{} {}:", row[1], row[2]))
        };
        let arena = ram.iter().find(is_array).map(|row| number(&row[3]));
        let stack = stack.iter().find(|row| row[0] == name).map(|row| number(&row[2]));
        let of = SCHEMES.iter().position(|scheme| scheme.replace('_', "-") == name);
        let data = of.map(|of| sizes()[of][1]);
        let (Some(arena), Some(stack), Some(data)) = (arena, stack, data) else {
            panic!("{name}: no such scheme or array: {}", said[0])
        };
        assert_eq!(number(&said[1]), arena, "{name}");
        let together = arena + stack + data;
        assert!(together <= 64 << 10, "{name}: {arena} + {stack} + {data} B");
        assert!(is_near(number(&said[4]), together), "{name}: {together} B");
    }
}
