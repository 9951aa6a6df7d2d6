//! Levels: the instruction sets that kernels are generated for, which of them this machine can run,
//! and the choice of one.
//!
//! A [`Level`] is proof: it is only made after every feature of its row in the table below was
//! detected (or, with [`Level::assume`], vouched for). Therefore [`dispatch!`](crate::dispatch) may
//! call functions that enable exactly these features.

use alloc::string::String;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;
use core::str::FromStr;

use crate::simd;

/// Whether this machine has a target feature. Without `std` nothing can be asked at run time, and
/// the machine has what the build was compiled for.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
macro_rules! has_feature {
    ($feature:tt) => {
        std::arch::is_x86_feature_detected!($feature)
    };
}
#[cfg(not(all(feature = "std", target_arch = "x86_64")))]
macro_rules! has_feature {
    ($feature:tt) => {
        cfg!(all(target_arch = "x86_64", target_feature = $feature))
    };
}

/// The one table of levels. Detection, the attribute of generated functions, and the baseline all
/// come from it, so that they cannot differ.
macro_rules! levels {
    ($($(#[$doc:meta])* $kind:ident $name:literal [$($first:tt $(, $feature:tt)*)?];)+) => {
        /// The instruction sets, ascending: a later one is expected to be faster where both are
        /// available.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$doc])* $kind,)+
        }

        impl Kind {
            const ALL: &[Kind] = &[$(Kind::$kind),+];

            /// The highest level of which every feature is enabled at compile time.
            const BASELINE: Kind = {
                let mut baseline = Kind::Scalar;
                $(
                    if cfg!(all(
                        target_arch = "x86_64"
                        $(, target_feature = $first $(, target_feature = $feature)*)?
                    )) {
                        baseline = Kind::$kind;
                    }
                )+
                baseline
            };

            const fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => $name,)+
                }
            }

            const fn features(self) -> &'static [&'static str] {
                match self {
                    $(Kind::$kind => &[$($first $(, $feature)*)?],)+
                }
            }

            /// The features as `#[target_feature(enable = "...")]` wants them.
            const fn attribute(self) -> &'static str {
                match self {
                    $(Kind::$kind => concat!($($first $(, ",", $feature)*)?),)+
                }
            }

            fn missing(self) -> Vec<&'static str> {
                let tested: &[(&'static str, bool)] = match self {
                    $(Kind::$kind => &[
                        $(($first, has_feature!($first)) $(, ($feature, has_feature!($feature)))*)?
                    ],)+
                };
                tested.iter().filter(|(_, has)| !has).map(|&(feature, _)| feature).collect()
            }
        }
    };
}

levels! {
    /// Plain Rust, which runs everywhere; LLVM uses what the build's target features allow.
    Scalar "scalar" [];
    /// 256-bit vectors: Intel since Haswell (2013), AMD since Zen (2017).
    Avx2 "avx2" ["avx", "avx2", "bmi1", "bmi2", "fma", "lzcnt", "popcnt"];
    /// AVX2 with one instruction for products of bytes: Intel's processors without AVX-512 since
    /// Alder Lake (2021).
    AvxVnni "avxvnni" ["avx", "avx2", "bmi1", "bmi2", "fma", "lzcnt", "popcnt", "avxvnni"];
    /// 512-bit vectors and twice the registers: Intel since Skylake-X (2017).
    Avx512 "avx512" [
        "avx", "avx2", "bmi1", "bmi2", "fma", "lzcnt", "popcnt",
        "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"
    ];
    /// AVX-512 with products of bytes and compression of 16-bit lanes: Intel since Ice Lake (2019),
    /// AMD since Zen 4 (2022).
    Avx512Icl "avx512icl" [
        "avx", "avx2", "bmi1", "bmi2", "fma", "lzcnt", "popcnt",
        "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd",
        "avx512vnni", "avx512vbmi", "avx512vbmi2", "avx512bitalg", "avx512vpopcntdq"
    ];
}

/// An instruction set that this machine can run.
///
/// All levels compute the same integers; they differ in speed only.
///
/// Levels below [`Level::BASELINE`] are not available, so that a build for one machine (`-C
/// target-cpu=native`) carries no code and no branch for others.
// INVARIANT: this machine has all features of the kind, and the kind is not below the baseline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Level(Kind);

