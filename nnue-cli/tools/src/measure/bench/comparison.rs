//! A comparison of networks, from their specs to their times.

use std::fmt;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

use crate::nets::evaluation::told_features;
use crate::nets::net_file::read_net;
use crate::nets::specs::Spec;
use nnue_compiler::{explain, file_layout};
use nnue_runtime::Level;
use nnue_trace::{Facts, Task, Trace};
use serde::Serialize;

use super::net::{density_of_trained, net_file};
use super::program::Program;
use super::rounds::{Times, Turns, steps};
use super::row::Row;
use crate::measure::processor::processor;
use crate::measure::workspace::{Turn, Workspace};
use crate::measure::{Error, ProgramError};

/// The settings of a comparison.
#[derive(Clone, Copy)]
pub struct Comparison<'a> {
    /// The workspace in which the networks are compiled.
    pub packages: &'a Workspace,
    /// The searches that the networks evaluate.
    pub trace: &'a Trace,
    /// The file of the trace, which the programs read too; `None` for the one that comes with the
    /// project.
    pub trace_file: Option<&'a Path>,
    /// The instruction sets that are measured.
    pub levels: &'a [Level],
    /// How often each search is evaluated, at least once.
    pub rounds: usize,
    /// The size of the engine's hash table in bytes; `None` for the size that most engines have.
    pub table: Option<usize>,
    /// The share of blocks of four inputs that are not zero, for weights that nobody has trained;
    /// `None` for the share of trained networks of the same kind.
    pub density: Option<f64>,
    /// Asked before each step whether to go on. Otherwise what was measured so far is the result.
    pub goes_on: &'a dyn Fn() -> bool,
}

/// An event in a comparison.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// Another run compiles in this folder, and must end first.
    Waiting(&'a Path),
    /// The networks are compiled.
    Compiling,
    /// A step of the measurement is done.
    Measured {
        /// The rows with the times so far.
        rows: &'a [Row],
        /// How many steps are done.
        done: usize,
        /// How many steps there are.
        steps: usize,
    },
}

/// The results of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The measured rows, in the order of the specs.
    pub rows: Vec<Row>,
    /// The errors for specs without a row.
    pub errors: Vec<Wrong>,
    /// How often each search was evaluated, at most.
    pub rounds: usize,
    /// The name of the processor.
    pub processor: String,
    /// How many moves the searches make.
    pub moves: usize,
    /// How many positions the searches evaluate.
    pub evaluations: usize,
    /// How many root positions the searches have.
    pub roots: usize,
    /// The size of the engine's hash table in bytes.
    pub engine_table: usize,
}

/// An error for a spec that has no row.
#[derive(Clone, Debug, Serialize)]
pub struct Wrong {
    /// The file of the spec.
    pub spec: String,
    /// Why the spec has no row.
    pub error: String,
}

