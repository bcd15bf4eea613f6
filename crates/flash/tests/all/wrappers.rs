//! Every method of every wrapper reaches the array below unchanged, or is a known exception. A run of copies
//! and the read of part of a page equal single copies and whole reads.

use ftlkit_flash::channels::{Policy, Timing, Topology};
use ftlkit_flash::faults::{
    BadBlocks, BitErrorModel, BitErrors, PowerCut, ProgramEraseFailure, Tearable,
};
use ftlkit_flash::parallel::Parallel;
use ftlkit_flash::{
    AnyArray, Array, BlockId, Cause, DueBlock, DynFlash, Event, Flash, FlashError, Geometry, Item,
    Lpn, Ns, Oob, PageKind, Part, Ppn, Probe, Retries, Serial, Store, WearLevel, WearRule, Worked,
    copy_one_by_one, parts,
};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::rc::Rc;

const PAGES: u32 = 8;
const PAGE_BYTES: usize = 64;

fn geometry() -> Geometry {
    Geometry::new(8, PAGES, PAGE_BYTES as u32).unwrap()
}

fn part() -> Part {
    Part { name: Cow::Borrowed("recorded"), copies: None, ..parts::DDT_MLC.clone() }
}

/// Each wrapper of the crate around an array; switched on and off if it can be.
fn wrapped<F: Tearable + DynFlash + Clone>(flash: &F) -> Vec<(&'static str, AnyArray)> {
    let flash = || flash.clone();
    let topology = Topology {
        channels: 2,
        ways: 2,
        dies: 1,
        planes: 1,
        blocks_per_plane: 2,
        pages_per_block: PAGES,
        paired_blocks: false,
    };
    let timing = Timing::of(&part()).unwrap();
    let parallel = Parallel::new(flash(), topology, timing, Policy::Fifo, false).unwrap();
    let errors = BitErrorModel::Fixed { bits_per_page: 3, ecc_bits_per_kib: 4 };
    vec![
        ("AnyArray", AnyArray::new(flash())),
        ("Serial", AnyArray::new(Serial::new(flash()))),
        ("WearLevel", AnyArray::new(WearLevel::off(flash()))),
        (
            "WearLevel with a rule",
            AnyArray::new(WearLevel::new(flash(), Some(WearRule::Gap(9)), 1, 1)),
        ),
        ("Parallel", AnyArray::new(parallel)),
        ("PowerCut", AnyArray::new(PowerCut::new(flash()))),
        ("BitErrors", AnyArray::new(BitErrors::none(flash()))),
        ("BitErrors with errors", AnyArray::new(BitErrors::new(flash(), errors, 1).unwrap())),
        ("ProgramEraseFailure", AnyArray::new(ProgramEraseFailure::new(flash(), 1))),
        ("BadBlocks", AnyArray::new(BadBlocks::listed(flash(), &[]).unwrap())),
    ]
}

/// Records each call, and returns distinctive answers.
#[derive(Clone, Debug)]
struct Recorder {
    geometry: Geometry,
    part: Part,
    calls: Rc<RefCell<Vec<String>>>,
}

impl Recorder {
    fn new() -> Self {
        Self { geometry: geometry(), part: part(), calls: Rc::default() }
    }

    fn note(&self, method: &str, arguments: impl Debug) {
        self.calls.borrow_mut().push(format!("{method} {arguments:?}"));
    }
}

/// Length and first byte of what is to be read into.
fn head(data: &Option<&mut [u8]>) -> Option<(usize, u8)> {
    data.as_deref().map(|data| (data.len(), data[0]))
}

/// Overrides every method, including those with defaults.
impl Flash for Recorder {
    fn geometry(&self) -> &Geometry {
        self.note("geometry", ());
        &self.geometry
    }

