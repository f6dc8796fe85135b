use proptest::prelude::*;

use super::*;
use crate::syntax::{Wanted, parse};

/// What is found in a text, which must be sound.
fn parsed(language: &str, text: &str, wanted: Wanted) -> crate::syntax::Parsed {
    let parsed = parse(language, text, wanted);
    assert!(parsed.is_sound(wanted, text.lines().count()));
    parsed
}

fn entries(language: &str, text: &str) -> Vec<Entry> {
    parsed(language, text, Wanted::Entries).entries
}

fn outline(language: &str, text: &str) -> Vec<Range<usize>> {
    parsed(language, text, Wanted::Outline).outline
}

/// The outline as it is written.
fn drawn(language: &str, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let shown = entries(language, text)
        .into_iter()
        .flat_map(|entry| entry.lines);
    let shown = shown.flat_map(|rows| lines[rows].to_vec());
    text_of(shown)
}

/// What follows a `+` belongs to the outline, what follows a `-` does not.
fn check(language: &str, marked: &[&str]) {
    let text = text_of(marked.iter().map(|line| &line[1..]));
    let shown = marked.iter().filter(|line| line.starts_with('+'));
    let shown = text_of(shown.map(|line| &line[1..]));
    assert_eq!(drawn(language, &text), shown, "{language}");
}

fn text_of<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn python() {
    check(
        "python",
        &[
            "+\"\"\"What the module is for.\"\"\"",
            "-import os",
            "-",
            "-logger = logging.getLogger(__name__)",
            "+LIMIT: int = 3",
            "-_own = 4",
            "-",
            "+class Pool(Base):",
            "+    \"\"\"Keeps connections.",
            "-",
            "-    For reuse.",
            "-    \"\"\"",
            "+    size: int = 1",
            "+    def __init__(",
            "+        self, size: int,",
            "+    ) -> None:",
            "-        # Why.",
            "-        self.size = size",
            "-    def __repr__(self):",
            "-        return ''",
            "+    @property",
            "+    async def free(self):",
            "-        def inner(): ...",
            "-        return 1",
            "-    @free.setter",
            "-    def free(self, to): ...",
            "-    def _own(self): ...",
            "-if __name__ == '__main__':",
            "-    x = 1",
        ],
    );
}

#[test]
fn javascript() {
    check(
        "javascript",
        &[
            "-const a = require('a')",
            "-function helper() {}",
            "-/**",
            "+ * Sends it.",
            "- */",
            "-",
            "+exports.send = function send (to) {",
            "-  return 1",
            "-}",
            "+module.exports = class Server extends Base {",
            "+  constructor (options) {",
            "-    super()",
            "-  }",
            "-  #own () {}",
            "+  get port () { return 1 }",
            "-}",
        ],
    );
    check(
        "javascript",
        &[
            "-import x from 'x';",
            "+const add = (a, b) => {",
            "-  return a + b;",
            "-};",
            "-const own = 1;",
            "+export * from './all.js';",
            "-export default { add };",
        ],
    );
    check(
        "javascript",
        &[
            "+describe('a pool', () => {",
            "-  const pool = new Pool();",
            "+  it('keeps', async () => {",
            "-    app.get('/x', () => {});",
            "-  });",
            "-});",
        ],
    );
}

#[test]
fn typescript() {
    for language in ["typescript", "tsx"] {
        check(
            language,
            &[
                "-type Own = string;",
                "+export type Id = string | number;",
                "+export interface Options {",
                "-  /** How long. */",
                "+  wait: number;",
                "+  retry?(): void;",
                "+}",
                "+export enum Level {",
                "+  Low = 1,",
                "+}",
                "+export const start = async <T,>(options: Options): Promise<T> => {",
                "-  return run();",
                "-};",
                "+export abstract class Store<T> {",
                "-  private items = [];",
                "+  readonly size = 0;",
                "+  abstract get(id: Id): T;",
                "+  put(item: T): void {",
                "-    this.items.push(item);",
                "-  }",
                "-}",
            ],
        );
    }
}

