//! A file system and databases on the device: nbdfuse, a loop device, ext4, SQLite, PostgreSQL. Where the machine lacks what a
//! test needs, it is ignored and says so (`build.rs`).

use crate::clients::run;
use crate::on_disk::{Folder, folder};
use crate::served::{Served, preset};
use crate::wait::wait_until;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The device as a loop device on nbdfuse, with ext4 mounted.
struct Mounted {
    folder: Folder,
    nbdfuse: Child,
    device: String,
}

fn is_mounted(folder: &Path) -> bool {
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap();
    mounts.lines().any(|line| line.split(' ').nth(1) == folder.to_str())
}

impl Mounted {
    /// Mounts ext4; makes it first if `fresh`.
    fn new(served: &Served, fresh: bool) -> Self {
        let folder = folder();
        for name in ["fuse", "ext4"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let mut nbdfuse = Command::new("nbdfuse")
            .arg(folder.path().join("fuse"))
            .arg(served.uri("disk"))
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let file = folder.path().join("fuse/nbd");
        wait_until(|| {
            assert!(nbdfuse.try_wait().unwrap().is_none(), "nbdfuse goes on");
            file.exists()
        });
        let file = file.to_str().unwrap();
        let device = run("losetup", &["--find", "--show", "--direct-io=on", file]);
        let mounted = Self { folder, nbdfuse, device: device.trim().to_owned() };
        if fresh {
            run("mkfs.ext4", &["-q", &mounted.device]);
        }
        let at = mounted.at("");
        run("mount", &["-t", "ext4", "-o", "discard", &mounted.device, at.to_str().unwrap()]);
        mounted
    }

    /// A path in the file system.
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join("ext4").join(name)
    }

    /// Unmounts the file system, which must be sound, and takes the device down.
    fn unmount(self) {
        run("umount", &[self.at("").to_str().unwrap()]);
        run("e2fsck", &["-f", "-n", &self.device]);
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let quiet = |command: &str, argument: &Path| {
            let _ = Command::new(command).arg(argument).stderr(Stdio::null()).status();
        };
        let (ext4, fuse) = (self.at(""), self.folder.path().join("fuse"));
        if is_mounted(self.folder.path().join("ext4").as_path()) {
            quiet("umount", &ext4);
        }
        let _ = Command::new("losetup").args(["--detach", &self.device]).status();
        // The kernel lets go of the loop device a little later.
        wait_until(|| {
            quiet("umount", &fuse);
            !is_mounted(&fuse) || std::thread::panicking()
        });
        let _ = self.nbdfuse.kill();
        let _ = self.nbdfuse.wait();
    }
}

/// Statements for SQLite: commits of one row each, with updates and deletions.
fn transactions() -> String {
    let mut text = String::new();
    for number in 0..400 {
        let (other, size) = (number * 7 % 400, 100 + number * 37 % 3000);
        text.push_str(&format!(
            "BEGIN; INSERT INTO t VALUES ({number}, hex(randomblob({size}))); \
             UPDATE t SET data = hex(randomblob(50)) WHERE id = {other}; COMMIT;\n"
        ));
        if number % 10 == 9 {
            text.push_str(&format!("DELETE FROM t WHERE id = {};\n", number - 5));
        }
    }
    text
}

fn sqlite(file: &Path, statements: &str) -> String {
    run("sqlite3", &["-batch", "-bail", file.to_str().unwrap(), statements])
}

