//! Trains PlentyChess with bullet, https://github.com/jw1912/bullet. `nnue trainer` wrote it.
//!
//! Put it into a package that depends on `bullet_lib` with the feature `cuda`, `rocm` or `metal`,
//! and set the names of the data and the numbers of the schedule, at the beginning and in `main`.
//!
//! The net file is `quantised.bin` in the folder of the last checkpoint: 84956704 bytes. `nnue
//! check SPEC --net quantised.bin` checks it. If it is missing, bullet has printed why: a number
//! that its type does not hold.
//!
//! NOT THE SAME FILE: the spec's has transformer.weights_0, transformer.weights_1,
//! transformer.biases, l1.weights, l1.biases, l2.weights, l2.biases, l3.weights, l3.biases
//! compressed, and bullet writes numbers as they are. `nnue convert` writes the spec's file, from a
//! spec that differs in its `encoding`, which is `raw`.
//!
//! NOT THE SAME WHILE IT TRAINS: everything here is floating point. The engine has the integers
//! below. It rounds at each `>>` and `/`, mostly down, and bullet never does; weights are rounded
//! once, when they are saved, and those of 8 bits only have steps of one by what 1.0 is. Sums that
//! leave their type wrap around in the engine. So compare the evaluations of both: `nnue quantise`
//! and `nnue report` show what integers cost.
//!
//! ```text
//! PlentyChess: KingBuckets[9216] + PawnPairs[4560] + Threats[59808] -> 1024 x 2 -> (16 -> 32 -> 1) x 8
//!
//! tensor       shape     type  1.0 is  range    computed as
//! accumulator  2 x 1024  i16      255           biases + active features' rows
//! clipped      2 x 1024  u8       255  0..=255  clamp(accumulator, 0, 255)
//! transformer  1024      u8       127  0..=127  clipped[j] * clipped[j + 512] >> 9
//! l1           16        f32        1           affine(transformer), i8, sparse, sums * 1.230296e-4 in f32 before biases
//! ac           32        f32        1           clamp(x, 0, 1) ++ min(x * x, 1), x = l1
//! l2           32        f32        1           affine(ac), f32, sums by columns
//! a2           32        f32        1           clamp(x, 0, 1) squared, x = l2
//! l3           1         f32        1           affine(a2 ++ ac), f32, sums by lanes
//! value        1         i32        1           l3 * 287, truncated
//!
//! Threats
//! attacker           rows           squares  victims of each colour
//! own pawn           0..=335        84       knight, rook
//! own knight         336..=3695     336      pawn, knight, bishop, rook, queen
//! own bishop         3696..=8175    560      pawn, knight, bishop, rook
//! own rook           8176..=15343   896      pawn, knight, bishop, rook
//! own queen          15344..=29903  1456     pawn, knight, bishop, rook, queen
//! opponent's pawn    29904..=30239  84       knight, rook
//! opponent's knight  30240..=33599  336      pawn, knight, bishop, rook, queen
//! opponent's bishop  33600..=38079  560      pawn, knight, bishop, rook
//! opponent's rook    38080..=45247  896      pawn, knight, bishop, rook
//! opponent's queen   45248..=59807  1456     pawn, knight, bishop, rook, queen
//!
//! order: the side to move's half first
//! bucket: by pieces, 1-5: 0, 6-9: 1, 10-13: 2, 14-17: 3, 18-21: 4, 22-25: 5, 26-29: 6, 30-32: 7
//! ```

use std::sync::LazyLock;

use bullet_lib::game::inputs::{Chess768, SparseInputType};
use bullet_lib::game::outputs::MaterialCount;
use bullet_lib::nn::{Affine, InitSettings, ModelBuilder, ModelNode};
use bullet_lib::nn::optimiser::{AdamW, AdamWParams};
use bullet_lib::trainer::save::SavedFormat;
use bullet_lib::trainer::{schedule::{TrainingSchedule, TrainingSteps, lr, wdl}, settings::LocalSettings};
use bullet_lib::value::{ValueTrainerBuilder, loader::DirectSequentialDataLoader};

/// A position as bullet reads it.
type Position = <Chess768 as SparseInputType>::RequiredDataType;

