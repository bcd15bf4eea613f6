//! [`Pending::plain`](super::die::Pending::plain) is for speed alone: random loads with it and without it, to the ns.

use super::*;
use crate::page_times::PageTimes;
use crate::parts;
use crate::time::Ns;
use alloc::vec::Vec;

type Logged = Channels<Vec<Grant>>;

/// Submits the operations of a turn: one, or several that go on with each other. False if a rule is against it.
fn turn(channels: &mut Logged, draw: &mut impl FnMut(u64) -> u64, tag: u64) -> bool {
    let topology = *channels.topology();
    let arrival_ns = channels.now_ns() + draw(2) * draw(300_000);
    let die = DieAddress {
        channel: draw(topology.channels.into()) as u16,
        way: draw(topology.ways.into()) as u16,
        die: draw(topology.dies.into()) as u16,
    };
    let changes = [Class::Write, Class::Collection { order: tag }][draw(2) as usize];
    let block = draw(topology.blocks_per_die().into()) as u32;
    let page = draw(u64::from(topology.pages_per_block) - 1) as u32;
    let of = |command, page, repair_ns| {
        let pages = Pages::one(block, page);
        Request { arrival_ns, tag, die, command, pages, repair_ns }
    };
    let plain = [Command::Read, Command::Program, Command::Erase, Command::ReadOob];
    let kind = draw(16) as usize;
    let command = plain[kind % 4];
    let class = if command.is_read() && draw(2) == 0 { Class::Read } else { changes };
    let done = match kind {
        0 => {
            let repeats = Repeats { reads: draw(4) as u8, soft: draw(2) == 0 };
            channels.submit_repeated(&of(Command::Read, page, 0), Class::Read, repeats)
        }
        1 => {
            let read = channels.submit_as(&of(Command::CopyRead, page, 0), changes);
            let program = of(Command::CopyProgram, page, draw(2) * draw(5000));
            read.and_then(|()| channels.submit_as(&program, changes))
        }
        2 => {
            let first = channels.submit_as(&of(Command::CacheRead, page, 0), changes);
            first.and_then(|()| channels.submit_as(&of(Command::Read, page + 1, 0), changes))
        }
        3 => {
            let first = channels.submit_as(&of(Command::CacheProgram, page, 0), changes);
            first.and_then(|()| channels.submit_as(&of(Command::Program, page + 1, 0), changes))
        }
        4 if topology.ways > 1 => {
            // From the first way to others alone, in one class: none waits for another that waits for it.
            let source =
                Request { die: DieAddress { way: 0, ..die }, ..of(Command::Read, page, 0) };
            let to = DieAddress { way: 1 + die.way % (topology.ways - 1), ..die };
            let to = Request { die: to, ..of(Command::Program, page, draw(900)) };
            let addressing = [Addressing::AfterRead, Addressing::DuringRead][draw(2) as usize];
            channels.submit_direct_as(&source, &to, addressing, Class::Write)
        }
        5 if topology.planes > 1 => {
            let planes =
                [block / 2 * 2, block / 2 * 2 + 1].map(|block| PageAddress { block, page });
            let pages = Pages::of(&planes).expect("two planes");
            let request = Request { pages, ..of(command, page, 0) };
            channels.submit_as(&request, class)
        }
        _ => channels.submit_as(&of(command, page, 0), class),
    };
    done.is_ok()
}

