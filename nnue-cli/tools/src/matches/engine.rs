//! The client of the protocol UCI.

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use nnue_compiler::format::foreign;

use crate::matches::player::Player;

/// Why an engine did not obey a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The engine could not be started, or does not accept an option.
    #[error("{0}")]
    Unusable(String),
    /// The process of the engine ended, or closed its output.
    #[error("{0}")]
    Crashed(String),
    /// The engine did not answer in this time.
    #[error("no answer for {:.1} s", .0.as_secs_f64())]
    Silent(Duration),
    /// The match was stopped, which is not the engine's fault.
    #[error("the match was stopped")]
    Stopped,
}

/// The score of a position by an engine, from the view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// An evaluation in hundredths of a pawn.
    Centipawns(i32),
    /// The number of moves until mate; negative if the side to move is mated, 0 if it is already.
    Mate(i32),
}

impl Score {
    /// The score in centipawns; a mate is worth more than any evaluation.
    #[must_use]
    pub fn centipawns(self) -> i32 {
        const MATE: i32 = 1_000_000;

        match self {
            Score::Centipawns(value) => value.clamp(1 - MATE, MATE - 1),
            Score::Mate(moves) if moves > 0 => MATE,
            Score::Mate(_) => -MATE,
        }
    }
}

/// The answer of an engine to `go`, with the last numbers that it reported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thought {
    /// The move in the engine's notation.
    pub best: String,
    /// The score of the position.
    pub score: Option<Score>,
    /// The depth of the search, in plies.
    pub depth: Option<u32>,
    /// The number of nodes of the search.
    pub nodes: Option<u64>,
    /// The time from the command to the answer.
    pub time: Duration,
}

impl Thought {
    /// Reads a line `info …`. Unknown words are skipped.
    fn take(&mut self, info: &str) {
        let mut words = info.split_ascii_whitespace();
        // Of several lines of analysis, only the best counts.
        let mut all = words.clone().skip_while(|word| *word != "multipv").skip(1);
        if all.next().is_some_and(|number| number != "1") {
            return;
        }
        while let Some(word) = words.next() {
            let number = || words.clone().next()?.parse::<i64>().ok();
            match word {
                "depth" => self.depth = number().and_then(|n| n.try_into().ok()).or(self.depth),
                "nodes" => self.nodes = number().and_then(|n| n.try_into().ok()).or(self.nodes),
                "score" => {
                    let mut words = words.clone();
                    let kind = words.next();
                    let value = words.next().and_then(|value| value.parse().ok());
                    self.score = match (kind, value) {
                        (Some("cp"), Some(value)) => Some(Score::Centipawns(value)),
                        (Some("mate"), Some(value)) => Some(Score::Mate(value)),
                        _ => self.score,
                    };
                }
                // All further words are text, or moves.
                "string" | "pv" => return,
                _ => {}
            }
        }
    }
}

/// How many unread lines of an engine are kept. Beyond them the engine has to wait.
const WAITING: usize = 1024;

/// The most options of an engine; real engines have less than a tenth of them.
const OPTIONS: usize = 1000;

/// The longest name of an option in bytes; longer names are dropped.
const LONGEST: usize = 256;

/// A line of an engine, with the time at which it came.
type Line = (Instant, String);

/// A running engine. When this value is dropped, the engine is told to quit, and is killed if it
/// does not quit, with all processes that it has started if the system can tell them.
pub struct Engine<'a> {
    child: Child,
    /// How the process of the engine ended; `None` if that is not known yet.
    ended: Option<ExitStatus>,
    input: ChildStdin,
    lines: Receiver<Line>,
    /// The last line of the engine, which often says why it ends.
    last_words: String,
    /// A flag that is set if the match ends before its games.
    stop: &'a AtomicBool,
}

impl fmt::Debug for Engine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Engine").field(&self.child.id()).finish()
    }
}

