// The page in Chromium, used as a person does: `tests/browser.rs` builds the page, and calls this
// with what compiled code says. PAGE names the folder, EXPECTED a file of JSON.

import assert from 'node:assert/strict';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';

import { chromium } from 'playwright-core';

import { linkTo } from '../page/links.js';

const FOLDER = resolve(process.env.PAGE);
const NET = join(FOLDER, 'nn-37f18f62d772.nnue');
const { fens, values, moved } = JSON.parse(readFileSync(process.env.EXPECTED, 'utf8'));
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const KINDS = {
  '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml', '.json': 'application/json',
};

let server, other, browser, address;
/** What another server was asked for: nothing. */
const leaked = [];

before(async () => {
  server = createServer((request, response) => {
    const name = new URL(request.url, 'http://page').pathname.replace(/\/$/, '/index.html');
    // In a folder of a site, as in the book.
    const file = join(FOLDER, name.replace(/^\/book\/playground/, ''));
    if (!name.startsWith('/book/playground/') || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': KINDS[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  other = createServer((request, response) => {
    leaked.push(request.url);
    response.writeHead(200, { 'Access-Control-Allow-Origin': '*' }).end();
  });
  await Promise.all([server, other].map((one) => new Promise((listening) => one.listen(0, '127.0.0.1', listening))));
  address = `http://127.0.0.1:${server.address().port}/book/playground/`;
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
});

after(async () => {
  await browser?.close();
  server?.close();
  other?.close();
});

/** The page after it has loaded; the test fails for each error that the page did not catch. */
async function shown(context, { viewport = { width: 1440, height: 900 }, hash = '', ...options } = {}) {
  const visit = await browser.newContext({ viewport, ...options });
  context.after(() => visit.close());
  const page = await visit.newPage();
  page.setDefaultTimeout(60_000);
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    // Chromium copies styles where a coloured word is typed over, and forbids that to itself.
    if (message.type() === 'error' && !message.text().startsWith('Applying inline style')) errors.push(message.text());
  });
  context.after(() => assert.deepEqual(errors, []));
  await page.goto(address + hash);
  await page.waitForSelector('html.ready');
  return page;
}

/** Puts a text into the editor as a person does. */
async function write(page, text) {
  await page.locator('#editor .cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

const drawn = (page, name) => page.waitForSelector(`.drawing svg[aria-label="drawing of ${name}"]`);

/** Opens a file by a drop, as from a folder of the desktop. */
async function drop(page, file) {
  const bytes = readFileSync(file).toString('base64');
  const transfer = await page.evaluateHandle(async ({ bytes, name }) => {
    const letters = atob(bytes);
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(letters, (letter) => letter.charCodeAt(0))], name));
    return transfer;
  }, { bytes, name: file.split('/').at(-1) });
  await page.dispatchEvent('body', 'dragover', { dataTransfer: transfer });
  assert.ok(await page.isVisible('#drop'), 'where to drop is shown');
  await page.dispatchEvent('#editor', 'drop', { dataTransfer: transfer });
  assert.ok(await page.isHidden('#drop'));
}

/** Complaints of axe about the whole page. */
async function complaints(page) {
  // Its own evaluation is that of a debugger, which the page's policy does not forbid.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join('; ')}`);
}

test('what is typed is drawn, and a mistake is shown under its line', async (context) => {
  const page = await shown(context);
  await drawn(page, 'SFNNv16');
  await page.locator('.cm-line', { hasText: 'name = "SFNNv16"' }).click();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.type('b');
  await drawn(page, 'SFNNv16b');

  await page.locator('.cm-line', { hasText: 'activation = "crelu"' }).click();
  await page.keyboard.press('Home');
  await page.keyboard.type('activatoin = 3\n');
  const message = page.locator('.message.error').first();
  await message.waitFor();
  assert.match(await message.innerText(), /activatoin/);
  assert.match(await message.innerText(), /help/);
  const below = await message.evaluate((node) => node.previousElementSibling.textContent);
  assert.match(below, /^activatoin = 3/, 'it stands under the line');
  assert.match(await page.locator('.cm-lintRange-error').first().innerText(), /activatoin/);
  assert.match(await page.innerText('#problems'), /error/);
  // The last drawing stays, marked as old.
  assert.ok(await page.isVisible('#old'));
  assert.ok(await page.isVisible('.drawing svg[aria-label="drawing of SFNNv16b"]'));
  assert.ok(await page.locator('.panel.old').isVisible());

  await page.locator('.cm-line', { hasText: 'activatoin' }).click();
  await page.keyboard.press('ControlOrMeta+Shift+k');
  await page.waitForSelector('#problems.right');
  assert.equal(await page.locator('.message').count(), 0);
  assert.ok(await page.isHidden('#old'));
});

