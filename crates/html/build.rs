//! Packs the plotting library as it stands in a page: compressed, and as text.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "plots")]
    pack();
}

/// Plotly.js is the one of the scripts of `plotly` that names itself so; the other one is MathJax, which no figure needs.
#[cfg(feature = "plots")]
fn pack() {
    use base64::Engine;
    use std::io::Write;

    let sources = plotly::Plot::offline_js_sources();
    let scripts = sources.split("<script").filter_map(|script| {
        let (_, code) = script.split_once('>')?;
        Some(code.rsplit_once("</script>")?.0)
    });
    let code = { scripts }
        .find(|code| code.trim_start().starts_with("/**\n* plotly.js v"))
        .expect("the crate `plotly` has a script that begins with the name of Plotly.js");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(8));
    packed.write_all(code.as_bytes()).expect("memory takes what is written to it");
    let packed = packed.finish().expect("memory takes what is written to it");
    let text = base64::engine::general_purpose::STANDARD.encode(packed);
    let out = std::env::var_os("OUT_DIR").expect("cargo gives a folder");
    let path = std::path::Path::new(&out).join("plotly.txt");
    std::fs::write(&path, text).expect("the folder takes a file");
}
