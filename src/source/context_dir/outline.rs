//! The blocks of a Markdown file, line by line.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// A file cut into units: every line belongs to one of them.
#[derive(Debug)]
pub(in crate::source) struct Outline<'a> {
    /// The lines, with their line breaks.
    pub(super) lines: Vec<&'a str>,
    pub(in crate::source) units: Vec<Unit>,
    /// Lines at which a heading starts, at any depth, with the column of its first `#` in bytes;
    /// `None` for an underlined heading.
    pub(super) headings: Vec<(usize, Option<usize>, usize)>,
    /// Bytes of the text that are code.
    pub(super) code: Vec<Range<usize>>,
    /// Bytes of the text that are code blocks.
    pub(super) fenced: Vec<Range<usize>>,
    /// Bytes of the text that are HTML blocks, in which nothing is a heading.
    pub(super) html: Vec<Range<usize>>,
    /// The lines at which blocks begin that are whole or absent, in order: code, HTML, tables.
    solid: Vec<usize>,
    source: &'a str,
    /// What must follow so that the last block does not swallow what comes after.
    pub(super) closing: Option<String>,
    starts: Vec<usize>,
}

/// A block with the blank lines that follow it.
#[derive(Debug, Clone)]
pub(in crate::source) struct Unit {
    /// Its lines, from 0.
    pub(in crate::source) lines: Range<usize>,
    /// Its bytes, without what follows.
    pub(super) bytes: Range<usize>,
    pub(in crate::source) what: What,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::source) enum What {
    /// Lines before the first block: the front matter.
    Front,
    /// A heading of this level with its text.
    Heading(usize, String),
    /// An entry of a list, with the bytes of the entries below it.
    Entry(Vec<Range<usize>>),
    /// A paragraph, a code block, a table, a quote.
    Other,
}

impl<'a> Outline<'a> {
    /// Reads a text whose first `front` lines are front matter.
    pub(in crate::source) fn of(text: &'a str, front: usize) -> Outline<'a> {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut starts = Vec::with_capacity(lines.len() + 1);
        let mut at = 0;
        for line in &lines {
            starts.push(at);
            at += line.len();
        }
        starts.push(at);
        let mut outline = Outline {
            lines,
            units: Vec::new(),
            headings: Vec::new(),
            code: Vec::new(),
            fenced: Vec::new(),
            html: Vec::new(),
            solid: Vec::new(),
            source: text,
            closing: None,
            starts,
        };
        let skip = outline.starts[front];
        if front > 0 {
            outline.solid.push(0);
            outline.push(0..skip, What::Front);
        }
        outline.read(&text[skip..], skip);
        outline.close_units();
        outline
    }

    /// Returns the line that holds this byte.
    pub(super) fn line_of(&self, byte: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= byte)
            .saturating_sub(1)
    }

    /// Returns the code that holds this byte. Code ranges are in the order of the text and do not
    /// overlap.
    pub(super) fn code_at(&self, byte: usize) -> Option<&Range<usize>> {
        let after = self.code.partition_point(|code| code.start <= byte);
        self.code[..after]
            .last()
            .filter(|code| code.contains(&byte))
    }

    /// Returns the lines that hold these bytes.
    pub(super) fn lines_of(&self, bytes: &Range<usize>) -> Range<usize> {
        self.line_of(bytes.start)..self.line_of(bytes.end.saturating_sub(1)) + 1
    }

    /// Returns the first of these lines from which on they are whole or absent.
    pub(super) fn first_solid(&self, lines: &Range<usize>) -> Option<usize> {
        let first = self.solid.partition_point(|line| *line < lines.start);
        let line = *self.solid.get(first)?;
        (line < lines.end).then_some(line)
    }

