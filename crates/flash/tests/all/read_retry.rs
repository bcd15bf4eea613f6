//! Read retry: its steps, their time in series and on channels, and the age of pages that asks for them.

use crate::common::PAGE;
use ftlkit_flash::channels::{Channels, Command, Policy, Timing, Topology};
use ftlkit_flash::faults::{
    AgeLimit, AgedErrorRate, BitErrorModel, BitErrors, FaultError, POWER_LAWS, PowerLaw, ReadRetry,
};
use ftlkit_flash::parallel::Parallel;
use ftlkit_flash::{
    Array, BlockId, Cause, Copies, CopyPath, CopyTimes, Flash, FlashError, Geometry, Lpn, Ns, Oob,
    Part, Ppn, Probe, Retries, RetryTimes, Serial, Store, parts,
};

const BLOCK: u32 = 8;
const FIRST: Ns = 1_000;
const ECC: u32 = 8;
/// Of this read retry: three steps, of which the last decodes with two reads.
const TIMES: RetryTimes = RetryTimes {
    most: Retries { steps: 2, soft: 1 },
    read_ns: FIRST,
    read_oob_ns: 600,
    set_ns: 7,
    soft_reads: 2,
    soft_ns: 90,
};

fn retry() -> ReadRetry {
    ReadRetry { limits: vec![10, 12], soft: Some(14) }
}

/// A part whose t_R includes the longest retry.
fn part(copies: Option<Copies>) -> Part {
    let longest = TIMES.steps_ns(&TIMES.most);
    assert_eq!(longest, 4 * 1007 + 90);
    Part {
        t_r_ns: FIRST + longest,
        t_r_oob_ns: 600 + TIMES.steps_oob_ns(&TIMES.most),
        copies: copies.map(|copies| copies.read_later(longest)),
        retry: Some(TIMES),
        ..parts::SAMSUNG_LARGE_BLOCK.clone()
    }
}

/// Six blocks of one codeword per page, of which block 0 is full; each page has `bits` bit errors.
fn array(part: Part, bits: u32) -> BitErrors<Array> {
    let geometry = Geometry::new(6, BLOCK, PAGE as u32).unwrap();
    let mut array = Array::new(geometry, part, Store::Metadata);
    for page in 0..BLOCK {
        array.program(Ppn(page), Oob::data(Lpn(page), 1), None, Cause::Host).unwrap();
    }
    let model = BitErrorModel::Fixed { bits_per_page: bits, ecc_bits_per_kib: ECC };
    BitErrors::new(array, model, 0).unwrap().with_retry(&retry(), None).unwrap()
}

/// Bit errors of a page, the steps of its read, and whether a step reads it.
const PAGES: [(u32, Retries, bool); 6] = [
    (8, Retries { steps: 0, soft: 0 }, true),
    (9, Retries { steps: 1, soft: 0 }, true),
    (11, Retries { steps: 2, soft: 0 }, true),
    (13, Retries { steps: 2, soft: 1 }, true),
    (14, Retries { steps: 2, soft: 1 }, true),
    (15, Retries { steps: 2, soft: 1 }, false),
];

#[test]
fn a_read_takes_its_steps() {
    for (bits, steps, reads) in PAGES {
        let mut flash = Serial::new(array(part(None), bits));
        let read = flash.read(Ppn(3), None, Cause::Host);
        assert_eq!(read.is_ok(), reads, "{bits}: {read:?}");
        let expected = FIRST + TIMES.steps_ns(&steps);
        assert_eq!((flash.busy_ns(), flash.retries()), (expected, steps), "{bits}");
        assert!(flash.busy_ns() <= flash.part().t_r_ns);
        let by_steps = flash.inner().retried_reads();
        let at = match (reads, steps.soft) {
            (false, _) => 4,
            (true, 1) => 3,
            _ => steps.steps as usize,
        };
        assert_eq!(by_steps.iter().sum::<u64>(), 1);
        assert_eq!(by_steps[at], 1, "{bits}: {by_steps:?}");
        // ECC corrects what the step's read has, at most as many as it can.
        assert_eq!(flash.corrected_bits(), if reads { u64::from(bits.min(ECC)) } else { 0 });
        let before = flash.busy_ns();
        let _ = flash.read_oob(Ppn(3), Cause::Mount);
        assert_eq!(flash.busy_ns() - before, 600 + TIMES.steps_oob_ns(&steps), "{bits}");
    }
}

