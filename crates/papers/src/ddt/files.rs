//! Study output files: tables as CSV, curves as plots.

use crate::ddt::alone::CopyRunError;
use crate::ddt::host_load::Point;
use crate::ddt::study::{Study, StudyRow};
use crate::ddt::way::Way;
use bounds::copyback::Copyback;
use lab::report::plots::{Curve, Curves, Drawn, PlotError};
use lab::report::{OutDir, OutError};
use std::path::PathBuf;

/// Reasons why a study cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The study's parameters are invalid.
    #[error(transparent)]
    Copies(#[from] CopyRunError),
    /// A plot cannot be drawn.
    #[error("a plot cannot be drawn: {0}")]
    Draw(#[from] PlotError),
    /// A file cannot be written.
    #[error(transparent)]
    Out(#[from] OutError),
}

/// Study rows as CSV with a header.
pub fn rows_csv(rows: &[StudyRow]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory cannot fail, and a row is flat.
    rows.iter().for_each(|row| writer.serialize(row).unwrap_or(()));
    text(writer)
}

/// Points of the host load study as CSV with a header.
pub fn points_csv(points: &[Point]) -> String {
    const HEAD: [&str; 19] = [
        "collection",
        "policy",
        "load_percent",
        "paced_pages_per_second",
        "offered_per_second",
        "saturated",
        "reads",
        "read_mean_ns",
        "read_p99_ns",
        "read_p99.9_ns",
        "read_max_ns",
        "writes",
        "write_mean_ns",
        "write_p99_ns",
        "write_p99.9_ns",
        "write_max_ns",
        "pages_per_second",
        "channel_use",
        "channel_use_collection",
    ];
    let mut writer = csv::Writer::from_writer(Vec::new());
    let or_none = |ns: Option<u64>| ns.map_or_else(String::new, |ns| ns.to_string());
    writer.write_record(HEAD).unwrap_or(());
    for point in points {
        let mut record = vec![
            point.collection.clone(),
            point.policy.into(),
            point.load_percent.to_string(),
            or_none(point.paced_pages_per_second),
            point.offered_per_second.to_string(),
            point.saturated.to_string(),
        ];
        for times in [&point.read_ns, &point.write_ns] {
            record.extend([times.count.to_string(), times.mean.to_string()]);
            record.extend([or_none(times.p99), or_none(times.p99_9), times.max.to_string()]);
        }
        let shares = [point.pages_per_second, point.channel_use, point.channel_use_collection];
        record.extend(shares.map(|share| share.to_string()));
        writer.write_record(record).unwrap_or(());
    }
    text(writer)
}

fn text(writer: csv::Writer<Vec<u8>>) -> String {
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// Quantity plotted from a study, over the transaction size.
struct Chart {
    file: &'static str,
    caption: &'static str,
    y_label: &'static str,
    value: fn(&Study, &Copyback, u32) -> Result<f64, CopyRunError>,
}

const CHARTS: [Chart; 3] = [
    Chart {
        file: "throughput",
        caption: "throughput of a transaction",
        y_label: "user data copied, MB/s",
        value: |_, form, pages| Ok(form.bytes_per_second(pages)? as f64 / 1e6),
    },
    Chart {
        file: "collection",
        caption: "whole collection, erase included",
        y_label: "ms",
        value: |study, form, pages| Ok(form.collection_ns(study.valid, pages)? as f64 / 1e6),
    },
    Chart {
        file: "channel_use",
        caption: "channel use of a transaction",
        y_label: "time in which the channel is taken, %",
        value: |_, form, pages| Ok(form.channel_use(pages)?.as_f64() * 100.0),
    },
];

/// Writes `copyback.csv` and plots over all transaction sizes; returns their paths. Existing files with these names
/// are replaced.
///
/// # Errors
/// Parameters outside their ranges; [`OutError`] with the file's path.
pub fn write(
    study: &Study,
    rows: &[StudyRow],
    name: &str,
    out: &OutDir,
) -> Result<Vec<PathBuf>, WriteError> {
    let csv = rows_csv(rows);
    let mut written = vec![out.file("copyback.csv", |to| to.write_all(csv.as_bytes()))?];
    for chart in &CHARTS {
        let svg = chart.draw(study, name)?;
        written.extend(out.plot(chart.file, &svg)?);
    }
    Ok(written)
}

impl Chart {
    fn draw(&self, study: &Study, name: &str) -> Result<String, WriteError> {
        let curve = |way: &Way| -> Result<Curve, CopyRunError> {
            let form = way.closed_form(&study.timings)?;
            // A transaction cannot be larger than the victim's valid pages.
            let most = study.valid.min(form.most_pages()) / way.planes;
            let points = (1..=most).map(|operations| {
                let pages = operations * way.planes;
                Ok((f64::from(pages), (self.value)(study, &form, pages)?))
            });
            let points = points.collect::<Result<_, CopyRunError>>()?;
            Ok(Curve { name: way.name(), note: String::new(), points, drawn: Drawn::Line })
        };
        let curves = study.ways.iter().map(curve).collect::<Result<_, _>>()?;
        let chart = Curves {
            caption: format!("{name}: {}", self.caption),
            x_label: "pages of a transaction",
            y_label: self.y_label,
            log_x: true,
            log_y: false,
            curves,
        };
        Ok(chart.svg()?)
    }
}

/// File name part, caption and quantity of a host load plot.
type Time = (&'static str, &'static str, fn(&Point) -> Option<f64>);

/// Writes `host_load.csv` and, per policy and pace, plots of p99.9 and mean over the load. Returns their paths.
///
/// # Errors
/// [`OutError`] with the file's path.
pub fn write_host_load(points: &[Point], out: &OutDir) -> Result<Vec<PathBuf>, WriteError> {
    let csv = points_csv(points);
    let mut written = vec![out.file("host_load.csv", |to| to.write_all(csv.as_bytes()))?];
    let times: [Time; 4] = [
        ("read_p99.9", "host reads, p99.9", |p| p.read_ns.p99_9.map(|ns| ns as f64 / 1e6)),
        ("read_mean", "host reads, mean", |p| Some(p.read_ns.mean / 1e6)),
        ("write_p99.9", "host writes, p99.9", |p| p.write_ns.p99_9.map(|ns| ns as f64 / 1e6)),
        ("write_mean", "host writes, mean", |p| Some(p.write_ns.mean / 1e6)),
    ];
    for (policy, paced) in kinds(points) {
        let of_it = |point: &&Point| {
            let same = point.paced_pages_per_second == paced || point.collection == "none";
            point.policy == policy && same
        };
        for (file, caption, value) in times {
            let curves = curves(points.iter().filter(of_it), value);
            let pace = paced.map_or_else(|| "unpaced".into(), |pages| format!("paced-{pages}"));
            let chart = Curves {
                caption: format!(
                    "{caption}; {policy} arbiter, collection {}",
                    pace.replace('-', " to ")
                ),
                x_label: "load of the host, % of what the channel carries without collection",
                y_label: "ms",
                log_x: false,
                log_y: true,
                curves,
            };
            let name = format!("host_load_{file}_{policy}_{pace}");
            let svg = chart.svg()?;
            written.extend(out.plot(&name, &svg)?);
        }
    }
    Ok(written)
}

/// Policies and paces of the points with collection, in order of appearance.
fn kinds(points: &[Point]) -> Vec<(&'static str, Option<u64>)> {
    let mut kinds = Vec::new();
    for point in points.iter().filter(|point| point.collection != "none") {
        let kind = (point.policy, point.paced_pages_per_second);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// One curve per copy method over the load; saturated points are omitted.
fn curves<'a>(
    points: impl Iterator<Item = &'a Point>,
    value: fn(&Point) -> Option<f64>,
) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for point in points.filter(|point| !point.saturated) {
        let Some(y) = value(point) else { continue };
        let at = curves.iter().position(|curve| curve.name == point.collection);
        let at = at.unwrap_or_else(|| {
            let name = point.collection.clone();
            curves.push(Curve { name, note: String::new(), points: vec![], drawn: Drawn::Line });
            curves.len() - 1
        });
        curves[at].points.push((f64::from(point.load_percent), y));
    }
    curves
}
