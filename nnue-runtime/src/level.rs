//! Levels: which of the instruction sets in the table of [`nnue_format::levels`] this machine can run, and
//! how one of them is chosen.
//!
//! A [`Level`] is proof: it is only made after every feature of its row in the table was detected
//! (or, with [`Level::assume`], vouched for). Therefore [`dispatch!`](crate::__private::dispatch)
//! may call functions that enable these features.
//!
//! With `--cfg nnue_scalar` a build has no other level than `scalar`, to compare with. With `--cfg
//! nnue_all_levels` it has also those below its baseline, to test them.

pub(crate) mod dispatch;

use alloc::string::String;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;
use core::str::FromStr;
use nnue_format::foreign;

use nnue_format::levels::{ISAS, Isa, LevelKind};

/// Whether this machine has a target feature. Without `std` nothing can be asked at run time, and
/// the machine has what the build was compiled for.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
macro_rules! has_feature {
    ($feature:tt) => {
        std::arch::is_x86_feature_detected!($feature)
    };
}
#[cfg(all(feature = "std", target_arch = "aarch64"))]
#[allow(
    unused_macros,
    reason = "big-endian builds and those without vectors have no levels of their own"
)]
macro_rules! has_feature {
    ($feature:tt) => {
        std::arch::is_aarch64_feature_detected!($feature)
    };
}
#[cfg(not(all(feature = "std", any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[allow(
    unused_macros,
    reason = "an architecture without levels of its own has no features to ask for"
)]
macro_rules! has_feature {
    ($feature:tt) => {
        cfg!(target_feature = $feature)
    };
}

/// Defines all that follows from the table for the architecture that this build is for.
macro_rules! of_this_architecture {
    ($(
        $kind:ident $module:ident target_arch[$($arch:literal $(, $($build:tt)+)?)?]
        features[$($feature:tt),*] $facts:tt
    )+) => {
        /// The levels of this architecture, ascending.
        const KINDS: &[LevelKind] = match cfg!(nnue_scalar) {
            true => &[LevelKind::Scalar],
            false => &[$(
                #[cfg(all($(target_arch = $arch $(, $($build)+)?)?))]
                LevelKind::$kind
            ),+],
        };

        /// The highest level with all its features enabled at compile time.
        const BASELINE: LevelKind = {
            let mut baseline = LevelKind::Scalar;
            $(
                if cfg!(all(
                    not(any(nnue_scalar, nnue_all_levels)),
                    $(target_arch = $arch, $($($build)+,)?)?
                    $(target_feature = $feature),*
                )) {
                    baseline = LevelKind::$kind;
                }
            )+
            baseline
        };

        /// The features of a level of this architecture that this machine lacks.
        fn missing(kind: LevelKind) -> Vec<&'static str> {
            let tested: &[(&'static str, bool)] = match kind {
                // This build has no code of the level.
                _ if !KINDS.contains(&kind) => return kind.isa().features.to_vec(),
                $(
                    #[cfg(all($(target_arch = $arch $(, $($build)+)?)?))]
                    LevelKind::$kind => &[$(($feature, has_feature!($feature))),*],
                )+
                _ => &[],
            };
            tested.iter().filter(|(_, has)| !has).map(|&(feature, _)| feature).collect()
        }

        /// Whether the level is one of the architecture that this build is for.
        const fn is_of_architecture(kind: LevelKind) -> bool {
            match kind {
                $(LevelKind::$kind => cfg!(all($(target_arch = $arch)?)),)+
                _ => false,
            }
        }
    };
}
nnue_format::levels!(of_this_architecture);

/// An instruction set that this machine can run.
///
/// All levels compute the same integers; they differ in speed only.
///
/// Levels below [`Level::BASELINE`] are not available, so that a build for one machine (`-C
/// target-cpu=native`) carries no code and no branch for others.
// INVARIANT: this machine has all features of the kind, and the kind is not below the baseline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Level(LevelKind);

impl Level {
    /// The highest level with all its features enabled in this build; `scalar` in portable builds.
    pub const BASELINE: Level = Level(BASELINE);

    /// The level to use: the environment variable `NNUE_LEVEL` names it, else it is the best that
    /// is available.
    ///
    /// It is detected once per process. If the variable names a level that is unknown or not
    /// available, one line on stderr says so and the best is used; to treat that as an error, ask
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
    /// [`LevelError`] in the same cases as [`Level::by_name`].
    #[cfg(feature = "std")]
    pub fn from_env() -> Result<Option<Level>, LevelError> {
        match std::env::var_os("NNUE_LEVEL") {
            Some(name) if !name.is_empty() => Level::by_name(&name.to_string_lossy()).map(Some),
            _ => Ok(None),
        }
    }

    /// The level of a name, one of [`Level::names`].
    ///
    /// # Errors
    ///
    /// [`LevelError`] if there is no such level, if this machine lacks features of it, or if it is
    /// below [`Level::BASELINE`].
    pub fn by_name(name: &str) -> Result<Level, LevelError> {
        match ISAS.iter().find(|isa| isa.name == name) {
            Some(isa) => Level::new(isa.kind),
            None => Err(LevelError::Unknown { name: name.into() }),
        }
    }

    /// All levels that this machine and this build can run, ascending.
    pub fn available() -> impl Iterator<Item = Level> {
        KINDS.iter().filter_map(|&kind| Level::new(kind).ok())
    }

