//! Evaluators, which follow a search.

use std::sync::Arc;

use nnue_runtime::line::{FromPosition, StartsAt, TakesClock};
use nnue_runtime::{Architecture, Evaluated, Network, Ply, SelectedByPieces};

use crate::network::share;
use crate::status::{Status, fail, null};
use crate::types::{CMove, CPosition, Checked, Exported, clock};

/// An evaluator as C has it, with a share of its network.
///
/// The header's functions make moves and take them back in `line` without a call; the evaluator
/// behind hears of it when something is evaluated.
#[derive(Debug)]
#[repr(C)]
pub struct Evaluator<A: Architecture<Line: StartsAt<Checked>>> {
    line: Line,
    behind: Behind<A>,
}

/// The evaluator of the runtime.
type Behind<A> = nnue_runtime::Evaluator<A, Arc<Network<A>>>;

/// `nnue_line`: the moves that were made and not taken back, where the evaluator behind keeps them.
#[derive(Debug)]
#[repr(C)]
pub struct Line {
    /// The first move. This and the others are valid as long as nothing but the header's functions
    /// uses the moves.
    pub first: *mut Ply,
    /// Behind the last move.
    pub end: *mut Ply,
    /// Behind the last move that there is room for.
    pub limit: *mut Ply,
}

impl Line {
    /// The moves of a list of positions, which begins with the position before all moves.
    #[inline]
    fn of(plies: &mut Vec<Ply>) -> Line {
        let start = plies.as_mut_ptr();
        Line {
            first: start.wrapping_add(1),
            end: start.wrapping_add(plies.len()),
            limit: start.wrapping_add(plies.capacity()),
        }
    }

    /// How many moves there are.
    #[inline]
    fn len(&self) -> usize {
        (self.end as usize - self.first as usize) / size_of::<Ply>()
    }
}

impl<A: Architecture<Line: StartsAt<Checked>>> Evaluator<A> {
    fn new(mut behind: Behind<A>) -> Evaluator<A> {
        let line = behind.change_line(Line::of);
        Evaluator { line, behind }
    }

    /// Uses the evaluator behind, which knows all moves then.
    #[inline(always)]
    fn with<R>(&mut self, usage: impl FnOnce(&mut Behind<A>) -> R) -> R {
        let plies = 1 + self.line.len();
        // SAFETY: nothing has used the list since it was lent. The positions up to `end` were in it
        // then, or the header's functions have written them since: all of their bytes, with two
        // words that can be any, and with views and flags as after a move. They leave `end` between
        // `first` and `limit`, so there is room for all.
        self.behind
            .change_line(|line| unsafe { line.set_len(plies) });
        let result = usage(&mut self.behind);
        // Also if it has not moved: using the list ends what a pointer from before may do.
        self.line = self.behind.change_line(Line::of);
        result
    }
}

/// The type of a network's evaluations in C.
pub type EvaluationOf<A> = <<<A as Architecture>::Output as Evaluated>::Evaluation as Exported>::C;

/// The value behind a pointer, or the error for a null pointer.
macro_rules! given {
    ($pointer:ident as $how:ident) => {
        // SAFETY: the caller vouches for all pointers that are not null.
        match unsafe { $pointer.$how() } {
            Some(value) => value,
            None => return null(stringify!($pointer)),
        }
    };
}

/// The value of a result, or the status that is its error.
macro_rules! sound {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(status) => return status,
        }
    };
}

/// `P_evaluator_new`.
///
/// # Safety
///
/// Pointers are null or valid: `network` is a network that was not freed, `position` points to a
/// position, and `evaluator` to a pointer that may be written.
pub unsafe fn new<A: Architecture<Line = FromPosition>>(
    network: *const Network<A>,
    position: *const CPosition,
    evaluator: *mut *mut Evaluator<A>,
) -> Status {
    // SAFETY: the same contract.
    unsafe { new_at(network, position, 0, evaluator) }
}

