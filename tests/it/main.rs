//! Everything that is tested from outside: the built command on repositories that
//! the tests make, the library's promises as properties, and what ships.

#![expect(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::format_collect,
    reason = "a test that cannot be set up has failed"
)]

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod allocation;
mod batch;
mod budget;
mod build;
mod cache;
mod cases;
mod change;
mod check;
mod circles;
mod config;
mod conformance;
mod context;
mod conventions;
mod dependencies;
mod documents;
mod dump;
mod explain;
mod faults;
mod fit;
mod git;
#[cfg(all(
    unix,
    feature = "preview",
    feature = "exact-tokens",
    feature = "languages"
))]
mod guides;
mod hardening;
mod hostile;
mod hosts;
mod imports;
mod init;
mod layers;
mod line_ends;
#[cfg(feature = "mcp")]
mod mcp;
mod models;
mod pack;
#[cfg(all(unix, feature = "languages"))]
mod parsing;
#[cfg(unix)]
mod policy;
#[cfg(feature = "preview")]
mod preview;
mod project;
mod prompt_tests;
mod read;
mod readme;
mod render;
mod repomix;
mod report;
mod role_schema;
mod roles;
mod room;
#[cfg(any(feature = "mcp", feature = "preview"))]
mod running;
mod schema;
mod secrets;
mod shipped;
mod targets;
mod templates;
mod tokens;
mod trust;
mod turns;
mod usage;
