//! Pieces that choose the rows of a piece-square set, besides the own king.

/// Pieces that choose rows: by how many there are, or by where the only one stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Material {
    /// The kinds of pieces, a bit for each: bits 0 to 5 for the own pawn to king, bits 6 to 11 for
    /// the opponent's. No bit is set where there is no material.
    pub kinds: u16,
    /// What the value of a position is.
    pub value: MaterialValue,
    /// The lowest bit of the value where the values of all materials of a network are one number.
    /// Equal materials of several sets share it.
    pub first_bit: u8,
    /// How many rows each value skips, of the rows of a perspective.
    pub rows: [u32; Self::VALUES],
}

/// The value of a [`Material`] in a position, below [`Material::VALUES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaterialValue {
    /// How many of these numbers are not above the number of pieces. The numbers ascend, and
    /// `u8::MAX` fills the list.
    Count([u8; Material::VALUES - 1]),
    /// 0 for no piece; for a single piece 1 on a1 to d4, 2 on e1 to h4, 3 on a5 to d8 and 4 on e5
    /// to h8; and 5 for several pieces.
    Quadrant,
}

impl Material {
    /// The most values that a material can tell apart.
    pub const VALUES: usize = 8;

    /// The most materials of a set.
    pub const MOST: usize = 6;

    /// The most combinations of values in a network, own kings not counted.
    pub const MOST_COMBINED: usize = 64;

    /// Stands for no material.
    pub const NONE: Material = Material {
        kinds: 0,
        value: MaterialValue::Count([u8::MAX; Self::VALUES - 1]),
        first_bit: 0,
        rows: [0; Self::VALUES],
    };

    /// The materials of a set.
    ///
    /// # Panics
    ///
    /// If there are more than [`Self::MOST`].
    #[must_use]
    pub const fn list<const N: usize>(materials: [Material; N]) -> [Material; Self::MOST] {
        let mut list = [Material::NONE; Self::MOST];
        let mut index = 0;
        while index < N {
            list[index] = materials[index];
            index += 1;
        }
        list
    }

    pub(crate) const fn exists(&self) -> bool {
        self.kinds != 0
    }

    /// How many values there are.
    #[must_use]
    pub const fn values(&self) -> usize {
        match self.value {
            MaterialValue::Quadrant => 6,
            MaterialValue::Count(numbers) => {
                let mut values = 1;
                while values <= numbers.len() && numbers[values - 1] != u8::MAX {
                    values += 1;
                }
                values
            }
        }
    }

    /// How many bits a value has.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        usize::BITS - (self.values() - 1).leading_zeros()
    }
}
