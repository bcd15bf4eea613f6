//! How far the long tests go: as far as every run of the tests can bear, or all the way.

/// True with `FTLKIT_WHOLE=1` in the environment: searches also take their largest arrays, suites take every combination of
/// setting and shape, and power cuts are all followed as far as the first of them.
pub fn whole() -> bool {
    std::env::var_os("FTLKIT_WHOLE").is_some_and(|value| value == "1")
}

/// Of cases in an order, each `every`-th, from another one on for each `turn`, so that turns in a row take all of them. With
/// [`whole`], all.
pub fn in_turns<T>(cases: impl IntoIterator<Item = T>, every: usize, turn: usize) -> Vec<T> {
    let every = if whole() { 1 } else { every };
    cases.into_iter().skip(turn % every).step_by(every).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn turns_in_a_row_take_all() {
        for every in 1..5 {
            let turns = (0..every).map(|turn| in_turns(0..7, every, turn + 9));
            let taken: Vec<Vec<i32>> = turns.collect();
            let all: BTreeSet<i32> = taken.iter().flatten().copied().collect();
            assert_eq!(all, (0..7).collect(), "{every}");
            let count = taken.iter().flatten().count();
            assert_eq!(count, if whole() { 7 * every } else { 7 }, "{every}");
        }
    }
}
