//! A prompt as messages for a model.

use serde::Serialize;

/// A message, as the APIs of the model providers take it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Message {
    /// Who says it.
    pub role: Speaker,
    /// Its parts, which follow each other with nothing between them.
    pub content: Vec<TextPart>,
}

/// Who says a [`Message`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Speaker {
    /// The instructions for the whole conversation.
    System,
    /// What the model is to answer.
    User,
}

/// A part of a [`Message`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TextPart {
    /// Always `text`.
    #[cfg_attr(feature = "cli", schemars(extend("const" = "text")))]
    pub r#type: &'static str,
    /// What it says.
    pub text: String,
    /// Whether a provider should cache the messages up to the end of this part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_control: Option<CacheControl>,
}

/// How a provider should cache what it has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CacheControl {
    /// Always `ephemeral`: for some minutes.
    #[cfg_attr(feature = "cli", schemars(extend("const" = "ephemeral")))]
    pub r#type: &'static str,
}

/// Where a prompt is cut into messages and their parts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layout {
    /// Where the system message ends, in bytes; 0 if there is none.
    pub(crate) system: usize,
    /// Where parts end, in bytes, starting with the place that is marked before all others.
    pub(crate) ends: Vec<usize>,
    /// Where other parts end.
    pub(crate) others: Vec<usize>,
    /// How many of them may be marked.
    pub(crate) cache_points: usize,
}

impl Layout {
    /// Returns where parts of the text end, in order.
    pub(crate) fn places(&self, text: &str) -> Vec<usize> {
        let is_place = |end: &&usize| **end > 0 && text.is_char_boundary(**end);
        let ends = self.ends.iter().chain(&self.others).filter(is_place);
        let mut ends: Vec<usize> = ends.copied().collect();
        ends.sort_unstable();
        ends.dedup();
        ends
    }

    /// Cuts the text. Only blank lines between the messages are lost.
    pub(crate) fn cut(&self, text: &str) -> Vec<Message> {
        let mut ends = self.places(text);
        let mut marked: Vec<usize> = Vec::new();
        for end in &self.ends {
            if marked.len() < self.cache_points && ends.contains(end) && !marked.contains(end) {
                marked.push(*end);
            }
        }
        if ends.last() != Some(&text.len()) {
            ends.push(text.len());
        }
        let (system, user) = (
            text[..self.system].trim_end(),
            text[self.system..].trim_start(),
        );
        let mut messages = Vec::new();
        if !system.trim().is_empty() {
            let is_marked = marked.contains(&self.system);
            messages.push(Message {
                role: Speaker::System,
                content: vec![part(system.trim_start(), is_marked)],
            });
        }
        let from = text.len() - user.len();
        let mut start = from;
        let mut content = Vec::new();
        for end in ends.into_iter().filter(|end| from < *end) {
            // A part of a message has to say something.
            let said = &text[start..end];
            if !said.trim().is_empty() {
                content.push(part(said, marked.contains(&end)));
                start = end;
            }
        }
        messages.push(Message {
            role: Speaker::User,
            content,
        });
        messages
    }
}

fn part(text: &str, is_marked: bool) -> TextPart {
    TextPart {
        r#type: "text",
        text: text.to_owned(),
        cache_control: is_marked.then_some(CacheControl {
            r#type: "ephemeral",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "You work.\n\nConventions\n\nFiles\n\nDo it.\n";

    fn cut(ends: &[usize], cache_points: usize) -> Vec<(Speaker, Vec<(String, bool)>)> {
        let layout = Layout {
            system: "You work.".len(),
            ends: ends.to_vec(),
            others: Vec::new(),
            cache_points,
        };
        let told = |part: TextPart| (part.text, part.cache_control.is_some());
        let messages = layout.cut(TEXT).into_iter();
        messages
            .map(|it| (it.role, it.content.into_iter().map(told).collect()))
            .collect()
    }

    #[test]
    fn parts_end_where_they_are_to_and_the_first_places_are_marked() {
        let at = |word: &str| TEXT.find(word).unwrap() + word.len();
        let ends = [at("Conventions"), at("Files"), TEXT.len()];
        let messages = cut(&ends, 2);
        let expected = vec![
            (Speaker::System, vec![("You work.".into(), false)]),
            (
                Speaker::User,
                vec![
                    ("Conventions".into(), true),
                    ("\n\nFiles".into(), true),
                    ("\n\nDo it.\n".into(), false),
                ],
            ),
        ];
        assert_eq!(messages, expected);
    }

    #[test]
    fn a_place_without_a_word_before_it_is_none() {
        let end = "You work.".len();
        let messages = cut(&[end, end + 2, TEXT.len() + 9], 4);
        assert_eq!(messages[0].1, [("You work.".to_owned(), true)]);
        assert_eq!(messages[1].1.len(), 1);
        assert!(!messages[1].1[0].1);
    }

    #[test]
    fn a_prompt_without_a_system_message_is_one_message() {
        let messages = Layout::default().cut("Do it.");
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0].role, Speaker::User);
        assert_eq!(messages[0].content[0].text, "Do it.");
    }
}
