//! `ftlkit serve` until it listens: signals, what an image needs, and what stays behind.

use crate::common::{Scratch, command, ftlkit, ran, wait_until};
use crate::serve::{end, start};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A start that is not waited for.
fn begun(arguments: &[&str]) -> Child {
    let mut server = command();
    server.arg("serve").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    server.spawn().expect("the server starts")
}

fn send(server: &Child, signal: &str) {
    let sent = Command::new("kill").args([signal, &server.id().to_string()]).status();
    assert!(sent.expect("kill starts").success());
}

/// False for SIGHUP where the tests run under `nohup`: the server then ignores it, as it should.
fn is_heard(signal: &&str) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let heard = *signal != "-HUP" || ignored.is_none_or(|mask| mask & 1 == 0);
    if !heard {
        println!("SIGHUP is ignored (nohup), and not tried");
    }
    heard
}

#[test]
fn a_signal_ends_the_making_of_an_image_and_nothing_half_made_stays() {
    let scratch = Scratch::new("serve-making");
    let [image, socket, trace] = ["device.img", "socket", "asked.csv"].map(|name| scratch.at(name));
    // So many blocks that nobody waits for the end of it.
    let made = ["--image", &image, "--create", "--capacity", "2TiB", "--socket", &socket];
    for signal in ["-TERM", "-INT", "-HUP"].into_iter().filter(is_heard) {
        let server = begun(&[&made[..], &["--record", &trace]].concat());
        wait_until(|| Path::new(&image).exists());
        send(&server, signal);
        let ended = ran(server.wait_with_output().expect("it ends")).ended(130);
        assert!(ended.stderr.contains("interrupted before it served"), "{}", ended.stderr);
        assert!(ended.stderr.contains("device.img` is removed"), "{}", ended.stderr);
        let left: Vec<_> = std::fs::read_dir(scratch.path()).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn a_signal_ends_a_mount_and_leaves_the_image_as_it_was() {
    let scratch = Scratch::new("serve-mounting");
    let (image, socket) = (scratch.at("device.img"), scratch.at("socket"));
    let made = ["--image", &image, "--create", "--capacity", "32GiB", "--socket", &socket];
    let (server, told, mut said) = start(&made);
    assert!(
        told.starts_with("note: needs about 72.0 MiB of memory; a mount reads up to "),
        "{told}"
    );
    let mut uri = String::new();
    said.read_line(&mut uri).unwrap();
    assert!(uri.contains("nbd+unix:///?socket="), "{uri}");
    end(server, "-TERM");
    let info = || ftlkit(["image", "info", &image]).ok();
    let before = info();
    assert!(before.contains("; shut down\n"), "{before}");
    // The mount may be over before the signal comes.
    let ended = (0..).find_map(|_| {
        let mut server = begun(&made);
        let mut said = BufReader::new(server.stderr.take().unwrap());
        said.read_line(&mut String::new()).unwrap();
        assert!(!Path::new(&socket).exists(), "nobody is let in before the mount");
        send(&server, "-TERM");
        let mut text = String::new();
        said.read_to_string(&mut text).unwrap();
        (server.wait().unwrap().code() == Some(130)).then_some(text)
    });
    assert_eq!(ended.as_deref(), Some("error: interrupted before it served\n"));
    let without_starts = |text: &str| {
        text.lines()
            .filter(|line| !line.starts_with("starts "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(without_starts(&info()), without_starts(&before));
    assert!(info().contains("; shut down\n"), "{}", info());
    let (server, _, mut said) = start(&made);
    said.read_line(&mut String::new()).unwrap();
    assert_eq!(end(server, "-TERM").0, Some(0));
}

#[test]
fn a_server_ends_in_order_with_each_signal_that_would_end_it() {
    let scratch = Scratch::new("serve-signals");
    let (image, socket) = (scratch.at("device.img"), scratch.at("socket"));
    let made = ["--image", &image, "--create", "--capacity", "8MiB", "--socket", &socket];
    for signal in ["-TERM", "-INT", "-HUP", "-XFSZ"].into_iter().filter(is_heard) {
        let (server, ..) = start(&made);
        let (code, out) = end(server, signal);
        assert_eq!(code, Some(0), "{signal}: {out}");
        let info = ftlkit(["image", "info", &image]).ok();
        assert!(info.contains("; shut down\n"), "{signal}: {info}");
    }
    // As `nohup` starts it.
    let mut server = Command::new("bash");
    server.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]).arg(env!("CARGO_BIN_EXE_ftlkit"));
    server.arg("serve").args(made).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut server = server.spawn().expect("bash starts");
    let mut said = BufReader::new(server.stderr.take().unwrap());
    said.read_line(&mut String::new()).unwrap();
    send(&server, "-HUP");
    let mut client = crate::serve::Client::new(&socket);
    assert_eq!(client.ask(0, 0, 1, &[]), (0, vec![0]));
    assert_eq!(end(server, "-TERM").0, Some(0));
}

#[test]
fn a_start_that_is_refused_late_leaves_the_image_as_it_was() {
    let scratch = Scratch::new("serve-refused-late");
    let (image, socket) = (scratch.at("device.img"), scratch.at("socket"));
    let spare = ["--scheme", "lazy-rtgc+spare=4"];
    let made = ["--image", &image, "--create", "--capacity", "8MiB", "--socket", &socket];
    let (server, ..) = start(&[&made[..], &spare].concat());
    end(server, "-TERM");
    let before = std::fs::read(&image).unwrap();
    ftlkit([&["serve"][..], &made, &["--faults", "bad_blocks=4"]].concat())
        .refused(&["was made with block "]);
    assert!(std::fs::read(&image).unwrap() == before, "the image is as it was");
    // Nothing is changed, nothing is marked: also where the server is killed.
    let (mut server, ..) = start(&made);
    assert_eq!(crate::serve::Client::new(&socket).ask(0, 0, 1, &[]).0, 0);
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(std::fs::read(&image).unwrap() == before, "the image is as it was");
    // A new image goes with the start that made it.
    std::fs::remove_file(&image).unwrap();
    let board = ["--part", "mqsim-mlc", "--channels", "2", "--latency", "scaled:0.001"];
    ftlkit([&["serve"][..], &made[..3], &["--socket", &socket], &board].concat())
        .refused(&["on channels K is 0.01 or more"]);
    assert!(!Path::new(&image).exists());
}

#[test]
fn the_name_of_a_new_image_is_on_the_disk() {
    let scratch = Scratch::new("serve-folder");
    let [image, socket, calls] = ["device.img", "socket", "calls"].map(|name| scratch.at(name));
    let traces = |command: &mut Command| command.output().is_ok_and(|ran| ran.status.success());
    if !traces(Command::new("strace").args(["-o", &calls, "true"])) {
        println!("nothing to do: there is no strace that works");
        return;
    }
    // With -D the server is the child, which the signal is for.
    let mut server = Command::new("strace");
    server.args(["-D", "-f", "-y", "-e", "trace=fsync,fdatasync", "-o", &calls]);
    server.arg(env!("CARGO_BIN_EXE_ftlkit")).arg("serve");
    server.args(["--image", &image, "--create", "--capacity", "8MiB", "--socket", &socket]);
    let mut server = server.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(server.stderr.take().unwrap());
    said.read_line(&mut String::new()).unwrap();
    assert_eq!(end(server, "-TERM").0, Some(0));
    let folder = scratch.path().canonicalize().unwrap();
    let synced = format!("<{}>)", folder.display());
    let calls = || std::fs::read_to_string(&calls).unwrap_or_default();
    // The tracer may end after the server.
    wait_until(|| calls().contains("+++ exited with 0 +++"));
    assert!(
        calls().lines().any(|line| line.contains("fsync(") && line.contains(&synced)),
        "{}",
        calls()
    );
}

#[test]
fn what_is_no_file_is_no_image() {
    let scratch = Scratch::new("serve-pipe");
    let (pipe, socket) = (scratch.at("pipe"), scratch.at("socket"));
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let folder = scratch.path().display().to_string();
    for path in [&pipe, "/dev/null", &folder] {
        for command in [&["image", "check"][..], &["image", "info"], &["image", "dump"]] {
            ftlkit([command, &[path]].concat())
                .refused(&["is not a flash image: it is no regular file"]);
        }
    }
    for path in [&pipe, "/dev/null"] {
        ftlkit(["serve", "--image", path, "--socket", &socket])
            .refused(&["is not a flash image: it is no regular file"]);
    }
}

#[test]
fn background_work_that_fails_ends_no_server() {
    let scratch = Scratch::new("serve-background");
    let socket = scratch.at("socket");
    // What is dirty is due after 20 ms, and finds no free page once too many blocks are bad.
    let scheme = "page-level+buffer=lru+buffer_size=64KiB+buffer_age=20ms+spare=2";
    let device = ["--socket", &socket, "--capacity", "8MiB", "--scheme", scheme];
    let (server, _, mut said) =
        start(&[&device[..], &["--faults", "program_failures=20000"]].concat());
    let mut client = crate::serve::Client::new(&socket);
    let full = (0..20_000_u64)
        .map(|n| client.ask(1, n * 37 % 1500 * 2048, 2048, &[n as u8; 2048]).0)
        .find(|error| *error > 0);
    assert_eq!(full, Some(28), "ENOSPC");
    let mut note = String::new();
    said.read_line(&mut note).unwrap();
    assert!(note.starts_with("background work failed: no free page is left"), "{note}");
    // Some time later, in which the work was tried again and again.
    for _ in 0..10 {
        std::thread::sleep(std::time::Duration::from_millis(30));
        assert_eq!(client.ask(0, 0, 512, &[]).0, 0);
    }
    let (code, out) = end(server, "-TERM");
    assert_eq!(code, Some(3), "{out}");
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert!(!rest.contains("background work failed"), "it is told once: {rest}");
    assert!(rest.contains("no free page is left") && rest.contains("+spare=N"), "{rest}");
}
