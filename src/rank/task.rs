//! What of a task is searched for.

use std::borrow::Cow;

/// The text of a task without what git and forges add to it, which says who was there and
/// nothing of what is to be done: `Signed-off-by: Ada <ada@example.org>`, a `Change-Id`.
pub fn searched(task: &str) -> Cow<'_, str> {
    if !task.lines().any(is_trailer) {
        return Cow::Borrowed(task);
    }
    let lines = task.split_inclusive('\n');
    Cow::Owned(lines.filter(|line| !is_trailer(line)).collect())
}

fn is_trailer(line: &str) -> bool {
    let Some((name, value)) = line.split_once(": ") else {
        return false;
    };
    let is_name = |c: char| c.is_ascii_alphabetic() || c == '-';
    if !name.chars().all(is_name) || !name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return false;
    }
    let name = name.to_ascii_lowercase();
    let is_of_people = name == "cc" || name.ends_with("-by") || name.ends_with("-with");
    let is_hash = || {
        let hash = value.trim_end().strip_prefix('I');
        hash.is_some_and(|hash| hash.len() >= 7 && hash.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    is_of_people && value.contains('@') || name == "change-id" && is_hash()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_signed_a_change_is_no_part_of_what_is_asked() {
        let task = "Count pings\n\nThe link is lost.\n\nSigned-off-by: Ping Li <ping@example.org>\nCo-Authored-By: A <a@b.c>\nChange-Id: I0a1b2c3d\n";
        assert_eq!(searched(task), "Count pings\n\nThe link is lost.\n\n");
    }

    #[test]
    fn what_only_speaks_of_such_lines_stays() {
        for task in [
            "Parse `Signed-off-by: Ada <ada@example.org>`",
            "Sort-by: the name of a field",
            "Fixes: the loss of a link",
            "Change-Id: has to be added by the hook",
            "Error: user a@b.c is not there",
        ] {
            assert_eq!(searched(task), task);
        }
    }
}
