//! `dispatch!`: the one place where functions that enable target features are entered.

use nnue_format::levels::LevelKind;

/// Calls a function of the module of a level: `dispatch!(level, function(arguments))`.
///
/// It is for generated code. The modules of all levels that this architecture has must be in scope,
/// each with that function, which is safe and enables at most the features of its level. Arguments
/// are local variables.
///
/// The macro is safe for every caller, with any modules in scope, and also if the rules below are
/// called without the first one. The compiler checks each function, in a function that enables the
/// features of its level and calls it without `unsafe`; that these are no more than the table's is
/// asserted. Arguments are read before any `unsafe` block, and a `let` of their names compiles only
/// if they are variables, which a `static mut` is not.
#[doc(hidden)]
#[macro_export]
macro_rules! __dispatch {
    ($level:expr, $function:ident $arguments:tt) => {
        $crate::__private::levels! { $crate::__dispatch, @rows $level, $function $arguments; }
    };
    // Each row gets arguments of its own: a macro cannot repeat them inside the repetition of rows.
    (
        @rows $level:expr, $function:ident $arguments:tt;
        Scalar scalar target_arch[] features[] $facts:tt
        $(
            $kind:ident $module:ident target_arch[$arch:literal $(, $($build:tt)+)?]
            features[$($feature:literal),+]
            $more_facts:tt
        )*
    ) => {
        $crate::__dispatch! {
            @call $level, scalar $function $arguments;
            $(
                [$arch $(, $($build)+)?] $kind [$($feature),+] $module $function $arguments;
            )*
        }
    };
    (
        @call $level:expr, $portable:ident $called:ident ($($argument:ident),* $(,)?);
        $(
            [$arch:literal $(, $($build:tt)+)?] $kind:ident [$($feature:literal),+]
            $module:ident $function:ident ($($own:ident),* $(,)?);
        )*
    ) => {
        match $crate::Level::kind($level) {
            $(
                #[cfg(all(target_arch = $arch $(, $($build)+)?))]
                $crate::LevelKind::$kind => {
                    $(let $own = $own;)*
                    // Check and call name the function by this import. A path could mean one
                    // function here and another there, if its first part were a type: methods are
                    // looked up anew each time, and an import takes only modules.
                    use $module::$function as __kernel;
                    // Compiles only if the function is safe to call where features of the level are
                    // enabled.
                    const _: () = {
                        $crate::__private::core::assert!(
                            $crate::__private::has_all(
                                $crate::LevelKind::$kind,
                                &[$($feature),+],
                            ),
                            "features beyond those of the level",
                        );
                        #[target_feature($(enable = $feature),+)]
                        fn call_without_unsafe() {
                            let _ = __kernel($($crate::__private::never(
                                $crate::__private::core::stringify!($own)
                            )),*);
                        }
                        let _ = call_without_unsafe;
                    };
                    #[allow(
                        unused_unsafe,
                        reason = "WebAssembly has no undetected features, so that the call is safe there"
                    )]
                    // SAFETY: a `Level` exists only where every feature of its kind does, and the
                    // call asks for nothing else, as was checked above.
                    unsafe {
                        __kernel($($own),*)
                    }
                }
            )*
            // Every machine can run it, and every level computes the same.
            _ => $portable::$called($($argument),*),
        }
    };
}

/// Whether a level has all of these features.
#[must_use]
pub const fn has_all(kind: LevelKind, features: &[&str]) -> bool {
    let known = kind.isa().features;
    let mut index = 0;
    while index < features.len() {
        let mut place = 0;
        while place < known.len() && !is_equal(known[place], features[index]) {
            place += 1;
        }
        if place == known.len() {
            return false;
        }
        index += 1;
    }
    true
}

const fn is_equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

/// Stands for an argument of any type in calls that are type-checked and never made.
#[must_use]
pub fn never<T>(argument: &str) -> T {
    unreachable!("`{argument}` of a call that is only checked")
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::__private::dispatch;
    use crate::level::Level;

    #[test]
    fn only_features_of_the_table_are_a_levels() {
        assert!(has_all(LevelKind::Scalar, &[]) && !has_all(LevelKind::Scalar, &["avx"]));
        assert!(has_all(LevelKind::Avx2, &["popcnt", "avx"]));
        assert!(!has_all(LevelKind::Avx2, &["avx", "avxvnni"]));
        assert!(
            !has_all(LevelKind::Avx2, &["avx,avx2"]) && !has_all(LevelKind::Avx2, &["avx2", "av"])
        );
    }

    /// Kernels as the generator writes them: one module for each level.
    macro_rules! kernels {
        ($(
            $kind:ident $module:ident target_arch[$($arch:literal $(, $($build:tt)+)?)?]
        features[$($feature:literal),*]
            $facts:tt
        )+) => {
            $(
                #[cfg(all($(target_arch = $arch $(, $($build)+)?)?))]
                mod $module {
                    $(#[target_feature(enable = $feature)])*
                    pub(super) fn name(greeting: &str) -> alloc::string::String {
                        alloc::format!("{greeting} {}", stringify!($module))
                    }
                }
            )+
        };
    }
    nnue_format::levels!(kernels);

    #[test]
    fn dispatch_calls_the_module_of_the_level() {
        let greeting = "hello";
        for level in Level::available() {
            assert_eq!(dispatch!(level, name(greeting)), format!("hello {level}"));
        }
    }
}
