"""Which calls are made on a vault, and whether their answers are right (quillgate.json holds the calls, the manifest the truth).

Checks, beside those of mcp_bench.py (contains, min, reads, file, backlinks, tags):
  fields    {"a.0.b": value}  this field of the answer's JSON is exactly that
  at_least  {"a": number}     this field is no smaller
  lengths   {"a": number}     this list is exactly that long
  lacks     [text]            none of these is in the answer
  gone      path              this file is no longer in the vault
  error     code              the right answer is this JSON-RPC error
"""
import functools
import glob
import hashlib
import itertools
import json
import os
import shutil
import subprocess
import sys

import mcp_bench

BENCH = os.path.dirname(os.path.abspath(__file__))
SCRATCH = ("bench-tmp", "adr", "devlog")  # the folders that writing ops make; no generated vault has them
FILES_BESIDE_NOTES = ("attachments", "canvas", "base")


class Vault:
    """A generated vault with its manifest, or an empty folder."""

    def __init__(self, cache, notes):
        self.notes = notes
        self.path = os.path.join(cache, vault_name(notes))
        self.manifest = None
        if notes == 0:
            os.makedirs(self.path, exist_ok=True)
            return
        generate(self.path, notes)
        self.open()
        if count_files(self.path) != self.files():  # something else wrote into the cache: its answers could not be checked
            os.remove(self.path + ".manifest.json")
            generate(self.path, notes)
            self.open()
        self.context.extra = self.truths()

    def open(self):
        self.context = mcp_bench.Ctx(self.path, {})
        self.manifest = self.context.m
        self.sweep()

    def files(self):
        """How many files a listing must hold: hidden ones never count."""
        if not self.manifest:
            return 0
        totals = self.manifest["totals"]
        return totals["notes"] + sum(totals[kind] for kind in FILES_BESIDE_NOTES)

    def truths(self):
        """Right answers that the scenario file names, apart from those of mcp_bench."""
        manifest = self.manifest
        entries = os.listdir(os.path.join(self.path, manifest["list_dir"]))
        return {
            "files": str(self.files()),
            "list_entries": str(len(entries)),
            "list_stem": min(name for name in entries if name.startswith("planted-rare")).removesuffix(".md"),
            "common_notes": str(manifest["common"]["notes"]),
            "tag_notes": str(len(manifest["tag"]["notes"])),
            "status_notes": str(manifest["totals"]["frontmatter"]),
        }

    @functools.cache
    def properties(self):
        """The frontmatter that the generator gave each note: {path: {key: text}}, lists left out."""
        notes = glob.iglob("**/*.md", root_dir=self.path, recursive=True)
        return {path: read_properties(os.path.join(self.path, path)) for path in notes}

    def fields(self, run, i):
        """Values for the ${names} of call number `i`; each call asks for something else, so that no cached reply helps."""
        self.context.n = i
        fields = self.context.iter(run)
        sources = self.manifest["backlinks"]["sources"]
        stem = fields["new_stem"]
        fields.update(
            run=run,
            back_path=sources[i % len(sources)],
            copy_path=f"bench-tmp/copy-{stem}.md",
            renamed_stem=f"renamed-{stem}",
            renamed_path=f"bench-tmp/renamed-{stem}.md",
            moved_path=f"bench-tmp/moved-{stem}.md",
        )
        return fields

    def plant_edit_note(self, run):
        """The note that edits and appends of this run go to; it must be there before the server starts."""
        os.makedirs(os.path.join(self.path, "bench-tmp"), exist_ok=True)
        with open(os.path.join(self.path, "bench-tmp", f"edit-{run}.md"), "w") as note:
            note.write(f"---\ntags: [bench]\n---\n# edit-{run}\n\n## Log\n\ncounter-start\n")
        self.context.extra["files"] = str(self.files() + 1)

    def sweep(self):
        """Takes the vault back to what the generator wrote."""
        for folder in SCRATCH:
            shutil.rmtree(os.path.join(self.path, folder), ignore_errors=True)
        trash = os.path.join(self.path, ".trash")
        for name in os.listdir(trash):
            if name != "deleted note.md":
                path = os.path.join(trash, name)
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


