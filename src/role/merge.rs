//! Lays a child role over its parent.

use super::node::{Label, Node, Value};

/// Merges a child's file over its parent's.
///
/// Scalars override; `flags` and `gates` append; `context` and `config` merge deeply, with maps
/// merged and lists appended, the parent's entries first. In `priority_order` the child's keys come
/// first. The child's additions to the system prompt follow the prompt, whether it is the child's
/// own or the parent's.
pub fn over(parent: &Node, child: &Node) -> Node {
    let mut merged = match (&parent.value, &child.value) {
        (Value::Map(parent), Value::Map(child)) => entries(parent, child, &field, &says_nothing),
        _ => return child.clone(),
    };
    add_to_prompt(&mut merged);
    Node {
        value: Value::Map(merged),
        at: child.at.clone(),
    }
}

type Entries = [(Label, Node)];
type Rule<'a> = dyn Fn(&str, &Node, &Node) -> Node + 'a;
type Silence = dyn Fn(&str, &Node) -> bool;

fn entries(
    parent: &Entries,
    child: &Entries,
    rule: &Rule<'_>,
    silent: &Silence,
) -> Vec<(Label, Node)> {
    let mut merged = parent.to_vec();
    for (label, node) in child {
        let inherited = || parent.iter().any(|(have, _)| have.name == label.name);
        if silent(&label.name, node) && inherited() {
            continue;
        }
        match merged.iter_mut().find(|(have, _)| have.name == label.name) {
            Some((have, value)) => {
                *value = rule(&label.name, value, node);
                have.at = label.at.clone();
            }
            None => merged.push((label.clone(), node.clone())),
        }
    }
    merged
}

/// Whether a key has no value, so that the parent's counts. In an extension, null is a value.
fn says_nothing(name: &str, node: &Node) -> bool {
    matches!(node.value, Value::Null) && !name.starts_with("x-")
}

/// Applies the rule for a role's own fields.
fn field(name: &str, parent: &Node, child: &Node) -> Node {
    match name {
        // It is passed on unread, and to whoever reads it null may be an answer.
        "config" => deep(name, parent, child, &|_, _| false),
        "flags" | "gates" | "context" => deep(name, parent, child, &says_nothing),
        _ => child.clone(),
    }
}

fn deep(name: &str, parent: &Node, child: &Node, silent: &Silence) -> Node {
    let value = match (&parent.value, &child.value) {
        (Value::Map(parent), Value::Map(child)) => {
            let rule = |name: &str, parent: &Node, child: &Node| deep(name, parent, child, silent);
            Value::Map(entries(parent, child, &rule, silent))
        }
        (Value::List(parent), Value::List(child)) if name == "priority_order" => {
            Value::List(raise(parent, child))
        }
        (Value::List(parent), Value::List(child)) => {
            Value::List(parent.iter().chain(child).cloned().collect())
        }
        _ => return child.clone(),
    };
    Node {
        value,
        at: child.at.clone(),
    }
}

/// Returns the child's keys, then those of the parent that the child does not name.
fn raise(parent: &[Node], child: &[Node]) -> Vec<Node> {
    let named = |node: &&Node| !child.iter().any(|have| have.as_text() == node.as_text());
    child
        .iter()
        .chain(parent.iter().filter(named))
        .cloned()
        .collect()
}

