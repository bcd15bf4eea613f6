//! Sizes, colours and strokes of all plots.

use plotters::style::{BLACK, Color, IntoFont, RGBColor, ShapeStyle, TextStyle};

/// Width of a plot of a paper's figure, pixels.
pub(super) const WIDTH: u32 = 1000;
/// Most lines of one chart; more are drawn in several, each with a part of them.
pub(super) const LINES: usize = 7;
/// Width of the legend at the right edge, pixels.
pub(super) const LEGEND: u32 = 230;

/// Height at which the legend begins.
pub(super) const LEGEND_TOP: u32 = 44;
/// Text size of names and of further text in a legend.
pub(super) const NAME_SIZE: u32 = 15;
pub(super) const NOTE_SIZE: u32 = 13;

/// A title that fits into a width in pixels, and its size: smaller, and at last shortened, if it is long.
pub(super) fn fitted(words: &str, width: u32) -> (String, u32) {
    const SIZES: std::ops::RangeInclusive<u32> = 13..=19;
    let fits = |size: &u32| text_width(words, *size) <= width as i32;
    if let Some(size) = SIZES.rev().find(fits) {
        return (words.to_owned(), size);
    }
    let letters = (f64::from(width) / (f64::from(*SIZES.start()) * LETTER)) as usize;
    (
        format!("{}…", words.chars().take(letters.saturating_sub(1)).collect::<String>()),
        *SIZES.start(),
    )
}

/// Mean width of a letter of sans-serif fonts, as a share of the text's size.
const LETTER: f64 = 0.58;

/// Colours that are distinguishable with any colour vision (M. Okabe, K. Ito, "Color Universal Design",
/// 2008; without its yellow, which is faint on white).
pub(super) const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Of notes and of models.
pub(super) const GREY: RGBColor = RGBColor(90, 90, 90);

/// Dash and gap, pixels. Later lines cover earlier ones, which show through the gaps.
const DASHES: [Option<(i32, i32)>; 5] =
    [None, Some((14, 7)), Some((4, 6)), Some((20, 4)), Some((8, 10))];

/// A mark on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Circle,
    Triangle,
    Square,
    Cross,
}

/// Line style of a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) color: RGBColor,
    pub(super) dash: Option<(i32, i32)>,
    pub(super) mark: Mark,
}

impl Look {
    /// Style of the n-th scheme. Colour, dash and mark repeat with different periods, so that 140 schemes differ.
    pub(super) fn of(n: usize) -> Self {
        const MARKS: [Mark; 4] = [Mark::Circle, Mark::Triangle, Mark::Square, Mark::Cross];
        Self {
            color: PALETTE[n % PALETTE.len()],
            dash: DASHES[n % DASHES.len()],
            mark: MARKS[n % MARKS.len()],
        }
    }

    /// Style of the n-th line of a model: grey, dashed, without marks.
    pub(super) fn of_model(n: usize) -> Self {
        const MODELS: [(i32, i32); 4] = [(8, 5), (2, 4), (14, 4), (5, 10)];
        Self { color: GREY, dash: Some(MODELS[n % MODELS.len()]), mark: Mark::Circle }
    }

    /// The same without gaps: a dash is an element of its own in the file.
    pub(super) fn solid(self) -> Self {
        Self { dash: None, ..self }
    }

    pub(super) fn stroke(&self, width: u32) -> ShapeStyle {
        self.color.stroke_width(width)
    }
}

/// Plain text of a size in pixels.
pub(super) fn text(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&BLACK)
}

/// Width of a text of a size, pixels, by the mean letter of sans-serif fonts.
pub(super) fn text_width(words: &str, size: u32) -> i32 {
    (words.chars().count() as f64 * f64::from(size) * LETTER).ceil() as i32
}

/// A scheme's name in lines that fit beside a legend's sample: broken after `+`, or anywhere if necessary.
pub(super) fn legend_lines(name: &str) -> Vec<String> {
    const LETTERS: usize = 24;
    let mut lines = vec![String::new()];
    for letter in name.chars() {
        let line = lines.last_mut().expect("never empty");
        let length = line.chars().count();
        if length >= LETTERS || length > LETTERS / 3 && line.ends_with('+') {
            lines.push(letter.to_string());
        } else {
            line.push(letter);
        }
    }
    lines
}