test('keys and names are completed, and explained where the pointer rests', async (context) => {
  const page = await shown(context);
  await drawn(page, 'SFNNv16');
  await page.locator('.cm-line', { hasText: 'activation = "crelu"' }).click();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+End');
  await page.keyboard.type('activ');
  const offered = page.locator('.cm-tooltip-autocomplete li');
  await offered.first().waitFor();
  assert.match(await offered.first().innerText(), /^activation/);
  await page.waitForTimeout(100);
  await page.keyboard.press('Enter');
  await page.keyboard.type('"sc');
  await page.locator('.cm-tooltip-autocomplete li', { hasText: 'screlu' }).waitFor();
  await page.keyboard.press('Escape');
  // The message moves the lines below it.
  await page.waitForSelector('.message');
  await page.locator('.cm-line', { hasText: 'pooling' }).hover({ position: { x: 20, y: 8 } });
  await page.waitForSelector('.hover');
  assert.match(await page.innerText('.hover'), /^pooling/);
});

test('a spec of the gallery is shown in all panels, and those that are closed compute nothing', async (context) => {
  const page = await shown(context);
  await drawn(page, 'SFNNv16');
  await page.selectOption('#gallery', 'small128');
  await drawn(page, 'small128');
  assert.match(await page.innerText('#panel-drawing .about'), /features/i);
  await page.click('#tab-tensors');
  assert.match(await page.innerText('#panel-tensors tbody tr >> nth=0'), /\d/);
  await page.keyboard.press('ArrowRight');
  assert.ok(await page.locator('#tab-code').evaluate((tab) => tab === document.activeElement), 'arrows change panels');
  await page.locator('#panel-code .tok-comment', { hasText: '--level avx2' }).waitFor();
  await page.locator('#panel-code .cm-scroller').evaluate((code) => { code.scrollTop = code.scrollHeight / 2; });
  await page.locator('#panel-code .tok-keyword').first().waitFor();
  await page.selectOption('#panel-code select', 'scalar');
  await page.locator('#panel-code .cm-scroller').evaluate((code) => { code.scrollTop = 0; });
  await page.locator('#panel-code .tok-comment', { hasText: '--level scalar' }).waitFor();
  await page.click('#tab-plan');
  await page.waitForSelector('#panel-plan pre');
  await page.click('#tab-whole');
  await page.locator('#panel-whole .cm-line').first().waitFor();
  assert.equal(await page.inputValue('#gallery'), 'small128');
  await page.locator('#editor .cm-content').click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('# mine');
  await page.waitForFunction(() => document.getElementById('gallery').value === '');
});

test('a net file is dropped, adopted, and evaluates a board', async (context) => {
  const page = await shown(context);
  await drawn(page, 'SFNNv16');
  await drop(page, NET);
  await page.waitForSelector('.verdict .wrong');
  assert.match(await page.innerText('#panel-net .about'), /small128/);
  await page.click('text=Find specs that fit');
  await page.locator('.guesses li').first().waitFor();
  // Typing goes on while the file is searched.
  await page.locator('.guesses button').first().click();
  await page.waitForSelector('.verdict .right');
  const value = page.locator('#panel-net .value b');
  const says = (expected) => page.waitForFunction((expected) => document.querySelector('#panel-net .value b')?.textContent === expected, signed(expected));
  for (const [index, fen] of fens.entries()) {
    await page.fill('#panel-net .fen', fen);
    await says(values[index]);
  }
  await page.click('#panel-net .controls button:has-text("Start")');
  await page.locator('#panel-net [data-square="12"]').dragTo(page.locator('#panel-net [data-square="28"]'));
  await says(moved.pawn);
  assert.ok(await page.locator('#panel-net .worth').count() >= 30, 'pieces without the kings');
  assert.match(await page.locator('#panel-net [data-square="28"]').getAttribute('aria-label'), /^e4, white pawn, worth [+-]?\d/);
  // Black answers by the keyboard: e7 to e5.
  await page.locator('#panel-net [data-square="52"]').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await says(moved.answer);
  await page.click('#panel-net [aria-label="one move back"]');
  await says(moved.pawn);
  await page.click('#panel-net [aria-label="one move forward"]');
  await says(moved.answer);
  // The queen is taken off.
  await page.click('#panel-net .controls button:has-text("Set up")');
  await page.locator('#panel-net [data-square="3"]').focus();
  await page.keyboard.press('Delete');
  await says(moved.queenless);
  await page.fill('#panel-net .fen', 'no position');
  await page.waitForSelector('#panel-net .value .failure');
  assert.equal(await value.count(), 0);
  assert.ok(await page.locator('#panel-net .neurons').count());
});

