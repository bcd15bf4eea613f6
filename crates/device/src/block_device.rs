//! Byte ranges on the pages of a scheme, one request at a time, with an account of what it cost.

use crate::below::Below;
use crate::image::ImageArray;
use crate::nbd::{Command, Job, NbdError, Reply};
use crate::summary::{Account, Kind, Summary};
use flash::{AnyArray, Flash, FlashError, Lpn, Probe};
use ftl::{FtlError, Scheme};
use std::time::{Duration, Instant};

/// When a reply is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Latency {
    /// As soon as the request is done.
    None,
    /// When the modelled part would have done it, times this many thousandths.
    Scaled(u64),
}

/// A scheme on an array, as a device of bytes.
pub struct BlockDevice<I: Below> {
    scheme: Box<dyn Scheme<Flash = AnyArray>>,
    page: Vec<u8>,
    latency: Latency,
    started: Instant,
    /// When the modelled part has done all requests so far.
    free_at: Instant,
    account: Account,
    below: std::marker::PhantomData<I>,
}

/// A failed request.
struct Failed(FtlError);

impl From<FtlError> for Failed {
    fn from(error: FtlError) -> Self {
        Self(error)
    }
}

impl<I: Below> BlockDevice<I> {
    /// A device on a scheme whose array is an [`ImageArray`] of `I`.
    pub fn new(mut scheme: Box<dyn Scheme<Flash = AnyArray>>, latency: Latency) -> Self {
        scheme.restart_telemetry();
        let page = vec![0; scheme.flash().geometry().page_bytes() as usize];
        let account = Account::new(&scheme.telemetry().guarantee);
        let now = Instant::now();
        let mut device = Self {
            scheme,
            page,
            latency,
            started: now,
            free_at: now,
            account,
            below: std::marker::PhantomData,
        };
        let counts = *device.array().serial().counts();
        let busy_ns = device.scheme.flash().worked().busy_ns;
        device.account.start(counts, busy_ns);
        if device.array().image().repeats_operations() {
            device.account.drop_bounds();
        }
        device
    }

    fn array(&mut self) -> &mut ImageArray<I> {
        let array = self.scheme.flash_mut().downcast_mut();
        array.expect("the device was made for this array")
    }

    /// Bytes of the device.
    pub fn bytes(&self) -> u64 {
        u64::from(self.scheme.logical_pages()) * self.page_bytes()
    }

    /// Bytes per page.
    pub fn page_bytes(&self) -> u64 {
        self.page.len() as u64
    }

    /// The scheme.
    pub fn scheme(&self) -> &dyn Scheme<Flash = AnyArray> {
        &*self.scheme
    }

    /// Does a request and sends its reply. Returns what exceeded a bound, if anything did.
    ///
    /// # Errors
    /// The array went off: no request can be done any more. The client has its reply.
    pub fn serve(&mut self, job: Job) -> Result<Option<String>, String> {
        let Job { command, offset, length, data, arrived, reply, .. } = job;
        let before_ns = self.busy_ns();
        let done = self.advance().and_then(|()| self.run(command, offset, length, &data));
        let took_ns = self.busy_ns() - before_ns;
        let due = self.due(arrived, took_ns);
        self.account.request(command, length, done.is_ok(), took_ns);
        let fatal = match done {
            Ok(answer) => {
                reply.send(answer, due);
                None
            }
            Err(Failed(error)) => {
                let off = matches!(error, FtlError::Flash(FlashError::PowerOff));
                let failure = self.array().image().failure().unwrap_or_else(|| error.to_string());
                reply.send(Reply::Failed(number(&error), failure.clone()), due);
                off.then_some(failure)
            }
        };
        fatal.map_or(Ok(self.account.take_violation()), Err)
    }

