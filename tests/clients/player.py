"""The twin of player.mjs: carries the steps of a scenario out, through one client with a person in front of it."""

import asyncio
import re
import time

from scenario import ABSENT, fill, mismatch, outcome_of, show

PATIENCE_SECONDS = 20


class RpcError(Exception):
    """A JSON-RPC error, the same in both versions of the SDK."""

    def __init__(self, error):
        self.body = {"code": error.code, "message": error.message, "data": error.data}


class Person:
    """The client's user: remembers what they were shown, and answers as the step says."""

    def __init__(self):
        self.shown = []
        self.reply = None

    async def answer(self, question):
        self.shown.append(question)
        return (self.reply and await self.reply()) or {"action": "cancel"}


class Player:
    """`updates` are the URIs that the client was told of, `values` what steps keep for later ones."""

    def __init__(self, client, human, updates, place, surface, era, values):
        self.client, self.human, self.updates, self.place = client, human, updates, place
        self.surface, self.era, self.values = surface, era, values

    async def play(self, steps):
        """Plays the steps and returns the failures as sentences."""
        failures = []
        for number, template in enumerate(steps, 1):
            if template.get("only", self.era) != self.era:
                continue
            # steps within a step are filled in when their turn comes
            now = {key: value for key, value in template.items() if key != "meanwhile"}
            step = {**fill(now, {**self.values, **now.get("with", {})}), "meanwhile": template.get("meanwhile", [])}
            kind = next(kind for kind in KINDS if kind in step)
            try:
                why = await KINDS[kind](self, step)
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
            if why:
                failures.append(f"step {number} {kind} {show(step[kind])} {show(step.get('arguments', {}))}\n      {why}")
        return failures

    async def call(self, step):
        tool, arguments, by_hand = step["tool"], step.get("arguments", {}), step.get("by_hand")
        [(kind, pattern)] = step["expect"].items()
        problems, shown, answers = [], self.human.shown, listed(step.get("human", []))

        async def reply():
            if len(shown) == 1:
                problems.extend(await self.play(step["meanwhile"]))
            return answers[len(shown) - 1] if len(shown) <= len(answers) else None

        shown.clear()
        self.human.reply = reply
        try:
            calling = self.client.call(tool, arguments) if by_hand is None else self.client.call_by_hand(tool, arguments, by_hand)
            got, body, complaint = outcome_of(await calling, self.surface)
        except RpcError as error:
            got, body, complaint = "rpc_error", error.body, None
        finally:
            self.human.reply = None
        if complaint or problems:
            return complaint or ", ".join(problems)
        if got != kind:
            return f"expected a {kind}, got a {got} {show(body)[:600]}"
        return mismatch(pattern, body) or self.wrongly_asked(step, len(answers)) or self.keep(step, show(body))

    def wrongly_asked(self, step, wanted):
        shown = self.human.shown
        if len(shown) != wanted:
            return f"the user was asked {len(shown)} times, not {wanted}: {show(shown)[:600]}"
        return mismatch(listed(step["asked"]), shown, "asked") if "asked" in step else None

    def keep(self, step, text):
        for name, pattern in step.get("keep", {}).items():
            found = re.search(pattern, text, re.M | re.S)
            if not found:
                return f"nothing to keep as {name}: {pattern} is not in {text[:600]}"
            self.values[name] = found[1]
        return None

    async def approve(self, step):
        process = await asyncio.create_subprocess_exec(
            self.place.command, "approve", *step["approve"], *self.place.flags, env=self.place.env,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        printed, complaint = (text.decode() for text in await process.communicate())
        if process.returncode:
            return f"it left with {process.returncode}: {complaint}"
        return mismatch(step["prints"], printed, "printed") or self.keep(step, printed)

    async def look(self, step):
        path = self.place.vault / step["file"]

        def difference():
            return mismatch(step["holds"], path.read_text(encoding="utf-8") if path.exists() else ABSENT, step["file"])

        if step.get("waits"):
            await eventually(lambda: difference() is None)
        return difference()

    async def write(self, step):
        (self.place.vault / step["write"]).write_text(step["content"], encoding="utf-8")

    async def subscribe(self, step):
        await self.client.subscribe(step["subscribe"])

    async def unsubscribe(self, step):
        await self.client.unsubscribe(step["unsubscribe"])

    async def updated(self, step):
        await eventually(lambda: set(step["updated"]) <= set(self.updates))
        told = sorted(set(self.updates))
        self.updates.clear()
        return mismatch(sorted(step["updated"]), told, "updated")


KINDS = {
    "tool": Player.call,
    "approve": Player.approve,
    "file": Player.look,
    "write": Player.write,
    "subscribe": Player.subscribe,
    "unsubscribe": Player.unsubscribe,
    "updated": Player.updated,
}


def listed(value):
    return value if isinstance(value, list) else [value]


async def eventually(holds):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds() and time.monotonic() < deadline:
        await asyncio.sleep(0.02)
