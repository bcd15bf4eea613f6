//! A recorded run: one value from which the page, the JSON lines and the text are made.

use crate::channel_log::Span;
use crate::pages::Page;
use crate::recorder::Outcome;
use flash::{Item, Ns};
use serde::{Serialize, Serializer};

/// A recorded run.
#[derive(Clone, Debug, Serialize)]
pub struct Recording {
    /// The scheme, its array and the workload.
    #[serde(flatten)]
    pub header: Header,
    /// What happened, in order. The first frame is the state after the format.
    pub frames: Vec<Frame>,
}

/// The scheme, its array and the workload.
#[derive(Clone, Debug, Serialize)]
pub struct Header {
    /// Version of the format of JSON lines.
    pub format: u32,
    /// Scheme with its settings.
    pub scheme: String,
    /// Summary of the scheme.
    pub summary: String,
    /// Source of the scheme.
    pub source: String,
    /// Part.
    pub part: String,
    /// Physical blocks.
    pub blocks: u32,
    /// Pages per block.
    pub pages_per_block: u32,
    /// Bytes per page.
    pub page_bytes: u32,
    /// Logical pages exported.
    pub logical_pages: u32,
    /// True if the scheme maps by logical blocks, so that a page has a place within its logical block.
    pub by_blocks: bool,
    /// What the numbers of logical blocks are called: `LBN` or `superblock`.
    pub logical_blocks: &'static str,
    /// tR, ns.
    pub read_ns: Ns,
    /// tPROG, ns.
    pub program_ns: Ns,
    /// tBERS, ns.
    pub erase_ns: Ns,
    /// The scheme's bounds.
    pub bound: Bound,
    /// The workload.
    pub workload: String,
    /// Seed.
    pub seed: u64,
    /// Notes: what was chosen by default, and why.
    pub notes: Vec<String>,
    /// First frame of the measured part: behind the fill.
    pub first: usize,
    /// Help on the states of pages.
    pub states: Vec<(crate::pages::PageState, &'static str)>,
    /// Help on the roles of blocks that occur.
    pub roles: Vec<(&'static str, &'static str)>,
    /// True if the scheme tells its map, so that the states of pages were compared with it.
    pub tells_map: bool,
    /// Placement handles of each reclaim group, and reclaim groups, if the scheme follows the host's streams: stream N is
    /// handle N mod K of group N div K.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handles: Option<(usize, usize)>,
    /// The channels, if operations overlap on them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ssd: Option<Ssd>,
}

/// The bounds of a scheme on a page task, ns; `None` without one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bound {
    /// Service of a read.
    pub read_ns: Option<Ns>,
    /// Service of a write.
    pub write_ns: Option<Ns>,
    /// Collection step.
    pub step_ns: Option<Ns>,
    /// Response.
    pub response_ns: Option<Ns>,
    /// Valid pages of a victim.
    pub victim_valid: Option<u32>,
    /// True if it does not depend on the workload's history.
    pub real_time: bool,
}

/// One thing that happened, and what it changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Frame {
    /// Number of the page task, mount or background work that it belongs to, from 0.
    pub group: u32,
    /// The host's clock at its end, ns; it stands still while the array is filled.
    pub at_ns: Ns,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
    /// The same in words.
    pub caption: String,
    /// What it changed.
    #[serde(flatten)]
    pub changes: Changes,
    /// What an operation keeps busy on an SSD, by time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
}

