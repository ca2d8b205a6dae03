#!/usr/bin/env python3
"""MCP client driver and benchmark (stdlib only, Linux /proc for memory and CPU).

  mcp_bench.py run   SCENARIO VAULT [--only a,b] [--iters N] [--warmup W] [--json OUT] [--var K=V ...]
  mcp_bench.py tools SCENARIO VAULT --only a            list a server's tools (name, description, arguments)
  mcp_bench.py call  SCENARIO VAULT --only a TOOL JSON  one raw call, prints the answer
  mcp_bench.py load  --url http://127.0.0.1:P/mcp --tool T --args JSON [--vault VAULT] -c C -t SECONDS
  mcp_bench.py load  SCENARIO VAULT --only a --op OP -c C -t SECONDS     (scenario with an "http" block)

VAULT is a folder made by gen_vault.py (VAULT.manifest.json beside it holds the right answers).
Scenario values may hold ${NAME}: VAULT, MANIFEST fields below, anything from --var or the environment,
plus ${TMP} (a fresh directory per server, for indexes and config).  Per-iteration fields in "args":
  ${rare} ${rare_stem} ${rare_path}  ${regex} ${regex_stem}  ${read_path} ${read_stem}  ${hub} ${hub_stem}
  ${tag} ${common} ${list_dir} ${n} (running number) ${new_path} ${new_stem} ${edit_path} ${edit_stem} ${vault_name}
A row says WRONG when any answer fails its check, ERR when the server reports an error, TIMEOUT past --timeout.
p95 is printed from 20 samples and p99 from 100; below that they would only be the maximum.
`other cores` is CPU used by neither the server nor this client during the op: above ~0.3 the wall times are not clean.
`cpu/op` is user+system CPU of the whole server process tree (10 ms ticks over all iterations).  It is NOT immune to the
machine: on a 2-vCPU VM one Node server used 1.4 s or 5 s of CPU for the same search.  So compare ranges over --repeat runs,
and when claiming to be faster than a peer use the peer's best run.
"""
import argparse, http.client, json, math, multiprocessing, os, queue, re, select, shutil, signal, socket
import string, subprocess, sys, tempfile, threading, time, urllib.parse

PROTO = "2025-06-18"
OPS = ["list", "read", "search_rare", "search_common", "search_regex", "backlinks", "tags", "write_new", "append", "edit"]
TICK = os.sysconf("SC_CLK_TCK")
now = time.perf_counter


class McpError(Exception): pass
class McpTimeout(McpError): pass


# ---------------------------------------------------------------- transports
class Stdio:
    """newline-delimited JSON-RPC over a child process"""
    def __init__(self, cmd, env=None, cwd=None, log=None):
        e = dict(os.environ); e.update(env or {})
        self.t0 = now()
        self.log = open(log, "wb") if log else subprocess.DEVNULL
        self.p = subprocess.Popen(cmd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, env=e, cwd=cwd,
                                  bufsize=0, start_new_session=True)
        self.pid = self.p.pid; self.fd = self.p.stdout.fileno(); self.buf = bytearray(); self.id = 0; self.noise = 0

    def send(self, msg):
        data = json.dumps(msg, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        mv = memoryview(data)
        try:
            while mv: mv = mv[self.p.stdin.write(mv):]
        except (BrokenPipeError, OSError) as e: raise McpError(f"server gone: {e}")

    def recv(self, deadline):
        scanned = 0
        while True:
            k = self.buf.find(b"\n", scanned)
            if k >= 0:
                line = bytes(self.buf[:k]); del self.buf[:k + 1]; scanned = 0
                if not line.strip(): continue
                try: return json.loads(line)
                except ValueError: self.noise += 1; continue      # stdout pollution: counted, not fatal
            scanned = len(self.buf)
            left = deadline - now()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]: raise McpTimeout("timeout")
            chunk = os.read(self.fd, 1 << 20)
            if not chunk: raise McpError(f"server closed stdout (exit {self.p.poll()})")
            self.buf += chunk

    def request(self, method, params=None, timeout=60):
        self.id += 1; my = self.id
        self.send({"jsonrpc": "2.0", "id": my, "method": method, "params": params or {}})
        deadline = now() + timeout
        while True:
            m = self.recv(deadline)
            if "method" in m and "id" in m:                        # server -> client request
                r = {"jsonrpc": "2.0", "id": m["id"]}
                if m["method"] == "ping": r["result"] = {}
                elif m["method"] == "roots/list": r["result"] = {"roots": []}
                else: r["error"] = {"code": -32601, "message": "not supported by this client"}
                self.send(r)
            elif m.get("id") == my:
                if "error" in m: raise McpError(json.dumps(m["error"], ensure_ascii=False)[:400])
                return m.get("result")

    def notify(self, method): self.send({"jsonrpc": "2.0", "method": method})

    def close(self):
        try: self.p.stdin.close()
        except OSError: pass
        for sig in (None, signal.SIGTERM, signal.SIGKILL):
            try:
                if sig: os.killpg(self.pid, sig)                   # our own process group only
                self.p.wait(3); break
            except subprocess.TimeoutExpired: continue
            except ProcessLookupError: break
        if self.p.stdout: self.p.stdout.close()

    def kill9(self):
        try: os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError: pass
        self.p.wait()


