// Programs that nobody here wrote go the whole way, from the first 401 to a revoked token: flows.mjs PATH/TO/quillgate

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endAccess } from './ending.mjs';
import { configuredClients, keyed, robot } from './flows/configured.mjs';
import inspector from './flows/inspector.mjs';
import mcpRemote from './flows/mcp-remote.mjs';
import strict from './flows/oauth4webapi.mjs';
import * as python from './flows/python.mjs';
import typescript1 from './flows/typescript-1.mjs';
import typescript2 from './flows/typescript-2.mjs';
import { report } from './report.mjs';
import { person, serve } from './server.mjs';
import { follow } from './witness.mjs';

const clients = {
  'typescript 1': typescript1,
  'typescript 2': typescript2,
  'python 1': python.one,
  'python 2': python.two,
  'mcp-remote': mcpRemote,
  inspector,
  oauth4webapi: { ...strict, private_key_jwt: keyed },
};

/** What must be seen on the wire, in this order. */
const trail = [
  ['401', /^(POST|GET) \/mcp/, 401],
  ['discovery of the resource', /^GET \/\.well-known\/oauth-protected-resource/, 200],
  ['discovery of the server', /^GET \/\.well-known\/(oauth-authorization-server|openid-configuration)/, 200],
  ['registration', 'POST /oauth/register', 201],
  ['PKCE', 'GET /oauth/authorize', 200, ({ query }) => query.get('code_challenge_method') === 'S256' && /^[\w-]{43}$/.test(query.get('code_challenge'))],
  ['login', 'POST /oauth/authorize', 303],
  ['consent', 'POST /oauth/consent', 303],
  ['token', 'POST /oauth/token authorization_code', 200],
  ['tools/list', 'POST /mcp tools/list', 200],
  ['read', 'POST /mcp tools/call vault_read', 200],
  ['write', 'POST /mcp tools/call vault_write', 200],
  ['refresh', 'POST /oauth/token refresh_token', 200],
  ['read again', 'POST /mcp tools/call vault_read', 200],
  ['revoke', 'POST /oauth/revoke', 200],
  ['dead', 'POST /mcp initialize', 401, ({ ours }) => ours],
];

/** The steps of a flow as one line, with those that the client left to us marked. */
const show = steps => steps.map(({ label, ours }) => (ours && label !== 'dead' ? `${label} (by oauth4webapi)` : label)).join(' · ');

async function flow(binary, name, way, play) {
  const server = await serve(binary, { witness: true, config: { auth: { clients: await configuredClients() } } });
  try {
    const scratch = join(server.root, 'client');
    mkdirSync(scratch);
    const place = {
      url: server.url,
      origin: server.origin,
      scratch,
      path: `Inbox/From ${name} ${way}.md`,
      content: `# Hello\n\nWritten by ${name}.\n`,
      visitor: {
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        HOME: server.home,
        BROWSER: fileURLToPath(new URL('visit.mjs', import.meta.url)),
        VISITOR_NAME: person.username,
        VISITOR_PASSWORD: person.password,
      },
    };
    const held = await play(place);
    assert.equal(server.note(place.path), place.content);
    await endAccess(server.origin, held);
    return show(follow(server.witness.exchanges, play === keyed ? trail.filter(([label]) => label !== 'registration') : trail));
  } finally {
    await server.stop();
  }
}

const [binary, ...only] = process.argv.slice(2);
for (const [name, ways] of Object.entries(clients)) {
  if (only.length && !only.includes(name)) continue;
  for (const [way, play] of Object.entries(ways)) await report(`flow · ${name} · ${way}`, () => flow(binary, name, way, play));
}
if (!only.length) await report('flow · oauth4webapi · client_credentials', () => robot(binary));
