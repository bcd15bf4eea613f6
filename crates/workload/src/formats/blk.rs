//! Common parts of the two forms of Linux block traces: devices, actions, flags, stray time stamps.

use crate::formats::format::Setup;
use crate::options::Action;
use crate::request::Op;

/// The kernel's device number: 12 bits major, 20 bits minor.
pub(super) fn device(major: u64, minor: u64) -> Option<u32> {
    (major < 1 << 12 && minor < 1 << 20).then_some((major << 20 | minor) as u32)
}

/// Formats a device as `major,minor`.
pub(super) fn name(device: u32) -> String {
    format!("{},{}", device >> 20, device & 0xf_ffff)
}

/// The action in use, and whether the user chose it.
#[derive(Clone, Copy, Default)]
pub(super) struct Choice {
    pub(super) action: Action,
    asked: bool,
}

impl Choice {
    /// The user's choice; else the first of Q, D and C of which the beginning of the file (64 KiB) has an event.
    pub(super) fn of(setup: &Setup<'_>, has: impl Fn(Action) -> bool) -> Result<Self, String> {
        let first =
            [Action::Queued, Action::Issued, Action::Completed].into_iter().find(|a| has(*a));
        let all = setup.head.all && setup.others.iter().all(|head| head.all);
        match (setup.options.action, first) {
            (Some(asked), Some(first)) if all && !has(asked) => {
                let (asked, first) = (asked.letter(), first.letter());
                Err(format!("the trace has no {asked} events: it has {first} events, which --action {first} takes"))
            }
            (Some(action), _) => Ok(Self { action, asked: true }),
            (None, Some(action)) => Ok(Self { action, asked: false }),
            (None, None) => Err("the first 64 KiB have neither a Q (queued), a D (issued) nor a C (completed) event: \
                                 choose which to take with --action Q|D|C"
                .into()),
        }
    }

    pub(super) fn note(self) -> String {
        let why = match (self.asked, self.action) {
            (true, _) => "as requested",
            (false, Action::Queued) => "chosen: the first 64 KiB have Q events",
            (false, Action::Issued) => "chosen: the first 64 KiB have D events and no Q events",
            (false, Action::Completed) => "chosen: the first 64 KiB have neither Q nor D events",
        };
        let late = match self.action {
            Action::Completed => ": each is late by the response of its request",
            Action::Queued | Action::Issued => "",
        };
        format!("arrivals are those of {} events ({why}){late}", self.action.letter())
    }
}

/// The RWBS column of blkparse output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flags {
    pub(super) preflush: bool,
    /// `None` for an event without data.
    pub(super) op: Option<Op>,
    pub(super) fua: bool,
    /// A barrier of a kernel before 2.6.37.
    pub(super) barrier: bool,
}

/// Parses RWBS: a leading F is a preflush, then comes the operation (D, W, R, N), then F for FUA.
///
/// Further letters follow, such as E (secure erase), A (read-ahead), S (synchronous) and M (metadata). B is a barrier of a
/// kernel before 2.6.37: such a write is on the medium when it completes, as with FUA.
pub(super) fn flags(rwbs: &[u8]) -> Option<Flags> {
    let (preflush, rest) = match rwbs {
        [b'F', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (op, rest) = match rest {
        [b'D', rest @ ..] => (Some(Op::Trim), rest),
        [b'W', b'Z', rest @ ..] => (Some(Op::WriteZeroes), rest),
        [b'W', rest @ ..] => (Some(Op::Write), rest),
        [b'R', rest @ ..] => (Some(Op::Read), rest),
        [b'N', rest @ ..] => (None, rest),
        rest if preflush => (None, rest),
        _ => return None,
    };
    let barrier = rest.contains(&b'B');
    let fua = rest.first() == Some(&b'F') || (barrier && op == Some(Op::Write));
    rest.iter().all(|b| b"FEABSMPVI".contains(b)).then_some(Flags { preflush, op, fua, barrier })
}

const YEAR_NS: u64 = 365 * 86_400 * 1_000_000_000;

/// Detects time stamps that count from 1970 among those that count from the trace's start.
///
/// The kernel writes some of these when tracing is switched on or off.
#[derive(Default)]
pub(super) struct StrayTimes {
    last_ns: Option<u64>,
}

impl StrayTimes {
    /// True if `time_ns` is at least a year after the previous time.
    pub(super) fn is_stray(&mut self, time_ns: u64) -> bool {
        if self.last_ns.is_some_and(|last| time_ns.saturating_sub(last) >= YEAR_NS) {
            return true;
        }
        self.last_ns = Some(time_ns);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_f_is_a_preflush_and_the_second_fua() {
        let of = |text: &str| flags(text.as_bytes());
        let flags = |preflush, op, fua| Some(Flags { preflush, op, fua, barrier: false });
        assert_eq!(of("R"), flags(false, Some(Op::Read), false));
        assert_eq!(of("RA"), flags(false, Some(Op::Read), false));
        assert_eq!(of("WS"), flags(false, Some(Op::Write), false));
        assert_eq!(of("WFS"), flags(false, Some(Op::Write), true));
        assert_eq!(of("FWS"), flags(true, Some(Op::Write), false));
        assert_eq!(of("FWFSM"), flags(true, Some(Op::Write), true));
        assert_eq!(of("DS"), flags(false, Some(Op::Trim), false));
        assert_eq!(of("DE"), flags(false, Some(Op::Trim), false));
        assert_eq!(of("FF"), flags(true, None, true));
        assert_eq!(of("FN"), flags(true, None, false));
        assert_eq!(of("F"), flags(true, None, false));
        assert_eq!(of("N"), flags(false, None, false));
        let barrier = |op, fua| Some(Flags { preflush: false, op: Some(op), fua, barrier: true });
        assert_eq!((of("WB"), of("WBS")), (barrier(Op::Write, true), barrier(Op::Write, true)));
        assert_eq!((of("RB"), of("DB")), (barrier(Op::Read, false), barrier(Op::Trim, false)));
        assert_eq!((of(""), of("X"), of("Wx"), of("S")), (None, None, None, None));
    }

    #[test]
    fn devices_are_numbered_as_in_the_kernel() {
        assert_eq!(device(8, 16), Some(8 << 20 | 16));
        assert_eq!(name(8 << 20 | 16), "8,16");
        assert_eq!((device(4096, 0), device(0, 1 << 20)), (None, None));
    }
}
