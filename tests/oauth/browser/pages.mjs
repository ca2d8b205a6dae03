// Every page, on a phone and on a desk, by day and by night: screenshots to look at, and what axe-core says.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { signIn } from './behaviour.mjs';
import { ask } from './request.mjs';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const sizes = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } };

const consent = async ({ page, server }, redirect, options) => {
  const { address } = await ask(server, redirect, options);
  await page.goto(address);
  await signIn(page);
  await page.locator('button[name=decision][value=allow]').waitFor();
};

/** What a page needs of the configuration. */
export const configurations = { 'login-too-often': { rateLimits: { authorize: 2 } } };

/** How to get to each page; what is returned is the reply that made it, when it can be had. */
export const pages = {
  login: async ({ page, server, application }) => page.goto((await ask(server, application.redirect)).address),

  'login-wrong-password': async ({ page, server, application }) => {
    await page.goto((await ask(server, application.redirect)).address);
    const [reply] = await Promise.all([page.waitForResponse(response => response.request().method() === 'POST'), signIn(page, { password: 'wrong' })]);
    await page.getByRole('alert').waitFor();
    return reply;
  },

  'login-too-often': async ({ page, server, application }) => {
    const { address } = await ask(server, application.redirect);
    for (let times = 0; times < 40; times += 1) {
      const reply = await page.goto(address);
      if (reply.status() === 429) {
        assert.match(reply.headers()['retry-after'], /^\d+$/);
        return reply;
      }
    }
    throw new Error('forty requests in a row and none too many');
  },

  consent: place => consent(place, place.application.redirect),

  'consent-localhost': async place => {
    await consent(place, place.program.redirect);
    assert.match(await place.page.locator('main').innerText(), /this computer|this device|your computer|your device|localhost/i);
  },

  'consent-hostile-name': async place => {
    const name = `<script>alert(1)</script>"><img src=x onerror=alert(2)> {{7*7}} \u202Eedualc ${'Long'.repeat(30)}`;
    await consent(place, `${place.application.base}/callback?tenant=${'a-very-long-part-'.repeat(8)}`, { name });
    assert.equal(await place.page.locator('img[src=x], main script').count(), 0);
    assert.ok(!(await place.page.locator('main').innerText()).includes('\u202E'));
  },

  finished: async place => {
    await consent(place, place.program.redirect);
    await place.page.locator('button[name=decision][value=deny]').click();
    await place.page.waitForURL(`${place.program.redirect}?**`);
    return place.page.goBack();
  },

  'unknown-client': ({ page, server }) =>
    page.goto(`${server.origin}/oauth/authorize?response_type=code&client_id=nobody&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&state=x`),

  'bad-request': async ({ page, server, application }) =>
    page.goto((await ask(server, application.redirect, { extra: { code_challenge_method: 'plain' } })).address),

  home: ({ page, server }) => page.goto(`${server.origin}/`),
};

/** Takes the pictures and returns what should not be: serious findings of axe, and content wider than a phone. */
export async function inspect(page, name, folder) {
  const findings = [];
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ['light', 'dark']) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`), fullPage: true });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 0) findings.push(`${size}: ${wide} pixels wider than the window`);
      // Evaluated by the debugger: the page's own policy lets no other script in.
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run({ rules: { 'target-size': { enabled: true } } }));
      for (const { id, impact, help, nodes } of violations) findings.push(`${size} ${colorScheme}: ${impact} ${id}: ${help}: ${nodes[0].html}`);
    }
  }
  return findings;
}

/** The headers that every page of ours carries. */
export function assertHeaders(headers) {
  const policy = headers['content-security-policy'] ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.doesNotMatch(policy, /form-action|unsafe/, 'form-action stops the redirect after a form, in Chromium');
  assert.equal(headers['x-frame-options']?.toUpperCase(), 'DENY');
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.match(headers['content-type'], /^text\/html; charset=utf-8$/i);
}
