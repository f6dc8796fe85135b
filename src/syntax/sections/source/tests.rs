use proptest::prelude::*;

use super::super::sections;
use crate::syntax::tree::DeclarationKind::{Function, Type};

/// The declarations of a text: for each its depth, sign and name, its lines from 1 and where
/// its head ends.
fn told(language: &str, text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let found = sections(language, &lines).into_iter();
    let told = found.map(|it| {
        let sign = match it.kind {
            Type => "type",
            Function => "fn",
            _ => "?",
        };
        let (start, end) = (it.lines.start + 1, it.lines.end);
        format!(
            "{}{sign} {} {start}-{end} {}",
            " ".repeat(it.depth),
            it.name,
            it.head_end
        )
    });
    told.collect()
}

#[test]
fn swift_has_types_with_members() {
    let text = "\
import Foundation

/// A session of func calls.
open class Session: NSObject {
    public static let `default` = Session()

    @discardableResult
    public convenience init(queue: DispatchQueue = .main,
                            rate: Int)
    {
        self.queue = queue
        func inner() {
        }
    }

    private class func make<T>(_ it: T) -> T where T: P {
        return it
    }
}

// class Gone {}

extension Session: Equatable {
    static func ==(lhs: Session, rhs: Session) -> Bool { lhs === rhs }
    var count: Int { 1 }
}
protocol Delegate: AnyObject { func done() }
";
    assert_eq!(
        told("swift", text),
        [
            "type Session 4-19 4",
            " fn init 8-14 10",
            " fn make 16-18 16",
            "type Session 23-26 23",
            "type Delegate 27-27 27",
        ]
    );
}

