"""Makes calls to a Quillgate with everything on that observes them, and has the libraries of others read the result.

promtool and prometheus_client read /metrics, the protobuf classes of OpenTelemetry read what a collector gets, and the
SDK of CloudEvents reads the files.
"""

import http.server
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from cloudevents.core.formats.json import JSONFormat
from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from prometheus_client.parser import text_string_to_metric_families

PATIENCE = 20
REVISION = "2026-07-28"
TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
OTHER_TRACE = "0af7651916cd43dd8448eb211c80319c"
# Words that would be recognised anywhere: of a note, a search, the collector's key, and a tool that does not exist.
CANARIES = NOTE, QUERY, KEY, TOOL = "canary-note-51c0", "canary-query-9b1e", "canary-key-d00d", "canary_tool_77aa"
VAULT = "main"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Collector:
    """Takes what it is sent, after refusing once."""

    def __init__(self):
        self.requests = []
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.requests.append((self.path, self.headers, body))
                self.send_response(503 if len(collector.requests) == 1 else 200)
                self.send_header("Retry-After", "0")
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def taken(self):
        return self.requests[1:]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Quillgate:
    def __init__(self, program, place, collector):
        self.metrics = f"http://127.0.0.1:{free_port()}/metrics"
        self.events, self.log = place / "events", place / "log"
        vault = place / VAULT
        vault.mkdir()
        (vault / "a.md").write_text(f"# A\n\n{NOTE}\n")
        port = int(self.metrics.split(":")[2].split("/")[0])
        config = place / "config.json"
        config.write_text(json.dumps({
            "vaults": [{"id": VAULT, "path": str(vault)}],
            "dataDir": str(place / "data"),
            "listenAddr": "127.0.0.1:0",
            "surfaces": ["engine"],
            "observability": {
                "otel": {
                    "endpoint": f"http://127.0.0.1:{collector.port}",
                    "headers": {"X-Api-Key": KEY},
                    "metricsSeconds": 1,
                },
                "prometheus": {"enabled": True, "host": "127.0.0.1", "port": port},
                "cloudEvents": {"enabled": True, "folder": str(self.events)},
                "logs": {"format": "json"},
            },
        }))
        self.process = subprocess.Popen(
            [program, "serve", "--config", config], stdout=subprocess.PIPE, stderr=self.log.open("w"), text=True
        )
        self.endpoint = self.process.stdout.readline().split()[-1]

    def call(self, tool, arguments, meta=None, headers=None):
        meta = {
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "check", "version": "1"},
            **(meta or {}),
        }
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        request = urllib.request.Request(self.endpoint, body, {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": REVISION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
            **(headers or {}),
        })
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.read().decode()

    def scrape(self):
        with urllib.request.urlopen(self.metrics, timeout=PATIENCE) as answer:
            assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8", answer.headers
            return answer.read().decode()

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)


def eventually(what, look):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if found := look():
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited in vain: {what}")


def samples(text):
    return [sample for family in text_string_to_metric_families(text) for sample in family.samples]


def value(text, name, **labels):
    found = [sample.value for sample in samples(text) if sample.name == name and labels.items() <= sample.labels.items()]
    assert found, f"no {name} {labels}"
    return sum(found)


def make_calls(quillgate):
    """Four calls: one below a span in the message, one below a span in the header, one refused, one unknown."""
    parent = {"traceparent": f"00-{TRACE}-{SPAN}-01"}
    assert "a.md" in quillgate.call("search_text", {"query": NOTE}, meta=parent)
    quillgate.call("search_text", {"query": QUERY}, headers={"traceparent": f"00-{OTHER_TRACE}-{SPAN}-01"})
    assert "wrong" in quillgate.call("search_text", {"query": QUERY, "wrong": 1})
    assert "error" in quillgate.call(TOOL, {})


def promtool_accepts_the_metrics(quillgate, _):
    checked = subprocess.run(["promtool", "check", "metrics"], input=quillgate.scrape(), capture_output=True, text=True)
    assert checked.returncode == 0 and not checked.stdout + checked.stderr, checked.stdout + checked.stderr


def metrics_count_the_calls(quillgate, _):
    text = quillgate.scrape()
    calls = "quillgate_tool_calls_total"
    assert value(text, calls, tool="search_text", status="ok", vault=VAULT) == 2, text
    assert value(text, calls, tool="search_text", status="error") == 1
    assert value(text, calls, tool="unknown", status="error") == 1
    assert value(text, "quillgate_tool_duration_seconds_count") == 4
    assert value(text, "quillgate_tool_duration_seconds_bucket", tool="search_text", le="+Inf") == 3
    assert value(text, "quillgate_tool_errors_total", code="invalid_input") == 1
    assert value(text, "process_resident_memory_bytes") > 1e6
    eventually("the vault is read", lambda: value(quillgate.scrape(), "quillgate_index_ready", vault=VAULT) == 1)
    assert value(quillgate.scrape(), "quillgate_index_notes", vault=VAULT) == 1


