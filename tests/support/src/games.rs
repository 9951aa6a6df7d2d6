//! Other games: their boards, the features of their networks, and the networks in plain loops.

pub mod plain;
pub mod shogi;
pub mod xiangqi;

use nnue_runtime::Color;

/// The views of white and of black, and their active features. White is the player that moves
/// first, whatever the game calls it. In networks without views, the views are 0.
pub type Seen = ([u32; 2], [Vec<u32>; 2]);

/// A position of a game, and what a network must be told of it.
pub trait Game: Clone {
    /// A move.
    type Move: Copy;

    /// The position at which games start.
    fn start() -> Self;

    /// The moves that random games choose from. None of them takes a king.
    fn moves(&self) -> Vec<Self::Move>;

    /// Makes one of these moves.
    fn play(&mut self, chosen: Self::Move);

    /// Whether a move is one of a king.
    fn is_of_king(&self, chosen: Self::Move) -> bool;

    /// The player whose move it is.
    fn side_to_move(&self) -> Color;
}

/// The features that are in the first list more often than in the second.
#[must_use]
pub fn missing(from: &[u32], of: &[u32]) -> Vec<u32> {
    let (mut from, mut of) = (from.to_vec(), of.to_vec());
    from.sort_unstable();
    of.sort_unstable();
    let mut others = from.into_iter().peekable();
    let mut missing = Vec::new();
    for feature in of {
        while others.next_if(|other| *other < feature).is_some() {}
        if others.next_if_eq(&feature).is_none() {
            missing.push(feature);
        }
    }
    missing
}

#[test]
fn features_are_missing_as_often_as_they_are_rarer() {
    assert_eq!(missing(&[5, 1, 9], &[1, 7, 5, 5]), [5, 7]);
    assert_eq!(missing(&[1, 2], &[2]), [0u32; 0]);
}
