//! Which bucket each square of the own king has, from the rows of that king.
//!
//! While a network is trained, the row of the own king on a square is active in one bucket only:
//! that of the square. In all other buckets the row keeps what it began with, or has what a
//! factoriser adds to all buckets alike. So the bucket whose row differs from those of the others
//! is the bucket of the square, and a half of the board whose rows all look untrained is never
//! seen: the board is mirrored.

use nnue_compiler::feature_set::piece_square::{Mirror, Parameters, SQUARES};

/// The number of rows of a bucket: twelve planes of squares.
const BUCKET: usize = 12 * SQUARES;

/// The plane of the own king, behind the own pawns, knights, bishops, rooks and queens.
const KING: usize = 5;

/// How much the rows of one half of the board must outweigh those of the other to say that the
/// other half is never seen.
const FAR_MORE: f64 = 4.0;

/// The same where there are less than [`ENOUGH`] neurons: of these, one or two that look at the
/// king's side are enough for the smaller number.
const FAR_MORE_OF_FEW: f64 = 100.0;

/// How certain the bucket of a square must be to say something, and the buckets of all squares on
/// average for the table to be tried at all. Rows that nobody has trained come to 0.2 at most, if
/// there are [`ENOUGH`] neurons.
const PROBABLE: f64 = 0.25;

/// How certain the buckets of all squares must be on average for no other table to be tried.
const CERTAIN: f64 = 0.5;

/// From how many neurons on rows differ by more than chance.
const ENOUGH: usize = 64;

/// The shape of the rows.
pub(crate) struct Rows {
    pub(crate) width: usize,
    pub(crate) buckets: usize,
}

/// What the rows of the own king say.
#[derive(Debug)]
pub(crate) struct KingRows {
    /// The files on which the own king is seen.
    pub(crate) mirror: Mirror,
    /// For each square, the bucket that was trained there.
    bucket: [usize; SQUARES],
    /// For each square, by how much this bucket stands out: 0 for not at all, to 1.
    certainty: [f64; SQUARES],
    /// How certain the squares must be on average for the table to be probable.
    probable: f64,
    /// Whether the half of the board without the king is known by the size of its rows.
    mirror_is_certain: bool,
    /// Whether the rows say something of mirroring: they are not all zero, and if there are few
    /// neurons, both halves look alike or are far apart.
    tell_mirror: bool,
}

/// A table of king buckets.
#[derive(Debug, PartialEq)]
pub(crate) struct Table {
    /// The bucket of each square on which the king is seen, rank by rank.
    pub(crate) buckets: Vec<usize>,
    /// Whether it cannot well be another.
    pub(crate) is_certain: bool,
}

