//! Scripts of operations: the bus tenures of each in turn, and the die's busy time after each.
//!
//! They are built once, from the timing. An operation in progress is a position in its script.

use super::request::Command;
use super::rules::Follows;
use super::timing::Timing;
use super::topology::MAX_PLANES;
use crate::time::Ns;
use alloc::vec::Vec;

/// Content of a bus tenure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// Command and address cycles.
    Command,
    /// Command, address, tADL and a page of data into a register.
    DataIn,
    /// A page of data out of a register. For all planes but the first it includes the selection of the plane.
    DataOut,
    /// A page of data out of one die's register into another's, with the plane selection as for
    /// [`Segment::DataOut`]. It is the destination's tenure.
    Direct,
    /// A status read.
    Status,
}

/// Work of the die after a tenure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Busy {
    /// None: the next tenure may follow at once. After the last tenure the operation completes `after_ns`
    /// later.
    None { after_ns: Ns },
    /// None, but the next tenure waits for `ns`.
    Wait { ns: Ns },
    /// The interface is busy for tWB and `ns` (tDBSY).
    Interface { ns: Ns },
    /// The cells work for `ns`, from tWB after the tenure and not before they are free.
    Array { ns: Ns },
    /// As [`Busy::Array`], with the data ready for the bus tRR later.
    ReadArray { ns: Ns },
    /// As [`Busy::Array`], but the interface is free again tCBSY after the cells have begun.
    CachedArray { ns: Ns },
    /// After tWB, the page register moves to the cache register (tCBSY), whose data are ready for the bus tRR
    /// later. Then the cells read the next page for `next_ns` (0: none).
    Turn { next_ns: Ns },
}

/// [`Busy`] as times, which apply to a die without a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Effect {
    /// From the end of the tenure to the begin of the work.
    pub(super) before_ns: Ns,
    /// All bits if the work also waits until the cells are free; otherwise none.
    pub(super) cells: Ns,
    /// Time for which the cells work.
    pub(super) array_ns: Ns,
    /// From the begin of the work to the operation's next tenure.
    pub(super) next_ns: Ns,
    /// From there to the operation's completion, if the step is its last.
    pub(super) done_ns: Ns,
}

impl Effect {
    pub(super) fn of(busy: Busy, t: &Timing) -> Self {
        let idle = |before_ns, next_ns, done_ns| Self {
            before_ns,
            cells: 0,
            array_ns: 0,
            next_ns,
            done_ns,
        };
        let cells = |array_ns, next_ns, done_ns| Self {
            before_ns: t.t_wb_ns,
            cells: Ns::MAX,
            array_ns,
            next_ns,
            done_ns,
        };
        match busy {
            Busy::None { after_ns } => idle(0, 0, after_ns),
            Busy::Wait { ns } => idle(0, ns, ns),
            Busy::Interface { ns } => idle(0, t.t_wb_ns + ns, t.t_wb_ns + ns),
            Busy::Array { ns } => cells(ns, ns, ns),
            Busy::ReadArray { ns } => cells(ns, ns + t.t_rr_ns, ns + t.t_rr_ns),
            Busy::CachedArray { ns } => cells(ns, t.t_cbsy_ns.min(ns), ns),
            Busy::Turn { next_ns } => {
                Self { array_ns: next_ns, ..idle(t.t_wb_ns + t.t_cbsy_ns, t.t_rr_ns, t.t_rr_ns) }
            }
        }
    }
}

/// A tenure of the bus, and the work of the die after it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) bus_ns: Ns,
    /// The part of `bus_ns` that moves data.
    pub(super) data_ns: Ns,
    pub(super) segment: Segment,
    pub(super) busy: Busy,
}

/// Tenures of the longest script: the program of a direct transfer over all planes, with a status read.
const MOST_STEPS: usize = 3 * MAX_PLANES + 1;

/// Tenures of one operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Script {
    steps: [Step; MOST_STEPS],
    count: u8,
    /// [`Command::lane`] of its operation.
    lane: u8,
}

