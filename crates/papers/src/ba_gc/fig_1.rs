//! Fig. 1: FAST merges L0 unaware of the buffer, and aware of it.

use super::example::{Merged, Origin, Task, fast_below, image, merge, part, with_first_logged};
use crate::sheet::{Outcome, Sheet};
use bounds::ba_gc::{self, Sets};
use ftl::{BufferPolicy, FtlError};

/// p2 and p4 are dirty in the buffer.
const DIRTY: [Task; 2] = [Task::Write(2), Task::Write(4)];

const SETS: Sets = Sets { blocks: 2, from_flash: 6, from_buffer: 2, dirty_again: 0 };

/// The figure's two merges, and the aware merge of an L0 that FAST itself would write.
struct Merges {
    unaware: Merged,
    aware: Merged,
    written: Merged,
}

pub(super) fn fig_1(to: &mut Sheet) -> Outcome {
    match run() {
        Ok(seen) => seen.put(to),
        Err(error) => to.missing("the example", error),
    }
    Ok(())
}

fn run() -> Result<Merges, FtlError> {
    let below = |aware| fast_below(BufferPolicy::LRU, 1, aware);
    // p1 is written twice: FAST would not write p0 to a random log block.
    let written = image(1, &[1, 1, 6, 7])?;
    let printed = with_first_logged(written.clone(), 1, 0)?;
    Ok(Merges {
        unaware: merge(&below(false)?, printed.clone(), &DIRTY)?,
        aware: merge(&below(true)?, printed, &DIRTY)?,
        written: merge(&below(true)?, written, &DIRTY)?,
    })
}

impl Merges {
    fn put(&self, to: &mut Sheet) {
        let Self { unaware, aware, written } = self;
        let part = part();
        let flash = [Origin::Data, Origin::Log];
        let us = |ns: u64| ns as f64 / 1e3;
        to.put("unaware", unaware.of(&flash));
        to.put("aware", aware.of(&flash));
        to.put("buffer", aware.of(&[Origin::Buffer]));
        to.put("copied", aware.copies);
        to.put("programmed", aware.programs);
        to.put("of-data", aware.of(&[Origin::Data]));
        to.put("of-log", aware.of(&[Origin::Log]));
        to.put("merged", aware.erases - 1);
        to.put("misplaced", aware.misplaced);
        to.put("in-vain", unaware.in_vain);
        to.put("in-vain-aware", aware.in_vain);
        to.put("later", aware.written_later);
        to.put("later-unaware", unaware.written_later);
        to.put("eq-3", us(ba_gc::unaware_merge_ns(&part, &SETS)));
        to.put("measured", us(unaware.ns));
        to.put("eq-4", us(ba_gc::merge_ns(&part, &SETS, 0)));
        to.put("measured", us(aware.ns));
        to.put("erases", us(ba_gc::erase_ns(&part, &SETS)));
        to.put("written", written.of(&flash));
        to.put("written-buffer", written.of(&[Origin::Buffer]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    #[test]
    fn every_page_is_taken_from_where_the_figure_has_it() {
        let rows = crate::testing::rows(super::super::PAPER, &["fig-1"]);
        assert_eq!(rows.len(), 20);
        for row in &rows {
            assert!(matches!(row.verdict, Verdict::Equal | Verdict::Evidence), "{row:?}");
        }
        let seen = run().unwrap();
        assert_eq!(seen.aware.of(&[Origin::Data]), "p3, p5");
        assert_eq!(seen.aware.of(&[Origin::Log]), "p0, p1, p6, p7");
        assert_eq!(seen.unaware.of(&[Origin::Data]), "p2, p3, p4, p5");
        assert_eq!(seen.unaware.of(&[Origin::Buffer]), "none");
        assert_eq!(seen.written.of(&[Origin::Data]), "p0, p3, p5");
        assert_eq!(seen.written.of(&[Origin::Buffer]), "p2, p4");
        assert_eq!((seen.unaware.written_later, seen.unaware.copies), (2, 8));
        assert_eq!((seen.aware.copies, seen.aware.programs, seen.aware.erases), (6, 2, 3));
    }

    #[test]
    fn times_are_those_of_the_equations() {
        let (seen, part) = (run().unwrap(), part());
        let erases = ba_gc::erase_ns(&part, &SETS);
        assert_eq!(seen.unaware.ns, ba_gc::unaware_merge_ns(&part, &SETS) + erases);
        assert_eq!(seen.aware.ns, ba_gc::merge_ns(&part, &SETS, 0) + erases);
    }
}
