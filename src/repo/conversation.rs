//! Asks another program one question after the other, each within limits.

use std::io::{self, Read, Write};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::command::{Run, end, flood, late, start};
use super::read::reason;

/// What a running program said.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// An answer.
    Answer(Vec<u8>),
    /// More than it may answer.
    TooMuch,
    /// Nothing, and nothing is to come: it has ended, or was aborted.
    End,
}

/// A running program that is ended when this is dropped.
///
/// It reads questions from its standard input and answers each of them with one frame on its
/// standard output. Questions and answers never wait for each other, however large.
pub struct Asked {
    child: Child,
    questions: Sender<Arc<Vec<u8>>>,
}

impl Asked {
    /// Starts the program, and passes on everything that it says, until nobody listens.
    ///
    /// # Errors
    ///
    /// An error if it could not be started.
    pub fn start(
        run: &Run,
        tell: impl Fn(Heard) -> bool + Send + 'static,
    ) -> Result<Asked, String> {
        let mut child = start(run, Stdio::piped(), Stdio::null())?;
        let (questions, asked) = mpsc::channel::<Arc<Vec<u8>>>();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let limit = run.output;
        let running = Asked { child, questions };
        // Neither waits for the other: a question may be larger than a pipe.
        thread(move || {
            let Some(mut stdin) = stdin else { return };
            // One that has ended is noticed by its answers.
            asked.iter().all(|text| stdin.write_all(&text).is_ok());
        })?;
        thread(move || {
            let Some(mut stdout) = stdout else { return };
            loop {
                let heard = hear(&mut stdout, limit);
                let is_end = heard == Heard::End;
                if !tell(heard) || is_end {
                    return;
                }
            }
        })?;
        Ok(running)
    }

    /// Asks a question.
    pub fn ask(&self, question: Arc<Vec<u8>>) {
        // Where nobody listens any more there will be no answer either.
        let _ = self.questions.send(question);
    }
}

/// Runs something in the background. It takes little memory: all of a stack counts.
fn thread(act: impl FnOnce() + Send + 'static) -> Result<(), String> {
    const STACK: usize = 128 * 1024;
    let started = thread::Builder::new().stack_size(STACK).spawn(act);
    started.map_err(|e| format!("it could not be listened to: {}", reason(&e)))?;
    Ok(())
}

impl Drop for Asked {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Reads what a program says next.
fn hear(stdout: &mut impl Read, limit: usize) -> Heard {
    match read_frame(stdout, limit) {
        Ok(Some(answer)) => Heard::Answer(answer),
        Err(e) if e.kind() == io::ErrorKind::FileTooLarge => Heard::TooMuch,
        Ok(None) | Err(_) => Heard::End,
    }
}

/// One program that is asked one question after the other.
pub struct Conversation {
    asked: Asked,
    answers: Receiver<Heard>,
    time: Duration,
    limit: usize,
}

impl Conversation {
    /// Starts the program. The limits on time and output apply to one answer.
    ///
    /// # Errors
    ///
    /// An error if it could not be started.
    pub fn start(run: &Run) -> Result<Conversation, String> {
        let (tell, answers) = mpsc::channel();
        Ok(Conversation {
            asked: Asked::start(run, move |heard| tell.send(heard).is_ok())?,
            answers,
            time: run.time,
            limit: run.output,
        })
    }

    /// Asks a question; `None` if the program ended instead of answering.
    ///
    /// # Errors
    ///
    /// Says in one line that it took too long, or answered too much. It must not be asked again
    /// after that.
    pub fn ask(&self, question: Vec<u8>) -> Result<Option<Vec<u8>>, String> {
        self.asked.ask(Arc::new(question));
        match self.answers.recv_timeout(self.time) {
            Ok(Heard::Answer(answer)) => Ok(Some(answer)),
            Ok(Heard::TooMuch) => Err(flood(self.limit)),
            Ok(Heard::End) | Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => Err(late(self.time)),
        }
    }
}

/// Joins these texts so that [`read_frame`] knows where each ends.
pub fn frames<const N: usize>(texts: [&[u8]; N]) -> Vec<u8> {
    let frame = |text: &[u8]| [&(text.len() as u64).to_le_bytes(), text].concat();
    texts.map(frame).concat()
}

/// Reads one of [`frames`]; `None` at the end of the input.
///
/// # Errors
///
/// The error of the system, and [`io::ErrorKind::FileTooLarge`] for more than `limit` bytes.
pub fn read_frame(input: &mut impl Read, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    match input.read_exact(&mut length) {
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    Ok(Some(bytes))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A script that is asked for lines.
    fn sh(script: &str, output: usize) -> Result<Conversation, String> {
        Conversation::start(&Run::script(script, Duration::from_secs(1), output))
    }

    const FRAME: &str = r"printf '\002\000\000\000\000\000\000\000'";

    #[test]
    fn a_program_answers_one_question_after_the_other() {
        let script = format!("while read word; do {FRAME}; printf $word; done");
        let program = sh(&script, 10).unwrap();
        for word in ["ab", "cd"] {
            let answer = program.ask(format!("{word}\n").into_bytes());
            assert_eq!(answer, Ok(Some(word.into())));
        }
    }

    #[test]
    fn a_program_that_ends_or_breaks_off_gives_no_answer() {
        assert_eq!(sh("exit 0", 10).unwrap().ask(b"?\n".to_vec()), Ok(None));
        let broken = sh(&format!("{FRAME}; printf a"), 10).unwrap();
        assert_eq!(broken.ask(b"?\n".to_vec()), Ok(None));
    }

    #[test]
    fn a_program_that_says_nothing_or_too_much_is_given_up() {
        let silent = sh("sleep 30", 10).unwrap().ask(b"?\n".to_vec());
        assert_eq!(silent, Err("it took longer than 1 s".into()));
        let loud = sh(&format!("{FRAME}; sleep 30"), 1)
            .unwrap()
            .ask(b"?\n".to_vec());
        assert_eq!(loud, Err("it printed more than 0 MiB".into()));
    }
}
