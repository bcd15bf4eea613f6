//! How plots are written: formats, size, font, title.

use super::svg::{Area, PlotError, drawn};
use std::fmt;
use std::str::FromStr;

/// Format of a plot's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlotFormat {
    /// Scalable Vector Graphics.
    Svg,
    /// Portable Document Format.
    Pdf,
    /// Portable Network Graphics, at twice the size in pixels.
    Png,
}

impl PlotFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Svg, Self::Pdf, Self::Png];

    /// The format's name, which is also the ending of its files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Pdf => "pdf",
            Self::Png => "png",
        }
    }
}

impl FromStr for PlotFormat {
    type Err = String;

    /// Refuses what this build does not write, too: PDF and PNG without the feature `pictures`.
    fn from_str(text: &str) -> Result<Self, String> {
        match Self::ALL.into_iter().find(|format| format.name() == text) {
            Some(Self::Svg) => Ok(Self::Svg),
            Some(_) if cfg!(not(feature = "pictures")) => {
                Err(workload::absent(format_args!("`{text}`"), "pictures"))
            }
            found => found.ok_or_else(|| "plots are written as svg, pdf or png".to_owned()),
        }
    }
}

/// A plot in a format, from its SVG.
///
/// # Errors
/// An SVG with elements that no plot has; another format without the feature `pictures`.
pub fn in_format(svg: &str, format: PlotFormat) -> Result<Vec<u8>, PlotError> {
    match format {
        PlotFormat::Svg => Ok(svg.as_bytes().to_vec()),
        #[cfg(feature = "pictures")]
        PlotFormat::Pdf => super::picture::pdf(svg),
        #[cfg(feature = "pictures")]
        PlotFormat::Png => super::picture::png(svg),
        #[cfg(not(feature = "pictures"))]
        other => Err(PlotError::from(workload::absent(other.name(), "pictures"))),
    }
}

/// Width and height of a plot, pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlotSize {
    /// Width.
    pub width: u32,
    /// Height of a chart with one pair of axes; rows of panels and of bars add to it.
    pub height: u32,
}

impl FromStr for PlotSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // One and two columns of a paper, 3.5 and 7.1 inches, at 96 pixels per inch.
        let text = match text {
            "single" => "336x240",
            "double" => "680x400",
            text => text,
        };
        let sides = text.split_once(['x', '×']).and_then(|(width, height)| {
            Some(Self { width: width.trim().parse().ok()?, height: height.trim().parse().ok()? })
        });
        match sides {
            Some(size)
                if (300..=10_000).contains(&size.width)
                    && (200..=10_000).contains(&size.height) =>
            {
                Ok(size)
            }
            _ => Err(
                "it must be WIDTHxHEIGHT in pixels, such as 500x320, from 300x200 to 10000x10000, or `single` or `double` \
                 for one or two columns of a paper"
                    .into(),
            ),
        }
    }
}

impl fmt::Display for PlotSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// Family and size of a plot's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotFont {
    /// The family, as a viewer of the file knows it.
    pub family: String,
    /// Size of the text at axes, pixels; other text is in proportion.
    pub size: u32,
}

impl FromStr for PlotFont {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (family, size) = match text.rsplit_once(':') {
            Some((family, size)) => (family, size.trim().parse().ok()),
            None => (text, Some(Self::default().size)),
        };
        let plain = |c: char| c.is_alphanumeric() || c == ' ' || c == '-';
        match size.filter(|size| (6..=60).contains(size)) {
            Some(size) if !family.trim().is_empty() && family.chars().all(plain) => {
                Ok(Self { family: family.trim().to_owned(), size })
            }
            _ => Err(
                "it must be FAMILY or FAMILY:PIXELS, such as `Times New Roman:16`; 6 to 60 pixels"
                    .into(),
            ),
        }
    }
}

impl fmt::Display for PlotFont {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.family, self.size)
    }
}

impl Default for PlotFont {
    fn default() -> Self {
        Self { family: "sans-serif".to_owned(), size: 14 }
    }
}