test('a link brings a spec to another visitor, and a damaged link says so', async (context) => {
  const page = await shown(context, { permissions: ['clipboard-read', 'clipboard-write'] });
  await drawn(page, 'SFNNv16');
  await page.selectOption('#gallery', 'sfnnv5');
  await drawn(page, 'SFNNv5');
  await page.click('#share');
  await page.waitForSelector('#share:has-text("Copied")');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.startsWith(`${address}#spec=`));
  const guest = await shown(context, { hash: link.slice(address.length) });
  await drawn(guest, 'SFNNv5');
  assert.equal(await guest.inputValue('#gallery'), 'sfnnv5');
  await guest.evaluate(() => { location.hash = '#spec=AAAA'; });
  await guest.waitForSelector('#notice:not(:empty)');
  assert.match(await guest.innerText('#notice'), /cannot be read/);
  assert.ok(await guest.isVisible('.drawing svg[aria-label="drawing of SFNNv5"]'));
  await guest.evaluate(() => { location.hash = '#net=reckless'; });
  await guest.waitForFunction(() => document.getElementById('gallery').value === 'engines/reckless');
  assert.equal(await guest.innerText('#notice'), '');
});

test('a wrong spec in a link is shown without a network', async (context) => {
  const page = await shown(context, { hash: await linkTo('name = 3\n') });
  await page.waitForSelector('.message.error');
  assert.match(await page.innerText('#old'), /no network yet/);
  await page.click('#tab-tensors');
  await page.waitForSelector('#failed:not([hidden])');
  assert.match(await page.innerText('#failed'), /no spec without mistakes/);
  await page.selectOption('#gallery', 'sfnnv5');
  await page.waitForSelector('#panel-tensors tbody tr');
  assert.ok(await page.isHidden('#failed'));
});

test('the network compiled ahead has the same values on each level', async (context) => {
  const page = await shown(context);
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.waitForTimeout(200);
  assert.ok(!asked.some((url) => /nnue-|\.nnue/.test(url)), 'nothing of it is loaded before');
  await page.click('#tab-compiled');
  await page.waitForSelector('#panel-compiled[data-ready]');
  assert.equal(await page.getAttribute('#panel-compiled', 'data-level'), 'relaxed');
  for (const level of ['scalar', 'simd128', 'relaxed']) {
    // A speed needs pieces that can move.
    await page.click('#panel-compiled button:has-text("Start")');
    await page.check(`#panel-compiled input[value=${level}]`);
    await page.waitForSelector(`#panel-compiled[data-level=${level}]`);
    for (const [index, fen] of fens.entries()) {
      await page.fill('#panel-compiled .fen', fen);
      await page.waitForFunction((expected) => document.querySelector('#panel-compiled .value b')?.textContent === expected, signed(values[index]));
    }
    const speed = await page.innerText('#panel-compiled .speed output');
    assert.ok(Number(speed.replaceAll(',', '')) > 0, speed);
    assert.ok(await page.locator('#panel-compiled .worth').count() > 0);
  }
});

test('the next best module is taken where the best cannot be loaded', async (context) => {
  const visit = await browser.newContext();
  context.after(() => visit.close());
  const page = await visit.newPage();
  await page.route('**/nnue-relaxed.wasm', (route) => route.abort());
  await page.goto(address);
  await page.click('#tab-compiled');
  await page.waitForSelector('#panel-compiled[data-level=simd128]');
});

