"""Asks the questions of questions.py over stdio, and ripgrep the same ones in between."""
import dataclasses
import json
import statistics
import time

import index_life
import mcp_bench
import measure
import questions
import report
import ripgrep
import wire

RESIDENT_LIMIT_MB = 400
FIRST_WITHIN = 20  # seconds for asking each variant once; at least FEWEST are asked
FEWEST = 3
RIPGREP_VARIANTS = 3
SCAN_HURTS_FROM = 100_000  # notes; below, a fraction of ripgrep's time is less than a round trip


@dataclasses.dataclass
class Answered:
    """How long a question took on one vault, and how long ripgrep took."""

    timing: measure.Timing
    first: measure.Timing = dataclasses.field(default_factory=measure.Timing)  # each variant for the first time
    ripgrep: float | None = None

    def missing(self):
        return self.timing.skipped

    def share(self):
        return self.timing.p50() / self.ripgrep if self.timing.durations and self.ripgrep else None


@dataclasses.dataclass
class Asked:
    """All questions on one vault."""

    answers: dict  # by question
    resident: dict = dataclasses.field(default_factory=dict)  # surface: (MB, peak)


def ask_all(site, effort):
    asked = Asked({question: Answered(measure.Timing(skipped="not reached")) for question in questions.QUESTIONS})
    for surface in dict.fromkeys(question.surface for question in questions.QUESTIONS):
        wanted = [question for question in questions.QUESTIONS if question.surface == surface]
        if not measure.offers(site.binary, surface):
            asked.answers |= {question: Answered(measure.Timing(skipped=f"not there: surface {surface}")) for question in wanted}
            continue
        try:
            ask_surface(site, surface, wanted, effort, asked)
        except measure.BROKEN as broken:
            for question in wanted:
                if asked.answers[question].missing() == "not reached":
                    asked.answers[question].timing.skipped += f": {broken}"
    return asked


def ask_surface(site, surface, wanted, effort, asked):
    with measure.connect_stdio(site, surface) as (client, child):
        index_life.wait_for_index(client, site.vault)
        offered = {tool["name"] for tool in client.request("tools/list", {})["tools"]}
        for question in wanted:
            asked.answers[question] = ask(client, question, site.vault, effort, offered)
        asked.resident[surface] = mcp_bench.mem(child.pid)


def ask(client, question, vault, effort, offered):
    variants = question.make_variants(vault)
    answered = Answered(measure.Timing())
    if question.tool not in offered and not is_there(client, question, variants[0]):
        answered.timing.skipped = "not there"
        return answered
    grep = [variant.ripgrep for variant in variants if variant.ripgrep][:RIPGREP_VARIANTS]
    time_ripgrep(vault, grep, answered)
    time_first(client, question, variants, answered.first)
    time_again(client, question, variants[: len(answered.first.durations)], effort, answered.timing)
    answered.timing.fault = answered.first.fault or answered.timing.fault
    time_ripgrep(vault, grep, answered)
    return answered


def is_there(client, question, variant):
    """A surface may list three tools of a facade and still answer to all names."""
    try:
        result = client.call(question.tool, variant.arguments)
        return not (result.get("isError") and "not_found" in mcp_bench.text_of(result)[:60])
    except wire.Refused:
        return False


