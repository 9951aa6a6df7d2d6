//! From accumulators to the layers' inputs in one pass: clip, pool, pack, list the non-zero blocks.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::Program;
use super::memory::{count, linear};
use crate::layout::BLOCK;
use crate::network::Pooling;
use crate::plan::{Plan, Transform};

/// Room at the end of the list of non-zero blocks for the one store that overshoots it.
const LIST_SLACK: usize = 32;

/// The type of the list of non-zero blocks.
pub(super) fn list_type(program: &Program<'_>) -> TokenStream {
    let runtime = program.runtime;
    let blocks = program.network.transformer.output.len / BLOCK;
    let (blocks, capacity) = (count(blocks), count(blocks + LIST_SLACK));
    quote! { #runtime::simd::NonZero<#blocks, #capacity> }
}

pub(super) fn functions(
    program: &Program<'_>,
    plan: &Plan,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let transform = &plan.transform;
    let pooled = pooled(program, plan, attribute);
    let runtime = program.runtime;
    let list = list_type(program);
    let list = transform
        .lists_nonzero
        .then(|| quote! { nonzero: &mut #list, });
    let blocks = count(program.network.transformer.output.len / BLOCK);
    let body = if transform.unrolled {
        straight_line(plan)
    } else {
        let perspectives = ["stm", "opponent"]
            .iter()
            .enumerate()
            .map(|(index, half)| looped(plan, half, index * transform.packed));
        quote! { #(#perspectives)* }
    };
    quote! {
        #pooled

        #[inline]
        #attribute
        fn transform(
            stm: &Half,
            opponent: &Half,
            output: &mut #runtime::simd::InputWriter<'_, #blocks>,
            #list
        ) {
            #body
        }
    }
}

/// Clips and pools: `packed` makes one vector of outputs.
fn pooled(program: &Program<'_>, plan: &Plan, attribute: Option<&TokenStream>) -> TokenStream {
    let transformer = &program.network.transformer;
    let lanes = count(plan.isa.lanes(2));
    let one = proc_macro2::Literal::u32_unsuffixed(transformer.one);
    match transformer.pooling {
        Pooling::None => quote! {
            #[inline]
            #attribute
            fn clipped(values: &[i16; #lanes]) -> simd::I16 {
                simd::min_i16(simd::load_i16(values), simd::splat_i16(#one))
            }

            /// Outputs `index * simd::BYTES ..`; packing clips at zero.
            #[inline]
            #attribute
            fn packed(half: &Half, index: usize) -> simd::U8 {
                simd::pack_u8(
                    clipped(chunk(&half.values, 2 * index)),
                    clipped(chunk(&half.values, 2 * index + 1)),
                )
            }
        },
        Pooling::Product => {
            let half = count(transformer.width / 2);
            let product = product(plan.transform.factor_shifts);
            quote! {
                #[inline]
                #attribute
                fn pooled(first: &[i16; #lanes], second: &[i16; #lanes]) -> simd::I16 {
                    let (zero, one) = (simd::splat_i16(0), simd::splat_i16(#one));
                    let (first, second) = (simd::load_i16(first), simd::load_i16(second));
                    let first = simd::max_i16(simd::min_i16(first, one), zero);
                    let second = simd::min_i16(second, one);
                    #product
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
    }
}

/// The high half of the product of two clipped factors, one or both shifted left before.
///
/// A negative second factor makes a negative product, which packing clips at zero; only when it is shifted, and
/// might lose its sign, must it be clipped itself.
fn product(shifts: (u32, u32)) -> TokenStream {
    let (first, second) = (count(shifts.0 as usize), count(shifts.1 as usize));
    let second = if shifts.1 == 0 {
        quote! { second }
    } else {
        quote! { simd::shift_left_i16::<#second>(simd::max_i16(second, zero)) }
    };
    quote! { simd::mul_high_i16(simd::shift_left_i16::<#first>(first), #second) }
}

/// All groups of both perspectives, one after the other.
fn straight_line(plan: &Plan) -> TokenStream {
    let Transform { packed, group, .. } = plan.transform;
    let vectors: Vec<_> = (0..2 * packed)
        .map(|vector| {
            let half = if vector < packed {
                quote!(stm)
            } else {
                quote!(opponent)
            };
            let index = count(vector % packed);
            let name = format_ident!("p{}", vector);
            (
                name.clone(),
                quote! {
                    let #name = packed(#half, #index);
                    output.push(simd::bytes_u8(#name));
                },
            )
        })
        .collect();
    let groups = vectors.chunks(group).enumerate().map(|(index, vectors)| {
        let names = vectors.iter().map(|(name, _)| name);
        let code = vectors.iter().map(|(_, code)| code);
        let first_block = count(index * group * plan.isa.vector_bytes / BLOCK);
        let append = plan.transform.lists_nonzero.then(|| {
            quote! { simd::append_nonzero(nonzero, #first_block, [#(#names),*]); }
        });
        quote! { #(#code)* #append }
    });
    quote! { #(#groups)* }
}

/// A loop over the groups of one perspective, whose first vector of outputs is `first`.
fn looped(plan: &Plan, half: &str, first: usize) -> TokenStream {
    let Transform { packed, group, .. } = plan.transform;
    let half = format_ident!("{half}");
    let names: Vec<_> = (0..group)
        .map(|vector| format_ident!("p{vector}"))
        .collect();
    let vector = quote!(vector);
    let inputs = (0..group).map(|offset| linear(1, &vector, offset));
    let blocks = plan.isa.vector_bytes / BLOCK;
    let append = plan.transform.lists_nonzero.then(|| {
        let first_block = linear(blocks, &vector, first * blocks);
        quote! { simd::append_nonzero(nonzero, #first_block, [#(#names),*]); }
    });
    let (groups, start) = (count(packed / group), linear(group, &quote!(group), 0));
    quote! {
        for group in 0..#groups {
            let vector = #start;
            #(
                let #names = packed(#half, #inputs);
                output.push(simd::bytes_u8(#names));
            )*
            #append
        }
    }
}
