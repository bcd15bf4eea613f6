//! An SSD below the scheme: operations overlap on channels, and what keeps each bus and each die busy is written down.
//!
//! ```text
//! closed loop: a page task begins when fewer than `queue_depth` are outstanding;
//!     with one at a time, when everything before it has ended, collection included
//! an operation that the scheme asks for waits in a list
//! a command that reaches a die is the first that waits for that page, as that kind of command
//! each grant of the bus is of the command sent last with its tag
//! ```
//!
//! The scheme decides at once, as in a run of `ftlkit compare` on an SSD; so frames are in the order of its decisions, and
//! their times are those of the channels.

use crate::channel_log::{ChannelLog, Span};
use crate::error::ExplainError;
use crate::recorder::{Recorder, Tape};
use crate::recording::Frame;
use crate::units::time;
use flash::channels::{DieAddress, Grant, GrantObserver, Sent};
use flash::parallel::{Done, Parallel};
use flash::{DynFlash, Layer, Ns};
use ftl::{AnyScheme, PageTask};
use lab::ssd::SsdSetup;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The array on channels.
#[derive(Debug)]
pub(crate) struct OnChannels(Parallel<Recorder, Watch>);

impl DynFlash for OnChannels {}

impl Layer for OnChannels {
    type Inner = Parallel<Recorder, Watch>;

    fn inner(&self) -> &Self::Inner {
        &self.0
    }

    fn inner_mut(&mut self) -> &mut Self::Inner {
        &mut self.0
    }
}

impl OnChannels {
    pub(crate) fn new(
        recorder: Recorder,
        ssd: &SsdSetup,
        tape: &Rc<RefCell<Tape>>,
    ) -> Result<Self, ExplainError> {
        let watch = Watch { lanes: Lanes::of(ssd), tape: Rc::clone(tape) };
        let made =
            Parallel::watched(recorder, ssd.topology, ssd.timing, ssd.policy, ssd.ganged, watch);
        let mut array =
            made.map_err(|error| ExplainError::setting("channels", error.to_string()))?;
        array.set_timed(false);
        Ok(Self(array))
    }

    /// That of a scheme.
    pub(crate) fn of(scheme: &mut AnyScheme) -> &mut Self {
        scheme.flash_mut().downcast_mut().expect("the array is on channels")
    }

    pub(crate) fn recorder_mut(&mut self) -> &mut Recorder {
        self.0.inner_mut()
    }
}

/// Numbers of buses and dies: the buses first, then the dies of each channel.
#[derive(Clone, Copy, Debug)]
struct Lanes {
    channels: u32,
    dies_per_channel: u32,
    dies_per_way: u32,
}

impl Lanes {
    fn of(ssd: &SsdSetup) -> Self {
        let topology = &ssd.topology;
        Self {
            channels: topology.channels.into(),
            dies_per_channel: topology.dies_per_channel() as u32,
            dies_per_way: topology.dies.into(),
        }
    }

    fn die(self, die: DieAddress) -> u32 {
        let of_channel = u32::from(die.way) * self.dies_per_way + u32::from(die.die);
        self.channels + u32::from(die.channel) * self.dies_per_channel + of_channel
    }

    /// `0.1`: channel 0, its die 1.
    fn name(self, lane: u32) -> String {
        let die = lane - self.channels;
        format!("{}.{}", die / self.dies_per_channel, die % self.dies_per_channel)
    }

    /// Where and when an operation ran, for its caption.
    fn told(self, spans: &[Span], aside: bool) -> String {
        let mut dies: Vec<String> = Vec::new();
        for span in spans.iter().filter(|span| span.lane >= self.channels) {
            let die = self.name(span.lane);
            if dies.last() != Some(&die) {
                dies.push(die);
            }
        }
        let from_ns = spans.iter().map(|span| span.from_ns).min().unwrap_or_default();
        let aside = if aside { ", where the page is until its copy is done," } else { "" };
        let name = if dies.len() == 1 { "die" } else { "dies" };
        let (dies, from, to) = (dies.join(" and "), time(from_ns), time(end_of(spans)));
        format!("; on {name} {dies}{aside} from {from} to {to}")
    }
}

fn end_of(spans: &[Span]) -> Ns {
    spans.iter().map(|span| span.to_ns).max().unwrap_or_default()
}

/// Tells the tape what reaches the dies and when.
#[derive(Debug)]
pub(crate) struct Watch {
    lanes: Lanes,
    tape: Rc<RefCell<Tape>>,
}

impl GrantObserver for Watch {
    fn sent(&mut self, sent: Sent) {
        if let Some(log) = &mut self.tape.borrow_mut().channels {
            log.sent(sent);
        }
    }

    fn granted(&mut self, grant: &Grant) {
        let Some(log) = &mut self.tape.borrow_mut().channels else { return };
        let Grant { tag, die, begin_ns, end_ns, array_begin_ns, array_end_ns, .. } = *grant;
        log.busy(tag, Span { lane: die.channel.into(), from_ns: begin_ns, to_ns: end_ns });
        let lane = self.lanes.die(die);
        log.busy(tag, Span { lane, from_ns: array_begin_ns, to_ns: array_end_ns });
    }
}

