//! Tests as models for someone who must write one.

use super::Likely;
use super::ranking::{Ranking, Why};
use super::scores::scores_of;
use crate::index::corpus::{Corpus, nearness};
use crate::index::parts::ReadPart;
use crate::index::words::words;
use crate::syntax::parts::Role;

/// The worth of seeing, without a target, one test of the likeliest test file or of the likeliest
/// source: it shows how the project writes tests. Otherwise, only what must change has worth.
const MODEL_WORTH: f64 = 0.006;

/// The same for one test of what the target declares: it says what must keep working, and is where
/// the next test is written.
const OWN_TEST_WORTH: f64 = 0.01;

/// A test with more lines is not a model.
const LONGEST_MODEL: usize = 40;

/// How many of the likeliest source files are asked for a test that is named like them.
const MOST_TESTED: usize = 3;

impl Likely {
    /// Returns the files that models may be in if there is no target: the likeliest test, and those
    /// of the likeliest source files.
    pub fn tests(&self, corpus: &Corpus) -> Vec<usize> {
        if !self.targets.is_empty() {
            return Vec::new();
        }
        let is_beside = |at: &usize| self.signals[*at].beside > 0.0;
        let mut order: Vec<usize> = (0..self.shares.len()).collect();
        order.retain(|at| !is_beside(at));
        self.likeliest_first(&mut order);
        let likeliest = order.iter().find(|at| corpus.files[**at].facts.is_test);
        let own = tests_of_first(corpus, &order);
        likeliest.copied().into_iter().chain(own).collect()
    }
}

/// Returns the tests of the first source files in this order, which has the tests as well.
fn tests_of_first<'a>(corpus: &'a Corpus, order: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
    let is_source = |at: &&usize| !corpus.files[**at].facts.is_test;
    let sources = order.iter().filter(is_source).take(MOST_TESTED);
    sources.filter_map(|source| test_of(corpus, *source, order))
}

/// Returns the test that is named like a source file: the nearest one, and the first of equals.
fn test_of(corpus: &Corpus, source: usize, order: &[usize]) -> Option<usize> {
    let source = &corpus.files[source];
    let path = source.path.as_str();
    let is_own = |at: &usize| {
        let (test, its) = (&corpus.files[*at].facts, corpus.files[*at].path.as_str());
        test.is_test && test.is_named_like(its, &source.facts, path)
    };
    let own = order.iter().copied().filter(is_own).rev();
    let near = |at: &usize| nearness(corpus.files[*at].path.as_str(), path);
    own.max_by(|one, other| near(one).total_cmp(&near(other)))
}

impl Ranking {
    /// Singles out a test as a model for someone who must write one; with a target, one of its own
    /// tests, and otherwise one of the likeliest source as well. The files `only_tests`, which are
    /// looked at for their models, count for nothing else.
    pub fn with_model(mut self, corpus: &Corpus, only_tests: &[usize]) -> Ranking {
        let (worth, own) = if self.has_targets() {
            (OWN_TEST_WORTH, None)
        } else {
            (MODEL_WORTH, self.model_of_likeliest(corpus))
        };
        let model = self.model(corpus);
        let own = own.filter(|_| own != model);
        for test in only_tests {
            self.likely[*test] = 0.0;
        }
        for model in model.into_iter().chain(own) {
            self.single_out(model, worth, Why::Model);
        }
        self
    }

    /// Returns the part that the task most likely means in the test of the likeliest source.
    fn model_of_likeliest(&self, corpus: &Corpus) -> Option<(usize, usize)> {
        let mut order: Vec<usize> = self.candidates.iter().map(|(at, _)| *at).collect();
        order.retain(|at| self.signals[*at].beside == 0.0);
        order.sort_by(|a, b| self.likely[*b].total_cmp(&self.likely[*a]).then(a.cmp(b)));
        tests_of_first(corpus, &order).find_map(|at| Some((at, self.model_in(corpus, at)?.1)))
    }

