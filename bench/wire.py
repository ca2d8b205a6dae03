"""Raw MCP clients: frames are built beforehand and answers parsed afterwards, so a timed call costs the driver a few microseconds."""
import gc
import json
import os
import select
import signal
import socket
import subprocess
import time

LEGACY = "2025-11-25"  # the last revision with the `initialize` handshake
MODERN = "2026-07-28"  # every request carries its own metadata
CLIENT = {"name": "quillgate-bench", "version": "1"}
INITIALIZE = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": CLIENT}
END_OF_CHUNKS = b"\r\n0\r\n\r\n"
READ_SIZE = 1 << 18
SPINS = 200


class ServerGone(Exception):
    """The server closed the connection, or never opened it."""


class Refused(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, error):
        super().__init__(json.dumps(error, ensure_ascii=False)[:300])
        self.code = error.get("code")


class Child:
    """A server process; its standard error goes to a file that is read only when something fails."""

    def __init__(self, command, environment, log_path):
        self.log_path = log_path
        with open(log_path, "wb") as log:
            self.started = time.perf_counter_ns()
            self.process = subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, bufsize=0
            )
        self.pid = self.process.pid

    def last_words(self):
        with open(self.log_path, errors="replace") as log:
            return " ".join(log.read()[-300:].split())

    def stop(self):
        """End of input first: the server then leaves by itself and keeps its index."""
        self.process.stdin.close()
        for insist in (lambda: None, self.process.terminate, self.process.kill):
            insist()
            try:
                self.process.wait(10)
                break
            except subprocess.TimeoutExpired:
                continue
        self.process.stdout.close()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Client:
    """What both transports share. A subclass frames a message, exchanges bytes and finds the message in the answer's bytes."""

    def __init__(self, descriptor):
        self.last_id = 0
        self.descriptor = descriptor
        os.set_blocking(descriptor, False)
        self.readable = select.poll()
        self.readable.register(descriptor, select.POLLIN)

    def read(self):
        """Looks for an answer eagerly for about 200 µs before it sleeps: being woken up costs more than a whole short call."""
        for _ in range(SPINS):
            try:
                return os.read(self.descriptor, READ_SIZE)
            except BlockingIOError:
                pass
        self.readable.poll()
        return os.read(self.descriptor, READ_SIZE)

    def frame(self, method, params):
        self.last_id += 1
        return self.pack({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})

    def result_of(self, answer):
        message = self.message_in(answer)
        if "error" in message:
            raise Refused(message["error"])
        return message["result"]

    def request(self, method, params, timeout=60):
        frame = self.frame(method, params)
        with Deadline(timeout):
            return self.result_of(self.exchange(frame))

    def call(self, tool, arguments, timeout=60):
        return self.request("tools/call", {"name": tool, "arguments": arguments}, timeout)

    def time(self, frames, timeout):
        """One call after the other: nanoseconds and raw answer of each."""
        exchange, now = self.exchange, time.perf_counter_ns
        durations, answers = [], []
        gc.disable()  # a collection inside a timed call would be charged to the server
        try:
            with Deadline(timeout):
                for frame in frames:
                    begun = now()
                    answer = exchange(frame)
                    durations.append(now() - begun)
                    answers.append(answer)
        finally:
            gc.enable()
        return durations, answers


class Stdio(Client):
    """One JSON message per line over a child's pipes, in the legacy era (that is what desktop clients speak today)."""

    TRIVIAL = ("ping", {})

    def __init__(self, child, agrees=False):
        super().__init__(child.process.stdout.fileno())
        self.child = child
        self.agrees = agrees  # the user behind this client can be asked, and agrees to everything
        self.agreements = 0
        self.input = child.process.stdin.fileno()

    def pack(self, message):
        return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"

    def handshake(self):
        self.request("initialize", {**INITIALIZE, "capabilities": {"elicitation": {}} if self.agrees else {}})
        self.initialized()

    def initialized(self):
        os.write(self.input, self.pack({"jsonrpc": "2.0", "method": "notifications/initialized"}))

    def exchange(self, frame):
        self.send(frame)
        answer = self.read_lines()
        while answer.find(b'"method"', 0, 64) >= 0:  # a notification or a question came first
            message, _, answer = answer.partition(b"\n")
            if message.find(b'"elicitation/create"', 0, 96) >= 0:
                self.agree(json.loads(message)["id"])
            answer = answer or self.read_lines()
        return answer

    def send(self, frame):
        written = os.write(self.input, frame)
        while written < len(frame):
            written += os.write(self.input, frame[written:])

    def agree(self, question):
        self.agreements += 1
        self.send(self.pack({"jsonrpc": "2.0", "id": question, "result": {"action": "accept", "content": {"agree": True}}}))

    def read_lines(self):
        chunk = self.read()
        if chunk[-1:] == b"\n":
            return chunk
        chunks = []
        while chunk[-1:] != b"\n":
            if not chunk:
                raise ServerGone(f"standard output closed; {self.child.last_words()}")
            chunks.append(chunk)
            chunk = self.read()
        chunks.append(chunk)
        return b"".join(chunks)

    def message_in(self, answer):
        return json.loads(answer.partition(b"\n")[0])

    def close(self):
        pass  # the child owns the pipes