    /// Runs background work that is due, and tells when there is more.
    ///
    /// # Errors
    /// As [`BlockDevice::serve`].
    pub fn rest(&mut self) -> Result<Option<Duration>, String> {
        let before_ns = self.busy_ns();
        let done = self.advance();
        let took_ns = self.busy_ns() - before_ns;
        if took_ns > 0 {
            // The next request waits for it.
            self.due(Instant::now(), took_ns);
        }
        done.map_err(|Failed(error)| {
            self.array().image().failure().unwrap_or_else(|| error.to_string())
        })?;
        let due_ns = self.scheme.due_ns();
        let wait = due_ns.saturating_sub(self.now_ns());
        Ok((due_ns != u64::MAX).then(|| Duration::from_nanos(wait)))
    }

    fn now_ns(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    fn advance(&mut self) -> Result<(), Failed> {
        let now_ns = self.now_ns();
        // Data age by it, where bit errors grow with age.
        self.scheme.flash_mut().set_now_ns(now_ns);
        while self.scheme.due_ns() <= now_ns {
            self.scheme.advance(now_ns)?;
        }
        Ok(())
    }

    fn busy_ns(&self) -> u64 {
        self.scheme.flash().worked().busy_ns + self.scheme.ram_ns()
    }

    /// When the modelled part, which does one request after the other, has done this one.
    fn due(&mut self, arrived: Instant, took_ns: u64) -> Option<Instant> {
        let Latency::Scaled(thousandths) = self.latency else { return None };
        let took_ns = u128::from(took_ns) * u128::from(thousandths) / 1000;
        let took = Duration::from_nanos(u64::try_from(took_ns).unwrap_or(u64::MAX));
        self.free_at = self.free_at.max(arrived) + took;
        Some(self.free_at)
    }

    fn run(
        &mut self,
        command: Command,
        offset: u64,
        length: u32,
        data: &[u8],
    ) -> Result<Reply, Failed> {
        match command {
            Command::Read => self.read(offset, length),
            Command::Write { fua } => self.write(offset, length, Some(data), fua),
            Command::Zeroes { fua } => self.write(offset, length, None, fua),
            Command::Flush => self.flush(),
            Command::Trim { fua } => self.trim(offset, length, fua),
            Command::Status { one } => self.status(offset, length, one),
        }
    }

    /// Runs one page task and adds it to the account.
    fn task<T>(
        &mut self,
        (kind, forced): (Kind, bool),
        lpn: Lpn,
        run: impl FnOnce(&mut dyn Scheme<Flash = AnyArray>, &mut Vec<u8>) -> Result<T, FtlError>,
    ) -> Result<T, Failed> {
        let (worked, ram_ns) = (self.scheme.flash().worked(), self.scheme.ram_ns());
        let done = run(&mut *self.scheme, &mut self.page)?;
        let now = self.scheme.flash().worked();
        let step_ns = now.steps_ns - worked.steps_ns;
        let busy_ns = now.busy_ns - worked.busy_ns + self.scheme.ram_ns() - ram_ns;
        self.account.task(kind, lpn, [busy_ns - step_ns, step_ns], forced);
        Ok(done)
    }

    /// Pages of a range of bytes, each with the range of bytes within it.
    fn pages(
        &self,
        offset: u64,
        length: u32,
    ) -> impl Iterator<Item = (Lpn, std::ops::Range<usize>)> + use<I> {
        let (page_bytes, end) = (self.page_bytes(), offset + u64::from(length));
        let pages = offset / page_bytes..end.div_ceil(page_bytes);
        pages.map(move |page| {
            let first = offset.max(page * page_bytes) - page * page_bytes;
            let last = end.min((page + 1) * page_bytes) - page * page_bytes;
            (Lpn(page as u32), first as usize..last as usize)
        })
    }

    fn read(&mut self, offset: u64, length: u32) -> Result<Reply, Failed> {
        let mut bytes = Vec::with_capacity(length as usize);
        for (lpn, part) in self.pages(offset, length) {
            self.task((Kind::Read, false), lpn, |scheme, page| scheme.read(lpn, Some(page)))?;
            bytes.extend_from_slice(&self.page[part]);
        }
        Ok(Reply::Bytes(bytes))
    }

    /// Writes these bytes, or zeros. A page of which the range is a part is read first: its other bytes stay.
    fn write(
        &mut self,
        offset: u64,
        length: u32,
        data: Option<&[u8]>,
        fua: bool,
    ) -> Result<Reply, Failed> {
        let mut from = 0;
        for (lpn, part) in self.pages(offset, length) {
            if part.len() < self.page.len() {
                self.account.partial_pages += 1;
                self.task((Kind::Read, false), lpn, |scheme, page| scheme.read(lpn, Some(page)))?;
            }
            let to = from + part.len();
            match data {
                Some(data) => self.page[part].copy_from_slice(&data[from..to]),
                None => self.page[part].fill(0),
            }
            from = to;
            self.task((Kind::Write, fua), lpn, |scheme, page| match fua {
                true => scheme.write_through(lpn, Some(page)),
                false => scheme.write(lpn, Some(page)),
            })?;
        }
        if fua {
            self.array().image_mut().sync().map_err(FtlError::from)?;
        }
        Ok(Reply::Done)
    }

    fn flush(&mut self) -> Result<Reply, Failed> {
        self.scheme.flush()?;
        self.array().image_mut().sync().map_err(FtlError::from)?;
        Ok(Reply::Done)
    }

    /// Trims the whole pages of a range. The other bytes stay: a trim is a hint.
    fn trim(&mut self, offset: u64, length: u32, fua: bool) -> Result<Reply, Failed> {
        let whole = self.page.len();
        for (lpn, part) in self.pages(offset, length).filter(|(_, part)| part.len() == whole) {
            debug_assert_eq!(part, 0..whole);
            self.task((Kind::Trim, false), lpn, |scheme, _| scheme.trim(lpn))?;
        }
        if fua { self.flush() } else { Ok(Reply::Done) }
    }

    /// Extents of allocated and unallocated pages. A long range is answered in part; the client asks again.
    fn status(&mut self, offset: u64, length: u32, one: bool) -> Result<Reply, Failed> {
        const PAGES: usize = 1024;
        const HOLE_AND_ZERO: u32 = 3;
        let mut extents: Vec<(u32, u32)> = Vec::new();
        for (lpn, part) in self.pages(offset, length).take(PAGES) {
            let present =
                self.task((Kind::Read, false), lpn, |scheme, _| scheme.read(lpn, None))?;
            let (bytes, flags) = (part.len() as u32, if present { 0 } else { HOLE_AND_ZERO });
            match extents.last_mut() {
                Some((length, last)) if *last == flags => *length += bytes,
                Some(_) if one => break,
                _ => extents.push((bytes, flags)),
            }
        }
        Ok(Reply::Extents(extents))
    }

    /// Shuts the scheme and its array down. Returns the account.
    ///
    /// # Errors
    /// The array is off.
    pub fn shut_down(mut self) -> Result<Summary, String> {
        let done = self
            .scheme
            .shutdown()
            .and_then(|()| self.array().image_mut().shut_down().map_err(FtlError::from));
        let failure = done
            .err()
            .map(|error| self.array().image().failure().unwrap_or_else(|| error.to_string()));
        match failure {
            Some(failure) => Err(failure),
            None => Ok(self.summary()),
        }
    }

    /// The account so far.
    pub fn summary(&mut self) -> Summary {
        let counts = *self.array().serial().counts();
        let faults = self.array().image().faults();
        self.account.summary(&*self.scheme, &counts, faults, self.now_ns())
    }
}

fn number(error: &FtlError) -> NbdError {
    match error {
        FtlError::Full { .. } => NbdError::NoSpace,
        FtlError::BeyondDevice { .. } => NbdError::Invalid,
        _ => NbdError::Io,
    }
}
