//! Charts of lines with their legends beside them.

use super::axis::Axis;
use super::options::PlotOptions;
use super::style::{
    GREY, LEGEND, LINES, Look, Mark, NAME_SIZE, NOTE_SIZE, fitted, legend_lines, text, text_width,
};
use super::svg::{Area, PlotError};
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::ranged1d::Ranged;
use plotters::element::{
    Circle, Cross, DashedPathElement, EmptyElement, PathElement, Rectangle, Text, TriangleMarker,
};
use plotters::prelude::{Cartesian2d, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, RGBColor, WHITE};

/// A chart on two axes.
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

/// Lines and bounds on two axes.
#[derive(Clone, Debug)]
pub struct Lines {
    pub(super) caption: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) lines: Vec<Line>,
    pub(super) bounds: Vec<Bound>,
}

/// One line, in data values.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) name: String,
    /// Numbers of its schemes: several if their lines are identical.
    pub(super) schemes: Vec<usize>,
    /// Further lines of the legend.
    pub(super) notes: Vec<String>,
    pub(super) look: Look,
    /// Corners of a step curve, in the order of x.
    pub(super) points: Vec<(f64, f64)>,
    /// Draws a mark at the line's end as well.
    pub(super) end_marked: bool,
}

impl Line {
    /// Height of its legend entry, pixels.
    fn legend_height(&self) -> u32 {
        let names = legend_lines(&self.name).len() as u32 * (NAME_SIZE + 2);
        names + self.notes.len() as u32 * (NOTE_SIZE + 2) + 8
    }
}

/// A bound of one or several schemes, or of all.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) at: f64,
    pub(super) label: String,
    pub(super) color: RGBColor,
    /// Numbers of its schemes; empty: it is of all.
    pub(super) schemes: Vec<usize>,
}

/// Rows of bound labels.
const BOUND_ROWS: usize = 4;

/// Identical lines as one, with all their names.
fn merged(lines: &[Line]) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    for line in lines {
        let same = |other: &&mut Line| other.points == line.points && !line.points.is_empty();
        match out.iter_mut().find(same) {
            None => out.push(line.clone()),
            Some(other) => {
                other.name = format!("{}, {}", other.name, line.name);
                other.schemes.extend(&line.schemes);
                let more = line.notes.iter().filter(|note| !other.notes.contains(note));
                let more: Vec<String> = more.cloned().collect();
                other.notes.extend(more);
            }
        }
    }
    out
}

impl Lines {
    /// The SVG with a legend at the right; many lines are drawn in several charts on the same axes.
    pub(super) fn svg(&self, options: &PlotOptions) -> Result<String, PlotError> {
        let y = self.y_with_labels(options);
        let (axes, mut lines) = ((&self.x, &y), merged(&self.lines));
        let (width, height) = options.canvas();
        let is_many = lines.len() > LINES;
        for line in &mut lines {
            if is_many || length(&line.points, axes, (width, height)) > DASHED {
                line.look = line.look.solid();
            }
        }
        let charts = lines.len().div_ceil(LINES).max(1);
        let groups: Vec<&[Line]> = match lines.len() {
            0 => vec![&[]],
            count => lines.chunks(count.div_ceil(charts)).collect(),
        };
        let least = chart_height(height, charts);
        let legend = |group: &&[Line]| group.iter().map(Line::legend_height).sum::<u32>();
        let heights = groups.iter().map(|of| least.max(UNTITLED_LEGEND_TOP + legend(of) + 20));
        let heights: Vec<u32> = heights.collect();
        let title_height = if options.titled { TITLE } else { 0 };
        options.drawn((width, title_height + heights.iter().sum::<u32>()), |area| {
            let mut below = titled(area, &options.title(&self.caption))?;
            for (group, height) in groups.iter().zip(&heights) {
                let (chart, rest) = below.split_vertically(*height);
                draw_lines(&chart, axes, group, &self.bounds)?;
                below = rest;
            }
            Ok(())
        })
    }

    /// The axis upwards, with room for the bounds' labels beyond its end.
    fn y_with_labels(&self, options: &PlotOptions) -> Axis {
        if self.bounds.is_empty() {
            return self.y.clone();
        }
        let rows = self.bounds.len().min(BOUND_ROWS) as u32;
        let charts = self.lines.len().div_ceil(LINES);
        let height = chart_height(options.canvas().1, charts) - FRAME;
        self.y.clone().with_headroom(f64::from(ROW * rows + 6) / f64::from(height))
    }
}

