//! A scheme below its write buffer, if it has one. The registry returns this type, so each scheme is compiled once
//! for both cases.

use super::write_buffer::WriteBuffer;
use crate::buffer::settings::BufferPlan;
use crate::dirty_pages::DirtyPages;
use crate::error::FtlError;
use crate::guarantee::Ram;
use crate::inspection::Inspection;
use crate::interface::{Background, Ftl, Prefetch};
use crate::page_task::PageTask;
use crate::plan::Plan;
use crate::refresh::RefreshStep;
use crate::scheme::Scheme;
use crate::telemetry::Telemetry;
use crate::zones::{ZoneAction, ZoneShape};
use alloc::boxed::Box;
use alloc::vec::Vec;
use flash::{DueBlock, Event, Flash, Item, Lpn, Ns, Probe};

#[cfg(test)]
mod tests;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Buffered<S> {
    scheme: S,
    /// Without a buffer each task costs one more branch, which always goes the same way.
    buffer: Option<Box<WriteBuffer>>,
    buffer_ram: u64,
}

impl<S: Background> Buffered<S> {
    /// The scheme, below the buffer of its plan if the plan has one.
    pub(crate) fn new(scheme: S, plan: &Plan) -> Self {
        let of = |plan| WriteBuffer::new(plan, scheme.logical_pages(), scheme.flash());
        let buffer = plan.buffer.as_ref().map(of).map(Box::new);
        Self { scheme, buffer, buffer_ram: plan.ram.buffer }
    }

    /// A write where there is a buffer. Not inlined, so that one without can be inlined into its caller's loop.
    #[inline(never)]
    fn write_buffered(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.check(lpn)?;
        let Some(buffer) = &mut self.buffer else { return self.scheme.write(lpn, data) };
        let hits = buffer.log().write_hits;
        buffer.write(&mut self.scheme, lpn, data)?;
        let how = if buffer.log().write_hits > hits { "hit" } else { "added" };
        self.scheme.flash_mut().event(&Event::new(
            "buffer-write",
            "LPN {lpn} is dirty in the write buffer ({how})",
            &[("lpn", Item::Lpn(lpn)), ("how", Item::Word(how))],
        ));
        Ok(())
    }

    /// A read where there is a buffer. Not inlined either.
    #[inline(never)]
    fn read_buffered(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        self.check(lpn)?;
        let Some(buffer) = &mut self.buffer else { return self.scheme.read(lpn, data) };
        let hits = buffer.log().read_hits;
        let present = buffer.read(&mut self.scheme, lpn, data)?;
        if buffer.log().read_hits > hits {
            self.scheme.flash_mut().event(&Event::new(
                "buffer-read",
                "LPN {lpn} is read from the write buffer",
                &[("lpn", Item::Lpn(lpn))],
            ));
        }
        Ok(present)
    }
}

/// Puts a write buffer above a caller's own scheme, without a change to its bounds. The schemes of
/// [`registry`](crate::registry) come with theirs.
pub fn with_buffer<S: Background + Clone + 'static>(
    scheme: S,
    plan: &BufferPlan,
) -> Box<dyn Scheme<Flash = S::Flash>>
where
    S::Flash: Clone,
{
    let buffer = WriteBuffer::new(plan, scheme.logical_pages(), scheme.flash());
    let page_bytes = scheme.flash().geometry().page_bytes();
    let buffer_ram = plan.ram_bytes(page_bytes, scheme.logical_pages());
    Box::new(Buffered { scheme, buffer: Some(Box::new(buffer)), buffer_ram })
}

impl<S: Background> Ftl for Buffered<S> {
    type Flash = S::Flash;

    #[inline]
    fn flash(&self) -> &S::Flash {
        self.scheme.flash()
    }

    #[inline]
    fn flash_mut(&mut self) -> &mut S::Flash {
        self.scheme.flash_mut()
    }

    fn into_flash(self: Box<Self>) -> S::Flash {
        Box::new(self.scheme).into_flash()
    }

    #[inline]
    fn logical_pages(&self) -> u32 {
        self.scheme.logical_pages()
    }

    #[inline]
    fn check(&self, lpn: Lpn) -> Result<(), FtlError> {
        self.scheme.check(lpn)
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        match self.buffer {
            None => self.scheme.write(lpn, data),
            Some(_) => self.write_buffered(lpn, data),
        }
    }

    #[inline(always)]
    fn plain_writes(&self) -> usize {
        if self.buffer.is_none() { self.scheme.plain_writes() } else { 0 }
    }

    #[inline(always)]
    fn write_plain(&mut self, work: &[PageTask], ahead: &[PageTask]) -> usize {
        self.scheme.write_plain(work, ahead)
    }

    #[inline]
    fn write_below(
        &mut self,
        lpn: Lpn,
        data: Option<&[u8]>,
        above: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        match self.buffer {
            None => self.scheme.write_below(lpn, data, above),
            Some(_) => self.write(lpn, data),
        }
    }

