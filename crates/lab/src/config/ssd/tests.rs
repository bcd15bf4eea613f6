//! SSDs in experiments: effects of the settings, and rejected settings.

use crate::config::experiment::Experiment;
use crate::config::resolve::Resolved;
use ::run::ssd::{CollectionPlace, HostInterface};
use flash::CopyPath;
use flash::channels::{MultiPlane, PlaneRule, Policy, Precedence, Suspend};
use ftl::Processor;

fn resolve(text: &str) -> Result<Resolved, String> {
    let experiment = Experiment::from_toml(text, "test").map_err(|error| error.to_string())?;
    experiment.resolve().map_err(|error| error.to_string())
}

fn ddt(settings: &str) -> Resolved {
    resolve(&format!("part = 'ddt-mlc'\nworkload = 'uniform'\n{settings}")).unwrap()
}

fn notes(resolved: &Resolved) -> String {
    resolved.notes.join("\n")
}

const ALL: &str = "channels = 4\nways = 2\ndies = 2\nplanes = 2\nallocation = 'wcdp'\nqueue_depth = 16\n\
    interface = 'sata2'\ncpu = '200MHz:6:3'\narbiter = 'read-first'\nwindow = '20ms'\ncapacity = '2GiB'\n\
    schemes = ['page-level']";