fn chart_height(height: u32, charts: usize) -> u32 {
    if charts == 1 { height } else { height * 2 / 3 }
}

/// Height at which a legend begins beside a chart without a title.
const UNTITLED_LEGEND_TOP: u32 = 14;

/// Height of a row of bound labels.
const ROW: u32 = 17;

/// Height of all beside the data in a chart without a title: margins and the names of the axis.
const FRAME: u32 = 72;

/// Longest line with dashes, pixels: each of them is an element of the file.
const DASHED: f64 = 6000.0;

/// Length of a line on a canvas of this size, pixels.
fn length(points: &[(f64, f64)], (x, y): (&Axis, &Axis), (width, height): (u32, u32)) -> f64 {
    let step = |pair: &[(f64, f64)]| {
        let along = (x.share_at(pair[1].0) - x.share_at(pair[0].0)).abs() * f64::from(width);
        let up = (y.share_at(pair[1].1) - y.share_at(pair[0].1)).abs() * f64::from(height);
        along + up
    };
    points.windows(2).map(step).sum()
}

/// Height of a title, pixels.
pub(super) const TITLE: u32 = 34;

/// Writes a title, if there is one, and returns the area below it.
pub(super) fn titled<'a>(area: &Area<'a>, words: &str) -> Result<Area<'a>, PlotError> {
    if words.is_empty() {
        return Ok(area.clone());
    }
    let (width, _) = area.dim_in_pixel();
    let (above, below) = area.split_vertically(TITLE);
    // What is too long even in small letters is broken once, where its parts are most alike.
    let middle = words.len() / 2;
    let breaks = words.match_indices(' ').map(|(at, _)| at);
    let broken = breaks.min_by_key(|at| at.abs_diff(middle)).map(|at| words.split_at(at));
    let lines: Vec<&str> = match broken {
        Some((first, second)) if fitted(words, width).0 != words => {
            vec![first, second.trim_start()]
        }
        _ => vec![words],
    };
    let height = TITLE as i32 / lines.len() as i32;
    for (at, line) in (0..).zip(lines) {
        let (line, size) = fitted(line, width);
        let style = text(size.min(height as u32 - 3)).pos(Pos::new(HPos::Center, VPos::Center));
        let line = Text::new(line, (width as i32 / 2, height * at + height / 2), style);
        above.draw(&line).map_err(PlotError::from)?;
    }
    Ok(below)
}

/// Draws the lines and bounds, and the legend at the right.
fn draw_lines(
    area: &Area<'_>,
    axes: (&Axis, &Axis),
    lines: &[Line],
    bounds: &[Bound],
) -> Result<(), PlotError> {
    let (data, legend) = beside_legend(area);
    let mut chart = framed(&data, "", axes, 64)?;
    if lines.iter().all(|line| line.points.is_empty()) {
        centered(&data, "nothing was measured")?;
    }
    for (n, line) in lines.iter().enumerate() {
        draw_line(&mut chart, axes.0, line, n, lines.len())?;
    }
    // Bounds are drawn last, so that no line hides them. Those beyond the axis are in the legend alone.
    let is_here = |bound: &&Bound| {
        let of_lines = || lines.iter().flat_map(|line| &line.schemes);
        let of_all = bound.schemes.is_empty();
        axes.0.contains(bound.at) && (of_all || of_lines().any(|n| bound.schemes.contains(n)))
    };
    let bounds: Vec<&Bound> = bounds.iter().filter(is_here).collect();
    for bound in &bounds {
        let (bottom, top) = (axes.1.range().start, axes.1.range().end);
        let dashed = Look { color: bound.color, dash: Some((6, 4)), mark: Mark::Circle };
        draw_path(&mut chart, &[(bound.at, bottom), (bound.at, top)], dashed, 1)?;
    }
    bound_labels(&mut chart, axes, &bounds)?;
    let mut top = UNTITLED_LEGEND_TOP as i32;
    for line in lines {
        top = legend_entry(&legend, line, top)?;
    }
    Ok(())
}

