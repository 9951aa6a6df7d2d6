//! The start of a line of moves, and the changes of a move, for each kind of network.
//!
//! | feature sets of the network | [`Start`] | [`Step`] |
//! |---|---|---|
//! | all follow the position | `&position` | `&delta` |
//! | these, and some follow the half-move clock | `&position`, a [`PositionWithClock`] | `&delta` |
//! | some are custom | [`PositionAndFeatures(&position, active)`](PositionAndFeatures) | `(&delta, changes)` |
//! | all are custom | [`Features(side, active)`](Features) | `changes` |
//! | all are custom and have views | [`Views(side, views, active)`](Views) | `(views, changes)` |
//!
//! * `position` is a [`Position`], `delta` a [`Delta`], and `side` the player whose turn it is.
//! * `active`, a `[&[u32]; 2]`, has the active features of custom sets for white and for black: the
//!   first and the second player, whatever the game calls them.
//! * `changes`, a `[FeatureChanges; 2]`, has the features that become active, or cease to be, for
//!   white and for black.
//! * `views`, a `[u32; 2]`, has the view of white and that of black. Numbers beyond the last view
//!   stand for the last. A change of view changes no features by itself.
//!
//! The half-move clock follows from the deltas: a move of a pawn or a capture sets it to 0, any other
//! move and a null move add 1. An engine that counts otherwise, as after null moves, tells it by
//! [`Evaluator::set_halfmove_clock`](crate::Evaluator::set_halfmove_clock).
//!
//! # Custom feature sets
//!
//! In networks for other games all sets are custom, and there is no position:
//!
#![cfg_attr(feature = "macros", doc = "```no_run")]
#![cfg_attr(not(feature = "macros"), doc = "```ignore")]
//! mod ataxx {
//!     nnue_runtime::nnue_net!("../specs/games/ataxx.toml");
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use nnue_runtime::line::Features;
//! use nnue_runtime::{Color, FeatureChanges};
//!
//! let net = ataxx::Network::open("ataxx.nnue")?;
//! let active: [&[u32]; 2] = [&[0, 55, 140], &[6, 49, 140]];
//! let mut evaluator = ataxx::Evaluator::new(&net, Features(Color::White, active));
//! let change = FeatureChanges { added: &[1], removed: &[140] };
//! evaluator.push([change; 2]);
//! let output = evaluator.evaluate_bucket(0);
//! # Ok(())
//! # }
//! ```
//!
//! # Views
//!
//! In networks for shogi, each square of the own king has rows of its own, so that a king's move
//! changes all rows of its player. There the spec has `views = 81`, and the engine supplies two
//! things: the features of pieces, and as a view the square of each player's own king. Both are as
//! the player sees the board.
//!
#![cfg_attr(feature = "macros", doc = "```no_run")]
#![cfg_attr(not(feature = "macros"), doc = "```ignore")]
//! mod shogi {
//!     nnue_runtime::nnue_net!("../specs/games/shogi_sfnn.toml");
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use nnue_runtime::line::Views;
//! use nnue_runtime::{Color, FeatureChanges};
//!
//! let net = shogi::Network::open("shogi.bin")?;
//! let active: [&[u32]; 2] = [&[102, 1592, 1600], &[102, 1592, 1600]];
//! let mut evaluator = shogi::Evaluator::new(&net, Views(Color::White, [44, 44], active));
//! // White's king steps aside. Black sees it too, but from where it was.
//! let change = |from, to| FeatureChanges { added: to, removed: from };
//! let changes = [change(&[1592], &[1591]), change(&[1600], &[1601])];
//! evaluator.push(([43, 44], changes));
//! let output = evaluator.evaluate_bucket(0);
//! # Ok(())
//! # }
//! ```
//!
//! A king's move is pushed as any other move, with a new view. Its rows are found when the position
//! is evaluated, from the features of the last position that was computed with the same view. So an
//! engine lists all features only where a line starts, and moves that nobody evaluates cost a few
//! numbers.
//!
//! With fewer `blocks` than `views`, views share rows: those in which a player sees the same board,
//! but mirrored. Such a move changes all features, and few rows.
//!
//! # Mistakes
//!
//! Arguments that do not suit the network do not compile:
//!
//! ```compile_fail,E0277
//! mod ataxx {
//!     nnue_runtime::nnue_net!("../specs/games/ataxx.toml");
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let net = ataxx::Network::open("ataxx.nnue")?;
//! let evaluator = ataxx::Evaluator::new(&net, &nnue_runtime::Board::start());
//! # Ok(())
//! # }
//! ```

use crate::chess::Color;
use crate::delta::Delta;
use crate::features::FeatureChanges;
use crate::level::Level;
use crate::placement::Placement;
use crate::position::{Position, PositionWithClock};