impl Level {
    /// The highest level of which every feature was enabled when this build was compiled; `scalar`
    /// in portable builds.
    pub const BASELINE: Level = Level(Kind::BASELINE);

    /// The level to use: the one that the environment variable `NNUE_LEVEL` names, else the best
    /// available.
    ///
    /// Detected once per process. If the variable names a level that is unknown or not available,
    /// one line on stderr says so and the best is used; to treat that as an error, ask
    /// [`Level::from_env`] first. Without the feature `std` this is [`Level::BASELINE`].
    #[must_use]
    pub fn detect() -> Level {
        #[cfg(feature = "std")]
        {
            static DETECTED: std::sync::OnceLock<Level> = std::sync::OnceLock::new();
            *DETECTED.get_or_init(|| match Level::from_env() {
                Ok(chosen) => chosen.unwrap_or_else(Level::best),
                Err(error) => {
                    use std::io::Write;
                    let best = Level::best();
                    // Unlike `eprintln!`, this does not panic where stderr is closed.
                    let _ = writeln!(
                        std::io::stderr(),
                        "`NNUE_LEVEL` ignored: {error}; using `{best}`"
                    );
                    best
                }
            })
        }
        #[cfg(not(feature = "std"))]
        Level::best()
    }

    /// The level that the environment variable `NNUE_LEVEL` names; `None` where it is not set or
    /// empty.
    ///
    /// # Errors
    ///
    /// As [`Level::by_name`].
    #[cfg(feature = "std")]
    pub fn from_env() -> Result<Option<Level>, LevelError> {
        match std::env::var_os("NNUE_LEVEL") {
            Some(name) if !name.is_empty() => Level::by_name(&name.to_string_lossy()).map(Some),
            _ => Ok(None),
        }
    }

    /// The level of a name: `scalar`, `avx2`, `avxvnni`, `avx512` or `avx512icl`.
    ///
    /// # Errors
    ///
    /// [`LevelError`] if there is no such level, if this machine lacks features of it, or if it is
    /// below [`Level::BASELINE`].
    pub fn by_name(name: &str) -> Result<Level, LevelError> {
        let Some(&kind) = Kind::ALL.iter().find(|kind| kind.name() == name) else {
            return Err(LevelError::Unknown { name: name.into() });
        };
        Level::new(kind)
    }

    /// All levels that this machine and this build can run, ascending.
    pub fn available() -> impl Iterator<Item = Level> {
        Kind::ALL.iter().filter_map(|&kind| Level::new(kind).ok())
    }

    /// The level of a kind without detection; the baseline if that is higher.
    ///
    /// # Safety
    ///
    /// This machine has all [features](Level::features) of the kind.
    #[must_use]
    pub const unsafe fn assume(kind: Kind) -> Level {
        if (kind as u8) < Kind::BASELINE as u8 {
            Level::BASELINE
        } else {
            Level(kind)
        }
    }

    /// What to match on. A constant in builds whose baseline is the top level.
    #[inline(always)]
    #[must_use]
    pub const fn kind(self) -> Kind {
        const TOP: Kind = Kind::ALL[Kind::ALL.len() - 1];
        // By the invariant nothing but `self.0` is ever returned; written so that the compiler sees
        // which arms of a `match` no level can reach.
        if Kind::BASELINE as u8 == TOP as u8 || (self.0 as u8) < Kind::BASELINE as u8 {
            return Kind::BASELINE;
        }
        self.0
    }