impl KingRows {
    /// Reads the rows of the own king. `weight` gives a weight by its index, rows one after the
    /// other.
    pub(crate) fn of(rows: &Rows, weight: impl Fn(usize) -> f64) -> KingRows {
        // As many neurons as are enough to tell.
        let step = rows.width.div_ceil(256).max(1);
        let mut bucket = [0; SQUARES];
        let mut certainty = [0.0; SQUARES];
        let mut size = [0.0; SQUARES];
        for square in 0..SQUARES {
            let mut by_bucket = vec![0.0; rows.buckets];
            for neuron in (0..rows.width).step_by(step) {
                let at = |bucket: usize| {
                    weight((bucket * BUCKET + KING * SQUARES + square) * rows.width + neuron)
                };
                let sum: f64 = (0..rows.buckets).map(at).sum();
                // With two buckets, both are as far from their mean.
                let mean = match rows.buckets {
                    0..=2 => 0.0,
                    buckets => sum / buckets as f64,
                };
                for (bucket, size) in by_bucket.iter_mut().enumerate() {
                    *size += (at(bucket) - mean).powi(2);
                }
            }
            let all: f64 = by_bucket.iter().sum();
            let largest = (0..rows.buckets).max_by(|a, b| by_bucket[*a].total_cmp(&by_bucket[*b]));
            bucket[square] = largest.unwrap_or(0);
            size[square] = by_bucket[bucket[square]];
            let others = by_bucket.iter().enumerate();
            let second = others
                .filter(|(other, _)| *other != bucket[square])
                .map(|(_, size)| *size)
                .fold(0.0, f64::max);
            certainty[square] = if all > 0.0 {
                1.0 - second / size[square]
            } else {
                0.0
            };
        }
        // Rows of the half that is never seen are small, unless they keep the weights with which
        // training began. Those are about as large in each bucket.
        let [by_size, by_certainty] = [&size, &certainty].map(|by| mirror(by, FAR_MORE));
        let far_apart = mirror(&size, FAR_MORE_OF_FEW) == by_size;
        let tell_mirror =
            size.iter().any(|size| *size != 0.0) && (rows.width >= ENOUGH || far_apart);
        let probable = match rows.width {
            0..ENOUGH => CERTAIN,
            _ => PROBABLE,
        };
        let (mirror, mirror_is_certain) = match (by_size, by_certainty) {
            // Kings may also be rare on the other half.
            (Mirror::None, Mirror::AToD | Mirror::EToH) if rows.buckets > 1 => {
                (by_certainty, false)
            }
            _ => (by_size, true),
        };
        KingRows {
            mirror,
            bucket,
            certainty,
            probable,
            mirror_is_certain,
            tell_mirror,
        }
    }

    /// The table that the rows tell, if they do: each bucket has a square, and on average the
    /// bucket of a square stands out.
    pub(crate) fn table(&self, buckets: usize) -> Option<Table> {
        let seen: Vec<usize> = seen(self.mirror).collect();
        let sum: f64 = seen.iter().map(|at| self.certainty[*at]).sum();
        let certainty = sum / seen.len() as f64;
        let table: Vec<usize> = seen.iter().map(|at| self.bucket[*at]).collect();
        let is_full = (0..buckets).all(|bucket| table.contains(&bucket));
        (is_full && certainty > self.probable).then_some(Table {
            buckets: table,
            is_certain: self.mirror_is_certain && certainty > CERTAIN,
        })
    }

    /// Whether a table may be that of the rows: no square that says something has another bucket.
    pub(crate) fn allow(&self, mirror: Mirror, table: &[usize]) -> bool {
        let mut pairs = seen(mirror).zip(table);
        mirror == self.mirror
            && pairs.all(|(at, bucket)| self.certainty[at] < PROBABLE || self.bucket[at] == *bucket)
    }

    /// Whether the rows tell a table with certainty that is another than that of the parameters.
    pub(crate) fn contradict(&self, parameters: &Parameters) -> bool {
        let buckets = parameters.buckets();
        let is_certain = self.table(buckets).is_some_and(|table| table.is_certain);
        let given = seen(parameters.mirror).map(|at| usize::from(parameters.king_buckets[at]));
        let given: Vec<usize> = given.collect();
        buckets > 1 && is_certain && !self.allow(parameters.mirror, &given)
    }

    /// The share of squares whose bucket is that of the parameters, each as much as it is certain;
    /// `None` if the rows say nothing.
    pub(crate) fn agreement(&self, parameters: &Parameters) -> Option<f64> {
        let right_half = f64::from(u8::from(parameters.mirror == self.mirror));
        if parameters.buckets() == 1 {
            return self.tell_mirror.then_some(right_half);
        }
        let seen: Vec<usize> = seen(parameters.mirror).collect();
        let agreeing = seen
            .iter()
            .filter(|at| self.bucket[**at] == usize::from(parameters.king_buckets[**at]));
        let sum: f64 = agreeing.map(|at| self.certainty[*at]).sum();
        let share = sum / seen.len() as f64;
        Some(share * (0.5 + 0.5 * right_half))
    }
}

