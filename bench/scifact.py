"""SciFact as a vault: one note per abstract, the claims as queries, and how well the ranking finds the judged abstracts.

The data is public (allenai/scifact; claims CC BY 4.0, abstracts ODC-By 1.0) and read in the layout of BEIR: a folder with
`corpus.jsonl` ({_id, title, text}), `queries.jsonl` ({_id, text}) and `qrels.tsv` (query, document, grade, under one line of headings).
"""
import collections
import dataclasses
import json
import math
import os
import tempfile

import index_life
import measure
import report

FILES = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")
DEPTH = 10
NDCG_LIMIT = 0.69


@dataclasses.dataclass(frozen=True)
class Collection:
    documents: dict  # id: (title, text)
    queries: dict  # id: text; only those with judgements
    judgements: dict  # query: {document: grade}


@dataclasses.dataclass
class Ranking:
    ndcg: float
    recall: float
    reciprocal_rank: float
    timing: measure.Timing

    def holds(self):
        return self.ndcg >= NDCG_LIMIT


@dataclasses.dataclass
class PlainVault:
    """What index_life and measure need of a vault."""

    path: str
    notes: int

    @property
    def manifest(self):
        return {"notes": self.notes}


def find_data(folder):
    """The folder, when all of the data is in it."""
    return folder if folder and all(os.path.exists(os.path.join(folder, name)) for name in FILES) else None


def load(folder):
    judgements = collections.defaultdict(dict)
    with open(os.path.join(folder, "qrels.tsv")) as lines:
        next(lines)
        for query, document, grade in map(str.split, lines):
            judgements[query][document] = int(grade)
    documents = {entry["_id"]: (entry["title"], entry["text"]) for entry in read_lines(folder, "corpus.jsonl")}
    queries = {entry["_id"]: entry["text"] for entry in read_lines(folder, "queries.jsonl") if entry["_id"] in judgements}
    return Collection(documents, queries, judgements)


def read_lines(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def lay_out(collection, folder):
    os.makedirs(folder)
    for identity, (title, text) in collection.documents.items():
        with open(os.path.join(folder, f"{identity}.md"), "w", encoding="utf-8") as note:
            note.write(f"# {title}\n\n{text}\n")
    return PlainVault(folder, len(collection.documents))


def rank(binary, data):
    """Asks every claim, best first, over stdio."""
    collection = load(data)
    with tempfile.TemporaryDirectory(prefix="scifact-") as root:
        site = measure.Site(binary, lay_out(collection, os.path.join(root, "vault")), root)
        with measure.connect_stdio(site, "engine") as (client, _):
            index_life.wait_for_index(client, site.vault)
            return ask(client, collection)


def ask(client, collection):
    frames = [
        client.frame("tools/call", {"name": "search_vault", "arguments": {"query": text, "mode": "text", "limit": DEPTH}})
        for text in collection.queries.values()
    ]
    durations, answers = client.time(frames, measure.CALL_WITHIN)
    scores = [score(collection.judgements[query], found(client.result_of(answer))) for query, answer in zip(collection.queries, answers)]
    ndcg, recall, reciprocal_rank = (sum(column) / len(scores) for column in zip(*scores))
    return Ranking(ndcg, recall, reciprocal_rank, measure.Timing(durations))


def found(result):
    """Ids of the notes, best first."""
    if result.get("isError"):
        raise measure.wire.ServerGone(f"search_vault: {json.dumps(result)[:300]}")
    return [os.path.basename(item["path"]).removesuffix(".md") for item in result["structuredContent"]["items"]]


def score(judged, ranked):
    """nDCG, recall and reciprocal rank of one query."""
    gains = [judged.get(document, 0) for document in ranked[:DEPTH]]
    ideal = discount(sorted(judged.values(), reverse=True)[:DEPTH])
    first = next((1 / (place + 1) for place, gain in enumerate(gains) if gain), 0)
    return discount(gains) / ideal, sum(gain > 0 for gain in gains) / len(judged), first


def discount(gains):
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def markdown(ranking):
    measures = " | ".join(f"{value:.4f}" for value in (ranking.ndcg, ranking.recall, ranking.reciprocal_rank))
    return "\n".join((
        f"| nDCG@{DEPTH} | recall@{DEPTH} | MRR@{DEPTH} | queries | p50 / p95 |",
        "|--:|--:|--:|--:|--:|",
        f"| {measures} | {len(ranking.timing.durations)} | {report.p50_p95(ranking.timing)} |",
    ))


def judge(ranking):
    return f"nDCG@{DEPTH} on SciFact", f"{ranking.ndcg:.4f}", f"{NDCG_LIMIT}", ranking.holds()