    /// The name, as in [`Level::by_name`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.kind().name()
    }

    /// The target features of the level, as rustc names them.
    #[must_use]
    pub const fn features(self) -> &'static [&'static str] {
        self.kind().features()
    }

    /// The order in which this level's `pack_u8` leaves groups of 8 bytes: packed group `g` of a
    /// vector holds logical group `packed()[g]`. Weights are permuted by it once, when they are
    /// loaded.
    #[must_use]
    pub fn packed(self) -> &'static [usize] {
        match self.kind() {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 | Kind::AvxVnni => &simd::avx2::PACKED,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 | Kind::Avx512Icl => &simd::avx512::PACKED,
            _ => &simd::scalar::PACKED,
        }
    }

    fn best() -> Level {
        Level::available().last().unwrap_or(Level::BASELINE)
    }

    /// The only place that makes a level of a kind that is not the baseline and not assumed.
    fn new(kind: Kind) -> Result<Level, LevelError> {
        if kind < Kind::BASELINE {
            return Err(LevelError::BelowBaseline {
                name: kind.name(),
                baseline: Kind::BASELINE.name(),
            });
        }
        let missing = kind.missing();
        if missing.is_empty() {
            Ok(Level(kind))
        } else {
            Err(LevelError::Unavailable {
                name: kind.name(),
                missing,
            })
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = LevelError;

    fn from_str(name: &str) -> Result<Level, LevelError> {
        Level::by_name(name)
    }
}

/// Why a level cannot be had.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LevelError {
    /// No level has this name.
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// The machine lacks features of the level (without `std`: the build was not compiled with
    /// them).
    Unavailable {
        /// The level asked for.
        name: &'static str,
        /// The features that are missing, as rustc names them; at least one.
        missing: Vec<&'static str>,
    },
    /// The build was compiled for a higher level and has no code for this one.
    BelowBaseline {
        /// The level asked for.
        name: &'static str,
        /// The lowest level that this build has code for.
        baseline: &'static str,
    },
}

impl fmt::Display for LevelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LevelError::Unknown { name } => {
                write!(f, "unknown level `{name}`, expected one of")?;
                write_names(f, Kind::ALL.iter().map(|kind| kind.name()))
            }
            LevelError::Unavailable { name, missing } => {
                write!(f, "level `{name}` is not available: found no support for")?;
                write_names(f, missing.iter().copied())
            }
            LevelError::BelowBaseline { name, baseline } => write!(
                f,
                "level `{name}` is not available: found a build compiled with the target features of `{baseline}`, \
                 expected one with those of `{name}` or fewer"
            ),
        }
    }
}

impl Error for LevelError {}