/// Pages that were torn, which no step reads, take every step as well.
#[test]
fn an_unreadable_page_takes_every_step() {
    use ftlkit_flash::faults::Tearable;
    let mut flash = Serial::new(array(part(None), 0));
    flash.spoil(Ppn(2)).unwrap();
    let read = flash.read(Ppn(2), None, Cause::Host);
    assert_eq!(read, Err(FlashError::Uncorrectable(Ppn(2))));
    assert_eq!(flash.busy_ns(), flash.part().t_r_ns);
}

#[test]
fn copies_take_the_steps_of_their_reads_and_no_more_than_the_part_says() {
    let times = |path| CopyTimes {
        path,
        cache_program: false,
        fetch_ns: FIRST + 50,
        load_ns: 5,
        prog_ns: 3_000,
        repair_ns: 0,
    };
    let two = |path| Copies {
        ways: 2,
        near: times(CopyPath::Lcb),
        far: times(path),
        most_corrected_bytes: 0,
    };
    let paths = [CopyPath::Gcb, CopyPath::IcbUnchecked].map(|path| Some(two(path)));
    for copies in [None].into_iter().chain(paths) {
        for (bits, steps, reads) in PAGES {
            let mut flash = Serial::new(array(part(copies), bits));
            let from: Vec<Ppn> = (0..4).map(Ppn).collect();
            let mut lpns = vec![Lpn(0); 4];
            // To block 1, on the other device.
            let unchecked = copies.is_some_and(|copies| copies.far.path == CopyPath::IcbUnchecked);
            let copied = flash.copy_run(&from, Ppn(BLOCK), 2, Cause::Collection, &mut lpns);
            assert_eq!(copied.is_ok(), reads || unchecked, "{bits}");
            let (ran, retry_ns) = (if copied.is_ok() { 4 } else { 1 }, TIMES.steps_ns(&steps));
            let expected = match copies {
                None => ran * (FIRST + flash.part().t_prog_ns + retry_ns),
                Some(copies) => {
                    let mut run = copies.far.run();
                    let retry_ns = if unchecked { 0 } else { retry_ns };
                    (0..ran).for_each(|_| run.page_after(0, retry_ns));
                    run.total_ns()
                }
            };
            assert_eq!(flash.busy_ns(), expected, "{bits}, {copies:?}");
            assert!(flash.busy_ns() <= flash.part().t_copies_ns(ran), "{bits}");
            let single = flash.busy_ns();
            let _ = flash.copy(Ppn(5), Ppn(2 * BLOCK + 8), Oob::KEEP_SEQ, Cause::Collection);
            assert!(flash.busy_ns() - single <= flash.part().t_copies_ns(1), "{bits}");
        }
    }
}

fn topology() -> Topology {
    Topology {
        channels: 1,
        ways: 2,
        dies: 1,
        planes: 1,
        blocks_per_plane: 3,
        pages_per_block: BLOCK,
        paired_blocks: false,
    }
}

/// Time of a command on an idle die.
fn alone(command: Command) -> Ns {
    let timing = Timing::with_mode(&parts::SAMSUNG_LARGE_BLOCK, 4).unwrap();
    Channels::new(topology(), timing, Policy::Fifo).unwrap().alone_ns(command, 1)
}

fn on_channels(bits: u32, copies: Option<Copies>) -> Parallel<BitErrors<Array>> {
    let timing = Timing::with_mode(&parts::SAMSUNG_LARGE_BLOCK, 4).unwrap();
    Parallel::new(array(part(copies), bits), topology(), timing, Policy::Fifo, false).unwrap()
}

#[test]
fn a_die_repeats_a_read() {
    for (bits, steps, _) in PAGES {
        let mut flash = on_channels(bits, None);
        flash.begin(7, 0);
        let _ = flash.read(Ppn(1), None, Cause::Host);
        flash.end();
        let done = flash.next_done().unwrap();
        let (read, repeats) = (alone(Command::Read), TIMES.reads(&steps));
        let expected = read + repeats * (TIMES.set_ns + read) + steps.soft * TIMES.soft_ns;
        assert_eq!(done.done_ns, expected, "{bits}");
        assert_eq!(flash.outstanding(), 0);
    }
}

