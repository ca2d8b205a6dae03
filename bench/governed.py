"""The part `governed`: what gates, records and history cost a read and a write, how many changes a minute land, and how long a
large move takes."""
import contextlib
import dataclasses
import glob
import hashlib
import os
import time
import urllib.parse

import bulk
import index_life
import mcp_bench
import measure
import report
from measure import Timing
from own_vault import NOTE_BYTES, Unmeasured, attempt, copy_of, joined, look, placed, prose
from workload import load_surfaces

READ_LIMIT, WRITE_LIMIT = 1.5, 1.3  # × the same without what governs it
READERS = {"engine": "read_note", "vault": "vault_read"}  # the bar is about the first
READS_IN_TURN, WRITES_IN_TURN = 25, 5  # calls of one side before it is the other's turn
WARM_UP = 25  # calls
UNLIMITED = {"perMinute": 1_000_000_000, "burst": 1_000_000_000}
WITHOUT_HISTORY = {"history": {"enabled": False}}
WRITERS = {"without": WITHOUT_HISTORY, "with": None, "without, again": WITHOUT_HISTORY}
REWRITTEN = 10  # notes that the writes go to in turn


@dataclasses.dataclass(frozen=True)
class Effort:
    reads: int  # on each side
    writes: int  # on each side, in each round
    write_rounds: int
    seconds: float  # of changes without a pause
    moved: int  # notes
    moves: int  # in one call


FULL = Effort(reads=10000, writes=500, write_rounds=3, seconds=60, moved=1000, moves=100)
QUICK = Effort(reads=300, writes=100, write_rounds=1, seconds=5, moved=100, moves=25)


@dataclasses.dataclass
class Pair:
    """The same done bare and governed, in turns."""

    bare: Timing
    governed: Timing
    fault: str | None = None
    twin: Timing | None = None  # bare a second time: how far equals differ in this run

    def ratio(self):
        return self.governed.p50() / self.bare.p50()

    def twin_ratio(self):
        return self.twin.p50() / self.bare.p50()


@dataclasses.dataclass
class Findings:
    """Each of them may be Unmeasured instead."""

    effort: Effort
    reads: dict  # (tool, name of the configuration): Pair
    write: Pair
    write_tool: str
    stream: bulk.Stream
    relocation: bulk.Relocation


def measure_all(site, quick, say):
    effort = QUICK if quick else FULL
    reads = {}
    for name, settings in {"by default": None, "everything on": everything_on(site.vault)}.items():
        for surface, tool in READERS.items():
            say(f"governed: {tool} beside a bare read, {name}")
            reads[tool, name] = attempt(compare_reads, site, effort, surface, settings)
    say("governed: writes with and without history")
    dialect = index_life.choose_dialect(site)
    write = attempt(compare_writes, site, effort, dialect)
    say(f"governed: changes for {effort.seconds:g} s")
    stream = attempt(bulk.stream_changes, site, effort)
    say(f"governed: {effort.moved:,} notes move")
    return Findings(effort, reads, write, dialect.write, stream, attempt(bulk.relocate, site, effort))


def take_turns(calls, batch, sides):
    """Batches of calls in alternating order, so that a busy moment falls on all sides."""
    for side in sides:
        side.call(range(WARM_UP))
        side.timing.durations.clear()
    for begin in range(0, calls, batch):
        numbers = range(WARM_UP + begin, WARM_UP + min(begin + batch, calls))
        for side in sides if begin // batch % 2 else reversed(sides):
            side.call(numbers)


# ---- what governing costs a read


def everything_on(vault):
    """Rules over every folder, limits that are counted and never reached, a rule by scope, and an event for each call."""
    folders = [entry.name for entry in os.scandir(vault.path) if entry.is_dir() and not entry.name.startswith(".")]
    paths = [*(f"{folder}/**" for folder in sorted(folders)), "*.md"]
    rules = [{"glob": "private/**", "scopes": ["read:private"]}]
    return {
        "acl": {"readPaths": paths, "writePaths": paths, "deletePaths": paths, "rules": rules},
        "throttle": dict.fromkeys(("read", "write", "delete", "bulk", "execute", "admin"), UNLIMITED),
        "observability": {"cloudEvents": {"enabled": True}},
    }