#[test]
fn settings_become_channels_and_frontiers() {
    let found = ddt(ALL);
    let ssd = found.ssd.as_ref().unwrap();
    let topology = ssd.topology;
    assert_eq!((topology.channels, topology.ways, topology.dies, topology.planes), (4, 2, 2, 2));
    // 2 GiB in blocks of 128 pages of 2 × 8 KiB, on 16 dies.
    assert_eq!((found.geometry.blocks(), topology.blocks_per_plane), (1024, 64));
    assert_eq!(topology.blocks(), 2 * u64::from(found.geometry.blocks()));
    assert!(ssd.ganged && topology.paired_blocks);
    assert_eq!((ssd.queue_depth, ssd.window_ns), (16, 20_000_000));
    assert_eq!((ssd.policy, ssd.interface), (Policy::ReadFirst, Some(HostInterface::SATA2)));
    assert_eq!((ssd.timing.t_r_ns, ssd.timing.t_rc_ns), (75_000, 25), "bare cells and the bus");
    let scheme = &found.schemes[0];
    assert_eq!(scheme.config.allocation.units(), 16);
    assert_eq!(scheme.config.allocation.turns()[..3], [0, 4, 1], "ways first");
    let processor = Processor { clock_khz: 200_000, read_cycles: 6, write_cycles: 3 };
    assert_eq!(scheme.config.processor, Some(processor));
    assert!(scheme.part.t_r_ns > 75_000 + 2 * 216_000, "the scheme's part has the transfer");
    assert_eq!(scheme.part.copies.unwrap().ways, 16);
    let said = notes(&found);
    for line in [
        "SSD of 4 channels × 2 ways × 2 dies; allocation order wcdp; at most 16 requests outstanding; \
         interface sata2 of 300 MB/s; processor 200 MHz (6 cycles per entry read, 3 per entry written), for \
         lookups, map updates, moved pages and victims; collection per-die, up to 16 operations of the host before one of collection; arbiter read-first; windows of 20ms",
        "(--queue-depth 1); at queue depth 16 there is no bound",
        "within a die lcb",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
}

#[test]
fn what_is_resolved_is_written_down_and_resolves_to_the_same() {
    for settings in [
        "channels = 4\ncpu = '2xarm7'\ncpu_sharing = 'pinned'\ncpu_command = 50",
        "channels = 4\ncpu = '4x1GHz:3:2'\ncpu_work = 'victims'",
        ALL,
        "channels = 8",
        "channels = 2\nplanes = 4\nplane_use = 'own:same-place'",
        "channels = 1\nqueue_depth = 1",
        "cpu = 'arm7'",
        "channels = 3\ncapacity = '1GiB'\ninterface = '1.5GB/s:64'",
    ] {
        let first = ddt(settings);
        let text = first.experiment.to_toml().unwrap();
        let second = Experiment::from_toml(&text, "echo").unwrap().resolve().unwrap();
        assert_eq!(second.experiment, first.experiment, "{text}");
        assert_eq!((second.geometry, &second.ssd), (first.geometry, &first.ssd), "{text}");
        assert_eq!(second.part, first.part);
        let echo = |resolved: &Resolved| serde_json::to_value(resolved).unwrap()["ssd"].clone();
        assert_eq!(echo(&second), echo(&first));
        assert_eq!(echo(&first).is_null(), first.ssd.is_none());
    }
    let text = ddt("channels = 8").experiment.to_toml().unwrap();
    for spelt_out in ["dies = 1", "allocation = \"cwdp\"", "queue_depth = 32", "window = \"100ms\""]
    {
        assert!(text.contains(spelt_out), "{spelt_out}: {text}");
    }
    let text = Experiment::default().resolve().unwrap().experiment.to_toml().unwrap();
    for absent in ["channels", "dies", "queue_depth", "cpu"] {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
}

#[test]
fn how_collection_and_the_host_share_the_dies_is_read_and_checked() {
    let setup = |settings: &str| ddt(&format!("channels = 2\n{settings}")).ssd.unwrap();
    let usual = setup("");
    assert_eq!(usual.collection, CollectionPlace::PerDie);
    assert_eq!(usual.precedence, Precedence { host_first: 16, suspend: Suspend::Never });
    let exclusive = setup("collection = 'exclusive'");
    assert_eq!(exclusive.collection, CollectionPlace::Exclusive);
    assert_eq!(exclusive.precedence, Precedence::default());
    assert_eq!(setup("collection = 'exclusive'\nhost_first = 3").precedence.host_first, 3);
    let times = "part.t_erase_suspend_ns = '100us'\npart.t_program_suspend_ns = '40us'";
    let part = format!("part.base = 'ddt-mlc'\n{times}\nworkload = 'uniform'\nchannels = 2\n");
    for (word, expected) in [
        ("none", Suspend::Never),
        ("erase", Suspend::Erases { erase_ns: 100_000 }),
        ("program", Suspend::ErasesAndPrograms { erase_ns: 100_000, program_ns: 40_000 }),
    ] {
        let found = resolve(&format!("{part}suspend = '{word}'")).unwrap();
        assert_eq!(found.ssd.unwrap().precedence.suspend, expected);
        let said = found.notes.join("\n");
        assert_eq!(said.contains("reads suspend erases"), word != "none", "{said}");
        let again = Experiment::from_toml(&found.experiment.to_toml().unwrap(), "echo").unwrap();
        assert_eq!(
            again.resolve().unwrap().ssd,
            resolve(&format!("{part}suspend = '{word}'")).unwrap().ssd
        );
    }
    for (settings, said) in [
        ("suspend = 'erase'", "erase needs t_erase_suspend_ns, which part `ddt-mlc` does not have"),
        ("suspend = 'erase'\nhost_first = 0", "needs a host_first of at least 1"),
        ("suspend = 'erase'\nqueue_depth = 1", "has no effect at queue_depth 1"),
        ("suspend = 'erases'", "`erase`"),
        ("collection = 'per-dye'", "`per-die`"),
        ("host_first = 1000001", "must be 0 to 1000000, not 1000001"),
    ] {
        let text = format!("part = 'ddt-mlc'\nworkload = 'uniform'\nchannels = 2\n{settings}");
        let error = resolve(&text).unwrap_err();
        assert!(error.contains(said), "{said}: {error}");
    }
    for setting in ["collection = 'per-die'", "host_first = 4", "suspend = 'none'"] {
        let error =
            resolve(&format!("part = 'ddt-mlc'\nworkload = 'uniform'\n{setting}")).unwrap_err();
        assert!(error.contains("needs an SSD"), "{error}");
    }
}

#[test]
fn planes_work_as_one_or_each_by_itself() {
    let own =
        ddt("channels = 2\nplanes = 2\nplane_use = 'own'\nallocation = 'pcwd'\ncapacity = '1GiB'");
    let ssd = own.ssd.as_ref().unwrap();
    let rule = MultiPlane { rule: PlaneRule::SamePage, independent_reads: false };
    assert_eq!((ssd.ganged, ssd.multi_plane, ssd.topology.planes), (false, Some(rule), 2));
    assert_eq!(ssd.topology.blocks(), u64::from(own.geometry.blocks()));
    assert_eq!(own.geometry.page_bytes(), 8192, "a page of one plane");
    let config = &own.schemes[0].config;
    assert_eq!((config.allocation.units(), config.allocation.planes()), (4, 2));
    // Units: channel + 2 plane. Planes first.
    assert_eq!(config.allocation.turns(), [0, 2, 1, 3]);
    let copies = own.schemes[0].part.copies.unwrap();
    assert_eq!((copies.ways, copies.far.path), (2, CopyPath::Gcb), "copies see dies");
    assert!(own.summary().iter().any(|(_, line)| line.contains("2 planes per die, own")));
    let rules = |settings: &str| {
        let text = format!("schemes = ['fsr']\nchannels = 2\nplanes = 4\n{settings}");
        ddt(&text).ssd.unwrap().multi_plane.map(|planes| planes.rule)
    };
    assert_eq!(rules("plane_use = 'own:same-place'"), Some(PlaneRule::SamePlace));
    assert_eq!((rules("plane_use = 'own:single'"), rules("")), (None, None));
    let part =
        "part = { base = 'ddt-mlc', independent_plane_reads = true }\nworkload = 'uniform'\n";
    let found = resolve(&format!("{part}channels = 2\nplanes = 2\nplane_use = 'own'")).unwrap();
    assert!(found.ssd.unwrap().multi_plane.unwrap().independent_reads);
    for (settings, said) in [
        (
            "channels = 2\nplane_use = 'own'",
            "`own` needs planes, 2 to 4 of a die, as in --planes 2, not 1",
        ),
        ("channels = 2\nplanes = 5\nplane_use = 'own'", "not 5"),
        ("planes = 2\nplane_use = 'own'", "plane_use: needs an SSD"),
        ("channels = 2\nplanes = 2\nplane_use = 'own:singly'", "`own:single`"),
        (
            "channels = 2\nplanes = 2\nplane_use = 'own'\nschemes = ['fsr+copy=icb']",
            "--plane-use ganged",
        ),
        (
            "channels = 1\nplanes = 2\nplane_use = 'own'\nschemes = ['fsr+copy=gcb']",
            "copies between devices",
        ),
    ] {
        let text = format!("part = 'ddt-mlc'\nworkload = 'uniform'\n{settings}");
        let error = resolve(&text).unwrap_err();
        assert!(error.contains(said), "{said}: {error}");
    }
}

#[test]
fn every_die_has_as_many_blocks() {
    let found = ddt("channels = 3\nplanes = 2\nplane_use = 'own'\ncapacity = '1GiB'");
    assert!(notes(&found).contains("so that all 6 planes have equally many"));
    let found = ddt("channels = 3\ncapacity = '1GiB'");
    assert_eq!(found.geometry.blocks(), 1023);
    assert!(
        notes(&found).contains("1GiB less 1 blocks, so that all 3 dies have equally many"),
        "{found:?}"
    );
    // A block is 1 MiB: 32 on each of 64 dies exceed the usual 1 GiB.
    let found = ddt("channels = 16\nways = 4");
    assert_eq!(found.geometry.blocks(), 64 * 32);
    assert!(notes(&found).contains("32 blocks per die"));
    let error = resolve("part = 'ddt-mlc'\nchannels = 8\ncapacity = '4MiB'").unwrap_err();
    assert!(
        error.contains("less than one block of 1MiB on each of 8 dies; give 8MiB at least"),
        "{error}"
    );
    // The smallest for the scheme that it refuses.
    let small = "channels = 8\nschemes = ['page-level']\ncapacity =";
    let error = resolve(&format!("part = 'ddt-mlc'\n{small} '16MiB'")).unwrap_err();
    let (_, right) = error.split_once("smallest capacity that works is ").expect(&error);
    let capacity = right.split(' ').next().unwrap();
    ddt(&format!("{small} '{capacity}'"));
}

#[test]
fn a_bus_cycle_splits_the_times_of_a_part() {
    let found = resolve("channels = 2\nbus_cycle = '5ns'\nworkload = 'uniform'").unwrap();
    // 2,112 bytes at 5 ns are 10.56 µs.
    let timing = found.ssd.as_ref().unwrap().timing;
    assert_eq!((timing.t_r_ns, timing.t_prog_ns), (29_000 - 10_560, 220_900 - 10_560));
    assert_eq!((timing.t_rc_ns, timing.t_wc_ns, timing.transfer_bytes), (5, 5, 2112));
    assert_eq!((found.part.t_r_ns, found.part.t_r_oob_ns), (18_440, 18_440));
    assert!(
        notes(&found).contains("the cells alone take tR 18.4 µs and tPROG 210.3 µs"),
        "{found:?}"
    );
    let part = &found.schemes[0].part;
    assert!((29_000..30_000).contains(&part.t_r_ns), "with transfer again: {}", part.t_r_ns);
    assert!((220_900..222_000).contains(&part.t_prog_ns), "{}", part.t_prog_ns);
    let longest = resolve("channels = 2\nbus_cycle = '13ns'").unwrap_err();
    let (_, right) = longest.split_once("use ").expect(&longest);
    let cycle = right.split(' ').next().unwrap();
    assert_eq!(cycle, "12ns");
    resolve(&format!("channels = 2\nbus_cycle = '{cycle}'\nworkload = 'uniform'")).unwrap();
    let own = "channels = 2\nbus_cycle = 5\nworkload = 'uniform'\n\
               part = { base = 'evaluation-slc', t_bers_ns = '3ms' }";
    let first = resolve(own).unwrap();
    let again = resolve(&first.experiment.to_toml().unwrap()).unwrap();
    assert_eq!((again.part, again.ssd), (first.part, first.ssd), "times are split once");
}

#[test]
fn promises_count_with_the_longest_path() {
    let copies = |settings: &str| {
        let found = ddt(&format!("{settings}\ncapacity = '1GiB'"));
        found.schemes[0].part.copies.unwrap()
    };
    // At the bus's own cycle; the wider one that the pins need costs more than the second transfer of gcb.
    let at_25 = "t_rwc = '25ns'\nschemes = ['fsr+copy=dgcb']";
    let direct = copies(&format!("channels = 1\nways = 2\n{at_25}"));
    let several = copies(&format!("channels = 2\nways = 2\n{at_25}"));
    let through = copies("channels = 2\nways = 2\nschemes = ['fsr+copy=gcb']");
    assert_eq!(direct.far.path, several.far.path);
    assert!(direct.far.run_ns(8, 0) < through.far.run_ns(8, 0));
    assert!(several.longest_ns(8) >= through.longest_ns(8), "{several:?}");
    assert!(several.longest_ns(8) < through.longest_ns(8) + 8 * 100, "and hardly more");
    let said = notes(&ddt("channels = 2\nways = 2\nschemes = ['fsr+copy=dgcb']"));
    assert!(said.contains("between channels through the controller"), "{said}");
}

#[test]
fn schemes_that_settings_leave_alone_are_told() {
    let said = notes(&ddt("channels = 2\ncpu = 'arm7'\nschemes = ['page-level', 'nftl']"));
    assert!(said.contains("`nftl`: it has no write frontier per die"), "{said}");
    assert!(said.contains("`nftl`: its victim selection takes no processor time"), "{said}");
    assert!(!said.contains("`page-level`: it"), "{said}");
    let serial = notes(&ddt("cpu = 'arm7'"));
    assert!(serial.contains("processor arm7, 87.5 MHz (10 cycles per entry read"), "{serial}");
}

#[test]
fn what_cannot_be_is_refused_with_what_would_be_right() {
    for (text, said) in [
        ("dies = 2", "dies: needs an SSD"),
        ("allocation = 'cwdp'", "allocation: needs an SSD"),
        ("queue_depth = 4", "queue_depth: needs an SSD"),
        ("interface = 'none'", "set channels too, as in --channels 8"),
        ("arbiter = 'fifo'", "arbiter: needs an SSD"),
        ("window = '1s'", "window: needs an SSD"),
        ("bus_cycle = '5ns'", "bus_cycle: needs an SSD"),
        ("channels = 0", "channels: must be 1 to 256, not 0"),
        ("channels = 257", "channels: must be 1 to 256, not 257"),
        ("channels = -1", "test:1: "),
        ("channels = 'many'", "test:1: "),
        ("channels = 8\ndies = 17", "dies: must be 1 to 16, not 17"),
        ("channels = 8\nqueue_depth = 0", "queue_depth: must be 1 to 65536, not 0"),
        ("channels = 8\nqueue_depth = 65537", "queue_depth: must be 1 to 65536, not 65537"),
        ("channels = 8\ninterface = 'sata2'\nqueue_depth = 33", "`sata2` carries 32 outstanding"),
        ("channels = 8\ninterface = '1GB/s:4'\nqueue_depth = 5", "`1GB/s:4` carries 4 outstanding"),
        (
            "channels = 8\ninterface = 'nvme:gen4x4'\nqueue_depth = 65536",
            "carries 65535 outstanding",
        ),
        ("channels = 8\ninterface = 'sata9'", "or RATE:DEPTH, such as `600MB/s:32`"),
        ("channels = 8\nallocation = 'cwd'", "each once, as in cwdp, not `cwd`"),
        ("channels = 8\narbiter = 'lifo'", "did you mean `fifo`?"),
        ("channels = 8\ncpu = 'arm'", "such as `87.5MHz:10:4`"),
        ("channels = 8\ncpu_work = 'all'", "cpu_work: needs a processor"),
        ("channels = 8\ncpu_sharing = 'pinned'", "cpu_sharing: needs a processor"),
        (
            "channels = 8\ncpu = 'arm7'\ncpu_sharing = 'pinned'",
            "cpu_sharing: has no effect on one core",
        ),
        ("channels = 8\ncpu = 'arm7'\ncpu_work = 'none'", "no cpu_work is called `none`"),
        ("channels = 8\ncpu = 'arm7'\ncpu_command = 1000001", "must be 0 to 1000000"),
        (
            "channels = 8\ncpu = 'arm7'\ncpu_work = 'victims'\ncpu_command = 5",
            "cpu_command: has no effect with cpu_work `victims`",
        ),
        ("cpu = '2xarm7'", "cpu: needs an SSD"),
        ("cpu = 'arm7'\ncpu_work = 'all'", "cpu_work: needs an SSD"),
        ("cpu = 'arm7'\ncpu_command = 5", "cpu_command: needs an SSD"),
        ("channels = 8\nwindow = '1us'", "window: must be 1ms to 1h"),
        ("channels = 8\nwindow = 'long'", "test:2: "),
        ("channles = 8", "did you mean `channels`?"),
        ("channels = 8", "part `evaluation-slc` has no bus cycles"),
        ("channels = 8", "as in --bus-cycle 5ns"),
        ("channels = 8\nbus_cycle = '25ns'", "take 52.8 µs of the 29.0 µs"),
        ("channels = 8\nbus_cycle = '0ns'", "bus_cycle: must be 1ns to 100us"),
        ("channels = 8\npart = 'ddt-mlc'\nbus_cycle = '5ns'", "has its own cycles: tRC 25 ns"),
        (
            "channels = 8\npart = 'ddt-mlc'\nschemes = ['fsr+copy=dgcb']",
            "between dies of one channel, and each channel has one",
        ),
        (
            "channels = 1\npart = 'ddt-mlc'\nschemes = ['fsr+copy=gcb']",
            "gcb copies between devices, and the channel has one",
        ),
        (
            "channels = 8\npart = 'ddt-mlc'\nschemes = ['ba-gc+buffer_clock=arrival']",
            "buffer_clock: is `device` on an SSD",
        ),
        ("channels = 8\npart = 'ddt-mlc'\nways = 65", "ways: must be 1 to 64"),
    ] {
        let error = resolve(text).err().unwrap_or_else(|| panic!("{text} resolves"));
        assert!(error.contains(said), "{text}: {error}");
    }
}
