use super::*;
use crate::samples;
use ::run::report::SchemeReport;

fn svg(report: &Report, name: &str) -> String {
    let plot = PLOTS.iter().find(|plot| plot.name == name).expect(name);
    plot.figure(report).svg(&PlotOptions::default()).unwrap()
}

/// A report of so many schemes, all unlike, with long names, long series and many bounds.
fn crowd(schemes: usize) -> Report {
    let mut report = samples::on_channels();
    let some = report.schemes.clone();
    let crowd = (0..schemes).map(|n| {
        let mut scheme = some[n % some.len()].clone();
        scheme.name = match n {
            0..=3 => format!("{}-{n}", scheme.name),
            _ => format!("{}+victim=choices-{n}+logical-share=0.5", scheme.name),
        };
        scheme.bound_ns = Some(2_000_000 + n as u64 * 150_000);
        let shift = n as u64 * 1000;
        let many = |points: usize| (0..points as u64).map(move |at| at * 1_000_000);
        scheme.series.response_ccdf =
            many(5000).map(|ns| (ns + 1000 + shift, 1.0 - ns as f64 / 5e9)).collect();
        scheme.series.free_pages = many(20_000).map(|ns| (ns, (ns / 7 + shift) % 977)).collect();
        scheme.series.throughput =
            many(20_000).map(|ns| (ns, ((ns / 7 + shift) % 977) as f64)).collect();
        scheme.series.windows.iter_mut().for_each(|window| window.page_commands += n as u64);
        scheme.elapsed_ns = 20_000_000_000;
        scheme
    });
    report.schemes = crowd.collect();
    report
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
        "share of requests with a longer completion (1 − p)",
        "free blocks (free pages / π)",
        "page tasks per second",
        "page commands per second",
        "erases per block in the measured part",
        "pages programmed per host page",
        "host writes, bytes per second",
    ]) {
        let svg = plot.figure(&report).svg(&PlotOptions::default()).unwrap();
        let texts = texts(&svg);
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{}", plot.name);
        assert!(texts[0].contains("uniform on slc-2k"), "{}: {texts:?}", plot.name);
        assert!(texts.iter().any(|t| t == axis), "{}: {texts:?}", plot.name);
        for scheme in &report.schemes {
            assert!(texts.iter().any(|t| t.contains(&scheme.name)), "{}: {texts:?}", plot.name);
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", plot.name);
        assert_eq!(
            svg,
            plot.figure(&report).svg(&PlotOptions::default()).unwrap(),
            "same report, same bytes"
        );
    }
}

#[test]
fn every_bound_is_drawn_and_labelled() {
    let mut report = samples::report();
    let both = texts(&svg(&report, "response_ccdf"));
    assert!(both.contains(&"bound 2220.9 µs (fsr, lazy-rtgc)".to_owned()), "{both:?}");
    assert!(both.contains(&"no bound".to_owned()), "{both:?}");
    report.schemes[1].bound_ns = Some(5_000_000);
    let apart = texts(&svg(&report, "response_ccdf"));
    for label in ["bound 2220.9 µs (lazy-rtgc)", "bound 5000.0 µs (fsr)"] {
        assert!(apart.contains(&label.to_owned()), "{apart:?}");
    }
}

#[test]
fn no_words_lie_upon_each_other_or_outside_and_files_are_small() {
    for schemes in [1, 3, 8, 28] {
        let report = crowd(schemes);
        for plot in &PLOTS {
            let svg = plot.figure(&report).svg(&PlotOptions::default()).unwrap();
            let of = format!("{} of {schemes}", plot.name);
            assert!(svg.len() < 500_000, "{of}: {} bytes", svg.len());
            let root = svg.split("viewBox=\"0 0 ").nth(1).and_then(|rest| rest.split('"').next());
            let size: Vec<f32> =
                root.unwrap().split(' ').map(|side| side.parse().unwrap()).collect();
            let texts = picture::texts(&svg);
            assert!(texts.len() > schemes, "{of}");
            for (at, (words, place)) in texts.iter().enumerate() {
                let inside = place.left() >= 0.0
                    && place.top() >= 0.0
                    && place.right() <= size[0]
                    && place.bottom() <= size[1];
                assert!(inside, "{of}: `{words}` is outside: {place:?}");
                for (other, beside) in &texts[..at] {
                    let upon = place.intersect(beside);
                    let upon = upon.filter(|part| part.width() > 1.0 && part.height() > 1.0);
                    assert!(upon.is_none(), "{of}: `{words}` upon `{other}`: {upon:?}");
                }
            }
        }
    }
}

