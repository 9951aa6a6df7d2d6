//! The opponent's loops, written once over the primitives of an instruction set.

/// The loops of an instruction set, in the module that has its primitives, and the type through
/// which an engine uses them.
macro_rules! loops {
    ($name:ident, $features:literal, $($feature:tt),+) => {
        use crate::engine::Loops;

        #[doc = concat!("Loops that use ", $features, ", for neurons up to `ONE`.")]
        #[derive(Clone, Copy)]
        pub(crate) struct $name<const ONE: i16, const SQUARED: bool>(());

        impl<const ONE: i16, const SQUARED: bool> $name<ONE, SQUARED> {
            /// The loops, if this machine has the instructions.
            pub(crate) fn detect() -> Option<Self> {
                let has_all = $(std::arch::is_x86_feature_detected!($feature))&&+;
                has_all.then_some($name(()))
            }
        }

        impl<const ONE: i16, const SQUARED: bool> Loops for $name<ONE, SQUARED> {
            const ONE: i32 = ONE as i32;
            const SQUARED: bool = SQUARED;

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
                unsafe { forward::<W, ONE, SQUARED>(halves, weights) }
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

        /// Both halves at once, with four sums that do not wait for one another.
        #[target_feature(enable = $features)]
        fn forward<const W: usize, const ONE: i16, const SQUARED: bool>(
            [us, them]: [&[i16; W]; 2],
            [of_us, of_them]: &[[i16; W]; 2],
        ) -> i32 {
            let (mut a, mut b, mut c, mut d) = ([zero(); 2], [zero(); 2], [zero(); 2], [zero(); 2]);
            for index in (0..W / LANES).step_by(2) {
                a = products::<ONE, SQUARED>(a, load(us, index), load(of_us, index));
                b = products::<ONE, SQUARED>(b, load(them, index), load(of_them, index));
                c = products::<ONE, SQUARED>(c, load(us, index + 1), load(of_us, index + 1));
                d = products::<ONE, SQUARED>(d, load(them, index + 1), load(of_them, index + 1));
            }
            let sum_of = |half: usize| {
                sum(add_i32(add_i32(a[half], b[half]), add_i32(c[half], d[half])))
            };
            if SQUARED && !fits(ONE) { sum_of(0).wrapping_add(sum_of(1) << 16)
 } else { sum_of(0)
 }
        }

        /// Adds products of clipped values and weights, or of their squares: as bullet does, one
        /// product in 16 bits and one that is added in 32. Where 16 bits do not hold the first, its
        /// halves are multiplied, and the lower half is taken for a number with a sign.
        #[inline]
        #[target_feature(enable = $features)]
        fn products<const ONE: i16, const SQUARED: bool>(
            [low, high]: [Vector; 2],
            values: Vector,
            weights: Vector,
        ) -> [Vector; 2] {
            let values = clipped(values, ONE);
            if !SQUARED {
                return [add_i32(low, madd(values, weights)), high];
            }
            let product = mul_low(values, weights);
            let low = add_i32(low, madd(product, values));
            if fits(ONE) {
                return [low, high];
            }
            let rest = sub_i16(mul_high(values, weights), signs(product));
            [low, add_i32(high, madd(rest, values))]
        }

        /// Whether 16 bits hold the product of the largest value and any weight of a byte.
        const fn fits(one: i16) -> bool {
            one <= 256
        }
    };
}
pub(crate) use loops;
