//! Where arrivals come from: declared, a curve, a trace, or a built-in workload.

use crate::arrivals::{self, TaskArrivals};
use crate::config::{Bytes, ConfigError, Experiment, SchemeTable};
use crate::curves::{CurveError, Curves, Generated};
use crate::division::{Division, Question, on_ssd, part_of, rows_of};
use crate::fault::Fault;
use ::run::report::units;
use report::plots;
use serde_json::{Value, json};
use std::path::Path;
use workload::{TraceOptions, open_all};

/// Arrivals that are asked for by a text, as page tasks of any size of page.
#[derive(Clone, Debug)]
pub struct ArrivalSource {
    text: String,
    source: Source,
    /// How a trace is read.
    options: TraceOptions,
    /// What was taken for granted of a trace, and what of it was skipped.
    notes: Vec<String>,
    /// Those of each size of page that were asked for so far.
    known: Vec<(u32, TaskArrivals)>,
}

#[derive(Clone, Debug)]
enum Source {
    Declared(TaskArrivals),
    /// A curve of pages of one size.
    Curve(u32, TaskArrivals),
    Trace,
    Generated(Generated),
}

impl ArrivalSource {
    /// Those of a text: declared ([`TaskArrivals::declared`]), a file of curves (`.json`), a built-in workload
    /// ([`Generated::parse`]) unless a file has that name, or a trace.
    ///
    /// # Errors
    /// What is wrong with the text or the file; a trace is looked at by [`ArrivalSource::on_pages`].
    pub fn new(text: &str) -> Result<Self, Fault> {
        let told = |why: String| Fault::input(format!("--arrivals {text}: {why}"));
        if text.trim().is_empty() {
            let forms =
                "writes=periodic:1ms, a trace, or a built-in workload such as uniform:rate=500";
            return Err(Fault::with_help("--arrivals is empty", format!("expected {forms}")));
        }
        let path = Path::new(text);
        let mut notes = Vec::new();
        let generated = || if path.exists() { None } else { Generated::parse(text) };
        let source = if TaskArrivals::is_declared(text) {
            Source::Declared(TaskArrivals::declared(text).map_err(told)?)
        } else if path.extension().is_some_and(|of| of == "json") {
            let file = std::fs::read_to_string(text).map_err(|error| told(error.to_string()))?;
            let curves = Curves::from_json(&file).map_err(|why| {
                told(format!("{why}; expected what `ftlkit trace curve FILE --json` writes"))
            })?;
            notes.clone_from(&curves.notes);
            Source::Curve(curves.page_bytes, TaskArrivals::of_trace(&curves))
        } else if let Some(workload) = generated() {
            Source::Generated(workload.map_err(told)?)
        } else if ["bucket:", "periodic:"].iter().any(|kind| text.starts_with(kind))
            && !path.exists()
        {
            return Err(told(format!("of which page tasks? For example writes={text}")));
        } else {
            Source::Trace
        };
        let (text, options) = (text.to_owned(), TraceOptions::default());
        Ok(Self { text, source, options, notes, known: Vec::new() })
    }

