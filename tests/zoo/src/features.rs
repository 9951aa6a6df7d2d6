//! `[[features]]` of random networks. They have few rows, unless a known set keeps its defaults.

use nnue_compiler::feature_set::piece_square::{
    FactorRounding, FirstSquare, Flip, Mirror, NAMES, Parameters, PieceOrder, Planes, QueenBuckets,
    SQUARES, VirtualSet,
};
use nnue_compiler::feature_set::{clock, pawn_pairs, threats};
use nnue_compiler::format::ThreatTargets;
use nnue_compiler::spec::ROW_ELEMENTS;

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
        toml.set("rows", rows * views.unwrap_or(1));
        if let Some(views) = views {
            toml.set("views", views);
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
    if parameters.buckets() <= MOST_BUCKETS && aside.once_in(6) {
        parameters.queen_buckets = aside.pick(&QueenBuckets::ALL);
        toml.set("queen_buckets", parameters.queen_buckets.count());
    }
    stored_rows(dice, toml);
    let has_queens = parameters.queen_buckets != QueenBuckets::None;
    if with_threatened || has_queens || white_first {
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
    if mirrored && dice.once_in(4) {
        toml.rows("king_buckets", &all, 8);
    } else {
        toml.rows("king_buckets", &half, if mirrored { 4 } else { 8 });
    }
    all
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