/// Whether the string of a `#[target_feature(enable = "...")]` attribute lists exactly the features
/// of a kind, in the table's order. Generated code asserts it at compile time, so that kernels are
/// neither slower than their level allows nor uncallable.
#[doc(hidden)]
#[must_use]
pub const fn enables(kind: Kind, attribute: &str) -> bool {
    let (expected, found) = (kind.attribute().as_bytes(), attribute.as_bytes());
    if expected.len() != found.len() {
        return false;
    }
    let mut index = 0;
    while index < expected.len() {
        if expected[index] != found[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// Stands for an argument of any type in calls that are type-checked and never made.
#[doc(hidden)]
#[must_use]
pub fn never<T>(argument: &str) -> T {
    unreachable!("`{argument}` of a call that is only checked")
}

/// Calls a function of the module of a level: `dispatch!(level, function(arguments))`.
///
/// For generated code: modules `scalar`, and on x86-64 `avx2`, `avxvnni`, `avx512` and `avx512icl`,
/// must be in scope, each with that function, which is safe and enables at most the features of the
/// level. Arguments are local variables.
///
/// Safe for whoever calls it, whatever is in these modules. The compiler itself checks the functions, once
/// for each level, in a function that enables the features of the level and calls them without
/// `unsafe`. Arguments are read before any `unsafe` block, and a `let` of their names compiles only
/// if they are variables: a `static mut` is none.
#[doc(hidden)]
#[macro_export]
macro_rules! dispatch {
    ($level:expr, $function:ident($($argument:ident),* $(,)?)) => {{
        $(let $argument = $argument;)*
        match $crate::level::Level::kind($level) {
            #[cfg(target_arch = "x86_64")]
            $crate::level::Kind::Avx2 => {
                $crate::dispatch!(@assert_safe Avx2
                    "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt",
                    avx2::$function($($argument),*));
                // SAFETY: a `Level` exists only where every feature of its kind does, and as the
                // line above asserts, the call asks for nothing else.
                unsafe { avx2::$function($($argument),*) }
            }
            #[cfg(target_arch = "x86_64")]
            $crate::level::Kind::AvxVnni => {
                $crate::dispatch!(@assert_safe AvxVnni
                    "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni",
                    avxvnni::$function($($argument),*));
                // SAFETY: as above.
                unsafe { avxvnni::$function($($argument),*) }
            }
            #[cfg(target_arch = "x86_64")]
            $crate::level::Kind::Avx512 => {
                $crate::dispatch!(@assert_safe Avx512
                    "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512cd",
                    avx512::$function($($argument),*));
                // SAFETY: as above.
                unsafe { avx512::$function($($argument),*) }
            }
            #[cfg(target_arch = "x86_64")]
            $crate::level::Kind::Avx512Icl => {
                $crate::dispatch!(@assert_safe Avx512Icl
                    "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq",
                    avx512icl::$function($($argument),*));
                // SAFETY: as above.
                unsafe { avx512icl::$function($($argument),*) }
            }
            // Every machine can run it, and every level computes the same.
            _ => scalar::$function($($argument),*),
        }
    }};
    // Compiles only if the function is safe to call where exactly the features of the kind are enabled.
    (@assert_safe $kind:ident $features:literal, $module:ident::$function:ident($($argument:ident),*)) => {
        const _: () = {
            $crate::__private::core::assert!($crate::level::enables(
                $crate::level::Kind::$kind,
                $features
            ));
            #[target_feature(enable = $features)]
            fn call_without_unsafe() {
                let _ = $module::$function(
                    $($crate::level::never($crate::__private::core::stringify!($argument))),*
                );
            }
            let _ = call_without_unsafe;
        };
    };
}

fn write_names(
    f: &mut fmt::Formatter<'_>,
    names: impl Iterator<Item = &'static str>,
) -> fmt::Result {
    for (index, name) in names.enumerate() {
        write!(f, "{} `{name}`", if index == 0 { "" } else { "," })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::ToString;
    use alloc::vec;

    use super::*;

    #[test]
    fn available_levels_ascend_from_the_baseline() {
        let levels: Vec<Level> = Level::available().collect();
        assert_eq!(levels[0], Level::BASELINE);
        assert!(levels.is_sorted() && levels.contains(&Level::detect()));
        if Level::BASELINE.kind() == Kind::Avx512Icl || cfg!(not(feature = "std")) {
            assert_eq!(levels, [Level::BASELINE]);
        }
    }

    #[test]
    fn a_level_has_all_features_of_the_levels_it_extends() {
        let extends = |kind: Kind, base: Kind| {
            base.features()
                .iter()
                .all(|feature| kind.features().contains(feature))
        };
        assert!(extends(Kind::AvxVnni, Kind::Avx2));
        assert!(extends(Kind::Avx512, Kind::Avx2));
        assert!(extends(Kind::Avx512Icl, Kind::Avx512));
    }

    #[test]
    fn names_round_trip_and_others_are_refused() {
        for level in Level::available() {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        let error = Level::by_name("avx3").unwrap_err();
        assert_eq!(
            error,
            LevelError::Unknown {
                name: "avx3".into()
            }
        );
        assert_eq!(
            error.to_string(),
            "unknown level `avx3`, expected one of `scalar`, `avx2`, `avxvnni`, `avx512`, `avx512icl`"
        );
        assert!(Level::by_name("").is_err() && Level::by_name("AVX2").is_err());
    }

    #[test]
    fn every_level_is_available_or_refused_with_the_reason() {
        for &kind in Kind::ALL {
            match Level::by_name(kind.name()) {
                Ok(level) => assert!(level.kind() == kind && kind.missing().is_empty()),
                Err(LevelError::BelowBaseline { name, baseline }) => {
                    assert!(
                        name == kind.name()
                            && baseline == Level::BASELINE.name()
                            && kind < Kind::BASELINE
                    );
                }
                Err(LevelError::Unavailable { name, missing }) => {
                    assert!(name == kind.name() && !missing.is_empty() && kind > Kind::BASELINE);
                }
                Err(error) => panic!("{kind:?}: {error}"),
            }
        }
    }

    #[test]
    fn errors_say_what_was_found() {
        let unavailable = LevelError::Unavailable {
            name: "avx512",
            missing: vec!["avx512f", "avx512cd"],
        };
        assert_eq!(
            unavailable.to_string(),
            "level `avx512` is not available: found no support for `avx512f`, `avx512cd`"
        );
        let below = LevelError::BelowBaseline {
            name: "scalar",
            baseline: "avx2",
        };
        assert_eq!(
            below.to_string(),
            "level `scalar` is not available: found a build compiled with the target features of `avx2`, \
             expected one with those of `scalar` or fewer"
        );
    }

    #[test]
    fn assume_never_goes_below_the_baseline() {
        // SAFETY: every machine has the features of `scalar`: there are none.
        assert_eq!(unsafe { Level::assume(Kind::Scalar) }, Level::BASELINE);
    }

    #[test]
    fn packed_orders_are_permutations_of_a_vector() {
        for level in Level::available() {
            let mut groups = level.packed().to_vec();
            groups.sort_unstable();
            assert!(groups.iter().copied().eq(0..groups.len()), "{level}");
        }
    }

    #[test]
    fn only_the_exact_features_enable_a_kind() {
        assert!(enables(Kind::Scalar, "") && !enables(Kind::Scalar, "avx"));
        assert!(enables(
            Kind::AvxVnni,
            "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni"
        ));
        assert!(!enables(
            Kind::Avx2,
            "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni"
        ));
        assert!(!enables(Kind::Avx2, "avx,avx2,bmi1,bmi2,fma,lzcnt"));
        assert!(!enables(Kind::Avx2, "avx,avx2,bmi1,bmi2,fma,lzcnt,popcns"));
        for &kind in Kind::ALL {
            assert_eq!(kind.attribute(), kind.features().join(","));
        }
    }

    /// Kernels as the generator writes them: one module per level, the features asserted.
    macro_rules! kernels {
        ($($module:ident $kind:ident $attribute:literal),*) => { $(
            mod $module {
                const _: () = assert!(crate::level::enables(crate::level::Kind::$kind, $attribute));

                #[target_feature(enable = $attribute)]
                pub(super) fn name(greeting: &str) -> alloc::string::String {
                    alloc::format!("{greeting} {}", stringify!($module))
                }
            }
        )* };
    }
    mod scalar {
        pub(super) fn name(greeting: &str) -> alloc::string::String {
            alloc::format!("{greeting} scalar")
        }
    }
    #[cfg(target_arch = "x86_64")]
    kernels!(
        avx2 Avx2 "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt",
        avxvnni AvxVnni "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avxvnni",
        avx512 Avx512 "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512cd",
        avx512icl Avx512Icl "avx,avx2,bmi1,bmi2,fma,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vnni,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
    );

    #[test]
    fn dispatch_calls_the_module_of_the_level() {
        let greeting = "hello";
        for level in Level::available() {
            assert_eq!(dispatch!(level, name(greeting)), format!("hello {level}"));
        }
    }

    /// Run by the test below in processes of its own; alone it shows the level in use.
    #[test]
    #[cfg(feature = "std")]
    fn print_the_detected_level() {
        std::println!("detected: {}.", Level::detect());
    }

    #[test]
    #[cfg(feature = "std")]
    fn detect_honours_the_environment_and_reports_nonsense() {
        let test = concat!(module_path!(), "::print_the_detected_level")
            .split_once("::")
            .unwrap()
            .1;
        let run = |value: &str| {
            let output = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", test, "--nocapture"])
                .env("NNUE_LEVEL", value)
                .output()
                .unwrap();
            (
                String::from_utf8(output.stdout).unwrap(),
                String::from_utf8(output.stderr).unwrap(),
            )
        };
        for level in Level::available() {
            let (stdout, stderr) = run(level.name());
            assert!(stdout.contains(&format!("detected: {level}.")), "{stdout}");
            assert!(!stderr.contains("NNUE_LEVEL"), "{stderr}");
        }
        let best = Level::available().last().unwrap();
        let (stdout, stderr) = run("avx1024");
        assert!(stdout.contains(&format!("detected: {best}.")), "{stdout}");
        assert!(
            stderr.contains("`NNUE_LEVEL` ignored: unknown level `avx1024`"),
            "{stderr}"
        );
        assert!(run("").0.contains(&format!("detected: {best}.")));
    }
}
