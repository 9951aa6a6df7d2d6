//! The players that the arguments name.

use std::path::Path;

use nnue_compiler::format::foreign;
use nnue_tools::files::is_standard;
use nnue_tools::matches::{Fingerprints, Player, Side, find_program};
use nnue_tools::nets::net_file::read_net;

use super::SetUp;
use crate::Failure;
use crate::inputs::file_name;

/// The two players. They are engines, or an engine with two nets, whose files exist.
pub(super) fn players(
    given: [&Path; 2],
    engine: Option<&Path>,
    set_up: &SetUp,
    fingerprints: &mut Fingerprints,
) -> Result<[Player; 2], Failure> {
    let [a, b] = Side::BOTH.map(|side| {
        let given = given[side as usize];
        let (options, args) = match side {
            Side::A => (&set_up.options_a, &set_up.args_a),
            Side::B => (&set_up.options_b, &set_up.args_b),
        };
        let mut options = [&set_up.options[..], options].concat();
        if engine.is_some() {
            options.push(("EvalFile".into(), net(given, fingerprints)?.into()));
        } else if is_built_in(given) {
            return Err(Failure::Arguments(format!(
                "`{}` is a net, which `--engine` has to play",
                foreign(given.display())
            )));
        }
        Ok(Player {
            name: if is_built_in(given) {
                text(given)?.into()
            } else {
                file_name(given)
            },
            program: find_program(engine.unwrap_or(given)),
            arguments: [&set_up.args[..], args].concat(),
            options,
        })
    });
    let [mut a, mut b] = [a?, b?];
    if a.name == b.name {
        a.name += " (A)";
        b.name += " (B)";
    }
    Ok([a, b])
}

/// The name of a net for an engine. The file must exist, because an engine that cannot load a net
/// plays with another net.
fn net<'g>(given: &'g Path, fingerprints: &mut Fingerprints) -> Result<&'g str, Failure> {
    if is_standard(given) {
        return Err(Failure::Arguments(
            "`-` is no net for an engine: expected a file, or a value such as `<material>`".into(),
        ));
    }
    if !is_built_in(given) {
        fingerprints.add(given, &read_net(given, None)?);
    }
    text(given)
}

/// Whether the text is a value that the engine has built in, such as `<material>`, and no file.
fn is_built_in(given: &Path) -> bool {
    let text = given.as_os_str().as_encoded_bytes();
    text.starts_with(b"<") && text.ends_with(b">")
}

fn text(path: &Path) -> Result<&str, Failure> {
    let line = path.to_str().filter(|text| !text.contains(['\n', '\r']));
    line.ok_or_else(|| {
        Failure::Work(format!(
            "`{}` is not one line of UTF-8, which UCI needs",
            foreign(path.display())
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_engine_is_no_file() {
        assert!(is_built_in(Path::new("<material>")));
        assert!(!is_built_in(Path::new("<material>.nnue")));
    }
}
