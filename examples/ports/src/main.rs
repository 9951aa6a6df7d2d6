//! Runs the `bench` of one engine: `nnue-ports eager_stack before 6`.

use std::env;
use std::error::Error;
use std::fs;

use nnue_ports::{engines, net};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (pattern, form, depth) = match arguments[..] {
        [pattern, form] => (pattern, form, 7),
        [pattern, form, depth] => (pattern, form, depth.parse()?),
        _ => return Err("expected a pattern, a form and perhaps a depth".into()),
    };
    let path = env::temp_dir().join(format!("nnue-ports-{}.bin", std::process::id()));
    fs::write(&path, net::file())?;
    let searched = engines::run(pattern, form, &path, depth, cfg!(feature = "verify"));
    fs::remove_file(&path)?;
    let searched = searched?;
    let speed = searched.nodes as f64 / searched.time.as_secs_f64();
    println!("{} nodes {speed:.0} nps", searched.nodes);
    Ok(())
}