/// `P_evaluator_new` of networks that see the half-move clock.
///
/// # Safety
///
/// As for [`new`].
pub unsafe fn new_at<A: Architecture<Line: StartsAt<Checked>>>(
    network: *const Network<A>,
    position: *const CPosition,
    halfmove_clock: u32,
    evaluator: *mut *mut Evaluator<A>,
) -> Status {
    // SAFETY: the caller vouches for it.
    let network = sound!(unsafe { share(network) });
    let position = sound!(given!(position as as_ref).check(halfmove_clock));
    if evaluator.is_null() {
        return null("evaluator");
    }
    let behind = nnue_runtime::Evaluator::new(network, &position);
    let made = Box::new(Evaluator::new(behind));
    // SAFETY: it is not null, and the caller vouches for the rest.
    unsafe { evaluator.write(Box::into_raw(made)) };
    Status::OK
}

/// `P_evaluator_free`.
///
/// # Safety
///
/// `evaluator` is null or an evaluator that was not freed, and no other thread uses it.
pub unsafe fn free<A: Architecture<Line: StartsAt<Checked>>>(evaluator: *mut Evaluator<A>) {
    if !evaluator.is_null() {
        // SAFETY: it is from `Box::into_raw`, and the caller gives up the only use of it.
        drop(unsafe { Box::from_raw(evaluator) });
    }
}

/// `P_evaluator_reset`.
///
/// # Safety
///
/// Pointers are null or valid: `evaluator` is one that was not freed and that no other thread uses,
/// `position` points to a position.
#[inline]
pub unsafe fn reset<A: Architecture<Line = FromPosition>>(
    evaluator: *mut Evaluator<A>,
    position: *const CPosition,
) -> Status {
    // SAFETY: the same contract.
    unsafe { reset_at(evaluator, position, 0) }
}

/// `P_evaluator_reset` of networks that see the half-move clock.
///
/// # Safety
///
/// As for [`reset`].
#[inline]
pub unsafe fn reset_at<A: Architecture<Line: StartsAt<Checked>>>(
    evaluator: *mut Evaluator<A>,
    position: *const CPosition,
    halfmove_clock: u32,
) -> Status {
    let evaluator = given!(evaluator as as_mut);
    let position = sound!(given!(position as as_ref).check(halfmove_clock));
    evaluator.with(|behind| behind.reset(&position));
    Status::OK
}

/// `P_evaluator_set_halfmove_clock`.
///
/// # Safety
///
/// As for [`push`].
pub unsafe fn set_halfmove_clock<A>(evaluator: *mut Evaluator<A>, halfmove_clock: u32) -> Status
where
    A: Architecture<Line: StartsAt<Checked> + TakesClock>,
{
    let evaluator = given!(evaluator as as_mut);
    evaluator.with(|behind| behind.set_halfmove_clock(clock(halfmove_clock)));
    Status::OK
}

/// `P_evaluator_push_called`: all of `P_evaluator_push`, which the header has for C.
///
/// # Safety
///
/// `evaluator` is null or an evaluator that was not freed, and no other thread uses it.
pub unsafe fn push<A: Architecture<Line: StartsAt<Checked>>>(
    evaluator: *mut Evaluator<A>,
    mv: CMove,
) -> Status {
    let evaluator = given!(evaluator as as_mut);
    let delta = sound!(mv.delta());
    evaluator.with(|behind| behind.push(&delta));
    Status::OK
}

/// `P_evaluator_push_checked`.
///
/// # Safety
///
/// As for [`push`].
pub unsafe fn push_checked<A: Architecture<Line: StartsAt<Checked>>>(
    evaluator: *mut Evaluator<A>,
    mv: CMove,
) -> Status {
    let evaluator = given!(evaluator as as_mut);
    let delta = sound!(mv.delta());
    match evaluator.with(|behind| behind.try_push(&delta)) {
        Ok(()) => Status::OK,
        Err(error) => fail(Status::MOVE, error),
    }
}

/// `P_evaluator_pop_called`: all of `P_evaluator_pop`, which the header has for C.
///
/// # Safety
///
/// As for [`push`].
pub unsafe fn pop<A: Architecture<Line: StartsAt<Checked>>>(
    evaluator: *mut Evaluator<A>,
) -> Status {
    let evaluator = given!(evaluator as as_mut);
    if evaluator.line.end == evaluator.line.first {
        return fail(Status::MOVE, "found no move to take back");
    }
    evaluator.line.end = evaluator.line.end.wrapping_sub(1);
    Status::OK
}

