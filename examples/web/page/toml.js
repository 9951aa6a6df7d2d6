// Where the cursor stands in a spec: in which table, at a key or at a value. It reads unfinished
// text, which a parser of TOML refuses.

/**
 * A table of the text: its place in the document, and what stands in it so far.
 * @typedef {{ path: string[], values: Map<string, string> }} Table
 */

/**
 * A key, a value or the name of a header. `path` leads to it; `*` stands for elements of arrays.
 * @typedef {{ kind: 'key' | 'value' | 'header', path: string[], from: number, to: number,
 *   table: Table, text: string }} Node
 */

const BARE = /[A-Za-z0-9_-]/;

/** All nodes of a text, in their order. Lines that are no TOML are passed over. */
export function nodesOf(text) {
  return new Reader(text).document();
}

/**
 * The node at a place, for completions: what would stand there if a word were typed now.
 * @returns {Node | undefined}
 */
export function nodeAtCursor(text, place) {
  const inWord = [text[place - 1], text[place]].some((letter) => letter && (BARE.test(letter) || letter === '"' || letter === "'"));
  const completed = inWord ? text : `${text.slice(0, place)}_${text.slice(place)}`;
  const node = nodeAt(nodesOf(completed), place);
  if (!node || inWord) return node;
  node.table.values.delete('_');
  return { ...node, to: node.to - 1, text: '' };
}

/** The node that a place is in. */
export function nodeAt(nodes, place) {
  return nodes.find(({ from, to }) => from <= place && place <= to);
}

class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.nodes = [];
    this.tables = new Map();
  }

  document() {
    let table = this.table([]);
    while (this.at < this.text.length) {
      this.blank();
      if (this.at >= this.text.length) break;
      const before = this.at;
      if (this.text[this.at] === '[') table = this.header(table);
      else this.assignment(table);
      this.restOfLine();
      if (this.at === before) this.at++;
    }
    return this.nodes;
  }

  /** The table of a path. Elements of arrays of tables are each a new one. */
  table(path, fresh = false) {
    const key = path.join('\0');
    if (fresh || !this.tables.has(key)) {
      // What is below the last element belongs to it.
      for (const known of [...this.tables.keys()]) if (known.startsWith(`${key}\0`)) this.tables.delete(known);
      this.tables.set(key, { path, values: new Map() });
    }
    return this.tables.get(key);
  }

  header(table) {
    const many = this.text.startsWith('[[', this.at);
    this.at += many ? 2 : 1;
    const path = [];
    let parent = this.table([]);
    do {
      this.spaces();
      const { from, to, name } = this.word();
      if (from === to) break;
      path.push(name);
      this.nodes.push({ kind: 'header', path: [...path], from, to, table: parent, text: name });
      this.spaces();
      const last = this.text[this.at] !== '.';
      if (!last && this.tables.has([...path, '*'].join('\0'))) path.push('*');
      if (last && many) path.push('*');
      if (last) {
        parent.values.set(name, '');
        table = this.table([...path], many);
      } else {
        parent = this.table([...path]);
        this.at++;
      }
    } while (this.text[this.at - 1] === '.');
    return table;
  }

  assignment(table) {
    const path = [...table.path];
    let parent = table;
    let name;
    for (;;) {
      const word = this.word();
      if (word.from === word.to) return;
      if (name !== undefined) parent = this.within(parent, name, path);
      name = word.name;
      path.push(name);
      this.nodes.push({ kind: 'key', path: [...path], from: word.from, to: word.to, table: parent, text: name });
      this.spaces();
      if (this.text[this.at] !== '.') break;
      this.at++;
      this.spaces();
    }
    const from = this.at;
    parent.values.set(name, '');
    if (this.text[this.at] !== '=') return;
    this.at++;
    this.value(path, parent);
    parent.values.set(name, this.text.slice(from + 1, this.at).trim());
  }

  within(parent, name, path) {
    parent.values.set(name, '');
    return this.table([...path]);
  }

  value(path, table) {
    this.spaces();
    const from = this.at;
    const letter = this.text[from];
    if (letter === '[') {
      this.at++;
      this.elements(']', () => this.value([...path, '*'], table));
    } else if (letter === '{') {
      this.at++;
      const inner = { path, values: new Map() };
      this.elements('}', () => this.assignment(inner));
    } else {
      const text = letter === '"' || letter === "'" ? this.string(letter) : this.run(/[^\s,\]}#]/);
      this.nodes.push({ kind: 'value', path, from, to: this.at, table, text });
    }
  }

  elements(end, read) {
    for (;;) {
      this.blank();
      if (this.at >= this.text.length) return;
      if (this.text[this.at] === end) return void this.at++;
      if (this.text[this.at] === ',') {
        this.at++;
        continue;
      }
      const before = this.at;
      read();
      // What cannot be read ends the value, and with that the line.
      if (this.at === before) return;
    }
  }

  word() {
    const from = this.at;
    const quote = this.text[from];
    const name = quote === '"' || quote === "'" ? this.string(quote) : this.run(BARE);
    return { from, to: this.at, name };
  }

  string(quote) {
    const triple = quote.repeat(3);
    const long = this.text.startsWith(triple, this.at);
    const from = (this.at += long ? 3 : 1);
    for (; this.at < this.text.length; this.at++) {
      if (this.text[this.at] === '\\' && quote === '"') this.at++;
      else if (long ? this.text.startsWith(triple, this.at) : this.text[this.at] === quote) {
        const content = this.text.slice(from, this.at);
        this.at += long ? 3 : 1;
        return content;
      } else if (!long && this.text[this.at] === '\n') break;
    }
    this.at = Math.min(this.at, this.text.length);
    return this.text.slice(from, this.at);
  }

  run(letters) {
    const from = this.at;
    while (this.at < this.text.length && letters.test(this.text[this.at])) this.at++;
    return this.text.slice(from, this.at);
  }

  spaces() {
    this.run(/[ \t]/);
  }

  /** Skips spaces, lines and comments. */
  blank() {
    for (;;) {
      this.run(/\s/);
      if (this.text[this.at] !== '#') return;
      this.run(/[^\n]/);
    }
  }

  restOfLine() {
    this.run(/[^\n]/);
  }
}
