//! What the weights of a file say about a guess: a wrong guess takes weights for others, and what
//! is true of every trained network is then no longer true.

use nnue_compiler::feature_set::piece_square::Parameters;
use nnue_interpreter::{Evaluation, Net};
use nnue_runtime::{Bitboard, Board, Color, Piece, Position, Role, Square};
use serde::Serialize;

use crate::adopt::facts::piece_square;
use crate::adopt::king_rows::{KingRows, Rows};
use crate::adopt::positions::{material, positions, steps};

/// The evidence for a guess. Each number is from 0, which speaks against it, to 1.
#[derive(Clone, Debug, Serialize)]
pub struct Evidence {
    /// How alike the rows of a piece on neighbouring squares are: their mean correlation.
    pub neighbours: f64,
    /// The share of the own king's squares whose rows were trained in just the bucket that the
    /// guess gives them. `null` if the network has no set for which that can be said.
    pub kings: Option<f64>,
    /// The correlation of evaluations with material.
    pub material: f64,
    /// How well the evaluation changes its sign when the other player is to move: a correlation.
    pub antisymmetry: f64,
    /// How much smaller the change is when a piece moves to the next square than when a piece is
    /// taken away.
    pub smoothness: f64,
    /// Whether a pawn is worth a usual number of units.
    pub range: f64,
    /// What a pawn is worth in the units of the evaluation, on average.
    pub pawn: f64,
    /// What the start of a game is worth to the side to move, in these units. It is no evidence by
    /// itself: who has the engine of the net compares it with what that says.
    pub start: f64,
    /// All of it in one number, which ranks guesses.
    pub score: f64,
}

/// The weights of the single numbers in [`Evidence::score`], in their order.
const IMPORTANCE: [f64; 6] = [0.25, 0.15, 0.3, 0.12, 0.08, 0.1];

/// How much worse the rows of a guess may be than those of the best one for its evaluations to be
/// looked at.
pub(crate) const WORSE_ROWS: f64 = 0.3;

impl Evidence {
    /// The evidence from rows only, which is found quickly; what evaluations say is 0.
    pub(crate) fn of_rows(net: &Net) -> Evidence {
        let evidence = Evidence {
            neighbours: neighbours(net).max(0.0),
            kings: kings(net),
            material: 0.0,
            antisymmetry: 0.0,
            smoothness: 0.0,
            range: 0.0,
            pawn: 0.0,
            start: 0.0,
            score: 0.0,
        };
        evidence.scored()
    }

    /// The same with what evaluations say.
    pub(crate) fn with_evaluations(mut self, net: &Net) -> Evidence {
        let mut black_moves = positions();
        let white_moves = black_moves.clone();
        for board in &mut black_moves {
            board.set_side_to_move(Color::Black);
        }
        let evaluate = |boards: &[Board]| -> Vec<f64> {
            boards.iter().map(|board| value(net, board)).collect()
        };
        let (white, black) = (evaluate(&white_moves), evaluate(&black_moves));
        let ahead: Vec<f64> = white_moves.iter().map(material).collect();
        let behind: Vec<f64> = ahead.iter().map(|pawns| -pawns).collect();
        let all = [&white[..], &black[..]].concat();
        let pawns = [&ahead[..], &behind[..]].concat();
        self.material = correlation(&all, &pawns).max(0.0);
        let turned: Vec<f64> = black.iter().map(|value| -value).collect();
        self.antisymmetry = correlation(&white, &turned).max(0.0);
        self.pawn = slope(&pawns, &all);
        self.range = usual(self.pawn);
        self.start = value(net, &Board::start());
        let differences = steps().into_iter().map(|pair| {
            let [before, after] = pair.map(|board| value(net, &board));
            (after - before).abs()
        });
        let differences: Vec<f64> = differences.collect();
        let spread = deviation(&all);
        self.smoothness = if spread > 0.0 {
            (1.0 - mean(&differences) / spread).clamp(0.0, 1.0)
        } else {
            0.0
        };
        self.scored()
    }

    /// Whether one of the parts that no scale changes is worse than that of another guess by so much.
    pub(crate) fn is_worse(&self, other: &Evidence, by: f64) -> bool {
        let parts = |of: &Evidence| [of.neighbours, of.material, of.antisymmetry, of.smoothness];
        let pairs = parts(self).into_iter().zip(parts(other));
        pairs.into_iter().any(|(own, other)| own + by < other)
    }

    fn scored(mut self) -> Evidence {
        let parts = [
            Some(self.neighbours),
            self.kings,
            Some(self.material),
            Some(self.antisymmetry),
            Some(self.smoothness),
            Some(self.range),
        ];
        // Where nothing can be said about kings, the mean of what can be said stands for it.
        let (mut sum, mut weight) = (0.0, 0.0);
        for (part, importance) in parts.into_iter().zip(IMPORTANCE) {
            if let Some(part) = part {
                sum += importance * part;
                weight += importance;
            }
        }
        self.score = sum / weight;
        self
    }
}

