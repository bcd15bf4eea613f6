//! PDF and PNG of a plot: the elements of its SVG, with text as outlines of an embedded font, so that they are the same on
//! every machine.

use super::svg::PlotError;
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref};
use roxmltree::{Document, Node};
use std::io::Write;
use tiny_skia::{FillRule, Paint, Path, PathBuilder, PathSegment, Pixmap, Stroke, Transform};
use ttf_parser::{Face, OutlineBuilder};

/// Pixels of a PNG per pixel of the SVG.
const PNG_SCALE: f32 = 2.0;

/// Points of a PDF per pixel of the SVG.
const PDF_SCALE: f32 = 0.75;

/// The PDF of an SVG.
pub(super) fn pdf(svg: &str) -> Result<Vec<u8>, PlotError> {
    Picture::of(svg)?.pdf()
}

/// The PNG of an SVG.
pub(super) fn png(svg: &str) -> Result<Vec<u8>, PlotError> {
    Picture::of(svg)?.png()
}

/// A red, green and blue share, and the opacity.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ink {
    rgb: [u8; 3],
    opacity: f32,
}

/// A shape: filled, or a line of this width.
struct Shape {
    path: Path,
    ink: Ink,
    width: Option<f32>,
}

/// The shapes of a plot on its pixels.
struct Picture {
    width: f32,
    height: f32,
    shapes: Vec<Shape>,
}

impl Picture {
    fn of(svg: &str) -> Result<Self, PlotError> {
        let document = Document::parse(svg).map_err(PlotError::from)?;
        let root = document.root_element();
        let face = Face::parse(dejavu::sans::regular(), 0).map_err(PlotError::from)?;
        let mut out = Self {
            width: number(root, "width")?,
            height: number(root, "height")?,
            shapes: Vec::new(),
        };
        // Drawn units of a plot that is scaled to another size.
        let drawn = root.attribute("viewBox").and_then(|view| view.split_whitespace().nth(2));
        let drawn: f32 = drawn.and_then(|width| width.parse().ok()).unwrap_or(out.width);
        for node in root.children().filter(Node::is_element) {
            out.add(node, &face)?;
        }
        let scale = Transform::from_scale(out.width / drawn, out.width / drawn);
        for shape in &mut out.shapes {
            shape.path =
                shape.path.clone().transform(scale).ok_or_else(|| PlotError::missing("a size"))?;
            shape.width = shape.width.map(|width| width * out.width / drawn);
        }
        Ok(out)
    }

    fn add(&mut self, node: Node<'_, '_>, face: &Face<'_>) -> Result<(), PlotError> {
        let of = |name| number(node, name);
        let mut path = PathBuilder::new();
        match node.tag_name().name() {
            "rect" => {
                let (x, y) = (of("x")?, of("y")?);
                let rect = tiny_skia::Rect::from_xywh(x, y, of("width")?, of("height")?);
                path.push_rect(rect.ok_or_else(|| PlotError::missing("a rectangle"))?);
            }
            "circle" => path.push_circle(of("cx")?, of("cy")?, of("r")?),
            "line" => {
                path.move_to(of("x1")?, of("y1")?);
                path.line_to(of("x2")?, of("y2")?);
            }
            name @ ("polyline" | "polygon") => {
                let points = node.attribute("points").unwrap_or_default();
                for (at, point) in points.split_whitespace().enumerate() {
                    let (x, y) =
                        point.split_once(',').ok_or_else(|| PlotError::missing("points"))?;
                    let [x, y] = [x, y].map(|text| text.parse::<f32>().map_err(PlotError::from));
                    if at == 0 { path.move_to(x?, y?) } else { path.line_to(x?, y?) }
                }
                if name == "polygon" {
                    path.close();
                }
            }
            "text" => return self.text(node, face),
            other => return Err(PlotError::from(format!("`{other}` is no element of a plot"))),
        }
        let Some(path) = path.finish() else { return Ok(()) };
        let opacity = node.attribute("opacity").and_then(|text| text.parse().ok()).unwrap_or(1.0);
        if let Some(rgb) = color(node, "fill") {
            self.shapes.push(Shape { path: path.clone(), ink: Ink { rgb, opacity }, width: None });
        }
        if let Some(rgb) = color(node, "stroke") {
            let width = number(node, "stroke-width").unwrap_or(1.0);
            self.shapes.push(Shape { path, ink: Ink { rgb, opacity }, width: Some(width) });
        }
        Ok(())
    }

