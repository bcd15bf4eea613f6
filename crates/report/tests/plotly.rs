//! The plotting library is the one that `assets/README.md` describes.

use base64::Engine;
use sha2::{Digest, Sha256};
use std::io::Read;

#[test]
fn the_asset_is_what_its_text_says() {
    let text = include_str!("../assets/plotly.txt");
    let packed = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
    let mut code = String::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut code).unwrap();
    assert!(code.starts_with("/**\n* plotly.js v3.0.1\n"));
    for (name, bytes) in [("plotly.min.js", code.as_bytes()), ("plotly.txt", text.as_bytes())] {
        let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let row = format!("| `{name}` | {} | {hash} |", bytes.len());
        assert!(include_str!("../assets/README.md").contains(&row), "{row}");
    }
}