/// The data: positions of bulletformat, in any order that training likes. For binpacks, see
/// `bullet_lib::value::loader`.
const DATA: [&str; 1] = ["data/positions.data"];
/// How long the training is: each superbatch is 100 million positions.
const SUPERBATCHES: usize = 240;
/// The share of the game's result in the target. The rest is the score.
const RESULT_SHARE: f32 = 0.5;
/// What 1.0 of the output is in the engine's units.
const EVAL_SCALE: f32 = 287.0;
const NET_ID: &str = "plentychess";

const INPUTS: usize = 73584;
const WIDTH: usize = 1024;
const STACKS: usize = 8;
/// The bytes of the net file, which bullet pads.
const FILE_LEN: u64 = 84956704;

fn main() {
    let mut trainer = ValueTrainerBuilder::default()
        .dual_perspective()
        .optimiser(AdamW)
        .inputs(Inputs)
        .output_buckets(MaterialCount::<STACKS>)
        .save_format(&saved_format())
        .loss_fn(|output, target| output.sigmoid().squared_error(target))
        .build(network);

    // What the integers of the file can hold; of sums that the file has, or is to have, half of it
    // for each summand. All others have bullet's own limit of 1.98.
    let limits = [
        ("l0_0w", 0.99),
        ("l0_0f", 0.99),
        ("l0_1w", 0.498),
    ];
    for (id, limit) in limits {
        let params = AdamWParams { min_weight: -limit, max_weight: limit, ..Default::default() };
        trainer.optimiser.set_params_for_weight(id, params);
    }

    let schedule = TrainingSchedule {
        net_id: NET_ID.to_string(),
        eval_scale: EVAL_SCALE,
        steps: TrainingSteps {
            batch_size: 16_384,
            batches_per_superbatch: 6104,
            start_superbatch: 1,
            end_superbatch: SUPERBATCHES,
        },
        wdl_scheduler: wdl::ConstantWDL { value: RESULT_SHARE },
        lr_scheduler: lr::CosineDecayLR {
            initial_lr: 0.001,
            final_lr: 0.001 * 0.3f32.powi(5),
            final_superbatch: SUPERBATCHES,
        },
        save_rate: 10,
    };
    let settings = LocalSettings {
        threads: 4,
        test_set: None,
        output_directory: "checkpoints",
        batch_queue_size: 32,
    };
    trainer.run(&schedule, &settings, &DirectSequentialDataLoader::new(&DATA));

    // bullet pads the file to a multiple of 64 bytes, and the engine's has nothing at its end.
    let path = format!("checkpoints/{NET_ID}-{SUPERBATCHES}/quantised.bin");
    let file = std::fs::File::options().write(true).open(path);
    file.and_then(|file| file.set_len(FILE_LEN)).expect("bullet has saved the net");
}

/// The network: 1.0 is 1.0 in all tensors, which the engine has in integers.
fn network<'a>(
    builder: &'a ModelBuilder,
    stm: ModelNode<'a>,
    ntm: ModelNode<'a>,
    stack: ModelNode<'a>,
) -> ModelNode<'a> {
    // The transformer: 1024 neurons for each perspective.
    let rows = builder.new_weights("l0_0w", (WIDTH, 9216), InitSettings::Normal { mean: 0.0, stdev: 0.25 });
    // What all buckets have in common.
    let common = builder.new_weights("l0_0f", (WIDTH, 768), InitSettings::Zeroed);
    let rows = rows + common.repeat(12);
    let next = builder.new_weights("l0_1w", (WIDTH, 64368), InitSettings::Normal { mean: 0.0, stdev: 0.25 });
    let rows = beside(rows, next);
    let bias = builder.new_weights("l0b", (WIDTH, 1), InitSettings::Zeroed);
    let l0 = Affine { weights: rows, bias };
    let neurons = |input, start, end| l0.slice(start, end).forward(input).crelu();
    let pooled = |input| {
        let a = neurons(input, 0, 512);
        let b = neurons(input, 512, 1024);
        a * b
    };
    let transformer = pooled(stm).concat(pooled(ntm));

    // l1: 1024 values to 16.
    let l1 = builder.new_affine("l1", 1024, STACKS * 16);
    let l1 = l1.forward(transformer).select(stack);

    // ac: clamp(x, 0, 1) and min(x * x, 1) of the engine.
    let ac = l1.crelu().concat((l1 * l1).crelu());

    // l2: 32 values to 32.
    let l2 = builder.new_affine("l2", 32, STACKS * 32);
    let l2 = l2.forward(ac).select(stack);

    // a2: clamp(x, 0, 1) squared of the engine.
    let a2 = l2.screlu();

    // l3: 64 values to 1.
    let l3 = builder.new_affine("l3", 64, STACKS);
    let l3 = l3.forward(a2.concat(ac)).select(stack);

    // From the layers to the output, in which 1.0 is `EVAL_SCALE` of the engine's units.
    l3
}

