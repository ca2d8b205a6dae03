// What most clients cannot do themselves: end their own access. oauth4webapi does it with the credentials that they hold.

import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';
import { ourselves } from './witness.mjs';

export const plain = { [oauth.allowInsecureRequests]: true };
const options = { ...plain, headers: { 'user-agent': ourselves } };

/** The server's metadata, checked as strictly as RFC 8414 wants. */
export async function discover(origin, how = plain) {
  const issuer = new URL(origin);
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...how }));
}

/** Posts an `initialize` with the token and returns the reply. */
export const knock = (origin, token) =>
  fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      'user-agent': ourselves,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: ourselves, version: '1' } } }),
  });

/** A token that was good once must be refused in the words of RFC 6750. */
export async function assertDead(origin, token) {
  const reply = await knock(origin, token);
  await reply.body?.cancel();
  assert.equal(reply.status, 401, 'a revoked token');
  assert.match(reply.headers.get('www-authenticate'), /error="invalid_token"/);
}

const authentication = client => {
  if (client.token_endpoint_auth_method === 'none' || !client.client_secret) return oauth.None();
  return client.token_endpoint_auth_method === 'client_secret_post' ? oauth.ClientSecretPost(client.client_secret) : oauth.ClientSecretBasic(client.client_secret);
};

/** Revokes the refresh token; neither it nor the access token works afterwards. `authenticated` is for clients with a key. */
export async function endAccess(origin, { client, tokens, authenticated = authentication(client) }) {
  const server = await discover(origin, options);
  const alive = await knock(origin, tokens.access_token);
  await alive.body?.cancel();
  assert.equal(alive.status, 200, 'the access token before it is revoked');

  await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, authenticated, tokens.refresh_token, options));
  await assertDead(origin, tokens.access_token);
  const again = oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, authenticated, tokens.refresh_token, options),
  );
  await assert.rejects(again, { error: 'invalid_grant' }, 'the refresh token after it was revoked');
}
