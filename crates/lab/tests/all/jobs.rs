//! Jobs that run at once on one SSD: their account, their parts, and arbitration between their queues.

use ftlkit_lab::config::Experiment;
use ftlkit_lab::report::{JobReport, SchemeReport};
use ftlkit_lab::run::Unobserved;
use ftlkit_lab::run_one;

const DEVICE: &str = "part = 'ddt-mlc'\ncapacity = '256MiB'\nschemes = ['page-level+share=0.8']\nchannels = 4\nways = 2\n";

fn run(text: &str) -> SchemeReport {
    let text = format!("{DEVICE}{text}");
    let experiment = Experiment::from_toml(&text, "test").unwrap();
    let resolved = experiment.resolve().unwrap_or_else(|error| panic!("{error}: {text}"));
    run_one(&resolved, 0, &Unobserved).unwrap()
}

/// A table of `[[workload.jobs]]`.
fn job(name: &str, keys: &str, workload: &str) -> String {
    format!("[[workload.jobs]]\nname = '{name}'\n{keys}\nworkload = {{ {workload} }}\n")
}

fn reads(requests: u64) -> String {
    format!("name = 'uniform', requests = {requests}, parameters = {{ write_share = '0' }}")
}

fn writes(requests: u64) -> String {
    format!("name = 'uniform', requests = {requests}, parameters = {{ write_share = '1' }}")
}

/// A victim that reads, 2 at a time, beside a neighbour that writes, 64 at a time.
fn neighbours(host: &str, victim: &str, neighbour: &str) -> SchemeReport {
    let victim = job("victim", &format!("iodepth = 2\n{victim}"), &reads(3000));
    let neighbour = job("neighbour", &format!("iodepth = 64\n{neighbour}"), &writes(200_000));
    run(&format!("{host}\n[workload]\nexitall = true\n{victim}{neighbour}"))
}

fn accounted(report: &SchemeReport) {
    let sum = |of: fn(&JobReport) -> u64| report.jobs.iter().map(of).sum::<u64>();
    assert_eq!(sum(|job| job.requests_taken), report.requests_taken);
    assert_eq!(sum(|job| job.requests), report.requests);
    assert_eq!(sum(|job| job.page_writes), report.write_tasks);
    assert_eq!(report.requests_refused, 0);
    for job in &report.jobs {
        assert_eq!(job.requests_taken, job.requests, "{}", job.job);
        assert_eq!(job.completion_ns.count, job.requests, "{}", job.job);
        assert!(job.wait_ns.max <= job.completion_ns.max, "{}", job.job);
    }
}

#[test]
fn one_job_on_the_whole_space_is_the_workload_alone() {
    let alone = run("queue_depth = 8\nworkload = { name = 'uniform', requests = 4000 }");
    let one =
        run(&format!("queue_depth = 8\n{}", job("all", "", "name = 'uniform', requests = 4000")));
    accounted(&one);
    assert_eq!(one.jobs[0].completion_ns, one.request_completion_ns);
    let plain = SchemeReport { jobs: Vec::new(), ..one };
    assert_eq!(serde_json::to_string(&plain).unwrap(), serde_json::to_string(&alone).unwrap());
}

#[test]
fn several_queues_hold_their_depth_each() {
    let load = "workload = { name = 'uniform', requests = 4000 }";
    let four = run(&format!("queue_depth = 8\nqueues = 4\n{load}"));
    accounted(&four);
    let one = run(&format!("queue_depth = 32\n{load}"));
    assert_eq!((four.jobs[0].queues, four.elapsed_ns), (4, one.elapsed_ns));
    assert_eq!(four.ssd.as_ref().unwrap().queue_depth, 32);
    // With fewer slots than requests outstanding, they wait in their queues.
    let slots = run(&format!("queue_depth = 8\nqueues = 4\ncommand_slots = 4\n{load}"));
    accounted(&slots);
    assert!(slots.jobs[0].wait_ns.mean > slots.jobs[0].completion_ns.mean / 2.0);
    assert_eq!(four.jobs[0].wait_ns.max, 0);
}

#[test]
fn one_slot_keeps_the_bounds() {
    let report = run(
        "queue_depth = 16\ncommand_slots = 1\nworkload = { name = 'uniform', requests = 3000 }",
    );
    accounted(&report);
    assert!(report.bound_ns.is_some());
    assert_eq!((report.violations, report.ssd.unwrap().queue_depth), (0, 1));
}

#[test]
fn weights_protect_a_tenant_from_its_neighbour() {
    let slots = "command_slots = 16";
    let fair = neighbours(&format!("{slots}\narbitration = 'round-robin'"), "", "");
    let weighted = format!("{slots}\narbitration = 'weighted:16:4:1'");
    let high = neighbours(&weighted, "class = 'high'", "class = 'low'");
    let urgent = neighbours(&weighted, "class = 'urgent'", "class = 'low'");
    let low = neighbours(&weighted, "class = 'low'", "class = 'high'");
    for report in [&fair, &high, &urgent, &low] {
        accounted(report);
        assert_eq!(report.jobs[0].requests, 3000);
        assert!(report.jobs[1].requests > 0 && report.jobs[1].requests < 200_000);
    }
    let wait = |report: &SchemeReport| report.jobs[0].wait_ns.mean;
    assert!(
        wait(&urgent) <= wait(&high) && wait(&high) <= wait(&fair),
        "{} {} {}",
        wait(&urgent),
        wait(&high),
        wait(&fair)
    );
    assert!(wait(&low) > 2.0 * wait(&fair), "{} {}", wait(&low), wait(&fair));
    // Alone, the tenant does not wait for a slot.
    let alone =
        run(&format!("{slots}\n{}", job("victim", "iodepth = 2\nsize = '50%'", &reads(3000))));
    assert_eq!(alone.jobs[0].wait_ns.max, 0);
    assert!(alone.jobs[0].completion_ns.mean * 2.0 < fair.jobs[0].completion_ns.mean);
}

#[test]
fn jobs_with_arrivals_run_beside_jobs_without() {
    let timed =
        "name = 'uniform', requests = 500, parameters = { rate = '1000', arrivals = 'fixed' }";
    let jobs = |keys: &str| {
        run(&format!(
            "command_slots = 8\nqueue_depth = 4\n{}{}",
            job("timed", keys, timed),
            job("closed", "queues = 3", &writes(4000))
        ))
    };
    let report = jobs("");
    accounted(&report);
    assert_eq!((report.jobs[0].requests, report.jobs[1].requests), (500, 4000));
    // 500 requests at 1 ms.
    assert!((900.0..1050.0).contains(&report.jobs[0].requests_per_second), "{:?}", report.jobs[0]);
    let closed = jobs("closed = true");
    accounted(&closed);
    assert!(closed.jobs[0].requests_per_second > 1100.0, "{:?}", closed.jobs[0]);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_does_not() {
    let text = |seed: u64| {
        let report = run(&format!(
            "seed = {seed}\ncommand_slots = 8\n{}{}",
            job("a", "iodepth = 3", &reads(500)),
            job("b", "iodepth = 9\nqueues = 2", &writes(2000))
        ));
        serde_json::to_string(&report).unwrap()
    };
    assert_eq!(text(5), text(5));
    assert_ne!(text(5), text(6));
}
