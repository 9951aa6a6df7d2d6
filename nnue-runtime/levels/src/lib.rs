//! The table of levels: the instruction sets that kernels are generated for.
//!
//! The compiler runs on one machine and writes kernels for others, and the runtime detects what its
//! machine can do. Both read this table, so that they cannot disagree. A new level is a row here,
//! and a file of primitives in the runtime.

#![no_std]
#![forbid(unsafe_code)]

/// Calls a macro with the table: `levels!(callback, arguments)` becomes
/// `callback! { arguments rows }`.
///
/// For code that needs the names and features of levels as tokens. All else reads [`ISAS`]. A row
/// is
///
/// ```text
/// Kind module target_arch["architecture"] features["feature", ...] { doc and facts }
/// ```
///
/// The first row is the portable level: it has no architecture and no features, and all others have
/// both. Rows of one architecture ascend: a later one is expected to be faster where both are
/// available. The features of a level are all that its kernels may use, in the names of rustc.
#[macro_export]
macro_rules! levels {
    ($($callback:ident)::+ $(, $($arguments:tt)*)?) => {
        $($callback)::+! {
            $($($arguments)*)?

            Scalar scalar target_arch[] features[] {
                /// Plain Rust, which runs everywhere; LLVM uses what the build's target features
                /// allow.
                vector_bytes: 16,
                registers: 16,
                nonzero_vectors: 1,
                short_dot_chain: true,
                exact_inputs: 255,
            }

            Avx2 avx2 target_arch["x86_64"] features[
                "avx", "avx2", "bmi1", "bmi2", "fma", "lzcnt", "popcnt"
            ] {
                /// 256-bit vectors: Intel since Haswell (2013), AMD since Zen (2017).
                vector_bytes: 32,
                registers: 16,
                nonzero_vectors: 1,
                short_dot_chain: true,
                exact_inputs: 127,
            }

            AvxVnni avxvnni target_arch["x86_64"] features[
                "avx", "avx2", "bmi1", "bmi2", "fma", "lzcnt", "popcnt", "avxvnni"
            ] {
                /// AVX2 with one instruction for products of bytes: Intel's processors without
                /// AVX-512 since Alder Lake (2021).
                vector_bytes: 32,
                registers: 16,
                nonzero_vectors: 1,
                short_dot_chain: false,
                exact_inputs: 255,
            }

            // `avx512f` turns on `f16c` too, so that has to be detected.
            Avx512 avx512 target_arch["x86_64"] features[
                "avx", "avx2", "bmi1", "bmi2", "fma", "lzcnt", "popcnt",
                "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"
            ] {
                /// 512-bit vectors and twice the registers: Intel since Skylake-X (2017).
                vector_bytes: 64,
                registers: 32,
                nonzero_vectors: 1,
                short_dot_chain: true,
                exact_inputs: 127,
            }

            Avx512Icl avx512icl target_arch["x86_64"] features[
                "avx", "avx2", "bmi1", "bmi2", "fma", "lzcnt", "popcnt",
                "f16c", "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd",
                "avx512vnni", "avx512vbmi", "avx512vbmi2", "avx512bitalg", "avx512vpopcntdq"
            ] {
                /// AVX-512 with products of bytes and compression of 16-bit lanes: Intel since Ice
                /// Lake (2019), AMD since Zen 4 (2022).
                vector_bytes: 64,
                registers: 32,
                nonzero_vectors: 2,
                short_dot_chain: false,
                exact_inputs: 255,
            }
        }
    };
}

/// The facts about a level that hold on every machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Isa {
    /// The level that the row describes.
    pub kind: LevelKind,
    /// The name of the level, of the runtime's module of primitives, and of the generated module of
    /// kernels.
    pub name: &'static str,
    /// The architecture whose processors can have it, as in `cfg(target_arch)`; none for the level
    /// that runs everywhere.
    pub target_arch: Option<&'static str>,
    /// The target features that kernels are compiled with, in the names of rustc.
    pub features: &'static [&'static str],
    /// Bytes of a vector.
    pub vector_bytes: usize,
    /// Vectors that fit in registers at once.
    pub registers: usize,
    /// Vectors of packed bytes whose non-zero blocks are listed at once.
    pub nonzero_vectors: usize,
    /// Whether a dot product's sum is ready one step later. Otherwise it takes four steps, and
    /// independent sums must hide that.
    pub short_dot_chain: bool,
    /// The largest input for which `dot` is exact whatever the weights: 255 where products of bytes
    /// are added in 32 bits, 127 where pairs of products are added in 16 bits, saturating. For
    /// larger inputs `dot` is only used where the weights prove that no pair of products leaves 16
    /// bits.
    pub exact_inputs: u8,
}

impl Isa {
    /// How many values of `bytes` bytes a vector holds.
    #[must_use]
    pub const fn lanes(&self, bytes: usize) -> usize {
        self.vector_bytes / bytes
    }

    /// Whether every machine can run it.
    #[must_use]
    pub const fn is_portable(&self) -> bool {
        self.target_arch.is_none()
    }
}

impl LevelKind {
    /// The row of the table.
    #[must_use]
    pub const fn isa(self) -> &'static Isa {
        &ISAS[self as usize]
    }
}

macro_rules! define {
    ($(
        $kind:ident $module:ident target_arch[$($arch:literal)?] features[$($feature:literal),*] {
            $(#[$doc:meta])+
            $($fact:ident: $value:expr),+ $(,)?
        }
    )+) => {
        /// The levels by name, in the order of the table.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum LevelKind {
            $($(#[$doc])+ $kind,)+
        }

        /// All levels, of every architecture.
        pub static ISAS: &[Isa] = &[$(
            Isa {
                kind: LevelKind::$kind,
                name: stringify!($module),
                target_arch: first(&[$($arch)?]),
                features: &[$($feature),*],
                $($fact: $value,)+
            }
        ),+];
    };
}
levels!(define);

const fn first(list: &[&'static str]) -> Option<&'static str> {
    match list {
        [first, ..] => Some(first),
        [] => None,
    }
}

/// The code of README.md, which doctests compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_finds_its_own_row() {
        for isa in ISAS {
            assert_eq!(isa.kind.isa(), isa);
        }
    }

    #[test]
    fn only_the_first_level_is_portable() {
        for (index, isa) in ISAS.iter().enumerate() {
            assert_eq!(isa.is_portable(), index == 0, "{}", isa.name);
            assert_eq!(isa.features.is_empty(), index == 0, "{}", isa.name);
        }
    }

    /// Code of one level may call that of the level that it extends.
    #[test]
    fn levels_have_all_features_of_those_they_extend() {
        use LevelKind::{Avx2, Avx512, Avx512Icl, AvxVnni};
        for (kind, extended) in [(AvxVnni, Avx2), (Avx512, Avx2), (Avx512Icl, Avx512)] {
            let features = kind.isa().features;
            let mut needed = extended.isa().features.iter();
            assert!(needed.all(|feature| features.contains(feature)), "{kind:?}");
        }
    }
}
