"""Ours and every installed peer on the same vault, one after the other, by mcp_bench.py; and the factor between them."""
import json
import os
import subprocess
import sys
import tempfile

import index_life
import mcp_bench
import measure
import report
from workload import BENCH

WRITES = ("write_new", "append", "edit")
OURS, RELAXED, FIRST_START = "quillgate", "quillgate, durability relaxed", "quillgate, first start"
SURFACES = {  # an operation is measured on the first surface that has it; the call returns once the index was compared with the files
    "engine": "index_vault",
    "vault": "vault_list_all",
    "cli": "obsidian_list_tags",
}
INITIALIZED, FOUND = "start to `initialize`", "start to every planted word found"
RELAXED_CONFIG = {"write": {"durability": "relaxed"}}
EFFORT = ("--iters", "50", "--repeat", "2", "--budget", "8", "--index-timeout", "300")
QUICK_EFFORT = ("--iters", "10", "--repeat", "1", "--budget", "2")


def compare(site, root, quick):
    """What mcp_bench found, by server: {name: row}."""
    surfaces = [name for name in SURFACES if measure.offers(site.binary, name)]
    with measure.connect_stdio(site, surfaces[0]) as (client, _):
        index_life.wait_for_index(client, site.vault)
    with tempfile.TemporaryDirectory(dir=site.root) as folder:
        servers = {**our_servers(site, surfaces, folder), **installed_peers(root)}
        rows = run_driver(site, servers, root, folder, QUICK_EFFORT if quick else EFFORT)
    site.vault.sweep()
    return join_surfaces(rows, surfaces)


def run_driver(site, servers, root, folder, effort):
    scenario, answers = (os.path.join(folder, name) for name in ("scenario.json", "answers.json"))
    with open(scenario, "w") as file:
        json.dump({"servers": servers}, file)
    command = [sys.executable, os.path.join(BENCH, "mcp_bench.py"), "run", scenario, site.vault.path, "--json", answers]
    variables = ("--var", f"QUILLGATE={site.binary}", "--var", f"PEERS={os.path.abspath(root)}")
    subprocess.run([*command, *variables, *effort], check=True, stdout=subprocess.DEVNULL)
    with open(answers) as file:
        return {row["server"]: row for row in json.load(file)}


def read_servers(name):
    with open(os.path.join(BENCH, name)) as scenario:
        return json.load(scenario)["servers"]


def our_servers(site, surfaces, folder):
    """Per surface: warm, as from the second start on; and with writes that promise less. And one from nothing."""
    config = os.path.join(folder, "relaxed.json")
    with open(config, "w") as file:
        json.dump(RELAXED_CONFIG, file)
    servers, known = {}, set()
    for surface in surfaces:
        server = read_servers("quillgate.json")[f"quillgate-{surface}"]
        offered = offered_tools(site.binary, surface)
        there = {name: call for name, call in server["ops"].items() if name in mcp_bench.OPS and call["tool"] in offered}
        # by finding the rare words mcp_bench tells when a server is ready
        wanted = {name: call for name, call in there.items() if name == "search_rare" or name not in known}
        writes = {name: call for name, call in wanted.items() if name in (*WRITES, "search_rare")}
        warm = {**server, "env": {"QUILLGATE_DATA_DIR": site.warm_data}, "setup": [{"tool": SURFACES[surface], "args": {}}], "ops": wanted}
        servers[f"{OURS} {surface}"] = warm
        if len(writes) > 1:
            servers[f"{RELAXED} {surface}"] = {**warm, "command": [*server["command"], "--config", config], "ops": writes}
        if surface == surfaces[0]:
            servers[FIRST_START] = {**server, "ops": {"search_rare": there["search_rare"]}}
        known |= there.keys()
    return servers


def offered_tools(binary, surface):
    return subprocess.run([binary, "tools", "--surface", surface], capture_output=True, text=True).stdout.split()


def join_surfaces(rows, surfaces):
    """One row for all our surfaces: an operation of the first that has it, the start of the first, the memory of the largest."""
    joined = {}
    for name in (OURS, RELAXED):
        parts = [rows.pop(f"{name} {surface}") for surface in surfaces if f"{name} {surface}" in rows]
        if parts:
            ops = {op: found for part in reversed(parts) for op, found in part["ops"].items() if found["status"] != "n/a"}
            joined[name] = {**parts[0], "ops": ops, "rss": max(part.get("rss") or 0 for part in parts) or None}
            joined[name]["fatal"] = next((part["fatal"] for part in parts if part.get("fatal")), None)
    return {**joined, **rows}


