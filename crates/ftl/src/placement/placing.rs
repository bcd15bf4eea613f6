//! A placement policy at work: what it is told, from the tables that all policies share.
//!
//! Tables: the class of each block (1 byte), and for policies that ask for times the host write at which each logical
//! page was last written and each block was opened (4 bytes each). Time is the number of host writes.
//!
//! Work: a host write reads and writes the page's time and reads the class of its old block. A copy reads the page's
//! time and the class of its block, whose entry is at hand for the rest of a run and counts once per page all the same. A
//! block that is opened writes its class and its time, one that is collected reads them.
//!
//! Streams: for a policy that follows the host's streams, the frame keeps a log of each handle, and for that the handle of
//! each logical page (1 byte). They serve reports alone; a controller has no use of them. With G reclaim groups and K handles
//! stream s is handle s mod K of group s div K, as a placement identifier of FDP, and the log has an entry for each of the KG.

use super::future::Future;
use super::interface::{CollectedBlock, PlacedCopy, PlacedWrite, Placement};
use super::policy::{PlacementKind, Times};
use crate::inspection::Placed;
use crate::stream_log::{HandleLog, StreamLog};
use crate::victim_work::Accesses;
use crate::victims::{GroupSizes, GroupState};
use alloc::{boxed::Box, sync::Arc, vec, vec::Vec};
use flash::prefetch::prefetch;
use flash::{BlockId, Lpn};

/// Time of pages and blocks of which none is known. Times begin at 1.
const UNKNOWN: u32 = 0;

/// Handle of pages of which none is known: they were written before a mount.
const NO_HANDLE: u8 = u8::MAX;

/// Log of the host's streams, and the handle of each logical page.
#[derive(Clone, Debug)]
struct Streams {
    log: StreamLog,
    handle_of: Vec<u8>,
    now: u8,
    /// Group of the writes from here on.
    group: usize,
}

impl Streams {
    /// The handle of a stream: the first, if it has none.
    fn handle(&self, stream: u8) -> usize {
        let stream = usize::from(stream);
        if stream < self.log.handles.len() { stream } else { 0 }
    }

    /// The log's entry for a class of the reclaim group of this block; `None` for shared copies.
    fn of_class(&mut self, block: BlockId, class: usize) -> Option<&mut HandleLog> {
        let of_group = self.log.handles_per_group();
        let group = block.0 as usize % self.log.groups;
        let at = (class < of_group).then_some(group * of_group + class)?;
        self.log.handles.get_mut(at)
    }
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Placing {
    policy: Box<dyn Placement>,
    kind: PlacementKind,
    class_of: Vec<u8>,
    /// Times of logical pages and of blocks; empty if the policy asks for none.
    written: Vec<u32>,
    opened: Vec<u32>,
    /// Time at which each logical page becomes invalid; empty if the policy asks for no future.
    ends: Vec<u32>,
    future: Option<Arc<Future>>,
    /// Host writes so far.
    writes: u32,
    now: u32,
    work: Accesses,
    streams: Option<Streams>,
}

impl Placing {
    /// Makes the policy for a space of so many reclaim groups; `None` if it has no state.
    pub(crate) fn new(
        kind: PlacementKind,
        logical_pages: u32,
        array: [u32; 2],
        groups: usize,
        future: Option<Arc<Future>>,
    ) -> Option<Self> {
        let state = kind.by_state()?;
        let [blocks, _] = array;
        let of = |kept: bool, count: u32| vec![UNKNOWN; if kept { count as usize } else { 0 }];
        let policy = (state.make)(&kind.space(logical_pages, array));
        let streams = policy.handles().map(|handles| Streams {
            log: StreamLog::new(handles, groups),
            handle_of: vec![NO_HANDLE; logical_pages as usize],
            now: 0,
            group: 0,
        });
        Some(Self {
            policy,
            streams,
            kind,
            class_of: vec![0; blocks as usize],
            written: of(state.times == Times::OfPages, logical_pages),
            opened: of(state.times != Times::No, blocks),
            ends: if state.future { vec![UNKNOWN; logical_pages as usize] } else { Vec::new() },
            future: future.filter(|_| state.future),
            writes: 0,
            now: 1,
            work: Accesses::default(),
        })
    }

