//! Fig. 4: the three kinds of steps of the map on demand and their precedence. The scheme itself runs on blocks of
//! the figure's size.

use crate::error::ReproduceError;
use crate::reproduction::Section;
use crate::row::{Limit, Row};
use crate::verdict::Reason;
use flash::parts::EVALUATION_SLC;
use flash::{Cause, Counts, Geometry, Lpn, Operation, Part, Store};
use ftl::{FtlError, SchemeConfig};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use sim::run::plain_array;

/// Pages per block, and maximum copies per step.
const PAGES: u32 = 8;
const ALPHA: u64 = 3;

/// Blocks, bytes per page (eight mappings), and random writes.
const BLOCKS: u32 = 128;
const PAGE_BYTES: u32 = 32;
const WRITES: u32 = 50_000;

pub(super) fn fig_4(seed: u64) -> Result<Section, ReproduceError> {
    let mut section = Section::default();
    match run(seed) {
        Ok(seen) => section.rows.extend(seen.rows()),
        Err(error) => {
            let row = Row::incomparable(
                "the example",
                "",
                None,
                None,
                Reason::MissingDetail(error.to_string()),
            );
            section.rows.push(row);
        }
    }
    section.notes.push(format!(
        "the scheme under {WRITES} random writes on {BLOCKS} blocks of {PAGES} pages, α = {ALPHA}, 8 mappings a \
         translation page"
    ));
    Ok(section)
}

/// Work of the step after one write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Step {
    data: BlockWork,
    translation: BlockWork,
    written_back: u64,
}

/// Copies and erases of one kind of block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct BlockWork {
    copies: u64,
    erases: u64,
}

impl BlockWork {
    fn of(counts: &Counts, cause: Cause) -> Self {
        Self {
            copies: counts.get(Operation::Copy, cause),
            erases: counts.get(Operation::Erase, cause),
        }
    }

    fn ran(self) -> bool {
        self.copies + self.erases > 0
    }
}

impl Step {
    fn of(counts: &Counts) -> Self {
        Self {
            data: BlockWork::of(counts, Cause::Collection),
            translation: BlockWork::of(counts, Cause::TranslationCollection),
            written_back: counts.get(Operation::Program, Cause::WriteBack),
        }
    }

    fn kinds(self) -> u64 {
        [self.data.ran(), self.translation.ran(), self.written_back > 0].map(u64::from).iter().sum()
    }
}

/// Maxima and rule violations over all steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct StepFigures {
    most_kinds: u64,
    most_data_copies: u64,
    most_translation_copies: u64,
    most_written_back: u64,
    /// Steps that both copy and erase.
    mixed: u64,
    /// Steps out of order: TG or TW before DG's victim was erased, or TW before TG's victim was erased.
    overtaken: u64,
    data_erases: u64,
    translation_erases: u64,
    data_open: bool,
    translation_open: bool,
}

impl StepFigures {
    fn note(&mut self, step: Step) {
        self.most_kinds = self.most_kinds.max(step.kinds());
        self.most_data_copies = self.most_data_copies.max(step.data.copies);
        self.most_translation_copies = self.most_translation_copies.max(step.translation.copies);
        self.most_written_back = self.most_written_back.max(step.written_back);
        let mixed = |part: BlockWork| u64::from(part.copies > 0 && part.erases > 0);
        self.mixed += mixed(step.data) + mixed(step.translation);
        let overtakes_data = self.data_open && (step.translation.ran() || step.written_back > 0);
        let overtakes_translation = self.translation_open && step.written_back > 0;
        self.overtaken += u64::from(overtakes_data || overtakes_translation);
        self.data_erases += step.data.erases;
        self.translation_erases += step.translation.erases;
        if step.data.ran() {
            self.data_open = step.data.erases == 0;
        }
        if step.translation.ran() {
            self.translation_open = step.translation.erases == 0;
        }
    }

    fn rows(self) -> Vec<Row> {
        let row = |what: &str, printed: &str, ours: u64| {
            Row::exact(what, "", printed, ours as f64)
                .because(Reason::MissingDetail("the scheme does not do as the figure says".into()))
        };
        let limit = |what: &str, ours: u64| {
            let most = Limit::AtMost(ALPHA as f64);
            Row::limit(what, "pages", most, ours as f64)
                .because(Reason::MissingDetail("the scheme does not do as the figure says".into()))
        };
        let count = |what: &str, ours: u64| Row::evidence(what, "", ours as f64, 0);
        vec![
            row("kinds of step behind one write, at most", "1", self.most_kinds),
            limit("pages that a step of DG copies, at most", self.most_data_copies),
            limit("pages that a step of TG copies, at most", self.most_translation_copies),
            row("steps that both copy and erase", "0", self.mixed),
            row(
                "steps of TG or TW between those of a DG, of TW between those of a TG",
                "0",
                self.overtaken,
            ),
            limit(
                "translation pages that a step of TW writes back, at most",
                self.most_written_back,
            ),
            count("data blocks reclaimed", self.data_erases),
            count("translation blocks reclaimed", self.translation_erases),
        ]
    }
}

fn run(seed: u64) -> Result<StepFigures, FtlError> {
    let part = Part {
        page_bytes: PAGE_BYTES,
        pages_per_block: PAGES,
        t_bers_ns: ALPHA * EVALUATION_SLC.t_copy_ns(),
        ..EVALUATION_SLC.clone()
    };
    let geometry = Geometry::new(BLOCKS, PAGES, PAGE_BYTES).map_err(|error| FtlError::Config {
        scheme: "lazy-rtgc-on-demand",
        setting: "geometry",
        reason: error.to_string(),
    })?;
    let preset = ftl::registry::by_name("lazy-rtgc-on-demand")?;
    let array = plain_array(geometry, part, Store::Metadata);
    let mut scheme = ftl::registry::format(&SchemeConfig::preset(preset), array)?;
    let pages = scheme.logical_pages();
    let mut random = Pcg64::seed_from_u64(seed);
    let mut seen = StepFigures::default();
    for _ in 0..WRITES {
        let before = *scheme.flash().counts();
        scheme.write(Lpn(random.random_range(0..pages)), None)?;
        seen.note(Step::of(&scheme.flash().counts().since(&before)));
    }
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    #[test]
    fn every_step_is_as_in_the_figure() {
        let section = fig_4(1).unwrap();
        assert_eq!(section.rows.len(), 8);
        for row in &section.rows {
            assert!(matches!(row.verdict, Verdict::Equal | Verdict::Evidence), "{row:?}");
        }
    }
}
