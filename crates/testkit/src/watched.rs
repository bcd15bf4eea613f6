//! An observed array. It derives the place of each logical page, valid pages and victims from the operations alone. A
//! scheme's own account is checked against it.

use crate::due::Due;
use crate::model::version_of;
use crate::told::Told;
use flash::faults::{PowerCut, ProgramEraseFailure, Tearable};
use flash::{
    Array, BlockId, Cause, DueBlock, DynFlash, Event, FlashError, Lpn, Oob, PageKind, Ppn, Probe,
};
use std::any::{Any, type_name};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

const NONE: u32 = u32::MAX;

/// An array whose blocks can be inspected from outside, and that can be copied.
pub trait Inspect: Probe + Any + fmt::Debug {
    /// Next page of the block to program; π if the block must be erased first, or in SLC mode the block's pages there.
    fn next_page(&self, block: BlockId) -> u32;

    /// A copy of the array with all data.
    fn fork(&self) -> Box<dyn Inspect>;
}

impl Clone for Box<dyn Inspect> {
    fn clone(&self) -> Self {
        (**self).fork()
    }
}

impl<F: Inspect> From<F> for Box<dyn Inspect> {
    fn from(array: F) -> Self {
        Box::new(array)
    }
}

impl Inspect for Array {
    fn next_page(&self, block: BlockId) -> u32 {
        Array::next_page(self, block)
    }

    fn fork(&self) -> Box<dyn Inspect> {
        Box::new(self.clone())
    }
}

impl<F: Inspect + Tearable + Clone> Inspect for PowerCut<F> {
    fn next_page(&self, block: BlockId) -> u32 {
        self.inner().next_page(block)
    }

    fn fork(&self) -> Box<dyn Inspect> {
        Box::new(self.clone())
    }
}

impl<F: Inspect + Tearable + Clone> Inspect for ProgramEraseFailure<F> {
    fn next_page(&self, block: BlockId) -> u32 {
        self.inner().next_page(block)
    }

    fn fork(&self) -> Box<dyn Inspect> {
        Box::new(self.clone())
    }
}

/// Class that page-mapped schemes note in a sequence number: bits 55, 53 and 52, the lowest first.
fn class(seq: u64) -> u8 {
    (seq >> 55 & 1 | (seq >> 52 & 3) << 1) as u8
}

/// A block as seen from the operations on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockView {
    /// Pages that hold the newest version on flash of a logical page that is not trimmed.
    pub valid: u32,
    /// Collection has copied from it since its last erase.
    pub victim: bool,
    /// Class that the block is open for (page-mapped schemes): with split frontiers 1 for copies.
    pub class: u8,
}

/// A block that collection has read. It need not be a victim: a step may read pages of the logical block under
/// collection from other blocks.
#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    /// The round of collection: from the first read after an erase to the next erases.
    round: u64,
    /// Valid pages at the first read in that round.
    valid: u32,
}

/// Passes on every operation and keeps an account of it.
///
/// It counts data pages only, because translation pages have their own numbers. Versions come from the programmed
/// bytes, if there are any.
#[derive(Clone, Debug)]
pub struct Watched {
    inner: Box<dyn Inspect>,
    /// Physical page of each logical page.
    map: Vec<u32>,
    /// Logical page whose newest version each physical page holds.
    holds: Vec<u32>,
    /// Version in each physical page; 0 if unknown.
    versions: Vec<u64>,
    /// Logical pages trimmed and not written since. Moved copies of them are not valid.
    trimmed: BTreeSet<u32>,
    /// Logical pages with a write requested and no trim since.
    in_use: Vec<bool>,
    /// The newest version requested of each logical page; 0 if unknown.
    asked: Vec<u64>,
    /// The write in progress, and the newest version before it.
    replaced: Option<(Lpn, u64)>,
    /// True if the scheme holds some writes in its own RAM, also below a write buffer.
    holds_below: bool,
    blocks: Vec<BlockView>,
    touches: Vec<Touch>,
    round: u64,
    /// True after the erase of the round's victim: the next read begins a new round.
    round_over: bool,
    /// Number of victims by valid pages when first touched.
    victim_valid: Vec<u64>,
    /// Most valid pages of a victim at its first copy: to the same device, and to another.
    most_valid: [u32; 2],
    /// The block of the last program.
    last: Option<BlockId>,
    /// The block that wear levelling is moving, and its target.
    moving: Option<[BlockId; 2]>,
    /// Blocks named as due for a refresh, if any are.
    due: Option<Due>,
    /// Events of the scheme.
    told: Told,
    breach: Option<String>,
}