/// The evaluation of a position for the side to move. Of win, draw and loss it is the distance of
/// win and loss.
pub(crate) fn value(net: &Net, board: &Board) -> f64 {
    let bucket = net.bucket(board.occupied().len()).unwrap_or(0);
    match net.evaluate(board, bucket) {
        Evaluation::Value(output) => output.value.into(),
        Evaluation::Wdl(wdl) => f64::from(wdl.win.value) - f64::from(wdl.loss.value),
    }
}

/// 1 for what evaluations of a pawn usually are, less the further they are from it.
fn usual(pawn: f64) -> f64 {
    const LOWEST: f64 = 30.0;
    const HIGHEST: f64 = 600.0;
    if pawn <= 0.0 || !pawn.is_finite() {
        return 0.0;
    }
    let factor = (LOWEST / pawn).max(pawn / HIGHEST).max(1.0);
    1.0 / factor
}

/// The mean correlation of the rows of a piece on a square and on the next one of its rank.
fn neighbours(net: &Net) -> f64 {
    let kings = Pieces {
        squares: [
            (Piece::new(Color::White, Role::King), Square::B1),
            (Piece::new(Color::Black, Role::King), Square::B8),
        ],
        further: None,
    };
    let base = sum_of_rows(net, &kings);
    let rows = |piece: Piece, square: Square| -> Vec<f64> {
        let with = Pieces {
            further: Some((piece, square)),
            ..kings
        };
        let sum = sum_of_rows(net, &with);
        sum.iter()
            .zip(&base)
            .map(|(sum, base)| sum - base)
            .collect()
    };
    let mut found = Vec::new();
    for color in Color::ALL {
        for role in Role::ALL {
            if role == Role::King {
                continue;
            }
            for rank in 1..7 {
                let of_rank: Vec<Vec<f64>> = (2..8)
                    .filter_map(|file| Square::from_file_rank(file, rank))
                    .map(|square| rows(Piece::new(color, role), square))
                    .collect();
                found.extend(of_rank.windows(2).map(|two| correlation(&two[0], &two[1])));
            }
        }
    }
    mean(&found)
}

/// Two kings, and a piece on a square.
#[derive(Clone, Copy)]
struct Pieces {
    squares: [(Piece, Square); 2],
    further: Option<(Piece, Square)>,
}

impl Position for Pieces {
    fn side_to_move(&self) -> Color {
        Color::White
    }

    fn pieces(&self, piece: Piece) -> Bitboard {
        let mut found = Bitboard::EMPTY;
        for (other, square) in self.squares.into_iter().chain(self.further) {
            if other == piece {
                found.insert(square);
            }
        }
        found
    }
}

/// The sum of the rows that are active for white.
pub(crate) fn sum_of_rows(net: &Net, pieces: &impl Position) -> Vec<f64> {
    let width = net.network().transformer.width;
    let rows = &net.weights().transformer[0].rows;
    let [active, _] = net.active_rows(pieces);
    let mut sum = vec![0.0; width];
    for row in active {
        for (sum, weight) in sum.iter_mut().zip(&rows[row * width..][..width]) {
            *sum += f64::from(*weight);
        }
    }
    sum
}

/// The share of the own king's squares whose rows are in the bucket that the network gives them.
fn kings(net: &Net) -> Option<f64> {
    let (found, parameters) = king_rows(net)?;
    found.agreement(parameters)
}

/// What the own king's rows say about buckets, of the first set that has a row for each piece. Its
/// planes must be those of most trainers: own pieces, then the opponent's, kings last.
pub(crate) fn king_rows(net: &Net) -> Option<(KingRows, &Parameters)> {
    let network = net.network();
    let (first, parameters) = piece_square(network)?;
    let usual = Parameters {
        mirror: parameters.mirror,
        king_buckets: parameters.king_buckets,
        ..Parameters::unbucketed()
    };
    if *parameters != usual {
        return None;
    }
    let width = network.transformer.width;
    let rows = &net.weights().transformer[0].rows[first * width..];
    let weight = |index: usize| f64::from(rows[index]);
    let found = KingRows::of(
        &Rows {
            width,
            buckets: parameters.buckets(),
        },
        weight,
    );
    Some((found, parameters))
}

fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        0.0
    } else {
        values.iter().sum::<f64>() / values.len() as f64
    }
}

fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / values.len().max(1) as f64).sqrt()
}

fn covariance(a: &[f64], b: &[f64]) -> f64 {
    let (mean_a, mean_b) = (mean(a), mean(b));
    let products = a.iter().zip(b).map(|(a, b)| (a - mean_a) * (b - mean_b));
    products.sum::<f64>() / a.len().max(1) as f64
}

/// Pearson's correlation; 0 where a list is constant.
pub(crate) fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let deviations = deviation(a) * deviation(b);
    if deviations > 0.0 && deviations.is_finite() {
        covariance(a, b) / deviations
    } else {
        0.0
    }
}

/// By how much `y` grows with `x`.
fn slope(x: &[f64], y: &[f64]) -> f64 {
    covariance(x, y) / deviation(x).powi(2).max(1e-9)
}