/// On which files the own king is seen, if the numbers of these squares are at least `far_more`
/// times those of the others.
fn mirror(by_square: &[f64; SQUARES], far_more: f64) -> Mirror {
    let sum = |half| -> f64 { seen(half).map(|square| by_square[square]).sum() };
    let (left, right) = (sum(Mirror::AToD), sum(Mirror::EToH));
    if left > far_more * right {
        Mirror::AToD
    } else if right > far_more * left {
        Mirror::EToH
    } else {
        Mirror::None
    }
}

/// The squares on which the own king is seen, rank by rank.
fn seen(mirror: Mirror) -> impl Iterator<Item = usize> {
    (0..SQUARES).filter(move |square| match mirror {
        Mirror::None => true,
        Mirror::AToD => square % 8 < 4,
        Mirror::EToH => square % 8 >= 4,
    })
}

#[cfg(test)]
mod tests {
    use super::{BUCKET, KING, KingRows, Rows, Table};
    use nnue_compiler::feature_set::piece_square::{Mirror, SQUARES};

    const WIDTH: usize = 64;
    const BUCKETS: usize = 4;

    /// The bucket of a square: its rank, as far as there are buckets.
    fn bucket(square: usize) -> usize {
        (square / 8).min(BUCKETS - 1)
    }

    /// The result for rows that began with weights of up to 9. Training has moved those of seen
    /// squares by up to `moved`.
    fn found(moved: f64, is_seen: impl Fn(usize) -> bool) -> KingRows {
        let mut random = fastrand::Rng::with_seed(32);
        let mut weights = vec![0.0; BUCKETS * BUCKET * WIDTH];
        let mut draw = |most: f64| most * (2.0 * random.f64() - 1.0);
        for (index, weight) in weights.iter_mut().enumerate() {
            let row = index / WIDTH;
            let (of_bucket, square) = (row / BUCKET, row % SQUARES);
            let is_king = row % BUCKET / SQUARES == KING;
            let is_trained = is_king && is_seen(square) && of_bucket == bucket(square);
            *weight = draw(9.0) + if is_trained { draw(moved) } else { 0.0 };
        }
        let rows = Rows {
            width: WIDTH,
            buckets: BUCKETS,
        };
        KingRows::of(&rows, |index| weights[index])
    }

    fn table(is_seen: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..SQUARES).filter(|at| is_seen(*at)).map(bucket).collect()
    }

    #[test]
    fn tables_are_found_where_rows_keep_the_weights_with_which_training_began() {
        for (moved, is_certain) in [(13.0, false), (60.0, true)] {
            let left = |square: usize| square % 8 < 4;
            let right = |square: usize| square % 8 >= 4;
            let all = |_| true;
            let boards: [(Mirror, &dyn Fn(usize) -> bool); 3] = [
                (Mirror::AToD, &left),
                (Mirror::EToH, &right),
                (Mirror::None, &all),
            ];
            for (mirror, is_seen) in boards {
                let rows = found(moved, is_seen);
                assert_eq!(rows.mirror, mirror, "{moved}");
                let buckets = table(is_seen);
                assert!(rows.allow(mirror, &buckets));
                assert_eq!(
                    rows.table(BUCKETS),
                    Some(Table {
                        buckets,
                        is_certain
                    })
                );
            }
        }
    }

    #[test]
    fn only_squares_that_say_something_refuse_a_table() {
        let mut rows = found(60.0, |_| true);
        let mut other = table(|_| true);
        other[20] = 0;
        assert!(!rows.allow(Mirror::None, &other));
        rows.certainty[20] = 0.2;
        assert!(rows.allow(Mirror::None, &other));
        assert!(!rows.allow(Mirror::AToD, &other));
    }

    #[test]
    fn kings_that_are_rare_on_a_half_do_not_make_mirroring_certain() {
        let mut rows = found(13.0, |square| square % 8 >= 4);
        assert_eq!(rows.mirror, Mirror::EToH);
        rows.certainty = [0.9; SQUARES];
        let found = rows.table(BUCKETS).expect("a table");
        assert!(!found.is_certain);
    }

    #[test]
    fn rows_that_nobody_has_trained_tell_no_table() {
        assert_eq!(found(0.0, |_| true).table(BUCKETS), None);
    }
}
