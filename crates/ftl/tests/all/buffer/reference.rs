//! Reference of a buffer, as plain as possible: one list of units, searched for each operation.

use ftlkit_ftl::{BufferLog, BufferPlan, BufferPolicy, CleanUnits, Regions};
use std::collections::BTreeSet;

/// Kind of access to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Touch {
    Comes,
    Updated,
    Read,
}

/// Regions of `three-region`.
const INITIAL: usize = 0;
const TO_BE_UPDATED: usize = 1;
const TO_BE_EVICTED: usize = 2;

#[derive(Clone, Debug, Default)]
struct Unit {
    number: u32,
    held: BTreeSet<u32>,
    dirty: BTreeSet<u32>,
    /// Turn of the last use that counts; negative if the unit was moved to the least recently used end.
    used: i64,
    /// Turn and time at which the unit became dirty.
    dirty_since: (u64, u64),
    /// Turn at which the last dirty page became clean, or the unit came.
    clean_since: u64,
    /// `cflru`: in the window of the least recently used units.
    in_window: bool,
    /// `bplru`: every page that entered or was updated, in order.
    touched: Vec<u32>,
    /// `three-region`: the region, the turn of entry to it, and the region that demoted the unit.
    region: usize,
    entered: u64,
    from: usize,
}

pub(crate) struct Reference {
    plan: BufferPlan,
    logical_pages: u32,
    units: Vec<Unit>,
    /// Pages that the scheme below has.
    below: BTreeSet<u32>,
    /// Capacities of the initial and the to-be-updated region, in pages.
    sizes: [u32; 2],
    /// All evicted units in order: the unit's number, and its region or the one that demoted it. `None` once
    /// the unit has returned.
    evicted: Vec<Option<(u32, usize)>>,
    turn: u64,
    now_ns: u64,
    pub(crate) log: BufferLog,
    /// Pages given to the scheme below, in order.
    pub(crate) programmed: Vec<u32>,
}

impl Reference {
    pub(crate) fn new(plan: BufferPlan, logical_pages: u32) -> Self {
        let share = |percent: u32| plan.pages * percent / 100;
        let sizes = match plan.regions {
            _ if plan.policy != BufferPolicy::THREE_REGION => [0; 2],
            Regions::Adaptive { least, .. } => [share(least.into()); 2],
            Regions::Fixed { initial, updated } => [share(initial.into()), share(updated.into())],
        };
        Self {
            plan,
            logical_pages,
            units: Vec::new(),
            below: BTreeSet::new(),
            sizes,
            evicted: Vec::new(),
            turn: 0,
            now_ns: 0,
            log: BufferLog::default(),
            programmed: Vec::new(),
        }
    }

    pub(crate) fn write(&mut self, lpn: u32) {
        if self.holds(lpn) {
            self.log.write_hits += 1;
            self.touch(lpn, Touch::Updated);
        } else {
            self.log.write_misses += 1;
            self.bring(lpn);
        }
        self.soil(lpn);
    }

    pub(crate) fn write_through(&mut self, lpn: u32) {
        self.log.through += 1;
        if self.holds(lpn) {
            self.log.write_hits += 1;
            self.touch(lpn, Touch::Updated);
            self.wash(lpn);
        } else {
            self.log.write_misses += 1;
        }
        self.give_below(lpn);
    }

    /// Returns true if the page exists.
    pub(crate) fn read(&mut self, lpn: u32) -> bool {
        if self.holds(lpn) {
            self.log.read_hits += 1;
            self.touch(lpn, Touch::Read);
            return true;
        }
        self.log.read_misses += 1;
        let present = self.below.contains(&lpn);
        if present && self.plan.reads {
            self.bring(lpn);
        }
        present
    }

    pub(crate) fn trim(&mut self, lpn: u32) {
        self.below.remove(&lpn);
        self.wash(lpn);
        let page = lpn % self.plan.unit_pages;
        if let Some(unit) = self.unit(lpn) {
            unit.held.remove(&page);
        }
        self.units.retain(|unit| !unit.held.is_empty());
    }

    pub(crate) fn flush(&mut self) {
        while let Some(at) = self.longest_dirty() {
            self.log.flushed += self.write_back(at, false);
        }
    }

    pub(crate) fn due_ns(&self) -> u64 {
        let since = self.longest_dirty().map(|at| self.units[at].dirty_since.1);
        since.map_or(u64::MAX, |since| since.saturating_add(self.plan.age_ns))
    }

    pub(crate) fn advance(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
        if self.due_ns() <= now_ns
            && let Some(at) = self.longest_dirty()
        {
            self.log.aged += self.write_back(at, false);
        }
    }

