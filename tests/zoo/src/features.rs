//! `[[features]]` of random networks. They have few rows, unless a known set keeps its defaults.

use nnue_compiler::feature_set::piece_square::{
    BucketsBy, FactorRounding, FirstSquare, Flip, KING_TABLES, Material, MaterialValue, Mirror,
    NAMES, Parameters, PieceName, PieceOrder, Planes, SQUARES, VirtualSet,
};
use nnue_compiler::feature_set::{clock, pawn_pairs, threats};
use nnue_compiler::format::ThreatTargets;
use nnue_compiler::spec::{Named, ROW_ELEMENTS};

use super::dice::Dice;
use super::toml::{Toml, list};

/// The most buckets that a random table has, so that nets stay small.
const MOST_BUCKETS: usize = 5;

/// The tables, and whether they have tens of thousands of rows.
pub(super) fn draw(dice: &mut Dice) -> (Toml, bool) {
    let mut toml = Toml::default();
    if dice.once_in(12) {
        custom(dice, true, &mut toml);
        return (toml, false);
    }
    let sets = dice.pick(&[1, 1, 1, 2, 2, 3]);
    let large = (0..sets).map(|_| match dice.within(0..=9) {
        0 => {
            threats(dice, &mut toml);
            true
        }
        1 => {
            pawn_pairs(dice, &mut toml);
            true
        }
        _ => piece_square(dice, &mut toml),
    });
    let large = large.fold(false, |any, large| any | large);
    let has_custom = dice.once_in(8);
    let mut aside = dice.aside_for("Clock");
    if has_custom {
        custom(dice, false, &mut toml);
    } else if aside.once_in(16) {
        clock(&mut aside, &mut toml);
    }
    (toml, large)
}

/// Sets whose features the engine tells, and maybe views if they are `alone`.
fn custom(dice: &mut Dice, alone: bool, toml: &mut Toml) {
    let mut aside = dice.aside_for("views");
    let mut shared = dice.aside_for("blocks");
    let sets = dice.within(1..=2);
    let views = (alone && aside.once_in(2)).then(|| aside.within(2..=20));
    for set in 0..sets {
        let rows = dice.within(1..=200);
        let views = views.filter(|_| set == 0 || aside.once_in(2));
        toml.table("[[features]]");
        toml.name("set", "Custom");
        if sets > 1 || dice.once_in(2) {
            toml.name(
                "name",
                dice.pick(&[["Stones", "Walls"], ["Discs", "Corners"]])[set],
            );
        }
        let blocks = views.filter(|_| shared.once_in(2)).map(|views| {
            let divisors = (1..=views).filter(|count| views.is_multiple_of(*count));
            shared.pick(&divisors.collect::<Vec<usize>>())
        });
        toml.set("rows", rows * blocks.or(views).unwrap_or(1));
        if let Some(views) = views {
            toml.set("views", views);
        }
        if let Some(blocks) = blocks {
            toml.set("blocks", blocks);
        }
        toml.set("active", dice.within(1..=rows.min(24)));
        stored_rows(dice, toml);
    }
}

fn threats(dice: &mut Dice, toml: &mut Toml) {
    toml.table("[[features]]");
    toml.name("set", threats::NAME);
    if dice.once_in(2) {
        toml.name("targets", dice.pick(&ThreatTargets::ALL).name());
    } else {
        let pushes = dice.once_in(2);
        let rows = (0..6).map(|attacker| targets(dice, pushes && attacker == 0));
        let rows: Vec<String> = rows.collect();
        toml.set("targets", format_args!("{rows:?}"));
        if pushes {
            toml.set("pushes", true);
        }
    }
    if dice.once_in(3) {
        toml.name("mutual", dice.name::<threats::Mutual>());
    }
    if dice.once_in(3) {
        toml.name("piece_order", dice.name::<threats::PieceOrder>());
    }
    if dice.once_in(3) {
        toml.name("order", dice.name::<threats::Order>());
    }
    mirror(dice, toml);
    stored_rows(dice, toml);
}

/// A row of a table of targets: some victims, which share numbers at random. There is one at least,
/// and pawns are among them if `of_pawns`.
fn targets(dice: &mut Dice, of_pawns: bool) -> String {
    let mut numbers = 0;
    let first = if of_pawns { 0 } else { dice.within(0..=5) };
    let mut number = |victim: usize| {
        if victim == first || dice.once_in(3) {
            let number = dice.within(0..=numbers);
            numbers = numbers.max(number + 1);
            char::from(b'0' + number as u8)
        } else {
            '-'
        }
    };
    (0..6).map(&mut number).collect()
}