    /// The policy and its numbers.
    pub(crate) fn kind(&self) -> PlacementKind {
        self.kind
    }

    /// The host names the stream of its writes from here on.
    #[inline]
    pub(crate) fn name_stream(&mut self, stream: u8) {
        if let Some(streams) = &mut self.streams
            && streams.now != stream
        {
            streams.now = stream;
            let (handle, of_group) = (streams.handle(stream), streams.log.handles_per_group());
            streams.group = handle / of_group;
            self.policy.stream((handle % of_group) as u8);
        }
    }

    /// Reclaim group of the writes from here on.
    #[inline]
    pub(crate) fn reclaim_group(&self) -> usize {
        self.streams.as_ref().map_or(0, |streams| streams.group)
    }

    /// What this block, which is in use, holds.
    pub(crate) fn placed(&self, block: BlockId) -> Placed {
        let class = self.class_of[block.0 as usize];
        let Some(streams) = &self.streams else { return Placed::Class(class) };
        let (of_group, groups) = (streams.log.handles_per_group(), streams.log.groups);
        match usize::from(class) < of_group {
            // At most 255 handles of all groups.
            true => Placed::Stream((block.0 as usize % groups * of_group) as u8 + class),
            false => Placed::Copies,
        }
    }

    /// Log of the host's streams, if the policy follows them.
    pub(crate) fn stream_log(&self) -> Option<&StreamLog> {
        self.streams.as_ref().map(|streams| &streams.log)
    }

    /// Clears that log.
    pub(crate) fn restart_log(&mut self) {
        if let Some(streams) = &mut self.streams {
            streams.log = StreamLog::new(streams.log.handles_per_group(), streams.log.groups);
        }
    }

    /// Records that the host wrote a page, and whether it went to a block of its class and group.
    #[inline]
    pub(crate) fn wrote(&mut self, lpn: Lpn, hit: bool) {
        if let Some(streams) = &self.streams {
            self.wrote_of(lpn, streams.now, hit);
        }
    }

    /// The same of a page of this stream.
    pub(crate) fn wrote_of(&mut self, lpn: Lpn, stream: u8, hit: bool) {
        let Some(streams) = &mut self.streams else { return };
        let handle = streams.handle(stream);
        streams.log.invalid += u64::from(usize::from(stream) != handle);
        let log = &mut streams.log.handles[handle];
        log.written += 1;
        log.displaced += u64::from(!hit);
        streams.handle_of[lpn.0 as usize] = handle as u8;
    }

    /// Records that collection moved pages.
    pub(crate) fn moved(&mut self, lpns: &[Lpn]) {
        let Some(streams) = &mut self.streams else { return };
        for lpn in lpns {
            let handle = usize::from(streams.handle_of[lpn.0 as usize]);
            match streams.log.handles.get_mut(handle) {
                Some(log) => log.moved += 1,
                None => streams.log.moved_unknown += 1,
            }
        }
    }

    /// Records that this block of a class was closed before it was full.
    pub(crate) fn cut_short(&mut self, block: BlockId, class: usize) {
        let Some(streams) = &mut self.streams else { return };
        match streams.of_class(block, class) {
            Some(log) => log.cut_short += 1,
            None => streams.log.copies_cut_short += 1,
        }
    }

    /// Time since this entry of a table; `None` if it is not known.
    #[inline]
    fn since(now: u32, time: Option<&u32>) -> Option<u32> {
        time.filter(|time| **time != UNKNOWN).map(|time| now - time)
    }

    /// Tells the processor that the times of this page will be needed.
    #[inline]
    pub(crate) fn prefetch(&self, lpn: Lpn) {
        prefetch(&self.written, lpn.0 as usize);
        prefetch(&self.ends, lpn.0 as usize);
    }

