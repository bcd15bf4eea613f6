//! Tests that without a buffer every call reaches the scheme unchanged.

use super::Buffered;
use crate::dirty_pages::{DirtyPages, Probability};
use crate::error::FtlError;
use crate::guarantee::{Guarantee, Ram};
use crate::inspection::{Inspection, Place};
use crate::interface::{Background, Ftl, Prefetch};
use crate::page_task::{PageTask, TaskKind};
use crate::refresh::{RefreshStep, Refreshed};
use crate::scheme::Scheme;
use crate::telemetry::{CollectionLog, Telemetry};
use crate::zones::{ZoneAction, ZoneShape};
use alloc::collections::BTreeSet;
use alloc::rc::Rc;
use alloc::{boxed::Box, format, string::String, vec::Vec};
use core::cell::RefCell;
use core::fmt::Debug;
use flash::{
    Array, BlockId, Cause, DueBlock, Flash, Geometry, Lpn, Ns, Store, parts::EVALUATION_SLC,
};

/// A scheme that records each call and returns unusual values. It overrides every default method.
#[derive(Clone, Debug)]
struct Recorder {
    array: Array,
    log: CollectionLog,
    calls: Rc<RefCell<Vec<String>>>,
}

impl Recorder {
    fn new() -> Self {
        let geometry = Geometry::new(3, 5, 16).unwrap();
        let array = Array::new(geometry, EVALUATION_SLC.clone(), Store::Metadata);
        Self { array, log: CollectionLog::new(6, 7), calls: Rc::default() }
    }

    fn note(&self, method: &str, arguments: impl Debug) {
        self.calls.borrow_mut().push(format!("{method} {arguments:?}"));
    }
}

impl Ftl for Recorder {
    type Flash = Array;

    fn flash(&self) -> &Array {
        self.note("flash", ());
        &self.array
    }

    fn flash_mut(&mut self) -> &mut Array {
        self.note("flash_mut", ());
        &mut self.array
    }

    fn into_flash(self: Box<Self>) -> Array {
        self.note("into_flash", ());
        self.array
    }

    fn logical_pages(&self) -> u32 {
        self.note("logical_pages", ());
        50
    }

    fn check(&self, lpn: Lpn) -> Result<(), FtlError> {
        self.note("check", lpn);
        if lpn.0 < 8 { Ok(()) } else { Err(FtlError::BeyondDevice { lpn, logical_pages: 8 }) }
    }

    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.note("write", (lpn, data));
        Ok(())
    }

    fn plain_writes(&self) -> usize {
        self.note("plain_writes", ());
        3
    }

    fn write_plain(&mut self, work: &[PageTask], ahead: &[PageTask]) -> usize {
        self.note("write_plain", (work, ahead));
        2
    }

    fn write_below(
        &mut self,
        lpn: Lpn,
        data: Option<&[u8]>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        self.note("write_below", (lpn, data, buffer.newest(lpn)));
        Ok(())
    }

    fn write_through(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.note("write_through", (lpn, data));
        Ok(())
    }

    fn name_stream(&mut self, stream: u8) {
        self.note("name_stream", stream);
    }

    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        self.note("read", (lpn, &data));
        data.unwrap().fill(9);
        Ok(true)
    }

    fn is_present(&mut self, lpn: Lpn) -> Result<bool, FtlError> {
        self.note("is_present", lpn);
        Ok(true)
    }

    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.note("trim", lpn);
        Ok(())
    }

    fn zones(&self) -> Option<ZoneShape> {
        self.note("zones", ());
        Some(ZoneShape { zones: 2, pages: 4 })
    }

    fn append(&mut self, place: Lpn, data: Option<&[u8]>) -> Result<Lpn, FtlError> {
        self.note("append", (place, data));
        Ok(Lpn(17))
    }

    fn manage(&mut self, zone: Lpn, action: ZoneAction) -> Result<(), FtlError> {
        self.note("manage", (zone, action));
        Ok(())
    }

    fn end_command(&mut self) {
        self.note("end_command", ());
    }

    fn flush(&mut self) -> Result<(), FtlError> {
        self.note("flush", ());
        Ok(())
    }

    fn shutdown(&mut self) -> Result<(), FtlError> {
        self.note("shutdown", ());
        Ok(())
    }

    fn free_pages(&self) -> u64 {
        self.note("free_pages", ());
        10
    }

    fn telemetry(&self) -> Telemetry<'_> {
        self.note("telemetry", ());
        let ram = Ram { map: 1, buffer: 2, ..Ram::default() };
        Telemetry { heap_bytes: 11, ..Telemetry::new(Guarantee::default(), ram, &self.log) }
    }

    fn restart_telemetry(&mut self) {
        self.note("restart_telemetry", ());
    }

    fn state(&self) -> Option<Vec<u32>> {
        self.note("state", ());
        Some(alloc::vec![7])
    }

    fn inspect(&self) -> Inspection {
        self.note("inspect", ());
        let map = alloc::vec![Place::Lost];
        Inspection { map, ..Inspection::default() }
    }

    fn prefetch(&self, lpn: Lpn, what: Prefetch) {
        self.note("prefetch", (lpn, what));
    }
}

