//! Passwords among the values of an SQL insert:
//! `INSERT INTO users (name, password) VALUES ('bob', '…')`.

use std::ops::Range;

use super::letters::{far_ahead, letters_of};
use super::literals::literal;
use super::values::{is_password, is_secret, is_uuid, names_algorithm};
use crate::split::{beginning, place_in};

/// Returns the values of the column for passwords or keys, one for each row.
pub(super) fn inserted(text: &str, start: usize) -> Vec<Range<usize>> {
    let rest = far_ahead(text, start + "insert into ".len());
    let Some((columns, rows)) = opened(rest) else {
        return Vec::new();
    };
    in_columns(text, rows, &columns)
}

/// Returns the values of such a column that is known only from the definition of the table:
/// `CREATE TABLE users (name text, password text)`, and `INSERT INTO users VALUES (…)` behind it.
pub(super) fn defined(text: &str, start: usize) -> Vec<Range<usize>> {
    let rest = far_ahead(text, start + "create table ".len());
    let Some((table, columns, behind)) = definition(rest) else {
        return Vec::new();
    };
    let inserts = beginning(&text[place_in(text, behind)..], AS_FAR);
    let rows = inserts.split("INSERT INTO ").skip(1).filter_map(|it| {
        let values = it
            .strip_prefix(table)?
            .trim_start()
            .strip_prefix("VALUES")?;
        values.trim_start().strip_prefix('(')
    });
    rows.take(MOST_ROWS)
        .flat_map(|rows| in_columns(text, rows, &columns))
        .collect()
}

/// How far behind the definition of a table its rows are looked for.
const AS_FAR: usize = 8 * 1024;

/// Returns a table's name, its columns for secrets, and what is behind the definition.
fn definition(rest: &str) -> Option<(&str, Vec<Column>, &str)> {
    let (table, body) = rest.split_once('(')?;
    let table = table.split_whitespace().next_back()?;
    let mut open = 1_usize;
    let mut is_outer = |c: char| {
        open = match c {
            '(' => open + 1,
            ')' => open - 1,
            _ => open,
        };
        open
    };
    let end = body.find(|c| is_outer(c) == 0)?;
    let columns = body[..end].split(|c| is_outer(c) == 0 && c == ',');
    let names = columns.map(|column| column.split_whitespace().next().unwrap_or_default());
    let columns = of_secrets(names)?;
    Some((table, columns, &body[end..]))
}

/// A column for secrets: its index, and the test for its values.
type Column = (usize, IsTold);

/// Returns the columns whose names suggest secrets, if there are any.
fn of_secrets<'a>(names: impl Iterator<Item = &'a str>) -> Option<Vec<Column>> {
    let columns = names.enumerate();
    let told: Vec<_> = columns
        .filter_map(|(at, name)| Some((at, told_by(name)?)))
        .take(MOST_COLUMNS)
        .collect();
    Some(told).filter(|told| !told.is_empty())
}

/// The most columns of a table that are read.
const MOST_COLUMNS: usize = 4;

/// Returns the values of some columns in each row.
fn in_columns(text: &str, rows: &str, columns: &[Column]) -> Vec<Range<usize>> {
    let values = |(at, holds): &Column| in_column(text, rows, *at, *holds);
    let mut found: Vec<_> = columns.iter().flat_map(values).collect();
    found.sort_unstable_by_key(|place| place.start);
    found
}

/// Returns the values of a column in each row.
fn in_column(text: &str, rows: &str, at: usize, holds: IsTold) -> Vec<Range<usize>> {
    let mut rows = rows;
    let mut found = Vec::new();
    while let Some((value, behind)) = value_in_row(rows, at).filter(|_| found.len() < MOST_ROWS) {
        if holds(value) {
            let at = place_in(text, value);
            found.push(at..at + value.len());
        }
        let Some(next) = next_row(behind) else {
            break;
        };
        rows = next;
    }
    found
}

/// Decides whether a value is secret.
type IsTold = fn(&str) -> bool;

/// The most rows that are read.
const MOST_ROWS: usize = 64;

