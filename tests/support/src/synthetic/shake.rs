//! SHAKE-256 of FIPS 202: as many bytes as wanted that follow from a text.

/// How many of the state's bytes a round takes in or gives out.
const RATE: usize = 136;

/// The rotations of the words, in the order in which `PLACES` visits them.
const ROTATIONS: [u32; 24] = [
    1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44,
];
const PLACES: [usize; 24] = [
    10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1,
];

/// The first bytes of SHAKE-256 of a text that is shorter than a block.
///
/// # Panics
///
/// If the text is too long.
#[must_use]
pub(super) fn shake_256(text: &str, len: usize) -> Vec<u8> {
    assert!(text.len() < RATE, "a text of a single block");
    let mut block = [0; RATE];
    block[..text.len()].copy_from_slice(text.as_bytes());
    block[text.len()] = 0x1F;
    block[RATE - 1] |= 0x80;
    let mut state = [0; 25];
    for (word, bytes) in state.iter_mut().zip(block.chunks_exact(8)) {
        *word = u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
    }
    let mut bytes = Vec::with_capacity(len + RATE);
    while bytes.len() < len {
        permute(&mut state);
        let words = &state[..RATE / 8];
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
    bytes.truncate(len);
    bytes
}

/// Keccak-f[1600].
fn permute(state: &mut [u64; 25]) {
    // A register that is shifted seven times per round makes the constants of the rounds.
    let mut register = 1_u8;
    for _ in 0..24 {
        let columns: [u64; 5] =
            std::array::from_fn(|x| (0..5).fold(0, |c, y| c ^ state[x + 5 * y]));
        for (place, word) in state.iter_mut().enumerate() {
            let x = place % 5;
            *word ^= columns[(x + 4) % 5] ^ columns[(x + 1) % 5].rotate_left(1);
        }
        let mut moved = state[1];
        for (place, rotation) in PLACES.into_iter().zip(ROTATIONS) {
            moved = std::mem::replace(&mut state[place], moved.rotate_left(rotation));
        }
        for row in state.chunks_exact_mut(5) {
            let old: [u64; 5] = std::array::from_fn(|x| row[x]);
            for x in 0..5 {
                row[x] ^= !old[(x + 1) % 5] & old[(x + 2) % 5];
            }
        }
        for bit in 0..7 {
            if register & 1 == 1 {
                state[0] ^= 1 << ((1 << bit) - 1);
            }
            register = match register & 0x80 {
                0 => register << 1,
                _ => (register << 1) ^ 0x71,
            };
        }
    }
}

/// The values of the standard's examples.
#[test]
fn bytes_are_those_of_the_standard() {
    let hex = |text, len| {
        let bytes = shake_256(text, len);
        bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    assert_eq!(hex("", 8), "46b9dd2b0ba88d13");
    assert_eq!(hex("abc", 8), "483366601360a877");
    assert!(hex("abc", 200).starts_with(&hex("abc", 150)));
}
