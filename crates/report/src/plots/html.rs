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
use crate::html::{Kind, Panel, Series};
use ::run::report::units;
use plotters::coord::ranged1d::Ranged;
use plotters::style::RGBColor;

impl Figure {
    /// The figure for a page.
    pub fn html(&self) -> crate::html::Figure {
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

impl From<Quantity> for crate::html::Quantity {
    fn from(quantity: Quantity) -> Self {
        match quantity {
            Quantity::Number | Quantity::Thousands => Self::Number,
            Quantity::Whole => Self::Whole,
            Quantity::Time => Self::Time,
            Quantity::Bytes => Self::Bytes,
            Quantity::Share => Self::Share,
            Quantity::Percent => Self::Percent,
        }
    }
}

impl Axis {
    fn html(&self) -> crate::html::Axis {
        crate::html::Axis {
            // A page shows of itself whether an axis is logarithmic.
            label: self.label.trim_end_matches(", logarithmic").trim_end_matches(", log").into(),
            quantity: self.quantity.into(),
            log: self.log,
            range: Some((self.range().start, self.range().end)),
            names: Vec::new(),
        }
    }
}

fn named(names: impl IntoIterator<Item = impl Into<String>>) -> crate::html::Axis {
    let names = names.into_iter().map(Into::into).collect();
    crate::html::Axis { names, ..crate::html::Axis::default() }
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
    fn html(&self) -> crate::html::Figure {
        let series = |line: &Line| Series {
            notes: line.notes.clone(),
            x: line.points.iter().map(|point| point.0).collect(),
            y: line.points.iter().map(|point| Some(point.1)).collect(),
            ..looking(line.look, &line.name, Kind::Line)
        };
        let mark = |bound: &Bound| crate::html::Mark {
            at: bound.at,
            level: false,
            label: bound.label.clone(),
            color: hex(bound.color),
            of: bound.schemes.iter().map(|n| self.lines[*n].name.clone()).collect(),
        };
        crate::html::Figure {
            title: self.caption.clone(),
            x: self.x.html(),
            y: self.y.html(),
            series: self.lines.iter().map(series).collect(),
            marks: self.bounds.iter().map(mark).collect(),
            ..crate::html::Figure::default()
        }
    }
}

impl Histograms {
    fn html(&self) -> crate::html::Figure {
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
        crate::html::Figure {
            title: self.caption.clone(),
            x: self.x.html(),
            series: series.collect(),
            panels: panels.collect(),
            ..crate::html::Figure::default()
        }
    }
}

impl Stacked {
    fn html(&self) -> crate::html::Figure {
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
        crate::html::Figure {
            title: self.caption.clone(),
            x: self.axis().html(),
            y: named(names),
            series: series.collect(),
            stacked: true,
            ..crate::html::Figure::default()
        }
    }
}

impl Bars {
    fn html(&self) -> crate::html::Figure {
        let series = self.series.iter().enumerate().map(|(n, (name, values))| Series {
            x: values.iter().map(|value| value.unwrap_or(f64::NAN)).collect(),
            y: (0..values.len()).map(|group| Some(group as f64)).collect(),
            texts: values
                .iter()
                .map(|value| value.map_or_else(String::new, units::number))
                .collect(),
            ..looking(Look::of(n), name, Kind::Rows)
        });
        crate::html::Figure {
            title: self.title.clone(),
            note: self.missing(),
            x: self.axis().html(),
            y: named(&self.groups),
            series: series.collect(),
            ..crate::html::Figure::default()
        }
    }
}

impl Bars {
    /// What was not measured, so that a bar that is not there is not taken for one of no length.
    fn missing(&self) -> String {
        let of = |(name, values): &(String, Vec<Option<f64>>)| {
            let missing = self.groups.iter().zip(values).filter(|(_, value)| value.is_none());
            let groups: Vec<&str> = missing.map(|(group, _)| group.as_str()).collect();
            match groups.len() {
                0 => None,
                all if all == self.groups.len() => Some(name.clone()),
                _ => Some(format!("{name} ({})", groups.join(", "))),
            }
        };
        let missing: Vec<String> = self.series.iter().filter_map(of).collect();
        if missing.is_empty() {
            missing.concat()
        } else {
            format!("Not measured: {}.", missing.join("; "))
        }
    }
}

impl Curves {
    fn html(&self) -> crate::html::Figure {
        let kind = |drawn| if drawn == Drawn::Dots { Kind::Dots } else { Kind::Line };
        let series = |(n, curve): (usize, &Curve)| Series {
            notes: Some(curve.note.clone()).filter(|note| !note.is_empty()).into_iter().collect(),
            x: curve.points.iter().map(|point| point.0).collect(),
            y: curve.points.iter().map(|point| Some(point.1)).collect(),
            ..looking(Look::of(n), &curve.name, kind(curve.drawn))
        };
        crate::html::Figure {
            title: self.caption.clone(),
            x: self.x_axis().html(),
            y: self.y_axis().html(),
            series: self.curves.iter().enumerate().map(series).collect(),
            ..crate::html::Figure::default()
        }
    }
}

impl MeanAxis {
    fn html(&self) -> crate::html::Axis {
        crate::html::Axis {
            label: self.label.clone(),
            quantity: self.quantity.into(),
            names: self.names.clone(),
            log: self.log,
            ..crate::html::Axis::default()
        }
    }
}

impl Means {
    fn html(&self) -> crate::html::Figure {
        // There is nothing between two names.
        let kind = if self.x.names.is_empty() { Kind::Line } else { Kind::Dots };
        let series = self.looks().map(|(line, look)| Series {
            x: line.points.iter().map(|point| point.x).collect(),
            y: line.points.iter().map(|point| Some(point.mean)).collect(),
            errors: match line.points.iter().any(|point| point.half.is_some()) {
                true => line.points.iter().map(|point| point.half.unwrap_or(0.0)).collect(),
                false => Vec::new(),
            },
            ..looking(look, &line.name, kind)
        });
        crate::html::Figure {
            title: self.caption.clone(),
            x: self.x.html(),
            y: self.y.html(),
            series: series.collect(),
            ..crate::html::Figure::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plots::{Drawn, MeanLine, MeanPoint, PLOTS};
    use crate::samples;

    #[test]
    fn a_page_has_what_the_svg_has() {
        let report = samples::report();
        let of = |name: &str| {
            let plot = PLOTS.iter().find(|plot| plot.name == name).expect(name);
            plot.figure(&report).html()
        };
        let response = of("response_ccdf");
        let names: Vec<&str> = response.series.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, report.schemes.iter().map(|s| s.name.as_str()).collect::<Vec<_>>());
        assert_eq!(response.x.quantity, crate::html::Quantity::Time);
        assert!(response.x.log && response.y.log && response.x.range.is_some());
        assert_eq!(response.marks[0].of, ["fsr", "lazy-rtgc"]);
        assert!(
            response
                .series
                .iter()
                .all(|series| series.x.len() > 2 && series.x.len() == series.y.len())
        );
        let erases = of("erases_per_block");
        assert_eq!((erases.panels.len(), erases.series.len()), (3, 3));
        assert!(erases.panels[0].title.contains("erases, mean") && erases.series[2].panel == 2);
        let blocks = |n: usize| erases.series[n].y.iter().flatten().sum::<f64>();
        assert_eq!(blocks(0), report.schemes[0].series.erases.len() as f64);
        let waf = of("waf");
        assert!(waf.stacked && waf.y.names[0].starts_with(&report.schemes[0].name));
        let sum: f64 = waf.series.iter().map(|part| part.x[0]).sum();
        assert!((sum - report.schemes[0].waf.unwrap()).abs() < 1e-9, "{sum}");
        // Colour, dash and mark of a scheme are those of the SVG.
        let looks: Vec<_> =
            response.series.iter().map(|s| (s.color.as_str(), s.dash.as_str(), s.symbol)).collect();
        assert_eq!(looks[0], ("#0072b2", "", "circle"));
        assert_eq!(looks[1], ("#d55e00", "14px,7px", "triangle-up"));
    }

    #[test]
    fn what_is_not_measured_is_told() {
        let bars = Bars {
            groups: vec!["a".into(), "b".into()],
            series: vec![
                ("none".into(), vec![None, None]),
                ("half".into(), vec![None, Some(2.0)]),
                ("all".into(), vec![Some(1.0), Some(2.0)]),
            ],
            ..Bars::default()
        };
        let figure = Figure::from(bars).html();
        assert_eq!(figure.note, "Not measured: none; half (a).");
        assert!(figure.series[0].x[0].is_nan() && figure.series[2].texts == ["1.000", "2.000"]);
    }

    #[test]
    fn curves_and_means_keep_their_points() {
        let curve = Curve {
            name: "c".into(),
            note: "n".into(),
            points: vec![(1.0, 2.0), (4.0, 8.0)],
            drawn: Drawn::Dots,
        };
        let caption = "t".into();
        let (x_label, y_label, log_x, log_y) = ("x", "y", true, false);
        let curves = Curves { caption, x_label, y_label, log_x, log_y, curves: vec![curve] };
        let figure = Figure::from(curves).html();
        let series = &figure.series[0];
        assert_eq!((series.kind, &series.notes[..]), (Kind::Dots, &["n".to_owned()][..]));
        assert!(figure.x.log && !figure.y.log && series.y == [Some(2.0), Some(8.0)]);
        let axis =
            |names| MeanAxis { label: "l".into(), quantity: Quantity::Time, names, log: false };
        let points = vec![MeanPoint { x: 0.0, mean: 5.0, half: Some(1.0), runs: 1, settled: None }];
        let lines = vec![MeanLine { name: "m".into(), points, is_model: false }];
        let x = axis(vec!["greedy".into()]);
        let figure = Figure::from(Means { caption: "t".into(), x, y: axis(vec![]), lines }).html();
        assert_eq!((figure.series[0].kind, &figure.series[0].errors[..]), (Kind::Dots, &[1.0][..]));
        assert_eq!(figure.x.names, ["greedy"]);
    }
}
