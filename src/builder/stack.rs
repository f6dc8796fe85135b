//! Reads what a program prints that ends with an error: what was raised, and the calls that led
//! there, the innermost first.

use super::call::{call, is_foreign};
use super::place::{Place, is_path, number, place_alone};
use crate::split::place_in;

/// How a failed assertion of Go's testify begins its message.
const OF_TESTIFY: &str = "Error:      \t";

/// A stack of calls, as far as it has been read.
#[derive(Default)]
pub(super) struct Stack<'a> {
    /// What may have been raised, the last line before the calls…
    above: Option<&'a str>,
    /// …and the one that says so: an exception, a panic.
    raised: Option<&'a str>,
    /// Whether the innermost call of the repository's own code has been reported.
    is_told: bool,
    /// Where something was raised, if the next line says what.
    pending: Option<Place<'a>>,
}

/// What a line of a stack says.
pub(super) enum Read<'a> {
    /// It is not a line of a stack.
    Other,
    /// Nothing new.
    Known,
    /// Where something was raised, and what.
    Found(Place<'a>, &'a str),
}

impl<'a> Stack<'a> {
    /// Takes in the next line, without surrounding blanks.
    pub(super) fn read(&mut self, line: &'a str) -> Read<'a> {
        if let Some(place) = self.pending.take() {
            // Of a test in Go, the calls that led there stand between.
            if place_alone(line).is_some() {
                self.pending = Some(place);
                return Read::Known;
            }
            return self.raise(place, line.strip_prefix(OF_TESTIFY).unwrap_or(line));
        }
        let of_rust = line.strip_prefix("thread '");
        if let Some((_, panic)) = of_rust.and_then(|it| it.split_once(" panicked at ")) {
            return self.panic(panic);
        }
        if let Some(place) = before_message(line) {
            self.pending = Some(place);
            return Read::Known;
        }
        if let Some((place, said)) = of_ruby(line).or_else(|| of_php(line)) {
            return self.raise(place, said);
        }
        if let Some(call) = call(line) {
            let said = self.raised.or(self.above.filter(|_| !call.is_announced));
            return match said.filter(|_| !self.is_told && !call.is_foreign) {
                Some(said) => self.tell(call.place, said),
                None => Read::Known,
            };
        }
        if let Some(said) = raised(line) {
            (self.raised, self.is_told) = (Some(said), false);
        } else if line.is_empty() {
            self.is_told = false;
        } else if !line.starts_with("at ") && !shows_code(line) {
            self.above = Some(line);
        }
        Read::Other
    }

    fn tell(&mut self, place: Place<'a>, said: &'a str) -> Read<'a> {
        // Calls further down are of the same error.
        (self.above, self.raised, self.is_told) = (None, None, true);
        Read::Found(place, said)
    }

    /// `src/a.rs:3:9:`, and the older `'what it was', src/a.rs:3:9`.
    fn panic(&mut self, text: &'a str) -> Read<'a> {
        if let Some((said, at)) = text.rsplit_once("', ")
            && let Some(place) = place_alone(at)
        {
            return self.tell(place, said.trim_start_matches('\''));
        }
        self.pending = text.strip_suffix(':').and_then(place_alone);
        Read::Known
    }

    /// Records that something was raised there. If it was elsewhere, the repository's own calls
    /// follow below.
    fn raise(&mut self, place: Place<'a>, said: &'a str) -> Read<'a> {
        if is_foreign(&place) {
            (self.raised, self.is_told) = (Some(said), false);
            return Read::Known;
        }
        self.tell(place, said)
    }
}

/// Whether a line shows a line of the code, or what is wrong in it: `> 3 |   f();`, `|   ^`.
fn shows_code(line: &str) -> bool {
    let code = line.trim_start_matches(['>', ' ']);
    let code = code.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    code.starts_with(['|', '│']) || line.chars().all(|c| "^~ ".contains(c))
}

