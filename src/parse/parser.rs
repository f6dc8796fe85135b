//! Parses texts with several processes at once.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Parsing;
use super::account::Account;
use super::told::told;
use super::verdicts::{Store, Verdict, Verdicts};
use super::waiting::{Outcome, Source, Waiting, cost, mark_of};
use super::worker::{Answer, Question, SUBCOMMAND};
use crate::memory::is_scarce;
use crate::repo::Repo;
use crate::repo::command::Run;
use crate::repo::conversation::{Heard, frames};
use crate::repo::crew::{Crew, Member};
use crate::section::{Note, NoteKind};
use crate::syntax::{Parsed, Wanted, has_grammar, language, parse, without_grammar};

/// The most processes, however many cores there are.
const MAX_MEMBERS: usize = 8;

/// One more process is started for each multiple of this many bytes to parse.
const WORTH_A_MEMBER: usize = 48 * 1024;

/// How many questions each has at a time: one that it works on, and the next.
const DEPTH: usize = 2;

/// The largest answer, in bytes. The largest hand-written text takes a tenth of it.
const MAX_ANSWER: usize = 2 * 1024 * 1024;

/// How long an answer may take while the processor is busy with other things. Only a process that
/// was stopped takes that long.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many bytes of texts wait at most for one before them.
const MAX_WAITING: usize = 1024 * 1024;

/// Has texts parsed for one prompt.
pub struct Parser(Mutex<State>);

struct State {
    parsing: Parsing,
    store: Option<Store>,
    /// What an earlier prompt knew, then what is known now.
    recalled: Option<Verdicts>,
    verdicts: Option<Verdicts>,
    account: Account,
    crew: Option<Crew>,
    members: BTreeMap<Member, Work>,
    /// How many there may be, once somebody asked.
    most: Option<usize>,
    /// How many bytes were asked about.
    asked: usize,
    /// Why nothing more is parsed.
    closed: Option<Closed>,
    /// The files that could not be parsed.
    failed: BTreeMap<String, Verdict>,
    /// How many were not tried.
    untried: usize,
}

/// Why nothing more is parsed.
enum Closed {
    /// No process could be started, or one does not answer.
    Broken(String),
    /// Texts took too long altogether.
    Empty,
}

/// What a process is asked.
#[derive(Default)]
struct Work {
    questions: VecDeque<Asked>,
    /// Since when it has worked on the first of them.
    since: Option<Instant>,
    /// How many it has answered.
    answered: usize,
}

/// A question that is asked.
struct Asked {
    number: usize,
    question: Arc<Vec<u8>>,
}

impl Parser {
    /// Makes the parser for a prompt of this repository.
    pub fn of(repo: &Repo, parsing: &Parsing) -> Parser {
        let mut state = State::of(parsing.clone());
        state.store = Store::of(repo);
        state.recalled = repo.recall();
        Parser(Mutex::new(state))
    }

    /// Makes a parser for no repository, with this program.
    #[cfg(fuzzing)]
    pub fn apart(program: &Path) -> Parser {
        Parser(Mutex::new(State::of(Parsing::Worker(program.to_owned()))))
    }

    /// Returns notes on what was not parsed.
    #[cfg(fuzzing)]
    pub fn notes(&self) -> Vec<Note> {
        self.state().notes()
    }

    /// Parses texts, several at a time, and hands over the results in their order; `None` for one
    /// that is not parsed this time, or never can be.
    pub fn each(
        &self,
        wanted: Wanted,
        sources: impl IntoIterator<Item = Source>,
        mut done: impl FnMut(Source, Option<Parsed>),
    ) {
        let mut state = self.state();
        let mut sources = sources.into_iter();
        match state.parsing {
            Parsing::Never => sources.for_each(|source| done(source, None)),
            Parsing::TrustedInProcess => sources.for_each(|source| {
                let parsed = parse(source.language, &source.text, wanted);
                done(source, Some(parsed));
            }),
            Parsing::Worker(_) => state.work(wanted, &mut sources, &mut done),
        }
    }

