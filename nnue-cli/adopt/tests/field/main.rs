//! `nnue-adopt` on files of the field's networks with weights like trained ones: how often the
//! right spec is first.

mod trained;

use std::path::Path;
use std::time::Instant;

use nnue_adopt::{Ranking, facts, with_width};
use nnue_compiler::analyse;
use nnue_compiler::diagnostics::SourceFile;
use nnue_compiler::network::Network;

fn network(text: &str) -> Network {
    analyse(&SourceFile::new("spec", text)).expect("the spec is right")
}

fn spec(name: &str) -> String {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    std::fs::read_to_string(specs.join(name)).expect("the spec can be read")
}

/// Whether two networks agree in all that a file can tell.
fn agree(one: &Network, other: &Network) -> Vec<&'static str> {
    let (one, other) = (facts(one), facts(other));
    let told = one.iter().filter(|fact| fact.told);
    let wrong = told.filter(|fact| !other.contains(fact));
    wrong.map(|fact| fact.key).collect()
}

#[test]
fn the_right_spec_is_first() {
    let mut files: Vec<(String, String)> = Vec::new();
    for name in ["simple", "output_buckets", "input_buckets", "multi_layer", "skip"] {
        let text = spec(&format!("bullet/{name}.toml"));
        files.push((format!("bullet {name}"), with_width(&text, 64)));
    }
    for name in [
        "alexandria", "arasan", "berserk", "blackmarlin", "caissa", "clover", "halogen", "horsie", "hobbes",
        "integral", "koivisto", "minic", "obsidian", "patricia", "pawnocchio", "reckless", "starzix", "stormphrax",
        "viridithas14", "viridithas21", "viridithas21_raw", "monty", "cinder", "devre", "plentychess",
    ] {
        let text = spec(&format!("engines/{name}.toml"));
        files.push((name.into(), with_width(&text, 64)));
    }
    let (mut first, mut all) = (0, 0);
    for (seed, (name, text)) in files.iter().enumerate() {
        let start = Instant::now();
        let Ok(right) = analyse(&SourceFile::new("spec", text)) else {
            println!("{name}: no such width");
            continue;
        };
        let bytes = trained::file(&right, seed as u64);
        let made = start.elapsed();
        let ranking = Ranking::of(&bytes, "Found");
        println!("{name}: {} bytes, {:?} {:?}", bytes.len(), made, start.elapsed());
        for guess in ranking.guesses.iter().take(5) {
            let e = &guess.evidence;
            println!(
                "   {:.3} n {:.2} k {:.2?} m {:.3} a {:.3} s {:.2} r {:.2} ({:.0}) {} {} wrong: {:?}",
                e.score, e.neighbours, e.kings, e.material, e.antisymmetry, e.smoothness, e.range, e.pawn,
                guess.family, guess.undecided, agree(&right, &guess.network)
            );
        }
        all += 1;
        first += usize::from(ranking.guesses.first().is_some_and(|guess| agree(&right, &guess.network).is_empty()));
    }
    println!("the right spec is first for {first} of {all} files");
    assert!(10 * first >= 9 * all, "{first} of {all}");
    let _ = network;
}
