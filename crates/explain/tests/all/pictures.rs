//! Pictures of frames.

use crate::{recorded, settings};
use ftlkit_explain::{Content, PageState, Recording, What, record, svg};

/// Labels of pages in a picture, in the order of blocks and pages.
fn labels(picture: &str) -> Vec<&str> {
    let array = picture.split("<g transform=").skip(1);
    array
        .filter_map(|cell| {
            cell.split_once("class=\"page-label ")?.1.split_once('>')?.1.split_once('<')
        })
        .map(|(label, _)| label)
        .collect()
}

fn texts(picture: &str) -> String {
    picture
        .split("<text ")
        .skip(1)
        .filter_map(|text| text.split_once('>')?.1.split_once("</text>"))
        .map(|(text, _)| text)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Every element is closed in its place, and no custom property is left.
fn is_sound(picture: &str) {
    let mut open = Vec::new();
    for tag in picture.split('<').skip(1) {
        let (name, rest) = tag.split_once('>').expect("the end of a tag");
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{rest}");
        } else if !name.ends_with('/') {
            open.push(name.split(' ').next().expect("a name"));
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(!picture.contains("var(") && !picture.contains("<script"), "{picture}");
}

#[test]
fn a_picture_shows_the_pages_of_its_frame() {
    for scheme in ["page-level", "fast", "gftl"] {
        let run = recorded(scheme);
        for at in [0, run.header.first, run.frames.len() / 2, run.frames.len() - 1] {
            let picture = svg::frame(&run, at).expect("a frame");
            is_sound(&picture);
            let state = run.state_at(at);
            let held = state.pages.iter().filter_map(|page| match (page.content, page.state) {
                (Content::Lpn(lpn), PageState::Valid) => Some(lpn.to_string()),
                (Content::Lpn(lpn), PageState::Invalid) => Some(format!("{lpn} ×")),
                (Content::Lpn(lpn), PageState::Copy) => Some(format!("{lpn} c")),
                (Content::Lpn(lpn), PageState::Older) => Some(format!("{lpn} o")),
                (_, PageState::Padding) => Some("·".into()),
                _ => None,
            });
            assert_eq!(labels(&picture), held.collect::<Vec<_>>(), "{scheme}, frame {at}");
            assert!(texts(&picture).contains(&run.frames[at].caption), "{scheme}: {picture}");
        }
    }
}

#[test]
fn counters_are_those_of_whole_page_tasks() {
    let run = recorded("page-level");
    let last = run.frames.len() - 1;
    let measured = &run.frames[run.header.first + 1..];
    let count =
        |which: &dyn Fn(&What) -> bool| measured.iter().filter(|frame| which(&frame.what)).count();
    let writes = count(&|what| matches!(what, What::Task { op: "write", .. }));
    let [programs, copies, erases] = ["program", "copy", "erase"]
        .map(|named| count(&|what| matches!(what, What::Operation { op, .. } if *op == named)));
    let waf = (programs + copies) as f64 / writes as f64;
    let line = format!(
        "host writes {writes} · programs {programs} · copies {copies} · erases {erases} · WAF {waf:.2}"
    );
    let of = |at| texts(&svg::frame(&run, at).expect("a frame"));
    assert!(of(last).contains(&line), "{line}: {}", of(last));
    assert!(!of(last - 1).contains(&line), "the last page task is not over");
    assert!(of(run.header.first).contains("host writes 0 · programs 0"));
}

/// What an animation shows at a frame: fragments that are visible then.
fn seen_at(animation: &str, at: usize, frames: usize) -> String {
    let time = (at as f64 + 0.5) / frames as f64;
    let mut seen = String::new();
    for line in animation.split("<g visibility=").skip(1) {
        let value =
            |name: &str| line.split_once(name).expect(name).1.split('"').nth(1).expect(name);
        let times = value("keyTimes=").split(';').map(|time| time.parse::<f64>().expect("a time"));
        let at = times.filter(|begin| *begin <= time).count() - 1;
        if value("values=").split(';').nth(at) == Some("visible") {
            seen.push_str(
                line.split_once('>')
                    .expect("a tag")
                    .1
                    .split("<animate")
                    .next()
                    .expect("a fragment"),
            );
            seen.push('\n');
        }
    }
    seen
}

#[test]
fn an_animation_shows_each_frame_in_its_time() {
    let run = recorded("fast");
    let frames = 150..=210;
    let animation = svg::animation(&run, frames.clone(), 2).expect("an animation");
    is_sound(&animation);
    assert!(animation.contains("dur=\"30500ms\""), "61 frames at 2 per second");
    for (number, at) in frames.enumerate() {
        let seen = seen_at(&animation, number, 61);
        let still = svg::frame(&run, at).expect("a frame");
        // What moves is in the picture of the frame, and the caption is the frame's alone.
        let words = texts(&seen);
        assert!(words.contains(&run.frames[at].caption), "frame {at}: {words}");
        for cell in seen.split("<g transform=").skip(1) {
            let cell = cell
                .split_once('>')
                .expect("a tag")
                .1
                .split("</g>\n")
                .next()
                .expect("a cell")
                .trim_end();
            let moved = cell.split("</text>").next().expect("a shape");
            assert!(still.contains(moved), "frame {at}: {cell}");
        }
        let of = |picture: &str| picture.matches("class=\"mark ").count();
        assert_eq!(of(&seen), of(&still), "frame {at}");
    }
    // Without SMIL the first frame is seen.
    let visible = animation.split("<g visibility=\"visible\">").skip(1);
    let first: String = visible.filter_map(|part| part.split("<animate").next()).collect();
    assert!(first.contains(&run.frames[150].caption) && !first.contains("class=\"mark erase\""));
}

fn refused(run: &Recording, frames: std::ops::RangeInclusive<usize>, speed: u32) -> String {
    svg::animation(run, frames, speed).expect_err("too much").to_string()
}

#[test]
fn what_is_too_much_says_what_to_reduce() {
    let run = recorded("page-level");
    let last = run.frames.len() - 1;
    assert!(refused(&run, 3..=last + 1, 1).contains(&format!("0 to {last}")));
    assert!(
        svg::frame(&run, last + 1).expect_err("none").to_string().contains(&format!("0 to {last}"))
    );
    assert!(refused(&run, 3..=5, 16).contains("1 to 15 steps per second"));
    let mut long = settings("page-level");
    long.requests = Some(600);
    let long = record(long).expect("a recording");
    let first = long.header.first;
    let said = refused(&long, first..=long.frames.len() - 1, 1);
    assert!(
        said.contains(&format!("{first}..{}", first + svg::MOST_ANIMATED - 1))
            && said.contains("fewer requests"),
        "{said}"
    );
    // As many as it says are possible.
    let most = svg::animation(&long, first..=first + svg::MOST_ANIMATED - 1, 15).expect("the most");
    assert!(most.len() < svg::MOST_BYTES, "{}", most.len());
}