fn pawn_pairs(dice: &mut Dice, toml: &mut Toml) {
    toml.table("[[features]]");
    toml.name("set", pawn_pairs::NAME);
    if dice.once_in(2) {
        toml.set("file_distance", dice.within(0..=7));
    }
    mirror(dice, toml);
    stored_rows(dice, toml);
}

fn clock(dice: &mut Dice, toml: &mut Toml) {
    toml.table("[[features]]");
    toml.name("set", clock::NAME);
    let first = dice.within(0..=20);
    toml.set("first", first);
    toml.set("step", dice.within(1..=12));
    toml.set("last", dice.within(first..=120));
    if dice.once_in(2) {
        toml.name("flip", dice.name::<Flip>());
    }
    if dice.once_in(2) {
        let mirror = pick_named::<Mirror>(dice);
        toml.name("mirror", mirror);
        king_buckets(dice, mirror, toml);
    }
    stored_rows(dice, toml);
}

fn mirror(dice: &mut Dice, toml: &mut Toml) {
    if dice.once_in(2) {
        toml.name("mirror", dice.name::<Mirror>());
    }
}

/// How the set's rows are stored, and added.
fn stored_rows(dice: &mut Dice, toml: &mut Toml) {
    let mut aside = dice.aside_for("shift");
    if dice.once_in(4) {
        toml.name("element", dice.pick(ROW_ELEMENTS).0);
    }
    if aside.once_in(8) {
        toml.set("shift", aside.pick(&[0, 1, 1, 2, 5]));
    }
}

fn piece_square(dice: &mut Dice, toml: &mut Toml) -> bool {
    let set = dice.pick(NAMES);
    let defaults = Parameters::named(set);
    let mut parameters = defaults.clone().unwrap_or_else(Parameters::unbucketed);
    toml.table("[[features]]");
    toml.name("set", set);
    let kinds = [Planes::All, Planes::MergedKings, Planes::NoKings];
    let planes = dice.once_in(3).then(|| dice.pick(&kinds));
    let with_threatened = dice.aside_for("planes = 14").once_in(8);
    if let Some(planes) = with_threatened.then_some(Planes::WithThreatened).or(planes) {
        parameters.planes = planes;
        toml.set("planes", planes.count());
    }
    let orders = [
        PieceOrder::ByColour,
        PieceOrder::Interleaved,
        PieceOrder::OpponentFirst,
    ];
    let order = dice.once_in(4).then(|| dice.pick(&orders));
    let white_first = dice.aside_for("white-first").once_in(8);
    if let Some(order) = white_first.then_some(PieceOrder::WhiteFirst).or(order) {
        toml.name("piece_order", order);
    }
    if dice.once_in(4) {
        toml.name("flip", dice.name::<Flip>());
    }
    if dice.once_in(6) {
        toml.name("squares", dice.name::<FirstSquare>());
    }
    let mirrors = dice.once_in(3);
    if mirrors {
        parameters.mirror = pick_named::<Mirror>(dice);
        toml.name("mirror", parameters.mirror);
    }
    let as_known = defaults.is_some() && !mirrors && dice.once_in(4);
    if !as_known && (set != "A" || dice.once_in(3)) {
        parameters.king_buckets = king_buckets(dice, parameters.mirror, toml);
    }
    if dice.once_in(4) {
        let most = dice.pick(&[2, 64]);
        toml.set("offset", dice.within(0..=most));
    }
    let mut aside = dice.aside_for("queen_buckets");
    let few = parameters.buckets() <= MOST_BUCKETS;
    let mut queens = (few && aside.once_in(6)).then(|| aside.pick(&[5, 6]));
    let mut aside = dice.aside_for("buckets");
    let drawn = few && aside.once_in(5);
    if drawn {
        queens = aside.once_in(3).then(|| aside.pick(&[2, 2, 5, 6]));
    }
    if let Some(queens) = queens {
        toml.set("queen_buckets", queens);
        let by = Material::of_queens(queens).map(BucketsBy::Material);
        parameters.buckets_by.extend(by);
    }
    if drawn && (queens != Some(2) || aside.once_in(2)) {
        buckets(&mut aside, queens.is_some(), &mut parameters, toml);
    }
    stored_rows(dice, toml);
    let has_materials = parameters.materials().next().is_some();
    if with_threatened || has_materials || white_first {
        let mut aside = dice.aside_for("factorised");
        let merged = white_first && parameters.planes == Planes::MergedKings;
        if !merged && aside.once_in(3) {
            factors(&mut aside, &parameters, toml);
        }
    } else if dice.once_in(3) {
        factors(dice, &parameters, toml);
    }
    parameters.buckets() > MOST_BUCKETS
}

