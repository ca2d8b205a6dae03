"""The questions that the index must answer at once, with the right answers and the limits of their times.

Every question is asked in several variants, so that no remembered answer makes it look fast. The truth comes from the vault's
manifest, from ripgrep where lines are counted, and from the notes' own frontmatter where properties are.
"""
import dataclasses
import itertools
import os
import random
import re
import typing

import gen_vault
import ripgrep

MILLISECOND = 1e6  # nanoseconds
COMMON_WORDS = ("project", "team", "data", "review", "design", "meeting", "system", "user")
RANKED_WORDS = tuple(word for word in gen_vault.REAL[gen_vault.REAL.index("plan") :] if len(word) > 3)
WORD_PAIRS = (("team", "design"), ("risk", "review"), ("deadline", "report"), ("budget", "system"))
TRIPLES, COMBINATIONS = 32, 30
TICKET_PATTERN = r"[A-Z]{3}-\d{4}-\d{5}-[A-Z]"
CONSONANT_PATTERN = r"[b-df-hj-np-tv-z]{14}"
EVERY_TAG = {*gen_vault.TAGS, "bench/planted"}
NOT_TAGS = ("faketag", "notatag", "not-a-heading")  # they stand in code only


@dataclasses.dataclass(frozen=True)
class Variant:
    arguments: dict
    find_fault: typing.Callable  # what is wrong with the answer's JSON
    ripgrep: tuple | None = None  # the same question for `rg`


@dataclasses.dataclass(frozen=True)
class Question:
    name: str
    surface: str
    tool: str
    make_variants: typing.Callable  # from a vault
    limit: float | None = None  # nanoseconds of the p50
    ripgrep_share: float | None = None  # the p50 is at most this share of ripgrep's time


# ---- variants


def ask_rare_literals(vault):
    return [
        Variant({"query": planted["token"], "limit": 10}, expect_exactly({planted["path"]}), ripgrep.literal(planted["token"]))
        for planted in vault.manifest["rare"]
    ]


def ask_rare_literals_of_vault_surface(vault):
    def expect(path):
        return lambda body: expect_exactly({path})({"items": body["results"], "total_count": body["total_matches"]})

    return [
        Variant({"query": planted["token"], "max_results": 10}, expect(planted["path"]), ripgrep.literal(planted["token"]))
        for planted in vault.manifest["rare"]
    ]


def ask_common_literals(vault):
    def expect(word):
        def find_fault(body):
            fault = find_page_fault(body, 20) or find_line_fault(vault, body, word)
            return fault or find_line_total_fault(vault, body, ripgrep.literal(word))

        return find_fault

    return [Variant({"query": word, "limit": 20}, expect(word), ripgrep.literal(word)) for word in COMMON_WORDS]


def ask_ranked_words(vault):
    return [ranked(vault, (word,)) for word in COMMON_WORDS]


def ask_ranked_triples(vault):
    draw = random.Random("triples")
    return [ranked(vault, draw.sample(RANKED_WORDS, 3)) for _ in range(TRIPLES)]


def ranked(vault, words):
    def find_fault(body):
        return find_page_fault(body, 10) or find_order_fault(body) or find_word_fault(vault, body, words)

    return Variant({"query": " ".join(words), "mode": "text", "limit": 10}, find_fault)


def ask_planted_patterns(vault):
    return [
        Variant({"pattern": planted["pattern"], "limit": 10}, expect_exactly({planted["path"]}), ripgrep.pattern(planted["pattern"]))
        for planted in vault.manifest["regex"]
    ]


def ask_common_patterns(vault):
    def expect(text):
        def find_fault(body):
            return find_pattern_fault(vault, body, text) or find_match_total_fault(vault, body, ripgrep.pattern(text))

        return find_fault

    patterns = [rf"{first} \w+ {second}" for first, second in WORD_PAIRS]
    return [Variant({"pattern": text, "limit": 20}, expect(text), ripgrep.pattern(text)) for text in patterns]


def ask_ticket_pattern(vault):
    paths = {planted["path"] for planted in vault.manifest["regex"]}
    return [Variant({"pattern": TICKET_PATTERN, "limit": 100}, expect_exactly(paths), ripgrep.pattern(TICKET_PATTERN))]


def ask_consonant_pattern(vault):
    paths = {planted["path"] for planted in vault.manifest["rare"]}
    return [Variant({"pattern": CONSONANT_PATTERN, "limit": 100}, expect_exactly(paths), ripgrep.pattern(CONSONANT_PATTERN))]


def ask_backlinks(vault):
    backlinks = vault.manifest["backlinks"]
    return [Variant({"path": backlinks["target"], "limit": 100}, expect_exactly(set(backlinks["sources"]), "source_path"))]


def ask_tags(vault):
    planted = vault.manifest["tag"]

    def find_fault(body):
        counts = {item["tag"].removeprefix("#"): item["count"] for item in body["items"]}
        if missing := EVERY_TAG - counts.keys():
            return f"lacks {sorted(missing)}"
        if false := [tag for tag in counts if tag.startswith(NOT_TAGS)]:
            return f"{false[0]} stands in code only"
        if counts[planted["tag"]] != len(planted["notes"]):
            return f"{planted['tag']} counts {counts[planted['tag']]}, not {len(planted['notes'])}"
        return None

    return [Variant({"limit": 1000}, find_fault)]


def ask_notes_by_tag(vault):
    planted = vault.manifest["tag"]
    return [Variant({"tag": planted["tag"], "limit": 100}, expect_exactly(set(planted["notes"])))]


