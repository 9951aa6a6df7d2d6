//! The command `nnue-compiler check|plan|expand SPEC`, which shows what each stage of the compiler
//! makes of a spec.

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use nnue_compiler::diagnostics::{SourceFile, list, nearest};
use nnue_compiler::format::{self, Format, Section};
use nnue_compiler::layout::Layout;
use nnue_compiler::network::Network;
use nnue_compiler::network::file::{File, Tensor};
use nnue_compiler::plan::{Plans, Unroll};
use nnue_compiler::{Options, analyse, emit, file_layout};
use nnue_levels::ISAS;
use quote::quote;

const USAGE: &str = "\
usage: nnue-compiler COMMAND SPEC [OPTION ...]

commands:
  check    read and check a spec, and show the network: tensors, ones, ranges, hashes
  plan     show how each instruction set computes it
  expand   print the Rust that nnue_net! generates

options of plan and expand:
  --level NAME      only this one of LEVELS
  --unroll HOW      auto: as measurements favour, the default; full: everything as straight-line code

options of check:
  --weights FILE    check a net file against the spec too

example:
  nnue-compiler plan specs/sfnnv5.toml --level avx2
";

fn level_names() -> Vec<&'static str> {
    ISAS.iter().map(|isa| isa.name).collect()
}

fn usage() -> String {
    USAGE.replace("LEVELS", &level_names().join(", "))
}

fn main() -> ExitCode {
    let arguments: Result<Vec<String>, _> = std::env::args_os()
        .skip(1)
        .map(OsString::into_string)
        .collect();
    let result = match arguments {
        Ok(arguments) => run(&arguments),
        Err(argument) => Err(format!(
            "error: the argument `{}` is not UTF-8",
            argument.display()
        )),
    };
    match result {
        Ok(text) => print(&text),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// A reader that has seen enough, such as `head`, is no error.
fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("error: cannot write to standard output: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

#[derive(Clone, Copy)]
enum Command {
    Check,
    Plan,
    Expand,
}

const COMMANDS: [(&str, Command); 3] = [
    ("check", Command::Check),
    ("plan", Command::Plan),
    ("expand", Command::Expand),
];

fn run(arguments: &[String]) -> Result<String, String> {
    if arguments
        .iter()
        .any(|argument| argument == "--help" || argument == "-h")
    {
        return Ok(usage());
    }
    let [command, rest @ ..] = arguments else {
        return Err(usage().trim_end().to_string());
    };
    let names = COMMANDS.map(|(name, _)| name);
    let Some((_, command)) = COMMANDS.iter().find(|(name, _)| name == command) else {
        return Err(unknown("command", command, &names));
    };
    let options = parse_options(*command, rest)?;
    let path = &options.spec;
    let text = String::from_utf8(read(path)?).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        format!("error: `{path}` is not UTF-8 text: the byte at offset {offset} is invalid")
    })?;
    let network = analyse(&SourceFile::new(path, text)).map_err(|errors| errors.to_string())?;
    match command {
        Command::Check => {
            let mut text = describe(&network);
            if let Some(weights) = &options.weights {
                let checked = format::check(&file_layout(&network), &read(weights)?);
                let loaded = checked.map_err(|problem| {
                    format!(
                        "error: `{weights}` is not a net file for {}: {problem}",
                        network.name
                    )
                })?;
                text += &format!(
                    "`{weights}` is a net file for {}; no file tells shifts, limits, `select`, or the order of what layers read\n",
                    network.name
                );
                for (place, count) in loaded.clamped {
                    text += &format!(
                        "{count} values of `{place}` do not fit and become the nearest that do\n"
                    );
                }
            }
            Ok(text)
        }
        Command::Plan => print_plans(&network, &options),
        Command::Expand => expand(&network, &options),
    }
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("error: cannot read `{path}`: {error}"))
}

fn unknown(what: &str, found: &str, allowed: &[&str]) -> String {
    let near = nearest(found, allowed.iter().copied())
        .map_or(String::new(), |near| format!(": did you mean `{near}`?"));
    format!(
        "error: unknown {what} `{found}`, allowed are {}{near}",
        list(allowed)
    )
}

#[derive(Default)]
struct Chosen {
    spec: String,
    level: Option<String>,
    unroll: Unroll,
    weights: Option<String>,
}