    /// Class of a host write, whose old version is in block `old`. The write counts as done.
    #[inline]
    pub(crate) fn of_write(&mut self, lpn: Lpn, old: Option<BlockId>) -> usize {
        let at = lpn.0 as usize;
        let lifespan = Self::since(self.now, self.written.get(at));
        let lifespan = if old.is_some() { lifespan } else { None };
        let from = old.map(|block| usize::from(self.class_of[block.0 as usize]));
        // Policies with times of pages have the lifespan instead.
        let opened = old.filter(|_| self.written.is_empty());
        let opened = opened.and_then(|block| self.opened.get(block.0 as usize));
        let from_age = Self::since(self.now, opened);
        let times = u64::from(!self.written.is_empty());
        let reads = times + u64::from(from.is_some()) + u64::from(opened.is_some());
        self.work += Accesses::new(reads, times);
        self.host_wrote(lpn);
        let left = self.left(lpn);
        self.policy.of_write(&PlacedWrite { lpn, lifespan, left, from, from_age })
    }

    /// Records a version that the host has written, without a choice of its class.
    #[inline]
    pub(crate) fn host_wrote(&mut self, lpn: Lpn) {
        if self.now == u32::MAX {
            self.rebase();
        }
        self.now += 1;
        if let Some(time) = self.written.get_mut(lpn.0 as usize) {
            *time = self.now;
        }
        if let Some(end) = self.ends.get_mut(lpn.0 as usize) {
            let left = self.future.as_ref().and_then(|future| future.lifespan(self.writes));
            *end = match left {
                None => UNKNOWN,
                Some(left) => self.now.saturating_add(left),
            };
            self.work += Accesses::new(0, 1);
            self.writes = self.writes.saturating_add(1);
        }
    }

    /// Time until the page becomes invalid.
    #[inline]
    fn left(&self, lpn: Lpn) -> Option<u32> {
        match *self.ends.get(lpn.0 as usize)? {
            UNKNOWN => None,
            Future::NEVER => Some(Future::NEVER),
            // A future that is not of this run may say that the page is invalid by now.
            end => Some(end.saturating_sub(self.now)),
        }
    }

    /// Records that a page of this block was trimmed.
    pub(crate) fn trimmed(&mut self, lpn: Lpn, block: BlockId) {
        if let Some(end) = self.ends.get_mut(lpn.0 as usize) {
            *end = UNKNOWN;
        }
        self.work += Accesses::new(1, 0);
        self.policy.trimmed(lpn, usize::from(self.class_of[block.0 as usize]));
    }

    /// Makes room for later times: half of them are dropped. Pages and blocks that are older all become equally old.
    #[cold]
    fn rebase(&mut self) {
        const HALF: u32 = 1 << 31;
        for time in self.written.iter_mut().chain(&mut self.opened) {
            if *time != UNKNOWN {
                *time = time.saturating_sub(HALF).max(1);
            }
        }
        for end in &mut self.ends {
            if *end != UNKNOWN && *end != Future::NEVER {
                *end = end.saturating_sub(HALF).max(1);
            }
        }
        self.now -= HALF;
    }

    /// Class of a copy from this block.
    #[inline]
    pub(crate) fn of_copy(&mut self, lpn: Option<Lpn>, block: BlockId) -> usize {
        let time = lpn.and_then(|lpn| self.written.get(lpn.0 as usize));
        let age = Self::since(self.now, time);
        self.work += Accesses::new(1 + u64::from(time.is_some()), 0);
        let from = usize::from(self.class_of[block.0 as usize]);
        let left = lpn.and_then(|lpn| self.left(lpn));
        self.work += Accesses::new(u64::from(left.is_some()), 0);
        self.policy.of_copy(&PlacedCopy { lpn, age, left, from })
    }

    /// Records that a block is opened for a class.
    pub(crate) fn opened(&mut self, block: BlockId, class: usize) {
        self.class_of[block.0 as usize] = class as u8;
        if let Some(time) = self.opened.get_mut(block.0 as usize) {
            *time = self.now;
        }
        self.work += Accesses::new(0, 1 + u64::from(!self.opened.is_empty()));
        if let Some(streams) = &mut self.streams {
            match streams.of_class(block, class) {
                Some(log) => log.opened += 1,
                None => streams.log.opened_for_copies += 1,
            }
        }
    }