/// `P_evaluator_evaluate`.
///
/// # Safety
///
/// Pointers are null or valid: `evaluator` is one that was not freed and that no other thread uses,
/// `output` may be written.
#[inline]
pub unsafe fn evaluate<A>(evaluator: *mut Evaluator<A>, output: *mut EvaluationOf<A>) -> Status
where
    A: SelectedByPieces<Line: StartsAt<Checked>>,
    <A::Output as Evaluated>::Evaluation: Exported,
{
    // SAFETY: the same contract.
    unsafe { evaluate_either(evaluator, None, output) }
}

/// `P_evaluator_evaluate_bucket` of networks whose bucket the number of pieces selects.
///
/// # Safety
///
/// As for [`evaluate`].
#[inline]
pub unsafe fn evaluate_other_bucket<A>(
    evaluator: *mut Evaluator<A>,
    bucket: u32,
    output: *mut EvaluationOf<A>,
) -> Status
where
    A: SelectedByPieces<Line: StartsAt<Checked>>,
    <A::Output as Evaluated>::Evaluation: Exported,
{
    // SAFETY: the same contract.
    unsafe { evaluate_either(evaluator, Some(bucket), output) }
}

/// Both of them, so that the library has the code once, and all of it in one function.
///
/// # Safety
///
/// As for [`evaluate`].
#[inline(never)]
unsafe fn evaluate_either<A>(
    evaluator: *mut Evaluator<A>,
    bucket: Option<u32>,
    output: *mut EvaluationOf<A>,
) -> Status
where
    A: SelectedByPieces<Line: StartsAt<Checked>>,
    <A::Output as Evaluated>::Evaluation: Exported,
{
    let evaluate = |behind: &mut Behind<A>| {
        let bucket = bucket.map(checked::<A>).transpose()?;
        Ok(behind.evaluate_either(bucket))
    };
    // SAFETY: the same contract.
    unsafe { evaluated(evaluator, output, evaluate) }
}

/// `P_evaluator_evaluate_bucket`.
///
/// # Safety
///
/// As for [`evaluate`].
#[inline]
pub unsafe fn evaluate_bucket<A>(
    evaluator: *mut Evaluator<A>,
    bucket: u32,
    output: *mut EvaluationOf<A>,
) -> Status
where
    A: Architecture<Line: StartsAt<Checked>>,
    <A::Output as Evaluated>::Evaluation: Exported,
{
    let evaluate = |behind: &mut Behind<A>| Ok(behind.evaluate_bucket(checked::<A>(bucket)?));
    // SAFETY: the same contract.
    unsafe { evaluated(evaluator, output, evaluate) }
}

/// Writes the evaluation of an evaluator that knows all moves.
///
/// # Safety
///
/// As for [`evaluate`].
#[inline(always)]
unsafe fn evaluated<A>(
    evaluator: *mut Evaluator<A>,
    output: *mut EvaluationOf<A>,
    evaluate: impl FnOnce(&mut Behind<A>) -> Result<A::Output, Status>,
) -> Status
where
    A: Architecture<Line: StartsAt<Checked>>,
    <A::Output as Evaluated>::Evaluation: Exported,
{
    let evaluator = given!(evaluator as as_mut);
    if output.is_null() {
        return null("output");
    }
    let evaluation = sound!(evaluator.with(evaluate));
    // SAFETY: it is not null, and the caller vouches for the rest.
    unsafe { output.write(evaluation.evaluation().to_c()) };
    Status::OK
}

/// A bucket that the network has.
#[inline]
fn checked<A: Architecture<Line: StartsAt<Checked>>>(bucket: u32) -> Result<usize, Status> {
    let bucket = bucket as usize;
    if bucket < A::BUCKETS {
        return Ok(bucket);
    }
    let last = A::BUCKETS - 1;
    let error = format_args!("found bucket {bucket}, expected 0 to {last}");
    Err(fail(Status::BUCKET, error))
}
