// oauth4webapi, the strictest of the general OAuth clients: it refuses whatever an RFC does not allow.

import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';
import { discover, plain } from '../ending.mjs';
import { person } from '../server.mjs';
import { visit } from '../visit.mjs';

export const redirect = 'http://127.0.0.1:33420/callback';

/** Registers for one way to authenticate; what the server answers counts. */
async function register(server, method) {
  const metadata = {
    client_name: `Strict client, ${method}`,
    redirect_uris: [redirect],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
  };
  const client = await oauth.processDynamicClientRegistrationResponse(await oauth.dynamicClientRegistrationRequest(server, metadata, plain));
  assert.equal(client.token_endpoint_auth_method, method);
  return client;
}

const authentications = {
  none: () => oauth.None(),
  client_secret_basic: client => oauth.ClientSecretBasic(client.client_secret),
  client_secret_post: client => oauth.ClientSecretPost(client.client_secret),
};

/** From the first 401 to the tokens. `known` is a client that the operator has configured: {client, authenticated}. */
export async function signIn(url, method, known) {
  const challenge = await challengeOf(url);
  const resource = new URL(url);
  const described = await oauth.processResourceDiscoveryResponse(resource, await oauth.resourceDiscoveryRequest(resource, plain));
  assert.equal(challenge.parameters.resource_metadata, `${resource.origin}/.well-known/oauth-protected-resource/mcp`);
  assert.equal(challenge.parameters.error, undefined, 'no error= without credentials');
  assert.deepEqual(described.authorization_servers, [resource.origin]);

  const server = await discover(described.authorization_servers[0]);
  assert.equal(server.issuer, resource.origin, 'the issuer, byte for byte');
  const client = known?.client ?? (await register(server, method));
  const authenticated = known?.authenticated ?? authentications[method](client);

  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(server.authorization_endpoint);
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirect,
    scope: challenge.parameters.scope ?? described.scopes_supported.join(' '),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    resource: url,
  });
  const callback = new URL(await visit(address.href, person));
  const answer = oauth.validateAuthResponse(server, client, callback, state);
  const reply = await oauth.authorizationCodeGrantRequest(server, client, authenticated, answer, redirect, verifier, { ...plain, additionalParameters: { resource: url } });
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, reply);
  return { server, client, authenticated, tokens };
}

async function challengeOf(url) {
  const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
  await reply.body?.cancel();
  assert.equal(reply.status, 401);
  const [scheme, ...rest] = reply.headers.get('www-authenticate').split(' ');
  assert.equal(scheme.toLowerCase(), 'bearer');
  return { parameters: Object.fromEntries([...rest.join(' ').matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value])) };
}

/** A session of 2025-11-25 by hand: `request(method, params)` gives the result of one JSON-RPC request, `request.session()` the session's id. */
export async function converse(url, token) {
  let number = 0;
  const headers = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' });
  const post = async message => {
    const reply = await oauth.protectedResourceRequest(token, 'POST', new URL(url), headers, JSON.stringify({ jsonrpc: '2.0', ...message }), plain);
    if (reply.headers.has('mcp-session-id')) headers.set('mcp-session-id', reply.headers.get('mcp-session-id'));
    return { status: reply.status, text: await reply.text() };
  };
  const request = async (method, params = {}) => {
    const { status, text } = await post({ id: (number += 1), method, params });
    assert.equal(status, 200, text);
    const messages = text.startsWith('{') ? [text] : [...text.matchAll(/^data: ?(\{.*)$/gm)].map(([, data]) => data);
    const { result, error } = JSON.parse(messages.at(-1));
    assert.equal(error, undefined);
    return result;
  };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'strict', version: '1' } });
  headers.set('mcp-protocol-version', '2025-11-25');
  await post({ method: 'notifications/initialized' });
  return Object.assign(request, { session: () => headers.get('mcp-session-id') });
}

export async function refresh({ server, client, authenticated, tokens }) {
  const reply = await oauth.refreshTokenGrantRequest(server, client, authenticated, tokens.refresh_token, plain);
  const next = await oauth.processRefreshTokenResponse(server, client, reply);
  assert.notEqual(next.access_token, tokens.access_token);
  assert.notEqual(next.refresh_token, tokens.refresh_token, 'refresh tokens rotate');
  return next;
}

/** Signs in, reads, writes, refreshes and reads again. */
export async function wholeWay(place, method, known) {
  const held = await signIn(place.url, method, known);
  const request = await converse(place.url, held.tokens.access_token);
  await request('tools/list');
  await request('tools/call', { name: 'vault_read', arguments: { path: 'Start here.md' } });
  await request('tools/call', { name: 'vault_write', arguments: { path: place.path, content: place.content } });
  held.tokens = await refresh(held);
  await (await converse(place.url, held.tokens.access_token))('tools/call', { name: 'vault_read', arguments: { path: place.path } });
  return held;
}

export default Object.fromEntries(Object.keys(authentications).map(method => [method, place => wholeWay(place, method)]));
