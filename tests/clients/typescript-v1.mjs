// The TypeScript SDK 1.x: only the handshake of 2025-11-25 and before.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { drive } from './harness.mjs';

await drive('typescript 1', ['legacy'], async ({ url, ...server }, era, human, updated) => {
  const client = new Client({ name: 'quillgate-tests', version: '1.0.0' }, { capabilities: human ? { elicitation: {} } : {} });
  if (human) client.setRequestHandler(ElicitRequestSchema, ({ params }) => human.answer(params));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updated(params.uri));
  const transport = url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport({ ...server, stderr: 'ignore' });
  await client.connect(transport);
  return {
    tools: async () => (await client.listTools()).tools.map(tool => tool.name),
    call: (name, args) => client.callTool({ name, arguments: args }),
    subscribe: uris => Promise.all(uris.map(uri => client.subscribeResource({ uri }))),
    unsubscribe: uris => Promise.all(uris.map(uri => client.unsubscribeResource({ uri }))),
    close: async () => {
      if (url) await transport.terminateSession();
      await client.close();
    },
  };
});
