//! The address of the page on which a spec can be read and tried in a browser.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::Compression;
use flate2::write::DeflateEncoder;

/// The page. What follows `#` stays in the browser: it is not sent to the server.
const PAGE: &str = concat!(env!("CARGO_PKG_HOMEPAGE"), "playground/");

/// The address of the page with a spec, which is part of the address: its text, compressed with
/// deflate, in base64url.
#[must_use]
pub fn address(spec: &str) -> String {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
    let written = packed.write_all(spec.as_bytes());
    let packed = written.and_then(|()| packed.finish());
    // Nothing fails to be written to a vector.
    let packed = packed.unwrap_or_default();
    format!("{PAGE}#spec={}", URL_SAFE_NO_PAD.encode(packed))
}
