//! Means over a key, one line per value of another, with confidence intervals.

use super::axis::{Axis, Quantity};
use super::chart::{
    TITLE, beside_legend, draw_mark, draw_mark_at, draw_path, framed, legend_text, sample_line,
    titled,
};
use super::options::PlotOptions;
use super::style::{GREY, Look, NAME_SIZE, NOTE_SIZE};
use super::svg::{Area, PlotError};
use plotters::element::{Circle, EmptyElement, PathElement};
use plotters::style::{BLACK, Color, WHITE};
use std::io::{self, Write};

/// How the data of a plot of means begin.
pub const MEANS_HEAD: [&str; 2] = ["line", "kind"];

/// Lines of means.
#[derive(Clone, Debug)]
pub struct Means {
    /// Title above the chart.
    pub caption: String,
    /// Key across.
    pub x: MeanAxis,
    /// Measure upwards.
    pub y: MeanAxis,
    /// The lines, in the order of the legend.
    pub lines: Vec<MeanLine>,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct MeanAxis {
    /// Label.
    pub label: String,
    /// What it measures.
    pub quantity: Quantity,
    /// Names instead of numbers: 0 is the first.
    pub names: Vec<String>,
    /// Logarithmic; all values are above 0.
    pub log: bool,
}

/// A line and its points.
#[derive(Clone, Debug)]
pub struct MeanLine {
    /// Name in the legend; empty: it has none.
    pub name: String,
    /// The points, in the order of x.
    pub points: Vec<MeanPoint>,
    /// True for values of a model, false for measured ones.
    pub is_model: bool,
}

/// A mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanPoint {
    /// Place across.
    pub x: f64,
    /// The mean.
    pub mean: f64,
    /// Half the width of its interval, if there is one.
    pub half: Option<f64>,
    /// Runs that it is the mean of; 0: of a model.
    pub runs: usize,
    /// Whether all of them settled, where that is judged.
    pub settled: Option<bool>,
}

/// Width below which the legend stands below the chart: a column of a paper, pixels.
const NARROW: u32 = 600;
/// Half the size of a mark, pixels.
const MARK: i32 = 4;
/// Room for the names beside the axis upwards, pixels.
const NAMES: u32 = 74;

impl Means {
    /// The lines with their looks, those of the same points as one: measured ones are drawn through, with marks; lines of a
    /// model are dashed, without.
    pub(super) fn looks(&self) -> impl Iterator<Item = (MeanLine, Look)> {
        let mut lines: Vec<MeanLine> = Vec::new();
        for line in &self.lines {
            match lines
                .iter_mut()
                .find(|other| other.points == line.points && other.is_model == line.is_model)
            {
                Some(other) => other.name = format!("{}, {}", other.name, line.name),
                None => lines.push(line.clone()),
            }
        }
        let mut models = 0;
        lines.into_iter().enumerate().map(move |(n, line)| {
            let look = match line.is_model {
                true => {
                    models += 1;
                    Look::of_model(models)
                }
                // From the eighth on colours come again, with other marks.
                false => Look::of(n).solid(),
            };
            (line, look)
        })
    }

    /// Points whose runs have not settled, and points in all; those of models do not count.
    pub fn unsettled(&self) -> (usize, usize) {
        let measured = self.lines.iter().filter(|line| !line.is_model);
        let points: Vec<&MeanPoint> = measured.flat_map(|line| &line.points).collect();
        let open = points.iter().filter(|point| point.settled == Some(false)).count();
        (open, points.len())
    }

    /// Writes the data as CSV: a row per point, with its line, what is known of it, its value across, its mean, half the width
    /// of its interval, the number of runs, and whether all of them settled, in the units of the runs' tables.
    ///
    /// # Errors
    /// What the writer does not take.
    pub fn write_csv(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(to);
        let [line, kind] = MEANS_HEAD;
        writer.write_record([line, kind, &self.x.label, &self.y.label, "ci95", "n", "settled"])?;
        for line in &self.lines {
            let kind = if line.is_model { "model" } else { "measured" };
            for point in &line.points {
                let named = self.x.names.get(point.x as usize).cloned();
                let x = named.unwrap_or_else(|| point.x.to_string());
                let half = point.half.map_or_else(String::new, |half| half.to_string());
                let runs = Some(point.runs).filter(|runs| *runs > 0);
                let runs = runs.map_or_else(String::new, |runs| runs.to_string());
                let settled = point.settled.map_or_else(String::new, |settled| settled.to_string());
                let mean = point.mean.to_string();
                writer.write_record([&line.name, kind, &x, &mean, &half, &runs, &settled])?;
            }
        }
        writer.flush()
    }

