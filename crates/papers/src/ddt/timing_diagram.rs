//! Timing diagrams: panels of signals over time, with marked spans below the signals.

use lab::report::plots::{Area, PALETTE, PlotError, drawn, fitted, text};
use plotters::element::{PathElement, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{BLACK, Color, RGBColor, WHITE};

/// Widths of a diagram, of its name column and of its right margin, pixels.
const WIDTH: i32 = 1200;
const NAMES: i32 = 86;
const EDGE: i32 = 16;
/// Heights of the title, a panel header, a row, its trace, a span lane and the tick labels, pixels.
const TITLE: i32 = 44;
const HEAD: i32 = 30;
const ROW: i32 = 27;
const TRACE: i32 = 17;
const LANE: i32 = 19;
const TICKS: i32 = 30;
/// Width of a transition between two values of the data lines, pixels.
const SLOPE: i32 = 3;
const GREY: RGBColor = RGBColor(150, 150, 150);
const PALE: RGBColor = RGBColor(225, 225, 225);

/// Level of a signal during an interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Low,
    High,
    /// Value on lines drawn as a bus; `None`: driven to an undefined value.
    Value(Option<String>),
    Floating,
}

/// Signal of a panel.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// Index into the palette; `None`: black.
    pub(crate) color: Option<usize>,
    /// Level changes as (time, level); the first is at or before the panel's begin.
    pub(crate) shapes: Vec<(u64, Shape)>,
}

/// Interval marked below the rows.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    /// Begin and end.
    pub(crate) of: (u64, u64),
    pub(crate) label: String,
    /// Lane below the rows, from 0.
    pub(crate) lane: usize,
    /// Index into the palette; `None`: black.
    pub(crate) color: Option<usize>,
    /// First row of the guide lines, which run from there down to the lane.
    pub(crate) top_row: usize,
}

/// Rows over one interval of time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panel {
    pub(crate) title: String,
    /// Begin and end, ns.
    pub(crate) of: (u64, u64),
    /// Distance between ticks, ns.
    pub(crate) tick: u64,
    pub(crate) rows: Vec<Row>,
    pub(crate) spans: Vec<Span>,
}

/// Panels stacked vertically.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimingDiagram {
    pub(crate) title: String,
    pub(crate) panels: Vec<Panel>,
}

impl TimingDiagram {
    /// Renders the diagram as SVG text.
    ///
    /// # Errors
    /// A failure of the drawing library.
    pub(crate) fn svg(&self) -> Result<String, PlotError> {
        let height = TITLE + self.panels.iter().map(Panel::height).sum::<i32>();
        drawn((WIDTH as u32, height as u32), |area| {
            let place = Pos::new(HPos::Center, VPos::Center);
            let (title, size) = fitted(&self.title, WIDTH as u32);
            put(area, &title, (WIDTH / 2, TITLE / 2), size, BLACK, place)?;
            let mut top = TITLE;
            for panel in &self.panels {
                panel.draw(area, top)?;
                top += panel.height();
            }
            Ok(())
        })
    }
}

impl Panel {
    fn lanes(&self) -> usize {
        self.spans.iter().map(|span| span.lane + 1).max().unwrap_or(0)
    }

    fn height(&self) -> i32 {
        HEAD + self.rows.len() as i32 * ROW + self.lanes() as i32 * LANE + TICKS
    }

    /// Horizontal position of a time; times outside the panel are clamped to its edges.
    fn x(&self, at: u64) -> i32 {
        let (from, to) = self.of;
        let at = at.clamp(from, to) - from;
        NAMES + (at as f64 / (to - from).max(1) as f64 * f64::from(WIDTH - NAMES - EDGE)) as i32
    }