impl Watched {
    /// Observes an array that is erased or about to be mounted. Host reads reveal the places of pages written before.
    pub fn new(inner: impl Into<Box<dyn Inspect>>) -> Self {
        let inner = inner.into();
        let geometry = *inner.geometry();
        Self {
            map: vec![NONE; geometry.pages() as usize],
            holds: vec![NONE; geometry.pages() as usize],
            versions: vec![0; geometry.pages() as usize],
            trimmed: BTreeSet::new(),
            in_use: vec![false; geometry.pages() as usize],
            asked: vec![0; geometry.pages() as usize],
            replaced: None,
            holds_below: false,
            blocks: vec![BlockView::default(); geometry.blocks() as usize],
            touches: vec![Touch::default(); geometry.blocks() as usize],
            round: 1,
            round_over: false,
            victim_valid: vec![0; geometry.pages_per_block() as usize + 1],
            most_valid: [0; 2],
            last: None,
            moving: None,
            due: None,
            told: Told::default(),
            breach: None,
            inner,
        }
    }

    /// The wrapped array, which must have this type.
    ///
    /// # Panics
    /// If it has another type.
    pub fn below<F: Inspect>(&self) -> &F {
        let below = (&*self.inner as &dyn Any).downcast_ref();
        below.unwrap_or_else(|| panic!("the array is no {}", type_name::<F>()))
    }

    /// The wrapped array, mutable.
    ///
    /// # Panics
    /// As [`Watched::below`].
    pub fn below_mut<F: Inspect>(&mut self) -> &mut F {
        let below = (&mut *self.inner as &mut dyn Any).downcast_mut();
        below.unwrap_or_else(|| panic!("the array is no {}", type_name::<F>()))
    }

    /// Returns the wrapped array.
    pub fn into_inner(self) -> Box<dyn Inspect> {
        self.inner
    }

    /// Names written blocks as due for a refresh or a read reclaim from here on.
    pub fn name_blocks(&mut self) {
        self.due = Some(Due::default());
    }

    /// Names this block next.
    pub fn name_due(&mut self, due: DueBlock) {
        self.due = Some(Due::of(due));
    }

    /// Next page of the block to program; π if the block must be erased first.
    pub fn next_page(&self, block: BlockId) -> u32 {
        self.inner.next_page(block)
    }

    /// Records a requested trim: the page's last version is no longer valid.
    pub fn trimmed(&mut self, lpn: Lpn) {
        self.unmap(lpn);
        self.replaced = None;
        self.asked[lpn.0 as usize] = 0;
        self.trimmed.insert(lpn.0);
        self.in_use[lpn.0 as usize] = false;
    }

    /// Records a write about to be requested; `version` is 0 if its bytes do not show it. A trimmed page is in use
    /// again, even if the write stays in RAM and is only programmed for collection.
    pub fn will_write(&mut self, lpn: Lpn, version: u64) {
        self.trimmed.remove(&lpn.0);
        self.in_use[lpn.0 as usize] = true;
        let older = std::mem::replace(&mut self.asked[lpn.0 as usize], version);
        self.replaced = Some((lpn, older));
    }

    /// Allows programs of any version between the one on flash and the newest. The scheme may have received such a
    /// version before the newest, which is still in a write buffer above.
    pub fn hold_below(&mut self) {
        self.holds_below = true;
    }

