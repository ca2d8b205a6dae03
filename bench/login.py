"""The part `login`: what a login costs a call, what a crowd at the login page costs everybody else, and what a flood of
registrations leaves behind."""
import contextlib
import dataclasses
import itertools
import json
import multiprocessing
import os
import secrets
import selectors
import socket
import subprocess
import tempfile
import threading
import time

import browser
import mcp_bench
import measure
import report
import wire
from measure import Timing
from workload import load_surfaces

SURFACE = "vault"
CALL_LIMIT, CROWD_LIMIT = 1.3, 5  # ×
RESIDENT_LIMIT, DISK_LIMIT = 2, 4  # × what the first registrations left, for a hundred times as many
NAME, PASSWORD = "anna", secrets.token_urlsafe(12)
UNLIMITED = dict.fromkeys(("register", "registerEverybody", "authorize", "login", "loginEverybody", "token"), 0)
PROXY = ["127.0.0.1"]
BATCH = 50
CONNECTIONS = 32  # of the flood


@dataclasses.dataclass(frozen=True)
class Effort:
    calls: int  # of each kind, on each side
    logins: int  # at once
    crowds: int
    quiet: int  # calls before each crowd
    registrations: int
    first: int  # registrations after which memory and disk are taken for comparison


FULL = Effort(calls=10000, logins=100, crowds=5, quiet=2000, registrations=100_000, first=1000)
QUICK = Effort(calls=500, logins=20, crowds=1, quiet=300, registrations=5000, first=1000)


@dataclasses.dataclass
class Crowd:
    """Calls on one connection before and while many log in."""

    quiet: Timing
    busy: Timing
    logins: int = 0
    seconds: float = 0.0
    fault: str | None = None

    def ratio(self):
        return self.busy.p99() / self.quiet.p99() if self.busy.p99() and self.quiet.p99() else None


@dataclasses.dataclass
class Footprint:
    resident: float  # MB
    disk: float  # MB of the state's files


@dataclasses.dataclass
class Flood:
    first: Footprint | None = None
    last: Footprint | None = None
    largest: Footprint | None = None  # seen at any time
    seconds: float = 0.0
    refused: int = 0
    kept: int = 0
    fault: str | None = None


@dataclasses.dataclass
class Findings:
    effort: Effort
    calls: dict  # name: (Timing without login, Timing with login)
    crowd: Crowd
    floods: dict  # name: Flood


def measure_all(site, quick, say):
    effort = QUICK if quick else FULL
    say("login: calls with and without")
    calls = compare_calls(site, effort)
    say(f"login: {effort.logins} at once")
    crowd = time_crowd(site, effort)
    floods = {}
    for name, settings in FLOODS.items():
        say(f"login: {effort.registrations:,} registrations, {name}")
        floods[name] = flood(site, effort, settings)
    return Findings(effort, calls, crowd, floods)


# ---- servers


@dataclasses.dataclass
class Server:
    child: wire.Child
    port: int
    data: str
    config: str | None
    site: measure.Site

    def footprint(self):
        return Footprint(mcp_bench.mem(self.child.pid)[0], disk_of(self.data))

    def ask(self, *arguments):
        """What a command of the binary prints about this server's state."""
        command = [self.site.binary, *arguments, "--data-dir", self.data, "--config", self.config]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@contextlib.contextmanager
def serving(site, settings=None):
    """A server with a data directory of its own; with a login, if there are settings."""
    with tempfile.TemporaryDirectory(dir=site.root) as data:
        config = None
        if settings is not None:
            config = os.path.join(data, "config.json")
            with open(config, "w") as file:
                json.dump(with_login(site.binary, settings), file)
        port = wire.free_port()
        child = site.spawn(SURFACE, data, port, config)
        try:
            wire.wait_for_port(child, port)
            yield Server(child, port, data, config, site)
        finally:
            child.process.terminate()
            child.stop()


