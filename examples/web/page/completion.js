// Completions and hovering in a spec: keys of the table at the cursor, and names that a key allows,
// with what the schema says of them.

import { autocompletion } from '@codemirror/autocomplete';
import { hoverTooltip } from '@codemirror/view';
import { element } from './dom.js';
import { described, inShort, isMany, isTable, namedValues } from './schema.js';
import { nodeAt, nodeAtCursor, nodesOf } from './toml.js';

/** @param {import('./schema.js').Schema} schema */
export function suggestions(schema) {
  return [
    autocompletion({ override: [(context) => complete(schema, context)], icons: false }),
    hoverTooltip((view, place) => hover(schema, view.state.doc.toString(), place)),
  ];
}

function complete(schema, context) {
  const text = context.state.doc.toString();
  const node = nodeAtCursor(text, context.pos);
  const line = context.state.doc.lineAt(context.pos);
  if (!node || line.text.slice(0, context.pos - line.from).includes('#')) return null;
  // Nobody wants a list on each empty line.
  if (!context.explicit && node.from === context.pos && node.kind !== 'value') return null;
  const options = node.kind === 'value' ? values(schema, node, text)
    : node.kind === 'header' ? headers(schema, node, text)
      : keys(schema, node, text, line);
  const inString = node.kind === 'value' && /["']/.test(text[node.from]);
  return options.length ? { from: node.from + (inString ? 1 : 0), options, validFor: /^[\w-]*$/ } : null;
}

function keys(schema, node, text, line) {
  const present = node.table.values;
  const options = [];
  const assigned = /^\s*[=.]/.test(text.slice(node.to));
  for (const [key, said] of schema.keys(node.table)) {
    if (present.has(key) && key !== node.text) continue;
    if (isTable(said) && node.table.path.length === 0) continue;
    options.push(option(key, said, assigned ? key : `${key} = `));
  }
  // A table of the document begins where a line does.
  if (!assigned && line.text.slice(0, node.from - line.from).trim() === '') {
    for (const [key, said] of schema.keys({ path: [], values: new Map() })) {
      if (!isTable(said)) continue;
      if (!isMany(said) && new RegExp(`^\\s*\\[${key}\\]`, 'm').test(text)) continue;
      const header = isMany(said) ? `[[${key}]]` : `[${key}]`;
      options.push({ ...option(key, said, `${header}\n`), displayLabel: header, boost: -10 });
    }
  }
  return options;
}

function headers(schema, node, text) {
  const many = text[node.from - 2] === '[';
  const open = text[node.to] !== ']';
  const tables = [...schema.keys(node.table)].filter(([, said]) => isTable(said));
  return tables.map(([key, said]) => option(key, said, open ? `${key}${many ? ']]' : ']'}` : key));
}

function values(schema, node, text) {
  const quoted = /["']/.test(text[node.from] ?? '');
  const found = namedValues(schema.at(node.path, node.table));
  return found.filter((value) => !quoted || typeof value === 'string').map((value) => ({
    label: String(value),
    apply: quoted ? value : JSON.stringify(value),
  }));
}

function option(key, said, apply) {
  const sentences = described(said);
  return { label: key, apply, detail: inShort(said), info: sentences.length ? () => explanation(sentences) : undefined };
}

function hover(schema, text, place) {
  const node = nodeAt(nodesOf(text), place);
  if (!node) return null;
  const said = schema.at(node.path, node.kind === 'header' ? undefined : node.table);
  const sentences = described(said);
  if (!sentences.length) return null;
  const name = node.path.filter((part) => part !== '*').at(-1);
  const create = () => ({
    dom: element('div', { className: 'hover' }, element('strong', {}, name), element('span', {}, ` ${inShort(said)}`), explanation(sentences)),
  });
  return { pos: node.from, end: node.to, above: true, create };
}

/** Descriptions with the little Markdown that they have: paragraphs, points, code and links. */
function explanation(sentences) {
  const paragraphs = sentences.join('\n\n').split(/\n+/).filter(Boolean);
  return element('div', { className: 'explanation' }, ...paragraphs.map((paragraph) => {
    const point = paragraph.startsWith('- ');
    const parts = (point ? paragraph.slice(2) : paragraph).split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/);
    return element('p', { className: point ? 'point' : '' }, ...parts.map(marked));
  }));
}

function marked(part) {
  const [, words, href] = /^\[([^\]]+)\]\((https:[^)]+)\)$/.exec(part) ?? [];
  if (href) return element('a', { href, target: '_blank', rel: 'noreferrer' }, words);
  return /^`.*`$/.test(part) ? element('code', {}, part.slice(1, -1)) : part;
}