    /// Parses one file. If it is not parsed, or there is no grammar, the result is what can be
    /// known without.
    pub fn one(&self, wanted: Wanted, path: &str, text: &str) -> Parsed {
        let language = language(path);
        if !has_grammar(language, text) {
            return without_grammar(language, text, wanted);
        }
        let parsed = self.parsed(wanted, path, text);
        parsed.unwrap_or_else(|| without_grammar(language, text, wanted))
    }

    /// Parses one file for which there is a grammar; `None` if it is not parsed this time, or never
    /// can be.
    pub fn parsed(&self, wanted: Wanted, path: &str, text: &str) -> Option<Parsed> {
        let source = Source {
            number: 0,
            path: path.to_owned(),
            language: language(path),
            text: text.to_owned(),
        };
        let mut found = None;
        self.each(wanted, [source], |_, parsed| found = parsed);
        found
    }

    /// Ends the processes, keeps what was learned about texts that cannot be parsed, and returns
    /// notes on what was not parsed.
    pub fn close(&self, repo: &Repo) -> Vec<Note> {
        let mut state = self.state();
        state.crew = None;
        state.members.clear();
        let kept = match &mut state.verdicts {
            Some(_) => state.keep(),
            None => Ok(()),
        };
        if let Some(verdicts) = state.verdicts.take().or_else(|| state.recalled.take()) {
            repo.remember(verdicts);
        }
        let kept = kept.err().map(|why| {
            let message = format!("cannot write the cache: {why}");
            Note::new(NoteKind::Reason, message)
        });
        state.notes().into_iter().chain(kept).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Parser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Parser")
    }
}

impl State {
    fn of(parsing: Parsing) -> State {
        State {
            parsing,
            store: None,
            recalled: None,
            verdicts: None,
            account: Account::new(),
            crew: None,
            members: BTreeMap::new(),
            most: None,
            asked: 0,
            closed: None,
            failed: BTreeMap::new(),
            untried: 0,
        }
    }

    fn work(
        &mut self,
        wanted: Wanted,
        sources: &mut dyn Iterator<Item = Source>,
        done: &mut dyn FnMut(Source, Option<Parsed>),
    ) {
        let mut waiting = Waiting::default();
        // One that nobody has time for yet.
        let mut next = None;
        loop {
            while self.closed.is_none()
                && waiting.bytes < MAX_WAITING
                && let Some(source) = next.take().or_else(|| sources.next())
            {
                if let Some(known) = self.known(&source) {
                    waiting.push(source, Some(known));
                } else if let Some(member) = self.free() {
                    self.take(member, source, wanted, &mut waiting);
                } else {
                    next = Some(source);
                    break;
                }
                self.hand_over(&mut waiting, done);
            }
            if self.closed.is_some() || self.members.values().all(|work| work.questions.is_empty())
            {
                break;
            }
            self.listen(wanted, &mut waiting);
            self.hand_over(&mut waiting, done);
        }
        // Nobody is asked any more; what is under way does not count.
        for work in self.members.values_mut() {
            if !work.questions.is_empty() {
                self.crew = None;
            }
        }
        if self.crew.is_none() {
            self.members.clear();
        }
        waiting.give_up();
        self.hand_over(&mut waiting, done);
        for source in next.into_iter().chain(sources) {
            self.untried += 1;
            done(source, None);
        }
    }

    /// Returns a process that may get one more question, and starts one if it is worth it. Each has
    /// something to do before any has two questions.
    fn free(&mut self) -> Option<Member> {
        let members = self.members.iter();
        let busy = members.map(|(member, work)| (work.questions.len(), *member));
        let Some((questions, member)) = busy.min() else {
            return self.start();
        };
        let count = self.members.len();
        let is_worth = questions > 0 && self.asked >= WORTH_A_MEMBER * count;
        if is_worth && count < *self.most.get_or_insert_with(most_members) {
            match self.join() {
                Ok(member) => return Some(member),
                // Those that are there have to do.
                Err(_) => self.most = Some(count),
            }
        }
        (questions < DEPTH).then_some(member)
    }