    /// Records the class of a block that a mount found.
    pub(crate) fn found(&mut self, block: BlockId, class: usize) {
        self.class_of[block.0 as usize] = class.min(self.kind.classes().count - 1) as u8;
    }

    /// Records that a block was collected, which held so many valid pages.
    pub(crate) fn collected(&mut self, block: BlockId, valid: u32) {
        if let Some(streams) = &mut self.streams {
            streams.log.collected += 1;
            streams.log.collected_valid += u64::from(valid > 0);
        }
        let lifespan = Self::since(self.now, self.opened.get(block.0 as usize));
        self.work += Accesses::new(1 + u64::from(!self.opened.is_empty()), 0);
        let class = usize::from(self.class_of[block.0 as usize]);
        self.policy.collected(&CollectedBlock { class, lifespan });
    }

    /// True if the policy is about to set the sizes of groups of candidates.
    pub(crate) fn wants_groups(&self) -> bool {
        self.policy.wants_groups()
    }

    /// See [`Placement::group`].
    pub(crate) fn group(&mut self, state: Option<&GroupState>) -> Option<GroupSizes> {
        self.policy.group(state)
    }

    /// Entries read and written so far, those of the policy included.
    pub(crate) fn work(&self) -> Accesses {
        let mut work = self.work;
        work += self.policy.work();
        work
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let future = self.future.as_ref().map_or(0, |future| future.writes());
        let times =
            self.written.capacity() + self.opened.capacity() + self.ends.capacity() + future;
        let handles = self.streams.as_ref().map_or(0, |streams| streams.handle_of.capacity());
        self.class_of.capacity() + 4 * times + handles + self.policy.heap_bytes()
    }

