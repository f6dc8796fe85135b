//! Several running instances of one program, each asked separately.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use super::command::Run;
use super::conversation::{Asked, Heard};

/// The number of an instance; no two ever have the same.
pub type Member = u64;

/// Running instances, which are ended when this is dropped.
pub struct Crew {
    run: Run,
    members: BTreeMap<Member, Asked>,
    next: Member,
    tell: Sender<(Member, Heard)>,
    heard: Receiver<(Member, Heard)>,
}

impl Crew {
    /// Makes an empty crew whose members will all run this. The caller limits the time.
    pub fn of(run: Run) -> Crew {
        let (tell, heard) = mpsc::channel();
        Crew {
            run,
            members: BTreeMap::new(),
            next: 0,
            tell,
            heard,
        }
    }

    /// Starts one more.
    ///
    /// # Errors
    ///
    /// An error if it could not be started.
    pub fn start(&mut self) -> Result<Member, String> {
        let (member, tell) = (self.next, self.tell.clone());
        let asked = Asked::start(&self.run, move |heard| tell.send((member, heard)).is_ok())?;
        self.members.insert(member, asked);
        self.next += 1;
        Ok(member)
    }

    /// Asks one of them.
    pub fn ask(&self, member: Member, question: Arc<Vec<u8>>) {
        if let Some(asked) = self.members.get(&member) {
            asked.ask(question);
        }
    }

    /// Returns what any of them says next; `None` if that takes too long.
    pub fn hear(&self, patience: Duration) -> Option<(Member, Heard)> {
        let end = std::time::Instant::now() + patience;
        loop {
            let left = end.saturating_duration_since(std::time::Instant::now());
            let (member, heard) = self.heard.recv_timeout(left).ok()?;
            // One that was dismissed may still have spoken.
            if self.members.contains_key(&member) {
                return Some((member, heard));
            }
        }
    }

    /// Ends one.
    pub fn dismiss(&mut self, member: Member) {
        self.members.remove(&member);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn crew(script: &str) -> Crew {
        Crew::of(Run::script(script, Duration::MAX, 10))
    }

    #[test]
    fn each_answers_for_itself_and_the_one_that_is_dismissed_no_more() {
        let frame = r"printf '\002\000\000\000\000\000\000\000'";
        let mut crew = crew(&format!("while read word; do {frame}; printf $word; done"));
        let (one, two) = (crew.start().unwrap(), crew.start().unwrap());
        crew.ask(two, Arc::new(b"cd\n".to_vec()));
        let heard = crew.hear(Duration::from_secs(10));
        assert_eq!(heard, Some((two, Heard::Answer(b"cd".to_vec()))));
        crew.dismiss(two);
        crew.ask(two, Arc::new(b"ef\n".to_vec()));
        crew.ask(one, Arc::new(b"ab\n".to_vec()));
        let heard = crew.hear(Duration::from_secs(10));
        assert_eq!(heard, Some((one, Heard::Answer(b"ab".to_vec()))));
        assert_eq!(crew.hear(Duration::ZERO), None);
    }

    #[test]
    fn one_that_ends_says_so() {
        let mut crew = crew("exit 0");
        let member = crew.start().unwrap();
        let heard = crew.hear(Duration::from_secs(10));
        assert_eq!(heard, Some((member, Heard::End)));
    }
}
