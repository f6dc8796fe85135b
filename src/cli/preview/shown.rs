//! What can be changed on the page, and what it shows.

use std::sync::Arc;

use anyhow::Context as _;
use context_packer::explain::Explanation;
use context_packer::requests::Overrides;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::super::fields;
use super::super::page::{self, Problem};
use super::super::request::Order;

/// What can be changed on the page; what is absent is as the role says.
#[derive(Debug, Default, Clone, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Choice {
    task: Option<String>,
    target: Vec<String>,
    #[serde(flatten)]
    overrides: Overrides,
}

impl Choice {
    /// Returns what the command line says.
    pub(super) fn of(order: &Order) -> Choice {
        Choice {
            task: order.task.clone(),
            target: order.target.clone(),
            overrides: order.overrides.clone(),
        }
    }

    /// Reads what the page sends.
    pub(super) fn parse(body: &[u8]) -> anyhow::Result<Choice> {
        let fields = serde_json::from_slice(body).context("this is not a JSON object")?;
        fields::read(fields, &fields::names::<Choice>(&page::WITHHELD))
    }

    /// Lays it over an order. What is not on the page stays as the command line says.
    pub(super) fn over(self, order: &Order) -> Order {
        let mut order = order.clone();
        let given = std::mem::take(&mut order.overrides);
        order.task = self
            .task
            .filter(|task| !task.trim().is_empty())
            .or(order.task);
        order.target = self.target;
        order.overrides = self.overrides;
        order.overrides.strict = given.strict;
        order.overrides.change = given.change;
        order.overrides.turn = order.overrides.turn.or(given.turn);
        let engine = &mut order.overrides.common.engine;
        *engine = engine.or(given.common.engine);
        order
    }
}

/// What the page shows, and what is wrong with it.
#[derive(Clone)]
pub(super) struct Shown {
    pub(super) explanation: Arc<Explanation>,
    pub(super) problem: Option<Problem>,
    /// Whether the explanation is that of an earlier prompt.
    is_old: bool,
}

impl Shown {
    pub(super) fn of(explanation: Explanation) -> Shown {
        Shown {
            problem: Problem::of_template(&explanation),
            explanation: Arc::new(explanation),
            is_old: false,
        }
    }

    /// Records that it is old and could not be built again.
    pub(super) fn fail(&mut self, problem: Problem) {
        self.problem = Some(problem);
        self.is_old = true;
    }

    /// Returns all of it as one text.
    pub(super) fn text(&self) -> String {
        self.json(0).to_string()
    }

    /// Returns what the page gets.
    pub(super) fn json(&self, version: u64) -> Json {
        let mut told = json!({"version": version});
        if !self.is_old {
            told["explanation"] = json!(&*self.explanation);
        }
        if let Some(Problem { message, help }) = &self.problem {
            told["error"] = json!(message);
            told["help"] = json!(help);
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_on_the_page_stays_as_the_command_line_says() {
        let mut order = Order::default();
        order.overrides.strict = Some(true);
        order.overrides.turn.messages = Some(true);
        order.overrides.change.worktree = true;
        let asked = Choice::default().over(&order).overrides;
        assert_eq!(asked, order.overrides);
        let choice = Choice::parse(br#"{"messages": false, "budget": 300}"#).unwrap();
        let asked = choice.over(&order).overrides;
        assert_eq!(asked.turn.messages, Some(false));
        assert_eq!(asked.budget, Some(300.into()));
    }
}
