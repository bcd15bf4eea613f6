//! Tells tests for which other targets this machine can build and run the example: tests of the others are ignored, with
//! what brings them.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs};

/// True if this command ends well.
fn runs(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// True if Rust's library for this target is installed.
fn has_target(triple: &str) -> bool {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(rustc).args(["--print", "sysroot"]).output();
    let Ok(sysroot) = asked.map(|asked| asked.stdout) else { return false };
    let of_rust = Path::new(String::from_utf8_lossy(&sysroot).trim()).join("lib/rustlib");
    println!("cargo::rerun-if-changed={}", of_rust.display());
    of_rust.join(triple).is_dir()
}

fn has_cortex_m() -> bool {
    has_target("thumbv7em-none-eabi")
        && runs("arm-none-eabi-gcc", &["-fsyntax-only", "-include", "stdio.h", "-xc", "/dev/null"])
        && runs("qemu-system-arm", &["--version"])
}

fn has_32_bits() -> bool {
    let Some(folder) = env::var_os("OUT_DIR") else { return false };
    let (source, linked) = (Path::new(&folder).join("m32.c"), Path::new(&folder).join("m32"));
    let program = "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n";
    has_target("i686-unknown-linux-gnu")
        && fs::write(&source, program).is_ok()
        && runs("cc", &["-m32", "-o", &linked.to_string_lossy(), &source.to_string_lossy()])
        && runs(&linked.to_string_lossy(), &[])
}

fn main() {
    println!("cargo::rerun-if-env-changed=PATH");
    for program in ["arm-none-eabi-gcc", "qemu-system-arm"] {
        println!("cargo::rerun-if-changed=/usr/bin/{program}");
    }
    println!("cargo::rerun-if-changed=/usr/lib32");
    for (name, is_so) in [("has_cortex_m", has_cortex_m()), ("has_32_bits", has_32_bits())] {
        println!("cargo::rustc-check-cfg=cfg({name})");
        if is_so {
            println!("cargo::rustc-cfg={name}");
        }
    }
}
