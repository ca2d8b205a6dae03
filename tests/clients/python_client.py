"""The Python SDK, 1.x or 2.x, whichever is installed: python_client.py PATH/TO/quillgate"""

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
from importlib.metadata import version
from pathlib import Path

from mcp import StdioServerParameters

from scenario import load_steps, mismatch, outcome_of, show, uncovered

MAJOR = int(version("mcp").split(".")[0])
EXAMPLE_VAULT = Path(__file__).parents[2] / "examples" / "vault"
SCENARIOS = json.loads((Path(__file__).parent / "scenarios.json").read_text())


class RpcError(Exception):
    """A JSON-RPC error, the same in both versions of the SDK."""

    def __init__(self, error):
        self.body = {"code": error.code, "message": error.message, "data": error.data}


if MAJOR == 1:
    from mcp import ClientSession, McpError
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    ERAS = ["legacy"]

    @contextlib.asynccontextmanager
    async def connect(target, era):
        with open(os.devnull, "w") as quiet:
            opened = streamable_http_client(target) if isinstance(target, str) else stdio_client(target, errlog=quiet)
            async with opened as (read, write, *_), ClientSession(read, write) as session:
                hello = await session.initialize()
                yield session, hello.protocolVersion

    async def call(session, tool, arguments):
        try:
            result = await session.call_tool(tool, arguments)
        except McpError as error:
            raise RpcError(error.error) from error
        return {"content": result.content, "structured": result.structuredContent, "is_error": result.isError}

else:
    from mcp import Client, MCPError
    from mcp.client.stdio import stdio_client

    ERAS = ["legacy", "modern"]

    @contextlib.asynccontextmanager
    async def connect(target, era):
        with open(os.devnull, "w") as quiet:
            opened = target if isinstance(target, str) else stdio_client(target, errlog=quiet)
            async with Client(opened, mode="legacy" if era == "legacy" else "auto") as client:
                yield client, client.protocol_version

    async def call(client, tool, arguments):
        try:
            result = await client.call_tool(tool, arguments)
        except MCPError as error:
            raise RpcError(error.error) from error
        return {"content": result.content, "structured": result.structured_content, "is_error": result.is_error}


@contextlib.contextmanager
def workspace(binary, surface, config):
    """A copy of the example vault and an empty data directory: yields the command line and its environment."""
    with tempfile.TemporaryDirectory(prefix="quillgate-client-") as root:
        vault, data = Path(root, "vault"), Path(root, "data")
        shutil.copytree(EXAMPLE_VAULT, vault)
        data.mkdir()
        arguments = ["--vault-path", str(vault), "--surface", surface]
        if config:
            file = Path(root, "config.json")
            file.write_text(json.dumps(config).replace("{vault}", str(vault)))
            arguments += ["--config", str(file)]
        yield binary, arguments, {"PATH": os.environ["PATH"], "HOME": str(data), "QUILLGATE_DATA_DIR": str(data)}


@contextlib.contextmanager
def serve(binary, arguments, env):
    """Starts `quillgate serve`, waits until it answers GET /health and yields its endpoint."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    log = tempfile.TemporaryFile()
    child = subprocess.Popen([binary, "serve", *arguments, "--listen-addr", address], env=env, stdout=subprocess.DEVNULL, stderr=log)
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


async def play(target, era, surface, steps, complete):
    failures = []
    async with connect(target, era) as (client, negotiated):
        if (era == "legacy") != (negotiated < "2026-07-28"):
            failures.append(f"negotiated {negotiated} in era {era}")
        listed = [tool.name for tool in (await client.list_tools()).tools]
        if complete:
            failures += uncovered(steps, listed)
        for number, step in enumerate(steps, 1):
            tool, arguments, expect = step["tool"], step.get("arguments", {}), step["expect"]
            [(kind, pattern)] = expect.items()
            try:
                got, body, complaint = outcome_of(await call(client, tool, arguments), surface)
            except RpcError as error:
                got, body, complaint = "rpc_error", error.body, None
            except Exception as error:  # the client's own complaint, such as structured content that breaks the schema
                got, body, complaint = kind, None, f"{type(error).__name__}: {error}"
            why = complaint or (mismatch(pattern, body) if got == kind else f"expected a {kind}, got a {got} {show(body)[:600]}")
            if why:
                failures.append(f"step {number} {tool} {show(arguments)}\n      {why}")
    return failures


def run_once(binary, era, transport, entry, steps):
    surface, complete = entry["surface"], not entry.get("partial")
    with workspace(binary, surface, entry.get("config")) as (command, arguments, env):
        if transport == "stdio":
            target = StdioServerParameters(command=command, args=["stdio", *arguments], env=env)
            return asyncio.run(play(target, era, surface, steps, complete))
        with serve(command, arguments, env) as url:
            return asyncio.run(play(url, era, surface, steps, complete))


def main(binary):
    logging.disable(logging.CRITICAL)  # the SDK remarks on every tool it does not know
    failed = False
    for era in ERAS:
        for transport in ("stdio", "http"):
            for entry in SCENARIOS:
                steps = load_steps(entry["scenario"])
                try:
                    failures = run_once(binary, era, transport, entry, steps)
                except Exception as error:
                    failures = [f"{type(error).__name__}: {error}"]
                wrong = f", {len(failures)} wrong" if failures else ""
                verdict = "FAILED" if failures else "ok    "
                print(f"{verdict} python {MAJOR} · {era} · {transport} · {entry['scenario']}: {len(steps)} steps{wrong}", flush=True)
                for failure in failures:
                    print(f"    {failure}")
                failed = failed or bool(failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
