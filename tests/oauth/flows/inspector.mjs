// The Inspector's command line: one process for each request, credentials in a file between them.

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../clients/harness.mjs';
import { assertDead } from '../ending.mjs';

const launcher = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/package.json')).replace(/package\.json$/, 'clients/launcher/build/index.js');

const inEra = era => async place => {
  const env = { ...place.visitor, HOME: place.scratch, MCP_AUTO_OPEN_ENABLED: 'true', MCP_INSPECTOR_SECRET_STORE: 'file', MCP_STORAGE_DIR: place.scratch };
  const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
  const inspect = async (...request) => {
    const line = ['--cli', '--server-url', place.url, '--transport', 'http', '--protocol-era', era, '--callback-url', callback, '--format', 'json', ...request];
    const { stdout } = await promisify(execFile)(process.execPath, [launcher, ...line], { env });
    return JSON.parse(stdout);
  };
  const call = (name, args) => ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)];

  await inspect('--relogin', '--method', 'tools/list');
  await inspect('--use-stored-auth', ...call('vault_read', { path: 'Start here.md' }));
  await inspect('--use-stored-auth', ...call('vault_write', { path: place.path, content: place.content }));

  const secrets = join(place.scratch, 'secrets.json');
  const store = join(place.scratch, 'oauth.json');
  const held = () => credentials(readFileSync(secrets), readFileSync(store));
  writeFileSync(secrets, readFileSync(secrets, 'utf8').replaceAll(held().tokens.access_token, 'stale'));
  await inspect('--use-stored-auth', ...call('vault_read', { path: place.path }));

  // --relogin revokes what is stored, if the server's metadata is stored where the Inspector's web part puts it.
  const before = held().tokens;
  const state = JSON.parse(readFileSync(store));
  const entry = state.servers[place.url];
  entry.serverMetadata = entry.discoveryState.authorizationServerMetadata;
  writeFileSync(store, JSON.stringify(state));
  await inspect('--relogin', '--method', 'tools/list');
  await assertDead(place.origin, before.access_token);
  return held();
};

/** Tokens and client are in two files: the first under a key that ends with the issuer, as JSON in a string. */
function credentials(secrets, state) {
  const [, tokens] = Object.entries(JSON.parse(secrets).secrets).find(([key]) => key.includes(':tokens:'));
  const [, clientId] = /"client_id": ?"(qgc_[^"]+)"/.exec(state);
  return { client: { client_id: clientId, token_endpoint_auth_method: 'none' }, tokens: JSON.parse(tokens) };
}

export default { legacy: inEra('legacy'), modern: inEra('modern') };
