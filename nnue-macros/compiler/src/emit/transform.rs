//! From accumulators to the layers' inputs in one pass: activate, pool, pack, list the non-zero
//! blocks.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::Program;
use super::memory::{count, linear};
use crate::network::{Element, Pooling, TransformerActivation};
use crate::plan::{Bytes, Outputs, Plan, Squares};

/// The type of the list of non-zero blocks.
pub(super) fn list_type(program: &Program<'_>) -> TokenStream {
    let columns = &program.layout.columns;
    let (blocks, capacity) = (count(columns.blocks()), count(columns.list_capacity()));
    quote! { NonZero<#blocks, #capacity> }
}

/// The names of the perspectives' accumulators in kernels, in the order in which the layers see
/// them.
pub(super) fn halves(program: &Program<'_>) -> Vec<Ident> {
    ["first", "second"][..program.network.transformer.perspectives.count]
        .iter()
        .map(|name| format_ident!("{name}"))
        .collect()
}

/// The function `transform`, and those that it calls for one vector.
pub(super) fn functions(
    program: &Program<'_>,
    plan: &Plan<'_>,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    match &plan.transform.outputs {
        Outputs::Words { vectors } => words(program, plan, *vectors, attribute),
        Outputs::Bytes(bytes) => {
            let pooled = pooled(program, plan, attribute);
            let list = list_type(program);
            let list = bytes.lists_nonzero.then(|| quote! { nonzero: &mut #list, });
            let blocks = count(program.layout.columns.blocks());
            let halves = halves(program);
            let body = match bytes.unrolled {
                true => straight_line(bytes, &halves),
                false => looped(bytes, &halves),
            };
            quote! {
                #pooled

                #[inline]
                #attribute
                fn transform(
                    #(#halves: &Half,)*
                    output: &mut InputWriter<'_, #blocks>,
                    #list
                ) {
                    #body
                }
            }
        }
    }
}

/// Outputs that stay 16 bits wide: accumulator values, large activations, roots of squares.
fn words(
    program: &Program<'_>,
    plan: &Plan<'_>,
    vectors: usize,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let activated = activated(program, plan);
    let (lanes, outputs) = (
        count(plan.isa.lanes(2)),
        count(program.layout.columns.outputs),
    );
    let halves = halves(program);
    let stores = halves.iter().enumerate().map(|(index, name)| {
        let index = linear(1, &quote!(index), index * vectors);
        quote! {
            simd::store_i16(activated(chunk(&#name.values, index)), chunk_mut(output, #index));
        }
    });
    let vectors = count(vectors);
    quote! {
        #[inline]
        #attribute
        fn activated(values: &[i16; #lanes]) -> simd::I16 {
            let x = simd::load_i16(values);
            #activated
        }

        #[inline]
        #attribute
        fn transform(#(#halves: &Half,)* output: &mut [i16; #outputs]) {
            for index in 0..#vectors {
                #(#stores)*
            }
        }
    }
}

/// An expression for the activation of the vector `x`.
fn activated(program: &Program<'_>, plan: &Plan<'_>) -> TokenStream {
    let transformer = &program.network.transformer;
    let word = |value: u32| Literal::i16_unsuffixed(value as i16);
    let clamped = |limit| {
        let limit = word(limit);
        quote! { simd::min_i16(simd::max_i16(x, simd::splat_i16(0)), simd::splat_i16(#limit)) }
    };
    match transformer.activation {
        TransformerActivation::None => quote! { x },
        TransformerActivation::Crelu { limit } => clamped(limit),
        // The layers' kernels square these values while they multiply.
        TransformerActivation::Screlu { .. } if transformer.output.element == Element::U16 => {
            clamped(transformer.one)
        }
        TransformerActivation::Screlu { shift } => {
            let clamped = clamped(transformer.one);
            let square = squared(plan.transform.squares, shift);
            quote! {
                let x = #clamped;
                #square
            }
        }
        TransformerActivation::Relu { shift, limit } => {
            let (shift, clamped) = (word(shift), clamped(limit));
            quote! {
                let x = simd::shift_right_i16::<#shift>(x);
                #clamped
            }
        }
        // `below` is the parabola of negative values; the mask is -1 for them and 0 for the others.
        TransformerActivation::Quantmoid4 => quote! {
            let negative = simd::shift_right_i16::<15>(x);
            let clamped = simd::min_i16(simd::max_i16(x, simd::splat_i16(-127)), simd::splat_i16(127));
            let distance = simd::max_i16(clamped, simd::sub_i16(simd::splat_i16(0), clamped));
            let root = simd::sub_i16(simd::splat_i16(127), distance);
            let below = simd::shift_right_i16::<8>(simd::mul_low_i16(root, root));
            let above = simd::sub_i16(simd::splat_i16(126), below);
            simd::add_i16(above, simd::mul_low_i16(negative, simd::sub_i16(above, below)))
        },
    }
}

/// Activates and pools: `packed` makes one vector of outputs.
fn pooled(program: &Program<'_>, plan: &Plan<'_>, attribute: Option<&TokenStream>) -> TokenStream {
    let transformer = &program.network.transformer;
    let lanes = count(plan.isa.lanes(2));
    let limit_of_crelu = match transformer.activation {
        TransformerActivation::Crelu { limit } => Some(Literal::i16_unsuffixed(limit as i16)),
        _ => None,
    };
    let activated = |expression: TokenStream| {
        quote! {
            #[inline]
            #attribute
            fn activated(values: &[i16; #lanes]) -> simd::I16 {
                let x = simd::load_i16(values);
                #expression
            }
        }
    };
    let activation = self::activated(program, plan);
    let activate = quote! { let (a, b) = (activated(first), activated(second)); };
    let (activated, pool) = match transformer.pooling {
        Pooling::None => {
            // Packing clips at zero, so clipping at zero before it is not needed.
            let activated = activated(match limit_of_crelu {
                Some(limit) => quote! { simd::min_i16(x, simd::splat_i16(#limit)) },
                None => activation,
            });
            return quote! {
                #activated

                /// Outputs `index * simd::BYTES ..`; packing clips at zero.
                #[inline]
                #attribute
                fn packed(half: &Half, index: usize) -> simd::U8 {
                    simd::pack_u8(
                        activated(chunk(&half.values, 2 * index)),
                        activated(chunk(&half.values, 2 * index + 1)),
                    )
                }
            };
        }
        Pooling::Product { .. } => match limit_of_crelu {
            Some(limit) => {
                let product = product(plan.transform.factor_shifts);
                let pool = quote! {
                    let (zero, limit) = (simd::splat_i16(0), simd::splat_i16(#limit));
                    let (first, second) = (simd::load_i16(first), simd::load_i16(second));
                    let first = simd::max_i16(simd::min_i16(first, limit), zero);
                    let second = simd::min_i16(second, limit);
                    #product
                };
                (None, pool)
            }
            None => {
                let product = multiplied(plan.transform.factor_shifts, &quote!(a), &quote!(b));
                (Some(activated(activation)), quote! { #activate #product })
            }
        },
        Pooling::Average => {
            let pool = quote! {
                #activate
                let sum = simd::add_i16(simd::add_i16(a, b), simd::splat_i16(1));
                simd::shift_right_i16::<1>(sum)
            };
            (Some(activated(activation)), pool)
        }
        Pooling::Max => {
            let pool = quote! { #activate simd::max_i16(a, b) };
            (Some(activated(activation)), pool)
        }
    };
    let half = count(program.layout.columns.half);
    quote! {
        #activated

        #[inline]
        #attribute
        fn pooled(first: &[i16; #lanes], second: &[i16; #lanes]) -> simd::I16 {
            #pool
        }

        /// Outputs `index * simd::BYTES ..`
        #[inline]
        #attribute
        fn packed(half: &Half, index: usize) -> simd::U8 {
            let first = chunk::<i16, #half>(&half.values, 0);
            let second = chunk::<i16, #half>(&half.values, 1);
            simd::pack_u8(
                pooled(chunk(first, 2 * index), chunk(second, 2 * index)),
                pooled(chunk(first, 2 * index + 1), chunk(second, 2 * index + 1)),
            )
        }
    }
}

/// The square of the vector `x`, which has no negative values, shifted right.
fn squared(squares: Squares, shift: u32) -> TokenStream {
    let shift = count(shift as usize);
    match squares {
        Squares::High(first, second) => multiplied((first, second), &quote!(x), &quote!(x)),
        Squares::Low => quote! { simd::shift_right_i16::<#shift>(simd::mul_low_i16(x, x)) },
        // With x = half + rest, x * x / 2 is 2 * half * rest: the halves differ by at most one.
        Squares::Halved => quote! {
            let half = simd::shift_right_i16::<1>(x);
            simd::mul_low_i16(simd::shift_left_i16::<1>(half), simd::sub_i16(x, half))
        },
    }
}

/// The product of two vectors without negative values, shifted right.
fn multiplied(shifts: (u32, u32), a: &TokenStream, b: &TokenStream) -> TokenStream {
    let shifted = |value: &TokenStream, shift: u32| {
        let shift = count(shift as usize);
        quote! { simd::shift_left_i16::<#shift>(#value) }
    };
    let (a, b) = (shifted(a, shifts.0), shifted(b, shifts.1));
    quote! { simd::mul_high_i16(#a, #b) }
}

/// The high half of the product of two clipped factors, one or both shifted left before.
///
/// A negative second factor makes a negative product, which packing clips at zero; only when it is
/// shifted, and might lose its sign, must it be clipped itself.
fn product(shifts: (u32, u32)) -> TokenStream {
    let (first, second) = (count(shifts.0 as usize), count(shifts.1 as usize));
    let second = if shifts.1 == 0 {
        quote! { second }
    } else {
        quote! { simd::shift_left_i16::<#second>(simd::max_i16(second, zero)) }
    };
    quote! { simd::mul_high_i16(simd::shift_left_i16::<#first>(first), #second) }
}

/// All groups of all perspectives, one after the other.
fn straight_line(bytes: &Bytes, halves: &[Ident]) -> TokenStream {
    let vectors: Vec<_> = halves
        .iter()
        .flat_map(|half| (0..bytes.vectors).map(move |index| (half, count(index))))
        .enumerate()
        .map(|(vector, (half, index))| {
            let name = format_ident!("p{vector}");
            let code = quote! {
                let #name = packed(#half, #index);
                output.push(simd::bytes_u8(#name));
            };
            (name, code)
        })
        .collect();
    let groups = vectors.chunks(bytes.group).enumerate();
    let groups = groups.map(|(group, vectors)| {
        let names = vectors.iter().map(|(name, _)| name);
        let code = vectors.iter().map(|(_, code)| code);
        let first_block = count(group * bytes.group * bytes.blocks);
        let append = bytes.lists_nonzero.then(|| {
            quote! { simd::append_nonzero(nonzero, #first_block, [#(#names),*]); }
        });
        quote! { #(#code)* #append }
    });
    quote! { #(#groups)* }
}

/// A loop over the groups of each perspective.
fn looped(bytes: &Bytes, halves: &[Ident]) -> TokenStream {
    let names: Vec<_> = (0..bytes.group)
        .map(|vector| format_ident!("p{vector}"))
        .collect();
    let vector = quote!(vector);
    let groups = count(bytes.groups);
    let (counter, start) = match bytes.group {
        1 => (quote!(vector), None),
        group => {
            let start = linear(group, &quote!(group), 0);
            (quote!(group), Some(quote! { let vector = #start; }))
        }
    };
    let perspectives = halves.iter().enumerate().map(|(perspective, half)| {
        let indices = (0..bytes.group).map(|offset| linear(1, &vector, offset));
        let append = bytes.lists_nonzero.then(|| {
            let blocks_before = perspective * bytes.vectors * bytes.blocks;
            let first_block = linear(bytes.blocks, &vector, blocks_before);
            quote! { simd::append_nonzero(nonzero, #first_block, [#(#names),*]); }
        });
        quote! {
            for #counter in 0..#groups {
                #start
                #(
                    let #names = packed(#half, #indices);
                    output.push(simd::bytes_u8(#names));
                )*
                #append
            }
        }
    });
    quote! { #(#perspectives)* }
}