    fn part(&self) -> &Part {
        self.note("part", ());
        &self.part
    }

    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        self.note("read", (ppn, head(&data), cause));
        data.unwrap().fill(11);
        Ok(Oob::data(Lpn(ppn.0 + 100), 12))
    }

    fn read_data(
        &mut self,
        ppn: Ppn,
        data: Option<&mut [u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        self.note("read_data", (ppn, head(&data), cause));
        data.unwrap().fill(11);
        Ok(())
    }

    fn read_part(
        &mut self,
        ppn: Ppn,
        offset: usize,
        data: &mut [u8],
        cause: Cause,
    ) -> Result<Oob, FlashError> {
        self.note("read_part", (ppn, offset, &data, cause));
        data.fill(13);
        Ok(Oob::data(Lpn(ppn.0 + 200), 14))
    }

    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        self.note("read_oob", (ppn, cause));
        Ok(Oob::data(Lpn(ppn.0 + 300), 15))
    }

    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        self.note("program", (ppn, oob, data, cause));
        Ok(())
    }

    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        self.note("copy", (from, to, seq, cause));
        Ok(Oob::data(Lpn(from.0 + 400), seq))
    }

    fn copy_run(
        &mut self,
        from: &[Ppn],
        to: Ppn,
        seq: u64,
        cause: Cause,
        lpns: &mut [Lpn],
    ) -> Result<(), (usize, FlashError)> {
        self.note("copy_run", (from, to, seq, cause, &lpns));
        from.iter().zip(lpns).for_each(|(from, lpn)| *lpn = Lpn(from.0 + 500));
        Ok(())
    }

    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        self.note("erase", (block, cause));
        Ok(())
    }

    fn is_bad(&self, block: BlockId) -> bool {
        self.note("is_bad", block);
        block == BlockId(3)
    }

    fn mark_bad(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.note("mark_bad", block);
        Ok(())
    }

    fn is_slc(&self, block: BlockId) -> bool {
        self.note("is_slc", block);
        block == BlockId(2)
    }

    fn set_slc(&mut self, block: BlockId, slc: bool) -> Result<(), FlashError> {
        self.note("set_slc", (block, slc));
        Err(FlashError::SlcMode(block))
    }

    fn erase_count(&self, block: BlockId) -> u32 {
        self.note("erase_count", block);
        block.0 + 16
    }
}

impl Probe for Recorder {
    fn keeps_user_bytes(&self) -> bool {
        self.note("keeps_user_bytes", ());
        false
    }

    fn longest_erase_ns(&self) -> Ns {
        self.note("longest_erase_ns", ());
        17
    }

    fn peek_lpn(&self, ppn: Ppn) -> Option<Lpn> {
        self.note("peek_lpn", ppn);
        Some(Lpn(ppn.0 + 600))
    }

    fn prefetch(&self, ppn: Ppn) {
        self.note("prefetch", ppn);
    }

    fn program_plain(&mut self, to: Ppn, lpns: &[Lpn], seq: u64, cause: Cause) -> usize {
        self.note("program_plain", (to, lpns, seq, cause));
        lpns.len() - 1
    }

    fn has_bit_errors(&self) -> bool {
        self.note("has_bit_errors", ());
        true
    }

    fn corrected_bits(&self) -> u64 {
        self.note("corrected_bits", ());
        18
    }

    fn retries(&self) -> Retries {
        self.note("retries", ());
        Retries { steps: 21, soft: 22 }
    }

    fn set_now_ns(&mut self, now_ns: Ns) {
        self.note("set_now_ns", now_ns);
    }

    fn due_block(&mut self) -> Option<DueBlock> {
        self.note("due_block", ());
        Some(DueBlock { block: BlockId(6), cause: Cause::Refresh })
    }

    fn next_due_ns(&self) -> Ns {
        self.note("next_due_ns", ());
        24
    }

    fn end_turn(&mut self, block: BlockId, moved: bool) {
        self.note("end_turn", (block, moved));
    }

    fn event(&mut self, event: &Event<'_>) {
        self.note("event", event);
    }

    fn worked(&self) -> Worked {
        self.note("worked", ());
        Worked { busy_ns: 19, steps_ns: 20 }
    }
}

impl Tearable for Recorder {
    fn waste(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        self.note("waste", ppn);
        Ok(())
    }

    fn half_erase(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.note("half_erase", block);
        Ok(())
    }

