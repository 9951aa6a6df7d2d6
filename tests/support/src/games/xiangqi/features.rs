//! The features of Pikafish's network: how a player sees the board, what is active, what a move
//! changes, and the stack.

use nnue_runtime::{Color, FeatureChanges};

use super::attacks::{TABLES, rank_of};
use super::board::{Board, Kind, Square, Squares, each, just};
use super::rows::{ROWS, THREAT_ROWS, Threat};

/// How a player sees the board: from its own side, and maybe mirrored; and the bucket of its
/// pieces' rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    player: Color,
    mirrored: bool,
    bucket: u32,
}

impl View {
    /// The view of a player, whose king is on the board.
    #[must_use]
    pub fn of(board: &Board, player: Color) -> View {
        let mirrored = is_mirrored(board, player);
        let has = |kind| board.places(player, kind) != 0;
        let attackers =
            2 * u32::from(has(Kind::Rook)) + u32::from(has(Kind::Knight) || has(Kind::Cannon));
        let king = king(board, player);
        let in_middle = u32::from(king % 9 == 4);
        let king = 2 * rank_of(king, player) as u32 + in_middle;
        View {
            player,
            mirrored,
            bucket: 4 * king + attackers,
        }
    }

    /// The number of the view as the evaluator takes it.
    #[must_use]
    pub fn number(self) -> u32 {
        2 * self.bucket + u32::from(self.mirrored)
    }

    /// A square as the player sees it.
    fn square(self, square: Square) -> Square {
        let rank = rank_of(square, self.player);
        let file = square % 9;
        9 * rank + if self.mirrored { 8 - file } else { file }
    }

    /// The features of the pieces on some squares, which follow those of threats.
    fn pieces(self, board: &Board, squares: Squares) -> impl Iterator<Item = u32> {
        let rows = &*ROWS;
        each(squares).filter_map(move |square| {
            let piece = board.on(square)?.seen_by(self.player);
            Some(THREAT_ROWS + rows.of_piece(piece, self.square(square))?)
        })
    }

    /// The features of threats.
    fn threats(self, threats: &[Threat]) -> impl Iterator<Item = u32> {
        let rows = &*ROWS;
        threats.iter().filter_map(move |threat| {
            rows.of_threat(&Threat {
                attacker: threat.attacker.seen_by(self.player),
                from: self.square(threat.from),
                victim: threat.victim.seen_by(self.player),
                to: self.square(threat.to),
            })
        })
    }
}

fn king(board: &Board, player: Color) -> Square {
    board.places(player, Kind::King).trailing_zeros() as Square
}

/// Whether a player sees the board mirrored: its king is on the right or, if that is in the middle,
/// the opponent's king; if both are, its pieces are heavier on the right, or else the opponent's.
fn is_mirrored(board: &Board, player: Color) -> bool {
    let players = [player, !player];
    let files = players.map(|player| king(board, player) % 9);
    match files.into_iter().find(|file| *file != 4) {
        Some(file) => file > 4,
        None => {
            let mut balances = players.into_iter().map(|player| balance(board, player));
            balances.find(|balance| *balance != 0).unwrap_or(0) < 0
        }
    }
}

/// What a player's pieces weigh on the left more than on the right. Kings weigh nothing.
fn balance(board: &Board, player: Color) -> i64 {
    let mut balance = 0;
    for (kind, coarse, fine) in [
        (Kind::Advisor, 60, 36),
        (Kind::Bishop, 57, 29),
        (Kind::Pawn, 53, 21),
        (Kind::Knight, 50, 14),
        (Kind::Cannon, 47, 7),
        (Kind::Rook, 44, 0),
    ] {
        for square in each(board.places(player, kind)) {
            let (file, rank) = ((square % 9) as i64, rank_of(square, player) as i64);
            let from_edge = file.min(8 - file);
            let weight = (1 << coarse) + ((10 * (3 - from_edge) + rank) << fine);
            balance += (4 - file).signum() * weight;
        }
    }
    balance
}

/// Lists the threats of the piece on a square to those on others.
fn list(board: &Board, from: Square, victims: Squares, threats: &mut Vec<Threat>) {
    let Some(attacker) = board.on(from) else {
        return;
    };
    threats.extend(each(victims).filter_map(|to| {
        Some(Threat {
            attacker,
            from,
            victim: board.on(to)?,
            to,
        })
    }));
}

