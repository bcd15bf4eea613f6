//! Captions: what happened, in words. Every figure in them is recorded.

use crate::pages::{Content, Page};
use crate::recorder::{Outcome, SeenOperation};
use crate::units::time;
use flash::{Cause, Geometry, Item, Ns, Operation, PageKind, Part, Ppn};
use ftl::BlockUse;

/// What captions refer to besides the operation itself.
#[derive(Debug)]
pub(crate) struct Captions {
    pub(crate) geometry: Geometry,
    /// True if logical pages are named by their place in a logical block, too.
    pub(crate) by_blocks: bool,
    /// tR and tPROG of a copy's two halves; `None` if a copy has times of its own.
    copy_ns: Option<[Ns; 2]>,
    /// Uses of blocks after the last page task.
    pub(crate) uses: Vec<BlockUse>,
    /// Names that events of the present page task have given to blocks.
    pub(crate) named: Vec<(u32, &'static str)>,
    /// The merge, fold or collection of a logical block under way, as the event that began it calls it.
    pub(crate) within: Option<String>,
}

impl Captions {
    pub(crate) fn new(geometry: &Geometry, part: &Part, by_blocks: bool) -> Self {
        let plain = part.copies.is_none() && !part.depends_on_page();
        Self {
            geometry: *geometry,
            by_blocks,
            copy_ns: plain.then_some([part.t_r_ns, part.t_prog_ns]),
            uses: Vec::new(),
            named: Vec::new(),
            within: None,
        }
    }

    /// A logical page, with its place in its logical block where that matters.
    pub(crate) fn lpn(&self, lpn: u32) -> String {
        if !self.by_blocks {
            return format!("LPN {lpn}");
        }
        let pages = self.geometry.pages_per_block();
        format!("LPN {lpn} (LBN {} page {})", lpn / pages, lpn % pages)
    }

    /// A block with its role: `log block 3`.
    pub(crate) fn block(&self, block: u32) -> String {
        let named = self.named.iter().rev().find(|(named, _)| *named == block).map(|(_, key)| *key);
        // Roles are those before the task: a block that was free is being opened.
        let role = self.uses.get(block as usize).map_or("", |of| of.role);
        let is_own = !matches!(role, BlockUse::FREE | BlockUse::FULL | BlockUse::SPARE | "");
        match (named, role) {
            (Some("victim"), BlockUse::LOG) => format!("victim log block {block}"),
            (Some("victim"), _) => format!("victim block {block}"),
            (_, role) if is_own => format!("{role} block {block}"),
            (Some(named), _) if BlockUse::ROLES.iter().any(|(role, _)| *role == named) => {
                format!("{named} block {block}")
            }
            _ => format!("block {block}"),
        }
    }

    /// The block is erased: it has no role until the page task ends.
    pub(crate) fn erased(&mut self, block: u32) {
        self.named.retain(|(named, _)| *named != block);
        if let Some(of) = self.uses.get_mut(block as usize) {
            *of = BlockUse::new(BlockUse::FREE);
        }
    }

    /// A physical page with the role of its block: `page 5 of log block 3`.
    fn page(&self, ppn: Ppn) -> String {
        let (block, page) = self.geometry.split(ppn);
        format!("{} page {page}", self.block(block.0))
    }

    fn content(&self, content: Content) -> Option<String> {
        match content {
            Content::Nothing => None,
            Content::Lpn(lpn) => Some(self.lpn(lpn)),
            Content::TranslationPage(number) => Some(format!("translation page {number}")),
        }
    }

    fn held(&self, seen: &SeenOperation, page: Page) -> String {
        let by_oob = seen.oob.map(|oob| match oob.kind {
            PageKind::Data => self.lpn(oob.lpn.0),
            PageKind::Translation => format!("translation page {}", oob.lpn.0),
            PageKind::Other => "padding".into(),
        });
        by_oob.or_else(|| self.content(page.content)).unwrap_or_else(|| "a page".into())
    }

