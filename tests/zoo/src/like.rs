//! Specs that say in what they differ from a known network.

use super::dice::Dice;
use super::toml::Toml;

/// Known networks. Those with threats have five times as many rows.
const KNOWN: &[&str] = &[
    "sfnnv1", "sfnnv2", "sfnnv3", "sfnnv4", "sfnnv5", "sfnnv6", "sfnnv9", "small128",
];

/// The keys behind `name`. Widths are even, for products need halves, and small.
pub(super) fn draw(dice: &mut Dice) -> Toml {
    let mut aside = dice.aside_for("bullet");
    if aside.once_in(2) {
        return bullet(&mut aside);
    }
    let mut text = Toml::default();
    let known = dice.pick(KNOWN);
    text.name("like", known);
    let mut transformer = vec![format!("width = {}", 2 * dice.within(8..=96))];
    let has_stacks = known != "sfnnv1";
    if has_stacks && dice.once_in(2) {
        let count = dice.within(2..=8);
        let select = format!("{{ pieces = \"(n - 1) / {}\" }}", 32usize.div_ceil(count));
        text.set(
            "stacks",
            format_args!("{{ count = {count}, select = {select} }}"),
        );
        transformer.push(format!("psqt = {}", dice.pick(&[0, 1, count])));
    }
    if dice.once_in(2) {
        text.set(
            "transformer",
            format_args!("{{ {} }}", transformer.join(", ")),
        );
    } else {
        for key in transformer {
            text.0 += &format!("transformer.{key}\n");
        }
    }
    if dice.once_in(2) {
        text.name("file.encoding", dice.pick(&["raw", "leb128"]));
    }
    if dice.once_in(2) {
        text.table("[[layer]]");
        text.name("name", "fc_1");
        text.set("outputs", dice.within(1..=48));
        if dice.once_in(2) {
            text.set("weights_one", 64);
        }
    }
    text
}

/// The keys of a spec like bullet's.
fn bullet(dice: &mut Dice) -> Toml {
    let mut text = Toml::default();
    text.name("like", "bullet");
    if dice.once_in(2) {
        let features = ["{ set = \"A\", mirror = \"a-d\" }", NAMED_TABLE];
        text.set("features", format_args!("[{}]", dice.pick(&features)));
    }
    text.set("transformer.width", 2 * dice.within(8..=64));
    if dice.once_in(2) {
        text.name("transformer.activation", dice.pick(&["screlu", "crelu"]));
    }
    if dice.once_in(4) {
        text.set("transformer.one", dice.pick(&[127, 181, 200]));
    }
    if dice.once_in(2) {
        text.set("stacks.count", dice.within(2..=8));
    }
    match dice.within(0..=2) {
        0 => text.set("layer", "[{ name = \"l1\", weights_one = 128 }]"),
        1 => {
            let layers = (1..=dice.within(1..=2)).map(|number| {
                let outputs = dice.within(2..=32);
                format!("{{ name = \"l{number}\", outputs = {outputs} }}")
            });
            let layers: Vec<String> = layers.collect();
            text.set("layer", format_args!("[{}]", layers.join(", ")));
        }
        _ => {}
    }
    text
}

/// Two buckets, whose rows are few.
const NAMED_TABLE: &str = "{ set = \"KingBuckets\", mirror = \"a-d\", king_buckets = \"bullet2\" }";