    fn spoil(&mut self, ppn: Ppn) -> Result<(), FlashError> {
        self.note("spoil", ppn);
        Ok(())
    }
}

impl DynFlash for Recorder {}

/// Calls a method and returns its answer as text.
type Ask = fn(&mut AnyArray) -> String;

/// Each method once.
const ASKS: [(&str, Ask); 29] = [
    ("geometry", |flash| text(flash.geometry())),
    ("part", |flash| text(&flash.part().name)),
    ("read", |flash| {
        let mut data = [1; PAGE_BYTES];
        text((flash.read(Ppn(9), Some(&mut data), Cause::Translation), data))
    }),
    ("read_data", |flash| {
        let mut data = [4; PAGE_BYTES];
        text((flash.read_data(Ppn(17), Some(&mut data), Cause::Host), data[0]))
    }),
    ("read_part", |flash| {
        let mut data = [2; 5];
        text((flash.read_part(Ppn(10), 7, &mut data, Cause::Mount), data))
    }),
    ("read_oob", |flash| text(flash.read_oob(Ppn(11), Cause::Collection))),
    ("program", |flash| {
        let oob = Oob::data(Lpn(77), 5);
        text(flash.program(Ppn(12), oob, Some(&[3; PAGE_BYTES]), Cause::Host))
    }),
    ("copy", |flash| text(flash.copy(Ppn(13), Ppn(24), 6, Cause::Collection))),
    ("copy_run", |flash| {
        let mut lpns = [Lpn(1); 2];
        let run = [Ppn(8), Ppn(11)];
        text((flash.copy_run(&run, Ppn(32), 7, Cause::FullMerge, &mut lpns), lpns))
    }),
    ("erase", |flash| text(flash.erase(BlockId(5), Cause::Collection))),
    ("is_bad", |flash| text(flash.is_bad(BlockId(3)))),
    ("mark_bad", |flash| text(flash.mark_bad(BlockId(6)))),
    ("is_slc", |flash| text(flash.is_slc(BlockId(2)))),
    ("set_slc", |flash| text(flash.set_slc(BlockId(7), true))),
    ("erase_count", |flash| text(flash.erase_count(BlockId(4)))),
    ("keeps_user_bytes", |flash| text(flash.keeps_user_bytes())),
    ("longest_erase_ns", |flash| text(flash.longest_erase_ns())),
    ("peek_lpn", |flash| text(flash.peek_lpn(Ppn(14)))),
    ("prefetch", |flash| {
        flash.prefetch(Ppn(15));
        "done".into()
    }),
    ("program_plain", |flash| {
        text(flash.program_plain(Ppn(40), &[Lpn(8), Lpn(9), Lpn(8)], 3, Cause::Host))
    }),
    ("has_bit_errors", |flash| text(flash.has_bit_errors())),
    ("corrected_bits", |flash| text(flash.corrected_bits())),
    ("retries", |flash| text(flash.retries())),
    ("set_now_ns", |flash| {
        flash.set_now_ns(23);
        "done".into()
    }),
    ("due_block", |flash| text(flash.due_block())),
    ("next_due_ns", |flash| text(flash.next_due_ns())),
    ("end_turn", |flash| {
        flash.end_turn(BlockId(1), true);
        "done".into()
    }),
    ("event", |flash| {
        flash.event(&Event::new("victim", "block {block}", &[("block", Item::Block(BlockId(2)))]));
        "done".into()
    }),
    ("worked", |flash| text(flash.worked())),
];

