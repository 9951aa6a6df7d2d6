/// Kernels for the level `simd128`.
#[doc(hidden)]
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128 {
    use super::{Half, Stacks, Weights};
    use ::nnue_runtime::__private::{
        Output, Proved, activation, buffer::{self, Aligned, chunk, chunk_mut},
        simd::{InputWriter, Inputs, NonZero, simd128 as simd},
    };
    #[target_feature(enable = "simd128")]
    pub(super) fn accumulate(
        weights: &Weights,
        base: &Half,
        added: &[u32],
        removed: &[u32],
        into: &mut Half,
    ) {
        match (added, removed) {
            ([a0], [r0]) => update(weights, base, [a0], [r0], into),
            ([a0], [r0, r1]) => update(weights, base, [a0], [r0, r1], into),
            ([a0, a1], [r0, r1]) => update(weights, base, [a0, a1], [r0, r1], into),
            ([a0], [r0, r1, r2]) => update(weights, base, [a0], [r0, r1, r2], into),
            _ => {
                tile::<true>(weights, base, added, removed, into, 0);
                for index in 1..16 {
                    tile::<false>(weights, base, added, removed, into, index);
                }
            }
        }
    }
    #[inline]
    #[target_feature(enable = "simd128")]
    pub(super) fn update_psqt<const ADDED: usize, const REMOVED: usize>(
        weights: &Weights,
        base: &Half,
        added: [&u32; ADDED],
        removed: [&u32; REMOVED],
        into: &mut Half,
    ) {
        let mut psqt_0 = simd::load_i32x8(chunk(&base.psqt, 0));
        for &feature in removed {
            let row = buffer::row(&weights.transformer_psqt, feature);
            psqt_0 = simd::sub_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
        }
        for &feature in added {
            let row = buffer::row(&weights.transformer_psqt, feature);
            psqt_0 = simd::add_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
        }
        simd::store_i32x8(psqt_0, chunk_mut(&mut into.psqt, 0));
    }
    #[inline]
    #[target_feature(enable = "simd128")]
    pub(super) fn update<const ADDED: usize, const REMOVED: usize>(
        weights: &Weights,
        base: &Half,
        added: [&u32; ADDED],
        removed: [&u32; REMOVED],
        into: &mut Half,
    ) {
        let row = |&feature: &u32| buffer::row(&weights.transformer_weights, feature);
        let (added_rows, removed_rows) = (added.map(row), removed.map(row));
        for index in 0..128 {
            let start = chunk::<i16, 8>(&base.values, index);
            let mut v0 = simd::load_i16(chunk(start, 0));
            for row in removed_rows {
                let row = chunk::<i16, 8>(row, index);
                v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 0)));
            }
            for row in added_rows {
                let row = chunk::<i16, 8>(row, index);
                v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 0)));
            }
            let end = chunk_mut::<i16, 8>(&mut into.values, index);
            simd::store_i16(v0, chunk_mut(end, 0));
        }
        update_psqt(weights, base, added, removed, into);
    }
    #[target_feature(enable = "simd128")]
    pub(super) fn refresh(
        weights: &Weights,
        base: &mut Half,
        added: &[u32],
        removed: &[u32],
        into: &mut Half,
    ) {
        refresh_tile::<true>(weights, base, added, removed, into, 0);
        for index in 1..16 {
            refresh_tile::<false>(weights, base, added, removed, into, index);
        }
    }
    #[inline]
    #[target_feature(enable = "simd128")]
    fn refresh_tile<const FIRST: bool>(
        weights: &Weights,
        base: &mut Half,
        added: &[u32],
        removed: &[u32],
        into: &mut Half,
        index: usize,
    ) {
        let start = chunk::<i16, 64>(&base.values, index);
        let mut v0 = simd::load_i16(chunk(start, 0));
        let mut v1 = simd::load_i16(chunk(start, 1));
        let mut v2 = simd::load_i16(chunk(start, 2));
        let mut v3 = simd::load_i16(chunk(start, 3));
        let mut v4 = simd::load_i16(chunk(start, 4));
        let mut v5 = simd::load_i16(chunk(start, 5));
        let mut v6 = simd::load_i16(chunk(start, 6));
        let mut v7 = simd::load_i16(chunk(start, 7));
        let mut psqt_0 = simd::load_i32x8(chunk(&base.psqt, 0));
        for &feature in removed {
            let row = buffer::row(&weights.transformer_weights, feature);
            let row = chunk::<i16, 64>(row, index);
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 0)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 1)));
            v2 = simd::sub_i16(v2, simd::load_i16(chunk(row, 2)));
            v3 = simd::sub_i16(v3, simd::load_i16(chunk(row, 3)));
            v4 = simd::sub_i16(v4, simd::load_i16(chunk(row, 4)));
            v5 = simd::sub_i16(v5, simd::load_i16(chunk(row, 5)));
            v6 = simd::sub_i16(v6, simd::load_i16(chunk(row, 6)));
            v7 = simd::sub_i16(v7, simd::load_i16(chunk(row, 7)));
            if FIRST {
                let row = buffer::row(&weights.transformer_psqt, feature);
                psqt_0 = simd::sub_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
            }
        }
        for &feature in added {
            let row = buffer::row(&weights.transformer_weights, feature);
            let row = chunk::<i16, 64>(row, index);
            v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 0)));
            v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 1)));
            v2 = simd::add_i16(v2, simd::load_i16(chunk(row, 2)));
            v3 = simd::add_i16(v3, simd::load_i16(chunk(row, 3)));
            v4 = simd::add_i16(v4, simd::load_i16(chunk(row, 4)));
            v5 = simd::add_i16(v5, simd::load_i16(chunk(row, 5)));
            v6 = simd::add_i16(v6, simd::load_i16(chunk(row, 6)));
            v7 = simd::add_i16(v7, simd::load_i16(chunk(row, 7)));
            if FIRST {
                let row = buffer::row(&weights.transformer_psqt, feature);
                psqt_0 = simd::add_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
            }
        }
        let end = chunk_mut::<i16, 64>(&mut into.values, index);
        simd::store_i16(v0, chunk_mut(end, 0));
        simd::store_i16(v1, chunk_mut(end, 1));
        simd::store_i16(v2, chunk_mut(end, 2));
        simd::store_i16(v3, chunk_mut(end, 3));
        simd::store_i16(v4, chunk_mut(end, 4));
        simd::store_i16(v5, chunk_mut(end, 5));
        simd::store_i16(v6, chunk_mut(end, 6));
        simd::store_i16(v7, chunk_mut(end, 7));
        let end = chunk_mut::<i16, 64>(&mut base.values, index);
        simd::store_i16(v0, chunk_mut(end, 0));
        simd::store_i16(v1, chunk_mut(end, 1));
        simd::store_i16(v2, chunk_mut(end, 2));
        simd::store_i16(v3, chunk_mut(end, 3));
        simd::store_i16(v4, chunk_mut(end, 4));
        simd::store_i16(v5, chunk_mut(end, 5));
        simd::store_i16(v6, chunk_mut(end, 6));
        simd::store_i16(v7, chunk_mut(end, 7));
        if FIRST {
            simd::store_i32x8(psqt_0, chunk_mut(&mut into.psqt, 0));
            simd::store_i32x8(psqt_0, chunk_mut(&mut base.psqt, 0));
        }
    }
    #[inline]
    #[target_feature(enable = "simd128")]
    fn tile<const FIRST: bool>(
        weights: &Weights,
        base: &Half,
        added: &[u32],
        removed: &[u32],
        into: &mut Half,
        index: usize,
    ) {
        let start = chunk::<i16, 64>(&base.values, index);
        let mut v0 = simd::load_i16(chunk(start, 0));
        let mut v1 = simd::load_i16(chunk(start, 1));
        let mut v2 = simd::load_i16(chunk(start, 2));
        let mut v3 = simd::load_i16(chunk(start, 3));
        let mut v4 = simd::load_i16(chunk(start, 4));
        let mut v5 = simd::load_i16(chunk(start, 5));
        let mut v6 = simd::load_i16(chunk(start, 6));
        let mut v7 = simd::load_i16(chunk(start, 7));
        let mut psqt_0 = simd::load_i32x8(chunk(&base.psqt, 0));
        for &feature in removed {
            let row = buffer::row(&weights.transformer_weights, feature);
            let row = chunk::<i16, 64>(row, index);
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 0)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 1)));
            v2 = simd::sub_i16(v2, simd::load_i16(chunk(row, 2)));
            v3 = simd::sub_i16(v3, simd::load_i16(chunk(row, 3)));
            v4 = simd::sub_i16(v4, simd::load_i16(chunk(row, 4)));
            v5 = simd::sub_i16(v5, simd::load_i16(chunk(row, 5)));
            v6 = simd::sub_i16(v6, simd::load_i16(chunk(row, 6)));
            v7 = simd::sub_i16(v7, simd::load_i16(chunk(row, 7)));
            if FIRST {
                let row = buffer::row(&weights.transformer_psqt, feature);
                psqt_0 = simd::sub_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
            }
        }
        for &feature in added {
            let row = buffer::row(&weights.transformer_weights, feature);
            let row = chunk::<i16, 64>(row, index);
            v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 0)));
            v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 1)));
            v2 = simd::add_i16(v2, simd::load_i16(chunk(row, 2)));
            v3 = simd::add_i16(v3, simd::load_i16(chunk(row, 3)));
            v4 = simd::add_i16(v4, simd::load_i16(chunk(row, 4)));
            v5 = simd::add_i16(v5, simd::load_i16(chunk(row, 5)));
            v6 = simd::add_i16(v6, simd::load_i16(chunk(row, 6)));
            v7 = simd::add_i16(v7, simd::load_i16(chunk(row, 7)));
            if FIRST {
                let row = buffer::row(&weights.transformer_psqt, feature);
                psqt_0 = simd::add_i32x8(psqt_0, simd::load_i32x8(chunk(row, 0)));
            }
        }
        let end = chunk_mut::<i16, 64>(&mut into.values, index);
        simd::store_i16(v0, chunk_mut(end, 0));
        simd::store_i16(v1, chunk_mut(end, 1));
        simd::store_i16(v2, chunk_mut(end, 2));
        simd::store_i16(v3, chunk_mut(end, 3));
        simd::store_i16(v4, chunk_mut(end, 4));
        simd::store_i16(v5, chunk_mut(end, 5));
        simd::store_i16(v6, chunk_mut(end, 6));
        simd::store_i16(v7, chunk_mut(end, 7));
        if FIRST {
            simd::store_i32x8(psqt_0, chunk_mut(&mut into.psqt, 0));
        }
    }
    /// The `index`-th vector of bytes of a perspective.
    #[inline]
    #[target_feature(enable = "simd128")]
    fn packed(half: &Half, index: usize) -> simd::U8 {
        let first = chunk::<i16, 512>(&half.values, 0);
        let second = chunk::<i16, 512>(&half.values, 1);
        simd::product_to_127::<
            7,
        >(
            [
                simd::load_i16(chunk(first, 2 * index)),
                simd::load_i16(chunk(first, 2 * index + 1)),
            ],
            [
                simd::load_i16(chunk(second, 2 * index)),
                simd::load_i16(chunk(second, 2 * index + 1)),
            ],
        )
    }
    #[inline]
    #[target_feature(enable = "simd128")]
    fn transform(
        first: &Half,
        second: &Half,
        output: &mut InputWriter<'_, 256>,
        nonzero: &mut NonZero<256, 288>,
    ) {
        for group in 0..8 {
            let vector = 4 * group;
            let packed_0 = packed(first, vector);
            output.push(simd::bytes_u8(packed_0));
            let packed_1 = packed(first, vector + 1);
            output.push(simd::bytes_u8(packed_1));
            let packed_2 = packed(first, vector + 2);
            output.push(simd::bytes_u8(packed_2));
            let packed_3 = packed(first, vector + 3);
            output.push(simd::bytes_u8(packed_3));
            simd::append_nonzero(
                nonzero,
                4 * vector,
                [packed_0, packed_1, packed_2, packed_3],
            );
        }
        for group in 0..8 {
            let vector = 4 * group;
            let packed_0 = packed(second, vector);
            output.push(simd::bytes_u8(packed_0));
            let packed_1 = packed(second, vector + 1);
            output.push(simd::bytes_u8(packed_1));
            let packed_2 = packed(second, vector + 2);
            output.push(simd::bytes_u8(packed_2));
            let packed_3 = packed(second, vector + 3);
            output.push(simd::bytes_u8(packed_3));
            simd::append_nonzero(
                nonzero,
                4 * vector + 128,
                [packed_0, packed_1, packed_2, packed_3],
            );
        }
    }
    #[inline]
    #[target_feature(enable = "simd128")]
    fn move_part<const REMOVED: usize>(
        before: &Half,
        added: &[i16; 1024],
        removed: &[&[i16; 1024]; REMOVED],
        after: &mut Half,
        index: usize,
    ) {
        let mut v0 = simd::load_i16(chunk(&before.values, 2 * index));
        let mut v1 = simd::load_i16(chunk(&before.values, 2 * index + 1));
        let mut v2 = simd::load_i16(chunk(&before.values, 2 * index + 64));
        let mut v3 = simd::load_i16(chunk(&before.values, 2 * index + 65));
        for &row in removed {
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 2 * index)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
            v2 = simd::sub_i16(v2, simd::load_i16(chunk(row, 2 * index + 64)));
            v3 = simd::sub_i16(v3, simd::load_i16(chunk(row, 2 * index + 65)));
        }
        let row = added;
        v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 2 * index)));
        v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        v2 = simd::add_i16(v2, simd::load_i16(chunk(row, 2 * index + 64)));
        v3 = simd::add_i16(v3, simd::load_i16(chunk(row, 2 * index + 65)));
        simd::store_i16(v0, chunk_mut(&mut after.values, 2 * index));
        simd::store_i16(v1, chunk_mut(&mut after.values, 2 * index + 1));
        simd::store_i16(v2, chunk_mut(&mut after.values, 2 * index + 64));
        simd::store_i16(v3, chunk_mut(&mut after.values, 2 * index + 65));
    }
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "rows of both perspectives")]
    #[target_feature(enable = "simd128")]
    fn transform_moved<const REMOVED: usize>(
        first_before: &Half,
        first_added: &[i16; 1024],
        first_removed: [&[i16; 1024]; REMOVED],
        first: &mut Half,
        second_before: &Half,
        second_added: &[i16; 1024],
        second_removed: [&[i16; 1024]; REMOVED],
        second: &mut Half,
        output: &mut InputWriter<'_, 256>,
        nonzero: &mut NonZero<256, 288>,
    ) {
        for group in 0..8 {
            let vector = 4 * group;
            let packed_0 = {
                move_part(first_before, first_added, &first_removed, first, vector);
                packed(first, vector)
            };
            output.push(simd::bytes_u8(packed_0));
            let packed_1 = {
                move_part(first_before, first_added, &first_removed, first, vector + 1);
                packed(first, vector + 1)
            };
            output.push(simd::bytes_u8(packed_1));
            let packed_2 = {
                move_part(first_before, first_added, &first_removed, first, vector + 2);
                packed(first, vector + 2)
            };
            output.push(simd::bytes_u8(packed_2));
            let packed_3 = {
                move_part(first_before, first_added, &first_removed, first, vector + 3);
                packed(first, vector + 3)
            };
            output.push(simd::bytes_u8(packed_3));
            simd::append_nonzero(
                nonzero,
                4 * vector,
                [packed_0, packed_1, packed_2, packed_3],
            );
        }
        for group in 0..8 {
            let vector = 4 * group;
            let packed_0 = {
                move_part(second_before, second_added, &second_removed, second, vector);
                packed(second, vector)
            };
            output.push(simd::bytes_u8(packed_0));
            let packed_1 = {
                move_part(
                    second_before,
                    second_added,
                    &second_removed,
                    second,
                    vector + 1,
                );
                packed(second, vector + 1)
            };
            output.push(simd::bytes_u8(packed_1));
            let packed_2 = {
                move_part(
                    second_before,
                    second_added,
                    &second_removed,
                    second,
                    vector + 2,
                );
                packed(second, vector + 2)
            };
            output.push(simd::bytes_u8(packed_2));
            let packed_3 = {
                move_part(
                    second_before,
                    second_added,
                    &second_removed,
                    second,
                    vector + 3,
                );
                packed(second, vector + 3)
            };
            output.push(simd::bytes_u8(packed_3));
            simd::append_nonzero(
                nonzero,
                4 * vector + 128,
                [packed_0, packed_1, packed_2, packed_3],
            );
        }
    }
    #[target_feature(enable = "simd128")]
    pub(super) fn propagate(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let mut inputs = Inputs::<256>::new();
        let mut output = inputs.writer();
        let nonzero = &mut NonZero::new();
        transform(first, second, &mut output, nonzero);
        let transformer = output.finish();
        layers(stacks, first, second, bucket, transformer, nonzero, proved)
    }
    /// The layers and the output, after [`propagate`] or a move has made their inputs.
    #[inline(never)]
    #[target_feature(enable = "simd128")]
    fn layers(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        transformer: &[[u8; 4]; 256],
        nonzero: &mut NonZero<256, 288>,
        _proved: Proved,
    ) -> Output {
        let stack = buffer::row(stacks, bucket as u32);
        let fc_0_out = {
            let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 0)));
            let mut sum_1 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 1)));
            let mut sum_2 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 2)));
            let mut sum_3 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 3)));
            for block in nonzero.as_slice() {
                let inputs = simd::splat_block(block.of(transformer));
                let weights = block.of(&stack.fc_0_weights);
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
                sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            }
            let mut sums = Aligned([0i32; 16]);
            simd::store_i32(simd::sum_dots(sum_0), chunk_mut(&mut sums.0, 0));
            simd::store_i32(simd::sum_dots(sum_1), chunk_mut(&mut sums.0, 1));
            simd::store_i32(simd::sum_dots(sum_2), chunk_mut(&mut sums.0, 2));
            simd::store_i32(simd::sum_dots(sum_3), chunk_mut(&mut sums.0, 3));
            sums
        };
        let ac_sqr_0_out = Aligned(
            activation::sqr_crelu::<u8, 16>(buffer::run(&fc_0_out.0, 0), 19, 127),
        );
        let ac_0_out = Aligned(
            activation::relu::<u8, 16>(buffer::run(&fc_0_out.0, 0), 6, 127),
        );
        let mut fc_1_input = Aligned([[0u8; 4]; 8]);
        buffer::place(fc_1_input.0.as_flattened_mut(), 0, &ac_sqr_0_out.0[0..16]);
        buffer::place(fc_1_input.0.as_flattened_mut(), 16, &ac_0_out.0[0..16]);
        let fc_1_input = &fc_1_input.0;
        let fc_1_out = {
            let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 0)));
            let mut sum_1 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 1)));
            let mut sum_2 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 2)));
            let mut sum_3 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 3)));
            let mut sum_4 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 4)));
            let mut sum_5 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 5)));
            let mut sum_6 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 6)));
            let mut sum_7 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 7)));
            let inputs = simd::splat_block_of::<0>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[0];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let inputs = simd::splat_block_of::<1>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[1];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let inputs = simd::splat_block_of::<2>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[2];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let inputs = simd::splat_block_of::<3>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[3];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let inputs = simd::splat_block_of::<0>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[4];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let inputs = simd::splat_block_of::<1>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[5];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let inputs = simd::splat_block_of::<2>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[6];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let inputs = simd::splat_block_of::<3>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[7];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let mut sums = Aligned([0i32; 32]);
            simd::store_i32(simd::sum_dots(sum_0), chunk_mut(&mut sums.0, 0));
            simd::store_i32(simd::sum_dots(sum_1), chunk_mut(&mut sums.0, 1));
            simd::store_i32(simd::sum_dots(sum_2), chunk_mut(&mut sums.0, 2));
            simd::store_i32(simd::sum_dots(sum_3), chunk_mut(&mut sums.0, 3));
            simd::store_i32(simd::sum_dots(sum_4), chunk_mut(&mut sums.0, 4));
            simd::store_i32(simd::sum_dots(sum_5), chunk_mut(&mut sums.0, 5));
            simd::store_i32(simd::sum_dots(sum_6), chunk_mut(&mut sums.0, 6));
            simd::store_i32(simd::sum_dots(sum_7), chunk_mut(&mut sums.0, 7));
            sums
        };
        let ac_1_out = Aligned(
            activation::relu::<u8, 32>(buffer::run(&fc_1_out.0, 0), 6, 127),
        );
        let mut fc_2_input = Aligned([[0u8; 4]; 8]);
        buffer::place(fc_2_input.0.as_flattened_mut(), 0, &ac_1_out.0[0..32]);
        let fc_2_input = &fc_2_input.0;
        let fc_2_out = {
            let inputs = chunk(fc_2_input.as_flattened(), 0);
            Aligned([
                stack
                    .fc_2_biases[0]
                    .wrapping_add(simd::dot_row(inputs, &stack.fc_2_weights[0])),
            ])
        };
        let psqt = buffer::row(&first.psqt, bucket as u32)
            .wrapping_sub(*buffer::row(&second.psqt, bucket as u32)) / 2;
        let sum = fc_2_out.0[0] as i64 + fc_0_out.0[15] as i64 * 150 / 127;
        let positional = sum as i32;
        let value = psqt.wrapping_add(positional) / 16;
        Output { psqt, positional, value }
    }
    #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
    #[target_feature(enable = "simd128")]
    pub(super) fn quiet(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [u32; 2],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        moved(weights, stacks, before, added, [removed], after, bucket, proved)
    }
    #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
    #[target_feature(enable = "simd128")]
    pub(super) fn capture(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [u32; 2],
        captured: [u32; 2],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        moved(weights, stacks, before, added, [removed, captured], after, bucket, proved)
    }
    #[inline]
    #[allow(
        clippy::too_many_arguments,
        reason = "what an update and a forward pass need"
    )]
    #[target_feature(enable = "simd128")]
    fn moved<const REMOVED: usize>(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [[u32; 2]; REMOVED],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let ([first_before, second_before], [first, second]) = (before, after);
        let row = |number: u32| buffer::row(&weights.transformer_weights, number);
        let (first_added, first_removed) = (
            row(added[0]),
            removed.map(|rows| row(rows[0])),
        );
        let (second_added, second_removed) = (
            row(added[1]),
            removed.map(|rows| row(rows[1])),
        );
        let mut inputs = Inputs::<256>::new();
        let mut output = inputs.writer();
        let nonzero = &mut NonZero::new();
        transform_moved(
            first_before,
            first_added,
            first_removed,
            first,
            second_before,
            second_added,
            second_removed,
            second,
            &mut output,
            nonzero,
        );
        let transformer = output.finish();
        update_psqt(
            weights,
            first_before,
            [&added[0]],
            removed.each_ref().map(|rows| &rows[0]),
            first,
        );
        update_psqt(
            weights,
            second_before,
            [&added[1]],
            removed.each_ref().map(|rows| &rows[1]),
            second,
        );
        layers(stacks, first, second, bucket, transformer, nonzero, proved)
    }
}
/// Kernels for the level `relaxed`.
#[doc(hidden)]
#[cfg(all(target_arch = "wasm32", target_feature = "relaxed-simd"))]
mod relaxed {
    use super::{Half, Stacks, Weights};
    use ::nnue_runtime::__private::{
        Output, Proved, activation, buffer::{self, Aligned, chunk, chunk_mut},
        simd::{InputWriter, Inputs, NonZero, relaxed as simd},
    };
    pub(super) use super::simd128::{accumulate, refresh};
    use super::simd128::update_psqt;
    /// The `index`-th vector of bytes of a perspective.
    #[inline]
    #[target_feature(enable = "simd128,relaxed-simd")]
    fn packed(half: &Half, index: usize) -> simd::U8 {
        let first = chunk::<i16, 512>(&half.values, 0);
        let second = chunk::<i16, 512>(&half.values, 1);
        simd::product_to_127::<
            7,
        >(
            [
                simd::load_i16(chunk(first, 2 * index)),
                simd::load_i16(chunk(first, 2 * index + 1)),
            ],
            [
                simd::load_i16(chunk(second, 2 * index)),
                simd::load_i16(chunk(second, 2 * index + 1)),
            ],
        )
    }
    #[inline]
    #[target_feature(enable = "simd128,relaxed-simd")]
    fn transform(
        first: &Half,
        second: &Half,
        output: &mut InputWriter<'_, 256>,
        nonzero: &mut NonZero<256, 288>,
    ) {
        for group in 0..8 {
            let vector = 4 * group;
            let packed_0 = packed(first, vector);
            output.push(simd::bytes_u8(packed_0));
            let packed_1 = packed(first, vector + 1);
            output.push(simd::bytes_u8(packed_1));
            let packed_2 = packed(first, vector + 2);
            output.push(simd::bytes_u8(packed_2));
            let packed_3 = packed(first, vector + 3);
            output.push(simd::bytes_u8(packed_3));
            simd::append_nonzero(
                nonzero,
                4 * vector,
                [packed_0, packed_1, packed_2, packed_3],
            );
        }
        for group in 0..8 {
            let vector = 4 * group;
            let packed_0 = packed(second, vector);
            output.push(simd::bytes_u8(packed_0));
            let packed_1 = packed(second, vector + 1);
            output.push(simd::bytes_u8(packed_1));
            let packed_2 = packed(second, vector + 2);
            output.push(simd::bytes_u8(packed_2));
            let packed_3 = packed(second, vector + 3);
            output.push(simd::bytes_u8(packed_3));
            simd::append_nonzero(
                nonzero,
                4 * vector + 128,
                [packed_0, packed_1, packed_2, packed_3],
            );
        }
    }
    #[inline]
    #[target_feature(enable = "simd128,relaxed-simd")]
    fn move_part<const REMOVED: usize>(
        before: &Half,
        added: &[i16; 1024],
        removed: &[&[i16; 1024]; REMOVED],
        after: &mut Half,
        index: usize,
    ) {
        let mut v0 = simd::load_i16(chunk(&before.values, 2 * index));
        let mut v1 = simd::load_i16(chunk(&before.values, 2 * index + 1));
        let mut v2 = simd::load_i16(chunk(&before.values, 2 * index + 64));
        let mut v3 = simd::load_i16(chunk(&before.values, 2 * index + 65));
        for &row in removed {
            v0 = simd::sub_i16(v0, simd::load_i16(chunk(row, 2 * index)));
            v1 = simd::sub_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
            v2 = simd::sub_i16(v2, simd::load_i16(chunk(row, 2 * index + 64)));
            v3 = simd::sub_i16(v3, simd::load_i16(chunk(row, 2 * index + 65)));
        }
        let row = added;
        v0 = simd::add_i16(v0, simd::load_i16(chunk(row, 2 * index)));
        v1 = simd::add_i16(v1, simd::load_i16(chunk(row, 2 * index + 1)));
        v2 = simd::add_i16(v2, simd::load_i16(chunk(row, 2 * index + 64)));
        v3 = simd::add_i16(v3, simd::load_i16(chunk(row, 2 * index + 65)));
        simd::store_i16(v0, chunk_mut(&mut after.values, 2 * index));
        simd::store_i16(v1, chunk_mut(&mut after.values, 2 * index + 1));
        simd::store_i16(v2, chunk_mut(&mut after.values, 2 * index + 64));
        simd::store_i16(v3, chunk_mut(&mut after.values, 2 * index + 65));
    }
    #[inline]
    #[allow(clippy::too_many_arguments, reason = "rows of both perspectives")]
    #[target_feature(enable = "simd128,relaxed-simd")]
    fn transform_moved<const REMOVED: usize>(
        first_before: &Half,
        first_added: &[i16; 1024],
        first_removed: [&[i16; 1024]; REMOVED],
        first: &mut Half,
        second_before: &Half,
        second_added: &[i16; 1024],
        second_removed: [&[i16; 1024]; REMOVED],
        second: &mut Half,
        output: &mut InputWriter<'_, 256>,
        nonzero: &mut NonZero<256, 288>,
    ) {
        for group in 0..8 {
            let vector = 4 * group;
            let packed_0 = {
                move_part(first_before, first_added, &first_removed, first, vector);
                packed(first, vector)
            };
            output.push(simd::bytes_u8(packed_0));
            let packed_1 = {
                move_part(first_before, first_added, &first_removed, first, vector + 1);
                packed(first, vector + 1)
            };
            output.push(simd::bytes_u8(packed_1));
            let packed_2 = {
                move_part(first_before, first_added, &first_removed, first, vector + 2);
                packed(first, vector + 2)
            };
            output.push(simd::bytes_u8(packed_2));
            let packed_3 = {
                move_part(first_before, first_added, &first_removed, first, vector + 3);
                packed(first, vector + 3)
            };
            output.push(simd::bytes_u8(packed_3));
            simd::append_nonzero(
                nonzero,
                4 * vector,
                [packed_0, packed_1, packed_2, packed_3],
            );
        }
        for group in 0..8 {
            let vector = 4 * group;
            let packed_0 = {
                move_part(second_before, second_added, &second_removed, second, vector);
                packed(second, vector)
            };
            output.push(simd::bytes_u8(packed_0));
            let packed_1 = {
                move_part(
                    second_before,
                    second_added,
                    &second_removed,
                    second,
                    vector + 1,
                );
                packed(second, vector + 1)
            };
            output.push(simd::bytes_u8(packed_1));
            let packed_2 = {
                move_part(
                    second_before,
                    second_added,
                    &second_removed,
                    second,
                    vector + 2,
                );
                packed(second, vector + 2)
            };
            output.push(simd::bytes_u8(packed_2));
            let packed_3 = {
                move_part(
                    second_before,
                    second_added,
                    &second_removed,
                    second,
                    vector + 3,
                );
                packed(second, vector + 3)
            };
            output.push(simd::bytes_u8(packed_3));
            simd::append_nonzero(
                nonzero,
                4 * vector + 128,
                [packed_0, packed_1, packed_2, packed_3],
            );
        }
    }
    #[target_feature(enable = "simd128,relaxed-simd")]
    pub(super) fn propagate(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let mut inputs = Inputs::<256>::new();
        let mut output = inputs.writer();
        let nonzero = &mut NonZero::new();
        transform(first, second, &mut output, nonzero);
        let transformer = output.finish();
        layers(stacks, first, second, bucket, transformer, nonzero, proved)
    }
    /// The layers and the output, after [`propagate`] or a move has made their inputs.
    #[inline(never)]
    #[target_feature(enable = "simd128,relaxed-simd")]
    fn layers(
        stacks: &Stacks,
        first: &Half,
        second: &Half,
        bucket: usize,
        transformer: &[[u8; 4]; 256],
        nonzero: &mut NonZero<256, 288>,
        _proved: Proved,
    ) -> Output {
        let stack = buffer::row(stacks, bucket as u32);
        let fc_0_out = {
            let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 0)));
            let mut sum_1 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 1)));
            let mut sum_2 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 2)));
            let mut sum_3 = simd::dots(simd::load_i32(chunk(&stack.fc_0_biases, 3)));
            for block in nonzero.as_slice() {
                let inputs = simd::splat_block(block.of(transformer));
                let weights = block.of(&stack.fc_0_weights);
                sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
                sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
                sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
                sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            }
            let mut sums = Aligned([0i32; 16]);
            simd::store_i32(simd::sum_dots(sum_0), chunk_mut(&mut sums.0, 0));
            simd::store_i32(simd::sum_dots(sum_1), chunk_mut(&mut sums.0, 1));
            simd::store_i32(simd::sum_dots(sum_2), chunk_mut(&mut sums.0, 2));
            simd::store_i32(simd::sum_dots(sum_3), chunk_mut(&mut sums.0, 3));
            sums
        };
        let ac_sqr_0_out = Aligned(
            activation::sqr_crelu::<u8, 16>(buffer::run(&fc_0_out.0, 0), 19, 127),
        );
        let ac_0_out = Aligned(
            activation::relu::<u8, 16>(buffer::run(&fc_0_out.0, 0), 6, 127),
        );
        let mut fc_1_input = Aligned([[0u8; 4]; 8]);
        buffer::place(fc_1_input.0.as_flattened_mut(), 0, &ac_sqr_0_out.0[0..16]);
        buffer::place(fc_1_input.0.as_flattened_mut(), 16, &ac_0_out.0[0..16]);
        let fc_1_input = &fc_1_input.0;
        let fc_1_out = {
            let mut sum_0 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 0)));
            let mut sum_1 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 1)));
            let mut sum_2 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 2)));
            let mut sum_3 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 3)));
            let mut sum_4 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 4)));
            let mut sum_5 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 5)));
            let mut sum_6 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 6)));
            let mut sum_7 = simd::dots(simd::load_i32(chunk(&stack.fc_1_biases, 7)));
            let inputs = simd::splat_block_of::<0>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[0];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let inputs = simd::splat_block_of::<1>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[1];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let inputs = simd::splat_block_of::<2>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[2];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let inputs = simd::splat_block_of::<3>(chunk(fc_1_input, 0));
            let weights = &stack.fc_1_weights[3];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let inputs = simd::splat_block_of::<0>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[4];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let inputs = simd::splat_block_of::<1>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[5];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let inputs = simd::splat_block_of::<2>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[6];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let inputs = simd::splat_block_of::<3>(chunk(fc_1_input, 1));
            let weights = &stack.fc_1_weights[7];
            sum_0 = simd::dot(sum_0, inputs, simd::load_i8(chunk(weights, 0)));
            sum_1 = simd::dot(sum_1, inputs, simd::load_i8(chunk(weights, 1)));
            sum_2 = simd::dot(sum_2, inputs, simd::load_i8(chunk(weights, 2)));
            sum_3 = simd::dot(sum_3, inputs, simd::load_i8(chunk(weights, 3)));
            sum_4 = simd::dot(sum_4, inputs, simd::load_i8(chunk(weights, 4)));
            sum_5 = simd::dot(sum_5, inputs, simd::load_i8(chunk(weights, 5)));
            sum_6 = simd::dot(sum_6, inputs, simd::load_i8(chunk(weights, 6)));
            sum_7 = simd::dot(sum_7, inputs, simd::load_i8(chunk(weights, 7)));
            let mut sums = Aligned([0i32; 32]);
            simd::store_i32(simd::sum_dots(sum_0), chunk_mut(&mut sums.0, 0));
            simd::store_i32(simd::sum_dots(sum_1), chunk_mut(&mut sums.0, 1));
            simd::store_i32(simd::sum_dots(sum_2), chunk_mut(&mut sums.0, 2));
            simd::store_i32(simd::sum_dots(sum_3), chunk_mut(&mut sums.0, 3));
            simd::store_i32(simd::sum_dots(sum_4), chunk_mut(&mut sums.0, 4));
            simd::store_i32(simd::sum_dots(sum_5), chunk_mut(&mut sums.0, 5));
            simd::store_i32(simd::sum_dots(sum_6), chunk_mut(&mut sums.0, 6));
            simd::store_i32(simd::sum_dots(sum_7), chunk_mut(&mut sums.0, 7));
            sums
        };
        let ac_1_out = Aligned(
            activation::relu::<u8, 32>(buffer::run(&fc_1_out.0, 0), 6, 127),
        );
        let mut fc_2_input = Aligned([[0u8; 4]; 8]);
        buffer::place(fc_2_input.0.as_flattened_mut(), 0, &ac_1_out.0[0..32]);
        let fc_2_input = &fc_2_input.0;
        let fc_2_out = {
            let inputs = chunk(fc_2_input.as_flattened(), 0);
            Aligned([
                stack
                    .fc_2_biases[0]
                    .wrapping_add(simd::dot_row(inputs, &stack.fc_2_weights[0])),
            ])
        };
        let psqt = buffer::row(&first.psqt, bucket as u32)
            .wrapping_sub(*buffer::row(&second.psqt, bucket as u32)) / 2;
        let sum = fc_2_out.0[0] as i64 + fc_0_out.0[15] as i64 * 150 / 127;
        let positional = sum as i32;
        let value = psqt.wrapping_add(positional) / 16;
        Output { psqt, positional, value }
    }
    #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
    #[target_feature(enable = "simd128,relaxed-simd")]
    pub(super) fn quiet(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [u32; 2],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        moved(weights, stacks, before, added, [removed], after, bucket, proved)
    }
    #[allow(clippy::too_many_arguments, reason = "a move is passed in registers")]
    #[target_feature(enable = "simd128,relaxed-simd")]
    pub(super) fn capture(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [u32; 2],
        captured: [u32; 2],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        moved(weights, stacks, before, added, [removed, captured], after, bucket, proved)
    }
    #[inline]
    #[allow(
        clippy::too_many_arguments,
        reason = "what an update and a forward pass need"
    )]
    #[target_feature(enable = "simd128,relaxed-simd")]
    fn moved<const REMOVED: usize>(
        weights: &Weights,
        stacks: &Stacks,
        before: [&Half; 2],
        added: [u32; 2],
        removed: [[u32; 2]; REMOVED],
        after: [&mut Half; 2],
        bucket: usize,
        proved: Proved,
    ) -> Output {
        let ([first_before, second_before], [first, second]) = (before, after);
        let row = |number: u32| buffer::row(&weights.transformer_weights, number);
        let (first_added, first_removed) = (
            row(added[0]),
            removed.map(|rows| row(rows[0])),
        );
        let (second_added, second_removed) = (
            row(added[1]),
            removed.map(|rows| row(rows[1])),
        );
        let mut inputs = Inputs::<256>::new();
        let mut output = inputs.writer();
        let nonzero = &mut NonZero::new();
        transform_moved(
            first_before,
            first_added,
            first_removed,
            first,
            second_before,
            second_added,
            second_removed,
            second,
            &mut output,
            nonzero,
        );
        let transformer = output.finish();
        update_psqt(
            weights,
            first_before,
            [&added[0]],
            removed.each_ref().map(|rows| &rows[0]),
            first,
        );
        update_psqt(
            weights,
            second_before,
            [&added[1]],
            removed.each_ref().map(|rows| &rows[1]),
            second,
        );
        layers(stacks, first, second, bucket, transformer, nonzero, proved)
    }
}
