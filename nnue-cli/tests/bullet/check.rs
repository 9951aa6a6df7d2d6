//! What the programs for bullet do in `tests/bullet_itself.rs` instead of training: bullet computes
//! the network of random parameters, on the processor, and saves it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write;

use bullet_compiler::model::ModelIR;
use bullet_compiler::tensor::{TValue, TensorIR};
use bullet_lib::game::inputs::{Chess768, SparseInputType};
use bullet_lib::nn::ExecutionContext;
use bullet_lib::value::ValueTrainer;
use bullet_trainer::optimiser::OptimiserState;

pub type Position = <Chess768 as SparseInputType>::RequiredDataType;

/// What a test asks of a program.
pub struct Check<'a> {
    /// The folder for the net file, and for `parameters.bin`.
    pub folder: &'a str,
    pub fens: &'a [&'a str],
    /// Of each parameter, numbers that make its own whole, for each output in turn, and its largest
    /// size.
    pub parameters: &'a [(&'a str, &'a [f64], f64)],
}

impl Check<'_> {
    /// Prints a line for each position: the output, and the rows of both perspectives.
    pub fn run<O, I, B>(
        self,
        trainer: &mut ValueTrainer<O, I, B>,
        inputs: I,
        stack: impl Fn(&Position) -> u8,
    ) where
        O: OptimiserState<ExecutionContext>,
        I: SparseInputType<RequiredDataType = Position>,
    {
        let parameters = format!("{}/parameters.bin", self.folder);
        self.write_parameters(trainer, &parameters);
        trainer
            .optimiser
            .load_weights_from_file(&parameters)
            .expect("it is bullet's own format");
        let quantised = format!("{}/quantised.bin", self.folder);
        trainer
            .save_quantised(&quantised)
            .expect("integers hold all parameters");
        let positions = self
            .fens
            .iter()
            .map(|fen| format!("{fen} | 0 | 0.0").parse());
        let positions: Vec<Position> = positions
            .map(|position| position.expect("it is a position"))
            .collect();
        let mut rows = Vec::new();
        for position in &positions {
            let mut both = [Vec::new(), Vec::new()];
            inputs.map_features(position, |own, opponents| {
                both[0].push(own as i32);
                both[1].push(opponents as i32);
            });
            rows.push(both);
        }
        let padded = |side: usize| {
            let rows = rows.iter().flat_map(|both| {
                let padding = std::iter::repeat_n(-1, inputs.max_active() - both[side].len());
                both[side].iter().copied().chain(padding)
            });
            TValue::I32(rows.collect())
        };
        let stacks = positions.iter().map(|position| i32::from(stack(position)));
        let seeds = [
            ("stm", padded(0)),
            ("nstm", padded(1)),
            ("buckets", TValue::I32(stacks.collect())),
        ];
        let definition = trainer.optimiser.definition();
        let weights = trainer.optimiser.cpu_weights().expect("there are weights");
        let [(output, _)] = definition.outputs() else {
            panic!("the network has one output")
        };
        let model: &ModelIR = definition.ir();
        let (mut graph, map): (TensorIR, _) =
            model.lower(positions.len()).expect("the graph is right");
        // What training needs: gradients of all parameters.
        let gradients = definition.lower_backward(&BTreeSet::new(), positions.len());
        let (_, gradients) = gradients.expect("there are gradients");
        assert_eq!(gradients.len(), model.weights().len());
        let mut values = BTreeMap::new();
        for (id, (name, _)) in model.weights() {
            values.insert(map[id], weights.get(name).values.clone());
        }
        for (id, name) in model.inputs() {
            let seed = seeds.iter().find(|(own, _)| own == name);
            let targets = || {
                TValue::F32(vec![
                    0.0;
                    positions.len() * model.node(*id).ty().single_size()
                ])
            };
            values.insert(map[id], seed.map_or_else(targets, |(_, seed)| seed.clone()));
        }
        graph.register_output(map[output]);
        let results = graph
            .evaluate(values)
            .expect("it can be computed")
            .expect("by the processor");
        let TValue::F32(results) = &results[&map[output]] else {
            panic!("the output is floating point")
        };
        let len = results.len() / positions.len();
        for (results, rows) in results.chunks(len).zip(rows) {
            println!("{results:?} {rows:?}");
        }
    }

    /// Random parameters, in the form that bullet reads.
    fn write_parameters<O, I, B>(&self, trainer: &ValueTrainer<O, I, B>, path: &str)
    where
        O: OptimiserState<ExecutionContext>,
        I: SparseInputType,
    {
        let mut file = File::create(path).expect("files can be written");
        let mut state = 1u64;
        for (id, own) in trainer
            .optimiser
            .cpu_weights()
            .expect("there are weights")
            .iter()
        {
            let of_id = self.parameters.iter().find(|(name, ..)| name == id);
            let (_, ones, most) = of_id.unwrap_or_else(|| panic!("`{id}` is not saved"));
            let len = own.values.size();
            let mut bytes = format!("{id}\n").into_bytes();
            bytes.extend(len.to_le_bytes());
            for one in ones.iter().cycle().take(len) {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                let random = (state >> 40) as f64 / f64::from(1 << 23) - 1.0;
                let number = (random * most * one).round() / one;
                bytes.extend((number as f32).to_le_bytes());
            }
            file.write_all(&bytes).expect("files can be written");
        }
    }
}
