//! Source that ends the process which parses it, takes all memory, or never comes to an end.

use super::*;

/// No prompt may take more processor time, with those who parse for it, built without
/// optimisation.
const TIME: Duration = Duration::from_secs(15);

/// One that is built again, of what is known, takes next to nothing.
const AGAIN: Duration = Duration::from_secs(3);

/// What was seen to run for minutes, to abort, or to overflow the stack: an ending, and
/// what is repeated up to so many bytes.
const TEXTS: [(&str, &str, usize); 12] = [
    ("kt", "/*", 20_000),
    ("kt", "/*", 100_000),
    ("kt", "<", 100_000),
    ("rs", "r#\"", 100_000),
    ("rb", "%Q{", 100_000),
    ("rb", "%w(", 100_000),
    ("js", "(", 350_000),
    ("go", "(", 350_000),
    ("py", "f\"{", 510_000),
    ("tsx", "<a>{", 350_000),
    ("cpp", "R\"(", 350_000),
    ("php", "<?php <<<A\n", 350_000),
];

/// Some source in each language that a grammar reads.
const SOURCES: [(&str, &str); 14] = [
    (
        "rs",
        "use a::{b, c};\n\n/// D.\n#[e(f)]\npub fn g<'h, T: I>(j: &'h T) -> Option<u8> {\n    let k = r#\"l\"#;\n    match k { \"m\" => Some(1), _ => None }\n}\n\nimpl<T> N for O<T> where T: P { const Q: u8 = b'r'; fn s(&self) {} }\nmacro_rules! t { ($u:expr) => { $u + 1 }; }\n",
    ),
    (
        "py",
        "import a\nfrom b import (c, d)\n\n@e\nclass F(G, metaclass=H):\n    \"\"\"I.\"\"\"\n    j: int = 1\n\n    async def k(self, *l, **m) -> str:\n        return f\"{l!r:>{m}} n\" if m else '''o'''\n\n\nif __name__ == '__main__':\n    p = [q for q in r if q]\n",
    ),
    (
        "c",
        "#include <a.h>\n#define B(c) ((c) + 1)\nstatic int *d(struct e *f, int (*g)(void))\n{\n#ifdef H\n    return f ? &f->i[1] : 0;\n#endif\n}\ntypedef union { int j : 3; } k;\n",
    ),
    (
        "cpp",
        "namespace a {\ntemplate <typename T, int N = 3>\nclass B : public C<T> {\n public:\n  B() : c_{1} {}\n  auto d() const noexcept -> decltype(e) { return [&](auto f) { return R\"g(h)g\"; }; }\n  bool operator<(const B& i) const;\n};\n}\n",
    ),
    (
        "js",
        "import a, { b as c } from 'd';\n\nexport default class E extends F {\n  #g = 1;\n  async *h(i = {}, ...j) {\n    return `k ${l ? `m` : n}`.replace(/o[/]p/g, '');\n  }\n}\nconst q = (r) => ({ ...r, s() {} });\n",
    ),
    (
        "jsx",
        "export function A({ b }) {\n  return <B c={d => <e />} {...f}>{b && <>g &amp; {h}</>}</B>;\n}\n",
    ),
    (
        "ts",
        "export interface A<B extends C = D> { e?: readonly string[]; f(g: number): void }\nabstract class H<I> implements A<I> {\n  constructor(private j: Map<string, K<L>>) { super(); }\n  @m() n!: `o${P}`;\n}\ndeclare module 'q' { type R = keyof typeof s; }\n",
    ),
    (
        "tsx",
        "const A = <B,>(c: D<B>) => <E<F> g={h as I}>{j}</E>;\n",
    ),
    (
        "go",
        "package a\n\nimport (\n\t\"b\"\n)\n\ntype C[D any] struct {\n\tE map[string][]func(F) (G, error) `h:\"i\"`\n}\n\nfunc (j *C[D]) K(l ...int) (m int, err error) {\n\tselect {\n\tcase n := <-o:\n\t\treturn n, nil\n\t}\n}\n",
    ),
    (
        "java",
        "package a;\n\nimport static b.C.*;\n\n@D(e = {1, 2})\npublic final class F<G extends H & I> extends J<? super K> {\n  record L(int m) {}\n  <N> N o(Object p) throws Q {\n    return switch (p) { case String s -> null; default -> (N) \"\"\"\n      r\"\"\"; };\n  }\n}\n",
    ),
    (
        "kt",
        "package a\n\nimport b.c as d\n\n@E\ndata class F<out G : H>(val i: Int = 1, private var j: List<K?>) : L by m {\n    companion object { const val N = \"o ${p[q]} $r\" }\n    /* s /* t */ */\n    inline fun <reified U> v(w: (X) -> Y) = when (w) { is Z -> 1; else -> \"\"\"a\"\"\" }\n}\n",
    ),
    (
        "cs",
        "using A = B.C;\n\nnamespace D.E;\n\n[F(G = 1)]\npublic partial record H<I>(int J) : K where I : class, new() {\n  public required string L { get; init; } = $\"m {n:o} {{p}}\";\n#if Q\n  async Task<R> S() => await t switch { { U: > 1 } => @\"v\", _ => \"\"\"w\"\"\" };\n#endif\n}\n",
    ),
    (
        "rb",
        "require 'a'\n\nmodule B\n  class C < D\n    attr_reader :e\n\n    def f(g = %w[h i], *j, k: 1, &l)\n      m = <<~N\n        o #{p.map { |q| %Q(r) }}\n      N\n      g =~ /s#{t}/ ? m : %i(u)\n    end\n  end\nend\n",
    ),
    (
        "php",
        "<?php\ndeclare(strict_types=1);\nnamespace A\\B;\n\n#[C(d: 1)]\nfinal class E extends F implements G {\n  use H { i as protected j; }\n  public function __construct(private readonly ?K $l = null) {}\n  static fn m(): int|string => match (true) { $this->n[\"o\"]?->p => <<<Q\n  r {$s} ${t}\n  Q, default => 1 };\n}\n",
    ),
];