/// Returns the columns for secrets, and the rows.
fn opened(rest: &str) -> Option<(Vec<Column>, &str)> {
    let (table, behind) = rest.split_once('(')?;
    let (columns, behind) = behind.split_once(')')?;
    let is_table = table.len() <= 64 && !table.contains(['\n', ';', '\'']);
    let columns = of_secrets(columns.split(',').filter(|_| is_table))?;
    let behind = behind.trim_start();
    let keyword = behind.get(..6)?;
    let rows = behind[6..].trim_start().strip_prefix('(')?;
    keyword
        .eq_ignore_ascii_case("values")
        .then_some((columns, rows))
}

/// Returns the literal in a column of a row, and the text after it.
fn value_in_row(row: &str, at: usize) -> Option<(&str, &str)> {
    let mut row = row;
    for _ in 0..at {
        row = behind_value(row)?;
    }
    literal(row)
}

/// Returns the next row after a value.
fn next_row(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        if let Some(behind) = rest.strip_prefix(')') {
            let next = behind.trim_start().strip_prefix(',')?;
            return next.trim_start().strip_prefix('(');
        }
        let next = rest.strip_prefix(',')?;
        rest = match literal(next) {
            Some((_, behind)) => behind,
            None => &next[plain(next)..],
        };
    }
}

/// Words in the name of a column for keys that are secret.
const OPENING: [&str; 9] = [
    "access", "api", "auth", "consumer", "crypt", "licen", "master", "private", "secret",
];

/// Returns the test for the values of a column whose name suggests secrets.
fn told_by(column: &str) -> Option<IsTold> {
    let name = column
        .trim()
        .trim_matches(['"', '`', '[', ']'])
        .to_ascii_lowercase();
    let mut hashes = ["_hash", "_digest"].iter();
    let hashed = hashes.find_map(|it| name.strip_suffix(it));
    let name = hashed.unwrap_or(&name);
    let ends = |names: &[&str]| names.iter().any(|known| name.ends_with(known));
    if name == "pass" || ends(&["password", "passwd", "pwd", "_pass"]) {
        return Some(|value| is_password(value) && !names_algorithm(value) || is_hash(value));
    }
    // Tables have more keys that find something than such that open it: `lookup_key`.
    let opens = || OPENING.iter().any(|word| name.contains(word));
    let is_key = ends(&["token", "secret", "apikey", "secretkey", "privatekey"])
        || name.ends_with("_key") && opens();
    (is_key && hashed.is_none())
        .then_some(|value| value.len() >= 20 && is_secret(value) && !is_uuid(value))
}

/// Whether this is a hash with its algorithm before it: `pbkdf2_sha256$…$…`, `$argon2id$…$…`.
fn is_hash(value: &str) -> bool {
    const LEAST: usize = 22;
    let hash = value.rsplit('$').next().unwrap_or_default();
    let is_whole = hash.len() >= LEAST && hash.len() < value.len();
    is_whole && names_algorithm(value) && is_secret(hash)
}

/// Returns the row after its first value, which is a literal, a number or a name.
fn behind_value(row: &str) -> Option<&str> {
    let behind = match literal(row) {
        Some((_, behind)) => behind,
        None => &row[plain(row)..],
    };
    behind.trim_start().strip_prefix(',')
}