/// What is saved, in the order of the net file.
fn saved_format() -> Vec<SavedFormat> {
    vec![
        // transformer.weights_0 (feature, neuron), i16
        SavedFormat::id("l0_0w")
            .transform(|store, weights| merged(weights, store.get("l0_0f").values.f32(), 12))
            .round()
            .quantise::<i16>(255),
        // transformer.weights_1 (feature, neuron), i8
        SavedFormat::id("l0_1w").round().quantise::<i8>(255),
        // transformer.biases, i16
        SavedFormat::id("l0b").round().quantise::<i16>(255),
        // l1.weights (input, stack, output), i8
        SavedFormat::id("l1w").round().quantise::<i8>(64),
        // l1.biases (stack, output), f32
        SavedFormat::id("l1b"),
        // l2.weights (input, stack, output), f32
        SavedFormat::id("l2w"),
        // l2.biases (stack, output), f32
        SavedFormat::id("l2b"),
        // l3.weights (input, stack), f32
        SavedFormat::id("l3w"),
        // l3.biases, f32
        SavedFormat::id("l3b"),
    ]
}

/// Rows with what all buckets have in common added to each of them.
fn merged(rows: Vec<f32>, common: &[f32], buckets: usize) -> Vec<f32> {
    rows.into_iter().zip(common.repeat(buckets)).map(|(row, common)| row + common).collect()
}

/// A matrix with the columns of `a`, then those of `b`.
fn beside<'a>(a: ModelNode<'a>, b: ModelNode<'a>) -> ModelNode<'a> {
    let column = |x: ModelNode<'a>| x.reshape((x.shape().size(), 1));
    let columns = a.shape().cols() + b.shape().cols();
    column(a).concat(column(b)).reshape((a.shape().rows(), columns))
}

/// `KingBuckets`: the rows 0 to 9215.
static SET_0: PieceSquare = PieceSquare {
    rotates: false,
    mirror_files: 240,
    turn: 0,
    king_buckets: [
        0, 1, 2, 3, 3, 2, 1, 0, 4, 5, 6, 7, 7, 6, 5, 4, 8, 8, 9, 9, 9, 9, 8, 8, 10, 10,
        10, 10, 10, 10, 10, 10, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
        11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11, 11,
    ],
    queen_buckets: 1,
    bucket_rows: 768,
    first_row: [[0, 64, 128, 192, 256, 320], [384, 448, 512, 576, 640, 704]],
    threatened: [-1, -1],
};

/// `PawnPairs`: the rows 9216 to 13775.
static SET_1: PawnPairs = PawnPairs {
    mirror_files: 240,
    file_distance: 1,
};

/// `Threats`: the rows 13776 to 73583.
static SET_2: LazyLock<Threats> = LazyLock::new(|| Threats::new(Rules {
    mirror_files: 240,
    targets: [
        [-1, 0, -1, 1, -1, -1],
        [0, 1, 2, 3, 4, -1],
        [0, 1, 2, 3, -1, -1],
        [0, 1, 2, 3, -1, -1],
        [0, 1, 2, 3, 4, -1],
        [-1, -1, -1, -1, -1, -1],
    ],
    pushes: false,
    mutual_once: true,
    interleaved: false,
    by_square: false,
}));

/// The active rows of the player who sees the board so.
fn rows(board: &Board) -> Vec<usize> {
    let mut rows = Vec::with_capacity(408);
    SET_0.find(board, |row| rows.push(row));
    SET_1.find(board, |row| rows.push(9216 + row));
    SET_2.find(board, |row| rows.push(13776 + row));
    rows
}

/// The features of the spec.
#[derive(Clone, Copy)]
struct Inputs;

impl SparseInputType for Inputs {
    type RequiredDataType = Position;

    fn num_inputs(&self) -> usize {
        INPUTS
    }

    fn max_active(&self) -> usize {
        408
    }