/// The channels of an SSD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Ssd {
    /// Channels, each with a bus.
    pub channels: u32,
    /// Dies of each channel. Block b is on channel b mod C, and on die ⌊b/C⌋ mod D of it.
    pub dies_per_channel: u32,
    /// Page tasks that are outstanding at a time.
    pub queue_depth: u32,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum What {
    /// The array has been formatted.
    Format,
    /// A page task begins.
    Task {
        /// Its number, from 1; the fill counts apart.
        number: u32,
        /// True if it belongs to the fill.
        fill: bool,
        /// `read`, `write`, `trim` or `flush`.
        op: &'static str,
        /// Its logical page, if it has one.
        lpn: Option<u32>,
        /// Placement stream of a write, if the host names one.
        #[serde(skip_serializing_if = "Option::is_none")]
        stream: Option<u8>,
    },
    /// A decision of the scheme.
    Event {
        /// Name.
        name: &'static str,
        /// Keys and values.
        values: Vec<(&'static str, Thing)>,
        /// Physical blocks that it names, and in which capacity.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        marks: Vec<(u32, &'static str)>,
    },
    /// An operation of the array.
    Operation {
        /// `read`, `read-oob`, `program`, `copy` or `erase`.
        op: &'static str,
        /// The cause that it is charged to.
        cause: &'static str,
        /// True if its time is of a collection step.
        step: bool,
        /// Source of a copy: physical page.
        #[serde(skip_serializing_if = "Option::is_none")]
        from: Option<u32>,
        /// Physical page; `None` for an erase.
        #[serde(skip_serializing_if = "Option::is_none")]
        page: Option<u32>,
        /// Physical block.
        block: u32,
        /// Duration.
        ns: Ns,
        /// How it ended.
        outcome: Outcome,
    },
    /// A page task has ended.
    TaskEnd {
        /// Service: its time without collection.
        service_ns: Ns,
        /// Collection step.
        step_ns: Ns,
        /// True if a bound was exceeded.
        exceeded: bool,
    },
    /// Background work begins, in idle time or because it is due.
    Background,
    /// Background work has ended.
    BackgroundEnd {
        /// Duration.
        ns: Ns,
    },
    /// The power failed.
    PowerCut {
        /// Number of the changing operation at which it failed, from 0, of the measured part.
        operation: u64,
    },
    /// The power is on again, and the scheme begins to mount.
    Mount,
    /// The scheme has mounted.
    Mounted {
        /// Duration of the mount.
        ns: Ns,
    },
}

/// What a frame changed. Each list holds the new values.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Changes {
    /// Physical pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<(u32, Page)>,
    /// Roles of physical blocks, and the logical block that each belongs to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<(u32, &'static str, Option<u32>)>,
    /// What the placement policy puts into physical blocks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub placed: Vec<(u32, Option<Put>)>,
    /// Places of logical pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub map: Vec<(u32, Where)>,
    /// All lists of the scheme, if any changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lists: Option<Vec<Shown>>,
    /// Pages that can be programmed without an erase, if their number changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free_pages: Option<u64>,
}

/// What the placement policy puts into a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Put {
    /// Pages of a class.
    Class(u8),
    /// Pages of a stream of the host.
    Stream(u8),
    /// Copies of pages of all streams.
    Copies,
}

impl From<ftl::Placed> for Put {
    fn from(placed: ftl::Placed) -> Self {
        match placed {
            ftl::Placed::Class(class) => Self::Class(class),
            ftl::Placed::Stream(stream) => Self::Stream(stream),
            ftl::Placed::Copies => Self::Copies,
        }
    }
}

impl std::fmt::Display for Put {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Class(class) => write!(f, "class {class}"),
            Self::Stream(stream) => write!(f, "stream {stream}"),
            Self::Copies => f.write_str("copies"),
        }
    }
}

/// Place of a logical page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Where {
    /// Never written, or trimmed.
    Unmapped,
    /// In RAM.
    Ram,
    /// Physical page.
    Page(u32),
    /// Unreadable.
    Lost,
}

impl From<ftl::Place> for Where {
    fn from(place: ftl::Place) -> Self {
        match place {
            ftl::Place::Unmapped => Self::Unmapped,
            ftl::Place::Ram => Self::Ram,
            ftl::Place::Flash(ppn) => Self::Page(ppn.0),
            ftl::Place::Lost => Self::Lost,
        }
    }
}

/// A list of the scheme.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shown {
    /// Name.
    pub name: &'static str,
    /// What it holds.
    pub help: &'static str,
    /// Most items that it can hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<u64>,
    /// Items.
    pub items: Vec<Thing>,
}

