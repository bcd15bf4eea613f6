//! `--faults`: which faults the flash array has.

use crate::failure::Failure;
use device::{Cut, FaultPlan};
use lab::config::{BitErrorSettings, Channel, Notation, ResolvedScheme, did_you_mean};
use std::str::FromStr;

/// Settings of `--faults`. Those of bit errors are as in `compare`.
#[derive(Clone, Debug)]
pub(super) struct FaultChoice {
    bit_errors: BitErrorSettings,
    /// All but the bit errors, whose ECC is that of the part.
    plan: FaultPlan,
}

const KEYS: [&str; 11] = [
    "bit_errors",
    "ecc",
    "cycles",
    "age",
    "program_failures",
    "erase_failures",
    "endurance",
    "bad_blocks",
    "power_cut",
    "torn",
    "seed",
];

impl FromStr for FaultChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut plan = FaultPlan { seed: 1, ..FaultPlan::default() };
        let (mut bit_errors, mut of_bits) = (None, String::new());
        let (mut cut_after, mut torn) = (None, None);
        let mut given: Vec<&str> = Vec::new();
        for part in text.split('+').map(str::trim) {
            let Some((key, value)) = part.split_once('=') else {
                return Err(format!("`{part}` is not key=value, as in power_cut=5000"));
            };
            let (key, value) = (key.trim(), value.trim());
            if given.contains(&key) {
                return Err(format!("{key} is set twice"));
            }
            given.push(key);
            match key {
                "bit_errors" => bit_errors = Some(value),
                "ecc" | "cycles" | "age" => of_bits.push_str(&format!("+{key}={value}")),
                "program_failures" => plan.program_failures = per_million(key, value)?,
                "erase_failures" => plan.erase_failures = per_million(key, value)?,
                "endurance" => plan.endurance = Some(number(key, value, u32::MAX.into())? as u32),
                "bad_blocks" => plan.bad_blocks = number(key, value, u32::MAX.into())? as u32,
                "power_cut" => cut_after = Some(number(key, value, u64::MAX)?),
                "torn" => {
                    let is =
                        value.parse().map_err(|_| format!("torn is true or false, not `{value}`"));
                    torn = Some(is?);
                }
                "seed" => plan.seed = number(key, value, u64::MAX)?,
                _ => {
                    return Err(format!("no fault is called `{key}`; {}", did_you_mean(key, KEYS)));
                }
            }
        }
        let bit_errors = match bit_errors {
            Some(errors) => BitErrorSettings::read(&format!("{errors}{of_bits}"))?,
            None if of_bits.is_empty() => BitErrorSettings::default(),
            None => return Err("ecc, cycles and age have no effect without bit_errors".into()),
        };
        plan.power_cut = match (cut_after, torn) {
            (None, Some(_)) => return Err("torn has no effect without power_cut".into()),
            (after, torn) => after.map(|after| Cut { after, torn: torn.unwrap_or(false) }),
        };
        let choice = Self { bit_errors, plan };
        if choice.bit_errors.are_off()
            && plan == (FaultPlan { seed: plan.seed, ..FaultPlan::default() })
        {
            return Err(format!("`{text}` injects no fault"));
        }
        Ok(choice)
    }
}

impl FaultChoice {
    /// The faults on the array of this scheme.
    pub(super) fn plan(&self, scheme: &ResolvedScheme) -> Result<FaultPlan, Failure> {
        let channel = Channel::new(scheme.part.clone(), 1, 1, self.bit_errors)?;
        let plan = FaultPlan { bit_errors: channel.bit_error_model(), ..self.plan };
        let spare = scheme.config.spare_blocks;
        let needed = plan.bad_blocks.max(plan.takes_blocks().into());
        if spare < needed {
            return Err(Failure::input_with_help(
                format!(
                    "--faults: {} has {spare} spare blocks, of {needed} or more that it needs",
                    scheme.label
                ),
                format!("add +spare={} to --scheme", needed + u32::from(plan.fails())),
            ));
        }
        Ok(plan)
    }
}

fn number(key: &str, value: &str, most: u64) -> Result<u64, String> {
    let number = value.replace('_', "").parse().ok().filter(|number| *number <= most);
    number.ok_or_else(|| format!("{key} is a whole number of 0 to {most}, not `{value}`"))
}

fn per_million(key: &str, value: &str) -> Result<u32, String> {
    number(key, value, 1_000_000)
        .map(|rate| rate as u32)
        .map_err(|error| format!("{error}, per million"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notation() {
        let text = "bit_errors=wear:1000000,2000,10+cycles=3000+ecc=8+program_failures=20+erase_failures=1_0\
                    +endurance=900+bad_blocks=3+power_cut=5000+torn=true+seed=7";
        let FaultChoice { bit_errors, plan } = text.parse().unwrap();
        assert_eq!(
            bit_errors,
            BitErrorSettings::read("wear:1000000,2000,10+cycles=3000+ecc=8").unwrap()
        );
        let expected = FaultPlan {
            bit_errors: None,
            program_failures: 20,
            erase_failures: 10,
            endurance: Some(900),
            bad_blocks: 3,
            power_cut: Some(Cut { after: 5000, torn: true }),
            seed: 7,
        };
        assert_eq!(plan, expected);
        let seed = |text: &str| text.parse::<FaultChoice>().unwrap().plan.seed;
        assert_eq!(seed("power_cut=0"), 1);
        for (text, said) in [
            ("", "is not key=value"),
            ("power_cut", "is not key=value"),
            ("powercut=1", "did you mean `power_cut`?"),
            ("power_cut=1+power_cut=2", "set twice"),
            ("power_cut=-1", "is a whole number"),
            ("program_failures=1000001", "0 to 1000000, not `1000001`, per million"),
            ("torn=true", "no effect without power_cut"),
            ("power_cut=1+torn=yes", "true or false"),
            ("ecc=4", "no effect without bit_errors"),
            ("bit_errors=many", "bit errors must be"),
            ("bit_errors=off", "injects no fault"),
            ("seed=4", "injects no fault"),
        ] {
            let error = text.parse::<FaultChoice>().unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
