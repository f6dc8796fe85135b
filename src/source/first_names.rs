//! The first few of many names, for a note.

use crate::show::quoted;

/// How many names are shown.
const SHOWN: usize = 5;

/// The first few of many names, and how many there are.
#[derive(Default)]
pub struct FirstNames {
    first: Vec<String>,
    pub count: usize,
}

impl FirstNames {
    /// Takes the first of `count` names.
    pub fn of<'a>(count: usize, names: impl IntoIterator<Item = &'a str>) -> FirstNames {
        let mut first = FirstNames::default();
        names.into_iter().for_each(|name| first.push(name));
        first.count = count;
        first
    }

    pub fn push(&mut self, name: &str) {
        if self.first.len() < SHOWN {
            self.first.push(quoted(name).into_owned());
        }
        self.count += 1;
    }
}

impl std::fmt::Display for FirstNames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.first.join(", "))?;
        match self.count - self.first.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
