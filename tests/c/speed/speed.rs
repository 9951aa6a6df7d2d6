//! The recorded search, followed in Rust as `speed.cpp` follows it in C++: `speed write FILE` writes
//! it for both, `speed FILE NET PASSES` prints nanoseconds per evaluation and the sum of all values.

use std::error::Error;
use std::io::Write;
use std::time::Instant;

use nnue_runtime::{Bitboard, Color, Delta, Piece, PieceChanges, Position, Role};
use nnue_trace::{Event, Trace};

mod net {
    nnue_runtime::nnue_net!("spec.toml");
}

/// A position as C has it.
struct Board {
    pieces: [u64; 12],
    black: bool,
}

impl Position for Board {
    fn side_to_move(&self) -> Color {
        if self.black { Color::Black } else { Color::White }
    }

    fn pieces(&self, piece: Piece) -> Bitboard {
        Bitboard(self.pieces[piece.index()])
    }
}

/// A step of a search.
enum Step {
    /// To the position of that number.
    Reset(usize),
    Push(Delta),
    Pop,
    Evaluate,
}

fn packed(changes: PieceChanges) -> u64 {
    let mut list = 0;
    for (place, (piece, square)) in changes.enumerate() {
        let king = match piece.role {
            Role::King => 1 << 14 << piece.color.index(),
            _ => 0,
        };
        let entry = square.index() as u64 | (piece.index() as u64 + 1) << 8 | king;
        list |= entry << (16 * place);
    }
    list
}

/// Each step is its number and then as many numbers of 64 bits as it needs.
fn write(path: &str) -> Result<(), Box<dyn Error>> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    let mut put = |number: u64| file.write_all(&number.to_le_bytes());
    for search in Trace::bundled()?.searches {
        put(0)?;
        for piece in Piece::ALL {
            put(search.root.pieces(piece).0)?;
        }
        put(search.root.side_to_move().index() as u64)?;
        for event in &search.events {
            let delta = match event {
                Event::Make(delta) => *delta,
                Event::MakeNull => Delta::null(),
                Event::Unmake => {
                    put(2)?;
                    continue;
                }
                Event::Evaluate => {
                    put(3)?;
                    continue;
                }
            };
            put(1)?;
            put(packed(delta.removed()))?;
            put(packed(delta.added()))?;
        }
    }
    Ok(())
}

fn read(path: &str) -> Result<(Vec<Step>, Vec<Board>), Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let mut numbers = bytes.chunks_exact(8).map(|number| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(number);
        u64::from_le_bytes(bytes)
    });
    let (mut steps, mut positions) = (Vec::new(), Vec::new());
    while let Some(step) = numbers.next() {
        let mut next = || numbers.next().unwrap_or_default();
        steps.push(match step {
            0 => {
                let pieces = std::array::from_fn(|_| next());
                let black = next() == 1;
                positions.push(Board { pieces, black });
                Step::Reset(positions.len() - 1)
            }
            1 => Step::Push(Delta::from_packed(next(), next())),
            2 => Step::Pop,
            _ => Step::Evaluate,
        });
    }
    Ok((steps, positions))
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, net, passes] = match &*arguments {
        [write_, path] if write_ == "write" => return write(path),
        [file, net, passes] => [file, net, passes],
        _ => return Err("expected `write FILE`, or FILE NET PASSES".into()),
    };
    let net = std::sync::Arc::new(net::Network::open(net)?);
    let (steps, positions) = read(file)?;
    let start = nnue_runtime::Board::start();
    let mut evaluator = net::Evaluator::new(net, &start);
    let mut best = f64::INFINITY;
    let mut sum = 0u64;
    for _ in 0..passes.parse::<u32>()? {
        let (started, mut evaluations) = (Instant::now(), 0u32);
        sum = 0;
        for step in &steps {
            match step {
                Step::Reset(position) => evaluator.reset(&positions[*position]),
                Step::Push(delta) => evaluator.push(delta),
                Step::Pop => evaluator.pop(),
                Step::Evaluate => {
                    sum = sum.wrapping_add(evaluator.evaluate().value as u32 as u64);
                    evaluations += 1;
                }
            }
        }
        best = best.min(started.elapsed().as_nanos() as f64 / f64::from(evaluations));
    }
    println!("{best:.2} {sum}");
    Ok(())
}
