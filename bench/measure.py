"""Starts servers on vaults and takes the numbers: starts, readiness, memory, tools, files touched by a listing."""
import contextlib
import dataclasses
import os
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

import mcp_bench
import wire
from probe import AccessProbe, ProbeBlind

CALL_WITHIN = 120  # seconds
LISTING_WITHIN = 900  # the first listing may wait for the whole index
READY_PATIENCE, SETTLE_PATIENCE = 60, 5  # seconds that a wrong answer may stay the same before nothing better is expected
ANSWERS_KEPT = 32 << 20  # bytes of raw answers held before they are checked
LISTINGS_PROBED = 5
INDEX_OPERATIONS = ("list_all", "search_rare", "backlinks")  # right only once the index has caught up with the vault
BROKEN = (wire.ServerGone, wire.Refused, OSError)  # TimeoutError is an OSError


@dataclasses.dataclass(frozen=True)
class Effort:
    """How often things are done."""

    starts: int
    calls: int
    seconds: float  # per tool and connection; the calls end when either is reached
    writes: int


FULL = Effort(starts=9, calls=2000, seconds=1.0, writes=100)
QUICK = Effort(starts=3, calls=100, seconds=0.3, writes=20)


@dataclasses.dataclass
class Timing:
    """Nanoseconds of one call made many times, and what was wrong with its answers."""

    durations: list = dataclasses.field(default_factory=list)
    fault: str | None = None
    skipped: str | None = None
    largest: int = 0  # bytes of an answer
    trivial: list = dataclasses.field(default_factory=list)  # trivial calls made in between, on the same connection

    def ratio(self):
        """To a trivial call of the same moments: where the scheduler puts the two processes decides the time of both."""
        return self.p50() / statistics.median(self.trivial) if self.durations and self.trivial else None

    def p50(self):
        return statistics.median(self.durations) if self.durations else None

    def p95(self):
        return mcp_bench.pct(sorted(self.durations), 0.95) if len(self.durations) >= 20 else None

    def p99(self):
        """Of fewer than 100 samples it would only be the maximum."""
        return mcp_bench.pct(sorted(self.durations), 0.99) if len(self.durations) >= 100 else None


@dataclasses.dataclass
class Readiness:
    listed: int  # nanoseconds from the start of the process to the first right answer
    searched: int | None
    resident: float  # MB
    fault: str | None


@dataclasses.dataclass
class Load:
    """One connection that called every tool of a surface."""

    timings: dict  # by operation name
    trivial: Timing
    resident: float | None = None  # MB after the load
    peak: float | None = None
    touched: list | None = None  # files and folders touched while listing; None where it was not probed


class Site:
    """One vault, the binary and the data directories; everything a server may write outside the vault is below `root`."""

    def __init__(self, binary, vault, root):
        self.binary = binary
        self.vault = vault
        self.root = os.path.join(root, f"site-{vault.notes}")
        self.warm_data = os.path.join(self.root, "warm")
        os.makedirs(self.warm_data)

    def spawn(self, surface, data, port=None, config=None):
        place = ["stdio"] if port is None else ["serve", "--listen-addr", f"127.0.0.1:{port}"]
        command = [self.binary, *place, "--vault-path", self.vault.path, "--surface", surface]
        command += ["--config", config] if config else []
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": self.root,
            "XDG_DATA_HOME": os.path.join(self.root, "xdg"),  # where a desktop trash would be
            "QUILLGATE_DATA_DIR": data,
        }
        return wire.Child(command, environment, os.path.join(self.root, "stderr.log"))


def offers(binary, surface):
    return subprocess.run([binary, "tools", "--surface", surface], capture_output=True).returncode == 0


@contextlib.contextmanager
def connect_stdio(site, surface, data=None, config=None, agrees=False):
    child = site.spawn(surface, data or site.warm_data, config=config)
    try:
        client = wire.Stdio(child, agrees)
        client.handshake()
        yield client, child
    finally:
        child.stop()


@contextlib.contextmanager
def connect_http(site, surface, era):
    port = wire.free_port()
    child = site.spawn(surface, site.warm_data, port)
    try:
        wire.wait_for_port(child, port)
        with contextlib.closing(era(port)) as client:
            client.handshake()
            yield client, child
    finally:
        child.process.terminate()
        child.stop()


