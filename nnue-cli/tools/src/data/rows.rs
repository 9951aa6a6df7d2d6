//! The active rows of a batch, as a trainer reads them.

use nnue_compiler::network::{Network, Order};
use nnue_runtime::__private::features::{FeatureSet, RowFinder};
use nnue_runtime::{Color, Level, Position};

use crate::data::feature_sets::feature_sets;
use crate::data::record::Record;

/// Why the active rows of a network do not follow from positions.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnsupportedNetwork {
    /// The engine says which features of a set are active.
    #[error("the engine tells which features of `{set}` are active: a position alone does not")]
    ToldFeatures {
        /// The name of the feature set.
        set: String,
    },
    /// The engine chooses the stack of layers.
    #[error(
        "the engine chooses one of {stacks} stacks: a position alone does not, unless `select` \
         does by pieces"
    )]
    ChosenStack {
        /// How many stacks the network has.
        stacks: usize,
    },
}

nnue_compiler::format::debug_is_message!(UnsupportedNetwork);

/// Finds the active rows of a network's feature sets.
pub struct RowMaker {
    sets: Vec<FeatureSet>,
    capacity: usize,
    perspectives: usize,
    order: Order,
    by_pieces: [u8; 33],
}

impl RowMaker {
    /// Prepares the search for rows of a network whose rows follow from positions.
    ///
    /// # Errors
    ///
    /// [`UnsupportedNetwork`] if the engine has to say more.
    pub fn new(network: &Network) -> Result<RowMaker, UnsupportedNetwork> {
        if let Some(set) = network.features.iter().find(|set| set.is_supplied()) {
            let set = set.name.clone();
            return Err(UnsupportedNetwork::ToldFeatures { set });
        }
        let by_pieces = match (network.stacks.by_pieces, network.stacks.count) {
            (Some(by_pieces), _) => by_pieces,
            (None, 1) => [0; 33],
            (None, stacks) => return Err(UnsupportedNetwork::ChosenStack { stacks }),
        };
        let perspectives = network.transformer.perspectives;
        let capacity = network.features.iter().map(|set| set.list_len).max();
        Ok(RowMaker {
            sets: feature_sets(network),
            capacity: capacity.unwrap_or(0),
            perspectives: perspectives.count,
            order: perspectives.order,
            by_pieces,
        })
    }

    /// The feature sets: for each, how many rows it has and how many perspectives see it.
    pub fn sets(&self) -> impl Iterator<Item = (u32, usize)> {
        self.sets.iter().map(|set| (set.rows, self.perspectives))
    }

    /// The buffers with which a thread finds rows.
    pub(crate) fn finder(&self) -> RowFinder {
        RowFinder::new(self.sets.clone(), self.capacity, Level::detect())
    }

    /// The rows of a batch.
    pub(crate) fn batch(&self, finder: &mut RowFinder, records: &[Record]) -> Batch {
        let list = ActiveRows {
            offsets: [&[0][..]].concat(),
            rows: Vec::with_capacity(24 * records.len()),
        };
        let mut batch = Batch {
            active: vec![list; self.sets.len() * self.perspectives],
            ..Batch::default()
        };
        for record in records {
            let position = record.position();
            finder.set_position(&position);
            for (number, active) in batch.active.iter_mut().enumerate() {
                let (set, index) = (number / self.perspectives, number % self.perspectives);
                let perspective = self.perspective(index, record.side_to_move());
                active
                    .rows
                    .extend_from_slice(finder.active(set, perspective));
                active.offsets.push(active.rows.len() as u32);
            }
            let pieces = position.occupied().len();
            batch.stack.push(self.by_pieces[pieces.min(32)]);
            batch.pieces.push(pieces as u8);
            batch
                .white
                .push(u8::from(record.side_to_move() == Color::White));
            batch.score.push(record.score.unwrap_or(f32::NAN));
            batch.result.push(record.points().unwrap_or(f32::NAN));
        }
        batch
    }

    /// The player whose perspective has this index. Index 0 is the side to move, except in a
    /// network with a single perspective that is always white's.
    fn perspective(&self, index: usize, side_to_move: Color) -> Color {
        match (index, self.perspectives, self.order) {
            (0, 1, Order::WhiteFirst) => Color::White,
            (0, ..) => side_to_move,
            _ => !side_to_move,
        }
    }
}

/// The positions of a batch, as a trainer reads them.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The active rows of all positions, for each set and for each of its perspectives.
    pub active: Vec<ActiveRows>,
    /// The stack of layers that each position uses.
    pub stack: Vec<u8>,
    /// The number of pieces of each position.
    pub pieces: Vec<u8>,
    /// For each position, 1 if white is to move, else 0.
    pub white: Vec<u8>,
    /// Scores in centipawns from the side to move's view; NaN where the file has no score.
    pub score: Vec<f32>,
    /// Results from the side to move's view: 1, 0.5 or 0; NaN where the file has no result.
    pub result: Vec<f32>,
}

/// The active rows of a set for a perspective.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActiveRows {
    /// For each position the index of its first row in `rows`; at the end the length of `rows`.
    pub offsets: Vec<u32>,
    /// Active rows, counted from the first row of the set.
    pub rows: Vec<u32>,
}

impl Batch {
    /// The number of positions in the batch.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stack.len()
    }

    /// Whether the batch has no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stack.is_empty()
    }
}
