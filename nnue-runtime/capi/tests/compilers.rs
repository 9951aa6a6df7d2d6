//! Compilers of C and C++ accept the header.

use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use nnue_capi::{CMove, COutput, CPosition, CWdl, Line, Status};
use nnue_runtime::{Color, Delta, Piece, Ply, Role, Square};

use crate::header;

/// A folder with the header.
fn folder() -> &'static Path {
    // Tests run side by side: a header that was just being written has been read.
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("capi");
        std::fs::create_dir_all(&folder).expect("the folder for tests is writable");
        std::fs::write(folder.join("simple.h"), header()).expect("the same");
        folder
    });
    &FOLDER
}

/// The messages of a compiler about a file; `None` without such a compiler.
fn compiled(compiler: &str, file: &Path, options: &[&str]) -> Option<Output> {
    let strict = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"];
    let mut command = Command::new(compiler);
    let output = command.args(strict).args(options).arg(file).output();
    if output.is_err() {
        eprintln!("SKIPPED: there is no `{compiler}`, and nothing has compiled the header with it");
    }
    output.ok()
}

#[track_caller]
fn assert_sound(output: &Output) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

/// A program that checks the sizes and places of all fields while it is compiled, and writes moves.
fn program() -> String {
    let mut program = String::from("#include \"simple.h\"\n#include <stdio.h>\n");
    let mut assert = |left: String, right: usize| {
        // An array of a negative length is refused by every standard.
        let number = program.lines().count();
        program.push_str(&format!(
            "typedef char check_{number}[{left} == {right} ? 1 : -1];\n"
        ));
    };
    for (name, size) in [
        ("nnue_status", size_of::<Status>()),
        ("nnue_position", size_of::<CPosition>()),
        ("nnue_move", size_of::<CMove>()),
        ("nnue_output", size_of::<COutput>()),
        ("nnue_wdl", size_of::<CWdl>()),
        ("nnue_ply", size_of::<Ply>()),
        ("nnue_line", size_of::<Line>()),
    ] {
        assert(format!("sizeof({name})"), size);
    }
    for (structure, field, offset) in [
        ("nnue_position", "pieces", offset_of!(CPosition, pieces)),
        (
            "nnue_position",
            "side_to_move",
            offset_of!(CPosition, side_to_move),
        ),
        ("nnue_move", "removed", offset_of!(CMove, removed)),
        ("nnue_move", "added", offset_of!(CMove, added)),
        ("nnue_line", "first", offset_of!(Line, first)),
        ("nnue_line", "end", offset_of!(Line, end)),
        ("nnue_line", "limit", offset_of!(Line, limit)),
        ("nnue_output", "psqt", offset_of!(COutput, psqt)),
        ("nnue_output", "positional", offset_of!(COutput, positional)),
        ("nnue_output", "value", offset_of!(COutput, value)),
        ("nnue_wdl", "win", offset_of!(CWdl, win)),
        ("nnue_wdl", "draw", offset_of!(CWdl, draw)),
        ("nnue_wdl", "loss", offset_of!(CWdl, loss)),
    ] {
        assert(format!("offsetof({structure}, {field})"), offset);
    }
    for (name, code) in [
        ("NNUE_OK", Status::OK),
        ("NNUE_NULL_POINTER", Status::NULL_POINTER),
        ("NNUE_NET_FILE", Status::NET_FILE),
        ("NNUE_LEVEL", Status::LEVEL),
        ("NNUE_POSITION", Status::POSITION),
        ("NNUE_MOVE", Status::MOVE),
        ("NNUE_BUCKET", Status::BUCKET),
    ] {
        assert(name.into(), code.0 as usize);
    }
    let named = ["PAWN", "KNIGHT", "BISHOP", "ROOK", "QUEEN", "KING"];
    for piece in Piece::ALL {
        let color = ["WHITE", "BLACK"][piece.color.index()];
        assert(
            format!("NNUE_{color}_{}", named[piece.role.index()]),
            piece.index(),
        );
    }
    program.push_str(
        "static void show(nnue_move move) {\n\
             nnue_ply ply;\n\
             nnue_line line;\n\
             line.end = &ply;\n\
             nnue_line_make(&line, move);\n\
             printf(\"%llu %llu %llu %llu\\n\", (unsigned long long)ply.removed,\n\
                 (unsigned long long)ply.added, (unsigned long long)ply.views,\n\
                 (unsigned long long)ply.computed);\n\
         }\n\
         int main(void) {\n    uint8_t squares[64] = {0};\n    int i;\n",
    );
    for (call, _) in moves() {
        program.push_str(&format!("    show({call});\n"));
    }
    for call in wrong_moves() {
        program.push_str(&format!("    show({call});\n"));
    }
    program.push_str(
        "    {\n\
         nnue_move many = nnue_null_move();\n\
         nnue_position position;\n\
         uint64_t colors[2] = {0xFF00, 1}, roles[6] = {0x0F01, 0xF000, 0, 0, 0, 0};\n\
         for (i = 0; i < 5; i++) nnue_remove(&many, 0, i);\n\
         show(many);\n\
         for (i = 0; i < 64; i++) squares[i] = NNUE_NO_PIECE;\n\
         squares[63] = NNUE_BLACK_KING; squares[0] = NNUE_WHITE_ROOK;\n\
         position = nnue_position_of_mailbox(squares, NNUE_BLACK);\n\
         printf(\"%llx %llx %d\\n\", (unsigned long long)position.pieces[11],\n\
             (unsigned long long)position.pieces[3], position.side_to_move);\n\
         position = nnue_position_of_sets(colors, roles, NNUE_WHITE);\n\
         printf(\"%llx %llx %llx %d\\n\", (unsigned long long)position.pieces[0],\n\
             (unsigned long long)position.pieces[1], (unsigned long long)position.pieces[6],\n\
             position.side_to_move);\n\
         }\n    return 0;\n}\n",
    );
    program
}