TRANSPORTS = {
    "stdio": connect_stdio,
    "HTTP modern": lambda site, surface: connect_http(site, surface, wire.ModernHttp),
    "HTTP legacy": lambda site, surface: connect_http(site, surface, wire.LegacyHttp),
}


# ---- starts and readiness


def time_starts(sites, rounds):
    """Vaults take turns, so that a busy moment of the machine falls on all of them: {(notes, state): [(ns, ns), …]}."""
    starts = {}
    for _ in range(rounds):
        for site in sites:
            starts.setdefault((site.vault.notes, "warm index"), []).append(time_warm_start(site))
            starts.setdefault((site.vault.notes, "empty data directory"), []).append(time_empty_start(site))
    return starts


def time_warm_start(site):
    initialized, listed, child = time_start(site, site.warm_data)
    child.stop()
    return initialized, listed


def time_empty_start(site):
    data = tempfile.mkdtemp(dir=site.root)
    initialized, listed, child = time_start(site, data)
    child.kill()  # it would only go on building an index that nobody reads
    shutil.rmtree(data)
    return initialized, listed


def time_start(site, data):
    """From the start of the process to the answers of `initialize` and `tools/list`."""
    child = site.spawn("vault", data)
    client = wire.Stdio(child)
    client.request("initialize", wire.INITIALIZE)
    initialized = time.perf_counter_ns() - child.started
    client.initialized()
    client.request("tools/list", {})
    return initialized, time.perf_counter_ns() - child.started, child


def time_readiness(site):
    """From the start of a process to its first right listing, then to all planted words being found."""
    with connect_stdio(site, "vault") as (client, child):
        fault = wait_until_right(lambda: find_listing_fault(client, site.vault), READY_PATIENCE)
        listed = time.perf_counter_ns() - child.started
        searched = None
        if site.vault.manifest:
            fault = wait_until_right(lambda: find_search_fault(client, site.vault), READY_PATIENCE) or fault
            searched = time.perf_counter_ns() - child.started
        return Readiness(listed, searched, mcp_bench.mem(child.pid)[0], fault)


def wait_until_right(find_fault, patience):
    """Polls until the answer is right or no longer changes; returns what was wrong with the first one."""
    first = fault = find_fault()
    changed = time.monotonic()
    while fault and time.monotonic() < changed + patience:
        time.sleep(0.01)
        before, fault = fault, find_fault()
        changed = time.monotonic() if fault != before else changed
    return first


def wait_for_rest(pid, patience=60):
    """Until the process has done next to nothing for a second."""
    give_up, used = time.monotonic() + patience, mcp_bench.cpu(pid)
    while time.monotonic() < give_up:
        time.sleep(1)
        before, used = used, mcp_bench.cpu(pid)
        if used - before < 0.02:
            return
    raise TimeoutError(f"the server did not come to rest within {patience} s")


def find_listing_fault(client, vault):
    found = (client.call("vault_list_all", {}, LISTING_WITHIN).get("structuredContent") or {}).get("total_files")
    return None if found == vault.files() else f"total_files is {found}, not {vault.files()}"


def find_search_fault(client, vault):
    for planted in vault.manifest["rare"]:
        result = client.call("vault_search", {"query": planted["token"]}, CALL_WITHIN)
        if planted["path"] not in mcp_bench.text_of(result):
            return f"search for {planted['token']} misses {planted['path']}"
    return None


# ---- tools


def load_surface(site, surface, transport, effort):
    """Calls every tool of the surface over one connection to a fresh process."""
    run = f"{surface.name}{''.join(word[0] for word in transport.split())}{os.getpid():x}".lower()
    load = Load({}, Timing())
    site.vault.plant_edit_note(run)
    try:
        with TRANSPORTS[transport](site, surface.name) as (client, child):
            call_every_tool(client, surface, site.vault, run, effort, load)
            load.resident, load.peak = mcp_bench.mem(child.pid)
    except BROKEN as broken:
        load.trivial.fault = f"{type(broken).__name__}: {broken}"  # the operations it did not get to say "not reached"
    finally:
        site.vault.sweep()
    return load


