"""Servers on vaults of their own, which the measurement fills first, and what is said where there is nothing to measure."""
import contextlib
import dataclasses
import json
import os
import random
import shutil
import tempfile

import gen_vault
import measure
import wire

NOTE_BYTES = 4000


class Missing(Exception):
    """The binary has no such tool."""


@dataclasses.dataclass
class Unmeasured:
    why: str
    holds: bool | None  # None where the binary lacks the tool


def attempt(work, *arguments):
    try:
        return work(*arguments)
    except Missing as missing:
        return Unmeasured(f"missing: {missing}", None)
    except measure.BROKEN as broken:
        return Unmeasured(f"{type(broken).__name__}: {broken}", False)


@dataclasses.dataclass
class OwnVault:
    path: str
    notes: str = "own"  # what the place of its server is called after


@dataclasses.dataclass
class Place:
    client: wire.Stdio
    pid: int
    vault: str
    data: str


@contextlib.contextmanager
def placed(site, surface, tool, fill, settings=None, agrees=False):
    """A server at rest, on a vault of its own, which `fill` has written; it must have this tool."""
    if not measure.offers(site.binary, surface):
        raise Missing(f"no surface `{surface}`")
    with tempfile.TemporaryDirectory(dir=site.root) as root:
        own = measure.Site(site.binary, OwnVault(os.path.join(root, "vault")), root)
        fill(own.vault.path)
        config = os.path.join(root, "config.json")
        with open(config, "w") as file:
            json.dump(settings or {}, file)
        with measure.connect_stdio(own, surface, config=config, agrees=agrees) as (client, child):
            if tool not in {offered["name"] for offered in client.request("tools/list", {})["tools"]}:
                raise Missing(f"no `{tool}` on the surface `{surface}`")
            measure.wait_for_rest(child.pid)
            yield Place(client, child.pid, own.vault.path, own.warm_data)


def copy_of(vault, more=None):
    """Fills a vault with what another holds, and with `more`: {path: text}."""

    def fill(folder):
        shutil.copytree(vault.path, folder, symlinks=True)
        put(folder, more or {})

    return fill


def put(folder, texts):
    for path, text in texts.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "wb") as note:
            note.write(text.encode())


def look(folder, path):
    with open(os.path.join(folder, path), "rb") as note:
        return note.read().decode()


def prose(seed, size):
    """Paragraphs of about so many bytes in all; the same for the same seed."""
    words, paragraphs = random.Random(f"governed:{seed}"), []
    while sum(map(len, paragraphs)) < size:
        paragraphs.append(" ".join(words.choices(gen_vault.REAL, k=60)))
    return paragraphs


def joined(*paragraphs):
    return "\n\n".join(paragraphs) + "\n"