impl<'a> Engine<'a> {
    /// Starts an engine and sets its options. Each answer may take as long as `patience`. When
    /// `stop` is set, all requests end with [`Fault::Stopped`].
    ///
    /// # Errors
    ///
    /// [`Fault`] if the engine cannot be started, does not answer, or does not accept an option.
    pub fn start(
        player: &Player,
        chess960: bool,
        patience: Duration,
        stop: &'a AtomicBool,
    ) -> Result<Engine<'a>, Fault> {
        let mut command = Command::new(&player.program);
        command.args(&player.arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(Stdio::null());
        // Ctrl-C is for this program, which ends its engines itself.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let unusable = |error| {
            let program = foreign(player.program.display());
            Fault::Unusable(format!("cannot start `{program}`: {error}"))
        };
        let mut child = command.spawn().map_err(unusable)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are pipes");
        };
        let (sender, lines) = sync_channel(WAITING);
        thread::spawn(move || forward(output, &sender));
        let mut engine = Engine {
            child,
            ended: None,
            input,
            lines,
            last_words: String::new(),
            stop,
        };
        engine.set_up(player, chess960, patience)?;
        Ok(engine)
    }

    fn set_up(&mut self, player: &Player, chess960: bool, patience: Duration) -> Result<(), Fault> {
        let mut options = player.options.clone();
        if chess960 {
            options.push(("UCI_Chess960".into(), "true".into()));
        }
        let program = foreign(player.program.display());
        let mut known = Vec::new();
        self.send("uci")?;
        self.wait(patience, |line| {
            let name = option_name(line).map(|(name, _)| name);
            known.extend(name.filter(|name| name.len() <= LONGEST).map(String::from));
            line == "uciok" || known.len() > OPTIONS
        })?;
        if known.len() > OPTIONS {
            return Err(Fault::Unusable(format!(
                "`{program}` has more than {OPTIONS} options, which is the most that an engine can have"
            )));
        }
        for (name, value) in &options {
            if !known.iter().any(|known| known.eq_ignore_ascii_case(name)) {
                return Err(Fault::Unusable(format!(
                    "`{program}` has no option `{}`; it has {}",
                    foreign(name),
                    foreign(known.join(", "))
                )));
            }
            self.send(&format!("setoption name {name} value {value}"))?;
        }
        // UCI has no answer to an option, and an engine that cannot load its net may use another
        // net.
        let mut refusal = None;
        self.until_ready(patience, |line| {
            if refusal.is_none() && is_error(line) {
                refusal = Some(line.to_string());
            }
        })?;
        match refusal {
            Some(line) => Err(Fault::Unusable(format!(
                "`{program}` does not take its options: `{}`",
                foreign(line)
            ))),
            None => Ok(()),
        }
    }

    /// Tells the engine that the next position is of another game.
    ///
    /// # Errors
    ///
    /// [`Fault`] if the engine does not answer.
    pub fn new_game(&mut self, patience: Duration) -> Result<(), Fault> {
        self.send("ucinewgame")?;
        self.until_ready(patience, |_| {})
    }

    fn until_ready(&mut self, patience: Duration, mut hear: impl FnMut(&str)) -> Result<(), Fault> {
        self.send("isready")?;
        self.wait(patience, |line| {
            hear(line);
            line == "readyok"
        })?;
        Ok(())
    }

    /// Lets the engine search a position for at most `patience`. `position` and `go` are lines of
    /// UCI, such as `position startpos` and `go nodes 5000`.
    ///
    /// # Errors
    ///
    /// [`Fault`] if the engine does not answer. After [`Fault::Silent`] it may still be searching.
    pub fn think(
        &mut self,
        position: &str,
        go: &str,
        patience: Duration,
    ) -> Result<Thought, Fault> {
        // A late answer to an earlier request must not be taken for the answer to this request.
        // Only as many lines are skipped as are kept, because an engine may write without end.
        self.lines.try_iter().take(WAITING).for_each(drop);
        let mut thought = Thought::default();
        self.send(position)?;
        let start = Instant::now();
        self.send(go)?;
        let answered = self.wait(patience, |line| {
            let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            match first {
                "info" => thought.take(rest),
                "bestmove" => {
                    let best = rest.split_ascii_whitespace().next();
                    thought.best = best.unwrap_or_default().into();
                    return true;
                }
                _ => {}
            }
            false
        })?;
        thought.time = answered.saturating_duration_since(start);
        Ok(thought)
    }

    /// Ends a search whose result is not needed any more.
    ///
    /// # Errors
    ///
    /// [`Fault`] if the engine does not answer.
    pub fn interrupt(&mut self, patience: Duration) -> Result<(), Fault> {
        self.send("stop")?;
        self.wait(patience, |line| line.starts_with("bestmove"))?;
        Ok(())
    }

    fn send(&mut self, line: &str) -> Result<(), Fault> {
        let written = writeln!(self.input, "{line}").and_then(|()| self.input.flush());
        written.map_err(|_| self.crashed())
    }

    /// Reads lines until `is_last` accepts a line, and returns the time at which that line came.
    fn wait(
        &mut self,
        patience: Duration,
        mut is_last: impl FnMut(&str) -> bool,
    ) -> Result<Instant, Fault> {
        /// The longest time until a stop is noticed.
        const BREATH: Duration = Duration::from_millis(50);

        let start = Instant::now();
        loop {
            if self.stop.load(Ordering::Relaxed) {
                return Err(Fault::Stopped);
            }
            let left = patience.saturating_sub(start.elapsed());
            match self.lines.recv_timeout(left.min(BREATH)) {
                Ok((time, line)) => {
                    if is_last(line.trim()) {
                        return Ok(time);
                    }
                    if !line.trim().is_empty() {
                        self.last_words = line;
                    }
                    // An engine that writes without end has not answered either.
                    if start.elapsed() > patience {
                        return Err(Fault::Silent(patience));
                    }
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(Fault::Silent(patience));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.crashed()),
            }
        }
    }

    /// Finds out how the engine ended, and returns the fault.
    fn crashed(&mut self) -> Fault {
        /// The time without output after which no more output is expected.
        const SILENCE: Duration = Duration::from_millis(100);
        /// The longest time to read output: an engine that closed only its input may write for
        /// ever.
        const PATIENCE: Duration = Duration::from_secs(1);

        // The remaining output of the engine may say why it ended.
        let start = Instant::now();
        while start.elapsed() < PATIENCE
            && let Ok((_, line)) = self.lines.recv_timeout(SILENCE)
        {
            if self.stop.load(Ordering::Relaxed) {
                return Fault::Stopped;
            }
            if !line.trim().is_empty() {
                self.last_words = line;
            }
        }
        let how = match self.ended(Duration::from_secs(1)) {
            Some(status) => format!("ended with {status}"),
            None => "closed its input or its output".into(),
        };
        let words = self.last_words.trim();
        Fault::Crashed(match words {
            "" => how,
            words => format!("{how} after `{}`", foreign(words)),
        })
    }

    /// How the process ended, if it ends within `patience`. Then the processes that it started are
    /// killed too.
    fn ended(&mut self, patience: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        while self.ended.is_none() {
            if let Ok(Some(status)) = self.child.try_wait() {
                // This must happen at once, because another group may get the number of a group
                // that has ended.
                kill_group(&self.child);
                self.ended = Some(status);
            } else if start.elapsed() > patience {
                break;
            } else {
                thread::sleep(Duration::from_millis(2));
            }
        }
        self.ended
    }
}

