//! Nets of other engines' networks that a test makes itself: every value follows from the seed.
//!
//! `goldens/engines` has what was computed from these very files. Like [`crate::generations`], the
//! table says what a file contains independently of the specs. No product of these nets leaves 16
//! bits, where engines could saturate.

use crate::nets::sha256_prefix;
use crate::synthetic::{Draws, uniform};

/// A net of an engine's network, as a file of the engine's own format.
#[derive(Clone, Copy, Debug)]
pub struct EngineNet {
    /// Name of the engine.
    pub name: &'static str,
    /// Seed of the values.
    pub seed: u64,
    /// First 12 hex digits of the file's SHA-256.
    pub sha256: &'static str,
    /// What the file has, in order.
    parts: &'static [Part],
}

/// A run of values of a file. Each value costs one draw; an amplitude `a` allows `-a..=a`.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// Bytes that cost no draw.
    Bytes(&'static [u8]),
    /// Integers of one byte: their number and amplitude.
    I8(usize, u64),
    /// Integers of two bytes: their number, their amplitude, and what is added to each.
    I16(usize, u64, i32),
    /// Integers of four bytes: their number and amplitude.
    I32(usize, u64),
    /// Floating point of four bytes: their number, their amplitude, and what is added to each.
    F32(usize, f32, f32),
}

/// Rows of pairs of pawns.
const PAIRS: usize = 4560;

const NETS: &[EngineNet] = &[
    EngineNet {
        name: "casanchess",
        seed: 205,
        sha256: "9ed44e2f2c65",
        parts: &[
            Part::I16(26 * 640 * 128, 60, 0),
            Part::I16(128, 80, 60),
            Part::I16(26 * 640, 120, 0),
            Part::I16(48 * 256, 30, 0),
            Part::I32(48, 4000),
            Part::I16(48, 60, 0),
            Part::I32(1, 4000),
            Part::I16(256, 40, 0),
            Part::I32(1, 4000),
            Part::Bytes(&[0; 24]),
        ],
    },
    EngineNet {
        name: "pzchessbot",
        seed: 201,
        sha256: "9033ce2b66bd",
        parts: &[
            Part::I16(16 * 768 * 512, 25, 0),
            Part::I8(60144 * 512, 9),
            Part::I16(512, 60, 40),
            Part::I8(8 * 16 * 512, 50),
            Part::F32(8 * 16, 0.5, 0.0),
            Part::F32(8 * 32 * 32, 0.6, 0.0),
            Part::F32(8 * 32, 0.4, 0.0),
            Part::F32(8 * 32, 1.2, 0.0),
            Part::F32(8, 0.3, 0.0),
        ],
    },
    EngineNet {
        // The values are those of a file without rows of the clock, which are zeros here,
        // and without padding.
        name: "integral",
        seed: 202,
        sha256: "1814f3759fe8",
        parts: &[
            Part::I16(12 * 768 * 768, 25, 0),
            Part::Bytes(&[0; 2 * 12 * 11 * 768]),
            Part::I8((PAIRS + 59808) * 768, 9),
            Part::I16(768, 60, 40),
            Part::I8(8 * 16 * 768, 50),
            Part::F32(8 * 16, 0.5, 0.0),
            Part::F32(8 * 32 * 16, 0.6, 0.0),
            Part::F32(8 * 32, 0.4, 0.0),
            Part::F32(8 * 32, 1.2, 0.0),
            Part::F32(8, 0.3, 0.0),
            Part::Bytes(b"bulletbulletbulletbulletbulletbu"),
        ],
    },
    EngineNet {
        name: "hobbes",
        seed: 203,
        sha256: "1a12ce2e396a",
        parts: &[
            Part::I16(16 * 768 * 768, 25, 0),
            Part::I8((PAIRS + 59808) * 768, 9),
            Part::I16(768, 60, 40),
            Part::I8(768 * 8 * 16, 50),
            Part::I32(8 * 16, 40),
            Part::I32(8 * 32 * 32, 60),
            Part::I32(8 * 32, 60_000),
            Part::I32(8 * 32, 60),
            Part::I32(8, 2_000_000),
            Part::Bytes(b"bulletbulletbulletbulletbulletbu"),
        ],
    },
    EngineNet {
        name: "devre",
        seed: 204,
        sha256: "c1f4c47dfeff",
        parts: &[
            Part::Bytes(b"DVNNUE5\0"),
            Part::Bytes(&words([1, 12, 768, 1, 4560, 9216, 127, 7, 16, 32])),
            Part::I8(12 * 768 * 768, 12),
            Part::I8((PAIRS + 59808) * 768, 9),
            Part::I16(768, 60, 20),
            Part::I8(16 * 768, 60),
            Part::F32(16, 0.000_05, 0.0001),
            Part::F32(16, 0.5, 0.0),
            Part::F32(32 * 32, 0.6, 0.0),
            Part::F32(32, 0.4, 0.0),
            Part::F32(64, 1.2, 0.0),
            Part::F32(1, 0.3, 0.0),
        ],
    },
];

/// Ten words in the order of their bytes.
const fn words(words: [u32; 10]) -> [u8; 40] {
    let mut bytes = [0; 40];
    let mut index = 0;
    while index < bytes.len() {
        bytes[index] = words[index / 4].to_le_bytes()[index % 4];
        index += 1;
    }
    bytes
}

/// The net of an engine.
///
/// # Panics
///
/// If there is none of that name, or if the file differs in any bit from the one that the goldens
/// were computed from.
#[must_use]
pub fn engine_net(name: &str) -> Vec<u8> {
    let net = NETS.iter().find(|net| net.name == name);
    let net = net.unwrap_or_else(|| panic!("no engine `{name}`"));
    let file = net.file();
    assert_eq!(sha256_prefix(&file), net.sha256, "net of {name}");
    file
}

impl EngineNet {
    fn file(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let mut draws = Draws::of(self.seed);
        for part in self.parts {
            part.append(&mut draws, &mut file);
        }
        file
    }
}

impl Part {
    fn append(self, draws: &mut Draws, file: &mut Vec<u8>) {
        let mut drawn = |count, amplitude, append: &mut dyn FnMut(i32)| {
            (0..count).for_each(|_| append(uniform(draws.next(), amplitude)));
        };
        match self {
            Part::Bytes(bytes) => file.extend(bytes),
            Part::I8(count, amplitude) => {
                drawn(count, amplitude, &mut |value| file.push(value as u8));
            }
            Part::I16(count, amplitude, added) => drawn(count, amplitude, &mut |value| {
                file.extend(((value + added) as i16).to_le_bytes());
            }),
            Part::I32(count, amplitude) => drawn(count, amplitude, &mut |value| {
                file.extend(value.to_le_bytes());
            }),
            Part::F32(count, amplitude, added) => {
                let step = amplitude / 1000.0;
                drawn(count, 1000, &mut |value| {
                    file.extend((value as f32 * step + added).to_le_bytes());
                });
            }
        }
    }
}
