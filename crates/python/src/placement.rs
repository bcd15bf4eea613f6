//! Placement policies written in Python, with the rules of victim policies ([`crate::policy`]): they run one after the other, an
//! exception ends the run, and a class that does not exist is an error that names the policy.
//!
//! A declared policy makes its state by a plain function, which knows no name. So each policy of Python has a number, and for each
//! number there are functions of its own.

use crate::fault::{exception, raised};
use crate::policy::{called, copied, fail, is_name, lock, name_a_policy, of_class};
use flash::Lpn;
use ftl::placement::{
    ByState, Classes, CollectedBlock, PlacedCopy, PlacedSpace, PlacedWrite, Placement,
    PlacementPolicy, Places, Times,
};
use ftl::{Accesses, MOST_NUMBERS};
use lab::{Fault, catalogue};
use pyo3::prelude::*;
use std::fmt;
use std::sync::Mutex;

/// A policy of Python.
struct Entry {
    name: &'static str,
    class: Py<PyAny>,
    classes: Classes,
}

/// The policies by their numbers.
static ENTRIES: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

type Make = fn(&PlacedSpace) -> Box<dyn Placement>;
type CountClasses = fn([u16; MOST_NUMBERS]) -> Classes;

fn make<const AT: usize>(space: &PlacedSpace) -> Box<dyn Placement> {
    Box::new(Adapter::new(AT, space))
}

fn classes<const AT: usize>(_: [u16; MOST_NUMBERS]) -> Classes {
    lock(&ENTRIES)[AT].classes
}

macro_rules! functions {
    ($($at:literal)*) => { [$((make::<$at> as Make, classes::<$at> as CountClasses)),*] };
}

/// The functions of each number.
static FUNCTIONS: [(Make, CountClasses); 16] = functions!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);

/// Makes a class a placement policy of this name.
#[pyfunction]
pub(crate) fn add_placement_policy(
    py: Python<'_>,
    name: &str,
    class: Py<PyAny>,
    classes: (usize, usize, bool),
    summary: &str,
    code: String,
) -> PyResult<()> {
    let (count, hosts, times) = classes;
    let refused = |what: String, help: &str| Err(raised(py, Fault::with_help(what, help)));
    if !is_name(name) {
        let what = format!("`{name}` is no name of a placement policy");
        return refused(what, "use lower-case letters, digits and `-`, as in `two-ages`");
    }
    if !(2..=16).contains(&count) || hosts == 0 || hosts > count {
        let what = format!("placement policy `{name}`: {count} classes, {hosts} of host writes");
        return refused(
            what,
            "it has 2 to 16 classes, and host writes go to the first 1 to all of them",
        );
    }
    for method in ["write", "copy"] {
        if !class.bind(py).hasattr(method)? {
            let what = format!("placement policy `{name}`: the class has no method `{method}`");
            return refused(what, "it needs write(page, old, lifespan) and copy(page, old, age)");
        }
    }
    let known = lock(&ENTRIES).iter().position(|entry| entry.name == name);
    let at = known.unwrap_or_else(|| lock(&ENTRIES).len());
    let Some((make, classes)) = FUNCTIONS.get(at) else {
        let what = format!("placement policy `{name}`: there are {at} of this program already");
        return refused(what, "give it the name of one of them, which it then replaces");
    };
    let name: &'static str = match known {
        Some(at) => lock(&ENTRIES)[at].name,
        None => Box::leak(name.to_owned().into_boxed_str()),
    };
    let policy = PlacementPolicy {
        name,
        numbers: &[],
        summary: Box::leak(summary.to_owned().into_boxed_str()),
        source: "a class of this Python program",
        after_mount: "begins anew",
        victims: &[],
        places: Places::ByState(ByState {
            classes: *classes,
            times: if times { Times::OfPages } else { Times::No },
            future: false,
            controller_bytes: |_| 0,
            make: *make,
        }),
    };
    let entry = Entry { name, class, classes: Classes { hosts, count } };
    let before = match known {
        Some(at) => Some(std::mem::replace(&mut lock(&ENTRIES)[at], entry)),
        None => {
            lock(&ENTRIES).push(entry);
            None
        }
    };
    if let Err(error) = catalogue::add_placement(Box::leak(Box::new(policy)), code) {
        match before {
            Some(before) => lock(&ENTRIES)[at] = before,
            None => drop(lock(&ENTRIES).pop()),
        }
        return Err(raised(py, Fault::input(error)));
    }
    name_a_policy(name);
    Ok(())
}

