//! The active features of positions against those that the original engines list.

use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::feature_set::Family;
use nnue_compiler::network::Network;
use nnue_interpreter::active_rows;
use nnue_runtime::Board;
use nnue_test_support::goldens::table;

/// Checks each position of a table, from both perspectives.
///
/// `first_pair` is the number that the table has for the first pair of pawns.
fn check_features(spec: &str, table: &str, first_pair: usize) {
    let network =
        analyse(&SourceFile::new("the spec", spec)).unwrap_or_else(|errors| panic!("{errors}"));
    let mut lines = 0;
    for line in table.lines() {
        let mut cells = line.split('\t');
        let (fen, perspective) = (cells.next().unwrap(), cells.next().unwrap());
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let [white, black] = active_rows(&network, &board);
        let active = match perspective {
            "w" => white,
            "b" => black,
            other => panic!("found the perspective `{other}`, expected `w` or `b`"),
        };
        let mut sets = 0;
        for cell in cells {
            let (name, rows) = cell.split_once(':').expect("the name of a set");
            let mut expected: Vec<usize> = rows
                .split_whitespace()
                .map(|row| row.parse().expect("the number of a row"))
                .collect();
            expected.sort_unstable();
            if name == "pp" {
                expected.iter_mut().for_each(|row| *row -= first_pair);
            }
            assert_eq!(
                rows_of(&network, name, &active),
                expected,
                "{name} of {perspective}: {fen}"
            );
            sets += 1;
        }
        assert_eq!(sets, network.features.len());
        lines += 1;
    }
    assert!(lines >= 800, "{lines} lines");
}

/// The active rows of a set, as the tables number and name them.
fn rows_of(network: &Network, name: &str, active: &[usize]) -> Vec<usize> {
    let mut first = 0;
    for set in &network.features {
        let is_found = matches!(
            (&set.family, name),
            (Family::PieceSquare(_), "psq")
                | (Family::Threats(_), "threats")
                | (Family::PawnPairs(_), "pp")
        );
        if is_found {
            let own = active
                .iter()
                .filter(|row| (first..first + set.rows).contains(row));
            let mut rows: Vec<usize> = own.map(|row| row - first).collect();
            rows.sort_unstable();
            return rows;
        }
        first += set.rows;
    }
    panic!("the spec has no set `{name}`");
}

macro_rules! features {
    ($($name:ident: $spec:literal, $table:literal, $first_pair:literal;)*) => { $(
        #[test]
        fn $name() {
            let table = table(concat!("features/", $table)).unwrap_or_else(|error| panic!("{error}"));
            let spec = include_str!(concat!("../../specs/", $spec, ".toml"));
            check_features(spec, &table, $first_pair);
        }
    )* };
}

features! {
    features_of_sfnnv10: "sfnnv10", "sfnnv10.tsv", 0;
    // Stockfish numbers threats and pairs together.
    features_of_sfnnv16: "sfnnv16", "sfnnv16.tsv", 59808;
    features_of_devre: "engines/devre", "devre.tsv.gz", 0;
    features_of_halogen: "engines/halogen", "halogen.tsv", 0;
    features_of_hobbes: "engines/hobbes", "hobbes.tsv.gz", 0;
    features_of_plentychess: "engines/plentychess", "plentychess.tsv", 0;
    features_of_pzchessbot: "engines/pzchessbot", "pzchessbot.tsv.gz", 0;
    features_of_reckless: "engines/reckless", "reckless.tsv", 0;
    features_of_viridithas21: "engines/viridithas21", "viridithas21.tsv", 0;
}
