//! Writes the generated code of specs: `nnue-writer FOLDER SPEC...`. `plant.py` compiles it, after
//! it has planted a mistake in what writes it.

use std::path::Path;
use std::{env, fs};

use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::plan::Unroll;
use nnue_compiler::{Levels, Options, analyse, emit};

fn main() {
    let mut arguments = env::args().skip(1);
    let folder = arguments.next().expect("a folder");
    for path in arguments {
        let text = fs::read_to_string(&path).expect("the spec is there");
        let network = analyse(&SourceFile::new(&path, &*text)).expect("the spec is right");
        let options = Options {
            checked: Some(text),
            ..Options::new(Unroll::Auto, Levels::Of(env::consts::ARCH))
        };
        let code = emit(&network, &options).expect("there is not too much of it");
        let stem = Path::new(&path).file_stem().expect("a name");
        let file = Path::new(&folder).join(stem).with_extension("rs");
        fs::write(file, code.to_string()).expect("the folder is there");
    }
}