    fn map_features<F: FnMut(usize, usize)>(&self, position: &Position, mut f: F) {
        let mut board = Board { pieces: [None; 64], is_opponents: false };
        for (piece, square) in position.into_iter() {
            board.pieces[usize::from(square)] = Some((usize::from(piece >> 3), usize::from(piece & 7)));
        }
        // Both have as many rows. Their order does not matter.
        let (own, opponents) = (rows(&board), rows(&board.of_opponent()));
        assert_eq!(own.len(), opponents.len(), "the perspectives have different numbers of rows");
        own.into_iter().zip(opponents).for_each(|(own, opponents)| f(own, opponents));
    }

    fn shorthand(&self) -> String {
        INPUTS.to_string()
    }

    fn description(&self) -> String {
        "KingBuckets + PawnPairs + Threats".to_string()
    }
}

/// A chessboard as one of the players sees it, who plays up the board.
pub struct Board {
    /// From a1 to h8: whose piece stands there, 0 for an own one and 1 for the opponent's, and
    /// which, from 0 for a pawn to 5 for a king.
    pub pieces: [Option<(usize, usize)>; 64],
    /// Whether it is the view of the player who is not to move.
    pub is_opponents: bool,
}

#[rustfmt::skip]
const STRAIGHT_AND_DIAGONAL: [(i32, i32); 8] =
    [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)];
#[rustfmt::skip]
const KNIGHT: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const PAWN: [[(i32, i32); 2]; 2] = [[(-1, 1), (1, 1)], [(-1, -1), (1, -1)]];

impl Board {
    /// The same position as the opponent sees it: upside down, with own and opponent's pieces
    /// exchanged.
    pub fn of_opponent(&self) -> Board {
        let pieces = std::array::from_fn(|square| {
            self.pieces[square ^ 56].map(|(owner, piece)| (1 - owner, piece))
        });
        Board {
            pieces,
            is_opponents: !self.is_opponents,
        }
    }

    /// The board with each square exclusive-ored with `turn`.
    pub fn turned(&self, turn: usize) -> Board {
        Board {
            pieces: std::array::from_fn(|square| self.pieces[square ^ turn]),
            ..*self
        }
    }

    /// The board mirrored if the own king stands on one of these files, a bit for each.
    pub fn mirrored(&self, files: u8) -> Board {
        let is_mirrored = files >> (self.king() % 8) & 1 == 1;
        self.turned(if is_mirrored { 7 } else { 0 })
    }

    /// The square of the own king.
    pub fn king(&self) -> usize {
        let is_king = |piece: &Option<(usize, usize)>| *piece == Some((0, 5));
        self.pieces.iter().position(is_king).unwrap_or(0)
    }

    /// Visits the pieces that the one on `from` attacks: where they are, whose, and which.
    pub fn attacked(&self, from: usize, mut found: impl FnMut(usize, (usize, usize))) {
        let Some((owner, piece)) = self.pieces[from] else {
            return;
        };
        lines(owner, piece, from, |line| {
            let mut line = line.iter().map(|to| usize::from(*to));
            if let Some(to) = line.find(|to| self.pieces[*to].is_some()) {
                found(to, self.pieces[to].unwrap_or_default());
            }
        });
    }
}

/// Visits the squares to which a piece on `from` can go on an empty board, direction by direction,
/// the nearest square of each first. Pawns: only where they capture.
pub fn lines(owner: usize, piece: usize, from: usize, mut found: impl FnMut(&[u8])) {
    let steps = match piece {
        0 if !(8..56).contains(&from) => &[],
        0 => &PAWN[owner][..],
        1 => &KNIGHT[..],
        2 => &STRAIGHT_AND_DIAGONAL[4..],
        3 => &STRAIGHT_AND_DIAGONAL[..4],
        _ => &STRAIGHT_AND_DIAGONAL[..],
    };
    let most = if matches!(piece, 2..=4) { 7 } else { 1 };
    for (right, up) in steps {
        let (mut line, mut len) = ([0; 7], 0);
        let (mut file, mut rank) = (from as i32 % 8 + right, from as i32 / 8 + up);
        while len < most && (0..8).contains(&file) && (0..8).contains(&rank) {
            line[len] = (8 * rank + file) as u8;
            len += 1;
            (file, rank) = (file + right, rank + up);
        }
        found(&line[..len]);
    }
}