impl Background for Recorder {
    fn idle(&mut self) -> Result<bool, FtlError> {
        self.note("idle", ());
        Ok(true)
    }

    fn idles_on(&self) -> bool {
        self.note("idles_on", ());
        true
    }

    fn idle_ns(&self) -> Ns {
        self.note("idle_ns", ());
        12
    }

    fn due_ns(&self) -> Ns {
        self.note("due_ns", ());
        13
    }

    fn advance(&mut self, now_ns: Ns) -> Result<(), FtlError> {
        self.note("advance", now_ns);
        Ok(())
    }

    fn refresh(&mut self, due: DueBlock) -> Result<RefreshStep, FtlError> {
        self.note("refresh", due);
        Ok(RefreshStep { did: Refreshed::Later, collected: true })
    }

    fn refresh_ns(&self) -> Ns {
        self.note("refresh_ns", ());
        16
    }

    fn ram_ns(&self) -> Ns {
        self.note("ram_ns", ());
        14
    }
}

/// A buffer in which each page is dirty, with one byte.
struct AllDirty;

impl DirtyPages for AllDirty {
    fn newest(&self, _lpn: Lpn) -> Option<Option<&[u8]>> {
        Some(Some(&[15]))
    }

    fn written(&mut self, _lpn: Lpn) {}

    fn moved(&mut self, _lpns: &[Lpn]) {}

    fn update_probability(&self, _lpn: Lpn) -> Probability {
        Probability::NEVER
    }
}

type Ask = fn(Box<dyn Scheme<Flash = Array>>) -> String;

