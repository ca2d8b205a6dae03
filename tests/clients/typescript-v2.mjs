// The TypeScript client 2.x: the handshake by default, the 2026-07-28 revision when it may negotiate.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { drive } from './harness.mjs';

// The client takes a JSON-RPC error out of HTTP 400 by itself, but not out of the 404 that goes with -32601.
const unwrap = error => {
  throw error.data?.status === 404 ? JSON.parse(error.data.text).error : error;
};
const options = { legacy: {}, modern: { versionNegotiation: { mode: 'auto' } } };

/** Each era has its own way to hear of changes. */
const watching = {
  legacy: client => ({
    subscribe: uris => Promise.all(uris.map(uri => client.subscribeResource({ uri }))),
    unsubscribe: uris => Promise.all(uris.map(uri => client.unsubscribeResource({ uri }))),
  }),
  modern: client => {
    const streams = new Map();
    return {
      subscribe: async uris => streams.set(uris.join(), await client.listen({ resourceSubscriptions: uris })),
      unsubscribe: uris => streams.get(uris.join()).close(),
    };
  },
};

await drive('typescript 2', ['legacy', 'modern'], async ({ url, ...server }, era, human, updated) => {
  const client = new Client({ name: 'quillgate-tests', version: '1.0.0' }, { ...options[era], capabilities: human ? { elicitation: { form: {} } } : {} });
  if (human) client.setRequestHandler('elicitation/create', ({ params }) => human.answer(params));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => updated(params.uri));
  const transport = url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport({ ...server, stderr: 'ignore' });
  await client.connect(transport);
  return {
    version: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools()).tools.map(tool => tool.name),
    call: (name, args) => client.callTool({ name, arguments: args }).catch(unwrap),
    callByHand: (name, args, input) => client.request({ method: 'tools/call', params: { name, arguments: args, ...input } }, { allowInputRequired: true }),
    ...watching[era](client),
    close: () => client.close(),
  };
});