class Http:
    """Streamable HTTP: application/json and text/event-stream answers, session header, keep-alive"""
    def __init__(self, url, headers=None, timeout=60):
        u = urllib.parse.urlsplit(url); self.host, self.port = u.hostname, u.port or 80
        self.path = (u.path or "/") + ("?" + u.query if u.query else "")
        self.headers = dict(headers or {}); self.session = None; self.id = 0; self.c = None; self.timeout = timeout
        self.proto = None; self.p = None; self.pid = None

    def conn(self, timeout):
        if self.c is None:
            self.c = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
            self.c.connect(); self.c.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.c.sock.settimeout(timeout)
        return self.c

    def post(self, msg, timeout):
        h = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.session: h["Mcp-Session-Id"] = self.session
        if self.proto: h["MCP-Protocol-Version"] = self.proto
        h.update(self.headers)
        data = json.dumps(msg, separators=(",", ":")).encode()
        for attempt in (0, 1):
            fresh = self.c is None
            try:
                c = self.conn(timeout); c.request("POST", self.path, body=data, headers=h); r = c.getresponse(); break
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                self.c = None                                       # idle keep-alive was closed: one retry
                if fresh or attempt: raise
            except socket.timeout: self.c = None; raise McpTimeout("timeout")
        s = r.getheader("mcp-session-id")
        if s: self.session = s
        ct = (r.getheader("content-type") or "").split(";")[0].strip()
        try:
            if r.status >= 400:
                raise McpError(f"HTTP {r.status} {r.read()[:200]!r}")
            if "id" not in msg: r.read(); return None
            if ct == "text/event-stream":
                ev, found = [], None
                for line in r:
                    line = line.rstrip(b"\r\n")
                    if line.startswith(b"data:"): ev.append(line[5:].lstrip())
                    elif not line and ev:
                        d = b"\n".join(ev); ev = []
                        if not d.strip(): continue
                        m = json.loads(d)
                        if m.get("id") == msg["id"] and "method" not in m: found = m; break
                if found is None: raise McpError("stream ended without an answer")
                # a server may leave the stream open after the answer; drain only if it is at its end
                if not r.isclosed():
                    try: c.sock.settimeout(.05); r.read()
                    except (socket.timeout, OSError): self.c.close(); self.c = None
                return found
            return json.loads(r.read())
        except socket.timeout: self.c = None; raise McpTimeout("timeout")

    def request(self, method, params=None, timeout=None):
        self.id += 1
        m = self.post({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params or {}}, timeout or self.timeout)
        if "error" in m: raise McpError(json.dumps(m["error"])[:400])
        return m.get("result")

    def notify(self, method): self.post({"jsonrpc": "2.0", "method": method}, self.timeout)

    def close(self):
        try:
            if self.session:
                c = self.conn(2); c.request("DELETE", self.path, headers=dict(self.headers, **{"Mcp-Session-Id": self.session})); c.getresponse().read()
        except Exception: pass
        if self.c: self.c.close(); self.c = None


def initialize(cl, timeout=60, proto=PROTO):
    r = cl.request("initialize", {"protocolVersion": proto, "capabilities": {}, "clientInfo": {"name": "mcp_bench", "version": "1"}}, timeout)
    if isinstance(cl, Http): cl.proto = r.get("protocolVersion", proto)
    cl.notify("notifications/initialized")
    return r


def text_of(res):
    t = [c.get("text", "") or c.get("resource", {}).get("text", "") or "" for c in res.get("content") or []]
    if not any(t) and res.get("structuredContent") is not None:
        t = [json.dumps(res["structuredContent"], ensure_ascii=False)]
    return "\n".join(t)


