//! The opponent's loops, written once over the primitives of an instruction set.

/// The loops of an instruction set, in the module that has its primitives, and the type through
/// which an engine uses them.
macro_rules! loops {
    ($name:ident, $features:literal, $($feature:tt),+) => {
        use crate::engine::Loops;

        #[doc = concat!("Loops that use ", $features, ".")]
        #[derive(Clone, Copy)]
        pub(crate) struct $name(());

        impl $name {
            /// The loops, if this machine has the instructions.
            pub(crate) fn detect() -> Option<$name> {
                let has_all = $(std::arch::is_x86_feature_detected!($feature))&&+;
                has_all.then_some($name(()))
            }
        }

        impl Loops for $name {
            #[inline(always)]
            fn add<const W: usize>(self, values: &mut [i16; W], row: &[i16; W]) {
                // SAFETY: only `detect` makes the type, where the machine has the instructions.
                unsafe { add(values, row) }
            }

            #[inline(always)]
            fn quiet<const W: usize>(
                self,
                before: &[i16; W],
                after: &mut [i16; W],
                added: &[i16; W],
                removed: &[i16; W],
            ) {
                // SAFETY: only `detect` makes the type, where the machine has the instructions.
                unsafe { quiet(before, after, added, removed) }
            }

            #[inline(always)]
            fn capture<const W: usize>(
                self,
                before: &[i16; W],
                after: &mut [i16; W],
                added: &[i16; W],
                removed: [&[i16; W]; 2],
            ) {
                // SAFETY: only `detect` makes the type, where the machine has the instructions.
                unsafe { capture(before, after, added, removed) }
            }

            #[inline(always)]
            fn castling<const W: usize>(
                self,
                before: &[i16; W],
                after: &mut [i16; W],
                added: [&[i16; W]; 2],
                removed: [&[i16; W]; 2],
            ) {
                // SAFETY: only `detect` makes the type, where the machine has the instructions.
                unsafe { castling(before, after, added, removed) }
            }

            #[inline(always)]
            fn forward<const W: usize>(
                self,
                halves: [&[i16; W]; 2],
                weights: &[[i16; W]; 2],
            ) -> i32 {
                // SAFETY: only `detect` makes the type, where the machine has the instructions.
                unsafe { forward(halves, weights) }
            }
        }

        #[target_feature(enable = $features)]
        fn add<const W: usize>(values: &mut [i16; W], row: &[i16; W]) {
            for index in 0..W / LANES {
                let sum = add_i16(load(values, index), load(row, index));
                store(values, index, sum);
            }
        }

        #[target_feature(enable = $features)]
        fn quiet<const W: usize>(
            before: &[i16; W],
            after: &mut [i16; W],
            added: &[i16; W],
            removed: &[i16; W],
        ) {
            for index in 0..W / LANES {
                let sum = add_i16(load(before, index), load(added, index));
                store(after, index, sub_i16(sum, load(removed, index)));
            }
        }

        #[target_feature(enable = $features)]
        fn capture<const W: usize>(
            before: &[i16; W],
            after: &mut [i16; W],
            added: &[i16; W],
            [first, second]: [&[i16; W]; 2],
        ) {
            for index in 0..W / LANES {
                let sum = add_i16(load(before, index), load(added, index));
                let removed = add_i16(load(first, index), load(second, index));
                store(after, index, sub_i16(sum, removed));
            }
        }

        #[target_feature(enable = $features)]
        fn castling<const W: usize>(
            before: &[i16; W],
            after: &mut [i16; W],
            [king, rook]: [&[i16; W]; 2],
            [first, second]: [&[i16; W]; 2],
        ) {
            for index in 0..W / LANES {
                let added = add_i16(load(king, index), load(rook, index));
                let removed = add_i16(load(first, index), load(second, index));
                let sum = add_i16(load(before, index), added);
                store(after, index, sub_i16(sum, removed));
            }
        }

        /// bullet's loop: squares of clipped values times weights, one product in 16 bits and one
        /// that is added in 32. Both halves at once, with four sums that do not wait for one
        /// another.
        #[target_feature(enable = $features)]
        fn forward<const W: usize>(
            [us, them]: [&[i16; W]; 2],
            [of_us, of_them]: &[[i16; W]; 2],
        ) -> i32 {
            let (mut a, mut b, mut c, mut d) = (zero(), zero(), zero(), zero());
            for index in (0..W / LANES).step_by(2) {
                a = add_i32(a, squares(load(us, index), load(of_us, index)));
                b = add_i32(b, squares(load(them, index), load(of_them, index)));
                c = add_i32(c, squares(load(us, index + 1), load(of_us, index + 1)));
                d = add_i32(d, squares(load(them, index + 1), load(of_them, index + 1)));
            }
            sum(add_i32(add_i32(a, b), add_i32(c, d)))
        }

        /// The sums of two neighbouring products each.
        #[inline]
        #[target_feature(enable = $features)]
        fn squares(values: Vector, weights: Vector) -> Vector {
            let root = clipped(values);
            madd(mul_low(root, weights), root)
        }
    };
}
pub(crate) use loops;