    /// The text of an SVG file.
    pub(super) fn svg(&self, options: &PlotOptions) -> Result<String, PlotError> {
        let lines: Vec<(MeanLine, Look)> = self.looks().collect();
        let (width, height) = options.canvas();
        let is_narrow = width < NARROW;
        // Below the chart a name may be as wide as the picture; beside it, as wide as the legend.
        let letters = if is_narrow { (width.saturating_sub(64) / 8) as usize } else { LETTERS };
        let entry =
            |line: &MeanLine| 8 + (NAME_SIZE + 2) * wrapped(&line.name, letters).len() as u32;
        let named = lines.iter().filter(|(line, _)| !line.name.is_empty());
        let mut legend: u32 = named.map(|(line, _)| entry(line)).sum();
        let note = match is_narrow {
            true => wrapped(&self.note().join("; "), letters),
            false => self.note(),
        };
        legend += if note.is_empty() { 0 } else { note.len() as u32 * (NOTE_SIZE + 2) + 8 };
        let title = options.title(&self.caption);
        let above = if title.is_empty() { 0 } else { TITLE };
        let below = match is_narrow {
            true => height + legend + 8,
            false => height.max(legend + 28),
        };
        options.drawn((width, above + below), |area| {
            let rest = titled(area, &title)?;
            let (data, legend) = match is_narrow {
                true => rest.split_vertically(height),
                false if legend == 0 => (rest.clone(), rest.clone()),
                false => beside_legend(&rest),
            };
            self.draw(&data, &lines, is_narrow)?;
            let mut top = if is_narrow { 0 } else { 14 };
            for (line, look) in lines.iter().filter(|(line, _)| !line.name.is_empty()) {
                let (middle, sample) = (top + 8, [(8, top + 8), (48, top + 8)]);
                sample_line(&legend, sample, *look)?;
                if !line.is_model {
                    draw_mark_at(&legend, (28, middle), *look)?;
                }
                top =
                    legend_text(&legend, &wrapped(&line.name, letters), top, NAME_SIZE, BLACK)? + 8;
            }
            legend_text(&legend, &note, top, NOTE_SIZE, GREY).map(|_| ())
        })
    }

    /// What bars and dashed lines are.
    fn note(&self) -> Vec<String> {
        let has_bars =
            self.lines.iter().flat_map(|line| &line.points).any(|point| point.half.is_some());
        let has_models = self.lines.iter().any(|line| line.is_model);
        let lines = [
            (has_bars, "bars: 95 % confidence interval"),
            (has_bars, "white line: smaller than its mark"),
            (has_models, "models: of uniform writes"),
            (self.unsettled().0 > 0, "open mark: not settled"),
        ];
        lines.into_iter().filter(|(has, _)| *has).map(|(_, line)| line.to_owned()).collect()
    }

