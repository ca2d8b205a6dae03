"""The Python SDK, 1.x or 2.x, whichever is installed: python.py '{"url", "node", "visit", "path", "content", "era"}' prints what it holds."""

import asyncio
import json
import logging
import subprocess
import sys
from importlib.metadata import version
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

MAJOR = int(version("mcp").split(".")[0])
REDIRECT = "http://localhost:33419/callback"

if MAJOR == 1:
    import httpx as http
    from mcp import ClientSession
else:
    import httpx2 as http
    from mcp import Client
    from mcp.shared.auth import AuthorizationCodeResult


class Memory:
    """Keeps what the provider wants kept."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Person:
    """Opens the address in visit.mjs and hands back what the redirect carried."""

    def __init__(self, place):
        self.place = place

    async def open(self, address):
        line = [self.place["node"], self.place["visit"], "--print", address]
        back = subprocess.run(line, check=True, capture_output=True, text=True).stdout.strip()
        self.answer = {name: values[0] for name, values in parse_qs(urlsplit(back).query).items()}

    async def answered(self):
        code, state, issuer = (self.answer.get(name) for name in ("code", "state", "iss"))
        return (code, state) if MAJOR == 1 else AuthorizationCodeResult(code=code, state=state, iss=issuer)


async def use(client, provider, place):
    await client.list_tools()
    await client.call_tool("vault_read", {"path": "Start here.md"})
    await client.call_tool("vault_write", {"path": place["path"], "content": place["content"]})
    provider.context.token_expiry_time = 1  # as after a day: the client knows the lifetime and refreshes before it asks
    await client.call_tool("vault_read", {"path": place["path"]})


async def main(place):
    memory, person = Memory(), Person(place)
    metadata = OAuthClientMetadata(client_name="Python SDK", redirect_uris=[REDIRECT], token_endpoint_auth_method="none")
    provider = OAuthClientProvider(place["url"], metadata, memory, redirect_handler=person.open, callback_handler=person.answered)
    async with http.AsyncClient(auth=provider, timeout=30, follow_redirects=True) as transport:
        opened = streamable_http_client(place["url"], http_client=transport)
        if MAJOR == 1:
            async with opened as (read, write, *_), ClientSession(read, write) as session:
                await session.initialize()
                await use(session, provider, place)
        else:
            async with Client(opened, mode="legacy" if place["era"] == "legacy" else "auto") as client:
                await use(client, provider, place)
    held = {"client": memory.client, "tokens": memory.tokens}
    print(json.dumps({name: value.model_dump(mode="json", exclude_none=True) for name, value in held.items()}))


logging.disable(logging.CRITICAL)
asyncio.run(main(json.loads(sys.argv[1])))
