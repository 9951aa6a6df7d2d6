//! The weights that become part of the program.

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::names::count;
use super::program::Program;
use crate::options::{Embedded, EmbeddedWeights, PACKED};

/// The implementation of `Embedded`, after the assertions that it needs, for networks that carry
/// their weights.
pub(super) fn implementation(program: &Program<'_>) -> Option<TokenStream> {
    let (content, check) = match program.embedded? {
        Embedded::File(bytes) => (quote! { EmbeddedNet::File(&Aligned(*#bytes).0) }, None),
        Embedded::Weights(EmbeddedWeights { bytes, kept }) => {
            let len = count(bytes.len());
            let [bytes, kept] = [bytes, kept].map(|bytes| Literal::byte_string(bytes));
            let packed = PACKED.iter().map(|group| count(*group));
            let content = quote! {
                {
                    static WEIGHTS: Aligned<[u8; #len]> = Aligned(*#bytes);
                    EmbeddedNet::Weights {
                        weights: memory::of_bytes(&WEIGHTS),
                        packed: &[#(#packed),*],
                        kept: #kept,
                    }
                }
            };
            (content, Some(byte_order()))
        }
    };
    Some(quote! {
        #check

        #[automatically_derived]
        impl Embedded for Net {
            const NET: EmbeddedNet<Weights> = #content;
        }
    })
}

/// The assertion that the program runs with the byte order of the machine that compiles, which laid
/// the weights out.
fn byte_order() -> TokenStream {
    let order = if cfg!(target_endian = "little") {
        "little"
    } else {
        "big"
    };
    let message = "`embed = \"weights\"` needs a target with the byte order of the machine that \
        compiles, use `embed = \"file\"`";
    quote! { core::assert!(core::cfg!(target_endian = #order), #message); }
}
