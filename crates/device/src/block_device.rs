//! Byte ranges on the pages of a scheme, with an account of what they cost.

use crate::image::ImageArray;
use crate::nbd::{Command, Job, NbdError, Reply, ReplyTo};
use crate::outstanding::{Outstanding, Waiting, Work};
use crate::summary::{Account, Kind, ModelClock, Summary};
use flash::parallel::Done;
use flash::{Flash, FlashError, Lpn, Ns, Ppn, Probe};
use ftl::{AnyScheme, FtlError};
use std::collections::VecDeque;
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
///
/// On a serial clock requests are done one after the other. On channels ([`ImageArray::on_channels`]) the page
/// tasks of all outstanding requests overlap; the data of a request are read or written at once, in the order in which requests
/// come, and its reply waits for its modelled time.
pub struct BlockDevice {
    scheme: Box<AnyScheme>,
    page: Vec<u8>,
    latency: Latency,
    started: Instant,
    /// When the modelled part has done all requests so far, on a serial clock.
    free_at: Instant,
    /// Replies that wait for their time, on a serial clock; the first is due first.
    held: VecDeque<(Instant, ReplyTo, Reply)>,
    /// When those were last looked for that nobody waits for any more.
    held_looked: Instant,
    /// What sending one of them takes: it begins so much before.
    sending: Duration,
    account: Account,
    /// Requests on channels; `None` on a serial clock, and where no time is modelled.
    outstanding: Option<Outstanding>,
    /// The request whose tasks begin on channels: its slot, and when it arrived.
    current: (u32, Ns),
    /// Since when the device has had nothing to do.
    quiet_since: Instant,
    /// True if the last background work failed, and what is to be told of it.
    rest_failed: bool,
    retry_at: Option<Instant>,
    note: Option<String>,
    /// What was told of it last: the same is not told again and again.
    noted: Option<String>,
    /// Why the first request that failed did.
    first_failure: Option<String>,
    /// True if a request or background work found no free page.
    is_full: bool,
}

/// How long background work that failed is left alone.
const RETRY: Duration = Duration::from_millis(20);

/// Operations that wait on channels at most; beyond that requests wait to be taken.
const MOST_OPERATIONS: usize = 1 << 16;

/// A failed request.
struct Failed(FtlError);

impl From<FtlError> for Failed {
    fn from(error: FtlError) -> Self {
        Self(error)
    }
}