# ---------------------------------------------------------------- /proc
def tree(pid):
    out, todo = [], [pid]
    while todo:
        p = todo.pop()
        try:
            out.append(p)
            for t in os.listdir(f"/proc/{p}/task"):
                with open(f"/proc/{p}/task/{t}/children") as f: todo += [int(x) for x in f.read().split()]
        except (FileNotFoundError, ProcessLookupError, NotADirectoryError): pass
    return out


def mem(pid):
    rss = hwm = 0
    for p in tree(pid):
        try:
            s = open(f"/proc/{p}/status").read()
            rss += int(re.search(r"VmRSS:\s+(\d+)", s).group(1)); hwm += int(re.search(r"VmHWM:\s+(\d+)", s).group(1))
        except (OSError, AttributeError): pass
    return rss / 1024, hwm / 1024


def cpu(pid):
    """user+system seconds of the tree: nanosecond schedstat of every live thread is lost at thread exit, so use stat"""
    tot = 0
    for p in tree(pid):
        try:
            f = open(f"/proc/{p}/stat").read().rsplit(")", 1)[1].split()
            tot += int(f[11]) + int(f[12])
        except OSError: pass
    return tot / TICK


def busy():
    """CPU seconds used so far by the whole machine, and by this client process"""
    f = [int(x) for x in open("/proc/stat").readline().split()[1:9]]
    t = os.times()
    return (sum(f) - f[3] - f[4]) / TICK, t.user + t.system


# ---------------------------------------------------------------- scenario
class Ctx:
    def __init__(self, vault, extra):
        self.vault = os.path.abspath(vault)
        self.m = json.load(open(self.vault + ".manifest.json"))
        self.extra = extra; self.n = 0; self.made = []

    def base(self):
        m = self.m
        d = dict(os.environ); d.update(self.extra)
        d.update(VAULT=self.vault, vault_name=os.path.basename(self.vault), hub=m["backlinks"]["target"], hub_stem=m["backlinks"]["stem"],
                 hub_noext=m["backlinks"]["target"][:-3], tag=m["tag"]["tag"], common=m["common"]["token"], list_dir=m["list_dir"])
        return d

    def iter(self, run):
        """fields of the next iteration; every iteration asks for something else so that a result cache does not help"""
        i = self.n; self.n += 1; m = self.m; d = self.base()
        r, x, rd = m["rare"][i % len(m["rare"])], m["regex"][i % len(m["regex"])], m["reads"][i % len(m["reads"])]
        d.update(n=str(i), rare=r["token"], rare_stem=r["stem"], rare_path=r["path"], regex=x["pattern"], regex_stem=x["stem"],
                 regex_path=x["path"], read_path=rd["path"], read_stem=rd["stem"], read_noext=rd["path"][:-3],
                 new_stem=f"bench-{run}-{i:05d}", new_path=f"bench-tmp/bench-{run}-{i:05d}.md", marker=f"zqxvmark{run}x{i:05d}",
                 edit_stem=f"edit-{run}", edit_path=f"bench-tmp/edit-{run}.md")
        return d


def sub(o, d):
    if isinstance(o, str):
        m = re.fullmatch(r"\$\{(\w+):int\}", o)
        if m: return int(d[m.group(1)])
        return string.Template(o).safe_substitute(d)
    if isinstance(o, list): return [sub(x, d) for x in o]
    if isinstance(o, dict): return {k: sub(v, d) for k, v in o.items()}
    return o


DEFAULT_CHECK = {
    "list": {"contains": ["${list_stem}"]},
    "read": {"reads": "${read_path}"},
    "search_rare": {"contains": ["${rare_stem}"]},
    "search_common": {"min": [r"\.md\b|bench-|planted-|\"(path|file|permalink)\"", 3]},
    "search_regex": {"contains": ["${regex_stem}"]},
    "backlinks": {"backlinks": True},
    "tags": {"tags": True},
    "write_new": {"file": ["${new_path}", "${marker}"]},
    "append": {"file": ["${edit_path}", "${marker}"]},
    "edit": {"file": ["${edit_path}", "${marker}"]},
}


