//! Where the random numbers of tests begin.

use std::env;

use fastrand::Rng;

/// The random numbers of a test: those of its own seed, so that each run is as the one before, or of
/// `NNUE_SEED`. The seed is printed, which a test that fails shows.
///
/// # Panics
///
/// If `NNUE_SEED` is no number.
#[must_use]
pub fn seeded(own: u64) -> Rng {
    let seed = chosen(env::var("NNUE_SEED").ok().as_deref(), own);
    println!("the same again: NNUE_SEED={seed}");
    Rng::with_seed(seed)
}

fn chosen(given: Option<&str>, own: u64) -> u64 {
    given.map_or(own, |text| {
        let number = text.parse();
        number.unwrap_or_else(|error| panic!("NNUE_SEED is `{text}`, expected a number: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_that_is_given_comes_first() {
        assert_eq!(chosen(None, 7), 7);
        assert_eq!(chosen(Some("12"), 7), 12);
    }

    #[test]
    #[should_panic(expected = "NNUE_SEED is `a`, expected a number")]
    fn what_is_no_seed_is_refused() {
        chosen(Some("a"), 7);
    }
}
