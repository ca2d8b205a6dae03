// Where redirects arrive: a program on this computer, and a web application elsewhere that hands on to its own program.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { elsewhere } from './chromium.mjs';

/** A certificate for `host` that nobody has signed: {key, cert}. */
export function certificate(folder, host) {
  const [key, cert] = ['key.pem', 'cert.pem'].map(name => join(folder, name));
  const line = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-keyout', key, '-out', cert];
  execFileSync('openssl', [...line, '-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`], { stdio: 'pipe' });
  return { key, cert };
}

/** Listens for redirects to `/callback`; any other path is answered with `page`. `arrived` are the queries that came. */
async function receive(server, origin, answer) {
  const arrived = [];
  const pages = new Map();
  server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://callback');
    if (pathname === '/callback') {
      arrived.push(searchParams);
      return answer(response);
    }
    response.writeHead(pages.has(pathname) ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(pages.get(pathname) ?? '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `${origin}:${server.address().port}`;
  return {
    base,
    redirect: `${base}/callback`,
    arrived,
    put: (path, html) => (pages.set(path, html), `${base}${path}`),
    /** The query of the redirect with this state. */
    next: async state => {
      for (const deadline = Date.now() + 10_000; Date.now() < deadline; await pause(20)) {
        const found = arrived.find(query => query.get('state') === state);
        if (found) return found;
      }
      throw new Error(`no redirect with state ${state} arrived at ${base}/callback`);
    },
    of: state => arrived.filter(query => query.get('state') === state),
    close: () => (server.close(), server.closeAllConnections()),
  };
}

export const program = () =>
  receive(createServer(), 'http://localhost', response => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Back</title><p>You can close this window.'));

/** Its callback goes on to a private scheme, as claude.ai's does. */
export function application(folder) {
  const { key, cert } = certificate(folder, elsewhere);
  const server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) });
  return receive(server, `https://${elsewhere}`, response => response.writeHead(302, { location: 'quillgate-test://connected' }).end());
}
