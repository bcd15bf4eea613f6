//! Victim policies written in Python, and what they share with placement policies ([`crate::placement`]).
//!
//! The candidates and their valid pages are kept here, so that a policy is asked only what it defines, and a choice that
//! breaks a rule is an error that names the policy. Runs with such policies are made one after the other: they wait for
//! Python's lock anyway, and so it is known whose exception is whose.

use crate::fault::{exception, raised};
use flash::BlockId;
use ftl::victims::{Candidates, ValidPages, VictimPolicy, Victims};
use ftl::{Accesses, VictimWork};
use lab::{Fault, catalogue};
use pyo3::prelude::*;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// Classes by the names of their policies.
static CLASSES: Mutex<BTreeMap<&'static str, Py<PyAny>>> = Mutex::new(BTreeMap::new());
/// Names of the policies of Python, of victims and of placement.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
/// Held by the run that uses policies.
static RUN: Mutex<()> = Mutex::new(());
/// The first exception of that run, and the flag that ends it.
static RAISED: Mutex<(Option<PyErr>, Option<Arc<AtomicBool>>)> = Mutex::new((None, None));

thread_local! {
    /// True while this thread is in a method of a policy.
    static IN_POLICY: Cell<bool> = const { Cell::new(false) };
}

/// Calls Python's code of a policy.
fn calling<T>(call: impl FnOnce() -> T) -> T {
    struct Left(bool);
    impl Drop for Left {
        fn drop(&mut self) {
            IN_POLICY.set(self.0);
        }
    }
    let _left = Left(IN_POLICY.replace(true));
    call()
}

/// Calls a method of a policy's object; after an exception never again.
pub(crate) fn called<'py, A: pyo3::call::PyCallArgs<'py>>(
    py: Python<'py>,
    object: &mut Option<Py<PyAny>>,
    method: &str,
    arguments: A,
) -> Option<Bound<'py, PyAny>> {
    let bound = object.as_ref()?.bind(py).clone();
    match calling(|| bound.call_method1(method, arguments)) {
        Ok(value) => Some(value),
        Err(error) => {
            *object = None;
            fail(error);
            None
        }
    }
}

/// An object of a policy's class.
pub(crate) fn of_class<'py, A: pyo3::call::PyCallArgs<'py>>(
    py: Python<'py>,
    class: &Py<PyAny>,
    arguments: A,
) -> Option<Py<PyAny>> {
    let class = class.bind(py).clone();
    calling(|| class.call1(arguments)).map_err(fail).ok().map(Bound::unbind)
}

/// A copy of a policy's object.
pub(crate) fn copied(py: Python<'_>, object: &Py<PyAny>) -> Option<Py<PyAny>> {
    let copy = || py.import("copy")?.call_method1("deepcopy", (object,));
    calling(copy).map_err(fail).ok().map(Bound::unbind)
}

/// True if a policy may have this name.
pub(crate) fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_plain)
}

/// Notes the name of a policy of Python.
pub(crate) fn name_a_policy(name: &'static str) {
    lock(&NAMES).insert(name);
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A run that may use policies of Python.
pub(crate) struct Policies(Option<MutexGuard<'static, ()>>);

/// Begins a run; where its settings name no policy of Python, it waits for no other.
pub(crate) fn begin(py: Python<'_>, settings: &str, stop: &Arc<AtomicBool>) -> PyResult<Policies> {
    if !in_use(settings) {
        return Ok(Policies(None));
    }
    if IN_POLICY.get() {
        let what = "a method of a victim policy began a run with a policy of Python, which would wait for its own run";
        let help = "begin such a run before or after this one";
        return Err(exception(py, "PolicyError", (what, help)));
    }
    let held = loop {
        match RUN.try_lock() {
            Ok(held) => break held,
            Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                py.check_signals()?;
                py.detach(|| std::thread::sleep(Duration::from_millis(10)));
            }
        }
    };
    *lock(&RAISED) = (None, Some(Arc::clone(stop)));
    Ok(Policies(Some(held)))
}

/// True if settings name a policy of Python.
pub(crate) fn in_use(settings: &str) -> bool {
    lock(&NAMES).iter().any(|name| names(settings, name))
}

/// True if settings have this name where one of a policy stands: `victim=NAME`, `placement=NAME`, or an entry of a list.
fn names(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        (before.is_empty() || before.ends_with(['=', '"', '\'', ',', '[', ' ']))
            && (after.is_empty() || after.starts_with(['+', '"', '\'', ',', ']', ' ', ':']))
    })
}

impl Policies {
    /// True if the run may call policies.
    pub(crate) fn are_used(&self) -> bool {
        self.0.is_some()
    }

    /// Ends the run; returns the first exception of its policies.
    pub(crate) fn end(self) -> Option<PyErr> {
        self.0.as_ref()?;
        std::mem::take(&mut *lock(&RAISED)).0
    }
}

