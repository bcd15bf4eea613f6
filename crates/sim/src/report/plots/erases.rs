//! Erases a block: a histogram a scheme, below each other on one axis.

use super::axis::Axis;
use super::chart::{centered, framed};
use super::style::{Look, WIDTH, text, title};
use super::{Area, PlotError};
use crate::report::{Report, SchemeReport, units};
use plotters::element::Rectangle;
use plotters::style::{Color, WHITE};

/// Most bars a histogram.
const BARS: u32 = 60;

pub(super) fn size(report: &Report) -> (u32, u32) {
    (WIDTH, 40 + 230 * report.schemes.len().max(1) as u32)
}

pub(super) fn draw(report: &Report, area: &Area<'_>) -> Result<(), PlotError> {
    let all = || report.schemes.iter().flat_map(|s| s.series.erases.iter().copied());
    let least = all().min().unwrap_or(0);
    let most = all().max().unwrap_or(0);
    let width = (most - least) / BARS + 1;
    if report.schemes.is_empty() {
        return centered(area, "no scheme was run");
    }
    let title = title(&format!("Erases a block: {}", report.title()));
    let below = area.titled(&title, text(19)).map_err(PlotError::from)?;
    for (n, panel) in below.split_evenly((report.schemes.len(), 1)).iter().enumerate() {
        draw_panel(panel, (n, &report.schemes[n]), (least, most, width))?;
    }
    Ok(())
}

fn draw_panel(
    area: &Area<'_>,
    (n, scheme): (usize, &SchemeReport),
    (least, most, width): (u32, u32, u32),
) -> Result<(), PlotError> {
    let bars = histogram(&scheme.series.erases, least, most, width);
    let high = bars.iter().copied().max().unwrap_or(0);
    let label = match width {
        1 => "erases of a block in the measured part".to_owned(),
        _ => format!("erases of a block in the measured part ({width} a bar)"),
    };
    let (from, to) =
        (f64::from(least) - 0.5, f64::from(least) - 0.5 + f64::from(width) * bars.len() as f64);
    let x = Axis::between(&label, from, to, 12, whole);
    let y = Axis::linear("blocks", high as f64 * 1.05, 4, whole);
    let caption = format!(
        "{}: wear index {}, {} to {} erases, mean {}",
        scheme.name,
        units::number(scheme.wear_index),
        scheme.erases_per_block.0,
        scheme.erases_per_block.2,
        units::number(scheme.erases_per_block.1),
    );
    let mut chart = framed(area, &caption, (&x, &y), 64)?;
    let look = Look::of(n);
    let bars = bars.iter().enumerate().filter(|(_, blocks)| **blocks > 0);
    chart
        .draw_series(bars.flat_map(|(at, &blocks)| {
            let left = from + f64::from(width) * at as f64;
            let corners = [(left, 0.0), (left + f64::from(width), blocks as f64)];
            [
                Rectangle::new(corners, look.color.mix(0.75).filled()),
                Rectangle::new(corners, WHITE.stroke_width(1)),
            ]
        }))
        .map_err(PlotError::from)?;
    Ok(())
}

/// Blocks by erases: from `least` on, `width` erases a bar, up to `most`.
fn histogram(erases: &[u32], least: u32, most: u32, width: u32) -> Vec<u64> {
    let mut bars = vec![0; ((most - least) / width + 1) as usize];
    for &erased in erases {
        bars[((erased - least) / width) as usize] += 1;
    }
    bars
}

/// Only whole numbers of blocks and erases are named.
fn whole(x: f64) -> String {
    if x.fract() == 0.0 { units::short(x) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_in_one_bar() {
        assert_eq!(histogram(&[3, 3, 4, 9], 3, 9, 2), [3, 0, 0, 1]);
        assert_eq!(histogram(&[5], 5, 5, 1), [1]);
        assert_eq!(histogram(&[], 0, 0, 1), [0]);
        let wide = histogram(&[0, u32::MAX], 0, u32::MAX, u32::MAX / BARS + 1);
        assert_eq!((wide.len(), wide.iter().sum::<u64>()), (60, 2));
    }
}