    fn draw(
        &self,
        area: &Area<'_>,
        lines: &[(MeanLine, Look)],
        is_narrow: bool,
    ) -> Result<(), PlotError> {
        let points = || lines.iter().flat_map(|(line, _)| line.points.iter());
        let names = &self.x.names;
        let x = match &names[..] {
            [] => {
                let mut values: Vec<f64> = points().map(|point| point.x).collect();
                values.sort_by(f64::total_cmp);
                values.dedup();
                self.x.over(values.iter().copied(), 8).with_ticks_at(&values)
            }
            names => Axis::across(names),
        };
        let ends = points().flat_map(|point| {
            let half = point.half.unwrap_or(0.0);
            [point.mean - half, point.mean + half]
        });
        let y = self.y.over(ends, 6);
        let mut chart = framed(area, "", (&x, &y), NAMES)?;
        let height = f64::from(chart.plotting_area().dim_in_pixel().1);
        for (at, (line, look)) in lines.iter().enumerate() {
            let means: Vec<(f64, f64)> =
                line.points.iter().map(|point| (point.x, point.mean)).collect();
            // There is nothing between two names.
            if names.is_empty() {
                // The first lines are the widest, so that of lines upon each other all are seen.
                let more = if line.is_model { 0 } else { (lines.len() - 1 - at).min(2) as u32 };
                let width = if is_narrow { 1 + more / 2 } else { 2 + more };
                draw_path(&mut chart, &means, *look, width)?;
            }
            if line.is_model {
                continue;
            }
            for point in &line.points {
                draw_mark(&mut chart, (point.x, point.mean), *look)?;
                if point.settled == Some(false) {
                    let open = [Circle::new((point.x, point.mean), 2, WHITE.filled())];
                    chart.draw_series(open).map_err(PlotError::from)?;
                }
                let Some(half) = point.half.filter(|half| *half > 0.0) else { continue };
                let at = |value: f64| {
                    ((y.share_at(point.mean) - y.share_at(value)) * height).round() as i32
                };
                let (up, down) = (at(point.mean + half), at(point.mean - half));
                let (bars, color) = match down - up <= 2 * MARK {
                    true => (vec![[(-2, 0), (2, 0)]], WHITE),
                    false => (
                        vec![[(0, up), (0, down)], [(-4, up), (4, up)], [(-4, down), (4, down)]],
                        look.color,
                    ),
                };
                let place = (point.x, point.mean);
                let bars = bars.into_iter().map(|bar| {
                    EmptyElement::at(place) + PathElement::new(bar.to_vec(), color.stroke_width(1))
                });
                chart.draw_series(bars).map_err(PlotError::from)?;
            }
        }
        Ok(())
    }
}

impl MeanAxis {
    /// An axis with a little more room than the values take.
    fn over(&self, values: impl Iterator<Item = f64> + Clone, ticks: u32) -> Axis {
        let least = values.clone().fold(f64::INFINITY, f64::min);
        let most = values.clone().fold(f64::NEG_INFINITY, f64::max);
        if self.log {
            let room = (most / least).powf(0.05).max(1.02);
            return Axis::log(&self.label, least / room, most * room, self.quantity);
        }
        let room = if most > least { (most - least) * 0.05 } else { (most.abs() * 0.05).max(0.5) };
        let low = if least >= 0.0 { (least - room).max(0.0) } else { least - room };
        Axis::between(&self.label, low, most + room, ticks, self.quantity)
    }
}

/// Letters of a line of a legend beside the chart.
const LETTERS: usize = 24;