/// All threats on a board.
fn threats(board: &Board) -> Vec<Threat> {
    let mut threats = Vec::new();
    for from in each(board.occupied()) {
        list(board, from, TABLES.attacked(board, from), &mut threats);
    }
    threats
}

/// What the engine tells where a line starts: the views of white and black, and their active
/// features, which are threats and, from [`THREAT_ROWS`] on, pieces. Both kings are on the board.
#[must_use]
pub fn seen(board: &Board) -> ([u32; 2], [Vec<u32>; 2]) {
    let views = Color::ALL.map(|player| View::of(board, player));
    let threats = threats(board);
    let active = views.map(|view| {
        let pieces = view.pieces(board, board.occupied());
        view.threats(&threats).chain(pieces).collect()
    });
    (views.map(View::number), active)
}

/// What the engine tells of a move: the views after it, and the changes of features. Its lists keep
/// their memory from move to move.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    views: [u32; 2],
    added: [Vec<u32>; 2],
    removed: [Vec<u32>; 2],
    /// The threats that cease, and those that begin.
    threats: [Vec<Threat>; 2],
}

impl Changes {
    /// Finds what changes from a board to another, such as that after a move.
    pub fn find(&mut self, before: &Board, after: &Board) {
        let boards = [before, after];
        let changed = before.differences(after);
        self.threats.iter_mut().for_each(Vec::clear);
        for from in each(changed | TABLES.touched(after, changed)) {
            let attacked = boards.map(|board| TABLES.attacked(board, from));
            // A threat stays if the pieces of both squares do.
            let stay = match changed & just(from) {
                0 => attacked[0] & attacked[1] & !changed,
                _ => 0,
            };
            for (time, board) in boards.into_iter().enumerate() {
                list(board, from, attacked[time] & !stay, &mut self.threats[time]);
            }
        }
        for player in Color::ALL {
            let p = player.index();
            let views = boards.map(|board| View::of(board, player));
            self.views[p] = views[1].number();
            let lists = [&mut self.removed[p], &mut self.added[p]];
            for (time, list) in lists.into_iter().enumerate() {
                let (view, board) = (views[time], boards[time]);
                list.clear();
                if views[0].mirrored == views[1].mirrored {
                    list.extend(view.threats(&self.threats[time]));
                    list.extend(view.pieces(board, changed));
                } else {
                    list.extend(view.threats(&threats(board)));
                    list.extend(view.pieces(board, board.occupied()));
                }
            }
        }
    }

    /// The argument of the evaluator's `push`.
    #[must_use]
    pub fn step(&self) -> ([u32; 2], [FeatureChanges<'_>; 2]) {
        let changes = [0, 1].map(|p| FeatureChanges {
            added: &self.added[p],
            removed: &self.removed[p],
        });
        (self.views, changes)
    }
}

/// The stack of a position.
#[must_use]
pub fn stack(board: &Board) -> usize {
    let us = board.side_to_move();
    let count = |player, kind| board.places(player, kind).count_ones() as usize;
    let [own, others] = [us, !us].map(|player| count(player, Kind::Rook));
    let minor = |player| count(player, Kind::Knight) + count(player, Kind::Cannon);
    let [own_minor, others_minor] = [us, !us].map(minor);
    match (own, others) {
        _ if own == others => {
            let many = usize::from(own_minor + others_minor >= 4);
            4 * own + 2 * many + usize::from(own_minor == others_minor)
        }
        (_, 0) => 14,
        (0, _) => 15,
        (2.., _) => 12,
        _ => 13,
    }
}

/// Positions whose sums the description gives, or that follow from it by hand.
#[test]
fn wings_weigh_what_the_description_says() {
    for (fen, expected) in [
        ("4k4/9/4b4/9/9/6P2/9/2C6/9/4K4 w", -8_866_461_795_744_256),
        ("4k4/9/9/9/9/9/9/3A5/9/4K4 w", (1 << 60) + (2 << 36)),
        // The knights and the advisors of both wings weigh the same.
        (
            "4k4/9/9/9/9/9/9/9/9/RN1AKABN1 w",
            (1 << 44) + 30 - ((1 << 57) + (10 << 29)),
        ),
        ("4k4/9/9/9/9/9/9/9/1N7/4K4 w", (1 << 50) + (21 << 14)),
    ] {
        let board = Board::from_fen(fen).expect("a position");
        assert_eq!(balance(&board, Color::White), expected, "{fen}");
        assert_eq!(balance(&board, Color::Black), 0, "{fen}");
    }
}