/// Labels of bounds beside their lines, where there is room; the legend has all bounds.
fn bound_labels(
    chart: &mut Chart<'_, '_>,
    (x, y): (&Axis, &Axis),
    bounds: &[&Bound],
) -> Result<(), PlotError> {
    const SIZE: u32 = 13;
    let (left, right) = {
        let (across, _) = chart.plotting_area().get_pixel_range();
        (across.start, across.end)
    };
    let mut taken: Vec<(usize, i32, i32)> = Vec::new();
    // What is of all schemes comes first: no legend has it.
    let in_order = bounds.iter().filter(|bound| bound.schemes.is_empty());
    for bound in in_order.chain(bounds.iter().filter(|bound| !bound.schemes.is_empty())) {
        let width = text_width(&bound.label, SIZE) + 8;
        let at = left + (x.share_at(bound.at) * f64::from(right - left)) as i32;
        let sides = [(HPos::Left, 6, at + 4), (HPos::Right, -6, at - 4 - width)];
        let places = (0..BOUND_ROWS).flat_map(|row| sides.iter().map(move |side| (row, side)));
        let is_free = |(row, (_, _, from)): &(usize, &(HPos, i32, i32))| {
            let apart = |&(other, start, end): &(usize, i32, i32)| {
                other != *row || from + width <= start || end <= *from
            };
            *from >= left && from + width <= right && taken.iter().all(apart)
        };
        let Some((row, (side, shift, from))) = { places }.find(is_free) else { continue };
        taken.push((row, *from, from + width));
        let height = 3 + ROW as i32 * row as i32;
        let under = Rectangle::new(
            [(from - at, height - 1), (from - at + width, height + SIZE as i32 + 1)],
            WHITE.mix(0.85).filled(),
        );
        let style = text(SIZE).color(&bound.color).pos(Pos::new(*side, VPos::Top));
        let label = Text::new(bound.label.clone(), (*shift, height), style);
        let place = (bound.at, y.range().end);
        chart.draw_series([EmptyElement::at(place) + under + label]).map_err(PlotError::from)?;
    }
    Ok(())
}

/// The part of the area for data, and the part for the legend.
pub(super) fn beside_legend<'a>(area: &Area<'a>) -> (Area<'a>, Area<'a>) {
    let (width, _) = area.dim_in_pixel();
    area.split_horizontally(width - LEGEND)
}

/// An empty chart with a title, labelled axes and a grid.
pub(super) fn framed<'a, 'b>(
    area: &'a Area<'b>,
    caption: &str,
    (x, y): (&Axis, &Axis),
    y_names: u32,
) -> Result<Chart<'a, 'b>, PlotError> {
    let (width, height) = area.dim_in_pixel();
    let title_room = if caption.is_empty() { 0 } else { 30 };
    let x =
        &x.fitting(width.saturating_sub(y_names + 24), |name| f64::from(text_width(name, 14) + 10));
    let y = &y.fitting(height.saturating_sub(FRAME + title_room), |_| 18.0);
    let mut builder = ChartBuilder::on(area);
    builder.margin(12).x_label_area_size(48).y_label_area_size(y_names);
    if !caption.is_empty() {
        let (caption, size) = fitted(caption, width.saturating_sub(24));
        builder.caption(caption, text(size));
    }
    let mut chart = builder.build_cartesian_2d(x.clone(), y.clone()).map_err(PlotError::from)?;
    chart
        .configure_mesh()
        .x_desc(&x.label)
        .y_desc(&y.label)
        .x_labels(x.ticks().len())
        .y_labels(y.ticks().len())
        .label_style(text(14))
        .axis_desc_style(text(15))
        .bold_line_style(BLACK.mix(0.13))
        .light_line_style(BLACK.mix(0.0))
        .draw()
        .map_err(PlotError::from)?;
    Ok(chart)
}

/// A remark in the middle of an empty chart.
pub(super) fn centered(area: &Area<'_>, remark: &str) -> Result<(), PlotError> {
    let (width, height) = area.dim_in_pixel();
    let middle = (width as i32 / 2, height as i32 / 2);
    let style = text(16).pos(Pos::new(HPos::Center, VPos::Center));
    area.draw(&Text::new(remark.to_owned(), middle, style)).map_err(PlotError::from)
}