impl From<&ftl::List> for Shown {
    fn from(list: &ftl::List) -> Self {
        let items = list.items.iter().copied().map(Thing).collect();
        // A queue without a limit is as long as numbers go.
        let capacity = list.capacity.filter(|most| *most < u64::from(u32::MAX));
        Self { name: list.name, help: list.help, capacity, items }
    }
}

/// Something that a scheme names; as JSON an object of one key, which is its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thing(pub Item);

impl Serialize for Thing {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "snake_case")]
        enum Kind {
            Lpn(u32),
            Page(u32),
            Block(u32),
            LogicalBlock(u32),
            TranslationPage(u32),
            Mapping(u32, u32),
            Count(u64),
            Word(&'static str),
        }
        let kind = match self.0 {
            Item::Lpn(lpn) => Kind::Lpn(lpn.0),
            Item::Page(ppn) => Kind::Page(ppn.0),
            Item::Block(block) => Kind::Block(block.0),
            Item::LogicalBlock(number) => Kind::LogicalBlock(number),
            Item::TranslationPage(number) => Kind::TranslationPage(number),
            Item::Mapping(lpn, ppn) => Kind::Mapping(lpn.0, ppn.0),
            Item::Count(count) => Kind::Count(count),
            Item::Word(word) => Kind::Word(word),
        };
        kind.serialize(to)
    }
}

/// State of array and scheme at a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Physical pages.
    pub pages: Vec<Page>,
    /// Role of each physical block, and its logical block.
    pub blocks: Vec<(&'static str, Option<u32>)>,
    /// What the placement policy puts into each physical block.
    pub placed: Vec<Option<Put>>,
    /// Place of each logical page.
    pub map: Vec<Where>,
    /// Lists of the scheme.
    pub lists: Vec<Shown>,
    /// Pages that can be programmed without an erase.
    pub free_pages: u64,
}

impl State {
    /// The state before the first frame.
    pub fn before(header: &Header) -> Self {
        Self {
            pages: vec![Page::default(); (header.blocks * header.pages_per_block) as usize],
            blocks: vec![("", None); header.blocks as usize],
            placed: vec![None; header.blocks as usize],
            map: vec![Where::Unmapped; header.logical_pages as usize],
            lists: Vec::new(),
            free_pages: 0,
        }
    }

    /// Applies a frame.
    pub fn apply(&mut self, changes: &Changes) {
        for (ppn, page) in &changes.pages {
            self.pages[*ppn as usize] = *page;
        }
        for (block, role, logical) in &changes.blocks {
            self.blocks[*block as usize] = (role, *logical);
        }
        for (block, put) in &changes.placed {
            self.placed[*block as usize] = *put;
        }
        for (lpn, place) in &changes.map {
            self.map[*lpn as usize] = *place;
        }
        if let Some(lists) = &changes.lists {
            self.lists.clone_from(lists);
        }
        self.free_pages = changes.free_pages.unwrap_or(self.free_pages);
    }
}

impl Recording {
    /// State after frame `at`.
    pub fn state_at(&self, at: usize) -> State {
        let mut state = State::before(&self.header);
        self.frames[..=at].iter().for_each(|frame| state.apply(&frame.changes));
        state
    }
}

impl Thing {
    /// The item in a few characters; pages as block.page.
    pub(crate) fn short(&self, pages_per_block: u32) -> String {
        let place = |ppn: u32| format!("{}.{}", ppn / pages_per_block, ppn % pages_per_block);
        match self.0 {
            Item::Lpn(lpn) => format!("LPN {}", lpn.0),
            Item::Page(ppn) => place(ppn.0),
            Item::Block(block) => format!("block {}", block.0),
            Item::LogicalBlock(number) => format!("LBN {number}"),
            Item::TranslationPage(number) => format!("T{number}"),
            Item::Mapping(lpn, ppn) => format!("{} at {}", lpn.0, place(ppn.0)),
            Item::Count(count) => count.to_string(),
            Item::Word(word) => word.into(),
        }
    }
}
