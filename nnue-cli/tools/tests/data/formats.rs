//! What each format says of its positions, and what is refused.

use bulletformat::ChessBoard;
use nnue_tools::data::{EvalUnit, Format, GameResult, Input, Options, Record};
use viriformat::chess::board::{Board, DrawType, GameOutcome, WinType};
use viriformat::chess::chessmove::{Move, MoveFlags};
use viriformat::chess::piece::PieceType;
use viriformat::chess::types::Square;
use viriformat::dataformat::Game;

use super::reading::{Scratch, bad, batches, converted, good, read};

fn only(text: &str) -> Record {
    let records = good(Format::Text, text.as_bytes());
    assert_eq!(records.len(), 1, "{text}");
    records[0]
}

#[test]
fn text_has_a_score_and_a_result() {
    const FEN: &str = "4k3/8/8/8/4p3/8/3P4/4K3 b - - 3 40";
    let record = only(&format!("\u{feff}{FEN} | -35 | 1.0\r\n"));
    assert_eq!(record.to_string(), FEN);
    assert_eq!(
        (record.score, record.result),
        (Some(-35.0), Some(GameResult::White))
    );
    assert_eq!((record.points(), record.rest.ply), (Some(0.0), Some(79)));
    for (rest, score, points) in [
        ("", None, None),
        (" | 12.0", Some(12.0), None),
        (" | - | 0.5", None, Some(0.5)),
        ("|0|0", Some(0.0), Some(1.0)),
    ] {
        let record = only(&format!("{FEN}{rest}"));
        assert_eq!((record.score, record.points()), (score, points), "{rest}");
    }
    // What FEN says and no network sees comes out as it went in.
    for fen in [
        "r3k2r/8/8/8/4pP2/8/8/R3K2R b KQkq f3 0 12",
        "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - -",
    ] {
        assert_eq!(only(fen).to_string(), fen);
    }
    assert_eq!(
        only("4k3/8/8/8/8/8/8/4K3 w").to_string(),
        "4k3/8/8/8/8/8/8/4K3 w - -"
    );
    assert!(good(Format::Text, b"# a comment\n\n").is_empty());
}

#[test]
fn lines_that_are_no_positions_are_named() {
    let text = "4k3/8/8/8/8/8/8/4K3 w\n\n8/8 w\n4k3/8/8/8/8/8/8/4K3 w | x\n\
                4k3/8/8/8/8/8/8/4K3 w | 1 | 2\n4k3/8/8/8/8/8/8/4K3 w | 1 | 1 | 1\n\
                4k3/8/8/8/8/8/8/4K3 w | inf | 1\n";
    for (bad, (line, words)) in bad(Format::Text, text.as_bytes()).iter().zip([
        (3, "found 2 ranks"),
        (4, "the score is `x`, expected centipawns"),
        (5, "the result is `2`, allowed are 1.0, 0.5 and 0.0"),
        (6, "found 4 fields, allowed are 1 to 3"),
        (7, "the score is `inf`"),
    ]) {
        assert!(bad.place.starts_with(&format!("line {line} of `")), "{bad}");
        assert!(bad.wrong.starts_with(words), "{bad}");
    }
    assert_eq!(bad(Format::Text, text.as_bytes()).len(), 5);
    assert!(
        bad(Format::Text, b"\xFF\xFD")[0]
            .wrong
            .contains("not UTF-8")
    );
}

/// Bytes of a record as the crate of bullet has it.
fn bytes(board: &ChessBoard) -> Vec<u8> {
    let mut bytes = board.occ.to_le_bytes().to_vec();
    bytes.extend(board.pcs);
    bytes.extend(board.score.to_le_bytes());
    bytes.extend([board.result, board.ksq, board.opp_ksq]);
    bytes.extend(board.extra);
    bytes
}

/// Boards on which black is to move are turned.
#[test]
fn bulletformat_is_seen_by_the_side_to_move() {
    // The text of that crate has white's scores.
    let white: ChessBoard = "4k3/8/8/2q5/8/8/3P4/4K3 w - - 0 1 | 35 | 1.0"
        .parse()
        .expect("a board");
    let black: ChessBoard = "4k3/8/8/2q5/8/8/3P4/4K3 b - - 0 1 | 35 | 1.0"
        .parse()
        .expect("a board");
    let file = [bytes(&white), bytes(&black)].concat();
    let records = good(Format::Bullet, &file);
    let found: Vec<_> = records
        .iter()
        .map(|record| (record.to_string(), record.score, record.points()))
        .collect();
    assert_eq!(
        found,
        [
            (
                "4k3/8/8/2q5/8/8/3P4/4K3 w - -".into(),
                Some(35.0),
                Some(1.0)
            ),
            (
                "4k3/3p4/8/8/2Q5/8/8/4K3 w - -".into(),
                Some(-35.0),
                Some(0.0)
            ),
        ]
    );
    assert_eq!(records[0].rest.ply, None);
}

