//! A collector for page maps: after each write it moves at most four pages of a victim, or erases the victim. A write
//! that finds at most one block's pages free first collects a whole victim.
//!
//! ```text
//! before a write, while free pages ≤ π:   finish the current victim, or collect a whole one
//! after a write, below 2π free pages:     select a victim; move 4 of its pages, or erase it if none is left
//! ```
//!
//! Worst case: a write waits for one whole victim (π − 1 copies and an erase) and one step; usually for one step.
//!
//! Parameters: `victim` (any), `share` (at most (N − 2)π − 1 pages), `spare`.

use ftlkit::flash::{BlockId, Event, Geometry, Item, Part, Probe};
use ftlkit::ftl::page_mapped::{self, Collection, Core, Tables};
use ftlkit::ftl::victims::Victims;
use ftlkit::ftl::{
    BuildResult, CollectionKind, DirtyPages, FtlError, Guarantee, Layout, NoBuffer, Plan, Preset,
    SchemeConfig, Setup, VictimKind,
};

/// Maximum pages moved after a write.
const MOVES: u32 = 4;

/// Declaration of the scheme.
pub static PRESET: Preset = Preset {
    name: "paced",
    summary: "page map in RAM, a few pages moved after each write, the rest at once if room is short",
    source: "an example",
    settings: &["victim"],
    victims: None,
    page: "After each write at most four pages of a victim are moved, or it is erased.",
    buffer: None,
    plan,
    build: make,
};

/// What it exports, keeps free and promises, or why it cannot run on this array.
fn plan(
    config: &SchemeConfig,
    part: &Part,
    geometry: &Geometry,
    blocks: u32,
) -> Result<Plan, FtlError> {
    let pages = geometry.pages_per_block();
    let most = (blocks - 2) * pages - 1;
    let logical_pages = config.logical_pages.unwrap_or(most);
    if logical_pages > most {
        let reason = format!("exports {logical_pages} pages; at most {most} fit");
        return Err(FtlError::Config { scheme: PRESET.name, setting: "logical share", reason });
    }
    let moves = |pages: u32| u64::from(pages) * part.t_copy_ns();
    // With `greedy-scan:K`, all K victims of one selection are collected at once.
    let victims = config.victim.unwrap_or(VictimKind::GREEDY);
    let whole = u64::from(victims.victims_at_once()) * (moves(pages - 1) + part.t_bers_ns);
    let step_ns = whole + moves(MOVES).max(part.t_bers_ns);
    Ok(Plan {
        logical_pages,
        threshold_pages: 2 * pages,
        spare_blocks: 0,
        layout: Layout::PageMapped(CollectionKind::Own),
        buffer: None,
        slc: None,
        guarantee: Guarantee {
            read_ns: Some(part.t_r_ns),
            write_ns: Some(part.t_prog_ns),
            step_ns: Some(step_ns),
            response_ns: Some(part.t_r_ns.max(part.t_prog_ns + step_ns)),
            victim_valid: Some(pages - 1),
            ..Guarantee::default()
        },
        ram: page_mapped::ram(geometry, logical_pages, victims),
    })
}

/// Map, victim policy and collector, on any array.
fn make<F: Probe + Clone + 'static>(setup: &Setup<'_>, flash: F) -> BuildResult<F> {
    let victims = setup.config.victim.unwrap_or(VictimKind::GREEDY);
    page_mapped::assemble(setup, flash, victims, State { victim: None, cursor: 0 })
}

/// Collector state; see the module documentation.
#[derive(Clone, Debug)]
struct State {
    victim: Option<BlockId>,
    /// Position in the victim at which the next step continues.
    cursor: u32,
}

impl Collection for State {
    /// Makes room for the write to come, or returns that there is none.
    fn before_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        map: &mut Core<F, V, T>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        let block = u64::from(map.flash().geometry().pages_per_block());
        while map.free_pages() <= block || map.committed_victims() > 0 {
            if let Some(victim) = self.victim.take() {
                map.move_pages(victim, &mut self.cursor, u32::MAX, buffer)?;
                map.erase(victim)?;
            } else if !map.collect(buffer)? {
                return if map.free_pages() == 0 { Err(map.no_room()) } else { Ok(()) };
            }
        }
        Ok(())
    }

    /// What the write's response does not wait for, but the next task may.
    fn after_write<F: Probe, V: Victims, T: Tables>(
        &mut self,
        map: &mut Core<F, V, T>,
        buffer: &mut dyn DirtyPages,
    ) -> Result<(), FtlError> {
        if self.victim.is_none() && map.free_pages() < map.threshold_pages() {
            (self.victim, self.cursor) = (map.take_victim(), 0);
        }
        let Some(victim) = self.victim else { return Ok(()) };
        map.event(&Event::new(
            "collection-step",
            "step on block {block}: {moves} pages at most, or its erase",
            &[("block", Item::Block(victim)), ("moves", Item::Count(MOVES.into()))],
        ));
        if map.move_pages(victim, &mut self.cursor, MOVES, buffer)? == 0 {
            self.victim = None;
            map.erase(victim)?;
        }
        Ok(())
    }

    /// Behind a mount: restores the free space from which the bound holds.
    fn recover<F: Probe, V: Victims, T: Tables>(
        &mut self,
        map: &mut Core<F, V, T>,
    ) -> Result<(), FtlError> {
        while map.free_pages() <= map.threshold_pages() && map.collect(&mut NoBuffer)? {}
        Ok(())
    }

    /// The block under collection, and the page at which it goes on.
    fn in_progress(&self) -> Option<(BlockId, u32)> {
        self.victim.map(|victim| (victim, self.cursor))
    }

    /// Uses idle time; true if it did anything.
    fn idle<F: Probe, V: Victims, T: Tables>(
        &mut self,
        _map: &mut Core<F, V, T>,
    ) -> Result<bool, FtlError> {
        Ok(false)
    }
}
