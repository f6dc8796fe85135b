//! Times the steps of a prompt one by one, on inputs that are made here and on sources of
//! this package. Nothing is fetched.
//!
//! ```sh
//! cargo bench --features bench --bench micro             # all
//! cargo bench --features bench --bench micro -- tokens   # those with `tokens` in their name
//! ```

#![expect(
    clippy::unwrap_used,
    clippy::format_collect,
    reason = "a benchmark that cannot be set up has failed"
)]

use std::fs;
use std::path::Path;

use context_packer::bench::{
    Body, Counter, Found, Globs, Key, Packed, Pattern, Piece, Readable, Repo, RepoPath, Section,
    Style, Tokenizer, Valued, Visitor, find_secrets, imports as find_imports,
    outline as find_outline, render as render_once, sections_with_places, shrink as shrink_to,
};
use context_packer::{Roles, Templates};
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box, black_box_drop};
use serde_json::json;
use tempfile::TempDir;

fn main() {
    divan::main();
}

// Roles

#[divan::bench(args = ["planner", "implementer", "reviewer"])]
fn roles_built_in(bencher: Bencher<'_, '_>, name: &str) {
    bencher.bench_local(|| Roles::built_in().load(name).unwrap());
}

/// A role of an operator that extends a built-in one.
#[divan::bench]
fn roles_yaml(bencher: Bencher<'_, '_>) {
    let roles = Roles::built_in();
    let globs: String = (0..50)
        .map(|n| format!("    - src/area_{n}/**/*.rs\n"))
        .collect();
    let text = format!(
        "name: auditor\nextends: reviewer\nsystem_prompt_additions: |\n  You follow every input.\n\
         context:\n  token_budget: 40000\n  include:\n{globs}  priority_order: [git_diff, files]\n"
    );
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| roles.load_yaml("auditor", text.as_str()).unwrap());
}

// Patterns

const PATHS: usize = 10_000;

fn paths() -> Vec<String> {
    let endings = ["rs", "py", "ts", "md", "json"];
    (0..PATHS)
        .map(|n| {
            let ending = endings[n % endings.len()];
            format!(
                "src/area_{}/part_{}/module_{n}.{ending}",
                n % 40,
                n / 40 % 20
            )
        })
        .collect()
}

const PATTERNS: [&str; 6] = [
    "*.rs",
    "src/area_1?/**/*.py",
    "**/part_[0-4]/*.{ts,tsx}",
    "docs/**",
    "module_99*.json",
    "src/*/part_7/**",
];

/// Compiling the patterns of a role.
#[divan::bench(args = [1, 6])]
fn patterns_compiled(bencher: Bencher<'_, '_>, patterns: usize) {
    bencher.bench_local(|| globs(patterns));
}

#[divan::bench(args = [1, 6])]
fn patterns_matched(bencher: Bencher<'_, '_>, patterns: usize) {
    let paths = paths();
    let globs = globs(patterns);
    bencher
        .counter(ItemsCount::new(paths.len()))
        .bench_local(|| paths.iter().filter(|path| globs.is_match(path)).count());
}

fn globs(count: usize) -> Globs {
    let wilds = PATTERNS[..count]
        .iter()
        .filter_map(|text| match Pattern::parse(text).unwrap() {
            Pattern::Wild(wild) => Some(wild),
            _ => None,
        });
    Globs::new(wilds).unwrap()
}

// Disk and git

const FOLDERS: usize = 50;
const FILES: usize = 2_000;
const STAGED: usize = 20;

/// A tree of small files, of which an ignore rule hides one in ten.
fn tree() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| fs::write(folder.path().join(path), text).unwrap();
    write(".gitignore", "*.log\n/build/\n");
    let text = generated("rust", 2 * 1024);
    for number in 0..FOLDERS {
        fs::create_dir(folder.path().join(format!("area_{number}"))).unwrap();
    }
    for number in 0..FILES {
        let ending = if number % 10 == 0 { "log" } else { "rs" };
        let path = format!("area_{}/module_{number}.{ending}", number % FOLDERS);
        write(&path, &text);
    }
    folder
}

