// Parts of the page that need no browser: `npm test` in examples/web.

import assert from 'node:assert/strict';
import test from 'node:test';

import { linkTo, linked } from '../page/links.js';
import { START, fenOf, moved, positionOf, put, rearranged } from '../page/position.js';
import { Schema, namedValues } from '../page/schema.js';
import { nodeAt, nodeAtCursor, nodesOf } from '../page/toml.js';

/** The node at `|` in a text. */
const cursor = (text) => nodeAtCursor(text.replace('|', ''), text.indexOf('|'));

test('the cursor is found in tables, values and headers, also of unfinished text', () => {
  const cases = [
    ['|', 'key', 'X'],
    ['na|', 'key', 'na'],
    ['[transformer]\nwidth = 8\n|', 'key', 'transformer.X'],
    ['[transformer]\nwidth = 8\nact|\n[stacks]\ncount = 8', 'key', 'transformer.act'],
    ['[transformer]\nactivation = "cr|', 'value', 'transformer.activation'],
    ['[transformer]\nactivation = |\n[output]', 'value', 'transformer.activation'],
    ['[[layer]]\nop = "affine"\n[[layer]]\nname = "a" # "b"\no|', 'key', 'layer.*.o'],
    ['[output]\ndivide = { by = 16, o| }', 'key', 'output.divide.o'],
    ['[output]\nsum = ["a", "|"]', 'value', 'output.sum.*'],
    ['[output]\nsum = [\n  "a",\n  |\n]', 'value', 'output.sum.*'],
    ['[tr|', 'header', 'tr'],
    ['[[la|]]', 'header', 'la'],
    ['a.b| = 3', 'key', 'a.b'],
  ];
  for (const [text, kind, path] of cases) {
    const node = cursor(text);
    assert.equal(node?.kind, kind, text);
    assert.equal(node.path.join('.').replace(/_$/, 'X'), path, text);
  }
});

test('a table knows its keys and values, and each element of an array its own', () => {
  const node = cursor('[[layer]]\nop = "affine"\noutputs = 8\n[[layer]]\nop = "crelu"\n|');
  assert.deepEqual([...node.table.values], [['op', '"crelu"']]);
});

test('no text stops the reader', () => {
  const text = '[a\n]]=\n"\n= {,{[[\nb = """x\n c = [1, {d = \'';
  for (let length = 0; length <= text.length; length++) nodesOf(text.slice(0, length));
});

test('a schema is followed through alternatives and conditions', () => {
  const closed = (keys) => ({ properties: Object.fromEntries(keys.map((key) => [key, true])), additionalProperties: false });
  const ops = { description: 'what it computes', anyOf: [{ type: 'string', enum: ['affine', 'crelu'] }, { type: 'array' }] };
  const schema = new Schema({
    properties: {
      name: { type: 'string' },
      layer: { type: 'array', items: {
        properties: { op: ops, outputs: { type: 'integer' }, shift: { type: 'integer' } },
        if: { properties: { op: { enum: ['affine'] } }, required: ['op'] },
        then: closed(['op', 'outputs']),
        else: { if: { properties: { op: { enum: ['crelu'] } }, required: ['op'] }, then: closed(['op', 'shift']), else: {} },
      } },
    },
  });
  const keys = (text) => [...schema.keys(cursor(text).table).keys()];
  assert.deepEqual(keys('|'), ['name', 'layer']);
  assert.deepEqual(keys('[[layer]]\n|'), ['op', 'outputs', 'shift']);
  assert.deepEqual(keys('[[layer]]\nop = "affine"\n|'), ['op', 'outputs']);
  assert.deepEqual(keys("[[layer]]\nop = 'crelu'\n|"), ['op', 'shift']);
  const text = '[[layer]]\nop = "affine"';
  const node = nodeAt(nodesOf(text), text.length - 2);
  assert.deepEqual(namedValues(schema.at(node.path)), ['affine', 'crelu']);
});

test('moves castle, promote and take in passing', () => {
  const play = (fen, ...moves) => fenOf(moves.reduce((position, [from, to]) => moved(position, from, to), positionOf(fen)));
  assert.equal(fenOf(positionOf(START)), START);
  assert.equal(play(START, [12, 28]), 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1');
  assert.equal(play('4k3/8/8/8/3p4/8/4P3/4K3 w - - 5 9', [12, 28]), '4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 9');
  assert.equal(play('4k3/8/8/8/3p4/8/4P3/4K3 w - - 5 9', [12, 28], [27, 20]), '4k3/8/8/8/8/4p3/8/4K3 w - - 0 10');
  assert.equal(play('r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1', [4, 6], [60, 58]), '2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2');
  assert.equal(play('4k3/P7/8/8/8/8/8/4K3 w - - 0 1', [48, 56]), 'Q3k3/8/8/8/8/8/8/4K3 b - - 0 1');
  assert.equal(moved(positionOf(START), 52, 36), undefined, 'black is not to move');
  assert.equal(moved(positionOf(START), 0, 8), undefined, 'its own pawn');
});

test('setting up keeps the side to move, and drops rights that are lost', () => {
  assert.equal(fenOf(rearranged(positionOf(START), 0, undefined)), 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1');
  assert.equal(fenOf(put(positionOf(START), 60, 'Q')), 'rnbqQbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQ - 0 1');
});

test('a link brings its text back, and a damaged one says so', async () => {
  const text = 'name = "Grüße 𝄞"\n'.repeat(50);
  const link = await linkTo(text);
  assert.match(link, /^#spec=[\w-]+$/);
  assert.equal(await linked(link), text);
  assert.equal(await linked('#other'), undefined);
  const named = (name) => (name === 'reckless' ? 'its text' : undefined);
  assert.equal(await linked('#net=reckless', named), 'its text');
  await assert.rejects(linked('#net=wreckless', named), /`wreckless`, which is no spec of the gallery/);
  for (const damaged of [link.slice(0, -5), '#spec=%%%', '#spec=AAAA', '#spec=äöü']) {
    await assert.rejects(linked(damaged), /the spec in this page's address cannot be read/, damaged);
  }
  const bomb = await linkTo('a'.repeat(2 << 20));
  await assert.rejects(linked(bomb), /longer than/);
});
