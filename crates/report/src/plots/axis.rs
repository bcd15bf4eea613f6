//! Axes: a range, and ticks with names at round numbers.

use ::run::report::units;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use std::ops::Range;

/// What an axis measures, by which its ticks are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// A number.
    Number,
    /// A count; its parts have no name.
    Whole,
    /// A number, from 1000 on in thousands.
    Thousands,
    /// A time, ns.
    Time,
    /// Bytes, in powers of 1000.
    Bytes,
    /// A share, in powers of ten.
    Share,
    /// A share in per cent.
    Percent,
}

impl Quantity {
    /// A value's name at a tick.
    pub(crate) fn name(self, x: f64) -> String {
        match self {
            Self::Thousands if x >= 1e3 => format!("{} k", units::short(x / 1e3)),
            Self::Number | Self::Thousands => units::short(x),
            Self::Whole if x.fract() == 0.0 => units::short(x),
            Self::Whole => String::new(),
            Self::Time => units::short_time(x),
            Self::Bytes => bytes(x),
            Self::Share => power_of_ten(x),
            Self::Percent => format!("{} %", units::short(x * 100.0)),
        }
    }
}

/// One linear or logarithmic axis, in the values' own unit.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// Label, with the unit if the ticks do not name it.
    pub(super) label: String,
    /// What it measures.
    pub(super) quantity: Quantity,
    from: f64,
    to: f64,
    pub(super) log: bool,
    /// True if every tick's name is needed.
    named: bool,
    /// True if the ticks are values that were chosen, and may lie anywhere.
    chosen: bool,
    /// Ticks and their names.
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// From 0 to at least `to`, about `ticks` ticks.
    pub(super) fn linear(label: &str, to: f64, ticks: u32, quantity: Quantity) -> Self {
        Self::between(label, 0.0, to, ticks, quantity)
    }

    /// From `from` to at least `to`, about `ticks` ticks.
    pub(super) fn between(label: &str, from: f64, to: f64, ticks: u32, quantity: Quantity) -> Self {
        let to = if to > from { to } else { from + 1.0 };
        let step = round_step((to - from) / f64::from(ticks));
        let first = (from / step).ceil() as i64;
        let ticks = (first..)
            .map(|n| n as f64 * step)
            .take_while(|at| *at <= to * (1.0 + 1e-9))
            .map(|at| (at, quantity.name(at)))
            .collect();
        Self {
            label: label.to_owned(),
            quantity,
            from,
            to,
            log: false,
            named: false,
            chosen: false,
            ticks,
        }
    }

    /// Logarithmic, with ticks at powers of ten, and between them if there are few. A short range has those of a linear axis.
    pub(super) fn log(label: &str, from: f64, to: f64, quantity: Quantity) -> Self {
        let (low, high) = (from.log10(), to.log10());
        let between: &[f64] = match high - low {
            decades if decades < 1.3 => &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
            decades if decades < 3.3 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let ticks = (low.floor() as i32..=high.ceil() as i32)
            .flat_map(|power| between.iter().map(move |n| n * 10f64.powi(power)))
            .filter(|at| *at >= from * (1.0 - 1e-9) && *at <= to * (1.0 + 1e-9))
            .map(|at| (at, quantity.name(at)));
        let mut ticks: Vec<_> = ticks.collect();
        if ticks.len() < 3 {
            ticks = Self::between(label, from, to, 5, quantity).ticks;
        }
        Self {
            label: label.to_owned(),
            quantity,
            from,
            to,
            log: true,
            named: false,
            chosen: false,
            ticks,
        }
    }

    /// The same with this share of its length free beyond its end.
    pub(super) fn with_headroom(mut self, share: f64) -> Self {
        self.to = self.value_at(1.0 / (1.0 - share));
        self
    }

    /// Names below each other, from the top; long ones shortened.
    pub(super) fn names(names: &[&str]) -> Self {
        let rows = names.len().max(1) as f64;
        let row = |at: usize| rows - 0.5 - at as f64;
        let ticks = names.iter().enumerate().map(|(at, name)| (row(at), shortened(name)));
        Self {
            label: String::new(),
            quantity: Quantity::Number,
            from: 0.0,
            to: rows,
            log: false,
            named: true,
            chosen: false,
            ticks: ticks.collect(),
        }
    }

    /// Names beside each other, from the left, at 0, 1, …; long ones shortened.
    pub(super) fn across(names: &[String]) -> Self {
        let ticks = names.iter().enumerate().map(|(at, name)| (at as f64, shortened(name)));
        let to = names.len() as f64 - 0.5;
        Self { from: -0.5, to, ticks: ticks.collect(), ..Self::names(&[]) }
    }

    /// The same with ticks at these values in ascending order, where they are few and apart: those that were chosen, not round ones.
    pub(super) fn with_ticks_at(mut self, values: &[f64]) -> Self {
        const MOST: usize = 9;
        const APART: f64 = 0.08;
        let apart = |pair: &[f64]| self.share_at(pair[1]) - self.share_at(pair[0]) >= APART;
        if values.len() <= MOST && values.windows(2).all(apart) {
            self.ticks = values.iter().map(|at| (*at, self.quantity.name(*at))).collect();
            self.chosen = true;
        }
        self
    }

    /// The value at this share of the axis.
    pub(super) fn value_at(&self, share: f64) -> f64 {
        match self.log {
            true => self.from * (self.to / self.from).powf(share),
            false => self.from + (self.to - self.from) * share,
        }
    }

    /// Position of a value as a share of the axis; values beyond an end are at that end.
    pub(super) fn share_at(&self, value: f64) -> f64 {
        let share = match self.log {
            true => {
                (value.max(f64::MIN_POSITIVE) / self.from).log10() / (self.to / self.from).log10()
            }
            false => (value - self.from) / (self.to - self.from),
        };
        share.clamp(0.0, 1.0)
    }

    /// The axis on so many pixels, with as few of its ticks as leave each name the room that `needs` tells.
    pub(super) fn fitting(&self, pixels: u32, needs: impl Fn(&str) -> f64) -> Self {
        let apart = |[one, next]: [&(f64, String); 2]| {
            let apart = (self.share_at(next.0) - self.share_at(one.0)) * f64::from(pixels);
            apart >= (needs(&one.1) + needs(&next.1)) / 2.0
        };
        let fits =
            |ticks: &[(f64, String)]| ticks.windows(2).all(|pair| apart([&pair[0], &pair[1]]));
        if self.chosen {
            // Not every second one, as of round numbers: each that the one before leaves room for.
            let mut ticks: Vec<(f64, String)> = Vec::new();
            for tick in &self.ticks {
                if ticks.last().is_none_or(|last| apart([last, tick])) {
                    ticks.push(tick.clone());
                }
            }
            return Self { ticks, ..self.clone() };
        }
        // A logarithmic axis keeps its powers of ten.
        let round = |at: f64| (at.log10() - at.log10().round()).abs() < 1e-9;
        let anchor = self.ticks.iter().position(|tick| self.log && round(tick.0)).unwrap_or(0);
        let every = |step: usize| {
            let ticks = self.ticks.iter().skip(anchor % step).step_by(step);
            ticks.cloned().collect::<Vec<_>>()
        };
        let steps = 1..=self.ticks.len().max(1);
        let ticks = if self.named { None } else { steps.map(every).find(|ticks| fits(ticks)) };
        Self { ticks: ticks.unwrap_or_else(|| self.ticks.clone()), ..self.clone() }
    }

    /// True if the value is between the ends.
    pub(super) fn contains(&self, value: f64) -> bool {
        self.from <= value && value <= self.to
    }

    /// Values of the ticks.
    pub(super) fn ticks(&self) -> Vec<f64> {
        self.ticks.iter().map(|tick| tick.0).collect()
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (low, high): (i32, i32)) -> i32 {
        low + (self.share_at(*value) * f64::from(high - low)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks() }
    }

    fn range(&self) -> Range<f64> {
        self.from..self.to
    }
}