class Surface:
    """The calls of one surface, in the order of the scenario file."""

    def __init__(self, scenario):
        self.name = scenario["surface"]
        self.operations = [Operation(name, spec) for name, spec in scenario["ops"].items()]


class Operation:
    def __init__(self, name, spec):
        self.name = name
        self.spec = spec
        self.tool = spec["tool"]
        self.writes = spec.get("writes", False)
        self.check = spec.get("check") or mcp_bench.DEFAULT_CHECK.get(name, {})
        self.unsupported = spec.get("unsupported")

    def params(self, fields):
        return {"name": self.tool, "arguments": mcp_bench.sub(self.spec["args"], fields)}

    def find_fault(self, vault, fields, result):
        """Why the result of a call is wrong, or None."""
        if "error" in self.check:
            return "no error, though the app is not running"
        text = mcp_bench.text_of(result)
        if result.get("isError"):
            return f"tool error: {text[:200]}"
        fault = mcp_bench.check(self.name, {**self.spec, "check": self.check}, fields, text, vault.context)
        return fault or find_fault_in_json(self.check, fields, text) or find_fault_on_disk(self.check, fields, vault)


def find_fault_in_json(check, fields, text):
    for unwanted in check.get("lacks", []):
        if unwanted in text:
            return f"holds {unwanted}"
    if not check.keys() & {"fields", "at_least", "lengths"}:
        return None
    body = json.loads(text)
    for path, wanted in mcp_bench.sub(check.get("fields", {}), fields).items():
        if (found := field(body, path)) != wanted:
            return f"{path} is {found!r}, not {wanted!r}"
    for path, least in mcp_bench.sub(check.get("at_least", {}), fields).items():
        if (found := field(body, path)) is None or found < least:
            return f"{path} is {found!r}, below {least}"
    for path, length in mcp_bench.sub(check.get("lengths", {}), fields).items():
        if (found := len(field(body, path) or [])) != length:
            return f"{path} has {found} entries, not {length}"
    return None


def find_fault_on_disk(check, fields, vault):
    if "gone" not in check:
        return None
    path = mcp_bench.sub(check["gone"], fields)
    return f"{path} is still there" if os.path.exists(os.path.join(vault.path, path)) else None


def field(body, path):
    for key in path.split("."):
        try:
            body = body[int(key) if isinstance(body, list) else key]
        except (KeyError, IndexError, TypeError, ValueError):
            return None
    return body


def count_files(root):
    """Without hidden files and folders."""
    count = 0
    for _, folders, files in os.walk(root):
        folders[:] = [folder for folder in folders if not folder.startswith(".")]
        count += sum(not name.startswith(".") for name in files)
    return count


def read_properties(path):
    with open(path, encoding="utf-8") as note:
        if note.readline() != "---\n":
            return {}
        pairs = (line.partition(":") for line in itertools.takewhile(lambda line: line != "---\n", note))
        return {key: value.strip().strip('"') for key, _, value in pairs if value.strip()}


def load_surfaces():
    with open(os.path.join(BENCH, "quillgate.json")) as scenarios:
        return [Surface(scenario) for scenario in json.load(scenarios)["servers"].values()]


def vault_name(notes):
    """Names the generator's version too, so that a change to it never meets an old vault in the cache."""
    if notes == 0:
        return "vault-0"
    with open(os.path.join(BENCH, "gen_vault.py"), "rb") as generator:
        return f"vault-{notes}-{hashlib.sha256(generator.read()).hexdigest()[:8]}"


def generate(path, notes):
    if os.path.exists(path + ".manifest.json"):  # written last: the vault is complete
        return
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    generator = os.path.join(BENCH, "gen_vault.py")
    subprocess.run([sys.executable, generator, path, "--notes", str(notes)], check=True, stdout=sys.stderr)