def time_ripgrep(vault, grep, answered):
    """Before and after ours, and the faster counts: a busy moment must not make it look slow."""
    if grep and ripgrep.is_installed():
        best = ripgrep.best_time(vault.path, grep, ripgrep.ROUNDS // 2)
        answered.ripgrep = min(best, answered.ripgrep or best)


def time_first(client, question, variants, timing):
    give_up = time.monotonic() + FIRST_WITHIN
    for number, variant in enumerate(variants):
        if number >= FEWEST and time.monotonic() > give_up:
            return
        time_round(client, question, [variant], timing)


def time_again(client, question, variants, effort, timing):
    while len(timing.durations) < effort.calls and sum(timing.durations) < effort.seconds * 1e9:
        time_round(client, question, variants, timing)


def time_round(client, question, variants, timing):
    frames = [client.frame("tools/call", {"name": question.tool, "arguments": variant.arguments}) for variant in variants]
    durations, answers = client.time(frames, measure.CALL_WITHIN)
    timing.durations += durations
    for variant, answer in zip(variants, answers):
        timing.fault = timing.fault or find_fault(client, variant, answer)


def find_fault(client, variant, answer):
    try:
        result = client.result_of(answer)
        if result.get("isError"):
            return f"tool error: {mcp_bench.text_of(result)[:200]}"
        return variant.find_fault(result.get("structuredContent") or json.loads(mcp_bench.text_of(result)))
    except (KeyError, TypeError, ValueError) as odd:
        return f"the answer is not as the contract says: {type(odd).__name__} {odd}"
    except wire.Refused as refusal:
        return str(refusal)


# ---- report


def tabulate(table, searches):
    for question in questions.QUESTIONS:
        for notes, asked in searches.items():
            put_answer(table, question, notes, asked.answers[question])
    for notes, asked in searches.items():
        for surface, (resident, peak) in asked.resident.items():
            row = (surface, "RSS after all questions (peak)", "stdio")
            table.put(row, notes, f"{report.megabytes(resident)} ({report.megabytes(peak)})")


def put_answer(table, question, notes, answered):
    label = f"{question.name}, `{question.tool}`"
    row = (question.surface, f"{label}, p50 / p95", "stdio")
    if answered.missing():
        table.put(row, notes, answered.missing().partition(":")[0])
        table.remarks[row] = answered.missing()
        return
    timing = answered.timing
    table.put(row, notes, report.p50_p95(timing), timing.fault)
    if answered.share():
        table.remarks[row] = f"ripgrep takes {1 / answered.share():.3g} × as long"
    if len(answered.first.durations) > 1:
        first = statistics.median(answered.first.durations)
        table.put((question.surface, f"{label}, each for the first time, p50", "stdio"), notes, report.duration(first))
    if answered.ripgrep:
        table.put(("ripgrep", f"{question.name}, best run", "process"), notes, report.duration(answered.ripgrep))


def judge(searches):
    largest = max(searches)
    asked = searches[largest]
    bars = []
    for question, answered in asked.answers.items():
        if question.limit:
            bars.append(judge_limit(question, answered))
        if question.ripgrep_share:
            bars.append(judge_share(question, answered, largest))
    bars.append(judge_memory(asked.resident))
    return bars


def judge_limit(question, answered):
    bar, limit = f"{question.name}, p50", report.duration(question.limit)
    if answered.missing():
        return bar, answered.missing(), limit, False
    p50 = answered.timing.p50()
    measured = f"{wrong(answered)}{report.duration(p50)}, {p50 / question.limit:.2f} of the limit"
    return bar, measured, limit, p50 <= question.limit and not answered.timing.fault


def judge_share(question, answered, notes):
    bar = f"{question.name}, p50 beside ripgrep"
    share = question.ripgrep_share
    limit = f"{share:g} ×" if share >= 1 else f"1/{1 / share:.0f}"
    if answered.missing():
        return bar, answered.missing(), limit, False
    if not answered.ripgrep:
        return bar, ripgrep.MISSING, limit, None
    ratio = f"{answered.share():.2f} ×" if answered.share() > 0.1 else f"1/{1 / answered.share():.0f}"
    measured = f"{wrong(answered)}{report.duration(answered.timing.p50())} beside {report.duration(answered.ripgrep)}, {ratio}"
    if share < 1 and notes < SCAN_HURTS_FROM:
        return bar, f"{measured}; on {notes:,} notes a scan costs too little for this bar", limit, None
    return bar, measured, limit, answered.share() <= share and not answered.timing.fault


def wrong(answered):
    return "WRONG answers in " if answered.timing.fault else ""


def judge_memory(resident):
    bar, limit = "RSS after all questions", f"{RESIDENT_LIMIT_MB} MB"
    if "engine" not in resident:
        return bar, "not reached", limit, False
    megabytes, _ = resident["engine"]
    return bar, report.megabytes(megabytes), limit, megabytes <= RESIDENT_LIMIT_MB