    #[inline]
    fn write_through(&mut self, lpn: Lpn, data: Option<&[u8]>) -> Result<(), FtlError> {
        self.check(lpn)?;
        match &mut self.buffer {
            None => self.scheme.write_through(lpn, data),
            Some(buffer) => buffer.write_through(&mut self.scheme, lpn, data),
        }
    }

    fn is_present(&mut self, lpn: Lpn) -> Result<bool, FtlError> {
        match &self.buffer {
            Some(buffer) if buffer.holds(lpn) => Ok(true),
            _ => self.scheme.is_present(lpn),
        }
    }

    #[inline]
    fn name_stream(&mut self, stream: u8) {
        match &mut self.buffer {
            None => self.scheme.name_stream(stream),
            Some(buffer) => buffer.name_stream(stream),
        }
    }

    #[inline(always)]
    fn read(&mut self, lpn: Lpn, data: Option<&mut [u8]>) -> Result<bool, FtlError> {
        match self.buffer {
            None => self.scheme.read(lpn, data),
            Some(_) => self.read_buffered(lpn, data),
        }
    }

    #[inline]
    fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        if let Some(buffer) = &mut self.buffer
            && lpn.0 < self.scheme.logical_pages()
        {
            buffer.trim(lpn);
        }
        self.scheme.trim(lpn)
    }

    fn zones(&self) -> Option<ZoneShape> {
        self.scheme.zones()
    }

    fn append(&mut self, place: Lpn, data: Option<&[u8]>) -> Result<Lpn, FtlError> {
        self.scheme.append(place, data)
    }

    fn manage(&mut self, zone: Lpn, action: ZoneAction) -> Result<(), FtlError> {
        self.scheme.manage(zone, action)
    }

    #[inline(always)]
    fn end_command(&mut self) {
        self.scheme.end_command();
    }

    fn flush(&mut self) -> Result<(), FtlError> {
        if let Some(buffer) = &mut self.buffer {
            buffer.flush(&mut self.scheme)?;
        }
        self.scheme.flush()
    }

    fn shutdown(&mut self) -> Result<(), FtlError> {
        if let Some(buffer) = &mut self.buffer {
            buffer.flush(&mut self.scheme)?;
        }
        self.scheme.shutdown()
    }

    #[inline]
    fn free_pages(&self) -> u64 {
        self.scheme.free_pages()
    }

    fn telemetry(&self) -> Telemetry<'_> {
        let below = self.scheme.telemetry();
        let Some(buffer) = &self.buffer else { return below };
        Telemetry {
            heap_bytes: below.heap_bytes + buffer.heap_bytes(),
            buffer: Some((buffer.plan(), buffer.log())),
            ram: Ram { buffer: self.buffer_ram, ..below.ram },
            ..below
        }
    }

    fn restart_telemetry(&mut self) {
        if let Some(buffer) = &mut self.buffer {
            buffer.restart_log();
        }
        self.scheme.restart_telemetry();
    }

    fn state(&self) -> Option<Vec<u32>> {
        if self.buffer.is_some() { None } else { self.scheme.state() }
    }

    fn inspect(&self) -> Inspection {
        let mut state = self.scheme.inspect();
        if let Some(buffer) = &self.buffer {
            buffer.inspect(&mut state);
        }
        state
    }

    #[inline(always)]
    fn prefetch(&self, lpn: Lpn, what: Prefetch) {
        match (&self.buffer, what) {
            (None, _) => self.scheme.prefetch(lpn, what),
            (Some(buffer), Prefetch::Map) if lpn.0 < self.scheme.logical_pages() => {
                buffer.prefetch(lpn);
            }
            (Some(_), _) => {}
        }
    }
}

impl<S: Background> Background for Buffered<S> {
    fn idle(&mut self) -> Result<bool, FtlError> {
        self.scheme.idle()
    }

    fn idle_ns(&self) -> Ns {
        self.scheme.idle_ns()
    }

    fn idles_on(&self) -> bool {
        self.scheme.idles_on()
    }

    fn refresh(&mut self, due: DueBlock) -> Result<RefreshStep, FtlError> {
        self.scheme.refresh(due)
    }

    fn refresh_ns(&self) -> Ns {
        self.scheme.refresh_ns()
    }

    #[inline]
    fn due_ns(&self) -> Ns {
        let due_ns = self.buffer.as_ref().map_or(Ns::MAX, |buffer| buffer.due_ns());
        due_ns.min(self.scheme.due_ns())
    }

    #[inline]
    fn advance(&mut self, now_ns: Ns) -> Result<(), FtlError> {
        if let Some(buffer) = &mut self.buffer {
            buffer.advance(&mut self.scheme, now_ns)?;
        }
        self.scheme.advance(now_ns)
    }

    #[inline]
    fn ram_ns(&self) -> Ns {
        self.buffer.as_ref().map_or(0, |buffer| buffer.ram_ns()) + self.scheme.ram_ns()
    }
}