#[test]
fn rust() {
    check(
        "rust",
        &[
            "+//! What the module is for.",
            "-//!",
            "-//! More of it.",
            "-use std::fmt;",
            "+pub use self::own::Own;",
            "-mod own;",
            "+pub mod other;",
            "+/// How many.",
            "+pub const MANY: usize = 3;",
            "+/// A pool.",
            "-///",
            "-/// More.",
            "-#[derive(Debug)]",
            "+pub struct Pool {",
            "-    /// The size.",
            "+    size: usize,",
            "+}",
            "+pub enum Kind {",
            "+    One,",
            "+    Two(u8),",
            "+}",
            "+impl Pool {",
            "+    /// Makes one.",
            "+    pub fn new(",
            "+        size: usize,",
            "+    ) -> Pool {",
            "-        fn inner() {}",
            "-        Pool { size }",
            "-    }",
            "-    fn own(&self) {}",
            "-}",
            "+impl fmt::Display for Pool",
            "-where",
            "-    Pool: Sized,",
            "-{",
            "-    fn fmt(&self) {}",
            "-}",
            "-struct Inner;",
            "-impl Drop for Inner {}",
            "+pub trait Keep {",
            "+    type Item;",
            "+    fn keep(&self);",
            "-}",
            "-macro_rules! own { () => {} }",
            "-#[cfg(test)]",
            "-mod tests {",
            "-    pub fn helper() {}",
            "-}",
        ],
    );
}

#[test]
fn go() {
    check(
        "go",
        &[
            "-package pool",
            "-",
            "-import \"fmt\"",
            "-",
            "+const (",
            "+\tA = iota",
            "+\tB",
            "+)",
            "-var _ Keeper = (*Pool)(nil)",
            "+// Pool keeps things.",
            "-// And more.",
            "+type Pool struct {",
            "+\tSize int",
            "-",
            "-\t// count of them",
            "+\tcount int",
            "+}",
            "+type Keeper interface {",
            "+\tKeep() error",
            "+}",
            "+func (p *Pool) Keep() error {",
            "-\treturn nil",
            "-}",
            "-func (p *Pool) own() {}",
            "-func helper() {}",
        ],
    );
}

#[test]
fn java_and_its_kind() {
    check(
        "java",
        &[
            "-package a;",
            "-import b.C;",
            "-/**",
            "+ * Keeps things.",
            "- * @since 1",
            "- */",
            "-@Beta",
            "+public final class Pool<T> implements Keeper {",
            "-  private int size;",
            "+  public static final int MAX = 3;",
            "+  public Pool(int size) {",
            "-    this.size = size;",
            "-  }",
            "-  @Override",
            "+  protected void keep(T thing)",
            "+      throws IOException {",
            "-  }",
            "-  @Override public String toString() { return \"\"; }",
            "+  enum Kind {",
            "+    /** The first. */",
            "+    ONE, TWO",
            "-  }",
            "-}",
        ],
    );
    check(
        "csharp",
        &[
            "-using System;",
            "-namespace A",
            "-{",
            "-    /// <summary>",
            "+    /// Keeps things.",
            "-    /// </summary>",
            "-    [Serializable]",
            "+    public class Pool : Base",
            "-    {",
            "-        readonly int _size;",
            "+        public int Size { get; set; }",
            "+        public event Action Changed;",
            "+        public Pool(int size)",
            "-        {",
            "-        }",
            "-        void Own() {}",
            "-    }",
            "+    public interface IKeep",
            "-    {",
            "+        void Keep();",
            "-    }",
            "-}",
        ],
    );
    check(
        "kotlin",
        &[
            "-package a",
            "-import b.c",
            "-",
            "+/** Keeps things. */",
            "-@Beta",
            "+class Pool(",
            "+  val size: Int,",
            "+) : Base() {",
            "-  private val own = 1",
            "+  val free: Int get() = 1",
            "+  fun keep(thing: Any): Boolean {",
            "-    return true",
            "-  }",
            "+  companion object {",
            "+    fun of() = Pool(1)",
            "-  }",
            "-}",
        ],
    );
    check(
        "php",
        &[
            "-<?php",
            "-namespace A;",
            "-use B;",
            "+class Pool extends Base",
            "-{",
            "+    public const MAX = 3;",
            "-    private int $own;",
            "-    /**",
            "+     * Keeps it.",
            "-     */",
            "+    public function keep(int $a): void",
            "-    {",
            "-    }",
            "-    /** {@inheritdoc} */",
            "+    public function lend(): void",
            "-    {",
            "-    }",
            "-}",
        ],
    );
}

