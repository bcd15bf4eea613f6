//! Operations as scripts: the bus tenures that each takes in turn, and what the die is busy with after each.
//!
//! They are laid down once, from the timing; an operation on its way is a place in its script.

use super::request::Command;
use super::rules::Follows;
use super::timing::Timing;
use super::topology::MAX_PLANES;
use crate::Ns;

/// What a tenure of the bus carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// Command and address cycles.
    Command,
    /// Command, address, tADL and a page of data into a register.
    DataIn,
    /// A page of data out of a register, with tRR and the choice of its plane where there are several.
    DataOut,
    /// A status read.
    Status,
}

/// What the die does once the tenure is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Busy {
    /// Nothing: the next tenure may follow at once. After the last the operation is done `after_ns` later.
    None { after_ns: Ns },
    /// Its interface is busy for tWB and `ns` (tDBSY).
    Interface { ns: Ns },
    /// The cells work for `ns`, from tWB after the tenure and not before they are free.
    Array { ns: Ns },
    /// The same, and the interface is free again tCBSY after they have begun.
    CachedArray { ns: Ns },
    /// After tWB, the page register goes to the cache register (tCBSY); then the cells read the next page for
    /// `next_ns` (0: none).
    Turn { next_ns: Ns },
}

/// A tenure of the bus and what follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) bus_ns: Ns,
    /// The part of `bus_ns` that moves data.
    pub(super) data_ns: Ns,
    pub(super) segment: Segment,
    pub(super) busy: Busy,
}

/// Tenures of the longest script: a cache read over all planes.
const MOST_STEPS: usize = 2 * MAX_PLANES + 1;

/// The tenures of one operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Script {
    steps: [Step; MOST_STEPS],
    count: u8,
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

    /// Time of the operation where nothing else uses bus or die.
    pub(super) fn alone_ns(&self, timing: &Timing) -> Ns {
        let waits = self.steps().iter().map(|step| match step.busy {
            Busy::None { after_ns } => after_ns,
            Busy::Interface { ns } | Busy::Array { ns } | Busy::CachedArray { ns } => {
                timing.t_wb_ns + ns
            }
            Busy::Turn { .. } => timing.t_wb_ns + timing.t_cbsy_ns,
        });
        self.bus_ns() + waits.sum::<Ns>()
    }
}

/// Kinds of script: the commands, and the two reads that go on with a cache read.
const KINDS: usize = Command::ALL.len() + 2;

/// The scripts of all operations.
#[derive(Clone, Debug)]
pub(super) struct Scripts([Script; KINDS * MAX_PLANES]);

impl Scripts {
    pub(super) fn new(timing: &Timing) -> Self {
        let mut scripts = [Script::EMPTY; KINDS * MAX_PLANES];
        for planes in 1..=MAX_PLANES {
            for command in Command::ALL {
                for follows in [Follows::Alone, Follows::CacheRead] {
                    scripts[Self::index(command, follows, planes)] =
                        script(timing, command, follows, planes);
                }
            }
        }
        Self(scripts)
    }

    /// Which script an operation takes.
    #[inline]
    pub(super) fn index(command: Command, follows: Follows, planes: usize) -> usize {
        let goes_on = command.is_read() && follows == Follows::CacheRead;
        let kind = command as usize + if goes_on { Command::ALL.len() } else { 0 };
        kind * MAX_PLANES + planes - 1
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> &Script {
        &self.0[index]
    }
}

fn script(t: &Timing, command: Command, follows: Follows, planes: usize) -> Script {
    let mut script = Script::EMPTY;
    match command {
        Command::Read | Command::CacheRead => read(&mut script, t, command, follows, planes),
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
        Command::CopyProgram => {
            let bus_ns = t.page_command_ns() + t.t_adl_ns;
            planes_of_commands(&mut script, t, bus_ns, t.t_prog_ns, planes);
        }
        Command::Erase => {
            planes_of_commands(&mut script, t, t.block_command_ns(), t.t_bers_ns, planes)
        }
    }
    if t.status && !command.is_read() && command != Command::CacheProgram {
        script.push(Step {
            bus_ns: t.status_ns(),
            data_ns: 0,
            segment: Segment::Status,
            busy: Busy::None { after_ns: 0 },
        });
    }
    script
}

/// A command for each plane, with tDBSY between them, and the cells at work after the last.
fn planes_of_commands(script: &mut Script, t: &Timing, bus_ns: Ns, array_ns: Ns, planes: usize) {
    (1..planes).for_each(|_| script.command(bus_ns, Busy::Interface { ns: t.t_dbsy_ns }));
    script.command(bus_ns, Busy::Array { ns: array_ns });
}

fn read(script: &mut Script, t: &Timing, command: Command, follows: Follows, planes: usize) {
    let (goes_on, cached) = (follows == Follows::CacheRead, command == Command::CacheRead);
    if !goes_on {
        planes_of_commands(script, t, t.page_command_ns(), t.t_r_ns, planes);
    }
    if goes_on || cached {
        let next_ns = if cached { t.t_r_ns } else { 0 };
        script.command(t.t_wc_ns, Busy::Turn { next_ns });
    }
    let choice_ns = if planes > 1 { t.page_command_ns() + t.t_ccs_ns } else { 0 };
    for plane in 0..planes {
        let ready_ns = if plane == 0 { t.t_rr_ns } else { 0 };
        let after_ns = if plane + 1 == planes { t.ecc_ns } else { 0 };
        script.push(Step {
            bus_ns: ready_ns + choice_ns + t.t_do_ns(),
            data_ns: t.t_do_ns(),
            segment: Segment::DataOut,
            busy: Busy::None { after_ns },
        });
    }
}