def check(op, spec, d, text, ctx):
    c = spec["check"] if "check" in spec else DEFAULT_CHECK[op]
    for want in c.get("contains", []):
        if sub(want, d) not in text: return f"lacks {sub(want, d)}"
    if "min" in c and len(re.findall(c["min"][0], text)) < c["min"][1]: return "too few hits"
    if "reads" in c:
        src = open(os.path.join(ctx.vault, d["read_path"]), encoding="utf-8").read()
        lines = [l.strip() for l in src.split("\n") if len(l) > 30 and l.isascii() and '"' not in l and "\\" not in l]
        probe = lines[-1][:60] if lines else src[-20:]
        if probe not in text: return "body lacks last long line"
    if "file" in c:
        p = os.path.join(ctx.vault, sub(c["file"][0], d))
        try: body = open(p, encoding="utf-8", errors="replace").read()
        except OSError as e: return f"no file on disk: {e.strerror}"
        if sub(c["file"][1], d) not in body: return "file lacks the text"
    if c.get("backlinks"):
        b = ctx.m["backlinks"]; st = lambda p: os.path.basename(p)[:-3]
        miss = [p for p in b["sources"] if st(p) not in text]; fake = [p for p in b["decoys"] if st(p) in text]
        if miss or fake:
            return f"{len(b['sources']) - len(miss)}/{len(b['sources'])} found, {len(fake)} false" + ("; misses " + " ".join(sorted({b['forms'][p] for p in miss})) if miss else "")
    if c.get("tags"):
        t = ctx.m["tag"]; st = lambda p: os.path.basename(p)[:-3]
        if spec.get("counts"):                       # tool lists tags with counts: look for the right count
            m = re.search(spec["counts"], text)
            if not m: return "tag absent"
            if int(m.group(1)) != len(t["notes"]): return f"count {m.group(1)}, want {len(t['notes'])}"
        else:
            miss = [p for p in t["notes"] if st(p) not in text]; fake = [p for p in t["decoys"] if st(p) in text]
            fm = set(t["frontmatter"]); got = len(fm - set(miss))
            if miss or fake: return f"{len(t['notes']) - len(miss)}/{len(t['notes'])} found ({got}/{len(fm)} frontmatter), {len(fake)} false"
    return None


def pct(v, q): return v[min(len(v) - 1, max(0, math.ceil(q * len(v)) - 1))] if v else float("nan")


def start(name, s, ctx, a, tmp):
    d = ctx.base(); d.update(TMP=tmp)
    for pre in s.get("prepare", []): subprocess.run(sub(pre, d), env={**os.environ, **sub(s.get("env", {}), d)}, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=a.timeout * 10)
    env = sub(s.get("env", {}), d); cmd = sub(s["command"], d)
    log = os.path.join(a.logs, f"{name}.stderr") if a.logs else None
    if s.get("transport", "stdio") == "stdio":
        return Stdio(cmd, env, cwd=sub(s["cwd"], d) if "cwd" in s else tmp, log=log)
    p = Stdio(cmd, env, cwd=tmp, log=log)             # HTTP server: same child handling, then connect
    h = Http(sub(s["url"], d), sub(s.get("headers", {}), d), a.timeout); h.child = p; h.pid = p.pid; h.t0 = p.t0
    end = now() + a.timeout
    while True:
        try: socket.create_connection((h.host, h.port), .2).close(); return h
        except OSError:
            if now() > end or p.p.poll() is not None: p.close(); raise McpError("HTTP server did not listen")
            time.sleep(.005)


def stop(cl):
    cl.close()
    if getattr(cl, "child", None): cl.child.close()


def do_call(cl, spec, d, timeout):
    """one op; spec may be a list of calls (e.g. a read for an etag is not free, so it is timed with the write)"""
    text = ""
    for st in spec.get("steps", [spec]):
        res = cl.request("tools/call", {"name": st["tool"], "arguments": sub(st["args"], d)}, timeout)
        text = text_of(res)
        if res.get("isError"): raise McpError("tool error: " + text[:300].replace("\n", " "))
        for k, rx in st.get("capture", {}).items():
            m = re.search(rx, text + "\n" + json.dumps(res.get("structuredContent") or {}))
            if m: d[k] = m.group(1)
    return text


