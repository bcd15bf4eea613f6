//! Real clients. A test whose client this machine lacks is ignored, and names the package that brings it (`build.rs`).

use crate::served::{Served, preset};
use rand::{RngExt, SeedableRng};
use std::process::Command;

/// Runs a client; returns what it printed.
#[track_caller]
pub(crate) fn run(command: &str, arguments: &[&str]) -> String {
    let ran = Command::new(command).args(arguments).output().expect("the client starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, error) = (text(&ran.stdout), text(&ran.stderr));
    assert!(ran.status.success(), "{command} {arguments:?}: {out}\n{error}");
    out
}

#[test]
#[cfg_attr(not(has_nbdinfo), ignore = "needs nbdinfo (Debian: libnbd-bin)")]
fn nbdinfo_finds_the_exports_and_their_flags() {
    let mut served = Served::of_pages(&preset("page-level"), 4096);
    let list = run("nbdinfo", &["--list", "--json", &served.uri("")]);
    for part in
        ["\"disk\"", "\"look\"", "\"can_multi_conn\": true", "\"block_size_preferred\": 4096"]
    {
        assert!(list.contains(part), "`{part}` is not in {list}");
    }
    assert_eq!(run("nbdinfo", &["--size", &served.uri("disk")]).trim(), served.bytes.to_string());
    let map = run("nbdinfo", &["--map", &served.uri("disk")]);
    assert!(map.contains("hole,zero"), "{map}");
    served.stop();
}

#[test]
#[cfg_attr(not(has_nbdcopy), ignore = "needs nbdcopy (Debian: libnbd-bin)")]
fn nbdcopy_gets_back_what_it_wrote_with_several_connections() {
    for scheme in ["page-level", "lazy-rtgc", "bast"] {
        let mut served = Served::of_pages(&preset(scheme), 4096);
        let mut random = rand_pcg::Pcg64::seed_from_u64(1);
        // With a hole in the middle, which is written as zeros.
        let mut bytes = vec![0; served.bytes as usize];
        let hole = bytes.len() / 2..bytes.len() / 2 + (64 << 10);
        random.fill(&mut bytes[..]);
        bytes[hole].fill(0);
        let (from, to) = (served.file("from"), served.file("to"));
        std::fs::write(&from, &bytes).unwrap();
        run("nbdcopy", &["--connections=4", "--flush", &from, &served.uri("disk")]);
        served.restart(&preset(scheme));
        run("nbdcopy", &["--connections=4", &served.uri("look"), &to]);
        assert!(std::fs::read(&to).unwrap() == bytes, "{scheme}");
        served.stop();
    }
}

#[test]
#[cfg_attr(not(has_qemu_io), ignore = "needs qemu-io (Debian: qemu-utils)")]
fn qemu_io_reads_its_patterns() {
    let mut served = Served::of_pages(&preset("lazy-rtgc"), 4096);
    let uri = served.uri("disk");
    let commands = [
        "write -P 0xab 512 300k",
        "read -P 0xab 512 300k",
        "write -P 0xcd 1000 3000",
        "read -P 0xab 512 488",
        "read -P 0xcd 1000 3000",
        "read -P 0xab 4000 4000",
        "write -z 64k 64k",
        "read -P 0 64k 64k",
        "write -f -P 0x12 200k 4k",
        "discard 256k 16k",
        "flush",
        "read -P 0x12 200k 4k",
    ];
    let arguments: Vec<&str> = commands.iter().flat_map(|command| ["-c", command]).collect();
    let out = run("qemu-io", &[&["-f", "raw", &uri], &arguments[..]].concat());
    assert!(!out.contains("verification failed") && !out.contains("error"), "{out}");
    assert_eq!(out.matches("ops; ").count(), commands.len() - 1, "{out}");
    served.stop();
}

#[test]
#[cfg_attr(not(has_fio), ignore = "needs fio (Debian: fio)")]
fn fio_verifies_random_writes_with_trims() {
    for scheme in ["page-level", "lazy-rtgc", "fast"] {
        let mut served = Served::of_pages(&preset(scheme), 4096);
        let uri = format!("--uri={}", served.uri("disk"));
        let common = [
            "--name=t",
            "--ioengine=nbd",
            &uri,
            "--bs=4k",
            "--iodepth=16",
            "--output-format=terse",
        ];
        let verified = [
            "--rw=randwrite",
            "--verify=crc32c",
            "--do_verify=1",
            "--verify_fatal=1",
            "--loops=2",
            "--verify_state_save=0",
        ];
        run("fio", &[&common[..], &verified].concat());
        run("fio", &[&common[..], &["--rw=randtrim", "--io_size=256k"]].concat());
        run("fio", &[&common[..], &verified, &["--offset=64k", "--fsync=16"]].concat());
        served.restart(&preset(scheme));
        let uri = format!("--uri={}", served.uri("disk"));
        let read = [
            "--name=t",
            "--ioengine=nbd",
            &uri,
            "--bs=4k",
            "--iodepth=16",
            "--verify_state_save=0",
        ];
        let again =
            ["--rw=randwrite", "--verify=crc32c", "--verify_only=1", "--loops=1", "--offset=64k"];
        run("fio", &[&read[..], &again].concat());
        served.stop();
    }
}

#[test]
#[cfg_attr(not(has_nbdsh), ignore = "needs nbdsh (Debian: python3-libnbd)")]
fn nbdsh_finds_every_command_and_every_refusal() {
    let mut served = Served::of_pages(&preset("ba-gc"), 4096);
    let script = "\
import errno
size = h.get_size()
assert (h.can_flush(), h.can_fua(), h.can_trim(), h.can_zero(), h.can_multi_conn()) == (True,) * 5
assert h.get_block_size(nbd.SIZE_PREFERRED) == 4096
data = bytes(range(256)) * 40
h.pwrite(data, 1000, nbd.CMD_FLAG_FUA)
assert h.pread(len(data), 1000) == data
assert h.pread(1000, 0) == bytes(1000)
h.zero(4096, 4096)
h.trim(4096, 8192, nbd.CMD_FLAG_FUA)
h.flush()
assert h.pread(8192, 4096) == bytes(8192)
# Several requests outstanding, in both directions.
cookies = [h.aio_pwrite(bytes([n]) * 512, 65536 + n * 512) for n in range(64)]
while h.aio_in_flight() > 0:
    h.poll(-1)
assert all(h.aio_command_completed(cookie) for cookie in cookies)
h.flush()
assert h.pread(64 * 512, 65536) == b''.join(bytes([n]) * 512 for n in range(64))
# What breaks a rule is refused, and the connection goes on.
h.set_strict_mode(0)
for ask in (lambda: h.pread(512, size), lambda: h.pwrite(bytes(512), size - 256), lambda: h.trim(512, size)):
    try:
        ask()
        raise SystemExit('a request beyond the end was done')
    except nbd.Error as refused:
        assert refused.errnum in (errno.EINVAL, errno.ENOSPC), refused
assert h.pread(512, 0) == bytes(512)
print('all right')
";
    // Debian's module is that of Debian's Python, which may not be the first.
    let nbdsh = |export: &str, script| {
        run("env", &["PATH=/usr/bin:/bin", "nbdsh", "-u", &served.uri(export), "-c", script])
    };
    let out = nbdsh("disk", script);
    assert_eq!(out, "all right\n");
    let only = "\
assert h.is_read_only()
h.set_strict_mode(0)
for ask in (lambda: h.pwrite(bytes(512), 0), lambda: h.trim(512, 0), lambda: h.zero(512, 0)):
    try:
        ask()
        raise SystemExit('a change was done')
    except nbd.Error:
        pass
print('refused')
";
    assert_eq!(nbdsh("look", only), "refused\n");
    // What breaks a rule does not reach the device.
    let summary = served.stop();
    assert!(summary.run.requests_taken > 70 && summary.run.requests_refused == 0, "{summary:?}");
}
