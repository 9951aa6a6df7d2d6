//! How fast the network of a spec is once it is compiled, as `nnue bench` measures it.

use std::io::Write;
use std::path::Path;

use nnue_runtime::Level;
use nnue_tools::measure::bench::{Comparison, Report};
use nnue_tools::nets::specs::Spec;
use nnue_trace::Trace;

use crate::Failure;
use crate::commands::bench::{PackageOptions, ROUNDS, with_progress};
use crate::table::Table;

/// Compiles the network of a spec, and measures it with a net at every instruction set of this
/// machine.
pub(super) fn measure(
    spec: Spec,
    net: &Path,
    packages: &PackageOptions,
) -> Result<Report, Failure> {
    let packages = packages.open()?;
    let trace = Trace::bundled().map_err(Failure::work)?;
    let levels: Vec<Level> = Level::available().collect();
    let comparison = Comparison {
        packages: &packages,
        trace: &trace,
        trace_file: None,
        levels: &levels,
        rounds: ROUNDS.into(),
        table: None,
        density: None,
        goes_on: &|| true,
    };
    let nets = [net.to_path_buf()];
    let report = with_progress(&|_| String::new(), |events| {
        comparison.run([Ok(spec)], &nets, events)
    })?;
    match report.errors.first() {
        Some(wrong) => Err(Failure::Work(format!(
            "cannot measure the compiled network: {}",
            wrong.error
        ))),
        None => Ok(report),
    }
}

/// Prints how long an evaluation takes.
pub(super) fn show(report: &Report, out: &mut dyn Write) -> Result<(), Failure> {
    writeln!(out, "\nThe compiled network:")?;
    let heads = [
        "nanoseconds",
        "along search",
        "in engine",
        "refresh",
        "forward",
        "per second",
    ];
    let mut table = Table::new(1, heads);
    for row in &report.rows {
        let times = [row.incremental, row.in_engine, row.refresh, row.forward];
        let times = times.map(|time| format!("{time:.1}"));
        let per_second = format!("{:.2} M", row.per_second / 1e6);
        table.row(
            [row.level.into()]
                .into_iter()
                .chain(times)
                .chain([per_second]),
        );
    }
    table.write(out)?;
    Ok(())
}