/// The die is taken until the last step, and the other die is not.
#[test]
fn others_wait_on_the_same_die_alone() {
    let mut flash = on_channels(11, None);
    for (task, page) in [(0, 0), (1, 1)] {
        flash.begin(task, 0);
        flash.read(Ppn(page), None, Cause::Host).unwrap();
        flash.end();
    }
    flash.begin(2, 0);
    // Block 1 is on the other die.
    flash.program(Ppn(BLOCK), Oob::data(Lpn(90), 2), None, Cause::Host).unwrap();
    flash.end();
    flash.begin(3, 0);
    flash.erase(BlockId(0), Cause::Host).unwrap();
    flash.end();
    let done: Vec<(u64, Ns)> =
        std::iter::from_fn(|| flash.next_done()).map(|done| (done.tag, done.done_ns)).collect();
    let of = |tag| done.iter().find(|(task, _)| *task == tag).unwrap().1;
    let three = 3 * alone(Command::Read) + 2 * TIMES.set_ns;
    assert!(of(0) >= three && of(0) < three + 1_000_000, "{done:?}");
    assert!(of(1) >= of(0) + three - alone(Command::Read), "{done:?}");
    assert!(of(3) > of(1), "the block is erased after its reads: {done:?}");
    assert!(of(2) <= alone(Command::Program) + three, "{done:?}");
}

#[test]
fn copies_on_channels_repeat_their_reads() {
    let times = |path| CopyTimes {
        path,
        cache_program: false,
        fetch_ns: 1 << 20,
        load_ns: 5,
        prog_ns: 3_000,
        repair_ns: 0,
    };
    for far in [CopyPath::Gcb, CopyPath::Dgcb, CopyPath::Lcb, CopyPath::Icb] {
        let took = |bits| {
            let near = if far.between_devices() { CopyPath::Lcb } else { far };
            let far = if far.between_devices() { far } else { CopyPath::Gcb };
            let copies =
                Copies { ways: 2, near: times(near), far: times(far), most_corrected_bytes: 0 };
            let mut flash = on_channels(bits, Some(copies));
            flash.begin(1, 0);
            let to = if near == CopyPath::Lcb && far != CopyPath::Lcb { 1 } else { 2 };
            flash.copy(Ppn(0), Ppn(to * BLOCK), 9, Cause::Host).unwrap();
            flash.end();
            flash.next_done().unwrap().done_ns
        };
        let (plain, two) = (took(8), took(11));
        // The transfer itself is the last read, with the voltages of the one before it.
        let sets = if far == CopyPath::Dgcb { 1 } else { 2 };
        assert_eq!(two - plain, 2 * alone(Command::Read) + sets * TIMES.set_ns, "{far}");
    }
}

fn aged(law: PowerLaw, cycles: u32, age_s: u32, stated: Option<AgeLimit>) -> BitErrors<Array> {
    let geometry = Geometry::new(4, BLOCK, 1024).unwrap();
    let array = Array::new(geometry, parts::SAMSUNG_LARGE_BLOCK.clone(), Store::Metadata);
    let model = AgedErrorRate { law, cycles, age_s, ecc_bits_per_kib: 60 };
    let retry = ReadRetry { limits: vec![400], soft: None };
    let mut flash = BitErrors::new(array, model, 3).unwrap().with_retry(&retry, stated).unwrap();
    for page in 0..BLOCK {
        flash.program(Ppn(page), Oob::data(Lpn(page), 1), None, Cause::Host).unwrap();
    }
    flash
}

/// Bits corrected in one read of a page, among those that ECC corrects.
fn bits(flash: &mut BitErrors<Array>, page: u32) -> u64 {
    let before = flash.corrected_bits();
    flash.read(Ppn(page), None, Cause::Host).unwrap();
    flash.corrected_bits() - before
}

#[test]
fn errors_grow_with_wear_time_and_reads() {
    let law = POWER_LAWS[0].law;
    let fresh: u64 = (0..8).map(|page| bits(&mut aged(law, 1, 0, None), page)).sum();
    // 8192 bits × 1.48e-3 are 12.1.
    assert!((8 * 8..8 * 17).contains(&fresh), "{fresh}");
    let worn: u64 = (0..8).map(|page| bits(&mut aged(law, 3000, 0, None), page)).sum();
    assert!(worn > fresh, "{worn}");
    let mut flash = aged(law, 1000, 86_400, None);
    let before = bits(&mut flash, 4);
    flash.set_now_ns(0);
    let lain = bits(&mut flash, 4);
    assert!(lain > before, "{before} {lain}");
    flash.set_now_ns(400 * 3_600_000_000_000);
    let longer = bits(&mut flash, 4);
    assert!(longer > lain, "{longer}");
    // A page written now is new.
    flash.program(Ppn(BLOCK), Oob::data(Lpn(4), 2), None, Cause::Host).unwrap();
    assert!(bits(&mut flash, BLOCK) < before + 20);
    let mut flash = aged(PowerLaw { disturb: [1e-3, 0.0, 1.0], ..law }, 1, 0, None);
    let few = bits(&mut flash, 0);
    for _ in 0..30 {
        flash.read(Ppn(1), None, Cause::Host).unwrap();
    }
    let many = bits(&mut flash, 0);
    assert!(many > few + 10, "reads of the block disturb its other pages: {few} {many}");
    flash.erase(BlockId(0), Cause::Host).unwrap();
    flash.program(Ppn(0), Oob::data(Lpn(0), 2), None, Cause::Host).unwrap();
    assert!(bits(&mut flash, 0) < many, "an erase ends the disturbance");
}

