//! Passwords among the values that a sentence of SQL inserts: `INSERT INTO users (name,
//! password) VALUES ('bob', '…')`.

use std::ops::Range;

use super::letters::{ahead, letters_of};
use super::literals::literal;
use super::values::{is_password, names_algorithm};

/// The value of the column for passwords, in the first row.
pub(super) fn inserted(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let rest = ahead(text, end);
    let (table, behind) = rest.split_once('(')?;
    let (columns, behind) = behind.split_once(')')?;
    let is_table = table.len() <= 64 && !table.contains(['\n', ';', '\'']);
    let at = columns
        .split(',')
        .position(is_column)
        .filter(|_| is_table)?;
    let behind = behind.trim_start();
    let keyword = behind.get(..6)?;
    if !keyword.eq_ignore_ascii_case("values") {
        return None;
    }
    let mut row = behind[6..].trim_start().strip_prefix('(')?;
    for _ in 0..at {
        row = behind_value(row)?;
    }
    let (password, behind) = literal(row)?;
    let holds = is_password(password) && !names_algorithm(password);
    holds.then_some(start..end + rest.len() - behind.len())
}

fn is_column(column: &str) -> bool {
    let name = column
        .trim()
        .trim_matches(['"', '`', '[', ']'])
        .to_ascii_lowercase();
    ["password", "passwd", "pwd"]
        .iter()
        .any(|known| name.ends_with(known))
}

/// The row behind its first value, which is a literal, a number or a name.
fn behind_value(row: &str) -> Option<&str> {
    let behind = match literal(row) {
        Some((_, behind)) => behind,
        None => {
            let plain = row.trim_start();
            &plain[letters_of(plain, 0, 64, |b| {
                b.is_ascii_alphanumeric() || b"_.-()".contains(&b)
            })..]
        }
    };
    behind.trim_start().strip_prefix(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> bool {
        inserted(text, 0, "INSERT INTO ".len()).is_some()
    }

    #[test]
    fn the_value_of_the_column_for_passwords_is_told() {
        for text in [
            "INSERT INTO users (name,password) VALUES ('bob','Winter2025#nAr');",
            "INSERT INTO users(name,password) VALUES(\"bob\",\"Winter2025#nAr\")",
            "INSERT INTO a.users (id, `user_password`, b)\n  VALUES (1, 'Winter2025#nAr', NOW());",
            "insert into users (at, [pwd]) values (now(), N'Winter2025#nAr')",
            "INSERT INTO users (name, bio, password) VALUES ('bob', 'one\ntwo', 'Winter2025#nAr');",
        ] {
            assert!(told(text), "{text}");
        }
        for text in [
            "INSERT INTO users (password,name) VALUES ('bob','Winter2025#nAr');",
            "INSERT INTO users (name,password) VALUES (?, ?)",
            "INSERT INTO users (name,password) VALUES ('bob', 'pbkdf2:sha256:50000$Winter2025')",
            "INSERT INTO users (name,password) VALUES ('bob', 'password')",
            "INSERT INTO users (name,password) VALUES ('bob', :password1A)",
            "INSERT INTO users VALUES ('bob','Winter2025#nAr');",
            "INSERT INTO users (name,password) SELECT a, 'Winter2025#nAr'",
        ] {
            assert!(!told(text), "{text}");
        }
    }
}