def ask_property(vault):
    def variant(status):
        right = {path for path, properties in vault.properties().items() if properties.get("status") == status}
        filters = [{"key": "status", "op": "eq", "value": status}]
        return Variant({"filter": filters, "limit": 100}, expect_page_of(right, 100), ("--", f"^status: {status}$"))

    return [variant(status) for status in gen_vault.STATUS]


def ask_jsonlogic(vault):
    """Few notes match, so that no page is full before every note was looked at."""

    def variant(status, priority, project):
        wanted = {"status": status, "priority": str(priority), "reviewed": "true", "project": f"[[{project}]]"}
        right = {path for path, properties in vault.properties().items() if wanted.items() <= properties.items()}
        terms = wanted | {"priority": priority, "reviewed": True}
        logic = {"and": [{"==": [{"var": f"frontmatter.{key}"}, value]} for key, value in terms.items()]}
        return Variant({"logic": logic, "limit": 1000}, expect_exactly(right))

    rotating = zip(itertools.cycle(gen_vault.STATUS), itertools.cycle(range(1, 6)), itertools.cycle(gen_vault.PROJECTS))
    return [variant(*choice) for choice in itertools.islice(rotating, COMBINATIONS)]


QUESTIONS = (
    Question("rare literal", "engine", "search_text", ask_rare_literals, 0.5 * MILLISECOND, 1 / 500),
    Question("common literal, first 20 and total", "engine", "search_text", ask_common_literals, 10 * MILLISECOND),
    Question("common word ranked, first 10", "engine", "search_vault", ask_ranked_words, 2 * MILLISECOND),
    Question("three words ranked, first 10", "engine", "search_vault", ask_ranked_triples, 3 * MILLISECOND),
    Question("regex with a rare literal", "engine", "search_regex", ask_planted_patterns, 20 * MILLISECOND),
    Question("regex of common words", "engine", "search_regex", ask_common_patterns),
    Question("regex without a literal (tickets)", "engine", "search_regex", ask_ticket_pattern, ripgrep_share=1.3),
    Question("regex without a literal (consonants)", "engine", "search_regex", ask_consonant_pattern, ripgrep_share=1.3),
    Question("backlinks of the hub", "engine", "get_backlinks", ask_backlinks, 0.5 * MILLISECOND),
    Question("all tags with counts", "engine", "list_tags", ask_tags, 1 * MILLISECOND),
    Question("notes of a tag", "engine", "find_notes_by_tag", ask_notes_by_tag),
    Question("property filter", "engine", "find_notes_by_property", ask_property, 5 * MILLISECOND),
    Question("JSONLogic over all notes", "engine", "search_jsonlogic", ask_jsonlogic, 60 * MILLISECOND),
    Question("rare literal", "vault", "vault_search", ask_rare_literals_of_vault_surface),
)


# ---- checks


def expect_exactly(right, key="path"):
    def find_fault(body):
        found = {item[key] for item in body["items"]}
        if found != right:
            return f"{len(found & right)} of {len(right)} found, {len(found - right)} false, such as {min(found ^ right)}"
        total = body.get("total_count", len(body["items"]))
        if total != len(body["items"]):
            return f"total_count is {total}, not {len(body['items'])}"
        return "a cursor, though this is all" if body.get("cursor") else None

    return find_fault


def expect_page_of(right, limit):
    def find_fault(body):
        if fault := find_page_fault(body, min(limit, len(right))):
            return fault
        if false := {item["path"] for item in body["items"]} - right:
            return f"{len(false)} false, such as {min(false)}"
        total = body.get("total_count", len(right))
        return None if total == len(right) else f"total_count is {total}, not {len(right)}"

    return find_fault


def find_page_fault(body, size):
    return None if len(body["items"]) == size else f"{len(body['items'])} items, not {size}"


def find_line_total_fault(vault, body, question):
    if not ripgrep.is_installed():
        return None
    truth = ripgrep.count(vault.path, question)
    total = body.get("total_count")
    return None if total == truth.total else f"total_count is {total}; ripgrep counts {truth.total} lines in {len(truth.by_file)} files"


def find_match_total_fault(vault, body, question):
    """An item of a regex search is a match; two in one line may be told as two or as one, and the total may be left out."""
    total = body.get("total_count")
    if total is None or not ripgrep.is_installed():
        return None
    lines, matches = ripgrep.count(vault.path, question).total, ripgrep.count_matches(vault.path, question).total
    return None if total in (lines, matches) else f"total_count is {total}; ripgrep counts {lines} lines and {matches} matches"


def find_line_fault(vault, body, word):
    return find_pattern_fault(vault, body, re.escape(word))


def find_pattern_fault(vault, body, pattern):
    for item in body["items"]:
        lines = read(vault, item["path"]).split("\n")
        if item["line"] > len(lines) or not re.search(pattern, lines[item["line"] - 1], re.IGNORECASE):
            return f"{item['path']}:{item['line']} does not match {pattern}"
    return None


def find_order_fault(body):
    scores = [item["score"] for item in body["items"]]
    return None if scores == sorted(scores, reverse=True) else "not in the order of the scores"


def find_word_fault(vault, body, words):
    for item in body["items"]:
        text = item["path"].casefold() + read(vault, item["path"]).casefold()
        if not any(word in text for word in words):
            return f"{item['path']} has none of {' '.join(words)}"
    return None


def read(vault, path):
    with open(os.path.join(vault.path, path), encoding="utf-8", errors="replace") as note:
        return note.read()
