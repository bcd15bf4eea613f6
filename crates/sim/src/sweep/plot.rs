//! Plot of a sweep: a measure over a key, one line per value of another key, with confidence intervals.

use super::interval::Interval;
use super::rows::Row;
use crate::config::{ConfigError, did_you_mean};
use crate::report::plots::{Area, PALETTE, PlotError, drawn, fitted, text};
use crate::report::units;
use plotters::chart::ChartBuilder;
use plotters::element::{Circle, PathElement};
use plotters::series::LineSeries;
use plotters::style::{Color, RGBColor};
use serde_json::Value;
use std::str::FromStr;
use workload::quantity::Duration;

/// Short names of measures.
const SHORT: [(&str, &str); 6] = [
    ("mean", "response_ns.mean"),
    ("p99", "response_ns.p99"),
    ("p99.9", "response_ns.p99.9"),
    ("worst", "response_ns.max"),
    ("policy", "victim"),
    ("victim", "victim"),
];

/// The axes of a plot: `x=share,y=waf,by=victim`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotChoice {
    /// Key across.
    pub x: String,
    /// Measure upwards.
    pub y: String,
    /// Key of the lines; `None`: one line.
    pub by: Option<String>,
}

impl FromStr for PlotChoice {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{given}` is no plot; write x=KEY,y=MEASURE,by=KEY, as in x=share,y=waf,by=victim"
            )
        };
        let (mut x, mut y, mut by) = (None, None, None);
        for item in given.split(',') {
            let (axis, name) = item.split_once('=').ok_or_else(wrong)?;
            let place = match axis.trim() {
                "x" => &mut x,
                "y" => &mut y,
                "by" => &mut by,
                _ => return Err(wrong()),
            };
            let name = name.trim();
            if name.is_empty() || place.is_some() {
                return Err(wrong());
            }
            *place = Some(name.to_owned());
        }
        match (x, y) {
            (Some(x), Some(y)) => Ok(Self { x, y, by }),
            _ => Err(wrong()),
        }
    }
}

impl PlotChoice {
    /// Name of the plot's file, without its ending.
    pub fn file(&self) -> String {
        let by = self.by.as_ref().map_or_else(String::new, |by| format!("_by_{by}"));
        let name = format!("{}_over_{}{by}", self.y, self.x);
        name.chars()
            .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' })
            .collect()
    }
}

/// Height at which the legend begins, and of one of its lines, pixels.
const LEGEND_TOP: i32 = 48;
const LINE: i32 = 17;

/// A line: its name and its points.
struct Line {
    name: String,
    points: Vec<(f64, Interval)>,
}

/// The plot as SVG. Rows that differ in their seed alone are samples of one point; each combination of the other `varied`
/// columns is a line of its own.
///
/// # Errors
/// A column that the rows do not have, or no numbers in it.
pub fn plot(rows: &[Row], varied: &[String], choice: &PlotChoice) -> Result<String, ConfigError> {
    let x = column(rows, "x", &choice.x)?;
    let y = column(rows, "y", &choice.y)?;
    let by = choice.by.as_ref().map(|by| column(rows, "by", by)).transpose()?;
    // One and the same key in two notations.
    let same = |a: &str, b: &str| a == b || [a, b] == ["share", "op"] || [a, b] == ["op", "share"];
    let others = varied
        .iter()
        .filter(|name| !same(name, &x) && by.as_ref().is_none_or(|by| !same(name, by)));
    let by: Vec<&String> = by.iter().chain(others).collect();
    let fault = |axis: &str, reason: String| ConfigError::Setting {
        setting: format!("--plot: {axis}"),
        reason,
    };
    let of = |row: &Row, name: &str| row.get(name).filter(|value| !value.is_null()).cloned();
    let mut xs: Vec<Value> = Vec::new();
    let mut groups: Vec<(String, Vec<(Value, f64)>)> = Vec::new();
    for row in rows {
        let (Some(at), Some(value)) = (of(row, &x), of(row, &y).and_then(|value| value.as_f64()))
        else {
            continue;
        };
        let named = |by: &&String, value: Value| match value.as_u64() {
            Some(ns) if by.ends_with("_ns") => Duration::new(ns).to_string(),
            _ => plain(&value),
        };
        let names = by.iter().map(|by| of(row, by).map_or("–".into(), |value| named(by, value)));
        let name = names.collect::<Vec<_>>().join(" · ");
        if !xs.contains(&at) {
            xs.push(at.clone());
        }
        match groups.iter_mut().find(|(other, _)| *other == name) {
            Some((_, samples)) => samples.push((at, value)),
            None => groups.push((name, vec![(at, value)])),
        }
    }
    if groups.is_empty() {
        return Err(fault("y", format!("no row has a number in `{y}`")));
    }
    let numeric = xs.iter().all(Value::is_number);
    if numeric {
        xs.sort_by(|a, b| a.as_f64().unwrap_or(0.0).total_cmp(&b.as_f64().unwrap_or(0.0)));
    }
    let place = |at: usize| if numeric { xs[at].as_f64().unwrap_or(0.0) } else { at as f64 };
    let lines = groups.into_iter().map(|(name, samples)| {
        let interval = |at: usize| {
            let here: Vec<f64> =
                samples.iter().filter(|(x, _)| *x == xs[at]).map(|(_, value)| *value).collect();
            Interval::of(&here).map(|interval| (place(at), interval))
        };
        Line { name, points: (0..xs.len()).filter_map(interval).collect() }
    });
    let lines: Vec<Line> = lines.collect();
    let names: Vec<String> = if numeric { Vec::new() } else { xs.iter().map(plain).collect() };
    let caption = match by.as_slice() {
        [] => format!("{} over {x}", label(&y)),
        by => {
            let by: Vec<&str> = by.iter().map(|by| by.as_str()).collect();
            format!("{} over {x}, by {}", label(&y), by.join(", "))
        }
    };
    let legend = LEGEND_TOP
        + lines.iter().map(|line| 8 + LINE * wrapped(&line.name).len() as i32).sum::<i32>();
    drawn((1000, 560.max(legend as u32)), |area| draw(area, &caption, [&x, &y], &names, &lines))
        .map_err(|error| fault("drawing", error.to_string()))
}

/// The column of this name, a short name, or the only one that begins with it.
fn column(rows: &[Row], axis: &str, name: &str) -> Result<String, ConfigError> {
    let mut names: Vec<&str> = Vec::new();
    for (column, _) in rows.iter().flat_map(|row| &row.0) {
        if !names.contains(&column.as_str()) {
            names.push(column);
        }
    }
    let wanted = SHORT.iter().find(|(short, _)| *short == name).map_or(name, |(_, full)| full);
    if names.contains(&wanted) {
        return Ok(wanted.to_owned());
    }
    let units = ["_bytes", "_ns"].map(|unit| format!("{wanted}{unit}"));
    if let Some(with_unit) = units.iter().find(|with_unit| names.contains(&with_unit.as_str())) {
        return Ok(with_unit.clone());
    }
    let keys =
        names.iter().copied().take(12).chain(["waf"]).chain(SHORT.iter().map(|short| short.0));
    let reason = match crate::config::nearest(wanted, names.iter().copied()) {
        Some(meant) => format!("no column is called `{name}`; did you mean `{meant}`?"),
        None => format!("no column is called `{name}`; {}", did_you_mean(name, keys)),
    };
    Err(ConfigError::Setting { setting: format!("--plot: {axis}"), reason })
}

/// Words for an axis; its ticks have their unit.
fn label(name: &str) -> String {
    match name {
        "waf" => "write amplification (WAF)".into(),
        "response_ns.mean" => "mean response".into(),
        "response_ns.max" => "longest response".into(),
        name => match name.strip_prefix("response_ns.p") {
            Some(percent) => format!("response, {percent} %"),
            None => name.replace("_ns", ""),
        },
    }
}

/// A legend's name in lines that fit.
fn wrapped(name: &str) -> Vec<String> {
    const LETTERS: usize = 24;
    let mut lines: Vec<String> = Vec::new();
    for word in name.split_inclusive([' ', '+', '/']) {
        let letters: Vec<char> = word.chars().collect();
        for piece in letters.chunks(LETTERS) {
            match lines.last_mut() {
                Some(line) if line.chars().count() + piece.len() <= LETTERS + 1 => {
                    line.extend(piece)
                }
                _ => lines.push(piece.iter().collect()),
            }
        }
    }
    lines
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A little more room than the values take.
fn range(values: impl Iterator<Item = f64> + Clone, margin: f64) -> (f64, f64) {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.fold(f64::NEG_INFINITY, f64::max);
    let room = if most > least { (most - least) * margin } else { (most.abs() * margin).max(0.5) };
    (least - room, most + room)
}

fn draw(
    area: &Area<'_>,
    caption: &str,
    [x, y]: [&str; 2],
    names: &[String],
    lines: &[Line],
) -> Result<(), PlotError> {
    let failed = PlotError::from;
    let (plot, legend) = area.split_horizontally(770);
    let points = || lines.iter().flat_map(|line| line.points.iter());
    let (left, right) = range(points().map(|point| point.0), 0.04);
    let ends = points()
        .flat_map(|(_, y)| [y.mean - y.half.unwrap_or(0.0), y.mean + y.half.unwrap_or(0.0)]);
    let (low, high) = range(ends.clone(), 0.06);
    let low = if ends.clone().all(|end| end >= 0.0) { low.max(0.0) } else { low };
    let (caption, size) = fitted(caption, 740);
    let mut chart = ChartBuilder::on(&plot)
        .caption(caption, text(size))
        .margin(12)
        .x_label_area_size(48)
        .y_label_area_size(84)
        .build_cartesian_2d(left..right, low..high)
        .map_err(failed)?;
    let tick = |name: &str, value: f64| match name.contains("_ns") {
        true => units::short_time(value),
        false => units::short(value),
    };
    let across = |value: &f64| match names {
        [] => tick(x, *value),
        names => {
            let at = value.round();
            let name = ((value - at).abs() < 1e-6 && at >= 0.0).then(|| names.get(at as usize));
            name.flatten().cloned().unwrap_or_default()
        }
    };
    let upwards = |value: &f64| tick(y, *value);
    let ticks = if names.is_empty() { 10 } else { (2 * names.len()).max(2) };
    chart
        .configure_mesh()
        .light_line_style(RGBColor(255, 255, 255))
        .bold_line_style(RGBColor(225, 225, 225))
        .x_labels(ticks)
        .y_labels(8)
        .x_label_formatter(&across)
        .y_label_formatter(&upwards)
        .x_desc(label(x))
        .y_desc(label(y))
        .axis_desc_style(text(15))
        .label_style(text(13))
        .draw()
        .map_err(failed)?;
    let room = (right - left) * 0.006;
    let mut top = LEGEND_TOP;
    for (at, line) in lines.iter().enumerate() {
        let color = PALETTE[at % PALETTE.len()];
        // The first lines are the widest, so that of lines upon each other all are seen.
        let width = 2 + (lines.len() - 1 - at).min(4) as u32;
        let size = 3 + width as i32 / 2;
        // Hollow from the eighth line on, so that colours that come again differ.
        let mark = if at < PALETTE.len() { color.filled() } else { color.stroke_width(2) };
        let means = line.points.iter().map(|(x, y)| (*x, y.mean));
        // There is nothing between two names.
        if names.is_empty() {
            let path = LineSeries::new(means.clone(), color.stroke_width(width));
            chart.draw_series(path).map_err(failed)?;
        }
        chart.draw_series(means.map(|point| Circle::new(point, size, mark))).map_err(failed)?;
        let bars = line.points.iter().filter_map(|(x, y)| {
            let half = y.half.filter(|half| *half > 0.0)?;
            Some([
                [(*x, y.mean - half), (*x, y.mean + half)],
                [(*x - room, y.mean - half), (*x + room, y.mean - half)],
                [(*x - room, y.mean + half), (*x + room, y.mean + half)],
            ])
        });
        let bars = bars.flatten().map(|bar| PathElement::new(bar.to_vec(), color.stroke_width(1)));
        chart.draw_series(bars).map_err(failed)?;
        let words = wrapped(&line.name);
        if words.is_empty() {
            continue;
        }
        let sample = PathElement::new(vec![(4, top), (34, top)], color.stroke_width(width));
        legend.draw(&sample).map_err(failed)?;
        legend.draw(&Circle::new((19, top), size, mark)).map_err(failed)?;
        for words in &words {
            legend.draw_text(words, &text(14), (42, top - 8)).map_err(failed)?;
            top += LINE;
        }
        top += 8;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows() -> Vec<Row> {
        let mut rows = Vec::new();
        for (policy, plus) in [("greedy", 0.0), ("fifo", 1.0)] {
            for share in [0.6, 0.7, 0.8] {
                for seed in [1.0, 2.0] {
                    rows.push(Row(vec![
                        ("victim".into(), json!(policy)),
                        ("share".into(), json!(share)),
                        ("waf".into(), json!(1.0 + plus + share + seed / 100.0)),
                        ("response_ns.mean".into(), json!(2e6 * share)),
                    ]));
                }
            }
        }
        rows
    }

    fn varied() -> Vec<String> {
        vec!["share".into(), "victim".into()]
    }

    fn choice(text: &str) -> PlotChoice {
        text.parse().unwrap()
    }

    #[test]
    fn lines_points_and_names_are_there() {
        let svg = plot(&rows(), &varied(), &choice("x=share,y=waf,by=victim")).unwrap();
        for words in ["greedy", "fifo", "0.6", "write amplification (WAF) over share, by victim"] {
            assert!(svg.contains(words), "{words}: {svg}");
        }
        // 2 lines of 3 points, and a mark per line in the legend.
        assert_eq!(svg.matches("<circle").count(), 8);
        // What is varied and not named makes lines as well: means over unlike runs would tell nothing.
        let svg = plot(&rows(), &varied(), &choice("x=policy,y=mean")).unwrap();
        assert!(svg.contains("greedy") && svg.contains(" ms") && svg.contains("by share"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 6 + 3);
        // Both notations of a share are one key.
        let svg = plot(&rows(), &["op".into()], &choice("x=share,y=mean")).unwrap();
        assert!(!svg.contains("by op"), "{svg}");
    }

    #[test]
    fn long_names_are_broken() {
        assert_eq!(wrapped("page-level"), ["page-level"]);
        let lines = wrapped("lazy-rtgc+victim=two-level-list+share=0.8 · traces/financial-1.csv");
        assert!(
            lines.len() > 2 && lines.iter().all(|line| line.chars().count() <= 25),
            "{lines:?}"
        );
        assert!(wrapped("").is_empty());
    }

    #[test]
    fn what_is_no_plot_is_told() {
        for text in ["share", "x=share", "x=share,z=waf", "x=share,x=share,y=waf", "x=,y=waf"] {
            assert!(
                text.parse::<PlotChoice>().unwrap_err().contains("x=share,y=waf,by=victim"),
                "{text}"
            );
        }
        let error = |text: &str| plot(&rows(), &varied(), &choice(text)).unwrap_err().to_string();
        assert!(error("x=shar,y=waf").contains("did you mean `share`?"));
        assert!(error("x=share,y=policy").contains("no row has a number"));
        assert_eq!(
            choice("x=share,y=p99.9,by=part.t_bers_ns").file(),
            "p99.9_over_share_by_part.t_bers_ns"
        );
    }
}