impl ValueFormatter<f64> for Axis {
    fn format(value: &f64) -> String {
        value.to_string()
    }

    fn format_ext(&self, value: &f64) -> String {
        let named = self.ticks.iter().find(|tick| tick.0 == *value);
        named.map_or_else(String::new, |tick| tick.1.clone())
    }
}

/// The least 1, 2 or 5 × a power of ten that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let rounded = [1.0, 2.0, 5.0, 10.0].into_iter().find(|n| n * power >= least * (1.0 - 1e-9));
    rounded.unwrap_or(10.0) * power
}

/// Letters of the longest name beside an axis.
const LETTERS: usize = 36;

/// A name that fits beside an axis: of a long one the middle is left out.
pub(super) fn shortened(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    if letters.len() <= LETTERS {
        return name.to_owned();
    }
    let half = LETTERS / 2;
    let [head, tail] = [&letters[..half], &letters[letters.len() - half + 1..]];
    head.iter().chain(['…'].iter()).chain(tail).collect()
}

/// Pixels for names beside an axis.
pub(super) fn room(names: &[&str]) -> u32 {
    let letters = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    (letters.min(LETTERS) as u32 * 8 + 16).max(60)
}

/// Bytes such as `2.5 GB`.
fn bytes(x: f64) -> String {
    let (unit, name) = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
        .into_iter()
        .find(|(unit, _)| x >= *unit)
        .unwrap_or((1.0, "B"));
    format!("{} {name}", units::short(x / unit))
}

