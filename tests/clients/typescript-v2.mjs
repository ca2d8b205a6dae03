// The TypeScript client 2.x: the handshake by default, the 2026-07-28 revision when it may negotiate.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { drive } from './harness.mjs';

// The client takes a JSON-RPC error out of HTTP 400 by itself, but not out of the 404 that goes with -32601.
const unwrap = error => {
  throw error.data?.status === 404 ? JSON.parse(error.data.text).error : error;
};
const options = { legacy: {}, modern: { versionNegotiation: { mode: 'auto' } } };

await drive('typescript 2', ['legacy', 'modern'], async ({ url, ...server }, era) => {
  const client = new Client({ name: 'quillgate-tests', version: '1.0.0' }, options[era]);
  const transport = url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport({ ...server, stderr: 'ignore' });
  await client.connect(transport);
  return {
    version: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools.map(tool => tool.name),
    call: (name, args) => client.callTool({ name, arguments: args }).catch(unwrap),
    close: () => client.close(),
  };
});