/// A language, a text in it, and what it declares.
const CASES: &[(&str, &str, &[&str])] = &[
    (
        "scala",
        "package a\n\nfinal case class Get(\n  url: Url\n) extends Request {\n  override def run[F[_]]: F[Int] =\n    go\n\n  def stop = 1\n}\nobject Get {\n}\n",
        &[
            "type Get 3-10 5",
            " fn run 6-7 6",
            " fn stop 9-9 9",
            "type Get 11-12 11",
        ],
    ),
    (
        "dart",
        "library a;\n\nabstract class Client {\n  factory Client() => create();\n\n  Future<Response> get(Uri url,\n      {Map<String, String>? headers}) async {\n    if (url == 1) {\n      run(1);\n    }\n  }\n  void close();\n}\n\nvoid main(List<String> args) {\n  group('a', () {\n  });\n}\n",
        &[
            "type Client 3-13 3",
            " fn Client 4-4 4",
            " fn get 6-11 7",
            " fn close 12-12 12",
            "fn main 15-18 15",
        ],
    ),
    (
        "lua",
        "local M = {}\n--[[\nfunction no() end\n]]\nfunction M.open(a)\n  local function b() end\n  return a\nend\n\nM.close = function(b)\n  return b\nend\n\nlocal function hidden()\nend\nreturn M\n",
        &["fn open 5-8 5", "fn close 10-12 10", "fn hidden 14-15 14"],
    ),
    (
        "elixir",
        "defmodule Plug.Conn do\n  @doc \"\"\"\n  def no\n  \"\"\"\n  def put(conn, key) when is_atom(key) do\n    conn\n  end\n\n  defp hidden?(a), do: a\nend\n",
        &["type Conn 1-10 1", " fn put 5-7 5", " fn hidden? 9-9 9"],
    ),
    (
        "haskell",
        "module Main where\n\ndata Token = A\n  | B\n\n-- | Runs it.\nrunAll :: Int -> IO ()\nrunAll n = do\n  print n\n\ninstance Show Token where\n  show A = \"a\"\n",
        &["type Token 3-4 3", "fn runAll 7-9 7", "type Show 11-12 11"],
    ),
    (
        "zig",
        "const std = @import(\"std\");\n\npub const Tree = struct {\n    pub fn init(a: u8) Tree {\n        return a;\n    }\n};\n\ntest \"it works\" {\n    try run();\n}\n",
        &[
            "type Tree 3-7 3",
            " fn init 4-6 4",
            "fn test \"it works\" 9-11 9",
        ],
    ),
    (
        "bash",
        "set -e\nmain() {\n  run\n}\nfunction other {\n  run\n}\n",
        &["fn main 2-4 2", "fn other 5-7 5"],
    ),
    (
        "erlang",
        "-module(a).\n\nstart(Name) ->\n    go(Name),\n    ok.\n",
        &["fn start 3-5 3"],
    ),
    (
        "clojure",
        "(ns a.b)\n\n(defn run-it!\n  \"Doc\"\n  [x]\n  (let [y 1]\n    y))\n\n(defrecord Point [x y])\n",
        &["fn run-it! 3-7 7", "type Point 9-9 9"],
    ),
    (
        "solidity",
        "contract Token is ERC20 {\n    constructor(string memory name)\n        ERC20(name)\n    {}\n\n    function mint(address to) external onlyOwner {\n        _mint(to);\n    }\n}\n",
        &[
            "type Token 1-9 1",
            " fn constructor 2-4 2",
            " fn mint 6-8 6",
        ],
    ),
    (
        "sql",
        "CREATE OR REPLACE FUNCTION add_one(a int)\nRETURNS int AS $$\nBEGIN\n  RETURN a;\nEND;\n$$;\ncreate table if not exists users (\n  id int\n);\n",
        &["fn add_one 1-1 1", "type users 7-9 9"],
    ),
    (
        "protobuf",
        "message Note {\n  string a = 1;\n  enum Kind {\n    A = 0;\n  }\n}\nservice Notes {\n  rpc Add(Note) returns (Note);\n}\n",
        &[
            "type Note 1-6 1",
            " type Kind 3-5 3",
            "type Notes 7-9 7",
            " fn Add 8-8 8",
        ],
    ),
    (
        "objective-c",
        "@implementation Thing\n- (void)\n- (void)run:(int)a {\n  [self go];\n}\n@end\n",
        &["type Thing 1-6 1", " fn run 3-5 3"],
    ),
    (
        "fsharp",
        "module A\n\nlet rec fold f = function\n  | [] -> 1\n\ntype Point(x: int) =\n  member this.X = x\n",
        &[
            "type A 1-1 1",
            "fn fold 3-4 3",
            "type Point 6-7 6",
            " fn X 7-7 7",
        ],
    ),
    (
        "perl",
        "package A::B;\n\n=head1 NAME\n\nsub no {\n\n=cut\n\nsub run {\n  my $x = shift;\n}\n",
        &["type B 1-1 1", "fn run 9-11 9"],
    ),
    (
        "groovy",
        "class A extends B {\n    def \"adds two\"() {\n        expect:\n        1\n    }\n    @Override\n    void run(int a) {\n    }\n}\n",
        &[
            "type A 1-9 1",
            " fn def \"adds two\" 2-5 2",
            " fn run 7-8 7",
        ],
    ),
];

#[test]
fn words_tell_what_is_declared_in_many_languages() {
    for (language, text, expected) in CASES {
        assert_eq!(&told(language, text), expected, "{language}");
    }
}

proptest! {
    /// Whatever the text says, declarations lie in one another or behind one another.
    #[test]
    fn declarations_never_cross(
        text in "(class A|func b\\(|def c|fn d|function e\\(\\)|  |    |\\{|\\}|end|\n|\n\n|/\\*|\\*/|\"\"\"|=|\\)|,|//|\\PC){0,80}",
        language in prop::sample::select(vec!["swift", "dart", "lua", "elixir", "haskell", "python", "perl", "sql", "c"]),
    ) {
        let lines: Vec<&str> = text.lines().collect();
        let found = sections(language, &lines);
        for (at, it) in found.iter().enumerate() {
            prop_assert!(it.lines.start < it.lines.end);
            prop_assert!(it.lines.end <= lines.len());
            prop_assert!(it.lines.contains(&it.name_line));
            prop_assert!(it.head_end > it.lines.start);
            prop_assert!(it.head_end <= it.lines.end);
            for next in &found[at + 1..] {
                prop_assert!(next.lines.start >= it.lines.start);
                prop_assert!(next.lines.start >= it.lines.end || next.lines.end <= it.lines.end);
            }
        }
    }
}
