//! Nearest known name, as a suggestion in errors about unknown names.

/// Returns the candidate closest to `name` if it is close enough.
///
/// Close enough means one edit per three letters, or that `name` is a prefix of exactly one candidate.
/// Edits are insertion, deletion, substitution and transposition of neighbours; letter case is ignored.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A name of thousands of letters is no typo; the limit bounds the work.
    if name.len() > 64 {
        return None;
    }
    let name = name.to_lowercase();
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let allowed = name.chars().count().div_ceil(3);
    let closest = candidates
        .iter()
        .map(|candidate| (strsim::osa_distance(&name, &candidate.to_lowercase()), *candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= allowed)
        .map(|(_, candidate)| candidate);
    closest.or_else(|| {
        let mut starting = candidates.iter().filter(|c| name.len() >= 2 && c.starts_with(&name));
        starting.next().filter(|_| starting.next().is_none()).copied()
    })
}

/// One sentence that names the nearest candidate, or all of them if none is near.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    match nearest(name, candidates.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("there are {}", list(&candidates)),
    }
}

/// Joins names as `` `a`, `b` and `c` ``.
pub fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => String::from("none"),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_what_was_meant_and_no_more() {
        let names = ["page-level", "fsr", "lazy-rtgc"];
        assert_eq!(nearest("lazyrtgc", names), Some("lazy-rtgc"));
        assert_eq!(nearest("FRS", names), Some("fsr"));
        assert_eq!(nearest("evaluation_slc", ["evaluation-slc"]), Some("evaluation-slc"));
        assert_eq!(nearest("k9wbg08u1", ["k9lcg08u1m", "k9wbg08u1m"]), Some("k9wbg08u1m"));
        assert_eq!(nearest("page", names), Some("page-level"));
        assert_eq!(nearest("dftl-on-demand", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest(&"x".repeat(1 << 20), names), None);
        assert_eq!(did_you_mean("lazy", names), "did you mean `lazy-rtgc`?");
        assert_eq!(did_you_mean("xyzzyx", names), "there are `page-level`, `fsr` and `lazy-rtgc`");
    }
}
