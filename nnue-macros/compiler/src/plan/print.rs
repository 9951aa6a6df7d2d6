//! The text of plans, as `nnue plan` prints them.

use std::fmt;

use super::{
    AccumulatePlan, BlockOrder, Blocks, Bytes, FusedPlan, Kernel, Plan, PlannedLayer, Plans,
    PrefetchPlan, Products, Transform, TransformOutputs,
};
use crate::layout::Affine;

/// The decisions that levels share, then the plan of each level behind an empty line.
impl fmt::Display for Plans<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.prefetch.fmt(f)?;
        self.levels
            .iter()
            .try_for_each(|plan| write!(f, "\n{plan}"))
    }
}

impl fmt::Display for PrefetchPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PrefetchPlan { weights, psqt } = self;
        let lines: Vec<String> = weights.iter().map(usize::to_string).collect();
        let lines = lines.join(" or ");
        writeln!(
            f,
            "prefetch: {lines} cache line(s) of a row's weights, {psqt} of its PSQT values"
        )
    }
}

impl fmt::Display for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let isa = self.isa;
        let features = match isa.features {
            [] => "none".to_string(),
            features => features.join(","),
        };
        writeln!(
            f,
            "{}: vectors of {} bytes, target features {features}",
            isa.name, isa.vector_bytes
        )?;
        match self.accumulate_of {
            Some(isa) => writeln!(f, "  {:<12} as {}", "accumulate", isa.name)?,
            None => writeln!(f, "  {:<12} {}", "accumulate", self.accumulate)?,
        }
        let moved = if self.fuses_moves {
            ", also while the rows of a move are added"
        } else {
            ""
        };
        writeln!(f, "  {:<12} {}{moved}", "transform", self.transform)?;
        for layer in &self.layers {
            match layer {
                PlannedLayer::Affine(affine, kernel) => {
                    write!(f, "  {:<12} ", affine.layer.name)?;
                    write_kernel(f, affine, kernel)?;
                }
                PlannedLayer::Elementwise(elementwise) => {
                    let layer = elementwise.layer;
                    write!(
                        f,
                        "  {:<12} elementwise: {} values",
                        layer.name, layer.output.len
                    )?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for AccumulatePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let AccumulatePlan {
            lanes,
            registers,
            tiles,
            pairs,
            ..
        } = self;
        let pairs = if *pairs { ", bytes in pairs" } else { "" };
        let updates = self.updates.iter();
        let updates = updates.map(|(added, removed)| format!("+{added} -{removed}"));
        write!(
            f,
            "{tiles} tile(s) of {registers} registers of {lanes} x i16{pairs}{}",
            straight(self.unrolled),
        )?;
        match updates.collect::<Vec<_>>().as_slice() {
            [] => Ok(()),
            updates => write!(f, "; in one pass: {}", updates.join(", ")),
        }
    }
}

impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outputs {
            TransformOutputs::Bytes(Bytes {
                vectors,
                group,
                unrolled,
                lists_nonzero,
                ..
            }) => write!(
                f,
                "{vectors} packed vector(s) of each perspective in groups of {group}{}{}",
                straight(*unrolled),
                if *lists_nonzero {
                    ", listing non-zero blocks"
                } else {
                    ""
                }
            ),
            TransformOutputs::Words { vectors } => {
                write!(
                    f,
                    "{vectors} vector(s) of 16-bit values of each perspective"
                )
            }
            TransformOutputs::Registers { vectors } => write!(
                f,
                "{vectors} vector(s) of 16-bit values of each perspective, made by the layer that \
                 reads them"
            ),
        }
    }
}

fn write_kernel(f: &mut fmt::Formatter<'_>, affine: &Affine<'_>, kernel: &Kernel) -> fmt::Result {
    match kernel {
        Kernel::Sparse(blocks) => write!(f, "sparse: up to {blocks}"),
        Kernel::Dense {
            blocks,
            steps,
            too_small,
            hides_inputs,
        } => write!(
            f,
            "dense: {blocks}{}{}{}",
            if *too_small {
                ", too few to skip zeros"
            } else {
                ""
            },
            match steps {
                BlockOrder::StraightLine => ", straight-line",
                BlockOrder::Calls => ", straight-line, each step a call",
                BlockOrder::Loop { .. } => "",
            },
            if *hides_inputs {
                ", inputs hidden from the optimiser"
            } else {
                ""
            }
        ),
        Kernel::Rows { products } => write!(
            f,
            "rows: {} horizontal sum(s) over {} inputs{}",
            affine.outputs,
            affine.slots,
            proof(*products)
        ),
        Kernel::Fused(FusedPlan { tile, products, .. }) => {
            write!(
                f,
                "fused: {} horizontal sum(s) over {} inputs in registers, {tile} at a time",
                affine.outputs, affine.slots,
            )?;
            match products {
                Products::Fast => Ok(()),
                Products::FastIfProved => f.write_str(
                    ", exact squares unless the weights prove that roots times weights fit",
                ),
                Products::Exact => f.write_str(", inputs without a sign"),
            }
        }
        Kernel::Columns { vectors, tile } => write!(
            f,
            "columns: {} inputs of 32 bits x {vectors} vector(s), {tile} at a time",
            affine.slots
        ),
        Kernel::Function {
            name,
            why,
            unless_proved,
        } => {
            write!(f, "kernel `{name}`: {why}")?;
            match unless_proved {
                Some(exact) => write!(f, ", `{exact}` unless the weights prove it exact"),
                None => Ok(()),
            }
        }
    }
}

impl fmt::Display for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Blocks {
            count,
            vectors,
            side_by_side,
            products,
            two_at_once,
        } = self;
        let two = if *two_at_once {
            ", two at once where the weights prove that their sums fit in 16 bits"
        } else {
            ""
        };
        write!(
            f,
            "{count} blocks x {vectors} vector(s), {side_by_side} block(s) side by side{two}{}",
            proof(*products)
        )
    }
}

fn straight(unrolled: bool) -> &'static str {
    if unrolled { ", straight-line" } else { "" }
}

fn proof(products: Products) -> &'static str {
    match products {
        Products::Fast => "",
        Products::FastIfProved => {
            ", exact products unless the weights prove that no pair saturates"
        }
        Products::Exact => ", exact products",
    }
}