#[test]
fn damaged_records_of_bulletformat_are_named() {
    let board: ChessBoard = "4k3/8/8/8/8/8/3P4/4K3 w - - 0 1 | 35 | 1.0"
        .parse()
        .expect("a board");
    let mut bad_board = board;
    for (damage, words) in [
        (
            (|board| board.result = 3) as fn(&mut ChessBoard),
            "the result is 3, allowed are 0, 1 and 2",
        ),
        (|board| board.occ = u64::MAX, "found 64 pieces"),
        (|board| board.occ ^= 1 << 4, "found "),
        (|board| board.pcs[0] |= 7, "found a piece of the kind 7"),
    ] {
        bad_board.clone_from(&board);
        damage(&mut bad_board);
        let file = [bytes(&board), bytes(&bad_board)].concat();
        let bad = bad(Format::Bullet, &file);
        assert!(bad[0].place.starts_with("record 2 of `"), "{}", bad[0]);
        assert!(bad[0].wrong.starts_with(words), "{}", bad[0]);
    }
    let bad = bad(Format::Bullet, &[bytes(&board), vec![0; 5]].concat());
    assert_eq!(bad[0].wrong, "found 5 bytes, expected 32");
}

fn board_of(fen: &str) -> Board {
    let mut board = Board::new();
    board.set_from_fen(fen, false).expect("a position");
    board
}

/// A game as the crate of Viridithas writes it: castling, en passant, a promotion.
fn game() -> (Vec<u8>, Vec<(String, f32, bool)>) {
    let start = "4k3/1P6/8/8/3p4/8/4P3/4K2R w K - 0 10";
    let mut board = board_of(start);
    let mut game = Game::new(&board);
    let mut expected = Vec::new();
    for (played, score, is_tactical) in [
        (Move::new(Square::E2, Square::E4), 10, false),
        (
            Move::new_with_flags(Square::D4, Square::E3, MoveFlags::EnPassant),
            20,
            true,
        ),
        (
            Move::new_with_flags(Square::E1, Square::H1, MoveFlags::Castle),
            30,
            false,
        ),
        (Move::new(Square::E8, Square::D7), 40, false),
        (
            Move::new_with_promo(Square::B7, Square::B8, PieceType::Queen),
            50,
            true,
        ),
    ] {
        let is_white = expected.len() % 2 == 0;
        let score_of_mover = f32::from(score) * if is_white { 1.0 } else { -1.0 };
        expected.push((board.to_string(), score_of_mover, is_tactical));
        game.add_move(played, score);
        board.make_move_simple(played);
    }
    game.set_outcome(GameOutcome::WhiteWin(WinType::Adjudication));
    let mut file = Vec::new();
    game.serialise_into(&mut file).expect("memory");
    let mut draw = Game::new(&board_of(start));
    draw.add_move(Move::new(Square::E1, Square::F1), 0);
    draw.set_outcome(GameOutcome::Draw(DrawType::FiftyMoves));
    draw.serialise_into(&mut file).expect("memory");
    (file, expected)
}

#[test]
fn viriformat_is_what_its_crate_writes() {
    let (file, expected) = game();
    let records = good(Format::Viri, &file);
    assert_eq!(records.len(), expected.len() + 1);
    for (record, (fen, score, is_tactical)) in records.iter().zip(&expected) {
        let own: Vec<String> = record.to_string().split(' ').map(String::from).collect();
        let fields: Vec<&str> = fen.split(' ').collect();
        assert_eq!(own[..2], fields[..2], "{fen}");
        assert_eq!(own[3..], fields[3..], "{fen}");
        assert_eq!(
            (record.score, record.tactical),
            (Some(*score), Some(*is_tactical))
        );
        assert_eq!(record.result, Some(GameResult::White));
    }
    assert_eq!(records[0].rest.ply, Some(18));
    assert_eq!(records[1].rest.ply, Some(19));
    let last = records.last().expect("the other game");
    assert_eq!(
        (last.result, last.rest.ply),
        (Some(GameResult::Draw), Some(18))
    );
}

