// The files of packaging/: Caddy and nginx run with them on loopback, systemd reads the unit. proxies.mjs PATH/TO/quillgate
//
// NODE_EXTRA_CA_CERTS must name the certificate in the folder $QUILLGATE_TLS (key.pem, cert.pem); `run` makes both.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../clients/harness.mjs';
import { program } from './browser/callback.mjs';
import { signIn as signInWith } from './browser/behaviour.mjs';
import { launch, openWindow } from './browser/chromium.mjs';
import { ask } from './browser/request.mjs';
import { endAccess } from './ending.mjs';
import { converse, signIn, wholeWay } from './flows/oauth4webapi.mjs';
import { report } from './report.mjs';
import { serve } from './server.mjs';

const binary = process.argv[2];
const tls = process.env.QUILLGATE_TLS;
const [key, cert] = ['key.pem', 'cert.pem'].map(name => join(tls, name));
const packaged = name => readFileSync(new URL(`../../packaging/${name}`, import.meta.url), 'utf8');

/** Replaces each text, which must be there: a packaged file that has moved on must not pass unadapted. */
function adapt(text, changes) {
  for (const [before, after] of changes) {
    assert.ok(text.includes(before), `packaging has no ${before}`);
    text = text.replaceAll(before, after);
  }
  return text;
}

/** Each returns the command line that serves https://localhost:`port` in front of 127.0.0.1:`behind`. */
const proxies = {
  caddy: (folder, port, behind) => {
    const file = join(folder, 'Caddyfile');
    const site = adapt(packaged('Caddyfile'), [
      ['notes.example.com {', `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`],
      ['127.0.0.1:8090 {', `127.0.0.1:${behind} {`],
    ]);
    writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n${site}`);
    return ['caddy', 'run', '--adapter', 'caddyfile', '--config', file];
  },
  nginx: (folder, port, behind) => {
    const [main, site] = ['main.conf', 'site.conf'].map(name => join(folder, name));
    writeFileSync(
      site,
      adapt(packaged('nginx.conf'), [
        ['listen [::]:443 ssl http2;', ''],
        ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
        ['server_name notes.example.com', 'server_name localhost'],
        ['/etc/letsencrypt/live/notes.example.com/fullchain.pem', cert],
        ['/etc/letsencrypt/live/notes.example.com/privkey.pem', key],
        ['server 127.0.0.1:8090', `server 127.0.0.1:${behind}`],
      ]),
    );
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder}/${name};`).join(' ');
    const user = process.getuid() === 0 ? 'user root; ' : '';
    writeFileSync(main, `${user}daemon off; pid ${folder}/pid; error_log stderr; events {} http { ${paths} include ${site}; }`);
    return ['nginx', '-c', main, '-p', folder, '-e', 'stderr'];
  },
};

async function start([command, ...line], folder, port) {
  const env = { PATH: `${process.env.PATH}:/usr/sbin`, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(command, line, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (log += chunk));
  child.on('error', error => (log += error.message));
  const stop = async () => {
    if (child.exitCode !== null || child.pid === undefined) return;
    child.kill('SIGTERM');
    const patience = setTimeout(() => child.kill('SIGKILL'), 5000);
    await once(child, 'exit');
    clearTimeout(patience);
  };
  for (const deadline = Date.now() + 15_000; !(await listens(port)); await pause(25)) {
    if (child.exitCode !== null || child.pid === undefined || Date.now() > deadline) {
      await stop();
      throw new Error(`${command} did not start:\n${log}`);
    }
  }
  return stop;
}

const listens = port =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy() && true));
    socket.on('error', () => resolve(false));
  });

/** One registration that comes from the loopback address `from` and says in its headers that it comes from `claimed`: its status. */
function register(url, from, claimed, host) {
  const send = url.startsWith('https:') ? secureRequest : plainRequest;
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': claimed, forwarded: `for=${claimed}`, 'x-real-ip': claimed, ...(host && { host }) };
  return new Promise((resolve, reject) => {
    const outgoing = send(`${url}/oauth/register`, { method: 'POST', localAddress: from, headers, agent: false }, reply => {
      reply.resume().on('end', () => resolve(reply.statusCode));
    });
    outgoing.on('error', reject).end(JSON.stringify({ client_name: 'Anybody', redirect_uris: ['http://localhost/callback'] }));
  });
}

/** Registers as somebody new each time until there are too many; throws if there never are. */
async function exhaust(registerAs) {
  for (let times = 1; times <= 30; times += 1) {
    const status = await registerAs(`198.51.100.${times}`);
    if (status === 429) return;
    assert.equal(status, 201);
  }
  throw new Error('thirty registrations from one address, and none too many: the header was believed');
}

