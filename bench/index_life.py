"""The life of the index: built from nothing, opened again, on disk, and how soon it knows of a write."""
import contextlib
import dataclasses
import json
import math
import os
import statistics
import tempfile
import time

import mcp_bench
import measure
import report

BUILD_WITHIN, SEEN_WITHIN = 600, 10  # seconds
POLL = 0.02
BUILD_LIMIT_S, LINEAR_LIMIT, RECONCILE_LIMIT_S, PEAK_LIMIT_MB, DISK_LIMIT = 30, 12, 3, 700, 1.5
SEEN_LIMIT_MS, WRITE_LIMIT = 500, 1.3
WRITE_ROUNDS = 3
WRITERS = {  # the configurations whose writes are compared
    "with the index": None,
    "with the index off": {"search": {"index": "off"}},
    "with durability relaxed": {"write": {"durability": "relaxed"}},
}


@dataclasses.dataclass(frozen=True)
class Dialect:
    """How a surface is asked to search and to write."""

    surface: str
    search: str
    size: str
    write: str

    def find(self, client, text):
        result = client.call(self.search, {"query": text, self.size: 10}, measure.CALL_WITHIN)
        return "" if result.get("isError") else mcp_bench.text_of(result)

    def write_params(self, path, content):
        return {"name": self.write, "arguments": {"path": path, "content": content}}


DIALECTS = (Dialect("engine", "search_text", "limit", "write_note"), Dialect("vault", "vault_search", "max_results", "vault_write"))


@dataclasses.dataclass
class Build:
    initialized: int  # nanoseconds from the start of the process
    complete: int
    resident: float  # MB
    peak: float
    disk: int  # bytes
    vault: int


@dataclasses.dataclass
class Life:
    """What one vault's index went through; None where the binary offers no way to tell."""

    surface: str  # where it was written and searched; the build is told by `engine`
    build: Build | None = None
    build_fault: str | None = None
    reconciled: list = dataclasses.field(default_factory=list)  # nanoseconds from the start of the process
    outside: measure.Timing | None = None  # from an outside edit to a search that sees it
    own: measure.Timing | None = None  # a search right after a write
    writes: dict = dataclasses.field(default_factory=dict)  # name of the writer: Timing


