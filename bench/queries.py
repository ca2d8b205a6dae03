"""The part `queries`: the vault's own query languages over all notes, and a task that is completed and read back."""
import dataclasses
import time

import mcp_bench
import measure
import report
from measure import Timing
from own_vault import Unmeasured, attempt, copy_of, placed

QUERY_LIMIT_MS, TASK_LIMIT_MS = 150, 10
BASE = "bench-tmp/queries.base"
TASKS = "bench-tmp/tasks.md"
BASE_TEXT = """filters:
  and:
    - file.ext == "md"
formulas:
  age: (now() - date(created)).days
  label: status.title() + " " + file.basename
  weight: if(priority, priority * 10, 1) + file.size / 1000
views:
  - type: table
    name: All
    order: [file.name, formula.age, formula.label, formula.weight]
    sort:
      - property: formula.weight
        direction: DESC
"""


@dataclasses.dataclass(frozen=True)
class Query:
    name: str
    tool: str
    arguments: dict


QUERIES = (
    Query("DQL TABLE with WHERE and SORT over all notes", "search_dql",
          {"dql": 'TABLE status, created, file.size WHERE status != "archived" AND file.size > 100 SORT created DESC, file.name ASC LIMIT 100'}),
    Query("Base view with three formulas over all notes", "query_base", {"path": BASE, "limit": 100}),
    Query("Tasks query over all tasks", "tasks_filter",
          {"filter": "not done\npriority is above none\ndue before 2030-01-01\nsort by due\nsort by priority", "limit": 100}),
)


@dataclasses.dataclass
class Findings:
    """On one vault. Each may be Unmeasured instead."""

    notes: int
    queries: dict  # name: Timing
    task: Timing


def measure_all(site, quick, say):
    """All on one server: building its index takes longer than everything else here."""
    rounds = 5 if quick else 30
    more = {BASE: BASE_TEXT, TASKS: "".join(f"- [ ] chore {number} 📅 2031-01-01\n" for number in range(2 * rounds + 10))}

    def ask():
        with placed(site, "engine", "update_task", copy_of(site.vault, more)) as place:
            found = {}
            for query in QUERIES:
                say(f"{site.vault.notes:,} notes: {query.name}")
                found[query.name] = attempt(time_query, place, query, rounds)
            say(f"{site.vault.notes:,} notes: a task is completed and read back")
            return found, attempt(time_completions, place, rounds)

    asked = attempt(ask)
    if isinstance(asked, Unmeasured):
        asked = {query.name: asked for query in QUERIES}, asked
    return Findings(site.vault.notes, *asked)


def time_query(place, query, rounds):
    """The first answer works out what is kept; from then on nothing is read."""
    timing = Timing()
    frame = lambda: place.client.frame("tools/call", {"name": query.tool, "arguments": query.arguments})
    place.client.time([frame()], measure.CALL_WITHIN)
    before = bytes_read(place.pid)
    for _ in range(rounds):
        durations, [answer] = place.client.time([frame()], measure.CALL_WITHIN)
        timing.durations += durations
        result = place.client.result_of(answer)
        rows = (result.get("structuredContent") or {}).get("rows") or (result.get("structuredContent") or {}).get("items")
        if result.get("isError") or not rows:
            timing.fault = mcp_bench.text_of(result)[:200]
    read = (bytes_read(place.pid) - before) / rounds
    if read > 1_000_000:  # the question itself comes over a pipe; reading notes would be tens of megabytes
        timing.fault = timing.fault or f"{read / 1e6:.1f} MB were read by each call"
    return timing


def bytes_read(pid):
    """By system calls, from files and pipes."""
    with open(f"/proc/{pid}/io") as counters:
        return int(next(line for line in counters if line.startswith("rchar")).split()[1])


def time_completions(place, rounds):
    """From sending `update_task` to the answer of a query that must show it."""
    timing = Timing()
    ask = lambda name, arguments: place.client.frame("tools/call", {"name": name, "arguments": arguments})
    query = {"filter": f"done\npath includes {TASKS}\nsort by description", "limit": 1000}
    place.client.time([ask("tasks_filter", query)], measure.CALL_WITHIN)
    for number in range(rounds):
        begun = time.monotonic_ns()
        _, [updated] = place.client.time([ask("update_task", {"path": TASKS, "line": number + 1, "set": {"status": "done"}})], measure.CALL_WITHIN)
        _, [answer] = place.client.time([ask("tasks_filter", query)], measure.CALL_WITHIN)
        timing.durations.append(time.monotonic_ns() - begun)
        lines = {item["line"] for item in (place.client.result_of(answer).get("structuredContent") or {}).get("items", [])}
        if number + 1 not in lines:
            timing.fault = f"line {number + 1} is not done: {mcp_bench.text_of(place.client.result_of(updated))[:200]}"
    return timing


# ---- the report


def markdown(all_findings):
    sizes = [f"{findings.notes:,} notes" for findings in all_findings]
    lines = [f"| a query, stdio, p50 / p99 | {' | '.join(sizes)} |", f"|---|{'--:|' * len(sizes)}"]
    names = [query.name for query in QUERIES]
    lines += [line(name, [findings.queries[name] for findings in all_findings]) for name in names]
    lines.append(line("a task completed and read back through a query", [findings.task for findings in all_findings]))
    return "\n".join(lines)


def line(name, timings):
    return f"| {name} | {' | '.join(map(cell, timings))} |"


def cell(timing):
    if isinstance(timing, Unmeasured):
        return report.cell(timing.why)
    return report.percentiles(timing) + (f" WRONG: {report.cell(timing.fault)}" if timing.fault else "")


def judge(all_findings):
    largest = all_findings[-1]
    bars = [judge_timing(name, timing, QUERY_LIMIT_MS, largest.notes) for name, timing in largest.queries.items()]
    return [*bars, judge_timing("a task completed and read back", largest.task, TASK_LIMIT_MS, largest.notes)]


def judge_timing(name, timing, limit_ms, notes):
    bar, limit = f"{name}, p50, {notes:,} notes", f"{limit_ms} ms"
    if isinstance(timing, Unmeasured):
        return bar, timing.why, limit, timing.holds
    if timing.fault:
        return bar, f"WRONG: {timing.fault}", limit, False
    return bar, report.duration(timing.p50()), limit, timing.p50() <= limit_ms * 1e6
