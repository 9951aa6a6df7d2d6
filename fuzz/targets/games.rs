//! Legal games, and lines that are taken back: on every level an evaluator says what a refresh says.

#![no_main]

use arbitrary::{Arbitrary, Unstructured};
use cozy_chess::Board;
use libfuzzer_sys::fuzz_target;
use nnue_fuzz::small128::{Accumulator, Evaluator, NETS, Network};
use nnue_runtime::Delta;

#[derive(Arbitrary, Debug)]
enum Step {
    Play(u8),
    Play2(u8, u8),
    Null,
    TakeBack(u8),
    Evaluate,
    PlayAndEvaluate(u8),
}

fn play(line: &mut Vec<Board>, evaluators: &mut [Evaluator<&Network>], which: u8) {
    let board = &line[line.len() - 1];
    let mut moves = Vec::new();
    board.generate_moves(|some| {
        moves.extend(some);
        false
    });
    if moves.is_empty() {
        return;
    }
    let mv = moves[usize::from(which) % moves.len()];
    let delta = Delta::from_cozy(board, mv);
    let mut after = board.clone();
    after.play(mv);
    for evaluator in &mut *evaluators {
        evaluator.push(&delta);
    }
    line.push(after);
}

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Unstructured::new(bytes);
    let start = match bytes.arbitrary::<(bool, u16, u16)>() {
        Ok((true, white, black)) => {
            Board::double_chess960_startpos(u32::from(white) % 960, u32::from(black) % 960)
        }
        _ => Board::default(),
    };
    let mut line = vec![start];
    let mut evaluators: Vec<_> = NETS
        .iter()
        .map(|net| Evaluator::new(net, &line[0]))
        .collect();
    for _ in 0..200 {
        let Ok(step) = bytes.arbitrary() else { break };
        let is_evaluated = matches!(step, Step::Evaluate | Step::PlayAndEvaluate(_));
        match step {
            Step::Play(which) | Step::PlayAndEvaluate(which) => {
                play(&mut line, &mut evaluators, which)
            }
            Step::Play2(first, second) => {
                play(&mut line, &mut evaluators, first);
                play(&mut line, &mut evaluators, second);
            }
            Step::Null => {
                if let Some(after) = line[line.len() - 1].null_move() {
                    line.push(after);
                    evaluators
                        .iter_mut()
                        .for_each(|evaluator| evaluator.push_null());
                }
            }
            Step::TakeBack(plies) => {
                for _ in 0..=plies % 8 {
                    if line.len() > 1 {
                        line.pop();
                        evaluators.iter_mut().for_each(|evaluator| evaluator.pop());
                    }
                }
            }
            Step::Evaluate => {}
        }
        if is_evaluated {
            let board = &line[line.len() - 1];
            let fresh = Accumulator::new(&NETS[0], board);
            let expected = NETS[0].evaluate(&fresh, board);
            for (evaluator, net) in evaluators.iter_mut().zip(&*NETS) {
                assert_eq!(evaluator.evaluate(), expected, "{} on {board}", net.level());
            }
        }
    }
});
