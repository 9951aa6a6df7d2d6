//! Specs that say in what they differ from a known network.

use super::dice::Dice;
use super::toml::Toml;

/// Known networks. Those with threats have five times as many rows.
const KNOWN: &[&str] = &[
    "sfnnv1", "sfnnv2", "sfnnv3", "sfnnv4", "sfnnv5", "sfnnv6", "sfnnv9", "small128",
];

/// The keys behind `name`. Widths are even, for products need halves, and small.
pub(super) fn draw(dice: &mut Dice) -> Toml {
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
