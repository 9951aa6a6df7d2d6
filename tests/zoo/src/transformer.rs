//! `[transformer]` of random networks, and `[stacks]`.

use nnue_compiler::spec::{Order, Pairs, Pooling, ProductRounding, Sharing};

use super::dice::Dice;
use super::toml::Toml;

/// Neurons: whole vectors, parts of vectors, and numbers that nobody would choose.
const WIDTHS: &[usize] = &[
    16, 32, 32, 48, 64, 64, 80, 96, 96, 112, 128, 144, 160, 17, 33, 50, 66, 98,
];

/// Widths of networks with many rows.
const FEW: &[usize] = &[16, 24, 32];

/// All but `sqr_relu`, whose squares are a layer: that layer is drawn as `product`.
const ACTIVATIONS: [&str; 5] = ["none", "crelu", "screlu", "relu", "quantmoid4"];

/// Vectors of the outputs of each perspective, so that layers can have `shards` of them.
const WHOLE_VECTORS: &[usize] = &[64, 64, 128, 128, 192];

/// The table, without the `psqt` of the output, which depends on the layers.
pub(super) fn draw(dice: &mut Dice, many_rows: bool) -> Toml {
    let mut toml = Toml::default();
    let activation = dice.pick(&ACTIVATIONS);
    let pooling = match activation {
        "none" => "none",
        _ if dice.once_in(3) => "none",
        _ => dice.name::<Pooling>(),
    };
    let mut width = dice.pick(if many_rows { FEW } else { WIDTHS });
    let mut aside = dice.aside_for("shards");
    if !many_rows && aside.once_in(6) {
        let outputs = aside.pick(WHOLE_VECTORS);
        width = if pooling == "none" {
            outputs
        } else {
            2 * outputs
        };
    }
    let mut unpooled = None;
    if pooling != "none" {
        width += width % 2;
        let mut aside = dice.aside_for("unpooled");
        unpooled = aside.once_in(5).then(|| aside.pick(&[1, 6, 16, 32, 40]));
        width += unpooled.unwrap_or(0);
    }
    toml.table("[transformer]");
    toml.set("width", width);
    let one: usize = match (activation, pooling) {
        ("quantmoid4", _) => 127,
        ("screlu", "none") => dice.pick(&[127, 181, 255, 255]),
        ("relu", _) => dice.pick(&[127, 255, 508, 1024, 4064]),
        ("none" | "crelu", "none") => dice.pick(&[127, 127, 255, 100, 512, 1023]),
        _ => dice.pick(&[127, 127, 255, 255, 64, 181]),
    };
    toml.set("one", one);
    toml.name("activation", activation);
    activation_keys(dice, &mut toml, activation, pooling, one);
    if pooling != "none" || dice.once_in(4) {
        toml.name("pooling", pooling);
    }
    if pooling != "none" {
        let mut aside = dice.aside_for("pairs");
        let name = dice.once_in(2).then(|| dice.name::<Pairs>());
        let pooled = width - unpooled.unwrap_or(0);
        let blocks: Vec<usize> = (2..=pooled)
            .step_by(2)
            .filter(|block| pooled.is_multiple_of(*block))
            .collect();
        if aside.once_in(4) {
            let block = aside.pick(&blocks);
            toml.set("pairs", format_args!("{{ block = {block} }}"));
        } else if let Some(name) = name {
            toml.name("pairs", name);
        }
    }
    if let Some(unpooled) = unpooled {
        toml.set("unpooled", unpooled);
    }
    product_keys(dice, &mut toml, pooling);
    let mut aside = dice.aside_for("psqt");
    if aside.once_in(12) {
        let values = aside.pick(&[1, 2, 3, 8, 11, 16]);
        let one = aside.pick(&[127, 4096, 8128, 16384]);
        toml.set("psqt", format_args!("{{ values = {values}, one = {one} }}"));
    }
    perspectives(dice, &mut toml);
    toml
}