#[derive(Default)]
struct All(Vec<Readable>);

impl Visitor for All {
    fn enter(&mut self, _: &RepoPath) -> bool {
        true
    }

    fn found(&mut self, found: Found) {
        self.0.extend(found.readable());
    }
}

fn walked(repo: &Repo) -> Vec<Readable> {
    let mut all = All::default();
    repo.walk(&RepoPath::root(), &mut all);
    all.0
}

#[divan::bench(sample_count = 30)]
fn walk(bencher: Bencher<'_, '_>) {
    let folder = tree();
    let repo = Repo::open(folder.path()).unwrap();
    bencher
        .counter(ItemsCount::new(FILES))
        .bench_local(|| walked(&repo));
}

#[divan::bench(sample_count = 30)]
fn read(bencher: Bencher<'_, '_>) {
    let folder = tree();
    let repo = Repo::open(folder.path()).unwrap();
    let paths = walked(&repo);
    let read = |file| repo.read(file, 1024 * 1024).unwrap().text;
    let bytes: usize = paths.iter().map(|path| read(path).len()).sum();
    bencher
        .counter(ItemsCount::new(paths.len()))
        .counter(BytesCount::new(bytes))
        .bench_local(|| paths.iter().map(|path| read(path).len()).sum::<usize>());
}

/// The diff of 20 files out of 2,000 that are staged with a line more.
#[divan::bench(sample_count = 30)]
fn git_staged(bencher: Bencher<'_, '_>) {
    let folder = tree();
    commit(folder.path());
    let paths = walked(&Repo::open(folder.path()).unwrap());
    for path in &paths[..STAGED] {
        let path = folder.path().join(path.path().as_str());
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text + "// staged\n").unwrap();
    }
    stage(&git2::Repository::open(folder.path()).unwrap());
    bencher
        .counter(ItemsCount::new(STAGED))
        .with_inputs(|| Repo::open(folder.path()).unwrap())
        .bench_local_refs(|repo| {
            let staged = repo.git().unwrap().staged().unwrap();
            assert_eq!(staged.items.len(), STAGED);
            staged
        });
}

fn commit(folder: &Path) {
    let repository = git2::Repository::init(folder).unwrap();
    let tree = stage(&repository);
    let tree = repository.find_tree(tree).unwrap();
    let time = git2::Time::new(1_700_000_000, 0);
    let who = git2::Signature::new("Bench", "bench@localhost", &time).unwrap();
    repository
        .commit(Some("HEAD"), &who, &who, "All", &tree, &[])
        .unwrap();
}

fn stage(repository: &git2::Repository) -> git2::Oid {
    let mut index = repository.index().unwrap();
    let all = git2::IndexAddOption::DEFAULT;
    index.add_all(["*"], all, None).unwrap();
    index.write().unwrap();
    index.write_tree().unwrap()
}

// Languages

const LANGUAGES: [&str; 9] = [
    "rust",
    "python",
    "typescript",
    "go",
    "java",
    "c",
    "csharp",
    "ruby",
    "php",
];