fn draw_line(
    chart: &mut Chart<'_, '_>,
    x: &Axis,
    line: &Line,
    n: usize,
    of: usize,
) -> Result<(), PlotError> {
    draw_path(chart, &line.points, line.look, 2)?;
    // Marks at every eighth of the width, shifted for each line, so that lines that coincide stay visible.
    const MARKS: usize = 8;
    for at in 0..MARKS {
        let share = (at as f64 + (n as f64 + 0.5) / of as f64) / MARKS as f64;
        if let Some(point) = on_stairs(&line.points, x.value_at(share)) {
            draw_mark(chart, point, line.look)?;
        }
    }
    match line.points.last() {
        Some(end) if line.end_marked => draw_mark(chart, *end, line.look),
        _ => Ok(()),
    }
}

pub(super) fn draw_path(
    chart: &mut Chart<'_, '_>,
    points: &[(f64, f64)],
    look: Look,
    width: u32,
) -> Result<(), PlotError> {
    let drawn = match look.dash {
        None => {
            chart.draw_series([PathElement::new(points.to_vec(), look.stroke(width))]).map(|_| ())
        }
        Some((dash, gap)) => chart
            .draw_series([DashedPathElement::new(
                points.iter().copied(),
                dash,
                gap,
                look.stroke(width),
            )])
            .map(|_| ()),
    };
    drawn.map_err(PlotError::from)
}

/// The point of the step curve at `x`, if the curve reaches it.
fn on_stairs(points: &[(f64, f64)], x: f64) -> Option<(f64, f64)> {
    let tread = points.windows(2).find(|pair| pair[0].0 <= x && x <= pair[1].0)?;
    Some((x, tread[0].1))
}

pub(super) fn draw_mark(
    chart: &mut Chart<'_, '_>,
    place: (f64, f64),
    look: Look,
) -> Result<(), PlotError> {
    let filled = look.color.filled();
    match look.mark {
        Mark::Circle => chart.draw_series([Circle::new(place, 4, filled)]).map(|_| ()),
        Mark::Triangle => chart.draw_series([TriangleMarker::new(place, 6, filled)]).map(|_| ()),
        Mark::Square => chart
            .draw_series([EmptyElement::at(place) + Rectangle::new([(-4, -4), (4, 4)], filled)])
            .map(|_| ()),
        Mark::Cross => chart.draw_series([Cross::new(place, 5, look.stroke(2))]).map(|_| ()),
    }
    .map_err(PlotError::from)
}

/// A line of a legend.
pub(super) fn sample_line(
    legend: &Area<'_>,
    ends: [(i32, i32); 2],
    look: Look,
) -> Result<(), PlotError> {
    match look.dash {
        None => legend.draw(&PathElement::new(ends, look.stroke(2))),
        Some((dash, gap)) => legend.draw(&DashedPathElement::new(ends, dash, gap, look.stroke(2))),
    }
    .map_err(PlotError::from)
}

/// A mark of a legend.
pub(super) fn draw_mark_at(legend: &Area<'_>, at: (i32, i32), look: Look) -> Result<(), PlotError> {
    let (x, y) = at;
    let filled = look.color.filled();
    match look.mark {
        Mark::Circle => legend.draw(&Circle::new(at, 4, filled)),
        Mark::Triangle => legend.draw(&TriangleMarker::new(at, 6, filled)),
        Mark::Square => legend.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], filled)),
        Mark::Cross => legend.draw(&Cross::new(at, 5, look.stroke(2))),
    }
    .map_err(PlotError::from)
}

/// Draws one entry at a height; returns the height below it.
fn legend_entry(legend: &Area<'_>, line: &Line, top: i32) -> Result<i32, PlotError> {
    let middle = top + 8;
    sample_line(legend, [(8, middle), (48, middle)], line.look)?;
    draw_mark_at(legend, (28, middle), line.look)?;
    let below = legend_text(legend, &legend_lines(&line.name), top, NAME_SIZE, BLACK)?;
    let below = legend_text(legend, &line.notes, below, NOTE_SIZE, GREY)?;
    Ok(below + 8)
}

/// Draws lines of text beside a legend's samples; returns the height below them.
pub(super) fn legend_text(
    legend: &Area<'_>,
    lines: &[String],
    top: i32,
    size: u32,
    color: RGBColor,
) -> Result<i32, PlotError> {
    let mut y = top;
    for line in lines {
        let style = text(size).color(&color);
        legend.draw(&Text::new(line.clone(), (56, y), style)).map_err(PlotError::from)?;
        y += size as i32 + 2;
    }
    Ok(y)
}
