#!/usr/bin/env python3
"""Deterministic synthetic Obsidian vault generator (stdlib only).

    gen_vault.py OUT --notes N --seed S [--jobs J]

Writes the vault to OUT and the ground truth to OUT.manifest.json (next to the vault,
never inside it).  The same (notes, seed) pair gives byte-identical files whatever --jobs is.

The manifest names planted facts that a server's answers can be checked against:
  rare[]      {token, path, stem}   token occurs in exactly one note; tokens are unlike each other
  near[]      {token, path, stem}   same, but the tokens differ by one character (ranking of exact over fuzzy)
  regex[]     {pattern, path, stem} pattern matches in exactly one note
  backlinks   {target, stem, sources[], forms{path: form}, decoys[]}  decoys link only from code: must not count
  tag         {tag, notes[], frontmatter[], decoys[]}                 same, for a tag
Ordinary notes never link to planted notes, so a planted name in an answer means that note itself.
  common      {token, notes}        number of notes holding a very frequent word
  totals      counts of notes, folders, links, unresolved links, tasks, ... and of the notes that carry the planned
              frontmatter (each of those, and no other file, has the property `status`)
"""
import argparse, datetime, json, multiprocessing, os, random, re, shutil, sys, time

SYL = ("ka lo mi ren ta vor dan sel qui bra no tis ul mer pa gon fi stra wen dol ha cem "
       "ri bo xan te pli gru sha ve nor dis ba len co ry mon ja fer zu").split()
REAL = ("the of and to in is for that on with as this project it be are by we from an or was note "
        "can which plan team data not at review design have meeting should task system user time "
        "more when if next work all there needs idea also but they research build test model one "
        "has been about after before version issue question result process code release change "
        "value draft goal week today status update reference summary source link topic context "
        "client server budget risk decision owner deadline report customer market feature").split()
TAGS = ("project project/alpha project/alpha/phase-1 project/beta area/health area/finance "
        "area/home type/meeting type/idea type/person type/book status/open status/done "
        "topic/rust topic/rust/async topic/python topic/ml topic/ml/llm topic/cooking "
        "reading inbox review Überblick 日本語 journal weekly").split()
STATUS = ["active", "done", "draft", "on-hold", "someday", "archived"]
PROJECTS = ["Alpha", "Beta", "Gamma Ray", "Home Renovation", "Thesis", "Website"]
AREAS = ["Health", "Finance", "Career", "Family", "Garden"]
TOPICS = ["Rust", "Python", "Databases", "Cooking", "History", "Music", "Philosophy", "Maths"]
DUP = ["README", "Index", "Meeting notes", "Overview", "Todo"]
UNI = ["Über", "Café", "naïve", "日本語", "Привет", "数据库", "Ελλάδα", "résumé", "🚀 launch", "한국어", "señal"]
HEADS = ["Summary", "Context", "Notes", "Open questions", "Next steps", "References", "Log", "Details",
         "Decisions", "Background"]
EPOCH = datetime.date(2019, 1, 1)
COMMON = "project"      # in REAL, very frequent
N_RARE, N_REGEX, N_BACK, N_TAG, N_NEAR = 64, 8, 30, 16, 6
BACK_FORMS = ["[[Atlas Hub]]", "[[Atlas Hub|the hub]]", "[[Atlas Hub#Summary]]", "[[Atlas Hub#^hubblock]]", "![[Atlas Hub]]",
              "[[Hub/Atlas Hub]]", "[[atlas hub]]", "[[Atlas Hub#Summary|see hub]]", "[hub](<Hub/Atlas Hub.md>)", "[hub](Hub/Atlas%20Hub.md)"]
G = {}                  # shared with forked workers


def build_vocab(rng):
    words, seen = list(REAL), set(REAL)
    while len(words) < 24000:
        w = "".join(rng.choices(SYL, k=rng.choice((2, 2, 3, 3, 4))))
        if w not in seen:
            seen.add(w); words.append(w)
    # zipf as an expanded table: rank r appears ~ 1/(r+2); a plain uniform pick then is zipf
    table = []
    for r, w in enumerate(words):
        table += [w] * max(1, int(26000 / (r + 3)))
    return table