class Http(Client):
    """One keep-alive connection to `/mcp`. Subclasses are the two eras."""

    def __init__(self, port, bearer=None):
        self.port = port
        self.identity = {"Authorization": f"Bearer {bearer}"} if bearer else {}
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().__init__(self.socket.fileno())

    def post(self, headers, body):
        head = {
            "Host": f"127.0.0.1:{self.port}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Content-Length": len(body),
            **self.identity,
            **headers,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        return f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode() + body

    def exchange(self, frame):
        self.socket.sendall(frame)
        answer = self.receive()
        while (split := answer.find(b"\r\n\r\n")) < 0:
            answer += self.receive()
        head = answer[:split].lower()
        found = head.find(b"content-length:")
        if found >= 0:
            length = int(head[found + 15 :].partition(b"\r\n")[0])
            return self.receive_rest(answer, split + 4 + length)
        return self.receive_chunks(answer)

    def receive(self):
        received = self.read()
        if not received:
            raise ServerGone("the server closed the HTTP connection")
        return received

    def receive_rest(self, answer, size):
        chunks, missing = [answer], size - len(answer)
        while missing > 0:
            chunks.append(self.receive())
            missing -= len(chunks[-1])
        return b"".join(chunks)

    def receive_chunks(self, answer):
        chunks, tail = [answer], answer[-7:]
        while tail != END_OF_CHUNKS:
            chunks.append(self.receive())
            tail = (tail + chunks[-1][-7:])[-7:]
        return b"".join(chunks)

    def message_in(self, answer):
        head, _, body = answer.partition(b"\r\n\r\n")
        if b"transfer-encoding: chunked" in head.lower():
            body = b"".join(unchunked(body))
        if b"text/event-stream" in head.lower():
            body = last_event(body)
        try:
            return json.loads(body)
        except ValueError:
            status = head.partition(b"\r\n")[0].decode()
            raise ServerGone(f"no JSON in the answer: {status} {body[:200]!r}") from None

    def close(self):
        self.socket.close()


class ModernHttp(Http):
    TRIVIAL = ("tools/call", {"name": "no_such_tool", "arguments": {}})  # this era has no `ping`
    META = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": CLIENT,
    }

    def handshake(self):
        pass  # this era has none

    def pack(self, message):
        message["params"] = {**message["params"], "_meta": self.META}
        headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"]}
        if "name" in message["params"]:
            headers["Mcp-Name"] = message["params"]["name"]
        return self.post(headers, json.dumps(message, separators=(",", ":")).encode())


class LegacyHttp(Http):
    TRIVIAL = ("ping", {})

    def __init__(self, port, bearer=None):
        super().__init__(port, bearer)
        self.session = {}

    def handshake(self):
        with Deadline(60):
            answer = self.exchange(self.frame("initialize", INITIALIZE))
            version = self.result_of(answer)["protocolVersion"]
            head = answer.partition(b"\r\n\r\n")[0].decode().lower()
            # without this header the server keeps no session and needs none
            session = head.partition("mcp-session-id:")[2].partition("\r\n")[0].strip()
            self.session = {"MCP-Protocol-Version": version, **({"Mcp-Session-Id": session} if session else {})}
            self.exchange(self.pack({"jsonrpc": "2.0", "method": "notifications/initialized"}))

    def pack(self, message):
        return self.post(self.session, json.dumps(message, separators=(",", ":")).encode())


def unchunked(body):
    while body:
        size, _, body = body.partition(b"\r\n")
        length = int(size.partition(b";")[0], 16)
        if length == 0:
            return
        yield body[:length]
        body = body[length + 2 :]


def last_event(body):
    """The answer is the stream's last event with data; before it may come an empty one and notifications."""
    events = body.replace(b"\r\n", b"\n").split(b"\n\n")
    data = [b"".join(line[5:].strip() for line in event.split(b"\n") if line.startswith(b"data:")) for event in events]
    return [event for event in data if event][-1]


class Deadline:
    """Interrupts a blocked read by a signal, which costs the timed path nothing."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __enter__(self):
        def expire(*_):
            raise TimeoutError(f"no answer within {self.seconds:g} s")

        signal.signal(signal.SIGALRM, expire)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(child, port, timeout=30):
    """Returns once the server accepts connections."""
    give_up = time.monotonic() + timeout
    while time.monotonic() < give_up and child.process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            return
        except OSError:
            time.sleep(0.002)
    raise ServerGone(f"nothing listens on port {port}; {child.last_words()}")