#[test]
fn damaged_games_of_viriformat_are_named() {
    let (file, _) = game();
    let second = 32 + 4 * 6;
    for (place, byte, words) in [
        (second + 30, 3, "the result is 3"),
        (second + 8, 7, "found a piece of the kind 7"),
        (second + 24, 65, "the en passant square is 65"),
        (second, 0xFF, "no game reaches the first position"),
        (second + 32, 0xFF, "half move 1 is "),
    ] {
        let mut file = file.clone();
        file[place] = byte;
        let bad = bad(Format::Viri, &file);
        assert_eq!(bad.len(), 1, "{words}");
        assert!(bad[0].place.starts_with("game 2 of `"), "{}", bad[0]);
        assert!(bad[0].wrong.starts_with(words), "{}", bad[0]);
    }
    let bad = bad(Format::Viri, &file[..file.len() - 1]);
    assert!(
        bad[0].wrong.starts_with("the file ends within the game"),
        "{}",
        bad[0]
    );
}

const GAMES: &str = r#"
[Event "a match"]
[Result "1-0"]
[FEN "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR w KQkq - 2 3"]

3. Qh5 {+0.35/12 1.2s, n=1234} g6 {-0.20/11 0.9s} 4. Qf3 {book} Nf6?! ; a comment
5.Qb3 {+M5/20 1s} (5. d3 {+9.00/9} Bg7) Qe7 {-M4/9, White mates} 6. Bxf7+ $1 1-0

[Event "studies"]
[Result "1/2-1/2"]

