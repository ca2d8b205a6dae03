"""The twin of scenario.mjs, where steps and patterns are explained."""

import json
import re
from pathlib import Path

ABSENT = object()


def contains(want, got):
    if isinstance(got, str):
        return want in got
    return isinstance(got, list) and any(mismatch(want, item) is None for item in got)


CONDITIONS = {
    "$regex": lambda want, got: got is not ABSENT and re.search(want, got if isinstance(got, str) else show(got), re.S) is not None,
    "$absent": lambda want, got: (got is ABSENT) == want,
    "$length": lambda want, got: isinstance(got, (list, str)) and len(got) == want,
    "$atLeast": lambda want, got: isinstance(got, (int, float)) and got >= want,
    "$contains": contains,
    "$lacks": lambda want, got: got is not ABSENT and not contains(want, got),
}


def show(value):
    return "nothing" if value is ABSENT else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def mismatch(want, got, at="body"):
    """The first difference between a pattern and a value, as a sentence; None when they agree."""
    differs = f"{at}: expected {show(want)}, got {show(got)[:600]}"
    if isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            return differs
        return first(mismatch(w, g, f"{at}[{i}]") for i, (w, g) in enumerate(zip(want, got)))
    if not isinstance(want, dict):
        # True == 1 in Python, not in JSON
        same = want == got and isinstance(want, bool) == isinstance(got, bool)
        return None if same else differs
    if want and all(key.startswith("$") for key in want):
        return None if all(CONDITIONS[key](value, got) for key, value in want.items()) else differs
    if not isinstance(got, dict):
        return differs
    return first(mismatch(value, got.get(key, ABSENT), f"{at}.{key}") for key, value in want.items())


def first(complaints):
    return next((complaint for complaint in complaints if complaint), None)


def load_steps(scenario):
    return json.loads((Path(__file__).parent / "scenarios" / f"{scenario}.json").read_text(encoding="utf-8"))


def fill(template, values):
    """Puts values in the place of their {names}; a text that is nothing but a name becomes the value itself."""
    if isinstance(template, str):
        whole = re.fullmatch(r"\{(\w+)\}", template)
        if whole and whole[1] in values:
            return fill(values[whole[1]], values)
        return re.sub(r"\{(\w+)\}", lambda name: values[name[1]] if isinstance(values.get(name[1]), str) else name[0], template)
    if isinstance(template, list):
        return [fill(item, values) for item in template]
    if isinstance(template, dict):
        return {key: fill(value, values) for key, value in template.items()}
    return template


def outcome_of(result, surface):
    """(kind, body, complaint) of a tool result."""
    if "input_required" in result:
        return "input_required", result["input_required"], None
    body = json.loads(next(block.text for block in result["content"] if block.type == "text"))
    structured, is_error = result["structured"], result["is_error"]
    complaint = None
    if structured is not None and structured != body:
        complaint = "the text block is not the structured content"
    elif structured is None and not is_error and surface != "cli":
        complaint = "no structured content"
    return ("tool_error" if is_error else "result"), body, complaint


def uncovered(steps, listed):
    called = {step["tool"] for step in steps if "tool" in step} - {"no_such_tool"}
    missing = [f"the scenario does not call {name}" for name in listed if name not in called]
    return missing + [f"tools/list lacks {name}" for name in sorted(called) if name not in listed]