/// The keys of an activation: its shift, and its limit.
fn activation_keys(dice: &mut Dice, toml: &mut Toml, activation: &str, pooling: &str, one: usize) {
    match activation {
        "screlu" if pooling != "none" => {
            let shift = dice.pick(&[7, 8, 9]);
            shift_of_squares(dice, toml, shift);
        }
        "screlu" if dice.once_in(2) => {
            let shift = dice.pick(&[0, 1, 4, 7, 8, 9]);
            shift_of_squares(dice, toml, shift);
        }
        "relu" => {
            // The shift that leaves about seven bits.
            let bits = (one as u32).ilog2() as usize;
            let shift = bits.saturating_sub(dice.within(5..=7));
            let shift = shift.min(one.trailing_zeros() as usize);
            if shift > 0 {
                toml.set("shift", shift);
            }
            let least = (one >> shift) - (one >> shift) / 64;
            let mut aside = dice.aside_for("limit");
            let mut limit = None;
            if least > 127 || dice.once_in(2) {
                let limits = [least, 127, 200, 255];
                let limits: Vec<usize> =
                    limits.into_iter().filter(|limit| *limit >= least).collect();
                limit = Some(dice.pick(&limits));
            }
            // Values of more than a byte.
            if pooling == "none" && aside.once_in(3) {
                limit = Some(aside.pick(&[256, 1000, 4064, 32767]));
            }
            if let Some(limit) = limit {
                toml.set("limit", limit);
            }
        }
        "crelu" => {
            let mut aside = dice.aside_for("limit");
            if aside.once_in(6) {
                let most = if pooling == "none" { 2 * one } else { 255 };
                toml.set("limit", aside.pick(&[one - one / 64, one, most]));
            }
        }
        _ => {}
    }
}

/// The shift of a `screlu`, and how it rounds.
fn shift_of_squares(dice: &Dice, toml: &mut Toml, shift: u32) {
    toml.set("shift", shift);
    let mut aside = dice.aside_for("rounding");
    if shift > 0 && aside.once_in(2) {
        toml.name("rounding", aside.name::<ProductRounding>());
    }
}

/// The keys of the pooling `product`: its shift, and how it rounds.
fn product_keys(dice: &mut Dice, toml: &mut Toml, pooling: &str) {
    let mut aside = dice.aside_for("product_shift");
    let mut shift = None;
    if pooling == "product" && dice.once_in(3) {
        shift = Some(dice.pick(&[6, 7, 8, 9, 10]));
    }
    // Products of more than a byte.
    if pooling == "product" && aside.once_in(3) {
        shift = Some(aside.pick(&[0, 0, 1, 2, 4]));
    }
    if let Some(shift) = shift {
        toml.set("product_shift", shift);
    }
    let mut aside = dice.aside_for("product_rounding");
    if pooling == "product" && shift != Some(0) && aside.once_in(2) {
        toml.name("product_rounding", aside.name::<ProductRounding>());
    }
}

fn perspectives(dice: &mut Dice, toml: &mut Toml) {
    let count = dice.pick(&[2, 2, 2, 1]);
    if count == 1 || dice.once_in(4) {
        toml.set("perspectives", count);
    }
    let order = dice.name::<Order>();
    let orders = dice.once_in(2) && !(count == 1 && order == "interleaved");
    if orders {
        toml.name("order", order);
    }
    let one_sided = count == 1 && orders && order == "white-first";
    if dice.once_in(4) && !one_sided {
        toml.name("weights", dice.name::<Sharing>());
    }
}

/// The table, and the number of PSQT values for each stack. Networks of custom features alone have
/// no pieces that could select a stack.
pub(super) fn stacks(dice: &mut Dice) -> (Toml, usize) {
    let mut toml = Toml::default();
    if dice.once_in(2) {
        return (toml, 1);
    }
    let count = dice.pick(&[1, 2, 2, 3, 4, 5, 8]);
    toml.table("[stacks]");
    if count == 1 && dice.once_in(2) {
        toml.set("count", count);
        return (toml, 1);
    }
    let mut aside = dice.aside_for("stacks");
    let select = dice.within(0..=2);
    if select == 2 && aside.once_in(4) {
        toml.set("count", aside.pick(&[256, 257, 300]));
        toml.set("select", "{ by = \"caller\" }");
        return (toml, 1);
    }
    toml.set("count", count);
    let last = count - 1;
    match select {
        0 => {
            let formulas = [
                format!("(n - 1) / {}", 32usize.div_ceil(count)),
                format!("min(n / {}, {last})", 32 / count),
                format!("max({last} - (n + 1) / {}, 0)", 33usize.div_ceil(count)),
                format!("min((63 - n) * (32 - n) / 225, {last})"),
            ];
            toml.set(
                "select",
                format_args!("{{ pieces = \"{}\" }}", dice.pick(&formulas)),
            );
        }
        1 => {
            let table: Vec<String> = (0..33).map(|_| dice.within(0..=last).to_string()).collect();
            toml.set(
                "select",
                format_args!("{{ table = [{}] }}", table.join(", ")),
            );
        }
        _ => toml.set("select", "{ by = \"caller\" }"),
    }
    (toml, count)
}