def bench_server(name, s, ctx, a, tmp):
    run = re.sub(r"\W", "", name)[:8].lower() + format(int(time.time()) % 46656, "x")
    row = {"server": name, "version": s.get("version"), "vault_notes": ctx.m["notes"], "ops": {}}
    ld = ctx.m["list_dir"]
    stems = sorted(f[:-3] for f in os.listdir(os.path.join(ctx.vault, ld)) if f.startswith("planted-rare"))
    ctx.extra["list_stem"] = stems[0]
    tmpd = os.path.join(ctx.vault, "bench-tmp"); os.makedirs(tmpd, exist_ok=True)
    edit = os.path.join(tmpd, f"edit-{run}.md")
    with open(edit, "w") as f: f.write(f"---\ntags: [bench]\n---\n# edit-{run}\n\n## Log\n\ncounter-start\n")
    cl = None
    try:
        cl = start(name, s, ctx, a, tmp)
        init = initialize(cl, a.timeout, s.get("protocol", PROTO))
        row["init_ms"] = (now() - cl.t0) * 1e3
        row["info"] = init.get("serverInfo", {}); row["protocol"] = init.get("protocolVersion")
        for st in s.get("setup", []): cl.request("tools/call", {"name": st["tool"], "arguments": sub(st["args"], ctx.iter(run))}, a.timeout)
        # first = one right answer; ready = start of an unbroken streak of right answers over the whole set of planted notes.
        # A server that indexes in the background answers some tokens long before its index is complete.
        spec = s["ops"].get("search_rare"); last = None; end = now() + a.index_timeout; streak = 0; since = None; seen = set()
        while spec:
            d = ctx.iter(run); t = now()
            try: last = check("search_rare", spec, d, do_call(cl, spec, d, a.index_timeout), ctx)
            except McpTimeout: last = "timeout"
            except McpError as x:
                last = str(x)[:160]
                if cl.pid and not os.path.exists(f"/proc/{cl.pid}"): raise
            if last is None:
                row.setdefault("first_ms", (now() - cl.t0) * 1e3); row.setdefault("cpu_first_s", cpu(cl.pid)); since = since or now(); streak += 1
                if streak >= (len(ctx.m["rare"]) if now() - t < .5 else 4): row["ready_ms"] = (since - cl.t0) * 1e3; break
            else: streak = 0; since = None; time.sleep(.05)
            if now() > end or last == "timeout": row["ready_fail"] = f"not ready in {a.index_timeout:.0f} s: {last}"; break
        row["rss_ready"], _ = mem(cl.pid)
        for op in OPS:
            if a.ops and op not in a.ops.split(","): continue
            spec = s["ops"].get(op)
            if not spec: row["ops"][op] = {"status": "n/a"}; continue
            if "unsupported" in spec: row["ops"][op] = {"status": "n/a", "why": spec["unsupported"]}; continue
            lat, bad, r = [], None, {}
            warm = a.warmup; budget_end = None; cpu0 = t_run = None
            try:
                i = 0
                while i < a.iters + warm:
                    d = ctx.iter(run)
                    if i == warm: cpu0 = cpu(cl.pid); b0 = busy(); t_run = now(); budget_end = t_run + a.budget
                    t = now(); text = do_call(cl, spec, d, a.timeout); dt = now() - t
                    why = check(op, spec, d, text, ctx)
                    if why and not bad: bad = why
                    if i >= warm: lat.append(dt)
                    elif dt > a.budget / 8: warm = min(warm, i + 1)        # very slow: one warm-up is enough
                    i += 1
                    if budget_end and now() > budget_end and len(lat) >= 3: break
                r["bytes"] = len(text)
            except McpTimeout: r["status"] = "TIMEOUT"; r["why"] = f"> {a.timeout} s"
            except McpError as e: r["status"] = "ERR"; r["why"] = str(e)[:240]
            if lat:
                lat.sort(); r.update(n=len(lat), p50=pct(lat, .5) * 1e3, p95=pct(lat, .95) * 1e3, p99=pct(lat, .99) * 1e3, ops=len(lat) / sum(lat),
                                     cpu=(cpu(cl.pid) - cpu0) * 1e3 / len(lat) if cpu0 is not None else None)
            if lat and cpu0 is not None and now() - t_run > .2:  # cores used by neither server nor client: is the wall time clean?
                b1 = busy(); r["other"] = max(0, (b1[0] - b0[0]) - (b1[1] - b0[1]) - r["cpu"] * r["n"] / 1e3) / (now() - t_run)
            r.setdefault("status", "WRONG" if bad else "ok")
            if bad: r.setdefault("why", bad)
            row["ops"][op] = r
            if r["status"] in ("TIMEOUT", "ERR") and cl.pid and not os.path.exists(f"/proc/{cl.pid}"): raise McpError("server died in " + op)
            if r["status"] == "TIMEOUT":                   # stdio answers may arrive late: start afresh
                row["rss"], row["hwm"] = mem(cl.pid); stop(cl); cl = start(name, s, ctx, a, tmp); initialize(cl, a.timeout, s.get("protocol", PROTO))
        if s["ops"].get("search_rare"):
            spec = s["ops"]["search_rare"]
            first = 0                                      # tokens one character apart: is the exact one on top?
            for x in ctx.m.get("near", []):
                try:
                    m = re.search(r"planted-near-\d+", do_call(cl, spec, dict(ctx.iter(run), rare=x["token"]), a.timeout))
                    first += bool(m and m.group(0) == x["stem"])
                except McpError: pass
            row["near_first"] = f"{first}/{len(ctx.m.get('near', []))}"
            def fresh(write):
                d = ctx.iter(run); tok = f"zqxvfresh{d['n']}q"; stem = f"fresh-{run}-{d['n']}"; path = f"bench-tmp/{stem}.md"
                t = now(); write(d, path, stem, tok); d.update(rare=tok, rare_stem=stem); end = now() + a.fresh
                while now() < end:
                    try:
                        if stem in do_call(cl, spec, d, a.timeout): return (now() - t) * 1e3
                    except McpError: pass
                    time.sleep(.02)
                return None
            def ext(d, path, stem, tok):
                with open(os.path.join(ctx.vault, path), "w") as f: f.write(f"# {stem}\n\nword {tok} here\n")
            def own(d, path, stem, tok):
                d = dict(d, new_path=path, new_stem=stem, marker=tok); do_call(cl, s["ops"]["write_new"], d, a.timeout)
            try: row["fresh_ext_ms"] = fresh(ext)
            except McpError as e: row["fresh_ext_ms"] = None
            if s["ops"].get("write_new", {}).get("tool") or s["ops"].get("write_new", {}).get("steps"):
                try: row["fresh_own_ms"] = fresh(own)
                except McpError as e: row["fresh_own_ms"] = None
        row["rss"], row["hwm"] = mem(cl.pid)
        row["noise"] = getattr(getattr(cl, "child", cl), "noise", 0)
    except McpError as e: row["fatal"] = str(e)[:300]
    except (OSError, subprocess.SubprocessError) as e: row["fatal"] = f"{type(e).__name__}: {e}"[:300]
    finally:
        if cl: stop(cl)
        shutil.rmtree(tmpd, ignore_errors=True)
        for c in s.get("cleanup", []): shutil.rmtree(sub(c, dict(ctx.base(), TMP=tmp)), ignore_errors=True)
    return row


