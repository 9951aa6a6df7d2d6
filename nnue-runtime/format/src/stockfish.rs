//! The first words of Stockfish's files, and the hashes in them, which follow from the network's
//! shape.

/// The first word of files up to Stockfish 13.
pub const FIRST_VERSION: u32 = 0x7AF3_2F16;
/// The first word of files from Stockfish 14 to SFNNv14.
pub const SECOND_VERSION: u32 = 0x7AF3_2F20;
/// The first word of files since SFNNv14b, where the PSQT values of each feature set follow its
/// weights.
pub const THIRD_VERSION: u32 = 0x6A44_8AFA;

/// The start value of a stack's hash, and the terms that its layers add.
const SLICE: u32 = 0xEC42_E90D;
const AFFINE: u32 = 0xCC03_DAE4;
const CLIPPED: u32 = 0x538D_24C7;

/// The word that stands for threats in a transformer's hash, from SFNNv10 to SFNNv15.
pub const THREATS: u32 = 0x8F23_4CB8;
/// The word for the threats of SFNNv16, where pawns threaten knights and rooks only.
pub const THREATS_WITHOUT_PAWNS: u32 = 0x2E6B_9D04;
/// The word for the pawn pairs of SFNNv16.
pub const PAWN_PAIRS: u32 = 0x86F2_B1DD;

/// The hash of a transformer with this many neurons per perspective, and with feature sets of these
/// hashes.
pub fn transformer_hash(features: impl IntoIterator<Item = u32>, width: u32) -> u32 {
    let sets = features.into_iter();
    sets.fold(0u32, |combined, hash| combined.rotate_left(1) ^ hash) ^ width.wrapping_mul(2)
}

/// The hash of a stack whose affine layers have these numbers of outputs. Activations, shifts and
/// the squared half of a layer's outputs do not change it.
pub fn stack_hash(width: u32, outputs: impl IntoIterator<Item = u32>) -> u32 {
    let mut hash = SLICE ^ width.wrapping_mul(2);
    for (index, outputs) in outputs.into_iter().enumerate() {
        if index > 0 {
            hash = hash.wrapping_add(CLIPPED);
        }
        hash = AFFINE.wrapping_add(outputs) ^ hash.rotate_right(1);
    }
    hash
}

/// The outputs of the first two of three affine layers that lead to the hash of a stack, if the
/// last layer has a single output and no layer has more than `most`. Different outputs can have the
/// same hash; the size of a stack tells which outputs it has.
pub fn outputs_of_hash(width: u32, stack_hash: u32, most: u32) -> impl Iterator<Item = [u32; 2]> {
    let second_hash = before_affine(stack_hash, 1).wrapping_sub(CLIPPED);
    let input = (SLICE ^ (2 * width)).rotate_right(1);
    (1..=most).filter_map(move |second| {
        let first_hash = before_affine(second_hash, second).wrapping_sub(CLIPPED);
        let first = (first_hash ^ input).wrapping_sub(AFFINE);
        (2..=most).contains(&first).then_some([first, second])
    })
}

/// The hash before an affine layer, computed from the hash behind it.
fn before_affine(hash: u32, outputs: u32) -> u32 {
    (hash ^ AFFINE.wrapping_add(outputs)).rotate_left(1)
}