    /// Returns the text of these lines.
    pub(super) fn text(&self, lines: Range<usize>) -> &'a str {
        &self.source[self.bytes(lines)]
    }

    /// Returns these bytes of the text; empty if they do not begin and end between characters.
    pub(super) fn slice(&self, bytes: Range<usize>) -> &'a str {
        self.source.get(bytes).unwrap_or_default()
    }

    /// Returns the bytes of these lines.
    pub(super) fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        self.starts[lines.start]..self.starts[lines.end]
    }

    fn read(&mut self, text: &str, skip: usize) {
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
        // Which blocks are open, the outermost first: whether each is a list.
        let mut open: Vec<bool> = Vec::new();
        // Where the words of the heading are that is open, if it is in no other block.
        let mut title: Option<Range<usize>> = None;
        let mut last = None;
        for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
            let range = range.start + skip..range.end + skip;
            if let Some(title) = title.as_mut().filter(|_| !is_end_of_heading(&event)) {
                title.start = title.start.min(range.start);
                title.end = title.end.max(range.end);
            }
            match event {
                Event::Start(tag) => {
                    self.start(&tag, &range, &open);
                    if open.is_empty() {
                        title = matches!(tag, Tag::Heading { .. }).then(|| range.end..range.start);
                        last = Some((tag.clone(), range));
                    }
                    open.push(matches!(tag, Tag::List(_)));
                }
                Event::End(tag) => {
                    open.pop();
                    if let (TagEnd::Heading(level), Some(title)) =
                        (tag, title.take_if(|_| open.is_empty()))
                    {
                        // The sign that takes the meaning of the first one stands before it.
                        let escape = usize::from(text[..title.start - skip].ends_with('\\'));
                        let title = title.start - escape..title.end;
                        let words = self.slice(title).split_whitespace();
                        let title = words.collect::<Vec<_>>().join(" ");
                        self.push(range, What::Heading(level as usize, title));
                    }
                }
                Event::Code(_) => self.code.push(range),
                Event::Rule if open.is_empty() => {
                    last = None;
                    self.push(range, What::Other);
                }
                _ => {}
            }
        }
        self.closing = last.and_then(|(tag, range)| self.closing_of(&tag, &range));
    }

    fn start(&mut self, tag: &Tag<'_>, range: &Range<usize>, open: &[bool]) {
        if matches!(tag, Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::Table(_)) {
            self.solid.push(self.line_of(range.start));
        }
        match tag {
            Tag::CodeBlock(_) => {
                self.code.push(range.clone());
                self.fenced.push(range.clone());
            }
            Tag::HtmlBlock => self.html.push(range.clone()),
            Tag::Heading { level, .. } => {
                let line = self.line_of(range.start);
                let column = range.start - self.starts[line];
                let signs = self.lines[line][column..]
                    .starts_with('#')
                    .then_some(column);
                self.headings.push((line, signs, *level as usize));
            }
            _ => {}
        }
        match tag {
            Tag::Heading { .. } | Tag::List(_) if open.is_empty() => {}
            Tag::Item if open == [true] => self.push(range.clone(), What::Entry(Vec::new())),
            Tag::Item if open.first() == Some(&true) => {
                if let Some(Unit {
                    what: What::Entry(below),
                    ..
                }) = self.units.last_mut()
                {
                    below.push(range.clone());
                }
            }
            _ if open.is_empty() => self.push(range.clone(), What::Other),
            _ => {}
        }
    }

    fn push(&mut self, bytes: Range<usize>, what: What) {
        let line = self.line_of(bytes.start);
        self.units.push(Unit {
            lines: line..line,
            bytes,
            what,
        });
    }

    /// Extends every unit to the next one. Blocks that start on one line become one.
    fn close_units(&mut self) {
        let end = self.lines.len();
        self.units
            .dedup_by(|next, unit| next.lines.start == unit.lines.start);
        let starts: Vec<usize> = self.units.iter().map(|unit| unit.lines.start).collect();
        for (index, unit) in self.units.iter_mut().enumerate() {
            unit.lines.end = starts.get(index + 1).copied().unwrap_or(end);
        }
        // Link definitions above the first block belong to it.
        match self.units.first_mut() {
            Some(first) => first.lines.start = 0,
            None if end > 0 => self.units.push(Unit {
                lines: 0..end,
                bytes: self.starts[0]..self.starts[end],
                what: What::Other,
            }),
            None => {}
        }
    }

    /// Returns the fence or the mark that the last block of the file lacks.
    fn closing_of(&self, tag: &Tag<'_>, range: &Range<usize>) -> Option<String> {
        let is_block = matches!(
            tag,
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) | Tag::HtmlBlock
        );
        let first = self.line_of(range.start);
        if !is_block || !goes_on(self.source.get(self.starts[first]..)?) {
            return None;
        }
        let lines = &self.lines[first..];
        match tag {
            Tag::CodeBlock(CodeBlockKind::Fenced(_)) => {
                let open = lines.first()?.trim_start();
                let sign = open.chars().next()?;
                Some(open.chars().take_while(|c| *c == sign).collect())
            }
            Tag::HtmlBlock => {
                let text = lines.concat().to_ascii_lowercase();
                let text = text.trim_start();
                let ends = [
                    ("<!--", "-->"),
                    ("<![cdata[", "]]>"),
                    ("<?", "?>"),
                    ("<pre", "</pre>"),
                    ("<script", "</script>"),
                    ("<style", "</style>"),
                    ("<textarea", "</textarea>"),
                    ("<!", ">"),
                ];
                let (_, end) = ends.iter().find(|(start, _)| text.starts_with(start))?;
                Some((*end).to_owned())
            }
            _ => None,
        }
    }
}

/// Whether the last block of a text would enclose what follows it.
pub(super) fn goes_on(text: &str) -> bool {
    let behind = format!("{}\n\n# x\n", text.trim_end_matches(['\r', '\n']));
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    let mut open = 0_usize;
    let mut is_heading = false;
    for event in Parser::new_ext(&behind, options) {
        match event {
            Event::Start(tag) => {
                is_heading = open == 0 && matches!(tag, Tag::Heading { .. });
                open += 1;
            }
            Event::End(_) => open -= 1,
            _ => {}
        }
    }
    !is_heading
}

fn is_end_of_heading(event: &Event<'_>) -> bool {
    matches!(event, Event::End(TagEnd::Heading(_)))
}