    /// RAM of a controller, bytes.
    pub(crate) fn ram_bytes(&self, logical_pages: u32, array: [u32; 2]) -> u64 {
        self.kind.controller_bytes(logical_pages, array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::PLACEMENT_POLICIES;
    use alloc::rc::Rc;
    use core::cell::RefCell;

    /// Notes what it is told.
    #[derive(Clone, Debug, Default)]
    struct Noting(Rc<RefCell<Vec<alloc::string::String>>>);

    impl Placement for Noting {
        fn of_write(&mut self, write: &PlacedWrite) -> usize {
            self.0.borrow_mut().push(alloc::format!("{:?} {:?}", write.lifespan, write.from));
            0
        }

        fn of_copy(&mut self, copy: &PlacedCopy) -> usize {
            self.0.borrow_mut().push(alloc::format!("{:?} {}", copy.age, copy.from));
            0
        }

        fn collected(&mut self, block: &CollectedBlock) {
            self.0.borrow_mut().push(alloc::format!("{:?} {}", block.lifespan, block.class));
        }

        fn work(&self) -> Accesses {
            Accesses::new(100, 10)
        }

        fn heap_bytes(&self) -> usize {
            0
        }
    }

    fn noting() -> (Placing, Noting) {
        let policy = PLACEMENT_POLICIES.iter().find(|policy| policy.name == "sepbit").unwrap();
        let mut placing = Placing::new(policy.kind(&[]).unwrap(), 4, [3, 8], 1, None).unwrap();
        let noting = Noting::default();
        placing.policy = Box::new(noting.clone());
        (placing, noting)
    }

    #[test]
    fn lifespans_and_ages_are_counted_in_host_writes() {
        let (mut placing, noting) = noting();
        placing.opened(BlockId(1), 5);
        placing.of_write(Lpn(0), None);
        placing.of_write(Lpn(1), None);
        placing.of_write(Lpn(0), Some(BlockId(1)));
        placing.of_copy(Some(Lpn(1)), BlockId(1));
        placing.of_copy(Some(Lpn(3)), BlockId(1));
        placing.of_copy(None, BlockId(1));
        placing.collected(BlockId(1), 3);
        placing.found(BlockId(2), 2);
        placing.collected(BlockId(2), 0);
        // Trimmed since: nothing is overwritten.
        placing.of_write(Lpn(0), None);
        let expected = [
            "None None",
            "None None",
            "Some(1) Some(5)",
            "Some(1) 5",
            "None 5",
            "None 5",
            "Some(3) 5",
            "None 2",
            "None None",
        ];
        assert_eq!(*noting.0.borrow(), expected);
        // Opened 0+2; writes 1+1, 1+1, 2+1, 1+1; copies 2, 2, 1; collected 2, 2; the policy 100+10.
        assert_eq!(placing.work(), Accesses::new(100 + 5 + 5 + 4, 10 + 2 + 4));
    }

    #[test]
    fn ages_of_blocks_alone_are_told_and_counted() {
        let (mut placing, noting) = noting();
        let midas = PLACEMENT_POLICIES.iter().find(|policy| policy.name == "midas").unwrap();
        let mut of_blocks = Placing::new(midas.kind(&[]).unwrap(), 4, [3, 8], 1, None).unwrap();
        #[derive(Clone, Debug)]
        struct Ages(Rc<RefCell<Vec<Option<u32>>>>);
        impl Placement for Ages {
            fn of_write(&mut self, write: &PlacedWrite) -> usize {
                self.0.borrow_mut().push(write.from_age);
                0
            }
            fn of_copy(&mut self, _copy: &PlacedCopy) -> usize {
                0
            }
            fn work(&self) -> Accesses {
                Accesses::default()
            }
            fn heap_bytes(&self) -> usize {
                0
            }
        }
        let ages = Ages(Rc::default());
        of_blocks.policy = Box::new(ages.clone());
        for placing in [&mut placing, &mut of_blocks] {
            placing.opened(BlockId(1), 1);
            placing.of_write(Lpn(0), None);
            placing.of_write(Lpn(1), Some(BlockId(1)));
            placing.of_write(Lpn(1), Some(BlockId(2)));
        }
        assert_eq!(*ages.0.borrow(), [None, Some(1), None]);
        // Opened 0+2; classes of two old blocks and the times when they were opened.
        assert_eq!(of_blocks.work(), Accesses::new(4, 2));
        assert_eq!(noting.0.borrow().len(), 3);
    }

    #[test]
    fn times_go_on_after_four_billion_writes() {
        let (mut placing, noting) = noting();
        placing.of_write(Lpn(0), None);
        placing.now = u32::MAX - 5;
        placing.of_write(Lpn(1), None);
        (0..9).for_each(|_| placing.host_wrote(Lpn(2)));
        placing.of_copy(Some(Lpn(1)), BlockId(0));
        placing.of_copy(Some(Lpn(3)), BlockId(0));
        placing.of_copy(Some(Lpn(0)), BlockId(0));
        let notes = noting.0.borrow();
        assert_eq!(notes[2..4], ["Some(9) 0", "None 0"]);
        let age: u32 =
            notes[4].trim_start_matches("Some(").trim_end_matches(") 0").parse().unwrap();
        assert!(age > 1 << 30, "{age}");
    }

    #[test]
    fn each_handle_has_a_log_of_its_own() {
        let policy = PLACEMENT_POLICIES.iter().find(|policy| policy.name == "stream-initial");
        let mut placing =
            Placing::new(policy.unwrap().kind(&[3]).unwrap(), 8, [4, 8], 1, None).unwrap();
        let write = |placing: &mut Placing, stream, lpn, hit| {
            placing.name_stream(stream);
            let class = placing.of_write(Lpn(lpn), None);
            placing.wrote(Lpn(lpn), hit);
            class
        };
        assert_eq!(write(&mut placing, 2, 5, true), 2);
        assert_eq!(write(&mut placing, 0, 6, true), 0);
        assert_eq!(write(&mut placing, 9, 7, false), 0);
        assert_eq!(placing.of_copy(Some(Lpn(5)), BlockId(0)), 3);
        placing.moved(&[Lpn(5), Lpn(7), Lpn(5), Lpn(1)]);
        for class in [2, 3, 2] {
            placing.opened(BlockId(0), class);
        }
        placing.cut_short(BlockId(0), 2);
        placing.cut_short(BlockId(0), 3);
        placing.collected(BlockId(0), 4);
        placing.collected(BlockId(0), 0);
        let log = placing.stream_log().unwrap();
        let of = |handle: usize| {
            let log = log.handles[handle];
            [log.written, log.moved, log.displaced, log.opened, log.cut_short]
        };
        assert_eq!([0, 1, 2].map(of), [[2, 1, 1, 0, 0], [0; 5], [1, 2, 0, 2, 1]]);
        let rest = [log.opened_for_copies, log.copies_cut_short, log.invalid, log.moved_unknown];
        assert_eq!(rest, [1, 1, 1, 1]);
        assert_eq!([log.collected, log.collected_valid, log.written(), log.moved()], [2, 1, 3, 4]);
        placing.restart_log();
        assert_eq!(*placing.stream_log().unwrap(), StreamLog::new(3, 1));
    }

    /// Stream s is handle s mod K of group s div K, and block b is in group b mod G.
    #[test]
    fn each_group_has_handles_of_its_own() {
        let policy = PLACEMENT_POLICIES.iter().find(|policy| policy.name == "stream-initial");
        let kind = policy.unwrap().kind(&[3]).unwrap();
        let mut placing = Placing::new(kind, 8, [4, 8], 2, None).unwrap();
        let mut write = |stream| {
            placing.name_stream(stream);
            let class = placing.of_write(Lpn(stream.into()), None);
            placing.wrote(Lpn(stream.into()), true);
            [placing.reclaim_group(), class]
        };
        let [first, second] = [[0, 1, 2], [3, 4, 5]].map(|streams| streams.map(&mut write));
        assert_eq!((first, second), ([[0, 0], [0, 1], [0, 2]], [[1, 0], [1, 1], [1, 2]]));
        assert_eq!(write(6), [0, 0], "a stream without a handle");
        placing.moved(&[Lpn(5), Lpn(5), Lpn(1)]);
        for (block, class) in [(0, 1), (1, 1), (3, 2), (2, 3), (3, 3)] {
            placing.opened(BlockId(block), class);
            placing.cut_short(BlockId(block), class);
        }
        let log = placing.stream_log().unwrap();
        assert_eq!((log.groups, log.handles_per_group()), (2, 3));
        let each = |of: fn(&HandleLog) -> u64| log.handles.iter().map(of).collect::<Vec<_>>();
        assert_eq!(each(|log| log.written), [2, 1, 1, 1, 1, 1]);
        assert_eq!(each(|log| log.moved), [0, 1, 0, 0, 0, 2]);
        assert_eq!(each(|log| log.opened), [0, 1, 0, 0, 1, 1]);
        assert_eq!(each(|log| log.cut_short), [0, 1, 0, 0, 1, 1]);
        assert_eq!([log.opened_for_copies, log.copies_cut_short, log.invalid], [2, 2, 1]);
        placing.restart_log();
        assert_eq!(*placing.stream_log().unwrap(), StreamLog::new(3, 2));
    }

    /// The future is of the host writes in order, whichever way they come.
    #[test]
    fn what_is_left_of_a_page_follows_from_the_future() {
        let oracle = PLACEMENT_POLICIES.iter().find(|policy| policy.name == "oracle").unwrap();
        let mut notes = super::super::FutureNotes::new(3);
        [0, 1, 2, 0].into_iter().for_each(|lpn| notes.write(Lpn(lpn)));
        let future = notes.finish().map(Arc::new);
        let kind = oracle.kind(&[]).unwrap();
        let mut placing = Placing::new(kind, 3, [3, 8], 1, future).unwrap();
        placing.of_write(Lpn(0), None);
        assert_eq!(placing.left(Lpn(0)), Some(3));
        placing.host_wrote(Lpn(1));
        assert_eq!([0, 1, 2].map(|lpn| placing.left(Lpn(lpn))), [Some(2), Some(u32::MAX), None]);
        placing.of_write(Lpn(2), None);
        placing.of_write(Lpn(0), None);
        // Beyond the end nothing is known.
        placing.of_write(Lpn(1), None);
        assert_eq!([0, 1].map(|lpn| placing.left(Lpn(lpn))), [Some(u32::MAX), None]);
    }
}
