//! Figures as data: axes, series and marks. The page's script hands them to the plotting library.

use super::thin::{MOST_POINTS, kept, rounded};
use maud::{Markup, PreEscaped, Render, html};
use serde::Serialize;

/// A figure.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Figure {
    /// Title.
    pub title: String,
    /// Text below it; empty: none.
    pub note: String,
    /// Axis across.
    pub x: Axis,
    /// Axis upwards.
    pub y: Axis,
    /// What is drawn, in the order of the legend.
    pub series: Vec<Series>,
    /// Bounds and deadlines.
    pub marks: Vec<Mark>,
    /// True for bars upon each other, false for bars beside each other.
    pub stacked: bool,
    /// Panels below each other on one x axis; empty: one, which has the y axis above.
    pub panels: Vec<Panel>,
}

/// What an axis measures, from which the page takes units and formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Quantity {
    /// A number without a unit, or with the one that its label names.
    #[default]
    Number,
    /// A count, of which no part is named.
    Whole,
    /// A time, ns.
    Time,
    /// Bytes, shown in powers of 1000.
    Bytes,
    /// A share of a whole.
    Share,
    /// A share of a whole, shown in per cent.
    Percent,
}

/// An axis.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Axis {
    /// Quantity, with its unit if the values do not show it.
    pub label: String,
    /// What it measures.
    pub quantity: Quantity,
    /// Logarithmic.
    pub log: bool,
    /// Ends; `None`: as the values need.
    pub range: Option<(f64, f64)>,
    /// Names instead of numbers: 0 is the first.
    pub names: Vec<String>,
}

/// A panel of a figure.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Panel {
    /// Text above it.
    pub title: String,
    /// Its own axis upwards.
    pub y: Axis,
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Joined by a line.
    #[default]
    Line,
    /// Single marks.
    Dots,
    /// Bars upwards, one per point.
    Bars,
    /// Bars across, one per point.
    Rows,
}

/// One set of points.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Series {
    /// Name in the legend. Series of one name in several figures are shown and hidden together.
    pub name: String,
    /// Further text in the legend.
    pub notes: Vec<String>,
    /// Colour, `#rrggbb`.
    pub color: String,
    /// Dash and gap in pixels, as `14px,7px`; empty: none.
    pub dash: String,
    /// `circle`, `triangle-up`, `square` or `x`.
    pub symbol: &'static str,
    /// How it is drawn.
    pub kind: Kind,
    /// Number of its panel.
    pub panel: usize,
    /// Values across.
    pub x: Vec<f64>,
    /// Values upwards; `None`: not measured.
    pub y: Vec<Option<f64>>,
    /// Half the width of each point's interval; empty: none.
    pub errors: Vec<f64>,
    /// What each point is called when a reader points at it; empty: nothing.
    pub labels: Vec<String>,
    /// Text in or beside each bar; empty: none.
    pub texts: Vec<String>,
}

/// A line across the whole figure.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Mark {
    /// Value.
    pub at: f64,
    /// True if the value is on the y axis, so that the line is level.
    pub level: bool,
    /// Text beside it.
    pub label: String,
    /// Colour, `#rrggbb`.
    pub color: String,
    /// Series with which it is hidden; empty: it stays.
    pub of: Vec<String>,
}

impl Series {
    /// The series with at most [`MOST_POINTS`] points of six digits.
    fn thinned(&self) -> Self {
        // Each dot is a thing of its own.
        let most = if self.kind == Kind::Dots { usize::MAX } else { MOST_POINTS };
        let at = kept(&self.y, most);
        let of = |values: &[f64]| -> Vec<f64> {
            at.iter().filter_map(|at| values.get(*at)).copied().map(rounded).collect()
        };
        let words = |words: &[String]| -> Vec<String> {
            at.iter().filter_map(|at| words.get(*at)).cloned().collect()
        };
        Self {
            x: of(&self.x),
            y: at.iter().map(|at| self.y[*at].map(rounded)).collect(),
            errors: of(&self.errors),
            labels: words(&self.labels),
            texts: words(&self.texts),
            ..self.clone()
        }
    }
}

impl Render for Figure {
    /// The figure's place in a page, with its data.
    fn render(&self) -> Markup {
        let thinned =
            Self { series: self.series.iter().map(Series::thinned).collect(), ..self.clone() };
        // No value is without a form in JSON: those that are not finite become null. `<` could end the script.
        let json = serde_json::to_string(&thinned).unwrap_or_default().replace('<', "\\u003c");
        html! {
            figure.plot {
                figcaption { (self.title) }
                @if !self.note.is_empty() { p.quiet { (self.note) } }
                div.legend role="group" aria-label="Series" {}
                div.canvas role="img" aria-label=(self.title) {
                    p.quiet { "This plot is drawn when it comes into view, by the page's script. The tables have its figures." }
                }
                script type="application/json" { (PreEscaped(json)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_json_that_ends_no_script_and_are_thinned() {
        let figure = Figure {
            title: "</script><b>".into(),
            series: vec![Series {
                name: "</script>".into(),
                x: (0..5000).map(f64::from).collect(),
                y: (0..5000).map(|n| Some(f64::from(n))).collect(),
                ..Series::default()
            }],
            ..Figure::default()
        };
        let text = figure.render().into_string();
        assert_eq!(text.matches("</script>").count(), 1, "{}", &text[..300]);
        let json = text.split("application/json\">").nth(1).unwrap();
        let json: serde_json::Value =
            serde_json::from_str(json.split("</script>").next().unwrap()).unwrap();
        let points = json["series"][0]["y"].as_array().unwrap();
        assert!(points.len() <= MOST_POINTS && points.last().unwrap() == 4999.0);
        assert_eq!(json["series"][0]["x"].as_array().unwrap().len(), points.len());
        assert_eq!(json["series"][0]["name"], "</script>");
    }
}