/// Returns what was raised with the line below that says what it is, and with the compared values
/// that are printed below.
pub(super) fn with_values<'a>(text: &'a str, said: &'a str) -> &'a str {
    const VALUES: [&str; 9] = [
        "code: ",
        "left: ",
        "right: ",
        "expected: ",
        "got: ",
        "Expected: ",
        "Actual: ",
        "actual  : ",
        "Received: ",
    ];
    let start = place_in(text, said);
    let mut end = start + said.len();
    let mut is_unsaid = said.trim_end().ends_with(':');
    for line in text[end..].split_inclusive('\n').skip(1).take(4) {
        let shown = line.trim();
        if shown.is_empty() {
            continue;
        }
        let is_value = VALUES.iter().any(|sign| shown.starts_with(sign));
        let says = is_unsaid && shown.contains(char::is_alphanumeric);
        if !is_value && !says || call(shown).is_some() {
            break;
        }
        end = place_in(text, line) + line.trim_end().len();
        is_unsaid = false;
    }
    &text[start..end]
}

/// Returns the place in a line that comes before the message about it: `A#test_b [a.rb:3]:` of
/// minitest, `ERROR in src/a.ts:3:9` and `ERROR in ./src/a.ts 3:9-12` of webpack,
/// `Error Trace: /src/a_test.go:3` of testify.
fn before_message(line: &str) -> Option<Place<'_>> {
    if let Some(place) = line.strip_prefix("ERROR in ") {
        return place_alone(place).or_else(|| {
            let (path, numbers) = place.rsplit_once(' ')?;
            let (line, rest) = number(numbers)?;
            (rest.starts_with(':') && is_path(path)).then(|| Place::new(path, line))
        });
    }
    if let Some(place) = line.strip_prefix("Error Trace:") {
        return place_alone(place.trim_start());
    }
    let (_, place) = line.strip_suffix("]:")?.rsplit_once(" [")?;
    place_alone(place).filter(|place| place.path.ends_with(".rb"))
}

/// `a.rb:3:in 'f': no (KeyError)`
fn of_ruby(line: &str) -> Option<(Place<'_>, &str)> {
    let (place, rest) = line.split_once(":in ")?;
    let quoted = rest.strip_prefix(['\'', '`'])?;
    let (_, said) = quoted.split_once("': ")?;
    Some((place_alone(place)?, said))
}

/// `PHP Fatal error:  Uncaught Exception: no in /app/a.php:3`
fn of_php(line: &str) -> Option<(Place<'_>, &str)> {
    let (_, rest) = line.split_once("Fatal error: ")?;
    let (said, at) = rest.rsplit_once(" in ")?;
    let said = said.trim_start().strip_prefix("Uncaught ")?;
    Some((place_alone(at)?, said))
}

/// Returns what was raised, if a line says so: `TypeError: …`, `Caused by: java.io.IOException: …`,
/// `panic: …`, `** (KeyError) …`, `Failure/Error: …`, `==7==ERROR: AddressSanitizer: …`,
/// `expect(received).toBe(expected)`.
fn raised(line: &str) -> Option<&str> {
    const BEFORE: [&str; 4] = [
        "Caused by: ",
        "Uncaught ",
        "Unhandled exception. ",
        "Exception in thread \"main\" ",
    ];
    const WHOLE: [&str; 4] = ["panic: ", "Failure/Error: ", "Assertion with ", "error: TS"];
    if WHOLE.iter().any(|it| line.starts_with(it))
        || compares(line)
        || line.contains(" received signal ")
    {
        return Some(line);
    }
    if let Some(said) = line.strip_prefix("** ").filter(|it| it.starts_with('(')) {
        return Some(said);
    }
    if let Some((_, said)) = line
        .split_once("ERROR: ")
        .filter(|_| line.starts_with("=="))
    {
        return said.contains("Sanitizer: ").then_some(said);
    }
    let said = BEFORE.iter().find_map(|it| line.strip_prefix(it));
    let said = said.unwrap_or(line);
    let name = said.split([':', ' ']).next()?;
    let is_name = |c: char| c.is_alphanumeric() || "._$".contains(c);
    let is_kind = ["Error", "Exception", "Throwable"]
        .iter()
        .any(|kind| name.ends_with(kind));
    (is_kind && name.chars().all(is_name)).then_some(said)
}

/// Whether a line says how Jest, or a similar tool, compared something.
fn compares(line: &str) -> bool {
    const BEGINNINGS: [&str; 4] = [
        "expect(received)",
        "expect(jest.fn())",
        "expect(element)",
        "assert(received",
    ];
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let is_of_node = || line.starts_with("assert.") && line.contains("(received");
    BEGINNINGS.iter().any(|it| line.starts_with(it)) || is_of_node()
}