fn pick_named<T: nnue_compiler::spec::Named>(dice: &mut Dice) -> T {
    dice.pick(T::NAMES).1
}

/// A random table of buckets without gaps, for all squares or for the half to which boards are
/// mirrored.
fn king_buckets(dice: &mut Dice, mirror: Mirror, toml: &mut Toml) -> [u8; SQUARES] {
    let mut aside = dice.aside_for("king_buckets");
    let buckets = dice.within(1..=MOST_BUCKETS);
    let mirrored = mirror != Mirror::None;
    let mut half: Vec<u8> = (0..if mirrored { SQUARES / 2 } else { SQUARES })
        .map(|square| match square {
            first if first < buckets => first as u8,
            _ => dice.within(0..=buckets - 1) as u8,
        })
        .collect();
    dice.shuffle(&mut half);
    let all: [u8; SQUARES] = std::array::from_fn(|square| match mirror {
        Mirror::None => half[square],
        Mirror::AToD => half[square / 8 * 4 + (square % 8).min(7 - square % 8)],
        Mirror::EToH => half[square / 8 * 4 + 3 - (square % 8).min(7 - square % 8)],
    });
    let as_board = mirrored && dice.once_in(4);
    if aside.once_in(8) {
        let few = KING_TABLES
            .iter()
            .filter(|table| table.buckets() <= MOST_BUCKETS);
        let table = aside.pick(&few.collect::<Vec<_>>());
        toml.name("king_buckets", table.name);
        return table.squares();
    }
    if as_board {
        toml.rows("king_buckets", &all, 8);
    } else {
        toml.rows("king_buckets", &half, if mirrored { 4 } else { 8 });
    }
    all
}

/// `buckets` in random order: with the own king, with the opponent's queens if they have buckets,
/// and with counts of other pieces.
fn buckets(dice: &mut Dice, queens: bool, parameters: &mut Parameters, toml: &mut Toml) {
    let mut items = vec![String::from("\"king\"")];
    if queens {
        items.push("\"queens\"".into());
    }
    for _ in 0..if queens { 1 } else { dice.within(1..=2) } {
        let mut names: Vec<PieceName> = PieceName::NAMES.iter().map(|(_, name)| *name).collect();
        dice.shuffle(&mut names);
        let mut material = Material {
            kinds: 0,
            value: MaterialValue::Count(vec![1]),
            first_bit: 0,
        };
        let most = dice.within(1..=3);
        names.retain(|name| {
            let is_new = material.kinds & name.kinds() == 0;
            let is_taken = is_new && material.kinds.count_ones() < most as u32;
            if is_taken {
                material.kinds |= name.kinds();
            }
            is_taken
        });
        if parameters
            .materials()
            .any(|other| other.kinds == material.kinds)
        {
            continue;
        }
        let mut item = format!("pieces = {}", list(&names));
        if material.kinds.count_ones() >= 6 || dice.once_in(3) {
            // Other numbers are rare in chess.
            let mut numbers = vec![dice.within(1..=2)];
            if material.kinds.count_ones() >= 6 {
                numbers = vec![dice.within(6..=16)];
            }
            if dice.once_in(2) {
                numbers.push(numbers[0] + dice.within(1..=5));
            }
            item += &format!(", from = {numbers:?}");
            material.value =
                MaterialValue::Count(numbers.iter().map(|number| *number as u8).collect());
        }
        items.push(format!("{{ {item} }}"));
        parameters.buckets_by.push(BucketsBy::Material(material));
    }
    dice.shuffle(&mut items);
    toml.set("buckets", format_args!("[{}]", items.join(", ")));
}

/// Random virtual sets, of those that the compiler accepts for the real set.
fn factors(dice: &mut Dice, parameters: &Parameters, toml: &mut Toml) {
    let own_kings = parameters.own_kings_buckets();
    let mut sets = Vec::new();
    if own_kings > 1 {
        sets.push(VirtualSet::K);
    }
    if parameters.buckets() > 1 {
        sets.push(match parameters.planes {
            Planes::NoKings => VirtualSet::P,
            _ => VirtualSet::A,
        });
    }
    if parameters.planes == Planes::NoKings
        && parameters.mirror == Mirror::None
        && own_kings == SQUARES
    {
        sets.push(VirtualSet::HalfRelativeKP);
    }
    if sets.is_empty() {
        return;
    }
    dice.shuffle(&mut sets);
    sets.truncate(dice.within(1..=sets.len()));
    toml.set("factorised", list(&sets));
    if dice.once_in(2) {
        toml.name("rounding", dice.name::<FactorRounding>());
    }
}
