//! Counts the instructions of an evaluation in WebAssembly: `wasm MODULE NETWORK FILE WORK`, where
//! the module is `workload`, compiled for `wasm32-unknown-unknown`.

use std::error::Error;
use std::{env, fs, process::ExitCode};

use wasmi::{Config, Engine, Instance, Linker, Module, OperatorCost, Store};

/// Evaluations of a pass of the workload.
const EVALUATIONS: u64 = 500;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [module, network, file, work] = arguments.as_slice() else {
        eprintln!("expected MODULE NETWORK FILE WORK");
        return ExitCode::FAILURE;
    };
    match counted(module, network, file, work) {
        Ok((count, sum)) => {
            println!("{count} {sum:016x}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Every instruction counts as one, except those that only name a value, a constant or a place: no
/// processor carries them out.
fn cost() -> OperatorCost {
    OperatorCost {
        unreachable: 0,
        nop: 0,
        block: 0,
        loop_: 0,
        else_: 0,
        end: 0,
        drop: 0,
        local_get: 0,
        local_set: 0,
        local_tee: 0,
        i32_const: 0,
        i64_const: 0,
        f32_const: 0,
        f64_const: 0,
        v128_const: 0,
        ..OperatorCost::default()
    }
}

/// Instructions of one evaluation, and the sum of the values of a pass.
fn counted(
    module: &str,
    network: &str,
    file: &str,
    work: &str,
) -> Result<(u64, u64), Box<dyn Error>> {
    let place = |names: &[&str], name: &str| {
        let place = names.iter().position(|known| *known == name);
        place.ok_or_else(|| format!("`{name}` is none of {names:?}"))
    };
    let network = place(&["sfnnv5", "small128"], network)? as i32;
    let work = place(&["search", "refresh", "forward"], work)? as i32;
    let file = fs::read(file)?;

    let mut config = Config::default();
    config.consume_fuel(true).operator_cost(cost());
    config.wasm_simd(true).wasm_relaxed_simd(true);
    let engine = Engine::new(&config);
    let module = Module::new(&engine, &fs::read(module)?)?;
    let mut store = Store::new(&engine, ());
    store.set_fuel(u64::MAX)?;
    let instance = Linker::new(&engine).instantiate_and_start(&mut store, &module)?;

    let reserve = instance.get_typed_func::<i32, i32>(&store, "reserve")?;
    let start = reserve.call(&mut store, file.len() as i32)?;
    let memory = instance.get_memory(&store, "memory");
    let memory = memory.ok_or("the module has no memory")?;
    memory.write(&mut store, start as usize, &file)?;

    // The first call also pays for memory and for what the interpreter compiles. What loading
    // costs, and all else before the first evaluation, is in both of the others.
    let arguments = |passes| (network, start, file.len() as i32, work, passes);
    fuel(&mut store, &instance, arguments(1))?;
    let (once, sum) = fuel(&mut store, &instance, arguments(1))?;
    let (twice, same) = fuel(&mut store, &instance, arguments(2))?;
    if sum == 0 || sum != same {
        return Err("the file is for another network".into());
    }
    Ok(((twice - once) / EVALUATIONS, sum))
}

fn fuel(
    store: &mut Store<()>,
    instance: &Instance,
    arguments: (i32, i32, i32, i32, i32),
) -> Result<(u64, u64), Box<dyn Error>> {
    let count = instance.get_typed_func::<(i32, i32, i32, i32, i32), i64>(&*store, "count")?;
    let before = store.get_fuel()?;
    let sum = count.call(&mut *store, arguments)?;
    Ok((before - store.get_fuel()?, sum.cast_unsigned()))
}
