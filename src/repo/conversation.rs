//! Asks another program one question after the other, each under bounds.

use std::io::{self, Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::command::{Run, end, flood, late, start};

/// A running program that is ended when this is dropped.
///
/// It reads questions from its standard input and answers each of them with one frame on
/// its standard output.
pub struct Conversation {
    child: Child,
    questions: Sender<Vec<u8>>,
    answers: Receiver<Result<Vec<u8>, String>>,
    time: Duration,
}

impl Conversation {
    /// Starts the program. Time and output are those of one answer.
    ///
    /// # Errors
    ///
    /// It could not be started.
    pub fn start(run: &Run) -> Result<Conversation, String> {
        let mut child = start(run, Stdio::piped(), Stdio::null())?;
        let (questions, asked) = mpsc::channel::<Vec<u8>>();
        let (hand_in, answers) = mpsc::channel();
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let limit = run.output;
        // Neither waits for the other: a question may be larger than a pipe.
        thread::spawn(move || {
            let Some(mut stdin) = stdin else { return };
            // One that has ended is noticed by its answers.
            asked.iter().all(|text| stdin.write_all(&text).is_ok());
        });
        thread::spawn(move || {
            let Some(mut stdout) = stdout else { return };
            while let Some(answer) = answer(&mut stdout, limit) {
                if hand_in.send(answer).is_err() {
                    return;
                }
            }
        });
        Ok(Conversation {
            child,
            questions,
            answers,
            time: run.time,
        })
    }

    /// Asks a question; `None` if the program ended in place of an answer.
    ///
    /// # Errors
    ///
    /// Says in one line that it took too long, or answered too much. It must not be asked
    /// again then.
    pub fn ask(&self, question: Vec<u8>) -> Result<Option<Vec<u8>>, String> {
        // Where nobody listens any more there will be no answer either.
        let _ = self.questions.send(question);
        match self.answers.recv_timeout(self.time) {
            Ok(answer) => answer.map(Some),
            Err(RecvTimeoutError::Timeout) => Err(late(self.time)),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// The next answer, if there is one to come.
fn answer(stdout: &mut impl Read, limit: usize) -> Option<Result<Vec<u8>, String>> {
    match read_frame(stdout, limit) {
        Ok(answer) => answer.map(Ok),
        Err(e) if e.kind() == io::ErrorKind::FileTooLarge => Some(Err(flood(limit))),
        Err(_) => None,
    }
}

/// These texts so that [`read_frame`] knows where each ends.
pub fn frames<const N: usize>(texts: [&[u8]; N]) -> Vec<u8> {
    let frame = |text: &[u8]| [&(text.len() as u64).to_le_bytes(), text].concat();
    texts.map(frame).concat()
}

/// Reads one of [`frames`]; `None` at the end of the input.
///
/// # Errors
///
/// What the system says, and [`io::ErrorKind::FileTooLarge`] for more than `limit` bytes.
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
        Conversation::start(&Run {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            folder: "/".into(),
            environment: Vec::new(),
            time: Duration::from_secs(1),
            output,
        })
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
