"""Many changes at once: a stream of edits, and a large move with the links to what it moves."""
import dataclasses
import os
import re
import statistics
import time

import mcp_bench
import measure
import report
from measure import Timing
from own_vault import NOTE_BYTES, Unmeasured, copy_of, joined, look, placed, prose, put

CHANGES_LIMIT, RESIDENT_LIMIT = 10_000, 1.2  # files a minute; × RSS of the second fifth of the time
LOOK_EVERY = 0.1  # seconds between looks at the memory
MOVE_LIMIT = 3  # × writing the files once
EDITED, EDITS = 500, 50  # notes that changes go to in turn, and how many of them in one call; above that a human is asked
LINKS = 10  # of each page, and to each note that is moved
LINK_FORMS = ("[[Inbox/{0}]]", "[[Inbox/{0}|see there]]", "[[Inbox/{0}#Summary]]", "[there](Inbox/{0}.md)")


@dataclasses.dataclass
class Stream:
    """Calls of `apply` one after the other."""

    calls: Timing
    changed: int = 0  # files
    seconds: float = 0.0
    resident: list = dataclasses.field(default_factory=list)  # MB, at equal distances
    fault: str | None = None

    def per_minute(self):
        return 60 * self.changed / self.seconds

    def resident_in(self, fifth):
        """Median: the text index takes memory while it commits, and gives it back."""
        looks = len(self.resident)
        return statistics.median(self.resident[looks * (fifth - 1) // 5 : looks * fifth // 5])


@dataclasses.dataclass
class Relocation:
    moves: list  # nanoseconds of each call
    floor: list  # of writing the files of that call
    notes: int
    pages: int  # other notes, whose links had to be rewritten
    links: int = 0
    agreements: int = 0
    fault: str | None = None

    def ratio(self):
        return sum(self.moves) / sum(self.floor)


# ---- a stream of edits


def stream_changes(site, effort):
    notes = {path_edited(number): text_edited(number) for number in range(EDITED)}
    with placed(site, "engine", "apply", copy_of(site.vault, notes)) as place:
        stream = Stream(Timing())
        apply_for(place, effort.seconds, stream)
        applied = len(stream.calls.durations) * EDITS
        for number in range(applied, applied + EDITED):  # the edits that would be next
            if not stream.fault and place_edited(number) not in look(place.vault, path_edited(number)):
                stream.fault = f"{path_edited(number)} does not hold what was applied"
    return stream


def apply_for(place, seconds, stream):
    begun = looked = time.monotonic()
    while stream.seconds < seconds and not stream.fault:
        first = len(stream.calls.durations) * EDITS
        changes = [edit(number) for number in range(first, first + EDITS)]
        frame = place.client.frame("tools/call", {"name": "apply", "arguments": {"changes": changes, "dry_run": False}})
        durations, [answer] = place.client.time([frame], measure.CALL_WITHIN)
        stream.calls.durations += durations
        stream.seconds = time.monotonic() - begun
        result = place.client.result_of(answer)
        changed = {change["path"] for change in (result.get("structuredContent") or {}).get("changed", [])}
        stream.changed += len(changed)
        if changed != {change["path"] for change in changes}:
            stream.fault = f"{len(changed)} of {EDITS} files changed: {mcp_bench.text_of(result)[:200]}"
        if time.monotonic() > looked + LOOK_EVERY:
            looked = time.monotonic()
            stream.resident.append(mcp_bench.mem(place.pid)[0])


def path_edited(number):
    return f"bench-tmp/edited-{number % EDITED}.md"


def place_edited(number):
    """What edit number `number` finds in its note, and nowhere else in it."""
    return f"round {number // EDITED:06}"


def text_edited(number):
    before, after = prose(f"before {number}", NOTE_BYTES // 2), prose(f"after {number}", NOTE_BYTES // 2)
    return joined(f"# Edited {number}", *before, place_edited(number), *after)


def edit(number):
    return {"op": "edit", "path": path_edited(number), "old_string": place_edited(number), "new_string": place_edited(number + EDITED)}


# ---- a large move


def relocate(site, effort):
    """Call by call: the move, and writing the files that it is about."""
    batches = [batch_of(range(begin, begin + effort.moves)) for begin in range(0, effort.moved, effort.moves)]
    notes, pages = ({path: text for batch in batches for path, text in batch[kind].items()} for kind in (0, 1))
    found = Relocation([], [], len(notes), len(pages))
    with placed(site, "engine", "bulk_move_notes", lambda folder: put(folder, notes | pages), agrees=True) as place:
        beside = os.path.join(os.path.dirname(place.vault), "floor")
        put(beside, notes | pages)
        os.makedirs(os.path.join(beside, "Archive"))
        for number, (moved, linking) in enumerate(batches):
            if number % 2:
                found.floor.append(write_once(beside, moved | linking))
            found.moves.append(move(place.client, moved, found))
            if number % 2 == 0:
                found.floor.append(write_once(beside, moved | linking))
        found.agreements = place.client.agreements
        found.fault = found.fault or find_relocation_fault(place.vault, notes, pages, found)
    return found


def batch_of(numbers):
    """Notes that one call moves, and the pages with all links to them: each file is written by one call only."""
    stems = [f"note-{number:04}" for number in numbers]
    notes, pages = {}, {}
    for position, stem in enumerate(stems):
        notes[f"Inbox/{stem}.md"] = joined("# A note", "## Summary", *prose(stem, NOTE_BYTES // 2))
        targets = [stems[(position + 7 * step) % len(stems)] for step in range(LINKS)]
        links = [LINK_FORMS[step % len(LINK_FORMS)].format(target) for step, target in enumerate(targets)]
        pages[f"Pages/{numbers.start:04}/page-{position:03}.md"] = joined("# A page", *prose(f"page of {stem}", NOTE_BYTES // 2), *links)
    return notes, pages


def new_path(path):
    return path.replace("Inbox/", "Archive/")


def move(client, notes, found):
    """Nanoseconds of one call, in which the client's user agrees at once."""
    arguments = {"moves": [{"from": path, "to": new_path(path)} for path in notes], "dry_run": False}
    frame = client.frame("tools/call", {"name": "bulk_move_notes", "arguments": arguments})
    [duration], [answer] = client.time([frame], measure.CALL_WITHIN)
    result = client.result_of(answer)
    if result.get("isError"):
        found.fault = found.fault or mcp_bench.text_of(result)[:200]
    else:
        found.links += result["structuredContent"]["total_backlinks_updated"]
    return duration


def write_once(folder, texts):
    """Nanoseconds of the plain way: every file is written beside its place, synced and renamed, and then its folder is synced."""
    files = {new_path(path): text.encode() for path, text in texts.items()}
    begun = time.perf_counter_ns()
    for path, content in files.items():
        place = os.path.join(folder, path)
        with open(place + ".new", "wb", buffering=0) as file:
            file.write(content)
            os.fsync(file)
        os.rename(place + ".new", place)
        directory = os.open(os.path.dirname(place), os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(directory)
        os.close(directory)
    return time.perf_counter_ns() - begun


def find_relocation_fault(vault, notes, pages, found):
    for path, text in notes.items():
        if os.path.exists(os.path.join(vault, path)) or look(vault, new_path(path)) != text:
            return f"{path} was not moved as it is"
    for path in pages:
        text = look(vault, path)
        if "Inbox/" in text or len(re.findall(r"note-\d+", text)) != LINKS:
            return f"links of {path} were not rewritten"
    if found.links != LINKS * len(notes):
        return f"the answers tell of {found.links} links, not {LINKS * len(notes)}"
    return None if found.agreements else "nobody was asked"


# ---- the report


def stream_lines(stream, effort):
    head = f"| changes for {effort.seconds:g} s | files a minute | a call, p50 / p99 | RSS in the second fifth | in the last | ratio | most seen |"
    lines, name = [head, "|---|--:|--:|--:|--:|--:|--:|"], f"`apply` of {EDITS} edits at a time"
    if isinstance(stream, Unmeasured):
        return [*lines, f"| {name} | {report.cell(stream.why)} | | | | | |"]
    memory = "– | – | – | –"
    if len(stream.resident) >= 5:
        second, last = stream.resident_in(2), stream.resident_in(5)
        memory = f"{second:.1f} MB | {last:.1f} MB | {last / second:.2f} × | {max(stream.resident):.1f} MB"
    return [*lines, f"| {name} | {stream.per_minute():,.0f} | {report.percentiles(stream.calls)} | {memory} |"]


def relocation_lines(found):
    lines = ["| a move | writing the files once | moving | ratio |", "|---|--:|--:|--:|"]
    if isinstance(found, Unmeasured):
        return [*lines, f"| `bulk_move_notes` | {report.cell(found.why)} | | |"]
    name = f"`bulk_move_notes`: {found.notes:,} notes, {found.links:,} links in {found.pages:,} others"
    calls = f"{len(found.moves)} calls, {found.agreements} agreements"
    times = f"{report.duration(sum(found.floor))} | {report.duration(sum(found.moves))} | {found.ratio():.2f} ×"
    return [*lines, f"| {name}; {calls} | {times} |"]


def judge_stream(stream):
    bars = {"changes by `apply`": f"{CHANGES_LIMIT:,} files a minute", "RSS after changes by `apply`": f"{RESIDENT_LIMIT} ×"}
    if isinstance(stream, Unmeasured):
        return [(bar, stream.why, limit, stream.holds) for bar, limit in bars.items()]
    if stream.fault:
        return [(bar, f"WRONG: {stream.fault}", limit, False) for bar, limit in bars.items()]
    second, last = stream.resident_in(2), stream.resident_in(5)
    measured = (
        (f"{stream.per_minute():,.0f} files a minute", stream.per_minute() >= CHANGES_LIMIT),
        (f"{last:.1f} MB, {last / second:.2f} × the second fifth", last <= RESIDENT_LIMIT * second),
    )
    return [(bar, text, limit, holds) for (bar, limit), (text, holds) in zip(bars.items(), measured)]


def judge_relocation(found, effort):
    bar, limit = f"{effort.moved:,} notes with {LINKS * effort.moved:,} links move", f"{MOVE_LIMIT} ×"
    if isinstance(found, Unmeasured):
        return bar, found.why, limit, found.holds
    if found.fault:
        return bar, f"WRONG: {found.fault}", limit, False
    measured = f"{report.duration(sum(found.moves))}, {found.ratio():.2f} × writing the files once ({report.duration(sum(found.floor))})"
    return bar, measured, limit, found.ratio() <= MOVE_LIMIT
