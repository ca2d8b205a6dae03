"""The Python SDK 2.x: the 2026-07-28 revision by default, the handshake when told to."""

import asyncio
import contextlib
import os

from mcp import Client, MCPError
from mcp import types
from mcp.client.stdio import stdio_client

from player import RpcError

ERAS = ["legacy", "modern"]


class Connection:
    def __init__(self, client, era, updated):
        self.client, self.era, self.updated = client, era, updated
        self.version = client.protocol_version
        self.streams = {}

    async def tools(self):
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def call(self, tool, arguments):
        with errors_told():
            return told(await self.client.call_tool(tool, arguments))

    async def call_by_hand(self, tool, arguments, given):
        responses = given.get("inputResponses")
        responses = responses and {name: types.ElicitResult(**answer) for name, answer in responses.items()}
        state = given.get("requestState")
        with errors_told():
            return told(
                await self.client.session.call_tool(
                    tool, arguments, input_responses=responses, request_state=state, allow_input_required=True
                )
            )

    async def subscribe(self, uris):
        if self.era == "legacy":
            for uri in uris:
                await self.client.subscribe_resource(uri)
            return
        opened = asyncio.get_running_loop().create_future()
        self.streams[tuple(uris)] = asyncio.create_task(self.listen(uris, opened))
        await opened

    async def listen(self, uris, opened):
        try:
            async with self.client.listen(resource_subscriptions=uris) as events:
                opened.set_result(None)
                async for event in events:
                    self.updated(event.uri)
        except Exception as error:
            if opened.done():
                raise
            opened.set_exception(error)

    async def unsubscribe(self, uris):
        if self.era == "legacy":
            for uri in uris:
                await self.client.unsubscribe_resource(uri)
            return
        await end(self.streams.pop(tuple(uris)))

    async def close(self):
        for stream in self.streams.values():
            await end(stream)


async def end(stream):
    stream.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await stream


@contextlib.contextmanager
def errors_told():
    try:
        yield
    except MCPError as error:
        raise RpcError(error.error) from error


def told(result):
    if isinstance(result, types.InputRequiredResult):
        return {"input_required": result.model_dump(mode="json", by_alias=True, exclude_none=True)}
    return {"content": result.content, "structured": result.structured_content, "is_error": result.is_error}


@contextlib.asynccontextmanager
async def connect(target, era, human, updated):
    """Opens a client on the parameters of a process or on an endpoint; `human` is there if its user can be asked."""

    async def ask(_, question):
        return types.ElicitResult(**await human.answer(question.model_dump(mode="json", by_alias=True)))

    async def hear(message):
        if isinstance(message, types.ResourceUpdatedNotification):
            updated(message.params.uri)

    mode = "legacy" if era == "legacy" else "auto"
    with open(os.devnull, "w") as quiet:
        opened = target if isinstance(target, str) else stdio_client(target, errlog=quiet)
        async with Client(opened, mode=mode, elicitation_callback=ask if human else None, message_handler=hear) as client:
            connection = Connection(client, era, updated)
            yield connection
            await connection.close()