/// Moves the additions after the prompt, with a blank line between them.
fn add_to_prompt(merged: &mut Vec<(Label, Node)>) {
    let Some(at) = merged
        .iter()
        .position(|(label, _)| label.name == "system_prompt_additions")
    else {
        return;
    };
    let Some(additions) = merged[at].1.as_text().map(str::to_owned) else {
        return;
    };
    let (_, node) = merged.remove(at);
    let prompt = merged
        .iter_mut()
        .find(|(label, _)| label.name == "system_prompt");
    // Additions alone are no prompt. Where no role of the chain has one, the check of the
    // whole says so; a child's own would replace them anyway.
    let Some((_, prompt)) = prompt else {
        return;
    };
    let before = prompt.as_text().unwrap_or_default().trim_end();
    prompt.value = Value::Text(format!("{before}\n\n{additions}"));
    prompt.at = node.at;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use super::*;

    fn merge(parent: &Json, child: &Json) -> Json {
        over(&Node::from_json(parent), &Node::from_json(child)).to_json()
    }

    #[test]
    fn scalars_override_and_lists_append_where_they_should() {
        let merged = merge(
            &json!({"cli": "a", "flags": ["-x"], "context": {"include": ["a"], "tree": true}}),
            &json!({"cli": "b", "flags": ["-y"], "context": {"include": ["b"], "tree": {"depth": 2}}}),
        );
        assert_eq!(
            merged,
            json!({"cli": "b", "flags": ["-x", "-y"],
                   "context": {"include": ["a", "b"], "tree": {"depth": 2}}})
        );
    }

    #[test]
    fn a_key_without_a_value_leaves_the_parents() {
        let parent = json!({"flags": ["-x"], "context": {"include": ["a"], "token_budget": 5}});
        assert_eq!(
            merge(&parent, &json!({"context": null, "flags": null})),
            parent
        );
        assert_eq!(
            merge(&parent, &json!({"context": {"include": null}})),
            parent
        );
    }

    #[test]
    fn null_is_a_value_where_nothing_is_interpreted() {
        let merged = merge(
            &json!({"config": {"timeout": 300, "hooks": {"before": "lint"}}, "x-model": "small"}),
            &json!({"config": {"timeout": null, "hooks": {"before": null}}, "x-model": null}),
        );
        assert_eq!(
            merged,
            json!({"config": {"timeout": null, "hooks": {"before": null}}, "x-model": null})
        );
        let whole = json!({"config": {"timeout": 300}});
        assert_eq!(merge(&whole, &json!({"config": null})), whole);
    }

    #[test]
    fn a_child_raises_keys() {
        let merged = merge(
            &json!({"context": {"priority_order": ["files", "tree", "git_diff"]}}),
            &json!({"context": {"priority_order": ["git_diff", "mine"]}}),
        );
        assert_eq!(
            merged["context"]["priority_order"],
            json!(["git_diff", "mine", "files", "tree"])
        );
    }

    #[test]
    fn additions_follow_the_prompt_whatever_their_order() {
        let parent = json!({"system_prompt": "Parent.\n"});
        assert_eq!(
            merge(&parent, &json!({"system_prompt_additions": "More."})),
            json!({"system_prompt": "Parent.\n\nMore."})
        );
        assert_eq!(
            merge(
                &parent,
                &json!({"system_prompt_additions": "More.", "system_prompt": "Own."})
            ),
            json!({"system_prompt": "Own.\n\nMore."})
        );
    }

    #[test]
    fn additions_alone_are_no_prompt() {
        let parent = json!({"system_prompt_additions": "More."});
        let additions = json!({"system_prompt_additions": "Even more."});
        assert_eq!(merge(&parent, &additions), json!({}));
        let own = json!({"system_prompt": "Own."});
        assert_eq!(merge(&merge(&json!({}), &parent), &own), own);
    }

    fn tree() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Json::from),
            "[a-c]{1,2}".prop_map(Json::from),
            prop::collection::vec("[a-e]", 0..4).prop_map(Json::from),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop::collection::btree_map("[a-d]", inner, 0..4)
                .prop_map(|map| Json::Object(map.into_iter().collect()))
        })
    }

    proptest! {
        #[test]
        fn merging_deeply_is_associative_and_an_empty_child_changes_nothing(
            a in tree(), b in tree(), c in tree()
        ) {
            let role = |context: &Json| json!({"context": context});
            let (a, b, c) = (role(&a), role(&b), role(&c));
            prop_assert_eq!(merge(&a, &json!({})), a.clone());
            let maps = |v: &Json| v["context"].is_object();
            // A scalar in between forgets what it replaced, on either side.
            if maps(&a) && maps(&b) && maps(&c) && same_kinds(&a, &b) && same_kinds(&b, &c) && same_kinds(&a, &c) {
                prop_assert_eq!(merge(&merge(&a, &b), &c), merge(&a, &merge(&b, &c)));
            }
        }

        #[test]
        fn a_merged_priority_order_has_every_key_once_and_the_childs_first(
            parent in prop::collection::hash_set("[a-h]", 0..6),
            child in prop::collection::hash_set("[a-h]", 0..6),
        ) {
            let list = |set: &std::collections::HashSet<String>| set.iter().cloned().collect::<Vec<_>>();
            let (parent, child) = (list(&parent), list(&child));
            let merged = merge(
                &json!({"context": {"priority_order": parent}}),
                &json!({"context": {"priority_order": child}}),
            );
            let order: Vec<String> = serde_json::from_value(merged["context"]["priority_order"].clone()).unwrap();
            prop_assert_eq!(&order[..child.len()], &child[..]);
            let unique: std::collections::HashSet<_> = order.iter().collect();
            prop_assert_eq!(unique.len(), order.len());
            prop_assert!(parent.iter().all(|key| order.contains(key)));
        }
    }

    /// Whether every key that both have holds the same kind of value.
    fn same_kinds(a: &Json, b: &Json) -> bool {
        match (a, b) {
            (Json::Object(a), Json::Object(b)) => a
                .iter()
                .all(|(key, value)| b.get(key).is_none_or(|other| same_kinds(value, other))),
            (Json::Array(_), Json::Array(_)) => true,
            (Json::Object(_) | Json::Array(_), _) | (_, Json::Object(_) | Json::Array(_)) => false,
            _ => true,
        }
    }
}
