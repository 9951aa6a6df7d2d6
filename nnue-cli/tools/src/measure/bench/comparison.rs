//! A comparison of networks, from their specs to their times.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::nets::evaluation::told_features;
use crate::nets::net_file::read_net;
use crate::nets::specs::SpecChoice;
use nnue_compiler::{explain, file_layout};
use nnue_runtime::Level;
use nnue_trace::Trace;
use serde::Serialize;

use super::measure::{Measured, Row, measure};
use super::net::{density_of_trained, net_file};
use super::package::{Packages, Spec};
use super::program::Program;
use super::rounds::steps;
use crate::measure::{Error, ProgramError};

/// The settings of a comparison.
#[derive(Clone, Copy)]
pub struct Comparison<'a> {
    /// The packages in which the networks are compiled.
    pub packages: &'a Packages,
    /// The searches that the networks evaluate.
    pub trace: &'a Trace,
    /// The instruction sets that are measured.
    pub levels: &'a [Level],
    /// How often each search is evaluated, at least once.
    pub rounds: usize,
    /// The share of blocks of four inputs that are not zero, for weights that nobody has trained;
    /// `None` for the share of trained networks of the same kind.
    pub density: Option<f64>,
}

/// An event in a comparison.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Another run compiles in this folder, and must end first.
    Waiting(&'a Path),
    /// The networks are compiled.
    Compiling,
    /// Weights are made for networks without a net, and programs are started.
    ChoosingWeights,
    /// The programs are measured.
    Measuring {
        /// How many steps the measurement has, if times are even.
        steps: usize,
    },
    /// A step of the measurement is done.
    Step,
}

/// The results of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The measured rows, in the order of the specs.
    pub rows: Vec<Row>,
    /// The errors for specs without a row.
    pub errors: Vec<Wrong>,
    /// How often the rounds were measured.
    pub tries: usize,
    /// Whether the times of rounds are near each other. If they are not, the machine was never
    /// quiet enough.
    pub even: bool,
}

/// An error for a spec that has no row.
#[derive(Clone, Debug, Serialize)]
pub struct Wrong {
    /// The file of the spec.
    pub spec: String,
    /// Why the spec has no row.
    pub error: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { spec, error } = self;
        // The compiler's messages name their spec themselves.
        let error = error.strip_prefix("error: ").unwrap_or(error);
        match error.contains(spec) {
            true => f.write_str(error),
            false => write!(f, "`{spec}`: {error}"),
        }
    }
}

