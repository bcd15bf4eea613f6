//! CSV: a summary with one row per scheme, its sentences apart, and the series in long format with a scheme column.

use super::figures;
use super::figures::OF_SCHEMES;
use ::csv::{Error, Writer};
use ::run::report::{Report, SchemeReport, WindowSample};
use std::borrow::Borrow;
use std::io::Write;

/// One CSV file: its name and its writer.
pub(super) struct Table {
    /// File name.
    pub(super) name: &'static str,
    /// True if a report has this file.
    pub(super) of: fn(&Report) -> bool,
    rows: Rows,
}

/// The rows of a table.
enum Rows {
    /// Header and all rows.
    All(fn(&Report, &mut Writer<&mut dyn Write>) -> Result<(), Error>),
    /// Header without the scheme, and the rows of a scheme.
    PerScheme(&'static [&'static str], fn(&SchemeReport) -> Vec<Vec<String>>),
}
use Rows::{All, PerScheme};

impl Table {
    /// Writes the table, header first.
    pub(super) fn write(&self, report: &Report, to: &mut dyn Write) -> Result<(), Error> {
        let mut writer = Writer::from_writer(to);
        match self.rows {
            All(write) => write(report, &mut writer)?,
            PerScheme(header, rows) => {
                writer.write_record([&"scheme"].into_iter().chain(header))?;
                for scheme in &report.schemes {
                    for row in rows(scheme) {
                        writer.write_record([&scheme.name].into_iter().chain(&row))?;
                    }
                }
            }
        }
        writer.flush()?;
        Ok(())
    }
}

/// Every table.
pub(super) const TABLES: [Table; 10] = [
    Table { name: "summary.csv", of: always, rows: All(summary) },
    Table { name: "notes.csv", of: always, rows: All(notes) },
    Table {
        name: "response_ccdf.csv",
        of: always,
        rows: PerScheme(&["response_ns", "share_of_page_tasks_beyond"], |s| {
            points(&s.series.response_ccdf)
        }),
    },
    Table {
        name: "job_completion_ccdf.csv",
        of: Report::has_jobs,
        rows: PerScheme(&["job", "completion_ns", "share_of_requests_beyond"], |s| {
            let points =
                s.jobs.iter().flat_map(|job| job.ccdf.iter().map(move |at| (&job.job, at)));
            points
                .map(|(job, (ns, share))| vec![job.clone(), ns.to_string(), share.to_string()])
                .collect()
        }),
    },
    Table {
        name: "request_completion_ccdf.csv",
        of: |report| report.deadline_ns().is_some(),
        rows: PerScheme(&["completion_ns", "share_of_requests_beyond"], |s| {
            points(&s.series.request_completion_ccdf)
        }),
    },
    Table {
        name: "free_blocks.csv",
        of: always,
        rows: PerScheme(&["time_ns", "free_pages", "free_blocks"], |s| {
            let blocks = |pages: u64| {
                s.block_pages()
                    .map_or_else(String::new, |of| (pages as f64 / f64::from(of)).to_string())
            };
            let points = s.series.free_pages.iter();
            points
                .map(|&(ns, pages)| vec![ns.to_string(), pages.to_string(), blocks(pages)])
                .collect()
        }),
    },
    Table {
        name: "throughput.csv",
        of: always,
        rows: PerScheme(&["time_ns", "page_tasks_per_second"], |s| points(&s.series.throughput)),
    },
    Table {
        name: "erases_per_block.csv",
        of: always,
        rows: PerScheme(&["block", "erases"], |s| points(s.series.erases.iter().enumerate())),
    },
    Table {
        name: "victim_valid.csv",
        of: always,
        rows: PerScheme(&["valid_pages", "victims_blocks"], |s| {
            points(s.series.victim_valid.iter().enumerate())
        }),
    },
    Table {
        name: "windows.csv",
        of: Report::is_of_channels,
        rows: PerScheme(
            &[
                "time_ns",
                "length_ns",
                "page_commands",
                "page_commands_per_second",
                "host_pages",
                "least_free_pages",
            ],
            |s| {
                let ns = s.window_ns();
                let row = |window: &WindowSample| {
                    vec![
                        window.start_ns.to_string(),
                        ns.to_string(),
                        window.page_commands.to_string(),
                        (window.page_commands as f64 * 1e9 / ns as f64).to_string(),
                        window.host_pages.to_string(),
                        window.least_free_pages.to_string(),
                    ]
                };
                s.series.windows.iter().map(row).collect()
            },
        ),
    },
];

/// True for every report.
fn always(_: &Report) -> bool {
    true
}

/// A row per point.
fn points<X: ToString, Y: ToString>(
    points: impl IntoIterator<Item: Borrow<(X, Y)>>,
) -> Vec<Vec<String>> {
    let row = |point: &(X, Y)| vec![point.0.to_string(), point.1.to_string()];
    points.into_iter().map(|point| row(point.borrow())).collect()
}

/// One row per scheme. Schemes may differ in their causes; a column of one scheme is a column of all.
fn summary(report: &Report, to: &mut Writer<&mut dyn Write>) -> Result<(), Error> {
    let schemes: Vec<_> = report.schemes.iter().map(figures::scalars).collect();
    let mut header: Vec<&str> = Vec::new();
    for (name, _) in schemes.iter().flatten().filter(|(name, _)| !is_sentence(name)) {
        if !header.contains(&name.as_str()) {
            header.push(name);
        }
    }
    if header.is_empty() {
        header.push("name");
    }
    let titles = header.iter().map(|name| if *name == "name" { "scheme" } else { name });
    to.write_record(titles)?;
    for scheme in &schemes {
        to.write_record(header.iter().map(|name| {
            scheme.iter().find(|(n, _)| n == name).map_or("", |(_, value)| value.as_str())
        }))?;
    }
    Ok(())
}