const checks = {
  'whole flow': async ({ server }) => {
    const place = { url: server.url, origin: server.origin, path: 'Inbox/Through a proxy.md', content: '# Through\n' };
    const held = await wholeWay(place, 'none');
    assert.equal(server.note(place.path), place.content);
    await endAccess(server.origin, held);
  },

  'in a browser, with a cookie for this host alone': async ({ server }) => {
    const back = await program();
    const browser = await launch();
    try {
      const { page, context, complaints } = await openWindow(browser);
      const { address, state } = await ask(server, back.redirect);
      await page.goto(address);
      const [cookie] = await context.cookies();
      assert.match(cookie.name, /^__Host-quillgate-/);
      assert.ok(cookie.secure && cookie.httpOnly && cookie.path === '/');
      await signInWith(page);
      await page.locator('button[name=decision][value=allow]').click();
      assert.ok((await back.next(state)).has('code'));
      assert.deepEqual(complaints, []);
    } finally {
      await browser.close();
      back.close();
    }
  },

  'events arrive while the stream is open': async ({ server }) => {
    const { tokens } = await signIn(server.url, 'none');
    const { session } = await converse(server.url, tokens.access_token);
    const leave = new AbortController();
    const headers = { authorization: `Bearer ${tokens.access_token}`, accept: 'text/event-stream', 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': session() };
    const stream = await fetch(server.url, { headers, signal: AbortSignal.any([leave.signal, AbortSignal.timeout(20_000)]) });
    assert.equal(stream.status, 200);
    const { value, done } = await stream.body.getReader().read();
    assert.ok(!done && value.length > 0);
    leave.abort();
  },

  'a message of 15 MB comes through': async ({ server }) => {
    const { tokens } = await signIn(server.url, 'none');
    const request = await converse(server.url, tokens.access_token);
    const content = 'A long line of the ship’s log.\n'.repeat(450_000);
    const result = await request('tools/call', { name: 'vault_write', arguments: { path: 'Inbox/Long.md', content } });
    assert.ok(!result.isError, JSON.stringify(result).slice(0, 300));
    assert.equal(server.note('Inbox/Long.md'), content);
  },

  'the address of a client is what the proxy saw, whatever the client claims': async ({ server }) => {
    await exhaust(claimed => register(server.origin, '127.0.0.2', claimed));
    assert.equal(await register(server.origin, '127.0.0.3', '198.51.100.1'), 201, 'somebody else');
  },

  'who goes past the proxy is not believed': async ({ server }) => {
    const { host } = new URL(server.origin);
    await exhaust(claimed => register(server.direct, '127.0.0.4', claimed, host));
    assert.equal(await register(server.direct, '127.0.0.5', '198.51.100.1', host), 201, 'somebody else');
  },
};

/** systemd must find no fault in the unit and call it well locked up: at most 2.0 of 10, where lower is better. */
async function judgeUnit() {
  const folder = mkdtempSync(join(tmpdir(), 'quillgate-unit-'));
  try {
    const unit = join(folder, 'quillgate.service');
    writeFileSync(unit, adapt(packaged('quillgate.service'), [['/usr/local/bin/quillgate serve', `${binary} serve`]]));
    const { stderr } = await promisify(execFile)('systemd-analyze', ['verify', unit]);
    assert.equal(stderr, '');
    const { stdout } = await promisify(execFile)('systemd-analyze', ['security', '--offline=yes', '--threshold=20', '--no-pager', unit]);
    return /Overall exposure level.*: (\S+ \w+)/.exec(stdout)[1];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await report('packaging · quillgate.service', judgeUnit);
for (const [name, configure] of Object.entries(proxies)) {
  const folder = mkdtempSync(join(tmpdir(), 'quillgate-proxy-'));
  const closing = [];
  try {
    const [port, behind] = [await freePort(), await freePort()];
    const limits = { discovery: 6000, register: 6, authorize: 6000, token: 6000 };
    const config = { trustedProxies: ['127.0.0.1/32'], rateLimits: limits };
    const server = await serve(binary, { port: behind, publicUrl: `https://localhost:${port}`, config });
    closing.push(server.stop);
    mkdirSync(join(folder, 'logs'));
    closing.push(await start(configure(folder, port, behind), folder, port));
    for (const [what, check] of Object.entries(checks)) await report(`proxy · ${name} · ${what}`, () => check({ server }));
  } catch (error) {
    await report(`proxy · ${name}`, () => Promise.reject(error));
  } finally {
    for (const close of closing.reverse()) await close();
    rmSync(folder, { recursive: true, force: true });
  }
}