    /// The names of all levels that machines of this architecture can have, ascending: on x86-64
    /// `scalar`, `avx2`, `avxvnni`, `avx512` and `avx512icl`, on 64-bit Arm `scalar`, `neon`,
    /// `neondot` and `neoni8mm`. For WebAssembly, it is the levels that this build has.
    pub fn names() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|kind| kind.isa().name)
    }

    /// The level of a kind without detection; the baseline if that is higher.
    ///
    /// # Safety
    ///
    /// The kind is one of a level of this architecture, and this machine has all
    /// [features](Level::features) of it.
    #[must_use]
    pub const unsafe fn assume(kind: LevelKind) -> Level {
        if (kind as u8) < BASELINE as u8 {
            Level::BASELINE
        } else {
            Level(kind)
        }
    }

    /// The level as a value to match on. The value is a constant in builds whose baseline is the
    /// highest level.
    #[inline(always)]
    #[must_use]
    pub const fn kind(self) -> LevelKind {
        const TOP: LevelKind = KINDS[KINDS.len() - 1];
        // By the invariant nothing but `self.0` is ever returned. It is written like this to let
        // the compiler see which arms of a `match` no level can reach.
        let kind = self.0 as u8;
        if BASELINE as u8 == TOP as u8 || kind < BASELINE as u8 || kind > TOP as u8 {
            return BASELINE;
        }
        self.0
    }

    /// The name; [`Level::by_name`] finds the level by it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.kind().isa().name
    }

    /// The target features of the level, as rustc names them.
    #[must_use]
    pub const fn features(self) -> &'static [&'static str] {
        self.kind().isa().features
    }

    fn best() -> Level {
        Level::available().last().unwrap_or(Level::BASELINE)
    }

    /// Detects a level. Apart from `assume`, no other function makes a level above the baseline.
    fn new(kind: LevelKind) -> Result<Level, LevelError> {
        let Isa {
            name, target_arch, ..
        } = *kind.isa();
        if let Some(target_arch) = target_arch
            && !is_of_architecture(kind)
        {
            return Err(LevelError::OtherArchitecture { name, target_arch });
        }
        if kind < BASELINE {
            let baseline = BASELINE.isa().name;
            return Err(LevelError::BelowBaseline { name, baseline });
        }
        match missing(kind) {
            missing if missing.is_empty() => Ok(Level(kind)),
            missing => Err(LevelError::Unavailable { name, missing }),
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
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LevelError {
    /// No level has this name.
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// Only machines of another architecture can have the level.
    OtherArchitecture {
        /// The level asked for.
        name: &'static str,
        /// The architecture of such machines, as in `cfg(target_arch)`.
        target_arch: &'static str,
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
                write!(f, "unknown level `{}`, expected one of", foreign(name))?;
                write_names(f, Level::names())
            }
            LevelError::OtherArchitecture { name, target_arch } => write!(
                f,
                "level `{name}` is not available: only machines of the architecture `{target_arch}` can have it"
            ),
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

nnue_format::debug_is_message!(LevelError);

impl Error for LevelError {}

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
        if Level::BASELINE.kind() == LevelKind::Avx512Icl || cfg!(not(feature = "std")) {
            assert_eq!(levels, [Level::BASELINE]);
        }
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
        let names: Vec<String> = Level::names().map(|name| format!("`{name}`")).collect();
        assert_eq!(
            error.to_string(),
            format!("unknown level `avx3`, expected one of {}", names.join(", "))
        );
        assert!(Level::by_name("").is_err() && Level::by_name("AVX2").is_err());
    }

    #[test]
    fn every_level_is_available_or_refused_with_the_reason() {
        for isa in ISAS {
            let is_here = KINDS.contains(&isa.kind);
            match Level::by_name(isa.name) {
                Ok(level) => {
                    assert!(level.kind() == isa.kind && is_here && missing(isa.kind).is_empty());
                }
                Err(LevelError::OtherArchitecture { name, target_arch }) => {
                    assert!(name == isa.name && isa.target_arch == Some(target_arch));
                    assert!(!is_of_architecture(isa.kind) && !is_here);
                }
                Err(LevelError::BelowBaseline { name, baseline }) => {
                    assert!(name == isa.name && baseline == Level::BASELINE.name());
                    assert!(isa.kind < BASELINE && is_here);
                }
                Err(LevelError::Unavailable { name, missing }) => {
                    assert!(name == isa.name && !missing.is_empty());
                    assert!(isa.kind > BASELINE && is_of_architecture(isa.kind));
                }
                Err(error) => panic!("{}: {error}", isa.name),
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
        let elsewhere = LevelError::OtherArchitecture {
            name: "neon",
            target_arch: "aarch64",
        };
        assert_eq!(
            elsewhere.to_string(),
            "level `neon` is not available: only machines of the architecture `aarch64` can have it"
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
        assert_eq!(unsafe { Level::assume(LevelKind::Scalar) }, Level::BASELINE);
    }

    #[test]
    fn packed_orders_are_permutations_of_a_vector() {
        for level in Level::available() {
            let mut groups = level.packed().to_vec();
            groups.sort_unstable();
            assert!(groups.iter().copied().eq(0..groups.len()), "{level}");
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
