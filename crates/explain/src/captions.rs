//! Captions: what happened, in words. Every figure in them is recorded.

use crate::pages::{Content, Page};
use crate::recorder::{Outcome, SeenOperation};
use crate::units::time;
use flash::{Cause, Geometry, Item, Lpn, Ns, Operation, PageKind, Part, Ppn};
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
    /// The merge or fold under way, by the caption of the event that began it.
    pub(crate) within: Option<(Cause, String)>,
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
        let role = self.uses.get(block as usize).map_or("", |of| of.role);
        // The role is that before the task: a block that was free is being opened.
        let shown = match (named, role) {
            (Some("victim"), _) => "victim ",
            (_, BlockUse::FREE | BlockUse::FULL | BlockUse::SPARE | "") => "",
            (_, role) => return format!("{role} block {block}"),
        };
        format!("{shown}block {block}")
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
            Some((cause, caption)) if *cause == seen.cause => caption.clone(),
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

    /// An item in words.
    pub(crate) fn item(&self, item: Item) -> String {
        match item {
            Item::Lpn(Lpn(lpn)) => self.lpn(lpn),
            Item::Page(ppn) => {
                let (block, page) = self.geometry.split(ppn);
                format!("block {} page {page}", block.0)
            }
            Item::Block(block) => format!("block {}", block.0),
            Item::LogicalBlock(number) => format!("LBN {number}"),
            Item::TranslationPage(number) => format!("translation page {number}"),
            Item::Mapping(lpn, ppn) => {
                format!("{} → {}", self.lpn(lpn.0), self.item(Item::Page(ppn)))
            }
            Item::Count(count) => count.to_string(),
            Item::Word(word) => word.into(),
        }
    }

    /// An event: its caption with the values in their places.
    pub(crate) fn event(&self, caption: &str, values: &[(&'static str, Item)]) -> String {
        values.iter().fold(caption.to_owned(), |text, (key, item)| {
            text.replace(&format!("{{{key}}}"), &self.item(*item))
        })
    }
}

impl Captions {
    /// Takes note of an event that begins or ends a merge.
    pub(crate) fn follow(&mut self, name: &str, text: &str) {
        let kinds = [Cause::SwitchMerge, Cause::PartialMerge, Cause::FullMerge];
        let begun = kinds.into_iter().find(|cause| cause.name() == name);
        if let Some(cause) = begun {
            let short = text.split_once(':').map_or(text, |(short, _)| short);
            self.within = Some((cause, short.to_owned()));
        } else if name == "merge-end" {
            self.within = None;
        }
    }
}

fn cause_words(cause: Cause, is_write: bool) -> &'static str {
    match cause {
        Cause::Host if is_write => "host write",
        Cause::Host => "host read",
        Cause::Collection => "collection",
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