1. e4 { [%eval 0.17] [%clk 0:10:00] } e5 { [%eval #-3] } 2. 0-0 1/2-1/2
"#;

/// What is said after a move is of the position before it, or after it.
#[test]
fn pgn_has_evaluations_in_comments() {
    let games = GAMES.replace("2. 0-0 1", "2. Nf3 1");
    let records = good(Format::Pgn, games.as_bytes());
    let scores: Vec<_> = records.iter().map(|record| record.score).collect();
    assert_eq!(
        scores,
        [
            Some(35.0),
            Some(-20.0),
            None,
            None,
            Some(31995.0),
            Some(-31996.0),
            None,
            None,
            // White's 0.17, with black to move; then a lost position of white's.
            Some(-17.0),
            Some(-31997.0),
        ]
    );
    let tactical: Vec<_> = records
        .iter()
        .map(|record| record.tactical == Some(true))
        .collect();
    assert_eq!(tactical.iter().position(|is| *is), Some(6));
    assert_eq!(records[0].result, Some(GameResult::White));
    assert_eq!(records[9].result, Some(GameResult::Draw));
    assert_eq!(records[0].rest.ply, Some(4));
    assert_eq!(records[7].rest.ply, Some(0));
}

#[test]
fn games_that_cannot_be_played_are_named() {
    let bad = bad(Format::Pgn, GAMES.as_bytes());
    assert_eq!(bad.len(), 1);
    assert!(
        bad[0].place.starts_with("the game on line 9 of `"),
        "{}",
        bad[0]
    );
    assert!(
        bad[0]
            .wrong
            .starts_with("found `0-0`, expected a legal move in `"),
        "{}",
        bad[0]
    );
    for (text, words) in [
        ("1. e4 {never", "a comment does not end"),
        ("1. e4 ) e5", "found `)` without `(`"),
        ("1. e4 (1. d4 d5 2. c4", "a variation does not end"),
        (
            "[Result \"1-0\"]\n\n1. e4 e5 0-1",
            "the moves end with `0-1`, and the tag Result says otherwise",
        ),
        ("[FEN \"8/8 w\"]\n\n1. e4", "the tag FEN is `8/8 w`"),
    ] {
        let bad = super::reading::bad(Format::Pgn, text.as_bytes());
        assert!(bad[0].wrong.starts_with(words), "{}", bad[0]);
    }
}

/// Long files come in chunks, whose lines and games are counted on.
#[test]
fn places_are_counted_through_all_chunks() {
    let line = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | 12 | 0.5\n";
    let text = format!("{}8/8 w\n", line.repeat(20_000));
    assert!(
        bad(Format::Text, text.as_bytes())[0]
            .place
            .starts_with("line 20001 of")
    );
    let (game, _) = game();
    let mut games = game.repeat(4000);
    let len = games.len();
    games[len - 10] = 9;
    games[len - 6] = 0xFF;
    assert!(
        bad(Format::Viri, &games)[0]
            .place
            .starts_with("game 8000 of")
    );
    let games = format!(
        "{}{GAMES}",
        GAMES.replace("2. 0-0 1", "2. Nf3 1").repeat(1500)
    );
    let bad = bad(Format::Pgn, games.as_bytes());
    let lines = GAMES.lines().count();
    assert_eq!(bad.len(), 1);
    assert!(
        bad[0]
            .place
            .starts_with(&format!("the game on line {} of", 1500 * lines + 9)),
        "{}",
        bad[0]
    );
}

/// A board whose occupied squares are the first four bytes of gzip is a board.
#[test]
fn boards_are_not_taken_for_gzip() {
    const FEN: &str = "4k3/8/8/8/8/3P4/PP1P3P/RNBQK3 w - - 0 1";
    let board: ChessBoard = format!("{FEN} | 35 | 1.0").parse().expect("a board");
    let bullet = bytes(&board);
    let mut game = Game::new(&board_of(FEN));
    game.add_move(Move::new(Square::E1, Square::F1), 0);
    game.set_outcome(GameOutcome::Draw(DrawType::FiftyMoves));
    let mut viri = Vec::new();
    game.serialise_into(&mut viri).expect("memory");
    for (format, file) in [(Format::Bullet, bullet), (Format::Viri, viri)] {
        assert!(file.starts_with(&[0x1F, 0x8B, 8, 0]), "{format}");
        let fen = good(format, &file)[0].to_string();
        assert!(
            fen.starts_with("4k3/8/8/8/8/3P4/PP1P3P/RNBQK3 w - -"),
            "{fen}"
        );
    }
}

/// The same bytes, compressed.
#[test]
fn what_gzip_has_compressed_is_unpacked() {
    use std::io::Write;
    let (game, expected) = game();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&game).expect("memory");
    let packed = packed.finish().expect("memory");
    assert_eq!(good(Format::Viri, &packed).len(), expected.len() + 1);
    let torn = Scratch::new(&packed[..packed.len() / 2]);
    let error = Input::open(&torn.0, Some(Format::Viri)).expect_err("half of it is there");
    assert!(error.to_string().starts_with("cannot read `"), "{error}");
}

/// Text that a terminal would obey or not show, and more of it than anyone reads.
#[test]
fn messages_show_little_of_a_file_and_nothing_that_a_terminal_obeys() {
    const KINGS: &str = "4k3/8/8/8/8/8/8/4K3";
    for evil in [
        "\x1b[31m\x07\u{202e}\u{200b}".to_string(),
        "x".repeat(1 << 20),
    ] {
        let text = [
            format!("{evil} w"),
            format!("{KINGS} {evil}"),
            format!("{KINGS} w {evil}"),
            format!("{KINGS} w - {evil}"),
            format!("{KINGS} w - - 0{evil}"),
            format!("{KINGS} w - - 0 1 | {evil}"),
            format!("{KINGS} w - - 0 1 | 1 | {evil}"),
        ];
        let pgn = [
            evil.clone(),
            format!("1. e4{evil}"),
            format!("[FEN \"{evil}\"]\n\n1. e4"),
        ];
        let text = text.map(|text| (Format::Text, text));
        for (format, content) in text.into_iter().chain(pgn.map(|pgn| (Format::Pgn, pgn))) {
            let message = bad(format, content.as_bytes())[0].to_string();
            assert!(message.len() < 600, "{} bytes", message.len());
            let hidden = |letter: char| letter.is_control() || "\u{202e}\u{200b}".contains(letter);
            assert!(!message.contains(hidden), "{message:?}");
        }
    }
}

#[test]
fn games_are_on_their_lines_behind_any_number_of_blank_ones() {
    let blank = "\r\n".repeat(1 << 18);
    let pgn = format!("{blank}[Event \"1\"]\n\n1. e4 *\n{blank}[Event \"2\"]\n\n1. e5 *\n");
    let (records, counts) = read(Format::Pgn, pgn.as_bytes());
    assert_eq!(records.expect("a game").len(), 1);
    let place = &counts.examples[0].place;
    let line = 2 * (1 << 18) + 4;
    assert!(
        place.starts_with(&format!("the game on line {line} of `")),
        "{place}"
    );
}

/// The records of a game in PGN that has only these moves and comments.
fn of_moves(moves: &str) -> Vec<Record> {
    good(
        Format::Pgn,
        format!("[Result \"1-0\"]\n\n{moves} 1-0\n").as_bytes(),
    )
}

/// A text of pawns would be one of scores that are nearly zero.
#[test]
fn the_unit_of_scores_with_a_decimal_point_is_asked_for() {
    let text = "4k3/8/8/8/8/8/8/4K3 w - - | 0.35 | 1.0\n4k3/8/8/8/8/8/8/4K3 w - - | -2.00 | 0.0\n";
    let bad = bad(Format::Text, text.as_bytes());
    let expected = "found the score `0.35` with a decimal point: `--eval-unit` says whether";
    assert!(bad[0].wrong.starts_with(expected), "{}", bad[0]);
    assert_eq!(bad.len(), 1);
    let file = Scratch::new(text.as_bytes());
    for (unit, expected) in [
        (EvalUnit::Pawns, [35.0, -200.0]),
        (EvalUnit::Centipawns, [0.35, -2.0]),
    ] {
        let input = file.input(Format::Text).with_eval_unit(Some(unit));
        let (found, _) = batches(
            vec![input],
            &Options {
                shuffle: None,
                ..Options::default()
            },
        );
        let records = found.expect("positions").concat();
        let scores = records.iter().filter_map(|record| record.score);
        assert_eq!(scores.collect::<Vec<_>>(), expected);
    }
}

#[test]
fn comments_of_openbench_are_scores() {
    let records = of_moves(
        "1. Nf3 {+0.57 17/28 583 363004} d5 {-0.57 17/22 520 671767} 2. g3 {+M12 20/30 100 200} Nf6",
    );
    let scores: Vec<_> = records.iter().map(|record| record.score).collect();
    assert_eq!(scores, [Some(57.0), Some(-57.0), Some(31988.0), None]);
}

/// Whole numbers are hundredths if the file has nothing else, which is said.
#[test]
fn the_unit_of_evaluations_is_found_or_asked_for() {
    const WHOLE: &str = "1. d4 {[%eval 25,18]} d5 {[%eval 30,20]} 2. c4 *\n";
    let (records, counts) = read(Format::Pgn, WHOLE.as_bytes());
    let scores = |records: &[Record]| {
        records
            .iter()
            .map(|record| record.score)
            .collect::<Vec<_>>()
    };
    let records = records.expect("a game");
    assert_eq!(scores(&records), [None, Some(-25.0), Some(30.0)]);
    assert_eq!(counts.notes.len(), 1);
    let note = &counts.notes[0];
    for words in ["`[%eval 25,18]`", "hundredths of a pawn", "`--eval-unit`"] {
        assert!(note.contains(words), "{note}");
    }
    // Pawns, because another evaluation has a decimal point, which is said too.
    let pawns =
        format!("1. e4 {{[%eval 0.2]}} *\n\n[Event \"2\"]\n\n{WHOLE}\n[Event \"3\"]\n\n1. e4 *\n");
    let (records, counts) = read(Format::Pgn, pawns.as_bytes());
    assert_eq!(scores(&records.expect("games"))[2], Some(-2500.0));
    assert!(counts.notes[0].contains("are taken for pawns, as others have a decimal point"));
    // The user says it.
    let file = Scratch::new(WHOLE.as_bytes());
    for (unit, score) in [(EvalUnit::Pawns, 3000.0), (EvalUnit::Centipawns, 30.0)] {
        let input = file.input(Format::Pgn).with_eval_unit(Some(unit));
        let (found, counts) = batches(
            vec![input],
            &Options {
                shuffle: None,
                ..Options::default()
            },
        );
        let records = found.expect("a game").concat();
        assert_eq!(records[2].score, Some(score));
        assert!(counts.notes.is_empty());
    }
    // The start of a file says nothing, and so nobody knows.
    let late = format!("{}{WHOLE}", "[Event \"1\"]\n\n1. e4 *\n\n".repeat(40_000));
    let late = late.replace("1. d4", "[Event \"2\"]\n\n1. d4");
    let wrong = &bad(Format::Pgn, late.as_bytes())[0].wrong;
    assert!(
        wrong.contains("`--eval-unit` says whether it counts"),
        "{wrong}"
    );
}

/// Pieces explode in some of them, and go elsewhere in others.
#[test]
fn games_of_variants_are_refused_by_name() {
    for variant in ["Atomic", "Crazyhouse", "3-check", "Racing Kings"] {
        let game = format!("[Variant \"{variant}\"]\n[FEN \"what that game has\"]\n\n1. e4 *\n");
        let wrong = &bad(Format::Pgn, game.as_bytes())[0].wrong;
        let expected =
            format!("the variant of the game is `{variant}`, allowed are chess and Chess960");
        assert_eq!(*wrong, expected);
    }
    for variant in [
        "Standard",
        "chess",
        "From Position",
        "Chess960",
        "fischerandom",
        "chess 960",
    ] {
        let game = format!("[Variant \"{variant}\"]\n\n1. e4 *\n");
        assert_eq!(good(Format::Pgn, game.as_bytes()).len(), 1, "{variant}");
    }
}

#[test]
fn oddities_of_pgn_are_read() {
    for (file, moves) in [
        ("\u{feff}[White \"one\"]\r\n\r\n1. e4 e5 1-0\r\n", 2),
        (
            "% skipped\n[Result \"1-0\"]\n\n1. e4\n% 1. d4 {\ne5 1-0\n",
            2,
        ),
        ("\u{feff}% skipped\n\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n", 2),
        ("1. e4 ! e5 ?! 2. Nf3 $14 *\n", 3),
        (
            "[FEN \"4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1\"]\n\n1... d5 2. exd6 e.p. Kd7 *\n",
            3,
        ),
        (
            "[FEN \"8/P3k3/8/8/8/8/p7/4K3 w - -\"]\n\n1. a8(Q) a1=n (1... a1(Q)) 2. Qe4+ *\n",
            3,
        ),
        ("1. e4 f6 2. d3 g5 3. Qh5++ 1-0\n", 5),
    ] {
        let (records, counts) = read(Format::Pgn, file.as_bytes());
        assert_eq!(
            records.map_or(0, |records| records.len()),
            moves,
            "{file:?}: {counts:?}"
        );
    }
    let drawn = good(Format::Pgn, b"[Result \"1/2\"]\n\n1. e4 1/2\n");
    assert_eq!(drawn[0].result, Some(GameResult::Draw));
    let drawn = good(Format::Pgn, b"1. e4 1/2\n");
    assert_eq!(drawn[0].result, Some(GameResult::Draw));
    let null = &bad(Format::Pgn, b"1. e4 -- 2. d4 *\n")[0].wrong;
    assert!(null.starts_with("found the null move `--`: "), "{null}");
}

/// Whatever text and `nnue eval` read, tags read too.
#[test]
fn tags_have_any_fen() {
    for fen in [
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -",
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 0",
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2;",
        "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 2",
        "rkbqnbrn/pppppppp/8/8/8/8/PPPPPPPP/RKBQNBRN w KQkq - 0 1",
    ] {
        let game = format!("[FEN \"{fen}\"]\n\n2. a3 d6 *\n");
        assert_eq!(good(Format::Pgn, game.as_bytes()).len(), 2, "{fen}");
    }
    let wrong = "[FEN \"4k3/8/8/8/8/8/8/4K3 w KQ - 0 1\"]\n\n1. Kd1 *\n";
    let wrong = &bad(Format::Pgn, wrong.as_bytes())[0].wrong;
    assert!(wrong.ends_with("the castling field has the right `K`, but the king of white on e1 has no such rook on its rank"), "{wrong}");
}

/// Text that is made of a game: an ordinary one, one of Chess960, and a score of 0 for black.
#[test]
fn text_of_games_has_usual_rights_and_no_minus_zero() {
    let text = |game: &str| {
        let text = converted(Format::Pgn, game.as_bytes(), Format::Text);
        String::from_utf8(text).expect("text")
    };
    assert_eq!(
        text("[Result \"1-0\"]\n\n1. e4 {[%eval 0.0]} e5 {[%eval -0.0]} 2. d4 1-0\n"),
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 | - | 1.0\n\
         rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1 | 0 | 1.0\n\
         rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2 | 0 | 1.0\n"
    );
    const CHESS960: &str = "rkbqnbrn/pppppppp/8/8/8/8/PPPPPPPP/RKBQNBRN w KQkq - 0 1";
    let game = format!("[FEN \"{CHESS960}\"]\n\n1. a3 {{-0.00/9}} *\n");
    let expected = format!("{} | 0 | -\n", CHESS960.replace("KQkq", "GAga"));
    assert_eq!(text(&game), expected);
}

#[test]
fn files_of_other_formats_are_named() {
    for (format, content, words) in [
        (
            Format::Text,
            &b"fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1\nmove e1e2\n"[..],
            "Stockfish's plain text",
        ),
        (Format::Text, b"[White \"one\"]\n\n1. e4 *\n", "found a PGN"),
    ] {
        let (result, _) = read(format, content);
        let message = result.expect_err("another format").to_string();
        assert!(message.contains(words), "{message}");
    }
}