def with_login(binary, settings):
    hashed = subprocess.run([binary, "hash-password"], input=PASSWORD, capture_output=True, text=True, check=True).stdout.strip()
    auth = {"mode": "oauth", "users": [{"name": NAME, "password": hashed}], **settings.get("auth", {})}
    return {"logLevel": "warn", **settings, "auth": auth}


def log_in(port, client=None):
    with contextlib.closing(browser.Browser(port)) as person:
        return person.connect(NAME, PASSWORD, client)


def disk_of(data):
    """MB of the state, with its write-ahead log."""
    files = (name for name in os.listdir(data) if name.startswith("state.db"))
    total = 0
    for name in files:
        with contextlib.suppress(FileNotFoundError):
            total += os.path.getsize(os.path.join(data, name))
    return total / 2**20


# ---- what a token costs


def compare_calls(site, effort):
    """Two servers on one vault, which take turns; each has its own data directory, so neither leaves the index to the other."""
    operations = next(surface.operations for surface in load_surfaces() if surface.name == SURFACE)
    read = next(operation for operation in operations if operation.name == "read")
    with serving(site) as plain, serving(site, {"rateLimits": UNLIMITED}) as guarded:
        _, tokens = log_in(guarded.port)
        clients = [wire.ModernHttp(plain.port), wire.ModernHttp(guarded.port, tokens["access_token"])]
        for client in clients:
            measure.wait_until_right(lambda: measure.find_listing_fault(client, site.vault), measure.READY_PATIENCE)
            measure.time_trivial(client, 200)  # warm-up
        trivial, reads = (Timing(), Timing()), (Timing(), Timing())
        for begin in range(0, effort.calls, BATCH):
            numbers = range(begin, min(begin + BATCH, effort.calls))
            sides = list(zip(clients, trivial, reads))
            for client, trivial_timing, read_timing in sides if begin // BATCH % 2 else reversed(sides):
                trivial_timing.durations += measure.time_trivial(client, len(numbers))
                measure.time_batch(client, read, site.vault, "login", numbers, read_timing)
        for client in clients:
            client.close()
    return {"trivial call (unknown tool)": trivial, "`vault_read`": reads}


# ---- a crowd at the login page


def time_crowd(site, effort):
    """Calls on one connection: alone, and while a crowd of another process logs in, a few times over."""
    crowd = Crowd(Timing(), Timing())
    # Behind a proxy every person has an address of their own; from one address only a few logins a minute are looked at.
    with serving(site, {"rateLimits": UNLIMITED, "trustedProxies": PROXY}) as server:
        client, tokens = log_in(server.port)
        with contextlib.closing(wire.ModernHttp(server.port, tokens["access_token"])) as caller:
            measure.wait_until_right(lambda: measure.find_listing_fault(caller, site.vault), measure.READY_PATIENCE)
            measure.time_trivial(caller, 200)  # warm-up
            for number in range(effort.crowds):
                gather(server.port, client, number, effort, caller, crowd)
    return crowd


def gather(port, client, number, effort, caller, crowd):
    ours, theirs = multiprocessing.Pipe()
    people = multiprocessing.get_context("fork").Process(target=people_log_in, args=(port, client, number, effort.logins, theirs))
    people.start()
    try:
        receive(ours)  # everybody has the login page open
        crowd.quiet.durations += measure.time_trivial(caller, effort.quiet)
        ours.send("go")
        while not ours.poll():
            crowd.busy.durations += measure.time_trivial(caller, 20)
        seconds, fault = receive(ours)
        crowd.seconds += seconds
        crowd.logins += effort.logins
        crowd.fault = crowd.fault or fault
    finally:
        people.join(10)
        people.terminate()


def receive(pipe):
    if not pipe.poll(120):
        raise TimeoutError("the people at the login page are stuck")
    return pipe.recv()