    fn draw(&self, area: &Area<'_>, top: i32) -> Result<(), PlotError> {
        let left = Pos::new(HPos::Left, VPos::Center);
        put(area, &self.title, (NAMES, top + HEAD / 2), 15, BLACK, left)?;
        let rows = top + HEAD;
        let bottom = rows + self.rows.len() as i32 * ROW + self.lanes() as i32 * LANE;
        self.ticks(area, rows, bottom)?;
        // Guides are drawn first, so that none crosses a name.
        self.spans.iter().try_for_each(|span| self.guides(area, span, rows))?;
        self.spans.iter().try_for_each(|span| self.span(area, span, rows))?;
        for (n, row) in self.rows.iter().enumerate() {
            self.row(area, row, rows + n as i32 * ROW + (ROW - TRACE) / 2)?;
        }
        Ok(())
    }

    fn ticks(&self, area: &Area<'_>, top: i32, bottom: i32) -> Result<(), PlotError> {
        let tick = self.tick.max(1);
        let mut at = self.of.0.next_multiple_of(tick);
        while at <= self.of.1 {
            let x = self.x(at);
            line(area, &[(x, top), (x, bottom)], PALE, 1)?;
            let place = Pos::new(HPos::Center, VPos::Top);
            put(area, &format!("{at} ns"), (x, bottom + 4), 12, GREY, place)?;
            at += tick;
        }
        Ok(())
    }

    fn lane(&self, span: &Span, rows: i32) -> i32 {
        rows + self.rows.len() as i32 * ROW + span.lane as i32 * LANE + LANE / 2
    }

    /// Draws dashed guide lines from both ends of a span up to the signals.
    fn guides(&self, area: &Area<'_>, span: &Span, rows: i32) -> Result<(), PlotError> {
        let (color, lane) = (color(span.color), self.lane(span, rows));
        let up = rows + span.top_row as i32 * ROW + (ROW - TRACE) / 2;
        for x in [self.x(span.of.0), self.x(span.of.1)] {
            let dash = |y: i32| line(area, &[(x, y), (x, (y + 3).min(lane + 4))], color, 1);
            (up..lane + 4).step_by(6).try_for_each(dash)?;
        }
        Ok(())
    }

    /// Draws a span's arrow and label; a white background keeps other lines out of the label.
    fn span(&self, area: &Area<'_>, span: &Span, rows: i32) -> Result<(), PlotError> {
        let (color, lane) = (color(span.color), self.lane(span, rows));
        let (from, to) = (self.x(span.of.0), self.x(span.of.1));
        line(area, &[(from, lane), (to, lane)], color, 1)?;
        for (x, way) in [(from, 1), (to, -1)] {
            let tip = vec![(x, lane), (x + 6 * way, lane - 3), (x + 6 * way, lane + 3)];
            area.draw(&Polygon::new(tip, color.filled())).map_err(PlotError::from)?;
        }
        // The label is centred on the span if it fits, otherwise placed to its right.
        let wide = span.label.chars().count() as i32 * 7 + 6;
        if to - from > wide + 16 {
            let middle = (from + to) / 2;
            let corners = [(middle - wide / 2, lane - 7), (middle + wide / 2, lane + 7)];
            area.draw(&Rectangle::new(corners, WHITE.filled())).map_err(PlotError::from)?;
            let place = Pos::new(HPos::Center, VPos::Center);
            return put(area, &span.label, (middle, lane), 12, color, place);
        }
        let corners = [(to + 3, lane - 7), (to + 3 + wide, lane + 7)];
        area.draw(&Rectangle::new(corners, WHITE.filled())).map_err(PlotError::from)?;
        put(area, &span.label, (to + 5, lane), 12, color, Pos::new(HPos::Left, VPos::Center))
    }