#[test]
fn what_is_older_than_stated_is_counted() {
    let law = POWER_LAWS[0].law;
    let limit = AgeLimit { cycles: 100, age_s: 60, reads: 3 };
    let beyond = |flash: &mut BitErrors<Array>| {
        bits(flash, 0);
        flash.reads_beyond()
    };
    let mut flash = aged(law, 100, 60, Some(limit));
    flash.set_now_ns(999_999_999);
    assert_eq!([(); 4].map(|()| beyond(&mut flash)), [0, 0, 0, 1]);
    let mut flash = aged(law, 100, 60, Some(limit));
    flash.set_now_ns(1_000_000_000);
    assert_eq!(beyond(&mut flash), 1);
    assert_eq!(beyond(&mut aged(law, 101, 0, Some(limit))), 1);
    assert_eq!(beyond(&mut aged(law, 101, 0, None)), 0);
}

/// No page up to the limit has more bit errors than stated for it.
#[test]
fn the_most_bit_errors_are_stated() {
    let law = POWER_LAWS[0].law;
    let model = |cycles| AgedErrorRate { law, cycles, age_s: 0, ecc_bits_per_kib: 60 };
    let most = |cycles, age_s, reads| {
        BitErrorModel::Aged(model(0)).most_bits(&AgeLimit { cycles, age_s, reads }, 64).unwrap()
    };
    assert!(most(1, 0, 0) > 12 && most(1, 0, 0) < 60, "{}", most(1, 0, 0));
    assert!(most(3000, 0, 0) > most(1, 0, 0));
    assert!(most(3000, 86_400, 0) > most(3000, 0, 0));
    assert!(most(3000, 86_400, 100_000) > most(3000, 86_400, 0));
    let limit = most(1, 0, 8);
    for seed in 0..500 {
        let geometry = Geometry::new(1, BLOCK, 8192).unwrap();
        let array = Array::new(geometry, parts::SAMSUNG_LARGE_BLOCK.clone(), Store::Metadata);
        let retry = ReadRetry { limits: vec![limit as u16], soft: None };
        let model = AgedErrorRate { ecc_bits_per_kib: limit as u32 - 1, ..model(1) };
        let mut flash =
            BitErrors::new(array, model, seed).unwrap().with_retry(&retry, None).unwrap();
        flash.program(Ppn(0), Oob::data(Lpn(0), 1), None, Cause::Host).unwrap();
        flash.read(Ppn(0), None, Cause::Host).unwrap();
    }
    let fixed = BitErrorModel::Fixed { bits_per_page: 1, ecc_bits_per_kib: 4 };
    assert_eq!(fixed.most_bits(&AgeLimit { cycles: 1, age_s: 1, reads: 1 }, 64), None);
}

#[test]
fn figures_out_of_range_are_refused() {
    let geometry = Geometry::new(1, BLOCK, 1024).unwrap();
    let array = || Array::new(geometry, parts::SAMSUNG_LARGE_BLOCK.clone(), Store::Metadata);
    let law = PowerLaw { base: 2.0, ..POWER_LAWS[0].law };
    let model = AgedErrorRate { law, cycles: 0, age_s: 0, ecc_bits_per_kib: 8 };
    assert_eq!(BitErrors::new(array(), model, 0).err(), Some(FaultError::PowerLaw));
    let model = AgedErrorRate { law: POWER_LAWS[0].law, ..model };
    let flash = BitErrors::new(array(), model, 0).unwrap();
    let retry = ReadRetry { limits: vec![8], soft: None };
    let refused = Some(FaultError::RetryLimit { found: 8, least: 9 });
    assert_eq!(flash.with_retry(&retry, None).err(), refused);
}
