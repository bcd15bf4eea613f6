//! A chart of lines with a legend beside it.

use super::axis::Axis;
use super::style::{
    LEGEND, LEGEND_TOP, Look, Mark, NAME_SIZE, NOTE_SIZE, legend_lines, text, title,
};
use super::svg::{Area, PlotError};
use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::ranged1d::Ranged;
use plotters::element::{
    Circle, Cross, DashedPathElement, EmptyElement, PathElement, Rectangle, Text, TriangleMarker,
};
use plotters::prelude::{Cartesian2d, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, RGBColor};

/// A chart on two axes.
pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

/// One line, in data values.
pub(super) struct Line {
    pub(super) name: String,
    /// Further lines of the legend, at most two.
    pub(super) notes: Vec<String>,
    pub(super) look: Look,
    /// Corners of a step curve, in the order of x.
    pub(super) points: Vec<(f64, f64)>,
    /// Draws a mark at the line's end as well.
    pub(super) end_marked: bool,
}

/// A bound of one or several schemes.
pub(super) struct Bound {
    pub(super) at: f64,
    pub(super) label: String,
    pub(super) color: RGBColor,
}

/// Rows of bound labels; further bounds start again at the first row.
pub(super) const BOUND_ROWS: usize = 4;

/// Draws the lines and bounds, and the legend at the right.
pub(super) fn draw_lines(
    area: &Area<'_>,
    caption: &str,
    axes: (&Axis, &Axis),
    lines: &[Line],
    bounds: &[Bound],
) -> Result<(), PlotError> {
    let (data, legend) = beside_legend(area);
    let mut chart = framed(&data, caption, axes, 64)?;
    if lines.iter().all(|line| line.points.is_empty()) {
        centered(&data, "nothing was measured")?;
    }
    for (n, line) in lines.iter().enumerate() {
        draw_line(&mut chart, axes.0, line, n, lines.len())?;
    }
    // Bounds are drawn last, so that no line hides them.
    for (row, bound) in bounds.iter().enumerate() {
        draw_bound(&mut chart, axes, bound, row % BOUND_ROWS)?;
    }
    let mut top = LEGEND_TOP as i32;
    for line in lines {
        top = legend_entry(&legend, line, top)?;
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
    let mut chart = ChartBuilder::on(area)
        .caption(title(caption), text(19))
        .margin(12)
        .x_label_area_size(48)
        .y_label_area_size(y_names)
        .build_cartesian_2d(x.clone(), y.clone())
        .map_err(PlotError::from)?;
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

fn draw_path(
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

fn draw_mark(chart: &mut Chart<'_, '_>, place: (f64, f64), look: Look) -> Result<(), PlotError> {
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

/// A dashed line from bottom to top, with its label on the side that has room.
fn draw_bound(
    chart: &mut Chart<'_, '_>,
    (x, y): (&Axis, &Axis),
    bound: &Bound,
    row: usize,
) -> Result<(), PlotError> {
    let (bottom, top) = (y.range().start, y.range().end);
    let dashed = Look { color: bound.color, dash: Some((6, 4)), mark: Mark::Circle };
    draw_path(chart, &[(bound.at, bottom), (bound.at, top)], dashed, 1)?;
    let right = x.share_at(bound.at) < 0.6;
    let (side, shift) = if right { (HPos::Left, 6) } else { (HPos::Right, -6) };
    let style = text(13).color(&bound.color).pos(Pos::new(side, VPos::Top));
    let label = Text::new(bound.label.clone(), (shift, 3 + 17 * row as i32), style);
    chart
        .draw_series([EmptyElement::at((bound.at, top)) + label])
        .map(|_| ())
        .map_err(PlotError::from)
}

/// Draws one entry at a height; returns the height below it.
fn legend_entry(legend: &Area<'_>, line: &Line, top: i32) -> Result<i32, PlotError> {
    let (middle, color) = (top + 8, line.look.color);
    let sample = [(8, middle), (48, middle)];
    match line.look.dash {
        None => legend.draw(&PathElement::new(sample, line.look.stroke(2))),
        Some((dash, gap)) => {
            legend.draw(&DashedPathElement::new(sample, dash, gap, line.look.stroke(2)))
        }
    }
    .map_err(PlotError::from)?;
    let at = (28, middle);
    match line.look.mark {
        Mark::Circle => legend.draw(&Circle::new(at, 4, color.filled())),
        Mark::Triangle => legend.draw(&TriangleMarker::new(at, 6, color.filled())),
        Mark::Square => {
            legend.draw(&Rectangle::new([(24, middle - 4), (32, middle + 4)], color.filled()))
        }
        Mark::Cross => legend.draw(&Cross::new(at, 5, line.look.stroke(2))),
    }
    .map_err(PlotError::from)?;
    let below = legend_text(legend, &legend_lines(&line.name), top, NAME_SIZE, BLACK)?;
    let below = legend_text(legend, &line.notes, below, NOTE_SIZE, RGBColor(90, 90, 90))?;
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
