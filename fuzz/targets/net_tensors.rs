//! Right net files in which single places are wrong: what stands between tensors, and runs of
//! values within them, are written over, left out, doubled or moved.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use nnue_fuzz::nets::check;

#[derive(Arbitrary, Debug)]
struct Input {
    net: u8,
    edits: Vec<Edit>,
}

/// Places are parts of the file, in 65536ths, so that they stay where they are in files of other
/// lengths.
#[derive(Arbitrary, Debug)]
enum Edit {
    /// Values at their limits, or any others.
    Write {
        at: u16,
        word: Word,
        words: u8,
    },
    /// At the beginning, which has lengths, names and hashes.
    Head {
        at: u8,
        byte: u8,
    },
    /// At the end.
    Tail {
        at: u8,
        byte: u8,
    },
    LeaveOut {
        at: u16,
        len: u8,
    },
    Double {
        at: u16,
        len: u8,
        to: u16,
    },
    Insert {
        at: u16,
        bytes: Vec<u8>,
    },
    CutOff {
        at: u16,
    },
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Word {
    Zero,
    Ones,
    Least,
    Most,
    LeastOfBytes,
    MostOfBytes,
    Infinite,
    NoNumber,
    Subnormal,
    Any([u8; 4]),
}

impl Word {
    fn bytes(self) -> [u8; 4] {
        match self {
            Word::Zero => [0; 4],
            Word::Ones => [0xFF; 4],
            Word::Least => i32::MIN.to_le_bytes(),
            Word::Most => i32::MAX.to_le_bytes(),
            Word::LeastOfBytes => [0x80; 4],
            Word::MostOfBytes => [0x7F; 4],
            Word::Infinite => f32::INFINITY.to_le_bytes(),
            Word::NoNumber => f32::NAN.to_le_bytes(),
            Word::Subnormal => 1u32.to_le_bytes(),
            Word::Any(bytes) => bytes,
        }
    }
}

fuzz_target!(|input: Input| {
    check(input.net, |right| {
        let mut file = right.to_vec();
        for edit in input.edits.iter().take(8) {
            apply(edit, &mut file);
        }
        file
    });
});

fn apply(edit: &Edit, file: &mut Vec<u8>) {
    let len = file.len();
    if len == 0 {
        return;
    }
    let place = |at: u16| usize::from(at) * len >> 16;
    let run = |at: u16, run: u8| place(at)..(place(at) + usize::from(run)).min(len);
    match edit {
        Edit::Write { at, word, words } => {
            let bytes = word.bytes().into_iter().cycle();
            let range = place(*at)..(place(*at) + 4 * usize::from(*words)).min(len);
            file[range]
                .iter_mut()
                .zip(bytes)
                .for_each(|(to, byte)| *to = byte);
        }
        Edit::Head { at, byte } => file[usize::from(*at).min(len - 1)] = *byte,
        Edit::Tail { at, byte } => file[len - 1 - usize::from(*at).min(len - 1)] = *byte,
        Edit::LeaveOut { at, len } => drop(file.drain(run(*at, *len))),
        Edit::Double { at, len, to } => {
            let doubled = file[run(*at, *len)].to_vec();
            let to = place(*to);
            file.splice(to..to, doubled);
        }
        Edit::Insert { at, bytes } => {
            let at = place(*at);
            file.splice(at..at, bytes.iter().copied());
        }
        Edit::CutOff { at } => file.truncate(place(*at)),
    }
}
