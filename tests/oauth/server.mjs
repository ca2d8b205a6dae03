// A Quillgate that asks for a login, on a copy of the example vault, and a witness in front of it.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exampleVault, freePort } from '../clients/harness.mjs';
import { watch } from './witness.mjs';

/** The folder's name, by which pages call the vault. */
export const vaultName = 'lighthouse';

export const person = { username: 'anna', password: 'correct horse battery staple' };

/** Wide enough for tests that come in bursts from one address. */
const wideLimits = { discovery: 6000, register: 6000, authorize: 6000, token: 6000 };

let hash;
const hashOf = binary => (hash ??= execFileSync(binary, ['hash-password'], { input: `${person.password}\n`, encoding: 'utf8' }).trim());

/**
 * Starts `quillgate serve` and waits until it says that it serves.
 * `config` is added to the configuration file; `publicUrl` is for a proxy that somebody else runs in front of `port`.
 */
export async function serve(binary, { config = {}, publicUrl, port, witness = false } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'quillgate-oauth-'));
  const [vault, data, home, settings] = [vaultName, 'data', 'home', 'config.json'].map(name => join(root, name));
  cpSync(exampleVault, vault, { recursive: true });
  mkdirSync(data, { mode: 0o700 });
  mkdirSync(home);
  writeFileSync(settings, JSON.stringify({ rateLimits: wideLimits, ...config }));
  port ??= await freePort();
  const seen = witness ? await watch(port) : undefined;
  const origin = publicUrl ?? seen?.origin ?? `http://127.0.0.1:${port}`;
  const child = spawn(
    binary,
    ['serve', '--vault-path', vault, '--listen-addr', `127.0.0.1:${port}`, '--server-url', origin, '--data-dir', data, '--config', settings],
    { env: { PATH: process.env.PATH, HOME: home, AUTH_USERS: `${person.username}:${hashOf(binary)}` }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let log = '';
  child.stderr.on('data', chunk => (log += chunk));
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    const patience = setTimeout(() => child.kill('SIGKILL'), 10_000);
    const [code, signal] = await exited;
    clearTimeout(patience);
    await seen?.close();
    rmSync(root, { recursive: true, force: true });
    if (code !== 0) throw new Error(`the server left with ${code ?? signal}:\n${log}`);
  };
  try {
    await started(child, exited);
  } catch (error) {
    await stop().catch(() => {});
    throw new Error(`${error.message}:\n${log}`);
  }
  return { origin, url: `${origin}/mcp`, direct: `http://127.0.0.1:${port}`, root, home, witness: seen, note: path => readFileSync(join(vault, path), 'utf8'), stop };
}

/** Resolves when the line comes that says which endpoint is served. */
async function started(child, exited) {
  let text = '';
  const ready = new Promise((resolve, reject) => {
    child.stdout.on('data', chunk => {
      text += chunk;
      if (/^quillgate serves http\S+\n/m.test(text)) resolve();
    });
    AbortSignal.timeout(30_000).addEventListener('abort', () => reject(new Error(`the server did not say that it serves, but: ${text}`)));
  });
  await Promise.race([ready, exited.then(([code]) => Promise.reject(new Error(`the server ended with ${code}`)))]);
}