impl Drop for Engine<'_> {
    fn drop(&mut self) {
        // The engine may have ended already.
        let _ = self.input.write_all(b"quit\n");
        let _ = self.input.flush();
        if self.ended(Duration::from_millis(300)).is_none() {
            kill_group(&self.child);
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Kills a process and all processes that it has started: a program may be a script that starts the
/// engine. This works on Unix only.
fn kill_group(child: &Child) {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(child.id()) {
        use nix::sys::signal::{Signal, killpg};
        use nix::unistd::Pid;

        // The engine is the first process of its group, so the group has the number of the engine.
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
    }
    #[cfg(not(unix))]
    let _ = child;
}

/// Sends an engine's lines to the receiver, until the engine ends or the receiver is dropped.
fn forward(output: ChildStdout, sender: &SyncSender<Line>) {
    /// The most bytes of a line, more than any engine writes.
    const LIMIT: u64 = 1 << 16;

    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        match output.by_ref().take(LIMIT).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line).into_owned();
        if sender.send((Instant::now(), text)).is_err() {
            return;
        }
    }
}

/// The name in the line `option name NAME type …`, and the rest of the line.
fn option_name(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.strip_prefix("option name ")?.split_once(" type ")?;
    Some((name.trim(), rest))
}

/// Whether a line says that the engine could not do something.
fn is_error(line: &str) -> bool {
    const ERROR: &str = "info string error";
    let start = line.get(..ERROR.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(ERROR))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thought(lines: &[&str]) -> Thought {
        let mut thought = Thought::default();
        for line in lines {
            thought.take(line);
        }
        thought
    }

    #[test]
    fn the_last_word_counts() {
        let found = thought(&[
            "depth 1 score cp 10 nodes 20 pv e2e4",
            "depth 12 seldepth 20 multipv 1 score cp -35 lowerbound nodes 5000 nps 100 pv e2e4 e7e5",
            "nodes 5100",
        ]);
        assert_eq!(found.depth, Some(12));
        assert_eq!(found.score, Some(Score::Centipawns(-35)));
        assert_eq!(found.nodes, Some(5100));
        assert_eq!(thought(&["score mate -3"]).score, Some(Score::Mate(-3)));
    }

    #[test]
    fn garbage_is_passed_over() {
        let garbage = [
            "",
            "depth",
            "depth x nodes -5",
            "depth 99999999999999999999",
            "score",
            "score cp",
            "score mate many",
            "score fish 7",
            "string depth 7 score cp 1",
            "depth 9 multipv 2 score cp 100",
            "score cp 2147483648",
        ];
        assert_eq!(thought(&garbage), Thought::default());
    }

    /// A script that acts as an engine.
    #[cfg(unix)]
    fn script<'s>(script: &str, stop: &'s AtomicBool) -> Result<Engine<'s>, Fault> {
        let player = Player {
            name: "script".into(),
            program: "sh".into(),
            arguments: vec!["-c".into(), script.into()],
            options: Vec::new(),
        };
        Engine::start(&player, false, Duration::from_secs(60), stop)
    }

    /// The processes that a script has started are killed whether or not the script has ended.
    #[cfg(unix)]
    #[test]
    fn what_an_engine_has_started_ends_with_it() {
        let until =
            |word: &str| format!("while read -r line && [ \"$line\" != {word} ]; do :; done");
        let folder = tempfile::tempdir().expect("temporary folders can be made");
        let lasts = ["wait", &until("quit"), "exec >&-"];
        for (number, last) in lasts.iter().enumerate() {
            let pipe = folder.path().join(format!("pipe-{number}"));
            let made = Command::new("mkfifo").arg(&pipe).status();
            assert!(made.expect("`mkfifo` is there").success());
            let reading = thread::spawn({
                let pipe = pipe.clone();
                move || std::fs::read_to_string(pipe)
            });
            // The pipe is open as long as the process that the script has started.
            let stop = AtomicBool::new(false);
            let behind = format!(
                "exec 3>'{}'; (sleep 20; echo alive >&3) & echo uciok; {}; echo readyok; {last}",
                pipe.display(),
                until("isready")
            );
            drop(script(&behind, &stop).expect("it answers"));
            let read = reading.join().expect("it ends").expect("text");
            assert_eq!(read, "", "{last}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_engine_has_no_end_of_options() {
        let stop = AtomicBool::new(false);
        let refused = |options: &str| {
            let engine = format!("{options}; echo uciok; echo readyok; cat");
            script(&engine, &stop).err()
        };
        let many = |count| format!("yes option name x type check | head -n {count}");
        assert_eq!(refused(&many(OPTIONS)), None);
        match refused(&many(OPTIONS + 1)) {
            Some(Fault::Unusable(reason)) => {
                assert!(
                    reason.starts_with("`sh` has more than 1000 options"),
                    "{reason}"
                );
            }
            other => panic!("{other:?}"),
        }
    }

    /// An engine that closes its input and writes without end is not read until its end.
    #[cfg(unix)]
    #[test]
    fn an_engine_that_only_talks_is_no_reason_to_wait() {
        let stop = AtomicBool::new(false);
        let talking = "exec <&-; echo uciok; for i in $(seq 600); do echo words; sleep 0.05; done";
        match script(talking, &stop).err() {
            Some(Fault::Crashed(how)) => {
                assert!(how.starts_with("closed its input or its output"), "{how}");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn errors_are_heard() {
        assert!(is_error("info string error: cannot load `x`"));
        assert!(is_error("info string ERROR: no net"));
        for other in ["info string erré", "info string", "info depth 1"] {
            assert!(!is_error(other), "{other}");
        }
    }

    #[test]
    fn options_have_names_of_several_words() {
        let line = "option name Clear Hash type button";
        assert_eq!(option_name(line), Some(("Clear Hash", "button")));
        assert_eq!(option_name("option name type"), None);
    }

    #[test]
    fn mates_are_beyond_evaluations() {
        assert!(Score::Mate(40).centipawns() > Score::Centipawns(31_999).centipawns());
        assert!(Score::Mate(0).centipawns() < Score::Centipawns(-31_999).centipawns());
        let extremes = ["score cp -2147483648", "score cp 2147483647"];
        let [lowest, highest] = extremes.map(|line| {
            let score = thought(&[line]).score.expect("a number");
            score.centipawns()
        });
        assert!(Score::Mate(0).centipawns() < lowest && lowest < -31_999);
        assert!(31_999 < highest && highest < Score::Mate(1).centipawns());
    }
}
