//! The table of levels, which are the instruction sets for which kernels are generated.
//!
//! The compiler runs on one machine and writes kernels for others, and the runtime detects which
//! instructions its machine has. Both read this table, so that they cannot disagree. A new level is
//! a row of this table, and a file of primitives in the runtime.

/// Calls a macro with the table: `levels!(callback, arguments)` becomes
/// `callback! { arguments rows }`.
///
/// It is for code that needs the names and features of levels as tokens; all other code reads
/// [`ISAS`]. A row is
///
/// ```text
/// Kind module target_arch["architecture", build] features["feature", ...] { doc and facts }
/// ```
///
/// The first row is the portable level: it has no architecture and no features, and all others have
/// both. Later rows of the same architecture are expected to be faster where both levels are
/// available. The features of a level are all features that its kernels may use, with the names
/// that rustc gives them.
///
/// `build` is a condition as in `cfg`. A build for the architecture has code of the level only if
/// the condition is true. A level that all builds have is without it.
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
                exact_if_proved: false,
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
                exact_if_proved: true,
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
                exact_if_proved: false,
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
                exact_if_proved: true,
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
                exact_if_proved: false,
            }

            // These levels read vectors with the lowest byte first, so the target must store
            // numbers in that order. Some kernels of operating systems are built without any
            // vectors.
            Neon neon target_arch["aarch64", target_endian = "little", target_feature = "neon"]
            features["neon"] {
                /// 128-bit vectors, which every 64-bit Arm has: phones, servers, Apple silicon.
                vector_bytes: 16,
                registers: 32,
                nonzero_vectors: 4,
                short_dot_chain: false,
                exact_inputs: 127,
                exact_if_proved: false,
            }

            NeonDot neondot target_arch["aarch64", target_endian = "little", target_feature = "neon"]
            features["neon", "dotprod"] {
                /// NEON with one instruction for products of signed bytes: Arm since Cortex-A75
                /// (2017), Apple since A13 (2019).
                vector_bytes: 16,
                registers: 32,
                nonzero_vectors: 4,
                short_dot_chain: false,
                exact_inputs: 127,
                exact_if_proved: false,
            }

            NeonI8mm neoni8mm target_arch["aarch64", target_endian = "little", target_feature = "neon"]
            features["neon", "dotprod", "i8mm"] {
                /// NEON with products of a byte with a sign and a byte without: Arm since Neoverse
                /// V1 (2020), Apple since A15 (2021).
                vector_bytes: 16,
                registers: 32,
                nonzero_vectors: 4,
                short_dot_chain: false,
                exact_inputs: 255,
                exact_if_proved: false,
            }

            // An engine refuses a whole module if it does not know some instruction of it.
            Simd128 simd128 target_arch["wasm32", target_feature = "simd128"] features["simd128"] {
                /// 128-bit vectors of WebAssembly: browsers since 2021, Safari since 2023.
                vector_bytes: 16,
                registers: 16,
                nonzero_vectors: 4,
                short_dot_chain: true,
                exact_inputs: 255,
                exact_if_proved: false,
            }

            Relaxed relaxed target_arch["wasm32", target_feature = "relaxed-simd"]
            features["simd128", "relaxed-simd"] {
                /// WebAssembly's vectors with one instruction for products of bytes: Chrome since
                /// version 124 (2024). Versions 114 to 118 have it too, but compute other values.
                vector_bytes: 16,
                registers: 16,
                nonzero_vectors: 4,
                short_dot_chain: true,
                exact_inputs: 127,
                exact_if_proved: false,
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
    /// The architecture whose processors can have the level, as in `cfg(target_arch)`; `None` for
    /// the level that runs everywhere.
    pub target_arch: Option<&'static str>,
    /// The condition, as in `cfg`, under which a build for the architecture has code of the level;
    /// `None` where all builds have it.
    pub build: Option<&'static str>,
    /// The target features that kernels are compiled with, with the names that rustc gives them.
    pub features: &'static [&'static str],
    /// The number of bytes of a vector.
    pub vector_bytes: usize,
    /// The number of vectors that fit in registers at once.
    pub registers: usize,
    /// The number of vectors of packed bytes that are searched together for blocks that are not
    /// zero.
    pub nonzero_vectors: usize,
    /// Whether the sum of a dot product is ready one step later. Otherwise it takes four steps, and
    /// independent sums must hide the delay.
    pub short_dot_chain: bool,
    /// The largest input for which `dot` is exact whatever the weights: 255 where products of bytes
    /// without a sign are added in 32 bits, 127 where pairs of products are added in 16 bits, or
    /// where inputs are read as bytes with a sign.
    pub exact_inputs: u8,
    /// Whether `dot` is exact for larger inputs too where the weights prove that no pair of
    /// products leaves 16 bits. Otherwise it is not used for such inputs. On these levels products
    /// of two blocks cost less where the weights prove that the sums of both fit in 16 bits.
    pub exact_if_proved: bool,
}

impl Isa {
    /// The number of values of `bytes` bytes in a vector.
    #[must_use]
    pub const fn lanes(&self, bytes: usize) -> usize {
        self.vector_bytes / bytes
    }

    /// Whether every machine can run the level.
    #[must_use]
    pub const fn is_portable(&self) -> bool {
        self.target_arch.is_none()
    }
}

impl LevelKind {
    /// The facts about the level: its row of the table.
    #[must_use]
    pub const fn isa(self) -> &'static Isa {
        &ISAS[self as usize]
    }
}

macro_rules! define {
    ($(
        $kind:ident $module:ident target_arch[$($arch:literal $(, $($build:tt)+)?)?]
        features[$($feature:literal),*] {
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
                build: first(&[$($(stringify!($($build)+))?)?]),
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

    /// Code of a level may call code of the level that it extends.
    #[test]
    fn levels_have_all_features_of_those_they_extend() {
        use LevelKind::{
            Avx2, Avx512, Avx512Icl, AvxVnni, Neon, NeonDot, NeonI8mm, Relaxed, Simd128,
        };
        for (kind, extended) in [
            (AvxVnni, Avx2),
            (Avx512, Avx2),
            (Avx512Icl, Avx512),
            (NeonDot, Neon),
            (NeonI8mm, NeonDot),
            (Relaxed, Simd128),
        ] {
            let features = kind.isa().features;
            let mut needed = extended.isa().features.iter();
            assert!(needed.all(|feature| features.contains(feature)), "{kind:?}");
        }
    }
}