    /// True if this version may be programmed. Allowed are the newest version requested and, while that write is in
    /// progress, the one before it. The version on flash may be copied (collection, page padding).
    fn may_be_programmed(&self, lpn: Lpn, version: u64) -> bool {
        let asked = self.asked.get(lpn.0 as usize).copied().unwrap_or(0);
        let on_flash = self.place(lpn).map(|place| self.version(place));
        version == 0
            || asked == 0
            || version == asked
            || self.replaced == Some((lpn, version))
            || on_flash.is_some_and(|on_flash| on_flash.is_none_or(|there| version == there))
            || self.holds_below && version < asked
    }

    /// True if the page must read as present, on an array that was erased when wrapped.
    pub fn in_use(&self, lpn: Lpn) -> bool {
        self.in_use[lpn.0 as usize]
    }

    /// The version in a page according to its bytes; `None` if its program was not observed.
    pub fn version(&self, ppn: Ppn) -> Option<u64> {
        self.versions.get(ppn.0 as usize).copied().filter(|version| *version != 0)
    }

    /// The place of a logical page, if it has one.
    pub fn place(&self, lpn: Lpn) -> Option<Ppn> {
        self.map.get(lpn.0 as usize).filter(|ppn| **ppn != NONE).map(|ppn| Ppn(*ppn))
    }

    /// The present state of a block.
    pub fn block(&self, block: BlockId) -> BlockView {
        self.blocks[block.0 as usize]
    }

    /// Number of victims by valid pages when collection first touched them.
    pub fn victim_valid(&self) -> &[u64] {
        &self.victim_valid
    }

    /// Most valid pages of a victim when collection first copied from it: to a block of the same device, and of
    /// another.
    pub fn most_valid(&self) -> [u32; 2] {
        self.most_valid
    }

    /// The block of the last program, for any cause.
    pub fn last_programmed(&self) -> Option<BlockId> {
        self.last
    }

    /// Compares events with operations, unless wear levelling moves blocks in between.
    pub fn compare_events(&mut self, compare: bool) {
        self.told.compare(compare);
    }