impl Comparison<'_> {
    /// Measures the networks of specs. Each network has the file among `nets` that fits its spec,
    /// or weights that nobody has trained. An error for a network leaves the rows of all others.
    ///
    /// # Errors
    ///
    /// Packages cannot be written, cargo cannot be run, or a net file cannot be read or fits no
    /// spec.
    pub fn run<'c>(
        &self,
        choices: impl IntoIterator<Item = &'c SpecChoice>,
        nets: &[PathBuf],
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<Report, Error> {
        let read = choices.into_iter().map(|choice| {
            Spec::read(choice).map_err(|error| wrong(choice, &ProgramError(error.to_string())))
        });
        self.run_read(read, nets, events)
    }

    /// The same for specs that were read, or made.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run).
    pub fn run_specs(
        &self,
        specs: impl IntoIterator<Item = Spec>,
        nets: &[PathBuf],
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<Report, Error> {
        self.run_read(specs.into_iter().map(Ok), nets, events)
    }

    fn run_read(
        &self,
        read: impl Iterator<Item = Result<Spec, Wrong>>,
        nets: &[PathBuf],
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<Report, Error> {
        let (mut specs, mut errors) = (Vec::new(), Vec::new());
        for spec in read {
            match spec.and_then(measurable) {
                Ok(spec) => specs.push(spec),
                Err(wrong) => errors.push(wrong),
            }
        }
        // Where no spec can be measured, its error says more than that the nets belong to none.
        let nets = match specs.is_empty() {
            true => Vec::new(),
            false => nets_of(&specs, nets)?,
        };
        let mut programs = self.programs(&specs, nets, &mut errors, events)?;
        events(Event::Measuring {
            steps: steps(self.rounds),
        });
        let searches = self.trace.searches.iter();
        let evaluations: Vec<usize> = searches.map(|search| search.evaluated.len()).collect();
        let Measured {
            rows: measured,
            tries,
            are_even,
        } = measure(&mut programs, &evaluations, self.rounds, &mut || {
            events(Event::Step);
        });
        let mut rows = Vec::new();
        for (row, (unmeasured, _)) in measured.into_iter().zip(&programs) {
            match row {
                Ok(row) => rows.push(row),
                Err(error) => errors.push(wrong(&unmeasured.spec, &error)),
            }
        }
        Ok(Report {
            rows,
            errors,
            tries,
            even: are_even,
        })
    }

    /// Compiles the networks, and starts their programs at each level.
    fn programs(
        &self,
        specs: &[Spec],
        nets: Vec<Option<PathBuf>>,
        errors: &mut Vec<Wrong>,
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<Vec<(Row, Program)>, Error> {
        events(Event::Compiling);
        let turn = self
            .packages
            .turn(|folder| events(Event::Waiting(folder)))?;
        let built = turn.build(specs)?;
        events(Event::ChoosingWeights);
        let mut programs = Vec::new();
        for ((spec, net), program) in specs.iter().zip(nets).zip(built) {
            let density = self.density;
            let density = density.unwrap_or_else(|| density_of_trained(&spec.network));
            let started = program.and_then(|program| {
                let file = match &net {
                    Some(net) => net.clone(),
                    None => net_file(&turn.folder_of(spec), spec, density, self.trace)
                        .map_err(|error| ProgramError(error.to_string()))?,
                };
                let start = |level: &Level| Program::start(&program, &file, *level);
                self.levels.iter().map(start).collect::<Result<Vec<_>, _>>()
            });
            match started {
                Ok(started) => {
                    programs.extend(self.levels.iter().zip(started).map(|(level, program)| {
                        let names = [spec.choice.to_string(), spec.network.name.clone()];
                        let net = net.as_ref().map(|net| net.display().to_string());
                        (Row::new(names, net, *level, program.facts), program)
                    }))
                }
                Err(error) => errors.push(wrong(&spec.choice, &error)),
            }
        }
        Ok(programs)
    }
}

/// A spec whose network can be measured on chess positions.
fn measurable(spec: Spec) -> Result<Spec, Wrong> {
    match told_features(&spec.network) {
        None => Ok(spec),
        Some(_) => Err(wrong(
            &spec.choice,
            &"it has custom feature sets, which only its engine knows: the recorded search is one of chess"
                .into(),
        )),
    }
}

/// The net file for each spec, if there is a file that fits it.
fn nets_of(specs: &[Spec], paths: &[PathBuf]) -> Result<Vec<Option<PathBuf>>, Error> {
    let mut nets = vec![None; specs.len()];
    for path in paths {
        let file = read_net(path, None)?;
        let mut refusals = Vec::new();
        let mut place = None;
        for (index, spec) in specs.iter().enumerate() {
            match explain::check(&file_layout(&spec.network), &file) {
                Ok(_) if nets[index].is_none() => {
                    place = Some(index);
                    break;
                }
                Ok(_) => refusals.push(format!("`{}` has one", spec.choice)),
                Err(error) => refusals.push(format!("`{}`: {error}", spec.choice)),
            }
        }
        match place {
            Some(index) => nets[index] = Some(path.clone()),
            None => {
                return Err(Error::NoSpec {
                    net: path.clone(),
                    refusals,
                });
            }
        }
    }
    Ok(nets)
}

fn wrong(spec: &impl ToString, error: &ProgramError) -> Wrong {
    Wrong {
        spec: spec.to_string(),
        error: error.0.trim_start().into(),
    }
}