    /// The log, with the present content of the buffer.
    pub(crate) fn seen(&self) -> BufferLog {
        let count = |pages: fn(&Unit) -> usize| self.units.iter().map(pages).sum::<usize>() as u64;
        BufferLog {
            held: count(|unit| unit.held.len()),
            dirty: count(|unit| unit.dirty.len()),
            regions: self.sizes.map(u64::from),
            ..self.log.clone()
        }
    }

    fn unit(&mut self, lpn: u32) -> Option<&mut Unit> {
        let number = lpn / self.plan.unit_pages;
        self.units.iter_mut().find(|unit| unit.number == number)
    }

    fn holds(&mut self, lpn: u32) -> bool {
        let page = lpn % self.plan.unit_pages;
        self.unit(lpn).is_some_and(|unit| unit.held.contains(&page))
    }

    fn longest_dirty(&self) -> Option<usize> {
        let dirty = (0..self.units.len()).filter(|at| !self.units[*at].dirty.is_empty());
        dirty.min_by_key(|at| self.units[*at].dirty_since)
    }

    fn soil(&mut self, lpn: u32) {
        self.turn += 1;
        let since = (self.turn, self.now_ns);
        let page = lpn % self.plan.unit_pages;
        let unit = self.unit(lpn).unwrap();
        if unit.dirty.is_empty() {
            unit.dirty_since = since;
        }
        unit.dirty.insert(page);
    }

    /// The page is clean, if it is there.
    fn wash(&mut self, lpn: u32) {
        self.turn += 1;
        let (turn, page) = (self.turn, lpn % self.plan.unit_pages);
        if let Some(unit) = self.unit(lpn)
            && unit.dirty.remove(&page)
            && unit.dirty.is_empty()
        {
            unit.clean_since = turn;
        }
    }

    fn give_below(&mut self, lpn: u32) {
        self.programmed.push(lpn);
        self.below.insert(lpn);
    }

    fn bring(&mut self, lpn: u32) {
        while self.units.iter().map(|unit| unit.held.len()).sum::<usize>()
            >= self.plan.pages as usize
        {
            self.evict();
        }
        let (number, page) = (lpn / self.plan.unit_pages, lpn % self.plan.unit_pages);
        if self.unit(lpn).is_none() {
            self.turn += 1;
            let entered = self.turn;
            self.came(number);
            self.units.push(Unit { number, entered, clean_since: entered, ..Unit::default() });
        }
        self.unit(lpn).unwrap().held.insert(page);
        self.touch(lpn, Touch::Comes);
    }

    fn evict(&mut self) {
        let clean = (0..self.units.len()).filter(|at| self.units[*at].dirty.is_empty());
        let clean = clean.min_by_key(|at| self.units[*at].clean_since);
        let first = clean.filter(|_| self.plan.clean == CleanUnits::First);
        let victim = first.unwrap_or_else(|| self.victim());
        let unit = &self.units[victim];
        self.log.evictions += 1;
        self.log.dropped += (unit.held.len() - unit.dirty.len()) as u64;
        self.log.evicted += self.write_back(victim, true);
        let unit = self.units.remove(victim);
        let region = if unit.region == TO_BE_EVICTED { unit.from } else { unit.region };
        self.evicted.push(Some((unit.number, region)));
        if let Some((least, _)) = self.limits() {
            let size = &mut self.sizes[region];
            let step = self.plan.unit_pages.max(self.plan.pages / 128).div_ceil(8);
            *size = size.saturating_sub(step).max(least);
        }
    }

    /// Smallest and largest size of a region that adapts, pages.
    fn limits(&self) -> Option<(u32, u32)> {
        match self.plan.regions {
            Regions::Adaptive { least, most } if self.plan.policy == BufferPolicy::THREE_REGION => {
                Some((
                    self.plan.pages * u32::from(least) / 100,
                    self.plan.pages * u32::from(most) / 100,
                ))
            }
            _ => None,
        }
    }

    /// Records a unit that enters. If it is among the last evicted ones, its region was too small and grows.
    fn came(&mut self, number: u32) {
        let units = self.logical_pages.div_ceil(self.plan.unit_pages);
        let few = (self.plan.pages / self.plan.unit_pages).min(units) as usize;
        let is_it = |left: &Option<(u32, usize)>| left.is_some_and(|(unit, _)| unit == number);
        let Some(at) = self.evicted.iter().rposition(is_it) else { return };
        let Some((_, region)) = self.evicted[at].take() else { return };
        if let Some((_, most)) = self.limits()
            && self.evicted.len() - at <= few
        {
            let step = self.plan.unit_pages.max(self.plan.pages / 128);
            let size = &mut self.sizes[region];
            *size = (*size + step).min(most);
        }
    }

