//! The 16 directions of attacks: eight lines, and the eight jumps of a knight.

/// A set of squares, or a distance, for each of eight directions.
pub(super) type Eight = [u64; 8];

/// The lines, each as far as an attacker sees along it.
pub(super) const LINES: Lines = Lines::of(LINE_STEPS);
/// The lines of [`LINES`] in the other direction, from the victim back to the attacker.
pub(super) const LINES_BACK: Lines = Lines::of(times(63, LINE_STEPS));
/// The jumps, in no particular order.
pub(super) const JUMPS: Steps = Steps::of(JUMP_STEPS);
/// The jumps of [`JUMPS`] in the other direction.
pub(super) const JUMPS_BACK: Steps = Steps::of(times(63, JUMP_STEPS));

/// How far a step in each direction goes: north, east, northeast, northwest, and back.
const LINE_STEPS: Eight = [8, 1, 9, 7, 56, 63, 55, 57];
const JUMP_STEPS: Eight = [17, 15, 10, 6, 47, 49, 54, 58];

/// One step in each direction.
pub(super) struct Steps {
    /// By how many squares the step goes, modulo 64.
    pub(super) distances: Eight,
    /// The squares where it can end, without leaving the board and entering on the other side.
    pub(super) ends: Eight,
}

/// Steps that can be repeated.
pub(super) struct Lines {
    /// One step.
    pub(super) step: Steps,
    /// By how many squares one, two and four steps go, modulo 64.
    pub(super) distances: [Eight; 3],
}

impl Lines {
    const fn of(distances: Eight) -> Lines {
        Lines {
            step: Steps::of(distances),
            distances: [distances, times(2, distances), times(4, distances)],
        }
    }
}

impl Steps {
    const fn of(distances: Eight) -> Steps {
        let mut ends = [0; 8];
        let mut direction = 0;
        while direction < 8 {
            let mut from = 0;
            while from < 64 {
                let to = (from + distances[direction] as usize) % 64;
                let files = (from % 8).abs_diff(to % 8);
                let ranks = (from / 8).abs_diff(to / 8);
                if files <= 2 && ranks <= 2 {
                    ends[direction] |= 1 << to;
                }
                from += 1;
            }
            direction += 1;
        }
        Steps { distances, ends }
    }
}

/// The distances of a number of steps. 63 steps are one step back.
const fn times(steps: u64, distances: Eight) -> Eight {
    let mut all = [0; 8];
    let mut direction = 0;
    while direction < 8 {
        all[direction] = steps * distances[direction] % 64;
        direction += 1;
    }
    all
}

/// A mask for each of the eight lines: all bits for the lines that are named, no bits for the
/// others.
macro_rules! lines {
    ($($line:literal)+) => {{
        let mut lines = [0; 8];
        $(lines[$line] = u64::MAX;)+
        lines
    }};
}

/// The lines along ranks and files.
pub(super) const STRAIGHT: Eight = lines!(0 1 4 5);
/// The lines along diagonals.
pub(super) const DIAGONAL: Eight = lines!(2 3 6 7);
/// The lines along which white's pawns and black's capture.
pub(super) const CAPTURES: [Eight; 2] = [lines!(2 3), lines!(6 7)];
/// The lines along which white's pawns and black's push.
pub(super) const PUSHES: [Eight; 2] = [lines!(0), lines!(4)];