/// Colours of the lines and bars that a plot draws.
fn colors(svg: &str) -> Vec<String> {
    let mut found: Vec<String> = svg.split('#').skip(1).map(|rest| rest[..6].to_owned()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[test]
fn a_scheme_has_one_colour_in_all_plots() {
    let mut report = crowd(6);
    let scheme = report.schemes[4].clone();
    for name in ["response_ccdf", "free_blocks", "throughput", "page_commands", "erases_per_block"]
    {
        report.schemes = crowd(6).schemes;
        assert!(colors(&svg(&report, name)).contains(&"E69F00".to_owned()), "{name}: the fifth");
        report.schemes = vec![SchemeReport::default(), scheme.clone()];
        let two = colors(&svg(&report, name));
        assert!(
            two.contains(&"D55E00".to_owned()) && !two.contains(&"E69F00".to_owned()),
            "{name}"
        );
    }
}

#[test]
fn identical_lines_are_one_with_both_names() {
    let mut report = crowd(2);
    let names = ["first", "second"];
    for (scheme, name) in report.schemes.iter_mut().zip(names) {
        scheme.name = name.into();
    }
    let separate = texts(&svg(&report, "response_ccdf"));
    assert!(names.iter().all(|name| separate.iter().any(|text| text == name)), "{separate:?}");
    report.schemes[1].series = report.schemes[0].series.clone();
    let one = texts(&svg(&report, "response_ccdf"));
    assert!(one.iter().any(|text| text == "first, second"), "{one:?}");
    let bounds = one.iter().filter(|text| text.starts_with("bound") && !text.contains('(')).count();
    assert_eq!(bounds, 2, "the legend has both bounds: {one:?}");
}

#[test]
fn the_axis_ends_where_samples_end_and_the_deadline_is_a_line() {
    let mut report = crowd(2);
    let end = 20.0 * 1e9;
    report.schemes.iter_mut().for_each(|s| s.bound_ns = Some(end as u64 * 10));
    let words = texts(&svg(&report, "response_ccdf"));
    assert!(!words.iter().any(|text| text.starts_with("bound") && text.contains('(')), "{words:?}");
    assert!(
        words.iter().any(|text| text == "1 s") && !words.iter().any(|text| text == "10 s"),
        "{words:?}"
    );
    for scheme in &mut report.schemes {
        let deadline =
            ::run::report::RequestDeadline { deadline_ns: 3_000_000, ..Default::default() };
        scheme.request_deadline = Some(deadline);
        scheme.series.request_completion_ccdf = vec![(1_000_000, 0.25), (9_000_000, 0.0)];
        scheme.request_completion_ns.count = 4;
    }
    // A deadline is of requests, a bound of page tasks.
    let words = texts(&svg(&report, "request_completion_ccdf"));
    assert!(words.iter().any(|text| text == "deadline 3ms"), "{words:?}");
    assert!(words.iter().any(|text| text == "completion of a request"), "{words:?}");
    assert!(!words.iter().any(|text| text.contains("bound")), "{words:?}");
    let words = texts(&svg(&report, "response_ccdf"));
    assert!(!words.iter().any(|text| text.contains("deadline")), "{words:?}");
}

#[test]
fn size_font_and_title_are_as_asked_for() {
    let report = samples::report();
    let options = PlotOptions {
        size: "500x320".parse().unwrap(),
        font: "Times New Roman:10".parse().unwrap(),
        titled: false,
        ..PlotOptions::default()
    };
    for plot in PLOTS.iter().filter(|plot| (plot.of)(&report)) {
        let svg = plot.figure(&report).svg(&options).unwrap();
        assert!(svg.starts_with("<svg width=\"500\""), "{}: {}", plot.name, &svg[..80]);
        assert!(
            svg.contains("'Times New Roman'") && !svg.contains("\"sans-serif\""),
            "{}",
            plot.name
        );
        assert!(!texts(&svg)[0].contains("uniform on slc-2k"), "{}", plot.name);
    }
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
            let svg = plot.figure(&report).svg(&PlotOptions::default()).unwrap();
            assert!(!svg.contains("NaN") && !svg.contains("<nothing"), "{}", plot.name);
        }
    }
}