    /// Number of events of each name that the scheme reported.
    pub fn events(&self) -> &BTreeMap<&'static str, u64> {
        self.told.counts()
    }

    fn note_breach(&mut self, breach: Option<String>) {
        self.breach = self.breach.take().or(breach);
    }

    /// The first forbidden operation since the last call, if any.
    pub fn take_breach(&mut self) -> Option<String> {
        self.breach.take()
    }

    fn unmap(&mut self, lpn: Lpn) {
        let Some(place) = self.map.get_mut(lpn.0 as usize) else { return };
        let ppn = std::mem::replace(place, NONE);
        if ppn != NONE {
            self.holds[ppn as usize] = NONE;
            let block = self.inner.geometry().block_of(Ppn(ppn));
            self.blocks[block.0 as usize].valid -= 1;
        }
    }

    fn put(&mut self, lpn: Lpn, ppn: Ppn) {
        self.unmap(lpn);
        let block = self.inner.geometry().block_of(ppn);
        self.map[lpn.0 as usize] = ppn.0;
        self.holds[ppn.0 as usize] = lpn.0;
        self.blocks[block.0 as usize].valid += 1;
    }

    fn programmed(&mut self, ppn: Ppn, oob: Oob, version: u64, cause: Cause) {
        self.last = Some(self.inner.geometry().block_of(ppn));
        if oob.kind != PageKind::Data {
            return;
        }
        self.versions[ppn.0 as usize] = version;
        let block = self.inner.geometry().block_of(ppn);
        self.blocks[block.0 as usize].class = class(oob.seq);
        let place = self.place(oob.lpn);
        // A scheme that holds pages in RAM may finish a collection to write them to flash. It charges that to the
        // host.
        if cause == Cause::Host
            && !self.holds_below
            && self.in_use.get(oob.lpn.0 as usize) != Some(&true)
        {
            self.breach.get_or_insert_with(|| {
                format!(
                    "{} was programmed for the host, which has not written it since its trim, if ever",
                    oob.lpn
                )
            });
        }
        if !self.may_be_programmed(oob.lpn, version) {
            self.breach.get_or_insert_with(|| {
                format!(
                    "write {version} of {} was programmed ({}), which is neither its newest nor the one on flash",
                    oob.lpn,
                    cause.name()
                )
            });
        }
        if let Some(newest) = place.and_then(|place| self.version(place))
            && version != 0
            && version < newest
        {
            self.breach.get_or_insert_with(|| {
                format!(
                    "write {version} of {} was programmed ({}) at {ppn}, but write {newest} of it is at {place:?}",
                    oob.lpn,
                    cause.name()
                )
            });
        } else if cause == Cause::Host || !self.trimmed.contains(&oob.lpn.0) {
            self.put(oob.lpn, ppn);
        }
    }

    /// Handles an erase by wear levelling, successful or not. If the block was copied before, its pages are now in
    /// the target.
    fn levelled(&mut self, from: BlockId) {
        let Some([_, to]) = self.moving.take().filter(|[moving, _]| *moving == from) else {
            return;
        };
        let geometry = *self.inner.geometry();
        for page in 0..geometry.pages_per_block() {
            let [from, to] = [from, to].map(|block| geometry.ppn(block, page).0);
            let lpn = std::mem::replace(&mut self.holds[from as usize], NONE);
            self.holds[to as usize] = lpn;
            if lpn != NONE {
                self.map[lpn as usize] = to;
            }
        }
        let [from, to] = [from.0 as usize, to.0 as usize];
        self.blocks[to] = std::mem::take(&mut self.blocks[from]);
        self.touches[to] = self.touches[from];
    }

    fn copied(&mut self, from: Ppn, to: Ppn, oob: Oob, cause: Cause) {
        if cause == Cause::WearLevel {
            self.versions[to.0 as usize] = self.versions[from.0 as usize];
            self.moving = Some([from, to].map(|ppn| self.inner.geometry().block_of(ppn)));
            return;
        }
        if oob.kind != PageKind::Data {
            return;
        }
        let block = self.inner.geometry().block_of(from);
        if is_data_collection(cause) {
            self.copied_from(block, to);
            self.victim(block);
        }
        let place = self.place(oob.lpn);
        if place.is_some_and(|place| place != from) {
            self.breach.get_or_insert(format!(
                "{from} was copied for {} but the newest version is at {place:?}",
                oob.lpn
            ));
        }
        self.programmed(to, oob, self.versions[from.0 as usize], cause);
    }

    /// Records the present fill of the block if this is its first copy.
    fn copied_from(&mut self, block: BlockId, to: Ppn) {
        let view = self.blocks[block.0 as usize];
        let to = self.inner.geometry().block_of(to);
        let far = self.inner.part().copies.is_some_and(|copies| copies.are_apart(block, to));
        let most = &mut self.most_valid[usize::from(far)];
        *most = if view.victim { *most } else { view.valid.max(*most) };
    }

    /// Makes the block a victim with its present fill.
    fn victim(&mut self, block: BlockId) {
        let view = &mut self.blocks[block.0 as usize];
        if !view.victim {
            view.victim = true;
            self.victim_valid[view.valid as usize] += 1;
        }
    }

    /// Records that collection read a page of the block. It becomes a victim if it is erased in this round.
    fn touched(&mut self, block: BlockId) {
        if std::mem::take(&mut self.round_over) {
            self.round += 1;
        }
        let touch = &mut self.touches[block.0 as usize];
        if touch.round != self.round {
            *touch = Touch { round: self.round, valid: self.blocks[block.0 as usize].valid };
        }
    }

    /// Records that collection erases the block: a victim, with its fill before its pages were moved.
    fn compare_copies(&mut self, from: &[Ppn], cause: Cause, failed: Option<FlashError>) {
        for ppn in from {
            let block = self.inner.geometry().block_of(*ppn);
            let breach = self.told.operation(block, cause, false);
            self.note_breach(breach);
        }
        if failed.is_some() {
            self.told.failed();
        }
    }

    fn collected(&mut self, block: BlockId) {
        let at = block.0 as usize;
        if !self.blocks[at].victim {
            let touch = self.touches[at];
            let valid = if touch.round == self.round { touch.valid } else { self.blocks[at].valid };
            self.victim_valid[valid as usize] += 1;
        }
        self.round_over = true;
    }

    fn saw_read(&mut self, ppn: Ppn, oob: Oob, cause: Cause) {
        if oob.kind != PageKind::Data {
            return;
        }
        if is_data_collection(cause) {
            self.touched(self.inner.geometry().block_of(ppn));
        }
        if cause != Cause::Host {
            return;
        }
        if let Some(in_use) = self.in_use.get_mut(oob.lpn.0 as usize) {
            *in_use = true;
        }
        match self.place(oob.lpn) {
            None => self.put(oob.lpn, ppn),
            Some(place) if place == ppn => {}
            Some(place) => {
                self.breach.get_or_insert(format!(
                    "a host read went to {ppn}, an old version of {}: the newest is at {place}",
                    oob.lpn
                ));
            }
        }
    }
}

