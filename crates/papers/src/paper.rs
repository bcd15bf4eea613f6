//! A paper: what it says of itself, and how it is reproduced.

use crate::error::ReproduceError;
use crate::reproduction::{Reproduction, Section};
use crate::settings::Settings;
use crate::watch::Watch;
use sim::config::did_you_mean;

/// A paper.
pub struct Paper {
    /// Name on the command line.
    pub name: &'static str,
    /// Title.
    pub title: &'static str,
    /// Authors and venue.
    pub source: &'static str,
    /// Its tables and figures: the name that `--only` takes, and what is in it.
    pub sections: &'static [(&'static str, &'static str)],
    /// Runs what the settings ask for.
    pub run: fn(&Settings, &dyn Watch) -> Result<Reproduction, ReproduceError>,
}

impl std::fmt::Debug for Paper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Paper").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Paper {
    /// Reproduces the paper, or the sections of it that the settings name.
    ///
    /// # Errors
    /// A section that it does not have; a run that cannot be set up or fails.
    pub fn reproduce(
        &self,
        settings: &Settings,
        watch: &dyn Watch,
    ) -> Result<Reproduction, ReproduceError> {
        for only in &settings.only {
            if !self.sections.iter().any(|(id, _)| id == only) {
                return Err(ReproduceError::Unknown {
                    what: "table or figure",
                    name: only.clone(),
                    hint: did_you_mean(only, self.sections.iter().map(|(id, _)| *id)),
                });
            }
        }
        (self.run)(settings, watch)
    }

    /// A section's heading and content, empty.
    ///
    /// # Panics
    /// Where the paper lists no such section.
    pub fn section(&self, id: &str) -> Section {
        let (id, title) = self.sections.iter().find(|(known, _)| *known == id).expect("is listed");
        Section {
            id: (*id).into(),
            title: (*title).into(),
            rows: Vec::new(),
            plots: Vec::new(),
            curves: Vec::new(),
            clock: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// A reproduction without sections.
    pub fn begin(&self, settings: &Settings) -> Reproduction {
        Reproduction {
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
        }
    }
}