/// Numbers that look like chance and are always the same.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most.max(1) as u64).unwrap()
    }

    /// A place between two characters.
    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// A text with something in it moved, gone, or there a hundred times.
    fn mutated(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..=self.below(6) {
            let (a, b) = (self.place(&text), self.place(&text));
            let slice = text[a.min(b)..a.max(b)].to_owned();
            let at = self.place(&text);
            match self.below(4) {
                0 => text.replace_range(a.min(b)..a.max(b), ""),
                1 => text.insert_str(at, &slice),
                2 => {
                    let short: String = slice.chars().take(1 + self.below(12)).collect();
                    let most = 30_000 / short.len().max(1);
                    text.insert_str(at, &short.repeat(self.below(most)));
                }
                _ => text.insert_str(
                    at,
                    ["{", "(", "<", "\"", "/*", "\0", "\\", "`", "#{"][self.below(9)],
                ),
            }
            if text.len() > 100_000 {
                break;
            }
        }
        text
    }
}

/// Builds a prompt for a planner, who gets the map of everything, two times; what both said
/// of files that cannot be parsed.
fn planned(name: &str, project: &Project) -> Vec<String> {
    // What was written just now may change without being noticed.
    std::thread::sleep(Duration::from_millis(3200));
    let mut said = Vec::new();
    for most in [TIME, AGAIN] {
        let output = project.run(words(
            "render planning.j2 --role planner --task 'Mend `a` in src.' --format json",
        ));
        assert_eq!(output.code, 0, "{name}: {}", output.stderr);
        assert!(output.took < most, "{:?} for {name}", output.took);
        assert!(output.peak < MEMORY, "{} bytes for {name}", output.peak);
        let report = output.json();
        let warnings = report["warnings"].as_array().unwrap().iter();
        let unparsed = warnings.filter(|note| note["kind"] == "unparsed");
        let unparsed: Vec<String> = unparsed.map(ToString::to_string).collect();
        said.push((report["prompt"].to_string(), unparsed));
    }
    assert_eq!(said[0], said[1], "{name}");
    said.remove(0).1
}

#[test]
fn texts_that_end_whoever_parses_them() {
    let mut silent = Vec::new();
    for (ending, part, bytes) in TEXTS {
        let name = format!("{bytes} bytes of {part} in .{ending}");
        let project = plain().file(&format!("src/c.{ending}"), part.repeat(bytes / part.len()));
        if planned(&name, &project).is_empty() {
            silent.push(name.clone());
        }
        survives(&name, &project);
    }
    // Some are given up by a count of steps, which is no news.
    assert!(silent.len() < TEXTS.len() / 2, "{silent:?}");
}

#[test]
fn source_with_something_moved() {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    // All in one repository take nearly as much as parsing may in one prompt; past that it is
    // the processor that says how many are parsed.
    for part in 0..3 {
        let mut project = plain();
        for number in 0..6 {
            for (ending, text) in SOURCES {
                let text = chance.mutated(text);
                project = project.file(&format!("src/{number}.{ending}"), text);
            }
        }
        let name = format!("mutated source {part}");
        planned(&name, &project);
        survives(&name, &project);
    }
}
