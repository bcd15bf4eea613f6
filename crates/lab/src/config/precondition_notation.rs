//! Settings of the array's precondition.

use super::error::ConfigError;
use super::text_or_table::{Text, TextOrTable};
use ::run::precondition::{Fill, Preconditioning};
use workload::{nearest::did_you_mean, quantity::share};

/// A [`Preconditioning`] in either notation.
pub type PreconditionChoice = TextOrTable<Preconditioning>;

/// Largest allowed age: a larger one is more likely a typing error than intended.
const MOST_AGE: f64 = 1000.0;

/// Reads the text notation.
fn parse(text: &str) -> Result<Preconditioning, ConfigError> {
    let fault =
        |reason: String| ConfigError::setting("precondition", format!("`{text}`: {reason}"));
    let mut parts = text.split('+').map(str::trim);
    let fill = match parts.next().unwrap_or("") {
        "full" => Fill::Full,
        "footprint" => Fill::Footprint,
        "none" => Fill::None,
        other => {
            return Err(fault(format!(
                "no fill is called `{other}`; {}",
                did_you_mean(other, ["full", "footprint", "none"])
            )));
        }
    };
    let (mut age, mut sequential, mut workload) = (None, None, None);
    let (mut collecting, mut steady) = (false, false);
    for part in parts {
        if part == "collecting" {
            collecting = true;
            continue;
        }
        if part == "steady" {
            steady = true;
            continue;
        }
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let (setting, number) = match name.trim() {
            "age" => (&mut age, value.trim().parse().ok()),
            "sequential" => (&mut sequential, Some(share(value).map_err(fault)?)),
            "workload" => (&mut workload, value.trim().parse().ok()),
            _ => {
                return Err(fault(format!(
                    "expected `age=` or `workload=` and a number, `sequential=` and a share, `steady` or `collecting`, not `{part}`"
                )));
            }
        };
        let name = name.trim();
        let number = number
            .ok_or_else(|| fault(format!("expected `{name}=` and a number, not `{part}`")))?;
        if setting.replace(number).is_some() {
            return Err(fault(format!("{name} is set twice")));
        }
    }
    let [age, sequential, workload] =
        [age, sequential, workload].map(|number| number.unwrap_or(0.0));
    let out = Preconditioning { fill, age, sequential, workload, collecting, steady };
    check(&out).map(|()| out)
}

/// Checks the ranges of `age`, `sequential` and `workload`, and that `age` has filled pages to overwrite.
///
/// # Errors
/// If one is out of its range, `age` is set without a fill, or `sequential` without `age`.
pub(super) fn check(of: &Preconditioning) -> Result<(), ConfigError> {
    if !(0.0..=MOST_AGE).contains(&of.age) {
        return Err(ConfigError::setting(
            "precondition.age",
            format!("must be 0 to {MOST_AGE} times the space that was filled, not {}", of.age),
        ));
    }
    if !(0.0..=MOST_AGE).contains(&of.workload) {
        return Err(ConfigError::setting(
            "precondition.workload",
            format!(
                "must be 0 to {MOST_AGE} times the pages that the workload can address, not {}",
                of.workload
            ),
        ));
    }
    if of.fill == Fill::None && of.age > 0.0 {
        return Err(ConfigError::setting(
            "precondition.age",
            "overwrites filled pages, and `none` fills none; use `full` or `footprint`",
        ));
    }
    if !(0.0..=1.0).contains(&of.sequential) {
        return Err(ConfigError::setting(
            "precondition.sequential",
            format!("must be a share of the overwrites, 0 to 1, not {}", of.sequential),
        ));
    }
    if of.sequential > 0.0 && of.age == 0.0 {
        return Err(ConfigError::setting(
            "precondition.sequential",
            "is a share of the overwrites, and there are none; set `age`",
        ));
    }
    Ok(())
}

impl Text for Preconditioning {
    type Error = ConfigError;

    fn from_text(text: &str) -> Result<Self, ConfigError> {
        parse(text)
    }

    fn text(&self) -> Option<String> {
        Some(self.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notation() {
        for text in [
            "full",
            "none",
            "none+collecting",
            "full+steady",
            "full+workload=2+collecting+steady",
            "footprint+age=2.5",
            "full+age=2+sequential=0.5",
            "full+age=1+workload=0.5+collecting",
        ] {
            assert_eq!(parse(text).unwrap().to_string(), text);
        }
        let percent = parse("full+sequential=50%+age=1").unwrap();
        assert_eq!(percent.to_string(), "full+age=1+sequential=0.5");
        for (text, said) in [
            ("ful", "did you mean `full`?"),
            ("none+age=1", "`none` fills none"),
            ("full+age=-1", "0 to 1000"),
            ("full+age=inf", "0 to 1000"),
            ("full+old", "`age=`"),
            ("full+age=1+age=2", "age is set twice"),
            ("full+age=x", "`age=` and a number, not `age=x`"),
            ("full+workload=x", "`workload=` and a number, not `workload=x`"),
            ("full+workload=-1", "0 to 1000"),
            ("full+collecting=1", "`steady` or `collecting`"),
            ("full+age=1+sequential=half", "not a share, a number such as 0.8 or 80%"),
            ("full+age=1+sequential=50", "write `50%` or `0.5`"),
            ("full+age=1+sequential=150%", "0 to 1, not 1.5"),
            ("full+sequential=50%", "there are none; set `age`"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