fn is_sentence(name: &str) -> bool {
    OF_SCHEMES.iter().any(|figure| figure.is_sentence && figure.name == name)
}

/// One row per sentence: of a scheme, or of the run.
fn notes(report: &Report, to: &mut Writer<&mut dyn Write>) -> Result<(), Error> {
    to.write_record(["scheme", "about", "text"])?;
    for note in report.configuration["notes"].as_array().into_iter().flatten() {
        to.write_record(["", "run", note.as_str().unwrap_or_default()])?;
    }
    for out in &report.left_out {
        to.write_record([&out.name, "left_out", &out.reason])?;
    }
    for scheme in &report.schemes {
        for warning in &scheme.warnings {
            to.write_record([&scheme.name, "warning", warning])?;
        }
        let sentences = figures::scalars(scheme).into_iter();
        let sentences = sentences
            .filter(|(name, text)| is_sentence(name) && name != "warnings" && !text.is_empty());
        for (about, text) in sentences {
            to.write_record([&scheme.name, &about, &text])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn records(report: &Report, name: &str) -> (Vec<String>, Vec<Vec<String>>) {
        let table = TABLES.iter().find(|table| table.name == name).expect(name);
        let mut bytes = Vec::new();
        table.write(report, &mut bytes).unwrap();
        let mut reader = ::csv::Reader::from_reader(&bytes[..]);
        let header = reader.headers().unwrap().iter().map(str::to_owned).collect();
        let rows = reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect());
        (header, rows.collect())
    }

    #[test]
    fn a_summary_row_per_scheme() {
        let mut report = samples::report();
        report.schemes[0].name = "a, \"quoted\" name".into();
        let (header, rows) = records(&report, "summary.csv");
        assert_eq!((header[0].as_str(), rows.len()), ("scheme", 3));
        assert_eq!(rows[0][0], "a, \"quoted\" name");
        let at = header.iter().position(|name| name == "first_violation.seen").unwrap();
        assert_eq!((rows[0][at].as_str(), rows[1][at].as_str()), ("", "2220950"));
        let tasks = header.iter().position(|name| name == "tasks").unwrap();
        assert_eq!(rows[2][tasks], "200000");
    }

    #[test]
    fn the_summary_has_values_and_the_notes_sentences() {
        let mut report = samples::report();
        report.schemes[1].warnings = vec!["too short; too few".into(), "late".into()];
        let (header, rows) = records(&report, "summary.csv");
        for (name, value) in header.iter().zip(rows.iter().flatten()) {
            assert!(!is_sentence(name) && !value.contains(' '), "{name}: {value}");
        }
        let (_, notes) = records(&report, "notes.csv");
        let of = |about: &str| notes.iter().filter(|row| row[1] == about).collect::<Vec<_>>();
        let warnings = of("warning");
        assert!(warnings.iter().any(|row| row[0] == report.schemes[1].name && row[2] == "late"));
        assert_eq!(warnings.len(), report.schemes.iter().map(|s| s.warnings.len()).sum::<usize>());
        assert_eq!(of("collection.why").len(), 3);
        assert_eq!(of("first_violation.replay").len(), 1);
    }

    #[test]
    fn series_are_long_and_complete() {
        let report = samples::report();
        let sum =
            |points: fn(&SchemeReport) -> usize| report.schemes.iter().map(points).sum::<usize>();
        let lengths = [
            ("response_ccdf.csv", sum(|s| s.series.response_ccdf.len())),
            ("free_blocks.csv", sum(|s| s.series.free_pages.len())),
            ("throughput.csv", sum(|s| s.series.throughput.len())),
            ("erases_per_block.csv", sum(|s| s.series.erases.len())),
            ("victim_valid.csv", sum(|s| s.series.victim_valid.len())),
        ];
        for (name, length) in lengths {
            let (header, rows) = records(&report, name);
            assert!(length > 0 && rows.len() == length, "{name}");
            assert_eq!(header[0], "scheme");
            assert_eq!(rows[length - 1][0], "lazy-rtgc");
        }
        let (_, free) = records(&report, "free_blocks.csv");
        let pages: f64 = free[5][2].parse().unwrap();
        assert_eq!(free[5][3].parse::<f64>().unwrap(), pages / 64.0);
    }

    #[test]
    fn windows_have_a_length_and_a_rate() {
        let report = samples::on_channels();
        let (header, rows) = records(&report, "windows.csv");
        assert_eq!(header[3..5], ["page_commands", "page_commands_per_second"]);
        let windows: usize = report.schemes.iter().map(|s| s.series.windows.len()).sum();
        assert_eq!(rows.len(), windows);
        let number = |row: usize, at: usize| rows[row][at].parse::<f64>().unwrap();
        assert_eq!((number(1, 1), number(1, 2)), (1e8, 1e8));
        assert_eq!(number(1, 4), number(1, 3) * 10.0);
    }

    #[test]
    fn no_scheme_and_an_idle_one() {
        let mut report = samples::report();
        report.schemes = vec![SchemeReport { name: "x".into(), ..SchemeReport::default() }];
        assert_eq!(records(&report, "summary.csv").1.len(), 1);
        report.schemes.clear();
        for table in &TABLES {
            let (header, rows) = records(&report, table.name);
            let of_schemes = rows.iter().filter(|row| !row[0].is_empty());
            assert!(!header.is_empty() && of_schemes.count() == 0, "{}", table.name);
        }
    }
}