def call_every_tool(client, surface, vault, run, effort, load):
    offered = {tool["name"] for tool in client.request("tools/list", {})["tools"]}
    for operation in surface.operations:
        load.timings[operation.name] = Timing(skipped=reason_to_skip(operation, offered), fault="not reached")
    for tool in sorted(offered - {operation.tool for operation in surface.operations}):
        load.timings[tool] = Timing(skipped="not in quillgate.json")
    operations = [operation for operation in surface.operations if not reason_to_skip(operation, offered)]
    settle(client, operations, vault, run)
    time_trivial(client, 100)  # warm-up
    for operation in operations:
        load.timings[operation.name].fault = "the connection broke during this call"
        load.timings[operation.name] = time_operation(client, operation, vault, run, effort)
        if operation.name == "list_all":
            load.touched = find_touched_by_listing(client, operation, vault, run)
        load.trivial.durations += load.timings[operation.name].trivial


def reason_to_skip(operation, offered):
    return operation.unsupported or (None if operation.tool in offered else "the server has no such tool")


def settle(client, operations, vault, run):
    """Waits for the index to notice what the load before this one left; what stays wrong shows up when it is timed."""
    for operation in operations:
        if operation.name in INDEX_OPERATIONS:
            wait_until_right(lambda: time_batch(client, operation, vault, run, range(1), Timing()).fault, SETTLE_PATIENCE)


def time_trivial(client, calls):
    return client.time([client.frame(*client.TRIVIAL) for _ in range(calls)], CALL_WITHIN)[0]


def time_operation(client, operation, vault, run, effort):
    """A write is made a fixed number of times and never twice: the operations after it need its files."""
    timing, batch, done = Timing(), 1, 0
    limit = effort.writes if operation.writes else effort.calls
    if not operation.writes:
        time_batch(client, operation, vault, run, range(3), Timing())  # warm-up
    while done < limit and (operation.writes or sum(timing.durations) < effort.seconds * 1e9):
        numbers = range(done, min(done + batch, limit))
        time_batch(client, operation, vault, run, numbers, timing)
        timing.trivial += time_trivial(client, len(numbers))
        batch = max(1, min(50, ANSWERS_KEPT // timing.largest))
        done = numbers.stop
    return timing


def time_batch(client, operation, vault, run, numbers, timing):
    """Times these calls, then checks their answers."""
    asked = [vault.fields(run, number) for number in numbers]
    frames = [client.frame("tools/call", operation.params(fields)) for fields in asked]
    durations, answers = client.time(frames, CALL_WITHIN)
    timing.durations += durations
    timing.largest = max(map(len, answers))
    for fields, answer in zip(asked, answers):
        timing.fault = timing.fault or find_answer_fault(client, operation, vault, fields, answer)
    return timing


def find_answer_fault(client, operation, vault, fields, answer):
    try:
        return operation.find_fault(vault, fields, client.result_of(answer))
    except wire.Refused as refusal:
        return None if refusal.code == operation.check.get("error") else str(refusal)


def find_touched_by_listing(client, operation, vault, run):
    """The files and folders opened or read, by anyone, while the listing was answered a few times."""
    try:
        with AccessProbe(vault.path) as probe:
            probe.wait_for_quiet()
            time_batch(client, operation, vault, run, range(LISTINGS_PROBED), Timing())
            return probe.touched()
    except ProbeBlind as blind:
        return [f"unknown: {blind}"]


# ---- the driver's own cost


def time_echo():
    """What the driver costs on pipes: `cat` as the server. Nanoseconds of starts, and of round trips."""
    starts, trips = [], []
    for _ in range(9):
        child = wire.Child(["cat"], dict(os.environ), os.devnull)
        client, frame = wire.Stdio(child), b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
        client.exchange(frame)
        starts.append(time.perf_counter_ns() - child.started)
        trips += client.time([frame] * 500, CALL_WITHIN)[0]
        child.stop()
    return Timing(starts), Timing(trips)


def time_http_echo():
    """What the driver costs on a socket: a forked copy of it that answers every request with the same bytes."""
    listener = socket.create_server(("127.0.0.1", 0))
    child = os.fork()
    if child == 0:
        answer_forever(listener)
    with contextlib.closing(wire.ModernHttp(listener.getsockname()[1])) as client:
        trips = time_trivial(client, 4000)
    listener.close()
    os.waitpid(child, 0)
    return Timing(trips)


def answer_forever(listener):
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    body = b'{"jsonrpc":"2.0","id":1,"result":{}}'
    answer = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
    while connection.recv(wire.READ_SIZE):
        connection.sendall(answer)
    os._exit(0)
