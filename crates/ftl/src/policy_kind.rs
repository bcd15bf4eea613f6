//! Policies that are named in configurations, with numbers after the name: `choices:4`, `dac:4`.

use core::{
    fmt,
    hash::{Hash, Hasher},
};

/// Most numbers of a policy.
pub const MOST_NUMBERS: usize = 3;

/// Number of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyNumber {
    /// Name of the number: `D` in `choices:D`.
    pub letter: char,
    /// Maximum; the minimum is 1.
    pub most: u16,
    /// Default, if the number may be omitted.
    pub default: Option<u16>,
    /// Unit, written after the number: `%` or nothing.
    pub unit: &'static str,
}

impl PolicyNumber {
    /// A count from 1 to `most`.
    pub const fn count(letter: char, most: u16, default: Option<u16>) -> Self {
        Self { letter, most, default, unit: "" }
    }

    /// A percentage from 1 to `most`.
    pub const fn percent(letter: char, most: u16, default: u16) -> Self {
        Self { letter, most, default: Some(default), unit: "%" }
    }
}

/// A declaration of a policy. Its `Display` is the documented form: `greedy`, `greedy-scan[:K]`, `choices:D`.
pub trait Policy: fmt::Debug + fmt::Display + 'static {
    /// Name in configurations.
    fn name(&self) -> &'static str;

    /// Numbers after the name; at most [`MOST_NUMBERS`]. Those without a default come first.
    fn numbers(&self) -> &'static [PolicyNumber];
}

/// Writes a policy's documented form.
pub(super) fn write_usage(policy: &impl Policy, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(policy.name())?;
    let mut optional = 0;
    for PolicyNumber { letter, default, .. } in policy.numbers() {
        optional += usize::from(default.is_some());
        write!(f, "{}:{letter}", if default.is_some() { "[" } else { "" })?;
    }
    (0..optional).try_for_each(|_| f.write_str("]"))
}

/// A policy with its numbers.
#[derive(Debug)]
pub struct PolicyKind<P: 'static> {
    policy: &'static P,
    numbers: [u16; MOST_NUMBERS],
}

impl<P: Policy> PolicyKind<P> {
    /// Returns the policy with these numbers; those that are left out have their defaults.
    ///
    /// `None` if a number is out of range, there are more than the policy has, or one without a default is missing.
    pub fn of(policy: &'static P, given: &[u16]) -> Option<Self> {
        let mut numbers = [0; MOST_NUMBERS];
        for (at, known) in policy.numbers().iter().enumerate() {
            numbers[at] = given.get(at).copied().or(known.default)?;
            if !(1..=known.most).contains(&numbers[at]) {
                return None;
            }
        }
        (given.len() <= policy.numbers().len()).then_some(Self { policy, numbers })
    }
}

impl<P> PolicyKind<P> {
    /// Makes a kind without checks, for the policies' own files.
    pub(super) const fn of_numbers(policy: &'static P, numbers: [u16; MOST_NUMBERS]) -> Self {
        Self { policy, numbers }
    }

    /// The policy.
    pub fn policy(self) -> &'static P {
        self.policy
    }

    /// Numbers of the policy; 0 where it has none.
    pub(super) fn numbers(self) -> [u16; MOST_NUMBERS] {
        self.numbers
    }
}

impl<P> Copy for PolicyKind<P> {}

impl<P> Clone for PolicyKind<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Policy> PartialEq for PolicyKind<P> {
    fn eq(&self, other: &Self) -> bool {
        (self.policy.name(), self.numbers) == (other.policy.name(), other.numbers)
    }
}

impl<P: Policy> Eq for PolicyKind<P> {}

impl<P: Policy> Hash for PolicyKind<P> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.policy.name(), self.numbers).hash(state);
    }
}

impl<P: Policy> fmt::Display for PolicyKind<P> {
    /// Writes the form used in configurations, without the last numbers that are defaults.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.policy.name())?;
        let known = self.policy.numbers();
        let written = known.iter().zip(self.numbers).rposition(|(of, n)| of.default != Some(n));
        for (of, number) in known.iter().zip(self.numbers).take(written.map_or(0, |at| at + 1)) {
            write!(f, ":{number}{}", of.unit)?;
        }
        Ok(())
    }
}
