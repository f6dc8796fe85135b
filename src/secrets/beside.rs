//! Values apart from their names: `name: X` with `value: …` below, a table with a column for
//! passwords, two names with two values.

use super::around::{BLANKS, in_block};
use super::given::{Assigned, literal, setting};
use super::letters::{ahead, behind, dashed, dotted, letters_of, line_before, word};
use super::lists::is_named;
use super::literals::{line_literal, quote};
use super::name::{Name, starts_line};
use super::values::{is_made, names_algorithm};
use crate::split::place_in;

/// Characters that may stand between a name and the word for its value.
const BETWEEN: [char; 11] = ['\r', '\n', ' ', '\t', ',', '"', '\'', '+', '#', '>', '*'];

/// Returns a value separated from its name by something other than a sign.
pub(super) fn behind_name<'a>(
    name: &Name<'_>,
    rest: &'a str,
    is_quoted: bool,
) -> Option<Assigned<'a>> {
    // `name=DB_PASSWORD,value=…,type=…`, of a command.
    if let Some(value) = rest.strip_prefix(",value=") {
        return is_named(name).then(|| setting(value));
    }
    // `${PASSWORD}    …` of Robot Framework.
    let cell = rest
        .strip_prefix('}')
        .filter(|_| name.text[..name.first].ends_with("${"));
    if let Some(value) = cell.filter(|it| it.starts_with("  ")) {
        return Some(said(value));
    }
    if let Some(value) = of_user(rest) {
        return Some(literal(value));
    }
    // `<meta name="api-token" content="…">`
    if let Some(value) = rest.strip_prefix("content=").filter(|_| is_quoted) {
        return Some(literal(value));
    }
    if let Some(value) = behind_element(rest) {
        return Some(value);
    }
    if let Some(body) = rest.strip_prefix('{') {
        return in_body(body);
    }
    // In a diff and in what is remarked each line has a sign before it.
    let pair = rest.trim_start_matches(BETWEEN);
    let pair = pair.strip_prefix("android:").unwrap_or(pair);
    // `ParameterKey=DbPassword,ParameterValue=…`, of a command.
    if let Some(value) = pair.strip_prefix("ParameterValue=") {
        return (!value.starts_with(['$', '%', '{', '<'])).then(|| setting(value));
    }
    // `-Name "DefaultPassword" -Value "…"`, `reg add … /v DefaultPassword /t REG_SZ /d …`
    if let Some(value) = pair.strip_prefix("-Value ") {
        return Some(literal(value));
    }
    if let Some(value) = pair.strip_prefix("/t REG_SZ /d ") {
        return Some(said(value));
    }
    if let Some(name) = value_name(pair) {
        return in_pair(&pair[name..]);
    }
    if let Some(value) = in_member(rest).filter(|_| is_quoted) {
        return Some(literal(value));
    }
    // `var password string = "…"`, `Dim password As String = "…"`; but `class="token" href="…"`
    // has a name in quotes.
    if is_quoted {
        return None;
    }
    let rest = rest.strip_prefix("As ").unwrap_or(rest);
    let kind = letters_of(rest, 0, 24, dotted);
    let value = rest[kind..].trim_start_matches(BLANKS).strip_prefix('=')?;
    (kind > 0 && !value.starts_with('=')).then(|| literal(value))
}

/// The colon behind what is remarked of a name: `API key (production): …`.
pub(super) fn behind_remark<'a>(name: &Name<'_>, spaced: &'a str) -> Option<&'a str> {
    let remark = spaced.strip_prefix('(')?;
    let length = letters_of(remark, 0, 32, |b| dashed(b) || b == b' ');
    let behind = remark[length..].strip_prefix(')')?;
    let is_remark = length > 0
        && behind.starts_with(": ")
        && name.text[..place_in(name.text, spaced)].ends_with(' ');
    is_remark.then_some(behind)
}

/// `IDENTIFIED WITH some_password BY "…"`, `SET PASSWORD FOR a = PASSWORD("…")`
fn of_user(rest: &str) -> Option<&str> {
    let by = rest
        .strip_prefix("BY ")
        .or_else(|| rest.strip_prefix("by "));
    let whose = || {
        rest.strip_prefix("FOR ")
            .or_else(|| rest.strip_prefix("for "))
    };
    let value = by.or_else(|| Some(whose()?.lines().next()?.split_once(" = ")?.1))?;
    let value = value.strip_prefix("PASSWORD(").unwrap_or(value);
    quote(value).map(|_| value)
}

/// `<key>API_KEY</key>` and `<string>…</string>` below, `<param-name>` and `<param-value>`,
/// `<setting name="…" serializeAs="String"><value>`: a value in an element below its name, and
/// behind short elements between them.
fn behind_element(rest: &str) -> Option<Assigned<'_>> {
    const MOST: usize = 3;
    const NAMES: [&str; 4] = ["key", "name", "stringProp", "Key"];
    // `<name>fs.s3a.secret.key</name>` goes on behind what is known of it.
    let name = letters_of(rest, 0, 24, dotted);
    let (tag, mut next) = rest[name..].split_once('>')?;
    let is_end = match tag.strip_prefix("</") {
        Some(element) => NAMES.iter().any(|it| element.ends_with(it)),
        None => tag.contains("=\"") && tag.ends_with('"') && !tag.contains('<'),
    };
    for _ in 0..MOST {
        if let Some(value) = value_element(next).filter(|_| is_end) {
            return Some(content(value));
        }
        let (_, behind) = next.trim_start().strip_prefix('<')?.split_once("</")?;
        next = behind.split_once('>')?.1;
    }
    None
}