/// Ends the run with this exception.
pub(crate) fn fail(error: PyErr) {
    let mut raised = lock(&RAISED);
    if let Some(stop) = &raised.1 {
        stop.store(true, Ordering::Relaxed);
    }
    raised.0.get_or_insert(error);
}

/// Makes a class a victim policy of this name.
#[pyfunction]
pub(crate) fn add_victim_policy(
    py: Python<'_>,
    name: &str,
    class: Py<PyAny>,
    valid_pages: &str,
    summary: &str,
    code: String,
) -> PyResult<()> {
    let refused = |what: String, help: &str| Err(raised(py, Fault::with_help(what, help)));
    if !is_name(name) {
        let what = format!("`{name}` is no name of a victim policy");
        return refused(what, "use lower-case letters, digits and `-`, as in `second-look`");
    }
    let valid_pages = match valid_pages {
        "gaining" => ValidPages::Gaining,
        "fewest" => ValidPages::Fewest,
        other => {
            let what = format!("valid_pages: there is no bound `{other}`");
            return refused(
                what,
                "it is gaining (a victim frees a page) or fewest (as greedy does)",
            );
        }
    };
    for method in ["full", "choose"] {
        if !class.bind(py).hasattr(method)? {
            let what = format!("victim policy `{name}`: the class has no method `{method}`");
            return refused(what, "it needs full(block, valid) and choose(blocks)");
        }
    }
    let name: &'static str = Box::leak(name.to_owned().into_boxed_str());
    let policy = VictimPolicy {
        name,
        numbers: &[],
        summary: Box::leak(summary.to_owned().into_boxed_str()),
        source: "a class of this Python program",
        chooses_many: false,
        valid_pages,
        controller_bytes: |of| u64::from(of.blocks) * 4,
        make: |of| Box::new(Adapter::new(of)),
    };
    // A policy is some hundred bytes, and configurations that name it may be in use.
    catalogue::add_victim(Box::leak(Box::new(policy)), code)
        .map_err(|error| raised(py, Fault::input(error)))?;
    lock(&CLASSES).insert(name, class);
    name_a_policy(name);
    Ok(())
}

/// Marks a block that is no candidate.
const NONE: u32 = u32::MAX;

/// The full blocks of an array, and the valid pages of each.
#[pyclass(frozen, module = "ftlkit._ftlkit")]
pub(crate) struct Blocks {
    valid: Arc<[AtomicU32]>,
    pages_per_block: u32,
}

impl Blocks {
    fn new(of: &Candidates) -> Self {
        let valid = (0..of.blocks).map(|_| AtomicU32::new(NONE)).collect();
        Self { valid, pages_per_block: of.pages_per_block }
    }

    fn copy(&self) -> Self {
        let valid = self.valid.iter();
        let valid = valid.map(|valid| AtomicU32::new(valid.load(Ordering::Relaxed))).collect();
        Self { valid, pages_per_block: self.pages_per_block }
    }

    fn get(&self, block: u32) -> Option<u32> {
        let valid = self.valid.get(block as usize)?.load(Ordering::Relaxed);
        (valid != NONE).then_some(valid)
    }

    fn set(&self, block: BlockId, valid: u32) {
        if let Some(entry) = self.valid.get(block.0 as usize) {
            entry.store(valid, Ordering::Relaxed);
        }
    }

    fn all(&self) -> impl Iterator<Item = (u32, u32)> {
        let entries = (0..).zip(self.valid.iter());
        let entries = entries.map(|(block, valid)| (block, valid.load(Ordering::Relaxed)));
        entries.filter(|(_, valid)| *valid != NONE)
    }
}

#[pymethods]
impl Blocks {
    /// Valid pages of a full block.
    fn valid(&self, py: Python<'_>, block: u32) -> PyResult<u32> {
        self.get(block).ok_or_else(|| {
            raised(py, Fault::input(format!("block {block} is no candidate: it is not full")))
        })
    }

    /// Pages of each block.
    #[getter]
    fn pages_per_block(&self) -> u32 {
        self.pages_per_block
    }

    fn __contains__(&self, block: u32) -> bool {
        self.get(block).is_some()
    }

    fn __len__(&self) -> usize {
        self.all().count()
    }

    /// Numbers of the full blocks, in ascending order.
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let blocks: Vec<u32> = self.all().map(|(block, _)| block).collect();
        Ok(blocks.into_pyobject(py)?.try_iter()?.into_any())
    }

    /// The full block with the fewest valid pages, of equal ones the first; `None` if there is none.
    fn fewest(&self) -> Option<u32> {
        self.all().min_by_key(|(_, valid)| *valid).map(|(block, _)| block)
    }
}

/// A policy of Python as the schemes know one.
struct Adapter {
    name: &'static str,
    /// The object; `None` after it raised, or where it could not be made.
    object: Option<Py<PyAny>>,
    blocks: Py<Blocks>,
    /// The same, for use without Python's lock.
    valid: Arc<[AtomicU32]>,
    pages_per_block: u32,
    hears_invalidated: bool,
    hears_removed: bool,
    work: VictimWork,
}

