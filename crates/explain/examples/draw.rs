//! Not committed.
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut experiment = sim::config::Experiment { schemes: vec![args[1].parse().unwrap()], ..Default::default() };
    if let Some(p) = std::env::var("PRE").ok() { experiment.precondition = p.parse().unwrap(); }
    let mut workload_given = false;
    if let Ok(w) = std::env::var("WL") { experiment.workload = w.parse().unwrap(); workload_given = true; }
    let cuts = std::env::var("CUT").map_or(vec![], |c| c.split(',').map(|n| n.parse().unwrap()).collect());
    let requests = std::env::var("REQ").ok().map(|r| r.parse().unwrap());
    let settings = explain::Settings { experiment, workload_given, blocks: std::env::var("BLOCKS").ok().map(|r| r.parse().unwrap()), pages_per_block: None, requests, power_cuts: cuts };
    let recording = explain::record(settings).unwrap_or_else(|e| { eprintln!("{}: {e}", args[1]); std::process::exit(2) });
    eprintln!("{}: {} frames, first {}", args[1], recording.frames.len(), recording.header.first);
    match args.get(2).map(String::as_str) {
        Some("text") => print!("{}", explain::text::render(&recording, false)),
        Some(path) => explain::html::page(&recording, &mut std::fs::File::create(path).unwrap()).unwrap(),
        None => {}
    }
}