/// A policy of Python as the schemes know one.
struct Adapter {
    name: &'static str,
    /// The object; `None` after it raised, or where it could not be made.
    object: Option<Py<PyAny>>,
    classes: Classes,
    hears_collected: bool,
    hears_trimmed: bool,
}

impl fmt::Debug for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Adapter").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Adapter {
    fn new(at: usize, space: &PlacedSpace) -> Self {
        Python::attach(|py| {
            let (name, class, classes) = {
                let entries = lock(&ENTRIES);
                let entry = &entries[at];
                (entry.name, entry.class.clone_ref(py), entry.classes)
            };
            let object =
                of_class(py, &class, (space.logical_pages, space.blocks, space.pages_per_block));
            Self::of(py, name, classes, object)
        })
    }

    fn of(py: Python<'_>, name: &'static str, classes: Classes, object: Option<Py<PyAny>>) -> Self {
        let has = |method: &str| {
            let object = object.as_ref().map(|object| object.bind(py));
            object.is_some_and(|object| object.hasattr(method).unwrap_or(false))
        };
        let (hears_collected, hears_trimmed) = (has("collected"), has("trimmed"));
        Self { name, object, classes, hears_collected, hears_trimmed }
    }

    /// The class that a method chooses, below `most`.
    fn chosen<A>(&mut self, method: &str, arguments: A, most: usize) -> usize
    where
        A: for<'py> pyo3::call::PyCallArgs<'py>,
    {
        Python::attach(|py| {
            let Some(answer) = called(py, &mut self.object, method, arguments) else { return 0 };
            match answer.extract::<usize>() {
                Ok(class) if class < most => class,
                _ => {
                    self.object = None;
                    let what =
                        format!("placement policy `{}`: {method}() returned {answer:?}", self.name);
                    let help = match method {
                        "write" => "it returns the number of a class of host writes, from 0",
                        _ => "it returns the number of a class, from 0",
                    };
                    fail(exception(py, "PolicyError", (what, help)));
                    0
                }
            }
        })
    }
}

impl Clone for Adapter {
    fn clone(&self) -> Self {
        Python::attach(|py| {
            let object = self.object.as_ref().and_then(|object| copied(py, object));
            Self::of(py, self.name, self.classes, object)
        })
    }
}

impl Placement for Adapter {
    fn of_write(&mut self, write: &PlacedWrite) -> usize {
        let arguments = (write.lpn.0, write.from, write.lifespan);
        self.chosen("write", arguments, self.classes.hosts)
    }

    fn of_copy(&mut self, copy: &PlacedCopy) -> usize {
        let arguments = (copy.lpn.map(|lpn| lpn.0), copy.from, copy.age);
        self.chosen("copy", arguments, self.classes.count)
    }

    fn trimmed(&mut self, lpn: Lpn, from: usize) {
        if self.hears_trimmed {
            Python::attach(|py| drop(called(py, &mut self.object, "trimmed", (lpn.0, from))));
        }
    }

    fn collected(&mut self, block: &CollectedBlock) {
        if self.hears_collected {
            let arguments = (block.class, block.lifespan);
            Python::attach(|py| drop(called(py, &mut self.object, "collected", arguments)));
        }
    }

    fn work(&self) -> Accesses {
        Accesses::default()
    }

    fn heap_bytes(&self) -> usize {
        0
    }
}
