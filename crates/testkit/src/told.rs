//! Events of a scheme, compared with the operations around them.

use flash::{BlockId, Cause, Event, Item};
use std::collections::{BTreeMap, BTreeSet};

/// Events so far, and what they announced.
///
/// A scheme that reports victims or merges reports all of them: an operation of theirs without an event before it is a breach.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    counts: BTreeMap<&'static str, u64>,
    captions: Vec<&'static str>,
    /// Blocks reported as victims, until their erase.
    victims: BTreeSet<u32>,
    /// Kind of the merge under way.
    merging: Option<Cause>,
    /// False once addresses below differ from those in events, or operations may be repeated after a failure.
    comparable: bool,
}

impl Told {
    pub(crate) fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }

    pub(crate) fn compare(&mut self, comparable: bool) {
        self.comparable = comparable;
    }

    /// Takes an event. Returns what is wrong with it, if anything is.
    pub(crate) fn event(&mut self, event: &Event<'_>) -> Option<String> {
        *self.counts.entry(event.name).or_default() += 1;
        let blocks = event.values.iter().filter_map(|(key, item)| match item {
            Item::Block(BlockId(block)) if *key == "block" => Some(*block),
            _ => None,
        });
        match event.name {
            "victim" | "obsolete-block" => self.victims.extend(blocks),
            "switch-merge" => self.merging = Some(Cause::SwitchMerge),
            "partial-merge" => self.merging = Some(Cause::PartialMerge),
            "full-merge" | "fold" | "log-block-merged" => {
                self.merging = Some(Cause::FullMerge);
            }
            "merge-end" | "fold-end" => self.merging = None,
            // What follows ends a collection, or repeats it elsewhere, in whatever blocks it was.
            "rescue" => self.comparable = false,
            _ => {}
        }
        // Once each: making the text takes longer than the operation.
        if self.captions.contains(&event.caption) {
            return None;
        }
        self.captions.push(event.caption);
        let caption = event.to_string();
        (caption.contains(['{', '}']) || caption.is_empty())
            .then(|| format!("the caption of `{}` lacks a value: {caption}", event.name))
    }

    /// A program or an erase failed: some blocks are erased without being victims.
    pub(crate) fn failed(&mut self) {
        self.comparable = false;
    }

    /// Checks a copy from, or an erase of, this block.
    pub(crate) fn operation(
        &mut self,
        block: BlockId,
        cause: Cause,
        erase: bool,
    ) -> Option<String> {
        let what = if erase { "an erase" } else { "a copy" };
        let tells = |name: &str| self.comparable && self.counts.contains_key(name);
        let breach = match cause {
            Cause::Collection | Cause::TranslationCollection
                if tells("victim") && !self.victims.contains(&block.0) =>
            {
                Some(format!("{what} of {block} for {} without a victim event", cause.name()))
            }
            Cause::SwitchMerge | Cause::PartialMerge | Cause::FullMerge
                if (tells("merge-end") || tells("fold-end")) && self.merging != Some(cause) =>
            {
                Some(format!("{what} of {block} outside of a {}", cause.name()))
            }
            _ => None,
        };
        if erase {
            self.victims.remove(&block.0);
        }
        breach
    }
}
