// Stands between clients and the server and notes each exchange, so that a test can say what really went over the wire.

import { once } from 'node:events';
import { createServer, request } from 'node:http';

/** What our own requests call themselves; everything else on the wire was sent by the client under test. */
export const ourselves = 'quillgate-tests';

/** Listens on a port of its own and passes everything on to `port`. `exchanges` are {name, status, query, form, ours} in order. */
export async function watch(port) {
  const exchanges = [];
  const server = createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const exchange = describe(incoming, body.toString());
    const onward = request({ host: '127.0.0.1', port, path: incoming.url, method: incoming.method, headers: incoming.rawHeaders }, reply => {
      exchanges.push({ ...exchange, status: reply.statusCode });
      outgoing.writeHead(reply.statusCode, reply.rawHeaders);
      reply.pipe(outgoing);
      reply.on('error', () => outgoing.destroy());
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    onward.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    exchanges,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A name that a reader knows: `POST /mcp tools/call vault_read`, `POST /oauth/token refresh_token`, `GET /oauth/authorize`. */
function describe(incoming, body) {
  const { pathname, searchParams } = new URL(incoming.url, 'http://witness');
  const form = incoming.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ? new URLSearchParams(body) : undefined;
  const call = pathname === '/mcp' && body.startsWith('{') ? JSON.parse(body) : undefined;
  const what = [form?.get('grant_type'), call?.method, call?.method === 'tools/call' ? call.params.name : undefined];
  return {
    name: [incoming.method, pathname, ...what].filter(Boolean).join(' '),
    query: searchParams,
    form,
    ours: incoming.headers['user-agent'] === ourselves,
  };
}

/**
 * The steps of `trail` that were seen in order, each {label, ours}; throws at the first one that was not.
 * A step is [label, name (a string, or a regular expression), status, condition(exchange)?].
 */
export function follow(exchanges, trail) {
  let from = 0;
  return trail.map(([label, name, status, condition = () => true]) => {
    const at = exchanges.findIndex(
      (exchange, index) =>
        index >= from && exchange.status === status && (typeof name === 'string' ? exchange.name === name : name.test(exchange.name)) && condition(exchange),
    );
    if (at < 0) {
      const rest = exchanges.slice(from).map(exchange => `${exchange.name} ${exchange.status}`);
      throw new Error(`no ${label} on the wire (${name} ${status}); after the step before it came:\n      ${rest.join('\n      ') || 'nothing'}`);
    }
    from = at + 1;
    return { label, ours: exchanges[at].ours };
  });
}
