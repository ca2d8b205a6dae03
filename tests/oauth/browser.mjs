// People in Chromium: what they do with the pages, and what the pages look like.
//
//   browser.mjs PATH/TO/quillgate [--out FOLDER]     screenshots go to FOLDER, target/screenshots if not given

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { behaviour, withoutScripts } from './browser/behaviour.mjs';
import { application, program } from './browser/callback.mjs';
import { launch, openWindow } from './browser/chromium.mjs';
import { assertHeaders, configurations, inspect, pages } from './browser/pages.mjs';
import { report } from './report.mjs';
import { serve } from './server.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' } } });
const folder = values.out ?? fileURLToPath(new URL('../../target/screenshots', import.meta.url));
mkdirSync(folder, { recursive: true });

/** What Chromium says when a frame is refused, which is what the test wants. */
const expected = /frame-ancestors|X-Frame-Options|Failed to launch 'quillgate-test/;
const scratch = mkdtempSync(join(tmpdir(), 'quillgate-browser-'));
const closing = [];
try {
  const [local, remote] = [await program(), await application(scratch)];
  closing.push(local.close, remote.close);
  const browser = await launch();
  closing.push(() => browser.close());
  const place = { browser, program: local, application: remote };

  for (const [name, play] of Object.entries(behaviour)) await report(`browser · ${name}`, () => alone(place, play));
  await report('browser · everything works without scripts', () => alone(place, withoutScripts, { window: { javaScriptEnabled: false } }));
  for (const [name, open] of Object.entries(pages)) {
    await report(`browser · page ${name}`, () => alone(place, window => look(window, name, open), { config: configurations[name] }));
  }
} finally {
  for (const close of closing.reverse()) await close();
  rmSync(scratch, { recursive: true, force: true });
}

/** With a server and a window of its own: logins are limited for each person, and everybody here is the same one. */
async function alone(place, play, { window, config } = {}) {
  const server = await serve(positionals[0], { config });
  const { context, page, complaints } = await openWindow(place.browser, window);
  try {
    const remark = await play({ ...place, server, context, page });
    assert.deepEqual(complaints.filter(text => !expected.test(text)), []);
    return remark;
  } finally {
    await context.close();
    await server.stop();
  }
}

async function look(place, name, open) {
  const reply = await open(place);
  if (reply) assertHeaders(await reply.allHeaders());
  const findings = await inspect(place.page, name, folder);
  assert.deepEqual(findings.filter(finding => /serious|critical|wider/.test(finding)), []);
  return findings.length ? `lesser findings: ${[...new Set(findings)].join('; ')}` : '';
}