    /// Starts a process, without which nothing can be parsed.
    fn start(&mut self) -> Option<Member> {
        let joined = self.join();
        joined
            .map_err(|why| self.closed = Some(Closed::Broken(why)))
            .ok()
    }

    fn join(&mut self) -> Result<Member, String> {
        let member = self.crew().start()?;
        self.members.insert(member, Work::default());
        Ok(member)
    }

    fn crew(&mut self) -> &mut Crew {
        let program = match &self.parsing {
            Parsing::Worker(program) => program.as_path(),
            Parsing::Never | Parsing::TrustedInProcess => Path::new(""),
        };
        let run = || Run::worker(program, SUBCOMMAND, PATIENCE, MAX_ANSWER);
        self.crew.get_or_insert_with(|| Crew::of(run()))
    }

    /// Takes a text in, and asks for it.
    fn take(&mut self, member: Member, source: Source, wanted: Wanted, waiting: &mut Waiting) {
        let question = postcard::to_allocvec(&Question {
            language: Cow::Borrowed(source.language),
            text: Cow::Borrowed(&source.text),
            wanted,
        });
        self.asked += source.text.len();
        let number = waiting.push(source, None);
        match question {
            Ok(question) => {
                let question = Arc::new(frames([&question]));
                self.ask(member, Asked { number, question });
            }
            Err(why) => self.closed = Some(Closed::Broken(why.to_string())),
        }
    }

    /// Returns the earlier result for a text, if that was a failure.
    fn known(&mut self, source: &Source) -> Option<Outcome> {
        let verdicts = self.verdicts();
        if verdicts.is_empty() {
            return None;
        }
        let verdict = verdicts.get(mark_of(source))?;
        Some(Outcome::Failed(cost(verdict, source), verdict))
    }

    fn verdicts(&mut self) -> &mut Verdicts {
        let (recalled, store) = (&mut self.recalled, &self.store);
        self.verdicts
            .get_or_insert_with(|| Verdicts::of(recalled.take(), store.as_ref()))
    }

    fn ask(&mut self, member: Member, asked: Asked) {
        if let (Some(crew), Some(work)) = (&self.crew, self.members.get_mut(&member)) {
            crew.ask(member, Arc::clone(&asked.question));
            work.questions.push_back(asked);
            work.since.get_or_insert_with(Instant::now);
        }
    }

    /// Waits until one of them answers, or cannot.
    fn listen(&mut self, wanted: Wanted, waiting: &mut Waiting) {
        let since = self.members.values().filter_map(|work| work.since).min();
        let waited = since.map_or(Duration::ZERO, |since| since.elapsed());
        let heard = self
            .crew
            .as_ref()
            .and_then(|crew| crew.hear(PATIENCE.saturating_sub(waited)));
        let Some((member, heard)) = heard else {
            let seconds = PATIENCE.as_secs();
            self.closed = Some(Closed::Broken(format!(
                "it did not answer within {seconds} s"
            )));
            return;
        };
        match heard {
            Heard::Answer(answer) => self.answered(member, &answer, wanted, waiting),
            Heard::TooMuch => self.ended(member, Verdict::Unsound, waiting),
            Heard::End => self.ended(member, Verdict::Ended, waiting),
        }
    }

    fn answered(&mut self, member: Member, answer: &[u8], wanted: Wanted, waiting: &mut Waiting) {
        let (took, parsed) = match postcard::from_bytes(answer) {
            Ok(Answer::Done(took, parsed)) => (Duration::from_micros(took), parsed),
            Ok(Answer::Late) => return self.fail(member, Verdict::Late, waiting),
            Err(_) => return self.ended(member, Verdict::Unsound, waiting),
        };
        let Some(work) = self.members.get_mut(&member) else {
            return;
        };
        let Some(asked) = work.questions.pop_front() else {
            // Nobody asked.
            self.dismissed(member);
            return;
        };
        work.answered += 1;
        work.since = (!work.questions.is_empty()).then(Instant::now);
        let sound = waiting
            .source(asked.number)
            .is_some_and(|source| parsed.is_sound(wanted, source.lines()));
        if sound {
            waiting.set(asked.number, Outcome::Parsed(took, parsed));
        } else {
            work.questions.push_front(asked);
            self.ended(member, Verdict::Unsound, waiting);
        }
    }