/// Returns the length of a value that is not a literal: a number, a name or a call.
fn plain(row: &str) -> usize {
    let value = row.trim_start();
    let is_letter = |b: u8| b.is_ascii_alphanumeric() || b"_.-".contains(&b);
    let name = letters_of(value, 0, 64, is_letter);
    let call = value[name..].starts_with("()").then_some("()".len());
    row.len() - value.len() + name + call.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> bool {
        !inserted(text, 0).is_empty()
    }

    #[test]
    fn each_row_is_told() {
        let text = "INSERT INTO users (id, password, at) VALUES\n  (1, 'Winter2025#nAr', NOW()),\n  \
                    (2, 'Summer2025#nEr', NOW()),\n  (3, 'x', NULL);\nSELECT 'Autumn2025#nIr'";
        assert_eq!(inserted(text, 0).len(), 2);
        let keys = "INSERT INTO api_keys (id, token) VALUES (1, 'x9Kq2mZ7vB4nT1wY8rL5pD3s')";
        assert!(told(keys));
        let words = "INSERT INTO api_keys (id, token) VALUES (1, 'the-name-of-a-token-1')";
        assert!(!told(words));
    }

    #[test]
    fn the_definition_of_a_table_says_which_value_is_a_password() {
        let table = "CREATE TABLE IF NOT EXISTS `users` (\n  `id` int(11) NOT NULL,\n  \
                     `sum` decimal(10,2),\n  `password` text,\n  PRIMARY KEY (`id`)\n) x;\n";
        let rows = "INSERT INTO `users` VALUES (1,2.5,'Winter2025#nAr'),(2,3,'Summer2025#nEr');";
        let one = "INSERT INTO `users` VALUES (3,4,'Autumn2025#nIr');";
        let other = "INSERT INTO `notes` VALUES (3,4,'Autumn2025#nIr');";
        let count = |rows: &str| defined(&format!("{table}{rows}"), 0).len();
        assert_eq!(count(rows), 2);
        assert_eq!(count(&[rows, one].concat()), 3);
        assert_eq!(count(&[other, one].concat()), 1);
        assert_eq!(
            count("INSERT INTO `users` VALUES (1,'Winter2025#nAr',2);"),
            0
        );
        assert_eq!(
            count("INSERT INTO `users` (id) VALUES (1,2,'Winter2025#nAr');"),
            0
        );
        assert!(defined("CREATE TABLE users (password text", 0).is_empty());
    }

    #[test]
    fn hashes_and_keys_are_told_by_the_names_of_their_columns() {
        let key = "x9Kq2mZ7vB4nT1wY8rL5pD3sQe7uHa2cVn5bGt8k";
        let hash = "$2y$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
        let table = |column: &str, value: &str| {
            format!("CREATE TABLE a (id int, {column} text);\nINSERT INTO a VALUES (1,'{value}');")
        };
        for (column, value) in [
            ("password_hash", hash),
            ("password_digest", hash),
            ("pass_hash", hash),
            ("password", &format!("pbkdf2_sha256$260000$abc$Y8{key}=")),
            ("password_hash", &format!("pbkdf2:sha256:260000$abc${key}")),
            (
                "password",
                &format!("$argon2id$v=19$m=65536,t=3,p=4$abc${key}"),
            ),
            ("secret_key", key),
            ("access_key", key),
            ("s3_access_key", key),
            ("site_token", key),
            ("private_key", key),
            ("auth_key", key),
        ] {
            let insert = format!("INSERT INTO a (id, {column}, b) VALUES (1, '{value}', 2);");
            assert!(told(&insert), "{insert}");
            assert_eq!(defined(&table(column, value), 0).len(), 1, "{column}");
        }
        for (column, value) in [
            ("public_key", key),
            ("cache_key", key),
            ("component_key", key),
            ("lookup_key", key),
            ("token_hash", key),
            ("password_hash", "pbkdf2_sha256"),
            ("meta_key", "the_name_of_some_setting_2"),
        ] {
            assert_eq!(defined(&table(column, value), 0).len(), 0, "{column}");
        }
        let both = format!("INSERT INTO a (auth_key, password_hash) VALUES ('{key}', '{hash}');");
        assert_eq!(inserted(&both, 0).len(), 2);
    }

    #[test]
    fn what_makes_a_user_has_a_password() {
        for text in [
            "ALTER USER a IDENTIFIED WITH caching_sha2_password BY 'Winter2025#nAr';",
            "SET PASSWORD FOR 'a'@'%' = PASSWORD('Winter2025#nAr');",
            "SET PASSWORD FOR a = 'Winter2025#nAr';",
        ] {
            assert_eq!(super::super::find(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn the_value_of_the_column_for_passwords_is_told() {
        for text in [
            "INSERT INTO users (name,password) VALUES ('bob','Winter2025#nAr');",
            "INSERT INTO `users` (`login`, `pass`) VALUES ('bob','Winter2025#nAr');",
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
