// What a person does with the pages, and what must come of it.

import assert from 'node:assert/strict';
import { person, vaultName } from '../server.mjs';
import { ask } from './request.mjs';

const allow = page => page.locator('button[name=decision][value=allow]');
const deny = page => page.locator('button[name=decision][value=deny]');

export async function signIn(page, { username = person.username, password = person.password } = {}) {
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.locator('input[name=password]').press('Enter');
}

/** Each is played with a server and a window of its own: ({page, context, server, program, application}). */
export const behaviour = {
  'signs in, allows, and the redirect to localhost is followed': async ({ page, server, program }) => {
    const { address, state } = await ask(server, program.redirect);
    await page.goto(address);
    await signIn(page);
    await allow(page).click();
    const answer = await program.next(state);
    assert.match(answer.get('code'), /^[\w-]{43}$/);
    assert.equal(answer.get('iss'), server.origin);
    await page.waitForURL(`${program.redirect}?**`);
  },

  'allows, and the redirect to another origin and on to a private scheme is followed': async ({ page, server, application }) => {
    const { address, state } = await ask(server, application.redirect);
    await page.goto(address);
    await signIn(page);
    const handedOn = page.waitForRequest(request => request.url().startsWith('quillgate-test:'));
    await allow(page).click({ noWaitAfter: true });
    const answer = await application.next(state);
    assert.match(answer.get('code'), /^[\w-]{43}$/);
    await handedOn;
  },

  'a wrong password is said, and the right one still works': async ({ page, server, program }) => {
    const { address, state } = await ask(server, program.redirect);
    await page.goto(address);
    const [reply] = await Promise.all([page.waitForResponse(response => response.request().method() === 'POST'), signIn(page, { password: 'wrong' })]);
    assert.equal(reply.status(), 400);
    await page.getByRole('alert').waitFor();
    assert.match(await page.getByRole('alert').innerText(), /password/i);
    assert.equal(await page.getByLabel(/name/i).getAttribute('name'), 'username');
    assert.equal(await page.getByLabel(/password/i).getAttribute('name'), 'password');
    await signIn(page);
    await allow(page).click();
    assert.ok((await program.next(state)).has('code'));
  },

  'consent says who asks, where the answer goes, what is allowed, and for which vault': async ({ page, server, application }) => {
    const { address } = await ask(server, application.redirect, { name: 'Paper Lantern' });
    await page.goto(address);
    await signIn(page);
    await allow(page).waitFor();
    const text = await page.locator('main').innerText();
    for (const what of ['Paper Lantern', new URL(application.redirect).hostname, vaultName, person.username]) assert.ok(text.includes(what), `${what} is missing from:\n${text}`);
    const scopes = page.locator('input[name=scope]');
    assert.ok((await scopes.count()) > 0);
    for (const box of await scopes.all()) {
      assert.ok((await box.isChecked()) && (await box.isVisible()));
      assert.ok((await box.evaluate(input => input.labels[0]?.innerText.trim() ?? '')).length > 3, 'each scope has a label');
    }
  },

  'deny reaches the client as access_denied': async ({ page, server, program }) => {
    const { address, state } = await ask(server, program.redirect);
    await page.goto(address);
    await signIn(page);
    await deny(page).click();
    const answer = await program.next(state);
    assert.deepEqual([answer.get('error'), answer.get('iss'), answer.get('code')], ['access_denied', server.origin, null]);
  },

  'a double click on a slow line gives one code, and the application gets it': async ({ page, server, program }) => {
    const { address, state } = await ask(server, program.redirect);
    await page.goto(address);
    await signIn(page);
    let clickedTwice;
    const slow = new Promise(resolve => (clickedTwice = resolve));
    await page.route('**/oauth/consent', route => slow.then(() => route.continue()), { times: 1 });
    await allow(page).dblclick({ noWaitAfter: true });
    clickedTwice();
    await page.waitForURL(`${program.redirect}?**`);
    await page.waitForLoadState('networkidle');
    assert.equal(program.of(state).length, 1);
  },

  'two submits at once give one code': async ({ page, context, server, program }) => {
    const { address } = await ask(server, program.redirect);
    await page.goto(address);
    await signIn(page);
    await allow(page).waitFor();
    const form = Object.fromEntries(await page.locator('form input[type=hidden]').evaluateAll(inputs => inputs.map(({ name, value }) => [name, value])));
    const scope = await page.locator('input[name=scope]').first().getAttribute('value');
    const answer = { form: { ...form, scope, decision: 'allow' }, headers: { origin: server.origin }, maxRedirects: 0 };
    const submit = () => context.request.post(`${server.origin}/oauth/consent`, answer);
    const replies = await Promise.all([submit(), submit(), submit()]);
    const [first, ...others] = replies.map(reply => reply.status()).sort();
    assert.equal(first, 303);
    assert.ok(others.every(status => status === 400 || status === 403), `the others got ${others}`);
    assert.equal(replies.filter(reply => /[?&]code=/.test(reply.headers().location ?? '')).length, 1);
  },

  'the back button after consent shows a clear page and gives no second code': async ({ page, server, program }) => {
    const { address, state } = await ask(server, program.redirect);
    await page.goto(address);
    await signIn(page);
    await allow(page).click();
    await page.waitForURL(`${program.redirect}?**`);
    const reply = await page.goBack();
    if ((await allow(page).count()) > 0) await allow(page).click();
    else assert.ok([400, 403, 404, 410].includes(reply.status()), `status ${reply.status()}`);
    assert.equal(new URL(page.url()).origin, server.origin);
    assert.equal(await page.locator('form').count(), 0);
    const text = await page.locator('main').innerText();
    assert.doesNotMatch(text, /nothing was allowed|another browser|cookies/i, 'something was allowed, in this browser, with its cookies');
    assert.equal(program.of(state).length, 1);
  },

  'pages show nothing in a frame of another origin': async ({ page, context, server, program, application }) => {
    const { address } = await ask(server, program.redirect);
    const other = await context.newPage();
    await other.goto(application.put('/frame', `<!doctype html><title>Trap</title><iframe name="trap" src="${address.replaceAll('&', '&amp;')}"></iframe>`));
    const frame = other.frames().find(found => found !== other.mainFrame());
    assert.ok(frame, 'the page has a frame');
    assert.equal(await frame.locator('input').count(), 0);
    // The same address outside of a frame is the login page, so it was the frame that was refused.
    await page.goto(address);
    assert.equal(await page.locator('input[name=password]').count(), 1);
  },

  'a form that another site sends is refused': async ({ page, context, server, program, application }) => {
    const { address, state } = await ask(server, program.redirect);
    await page.goto(address);
    await signIn(page);
    await allow(page).waitFor();
    const hidden = await page.locator('form input[type=hidden]').evaluateAll(inputs => inputs.map(input => input.outerHTML).join(''));
    const trap = await context.newPage();
    const form = `<form method="post" action="${server.origin}/oauth/consent">${hidden}<button name="decision" value="allow">Win</button></form>`;
    await trap.goto(application.put('/trap', `<!doctype html><title>Trap</title>${form}`));
    const [reply] = await Promise.all([trap.waitForResponse(response => response.request().method() === 'POST'), trap.locator('button').click()]);
    assert.equal(reply.status(), 403);
    assert.equal(program.of(state).length, 0);
  },

  'the keyboard is enough': async ({ page, server, program }) => {
    const { address, state } = await ask(server, program.redirect);
    await page.goto(address);
    await tabTo(page, 'input[name=username]');
    await page.keyboard.type(person.username);
    await page.keyboard.press('Tab');
    assert.ok(await page.locator('input[name=password]').evaluate(isFocused), 'the password comes after the user name');
    await page.keyboard.type(person.password);
    await page.keyboard.press('Enter');
    await allow(page).waitFor();
    await tabTo(page, 'button[name=decision][value=allow]');
    await page.keyboard.press('Enter');
    assert.ok((await program.next(state)).has('code'));
  },

  'a scope that is not ticked is not given': async ({ page, server, program }) => {
    const { address, state, redeem } = await ask(server, program.redirect);
    await page.goto(address);
    await signIn(page);
    const scopes = page.locator('input[name=scope]');
    await scopes.first().waitFor();
    const [first, ...others] = await scopes.all();
    const kept = await first.getAttribute('value');
    for (const box of others) await box.uncheck();
    await allow(page).click();
    const tokens = await redeem((await program.next(state)).get('code'));
    assert.deepEqual(tokens.scope.split(' ').filter(scope => !scope.startsWith('vault:')), [kept]);
  },
};

const isFocused = element => element === document.activeElement;

/** Presses Tab until the element has the focus; what has it must show it. */
async function tabTo(page, selector) {
  const reachable = await page.locator('a, button, input, select, textarea').count();
  for (let press = 0; press <= reachable + 1; press += 1) {
    if (await page.locator(selector).evaluate(isFocused)) return;
    await page.keyboard.press('Tab');
    const ring = await page.evaluate(() => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(document.activeElement);
      return document.activeElement === document.body || boxShadow !== 'none' || (outlineStyle !== 'none' && outlineWidth !== '0px');
    });
    assert.ok(ring, 'the focus can be seen');
  }
  throw new Error(`Tab never reaches ${selector}`);
}

/** For a window without scripts: it cannot be asked much, so the redirect is the witness. */
export async function withoutScripts({ page, server, program }) {
  const { address, state } = await ask(server, program.redirect);
  await page.goto(address);
  await signIn(page);
  await allow(page).click();
  assert.ok((await program.next(state)).has('code'));
}