def events_come(data, patience=5):
    """Events are written by a thread of their own, a moment after the calls."""
    until = time.monotonic() + patience
    while not (found := glob.glob(os.path.join(data, "events", "*"))) and time.monotonic() < until:
        time.sleep(0.05)
    return bool(found)


def compare_reads(site, effort, surface, settings):
    """The same notes through a tool and as resources, on one connection."""
    with placed(site, surface, READERS[surface], copy_of(site.vault), settings) as place:
        bare, governed = BareReads(place.client, site.vault), ToolReads(place.client, site.vault, surface)
        take_turns(effort.reads, READS_IN_TURN, (bare, governed))
        fault = bare.timing.fault or governed.timing.fault
        if settings and not events_come(place.data):
            fault = fault or "no event was written, so not everything was on"
    return Pair(bare.timing, governed.timing, fault)


class BareReads:
    """Resources pass no gate but that of access."""

    def __init__(self, client, vault):
        self.client, self.vault, self.timing = client, vault, Timing()
        template = client.request("resources/templates/list", {})["resourceTemplates"][0]["uriTemplate"]
        self.folder = template.removesuffix("{+path}")

    def call(self, numbers):
        paths = [self.vault.fields("governed", number)["read_path"] for number in numbers]
        frames = [self.client.frame("resources/read", {"uri": self.folder + urllib.parse.quote(path)}) for path in paths]
        durations, answers = self.client.time(frames, measure.CALL_WITHIN)
        self.timing.durations += durations
        for path, answer in zip(paths, answers):
            if self.client.result_of(answer)["contents"][0]["text"] != look(self.vault.path, path):
                self.timing.fault = f"the resource is not what {path} holds"


class ToolReads:
    def __init__(self, client, vault, surface):
        self.client, self.vault, self.timing = client, vault, Timing()
        operations = next(known.operations for known in load_surfaces() if known.name == surface)
        self.operation = next(operation for operation in operations if operation.tool == READERS[surface])

    def call(self, numbers):
        measure.time_batch(self.client, self.operation, self.vault, "governed", numbers, self.timing)


# ---- what history costs a write


def compare_writes(site, effort, dialect):
    """Rounds of fresh servers, since two that are alike may differ for as long as they run; of each kind the best round counts."""
    rounds = [write_round(site, effort, dialect, number) for number in range(effort.write_rounds)]
    best = {kind: min((timings[kind] for timings in rounds), key=Timing.p50) for kind in WRITERS}
    faults = [timing.fault for timings in rounds for timing in timings.values() if timing.fault]
    return Pair(best["without"], best["with"], faults[0] if faults else None, best["without, again"])


def write_round(site, effort, dialect, number):
    """Servers on copies of the vault, which take turns; another starts first in each round."""
    notes = {path_written(number): text_written(number) for number in range(REWRITTEN)}
    first = number % len(WRITERS)
    kinds = [*WRITERS][first:] + [*WRITERS][:first]
    with contextlib.ExitStack() as stack:
        sides = {}
        for kind in kinds:
            place = stack.enter_context(placed(site, dialect.surface, dialect.write, copy_of(site.vault, notes), WRITERS[kind]))
            sides[kind] = Writes(place, dialect.write, notes)
        take_turns(effort.writes, WRITES_IN_TURN, [*sides.values()])
        for kind, side in sides.items():
            if bool(recorded(side.data)) == bool(WRITERS[kind]):
                side.timing.fault = side.timing.fault or "there is a history where there should be none, or none where there should be one"
    return {kind: side.timing for kind, side in sides.items()}


def recorded(data):
    """Bytes that the history takes."""
    return sum(map(os.path.getsize, glob.glob(os.path.join(data, "**", "history", "*"), recursive=True)))