/// Returns the content of an element for a value: `<value>`, `<param-value>`, `<string>`,
/// `<Value Profile="(Default)">`, and `<stringProp name="Argument.value">` of load tests.
pub(super) fn value_element(text: &str) -> Option<&str> {
    const NAMES: [&str; 3] = ["value", "Value", "string"];
    let (tag, content) = text.trim_start().strip_prefix('<')?.split_once('>')?;
    let name = &tag[..letters_of(tag, 0, 40, dashed)];
    let is_value = |name: &str| NAMES.iter().any(|it| name.ends_with(it));
    let is_told = is_value(name) || is_value(tag.trim_end_matches('"'));
    is_told.then_some(content)
}

/// Returns a value that ends where its element does.
fn content(text: &str) -> Assigned<'_> {
    Assigned {
        is_content: true,
        ..setting(text)
    }
}

/// `variable "db_password" {`, and `default = "…"` in it; `string Password { get; set; } = "…"`;
/// `std::string password{"…"}`.
fn in_body(body: &str) -> Option<Assigned<'_>> {
    if let Some(opening) = quote(body) {
        let (_, behind) = body[opening..].split_once(['"', '\''])?;
        return behind.starts_with('}').then(|| literal(body));
    }
    let inside = body.split('}').next().unwrap_or_default();
    if let Some((_, value)) = inside.split_once("default") {
        let value = value.trim_start_matches(BLANKS).strip_prefix('=')?;
        return Some(literal(value));
    }
    let (body, value) = body.split_once('}')?;
    let value = value.trim_start().strip_prefix('=')?;
    body.contains("get;").then(|| literal(value))
}

/// `<add key="Password" value="…"/>`, `"key": "password", "value": "…"`, and in YAML
/// `- name: PASSWORD` with `value: …` below: returns what follows the word for the value.
pub(super) fn in_pair(rest: &str) -> Option<Assigned<'_>> {
    let value = rest.trim_start_matches(['"', '\'', ' ']);
    if let Some(text) = value.strip_prefix(':') {
        let block = in_block(text.trim_start_matches(BLANKS));
        return Some(setting(block.unwrap_or(text)));
    }
    value.strip_prefix('=').map(literal)
}

/// `"key": "password", "type": "text", "value": "…"`: returns the value further on in an object,
/// after members that are literals.
fn in_member(rest: &str) -> Option<&str> {
    const MOST: usize = 3;
    let mut rest = rest;
    for _ in 0..MOST {
        let (name, behind) = line_literal(rest.strip_prefix(',')?)?;
        let value = behind.trim_start_matches(BLANKS).strip_prefix(':')?;
        if name == "value" {
            return Some(value);
        }
        rest = line_literal(value)?.1;
    }
    None
}

/// Returns the length of a word for a value: `value`, `Value`, `ParameterValue`.
pub(super) fn value_name(text: &str) -> Option<usize> {
    let length = letters_of(text, 0, 24, word);
    ["value", "Value"]
        .iter()
        .any(|name| text[..length].ends_with(name))
        .then_some(length)
}

/// Returns the value before its name: `- value: …` with `name: DB_PASSWORD` below.
pub(super) fn before_name<'a>(name: &Name<'a>) -> Option<Assigned<'a>> {
    const SIGNS: [char; 8] = ['"', '\'', ' ', '\t', ':', '=', '\r', '\n'];
    let first = name.first;
    if !name.text[..first].ends_with(['"', '\'', ' ', '=']) {
        return None;
    }
    let before = behind(name.text, first).trim_end_matches(SIGNS);
    let before = ["name", "Name", "key", "Key"]
        .iter()
        .find_map(|known| before.strip_suffix(known))?;
    if let Some(value) = in_tag(before) {
        return Some(literal(ahead(name.text, place_in(name.text, value))));
    }
    let before = before
        .trim_end_matches(|c: char| c.is_ascii_alphanumeric())
        .trim_end_matches([' ', '\t', '"', '\'', '\r', '\n', ',']);
    // `{"value": "…", "name": "…"}`, and one above the other.
    let at = before.rfind(['\n', '{', ',']).map_or(0, |at| at + 1);
    let pair = before[at..].trim_start_matches(['-', ' ', '\t', '"', '\'']);
    let value = pair[value_name(pair)?..].trim_start_matches(['"', '\'']);
    let value = value.strip_prefix(':')?.trim_start_matches(BLANKS);
    let at = place_in(name.text, value);
    Some(setting(ahead(name.text, at)))
}

/// `<add value="…" key="Password"/>`: returns the value before its name in one tag.
fn in_tag(before: &str) -> Option<&str> {
    let tag = &before[before.rfind('<')? + 1..];
    let (_, value) = tag.split_once("value=")?;
    let is_open = !tag.contains('>') && tag.starts_with(|c: char| c.is_ascii_alphabetic());
    is_open.then_some(value)
}

/// `<input type="password" value="…">`: returns the value after the other attributes of an element
/// of this type.
pub(super) fn of_type<'a>(name: &Name<'_>, rest: &'a str) -> Option<Assigned<'a>> {
    let before = &name.text[..name.first];
    let is_type = ["type=\"", "type='"].iter().any(|it| before.ends_with(it));
    let tag = is_type.then(|| rest.split('>').next()).flatten()?;
    let (_, value) = tag.split_once(" value=")?;
    Some(literal(value))
}

