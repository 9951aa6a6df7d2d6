//! The family of threats: a row for each piece that attacks another piece.

use nnue_format::{Element, ThreatRules, ThreatTargets, Threats};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use toml::de::DeValue;

use super::piece_square::{Mirror, SQUARES};
use super::{Family, FeatureSet};
use crate::check::value::value_or;
use crate::decode::table::{Table, Value, array, boolean, keys, mismatch, named, one_of, string};
use crate::diagnostics::{Diagnostics, Spanned, all};
use crate::spec::documented::documented;
use crate::spec::named::named;

/// The name of all sets of the family in a spec.
pub const NAME: &str = "Threats";

/// The largest number of pieces that a piece can attack.
const MOST_TARGETS: usize = 8;

/// The kinds of attackers and victims, in the order of the table `targets`.
const PIECES: [&str; 6] = ["pawn", "knight", "bishop", "rook", "queen", "king"];

named! {
    /// How two pieces of the same kind that attack each other count.
    Mutual {
        /// Only the attack from the later square is a feature.
        Once = "once",
        /// Both attacks are features.
        Both = "both",
    }
}

named! {
    /// The order of the attackers' rows, and of the victims' rows among those of an attacker.
    PieceOrder {
        /// Own pawn, knight, ... king, then the opponent's.
        ByColour = "by-colour",
        /// Own pawn, opponent's pawn, own knight, ...
        Interleaved = "interleaved",
    }
}

named! {
    /// The order of an attacker's rows.
    Order {
        /// Victim by victim, each with all squares of the attacker.
        ByVictim = "by-victim",
        /// Square by square of the attacker, each with all victims.
        BySquare = "by-square",
    }
}

/// The key `targets`: the victims that each kind of piece can threaten.
#[derive(Clone, Debug, PartialEq)]
pub enum Targets {
    /// A table that has a name.
    Known(ThreatTargets),
    /// A table of the spec, as a text for each attacker.
    Table(Vec<Spanned<String>>),
}

documented! {
    /// The keys of a set of threats.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Keys {
        /// `targets`: the victims that each kind of piece can threaten.
        pub targets: Spanned<Targets>,
        /// `pushes`: whether a pawn also threatens a pawn straight ahead of it.
        pub pushes: Option<Spanned<bool>>,
        /// `mutual`: how two pieces of the same kind that attack each other count.
        #[default("once")]
        pub mutual: Option<Spanned<Mutual>>,
        /// `piece_order`: the order of the attackers, and of the victims of each attacker.
        #[default("by-colour")]
        pub piece_order: Option<Spanned<PieceOrder>>,
        /// `order`: the order of an attacker's rows.
        #[default("by-victim")]
        pub order: Option<Spanned<Order>>,
        /// `mirror`: the files on which the own king is seen, by mirroring the board.
        #[default("a-d")]
        pub mirror: Option<Spanned<Mirror>>,
    }
}

/// The parameters that make a set of the family.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The threats that are features, and the order of their rows.
    pub rules: ThreatRules,
    /// The files on which the own king is seen, by mirroring the board.
    pub mirror: Mirror,
}

pub(super) fn decode(table: &mut Table<'_>, diagnostics: &mut Diagnostics) -> Option<Keys> {
    keys!(
        table,
        diagnostics,
        Keys {
            targets: targets = "\"sfnnv16\"",
            pushes: boolean,
            mutual: named,
            piece_order: named,
            order: named,
            mirror: named,
        }
    )
}