test('what is missing beside the page is named', async (context) => {
  const visit = await browser.newContext();
  context.after(() => visit.close());
  const page = await visit.newPage();
  await page.route('**/playground.wasm', (route) => route.fulfill({ status: 404 }));
  await page.route('**/*.nnue', (route) => route.abort());
  await page.goto(address);
  await page.waitForSelector('#notice:not(:empty)');
  assert.match(await page.innerText('#notice'), /^there is no playground.wasm beside this page: `examples\/web\/build` puts/);
  await page.click('#tab-compiled');
  await page.waitForSelector('#panel-compiled .failure:not(:empty)');
  assert.match(await page.innerText('#panel-compiled .failure'), /^there is no nn-37f18f62d772.nnue beside this page/);
});

test('nothing leaves the browser', async (context) => {
  const page = await shown(context);
  await drawn(page, 'SFNNv16');
  const outside = `http://127.0.0.1:${other.address().port}/`;
  const policy = await page.getAttribute('meta[http-equiv=Content-Security-Policy]', 'content');
  assert.ok(!/https?:|unsafe-inline|'unsafe-eval'|\*/.test(policy), policy);
  const send = (address) => fetch(address).then(() => 'sent', () => 'refused');
  const visit = await browser.newContext();
  context.after(() => visit.close());
  const free = await visit.newPage();
  await free.goto(address);
  assert.equal(await free.evaluate(send, outside), 'refused');
  assert.equal(await free.workers()[0].evaluate(send, outside), 'refused', 'nor from the worker');
  await free.evaluate((address) => { document.body.append(Object.assign(new Image(), { src: address })); }, outside);
  const ran = await free.evaluate(() => {
    const script = Object.assign(document.createElement('script'), { textContent: 'window.ran = true' });
    document.body.append(script);
    return Boolean(window.ran);
  });
  assert.equal(ran, false, 'no script that is written into the page runs');
  await free.waitForTimeout(200);
  assert.deepEqual(leaked, []);
});

for (const [name, options] of [
  ['a phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
  ['a desktop', {}],
  ['a dark desktop', { colorScheme: 'dark' }],
]) {
  test(`${name} shows each panel without scrolling sideways, and with labels and contrast`, async (context) => {
    const page = await shown(context, options);
    await drawn(page, 'SFNNv16');
    const fits = async (panel) => {
      const [inside, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(inside <= window, `${panel}: ${inside} > ${window}`);
      assert.deepEqual(await complaints(page), [], panel);
    };
    await fits('open');
    await page.setInputFiles('#file', NET);
    await page.locator('.verdict button').first().click();
    await page.waitForSelector('.evaluation:not([hidden]) .worth');
    await fits('net');
    for (const panel of ['tensors', 'code', 'plan', 'whole', 'compiled']) {
      await page.click(`#tab-${panel}`);
      await page.waitForSelector(`#panel-${panel}:not([aria-busy])`);
      if (panel === 'compiled') await page.waitForSelector('#panel-compiled[data-ready]');
      await fits(panel);
    }
    await page.locator('#editor .cm-content').click();
    await page.keyboard.type('!');
    await page.waitForSelector('.message');
    await fits('an error');
  });
}

test('a drawing follows a key', async (context) => {
  const page = await shown(context);
  await drawn(page, 'SFNNv16');
  await page.locator('.cm-line', { hasText: 'name = "SFNNv16"' }).click();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.evaluate(() => {
    window.times = [];
    let pressed;
    document.addEventListener('beforeinput', () => { pressed = performance.now(); }, { capture: true });
    new MutationObserver(() => times.push(performance.now() - pressed))
      .observe(document.querySelector('#panel-drawing .drawing'), { childList: true });
  });
  for (let key = 1; key <= 20; key++) {
    await page.keyboard.type('x');
    await page.waitForFunction((key) => window.times.length >= key, key);
  }
  const times = (await page.evaluate(() => window.times)).sort((a, b) => a - b);
  const median = (times[9] + times[10]) / 2;
  context.diagnostic(`from a key to the drawing of SFNNv16: median ${median.toFixed(1)} ms of ${times.length}, at most ${times.at(-1).toFixed(1)} ms`);
  const title = await page.locator('#panel-drawing').textContent();
  assert.ok(title.includes('SFNNv16' + 'x'.repeat(20)), title.slice(0, 200));
});

function signed(number) {
  return (number > 0 ? '+' : '') + number;
}