#[test]
fn c() {
    check(
        "c",
        &[
            "-#ifndef POOL_H",
            "-#define POOL_H",
            "-#include <stdio.h>",
            "+#define POOL_MAX 3",
            "+/* A pool.",
            "- * More. */",
            "+typedef struct pool {",
            "+    int size; /* now */",
            "-",
            "+    void (*keep)(void *thing);",
            "+} pool;",
            "+enum kind { ONE, TWO };",
            "+int pool_keep(pool *p,",
            "+              void *thing);",
            "-static int own(void);",
            "-#endif",
        ],
    );
    check(
        "c",
        &[
            "-#define OWN(x) (x)",
            "-static int own(void) { return 1; }",
            "+int pool_keep(pool *p)",
            "-{",
            "-    return own();",
            "-}",
        ],
    );
}

#[test]
fn cpp() {
    check(
        "cpp",
        &[
            "-namespace a {",
            "-namespace { int own() { return 1; } }",
            "+// Keeps things.",
            "+template <class T>",
            "+class Pool : public Base {",
            "-  int own_;",
            "- public:",
            "+  explicit Pool(int size)",
            "-      : own_(size) {}",
            "+  // Keeps one.",
            "+  void Keep(T thing);",
            "- private:",
            "-  void Own();",
            "-};",
            "+class API Other {",
            "- public:",
            "+  int Size() const;",
            "- private:",
            "-  int own_;",
            "-};",
            "+using Ints = Pool<int>;",
            "+void Pool<int>::Keep(int thing) {",
            "-}",
            "-}",
        ],
    );
}

#[test]
fn ruby() {
    check(
        "ruby",
        &[
            "-require 'a'",
            "+module A",
            "+  # Keeps things.",
            "+  class Pool < Base",
            "+    MAX = 3",
            "+    attr_reader :size",
            "+    def initialize(size)",
            "-      @size = size",
            "-    end",
            "-    private",
            "-    def own",
            "-    end",
            "-  end",
            "-end",
        ],
    );
}

#[test]
fn what_has_nothing_public_shows_what_there_is() {
    check(
        "rust",
        &["+fn main() {", "-    run();", "-}", "+fn run() {}"],
    );
    check("python", &["-import a", "+def _run():", "-    pass"]);
}

#[test]
fn functions_of_one_name_are_shown_three_times() {
    let text = "class A {\n  void b(int c) {}\n  void b(long c) {}\n  void b(C c) {}\n  void b(D c) {}\n}\n";
    assert_eq!(drawn("java", text).lines().count(), 4);
}

#[test]
fn an_outline_is_less_than_half_of_its_file() {
    let body = "    x();\n".repeat(9);
    let text = format!("fn a() {{\n{body}}}\n");
    assert_eq!(outline("rust", &text), [Range { start: 0, end: 1 }]);
    assert!(outline("rust", "fn a() {}\n").is_empty());
    assert!(outline("cobol", &text).is_empty());
}

#[test]
fn damaged_and_huge_source_tells_what_could_be_read_or_nothing() {
    assert_eq!(drawn("rust", "fn a( {\nfn b() {}\n"), "fn b() {}\n");
    let texts = [
        "{\n".repeat(150_000),
        "(".repeat(200_000),
        "#define A\n".repeat(4000),
        "int a;int b(void);".repeat(1000),
        "// a\n".repeat(90_000) + "int b(void);",
        "class A { void b() {} ".repeat(2000),
    ];
    for text in texts {
        for language in [
            "rust",
            "c",
            "cpp",
            "javascript",
            "go",
            "java",
            "csharp",
            "kotlin",
        ] {
            entries(language, &text);
        }
    }
}

proptest! {
    /// Whatever the text and its language, the lines of entries are inside it and in order, and
    /// owners come before what they hold.
    #[test]
    fn lines_are_in_order_and_inside(
        text in "([a-z]{1,4}|class A|fn a\\(\\)|def b\\(\\):|pub |#\\[cfg\\(test\\)\\]|/\\*|\\*/|#define A|\\{|\\}|\n|\n    |//|#|\"|'|\\PC){0,120}",
        language in prop::sample::select(vec!["rust", "python", "c", "cpp", "javascript", "go", "java", "ruby", "php", "csharp", "kotlin", "tsx", "markdown"]),
    ) {
        let mut next = 0;
        for (at, entry) in entries(language, &text).into_iter().enumerate() {
            prop_assert!(entry.owner.is_none_or(|owner| owner < at));
            prop_assert!(!entry.lines.is_empty());
            for lines in entry.lines {
                prop_assert!(lines.start >= next && lines.end > lines.start);
                next = lines.end;
            }
        }
        prop_assert!(next <= text.lines().count());
        let shown: usize = outline(language, &text).iter().map(Range::len).sum();
        prop_assert!(shown * 2 <= text.lines().count());
    }
}