def installed_peers(root):
    return {name: server for name, server in read_servers("peers.json").items() if is_installed(server, os.path.abspath(root))}


def is_installed(server, root):
    paths = [part.replace("${PEERS}", root) for part in server["command"] if "${PEERS}" in part]
    return all(os.path.exists(path) for path in paths)


class Comparison:
    """One vault: our times and those of the peers."""

    def __init__(self, notes, rows):
        self.notes = notes
        self.rows = rows
        self.peers = [name for name in rows if name not in (OURS, RELAXED, FIRST_START)]
        self.durable = {name for name, server in read_servers("peers.json").items() if server.get("durable")}
        self.names = [INITIALIZED, FOUND, *mcp_bench.OPS]

    def ours(self, name, peer):
        """Our time in milliseconds; for the start the first ever, for a write the one that promises what the peer's does."""
        if name == FOUND:
            return self.time(FIRST_START, name)[0]
        if name in WRITES and peer not in self.durable:
            return self.time(RELAXED, name)[0]
        return self.time(OURS, name)[0]

    def time(self, server, name):
        """Milliseconds, or None; and what is wrong."""
        row = self.rows.get(server, {})
        if name == INITIALIZED:
            return row.get("init_ms"), row.get("fatal")
        if name == FOUND:
            return row.get("ready_ms"), None if row.get("ready_ms") else row.get("ready_fail")
        operation = row.get("ops", {}).get(name, {})
        fault = None if operation.get("status", "n/a") in ("ok", "n/a") else f"{operation['status']} {operation.get('why', '')}"
        return operation.get("p50"), fault

    def factors(self):
        """(peer, name, factor) of every row that a peer answers rightly and we do, too."""
        for peer in self.peers:
            for name in self.names:
                theirs, fault = self.time(peer, name)
                if theirs and not fault and self.ours(name, peer):
                    yield peer, name, theirs / self.ours(name, peer)

    def unanswered(self):
        """(peer, name) of every row that a peer answers rightly and we do not."""
        for peer in self.peers:
            for name in self.names:
                theirs, fault = self.time(peer, name)
                if theirs and not fault and not self.ours(name, peer):
                    yield peer, name

    def markdown(self):
        servers = [name for name in (OURS, RELAXED) if name in self.rows] + self.peers
        lines = [
            f"### {self.notes:,} notes",
            "",
            f"| p50 | {' | '.join(servers)} |",
            f"|---|{'--:|' * len(servers)}",
        ]
        lines += [f"| {name} | {' | '.join(self.cell(server, name) for server in servers)} |" for name in self.names]
        memory = (report.megabytes(self.rows[server].get("rss")) for server in servers)
        lines.append(f"| RSS at the end | {' | '.join(memory)} |")
        wrong = [f"- {server}, {name}: {report.cell(fault)}" for server, name, fault in self.wrong_answers()]
        return "\n".join([*lines, "", *wrong]).strip()

    def cell(self, server, name):
        if server == OURS and name == FOUND:
            server = FIRST_START
        time, fault = self.time(server, name)
        if not time:
            return "failed" if fault else "–"
        text = report.duration(time * 1e6)
        ours = self.ours(name, server) if server in self.peers else None
        factor = f", {time / ours:.3g} ×" if ours else ""
        return f"WRONG ({text}{factor})" if fault else text + factor

    def wrong_answers(self):
        for server in self.rows:
            for name in self.names:
                if fault := self.time(server, name)[1]:
                    yield server, name, fault


def judge(comparisons):
    return [judge_one(comparison) for comparison in comparisons]


def judge_one(comparison):
    """A peer's wrong answers are no answers; ours must be right."""
    bar, limit = f"every peer is slower, {comparison.notes:,} notes", "> 1 ×"
    if not comparison.peers:
        return bar, "no peer is installed", limit, None
    factors = sorted(comparison.factors(), key=lambda row: row[2])
    ahead = [f"{peer} {name} {factor:.2f} ×" for peer, name, factor in factors if factor <= 1]
    wrong = [f"{server}, {name}: {fault}" for server, name, fault in comparison.wrong_answers() if server not in comparison.peers]
    text = f"in {len(factors) - len(ahead)} of {len(factors)} rows of {len(comparison.peers)} peers"
    text += f"; not {'; '.join(ahead)}" if ahead else ""
    unanswered = [f"{peer} {name}" for peer, name in comparison.unanswered()]
    text += f"; ours has no answer beside {'; '.join(unanswered)}" if unanswered else ""
    text += f"; ours is WRONG in {'; '.join(wrong)}" if wrong else ""
    return bar, text, limit, bool(factors) and not (ahead or unanswered or wrong)
