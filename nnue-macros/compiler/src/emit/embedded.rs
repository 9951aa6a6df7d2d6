//! The weights that become part of the program.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::Program;
use super::memory::count;
use crate::{Embedded, EmbeddedWeights};

/// The order of packed columns in embedded weights: that of the file. A portable program does not
/// know the level that it will run at, and every level but the portable one copies what differs.
pub(crate) const PACKED: &[usize] = &[0];

/// The implementation of `Embedded`, for networks that carry their weights.
pub(super) fn implementation(program: &Program<'_>) -> Option<TokenStream> {
    let runtime = program.runtime;
    let net = quote!(#runtime::__private::EmbeddedNet);
    let aligned = quote!(#runtime::__private::buffer::Aligned);
    let (content, check) = match program.embedded? {
        Embedded::File(bytes) => (quote! { #net::File(&#aligned(*#bytes).0) }, None),
        Embedded::Weights(EmbeddedWeights { bytes, kept }) => {
            let len = count(bytes.len());
            let [bytes, kept] = [bytes, kept].map(|bytes| Literal::byte_string(bytes));
            let packed = PACKED.iter().map(|group| count(*group));
            let content = quote! {
                {
                    static WEIGHTS: #aligned<[u8; #len]> = #aligned(*#bytes);
                    #net::Weights {
                        weights: #runtime::__private::memory::of_bytes(&WEIGHTS),
                        packed: &[#(#packed),*],
                        kept: #kept,
                    }
                }
            };
            (content, Some(byte_order(runtime)))
        }
    };
    Some(quote! {
        #check
        impl #runtime::Embedded for Net {
            const NET: #net<Weights> = #content;
        }
    })
}

/// Weights were laid out by the machine that compiles.
fn byte_order(runtime: &TokenStream) -> TokenStream {
    let core = quote!(#runtime::__private::core);
    let order = match cfg!(target_endian = "little") {
        true => "little",
        false => "big",
    };
    let message = "`embed = \"weights\"` needs a target with the byte order of the machine that \
        compiles, use `embed = \"file\"`";
    quote! { const _: () = #core::assert!(#core::cfg!(target_endian = #order), #message); }
}
