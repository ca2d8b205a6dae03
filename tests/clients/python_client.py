"""The Python SDK, 1.x or 2.x, whichever is installed: python_client.py PATH/TO/quillgate [BEGINNING OF A SCENARIO]"""

import asyncio
import contextlib
import json
import logging
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import warnings
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from mcp import StdioServerParameters

from player import Person, Player
from scenario import fill, load_steps, uncovered

MAJOR = int(version("mcp").split(".")[0])
EXAMPLE_VAULT = Path(__file__).parents[2] / "examples" / "vault"
SCENARIOS = json.loads((Path(__file__).parent / "scenarios.json").read_text())  # harness.mjs says what is in it
sdk = import_module(f"python_sdk_{MAJOR}")


class Place(NamedTuple):
    """A copy of the example vault, and the command line and environment that serve it."""

    vault: Path
    command: str
    flags: list
    env: dict


@contextlib.contextmanager
def workspace(binary, surface, config):
    """A copy of the example vault and an empty data directory."""
    with tempfile.TemporaryDirectory(prefix="quillgate-client-") as root:
        vault, data = Path(root, "vault"), Path(root, "data")
        shutil.copytree(EXAMPLE_VAULT, vault)
        data.mkdir()
        flags = ["--vault-path", str(vault), "--surface", surface]
        if config:
            file = Path(root, "config.json")
            file.write_text(json.dumps(config).replace("{vault}", str(vault)))
            flags += ["--config", str(file)]
        yield Place(vault, binary, flags, {"PATH": os.environ["PATH"], "HOME": str(data), "QUILLGATE_DATA_DIR": str(data)})


@contextlib.contextmanager
def serve(place):
    """Starts `quillgate serve`, waits until it answers GET /health and yields its endpoint."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    log = tempfile.TemporaryFile()
    line = [place.command, "serve", *place.flags, "--listen-addr", address]
    child = subprocess.Popen(line, env=place.env, stdout=subprocess.DEVNULL, stderr=log)
    try:
        wait_for_health(child, f"http://{address}/health", log)
        yield f"http://{address}/mcp"
    finally:
        child.terminate()
        try:
            code = child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            code = child.wait()
    if code != 0:
        raise RuntimeError(f"the server left with {code}")


def wait_for_health(child, url, log):
    deadline = time.monotonic() + 20
    while child.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            if urllib.request.urlopen(url).status == 200:
                return
        time.sleep(0.025)
    log.seek(0)
    raise RuntimeError(f"the server did not start:\n{log.read().decode()}")


async def play(target, era, place, entry, steps):
    human, updates, values = Person(), [], dict(entry.get("values", {}))
    failures = []
    async with sdk.connect(target, era, human if entry.get("human") else None, updates.append) as client:
        if (era == "legacy") != (client.version < "2026-07-28"):
            failures.append(f"negotiated {client.version} in era {era}")
        listed = await client.tools()
        if not entry.get("partial"):
            failures += uncovered(fill(steps, values), listed)
        player = Player(client, human, updates, place, entry["surface"], era, values)
        failures += await player.play(steps)
    return failures


def run_once(binary, era, transport, entry, steps):
    with workspace(binary, entry["surface"], entry.get("config")) as place:
        if transport == "stdio":
            target = StdioServerParameters(command=place.command, args=["stdio", *place.flags], env=place.env)
            return asyncio.run(play(target, era, place, entry, steps))
        with serve(place) as url:
            return asyncio.run(play(url, era, place, entry, steps))


def label(entry):
    scenario, surface = entry["scenario"], entry["surface"]
    return surface if scenario == surface else f"{scenario} on {surface}"


def main(binary, wanted=""):
    logging.disable(logging.CRITICAL)  # the SDK remarks on every tool it does not know
    warnings.simplefilter("ignore")  # and on methods that only one era has
    failed = False
    for era in sdk.ERAS:
        for transport in ("stdio", "http"):
            for entry in SCENARIOS:
                if not entry["scenario"].startswith(wanted) or era not in entry.get("eras", [era]):
                    continue
                steps = load_steps(entry["scenario"])
                try:
                    failures = run_once(binary, era, transport, entry, steps)
                except Exception as error:
                    failures = [f"{type(error).__name__}: {error}"]
                wrong = f", {len(failures)} wrong" if failures else ""
                verdict = "FAILED" if failures else "ok    "
                print(f"{verdict} python {MAJOR} · {era} · {transport} · {label(entry)}: {len(steps)} steps{wrong}", flush=True)
                for failure in failures:
                    print(f"    {failure}")
                failed = failed or bool(failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
