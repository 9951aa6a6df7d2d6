// Completions and hovering in a spec: keys of the table at the cursor, and names that a key allows,
// with what the schema says of them.

import { autocompletion } from '@codemirror/autocomplete';
import { hoverTooltip } from '@codemirror/view';
import { described, inShort, namedValues } from './schema.js';
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
  return found.filter(({ value }) => !quoted || typeof value === 'string').map(({ value, said }) => ({
    label: String(value),
    apply: quoted ? String(value) : JSON.stringify(value),
    info: said,
  }));
}

function option(key, said, apply) {
  return { label: key, apply, detail: inShort(said), info: described(said).join(' ') || undefined };
}

const isMany = (said) => said.some(({ items }) => items) && !said.some(({ type }) => type === 'string')
  && said.some(({ items }) => items?.$ref || items?.properties || items?.type === 'object' || items?.oneOf || items?.anyOf);
const isTable = (said) => isMany(said) || (said.some(({ properties }) => properties)
  && !said.some(({ type }) => ['string', 'integer', 'boolean'].includes(type)));

function hover(schema, text, place) {
  const node = nodeAt(nodesOf(text), place);
  if (!node) return null;
  const said = schema.at(node.path, node.kind === 'header' ? undefined : node.table);
  const named = node.kind === 'value' ? namedValues(said).find(({ value }) => String(value) === node.text) : undefined;
  const sentences = named?.said ? [named.said] : described(said);
  const short = inShort(said);
  if (!sentences.length && !short) return null;
  return {
    pos: node.from,
    end: node.to,
    above: true,
    create() {
      const dom = document.createElement('div');
      dom.className = 'hover';
      const title = document.createElement('strong');
      title.textContent = named?.said ? node.text : node.path.filter((name) => name !== '*').at(-1);
      const type = document.createElement('span');
      type.textContent = named?.said ? '' : ` ${short}`;
      dom.append(title, type, ...sentences.map(paragraph));
      return { dom };
    },
  };
}

/** A sentence; addresses in it become links, which open another page. */
function paragraph(sentence) {
  const element = document.createElement('p');
  for (const part of sentence.split(/(https?:\/\/[^\s)]+)/)) {
    if (!/^https?:/.test(part)) element.append(part);
    else element.append(Object.assign(document.createElement('a'), { href: part, textContent: 'reference', target: '_blank', rel: 'noreferrer' }));
  }
  return element;
}
