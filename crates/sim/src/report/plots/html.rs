//! The data of figures for a page.

use super::axis::{Axis, Quantity};
use super::bars::Bars;
use super::chart::{Bound, Line, Lines};
use super::curves::{Curve, Curves, Drawn};
use super::erases::Histograms;
use super::figure::Figure;
use super::means::{MeanAxis, Means};
use super::stacked::Stacked;
use super::style::{Look, Mark};
use crate::report::units;
use html_report::{Kind, Panel, Series};
use plotters::coord::ranged1d::Ranged;
use plotters::style::RGBColor;

impl Figure {
    /// The figure for a page.
    pub fn html(&self) -> html_report::Figure {
        match self {
            Self::Lines(lines) => lines.html(),
            Self::Histograms(histograms) => histograms.html(),
            Self::Stacked(stacked) => stacked.html(),
            Self::Bars(bars) => bars.html(),
            Self::Curves(curves) => curves.html(),
            Self::Means(means) => means.html(),
        }
    }
}

impl From<Quantity> for html_report::Quantity {
    fn from(quantity: Quantity) -> Self {
        match quantity {
            Quantity::Number | Quantity::Whole | Quantity::Thousands => Self::Number,
            Quantity::Time => Self::Time,
            Quantity::Bytes => Self::Bytes,
            Quantity::Share => Self::Share,
        }
    }
}

impl Axis {
    fn html(&self) -> html_report::Axis {
        html_report::Axis {
            // A page shows of itself whether an axis is logarithmic.
            label: self.label.trim_end_matches(", logarithmic").trim_end_matches(", log").into(),
            quantity: self.quantity.into(),
            log: self.log,
            range: Some((self.range().start, self.range().end)),
            names: Vec::new(),
        }
    }
}

fn named(names: impl IntoIterator<Item = impl Into<String>>) -> html_report::Axis {
    let names = names.into_iter().map(Into::into).collect();
    html_report::Axis { names, ..html_report::Axis::default() }
}

fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A series that looks like the n-th.
fn looking(look: Look, name: &str, kind: Kind) -> Series {
    Series {
        name: name.to_owned(),
        color: hex(look.color),
        dash: look.dash.map_or_else(String::new, |(dash, gap)| format!("{dash}px,{gap}px")),
        symbol: match look.mark {
            Mark::Circle => "circle",
            Mark::Triangle => "triangle-up",
            Mark::Square => "square",
            Mark::Cross => "x",
        },
        kind,
        ..Series::default()
    }
}

impl Lines {
    fn html(&self) -> html_report::Figure {
        let series = |line: &Line| Series {
            notes: line.notes.clone(),
            x: line.points.iter().map(|point| point.0).collect(),
            y: line.points.iter().map(|point| Some(point.1)).collect(),
            ..looking(line.look, &line.name, Kind::Line)
        };
        let mark = |bound: &Bound| html_report::Mark {
            at: bound.at,
            level: false,
            label: bound.label.clone(),
            color: hex(bound.color),
            of: bound.schemes.iter().map(|n| self.lines[*n].name.clone()).collect(),
        };
        html_report::Figure {
            title: self.caption.clone(),
            x: self.x.html(),
            y: self.y.html(),
            series: self.lines.iter().map(series).collect(),
            marks: self.bounds.iter().map(mark).collect(),
            ..html_report::Figure::default()
        }
    }
}

impl Histograms {
    fn html(&self) -> html_report::Figure {
        let panels = self.panels.iter().map(|panel| Panel {
            title: [&panel.name, ": ", &panel.summary].concat()
                + if panel.beyond.is_empty() { "" } else { "; " }
                + &panel.beyond,
            y: panel.y.html(),
        });
        let series = self.panels.iter().enumerate().map(|(n, panel)| Series {
            panel: n,
            x: (0..panel.bars.len()).map(|at| self.from + self.width * (at as f64 + 0.5)).collect(),
            y: panel.bars.iter().map(|blocks| Some(*blocks as f64)).collect(),
            ..looking(Look::of(n), &panel.name, Kind::Bars)
        });
        html_report::Figure {
            title: self.caption.clone(),
            x: self.x.html(),
            series: series.collect(),
            panels: panels.collect(),
            ..html_report::Figure::default()
        }
    }
}