    /// Returns the part that the task most likely means in the likeliest test file; with a target,
    /// in the one that has its name or changed with it.
    fn model(&self, corpus: &Corpus) -> Option<(usize, usize)> {
        let is_test = |at: usize| corpus.files[at].facts.is_test && self.signals[at].beside == 0.0;
        let has_name = |at: usize| self.signals[at].same_stem > 0.0;
        let is_own = |at: usize| has_name(at) || self.histories[at].times > 0;
        let counts = |at: &usize| {
            let is_meant = !self.has_targets() || is_own(*at) && !self.targets.contains(at);
            is_test(*at) && is_meant
        };
        let tests = self.candidates.iter().map(|(at, _)| *at);
        let models = tests.filter(counts).filter_map(|at| {
            let (clarity, part) = self.model_in(corpus, at)?;
            Some(((has_name(at), clarity > Clarity::Unclear), (at, part)))
        });
        let model = models.max_by(|(one, (at, _)), (other, (place, _))| {
            let likelier = self.likely[*at].total_cmp(&self.likely[*place]);
            one.cmp(other).then(likelier)
        })?;
        Some(model.1)
    }

    /// Returns the part of a file that the task most likely means, without a target among those that
    /// are most clearly tests, with how clearly.
    fn model_in(&self, corpus: &Corpus, at: usize) -> Option<(Clarity, usize)> {
        let parts = self.parts.get(&at)?;
        let scored = parts.iter().map(|(read, signals)| (read, signals));
        let scores = scores_of(self.weights, scored);
        let models = parts.iter().enumerate().filter_map(|(place, (read, _))| {
            let is_short = read.part.lines.len() <= LONGEST_MODEL;
            let clarity = Clarity::of(corpus, read).filter(|_| is_short)?;
            // In a test of a target, what tests share is as likely to be what must change.
            let clarity = if self.has_targets() {
                Clarity::Unclear
            } else {
                clarity
            };
            Some((clarity, place))
        });
        models.max_by(|(one, a), (other, b)| {
            let fitter = scores[*a].total_cmp(&scores[*b]);
            one.cmp(other).then(fitter)
        })
    }
}

/// How clearly a part of a test file is a test, and not something that tests share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Clarity {
    /// A function.
    Unclear,
    /// A function whose name or attribute says so, or the macro that makes it.
    Said,
    /// A block with a title.
    Titled,
}

impl Clarity {
    /// Returns how clearly a part is a test; `None` for one that is neither function nor block.
    fn of(corpus: &Corpus, read: &ReadPart) -> Option<Clarity> {
        let marks = || {
            read.uses
                .iter()
                .any(|it| is_mark(corpus.vocabulary.names.name(it.0)))
        };
        let name = read.part.names.last();
        match read.part.role {
            Role::Block => Some(Clarity::Titled),
            Role::Function if name.is_some_and(|name| is_named(name)) || marks() => {
                Some(Clarity::Said)
            }
            Role::Function => Some(Clarity::Unclear),
            _ => None,
        }
    }
}

/// Whether the name of a function begins or ends with the word `test`.
fn is_named(name: &str) -> bool {
    let words = words(name);
    let mut ends = words.first().into_iter().chain(words.last());
    ends.any(|word| word == "test")
}