/// Methods that wrappers override: wrapper, method, and its answer with the calls below.
const OWN: [(&str, &str, &str); 20] = [
    ("BadBlocks", "program_plain", NONE_PLAIN),
    ("Parallel", "program_plain", NONE_PLAIN),
    ("PowerCut", "program_plain", NONE_PLAIN),
    ("BitErrors with errors", "program_plain", NONE_PLAIN),
    ("ProgramEraseFailure", "program_plain", NONE_PLAIN),
    ("WearLevel with a rule", "program_plain", NONE_PLAIN),
    ("BadBlocks", "read_data", ITS_READ),
    ("PowerCut", "read_data", ITS_READ),
    ("BitErrors with errors", "read_data", ITS_READ),
    ("ProgramEraseFailure", "read_data", ITS_READ),
    ("WearLevel with a rule", "read_data", ITS_READ),
    ("WearLevel with a rule", "longest_erase_ns", LONGER_ERASE),
    ("WearLevel with a rule", "prefetch", "done from []"),
    ("Serial", "worked", "Worked { busy_ns: 0, steps_ns: 0 } from []"),
    ("Parallel", "copy_run", ONE_BY_ONE),
    ("PowerCut", "copy_run", ONE_BY_ONE),
    ("BitErrors with errors", "copy_run", ONE_BY_ONE),
    ("BitErrors with errors", "has_bit_errors", "true from []"),
    ("BitErrors with errors", "retries", "Retries { steps: 0, soft: 0 } from []"),
    ("ProgramEraseFailure", "copy_run", ONE_BY_ONE),
];

/// A program is more than that there, or has a time of its own.
const NONE_PLAIN: &str = "0 from []";

/// What a wrapper does at a read is done at one without OOB, too.
const ITS_READ: &str = r#"(Ok(()), 11) from ["read (Ppn(17), Some((64, 4)), Host)"]"#;

/// Includes the time of a swap on this part.
const LONGER_ERASE: &str = r#"179000017 from ["longest_erase_ns ()"]"#;

const ONE_BY_ONE: &str = r#"(Ok(()), [Lpn(408), Lpn(411)]) from ["copy (Ppn(8), Ppn(32), 7, FullMerge)", "copy (Ppn(11), Ppn(33), 7, FullMerge)"]"#;

fn text(answer: impl Debug) -> String {
    format!("{answer:?}")
}

fn method_of(call: &str) -> &str {
    call.split(' ').next().unwrap()
}

/// Calls the method. Returns its answer, with its calls below and any other calls that act.
fn ask(flash: &mut AnyArray, calls: &RefCell<Vec<String>>, (method, ask): (&str, Ask)) -> String {
    calls.borrow_mut().clear();
    let answer = ask(flash);
    let does = |call: &String| {
        let called = method_of(call);
        let queries = ["geometry", "part", "is_bad", "erase_count", "has_bit_errors"];
        called == method || !queries.contains(&called) && called != "corrected_bits"
    };
    let mut below = calls.borrow().clone();
    below.retain(does);
    format!("{answer} from {below:?}")
}

/// Names of a trait's methods, from its source.
fn methods<'s>(source: &'s str, name: &str) -> BTreeSet<&'s str> {
    let start = source.find(&format!("pub trait {name}")).unwrap();
    let body = &source[start..];
    let body = &body[..body.find("\n}\n").unwrap()];
    body.lines()
        .filter_map(|line| line.strip_prefix("    fn "))
        .map(|line| &line[..line.find('(').unwrap()])
        .collect()
}

#[test]
fn every_method_is_asked_for() {
    let source = include_str!("../../src/interface.rs");
    let recorder = Recorder::new();
    let mut flash = AnyArray::new(recorder.clone());
    ASKS.iter().for_each(|(_, ask)| _ = ask(&mut flash));
    let calls = recorder.calls.borrow();
    let asked: BTreeSet<&str> = calls.iter().map(|call| method_of(call)).collect();
    assert_eq!(asked, &methods(source, "Flash") | &methods(source, "Probe"));
}

#[test]
fn every_wrapper_is_among_them() {
    let listed = include_str!("../../src/forks.rs").lines().filter_map(|line| {
        let (_, array) = line.strip_prefix("    <")?.split_once("> ")?;
        array.split(['<', ';']).next()
    });
    let names = wrapped(&Recorder::new());
    let names = names.iter().map(|(name, _)| name.split(' ').next().unwrap());
    let arrays = BTreeSet::from(["Array", "AnyArray"]);
    let without = |names: BTreeSet<_>| &names - &arrays;
    assert_eq!(without(names.collect()), without(listed.collect()));
}

