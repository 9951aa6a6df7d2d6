//! Random play with networks of all kinds of feature sets.

/// Random play with specs of a folder.
macro_rules! specs {
    ($module:ident of $networks:path, $folder:literal: $($net:ident)*) => {
        mod $module {
            use nnue_play::{Subject, plies};
            use $networks as networks;

            $(
                #[test]
                fn $net() {
                    let spec = include_str!(concat!("../", $folder, "/", stringify!($net), ".toml"));
                    let subject = Subject::<networks::$net::Net>::of(spec);
                    subject.check_random_play(plies());
                }
            )*
        }
    };
}

specs! { stockfish of nnue_networks, "../specs": sfnnv1 sfnnv2 sfnnv5 small128 }

specs! { features of nnue_networks::features, "specs/features": a bytes factorised factorised_bytes float_each float_sum float_truncated from_a8 from_h half_ka half_kp king_buckets opponent_first queens queens_and_threats rotated shifted shifted_words summed threatened threatened_and_pairs threats threats_by_square }

specs! { perspectives of nnue_networks::perspectives, "specs/perspectives": white_first interleaved interleaved_parts separate one one_separate white_only }

/// The networks of which `NNUE_PLIES` can ask for millions of plies.
mod engines {
    use nnue_play::engines;

    #[test]
    fn sfnnv10() {
        engines::sfnnv10();
    }

    #[test]
    fn sfnnv16() {
        engines::sfnnv16();
    }

    #[test]
    fn reckless() {
        engines::reckless();
    }

    #[test]
    fn viridithas() {
        engines::viridithas();
    }
}