fn targets(
    key: &str,
    value: &Value<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Spanned<Targets>> {
    match value.get_ref() {
        DeValue::Array(_) => {
            let rows = array(key, value, string, diagnostics)?;
            Some(Spanned {
                value: Targets::Table(rows.value),
                span: rows.span,
            })
        }
        DeValue::String(_) => {
            let names = ThreatTargets::ALL.map(|targets| (targets.name(), targets));
            let known = one_of(&names, key, value, diagnostics)?;
            Some(Spanned {
                value: Targets::Known(known.value),
                span: known.span,
            })
        }
        _ => {
            let expected = "a name or an array of six strings";
            mismatch(key, value, expected, diagnostics);
            None
        }
    }
}

impl Keys {
    pub(super) fn check(&self, diagnostics: &mut Diagnostics) -> Option<FeatureSet> {
        let (targets, has_pushes) = match &self.targets.value {
            Targets::Known(known) => (known.rules().targets, known.rules().pushes),
            Targets::Table(rows) => (check_table(rows, &self.targets, diagnostics)?, false),
        };
        let pushes = value_or(&self.pushes, has_pushes);
        if let Some(key) = self.pushes.as_ref().filter(|pushes| pushes.value)
            && targets[0][0] == ThreatRules::NO_TARGET
        {
            diagnostics
                .error(key.span, "`pushes` needs pawns that threaten pawns")
                .related(self.targets.span, "pawns are no targets of pawns here");
            return None;
        }
        let rules = ThreatRules {
            targets,
            pushes,
            mutual_once: value_or(&self.mutual, Mutual::Once) == Mutual::Once,
            interleaved: value_or(&self.piece_order, PieceOrder::ByColour)
                == PieceOrder::Interleaved,
            by_square: value_or(&self.order, Order::ByVictim) == Order::BySquare,
        };
        let parameters = Parameters {
            rules,
            mirror: value_or(&self.mirror, Mirror::AToD),
        };
        Some(FeatureSet {
            name: NAME.to_string(),
            rows: parameters.tables().rows as usize,
            // Every piece of a game attacks at most eight others.
            max_active: 32 * MOST_TARGETS,
            list_len: SQUARES * MOST_TARGETS,
            element: Element::I8,
            shift: 0,
            factors: None,
            hash: stockfishs_hash(&parameters),
            family: Family::Threats(parameters),
        })
    }
}

impl Parameters {
    /// The tables that the runtime reads.
    pub fn tables(&self) -> Threats {
        Threats::new(self.mirror.files(), self.rules)
    }

    /// The table in which `nnue check` describes the set: a line for each attacker, in the order of
    /// the rows, below a line of titles.
    pub(super) fn table(&self) -> Vec<[String; 4]> {
        let tables = self.tables();
        let mut lines = Vec::new();
        for (owner, whose) in ["own", "opponent's"].into_iter().enumerate() {
            for (role, piece) in PIECES.into_iter().enumerate() {
                let [first, end] = tables.rows_of(owner, role);
                if first < end {
                    let targets = self.rules.targets[role];
                    let reached = (end - first) / (2 * self.rules.victims(role));
                    let columns = [
                        format!("{whose} {piece}"),
                        format!("{first}..={}", end - 1),
                        reached.to_string(),
                        victims(targets).join(", "),
                    ];
                    lines.push((first, columns));
                }
            }
        }
        lines.sort();
        let titles = ["attacker", "rows", "squares", "victims of each colour"];
        let lines = lines.into_iter().map(|(_, columns)| columns);
        std::iter::once(titles.map(str::to_string))
            .chain(lines)
            .collect()
    }
}

/// The names of the victims in the order of their numbers. Victims that share a number are in the
/// same text.
fn victims(targets: [u8; 6]) -> Vec<String> {
    let numbers = 0..ThreatRules::NO_TARGET;
    let with_number = |number| {
        let victims = PIECES.into_iter().zip(targets);
        let victims = victims.filter(move |(_, own)| *own == number);
        victims
            .map(|(piece, _)| piece)
            .collect::<Vec<_>>()
            .join(" or ")
    };
    numbers
        .map(with_number)
        .take_while(|victims| !victims.is_empty())
        .collect()
}

/// The numbers of the victims, from a row of six signs.
fn numbers(row: &str) -> [u8; 6] {
    let mut numbers = [ThreatRules::NO_TARGET; 6];
    let signs = row.chars().filter(|sign| *sign != ' ');
    for (number, sign) in numbers.iter_mut().zip(signs) {
        if let Some(digit) = sign.to_digit(6) {
            *number = digit as u8;
        }
    }
    numbers
}

fn check_table(
    rows: &[Spanned<String>],
    table: &Spanned<Targets>,
    diagnostics: &mut Diagnostics,
) -> Option<[[u8; 6]; 6]> {
    const HELP: &str = "a row for each attacker and a sign for each victim, pawn to king: the number of the victim \
                        among those of the attacker, or `-`: `\"01-2--\"`";
    if rows.len() != PIECES.len() {
        let message = format!("`targets` has {} rows, expected 6", rows.len());
        diagnostics.error(table.span, message).help(HELP);
        return None;
    }
    let checked = all(rows.iter().zip(PIECES).map(|(row, piece)| {
        let signs: Vec<char> = row.value.chars().filter(|sign| *sign != ' ').collect();
        if signs.len() != PIECES.len() {
            let message = format!(
                "the row of the {piece} has {} signs, expected 6",
                signs.len()
            );
            diagnostics.error(row.span, message).help(HELP);
            return None;
        }
        if let Some(wrong) = signs.iter().find(|sign| !"-012345".contains(**sign)) {
            let message = format!(
                "the row of the {piece} has the sign `{wrong}`, allowed are `0` to `5` and `-`"
            );
            diagnostics.error(row.span, message);
            return None;
        }
        let numbers = numbers(&row.value);
        let targets = numbers
            .iter()
            .filter(|number| **number != ThreatRules::NO_TARGET);
        if let Some(largest) = targets.max()
            && let Some(missing) = (0..*largest).find(|number| !numbers.contains(number))
        {
            let message = format!("the row of the {piece} has target {largest}, but not {missing}");
            diagnostics
                .error(row.span, message)
                .help("number the targets from 0 without gaps");
            return None;
        }
        Some(numbers)
    }))?;
    let Ok(targets) = <[[u8; 6]; 6]>::try_from(checked) else {
        unreachable!("there are six rows");
    };
    if targets
        .as_flattened()
        .iter()
        .all(|number| *number == ThreatRules::NO_TARGET)
    {
        diagnostics
            .error(
                table.span,
                "`targets` has no targets, so that the set has no rows",
            )
            .help(HELP);
        return None;
    }
    Some(targets)
}

/// The number that stands for the set in Stockfish's transformer hash, if it is a set of Stockfish.
fn stockfishs_hash(parameters: &Parameters) -> Option<u32> {
    let mut stockfishs = ThreatTargets::ALL.into_iter();
    stockfishs
        .find(|known| known.rules() == parameters.rules)
        .filter(|_| parameters.mirror == Mirror::AToD)
        .map(ThreatTargets::hash)
}

/// An expression for the tables as a value of the runtime's type, in the module with this path.
pub(super) fn constant(parameters: &Parameters, features: &TokenStream) -> TokenStream {
    let rules = parameters.rules;
    let targets = rules.targets.iter().map(|row| {
        let row = row.iter().map(|number| match *number {
            ThreatRules::NO_TARGET => quote! { #features::ThreatRules::NO_TARGET },
            number => {
                let number = Literal::u8_unsuffixed(number);
                quote! { #number }
            }
        });
        quote! { [#(#row),*] }
    });
    let ThreatRules {
        pushes,
        mutual_once,
        interleaved,
        by_square,
        ..
    } = rules;
    let mirror_files = Literal::u8_unsuffixed(parameters.mirror.files());
    quote! {
        #features::Threats::new(#mirror_files, #features::ThreatRules {
            targets: [#(#targets),*],
            pushes: #pushes,
            mutual_once: #mutual_once,
            interleaved: #interleaved,
            by_square: #by_square,
        })
    }
}