/// Rows for each piece on each square, which depend on the own king:
/// `bucket * rows of a bucket + first row of the piece + (square ^ turn)`.
#[derive(Debug)]
pub struct PieceSquare {
    /// Whether the opponent sees the board from the other side, so that files are exchanged too.
    pub rotates: bool,
    /// The files from which the own king is mirrored to the other half, a bit for each.
    pub mirror_files: u8,
    /// What squares are exclusive-ored with: 0 if planes begin with a1, 56 if with a8.
    pub turn: usize,
    /// The bucket of each square of the own king.
    pub king_buckets: [usize; 64],
    /// How many buckets there are for the opponent's queens: 1, 5 or 6.
    pub queen_buckets: usize,
    /// How many rows a bucket has.
    pub bucket_rows: usize,
    /// The first row of own pieces, pawn to king, and of the opponent's; -1 for pieces without
    /// rows.
    pub first_row: [[isize; 6]; 2],
    /// The first row of own and of the opponent's pieces that a weaker piece attacks, besides their
    /// other row; -1 where there are none.
    pub threatened: [isize; 2],
}

impl PieceSquare {
    /// Visits the active rows of the player who sees the board so.
    pub fn find(&self, board: &Board, mut found: impl FnMut(usize)) {
        let board = board.turned(if self.rotates && board.is_opponents {
            7
        } else {
            0
        });
        let board = board.mirrored(self.mirror_files);
        let king_buckets = self.king_buckets.iter().max().map_or(1, |last| last + 1);
        let bucket = self.queens(&board) * king_buckets + self.king_buckets[board.king()];
        let mut row = |first: isize, square: usize| {
            if let Ok(first) = usize::try_from(first) {
                found(bucket * self.bucket_rows + first + (square ^ self.turn));
            }
        };
        for square in 0..64 {
            if let Some((owner, piece)) = board.pieces[square] {
                row(self.first_row[owner][piece], square);
            }
        }
        if self.threatened == [-1; 2] {
            return;
        }
        let mut is_threatened = [false; 64];
        for from in 0..64 {
            board.attacked(from, |to, victim| {
                if let Some(attacker) = board.pieces[from] {
                    let is_weaker = victim.1 != 5 && strength(attacker) < strength(victim);
                    is_threatened[to] |= attacker.0 != victim.0 && is_weaker;
                }
            });
        }
        for square in (0..64).filter(|square| is_threatened[*square]) {
            if let Some((owner, _)) = board.pieces[square] {
                row(self.threatened[owner], square);
            }
        }
    }

    /// The bucket of the opponent's queens: 0 for none, 1 to 4 for the quadrant of a single one.
    fn queens(&self, board: &Board) -> usize {
        let queens = (0..64).filter(|square| board.pieces[*square] == Some((1, 4)));
        let queens: Vec<usize> = queens.collect();
        match (self.queen_buckets, &queens[..]) {
            (1, _) | (_, []) => 0,
            (_, [queen]) => 1 + 2 * (queen / 32) + queen % 8 / 4,
            (5, _) => 0,
            _ => 5,
        }
    }
}

/// Which pieces are weaker than others. Kings threaten nothing, as if they were queens.
fn strength((_, piece): (usize, usize)) -> usize {
    [0, 1, 1, 2, 3, 3][piece]
}

/// Rows for each two pawns that are at most so many files apart.
#[derive(Debug)]
pub struct PawnPairs {
    /// The files from which the own king is mirrored to the other half, a bit for each.
    pub mirror_files: u8,
    /// How many files the pawns of a pair can be apart.
    pub file_distance: usize,
}

impl PawnPairs {
    /// Visits the active rows of the player who sees the board so.
    pub fn find(&self, board: &Board, mut found: impl FnMut(usize)) {
        let board = board.mirrored(self.mirror_files);
        // Own pawns from 0 on a2 to 47 on h7, then the opponent's.
        let numbers = [0, 1].into_iter().flat_map(|owner| {
            let pawns = (8..56).filter(move |square| board.pieces[*square] == Some((owner, 0)));
            pawns.map(move |square| 48 * owner + square - 8)
        });
        let numbers: Vec<usize> = numbers.collect();
        for (index, high) in numbers.iter().enumerate() {
            for low in &numbers[..index] {
                if (high % 8).abs_diff(low % 8) <= self.file_distance {
                    found(high * (high - 1) / 2 + low);
                }
            }
        }
    }
}