/// Each method once.
const ASKS: [(&str, Ask); 34] = [
    ("flash", |scheme| text(scheme.flash().geometry())),
    ("flash_mut", |mut scheme| text(scheme.flash_mut().geometry())),
    ("into_flash", |scheme| text(scheme.into_flash().geometry())),
    ("logical_pages", |scheme| text(scheme.logical_pages())),
    ("check", |scheme| text(scheme.check(Lpn(8)))),
    ("write", |mut scheme| text(scheme.write(Lpn(1), Some(&[1])))),
    ("plain_writes", |scheme| text(scheme.plain_writes())),
    ("write_plain", |mut scheme| {
        let work = [1, 2, 3].map(|lpn| PageTask::page(TaskKind::Write, lpn));
        text(scheme.write_plain(&work[..2], &work))
    }),
    ("write_below", |mut scheme| text(scheme.write_below(Lpn(2), Some(&[2]), &mut AllDirty))),
    ("write_through", |mut scheme| text(scheme.write_through(Lpn(3), Some(&[3])))),
    ("name_stream", |mut scheme| {
        scheme.name_stream(8);
        String::new()
    }),
    ("read", |mut scheme| {
        let mut data = [4];
        text((scheme.read(Lpn(4), Some(&mut data)), data))
    }),
    ("is_present", |mut scheme| text(scheme.is_present(Lpn(4)))),
    ("trim", |mut scheme| text(scheme.trim(Lpn(5)))),
    ("flush", |mut scheme| text(scheme.flush())),
    ("shutdown", |mut scheme| text(scheme.shutdown())),
    ("free_pages", |scheme| text(scheme.free_pages())),
    ("telemetry", |scheme| text(scheme.telemetry())),
    ("restart_telemetry", |mut scheme| {
        scheme.restart_telemetry();
        String::new()
    }),
    ("state", |scheme| text(scheme.state())),
    ("inspect", |scheme| text(scheme.inspect())),
    ("prefetch", |scheme| {
        scheme.prefetch(Lpn(6), Prefetch::Block);
        String::new()
    }),
    ("idle", |mut scheme| text(scheme.idle())),
    ("idles_on", |scheme| text(scheme.idles_on())),
    ("idle_ns", |scheme| text(scheme.idle_ns())),
    ("due_ns", |scheme| text(scheme.due_ns())),
    ("advance", |mut scheme| text(scheme.advance(7))),
    ("refresh", |mut scheme| {
        text(scheme.refresh(DueBlock { block: BlockId(2), cause: Cause::ReadReclaim }))
    }),
    ("refresh_ns", |scheme| text(scheme.refresh_ns())),
    ("ram_ns", |scheme| text(scheme.ram_ns())),
    ("zones", |scheme| text(scheme.zones())),
    ("append", |mut scheme| text(scheme.append(Lpn(9), Some(&[9])))),
    ("manage", |mut scheme| text(scheme.manage(Lpn(10), ZoneAction::Finish))),
    ("end_command", |mut scheme| {
        scheme.end_command();
        String::new()
    }),
];

fn text(answer: impl Debug) -> String {
    format!("{answer:?}")
}

fn method_of(call: &str) -> &str {
    call.split(' ').next().unwrap()
}

/// Returned values and recorded calls, without calls that only ask for the scheme's size.
fn ask(
    scheme: Box<dyn Scheme<Flash = Array>>,
    of: &Recorder,
    (method, ask): (&str, Ask),
) -> String {
    of.calls.borrow_mut().clear();
    let answer = ask(scheme);
    let mut below = of.calls.borrow().clone();
    below.retain(|call| {
        let called = method_of(call);
        called == method || !["check", "logical_pages"].contains(&called)
    });
    format!("{answer} from {below:?}")
}

fn methods<'s>(source: &'s str, name: &str) -> BTreeSet<&'s str> {
    let body = &source[source.find(&format!("pub trait {name}")).unwrap()..];
    let body = &body[..body.find("\n}\n").unwrap()];
    let methods = body.lines().filter_map(|line| line.strip_prefix("    fn "));
    methods.map(|line| &line[..line.find('(').unwrap()]).collect()
}

#[test]
fn without_a_buffer_each_call_reaches_the_scheme() {
    let recorder = Recorder::new();
    let mut asked = BTreeSet::new();
    for (method, call) in ASKS {
        let expected = ask(Box::new(recorder.clone()), &recorder, (method, call));
        let calls = recorder.calls.borrow().clone();
        asked.extend(calls.iter().map(|call| String::from(method_of(call))));
        let scheme = Buffered { scheme: recorder.clone(), buffer: None, buffer_ram: 99 };
        assert_eq!(ask(Box::new(scheme), &recorder, (method, call)), expected);
    }
    let source = include_str!("../../interface.rs");
    let methods = &methods(source, "Ftl") | &methods(source, "Background");
    assert_eq!(asked.iter().map(|name| &**name).collect::<BTreeSet<_>>(), methods);
}
