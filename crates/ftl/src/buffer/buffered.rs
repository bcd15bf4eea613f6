//! A scheme below its write buffer, if it has one: what every visitor of the registry is given, so that each
//! scheme is compiled once, with and without.

use super::{log::BufferLog, settings::BufferPlan, write_buffer::WriteBuffer};
use crate::{
    CollectionLog, DirtyPages, FtlError, Guarantee, MapCache, Plan, Prefetch, Ram, Scheme,
    VictimWork, registry::Visitor,
};
use alloc::boxed::Box;
use flash::{Flash, Lpn, Ns};

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Buffered<S> {
    scheme: S,
    /// Without one, each task costs one more branch, which is always taken the same way.
    buffer: Option<Box<WriteBuffer>>,
    buffer_ram: u64,
}

/// Puts the buffer of a plan above what it is given.
pub(crate) struct WithBuffer<V> {
    plan: Option<BufferPlan>,
    buffer_ram: u64,
    visitor: V,
}

impl<V> WithBuffer<V> {
    pub(crate) fn new(plan: &Plan, visitor: V) -> Self {
        Self { plan: plan.buffer, buffer_ram: plan.ram.buffer, visitor }
    }
}

impl<F: Flash, V: Visitor<F>> Visitor<F> for WithBuffer<V> {
    type Output = V::Output;

    fn visit<S: Scheme<Flash = F> + Clone>(self, scheme: S) -> V::Output {
        let Self { plan, buffer_ram, visitor } = self;
        let of = |plan| WriteBuffer::new(&plan, scheme.logical_pages(), scheme.flash());
        let buffer = plan.map(of).map(Box::new);
        visitor.visit(Buffered { scheme, buffer, buffer_ram })
    }
}

/// Puts a write buffer above a scheme of one's own, whatever it promises: see
/// [`registry`](crate::registry) for the schemes that there are, which come with theirs.
pub fn with_buffer<S: Scheme>(scheme: S, plan: &BufferPlan) -> impl Scheme<Flash = S::Flash> {
    let buffer = WriteBuffer::new(plan, scheme.logical_pages(), scheme.flash());
    let page_bytes = scheme.flash().geometry().page_bytes();
    let buffer_ram = plan.ram_bytes(page_bytes, scheme.logical_pages());
    Buffered { scheme, buffer: Some(Box::new(buffer)), buffer_ram }
}

impl<S: Scheme> Scheme for Buffered<S> {
    type Flash = S::Flash;

    const TELLS_MOVES: bool = S::TELLS_MOVES;
    const YIELDS: bool = S::YIELDS;

    #[inline]
    fn flash(&self) -> &S::Flash {
        self.scheme.flash()
    }

    #[inline]
    fn flash_mut(&mut self) -> &mut S::Flash {
        self.scheme.flash_mut()
    }

    fn into_flash(self) -> S::Flash {
        self.scheme.into_flash()
    }

    #[inline]
    fn logical_pages(&self) -> u32 {
        self.scheme.logical_pages()
    }

    #[inline]
    fn write(&mut self, lpn: Lpn, data: &[u8]) -> Result<(), FtlError> {
        if self.buffer.is_none() {
            return self.scheme.write(lpn, data);
        }
        self.check(lpn)?;
        match &mut self.buffer {
            None => Ok(()),
            Some(buffer) => buffer.write(&mut self.scheme, lpn, data),
        }
    }

    #[inline]
    fn write_below<B: DirtyPages>(
        &mut self,
        lpn: Lpn,
        data: &[u8],
        above: &mut B,
    ) -> Result<(), FtlError> {
        match self.buffer {
            None => self.scheme.write_below(lpn, data, above),
            Some(_) => self.write(lpn, data),
        }
    }

    #[inline]
    fn write_through(&mut self, lpn: Lpn, data: &[u8]) -> Result<(), FtlError> {
        self.check(lpn)?;
        match &mut self.buffer {
            None => self.scheme.write_through(lpn, data),
            Some(buffer) => buffer.write_through(&mut self.scheme, lpn, data),
        }
    }

    #[inline]
    fn read(&mut self, lpn: Lpn, data: &mut [u8]) -> Result<bool, FtlError> {
        if self.buffer.is_none() {
            return self.scheme.read(lpn, data);
        }
        self.check(lpn)?;
        match &mut self.buffer {
            None => Ok(false),
            Some(buffer) => buffer.read(&mut self.scheme, lpn, data),
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

    fn idle(&mut self) -> Result<bool, FtlError> {
        self.scheme.idle()
    }

    fn idle_ns(&self) -> Ns {
        self.scheme.idle_ns()
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

    #[inline]
    fn free_pages(&self) -> u64 {
        self.scheme.free_pages()
    }

    fn guarantee(&self) -> Guarantee {
        self.scheme.guarantee()
    }

    fn ram(&self) -> Ram {
        Ram { buffer: self.buffer_ram, ..self.scheme.ram() }
    }

    fn heap_bytes(&self) -> usize {
        let buffer = self.buffer.as_ref().map_or(0, |buffer| buffer.heap_bytes());
        self.scheme.heap_bytes() + buffer
    }

    fn write_queue_pages(&self) -> Option<u64> {
        self.scheme.write_queue_pages()
    }

    fn victim_work(&self) -> Option<VictimWork> {
        self.scheme.victim_work()
    }

    fn map_cache(&self) -> Option<MapCache> {
        self.scheme.map_cache()
    }

    fn buffer_plan(&self) -> Option<&BufferPlan> {
        self.buffer.as_ref().map(|buffer| buffer.plan())
    }

    fn buffer_log(&self) -> Option<&BufferLog> {
        self.buffer.as_ref().map(|buffer| buffer.log())
    }

    fn collections(&self) -> &CollectionLog {
        self.scheme.collections()
    }

    fn restart_collections(&mut self) {
        if let Some(buffer) = &mut self.buffer {
            buffer.restart_log();
        }
        self.scheme.restart_collections();
    }

    #[inline]
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