#[test]
fn calls_reach_the_array_below_as_they_are_but_for_what_a_wrapper_does_itself() {
    let recorder = Recorder::new();
    let mut own = Vec::new();
    for (method, asked) in ASKS {
        let plain = AnyArray::new(recorder.clone());
        let expected = ask(&mut { plain }, &recorder.calls, (method, asked));
        for (name, mut flash) in wrapped(&recorder) {
            let found = ask(&mut flash, &recorder.calls, (method, asked));
            if found != expected {
                own.push((name, method, found));
            }
        }
    }
    let mut expected = OWN.map(|(name, method, what)| (name, method, what.to_string())).to_vec();
    expected.sort();
    own.sort();
    assert_eq!(own, expected);
}

/// A driver with the required methods only.
#[derive(Clone, Debug)]
struct Driver(Array);

impl Flash for Driver {
    fn geometry(&self) -> &Geometry {
        self.0.geometry()
    }

    fn part(&self) -> &Part {
        self.0.part()
    }

    fn read(&mut self, ppn: Ppn, data: Option<&mut [u8]>, cause: Cause) -> Result<Oob, FlashError> {
        self.0.read(ppn, data, cause)
    }

    fn read_oob(&mut self, ppn: Ppn, cause: Cause) -> Result<Oob, FlashError> {
        self.0.read_oob(ppn, cause)
    }

    fn program(
        &mut self,
        ppn: Ppn,
        oob: Oob,
        data: Option<&[u8]>,
        cause: Cause,
    ) -> Result<(), FlashError> {
        self.0.program(ppn, oob, data, cause)
    }

    fn copy(&mut self, from: Ppn, to: Ppn, seq: u64, cause: Cause) -> Result<Oob, FlashError> {
        self.0.copy(from, to, seq, cause)
    }

    fn erase(&mut self, block: BlockId, cause: Cause) -> Result<(), FlashError> {
        self.0.erase(block, cause)
    }

    fn is_bad(&self, block: BlockId) -> bool {
        self.0.is_bad(block)
    }

    fn mark_bad(&mut self, block: BlockId) -> Result<(), FlashError> {
        self.0.mark_bad(block)
    }

    fn erase_count(&self, block: BlockId) -> u32 {
        self.0.erase_count(block)
    }
}

impl Probe for Driver {}

impl DynFlash for Driver {
    fn fork(&self) -> Option<Box<dyn DynFlash>> {
        Some(Box::new(self.clone()))
    }
}

/// State of the wrapper and of all below it. Levelling's own state is left out, because it has a buffer for
/// runs.
fn state<F: Tearable + DynFlash + Clone>(flash: &AnyArray) -> String {
    match flash.downcast_ref::<WearLevel<F>>() {
        Some(levelled) => format!("{:?}", **levelled),
        None => format!("{flash:?}"),
    }
}

/// Copies five pages in a run and one by one. Returns the number of copies before one failed.
fn run_as_one_by_one<F: Tearable + DynFlash + Clone>(name: &str, flash: &AnyArray) -> usize {
    let (from, to, seq) = ([0, 1, 3, 4, 6].map(Ppn), Ppn(3 * PAGES), 9);
    let (mut one, mut other) = (flash.clone(), flash.clone());
    let mut lpns = [[Lpn(0); 5]; 2];
    let in_a_run = one.copy_run(&from, to, seq, Cause::Collection, &mut lpns[0]);
    let singly = copy_one_by_one(&from, to, &mut lpns[1], |from, to| {
        other.copy(from, to, seq, Cause::Collection)
    });
    assert_eq!(in_a_run, singly, "{name}");
    let done = in_a_run.map_or_else(|(done, _)| done, |()| 5);
    assert_eq!(lpns[0][..done], lpns[1][..done], "{name}");
    assert_eq!(state::<F>(&one), state::<F>(&other), "{name}");
    done
}