/// Whether a name is an attribute that makes a function a test, or such a macro of C: `TEST_F`.
fn is_mark(name: &str) -> bool {
    const MARKS: [&str; 8] = [
        "Fact",
        "ParameterizedTest",
        "RepeatedTest",
        "Test",
        "TestMethod",
        "Theory",
        "rstest",
        "test",
    ];
    let is_macro = |name: &str| !name.bytes().any(|byte| byte.is_ascii_lowercase());
    MARKS.contains(&name) || name.starts_with("TEST") && is_macro(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::corpus::tests::of_texts;
    use crate::index::words::names;
    use crate::rank::Question;
    use crate::syntax::language;

    const CIRCLE: (&str, &str) = (
        "src/circle.rs",
        "fn draw_circle(pen: Pen) { pen.stroke() }\n",
    );

    /// Ranks files for a task, with models that may be in these for that alone.
    fn ranked(
        task: &str,
        targets: &[usize],
        files: &[(&str, &str)],
        only_tests: &[usize],
    ) -> Ranking {
        let corpus = of_texts(files);
        let question = Question::new(&corpus, task, targets, None);
        let links = vec![Vec::new(); files.len()];
        let likely = Likely::of(&corpus, &question, task, targets, &[], &links);
        let parts = |at: usize| {
            let (path, text) = &files[at];
            let lines: Vec<&str> = text.lines().collect();
            let parts = crate::syntax::cut(language(path), text).into_iter();
            let parts = parts.map(|part| {
                let own = &lines[part.lines.clone()];
                let names = own.iter().flat_map(|line| names(line));
                let uses = names.filter_map(|(_, name)| corpus.name(name));
                let uses = uses.map(|name| (name, 1)).collect();
                ReadPart::new(part, own, uses)
            });
            (at, parts.collect())
        };
        let candidates = (0..files.len()).map(parts).collect();
        let ranking = likely.with_parts(&corpus, &question, candidates);
        ranking.with_model(&corpus, only_tests)
    }

    /// Returns the models for a task, by the path of the file and the first line.
    fn models(task: &str, targets: &[usize], files: &[(&str, &str)]) -> Vec<(String, String)> {
        let ranking = ranked(task, targets, files, &[]);
        let models = ranking.singled.iter().filter(|it| it.why == Why::Model);
        let models = models.map(|it| {
            let read = &ranking.parts[&it.file][it.part].0;
            let line = files[it.file].1.lines().nth(read.part.lines.start);
            (files[it.file].0.to_owned(), line.unwrap().to_owned())
        });
        models.collect()
    }

    #[test]
    fn what_tests_share_is_no_model() {
        let padding = "    stroke();\n".repeat(9);
        let helper =
            format!("fn draw_a_circle() {{\n    draw_circle(circle, draw);\n{padding}}}\n");
        let said = format!("{helper}\n#[test]\nfn talks() {{\n{padding}}}\n");
        let named = format!("{helper}\nfn test_talk() {{\n{padding}}}\n");
        for (text, first) in [
            (&helper, "fn draw_a_circle() {"),
            (&said, "#[test]"),
            (&named, "fn test_talk() {"),
        ] {
            let [(_, model)] = &models("Draw a circle", &[], &[CIRCLE, ("tests/all.rs", text)])[..]
            else {
                panic!("one model of {text}");
            };
            assert_eq!(model, first);
        }
        // Another file may have a test where one has none.
        let files = [
            CIRCLE,
            ("tests/all.rs", &*named),
            ("tests/draw_circle.rs", &*helper),
        ];
        let [(path, _)] = &models("Draw a circle", &[], &files)[..] else {
            panic!("one model");
        };
        assert_eq!(path, "tests/all.rs");
        // What the test of a target shares may have to change with it.
        let files = [CIRCLE, ("tests/circle.rs", &*said)];
        let [(_, model)] = &models("Draw a circle", &[0], &files)[..] else {
            panic!("one model");
        };
        assert_eq!(model, "fn draw_a_circle() {");
    }

    #[test]
    fn the_likeliest_test_and_those_of_the_likeliest_source_are_looked_at_without_a_target() {
        let files = [
            ("a/circle_test.go", "func TestA(t *testing.T) {}\n"),
            ("b/circle.go", "func DrawCircle(pen Pen) {}\n"),
            ("b/circle_test.go", "func TestB(t *testing.T) {}\n"),
            ("b/net.go", "func Connect() {}\n"),
            (
                "b/pen_test.go",
                "func TestDrawCircleWithPen() {\n\tDrawCircle(pen)\n}\n",
            ),
        ];
        let corpus = of_texts(&files);
        let tests = |targets: &[usize]| {
            let task = "Draw a circle with a pen";
            let question = Question::new(&corpus, task, targets, None);
            let links = vec![Vec::new(); files.len()];
            Likely::of(&corpus, &question, task, targets, &[], &links).tests(&corpus)
        };
        assert_eq!(tests(&[]), [4, 2]);
        assert!(tests(&[1]).is_empty());
        let mut models = models("Draw a circle with a pen", &[], &files);
        models.sort();
        let paths: Vec<&str> = models.iter().map(|(path, _)| &**path).collect();
        assert_eq!(paths, ["b/circle_test.go", "b/pen_test.go"]);
    }

    #[test]
    fn a_file_that_is_looked_at_for_its_model_alone_counts_for_nothing_else() {
        let test = "#[test]\nfn draws() { draw_circle(1) }\n";
        let files = [CIRCLE, ("tests/circle.rs", test)];
        let worth = |only_tests: &[usize]| {
            let ranking = ranked("Draw a circle with a pen", &[], &files, only_tests);
            ranking.valued(1)[0].value
        };
        assert!(worth(&[]) > 2.0 * MODEL_WORTH);
        assert!((worth(&[1]) - MODEL_WORTH).abs() < 1e-9);
    }
}
