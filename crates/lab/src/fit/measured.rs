//! Measured points of a drive, from a table.

use crate::Fault;
use serde::Serialize;
use workload::{BUILTIN, WorkloadSpec, builtin};

/// The columns, for errors and help.
const COLUMNS: &str = "workload (or pattern), fill, waf or throughput (or both), writes";

/// What was measured at a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Figure {
    /// Write amplification.
    Waf(f64),
    /// Throughput of writes, in any unit that all points share.
    Throughput(f64),
}

/// One measured point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// Line of the table.
    pub line: u64,
    /// Workload and its parameters, as given.
    pub workload: String,
    /// Share of the exported space that is in use.
    pub fill: f64,
    /// Host writes over the exported space, from a drive filled once in order; `null`: steady state.
    pub writes: Option<f64>,
    /// The figure.
    pub figure: Figure,
    #[serde(skip)]
    pub(super) spec: (String, Vec<(String, String)>),
}

/// Reads a table; `place` names it in errors. Where its header has semicolons or tabs, these separate its columns, and with
/// semicolons numbers may have a decimal comma, as spreadsheets write them.
///
/// # Errors
/// A column that is unknown, missing or there twice, a value out of its range, or no point.
pub fn read(text: &str, place: &str) -> Result<Vec<Measured>, Fault> {
    let separator = separator(text);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let wrong = |error: csv::Error| Fault::input(format!("{place}: {error}"));
    let header = reader.headers().map_err(wrong)?.clone();
    let columns = Columns::of(&header).map_err(|reason| {
        Fault::with_help(format!("{place}: {reason}"), format!("columns: {COLUMNS}"))
    })?;
    let mut points = Vec::new();
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        let line = record.position().map_or(0, csv::Position::line);
        let read = columns.read(&record, line, separator == b';');
        points.extend(
            read.map_err(|reason| Fault::input(format!("{place}, line {line}: {reason}")))?,
        );
    }
    if points.is_empty() {
        return Err(Fault::with_help(
            format!("{place}: has no measured point"),
            "a header, and a line per point, as in `workload,fill,waf` and `uniform,1,4.2`",
        ));
    }
    let throughputs = points.iter().filter(|point| matches!(point.figure, Figure::Throughput(_)));
    if throughputs.count() == 1 {
        return Err(Fault::with_help(
            format!(
                "{place}: one throughput says nothing: only ratios of throughputs are compared"
            ),
            "measure at another fill or with another workload as well, or give WAF",
        ));
    }
    Ok(points)
}

/// What separates the columns of a table.
fn separator(text: &str) -> u8 {
    let is_header = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let header = text.lines().find(is_header).unwrap_or_default();
    let has = |of: &u8| header.bytes().any(|byte| byte == *of);
    b",;\t".iter().copied().find(has).unwrap_or(b',')
}

struct Columns {
    workload: Option<usize>,
    fill: Option<usize>,
    writes: Option<usize>,
    waf: Option<usize>,
    throughput: Option<usize>,
}

impl Columns {
    fn of(header: &csv::StringRecord) -> Result<Self, String> {
        let mut columns =
            Self { workload: None, fill: None, writes: None, waf: None, throughput: None };
        for (at, name) in header.iter().enumerate() {
            let column = match name.to_lowercase().as_str() {
                "workload" | "pattern" => &mut columns.workload,
                "fill" => &mut columns.fill,
                "writes" => &mut columns.writes,
                "waf" => &mut columns.waf,
                "throughput" => &mut columns.throughput,
                _ => return Err(format!("no column is called `{name}`")),
            };
            if column.replace(at).is_some() {
                return Err(format!("the column `{name}` is there twice"));
            }
        }
        if columns.waf.is_none() && columns.throughput.is_none() {
            return Err("there is neither a column `waf` nor `throughput`".into());
        }
        Ok(columns)
    }

    /// The points of a row: one per figure.
    fn read(
        &self,
        record: &csv::StringRecord,
        line: u64,
        decimal_comma: bool,
    ) -> Result<Vec<Measured>, String> {
        let text = |column: Option<usize>| {
            column.and_then(|at| record.get(at)).filter(|text| !text.is_empty())
        };
        let number = |column, name: &str, (least, most): (f64, f64), right: &str| {
            let read = |text: &str| {
                let (digits, scale) = match text.strip_suffix('%') {
                    Some(digits) => (digits.trim(), 0.01),
                    None => (text, 1.0),
                };
                let digits = match decimal_comma {
                    true => digits.replacen(',', ".", 1),
                    false => digits.to_owned(),
                };
                let value = digits.parse::<f64>().ok().map(|value| value * scale);
                let value = value.filter(|value| *value >= least && *value <= most);
                value.ok_or_else(|| format!("{name}: expected {right}, not `{text}`"))
            };
            text(column).map(read).transpose()
        };
        let workload = text(self.workload).unwrap_or("uniform");
        let spec = spec(workload)?;
        let share = "a share above 0 and up to 1, or per cent";
        let fill = number(self.fill, "fill", (1e-3, 1.0), share)?.unwrap_or(1.0);
        let many = "drive writes, above 0 and up to 1000";
        let writes = number(self.writes, "writes", (1e-3, 1000.0), many)?;
        let waf = number(self.waf, "waf", (1.0, 1000.0), "a write amplification, 1 to 1000")?;
        let above = "a number above 0";
        let throughput = number(self.throughput, "throughput", (1e-12, 1e18), above)?;
        let figures =
            [waf.map(Figure::Waf), throughput.map(Figure::Throughput)].into_iter().flatten();
        let points: Vec<Measured> = figures
            .map(|figure| Measured {
                line,
                workload: workload.to_owned(),
                fill,
                writes,
                figure,
                spec: spec.clone(),
            })
            .collect();
        match points.is_empty() {
            true => Err("has neither a WAF nor a throughput".into()),
            false => Ok(points),
        }
    }
}