impl Script {
    const EMPTY: Self = Self {
        steps: [Step {
            bus_ns: 0,
            data_ns: 0,
            segment: Segment::Command,
            busy: Busy::None { after_ns: 0 },
        }; MOST_STEPS],
        count: 0,
        lane: 0,
    };

    fn push(&mut self, step: Step) {
        self.steps[usize::from(self.count)] = step;
        self.count += 1;
    }

    fn command(&mut self, bus_ns: Ns, busy: Busy) {
        self.push(Step { bus_ns, data_ns: 0, segment: Segment::Command, busy });
    }

    #[inline]
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps[..usize::from(self.count)]
    }

    /// Bus time of all tenures.
    pub(super) fn bus_ns(&self) -> Ns {
        self.steps().iter().map(|step| step.bus_ns).sum()
    }

    /// Time of the operation on an idle bus and die.
    pub(super) fn alone_ns(&self, timing: &Timing) -> Ns {
        let waits = self.steps().iter().map(|step| match step.busy {
            Busy::None { after_ns: ns } | Busy::Wait { ns } => ns,
            Busy::Interface { ns } | Busy::Array { ns } | Busy::CachedArray { ns } => {
                timing.t_wb_ns + ns
            }
            Busy::ReadArray { ns } => timing.t_wb_ns + ns + timing.t_rr_ns,
            Busy::Turn { .. } => timing.t_wb_ns + timing.t_cbsy_ns + timing.t_rr_ns,
        });
        self.bus_ns() + waits.sum::<Ns>()
    }
}

/// Kinds of script, in order: the commands, the two reads that continue a cache read, and the commands of a
/// direct transfer (read, program, cache program).
const KINDS: usize = DIRECT + 3;
const DIRECT: usize = Command::ALL.len() + 2;

/// A step as the engine takes it: a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Tenure {
    pub(super) bus_ns: Ns,
    pub(super) data_ns: Ns,
    /// That of the work of any page.
    pub(super) effect: Effect,
    pub(super) segment: Segment,
    /// True if its data go out of a register to the controller.
    pub(super) out: bool,
    /// True for the last step.
    pub(super) last: bool,
    /// True if the work is [`Busy::Array`], which may be suspended.
    pub(super) is_array: bool,
    /// True if it confirms a program.
    pub(super) confirms: bool,
    /// [`Command::lane`] of its operation.
    pub(super) lane: u8,
}

impl Tenure {
    fn of(step: &Step, last: bool, lane: u8, timing: &Timing) -> Self {
        let Step { bus_ns, data_ns, segment, busy } = *step;
        let is_array = matches!(busy, Busy::Array { .. });
        let confirms = is_array || matches!(busy, Busy::CachedArray { .. });
        let effect = Effect::of(busy, timing);
        let out = segment == Segment::DataOut;
        Self { bus_ns, data_ns, effect, segment, out, last, is_array, confirms, lane }
    }
}

/// Scripts of all operations.
#[derive(Clone, Debug)]
pub(super) struct Scripts {
    scripts: Vec<Script>,
    /// Their steps, [`MOST_STEPS`] of each.
    tenures: Vec<Tenure>,
}

impl Scripts {
    pub(super) fn new(timing: &Timing) -> Self {
        let mut scripts = alloc::vec![Script::EMPTY; KINDS * MAX_PLANES];
        let mut put = |index, command: Command, script| {
            scripts[index / MOST_STEPS] = Script { lane: command.lane() as u8, ..script };
        };
        for planes in 1..=MAX_PLANES {
            for command in Command::ALL {
                for follows in [Follows::Alone, Follows::CacheRead] {
                    let index = Self::index(command, follows, planes);
                    put(index, command, script(timing, command, follows, planes));
                }
            }
            let read = Command::Read;
            put(Self::direct(read, planes), read, direct_read(timing, planes));
            for command in [Command::Program, Command::CacheProgram] {
                let program = direct_program(timing, command, planes);
                put(Self::direct(command, planes), command, program);
            }
        }
        let mut tenures = Vec::with_capacity(scripts.len() * MOST_STEPS);
        for script in &scripts {
            for (step, at) in script.steps.iter().zip(1..) {
                tenures.push(Tenure::of(step, at == script.count, script.lane, timing));
            }
        }
        Self { scripts, tenures }
    }