/// `"adminPassword": {"value": "…"}`, `"DbPassword": {"Type": "String", "Default": "…"}`
pub(super) fn in_object(text: &str) -> Option<&str> {
    const NAMES: [&str; 4] = ["value", "default", "Default", "defaultValue"];
    let mut inside = text.strip_prefix('{')?.trim_start();
    loop {
        let (name, behind) = line_literal(inside)?;
        let value = behind.trim_start_matches(BLANKS).strip_prefix(':')?;
        if NAMES.contains(&name) {
            return Some(value.trim_start_matches(BLANKS));
        }
        let value = value.trim_start_matches(BLANKS);
        let plain = letters_of(value, 0, 8, |b| b.is_ascii_alphanumeric());
        let behind = if plain > 0 {
            &value[plain..]
        } else {
            line_literal(value)?.1
        };
        inside = behind.strip_prefix(',')?.trim_start();
    }
}

/// `DbPassword:`, and below it, deeper, `Type: String` and `Default: …`.
pub(super) fn declared<'a>(name: &Name<'_>, value: &'a str) -> Option<Assigned<'a>> {
    const MOST_LINES: usize = 8;
    let indent = |line: &str| line.len() - line.trim_start_matches(BLANKS).len();
    let own = indent(line_before(name.text, name.first));
    let below = value.trim_start_matches('\r').strip_prefix('\n')?;
    let lines = below.lines().take(MOST_LINES);
    let mut lines = lines.take_while(|line| indent(line) > own);
    let default = lines.find_map(|line| {
        let line = line.trim_start_matches(BLANKS);
        ["Default:", "default:", "value:"]
            .iter()
            .find_map(|it| line.strip_prefix(it))
    })?;
    let at = place_in(value, default);
    Some(setting(&value[at..]))
}

/// `- --password`, and `- …` below: the next entry of a list of arguments.
pub(super) fn next_entry<'a>(name: &Name<'_>, rest: &'a str) -> Option<Assigned<'a>> {
    let below = rest
        .trim_start_matches(['"', '\'', '\r'])
        .strip_prefix('\n')?;
    let line = line_before(name.text, name.first);
    let mark = line.trim_end_matches(['"', '\'']);
    let is_option = name.text[name.first..].starts_with('-');
    let is_entry = is_option && mark.trim_start_matches(BLANKS) == "- ";
    let value = below.strip_prefix(mark).filter(|_| is_entry)?;
    // `- $(PASSWORD)`, and the next option.
    (!value.starts_with(['$', '-'])).then(|| setting(value))
}

/// `getPassword() { return "…"; }`, `() => "…"`, `def get_password(): return "…"`: returns the
/// literal that a function of this name returns. `rest` is the text after the name.
pub(super) fn returned(rest: &str) -> Option<&str> {
    let behind = rest.strip_prefix("()")?;
    let length = letters_of(behind, 0, 40, |b| word(b) || b" \t\r\n{:>-=.".contains(&b));
    let (between, value) = behind.split_at(length);
    let is_returned = between.trim_end_matches(['(', ' ']).ends_with("return")
        || between.trim_end().ends_with("=>");
    (is_returned && quote(value).is_some()).then_some(value)
}

/// `user, password = "…", "…"`, `const [user, password] = ["…", "…"]`: returns the literal at the
/// position of the name.
pub(super) fn in_literals<'a>(name: &Name<'_>, value: &'a str) -> Option<&'a str> {
    let sign = &name.text[name.end..place_in(name.text, value)];
    let others = names_before(name, sign.contains(']'))?;
    literal_at(others, value).filter(|_| others > 0)
}

/// `password, host = "…", "…"`: does the same where other names follow. `password, host="…"` is
/// part of a call.
pub(super) fn in_more_literals<'a>(name: &Name<'_>, rest: &'a str) -> Option<&'a str> {
    const MOST: usize = 120;
    let more = rest.strip_prefix(',')?;
    let names = letters_of(more, 0, MOST, |b| dotted(b) || b" \t,".contains(&b));
    let (names, sign) = more.split_at(names);
    let closed = sign.strip_prefix(']');
    let sign = closed.unwrap_or(sign).trim_start_matches(' ');
    let value = sign.strip_prefix(":=").or_else(|| sign.strip_prefix('='))?;
    let is_set = closed.is_some() || names.ends_with(' ');
    let others = names_before(name, closed.is_some()).filter(|_| is_set)?;
    let value = literal_at(others, value.trim_start_matches(BLANKS))?;
    let (_, behind) = line_literal(value)?;
    behind.starts_with(',').then_some(value)
}

/// Returns how many names precede this one in its list, which begins its line or, if it `is_closed`,
/// a bracket on it.
fn names_before(name: &Name<'_>, is_closed: bool) -> Option<usize> {
    let line = line_before(name.text, name.first);
    let names = if is_closed {
        line.rsplit_once('[')?.1
    } else {
        line
    };
    let is_list = names.bytes().all(|b| dotted(b) || b" \t,".contains(&b));
    is_list.then(|| names.matches(',').count())
}

/// Returns the literal behind so many others, and behind the bracket that opens before them.
fn literal_at(others: usize, value: &str) -> Option<&str> {
    let mut value = value.strip_prefix('[').unwrap_or(value);
    for _ in 0..others {
        let (_, behind) = line_literal(value)?;
        value = behind.strip_prefix(',')?.trim_start_matches(BLANKS);
    }
    quote(value).map(|_| value)
}

