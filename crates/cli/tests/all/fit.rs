//! `ftlkit fit`: the drive that explains measured points.

use crate::common::{Scratch, ftlkit, unwrapped};

/// Greedy victims at a share of 0.9, and of 0.8 where 8/9 are in use: figures of SSD-iq's simulator (PVLDB 18, 2025).
const GREEDY: &str =
    "workload,fill,waf\nuniform,100%,5.135\nuniform,0.8889,2.682\nuniform,88.89%,2.682\n";

fn fitted(name: &str, more: &[&str], table: &str) -> (Scratch, Vec<String>) {
    let scratch = Scratch::new(name);
    let file = scratch.file("drive.csv", table);
    let small = [
        "--blocks",
        "128",
        "--pages-per-block",
        "32",
        "--shares",
        "0.86..0.94",
        "--placements",
        "split",
        "-q",
    ];
    let words = ["fit", file.as_str()].into_iter().chain(small).chain(more.iter().copied());
    let words = words.map(str::to_owned).collect();
    (scratch, words)
}

#[test]
fn the_ranking_is_the_same_however_it_is_written() {
    let (_scratch, words) = fitted("fit-ranking", &["--victims", "greedy,random"], GREEDY);
    let text = ftlkit(words.clone()).ok();
    let said = unwrapped(&text);
    assert!(said.contains("Best: greedy with split and 32 pages per block"), "{text}");
    assert!(said.contains("runs on small arrays"), "{text}");
    assert!(!said.contains("at an end of") && !said.contains("residual is large"), "{text}");
    assert_eq!(text, ftlkit(words.clone()).ok(), "twice the same");
    let json = ftlkit(words.into_iter().chain(["--json".to_owned()])).json();
    let best = &json["fit"]["best"];
    assert_eq!(best[0]["victim"], "greedy");
    assert_eq!(best.as_array().map(Vec::len), Some(2));
    assert!(best[0]["residual"].as_f64() < best[1]["residual"].as_f64());
    let share = best[0]["share"].as_f64().expect("a share");
    assert!((share - 0.9).abs() < 0.015, "{share}");
    assert!(best[0]["residual"].as_f64() < Some(0.04), "{text}");
    assert!(said.contains(&format!("{share:.4} of the array exported")), "{text}");
    assert_eq!(json["measured"].as_array().map(Vec::len), Some(3));
    assert_eq!(best[0]["points"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_fit_that_is_none_says_so() {
    let (_scratch, words) = fitted("fit-end", &["--victims", "greedy"], "waf\n3.6\n");
    let said = unwrapped(&ftlkit(words).ok());
    assert!(said.contains("The best share is at an end of 0.86..0.94"), "{said}");
    let (_scratch, words) =
        fitted("fit-large", &["--victims", "greedy"], "fill,waf\n1,5.1\n0.85,5.1\n");
    let said = unwrapped(&ftlkit(words).ok());
    assert!(said.contains("The residual is large: no candidate explains the points"), "{said}");
}

#[cfg(feature = "html")]
#[test]
fn its_page_has_the_ranking() {
    let (scratch, words) = fitted("fit-page", &["--victims", "fifo", "--html"], GREEDY);
    let page = scratch.at("fit.html");
    ftlkit(words.into_iter().chain([page.clone()])).ok();
    let page = std::fs::read_to_string(page).expect("a page");
    for part in ["Fit of measured points", "share exported", "fifo", "ftlkit fit"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn what_is_wrong_is_told() {
    for (more, table, told) in [
        (&[][..], "fill,speed\n1,2\n", "no column is called `speed`"),
        (&[], "fill,waf\n1,2\n2,2\n", "drive.csv, line 3: fill"),
        (&["--victims", "greedy,greedi"], "waf\n4\n", "victims: "),
        (&["--victims", "greedi"], "waf\n4\n", "`greedi`"),
        (&["--placements", "oracle"], "waf\n4\n", "oracle needs to know the future"),
        (
            &["--blocks", "64", "--placements", "sepbit", "--shares", "0.99..0.995"],
            "waf\n4\n",
            "no candidate can be run",
        ),
        (&["--blocks", "5"], "waf\n4\n", "blocks: must be 64 to 65536"),
    ] {
        let (_scratch, mut words) = fitted("fit-wrong", &[], table);
        for (option, value) in
            [("--blocks", "128"), ("--placements", "split"), ("--shares", "0.86..0.94")]
        {
            if more.contains(&option) {
                words.retain(|word| word != option && word != value);
            }
        }
        let words = words.into_iter().chain(more.iter().map(|&word| word.to_owned()));
        ftlkit(words).refused(&[told]);
    }
    ftlkit(["fit", "/nowhere/at/all.csv"]).refused(&["/nowhere/at/all.csv"]);
}