def note_name(rng, i, table):
    if i == 0:
        return "Atlas Hub"
    r = rng.random()
    if r < 0.03:
        return rng.choice(DUP)
    a, b = rng.choice(table).capitalize(), rng.choice(table)
    if r < 0.06:
        return f"{rng.choice(UNI)} {b} {i}"
    if r < 0.08:
        return f"{a} {b} (v{i % 7}) {i}"
    return f"{a} {b} {i}"


def note_folder(rng, i, n):
    r = rng.random()
    d = EPOCH + datetime.timedelta(days=rng.randrange(2500))
    sub = i % max(1, min(40, n // 1000))    # more subfolders only in larger vaults
    if r < .06: return "Inbox"
    if r < .30: return f"Projects/{rng.choice(PROJECTS)}/{'Notes' if sub % 2 else 'Meetings'}/{sub:02d}"
    if r < .45: return f"Areas/{rng.choice(AREAS)}/{sub:02d}"
    if r < .75: return f"Resources/{rng.choice(TOPICS)}/{rng.choice(HEADS)}/{sub:02d}"
    if r < .88: return f"Daily/{d.year}/{d.month:02d}"
    if r < .985: return f"Archive/{d.year}/{d.month:02d}"
    return "" if r < .99 else f"Resources/多言語/{rng.choice(['été', 'Straße', 'Ñandú'])}"


def plan(n, seed):
    rng = random.Random(f"{seed}:plan")
    table = build_vocab(rng)
    names, paths, used = [], [], set()
    for i in range(n):
        name = note_name(rng, i, table)
        folder = "Hub" if i == 0 else note_folder(rng, i, n)
        p = f"{folder}/{name}.md" if folder else f"{name}.md"
        if p.lower() in used:
            name = f"{name} {i}"
            p = f"{folder}/{name}.md" if folder else f"{name}.md"
        used.add(p.lower()); names.append(name); paths.append(p)
    # planted notes get ascii slug names, so that every server's notation of the path shows the stem
    k_rare, k_rx = min(N_RARE, max(1, n // 8)), min(N_REGEX, max(1, n // 40))
    k_b, k_t = min(N_BACK, max(1, n // 10)), min(N_TAG, max(1, n // 12))
    k_n = min(N_NEAR, max(1, n // 100))
    total = k_rare + k_rx + 2 * k_b + 2 * k_t + k_n
    pick = rng.sample(range(1, n), min(n - 1, total))
    role, it = {}, iter(pick)
    def take(k, kind):
        out = []
        for j in range(k):
            i = next(it, None)
            if i is None: break
            stem = f"planted-{kind}-{j:03d}"
            folder = os.path.dirname(paths[i]) or "Inbox"
            if not folder.isascii(): folder = "Inbox"
            names[i] = stem; paths[i] = f"{folder}/{stem}.md"; role[i] = (kind, j); out.append(i)
        return out
    sets = {k: take(c, k) for k, c in (("rare", k_rare), ("regex", k_rx), ("back", k_b), ("backdecoy", k_b),
                                       ("tag", k_t), ("tagdecoy", k_t), ("near", k_n))}
    return table, names, paths, role, sets


def rare_token(j):
    """random letters: tokens are far apart in edit distance, so a fuzzy search is not penalised by the other plants"""
    return "zq" + "".join(random.Random(f"rare:{j}").choices("bcdfghjklmnpqrstvwxz", k=12))
def near_token(j): return f"vxnearkwjqz{j}"     # these DO differ by one character: does the exact one rank first?
def regex_line(j): return f"Ticket QZX-{2000 + j}-{(j * 7919) % 90000 + 10000}-Y is filed."
def regex_pat(j): return rf"QZX-{2000 + j}-\d{{5}}-[A-Z]"


def body(i):
    rng = random.Random(f"{G['seed']}:{i}")
    table, names, paths, role = G["table"], G["names"], G["paths"], G["role"]
    n = len(names)
    st = dict(frontmatter=0, links=0, unresolved=0, embeds=0, tasks=0, inline_tags=0, fences=0)
    kind, j = role.get(i, (None, 0))
    target = int(1024 * 2 ** rng.triangular(0, 3, 0.9))
    created = EPOCH + datetime.timedelta(days=rng.randrange(2600))
    out = []
    tags = rng.sample(TAGS, rng.randrange(0, 4))
    if kind == "tag" and j % 2 == 0: tags.append("bench/planted")
    if rng.random() < .85 or kind:
        st["frontmatter"] = 1
        out.append("---\n")
        if tags:
            if rng.random() < .5: out.append("tags:\n" + "".join(f"  - {t}\n" for t in tags))
            else: out.append("tags: [" + ", ".join(tags) + "]\n")
        if rng.random() < .3: out.append(f"aliases:\n  - \"{rng.choice(table).capitalize()} alias {i}\"\n")
        out.append(f"status: {rng.choice(STATUS)}\ncreated: {created.isoformat()}\n")
        if rng.random() < .6: out.append(f"project: \"[[{rng.choice(PROJECTS)}]]\"\n"); st["links"] += 1; st["unresolved"] += 1
        if rng.random() < .3: out.append(f"priority: {rng.randrange(1, 6)}\nreviewed: {'true' if i % 2 else 'false'}\n")
        out.append("---\n\n")
    out.append(f"# {names[i]}\n\n")
    size = sum(map(len, out)); blockn = 0

    def link():
        st["links"] += 1
        r = rng.random()
        if r < .12:
            st["unresolved"] += 1
            return f"[[{rng.choice(table).capitalize()} missing {rng.randrange(5000)}]]"
        # preferential attachment: low indices get more links
        t = int(n * rng.random() ** 2.2)
        while t == 0 or t in role: t = (t + 1) % n        # never the hub, never a planted note
        nm = names[t]
        if r < .55: return f"[[{nm}]]"
        if r < .70: return f"[[{nm}|{rng.choice(table)} {rng.choice(table)}]]"
        if r < .80: return f"[[{nm}#{rng.choice(HEADS)}]]"
        if r < .86: return f"[[{nm}#^b{rng.randrange(1, 4)}]]"
        if r < .92: return f"[[{paths[t][:-3]}|{rng.choice(table)}]]"
        if r < .97: st["embeds"] += 1; return f"![[{nm}]]"
        st["embeds"] += 1
        return f"![[diagram-{rng.randrange(5)}.png|300]]"

    while size < target:
        r = rng.random()
        if r < .15:
            s = f"{'#' * rng.choice((2, 2, 3, 4))} {rng.choice(HEADS)}\n\n"
        elif r < .30:
            rows = []
            for _ in range(rng.randrange(1, 5)):
                st["tasks"] += 1
                due = created + datetime.timedelta(days=rng.randrange(1, 90))
                t = f"- [{rng.choice('   xx/-')}] {' '.join(rng.choices(table, k=rng.randrange(3, 9)))}"
                if rng.random() < .5: t += f" {rng.choice('🔺⏫🔼🔽')}"
                if rng.random() < .2: t += " 🔁 every week"
                if rng.random() < .6: t += f" 📅 {due.isoformat()}"
                if "[x]" in t: t += f" ✅ {due.isoformat()}"
                rows.append(t + "\n")
            s = "".join(rows) + "\n"
        elif r < .36:
            st["fences"] += 1
            s = (f"```{rng.choice(['rust', 'python', 'sh', ''])}\n# not-a-heading #faketag{i % 50}\n"
                 f"let x = \"[[Fake Link {i % 100}]]\"; // {rng.choice(table)}\n```\n\n")
        elif r < .40:
            s = f"> [!{rng.choice(['note', 'warning', 'tip'])}] {rng.choice(table)}\n> {' '.join(rng.choices(table, k=12))}\n\n"
        elif r < .43:
            s = f"key{i % 9}:: {rng.choice(table)}\n\nInline `#notatag` and `[[not a link]]` stay code.\n\n"
        else:
            ws = rng.choices(table, k=rng.randrange(25, 90))
            for _ in range(rng.randrange(0, 3)): ws.insert(rng.randrange(len(ws)), link())
            if rng.random() < .35:
                ws.insert(rng.randrange(1, len(ws)), "#" + rng.choice(TAGS)); st["inline_tags"] += 1
            ws[0] = ws[0].capitalize() if not ws[0].startswith(("[", "!", "#")) else ws[0]
            s = " ".join(ws) + "."
            if rng.random() < .08: blockn += 1; s += f" ^b{blockn}"
            s += "\n\n"
        out.append(s); size += len(s)
    mid = 2 + (len(out) - 2) // 2 if len(out) > 3 else len(out)
    def plant(s): out.insert(mid, s)
    if i == 0: out.append("## Summary\n\nThe hub. ^hubblock\n")
    if kind == "rare": plant(f"The planted word {rare_token(j)} sits here.\n\n")
    elif kind == "near": plant(f"The near word {near_token(j)} sits here.\n\n")
    elif kind == "regex": plant(regex_line(j) + "\n\n")
    elif kind == "back":
        form = BACK_FORMS[j % len(BACK_FORMS)]
        plant(f"See {form} for it.\n\n"); st["links"] += 1
    elif kind == "backdecoy":
        plant(["```md\n[[Atlas Hub]]\n```\n\n", "Write `[[Atlas Hub]]` to link.\n\n"][j % 2])
    elif kind == "tag" and j % 2: plant("Filed under #bench/planted here.\n\n")
    elif kind == "tagdecoy":
        plant(["```sh\necho #bench/planted\n```\n\n", "Type `#bench/planted` to tag.\n\n"][j % 2])
    text = "".join(out)
    st["common"] = 1 if re.search(rf"\b{COMMON}\b", text, re.I) else 0
    return text, st


def work(rng_pair):
    lo, hi = rng_pair
    tot = {}
    for i in range(lo, hi):
        text, st = body(i)
        data = text.encode()
        with open(os.path.join(G["out"], G["paths"][i]), "wb") as f: f.write(data)
        st["bytes"] = len(data)
        for k, v in st.items(): tot[k] = tot.get(k, 0) + v
    return tot


def png(rng, n):
    import struct, zlib
    raw = b"".join(b"\0" + rng.randbytes(3 * n) for _ in range(n))
    ch = lambda t, d: struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d))
    return b"\x89PNG\r\n\x1a\n" + ch(b"IHDR", struct.pack(">IIBBBBB", n, n, 8, 2, 0, 0, 0)) + ch(b"IDAT", zlib.compress(raw)) + ch(b"IEND", b"")


def extras(out, rng, names, paths):
    w = lambda p, d: (os.makedirs(os.path.dirname(os.path.join(out, p)), exist_ok=True),
                      open(os.path.join(out, p), "wb").write(d if isinstance(d, bytes) else d.encode()))
    J = lambda o: json.dumps(o, indent=2)
    w(".obsidian/app.json", J({"alwaysUpdateLinks": True, "newLinkFormat": "shortest", "attachmentFolderPath": "Attachments",
                               "newFileLocation": "folder", "newFileFolderPath": "Inbox", "useMarkdownLinks": False}))
    w(".obsidian/appearance.json", J({"theme": "obsidian"}))
    w(".obsidian/core-plugins.json", J({k: True for k in "file-explorer global-search graph backlink canvas outgoing-link tag-pane daily-notes templates bases".split()}))
    w(".obsidian/community-plugins.json", J(["obsidian-tasks-plugin", "dataview"]))
    w(".obsidian/daily-notes.json", J({"folder": "Daily", "format": "YYYY/MM/YYYY-MM-DD"}))
    w(".obsidian/templates.json", J({"folder": "Templates"}))
    w(".obsidian/workspace.json", J({"main": {"id": "x", "type": "split", "children": []}, "lastOpenFiles": paths[:3]}))
    w(".trash/deleted note.md", "# deleted\nzqxvtrashed must not be found\n")
    w("Templates/Daily.md", "---\ntags: [journal]\n---\n# {{date}}\n\n- [ ] \n")
    for k in range(5): w(f"Attachments/diagram-{k}.png", png(rng, 24 + 8 * k))
    w("Attachments/report.pdf", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + rng.randbytes(4096) + b"\n%%EOF\n")
    w("Attachments/data.csv", "a,b\n1,2\n")
    for k in range(3):
        nodes = [{"id": f"n{x}", "type": "file", "file": rng.choice(paths), "x": x * 300, "y": 0, "width": 250, "height": 200} for x in range(4)]
        nodes.append({"id": "t", "type": "text", "text": f"canvas text [[{rng.choice(names)}]]", "x": 0, "y": 300, "width": 250, "height": 60})
        w(f"Canvases/board {k}.canvas", J({"nodes": nodes, "edges": [{"id": "e", "fromNode": "n0", "fromSide": "right", "toNode": "n1", "toSide": "left"}]}))
    w("Bases/Projects.base", 'filters:\n  and:\n    - file.hasTag("project")\n    - status != "archived"\nformulas:\n  age: (now() - created).days\nviews:\n  - type: table\n    name: Active\n    order:\n      - file.name\n      - status\n      - formula.age\n')
    w("Bases/Reading.base", 'filters: file.hasTag("reading")\nviews:\n  - type: cards\n    name: Books\n')


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("out"); ap.add_argument("--notes", type=int, default=1000)
    ap.add_argument("--seed", type=int, default=1); ap.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    ap.add_argument("--force", action="store_true", help="replace an existing OUT that this tool made")
    a = ap.parse_args()
    out = a.out.rstrip("/"); man = out + ".manifest.json"
    if os.path.exists(out):
        if not (a.force and os.path.exists(man)): sys.exit(f"{out} exists (use --force if this tool made it)")
        shutil.rmtree(out)
    t0 = time.time()
    table, names, paths, role, sets = plan(a.notes, a.seed)
    G.update(seed=a.seed, table=table, names=names, paths=paths, role=role, out=out)
    dirs = {os.path.dirname(p) for p in paths}
    for d in dirs: os.makedirs(os.path.join(out, d), exist_ok=True)
    extras(out, random.Random(f"{a.seed}:extras"), names, paths)
    step = 500
    parts = [(s, min(a.notes, s + step)) for s in range(0, a.notes, step)]
    tot = {}
    if a.jobs > 1 and len(parts) > 1:
        with multiprocessing.get_context("fork").Pool(a.jobs) as pool:
            res = pool.map(work, parts, chunksize=4)
    else:
        res = [work(p) for p in parts]
    for r in res:
        for k, v in r.items(): tot[k] = tot.get(k, 0) + v
    common = tot.pop("common")
    P = lambda k: [paths[i] for i in sets[k]]
    rngs = random.Random(f"{a.seed}:reads")
    ascii_idx = [i for i in range(a.notes) if paths[i].isascii() and i not in role]
    m = {"notes": a.notes, "seed": a.seed,
         "rare": [{"token": rare_token(role[i][1]), "path": paths[i], "stem": names[i]} for i in sets["rare"]],
         "near": [{"token": near_token(role[i][1]), "path": paths[i], "stem": names[i]} for i in sets["near"]],
         "regex": [{"pattern": regex_pat(role[i][1]), "path": paths[i], "stem": names[i]} for i in sets["regex"]],
         "backlinks": {"target": paths[0], "stem": names[0], "sources": P("back"), "decoys": P("backdecoy"),
                       "forms": {paths[i]: BACK_FORMS[role[i][1] % len(BACK_FORMS)] for i in sets["back"]}},
         "tag": {"tag": "bench/planted", "notes": P("tag"), "frontmatter": [paths[i] for i in sets["tag"] if role[i][1] % 2 == 0], "decoys": P("tagdecoy")},
         "common": {"token": COMMON, "notes": common},
         "reads": [{"path": paths[i], "stem": names[i]} for i in rngs.sample(ascii_idx, min(256, len(ascii_idx)))],
         "list_dir": os.path.dirname(paths[sets["rare"][0]]),
         "totals": dict(tot, notes=a.notes + 1, folders=len(dirs), attachments=7, canvas=3, base=2,
                        duplicate_stems=a.notes - len(set(names)))}
    with open(man, "w") as f: json.dump(m, f, indent=1, ensure_ascii=False)
    print(f"{a.notes} notes, {tot['bytes'] / 1e6:.1f} MB, {time.time() - t0:.1f} s -> {out} (+ {os.path.basename(man)})")


if __name__ == "__main__":
    main()