/// An import and a function of a language, with `@` for a number.
fn samples(language: &str) -> [&'static str; 2] {
    match language {
        "rust" => [
            "use crate::part_@::{Thing, other::Thing_@};\n",
            "/// Adds @.\npub fn add_@(count: usize) -> usize {\n    let sum = count + @;\n    sum\n}\n\n",
        ],
        "python" => [
            "from .part_@ import thing_@\n",
            "def add_@(count):\n    \"\"\"Adds @.\"\"\"\n    total = count + @\n    return total\n\n\n",
        ],
        "typescript" => [
            "import { thing, Thing@ } from \"./part_@\";\n",
            "/** Adds @. */\nexport function add@(count: number): number {\n  const sum = count + @;\n  return sum;\n}\n\n",
        ],
        "go" => [
            "import \"example.org/project/part_@\"\n",
            "// Add@ adds.\nfunc Add@(count int) int {\n\tsum := count + @\n\treturn sum\n}\n\n",
        ],
        "java" => [
            "import org.example.part@.Thing@;\n",
            "class Adder@ {\n    /** Adds. */\n    int add(int count) {\n        return count + @;\n    }\n}\n\n",
        ],
        "c" => [
            "#include \"part_@.h\"\n",
            "/* Adds @. */\nint add_@(int count)\n{\n    int sum = count + @;\n    return sum;\n}\n\n",
        ],
        "csharp" => [
            "using Example.Part@;\n",
            "class Adder@\n{\n    /// <summary>Adds.</summary>\n    int Add(int count) { return count + @; }\n}\n\n",
        ],
        "ruby" => [
            "require_relative \"part_@\"\n",
            "# Adds @.\ndef add_@(count)\n  sum = count + @\n  sum\nend\n\n",
        ],
        "php" => [
            "use Example\\Part@\\Thing@;\n",
            "/** Adds @. */\nfunction add_@(int $count): int {\n    $sum = $count + @;\n    return $sum;\n}\n\n",
        ],
        other => unreachable!("there is no sample of {other}"),
    }
}

/// A source of about so many bytes: thirty imports at most, then functions.
fn generated(language: &str, bytes: usize) -> String {
    let [import, function] = samples(language);
    let start = match language {
        "php" => "<?php\n",
        "go" => "package example\n\n",
        _ => "",
    };
    let mut text = start.to_owned();
    let with = |sample: &str, number: usize| sample.replace('@', &number.to_string());
    for number in (0..30).take_while(|number| number * 400 < bytes) {
        text += &with(import, number);
    }
    text += "\n";
    for number in (0..).take_while(|number| number * function.len() < bytes) {
        text += &with(function, number);
    }
    text
}

const SOURCE: usize = 64 * 1024;

#[divan::bench(args = LANGUAGES)]
fn imports(bencher: Bencher<'_, '_>, language: &str) {
    let text = generated(language, SOURCE);
    assert!(!find_imports(language, &text).is_empty());
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| find_imports(language, black_box(&text)));
}

#[divan::bench(args = LANGUAGES, sample_count = 30)]
fn outline(bencher: Bencher<'_, '_>, language: &str) {
    let text = generated(language, SOURCE);
    assert!(!find_outline(language, &text).is_empty());
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| find_outline(language, black_box(&text)));
}

/// The outline of a file of this package, of 20 KB.
#[divan::bench]
fn outline_of_own_file(bencher: Bencher<'_, '_>) {
    let text = include_str!("../src/syntax/tree.rs");
    bencher
        .counter(BytesCount::of_str(text))
        .bench_local(|| find_outline("rust", black_box(text)));
}

// Tokens and secrets

/// The sources of this package, one after the other, in the order of their paths.
fn own_sources() -> String {
    fn collect(folder: &Path, text: &mut String) {
        let entries = fs::read_dir(folder).unwrap();
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                collect(&path, text);
            } else {
                *text += &fs::read_to_string(path).unwrap();
            }
        }
    }
    let mut text = String::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut text,
    );
    text
}

#[divan::bench(args = Tokenizer::NAMES, sample_count = 30)]
fn tokens(bencher: Bencher<'_, '_>, name: &str) {
    let tokenizer: Tokenizer = name.parse().unwrap();
    let tokenizer = tokenizer.counter().unwrap();
    let text = own_sources();
    // The tables of an exact one are built with the first text.
    tokenizer.count("");
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| tokenizer.count(black_box(&text)));
}

/// Where nothing is a secret, in sources and in settings that assign all the time.
#[divan::bench(args = ["sources", "settings", "minified"], sample_count = 30)]
fn secrets(bencher: Bencher<'_, '_>, what: &str) {
    let text = match what {
        "sources" => own_sources(),
        "settings" => (0..20_000)
            .map(|n| format!("service_{n}_token: ${{TOKEN_OF_SERVICE_{n}}}\n"))
            .collect(),
        _ => own_sources().replace(char::is_whitespace, ""),
    };
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| find_secrets(black_box(&text)));
}