def path_written(number):
    return f"bench-tmp/rewritten-{number % REWRITTEN}.md"


def text_written(number):
    """The next version of a note: one paragraph of it is new."""
    paragraphs = prose(number % REWRITTEN, NOTE_BYTES)
    paragraphs[number // REWRITTEN % len(paragraphs)] = prose(f"new {number}", 1)[0]
    return joined(f"# Version {number}", *paragraphs)


class Writes:
    """Replaces a few notes in turn, naming the version that it wrote before, so that nobody has to agree."""

    def __init__(self, place, tool, notes):
        self.client, self.vault, self.data = place.client, place.vault, place.data
        self.tool, self.timing = tool, Timing()
        self.seen = {path: fingerprint(text) for path, text in notes.items()}

    def call(self, numbers):
        frames = [self.client.frame("tools/call", self.params(REWRITTEN + number)) for number in numbers]
        durations, answers = self.client.time(frames, measure.CALL_WITHIN)
        self.timing.durations += durations
        for answer in answers:
            if (result := self.client.result_of(answer)).get("isError"):
                self.timing.fault = mcp_bench.text_of(result)[:200]
        for path, seen in self.seen.items():
            if fingerprint(look(self.vault, path)) != seen:
                self.timing.fault = self.timing.fault or f"{path} does not hold what was written"

    def params(self, number):
        path, text = path_written(number), text_written(number)
        arguments = {"path": path, "content": text}
        if self.tool == "write_note":
            arguments |= {"mode": "overwrite", "expected_hash": self.seen[path]}
        self.seen[path] = fingerprint(text)
        return {"name": self.tool, "arguments": arguments}


def fingerprint(text):
    return hashlib.sha256(text.encode()).hexdigest()


# ---- the report


def markdown(findings):
    lines = ["| a read, stdio, p50 / p99 | as a resource | by the tool | p50 ratio |", "|---|--:|--:|--:|"]
    lines += [pair_line(f"`{tool}`, {name}", pair) for (tool, name), pair in findings.reads.items()]
    head = f"| a write of {NOTE_BYTES / 1000:g} KB, stdio, p50 / p99 | without history | with history | p50 ratio |"
    lines += ["", head, "|---|--:|--:|--:|", pair_line(f"`{findings.write_tool}`", findings.write)]
    if isinstance(findings.write, Pair):
        again = Pair(findings.write.bare, findings.write.twin)
        lines.append(pair_line(f"`{findings.write_tool}`, both without history", again))
    lines += ["", *bulk.stream_lines(findings.stream, findings.effort), "", *bulk.relocation_lines(findings.relocation)]
    return "\n".join(lines)


def pair_line(name, pair):
    if isinstance(pair, Unmeasured):
        return f"| {name} | {report.cell(pair.why)} | | |"
    name += f" WRONG: {report.cell(pair.fault)}" if pair.fault else ""
    return f"| {name} | {report.percentiles(pair.bare)} | {report.percentiles(pair.governed)} | {pair.ratio():.2f} × |"


def judge(findings):
    read = findings.reads[READERS["engine"], "by default"]
    return [
        judge_pair(f"`{READERS['engine']}` beside the bare read, p50", read, "bare", READ_LIMIT),
        judge_pair(f"`{findings.write_tool}` with history, p50", findings.write, "without", WRITE_LIMIT),
        *bulk.judge_stream(findings.stream),
        bulk.judge_relocation(findings.relocation, findings.effort),
    ]


def judge_pair(bar, pair, beside, ratio_limit):
    limit = f"{ratio_limit} ×"
    if isinstance(pair, Unmeasured):
        return bar, pair.why, limit, pair.holds
    if pair.fault:
        return bar, f"WRONG: {pair.fault}", limit, False
    measured = f"{report.duration(pair.governed.p50())}, {pair.ratio():.2f} × {beside} ({report.duration(pair.bare.p50())})"
    measured += f"; a second one without is {pair.twin_ratio():.2f} ×" if pair.twin else ""
    return bar, measured, limit, pair.ratio() <= ratio_limit