/// The start of a line of moves; the [module](self) has a table.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no position that a network can evaluate, nor anything else that a line starts from",
    label = "`Start` is not implemented for `{Self}`",
    note = "for `cozy_chess::Board`, enable the feature `cozy-chess` of nnue-runtime",
    note = "for a board of your own, implement `nnue_runtime::Position`: it needs `side_to_move` and `pieces`",
    note = "positions are borrowed: `&board`"
)]
pub trait Start<I> {
    #[doc(hidden)]
    fn beginning(&self, level: Level) -> Beginning<'_>;
}

/// The changes of a move; the [module](self) has a table.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no move",
    label = "`Step` is not implemented for `{Self}`",
    note = "moves are borrowed: `&delta`, a `nnue_runtime::Delta`"
)]
pub trait Step<I> {
    #[doc(hidden)]
    fn changes(&self) -> StepChanges<'_>;
}

/// The kind of a network's lines.
#[doc(hidden)]
pub trait Kind {
    /// The half-move clock of an accumulator, in networks that see it.
    type Clock: Clock;
}

/// What an accumulator keeps of the half-move clock: nothing, or the number.
#[doc(hidden)]
pub trait Clock: Copy + Send + Sync + 'static {
    /// What is kept of a clock, if one is told.
    fn keep(told: Option<u8>) -> Self;
    /// The clock that was kept.
    fn kept(self) -> Option<u8>;
}

impl Clock for () {
    #[inline]
    fn keep(_: Option<u8>) {}

    #[inline]
    fn kept(self) -> Option<u8> {
        None
    }
}

impl Clock for Option<u8> {
    #[inline]
    fn keep(told: Option<u8>) -> Option<u8> {
        told
    }

    #[inline]
    fn kept(self) -> Option<u8> {
        self
    }
}

/// A position, and the features of custom sets that are active in it for white and for black.
#[derive(Clone, Copy, Debug)]
pub struct PositionAndFeatures<'a, P>(pub &'a P, pub [&'a [u32]; 2]);

/// The player whose turn it is, and the features that are active for white and for black.
#[derive(Clone, Copy, Debug)]
pub struct Features<'a>(pub Color, pub [&'a [u32]; 2]);

/// The player whose turn it is, the view of white and that of black, and the features that are
/// active for them.
#[derive(Clone, Copy, Debug)]
pub struct Views<'a>(pub Color, pub [u32; 2], pub [&'a [u32]; 2]);

/// A [`Start`], in the form in which all have the same type.
pub struct Beginning<'a> {
    pub(crate) placement: Placement,
    pub(crate) side_to_move: Color,
    /// The half-move clock, for networks that see it.
    pub(crate) clock: Option<u8>,
    pub(crate) views: [u32; 2],
    pub(crate) active: [&'a [u32]; 2],
}

/// A [`Step`], in the form in which all have the same type.
pub struct StepChanges<'a> {
    pub(crate) delta: &'a Delta,
    /// The views after the move, or `None` where they stay.
    pub(crate) views: Option<[u32; 2]>,
    pub(crate) features: [FeatureChanges<'a>; 2],
}

impl StepChanges<'_> {
    pub(crate) const NONE: StepChanges<'static> = StepChanges {
        delta: &Delta::null(),
        views: None,
        features: FeatureChanges::NONE,
    };
}

/// All feature sets follow the position.
#[derive(Clone, Copy, Debug)]
pub enum FromPosition {}

/// All feature sets follow the position, and some of them its half-move clock.
#[derive(Clone, Copy, Debug)]
pub enum FromClock {}

/// Some feature sets follow the position, and the engine supplies the features of the others.
#[derive(Clone, Copy, Debug)]
pub enum FromBoth {}

/// The engine supplies all features.
#[derive(Clone, Copy, Debug)]
pub enum FromFeatures {}

/// The engine supplies all features, and the views from which they are seen.
#[derive(Clone, Copy, Debug)]
pub enum FromViews {}

/// Anything, for the types that stand for a network whose spec has errors.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum FromAnything {}

