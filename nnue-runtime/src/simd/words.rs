//! Operations that take the same primitives at every level, in the same order: written once, and
//! defined in each level's file over that level's primitives.

/// Defines `quantmoid4_i16`. The attributes are those of the level's primitives.
macro_rules! quantmoid4_i16 {
    ($(#[$attribute:meta])*) => {
        /// [`quantmoid4`](crate::activation::quantmoid4) of each lane.
        $(#[$attribute])*
        pub fn quantmoid4_i16(x: I16) -> I16 {
            // -1 for negative values, 0 for the others.
            let negative = shift_right_i16::<15>(x);
            let clamped = min_i16(max_i16(x, splat_i16(-127)), splat_i16(127));
            let distance = max_i16(clamped, sub_i16(splat_i16(0), clamped));
            let root = sub_i16(splat_i16(127), distance);
            // The parabola of negative values, and that of the others.
            let below = shift_right_i16::<8>(mul_low_i16(root, root));
            let above = sub_i16(splat_i16(126), below);
            add_i16(above, mul_low_i16(negative, sub_i16(above, below)))
        }
    };
}

pub(super) use quantmoid4_i16;