def people_log_in(port, client, number, count, pipe):
    """A process of its own: every second person knows the password and goes on to the tokens, the others do not."""
    os.nice(19)  # in real life this work is done on other machines
    together = threading.Barrier(count + 1)
    faults = []

    def one(index):
        person = browser.Browser(port, f"10.{number}.{index // 250}.{index % 250 + 1}")
        form, verifier = person.begin(client)
        together.wait()
        together.wait()
        try:
            if index % 2:
                person.exchange(client, person.allow(form, NAME, PASSWORD), verifier)
            else:
                person.fail(form, NAME if index % 4 else f"nobody{index}", "wrong")
        except (browser.NotAsExpected, OSError) as fault:
            faults.append(str(fault))
        person.close()

    people = [threading.Thread(target=one, args=(index,)) for index in range(count)]
    for person in people:
        person.start()
    together.wait()
    pipe.send("ready")
    pipe.recv()
    begun = time.monotonic()
    together.wait()
    for person in people:
        person.join()
    pipe.send((time.monotonic() - begun, faults[0] if faults else None))
    os._exit(0)


# ---- a flood of registrations

FLOODS = {
    "no limits, one address": {"rateLimits": UNLIMITED},
    # The limit of each address is on, so that a counter is kept for every one of them.
    "a new address each": {"rateLimits": {**UNLIMITED, "register": 5}, "trustedProxies": PROXY},
}


def flood(site, effort, settings):
    found = Flood()
    # The first registrations fill half of the room for clients that were never used.
    room = {"auth": {"registration": {"maxClients": 2 * effort.first}}}
    with serving(site, {**settings, **room}) as server:
        try:
            before, tokens = log_in(server.port)  # a client in use, which must outlive the flood
            measure.wait_for_rest(server.child.pid)  # memory of an index that is being built is none of the flood's
            begun = time.monotonic()
            found.refused += register_many(server, 0, effort.first, found)
            found.first = server.footprint()
            found.refused += register_many(server, effort.first, effort.registrations, found)
            found.seconds = time.monotonic() - begun
            found.last = server.footprint()
            found.kept = len(server.ask("clients", "list", "--all").splitlines()) - 1
            log_in(server.port)  # a new client
            log_in(server.port, before)
            with contextlib.closing(browser.Browser(server.port)) as person:
                person.refresh(before, tokens["refresh_token"])
            if before not in server.ask("clients", "list"):
                found.fault = "the client that was in use is gone"
        except (browser.NotAsExpected, *measure.BROKEN) as fault:
            found.fault = f"{type(fault).__name__}: {fault}"
    return found