    /// An operation. `page`: what its page holds afterwards.
    pub(crate) fn operation(&self, seen: &SeenOperation, page: Page, is_write: bool) -> String {
        let held = self.held(seen, page);
        let at = self.page(seen.page);
        let what = match seen.operation {
            Operation::Read => format!("read {held} from {at}"),
            Operation::ReadOob => match seen.outcome {
                Outcome::Done => format!("read OOB of {at}: {held}"),
                _ => format!("read OOB of {at}"),
            },
            Operation::Program => format!("program {held} into {at}"),
            Operation::Copy => match seen.from {
                Some(from) => format!("copy {held} from {} to {at}", self.page(from)),
                None => format!("copy {held} to {at}"),
            },
            Operation::Erase => {
                format!("erase {}", self.block(self.geometry.block_of(seen.page).0))
            }
        };
        let end = match seen.outcome {
            Outcome::Done => self.duration(seen),
            Outcome::Erased => ": it is erased".into(),
            Outcome::Unreadable => format!(": unreadable{}", self.duration(seen)),
            Outcome::Cut => ": the power fails in it".into(),
            Outcome::Failed => ": the part reports a failure".into(),
        };
        let why = match &self.within {
            Some(begun) if seen.cause.is_step() => begun.clone(),
            _ => cause_words(seen.cause, is_write).into(),
        };
        format!("{why}: {what}{end}")
    }

    fn duration(&self, seen: &SeenOperation) -> String {
        match (seen.operation, self.copy_ns) {
            (Operation::Copy, Some([read, program])) if read + program == seen.ns => {
                format!(" ({} + {})", time(read), time(program))
            }
            _ => format!(" ({})", time(seen.ns)),
        }
    }

    /// An event: its caption with the values in their places.
    pub(crate) fn event(&self, caption: &str, values: &[(&'static str, Item)]) -> String {
        values.iter().fold(caption.to_owned(), |text, (key, item)| {
            let value = match item {
                Item::Page(ppn) => {
                    let (block, page) = self.geometry.split(*ppn);
                    format!("{page} of block {}", block.0)
                }
                item => item.to_string(),
            };
            text.replace(&format!("{{{key}}}"), &value)
        })
    }

    /// Takes note of what an event names and begins, for the captions of the operations behind it. Returns the blocks that
    /// it names.
    pub(crate) fn follow(
        &mut self,
        name: &str,
        values: &[(&'static str, Item)],
        text: &str,
    ) -> Vec<(u32, &'static str)> {
        let marks = marks(name, values);
        self.named.extend(&marks);
        let of_logical = values.iter().any(|(_, item)| matches!(item, Item::LogicalBlock(_)));
        match name {
            "merge-end" | "fold-end" => self.within = None,
            "switch-merge" | "partial-merge" | "full-merge" | "fold" | "victim"
            | "collection-step" => {
                let short = text.split_once(':').map_or(text, |(short, _)| short);
                self.within = of_logical.then(|| short.to_owned());
            }
            _ => {}
        }
        marks
    }
}

/// The blocks that an event names, and in which capacity.
fn marks(name: &str, values: &[(&'static str, Item)]) -> Vec<(u32, &'static str)> {
    let role = values.iter().find_map(|(key, item)| match item {
        Item::Word(word) if *key == "role" => Some(*word),
        _ => None,
    });
    let capacity = |key: &'static str| match (key, name) {
        ("block", "victim" | "collection-step" | "slc-fold") => Some("victim"),
        ("block", "obsolete-block") => Some("obsolete"),
        ("block", _) => role,
        _ => Some(key),
    };
    let blocks = values.iter().filter_map(|(key, item)| match item {
        Item::Block(block) => Some((block.0, capacity(key)?)),
        _ => None,
    });
    blocks.collect()
}

fn cause_words(cause: Cause, is_write: bool) -> &'static str {
    match cause {
        Cause::Host if is_write => "host write",
        Cause::Host => "host read",
        Cause::Collection => "collection",
        Cause::Translation if is_write => "map eviction",
        Cause::Translation => "map lookup",
        Cause::WriteBack => "map write-back",
        Cause::TranslationCollection => "collection of translation pages",
        Cause::SwitchMerge => "switch merge",
        Cause::PartialMerge => "partial merge",
        Cause::FullMerge => "full merge",
        Cause::Mount => "mount",
        Cause::WearLevel => "wear levelling",
        Cause::Fold => "fold of the SLC cache",
        Cause::FoldOnWrite => "fold of the SLC cache for a write",
        Cause::Refresh => "refresh",
        Cause::ReadReclaim => "read reclaim",
    }
}
