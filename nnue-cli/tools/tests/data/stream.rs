//! Reads a stream of batches, as its format says and a trainer does.

pub(crate) struct Stream {
    /// Rows and perspectives of each set.
    pub(crate) sets: Vec<(u32, u32)>,
    pub(crate) positions: Vec<Position>,
}

pub(crate) struct Position {
    /// For each set, for each perspective.
    pub(crate) active: Vec<Vec<u32>>,
    pub(crate) stack: u8,
    pub(crate) pieces: u8,
    pub(crate) white: u8,
    pub(crate) score: f32,
    pub(crate) result: f32,
}

pub(crate) fn read_stream(bytes: &[u8]) -> Stream {
    let mut rest = Rest(bytes);
    assert_eq!(rest.bytes(8), b"nnuerows");
    assert_eq!(rest.number(), 1);
    let largest = rest.number();
    let sets: Vec<_> = (0..rest.number())
        .map(|_| (rest.number(), rest.number()))
        .collect();
    let lists: u32 = sets.iter().map(|(_, perspectives)| perspectives).sum();
    let mut positions = Vec::new();
    loop {
        let n = rest.number() as usize;
        if n == 0 {
            assert!(rest.0.is_empty(), "nothing follows the end");
            return Stream { sets, positions };
        }
        assert!(n <= largest as usize);
        let active: Vec<Vec<Vec<u32>>> = (0..lists).map(|_| rest.lists(n)).collect();
        let [stack, pieces, white] = [(); 3].map(|()| rest.bytes(n));
        let [score, result] = [(); 2].map(|()| rest.bytes(4 * n));
        let float = |column: &[u8], index: usize| {
            f32::from_le_bytes(column[4 * index..][..4].try_into().expect("four bytes"))
        };
        positions.extend((0..n).map(|index| Position {
            active: active.iter().map(|lists| lists[index].clone()).collect(),
            stack: stack[index],
            pieces: pieces[index],
            white: white[index],
            score: float(score, index),
            result: float(result, index),
        }));
    }
}

struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (first, rest) = self.0.split_at(count);
        self.0 = rest;
        first
    }

    fn number(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes(4).try_into().expect("four bytes"))
    }

    /// The active rows of `n` positions.
    fn lists(&mut self, n: usize) -> Vec<Vec<u32>> {
        let count = self.number();
        let offsets: Vec<u32> = (0..=n).map(|_| self.number()).collect();
        assert_eq!((offsets[0], offsets[n]), (0, count));
        let rows: Vec<u32> = (0..count).map(|_| self.number()).collect();
        offsets
            .windows(2)
            .map(|pair| rows[pair[0] as usize..pair[1] as usize].to_vec())
            .collect()
    }
}
