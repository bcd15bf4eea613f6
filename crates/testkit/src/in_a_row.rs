//! Longest time of page writes in a row, over all paths of a searched graph of states.

use bounds::service::Service;
use flash::Ns;

/// Transitions that were taken: from, to, and the time of a page write, or `None` for what takes no page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transitions(Vec<(u32, u32, Option<Ns>)>);

/// The first number of writes in a row that take longer than is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exceeded {
    pub(crate) writes: u64,
    pub(crate) seen_ns: Ns,
    pub(crate) bound_ns: Ns,
}

impl Transitions {
    pub(crate) fn add(&mut self, from: u32, to: u32, write_ns: Option<Ns>) {
        self.0.push((from, to, write_ns));
    }

    /// Compares the longest time of n page writes in a row, from any state and with anything in between, with W(n), for n up to
    /// `most`. Returns for how many n both are equal where W(n) is less than n · U(R).
    ///
    /// # Errors
    /// The first n that takes longer.
    pub(crate) fn check(&self, states: usize, most: u32, by: &Service) -> Result<u32, Exceeded> {
        let mut longest = vec![0; states];
        let mut equal = 0;
        for writes in 1..=u64::from(most) {
            let mut next: Vec<Ns> = vec![0; states];
            for (from, to, write_ns) in &self.0 {
                if let Some(ns) = write_ns {
                    let then = ns + longest[*to as usize];
                    next[*from as usize] = next[*from as usize].max(then);
                }
            }
            // What comes before the first of the writes: any number of other operations.
            let mut grew = true;
            while grew {
                grew = false;
                for (from, to, _) in self.0.iter().filter(|(_, _, write_ns)| write_ns.is_none()) {
                    if next[*to as usize] > next[*from as usize] {
                        next[*from as usize] = next[*to as usize];
                        grew = true;
                    }
                }
            }
            let seen_ns = next.iter().copied().max().unwrap_or(0);
            let bound_ns = by.writes_ns(writes);
            if seen_ns > bound_ns {
                return Err(Exceeded { writes, seen_ns, bound_ns });
            }
            let each_ns = writes * (by.write_ns + by.step_ns);
            equal += u32::from(seen_ns == bound_ns && bound_ns < each_ns);
            longest = next;
        }
        Ok(equal)
    }
}