    /// The same, with a trace read so.
    ///
    /// # Errors
    /// The arrivals are those of no trace.
    pub fn reading(self, options: TraceOptions) -> Result<Self, Fault> {
        match self.source {
            Source::Trace => Ok(Self { options, ..self }),
            _ => Err(Fault::with_help(
                format!("--arrivals {}: options of a trace are given, and this is none", self.text),
                "omit them; a curve has been read with them by `ftlkit trace curve`",
            )),
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The page tasks on pages of so many bytes. A trace is read to its end, as long as `go_on` is true.
    ///
    /// # Errors
    /// A curve of another size; a trace without arrival times or that cannot be read; a parameter of a built-in workload; reading
    /// was stopped.
    pub fn on_pages(
        &mut self,
        page_bytes: u32,
        go_on: impl Fn() -> bool,
    ) -> Result<&TaskArrivals, Fault> {
        let text = &self.text;
        let found = match &self.source {
            Source::Declared(arrivals) => return Ok(arrivals),
            Source::Curve(of, arrivals) if *of == page_bytes => return Ok(arrivals),
            Source::Curve(of, _) => {
                return Err(Fault::with_help(
                    format!(
                        "--arrivals {text}: the curve is of pages of {}, and the part has pages of {}",
                        units::bytes((*of).into()),
                        units::bytes(page_bytes.into())
                    ),
                    format!("write one with `ftlkit trace curve FILE --page {page_bytes} --json`"),
                ));
            }
            _ if self.known.iter().any(|(bytes, _)| *bytes == page_bytes) => None,
            Source::Trace => {
                let reader = open_all(&[text.into()], &self.options);
                let reader = reader.map_err(ConfigError::from)?;
                Some(Curves::of_trace(reader, page_bytes, |_| go_on()))
            }
            Source::Generated(workload) => Some(workload.curves(page_bytes, &go_on)),
        };
        if let Some(found) = found {
            let curves = found.map_err(|error| match error {
                CurveError::Workload(error) => Fault::from(ConfigError::from(error)),
                error => Fault::input(format!("{text}: {error}")),
            })?;
            if !go_on() {
                return Err(Fault::internal(format!(
                    "{text}: interrupted: it was not read to its end"
                )));
            }
            self.notes.clone_from(&curves.notes);
            self.known.push((page_bytes, TaskArrivals::of_trace(&curves)));
        }
        let known = self.known.iter().find(|(bytes, _)| *bytes == page_bytes);
        known
            .map(|(_, arrivals)| arrivals)
            .ok_or_else(|| Fault::internal("no arrivals were gathered"))
    }

    /// What the curve of a generated workload says, and does not; of a trace what was taken for granted, and what was skipped.
    pub fn notes(&self) -> Vec<String> {
        match &self.source {
            Source::Generated(workload) => workload.note().into_iter().collect(),
            _ => self.notes.clone(),
        }
    }
}

/// Why nothing is proved of a device with these settings, whatever its scheme.
pub(crate) fn uncovered(of: &Experiment) -> Option<&'static str> {
    let refreshes = !of.refresh_limits().are_off();
    [
        (of.cpu.0.is_some(), "no bound covers the processor's time"),
        (!of.bit_errors.0.are_off(), "no bound covers bit errors, which may lose pages"),
        (
            refreshes,
            "a refresh works in idle time, which a request that comes then has to wait for",
        ),
    ]
    .into_iter()
    .find_map(|(is_so, why)| is_so.then_some(why))
}

/// What is proved of arrivals on the device or the SSD of an experiment, an object for each scheme; `deadline_ns`: with whether it
/// keeps that deadline. Otherwise as [`crate::division::of_experiment`].
///
/// # Errors
/// As [`crate::division::of_experiment`]; arrivals that cannot be read.
pub fn of_arrivals(
    experiment: &Experiment,
    schemes: &[SchemeTable],
    blocks: Option<u32>,
    (source, deadline_ns): (&mut ArrivalSource, Option<u64>),
) -> Result<Vec<(Value, Option<plots::Curves>)>, Fault> {
    let part = part_of(experiment)?;
    let rows = match experiment.channels {
        Some(_) => {
            let block = u64::from(part.pages_per_block) * u64::from(part.page_bytes);
            let bytes = blocks.map(|blocks| Bytes::new(u64::from(blocks) * block));
            let capacity = bytes.or(experiment.capacity);
            on_ssd(&Experiment { capacity, ..experiment.clone() }, schemes)?
        }
        None => {
            // A deadline is not asked of zones, whose host collects by itself.
            let question = Question { deadline_ns: Some(0), pages: 1 };
            rows_of(experiment, schemes, blocks, question)?.2
        }
    };
    let uncovered = uncovered(experiment);
    let object = |row: &Division| {
        let arrivals = source.on_pages(row.page_bytes(), || true)?;
        let found = match row.why_not() {
            Some(why) => Err(format!("cannot work: {why}")),
            None => uncovered.map_or_else(|| arrivals.delay_on(row), |why| Err(why.to_owned())),
        };
        let mut value = arrivals::json(row, &found, deadline_ns);
        value["part"] = json!(part.name);
        value["capacity_bytes"] = json!(row.raw_bytes());
        value["exported_bytes"] = json!(row.exported_bytes());
        let name = format!("{} on {}", row.scheme(), part.name);
        let drawing = found.ok().zip(row.server().ok());
        Ok((value, drawing.map(|(found, server)| arrivals.drawing(&server, &found, &name))))
    };
    rows.iter().map(object).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device is refused what an SSD is: a processor's time, bit errors, refresh.
    #[test]
    fn what_no_bound_covers_has_no_delay() {
        let found = |more: &str| {
            let experiment = Experiment::from_toml(more, "test").unwrap();
            let mut source = ArrivalSource::new("writes=bucket:4:20/s").unwrap();
            let schemes = ["lazy-rtgc".parse().unwrap()];
            let rows = of_arrivals(&experiment, &schemes, Some(256), (&mut source, None)).unwrap();
            rows[0].0["delay_ns"].is_u64()
        };
        assert!(found(""));
        for more in [
            "cpu = 'arm7'",
            "bit_errors = 'wear:1,0,0+ecc=72'",
            "bit_errors = 'wear:1,0,0+ecc=72'\nrefresh = 'age=30d'",
        ] {
            assert!(!found(more), "{more}");
        }
        assert!(
            ArrivalSource::new("bucket:4:20/s").unwrap_err().to_string().contains("writes=bucket")
        );
    }
}
