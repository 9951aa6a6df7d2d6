//! Evaluators, which follow a search.

use std::sync::Arc;

use nnue_runtime::{Architecture, Delta, Evaluated, Network, SelectedByPieces};

use crate::network::share;
use crate::status::{Status, fail, null};
use crate::types::{CMove, CPosition, Exported};

/// An evaluator as C has it, with a share of its network.
///
/// The header's functions make moves and take them back in `noted` without a call; the evaluator
/// behind is told of what is left of that when something is evaluated.
#[derive(Debug)]
#[repr(C)]
pub struct Evaluator<A: Architecture> {
    noted: Noted,
    told: Told<A>,
}

/// The evaluator of the runtime.
type Told<A> = nnue_runtime::Evaluator<A, Arc<Network<A>>>;

/// `nnue_noted`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Noted {
    /// How many moves of those that the evaluator behind has been told are not taken back.
    pub known: usize,
    /// How many moves there are.
    pub len: usize,
    /// The moves; those from `len` on mean nothing. There are two lists: if a move lay in 16 bytes,
    /// C would store it as two words and Rust load it as one vector, and a processor waits for that
    /// until both stores are done.
    pub removed: [u64; Noted::MOST],
    /// The other half of the moves.
    pub added: [u64; Noted::MOST],
}

impl Noted {
    /// The most moves that are noted.
    pub const MOST: usize = 32;

    const NONE: Noted = Noted {
        known: 0,
        len: 0,
        removed: [0; Noted::MOST],
        added: [0; Noted::MOST],
    };
}

impl<A: Architecture> Evaluator<A> {
    /// Tells the evaluator behind what was noted, and returns it.
    #[inline]
    fn all_told(&mut self) -> &mut Told<A> {
        let Noted {
            known,
            len,
            removed,
            added,
        } = &self.noted;
        let made = removed.iter().zip(added).take(*len);
        let made = made.map(|(removed, added)| Delta::from_packed(*removed, *added));
        self.told.replace(*known, made);
        self.noted.len = 0;
        self.noted.known = self.told.ply();
        &mut self.told
    }
}

/// What a network's evaluations are in C.
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
pub unsafe fn new<A: Architecture>(
    network: *const Network<A>,
    position: *const CPosition,
    evaluator: *mut *mut Evaluator<A>,
) -> Status {
    // SAFETY: the caller vouches for it.
    let network = sound!(unsafe { share(network) });
    let position = sound!(given!(position as as_ref).check());
    if evaluator.is_null() {
        return null("evaluator");
    }
    let made = Box::new(Evaluator {
        noted: Noted::NONE,
        told: nnue_runtime::Evaluator::new(network, &position),
    });
    // SAFETY: it is not null, and the caller vouches for the rest.
    unsafe { evaluator.write(Box::into_raw(made)) };
    Status::OK
}

/// `P_evaluator_free`.
///
/// # Safety
///
/// `evaluator` is null or an evaluator that was not freed, and no other thread uses it.
pub unsafe fn free<A: Architecture>(evaluator: *mut Evaluator<A>) {
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
pub unsafe fn reset<A: Architecture>(
    evaluator: *mut Evaluator<A>,
    position: *const CPosition,
) -> Status {
    let evaluator = given!(evaluator as as_mut);
    let position = sound!(given!(position as as_ref).check());
    (evaluator.noted.known, evaluator.noted.len) = (0, 0);
    evaluator.told.reset(&position);
    Status::OK
}

/// `P_evaluator_push_called`: all of `P_evaluator_push`, which the header has for C.
///
/// # Safety
///
/// `evaluator` is null or an evaluator that was not freed, and no other thread uses it.
pub unsafe fn push<A: Architecture>(evaluator: *mut Evaluator<A>, mv: CMove) -> Status {
    let evaluator = given!(evaluator as as_mut);
    let delta = sound!(mv.delta());
    evaluator.all_told().push(&delta);
    evaluator.noted.known += 1;
    Status::OK
}

/// `P_evaluator_push_checked`.
///
/// # Safety
///
/// As for [`push`].
pub unsafe fn push_checked<A: Architecture>(evaluator: *mut Evaluator<A>, mv: CMove) -> Status {
    let evaluator = given!(evaluator as as_mut);
    match evaluator.all_told().try_push(&sound!(mv.delta())) {
        Ok(()) => {
            evaluator.noted.known += 1;
            Status::OK
        }
        Err(error) => fail(Status::MOVE, error),
    }
}

/// `P_evaluator_pop_called`: all of `P_evaluator_pop`, which the header has for C.
///
/// # Safety
///
/// As for [`push`].
pub unsafe fn pop<A: Architecture>(evaluator: *mut Evaluator<A>) -> Status {
    let evaluator = given!(evaluator as as_mut);
    if evaluator.noted.len > 0 {
        evaluator.noted.len -= 1;
    } else if evaluator.noted.known > 0 {
        evaluator.noted.known -= 1;
    } else {
        return fail(Status::MOVE, "found no move to take back");
    }
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
    A: SelectedByPieces,
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
    A: SelectedByPieces,
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
    A: SelectedByPieces,
    <A::Output as Evaluated>::Evaluation: Exported,
{
    let evaluate = |evaluator: &mut Told<A>| {
        let bucket = bucket.map(checked::<A>).transpose()?;
        Ok(evaluator.evaluate_either(bucket))
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
    A: Architecture,
    <A::Output as Evaluated>::Evaluation: Exported,
{
    let evaluate = |evaluator: &mut Told<A>| Ok(evaluator.evaluate_bucket(checked::<A>(bucket)?));
    // SAFETY: the same contract.
    unsafe { evaluated(evaluator, output, evaluate) }
}

/// Writes what an evaluator that knows all moves evaluates to.
///
/// # Safety
///
/// As for [`evaluate`].
#[inline(always)]
unsafe fn evaluated<A>(
    evaluator: *mut Evaluator<A>,
    output: *mut EvaluationOf<A>,
    evaluate: impl FnOnce(&mut Told<A>) -> Result<A::Output, Status>,
) -> Status
where
    A: Architecture,
    <A::Output as Evaluated>::Evaluation: Exported,
{
    let evaluator = given!(evaluator as as_mut);
    if output.is_null() {
        return null("output");
    }
    let evaluation = sound!(evaluate(evaluator.all_told()));
    // SAFETY: it is not null, and the caller vouches for the rest.
    unsafe { output.write(evaluation.evaluation().to_c()) };
    Status::OK
}

/// A bucket that the network has.
#[inline]
fn checked<A: Architecture>(bucket: u32) -> Result<usize, Status> {
    let bucket = bucket as usize;
    if bucket < A::BUCKETS {
        return Ok(bucket);
    }
    let last = A::BUCKETS - 1;
    let error = format_args!("found bucket {bucket}, expected 0 to {last}");
    Err(fail(Status::BUCKET, error))
}
