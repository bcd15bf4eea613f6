//! examples/firmware, built and run: strict C11, and with AddressSanitizer and UBSan.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace")
}

/// A file of these tests.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("embedded");
    fs::create_dir_all(&folder).expect("a folder");
    folder.join(name)
}

/// What a command prints; it must succeed.
pub(crate) fn output(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{command:?}: {}\n{out}\n{err}", done.status);
    out.into_owned()
}

/// The static library, built as docs/firmware.md says.
pub(crate) fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| library_of(None))
}

/// The same for another target.
pub(crate) fn library_of(triple: Option<&str>) -> PathBuf {
    let target = target();
    let profile = ["--profile", "firmware", "--features", "firmware", "--crate-type", "staticlib"];
    output(
        Command::new(env::var("CARGO").unwrap_or_else(|_| "cargo".into()))
            .current_dir(root())
            .args(["rustc", "--locked", "-q", "-p", "ftlkit-embedded", "--lib", "--target-dir"])
            .arg(target)
            .args(profile)
            .args(triple.iter().flat_map(|triple| ["--target", triple])),
    );
    target.join(triple.unwrap_or_default()).join("firmware/libftlkit_embedded.a")
}

fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("the target folder")
}

pub(crate) const CORTEX_M: &str = "thumbv7em-none-eabi";

fn make(goal: &str) -> String {
    let mut make = Command::new("make");
    make.arg("-s").arg("-C").arg(root().join("examples/firmware")).arg(goal);
    make.arg(format!("TARGET={}", target().display()));
    output(make.arg(format!("OUT={}", scratch("other").display())))
}

/// What the example prints on a Cortex-M4 that QEMU emulates.
pub(crate) fn on_cortex_m() -> &'static str {
    static PRINTED: OnceLock<String> = OnceLock::new();
    PRINTED.get_or_init(|| make("check-cortex-m"))
}

/// The example on another target does what it does here.
fn runs_well(printed: &str) {
    let well = printed.contains("0 failed") && printed.contains("no crash, no wrong byte");
    assert!(well, "{printed}");
}

/// The library and the example on a Cortex-M4 that QEMU emulates.
#[test]
#[cfg_attr(
    not(has_cortex_m),
    ignore = "needs `rustup target add thumbv7em-none-eabi` and Debian's gcc-arm-none-eabi, libnewlib-arm-none-eabi, qemu-system-arm"
)]
fn the_example_runs_on_a_cortex_m() {
    runs_well(on_cortex_m());
}

/// The library and the example with pointers of 32 bits.
#[test]
#[cfg_attr(
    not(has_32_bits),
    ignore = "needs `rustup target add i686-unknown-linux-gnu` and Debian's gcc-multilib"
)]
fn the_example_runs_on_32_bits() {
    runs_well(&make("check-32"));
}

/// The program, with or without sanitizers.
pub(crate) fn program(sanitized: bool) -> &'static Path {
    static PROGRAMS: [OnceLock<PathBuf>; 2] = [const { OnceLock::new() }; 2];
    PROGRAMS[usize::from(sanitized)].get_or_init(|| {
        let out = scratch(if sanitized { "sanitized" } else { "plain" });
        let mut make = Command::new("make");
        make.arg("-s").arg("-C").arg(root().join("examples/firmware"));
        make.arg(format!("LIB={}", library().display())).arg(format!("OUT={}", out.display()));
        if sanitized {
            make.arg("SANITIZE=1");
        }
        output(&mut make);
        out.join(if sanitized { "firmware-sanitized" } else { "firmware" })
    })
}

pub(crate) fn run(program: &Path, arguments: &[&str]) -> String {
    output(Command::new(program).args(arguments))
}

#[test]
fn the_example_runs() {
    let program = program(false);
    let demo = run(program, &["demo"]);
    assert_eq!(demo.lines().count(), 5, "{demo}");
    assert!(run(program, &["cuts", "3"]).contains("0 failed"));
    let soak = run(program, &["soak", "60000"]);
    assert!(soak.ends_with("0 above their bounds\n"), "{soak}");
    assert!(run(program, &["memory"]).lines().count() > 50);
    assert!(run(program, &["preempt"]).ends_with("no memory taken\n"));
    assert!(run(program, &["fuzz", "400000", "3"]).contains("no crash, no wrong byte"));
}

#[test]
fn the_example_runs_under_sanitizers() {
    let program = program(true);
    run(program, &["demo"]);
    run(program, &["preempt"]);
    assert!(run(program, &["cuts", "1"]).contains("0 failed"));
    assert!(run(program, &["soak", "20000"]).ends_with("0 above their bounds\n"));
    assert!(run(program, &["fuzz", "200000", "4"]).contains("no crash, no wrong byte"));
}

/// The arena of the static library is filled exactly: what is asked for is enough, and three times what is used at most.
#[test]
fn arenas_are_used() {
    let memory = run(program(false), &["memory"]);
    for line in memory.lines().skip(1) {
        let figures: Vec<u64> =
            line.split_whitespace().skip(1).filter_map(|it| it.parse().ok()).collect();
        let [.., asked, peak, kept] = figures[..] else { panic!("{line}") };
        assert!(kept <= peak && peak <= asked, "{line}");
        assert!(3 * peak + 8192 > asked, "{line}");
    }
}

/// Beside Dhara on the same NAND, where there is a checkout of it; else it says so.
#[test]
fn dhara_is_measured_where_it_is() {
    let dhara = env::var("FTLKIT_DHARA").unwrap_or_default();
    let mut make = Command::new("make");
    make.arg("-s").arg("-C").arg(root().join("examples/firmware")).arg("dhara").arg("LAPS=1");
    make.arg(format!("LIB={}", library().display())).arg(format!("DHARA={dhara}"));
    let done = make.arg(format!("OUT={}", scratch("plain").display())).output().expect("make");
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{out}\n{err}");
    if dhara.is_empty() {
        assert!(err.starts_with("SKIPPED: there is no Dhara"), "{err}");
    } else {
        assert_eq!(out.matches("lazy-rtgc-on-demand").count(), 2, "{out}");
    }
}
