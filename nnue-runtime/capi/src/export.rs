//! The macro that gives a network's functions their names in C.

/// Exports the functions of a network to C.
///
/// ```
/// mod net {
///     nnue_runtime::nnue_net!("../../specs/bullet/simple.toml");
/// }
///
/// mod exported {
///     nnue_capi::export!(super::net, "simple", by_pieces);
/// }
/// # fn main() {}
/// ```
///
/// The first argument is the module of [`nnue_net!`](nnue_runtime::nnue_net), the second the
/// beginning of all names in C. After these come `by_pieces`, if the number of pieces selects the
/// network's bucket, `embedded`, if its weights are part of the program, and `clock`, if it sees
/// the half-move clock. The functions are those that [`Header`](crate::header::Header) declares.
///
/// A panic cannot leave an `extern "C"` function: it ends the process.
#[macro_export]
macro_rules! export {
    ($($net:ident)::+, $prefix:literal $(, $extra:ident)* $(,)?) => {
        use $($net)::+ as exported_net;
        use $crate::__private::*;

        type Net = exported_net::Net;
        type Network = exported_net::Network;
        type Evaluator = evaluator::Evaluator<Net>;
        type Evaluation = evaluator::EvaluationOf<Net>;

        $crate::__functions! { $prefix
            fn last_error() -> *const c_char {
                status::last_error()
            }
            fn name() -> *const c_char {
                static NAME: [u8; exported_net::NAME.len() + 1] = terminated(exported_net::NAME);
                NAME.as_ptr().cast()
            }
            fn buckets() -> u32 {
                exported_net::BUCKETS as u32
            }
            fn level_name(index: usize) -> *const c_char {
                network::level_name(index)
            }
            fn network_open(
                path: *const c_char,
                level: *const c_char,
                network: *mut *mut Network
            ) -> Status {
                network::open::<Net>(path, level, network)
            }
            fn network_from_bytes(
                bytes: *const u8,
                len: usize,
                level: *const c_char,
                network: *mut *mut Network
            ) -> Status {
                network::from_bytes::<Net>(bytes, len, level, network)
            }
            fn network_level(network: *const Network) -> *const c_char {
                network::level::<Net>(network)
            }
            fn network_free(network: *mut Network) -> () {
                network::free::<Net>(network)
            }
            fn evaluator_free(evaluator: *mut Evaluator) -> () {
                evaluator::free::<Net>(evaluator)
            }
            fn evaluator_push_called(evaluator: *mut Evaluator, mv: CMove) -> Status {
                evaluator::push::<Net>(evaluator, mv)
            }
            fn evaluator_push_checked(evaluator: *mut Evaluator, mv: CMove) -> Status {
                evaluator::push_checked::<Net>(evaluator, mv)
            }
            fn evaluator_pop_called(evaluator: *mut Evaluator) -> Status {
                evaluator::pop::<Net>(evaluator)
            }
        }
        $crate::__starts! { $prefix $($extra)* }
        $crate::__evaluations! { $prefix $($extra)* }
        $($crate::__extra! { $extra $prefix })*
    };
}

/// Exports the starts of lines: at a position, or at a position and a half-move clock.
#[doc(hidden)]
#[macro_export]
macro_rules! __starts {
    ($prefix:literal clock $($extra:ident)*) => {
        $crate::__functions! { $prefix
            fn evaluator_new(
                network: *const Network,
                position: *const CPosition,
                halfmove_clock: u32,
                evaluator: *mut *mut Evaluator
            ) -> Status {
                evaluator::new_at::<Net>(network, position, halfmove_clock, evaluator)
            }
            fn evaluator_reset(
                evaluator: *mut Evaluator,
                position: *const CPosition,
                halfmove_clock: u32
            ) -> Status {
                evaluator::reset_at::<Net>(evaluator, position, halfmove_clock)
            }
        }
    };
    ($prefix:literal $other:ident $($extra:ident)*) => {
        $crate::__starts! { $prefix $($extra)* }
    };
    ($prefix:literal) => {
        $crate::__functions! { $prefix
            fn evaluator_new(
                network: *const Network,
                position: *const CPosition,
                evaluator: *mut *mut Evaluator
            ) -> Status {
                evaluator::new::<Net>(network, position, evaluator)
            }
            fn evaluator_reset(evaluator: *mut Evaluator, position: *const CPosition) -> Status {
                evaluator::reset::<Net>(evaluator, position)
            }
        }
    };
}

/// Exports the evaluation with a bucket.
#[doc(hidden)]
#[macro_export]
macro_rules! __evaluations {
    ($prefix:literal by_pieces $($extra:ident)*) => {
        $crate::__functions! { $prefix
            fn evaluator_evaluate_bucket(
                evaluator: *mut Evaluator,
                bucket: u32,
                output: *mut Evaluation
            ) -> Status {
                evaluator::evaluate_other_bucket::<Net>(evaluator, bucket, output)
            }
        }
    };
    ($prefix:literal $($extra:ident)*) => {
        $crate::__functions! { $prefix
            fn evaluator_evaluate_bucket(
                evaluator: *mut Evaluator,
                bucket: u32,
                output: *mut Evaluation
            ) -> Status {
                evaluator::evaluate_bucket::<Net>(evaluator, bucket, output)
            }
        }
    };
}

/// Exports the functions that not all networks have.
#[doc(hidden)]
#[macro_export]
macro_rules! __extra {
    (by_pieces $prefix:literal) => {
        $crate::__functions! { $prefix
            fn evaluator_evaluate(evaluator: *mut Evaluator, output: *mut Evaluation) -> Status {
                evaluator::evaluate::<Net>(evaluator, output)
            }
        }
    };
    (clock $prefix:literal) => {
        $crate::__functions! { $prefix
            fn evaluator_set_halfmove_clock(
                evaluator: *mut Evaluator,
                halfmove_clock: u32
            ) -> Status {
                evaluator::set_halfmove_clock::<Net>(evaluator, halfmove_clock)
            }
        }
    };
    (embedded $prefix:literal) => {
        $crate::__functions! { $prefix
            fn network_embedded(level: *const c_char, network: *mut *mut Network) -> Status {
                network::embedded::<Net>(level, network)
            }
        }
    };
}

/// Defines functions whose names in C are the prefix and their own.
#[doc(hidden)]
#[macro_export]
macro_rules! __functions {
    ($prefix:literal $(
        fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty $body:block
    )*) => { $(
        #[doc = concat!("`", $prefix, "_", stringify!($name), "`, which the header describes.")]
        ///
        /// # Safety
        ///
        /// Pointers are null or as the header says.
        #[unsafe(export_name = concat!($prefix, "_", stringify!($name)))]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            #[allow(unused_unsafe, reason = "some functions take no pointers")]
            // SAFETY: the contract is the same.
            unsafe { $body }
        }
    )* };
}

/// A text with a zero byte at its end.
#[doc(hidden)]
#[must_use]
pub const fn terminated<const LEN: usize>(text: &str) -> [u8; LEN] {
    let mut bytes = [0; LEN];
    let mut index = 0;
    while index < text.len() {
        bytes[index] = text.as_bytes()[index];
        index += 1;
    }
    bytes
}