/// Runs random turns; without `plain`, no operation is marked. Returns all that can be seen of it, and the marked ones.
fn run(seed: u64, plain: bool) -> (Vec<Completion>, Logged, usize) {
    let mut draw = crate::properties::draw();
    (0..seed * 977).for_each(|_| _ = draw(2));
    let topology = Topology {
        channels: 1 + draw(10) as u16,
        ways: 1 + draw(4) as u16,
        dies: 1 + draw(2) as u16,
        planes: 1 + draw(2) as u16,
        blocks_per_plane: 4,
        pages_per_block: 16,
        paired_blocks: draw(2) == 0,
    };
    let mut timing = Timing::of(&parts::DDT_MLC).expect("it gives its bus cycles");
    timing.status = draw(3) == 0;
    if draw(3) == 0 {
        timing.t_prog_by_page_ns = PageTimes::of(&[timing.t_prog_ns / 3, timing.t_prog_ns]);
    }
    let policy = Policy::ALL[draw(5) as usize % 3];
    let mut channels = Logged::watched(topology, timing, policy, Vec::new()).expect("fair shapes");
    let suspend = match draw(3) {
        0 => Suspend::Never,
        1 => Suspend::Erases { erase_ns: draw(90_000) },
        _ => Suspend::ErasesAndPrograms { erase_ns: draw(90_000), program_ns: draw(9000) },
    };
    channels.set_precedence(Precedence { host_first: draw(3) as u32 * 3, suspend });
    channels.set_repeat_times(RepeatTimes { set_ns: draw(900), soft_ns: draw(30_000) });
    let rules = MultiPlane { rule: PlaneRule::SamePage, independent_reads: draw(2) == 0 };
    channels.set_multi_plane((draw(4) == 0).then_some(rules));
    let (mut completions, mut marked) = (Vec::new(), 0);
    for tag in 0..400 {
        let before = channels.outstanding();
        if turn(&mut channels, &mut draw, tag) {
            marked += channels.pending.iter().filter(|op| op.plain).count().min(1);
        }
        if !plain {
            channels.pending.iter_mut().for_each(|op| op.plain = false);
        }
        // A queue that grows to some depth.
        let most = if before > 40 { 4 } else { draw(3) };
        for _ in 0..most {
            let limit_ns = channels.now_ns() + draw(3) * 400_000;
            completions.extend(channels.next_completion_until(limit_ns));
        }
    }
    completions.extend(core::iter::from_fn(|| channels.next_completion()));
    assert_eq!(channels.outstanding(), 0, "seed {seed}");
    (completions, channels, marked)
}

#[test]
fn a_plain_operation_takes_the_time_of_any() {
    let mut all = (0, 0);
    for seed in 0..300 {
        let (short, channels, marked) = run(seed, true);
        let (whole, reference, _) = run(seed, false);
        assert!(short == whole, "seed {seed}");
        assert!(channels.watch() == reference.watch(), "seed {seed}");
        assert_eq!(channels.suspensions(), reference.suspensions(), "seed {seed}");
        let uses =
            |channels: &Logged| -> Vec<_> { channels.dies.iter().map(|die| die.usage).collect() };
        assert!(uses(&channels) == uses(&reference), "seed {seed}");
        all = (all.0 + short.len(), all.1 + marked);
    }
    assert!(
        all.0 > 100_000 && all.1 > 20_000,
        "completions and turns with marked operations: {all:?}"
    );
}

/// The next grant is the earliest of all, for any number of channels, also far from now; of equal ones the lowest channel's.
#[test]
fn the_next_grant_is_the_earliest() {
    let mut draw = crate::properties::draw();
    for channels in [1, 2, 3, 4, 5, 7, 8, 9, 31, 256] {
        let topology = Topology {
            channels,
            ways: 1,
            dies: 1,
            planes: 1,
            blocks_per_plane: 4,
            pages_per_block: 16,
            paired_blocks: false,
        };
        let timing = Timing::of(&parts::DDT_MLC).expect("it gives its bus cycles");
        let made = Channels::watched(topology, timing, Policy::Fifo, Vec::<Grant>::new());
        let mut made = made.expect("fair shapes");
        for far_ns in [0, 1 << 40, (1 << 53) - 3, 1 << 57, 1 << 61] {
            made.watch_mut().clear();
            let mut arrivals: Vec<(Ns, u16)> = Vec::new();
            for channel in 0..channels {
                let arrival_ns = made.now_ns().max(far_ns) + draw(5);
                let die = DieAddress { channel, way: 0, die: 0 };
                let (command, pages) = (Command::Erase, Pages::one(0, 0));
                let request = Request { arrival_ns, tag: 0, die, command, pages, repair_ns: 0 };
                made.submit(&request).expect("it keeps the rules");
                arrivals.push((arrival_ns, channel));
            }
            arrivals.sort();
            while made.next_completion().is_some() {}
            let grants = made.watch().iter().map(|grant| (grant.begin_ns, grant.die.channel));
            assert!(grants.eq(arrivals), "{channels} channels from {far_ns} ns");
        }
    }
}