    /// Returns the number of dirty pages written.
    fn write_back(&mut self, at: usize, leaves: bool) -> u64 {
        self.turn += 1;
        let unit = &mut self.units[at];
        unit.clean_since = self.turn;
        let dirty = std::mem::take(&mut unit.dirty);
        let first = unit.number * self.plan.unit_pages;
        let held = unit.held.clone();
        let end = self.plan.unit_pages.min(self.logical_pages - first);
        let padded = leaves && self.plan.policy == BufferPolicy::BPLRU && !dirty.is_empty();
        for page in 0..end {
            let lpn = first + page;
            if dirty.contains(&page) {
                self.give_below(lpn);
            } else if padded && (held.contains(&page) || self.below.contains(&lpn)) {
                self.give_below(lpn);
                self.log.padded += 1;
            }
        }
        dirty.len() as u64
    }

    fn touch(&mut self, lpn: u32, touch: Touch) {
        let policy = self.plan.policy;
        let reads_count = ![BufferPolicy::BPLRU, BufferPolicy::THREE_REGION].contains(&policy);
        if touch == Touch::Read && !reads_count {
            return;
        }
        self.turn += 1;
        let turn = self.turn;
        let page = lpn % self.plan.unit_pages;
        let end = self.plan.unit_pages.min(self.logical_pages - (lpn - page));
        let unit = self.unit(lpn).unwrap();
        unit.used = turn as i64;
        unit.touched.push(page);
        unit.in_window = false;
        if policy == BufferPolicy::BPLRU {
            if unit.touched.ends_with(&(0..end).collect::<Vec<_>>()) {
                unit.used = -unit.used;
            }
        } else if policy == BufferPolicy::CFLRU {
            self.fill_window();
        } else if policy == BufferPolicy::THREE_REGION {
            self.touch_region(lpn, touch);
        }
    }

    /// Extends the window over the least recently used units, until the units outside it are few enough.
    fn fill_window(&mut self) {
        let most = (self.plan.pages - self.plan.window_pages) as usize;
        loop {
            let outside = self.units.iter_mut().filter(|unit| !unit.in_window);
            let pages: usize = outside.map(|unit| unit.held.len()).sum();
            if pages <= most {
                return;
            }
            let outside = self.units.iter_mut().filter(|unit| !unit.in_window);
            outside.min_by_key(|unit| unit.used).unwrap().in_window = true;
        }
    }

    fn touch_region(&mut self, lpn: u32, touch: Touch) {
        let turn = self.turn;
        let unit = self.unit(lpn).unwrap();
        if touch == Touch::Updated {
            (unit.region, unit.entered) = (TO_BE_UPDATED, turn);
        } else if unit.region != INITIAL {
            unit.entered = turn;
        }
        for region in [INITIAL, TO_BE_UPDATED] {
            self.give_up(region);
        }
    }

    fn give_up(&mut self, region: usize) {
        loop {
            let members = || self.units.iter().filter(|unit| unit.region == region);
            let pages: usize = members().map(|unit| unit.held.len()).sum();
            if pages <= self.sizes[region] as usize || members().count() <= 1 {
                return;
            }
            self.turn += 1;
            let turn = self.turn;
            let members = self.units.iter_mut().filter(|unit| unit.region == region);
            let oldest = members.min_by_key(|unit| unit.entered).unwrap();
            (oldest.region, oldest.from, oldest.entered) = (TO_BE_EVICTED, region, turn);
        }
    }

    fn victim(&self) -> usize {
        let all = || 0..self.units.len();
        let unit = |at: &usize| &self.units[*at];
        let policy = self.plan.policy;
        let victim = if [BufferPolicy::LRU, BufferPolicy::BPLRU].contains(&policy) {
            all().min_by_key(|at| unit(at).used)
        } else if policy == BufferPolicy::CFLRU {
            all().min_by_key(|at| {
                let unit = unit(at);
                (!unit.in_window, unit.in_window && !unit.dirty.is_empty(), unit.used)
            })
        } else if policy == BufferPolicy::FAB {
            all().min_by_key(|at| (usize::MAX - unit(at).held.len(), unit(at).used))
        } else if policy == BufferPolicy::THREE_REGION {
            all().min_by_key(|at| {
                let order = [TO_BE_EVICTED, INITIAL, TO_BE_UPDATED];
                let rank = order.iter().position(|region| *region == unit(at).region);
                (rank, unit(at).entered)
            })
        } else {
            panic!("no reference for `{}`: tell here which unit it evicts", policy.name)
        };
        victim.unwrap()
    }
}
