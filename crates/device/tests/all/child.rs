//! A process that writes to an image without end, to be killed or to run into a full disk. It is this test binary with
//! one test chosen, and the image's path in the environment.

use flash::{Flash, Lpn, parts};
use ftl::{SchemeConfig, registry};
use ftlkit_device::image::{Description, Image, ImageArray};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

const PATH: &str = "FTLKIT_TEST_IMAGE";
const SCHEME: &str = "FTLKIT_TEST_SCHEME";
const SEED: &str = "FTLKIT_TEST_SEED";

/// An image for the child: 40 blocks of 16 pages of 512 bytes.
pub(crate) fn create(path: &Path) -> Image {
    let part = parts::by_name("evaluation-slc").expect("it is in the catalogue").clone();
    let part = flash::Part { page_bytes: 512, pages_per_block: 16, ..part };
    let geometry = flash::Geometry::new(40, 16, 512).expect("an array");
    Image::create(path, geometry, &Description::of_part(&part)).expect("an image")
}

/// The bytes of a version of a page: they tell its number and its version.
pub(crate) fn bytes(lpn: Lpn, version: u64, page_bytes: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..page_bytes).map(|at| (at as u64 * version) as u8).collect();
    bytes[..4].copy_from_slice(&lpn.0.to_le_bytes());
    bytes[4..12].copy_from_slice(&version.to_le_bytes());
    bytes
}

/// The version in a page, if its bytes are those of one.
pub(crate) fn version(lpn: Lpn, page: &[u8]) -> Option<u64> {
    let mut number = [0; 8];
    number.copy_from_slice(&page[4..12]);
    let version = u64::from_le_bytes(number);
    (page == bytes(lpn, version, page.len())).then_some(version)
}

/// The child: mounts the image, writes random pages, and says so after each. It flushes each write if the scheme needs it.
#[test]
#[ignore = "the body of the child process of other tests"]
fn writes_until_it_is_stopped() {
    let Some(path) = std::env::var_os(PATH) else {
        println!("nothing to do: {PATH} is not set, so this is no child process");
        return;
    };
    let text = |name| std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"));
    let config = SchemeConfig::preset(registry::by_name(&text(SCHEME)).unwrap());
    let mut random = Pcg64::seed_from_u64(text(SEED).parse().unwrap());
    let image = Image::open(Path::new(&path)).unwrap();
    let fresh = image.starts().count == 1;
    let array = ImageArray::new(&config, image);
    let mut scheme = if fresh { array.format(&config) } else { array.mount(&config) }.unwrap();
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nmounted").unwrap();
    if let Ok(limit) = std::env::var("FTLKIT_TEST_LIMIT") {
        let limit = Some(limit.parse().expect("bytes"));
        let limit = rustix::process::Rlimit { current: limit, maximum: limit };
        rustix::process::setrlimit(rustix::process::Resource::Fsize, limit).unwrap();
    }
    let page_bytes = scheme.flash().geometry().page_bytes() as usize;
    for round in 0..1_000_000_u64 {
        let lpn = Lpn(random.random_range(0..scheme.logical_pages()));
        let version = text(SEED).parse::<u64>().unwrap() << 32 | (round + 1);
        writeln!(out, "writes {} {version}", lpn.0).unwrap();
        if let Err(error) = scheme.write_through(lpn, Some(&bytes(lpn, version, page_bytes))) {
            let array: &ImageArray = scheme.flash().downcast_ref().unwrap();
            writeln!(out, "stopped {error}: {}", array.image().failure().unwrap()).unwrap();
            return;
        }
        writeln!(out, "written {} {version}", lpn.0).unwrap();
    }
}

/// Starts the child, by a shell with these commands first.
pub(crate) fn start(
    before: &str,
    path: &Path,
    scheme: &str,
    seed: u64,
) -> (Child, BufReader<ChildStdout>) {
    let binary = std::env::current_exe().expect("this test");
    let command = format!("{before} exec \"$0\" \"$@\"");
    let mut child = Command::new("bash")
        .args(["-c", &command])
        .arg(binary)
        .args(["--ignored", "--exact", "--nocapture", "child::writes_until_it_is_stopped"])
        .env(PATH, path)
        .env(SCHEME, scheme)
        .env(SEED, seed.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a child process");
    let out = BufReader::new(child.stdout.take().expect("its output"));
    (child, out)
}

/// What a child said: for each page, the newest version written, and one that it was writing.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) written: std::collections::BTreeMap<u32, u64>,
    pub(crate) writing: Option<(u32, u64)>,
    pub(crate) stopped: Option<String>,
    pub(crate) mounted: bool,
}

impl Said {
    /// Adds a line. The last one may be cut off.
    pub(crate) fn hear(&mut self, line: &str) {
        let words: Vec<&str> = line.trim_end_matches('\n').splitn(3, ' ').collect();
        let numbers = |lpn: &str, version: &str| Some((lpn.parse().ok()?, version.parse().ok()?));
        match words[..] {
            _ if !line.ends_with('\n') => {}
            ["mounted"] => self.mounted = true,
            ["stopped", ..] => self.stopped = Some(line.to_owned()),
            ["writes", lpn, version] => self.writing = numbers(lpn, version),
            ["written", lpn, version] => {
                self.written.extend(numbers(lpn, version));
                self.writing = None;
            }
            _ => {}
        }
    }

    /// Takes all that the child says to its end.
    pub(crate) fn hear_all(&mut self, mut out: impl BufRead) {
        let mut line = String::new();
        while out.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            self.hear(&line);
            line.clear();
        }
    }

    /// Mounts the image and reads every page: each has the newest version written, or the one that was being written.
    pub(crate) fn check(&self, path: &Path, scheme: &str) -> u32 {
        let config = SchemeConfig::preset(registry::by_name(scheme).unwrap());
        let image = Image::open(path).unwrap();
        let mut scheme = ImageArray::new(&config, image).mount(&config).unwrap();
        let mut page = vec![0; scheme.flash().geometry().page_bytes() as usize];
        let mut present = 0;
        for lpn in (0..scheme.logical_pages()).map(Lpn) {
            let found = scheme.read(lpn, Some(&mut page)).unwrap();
            let found = found.then(|| version(lpn, &page).expect("the bytes of a version"));
            present += u32::from(found.is_some());
            let cut = self.writing.filter(|(page, _)| *page == lpn.0).map(|(_, version)| version);
            let newest = self.written.get(&lpn.0).copied();
            assert!(
                found == newest || cut.is_some() && found == cut,
                "{lpn}: {found:?}, not {newest:?} or {cut:?}"
            );
        }
        present
    }
}
