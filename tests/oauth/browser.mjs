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
import { assertHeaders, inspect, pages } from './browser/pages.mjs';
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
  const server = await serve(positionals[0]);
  closing.push(server.stop);
  const narrow = await serve(positionals[0], { config: { rateLimits: { authorize: 2, register: 100 } } });
  closing.push(narrow.stop);
  const [local, remote] = [await program(), await application(scratch)];
  closing.push(local.close, remote.close);
  const browser = await launch();
  closing.push(() => browser.close());
  const place = { browser, server, narrow, program: local, application: remote };

  for (const [name, play] of Object.entries(behaviour)) await report(`browser · ${name}`, () => inWindow(place, play));
  await report('browser · everything works without scripts', () => withoutScripts(place));
  for (const [name, open] of Object.entries(pages)) await report(`browser · page ${name}`, () => inWindow(place, window => look(window, name, open)));
} finally {
  for (const close of closing.reverse()) await close();
  rmSync(scratch, { recursive: true, force: true });
}

async function inWindow(place, play) {
  const { context, page, complaints } = await openWindow(place.browser);
  try {
    const remark = await play({ ...place, context, page });
    assert.deepEqual(complaints.filter(text => !expected.test(text)), []);
    return remark;
  } finally {
    await context.close();
  }
}

async function look(place, name, open) {
  const reply = await open(place);
  if (reply) assertHeaders(await reply.allHeaders());
  const findings = await inspect(place.page, name, folder);
  assert.deepEqual(findings.filter(finding => /serious|critical|wider/.test(finding)), []);
  return findings.length ? `lesser findings: ${[...new Set(findings)].join('; ')}` : '';
}
