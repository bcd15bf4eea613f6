//! Drawing into an SVG file.

use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::prelude::SVGBackend;
use plotters::style::WHITE;

/// Drawing area of a plot.
pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// A plot could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PlotError(String);

impl PlotError {
    /// Wraps an error of the drawing library.
    pub fn from(cause: impl std::fmt::Display) -> Self {
        Self(cause.to_string())
    }

    /// The data to draw are incomplete.
    pub fn missing(what: &str) -> Self {
        Self(format!("there is nothing to draw without {what}"))
    }
}

/// The text of an SVG file of this size, drawn on white.
pub(super) fn drawn(
    size: (u32, u32),
    draw: impl FnOnce(&Area<'_>) -> Result<(), PlotError>,
) -> Result<String, PlotError> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE).map_err(PlotError::from)?;
        draw(&area)?;
        area.present().map_err(PlotError::from)?;
    }
    Ok(svg)
}