/// Which attacks have rows, and in which order.
#[derive(Debug)]
pub struct Rules {
    /// The files from which the own king is mirrored to the other half, a bit for each.
    pub mirror_files: u8,
    /// For each attacker, pawn to king, the number of each victim, pawn to king; -1 for none.
    pub targets: [[isize; 6]; 6],
    /// Whether a pawn also threatens a pawn straight ahead of it.
    pub pushes: bool,
    /// Whether of two pieces of a kind that attack each other only the one on the later square has
    /// a row.
    pub mutual_once: bool,
    /// Whether own and opponent's pieces alternate; otherwise all own ones come first.
    pub interleaved: bool,
    /// Whether the rows of an attacker's square stand together; otherwise those of a victim do.
    pub by_square: bool,
}

/// Rows for each piece that attacks another one.
pub struct Threats {
    rules: Rules,
    /// For own pieces and for the opponent's, pawn to king.
    attackers: [[Attacker; 6]; 2],
}

/// The rows of an attacker.
struct Attacker {
    first_row: usize,
    /// How many victims of each colour it tells apart.
    victims: usize,
    /// The squares that it reaches from each square of an empty board, a bit for each.
    reached: [u64; 64],
    /// How many squares it reaches from all squares before a square.
    before: [usize; 65],
}

impl Threats {
    /// The tables that follow from the rules.
    pub fn new(rules: Rules) -> Threats {
        let attacker = |owner, piece| {
            let reached = std::array::from_fn(|from| reached(&rules, owner, piece, from));
            let mut before = [0; 65];
            for from in 0..64 {
                before[from + 1] = before[from] + reached[from].count_ones() as usize;
            }
            let victims = rules.targets[piece].into_iter().max().unwrap_or(-1) + 1;
            Attacker {
                first_row: 0,
                victims: victims as usize,
                reached,
                before,
            }
        };
        let mut attackers = [0, 1].map(|owner| std::array::from_fn(|piece| attacker(owner, piece)));
        let mut first_row = 0;
        for index in 0..12 {
            let (owner, piece) = if rules.interleaved {
                (index % 2, index / 2)
            } else {
                (index / 6, index % 6)
            };
            let attacker: &mut Attacker = &mut attackers[owner][piece];
            attacker.first_row = first_row;
            first_row += 2 * attacker.victims * attacker.before[64];
        }
        Threats { rules, attackers }
    }

    /// Visits the active rows of the player who sees the board so.
    pub fn find(&self, board: &Board, mut found: impl FnMut(usize)) {
        let board = board.mirrored(self.rules.mirror_files);
        for from in 0..64 {
            let Some(attacker) = board.pieces[from] else {
                continue;
            };
            let mut threat = |to: usize, victim: (usize, usize)| {
                if let Some(row) = self.row(attacker, from, victim, to) {
                    found(row);
                }
            };
            board.attacked(from, &mut threat);
            if self.rules.pushes && attacker.1 == 0 && (8..56).contains(&from) {
                let ahead = if attacker.0 == 0 { from + 8 } else { from - 8 };
                if let Some((owner, 0)) = board.pieces[ahead] {
                    threat(ahead, (owner, 0));
                }
            }
        }
    }

    /// The row of an attack; `None` if it has none.
    fn row(
        &self,
        (owner, piece): (usize, usize),
        from: usize,
        (victims_owner, victim): (usize, usize),
        to: usize,
    ) -> Option<usize> {
        let Rules {
            mutual_once,
            interleaved,
            by_square,
            ..
        } = self.rules;
        let number = usize::try_from(self.rules.targets[piece][victim]).ok()?;
        let is_mutual = piece == victim && (piece != 0 || owner != victims_owner);
        if mutual_once && is_mutual && from < to {
            return None;
        }
        let Attacker {
            first_row,
            victims,
            reached,
            before,
        } = &self.attackers[owner][piece];
        let slot = if interleaved {
            2 * number + victims_owner
        } else {
            victims_owner * victims + number
        };
        let rank = (reached[from] & ((1 << to) - 1)).count_ones() as usize;
        Some(
            first_row
                + rank
                + match by_square {
                    true => 2 * victims * before[from] + slot * reached[from].count_ones() as usize,
                    false => slot * before[64] + before[from],
                },
        )
    }
}

/// The squares that a piece reaches on an empty board, a bit for each.
fn reached(rules: &Rules, owner: usize, piece: usize, from: usize) -> u64 {
    let mut squares = 0;
    lines(owner, piece, from, |line| {
        line.iter().for_each(|to| squares |= 1 << to)
    });
    if rules.pushes && piece == 0 && (8..56).contains(&from) {
        squares |= if owner == 0 {
            1 << (from + 8)
        } else {
            1 << (from - 8)
        };
    }
    squares
}
