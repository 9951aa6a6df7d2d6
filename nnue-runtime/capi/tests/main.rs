//! The functions as C calls them, and the header that declares them.

mod calls;
mod clock;
mod compilers;
mod declarations;

/// A network whose functions are exported.
mod net {
    nnue_runtime::nnue_net!("../../specs/bullet/simple.toml");
}

mod exported {
    nnue_capi::export!(super::net, "simple", by_pieces);
}

/// A network that sees the half-move clock.
mod clocked_net {
    nnue_runtime::nnue_net!("../../tests/specs/features/clock.toml");
}

mod clocked {
    nnue_capi::export!(super::clocked_net, "clocked", by_pieces, clock);
}

/// The text of the first network's header.
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
