"""Planner, implementer and reviewer as a LangGraph graph: each node asks `packer` for its prompt.

    pip install context-packer langgraph
    python examples/langgraph_team.py path/to/repository 'Greet in capital letters'

The model is a fake one, which gives fixed answers in the shape that the built-in templates ask
for. With a chat model in its place, and an agent that edits files, the graph stays as it is.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, StateGraph

from packer import AsyncPacker

ROUNDS = 3


class State(TypedDict, total=False):
    task: str
    plan: dict[str, Any]
    done: dict[str, Any]
    review: dict[str, Any]
    rounds: int


class Team:
    """The nodes. They share a packer, whose processes stay warm, and a model."""

    def __init__(self, root: Path, packer: AsyncPacker, model: BaseChatModel) -> None:
        self.root, self.packer, self.model = root, packer, model

    async def plan(self, state: State) -> State:
        return {"plan": await self.ask("planner", state, {}), "rounds": 0}

    async def implement(self, state: State) -> State:
        told = {"task_details": state["plan"]}
        if "review" in state:
            told["review_feedback"] = state["review"]["findings"]
        done = await self.ask("implementer", state, told)
        for path, text in done.pop("files", {}).items():
            (self.root / path).write_text(text, encoding="utf-8")
        # The reviewer sees what is staged.
        subprocess.run(["git", "add", "--all"], cwd=self.root, check=True)
        return {"done": done, "rounds": state["rounds"] + 1}

    async def check(self, state: State) -> State:
        told = {"plan": state["plan"], "implementer_says": state["done"]}
        return {"review": await self.ask("reviewer", state, told)}

    def next(self, state: State) -> str:
        approved = state["review"]["verdict"] == "approve"
        return END if approved or state["rounds"] == ROUNDS else "implement"

    async def ask(self, role: str, state: State, told: dict[str, Any]) -> dict[str, Any]:
        """One prompt, with what the others said, and the model's answer to it."""
        steps = state.get("plan", {}).get("steps", [])
        paths = sorted({path for step in steps for path in step["files"]})
        targets = [path for path in paths if (self.root / path).is_file()]
        prompt = await self.packer.prompt(
            role=role, task=state["task"], targets=targets, extra=told, strict=True
        )
        keys = ", ".join(section.key for section in prompt.report.sections)
        print(f"{role}: {prompt.report.tokens} tokens of {keys}")
        for warning in prompt.warnings:
            print(f"  {warning.kind}: {warning.message}")
        answer = await self.model.ainvoke(prompt.text)
        return json.loads(str(answer.text).rpartition("```json\n")[2].partition("\n```")[0])


def graph(team: Team):
    made = StateGraph(State)
    made.add_node("plan", team.plan)
    made.add_node("implement", team.implement)
    made.add_node("check", team.check)
    made.add_edge(START, "plan")
    made.add_edge("plan", "implement")
    made.add_edge("implement", "check")
    made.add_conditional_edges("check", team.next, ["implement", END])
    return made.compile()


def fake() -> BaseChatModel:
    """A model that plans two files, forgets one, and is told so."""
    code = 'def greet(name: str) -> str:\n    return f"HELLO, {name.upper()}"\n'
    test = 'from greet import greet\n\n\ndef test_greet():\n    assert greet("a") == "HELLO, A"\n'
    answers = [
        {"steps": [{"id": 1, "title": "Greet", "files": ["greet.py", "test_greet.py"]}]},
        {"status": "partial", "open": ["no test yet"], "files": {"greet.py": code}},
        {"verdict": "request_changes", "findings": [{"problem": "there is no test"}]},
        {"status": "done", "open": [], "files": {"test_greet.py": test}},
        {"verdict": "approve", "findings": []},
    ]
    said = (f"Here it is.\n\n```json\n{json.dumps(answer)}\n```\n" for answer in answers)
    return GenericFakeChatModel(messages=map(AIMessage, said))


async def main(root: Path, task: str) -> bool:
    async with AsyncPacker(root, processes=2) as packer:
        done = await graph(Team(root, packer, fake())).ainvoke({"task": task})
    return done["review"]["verdict"] == "approve"


if __name__ == "__main__":
    approved = asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
    print("approved" if approved else "not approved")
    sys.exit(not approved)