    fn row(&self, area: &Area<'_>, row: &Row, top: i32) -> Result<(), PlotError> {
        let color = color(row.color);
        let place = Pos::new(HPos::Right, VPos::Center);
        put(area, &row.name, (NAMES - 10, top + TRACE / 2), 13, color, place)?;
        let level = |shape: &Shape| match shape {
            Shape::Low => Some(top + TRACE),
            Shape::High => Some(top),
            Shape::Floating => Some(top + TRACE / 2),
            Shape::Value(_) => None,
        };
        let mut path: Vec<(i32, i32)> = Vec::new();
        for (n, (at, shape)) in row.shapes.iter().enumerate() {
            let until = row.shapes.get(n + 1).map_or(self.of.1, |next| next.0);
            if until <= self.of.0 || *at >= self.of.1 {
                continue;
            }
            let (from, to) = (self.x(*at), self.x(until));
            match (shape, level(shape)) {
                (Shape::Value(value), _) => {
                    stroke(area, &mut path, color)?;
                    bus(area, (from, to), top, value.as_deref(), color)?;
                }
                (_, Some(y)) => path.extend([(from, y), (to, y)]),
                _ => {}
            }
        }
        stroke(area, &mut path, color)
    }
}

/// Draws data lines with a defined or an undefined value.
fn bus(
    area: &Area<'_>,
    (from, to): (i32, i32),
    top: i32,
    value: Option<&str>,
    color: RGBColor,
) -> Result<(), PlotError> {
    let slope = SLOPE.min((to - from) / 2);
    let (middle, bottom) = (top + TRACE / 2, top + TRACE);
    let outline = vec![
        (from, middle),
        (from + slope, top),
        (to - slope, top),
        (to, middle),
        (to - slope, bottom),
        (from + slope, bottom),
        (from, middle),
    ];
    let fill = if value.is_some() { WHITE } else { PALE };
    area.draw(&Polygon::new(outline.clone(), fill.filled())).map_err(PlotError::from)?;
    line(area, &outline, if value.is_some() { color } else { GREY }, 1)?;
    let Some(value) = value else { return Ok(()) };
    if to - from < value.chars().count() as i32 * 7 + 4 {
        return Ok(());
    }
    let place = Pos::new(HPos::Center, VPos::Center);
    put(area, value, ((from + to) / 2, middle + 1), 12, color, place)
}

/// Draws a path and clears it.
fn stroke(area: &Area<'_>, path: &mut Vec<(i32, i32)>, color: RGBColor) -> Result<(), PlotError> {
    let points = std::mem::take(path);
    if points.is_empty() { Ok(()) } else { line(area, &points, color, 2) }
}

fn line(
    area: &Area<'_>,
    points: &[(i32, i32)],
    color: RGBColor,
    width: u32,
) -> Result<(), PlotError> {
    area.draw(&PathElement::new(points.to_vec(), color.stroke_width(width)))
        .map_err(PlotError::from)
}

fn put(
    area: &Area<'_>,
    words: &str,
    at: (i32, i32),
    size: u32,
    color: RGBColor,
    place: Pos,
) -> Result<(), PlotError> {
    area.draw(&Text::new(words.to_owned(), at, text(size).color(&color).pos(place)))
        .map_err(PlotError::from)
}

fn color(n: Option<usize>) -> RGBColor {
    n.map_or(BLACK, |n| PALETTE[n % PALETTE.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_values_and_spans_are_drawn() {
        let row = |name: &str, shapes| Row { name: name.into(), color: Some(0), shapes };
        let value = |value: &str| Shape::Value(Some(value.into()));
        let panel = Panel {
            title: "A panel".into(),
            of: (100, 300),
            tick: 50,
            rows: vec![
                row("RE#", vec![(0, Shape::High), (120, Shape::Low), (150, Shape::High)]),
                row(
                    "IO",
                    vec![(0, Shape::Floating), (130, value("A5")), (200, Shape::Value(None))],
                ),
            ],
            spans: vec![Span {
                of: (120, 130),
                label: "tREA 10".into(),
                lane: 0,
                color: None,
                top_row: 0,
            }],
        };
        let of = TimingDiagram { title: "Signals".into(), panels: vec![panel] };
        let svg = of.svg().expect("a drawing");
        for words in ["Signals", "A panel", "RE#", "IO", "A5", "tREA 10", "100 ns", "300 ns"] {
            assert!(svg.contains(words), "{words}");
        }
        assert!(TimingDiagram::default().svg().is_ok());
    }
}