/// Calls of the header's functions, with the deltas that they stand for.
fn moves() -> Vec<(String, Delta)> {
    let piece = |color, role| Piece::new(color, role);
    let (white, black) = (Color::White, Color::Black);
    let mut moves = vec![
        ("nnue_null_move()".into(), Delta::null()),
        (
            "nnue_capture(NNUE_WHITE_PAWN, 36, 43, NNUE_BLACK_PAWN, 35)".into(),
            Delta::capture(
                piece(white, Role::Pawn),
                Square::E5,
                Square::D6,
                piece(black, Role::Pawn),
                Square::D5,
            ),
        ),
        (
            "nnue_promotion(NNUE_BLACK_KNIGHT, 8, 0, NNUE_NO_PIECE)".into(),
            Delta::promotion(black, Square::A2, Square::A1, Role::Knight, None),
        ),
        (
            "nnue_promotion(NNUE_WHITE_QUEEN, 48, 57, NNUE_BLACK_ROOK)".into(),
            Delta::promotion(
                white,
                Square::A7,
                Square::B8,
                Role::Queen,
                Some(piece(black, Role::Rook)),
            ),
        ),
        (
            "nnue_castling(NNUE_BLACK, 60, 58, 56, 59)".into(),
            Delta::castling(black, Square::E8, Square::C8, Square::A8, Square::D8),
        ),
        (
            "nnue_castling(NNUE_WHITE, 6, 6, 7, 5)".into(),
            Delta::castling(white, Square::G1, Square::G1, Square::H1, Square::F1),
        ),
        (
            "nnue_castling(NNUE_WHITE, 5, 6, 6, 5)".into(),
            Delta::castling(white, Square::F1, Square::G1, Square::G1, Square::F1),
        ),
        (
            "nnue_castling(NNUE_WHITE, 1, 2, 3, 3)".into(),
            Delta::castling(white, Square::B1, Square::C1, Square::D1, Square::D1),
        ),
    ];
    for piece in Piece::ALL {
        for (from, to) in [(Square::A1, Square::H8), (Square::D4, Square::E5)] {
            let call = format!(
                "nnue_quiet({}, {}, {})",
                piece.index(),
                from.index(),
                to.index()
            );
            moves.push((call, Delta::quiet(piece, from, to)));
        }
    }
    moves
}

fn wrong_moves() -> [&'static str; 6] {
    [
        "nnue_quiet(12, 0, 1)",
        "nnue_quiet(-1, 0, 1)",
        "nnue_quiet(0, 64, 1)",
        "nnue_quiet(0, 1, -1)",
        "nnue_capture(0, 0, 9, NNUE_NO_PIECE, 9)",
        "nnue_promotion(0, 0, 9, 13)",
    ]
}

#[test]
fn it_is_c_and_moves_are_those_of_rust() {
    let folder = folder();
    let (source, binary) = (folder.join("moves.c"), folder.join("moves"));
    std::fs::write(&source, program()).expect("the folder for tests is writable");
    let binary = binary.to_str().expect("the project's path is text");
    // Functions of the library are declared, but not called.
    let Some(output) = compiled("cc", &source, &["-std=c99", "-o", binary]) else {
        return;
    };
    assert_sound(&output);
    let printed = Command::new(binary).output().expect("it runs").stdout;
    let printed = String::from_utf8(printed).expect("text");
    let mut lines = printed.lines();
    let mut packed = || {
        let words = lines.next()?.split(' ').map(str::parse::<u64>);
        <[u64; 4]>::try_from(words.collect::<Result<Vec<_>, _>>().ok()?).ok()
    };
    for (call, delta) in moves() {
        let [removed, added, views, computed] = packed().expect("four numbers");
        assert_eq!(Delta::from_packed(removed, added), delta, "{call}");
        let ply = Ply::after(&Delta::from_packed(removed, added));
        // SAFETY: the fields of a ply fill all of its bytes, so that each of these has a value.
        let of_rust = unsafe { std::mem::transmute::<Ply, [u8; 32]>(ply) };
        let numbers = [removed, added, views, computed].map(u64::to_ne_bytes);
        assert_eq!(numbers.concat(), of_rust, "{call}");
    }
    for call in wrong_moves().into_iter().chain(["five pieces"]) {
        let [removed, ..] = packed().expect("four numbers");
        assert_ne!(removed & 0x80, 0, "{call}");
    }
    assert_eq!(lines.next(), Some("8000000000000000 1 1"));
    assert_eq!(lines.next(), Some("f00 f000 1 0"));
}

#[test]
fn it_is_c_plus_plus() {
    let folder = folder();
    let source = folder.join("owners.cpp");
    let program = "#include \"simple.h\"\n\
        int main() {\n\
            simple::network_ptr network = simple::open(\"x\");\n\
            nnue_position position{};\n\
            simple::evaluator_ptr evaluator = simple::evaluator(network, position);\n\
            simple::output output{};\n\
            return simple_evaluator_evaluate(evaluator.get(), &output);\n\
        }\n";
    std::fs::write(&source, program).expect("the folder for tests is writable");
    let options = [
        "-std=c++11",
        "-fsyntax-only",
        "-fno-exceptions",
        "-fno-rtti",
    ];
    for compiler in ["g++", "clang++"] {
        if let Some(output) = compiled(compiler, &source, &options) {
            assert_sound(&output);
        }
    }
}
