//! What a mistyped part name may have meant.

use super::CATALOGUE;
use alloc::vec::Vec;

/// At most this many suggestions.
const MOST: usize = 3;

/// Names of the catalogue that are close to a name it does not have, the closest first: names that
/// contain it, and names at most a third of its length (and at least two edits) away. At most three, and
/// none where nothing is close.
///
/// An edit is one character inserted, dropped or replaced (Levenshtein distance); case does not count.
pub fn nearest(name: &str) -> Vec<&'static str> {
    // Longer than any name: nothing is close, and the work stays bounded.
    if name.len() > 64 {
        return Vec::new();
    }
    let name = name.to_lowercase();
    let farthest = (name.chars().count() / 3).max(2);
    let mut close: Vec<(usize, &str)> = CATALOGUE
        .iter()
        .map(|part| (distance(&name, &part.name), &*part.name))
        .filter(|(edits, candidate)| {
            *edits <= farthest || name.len() > 2 && candidate.contains(&name)
        })
        .collect();
    close.sort();
    close.truncate(MOST);
    close.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Levenshtein distance, one row of the table at a time.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.chars().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[row.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (a, b, edits) in
            [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("slc", "mlc", 1)]
        {
            assert_eq!(distance(a, b), edits, "{a} {b}");
            assert_eq!(distance(b, a), edits, "{b} {a}");
        }
    }

    #[test]
    fn suggestions() {
        assert_eq!(nearest("evaluation_slc")[0], "evaluation-slc");
        assert_eq!(nearest("Toshiba-SLC")[..2], ["toshiba-slc", "toshiba-tlc"]);
        assert_eq!(nearest("k9wbg08u1"), ["k9wbg08u1m", "k9lcg08u1m"]);
        assert_eq!(nearest("samsung").len(), 3);
        assert!(nearest("zzzzzzzz").is_empty());
        assert!(nearest("").is_empty());
        assert!(nearest(&"x".repeat(1 << 20)).is_empty());
    }
}