    /// Handles a process that ended during the first of its questions. If it has answered others,
    /// it had less memory left than a new one, so its failure does not count.
    fn ended(&mut self, member: Member, verdict: Verdict, waiting: &mut Waiting) {
        match self.members.get(&member) {
            Some(work) if work.answered > 0 => {
                let questions = self.dismissed(member);
                self.ask_again(questions);
            }
            _ => self.fail(member, verdict, waiting),
        }
    }

    /// Records that the first of a process's questions cannot be answered; others can take the
    /// rest.
    fn fail(&mut self, member: Member, verdict: Verdict, waiting: &mut Waiting) {
        let mut questions = self.dismissed(member);
        if let Some(asked) = questions.pop_front()
            && let Some(source) = waiting.source(asked.number)
        {
            // One that had no memory, since the user has little, says nothing of the text.
            if verdict != Verdict::Ended || !is_scarce() {
                self.verdicts().add(mark_of(source), verdict);
            }
            let cost = cost(verdict, source);
            waiting.set(asked.number, Outcome::Failed(cost, verdict));
        }
        self.ask_again(questions);
    }

    fn ask_again(&mut self, questions: VecDeque<Asked>) {
        if questions.is_empty() {
            return;
        }
        if let Some(member) = self.start() {
            for asked in questions {
                self.ask(member, asked);
            }
        }
    }

    /// Ends a process. Returns what it was asked.
    fn dismissed(&mut self, member: Member) -> VecDeque<Asked> {
        if let Some(crew) = &mut self.crew {
            crew.dismiss(member);
        }
        let work = self.members.remove(&member);
        work.map_or_else(VecDeque::new, |work| work.questions)
    }

    /// Hands over results that have no unfinished one before them. Their cost counts in that order,
    /// so that the same texts are parsed whichever process is faster.
    fn hand_over(&mut self, waiting: &mut Waiting, done: &mut dyn FnMut(Source, Option<Parsed>)) {
        while let Some((source, outcome)) = waiting.next_done() {
            let is_empty = matches!(self.closed, Some(Closed::Empty));
            let parsed = match outcome {
                _ if is_empty => None,
                Outcome::Untried => None,
                Outcome::Parsed(took, parsed) => {
                    self.account.charge(source.text.len(), took);
                    Some(parsed)
                }
                Outcome::Failed(took, verdict) => {
                    self.account.charge(source.text.len(), took);
                    self.failed.insert(source.path.clone(), verdict);
                    done(source, None);
                    self.close_if_empty();
                    continue;
                }
            };
            self.untried += usize::from(parsed.is_none());
            done(source, parsed);
            self.close_if_empty();
        }
    }

    fn close_if_empty(&mut self) {
        if self.account.is_empty() {
            self.closed.get_or_insert(Closed::Empty);
        }
    }

    fn keep(&mut self) -> Result<(), String> {
        let store = self.store.clone();
        self.verdicts().keep(store.as_ref())
    }

    /// Returns what the caller should know.
    fn notes(&mut self) -> Vec<Note> {
        let failed = std::mem::take(&mut self.failed);
        let why = match &self.closed {
            Some(Closed::Broken(why)) => format!("the program for it: {why}"),
            Some(Closed::Empty) | None => "those before took too long".to_owned(),
        };
        told(&failed, std::mem::take(&mut self.untried), &why)
    }
}

/// Returns the number of cores.
fn most_members() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.min(MAX_MEMBERS)
}