macro_rules! kinds {
    ($(
        $(#[$attribute:meta])*
        $kind:ident: $($of:ident),+;
    )*) => {
        $(
            $(#[$attribute])*
            #[doc(hidden)]
            pub trait $kind {}

            $(impl $kind for $of {})+
            impl $kind for FromAnything {}
        )*
    };
}

macro_rules! keep {
    ($($clock:ty: $($of:ident),+;)*) => { $($(
        impl Kind for $of {
            type Clock = $clock;
        }
    )+)* };
}

keep! {
    (): FromPosition, FromBoth, FromFeatures, FromViews, FromAnything;
    Option<u8>: FromClock;
}

kinds! {
    #[diagnostic::on_unimplemented(
        message = "a position alone does not say which features are active in this network",
        note = "the engine supplies the features of custom sets: `PositionAndFeatures` and `(&delta, changes)` if others \
                follow the position, `Features` and `changes` if not, `Views` and `(views, changes)` \
                for sets with views"
    )]
    TakesPositions: FromPosition, FromClock;

    #[diagnostic::on_unimplemented(
        message = "this network does not see the half-move clock",
        note = "no feature set of its spec is a `Clock`"
    )]
    TakesClock: FromClock;

    #[diagnostic::on_unimplemented(
        message = "this network does not have both sets that follow the position and custom sets",
        note = "it takes `&position` and `&delta` if it has no custom sets, `Features` and `changes` if it has no \
                others, `Views` and `(views, changes)` for sets with views"
    )]
    TakesBoth: FromBoth;

    #[diagnostic::on_unimplemented(
        message = "features alone are not what this network sees",
        note = "it takes `&position` and `&delta` if it has no custom sets, `PositionAndFeatures` and `(&delta, changes)` \
                if some sets follow the position, `Views` and `(views, changes)` for sets with views"
    )]
    TakesFeatures: FromFeatures;

    #[diagnostic::on_unimplemented(
        message = "this network has no feature sets with views",
        note = "write `views` into the spec, or leave the views out: `Features` and `changes`"
    )]
    TakesViews: FromViews;
}

/// Lines that start at positions of this type.
#[diagnostic::on_unimplemented(
    message = "a position alone does not say which features are active in this network",
    note = "`nnue_runtime::line` says what a line starts from in networks with custom sets"
)]
#[doc(hidden)]
pub trait StartsAt<P>: TakesPositions {
    /// The half-move clock, if the network sees it.
    fn clock(position: &P) -> Option<u8>;
}

impl<P: Position> StartsAt<P> for FromPosition {
    #[inline]
    fn clock(_: &P) -> Option<u8> {
        None
    }
}

impl<P: PositionWithClock> StartsAt<P> for FromClock {
    #[inline]
    fn clock(position: &P) -> Option<u8> {
        Some(position.halfmove_clock())
    }
}

impl<P: Position> StartsAt<P> for FromAnything {
    fn clock(_: &P) -> Option<u8> {
        None
    }
}

impl<P: Position, I: StartsAt<P>> Start<I> for &P {
    fn beginning(&self, level: Level) -> Beginning<'_> {
        Beginning {
            placement: Placement::of(level, *self),
            side_to_move: self.side_to_move(),
            clock: I::clock(*self),
            views: [0; 2],
            active: [&[]; 2],
        }
    }
}

impl<I: TakesBoth, P: Position> Start<I> for PositionAndFeatures<'_, P> {
    fn beginning(&self, level: Level) -> Beginning<'_> {
        Beginning {
            active: self.1,
            ..Start::<FromPosition>::beginning(&self.0, level)
        }
    }
}

impl<I: TakesFeatures> Start<I> for Features<'_> {
    fn beginning(&self, _: Level) -> Beginning<'_> {
        Beginning {
            placement: Placement::EMPTY,
            side_to_move: self.0,
            clock: None,
            views: [0; 2],
            active: self.1,
        }
    }
}

impl<I: TakesViews> Start<I> for Views<'_> {
    fn beginning(&self, _: Level) -> Beginning<'_> {
        Beginning {
            placement: Placement::EMPTY,
            side_to_move: self.0,
            clock: None,
            views: self.1,
            active: self.2,
        }
    }
}

impl<I: TakesPositions> Step<I> for &Delta {
    #[inline(always)]
    fn changes(&self) -> StepChanges<'_> {
        StepChanges {
            delta: self,
            ..StepChanges::NONE
        }
    }
}

impl<I: TakesBoth> Step<I> for (&Delta, [FeatureChanges<'_>; 2]) {
    #[inline(always)]
    fn changes(&self) -> StepChanges<'_> {
        let (delta, features) = *self;
        StepChanges {
            delta,
            features,
            ..StepChanges::NONE
        }
    }
}

impl<I: TakesFeatures> Step<I> for [FeatureChanges<'_>; 2] {
    #[inline(always)]
    fn changes(&self) -> StepChanges<'_> {
        StepChanges {
            features: *self,
            ..StepChanges::NONE
        }
    }
}

impl<I: TakesViews> Step<I> for ([u32; 2], [FeatureChanges<'_>; 2]) {
    #[inline(always)]
    fn changes(&self) -> StepChanges<'_> {
        let (views, features) = *self;
        StepChanges {
            views: Some(views),
            features,
            ..StepChanges::NONE
        }
    }
}
