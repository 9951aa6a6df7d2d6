//! What code that is compiled to be checked has besides: a second forward pass, which shows the
//! values of each layer to a probe. Its statements are those of the forward pass itself.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::names::{count, halves, variable};
use super::transform::Sums;
use super::{Program, output, propagate};
use crate::network::Layer;
use crate::plan::Plan;

/// The implementation of the runtime's trait `Probed`.
pub(super) fn implementation(program: &Program<'_>) -> Option<TokenStream> {
    let spec = program.checked?;
    let output_type = output::output_name(program);
    let psqt = match program.network.transformer.psqt {
        0 => quote! { &mut [] },
        _ => quote! { &mut half.psqt },
    };
    let halves = halves(program);
    let pattern = match halves.len() {
        1 => quote! { [first, _] },
        _ => quote! { [first, second] },
    };
    let (proved, pass) = match propagate::proved(program) {
        (Some(_), pass) => (quote! { proved }, pass),
        (None, _) => (quote! { _ }, None),
    };
    Some(quote! {
        #[automatically_derived]
        impl Probed for Net {
            const SPEC: &'static str = #spec;

            fn sums(half: &mut Half) -> (&mut [i16], &mut [i32]) {
                (&mut half.values, #psqt)
            }

            fn propagate_probed(
                level: Level,
                stacks: &Stacks,
                halves: [&Half; 2],
                bucket: usize,
                #proved: Proved,
                probe: &mut dyn Probe,
            ) -> #output_type {
                let #pattern = halves;
                kernels::dispatch!(
                    level,
                    propagate_probed(stacks, #(#halves,)* bucket, #pass probe)
                )
            }
        }
    })
}

/// The forward pass of one instruction set with a probe behind each layer.
pub(super) fn function(
    program: &Program<'_>,
    plan: &Plan<'_>,
    attribute: Option<&TokenStream>,
) -> Option<TokenStream> {
    program.checked?;
    let (halves, output_type) = (halves(program), output::output_name(program));
    let proved = propagate::read_proved(program, plan);
    let transformed = propagate::transformed(program, plan, Sums::Stored);
    let layers = propagate::layers(program, plan, Sums::Stored, statement);
    Some(quote! {
        /// [`propagate`], which shows the values of each layer to a probe.
        #attribute
        pub(super) fn propagate_probed(
            stacks: &Stacks,
            #(#halves: &Half,)*
            bucket: usize,
            #proved
            probe: &mut dyn Probe,
        ) -> #output_type {
            #transformed
            let stack = buffer::row(stacks, bucket as u32);
            #layers
        }
    })
}

/// Statements that show a layer's values to the probe. Each of the layer's functions begins
/// `stride` values behind the one before it.
fn statement(index: usize, layer: &Layer, stride: usize) -> TokenStream {
    let ([index, stride], name) = ([index, stride].map(count), variable(layer));
    let variant = format_ident!("{}", layer.output.element.name().to_uppercase());
    quote! {
        let mut #name = #name;
        probe.layer(#index, #stride, Values::#variant(&mut #name.0));
    }
}