/// A legend's name in lines of at most so many letters.
fn wrapped(name: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in name.split_inclusive([' ', '+', '/']) {
        let letters: Vec<char> = word.chars().collect();
        for piece in letters.chunks(most) {
            match lines.last_mut() {
                Some(line) if line.chars().count() + piece.len() <= most + 1 => line.extend(piece),
                _ => lines.push(piece.iter().collect()),
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_broken() {
        assert_eq!(wrapped("page-level", LETTERS), ["page-level"]);
        let lines =
            wrapped("lazy-rtgc+victim=two-level-list+share=0.8 · traces/financial-1.csv", LETTERS);
        assert!(
            lines.len() > 2 && lines.iter().all(|line| line.chars().count() <= 25),
            "{lines:?}"
        );
        assert!(wrapped("", LETTERS).is_empty());
    }

    fn means(half: f64, is_model: bool) -> Means {
        let axis = |label: &str| MeanAxis {
            label: label.into(),
            quantity: Quantity::Number,
            names: Vec::new(),
            log: false,
        };
        let line = |name: &str, up: f64, is_model: bool| MeanLine {
            name: name.into(),
            points: (0..3)
                .map(|x| MeanPoint {
                    x: x.into(),
                    mean: up + f64::from(x),
                    half: (!is_model).then_some(half),
                    runs: if is_model { 0 } else { 3 },
                    settled: (!is_model).then_some(up < 6.0 || x > 0),
                })
                .collect(),
            is_model,
        };
        let lines = vec![
            line("one", 5.0, false),
            line("same", 5.0, false),
            line("two, \"2\"", 9.0, is_model),
        ];
        Means { caption: "caption".into(), x: axis("x"), y: axis("y"), lines }
    }

    #[test]
    fn a_single_column_has_a_whole_title_and_thin_lines() {
        let single = PlotOptions { size: "single".parse().unwrap(), ..PlotOptions::default() };
        let caption = "write amplification (WAF) behind the warm-up over op, by victim";
        let means = Means { caption: caption.into(), ..means(0.001, true) };
        let narrow = means.svg(&single).unwrap();
        for line in ["\nwrite amplification (WAF) behind\n", "\nthe warm-up over op, by victim\n"] {
            assert!(narrow.contains(line), "{line}: {narrow}");
        }
        let wide = means.svg(&PlotOptions::default()).unwrap();
        assert!(wide.contains(caption), "{wide}");
        let of_width = |svg: &str, width: u32| {
            svg.contains(&format!("stroke=\"#0072B2\" stroke-width=\"{width}\""))
        };
        assert_eq!([of_width(&wide, 1), of_width(&narrow, 1)], [false, true], "{narrow}");
    }

    #[test]
    fn equal_lines_are_one_and_models_have_no_marks() {
        let svg = means(0.001, true).svg(&PlotOptions::default()).unwrap();
        assert!(svg.contains("one, same") && svg.contains("models: of uniform writes"), "{svg}");
        // Of three points and the legend; the model has none.
        assert_eq!(svg.matches("<circle").count(), 4);
        assert_eq!(svg.matches("<polygon").count(), 0);
        let svg = means(0.001, false).svg(&PlotOptions::default()).unwrap();
        assert_eq!(svg.matches("<polygon").count(), 4);
        assert!(!svg.contains("models:"));
        let mut csv = Vec::new();
        means(0.5, true).write_csv(&mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        assert_eq!(csv.lines().next(), Some("line,kind,x,y,ci95,n,settled"));
        assert_eq!(csv.lines().last(), Some("\"two, \"\"2\"\"\",model,2,11,,,"));
        assert_eq!(csv.lines().nth(1), Some("one,measured,0,5,0.5,3,true"));
    }

    /// An interval smaller than its mark is white in it; one that is larger is three strokes of the line's colour.
    #[test]
    fn every_interval_is_drawn() {
        let strokes = |half: f64, color: &str| {
            let svg = means(half, false).svg(&PlotOptions::default()).unwrap();
            svg.matches(&format!("stroke=\"{color}\" stroke-width=\"1\"")).count()
        };
        assert_eq!([strokes(0.001, "#FFFFFF"), strokes(0.001, "#0072B2")], [6, 0]);
        assert_eq!([strokes(1.0, "#FFFFFF"), strokes(1.0, "#0072B2")], [0, 9]);
    }

    #[test]
    fn points_that_have_not_settled_have_open_marks_and_ticks_are_at_the_values() {
        let drawn = means(0.001, false);
        assert_eq!(drawn.unsettled(), (1, 9));
        let svg = drawn.svg(&PlotOptions::default()).unwrap();
        assert!(svg.contains("open mark: not settled"), "{svg}");
        assert_eq!(svg.matches("r=\"2\"").count(), 1);
        let names = |values: [f64; 3]| {
            let mut drawn = means(0.001, false);
            for line in &mut drawn.lines {
                line.points.iter_mut().zip(values).for_each(|(point, x)| point.x = x);
            }
            drawn.svg(&PlotOptions::default()).unwrap()
        };
        let swept = names([7.0, 14.0, 28.0]);
        assert!(
            ["7", "14", "28"].iter().all(|name| swept.contains(&format!("\n{name}\n"))),
            "{swept}"
        );
        // Values that are too near each other have round ticks.
        assert!(!names([7.0, 7.1, 28.0]).contains("\n7.1\n"));
    }

    #[test]
    fn in_a_column_of_a_paper_the_legend_is_below() {
        let options = PlotOptions {
            size: "single".parse().unwrap(),
            titled: false,
            ..PlotOptions::default()
        };
        let svg = means(0.1, true).svg(&options).unwrap();
        assert!(svg.starts_with("<svg width=\"336\"") && !svg.contains("caption"), "{svg}");
        let height: u32 =
            svg.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        assert!(height > 300, "{height}");
        let wide = PlotOptions { size: "double".parse().unwrap(), ..options };
        assert!(
            means(0.1, true).svg(&wide).unwrap().starts_with("<svg width=\"680\" height=\"400\"")
        );
    }
}