/// A page task that has ended, with the frame of its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) at: usize,
    pub(crate) task: PageTask,
    pub(crate) service_ns: Ns,
    pub(crate) step_ns: Ns,
    pub(crate) at_ns: Ns,
}

/// The measured part on an SSD.
#[derive(Debug)]
pub(crate) struct Measured {
    depth: usize,
    lanes: Lanes,
    /// True if page tasks may begin during a collection.
    yields: bool,
    /// Page tasks that are not done, by number, with the frame of their end.
    open: BTreeMap<u64, (usize, PageTask)>,
    /// The page task that is done while its collection goes on, with one at a time.
    alone: Option<(usize, PageTask, Done)>,
    /// Those that have ended, until they are taken.
    ended: Vec<Ended>,
    /// Frame of each operation.
    pub(crate) operations: Vec<usize>,
}

impl Measured {
    /// Starts the clocks of the channels.
    pub(crate) fn begin(scheme: &mut AnyScheme, ssd: &SsdSetup) -> Self {
        let yields = ssd.yields(scheme.telemetry().yields);
        ssd.start(&mut OnChannels::of(scheme).0, yields);
        Self {
            depth: ssd.queue_depth as usize,
            lanes: Lanes::of(ssd),
            yields,
            open: BTreeMap::new(),
            alone: None,
            ended: Vec::new(),
            operations: Vec::new(),
        }
    }

    /// Waits until a page task may begin, and begins it. Returns its time. An error says what the channels wait for.
    pub(crate) fn begin_task(
        &mut self,
        OnChannels(array): &mut OnChannels,
        number: u32,
    ) -> Result<Ns, String> {
        while self.open.len() >= self.depth
            || self.depth == 1 && array.outstanding() > 0
            || !self.yields && array.is_collecting()
        {
            if !self.step(array) {
                return Err(format!("nothing goes on: {}", array.waiting()));
            }
        }
        self.settle(array);
        array.begin(number.into(), array.now_ns());
        Ok(array.now_ns())
    }

    /// The scheme has decided; frame `at` ends the page task, and gets its times once these are known.
    pub(crate) fn end_task(
        &mut self,
        OnChannels(array): &mut OnChannels,
        number: u32,
        (at, task): (usize, PageTask),
    ) {
        array.end();
        self.open.insert(number.into(), (at, task));
    }

    /// The page tasks that have ended since this was asked.
    pub(crate) fn take_ended(&mut self) -> Vec<Ended> {
        std::mem::take(&mut self.ended)
    }

    /// Lets one operation end. False if there is none.
    fn step(&mut self, array: &mut Parallel<Recorder, Watch>) -> bool {
        let (more, done) = array.step_until(Ns::MAX);
        if let Some(done) = done
            && let Some((at, task)) = self.open.remove(&done.tag)
        {
            let service_ns = done.done_ns - done.begun_ns;
            match self.depth {
                1 => self.alone = Some((at, task, done)),
                _ => {
                    let at_ns = done.done_ns;
                    self.ended.push(Ended { at, task, service_ns, step_ns: 0, at_ns });
                }
            }
        }
        more
    }

    /// Ends a page task that was the only one, with its collection.
    fn settle(&mut self, array: &Parallel<Recorder, Watch>) {
        let Some((at, task, done)) = self.alone.take() else { return };
        let at_ns = array.channels().last_done_ns().max(done.done_ns);
        let (service_ns, step_ns) = (done.done_ns - done.begun_ns, at_ns - done.done_ns);
        self.ended.push(Ended { at, task, service_ns, step_ns, at_ns });
    }

    /// Lets all operations end.
    pub(crate) fn drain(&mut self, OnChannels(array): &mut OnChannels) {
        while self.step(array) {}
        self.settle(array);
    }

    /// Tells each frame when its operation ran, and on which dies. An error says what did not end, or is not what the scheme
    /// asked for.
    pub(crate) fn finish(&self, mut log: ChannelLog, frames: &mut [Frame]) -> Result<(), String> {
        if let Some(sent) = log.unasked {
            return Err(format!("no operation waits for {sent:?}"));
        }
        if let Some(number) = self.open.keys().next() {
            return Err(format!("page task {number} never ends"));
        }
        if let Some(one) = log.awaited.first() {
            return Err(format!("no die has got {one:?}"));
        }
        log.spans.sort_by_key(|(number, span)| (*number, span.from_ns));
        for (number, span) in log.spans {
            frames[self.operations[number]].spans.push(span);
        }
        for (number, at) in self.operations.iter().enumerate() {
            let frame = &mut frames[*at];
            let aside = log.aside.contains(&number);
            frame.caption.push_str(&self.lanes.told(&frame.spans, aside));
            frame.at_ns = end_of(&frame.spans);
        }
        Ok(())
    }
}
