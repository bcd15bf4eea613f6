//! Packs a script as it stands in a page: compressed, and as text. `assets/README.md` tells what for.

use base64::Engine;
use std::io::Write;

fn main() -> std::io::Result<()> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = paths.as_slice() else {
        eprintln!("usage: pack_plotly PLOTLY.MIN.JS PLOTLY.TXT");
        std::process::exit(2);
    };
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(8));
    packed.write_all(&std::fs::read(from)?)?;
    let text = base64::engine::general_purpose::STANDARD.encode(packed.finish()?);
    std::fs::write(to, text)
}
