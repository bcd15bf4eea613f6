//! `ftlkit reproduce`.

use crate::common::{Scratch, words};

#[test]
fn papers_are_listed() {
    let text = words("reproduce").ok();
    for said in ["lazy-rtgc", "table-2", "fig-9", "TODAES"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let json = words("reproduce --json").json();
    assert!(json.as_array().is_some_and(|papers| papers.iter().any(|p| p["name"] == "lazy-rtgc")));
}

#[test]
fn a_table_as_text_json_and_files() {
    let text = words("reproduce lazy-rtgc --only table-2,table-3").ok();
    for said in ["Table 2", "spansion-slc: U(σ)", "0.875", "equal", "All rows · "] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let json = words("reproduce lazy-rtgc --only table-3 --json").json();
    assert_eq!(json["sections"][0]["rows"].as_array().map(Vec::len), Some(15));

    let out = Scratch::new("reproduce");
    let dir = out.at("results");
    words(&format!("reproduce lazy-rtgc --only fig-11 --quiet --out {dir}")).ok();
    for file in ["report.txt", "rows.csv", "rows.json", "plots/fig-11.svg"] {
        let written = std::fs::read_to_string(format!("{dir}/{file}")).expect(file);
        assert!(!written.is_empty(), "{file}");
    }
}

#[test]
fn copy_back_with_its_curves() {
    let out = Scratch::new("reproduce-copyback");
    let dir = out.at("results");
    let text = words(&format!("reproduce copyback --only fig-12,fig-13 --quiet --out {dir}")).ok();
    for said in ["17.92", "2.77", "Fig. 13", "points: curves/fig-12.csv"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    for file in ["plots/fig-12-two-planes.svg", "curves/fig-12.csv", "curves/fig-13.csv"] {
        let written = std::fs::read_to_string(format!("{dir}/{file}")).expect(file);
        assert!(written.contains("DGCB") || written.contains("pages"), "{file}");
    }
}

#[test]
fn completions_offer_the_papers() {
    let papers = words("reproduce --json").json();
    let text = words("completions zsh").ok();
    for paper in papers.as_array().expect("a list") {
        let name = paper["name"].as_str().expect("a name");
        assert!(text.contains(&format!("{name}\\:")), "{name} is not offered");
    }
}
