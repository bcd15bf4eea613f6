//! An image as an array of the suites: it can be copied, and inspected.

use flash::faults::Tearable;
use flash::{BlockId, FlashError, Geometry, Layer, Part, Ppn};
use ftlkit_device::image::{Description, Image};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use testkit::watched::Inspect;

/// An image with its file, which goes with it.
#[derive(Debug)]
pub(crate) struct OnDisk {
    image: Image,
    folder: Folder,
}

/// A folder for an image, removed on drop.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

/// A new folder: in memory if the machine has such a file system, for there are thousands.
pub(crate) fn folder() -> Folder {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name =
        format!("ftlkit-device-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let in_memory = Path::new("/dev/shm").join(&name);
    if std::fs::create_dir(&in_memory).is_ok() {
        return Folder(in_memory);
    }
    let path = std::env::temp_dir().join(name);
    std::fs::create_dir(&path).expect("a folder for the image");
    Folder(path)
}

impl Folder {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const NAME: &str = "device.img";

impl OnDisk {
    pub(crate) fn new(geometry: Geometry, part: &Part, bad: &[u32]) -> Self {
        let folder = folder();
        let description = Description::of_part(part);
        let path = folder.path().join(NAME);
        let mut image = Image::create(&path, geometry, &description).expect("an image");
        for block in bad {
            flash::Flash::mark_bad(&mut image, BlockId(*block)).expect("a block of the array");
        }
        Self { image, folder }
    }

    pub(crate) fn image(&mut self) -> &mut Image {
        &mut self.image
    }
}

impl Clone for OnDisk {
    /// A copy of the file, opened: what it does not hold is lost.
    fn clone(&self) -> Self {
        let folder = folder();
        let path = folder.path().join(NAME);
        std::fs::copy(self.folder.path().join(NAME), &path).expect("a copy");
        let image = Image::open(&path).expect("a copy is as good as its image");
        Self { image, folder }
    }
}

impl Layer for OnDisk {
    flash::layer_on!(self, self.image, Image);
}

impl Tearable for OnDisk {
    fn waste(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        self.image.waste(ppn)
    }

    fn half_erase(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.image.half_erase(block)
    }

    fn spoil(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        self.image.spoil(ppn)
    }
}

impl Inspect for OnDisk {
    fn next_page(&self, block: BlockId) -> u32 {
        self.image.next_page(block).expect("a block of the array")
    }

    fn fork(&self) -> Box<dyn Inspect> {
        Box::new(self.clone())
    }
}
