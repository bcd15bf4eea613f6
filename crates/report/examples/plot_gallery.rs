//! Draws every plot and writes every table of a synthetic report into a folder, for visual inspection.
//!
//! `cargo run -p ftlkit-report --example plot_gallery -- DIR`

use ftlkit_report::{details, prepare_out_dir};
use std::path::PathBuf;

#[path = "../src/samples.rs"]
mod samples;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args_os().nth(1).map_or_else(|| "out/gallery".into(), PathBuf::from);
    let dir = prepare_out_dir(&dir)?;
    let mut report = samples::report();
    print!("{}", details::render(&report, 100));
    for path in dir.write(&report)? {
        println!("{}", path.display());
    }
    let ssd = samples::on_channels();
    print!("\n{}", details::render(&ssd, 100));
    prepare_out_dir(&dir.path().join("ssd"))?.write(&ssd)?;
    // Enough schemes with long names to be hard to draw.
    for n in 0..6 {
        let mut more = report.schemes[n % 3].clone();
        more.name = format!("{}+victim=choices-{n}+logical-share=0.8{n}", more.name);
        more.bound_ns = more.bound_ns.map(|ns| ns * (n as u64 + 2));
        report.schemes.push(more);
    }
    print!("\n{}", details::render(&report, 100));
    prepare_out_dir(&dir.path().join("many"))?.write(&report)?;
    Ok(())
}