    /// Index of an operation's script: that of its first step among all steps.
    #[inline]
    pub(super) fn index(command: Command, follows: Follows, planes: usize) -> usize {
        let goes_on = command.reads_out() && follows == Follows::CacheRead;
        let kind = command as usize + if goes_on { Command::ALL.len() } else { 0 };
        Self::of_kind(kind, planes)
    }

    #[inline]
    fn of_kind(kind: usize, planes: usize) -> usize {
        (kind * MAX_PLANES + planes - 1) * MOST_STEPS
    }

    /// Planes on which the operations of a script work.
    pub(super) fn planes(index: usize) -> usize {
        index / MOST_STEPS % MAX_PLANES + 1
    }

    /// Index of the script of one side of a direct transfer.
    #[inline]
    pub(super) fn direct(command: Command, planes: usize) -> usize {
        let kind = match command {
            Command::Read | Command::CacheRead => DIRECT,
            Command::CacheProgram => DIRECT + 2,
            _ => DIRECT + 1,
        };
        Self::of_kind(kind, planes)
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> &Script {
        &self.scripts[index / MOST_STEPS]
    }

    /// A step of a script.
    #[inline]
    pub(super) fn tenure(&self, script: u16, step: u8) -> &Tenure {
        &self.tenures[usize::from(script) + usize::from(step)]
    }
}

fn script(t: &Timing, command: Command, follows: Follows, planes: usize) -> Script {
    let mut script = Script::EMPTY;
    match command {
        Command::Read | Command::CacheRead | Command::ReadOob => {
            read(&mut script, t, command, follows, planes);
        }
        Command::Program | Command::CacheProgram => {
            let step = Step {
                bus_ns: t.page_command_ns() + t.t_adl_ns + t.t_di_ns(),
                data_ns: t.t_di_ns(),
                segment: Segment::DataIn,
                busy: Busy::Interface { ns: t.t_dbsy_ns },
            };
            (1..planes).for_each(|_| script.push(step));
            let ns = t.t_prog_ns;
            let cached = command == Command::CacheProgram;
            let busy = if cached { Busy::CachedArray { ns } } else { Busy::Array { ns } };
            script.push(Step { busy, ..step });
        }
        Command::CopyRead => {
            let busy = Busy::ReadArray { ns: t.t_r_ns };
            planes_of_commands(&mut script, t, t.page_command_ns(), busy, planes);
        }
        Command::CopyProgram => {
            let bus_ns = t.page_command_ns() + t.t_adl_ns;
            let busy = Busy::Array { ns: t.t_prog_ns };
            planes_of_commands(&mut script, t, bus_ns, busy, planes);
        }
        Command::Erase => planes_of_commands(
            &mut script,
            t,
            t.block_command_ns(),
            Busy::Array { ns: t.t_bers_ns },
            planes,
        ),
    }
    status(&mut script, t, command);
    script
}

/// Appends a status read, if the timing asks for one after this command.
fn status(script: &mut Script, t: &Timing, command: Command) {
    if t.status && !command.is_read() && command != Command::CacheProgram {
        let (bus_ns, segment) = (t.status_ns(), Segment::Status);
        script.push(Step { bus_ns, data_ns: 0, segment, busy: Busy::None { after_ns: 0 } });
    }
}

/// The source's side of a direct transfer. Its data tenures are those of the destination, so they take no bus
/// time.
fn direct_read(t: &Timing, planes: usize) -> Script {
    let mut script = Script::EMPTY;
    let busy = Busy::ReadArray { ns: t.t_r_ns };
    planes_of_commands(&mut script, t, t.page_command_ns(), busy, planes);
    for plane in 0..planes {
        let after_ns = if plane + 1 == planes { t.ecc_ns } else { 0 };
        let (segment, busy) = (Segment::Direct, Busy::None { after_ns });
        script.push(Step { bus_ns: 0, data_ns: 0, segment, busy });
    }
    script
}

/// The destination's side: for each plane command and address, the data, and the confirm.
fn direct_program(t: &Timing, command: Command, planes: usize) -> Script {
    let mut script = Script::EMPTY;
    let address_ns = t.page_command_ns() - t.t_wc_ns + t.t_adl_ns;
    let ns = t.t_prog_ns;
    let cached = command == Command::CacheProgram;
    let confirmed = if cached { Busy::CachedArray { ns } } else { Busy::Array { ns } };
    for plane in 0..planes {
        let last = plane + 1 == planes;
        script.command(address_ns, Busy::Wait { ns: 0 });
        script.push(Step {
            bus_ns: choice_ns(t, plane) + t.t_dio_ns(),
            data_ns: t.t_dio_ns(),
            segment: Segment::Direct,
            busy: Busy::Wait { ns: if last { t.ecc_ns } else { 0 } },
        });
        let busy = if last { confirmed } else { Busy::Interface { ns: t.t_dbsy_ns } };
        script.command(t.t_wc_ns, busy);
    }
    status(&mut script, t, command);
    script
}

/// Bus time to select a plane before its data out. 0 for the first plane, which the command leaves selected.
fn choice_ns(t: &Timing, plane: usize) -> Ns {
    if plane > 0 { t.page_command_ns() + t.t_ccs_ns } else { 0 }
}

/// A command for each plane, with tDBSY between them and `busy` after the last.
fn planes_of_commands(script: &mut Script, t: &Timing, bus_ns: Ns, busy: Busy, planes: usize) {
    (1..planes).for_each(|_| script.command(bus_ns, Busy::Interface { ns: t.t_dbsy_ns }));
    script.command(bus_ns, busy);
}

fn read(script: &mut Script, t: &Timing, command: Command, follows: Follows, planes: usize) {
    let goes_on = follows == Follows::CacheRead && command.reads_out();
    let cached = command == Command::CacheRead;
    let oob = command == Command::ReadOob;
    let data_ns = if oob { t.t_do_oob_ns() } else { t.t_do_ns() };
    if !goes_on {
        let ns = if oob { t.t_r_oob_ns } else { t.t_r_ns };
        let busy = if cached { Busy::Array { ns } } else { Busy::ReadArray { ns } };
        planes_of_commands(script, t, t.page_command_ns(), busy, planes);
    }
    if goes_on || cached {
        let next_ns = if cached { t.t_r_ns } else { 0 };
        script.command(t.t_wc_ns, Busy::Turn { next_ns });
    }
    for plane in 0..planes {
        let after_ns = if plane + 1 == planes { t.ecc_ns } else { 0 };
        script.push(Step {
            bus_ns: choice_ns(t, plane) + data_ns,
            data_ns,
            segment: Segment::DataOut,
            busy: Busy::None { after_ns },
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts;

    #[test]
    fn a_tenure_takes_a_cache_line() {
        assert_eq!(size_of::<Tenure>(), 64);
    }

    #[test]
    fn each_tenure_has_the_lane_of_its_command() {
        let scripts = Scripts::new(&Timing::of(&parts::DDT_MLC).expect("it gives its bus cycles"));
        let lane = |index: usize, step| scripts.tenure(index as u16, step).lane;
        for planes in 1..=MAX_PLANES {
            for command in Command::ALL {
                for follows in [Follows::Alone, Follows::CacheRead] {
                    let index = Scripts::index(command, follows, planes);
                    for step in 0..scripts.get(index).count {
                        assert_eq!(usize::from(lane(index, step)), command.lane(), "{command:?}");
                    }
                }
            }
            for command in [Command::Read, Command::Program, Command::CacheProgram] {
                assert_eq!(usize::from(lane(Scripts::direct(command, planes), 0)), command.lane());
            }
        }
    }
}