/// Returns the value in the first row of a Markdown table, below the name of its column.
pub(super) fn in_table<'a>(name: &Name<'_>, rest: &'a str) -> Option<Assigned<'a>> {
    let before = line_before(name.text, name.first);
    if !rest.starts_with('|') || !before.trim_start().starts_with('|') {
        return None;
    }
    let columns = before.matches('|').count();
    // `| DB password | … |`: a name in the first column, and its value in the second.
    let (_, second) = rest.lines().next()?.split_once('|')?;
    let cell = second.split('|').next()?.trim_matches([' ', '`']);
    if columns == 1 && is_made(cell) && !cell.contains(BLANKS) {
        return Some(in_cell(second));
    }
    let mut lines = rest.lines().skip(1);
    let line = lines.next()?;
    let row = lines.next()?;
    let is_line = line.contains('-') && line.bytes().all(|b| b"|-: \t".contains(&b));
    let (at, _) = row
        .match_indices('|')
        .nth(columns - 1)
        .filter(|_| is_line)?;
    Some(in_cell(&row[at + 1..]))
}

/// What stands in a cell, as code or as it is.
fn in_cell(cell: &str) -> Assigned<'_> {
    let value = cell.trim_start_matches(' ');
    if value.starts_with('`') {
        return literal(value);
    }
    said(value)
}

/// Returns the value in the first row of a CSV-like list, below its name: `user,password` and
/// `bob,…`. After `COPY … FROM stdin` blanks may separate the columns.
pub(super) fn in_columns<'a>(name: &Name<'_>, rest: &'a str) -> Option<Assigned<'a>> {
    let before = line_before(name.text, name.first);
    let (line, below) = rest.split_once('\n')?;
    let column = column(before, line.trim_end_matches('\r'))?;
    let value = column.value(below.lines().next()?)?;
    Some(said(value.trim_start_matches('"')))
}

/// The column of a table that a name heads.
pub(super) struct Column {
    /// The character between columns.
    pub(super) sign: char,
    pub(super) at: usize,
    /// How many separators a row has.
    pub(super) count: usize,
}

impl Column {
    /// Returns the value in a row with as many columns as the head.
    pub(super) fn value<'a>(&self, row: &'a str) -> Option<&'a str> {
        let mut in_quotes = false;
        let is_end = |c: char| {
            in_quotes ^= c == '"' && self.sign != '|';
            c == self.sign && !in_quotes
        };
        let cells: Vec<&str> = row.split(is_end).take(self.count + 2).collect();
        cells
            .get(self.at)
            .copied()
            .filter(|_| cells.len() == self.count + 1)
    }
}

/// Returns the column of a name, with the names `before` it and those after it on its `line`.
pub(super) fn column(before: &str, line: &str) -> Option<Column> {
    let copied = line.strip_suffix(") FROM stdin;");
    let (names, more) = match copied {
        Some(more) => (before.rsplit('(').next()?, more),
        None => (before, line),
    };
    let between = |sign: &char| names.contains(*sign) || more.contains(*sign);
    let sign = [',', ';', '\t'].into_iter().find(between)?;
    let is_name = |c: char| c == sign || c.is_ascii() && dotted(c as u8) || matches!(c, ' ' | '"');
    let is_head = names.chars().chain(more.chars()).all(is_name);
    let begins = names.is_empty() || names.trim_end_matches([' ', '"']).ends_with(sign);
    let next = more.trim_start_matches('"');
    let ends = next.is_empty() || next.starts_with(sign);
    let at = names.matches(sign).count();
    // What is indented, or ends a statement, is no column.
    let heads = [names.trim_matches('"'), more.trim_matches('"')];
    let is_indented = heads.iter().any(|it| it.starts_with('\t') && it.len() == 1)
        || names.starts_with(sign)
        || more.ends_with(sign);
    let column = Column {
        sign: copied.map_or(sign, |_| '\t'),
        at,
        count: at + more.matches(sign).count(),
    };
    (is_head && begins && ends && !is_indented).then_some(column)
}

/// `the password is …`, `password …` alone on a line of settings.
pub(super) fn said_value<'a>(name: &Name<'_>, spaced: &'a str) -> Option<Assigned<'a>> {
    if !name.is_password {
        // `spark.hadoop.fs.s3a.secret.key …`
        let own = &name.text[name.first..name.end];
        let value = spaced.lines().next()?.trim_end();
        let is_setting = own.matches('.').count() >= 2 && starts_line(name);
        let is_alone = value.len() >= 20 && !value.contains(BLANKS) && quote(value).is_none();
        return (is_setting && is_alone).then(|| said(spaced));
    }
    if let Some(value) = spaced.strip_prefix("is ") {
        return Some(said(value));
    }
    // How it is written stands before it: `password 0 …`, of switches and routers.
    let spaced = ["0 ", "7 "]
        .iter()
        .find_map(|it| spaced.strip_prefix(it))
        .unwrap_or(spaced);
    let line = spaced.lines().next()?.trim_end();
    let is_alone = starts_line(name) && !line.contains(BLANKS) && quote(line).is_none();
    let is_alone = is_alone && !names_algorithm(line);
    is_alone.then(|| said(spaced))
}