def a_collector_gets_a_span_for_every_call(_, collector):
    def spans():
        requests = [Parse(body, ExportTraceServiceRequest()) for path, _, body in collector.taken() if path == "/v1/traces"]
        scopes = [scope for request in requests for one in request.resource_spans for scope in one.scope_spans]
        found = [span for scope in scopes for span in scope.spans]
        return found if len(found) == 4 else None

    found = eventually("four spans", spans)
    names = sorted(span.name for span in found)
    assert names == ["quillgate.search_text"] * 3 + ["quillgate.unknown"], names
    assert sorted(span.status.code for span in found) == [0, 0, 2, 2]
    assert all(span.end_time_unix_nano > span.start_time_unix_nano > 1.6e18 for span in found)
    for _, headers, _ in collector.requests:
        assert headers["X-Api-Key"] == KEY and headers["Content-Type"] == "application/json", headers
    # Ids are hex in this JSON, whatever protobuf's own rules say.
    bodies = [body for path, _, body in collector.taken() if path == "/v1/traces"]
    sent = [span for body in bodies for span in json.loads(body)["resourceSpans"][0]["scopeSpans"][0]["spans"]]
    parents = {(span["traceId"], span["parentSpanId"]) for span in sent if "parentSpanId" in span}
    assert parents == {(TRACE, SPAN), (OTHER_TRACE, SPAN)}, parents


def a_collector_gets_the_metrics(quillgate, collector):
    def metrics():
        requests = [Parse(body, ExportMetricsServiceRequest()) for path, _, body in collector.taken() if path == "/v1/metrics"]
        found = {metric.name: metric for request in requests for metric in request.resource_metrics[0].scope_metrics[0].metrics}
        calls = found.get("quillgate_tool_calls_total")
        return found if calls and sum(point.as_double for point in calls.sum.data_points) == 4 else None

    found = eventually("metrics of four calls", metrics)
    families = {family.name: family.type for family in text_string_to_metric_families(quillgate.scrape())}
    kinds = {"sum": "counter", "gauge": "gauge", "histogram": "histogram"}
    pushed = {name.removesuffix("_total"): kinds[metric.WhichOneof("data")] for name, metric in found.items()}
    assert pushed == families, pushed.items() ^ families.items()
    durations = found["quillgate_tool_duration_seconds"].histogram.data_points
    assert all(sum(point.bucket_counts) == point.count for point in durations) and sum(point.count for point in durations) == 4


def files_have_an_event_for_every_call(quillgate, _):
    def events():
        lines = [line for file in quillgate.events.glob("*.jsonl") for line in file.read_text().splitlines()]
        return [JSONFormat().read(None, line) for line in lines] if len(lines) == 4 else None

    found = eventually("four events", events)
    assert {event.get_type() for event in found} == {"app.quillgate.tool.called"}
    assert len({event.get_id() for event in found}) == 4
    assert sorted(event.get_subject() for event in found) == ["search_text"] * 3 + ["unknown"]
    assert VAULT in {event.get_data()["vault"] for event in found}
    assert all(event.get_time() is not None and event.get_source() for event in found)


def the_log_is_json(quillgate, _):
    lines = [json.loads(line) for line in quillgate.log.read_text().splitlines()]
    refusals = [line for line in lines if line.get("message") == "refused"]
    assert sorted(line["tool"] for line in refusals) == ["search_text", "unknown"], lines
    assert all(line["level"] == "INFO" and line["code"] and line["timestamp"] for line in refusals), refusals


def no_word_of_a_note_is_anywhere(quillgate, collector):
    places = {
        "metrics": quillgate.scrape(),
        "spans": b"".join(body for _, _, body in collector.requests).decode(),
        "events": "".join(file.read_text() for file in quillgate.events.glob("*")),
        "log": quillgate.log.read_text(),
    }
    for place, text in places.items():
        for canary in CANARIES:
            assert canary not in text, f"{canary} stands in the {place}"


def calls_go_on_without_a_collector(quillgate, collector):
    failures = value(quillgate.scrape(), "quillgate_exporter_failures_total", exporter="otlp")
    collector.stop()
    assert "a.md" in quillgate.call("search_text", {"query": NOTE})
    counted = lambda: value(quillgate.scrape(), "quillgate_exporter_failures_total", exporter="otlp")
    eventually("a failure is counted", lambda: counted() > failures)
    assert "cannot be exported" in quillgate.log.read_text()


CHECKS = [
    promtool_accepts_the_metrics,
    metrics_count_the_calls,
    a_collector_gets_a_span_for_every_call,
    a_collector_gets_the_metrics,
    files_have_an_event_for_every_call,
    the_log_is_json,
    no_word_of_a_note_is_anywhere,
    calls_go_on_without_a_collector,
]


def main(program):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        collector = Collector()
        quillgate = Quillgate(program, pathlib.Path(folder), collector)
        try:
            make_calls(quillgate)
            for check in CHECKS:
                name = check.__name__.replace("_", " ")
                try:
                    check(quillgate, collector)
                    print(f"ok {name}")
                except Exception as error:
                    failed += 1
                    print(f"FAILED {name}: {type(error).__name__} {error}")
        finally:
            quillgate.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
