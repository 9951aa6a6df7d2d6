//! The tables of the targets of threats in Stockfish's networks.

use core::fmt;

use crate::{ThreatRules, stockfish};

/// The threats that are features in Stockfish's networks. Each table is named after the first
/// network with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThreatTargets {
    /// All pairs of pieces, except pairs that tell little.
    Sfnnv10,
    /// As `Sfnnv10`, but without kings as victims.
    Sfnnv11,
    /// As `Sfnnv11`, but without kings as attackers.
    Sfnnv12,
    /// As `Sfnnv12`, and a pawn also threatens a pawn that stands straight ahead of it.
    Sfnnv14,
    /// As `Sfnnv12`, but pawns threaten only knights and rooks.
    Sfnnv16,
}

impl ThreatTargets {
    /// All tables, oldest first.
    pub const ALL: [ThreatTargets; 5] = [
        ThreatTargets::Sfnnv10,
        ThreatTargets::Sfnnv11,
        ThreatTargets::Sfnnv12,
        ThreatTargets::Sfnnv14,
        ThreatTargets::Sfnnv16,
    ];

    /// The name that specs have for the table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ThreatTargets::Sfnnv10 => "sfnnv10",
            ThreatTargets::Sfnnv11 => "sfnnv11",
            ThreatTargets::Sfnnv12 => "sfnnv12",
            ThreatTargets::Sfnnv14 => "sfnnv14",
            ThreatTargets::Sfnnv16 => "sfnnv16",
        }
    }

    /// The threats that are features, and the order of their rows.
    #[must_use]
    pub const fn rules(self) -> ThreatRules {
        const N: u8 = ThreatRules::NO_TARGET;
        let targets = match self {
            ThreatTargets::Sfnnv10 => [
                [0, 1, N, 2, N, N],
                [0, 1, 2, 3, 4, 5],
                [0, 1, 2, 3, N, 4],
                [0, 1, 2, 3, N, 4],
                [0, 1, 2, 3, 4, 5],
                [0, 1, 2, 3, N, N],
            ],
            ThreatTargets::Sfnnv11 => [
                [0, 1, N, 2, N, N],
                [0, 1, 2, 3, 4, N],
                [0, 1, 2, 3, N, N],
                [0, 1, 2, 3, N, N],
                [0, 1, 2, 3, 4, N],
                [0, 1, 2, 3, N, N],
            ],
            ThreatTargets::Sfnnv12 | ThreatTargets::Sfnnv14 => [
                [0, 1, N, 2, N, N],
                [0, 1, 2, 3, 4, N],
                [0, 1, 2, 3, N, N],
                [0, 1, 2, 3, N, N],
                [0, 1, 2, 3, 4, N],
                [N, N, N, N, N, N],
            ],
            ThreatTargets::Sfnnv16 => [
                [N, 0, N, 1, N, N],
                [0, 1, 2, 3, 4, N],
                [0, 1, 2, 3, N, N],
                [0, 1, 2, 3, N, N],
                [0, 1, 2, 3, 4, N],
                [N, N, N, N, N, N],
            ],
        };
        ThreatRules {
            targets,
            pushes: matches!(self, ThreatTargets::Sfnnv14),
            mutual_once: true,
            interleaved: false,
            by_square: false,
        }
    }

    /// The number of rows of the set.
    #[must_use]
    pub const fn rows(self) -> u32 {
        match self {
            ThreatTargets::Sfnnv10 => 79856,
            ThreatTargets::Sfnnv11 => 66864,
            ThreatTargets::Sfnnv12 => 60144,
            ThreatTargets::Sfnnv14 => 60720,
            ThreatTargets::Sfnnv16 => 59808,
        }
    }

    /// The part of a transformer's hash that stands for the set. All tables up to that of SFNNv15
    /// have the same part, so only the number of rows tells them apart.
    #[must_use]
    pub const fn hash(self) -> u32 {
        match self {
            ThreatTargets::Sfnnv16 => stockfish::THREATS_WITHOUT_PAWNS,
            _ => stockfish::THREATS,
        }
    }
}

impl fmt::Display for ThreatTargets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Threats;

    #[test]
    fn rows_are_those_of_the_tables() {
        for targets in ThreatTargets::ALL {
            assert_eq!(
                targets.rows(),
                Threats::new(0, targets.rules()).rows,
                "{targets}"
            );
        }
    }
}
