//! From accumulators to the layers' inputs in one pass: they are activated, pooled and packed, and
//! the non-zero blocks are listed.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::accumulate::Table;
use super::moves::moved_names;
use super::names::{count, halves, linear};
use super::program::Program;
use crate::network::{Element, Pooling, ProductRounding, TransformerActivation};
use crate::plan::{Bytes, Multiplication, Plan, TransformOutputs};

/// The type of the list of non-zero blocks.
pub(super) fn list_type(program: &Program<'_>) -> TokenStream {
    let columns = &program.layout.columns;
    let (blocks, capacity) = (count(columns.blocks()), count(columns.list_capacity()));
    quote! { NonZero<#blocks, #capacity> }
}

/// The function `transform`, and the functions that it calls for a vector.
pub(super) fn functions(
    program: &Program<'_>,
    plan: &Plan<'_>,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let part = move_part(program, plan, attribute);
    match &plan.transform.outputs {
        TransformOutputs::Words { vectors } => {
            let words = words(program, plan, *vectors, attribute);
            quote! { #words #part }
        }
        TransformOutputs::Registers { .. } => {
            let words = word_functions(program, plan, attribute);
            quote! { #words #part }
        }
        TransformOutputs::Bytes(bytes) => {
            let packed = packed(program, plan, bytes, attribute);
            let list = list_type(program);
            let list = bytes.lists_nonzero.then(|| quote! { nonzero: &mut #list, });
            let blocks = count(program.layout.columns.blocks());
            let halves = halves(program);
            let function = |sums| {
                let body = if bytes.unrolled {
                    straight_line(bytes, sums, &halves)
                } else {
                    looped(bytes, sums, &halves)
                };
                let output = quote! { output: &mut InputWriter<'_, #blocks>, #list };
                function(program, sums, attribute, &output, &body)
            };
            let (transform, moved) = (function(Sums::Stored), function(Sums::Moved));
            let moved = plan.fuses_moves.then_some(moved);
            quote! { #packed #transform #part #moved }
        }
    }
}

/// Where the sums are that become the layers' inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sums {
    /// In accumulators.
    Stored,
    /// In the accumulators before a move. They are computed with its rows as they are needed, and
    /// stored.
    Moved,
}

impl Sums {
    /// An expression for output vector `index` of a perspective, which `stored` reads from its
    /// accumulator.
    fn read(self, half: &Ident, index: &TokenStream, stored: TokenStream) -> TokenStream {
        let [before, added, removed] = moved_names(half);
        match self {
            Sums::Stored => stored,
            Sums::Moved => quote! {
                { move_part(#before, #added, &#removed, #half, #index); #stored }
            },
        }
    }
}

/// The name of the function that makes the layers' inputs, and its first arguments.
pub(super) fn call(program: &Program<'_>, sums: Sums) -> (Ident, TokenStream) {
    let halves = halves(program);
    match sums {
        Sums::Stored => (format_ident!("transform"), quote! { #(#halves,)* }),
        Sums::Moved => {
            let names = halves.iter().map(moved_names);
            let arguments = names.zip(&halves).map(|([before, added, removed], half)| {
                quote! { #before, #added, #removed, #half, }
            });
            (format_ident!("transform_moved"), quote! { #(#arguments)* })
        }
    }
}

/// The function that makes the layers' inputs. `output` is its last parameters.
fn function(
    program: &Program<'_>,
    sums: Sums,
    attribute: Option<&TokenStream>,
    output: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let (name, _) = call(program, sums);
    let halves = halves(program);
    let (generic, parameters) = match sums {
        Sums::Stored => (None, quote! { #(#halves: &Half,)* }),
        Sums::Moved => {
            let row = row_type(program);
            let names = halves.iter().map(moved_names);
            let parameters = names.zip(&halves).map(|([before, added, removed], half)| {
                quote! {
                    #before: &Half,
                    #added: &#row,
                    #removed: [&#row; REMOVED],
                    #half: &mut Half,
                }
            });
            (
                Some(quote! { <const REMOVED: usize> }),
                quote! { #(#parameters)* },
            )
        }
    };
    let doc = match sums {
        Sums::Stored => " The layers' inputs, of accumulators.",
        Sums::Moved => " The same, while a move's rows are added and the sums are stored.",
    };
    let lints = (sums == Sums::Moved).then(|| {
        quote! { #[allow(clippy::too_many_arguments, reason = "rows of both perspectives")] }
    });
    quote! {
        #[doc = #doc]
        #[inline]
        #lints
        #attribute
        fn #name #generic(#parameters #output) {
            #body
        }
    }
}

/// The type of a row of the only table.
fn row_type(program: &Program<'_>) -> TokenStream {
    let (element, width) = (
        &Table::all(program)[0].element,
        count(program.layout.columns.width),
    );
    quote! { [#element; #width] }
}

/// The function `move_part`: it adds a move's rows to those vectors of an accumulator that become
/// an output vector, and stores them. The code that then reads them finds them in registers.
fn move_part(
    program: &Program<'_>,
    plan: &Plan<'_>,
    attribute: Option<&TokenStream>,
) -> Option<TokenStream> {
    if !plan.fuses_moves {
        return None;
    }
    let table = &Table::all(program)[0];
    let (row, columns) = (row_type(program), &program.layout.columns);
    let read = match plan.transform.outputs {
        TransformOutputs::Bytes(_) => 2,
        TransformOutputs::Registers { .. } if clips_two(program) => 2,
        TransformOutputs::Words { .. } | TransformOutputs::Registers { .. } => 1,
    };
    let starts = (0..columns.width).step_by(columns.half);
    let vectors = starts.flat_map(|start| {
        let first = start / plan.isa.lanes(2);
        (first..first + read).map(|vector| linear(read, &quote!(index), vector))
    });
    let vectors: Vec<TokenStream> = vectors.collect();
    let sums: Vec<Ident> = (0..vectors.len())
        .map(|number| format_ident!("v{number}"))
        .collect();
    let values: Vec<TokenStream> = vectors
        .iter()
        .map(|vector| table.vector(&quote! { chunk(row, #vector) }))
        .collect();
    Some(quote! {
        /// Adds a move's rows to the sums of an output vector.
        #[inline]
        #attribute
        fn move_part<const REMOVED: usize>(
            before: &Half,
            added: &#row,
            removed: &[&#row; REMOVED],
            after: &mut Half,
            index: usize,
        ) {
            #(let mut #sums = simd::load_i16(chunk(&before.values, #vectors));)*
            for &row in removed {
                #(#sums = simd::sub_i16(#sums, #values);)*
            }
            let row = added;
            #(#sums = simd::add_i16(#sums, #values);)*
            #(simd::store_i16(#sums, chunk_mut(&mut after.values, #vectors));)*
        }
    })
}

/// The functions for outputs that stay 16 bits wide: accumulator values, large activations and
/// products, roots of squares.
fn words(
    program: &Program<'_>,
    plan: &Plan<'_>,
    vectors: usize,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let outputs = count(program.layout.columns.outputs);
    let functions = word_functions(program, plan, attribute);
    let halves = halves(program);
    let function = |sums| {
        let stores = halves.iter().enumerate().map(|(half, name)| {
            let index = quote!(index);
            let place = linear(1, &index, half * vectors);
            let values = word_vector(program, sums, name, &index);
            quote! { simd::store_i16(#values, chunk_mut(output, #place)); }
        });
        let vectors = count(vectors);
        let body = quote! { for index in 0..#vectors { #(#stores)* } };
        let output = quote! { output: &mut [i16; #outputs], };
        self::function(program, sums, attribute, &output, &body)
    };
    let transform = function(Sums::Stored);
    let moved = plan.fuses_moves.then(|| function(Sums::Moved));
    quote! { #functions #transform #moved }
}

/// Whether [`word_vector`] makes two vectors where layers take words from registers: bytes hold the
/// clipped neurons, so that two vectors are clipped at once.
pub(super) fn clips_two(program: &Program<'_>) -> bool {
    let transformer = &program.network.transformer;
    let limit = match transformer.activation {
        TransformerActivation::Crelu { limit } => limit,
        TransformerActivation::Screlu { shift: 0, .. } => transformer.one,
        _ => 0,
    };
    limit == 255 && transformer.pooling == Pooling::None
}

/// The functions that [`word_vector`] calls.
fn word_functions(
    program: &Program<'_>,
    plan: &Plan<'_>,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let lanes = count(2 * plan.isa.lanes(2));
    match (program.network.transformer.pooling, &plan.transform.outputs) {
        (_, TransformOutputs::Registers { .. }) if clips_two(program) => quote! {
            #[inline]
            #attribute
            fn activated(values: &[i16; #lanes]) -> [simd::I16; 2] {
                simd::clip_to_255(
                    simd::load_i16(chunk(values, 0)),
                    simd::load_i16(chunk(values, 1)),
                )
            }
        },
        (Pooling::None, _) => activated_function(plan, attribute, &activated(program, plan)),
        _ => pooled_function(program, plan, attribute, pool(program, plan)),
    }
}

/// An expression for vector `index` of the words that a perspective's accumulator becomes, or for
/// an array of two: see [`clips_two`].
pub(super) fn word_vector(
    program: &Program<'_>,
    sums: Sums,
    half: &Ident,
    index: &TokenStream,
) -> TokenStream {
    let len = count(program.layout.columns.half);
    let stored = match program.network.transformer.pooling {
        Pooling::None => quote! { activated(chunk(&#half.values, #index)) },
        _ => quote! {
            pooled(
                chunk(chunk::<i16, #len>(&#half.values, 0), #index),
                chunk(chunk::<i16, #len>(&#half.values, 1), #index),
            )
        },
    };
    sums.read(half, index, stored)
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
        TransformerActivation::Screlu { .. }
            if matches!(transformer.activated.element, Element::U16 | Element::I32) =>
        {
            clamped(transformer.one)
        }
        TransformerActivation::Screlu { shift, .. } => {
            let clamped = clamped(transformer.one);
            let x = quote!(x);
            let square = multiplied(plan.transform.squares, shift, &x, &x);
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
        TransformerActivation::Quantmoid4 => quote! { simd::quantmoid4_i16(x) },
    }
}

/// The function `activated`: it computes the expression from the vector `x`.
fn activated_function(
    plan: &Plan<'_>,
    attribute: Option<&TokenStream>,
    expression: &TokenStream,
) -> TokenStream {
    let lanes = count(plan.isa.lanes(2));
    quote! {
        #[inline]
        #attribute
        fn activated(values: &[i16; #lanes]) -> simd::I16 {
            let x = simd::load_i16(values);
            #expression
        }
    }
}

/// The function `pooled`: it computes the expression from the activated vectors `a` and `b`.
fn pooled_function(
    program: &Program<'_>,
    plan: &Plan<'_>,
    attribute: Option<&TokenStream>,
    expression: TokenStream,
) -> TokenStream {
    let lanes = count(plan.isa.lanes(2));
    let activated = activated_function(plan, attribute, &activated(program, plan));
    quote! {
        #activated

        #[inline]
        #attribute
        fn pooled(first: &[i16; #lanes], second: &[i16; #lanes]) -> simd::I16 {
            let (a, b) = (activated(first), activated(second));
            #expression
        }
    }
}

/// An expression for the pooled vectors `a` and `b`.
fn pool(program: &Program<'_>, plan: &Plan<'_>) -> TokenStream {
    match program.network.transformer.pooling {
        Pooling::None => quote! { a },
        Pooling::Product { shift, .. } => {
            multiplied(plan.transform.products, shift, &quote!(a), &quote!(b))
        }
        Pooling::Average => quote! {
            let sum = simd::add_i16(simd::add_i16(a, b), simd::splat_i16(1));
            simd::shift_right_i16::<1>(sum)
        },
        Pooling::Max => quote! { simd::max_i16(a, b) },
    }
}

/// The function `packed`, which activates and pools and returns a vector of outputs.
fn packed(
    program: &Program<'_>,
    plan: &Plan<'_>,
    bytes: &Bytes,
    attribute: Option<&TokenStream>,
) -> TokenStream {
    let transformer = &program.network.transformer;
    let lanes = count(plan.isa.lanes(2));
    let limit_of_crelu = match transformer.activation {
        TransformerActivation::Crelu { limit } => Some(Literal::i16_unsuffixed(limit as i16)),
        _ => None,
    };
    let packed_words = quote! {
        simd::pack_u8(
            pooled(chunk(first, 2 * index), chunk(second, 2 * index)),
            pooled(chunk(first, 2 * index + 1), chunk(second, 2 * index + 1)),
        )
    };
    let products = plan.transform.products;
    let (pooled, outputs) = match (transformer.pooling, products, limit_of_crelu) {
        (Pooling::None, _, limit) => {
            // Packing clips at zero, so clipping at zero before it is not needed.
            let expression = match limit {
                Some(limit) => quote! { simd::min_i16(x, simd::splat_i16(#limit)) },
                None => activated(program, plan),
            };
            let activated = activated_function(plan, attribute, &expression);
            return quote! {
                #activated

                /// The `index`-th vector of bytes of a perspective. Packing clips at zero.
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
        (Pooling::Product { shift, .. }, _, Some(limit)) if bytes.products_of_packed => {
            let product = format_ident!("product_to_{}", limit.to_string());
            let shift = count(shift as usize);
            let outputs = quote! {
                simd::#product::<#shift>(
                    [
                        simd::load_i16(chunk(first, 2 * index)),
                        simd::load_i16(chunk(first, 2 * index + 1)),
                    ],
                    [
                        simd::load_i16(chunk(second, 2 * index)),
                        simd::load_i16(chunk(second, 2 * index + 1)),
                    ],
                )
            };
            (TokenStream::new(), outputs)
        }
        (Pooling::Product { .. }, Multiplication::High { shifts, rounding }, Some(limit)) => {
            let product = product(shifts, rounding);
            let pooled = quote! {
                #[inline]
                #attribute
                fn pooled(first: &[i16; #lanes], second: &[i16; #lanes]) -> simd::I16 {
                    let (zero, limit) = (simd::splat_i16(0), simd::splat_i16(#limit));
                    let (first, second) = (simd::load_i16(first), simd::load_i16(second));
                    let first = simd::max_i16(simd::min_i16(first, limit), zero);
                    let second = simd::min_i16(second, limit);
                    #product
                }
            };
            (pooled, packed_words)
        }
        _ => {
            let pooled = pooled_function(program, plan, attribute, pool(program, plan));
            (pooled, packed_words)
        }
    };
    let half = count(program.layout.columns.half);
    quote! {
        #pooled

        /// The `index`-th vector of bytes of a perspective.
        #[inline]
        #attribute
        fn packed(half: &Half, index: usize) -> simd::U8 {
            let first = chunk::<i16, #half>(&half.values, 0);
            let second = chunk::<i16, #half>(&half.values, 1);
            #outputs
        }
    }
}

/// An expression for the product of two vectors without negative values, shifted to the right.
fn multiplied(
    multiply: Multiplication,
    shift: u32,
    a: &TokenStream,
    b: &TokenStream,
) -> TokenStream {
    let word = |shift: u32| count(shift as usize);
    match multiply {
        Multiplication::High { shifts, rounding } => {
            let second = word(shifts.1);
            let b = quote! { simd::shift_left_i16::<#second>(#b) };
            multiplied_high(rounding, shifts.0, a, &b)
        }
        Multiplication::Low if shift == 0 => quote! { simd::mul_low_i16(#a, #b) },
        Multiplication::Low => {
            let shift = word(shift);
            quote! { simd::shift_right_i16::<#shift>(simd::mul_low_i16(#a, #b)) }
        }
        // With a = 2 half + rest, a * b >> 1 is half * b + (rest * b >> 1), and rest is 0 or 1.
        Multiplication::Halved => quote! {
            let half = simd::shift_right_i16::<1>(#a);
            let rest = simd::sub_i16(#a, simd::shift_left_i16::<1>(half));
            simd::add_i16(
                simd::mul_low_i16(half, #b),
                simd::mul_low_i16(rest, simd::shift_right_i16::<1>(#b)),
            )
        },
    }
}

/// An expression for the upper bits of a product whose first factor is shifted to the left before.
fn multiplied_high(
    rounding: ProductRounding,
    shift: u32,
    a: &TokenStream,
    b: &TokenStream,
) -> TokenStream {
    let shift = count(shift as usize);
    match rounding {
        ProductRounding::Floor => quote! { simd::mul_high_i16::<#shift>(#a, #b) },
        ProductRounding::Nearest => quote! {
            simd::mul_rounded_i16(simd::shift_left_i16::<#shift>(#a), #b)
        },
    }
}

/// An expression for the upper bits of the product of two clipped factors. At least one factor is
/// shifted to the left before.
///
/// A negative second factor never makes a positive product, and packing clips at zero. Only a
/// second factor that is shifted, and might lose its sign, must be clipped itself.
fn product(shifts: (u32, u32), rounding: ProductRounding) -> TokenStream {
    let shift = count(shifts.1 as usize);
    let second = if shifts.1 == 0 {
        quote! { second }
    } else {
        quote! { simd::shift_left_i16::<#shift>(simd::max_i16(second, zero)) }
    };
    multiplied_high(rounding, shifts.0, &quote! { first }, &second)
}

/// Code for all groups of all perspectives, one after the other.
fn straight_line(bytes: &Bytes, sums: Sums, halves: &[Ident]) -> TokenStream {
    let vectors: Vec<_> = halves
        .iter()
        .flat_map(|half| (0..bytes.vectors).map(move |index| (half, count(index))))
        .enumerate()
        .map(|(vector, (half, index))| {
            let name = format_ident!("packed_{vector}");
            let packed = sums.read(half, &quote!(#index), quote! { packed(#half, #index) });
            let code = quote! {
                let #name = #packed;
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

/// Code for a loop over the groups of each perspective.
fn looped(bytes: &Bytes, sums: Sums, halves: &[Ident]) -> TokenStream {
    let names: Vec<_> = (0..bytes.group)
        .map(|vector| format_ident!("packed_{vector}"))
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
        let packed = (0..bytes.group).map(|offset| {
            let index = linear(1, &vector, offset);
            sums.read(half, &index, quote! { packed(#half, #index) })
        });
        let append = bytes.lists_nonzero.then(|| {
            let blocks_before = perspective * bytes.vectors * bytes.blocks;
            let first_block = linear(bytes.blocks, &vector, blocks_before);
            quote! { simd::append_nonzero(nonzero, #first_block, [#(#names),*]); }
        });
        quote! {
            for #counter in 0..#groups {
                #start
                #(
                    let #names = #packed;
                    output.push(simd::bytes_u8(#names));
                )*
                #append
            }
        }
    });
    quote! { #(#perspectives)* }
}