    /// Text as outlines, placed as `text-anchor`, `dy` and `transform` say.
    fn text(&mut self, node: Node<'_, '_>, face: &Face<'_>) -> Result<(), PlotError> {
        let words = node.text().unwrap_or_default().trim();
        // Plots give sizes that are a little smaller than the pixels asked for.
        let size = number(node, "font-size")?;
        let scale = size / f32::from(face.units_per_em());
        let glyphs: Vec<_> =
            words.chars().map(|c| face.glyph_index(c).unwrap_or_default()).collect();
        let advance = |glyph| f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) * scale;
        let width: f32 = glyphs.iter().map(|glyph| advance(*glyph)).sum();
        let left = match node.attribute("text-anchor") {
            Some("middle") => -width / 2.0,
            Some("end") => -width,
            _ => 0.0,
        };
        let height = face
            .x_height()
            .map_or(0.5, |height| f32::from(height) / f32::from(face.units_per_em()));
        let dy = node.attribute("dy").and_then(|dy| {
            let (number, unit) = match dy.strip_suffix("em") {
                Some(number) => (number, 1.0),
                None => (dy.strip_suffix("ex")?, height),
            };
            Some(number.parse::<f32>().ok()? * unit)
        });
        let (x, y) = (number(node, "x")?, number(node, "y")?);
        let mut pen = Pen { path: PathBuilder::new(), scale, x: left, y: dy.unwrap_or(0.0) * size };
        for glyph in glyphs {
            face.outline_glyph(glyph, &mut pen);
            pen.x += advance(glyph);
        }
        let turned = node.attribute("transform").and_then(|text| {
            let degrees = text.trim().strip_prefix("rotate(")?.split([',', ' ']).next()?;
            degrees.parse::<f32>().ok()
        });
        let place = Transform::from_rotate(turned.unwrap_or(0.0)).post_translate(x, y);
        let Some(path) = pen.path.finish().and_then(|path| path.transform(place)) else {
            return Ok(());
        };
        let opacity = node.attribute("opacity").and_then(|text| text.parse().ok()).unwrap_or(1.0);
        let rgb = color(node, "fill").unwrap_or([0; 3]);
        self.shapes.push(Shape { path, ink: Ink { rgb, opacity }, width: None });
        Ok(())
    }

    fn png(&self) -> Result<Vec<u8>, PlotError> {
        let [width, height] =
            [self.width, self.height].map(|side| (side * PNG_SCALE).ceil() as u32);
        let mut pixels = Pixmap::new(width, height).ok_or_else(|| PlotError::missing("a size"))?;
        let scale = Transform::from_scale(PNG_SCALE, PNG_SCALE);
        for Shape { path, ink, width } in &self.shapes {
            let mut paint = Paint { anti_alias: true, ..Paint::default() };
            let [r, g, b] = ink.rgb;
            paint.set_color_rgba8(r, g, b, (ink.opacity * 255.0).round() as u8);
            match width {
                None => pixels.fill_path(path, &paint, FillRule::Winding, scale, None),
                Some(width) => {
                    let stroke = Stroke { width: *width, ..Stroke::default() };
                    pixels.stroke_path(path, &paint, &stroke, scale, None);
                }
            }
        }
        pixels.encode_png().map_err(PlotError::from)
    }

    fn pdf(&self) -> Result<Vec<u8>, PlotError> {
        let mut content = Content::new();
        // PDF counts from the bottom.
        content.transform([PDF_SCALE, 0.0, 0.0, -PDF_SCALE, 0.0, self.height * PDF_SCALE]);
        let mut states: Vec<f32> = Vec::new();
        for Shape { path, ink, width } in &self.shapes {
            let [r, g, b] = ink.rgb.map(|share| f32::from(share) / 255.0);
            let state = states.iter().position(|opacity| *opacity == ink.opacity);
            let state = state.unwrap_or_else(|| {
                states.push(ink.opacity);
                states.len() - 1
            });
            content.set_parameters(Name(format!("G{state}").as_bytes()));
            trace(&mut content, path);
            match width {
                None => content.set_fill_rgb(r, g, b).fill_nonzero(),
                Some(width) => content.set_stroke_rgb(r, g, b).set_line_width(*width).stroke(),
            };
        }
        let mut packed =
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(&content.finish()).map_err(PlotError::from)?;
        let packed = packed.finish().map_err(PlotError::from)?;

        let [catalogue, tree, page, stream] = [1, 2, 3, 4].map(Ref::new);
        let mut pdf = Pdf::new();
        pdf.catalog(catalogue).pages(tree);
        pdf.pages(tree).kids([page]).count(1);
        let mut sheet = pdf.page(page);
        let [width, height] = [self.width, self.height].map(|side| side * PDF_SCALE);
        sheet.media_box(Rect::new(0.0, 0.0, width, height)).parent(tree).contents(stream);
        let mut resources = sheet.resources();
        let mut named = resources.ext_g_states();
        for at in 0..states.len() {
            named.pair(Name(format!("G{at}").as_bytes()), Ref::new(5 + at as i32));
        }
        named.finish();
        resources.finish();
        sheet.finish();
        for (at, opacity) in states.iter().enumerate() {
            let mut state = pdf.ext_graphics(Ref::new(5 + at as i32));
            state.stroking_alpha(*opacity).non_stroking_alpha(*opacity);
        }
        pdf.stream(stream, &packed).filter(Filter::FlateDecode);
        Ok(pdf.finish())
    }
}

