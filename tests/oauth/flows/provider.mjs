// What both generations of the TypeScript SDK ask of a program: a place for credentials, and a browser.

import { person } from '../server.mjs';
import { visit } from '../visit.mjs';

export const redirectUrl = 'http://localhost:33418/callback';

/** Keeps everything in memory; `callback` is the address that the person was sent back to. */
export function provider(name) {
  const kept = { state: crypto.randomUUID() };
  return {
    kept,
    redirectUrl,
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => kept.state,
    clientInformation: () => kept.client,
    saveClientInformation: client => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: tokens => void (kept.tokens = tokens),
    saveCodeVerifier: verifier => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: found => void (kept.discovery = found),
    discoveryState: () => kept.discovery,
    redirectToAuthorization: async address => {
      kept.callback = new URL(await visit(address.href, person));
    },
  };
}

/** Connects, is sent to the person, comes back with the code and connects again; then uses the server and refreshes by itself. */
export async function connectAndUse({ url, path, content }, { Client, Transport, UnauthorizedError, options }) {
  const auth = provider('TypeScript SDK');
  const start = () => new Transport(new URL(url), { authProvider: auth });
  const first = start();
  await new Client({ name: 'quillgate-tests', version: '1.0.0' }, options).connect(first).then(
    () => Promise.reject(new Error('connected without a login')),
    error => {
      if (!(error instanceof UnauthorizedError)) throw error;
    },
  );
  const answer = auth.kept.callback.searchParams;
  if (answer.get('state') !== auth.kept.state) throw new Error(`state came back as ${answer.get('state')}`);
  await first.finishAuth(answer.get('code'), answer.get('iss') ?? undefined);

  const client = new Client({ name: 'quillgate-tests', version: '1.0.0' }, options);
  const transport = start();
  await client.connect(transport);
  await client.listTools();
  await client.callTool({ name: 'vault_read', arguments: { path: 'Start here.md' } });
  await client.callTool({ name: 'vault_write', arguments: { path, content } });
  // As after a day: the access token is no longer good, and the client finds out by a 401.
  auth.kept.tokens = { ...auth.kept.tokens, access_token: 'stale' };
  await client.callTool({ name: 'vault_read', arguments: { path } });
  await client.close();
  return { client: auth.kept.client, tokens: auth.kept.tokens };
}