impl Wrong {
    /// The error for a spec.
    #[must_use]
    pub fn new(spec: &impl ToString, error: impl ToString) -> Wrong {
        Wrong {
            spec: spec.to_string(),
            error: error.to_string().trim_start().into(),
        }
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wrong { spec, error } = self;
        // The compiler's messages name their spec themselves.
        let error = error.strip_prefix("error: ").unwrap_or(error);
        if error.contains(spec) {
            f.write_str(error)
        } else {
            write!(f, "`{spec}`: {error}")
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
    pub fn run(
        &self,
        specs: impl IntoIterator<Item = Result<Spec, Wrong>>,
        nets: &[PathBuf],
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<Report, Error> {
        let (built, mut errors, turn) = self.build(specs, nets, events)?;
        let mut measured = self.start(&built, &mut errors);
        drop(turn);
        let steps = steps(self.rounds);
        let mut times = vec![Ok(Times::default()); measured.len()];
        for done in 0..=steps.len() {
            let so_far = measured.iter().zip(&times);
            let so_far =
                so_far.filter_map(|(program, times)| Some(self.row(program, times.as_ref().ok()?)));
            let so_far: Vec<Row> = so_far.collect();
            if so_far.is_empty() {
                break;
            }
            events(Event::Measured {
                rows: &so_far,
                done,
                steps: steps.len(),
            });
            if let Some(works) = steps.get(done)
                && (self.goes_on)()
            {
                let mut turns = Turns {
                    searches: self.trace.searches.len(),
                    time: &mut |place, request| measured[place].program.time(request),
                };
                turns.step(done, works, &mut times);
            } else {
                break;
            }
        }
        let mut rows = Vec::new();
        for (program, times) in measured.iter().zip(&times) {
            match times {
                Ok(times) => rows.push(self.row(program, times)),
                Err(error) => errors.push(Wrong::new(&program.of.spec, error)),
            }
        }
        Ok(Report {
            rows,
            errors,
            rounds: self.rounds,
            processor: processor(),
            moves: self.trace.moves(),
            evaluations: self.trace.evaluations(),
            roots: self.trace.searches.len(),
            engine_table: self.engine_table(),
        })
    }

    /// The row of a program, with its times so far.
    fn row(&self, program: &Measured<'_>, times: &Times) -> Row {
        let Measured {
            of, level, facts, ..
        } = program;
        let names = [of.spec.clone(), of.network.clone()];
        let net = of.net.as_ref().map(|net| net.display().to_string());
        Row::of(names, net, *level, *facts, times, self.trace.evaluations())
    }

    /// Compiles the networks, and chooses a net file for each. The turn lasts until the programs
    /// have started.
    pub(super) fn build(
        &self,
        read: impl IntoIterator<Item = Result<Spec, Wrong>>,
        nets: &[PathBuf],
        events: &mut dyn FnMut(Event<'_>),
    ) -> Result<(Vec<Built>, Vec<Wrong>, Turn<'_>), Error> {
        let (mut specs, mut errors) = (Vec::new(), Vec::new());
        for spec in read {
            match spec.and_then(measurable) {
                Ok(spec) => specs.push(spec),
                Err(wrong) => errors.push(wrong),
            }
        }
        // Where no spec can be measured, its error says more than that the nets belong to none.
        let nets = if specs.is_empty() {
            Vec::new()
        } else {
            nets_of(&specs, nets)?
        };
        let turn = self
            .packages
            .turn(|folder| events(Event::Waiting(folder)))?;
        if !specs.is_empty() {
            events(Event::Compiling);
        }
        let (programs, files) = thread::scope(|scope| {
            // Weights that nobody has trained are made while the compiler is at work.
            let programs = scope.spawn(|| turn.build(&specs));
            let files = self.files(&specs, &nets, &turn);
            let programs = programs.join();
            (programs.unwrap_or_else(|panic| resume_unwind(panic)), files)
        });
        let mut built = Vec::new();
        for (((spec, net), file), program) in specs.into_iter().zip(nets).zip(files).zip(programs?)
        {
            let file = file.map_err(|error| ProgramError(error.to_string()));
            match program.and_then(|program| Ok((program, file?))) {
                Ok((program, file)) => built.push(Built {
                    spec: spec.choice.to_string(),
                    network: spec.network.name,
                    net,
                    file,
                    program,
                }),
                Err(error) => errors.push(Wrong::new(&spec.choice, &error)),
            }
        }
        Ok((built, errors, turn))
    }

    /// The net file with which each network is measured.
    fn files(
        &self,
        specs: &[Spec],
        nets: &[Option<PathBuf>],
        turn: &Turn<'_>,
    ) -> Vec<Result<PathBuf, Error>> {
        let files = specs.iter().zip(nets).map(|(spec, net)| match net {
            Some(net) => Ok(net.clone()),
            None => {
                let density = self.density;
                let density = density.unwrap_or_else(|| density_of_trained(&spec.network));
                net_file(&turn.folder_of(spec), spec, density, self.trace)
            }
        });
        files.collect()
    }

    /// Starts the program of each network at each level, all at the same time.
    fn start<'b>(&self, built: &'b [Built], errors: &mut Vec<Wrong>) -> Vec<Measured<'b>> {
        let task = Task::Measure {
            trace: self.trace_file.map(PathBuf::from),
            table: self.engine_table(),
        };
        let started = built.iter().map(|of| {
            let start = |level: &Level| Program::start(&of.program, &task, &of.file, *level);
            self.levels.iter().map(start).collect::<Result<Vec<_>, _>>()
        });
        let started: Vec<Result<Vec<Program>, ProgramError>> = started.collect();
        let mut all = Vec::new();
        for (of, programs) in built.iter().zip(started) {
            let measured = programs.and_then(|programs| {
                let measured = programs.into_iter().zip(self.levels);
                let measured = measured.map(|(mut program, level)| {
                    let facts = program.facts()?;
                    let level = *level;
                    Ok(Measured {
                        of,
                        level,
                        facts,
                        program,
                    })
                });
                let measured = measured.collect::<Result<Vec<_>, ProgramError>>()?;
                check_same(&measured)?;
                Ok(measured)
            });
            match measured {
                Ok(measured) => all.extend(measured),
                Err(error) => errors.push(Wrong::new(&of.spec, &error)),
            }
        }
        all
    }

    /// The size of the engine's hash table in bytes.
    fn engine_table(&self) -> usize {
        self.table.unwrap_or(nnue_trace::Engine::TABLE)
    }
}

/// A network that was compiled.
pub(super) struct Built {
    pub(super) spec: String,
    pub(super) network: String,
    /// The net that the user names for it.
    pub(super) net: Option<PathBuf>,
    /// The file with which it is measured.
    pub(super) file: PathBuf,
    pub(super) program: PathBuf,
}

/// A program that is measured.
struct Measured<'b> {
    of: &'b Built,
    level: Level,
    facts: Facts,
    program: Program,
}

/// Checks that a network has the same values at all levels. Each program compares the values of all
/// ways to compute them.
fn check_same(measured: &[Measured<'_>]) -> Result<(), ProgramError> {
    let Some((first, others)) = measured.split_first() else {
        return Ok(());
    };
    let differs = |other: &&Measured<'_>| other.facts.checksum != first.facts.checksum;
    match others.iter().find(differs) {
        None => Ok(()),
        Some(other) => Err(ProgramError(format!(
            "found the checksum {:08x} of all values on `{}`, expected {:08x} as on `{}`; please \
             report it: `nnue verify --compile` finds the positions",
            other.facts.checksum, other.level, first.facts.checksum, first.level
        ))),
    }
}

/// A spec whose network can be measured on chess positions.
fn measurable(spec: Spec) -> Result<Spec, Wrong> {
    match told_features(&spec.network) {
        None => Ok(spec),
        Some(_) => Err(Wrong::new(
            &spec.choice,
            "it has custom feature sets, which only its engine knows: the recorded search is one of chess",
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
