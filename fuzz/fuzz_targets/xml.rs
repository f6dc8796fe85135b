//! A file as readers print it. The first line is its path.
#![no_main]

use context_packer::settings::FilesStyle;
use context_packer::fuzz::write_files;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (path, text) = text.split_once('\n').unwrap_or(("a.rs", text));
    let files = [(path, text)];

    let xml = write_files(&files, FilesStyle::Xml);
    let lines: Vec<&str> = xml.split('\n').collect();
    let [context, file, content, inner @ .., content_end, file_end, context_end] = &lines[..]
    else {
        panic!("it has the lines of a file");
    };
    assert_eq!([*context, *context_end], ["<context>", "</context>"]);
    assert_eq!([*content, *content_end], ["    <content>", "    </content>"]);
    assert_eq!(*file_end, "  </file>");
    // Nothing in a path ends its attribute.
    assert!(file.starts_with("  <file path=\"") && file.ends_with("\">"));
    assert_eq!((file.matches('"').count(), file.matches(['<', '>']).count()), (4, 2));
    let inner = inner.iter().map(|line| line.strip_prefix("      "));
    let inner: Option<Vec<&str>> = inner.collect();
    let inner = inner.expect("every line is indented").join("\n");
    let in_cdata = inner
        .strip_prefix("<![CDATA[")
        .and_then(|inner| inner.strip_suffix("]]>"));
    let read = in_cdata.map(|inner| inner.replace("]]]]><![CDATA[>", "]]>"));
    assert_eq!(read.unwrap_or_else(|| inner.clone()), text);
    let names = ["</content>", "</ file\n>", "</context>", "<file path=", "<file a path ="];
    let small = inner.to_ascii_lowercase();
    assert!(in_cdata.is_some() || !names.iter().any(|name| small.contains(name)));

    let json = write_files(&files, FilesStyle::Json);
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(json[0]["content"], text);

    // The lines around a text do not stand in it.
    let assigned = write_files(&files, FilesStyle::Assign);
    let begin = assigned.lines().find(|line| line.starts_with("--begin-"));
    let end = begin.expect("a text begins").replacen("begin", "end", 1);
    assert_eq!(assigned.split('\n').filter(|line| *line == end).count(), 1);

    write_files(&files, FilesStyle::Markdown);
});
