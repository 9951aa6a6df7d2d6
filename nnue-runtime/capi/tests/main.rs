//! The functions as C calls them, and the header that declares them.

mod calls;
mod compilers;
mod declarations;

/// A network whose functions are exported.
mod net {
    nnue_runtime::nnue_net!("../../specs/bullet/simple.toml");
}

mod exported {
    nnue_capi::export!(super::net, "simple", by_pieces);
}

/// The text of its header.
fn header() -> String {
    let header = nnue_capi::header::Header {
        network: net::NAME,
        prefix: "simple",
        embedded: false,
        by_pieces: true,
        clock: false,
        wdl: false,
        white_first: false,
    };
    header.text()
}