/// Returns a value among words.
pub(super) fn said(text: &str) -> Assigned<'_> {
    Assigned {
        is_bare: true,
        ..setting(text)
    }
}

/// `ConvertTo-SecureString -String -Force …`: returns the text to secure, after the options.
pub(super) fn secured(rest: &str) -> Assigned<'_> {
    let mut value = rest;
    let options = ["-String ", "-AsPlainText ", "-Force "];
    while let Some(behind) = options.iter().find_map(|it| value.strip_prefix(it)) {
        value = behind.trim_start_matches(BLANKS);
    }
    said(value)
}

#[cfg(test)]
mod tests {
    use super::super::find;

    const P: &str = "x9Kq2mZ7vB4nT1wY8rL5";

    #[test]
    fn a_value_is_told_behind_what_else_is_said_of_it() {
        for text in [
            format!("ALTER USER a IDENTIFIED WITH caching_sha2_password BY '{P}';"),
            format!("SET PASSWORD FOR 'a'@'%' = PASSWORD('{P}');"),
            format!("<meta name=\"api-token\" content=\"{P}\">"),
            format!("<property name=\"password\"><value>{P}</value></property>"),
            format!("<property name=\"password\">\n  <value>{P}</value>\n</property>"),
            format!("<constructor-arg name=\"password\"><value>{P}</value>"),
            format!("<param-name>dbPassword</param-name>\n<param-value>{P}</param-value>"),
            format!(
                "<init-param>\n<param-name>password</param-name>\n<param-value>{P}</param-value>"
            ),
            format!(
                "<env-entry-name>dbPassword</env-entry-name><env-entry-type>String</env-entry-type>\
                 <env-entry-value>{P}</env-entry-value>"
            ),
            format!("<entry key=\"secretKey\"><value>{P}</value>"),
            format!(
                "<Setting Name=\"ApiSecret\" Type=\"System.String\" Scope=\"User\">\n  \
                     <Value Profile=\"(Default)\">{P}</Value>"
            ),
            format!("<void property=\"password\"><string>{P}</string></void>"),
            format!("<setting name=\"password\"><value>{P}</value></setting>"),
            format!(
                "<name>db.password</name>\n<description>of it</description>\n<value>{P}</value>"
            ),
            format!("<setting name=\"ApiKey\" serializeAs=\"String\"><value>{P}</value>"),
            format!("<AdminPassword>\n  <Value>{P}</Value>"),
            format!("API_TOKEN:\n  value: \"{P}\"\n  description: x\n"),
            format!("{{:api-key \"{P}\"}}"),
            format!("fill_in 'Password', with: '{P}'"),
            format!("| DB password | {P} |\n"),
            format!("| API key | `{P}` | of the tests |\n"),
            "| user | password |\n|---|---|\n| bob | `Winter2025#nAr` |\n".to_owned(),
            format!(
                "\"db_password\": {{\"sensitive\": true, \"type\": \"string\", \"value\": \"{P}\"}}"
            ),
            format!("API key (production): {P}\n"),
            format!("${{PASSWORD}}    {P}\n"),
            format!(
                "<stringProp name=\"Argument.name\">password</stringProp>\n  \
                     <stringProp name=\"Argument.value\">{P}</stringProp>"
            ),
            format!("val secret: String by lazy {{ \"{P}\" }}"),
            format!("PASSWORD=$(echo '{P}')\n"),
            format!("[x](https://x.org/?api_key={P})"),
            format!("<https://x.org/?api_key={P}> and more"),
            "\"env: WANDB_API_KEY=8e1f2d3c9b5a69788f96a5b4c3d2e7f00b02cd04\\n\"".to_owned(),
            format!("if pw == \"{P}\" {{"),
            "API_KEY=bqWMpzKt.x9Kq2mZ7vB4nT1wY8rL5pD3s\n".to_owned(),
            "client_secret = 'x9KqFpNjHoAf4_XczYwhYicTl'".to_owned(),
            "ado_pat = \"k3fmqb6xjrwmit67anzbot64umhx2clvx7dz5ynqi4q2z3ugepvq\"".to_owned(),
            "Unseal Key 2: q7Zn+3QRCxwhpHvTm5/dC8LkP2JGIbXl9PK4Sy61R+N7\n".to_owned(),
            "env.put(Context.SECURITY_CREDENTIALS, \"Winter2025#nAr\");".to_owned(),
            format!("let secret: Option<String> = Some(\"{P}\".into());"),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_value_is_told_that_stands_apart_from_its_name() {
        for text in [
            format!("- value: {P}\n  name: DB_PASSWORD\n"),
            format!("+- name: DB_PASSWORD\n+  value: {P}\n"),
            format!("# - name: DB_PASSWORD\n#   value: {P}\n"),
            format!("$ export DB_PASSWORD={P}!x\n"),
            format!("Password:\n{P}\n"),
            format!("API key:\n\n```\n{P}\n```\n"),
            format!("> DB_PASSWORD={P}!x\n"),
            format!("\u{1b}[36;1mDB_PASSWORD={P}\u{1b}[0m\n"),
            format!("curl -H &quot;X-API-Key: {P}&quot; https://x"),
            format!("\"curl -H \\\"X-API-Key: {P}\\\" https://x\""),
            format!("+setx API_KEY {P}\n"),
            format!("\"deploy\": \"run --user a --password {P} x\","),
            format!("\"deploy\": \"run --user a --password {P}\","),
            format!("\"source\": [\"!login --user a --api-key {P}\\n\"]"),
            format!("$ setx API_KEY {P}\n"),
            format!("--override name=DB_PASSWORD,value={P},type=PLAINTEXT"),
            format!("--override name=API_KEY,value={P}"),
            format!("Set-ItemProperty -Name \"DefaultPassword\" -Value \"{P}\""),
            format!("reg add HKLM\\x /v DefaultPassword /t REG_SZ /d {P} /f"),
            format!("spark.hadoop.fs.s3a.secret.key {P}{P}\n"),
            format!("proxy_set_header X-Api-Key \"{P}\";"),
            format!("wmic /node:h /user:me /password:{P} os"),
            format!("xpack.encryptedSavedObjects.encryptionKey: {P}\n"),
            format!("$CFG->dbpass    = '{P}';"),
            "CODECOV_TOKEN: 5d2f6a31-9c0b-4f7e-8a16-3e0b7c9d1f24\n".to_owned(),
            "X-Consul-Token: 5d2f6a31-9c0b-4f7e-8a16-3e0b7c9d1f24\n".to_owned(),
            "- \"me:$apr1$x9Kq2mZ7$vB4nT1wY8rL5pD3sF6gH0j\"\n".to_owned(),
            format!("https://{P}@gem.fury.io/a/"),
            format!("{{\"value\": \"{P}\", \"name\": \"DB_PASSWORD\"}}"),
            format!("{{\n  \"Value\": \"{P}\",\n  \"Key\": \"ApiToken\"\n}}"),
            format!("\"ParameterKey\": \"DBPassword\",\n \"ParameterValue\": \"{P}\""),
            format!("ParameterKey=DBPassword,ParameterValue={P} ParameterKey=A,ParameterValue=b"),
            format!("- {{ name: 'DB_PASSWORD', value: '{P}' }}"),
            format!("<name>fs.s3a.secret.key</name>\n <value>{P}{P}</value>"),
            format!("\"adminPassword\": {{\n  \"value\": \"{P}\"\n}}"),
            format!("user, password = \"admin\", \"{P}\""),
            format!("speech_key, service_region = \"{P}\", \"westeurope\""),
            format!("const [apiKey, region] = [\"{P}\", \"eu\"];"),
            format!("const [region, apiKey] = [\"eu\", \"{P}\"];"),
            format!("\tuser, password := \"svc\", \"{P}\""),
            format!("\tuser, password, host := \"svc\", \"{P}\", \"h\""),
            format!("| user | password |\n|---|---|\n| admin | {P} |\n"),
            format!("| user | password |\n|---|---|\n| admin | `{P}` |\n"),
            format!("user,password\nbob,{P}\n"),
            format!("User name,Password,Console login link\nbob,{P},https://x\n"),
            format!("id;user;password\n1;bob;{P}\n"),
            format!("id\tuser\tpassword\n1\tbob\t{P}\n"),
            format!("db: {{user: bob, password: {P}!x, port: 1}}\n"),
            format!("Environment=DB_PASSWORD={P}!x\n"),
            format!("config:\n  app:dbPassword: {P}!x\n"),
            format!("password:\n  {P}\n"),
            format!("API_KEYS = [\"{P}{P}\"]\n"),
            format!("api_key: Optional[str] = \"{P}{P}\"\n"),
            format!("api_key: str | None = \"{P}{P}\"\n"),
            format!("p.add_argument(\"--token\", default=\"{P}{P}\")\n"),
            format!("env::var(\"API_KEY\").unwrap_or(\"{P}{P}\".into())\n"),
            format!("COPY public.users (id, password) FROM stdin;\n1\t{P}\n"),
            format!("key \"k\" {{ secret \"{P}{P}\"; }};"),
            format!("const password = <string>'{P}';"),
            format!("std::string password{{\"{P}\"}};"),
            format!("* **Password:** {P}\n"),
            format!("**Password**: `{P}`\n"),
            format!("# TODO: the password is {P}\n"),
            format!("db.password {P}\n"),
            format!("db.password=\\\n  {P}\n"),
            format!("rootpw {P}\n"),
            format!("<password><![CDATA[{P}]]></password>"),
            format!("SetEnv DB_PASSWORD {P}\n"),
            format!("fastcgi_param DB_PASSWORD {P};\n"),
            format!("secret \"{P}{P}\";\n"),
            format!("[\"redis-server\", \"--requirepass\", \"{P}\"]"),
            format!("\"args\": [\n  \"--password\",\n  \"{P}\"\n]"),
            format!("args:\n  - --password\n  - {P}\n"),
            format!("args:\n- \"--token\"\n- \"{P}\"\n"),
            format!("DbPassword:\n  Type: String\n  Default: {P}\n"),
            format!("\"DbPassword\": {{\"Type\": \"String\", \"Default\": \"{P}\"}}"),
            format!("\"adminPassword\": {{\"type\": \"string\", \"defaultValue\": \"{P}\"}}"),
            format!("{{\"key\": \"apiKey\", \"type\": \"string\", \"value\": \"{P}\"}}"),
            format!("<add value=\"{P}\" key=\"ApiSecret\"/>"),
            format!("<property value=\"{P}\" name=\"db.password\"/>"),
            format!("<meta-data android:value=\"{P}\" android:name=\"x.ApiKey\"/>"),
            format!("<meta-data android:name=\"x.ApiKey\" android:value=\"{P}\"/>"),
            format!("<input type=\"password\" name=\"p\" value=\"{P}\">"),
            format!("def get_password():\n    return \"{P}\"\n"),
            format!("String getPassword() {{ return \"{P}\"; }}"),
            format!("const getApiKey = () => \"{P}\";"),
            format!("cy.get('#password').type('{P}')"),
            format!("setx API_TOKEN \"{P}\"\n"),
            format!("set(API_KEY \"{P}\")\n"),
            format!("(setq openai-api-key \"{P}\")\n"),
            format!("buildConfigField \"String\", \"API_KEY\", \"\\\"{P}\\\"\"\n"),
            format!("username admin password 0 {P}\n"),
            format!("ConvertTo-SecureString -String '{P}' -AsPlainText"),
            format!("# pw: {P}\n"),
            format!("/* pass = {P} */"),
            format!("API key: {P}\n"),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_value_is_told_behind_names_of_two_words_and_names_run_together() {
        for text in [
            "SECRET KEY: x9Kq2mZ7vB4nT1w\n".to_owned(),
            "Authentication key:x9Kq2mZ7vB4nT1w\n".to_owned(),
            "Activation key : QZWSX-KDCRV-VGBTY-HNRUJ-KMLPQ\n".to_owned(),
            "license_key = \"QZ2S-K4CR-VGB7-HNRU\"\n".to_owned(),
            format!("user: bob, secret key: {P}, region: eu\n"),
            format!("user: bob token: {P} region: eu\n"),
            format!("run -secret {P} -v\n"),
            "export MYSQLPASS=kobRt47Ln!\n".to_owned(),
            "\"mysqlpass\": \"kobRt47Ln!\"".to_owned(),
            "X3_PSWD=kobRt47Ln!\n".to_owned(),
            "DBPSWD=kobRt47Ln!\n".to_owned(),
            "PASSWRD=kobRt47Ln!\n".to_owned(),
            "ConvertTo-SecureString -String -Force kobRt#Ln7$s\n".to_owned(),
            "ConvertTo-SecureString -AsPlainText 'kobRt#Ln7$s' -Force\n".to_owned(),
            format!("%define token {P}\n"),
            format!("%global api_key {P}\n"),
            format!("u = \"https://x.org/?a%3D1%26token%3D{P}%26b%3D2\"\n"),
            "exec(\"CREATE USER bob IDENTIFIED BY kobRt47LnQ\")".to_owned(),
        ] {
            assert_eq!(find(&text).len(), 1, "{text}");
        }
    }

    #[test]
    fn what_is_no_value_of_a_name_is_not_told() {
        for text in [
            "- value: correct-horse\n  name: DB_PASSWORD\n",
            "- value: x9Kq2mZ7vB4nT1wY\n  name: DB_HOST\n",
            "- value: x9Kq2mZ7vB4nT1wY\n- name: DB_PASSWORD\n",
            "\"adminPassword\": {\n  \"value\": \"[parameters('x1Y2')]\"\n}",
            "ParameterKey=DBPassword,ParameterValue=$DB_Passw0rd1\n",
            "\"adminPassword\": {\n  \"type\": \"x9Kq2mZ7vB4nT1wY\"\n}",
            "user, password = get(\"x9Kq2mZ7vB4nT1wY\"), \"x\"",
            "connect(user, password, host=\"x9Kq2mZ7vB4nT1wY\", port=1)",
            "    user, password, host=\"x9Kq2mZ7vB4nT1wY\", port=1)",
            "password, host = \"none\", \"x9Kq2mZ7vB4nT1wY\"",
            "password, host = split(\"x9Kq2mZ7vB4nT1wY\")",
            "| user | password |\n|---|---|\n| x9Kq2mZ7vB4nT1wY | none |\n",
            "| user | password |\n| x9Kq2mZ7vB4nT1wY | x9Kq2mZ7vB4nT1wY |\n",
            "the password is Policy12Checks\n",
            "password pbkdf2Sha256\n",
            "- **Password:** MinLength8Chars\n",
            "- **Password:** Argon2id/BCrypt12\n",
            "password Policy12Checks\n",
            "the password is required2Times\n",
            "**Password:** Required2Times\n",
            "f(user,password\n  x9Kq2mZ7vB4nT1wY8rL5, x9Kq2mZ7vB4nT1wY8rL5)",
            "user,password\nx9Kq2mZ7vB4nT1wY8rL5,none\n",
            "user,password\nbob,a,x9Kq2mZ7vB4nT1wY8rL5\n",
            "user;password\nbob,x9Kq2mZ7vB4nT1wY8rL5\n",
            "\ttoken\n\tx9Kq2mZ7vB4nT1wY8rL5\n",
            "password;\nx9Kq2mZ7vB4nT1wY8rL5;\n",
            "password:\n    cfg?.E2ePassw0rdX,\n",
            "{ user, password: process.env.DbPassword1! }",
            "{ user, password: vault.DB1pass|quote, b }",
            "def f(password: str, path=\"/v1/Users8rL5pD3sF6gH0\")",
            "token = [\"PyJWT==2.8.0\"]\n",
            "password = [\"argon2-cffi==23.1.0\"]\n",
            "password:\n  type: x9Kq2mZ7vB4nT1wY8rL5\n",
            "password:\ncorrect-horse\n",
            "token:\nname = x9Kq2mZ7vB4nT1wY8rL5\n",
            "password:\n  correct-horse\n",
            "args:\n  - --password\nx9Kq2mZ7vB4nT1wY8rL5\n",
            "args:\n  - --password\n  - --x9Kq2mZ7vB4nT1wY8rL5\n",
            "args:\n  - --password\n  - $(DB_Passw0rd1X)\n",
            "DbPassword:\n  Type: String\nDefault: x9Kq2mZ7vB4nT1wY8rL5\n",
            "DbPassword:\n  Type: x9Kq2mZ7vB4nT1wY8rL5\n  NoEcho: true\n",
            "<add value=\"x9Kq2mZ7vB4nT1wY8rL5\"/><add key=\"ApiSecret\"/>",
            "<input type=\"password\"><input value=\"x9Kq2mZ7vB4nT1wY8rL5\">",
            "def get_password():\n    return hash(\"x9Kq2mZ7vB4nT1wY8rL5\")\n",
            "String getPassword() { log(\"x9Kq2mZ7vB4nT1wY8rL5\"); }",
            "{\"key\": \"apiKey\", \"id\": \"x9Kq2mZ7vB4nT1wY8rL5\"}",
            "SPW: x9Kq2mZ7vB4nT1wY8rL5\n",
            "Public API key: x9Kq2mZ7vB4nT1wY8rL5\n",
            "set(PASSWORD_STORE x9Kq2mZ7vB4nT1wY8rL5)\n",
            "setx PASSWORD %DB_PASSWORD1%\n",
            "def get_token(): return \"application/vnd.GitHub.v3+json\"\n",
            "<param value=\"x9Kq2mZ7vB4nT1wY8rL5\" name=\"tokenEncoding\"/>",
            "The API key is x9Kq2mZ7vB4nT1wY8rL5-based, see below\n",
            "if (a) { password: self.settings.password, b }",
            "nid_key = self._lib.NID_pbe_WithSHA1And3_Key_TripleDES_CBC\n",
            "token = \"Bearer example\"\n",
            "\"auth-token\": [\"auth-token@5.0.3\", \"\", {}, \"sha512-x9Kq2mZ7vB4nT1wY8rL5\"]",
            "a_secret \"x9Kq2mZ7vB4nT1wY8rL5\";",
            "let Password { x9Kq2mZ7vB4nT1wY } = it;",
            "- Pass `--disable-warning=FSTWRN003` to disable a specific warning\n",
            "protobuf_key:\"bytes,1,opt,name=key,proto3\" protobuf_val:\"bytes,2,opt\"",
            "(\"def f() -> 'MyType': pass\", \"'MyType'\"),\n",
            "'Lock-Token': 'urn:uuid:a515cfa4-5da4-22e1-f5b5-00a0451e6bf7',\n",
            "'X-CSRF-Token': 'x9Kq2mZ7vB4nT1wY8rL5',\n",
            "<password><![CDATA[correct horse battery]]></password>",
            "<property name=\"password\"><ref>x9Kq2mZ7vB4nT1wY8rL5</ref>",
            "<property name=\"password\"><value>correct horse</value>",
            "<property name=\"passwordFile\"><value>x9Kq2mZ7vB4nT1wY8rL5</value>",
            "<param-name>password</param-name>\n<value>a</value><value>x9Kq2mZ7vB4nT1wY8rL5</value>",
            "<user>password</user><value>x9Kq2mZ7vB4nT1wY8rL5</value>",
            "export BYPASS=kobRt47Ln!\n",
            "kRSAPSK:-aDSS:-3DES:!DES:!RC4:!RC2:!IDEA\n",
            "License key: XXXXX-XXXXX-XXXXX-XXXXX-XXXXX\n",
            "Product key: BASED-ON-SOME-WORDS\n",
            "Serial number: 2024-1000-2025-2000\n",
            "Access key: AccessKeyOfUser\n",
            "%define token_name some12name34of\n",
            "cipher --mode ctr --key b331133eb742497c67ced9520c9a7de3 --iv 1\n",
            "?a%3D1%26token%3Dsome-name%26b%3D2\n",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn the_number_of_a_key_is_told() {
        for text in [
            "apikey: \"12345678-1234-1234-1234-123456789012\"",
            "api_key = 'sk-12345678901234567890'",
            "X-Server-Token: 25dbcf92-d1b7-48fc-a036-5e067e686f64\n",
            "config.pepper = 'fc8fb74ce9b4bfdc350d5c2db1330da2532764345dabe637'\n",
            "DB_PW=x9Kq2mZ7vB4n\n",
            "export SSHPASS=x9Kq2mZ7vB4n\n",
            "pass_phrase=x9Kq2mZ7vB4n\n",
            "npmAuthIdent: \"ci:x9Kq2mZ7vB4n\"\n",
            "TWILIO_AUTH=61c6cfc6693a49062c87213f87fe2094\n",
            "SDK_SK=SGy3FKyE87SUImEgNjVkmbb1qRK8v0Sq\n",
            "lösenord: x9Kq2mZ7vB4n\n",
            "비밀번호: x9Kq2mZ7vB4n\n",
        ] {
            assert_eq!(find(text).len(), 1, "{text}");
        }
        for text in [
            "apikey: \"00000000-0000-0000-0000-000000000000\"",
            "page_token: \"25dbcf92-d1b7-48fc-a036-5e067e686f64\"",
            "draw_pwm = x9Kq2mZ7vB4n\n",
            "pepper = 'salt and more of it'\n",
        ] {
            assert!(find(text).is_empty(), "{text}");
        }
    }
}
