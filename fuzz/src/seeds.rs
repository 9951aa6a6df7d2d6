//! Writes what fuzzing begins with, where that is no file of the repository: `seeds FOLDER`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use nnue_compiler::description::Description;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::{analyse, known_specs};
use nnue_fuzz::nets;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or("expected a folder for the seeds")?;
    let folder = PathBuf::from(folder);
    let write = |target: &str, name: &str, content: &[u8]| -> Result<(), Box<dyn Error>> {
        let folder = folder.join(target);
        fs::create_dir_all(&folder)?;
        Ok(fs::write(folder.join(name), content)?)
    };
    for (index, (name, file)) in (0u8..).zip(nets::right_files()) {
        write("nets", &name, &[&[index][..], &file].concat())?;
    }
    for (name, text) in known_specs() {
        let network = analyse(&SourceFile::new(name, text)).map_err(|errors| errors.to_string())?;
        let description = serde_json::to_string(&Description::of(&network))?;
        write("descriptions", name, description.as_bytes())?;
        write("specs", name, text.as_bytes())?;
    }
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    for file in fs::read_dir(tests.join("specs/layers"))? {
        let path = file?.path();
        let name = path
            .file_name()
            .ok_or("files have names")?
            .to_string_lossy()
            .into_owned();
        write("specs", &name, &fs::read(&path)?)?;
    }
    for (number, fen) in FENS.iter().enumerate() {
        write("fens", &number.to_string(), fen.as_bytes())?;
        let line = format!("position fen {fen}\ngo depth 2\neval\n");
        write("uci", &number.to_string(), line.as_bytes())?;
    }
    let games = "uci\nisready\nucinewgame\nsetoption name UCI_Chess960 value true\n\
        position startpos moves e2e4 e7e5 g1f3\ngo wtime 100 btime 100 winc 1 binc 1 movestogo 3\nstop\nquit\n";
    write("uci", "game", games.as_bytes())?;
    for (index, (name, content)) in (0u8..).zip(DATA) {
        write("training_data", name, &[&[index][..], content].concat())?;
    }
    Ok(())
}

const FENS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 3 20",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 0 40",
    "rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "4k3/8/8/8/8/8/8/4K3 w - -",
];

/// In the order of `Format::ALL`.
const DATA: [(&str, &[u8]); 5] = [
    (
        "text",
        b"# text\nr3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 | -35 | 1.0\n\
          4k3/8/8/8/4pP2/8/8/4K3 b - f3 0 40 | 12 | 0.5\n",
    ),
    (
        "bulletformat",
        &[
            0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0x13, 0x42, 0x25, 0x31, 0, 0, 0, 0, 0x88, 0x88,
            0x88, 0x88, 0x9B, 0xCA, 0xAD, 0xB9, 30, 0, 2, 4, 60, 0, 0, 0,
        ],
    ),
    (
        "viriformat",
        &[
            0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0x16, 0x42, 0x25, 0x61, 0, 0, 0, 0, 0x88, 0x88,
            0x88, 0x88, 0x9E, 0xCA, 0xAD, 0xE9, 0x40, 0, 1, 0, 0, 0, 2, 0, 0x0C, 0x07, 0x0A, 0,
            0x34, 0x09, 0x14, 0, 0x46, 0x05, 0xE2, 0xFF, 0x39, 0x0A, 0xFF, 0x7F, 0, 0, 0, 0,
        ],
    ),
    (
        "pgn",
        b"[Event \"?\"]\n[FEN \"rn2k2r/8/8/8/8/8/P6p/R3K3 w Qkq - 0 10\"]\n[Result \"0-1\"]\n\n\
          10. O-O-O {+0.35/12 1.2s} h1=Q+ {[%eval #-3]} 11. Kb2 {-M4/9} (11. Kc2 Q1h2) Qxd1 $4 ; end\n0-1\n",
    ),
    (
        "binpack",
        &[
            b'B', b'I', b'N', b'P', 36, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0x2D, 0x84,
            0x4A, 0xD2, 0, 0, 0, 0, 0x11, 0x11, 0x11, 0x11, 0x3E, 0x95, 0x5B, 0xE3, 0x0C, 0x70, 0,
            40, 0x80, 0, 0, 0, 0, 1, 0x40, 0,
        ],
    ),
];
