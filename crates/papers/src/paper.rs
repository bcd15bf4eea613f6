//! A paper: what it says of itself, and how it is reproduced.

use crate::error::ReproduceError;
use crate::observer::ReproductionObserver;
use crate::reproduction::{Reproduction, Section};
use crate::settings::Settings;
use sim::config::did_you_mean;

/// A paper, whatever is run for it.
pub trait Paper: Sync {
    /// Name on the command line.
    fn name(&self) -> &'static str;

    /// Title.
    fn title(&self) -> &'static str;

    /// Authors and venue.
    fn source(&self) -> &'static str;

    /// Its tables and figures: the name that `--only` takes, and what is in it.
    fn sections(&self) -> Vec<(&'static str, &'static str)>;

    /// Reproduces the paper, or the sections of it that the settings name.
    ///
    /// # Errors
    /// A section that it does not have; a run that cannot be set up or fails.
    fn reproduce(
        &self,
        settings: &Settings,
        watch: &dyn ReproductionObserver,
    ) -> Result<Reproduction, ReproduceError>;
}

/// A table or figure: the name that `--only` takes, what is in it, and its rows, plots and notes, made of what was
/// run for the paper (`R`).
pub(crate) struct Exhibit<R: 'static>(
    pub(crate) &'static str,
    pub(crate) &'static str,
    pub(crate) fn(&Inputs<'_, R>) -> Result<Section, ReproduceError>,
);

/// What a table or figure is made of.
pub(crate) struct Inputs<'a, R> {
    /// What was run.
    pub(crate) ran: R,
    /// What is asked for.
    pub(crate) settings: &'a Settings,
    /// For what it runs by itself.
    pub(crate) watch: &'a dyn ReproductionObserver,
}

/// What a paper declares of itself.
pub(crate) struct Study<R: 'static> {
    /// Name on the command line.
    pub(crate) name: &'static str,
    /// Title.
    pub(crate) title: &'static str,
    /// Authors and venue.
    pub(crate) source: &'static str,
    /// Its tables and figures, in the paper's order.
    pub(crate) exhibits: &'static [Exhibit<R>],
    /// Runs what several of the tables and figures of these names share.
    pub(crate) run: fn(&[&str], &Settings, &dyn ReproductionObserver) -> Result<R, ReproduceError>,
    /// Adds what was run, and how, to the finished sections.
    pub(crate) conclude: fn(R, &mut Reproduction),
}

impl<R> Paper for Study<R> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn source(&self) -> &'static str {
        self.source
    }

    fn sections(&self) -> Vec<(&'static str, &'static str)> {
        self.exhibits.iter().map(|Exhibit(id, title, _)| (*id, *title)).collect()
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
        let wanted: Vec<&str> = ids().filter(|id| settings.wants(id)).collect();
        let given = Inputs { ran: (self.run)(&wanted, settings, watch)?, settings, watch };
        let mut found = Reproduction {
            version: env!("CARGO_PKG_VERSION").into(),
            paper: self.name.into(),
            title: self.title.into(),
            source: self.source.into(),
            scale: settings.scale,
            seed: settings.seed,
            interrupted: false,
            sections: Vec::new(),
            runs: Vec::new(),
            notes: Vec::new(),
        };
        for Exhibit(id, title, make) in self.exhibits.iter().filter(|of| wanted.contains(&of.0)) {
            let mut section = make(&given)?;
            found.runs.append(&mut section.runs);
            found.sections.push(Section { id: (*id).into(), title: (*title).into(), ..section });
        }
        (self.conclude)(given.ran, &mut found);
        found.interrupted = watch.stop();
        Ok(found)
    }
}

/// Adds notes as they are printed.
pub(crate) fn note(found: &mut Reproduction, notes: &[&str]) {
    found.notes.extend(notes.iter().map(|note| (*note).to_owned()));
}