/// How the plots of a report are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotOptions {
    /// One file per plot and format.
    pub formats: Vec<PlotFormat>,
    /// Size of a chart with one pair of axes.
    pub size: PlotSize,
    /// Font of all text.
    pub font: PlotFont,
    /// True for a title above the chart; papers have captions instead.
    pub titled: bool,
}

impl Default for PlotOptions {
    fn default() -> Self {
        Self {
            formats: vec![PlotFormat::Svg],
            size: PlotSize { width: 1000, height: 560 },
            font: PlotFont::default(),
            titled: true,
        }
    }
}

impl PlotOptions {
    /// The same in these formats, each once; SVG if there are none.
    pub fn in_formats(mut self, formats: &[PlotFormat]) -> Self {
        let mut formats = formats.to_vec();
        formats.sort_unstable();
        formats.dedup();
        if !formats.is_empty() {
            self.formats = formats;
        }
        self
    }

    /// A title, or none if plots have none.
    pub(super) fn title(&self, words: &str) -> String {
        if self.titled { words.to_owned() } else { String::new() }
    }

    /// Width and height of a chart, in units in which the text at axes has its default size.
    pub(super) fn canvas(&self) -> (u32, u32) {
        let units = |pixels: u32| pixels * PlotFont::default().size / self.font.size;
        (units(self.size.width).max(200), units(self.size.height).max(140))
    }

    /// The SVG that is drawn in the units of [`canvas`](Self::canvas), scaled to its size, in this font.
    pub(super) fn drawn(
        &self,
        size: (u32, u32),
        draw: impl FnOnce(&Area<'_>) -> Result<(), PlotError>,
    ) -> Result<String, PlotError> {
        Ok(self.finished(drawn(size, draw)?, size))
    }

    fn finished(&self, svg: String, (width, height): (u32, u32)) -> String {
        let PlotFont { family, size } = &self.font;
        let default = PlotFont::default();
        let pixels = |units: u32| (units * size + default.size / 2) / default.size;
        let drawn = format!("width=\"{width}\" height=\"{height}\"");
        let scaled = format!("width=\"{}\" height=\"{}\"", pixels(width), pixels(height));
        let svg = svg.replacen(&drawn, &scaled, 1);
        let family = if family.contains(' ') { format!("'{family}'") } else { family.clone() };
        svg.replace(
            &format!("font-family=\"{}\"", default.family),
            &format!("font-family=\"{family}\""),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_refused() {
        let size: PlotSize = "500x320".parse().unwrap();
        assert_eq!((size.width, size.height, size.to_string()), (500, 320, "500x320".into()));
        assert_eq!("single".parse::<PlotSize>().unwrap().width, 336);
        assert_eq!("double".parse::<PlotSize>().unwrap().width, 680);
        for bad in ["500", "0x0", "axb", "500x", "99999x500"] {
            assert!(bad.parse::<PlotSize>().is_err(), "{bad}");
        }
        let font: PlotFont = "Times New Roman:16".parse().unwrap();
        assert_eq!((font.family.as_str(), font.size), ("Times New Roman", 16));
        assert_eq!("Arial".parse::<PlotFont>().unwrap().size, 14);
        for bad in ["", ":", "a:b", "a:1000", "\"><script>"] {
            assert!(bad.parse::<PlotFont>().is_err(), "{bad}");
        }
        assert!("gif".parse::<PlotFormat>().is_err());
        assert_eq!("pdf".parse(), Ok(PlotFormat::Pdf));
    }

    #[test]
    fn larger_text_is_the_same_drawing_scaled() {
        let font = PlotFont { family: "Times New Roman".into(), size: 28 };
        let options = PlotOptions { font, ..PlotOptions::default() };
        assert_eq!(options.canvas(), (500, 280));
        let svg = "<svg width=\"500\" height=\"280\"><text font-family=\"sans-serif\"/>".to_owned();
        assert_eq!(
            options.finished(svg, (500, 280)),
            "<svg width=\"1000\" height=\"560\"><text font-family=\"'Times New Roman'\"/>"
        );
    }
}
