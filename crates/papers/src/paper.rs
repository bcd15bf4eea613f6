//! Papers: metadata, tables and figures, and their reproduction.

use crate::declared::Declared;
use crate::error::ReproduceError;
use crate::observer::ReproductionObserver;
use crate::reproduction::{Reproduction, Section};
use crate::settings::Settings;
use crate::sheet::{Outcome, Sheet};
use lab::config::did_you_mean;
use std::sync::LazyLock;

/// Paper that can be reproduced, independent of the simulations that it needs.
pub trait Paper: Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// Title.
    fn title(&self) -> &'static str;

    /// Authors and venue.
    fn source(&self) -> &'static str;

    /// Tables and figures as (name for `--only`, title).
    fn sections(&self) -> Vec<(&'static str, &'static str)>;

    /// Sections that read the real traces of [`Settings::traces`].
    fn sections_of_traces(&self) -> &'static [&'static str];

    /// Reproduces the paper, or only the sections that the settings name.
    ///
    /// # Errors
    /// An unknown section; a run that cannot be set up or fails.
    fn reproduce(
        &self,
        settings: &Settings,
        watch: &dyn ReproductionObserver,
    ) -> Result<Reproduction, ReproduceError>;
}

/// Table or figure: name for `--only`, and the function that fills it. `R` is the result of the runs that the paper's
/// sections share.
pub(crate) type Exhibit<R> = (&'static str, fn(&Inputs<'_, R>, &mut Sheet) -> Outcome);

/// Inputs of a table or figure.
pub(crate) struct Inputs<'a, R> {
    /// Result of the shared runs.
    pub(crate) ran: R,
    pub(crate) settings: &'a Settings,
    /// Observer for runs that the section starts itself.
    pub(crate) watch: &'a dyn ReproductionObserver,
}

/// Declaration of a paper.
pub(crate) struct Study<R: 'static> {
    /// The data file.
    pub(crate) data: &'static LazyLock<Declared>,
    /// Tables and figures in the paper's order.
    pub(crate) exhibits: &'static [Exhibit<R>],
    /// Tables and figures that read the user's real traces.
    pub(crate) of_traces: &'static [&'static str],
    /// Runs the simulations that the named tables and figures share.
    pub(crate) run: fn(&[&str], &Settings, &dyn ReproductionObserver) -> Result<R, ReproduceError>,
    /// Adds records and notes of the shared runs to the finished sections.
    pub(crate) conclude: fn(R, &mut Reproduction),
}

impl<R> Paper for Study<R> {
    fn name(&self) -> &'static str {
        &self.data.name
    }

    fn title(&self) -> &'static str {
        &self.data.title
    }

    fn source(&self) -> &'static str {
        &self.data.source
    }

    fn sections(&self) -> Vec<(&'static str, &'static str)> {
        self.exhibits.iter().map(|(id, _)| (*id, self.data.section[*id].title.as_str())).collect()
    }

    fn sections_of_traces(&self) -> &'static [&'static str] {
        self.of_traces
    }

    fn reproduce(
        &self,
        settings: &Settings,
        watch: &dyn ReproductionObserver,
    ) -> Result<Reproduction, ReproduceError> {
        let ids = || self.exhibits.iter().map(|exhibit| exhibit.0);
        if let Some(only) = settings.only.iter().find(|only| ids().all(|id| id != *only)) {
            let (what, name, hint) = ("table or figure", only.clone(), did_you_mean(only, ids()));
            return Err(ReproduceError::Unknown { what, name, hint });
        }
        let is_named = |id: &str| settings.only.iter().any(|only| only == id);
        let is_wanted = |id: &str| !self.data.section[id].named_only || is_named(id);
        let wanted: Vec<&str> = ids().filter(|id| settings.wants(id) && is_wanted(id)).collect();
        let given = Inputs { ran: (self.run)(&wanted, settings, watch)?, settings, watch };
        let mut found = Reproduction {
            version: env!("CARGO_PKG_VERSION").into(),
            paper: self.data.name.clone(),
            title: self.data.title.clone(),
            source: self.data.source.clone(),
            scale: settings.scale,
            seed: settings.seed,
            interrupted: false,
            sections: Vec::new(),
            runs: Vec::new(),
            notes: Vec::new(),
        };
        for (id, make) in self.exhibits.iter().filter(|of| wanted.contains(&of.0)) {
            let mut sheet = Sheet::new(&self.data.section[*id]);
            make(&given, &mut sheet)?;
            let mut section = sheet.finish();
            found.runs.append(&mut section.runs);
            found.sections.push(Section { id: (*id).into(), ..section });
        }
        (self.conclude)(given.ran, &mut found);
        found.interrupted = watch.stop();
        Ok(found)
    }
}
