//! After a failure of the machine: of what was written since the last sync, some sectors are in the file and some are not.

use super::check::PageState;
use super::file::Image;
use super::layout::{BlockRecord, Found};
use flash::faults::Tearable;
use flash::{BlockId, FlashError, Ppn};

/// Schemes whose mount takes operations to be on flash in the order in which they were run. A failure of the machine may keep
/// a later one without an earlier one, and these schemes then lose pages that a sync covered.
pub const NEED_ORDER: [&str; 1] = ["nftl"];

/// What the machine's failure had left half done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Pages whose record or bytes are missing. They are unreadable now, as after a cut program.
    pub pages: u64,
    /// Blocks with pages of a content whose erase is missing. They are half erased now.
    pub blocks: u32,
}

impl Image {
    /// Looks at all that is in the file, and makes what is there in part as unreadable as a cut program or erase leaves it. A
    /// mount then takes the versions before, which the last sync covered if [erases waited for it](Image::sync_before_erases).
    /// It reads the whole content, so call it after an unclean end, and where the machine may have failed.
    ///
    /// # Errors
    /// That of the file, which turns the image off.
    pub fn recover(&mut self) -> Result<Recovered, FlashError> {
        let mut recovered = Recovered::default();
        for id in (0..self.geometry.blocks()).map(BlockId) {
            let block = self.block(id)?;
            let newest = self.newest_content(id)?;
            if newest > block.record.erases {
                // Its pages came after an erase that is not in the file. All that it held before had been copied and synced.
                let record = BlockRecord { erases: newest, ..block.record };
                self.set_block(id, super::blocks::Block { record, ..block })?;
                self.half_erase(id)?;
                recovered.blocks += 1;
                continue;
            }
            let mut lost = Vec::new();
            let looked = self.each_state(id, |image, ppn, state| {
                if matches!(image.with_bytes(ppn, state)?, PageState::Damaged(_)) {
                    lost.push(ppn);
                }
                Ok(())
            });
            if let Err(failure) = looked {
                return self.io(failure.what, Err(failure.source)).map(|()| recovered);
            }
            for ppn in lost {
                self.spoil(ppn)?;
                recovered.pages += 1;
            }
        }
        Ok(recovered)
    }

    /// The latest erase after which a page of this block was programmed.
    fn newest_content(&self, id: BlockId) -> Result<u32, FlashError> {
        let mut newest = 0;
        for page in 0..self.geometry.pages_per_block() {
            let ppn: Ppn = self.geometry.ppn(id, page);
            match self.page_record(ppn)? {
                Found::Record(page) => newest = newest.max(page.erases),
                Found::Never | Found::Damaged => {}
            }
        }
        Ok(newest)
    }
}