def merge(runs):
    """several fresh processes of one server: per op the best run (lowest p50), plus the range of p50 over all runs"""
    best = dict(min(runs, key=lambda r: r.get("ready_ms") or 9e9)); best["ops"] = {}; best["runs"] = len(runs)
    for op in OPS:
        xs = [r["ops"][op] for r in runs if op in r["ops"]]
        if not xs: continue
        b = dict(min(xs, key=lambda x: x.get("p50", 9e9))); ps = [x["p50"] for x in xs if "p50" in x]
        if ps: b["p50_range"] = [min(ps), max(ps)]
        for x in xs:                                       # a wrong answer in any run counts
            if x["status"] not in ("ok", "n/a") and b["status"] == "ok": b["status"], b["why"] = x["status"], x.get("why", "") + " (in some runs)"
        best["ops"][op] = b
    return best


def ms(x): return "-" if x is None or x != x else (f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}")


def table(rows):
    o = []
    o.append("| server | notes | init ms | first right answer ms | all right from ms | CPU s at first answer | RSS ready MB | RSS end MB | HWM MB | own write seen ms | outside write seen ms | exact over near | note |")
    o.append("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|")
    for r in rows:
        note = r.get("fatal") or r.get("ready_fail") or ""
        fr = lambda k: ms(r[k]) if r.get(k) is not None else ("never" if k in r else "-")
        o.append(f"| {r['server']} | {r['vault_notes']} | {ms(r.get('init_ms'))} | {ms(r.get('first_ms'))} | {ms(r.get('ready_ms'))} | {ms(r.get('cpu_first_s'))} | {ms(r.get('rss_ready'))} | {ms(r.get('rss'))} | {ms(r.get('hwm'))} | {fr('fresh_own_ms')} | {fr('fresh_ext_ms')} | {r.get('near_first', '-')} | {note[:90]} |")
    o.append(""); o.append("| server | notes | op | n | p50 ms | p50 range over runs | p95 ms | p99 ms | ops/s | cpu/op ms | other cores | answer bytes | check |")
    o.append("|---|--:|---|--:|--:|---|--:|--:|--:|--:|--:|--:|---|")
    for r in rows:
        for op in OPS:
            x = r["ops"].get(op)
            if not x: continue
            st = x["status"] + (f" ({x['why'][:130]})" if x.get("why") else "")
            o.append(f"| {r['server']} | {r['vault_notes']} | {op} | {x.get('n', '-')} | {ms(x.get('p50'))} | {' – '.join(ms(v) for v in x['p50_range']) if 'p50_range' in x else '-'} | {ms(x['p95']) if x.get('n', 0) >= 20 else '-'} | {ms(x['p99']) if x.get('n', 0) >= 100 else '-'} | {ms(x.get('ops'))} | {ms(x.get('cpu'))} | {'-' if x.get('other') is None else format(x['other'], '.1f')} | {x.get('bytes', '-')} | {st} |".replace("\n", " "))
    return "\n".join(o)


