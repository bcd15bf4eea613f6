//! The host's placement streams in the report's tables: events per scheme, and one line per scheme and handle.

use super::cells::none;
use super::grid::Grid;
use super::ssd_rows::Row;
use ::run::report::units;
use ::run::report::{HandleReport, Report, SchemeReport, StreamsReport};

/// What the words of these rows mean.
pub(super) const HOW_TO_READ: &str = "Streams: handle N is that of the host's stream N, handle 0 of writes without one; with \
    K handles in each reclaim group stream N is handle N mod K of group N div K. \
    Moved: pages of the handle that collection moved. Displaced: written to a block of another handle or reclaim group, for \
    want of free ones or because its group was full. Reallocated: blocks collected with valid pages.";

/// Rows on the events of all handles; none if no scheme has streams.
pub(super) fn events(schemes: &[SchemeReport], row: Row<'_>) {
    if schemes.iter().all(|scheme| scheme.streams.is_none()) {
        return;
    }
    let mut of = |label: &str, figure: &dyn Fn(&StreamsReport) -> u64| {
        row(label, &|scheme| {
            let streams = scheme.streams.as_ref();
            streams.map_or_else(none, |streams| units::count(figure(streams)))
        });
    };
    of("collected blocks", &|streams| streams.collected_blocks);
    of("  reallocated", &|streams| streams.media_reallocated_blocks);
    of("  not written fully", &|streams| streams.not_fully_written_blocks);
    of("pages without a handle", &|streams| streams.invalid_handle_pages);
}

/// The handles as lines of at most `width` columns; nothing without streams.
pub(super) fn render(report: &Report, width: usize) -> String {
    grid(report).map_or_else(String::new, |grid| grid.schemes_as_rows(width) + "\n")
}

/// One row per handle that was used; `None` without any.
pub(super) fn grid(report: &Report) -> Option<Grid> {
    let one = report.schemes.iter().filter(|scheme| scheme.streams.is_some()).count() == 1;
    let of = |scheme: &str, groups: usize, handle: &HandleReport| {
        let scheme = if one { String::new() } else { format!("{scheme}: ") };
        let group = match groups {
            1 => String::new(),
            _ => format!("group {} ", handle.group),
        };
        format!("{scheme}{group}handle {}", handle.handle)
    };
    let streams =
        report.schemes.iter().filter_map(|scheme| Some((scheme, scheme.streams.as_ref()?)));
    let each = streams.flat_map(|(scheme, streams)| {
        streams.handles.iter().map(move |handle| (of(&scheme.name, streams.groups, handle), handle))
    });
    let handles: Vec<(String, &HandleReport)> = each.collect();
    if handles.is_empty() {
        return None;
    }
    let mut grid = Grid::new(handles.iter().map(|(name, _)| name.clone()).collect());
    let mut row = |label: &str, cell: &dyn Fn(&HandleReport) -> String| {
        grid.row(label, handles.iter().map(|(_, handle)| cell(handle)).collect());
    };
    row("page writes", &|handle| units::count(handle.written));
    row("moved", &|handle| units::count(handle.moved));
    row("WAF", &|handle| handle.waf.map_or_else(none, |waf| format!("{waf:.3}")));
    row("displaced", &|handle| units::count(handle.displaced));
    row("blocks opened", &|handle| units::count(handle.opened_blocks));
    Some(grid)
}