impl fmt::Debug for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Adapter").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Adapter {
    fn new(of: &Candidates) -> Self {
        Python::attach(|py| {
            let class = lock(&CLASSES).get(of.policy).map(|class| class.clone_ref(py));
            let arguments = (of.blocks, of.pages_per_block, of.seed);
            let object = class.and_then(|class| of_class(py, &class, arguments));
            Self::of(py, of.policy, object, Blocks::new(of))
        })
    }

    fn of(py: Python<'_>, name: &'static str, object: Option<Py<PyAny>>, blocks: Blocks) -> Self {
        let has = |method: &str| {
            let object = object.as_ref().map(|object| object.bind(py));
            object.is_some_and(|object| object.hasattr(method).unwrap_or(false))
        };
        let (valid, pages_per_block) = (Arc::clone(&blocks.valid), blocks.pages_per_block);
        let blocks = Py::new(py, blocks);
        Self {
            name,
            hears_invalidated: has("invalidated"),
            hears_removed: has("removed"),
            object,
            blocks: blocks.expect("Python has no memory for an object of a few bytes"),
            valid,
            pages_per_block,
            work: VictimWork::default(),
        }
    }

    fn view(&self) -> Blocks {
        Blocks { valid: Arc::clone(&self.valid), pages_per_block: self.pages_per_block }
    }

    /// Calls a method of the object; after an exception never again.
    fn call<'py, A: pyo3::call::PyCallArgs<'py>>(
        &mut self,
        py: Python<'py>,
        method: &str,
        arguments: A,
    ) -> Option<Bound<'py, PyAny>> {
        called(py, &mut self.object, method, arguments)
    }

    /// Ends the run because a rule was broken.
    fn refuse(&mut self, py: Python<'_>, why: &str) -> Option<u32> {
        self.object = None;
        let what = format!("victim policy `{}`: choose() {why}", self.name);
        let help = "it returns the number of a full block with an invalid page, or None where there is no such block";
        fail(exception(py, "PolicyError", (what, help)));
        None
    }

    fn chosen(&mut self, py: Python<'_>, valid: &dyn Fn(BlockId) -> u32) -> Option<u32> {
        let blocks = self.blocks.clone_ref(py);
        let answer = self.call(py, "choose", (blocks,))?;
        if answer.is_none() {
            let gaining = self.view().all().any(|(_, valid)| valid < self.pages_per_block);
            return match gaining {
                true => self.refuse(py, "returned None while a full block has an invalid page"),
                false => None,
            };
        }
        let Ok(block) = answer.extract::<u32>() else {
            return self.refuse(py, &format!("returned {answer:?}, which is no block number"));
        };
        match self.view().get(block) {
            None => self.refuse(
                py,
                &format!("returned block {block}, which is no candidate: it is not full"),
            ),
            Some(_) if valid(BlockId(block)) >= self.pages_per_block => {
                self.refuse(py, &format!("returned block {block}, whose pages are all valid"))
            }
            Some(_) => Some(block),
        }
    }
}

impl Clone for Adapter {
    fn clone(&self) -> Self {
        Python::attach(|py| {
            let object = self.object.as_ref().and_then(|object| copied(py, object));
            Self { work: self.work, ..Self::of(py, self.name, object, self.view().copy()) }
        })
    }
}

impl Victims for Adapter {
    fn insert(&mut self, block: BlockId, valid: u32) {
        self.view().set(block, valid);
        self.work.filled.writes += 1;
        Python::attach(|py| self.call(py, "full", (block.0, valid)).map(drop));
    }

    fn invalidated(&mut self, block: BlockId, valid: u32) {
        if self.view().get(block.0).is_none() {
            return;
        }
        self.view().set(block, valid);
        if self.hears_invalidated {
            Python::attach(|py| self.call(py, "invalidated", (block.0, valid)).map(drop));
        }
    }

    fn take(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let block = Python::attach(|py| self.chosen(py, valid))?;
        self.work.chosen += Accesses::new(1, 1);
        self.view().set(BlockId(block), NONE);
        Some(BlockId(block))
    }

    fn take_least(&mut self, valid: &dyn Fn(BlockId) -> u32) -> Option<BlockId> {
        let full = self.view();
        let least = full.all().map(|(block, _)| (valid(BlockId(block)), block)).min();
        let (_, block) = least.filter(|(valid, _)| *valid < self.pages_per_block)?;
        full.set(BlockId(block), NONE);
        if self.hears_removed {
            Python::attach(|py| self.call(py, "removed", (block,)).map(drop));
        }
        Some(BlockId(block))
    }

    fn work(&self) -> VictimWork {
        self.work
    }

    fn heap_bytes(&self) -> usize {
        self.valid.len() * size_of::<u32>()
    }

    fn ram_bytes(&self) -> u64 {
        self.valid.len() as u64 * 4
    }
}
