//! The network of all engines here: bullet's example `simple`, with a net that nobody has trained.

use fastrand::Rng;

/// What `nnue_net!` makes of the spec.
pub mod simple {
    nnue_runtime::nnue_net!("../../specs/bullet/simple.toml");
}

/// A net as bullet writes its `quantised.bin`. Its values follow from a seed, and know no more than
/// that pieces are worth something.
#[must_use]
pub fn file() -> Vec<u8> {
    let mut random = Rng::with_seed(1);
    let mut values: Vec<i16> = Vec::new();
    for own in [true, false] {
        for worth in [1, 3, 3, 5, 9, 0] {
            for _ in 0..64 * simple::WIDTH {
                let noise = random.i16(-2..=2);
                values.push(if own { 3 * worth + noise } else { noise });
            }
        }
    }
    values.extend((0..simple::WIDTH).map(|_| random.i16(0..40)));
    let outputs: Vec<i16> = (0..simple::WIDTH).map(|_| random.i16(4..12)).collect();
    values.extend(&outputs);
    values.extend(outputs.iter().map(|weight| -weight));
    values.push(100);
    let mut file: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let len = file.len().next_multiple_of(64);
    let tail = b"bullet".iter().cycle();
    file.extend(tail.take(len - file.len()));
    file
}