/// Text such as `10⁻³`.
fn power_of_ten(value: f64) -> String {
    let power = value.log10().round() as i32;
    if power == 0 {
        return "1".to_owned();
    }
    let digits = power.to_string();
    let raised = digits.chars().map(|c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32(0x2070 + digit.to_digit(10).unwrap_or(0)).unwrap_or(digit),
    });
    format!("10{}", raised.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::Quantity::{Number, Percent, Share, Time};
    use super::*;

    fn names(axis: &Axis) -> Vec<String> {
        axis.ticks().iter().map(|at| axis.format_ext(at)).collect()
    }

    #[test]
    fn round_ticks() {
        assert_eq!(names(&Axis::linear("", 0.9, 5, Number)), ["0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(names(&Axis::linear("", 0.0, 2, Number)), ["0", "0.5", "1"]);
        assert_eq!(names(&Axis::between("", 17.0, 33.0, 4, Number)), ["20", "25", "30"]);
        assert_eq!(
            names(&Axis::log("", 2e4, 3e6, Time)),
            ["20 µs", "50 µs", "100 µs", "200 µs", "500 µs", "1 ms", "2 ms"]
        );
        assert_eq!(names(&Axis::log("", 1e-5, 1.0, Share)).join(" "), "10⁻⁵ 10⁻⁴ 10⁻³ 10⁻² 10⁻¹ 1");
        assert_eq!(names(&Axis::log("", 5.36, 5.74, Number)), ["5.4", "5.5", "5.6", "5.7"]);
        assert_eq!(Quantity::Bytes.name(2.5e9), "2.5 GB");
    }

    #[test]
    fn names_that_would_touch_are_left_out() {
        let wide = |name: &str| name.chars().count() as f64 * 10.0;
        let log = Axis::log("", 2e4, 3e6, Time);
        assert_eq!(names(&log.fitting(700, wide)).len(), 7);
        assert_eq!(names(&log.fitting(230, wide)), ["20 µs", "100 µs", "500 µs", "2 ms"]);
        assert_eq!(names(&log.fitting(150, wide)), ["100 µs", "1 ms"]);
        assert_eq!(names(&Axis::linear("", 0.9, 5, Number).fitting(60, wide)), ["0", "0.6"]);
        assert_eq!(Axis::names(&["a", "b", "c"]).fitting(1, wide).ticks().len(), 3);
        // Chosen values lie anywhere: one that is too near is left out, and not every second one.
        let chosen = Axis::between("", 0.04, 0.6, 5, Percent);
        let chosen = chosen.with_ticks_at(&[0.07, 0.14, 0.28, 0.56]);
        assert_eq!(names(&chosen.fitting(200, wide)), ["7 %", "28 %", "56 %"]);
        assert_eq!(names(&chosen.fitting(900, wide)).len(), 4);
    }

    #[test]
    fn headroom_is_free_and_has_no_names() {
        let axis = Axis::log("", 1e-3, 1.0, Share).with_headroom(0.25);
        assert!((axis.share_at(1.0) - 0.75).abs() < 1e-9 && (axis.range().end - 10.0).abs() < 1e-9);
        assert_eq!(names(&axis).last().map(String::as_str), Some("1"));
    }

    #[test]
    fn places_stay_within() {
        let axis = Axis::log("", 10.0, 1000.0, Number);
        assert_eq!([0.0, 100.0, 1e9].map(|value| axis.share_at(value)), [0.0, 0.5, 1.0]);
        assert_eq!([0.0, 100.0, 1e9].map(|value| axis.map(&value, (400, 0))), [400, 200, 0]);
        assert!((axis.value_at(0.5) - 100.0).abs() < 1e-9);
        assert_eq!(Axis::linear("", 8.0, 2, Number).value_at(0.25), 2.0);
    }
}
