//! What a plot shows, whatever it is drawn by.

use super::bars::Bars;
use super::chart::Lines;
use super::curves::Curves;
use super::erases::Histograms;
use super::means::Means;
use super::options::PlotOptions;
use super::stacked::Stacked;
use super::svg::PlotError;

/// A figure.
#[derive(Clone, Debug)]
pub enum Figure {
    /// Lines of schemes with their bounds.
    Lines(Lines),
    /// Histograms below each other.
    Histograms(Histograms),
    /// Bars of parts.
    Stacked(Stacked),
    /// Bars beside each other.
    Bars(Bars),
    /// Curves and dots.
    Curves(Curves),
    /// Means with their intervals.
    Means(Means),
}

impl Figure {
    /// The text of an SVG file. Figures of papers have a size and a font of their own.
    ///
    /// # Errors
    /// If the drawing library fails.
    pub fn svg(&self, options: &PlotOptions) -> Result<String, PlotError> {
        match self {
            Self::Lines(lines) => lines.svg(options),
            Self::Histograms(histograms) => histograms.svg(options),
            Self::Stacked(stacked) => stacked.svg(options),
            Self::Bars(bars) => bars.svg(),
            Self::Curves(curves) => curves.svg(),
            Self::Means(means) => means.svg(options),
        }
    }
}

/// A kind of figure is made into a figure.
macro_rules! from {
    ($($kind:ident),*) => {
        $(impl From<$kind> for Figure {
            fn from(figure: $kind) -> Self {
                Self::$kind(figure)
            }
        })*
    };
}

from!(Lines, Histograms, Stacked, Bars, Curves, Means);
