// Clients that the operator has written into the configuration: one that signs with a key, one that is no person at all.

import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';
import { assertDead, discover, plain } from '../ending.mjs';
import { serve } from '../server.mjs';
import { converse, redirect, wholeWay } from './oauth4webapi.mjs';

const secret = 'a secret of forty-three characters, at least';
let pair;
const keys = async () => (pair ??= await oauth.generateKeyPair('ES256', { extractable: true }));

export async function configuredClients() {
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', (await keys()).publicKey);
  return [
    {
      clientId: 'keyed',
      clientName: 'Client with a key',
      redirectUris: [redirect],
      grantTypes: ['authorization_code', 'refresh_token'],
      jwks: { keys: [{ kty, crv, x, y, kid: 'one', alg: 'ES256', use: 'sig' }] },
    },
    { clientId: 'robot', clientName: 'Nightly job', clientSecret: secret, grantTypes: ['client_credentials'], scopes: ['read:notes'], introspect: true },
  ];
}

/** The whole flow by `private_key_jwt`, without registration. */
export async function keyed(place) {
  const client = { client_id: 'keyed', token_endpoint_auth_method: 'private_key_jwt' };
  const { privateKey } = await keys();
  return wholeWay(place, 'private_key_jwt', { client, authenticated: oauth.PrivateKeyJwt({ key: privateKey, kid: 'one' }) });
}

/** A token without a person: used, looked at by its owner, revoked. */
export async function robot(binary) {
  const place = await serve(binary, { config: { auth: { clients: await configuredClients() } } });
  try {
    const server = await discover(place.origin);
    assert.ok(server.grant_types_supported.includes('client_credentials'));
    const client = { client_id: 'robot' };
    const authenticated = oauth.ClientSecretBasic(secret);
    const reply = await oauth.clientCredentialsGrantRequest(server, client, authenticated, { resource: place.url }, plain);
    const tokens = await oauth.processClientCredentialsResponse(server, client, reply);
    assert.equal(tokens.refresh_token, undefined, 'no refresh token for a robot');
    await (await converse(place.url, tokens.access_token))('tools/call', { name: 'vault_read', arguments: { path: 'Start here.md' } });

    const look = async () => oauth.processIntrospectionResponse(server, client, await oauth.introspectionRequest(server, client, authenticated, tokens.access_token, plain));
    const seen = await look();
    assert.equal(seen.active, true);
    assert.equal(seen.client_id, 'robot');
    await oauth.processRevocationResponse(await oauth.revocationRequest(server, client, authenticated, tokens.access_token, plain));
    await assertDead(place.origin, tokens.access_token);
    assert.deepEqual(await look(), { active: false });
    return 'token · read · introspection · revoke · dead · introspection says so';
  } finally {
    await place.stop();
  }
}