fn parse_options(command: Command, arguments: &[String]) -> Result<Chosen, String> {
    let allowed: &[&str] = match command {
        Command::Check => &["--weights"],
        Command::Plan | Command::Expand => &["--level", "--unroll"],
    };
    let mut specs = Vec::new();
    let mut chosen = Chosen::default();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        if !argument.starts_with('-') {
            specs.push(argument);
            continue;
        }
        if !allowed.contains(&argument.as_str()) {
            return Err(unknown("option", argument, allowed));
        }
        let Some(value) = arguments.next() else {
            return Err(format!("error: `{argument}` needs a value"));
        };
        match (argument.as_str(), value.as_str()) {
            ("--level", name) => {
                let names = level_names();
                if !names.contains(&name) {
                    return Err(unknown("level", name, &names));
                }
                chosen.level = Some(name.to_string());
            }
            ("--unroll", "full") => chosen.unroll = Unroll::Full,
            ("--unroll", "auto") => chosen.unroll = Unroll::Auto,
            ("--unroll", other) => {
                return Err(unknown("value of --unroll", other, &["auto", "full"]));
            }
            (_, file) => chosen.weights = Some(file.to_string()),
        }
    }
    match specs.as_slice() {
        [spec] => {
            chosen.spec = spec.to_string();
            Ok(chosen)
        }
        specs => Err(format!(
            "error: found {} specs, expected one\n\n{}",
            specs.len(),
            usage().trim_end()
        )),
    }
}

fn describe(network: &Network) -> String {
    let layout = Layout::of(network);
    let mut text = nnue_compiler::diagram(network);
    match network.file.format {
        Format::Stockfish { version, hash } => {
            text += &format!("file: version {version:#010x}, network hash {hash:#010x}");
            for section in network.file.sections_once() {
                if let Section::Hash { name, expected } = section {
                    let name = if *name == "hash" { "stack hash" } else { name };
                    text += &format!(", {name} {expected:#010x}");
                }
            }
            text += "\n";
        }
        Format::Named => text += &format!("file: in any order {}\n", order(network)),
        _ => text += &format!("file: {}\n", order(network)),
    }
    text += &format!(
        "memory: weights {} bytes, accumulator {} bytes\n",
        layout.weights.size,
        2 * layout.half.size
    );
    text
}

/// The tensors of the file, each with its type and the order of its axes, which no length gives
/// away.
fn order(network: &Network) -> String {
    let list = |sections: &[Section<Tensor>]| {
        let tensors = sections.iter().filter_map(Section::as_tensor);
        let tensors = tensors
            .map(|tensor| format!("{} {}{}", tensor.name, tensor.element, tensor.axis_order()));
        tensors.collect::<Vec<_>>().join(", ")
    };
    let File {
        sections,
        stack_groups,
        ..
    } = &network.file;
    let groups = stack_groups.iter().map(|group| {
        let count = network.stacks.count;
        format!("then for each of {count} stacks {}", list(group))
    });
    let all = [list(sections)].into_iter().chain(groups);
    all.collect::<Vec<_>>().join("; ")
}

fn print_plans(network: &Network, options: &Chosen) -> Result<String, String> {
    let layout = Layout::of(network);
    let plans =
        Plans::of(&layout, options.unroll).map_err(|problem| format!("error: {problem}"))?;
    let chosen = |name| {
        let level = options.level.as_deref();
        level.is_none_or(|level| level == name)
    };
    let levels = plans.levels.iter().filter(|plan| chosen(plan.isa.name));
    Ok(plans.prefetch.to_string() + &levels.map(|plan| format!("\n{plan}")).collect::<String>())
}

fn expand(network: &Network, options: &Chosen) -> Result<String, String> {
    let tokens = emit(
        network,
        &Options {
            runtime: quote!(::nnue_runtime),
            unroll: options.unroll,
            embedded: None,
        },
    )
    .map_err(|problem| format!("error: {problem}"))?;
    let mut file: syn::File = syn::parse2(tokens).map_err(|error| {
        format!("error: the generated code is not Rust: {error}; please report it")
    })?;
    if let Some(level) = &options.level {
        file.items.retain(|item| match item {
            syn::Item::Mod(module) => module.ident == level,
            _ => true,
        });
    }
    Ok(prettyplease::unparse(&file))
}
