//! Limits a list of what a walk finds: a repository may have any number of files and folders, with
//! names of any length.

use crate::section::{Note, NoteKind};
use crate::show::counted;

/// The most files, or folders, of one repository that are taken together. What is known of them
/// takes some tens of megabytes.
const MAX_PLACES: usize = 200_000;

/// What their paths may have together, in bytes.
const MAX_PATHS: usize = 12 * 1024 * 1024;

/// What a list may still take, in paths and in their bytes. It is full once something does not fit:
/// everything after that is left out too.
#[derive(Debug)]
pub struct Quota {
    places: usize,
    bytes: usize,
    left_out: usize,
}

impl Default for Quota {
    fn default() -> Quota {
        Quota {
            places: MAX_PLACES,
            bytes: MAX_PATHS,
            left_out: 0,
        }
    }
}

impl Quota {
    /// Whether there is room for one more.
    pub fn takes(&mut self, path: &str) -> bool {
        let left = self.bytes.checked_sub(path.len());
        match (self.left_out, self.places, left) {
            (0, 1.., Some(left)) => {
                self.places -= 1;
                self.bytes = left;
                true
            }
            _ => {
                self.left_out += 1;
                false
            }
        }
    }

    /// Whether something had no room.
    pub fn is_full(&self) -> bool {
        self.left_out > 0
    }

    /// Returns a note if not all were taken. `noun` says what they are: `file`.
    pub fn note(&self, noun: &str) -> Option<Note> {
        self.is_full().then(|| {
            let (most, mib) = (counted(MAX_PLACES, noun), MAX_PATHS >> 20);
            let left_out = counted(self.left_out, noun);
            let message = format!(
                "{left_out} and everything after that left out: the limit is {most}, or {mib} MiB \
                 of paths"
            );
            Note::new(NoteKind::Skipped, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_takes_files_up_to_the_first_that_has_no_room() {
        let mut quota = Quota {
            places: 3,
            bytes: 5,
            left_out: 0,
        };
        assert!(quota.takes("aa") && quota.takes("bb"));
        assert_eq!(quota.note("file"), None);
        assert!(!quota.takes("cc") && !quota.takes("d"));
        let said = "2 files and everything after that left out: the limit is 200,000 files, or \
                    12 MiB of paths";
        assert_eq!(quota.note("file").unwrap().message, said);
        let mut quota = Quota {
            places: 1,
            ..Quota::default()
        };
        assert!(quota.takes("a") && !quota.takes("b"));
    }
}
