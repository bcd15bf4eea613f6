//! Decisions of a scheme, for observers below it.

use super::address::{BlockId, Lpn, Ppn};
use core::fmt;

/// A decision of a scheme that no flash operation shows by itself: a victim is taken, a merge begins.
///
/// Schemes report it through [`Probe::event`](crate::Probe::event). Names and captions belong to the scheme, so that a
/// scheme of another crate reports its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// Name for programs, in kebab case: `full-merge`, `victim`.
    pub name: &'static str,
    /// Caption for people, in field terms. `{key}` stands for the value of that key, a bare number or word:
    /// `full merge of LBN {logical}: log block {log}`.
    pub caption: &'static str,
    /// Keys and their values, in the order of the caption.
    pub values: &'a [(&'static str, Item)],
}

impl<'a> Event<'a> {
    /// An event of these parts.
    #[inline(always)]
    pub const fn new(
        name: &'static str,
        caption: &'static str,
        values: &'a [(&'static str, Item)],
    ) -> Self {
        Self { name, caption, values }
    }
}

impl fmt::Display for Event<'_> {
    /// Writes the caption with its values. A key without a value stays as it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.caption;
        while let Some((before, after)) = rest.split_once('{')
            && let Some((key, behind)) = after.split_once('}')
        {
            f.write_str(before)?;
            match self.values.iter().find(|(name, _)| *name == key) {
                Some((_, item)) => write!(f, "{item}")?,
                None => write!(f, "{{{key}}}")?,
            }
            rest = behind;
        }
        f.write_str(rest)
    }
}

/// Something that a scheme names, in an [`Event`] or in a list of its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Item {
    /// Logical page.
    Lpn(Lpn),
    /// Physical page.
    Page(Ppn),
    /// Physical block.
    Block(BlockId),
    /// Logical block (LBN).
    LogicalBlock(u32),
    /// Translation page, by number.
    TranslationPage(u32),
    /// Logical page and the physical page that it is mapped to.
    Mapping(Lpn, Ppn),
    /// A number; what it counts is the key's name, or the list's.
    Count(u64),
    /// A word of a fixed set, such as the state of a collection.
    Word(&'static str),
}

impl fmt::Display for Item {
    /// Writes the bare number or word: the text around it says what it is.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lpn(Lpn(number))
            | Self::Page(Ppn(number))
            | Self::Block(BlockId(number))
            | Self::LogicalBlock(number)
            | Self::TranslationPage(number) => write!(f, "{number}"),
            Self::Mapping(lpn, ppn) => write!(f, "{} → {}", lpn.0, ppn.0),
            Self::Count(count) => write!(f, "{count}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_caption_shows_its_values_as_bare_numbers_and_words() {
        let values = [
            ("logical", Item::LogicalBlock(3)),
            ("log", Item::Block(BlockId(2))),
            ("entry", Item::Mapping(Lpn(5), Ppn(17))),
            ("why", Item::Word("idle time")),
        ];
        let of = |caption| Event::new("full-merge", caption, &values).to_string();
        let caption = "full merge of LBN {logical}: log block {log}, {entry} ({why})";
        assert_eq!(of(caption), "full merge of LBN 3: log block 2, 5 → 17 (idle time)");
        assert_eq!(of("{what} of {log"), "{what} of {log");
        assert_eq!(of("{logical}{log}"), "32");
    }
}