impl Stacked {
    fn html(&self) -> html_report::Figure {
        let series = self.parts.iter().enumerate().map(|(part, name)| Series {
            color: hex(self.color(part)),
            x: self.bars.iter().map(|bar| bar.1[part]).collect(),
            y: (0..self.bars.len()).map(|bar| Some(bar as f64)).collect(),
            texts: { self.bars.iter().enumerate() }
                .map(|(at, bar)| self.number(at, bar.1[part]))
                .collect(),
            ..looking(Look::of(part), name, Kind::Rows)
        });
        let totals = |at: usize, name: &str| {
            let total = self.totals.as_ref().and_then(|totals| totals.get(at));
            total.map_or_else(|| name.to_owned(), |total| format!("{name}: {total}"))
        };
        let names = self.bars.iter().enumerate().map(|(at, bar)| totals(at, &bar.0));
        html_report::Figure {
            title: self.caption.clone(),
            x: self.axis().html(),
            y: named(names),
            series: series.collect(),
            stacked: true,
            ..html_report::Figure::default()
        }
    }
}

impl Bars {
    fn html(&self) -> html_report::Figure {
        let series = self.series.iter().enumerate().map(|(n, (name, values))| Series {
            x: values.iter().map(|value| value.unwrap_or(f64::NAN)).collect(),
            y: (0..values.len()).map(|group| Some(group as f64)).collect(),
            texts: values
                .iter()
                .map(|value| value.map_or_else(|| "not measured".into(), units::number))
                .collect(),
            ..looking(Look::of(n), name, Kind::Rows)
        });
        html_report::Figure {
            title: self.title.clone(),
            x: self.axis().html(),
            y: named(&self.groups),
            series: series.collect(),
            ..html_report::Figure::default()
        }
    }
}

impl Curves {
    fn html(&self) -> html_report::Figure {
        let kind = |drawn| if drawn == Drawn::Dots { Kind::Dots } else { Kind::Line };
        let series = |(n, curve): (usize, &Curve)| Series {
            notes: Some(curve.note.clone()).filter(|note| !note.is_empty()).into_iter().collect(),
            x: curve.points.iter().map(|point| point.0).collect(),
            y: curve.points.iter().map(|point| Some(point.1)).collect(),
            ..looking(Look::of(n), &curve.name, kind(curve.drawn))
        };
        html_report::Figure {
            title: self.caption.clone(),
            x: self.x_axis().html(),
            y: self.y_axis().html(),
            series: self.curves.iter().enumerate().map(series).collect(),
            ..html_report::Figure::default()
        }
    }
}

impl MeanAxis {
    fn html(&self) -> html_report::Axis {
        html_report::Axis {
            label: self.label.clone(),
            quantity: self.quantity.into(),
            names: self.names.clone(),
            ..html_report::Axis::default()
        }
    }
}

impl Means {
    fn html(&self) -> html_report::Figure {
        // There is nothing between two names.
        let kind = if self.x.names.is_empty() { Kind::Line } else { Kind::Dots };
        let series = self.lines.iter().enumerate().map(|(n, line)| Series {
            x: line.points.iter().map(|point| point.x).collect(),
            y: line.points.iter().map(|point| Some(point.mean)).collect(),
            errors: match line.points.iter().any(|point| point.half.is_some()) {
                true => line.points.iter().map(|point| point.half.unwrap_or(0.0)).collect(),
                false => Vec::new(),
            },
            ..looking(Look::of(n), &line.name, kind)
        });
        html_report::Figure {
            title: self.caption.clone(),
            x: self.x.html(),
            y: self.y.html(),
            series: series.collect(),
            ..html_report::Figure::default()
        }
    }
}
