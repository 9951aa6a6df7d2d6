//! What networks are compared on: positions, games, lists of features.

use crate::seed::seeded;
use nnue_compiler::network::Network;
use nnue_runtime::{Board, Color, Delta, FeatureChanges};

use crate::goldens::golden_positions;
use fastrand::Rng;

/// Positions with more pieces than a game has, up to 64.
const CROWDED: [&str; 3] = [
    "qqqqkqqq/qqqqqqqq/rrrrrrrr/bbbbbbbb/BBBBBBBB/NNNNNNNN/QQQQQQQQ/QQQQKQQQ w - - 13 1",
    "rnbqkbnr/pPpPpPpP/PpPpPpPp/pPpPpPpP/PpPpPpPp/pPpPpPpP/PpPpPpPp/RNBQKBNR b - - 0 1",
    "rnbqkbnr/pppppppp/8/q1q1q3/2P1P1P1/8/PPPPPPPP/RNBQKBNR b - - 40 1",
];

/// Positions of all phases of the game, one out of `every` goldens, and some of no game.
pub(super) fn positions(every: usize) -> Vec<Board> {
    let goldens = golden_fens();
    let fens = goldens.iter().step_by(every).map(String::as_str);
    fens.chain(CROWDED)
        .map(|fen| Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}")))
        .collect()
}

fn golden_fens() -> Vec<String> {
    let goldens = golden_positions("synthetic/v5").unwrap_or_else(|error| panic!("{error}"));
    goldens.into_iter().map(|golden| golden.fen).collect()
}

/// A game: its positions, and the moves between them.
pub(super) struct Game {
    pub(super) boards: Vec<Board>,
    pub(super) deltas: Vec<Delta>,
}

/// Random games from the start and from some of the goldens, in which kings move further.
pub(super) fn games() -> Vec<Game> {
    let mut random = seeded(7);
    let fens = golden_fens();
    let others = fens.iter().skip(5).step_by(160);
    let starts = others.filter_map(|fen| cozy_chess::Board::from_fen(fen, false).ok());
    std::iter::once(cozy_chess::Board::startpos())
        .chain(starts)
        .map(|start| random_game(start, &mut random))
        .collect()
}

fn random_game(start: cozy_chess::Board, random: &mut Rng) -> Game {
    const PLIES: usize = 24;
    let mut board = start;
    let mut game = Game {
        boards: vec![copy(&board)],
        deltas: Vec::new(),
    };
    while game.deltas.len() < PLIES {
        let mut moves = Vec::new();
        board.generate_moves(|of_piece| {
            moves.extend(of_piece);
            false
        });
        if moves.is_empty() {
            break;
        }
        let chosen = moves[random.usize(..moves.len())];
        game.deltas.push(Delta::from_cozy(&board, chosen));
        board.play(chosen);
        game.boards.push(copy(&board));
    }
    game
}

fn copy(board: &cozy_chess::Board) -> Board {
    Board::of(board).expect("a position of a game")
}

/// The views of white and of black, the features that are active for them, and how these differ from the previous ones
/// of the line.
pub(super) struct Features {
    pub(super) views: [u32; 2],
    active: [Vec<u32>; 2],
    added: [Vec<u32>; 2],
    removed: [Vec<u32>; 2],
    pub(super) side_to_move: Color,
}

impl Features {
    pub(super) fn active(&self) -> [&[u32]; 2] {
        self.active.each_ref().map(Vec::as_slice)
    }

    pub(super) fn changes(&self) -> [FeatureChanges<'_>; 2] {
        [0, 1].map(|perspective| FeatureChanges {
            added: &self.added[perspective],
            removed: &self.removed[perspective],
        })
    }
}

/// A line in which features come and go, for networks of custom sets: from none to as many as can
/// be active.
pub(super) fn features(network: &Network) -> Vec<Features> {
    const PLIES: usize = 64;
    let mut random = seeded(11);
    let supplied = || network.features.iter().filter(|set| set.is_supplied());
    let rows: usize = supplied().map(|set| set.rows / set.blocks()).sum();
    let views = supplied().map(|set| set.views()).max().unwrap_or(1) as u32;
    let most = supplied().map(|set| set.max_active).min().unwrap_or(0);
    let mut line: Vec<Features> = Vec::new();
    for ply in 0..PLIES {
        let (views_before, before) = match line.last() {
            Some(features) => (features.views, features.active.clone()),
            None => Default::default(),
        };
        let mut features = Features {
            views: views_before,
            active: before,
            added: Default::default(),
            removed: Default::default(),
            side_to_move: Color::ALL[ply % 2],
        };
        for perspective in 0..2 {
            // Views return, and often only a few features have changed since.
            if views > 1 && random.usize(..3) == 0 {
                let view = random.u32(..views.min(4));
                features.views[perspective] = if view == 3 { views - 1 } else { view };
            }
            let active = &mut features.active[perspective];
            for _ in 0..random.usize(..4).min(active.len()) {
                let leaving = active.swap_remove(random.usize(..active.len()));
                features.removed[perspective].push(leaving);
            }
            for _ in 0..random.usize(..6).min(rows) {
                let coming = random.usize(..rows) as u32;
                let known = [&*active, &features.removed[perspective]];
                if active.len() < most && !known.iter().any(|list| list.contains(&coming)) {
                    active.push(coming);
                    features.added[perspective].push(coming);
                }
            }
        }
        line.push(features);
    }
    line
}
