// A fresh vault and a running server for each run, and the loop over eras, transports and surfaces.

import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { person, play } from './player.mjs';
import { fill, loadSteps, uncovered } from './scenario.mjs';

export const exampleVault = fileURLToPath(new URL('../../examples/vault', import.meta.url));

/**
 * Which steps run on which surface. `config` goes into a configuration file; `partial` does not call every tool; `values` are what
 * the steps name in braces; with `human` the client has a user who can be asked; `eras` are those it is played in, if not both.
 */
const scenarios = JSON.parse(readFileSync(new URL('scenarios.json', import.meta.url)));

/** A copy of the example vault, an empty data directory and the command line that serves them. */
export function workspace(binary, { surface, config }) {
  const root = mkdtempSync(join(tmpdir(), 'quillgate-client-'));
  const vault = join(root, 'vault');
  const data = join(root, 'data');
  cpSync(exampleVault, vault, { recursive: true });
  mkdirSync(data);
  const flags = ['--vault-path', vault, '--surface', surface];
  if (config) {
    const file = join(root, 'config.json');
    writeFileSync(file, JSON.stringify(config).replaceAll('{vault}', vault));
    flags.push('--config', file);
  }
  // Nothing of the caller's environment but PATH: a VAULT_PATH or LISTEN_ADDR set there would change the server.
  const env = { PATH: process.env.PATH, HOME: data, QUILLGATE_DATA_DIR: data };
  return {
    command: binary,
    env,
    flags,
    vault,
    args: verb => [verb, ...flags],
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A port of the loopback interface that nobody listens on. */
export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Starts `quillgate serve` and waits until it answers GET /health. */
export async function serve({ command, env, args }) {
  const port = await freePort();
  const child = spawn(command, [...args('serve'), '--listen-addr', `127.0.0.1:${port}`], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', chunk => (log += chunk));
  const exited = once(child, 'exit');
  const origin = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + 20_000;
  while (!(await fetch(`${origin}/health`).then(reply => reply.ok, () => false))) {
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`the server did not start:\n${log}`);
    }
    await pause(25);
  }
  const stop = async () => {
    child.kill('SIGTERM');
    const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
    const [code, signal] = await exited;
    clearTimeout(patience);
    if (code !== 0) throw new Error(`the server left with ${code ?? signal}:\n${log}`);
  };
  return { url: `${origin}/mcp`, stop };
}

/**
 * Plays every scenario in every era over both transports and prints one line for each.
 * `connect(target, era, human, updated)` opens a client on {command, args, env} or {url}; `human` is there if its user can be
 * asked, `updated(uri)` is told of changed notes. A client is {version, tools(), call(tool, args), callByHand(tool, args, input),
 * subscribe(uris), unsubscribe(uris), close()}.
 */
export async function drive(name, eras, connect) {
  const [binary, wanted = ''] = process.argv.slice(2);
  if (!binary) throw new Error('usage: DRIVER PATH/TO/quillgate [BEGINNING OF A SCENARIO]');
  const isPlayed = (entry, era) => entry.scenario.startsWith(wanted) && (entry.eras?.includes(era) ?? true);
  let failed = 0;
  for (const era of eras) {
    for (const transport of ['stdio', 'http']) {
      for (const entry of scenarios.filter(entry => isPlayed(entry, era))) {
        const steps = loadSteps(entry.scenario);
        const failures = await playOnce(binary, entry, steps, transport, connect, era).catch(error => [error.stack]);
        failed += report([name, era, transport, label(entry)], steps.length, failures);
      }
    }
  }
  process.exitCode = failed ? 1 : 0;
}

const label = ({ scenario, surface }) => (scenario === surface ? surface : `${scenario} on ${surface}`);

async function playOnce(binary, entry, steps, transport, connect, era) {
  const place = workspace(binary, entry);
  const [human, updates, values] = [person(), [], { ...entry.values }];
  let server;
  try {
    server = transport === 'http' ? await serve(place) : undefined;
    const target = server ?? { command: place.command, args: place.args('stdio'), env: place.env };
    const client = await connect(target, era, entry.human && human, uri => updates.push(uri));
    const failures = isOfEra(client.version, era) ? [] : [`negotiated ${client.version} in era ${era}`];
    const listed = await client.tools(); // also for the client, which learns the output schemas here
    if (!entry.partial) failures.push(...uncovered(fill(steps, values), listed));
    failures.push(...(await play(steps, { client, human, updates, place, surface: entry.surface, era, values })));
    await client.close();
    return failures;
  } finally {
    await server?.stop();
    place.remove();
  }
}

const isOfEra = (version, era) => version === undefined || (era === 'legacy') === version < '2026-07-28';

/** One line for each run, and below it what went wrong. `run` counts the lines that start with ok and FAILED. */
export function report(labels, steps, failures) {
  console.log(`${failures.length ? 'FAILED' : 'ok    '} ${labels.join(' · ')}: ${steps} steps${failures.length ? `, ${failures.length} wrong` : ''}`);
  for (const failure of failures) console.log(`    ${failure}`);
  return failures.length ? 1 : 0;
}
