//! The program of docs/c.md, and programs with several networks.

use std::process::Command;

use nnue_test_support::fixtures::run;
use nnue_tools::export::library::{Embed, Weights};

use super::compiler::compilers;
use super::{build, project, scratch};

/// The net file of small128.
const NET: &str = "examples/nets/nn-37f18f62d772.nnue";

/// The part of the page between two texts.
fn part<'p>(page: &'p str, from: &str, to: &str) -> &'p str {
    let (_, rest) = page.split_once(from).expect(from);
    rest.split_once(to).expect(to).0
}

#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn the_program_of_the_page_prints_what_the_page_says() {
    let page = std::fs::read_to_string(project().join("docs/c.md")).expect("the page is there");
    let folder = scratch("page");
    let source = folder.join("game.cpp");
    std::fs::write(&source, part(&page, "```cpp\n", "```")).expect("the folder is writable");
    std::fs::copy(project().join(NET), folder.join("nn-37f18f62d772.nnue")).expect("it is there");
    // What it has made, it makes anew.
    for _ in 0..2 {
        build("specs/small128.toml", "nnue_small128", None, &folder);
    }
    let said = part(&page, "./game\n", "\n\n").lines().map(str::trim);
    let said: Vec<&str> = said.collect();
    assert!(!said.is_empty());
    for compiler in compilers() {
        let program = compiler.compile(&source, &folder, &["nnue_small128"]);
        let printed = run(Command::new(program).current_dir(&folder));
        assert_eq!(printed.lines().collect::<Vec<_>>(), said, "{compiler:?}");
    }
    // The shared library is found by its own name.
    let linked = folder.join("linked");
    run(Command::new("c++")
        .args([
            "-std=c++17",
            "-I",
            ".",
            "game.cpp",
            "-L.",
            "-lnnue_small128",
            "-Wl,-rpath,.",
        ])
        .arg("-o")
        .arg(&linked)
        .current_dir(&folder));
    let printed = run(Command::new(linked).current_dir(&folder));
    assert_eq!(printed.lines().collect::<Vec<_>>(), said);
}

/// Two networks, one with embedded weights, in one program of C.
#[test]
#[ignore = "compiles with the optimiser: a minute"]
fn a_program_has_several_networks() {
    let folder = scratch("several");
    let file = std::fs::read(project().join(NET)).expect("the net is there");
    for (name, embed) in [("as_file", Embed::File), ("in_place", Embed::Weights)] {
        let file = file.clone();
        build(
            "specs/small128.toml",
            name,
            Some(Weights { file, embed }),
            &folder,
        );
    }
    let values = ["as_file", "in_place"].map(|name| {
        format!(
            "{{ auto network = {name}::embedded();\n\
             auto evaluator = {name}::evaluator(network, position);\n\
             {name}::output output{{}};\n\
             {name}_evaluator_evaluate(evaluator.get(), &output);\n\
             std::printf(\"%s %d %u\\n\", {name}_name(), output.value, {name}_buckets()); }}\n"
        )
    });
    let program = format!(
        "#include <cstdio>\n#include \"as_file.h\"\n#include \"in_place.h\"\n\
         int main() {{\n\
         nnue_position position{{{{}}, NNUE_WHITE}};\n\
         position.pieces[NNUE_WHITE_KING] = 1 << 4;\n\
         position.pieces[NNUE_BLACK_KING] = UINT64_C(1) << 60;\n{}}}\n",
        values.concat()
    );
    let source = folder.join("several.cpp");
    std::fs::write(&source, program).expect("the folder is writable");
    for compiler in compilers() {
        let program = compiler.compile(&source, &folder, &["as_file", "in_place"]);
        let printed = run(&mut Command::new(program));
        let lines: Vec<&str> = printed.lines().collect();
        assert!(
            lines.len() == 2 && lines[0] == lines[1] && lines[0].ends_with(" 8"),
            "{printed}"
        );
    }
}