impl BlockDevice {
    /// A device on a scheme whose array is an [`ImageArray`].
    pub fn new(mut scheme: Box<AnyScheme>, latency: Latency) -> Self {
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
            held: VecDeque::new(),
            held_looked: now,
            sending: Duration::ZERO,
            account,
            outstanding: None,
            current: (0, 0),
            quiet_since: now,
            rest_failed: false,
            retry_at: None,
            note: None,
            noted: None,
            first_failure: None,
            is_full: false,
        };
        let counts = *device.array().counts();
        let busy_ns = device.scheme.flash().worked().busy_ns;
        device.account.start(counts, busy_ns);
        let overlap = match device.array().channels() {
            Some(channels) => {
                channels.set_timed(latency != Latency::None);
                true
            }
            None => false,
        };
        if overlap && latency != Latency::None {
            device.outstanding = Some(Outstanding::new());
        }
        if overlap || device.array().image().repeats_operations() {
            device.account.drop_bounds();
        }
        device
    }

    fn array(&mut self) -> &mut ImageArray {
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

    /// True if zeros deallocate the pages that they cover, where the client allows it. A device that is mounted again programs them:
    /// zeros must stay zeros, and a trim leaves no mark on flash.
    pub fn deallocates(&self) -> bool {
        let array = self.scheme.flash().downcast_ref::<ImageArray>();
        array.is_some_and(|array| array.image().keeps_trims())
    }

    /// The scheme.
    pub fn scheme(&self) -> &AnyScheme {
        &*self.scheme
    }

    /// Does a request and sends its reply, at once or when its time has come ([`BlockDevice::rest`]). Returns what exceeded a
    /// bound, if anything did.
    ///
    /// # Errors
    /// The array went off: no request can be done any more. The client has its reply.
    pub fn serve(&mut self, job: Job) -> Result<Option<String>, String> {
        let Job { command, offset, length, data, stream, arrived, reply, .. } = job;
        let before_ns = self.busy_ns();
        self.end_due();
        if self.outstanding.is_some() {
            let slot = self.outstanding.as_mut().map_or(0, Outstanding::enter);
            self.current = (slot, self.model_ns(arrived));
        }
        let background = match self.advance() {
            // Reads need nothing of work that cannot be done.
            Err(Failed(error))
                if matches!(command, Command::Read | Command::Status { .. })
                    && !matches!(error, FtlError::Flash(FlashError::PowerOff)) =>
            {
                Ok(())
            }
            done => done,
        };
        self.scheme.name_stream(stream);
        let done = background.and_then(|()| self.run(command, offset, length, &data));
        let completed = done.is_ok();
        self.account.idle.wrote |=
            matches!(command, Command::Write { .. } | Command::Zeroes { .. });
        self.quiet_since = Instant::now();
        let (answer, fatal) = match done {
            Ok(answer) => (answer, None),
            Err(Failed(error)) => {
                let off = matches!(error, FtlError::Flash(FlashError::PowerOff));
                let failure = self.failure_of(&error);
                self.first_failure.get_or_insert_with(|| failure.clone());
                (Reply::Failed(number(&error), failure.clone()), off.then_some(failure))
            }
        };
        let (slot, arrived_ns) = self.current;
        match &mut self.outstanding {
            None => {
                let took_ns = self.busy_ns() - before_ns;
                self.account.request(command, length, completed, took_ns);
                match self.due(arrived, took_ns) {
                    None => reply.send(answer),
                    Some(due) => self.held.push_back((due, reply, answer)),
                }
            }
            Some(outstanding) => {
                let request = Waiting { command, length, completed, arrived_ns, answer, to: reply };
                if let Some((request, at_ns)) = outstanding.wait(slot, request) {
                    self.end(request, at_ns);
                }
            }
        }
        match fatal {
            Some(failure) => {
                self.end_all();
                Err(failure)
            }
            None => Ok(self.account.take_violation()),
        }
    }

    /// Runs background work that is due, sends replies whose time has come, and tells when there is more.
    ///
    /// # Errors
    /// The array went off.
    pub fn rest(&mut self) -> Result<Option<Duration>, String> {
        let before_ns = self.busy_ns();
        let done = match self.retry_at {
            Some(at) if Instant::now() < at => Ok(()),
            _ => self.advance(),
        };
        self.delay_next(before_ns);
        self.end_due();
        if let Err(Failed(error)) = done {
            let failure = self.background_failure(&error)?;
            // The request that needs the same work fails, too, and its client is told why.
            if !self.rest_failed {
                self.take_note_of(format!("background work failed: {failure}"));
            }
            self.rest_failed = true;
            self.retry_at = Some(Instant::now() + RETRY);
            return Ok(Some(self.next_end().unwrap_or(RETRY).min(RETRY)));
        }
        if self.retry_at.is_some_and(|at| Instant::now() < at) {
            return Ok(Some(self.next_end().unwrap_or(RETRY).min(RETRY)));
        }
        (self.rest_failed, self.retry_at) = (false, None);
        self.idle_step()?;
        let due_ns = self.scheme.due_ns();
        let due = (due_ns != u64::MAX).then(|| self.real(due_ns.saturating_sub(self.clock_ns())));
        Ok(due.into_iter().chain(self.next_end()).chain(self.next_idle()).min())
    }

    /// How long until idle collection may begin; `None` while the device has something to do, or nothing to collect.
    ///
    /// A device does not know when the next request comes. It waits for as long as its longest step, so that a request waits
    /// for a step at most as long as the device was idle.
    fn next_idle(&mut self) -> Option<Duration> {
        let asked = self.outstanding.as_ref().is_some_and(|requests| !requests.is_empty());
        let needs_ns = self.account.idle.needs_ns(&*self.scheme)?;
        if asked || !self.held.is_empty() {
            return None;
        }
        // What was collected behind requests may still be under way on the dies.
        if self.array().channels().is_some_and(|on| on.outstanding() > 0) {
            self.quiet_since = Instant::now();
        }
        let since = self.quiet_since.max(self.free_at);
        let begins = since + self.modelled(needs_ns);
        Some(begins.saturating_duration_since(Instant::now()))
    }

    /// Collects a step if the device has been idle for long enough.
    ///
    /// # Errors
    /// The array went off. What else fails is told, and left to the requests that need it.
    fn idle_step(&mut self) -> Result<(), String> {
        if self.next_idle() != Some(Duration::ZERO) {
            return Ok(());
        }
        let (at_ns, before_ns) = (self.clock_ns(), self.busy_ns());
        let (mut idle, channels) = (self.account.idle, self.array().channels().is_some());
        let done =
            self.overlapped(Work::Background, at_ns, |scheme, _| idle.step(scheme, channels));
        self.account.idle = idle;
        if let Err(error) = done {
            let failure = self.background_failure(&error)?;
            self.take_note_of(format!("collection in idle time failed: {failure}"));
        }
        self.delay_next(before_ns);
        self.quiet_since = Instant::now();
        Ok(())
    }

    /// Has the next request wait for background work that began when the array had worked for `before_ns`.
    fn delay_next(&mut self, before_ns: u64) {
        let took_ns = self.busy_ns() - before_ns;
        if took_ns > 0 {
            self.due(Instant::now(), took_ns);
        }
    }

    /// Why background work failed.
    ///
    /// # Errors
    /// The array went off: nothing can be done any more.
    fn background_failure(&mut self, error: &FtlError) -> Result<String, String> {
        let failure = self.failure_of(error);
        if matches!(error, FtlError::Flash(FlashError::PowerOff)) {
            self.end_all();
            return Err(failure);
        }
        Ok(failure)
    }

    /// What is to be told of background work, once.
    pub fn take_note(&mut self) -> Option<String> {
        self.note.take()
    }

    /// Why the first request failed that the device did not complete, if any did.
    pub fn first_failure(&self) -> Option<&str> {
        self.first_failure.as_deref()
    }

    /// True if a request or background work found no free page: more blocks are bad than there are spare ones.
    pub fn ran_out_of_blocks(&self) -> bool {
        self.is_full
    }

    /// Tells of background work that failed, once.
    fn take_note_of(&mut self, note: String) {
        if self.noted.as_ref() != Some(&note) {
            self.noted = Some(note.clone());
            self.note = Some(note);
        }
    }

    fn failure_of(&mut self, error: &FtlError) -> String {
        self.is_full |= matches!(error, FtlError::Full { .. });
        let told = || match error {
            FtlError::Flash(FlashError::Uncorrectable(NO_PAGE)) => LOST_BEFORE.to_owned(),
            error => error.to_string(),
        };
        self.array().image().failure().unwrap_or_else(told)
    }

    fn now_ns(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    /// A point in time on the channels' clock.
    fn model_ns(&self, at: Instant) -> Ns {
        let since_ns = at.saturating_duration_since(self.started).as_nanos() as u64;
        match self.latency {
            Latency::Scaled(thousandths) if thousandths != 1000 => {
                let ns = u128::from(since_ns) * 1000 / u128::from(thousandths.max(1));
                Ns::try_from(ns).unwrap_or(Ns::MAX)
            }
            _ => since_ns,
        }
    }

    fn advance(&mut self) -> Result<(), Failed> {
        let now_ns = self.clock_ns();
        // Data age by it, where bit errors grow with age.
        self.scheme.flash_mut().set_now_ns(now_ns);
        while self.scheme.due_ns() <= now_ns {
            self.overlapped(Work::Background, now_ns, |scheme, _| scheme.advance(now_ns))?;
        }
        Ok(())
    }

    /// Now, on the clock of the scheme: that of the channels, if there is one.
    fn clock_ns(&self) -> Ns {
        match self.outstanding {
            Some(_) => self.model_ns(Instant::now()),
            None => self.now_ns(),
        }
    }

    /// What a time of that clock takes.
    fn real(&self, ns: Ns) -> Duration {
        let thousandths = match self.latency {
            Latency::Scaled(thousandths) if self.outstanding.is_some() => thousandths,
            _ => 1000,
        };
        let ns = u128::from(ns) * u128::from(thousandths) / 1000;
        Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }

    fn busy_ns(&self) -> u64 {
        self.scheme.flash().worked().busy_ns + self.scheme.ram_ns()
    }

    /// When the modelled part, which does one request after the other, has done this one.
    fn due(&mut self, arrived: Instant, took_ns: u64) -> Option<Instant> {
        if self.outstanding.is_some() {
            return None;
        }
        if self.latency == Latency::None {
            return None;
        }
        self.free_at = self.free_at.max(arrived) + self.modelled(took_ns);
        Some(self.free_at)
    }

    /// What a modelled time takes, where replies wait for it.
    fn modelled(&self, ns: Ns) -> Duration {
        let thousandths = match self.latency {
            Latency::Scaled(thousandths) => thousandths,
            Latency::None => 1000,
        };
        let ns = u128::from(ns) * u128::from(thousandths) / 1000;
        Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }

    /// Has the operations of this work reach the channels at a time. Without channels, or where no time is modelled, it only
    /// runs the work.
    fn overlapped<T>(
        &mut self,
        work: Work,
        at_ns: Ns,
        run: impl FnOnce(&mut AnyScheme, &mut Vec<u8>) -> Result<T, FtlError>,
    ) -> Result<T, FtlError> {
        self.wait_for_room();
        let Some(outstanding) = &mut self.outstanding else {
            return run(&mut *self.scheme, &mut self.page);
        };
        let tag = outstanding.begin(work);
        let ram_ns = self.scheme.ram_ns();
        if let Some(channels) = self.array().channels() {
            channels.begin(tag, at_ns);
        }
        let done = run(&mut *self.scheme, &mut self.page);
        let took_ns = self.scheme.ram_ns() - ram_ns;
        if let Some(channels) = self.array().channels() {
            channels.end_after(took_ns);
        }
        if let (Err(_), Work::Page(slot, _), Some(outstanding)) =
            (&done, work, &mut self.outstanding)
        {
            outstanding.failed(slot);
        }
        done
    }

    /// Waits while as many operations as there may be have not ended.
    fn wait_for_room(&mut self) {
        loop {
            let waiting = self.outstanding.is_some()
                && self.array().channels().is_some_and(|on| on.outstanding() >= MOST_OPERATIONS);
            if !waiting {
                return;
            }
            self.end_due();
            std::thread::sleep(Duration::from_micros(100));
        }
    }

    /// Ends all work on the channels whose time has come, and sends the replies that are due.
    fn end_due(&mut self) {
        if self.outstanding.is_some() {
            self.end_until(self.model_ns(Instant::now()));
        }
        /// A client that takes nothing makes no other reply early.
        const MOST: Duration = Duration::from_micros(20);
        /// How often replies to clients that have left are dropped.
        const LOOK: Duration = Duration::from_millis(20);
        if !self.held.is_empty() && self.held_looked.elapsed() > LOOK {
            self.held.retain(|(_, to, _)| !to.is_gone());
            self.held_looked = Instant::now();
        }
        while self.held.front().is_some_and(|(due, ..)| *due <= Instant::now() + self.sending) {
            if let Some((_, to, answer)) = self.held.pop_front() {
                let began = Instant::now();
                to.send_at_once(answer);
                self.sending = ((7 * self.sending + began.elapsed()) / 8).min(MOST);
            }
        }
    }

    /// Ends all work, and sends all replies, whenever their time comes. A request that nothing ends any more is refused.
    pub fn end_all(&mut self) {
        self.held.drain(..).for_each(|(_, to, answer)| to.send_at_once(answer));
        if self.outstanding.is_none() {
            return;
        }
        self.end_until(Ns::MAX);
        let left = self.outstanding.as_mut().map(Outstanding::take_all).unwrap_or_default();
        let waits = self.array().channels().map(|on| on.waiting().to_string()).unwrap_or_default();
        for mut request in left {
            request.completed = false;
            request.answer =
                Reply::Failed(NbdError::Io, format!("its operations never end: {waits}"));
            let arrived_ns = request.arrived_ns;
            self.end(request, arrived_ns);
        }
    }

    fn end_until(&mut self, limit_ns: Ns) {
        while let Some(done) = self.array().channels().and_then(|on| on.next_done_until(limit_ns)) {
            let Done { tag, begun_ns, done_ns } = done;
            let mut ended = Vec::new();
            let Some(outstanding) = &mut self.outstanding else { return };
            let kind = outstanding.end(tag, done_ns, |request, at_ns| ended.push((request, at_ns)));
            if let Some(kind) = kind {
                self.account.overlapped(kind, done_ns - begun_ns);
            }
            ended.into_iter().for_each(|(request, at_ns)| self.end(request, at_ns));
        }
    }

    /// The reply of a request on channels.
    fn end(&mut self, request: Waiting, done_ns: Ns) {
        let Waiting { command, length, completed, arrived_ns, answer, to } = request;
        self.account.request(command, length, completed, done_ns.saturating_sub(arrived_ns));
        self.quiet_since = Instant::now();
        to.send_at_once(answer);
    }

    /// How long until a reply is due, or work on the channels may end.
    fn next_end(&mut self) -> Option<Duration> {
        /// Looking at each grant of a bus on its own would cost more than it tells.
        const LEAST: Duration = Duration::from_micros(10);
        if let Some((due, ..)) = self.held.front() {
            return Some(due.saturating_duration_since(Instant::now() + self.sending));
        }
        let asked = !self.outstanding.as_ref()?.is_empty();
        if !asked && self.array().channels()?.outstanding() == 0 {
            return None;
        }
        let next_ns = self.array().channels()?.next_event_ns()?;
        let wait_ns = next_ns.saturating_sub(self.model_ns(Instant::now()));
        Some(self.real(wait_ns).max(LEAST))
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
            Command::Write { fua } => self.write(offset, length, Some(data), false, fua),
            Command::Zeroes { fua, deallocate, .. } => {
                self.write(offset, length, None, deallocate, fua)
            }
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
        run: impl FnOnce(&mut AnyScheme, &mut Vec<u8>) -> Result<T, FtlError>,
    ) -> Result<T, Failed> {
        if self.outstanding.is_some() {
            let (slot, at_ns) = self.current;
            return Ok(self.overlapped(Work::Page(slot, kind), at_ns, run)?);
        }
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
    ) -> impl Iterator<Item = (Lpn, std::ops::Range<usize>)> + use<> {
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
            self.task((Kind::Read, false), lpn, |scheme, page| read_page(scheme, lpn, page))?;
            bytes.extend_from_slice(&self.page[part]);
        }
        Ok(Reply::Bytes(bytes))
    }

    /// Writes these bytes, or zeros. A page of which the range is a part is read first: its other bytes stay. `deallocate`: trims
    /// the other pages, which then read as zeros.
    fn write(
        &mut self,
        offset: u64,
        length: u32,
        data: Option<&[u8]>,
        deallocate: bool,
        fua: bool,
    ) -> Result<Reply, Failed> {
        let mut from = 0;
        for (lpn, part) in self.pages(offset, length) {
            if deallocate && part.len() == self.page.len() {
                self.trim_page(lpn)?;
                continue;
            }
            if part.len() < self.page.len() {
                self.account.partial_pages += 1;
            }
            if part.len() < self.page.len() && self.outstanding.is_some() {
                self.write_part(
                    lpn,
                    part.clone(),
                    data.map(|data| &data[from..from + part.len()]),
                    fua,
                )?;
                from += part.len();
                continue;
            }
            if part.len() < self.page.len() {
                self.task((Kind::Read, false), lpn, |scheme, page| read_page(scheme, lpn, page))?;
            }
            let data = data.map(|data| &data[from..from + part.len()]);
            from += part.len();
            let whole = part.len() == self.page.len();
            match data {
                Some(_) if whole => {}
                Some(data) => self.page[part].copy_from_slice(data),
                None => self.page[part].fill(0),
            }
            self.task((Kind::Write, fua), lpn, |scheme, page| {
                let page = Some(data.filter(|_| whole).unwrap_or(page));
                if fua { scheme.write_through(lpn, page) } else { scheme.write(lpn, page) }
            })?;
        }
        if fua {
            self.array().image_mut().sync().map_err(FtlError::from)?;
        }
        Ok(Reply::Done)
    }

    /// Writes a part of a page on channels, as one task: its program waits for its read.
    fn write_part(
        &mut self,
        lpn: Lpn,
        part: std::ops::Range<usize>,
        data: Option<&[u8]>,
        fua: bool,
    ) -> Result<(), Failed> {
        let (slot, at_ns) = self.current;
        self.account.read_within();
        self.overlapped(Work::Page(slot, Kind::Write), at_ns, |scheme, page| {
            read_page(scheme, lpn, page)?;
            match data {
                Some(data) => page[part].copy_from_slice(data),
                None => page[part].fill(0),
            }
            if fua { scheme.write_through(lpn, Some(page)) } else { scheme.write(lpn, Some(page)) }
        })?;
        Ok(())
    }

    fn flush(&mut self) -> Result<Reply, Failed> {
        let (slot, at_ns) = self.current;
        let flushed = self.overlapped(Work::Beside(slot), at_ns, |scheme, _| scheme.flush());
        if let Some(outstanding) = &mut self.outstanding {
            outstanding.barrier(slot);
        }
        flushed?;
        self.array().image_mut().sync().map_err(FtlError::from)?;
        Ok(Reply::Done)
    }

    fn trim_page(&mut self, lpn: Lpn) -> Result<(), Failed> {
        self.task((Kind::Trim, false), lpn, |scheme, _| scheme.trim(lpn))?;
        Ok(self.array().image_mut().trimmed(lpn).map_err(FtlError::from)?)
    }

    /// Trims the whole pages of a range. The other bytes stay: a trim is a hint, also with FUA.
    fn trim(&mut self, offset: u64, length: u32, fua: bool) -> Result<Reply, Failed> {
        let whole = self.page.len();
        for (lpn, _) in self.pages(offset, length).filter(|(_, part)| part.len() == whole) {
            self.trim_page(lpn)?;
        }
        if fua {
            self.array().image_mut().sync().map_err(FtlError::from)?;
        }
        Ok(Reply::Done)
    }

    /// Extents of allocated and unallocated pages, as the map has them. A long range is answered in part; the client asks again.
    fn status(&mut self, offset: u64, length: u32, one: bool) -> Result<Reply, Failed> {
        const PAGES: usize = 1024;
        const HOLE_AND_ZERO: u32 = 3;
        let mut extents: Vec<(u32, u32)> = Vec::new();
        for (lpn, part) in self.pages(offset, length).take(PAGES) {
            let (slot, at_ns) = self.current;
            let present =
                self.overlapped(Work::Beside(slot), at_ns, |scheme, _| scheme.is_present(lpn))?;
            let (bytes, flags) = (part.len() as u32, if present { 0 } else { HOLE_AND_ZERO });
            match extents.last_mut() {
                Some((length, last)) if *last == flags => *length += bytes,
                Some(_) if one => break,
                _ => extents.push((bytes, flags)),
            }
        }
        Ok(Reply::Extents(extents))
    }

    /// Shuts the scheme and its array down. Returns the account of what clients asked, with the write buffer written out as at the end
    /// of a run: what the shutdown itself writes for the next start is not in it.
    ///
    /// # Errors
    /// The array is off.
    pub fn shut_down(&mut self) -> Result<Summary, String> {
        self.end_all();
        if let Some(channels) = self.array().channels() {
            if channels.outstanding() > 0 {
                return Err(format!("operations never end: {}", channels.waiting()));
            }
            channels.set_timed(false);
        }
        let emptied = match self.scheme.telemetry().buffer {
            Some(_) => self.scheme.flush(),
            None => Ok(()),
        };
        let summary = self.summary();
        let done = emptied
            .and_then(|()| self.scheme.shutdown())
            .and_then(|()| self.array().image_mut().shut_down().map_err(FtlError::from));
        done.map(|()| summary).map_err(|error| self.failure_of(&error))
    }

    /// The account so far.
    pub fn summary(&mut self) -> Summary {
        let counts = *self.array().counts();
        let faults = self.array().image().faults();
        let overlaps = self.array().channels().is_some();
        let clock = match &self.outstanding {
            _ if !overlaps => ModelClock::Serial,
            Some(_) => ModelClock::Channels,
            None => ModelClock::None,
        };
        self.account.summary(&*self.scheme, &counts, faults, self.now_ns(), clock)
    }
}

/// What stands for a page that was lost before: the page that held it is unknown.
const NO_PAGE: Ppn = Ppn(u32::MAX);
const LOST_BEFORE: &str = "a page that was lost before cannot be read until it is written";

/// Reads a page. One that was lost before the last mount is lost still, whatever the scheme finds in its place.
fn read_page(scheme: &mut AnyScheme, lpn: Lpn, page: &mut [u8]) -> Result<bool, FtlError> {
    let present = scheme.read(lpn, Some(page))?;
    let array = scheme.flash().downcast_ref::<ImageArray>();
    match array.is_some_and(|array| array.image().is_lost(lpn)) {
        true => Err(FlashError::Uncorrectable(NO_PAGE).into()),
        false => Ok(present),
    }
}

fn number(error: &FtlError) -> NbdError {
    match error {
        FtlError::Full { .. } => NbdError::NoSpace,
        FtlError::BeyondDevice { .. } => NbdError::Invalid,
        _ => NbdError::Io,
    }
}
