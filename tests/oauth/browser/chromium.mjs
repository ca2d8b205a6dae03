// Debian's Chromium, headless and cut off from everything but this machine.

import { chromium } from 'playwright-core';

/** A host name that is not this machine's, as the browser sees it. */
export const elsewhere = 'app.example';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${elsewhere} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost`,
];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: flags });

/** A browser window without a past. What the page says on the console is kept: a broken policy shows there. */
export async function openWindow(browser, options = {}) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(10_000);
  const page = await context.newPage();
  const complaints = [];
  // A page with an error status is a complaint to Chromium, but some of ours must have one.
  page.on('console', message => message.type() === 'error' && !/the server responded with a status/.test(message.text()) && complaints.push(message.text()));
  page.on('pageerror', error => complaints.push(error.message));
  page.on('dialog', dialog => complaints.push(`a dialog: ${dialog.message()}`));
  return { context, page, complaints };
}