/// Adds a path to a page; of curves of two degrees it makes such of three.
fn trace(content: &mut Content, path: &Path) {
    let mut last = tiny_skia::Point::zero();
    for segment in path.segments() {
        match segment {
            PathSegment::MoveTo(to) => {
                content.move_to(to.x, to.y);
                last = to;
            }
            PathSegment::LineTo(to) => {
                content.line_to(to.x, to.y);
                last = to;
            }
            PathSegment::QuadTo(by, to) => {
                let towards = |end: f32, by: f32| end + (by - end) * 2.0 / 3.0;
                content.cubic_to(
                    towards(last.x, by.x),
                    towards(last.y, by.y),
                    towards(to.x, by.x),
                    towards(to.y, by.y),
                    to.x,
                    to.y,
                );
                last = to;
            }
            PathSegment::CubicTo(a, b, to) => {
                content.cubic_to(a.x, a.y, b.x, b.y, to.x, to.y);
                last = to;
            }
            PathSegment::Close => {
                content.close_path();
            }
        }
    }
}

/// Draws outlines of glyphs, one after the other.
struct Pen {
    path: PathBuilder,
    scale: f32,
    x: f32,
    y: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

/// A number of an element.
fn number(node: Node<'_, '_>, name: &str) -> Result<f32, PlotError> {
    let text = node.attribute(name).ok_or_else(|| PlotError::missing("a number"))?;
    text.trim_end_matches("px").parse().map_err(PlotError::from)
}

/// A color such as `#0072B2`; `None` for `none` and without one.
fn color(node: Node<'_, '_>, name: &str) -> Option<[u8; 3]> {
    let digits = u32::from_str_radix(node.attribute(name)?.strip_prefix('#')?, 16).ok()?;
    let [_, r, g, b] = digits.to_be_bytes();
    Some([r, g, b])
}

/// The words of a plot and the boxes of their outlines, in drawn units.
#[cfg(test)]
pub(super) fn texts(svg: &str) -> Vec<(String, tiny_skia::Rect)> {
    let document = Document::parse(svg).unwrap();
    let face = Face::parse(dejavu::sans::regular(), 0).unwrap();
    let texts = document.root_element().children().filter(|node| node.has_tag_name("text"));
    let text = |node: Node<'_, '_>| {
        let mut picture = Picture { width: 0.0, height: 0.0, shapes: Vec::new() };
        picture.text(node, &face).unwrap();
        let words = node.text().unwrap_or_default().trim().to_owned();
        picture.shapes.first().map(|shape| (words, shape.path.bounds()))
    };
    texts.filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plots::{PLOTS, PlotFormat, PlotOptions, in_format};
    use crate::samples;

    #[test]
    fn every_plot_is_drawn_in_every_format_and_twice_the_same() {
        let report = samples::on_channels();
        for plot in &PLOTS {
            let svg = plot.figure(&report).svg(&PlotOptions::default()).unwrap();
            let [pdf, png] = [PlotFormat::Pdf, PlotFormat::Png].map(|format| {
                let drawn = in_format(&svg, format).unwrap();
                assert_eq!(drawn, in_format(&svg, format).unwrap(), "{}", plot.name);
                drawn
            });
            assert!(pdf.starts_with(b"%PDF-") && png.starts_with(b"\x89PNG"), "{}", plot.name);
            let picture = Picture::of(&svg).unwrap();
            let pixels = Pixmap::decode_png(&png).unwrap();
            assert_eq!(pixels.width() as f32, picture.width * PNG_SCALE);
            let dark = pixels.pixels().iter().filter(|pixel| pixel.red() < 100).count();
            assert!(dark > 1000, "{}: {dark} dark pixels", plot.name);
        }
    }

    #[test]
    fn shapes_are_where_the_svg_says() {
        let svg = "<svg width=\"100\" height=\"50\" viewBox=\"0 0 200 100\">\
                   <rect x=\"0\" y=\"0\" width=\"200\" height=\"100\" opacity=\"1\" fill=\"#FFFFFF\" stroke=\"none\"/>\
                   <rect x=\"20\" y=\"20\" width=\"40\" height=\"40\" opacity=\"0.5\" fill=\"#000000\" stroke=\"none\"/>\
                   <text x=\"190\" y=\"90\" text-anchor=\"end\" font-size=\"40\" fill=\"#FF0000\">I</text></svg>";
        let pixels = Pixmap::decode_png(&in_format(svg, PlotFormat::Png).unwrap()).unwrap();
        let red = |x, y| pixels.pixel(x, y).unwrap();
        assert_eq!((red(30, 30).red(), red(100, 30).red()), (127, 255));
        let is_letter = |x: u32, y: u32| red(x, y).red() > 200 && red(x, y).green() < 100;
        assert!((170..190).any(|x| is_letter(x, 75)), "left of its end, above its foot");
        assert!(!(0..170).any(|x| is_letter(x, 75)) && !(170..200).any(|x| is_letter(x, 95)));
        assert!(
            in_format("<svg width=\"1\" height=\"1\"><image/></svg>", PlotFormat::Pdf).is_err()
        );
    }
}