// Shrinking and writing

/// Sections of so many pieces with 30 lines each.
fn sections(count: u32, pieces: u32, ending: &str) -> Vec<Section> {
    let text: String = (0..30)
        .map(|n| format!("    let value_{n} = compute(value, {n});\n"))
        .collect();
    let piece = |section: u32, number: u32| {
        let path = format!("src/area_{section}/module_{number}.{ending}");
        Piece::file(path, Body::Source(text.clone()))
    };
    (0..count)
        .map(|section| {
            let key = Key::Extra(format!("section_{section}"));
            let pieces = (0..pieces).map(|number| piece(section, number));
            Section::new(key, pieces.collect())
        })
        .collect()
}

const SECTIONS: u32 = 1_000;
const PIECES: u32 = 100;

/// Room for fewer than one piece in a thousand.
const BUDGET: usize = 25_000;

/// Of no language, so that there are no outlines.
#[divan::bench(sample_count = 5, sample_size = 1, args = ["chars", "calibrated"])]
fn shrink(bencher: Bencher<'_, '_>, tokenizer: &str) {
    let all = sections(SECTIONS, PIECES, "txt");
    let tokenizer: Tokenizer = tokenizer.parse().unwrap();
    shrink_all(bencher, &all, tokenizer.counter().unwrap());
}

/// Of a language, so that outlines may be looked for.
#[divan::bench(sample_count = 1, sample_size = 1)]
fn shrink_sources(bencher: Bencher<'_, '_>) {
    let all = sections(SECTIONS, PIECES, "rs");
    shrink_all(bencher, &all, Counter::Chars);
}

/// Where it is known what each ten lines of a piece are worth.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn shrink_valued(bencher: Bencher<'_, '_>) {
    let mut all = sections(SECTIONS, PIECES, "txt");
    for section in &mut all {
        for (piece, number) in section.pieces.iter_mut().zip(1_u32..) {
            let part = |part: u8| Valued {
                lines: 10 * usize::from(part)..10 * usize::from(part + 1),
                owners: Vec::new(),
                value: 1.0 / (f64::from(part) + f64::from(number)),
                signature: 0.0,
            };
            piece.parts = (0..3).map(part).collect();
        }
    }
    shrink_all(bencher, &all, Counter::Chars);
}

fn shrink_all(bencher: Bencher<'_, '_>, all: &[Section], tokenizer: Counter) {
    bencher
        .counter(ItemsCount::new(SECTIONS * PIECES))
        .with_inputs(|| all.to_vec())
        .bench_local_refs(|all| shrink_to(all, BUDGET, Style::Markdown, tokenizer));
}

#[divan::bench(args = ["markdown", "xml"])]
fn write(bencher: Bencher<'_, '_>, style: &str) {
    let all = sections(10, PIECES, "rs");
    let style = match style {
        "xml" => Style::Xml,
        _ => Style::Markdown,
    };
    let (text, _) = sections_with_places(&all, style);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| sections_with_places(&all, style));
}

#[divan::bench]
fn render(bencher: Bencher<'_, '_>) {
    let templates = Templates::shipped();
    let role = Roles::built_in().load("implementer").unwrap();
    let (text, places) = sections_with_places(&sections(10, 10, "rs"), Style::Markdown);
    let values = json!({
        "role": role,
        "task": "Let packer tokens take folders",
        "data": {},
        "targets": ["src/cli/tokens.rs"],
        "changed_files": [],
        "repo": {"name": "packer", "branch": "main"},
    });
    bencher
        .counter(BytesCount::of_str(&text))
        .with_inputs(|| Packed {
            text: text.clone(),
            sections: places.clone(),
        })
        .bench_local_values(|packed| {
            let rendered = render_once(&templates, "implement.j2", &values, packed, Counter::Chars);
            black_box_drop(rendered.unwrap());
        });
}
