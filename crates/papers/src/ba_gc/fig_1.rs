//! Fig. 1: FAST merges L0 unaware of the buffer, and aware of it.

use super::example::{
    Merged, Origin, Task, fast_below, image, merge, part, set, told, with_first_logged, words,
};
use crate::row::Row;
use crate::sheet::{Outcome, Sheet};
use crate::verdict::Reason;
use bounds::ba_gc::{self, Sets};
use ftl::{BufferPolicy, FtlError};

/// p2 and p4 are dirty in the buffer.
const DIRTY: [Task; 2] = [Task::Write(2), Task::Write(4)];

const SETS: Sets = Sets { blocks: 2, from_flash: 6, from_buffer: 2, dirty_again: 0 };

const WHY: &str = "the scheme does not do as the figure says";

/// The figure's two merges, and the aware merge of an L0 that FAST itself would write.
struct Merges {
    unaware: Merged,
    aware: Merged,
    written: Merged,
}

pub(super) fn fig_1(to: &mut Sheet) -> Outcome {
    to.rows.extend(match run() {
        Ok(seen) => seen.rows(),
        Err(error) => {
            vec![Row::missing("the example", "", None, error)]
        }
    });
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
    fn rows(&self) -> Vec<Row> {
        let Self { unaware, aware, written } = self;
        let part = part();
        let flash = [Origin::Data, Origin::Log];
        let us = |ns: u64| ns as f64 / 1e3;
        let count = |what: &str, printed: &str, ours: u64| {
            Row::exact(what, "", printed, ours as f64).because(Reason::MissingDetail(WHY.into()))
        };
        let (of_unaware, of_aware) =
            (ba_gc::unaware_merge_ns(&part, &SETS), ba_gc::merge_ns(&part, &SETS, 0));
        let erases = ba_gc::erase_ns(&part, &SETS);
        vec![
            words(
                "M(L0): moved without regard to the buffer",
                &set(0..8),
                &unaware.of(&flash),
                WHY,
            ),
            words(
                "F(L0): moved from flash with regard to it",
                "p0, p1, p3, p5, p6, p7",
                &aware.of(&flash),
                WHY,
            ),
            words("B(L0): moved from the buffer", "p2, p4", &aware.of(&[Origin::Buffer]), WHY),
            count("|F(L0)|: pages copied", "6", aware.copies),
            count("|B(L0)|: pages programmed from the buffer", "2", aware.programs),
            told("of F(L0), from B0 and B1", &aware.of(&[Origin::Data])),
            told("of F(L0), from L0", &aware.of(&[Origin::Log])),
            count("|A(L0)|: data blocks merged, and erased beside L0", "2", aware.erases - 1),
            count("pages that are not at their place in N0 and N1", "0", aware.misplaced),
            count("unnecessary migrations without regard to the buffer", "2", unaware.in_vain),
            count("unnecessary migrations with regard to it", "0", aware.in_vain),
            count("writes when p2 and p4 leave the buffer", "0", aware.written_later),
            Row::evidence("the same without regard to it", "", unaware.written_later as f64, 0),
            Row::evidence("time of the merge without regard (Eq. 3)", "µs", us(of_unaware), 1),
            Row::evidence("the same, and its erases, measured", "µs", us(unaware.ns), 1),
            Row::evidence("time of the merge with regard (Eq. 4)", "µs", us(of_aware), 1),
            Row::evidence("the same, and its erases, measured", "µs", us(aware.ns), 1),
            Row::evidence("erases (Eq. 7)", "µs", us(erases), 1),
            told("with p0 in B0: F(L0)", &written.of(&flash)),
            told("with p0 in B0: B(L0)", &written.of(&[Origin::Buffer])),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    #[test]
    fn every_page_is_taken_from_where_the_figure_has_it() {
        let section = fig_1();
        assert_eq!(section.rows.len(), 20);
        for row in &section.rows {
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
