//! A program that is spoken to by UCI.
#![allow(
    dead_code,
    reason = "each test file is a program of its own, which needs a part of this"
)]
#![allow(unreachable_pub, reason = "as above")]

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// How long an answer may take on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running program; it ends with the session.
pub struct Session {
    process: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
}

impl Session {
    /// The engine that the tests are of.
    pub fn engine() -> Session {
        Session::start(&mut Command::new(env!("CARGO_BIN_EXE_nnue-engine")))
    }

    pub fn start(command: &mut Command) -> Session {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the engine starts");
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let (sender, output) = channel();
        thread::spawn(move || {
            lines
                .map_while(Result::ok)
                .all(|line| sender.send(line).is_ok())
        });
        let input = process.stdin.take();
        Session {
            process,
            input,
            output,
        }
    }

    pub fn say(&mut self, line: &str) {
        self.send(format!("{line}\n").as_bytes());
    }

    /// Sends bytes that may be no text.
    pub fn send(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the session goes on");
        let shown = String::from_utf8_lossy(bytes);
        input
            .write_all(bytes)
            .unwrap_or_else(|error| panic!("`{shown}`: {error}"));
    }

    /// The lines up to one that begins with some word, that one included.
    pub fn until(&mut self, word: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.output.recv_timeout(PATIENCE);
            lines.push(line.unwrap_or_else(|error| panic!("no `{word}`: {error}: {lines:?}")));
            if lines.last().unwrap().split_whitespace().next() == Some(word) {
                return lines;
            }
        }
    }

    /// Says something, and waits until it is done.
    pub fn ask(&mut self, line: &str) -> Vec<String> {
        self.say(line);
        self.say("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// The move that is found in a position, and the last line about it.
    pub fn best(&mut self, position: &str, go: &str) -> (String, String) {
        self.say(&format!("position {position}"));
        self.say(go);
        let mut lines = self.until("bestmove");
        let best = lines.pop().unwrap();
        let best = best.split_whitespace().nth(1).expect("a move").to_owned();
        (best, lines.pop().unwrap_or_default())
    }

    /// Tells it to quit; what it still said, if it ended well.
    pub fn quit(mut self) -> Vec<String> {
        self.say("quit");
        self.input = None;
        let status = self.process.wait().expect("a process");
        assert!(status.success(), "{status}");
        self.output.iter().collect()
    }
}

impl Drop for Session {
    /// A test that failed leaves nothing that goes on thinking.
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
