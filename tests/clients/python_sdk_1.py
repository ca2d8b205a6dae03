"""The Python SDK 1.x: only the handshake of 2025-11-25 and before."""

import contextlib
import os

from mcp import ClientSession, McpError, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import AnyUrl

from player import RpcError

ERAS = ["legacy"]


class Connection:
    def __init__(self, session, version):
        self.session, self.version = session, version

    async def tools(self):
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def call(self, tool, arguments):
        try:
            result = await self.session.call_tool(tool, arguments)
        except McpError as error:
            raise RpcError(error.error) from error
        return {"content": result.content, "structured": result.structuredContent, "is_error": result.isError}

    async def subscribe(self, uris):
        for uri in uris:
            await self.session.subscribe_resource(AnyUrl(uri))

    async def unsubscribe(self, uris):
        for uri in uris:
            await self.session.unsubscribe_resource(AnyUrl(uri))


@contextlib.asynccontextmanager
async def connect(target, era, human, updated):
    """Opens a client on the parameters of a process or on an endpoint; `human` is there if its user can be asked."""

    async def ask(_, question):
        return types.ElicitResult(**await human.answer(question.model_dump(mode="json")))

    async def hear(message):
        if isinstance(message, types.ServerNotification) and isinstance(message.root, types.ResourceUpdatedNotification):
            updated(str(message.root.params.uri))

    with open(os.devnull, "w") as quiet:
        opened = streamable_http_client(target) if isinstance(target, str) else stdio_client(target, errlog=quiet)
        async with opened as (read, write, *_):
            async with ClientSession(read, write, elicitation_callback=ask if human else None, message_handler=hear) as session:
                hello = await session.initialize()
                yield Connection(session, hello.protocolVersion)