/// Reads the middle of each page of the first block, and compares it with a read of the whole page.
fn parts_as_wholes<F: Tearable + DynFlash + Clone>(name: &str, flash: &AnyArray) {
    let (mut one, mut other) = (flash.clone(), flash.clone());
    for ppn in (0..=PAGES).map(Ppn) {
        let (mut page, mut part) = ([0; PAGE_BYTES], [0; 16]);
        let whole = one.read(ppn, Some(&mut page), Cause::Host);
        assert_eq!(other.read_part(ppn, 8, &mut part, Cause::Host), whole, "{name}");
        if whole.is_ok() {
            assert_eq!(part, page[8..24], "{name}");
        }
    }
    assert_eq!(state::<F>(&one), state::<F>(&other), "{name}");
    let beyond = other.read_part(Ppn(0), PAGE_BYTES - 8, &mut [0; 9], Cause::Host);
    assert!(matches!(beyond, Err(FlashError::PayloadLength { .. })), "{name}: {beyond:?}");
}

/// Compares runs and single copies below each wrapper. Returns the number of copies before one failed, which
/// must be the same below all.
fn compare<F: Tearable + DynFlash + Clone>(flash: F) -> usize {
    let ran = wrapped(&flash).into_iter().map(|(name, flash)| run_as_one_by_one::<F>(name, &flash));
    let ran: BTreeSet<usize> = ran.collect();
    assert_eq!(ran.len(), 1, "{ran:?}");
    *ran.first().unwrap()
}

/// An array whose first block is written, each page with different bytes.
fn written() -> Array {
    let mut array = Array::new(geometry(), part(), Store::All);
    for page in 0..PAGES {
        let mut data = [page as u8; PAGE_BYTES];
        data.iter_mut().zip(0..).for_each(|(byte, at)| *byte += 10 * (at / 8));
        let oob = Oob::data(Lpn(40 - page), 3);
        array.program(Ppn(page), oob, Some(&data), Cause::Host).unwrap();
    }
    array
}

#[test]
fn a_run_of_copies_is_as_many_copies_whatever_fails_in_it() {
    assert_eq!(compare(written()), 5);
    let mut lost = written();
    lost.spoil(Ppn(3)).unwrap();
    assert_eq!(compare(lost.clone()), 2);
    assert_eq!(run_as_one_by_one::<Array>("Driver", &AnyArray::new(Driver(lost))), 2);
    let mut bad = written();
    bad.mark_bad(BlockId(3)).unwrap();
    assert_eq!(compare(bad), 0);
    for after in 0..6 {
        let mut failing = ProgramEraseFailure::new(written(), 1);
        failing.fail_program_after(after);
        assert_eq!(compare(failing), after.min(5) as usize);
        for tear in [false, true] {
            let mut cut = PowerCut::new(written());
            cut.cut_after(after, tear);
            assert_eq!(compare(cut), after.min(5) as usize);
        }
    }
}

#[test]
fn a_part_of_a_page_is_read_as_all_of_it() {
    let mut array = written();
    array.spoil(Ppn(5)).unwrap();
    for (name, flash) in wrapped(&array) {
        parts_as_wholes::<Array>(name, &flash);
    }
    parts_as_wholes::<Array>("Driver", &AnyArray::new(Driver(array)));
}

/// The other wrappers are compared through [`AnyArray`], so it is itself compared with the array.
#[test]
fn any_array_answers_as_the_array_in_it() {
    let array = Recorder::new();
    let any = AnyArray::new(array.clone());
    assert_eq!(any.geometry(), array.geometry());
    assert_eq!(any.erase_count(BlockId(1)), array.erase_count(BlockId(1)));
    assert_eq!(any.is_bad(BlockId(1)), array.is_bad(BlockId(1)));
    assert_eq!(any.keeps_user_bytes(), array.keeps_user_bytes());
    assert_eq!(any.longest_erase_ns(), array.longest_erase_ns());
    assert_eq!(any.peek_lpn(Ppn(1)), array.peek_lpn(Ppn(1)));
    assert_eq!(any.has_bit_errors(), array.has_bit_errors());
    assert_eq!(any.corrected_bits(), array.corrected_bits());
    assert_eq!(any.worked(), array.worked());
}