# ---------------------------------------------------------------- HTTP load
def load_worker(args):
    url, headers, spec, nclients, secs, vault, seed, timeout = args
    lat, errs, wrong, first = [], [0], [0], []
    ctx = Ctx(vault, {}) if vault else None
    barrier = threading.Barrier(nclients)
    def client(k):
        try:
            cl = Http(url, headers, timeout); initialize(cl, timeout)
        except Exception as e: first.append(repr(e)[:200]); errs[0] += 1; cl = None
        try: barrier.wait(60)
        except threading.BrokenBarrierError: pass
        if not cl: return
        end = now() + secs; i = seed * 7919 + k * 101
        while now() < end:
            d = {}
            if ctx: c = Ctx.__new__(Ctx); c.__dict__.update(ctx.__dict__); c.n = i; d = c.iter(f"l{seed}x{k}")
            d["n"] = str(i); i += 1; t = now()
            try:
                text = do_call(cl, spec, d, timeout); lat.append(now() - t)
                if ctx and "op" in spec and check(spec["op"], spec, d, text, ctx): wrong[0] += 1
            except Exception as e:
                errs[0] += 1
                if len(first) < 3: first.append(repr(e)[:200])
                cl.c = None
        cl.close()
    th = [threading.Thread(target=client, args=(k,)) for k in range(nclients)]
    t = now(); [x.start() for x in th]; [x.join() for x in th]
    return lat, errs[0], wrong[0], first