/// True for causes whose victims hold user data.
fn is_data_collection(cause: Cause) -> bool {
    matches!(cause, Cause::Collection | Cause::SwitchMerge | Cause::PartialMerge | Cause::FullMerge)
}

impl DynFlash for Watched {
    fn fork(&self) -> Option<Box<dyn DynFlash>> {
        Some(Box::new(self.clone()))
    }
}

impl flash::Layer for Watched {
    type Inner = dyn Inspect;

    fn inner(&self) -> &Self::Inner {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut Self::Inner {
        &mut *self.inner
    }

    fn read(
        &mut self,
        ppn: Ppn,
        mut data: Option<&mut [u8]>,
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        let oob = self.inner.read(ppn, data.as_deref_mut(), cause)?;
        if cause == Cause::Host && oob.kind == PageKind::Data && self.version(ppn).is_none() {
            // The page was written before the last mount.
            self.versions[ppn.0 as usize] = data.as_deref().and_then(version_of).unwrap_or(0);
        }
        self.saw_read(ppn, oob, cause);
        Ok(oob)
    }

    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        let oob = self.inner.read_part(ppn, offset, data, cause)?;
        self.saw_read(ppn, oob, cause);
        Ok(oob)
    }

    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        let oob = self.inner.read_oob(ppn, cause)?;
        // The host's search for the newest version may meet old ones. Only its full page read counts.
        if cause != Cause::Host {
            self.saw_read(ppn, oob, cause);
        }
        Ok(oob)
    }

    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        let programmed = self.inner.program(ppn, oob, data, cause);
        if matches!(programmed, Err(FlashError::ProgramFailed(_))) {
            self.told.failed();
        }
        programmed?;
        self.programmed(ppn, oob, data.and_then(version_of).unwrap_or(0), cause);
        Ok(())
    }

    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        let copied = self.inner.copy(from, to, seq, cause);
        self.compare_copies(&[from], cause, copied.err());
        let oob = copied?;
        self.copied(from, to, oob, cause);
        Ok(oob)
    }

    fn copy_run(
        &mut self,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        let result = self.inner.copy_run(from, to, seq, cause, lpns);
        let copied = result.map_or_else(|(copied, _)| copied, |()| from.len());
        self.compare_copies(&from[..copied], cause, result.err().map(|(_, error)| error));
        for (from, to) in from[..copied].iter().zip(to.0..) {
            // After a power cut in the middle no page can be read, and the account ends.
            if let Ok(oob) = self.inner.read_oob(Ppn(to), cause) {
                self.copied(*from, Ppn(to), oob, cause);
            }
        }
        result
    }

    fn event(&mut self, event: &Event<'_>) {
        let breach = self.told.event(event);
        self.note_breach(breach);
    }

    fn due_block(&mut self) -> Option<DueBlock> {
        let (inner, due) = (&self.inner, &mut self.due);
        due.as_mut()?.block(inner.geometry().blocks(), |block| inner.next_page(block) > 0)
    }

    fn end_turn(&mut self, block: BlockId, _moved: bool) {
        if let Some(due) = &mut self.due {
            due.ends(block);
        }
    }

    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        let erased = self.inner.erase(block, cause);
        match erased {
            Ok(()) => {
                let breach = self.told.operation(block, cause, true);
                self.note_breach(breach);
            }
            Err(_) => self.told.failed(),
        }
        if cause == Cause::WearLevel && matches!(erased, Ok(()) | Err(FlashError::EraseFailed(_))) {
            self.levelled(block);
        }
        erased?;
        flash::Layer::end_turn(self, block, true);
        if is_data_collection(cause) {
            self.collected(block);
        }
        let view = std::mem::take(&mut self.blocks[block.0 as usize]);
        if view.valid != 0 {
            self.breach
                .get_or_insert(format!("{block} was erased with {} valid pages", view.valid));
        }
        let geometry = *self.inner.geometry();
        for page in 0..geometry.pages_per_block() {
            let at = geometry.ppn(block, page).0 as usize;
            self.versions[at] = 0;
            let lpn = std::mem::replace(&mut self.holds[at], NONE);
            if lpn != NONE {
                self.map[lpn as usize] = NONE;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;
    use flash::{Flash, Store};

    const LPN: Lpn = Lpn(5);

    fn watched() -> Watched {
        Watched::new(Shape::new(4, 4, 1).array(Store::All, &[]))
    }

    /// Requests a write of a page and programs it at the next page of a block.
    fn write(watched: &mut Watched, block: u32, lpn: Lpn, version: u64) -> Ppn {
        watched.will_write(lpn, version);
        put(watched, block, lpn, version, Cause::Host)
    }

    /// Programs a write of a page at the next page of a block, without a request.
    fn put(watched: &mut Watched, block: u32, lpn: Lpn, version: u64, cause: Cause) -> Ppn {
        let page = watched.next_page(BlockId(block));
        let ppn = watched.geometry().ppn(BlockId(block), page);
        let mut data = [0; 32];
        data[4..12].copy_from_slice(&version.to_le_bytes());
        watched.program(ppn, Oob::data(lpn, version), Some(&data), cause).unwrap();
        ppn
    }

    #[test]
    fn moves_of_old_versions_are_told() {
        for (version, told) in [(7, true), (8, false), (9, false)] {
            let mut watched = watched();
            write(&mut watched, 0, LPN, 7);
            let newest = write(&mut watched, 1, LPN, 8);
            watched.will_write(LPN, version.max(8));
            let moved = put(&mut watched, 2, LPN, version, Cause::Collection);
            assert_eq!(watched.take_breach().is_some(), told, "write {version}");
            assert_eq!(watched.place(LPN), Some(if told { newest } else { moved }));
        }
    }

    /// The newest version is in RAM and an older one on flash. No version between them may appear.
    #[test]
    fn versions_that_nobody_needs_any_more_are_told() {
        for (version, told) in [(6, true), (7, false), (8, true), (9, false)] {
            let mut watched = watched();
            for write in 6..=9 {
                watched.will_write(LPN, write);
                if write == 7 {
                    put(&mut watched, 0, LPN, write, Cause::Host);
                }
            }
            watched.will_write(Lpn(6), 10);
            put(&mut watched, 1, LPN, version, Cause::Host);
            assert_eq!(watched.take_breach().is_some(), told, "write {version}");
        }
    }

    #[test]
    fn programs_of_pages_that_the_host_has_not_written_are_told() {
        let mut watched = watched();
        watched.will_write(LPN, 1);
        write(&mut watched, 0, LPN, 1);
        assert_eq!(watched.take_breach(), None);
        put(&mut watched, 0, Lpn(6), 2, Cause::Host);
        assert!(watched.take_breach().is_some());
        watched.trimmed(LPN);
        put(&mut watched, 0, LPN, 1, Cause::Host);
        assert!(watched.take_breach().is_some());
    }

    #[test]
    fn a_fold_counts_both_blocks_as_full_as_they_were() {
        let mut watched = watched();
        let places = [0, 0, 1, 1].map(|block| (block, Lpn(block)));
        for (at, (block, lpn)) in places.into_iter().enumerate() {
            write(&mut watched, block, lpn, 1 + at as u64);
        }
        let last = write(&mut watched, 1, LPN, 9);
        for ppn in [watched.place(Lpn(0)), watched.place(Lpn(1)), Some(last)] {
            watched.read(ppn.unwrap(), None, Cause::FullMerge).unwrap();
        }
        for (lpn, version) in [(Lpn(0), 2), (Lpn(1), 4), (LPN, 9)] {
            put(&mut watched, 2, lpn, version, Cause::FullMerge);
        }
        watched.erase(BlockId(0), Cause::FullMerge).unwrap();
        watched.erase(BlockId(1), Cause::FullMerge).unwrap();
        assert_eq!(watched.victim_valid(), [0, 1, 1, 0, 0]);
        assert_eq!(watched.take_breach(), None);
    }

    #[test]
    fn a_block_that_is_only_read_from_is_no_victim() {
        let mut watched = watched();
        write(&mut watched, 0, LPN, 1);
        let queued = write(&mut watched, 1, LPN, 2);
        write(&mut watched, 1, Lpn(6), 3);
        watched.read(queued, None, Cause::Collection).unwrap();
        put(&mut watched, 2, LPN, 2, Cause::Collection);
        watched.erase(BlockId(0), Cause::Collection).unwrap();
        assert_eq!(watched.victim_valid(), [1, 0, 0, 0, 0]);
        // In the next round the block is a victim, with its fill in that round.
        watched.read_oob(queued, Cause::Collection).unwrap();
        put(&mut watched, 2, Lpn(6), 3, Cause::Collection);
        watched.erase(BlockId(1), Cause::Collection).unwrap();
        assert_eq!(watched.victim_valid(), [1, 1, 0, 0, 0]);
        assert_eq!(watched.take_breach(), None);
    }

    #[test]
    fn erasing_the_newest_version_is_told() {
        let mut watched = watched();
        let place = write(&mut watched, 0, LPN, 1);
        watched.read(place, None, Cause::Collection).unwrap();
        watched.erase(BlockId(0), Cause::Collection).unwrap();
        assert!(watched.take_breach().is_some());
    }

    #[test]
    fn the_host_may_search_through_old_versions_but_must_read_the_newest() {
        let mut watched = watched();
        let old = write(&mut watched, 0, LPN, 1);
        let new = write(&mut watched, 0, LPN, 2);
        watched.read_oob(new, Cause::Host).unwrap();
        watched.read_oob(old, Cause::Host).unwrap();
        watched.read(new, None, Cause::Host).unwrap();
        assert_eq!(watched.take_breach(), None);
        watched.read(old, None, Cause::Host).unwrap();
        assert!(watched.take_breach().is_some());
    }

    #[test]
    fn translation_pages_are_no_logical_pages() {
        let mut watched = watched();
        let data = write(&mut watched, 0, LPN, 1);
        let ppn = watched.geometry().ppn(BlockId(1), 0);
        let oob = Oob { kind: PageKind::Translation, ..Oob::data(LPN, 2) };
        watched.program(ppn, oob, Some(&[0; 32]), Cause::Translation).unwrap();
        watched.read(ppn, None, Cause::Host).unwrap();
        let to = watched.geometry().ppn(BlockId(2), 0);
        watched.copy(ppn, to, 3, Cause::TranslationCollection).unwrap();
        watched.erase(BlockId(1), Cause::TranslationCollection).unwrap();
        assert_eq!((watched.place(LPN), watched.take_breach()), (Some(data), None));
        assert_eq!(watched.victim_valid(), [0; 5]);
    }

    #[test]
    fn trimmed_pages_may_be_moved_and_dropped_and_come_back_when_written() {
        let mut watched = watched();
        write(&mut watched, 0, LPN, 1);
        watched.trimmed(LPN);
        put(&mut watched, 1, LPN, 1, Cause::Collection);
        assert_eq!(watched.place(LPN), None);
        watched.will_write(LPN, 2);
        let held = put(&mut watched, 1, LPN, 2, Cause::Collection);
        assert_eq!(watched.place(LPN), Some(held));
        watched.erase(BlockId(0), Cause::Collection).unwrap();
        assert_eq!(watched.take_breach(), None);
    }
}
