"""Ours and every installed peer on the same vault, one after the other, by mcp_bench.py; and the factor between them."""
import json
import os
import subprocess
import sys
import tempfile

import mcp_bench
import report
from workload import BENCH

WRITES = ("write_new", "append", "edit")
OURS, RELAXED, FIRST_START = "quillgate", "quillgate, durability relaxed", "quillgate, first start"
INITIALIZED, FOUND = "start to `initialize`", "start to every planted word found"
RELAXED_CONFIG = {"write": {"durability": "relaxed"}}
EFFORT = ("--iters", "50", "--repeat", "2", "--budget", "8", "--index-timeout", "300")
QUICK_EFFORT = ("--iters", "10", "--repeat", "1", "--budget", "2")


def compare(site, root, quick):
    """Rows of mcp_bench, by server: {name: row}."""
    with tempfile.TemporaryDirectory(dir=site.root) as folder:
        scenario, answers = (os.path.join(folder, name) for name in ("scenario.json", "answers.json"))
        with open(scenario, "w") as file:
            json.dump({"servers": {**our_servers(site, folder), **installed_peers(root)}}, file)
        command = [sys.executable, os.path.join(BENCH, "mcp_bench.py"), "run", scenario, site.vault.path, "--json", answers]
        variables = ("--var", f"QUILLGATE={site.binary}", "--var", f"PEERS={os.path.abspath(root)}")
        subprocess.run([*command, *variables, *(QUICK_EFFORT if quick else EFFORT)], check=True, stdout=subprocess.DEVNULL)
        site.vault.sweep()
        with open(answers) as file:
            return {row["server"]: row for row in json.load(file)}


def read_servers(name):
    with open(os.path.join(BENCH, name)) as scenario:
        return json.load(scenario)["servers"]


def our_servers(site, folder):
    """Warm, as from the second start on; once with the promise of the peers for writes; once from nothing."""
    tools = offered_tools(site.binary)
    server = read_servers("quillgate.json")["quillgate-engine" if tools else "quillgate-vault"]
    config = os.path.join(folder, "relaxed.json")
    with open(config, "w") as file:
        json.dump(RELAXED_CONFIG, file)
    # times are taken when the index has been compared with the files: the warm numbers of a peer are, too
    reconcile = [{"tool": "index_vault", "args": {}}] if "index_vault" in tools else []
    warm = {**server, "env": {"QUILLGATE_DATA_DIR": site.warm_data}, "setup": reconcile}
    writes = {name: server["ops"][name] for name in ("search_rare", *WRITES) if name in server["ops"]}
    return {
        OURS: warm,
        RELAXED: {**warm, "command": [*server["command"], "--config", config], "ops": writes},
        FIRST_START: {**server, "ops": {"search_rare": server["ops"]["search_rare"]}},
    }


def offered_tools(binary):
    """What the engine surface lists; nothing when there is none."""
    return subprocess.run([binary, "tools", "--surface", "engine"], capture_output=True, text=True).stdout


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
        self.measures = [INITIALIZED, FOUND, *mcp_bench.OPS]

    def ours(self, measure, peer):
        """Our time in milliseconds; for the start the first ever, for a write the one that promises what the peer's does."""
        if measure == FOUND:
            return self.time(FIRST_START, measure)[0]
        if measure in WRITES and peer not in self.durable:
            return self.time(RELAXED, measure)[0]
        return self.time(OURS, measure)[0]

    def time(self, server, measure):
        """Milliseconds, or None; and what is wrong."""
        row = self.rows.get(server, {})
        if measure == INITIALIZED:
            return row.get("init_ms"), row.get("fatal")
        if measure == FOUND:
            return row.get("ready_ms"), row.get("ready_fail")
        operation = row.get("ops", {}).get(measure, {})
        fault = None if operation.get("status", "n/a") in ("ok", "n/a") else f"{operation['status']} {operation.get('why', '')}"
        return operation.get("p50"), fault

    def factors(self):
        """(peer, measure, factor) of every row that a peer answers rightly and we do, too."""
        for peer in self.peers:
            for measure in self.measures:
                theirs, fault = self.time(peer, measure)
                if theirs and not fault and self.ours(measure, peer):
                    yield peer, measure, theirs / self.ours(measure, peer)

    def markdown(self):
        servers = [name for name in (OURS, RELAXED) if name in self.rows] + self.peers
        lines = [
            f"### {self.notes:,} notes",
            "",
            f"| p50 | {' | '.join(servers)} |",
            f"|---|{'--:|' * len(servers)}",
        ]
        lines += [f"| {measure} | {' | '.join(self.cell(server, measure) for server in servers)} |" for measure in self.measures]
        memory = (report.megabytes(self.rows[server].get("rss")) for server in servers)
        lines.append(f"| RSS at the end | {' | '.join(memory)} |")
        wrong = [f"- {server}, {measure}: {report.cell(fault)}" for server, measure, fault in self.wrong_answers()]
        return "\n".join([*lines, "", *wrong]).strip()

    def cell(self, server, measure):
        if server == OURS and measure == FOUND:
            server = FIRST_START
        time, fault = self.time(server, measure)
        if not time:
            return "WRONG" if fault else "–"
        text = report.duration(time * 1e6)
        ours = self.ours(measure, server) if server in self.peers else None
        factor = f", {time / ours:.3g} ×" if ours else ""
        return f"WRONG ({text}{factor})" if fault else text + factor

    def wrong_answers(self):
        for server in self.rows:
            for measure in self.measures:
                if fault := self.time(server, measure)[1]:
                    yield server, measure, fault


def judge(comparisons):
    return [judge_one(comparison) for comparison in comparisons]


def judge_one(comparison):
    """A peer's wrong answers are no answers; ours must be right."""
    bar, limit = f"every peer is slower, {comparison.notes:,} notes", "> 1 ×"
    if not comparison.peers:
        return bar, "no peer is installed", limit, None
    factors = sorted(comparison.factors(), key=lambda row: row[2])
    ahead = [f"{peer} {measure} {factor:.2f} ×" for peer, measure, factor in factors if factor <= 1]
    wrong = [f"{server}, {measure}: {fault}" for server, measure, fault in comparison.wrong_answers() if server not in comparison.peers]
    text = f"in {len(factors) - len(ahead)} of {len(factors)} rows of {len(comparison.peers)} peers"
    text += f"; not {'; '.join(ahead)}" if ahead else ""
    text += f"; ours is WRONG in {'; '.join(wrong)}" if wrong else ""
    return bar, text, limit, bool(factors) and not ahead and not wrong