/// Programs a plain run below each wrapper, and then page by page what is left of it: the same pages, OOB, times and refusals as
/// all page by page. Returns the lengths of the plain runs.
fn plain_runs(array: &Array, to: Ppn, lpns: &[Lpn], seq: u64) -> Vec<(&'static str, usize)> {
    let finish = |mut flash: AnyArray, from: usize| {
        let one = |(at, lpn): (u32, &Lpn)| {
            flash.program(Ppn(to.0 + at), Oob::data(*lpn, seq), None, Cause::Host)
        };
        let left: Vec<_> = (0..).zip(lpns).skip(from).map(one).collect();
        let refused = left.into_iter().find_map(Result::err);
        let geometry = *flash.geometry();
        let pages: Vec<_> =
            (0..geometry.pages()).map(|page| flash.read_oob(Ppn(page), Cause::Mount)).collect();
        (refused, pages, flash.worked())
    };
    let alone = wrapped(array).into_iter().map(|(_, flash)| finish(flash, 0));
    let together = wrapped(array).into_iter().map(|(name, mut flash)| {
        let plain = flash.program_plain(to, lpns, seq, Cause::Host);
        (name, plain, finish(flash, plain))
    });
    together
        .zip(alone)
        .map(|((name, plain, together), alone)| {
            assert_eq!(together, alone, "{name}, {plain} at {to:?} with {seq}");
            (name, plain)
        })
        .collect()
}

#[test]
fn a_plain_run_of_programs_is_as_many_programs_as_far_as_nothing_else_is_to_be_done() {
    let lpns: Vec<Lpn> = (50..50 + PAGES + 2).map(Lpn).collect();
    let plain = |array: &Array, to: u32, pages: usize, seq: u64| {
        let runs = plain_runs(array, Ppn(to), &lpns[..pages], seq);
        let of = |name: &str| runs.iter().find(|(of, _)| *of == name).unwrap().1;
        let same = ["AnyArray", "Serial", "WearLevel", "BitErrors"].map(of);
        assert!(same.iter().all(|plain| *plain == same[0]), "{runs:?}");
        same[0]
    };
    let mut array = written();
    // Up to the end of the block; not out of order, beyond the array, in a block that is full, nor with no such number.
    assert_eq!(plain(&array, PAGES, 5, 3), 5);
    assert_eq!(plain(&array, PAGES, PAGES as usize + 2, 3), PAGES as usize);
    for (to, seq) in [(PAGES + 1, 3), (8 * PAGES, 3), (0, 3), (PAGES, Oob::MAX_SEQ + 1)] {
        assert_eq!(plain(&array, to, 4, seq), 0, "{to} {seq}");
    }
    assert_eq!(plain(&array, PAGES, 0, 3), 0);
    // In the middle of a block: with its stamp, with another number once there is room for it, and not for a page of another kind.
    array.program(Ppn(PAGES), Oob::data(Lpn(1), 4), None, Cause::Host).unwrap();
    assert_eq!(plain(&array, PAGES + 1, 3, 4), 3);
    assert_eq!(plain(&array, PAGES + 1, 3, 9), 0);
    array.program(Ppn(PAGES + 1), Oob::data(Lpn(2), 9), None, Cause::Host).unwrap();
    assert_eq!(plain(&array, PAGES + 2, 3, 11), 3);
    assert_eq!(plain(&array, PAGES + 2, 3, 1 << 40), 0);
    let map = Oob { kind: PageKind::Translation, ..Oob::data(Lpn(3), 9) };
    array.program(Ppn(2 * PAGES), map, None, Cause::Translation).unwrap();
    assert_eq!(plain(&array, 2 * PAGES + 1, 3, 9), 0);
    // Where stamps are kept whole, each is near enough, but not of each kind.
    array.program(Ppn(PAGES + 2), Oob::data(Lpn(4), 1 << 40), None, Cause::Host).unwrap();
    assert_eq!(plain(&array, PAGES + 3, 3, 11), 3);
    assert_eq!(plain(&array, 2 * PAGES + 1, 3, 9), 0);
    // A bad block refuses each.
    array.mark_bad(BlockId(3)).unwrap();
    assert_eq!(plain(&array, 3 * PAGES, 3, 9), 0);
}
