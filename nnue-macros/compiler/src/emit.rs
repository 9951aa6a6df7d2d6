//! Writes [`Plan`](crate::plan::Plan)s as Rust. Everything was decided before: this stage
//! computes the indices that follow, and cannot fail.
//!
//! Generated code names nothing but the runtime crate and what it defines itself, so that it
//! compiles wherever it is put: under `#![no_implicit_prelude]`, beside other networks, in crates
//! that know the runtime by another name.

mod accumulate;
mod affine;
mod architecture;
mod doc;
mod elementwise;
mod embedded;
mod features;
mod file;
mod imports;
mod kernels;
mod memory;
mod moves;
mod names;
mod neurons;
mod output;
mod probe;
mod program;
mod proof;
mod propagate;
mod transform;

use proc_macro2::TokenStream;
use quote::quote;

pub(crate) use program::Program;

/// Writes the module of a network: its types, constants, tables and kernels.
pub(crate) fn emit(program: &Program<'_>) -> TokenStream {
    let types = architecture::types(program);
    let memory = memory::structs(program);
    let architecture = architecture::implementation(program);
    let kernels = program
        .plans
        .levels
        .iter()
        .filter(|plan| program.levels.contains(plan.isa))
        .map(|plan| kernels::module(program, plan));
    quote! {
        #types
        #memory
        #architecture
        #(#kernels)*
    }
}

/// The module of a network whose spec has errors: its public names alone. The code that uses them
/// then compiles, and the user sees the errors of the spec and no others.
pub(crate) fn skeleton(runtime: &TokenStream) -> TokenStream {
    architecture::skeleton(runtime)
}
