#!/usr/bin/env node
// A person without a browser: opens the page of an authorization request, signs in and answers the question.
//
//   visit.mjs URL            goes on to the redirect URI, as a browser would; stands in for one where a client opens $BROWSER
//   visit.mjs --print URL    prints the address that the answer redirects to

import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const unescape = text =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) =>
    hex || decimal ? String.fromCodePoint(parseInt(hex ?? decimal, hex ? 16 : 10)) : (entities[name] ?? whole));

/** The attributes of one tag; one without a value is an empty string. */
const attributesOf = tag =>
  Object.fromEntries(
    [...tag.replace(/^<\w+/, '').matchAll(/([\w-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/g)].map(([, name, ...values]) => [
      name.toLowerCase(),
      unescape(values.find(value => value !== undefined) ?? ''),
    ]),
  );

/** The forms of a page: {action, method, fields: [attributes…]}. */
export function formsOf(html) {
  return [...html.matchAll(/(<form\b[^>]*>)(.*?)<\/form>/gis)].map(([, tag, inside]) => {
    const { action = '', method = 'get' } = attributesOf(tag);
    const fields = [...inside.matchAll(/<(?:input|button|select|textarea)\b[^>]*>/gi)].map(([field]) => attributesOf(field));
    return { action, method: method.toLowerCase(), fields };
  });
}

/** What a browser would send: hidden fields and ticked boxes as they are, the rest from `answers`; `answers.press` is the button's value. */
function fill({ fields }, answers) {
  const form = new URLSearchParams();
  for (const { name, type = 'text', value = '', checked } of fields) {
    if (!name) continue;
    const box = type === 'checkbox' || type === 'radio';
    if (box ? checked !== undefined : type === 'hidden') form.append(name, box ? value || 'on' : value);
    else if (!box && type !== 'submit' && name in answers) form.append(name, answers[name]);
    else if (!box && value === answers.press) form.append(name, value);
  }
  return form;
}

/** A session of one browser: cookies of one origin, no redirect followed by itself. */
export function session(origin) {
  const cookies = new Map();
  return async (address, form) => {
    const reply = await fetch(new URL(address, origin), {
      method: form ? 'POST' : 'GET',
      body: form,
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: [...cookies].map(pair => pair.join('=')).join('; '), ...(form && { origin, 'sec-fetch-site': 'same-origin' }) },
    });
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
      if (/max-age=0/i.test(cookie)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return reply;
  };
}

/** Signs in and answers with `decision`; the address outside the authorization server that the answer leads to. */
export async function visit(address, { username, password, decision = 'allow' }) {
  const { origin } = new URL(address);
  const open = session(origin);
  let reply = await open(address);
  for (let page = 0; page < 8; page += 1) {
    const location = reply.headers.get('location');
    if (location) {
      const next = new URL(location, origin);
      if (next.origin !== origin) return next.href;
      reply = await open(next);
      continue;
    }
    const html = await reply.text();
    const form = formsOf(html).find(({ method }) => method === 'post');
    if (!reply.ok || !form) throw new Error(`${reply.status} and no form at ${reply.url}:\n${html}`);
    reply = await open(form.action || reply.url, fill(form, { username, password, press: decision }));
  }
  throw new Error(`no redirect to the client after eight pages; the last was ${reply.url}`);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const address = process.argv.at(-1);
  const back = await visit(address, { username: process.env.VISITOR_NAME, password: process.env.VISITOR_PASSWORD });
  if (process.argv.includes('--print')) console.log(back);
  else await (await fetch(back)).text();
}
