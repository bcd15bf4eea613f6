//! What an SSD is not shown with, and its array.

use crate::{recorded, refused, settings};
use ftlkit_explain::{Settings, record};

fn on_ssd(scheme: &str, channels: u32, dies: u32) -> Settings {
    let mut settings = settings(scheme);
    settings.experiment.channels = Some(channels);
    settings.experiment.dies = Some(dies);
    settings.experiment.queue_depth = Some(4);
    settings
}

#[test]
fn each_die_has_as_many_blocks() {
    for (channels, dies) in [(1, 1), (3, 1), (2, 2), (4, 4)] {
        let recording = record(on_ssd("page-level", channels, dies)).unwrap();
        assert_eq!(recording.header.blocks % (channels * dies), 0, "{channels} × {dies}");
        assert_eq!(recording.header.bound, ftlkit_explain::Bound::default(), "of several at once");
    }
    let uneven = Settings { blocks: Some(16), ..on_ssd("page-level", 3, 1) };
    assert_eq!(refused(uneven), "blocks: must be a multiple of the 3 dies, not 16");
    let serial = recorded("page-level");
    assert!(
        serial.header.ssd.is_none() && serial.frames.iter().all(|frame| frame.spans.is_empty())
    );
}

#[test]
fn what_takes_one_operation_at_a_time_is_refused() {
    let one_at_a_time = "is shown with one operation at a time; omit it, or omit --channels";
    let cut = Settings { power_cuts: vec![3], ..on_ssd("page-level", 2, 1) };
    let mut fdp = on_ssd("page-level", 2, 1);
    fdp.experiment.fdp = Some("ruhs=3".parse().unwrap());
    for (settings, setting) in [(cut, "power_cut"), (fdp, "fdp"), (on_ssd("ba-gc", 2, 1), "buffer")]
    {
        assert_eq!(refused(settings), format!("{setting}: {one_at_a_time}"));
    }
}