/// Name and parameters of `NAME+KEY=VALUE+…`, checked as far as they can be without a device.
fn spec(text: &str) -> Result<(String, Vec<(String, String)>), String> {
    let mut words = text.split('+').map(str::trim);
    let name = match words.next().unwrap_or_default() {
        "random" => "uniform",
        name => name,
    };
    let info = builtin(name).map_err(|error| error.to_string())?;
    let has = |key: &str| info.all_parameters().any(|parameter| parameter.name == key);
    if !has("footprint") {
        let those =
            BUILTIN.iter().filter(|info| info.all_parameters().any(|p| p.name == "footprint"));
        let names: Vec<&str> = those.map(|info| info.name).collect();
        return Err(format!(
            "workload: `{name}` has no part of the space as a parameter; there are {}",
            names.join(", ")
        ));
    }
    let mut parameters = Vec::new();
    for word in words {
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| format!("workload: expected NAME+KEY=VALUE+…, not `{text}`"))?;
        let key = key.trim();
        if key == "footprint" {
            return Err("workload: `footprint` is what the column `fill` sets".into());
        }
        if !has(key) {
            return Err(format!("workload: `{name}` has no parameter `{key}`"));
        }
        parameters.push((key.to_owned(), value.trim().to_owned()));
    }
    let space = workload::Space { bytes: 1 << 30, page_bytes: 4096, pages_per_block: 64 };
    let spec = parameters
        .iter()
        .fold(WorkloadSpec::builtin(name), |spec, (key, value)| spec.with(key, value));
    let facts = spec.check(space).map_err(|error| error.to_string())?;
    match facts.has_arrivals {
        true => {
            Err("workload: arrival times have no part in write amplification: leave `rate` out"
                .into())
        }
        false => Ok((name.to_owned(), parameters)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_points_with_their_defaults() {
        let text = "pattern, fill, waf, throughput, writes\n# a remark\nrandom, 50%, 2.5, ,\n\
                    zipf+theta=0.8, , , 310, 2\nuniform,1,3,200,\n";
        let points = read(text, "t").unwrap();
        let found: Vec<_> = points
            .iter()
            .map(|point| (point.spec.0.as_str(), point.fill, point.writes, point.figure))
            .collect();
        assert_eq!(
            found,
            [
                ("uniform", 0.5, None, Figure::Waf(2.5)),
                ("zipf", 1.0, Some(2.0), Figure::Throughput(310.0)),
                ("uniform", 1.0, None, Figure::Waf(3.0)),
                ("uniform", 1.0, None, Figure::Throughput(200.0)),
            ]
        );
        assert_eq!(points[1].spec.1, [("theta".to_owned(), "0.8".to_owned())]);
    }

    #[test]
    fn a_spreadsheet_may_separate_by_semicolons_and_write_decimal_commas() {
        for (separator, text) in [
            (';', "# a remark\nworkload;fill;waf\nzipf+theta=0.8;50 %;2,5\n;0,9;1,75\n"),
            ('\t', "workload\tfill\twaf\nzipf+theta=0.8\t50 %\t2.5\n\t0.9\t1.75\n"),
        ] {
            let points = read(text, "t").unwrap();
            let found: Vec<_> = points.iter().map(|point| (point.fill, point.figure)).collect();
            let wanted = [(0.5, Figure::Waf(2.5)), (0.9, Figure::Waf(1.75))];
            assert_eq!(found, wanted, "{separator}");
        }
        let error = read("fill;waf\n1;1.234,5\n", "t").unwrap_err().to_string();
        assert!(error.contains("line 2: waf: expected a write amplification"), "{error}");
        // A comma that separates is no point, nor one between tabs, where it may be of thousands.
        assert!(read("fill,waf\n\"0,9\",2\n", "t").is_err());
        assert!(read("fill\tthroughput\n1\t1,234\n0.9\t2,345\n", "t").is_err());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, told) in [
            ("fill\n1\n", "neither a column `waf` nor `throughput`"),
            ("waf,speed\n1,1\n", "no column is called `speed`"),
            ("waf,waf\n1,1\n", "`waf` is there twice"),
            ("waf\n", "no measured point"),
            ("waf\n2\n0.9\n", "line 3: waf: expected a write amplification"),
            ("fill,waf\n1.1,2\n", "line 2: fill: expected a share"),
            ("fill,waf\n1\n", "t: "),
            ("fill,waf\n1,\n", "neither a WAF nor a throughput"),
            ("throughput\n100\n", "only ratios"),
            ("workload,waf\nzpf,2\n", "did you mean `zipf`"),
            ("workload,waf\niozone,2\n", "has no part of the space"),
            ("workload,waf\nzipf+theta,2\n", "NAME+KEY=VALUE"),
            ("workload,waf\nzipf+theta=77,2\n", "theta must be 0 to 10"),
            ("workload,waf\nzipf+bogus=77,2\n", "no parameter `bogus`"),
            ("workload,waf\nzipf+rate=7,2\n", "leave `rate` out"),
            ("workload,waf\nzipf+footprint=0.5,2\n", "what the column `fill` sets"),
            ("waf,writes\n2,-1\n", "writes: expected drive writes"),
            ("waf\nnan\n", "waf: expected"),
        ] {
            let error = read(text, "t").unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
