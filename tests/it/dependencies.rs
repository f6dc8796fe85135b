//! What `docs/dependencies.md` says of the dependencies is true of `Cargo.toml` and
//! `Cargo.lock`.

use std::collections::BTreeSet;

const DOCS: &str = include_str!("../../docs/dependencies.md");

/// The names in every table of dependencies, those of tests and platforms too.
fn direct() -> BTreeSet<&'static str> {
    let mut names = BTreeSet::new();
    let mut inside = false;
    for line in include_str!("../../Cargo.toml").lines() {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
        } else if let Some((name, _)) = line.split_once('=').filter(|_| inside) {
            names.insert(name.trim());
        }
    }
    names
}

#[test]
fn the_table_lists_every_direct_dependency_and_no_other() {
    let listed: Vec<&str> = DOCS
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    let names: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(names, direct());
    assert_eq!(listed.len(), names.len(), "one of them is listed twice");
}

#[test]
fn what_only_builds_is_not_optimised() {
    // How every package is optimised wins over what is set for build scripts and macros.
    let manifest = include_str!("../../Cargo.toml");
    let tables = manifest
        .split("\n[")
        .filter(|table| table.contains(".package.\"*\"]"));
    for table in tables {
        assert!(!table.contains("opt-level"), "{table}");
    }
}

#[test]
fn the_number_of_crates_is_that_of_the_lock_file() {
    let all = include_str!("../../Cargo.lock")
        .matches("[[package]]")
        .count();
    let said = format!("`Cargo.lock` has {} crates besides this one", all - 1);
    assert!(DOCS.contains(&said), "{said}");
}
