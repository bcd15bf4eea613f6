use super::*;
use crate::spec::{JobSpec, WorkloadSpec};

const SPACE: Space = Space { bytes: 1000 * 4096, page_bytes: 4096, pages_per_block: 10 };

fn job(name: &str, offset: &str, size: &str) -> JobSpec {
    let extent = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
    let workload = WorkloadSpec::builtin("uniform").limited(50);
    JobSpec { offset: extent(offset), size: extent(size), ..JobSpec::new(name, workload) }
}

fn jobs(jobs: Vec<JobSpec>) -> WorkloadSpec {
    WorkloadSpec::Jobs { jobs, exitall: false, replay: Replay::default() }
}

#[test]
fn parts_follow_each_other_or_lie_where_they_are_told() {
    let parts = |jobs: &[JobSpec]| {
        regions(jobs, SPACE).map(|found| found.iter().map(|r| (r.start, r.end)).collect::<Vec<_>>())
    };
    let equal = [job("a", "", ""), job("b", "", "")];
    assert_eq!(parts(&equal).unwrap(), [(0, 500), (500, 1000)]);
    let rest = [job("a", "", "10%"), job("b", "", ""), job("c", "", "40960")];
    assert_eq!(parts(&rest).unwrap(), [(0, 100), (100, 990), (990, 1000)]);
    let apart = [job("a", "50%", "25%"), job("b", "0", "12.5%")];
    assert_eq!(parts(&apart).unwrap(), [(500, 750), (0, 125)]);
    for (jobs, said) in [
        ([job("a", "", "60%"), job("b", "50%", "10%")], "jobs `a` and `b` overlap: pages 0 to 599"),
        ([job("a", "", "60%"), job("b", "", "60%")], "pages 600 to 1199, ends beyond the space"),
        (
            [job("a", "", "100%"), job("b", "", "")],
            "job `b`: the sizes of the other jobs leave no page",
        ),
        ([job("a", "", "4095"), job("b", "", "")], "job `a`: size 4095B is less than a page"),
    ] {
        let error = parts(&jobs).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn extents_are_read_and_written() {
    for (text, written) in
        [("25%", "25%"), ("12.5 %", "12.5%"), ("0.0001%", "0.0001%"), ("4096", "4KiB")]
    {
        let extent: Extent = text.parse().unwrap();
        assert_eq!(extent.to_string(), written);
        assert_eq!(written.parse::<Extent>().unwrap(), extent);
    }
    for text in ["", "%", "101%", "-1%", "1.00001%", "half", "1e2%"] {
        assert!(text.parse::<Extent>().is_err(), "{text}");
    }
}

#[test]
fn jobs_are_addressed_over_their_parts_and_draw_their_own_numbers() {
    let spec = jobs(vec![job("a", "", "30%"), job("b", "60%", "30%")]);
    let facts = spec.check(SPACE).unwrap();
    assert_eq!((facts.requests, facts.jobs.len()), (100, 2));
    assert_eq!(facts.workload, "jobs a, b");
    let mut source = spec.open(SPACE, 7, &facts).unwrap();
    let mut all = Vec::new();
    while source.fill(&mut all, 7).unwrap() > 0 {}
    assert_eq!(all.len(), 100);
    let (first, second): (Vec<&Request>, Vec<&Request>) =
        all.iter().partition(|r| r.offset < 300 * 4096);
    assert_eq!((first.len(), second.len()), (50, 50));
    assert!(second.iter().all(|r| (600 * 4096..900 * 4096).contains(&r.offset)));
    assert!(first.iter().zip(&second).any(|(a, b)| a.offset + 600 * 4096 != b.offset));
    // The first job of the default seed draws what the workload alone draws.
    let alone = &spec_of(&spec).workload;
    let part = Space { bytes: 300 * 4096, ..SPACE };
    let mut source = alone.open(part, 7, &alone.check(part).unwrap()).unwrap();
    let mut same = Vec::new();
    while source.fill(&mut same, 9).unwrap() > 0 {}
    assert!(first.iter().zip(&same).all(|(a, b)| (a.offset, a.op) == (b.offset, b.op)));
}

fn spec_of(spec: &WorkloadSpec) -> &JobSpec {
    let WorkloadSpec::Jobs { jobs, .. } = spec else { panic!("not jobs") };
    &jobs[0]
}

#[test]
fn faults_name_the_job() {
    let tasks = WorkloadSpec::Tasks { tasks: Vec::new(), replay: Replay::default() };
    for (found, said) in [
        (vec![], "1 to 64 jobs, not 0"),
        (vec![job("a", "", ""), job("a", "", "")], "`a` is the name of two jobs"),
        (vec![job(" ", "", "")], "job 1: `name` must not be empty"),
        (vec![JobSpec::new("a", tasks)], "job `a`: must be a built-in workload or a trace"),
        (
            vec![JobSpec::new("a", WorkloadSpec::builtin("unifrom"))],
            "job `a`: no workload is called",
        ),
    ] {
        let error = jobs(found).check(SPACE).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}