def load(url, headers, spec, clients, secs, vault=None, procs=None, timeout=60, pid=None):
    procs = max(1, min(procs or os.cpu_count() or 1, clients))
    share = [clients // procs + (1 if i < clients % procs else 0) for i in range(procs)]
    c0 = cpu(pid) if pid else None
    with multiprocessing.get_context("fork").Pool(procs) as pool:
        res = pool.map(load_worker, [(url, headers, spec, n, secs, vault, i, timeout) for i, n in enumerate(share)], chunksize=1)
    lat = sorted(x for r in res for x in r[0])
    out = dict(clients=clients, seconds=secs, requests=len(lat), rps=len(lat) / secs, p50=pct(lat, .5) * 1e3, p95=pct(lat, .95) * 1e3,
               p99=pct(lat, .99) * 1e3, errors=sum(r[1] for r in res), wrong=sum(r[2] for r in res), first_errors=[e for r in res for e in r[3]][:3])
    if pid: out["server_cpu_s"] = cpu(pid) - c0; out["rss"], out["hwm"] = mem(pid)
    return out


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("mode", choices=["run", "tools", "call", "load"]); ap.add_argument("pos", nargs="*")
    ap.add_argument("--only"); ap.add_argument("--iters", type=int, default=100); ap.add_argument("--warmup", type=int, default=5)
    ap.add_argument("--repeat", type=int, default=3, help="fresh processes per server; the table shows the best run and the p50 range")
    ap.add_argument("--ops"); ap.add_argument("--timeout", type=float, default=60); ap.add_argument("--index-timeout", type=float, default=180)
    ap.add_argument("--budget", type=float, default=15, help="seconds per op before iterations are cut short")
    ap.add_argument("--fresh", type=float, default=8); ap.add_argument("--json"); ap.add_argument("--logs"); ap.add_argument("--var", action="append", default=[])
    ap.add_argument("--url"); ap.add_argument("--tool"); ap.add_argument("--args", default="{}"); ap.add_argument("--header", action="append", default=[])
    ap.add_argument("--vault"); ap.add_argument("--op", default="search_rare"); ap.add_argument("-c", "--clients", type=int, default=8)
    ap.add_argument("-t", "--seconds", type=float, default=10); ap.add_argument("--procs", type=int)
    a = ap.parse_intermixed_args()
    if a.logs: os.makedirs(a.logs, exist_ok=True)
    extra = dict(v.split("=", 1) for v in a.var)
    if a.mode == "load" and a.url:
        spec = {"tool": a.tool, "args": json.loads(a.args)}
        if a.vault and a.op in DEFAULT_CHECK: spec["op"] = a.op
        print(json.dumps(load(a.url, dict(h.split("=", 1) for h in a.header), spec, a.clients, a.seconds, a.vault, a.procs, a.timeout), indent=1)); return
    sc = json.load(open(a.pos[0])); vault = a.pos[1]
    names = a.only.split(",") if a.only else [n for n, s in sc["servers"].items() if not s.get("skip")]
    rows = []
    for n in names:
        s = sc["servers"][n]; tmp = tempfile.mkdtemp(prefix="mcpb-"); ctx = Ctx(vault, extra)
        if s.get("max_notes") and ctx.m["notes"] > s["max_notes"] and not a.only: shutil.rmtree(tmp); continue
        if s.get("copy"):                                  # server rewrites notes by itself: give it a throwaway copy
            cp = os.path.join(tmp, "vault"); shutil.copytree(vault, cp, symlinks=True)
            shutil.copy(vault.rstrip("/") + ".manifest.json", cp + ".manifest.json"); ctx = Ctx(cp, extra)
        try:
            if a.mode == "run":
                print(f"# {n} ...", file=sys.stderr, flush=True)
                rs = []
                for k in range(1 if s.get("copy") else a.repeat):
                    sub_tmp = os.path.join(tmp, f"run{k}"); os.mkdir(sub_tmp); rs.append(bench_server(n, s, Ctx(ctx.vault, dict(extra)), a, sub_tmp))
                row = merge(rs) if len(rs) > 1 else rs[0]
                if s.get("copy"):                          # how many of the user's own notes did it change unasked?
                    ch = 0
                    for p, _, fs in os.walk(vault):
                        for f in fs:
                            q = os.path.join(p, f); w = os.path.join(ctx.vault, os.path.relpath(q, vault))
                            try: ch += open(q, "rb").read() != open(w, "rb").read()
                            except OSError: ch += 1
                    row["changed_notes"] = ch; row["ready_fail"] = (row.get("ready_fail") or "") + f" rewrote {ch} notes unasked"
                rows.append(row)
                print(table([row]), file=sys.stderr, flush=True)       # a killed run keeps the servers already done
                if a.json:
                    with open(a.json, "w") as f: json.dump(rows, f, indent=1)
                continue
            if a.mode == "load":
                s = dict(s, **s["http"]); cl = start(n, s, ctx, a, tmp)
                try:
                    initialize(cl, a.timeout); ctx.extra["list_stem"] = ""
                    end = now() + a.index_timeout; streak = 0         # the whole set of planted notes, as in `run`
                    while now() < end and streak < len(ctx.m["rare"]):
                        d = ctx.iter("w")
                        try: streak = streak + 1 if d["rare_stem"] in do_call(cl, s["ops"]["search_rare"], d, a.timeout) else 0
                        except McpError: streak = 0
                        if not streak: time.sleep(.1)
                    print(json.dumps({"server": n, "op": a.op, **load(sub(s["url"], dict(ctx.base(), TMP=tmp)), s.get("headers"), dict(s["ops"][a.op], op=a.op), a.clients, a.seconds, vault, a.procs, a.timeout, cl.pid)}))
                finally: stop(cl)
                continue
            cl = start(n, s, ctx, a, tmp)
            try:
                print(json.dumps(initialize(cl, a.timeout, s.get("protocol", PROTO)))[:400], file=sys.stderr)
                for st in s.get("setup", []): cl.request("tools/call", {"name": st["tool"], "arguments": sub(st["args"], ctx.iter("c"))}, a.timeout)
                if a.mode == "tools":
                    cur = None
                    while True:
                        r = cl.request("tools/list", {"cursor": cur} if cur else {})
                        for t in r["tools"]:
                            sch = t.get("inputSchema", {}); req = sch.get("required", [])
                            print(f"{t['name']}({', '.join(k + ('' if k in req else '?') for k in sch.get('properties', {}))})  -- {(t.get('description') or '').strip().splitlines()[0][:110]}")
                        cur = r.get("nextCursor")
                        if not cur: break
                else:
                    t = now(); r = cl.request("tools/call", {"name": a.pos[2], "arguments": sub(json.loads(a.pos[3]), ctx.iter("c"))}, a.timeout)
                    print(f"[{(now() - t) * 1e3:.1f} ms, isError={r.get('isError')}]\n{text_of(r)[:6000]}")
            finally: stop(cl)
        finally: shutil.rmtree(tmp, ignore_errors=True)
    if a.mode == "run":
        print(table(rows))


if __name__ == "__main__":
    main()
