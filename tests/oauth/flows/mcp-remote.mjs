// mcp-remote: a stdio server for programs that know no OAuth, driven here by the TypeScript SDK.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { freePort } from '../../clients/harness.mjs';

const proxy = fileURLToPath(import.meta.resolve('mcp-remote/package.json')).replace(/package\.json$/, 'dist/proxy.js');

async function through(place, port, work) {
  const env = { ...place.visitor, MCP_REMOTE_CONFIG_DIR: place.scratch };
  const transport = new StdioClientTransport({ command: process.execPath, args: [proxy, place.url, String(port), '--allow-http'], env, stderr: 'pipe' });
  let log = '';
  transport.stderr.on('data', chunk => (log += chunk));
  const client = new Client({ name: 'quillgate-tests', version: '1.0.0' });
  try {
    await client.connect(transport);
    await work(client);
  } catch (error) {
    throw new Error(`${error.message}\n${log}`);
  } finally {
    await client.close();
  }
}

/** The one file below `folder` whose name ends with `suffix`. */
const stored = (folder, suffix) => join(folder, readdirSync(folder, { recursive: true }).find(name => name.endsWith(suffix)));
const read = (folder, suffix) => JSON.parse(readFileSync(stored(folder, suffix)));

export default {
  legacy: async place => {
    const port = await freePort();
    await through(place, port, async client => {
      await client.listTools();
      await client.callTool({ name: 'vault_read', arguments: { path: 'Start here.md' } });
      await client.callTool({ name: 'vault_write', arguments: { path: place.path, content: place.content } });
    });
    const tokens = read(place.scratch, '_tokens.json');
    writeFileSync(stored(place.scratch, '_tokens.json'), JSON.stringify({ ...tokens, access_token: 'stale' }));
    await through(place, port, client => client.callTool({ name: 'vault_read', arguments: { path: place.path } }));
    return { client: read(place.scratch, '_client_info.json'), tokens: read(place.scratch, '_tokens.json') };
  },
};
