//! The compiler through its public interface, over all specs. All tests are one program, for each
//! program links the whole compiler.

mod advice;
mod budget;
mod checked;
mod diagnostics;
mod diagram;
mod documents;
mod examine;
mod expand;
mod golden;
mod known_specs;
mod language_reference;
mod like;
mod mutated_nets;
mod mutator;
mod net_under_test;
mod neuron_order;
mod plan;
mod planted;
mod robust;
mod schema;
mod short_forms;
mod specs;
