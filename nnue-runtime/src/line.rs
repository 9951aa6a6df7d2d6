//! What a line of moves starts from, and what a move changes, for each kind of network.
//!
//! | feature sets of the network | [`Start`] | [`Step`] |
//! |---|---|---|
//! | all follow the position | `&position` | `&delta` |
//! | some are custom | `(&position, active)` | `(&delta, changes)` |
//! | all are custom | `(side, active)` | `changes` |
//! | all are custom and have views | `(side, views, active)` | `(views, changes)` |
//!
//! * `position` is a [`Position`], `delta` a [`Delta`], and `side` the [`Color`] to move.
//! * `active`, a `[&[u32]; 2]`, has the active features of custom sets for white and for black,
//!   whoever these are in the game.
//! * `changes`, a `[FeatureChanges; 2]`, has the features that become active, or cease to be, for
//!   white and for black.
//! * `views`, a `[u32; 2]`, has the view of white and that of black. Numbers beyond the last view
//!   stand for the last. A change of view changes no features by itself.
//!
//! Something else than the network's own kind does not compile.

use crate::chess::Color;
use crate::delta::Delta;
use crate::features::FeatureChanges;
use crate::level::Level;
use crate::placement::Placement;
use crate::position::Position;

/// What a line of moves starts from; the [module](self) has a table.
pub trait Start<I> {
    #[doc(hidden)]
    fn beginning(&self, level: Level) -> Beginning<'_>;
}

/// What a move changes; the [module](self) has a table.
pub trait Step<I> {
    #[doc(hidden)]
    fn changes(&self) -> StepChanges<'_>;
}

/// A [`Start`], in the form in which all have the same type.
pub struct Beginning<'a> {
    pub(crate) placement: Placement,
    pub(crate) side_to_move: Color,
    pub(crate) views: [u32; 2],
    pub(crate) active: [&'a [u32]; 2],
}

impl<'a> Beginning<'a> {
    fn of_features(side_to_move: Color, views: [u32; 2], active: [&'a [u32]; 2]) -> Self {
        Beginning {
            placement: Placement::EMPTY,
            side_to_move,
            views,
            active,
        }
    }
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
        $kind:ident: $of:ident;
    )*) => {
        $(
            $(#[$attribute])*
            #[doc(hidden)]
            pub trait $kind {}

            impl $kind for $of {}
            impl $kind for FromAnything {}
        )*
    };
}

kinds! {
    #[diagnostic::on_unimplemented(
        message = "a position alone does not say which features are active in this network",
        note = "the engine supplies the features of custom sets: `(&position, active)` and `(&delta, changes)` if others \
                follow the position, `(side, active)` and `changes` if not, `(side, views, active)` and `(views, changes)` \
                for sets with views"
    )]
    TakesPositions: FromPosition;

    #[diagnostic::on_unimplemented(
        message = "this network does not have both sets that follow the position and custom sets",
        note = "it takes `&position` and `&delta` if it has no custom sets, `(side, active)` and `changes` if it has no \
                others, `(side, views, active)` and `(views, changes)` for sets with views"
    )]
    TakesBoth: FromBoth;

    #[diagnostic::on_unimplemented(
        message = "features alone are not what this network sees",
        note = "it takes `&position` and `&delta` if it has no custom sets, `(&position, active)` and `(&delta, changes)` \
                if some sets follow the position, `(side, views, active)` and `(views, changes)` for sets with views"
    )]
    TakesFeatures: FromFeatures;

    #[diagnostic::on_unimplemented(
        message = "this network has no feature sets with views",
        note = "write `views` into the spec, or leave the views out: `(side, active)` and `changes`"
    )]
    TakesViews: FromViews;
}

impl<I: TakesPositions, P: Position> Start<I> for &P {
    fn beginning(&self, level: Level) -> Beginning<'_> {
        Beginning {
            placement: Placement::of(level, *self),
            side_to_move: self.side_to_move(),
            views: [0; 2],
            active: [&[]; 2],
        }
    }
}

impl<I: TakesBoth, P: Position> Start<I> for (&P, [&[u32]; 2]) {
    fn beginning(&self, level: Level) -> Beginning<'_> {
        let (position, active) = *self;
        Beginning {
            active,
            ..Start::<FromPosition>::beginning(&position, level)
        }
    }
}

impl<I: TakesFeatures> Start<I> for (Color, [&[u32]; 2]) {
    fn beginning(&self, _: Level) -> Beginning<'_> {
        let (side_to_move, active) = *self;
        Beginning::of_features(side_to_move, [0; 2], active)
    }
}

impl<I: TakesViews> Start<I> for (Color, [u32; 2], [&[u32]; 2]) {
    fn beginning(&self, _: Level) -> Beginning<'_> {
        let (side_to_move, views, active) = *self;
        Beginning::of_features(side_to_move, views, active)
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
            views: None,
            features,
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
