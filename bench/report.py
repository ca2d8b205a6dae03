"""Turns measurements into two Markdown tables: everything, and the bars that must hold.

A bar is (what, measured, limit, holds); `holds` is None where it could not be measured on this machine.
"""
import collections
import statistics

STATES = ("warm index", "empty data directory")
VERDICTS = {True: "holds", False: "FAILS", None: "not measured"}
START_RATIO, START_LIMIT_MS, READ_RATIO, RESIDENT_LIMIT_MB = 1.5, 50, 3, 500


def duration(nanoseconds):
    if nanoseconds is None:
        return "–"
    for unit, size in (("s", 1e9), ("ms", 1e6)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}" if nanoseconds < 1000 * size else f"{nanoseconds / size:.0f} {unit}"
    return f"{nanoseconds / 1e3:.3g} µs"


def megabytes(size):
    return "–" if size is None else f"{size:.0f} MB"


def percentiles(timing):
    return f"{duration(timing.p50())} / {duration(timing.p99())}"


def p50_p95(timing):
    return f"{duration(timing.p50())} / {duration(timing.p95())}"


class Table:
    """Rows are measures, columns are sizes of vault."""

    def __init__(self, sizes):
        self.sizes = sizes
        self.rows = {}
        self.faults = collections.defaultdict(list)
        self.remarks = {}

    def put(self, row, notes, text, fault=None):
        self.rows.setdefault(row, {})[notes] = f"WRONG ({text})" if fault else text
        if fault:
            self.faults[row].append(f"{notes:,}: {fault}")

    def put_timing(self, row, notes, timing):
        if timing.skipped:
            self.put(row, notes, "n/a")
            self.remarks[row] = timing.skipped
            return
        self.put(row, notes, percentiles(timing), timing.fault)
        if timing.ratio():
            self.remarks[row] = f"{timing.ratio():.3g} × trivial"

    def markdown(self):
        lines = [
            f"| surface | measure | transport | {' | '.join(f'{size:,} notes' for size in self.sizes)} | at {self.sizes[-1]:,} notes | check |",
            f"|---|---|---|{'--:|' * len(self.sizes)}--:|---|",
        ]
        for row, cells in self.rows.items():
            values = " | ".join(cells.get(size, "–") for size in self.sizes)
            check = "WRONG " + cell("; ".join(self.faults[row])) if row in self.faults else "ok"
            lines.append(f"| {' | '.join(row)} | {values} | {cell(self.remarks.get(row, ''))} | {check} |")
        return "\n".join(lines)


def cell(text):
    """Text of a server or of the system in one cell of a table."""
    return " ".join(text.replace("|", "\\|").split())[:600]


def put_starts(table, starts, readiness):
    for notes, state in starts:
        initialized, listed = map(statistics.median, zip(*starts[notes, state]))
        table.put(("vault", f"start to `initialize`, {state}", "stdio"), notes, duration(initialized))
        table.put(("vault", f"start to `tools/list`, {state}", "stdio"), notes, duration(listed))
    for (notes, state), ready in readiness.items():
        table.put(("vault", f"start to first right `vault_list_all`, {state}", "stdio"), notes, duration(ready.listed), ready.fault)
        table.put(("vault", f"start to every planted word found, {state}", "stdio"), notes, duration(ready.searched))
        table.put(("vault", f"RSS when ready, {state}", "stdio"), notes, megabytes(ready.resident))


def put_loads(table, surfaces, loads):
    for (notes, surface, transport), load in loads.items():
        table.put((surface, "RSS after the load (peak)", transport), notes, f"{megabytes(load.resident)} ({megabytes(load.peak)})")
    for surface in surfaces:
        put_surface(table, surface, loads)


def put_floors(table, floors):
    for row, timing in floors.items():
        table.put(row, table.sizes[-1], percentiles(timing) if timing.p99() else duration(timing.p50()))
        table.remarks[row] = "the driver's own cost"


def put_surface(table, surface, loads):
    """Rows of one tool stand together, one per transport."""
    tools = {operation.name: operation.tool for operation in surface.operations}
    ours = {key: load for key, load in loads.items() if key[1] == surface.name}
    for (notes, _, transport), load in ours.items():
        trivial = "unknown tool" if transport == "HTTP modern" else "`ping`"
        row = (surface.name, f"trivial call ({trivial}), p50 / p99", transport)
        table.put(row, notes, percentiles(load.trivial), load.trivial.fault)
    names = dict.fromkeys(name for load in ours.values() for name in load.timings)
    for name in names:
        tool = tools.get(name, name)
        label = f"`{tool}`" if list(tools.values()).count(tool) < 2 else f"`{tool}` ({name.replace('_', ' ')})"
        for (notes, _, transport), load in ours.items():
            if name in load.timings:
                table.put_timing((surface.name, label, transport), notes, load.timings[name])


def judge_loads(loads, largest):
    """[(bar, measured, limit, holds)], on the largest vault."""
    vault_loads = {transport: load for (notes, surface, transport), load in loads.items() if (notes, surface) == (largest, "vault")}
    bars = [judge_read(load, transport) for transport, load in vault_loads.items()]
    bars += [judge_listing(load, transport) for transport, load in vault_loads.items()]
    bars.append(judge_memory([load.resident for (notes, _, _), load in loads.items() if notes == largest]))
    return bars


def judge_answers(table):
    return "every answer right", f"{len(table.faults)} rows WRONG", "0", not table.faults


def judge_starts(starts, largest):
    bars = []
    for state in STATES:
        ours, empty = ([statistics.median(times) for times in zip(*starts[notes, state])] for notes in (largest, 0))
        for call, slow, fast in zip(("`initialize`", "`tools/list`"), ours, empty):
            measured = f"{duration(slow)}, {slow / fast:.2f} × {duration(fast)} on an empty vault"
            limit = f"{START_RATIO} ×, {START_LIMIT_MS} ms"
            bars.append((f"start to {call}, {state}", measured, limit, slow <= START_RATIO * fast and slow < START_LIMIT_MS * 1e6))
    return bars


def judge_read(load, transport):
    bar, limit = f"`vault_read` p50, {transport}", f"{READ_RATIO} ×"
    read = load.timings.get("read")
    if not read or not read.ratio():
        return bar, "not measured", limit, False
    trivial = duration(statistics.median(read.trivial))
    return bar, f"{duration(read.p50())}, {read.ratio():.2f} × a trivial call ({trivial})", limit, read.ratio() <= READ_RATIO


def judge_listing(load, transport):
    bar = f"`vault_list_all` reads no file or folder, {transport}"
    if load.touched is None:
        return bar, "not measured", "0", False
    example = f", such as {load.touched[0]}" if load.touched else ""
    return bar, f"{len(load.touched)} touched during the calls{example}", "0", not load.touched


def judge_memory(residents):
    if None in residents or not residents:
        return "RSS after any load", "not measured", f"{RESIDENT_LIMIT_MB} MB", False
    return "RSS after any load", megabytes(max(residents)), f"{RESIDENT_LIMIT_MB} MB", max(residents) < RESIDENT_LIMIT_MB


def bars_markdown(bars):
    lines = ["| bar | measured | limit | verdict |", "|---|---|--:|---|"]
    lines += [f"| {bar} | {cell(measured)} | {limit} | {VERDICTS[holds]} |" for bar, measured, limit, holds in bars]
    return "\n".join(lines)
