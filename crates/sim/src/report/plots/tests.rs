use super::*;
use crate::report::contents::SchemeReport;
use crate::report::samples;

fn svg(report: &Report, file: &str) -> String {
    PLOTS.iter().find(|plot| plot.file == file).expect(file).svg(report).unwrap()
}

/// Texts of an SVG, in order.
fn texts(svg: &str) -> Vec<String> {
    let chunks = svg.split("<text ").skip(1);
    chunks
        .map(|chunk| {
            let text = &chunk[chunk.find('>').unwrap() + 1..chunk.find("</text>").unwrap()];
            text.trim().to_owned()
        })
        .collect()
}

#[test]
fn each_plot_has_title_axes_and_schemes() {
    let report = samples::on_channels();
    for (plot, axis) in PLOTS.iter().zip([
        "share of page tasks with a longer response (1 − p)",
        "free blocks (free pages / π)",
        "page tasks per second",
        "page commands per second",
        "erases per block in the measured part",
        "pages programmed per host page",
    ]) {
        let svg = plot.svg(&report).unwrap();
        let texts = texts(&svg);
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{}", plot.file);
        assert!(texts[0].contains("uniform on slc-2k"), "{}: {texts:?}", plot.file);
        assert!(texts.iter().any(|t| t == axis), "{}: {texts:?}", plot.file);
        for scheme in &report.schemes {
            assert!(texts.iter().any(|t| t.contains(&scheme.name)), "{}: {texts:?}", plot.file);
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", plot.file);
        assert_eq!(svg, plot.svg(&report).unwrap(), "same report, same bytes");
    }
}

#[test]
fn every_bound_is_drawn_and_labelled() {
    let mut report = samples::report();
    let both = texts(&svg(&report, "response_ccdf.svg"));
    assert!(both.contains(&"bound 2220.9 µs (fsr, lazy-rtgc)".to_owned()), "{both:?}");
    assert!(both.contains(&"no bound".to_owned()), "{both:?}");
    report.schemes[1].bound_ns = Some(5_000_000);
    let apart = texts(&svg(&report, "response_ccdf.svg"));
    for label in ["bound 2220.9 µs (lazy-rtgc)", "bound 5000.0 µs (fsr)"] {
        assert!(apart.contains(&label.to_owned()), "{apart:?}");
    }
}

#[test]
fn no_legend_runs_out_of_its_plot() {
    let mut report = samples::report();
    let one = report.schemes[2].clone();
    report.schemes = (0..30)
        .map(|n| SchemeReport {
            name: format!("{}+victim=choices-{n}+logical-share=0.5", one.name),
            ..one.clone()
        })
        .collect();
    let svg = svg(&report, "response_ccdf.svg");
    let height = style::wide(&report).1;
    let lowest = svg
        .split("x=\"826\" y=\"")
        .skip(1)
        .filter_map(|rest| rest[..rest.find('"')?].parse::<u32>().ok())
        .max();
    assert!(lowest.unwrap() + 15 <= height, "{lowest:?} of {height}");
}

#[test]
fn odd_reports_are_drawn_as_well() {
    let mut report = samples::on_channels();
    let empty = SchemeReport { name: "<nothing & more>".into(), ..SchemeReport::default() };
    let mut one_block = report.schemes[0].clone();
    one_block.series.erases = vec![7];
    one_block.series.response_ccdf = vec![(0, 0.0)];
    one_block.series.free_pages.truncate(1);
    one_block.series.windows.truncate(1);
    one_block.waf = None;
    one_block.waf_by_cause.clear();
    let mut crowd = report.schemes.clone();
    for n in 0..15 {
        let mut more = crowd[n % 3].clone();
        more.name = format!("lazy-rtgc+victim=choices-{n}+logical-share=0.{n}");
        crowd.push(more);
    }
    for schemes in [vec![], vec![empty.clone()], vec![one_block, empty], crowd] {
        report.schemes = schemes;
        for plot in &PLOTS {
            let svg = plot.svg(&report).unwrap();
            assert!(!svg.contains("NaN") && !svg.contains("<nothing"), "{}", plot.file);
        }
    }
}
