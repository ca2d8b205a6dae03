// The authorization-server scenarios of the MCP conformance suite, all four revisions, on both kinds of state:
// conformance.mjs PATH/TO/quillgate

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../clients/harness.mjs';
import { report } from './report.mjs';
import { person, serve } from './server.mjs';
import { visit } from './visit.mjs';

const suite = fileURLToPath(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));
const revisions = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
const postgres = verb => fileURLToPath(new URL(`../postgres/${verb}`, import.meta.url));

/** One run of the suite. It prints the address that a person should open and waits for the redirect. */
async function judge(server, port, revision) {
  const results = join(server.root, `results-${revision}`);
  // Flags and not a settings file: the suite takes its port from the flag's default even if the file names one.
  const line = [suite, 'authorization', '--url', server.origin, '--client-id', 'conformance', '--port', port, '--spec-version', revision, '-o', results];
  const run = spawn(process.execPath, line, { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  let opened;
  const listen = chunk => {
    log += chunk;
    const address = /^(http\S+\/oauth\/authorize\?\S+)\s/m.exec(log)?.[1];
    // The address comes before the suite listens for the answer.
    if (address && log.includes('Callback server started')) opened ??= answer(address).catch(error => ((log += error.stack), run.kill()));
  };
  run.stdout.on('data', listen);
  run.stderr.on('data', listen);
  const patience = setTimeout(() => run.kill(), 30_000);
  const [code] = await once(run, 'close');
  clearTimeout(patience);
  assert.equal(code, 0, log);
  const checks = checksIn(results);
  const short = checks.filter(({ status }) => status !== 'SUCCESS');
  assert.deepEqual(short, [], log);
  assert.ok(checks.some(({ id }) => id === 'authorization-code-grant'), log);
  return `${checks.length} checks`;
}

/** Each run listens on the same port anew, so no connection of the run before may be used again. */
async function answer(address) {
  const reply = await fetch(await visit(address, person), { headers: { connection: 'close' } });
  await reply.text();
}

/** The suite's own summary leaves warnings and skipped checks out; its files have them. */
const checksIn = folder =>
  readdirSync(folder, { recursive: true })
    .filter(name => name.endsWith('checks.json'))
    .flatMap(name => JSON.parse(readFileSync(join(folder, name))));

async function judgeOn(binary, name, state) {
  const port = await freePort();
  const client = { clientId: 'conformance', clientName: 'MCP conformance', redirectUris: [`http://127.0.0.1:${port}/callback`] };
  const server = await serve(binary, { config: { state, auth: { clients: [client] } } });
  try {
    for (const revision of revisions) await report(`conformance · ${name} · ${revision}`, () => judge(server, port, revision));
  } finally {
    await server.stop();
  }
}

const binary = process.argv[2];
await judgeOn(binary, 'sqlite').catch(error => report('conformance · sqlite', () => Promise.reject(error)));

const folder = mkdtempSync(join(tmpdir(), 'quillgate-postgres-'));
try {
  const { stdout } = await promisify(execFile)(postgres('start'), [folder, String(process.pid)]);
  await judgeOn(binary, 'postgres', stdout.trim());
} catch (error) {
  await report('conformance · postgres', () => Promise.reject(error));
} finally {
  await promisify(execFile)(postgres('stop'), [folder]).catch(() => {});
  rmSync(folder, { recursive: true, force: true });
}