#[test]
#[cfg_attr(
    not(all(can_mount, has_nbdfuse, has_mkfs_ext4, has_sqlite3)),
    ignore = "needs root, FUSE, loop devices, nbdfuse (Debian: libnbd-bin), mkfs.ext4 (e2fsprogs), sqlite3 (sqlite3)"
)]
fn sqlite_on_ext4_is_sound_after_a_restart() {
    for scheme in ["page-level", "lazy-rtgc", "fast"] {
        let mut served = Served::of_shape(&preset(scheme), [256, 32], 4096);
        let mounted = Mounted::new(&served, true);
        let table =
            "CREATE TABLE t(id INTEGER PRIMARY KEY, data TEXT); CREATE INDEX of_data ON t(data);";
        for mode in ["wal", "delete"] {
            let file = mounted.at(mode);
            sqlite(&file, &format!("PRAGMA journal_mode={mode}; {table} {}", transactions()));
        }
        // Files that come and go leave holes and trims.
        std::fs::write(mounted.at("gone"), vec![1; 4 << 20]).unwrap();
        run("sync", &["-f", mounted.at("gone").to_str().unwrap()]);
        std::fs::remove_file(mounted.at("gone")).unwrap();
        run("fstrim", &[mounted.at("").to_str().unwrap()]);
        mounted.unmount();
        let summary = served.restarted(&preset(scheme));
        assert!(summary.commands["flush"] > 800, "{scheme}: every commit is flushed: {summary:?}");
        assert!(summary.commands["trim"] > 0 && summary.commands["write"] > 1000, "{summary:?}");
        let mounted = Mounted::new(&served, false);
        for mode in ["wal", "delete"] {
            let found =
                sqlite(&mounted.at(mode), "PRAGMA integrity_check; SELECT count(*) FROM t;");
            assert_eq!(found, "ok\n360\n", "{scheme}, {mode}");
        }
        mounted.unmount();
        served.stop();
    }
}

/// The folder of PostgreSQL's commands: Debian keeps them out of the path.
fn postgres() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL of Debian");
    versions.map(|version| version.unwrap().path().join("bin")).max().expect("a version")
}

#[test]
#[cfg_attr(
    not(all(can_mount, has_nbdfuse, has_mkfs_ext4, has_postgresql)),
    ignore = "needs root, FUSE, loop devices, nbdfuse (Debian: libnbd-bin), mkfs.ext4 (e2fsprogs), PostgreSQL (postgresql)"
)]
fn postgresql_on_ext4_is_sound_after_a_restart() {
    let config = preset("lazy-rtgc");
    let mut served = Served::of_shape(&config, [768, 64], 4096);
    let bin = postgres();
    // It does not run as root.
    let postgres = |name: &str, arguments: &[&str]| {
        let command = bin.join(name);
        let all = [&["-u", "postgres", "--", command.to_str().unwrap()], arguments].concat();
        run("runuser", &all)
    };
    let start = |mounted: &Mounted, data: &str| {
        let options =
            format!("-c listen_addresses= -k {data} -c shared_buffers=8MB -c max_wal_size=32MB");
        let log = format!("{data}/log");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(mounted.folder.path(), mode).unwrap();
        postgres("pg_ctl", &["-D", data, "-w", "-l", &log, "-o", &options, "start"]);
    };
    let mounted = Mounted::new(&served, true);
    std::fs::create_dir(mounted.at("data")).unwrap();
    run("chown", &["postgres", mounted.at("data").to_str().unwrap()]);
    run("chmod", &["755", mounted.folder.path().to_str().unwrap()]);
    let data = mounted.at("data").display().to_string();
    postgres("initdb", &["-D", &data, "--data-checksums", "--wal-segsize=4", "--no-locale"]);
    start(&mounted, &data);
    postgres("pgbench", &["-h", &data, "-i", "-q", "-s", "2", "postgres"]);
    postgres("pgbench", &["-h", &data, "-c", "4", "-t", "250", "postgres"]);
    // As in a crash: it must recover from its log.
    postgres("pg_ctl", &["-D", &data, "-w", "-m", "immediate", "stop"]);
    mounted.unmount();
    let summary = served.restarted(&config);
    assert!(summary.commands["flush"] > 300, "{summary:?}");
    let mounted = Mounted::new(&served, false);
    let data = mounted.at("data").display().to_string();
    start(&mounted, &data);
    let of = |query: &str| postgres("psql", &["-h", &data, "-At", "-c", query, "postgres"]);
    assert_eq!(of("SELECT count(*) FROM pgbench_history"), "1000\n", "every commit is there");
    let balances = "SELECT (SELECT sum(abalance) FROM pgbench_accounts) = (SELECT sum(delta) FROM pgbench_history)";
    assert_eq!(of(balances), "t\n");
    postgres("pg_amcheck", &["-h", &data, "--install-missing", "postgres"]);
    postgres("pg_ctl", &["-D", &data, "-w", "stop"]);
    let checked = postgres("pg_checksums", &["-D", &data, "--check"]);
    assert!(checked.contains("Bad checksums:  0"), "{checked}");
    mounted.unmount();
    served.stop();
}