def follow(site, effort):
    """Everything about one vault's index. Later parts of the run find it built."""
    dialect = choose_dialect(site)
    life = Life(dialect.surface)
    try:
        life.build = time_build(site)
        life.reconciled = [time_to_complete(site)[1] for _ in range(max(1, effort.starts // 3))]
    except (*measure.BROKEN, NoHealth) as broken:
        life.build_fault = str(broken)
    try:
        with measure.connect_stdio(site, dialect.surface) as (client, _):
            wait_for_index(client, site.vault)
            life.outside = time_outside_edits(client, dialect, site.vault, effort)
            life.own = time_own_writes(client, dialect, site.vault, effort)
        life.writes = time_writers(site, dialect, effort)
    finally:
        site.vault.sweep()
    return life


def choose_dialect(site):
    """The first surface that can write."""
    for dialect in DIALECTS:
        with contextlib.suppress(*measure.BROKEN), measure.connect_stdio(site, dialect.surface) as (client, _):
            if dialect.write in {tool["name"] for tool in client.request("tools/list", {})["tools"]}:
                return dialect
    raise measure.wire.ServerGone("no surface writes")


# ---- built and opened


class NoHealth(Exception):
    """The binary has no `server_health`."""


def read_health(client):
    """The state of the index, or None where there is no such tool."""
    body = call_if_there(client, "server_health", {})
    return body and body["index"]


def read_pending(client):
    """What a search of the surface `vault` tells: the state only while something waits to be indexed."""
    body = call_if_there(client, "vault_search", {"query": "zqxvnothing"})
    return body and body.get("index")


def call_if_there(client, tool, arguments):
    try:
        result = client.call(tool, arguments, measure.LISTING_WITHIN)
    except measure.wire.Refused:
        return None
    return None if result.get("isError") else result.get("structuredContent")


def is_complete(health, vault):
    return health["ready"] and not health["pending"] and health["notes"] >= vault.manifest["notes"]


def wait_for_index(client, vault):
    """Returns the last state of the index, or None where nothing tells it: answers are right in every state, only slower."""
    give_up = time.monotonic() + BUILD_WITHIN
    while (health := read_health(client)) and not is_complete(health, vault) or not health and read_pending(client):
        if time.monotonic() > give_up:
            raise TimeoutError(f"the index is not complete within {BUILD_WITHIN} s: {health}")
        time.sleep(POLL)
    return health


def time_build(site):
    """From the start of a process with an empty data directory."""
    site.warm_data = tempfile.mkdtemp(dir=site.root, prefix="index-")
    initialized, complete, (resident, peak) = time_to_complete(site)
    return Build(initialized, complete, resident, peak, size_of(site.warm_data), size_of(site.vault.path))


def time_to_complete(site):
    if not measure.offers(site.binary, "engine"):
        raise NoHealth("not there: surface engine")
    with measure.connect_stdio(site, "engine") as (client, child):
        initialized = time.perf_counter_ns() - child.started
        if wait_for_index(client, site.vault) is None:
            raise NoHealth("not there: `server_health`")
        return initialized, time.perf_counter_ns() - child.started, mcp_bench.mem(child.pid)


def size_of(folder):
    return sum(os.path.getsize(os.path.join(parent, name)) for parent, _, names in os.walk(folder) for name in names)


# ---- seen


def time_outside_edits(client, dialect, vault, effort):
    """Half of the edits make a note, half change it. It is searched every few milliseconds until the edit shows."""
    timing = measure.Timing()
    os.makedirs(os.path.join(vault.path, "bench-tmp"), exist_ok=True)
    for number in range(effort.writes // 2):
        stem, marker = f"outside-{number // 2}", f"zqxvoutside{os.getpid():x}x{number}y"
        with open(os.path.join(vault.path, "bench-tmp", f"{stem}.md"), "w") as note:
            note.write(f"# {stem}\n\nword {marker} here\n")
        begun = time.perf_counter_ns()
        while stem not in dialect.find(client, marker):
            if time.perf_counter_ns() - begun > SEEN_WITHIN * 1e9:
                timing.fault = f"{stem} was not found within {SEEN_WITHIN} s of its edit"
                break
            time.sleep(0.003)
        timing.durations.append(time.perf_counter_ns() - begun)
    return timing


def time_own_writes(client, dialect, vault, effort):
    """The very next call must find what was written."""
    timing = measure.Timing()
    for number in range(effort.writes):
        stem, marker = f"own-{number}", f"zqxvown{os.getpid():x}x{number}y"
        client.request("tools/call", dialect.write_params(f"bench-tmp/{stem}.md", f"# {stem}\n\nword {marker} here\n"))
        begun = time.perf_counter_ns()
        found = dialect.find(client, marker)
        timing.durations.append(time.perf_counter_ns() - begun)
        if stem not in found:
            timing.fault = f"the search right after the write of {stem} missed it"
    return timing


# ---- writes


def time_writers(site, dialect, effort):
    """The writers take turns, each in a fresh process; of each the best round counts."""
    rounds = {name: [] for name in WRITERS}
    data = {name: tempfile.mkdtemp(dir=site.root) for name in WRITERS if WRITERS[name]}
    for number in range(WRITE_ROUNDS):
        for name, settings in WRITERS.items():
            stem = f"{name.split()[-1]}-{number}"
            config = write_config(site, settings) if settings else None
            rounds[name].append(time_writer(site, dialect, stem, data.get(name), config, effort.writes))
    return {name: min(timings, key=lambda timing: timing.p50() or math.inf) for name, timings in rounds.items()}


def time_writer(site, dialect, stem, data, config, count):
    try:
        with measure.connect_stdio(site, dialect.surface, data, config) as (client, _):
            dialect.find(client, "zqxvnothing")  # once this is answered the catalogue is there
            if "off" not in stem:
                wait_for_index(client, site.vault)
            return time_writes(client, dialect, stem, count)
    except measure.BROKEN as broken:
        return measure.Timing(skipped=f"not there: {str(broken).replace(site.root, '…')}")


def time_writes(client, dialect, stem, count):
    paths = [f"bench-tmp/{stem}-{number}.md" for number in range(count)]
    frames = [client.frame("tools/call", dialect.write_params(path, f"# {path}\n\nbody of {path}\n")) for path in paths]
    durations, answers = client.time(frames, measure.CALL_WITHIN)
    failed = [answer for answer in answers if client.result_of(answer).get("isError")]
    return measure.Timing(durations, fault=failed[0][:200].decode(errors="replace") if failed else None)


def write_config(site, settings):
    path = os.path.join(site.root, "config.json")
    with open(path, "w") as file:
        json.dump(settings, file)
    return path


# ---- report


def tabulate(table, lives):
    for notes, life in lives.items():
        put_build(table, notes, life)
        put_seen(table, notes, life)
    for notes, life in lives.items():
        for name, timing in life.writes.items():
            row = (life.surface, f"write {name}, p50 / p95, best of {WRITE_ROUNDS} rounds", "stdio")
            table.put(row, notes, "not there" if timing.skipped else report.p50_p95(timing), timing.fault)
            if timing.skipped:
                table.remarks[row] = timing.skipped


def put_build(table, notes, life):
    built = ("engine", "index from nothing to complete", "stdio")
    if not life.build:
        table.put(built, notes, "not there")
        table.remarks[built] = life.build_fault
        return
    build = life.build
    table.put(built, notes, report.duration(build.complete))
    table.put(("engine", "`initialize` while the index is built", "stdio"), notes, report.duration(build.initialized))
    memory = f"{report.megabytes(build.resident)} ({report.megabytes(build.peak)})"
    table.put(("engine", "RSS when the index is complete (peak)", "stdio"), notes, memory)
    table.put(("engine", "data directory ÷ vault", "disk"), notes, f"{build.disk / 2**20:.0f} MB, {build.disk / build.vault:.2f}")
    table.put(("engine", "start to index reconciled", "stdio"), notes, report.duration(statistics.median(life.reconciled)))


def put_seen(table, notes, life):
    table.put((life.surface, "outside edit to found, p50 / p95", "stdio"), notes, report.p50_p95(life.outside), life.outside.fault)
    table.put((life.surface, "search right after a write, p50 / p95", "stdio"), notes, report.p50_p95(life.own), life.own.fault)


def judge(lives):
    largest = max(lives)
    life = lives[largest]
    return [*judge_build(life), judge_linear(lives), judge_outside(life.outside), judge_own(life.own), judge_write(life.writes)]


def judge_build(life):
    limits = {
        "index from nothing": f"{BUILD_LIMIT_S} s",
        "start to index reconciled": f"{RECONCILE_LIMIT_S} s",
        "peak RSS while indexing": f"{PEAK_LIMIT_MB} MB",
        "data directory ÷ vault": f"{DISK_LIMIT}",
    }
    if not life.build:
        return [(bar, life.build_fault, limit, False) for bar, limit in limits.items()]
    build, reconciled = life.build, statistics.median(life.reconciled)
    measured = (
        (report.duration(build.complete), build.complete <= BUILD_LIMIT_S * 1e9),
        (report.duration(reconciled), reconciled <= RECONCILE_LIMIT_S * 1e9),
        (report.megabytes(build.peak), build.peak <= PEAK_LIMIT_MB),
        (f"{build.disk / build.vault:.2f}", build.disk <= DISK_LIMIT * build.vault),
    )
    return [(bar, text, limit, holds) for (bar, limit), (text, holds) in zip(limits.items(), measured)]


def judge_linear(lives):
    """Between the two largest vaults; the limit is for ten times as many notes."""
    bar = "index from nothing is linear"
    sizes = sorted(lives)[-2:]
    if len(sizes) < 2:
        return bar, "one size of vault only", f"{LINEAR_LIMIT} × for 10 ×", None
    small, large = (lives[size].build for size in sizes)
    growth = sizes[1] / sizes[0]
    limit = LINEAR_LIMIT / 10 * growth
    if not (small and large):
        return bar, lives[sizes[1]].build_fault, f"{limit:.3g} ×", False
    ratio = large.complete / small.complete
    measured = f"{sizes[1]:,} notes take {ratio:.1f} × as long as {sizes[0]:,}"
    return bar, measured, f"{limit:.3g} ×", ratio <= limit


def judge_outside(timing):
    bar, limit = "outside edit to found, p95", f"{SEEN_LIMIT_MS} ms"
    slow = timing.p95() or max(timing.durations)
    return bar, timing.fault or report.duration(slow), limit, not timing.fault and slow <= SEEN_LIMIT_MS * 1e6


def judge_own(timing):
    measured = timing.fault or f"all {len(timing.durations)} found by the next call"
    return "a write is found at once", measured, "all", not timing.fault


def judge_write(writes):
    bar, limit = "a write beside one with the index off", f"{WRITE_LIMIT} ×"
    on, off = writes["with the index"], writes["with the index off"]
    if on.skipped or off.skipped:
        return bar, on.skipped or off.skipped, limit, False
    ratio = on.p50() / off.p50()
    return bar, f"{report.duration(on.p50())} beside {report.duration(off.p50())}, {ratio:.2f} ×", limit, ratio <= WRITE_LIMIT
