//! Results as CI systems read them: the XML of `JUnit`.

use super::Outcome;

/// Writes the results of all cases.
pub(super) fn report(outcomes: &[Outcome]) -> String {
    let failed = outcomes.iter().filter(|outcome| !outcome.passed).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites tests=\"{0}\" failures=\"{failed}\">\n\
         <testsuite name=\"packer test\" tests=\"{0}\" failures=\"{failed}\" errors=\"0\">\n",
        outcomes.len()
    );
    for outcome in outcomes {
        let name = escaped(&outcome.case);
        text.push_str(&format!("<testcase classname=\"packer\" name=\"{name}\""));
        let warnings = match outcome.warnings.join("\n") {
            told if told.is_empty() => String::new(),
            told => format!("<system-out>{}</system-out>\n", escaped(&told)),
        };
        if outcome.passed {
            let rest = if warnings.is_empty() {
                "/>\n".to_owned()
            } else {
                format!(">\n{warnings}</testcase>\n")
            };
            text.push_str(&rest);
            continue;
        }
        let first = outcome.failures.first().map_or("", String::as_str);
        let mut all = outcome.failures.join("\n");
        if let Some(lines) = &outcome.difference {
            all.push('\n');
            all.push_str(lines);
        }
        text.push_str(&format!(
            ">\n<failure message=\"{}\">{}</failure>\n{warnings}</testcase>\n",
            escaped(first),
            escaped(&all)
        ));
    }
    text.push_str("</testsuite>\n</testsuites>\n");
    text
}

/// Escapes a text for XML; characters that XML cannot contain become U+FFFD.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_takes_for_its_own_is_escaped() {
        let outcome = |failures: &[&str]| Outcome {
            case: "a&b.yaml".into(),
            passed: failures.is_empty(),
            tokens: None,
            budget: None,
            warnings: Vec::new(),
            difference: None,
            failures: failures.iter().map(|it| (*it).to_owned()).collect(),
        };
        let text = report(&[
            outcome(&[]),
            outcome(&["it holds `<a \"b\">`\u{1}", "more"]),
        ]);
        assert!(text.contains("tests=\"2\" failures=\"1\""));
        assert!(text.contains("<testcase classname=\"packer\" name=\"a&amp;b.yaml\"/>"));
        let told = "it holds `&lt;a &quot;b&quot;&gt;`\u{fffd}";
        assert!(text.contains(&format!(
            "<failure message=\"{told}\">{told}&#10;more</failure>"
        )));
    }
}
