// An authorization request as a client would make it.

import { createHash, randomBytes } from 'node:crypto';

/** Registers a client and returns {address, state, redeem(code)}. */
export async function ask(server, redirect, { name = 'Paper Lantern', extra = {} } = {}) {
  const reply = await fetch(`${server.origin}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirect], token_endpoint_auth_method: 'none' }),
  });
  const client = await reply.json();
  if (reply.status !== 201) throw new Error(`registration: ${reply.status} ${JSON.stringify(client)}`);
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const address = new URL(`${server.origin}/oauth/authorize`);
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirect,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state,
    resource: server.url,
    ...extra,
  });
  const redeem = async code => {
    const body = new URLSearchParams({ grant_type: 'authorization_code', code, client_id: client.client_id, redirect_uri: redirect, code_verifier: verifier });
    return (await fetch(`${server.origin}/oauth/token`, { method: 'POST', body })).json();
  };
  return { address: address.href, state, redeem };
}