def register_many(server, begin, end, found):
    """Registrations number `begin` to `end` over a few connections at once; how many were refused."""
    refused, numbers = 0, iter(range(begin, end))
    with selectors.DefaultSelector() as waiting:
        for number in itertools.islice(numbers, CONNECTIONS):
            connection = socket.create_connection(("127.0.0.1", server.port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(registration(server.port, number))
            waiting.register(connection, selectors.EVENT_READ)
        looked = time.monotonic()
        while waiting.get_map():
            ready = waiting.select(60)
            if not ready:
                raise TimeoutError("a registration was not answered within 60 s")
            for key, _ in ready:
                refused += not is_created(key.fileobj)
                number = next(numbers, None)
                if number is not None:
                    key.fileobj.sendall(registration(server.port, number))
                else:
                    waiting.unregister(key.fileobj)
                    key.fileobj.close()
            if time.monotonic() > looked + 0.25:
                looked = time.monotonic()
                found.largest = largest(found.largest, server.footprint())
    return refused


def registration(port, number):
    body = json.dumps({"client_name": f"flood {number}", "redirect_uris": [f"https://flood.example/{number}/callback"]}).encode()
    address = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    head = (
        f"POST /oauth/register HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"X-Forwarded-For: {address}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def is_created(connection):
    """Reads one answer to its end."""
    answer = connection.recv(wire.READ_SIZE)
    while (split := answer.find(b"\r\n\r\n")) < 0 or len(answer) < split + 4 + length_in(answer[:split]):
        received = connection.recv(wire.READ_SIZE)
        if not received:
            raise wire.ServerGone("the server closed a connection of the flood")
        answer += received
    return answer.startswith(b"HTTP/1.1 201")


def length_in(head):
    return int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])


def largest(one, other):
    return Footprint(max(one.resident, other.resident), max(one.disk, other.disk)) if one else other


# ---- the report


def markdown(findings):
    effort, crowd = findings.effort, findings.crowd
    lines = ["| call, HTTP modern, p50 / p99 | without login | with a token | p50 ratio |", "|---|--:|--:|--:|"]
    for name, (plain, guarded) in findings.calls.items():
        lines.append(f"| {name} | {report.percentiles(plain)} | {report.percentiles(guarded)} | {guarded.p50() / plain.p50():.2f} × |")
    lines += ["", f"| trivial call with a token, p50 / p99 | quiet | while {effort.logins} log in | p99 ratio |", "|---|--:|--:|--:|"]
    rate = f"{crowd.logins} logins in {crowd.seconds:.1f} s, {len(crowd.busy.durations):,} calls meanwhile"
    ratio = f"{crowd.ratio():.2f} ×" if crowd.ratio() else "–"
    lines.append(f"| {rate} | {report.percentiles(crowd.quiet)} | {report.percentiles(crowd.busy)} | {ratio} |")
    head = f"| registrations | after {effort.first:,} | after {effort.registrations:,} | ratio | most seen |"
    lines += ["", head, "|---|--:|--:|--:|--:|"]
    for name, found in findings.floods.items():
        lines += flood_lines(name, found, effort)
    return "\n".join(lines)


def flood_lines(name, found, effort):
    if not (found.first and found.last):
        return [f"| {name} | {report.cell(found.fault)} | | | |"]
    rate = f"{effort.registrations / found.seconds:,.0f} a second"

    def line(what, first, last, most):
        return f"| {name}: {what} | {first:.1f} MB | {last:.1f} MB | {last / first:.2f} × | {most:.1f} MB |"

    return [
        line("RSS", found.first.resident, found.last.resident, found.largest.resident),
        line("state on disk", found.first.disk, found.last.disk, found.largest.disk),
        f"| {name}: clients kept ({rate}; {found.refused:,} refused) | | {found.kept:,} | | |",
    ]


def judge(findings):
    bars = [judge_call(name, *timings) for name, timings in findings.calls.items()]
    bars.append(judge_crowd(findings.crowd, findings.effort))
    for name, found in findings.floods.items():
        bars += judge_flood(name, found, findings.effort)
    return bars


def judge_call(name, plain, guarded):
    bar, limit = f"{name} with a token, p50", f"{CALL_LIMIT} ×"
    if fault := plain.fault or guarded.fault:
        return bar, f"WRONG: {fault}", limit, False
    ratio = guarded.p50() / plain.p50()
    measured = f"{report.duration(guarded.p50())}, {ratio:.2f} × without login ({report.duration(plain.p50())})"
    return bar, measured, limit, ratio <= CALL_LIMIT


def judge_crowd(crowd, effort):
    bar, limit = f"p99 of calls while {effort.logins} log in", f"{CROWD_LIMIT} ×"
    if crowd.fault or not crowd.ratio():
        return bar, crowd.fault or "too few calls", limit, False
    measured = f"{report.duration(crowd.busy.p99())}, {crowd.ratio():.2f} × quiet ({report.duration(crowd.quiet.p99())})"
    return bar, measured, limit, crowd.ratio() <= CROWD_LIMIT


def judge_flood(name, found, effort):
    title = f"{effort.registrations:,} registrations, {name}"
    if found.fault or found.refused:
        return [(title, found.fault or f"{found.refused} refused", "all taken, clients can log in", False)]

    def bar(what, first, last, limit):
        return f"{title}: {what}", f"{last:.1f} MB, {last / first:.2f} × after {effort.first:,}", f"{limit} ×", last <= limit * first

    return [
        bar("RSS", found.first.resident, found.last.resident, RESIDENT_LIMIT),
        bar("disk", found.first.disk, found.last.disk, DISK_LIMIT),
        (f"{title}: clients", "a new one and the one in use before log in", "both", True),
    ]
